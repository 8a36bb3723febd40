"""Verifier lens and agreement: worked by hand, and against the published examples of Krippendorff's alpha."""

from __future__ import annotations

import numpy as np
import pytest

from inspector.compare.agreement import agreement, alpha_nominal
from inspector.compare.lens import auc, best_threshold, lens
from inspector.records import ABSENT, Judgment, Origin
from inspector.trit import Trit, TritArray


def array(*values: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array(values, dtype=np.float64)


def verdicts(text: str) -> TritArray:
    return np.array(["0?1".index(cell) for cell in text], dtype=np.uint8)


def test_auc_counts_pairs_and_halves_ties() -> None:
    # pairs (3,1) (3,2) (2,1) win, (2,2) ties: 3.5 of 4
    assert auc(array(3, 2), array(1, 2)) == 3.5 / 4
    assert auc(array(1, 1), array(1)) == 0.5
    assert auc(array(0), array(1)) == 0.0
    assert auc(array(), array(1)) is None


def test_the_best_threshold_keeps_required_evidence() -> None:
    # below .5 stand two of three violations and no required evidence; a higher one would lose the evidence at .5
    found = best_threshold(array(0.1, 0.4, 0.9), array(0.5, 0.8), array(0.3, 0.5, 0.8))
    assert found is not None
    assert 0.4 < found.value < 0.5
    assert (found.rejected, found.false_rejection, found.admitted_rejected) == (2 / 3, 0.0, 1 / 3)


def test_one_of_a_hundred_may_be_lost_and_not_two() -> None:
    required = np.arange(100, dtype=np.float64)  # 0, 1, …, 99
    one = best_threshold(array(0.5), required, required)
    assert one is not None
    assert one.false_rejection == 0.01
    assert best_threshold(array(1.5), required, required) is None


def test_no_threshold_where_evidence_scores_lowest() -> None:
    found = lens("similarity", array(0.9, 0.8, 0.1), verdicts("001"), np.array([False, False, True]))
    assert found.threshold is None
    assert found.auc == 0.0
    assert "no threshold exists" in found.words


def test_a_score_that_is_high_for_violations() -> None:
    scores = array(0.9, 0.2, 0.1, np.nan, 0.5)
    found = lens(
        "meta.risk", scores, verdicts("0111?"), np.array([False, True, False, True, False]), high_is_violation=True
    )
    assert found.auc == 1.0
    assert found.threshold is not None
    # reject what is above: the violation at .9 goes, the evidence at .2 stays
    assert 0.2 < found.threshold.value < 0.9
    assert (found.admitted, found.violations, found.required, found.unresolved, found.unscored) == (2, 1, 1, 1, 1)
    assert "above" in found.words


def test_what_there_is_nothing_to_judge_by_is_said() -> None:
    nothing = np.zeros(1, dtype=np.bool_)
    assert "no known violation" in lens("s", array(1), verdicts("1"), ~nothing).words
    assert "no required evidence" in lens("s", array(1), verdicts("0"), nothing).words
    assert lens("s", array(), verdicts(""), np.zeros(0, dtype=np.bool_)).auc is None


# ---- agreement. Examples A, B and C of K. Krippendorff, Computing Krippendorff's Alpha-Reliability (2011).


def table(*observers: str) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """One observer a row, one character a unit, "." where there is none; turned into units by observers."""
    return np.array([[-1 if cell == "." else ord(cell) for cell in row] for row in observers]).T


@pytest.mark.parametrize(
    ("observers", "alpha"),
    [
        (("0100000010", "1110010000"), 0.095),
        (("aabbdcccedda", "babbbccceddd"), 0.692),
        (("123321412...", "1233224125.3", ".3332342251.", "12332441251."), 0.743),
    ],
)
def test_alpha_of_published_examples(observers: tuple[str, ...], alpha: float) -> None:
    assert alpha_nominal(table(*observers)) == pytest.approx(alpha, abs=0.0005)


def test_alpha_at_its_edges() -> None:
    assert alpha_nominal(table("1234", "1234")) == 1.0
    assert alpha_nominal(table("1111", "1111")) is None  # chance cannot be told from agreement
    assert alpha_nominal(table("1.", ".1")) is None  # nobody judged what another did
    assert alpha_nominal(np.zeros((0, 2), dtype=np.int64)) is None


def judgment(query: str, memory: str, axis: str, value: Trit, source: str) -> Judgment:
    return Judgment(query, memory, ABSENT, axis, value, source, Origin("test"))  # type: ignore[arg-type]


def test_agreement_by_axis_names_what_is_disputed() -> None:
    found = agreement(
        [
            judgment("q", "a", "scope", Trit.YES, "ann"),
            judgment("q", "a", "scope", Trit.YES, "bob"),
            judgment("q", "b", "scope", Trit.NO, "ann"),
            judgment("q", "b", "scope", Trit.UNKNOWN, "bob"),
            judgment("q", "c", "scope", Trit.YES, "ann"),
            judgment("q", "a", "policy", Trit.YES, "ann"),
        ]
    )
    assert [one.axis for one in found] == ["scope"]
    scope = found[0]
    assert (scope.units, scope.values, scope.sources) == (2, 4, ("ann", "bob"))
    assert [(unit.memory_id, unit.said) for unit in scope.disputed] == [
        ("b", (("ann", Trit.NO), ("bob", Trit.UNKNOWN)))
    ]
    # values 1 1 / 0 ?: observed 2 disagreeing pairs; of the 12 pairs of all four values 2 agree: (16 - 6)/3
    assert scope.alpha == pytest.approx(1 - 2 / (10 / 3))
    assert "say little" in scope.words


def test_low_agreement_on_policy_says_how_to_read_it() -> None:
    low = agreement(
        [
            judgment("q", f"m{i}", "policy", value, source)
            for i in range(4)
            for source, value in (("ann", Trit.of(i % 2 == 0)), ("bob", Trit.of(i < 2)))
        ]
    )[0]
    assert low.alpha is not None
    assert low.alpha < 0.667
    assert "consistency with declared fields" in low.words


def test_a_source_that_contradicts_itself_counts_as_unknown() -> None:
    found = agreement(
        [
            judgment("q", "a", "scope", Trit.YES, "ann"),
            judgment("q", "a", "scope", Trit.NO, "ann"),
            judgment("q", "a", "scope", Trit.YES, "bob"),
        ]
    )[0]
    assert found.disputed[0].said == (("ann", Trit.UNKNOWN), ("bob", Trit.YES))
