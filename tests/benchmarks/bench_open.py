"""Opening a store of a million records again, from its workspace: the first rows, paging meanwhile, the whole.

``python tests/benchmarks/bench_open.py [--memories N]``. Prints figures; asserts nothing. The store is written and
imported once into a folder of its own; then the program is started anew, in a process of its own, and timed from its
first line to rows on the screen. A page down is timed while the rest is loaded and again on the Store screen.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BEGUN = time.perf_counter()
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
KEYS = 40


def write_store(folder: Path, count: int) -> None:
    """A bundle of as many memories, without queries, on a lexical route."""
    words = ("tea", "green", "refund", "vault", "slot", "approve", "manager", "deploy", "audit", "invoice", "key")
    folder.mkdir()
    (folder / "bundle.toml").write_text('route = "global_bm25"\nexported_at = "2026-02-01"\n', encoding="utf-8")
    with (folder / "memories.jsonl").open("w", encoding="utf-8") as out:
        for number in range(count):
            text = " ".join(words[(number * step + step) % len(words)] for step in range(1, 13))
            record = {
                "id": f"m{number:07d}",
                "text": f"{text} {number}",
                "namespace": f"user-{number % 5_000}",
                "status": ("active", "archived", "superseded")[number % 3],
                "created_at": "2026-01-01T00:00:00Z",
            }
            out.write(json.dumps(record) + "\n")


def import_store(folder: Path) -> None:
    """Import it once, so that the workspace has it."""
    from inspector.inspection import open_sources

    begun = time.perf_counter()
    with open_sources([folder]) as inspection:
        print(f"imported {len(inspection.memories):,} in {time.perf_counter() - begun:.1f} s")


async def reopen(folder: Path) -> None:
    """Start the program on it as a user does, and print what is seen when."""
    from inspector.requests import OpenOptions, OpenRequest
    from inspector.ui.app import InspectorApp
    from inspector.ui.screens.inspect import InspectScreen
    from inspector.ui.screens.store import StoreScreen
    from inspector.ui.widgets.grid import Grid
    from inspector.ui.widgets.kept_rows import KeptPane

    def since() -> float:
        return time.perf_counter() - BEGUN

    async def pages(grid: Grid) -> str:
        taken = []
        for _ in range(KEYS):
            begun = time.perf_counter()
            grid.action_page_down()
            grid.refresh()
            await asyncio.sleep(0)
            await pilot._wait_for_screen()
            taken.append((time.perf_counter() - begun) * 1_000)
        taken.sort()
        return f"median {taken[KEYS // 2]:.1f} ms, worst {taken[-1]:.1f} ms"

    app = InspectorApp(OpenRequest((folder,), OpenOptions()))
    async with app.run_test(size=(140, 40)) as pilot:
        print(f"first paint after {since():.2f} s")
        while not app.screen.query(KeptPane):
            await asyncio.sleep(0.01)
        pane = app.screen.query_one(KeptPane)
        while not pane.grid.row_count or "m0000000" not in "".join(
            s.text for s in app.screen._compositor.render_strips()
        ):
            await asyncio.sleep(0.01)
        print(f"first rows of {pane.grid.row_count:,} after {since():.2f} s")
        print(f"page down while the rest is loaded: {await pages(pane.grid)}")
        while not isinstance(app.screen, InspectScreen):
            await asyncio.sleep(0.05)
        print(f"everything loaded after {since():.1f} s")
        await pilot.pause()
        await pilot.press("o")
        while not isinstance(app.screen, StoreScreen):
            await asyncio.sleep(0.05)
        print(f"page down on the Store screen: {await pages(app.screen.pane.grid)}")


def main() -> None:
    """Write, import, and reopen in a new process."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--memories", type=int, default=1_000_000)
    options.add_argument("--reopen", type=Path)
    given = options.parse_args()
    if given.reopen is not None:
        asyncio.run(reopen(given.reopen))
        return
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "XDG_DATA_HOME": folder, "XDG_CONFIG_HOME": folder, "XDG_CACHE_HOME": folder}
        os.environ.update(environment)
        store = Path(folder, "store")
        write_store(store, given.memories)
        import_store(store)
        print(f"load average {os.getloadavg()[0]:.1f}", flush=True)
        subprocess.run([sys.executable, __file__, "--reopen", str(store)], env=environment, check=True)


if __name__ == "__main__":
    main()
