"""The candidates of every query on one route, judged, and kept up to date edit by edit (DESIGN 3, 4, 5, 10).

An edit recomputes only the cells that it can reach: the candidates that hold an affected memory, and the rankings
whose pool it changes. A full recomputation gives the same (tested).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from inspector.axes.engine import AxisEngine
from inspector.compare.matched import Matched, matched
from inspector.pools import required_memories
from inspector.records import Memory, Query
from inspector.retrieval.ranking import Ranking
from inspector.trit import Trit, TritArray
from inspector.views import TRIT_COLUMNS, Flip, RouteChoice

Indices = npt.NDArray[np.int64]
_AXIS_COLUMNS = ("scope", "policy", "lifecycle")
#: The axes whose known 0 takes a memory out of a route's pool (DESIGN 4).
ROUTE_FILTERS: dict[str, tuple[str, ...]] = {
    "recorded": (),
    "global_dense": ("stored",),
    "global_bm25": ("stored",),
    "global_hybrid": ("stored",),
    "global_recency": ("stored",),
    "namespace_dense": ("stored", "scope"),
    "namespace_bm25": ("stored", "scope"),
    "postfilter": ("stored", "scope"),
    "current_only": ("stored", "scope", "stale"),
    "namespace_policy": ("stored", "scope", "policy"),
    "namespace_lifecycle": ("stored", "scope", "lifecycle"),
    "governed": ("stored", "scope", "policy", "lifecycle"),
}


#: Ranks the candidates of some queries, a row each, in their order.
Ranker = Callable[[Indices], Ranking]


@dataclass(slots=True)
class Delta:
    """What a refresh changed: flipped verdicts, queries whose row differs, and each changed cell's value before.

    ``came`` and ``gone`` count candidates that a query has now and had not, and the reverse: they flip no verdict.
    """

    flips: list[Flip] = field(default_factory=list)
    queries: set[int] = field(default_factory=set)
    before: dict[tuple[int, int], dict[str, Trit]] = field(default_factory=dict)
    came: int = 0
    gone: int = 0


class Evaluation:
    """Judged candidates: arrays of shape (queries, k), padded with memory -1 where a query has fewer candidates.

    ``trits`` holds one uint8 array for each column of :data:`inspector.views.TRIT_COLUMNS`; padding reads unknown.
    """

    def __init__(
        self,
        memories: Sequence[Memory],
        queries: Sequence[Query],
        engine: AxisEngine,
        route: RouteChoice,
        ranker: Ranker,
        tau: float,
    ) -> None:
        self.memories = memories
        self.queries = queries
        self.engine = engine
        self.route = route
        self.tau = tau
        self._ranker = ranker
        shape = (len(queries), min(route.k, max(1, len(memories))))  # a ranking is never longer than the store
        self.memory: Indices = np.full(shape, -1, dtype=np.int64)
        self.score = np.full(shape, np.nan)
        self.path: list[list[str]] = [[] for _ in queries]
        self.trits: dict[str, TritArray] = {name: np.full(shape, Trit.UNKNOWN, np.uint8) for name in TRIT_COLUMNS}
        self.similarities = np.zeros(len(queries), dtype=np.int64)
        self.width = np.zeros(len(queries), dtype=np.int64)
        self.matched: list[Matched] = [matched((), (), (), tau) for _ in queries]
        #: Queries whose ranking an edit may have changed, and that wait to be ranked anew.
        self.waiting: set[int] = set()

    def run(self, start: int = 0, stop: int | None = None) -> None:
        """Rank and judge the queries from ``start`` to ``stop`` (None: all)."""
        rows = np.arange(start, len(self.queries) if stop is None else stop, dtype=np.int64)
        if not rows.size:
            return
        self._rank(rows)
        self._judge_rows(rows)
        for row in rows.tolist():
            self._figure(row)

    def adopt(self, engine: AxisEngine, ranker: Ranker) -> None:
        """Go on with another engine: the settings changed."""
        self.engine = engine
        self._ranker = ranker

    def relisted(self, engine: AxisEngine, ranker: Ranker, came: Indices) -> Evaluation:
        """The candidates of another list of the queries: row i is the row ``came[i]`` of before, empty for -1."""
        made = Evaluation(self.memories, self.queries, engine, self.route, ranker, self.tau)
        if self.memory.shape[1] > made.memory.shape[1]:
            made._widen(self.memory.shape[1])
        old = np.flatnonzero(came >= 0)
        rows = came[old]
        for now, was in (
            (made.memory, self.memory),
            (made.score, self.score),
            (made.similarities, self.similarities),
            (made.width, self.width),
            *((made.trits[name], self.trits[name]) for name in TRIT_COLUMNS),
        ):
            now[old] = was[rows]
        place = {int(was): int(now) for now, was in zip(old, rows, strict=True)}
        for was_at, now_at in place.items():
            made.path[now_at], made.matched[now_at] = self.path[was_at], self.matched[was_at]
        made.waiting = {place[qi] for qi in self.waiting if qi in place}
        return made

    def difference(self, before: Evaluation) -> Delta:
        """What a full evaluation of the same queries changed."""
        delta = Delta()
        for row in range(len(self.queries)):
            if before.matched[row] != self.matched[row]:
                delta.queries.add(row)
            self._compare(row, before._row(row), delta)  # the same class
        return delta

    def _rank(self, rows: Indices) -> None:
        ranking = self._ranker(rows)
        width = ranking.memory.shape[1]
        if width > self.memory.shape[1]:  # a recorded ranking may be longer than k
            self._widen(width)
        self.memory[rows] = -1
        self.score[rows] = np.nan
        self.memory[rows, :width] = ranking.memory
        self.score[rows, :width] = ranking.score
        self.similarities[rows] = ranking.similarities
        self.width[rows] = ranking.width
        for place, row in enumerate(rows.tolist()):
            self.path[row] = [ranking.path_name(place, at) for at in range(len(ranking.found(place)))]

    def _widen(self, width: int) -> None:
        extra = width - self.memory.shape[1]
        pad = ((0, 0), (0, extra))
        self.memory = np.pad(self.memory, pad, constant_values=-1)
        self.score = np.pad(self.score, pad, constant_values=np.nan)
        for name in TRIT_COLUMNS:
            self.trits[name] = np.pad(self.trits[name], pad, constant_values=Trit.UNKNOWN)

    def _judge_rows(self, rows: Indices) -> None:
        at, position = np.nonzero(self.memory[rows] >= 0)
        for values in self.trits.values():
            values[rows] = Trit.UNKNOWN
        self._judge_cells(rows[at], position)

    def _judge_cells(self, rows: Indices, positions: Indices) -> None:
        if rows.size == 0:
            return
        memory = self.memory[rows, positions]
        cells = judge_pairs(self.engine, memory, rows)
        for name in TRIT_COLUMNS:
            self.trits[name][rows, positions] = cells[name]

    def required(self, qi: int) -> list[list[int]]:
        """For each id that the query requires, the indices of the memories it means; empty where none is stored."""
        return required_memories(self.engine.by_id, self.queries[qi], self.engine, qi)

    def _required_ids(self, qi: int) -> list[str]:
        wanted = self.queries[qi].value("required")
        return wanted if isinstance(wanted, list) else []

    def _figure(self, qi: int) -> None:
        self.matched[qi] = matched(self.memory[qi], self.required(qi), self.trits["admissible"][qi], self.tau)

    def members(self, memories: Indices) -> npt.NDArray[np.bool_]:
        """Which of ``memories`` are in which query's pool on this route: bool, (queries, len(memories))."""
        rows = np.arange(len(self.queries), dtype=np.int64)[:, None]
        columns = memories[None, :]
        inside = np.ones((len(self.queries), memories.size), dtype=np.bool_)
        for name in ROUTE_FILTERS.get(self.route.name, ()):
            if name == "stale":
                inside &= self.engine.stale_or_superseded(columns, rows) != Trit.YES
            else:
                inside &= getattr(self.engine, name)(columns, rows) != Trit.NO
        return inside

    def refresh(
        self, memories: Iterable[int], queries: Iterable[int], rerank: Iterable[int], moved: Iterable[str] = ()
    ) -> Delta:
        """Bring up to date every cell of ``memories`` and of ``queries``, and rank the queries in ``rerank`` anew.

        ``moved`` are ids whose memories changed owner: a query that requires one may now mean another memory.
        """
        delta = Delta()
        again = np.array(sorted(set(rerank)), dtype=np.int64)
        whole = set(queries) | set(again.tolist())
        affected = np.array(sorted(set(memories)), dtype=np.int64)
        rows, positions = np.nonzero(np.isin(self.memory, affected)) if affected.size else (again[:0], again[:0])
        keep = ~np.isin(rows, np.fromiter(whole, np.int64, len(whole)))
        rows, positions = rows[keep].astype(np.int64), positions[keep].astype(np.int64)
        touched = sorted(whole | set(rows.tolist()))
        old = {row: self._row(row) for row in touched}
        if again.size:
            self._rank(again)
        if whole:
            self._judge_rows(np.array(sorted(whole), dtype=np.int64))
        self._judge_cells(rows, positions)
        ids = set(moved)
        needing = [row for row in range(len(self.queries)) if ids and not ids.isdisjoint(self._required_ids(row))]
        for row in sorted({*touched, *needing}):
            before = self.matched[row]
            self._figure(row)
            if self.matched[row] != before:
                delta.queries.add(row)
        for row in touched:
            self._compare(row, old[row], delta)
        return delta

    def _row(self, qi: int) -> dict[int, tuple[int, ...]]:
        columns = [self.trits[name][qi].tolist() for name in TRIT_COLUMNS]
        return {
            memory: tuple(values)
            for memory, *values in zip(self.memory[qi].tolist(), *columns, strict=True)
            if memory >= 0
        }

    def _compare(self, qi: int, old: dict[int, tuple[int, ...]], delta: Delta) -> None:
        new = self._row(qi)
        if list(old) != list(new):
            delta.queries.add(qi)
            delta.came += len(new.keys() - old.keys())
            delta.gone += len(old.keys() - new.keys())
        for memory, after in new.items():
            before = old.get(memory)
            if before is None or before == after:
                continue
            delta.queries.add(qi)
            delta.before[qi, memory] = {
                name: Trit(was) for name, was, now in zip(TRIT_COLUMNS, before, after, strict=True) if was != now
            }
            verdict = TRIT_COLUMNS.index("admissible")
            if before[verdict] != after[verdict]:
                delta.flips.append(Flip(qi, memory, Trit(before[verdict]), Trit(after[verdict])))

    def verdict_counts(self, qi: int | None = None) -> tuple[int, int, int]:
        """How many candidates are admitted, excluded, unresolved: of one query, or of all."""
        rows = slice(None) if qi is None else slice(qi, qi + 1)
        verdicts = self.trits["admissible"][rows][self.memory[rows] >= 0]
        counts = np.bincount(verdicts, minlength=3)
        return int(counts[Trit.YES]), int(counts[Trit.NO]), int(counts[Trit.UNKNOWN])


def judge_pairs(engine: AxisEngine, memories: Indices, queries: Indices) -> dict[str, TritArray]:
    """Every trit column for pairs of memory and query indices (equal length), the verdict folded from the axes."""
    cells: dict[str, TritArray] = {name: getattr(engine, name)(memories, queries) for name in _AXIS_COLUMNS}
    cells["relevance"] = engine.relevance(memories, queries)
    cells["admissible"] = np.minimum(np.minimum(cells["scope"], cells["policy"]), cells["lifecycle"])
    cells["usable"] = np.minimum(cells["relevance"], cells["admissible"])
    return cells
