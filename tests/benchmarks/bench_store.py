"""The Store screen over a million records: opening, paging, survey, find, sort, a cell of the map, an edit.

``python tests/benchmarks/bench_store.py [--memories N]``. Prints figures; asserts nothing. Beside the work of a thread
stands how late the event loop was meanwhile, median / 99th percentile / worst: that is what a key waits for.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import random
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from textual.pilot import Pilot

from inspector.inspection import Inspection
from inspector.records import Bundle, Memory, Origin, Settings
from inspector.retriever import Retriever
from inspector.store.editlog import EditLog
from inspector.store.workspace import Workspace
from inspector.ui.app import InspectorApp
from inspector.ui.screens.store import StoreScreen
from inspector.ui.screens.store_base import StoreState
from inspector.views import RouteChoice

WORDS = ["tea", "green", "refund", "vault", "slot", "approve", "manager", "deploy", "audit", "invoice", "key"]
KEYS = 20


def make_memories(count: int) -> list[Memory]:
    """Records with owners, states, times, and governs or authority on some."""
    draw = random.Random(7)
    origin = Origin("memories.jsonl")
    made = []
    for number in range(count):
        fields: dict[str, Any] = {
            "id": f"m{number:07d}",
            "text": " ".join(draw.choices(WORDS, k=12)) + f" {number}",
            "namespace": f"user-{number % 5_000}",
            "status": ("active", "archived", "superseded")[number % 3],
            "created_at": "2026-01-01",
        }
        if number % 4 == 0:
            fields["verification_required"] = True
        if number % 5 == 0:
            fields["governs"] = {"any_terms": ["pay"], "action_types": ["execute"]}
        made.append(Memory(fields, origin))
    return made


def open_store(memories: list[Memory]) -> Inspection:
    """A store of these records in a temporary workspace, without queries."""
    bundle, settings = Bundle(memories, [], [], Settings(), "bench", "canonical"), Settings()
    workspace = Workspace.temporary([])
    retriever = Retriever(bundle, settings, workspace, "none")
    return Inspection(bundle, settings, workspace, EditLog(workspace), retriever, RouteChoice("global_bm25"))


async def lateness(going: Callable[[], bool]) -> str:
    """How late the event loop is while something goes on: median, 99th percentile and worst, in milliseconds."""
    late: list[float] = []
    while going():
        begun = time.perf_counter()
        await asyncio.sleep(0.005)
        late.append((time.perf_counter() - begun - 0.005) * 1_000)
    late.sort()
    if not late:
        return "at once"
    return f"event loop late by {late[len(late) // 2]:.1f} / {late[int(len(late) * 0.99)]:.1f} / {late[-1]:.1f} ms"


async def work(pilot: Pilot[int], screen: StoreScreen, what: str, kind: str, begin: Callable[[], object]) -> None:
    """Begin a piece of work and print how long it took, and how late the event loop was."""
    begun = time.perf_counter()
    begin()
    await asyncio.sleep(0.02)
    late = await lateness(lambda: screen.running(kind))
    await pilot.pause()
    print(f"{what}: {time.perf_counter() - begun:.2f} s, {screen.pane.grid.row_count:,} rows, {late}")


async def keys(pilot: Pilot[int], screen: StoreScreen, what: str, action: Callable[[], object]) -> None:
    """Print what one move of the table costs, drawn."""
    begun = time.perf_counter()
    for _ in range(KEYS):
        action()
        screen.pane.grid.refresh()
        await asyncio.sleep(0)
        await pilot._wait_for_screen()
    print(f"{what}: {(time.perf_counter() - begun) / KEYS * 1_000:.1f} ms each")


async def run(count: int) -> None:
    """All figures."""
    begun = time.perf_counter()
    memories = make_memories(count)
    print(f"{count:,} records made in {time.perf_counter() - begun:.1f} s")
    begun = time.perf_counter()
    inspection = open_store(memories)
    print(f"engine built in {time.perf_counter() - begun:.1f} s")
    gc.freeze()  # as the Inspect screen does with a store that is open
    app = InspectorApp()
    async with app.run_test(size=(140, 40)) as pilot:
        app.inspection = inspection
        begun = time.perf_counter()
        screen = StoreScreen(inspection, StoreState.of(inspection), None)
        await app.push_screen(screen)
        print(f"screen shown in {time.perf_counter() - begun:.2f} s")
        begun = time.perf_counter()
        late = await lateness(lambda: screen.running("survey"))
        print(f"surveyed in {time.perf_counter() - begun:.1f} s, {late}")
        grid = screen.pane.grid
        await keys(pilot, screen, "page down", grid.action_page_down)
        grid.action_last()
        await keys(pilot, screen, "page up from the end", grid.action_page_up)
        await work(pilot, screen, "find two words", "arrange", lambda: screen.pane.set_filter("vault 77777"))
        await work(
            pilot, screen, "find by field", "arrange", lambda: screen.pane.set_filter("status:archived no:governs")
        )
        await work(pilot, screen, "all again", "arrange", lambda: screen.pane.set_filter(""))
        await work(pilot, screen, "sort by owner", "arrange", lambda: screen.pane.sort("owner"))
        await work(pilot, screen, "sort by id", "arrange", lambda: screen.pane.sort("id"))
        await work(pilot, screen, "turn round", "arrange", screen.pane.reverse)
        await work(pilot, screen, "store's order", "arrange", lambda: screen.pane.sort("id"))
        await work(pilot, screen, "a cell of the map", "arrange", screen.action_next_set)
        begun = time.perf_counter()
        inspection.edit("memory", [5], "status", "archived")
        print(f"edit, with all it moves: {(time.perf_counter() - begun) * 1_000:.1f} ms")
        await pilot.pause()
    inspection.close()
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_000_000:.2f} GB at most")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=1_000_000)
    asyncio.run(run(parser.parse_args().memories))
