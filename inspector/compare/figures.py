"""The figures by which routes are compared, query by query (DESIGN 5): a value for each query, NaN where undefined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from inspector.compare.batch import FloatArray, IntArray, MatchedRows, counts_to
from inspector.trit import TritArray

#: Which queries a figure is a mean over.
Over = Literal["evaluable", "feasible", "answered", "all", "exposing"]


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure's name, what it says in a few words, over which queries it is a mean, and whether more is better.

    ``better`` is +1 where more is better, -1 where less is, 0 where neither.
    """

    name: str
    words: str
    over: Over
    better: int = 0


def _metrics(*metrics: Metric) -> dict[str, Metric]:
    return {metric.name: metric for metric in metrics}


#: The figures of a route, in the order in which they are listed. Those over "evaluable" queries count an infeasible
#: one with the infeasibility cost where they are risks; ``risk_upper`` = ``infeasibility_part`` + ``conditional_part``.
METRICS = _metrics(
    Metric("recall", "required evidence found among the k candidates", "evaluable", 1),
    Metric("feasible", "share of queries that reach the target recall", "evaluable", 1),
    Metric("risk_lower", "known violations at matched recall, infeasible queries at their cost", "evaluable", -1),
    Metric(
        "risk_upper", "violations and unresolved at matched recall, infeasible queries at their cost", "evaluable", -1
    ),
    Metric("infeasibility_part", "the part of risk_upper that comes from infeasible queries", "evaluable", -1),
    Metric("conditional_part", "the part of risk_upper that comes from feasible queries", "evaluable", -1),
    Metric("conditional_lower", "risk_lower of the feasible queries alone", "feasible", -1),
    Metric("conditional_upper", "risk_upper of the feasible queries alone", "feasible", -1),
    Metric("prefix", "candidates read to reach the target recall", "feasible", -1),
    Metric("violations", "known violations in the matched prefix", "feasible", -1),
    Metric("admitted", "admitted candidates in the matched prefix", "feasible"),
    Metric("unresolved", "unresolved candidates in the matched prefix", "feasible", -1),
    Metric("coverage", "share of the matched prefix whose verdict is known", "feasible", 1),
    Metric("known_violation_rate", "violations among the known verdicts of the matched prefix", "feasible", -1),
    Metric("any_violation", "share of queries with a known violation in the matched prefix", "feasible", -1),
    Metric("ranking_lower", "known violations among all k candidates, whatever the recall", "answered", -1),
    Metric("ranking_upper", "violations and unresolved among all k candidates, whatever the recall", "answered", -1),
    Metric("similarities", "similarities that the ranking costs", "all", -1),
    Metric("width", "candidates ranked before the cut at k", "all"),
)
#: The figures of what a route puts into a prompt (contamination and loss), for each way of letting through.
EXPOSURE_METRICS = _metrics(
    Metric("contamination_lower", "exposed memories known not to be usable", "exposing", -1),
    Metric("contamination_upper", "exposed memories not known to be usable", "exposing", -1),
    Metric("inadmissible_lower", "exposed memories with verdict 0", "exposing", -1),
    Metric("inadmissible_upper", "exposed memories with verdict 0 or ?", "exposing", -1),
    Metric("irrelevant_lower", "exposed memories with relevance 0", "exposing", -1),
    Metric("irrelevant_upper", "exposed memories with relevance 0 or ?", "exposing", -1),
    Metric("loss_lower", "required evidence not exposed for certain", "evaluable", -1),
    Metric("loss_upper", "required evidence not known to be exposed", "evaluable", -1),
    Metric("exposed", "memories exposed", "all"),
)
#: The figures whose difference from the base route is given: both routes define them for the same queries.
PAIRED = ("recall", "feasible", "risk_lower", "risk_upper")

Values = Mapping[str, FloatArray]


def frozen(values: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """The same arrays, made read-only: results are shown by screens and must not be changed by them."""
    for array in values.values():
        array.flags.writeable = False
    return dict(values)


def verdicts(trits: Mapping[str, TritArray], axes: Sequence[str]) -> TritArray:
    """The verdict: strong Kleene AND of the axes that count."""
    first, *others = (trits[axis] for axis in axes)
    for axis in others:
        first = np.minimum(first, axis)
    return first


def query_values(
    matched: MatchedRows,
    admissible: TritArray,
    held: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
    similarities: IntArray,
    width: IntArray,
    cost: float = 1.0,
) -> dict[str, FloatArray]:
    """The value of every figure of :data:`METRICS` for every query.

    ``admissible`` and ``held`` (Q, k) are the verdicts and whether a cell holds a candidate; ``cost`` is what an
    infeasible query counts.
    """
    evaluable, feasible = matched.evaluable, matched.feasible
    infeasible = evaluable & ~feasible
    length = np.count_nonzero(held, axis=1)
    no, _, unknown = counts_to(admissible, held, length)

    def at_cost(values: FloatArray) -> FloatArray:
        return np.where(infeasible, cost, values)

    def prefix_only(values: IntArray) -> FloatArray:
        return np.where(feasible, values, np.nan)

    def of_all(part: IntArray) -> FloatArray:
        out = np.full(len(part), np.nan)
        np.divide(part, length, out=out, where=length > 0)
        return out

    return frozen(
        {
            "recall": matched.recall,
            "feasible": np.where(evaluable, feasible.astype(np.float64), np.nan),
            "risk_lower": at_cost(matched.risk_lower),
            "risk_upper": at_cost(matched.risk_upper),
            "infeasibility_part": np.where(evaluable, np.where(feasible, 0.0, cost), np.nan),
            "conditional_part": np.where(infeasible, 0.0, matched.risk_upper),
            "conditional_lower": matched.risk_lower.copy(),
            "conditional_upper": matched.risk_upper.copy(),
            "prefix": prefix_only(matched.prefix),
            "violations": prefix_only(matched.violations),
            "admitted": prefix_only(matched.admitted),
            "unresolved": prefix_only(matched.unresolved),
            "coverage": matched.coverage,
            "known_violation_rate": matched.known_violation_rate,
            "any_violation": matched.any_violation,
            "ranking_lower": of_all(no),
            "ranking_upper": of_all(no + unknown),
            "similarities": similarities.astype(np.float64),
            "width": width.astype(np.float64),
        }
    )
