"""What a decision and the conflict detector cost: prints times and ratios, asserts nothing.

``python tests/benchmarks/bench_mdl.py`` takes a few seconds. ``--embed`` also loads the model and encodes one query,
to set the figures beside. Medians; the machine's other work moves them, so that the ratios count.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from inspector.mdl import ConflictDetector, Params, decide, default_lexicons, encode, encode_many

PAIRS = Path(__file__).resolve().parents[1] / "mdl" / "data" / "conflict_pairs.jsonl"
BATCHES = (1, 20, 1_000, 100_000)


def median_us(work: Callable[[], object], seconds: float = 0.5, least: int = 5) -> float:
    """Median time of one call in microseconds, over as many calls as fit into ``seconds``."""
    work()
    times: list[float] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < least:
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6


def texts_of(language: str) -> list[str]:
    """Twenty texts of the labelled pairs: both sides of the first ten of a language."""
    rows = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    return [row[side] for row in [r for r in rows if r["language"] == language][:10] for side in ("a", "b")]


def decision_lines(params: Params) -> dict[str, float]:
    """Microseconds per decision."""
    rng = np.random.default_rng(0)
    found = {"one by one, every intermediate": median_us(lambda: encode(0.61, 0.4, 0.5, params))}
    for size in BATCHES:
        m, r, a = rng.random((3, size))
        found[f"batch of {size:,}"] = median_us(lambda m=m, r=r, a=a: encode_many(m, r, a, params)) / size  # type: ignore[misc]
    m, r, a = rng.random((3, BATCHES[-1]))
    found[f"batch of {BATCHES[-1]:,}, with actions"] = median_us(lambda: decide(m, r, a, params)) / BATCHES[-1]
    return found


def conflict_lines() -> dict[str, float]:
    """Microseconds for 20 texts and their 190 pairs."""
    found: dict[str, float] = {}
    for language in ("en", "ko"):
        texts, detector = texts_of(language), ConflictDetector(default_lexicons())

        def uncached(texts: list[str] = texts, detector: ConflictDetector = detector) -> None:
            detector.parse.cache_clear()
            detector.table(texts)

        found[f"conflicts of 20 texts, {language}, not read before"] = median_us(uncached)
        found[f"conflicts of 20 texts, {language}, read before"] = median_us(
            lambda texts=texts, detector=detector: detector.table(texts)  # type: ignore[misc]
        )
    return found


def embedding_line() -> float:
    """Microseconds for the vector of one query, the model being loaded."""
    from inspector.retrieval.embedder import Embedder

    with Embedder() as embedder:
        return median_us(lambda: embedder.encode_all(["Which days does the clinic open before nine?"]), 2.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--embed", action="store_true", help="also encode one query with the model")
    embed = parser.parse_args().embed
    lines = decision_lines(Params()) | conflict_lines()
    reference = embedding_line() if embed else None
    width = max(map(len, lines))
    print(f"{'':{width}}  {'µs':>10}" + (f"  {'of one embedding':>17}" if reference else ""))
    for name, us in lines.items():
        print(f"{name:{width}}  {us:>10.2f}" + (f"  {us / reference:>17.5f}" if reference else ""))
    if reference:
        print(f"{'embedding of one query':{width}}  {reference:>10.2f}  {1:>17.5f}")


if __name__ == "__main__":
    main()
