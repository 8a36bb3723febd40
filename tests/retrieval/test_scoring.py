"""Keys, and the best k by two ways that must agree to the bit."""

from __future__ import annotations

import math

import numpy as np
import pytest

from inspector.retrieval import scoring
from inspector.retrieval.pool import BoolArray, FloatArray, IntArray
from inspector.retrieval.scoring import Dense, Keys, best, best_of_scores
from inspector.retrieval.vectors import unit_vectors


def test_keys_order_by_score_then_uid_and_put_unknown_last() -> None:
    keys = Keys(np.array([2, 0, 1, 3]))  # uid order: memory 1, 2, 0, 3
    # 0.5000001 and 0.5 are equal at 1e-6; memory 3 has no similarity
    packed = keys.pack(np.array([[0.5, 0.25, 0.5000001, math.nan]]), np.arange(4))
    memory, score = keys.unpack(best(packed, 6))
    assert memory.tolist() == [[2, 0, 1, 3, -1, -1]]
    assert score[0, :3].tolist() == [0.5, 0.5, 0.25]
    assert np.isnan(score[0, 3:]).all()


def test_keys_keep_out_what_is_not_allowed() -> None:
    keys = Keys(np.arange(3))
    packed = keys.pack(np.array([[0.1, 0.9, 0.5]]), np.arange(3), np.array([[True, False, True]]))
    assert keys.unpack(best(packed, 3))[0].tolist() == [[2, 0, -1]]


@pytest.mark.parametrize("score", [0.0, -1.0, 1.0, 123456.789012, -0.000001])
def test_keys_give_the_score_back(score: float) -> None:
    keys = Keys(np.arange(183_000))
    assert keys.unpack(keys.pack(np.array([[score]]), np.array([7])))[1].tolist() == [[score]]


def test_keys_hold_scores_of_any_size_in_order() -> None:
    keys = Keys(np.arange(183_000))
    packed = keys.pack(np.array([[-math.inf, 1e30, 1e6]]), np.array([1, 2, 3]))
    assert keys.unpack(best(packed, 3))[0].tolist() == [[2, 3, 1]]


def test_best_of_none_and_of_few() -> None:
    assert best(np.zeros((2, 0), dtype=np.int64), 2).tolist() == [[-1, -1], [-1, -1]]
    assert best(np.array([[4, 9, 7]]), 2).tolist() == [[9, 7]]


@pytest.mark.parametrize("k", [1, 7, 64, 3_000, 9_000])
@pytest.mark.parametrize("with_bonus", [False, True])
def test_the_large_way_gives_the_small_ways_bits(k: int, with_bonus: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(k)
    rows = rng.standard_normal((5_003, 24))
    rows[rng.integers(0, 5_003, 900)] = rows[17]  # many exact ties
    rows[[3, 4_000]] = 0
    asked = rng.standard_normal((9, 24))
    asked[2] = rows[17]
    asked[5] = math.nan
    dense = Dense(unit_vectors(rows), unit_vectors(asked))
    keys = Keys(rng.permutation(5_003))
    m = np.flatnonzero(rng.random(5_003) < 0.9)
    allowed = rng.random((9, len(m))) < 0.8
    allowed[4] = False
    bonus = rng.random(len(m)) * 0.1 if with_bonus else None
    q = np.arange(9)
    small = dense.best(q, m, k, keys, allowed, bonus)
    monkeypatch.setattr(scoring, "LARGE", 1)
    assert (dense.best(q, m, k, keys, allowed, bonus) == small).all()
    assert (dense.best(q[3:4], m, k, keys, allowed[3:4], bonus) == small[3:4]).all()
    assert (dense.best(q, m, k, keys, None, bonus)[4] >= 0).any()
    # one cut for all queries
    monkeypatch.setattr(scoring, "LARGE", 10**9)
    shared = dense.best(q, m, k, keys, allowed[:1], bonus)
    monkeypatch.setattr(scoring, "LARGE", 1)
    assert (dense.best(q, m, k, keys, allowed[:1], bonus) == shared).all()


def _sorted_one_by_one(scores: FloatArray, uid_rank: IntArray, k: int, allowed: BoolArray | None) -> list[list[int]]:
    """Memories of the k best, by rounded score and then by uid, unknown last, sorted in plain Python."""
    found = []
    for row, cells in enumerate(scores.tolist()):
        there = [c for c in range(len(cells)) if allowed is None or allowed[row if len(allowed) > 1 else 0, c]]
        there.sort(
            key=lambda c: (math.isnan(cells[c]), 0 if math.isnan(cells[c]) else -round(cells[c] * 1e6), uid_rank[c])
        )
        found.append((there[:k] + [-1] * k)[:k])
    return found


@pytest.mark.parametrize("cut", ["none", "one for all", "one each", "fewer than k"])
@pytest.mark.parametrize("kind", ["plain", "tied to the sixth place", "some unknown", "all unknown", "huge"])
def test_the_best_are_chosen_before_rounding_as_after_it(kind: str, cut: str) -> None:
    random = np.random.default_rng(7)
    scores: FloatArray = random.uniform(-1, 1, (6, 701))
    if kind == "tied to the sixth place":
        scores = (
            0.5 + random.integers(-3, 4, scores.shape).astype(np.float64) * 3e-7
        )  # steps of a third of what is told apart
    elif kind == "some unknown":
        scores[random.random(scores.shape) < 0.3] = np.nan
    elif kind == "all unknown":
        scores[:] = np.nan
    elif kind == "huge":
        scores *= 1e5
    allowed: BoolArray | None = {
        "none": None,
        "one for all": random.random((1, 701)) < 0.5,
        "one each": random.random((6, 701)) < 0.5,
        "fewer than k": random.random((6, 701)) < 0.02,
    }[cut]
    uid_rank = random.permutation(701).astype(np.int64)
    keys = Keys(uid_rank)
    expected = _sorted_one_by_one(scores, uid_rank, 40, allowed)
    memory, _ = keys.unpack(best_of_scores(scores.copy(), np.arange(701), 40, keys, allowed))
    assert memory.tolist() == expected


def test_vectors_of_two_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="cannot be compared"):
        Dense(unit_vectors(np.ones((1, 2))), unit_vectors(np.ones((1, 3))))
