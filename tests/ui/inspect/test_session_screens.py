"""The four ways around a session id in one screen, degraded recall on the screens, a store shown while it is loaded."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

import inspector.inspection as door
from inspector.inspection import OpenOptions, OpenRequest, open_sources
from inspector.ui.app import InspectorApp
from inspector.ui.screens import loading
from inspector.ui.screens.ask import AskDialog
from inspector.ui.screens.inspect import InspectScreen
from inspector.ui.screens.store import StoreScreen
from inspector.ui.widgets.kept_rows import KeptPane
from inspector.views import RouteChoice

OpenBench = Callable[..., AbstractAsyncContextManager[Any]]
#: Each store with a question, the memory that session alone lets through, and what its row must read: the session
#: test 1, the tag test (? where the store has none), the exact key.
STORES = {
    "session-resent": ("guest-count", "party-guests", "1×0"),
    "session-two-tasks": ("offsite-cost", "visa-fee", "1×0"),
    "session-lookalike": ("invoice-due", "carried-over", "1×0"),
    "session-fixed-path": ("pin-berlin", "t205-pin", "1×?"),
}


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
@pytest.mark.parametrize("name", STORES)
async def test_one_screen(demo_bench: OpenBench, name: str, size: tuple[int, int]) -> None:
    query_id, wrong, pair = STORES[name]
    async with demo_bench(name, size=size) as b:
        ids = [row.query_id for row in b.inspection.query_rows()]
        await b.press(*["n"] * ids.index(query_id))
        grid = b.screen.candidate_pane.grid
        mi = next(row.mi for row in b.screen.candidate_pane.list.rows if row.memory_id == wrong)
        grid.move_cursor(key=mi)
        await b.settle()
        row = next(line for line in b.seen().splitlines() if "▸ " in line and wrong[:7] in line)
        # Let in by its session alone (S 1, ✓ admit), and what session × tag and the exact key say of it beside that.
        assert "✓ admit" in row
        assert f" {pair} " in row
        if name != "session-resent":  # its question names no key
            assert f" {pair} 0 ✓ admit" in row
        why = b.screen.why.reader.plain()
        assert f"session 1 × tag {pair[-1]}" in why


async def test_paths_and_degraded_on_the_screen(demo_bench: OpenBench) -> None:
    async with demo_bench("session-fixed-path", size=(200, 60)) as b:
        assert "degraded" not in b.seen()
        b.inspection.set_route(RouteChoice("dual_path"))
        b.inspection.edit("query", [0], "keys", {})
        b.screen.start_evaluation("evaluating")
        await b.until(lambda: not b.screen.busy)
        await b.settle()
        seen = b.seen()
        assert "degraded: 3 of 3 queries: no memory of the session has a semantic tag" in seen
        assert "! degraded: no memory of the session has a semantic tag" in seen
        # Without its keys the question falls back on the window's keywords; of two kept one is for review.
        assert " keyword " in seen
        assert " review " in seen
        b.screen.action_next_query()
        await b.settle()
        assert "exact_key" in b.seen()
        await b.press("o", "4")
        screen = b.app.screen
        assert isinstance(screen, StoreScreen)
        await b.until(lambda: screen.lanes.run is not None)
        await b.settle()
        seen = b.seen()
        assert "degraded: 3 of 3 queries" in seen
        assert "window 6, keyword 2, for review 1" in seen
        screen.lanes.grid.move_cursor(key=0)
        await b.settle()
        assert "degraded: " in screen.lane_about.plain()


def write(file: Path, records: list[dict[str, Any]]) -> Path:
    file.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    return file


async def until(pilot: Any, true: Callable[[], bool]) -> None:
    for _ in range(500):
        if true():
            return
        await pilot.pause(0.02)
    raise AssertionError("did not come about")


def seen(app: InspectorApp) -> str:
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())


async def test_rows_of_a_kept_store_while_it_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "SHOWN_FROM", 10)
    source = write(tmp_path / "m.jsonl", [{"id": f"m{at:03}", "text": f"[red]{at}\x1b[2J"} for at in range(200)])
    open_sources([source]).close()
    go = threading.Event()
    load = door._load

    def waits(*args: Any) -> Any:
        assert go.wait(20)
        return load(*args)

    monkeypatch.setattr(door, "_load", waits)
    app = InspectorApp(OpenRequest((source,), OpenOptions()))
    async with app.run_test(size=(160, 30)) as pilot:
        await until(pilot, lambda: bool(app.screen.query(KeptPane)) and "m000" in seen(app))
        assert "200 memories  as imported, while the rest is loaded" in seen(app)
        await until(pilot, lambda: "[red]0␛[2J" in seen(app))
        await pilot.press("G")
        await until(pilot, lambda: "m199" in seen(app))
        await pilot.press("slash")
        await pilot.pause()
        assert "find and sort come when the store is loaded" in seen(app)
        go.set()
        await until(pilot, lambda: isinstance(app.screen, InspectScreen) and "no queries in this store" in seen(app))
        assert app.inspection is not None
        assert len(app.inspection.memories) == 200


async def test_two_exports_are_asked_about_and_opened_as_planes(tmp_path: Path) -> None:
    rows = write(tmp_path / "rows.jsonl", [{"id": "a", "text": "tea"}, {"id": "b", "text": "cake"}])
    vectors = write(tmp_path / "vectors.jsonl", [{"id": "a", "text": "tea", "embedding": [1, 0]}])
    app = InspectorApp(OpenRequest((rows, vectors), OpenOptions(temporary=True)))
    async with app.run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, AskDialog))
        await pilot.pause()
        assert "Compare them as planes of one store" in seen(app)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, InspectScreen))
        await pilot.pause()
        assert "planes: 1 memories in both rows.jsonl and vectors.jsonl; only in rows.jsonl: 1" in seen(app)
        await pilot.press("o", "3")
        await until(pilot, lambda: "ghost" in seen(app))
        await pilot.press("enter")
        await until(pilot, lambda: "showing 1 of 2: ghost" in seen(app))
