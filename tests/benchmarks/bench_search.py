"""How fast the dense routes are beside a bare matrix product: prints times and ratios, asserts nothing.

``python tests/benchmarks/bench_search.py`` runs at a tenth of the size; ``--full`` builds 183,000 memories × 384 and
3,767 queries in 87 namespaces. faiss is measured beside them where it can be imported.
"""

from __future__ import annotations

import argparse
import importlib
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from inspector.records import Memory, Origin, Query
from inspector.retrieval.exact_keys import ExactKeys
from inspector.retrieval.pool import FloatArray, IntArray
from inspector.retrieval.routes import Sources, rank
from inspector.retrieval.scoring import Dense
from inspector.retrieval.vectors import Float32, unit_vectors
from inspector.trit import TritArray

SIZE = 384
STRIPES = 64
REST = 0.2  # seconds
BLOCK = 366  # 366 × 183,000 float32 cells are 256 MiB


class Namespaces:
    """A store in which every namespace's memories stand together and everything is stored at every instant."""

    def __init__(self, memories: int, queries: int, namespaces: int) -> None:
        origin = Origin("benchmark")
        self.memories = [Memory({"id": f"{i:06}", "text": ""}, origin) for i in range(memories)]
        self.queries = [Query({"id": f"{i:06}", "text": ""}, origin) for i in range(queries)]
        self.uid_rank = np.arange(memories, dtype=np.int64)
        self.created_us: FloatArray = np.full(memories, np.nan)
        self._memory_space = np.sort(np.arange(memories, dtype=np.int32) % namespaces)
        self._query_space = np.arange(queries, dtype=np.int32) % namespaces

    def exact_keys(self) -> ExactKeys:
        """No memory here has keys."""
        return ExactKeys(self.memories)

    def without_tags(self, qi: int) -> dict[int, str]:
        """No route here goes by tags."""
        return {}

    def scope(self, m: IntArray, q: IntArray) -> TritArray:
        same: TritArray = (self._memory_space[m] == self._query_space[q]).astype(np.uint8)
        same *= np.uint8(2)
        return same

    def stored(self, m: IntArray, q: IntArray) -> TritArray:
        return np.full((1, 1), 2, dtype=np.uint8)

    policy = lifecycle = session_test = tag_test = stale_or_superseded = stored

    def scope_class(self, q: IntArray) -> IntArray:
        return self._query_space[q].astype(np.int64)

    def stored_class(self, q: IntArray) -> IntArray:
        return np.zeros(len(q), dtype=np.int64)

    def required(self, qi: int) -> list[int]:
        return []


def bare(memories: Float32, queries: Float32, k: int) -> tuple[float, float]:
    """Seconds of a bare float32 matrix product in blocks, and of choosing the top k by block maxima after it."""
    count = len(memories)
    sets = count // STRIPES
    block = np.empty((BLOCK, count), dtype=np.float32)
    multiplied = selected = 0.0
    for start in range(0, len(queries), BLOCK):
        part = queries[start : start + BLOCK]
        out = block[: len(part)]
        began = time.perf_counter()
        np.matmul(part, memories.T, out=out)
        multiplied += time.perf_counter() - began
        began = time.perf_counter()
        striped = out[:, : sets * STRIPES].reshape(len(part), STRIPES, sets)
        maxima = striped.max(axis=1)
        which = np.argpartition(maxima, sets - k, axis=1)[:, sets - k :]
        for row in range(len(part)):
            cells = striped[row][:, which[row]].ravel()
            top = np.argpartition(cells, len(cells) - k)[len(cells) - k :]
            np.sort(cells[top])
        selected += time.perf_counter() - began
    return multiplied, selected


def timed(work: Callable[[], Any]) -> float:
    """Seconds of one run, from rest: the matrix library's threads look for work for some time after the run before."""
    time.sleep(REST)
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def main() -> None:
    """Build the store, run, print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--full", action="store_true", help="183,000 memories, 3,767 queries, 87 namespaces")
    options.add_argument("--repeat", type=int, default=3)
    options.add_argument("-k", type=int, default=100)
    arguments = options.parse_args()
    scale = 1 if arguments.full else 10
    memories, queries, namespaces = 183_000 // scale, 3_767 // scale, 87 // scale + (scale > 1)
    k: int = arguments.k
    random = np.random.default_rng(0)
    dense = Dense(
        unit_vectors(random.standard_normal((memories, SIZE), dtype=np.float32)),
        unit_vectors(random.standard_normal((queries, SIZE), dtype=np.float32)),
    )
    view, sources = Namespaces(memories, queries, namespaces), Sources(dense)
    shapes = f"{memories:,} memories × {SIZE}, {queries:,} queries, {namespaces} namespaces"
    print(f"{shapes}, top {k}, median of {arguments.repeat}")

    bare(dense.memory.data, dense.query.data[:BLOCK], k)  # warm up
    figures = []
    for _ in range(arguments.repeat):  # in turn, so that a machine that drifts drifts for all of them
        product, selection = bare(dense.memory.data, dense.query.data, k)
        overall = timed(lambda: rank("global_dense", view, sources, k=k))
        spaces = timed(lambda: rank("namespace_dense", view, sources, k=k))
        figures.append((product, selection, overall, spaces, overall / (product + selection), overall / spaces))
    product, selection, overall, spaces, beside_bare, faster = np.median(figures, axis=0)
    print(f"bare matmul          {product:8.3f} s")
    print(f"block-max selection  {selection:8.3f} s")
    print(f"global_dense         {overall:8.3f} s   {beside_bare:5.2f} × bare matmul + selection")
    print(f"namespace_dense      {spaces:8.3f} s   {faster:5.1f} × faster than global_dense")
    try:
        faiss = importlib.import_module("faiss")
    except ImportError:
        print("faiss                not installed")
    else:
        index = faiss.IndexFlatIP(SIZE)
        index.add(dense.memory.data)
        seconds = timed(lambda: index.search(dense.query.data, k))
        print(f"faiss flat           {seconds:8.3f} s   {overall / seconds:5.2f} × faiss")
    vectors = (dense.memory.data.nbytes + dense.query.data.nbytes) / 2**20
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory          {peak:8.0f} MiB, of which vectors {vectors:.0f} MiB")


if __name__ == "__main__":
    main()
