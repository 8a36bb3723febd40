"""Matched recall: the worked values of DESIGN 5 and each figure at its edges, worked out by hand."""

from __future__ import annotations

import pytest

from inspector.compare.matched import Matched, matched, needed_hits, overall
from inspector.trit import Trit

NO, Q, YES = int(Trit.NO), int(Trit.UNKNOWN), int(Trit.YES)


def test_worked_value_wrong_scope_stale_anchor_extra() -> None:
    # wrong-scope (0), stale (0), anchor (1), extra: the anchor stands third, so n = 3, v = 2: upper 2/3.
    found = matched([5, 6, 7, 8], [[7]], [NO, NO, YES, YES])
    assert found.prefix == 3
    assert found.risk_upper == found.risk_lower == pytest.approx(2 / 3)


def test_worked_value_with_scope_left_out() -> None:
    # Without the scope axis the first is no violation any more: 1/3.
    assert matched([5, 6, 7, 8], [[7]], [YES, NO, YES, YES]).risk_upper == pytest.approx(1 / 3)


def test_worked_value_deny_stale_unknown_anchor() -> None:
    found = matched([1, 2, 3, 4], [[4]], [NO, NO, Q, YES])
    assert (found.prefix, found.risk_upper, found.risk_lower) == (4, 0.75, 0.5)
    assert found.coverage == 0.75
    assert found.known_violation_rate == pytest.approx(2 / 3)


def test_tau_zero_is_an_empty_prefix_without_risk() -> None:
    found = matched([1, 2], [[9]], [NO, NO], tau=0.0)
    assert (found.feasible, found.prefix, found.risk_lower, found.risk_upper) == (True, 0, 0.0, 0.0)
    assert found.coverage is None


def test_tau_one_needs_all() -> None:
    required = [[1], [2], [3]]
    assert matched([1, 2, 9, 3], required, [YES] * 4, tau=1.0).prefix == 4
    assert matched([1, 2, 9], required, [YES] * 3, tau=1.0).feasible is False


@pytest.mark.parametrize(
    ("required", "tau", "need"),
    # 0.8 of 1, 2, 3, 4, 5, 10 is .8, 1.6, 2.4, 3.2, 4, 8: rounded up by hand.
    [(1, 0.8, 1), (2, 0.8, 2), (3, 0.8, 3), (4, 0.8, 4), (5, 0.8, 4), (10, 0.8, 8), (3, 0.0, 0), (7, 1.0, 7)],
)
def test_needed_hits(required: int, tau: float, need: int) -> None:
    assert needed_hits(required, tau) == need


def test_empty_ranking_is_infeasible_and_has_no_bounds() -> None:
    found = matched([], [[1]], [])
    assert (found.recall, found.feasible, found.prefix, found.risk_upper) == (0.0, False, None, None)


def test_nothing_required_is_not_evaluable() -> None:
    found = matched([1, 2], [], [YES, YES])
    assert found == Matched(0, 0, False, None, None, None, None, None, None)


def test_required_but_not_stored_counts_against_recall() -> None:
    # Two required, one of which is not in the store: recall can be 1/2 at the most.
    found = matched([4, 5], [[4], []], [YES, YES])
    assert (found.recall, found.feasible) == (0.5, False)


def test_all_unknown_gives_the_whole_interval() -> None:
    found = matched([1, 2], [[2]], [Q, Q])
    assert (found.risk_lower, found.risk_upper, found.known_violation_rate) == (0.0, 1.0, None)


def test_padding_is_no_candidate_and_duplicates_are_refused() -> None:
    assert matched([3, -1, -1], [[3]], [YES, Q, Q]).prefix == 1
    with pytest.raises(ValueError, match="twice"):
        matched([3, 3], [[3]], [YES, YES])


def test_an_id_that_means_two_memories_is_one_requirement() -> None:
    assert matched([8, 7], [[7, 8]], [YES, YES]).prefix == 1


def test_overall_splits_the_penalised_risk_into_its_two_parts() -> None:
    # Three evaluable: upper risks 1/2 and 0, one infeasible at cost 1. Mean upper (0.5+0+1)/3 = 0.5.
    rows = [
        matched([1, 2], [[2]], [NO, YES]),
        matched([1], [[1]], [YES]),
        matched([1], [[2]], [YES]),
        matched([1], [], [YES]),
    ]
    total = overall(rows)
    assert (total.evaluable, total.not_evaluable) == (3, 1)
    assert total.recall == pytest.approx(2 / 3)
    assert total.feasible_share == pytest.approx(2 / 3)
    assert total.risk_upper == pytest.approx(0.5)
    assert total.infeasibility_part == pytest.approx(1 / 3)
    assert total.conditional_upper == pytest.approx(0.25)
    assert total.risk_upper == pytest.approx((total.infeasibility_part or 0) + 0.25 * 2 / 3)


def test_overall_of_nothing_evaluable_has_no_figures() -> None:
    total = overall([matched([1], [], [YES])])
    assert (total.evaluable, total.recall, total.risk_upper) == (0, None, None)
