"""How far several sources of judgments agree: Krippendorff's alpha for each axis (DESIGN 2).

The values 1, 0 and ? are three names: ? is a judgment that it cannot be told, not the lack of one. The maintained
package for alpha is under a licence that ours cannot take on, so the few lines stand here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from inspector.i18n import _d
from inspector.records import AXES, Judgment, namespace_key
from inspector.trit import Trit

#: Krippendorff's own bounds: from here on reliable, and from here on good enough for tentative conclusions.
RELIABLE, TENTATIVE = 0.8, 0.667


@dataclass(frozen=True, slots=True)
class Unit:
    """One (query, memory) that sources judged differently: what each said. ``namespace`` is canonical JSON or ""."""

    query_id: str
    namespace: str
    memory_id: str
    said: tuple[tuple[str, Trit], ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement on one axis. ``units`` are those judged by two sources or more, ``values`` the judgments of these.

    ``alpha`` is 1 for full agreement, 0 for what chance would give, below 0 for worse; None where no unit was judged
    twice, or where all judgments are equal and chance cannot be told from agreement. ``disputed`` are the units that
    sources judged differently.
    """

    axis: str
    alpha: float | None
    units: int
    values: int
    sources: tuple[str, ...]
    disputed: tuple[Unit, ...]

    @property
    def words(self) -> str:
        """What the number allows."""
        if self.alpha is None:
            same = _d("all judgments are equal: chance cannot be told from agreement")
            return same if self.units else _d("no pair was judged by two sources")
        if self.alpha >= RELIABLE:
            return _d("reliable")
        if self.alpha >= TENTATIVE:
            return _d("good enough for tentative conclusions")
        if self.axis == "policy":
            return _d("low: read this axis as consistency with declared fields, not as what people hold to be allowed")
        return _d("low: figures that rest on these labels say little")


def alpha_nominal(values: npt.NDArray[np.integer]) -> float | None:
    """Krippendorff's alpha of nominal values (units, sources), -1 where a source did not judge a unit.

    None where no unit has two values, or where all values of such units are equal.
    """
    known = values[np.count_nonzero(values >= 0, axis=1) > 1]
    categories = np.unique(known[known >= 0])
    counts = np.array([np.count_nonzero(known == value, axis=1) for value in categories], dtype=np.float64).T
    if counts.size == 0:
        return None
    per_unit = counts.sum(axis=1)
    total = float(per_unit.sum())
    # Pairs of values within a unit that differ, each unit's pairs weighted by 1 / (values - 1); then those that differ
    # when all values are thrown together.
    observed = ((per_unit**2 - (counts**2).sum(axis=1)) / (per_unit - 1)).sum()
    expected = (total**2 - (counts.sum(axis=0) ** 2).sum()) / (total - 1)
    return None if expected == 0 else float(1 - observed / expected)


def agreement(judgments: Iterable[Judgment]) -> tuple[Agreement, ...]:
    """The agreement on every axis that at least two sources judged, in the order of the axes.

    A source that judges one unit twice and differently counts as ? there: it does not agree with itself.
    """
    by_axis: dict[str, dict[tuple[str, str, str], dict[str, Trit]]] = {}
    for judgment in judgments:
        namespace = namespace_key({"namespace": judgment.namespace})
        unit = (judgment.query_id, namespace, judgment.memory_id)
        said = by_axis.setdefault(judgment.axis, {}).setdefault(unit, {})
        before = said.get(judgment.source, judgment.value)
        said[judgment.source] = judgment.value if before == judgment.value else Trit.UNKNOWN
    found = []
    for axis in (*AXES, "relevance"):
        units = by_axis.get(axis, {})
        sources = sorted({source for said in units.values() for source in said})
        if len(sources) > 1:
            found.append(_of_axis(axis, units, sources))
    return tuple(found)


def _of_axis(axis: str, units: dict[tuple[str, str, str], dict[str, Trit]], sources: Sequence[str]) -> Agreement:
    twice = {unit: said for unit, said in units.items() if len(said) > 1}
    table = np.full((len(twice), len(sources)), -1, dtype=np.int64)
    column = {source: place for place, source in enumerate(sources)}
    disputed = []
    for row, (unit, said) in enumerate(twice.items()):
        for source, value in said.items():
            table[row, column[source]] = int(value)
        if len(set(said.values())) > 1:
            disputed.append(Unit(*unit, tuple(sorted(said.items()))))
    alpha = alpha_nominal(table)
    alpha = None if alpha is None or not math.isfinite(alpha) else alpha
    values = int(np.count_nonzero(table >= 0))
    return Agreement(axis, alpha, len(twice), values, tuple(sources), tuple(disputed))
