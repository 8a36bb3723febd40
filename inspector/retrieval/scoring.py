"""Scores, and the best k of many: exact, deterministic, in blocks of bounded size (DESIGN 4, LIMITS).

A score and a uid are packed into one integer key, the score rounded to 1e-6 above, the uid's place below. Keys are all
different, so "the k largest keys" is the ranking: no tie is left to an algorithm's whim.

A large store is scored with a float32 matrix product, whose bits depend on the block's shape; it only chooses
candidates, with a margin that its error cannot exceed, and those are scored again exactly (:mod:`.vectors`).
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from inspector.i18n import _
from inspector.retrieval.pool import BoolArray, FloatArray, IntArray
from inspector.retrieval.vectors import Float32, Vectors

#: Scores count in steps of this size; what is less apart is a tie.
RESOLUTION = 1_000_000
#: Cells of a block: queries × memories. 64 M float32 cells are 256 MiB.
FLOAT32_CELLS = 64 * 1024 * 1024
FLOAT64_CELLS = 4 * 1024 * 1024
#: The hybrid route needs all of a query's similarities in float64; taller blocks convert the vectors less often.
HYBRID_CELLS = 4 * FLOAT64_CELLS
#: From this many memories on, float32 chooses candidates first.
LARGE = 16_384
_STRIPE = 64
_ABSENT = np.int64(-1)
#: Scores below this differ by less than RESOLUTION's step in float64, with room to spare.
_MODEST = 1000.0
_Cells = TypeVar("_Cells", FloatArray, Float32, IntArray)


def block_cells(memories: int) -> int:
    """How many cells a block may have over so many memories: float32 where the store is large, else float64."""
    return FLOAT32_CELLS if memories >= LARGE else FLOAT64_CELLS


def _together(m: IntArray) -> bool:
    """Whether indices stand together, one after the other."""
    return len(m) > 0 and int(m[-1]) - int(m[0]) + 1 == len(m) and bool((np.diff(m) == 1).all())


class Keys:
    """Packs (score, memory) into int64 keys that sort as the ranking does, and unpacks them."""

    def __init__(self, uid_rank: IntArray) -> None:
        count = len(uid_rank)
        self.bits = np.int64(max(1, int(count - 1).bit_length()) if count else 1)
        self._low = (count - 1) - np.asarray(uid_rank, dtype=np.int64)  # the first uid is the best of a tie
        self._by_low = np.empty(count, dtype=np.int64)
        self._by_low[self._low] = np.arange(count)
        self._zero = np.int64(1) << (np.int64(61) - self.bits)

    def pack(self, scores: FloatArray, m: IntArray, allowed: BoolArray | None = None) -> IntArray:
        """Keys of ``scores`` (…, M) for the memories ``m`` (M,); NaN sorts below every number, not allowed is -1."""
        levels = scores * RESOLUTION
        np.rint(levels, out=levels)
        limit = float(self._zero - 2)
        low, high = levels.min(initial=0.0), levels.max(initial=0.0)  # NaN if there is one
        unknown: BoolArray | None = None
        if not (low >= -limit and high <= limit):
            unknown = np.isnan(levels)
            levels[unknown] = 0
            np.clip(levels, -limit, limit, out=levels)
        keys = levels.astype(np.int64)
        keys += self._zero
        if unknown is not None:
            keys[unknown] = 0
        keys <<= self.bits
        keys += self._low[m[0] : m[-1] + 1] if _together(m) else self._low[m]
        if allowed is not None:
            np.copyto(keys, _ABSENT, where=~allowed)
        return keys

    def unpack(self, keys: IntArray) -> tuple[IntArray, FloatArray]:
        """Memories (-1 where there is none) and scores (NaN where there is none or it is unknown) of the keys."""
        absent = keys < 0
        memory = self._by_low[np.where(absent, 0, keys) & ((np.int64(1) << self.bits) - 1)] if len(self._low) else keys
        levels = keys >> self.bits
        score = (levels - self._zero) / RESOLUTION
        score[absent | (levels == 0)] = np.nan
        return np.where(absent, -1, memory), score


def best(keys: IntArray, k: int) -> IntArray:
    """The k largest keys of each row (B, M), largest first, padded with -1 to (B, k); k at least 1."""
    width = keys.shape[1]
    if _is_wide(width, k):
        keys = _largest(keys, k)
    elif width > k:
        keys = np.partition(keys, width - k, axis=1)[:, width - k :]
    # largest first without a negative stride to copy: keys are at least -1, so their complements are safe to sort
    keys = ~np.sort(~keys, axis=1)[:, :k]
    if keys.shape[1] < k:
        keys = np.pad(keys, ((0, 0), (0, k - keys.shape[1])), constant_values=-1)
    return keys


def _is_wide(width: int, k: int) -> bool:
    """Whether so many columns are worth a bound before the k largest are chosen."""
    return width >= 4 * k and width > 64


def _in_sets(cells: _Cells, k: int) -> _Cells:
    """The columns dealt out into sets, (B, depth, sets): column c is in set c mod ``sets``, but for the few left over.

    There are at least k sets where rows are at least 4·k wide; the k-th largest of the sets' maxima is then a lower
    bound of the k-th largest cell, and a selection runs over sets.
    """
    count, width = cells.shape
    depth = max(1, min(_STRIPE, width // (4 * k)))
    sets = width // depth
    striped: _Cells = cells[:, : depth * sets].reshape(count, depth, sets)
    return striped


def _kth(maxima: _Cells, k: int) -> _Cells:
    """The k-th largest of each row, (B, 1)."""
    place = maxima.shape[1] - k
    kth: _Cells = np.partition(maxima, place, axis=1)[:, place : place + 1]
    return kth


def _in_rows(keys: IntArray, rows: IntArray, count: int) -> IntArray:
    """Keys (N,), each with its row, rows ascending, as ``count`` rows, padded with -1."""
    counts = np.bincount(rows, minlength=count)
    few = np.full((count, int(counts.max(initial=0))), _ABSENT, dtype=np.int64)
    few[rows, np.arange(len(keys)) - np.repeat(np.cumsum(counts) - counts, counts)] = keys
    return few


def _largest(keys: IntArray, k: int) -> IntArray:
    """A few more than the k largest keys of each row, in no order, padded with -1."""
    cells = np.flatnonzero(keys >= np.maximum(_kth(_in_sets(keys, k).max(axis=1), k), 0))
    return _in_rows(keys.ravel()[cells], cells // keys.shape[1], len(keys))


def best_of_scores(scores: FloatArray, m: IntArray, k: int, keys: Keys, allowed: BoolArray | None) -> IntArray:
    """The k largest keys (B, k) of ``scores`` (B, M), which may be overwritten; ``allowed`` as in :meth:`Keys.pack`.

    The bound is taken on the scores, with room for their rounding, so that only a few of them are rounded and packed.
    """
    count, width = scores.shape
    if not _is_wide(width, k):
        return best(keys.pack(scores, m, allowed), k)
    if allowed is not None:
        np.copyto(scores, -np.inf, where=~allowed)
    maxima = _in_sets(scores, k).max(axis=1)
    bound = _kth(maxima, k)
    # Fewer than k known scores, an unknown one (NaN sorts as the largest), or one too large for the room below
    if not (bound.min() > -_MODEST and maxima.max() < _MODEST):
        return best(keys.pack(scores, m, allowed), k)
    cells = np.flatnonzero(scores >= bound - 2 / RESOLUTION)
    return best(_in_rows(keys.pack(scores.ravel()[cells], m[cells % width]), cells // width, count), k)


@dataclass(slots=True, eq=False)
class Dense:
    """Similarities between the queries' and the memories' vectors. Raises ValueError where their sizes differ."""

    memory: Vectors
    query: Vectors
    _float32: Float32 | None = None
    #: Buffers of one thread each
    _own: threading.local = field(default_factory=threading.local)
    _taken: tuple[IntArray, Float32] | None = None

    def __post_init__(self) -> None:
        if self.memory.size != self.query.size:
            raise ValueError(
                _("vectors of {size} and {size2} numbers cannot be compared").format(
                    size=self.memory.size, size2=self.query.size
                )
            )

    def scores(self, q: IntArray, m: IntArray) -> FloatArray:
        """Exact similarities (len(q), len(m)) in float64; NaN where either vector is unusable."""
        found = np.empty((len(q), len(m)), dtype=np.float64)
        queries = self.query.data[q].astype(np.float64)
        step = max(1, FLOAT64_CELLS // max(1, self.memory.size))
        for start in range(0, len(m), step):
            part = m[start : start + step]
            rows = self._rows(part)
            np.matmul(queries, rows.T, out=found[:, start : start + step])
        if not self.memory.ok.all():
            found[:, ~self.memory.ok[m]] = np.nan
        found[~self.query.ok[q]] = np.nan
        return found

    def _rows(self, m: IntArray) -> FloatArray:
        """The memories' vectors in float64, in a buffer of this thread, used again (fresh pages are slow)."""
        need = len(m) * self.memory.size
        buffer: FloatArray | None = getattr(self._own, "float64", None)
        if buffer is None or buffer.size < need:
            self._own.float64 = buffer = np.empty(need, dtype=np.float64)
        rows = buffer[:need].reshape(len(m), self.memory.size)
        np.copyto(rows, self._take(m))
        return rows

    def _take(self, m: IntArray) -> Float32:
        """The memories' vectors, without a copy where they stand together."""
        return self.memory.data[m[0] : m[-1] + 1] if _together(m) else self.memory.data[m]

    def pairs(self, qi: int, m: IntArray) -> FloatArray:
        """Exact similarities (len(m),) of one query to memories whose vectors are all usable."""
        exact: FloatArray = self.memory.data[m].astype(np.float64) @ self.query.data[qi].astype(np.float64)
        return exact

    def best(
        self,
        q: IntArray,
        m: IntArray,
        k: int,
        keys: Keys,
        allowed: BoolArray | None,
        bonus: FloatArray | None = None,
    ) -> IntArray:
        """The best k keys (len(q), k) of the memories ``m``, which are ascending.

        ``allowed`` (1 or len(q), len(m)) is the cut, None for none; ``bonus`` (len(m),) is added to the similarity.
        Where the pool is large, len(q)·len(m) must be within :data:`FLOAT32_CELLS`, else :data:`FLOAT64_CELLS`.
        """
        if self.is_large(m):
            return self._best_of_many(q, m, k, keys, allowed, bonus)
        scores = self.scores(q, m)
        if bonus is not None:
            scores += bonus
        return best_of_scores(scores, m, k, keys, allowed)

    def is_large(self, m: IntArray) -> bool:
        """Whether float32 chooses candidates first: such a pool must not be scored by several threads at a time."""
        return len(m) >= LARGE

    def _best_of_many(
        self, q: IntArray, m: IntArray, k: int, keys: Keys, allowed: BoolArray | None, bonus: FloatArray | None
    ) -> IntArray:
        if self._float32 is None or self._float32.size < len(q) * len(m):
            self._float32 = np.empty(len(q) * len(m), dtype=np.float32)
        block = self._float32[: len(q) * len(m)].reshape(len(q), len(m))
        if self._taken is None or self._taken[0] is not m:
            self._taken = (m, self._take(m))
        np.matmul(self.query.data[q], self._taken[1].T, out=block)
        if bonus is not None:
            block += bonus.astype(np.float32)
        ok = self.memory.ok[m][None, :]
        usable = ok if allowed is None else ok & allowed
        if not usable.all():
            np.copyto(block, -np.inf, where=~usable)
        # |error| of a float32 dot product of unit vectors is at most d·2^-24, twice for two of them; the bonus and
        # the rounding to 1e-6 add less than 2e-6.
        rows, columns = _candidates(block, k, 2 * self.memory.size * 2.0**-24 + 2e-6)
        ends = np.searchsorted(rows, np.arange(len(q) + 1))
        found = np.full((len(q), k), _ABSENT, dtype=np.int64)
        for row, qi in enumerate(q.tolist()):
            cut = None if allowed is None else allowed[row if len(allowed) > 1 else 0]
            chosen: IntArray = columns[ends[row] : ends[row + 1]]
            if self.query.ok[qi]:
                exact = self.pairs(qi, m[chosen])
                exact += 0.0 if bonus is None else bonus[chosen]
            else:
                chosen, exact = chosen[:0], np.zeros(0)
            if len(chosen) < k:  # the rest of the pool, where there is any, has no similarity
                there = np.ones(len(m), dtype=np.bool_) if cut is None else cut.copy()
                there[chosen] = False
                rest = np.flatnonzero(there)
                chosen = np.concatenate((chosen, rest))
                exact = np.concatenate((exact, np.full(len(rest), np.nan)))
            found[row] = best(keys.pack(exact, m[chosen])[None, :], k)[0]
        return found


def _candidates(block: Float32, k: int, margin: float) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Rows and columns, rows ascending, of all finite cells that may be among their row's k largest, give or take
    ``margin``.

    Sets of far-apart columns (:func:`_in_sets`) have whole-row maxima, which run at memory speed, and only the sets
    that reach the bound are looked into.
    """
    striped = _in_sets(block, max(k, 1))
    depth, sets = striped.shape[1:]  # the few columns left over form one more set each
    rest = block[:, depth * sets :]
    maxima = striped.max(axis=1)
    bound = np.full((len(block), 1), -np.inf, dtype=np.float32)
    if k <= sets:
        bound = _kth(maxima, k) - np.float32(margin)
    rows, which = np.nonzero((maxima >= bound) & (maxima > -np.inf))
    cells = striped[rows, :, which]
    hit, stripe = np.nonzero((cells >= bound[rows]) & (cells > -np.inf))
    rest_rows, rest_columns = np.nonzero((rest >= bound) & (rest > -np.inf))
    all_rows = np.concatenate((rows[hit], rest_rows))
    all_columns = np.concatenate((stripe * sets + which[hit], rest_columns + depth * sets))
    order = np.argsort(all_rows, kind="stable")
    return all_rows[order], all_columns[order]
