"""Means over queries, then sources, with seeded group-bootstrap intervals; paired differences (DESIGN 5).

A mean is taken over the queries of a source for which the figure is defined, then over the sources with equal weight.
Queries of one group (the principal's namespace) rise and fall together, so the bootstrap draws groups, not queries.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from inspector.compare.batch import FloatArray, IntArray

#: Draws of the bootstrap and the share of them inside an interval [ours].
RESAMPLES = 2_000
LEVEL = 0.95
#: Up to so many groups every combination of signs is tried (DESIGN 5).
MAX_SIGN_GROUPS = 16
_CELLS = 4_000_000


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean with its interval. ``queries`` is how many queries it is over; None values say that there are none.

    ``low`` and ``high`` are None where fewer than two groups leave nothing to draw from.
    """

    value: float | None
    low: float | None
    high: float | None
    queries: int


@dataclass(frozen=True, slots=True)
class Delta:
    """A route's mean minus the base route's, over the same queries, with its interval.

    ``p`` is the exact two-sided sign-flip p over groups, None where there are more than 16 groups or no query.
    ``more``, ``less`` and ``same`` count the queries on which the route's figure is larger, smaller or equal.
    """

    value: float | None
    low: float | None
    high: float | None
    p: float | None
    more: int
    less: int
    same: int


@dataclass(frozen=True, eq=False)
class Table:
    """Figures of one source: ``values`` (Q, F), NaN where undefined, and the group of each query, 0 to G-1."""

    values: FloatArray
    group: IntArray
    groups: int

    @cached_property
    def sums(self) -> tuple[FloatArray, FloatArray]:
        """Sums (G, F) over the queries of each group where the figure is defined, and how many there are."""
        known = np.isfinite(self.values)
        sums = np.zeros((self.groups, self.values.shape[1]))
        counts = np.zeros_like(sums)
        np.add.at(sums, self.group, np.where(known, self.values, 0.0))
        np.add.at(counts, self.group, known.astype(np.float64))
        return sums, counts


def group_codes(labels: Sequence[str]) -> tuple[IntArray, tuple[str, ...]]:
    """The group of each query and the groups' labels, sorted: the order of queries must not move a draw."""
    names, codes = np.unique(np.array(labels, dtype=object), return_inverse=True)
    return codes.reshape(-1).astype(np.int64), tuple(str(name) for name in names)


def _mean_of_sources(means: FloatArray) -> FloatArray:
    """Mean over the first axis, sources that have no value left out; NaN where none has."""
    known = np.isfinite(means)
    counts = known.sum(axis=0)
    total = np.where(known, means, 0.0).sum(axis=0)
    return _divided(total, counts.astype(np.float64))


def _divided(sums: FloatArray, counts: FloatArray) -> FloatArray:
    out = np.full(sums.shape, np.nan)
    np.divide(sums, counts, out=out, where=counts > 0)
    return out


def _draws(tables: Sequence[Table], seed: int, resamples: int) -> FloatArray:
    """Bootstrap means (resamples, F): in each draw every source's groups are drawn with replacement."""
    columns = tables[0].values.shape[1]
    drawn = np.full((len(tables), resamples, columns), np.nan)
    for place, table in enumerate(tables):
        if not table.groups:
            continue
        sums, counts = table.sums
        random = np.random.default_rng([seed, place])
        even = np.full(table.groups, 1 / table.groups)
        step = max(1, _CELLS // table.groups)
        for start in range(0, resamples, step):
            number = min(step, resamples - start)
            weights = random.multinomial(table.groups, even, size=number).astype(np.float64)
            drawn[place, start : start + number] = _divided(weights @ sums, weights @ counts)
    return _mean_of_sources(drawn)


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def figures(tables: Sequence[Table], seed: int = 0, resamples: int = RESAMPLES, level: float = LEVEL) -> list[Figure]:
    """The mean of each column over queries and sources, with its percentile interval at ``level``."""
    per_source = [tuple(part.sum(axis=0) for part in table.sums) for table in tables]
    means = _mean_of_sources(np.array([_divided(sums, counts) for sums, counts in per_source]))
    counts = np.sum([count for _, count in per_source], axis=0).astype(np.int64)
    spread = any(table.groups > 1 for table in tables) and resamples > 0
    draws = _draws(tables, seed, resamples) if spread else None
    out = []
    for column, mean in enumerate(means.tolist()):
        low = high = None
        if draws is not None and math.isfinite(mean) and _varies(tables, column):
            known = draws[:, column][np.isfinite(draws[:, column])]
            tail = (1 - level) / 2
            low, high = (float(edge) for edge in np.quantile(known, [tail, 1 - tail]))
        out.append(Figure(_number(mean), low, high, int(counts[column])))
    return out


def _varies(tables: Sequence[Table], column: int) -> bool:
    """Whether some source has the figure in at least two groups: else drawing groups says nothing."""
    return any(int(np.count_nonzero(table.sums[1][:, column])) > 1 for table in tables)


def sign_flip_p(contributions: FloatArray) -> float | None:
    """Exact two-sided p of a sum of groups' contributions (G,) under all 2^G flips of their signs.

    The share of flips whose sum is at least as far from 0 as the one observed; None for no or more than 16 groups.
    """
    count = len(contributions)
    if not 0 < count <= MAX_SIGN_GROUPS:
        return None
    signs = 1.0 - 2.0 * ((np.arange(1 << count)[:, None] >> np.arange(count)) & 1)
    sums = np.abs(signs @ contributions)
    # The observed sum is the first; a hair's breadth of rounding must not make two equal sums differ.
    slack = 1e-9 * float(np.abs(contributions).sum())
    return float(np.mean(sums >= sums[0] - slack))


def deltas(tables: Sequence[Table], seed: int = 0, resamples: int = RESAMPLES, level: float = LEVEL) -> list[Delta]:
    """From tables of differences (route minus base): their means, intervals and exact p."""
    means = figures(tables, seed, resamples, level)
    out = []
    for column, mean in enumerate(means):
        differences = [table.values[:, column] for table in tables]
        known = np.concatenate([part[np.isfinite(part)] for part in differences])
        out.append(
            Delta(
                mean.value,
                mean.low,
                mean.high,
                sign_flip_p(_contributions(tables, column)),
                more=int(np.count_nonzero(known > 0)),
                less=int(np.count_nonzero(known < 0)),
                same=int(np.count_nonzero(known == 0)),
            )
        )
    return out


def _contributions(tables: Sequence[Table], column: int) -> FloatArray:
    """What each group of each source adds to the overall mean; sources and groups without a query are left out."""
    parts = []
    for table in tables:
        sums, counts = table.sums
        total = counts[:, column].sum()
        if total:
            parts.append(sums[counts[:, column] > 0, column] / total)
    return np.concatenate(parts) / len(parts) if parts else np.zeros(0)
