"""Reading a ``governs`` block: what a memory claims jurisdiction over, or why it cannot be read (DESIGN 7).

Anything but an object of text lists is malformed. A malformed block governs nothing: the gate says GATE_SKIP with the
fault, and never PASS. Nothing is guessed: :mod:`inspector.gate.gaps` offers a repair for a person to confirm.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from inspector.errors import FieldError
from inspector.gate.action import shorten
from inspector.gate.terms import Term
from inspector.i18n import _, _d
from inspector.records import ABSENT, Memory, Presence, presence_of

OPERATIONS = ("read", "write", "execute")
#: Operations that change or disclose: a permissive action over them is escalated.
RESTRICTED: frozenset[str] = frozenset(("execute", "write"))
TERM_LISTS = ("any_terms", "all_terms", "excluded_terms")
GOVERNS_KEYS = (*TERM_LISTS, "action_types")

State = Literal["absent", "empty", "malformed", "read"]


@dataclass(frozen=True, slots=True)
class Governs:
    """A governs block as read. ``faults`` say, key by key, what makes it malformed; then all else is empty.

    ``action_types`` keeps the author's order without repeats. ``ignored`` are terms that hold no word and so can match
    nothing, and keys that the gate does not know.
    """

    state: State
    any_terms: tuple[Term, ...] = ()
    all_terms: tuple[Term, ...] = ()
    excluded_terms: tuple[Term, ...] = ()
    action_types: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    #: Governs present (DESIGN 7): any of any_terms, all_terms, action_types is non-empty, and the block can be read.
    present: bool = False

    @property
    def malformed(self) -> bool:
        """Whether the block cannot be read."""
        return self.state == "malformed"

    @property
    def restricted(self) -> bool:
        """Whether it governs execute or write."""
        return not RESTRICTED.isdisjoint(self.action_types)

    @property
    def cannot_fire(self) -> bool:
        """Whether it is present and can never escalate: no action types, or read only (DESIGN 7, coverage)."""
        return self.present and not self.restricted

    @property
    def reason(self) -> str:
        """The faults in one line, "" where there are none."""
        return "; ".join(self.faults)


_ABSENT = Governs("absent")
_EMPTY = Governs("empty")


def parse_governs(value: Any) -> Governs:
    """Read a governs value, :data:`inspector.records.ABSENT` included. Never raises: faults are in the result."""
    if value is ABSENT:
        return _ABSENT
    if not isinstance(value, Mapping):
        return Governs("malformed", faults=(_d("governs is {kind}, an object is expected").format(kind=_kind(value)),))
    if not value:
        return _EMPTY
    faults: list[str] = []
    lists: dict[str, list[str]] = {}
    for key in GOVERNS_KEYS:
        lists[key] = _texts(key, value[key], faults) if key in value else []
    faults.extend(
        _d("action_types: {shorten} is no known operation, one of {OPERATIONS} is expected").format(
            shorten=shorten(word), OPERATIONS=", ".join(OPERATIONS)
        )
        for word in lists["action_types"]
        if word not in OPERATIONS
    )
    if faults:
        return Governs("malformed", faults=tuple(faults))
    ignored = [_d("key {shorten}").format(shorten=shorten(key)) for key in value if key not in GOVERNS_KEYS]
    terms: dict[str, tuple[Term, ...]] = {}
    for key in TERM_LISTS:
        read = [Term.of(text) for text in lists[key]]
        ignored.extend(
            _d("{key}: {shorten} holds no word").format(key=key, shorten=shorten(term.text))
            for term in read
            if not term.words
        )
        terms[key] = tuple(term for term in read if term.words)
    present = any(presence_of(lists[key]) is Presence.VALUE for key in ("any_terms", "all_terms", "action_types"))
    return Governs(
        "read",
        terms["any_terms"],
        terms["all_terms"],
        terms["excluded_terms"],
        tuple(dict.fromkeys(lists["action_types"])),
        ignored=tuple(ignored),
        present=present,
    )


def governs_of(memory: Memory) -> Governs:
    """The governs block in force of a memory, edits included."""
    return parse_governs(memory.get("governs"))


def make_governs(
    action_types: list[str],
    any_terms: list[str] | None = None,
    all_terms: list[str] | None = None,
    excluded_terms: list[str] | None = None,
) -> dict[str, list[str]]:
    """A well-formed governs value from the lists of a short form. Raises FieldError for what would be malformed."""
    value = {
        "any_terms": any_terms or [],
        "all_terms": all_terms or [],
        "excluded_terms": excluded_terms or [],
        "action_types": action_types,
    }
    read = parse_governs(value)
    if read.malformed:
        raise FieldError("governs", read.reason, _("lists of texts, action_types of ") + ", ".join(OPERATIONS))
    return value


def salvage(value: Any) -> dict[str, list[str]]:
    """What a malformed block plainly says, as a well-formed one: texts kept, nested lists flattened, the rest dropped.

    A proposal for a person to confirm, never used by the gate.
    """
    kept: dict[str, list[str]] = {key: [] for key in GOVERNS_KEYS}
    if isinstance(value, Mapping):
        for key in GOVERNS_KEYS:
            kept[key] = _flatten(value.get(key))
    kept["action_types"] = [
        word for word in dict.fromkeys(text.strip().lower() for text in kept["action_types"]) if word in OPERATIONS
    ]
    return kept


def _flatten(value: Any) -> list[str]:
    found: list[str] = []
    rest: list[Any] = [value]
    while rest and len(found) < 1_000:
        item = rest.pop()
        if isinstance(item, str):
            found.append(item)
        elif isinstance(item, list | tuple):
            rest.extend(reversed(item))
    return found


def _texts(key: str, value: Any, faults: list[str]) -> list[str]:
    if not isinstance(value, list | tuple):
        faults.append(_d("{key} is {kind}, a list of texts is expected").format(key=key, kind=_kind(value)))
        return []
    for item in value:
        if not isinstance(item, str):
            faults.append(_d("{key} holds {kind}, texts are expected").format(key=key, kind=_kind(item)))
            break
    return [item for item in value if isinstance(item, str)]


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        return _d("a text ({shorten})").format(shorten=shorten(value))
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return _d("a number ({value!r})").format(value=value)
    return "a list" if isinstance(value, list | tuple) else _d("an object")
