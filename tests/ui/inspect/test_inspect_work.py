"""Why not, eligible missing, and routes that are evaluated in a thread (SCREENS Inspect)."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from inspector.errors import Cancelled, InspectorError
from inspector.records import Progress
from inspector.ui import changing
from inspector.ui.screens.inspect import InspectScreen
from inspector.ui.screens.whynot import WhyNotDialog
from inspector.ui.widgets.grid import Grid
from inspector.ui.widgets.inputs import SafeInput
from inspector.views import Change, RouteChoice

OpenBench = Callable[..., AbstractAsyncContextManager[Any]]
#: With k 2 only two of the four teas are retrieved.
SHORT = 'route = "global_bm25"\nexported_at = "2026-02-01"\n'


def shows(b: Any, screen: type) -> bool:
    return isinstance(b.app.screen, screen)


async def on_k2(b: Any) -> None:
    b.screen.start_route(RouteChoice("global_bm25", 2))
    await b.until(lambda: not b.screen.busy)
    await b.settle()


async def test_why_not_shows_any_memory(bench: OpenBench) -> None:
    async with bench() as b:
        await on_k2(b)
        assert len(b.verdicts()) == 2
        await b.press("w")
        assert shows(b, WhyNotDialog)
        await b.write("milk")
        await b.until(lambda: b.app.screen.query_one(Grid).row_count == 1)
        await b.press("enter")
        assert shows(b, InspectScreen)
        current = b.screen.candidate_pane.current
        assert current.memory_id == "m2"
        assert b.line(1)[0] == "–"
        assert "+ 1 not retrieved" in b.seen()
        assert "namespace" in b.screen.why.reader.plain()
        # The row stays with its query, is edited like any other, and escape takes it away.
        await b.press("n", "p")
        assert "m2" in b.verdicts()
        b.screen.candidate_pane.show_memory(1)
        b.screen.candidate_pane.grid.move_cursor(column="scope")
        await b.press("1")
        assert b.verdicts()["m2"] == "admit"
        await b.press("escape")
        assert "m2" not in b.verdicts()


async def test_why_not_by_id_from_the_list(bench: OpenBench) -> None:
    async with bench() as b:
        await b.press("w")
        await b.write("m")
        await b.press("down", "down", "enter")
        assert b.screen.candidate_pane.current is not None
        await b.press("w", "escape")
        assert shows(b, InspectScreen)


async def test_eligible_and_missing(bench: OpenBench) -> None:
    async with bench() as b:
        await b.press("m")
        assert b.says.startswith("no memory with verdict 1")
        # m1 is ann's own, current and required; with k 1 another tea takes its place.
        b.screen.start_route(RouteChoice("global_bm25", 1))
        await b.until(lambda: not b.screen.busy)
        assert "m1" not in b.verdicts()
        await b.press("m")
        assert b.says.startswith("1 eligible and not retrieved")
        assert b.screen.candidate_pane.current.memory_id == "m1"
        assert b.screen.candidate_pane.current.rank == 0


async def test_route_is_chosen_and_evaluated(bench: OpenBench) -> None:
    async with bench() as b:
        await b.press("r")
        dialog = b.app.screen
        dialog.query_one(Grid).move_cursor(key="namespace_bm25")
        dialog.query_one("#k", SafeInput).value = "3"
        await b.press("enter")
        await b.until(lambda: not b.screen.busy)
        await b.settle()
        assert b.inspection.route == RouteChoice("namespace_bm25", 3)
        # Known 0 in scope leaves the pool: bob's m2 is gone, m3 without an owner stays.
        assert set(b.verdicts()) == {"m1", "m3", "m4"}
        assert b.says == "evaluated on namespace_bm25, k 3"
        assert "route namespace_bm25 k 3" in b.seen()


async def test_bad_k_is_refused_in_the_dialog(bench: OpenBench) -> None:
    async with bench() as b:
        await b.press("r")
        b.app.screen.query_one("#k", SafeInput).value = "0"
        await b.press("enter")
        assert "a whole number from 1" in b.seen()
        await b.press("escape")
        assert b.inspection.route.k == 20


class Slow:
    """An evaluation that goes on until it is told to end or cancelled."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.running = threading.Event()

    def __call__(self, on_progress: Callable[[Progress], None], cancelled: Callable[[], bool]) -> None:
        on_progress(Progress("encoding", 3, 10, "texts"))
        self.running.set()
        while not self.go.wait(0.01):
            if cancelled():
                raise Cancelled("cancelled")


async def test_work_shows_progress_and_is_cancelled(bench: OpenBench, monkeypatch: pytest.MonkeyPatch) -> None:
    async with bench() as b:
        slow = Slow()
        monkeypatch.setattr(b.inspection, "evaluate", slow)
        before = b.verdicts()
        b.screen.start_route(RouteChoice("namespace_bm25", 20))
        await b.until(slow.running.is_set)
        await b.until(lambda: "3 of 10 texts" in b.says)
        # Reading and editing go on meanwhile, on the candidates in force; another route has to wait.
        await b.press("n", "p", "i")
        assert b.verdicts()["m4"] == "admit"
        assert "route global_bm25 k 20" in b.seen()
        await b.press("r")
        assert shows(b, InspectScreen)
        await b.press("u", "escape")
        await b.until(lambda: not b.screen.busy)
        assert b.inspection.route == RouteChoice("global_bm25", 20)
        assert b.says.startswith("cancelled; still on global_bm25")
        await b.press("Q", "home")
        assert b.verdicts() == before


async def test_edited_texts_are_settled_in_a_worker(bench: OpenBench, monkeypatch: pytest.MonkeyPatch) -> None:
    async with bench() as b:
        started, go = threading.Event(), threading.Event()
        settled = False

        def settle(cancelled: Callable[[], bool]) -> None:
            nonlocal settled
            started.set()
            while not go.wait(0.01) and not cancelled():
                pass
            settled = True

        monkeypatch.setattr(type(b.inspection), "is_settled", property(lambda _: settled))
        monkeypatch.setattr(b.inspection, "settle", settle)
        b.inspection.edit("memory", [0], "text", "tea red")
        await b.until(started.is_set)
        assert "working through the edits" in b.says
        await b.press("i")  # nothing waits for it
        assert b.says.startswith("intent history")
        go.set()
        await b.until(lambda: not b.screen.running("settle"))


async def test_failed_settling_is_told(bench: OpenBench, monkeypatch: pytest.MonkeyPatch) -> None:
    async with bench() as b:

        def broken(**_: object) -> None:
            raise ValueError("[/foo] no encoder")

        told: list[str] = []
        monkeypatch.setattr(type(b.inspection), "is_settled", property(lambda _: False))
        monkeypatch.setattr(b.inspection, "settle", broken)
        monkeypatch.setattr(b.screen, "toast", lambda words, *_: told.append(words))
        b.inspection.edit("memory", [0], "status", "stale")
        await b.until(lambda: bool(told))
        assert told == ["the edits could not be worked through: [/foo] no encoder"]


async def test_what_an_older_evaluation_says_is_ignored(bench: OpenBench) -> None:
    async with bench() as b:
        older = b.screen.supersede("evaluate")
        b.screen.supersede("evaluate")
        b.screen.post_message(b.screen.Reported("evaluate", older, ValueError("old"), "error"))
        b.screen.post_message(b.screen.Reported("evaluate", older, Progress("old work", 1, 2), "progress"))
        await b.settle()
        assert "old" not in b.says
        assert shows(b, InspectScreen)


async def test_failed_route_is_told_and_the_old_one_stays(bench: OpenBench, monkeypatch: pytest.MonkeyPatch) -> None:
    async with bench() as b:

        def broken(*_: object) -> None:
            raise ValueError("[/foo] no vectors")

        monkeypatch.setattr(b.inspection, "evaluate", broken)
        b.screen.start_route(RouteChoice("global_bm25", 3))
        await b.until(lambda: "[/foo] no vectors" in b.seen())
        assert b.inspection.route.k == 20


async def test_unknown_route_is_refused(bench: OpenBench) -> None:
    async with bench() as b:
        b.screen.start_route(RouteChoice("nosuch", 3))
        await b.settle()
        assert not b.screen.busy
        assert b.inspection.route.name == "global_bm25"


async def test_a_setting_of_a_large_store_is_changed_in_a_thread(
    bench: OpenBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted as large: the line says so at once, the screen goes on, and verdicts and undo follow."""
    monkeypatch.setattr(changing, "INLINE_CELLS", 0)
    async with bench() as b:
        before = b.verdicts()
        here = threading.get_ident()
        ran: list[int] = []
        kept = b.inspection.set_setting

        def noting(name: str, value: object) -> Change:
            ran.append(threading.get_ident())
            change: Change = kept(name, value)
            return change

        monkeypatch.setattr(b.inspection, "set_setting", noting)
        b.screen.action_isolation()
        assert b.says == "judging the whole store anew …"
        await b.until(lambda: b.inspection.settings.isolation == "session" and b.verdicts() != before)
        assert ran != [here]
        assert b.says.startswith("isolation = session: ")
        await b.press("u")
        await b.until(lambda: b.inspection.settings.isolation == "namespace" and b.verdicts() == before)
        await b.press("u")
        await b.until(lambda: b.says == "nothing to undo")


async def test_a_setting_that_fails_in_a_thread_is_told(bench: OpenBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changing, "INLINE_CELLS", 0)
    async with bench() as b:

        def broken(*_: object) -> None:
            raise InspectorError("[/foo] the disk is full")

        monkeypatch.setattr(b.inspection, "set_setting", broken)
        b.screen.action_isolation()
        await b.until(lambda: "the disk is full" in b.seen())


async def test_all_that_the_command_line_exports_is_exported_here(
    bench: OpenBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQL is about the table that is named, a bundle is a folder, and a packet is JSON."""
    out = tmp_path / "out"
    out.mkdir()
    monkeypatch.chdir(out)
    async with bench() as b:
        b.inspection.edit("memory", [0], "status", "stale")

        async def write(words: str, table: str | None = None) -> None:
            await b.press("x")
            dialog = b.app.screen
            dialog.query_one(Grid).move_cursor(key=words)
            await b.settle()
            assert dialog.query_one("#of-table").display == (table is not None or "SQL" in words)
            if table is not None:
                dialog.query_one("#table", SafeInput).value = table
            await b.press("enter", "enter")

        await write("edits as SQL for SQLite", "notes.tea")
        await b.until((out / "edits-sqlite.sql").exists)
        assert 'UPDATE "notes"."tea" SET' in (out / "edits-sqlite.sql").read_text("utf-8")
        await write("store as a bundle")
        await b.until((out / "bundle" / "policy.toml").exists)
        first = json.loads((out / "bundle" / "memories.jsonl").read_text("utf-8").splitlines()[0])
        assert first["status"] == "stale"
        await write("store as an authority packet")
        await b.until((out / "packet.json").exists)
        assert json.loads((out / "packet.json").read_text("utf-8"))
