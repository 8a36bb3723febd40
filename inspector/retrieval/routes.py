"""Rank: every route of DESIGN 4, from pools (:mod:`.pools`) and scores (:mod:`.scoring`, :mod:`.lexical`).

A ranking of some queries equals the same rows of the ranking of all, bit for bit: scores are exact, and no query's
pool, draw or cluster depends on which other queries are ranked with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from inspector.errors import Cancelled, InspectorError
from inspector.i18n import _, _d
from inspector.records import OnProgress, Progress
from inspector.retrieval.exact_keys import ExactKeys
from inspector.retrieval.lexical import LexicalIndex, LexicalPool
from inspector.retrieval.parallel import in_parallel
from inspector.retrieval.pool import BoolArray, FloatArray, IntArray, PoolView
from inspector.retrieval.pools import (
    Keep,
    Pool,
    everything,
    namespaces,
    not_no,
    one_row,
    only_yes,
    random_partition,
    session_and_tag,
    whole_store,
)
from inspector.retrieval.ranking import Ranking, empty_ranking
from inspector.retrieval.recency import positions
from inspector.retrieval.recorded import TraceReader
from inspector.retrieval.routers import Router, cluster_rule, threshold_rule
from inspector.retrieval.scoring import HYBRID_CELLS, Dense, Keys, best
from inspector.retrieval.specs import DEFAULT_DEPTH, DEFAULT_K, Params, RouteSpec, parse_route


@dataclass(frozen=True, slots=True)
class Sources:
    """What scores are made of: ``dense`` for routes that need vectors, ``lexical`` for those that need words."""

    dense: Dense | None = None
    lexical: LexicalIndex | None = None


def rank(
    route: RouteSpec | str,
    view: PoolView,
    sources: Sources,
    *,
    k: int | None = None,
    queries: IntArray | None = None,
    params: Params | None = None,
    on_progress: OnProgress | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Ranking:
    """Rank the memories for the queries (indices; None all) by one route, cut at ``k``.

    ``k`` None means 20, and for ``recorded`` the whole of the trace. Raises InspectorError where the route is unknown,
    ``k`` is not positive, or a source that the route needs is missing, and Cancelled when ``cancelled`` turns true.
    """
    spec = parse_route(route) if isinstance(route, str) else route
    if k is not None and k < 1:
        raise InspectorError(_("k is {k}: expected 1 or more").format(k=k))
    for need, source, words in (
        ("vectors", sources.dense, _d("vectors of memories and queries")),
        ("words", sources.lexical, _d("a lexical index")),
    ):
        if need in spec.needs and source is None:
            raise InspectorError(_("route {spec} needs {words}").format(spec=spec, words=words))
    q = np.arange(len(view.queries), dtype=np.int64) if queries is None else np.asarray(queries, dtype=np.int64)
    run = _Run(spec, view, sources, q, k, params or Params(), on_progress or (lambda _: None), cancelled)
    return run.ranking()


class _Run:
    """One ranking in the making."""

    def __init__(
        self,
        spec: RouteSpec,
        view: PoolView,
        sources: Sources,
        q: IntArray,
        k: int | None,
        params: Params,
        on_progress: OnProgress,
        cancelled: Callable[[], bool],
    ) -> None:
        self.spec, self.view, self.q, self.params = spec, view, q, params
        # A ranking cannot be longer than the store: a k that asks for all there is takes no more room than that.
        self.k = min(DEFAULT_K if k is None else k, max(1, len(view.memories)))
        self.whole_trace = k is None
        self._dense, self._lexical = sources.dense, sources.lexical
        self._on_progress, self._cancelled = on_progress, cancelled
        self.keys = Keys(view.uid_rank)
        self.out = empty_ranking(str(spec), q, self.k)
        self._exact: ExactKeys | None = None
        self._paths: dict[str, int] = {}
        self._done = 0

    # What was asked for is there: rank() has checked it.
    @property
    def dense(self) -> Dense:
        if self._dense is None:
            raise InspectorError(_("route {spec} needs vectors").format(spec=self.spec))
        return self._dense

    @property
    def lexical(self) -> LexicalIndex:
        if self._lexical is None:
            raise InspectorError(_("route {spec} needs a lexical index").format(spec=self.spec))
        return self._lexical

    def ranking(self) -> Ranking:
        makers: dict[str, Callable[[], None]] = {
            "global_dense": self._global_dense,
            "namespace_dense": self._namespace,
            "global_bm25": lambda: self._words(whole_store(self.view, self.q)),
            "namespace_bm25": lambda: self._words(namespaces(self.view, self.q)),
            "global_hybrid": self._hybrid,
            "global_recency": self._recency,
            "postfilter": self._postfilter,
            "current_only": lambda: self._namespace(self._not_old),
            "namespace_policy": lambda: self._namespace(self._policy),
            "namespace_lifecycle": lambda: self._namespace(self._lifecycle),
            "governed": lambda: self._namespace(self._policy, self._lifecycle),
            "session_tag": self._session_tag,
            "dual_path": self._dual_path,
            "threshold_router": lambda: self._router(Router(self.view, self.dense, threshold_rule(self.params))),
            "cluster_router": lambda: self._router(Router(self.view, self.dense, cluster_rule(self.params))),
            "random_partition": lambda: self._similar(random_partition(self.view, self.q, self.params.seed)),
            "gold_oracle": lambda: self._similar(random_partition(self.view, self.q, self.params.seed, True)),
            "recorded": self._recorded,
        }
        if len(self.q) and (len(self.view.memories) or self.spec.name == "recorded"):
            makers[self.spec.name]()
        if self._dense is not None and "vectors" in self.spec.needs:
            for qi, words in self._dense.query.problems.items():
                if qi in self.q:
                    self.out.notes[qi] = (_d("similarity unknown: the query's vector {words}").format(words=words),)
        self.out.paths = tuple(self._paths)
        return self.out

    def _put(self, rows: IntArray, keys: IntArray, widths: IntArray, similarities: IntArray, path: str = "") -> None:
        """Write finished rows, and let the user follow and cancel."""
        memory, score = self.keys.unpack(keys)
        self.out.memory[rows], self.out.score[rows] = memory, score
        number = self._paths.setdefault(path or str(self.spec), len(self._paths))
        self.out.path[rows] = np.where(memory >= 0, number, -1)
        self.out.width[rows], self.out.similarities[rows] = widths, similarities
        self._advance(len(rows))

    def _advance(self, rows: int) -> None:
        self._done += rows
        self._on_progress(
            Progress(_("ranking by {spec}").format(spec=self.spec), self._done, len(self.q), _("queries"))
        )
        if self._cancelled():
            raise Cancelled(_("ranking was cancelled"))

    # ---- pools cut by the axes; known 0 only
    def _policy(self, m: IntArray, q: IntArray) -> BoolArray:
        return not_no(self.view.policy(m, q))

    def _lifecycle(self, m: IntArray, q: IntArray) -> BoolArray:
        return not_no(self.view.lifecycle(m, q))

    def _not_old(self, m: IntArray, q: IntArray) -> BoolArray:
        # The test says "stale or superseded": what is known 1 goes, that is, what is known not to be current
        return ~only_yes(self.view.stale_or_superseded(m, q))

    # ---- routes by similarity
    def _similar(self, pools: Iterator[Pool], path: str = "") -> None:
        def score(pool: Pool) -> IntArray:
            return self.dense.best(pool.q, pool.m, self.k, self.keys, pool.allowed)

        def is_small(pool: Pool) -> bool:
            return not self.dense.is_large(pool.m)

        for pool, keys in in_parallel(pools, score, is_small, lambda pool: len(pool.q) * len(pool.m)):
            widths = pool.widths()
            self._put(pool.rows, keys, widths, widths, path)

    def _global_dense(self) -> None:
        self._similar(whole_store(self.view, self.q))

    def _namespace(self, *filters: Keep) -> None:
        self._similar(namespaces(self.view, self.q, filters))

    def _recency(self) -> None:
        for pool in whole_store(self.view, self.q):
            bonus = self.params.recency * positions(self.view.created_us, pool.row(0))
            widths = pool.widths()
            keys = self.dense.best(pool.q, pool.m, self.k, self.keys, pool.allowed, bonus)
            self._put(pool.rows, keys, widths, widths)

    def _postfilter(self) -> None:
        depth = min(self.spec.depth or DEFAULT_DEPTH, len(self.view.memories))
        for pool in whole_store(self.view, self.q):
            keys = self.dense.best(pool.q, pool.m, depth, self.keys, pool.allowed)
            memory, _ = self.keys.unpack(keys)
            scope = not_no(self.view.scope(np.maximum(memory, 0), pool.q[:, None])) & (memory >= 0)
            kept = -np.sort(-np.where(scope, keys, -1), axis=1)[:, : self.k]
            kept = np.pad(kept, ((0, 0), (0, self.k - kept.shape[1])), constant_values=-1)
            self._put(pool.rows, kept, np.count_nonzero(scope, axis=1), pool.widths())

    def _session_tag(self) -> None:
        self._similar(session_and_tag(self.view, self.q))

    def _dual_path(self) -> None:
        for pool in session_and_tag(self.view, self.q):
            qi = int(pool.q[0])
            keys = self.dense.best(pool.q, pool.m, self.k, self.keys, None)
            memory, score = self.keys.unpack(keys[0])
            listed = memory[memory >= 0]
            weak = not len(listed) or not score[0] >= self.params.dual_threshold  # NaN is not enough either
            if not weak and self._any_admissible(listed, qi):
                self._put(pool.rows, keys, pool.widths(), pool.widths(), "session_tag")
                continue
            exact = self._exact_key(qi)
            left = {} if len(exact) else self.view.without_tags(qi)
            if left:
                self._put_degraded(pool, left)
                continue
            keys = self.dense.best(pool.q, exact, self.k, self.keys, None)
            width = np.array([len(exact)])
            self._put(pool.rows, keys, width, pool.widths() + width, "exact_key")

    def _put_degraded(self, pool: Pool, left: Mapping[int, str]) -> None:
        """Neither tags nor keys: the memories of degraded recall by similarity, each with its own path (DESIGN 9)."""
        m = np.fromiter(left, np.int64, len(left))
        keys = self.dense.best(pool.q, m, self.k, self.keys, None)
        width = np.array([len(left)])
        self._put(pool.rows, keys, width, pool.widths() + width, next(iter(left.values())))
        row = int(pool.rows[0])
        for place, mi in enumerate(self.out.memory[row].tolist()):
            if mi >= 0:
                self.out.path[row, place] = self._paths.setdefault(left[mi], len(self._paths))

    def _any_admissible(self, m: IntArray, qi: int) -> bool:
        """Whether a memory is left once those whose verdict is known 0 are gone."""
        view = self.view
        verdict = np.minimum(one_row(view.scope, m, qi), one_row(view.policy, m, qi))
        return bool(not_no(np.minimum(verdict, one_row(view.lifecycle, m, qi))).any())

    def _exact_key(self, qi: int) -> IntArray:
        """Memories stored at as_of that have every exact key of the query with the same value [ours]."""
        keys = self.view.queries[qi].value("keys")
        wanted = {name: value for name, value in keys.items() if value is not None} if isinstance(keys, dict) else {}
        if not wanted:
            return np.zeros(0, dtype=np.int64)
        self._exact = self._exact or self.view.exact_keys()
        m = self._exact.find(wanted)
        return m[not_no(one_row(self.view.stored, m, qi))]

    def _router(self, router: Router) -> None:
        for pool, routed, centroids in router.pools(self.q):
            widths = pool.widths()
            keys = self.dense.best(pool.q, pool.m, self.k, self.keys, None)
            where = "cluster" if routed else "namespace"
            self._put(pool.rows, keys, widths, widths + centroids, f"{self.spec}: {where}")

    # ---- routes by words
    def _words(self, pools: Iterator[Pool]) -> None:
        none = np.zeros(1, dtype=np.int64)
        counted: tuple[IntArray, LexicalPool] | None = None
        for pool in pools:
            if counted is None or counted[0] is not pool.m:
                counted = (pool.m, self.lexical.pool(pool.m))
            for place, qi in enumerate(pool.q.tolist()):
                scores = counted[1].scores(self._query_words(qi), pool.row(place))
                keys = best(self.keys.pack(scores, pool.m, pool.row(place))[None, :], self.k)
                self._put(pool.rows[place : place + 1], keys, pool.widths()[place : place + 1], none)

    def _query_words(self, qi: int) -> list[str]:
        return self.lexical.cut(self.view.queries[qi].text)

    def _hybrid(self) -> None:
        words: LexicalPool | None = None
        for pool in whole_store(self.view, self.q, HYBRID_CELLS):
            words = words or self.lexical.pool(pool.m)
            similar = self.dense.scores(pool.q, pool.m)
            for place, qi in enumerate(pool.q.tolist()):
                allowed = pool.row(place)
                matched = words.scores(self._query_words(qi), allowed)
                joined = self._reciprocal(similar[place], allowed) + self._reciprocal(
                    np.where(matched > 0, matched, np.nan), allowed
                )
                keys = best(self.keys.pack(joined, pool.m, allowed)[None, :], self.k)
                width = pool.widths()[place : place + 1]
                self._put(pool.rows[place : place + 1], keys, width, width)

    def _reciprocal(self, scores: FloatArray, allowed: BoolArray | None) -> FloatArray:
        """1/(rrf + rank) over the whole pool, rank from 1; 0 where the score is ? or, for words, nothing matched."""
        m = everything(self.view)
        order = np.argsort(self.keys.pack(scores, m, allowed))[::-1]
        value = np.empty(len(order))
        value[order] = 1.0 / (self.params.rrf + np.arange(1, len(order) + 1))
        value[np.isnan(scores)] = 0.0
        return value

    # ---- the trace
    def _recorded(self) -> None:
        reader = TraceReader(self.view)
        traces = [reader.read(qi) for qi in self.q.tolist()]
        if self.whole_trace:
            self.out = empty_ranking(str(self.spec), self.q, max((len(trace.hits) for trace in traces), default=0))
        depth = self.out.memory.shape[1]
        for row, trace in enumerate(traces):
            for place, hit in enumerate(trace.hits[:depth]):
                self.out.memory[row, place] = hit.mi
                self.out.score[row, place] = np.round(hit.score, 6)
                self.out.path[row, place] = self._paths.setdefault(hit.event, len(self._paths))
            self.out.width[row] = len(trace.hits)
            qi = int(self.q[row])
            if trace.notes:
                self.out.notes[qi] = tuple(trace.notes)
            if trace.unknown:
                self.out.unknown_ids[qi] = tuple(trace.unknown)
            self._advance(1)
