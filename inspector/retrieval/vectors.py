"""Unit vectors on a grid that makes every similarity exact, and the vectors that a store brings along (DESIGN 2, 4).

Components are multiples of 2^-26. A product of two is then a multiple of 2^-52, and since the sum of the products'
sizes is at most 1 (Cauchy and Schwarz), every partial sum fits the 53 bits of a float64: the dot product in float64
has no rounding error, in whatever order, block shape or library it is added up. That is what makes a ranking the same
on every machine and for every input order. The grid moves a similarity by less than 1e-7.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from inspector.i18n import _d
from inspector.records import Memory, Query, Record

Float32 = npt.NDArray[np.float32]
_GRID = np.float32(2.0**26)
_STEP = 4_096


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """``data``: float32 (n, d), unit rows on the grid, zeros where there is no usable vector; ``ok``: bool (n,).

    ``problems`` says for each row that is not ok what is wrong with it. Its similarity is ?, written NaN.
    """

    data: Float32
    ok: npt.NDArray[np.bool_]
    problems: Mapping[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.data)

    @property
    def size(self) -> int:
        """The length of one vector."""
        return int(self.data.shape[1])

    def with_row(self, row: int, vector: Float32) -> Vectors:
        """The same vectors with one replaced in place (an edited text was encoded again); cheap, data is shared."""
        one = unit_vectors(vector[None, :])
        self.data[row] = one.data[0]
        self.ok[row] = one.ok[0]
        problems = {index: words for index, words in self.problems.items() if index != row}
        if 0 in one.problems:
            problems[row] = one.problems[0]
        return Vectors(self.data, self.ok, problems)


def unit_vectors(matrix: npt.NDArray[Any], problems: Mapping[int, str] | None = None) -> Vectors:
    """Scale the rows of a real matrix (n, d) to unit length, on the grid; NaN, infinite and zero rows are not ok.

    ``problems`` are rows known to be unusable already. Works in blocks: beside the result it needs a few megabytes.
    """
    count, size = matrix.shape
    data = np.zeros((count, size), dtype=np.float32)
    ok = np.zeros(count, dtype=np.bool_)
    known = dict(problems or {})
    for start in range(0, count, _STEP):
        rows = np.asarray(matrix[start : start + _STEP], dtype=np.float64)
        finite = np.logical_and.reduce(np.isfinite(rows), axis=1)
        peak = np.abs(np.where(finite[:, None], rows, 0.0)).max(axis=1, initial=0.0)
        good = finite & (peak > 0)
        for bad in np.flatnonzero(~good):
            known.setdefault(start + int(bad), _d("is zero") if finite[bad] else _d("holds NaN or infinity"))
        scaled = rows[good] / peak[good][:, None]  # so that no square overflows or vanishes
        # Accumulated from left to right, which a plain sum does not promise: the same bits on every machine.
        squares = np.add.accumulate(scaled * scaled, axis=1)[:, -1:]
        unit = (scaled / np.sqrt(squares)).astype(np.float32)
        places = np.flatnonzero(good) + start
        data[places] = np.rint(unit * _GRID) / _GRID
        ok[places] = True
    for row in problems or {}:
        data[row] = 0
        ok[row] = False
    return Vectors(data, ok, dict(sorted(known.items())))


def _length(record: Record) -> int | None:
    value = record.value("embedding")
    return len(value) if isinstance(value, list) else None


def _collect(records: Sequence[Record], size: int) -> Vectors:
    """The vectors of all records; a block at a time, so that they are never held in full beside the result."""
    data = np.zeros((len(records), size), dtype=np.float32)
    ok = np.zeros(len(records), dtype=np.bool_)
    found: dict[int, str] = {}
    for start in range(0, len(records), _STEP):
        block = records[start : start + _STEP]
        matrix = np.zeros((len(block), size), dtype=np.float64)
        problems: dict[int, str] = {}
        for index, record in enumerate(block):
            value = record.value("embedding")
            if not isinstance(value, list):
                problems[index] = _d("has no vector")
            elif len(value) != size:
                problems[index] = _d("has {length} numbers, expected {size}").format(length=len(value), size=size)
            else:
                # None, which JSON writers put for NaN, becomes NaN here
                matrix[index] = np.array(value, dtype=np.float64)
        unit = unit_vectors(matrix, problems)
        data[start : start + len(block)], ok[start : start + len(block)] = unit.data, unit.ok
        found.update((start + index, words) for index, words in unit.problems.items())
    return Vectors(data, ok, found)


def given_vectors(memories: Sequence[Memory], queries: Sequence[Query]) -> tuple[Vectors, Vectors] | None:
    """The vectors that the store brings, of memories and of queries, or None where they cannot be used.

    They are used if their length agrees: the length is the commonest among the queries' vectors (of equally common
    ones the longest), and at least one memory must have a vector of that length. Records without one, or with one
    that is NaN, zero or of another length, are in ``problems`` and their similarity is ?: vectors of different models
    are never compared.
    """
    size = _agreed_length(memories, queries)
    return None if size is None else (_collect(memories, size), _collect(queries, size))


def brings_vectors(memories: Sequence[Memory], queries: Sequence[Query]) -> bool:
    """Whether :func:`given_vectors` would find any."""
    return _agreed_length(memories, queries) is not None


def _agreed_length(memories: Sequence[Memory], queries: Sequence[Query]) -> int | None:
    lengths = Counter(length for query in queries if (length := _length(query)) is not None)
    if not lengths:
        return None
    size = max(lengths, key=lambda length: (lengths[length], length))
    return size if any(_length(memory) == size for memory in memories) else None
