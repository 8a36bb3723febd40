"""Comparisons and sensitivity curves as JSON: what the command line prints and screens export (DESIGN 12)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from inspector.compare.agreement import Agreement
from inspector.compare.comparison import Comparison, RouteResult, RouteSource
from inspector.compare.corruption import CORRUPTIONS, Curve
from inspector.compare.figures import EXPOSURE_METRICS, METRICS
from inspector.compare.intervals import Delta, Figure
from inspector.compare.runs import SourceRuns
from inspector.comparing.resolving import Resolve
from inspector.comparing.sensitive import Sensitivity
from inspector.i18n import _d, told
from inspector.retrieval.specs import parse_route


def number(value: float | None) -> float | None:
    """A figure as it is printed: six decimals, so that output is equal on every machine; NaN is null."""
    return None if value is None or value != value else round(float(value), 6) + 0.0


def _figure(figure: Figure) -> dict[str, Any]:
    return {
        "value": number(figure.value),
        "low": number(figure.low),
        "high": number(figure.high),
        "queries": figure.queries,
    }


def _figures(figures: Mapping[str, Figure]) -> dict[str, Any]:
    return {name: _figure(figure) for name, figure in figures.items()}


def _delta(delta: Delta) -> dict[str, Any]:
    return {name: number(value) if isinstance(value, float) else value for name, value in asdict(delta).items()}


def _agreement(found: Sequence[Agreement]) -> list[dict[str, Any]]:
    return [
        {
            "axis": one.axis,
            "alpha": number(one.alpha),
            "words": one.words,
            "units": one.units,
            "judgments": one.values,
            "sources": list(one.sources),
            "disputed": [
                {
                    "query_id": unit.query_id,
                    "namespace": unit.namespace or None,
                    "memory_id": unit.memory_id,
                    "said": {source: value.json for source, value in unit.said},
                }
                for unit in one.disputed
            ],
        }
        for one in found
    ]


def _source(source: SourceRuns) -> dict[str, Any]:
    return {
        "source": source.name,
        "format": source.format,
        "memories": source.memories,
        "queries": source.queries,
        "evaluable": source.queries - len(source.not_evaluable),
        "not_evaluable": len(source.not_evaluable),
        "not_evaluable_ids": [source.query_ids[qi] for qi in source.not_evaluable],
        "groups": len(source.groups),
        "notes": [told(note) for note in source.notes],
    }


def _query_values(source: SourceRuns, part: RouteSource) -> list[dict[str, Any]]:
    """Every query's own figures on one route."""
    rows = []
    for qi, query_id in enumerate(source.query_ids):
        row: dict[str, Any] = {"query_id": query_id, "evaluable": bool(part.matched.evaluable[qi])}
        row.update((name, number(part.values[name][qi])) for name in METRICS)
        row["exposures"] = {
            rule: {name: number(values[name][qi]) for name in EXPOSURE_METRICS}
            for rule, values in part.exposures.items()
        }
        rows.append(row)
    return rows


def _route(comparison: Comparison, result: RouteResult, by_query: bool) -> dict[str, Any]:
    spec = parse_route(result.route)
    by_source = []
    for source, part in zip(comparison.sources, result.sources, strict=True):
        entry: dict[str, Any] = {
            "source": source.name,
            "figures": _figures(part.figures),
            "total_similarities": int(np.nansum(part.values["similarities"])),
            "lens": [
                {**asdict(lens), "auc": number(lens.auc), "threshold": _threshold(lens.threshold)}
                for lens in part.lenses
            ],
        }
        if by_query:
            entry["queries"] = _query_values(source, part)
        by_source.append(entry)
    return {
        "route": result.route,
        "summary": spec.summary,
        "deployable": spec.deployable,
        "figures": _figures(result.figures),
        "deltas": {name: _delta(delta) for name, delta in result.deltas.items()},
        "recall_at": [number(value) for value in result.recall_at],
        "exposures": {rule: _figures(figures) for rule, figures in result.exposures.items()},
        "paths": [
            {
                "path": path.path,
                "queries": path.queries,
                "candidates": path.candidates,
                "exposures": {rule: _figures(figures) for rule, figures in path.exposures.items()},
            }
            for path in result.paths
        ],
        "by_source": by_source,
    }


def _threshold(threshold: Any) -> dict[str, Any] | None:
    return None if threshold is None else {name: number(value) for name, value in asdict(threshold).items()}


def comparison_json(comparison: Comparison, *, by_query: bool = False) -> dict[str, Any]:
    """The comparison as an object; ``by_query`` adds every query's own figures."""
    request = comparison.request
    routes = [_route(comparison, result, by_query) for result in comparison.routes]
    without = comparison.without
    return {
        "settings": {
            "top_k": request.k,
            "tau": request.tau,
            "axes": list(request.axes),
            "infeasibility_cost": request.cost,
            "base": request.base_route,
            "seed": request.seed,
            "resamples": request.resamples,
            "level": request.level,
        },
        "assumptions": dict(sorted(comparison.assumed.items())),
        "sources": [_source(source) for source in comparison.sources],
        "agreement": [
            {"source": source.name, "axes": _agreement(found)}
            for source, found in zip(comparison.sources, comparison.agreement, strict=bool(comparison.agreement))
        ],
        "routes": routes,
        "without_assumptions": None
        if without is None
        else {"routes": [_route(without, result, by_query) for result in without.routes]},
    }


def _curve(curve: Curve) -> dict[str, Any]:
    points = [
        {name: number(value) if isinstance(value, float) else value for name, value in asdict(point).items()}
        for point in curve.points
    ]
    return {
        "route": curve.route,
        "kind": curve.kind,
        "words": _d(CORRUPTIONS[curve.kind].words),
        "breaks_at": curve.breaks_at,
        "behind_base_at": curve.behind_at,
        "behind_base_by_true_labels_at": curve.truly_behind_at,
        "rise": number(curve.rise),
        "points": points,
    }


def _resolve(found: Resolve) -> dict[str, Any]:
    return {
        "field": found.field,
        "of": found.owner,
        "narrows_least": number(found.least),
        "narrows_most": number(found.most),
        "verified": found.verified,
        "candidates": found.cells,
        "records": [{"record": ask.name, "share": number(ask.share)} for ask in found.records],
    }


def sensitivity_json(found: Sensitivity, first: Sequence[Sequence[Resolve]] = ()) -> dict[str, Any]:
    """The curves as an object, with what to resolve first for each source."""
    request = found.request
    routes = request.routes
    return {
        "settings": {
            "top_k": routes.k,
            "tau": routes.tau,
            "axes": list(routes.axes),
            "infeasibility_cost": routes.cost,
            "base": routes.base_route,
            "seed": routes.seed,
            "seeds": request.seeds,
            "rates": list(request.rates),
            "tolerance": request.tolerance,
        },
        "sources": [_source(source) for source in found.sources],
        "curves": [_curve(curve) for curve in found.curves],
        "breaks_first": {
            route: None if curve is None else {"kind": curve.kind, "rate": curve.breaks_at}
            for route, curve in found.first.items()
        },
        "nothing_to_corrupt": list(found.untouched),
        "resolve_first": [
            {"source": source.name, "route": routes.base_route, "fields": [_resolve(one) for one in fields]}
            for source, fields in zip(found.sources, first, strict=bool(first))
        ],
    }
