"""M, R and A from pools worked out by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inspector.mdl.decision import Action, action_counts, decide_queries
from inspector.mdl.lexicon import default_lexicons
from inspector.mdl.params import Params
from inspector.mdl.signals import QuerySignals, SignalReader, pool_mask
from inspector.trit import Trit

PARAMS = Params()
#: Unit vectors in the plane: the pairwise cosines are 1, 0.6 and 0.6.
VECTORS = np.array([[1.0, 0.0], [1.0, 0.0], [0.6, 0.8]])
TEXTS = ["The user drinks coffee.", "The user does not drink coffee.", "The user owns a bike."]
ALL = [Trit.YES, Trit.YES, Trit.YES]


@pytest.fixture(scope="module")
def reader() -> SignalReader:
    return SignalReader(default_lexicons())


def read(reader: SignalReader, params: Params = PARAMS, **changes: Any) -> QuerySignals:
    values: dict[str, Any] = {
        "cosines": [0.9, 0.8, 0.5],
        "vectors": VECTORS,
        "texts": TEXTS,
        "admissible": ALL,
        "query_text": "hello",
        "risk": None,
    }
    found = reader.read(**{**values, **changes}, params=params)
    assert found is not None
    return found


def test_reliability_by_hand(reader: SignalReader) -> None:
    """s̄ = (1 + .6 + .6)/3, one of three judged pairs conflicts: R = .7333… · (2/3)² = .32592…"""
    found = read(reader).R
    assert found.relevant == (0, 1, 2)
    assert found.mean_cosine == pytest.approx(2.2 / 3)
    assert found.conflict_rate == pytest.approx(1 / 3)
    assert pytest.approx(2.2 / 3 * 4 / 9) == found.R
    assert [(pair.left, pair.right) for pair in found.conflicts] == [(0, 1)]
    assert found.conflicts[0].conflict.rule == "negation"


def test_length_of_vectors_does_not_matter(reader: SignalReader) -> None:
    assert pytest.approx(read(reader).R.R) == read(reader, vectors=VECTORS * np.array([[2.0], [0.5], [7.0]])).R.R


def test_the_relevant_set_begins_above_the_floor(reader: SignalReader) -> None:
    found = read(reader, cosines=[0.9, 0.3, 0.30001]).R
    assert found.relevant == (0, 2)
    assert pytest.approx(0.6) == found.R


@pytest.mark.parametrize("cosines", [[0.9, 0.1, 0.2], [0.1, 0.1, -0.5]])
def test_fewer_than_two_relevant_is_neutral(reader: SignalReader, cosines: list[float]) -> None:
    found = read(reader, cosines=cosines).R
    assert (found.R, found.judged, found.pairs) == (0.5, True, 0)
    assert "fewer than two" in found.reason


def test_no_pair_judged_is_neutral_and_says_so(reader: SignalReader) -> None:
    found = read(reader, texts=["Ich mag Tee", "Bonjour", "コーヒー"]).R
    assert (found.R, found.judged, found.judged_pairs, found.pairs) == (0.5, False, 0, 3)
    assert found.reason.startswith("not judged")
    assert found.mean_cosine == pytest.approx(2.2 / 3)


def test_pairs_that_are_not_judged_leave_the_rate(reader: SignalReader) -> None:
    """Only the pair (0, 1) is judged, and it conflicts: φ = 1, R = 0."""
    found = read(reader, texts=[*TEXTS[:2], "コーヒー"]).R
    assert (found.judged_pairs, found.conflict_rate, found.R) == (1, 1.0, 0.0)
    assert "2 not judged" in found.reason


def test_opposite_vectors_give_no_negative_reliability(reader: SignalReader) -> None:
    vectors = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])
    assert read(reader, vectors=vectors, texts=["The user likes tea."] * 3).R.R == 0.0


def test_excluding_a_conflicting_memory_changes_r_c_and_the_action(reader: SignalReader) -> None:
    """In the pool of what is not excluded the conflict is gone: R = .6 instead of .3259."""
    admissible = [Trit.YES, Trit.NO, Trit.UNKNOWN]
    wide = read(reader, admissible=admissible)
    narrow = read(reader, PARAMS.with_(pool="not-excluded"), admissible=admissible)
    assert pytest.approx(0.325926, abs=1e-6) == wide.R.R
    assert pytest.approx(0.6) == narrow.R.R
    assert narrow.R.conflicts == ()
    assert narrow.in_pool.tolist() == [True, False, True]
    first, second = decide_queries([wide], PARAMS)[0], decide_queries([narrow], PARAMS)[0]
    assert first is not None
    assert second is not None
    assert second.query.C > first.query.C


def test_an_unknown_verdict_stays_in_the_pool() -> None:
    trits = [Trit.YES, Trit.NO, Trit.UNKNOWN]
    assert pool_mask("not-excluded", trits).tolist() == [True, False, True]
    assert pool_mask("retrieved", trits).tolist() == [True, True, True]


def test_relevance_is_clipped_and_the_query_takes_the_pools_maximum(reader: SignalReader) -> None:
    found = read(reader, cosines=[-0.2, 1.0000001, 0.4])
    assert found.M.tolist() == [0.0, 1.0, 0.4]
    assert found.query_M == 1.0
    narrow = read(reader, PARAMS.with_(pool="not-excluded"), cosines=[0.2, 0.9, 0.4], admissible=[2, 0, 2])
    assert narrow.query_M == 0.4
    assert narrow.M.tolist() == [0.2, 0.9, 0.4]  # rows outside the pool keep their own M


def test_a_candidate_without_a_vector_has_no_decision(reader: SignalReader) -> None:
    found = read(reader, cosines=[0.9, np.nan, 0.5], vectors=np.array([[1.0, 0.0], [np.nan, 0.0], [0.6, 0.8]]))
    assert found.R.relevant == (0, 2)
    assert any("without a usable vector" in note for note in found.notes)
    decided = decide_queries([found], PARAMS)[0]
    assert decided is not None
    assert decided.rows[1] is None
    assert decided.rows[0] is not None


def test_no_vectors_no_signals(reader: SignalReader) -> None:
    for cosines, texts in (([], []), ([np.nan], ["x"])):
        got = reader.read(
            cosines=cosines,
            vectors=np.zeros((len(texts), 2)),
            texts=texts,
            admissible=[Trit.YES] * len(texts),
            query_text="x",
            risk=None,
            params=PARAMS,
        )
        assert got is None


def test_an_empty_pool_is_said(reader: SignalReader) -> None:
    found = read(reader, PARAMS.with_(pool="not-excluded"), admissible=[Trit.NO] * 3)
    assert found.query_M == 0.0
    assert found.R.R == 0.5
    assert found.notes == ("the pool is empty: M = 0",)


@pytest.mark.parametrize(
    ("risk", "text", "a", "tier", "origin"),
    [
        (0.33, "what dose?", 0.33, None, "number"),
        ("0.9", "x", 0.9, None, "number"),
        (1, "x", 1.0, None, "number"),
        ("Medical", "x", 0.85, "high", "category"),
        ("casual", "what dose?", 0.20, "low", "category"),
        ("의료", "x", 0.85, "high", "category"),
        (None, "Which dose of insulin?", 0.85, "high", "keywords"),
        (None, "How do I cancel the contract?", 0.50, "medium", "keywords"),
        (None, "Any good movie?", 0.20, "low", "keywords"),
        (None, "처방전은 어디에 있나요?", 0.85, "high", "keywords"),
        (None, "hello", 0.20, "low", "default"),
        (7, "hello", 0.20, "low", "default"),
        (True, "hello", 0.20, "low", "default"),
        ("nan", "which dose?", 0.85, "high", "keywords"),
    ],
)
def test_risk(reader: SignalReader, risk: Any, text: str, a: float, tier: str | None, origin: str) -> None:
    found = reader.risks.assess(risk, text, PARAMS)
    assert (found.A, found.tier, found.origin) == (a, tier, origin)
    assert found.reason


def test_a_query_without_a_match_says_so_and_the_tier_can_be_changed(reader: SignalReader) -> None:
    found = reader.risks.assess(None, "hello", PARAMS)
    assert "no keyword matches" in found.reason
    assert "[ours]" in found.reason
    assert reader.risks.assess(None, "hello", PARAMS.with_(default_tier="high")).A == 0.85
    assert "7 is no number" in reader.risks.assess(7, "hello", PARAMS).reason


def test_all_queries_are_decided_together(reader: SignalReader) -> None:
    one, two = read(reader), read(reader, risk="medical", cosines=[0.95, 0.2, 0.1])
    decided = decide_queries([one, None, two], PARAMS)
    assert decided[1] is None
    assert decided[2] is not None
    # Rows use their own M and the query's R and A.
    rows = decided[2].rows
    assert rows.M.tolist() == [0.95, 0.2, 0.1]
    assert set(rows.R) == {0.5}
    assert set(rows.A) == {0.85}
    assert decided[2].query.M == 0.95
    # A ≥ .70 with M ≥ .70 is the corner where the paper fails.
    assert rows.corner.tolist() == [True, False, False]
    assert sum(action_counts(decided).values()) == 2
    assert list(action_counts(decided)) == [Action.ACTIVE, Action.SUPP, Action.SILENT, Action.OPT_OUT]
    assert decide_queries([None], PARAMS) == [None]
