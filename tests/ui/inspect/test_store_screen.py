"""The Store screen: records, coverage map, findings, lanes, and the ways between them (SCREENS Store; issue 4)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest

from inspector.gate.coverage import Protection
from inspector.inspection import Inspection
from inspector.records import Bundle, Settings
from inspector.retriever import Retriever
from inspector.store.editlog import EditLog
from inspector.store.lint import SEVERITIES
from inspector.store.workspace import Workspace
from inspector.ui.app import InspectorApp
from inspector.ui.screens import store_work
from inspector.ui.screens.edit_field import EditFieldDialog
from inspector.ui.screens.gate_form import GovernsDialog
from inspector.ui.screens.store import StoreScreen
from inspector.ui.screens.store_base import StoreState
from inspector.ui.screens.working import Job
from inspector.ui.widgets.gate_items import OfferChoice
from inspector.ui.widgets.grid import plain_text
from inspector.ui.widgets.store_rows import StoreSource
from inspector.ui.widgets.store_select import Selection
from inspector.ui.widgets.why import FieldChoice
from inspector.views import RouteChoice

OpenBench = Callable[..., AbstractAsyncContextManager[Any]]
EXECUTE = {"any_terms": ["pay"], "action_types": ["execute"]}


def memory(memory_id: str, text: str, **fields: Any) -> dict[str, Any]:
    own = {"namespace": "ann", "status": "active", "created_at": "2026-01-01"}
    return {"id": memory_id, "text": text, **own, **fields}


#: One for each cell of the map, one malformed, one sensitive with neither and without owner.
MEMORIES = [
    memory("none", "tea plain"),
    memory("strict", "tea strict", memory_type="policy"),  # authority, yet row 7 decides
    memory("gated", "tea gated", governs=EXECUTE, status="archived"),
    memory("full", "tea full", governs=EXECUTE, verification_required=True),
    memory("broken", "tea broken", governs="execute"),
    memory("bare", "tea bare", namespace=None, sensitivity="high", status=None),
]
ASKS = {"principal": {"id": "ann", "namespaces": ["ann"]}, "intent": "current", "as_of": "2026-02-01"}
QUERIES: list[dict[str, Any]] = [{"id": "q1", "text": "tea", "required": ["none"], **ASKS}]


@asynccontextmanager
async def opened(bench: OpenBench, *args: Any, **kwargs: Any) -> AsyncIterator[tuple[Any, StoreScreen]]:
    """The Store screen over Inspect, linted."""
    async with bench(*(args or (MEMORIES, QUERIES)), **kwargs) as b:
        await b.press("o")
        screen = b.app.screen
        assert isinstance(screen, StoreScreen)
        await b.until(lambda: screen.state.report is not None)
        await b.settle()
        yield b, screen


def rows(screen: StoreScreen) -> list[int]:
    """The memories that the table shows, in its order."""
    source = screen.pane.grid.source
    assert isinstance(source, StoreSource)
    return [int(mi) for mi in source.rows]


def ids(screen: StoreScreen) -> list[str]:
    return [screen.pane.memories[mi].id for mi in rows(screen)]


async def test_whole_store_with_completeness(bench: OpenBench) -> None:
    async with opened(bench) as (b, screen):
        assert ids(screen) == ["none", "strict", "gated", "full", "broken", "bare"]
        seen = b.seen()
        # By hand: 5 of 6 have an owner and a status, none has purposes, all have created_at.
        for words in ("6 memories", "owner 83%", "purposes 0%", "status 83%", "times 100%", "lint ✗ 1"):
            assert words in seen, words
        assert "against q1" in seen


async def test_map_counts_and_each_cell_s_records(bench: OpenBench) -> None:
    async with opened(bench) as (b, screen):
        await b.press("2")
        seen = b.seen()
        for words in ("none", "retrieval-time only", "gate rescues", "full chain", "authority absent"):
            assert words in seen
        counts = {each.protection: each.records for each in screen.state.survey.cells()}
        assert [counts[each] for each in Protection] == [3, 1, 1, 1]
        assert "3 memories  50%" in seen
        assert "1 declared but not enforced" in seen  # strict, in its cell
        await b.press("right")
        assert screen.map.protection.value == "retrieval-time only"
        await b.press("down", "left")
        assert screen.map.protection.value == "gate rescues"
        await b.press("enter")
        assert screen.state.view == "records"
        assert ids(screen) == ["gated"]
        assert "showing 1 of 6: coverage: gate rescues" in b.seen()
        await b.press("escape")
        assert len(ids(screen)) == 6


async def test_records_of_the_cell_stand_beside_the_map(bench: OpenBench) -> None:
    async with opened(bench, size=(200, 60)) as (b, screen):
        await b.press("2", "down", "right")
        source = screen.cell_records.source
        assert [source.key(row) for row in range(len(source))] == [3]
        screen.cell_records.focus()
        await b.press("enter")
        assert screen.mi == 3
        assert ids(screen) == ["full"]


async def test_lists_under_the_map(bench: OpenBench) -> None:
    wanted = {
        "declared but not enforced": ["strict"],
        "gate cannot fire": [],
        "sensitive with neither": ["bare"],
        "malformed governs": ["broken"],
        "no owner": ["bare"],
        "no status": ["bare"],
        "no times": [],
    }
    async with opened(bench) as (b, screen):
        for name, found in wanted.items():
            await b.press("2", "up", "down", "down")
            assert screen.lists.grid.has_focus, name
            rows = [str(screen.lists.grid.source.cells(row)[0][0]) for row in range(screen.lists.grid.row_count)]
            screen.lists.grid.move_cursor(rows.index(name))
            await b.press("enter")
            assert ids(screen) == found, name
            await b.press("escape")
            assert len(ids(screen)) == 6, name


async def test_find_sort_and_cells_by_keys(bench: OpenBench) -> None:
    async with opened(bench) as (b, screen):
        await b.press("slash")
        await b.write("has:governs ed")
        assert ids(screen) == ["gated"]
        await b.press("escape")
        assert len(ids(screen)) == 6
        screen.pane.grid.move_cursor(column="status")
        await b.press("s")
        assert ids(screen) == ["none", "strict", "full", "broken", "gated", "bare"]
        await b.press("S")
        assert ids(screen) == ["gated", "none", "strict", "full", "broken", "bare"]
        await b.press("s")
        await b.press("v")
        assert ids(screen) == ["none", "broken", "bare"]
        await b.press("v")
        assert ids(screen) == ["strict"]
        await b.press("v", "v", "v")
        assert len(ids(screen)) == 6


async def test_cursor_stays_on_the_memory(bench: OpenBench) -> None:
    async with opened(bench) as (b, screen):
        screen.pane.grid.move_cursor(key=3)
        screen.pane.grid.move_cursor(column="id")
        await b.press("s")
        assert ids(screen) == ["bare", "broken", "full", "gated", "none", "strict"]
        assert screen.mi == 3


async def test_findings_lead_to_their_records(bench: OpenBench) -> None:
    async with opened(bench) as (b, screen):
        await b.press("3")
        current = screen.findings_pane.current
        assert current is not None
        assert (current.code, current.severity) == ("malformed-governs", "error")  # the worst is first
        seen = b.seen()
        assert "governs is a text ('execute')" in seen
        assert "Write governs as an object of text lists" in seen
        assert "memories.jsonl:5" in seen
        await b.press("enter")
        assert (ids(screen), screen.mi) == (["broken"], 4)
        assert "malformed-governs" in screen.about.plain()


async def test_findings_by_code_and_words(bench: OpenBench) -> None:
    async with opened(bench) as (b, screen):
        await b.press("3", "v")
        assert screen.findings_pane.code == "malformed-governs"
        assert screen.findings_pane.grid.row_count == 1
        await b.press("escape", "slash")
        await b.write("sensitive")
        assert [one.code for one in screen.findings_pane._shown] == ["sensitive-unguarded"]


async def test_order_by_findings_puts_the_worst_first(bench: OpenBench) -> None:
    async with opened(bench) as (b, screen):
        screen.pane.grid.move_cursor(column="lint")
        await b.press("s")
        assert ids(screen)[0] == "broken"
        worst = [
            min((SEVERITIES.index(one.severity) for one in screen.state.findings(mi) or ()), default=9)
            for mi in rows(screen)
        ]
        assert worst == sorted(worst)


async def test_to_inspect_and_back(bench: OpenBench) -> None:
    async with opened(bench, MEMORIES, [{**QUERIES[0], "text": "plain"}]) as (b, screen):
        screen.pane.grid.move_cursor(key=5)
        await b.settle()
        await b.press("w")
        assert b.app.screen is b.screen
        assert b.screen.candidate_pane.current.memory_id == "bare"
        await b.press("o")
        assert isinstance(b.app.screen, StoreScreen)
        assert b.app.screen.mi == 5  # where one was
        await b.press("escape")
        assert b.app.screen is b.screen


async def test_visits_keep_view_filter_and_findings(bench: OpenBench) -> None:
    async with opened(bench) as (b, screen):
        await b.press("slash")
        await b.write("ful")
        await b.press("enter", "2", "o", "o")
        again = b.app.screen
        assert isinstance(again, StoreScreen)
        assert again is not screen
        assert again.state.view == "coverage"
        await b.press("1")
        assert ids(again) == ["full"]
        assert again.state.report is screen.state.report


async def test_edit_moves_map_marks_and_findings(bench: OpenBench) -> None:
    async with opened(bench) as (b, screen):
        screen.pane.grid.move_cursor(key=5)
        screen.pane.grid.move_cursor(column="owner")
        await b.press("e")
        assert isinstance(b.app.screen, EditFieldDialog)
        await b.write("ann")
        assert "would give" in b.seen()  # the verdict against the query of before
        assert "against q1" in b.seen()
        await b.press("enter")
        assert b.inspection.memories[5].value("namespace") == "ann"
        assert "owner 100%" in b.seen()
        await b.press("u")
        assert "owner 83%" in b.seen()
        await b.press("ctrl+r")
        assert "owner 100%" in b.seen()
        await b.press("backspace")
        assert not b.inspection.memories[5].edits


async def test_marked_records_are_edited_together_and_undone_as_one(bench: OpenBench) -> None:
    async with opened(bench) as (b, screen):
        screen.pane.grid.move_cursor(column="status")
        await b.press("space", "space", "e", "ctrl+u")
        await b.write("stale")
        await b.press("enter")
        assert [stored.value("status") for stored in b.inspection.memories[:3]] == ["stale", "stale", "archived"]
        await b.press("u")
        assert not any(stored.edits for stored in b.inspection.memories)


async def test_offer_closes_the_gap_and_the_map_follows(bench: OpenBench) -> None:
    async with opened(bench) as (b, screen):
        screen.pane.grid.move_cursor(key=4)
        await b.settle()
        await b.press("D")
        assert isinstance(screen.about.key, FieldChoice | OfferChoice)
        assert "repair the governs block" in screen.about.plain()
        await b.press("f")
        assert "full chain" in screen.about.plain()
        counts = {each.protection: each.records for each in screen.state.survey.cells()}
        assert [counts[each] for each in Protection] == [2, 1, 1, 2]
        await b.until(lambda: not screen.state.stale)  # linted again, once the edits rested
        report = screen.state.report
        assert report is not None
        assert "malformed-governs" not in report.counts()
        await b.press("u")
        assert not b.inspection.memories[4].edits


async def test_short_form_in_the_store(bench: OpenBench) -> None:
    async with opened(bench) as (b, _):
        await b.press("F")
        assert isinstance(b.app.screen, GovernsDialog)
        await b.write("write")
        assert "protection: none → gate rescues" in b.seen()
        await b.press("enter")
        assert isinstance(b.app.screen, StoreScreen)
        assert b.inspection.memories[0].value("governs")["action_types"] == ["write"]


async def test_an_edit_narrows_the_selection_again(bench: OpenBench) -> None:
    async with opened(bench) as (b, screen):
        screen.show_records(Selection("mark", "malformed governs"))
        assert ids(screen) == ["broken"]
        b.inspection.edit("memory", [4], "governs", {"action_types": ["read"]})
        await b.settle()
        assert ids(screen) == []
        assert "no record passes" in b.seen()


TAGGED = [
    {**memory("m1", "paint"), "session_id": "s1", "semantic_tag": "kitchen"},
    {**memory("m2", "ferry"), "session_id": "s1", "semantic_tag": "lisbon"},
    {**memory("m3", "note"), "session_id": "s1"},
]
SESSION = [
    {"id": "a", "text": "paint", "session_id": "s1", "semantic_tag": "kitchen", **ASKS, "as_of": "2026-02-01"},
    {"id": "b", "text": "ferry", "session_id": "s1", "semantic_tag": "lisbon", **ASKS, "as_of": "2026-02-02"},
    {"id": "c", "text": "note", "session_id": "s2", **ASKS, "as_of": "2026-02-03"},
]


async def test_lanes_show_a_session_and_keep_its_marks(bench: OpenBench) -> None:
    async with opened(bench, TAGGED, SESSION) as (b, screen):
        await b.press("4")
        await b.until(lambda: screen.lanes.run is not None)
        await b.settle()
        seen = b.seen()
        assert "session s1, 1 of 2" in seen
        # By hand: entering "kitchen" leaves nothing; entering "lisbon" archives m1. m2 is active from the start.
        assert "2 switches move 1 memory" in seen
        assert "kitchen" in seen
        assert "lisbon" in seen
        bars = [plain_text(screen.lanes.grid.source.cells(row)[2]) for row in range(screen.lanes.grid.row_count)]
        assert ["R" in bar for bar in bars[2:]] == [True, False, False]
        screen.lanes.grid.move_cursor(key=0)
        await b.settle()
        assert "the task boundary moved away: the session left tag 'kitchen'" in screen.lane_about.plain()
        assert "by query b" in screen.lane_about.plain()
        await b.press("K")
        log = b.inspection.memories[0].value("boundary_log")
        assert [entry["state"] for entry in log] == ["archived"]
        await b.press("u")
        assert not b.inspection.memories[0].edits
        await b.press("n")
        await b.until(lambda: screen.lanes.run is not None and screen.lanes.run.session_id == "s2")
        await b.press("K")
        assert "no replay has moved anything" in b.seen()


async def test_no_session_is_said(bench: OpenBench) -> None:
    async with opened(bench) as (b, screen):
        await b.press("4")
        assert "no query states an authenticated session_id" in b.seen()
        assert screen.lanes.run is None


async def test_no_queries_and_no_rows(bench: OpenBench) -> None:
    async with opened(bench, MEMORIES[:1], []) as (b, screen):
        assert screen.qi is None
        await b.press("enter")
        assert "no query to hold the record against" in b.seen()
        await b.press("slash")
        await b.write("nosuch")
        await b.press("enter", "e", "f", "F", "t", "D", "w")
        assert b.app.screen is screen
        assert "no record under the cursor" in screen.about.plain()


async def test_an_empty_store() -> None:
    # No file without a record can be opened; a store can be emptied by what an import leaves out.
    bundle, settings = Bundle([], [], [], Settings(), "nothing", "canonical"), Settings()
    workspace = Workspace.temporary([])
    retriever = Retriever(bundle, settings, workspace, "none")
    inspection = Inspection(bundle, settings, workspace, EditLog(workspace), retriever, RouteChoice("global_bm25"))
    app = InspectorApp()
    async with app.run_test(size=(80, 24)) as pilot:
        app.inspection = inspection
        screen = StoreScreen(inspection, StoreState.of(inspection), None)
        await app.push_screen(screen)
        for view in "1234":
            await pilot.press(view, "enter", "e", "f", "F", "s", "v", "w", "t")
            await pilot.pause(0.05)
        assert app.screen is screen
        await pilot.press("1")
        await pilot.pause(0.1)
        seen = "\n".join(strip.text for strip in screen._compositor.render_strips())
        assert "no memories in this store" in seen
        assert "0 memories" in seen


HOSTILE = "\x1b]2;x\x07[/foo][@click=app.quit]\u202e"


async def test_hostile_values_stay_inert_in_every_view(bench: OpenBench) -> None:
    fields = {"governs": {HOSTILE: 1, "action_types": [HOSTILE]}, "memory_type": HOSTILE, "plane": HOSTILE}
    memories = [
        {**memory(HOSTILE, HOSTILE, **fields), "status": HOSTILE, "session_id": "s1", "semantic_tag": HOSTILE},
        memory("other", "tea"),
    ]
    queries = [{**SESSION[0], "id": HOSTILE, "semantic_tag": HOSTILE}]
    async with opened(bench, memories, queries) as (b, screen):
        for view in "1234":
            await b.press(view)
            if view == "4":
                await b.until(lambda: screen.lanes.run is not None)
                await b.settle()
            seen = b.seen()
            assert not {"\x1b", "\x07", "\u202e"} & set(seen), view
        assert b.app.is_running


async def test_large_stores_are_worked_on_in_threads(bench: OpenBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_work, "AT_ONCE", 0)
    monkeypatch.setattr("inspector.ui.screens.store.AT_ONCE", 0)
    async with opened(bench) as (b, screen):
        await b.until(lambda: screen.state.survey.is_complete)
        await b.press("slash")
        await b.write("has:governs")
        await b.until(lambda: ids(screen) == ["gated", "full", "broken"])
        screen.pane.sort("id")
        await b.until(lambda: ids(screen) == ["broken", "full", "gated"])
        await b.press("escape", "escape")
        await b.until(lambda: len(ids(screen)) == 6)


async def test_a_newer_search_passes_over_what_an_older_one_says(bench: OpenBench) -> None:
    async with opened(bench) as (b, screen):
        stale = screen.Reported("arrange", screen._generations["arrange"], None, "result")
        screen.pane.sort("id")
        await b.settle()
        before = ids(screen)
        screen.post_message(stale)
        await b.settle()
        assert ids(screen) == before


async def test_lint_is_stopped_by_escape(bench: OpenBench, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(bench) as (b, screen):
        await b.press("3")
        begun = screen._lint_now

        def slow(job: Job) -> Any:
            while not job.cancelled():
                time.sleep(0.01)
            return begun(job)

        monkeypatch.setattr(screen, "_lint_now", slow)
        await b.press("R")
        assert screen.running("lint")
        await b.press("escape")
        assert not screen.running("lint")
        assert "lint was stopped" in b.seen()
        assert b.app.screen is screen
        await asyncio.sleep(0)


async def test_every_view_fits_every_size(bench: OpenBench) -> None:
    async with opened(bench) as (b, screen):
        for size in ((80, 24), (120, 40), (200, 60)):
            await b.pilot.resize_terminal(*size)
            await b.press("1")
            assert "1 Records" in b.seen(), size
            assert "strict" in b.seen(), size
            await b.press("2")
            assert "full chain" in b.seen(), size
            assert "malformed governs" in b.seen(), size
            await b.press("3")
            assert "sensitive-" in b.seen(), size
            assert screen.advice.region.height >= 2, size


async def test_copy_and_export(bench: OpenBench) -> None:
    async with opened(bench) as (b, screen):
        assert screen.pane.copy_text() == "none\ttea plain"
        assert '"id":' in str(screen.pane.copy_json()).replace(" ", "")
        [table] = screen.pane.export_tables()
        assert [row[0] for row in table.rows] == ["none", "strict", "gated", "full", "broken", "bare"]
        [findings] = screen.findings_pane.export_tables()
        assert any("malformed-governs" in row for row in findings.rows)
        assert "full chain\t1" in screen.map.copy_text()
        assert screen.findings_pane.copy_text() is not None
        assert b.app.is_running
