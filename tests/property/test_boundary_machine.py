"""The boundary states as a machine: no unlisted transition, no lost history, forgotten stays forgotten (DESIGN 9).

The oracle is a set of pairs written down from the table and a list of logs; it shares no code with the product.
"""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from inspector.axes.engine import AxisEngine
from inspector.records import ABSENT, Memory, Origin, Query, Settings
from inspector.store import UNEDITED, Change, EditLog, Step, Workspace
from inspector.store.boundary import VERBS, Refused, options, standing, transition
from inspector.store.replay import replay
from inspector.times import parse_time

PLAIN = Settings()
STATES = ("active", "archived", "forgotten", "quarantined")
#: DESIGN 9, pair by pair. Out of quarantine: to forgotten, or to what it was; checked with the history below.
ALLOWED = {
    ("active", "archived"),
    ("archived", "active"),
    ("active", "forgotten"),
    ("archived", "forgotten"),
    ("active", "quarantined"),
    ("archived", "quarantined"),
    ("forgotten", "quarantined"),
    ("quarantined", "active"),
    ("quarantined", "archived"),
    ("quarantined", "forgotten"),
}
START = datetime(2026, 1, 1, tzinfo=UTC)


def hour(number: int) -> str:
    return (START + timedelta(hours=number)).isoformat()


def lifecycle(memory: Memory, now: str) -> tuple[str, str]:
    """The lifecycle axis for a question about the present and for one about the past."""
    asked = [
        Query({"id": intent, "text": "?", "intent": intent, "as_of": now}, Origin("q", 1))
        for intent in ("current", "history")
    ]
    values = AxisEngine([memory], asked, [], PLAIN).lifecycle(np.array([0]), np.array([0, 1]))
    return "0?1"[int(values[0])], "0?1"[int(values[1])]


class Machine(RuleBasedStateMachine):
    """One memory, its log edited by verbs, undone and redone, deleted outside the log at some point."""

    folder: Path
    numbers = itertools.count()

    @initialize(recorded=st.lists(st.sampled_from(STATES), max_size=3), verbs=st.data())
    def start(self, recorded: list[str], verbs: st.DataObject) -> None:
        self.path = self.folder / f"{next(self.numbers)}.duckdb"
        self.workspace = Workspace.open(self.path)
        self.edits = EditLog(self.workspace)
        self.clock = 0
        self.source = [{"state": state, "at": hour(self._tick())} for state in recorded]
        fields: dict[str, Any] = {"id": "m", "text": "t", "created_at": hour(0), "status": "active"}
        if self.source:
            fields["boundary_log"] = self.source
        self.memory = Memory(fields, Origin("memories.jsonl", 1))
        self.deleted = False
        self.states: list[list[str]] = [recorded]  # the words of the log, one list for each edit in force
        self.undone: list[list[str]] = []

    def teardown(self) -> None:
        if hasattr(self, "workspace"):
            self.workspace.close()
            self.path.unlink()

    def _tick(self) -> int:
        self.clock += 1
        return self.clock

    def _lay(self, step: Step | None) -> None:
        for shift in step.shifts if step is not None else ():
            if shift.after is UNEDITED:
                self.memory.edits.pop(shift.field, None)
            else:
                self.memory.edits[shift.field] = shift.after

    def _words(self) -> list[str]:
        return [mark["state"] for mark in self.memory.value("boundary_log") or []]

    def _state(self) -> str:
        """What the words of the log alone say, by the oracle."""
        words = self._words()
        return words[-1] if words else "active"

    @rule(verb=st.sampled_from(VERBS))
    def move(self, verb: Any) -> None:
        now = hour(self._tick())
        before, words = self._state(), self._words()
        if self.deleted and before != "quarantined":
            before = "forgotten"
        offered = {option.verb: option for option in options(self.memory, parse_time(now, "at"), PLAIN)}
        if offered[verb].target is None:
            with pytest.raises(Refused) as refused:
                transition(self.memory, verb, now, PLAIN, cause="by hand", query_id="q")
            assert refused.value.reason == offered[verb].reason != ""
            return
        done = transition(self.memory, verb, now, PLAIN, cause="by hand", query_id="q")
        assert done.before == before
        assert (before, done.after) in ALLOWED
        assert offered[verb].target == done.after
        was_forgotten = self.deleted or "forgotten" in words
        if was_forgotten:
            assert done.after in ("forgotten", "quarantined") or before in ("active", "archived")
        if before == "quarantined" and verb == "release":
            earlier = [word for word in words if word != "quarantined"]
            assert done.after == ("forgotten" if was_forgotten else earlier[-1] if earlier else "active")
        # History is kept: the log before is the new log's head, mark for mark.
        assert done.log[:-1] == (self.memory.value("boundary_log") or [])
        assert done.log[-1] == {"state": done.after, "at": now, "cause": "by hand", "query_id": "q"}
        self._lay(
            self.edits.append(
                [Change("memory", self.memory.uid, "boundary_log", self.memory.get("boundary_log"), done.log)]
            )
        )
        self.states.append([*words, done.after])
        self.undone.clear()

    @rule()
    def undo(self) -> None:
        step = self.edits.undo()
        self._lay(step)
        if step is not None:
            self.undone.append(self.states.pop())

    @rule()
    def redo(self) -> None:
        step = self.edits.redo()
        self._lay(step)
        if step is not None:
            self.states.append(self.undone.pop())

    @rule()
    def delete(self) -> None:
        """The store deletes it, outside the log; from then on nothing makes it active."""
        if not self.deleted:
            self.deleted = True
            self.memory.rewrite({**self.memory.fields, "deleted_at": hour(self._tick())})

    @invariant()
    def what_the_axis_reads(self) -> None:
        if not hasattr(self, "memory"):
            return
        assert self._words() == self.states[-1]
        assert (self.memory.get("boundary_log") is ABSENT) == (not self.states[-1])
        now = hour(self.clock)
        state = self._state()
        if self.deleted and state != "quarantined":
            state = "forgotten"
        assert standing(self.memory, parse_time(now, "at"), PLAIN).state == state
        expected = {"active": ("1", "1"), "archived": ("0", "1"), "forgotten": ("0", "0"), "quarantined": ("0", "0")}
        assert lifecycle(self.memory, now) == expected[state]


def test_no_unlisted_transition_and_no_lost_history(tmp_path: Path) -> None:
    Machine.folder = tmp_path
    run_state_machine_as_test(Machine, settings=settings(max_examples=20, stateful_step_count=16, deadline=None))


TAGS = st.sampled_from(["a", "b", None])


@st.composite
def session(draw: st.DrawFn) -> tuple[list[Memory], list[Query]]:
    memories = []
    for number in range(draw(st.integers(1, 4))):
        marks = [
            {"state": draw(st.sampled_from(STATES)), "at": hour(at), "cause": "recorded"}
            for at in draw(st.lists(st.integers(0, 12), max_size=3))
        ]
        fields: dict[str, Any] = {"id": f"m{number}", "text": "t", "session_id": "s", "created_at": hour(0)}
        fields |= {"semantic_tag": draw(TAGS)}
        if marks:
            fields["boundary_log"] = marks
        if draw(st.booleans()):
            fields["deleted_at"] = hour(draw(st.integers(0, 12)))
        memories.append(Memory(fields, Origin("m", number)))
    queries = [
        Query(
            {"id": f"q{number}", "text": "?", "session_id": "s", "semantic_tag": draw(TAGS), "as_of": hour(at)},
            Origin("q", number),
        )
        for number, at in enumerate(draw(st.lists(st.integers(0, 12), min_size=1, max_size=6)))
    ]
    return memories, queries


@given(session(), st.randoms(use_true_random=False))
def test_replay_has_one_result_and_loses_no_mark(found: tuple[list[Memory], list[Query]], rng: Any) -> None:
    memories, queries = found
    run = replay(memories, queries, "s", PLAIN)
    turned, asked = memories[:], queries[:]
    rng.shuffle(turned)
    rng.shuffle(asked)
    again = replay(turned, asked, "s", PLAIN)
    assert [(lane.memory.id, lane.segments, lane.kept) for lane in run.lanes] == [
        (lane.memory.id, lane.segments, lane.kept) for lane in again.lanes
    ]
    assert {turned[i].id: log for i, log in again.logs.items()} == {memories[i].id: log for i, log in run.logs.items()}
    for index, log in run.logs.items():
        memory = memories[index]
        recorded = memory.fields.get("boundary_log", [])
        assert [mark for mark in log if mark["cause"] == "recorded"] == recorded
        made = [mark for mark in log if mark["cause"] != "recorded"]
        assert {mark["state"] for mark in made} <= {"active", "archived"}
        if "deleted_at" in memory.fields:
            assert all(parse_time(mark["at"], "").us < parse_time(memory.fields["deleted_at"], "").us for mark in made)
    for lane in run.lanes:
        # The axis reads from the new log what the lane shows.
        lane.memory.edits["boundary_log"] = run.logs.get(lane.index, lane.memory.get("boundary_log"))
        if lane.memory.edits["boundary_log"] is ABSENT:
            del lane.memory.edits["boundary_log"]
        for at in range(13):
            segment = lane.at(parse_time(hour(at), "at"))
            assert segment is not None
            assert segment.state == standing(lane.memory, parse_time(hour(at), "at"), PLAIN).state
