"""The store as routes see it while they are compared: read once, and with corrupted labels (DESIGN 4, 5)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from inspector.axes.engine import AxisEngine
from inspector.compare.batch import BoolArray
from inspector.compare.corruption import Corruption, denied
from inspector.pools import EnginePool
from inspector.records import Memory, Query, Settings
from inspector.retrieval.exact_keys import ExactKeys
from inspector.retrieval.pool import FloatArray, IntArray
from inspector.trit import NO, UNKNOWN, YES, Trit, TritArray

#: The axes whose values decide which memories a route ranks; corrupted labels of another axis leave its rankings alone.
#: What stands here for ``session_tag`` and the global routes is nothing: they read fields that no corruption changes.
ROUTE_AXES: dict[str, frozenset[str]] = {
    "recorded": frozenset({"scope"}),  # where an id of the trace means several memories
    "namespace_dense": frozenset({"scope"}),
    "namespace_bm25": frozenset({"scope"}),
    "postfilter": frozenset({"scope"}),
    "current_only": frozenset({"scope", "lifecycle"}),
    "namespace_policy": frozenset({"scope", "policy"}),
    "namespace_lifecycle": frozenset({"scope", "lifecycle"}),
    "governed": frozenset({"scope", "policy", "lifecycle"}),
    "dual_path": frozenset({"scope", "policy", "lifecycle"}),
    "threshold_router": frozenset({"scope"}),
    "cluster_router": frozenset({"scope"}),
    "random_partition": frozenset({"scope"}),
    "gold_oracle": frozenset({"scope"}),
}


class Snapshot(EnginePool):
    """A pool view whose fields and classes are read once. An edit of the store makes it stale: make a new one."""

    def __init__(
        self, memories: Sequence[Memory], queries: Sequence[Query], engine: AxisEngine, settings: Settings
    ) -> None:
        super().__init__(memories, queries, engine, settings)
        self._fields: dict[str, tuple[IntArray, IntArray]] = {}

    @cached_property
    def _exact_keys(self) -> ExactKeys:
        return super().exact_keys()

    def exact_keys(self) -> ExactKeys:
        """The memories by their exact keys."""
        return self._exact_keys

    @cached_property
    def _created(self) -> FloatArray:
        return super().created_us

    @property
    def created_us(self) -> FloatArray:
        """When each memory was stored, in microseconds since 1970; NaN where there is no date."""
        return self._created

    def _both(self, name: str) -> tuple[IntArray, IntArray]:
        """A number for each value of a field, of the memories and of the queries; -1 where it has none."""
        if name not in self._fields:
            self._fields[name] = super()._both(name)
        return self._fields[name]

    @cached_property
    def _scope_classes(self) -> IntArray:
        return super().scope_class(np.arange(len(self.queries), dtype=np.int64))

    def scope_class(self, q: IntArray) -> IntArray:
        """Queries of one class have the same scope for every memory."""
        return self._scope_classes[q]

    @cached_property
    def _stored_classes(self) -> IntArray:
        return super().stored_class(np.arange(len(self.queries), dtype=np.int64))

    def stored_class(self, q: IntArray) -> IntArray:
        """Queries of one class have the same memories stored at their ``as_of``."""
        return self._stored_classes[q]

    def values(self, axis: str, m: IntArray, q: IntArray) -> TritArray:
        """One axis, relevance included, at pairs of memory and query indices."""
        if axis == "relevance":
            return self.engine.relevance(m, q)
        found: TritArray = getattr(self, axis)(m, q)
        return found


class Corrupted(Snapshot):
    """A snapshot in which the labels of the memories ``struck`` (N,) are wrong in one way (DESIGN 5)."""

    def __init__(self, base: Snapshot, kind: Corruption, struck: BoolArray) -> None:
        # Everything that no corruption changes is taken over; nothing is read again.
        self.memories, self.queries = base.memories, base.queries
        self.engine, self.settings = base.engine, base.settings
        self.uid_rank = base.uid_rank
        self._base, self._fields, self._held = base, base._fields, None
        self._kind, self._struck = kind.name, struck

    def exact_keys(self) -> ExactKeys:
        """As in the base."""
        return self._base.exact_keys()

    @property
    def created_us(self) -> FloatArray:
        """As in the base."""
        return self._base.created_us

    def stored_class(self, q: IntArray) -> IntArray:
        """As in the base: no corruption changes when a memory was stored."""
        return self._base.stored_class(q)

    def scope_class(self, q: IntArray) -> IntArray:
        """As in the base, except that a lost namespace lets the sessions of a class show."""
        classes = self._base.scope_class(q)
        if self._kind != "namespace_missing" or self.settings.isolation != "namespace+session":
            return classes
        sessions = self._fields["session_id"][1][q] if "session_id" in self._fields else self._session_codes()[q]
        return np.unique(np.stack([classes, sessions]), axis=1, return_inverse=True)[1].reshape(-1).astype(np.int64)

    def _session_codes(self) -> IntArray:
        nothing = np.zeros(0, dtype=np.int64)
        self.session_test(nothing, nothing)
        return self._fields["session_id"][1]

    def scope(self, m: IntArray, q: IntArray) -> TritArray:
        """The scope axis: a struck memory's namespace is nobody's, or is not known."""
        values = self._base.scope(m, q)
        if "namespace" not in self.settings.isolation:
            return values
        if self._kind == "namespace_false_deny":
            if "session" not in self.settings.isolation:
                return denied(values, self._struck[m])
            # An unknown session leaves the scope open; it is closed where the owner was the asker and is nobody now.
            lost = self._struck[m] & (self.engine.namespace_test(m, q) == np.uint8(YES))
            return np.where(lost, np.uint8(NO), denied(values, self._struck[m])).astype(np.uint8)
        if self._kind == "namespace_missing":
            rest: TritArray = np.array(UNKNOWN, dtype=np.uint8)
            if "session" in self.settings.isolation:
                rest = np.minimum(rest, self.session_test(m, q))
            return np.where(self._struck[m], rest, values).astype(np.uint8)
        return values

    def policy(self, m: IntArray, q: IntArray) -> TritArray:
        """The policy axis: a struck memory that was allowed is denied."""
        values = self._base.policy(m, q)
        return denied(values, self._struck[m]) if self._kind == "policy_false_deny" else values

    @cached_property
    def _as_stale(self) -> TritArray:
        """What a stale memory's lifecycle is for each query (Q,): by its intent (DESIGN 3)."""
        by_intent = {"current": Trit.NO, "history": Trit.YES, "unknown": Trit.UNKNOWN}
        return np.array([by_intent[self.engine.intent(qi)] for qi in range(len(self.queries))], dtype=np.uint8)

    def lifecycle(self, m: IntArray, q: IntArray) -> TritArray:
        """The lifecycle axis: a struck memory that was current is stale."""
        values = self._base.lifecycle(m, q)
        if self._kind != "lifecycle_false_stale":
            return values
        stale = self._struck[m] & self._is_current(m, q, values)
        return np.where(stale, self._as_stale[q], values).astype(np.uint8)

    def _is_current(self, m: IntArray, q: IntArray, lifecycle: TritArray) -> BoolArray:
        """Whether the label says current: the state fits the intent and is not known to be another.

        For a question about history stale and archived memories fit too: they have no current label to be wrong.
        """
        current: BoolArray = (lifecycle == np.uint8(YES)) & (self.engine.current(m, q) != np.uint8(NO))
        return current

    def stale_or_superseded(self, m: IntArray, q: IntArray) -> TritArray:
        """Whether the memory is stale or superseded: a struck one that was current is."""
        values = self._base.stale_or_superseded(m, q)
        if self._kind != "lifecycle_false_stale":
            return values
        stale = self._struck[m] & self._is_current(m, q, self._base.lifecycle(m, q))
        return np.where(stale, np.uint8(YES), values).astype(np.uint8)
