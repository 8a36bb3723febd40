"""Running routes over a loaded store and keeping what they returned (DESIGN 5, 12).

Each finished route is kept in the workspace under the settings that made it: after a cancel, an interrupt or a kill the
rest is completed and nothing is done twice. The store's lock is held for a block of queries at a time, so that a
screen stays alive; an edit made meanwhile ends the run, since figures of two states must not be mixed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from inspector import __version__
from inspector.audit.exposure import ExposureReader
from inspector.compare.batch import FloatArray, Needs
from inspector.compare.comparison import Request
from inspector.compare.intervals import group_codes
from inspector.compare.runs import RUN_AXES, RouteRun, ScoreKind, SourceRuns
from inspector.comparing.snapshot import Snapshot
from inspector.errors import Cancelled, InspectorError
from inspector.i18n import D_, _, _d
from inspector.live import Inspection
from inspector.pools import required_memories
from inspector.records import AXES, OnProgress, Progress, Query, Settings
from inspector.retrieval.pool import IntArray
from inspector.retrieval.ranking import Ranking
from inspector.retrieval.routes import rank
from inspector.retrieval.specs import Params, RouteSpec, parse_route
from inspector.trit import NO, Trit, TritArray
from inspector.views import RouteChoice

#: A note that is kept with the figures.
SILENT = D_("{name} returned nothing for {silent} of {count} queries")

#: Changes whenever a kept run could differ from a new one.
_KEPT_AS = 2
_BLOCK = 512
#: Of int64, as candidates' indices are: 256 MiB.
_BLOCK_CELLS = 32 * 1024 * 1024
#: Told what the routes finished so far have returned.
OnRuns = Callable[[SourceRuns], None]
_SEEDED = frozenset({"random_partition", "gold_oracle"})
_OTHER_SCORES = frozenset({"global_bm25", "namespace_bm25", "global_hybrid", "global_recency"})


class Edited(InspectorError):
    """The store was edited while it was compared: finished routes are kept, the figures of the rest would mix two."""

    def __init__(self) -> None:
        super().__init__(_d("the store was edited while its routes were compared: compare again"))


def check_request(request: Request) -> Request:
    """The request with every route once, the base among them, as it is run. Raises InspectorError for what is wrong."""
    wanted = list(dict.fromkeys(str(parse_route(route)) for route in request.routes))
    if not wanted:
        raise InspectorError(_("no route was given"))
    base = wanted[0] if request.base is None else str(parse_route(request.base))
    axes = tuple(axis for axis in AXES if axis in request.axes)
    unknown = [axis for axis in request.axes if axis not in AXES]
    if unknown:
        raise InspectorError(
            _("axes: {unknown!r} is not an axis: one or more of {AXES}").format(
                unknown=unknown[0], AXES=", ".join(AXES)
            )
        )
    if not axes:
        raise InspectorError(_("axes: none is left: one or more of {AXES}").format(AXES=", ".join(AXES)))
    if not 0 <= request.tau <= 1:
        raise InspectorError(_("τ is {tau}: a number from 0 to 1 is expected").format(tau=request.tau))
    if not (math.isfinite(request.cost) and request.cost >= 0):
        raise InspectorError(
            _("the infeasibility cost is {cost}: a number of 0 or more is expected").format(cost=request.cost)
        )
    if request.k < 1:
        raise InspectorError(_("k is {k}: a whole number of 1 or more is expected").format(k=request.k))
    routes = tuple(wanted if base in wanted else [base, *wanted])
    return replace(request, routes=routes, base=base, axes=axes)


@contextlib.contextmanager
def unedited(inspection: Inspection) -> Iterator[Callable[[], None]]:
    """A check that raises Edited once the store has been edited; call it while holding the lock."""
    edits: list[object] = []
    unsubscribe = inspection.subscribe(edits.append)

    def check() -> None:
        if edits:
            raise Edited

    try:
        yield check
    finally:
        unsubscribe()


def settings_in_force(inspection: Inspection, assumptions: bool) -> Settings:
    """The store's settings, with its assumptions or without any."""
    return inspection.settings if assumptions else inspection.settings.with_(assumptions={})


def snapshot(inspection: Inspection, settings: Settings) -> Snapshot:
    """The store as it stands, under ``settings``."""
    with inspection.lock:
        own = settings == inspection.settings
        engine = inspection.engine if own else inspection.engine_for(settings)
        return Snapshot(inspection.memories, inspection.queries, engine, settings)


def state_key(inspection: Inspection) -> str:
    """A digest of all that the records say: the source and the edits that lie over it."""
    digest = hashlib.sha256(str(inspection.workspace.fingerprint()).encode())
    for record in (*inspection.memories, *inspection.queries):
        if record.is_edited:
            line = json.dumps([type(record).__name__, record.id, record.origin.line, record.edits], default=repr)
            digest.update(line.encode("utf-8", "surrogatepass"))
    for judgment in inspection.judgments():
        digest.update(repr((judgment, judgment.value)).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def run_settings(
    inspection: Inspection, settings: Settings, spec: RouteSpec, k: int, params: Params, state: str
) -> dict[str, Any]:
    """The settings that make a run what it is: kept with it, and what it is found again by."""
    used = asdict(params)
    if spec.name not in _SEEDED:
        del used["seed"]
    return {
        "version": __version__,
        "kept_as": _KEPT_AS,
        "state": state,
        "route": str(spec),
        "k": k,
        "params": used,
        "vectors": inspection.retriever.vectors_key if "vectors" in spec.needs else None,
        "settings": {name: value for name, value in asdict(settings).items() if name != "route"},
    }


def settings_key(settings: Mapping[str, Any]) -> str:
    """The key under which something made under these settings is kept."""
    return hashlib.sha256(json.dumps(settings, sort_keys=True, default=repr).encode()).hexdigest()


def blocks(view: Snapshot, queries: IntArray, depth: int = 1) -> list[IntArray]:
    """The queries in blocks of at most 512 that keep those of one pool together as far as that goes.

    Fewer where each has so many candidates (``depth``) that the block's indices would not fit into 256 MiB.
    """
    if not len(queries):
        return []
    most = max(1, min(_BLOCK, _BLOCK_CELLS // max(1, depth)))
    scope, stored = view.scope_class(queries), view.stored_class(queries)
    order = np.lexsort((queries, stored, scope))
    ends = [0]
    borders = (np.flatnonzero(np.diff(scope[order])) + 1).tolist()
    for border in [*borders, len(order)]:
        while border - ends[-1] > most:
            # Up to the last border within reach, so that a namespace is not cut where it need not be.
            near = [one for one in borders if ends[-1] < one <= ends[-1] + most]
            ends.append(near[-1] if near else ends[-1] + most)
    return np.split(queries[order], ends[1:])


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """Some queries ranked, with every axis in ``axes`` at their candidates: arrays of the ranking's shape."""

    ranking: Ranking
    trits: Mapping[str, TritArray]


@dataclass(frozen=True, slots=True, eq=False)
class Ranker:
    """Ranks and judges on one route, the lock held for a block of queries at a time."""

    inspection: Inspection
    spec: RouteSpec
    k: int
    params: Params
    check: Callable[[], None]
    cancelled: Callable[[], bool] = lambda: False

    def blocks(self, view: Snapshot, queries: IntArray, axes: Sequence[str] = RUN_AXES) -> Iterator[Ranked]:
        """Every block of the queries. Raises Cancelled and Edited."""
        depth = None if self.spec.name == "recorded" else self.k
        for block in blocks(view, queries, min(self.k, len(view.memories))):
            if self.cancelled():
                raise Cancelled(_("the comparison was cancelled: finished routes are kept"))
            with self.inspection.lock:
                self.check()
                sources = self.inspection.retriever.sources
                ranking = rank(
                    self.spec,
                    view,
                    sources,
                    k=depth,
                    queries=block,
                    params=self.params,
                    cancelled=self.cancelled,
                )
                ranked = Ranked(ranking, judged(view, ranking.queries, ranking.memory, axes))
            yield ranked


def run_route(ranker: Ranker, view: Snapshot, tell: Callable[[int], None] = lambda _: None) -> RouteRun:
    """Rank every query on one route and judge all that it returns, on every axis; ``tell`` is told how many more."""
    spec, total = ranker.spec, len(view.queries)
    parts: list[tuple[Ranking, Mapping[str, TritArray]]] = []
    for ranked in ranker.blocks(view, np.arange(total, dtype=np.int64)):
        parts.append((ranked.ranking, ranked.trits))
        tell(len(ranked.ranking))
    depth = max((int((ranking.memory >= 0).sum(axis=1).max(initial=0)) for ranking, _ in parts), default=0)
    names = list(dict.fromkeys(name for ranking, _ in parts for name in ranking.paths))
    memory = np.full((total, depth), -1, dtype=np.int32)
    score = np.full((total, depth), np.nan)
    path = np.full((total, depth), -1, dtype=np.int16)
    trits = {axis: np.full((total, depth), Trit.UNKNOWN, np.uint8) for axis in RUN_AXES}
    similarities, width = np.zeros(total, dtype=np.int64), np.zeros(total, dtype=np.int64)
    for ranking, values in parts:
        at, wide = ranking.queries, min(depth, ranking.memory.shape[1])
        number = np.array([*(names.index(name) for name in ranking.paths), -1], dtype=np.int16)
        memory[at, :wide], score[at, :wide] = ranking.memory[:, :wide], ranking.score[:, :wide]
        path[at, :wide] = number[ranking.path[:, :wide]]
        similarities[at], width[at] = ranking.similarities, ranking.width
        for axis in RUN_AXES:
            trits[axis][at, :wide] = values[axis][:, :wide]
    run = RouteRun(
        str(spec), memory, score, score_kind(spec, view.queries), path, tuple(names), similarities, width, trits
    )
    return run if spec.name != "recorded" else replace(run, exposed=recorded_exposure(view, run))


def judged(
    view: Snapshot, queries: IntArray, memory: npt.NDArray[np.integer], axes: Sequence[str] = RUN_AXES
) -> dict[str, TritArray]:
    """The axes of ranked candidates (B, k), ? where there is none."""
    rows, places = np.nonzero(memory >= 0)
    m, q = memory[rows, places].astype(np.int64), queries[rows]
    out = {}
    for axis in axes:
        values = np.full(memory.shape, Trit.UNKNOWN, np.uint8)
        if len(m):
            values[rows, places] = view.values(axis, m, q)
        out[axis] = values
    return out


def recorded_exposure(view: Snapshot, run: RouteRun) -> TritArray | None:
    """What traces say of the exposure of each candidate of ``recorded``; None where no query's trace says anything.

    On queries whose trace says nothing exposure is ?.
    """
    exposed = np.where(run.held, np.uint8(Trit.UNKNOWN), np.uint8(NO)).astype(np.uint8)
    told = False
    for qi, query in enumerate(view.queries):
        reader = ExposureReader(query)
        if not reader.recorded:
            continue
        told = True
        for place in np.flatnonzero(run.held[qi]).tolist():
            memory = view.memories[int(run.memory[qi, place])]
            exposed[qi, place] = int(reader.of(memory, Trit(Trit.UNKNOWN)).value)
    return exposed if told else None


def score_kind(spec: RouteSpec, queries: Sequence[Query]) -> ScoreKind:
    """What a route's score means; a recorded one means something only where every event says the same of it."""
    if spec.name != "recorded":
        return "score" if spec.name in _OTHER_SCORES else "similarity"
    kinds = {
        event.get("score_kind")
        for query in queries
        for event in (query.value("recorded") or {}).get("events") or ()
        if isinstance(event, dict)
    }
    if kinds == {"similarity"}:
        return "similarity"
    return "distance" if kinds == {"distance"} else "unknown"


def needs_of(view: Snapshot) -> Needs:
    """The required evidence of every query."""
    by_id = view.engine.by_id
    return Needs.of([required_memories(by_id, query, view.engine, qi) for qi, query in enumerate(view.queries)])


def group_label(query: Query) -> str:
    """The group of a query: its principal's namespaces as JSON, in one order, "" where there are none (DESIGN 5)."""
    principal = query.value("principal")
    owned = principal.get("namespaces") if isinstance(principal, dict) else None
    if isinstance(owned, list):
        owned = sorted(owned, key=lambda one: json.dumps(one, ensure_ascii=False, sort_keys=True))
    return json.dumps(owned, ensure_ascii=False, sort_keys=True) if owned else ""


def imported_scores(inspection: Inspection, names: Sequence[str]) -> dict[str, FloatArray]:
    """Numbers that the memories bring along: a field of ours, or ``meta.NAME``. Raises InspectorError for none."""
    found = {}
    for name in names:
        values = np.full(len(inspection.memories), np.nan)
        for mi, memory in enumerate(inspection.memories):
            head, _rest1, rest = name.partition(".")
            value = memory.value(head)
            for part in rest.split(".") if rest else ():
                value = value.get(part) if isinstance(value, dict) else None
            if isinstance(value, int | float) and not isinstance(value, bool):
                values[mi] = value
        if not np.isfinite(values).any():
            raise InspectorError(
                _("score {name!r}: no memory has a number there: a field such as meta.NAME is expected").format(
                    name=name
                )
            )
        found[name] = values
    return found


def run_source(
    inspection: Inspection,
    request: Request,
    on_progress: OnProgress | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    *,
    assumptions: bool = True,
    scores: Sequence[str] = (),
    on_route: OnRuns = lambda _: None,
) -> SourceRuns:
    """Run every route of the request over one store, the base first, or take what the workspace has kept of it.

    ``assumptions`` False leaves the declared assumptions out; ``scores`` names imported scores for the verifier lens.
    ``on_route`` is called whenever a route is finished, with all that are so far.
    Raises Cancelled and Edited, with every finished route kept; InspectorError for a bad request.
    """
    request = check_request(request)
    if not inspection.queries:
        raise InspectorError(_("{name}: there are no queries: nothing to compare").format(name=inspection.name))
    settings = settings_in_force(inspection, assumptions)
    params = replace(inspection.retriever.params, seed=request.seed)
    specs = [parse_route(route) for route in sorted(request.routes, key=lambda name: name != request.base_route)]
    runs: dict[str, RouteRun] = {}
    total = len(inspection.queries)
    with unedited(inspection) as check:
        # Already watched: a text edited after its vector was looked for would be ranked by the old one, and kept so.
        for spec in specs:
            inspection.retriever.prepare(RouteChoice.parse(str(spec), request.k), on_progress, cancelled)
        with inspection.lock:
            check()
            view = snapshot(inspection, settings)
            state = state_key(inspection)
            needs = needs_of(view)
            group, groups = group_codes([group_label(query) for query in inspection.queries])
            imported = imported_scores(inspection, scores)

        def so_far() -> SourceRuns:
            done = {route: runs[route] for route in request.routes if route in runs}
            return SourceRuns(
                name=inspection.name,
                format=inspection.format,
                memories=len(inspection.memories),
                query_ids=tuple(query.id for query in inspection.queries),
                needs=needs,
                group=group,
                groups=groups,
                runs=done,
                notes=(*inspection.header(), *silent_notes(done)),
                imported=imported,
            )

        for place, spec in enumerate(specs, 1):
            made_under = run_settings(inspection, settings, spec, request.k, params, state)
            kept = inspection.workspace.get_result("compare-run", settings_key(made_under))
            run = None if kept is None else RouteRun.from_bytes(kept, total, len(inspection.memories))
            if run is None:
                teller = progress_teller(
                    on_progress,
                    _d("{spec} (route {place} of {count})").format(spec=spec, place=place, count=len(specs)),
                    total,
                )
                made = run_route(Ranker(inspection, spec, request.k, params, check, cancelled), view, teller)
                run = replace(made, settings=json.loads(json.dumps(made_under, default=repr)))
                inspection.workspace.put_result("compare-run", settings_key(made_under), run.to_bytes())
            runs[str(spec)] = run
            on_route(so_far())
    return so_far()


def progress_teller(
    on_progress: OnProgress | None, what: str, total: int, unit: str = "queries"
) -> Callable[[int], None]:
    """A function to be told how many more are done, which reports them as progress of ``what``."""
    done = 0

    def tell(more: int) -> None:
        nonlocal done
        done += more
        if on_progress is not None:
            on_progress(Progress(what, done, total, unit))

    return tell


def silent_notes(runs: Mapping[str, RouteRun]) -> Iterator[str]:
    """Which routes returned nothing, and for how many queries."""
    for name, run in runs.items():
        silent = int((~run.held.any(axis=1)).sum())
        if silent:
            yield SILENT.format(name=name, silent=f"{silent:,}", count=f"{len(run.memory):,}")
