"""Scope over whole columns: owners and principals as integer codes, coverage resolved once for each pair of codes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inspector.axes.columns import Codebook, Codes, Index, PairTable, picked
from inspector.axes.scope import Owner, Owners, Scope, covers
from inspector.records import Memory, Query
from inspector.trit import TritArray

_Side = tuple[frozenset[Owner], bool] | None


class ScopeColumns:
    """The scope axis at arrays of pairs, equal to :meth:`Scope.explain` pair by pair."""

    def __init__(self, scope: Scope, memories: Sequence[Memory], queries: Sequence[Query]) -> None:
        self.scope = scope
        self._owners: Codebook[_Side] = Codebook()
        self._principals: Codebook[_Side] = Codebook()
        self._sessions: Codebook[str | None] = Codebook()
        self._sessions.code(None)
        #: Owner codes by each owner and by each list that owners lie under; kept up to date as codes appear.
        self._exact: dict[tuple[str, ...], list[int]] = {}
        self._under: dict[tuple[str, ...], list[int]] = {}
        self._indexed = 0
        self._by_text: dict[str, int] = {}
        self._m: Codes = np.array([self._owner_code(memory) for memory in memories], np.int32)
        self._q: Codes = np.array([self._principal_code(query) for query in queries], np.int32)
        self._m_session: Codes = np.array([self._session_code(memory) for memory in memories], np.int32)
        self._q_session: Codes = np.array([self._session_code(query) for query in queries], np.int32)
        self._table = PairTable(self._fill)

    def _owner_code(self, memory: Memory) -> int:
        if memory.value("namespaces") is None:
            own = self.scope.ground.value(memory, "namespace")
            if isinstance(own, str):  # by far the commonest: one look-up
                code = self._by_text.get(own)
                if code is None:
                    owners = self.scope.memory_owners(memory)
                    code = self._by_text[own] = self._owners.code(None if owners is None else owners.key)
                return code
        owners = self.scope.memory_owners(memory)
        return self._owners.code(None if owners is None else owners.key)

    def _principal_code(self, query: Query) -> int:
        owners = self.scope.principal_owners(query)
        return self._principals.code(None if owners is None else owners.key)

    def _session_code(self, record: Memory | Query) -> int:
        return self._sessions.code(self.scope.ground.value(record, "session_id"))

    def update_memory(self, mi: int, memory: Memory) -> None:
        """Read an edited memory again."""
        self._m[mi] = self._owner_code(memory)
        self._m_session[mi] = self._session_code(memory)

    def update_query(self, qi: int, query: Query) -> None:
        """Read an edited query again."""
        self._q[qi] = self._principal_code(query)
        self._q_session[qi] = self._session_code(query)

    def values(self, m: Index, q: Index) -> TritArray:
        """Scope at pairs: the AND of the tests that the isolation setting enables."""
        found: TritArray | None = None
        if "namespace" in self.scope.isolation:
            found = self.owners(m, q)
        if "session" in self.scope.isolation:
            mine, theirs = self._m_session[m], self._q_session[q]
            same = (mine == theirs).astype(np.uint8) * np.uint8(2)
            session = np.where((mine == 0) | (theirs == 0), np.uint8(1), same)
            found = session if found is None else np.minimum(found, session)
        assert found is not None  # noqa: S101 - every isolation setting enables a test
        return found

    def owners(self, m: Index, q: Index) -> TritArray:
        """The namespace test alone at pairs, whether or not it is enabled."""
        return self._table.get(self._q[q], self._m[picked(m, len(self._m))], (len(self._principals), len(self._owners)))

    def _index(self) -> None:
        for code in range(self._indexed, len(self._owners)):
            side = self._owners.keys[code]
            for segments, _ in side[0] if side is not None else ():
                self._exact.setdefault(segments, []).append(code)
                for length in range(1, len(segments) + 1):
                    self._under.setdefault(segments[:length], []).append(code)
        self._indexed = len(self._owners)

    def _fill(self, rows: Codes, columns: Codes) -> TritArray:
        if len(rows) < 64:
            cells = [
                int(self.scope.cover(_side(self._owners.keys[column]), _side(self._principals.keys[row])))
                for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
            ]
            return np.array(cells, np.uint8)
        self._index()
        out = np.empty(len(rows), np.uint8)
        for row in np.unique(rows).tolist():
            here = rows == row
            out[here] = self._row(row)[columns[here]]
        return out

    def _row(self, row: int) -> TritArray:
        """Coverage of every owner code by one principal, by look-up of what lies under each of its namespaces."""
        principal = self._principals.keys[row]
        sides = self._owners.keys
        loose = principal is None or principal[1]
        out = np.array([1 if loose or side is None or side[1] else 0 for side in sides], np.uint8)
        for segments, is_list in principal[0] if principal is not None else ():
            out[(self._under if is_list else self._exact).get(segments, [])] = 2
        for shared in self.scope.shared:
            for code, side in enumerate(sides):
                if side is not None and any(covers(shared, owner) for owner in side[0]):
                    out[code] = 2
        return out


def _side(key: _Side) -> Owners | None:
    return None if key is None else Owners(tuple(key[0]), key[1])
