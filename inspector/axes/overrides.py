"""Values that stand over the rules' for single pairs: judgments, and membership in ``required``."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from inspector.axes.columns import Index
from inspector.trit import Trit, TritArray

#: Up to this many pairs are looked up one by one: cheaper than sorting all that is overridden.
_FEW = 512


class Overrides:
    """Trits by query and memory, written over an array of pairs."""

    def __init__(self, memories: int) -> None:
        self._memories = memories
        self._rows: dict[int, dict[int, Trit]] = {}
        self._sorted: tuple[npt.NDArray[np.int64], TritArray] | None = None

    def set_row(self, qi: int, values: Mapping[int, Trit]) -> None:
        """Replace everything that stands over the pairs of one query."""
        if values:
            self._rows[qi] = dict(values)
        else:
            self._rows.pop(qi, None)
        self._sorted = None

    def get(self, mi: int, qi: int) -> Trit | None:
        """The value over one pair, None where the rules speak."""
        return self._rows.get(qi, {}).get(mi)

    def members(self, qi: int) -> tuple[int, ...]:
        """The memories with a value over them for one query, in order."""
        return tuple(sorted(self._rows.get(qi, ())))

    def write(self, out: TritArray, m: Index, q: Index) -> None:
        """Write the values into ``out``, whose shape is that of m and q broadcast together."""
        if not self._rows or not out.size:
            return
        if out.ndim == 2 and m.shape[:1] == (1,) and q.shape[-1:] == (1,) and q.ndim == 2:
            self._write_matrix(out, m[0], q[:, 0])
            return
        wide_m, wide_q = np.broadcast_arrays(m, q)
        flat_m, flat_q, flat = wide_m.ravel(), wide_q.ravel(), out.reshape(-1)
        if flat.size <= _FEW:
            for i, (mi, qi) in enumerate(zip(flat_m.tolist(), flat_q.tolist(), strict=True)):
                value = self._rows.get(qi, {}).get(mi)
                if value is not None:
                    flat[i] = int(value)
        else:
            keys, values = self._all()
            wanted = flat_q.astype(np.int64) * self._memories + flat_m
            place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            hit = keys[place] == wanted
            flat[hit] = values[place[hit]]
        if not np.shares_memory(flat, out):
            out[...] = flat.reshape(out.shape)

    def _write_matrix(self, out: TritArray, m: Index, q: Index) -> None:
        for b, qi in enumerate(q.tolist()):
            row = self._rows.get(qi)
            if row:
                over = np.full(self._memories, 255, np.uint8)
                over[list(row)] = [int(value) for value in row.values()]
                picked = over[m]
                out[b] = np.where(picked == 255, out[b], picked)

    def _all(self) -> tuple[npt.NDArray[np.int64], TritArray]:
        if self._sorted is None:
            pairs = [
                (qi * self._memories + mi, int(value)) for qi, row in self._rows.items() for mi, value in row.items()
            ]
            pairs.sort()
            keys = np.array([key for key, _ in pairs], np.int64)
            self._sorted = keys, np.array([value for _, value in pairs], np.uint8)
        return self._sorted
