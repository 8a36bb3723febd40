"""Memory of an import of half a gigabyte of JSON Lines: the issue's limit is 1.5 GiB.

``python tests/benchmarks/bench_import.py [MEGABYTES] [SHAPE…]`` writes files in a temporary folder: small records,
records with vectors, long texts. Each is loaded; imported into a workspace; and opened in the terminal UI up to the
Store screen's table, first anew, then from its workspace, then after one more record; each in a process of its own. It
prints the records, the seconds and the peak resident set of the process. Exit code 1 where a peak is over the limit.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

LIMIT = 1.5 * 1024  # MiB
_TEXT = "the guest asked for a late breakfast by the window and a quiet room away from the lift because of work"
_WORDS = _TEXT.split(" ")


def small(number: int, draw: random.Random) -> dict[str, object]:
    """A memory as most stores have them: an owner, times, a status, one sentence, some keys of the store's own."""
    return {
        "id": f"memory-{number:08d}",
        "text": " ".join(draw.choices(_WORDS, k=24)),
        "namespace": f"guest-{number % 5000}",
        "session_id": f"session-{number % 40000}",
        "status": "active",
        "created_at": f"2026-0{number % 9 + 1}-11T08:{number % 60:02d}:00Z",
        "source": "chat",
        "importance": number % 7,
        "score": round(draw.random(), 4),
    }


def with_vector(number: int, draw: random.Random) -> dict[str, object]:
    """The same with a vector of 384 numbers."""
    return {**small(number, draw), "embedding": [round(draw.gauss(0, 0.05), 7) for _ in range(384)]}


def long_text(number: int, draw: random.Random) -> dict[str, object]:
    """The same with some twenty thousand characters of text."""
    return {**small(number, draw), "text": " ".join(draw.choices(_WORDS, k=4000))}


def write(path: Path, make: Callable[[int, random.Random], dict[str, object]], size: int) -> int:
    """Write records up to a number of bytes; how many."""
    draw = random.Random(8)
    count = written = 0
    pool = [make(number, draw) for number in range(2000)]  # drawing every vector would take minutes
    with path.open("w", encoding="utf-8") as file:
        while written < size:
            record = {**pool[count % len(pool)], "id": f"memory-{count:08d}"}
            written += file.write(json.dumps(record) + "\n")
            count += 1
    return count


async def show(path: Path, workspace: Path) -> int:
    """Open a file in the UI, go to the table of its records and turn a page; how many there are."""
    from inspector.requests import OpenOptions, OpenRequest
    from inspector.ui.app import InspectorApp
    from inspector.ui.screens.inspect import InspectScreen
    from inspector.ui.screens.store import StoreScreen

    app = InspectorApp(OpenRequest((path,), OpenOptions(workspace=workspace)))
    async with app.run_test(size=(140, 40)) as pilot:
        while not isinstance(app.screen, InspectScreen):
            await asyncio.sleep(0.05)
        await pilot.pause()
        await pilot.press("o")
        while not isinstance(app.screen, StoreScreen):
            await asyncio.sleep(0.05)
        while not app.screen.state.survey.is_complete:
            await asyncio.sleep(0.05)
        await pilot.press("pagedown")
        await pilot.pause()
        return len(app.screen.inspection.memories)


def measure(way: str, path: Path, workspace: Path) -> None:
    """Import a file in this process and print what it took."""
    from inspector.formats import load
    from inspector.inspection import OpenOptions, open_sources

    started = time.monotonic()
    if way == "load":
        count = len(load([path]).memories)
    elif way == "open":
        with open_sources([path], OpenOptions(workspace=workspace)) as inspection:
            inspection.evaluate()
            count = len(inspection.memories)
    else:
        count = asyncio.run(show(path, workspace))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"records": count, "seconds": round(time.monotonic() - started, 1), "MiB": round(peak)}))


SHAPES = {"small": small, "vectors": with_vector, "long": long_text}
#: The ways, and the workspace that each uses: a new one, or that of the way before.
WAYS = (("load", ""), ("open", "a"), ("show", "b"), ("again", "b"), ("changed", "b"))


def main() -> int:
    """Write, measure each, compare with the limit."""
    size = int(sys.argv[1] if len(sys.argv) > 1 else 500) * 1_000_000
    over = False
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, **{f"XDG_{one}_HOME": folder for one in ("DATA", "CONFIG", "CACHE", "STATE")}}
        for name in sys.argv[2:] or SHAPES:
            path = Path(folder) / f"{name}.jsonl"
            write(path, SHAPES[name], size)
            for way, store in WAYS:
                if way == "changed":
                    with path.open("a", encoding="utf-8") as file:
                        file.write(json.dumps({"id": "one more", "text": "a text"}) + "\n")
                command = [sys.executable, __file__, "--measure", way, str(path), f"{folder}/{name}-{store}.duckdb"]
                done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
                told = json.loads(done.stdout)
                over |= told["MiB"] > LIMIT
                figures = f"{told['records']:>9,} records {told['seconds']:>6} s {told['MiB']:>6,} MiB"
                print(f"{name:<8} {way:<8} {figures}", flush=True)
            path.unlink()
    print(f"limit {LIMIT:,.0f} MiB: {'over' if over else 'kept'}")
    return int(over)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]))
    else:
        sys.exit(main())
