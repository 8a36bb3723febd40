"""The semantic-tag test over whole columns (DESIGN 3, Relevance)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inspector.axes.columns import Codebook, Codes, Index
from inspector.axes.ground import Ground
from inspector.records import Memory, Query, Record
from inspector.trit import TritArray


class RelevanceColumns:
    """Relevance by tag at arrays of pairs; ``required`` and judgments are written over it."""

    def __init__(self, ground: Ground, memories: Sequence[Memory], queries: Sequence[Query]) -> None:
        self._ground = ground
        self._tags: Codebook[str | None] = Codebook()
        self._tags.code(None)
        self._m: Codes = np.array([self._code(memory) for memory in memories], np.int32)
        self._q: Codes = np.array([self._code(query) for query in queries], np.int32)

    def _code(self, record: Record) -> int:
        return self._tags.code(self._ground.value(record, "semantic_tag"))

    def update_memory(self, mi: int, memory: Memory) -> None:
        """Read an edited memory again."""
        self._m[mi] = self._code(memory)

    def update_query(self, qi: int, query: Query) -> None:
        """Read an edited query again."""
        self._q[qi] = self._code(query)

    def values(self, m: Index, q: Index) -> TritArray:
        """Either tag missing → ?; equal → 1; different → 0."""
        mine, theirs = self._m[m], self._q[q]
        same = (mine == theirs).astype(np.uint8) * np.uint8(2)
        return np.where((mine == 0) | (theirs == 0), np.uint8(1), same)
