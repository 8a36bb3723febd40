"""The decision layer on the Inspect screen: columns, query line, edits that move decisions, pool, calibration."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from inspector.inspection import demo_folder
from inspector.mdl import Action
from inspector.ui.screens.inspect_dialogs import LinesDialog
from inspector.ui.widgets import mdl_signs

OpenBench = Callable[..., AbstractAsyncContextManager[Any]]


def figures(b: Any) -> str:
    """The query line, as it is copied."""
    return str(b.screen.bundle_bar.copy_text())


def cell(b: Any, memory_id: str, column: str) -> str:
    """A candidate's cell."""
    pane = b.screen.candidate_pane
    row = next(row for row in pane.list.rows if row.memory_id == memory_id)
    return str(b.line(row.mi)[list(pane.list.columns).index(column)])


async def test_columns_and_query_line(demo_bench: OpenBench) -> None:
    async with demo_bench("adoption", size=(200, 60)) as b:
        b.screen.candidate_pane.styles.width = 130
        await b.settle()
        # The README's figures of the store: M .81, R .08, A .85, by its own calibration.
        assert "MDL ○ Opt-Out ◥  M .81 R .08 A .85 → C .36 α .78  calibrated  2 conflicting pairs" in figures(
            b
        ).replace("\n", "  ")
        assert cell(b, "butter-chat", "C") == ".36"
        assert cell(b, "butter-chat", "alpha") == ".78"
        assert cell(b, "butter-chat", "action") == "○ Opt-Out ◥"
        # Its M is low: no corner, for all that A is the query's.
        assert cell(b, "basil-garden", "action") == "○ Opt-Out"


async def test_uncalibrated_is_said(demo_bench: OpenBench) -> None:
    async with demo_bench("adoption", uncalibrated=True) as b:
        assert "MDL ◔ Silent ◥" in figures(b)
        assert "uncalibrated" in figures(b)
        await b.press("K")  # the calibration that the store brings is at hand
        assert "MDL ○ Opt-Out" in figures(b)
        assert "calibrated by adoption: Silent → Opt-Out" in b.says
        await b.press("K")
        assert "uncalibrated: Opt-Out → Silent" in b.says


async def test_an_edit_that_excludes_a_conflicting_memory_moves_the_decision_at_once(demo_bench: OpenBench) -> None:
    async with demo_bench("adoption", size=(200, 60)) as b:
        b.screen.candidate_pane.styles.width = 130
        await b.press("P")
        assert "pool not-excluded" in figures(b)
        # Two right memories against the wrong one: R .08. Without it the two agree.
        before = b.inspection.mdl(b.screen.qi)
        mi = next(row.mi for row in b.screen.candidate_pane.list.rows if row.memory_id == "butter-chat")
        b.inspection.edit("memory", [mi], "status", "archived")
        await b.settle()
        after = b.inspection.mdl(b.screen.qi)
        assert after is not None
        assert before is not None
        assert (before.query.action, len(before.signals.R.conflicts)) == (Action.OPT_OUT, 2)
        assert after.signals.R.conflicts == ()
        assert after.query.R > before.query.R + 0.5
        assert after.query.action is not before.query.action
        word = mdl_signs.ACTION_SIGNS[after.query.action][0] + " " + after.query.action.word
        assert f"MDL ○ Opt-Out → {word}" in figures(b)
        assert "R .08→" in figures(b)
        assert "C .36→" in figures(b)
        sign = mdl_signs.ACTION_SIGNS[after.query.action][0]
        assert cell(b, "butter-nurse", "action").startswith(f"○→{sign}")
        assert b.verdicts()["butter-chat"] == "exclude"
        # Looked at: going to another query and back takes the marks away.
        await b.press("n")
        await b.press("p")
        assert f"MDL {word}" in figures(b)
        assert "→" not in cell(b, "butter-nurse", "action")
        # Undo brings the conflict back, at once too.
        await b.press("u")
        assert "R .08" not in figures(b).split("→")[0]
        assert "2 conflicting pairs" in figures(b)


async def test_columns_sort_and_lead_to_the_tab(demo_bench: OpenBench) -> None:
    async with demo_bench("adoption", size=(200, 60)) as b:
        b.screen.candidate_pane.styles.width = 130
        await b.settle()
        pane = b.screen.candidate_pane
        pane.sort("C")
        values = [row.mdl.C for row in pane.list.shown]
        assert values == sorted(values, reverse=True)
        pane.sort("action")
        finals = [row.mdl.C_final for row in pane.list.shown]
        assert finals == sorted(finals, reverse=True)
        pane.grid.focus()
        while pane.grid.cursor_column != "action":
            await b.press("right")
        await b.press("enter")
        assert b.screen.detail.active == "mdl"
        assert b.screen.mdl.reader.has_focus


async def test_a_narrow_table_keeps_the_sign_of_the_action(demo_bench: OpenBench) -> None:
    async with demo_bench("adoption", size=(80, 24)) as b:
        assert b.screen.candidate_pane.list.terse
        assert cell(b, "butter-chat", "action") == "○◥"
        # Confidence and alignment are there, behind the text.
        assert list(b.screen.candidate_pane.list.columns)[-2:] == ["C", "alpha"]
        assert "MDL ○ Opt-Out" in b.seen()
        assert "○◥" in b.seen()


async def test_a_calibration_is_loaded_from_a_file_and_a_bad_one_refused(demo_bench: OpenBench) -> None:
    async with demo_bench("anniversary") as b:
        assert "uncalibrated" in figures(b)
        await b.press("K")
        assert "no calibration is loaded" in b.says
        await b.press("B")
        dialog = b.app.screen
        assert isinstance(dialog, LinesDialog)
        await b.write(str(demo_folder("anniversary") / "bundle.toml"))
        await b.press("ctrl+s")
        assert b.app.screen is dialog
        assert "is no calibration" in b.seen()
        dialog.query_one("SafeTextArea").clear()
        await b.write(str(demo_folder("adoption") / "calibration.toml"))
        await b.press("ctrl+s")
        assert b.app.screen is b.screen
        assert b.inspection.params.calibration == "adoption"
        assert "uncalibrated" not in figures(b)


async def test_without_vectors_mdl_is_null_and_says_the_way(demo_bench: OpenBench) -> None:
    async with demo_bench("korean-hotel") as b:
        assert "MDL null: no vectors" in figures(b)
        b.screen.detail.go_to("mdl", focus=True)
        await b.settle()
        plain = b.screen.mdl.reader.plain()
        assert "mdl null" in plain
        assert "encode the texts for the decisions" in plain
        assert b.inspection.candidates(0)[0].mdl is None


async def test_long_texts_are_read_in_a_worker(demo_bench: OpenBench, monkeypatch: pytest.MonkeyPatch) -> None:
    go = threading.Event()
    async with demo_bench("adoption") as b:
        monkeypatch.setattr(b.inspection.deciding, "is_quick", lambda _mis: False)
        read = b.inspection.deciding.read

        def slowly(question: Any) -> Any:
            assert threading.current_thread() is not threading.main_thread()
            go.wait(10)
            return read(question)

        monkeypatch.setattr(b.inspection.deciding, "read", slowly)
        await b.press("n")
        assert "MDL reading the texts" in figures(b)
        assert cell(b, "ibuprofen-chat", "action") == "–"
        go.set()
        await b.until(lambda: "MDL ○ Opt-Out" in figures(b))
        assert cell(b, "ibuprofen-chat", "action") == "○◥"


async def test_the_workspace_keeps_the_calibration(tmp_path: Path) -> None:
    from inspector.inspection import OpenOptions, open_sources

    kept = tmp_path / "kept.duckdb"
    calibration = demo_folder("adoption") / "calibration.toml"
    source = [demo_folder("anniversary")]
    for options, expected in (
        (OpenOptions(workspace=kept, calibration=calibration), "adoption"),
        (OpenOptions(workspace=kept), "adoption"),
        (OpenOptions(workspace=kept, uncalibrated=True), None),
        (OpenOptions(workspace=kept), None),
    ):
        with open_sources(source, options) as inspection:
            assert inspection.params.calibration == expected
