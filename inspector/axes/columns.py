"""Integer codes and lazily filled tables of trits: how whole matrices of pairs are judged at once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from inspector.trit import TritArray

Index = npt.NDArray[np.intp]
Codes = npt.NDArray[np.int32]
Key = TypeVar("Key", bound=Hashable)


#: What a column is indexed with: places, or a view of all of it as one row.
Pick = Index | tuple[None, slice]


def picked(m: Index, count: int) -> Pick:
    """What to index a column with: a view of it where m is every index in order as one row, else m itself.

    A view costs nothing; gathering 183,000 values costs more than the test on them.
    """
    ends = m.ndim == 2 and m.shape == (1, count) and count > 0 and m[0, 0] == 0 and m[0, -1] == count - 1
    return (None, slice(None)) if ends and np.array_equal(m[0], np.arange(count)) else m


class Codebook(Generic[Key]):
    """Each distinct key's code, counted from 0 in the order of first sight."""

    def __init__(self) -> None:
        self.keys: list[Key] = []
        self._code: dict[Key, int] = {}

    def code(self, key: Key) -> int:
        """The key's code, a new one where it was not seen before."""
        found = self._code.get(key)
        if found is None:
            found = self._code[key] = len(self.keys)
            self.keys.append(key)
        return found

    def __len__(self) -> int:
        return len(self.keys)


#: Gives the trits of cells, from their row and column codes.
Fill = Callable[[Codes, Codes], TritArray]


class PairTable:
    """A table of trits by row code (a query's) and column code (a memory's), filled where it is first read.

    Cells hold trit + 1, 0 being "not yet", in memory that the system commits only where it is touched.
    """

    def __init__(self, fill: Fill) -> None:
        self._fill = fill
        self._cells: TritArray = np.zeros((0, 0), np.uint8)

    def get(self, rows: npt.NDArray[np.int32], columns: npt.NDArray[np.int32], shape: tuple[int, int]) -> TritArray:
        """The trits at broadcast codes; ``shape`` is the number of codes given out on both sides."""
        if self._cells.shape[0] < shape[0] or self._cells.shape[1] < shape[1]:
            self._grow(shape)
        found: TritArray = self._cells[rows, columns]
        if found.size and not found.all():
            wide_rows, wide_columns = np.broadcast_arrays(rows, columns)
            unset = found == 0
            span = self._cells.shape[1]
            keys = np.unique(wide_rows[unset].astype(np.int64) * span + wide_columns[unset])
            new_rows, new_columns = (keys // span).astype(np.int32), (keys % span).astype(np.int32)
            self._cells[new_rows, new_columns] = self._fill(new_rows, new_columns) + 1
            found = self._cells[rows, columns]
        return found - np.uint8(1)

    def _grow(self, shape: tuple[int, int]) -> None:
        old = self._cells
        # Room to spare on a side that grows, so that a run of edits does not copy the table each time.
        rows, columns = (
            need + need // 8 + 8 if need > have else have for have, need in zip(old.shape, shape, strict=True)
        )
        self._cells = np.zeros((rows, columns), np.uint8)
        self._cells[: old.shape[0], : old.shape[1]] = old
