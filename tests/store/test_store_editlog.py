"""Edits: on disk when made, undone and redone without limit, reverted one by one."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from inspector.errors import InspectorError
from inspector.records import ABSENT, Uid
from inspector.store import UNEDITED, Change, EditLog, Key, Step, Workspace
from inspector.trit import Trit

M1, M2 = Uid('"n"', "m1"), Uid('"n"', "m2")
STATUS = Key("memory", M1, "status")


def change(new: Any, old: Any = "active", target: Uid = M1, field: str = "status") -> Change:
    return Change("memory", target, field, old, new)


def values(step: Step | None) -> list[tuple[Any, Any]]:
    assert step is not None
    return [(shift.before, shift.after) for shift in step.shifts]


@pytest.fixture
def workspace(tmp_path: Path) -> Any:
    with Workspace.open(tmp_path / "w.duckdb") as opened:
        yield opened


def test_a_step_says_what_changed(workspace: Workspace) -> None:
    log = EditLog(workspace)
    assert values(log.append([change("stale")])) == [(UNEDITED, "stale")]
    assert values(log.append([change(ABSENT, "stale"), change(None, ABSENT, M2)])) == [
        ("stale", ABSENT),
        (UNEDITED, None),
    ]
    assert values(log.undo()) == [(ABSENT, "stale"), (None, UNEDITED)]
    assert values(log.undo()) == [("stale", UNEDITED)]
    assert log.undo() is None
    assert values(log.redo()) == [(UNEDITED, "stale")]
    assert values(log.append([change("archived", "stale")])) == [("stale", "archived")]
    assert log.redo() is None
    assert log.append([]).shifts == ()


def test_undo_goes_on_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "w.duckdb"
    with Workspace.open(path) as workspace:
        log = EditLog(workspace)
        for word in ("one", "two", "three"):
            log.append([change(word)])
        log.undo()
    with Workspace.open(path) as workspace:
        log = EditLog(workspace)
        assert log.overlay() == {STATUS: "two"}
        assert (log.can_undo, log.can_redo) == (True, True)
        assert values(log.redo()) == [("two", "three")]
        assert [values(log.undo())[0][1] for _ in range(3)] == ["two", "one", UNEDITED]
        assert (log.can_undo, log.can_redo) == (False, True)


def test_reverting_shows_the_edit_that_is_left(workspace: Workspace) -> None:
    log = EditLog(workspace)
    for old, new in (("active", "one"), ("one", "two"), ("two", "three")):
        log.append([change(new, old)])
    # The newest one: the one before it shows.
    assert values(log.revert(3)) == [("three", "two")]
    # An older one that another covers: nothing to see, but it is out from now on.
    assert values(log.revert(1)) == []
    # So that the source's value shows when the last goes, not the value that the last replaced.
    assert values(log.revert(2)) == [("two", UNEDITED)]
    assert values(log.undo()) == [(UNEDITED, "two")]
    assert values(log.undo()) == []
    assert values(log.undo()) == [("two", "three")]
    assert [entry.status for entry in log.entries()] == ["in force"] * 3 + ["undone"] * 3


def test_a_revert_can_be_reverted(workspace: Workspace) -> None:
    log = EditLog(workspace)
    log.append([change("one")])
    revert = log.revert(1)
    assert log.overlay() == {}
    assert values(log.revert(2)) == [(UNEDITED, "one")]
    assert [entry.status for entry in log.entries()] == ["in force", "reverted", "in force"]
    assert values(log.revert_group(revert.group)) == []  # already out
    assert values(log.revert(3)) == [("one", UNEDITED)]
    assert log.state() == log.overlay() == {}


def test_what_cannot_be_reverted_is_said(workspace: Workspace) -> None:
    log = EditLog(workspace)
    log.append([change("one")])
    log.append([change("two", "one")])
    log.revert(2)
    with pytest.raises(InspectorError, match="edit 2 cannot be reverted: it is already reverted"):
        log.revert([1, 2])
    with pytest.raises(InspectorError, match="there is no edit 99"):
        log.revert(99)
    with pytest.raises(InspectorError, match="there is no group of edits 99"):
        log.revert_group(99)
    log.undo()
    log.undo()
    with pytest.raises(InspectorError, match="it is already undone"):
        log.revert(2)
    log.append([change("three", "one")])
    with pytest.raises(InspectorError, match="it is already discarded"):
        log.revert(2)
    assert log.overlay() == {STATUS: "three"}


def test_reverting_all_is_one_step(workspace: Workspace) -> None:
    log = EditLog(workspace)
    log.append([change("one"), change("one", target=M2)])
    log.append([change("two", "one")])
    before = log.overlay()
    assert len(log.revert_all().shifts) == 2
    assert log.overlay() == {}
    assert log.effective() == []
    assert log.revert_all().shifts == ()
    log.undo()
    assert log.overlay() == before


def test_a_large_selection_is_one_group(workspace: Workspace) -> None:
    log = EditLog(workspace)
    step = log.append([change(i, target=Uid("", str(i))) for i in range(3_000)])
    assert len(step.shifts) == 3_000
    again = EditLog(workspace)
    assert again.overlay() == log.overlay() == again.state()
    assert len(again) == 3_000
    undone = again.undo()
    assert undone is not None
    assert undone.group == step.group
    assert again.overlay() == {}


def test_the_list_keeps_everything(workspace: Workspace) -> None:
    ticks = iter(
        datetime(2026, 3, 1, 9, 0, tzinfo=timezone(timedelta(hours=9))) + timedelta(seconds=i) for i in range(9)
    )
    log = EditLog(workspace, clock=lambda: next(ticks))
    log.append([change(ABSENT, "active"), change(None, ABSENT, field="source")])
    log.undo()
    log.append([Change("judgment", ("q1", '"n"', "m1"), "scope", None, Trit.UNKNOWN)])
    log.append([Change("setting", (), "isolation", "namespace", "session")])
    log.append([Change("query", ("q1",), "as_of", ABSENT, "2026-01-01")])
    log.revert(4)
    entries = EditLog(workspace).entries()
    assert [(entry.seq, entry.group, entry.action, entry.status) for entry in entries] == [
        (1, 1, "do", "discarded"),
        (2, 1, "do", "discarded"),
        (4, 3, "do", "reverted"),
        (5, 4, "do", "in force"),
        (6, 5, "do", "in force"),
        (7, 6, "revert", "in force"),
    ]
    assert entries[0].new is ABSENT
    assert (entries[1].old, entries[1].new) == (ABSENT, None)
    # Seoul is nine hours ahead.
    assert entries[0].made_at == "2026-03-01T00:00:00.000000Z"
    assert (entries[2].target, entries[2].new) == (("q1", '"n"', "m1"), "?")
    assert (entries[5].ref, entries[5].old, entries[5].new) == (4, "?", None)
    assert isinstance(entries[0].target, Uid)


def test_effective_edits_name_the_sources_value(workspace: Workspace) -> None:
    log = EditLog(workspace)
    log.append([change("one", "active")])
    log.append([change("two", "one")])
    log.append([change("active", "x", target=M2)])
    log.append([change("x", "active", target=M2)])  # back to what the source says
    assert [(edit.target, edit.old, edit.new) for edit in log.effective()] == [(M1, "active", "two")]
    log.undo()
    log.undo()
    log.undo()
    log.undo()
    # The source has changed meanwhile: a first edit takes its new value as the one below.
    log.append([change("three", "quarantined")])
    assert [edit.old for edit in log.effective()] == ["quarantined"]
