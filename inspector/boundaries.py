"""Boundary states of a loaded store: transitions by hand, replay and degraded recall, as edits and data (DESIGN 9).

Everything that changes a state is one edit of ``boundary_log``: it is undone, exported and read by the lifecycle axis
as any other edit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from inspector.errors import FieldError, InspectorError
from inspector.i18n import N_, _, _d
from inspector.inspection import Inspection
from inspector.store import boundary
from inspector.store.boundary import VERBS, Move, Option, Proposal, Refused, Verb
from inspector.store.degraded import Degraded, degraded
from inspector.store.replay import Lane, Replay, lanes_of, replay, sessions
from inspector.store.timeline import Standing, marks_of
from inspector.times import EXPECTED, Instant, parse_time
from inspector.views import Change

_NAMED = 3
#: Epoch seconds as they are typed; eight digits are a date.
_SECONDS = re.compile(r"-?(?:\d{9,}(?:\.\d+)?|\d+\.\d+)")
#: The past of each verb, for the line that says what was done.
DONE = {
    "archive": N_("archived"),
    "resume": N_("resumed"),
    "forget": N_("forgot"),
    "quarantine": N_("quarantined"),
    "release": N_("released"),
}


@dataclass(frozen=True, slots=True)
class Trial:
    """One verb tried on a selection: the moves that the table allows, and what is refused, with the reasons."""

    verb: Verb
    moves: tuple[Move, ...]
    refused: tuple[Refused, ...]

    @property
    def allowed(self) -> bool:
        """Whether it can be made: for all of the selection, or not at all."""
        return bool(self.moves) and not self.refused

    @property
    def brief(self) -> str:
        """Where it leads, or the first reason why it is refused, in one line."""
        if not self.refused:
            counted = Counter((one.before, one.after) for one in self.moves)
            return ", ".join(
                f"{before} → {after}" + (f" ({count:,})" if len(self.moves) > 1 else "")
                for (before, after), count in counted.items()
            )
        first, asked = self.refused[0], len(self.refused) + len(self.moves)
        return (
            first.reason
            if asked == 1
            else _d("{count:,} of {asked:,}: {id}: {reason}").format(
                count=len(self.refused), asked=asked, id=first.memory.id, reason=first.reason
            )
        )

    @property
    def words(self) -> str:
        """Where it leads, or the reasons why it is refused."""
        asked = len(self.refused) + len(self.moves)
        if not self.refused or asked == 1:
            return self.brief
        return _listed(self.refused, asked, lambda one: f"{one.memory.id}: {one.reason}")


def read_at(text: str | int | float, timezone: str | None) -> str | int | float:
    """The time of a transition as it is typed: ISO 8601, epoch seconds, or ``now``. Raises FieldError."""
    value: str | int | float = text
    if isinstance(text, str):
        value = text.strip()
        if value == "now":
            value = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        elif _SECONDS.fullmatch(value):
            value = float(value) if "." in value else int(value)
    if value == "":
        raise FieldError("at", _("no time is given"), _("{EXPECTED}, or now").format(EXPECTED=EXPECTED))
    parse_time(value, "at", timezone)
    return value


def default_at(inspection: Inspection, qi: int | None = None) -> str | int | float | None:
    """When a transition by hand is made, where nobody says: at the query's ``as_of``, else at the store's own.

    None where the store has no time at all. The clock is read only where ``now`` is asked for.
    """
    instant = inspection.settings.default_as_of if qi is None else inspection.engine.as_of(qi)
    if instant is None:
        return None
    return read_at(instant.text, inspection.settings.timezone)


def latest_mark(inspection: Inspection, mis: Sequence[int]) -> Instant | None:
    """The last time that a mark of one of the memories has: before it none of them can be moved (DESIGN 9)."""
    timezone = inspection.settings.timezone
    times = [mark.at for mi in mis for mark in marks_of(inspection.memories[mi], timezone) if mark.at is not None]
    return max(times, key=lambda at: at.us, default=None)


def trials(
    inspection: Inspection,
    mis: Sequence[int],
    at: str | int | float,
    *,
    cause: str | None = None,
    query_id: str | None = None,
) -> tuple[Trial, ...]:
    """Each of the five verbs tried on a selection at a time; nothing is changed. Raises FieldError for the time."""
    memories = [inspection.memories[mi] for mi in mis]
    found = []
    for verb in VERBS:
        moves, refused = boundary.moves(memories, verb, at, inspection.settings, cause=cause, query_id=query_id)
        found.append(Trial(verb, tuple(moves), tuple(refused)))
    return tuple(found)


def done_words(inspection: Inspection, mis: Sequence[int], verb: Verb) -> str:
    """What a transition did, before the sentence of what moved: ``archived m1: ``."""
    what = inspection.memories[mis[0]].id if len(mis) == 1 else _d("{count:,} memories").format(count=len(mis))
    return _d("{done} {what}: ").format(done=_d(DONE[verb]), what=what)


def standing_of(inspection: Inspection, mi: int, at: Instant | None = None) -> Standing:
    """The boundary state of a memory at an instant (None: after all marks) and how it is known."""
    return boundary.standing(inspection.memories[mi], at, inspection.settings)


def options(inspection: Inspection, mi: int, at: Instant | None = None) -> tuple[Option, ...]:
    """The five verbs for a memory, each with where it leads or why it is refused."""
    return boundary.options(inspection.memories[mi], at, inspection.settings)


def move(
    inspection: Inspection,
    mis: Sequence[int],
    verb: Verb,
    at: str | int | float,
    *,
    cause: str | None = None,
    query_id: str | None = None,
) -> Change:
    """Make one transition of each memory, as one step. All are made, or where one is refused none is.

    Raises InspectorError with the reasons of the refusals, FieldError for a time that cannot be read.
    """
    memories = [inspection.memories[mi] for mi in mis]
    allowed, refused = boundary.moves(memories, verb, at, inspection.settings, cause=cause, query_id=query_id)
    if refused:
        raise InspectorError(_reasons(refused, len(mis)))
    return _edit(inspection, mis, allowed)


def _reasons(refused: Sequence[Refused], asked: int) -> str:
    return str(refused[0]) if asked == 1 else _listed(refused, asked, str)


def _listed(refused: Sequence[Refused], asked: int, words: Callable[[Refused], str]) -> str:
    named = "; ".join(words(error) for error in refused[:_NAMED])
    more = _d("; and {count:,} more").format(count=len(refused) - _NAMED) if len(refused) > _NAMED else ""
    return _d("refused for {count:,} of {asked:,}, and so for all: {named}{more}").format(
        count=len(refused), asked=asked, named=named, more=more
    )


def _edit(inspection: Inspection, mis: Sequence[int], moves: Sequence[Move]) -> Change:
    return inspection.edit_each("memory", [(mi, "boundary_log", one.log) for mi, one in zip(mis, moves, strict=True)])


def proposals(inspection: Inspection) -> list[Proposal]:
    """The quarantines that lint proposes, for memories without marks in a store that keeps them."""
    return boundary.propose_marks(inspection.memories, inspection.settings)


def confirm(inspection: Inspection, chosen: Sequence[Proposal], at: str | int | float, by: str = "a person") -> Change:
    """Make the proposed quarantines that a person has looked at, as one step. Raises Refused."""
    moves = [boundary.confirm(one, at, inspection.settings, by) for one in chosen]
    return _edit(inspection, [one.index for one in chosen], moves)


def session_counts(inspection: Inspection) -> dict[str, int]:
    """The sessions that can be replayed, with their numbers of queries."""
    return sessions(inspection.queries)


def replay_session(inspection: Inspection, session_id: str) -> Replay:
    """Replay a session's queries in time order over its memories as they stand; nothing is changed."""
    return replay(inspection.memories, inspection.queries, session_id, inspection.settings)


def keep_replay(inspection: Inspection, run: Replay) -> Change:
    """Make the marks of a replay edits, as one step."""
    return inspection.edit_each("memory", [(mi, "boundary_log", log) for mi, log in run.logs.items()])


def lanes(inspection: Inspection, mis: Sequence[int]) -> tuple[Lane, ...]:
    """The lanes of memories as the store has them, edits included."""
    return lanes_of(inspection.memories, mis, inspection.settings)


def session_degraded(inspection: Inspection, run: Replay, seed: int = 0) -> dict[int, Degraded]:
    """Degraded recall of each query of a replayed session that has no semantic tags to go by, by the query's index."""
    mis = [lane.index for lane in run.lanes]
    memories = [inspection.memories[mi] for mi in mis]
    found = {}
    for tick in run.ticks:
        query, as_of = inspection.queries[tick.index], inspection.engine.as_of(tick.index)
        one = degraded(query, memories, inspection.settings, as_of=as_of, seed=seed)
        if one is not None:
            found[tick.index] = one.renumbered(mis)
    return found


def degraded_recall(inspection: Inspection, qi: int, seed: int = 0) -> Degraded | None:
    """What is left of recall where the query or its session has no semantic tags; None where it has."""
    as_of = inspection.engine.as_of(qi)
    return degraded(inspection.queries[qi], inspection.memories, inspection.settings, as_of=as_of, seed=seed)
