"""The axes of a whole bundle: vectorised values, explanations of single pairs, flips, and updates after edits.

Records are read once into integer-coded columns. An edit refreshes the columns of the record that it changes (and of
the memories that name it as their successor), so that after any run of updates the engine equals a fresh one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from inspector.axes.columns import Index
from inspector.axes.explain import Explainer
from inspector.axes.flips import FlipSearch, find_flips
from inspector.axes.ground import Ground
from inspector.axes.judgments import Judged
from inspector.axes.lifecycle import Lifecycle
from inspector.axes.lifecycle_columns import LifecycleColumns
from inspector.axes.policy import Policy
from inspector.axes.relevance_columns import RelevanceColumns
from inspector.axes.scope import Scope
from inspector.axes.scope_columns import ScopeColumns
from inspector.axes.successors import Successors
from inspector.axes.verdict import Explanation, fold
from inspector.ids import ById, IdIndex
from inspector.records import FieldRead, Judgment, Memory, Query, Settings
from inspector.times import Instant
from inspector.trit import Trit, TritArray

IndexLike = npt.ArrayLike
#: Pairs evaluated at once; larger matrices are done in blocks of rows, to bound the memory of intermediate arrays.
_BLOCK = 1 << 22


class AxisEngine:
    """Scope, policy, lifecycle and relevance of every memory for every query (DESIGN 3).

    ``m`` and ``q`` of the vectorised functions are arrays of memory and query indices that broadcast together: of
    shapes (P,) and (P,) they are pairs, of (1, N) and (B, 1) a matrix. Results are trit arrays (uint8: 0, 1 for ?, 2)
    of the broadcast shape. ``by_id`` spares an index of the ids where the caller has one. Raises InputError for a bad
    policy.toml or an assumption that cannot hold.
    """

    def __init__(
        self,
        memories: Sequence[Memory],
        queries: Sequence[Query],
        judgments: Sequence[Judgment],
        settings: Settings,
        by_id: ById | None = None,
    ) -> None:
        self.memories = memories
        self.queries = queries
        self.settings = settings
        self._ground = Ground(settings, memories)
        self._scope = Scope(self._ground)
        self._policy = Policy(self._ground, memories, queries)
        #: Which memories an id means.
        self.by_id: ById = IdIndex(memories) if by_id is None else by_id
        self._successors = Successors(self._ground, memories, self.by_id)
        self._lifecycle = LifecycleColumns(self._ground, self._successors, memories, queries)
        self._scopes = ScopeColumns(self._scope, memories, queries)
        self._relevance = RelevanceColumns(self._ground, memories, queries)
        self._judged = Judged(self._scope, memories, queries, self.by_id)
        self._judged.load(judgments)
        self._explainer = Explainer(
            self._ground, self._scope, self._policy, Lifecycle(self._ground), self._successors, self._judged
        )

    # Vectorised values

    def scope(self, m: IndexLike, q: IndexLike) -> TritArray:
        """Scope at pairs, judgments over the rules."""
        return self._blocks("scope", m, q)

    def policy(self, m: IndexLike, q: IndexLike) -> TritArray:
        """Policy at pairs, judgments over the rules. Raises InputError for a rule that takes too long."""
        return self._blocks("policy", m, q)

    def lifecycle(self, m: IndexLike, q: IndexLike) -> TritArray:
        """Lifecycle at pairs, judgments over the rules."""
        return self._blocks("lifecycle", m, q)

    def relevance(self, m: IndexLike, q: IndexLike) -> TritArray:
        """Relevance at pairs: judgment, else ``required``, else the semantic-tag test."""
        return self._blocks("relevance", m, q)

    def admissible(self, m: IndexLike, q: IndexLike) -> TritArray:
        """The verdict at pairs: scope AND policy AND lifecycle."""
        return self._blocks("admissible", m, q)

    def usable(self, m: IndexLike, q: IndexLike) -> TritArray:
        """Relevance AND admissible at pairs."""
        return self._blocks("usable", m, q)

    def stored(self, m: IndexLike, q: IndexLike) -> TritArray:
        """Whether the memory was stored at ``as_of``: created_at ≤ as_of, 1 where it has none, ? where in doubt."""
        return self._blocks("stored", m, q)

    def stale_or_superseded(self, m: IndexLike, q: IndexLike) -> TritArray:
        """Whether the state at ``as_of`` is stale or superseded, whatever the intent (route ``current_only``)."""
        return self._blocks("stale_or_superseded", m, q)

    def current(self, m: IndexLike, q: IndexLike) -> TritArray:
        """Whether the state at ``as_of`` is current, whatever the intent and what was judged."""
        return self._blocks("current", m, q)

    def namespace_test(self, m: IndexLike, q: IndexLike) -> TritArray:
        """The namespace test alone: what scope says but for session and judgments."""
        return self._blocks("namespace_test", m, q)

    def _blocks(self, what: str, m: IndexLike, q: IndexLike) -> TritArray:
        mm, qq = np.asarray(m, np.intp), np.asarray(q, np.intp)
        shape = np.broadcast_shapes(mm.shape, qq.shape)
        if len(shape) != 2 or qq.shape != (shape[0], 1) or mm.shape[0] != 1 or shape[0] * shape[1] <= _BLOCK:
            return self._values(what, mm, qq)
        out = np.empty(shape, np.uint8)
        step = max(1, _BLOCK // max(1, shape[1]))
        for start in range(0, shape[0], step):
            out[start : start + step] = self._values(what, mm, qq[start : start + step])
        return out

    def _values(self, what: str, m: Index, q: Index) -> TritArray:
        if what == "admissible":
            return fold(*(self._values(axis, m, q) for axis in ("scope", "policy", "lifecycle")))
        if what == "usable":
            return fold(self._values("relevance", m, q), self._values("admissible", m, q))
        if what == "stored":
            return self._lifecycle.stored(m, q)
        if what == "stale_or_superseded":
            return self._lifecycle.stale_or_superseded(m, q)
        if what == "current":
            return self._lifecycle.current(m, q)
        if what == "namespace_test":
            return self._scopes.owners(m, q)
        if what == "relevance":
            found = self._relevance.values(m, q)
            self._judged.required.write(found, m, q)
        elif what == "scope":
            found = self._scopes.values(m, q)
        elif what == "policy":
            found = self._policy.values(m, q)
        else:
            found = self._lifecycle.values(m, q)
        self._judged.over[what].write(found, m, q)
        return found

    # Single pairs

    def explain(self, mi: int, qi: int) -> Explanation:
        """All axes of one pair with their reasons, by the scalar rules; its trits equal the vectorised ones."""
        return self._explainer.explain(mi, self.memories[mi], qi, self.queries[qi])

    def explain_as(self, mi: int, memory: Memory, qi: int, query: Query) -> Explanation:
        """:meth:`explain` for records that stand in for the stored ones: a preview of an edit, which stores nothing."""
        return self._explainer.explain(mi, memory, qi, query)

    def flips(self, mi: int, qi: int, target: Trit) -> FlipSearch:
        """The smallest sets of edits of the memory that turn the verdict into ``target``, sizes 1 then 2."""
        return find_flips(self._explainer, self.memories, mi, qi, self.queries[qi], target)

    def as_of(self, qi: int) -> Instant | None:
        """The instant in force for a query; None where neither it nor the store has any."""
        return self._ground.as_of(self.queries[qi])

    def as_of_read(self, qi: int) -> FieldRead:
        """The ``as_of`` in force with its origin."""
        return self._ground.as_of_read(self.queries[qi])

    def intent(self, qi: int) -> str:
        """The intent in force for a query: ``current``, ``history`` or ``unknown``."""
        return self._ground.intent(self.queries[qi])

    def required(self, qi: int) -> tuple[int, ...]:
        """The memories that a query's ``required`` means; ids that are not stored give none."""
        return self._judged.required.members(qi)

    def dependents(self, mis: Iterable[int]) -> frozenset[int]:
        """The memories that name one of these as their successor, whose lifecycle an edit of it can change."""
        return frozenset().union(*(self._successors.predecessors(mi) for mi in mis))

    # Updates

    def update_memories(self, mis: Iterable[int]) -> frozenset[int]:
        """Read edited memories again. Gives all memories whose axes may have changed, predecessors included."""
        edited = frozenset(mis)
        for mi in edited:
            memory = self.memories[mi]
            self._scopes.update_memory(mi, memory)
            self._policy.update_memory(mi, memory)
            self._lifecycle.update_memory(mi, memory)
            self._relevance.update_memory(mi, memory)
        before = frozenset().union(*(self._successors.predecessors(mi) for mi in edited)) - edited
        for mi in before:
            self._lifecycle.update_successor(mi, self.memories[mi])
        return edited | before

    def update_queries(self, qis: Iterable[int]) -> None:
        """Read edited queries again."""
        for qi in frozenset(qis):
            query = self.queries[qi]
            self._scopes.update_query(qi, query)
            self._policy.update_query(qi, query)
            self._lifecycle.update_query(qi, query)
            self._relevance.update_query(qi, query)
            self._judged.update_query(qi)

    def update_judgments(self, judgments: Sequence[Judgment]) -> None:
        """Replace all judgments."""
        self._judged.load(judgments)
