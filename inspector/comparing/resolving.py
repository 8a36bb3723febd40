"""Which ? to resolve first (DESIGN 5, 10): fields ranked by how much knowing them would narrow the risk interval.

Nothing is guessed: every missing value of a field is taken as each value that it could have, the same candidates are
judged again, and the narrowing is what comes out at least and at most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from inspector.compare.batch import BoolArray, FloatArray, matched_rows
from inspector.compare.comparison import Request
from inspector.compare.figures import verdicts
from inspector.comparing.running import check_request, judged, run_source, snapshot, unedited
from inspector.comparing.snapshot import Snapshot
from inspector.errors import Cancelled, InspectorError
from inspector.i18n import _
from inspector.live import Inspection
from inspector.records import AXES, MEMORY_FIELDS, QUERY_FIELDS, OnProgress, Presence, Progress, Record, presence_of
from inspector.trit import NO, UNKNOWN, YES, TritArray

#: Cells that are explained to learn which fields are missing, and values of a field that are tried [ours].
_EXPLAINED = 400
_TRIED = 6
#: Values that cover what a field can say, where its own values in the store do not.
_VALUES: dict[str, tuple[Any, ...]] = {
    "status": ("active", "superseded", "deleted"),
    "status_at": ("1970-01-01T00:00:00Z",),
    "boundary_state": ("active", "archived", "quarantined"),
    "query.intent": ("current", "history"),
    "policy": ("allow", "deny"),
}
_OWNERS = {
    "namespace": "memory",
    "namespaces": "memory",
    "query.principal": "query",
    "query.principal.namespaces": "query",
}
_SESSIONS = {"session_id": "memory", "query.session_id": "query"}
_NOBODY = "\u2205 nobody's"


@dataclass(frozen=True, slots=True)
class Ask:
    """A record to ask about, and the share of the interval that hangs on it. ``index`` is a memory's or a query's,
    ``name`` its namespace and id for people."""

    index: int
    share: float
    name: str


@dataclass(frozen=True, slots=True)
class Resolve:
    """A field that is missing behind unresolved candidates.

    ``least`` and ``most`` say by how much the risk interval (upper minus lower, mean over evaluable queries; where none
    is, over all candidates of all queries) would narrow if the field were known everywhere, at its least and most
    telling values. ``cells`` is how many unresolved
    candidates of matched prefixes lack it; ``verified`` is False where values cannot be tried and the two are limits
    (0, and all that hangs on those candidates). ``records`` are the memories or queries to ask about, those on which
    most hangs first; none where ``owner`` is "store": the policy file, the time zone.
    """

    field: str
    owner: Literal["memory", "query", "store"]
    least: float
    most: float
    cells: int
    verified: bool
    records: tuple[Ask, ...]

    @property
    def middle(self) -> float:
        """What fields are ranked by: half-way between least and most."""
        return (self.least + self.most) / 2


def resolve_first(
    inspection: Inspection,
    request: Request,
    route: str | None = None,
    on_progress: OnProgress | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    *,
    limit: int = 20,
) -> tuple[Resolve, ...]:
    """The fields that would narrow the risk interval of a route (the base route by default), the best first.

    At most ``limit`` records are given for each. Raises Cancelled and Edited.
    """
    request = check_request(request)
    with unedited(inspection) as check:
        source = run_source(inspection, request, on_progress, cancelled)
        run = source.runs[route or request.base_route]
        with inspection.lock:
            check()
            view = snapshot(inspection, inspection.settings)
            work = _Work(inspection, request, view, run.memory, run.trits, source.needs)
            names = work.missing_names()
        found = []
        for place, name in enumerate(names):
            if cancelled():
                raise Cancelled("cancelled")
            if on_progress is not None:
                on_progress(Progress(_("what to resolve first"), place, len(names), _("fields")))
            with inspection.lock:
                check()
                found.append(work.resolve(name, limit))
    return tuple(sorted(found, key=lambda one: (-one.middle, -one.most, one.field)))


class _Work:
    def __init__(
        self,
        inspection: Inspection,
        request: Request,
        view: Snapshot,
        memory: Any,
        trits: Any,
        needs: Any,
    ) -> None:
        self.inspection, self.request, self.view = inspection, request, view
        admissible = verdicts(trits, request.axes)
        matched = matched_rows(memory, admissible, needs, request.tau)
        self.memory = memory
        self.trits: dict[str, TritArray] = {axis: trits[axis] for axis in AXES}
        held: BoolArray = memory >= 0
        depth, counted = matched.prefix, matched.evaluable
        if not counted.any():  # nothing is required anywhere: the bounds over whole rankings are all there is
            depth = np.count_nonzero(held, axis=1)
            counted = depth > 0
        self.inside: BoolArray = held & (np.arange(memory.shape[1]) < depth[:, None])
        self.open: BoolArray = self.inside & (admissible == np.uint8(UNKNOWN))
        self.evaluable = int(np.count_nonzero(counted))
        self.prefix = np.maximum(depth, 1)
        self.queries = np.arange(len(memory), dtype=np.int64)

    def width(self, admissible: TritArray) -> float:
        """The width of the risk interval: unresolved over the prefix, averaged over evaluable queries."""
        unresolved = np.count_nonzero(self.inside & (admissible == np.uint8(UNKNOWN)), axis=1)
        return float((unresolved / self.prefix).sum() / self.evaluable) if self.evaluable else 0.0

    def missing_names(self) -> list[str]:
        """The fields that explanations of unresolved candidates name beside a ?; of many candidates a seeded choice."""
        rows, places = np.nonzero(self.open)
        chosen = np.arange(len(rows))
        if len(chosen) > _EXPLAINED:
            chosen = np.sort(np.random.default_rng(self.request.seed).choice(len(rows), _EXPLAINED, replace=False))
        names: Counter[str] = Counter()
        for cell in chosen.tolist():
            explanation = self.inspection.engine.explain(int(self.memory[rows[cell], places[cell]]), int(rows[cell]))
            for axis in self.request.axes:
                result = getattr(explanation, axis)
                if result.value == UNKNOWN:
                    names.update({self._field(name) for name in result.missing})
        return sorted(names, key=lambda name: (-names[name], name))

    @staticmethod
    def _field(name: str) -> str:
        """A name beside a ? as the field that would be filled in: of a query the whole field, its principal's part."""
        if not name.startswith("query.") or name.startswith("query.principal."):
            return name
        return ".".join(name.split(".")[:2])

    def resolve(self, name: str, limit: int) -> Resolve:
        """One field: how much it narrows at least and at most, and whom to ask."""
        lacking = self._lacking(name)
        cells = self.open & lacking
        weight = np.where(cells, 1 / self.prefix[:, None], 0.0) / max(1, self.evaluable)
        before = self.width(verdicts(self.trits, self.request.axes))
        narrowed = [before - self.width(admissible) for admissible in self._tries(name, cells)]
        verified = bool(narrowed)
        least, most = (min(narrowed), max(narrowed)) if narrowed else (0.0, float(weight.sum()))
        owner = self._owner(name)
        return Resolve(
            field=name,
            owner=owner,
            least=max(0.0, least),
            most=max(0.0, most),
            cells=int(np.count_nonzero(cells)),
            verified=verified,
            records=self._records(owner, cells, weight, limit),
        )

    def _owner(self, name: str) -> Literal["memory", "query", "store"]:
        if name.removeprefix("query.").partition(".")[0] in QUERY_FIELDS and name.startswith("query."):
            return "query"
        return "memory" if name.partition(".")[0] in MEMORY_FIELDS else "store"

    def _lacking(self, name: str) -> BoolArray:
        """Where (Q, k) the record that the field belongs to has no value in it; everywhere for the store's own."""
        owner = self._owner(name)
        bare = name.removeprefix("query.").partition(".")
        path = (bare[0], *(bare[2].split(".") if bare[2] else ()))
        if owner == "query":
            missing = np.array([_is_missing(query, path) for query in self.inspection.queries], dtype=np.bool_)
            return np.broadcast_to(missing[:, None], self.memory.shape)
        if owner == "memory":
            missing = np.array([_is_missing(memory, path) for memory in self.inspection.memories], dtype=np.bool_)
            return np.where(self.memory >= 0, missing[self.memory], False)
        return np.ones(self.memory.shape, dtype=np.bool_)

    def _records(self, owner: str, cells: BoolArray, weight: FloatArray, limit: int) -> tuple[Ask, ...]:
        if owner == "store":
            return ()
        rows, places = np.nonzero(cells)
        indices = rows if owner == "query" else self.memory[rows, places]
        shares = np.bincount(indices, weights=weight[rows, places])
        order = np.lexsort((np.arange(len(shares)), -shares))[:limit]
        records: Sequence[Record] = self.inspection.queries if owner == "query" else self.inspection.memories
        return tuple(
            Ask(index, float(shares[index]), str(getattr(records[index], "uid", records[index].id)))
            for index in order.tolist()
            if shares[index] > 0
        )

    def _tries(self, name: str, cells: BoolArray) -> Iterator[TritArray]:
        """The verdicts under every value of the field that is tried; none where values cannot be tried."""
        if name in _OWNERS or name in _SESSIONS:
            yield from self._scope_tries(cells)
            return
        settings = self.view.settings
        for value in self._values(name):
            assumed = settings.with_(assumptions={**settings.assumptions, name: value})
            try:
                engine = self.inspection.engine_for(assumed)
            except InspectorError:
                continue  # a value that this field cannot hold
            view = Snapshot(self.inspection.memories, self.inspection.queries, engine, assumed)
            trits = judged(view, self.queries, np.where(self.inside, self.memory, -1), self.request.axes)
            yield verdicts(trits, self.request.axes)

    def _scope_tries(self, cells: BoolArray) -> Iterator[TritArray]:
        """A missing owner or session is the asker's own, or another's. With both tests one may leave the other open."""
        single = self.view.settings.isolation != "namespace+session"
        for value in (YES, NO):
            known = cells & (self.trits["scope"] == np.uint8(UNKNOWN))
            if value == YES and not single:
                known = np.zeros_like(known)
            scope = np.where(known, np.uint8(value), self.trits["scope"]).astype(np.uint8)
            yield verdicts({**self.trits, "scope": scope}, self.request.axes)

    def _values(self, name: str) -> Sequence[Any]:
        """Values to try for a field: its words, else those that the store has, and one that nobody has."""
        if name in _VALUES:
            return _VALUES[name]
        if name == "query.purpose":
            return self._common(self.inspection.memories, "allowed_purposes")
        if name == "allowed_purposes":
            return [[one] for one in self._common(self.inspection.queries, "purpose")]
        records: Sequence[Record] = self.inspection.memories
        bare = name
        if name.startswith("query."):
            records, bare = self.inspection.queries, name.removeprefix("query.")
        spec = (MEMORY_FIELDS if bare == name else QUERY_FIELDS).get(bare)
        if spec is None or spec.kind not in ("word", "list", "bool", "number"):
            return ()
        if spec.kind == "bool":
            return (True, False)
        words = [*spec.choices, *self._common(records, bare)]
        return list(dict.fromkeys(words))[:_TRIED] if spec.kind != "list" else [[one] for one in words[:_TRIED]]

    def _common(self, records: Sequence[Record], field: str) -> list[Any]:
        counts: Counter[Any] = Counter()
        for record in records:
            value = record.value(field)
            counts.update(value if isinstance(value, list) else () if value is None else (value,))
        return [value for value, _ in counts.most_common(_TRIED - 1)] + [_NOBODY]


def _is_missing(record: Record, path: tuple[str, ...]) -> bool:
    value = record.get(path[0])
    for part in path[1:]:
        value = value.get(part) if isinstance(value, dict) else None
    if path == ("namespace",):
        return presence_of(value) is not Presence.VALUE and record.value("namespaces") is None
    return presence_of(value) is not Presence.VALUE
