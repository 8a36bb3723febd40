"""A store for the routes' tests: every axis is a table that the test writes down, so no rule of ours is involved."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from inspector.records import Memory, Origin, Query
from inspector.retrieval.exact_keys import ExactKeys
from inspector.retrieval.pool import FloatArray, IntArray
from inspector.retrieval.scoring import Dense
from inspector.retrieval.vectors import unit_vectors
from inspector.trit import TritArray

ORIGIN = Origin("test")
TABLES = ("stored", "scope", "policy", "lifecycle", "stale_or_superseded", "session_test", "tag_test")


def memory(name: str, **fields: Any) -> Memory:
    return Memory({"id": name, "text": fields.pop("text", name), **fields}, ORIGIN)


def query(name: str, **fields: Any) -> Query:
    return Query({"id": name, "text": fields.pop("text", name), **fields}, ORIGIN)


def trits(rows: Sequence[str]) -> TritArray:
    """A table from rows of the characters 0, ? and 1: one row a query, one character a memory."""
    return np.array([["0?1".index(cell) for cell in row] for row in rows], dtype=np.uint8)


class TableView:
    """A PoolView over tables of trits (Q, M); a table that is not given is all 1, ``stale_or_superseded`` all 0."""

    def __init__(
        self,
        memories: Sequence[Memory],
        queries: Sequence[Query],
        tables: Mapping[str, npt.NDArray[Any]] | None = None,
        created_us: Sequence[float] | None = None,
    ) -> None:
        self.memories, self.queries = list(memories), list(queries)
        #: What degraded recall finds for a query, each memory with its path.
        self.left: dict[int, dict[int, str]] = {}
        order = sorted(range(len(self.memories)), key=lambda mi: self.memories[mi].uid)
        self.uid_rank = np.empty(len(order), dtype=np.int64)
        self.uid_rank[order] = np.arange(len(order))
        times = [np.nan] * len(order) if created_us is None else created_us
        self.created_us: FloatArray = np.array(times, dtype=np.float64)
        shape = (len(self.queries), len(self.memories))
        self.tables = {name: np.full(shape, 0 if name == "stale_or_superseded" else 2, np.uint8) for name in TABLES}
        for name, table in (tables or {}).items():
            self.tables[name] = np.asarray(table, dtype=np.uint8).reshape(shape)

    def stored(self, m: IntArray, q: IntArray) -> TritArray:
        return self.tables["stored"][q, m]

    def scope(self, m: IntArray, q: IntArray) -> TritArray:
        return self.tables["scope"][q, m]

    def policy(self, m: IntArray, q: IntArray) -> TritArray:
        return self.tables["policy"][q, m]

    def lifecycle(self, m: IntArray, q: IntArray) -> TritArray:
        return self.tables["lifecycle"][q, m]

    def stale_or_superseded(self, m: IntArray, q: IntArray) -> TritArray:
        return self.tables["stale_or_superseded"][q, m]

    def session_test(self, m: IntArray, q: IntArray) -> TritArray:
        return self.tables["session_test"][q, m]

    def tag_test(self, m: IntArray, q: IntArray) -> TritArray:
        return self.tables["tag_test"][q, m]

    def without_tags(self, qi: int) -> Mapping[int, str]:
        return self.left.get(qi, {})

    def _labels(self, name: str, q: IntArray) -> IntArray:
        labels: dict[bytes, int] = {}
        rows = [labels.setdefault(row.tobytes(), len(labels)) for row in self.tables[name]]
        return np.array(rows, dtype=np.int64)[q]

    def scope_class(self, q: IntArray) -> IntArray:
        return self._labels("scope", q)

    def stored_class(self, q: IntArray) -> IntArray:
        return self._labels("stored", q)

    def exact_keys(self) -> ExactKeys:
        return ExactKeys(self.memories)

    def required(self, qi: int) -> list[int]:
        wanted = self.queries[qi].value("required") or []
        return [mi for mi, item in enumerate(self.memories) if item.id in wanted]

    def permuted(self, order: Sequence[int]) -> TableView:
        """The same store with its memories in another input order."""
        tables = {name: table[:, order] for name, table in self.tables.items()}
        return TableView(
            [self.memories[mi] for mi in order], self.queries, tables, self.created_us[list(order)].tolist()
        )


def dense(memories: Sequence[Sequence[float]], queries: Sequence[Sequence[float]]) -> Dense:
    return Dense(unit_vectors(np.array(memories, dtype=np.float64)), unit_vectors(np.array(queries, dtype=np.float64)))


def ids(view: TableView, row: npt.NDArray[np.int64]) -> list[str]:
    """The ids of one ranking's row, without padding."""
    return [view.memories[mi].id for mi in row.tolist() if mi >= 0]


def owner(*namespaces: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(json.dumps({"id": "someone", "namespaces": list(namespaces)}))
    return value
