"""Routes side by side: from what they returned to figures, intervals and differences (DESIGN 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from inspector.compare.agreement import Agreement
from inspector.compare.batch import FloatArray, MatchedRows, matched_rows, recall_curve
from inspector.compare.contamination import EXPOSURES, assembled, exposure_values, path_values
from inspector.compare.figures import EXPOSURE_METRICS, METRICS, PAIRED, Values, query_values, verdicts
from inspector.compare.intervals import LEVEL, RESAMPLES, Delta, Figure, Table, deltas, figures
from inspector.compare.lens import Lens, lens
from inspector.compare.matched import DEFAULT_TAU
from inspector.compare.runs import RouteRun, SourceRuns
from inspector.i18n import _d
from inspector.records import AXES
from inspector.trit import TritArray

#: The way of letting through under which what a trace recorded is reported.
RECORDED = "recorded"
#: Candidates for which recall is written out one by one even where the store has fewer.
_WRITTEN_OUT = 1_000


@dataclass(frozen=True, slots=True)
class Request:
    """What is compared and how: routes as the user writes them, k, τ, the axes that count, the infeasibility cost.

    ``base`` is the route from which differences are taken, the first where it is None. ``seed`` draws the bootstrap
    and the control routes.
    """

    routes: tuple[str, ...]
    k: int = 20
    tau: float = DEFAULT_TAU
    axes: tuple[str, ...] = AXES
    cost: float = 1.0
    base: str | None = None
    seed: int = 0
    resamples: int = RESAMPLES
    level: float = LEVEL

    @property
    def base_route(self) -> str:
        """The route from which differences are taken."""
        return self.routes[0] if self.base is None else self.base


@dataclass(frozen=True, slots=True)
class Behind:
    """A query behind a figure: the source's place, the query's index there, and its value."""

    source: int
    qi: int
    value: float


def worst_first(metric: str, arrays: Sequence[FloatArray]) -> tuple[Behind, ...]:
    """The queries of each source (one array each, NaN where undefined) by their value of a figure, the worst first.

    Where neither end of the figure is worse the largest comes first.
    """
    sign = (METRICS | EXPOSURE_METRICS)[metric].better or -1
    found = [
        Behind(place, qi, float(array[qi]))
        for place, array in enumerate(arrays)
        for qi in np.flatnonzero(np.isfinite(array)).tolist()
    ]
    return tuple(sorted(found, key=lambda one: (sign * one.value, one.source, one.qi)))


@dataclass(frozen=True, slots=True, eq=False)
class PathResult:
    """What one path of a route exposed and lost. ``queries`` is how many it served, ``candidates`` how many it gave."""

    path: str
    queries: int
    candidates: int
    exposures: Mapping[str, Mapping[str, Figure]]


@dataclass(frozen=True, slots=True, eq=False)
class RouteSource:
    """A route on one source: every query's values, their means there, recall after 0 … k candidates, the lenses."""

    values: Values
    exposures: Mapping[str, Values]
    figures: Mapping[str, Figure]
    recall_at: tuple[float, ...]
    lenses: tuple[Lens, ...]
    admissible: TritArray
    matched: MatchedRows


@dataclass(frozen=True, slots=True, eq=False)
class RouteResult:
    """One route over all sources. ``deltas`` from the base route, empty on the base itself.

    ``exposures`` are keyed by the way of letting through: ``retrieved`` (no gate), ``unresolved``, ``admit``, and
    ``recorded`` where a trace tells.
    """

    route: str
    figures: Mapping[str, Figure]
    deltas: Mapping[str, Delta]
    exposures: Mapping[str, Mapping[str, Figure]]
    paths: tuple[PathResult, ...]
    recall_at: tuple[float, ...]
    sources: tuple[RouteSource, ...]

    def behind(self, metric: str, exposure: str | None = None) -> tuple[Behind, ...]:
        """The queries that a figure is a mean over, the worst first (the largest where neither end is worse)."""
        arrays = []
        for source in self.sources:
            values = source.values if exposure is None else source.exposures.get(exposure, {})
            arrays.append(values.get(metric, np.zeros(0)))
        return worst_first(metric, arrays)


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Routes compared. ``assumed`` are the assumptions in force; ``without`` is the same without them, if there are any
    (else None).

    ``agreement`` holds one entry a source.
    """

    request: Request
    sources: tuple[SourceRuns, ...]
    routes: tuple[RouteResult, ...]
    agreement: tuple[tuple[Agreement, ...], ...] = ()
    assumed: Mapping[str, Any] = field(default_factory=dict)
    without: Comparison | None = None

    def path_behind(self, route: str, path: str, metric: str, exposure: str) -> tuple[Behind, ...]:
        """The queries behind a figure of one path of a route, the worst first."""
        parts = zip(self.sources, self.route(route).sources, strict=True)
        values = [path_exposures(source, source.runs[route], part, path, exposure) for source, part in parts]
        return worst_first(metric, [each[metric] for each in values])

    def route(self, name: str) -> RouteResult:
        """A route's result. Raises KeyError where it was not compared."""
        for result in self.routes:
            if result.route == name:
                return result
        raise KeyError(name)


def route_source(request: Request, source: SourceRuns, run: RouteRun) -> RouteSource:
    """A route's figures on one source."""
    admissible = verdicts(run.trits, request.axes)
    matched = matched_rows(run.memory, admissible, source.needs, request.tau)
    values = query_values(matched, admissible, run.held, run.similarities, run.width, request.cost)
    exposures = {
        rule: exposure_values(run.memory, exposed, admissible, run.trits["relevance"], source.needs)
        for rule, exposed in _exposed(run, admissible).items()
    }
    table = _table(source, values, tuple(METRICS))
    means = figures([table], request.seed, request.resamples, request.level)
    # Beyond the store recall stays what it is: a k far beyond it is not written out.
    depth = max(min(request.k, max(source.memories, _WRITTEN_OUT)), run.memory.shape[1])
    return RouteSource(
        values=values,
        exposures=exposures,
        figures=dict(zip(METRICS, means, strict=True)),
        recall_at=tuple(recall_curve(matched, source.needs, matched.evaluable, depth).tolist()),
        lenses=tuple(_lenses(source, run, admissible)),
        admissible=admissible,
        matched=matched,
    )


def _exposed(run: RouteRun, admissible: TritArray) -> dict[str, TritArray]:
    rules = {rule: assembled(rule, admissible, run.held) for rule in EXPOSURES}
    return rules if run.exposed is None else {RECORDED: run.exposed, **rules}


def _table(source: SourceRuns, values: Values, names: Sequence[str]) -> Table:
    return Table(np.stack([values[name] for name in names], axis=1), source.group, len(source.groups))


def _lenses(source: SourceRuns, run: RouteRun, admissible: TritArray) -> list[Lens]:
    """The route's own score and every imported one, asked whether they tell violations."""
    cells = run.held
    rows, _rest1 = np.nonzero(cells)
    memories = run.memory[cells].astype(np.int64)
    spans = source.needs.memory.max(initial=0) + max(1, source.memories)
    needed = np.unique(source.needs.row[source.needs.want] * spans + source.needs.memory)
    required = np.isin(rows * spans + memories, needed)
    scores: list[tuple[str, FloatArray, bool]] = []
    if run.score_kind != "unknown":
        name = {"similarity": "similarity", "distance": _d("recorded distance")}.get(run.score_kind, "score")
        scores.append((name, run.score[cells], run.score_kind == "distance"))
    scores += [(name, values[memories], True) for name, values in source.imported.items()]
    return [lens(name, values, admissible[cells], required, high_is_violation=high) for name, values, high in scores]


def path_exposures(source: SourceRuns, run: RouteRun, part: RouteSource, path: str, rule: str) -> Values:
    """Contamination and loss of one path of a route for every query; NaN where the path served none.

    Raises KeyError for a way of letting through that the run does not have.
    """
    number = run.paths.index(path) if path in run.paths else -2
    if len(run.paths) == 1 and number == 0:  # the path is the route: only who was served is to be told
        here = run.held.any(axis=1)
        return {one: np.where(here, array, np.nan) for one, array in part.exposures[rule].items()}
    exposed = _exposed(run, part.admissible)[rule]
    relevance = run.trits["relevance"]
    return path_values(run.path, number, run.memory, exposed, part.admissible, relevance, source.needs)


def _paths(
    request: Request, sources: Sequence[SourceRuns], route: str, parts: Sequence[RouteSource]
) -> tuple[PathResult, ...]:
    """Contamination and loss of each path of a route, over the queries that it served."""
    names = list(dict.fromkeys(path for source in sources for path in source.runs[route].paths))
    found = []
    for name in names:
        served = candidates = 0
        tables: dict[str, list[Table]] = {}
        for source, part in zip(sources, parts, strict=True):
            run = source.runs[route]
            number = run.paths.index(name) if name in run.paths else -2
            on = (run.path == number) & run.held
            served += int(on.any(axis=1).sum())
            candidates += int(on.sum())
            for rule in _exposed(run, part.admissible):
                values = path_exposures(source, run, part, name, rule)
                tables.setdefault(rule, []).append(_table(source, values, tuple(EXPOSURE_METRICS)))
        if served:
            exposures = {rule: _named(request, EXPOSURE_METRICS, rows) for rule, rows in tables.items()}
            found.append(PathResult(name, served, candidates, exposures))
    return tuple(found)


def _named(request: Request, metrics: Mapping[str, Any], tables: Sequence[Table]) -> dict[str, Figure]:
    return dict(zip(metrics, figures(tables, request.seed, request.resamples, request.level), strict=True))


def _mean_curve(parts: Sequence[RouteSource]) -> tuple[float, ...]:
    """The sources' recall curves averaged; a shorter one stays at its last value. Empty where none is evaluable."""
    curves = [part.recall_at for part in parts if np.isfinite(part.recall_at[0])]
    depth = max((len(curve) for curve in curves), default=0)
    padded = [(*curve, *[curve[-1]] * (depth - len(curve))) for curve in curves]
    return tuple(float(np.mean(values)) for values in zip(*padded, strict=True))


def route_result(
    request: Request, sources: Sequence[SourceRuns], route: str, base: Sequence[RouteSource] = ()
) -> RouteResult:
    """One route over all sources, each of which must hold a run of it.

    ``base`` are the base route's parts, from which differences are taken; none where it is empty.
    """
    parts = tuple(route_source(request, source, source.runs[route]) for source in sources)
    tables = [_table(source, part.values, tuple(METRICS)) for source, part in zip(sources, parts, strict=True)]
    rules = list(dict.fromkeys(rule for part in parts for rule in part.exposures))
    exposures = {
        rule: _named(
            request,
            EXPOSURE_METRICS,
            [
                _table(source, part.exposures[rule], tuple(EXPOSURE_METRICS))
                for source, part in zip(sources, parts, strict=True)
                if rule in part.exposures
            ],
        )
        for rule in rules
    }
    differences: dict[str, Delta] = {}
    if base and route != request.base_route:
        rows = [
            _table(source, {name: part.values[name] - other.values[name] for name in PAIRED}, PAIRED)
            for source, part, other in zip(sources, parts, base, strict=True)
        ]
        found = deltas(rows, request.seed, request.resamples, request.level)
        differences = dict(zip(PAIRED, found, strict=True))
    return RouteResult(
        route=route,
        figures=_named(request, METRICS, tables),
        deltas=differences,
        exposures=exposures,
        paths=_paths(request, sources, route, parts),
        recall_at=_mean_curve(parts),
        sources=parts,
    )


def compare(
    request: Request,
    sources: Sequence[SourceRuns],
    agreement: Sequence[tuple[Agreement, ...]] = (),
    assumed: Mapping[str, Any] | None = None,
    without: Comparison | None = None,
) -> Comparison:
    """Make every figure of every route from what the routes returned. Every source must hold a run of every route."""
    first = request.base_route
    results: dict[str, RouteResult] = {}
    for route in sorted(request.routes, key=lambda name: name != first):  # the base first: the others are set off by it
        base = results[first].sources if first in results else ()
        results[route] = route_result(request, sources, route, base)
    ordered = tuple(results[route] for route in request.routes)
    return Comparison(request, tuple(sources), ordered, tuple(agreement), dict(assumed or {}), without)
