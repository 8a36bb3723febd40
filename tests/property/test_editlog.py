"""The edit log: the state kept up to date equals the one worked out from the log, and means what it should."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from inspector.records import ABSENT, Uid
from inspector.store import UNEDITED, Change, EditLog, Key, Step, Workspace
from inspector.store.codec import encode_cell

KEYS = [
    Key("memory", Uid('"a"', "m1"), "status"),
    Key("memory", Uid('"a"', "m1"), "owner\x1b'\ud800"),
    Key("memory", Uid("", "m1"), "status"),
    Key("query", ("m1",), "status"),
    Key("judgment", ("q", '"a"', "m1"), "scope"),
    Key("setting", (), "isolation"),
]
VALUES: list[Any] = [ABSENT, None, "", [], {}, 0, False, "active", math.nan, 2**80, "\0\ud800", ["x"], {"k": None}, 1.0]
CHANGES = st.lists(
    st.tuples(st.sampled_from(KEYS), st.sampled_from(VALUES)),
    min_size=1,
    max_size=30,
    unique_by=lambda change: change[0],
)

#: One edit in force: its seq, its field, its value as text.
Standing = tuple[tuple[int, Key, str | None], ...]


def _cell(value: Any) -> Any:
    return UNEDITED if value is UNEDITED else encode_cell(value)


class Log(RuleBasedStateMachine):
    """The oracle keeps a snapshot of the edits in force before each step: undo is going back to the one before."""

    folder: Path
    numbers = itertools.count()

    @initialize()
    def start(self) -> None:
        self.path = self.folder / f"{next(self.numbers)}.duckdb"
        self.workspace = Workspace.open(self.path)
        self.log = EditLog(self.workspace)
        self.now: Standing = ()
        self.before: list[Standing] = []
        self.after: list[Standing] = []
        self.next_seq = 1

    def teardown(self) -> None:
        if hasattr(self, "workspace"):
            self.workspace.close()
            self.path.unlink()

    def _shown(self) -> dict[Key, str | None]:
        return {key: cell for _, key, cell in self.now}

    def _step(self, then: Standing) -> None:
        self.before.append(self.now)
        self.after.clear()
        self.now = then

    def _check(self, step: Step, before: dict[Key, str | None]) -> None:
        """Every field that shows another value is told of, with the right values."""
        now = self._shown()
        for shift in step.shifts:
            assert _cell(shift.before) == before.get(shift.key, UNEDITED)
            assert _cell(shift.after) == now.get(shift.key, UNEDITED)
        told = {shift.key for shift in step.shifts}
        assert all(key in told for key in {*before, *now} if before.get(key, UNEDITED) != now.get(key, UNEDITED))

    @rule(changes=CHANGES)
    def edit(self, changes: list[tuple[Key, Any]]) -> None:
        shown = self._shown()
        values = self.log.overlay()
        step = self.log.append([Change(*key, values.get(key, "source"), value) for key, value in changes])
        new = [(self.next_seq + i, key, encode_cell(value)) for i, (key, value) in enumerate(changes)]
        self.next_seq += len(changes)
        self._step((*self.now, *new))
        self._check(step, shown)

    @rule()
    def undo(self) -> None:
        shown = self._shown()
        step = self.log.undo()
        assert (step is not None) == bool(self.before)
        if step is not None:
            self.next_seq += 1
            self.after.append(self.now)
            self.now = self.before.pop()
            self._check(step, shown)

    @rule()
    def redo(self) -> None:
        shown = self._shown()
        step = self.log.redo()
        assert (step is not None) == bool(self.after)
        if step is not None:
            self.next_seq += 1
            self.before.append(self.now)
            self.now = self.after.pop()
            self._check(step, shown)

    @precondition(lambda self: self.now)
    @rule(data=st.data())
    def revert(self, data: st.DataObject) -> None:
        seqs = data.draw(
            st.lists(st.sampled_from([seq for seq, _, _ in self.now]), min_size=1, max_size=3, unique=True)
        )
        shown = self._shown()
        step = self.log.revert(seqs)
        self.next_seq += len(seqs)
        self._step(tuple(edit for edit in self.now if edit[0] not in seqs))
        self._check(step, shown)

    @precondition(lambda self: self.now)
    @rule()
    def revert_all(self) -> None:
        shown = self._shown()
        step = self.log.revert_all()
        self.next_seq += len(self.now)
        self._step(())
        self._check(step, shown)

    @rule()
    def reopen(self) -> None:
        self.workspace.close()
        self.workspace = Workspace.open(self.path)
        self.log = EditLog(self.workspace)

    @invariant()
    def same_state(self) -> None:
        if not hasattr(self, "log"):
            return
        kept = {key: encode_cell(value) for key, value in self.log.overlay().items()}
        derived = {key: encode_cell(value) for key, value in self.log.state().items()}
        assert kept == derived == self._shown()
        assert self.log.can_undo == bool(self.before)
        assert self.log.can_redo == bool(self.after)
        edits = [entry for entry in self.log.entries() if entry.action == "do"]
        assert [entry.seq for entry in edits if entry.active] == [seq for seq, _, _ in self.now]
        # Every edit's old value was "source" or an edit's: the base under all of them is the source's.
        assert all(edit.old == "source" for edit in self.log.effective())


def test_the_state_equals_its_derivation(tmp_path: Path) -> None:
    Log.folder = tmp_path
    run_state_machine_as_test(Log, settings=settings(max_examples=15, stateful_step_count=20, deadline=None))
