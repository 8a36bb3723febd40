"""The findings of lint: their codes, severities and what to do (DESIGN 11).

A code never changes its meaning; scripts and suppressions may rest on it. ``error``: the record contradicts itself or
the store, or cannot be used as it stands. ``warning``: a likely fault, or something that hides one. ``info``: worth
knowing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from inspector.i18n import _d
from inspector.records import Origin

Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of finding: its stable code, severity, what it means, and what to do in one sentence."""

    name: str
    severity: Severity
    means: str
    do: str


def _codes(*codes: Code) -> Mapping[str, Code]:
    return {code.name: code for code in codes}


CODES: Mapping[str, Code] = _codes(
    Code(
        "unreadable-record",
        "error",
        "the record cannot be read",
        "Mend the record at this place; without it the store is incomplete.",
    ),
    Code(
        "duplicate-id",
        "error",
        "one namespace and id, two contents",
        "Keep one of the two, or give one a new id: ids are unique in their namespace.",
    ),
    Code(
        "orphan",
        "warning",
        "no namespace, session or tag",
        "Fill in whose it is: until then every test of scope and task answers ?.",
    ),
    Code(
        "duplicate-text",
        "warning",
        "the same text again in one namespace",
        "Keep one of them and retire the others, or say what tells them apart.",
    ),
    Code(
        "missing-key",
        "warning",
        "no value for an exact key that recall goes by",
        "Fill the key in: recall by exact key cannot find the memory without it.",
    ),
    Code(
        "dangling-successor",
        "error",
        "superseded_by names no stored memory",
        "Point superseded_by at the memory that replaced this one, or remove it.",
    ),
    Code(
        "cyclic-successor",
        "error",
        "superseded_by leads back to the memory itself",
        "Remove superseded_by from the memory that holds now: in a circle none of them does.",
    ),
    Code(
        "status-against-times",
        "warning",
        "the status label and the times contradict each other",
        "Decide which is right, and correct the label or the time.",
    ),
    Code(
        "naive-time",
        "warning",
        "a time without a zone, and the store declares none",
        "State the store's timezone in bundle.toml, or export times with their zone.",
    ),
    Code(
        "valid-range",
        "error",
        "valid_to lies before valid_from",
        "Correct one of the two times: the memory is valid at no moment.",
    ),
    Code(
        "vector-zero",
        "error",
        "the embedding is all zeros",
        "Encode the text again: a zero vector is similar to nothing.",
    ),
    Code(
        "vector-not-finite",
        "error",
        "the embedding holds NaN, infinity or null",
        "Encode the text again: with such a number no similarity can be worked out.",
    ),
    Code(
        "vector-length",
        "error",
        "the embedding has another length than the others",
        "Encode the text with the store's own model: vectors of two models are never compared.",
    ),
    Code(
        "control-character",
        "warning",
        "a control character in a text",
        "Remove it, or find out who put it there: it can act on a terminal or hide text.",
    ),
    Code(
        "bidi-character",
        "warning",
        "a character that reorders the text around it",
        "Remove it: what a person reads and what a model reads differ.",
    ),
    Code(
        "governs-without-authority",
        "warning",
        "governs an operation, and nothing gives it authority",
        "Add what gives it authority, or take governs away: only the gate protects the operation.",
    ),
    Code(
        "authority-without-governs",
        "warning",
        "carries authority, and governs nothing",
        "Add governs with action types: the gate protects only what a memory governs.",
    ),
    Code(
        "malformed-governs",
        "error",
        "governs cannot be read",
        "Write governs as an object of text lists: until then it governs nothing.",
    ),
    Code(
        "sensitive-unguarded",
        "warning",
        "sensitive, with neither governs nor authority",
        "Give it governs or an authority signal: nothing stops its use once it is retrieved.",
    ),
    Code(
        "unknown-status",
        "warning",
        "a status or boundary word that no rule knows",
        "Use a word that the lifecycle knows: another leaves the state unknown.",
    ),
    Code(
        "unknown-action",
        "warning",
        "an action word that no rule knows",
        "Use one of the six action words: another has no rank.",
    ),
    Code(
        "unlawful-transition",
        "warning",
        "the boundary log does what the table of transitions refuses",
        "Find out what wrote the mark: forgotten stays forgotten, and a quarantine ends where it began.",
    ),
    Code(
        "missing-mark",
        "info",
        "no boundary mark in a store that keeps them",
        "Look at it and confirm its quarantine, or write the mark that it should have.",
    ),
    Code(
        "ghost",
        "error",
        "in one plane of the store and gone from another, or still live after it was merged",
        "Delete what is left of it, or bring back what is gone: the planes answer differently.",
    ),
    Code(
        "plane-differs",
        "warning",
        "two planes of the store hold different texts for it",
        "Write the text that holds into both, and encode it again.",
    ),
    Code(
        "metadata-lost",
        "warning",
        "an update dropped fields that such records have",
        "Restore the fields from before the update, and look at what the update keeps.",
    ),
    Code(
        "looks-capped",
        "warning",
        "the export may have stopped at a page's end",
        "Export again with paging, or check the count at the source.",
    ),
    Code(
        "same-as-answer",
        "warning",
        "the text of an earlier answer, stored as a memory",
        "Check where it is from: what the model said is no evidence for what it says.",
    ),
    Code(
        "untrained-text",
        "info",
        "a text that the model was not trained for",
        "Use a lexical route or a model of its language: its similarity means little.",
    ),
    Code(
        "near-duplicate",
        "info",
        "nearly the same vector as another's in its namespace",
        "Read them side by side; they are never merged here, look-alikes can differ in what counts.",
    ),
    Code(
        "conflict",
        "warning",
        "says the opposite of a similar memory in its namespace",
        "Decide which holds now, and mark the other as superseded.",
    ),
)

_RANK = {name: place for place, name in enumerate(CODES)}


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding: what, where, about which record, and what is wrong in words that name the values.

    ``index`` is the memory's, None where the finding is about a query, a file or a record that was not read. ``record``
    names the record for people; ``related`` are the indices of other memories that it is about: of a large group only
    some, and ``related_total`` counts them all (0 where ``related`` is all there is).
    """

    code: str
    origin: Origin
    words: str
    record: str = ""
    index: int | None = None
    field: str = ""
    related: tuple[int, ...] = ()
    related_total: int = 0

    @property
    def severity(self) -> Severity:
        """How bad it is."""
        return CODES[self.code].severity

    @property
    def do(self) -> str:
        """What to do, one sentence."""
        return _d(CODES[self.code].do)

    @property
    def order(self) -> tuple[Any, ...]:
        """Worst first, then by code and place: the same on every machine."""
        place = (self.origin.file, -1 if self.origin.line is None else self.origin.line)
        return (
            SEVERITIES.index(self.severity),
            list(CODES).index(self.code),
            *place,
            self.record,
            self.field,
            self.words,
        )
