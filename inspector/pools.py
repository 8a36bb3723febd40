"""The store as the routes see it: axis values from the engine, and tests that only some routes ask (DESIGN 4, 9)."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from inspector.axes.engine import AxisEngine
from inspector.ids import ById, uid_ranks
from inspector.records import Memory, Query, Record, Settings, read_field
from inspector.retrieval.exact_keys import ExactKeys
from inspector.retrieval.pool import FloatArray, IntArray
from inspector.store.degraded import Degraded, degraded, why_degraded
from inspector.times import parse_time
from inspector.trit import Trit, TritArray


def required_memories(by_id: ById, query: Query, engine: AxisEngine, qi: int) -> list[list[int]]:
    """For each id that the query requires, the memories it means; an empty list where none is stored.

    Ids are unique per namespace: where several memories share one, those in the query's scope are meant, else all.
    """
    meant = set(engine.required(qi))
    wanted = dict.fromkeys(query.value("required") or ())
    return [[mi for mi in by_id.get(memory_id, ()) if mi in meant] for memory_id in wanted]


class EnginePool:
    """Answers :class:`inspector.retrieval.pool.PoolView` from the axis engine; reads edits as they stand."""

    def __init__(
        self, memories: Sequence[Memory], queries: Sequence[Query], engine: AxisEngine, settings: Settings
    ) -> None:
        self.memories = memories
        self.queries = queries
        self.engine = engine
        self.settings = settings
        #: Both sides' codes of a field, while :meth:`held` says that nothing is edited.
        self._held: dict[str, tuple[IntArray, IntArray]] | None = None

    @functools.cached_property
    def uid_rank(self) -> IntArray:
        """The place of each memory in the order of uids; made when the first ranking needs it."""
        return uid_ranks(self.memories)

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Meanwhile no record is edited: a field is read once for all queries, not once for each."""
        self._held = {}
        try:
            yield
        finally:
            self._held = None

    @property
    def created_us(self) -> FloatArray:
        """When each memory was stored, in microseconds since 1970; NaN where there is no date."""
        out = np.full(len(self.memories), np.nan)
        for index, memory in enumerate(self.memories):
            value = memory.value("created_at")
            if value is not None:
                out[index] = parse_time(value, "created_at", self.settings.timezone).us
        return out

    def stored(self, m: IntArray, q: IntArray) -> TritArray:
        """Whether the memory is in the store at the query's ``as_of``."""
        return self.engine.stored(m, q)

    def scope(self, m: IntArray, q: IntArray) -> TritArray:
        """The scope axis."""
        return self.engine.scope(m, q)

    def policy(self, m: IntArray, q: IntArray) -> TritArray:
        """The policy axis."""
        return self.engine.policy(m, q)

    def lifecycle(self, m: IntArray, q: IntArray) -> TritArray:
        """The lifecycle axis."""
        return self.engine.lifecycle(m, q)

    def stale_or_superseded(self, m: IntArray, q: IntArray) -> TritArray:
        """Whether the memory is stale or superseded at ``as_of``."""
        return self.engine.stale_or_superseded(m, q)

    def session_test(self, m: IntArray, q: IntArray) -> TritArray:
        """Whether the memory is of the query's authenticated session."""
        return self._same("session_id", m, q)

    def tag_test(self, m: IntArray, q: IntArray) -> TritArray:
        """Whether memory and query have the same semantic tag."""
        return self._same("semantic_tag", m, q)

    def _same(self, name: str, m: IntArray, q: IntArray) -> TritArray:
        """Equality of one field on both sides; unknown where either is missing (DESIGN 3)."""
        first, second = self._both(name)
        left, right = first[m], second[q]
        out = np.where(left == right, np.uint8(Trit.YES), np.uint8(Trit.NO))
        return np.where((left < 0) | (right < 0), np.uint8(Trit.UNKNOWN), out).astype(np.uint8)

    def _both(self, name: str) -> tuple[IntArray, IntArray]:
        """A number for each value of a field, of the memories and of the queries; -1 where it has none."""
        found = None if self._held is None else self._held.get(name)
        if found is None:
            codes: dict[Any, int] = {}
            found = self._codes(self.memories, name, codes), self._codes(self.queries, name, codes)
            if self._held is not None:
                self._held[name] = found
        return found

    def exact_keys(self) -> ExactKeys:
        """The memories by their exact keys, as they stand now."""
        return ExactKeys(self.memories)

    def why_degraded(self, qi: int) -> str:
        """Why session × tag cannot be had for a query; "" where it can (DESIGN 9)."""
        return self._untagged(qi)[0]

    def without_tags(self, qi: int) -> Mapping[int, str]:
        """What is left of recall where no semantic tag can be had: memories, each with the path that brought it."""
        found = self.degraded(qi)
        return {} if found is None else found.found

    def degraded(self, qi: int) -> Degraded | None:
        """What is left of recall where the query or its session has no semantic tags; None where it has (DESIGN 9)."""
        why, members = self._untagged(qi)
        if not why:
            return None
        own = [self.memories[mi] for mi in members]
        found = degraded(self.queries[qi], own, self.settings, as_of=self.engine.as_of(qi), why=why)
        return None if found is None else found.renumbered(members)

    def _untagged(self, qi: int) -> tuple[str, list[int]]:
        """Why there are no tags, and the memories of the query's session."""
        (mine, asked), (tags, asked_tags) = self._both("session_id"), self._both("semantic_tag")
        members = np.nonzero(mine == asked[qi])[0] if asked[qi] >= 0 else np.zeros(0, np.int64)
        tagged = bool((tags[members] >= 0).any()) or not members.size
        why = why_degraded(session=bool(asked[qi] >= 0), tag=bool(asked_tags[qi] >= 0), tagged=tagged)
        return why, members.tolist()

    def _codes(self, records: Sequence[Record], name: str, codes: dict[Any, int]) -> IntArray:
        out = np.full(len(records), -1, dtype=np.int64)
        for index, record in enumerate(records):
            read = read_field(record, name, self.settings.assumptions)
            if read.presence.value == "value":
                out[index] = codes.setdefault(read.value, len(codes))
        return out

    def scope_class(self, q: IntArray) -> IntArray:
        """Queries of one class have the same scope for every memory."""
        return self._classes(q, self.engine.scope)

    def stored_class(self, q: IntArray) -> IntArray:
        """Queries of one class have the same memories stored at their ``as_of``."""
        codes: dict[Any, int] = {}
        out = np.empty(len(q), dtype=np.int64)
        for place, qi in enumerate(q.tolist()):
            as_of = self.engine.as_of(qi)
            out[place] = codes.setdefault(None if as_of is None else (as_of.us, as_of.naive), len(codes))
        return out

    def _classes(self, q: IntArray, axis: Callable[[IntArray, IntArray], TritArray]) -> IntArray:
        """Classes by the axis' whole rows: exact, whatever the axis reads, judgments included."""
        memories = np.arange(len(self.memories), dtype=np.int64)[None, :]
        rows: dict[bytes, int] = {}
        out = np.empty(len(q), dtype=np.int64)
        step = max(1, 16_000_000 // max(1, len(self.memories)))
        for start in range(0, len(q), step):
            part = q[start : start + step]
            block = np.ascontiguousarray(np.broadcast_to(axis(memories, part[:, None]), (len(part), memories.size)))
            for place, row in enumerate(block):
                out[start + place] = rows.setdefault(row.tobytes(), len(rows))
        return out

    def required(self, qi: int) -> list[int]:
        """Indices of the stored memories that the query requires."""
        return list(self.engine.required(qi))
