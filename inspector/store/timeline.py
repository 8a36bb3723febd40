"""A memory's boundary marks in time, and the state that they leave it in at an instant (DESIGN 9).

The marks are those of ``boundary_log``. A bare ``boundary_state`` speaks where there is no log, and what ``deleted_at``
or a status label calls deleted is forgotten, unless it stands in quarantine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from inspector.i18n import _d, told
from inspector.records import BOUNDARY_STATES, FORGOTTEN_WORDS, Memory, Presence, Settings, presence_of
from inspector.store.causes import NO_CAUSE, NOT_COMPARABLE, STORED
from inspector.times import Instant, at_or_before, parse_time
from inspector.trit import Trit

BoundaryState = Literal["active", "archived", "forgotten", "quarantined"]
#: What made a stretch of a lane so: the start, the log, a replay, or another field than the log.
Source = Literal["start", "boundary_log", "boundary_state", "replay", "deleted_at", "status"]


@dataclass(frozen=True, slots=True)
class BoundaryMark:
    """One mark: its state's word as the source writes it, its time or None, cause, query, and what it is from."""

    word: str
    at: Instant | None
    cause: str | None = None
    query_id: str | None = None
    source: Source = "boundary_log"

    @property
    def state(self) -> BoundaryState:
        """The state; a word that is none of the four leaves it to the other rules, as ``active`` does (DESIGN 3)."""
        return cast("BoundaryState", self.word) if self.word in BOUNDARY_STATES else "active"


@dataclass(frozen=True, slots=True)
class Standing:
    """The boundary state of a memory at an instant, and how it is known.

    ``state`` is None where the marks leave it in doubt; ``possible`` then holds the states that it may be, else just
    that one. ``came_from`` is the state to which a quarantined memory goes back, None where nothing says. ``since`` is
    the time of the mark, None without one.
    """

    state: BoundaryState | None
    possible: tuple[BoundaryState, ...]
    came_from: BoundaryState | None
    since: Instant | None
    words: str


@dataclass(frozen=True, slots=True)
class Segment:
    """One stretch of a lane: the state from ``start`` on, until the next segment's start.

    ``start`` is None where the memory has no ``created_at`` or the label no time. ``state`` is None where the marks
    leave it in doubt.
    """

    state: BoundaryState | None
    start: Instant | None
    cause: str
    query_id: str | None
    source: Source

    @property
    def words(self) -> str:
        """The cause for people."""
        return told(self.cause)


def marks_of(memory: Memory, timezone: str | None) -> list[BoundaryMark]:
    """The marks in force of a memory's log, as listed."""
    found = []
    for entry in log_of(memory):
        at = entry.get("at")
        instant = parse_time(at, "boundary_log.at", timezone) if presence_of(at) is Presence.VALUE else None
        found.append(BoundaryMark(str(entry.get("state", "")), instant, entry.get("cause"), entry.get("query_id")))
    return found


def log_of(memory: Memory) -> list[dict[str, Any]]:
    """The log's entries in force as they are written, copied; empty where there is no log."""
    log = memory.value("boundary_log")
    return [dict(entry) for entry in log] if isinstance(log, list) else []


def ordered(marks: Sequence[BoundaryMark]) -> tuple[list[BoundaryMark], bool]:
    """The marks in the order of their making, and whether that order is sure.

    By time, marks of one instant as listed. Where one of several marks has no time, or one of two near times has no
    zone, they stay as listed and the order is not sure.
    """
    if len(marks) < 2:
        return list(marks), True
    times = [mark.at for mark in marks if mark.at is not None]
    if len(times) < len(marks) or not _comparable(times):
        return list(marks), False
    return sorted(marks, key=lambda mark: 0 if mark.at is None else mark.at.us), True


def _comparable(times: Sequence[Instant]) -> bool:
    """Whether each time without a zone is far enough from each with one to be compared."""
    naive = [time for time in times if time.naive]
    return len(naive) in (0, len(times)) or all(
        Trit.UNKNOWN not in (at_or_before(one, other), at_or_before(other, one))
        for one in naive
        for other in times
        if not other.naive
    )


class Timeline:
    """The marks of one memory in order, edits included, to which a replay may add its own."""

    def __init__(self, memory: Memory, settings: Settings) -> None:
        self.memory = memory
        self._zone = settings.timezone
        self._exported_at = settings.exported_at
        self.marks, self.sure = ordered(marks_of(memory, self._zone))
        self._has_log = memory.value("boundary_log") is not None
        self.created = self._time("created_at")

    def _time(self, name: str) -> Instant | None:
        value = self.memory.value(name)
        return None if value is None else parse_time(value, name, self._zone)

    @property
    def label_time(self) -> Instant | None:
        """The time that a label without one of its own speaks for: ``status_at``, else the store's ``exported_at``."""
        own = self._time("status_at")
        return self._exported_at if own is None else own

    @property
    def bare(self) -> BoundaryState | None:
        """What ``boundary_state`` says where there is no log; None where it says nothing, or active."""
        word = self.memory.value("boundary_state")
        if self._has_log or word not in BOUNDARY_STATES or word == "active":
            return None
        return cast("BoundaryState", word)

    def add(self, mark: BoundaryMark) -> None:
        """Put a mark with a time in, after those that are not later."""
        place = len(self.marks)
        while place > 0 and _us(self.marks[place - 1].at) > _us(mark.at):
            place -= 1
        self.marks.insert(place, mark)

    def outside(self, at: Instant | None) -> str:
        """What says beside the log that the memory was forgotten by ``at`` (None: ever); "" where nothing does.

        A time in doubt counts: what may be deleted is not brought back.
        """
        deleted = self._time("deleted_at")
        if deleted is not None and (at is None or at_or_before(deleted, at) != Trit.NO):
            return f"deleted_at {deleted.iso()}"
        status = self.memory.value("status")
        if status in FORGOTTEN_WORDS:
            since = self.label_time
            if at is None or since is None or at_or_before(since, at) != Trit.NO:
                return f"status {status}"
        return ""

    def standing(self, at: Instant | None = None) -> Standing:
        """The boundary state at an instant, None meaning after all marks. A memory starts as active."""
        marks = [mark for mark in self.marks if at is None or mark.at is None or at_or_before(mark.at, at) != Trit.NO]
        outside = self.outside(at)
        found = self._by_marks(marks, at, bool(outside)) if marks else self._by_label(at, bool(outside))
        if outside and found.possible != ("quarantined",):
            return Standing("forgotten", ("forgotten",), None, None, outside)
        return found

    def _by_label(self, at: Instant | None, forgotten: bool) -> Standing:
        state = self.bare
        if state is None:
            return Standing("active", ("active",), None, None, _d("no mark: as it starts"))
        words = f"boundary_state {state}"
        # What it was before is not said, but forgotten is for good.
        came_from: BoundaryState | None = "forgotten" if forgotten else None
        time = self.label_time
        if at is not None and time is not None and at_or_before(time, at) != Trit.YES:
            return Standing(
                None, ("active", state), None, None, _d("{words} speaks for {iso}").format(words=words, iso=time.iso())
            )
        return Standing(
            state,
            (state,),
            came_from,
            time,
            words if time is not None else _d("{words}, without a time").format(words=words),
        )

    def _by_marks(self, marks: Sequence[BoundaryMark], at: Instant | None, forgotten: bool) -> Standing:
        doubtful = [
            mark for mark in marks if at is not None and (mark.at is None or at_or_before(mark.at, at) != Trit.YES)
        ]
        if not self.sure or doubtful:
            possible = {mark.state for mark in marks} | ({"active"} if len(doubtful) == len(marks) else set())
            if len(possible) > 1:
                listed = tuple(cast("BoundaryState", one) for one in BOUNDARY_STATES if one in possible)
                return Standing(None, listed, None, None, _d(NOT_COMPARABLE))
        last = marks[-1]
        came_from: BoundaryState | None = None
        if last.state == "quarantined":
            # Forgotten is for good, whatever a source's log did in between.
            before: list[BoundaryState] = [mark.state for mark in marks]
            gone = forgotten or "forgotten" in before or self.memory.value("boundary_state") == "forgotten"
            came_from = "forgotten" if gone else next((s for s in reversed(before) if s != "quarantined"), "active")
        words = f"{last.source}: {last.word}" + ("" if last.at is None else _d(" at {iso}").format(iso=last.at.iso()))
        return Standing(last.state, (last.state,), came_from, last.at, words)

    def segments(self) -> tuple[Segment, ...]:
        """The lane: each stretch of one state, oldest first."""
        if not self.sure:
            return (Segment(None, self.created, NOT_COMPARABLE, None, "boundary_log"),)
        found: list[Segment] = []
        first = self.marks[0].at if self.marks else None
        if not self.marks or (first is not None and (self.created is None or self.created.us < first.us)):
            found.append(Segment("active", self.created, STORED, None, "start"))
        if self.bare is not None and not self.marks:
            found.append(Segment(self.bare, self.label_time, f"boundary_state {self.bare}", None, "boundary_state"))
        found += [
            Segment(mark.state, mark.at, mark.cause or NO_CAUSE, mark.query_id, mark.source) for mark in self.marks
        ]
        words = self.outside(None)
        return tuple(self._ended(found, words) if words else found)

    def _ended(self, found: list[Segment], words: str) -> list[Segment]:
        """From its deletion on a memory is forgotten, whatever marks follow, but for a quarantine."""
        deleted = self._time("deleted_at")
        end = self.label_time if deleted is None else deleted
        source: Source = "status" if deleted is None else "deleted_at"
        before = [one for one in found if end is not None and _us(one.start) <= end.us]
        after = [one for one in found if end is None or _us(one.start) > end.us]
        out = [*before]
        if not out or out[-1].state != "quarantined":
            out.append(Segment("forgotten", end, words, None, source))
        for one in after:
            state = one.state if one.state == "quarantined" else "forgotten"
            if state != out[-1].state:
                out.append(Segment(state, one.start, one.cause, one.query_id, one.source))
        return out


def _us(instant: Instant | None) -> float:
    return float("-inf") if instant is None else instant.us
