"""The state of a store under inspection: records, settings, engine, candidates, and what an edit moves (DESIGN 3, 10).

Edits are on disk before they are in force: the log commits, then the overlay changes, then subscribers are told.
Methods may be called from any thread; one runs at a time.
"""

from __future__ import annotations

import functools
import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np
import numpy.typing as npt

from inspector.ahead import HOLD, REST, Ahead, Block, worked_out
from inspector.asked import ASKED, relist
from inspector.audit.exposure import LetThrough
from inspector.axes.engine import AxisEngine
from inspector.compare.matched import DEFAULT_TAU, overall
from inspector.deciding import Decided, Deciding
from inspector.errors import Cancelled, InspectorError
from inspector.evaluation import ROUTE_FILTERS, Delta, Evaluation, Indices
from inspector.gate.evaluate import MEMORY_FIELDS_READ, QUERY_FIELDS_READ, GateEngine
from inspector.gate.gate import DEFAULT_MODE, Mode
from inspector.gate.operation import OperationLexicon
from inspector.i18n import _, _d
from inspector.ids import IdIndex
from inspector.overlay import lay, with_setting
from inspector.records import (
    ABSENT,
    AXES,
    Bundle,
    Judgment,
    Memory,
    OnProgress,
    Origin,
    Progress,
    Query,
    Record,
    Settings,
)
from inspector.retriever import Retriever
from inspector.store import editlog
from inspector.store.editlog import UNEDITED, EditLog, Shift
from inspector.store.planes import Difference
from inspector.store.workspace import Workspace
from inspector.trit import Trit, parse_trit
from inspector.views import Change, RouteChoice
from inspector.wording import change_sentence

#: Up to this many memories × queries an edit ranks everything anew at once; above, a worker does (:meth:`Core.settle`).
INLINE_CELLS = 200_000
P = ParamSpec("P")
R = TypeVar("R")
#: The source of a judgment that the user sets on the screen.
JUDGED_BY = "you"


def locked(method: Callable[P, R]) -> Callable[P, R]:
    """One at a time: a worker that evaluates and an edit of the user never interleave."""

    @functools.wraps(method)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        with cast("Core", args[0]).lock:
            return method(*args, **kwargs)

    return run


class Core:
    """What :class:`inspector.live.Inspection` is made on. See the module's words for threads and order."""

    def __init__(
        self,
        bundle: Bundle,
        settings: Settings,
        workspace: Workspace,
        log: EditLog,
        retriever: Retriever,
        route: RouteChoice,
        *,
        tau: float = DEFAULT_TAU,
        let_through: LetThrough = "admit",
        gate_mode: Mode = DEFAULT_MODE,
        operation_words: Sequence[OperationLexicon] | None = None,
        with_edits: bool = True,
        deciding: Deciding | None = None,
        encode_for_decisions: bool = False,
    ) -> None:
        self.lock = threading.RLock()
        self.bundle = bundle
        self.memories: list[Memory] = bundle.memories
        self.queries: list[Query] = bundle.queries
        self.settings = settings
        self.workspace = workspace
        self.log = log
        self.retriever = retriever
        self.route = route
        self.tau = tau
        self.let_through: LetThrough = let_through
        self._ids = IdIndex(self.memories)
        self._qi = {query.id: index for index, query in enumerate(self.queries)}
        self._subscribers: list[Callable[[Change], None]] = []
        self._marks: dict[int, dict[int, dict[str, Trit]]] = {}
        #: The gate's action before the edits, of the candidates that they moved and nobody has looked at yet.
        self._gate_marks: dict[int, dict[int, str]] = {}
        self._evaluation: Evaluation | None = None
        #: What has changed in the source since it was opened last, in words; "" where nothing has.
        self.source_changed = ""
        #: Every two exports that were opened together, compared by id (DESIGN 11).
        self.planes: tuple[Difference, ...] = ()
        self.generation = 0
        self._ahead: Ahead | None = None
        self._source_settings = settings
        self._overlay: dict[editlog.Key, Any] = log.overlay() if with_edits else {}
        #: Asked queries that are not ranked yet: :meth:`rank_asked` or :meth:`evaluate` does.
        self.unranked: set[int] = set()
        self._start_overlay()
        self.engine = self._new_engine()
        self.deciding = deciding or Deciding(self.memories, self.queries, retriever)
        #: Encode for the decision layer where the route itself needs no vectors.
        self.encode_for_decisions = encode_for_decisions
        self._decided_before: dict[int, Decided] = {}
        self._operation_words = operation_words
        self.gate = GateEngine(self.memories, self.queries, self.settings, gate_mode, operation_words)

    def _new_engine(self) -> AxisEngine:
        return self.engine_for(self.settings)

    def engine_for(self, settings: Settings) -> AxisEngine:
        """A new engine of the records as they stand, under other settings. Edits made later do not reach it."""
        return AxisEngine(self.memories, self.queries, self._judgments(), settings, self._ids)

    def judgments(self) -> list[Judgment]:
        """The judgments in force: the source's, and the user's own in place of those on the same cell."""
        return self._judgments()

    def _new_evaluation(self) -> Evaluation:
        ranker = self.retriever.ranker(self.route, self.engine, self.settings)
        return Evaluation(self.memories, self.queries, self.engine, self.route, ranker, self.tau)

    def evaluate(self, on_progress: OnProgress | None = None, cancelled: Callable[[], bool] = lambda: False) -> None:
        """Encode what the route needs, rank and judge everything. Raises Cancelled; what was encoded is kept.

        The candidates in force stay until the new ones are complete.
        """
        if self.queries:  # a store without any is shown at once; the first query that is asked has it encoded
            self._prepare(on_progress, cancelled)
        self._evaluate_anew(on_progress, cancelled)
        self._decided_before.clear()

    def _prepare(self, on_progress: OnProgress | None, cancelled: Callable[[], bool]) -> None:
        self.retriever.prepare(self.route, on_progress, cancelled)
        self.retriever.prepare_for_decisions(
            encode=self.encode_for_decisions, on_progress=on_progress, cancelled=cancelled
        )

    def rank_asked(
        self, on_progress: OnProgress | None = None, cancelled: Callable[[], bool] = lambda: False
    ) -> Change | None:
        """Encode what the route needs and rank the queries that were asked since; None where there are none.

        For a worker: it may take long where nothing was encoded yet. Raises Cancelled; what was encoded is kept, and
        the queries go on waiting.
        """
        if not self.unranked:
            return None
        self._prepare(on_progress, cancelled)
        with self.lock:
            qis = frozenset(qi for qi in self.unranked if qi < len(self.queries))
            if self._evaluation is None:
                self._evaluation = self._new_evaluation()
            self._evaluation.refresh((), qis, qis)
            self.unranked.clear()
            if on_progress is not None:
                on_progress(Progress(_("judging"), len(qis), len(qis), _("queries")))
            asked = ", ".join(self.queries[qi].id for qi in sorted(qis))
            return self._tell(Change(_d("asked: {asked}").format(asked=asked), (), qis, frozenset()))

    def _evaluate_anew(self, on_progress: OnProgress | None, cancelled: Callable[[], bool]) -> Delta | None:
        """A full evaluation beside the one in force, which it replaces; what differs, None where there was none.

        The lock is held a block at a time, so that the screen can read and edit meanwhile; an edit starts it again.
        """
        done, generation, total = 0, -1, len(self.queries)
        while True:
            if cancelled():
                raise Cancelled(_("evaluation cancelled"))
            with self.lock:
                if generation != self.generation:
                    done, generation, evaluation = 0, self.generation, self._new_evaluation()
                    block = Block(0 if self._evaluation is None else HOLD)
                done = block.run(evaluation, done, total)
                if done >= total:
                    before, self._evaluation = self._evaluation, evaluation
                    self.unranked.clear()
                    same_route = before is not None and before.route == evaluation.route
                    delta = evaluation.difference(before) if same_route and before is not None else None
            if on_progress is not None:
                on_progress(Progress(_("judging"), done, total, _("queries")))
            if done >= total:
                return delta
            time.sleep(REST)

    def work_ahead(self, changes: Mapping[editlog.Key, Any]) -> None:
        """For a worker, before a change of settings, which then only has to be put in place."""
        if self._evaluation is not None and len(self.memories) * len(self.queries) > INLINE_CELLS:
            self._ahead = worked_out(self, changes)

    @property
    def stamp(self) -> tuple[object, ...]:
        """Something that differs as soon as anything that can be asked of the store may have changed."""
        evaluation = self._evaluation
        return (
            self.generation,
            None if evaluation is None else id(evaluation),
            self.gate.mode,
            self.deciding.params,
            self.let_through,
        )

    @property
    def is_ranked(self) -> bool:
        """Whether every ranking and vector follows the edits; if not, :meth:`settle` is to be run in a worker."""
        waiting = self._evaluation is not None and bool(self._evaluation.waiting)
        return not waiting and not self.retriever.has_stale

    def settle(
        self, on_progress: OnProgress | None = None, cancelled: Callable[[], bool] = lambda: False
    ) -> Change | None:
        """Encode edited texts and rank anew what waits for it (DESIGN 10); None where nothing changed.

        For a worker: it may take seconds. Raises Cancelled; what is not done goes on waiting.
        """
        if self.is_ranked or self._evaluation is None:
            return None
        recall = overall(self._evaluation.matched).recall
        self.retriever.encode_stale(on_progress, cancelled)
        delta = self._evaluate_anew(on_progress, cancelled)
        with self.lock:
            return (
                None
                if delta is None
                else self._changed(delta, _d("ranked anew: "), recall, frozenset(), frozenset(), 0)
            )

    def set_route(self, route: RouteChoice) -> None:
        """Choose the route and k; :meth:`evaluate` makes them count. Raises InspectorError for an unknown route."""
        self.retriever.check(route)
        self.route = route

    @property
    def has_evaluation(self) -> bool:
        """Whether anything has been evaluated yet."""
        return self._evaluation is not None

    @property
    def evaluation(self) -> Evaluation:
        """The candidates in force. Raises InspectorError before the first :meth:`evaluate`."""
        if self._evaluation is None:
            raise InspectorError(_("nothing has been evaluated yet"))
        return self._evaluation

    def _apply(self, shifts: Sequence[Shift], prefix: str) -> Change:
        """Put committed edits in force and work out all that they move."""
        ahead, self._ahead = self._ahead, None
        timely = ahead is not None and ahead.generation == self.generation and {s.kind for s in shifts} == {"setting"}
        listing = self._relist([shift for shift in shifts if shift.kind == "ask"])
        places = {self._ids.place(s.target) for s in shifts if s.kind == "memory"}
        mis = {mi for mi in places if mi is not None}
        qis = {self._qi[s.target[0]] for s in shifts if s.kind == "query" and s.target[0] in self._qi}
        settled = any(shift.kind == "setting" for shift in shifts)
        before = self._snapshot(mis)
        gates = self._gates(shifts, mis, qis)
        self._decided_before = {**self.deciding.latest(), **self._decided_before}
        recall = overall(self.evaluation.matched).recall if self._evaluation else None
        for shift in shifts:
            self._lay(shift.key, shift.after)
        self.generation += 1
        if ahead is not None and timely and ahead.fits(self):
            return self._take(ahead, prefix, recall)
        affected = self._update(mis, qis, judged=any(s.kind == "judgment" for s in shifts), settled=settled)
        if self._evaluation is None:
            return self._tell(Change(prefix + "edited", (), frozenset(qis), frozenset(affected), bool(listing)))
        if listing and all(shift.kind == "ask" for shift in shifts):
            return self._tell(Change(prefix + listing, (), frozenset(), frozenset(), listing=True))
        delta = self._refresh(shifts, mis, affected, qis, before, everything=settled)
        moved = {cell: action for cell, action in gates.items() if self.gate.cell(*cell).action != action}
        for (qi, mi), action in moved.items():
            self._gate_marks.setdefault(qi, {}).setdefault(mi, action)
        delta.queries |= {qi for qi, _ in moved}
        if listing:
            prefix += f"{listing}; "
        return self._changed(delta, prefix, recall, frozenset(qis), frozenset(affected), len(moved), bool(listing))

    def _take(self, ahead: Ahead, prefix: str, recall: float | None) -> Change:
        """Put in place what was worked out ahead, and tell what it moved."""
        before = self.evaluation
        self.settings, self.engine, self._evaluation = ahead.settings, ahead.engine, ahead.evaluation
        self.gate = GateEngine(self.memories, self.queries, self.settings, self.gate.mode, self._operation_words)
        self._evaluation.waiting = before.waiting
        delta, everything = ahead.evaluation.difference(before), frozenset(range(len(self.memories)))
        return self._changed(delta, prefix, recall, frozenset(), everything, 0)

    def _relist(self, shifts: Sequence[Shift]) -> str:
        """Take asked queries into the list of queries and out of it; what was done, in words, "" for nothing.

        Candidates of the other queries stay; a new one has none until :meth:`rank_asked`.
        """
        if not shifts:
            return ""
        for shift in shifts:
            self._lay(shift.key, shift.after)
        came = relist(self.queries, self._overlay)
        place = {int(was): now for now, was in enumerate(came.tolist()) if was >= 0}
        self._qi = {query.id: index for index, query in enumerate(self.queries)}
        for key, value in self._overlay.items():
            if key.kind == "query" and key.target[0] in self._qi:
                lay(self.queries[self._qi[key.target[0]]], key.field, value)
        self.generation += 1
        for kept in (self._marks, self._gate_marks, self._decided_before):
            moved = {place[qi]: value for qi, value in kept.items() if qi in place}
            kept.clear()
            cast("dict[int, Any]", kept).update(moved)
        self.retriever.relisted(came)
        self.deciding.relisted(place)
        self.engine = self._new_engine()
        self.gate = GateEngine(self.memories, self.queries, self.settings, self.gate.mode, self._operation_words)
        new = {now for now, was in enumerate(came.tolist()) if was < 0}
        self.unranked = {place[qi] for qi in self.unranked if qi in place} | new
        if self._evaluation is not None:
            ranker = self.retriever.ranker(self._evaluation.route, self.engine, self.settings)
            self._evaluation = self._evaluation.relisted(self.engine, ranker, came)
        asked = [shift.target[0] for shift in shifts if isinstance(shift.after, dict)]
        gone = [shift.target[0] for shift in shifts if not isinstance(shift.after, dict)]
        words = [_d("asked {asked}").format(asked=", ".join(asked))] if asked else []
        return "; ".join(words + ([_d("took {gone} away").format(gone=", ".join(gone))] if gone else []))

    def _changed(
        self,
        delta: Delta,
        prefix: str,
        recall: float | None,
        qis: frozenset[int],
        mis: frozenset[int],
        gates: int,
        listing: bool = False,
    ) -> Change:
        """Mark the changed cells until they are looked at, and tell."""
        for (qi, mi), was in delta.before.items():
            marks = self._marks.setdefault(qi, {}).setdefault(mi, {})
            for column, value in was.items():
                marks.setdefault(column, value)
        now = overall(self.evaluation.matched).recall
        sentence = prefix + change_sentence(delta.flips, recall, now, gates, delta.came, delta.gone)
        return self._tell(Change(sentence, tuple(delta.flips), frozenset(delta.queries) | qis, mis, listing))

    def _gates(self, shifts: Sequence[Shift], mis: set[int], qis: set[int]) -> dict[tuple[int, int], str]:
        """The gate's actions before an edit, of the candidates whose gate reads an edited field."""
        read = {"memory": MEMORY_FIELDS_READ, "query": QUERY_FIELDS_READ}
        if self._evaluation is None or not any(s.field in read.get(s.kind, ()) for s in shifts):
            return {}
        memory = self._evaluation.memory
        rows = np.isin(np.arange(len(self.queries)), np.fromiter(qis, np.int64, len(qis)))[:, None] & (memory >= 0)
        rows |= np.isin(memory, np.fromiter(mis, np.int64, len(mis)))
        at, position = np.nonzero(rows)
        cells = zip(at.tolist(), memory[at, position].tolist(), strict=True)
        return {(qi, mi): self.gate.cell(qi, mi).action for qi, mi in cells}

    def _snapshot(self, mis: set[int]) -> tuple[Indices, npt.NDArray[np.bool_]] | None:
        """Who is in whose pool before an edit: the edited memories, and those whose successor they are."""
        if self._evaluation is None or not mis:
            return None
        watched = np.array(sorted(mis | self.engine.dependents(mis)), dtype=np.int64)
        return watched, self.evaluation.members(watched)

    def _update(self, mis: set[int], qis: set[int], *, judged: bool, settled: bool) -> set[int]:
        """Bring the engine up to date; the memories whose axes may have changed."""
        if settled:
            self.settings = self.settings_in_force()
            self.engine = self._new_engine()
            self.gate = GateEngine(self.memories, self.queries, self.settings, self.gate.mode, self._operation_words)
            return set(range(len(self.memories)))
        if judged:
            self.engine.update_judgments(self._judgments())
        affected = (set(self.engine.update_memories(sorted(mis))) | mis) if mis else set()
        self.gate.update_memories(mis)
        self.gate.update_queries(qis)
        if qis:
            self.engine.update_queries(sorted(qis))
        return affected

    def _refresh(
        self,
        shifts: Sequence[Shift],
        mis: set[int],
        affected: set[int],
        qis: set[int],
        before: tuple[Indices, npt.NDArray[np.bool_]] | None,
        *,
        everything: bool,
    ) -> Delta:
        evaluation = self.evaluation
        if everything:
            evaluation.adopt(self.engine, self.retriever.ranker(evaluation.route, self.engine, self.settings))
        fields = {shift.field for shift in shifts if shift.kind == "memory"}
        self.retriever.edited(mis, qis, fields)
        queries, rerank = set(qis), set(qis)
        for shift in shifts:
            if shift.kind == "judgment" and shift.target[0] in self._qi:
                queries.add(self._qi[shift.target[0]])
                if shift.field in ROUTE_FILTERS.get(evaluation.route.name, AXES):
                    rerank.add(self._qi[shift.target[0]])
        whole = everything or self.retriever.reads_all(evaluation.route, fields)
        small = len(self.memories) * len(self.queries) <= INLINE_CELLS
        if everything or (whole and small):
            queries = rerank = set(range(len(self.queries)))
        elif whole:
            evaluation.waiting = set(range(len(self.queries)))
        elif before is not None:
            watched, inside = before
            rerank |= set(np.nonzero((inside != evaluation.members(watched)).any(axis=1))[0].tolist())
        moved = not fields.isdisjoint(("namespace", "namespaces"))
        return evaluation.refresh(affected, queries, rerank, [self.memories[mi].id for mi in mis] if moved else ())

    def _tell(self, change: Change) -> Change:
        for callback in list(self._subscribers):
            callback(change)
        return change

    def _lay(self, key: editlog.Key, value: Any) -> None:
        """Put one edited value over its record, or take it off (UNEDITED); edits of records that are gone wait."""
        if value is UNEDITED:
            self._overlay.pop(key, None)
        else:
            self._overlay[key] = value
        record: Record | None = None
        if key.kind == "memory":
            mi = self._ids.place(key.target)
            record = None if mi is None else self.memories[mi]
        elif key.kind == "query" and key.target[0] in self._qi:
            record = self.queries[self._qi[key.target[0]]]
        if record is not None:
            lay(record, key.field, value)

    def _start_overlay(self) -> None:
        """Put the edits that the workspace holds over the records."""
        for key, value in list(self._overlay.items()):
            self._lay(key, value)
        self.settings = self.settings_in_force()

    @property
    def asked(self) -> list[int]:
        """The queries that were typed in."""
        return [qi for qi, query in enumerate(self.queries) if query.origin is ASKED]

    @property
    def waiting(self) -> int:
        """How many edits belong to records that the source no longer has; they wait for the records to come back."""
        gone = 0
        for key in self._overlay:
            gone += (key.kind == "memory" and self._ids.place(key.target) is None) or (
                key.kind == "query" and key.target[0] not in self._qi
            )
        return gone

    def settings_in_force(self, changes: Mapping[editlog.Key, Any] | None = None) -> Settings:
        """The source's settings with the edits over them, and with ``changes`` over these."""
        settings = self._source_settings
        for key, value in {**self._overlay, **(changes or {})}.items():
            if key.kind == "setting" and value is not ABSENT:
                settings = with_setting(settings, key.field, value)
        return settings

    def _judgments(self) -> list[Judgment]:
        """The source's judgments and, in place of those on the same cell, the user's own."""
        own: dict[tuple[str, str, str, str], Judgment] = {}
        for (kind, target, axis), value in self._overlay.items():
            if kind == "judgment" and value is not ABSENT:
                query_id, namespace, memory_id = target
                own[query_id, namespace, memory_id, axis] = Judgment(
                    query_id,
                    memory_id,
                    json.loads(namespace) if namespace else ABSENT,
                    cast("Any", axis),
                    parse_trit(value, axis),
                    JUDGED_BY,
                    Origin("edit"),
                )
        cells = {(query, memory, axis) for query, _, memory, axis in own}
        kept = [j for j in self.bundle.judgments if (j.query_id, j.memory_id, j.axis) not in cells]
        return kept + list(own.values())
