"""One policy rule over a whole store: evaluated once for each distinct tuple of what it reads (DESIGN 3, Policy)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inspector.axes.columns import Codebook, Codes, Index, PairTable, picked
from inspector.axes.ground import Ground
from inspector.axes.policy_file import RuleSource
from inspector.axes.policy_run import Sandbox
from inspector.axes.policy_sql import Column, Compiled
from inspector.axes.policy_values import SqlValue, sql_value
from inspector.records import Memory, Query, Record
from inspector.trit import Trit, TritArray

#: Values kept for pairs that are asked one by one (explanations, flips).
_KEPT = 100_000
#: From this many new cells on, those that fill most of a grid are evaluated as one.
_MANY = 2_048
Tuple = tuple[SqlValue, ...]


class Rule:
    """A compiled rule with the codes of what it reads in each memory and query."""

    def __init__(self, source: RuleSource, file: str, compiled: Compiled, sandbox: Sandbox, ground: Ground) -> None:
        self.source = source
        self.compiled = compiled
        self._file = file
        self._sandbox = sandbox
        self._ground = ground
        self._side = {owner: [c for c in compiled.columns if c.owner == owner] for owner in ("m", "q")}
        self._m_book: Codebook[Tuple] = Codebook()
        self._q_book: Codebook[Tuple] = Codebook()
        self._m: Codes = np.zeros(0, np.int32)
        self._q: Codes = np.zeros(0, np.int32)
        self._table = PairTable(self._fill)
        self._single: dict[tuple[Tuple, Tuple], Trit] = {}

    def load(self, memories: Sequence[Memory], queries: Sequence[Query], column: Callable[[Column], list[Any]]) -> None:
        """Code all records. ``column`` gives one column's values over all of its side, shared between rules."""
        self._m = _coded(self._m_book, [column(c) for c in self._side["m"]], len(memories))
        self._q = _coded(self._q_book, [column(c) for c in self._side["q"]], len(queries))

    def _tuple(self, owner: str, record: Record) -> Tuple:
        return tuple(sql_value(self._ground, record, column) for column in self._side[owner])

    def update_memory(self, mi: int, memory: Memory) -> None:
        """Read an edited memory again."""
        if self._side["m"]:
            self._m[mi] = self._m_book.code(self._tuple("m", memory))

    def update_query(self, qi: int, query: Query) -> None:
        """Read an edited query again."""
        if self._side["q"]:
            self._q[qi] = self._q_book.code(self._tuple("q", query))

    def values(self, m: Index, q: Index) -> TritArray:
        """The rule's trits at pairs."""
        return self._table.get(self._q[q], self._m[picked(m, len(self._m))], (len(self._q_book), len(self._m_book)))

    def _merge(self, mine: Tuple, theirs: Tuple) -> Tuple:
        """Both sides' values in the order of the compiled columns."""
        left, right = iter(mine), iter(theirs)
        return tuple(next(left) if column.owner == "m" else next(right) for column in self.compiled.columns)

    def _fill(self, rows: Codes, columns: Codes) -> TritArray:
        if len(rows) >= _MANY:
            wide, high = np.unique(columns), np.unique(rows)
            if len(rows) * 2 >= len(wide) * len(high):
                mine = [self._m_book.keys[column] for column in wide.tolist()]
                theirs = [self._q_book.keys[row] for row in high.tolist()]
                grid = self._sandbox.run_grid(self.source, self._file, self.compiled, mine, theirs)
                return grid[np.searchsorted(high, rows), np.searchsorted(wide, columns)]
        tuples = [
            self._merge(self._m_book.keys[column], self._q_book.keys[row])
            for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
        ]
        found = self._sandbox.run(self.source, self._file, self.compiled, tuples)
        return np.array([int(value) for value in found], np.uint8)

    def value(self, memory: Memory, query: Query) -> Trit:
        """The rule's value for one pair of records as they are now, whatever their codes."""
        key = self._tuple("m", memory), self._tuple("q", query)
        found = self._single.get(key)
        if found is None:
            found = self._sandbox.run(self.source, self._file, self.compiled, [self._merge(*key)])[0]
            if len(self._single) >= _KEPT:
                self._single.clear()
            self._single[key] = found
        return found

    def fault(self, memory: Memory, query: Query) -> str | None:
        """Why the pair cannot be evaluated, None where it can."""
        row = self._merge(self._tuple("m", memory), self._tuple("q", query))
        return self._sandbox.fault(self.source, self._file, self.compiled, row)

    def null_columns(self, memory: Memory, query: Query) -> list[Column]:
        """The columns that reach the rule as NULL for one pair."""
        record: dict[str, Record] = {"m": memory, "q": query}
        return [c for c in self.compiled.columns if sql_value(self._ground, record[c.owner], c) is None]


def _coded(book: Codebook[Tuple], columns: list[list[Any]], count: int) -> Codes:
    if not columns:
        book.code(())
        return np.zeros(count, np.int32)
    return np.fromiter((book.code(key) for key in zip(*columns, strict=True)), np.int32, count)
