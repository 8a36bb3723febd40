"""Arrays of figures: worked values, edges, means with intervals, contamination and loss. Worked out by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inspector.compare.batch import MatchedRows, Needs, matched_rows, recall_curve
from inspector.compare.contamination import assembled, exposure_values, path_values
from inspector.compare.figures import query_values, verdicts
from inspector.compare.intervals import Table, deltas, figures, group_codes, sign_flip_p
from inspector.trit import TritArray


def trits(*rows: str) -> TritArray:
    return np.array([["0?1".index(cell) for cell in row] for row in rows], dtype=np.uint8)


def judged(ranking: list[int], verdict: str, required: list[list[int]], tau: float = 0.8) -> MatchedRows:
    return matched_rows(np.array([ranking], dtype=np.int64), trits(verdict), Needs.of([required]), tau)


def first(array: Any) -> float | None:
    return None if np.isnan(array[0]) else float(array[0])


def test_worked_values() -> None:
    # wrong-scope, stale, anchor, extra: the anchor stands third
    found = judged([5, 6, 7, 8], "0011", [[7]])
    assert (found.prefix[0], first(found.risk_upper)) == (3, 2 / 3)
    # deny, stale, ?, anchor: four read, two known bad, one unknown
    found = judged([1, 2, 3, 4], "00?1", [[4]])
    assert (found.prefix[0], first(found.risk_upper), first(found.risk_lower)) == (4, 0.75, 0.5)
    assert (first(found.coverage), first(found.known_violation_rate)) == (0.75, 2 / 3)


def test_an_axis_left_out_of_the_verdict() -> None:
    axes = {"scope": trits("0111"), "policy": trits("1111"), "lifecycle": trits("1011")}
    memory, needs = np.array([[5, 6, 7, 8]]), Needs.of([[[7]]])
    whole = matched_rows(memory, verdicts(axes, ("scope", "policy", "lifecycle")), needs)
    without = matched_rows(memory, verdicts(axes, ("policy", "lifecycle")), needs)
    assert (first(whole.risk_upper), first(without.risk_upper)) == (2 / 3, 1 / 3)


@pytest.mark.parametrize(
    ("ranking", "verdict", "required", "tau", "expected"),
    [
        # recall, feasible, prefix, lower, upper
        ([1, 2], "00", [[9]], 0.0, (0.0, True, 0, 0.0, 0.0)),  # τ 0: an empty prefix without risk
        ([1, 2, 9, 3], "11?1", [[1], [2], [3]], 1.0, (1.0, True, 4, 0.0, 0.25)),  # τ 1: all of them
        ([1, 2, 9], "111", [[1], [2], [3]], 1.0, (2 / 3, False, -1, None, None)),
        ([-1, -1], "??", [[1]], 0.8, (0.0, False, -1, None, None)),  # an empty ranking
        ([1, -1], "1?", [], 0.8, (None, False, -1, None, None)),  # nothing required: not evaluable
        ([1, 2], "??", [[2]], 0.8, (1.0, True, 2, 0.0, 1.0)),  # all unknown
        ([3, -1, -1], "1??", [[3], []], 0.8, (0.5, False, -1, None, None)),  # one is not stored
        ([8, 7], "11", [[7, 8]], 0.8, (1.0, True, 1, 0.0, 0.0)),  # one id, two memories
    ],
)
def test_edges(
    ranking: list[int], verdict: str, required: list[list[int]], tau: float, expected: tuple[Any, ...]
) -> None:
    found = judged(ranking, verdict, required, tau)
    prefix = int(found.prefix[0])
    assert (first(found.recall), bool(found.feasible[0]), prefix) == expected[:3]
    assert (first(found.risk_lower), first(found.risk_upper)) == expected[3:]


def test_duplicates_are_refused() -> None:
    with pytest.raises(ValueError, match="twice"):
        judged([3, 3], "11", [[3]])
    # the same memory for two queries is none
    assert matched_rows(np.array([[3], [3]]), trits("1", "1"), Needs.of([[[3]], []])).hits.tolist() == [1, 0]


def test_no_query_and_no_candidate() -> None:
    empty = matched_rows(np.zeros((0, 5), dtype=np.int64), np.zeros((0, 5), dtype=np.uint8), Needs.of([]))
    assert empty.recall.shape == (0,)
    narrow = matched_rows(np.zeros((1, 0), dtype=np.int64), np.zeros((1, 0), dtype=np.uint8), Needs.of([[[4]]]))
    assert (narrow.recall.tolist(), narrow.feasible.tolist()) == ([0.0], [False])


def test_the_penalised_risk_is_the_sum_of_its_parts() -> None:
    # upper risks 1/2 and 0; the third is infeasible at cost 2; the fourth requires nothing
    memory = np.array([[1, 2], [1, -1], [1, -1], [1, -1]])
    verdict = trits("01", "1?", "1?", "1?")
    needs = Needs.of([[[2]], [[1]], [[2]], []])
    matched = matched_rows(memory, verdict, needs)
    counts = np.array([7, 7, 7, 7])
    found = query_values(matched, verdict, memory >= 0, counts, counts, cost=2.0)
    assert found["risk_upper"][:3].tolist() == [0.5, 0.0, 2.0]
    assert found["infeasibility_part"][:3].tolist() == [0.0, 0.0, 2.0]
    assert found["conditional_part"][:3].tolist() == [0.5, 0.0, 0.0]
    assert found["conditional_upper"][:2].tolist() == [0.5, 0.0]
    assert np.isnan(found["conditional_upper"][2:]).all()
    assert np.isnan([found[name][3] for name in ("recall", "feasible", "risk_upper", "infeasibility_part")]).all()
    with pytest.raises(ValueError, match="read-only"):
        found["recall"][0] = 0


def test_recall_by_depth() -> None:
    # query 0 needs two, found at ranks 1 and 3; query 1 one, at 2; query 2 nothing
    needs = Needs.of([[[1], [3]], [[8]], []])
    memory = np.array([[1, 2, 3], [7, 8, -1], [1, -1, -1]])
    matched = matched_rows(memory, np.full((3, 3), 2, np.uint8), needs)
    # after 1: (1/2 + 0)/2; after 2: (1/2 + 1)/2; after 3: 1
    assert recall_curve(matched, needs, matched.evaluable, 3).tolist() == [0.0, 0.25, 0.75, 1.0]


def test_needs_of_some_rows() -> None:
    needs = Needs.of([[[1]], [[2, 5], []], [], [[3]]])
    part = needs.of_rows(np.array([1, 3]))
    assert (part.counts.tolist(), part.row.tolist()) == ([2, 1], [0, 0, 1])
    assert (part.want.tolist(), part.memory.tolist()) == ([0, 0, 2], [2, 5, 3])


# ---- means and intervals


def table(values: list[list[float]], groups: list[str]) -> Table:
    codes, names = group_codes(groups)
    return Table(np.array(values, dtype=np.float64).T, codes, len(names))


def test_means_over_queries_then_sources_with_equal_weight() -> None:
    # source one has four queries (mean 1/4), source two one (mean 1): (1/4 + 1)/2
    one, two = table([[0, 0, 0, 1]], list("abcd")), table([[1]], ["a"])
    found = figures([one, two])[0]
    assert (found.value, found.queries) == (0.625, 5)
    # a source where no query defines the figure has no weight
    assert figures([one, table([[np.nan]], ["a"])])[0].value == 0.25


def test_an_interval_needs_two_groups() -> None:
    found = figures([table([[0, 1, 1]], ["a", "a", "a"])])[0]
    assert (found.value, found.low, found.high) == (2 / 3, None, None)
    # and two in which the figure is defined
    assert figures([table([[0, 1, np.nan]], ["a", "a", "b"])])[0].low is None
    assert figures([table([[np.nan]], ["a"])])[0].value is None


def test_the_bootstrap_draws_groups_and_not_queries() -> None:
    # Two groups of means 0 and 1, three queries each. A draw holds 0, 1 or 2 of the second with odds 1:2:1, so that a
    # quarter of the draws is 0 and a quarter 1: the 95 % interval is the whole range.
    found = figures([table([[0, 0, 0, 1, 1, 1]], list("aaabbb"))])[0]
    assert (found.value, found.low, found.high) == (0.5, 0.0, 1.0)
    # Groups of equal means do not vary, however their queries do.
    found = figures([table([[0, 1, 0, 1]], list("aabb"))])[0]
    assert (found.value, found.low, found.high) == (0.5, 0.5, 0.5)


def test_the_interval_is_the_same_for_every_order_of_queries_and_another_for_another_seed() -> None:
    random = np.random.default_rng(1)
    values, groups = random.random(40), [f"g{number % 9}" for number in range(40)]
    order = random.permutation(40)
    one = figures([table([values.tolist()], groups)], seed=3)[0]
    two = figures([table([values[order].tolist()], [groups[place] for place in order])], seed=3)[0]
    assert (one.low, one.high) == pytest.approx((two.low, two.high))
    assert figures([table([values.tolist()], groups)], seed=4)[0].low != one.low


@pytest.mark.parametrize(
    ("contributions", "p"),
    [
        # ± each: of 8 sums only +++ and --- are as far out as 6
        ([1.0, 2.0, 3.0], 2 / 8),
        # |1-2+3| = 2: sums of size 6, 4, 2, 0 come two each; those of at least 2 are six of eight
        ([1.0, -2.0, 3.0], 6 / 8),
        ([0.0, 0.0], 1.0),
        ([0.5], 1.0),
        ([1.0] * 16, 2 / 2**16),
        ([1.0] * 17, None),
        ([], None),
    ],
)
def test_exact_sign_flip(contributions: list[float], p: float | None) -> None:
    assert sign_flip_p(np.array(contributions)) == p


def test_deltas_count_queries_and_flip_groups() -> None:
    # group a: +1 and 0, group b: +1: contributions 1/3 and 1/3; ++ and -- of four are as far out
    found = deltas([table([[1, 0, 1, np.nan]], list("aabb"))])[0]
    assert found.value == pytest.approx(2 / 3)
    assert found.p == 0.5
    assert (found.more, found.less, found.same) == (2, 0, 1)


# ---- contamination and loss


def exposures(exposed: str, verdict: str, relevance: str, required: list[list[int]]) -> dict[str, float | None]:
    memory = np.arange(len(exposed), dtype=np.int64)[None, :]
    values = exposure_values(memory, trits(exposed), trits(verdict), trits(relevance), Needs.of([required]))
    return {name: first(array) for name, array in values.items()}


def test_contamination_is_what_was_exposed_and_is_not_usable() -> None:
    # exposed: usable, inadmissible, irrelevant, unresolved; not exposed: an excluded one
    found = exposures("11110", "101?0", "1101?", [])
    assert (found["contamination_lower"], found["contamination_upper"]) == (2 / 4, 3 / 4)
    assert (found["inadmissible_lower"], found["inadmissible_upper"]) == (1 / 4, 2 / 4)
    assert (found["irrelevant_lower"], found["irrelevant_upper"]) == (1 / 4, 1 / 4)
    assert (found["loss_lower"], found["loss_upper"], found["exposed"]) == (None, None, 4.0)


def test_nothing_exposed_has_no_contamination_and_loses_everything() -> None:
    found = exposures("00", "11", "11", [[0], []])
    assert (found["contamination_lower"], found["contamination_upper"]) == (None, None)
    assert (found["loss_lower"], found["loss_upper"]) == (1.0, 1.0)


def test_unknown_exposure_widens_both_figures() -> None:
    # surely exposed: one usable; perhaps: one that is not. Contamination 0/1 or 1/2; loss 0 of 2 or 1 of 2
    found = exposures("1?", "10", "11", [[0], [1]])
    assert (found["contamination_lower"], found["contamination_upper"]) == (0.0, 0.5)
    assert (found["loss_lower"], found["loss_upper"]) == (0.0, 0.5)


def test_only_perhaps_exposed() -> None:
    assert exposures("?", "0", "1", [])["contamination_lower"] == 1.0
    assert exposures("?", "1", "1", [])["contamination_upper"] == 0.0


def test_what_is_let_through() -> None:
    held = np.array([[True, True, True, False]])
    assert assembled("admit", trits("10?1"), held).tolist() == [[2, 0, 0, 0]]
    assert assembled("unresolved", trits("10?1"), held).tolist() == [[2, 0, 2, 0]]
    assert assembled("retrieved", trits("10?1"), held).tolist() == [[2, 2, 2, 0]]
    with pytest.raises(ValueError, match="everything"):
        assembled("everything", trits("1"), held[:, :1])


def test_by_path_only_who_was_served_counts() -> None:
    memory = np.array([[0, 1], [2, -1], [-1, -1]])
    path = np.array([[0, 1], [0, -1], [-1, -1]])
    yes = np.full((3, 2), 2, np.uint8)
    needs = Needs.of([[[1]], [[2]], [[9]]])
    found = path_values(path, 0, memory, yes, trits("01", "1?", "??"), yes, needs)
    # path 0 gave query 0 an inadmissible one and not what it needs, query 1 what it needs, query 2 nothing
    assert found["contamination_lower"][:2].tolist() == [1.0, 0.0]
    assert found["loss_upper"][:2].tolist() == [1.0, 0.0]
    assert np.isnan(found["contamination_lower"][2])
    assert np.isnan(found["loss_lower"][2])
    other = path_values(path, 1, memory, yes, trits("01", "1?", "??"), yes, needs)
    assert other["loss_upper"][0] == 0.0
    assert np.isnan(other["loss_upper"][1:]).all()
