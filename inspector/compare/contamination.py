"""Contamination and loss, always two figures (DESIGN 5, after BM): by query, route and path.

Contamination is the share of what was exposed that is not usable; loss the share of the required evidence that was
not exposed. Both are bounds: ``?`` may be either. What is exposed comes from a trace, or follows from the verdicts
that are let through; with nothing held back ("retrieved") a route is seen without any gate.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from inspector.compare.batch import BoolArray, FloatArray, IntArray, Needs, pair_cells
from inspector.compare.figures import frozen
from inspector.i18n import _
from inspector.trit import NO, UNKNOWN, YES, TritArray

#: The ways in which candidates get into a prompt: all of them, those not excluded, those admitted.
EXPOSURES = ("retrieved", "unresolved", "admit")


def assembled(rule: str, admissible: TritArray, held: BoolArray) -> TritArray:
    """Whether each candidate (Q, k) is exposed where no trace says: by one of :data:`EXPOSURES`.

    Raises ValueError for another rule.
    """
    if rule == "retrieved":
        through = held
    elif rule == "unresolved":
        through = held & (admissible != np.uint8(NO))
    elif rule == "admit":
        through = held & (admissible == np.uint8(YES))
    else:
        raise ValueError(_("{rule} is no way of letting through").format(rule=rule))
    return np.where(through, np.uint8(YES), np.uint8(NO)).astype(np.uint8)


def _share(part: IntArray, whole: IntArray) -> FloatArray:
    out = np.full(len(part), np.nan)
    np.divide(part, whole, out=out, where=whole > 0)
    return out


def _bounds(exposed: TritArray, good: TritArray) -> tuple[FloatArray, FloatArray]:
    """The least and the greatest share of what was exposed that is not ``good``, for each query.

    A candidate whose exposure is ? is counted or not as makes the bound wider.
    """
    yes, maybe = exposed == np.uint8(YES), exposed == np.uint8(UNKNOWN)
    bad, not_good = good == np.uint8(NO), good != np.uint8(YES)

    def count(cells: npt.NDArray[np.bool_]) -> IntArray:
        # np.count_nonzero takes five times as long along an axis.
        counted: IntArray = cells.sum(axis=1, dtype=np.int64)
        return counted

    sure, maybe_not_good = count(yes), count(maybe & not_good)
    lower = _share(count(yes & bad), sure + count(maybe & ~bad))
    upper = _share(count(yes & not_good) + maybe_not_good, sure + maybe_not_good)
    # Where everything that may have been exposed lies on one side, the other bound is of what is left.
    lower = np.where(np.isnan(lower), upper, lower)
    return lower, np.where(np.isnan(upper), lower, upper)


def loss(memory: npt.NDArray[np.integer], exposed: TritArray, needs: Needs) -> tuple[FloatArray, FloatArray]:
    """Least and greatest share (Q,) of each query's required evidence that was not exposed; NaN where none is.

    A memory that the ranking does not hold counts as not exposed.
    """
    cells = pair_cells(memory, needs)
    state = np.full(len(needs.row), int(NO), dtype=np.int64)
    found = cells >= 0
    np.maximum.at(state, needs.want[found], exposed.ravel()[cells[found]].astype(np.int64))
    missing = np.bincount(needs.row[state == int(NO)], minlength=len(needs))
    not_sure = np.bincount(needs.row[state != int(YES)], minlength=len(needs))
    return _share(missing, needs.counts), _share(not_sure, needs.counts)


def exposure_values(
    memory: npt.NDArray[np.integer],
    exposed: TritArray,
    admissible: TritArray,
    relevance: TritArray,
    needs: Needs,
) -> dict[str, FloatArray]:
    """The figures of :data:`inspector.compare.figures.EXPOSURE_METRICS` for every query; arrays are (Q, k)."""
    exposed = np.where(memory >= 0, exposed, np.uint8(NO)).astype(np.uint8)
    usable = np.minimum(admissible, relevance)
    values: dict[str, FloatArray] = {}
    for name, good in (("contamination", usable), ("inadmissible", admissible), ("irrelevant", relevance)):
        values[f"{name}_lower"], values[f"{name}_upper"] = _bounds(exposed, good)
    values["loss_lower"], values["loss_upper"] = loss(memory, exposed, needs)
    values["exposed"] = np.count_nonzero(exposed == np.uint8(YES), axis=1).astype(np.float64)
    return frozen(values)


def path_values(
    path: npt.NDArray[np.integer],
    number: int,
    memory: npt.NDArray[np.integer],
    exposed: TritArray,
    admissible: TritArray,
    relevance: TritArray,
    needs: Needs,
) -> dict[str, FloatArray]:
    """:func:`exposure_values` of one path alone: only its candidates count, and only the queries that it served.

    ``path`` (Q, k) holds each candidate's path. On the queries that the path did not serve every figure is NaN.
    """
    on = (path == number) & (memory >= 0)
    alone = np.where(on, exposed, np.uint8(NO)).astype(np.uint8)
    served = on.any(axis=1)
    values = exposure_values(memory, alone, admissible, relevance, needs)
    return frozen({name: np.where(served, array, np.nan) for name, array in values.items()})
