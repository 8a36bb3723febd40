"""Risk at matched recall for many queries at once: the arrays of :func:`inspector.compare.matched.matched`.

Required evidence is kept flat, one entry a needed memory, so that nothing loops over queries or candidates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from inspector.compare.matched import DEFAULT_TAU
from inspector.i18n import _
from inspector.trit import NO, UNKNOWN, YES, TritArray

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Needs:
    """The required evidence of many queries.

    ``counts`` (Q,) is |Q| of each query, memories that are not stored included. Want w belongs to query ``row[w]``
    (ascending) and is met by any of the memories ``memory[p]`` with ``want[p] == w``: usually one, none where the id
    is not stored.
    """

    counts: IntArray
    row: IntArray
    want: IntArray
    memory: IntArray

    @classmethod
    def of(cls, required: Sequence[Sequence[Sequence[int]]]) -> Needs:
        """From one list a query, holding one list of memory indices a needed memory."""
        flat = [meant for wants in required for meant in wants]
        counts = np.array([len(wants) for wants in required], dtype=np.int64)
        return cls(
            counts=counts,
            row=np.repeat(np.arange(len(required), dtype=np.int64), counts),
            want=np.repeat(np.arange(len(flat), dtype=np.int64), [len(meant) for meant in flat]),
            memory=np.array([mi for meant in flat for mi in meant], dtype=np.int64),
        )

    def __len__(self) -> int:
        return len(self.counts)

    def of_rows(self, rows: IntArray) -> Needs:
        """The needs of some of the queries (ascending places), in their order."""
        wants = np.flatnonzero(np.isin(self.row, rows))
        pairs = np.flatnonzero(np.isin(self.want, wants))
        return Needs(
            self.counts[rows],
            np.searchsorted(rows, self.row[wants]),
            np.searchsorted(wants, self.want[pairs]),
            self.memory[pairs],
        )


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Where memories stand in rankings: sorted keys of all cells, to be searched by row and memory."""

    keys: IntArray
    cells: IntArray
    span: int

    @classmethod
    def of(cls, memory: npt.NDArray[np.integer], most: int = 0) -> Places:
        """Of rankings (Q, k), padded with -1; ``most`` is the largest memory index that will be looked for.

        Raises ValueError where a memory stands in a ranking twice.
        """
        span = max(int(memory.max(initial=0)), most) + 1
        rows, _rest1 = np.nonzero(memory >= 0)
        flat = np.flatnonzero(memory.ravel() >= 0)
        keys = rows * np.int64(span) + memory.ravel()[flat]
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        if len(keys) > 1 and bool((keys[1:] == keys[:-1]).any()):
            raise ValueError(_("a ranking holds a memory twice"))
        return cls(keys, flat[order], span)

    def find(self, rows: IntArray, memories: IntArray) -> IntArray:
        """The flat cell of each memory in its row's ranking, -1 where it is not there."""
        if not len(self.keys):
            return np.full(len(rows), -1, dtype=np.int64)
        wanted = rows * np.int64(self.span) + memories
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return np.where(self.keys[at] == wanted, self.cells[at], -1)


def pair_cells(memory: npt.NDArray[np.integer], needs: Needs) -> IntArray:
    """The flat cell in which each of ``needs``' (want, memory) pairs stands in the rankings (Q, k), else -1."""
    places = Places.of(memory, int(needs.memory.max(initial=0)))
    return places.find(needs.row[needs.want], needs.memory)


def first_ranks(memory: npt.NDArray[np.integer], needs: Needs) -> IntArray:
    """The rank, from 1, at which each want is first met; 0 where it never is."""
    cells = pair_cells(memory, needs)
    never = np.iinfo(np.int64).max
    ranks = np.full(len(needs.row), never, dtype=np.int64)
    found = cells >= 0
    np.minimum.at(ranks, needs.want[found], cells[found] % max(1, memory.shape[1]) + 1)
    return np.where(ranks == never, 0, ranks)


def _ratio(part: npt.NDArray[np.number], whole: npt.NDArray[np.number]) -> FloatArray:
    """part / whole, NaN where the whole is 0."""
    out = np.full(np.broadcast_shapes(part.shape, whole.shape), np.nan)
    np.divide(part, whole, out=out, where=whole > 0)
    return out


@dataclass(frozen=True, eq=False)
class MatchedRows:
    """The figures of many rankings at target recall, (Q,) each: the arrays of :class:`inspector.compare.Matched`.

    ``prefix`` is -1 where there is none: the target is not reached, or the query is not evaluable. The three counts
    are 0 there. ``ranks`` (W,) are the wants' first ranks. Shares are NaN where they are not defined.
    """

    required: IntArray
    hits: IntArray
    prefix: IntArray
    violations: IntArray
    admitted: IntArray
    unresolved: IntArray
    ranks: IntArray

    @cached_property
    def evaluable(self) -> BoolArray:
        """Whether anything is required."""
        found: BoolArray = self.required > 0
        return found

    @cached_property
    def feasible(self) -> BoolArray:
        """Whether the target recall is reached; False where the query is not evaluable."""
        found: BoolArray = self.prefix >= 0
        return found

    @cached_property
    def recall(self) -> FloatArray:
        """hits / required over the whole ranking."""
        return _ratio(self.hits, self.required)

    @cached_property
    def risk_lower(self) -> FloatArray:
        """v / n on the matched prefix, 0 on an empty one."""
        return self._bound(self.violations)

    @cached_property
    def risk_upper(self) -> FloatArray:
        """(v + u) / n on the matched prefix, 0 on an empty one."""
        return self._bound(self.violations + self.unresolved)

    def _bound(self, part: IntArray) -> FloatArray:
        return np.where(self.prefix == 0, 0.0, _ratio(part, self.prefix))

    @cached_property
    def coverage(self) -> FloatArray:
        """(v + a) / n on the matched prefix."""
        return _ratio(self.violations + self.admitted, np.maximum(self.prefix, 0))

    @cached_property
    def known_violation_rate(self) -> FloatArray:
        """v / (v + a) on the matched prefix."""
        return _ratio(self.violations, self.violations + self.admitted)

    @cached_property
    def any_violation(self) -> FloatArray:
        """1 where the matched prefix holds a known violation, else 0."""
        return np.where(self.feasible, (self.violations > 0).astype(np.float64), np.nan)


def counts_to(verdicts: TritArray, held: BoolArray, depth: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """How many verdicts are 0, 1 and ? among the first ``depth`` (Q,) cells of each row, padding left out."""
    inside = held & (np.arange(verdicts.shape[1]) < depth[:, None])
    no, yes, unknown = (
        np.count_nonzero(inside & (verdicts == np.uint8(value)), axis=1) for value in (NO, YES, UNKNOWN)
    )
    return no.astype(np.int64), yes.astype(np.int64), unknown.astype(np.int64)


def matched_rows(
    memory: npt.NDArray[np.integer], admissible: TritArray, needs: Needs, tau: float = DEFAULT_TAU
) -> MatchedRows:
    """Judge many rankings (Q, k), padded at the end with -1, at target recall ``tau``.

    ``admissible`` (Q, k) are the verdicts. Raises ValueError where a memory stands in a ranking twice.
    """
    ranks = first_ranks(memory, needs)
    found = ranks > 0
    hits = np.bincount(needs.row[found], minlength=len(needs)).astype(np.int64)
    need = np.maximum(0, np.ceil(tau * needs.counts - 1e-9)).astype(np.int64)
    # The need-th smallest first rank of a query's wants is the length of its matched prefix.
    sortable = np.where(found, ranks, np.iinfo(np.int64).max)
    ordered = sortable[np.lexsort((sortable, needs.row))]
    starts = np.cumsum(needs.counts) - needs.counts
    reached = (needs.counts > 0) & (hits >= need)
    prefix = np.where(reached, 0, -1)
    deep = reached & (need > 0)
    prefix[deep] = ordered[starts[deep] + need[deep] - 1]
    violations, admitted, unresolved = counts_to(admissible, memory >= 0, prefix)
    return MatchedRows(needs.counts, hits, prefix, violations, admitted, unresolved, ranks)


def recall_curve(matched: MatchedRows, needs: Needs, rows: BoolArray, depth: int) -> FloatArray:
    """Mean recall of the queries ``rows`` (Q,) after 0, 1, …, ``depth`` candidates: (depth + 1,); NaN without queries.

    ``rows`` must be evaluable.
    """
    count = int(np.count_nonzero(rows))
    if count == 0:
        return np.full(depth + 1, np.nan)
    met = (matched.ranks > 0) & rows[needs.row]
    share = np.bincount(matched.ranks[met], weights=1 / needs.counts[needs.row[met]], minlength=depth + 1)
    return np.cumsum(share[: depth + 1]) / count
