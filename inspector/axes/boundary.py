"""The boundary state of a memory at an instant, from its log (DESIGN 3 rule 2, DESIGN 9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from inspector.axes.states import BOUNDARY_STATE
from inspector.records import Presence, presence_of
from inspector.times import Instant, at_or_before, parse_time
from inspector.trit import Trit

#: Set in a mask of boundary states where no deciding state holds, so that the later tests speak.
OPEN = 0


@dataclass(frozen=True, slots=True)
class Mark:
    """One mark of a boundary log: the bit of its state (0 for active), its word, its time or None."""

    bit: int
    word: str
    at: Instant | None


def marks_of(log: Any, timezone: str | None) -> list[Mark]:
    """The marks of a boundary log as the source lists them."""
    found = []
    for entry in log or ():
        word = str(entry.get("state", ""))
        at = entry.get("at")
        instant = parse_time(at, "boundary_log.at", timezone) if presence_of(at) is Presence.VALUE else None
        found.append(Mark(int(BOUNDARY_STATE.get(word, OPEN)), word, instant))
    return found


def in_force(mark: Mark, as_of: Instant | None) -> Trit:
    """Whether a mark was made by ``as_of``; without a time on either side that is unknown."""
    if mark.at is None or as_of is None:
        return Trit.UNKNOWN
    return at_or_before(mark.at, as_of)


def _surely_before(first: Mark, second: Mark, first_is_earlier_listed: bool) -> bool:
    if first.at is None or second.at is None:
        return False
    if at_or_before(first.at, second.at) != Trit.YES:
        return False
    # Two marks of one instant: the one listed later was made later.
    return at_or_before(second.at, first.at) != Trit.YES or first_is_earlier_listed


def possible_marks(marks: Sequence[Mark], as_of: Instant | None) -> list[Mark | None]:
    """The marks that may be the last one made by ``as_of``, in listed order; None among them where maybe none was."""
    force = [in_force(mark, as_of) for mark in marks]
    sure = [i for i, value in enumerate(force) if value == Trit.YES]
    last: list[Mark | None] = [] if sure else [None]
    for i, mark in enumerate(marks):
        if force[i] == Trit.NO:
            continue
        if not any(_surely_before(mark, marks[j], i < j) for j in sure if j != i):
            last.append(mark)
    return last
