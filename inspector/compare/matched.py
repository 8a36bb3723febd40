"""Risk at matched recall, for one query or for all at once (DESIGN 5, after RA).

Counting violations alone rewards the route that returns nothing. Here every ranking is first read just as far as it
takes to reach the target recall; only that prefix is judged.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from inspector.i18n import _
from inspector.trit import Trit, TritArray

#: The recall that a prefix must reach (DESIGN 5).
DEFAULT_TAU = 0.8


@dataclass(frozen=True, slots=True)
class Matched:
    """The figures of one query's ranking at target recall (DESIGN 5).

    ``required`` is |Q|, with required memories that are not stored counted. Where ``evaluable`` is False (nothing is
    required) every figure is None. ``recall`` is over the whole ranking. Where the target is not reached, ``feasible``
    is False and the prefix with its counts and bounds is None: the loss is then the infeasibility cost.
    """

    required: int
    hits: int
    evaluable: bool
    recall: float | None
    feasible: bool | None
    prefix: int | None
    violations: int | None
    admitted: int | None
    unresolved: int | None

    @property
    def risk_lower(self) -> float | None:
        """v / n on the matched prefix; 0 on an empty one; None where there is no prefix."""
        return None if self.prefix is None or self.violations is None else _share(self.violations, self.prefix)

    @property
    def risk_upper(self) -> float | None:
        """(v + u) / n on the matched prefix; 0 on an empty one; None where there is no prefix."""
        if self.prefix is None or self.violations is None or self.unresolved is None:
            return None
        return _share(self.violations + self.unresolved, self.prefix)

    @property
    def coverage(self) -> float | None:
        """(v + a) / n, the share of the prefix whose verdict is known; None where there is no prefix or it is empty."""
        if not self.prefix or self.violations is None or self.admitted is None:
            return None
        return (self.violations + self.admitted) / self.prefix

    @property
    def known_violation_rate(self) -> float | None:
        """v / (v + a); None where nothing in the prefix is known."""
        if self.violations is None or self.admitted is None or self.violations + self.admitted == 0:
            return None
        return self.violations / (self.violations + self.admitted)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def needed_hits(required: int, tau: float) -> int:
    """The fewest hits h with h / required ≥ tau; tau = 0 needs none."""
    return max(0, math.ceil(tau * required - 1e-9))


def matched(
    ranking: Sequence[int] | npt.NDArray[np.int64],
    required: Sequence[Sequence[int]],
    admissible: Sequence[int] | TritArray,
    tau: float = DEFAULT_TAU,
) -> Matched:
    """Judge one ranking at target recall ``tau``.

    ``ranking`` holds memory indices in rank order (padding with -1 at the end is ignored), ``admissible`` their
    verdicts, ``required`` one entry a needed memory: the indices that its id means (usually one; none where it is not
    stored). Raises ValueError where a memory stands in the ranking twice.
    """
    order = [int(memory) for memory in ranking if memory >= 0]
    if len(set(order)) != len(order):
        raise ValueError(_("a ranking holds a memory twice"))
    wants: dict[int, list[int]] = {}
    for number, meant in enumerate(required):
        for memory in meant:
            wants.setdefault(memory, []).append(number)
    total = len(required)
    need = needed_hits(total, tau)
    found: set[int] = set()
    prefix: int | None = 0 if need == 0 else None
    for rank, memory in enumerate(order, 1):
        found.update(wants.get(memory, ()))
        if prefix is None and len(found) >= need:
            prefix = rank
    if total == 0:
        return Matched(0, 0, False, None, None, None, None, None, None)
    if prefix is None:
        return Matched(total, len(found), True, len(found) / total, False, None, None, None, None)
    verdicts = [int(value) for value in admissible[:prefix]]
    return Matched(
        required=total,
        hits=len(found),
        evaluable=True,
        recall=len(found) / total,
        feasible=True,
        prefix=prefix,
        violations=verdicts.count(Trit.NO),
        admitted=verdicts.count(Trit.YES),
        unresolved=verdicts.count(Trit.UNKNOWN),
    )


@dataclass(frozen=True, slots=True)
class MatchedOverall:
    """Means over the evaluable queries of one source (DESIGN 5).

    ``risk_lower`` and ``risk_upper`` are penalised: an infeasible query counts with the infeasibility cost. Each is
    None where no query is evaluable.
    """

    evaluable: int
    not_evaluable: int
    recall: float | None
    feasible_share: float | None
    risk_lower: float | None
    risk_upper: float | None
    infeasibility_part: float | None
    conditional_upper: float | None


def overall(figures: Sequence[Matched], infeasibility_cost: float = 1.0) -> MatchedOverall:
    """Average the figures of all queries; the penalised upper risk is also given as its two parts.

    ``infeasibility_part`` + ``conditional_upper`` × feasible share = ``risk_upper``; ``conditional_upper`` is the
    mean upper risk over the feasible queries alone, None where there is none.
    """
    evaluable = [figure for figure in figures if figure.evaluable]
    count = len(evaluable)
    if count == 0:
        return MatchedOverall(0, len(figures), None, None, None, None, None, None)
    uppers = [figure.risk_upper for figure in evaluable if figure.risk_upper is not None]
    lowers = [figure.risk_lower for figure in evaluable if figure.risk_lower is not None]
    missed = (count - len(uppers)) * infeasibility_cost
    return MatchedOverall(
        evaluable=count,
        not_evaluable=len(figures) - count,
        recall=math.fsum(figure.recall or 0.0 for figure in evaluable) / count,
        feasible_share=len(uppers) / count,
        risk_lower=(math.fsum(lowers) + missed) / count,
        risk_upper=(math.fsum(uppers) + missed) / count,
        infeasibility_part=missed / count,
        conditional_upper=math.fsum(uppers) / len(uppers) if uppers else None,
    )
