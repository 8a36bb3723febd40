"""Boundary states and the transitions between them (DESIGN 9): which are allowed, and why the others are refused.

A transition is a mark at the end of a memory's ``boundary_log``, with its state, time, cause and query. The functions
here work out the log with one mark more; making it an edit is the caller's, so that undo, patches and the lifecycle
axis see it as any other edit. History is never rewritten: a mark is added, and no earlier one goes or moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from inspector.errors import InspectorError
from inspector.i18n import _, _d
from inspector.records import BOUNDARY_STATES, Memory, Settings
from inspector.store.causes import (
    AS_STATED,
    CONFIRMED,
    CONTAMINATION,
    MISSING_MARKS,
    MOVED_AWAY,
    RELEASED,
    REQUESTED,
    RESUMED,
)
from inspector.store.timeline import BoundaryMark, BoundaryState, Standing, Timeline, log_of, marks_of, ordered
from inspector.times import Instant, at_or_before, parse_time
from inspector.trit import Trit

Verb = Literal["archive", "resume", "forget", "quarantine", "release"]
VERBS: tuple[Verb, ...] = get_args(Verb)


class Refused(InspectorError):
    """A transition that is not allowed; ``reason`` says why and what is left to do."""

    def __init__(self, memory: Memory, verb: str, reason: str) -> None:
        super().__init__(_d("{verb} of memory {uid}: {reason}").format(verb=verb, uid=memory.uid, reason=reason))
        self.memory = memory
        self.verb = verb
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Rule:
    """One allowed transition. ``target`` None: back to the state that the quarantine was entered from."""

    verb: Verb
    source: BoundaryState
    target: BoundaryState | None
    cause: str


#: The whole table of DESIGN 9; what is not in it is refused.
TRANSITIONS: tuple[Rule, ...] = (
    Rule("archive", "active", "archived", MOVED_AWAY),
    Rule("resume", "archived", "active", RESUMED),
    Rule("forget", "active", "forgotten", REQUESTED),
    Rule("forget", "archived", "forgotten", REQUESTED),
    Rule("quarantine", "active", "quarantined", CONTAMINATION),
    Rule("quarantine", "archived", "quarantined", CONTAMINATION),
    Rule("quarantine", "forgotten", "quarantined", CONTAMINATION),
    Rule("release", "quarantined", None, RELEASED),
    Rule("forget", "quarantined", "forgotten", REQUESTED),
)
_RULE = {(rule.verb, rule.source): rule for rule in TRANSITIONS}


@dataclass(frozen=True, slots=True)
class Move:
    """An allowed transition, worked out: ``log`` is the memory's ``boundary_log`` with the new mark at its end."""

    memory: Memory
    verb: Verb
    before: BoundaryState
    after: BoundaryState
    log: list[dict[str, Any]]

    @property
    def mark(self) -> dict[str, Any]:
        """The new mark."""
        return self.log[-1]


@dataclass(frozen=True, slots=True)
class Option:
    """One verb for one memory: the state that it leads to, or None with the reason for which it is refused."""

    verb: Verb
    target: BoundaryState | None
    reason: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """A quarantine that lint proposes and only a person can make: :func:`confirm`."""

    index: int
    memory: Memory
    words: str


def standing(memory: Memory, at: Instant | None, settings: Settings) -> Standing:
    """The boundary state of a memory at an instant (None: after all marks), edits included."""
    return Timeline(memory, settings).standing(at)


def judge(state: BoundaryState, verb: Verb, came_from: BoundaryState | None = None) -> tuple[BoundaryState | None, str]:
    """Where a verb leads from a state, or None, and the reason of a refusal. ``came_from``: of a quarantined memory."""
    rule = _RULE.get((verb, state))
    if rule is not None:
        if rule.target is not None:
            return rule.target, ""
        if came_from is not None:
            return came_from, ""
        return None, _d("nothing says which state it came from: add the mark that it had before, or forget it")
    if verb == "release":
        return None, _d("it is {state}, not quarantined: there is nothing to release").format(state=state)
    if state == "quarantined":
        if verb == "quarantine":
            return None, _d("it is already quarantined: release it or forget it")
        back = _d("a state that nothing names") if came_from is None else came_from
        return None, _d("it is quarantined: it can only be released, to {back}, or forgotten").format(back=back)
    if state == "forgotten":
        return None, _d("it is already forgotten") if verb == "forget" else _d("forgotten stays forgotten")
    return None, _d("it is already {state}").format(state=state)


def judge_standing(now: Standing, verb: Verb) -> tuple[BoundaryState | None, str]:
    """:func:`judge` of a standing; one that is in doubt is refused, with what would settle it."""
    if now.state is not None:
        return judge(now.state, verb, now.came_from)
    may_be = _d(" or ").join(now.possible)
    return None, _d("its state is in doubt ({may_be}: {words})").format(may_be=may_be, words=now.words)


def options(memory: Memory, at: Instant | None, settings: Settings) -> tuple[Option, ...]:
    """Every verb with where it leads for this memory at an instant, or why it is refused."""
    now = standing(memory, at, settings)
    return tuple(Option(verb, *judge_standing(now, verb)) for verb in VERBS)


def transition(
    memory: Memory,
    verb: Verb,
    at: str | int | float,
    settings: Settings,
    *,
    cause: str | None = None,
    query_id: str | None = None,
) -> Move:
    """Work out a transition at a time. ``cause`` is the table's own where none is given.

    Raises Refused, with the reason, where the table does not allow it, where ``at`` lies before a mark or before the
    memory was stored, or where marks without a comparable time leave open which state it would follow; FieldError for
    a time that cannot be read.
    """
    if cause is not None and cause.strip().casefold().startswith(MISSING_MARKS):
        raise Refused(
            memory,
            verb,
            _("{MISSING_MARKS} are only a proposal of lint, which a person confirms").format(
                MISSING_MARKS=MISSING_MARKS
            ),
        )
    return _transition(memory, verb, at, settings, cause, query_id)


def _transition(
    memory: Memory, verb: Verb, at: str | int | float, settings: Settings, cause: str | None, query_id: str | None
) -> Move:
    if verb not in VERBS:
        raise Refused(memory, str(verb), _("is no transition: one of ") + ", ".join(VERBS))
    time = parse_time(at, "at", settings.timezone)
    line = Timeline(memory, settings)
    trouble = no_room(line, time)
    if trouble:
        raise Refused(memory, verb, trouble)
    now = line.standing(time)
    target, reason = judge_standing(now, verb)
    if target is None or now.state is None:
        raise Refused(memory, verb, reason)
    mark: dict[str, Any] = {"state": target, "at": at}
    mark["cause"] = cause if cause is not None and cause.strip() else _RULE[verb, now.state].cause
    if query_id is not None:
        mark["query_id"] = query_id
    return Move(memory, verb, now.state, target, [*(log_of(memory) or seed(line)), mark])


def no_room(line: Timeline, time: Instant) -> str:
    """Why no mark of this time can stand at the end of the log; "" where it can."""
    if line.created is not None and at_or_before(line.created, time) == Trit.NO:
        return _d("it was not stored before {iso}: give a later time").format(iso=line.created.iso())
    for mark in line.marks:
        if mark.at is None:
            return _d("its mark '{word}' has no time, so that none can follow it: give it one").format(word=mark.word)
        follows = at_or_before(mark.at, time)
        if follows == Trit.NO:
            return _d("its log has a mark at {iso}: the past is not rewritten, give that time or a later one").format(
                iso=mark.at.iso()
            )
        if follows == Trit.UNKNOWN:
            return _d("{iso} may lie before its mark at {iso2}: state the time zone").format(
                iso=time.iso(), iso2=mark.at.iso()
            )
    if line.bare is not None:
        since = line.label_time
        if since is None:
            return _d("boundary_state '{bare}' has no time, so that no mark can follow it: set status_at").format(
                bare=line.bare
            )
        if at_or_before(since, time) != Trit.YES:
            return _d("boundary_state '{bare}' speaks for {iso}: give a later time").format(
                bare=line.bare, iso=since.iso()
            )
    return ""


def seed(line: Timeline) -> list[dict[str, Any]]:
    """What a bare ``boundary_state`` said, as the first mark of a log: the log would else silence it."""
    since = line.label_time
    if line.bare is None or since is None:
        return []
    own = line.memory.value("status_at")
    return [{"state": line.bare, "at": since.iso() if own is None else own, "cause": AS_STATED}]


def unlawful(memory: Memory, settings: Settings) -> list[tuple[BoundaryMark, str]]:
    """The marks of a log that the table does not allow, each with the reason. A state repeated is no transition.

    Nothing is said where the order of the marks is not sure, or a word is none of the four states.
    """
    marks, sure = ordered(marks_of(memory, settings.timezone))
    if not sure or any(mark.word not in BOUNDARY_STATES for mark in marks):
        return []
    found: list[tuple[BoundaryMark, str]] = []
    state: BoundaryState = "active"
    came_from: BoundaryState | None = None
    forgotten = False
    for mark in marks:
        leads = {came_from if rule.target is None else rule.target for rule in TRANSITIONS if rule.source == state}
        if mark.state != state and mark.state not in leads:
            allowed = _d(" or ").join(sorted(one for one in leads if one is not None))
            found.append(
                (
                    mark,
                    _d("{state} → {state2} is not allowed, only {allowed}").format(
                        state=state, state2=mark.state, allowed=allowed
                    ),
                )
            )
        if mark.state == "quarantined" and state != "quarantined":
            came_from = "forgotten" if forgotten else state
        forgotten |= mark.state == "forgotten"
        state = mark.state
    return found


def propose_marks(memories: Sequence[Memory], settings: Settings) -> list[Proposal]:
    """Quarantines that lint proposes: memories without any boundary mark in a store that keeps marks (DESIGN 9)."""
    bare = [index for index, memory in enumerate(memories) if not _has_mark(memory)]
    if len(bare) == len(memories):
        return []
    words = _d("it has no boundary mark, and other memories of this store have")
    return [
        Proposal(index, memories[index], words)
        for index in bare
        if not Timeline(memories[index], settings).outside(None)
    ]


def _has_mark(memory: Memory) -> bool:
    return memory.value("boundary_log") is not None or memory.value("boundary_state") is not None


def confirm(proposal: Proposal, at: str | int | float, settings: Settings, by: str = "a person") -> Move:
    """The quarantine of a proposal, as the person who looked at it makes it. Raises Refused."""
    cause = CONFIRMED.format(by=by)
    return _transition(proposal.memory, "quarantine", at, settings, cause, None)


def moves(
    memories: Iterable[Memory],
    verb: Verb,
    at: str | int | float,
    settings: Settings,
    *,
    cause: str | None = None,
    query_id: str | None = None,
) -> tuple[list[Move], list[Refused]]:
    """One verb for a selection: the moves that are allowed, and those refused with their reasons."""
    allowed: list[Move] = []
    refused: list[Refused] = []
    for memory in memories:
        try:
            allowed.append(transition(memory, verb, at, settings, cause=cause, query_id=query_id))
        except Refused as error:
            refused.append(error)
    return allowed, refused
