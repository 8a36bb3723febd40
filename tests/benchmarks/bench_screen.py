"""Edit, cursor and first paint at a real pseudo terminal, beside an empty Textual app with a table in the same run.

``python tests/benchmarks/bench_screen.py [--memories N --queries N --rounds N]``. Prints figures; asserts nothing.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from inspector.inspection import Inspection, OpenOptions, open_sources
from tests.tools.terminal import KEYS, Terminal

DIM = 32
EMPTY_APP = """
from textual.app import App
from textual.widgets import DataTable
class Empty(App):
    def compose(self):
        yield DataTable()
    def on_mount(self):
        self.query_one(DataTable).add_columns("ready")
Empty().run()
"""


def make_store(folder: Path, memories: int, queries: int) -> None:
    """A store with vectors of its own, so that nothing is encoded."""
    draw = random.Random(7)
    words = [
        "tea",
        "train",
        "hotel",
        "window",
        "garden",
        "invoice",
        "doctor",
        "key",
        "piano",
        "river",
        "market",
        "lamp",
    ]

    def vector() -> list[float]:
        return [round(draw.gauss(0, 1), 4) for _ in range(DIM)]

    with (folder / "memories.jsonl").open("w", encoding="utf-8") as out:
        for i in range(memories):
            record = {
                "id": f"m{i}",
                "text": " ".join(draw.choices(words, k=12)),
                "namespace": f"owner-{i % 40}",
                "status": draw.choice(["active", "active", "stale", "archived"]),
                "created_at": f"2026-01-{1 + i % 28:02}T00:00:00Z",
                "allowed_purposes": ["care"],
                "embedding": vector(),
            }
            out.write(json.dumps(record) + "\n")
    with (folder / "queries.jsonl").open("w", encoding="utf-8") as out:
        for i in range(queries):
            question = {
                "id": f"q{i}",
                "text": " ".join(draw.choices(words, k=6)),
                "principal": {"id": f"p{i}", "namespaces": [f"owner-{i % 40}"]},
                "purpose": "care",
                "intent": "current",
                "as_of": "2026-02-01T00:00:00Z",
                "required": [f"m{i}"],
                "embedding": vector(),
            }
            out.write(json.dumps(question) + "\n")
    (folder / "bundle.toml").write_text('exported_at = "2026-02-01T00:00:00Z"\nroute = "global_dense"\n', "utf-8")


def timed(act: Callable[[int], object], rounds: int) -> list[float]:
    """Milliseconds of each call."""
    out = []
    for i in range(rounds):
        start = time.perf_counter()
        act(i)
        out.append((time.perf_counter() - start) * 1000)
    return out


def line(name: str, values: list[float]) -> None:
    """Median and 95th percentile of a list of milliseconds."""
    ordered = sorted(values)
    p95 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    print(f"{name:<58} median {statistics.median(ordered):8.2f} ms   p95 {p95:8.2f} ms   n {len(ordered)}")


def until(terminal: Terminal, key: str, wanted: str) -> float:
    """Milliseconds from a key to the first bytes that hold the text."""
    at = len(terminal.raw)
    start = time.perf_counter()
    terminal.child.send(KEYS.get(key, key))
    while wanted.encode() not in bytes(terminal.raw[at:]):
        if time.perf_counter() - start > 20:
            raise SystemExit(f"{wanted!r} did not come after {key!r}:\n{terminal.text()}")
        terminal.read(0.005)
    taken = (time.perf_counter() - start) * 1000
    terminal.settle(0.08)
    return taken


def first_bytes(terminal: Terminal, key: str) -> float:
    """Milliseconds from a key to the first bytes of its paint."""
    at = len(terminal.raw)
    start = time.perf_counter()
    terminal.child.send(KEYS.get(key, key))
    while len(terminal.raw) == at:
        terminal.read(0.002)
    taken = (time.perf_counter() - start) * 1000
    terminal.settle(0.05)
    return taken


def first_paint(home: Path, args: list[str], wanted: str) -> float:
    """Milliseconds from start to the first screen that holds the text."""
    start = time.perf_counter()
    with Terminal(args, home) as terminal:
        while wanted not in terminal.text():
            terminal.read(0.002)
        return (time.perf_counter() - start) * 1000


def any_paint(home: Path, args: list[str], program: tuple[str, ...] = ("-m", "inspector")) -> float:
    """Milliseconds from start to the first screen that is not blank."""
    start = time.perf_counter()
    with Terminal(args, home, program=program) as terminal:
        while not terminal.text().strip():
            terminal.read(0.002)
        return (time.perf_counter() - start) * 1000


def evaluation(folder: Path, rounds: int) -> None:
    """What an edit costs without the screen: commit, and evaluation alone."""
    with open_sources([folder], OpenOptions(temporary=True)) as inspection:
        inspection.evaluate()
        used = inspection.evaluation.memory[:, :5].ravel().tolist()
        commits: list[float] = []
        append = inspection.log.append

        def measured(changes: object) -> object:
            start = time.perf_counter()
            step = append(changes)  # type: ignore[arg-type]
            commits.append((time.perf_counter() - start) * 1000)
            return step

        inspection.log.append = measured  # type: ignore[method-assign, assignment]
        choices: list[tuple[str, Callable[[int], str]]] = [
            ("status", lambda i: ["deprecated", "replaced"][i % 2]),
            ("namespace", lambda i: f"owner-{(i * 11) % 39}x"),
            ("valid_to", lambda i: f"2026-01-{1 + i % 28:02}T00:00:00Z"),
        ]
        for field, choose in choices:
            commits.clear()
            whole = timed(partial(edit_one, inspection, used, field, choose), rounds)
            line(f"edit of {field}: commit alone", commits)
            line(f"edit of {field}: evaluation alone", [w - c for w, c in zip(whole, commits, strict=True)])


def edit_one(inspection: Inspection, used: list[int], field: str, choose: Callable[[int], str], i: int) -> None:
    """Edit a memory that is a candidate of some query."""
    inspection.edit("memory", [used[i * 7]], field, choose(i))


def main() -> None:
    """Run all of it on a fresh store."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--memories", type=int, default=12_000)
    parser.add_argument("--queries", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=40)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        store = home / "store"
        store.mkdir()
        make_store(store, given.memories, given.queries)
        print(f"{given.memories:,} memories, {given.queries:,} queries")
        evaluation(store, given.rounds)
        script = home / "empty.py"
        script.write_text(textwrap.dedent(EMPTY_APP), encoding="utf-8")
        pairs = [(any_paint(home, [], (str(script),)), any_paint(home, [])) for _ in range(7)]
        demo = [any_paint(home, ["demo", "anniversary"]) for _ in range(7)]
        line(
            "all of a bundled store on the screen",
            [first_paint(home, ["demo", "anniversary"], "SRVE") for _ in range(5)],
        )
        bare = [a for a, _ in pairs]
        line("first paint of an empty Textual app with a table", bare)
        line("first paint of inspector (chooser)", [b for _, b in pairs])
        line("first paint of inspector demo", demo)
        base = statistics.median(bare)
        chooser = statistics.median([b for _, b in pairs])
        print(f"ratio: chooser {chooser / base:.2f}, demo {statistics.median(demo) / base:.2f}")
        with Terminal(["open", str(store), "--workspace", str(home / "w.duckdb")], home) as terminal:
            terminal.wait_for("Candidates", 180)
            terminal.settle(0.5)
            terminal.press("C")
            line("cursor down in the candidates", [first_bytes(terminal, "down") for _ in range(15)])
            terminal.press("Q")
            line("cursor down in the queries", [first_bytes(terminal, "down") for _ in range(given.rounds)])
            line(
                "intent cycled (a query's field), to the line that says what moved",
                [until(terminal, "i", "verdict") for _ in range(9)],
            )
            keys = [("u", "undone"), ("ctrl+r", "redone")] * (given.rounds // 2)
            line("undo and redo of it, to that line", [until(terminal, *key) for key in keys])
            terminal.press("q")


if __name__ == "__main__":
    main()
