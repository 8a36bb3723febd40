"""What label errors cost each route (DESIGN 5): rankings and verdicts again under corrupted and hidden labels."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from inspector.compare.batch import BoolArray, FloatArray, IntArray, MatchedRows, Needs, matched_rows
from inspector.compare.comparison import Behind, Request
from inspector.compare.corruption import (
    CORRUPTIONS,
    RATES,
    SEEDS,
    TOLERANCE,
    Corruption,
    Curve,
    Point,
    behind_at,
    breaks_at,
    digests,
    draw_order,
    first_to_break,
    hide,
    hit,
    mixed,
    spread,
    uid_digests,
)
from inspector.compare.figures import query_values, verdicts
from inspector.compare.runs import RouteRun, SourceRuns
from inspector.comparing.running import (
    Ranker,
    check_request,
    judged,
    progress_teller,
    run_settings,
    run_source,
    settings_key,
    snapshot,
    state_key,
    unedited,
)
from inspector.comparing.snapshot import ROUTE_AXES, Corrupted, Snapshot
from inspector.errors import Cancelled, InspectorError
from inspector.i18n import _, _d
from inspector.live import Inspection
from inspector.records import AXES, OnProgress
from inspector.retrieval.specs import parse_route
from inspector.trit import YES, TritArray

#: What is kept of each rate and seed: means over the source's queries, in this order.
_MEANS = (
    "recall",
    "feasible",
    "risk_lower",
    "risk_upper",
    "true_lower",
    "true_upper",
    "ranking_lower",
    "ranking_upper",
)


@dataclass(frozen=True, slots=True)
class SensitivityRequest:
    """What is corrupted and how: the routes and settings of a comparison, kinds of label errors, rates, seeds.

    ``tolerance`` is the growth of the upper risk at which a route counts as broken [ours].
    """

    routes: Request
    kinds: tuple[str, ...] = tuple(CORRUPTIONS)
    rates: tuple[float, ...] = RATES
    seeds: int = SEEDS
    tolerance: float = TOLERANCE


@dataclass(frozen=True, slots=True, eq=False)
class SourceCurve:
    """One route of one source under one kind of error: means (rates, seeds, 8), queries (rates, Q) that are worse off
    in some seed, and whether there was any label to corrupt."""

    means: FloatArray
    worse: BoolArray
    touched: bool
    #: What it is kept under in the workspace.
    key: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Sensitivity:
    """Curves of every route and kind. ``first`` names for each route the label that breaks it first, None for none.

    ``untouched`` are kinds for which no label was there to corrupt: their curves are flat for want of labels.
    """

    request: SensitivityRequest
    sources: tuple[SourceRuns, ...]
    curves: tuple[Curve, ...]
    first: Mapping[str, Curve | None]
    untouched: tuple[str, ...]
    worse: Mapping[tuple[str, str], tuple[BoolArray, ...]]

    def curve(self, route: str, kind: str) -> Curve:
        """The curve of a route under a kind of error. Raises KeyError where it was not run."""
        for curve in self.curves:
            if (curve.route, curve.kind) == (route, kind):
                return curve
        raise KeyError((route, kind))

    def behind(self, route: str, kind: str, rate: float) -> tuple[Behind, ...]:
        """The queries whose upper risk is higher at this rate than without errors, in some seed."""
        place = self.request.rates.index(rate)
        return tuple(
            Behind(source, qi, 1.0)
            for source, worse in enumerate(self.worse[route, kind])
            for qi in np.flatnonzero(worse[place]).tolist()
        )


def check_sensitivity(request: SensitivityRequest) -> SensitivityRequest:
    """The request as it is run. Raises InspectorError for an unknown kind, a rate outside 0 to 1, or no seed."""
    for kind in request.kinds:
        if kind not in CORRUPTIONS:
            raise InspectorError(
                _("kinds: {kind!r} is not known: one or more of {CORRUPTIONS}").format(
                    kind=kind, CORRUPTIONS=", ".join(CORRUPTIONS)
                )
            )
    if not all(0 <= rate <= 1 for rate in request.rates):
        raise InspectorError(_("rates: numbers from 0 to 1 are expected"))
    if request.seeds < 1:
        raise InspectorError(
            _("seeds: {seeds} is given: a whole number of 1 or more is expected").format(seeds=request.seeds)
        )
    rates = tuple(sorted({0.0, *request.rates}))
    kinds = tuple(kind for kind in CORRUPTIONS if kind in request.kinds)
    return replace(request, routes=check_request(request.routes), kinds=kinds, rates=rates)


class _Source:
    """The curves of one source in the making."""

    def __init__(
        self,
        inspection: Inspection,
        request: SensitivityRequest,
        runs: SourceRuns,
        check: Callable[[], None],
        cancelled: Callable[[], bool],
    ) -> None:
        self.inspection, self.request, self.runs = inspection, request, runs
        self.check, self.cancelled = check, cancelled
        self.params = replace(inspection.retriever.params, seed=request.routes.seed)
        self.view: Snapshot = snapshot(inspection, inspection.settings)
        self.state = state_key(inspection)
        evaluable = np.flatnonzero(runs.needs.counts > 0)
        # Where no query is evaluable the bounds over whole rankings are all there is, and every query counts.
        self.rows: IntArray = evaluable if len(evaluable) else np.arange(runs.queries, dtype=np.int64)
        self.upper = "risk_upper" if len(evaluable) else "ranking_upper"
        self.needs: Needs = runs.needs.of_rows(self.rows)
        self.names = uid_digests(memory.uid for memory in inspection.memories)
        self.query_names = digests((query.id,) for query in inspection.queries)

    def curve(self, route: str, kind: Corruption, tell: Callable[[int], None]) -> SourceCurve:
        """One route under one kind of error at every rate and seed, or what the workspace has kept of it."""
        request, spec = self.request, parse_route(route)
        made_under = {
            **run_settings(self.inspection, self.inspection.settings, spec, request.routes.k, self.params, self.state),
            "corruption": kind.name,
            "rates": request.rates,
            "seeds": [request.routes.seed, request.seeds],
            "judged": [request.routes.tau, request.routes.axes, request.routes.cost],
        }
        key = settings_key(made_under)
        kept = _read(self.inspection.workspace.get_result("sensitivity", key), request, self.runs.queries)
        if kept is not None:
            return replace(kept, key=key)
        made = self._curve(route, kind, tell)
        self.inspection.workspace.put_result("sensitivity", key, _bytes(made))
        return replace(made, key=key)

    def _curve(self, route: str, kind: Corruption, tell: Callable[[int], None]) -> SourceCurve:
        request, run = self.request, self.runs.runs[route]
        means = np.full((len(request.rates), request.seeds, len(_MEANS)), np.nan)
        worse = np.zeros((len(request.rates), self.runs.queries), dtype=np.bool_)
        clean: dict[str, TritArray] = {axis: run.trits[axis][self.rows] for axis in AXES}
        memory = run.memory[self.rows]
        first = self._figures(memory, clean, clean)
        means[0] = self._means(first)
        tell(1)
        for seed in range(request.seeds):
            order = draw_order(self.names, kind.name, request.routes.seed + seed)
            for place, rate in enumerate(request.rates[1:], 1):
                if self.cancelled():
                    raise Cancelled(_("cancelled: finished curves are kept"))
                found, corrupted, true = self._corrupted(route, kind, seed, rate, order)
                figures = self._figures(found, corrupted, true)
                means[place, seed] = self._means(figures)
                grown = figures[self.upper] > first[self.upper] + 1e-12
                worse[place, self.rows[grown]] = True
                tell(1)
        axes = [kind.axis] if kind.axis else list(AXES)
        held = memory >= 0
        known = [
            held & ((clean[axis] != np.uint8(1)) if kind.hides else (clean[axis] == np.uint8(YES))) for axis in axes
        ]
        if kind.name == "namespace_missing":
            known = [held & (clean["scope"] != np.uint8(1))]
        return SourceCurve(means, worse, any(bool(cells.any()) for cells in known))

    def _corrupted(
        self, route: str, kind: Corruption, seed: int, rate: float, order: npt.NDArray[np.intp]
    ) -> tuple[npt.NDArray[np.integer], Mapping[str, TritArray], Mapping[str, TritArray]]:
        """Rankings under errors, their axes as the errors show them, and as they were before."""
        run = self.runs.runs[route]
        memory = run.memory[self.rows]
        clean: dict[str, TritArray] = {axis: run.trits[axis][self.rows] for axis in AXES}
        if kind.hides:
            axes = [kind.axis] if kind.axis else list(AXES)
            cells = mixed(self.query_names[self.rows])[:, None] ^ self.names[memory]
            return memory, hide(clean, memory >= 0, cells, axes, rate, self.request.routes.seed + seed), clean
        view = Corrupted(self.view, kind, hit(order, rate))
        spec = parse_route(route)
        if kind.axis not in ROUTE_AXES.get(spec.name, frozenset()):
            with self.inspection.lock:
                self.check()
                return memory, {**clean, **judged(view, self.rows, memory, [kind.axis])}, clean
        return self._reranked(view, run)

    def _reranked(
        self, view: Corrupted, run: RouteRun
    ) -> tuple[npt.NDArray[np.integer], Mapping[str, TritArray], Mapping[str, TritArray]]:
        spec = parse_route(run.route)
        ranker = Ranker(self.inspection, spec, self.request.routes.k, self.params, self.check, self.cancelled)
        parts = list(ranker.blocks(view, self.rows, AXES))
        width = max((part.ranking.memory.shape[1] for part in parts), default=0)
        memory = np.full((len(self.rows), width), -1, dtype=np.int64)
        trits: dict[str, TritArray] = {axis: np.full(memory.shape, 1, dtype=np.uint8) for axis in AXES}
        for part in parts:
            at, wide = np.searchsorted(self.rows, part.ranking.queries), part.ranking.memory.shape[1]
            memory[at, :wide] = part.ranking.memory
            for axis in AXES:
                trits[axis][at, :wide] = part.trits[axis]
        with self.inspection.lock:
            self.check()
            return memory, trits, judged(self.view, self.rows, memory, AXES)

    def _figures(
        self, memory: npt.NDArray[np.integer], shown: Mapping[str, TritArray], true: Mapping[str, TritArray]
    ) -> dict[str, FloatArray]:
        request = self.request.routes
        nothing = np.zeros(len(self.rows), dtype=np.int64)

        def values(trits: Mapping[str, TritArray]) -> dict[str, FloatArray]:
            admissible = verdicts(trits, request.axes)
            matched: MatchedRows = matched_rows(memory, admissible, self.needs, request.tau)
            return query_values(matched, admissible, memory >= 0, nothing, nothing, request.cost)

        as_shown, as_was = values(shown), values(true)
        as_shown["true_lower"], as_shown["true_upper"] = as_was["risk_lower"], as_was["risk_upper"]
        return as_shown

    def _means(self, values: Mapping[str, FloatArray]) -> FloatArray:
        out = np.full(len(_MEANS), np.nan)
        for place, name in enumerate(_MEANS):
            known = values[name][np.isfinite(values[name])]
            if len(known):
                out[place] = known.mean()
        return out


def _bytes(curve: SourceCurve) -> bytes:
    out = io.BytesIO()
    np.savez_compressed(out, allow_pickle=False, means=curve.means, worse=curve.worse, touched=np.array(curve.touched))
    return out.getvalue()


def _read(payload: bytes | None, request: SensitivityRequest, queries: int) -> SourceCurve | None:
    """What was kept, None where it is nothing of this shape."""
    if payload is None:
        return None
    try:
        with np.load(io.BytesIO(payload), allow_pickle=False) as kept:
            curve = SourceCurve(kept["means"], kept["worse"], bool(kept["touched"]))
    except (ValueError, KeyError, TypeError, OSError, EOFError, zipfile.BadZipFile):
        return None
    whole = (
        curve.means.shape == (len(request.rates), request.seeds, len(_MEANS))
        and curve.worse.shape == (len(request.rates), queries)
        and curve.means.dtype == np.float64
        and curve.worse.dtype == np.bool_
    )
    return curve if whole else None


#: One source: what its routes returned, and its curves by route and kind.
SourceCurves = tuple[SourceRuns, Mapping[tuple[str, str], SourceCurve]]


def sensitivity_source(
    inspection: Inspection,
    request: SensitivityRequest,
    on_progress: OnProgress | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    *,
    on_kind: Callable[[SourceCurves, tuple[str, ...]], None] = lambda *_: None,
) -> SourceCurves:
    """Every route of one source under every kind of error. Raises Cancelled and Edited; finished curves are kept.

    ``on_kind`` is called whenever a kind of error is finished on all routes, with the curves so far and those kinds.
    """
    request = check_sensitivity(request)
    steps = 1 + (len(request.rates) - 1) * request.seeds
    curves: dict[tuple[str, str], SourceCurve] = {}
    total = len(request.kinds) * len(request.routes.routes)
    with unedited(inspection) as check:
        runs = run_source(inspection, request.routes, on_progress, cancelled)
        with inspection.lock:
            check()
            source = _Source(inspection, request, runs, check, cancelled)
        for done, kind in enumerate(request.kinds, 1):
            for route in request.routes.routes:
                what = _d("{route} under {kind} (curve {count} of {total})").format(
                    route=route, kind=kind, count=len(curves) + 1, total=total
                )
                curves[route, kind] = source.curve(
                    route, CORRUPTIONS[kind], progress_teller(on_progress, what, steps, "reruns")
                )
            on_kind((runs, dict(curves)), request.kinds[:done])
    return runs, curves


def read_curve(inspection: Inspection, request: SensitivityRequest, key: str) -> SourceCurve | None:
    """A curve that is kept under a key; None where there is none of the request's shape."""
    found = _read(inspection.workspace.get_result("sensitivity", key), request, len(inspection.queries))
    return None if found is None else replace(found, key=key)


def sensitivity(request: SensitivityRequest, parts: Sequence[SourceCurves]) -> Sensitivity:
    """The curves averaged over sources with equal weight, then over seeds; where routes break and fall behind."""
    request = check_sensitivity(request)
    points: dict[tuple[str, str], tuple[Point, ...]] = {}
    for route in request.routes.routes:
        for kind in request.kinds:
            points[route, kind] = _points(request, [curves[route, kind] for _, curves in parts])
    base = request.routes.base_route
    curves = tuple(
        Curve(
            route,
            kind,
            found,
            breaks_at(found, request.tolerance),
            None if route == base else behind_at(found, points[base, kind]),
            None if route == base or CORRUPTIONS[kind].hides else behind_at(found, points[base, kind], truly=True),
        )
        for (route, kind), found in points.items()
    )
    return Sensitivity(
        request,
        tuple(runs for runs, _ in parts),
        curves,
        {route: first_to_break([curve for curve in curves if curve.route == route]) for route in request.routes.routes},
        tuple(
            kind
            for kind in request.kinds
            if not any(found[route, kind].touched for _, found in parts for route in request.routes.routes)
        ),
        {at: tuple(found[at].worse for _, found in parts) for at in points},
    )


def _points(request: SensitivityRequest, curves: Sequence[SourceCurve]) -> tuple[Point, ...]:
    stacked = np.stack([curve.means for curve in curves])
    known = np.isfinite(stacked)
    counts = known.sum(axis=0)
    total = np.where(known, stacked, 0.0).sum(axis=0)
    by_seed = np.full(total.shape, np.nan)
    np.divide(total, counts, out=by_seed, where=counts > 0)
    out = []
    for place, rate in enumerate(request.rates):
        means: dict[str, Any] = {}
        for column, name in enumerate(_MEANS):
            values = by_seed[place, :, column]
            values = values[np.isfinite(values)]
            # A mean of equal numbers is that number, whatever the rounding of their sum.
            even = len(values) > 0 and bool((values == values[0]).all())
            means[name] = None if not len(values) else float(values[0] if even else values.mean())
        upper = "ranking_upper" if means["risk_upper"] is None else "risk_upper"
        least, greatest = spread(by_seed[place, :, _MEANS.index(upper)])
        worse = sum(int(curve.worse[place].sum()) for curve in curves)
        out.append(Point(rate=rate, **means, least_upper=least, greatest_upper=greatest, worse=worse))
    return tuple(out)
