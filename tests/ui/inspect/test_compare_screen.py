"""The Compare screen worked as a user works it: figures, drill-down, plots, label errors, cancelling, edits."""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from inspector.compare.comparison import Request
from inspector.comparing import check_request
from inspector.i18n import set_language
from inspector.retrieval.routes import rank
from inspector.ui.screens.compare import CompareScreen
from inspector.ui.screens.compare_dialogs import CompareDialog
from inspector.ui.screens.inspect import InspectScreen
from inspector.ui.widgets.compare_table import FigureKey, PathKey

OpenBench = Callable[..., AbstractAsyncContextManager[Any]]
#: Every ranking of the store: tea without an owner first (its namespace is ""), then ann's, then bob's, then the longer
#: text. q1 (ann) needs m1 and reads m3 ?, m1 ✓; q2 (bob) needs m2 and reads m3 ?, m1 ✗, m2 ✓; q3 needs nothing.
GLOBAL_RISK, OWN_RISK = "[.17, .58]", "[0, .50]"


class Compared:
    """The Compare screen over a bench, and hands to work it."""

    def __init__(self, bench: Any) -> None:
        self.bench = bench
        self.app, self.inspection = bench.app, bench.inspection

    @property
    def screen(self) -> CompareScreen:
        screen = self.app.screen
        assert isinstance(screen, CompareScreen), screen
        return screen

    async def open(self, key: str = "V") -> None:
        await self.bench.press(key)
        await self.bench.until(lambda: isinstance(self.app.screen, CompareScreen))
        await self.done()

    async def done(self) -> None:
        """Until nothing is worked out any more."""
        await self.bench.until(lambda: self.screen.state.loaded and not self.screen.works)
        await self.bench.settle()

    async def press(self, *keys: str) -> None:
        await self.bench.press(*keys)

    def cells(self, pane: Any, key: object) -> dict[str, str]:
        row = next(row for row in pane.rows if row.key == key)
        return dict(zip([column.key for column in pane.grid.columns], row.text.split("\t"), strict=True))

    def route(self, name: str) -> dict[str, str]:
        return self.cells(self.screen.routes_pane, name)

    @property
    def says(self) -> str:
        return str(self.screen.moved.content).strip()

    @property
    def queries(self) -> list[str]:
        return [row.text.split("\t")[0] for row in self.screen.queries_pane.rows]


@pytest.fixture
def compared(bench: OpenBench) -> OpenBench:
    """Compare, opened from Inspect on a store of the test's, its first comparison done."""

    @asynccontextmanager
    async def opening(*args: Any, **kwargs: Any) -> AsyncIterator[Compared]:
        async with bench(*args, **kwargs) as made:
            found = Compared(made)
            await found.open()
            yield found

    return opening


async def test_routes_stand_side_by_side_with_hand_worked_figures(compared: OpenBench) -> None:
    async with compared() as c:
        everywhere, own = c.route("global_bm25"), c.route("namespace_bm25")
        assert (everywhere["letter"], own["letter"]) == ("A", "B")
        assert (everywhere["risk"], own["risk"]) == (GLOBAL_RISK, OWN_RISK)
        assert (everywhere["recall"], everywhere["feasible"], everywhere["delta"]) == ("1", "1", "base")
        # q2 reads one excluded memory fewer: .5 − .67 over two queries
        assert own["delta"] == "−.08"
        # two groups of one query each, one difference of 0: every flip of signs is as far from 0
        assert own["p"] == "1.000"
        assert everywhere["prefix"] == "2.5"
        assert "2 of 3 queries evaluable (1 not: N)" in c.bench.seen()
        assert "base global_bm25" in c.bench.seen()


async def test_a_figure_leads_to_its_queries_and_they_to_inspect_on_that_route(compared: OpenBench) -> None:
    async with compared() as c:
        c.screen.routes_pane.grid.move_cursor(key="namespace_bm25", column="risk")
        await c.press("enter")
        assert c.screen.state.view == "queries"
        assert c.queries == ["q1", "q2"]
        first = c.screen.queries_pane.rows[0]
        assert c.cells(c.screen.queries_pane, first.key)["prefix"] == "2: ✓1 ✗0 ?1"
        await c.press("escape")
        assert c.screen.state.view == "routes"
        await c.press("up", "enter")
        assert c.queries == ["q2", "q1"]  # the worst first: two of three are not known to be admitted
        assert c.cells(c.screen.queries_pane, c.screen.queries_pane.rows[0].key)["value"] == "[.33, .67]"
        await c.press("down", "w")
        assert isinstance(c.app.screen, InspectScreen)
        assert c.bench.screen.qi == 0
        assert "the route in force here" in c.bench.says
        await c.open()
        c.screen.routes_pane.grid.move_cursor(key="namespace_bm25", column="recall")
        await c.press("1", "enter", "down", "enter")
        assert isinstance(c.app.screen, InspectScreen)
        await c.bench.until(lambda: not c.bench.screen.busy)
        assert (c.bench.screen.qi, str(c.inspection.route)) == (1, "namespace_bm25")
        await c.bench.settle()
        # the cursor stands on what was in doubt there: the memory without an owner
        assert c.bench.screen.mi == 2


async def test_every_figure_of_a_route_is_read_out_and_leads_to_its_queries(compared: OpenBench) -> None:
    async with compared() as c:
        await c.press("D")
        assert c.screen.about.has_focus
        assert c.screen.about.go_to(FigureKey("global_bm25", "violations", ""))
        await c.press("enter")
        # bob's query reads ann's memory before his own; ann's reads none that is excluded
        rows = [c.cells(c.screen.queries_pane, row.key) for row in c.screen.queries_pane.rows]
        assert [(row["query"], row["value"]) for row in rows] == [("q2", "1"), ("q1", "0")]


async def test_queries_that_require_nothing_are_listed(compared: OpenBench) -> None:
    async with compared() as c:
        await c.press("N")
        assert c.queries == ["q3"]
        assert "not evaluable" in c.bench.seen()


async def test_tau_axes_and_base_change_figures_without_running_a_route(
    compared: OpenBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with compared() as c:
        monkeypatch.setattr("inspector.comparing.running.rank", None)
        await c.press("S")
        await c.done()
        assert c.route("global_bm25")["risk"] == "[0, 0]"  # without scope nothing is in doubt
        assert "without scope" in c.bench.seen()
        await c.press("S", "down", "b")
        await c.done()
        assert c.route("namespace_bm25")["delta"] == "base"
        assert c.route("global_bm25")["delta"] == "+.08"
        await c.press(*["left_square_bracket"] * 16)
        await c.done()
        assert c.screen.state.request.tau == 0
        assert c.route("global_bm25")["risk"] == "[0, 0]"  # nothing is read
        assert c.route("global_bm25")["prefix"] == "0.0"
        await c.press("S", "P", "L")
        assert "axes: none is left" in c.says


async def test_kept_results_are_shown_again_and_said_to_be_of_before_an_edit(
    compared: OpenBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with compared() as c:
        await c.press("escape")
        c.inspection.edit("memory", [2], "namespace", "ann")
        c.bench.screen._compare_state = None  # as after opening the store again
        monkeypatch.setattr("inspector.comparing.running.rank", None)
        await c.open()
        assert c.route("global_bm25")["risk"] == GLOBAL_RISK
        await c.bench.until(lambda: "of before: the store was edited since" in c.bench.seen())
        c.inspection.undo()
        await c.bench.until(lambda: "of before" not in c.bench.seen())
        c.inspection.redo()
        await c.bench.settle()
        monkeypatch.undo()
        await c.press("R")
        await c.done()
        # m3 is ann's now: q1 reads nothing in doubt, q2 reads m1 and m3 ✗ before m2 … in the order of their uids
        assert c.route("namespace_bm25")["risk"] == "[0, 0]"
        await c.bench.until(lambda: "of before" not in c.bench.seen())


async def test_escape_stops_and_keeps_the_finished_routes(bench: OpenBench, monkeypatch: pytest.MonkeyPatch) -> None:
    go, second = threading.Event(), threading.Event()

    def slow(spec: Any, *args: Any, **kwargs: Any) -> Any:
        if spec.name == "namespace_bm25":
            second.set()
            go.wait(20)
        return rank(spec, *args, **kwargs)

    monkeypatch.setattr("inspector.comparing.running.rank", slow)
    async with bench() as made:
        c = Compared(made)
        await made.press("V")
        await made.until(second.is_set)
        await made.until(lambda: bool(c.screen.routes_pane.rows))
        assert [row.key for row in c.screen.routes_pane.rows] == ["global_bm25"]
        assert "escape cancels" in c.says
        await c.press("escape")
        assert "stopping" in c.says
        go.set()
        await c.done()
        # the route that was under way could be finished; either way what is finished is shown and kept
        assert "finished and kept" in c.says or "compared 2" in c.says
        assert c.route("global_bm25")["risk"] == GLOBAL_RISK
        await c.press("R")
        await c.done()
        assert c.route("namespace_bm25")["risk"] == OWN_RISK


async def test_plots_are_copied_as_text_without_colour_and_drill(compared: OpenBench) -> None:
    async with compared(size=(120, 40)) as c:
        await c.press("2")
        await c.done()
        recall = c.screen.plots["recall"]
        text = recall.copy_text()
        assert text is not None
        assert "\x1b" not in text
        assert "A global_bm25" in text
        assert "B namespace_bm25" in text
        for size in ((40, 12), (120, 40)):
            await c.bench.pilot.resize_terminal(*size)
            await c.bench.settle()
        await c.press("n", "left", "left", "left", "left", "left")
        assert recall.has_focus
        # q1 needs m1 at place 2, q2 needs m2 at place 3: after no more than one candidate nothing is found
        while recall._at > 2:
            await c.press("left")
        assert "recall .50 after 2" in c.bench.seen()
        await c.press("enter")
        assert c.queries == ["q2", "q1"]
        assert "recall of global_bm25 after 2 candidates" in c.bench.seen()


async def test_label_errors_run_on_request_and_lead_to_the_queries_that_are_worse_off(compared: OpenBench) -> None:
    async with compared() as c:
        await c.press("r")
        dialog = c.app.screen
        assert isinstance(dialog, CompareDialog)
        dialog.query_one("#seeds", Input).value = "2"
        await c.press("enter")
        await c.done()
        await c.press("3", "R")
        await c.done()
        found = c.screen.state.labels
        assert found is not None
        assert found.request.seeds == 2
        assert len(c.screen.labels_pane.rows) == 2 * len(found.request.kinds)
        grid = c.screen.labels_pane.grid
        grid.move_cursor(key=c.screen.labels_pane.rows[0].key, column="at 0.4")
        await c.press("enter")
        behind = found.behind(found.curves[0].route, found.curves[0].kind, 0.4)
        assert c.queries == [c.inspection.queries[one.qi].id for one in behind]
        await c.press("escape")
        set_language("ko", data="en")  # the column under the cursor is found in every language
        try:
            grid.move_cursor(key=c.screen.labels_pane.rows[0].key, column="at 0.05")
            await c.press("enter")
        finally:
            set_language("en", data="en")
        assert c.screen.state.drill is not None
        assert " 5%" in c.screen.state.drill.words
        await c.press("escape", "2", "p", "v")
        assert c.screen.plots["labels"].has_focus
        assert c.screen.plots["labels"].copy_text()


async def test_what_to_resolve_first_names_the_record_to_ask_about(compared: OpenBench) -> None:
    async with compared() as c:
        await c.press("4", "R")
        await c.done()
        assert c.screen.resolve_pane.rows[0].key == "namespace"
        asked = [row.text.split("\t")[0] for row in c.screen.ask_pane.rows]
        assert asked == ["m3"]
        await c.press("enter", "enter")
        assert isinstance(c.app.screen, InspectScreen)
        assert (c.bench.screen.qi, c.bench.screen.mi) == (0, 2)


async def test_the_dialog_refuses_what_cannot_be_compared_in_place(compared: OpenBench) -> None:
    async with compared() as c:
        await c.press("r")
        dialog = c.app.screen
        assert isinstance(dialog, CompareDialog)
        for field, value, words in (
            ("tau", "1.5", "τ is 1.5"),
            ("k", "0", "k: '0'"),
            ("axes", "scope taste", "'taste' is not an axis"),
            ("cost", "nan", "cost: 'nan'"),
            ("base", "globl", "route 'globl' is not known"),
        ):
            line = dialog.query_one(f"#{field}", Input)
            before, line.value = line.value, value
            await c.press("enter")
            assert c.app.screen is dialog
            assert words in c.bench.seen()
            line.value = before
        await c.press("escape")
        assert c.screen.state.request.tau == 0.8


async def test_agreement_of_judgments_with_its_caution_and_the_queries_in_dispute(
    compared: OpenBench, tmp_path: Path
) -> None:
    folder = tmp_path / "teas"
    folder.mkdir()
    said = [("m1", "a", 1), ("m1", "b", 1), ("m2", "a", 1), ("m2", "b", 0)]
    namespaces = {"m1": "ann", "m2": "bob"}
    lines = [
        {
            "query_id": "q1",
            "memory_id": mid,
            "namespace": namespaces[mid],
            "axis": "policy",
            "value": v,
            "source": source,
        }
        for mid, source, v in said
    ]
    (folder / "judgments.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    async with compared() as c:
        await c.press("5")
        # four values, one of them 0: half the pairs of a unit differ, and half of those that chance would give
        assert c.cells(c.screen.agreement_pane, "policy")["alpha"] == "0.000"
        assert "policy is read as consistency with declared fields" in c.bench.seen()
        # the words of both rows in full, which no column of 80 has room for
        full = "\n".join(item.shown for item in c.screen.said.items)
        assert "of the violations and 0.0% of the required evidence" in full
        assert "low: read this axis as consistency with declared fields, not as what people hold to be allowed" in full
        c.screen.agreement_pane.grid.focus()
        await c.press("enter")
        assert c.queries == ["q1"]
        assert "m2: a 1, b 0" in c.bench.seen()
        tables = [table for node in (c.screen.queries_pane, c.screen) for table in node.export_tables()]
        assert [table.name for table in tables] == ["Queries behind", "all figures"]
        rows = [dict(zip(tables[1].columns, row, strict=True)) for row in tables[1].rows]
        lower = next(row for row in rows if (row["route"], row["figure"]) == ("global_bm25", "prefix"))
        assert lower["value"] == "2.500000"


async def test_bounds_where_nothing_is_required_are_not_called_risk_at_matched_recall(compared: OpenBench) -> None:
    async with compared([{"id": "m", "text": "tea"}], [{"id": "q", "text": "tea"}]) as c:
        await c.press("2")
        await c.done()
        assert "─ no query is evaluable" in c.bench.seen()
        assert "Risk at matched recall" not in c.bench.seen()


async def test_from_store_and_back(compared: OpenBench) -> None:
    async with compared() as c:
        await c.press("escape", "o")
        await c.open()
        await c.press("1", "enter", "enter")
        assert isinstance(c.app.screen, InspectScreen)
        assert [type(screen).__name__ for screen in c.app.screen_stack[-1:]] == ["InspectScreen"]


HOSTILE = "[/foo]\x1b]2;x\x07‮[@click=app.quit]q[/]"


@pytest.mark.encodes
async def test_a_route_of_several_paths_has_a_row_for_each_that_leads_to_the_queries_it_served(
    demo_bench: OpenBench,
) -> None:
    async with demo_bench("session-two-tasks", route="global_bm25") as made:
        c = Compared(made)
        await c.open()
        c.screen.state.request = check_request(Request(("global_bm25", "dual_path")))
        await c.press("R")
        await c.done()
        keys = [row.key for row in c.screen.routes_pane.rows]
        assert keys[:2] == ["global_bm25", "dual_path"]
        assert {key.path for key in keys[2:] if isinstance(key, PathKey)} == {"session_tag", "exact_key"}
        run = c.screen.state.comparison
        assert run is not None
        of = run.sources[0].runs["dual_path"]
        for key in keys[2:]:
            assert isinstance(key, PathKey)
            served = (of.path == of.paths.index(key.path)).any(axis=1)
            c.screen.routes_pane.grid.move_cursor(key=key, column="contamination")
            await c.press("1", "enter")
            assert set(c.queries) == {q.id for q, here in zip(c.inspection.queries, served, strict=True) if here}
            assert f"by {key.path}" in c.bench.seen()


async def test_hostile_ids_are_shown_inert(compared: OpenBench) -> None:
    memories = [{"id": HOSTILE, "text": HOSTILE, "namespace": HOSTILE}, {"id": "m2", "text": "tea"}]
    principal = {"id": "p", "namespaces": [HOSTILE]}
    queries = [
        {"id": HOSTILE, "text": "tea " + HOSTILE, "principal": principal, "required": [HOSTILE], "intent": "current"}
    ]
    async with compared(memories, queries) as c:
        await c.press("enter")
        seen = c.bench.seen()
        assert "\x1b" not in seen
        assert "[/foo]␛" in seen
        await c.press("4", "R")
        await c.done()
        await c.press("2")
        await c.done()
        assert "\x1b" not in c.bench.seen()


@pytest.mark.parametrize(
    ("memories", "queries", "words"),
    [
        ([{"id": "m", "text": "tea"}], [], "no queries"),
        ([{"id": "m", "text": "tea"}], [{"id": "q", "text": "tea"}], "(1 not: N)"),
    ],
    ids=["no queries", "nothing required"],
)
async def test_stores_with_nothing_to_compare_say_so(
    compared: OpenBench, memories: list[Any], queries: list[Any], words: str
) -> None:
    async with compared(memories, queries) as c:
        assert words in c.bench.seen()
        c.screen.state.seeds = 1
        walks = (
            ["enter", "1", "2", "enter"],
            ["3", "R"],
            ["4", "R"],
            ["5", "enter", "6", "N", "A", "v", "b", "1", "D"],
        )
        for keys in walks:
            await c.press(*keys)
            await c.done()
        assert c.app.faults == 0


async def test_what_to_resolve_says_what_to_do_before_it_was_worked_out(compared: OpenBench) -> None:
    async with compared() as c:
        await c.press("4")
        seen = " ".join(c.bench.seen().split())
        assert "which records to ask about" in seen
        assert "no record to ask about" not in seen
