"""Memory of an import of half a gigabyte of JSON Lines: the issue's limit is 1.5 GiB.

``python tests/benchmarks/bench_import.py [MEGABYTES]`` writes two files in a temporary folder, small records and
records with vectors, and in a process of its own for each imports it into a workspace as ``inspector open`` does. It
prints the records, the seconds and the peak resident set of the process. Exit code 1 where a peak is over the limit.
"""

from __future__ import annotations

import json
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


def measure(path: Path, workspace: Path | None) -> None:
    """Import a file in this process and print what it took."""
    from inspector.formats import load
    from inspector.inspection import OpenOptions, open_sources

    started = time.monotonic()
    if workspace is None:
        count = len(load([path]).memories)
    else:
        with open_sources([path], OpenOptions(workspace=workspace)) as inspection:
            count = len(inspection.memories)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"records": count, "seconds": round(time.monotonic() - started, 1), "MiB": round(peak)}))


def main() -> int:
    """Write, measure each, compare with the limit."""
    size = int(sys.argv[1] if len(sys.argv) > 1 else 500) * 1_000_000
    over = False
    with tempfile.TemporaryDirectory() as folder:
        for name, make in (("small", small), ("vectors", with_vector)):
            path = Path(folder) / f"{name}.jsonl"
            write(path, make, size)
            for way, workspace in (("load", []), ("open", [str(Path(folder) / f"{name}.duckdb")])):
                command = [sys.executable, __file__, "--measure", str(path), *workspace]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                told = json.loads(done.stdout)
                over |= told["MiB"] > LIMIT
                print(f"{name:<8} {way:<5} {told['records']:>9,} records {told['seconds']:>6} s {told['MiB']:>6,} MiB")
            path.unlink()
    print(f"limit {LIMIT:,.0f} MiB: {'over' if over else 'kept'}")
    return int(over)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(Path(sys.argv[2]), Path(sys.argv[3]) if len(sys.argv) > 3 else None)
    else:
        sys.exit(main())
