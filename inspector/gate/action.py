"""The action that a memory's own fields authorise, before any gate (DESIGN 7).

Seven rows, first that applies. A value that a row cannot read (a text where true or false belongs, an action word that
nobody knows) never makes the action permissive: the row takes its strict reading, and a note says so [ours].
"""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from inspector.i18n import N_, _d
from inspector.records import ACTIONS, Memory

Action = Literal["archive_only", "answer_context", "answer", "warn", "verify_first", "block"]
#: Rank of each action word; a higher rank is stricter.
RANK: Mapping[str, int] = {word: rank for rank, word in enumerate(ACTIONS)}
PERMISSIVE: frozenset[str] = frozenset(("answer", "answer_context"))
RISKY: frozenset[str] = frozenset(("warn", "verify_first", "block"))
#: What stands in for an action that cannot be read, and what the gate escalates to.
CAUTIOUS: Action = "verify_first"

#: The memory fields that a pre-gate action may rest on, in the order of the rows.
ACTION_FIELDS = (
    "status",
    "memory_type",
    "allowed_action_hint",
    "verification_required",
    "epistemic_status",
    "contradiction_count",
)
AUTHORITY_TYPES = ("policy", "credential", "correction")
AUTHORITY_HINTS = ("block", "verify_first", "warn")
UNSETTLED = ("unresolved", "contested")
_WORDS: Mapping[str, Action] = {
    "archive_only": "archive_only",
    "answer_context": "answer_context",
    "answer": "answer",
    "warn": "warn",
    "verify_first": "verify_first",
    "block": "block",
}


def action_word(value: Any) -> Action | None:
    """The action that a value names, or None where it is no action word."""
    return _WORDS.get(value) if isinstance(value, str) else None


def stricter(first: Action, second: Action) -> Action:
    """The one of two actions that ranks higher."""
    return first if RANK[first] >= RANK[second] else second


class Outcome(enum.Enum):
    """How an action stands to the expected one (DESIGN 7). The four errors and agreements exclude one another."""

    AS_EXPECTED = N_("as expected")
    FALSE_CERTAINTY = N_("false certainty")
    DOWNGRADE_MISS = N_("downgrade miss")
    OVERBLOCKING = N_("overblocking")
    #: No expected action, or a word that has no rank: nothing can be said, and nothing is counted.
    NOT_COMPARED = N_("not compared")


def outcome_of(action: Action, expected: Any) -> Outcome:
    """How ``action`` stands to ``expected``, which may be None or a word without a rank."""
    wanted = action_word(expected)
    if wanted is None:
        return Outcome.NOT_COMPARED
    if wanted in RISKY and action in PERMISSIVE:
        return Outcome.FALSE_CERTAINTY
    if RANK[action] < RANK[wanted]:
        return Outcome.DOWNGRADE_MISS
    if RANK[action] > RANK[wanted]:
        return Outcome.OVERBLOCKING
    return Outcome.AS_EXPECTED


@dataclass(frozen=True, slots=True)
class PreAction:
    """The pre-gate action, the row (1 to 7) that decided, and the field that authorised it.

    ``authorized_by`` is ``field:value`` as the source writes it. ``looked_at`` are the fields read up to that row, the
    deciding one last. ``notes`` say what could not be read and how it was taken.
    """

    action: Action
    row: int
    authorized_by: str
    looked_at: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def field(self) -> str:
        """The field that authorised the action."""
        return self.looked_at[-1]


def shorten(value: Any, limit: int = 40) -> str:
    """A value for a message, cut so that a hostile record cannot fill the screen; lists and objects only by kind."""
    if isinstance(value, str):
        return repr(value) if len(value) <= limit else repr(value[:limit]) + "…"
    if isinstance(value, list | tuple):
        return "a list"  # its repr could be endless, or too deep to build
    if isinstance(value, dict):
        return _d("an object")
    shown = repr(value)
    return shown if len(shown) <= limit else shown[:limit] + "…"


def pre_action(memory: Memory, assumptions: Mapping[str, Any] | None = None) -> PreAction:
    """The pre-gate action of a memory and what authorised it (DESIGN 7, rows 1 to 7).

    Absent, null and empty fields decide nothing; ``assumptions`` stand in for them where the user declared any
    (DESIGN 3), and a decision that rests on one says so. Never raises, whatever the fields hold.
    """

    def read(name: str) -> Any:
        value = memory.value(name)
        if value is None and assumptions and name in assumptions:
            return assumptions[name]
        return value

    def decided(action: Action, row: int, authorized_by: str, *fields: str) -> PreAction:
        if assumptions:
            rests_on = ("status", "memory_type") if row == 2 else fields[-1:]
            notes.extend(
                _d("{name} is assumed").format(name=name)
                for name in rests_on
                if name in assumptions and memory.value(name) is None
            )
        return PreAction(action, row, authorized_by, fields, tuple(notes))

    notes: list[str] = []
    status, kind, hint = read("status"), read("memory_type"), read("allowed_action_hint")
    notes.extend(
        _d("{name} is no text ({shorten}): no rule reads it").format(name=name, shorten=shorten(value))
        for name, value in (("status", status), ("memory_type", kind))
        if value is not None and not isinstance(value, str)
    )
    if isinstance(status, str) and status in ("superseded", "archived"):
        return decided("archive_only", 1, f"status:{status}", *ACTION_FIELDS[:1])
    if kind == "correction" and status == "active":
        by_hint = action_word(hint)
        action: Action = by_hint if by_hint in ("block", "warn") else "block"
        return decided(action, 2, "memory_type:correction", "status", "allowed_action_hint", "memory_type")
    if hint == "block":
        return decided("block", 3, "allowed_action_hint:block", *ACTION_FIELDS[:3])
    must_verify = read("verification_required")
    if must_verify is not None and must_verify is not False:
        if must_verify is not True:
            notes.append(
                _d("verification_required is neither true nor false ({shorten}): taken as required").format(
                    shorten=shorten(must_verify)
                )
            )
        shown = "true" if must_verify is True else shorten(must_verify)
        return decided("verify_first", 4, f"verification_required:{shown}", *ACTION_FIELDS[:4])
    settled = read("epistemic_status")
    if settled is not None and (not isinstance(settled, str) or settled in UNSETTLED):
        if not isinstance(settled, str):
            notes.append(
                _d("epistemic_status is no text ({shorten}): taken as unresolved").format(shorten=shorten(settled))
            )
            settled = shorten(settled)
        return decided("warn", 5, f"epistemic_status:{settled}", *ACTION_FIELDS[:5])
    count = read("contradiction_count")
    if count is not None and not (readable_count(count) and count < 2):
        shown = ">=2" if readable_count(count) else shorten(count)
        if not readable_count(count):
            notes.append(_d("contradiction_count is no number ({shown}): taken as two or more").format(shown=shown))
        return decided("verify_first", 6, f"contradiction_count:{shown}", *ACTION_FIELDS)
    by_hint = action_word(hint)
    fields = (*(name for name in ACTION_FIELDS if name != "allowed_action_hint"), "allowed_action_hint")
    if by_hint is not None:
        return decided(by_hint, 7, f"allowed_action_hint:{by_hint}", *fields)
    if hint is None:
        # The source writes the default as if the hint had said it; the note tells the two apart.
        notes.append(_d("no allowed_action_hint: default answer"))
        return decided("answer", 7, "allowed_action_hint:answer", *fields)
    notes.append(
        _d("allowed_action_hint {shorten} is no known action word: taken as {CAUTIOUS}").format(
            shorten=shorten(hint), CAUTIOUS=CAUTIOUS
        )
    )
    return decided(CAUTIOUS, 7, f"allowed_action_hint:{hint if isinstance(hint, str) else shorten(hint)}", *fields)


def readable_count(value: Any) -> bool:
    """Whether a contradiction count is a number: no bool, no NaN."""
    if isinstance(value, float):
        return not math.isnan(value)
    return isinstance(value, int) and not isinstance(value, bool)


def authority_signals(memory: Memory) -> tuple[str, ...]:
    """The authority signals that a memory carries as ``field:value``, none for authority absent (DESIGN 7, coverage).

    A value of the wrong type counts where :func:`pre_action` takes its strict reading, so that both agree.
    """
    found: list[str] = []
    value = memory.value("verification_required")
    if value is not None and value is not False:
        found.append(f"verification_required:{'true' if value is True else shorten(value)}")
    for name, words in (("memory_type", AUTHORITY_TYPES), ("allowed_action_hint", AUTHORITY_HINTS)):
        value = memory.value(name)
        if isinstance(value, str) and value in words:
            found.append(f"{name}:{value}")
    value = memory.value("epistemic_status")
    if value is not None and (not isinstance(value, str) or value in UNSETTLED):
        found.append(f"epistemic_status:{value if isinstance(value, str) else shorten(value)}")
    value = memory.value("contradiction_count")
    if value is not None and not (readable_count(value) and value < 2):
        found.append(f"contradiction_count:{'>=2' if readable_count(value) else shorten(value)}")
    return tuple(found)
