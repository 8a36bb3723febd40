"""The triage queue: incidents by severity, grouped by cause, with states and notes that outlive an import (issue 5).

An incident is a query with what its trace recorded. It is known again by what its source says of it (id, question,
answer), never by edits, so that states and notes stay with it when the same export is read again, and do not pass to
another night's question of the same id.
"""

from __future__ import annotations

import enum
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from inspector.audit.audit import QueryAudit
from inspector.audit.causes import Cause
from inspector.audit.events import block
from inspector.i18n import N_, _d
from inspector.records import Query
from inspector.times import Instant
from inspector.trit import Trit

State = Literal["open", "confirmed", "dismissed", "fixed by edit"]
STATES: tuple[State, ...] = ("open", "confirmed", "dismissed", "fixed by edit")
_KIND = "triage"
#: States are kept in this many parts, so that one keypress writes little and a start reads few.
_SHARDS = "0123456789abcdef"
_FAILED = ("trace", "candidate", "verification", "assembly", "disclosure")


class Severity(enum.IntEnum):
    """How bad an incident is, the worst first (SCREENS); a broken trace stands between loss and undecided [ours]."""

    TOLD = 0
    EXPOSED = 1
    LOSS = 2
    BROKEN = 3
    UNDECIDED = 4
    NONE = 5

    @property
    def words(self) -> str:
        """The severity as data has it; people read it translated."""
        return (
            N_("excluded and disclosed"),
            N_("excluded and exposed"),
            N_("loss"),
            N_("broken trace"),
            N_("undecided"),
            N_("nothing failed"),
        )[int(self)]


@dataclass(frozen=True, slots=True)
class Incident:
    """One line of the queue. ``at`` is when it was asked; ``fixed`` says that its failure is gone with the edits."""

    identity: str
    qi: int
    query_id: str
    text: str
    principal: str
    stages: tuple[str, ...]
    severity: Severity
    proof: tuple[str, ...]
    cause: Cause
    at: Instant | None
    kept: State = "open"
    note: str = ""
    fixed: bool = False

    @property
    def state(self) -> State:
        """The state in force: one that was set, but "fixed by edit" where the edits in force mended it."""
        return "fixed by edit" if self.fixed and self.kept in ("open", "confirmed") else self.kept


@dataclass(frozen=True, slots=True)
class Group:
    """Incidents that share a cause, the worst first."""

    cause: Cause
    incidents: tuple[Incident, ...]

    @property
    def words(self) -> str:
        """The group in a line: ``14 share: no namespace, from source crm``."""
        count = len(self.incidents)
        return (
            _d("{count:,} share: {words}").format(count=count, words=self.cause.words)
            if count > 1
            else f"1: {self.cause.words}"
        )


def identity_of(query: Query) -> str:
    """What an incident is known by again: a digest of the source's id, question and answer."""
    recorded = query.fields.get("recorded")
    answer = recorded.get("answer") if isinstance(recorded, dict) else None
    parts = [query.id, str(query.fields.get("text")), answer if isinstance(answer, str) else None]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def severity_of(audit: QueryAudit) -> Severity:
    """How bad an audited query is."""
    excluded = [row for row in audit.rows if row.verdict == Trit.NO]
    if any(row.disclosed == Trit.YES for row in excluded):
        return Severity.TOLD
    if any(row.exposed == Trit.YES for row in excluded):
        return Severity.EXPOSED
    if audit.loss.lost is not None and audit.loss.lost.low > 0:
        return Severity.LOSS
    first = audit.stages.first
    if first == "none":
        return Severity.NONE
    return Severity.UNDECIDED if first == "undecided" else Severity.BROKEN


class Keeper(Protocol):
    """Where states and notes live: a workspace."""

    def get_result(self, kind: str, key: str) -> bytes | None:
        """What is kept under the kind and key, or None."""
        ...

    def put_result(self, kind: str, key: str, payload: bytes) -> None:
        """Keep a payload; on disk when this returns."""
        ...


class Queue:
    """The incidents of a store, in order, with their states.

    ``keeper`` keeps states, notes, and the stages that an incident had when it was first seen: one that fails no more,
    with edits in force, counts as fixed by edit.
    """

    def __init__(self, incidents: Iterable[Incident], keeper: Keeper, *, edited: bool = False) -> None:
        self._keeper = keeper
        self._kept: dict[str, dict[str, Any]] = {}
        for shard in _SHARDS:
            self._kept.update(_read(keeper.get_result(_KIND, shard)))
        self._incidents: list[Incident] = []
        self._places: dict[str, int] = {}
        self.refresh(incidents, edited=edited)

    def refresh(self, incidents: Iterable[Incident], *, edited: bool) -> None:
        """Take the incidents as they are audited now; what was kept of them is laid over."""
        fresh: set[str] = set()
        laid = []
        for one in incidents:
            kept = self._kept.get(one.identity)
            if kept is None:
                kept = self._kept[one.identity] = {"state": "open", "note": "", "seen": list(one.stages)}
                fresh.add(one.identity[0])
            laid.append(self._laid(one, kept, edited))
        self._incidents = sorted(laid, key=_order)
        self._places = {one.identity: place for place, one in enumerate(self._incidents)}
        self._save(fresh)

    @staticmethod
    def _laid(one: Incident, kept: Mapping[str, Any], edited: bool) -> Incident:
        failed = any(stage in _FAILED or stage == "undecided" for stage in kept["seen"])
        fixed = edited and failed and one.stages == ("none",)
        return replace(one, kept=kept["state"], note=kept["note"], fixed=fixed)

    @property
    def incidents(self) -> Sequence[Incident]:
        """All of them, the worst first, then the latest; what is done with comes last."""
        return self._incidents

    def get(self, identity: str) -> Incident:
        """One incident. Raises KeyError where there is none."""
        return self._incidents[self._places[identity]]

    def counts(self) -> dict[State, int]:
        """How many incidents are in each state."""
        out: dict[State, int] = dict.fromkeys(STATES, 0)
        for one in self._incidents:
            out[one.state] += 1
        return out

    def where(
        self,
        *,
        states: Iterable[State] | None = None,
        stages: Iterable[str] | None = None,
        severities: Iterable[Severity] | None = None,
        text: str = "",
    ) -> list[Incident]:
        """The incidents of these states, stages and severities whose question, ids or note hold a text."""
        wanted = text.casefold()
        allowed, named = set(states or STATES), set(stages or ())
        grades = set(severities) if severities is not None else None
        return [
            one
            for one in self._incidents
            if one.state in allowed
            and (not named or named.intersection(one.stages))
            and (grades is None or one.severity in grades)
            and (
                not wanted or any(wanted in part.casefold() for part in (one.query_id, one.text, one.note, *one.proof))
            )
        ]

    def groups(self, incidents: Iterable[Incident] | None = None) -> list[Group]:
        """The incidents by cause: groups by their worst, then by size."""
        found: dict[str, list[Incident]] = {}
        for one in self._incidents if incidents is None else incidents:
            found.setdefault(one.cause.key, []).append(one)
        made = [Group(members[0].cause, tuple(members)) for members in found.values()]
        return sorted(made, key=lambda group: (min(one.severity for one in group.incidents), -len(group.incidents)))

    def beside(self, identity: str, step: Literal[1, -1], among: Sequence[Incident] | None = None) -> Incident | None:
        """The next (1) or previous (-1) incident of those shown, or of all; None at the end.

        An incident that is not among those shown any more, its state having changed, is left from where it stood.
        """
        shown = self._incidents if among is None else among
        here = next((place for place, one in enumerate(shown) if one.identity == identity), None)
        if here is None:
            mine = self._places.get(identity, -1)
            later = [place for place, one in enumerate(shown) if self._places[one.identity] > mine]
            here = (later[0] if later else len(shown)) - (1 if step > 0 else 0)
        place = here + step
        return shown[place] if 0 <= place < len(shown) else None

    def set_state(self, identities: Iterable[str], state: State) -> None:
        """Set the state of some incidents, on disk when this returns; they keep their places until a refresh."""
        self._change(identities, "state", state)

    def set_note(self, identity: str, note: str) -> None:
        """Set an incident's note; on disk when this returns."""
        self._change([identity], "note", note)

    def _change(self, identities: Iterable[str], name: Literal["state", "note"], value: str) -> None:
        touched = set()
        for identity in identities:
            place = self._places[identity]
            self._kept[identity][name] = value
            one = self._incidents[place]
            kept = self._kept[identity]
            self._incidents[place] = replace(one, kept=kept["state"], note=kept["note"])
            touched.add(identity[0])
        self._save(touched)

    def _save(self, shards: Iterable[str]) -> None:
        for shard in sorted(shards):
            held = {identity: kept for identity, kept in self._kept.items() if identity[0] == shard}
            payload = json.dumps(held, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
            self._keeper.put_result(_KIND, shard, payload)


def _order(one: Incident) -> tuple[bool, int, int, str]:
    done = one.state in ("dismissed", "fixed by edit")
    return done, int(one.severity), -(one.at.us if one.at is not None else 0), one.query_id


def _read(payload: bytes | None) -> dict[str, dict[str, Any]]:
    """What a shard holds; entries that are not of our making are passed over."""
    if payload is None:
        return {}
    try:
        held = json.loads(payload.decode("utf-8", "surrogatepass"))
    except ValueError:
        return {}
    out = {}
    for identity, kept in held.items() if isinstance(held, dict) else ():
        if isinstance(kept, dict) and kept.get("state") in STATES and isinstance(kept.get("note"), str):
            seen = kept.get("seen")
            out[identity] = {**kept, "seen": seen if isinstance(seen, list) else []}
    return out


def recorded_at(query: Query) -> Any:
    """When the trace says that the query was answered, else None: for the age of an incident."""
    traced = block(query)
    return traced.get("answer_at") or next(
        (event.get("at") for event in traced.get("events") or () if isinstance(event, dict) and event.get("at")), None
    )
