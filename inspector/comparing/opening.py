"""Several sources, each opened alone, compared together (DESIGN 5: a source is one SOURCE argument)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from inspector.addresses import short_name
from inspector.compare.agreement import Agreement, agreement
from inspector.compare.comparison import Comparison, Request, RouteResult, compare, route_result
from inspector.compare.runs import SourceRuns
from inspector.comparing.keeping import Kept, keep, keep_labels, keep_resolve
from inspector.comparing.resolving import Resolve, resolve_first
from inspector.comparing.running import OnRuns, check_request, run_source
from inspector.comparing.sensitive import (
    Sensitivity,
    SensitivityRequest,
    SourceCurves,
    check_sensitivity,
    sensitivity,
    sensitivity_source,
)
from inspector.errors import InspectorError
from inspector.i18n import _, _d
from inspector.inspection import OpenOptions, open_sources
from inspector.live import Inspection
from inspector.records import OnProgress, Progress

OnOpen = Callable[[Inspection], None]


def _check_sources(sources: Sequence[Path], options: OpenOptions) -> None:
    if not sources:
        raise InspectorError(_("no source was given"))
    if len(set(sources)) < len(sources):
        raise InspectorError(_("a source was given twice: each is opened alone and counts once"))
    if len(sources) > 1 and options.workspace is not None:
        raise InspectorError(_("one workspace cannot hold several sources: leave --workspace out, each has its own"))


def _named(on_progress: OnProgress | None, name: str, several: bool) -> OnProgress | None:
    """Progress that names the source, where there are several."""
    if on_progress is None or not several:
        return on_progress
    return lambda report: on_progress(Progress(f"{name}: {report.what}", report.done, report.total, report.unit))


def run_both(
    inspection: Inspection,
    request: Request,
    on_progress: OnProgress | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    *,
    scores: Sequence[str] = (),
    on_route: OnRuns = lambda _: None,
) -> tuple[SourceRuns, SourceRuns]:
    """Run the routes over one store with its assumptions and without them (the same twice where there are none).

    What is finished is kept in the workspace as its last comparison. Raises as :func:`run_source`.
    """
    request = check_request(request)

    def finished(runs: SourceRuns) -> None:
        keep(inspection, request, runs, scores=scores)
        on_route(runs)

    runs = run_source(inspection, request, on_progress, cancelled, scores=scores, on_route=finished)
    if not inspection.settings.assumptions:
        return runs, runs
    tell = _named(on_progress, _d("without the assumptions"), several=True)
    bare = run_source(inspection, request, tell, cancelled, assumptions=False, scores=scores)
    keep(inspection, request, runs, bare, scores=scores)
    return runs, bare


def compare_opened(
    inspection: Inspection,
    request: Request,
    on_progress: OnProgress | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    *,
    scores: Sequence[str] = (),
    on_result: Callable[[Comparison], None] = lambda _: None,
) -> Comparison:
    """Compare the routes of a store that is open; with assumptions also without them.

    ``on_result`` is given the comparison of the routes finished so far whenever another one is. Raises as
    :func:`run_source`, and what was finished is kept.
    """
    request = check_request(request)
    judged = (agreement(inspection.judgments()),)
    assumed = dict(inspection.settings.assumptions)
    results: dict[str, RouteResult] = {}

    def finished(runs: SourceRuns) -> None:
        base = results.get(request.base_route)
        for route in runs.runs:
            if route not in results:
                results[route] = route_result(request, [runs], route, () if base is None else base.sources)
        done = tuple(route for route in request.routes if route in results)
        so_far = replace(request, routes=done)
        on_result(Comparison(so_far, (runs,), tuple(results[route] for route in done), judged, assumed))

    runs, bare = run_both(inspection, request, on_progress, cancelled, scores=scores, on_route=finished)
    without = compare(request, [bare]) if assumed else None
    ordered = tuple(results[route] for route in request.routes)
    return Comparison(request, (runs,), ordered, judged, assumed, without)


def shown_again(inspection: Inspection, kept: Kept, request: Request | None = None) -> Comparison:
    """The figures of rankings that are kept, by the kept request or by another τ, axes, cost or base of it."""
    request = kept.request if request is None else request
    done = tuple(route for route in request.routes if route in kept.runs.runs)
    asked = replace(request, routes=done)
    judged = (agreement(inspection.judgments()),)
    without = None if kept.without is None else compare(asked, [kept.without])
    return compare(asked, [kept.runs], judged, kept.assumed, without)


def compare_sources(
    sources: Sequence[Path],
    options: OpenOptions,
    request: Request,
    on_progress: OnProgress | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    *,
    scores: Sequence[str] = (),
    on_open: OnOpen = lambda _: None,
) -> Comparison:
    """Open each source alone, run the routes, and compare; with assumptions also without them.

    ``on_open`` is called with every opened store. Raises InspectorError for bad input or a bad request, Cancelled.
    """
    request = check_request(request)
    _check_sources(sources, options)
    taken: list[SourceRuns] = []
    bare: list[SourceRuns] = []
    judged: list[tuple[Agreement, ...]] = []
    assumed: dict[str, object] = {}
    for source in sources:
        tell = _named(on_progress, short_name(source), len(sources) > 1)
        with open_sources([source], options, tell, cancelled) as inspection:
            on_open(inspection)
            runs, without_any = run_both(inspection, request, tell, cancelled, scores=scores)
            taken.append(runs)
            bare.append(without_any)
            judged.append(agreement(inspection.judgments()))
            assumed.update(inspection.settings.assumptions)
    without = compare(request, bare) if assumed else None
    return compare(request, taken, judged, assumed, without)


def sensitivity_sources(
    sources: Sequence[Path],
    options: OpenOptions,
    request: SensitivityRequest,
    on_progress: OnProgress | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    *,
    on_open: OnOpen = lambda _: None,
) -> tuple[Sensitivity, tuple[tuple[Resolve, ...], ...]]:
    """Open each source alone, corrupt and hide its labels; and which ? to resolve first on the base route, by source.

    Raises InspectorError for bad input or a bad request, Cancelled.
    """
    request = check_sensitivity(request)
    _check_sources(sources, options)
    parts: list[SourceCurves] = []
    first: list[tuple[Resolve, ...]] = []
    for source in sources:
        tell = _named(on_progress, short_name(source), len(sources) > 1)
        with open_sources([source], options, tell, cancelled) as inspection:
            on_open(inspection)
            part = sensitivity_source(inspection, request, tell, cancelled)
            if request.kinds:
                keep_labels(inspection, request, part)
            parts.append(part)
            found = resolve_first(inspection, request.routes, None, tell, cancelled)
            base = request.routes.base_route
            keep_resolve(inspection, request.routes, base, found, part[0].runs[base].settings)
            first.append(found)
    return sensitivity(request, parts), tuple(first)
