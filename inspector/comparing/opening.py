"""Several sources, each opened alone, compared together (DESIGN 5: a source is one SOURCE argument)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from inspector.addresses import short_name
from inspector.compare.agreement import Agreement, agreement
from inspector.compare.comparison import Comparison, Request, compare
from inspector.compare.runs import SourceRuns
from inspector.comparing.resolving import Resolve, resolve_first
from inspector.comparing.running import check_request, run_source
from inspector.comparing.sensitive import (
    Sensitivity,
    SensitivityRequest,
    SourceCurves,
    check_sensitivity,
    sensitivity,
    sensitivity_source,
)
from inspector.errors import InspectorError
from inspector.inspection import OpenOptions, open_sources
from inspector.live import Inspection
from inspector.records import OnProgress, Progress

OnOpen = Callable[[Inspection], None]


def _check_sources(sources: Sequence[Path], options: OpenOptions) -> None:
    if not sources:
        raise InspectorError("no source was given")
    if len(set(sources)) < len(sources):
        raise InspectorError("a source was given twice: each is opened alone and counts once")
    if len(sources) > 1 and options.workspace is not None:
        raise InspectorError("one workspace cannot hold several sources: leave --workspace out, each has its own")


def _named(on_progress: OnProgress | None, name: str, several: bool) -> OnProgress | None:
    """Progress that names the source, where there are several."""
    if on_progress is None or not several:
        return on_progress
    return lambda report: on_progress(Progress(f"{name}: {report.what}", report.done, report.total, report.unit))


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
            taken.append(run_source(inspection, request, tell, cancelled, scores=scores))
            judged.append(agreement(inspection.judgments()))
            own = inspection.settings.assumptions
            assumed.update(own)
            bare.append(
                run_source(inspection, request, tell, cancelled, assumptions=False, scores=scores) if own else taken[-1]
            )
    without = compare(request, bare, judged) if assumed else None
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
            parts.append(sensitivity_source(inspection, request, tell, cancelled))
            first.append(resolve_first(inspection, request.routes, None, tell, cancelled))
    return sensitivity(request, parts), tuple(first)
