"""A session's queries replayed in time order, and the lanes of its memories' boundary states (DESIGN 9).

Where a query's semantic tag differs from the one before it, the memories of the left tag become archived and those of
the entered tag active [ours]. Only transitions of the table are made; what it refuses stays as it was, and is listed.
Marks that the store recorded count at their times. Replay changes nothing: its marks become edits only if the user
asks for that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from inspector.i18n import _d
from inspector.records import Memory, Query, Settings
from inspector.store.boundary import judge_standing, seed
from inspector.store.causes import ENTERED, LEFT, NOT_COMPARABLE
from inspector.store.timeline import BoundaryMark, BoundaryState, Segment, Timeline, log_of
from inspector.text import counted
from inspector.times import Instant, at_or_before, parse_time
from inspector.trit import Trit


@dataclass(frozen=True, slots=True)
class Kept:
    """A transition that the replay did not make, since the table refuses it."""

    query_id: str
    at: Instant
    verb: Literal["archive", "resume"]
    state: BoundaryState | None
    reason: str


@dataclass(frozen=True, slots=True)
class Lane:
    """A memory's boundary states over time, oldest first, and the transitions that were refused."""

    index: int
    memory: Memory
    segments: tuple[Segment, ...]
    kept: tuple[Kept, ...] = ()

    def at(self, instant: Instant) -> Segment | None:
        """The segment in force at an instant; None before the first."""
        found = None
        for segment in self.segments:
            if segment.start is not None and at_or_before(segment.start, instant) == Trit.NO:
                break
            found = segment
        return found


@dataclass(frozen=True, slots=True)
class Tick:
    """One query of the session in its place in time. Where the tag changed ``entered`` is set, and ``left`` if any."""

    index: int
    query_id: str
    at: Instant
    tag: str | None
    left: str | None = None
    entered: str | None = None

    @property
    def switches(self) -> bool:
        """Whether the task boundary moved here."""
        return self.entered is not None


@dataclass(frozen=True, slots=True)
class Replay:
    """What a replay gives: its queries in time order, a lane a memory in order of uids, and what must be said.

    ``logs`` maps the index of each memory that the replay moved to its ``boundary_log`` with the new marks among the
    recorded ones, in time order: the edits that would make the replay count.
    """

    session_id: str
    ticks: tuple[Tick, ...]
    lanes: tuple[Lane, ...]
    logs: Mapping[int, list[dict[str, Any]]]
    notes: tuple[str, ...]


def sessions(queries: Iterable[Query]) -> dict[str, int]:
    """The authenticated sessions, each with its number of queries, in order of their names."""
    found: dict[str, int] = {}
    for query in queries:
        session = query.value("session_id")
        if session is not None:
            found[session] = found.get(session, 0) + 1
    return dict(sorted(found.items()))


def replay(memories: Sequence[Memory], queries: Sequence[Query], session_id: str, settings: Settings) -> Replay:
    """Replay the queries of one authenticated session over the memories that were written in it.

    The result does not depend on the order in which records are listed: queries are taken by ``as_of`` and id,
    memories by uid. A query without a tag moves no boundary, one without a time cannot be placed; both are said.
    """
    notes: list[str] = []
    ticks = _ticks(queries, session_id, settings, notes)
    members = [index for index, memory in enumerate(memories) if memory.value("session_id") == session_id]
    members.sort(key=lambda index: memories[index].uid)
    lanes = []
    logs: dict[int, list[dict[str, Any]]] = {}
    for index in members:
        run = _Run(memories[index], settings)
        for tick in ticks:
            if tick.switches:
                run.meet(tick)
        lanes.append(Lane(index, memories[index], run.line.segments(), tuple(run.kept)))
        if run.made:
            logs[index] = run.log()
    untagged = sum(memories[index].value("semantic_tag") is None for index in members)
    if untagged:
        notes.append(
            _d("{memories} of the session without a semantic tag: no boundary moves them").format(
                memories=counted(untagged, "memory", "memories")
            )
        )
    return Replay(session_id, tuple(ticks), tuple(lanes), logs, tuple(notes))


def lanes_of(memories: Sequence[Memory], indices: Iterable[int], settings: Settings) -> tuple[Lane, ...]:
    """The lanes of memories as the store has them, edits included, without a replay."""
    return tuple(Lane(index, memories[index], Timeline(memories[index], settings).segments()) for index in indices)


def _ticks(queries: Sequence[Query], session_id: str, settings: Settings, notes: list[str]) -> list[Tick]:
    placed: list[tuple[Instant, int]] = []
    undated = untimed = 0
    for index, query in enumerate(queries):
        if query.value("session_id") != session_id:
            continue
        stated = query.value("as_of")
        at = settings.default_as_of if stated is None else parse_time(stated, "as_of", settings.timezone)
        if at is None:
            undated += 1
            continue
        untimed += stated is None
        placed.append((at, index))
    placed.sort(key=lambda one: (one[0].us, queries[one[1]].id))
    if undated:
        notes.append(_d("{queries} without a time, left out").format(queries=counted(undated, "query", "queries")))
    if untimed:
        notes.append(
            _d("{queries} without an as_of, at the store's default in order of their ids").format(
                queries=counted(untimed, "query", "queries")
            )
        )
    if len({at.naive for at, _rest1 in placed}) > 1:
        notes.append(_d("some times have no zone: their order against the others is in doubt within 14 hours"))
    ticks: list[Tick] = []
    now: str | None = None
    untagged = 0
    for at, index in placed:
        tag = queries[index].value("semantic_tag")
        left = entered = None
        if tag is None:
            untagged += 1
        elif tag != now:
            left, entered, now = now, tag, tag
        ticks.append(Tick(index, queries[index].id, at, tag, left, entered))
    if untagged:
        notes.append(
            _d("{queries} without a semantic tag: no boundary moves").format(
                queries=counted(untagged, "query", "queries")
            )
        )
    return ticks


class _Run:
    """One memory's way through a replay."""

    def __init__(self, memory: Memory, settings: Settings) -> None:
        self.memory = memory
        self.settings = settings
        self.line = Timeline(memory, settings)
        self.tag = memory.value("semantic_tag")
        self.made: list[BoundaryMark] = []
        self.kept: list[Kept] = []

    def meet(self, tick: Tick) -> None:
        """Take one switch of the session's tag in."""
        if self.tag is None or self.tag not in (tick.left, tick.entered):
            return
        created = self.line.created
        if created is not None and at_or_before(created, tick.at) == Trit.NO:
            return  # not stored yet
        verb: Literal["archive", "resume"] = "resume" if self.tag == tick.entered else "archive"
        goal = "active" if verb == "resume" else "archived"
        now = self.line.standing(tick.at)
        if now.state == goal:
            return
        target, reason = judge_standing(now, verb)
        reason = reason or self._in_doubt(tick.at)
        if target is None or reason:
            self.kept.append(Kept(tick.query_id, tick.at, verb, now.state, reason))
            return
        if not self.line.marks:
            for entry in seed(self.line):
                at = parse_time(entry["at"], "status_at", self.settings.timezone)
                self.line.add(BoundaryMark(entry["state"], at, entry["cause"], None, "boundary_state"))
        cause = (LEFT if verb == "archive" else ENTERED).format(tag=self.tag)
        mark = BoundaryMark(target, tick.at, cause, tick.query_id, "replay")
        self.made.append(mark)
        self.line.add(mark)

    def _in_doubt(self, at: Instant) -> str:
        """Why it cannot be told what a mark of this time would follow; "" where it can."""
        if self.line.created is not None and at_or_before(self.line.created, at) == Trit.UNKNOWN:
            return _d("whether it was stored by {iso} is in doubt: state the time zone").format(iso=at.iso())
        if any(mark.at is None or at_or_before(mark.at, at) == Trit.UNKNOWN for mark in self.line.marks):
            return _d(NOT_COMPARABLE)
        if self.line.bare is not None and not self.line.marks and self.line.label_time is None:
            return _d("boundary_state '{bare}' has no time, so that no mark can follow it: set status_at").format(
                bare=self.line.bare
            )
        return ""

    def log(self) -> list[dict[str, Any]]:
        """The memory's log with the replay's marks put in at their times; recorded marks keep their order."""
        log = log_of(self.memory) or seed(self.line)
        times = [parse_time(entry["at"], "at", self.settings.timezone) for entry in log]  # meet() saw that all have one
        for mark in self.made:
            if mark.at is None:
                continue
            place = len(log)
            while place > 0 and times[place - 1].us > mark.at.us:
                place -= 1
            entry = {"state": mark.word, "at": mark.at.iso(), "cause": mark.cause, "query_id": mark.query_id}
            log.insert(place, entry)
            times.insert(place, mark.at)
        return log
