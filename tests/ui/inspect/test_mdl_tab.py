"""The MDL tab: sliders that answer at once and go back, ruler, plots, conflicts, switches, constants, mouse."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from inspector.errors import FieldError
from inspector.mdl import AUDIT_NOTE, PARAM_SPECS, Calibration, Params, Switches, decide, encode, load_calibration
from inspector.requests import demo_folder
from inspector.ui.screens.inspect_dialogs import LinesDialog
from inspector.ui.widgets import mdl_plots
from inspector.ui.widgets.mdl_constants import hint, read_constant, show_constant, usual
from inspector.ui.widgets.mdl_items import BAR_AT, Constant, Slider, Toggle, bar_cells, ruler, slider_bar
from inspector.ui.widgets.why import FieldChoice

OpenBench = Callable[..., AbstractAsyncContextManager[Any]]


def calibration() -> Calibration:
    """The calibration of the bundled store."""
    return load_calibration(demo_folder("adoption") / "calibration.toml")


async def at_tab(b: Any) -> Any:
    """The tab in sight, with the focus and the plots."""
    b.screen.detail.go_to("mdl", focus=True)
    await b.until(mdl_plots.is_loaded)
    await b.settle()
    await b.until(lambda: "drawing the plots" not in b.screen.mdl.reader.plain())
    return b.screen.mdl


# ---- on the screen


async def test_everything_that_the_decision_rests_on_is_there(demo_bench: OpenBench) -> None:
    async with demo_bench("adoption") as b:
        plain = (await at_tab(b)).reader.plain()
        for words in (
            "○ Opt-Out  abstain  ◥ corner  calibrated",
            "butter-chat, its own M",
            "C .36  α .78  → C_final .31",
            "conflicting pairs  2 of 3 judged",
            "butter-chat ≠ butter-course  negation",
            "not, help  butter does not help a fresh burn",
            "3 relevant, mean cosine",
            "category 'health' is high",
            "retrieved  all retrieved: 17 of 17",
            "adoption  in force; 104 rows of labelled.csv",
            "v_wm  s 0.81",
            "v_meta  norm",
            AUDIT_NOTE,
        ):
            assert words in plain
        # Every constant, and which of them are ours.
        for spec in PARAM_SPECS:
            if spec.name != "pool":
                line = [line for line in plain.split("\n") if line.startswith(f" {spec.name} ")][-1]
                assert ("[ours]" in line) is spec.ours


async def test_sliders_answer_at_once_and_move_nothing_else(demo_bench: OpenBench) -> None:
    async with demo_bench("adoption") as b:
        tab = await at_tab(b)
        read = dict(tab.view.at)
        rows = list(b.screen.candidate_pane.list.rows)
        tab.reader.go_to(Slider("R"))
        await b.press("right", "right", "shift+right")
        assert tab.view.at["R"] == pytest.approx(round(read["R"], 2) + 0.12, abs=0.011)
        assert tab.view.slid
        at = tab.view.at
        expected = decide(at["M"], at["R"], at["A"], b.inspection.params)[0]
        assert expected is not None
        assert tab.view.action is expected.action
        assert tab.view.encoding.C_final == pytest.approx(expected.C_final, abs=1e-12)
        assert "what if" in tab.reader.plain()
        assert f"read {read['R']:.2f}".replace("0.", ".") in tab.reader.plain()
        assert b.screen.candidate_pane.list.rows == rows
        # Back: this one, then all.
        await b.press("backspace")
        assert tab.view.at == read
        await b.press("left", "down", "l")
        assert tab.view.slid
        await b.press("z")
        assert tab.view.at == read
        assert "as read" in tab.reader.plain()


async def test_sliders_stay_within_their_ends(demo_bench: OpenBench) -> None:
    async with demo_bench("adoption") as b:
        tab = await at_tab(b)
        tab.reader.go_to(Slider("A"))
        await b.press(*["shift+right"] * 3)
        assert tab.view.at["A"] == 1.0
        await b.press(*["shift+left"] * 11)
        assert tab.view.at["A"] == 0.0


async def test_the_mouse_holds_a_slider(demo_bench: OpenBench) -> None:
    async with demo_bench("adoption") as b:
        tab = await at_tab(b)
        reader = tab.reader
        y = next(n for n, item in enumerate(reader.items) if item.key == Slider("M")) - reader.scroll_offset.y
        cells = bar_cells(reader.room)
        await b.pilot.mouse_down(reader, offset=(BAR_AT, y))
        await b.settle()
        assert tab.view.at["M"] == 0.0
        await b.pilot.hover(reader, offset=(BAR_AT + cells - 1, y))
        await b.settle()
        assert tab.view.at["M"] == 1.0
        await b.pilot.mouse_up(reader, offset=(BAR_AT + cells - 1, y))
        await b.pilot.hover(reader, offset=(BAR_AT + 3, y))
        await b.settle()
        assert tab.view.at["M"] == 1.0
        assert reader.key == Slider("M")


async def test_the_decision_of_the_query_or_of_the_memory(demo_bench: OpenBench) -> None:
    async with demo_bench("adoption") as b:
        tab = await at_tab(b)
        b.screen.candidate_pane.show_memory(b.screen.candidate_pane.list.rows[3].mi)
        await b.settle()
        own = b.screen.candidate_pane.current.mdl
        assert tab.view.at["M"] == own.M
        tab.reader.go_to(Toggle("of"))
        await b.press("enter")
        query = b.inspection.mdl(b.screen.qi).query
        assert tab.view.at["M"] == query.M > own.M
        assert "the query, M of the pool's best" in tab.reader.plain()


async def test_switches_decide_the_whole_store_anew(demo_bench: OpenBench) -> None:
    async with demo_bench("adoption") as b:
        tab = await at_tab(b)
        tab.reader.go_to(Toggle("alpha_gate"))
        await b.press("enter")
        assert b.inspection.params.switches == Switches(alpha_gate=False)
        row = b.screen.candidate_pane.list.rows[0]
        assert row.mdl.C_final == row.mdl.C
        assert "ablated: no-alpha-gate" in b.screen.bundle_bar.copy_text()
        assert "MDL ablated: no-alpha-gate" in b.inspection.header()
        assert tab.reader.key == Toggle("alpha_gate")
        await b.press("backspace")
        assert b.inspection.params.switches == Switches()


async def test_the_last_signal_cannot_be_switched_off(demo_bench: OpenBench) -> None:
    async with demo_bench("adoption") as b:
        tab = await at_tab(b)
        for name in ("relevance", "reliability", "risk"):
            tab.reader.go_to(Toggle(name))
            await b.press("enter")
        assert b.inspection.params.switches.signals_on == (False, False, True)


async def test_a_constant_is_typed_refused_and_taken_back(demo_bench: OpenBench) -> None:
    async with demo_bench("adoption") as b:
        tab = await at_tab(b)
        tab.reader.go_to(Constant("thresholds"))
        await b.press("enter")
        dialog = b.app.screen
        assert isinstance(dialog, LinesDialog)
        area = dialog.query_one("SafeTextArea")
        assert area.text == "0.33, 0.5, 0.69"  # type: ignore[attr-defined]
        area.clear()  # type: ignore[attr-defined]
        await b.write("0.5, 0.4, 0.6")
        await b.press("ctrl+s")
        assert b.app.screen is dialog
        assert "do not rise" in b.seen()
        area.clear()  # type: ignore[attr-defined]
        await b.write("0.1, 0.4, 0.6")
        await b.press("ctrl+s")
        assert b.inspection.params.thresholds == (0.1, 0.4, 0.6)
        # C_final .31 now reaches the first threshold.
        assert "thresholds changed: Opt-Out → Silent" in b.says
        assert "calibrated, then moved" in b.screen.bundle_bar.copy_text()
        assert "was 0.33, 0.5, 0.69" in tab.reader.plain()
        await b.press("backspace")
        assert b.inspection.params.thresholds == (0.33, 0.5, 0.69)
        assert not b.inspection.is_moved


async def test_backspace_elsewhere_is_still_the_revert_of_fields(demo_bench: OpenBench) -> None:
    async with demo_bench("adoption") as b:
        mi = b.screen.candidate_pane.list.rows[0].mi
        b.inspection.edit("memory", [mi], "status", "archived")
        await b.settle()
        b.screen.candidate_pane.grid.focus()
        b.screen.detail.go_to("record")
        b.screen.action_to_detail()
        await b.settle()
        key = next(item.key for item in b.screen.record.reader.items if getattr(item.key, "name", "") == "status")
        assert isinstance(key, FieldChoice)
        b.screen.record.reader.go_to(key)
        await b.press("backspace")
        assert b.inspection.memories[mi].value("status") == "active"


async def test_hostile_texts_are_inert(bench: OpenBench) -> None:
    vector = [1.0, 0.0]
    texts = ["The gate code [/foo] \x1b]2;x\x07 is safe.", "The gate code [/foo] \x1b]2;x\x07 is dangerous."]
    memories = [
        {"id": f"m[/foo]\x1b[31m{n}", "text": text, "namespace": "ann", "embedding": vector}
        for n, text in enumerate(texts)
    ]
    query = {"id": "q", "text": "gate", "principal": {"namespaces": ["ann"]}, "embedding": vector}
    async with bench(memories, [query], toml='route = "global_dense"\n') as b:
        tab = await at_tab(b)
        assert "\x1b" not in tab.reader.plain()
        assert "\x1b" not in b.seen()
        assert "conflicting pairs  1 of 1 judged" in tab.reader.plain()
        assert tab.reader.plain().count("[/foo]") >= 2


# ---- its parts


def test_ruler_by_hand() -> None:
    # 41 cells: 0 at cell 0, 1 at cell 40, so .25, .5 and .75 at 10, 20 and 30.
    marks, line, pointer = ruler(0.5, (0.25, 0.5, 0.75), 41)
    assert [line[n] for n in (0, 10, 20, 30, 40)] == ["├", "┼", "┼", "┼", "┤"]
    assert [word in line for word in ("Opt-Out", "Silent", "Supp", "Active")] == [True] * 4
    assert marks[9:12] == ".25"
    assert pointer.index("▲") == 20
    # Outside the ruler the pointer stands at its end, with the value beside it.
    assert ruler(-0.2, (0.25, 0.5, 0.75), 41)[2] == "▲ -0.20"
    assert ruler(1.3, (0.25, 0.5, 0.75), 41)[2].endswith("1.30 ▲")
    assert len(ruler(1.3, (0.25, 0.5, 0.75), 41)[2]) == 41


def test_a_narrow_part_of_the_ruler_has_the_sign_of_its_action() -> None:
    line = ruler(0.1, (0.5, 0.55, 0.9), 41)[1]
    assert "Silent" not in line
    assert "◔" in line
    assert len(line) == 41


@pytest.mark.parametrize(("value", "place"), [(0.0, 0), (0.5, 10), (1.0, 20)])
def test_slider_bar(value: float, place: int) -> None:
    bar = slider_bar(value, 0.25, 21)
    assert len(bar) == 21
    assert bar.index("●") == place
    assert bar.index("┊") == 5


def test_plots_have_a_bar_for_each_value_and_need_no_colour() -> None:
    values = tuple(encode(0.8, 0.1, 0.85, Params()).values[0].tolist())
    lines = mdl_plots.bars(values, 0, 2, "v_wm")
    assert len(lines) == mdl_plots.HEIGHT
    assert {len(line) for line in lines} == {mdl_plots.WIDTH}
    assert "\x1b" not in "".join(lines)
    # Every value is above 0: sixteen bars stand on the axis, one cell each with a gap between.
    bottom = lines[-3]
    assert re.findall(r"█+", bottom) == ["█"] * 16
    beside = mdl_plots.side_by_side([lines, lines], 80)
    assert len(beside) == mdl_plots.HEIGHT
    assert len(mdl_plots.side_by_side([lines, lines], 60)) == 2 * mdl_plots.HEIGHT + 1


def test_constants_are_typed_as_they_are_shown() -> None:
    params = calibration().apply(Params())
    for spec in PARAM_SPECS:
        if spec.name == "pool":
            continue
        again = read_constant(params, spec.name, show_constant(params, spec.name))
        now, was = getattr(again, spec.name), getattr(params, spec.name)
        assert now == (pytest.approx(was, abs=1e-5) if isinstance(was, float) else was)
        assert usual(params, calibration(), spec.name) == params
        assert spec.help in hint(spec.name)


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("epsilon", "much"),
        ("epsilon", "2"),
        ("dim", "16.5"),
        ("dim", "inf"),
        ("thresholds", "0.1, 0.2"),
        ("tiers", "0.9, 0.5, 0.1"),
        ("default_tier", "top"),
        ("n_min", "9"),
        ("centres", "0, 1"),
        ("sigma", "nan"),
    ],
)
def test_bad_constants_are_refused(name: str, typed: str) -> None:
    with pytest.raises(FieldError):
        read_constant(Params(), name, typed)


def test_one_bound_given_keeps_the_other() -> None:
    params = read_constant(Params(), "n_max", "3")
    assert params.n_max == 3
    assert params.n_min == pytest.approx(0.296641, abs=1e-6)  # DESIGN 6: the grid's
    assert read_constant(params, "n_min", "") == Params()
