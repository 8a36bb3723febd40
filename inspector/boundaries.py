"""Boundary states of a loaded store: transitions by hand, replay and degraded recall, as edits and data (DESIGN 9).

Everything that changes a state is one edit of ``boundary_log``: it is undone, exported and read by the lifecycle axis
as any other edit.
"""

from __future__ import annotations

from collections.abc import Sequence

from inspector.errors import InspectorError
from inspector.inspection import Inspection
from inspector.store import boundary
from inspector.store.boundary import Move, Option, Proposal, Refused, Verb
from inspector.store.degraded import Degraded, degraded
from inspector.store.replay import Lane, Replay, lanes_of, replay, sessions
from inspector.store.timeline import Standing
from inspector.times import Instant
from inspector.views import Change

_NAMED = 3


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
    if asked == 1:
        return str(refused[0])
    named = "; ".join(str(error) for error in refused[:_NAMED])
    more = f"; and {len(refused) - _NAMED:,} more" if len(refused) > _NAMED else ""
    return f"refused for {len(refused):,} of {asked:,}, and so for all: {named}{more}"


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


def degraded_recall(inspection: Inspection, qi: int, seed: int = 0) -> Degraded | None:
    """What is left of recall where the query or its session has no semantic tags; None where it has."""
    as_of = inspection.engine.as_of(qi)
    return degraded(inspection.queries[qi], inspection.memories, inspection.settings, as_of=as_of, seed=seed)
