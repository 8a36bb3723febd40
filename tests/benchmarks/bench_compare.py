"""A comparison's own work beside its rankings: prints times and peak memory, asserts nothing.

``python tests/benchmarks/bench_compare.py`` judges the candidates of a synthetic store at a tenth of the size;
``--full`` takes 183,000 memories × 384, 3,767 queries and 87 namespaces, top 100. ``--labels`` prints instead what
label errors cost on a store in which half of the memories is an old version, labelled stale or superseded, of another
that is as similar to the question.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

import numpy as np

from inspector.compare.comparison import Request, compare
from inspector.comparing import SensitivityRequest, run_source, sensitivity, sensitivity_text
from inspector.comparing.sensitive import sensitivity_source
from inspector.live import Inspection
from inspector.records import Bundle, Memory, Origin, Query, Settings
from inspector.retrieval.scoring import Dense
from inspector.retrieval.vectors import Float32, unit_vectors
from inspector.retriever import Retriever
from inspector.store.editlog import EditLog
from inspector.store.workspace import Workspace
from inspector.times import parse_time
from inspector.views import RouteChoice

SIZE = 384
ROUTES = ("global_dense", "namespace_dense", "governed", "postfilter:500")


class Given(Retriever):
    """A retriever whose vectors are made of noise: nothing is encoded."""

    def give(self, memories: Float32, queries: Float32) -> None:
        self._dense, self._given = Dense(unit_vectors(memories), unit_vectors(queries)), True

    def fill(self, memories: int, queries: int) -> None:
        random = np.random.default_rng(0)
        self._dense = Dense(
            unit_vectors(random.standard_normal((memories, SIZE), dtype=np.float32)),
            unit_vectors(random.standard_normal((queries, SIZE), dtype=np.float32)),
        )
        self._given = True


def synthetic(folder: Path, memories: int, queries: int, namespaces: int) -> Inspection:
    """A store in which a third of the memories is stale or denied, and every query needs three of its namespace."""
    origin = Origin("benchmark")
    states = ("active", "active", "stale")
    stored = [
        Memory(
            {
                "id": f"m{i:06}",
                "text": "",
                "namespace": f"n{i * namespaces // memories}",
                "status": states[i % 3],
                "allowed_purposes": ["care"] if i % 4 else ["sales"],
                "created_at": "2026-01-01T00:00:00Z",
            },
            origin,
        )
        for i in range(memories)
    ]
    share = memories // namespaces
    asked = [
        Query(
            {
                "id": f"q{i:06}",
                "text": "",
                "principal": {"id": "p", "namespaces": [f"n{i % namespaces}"]},
                "purpose": "care",
                "intent": "current",
                "as_of": "2026-03-01T00:00:00Z",
                "required": [f"m{(i % namespaces) * share + (7 * i + j) % share:06}" for j in range(3)],
            },
            origin,
        )
        for i in range(queries)
    ]
    settings = Settings(exported_at=parse_time("2026-03-01T00:00:00Z", ""))
    bundle = Bundle(stored, asked, [], settings, "synthetic", "canonical")
    workspace = Workspace.open(folder / "bench.duckdb")
    retriever = Given(bundle, settings, workspace, None)
    retriever.fill(memories, queries)
    return Inspection(bundle, settings, workspace, EditLog(workspace), retriever, RouteChoice("global_dense"))


def versions(folder: Path) -> Inspection:
    """20 namespaces of 50 facts, each in an old and a new version; a question needs three new ones, all allowed."""
    origin, random = Origin("benchmark"), np.random.default_rng(0)
    facts, size = 1_000, 48
    meaning = random.standard_normal((facts, size))
    stored, vectors = [], []
    for fact in range(facts):
        owner, new = f"n{fact // 50}", f"new{fact}"
        common = {"text": "", "namespace": owner, "allowed_purposes": ["care"]}
        old = {"status": "stale"} if fact % 2 else {"superseded_by": new, "status": "active"}
        stored.append(Memory({"id": f"old{fact}", "created_at": "2026-01-01T00:00:00Z", **common, **old}, origin))
        stored.append(Memory({"id": new, "created_at": "2026-02-01T00:00:00Z", **common, "status": "active"}, origin))
        vectors += [meaning[fact] + 0.4 * random.standard_normal(size) for _ in range(2)]
    asked, wanted = [], []
    for number in range(400):
        space = number % 20
        needed = random.choice(50, 3, replace=False) + space * 50
        wanted.append(meaning[needed].sum(axis=0) + 1.0 * random.standard_normal(size))
        fields = {
            "id": f"q{number:03}",
            "text": "",
            "principal": {"id": "p", "namespaces": [f"n{space}"]},
            "purpose": "care",
            "intent": "current",
            "as_of": "2026-03-01T00:00:00Z",
            "required": [f"new{fact}" for fact in needed.tolist()],
        }
        asked.append(Query(fields, origin))
    settings = Settings(exported_at=parse_time("2026-03-01T00:00:00Z", ""))
    bundle = Bundle(stored, asked, [], settings, "versions", "canonical")
    workspace = Workspace.open(folder / "bench.duckdb")
    retriever = Given(bundle, settings, workspace, None)
    retriever.give(np.array(vectors, dtype=np.float32), np.array(wanted, dtype=np.float32))
    return Inspection(bundle, settings, workspace, EditLog(workspace), retriever, RouteChoice("global_dense"))


def labels() -> None:
    """Print the curves of the store of versions, risk judged by the labels before the errors beside it."""
    request = SensitivityRequest(Request(("global_dense", "namespace_dense", "governed"), k=20))
    with tempfile.TemporaryDirectory() as folder, versions(Path(folder)) as inspection:
        found = sensitivity(request, [sensitivity_source(inspection, request)])
    print(sensitivity_text(found))
    print("\njudged by the labels before the errors: risk upper")
    for curve in found.curves:
        print(f"{curve.route:<16} {curve.kind:<22}", *(f"{point.true_upper:.3f}" for point in curve.points))


def main() -> None:
    """Build the store, run, print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--full", action="store_true", help="183,000 memories, 3,767 queries, 87 namespaces")
    options.add_argument("--sensitivity", action="store_true", help="also two seeds of every kind of label error")
    options.add_argument("-k", type=int, default=100)
    options.add_argument("--labels", action="store_true", help="what label errors cost, on a store of versions")
    arguments = options.parse_args()
    if arguments.labels:
        labels()
        return
    scale = 1 if arguments.full else 10
    memories, queries, namespaces = 183_000 // scale, 3_767 // scale, 87 // scale + (scale > 1)
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        with synthetic(Path(folder), memories, queries, namespaces) as inspection:
            print(f"{memories:,} memories × {SIZE}, {queries:,} queries, {namespaces} namespaces, top {arguments.k}")
            print(f"store and engine     {time.perf_counter() - began:8.2f} s")
            base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            request = Request(ROUTES, k=arguments.k)
            marks = [(time.perf_counter(), "start")]
            source = run_source(inspection, request, lambda p: marks.append((time.perf_counter(), p.what)))
            for route in ROUTES:
                times = [at for at, what in marks if what.startswith(f"{route} ")]
                before = max((at for at, what in marks if at < times[0]), default=times[0])
                print(f"{route:<20} {times[-1] - before:8.2f} s")
            began = time.perf_counter()
            run_source(inspection, request)
            print(f"kept runs read again {time.perf_counter() - began:8.2f} s")
            began = time.perf_counter()
            compare(request, [source])
            print(f"figures of {len(ROUTES)} routes  {time.perf_counter() - began:8.2f} s")
            if arguments.sensitivity:
                began = time.perf_counter()
                sensitivity_source(inspection, SensitivityRequest(request, seeds=2))
                print(f"sensitivity, 2 seeds {time.perf_counter() - began:8.2f} s")
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            vectors = (memories + queries) * SIZE * 4 / 2**20
            print(f"peak memory          {peak:8.0f} MiB, before the routes {base:.0f}, vectors {vectors:.0f}")


if __name__ == "__main__":
    main()
