"""The built-in policy rule: ``allowed_purposes`` of the memory against the query's ``purpose`` (DESIGN 3, Policy)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inspector.axes.columns import Codebook, Codes, Index, PairTable, picked
from inspector.axes.ground import Ground
from inspector.axes.verdict import AxisResult
from inspector.i18n import _d
from inspector.records import FieldRead, Memory, Presence, Query
from inspector.trit import Trit, TritArray

RULE_ID = "allowed_purposes"


def membership(allowed: Sequence[str] | None, purpose: str | None) -> tuple[Trit, Trit]:
    """The built-in rule's allow and deny.

    Both known: membership allows, absence denies. A memory that states no purposes is not restricted by this rule
    (no test). One that does, asked for a purpose that is not known, leaves both open: ``?`` is no permission.
    """
    if not allowed:
        return Trit.NO, Trit.NO
    if purpose is None:
        return Trit.UNKNOWN, Trit.UNKNOWN
    return (Trit.YES, Trit.NO) if purpose in allowed else (Trit.NO, Trit.YES)


class Purposes:
    """The built-in rule over whole columns and, with its reason, over one pair."""

    def __init__(self, ground: Ground, memories: Sequence[Memory], queries: Sequence[Query]) -> None:
        self.ground = ground
        self._allowed: Codebook[frozenset[str]] = Codebook()
        self._purpose: Codebook[str | None] = Codebook()
        self._allowed.code(frozenset())
        self._purpose.code(None)
        self._m: Codes = np.array([self._memory_code(memory) for memory in memories], np.int32)
        self._q: Codes = np.array([self._query_code(query) for query in queries], np.int32)
        self._table = PairTable(self._fill)

    def _memory_code(self, memory: Memory) -> int:
        return self._allowed.code(frozenset(self.ground.value(memory, "allowed_purposes") or ()))

    def _query_code(self, query: Query) -> int:
        return self._purpose.code(self.ground.value(query, "purpose"))

    def update_memory(self, mi: int, memory: Memory) -> None:
        """Read an edited memory again."""
        self._m[mi] = self._memory_code(memory)

    def update_query(self, qi: int, query: Query) -> None:
        """Read an edited query again."""
        self._q[qi] = self._query_code(query)

    def _fill(self, rows: Codes, columns: Codes) -> TritArray:
        cells = [
            int(membership(sorted(self._allowed.keys[column]), self._purpose.keys[row])[0])
            for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
        ]
        return np.array(cells, np.uint8)

    def values(self, m: Index, q: Index) -> tuple[TritArray, TritArray] | None:
        """The rule's allow and deny at pairs; None where no memory states purposes, so that nothing need be folded."""
        if len(self._allowed) == 1:
            return None
        codes = self._m[picked(m, len(self._m))]
        allow = self._table.get(self._q[q], codes, (len(self._purpose), len(self._allowed)))
        deny = np.where(codes == 0, np.uint8(0), np.uint8(2) - allow)
        return allow, deny

    def explain(self, memory: Memory, query: Query) -> tuple[Trit, Trit, AxisResult]:
        """Allow and deny of one pair, and the words for it."""
        mine, theirs = self.ground.read(memory, "allowed_purposes"), self.ground.read(query, "purpose")
        allowed = mine.value if mine.presence is Presence.VALUE else None
        purpose = theirs.value if theirs.presence is Presence.VALUE else None
        allow, deny = membership(allowed, purpose)
        listed = ", ".join(f"'{word}'" for word in allowed or ())
        if allowed is None:
            reason, missing = _d("the memory states no allowed_purposes"), ["allowed_purposes"]
        elif purpose is None:
            reason, missing = (
                _d("allowed_purposes are {listed}, the query states no purpose").format(listed=listed),
                ["query.purpose"],
            )
        else:
            words = (
                _d("purpose '{purpose}' is among the allowed_purposes: {listed}")
                if allow == Trit.YES
                else _d("purpose '{purpose}' is not among the allowed_purposes: {listed}")
            )
            reason, missing = words.format(purpose=purpose, listed=listed), []
        reads: tuple[FieldRead, ...] = (mine, theirs)
        assumed = any(read.origin == "assumption" for read in reads)
        return allow, deny, AxisResult(allow, RULE_ID, reason, reads, tuple(missing), assumed)
