"""Comparisons and sensitivity curves as plain text for a terminal; safe to print (DESIGN 12)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.compare.comparison import RECORDED, Comparison, RouteResult
from inspector.compare.contamination import EXPOSURES
from inspector.compare.corruption import CORRUPTIONS, Curve
from inspector.compare.intervals import Figure
from inspector.compare.runs import SourceRuns
from inspector.comparing.resolving import Resolve
from inspector.comparing.sensitive import Sensitivity
from inspector.i18n import N_, _d
from inspector.text import cells, counted, padded, visible

#: Queries that are named where some are left out.
_NAMED = 10
_TOLD = {
    RECORDED: N_("as the trace recorded"),
    "retrieved": N_("everything retrieved (no gate)"),
    "unresolved": N_("admit and unresolved let through"),
    "admit": N_("admit let through"),
}


def share(value: float | None) -> str:
    """A share with three decimals, – where there is none."""
    return "–" if value is None else f"{value:.3f}"


def bounds(low: float | None, high: float | None) -> str:
    """Two bounds, once where they are equal."""
    return share(low) if low == high else _d("{share} to {share2}").format(share=share(low), share2=share(high))


def interval(figure: Figure) -> str:
    """A figure with its interval where it has one."""
    if figure.low is None or figure.high is None:
        return share(figure.value)
    return f"{share(figure.value)} [{share(figure.low)}, {share(figure.high)}]"


def table(rows: Sequence[Sequence[str]], words: bool = False) -> Iterator[str]:
    """Rows in columns, the first to the left and the others to the right; the first row is the head.

    ``words`` says that the last column holds words, which stand to the left.
    """
    rows = [[visible(cell) for cell in row] for row in rows]
    widths = [max(cells(row[place]) for row in rows) for place in range(len(rows[0]))]
    left = {0, len(widths) - 1} if words else {0}
    for row in rows:
        yield "  ".join(
            padded(cell, width, right=place not in left)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()


def _count(value: float | None) -> str:
    return "–" if value is None else f"{value:,.1f}"


def _whole(routes: Sequence[RouteResult]) -> Iterator[str]:
    """Bounds over all candidates: all there is where nothing is required."""
    yield _d("no query is evaluable: nothing is required; bounds are over all candidates")
    rows = [(_d("route"), _d("lower"), _d("upper"), _d("similarities"))]
    for result in routes:
        of = result.figures
        edges = (interval(of["ranking_lower"]), interval(of["ranking_upper"]))
        rows.append((result.route, *edges, _count(of["similarities"].value)))
    yield from table(rows)


def _routes(routes: Sequence[RouteResult]) -> Iterator[str]:
    if all(result.figures["recall"].value is None for result in routes):
        yield from _whole(routes)
        return
    head = (_d("route"), _d("recall"), _d("feasible"), _d("risk lower"), _d("risk upper"), _d("infeasible"))
    rows = [(*head, _d("conditional"), _d("prefix"), _d("coverage"), _d("similarities"))]
    for result in routes:
        of = result.figures
        rows.append(
            (
                result.route,
                interval(of["recall"]),
                interval(of["feasible"]),
                share(of["risk_lower"].value),
                interval(of["risk_upper"]),
                share(of["infeasibility_part"].value),
                share(of["conditional_part"].value),
                _count(of["prefix"].value),
                share(of["coverage"].value),
                _count(of["similarities"].value),
            )
        )
    yield from table(rows)


def _deltas(comparison: Comparison) -> Iterator[str]:
    rows = [
        (
            _d("minus {base_route}").format(base_route=comparison.request.base_route),
            _d("recall"),
            "p",
            _d("feasible"),
            "p",
            _d("risk upper"),
            "p",
        )
    ]
    for result in comparison.routes:
        if not result.deltas or result.deltas["recall"].value is None:
            continue
        cells = [result.route]
        for name in ("recall", "feasible", "risk_upper"):
            delta = result.deltas[name]
            around = "" if delta.low is None or delta.high is None else f" [{delta.low:+.3f}, {delta.high:+.3f}]"
            cells.append("–" if delta.value is None else f"{delta.value:+.3f}{around}")
            cells.append("–" if delta.p is None else f"{delta.p:.4f}")
        rows.append(tuple(cells))  # type: ignore[arg-type]
    if len(rows) > 1:
        yield ""
        yield from table(rows)


def _exposures(routes: Sequence[RouteResult]) -> Iterator[str]:
    for rule in (RECORDED, *EXPOSURES):
        rows = [
            (
                _d("contamination and loss, {rule}").format(rule=_d(_TOLD[rule])),
                *map(_d, ("contamination", "inadmissible", "irrelevant", "loss")),
            )
        ]
        for result in routes:
            if rule not in result.exposures:
                continue
            named = [(result.route, result.exposures[rule])]
            if len(result.paths) > 1:
                named += [(_d("  by {path}").format(path=path.path), path.exposures[rule]) for path in result.paths]
            for name, figures in named:
                cells = [
                    bounds(figures[f"{one}_lower"].value, figures[f"{one}_upper"].value)
                    for one in ("contamination", "inadmissible", "irrelevant", "loss")
                ]
                rows.append((name, *cells))
        if len(rows) > 1:
            yield ""
            yield from table(rows)


def _lenses(comparison: Comparison) -> Iterator[str]:
    rows = [(_d("verifier lens"), _d("score"), "AUC", _d("violations"), _d("admitted"), "")]
    for result in comparison.routes:
        for source, part in zip(comparison.sources, result.sources, strict=True):
            for lens in part.lenses:
                name = result.route if len(comparison.sources) == 1 else f"{result.route}, {source.name}"
                numbers = (f"{lens.violations:,}", f"{lens.admitted:,}")
                rows.append((name, lens.score, share(lens.auc), *numbers, lens.words))
    if len(rows) > 1:
        yield ""
        yield from table(rows, words=True)


def _agreement(comparison: Comparison) -> Iterator[str]:
    rows = [(_d("agreement of judgments"), _d("axis"), "alpha", _d("pairs"), "")]
    for source, found in zip(comparison.sources, comparison.agreement, strict=bool(comparison.agreement)):
        rows += [(source.name, one.axis, share(one.alpha), f"{one.units:,}", one.words) for one in found]
    if len(rows) > 1:
        yield ""
        yield from table(rows, words=True)
        yield _d("policy is read as consistency with declared fields, not as what people hold to be allowed")


def _listed(source: SourceRuns) -> str:
    """The queries that are left out, the first of them by name."""
    names = [source.query_ids[qi] for qi in source.not_evaluable[:_NAMED]]
    more = len(source.not_evaluable) - len(names)
    return ", ".join(map(_short, names)) + (
        _d(" and {more:,} more (--json names all)").format(more=more) if more else ""
    )


def _head(comparison: Comparison) -> Iterator[str]:
    request = comparison.request
    axes = ", ".join(request.axes)
    yield _d("top {k}, recall to match {tau:g}, axes {axes}, infeasible counts {cost:g}").format(
        k=request.k, tau=request.tau, axes=axes, cost=request.cost
    )
    for source in comparison.sources:
        left = (
            _d(", {count:,} of them not evaluable: {listed}").format(
                count=len(source.not_evaluable), listed=_listed(source)
            )
            if source.not_evaluable
            else ""
        )
        held = f"{counted(source.memories, 'memory', 'memories')}, {counted(source.queries, 'query', 'queries')}"
        yield f"{source.name}: {held}{left}"
        if len(source.groups) < 2:
            yield _d("{name}: all queries are of one group: no intervals").format(name=source.name)


def comparison_text(comparison: Comparison) -> str:
    """The comparison in tables: figures at matched recall, differences, contamination and loss, lens, agreement."""
    lines = [*_head(comparison), ""]
    if comparison.assumed:
        assumed = ", ".join(f"{name}={value}" for name, value in sorted(comparison.assumed.items()))
        lines.append(_d("with {assumed}").format(assumed=assumed))
    lines += _routes(comparison.routes)
    lines += _deltas(comparison)
    lines += _exposures(comparison.routes)
    lines += _lenses(comparison)
    lines += _agreement(comparison)
    if comparison.without is not None:
        lines += ["", _d("without the assumptions"), *_routes(comparison.without.routes), *_deltas(comparison.without)]
    return visible("\n".join(lines), newlines=True)


def _curves(found: Sensitivity) -> Iterator[str]:
    rates = found.request.rates
    for kind in found.request.kinds:
        if kind in found.untouched:
            yield ""
            yield _d("{kind}: there is no label to corrupt").format(kind=kind)
            continue
        yield ""
        rows = [
            (f"{kind}: {_d(CORRUPTIONS[kind].words)}", *(f"{rate:.0%}" for rate in rates), _d("breaks"), _d("behind"))
        ]
        for curve in found.curves:
            if curve.kind == kind:
                rows += _curve_rows(curve)
        yield from table(rows)


def _curve_rows(curve: Curve) -> list[tuple[str, ...]]:
    def rate(value: float | None) -> str:
        return "–" if value is None else f"{value:.0%}"

    matched = curve.points[0].risk_upper is not None
    upper, lower = (_d("risk upper"), _d("risk lower")) if matched else (_d("upper over all k"), _d("lower over all k"))
    rows = [
        (
            f"{curve.route}: {upper}",
            *(share(point.upper) for point in curve.points),
            rate(curve.breaks_at),
            rate(curve.behind_at),
        ),
        (f"  {lower}", *(share(point.lower) for point in curve.points), "", ""),
    ]
    if matched and not CORRUPTIONS[curve.kind].hides:
        rows.append(
            (
                _d("  risk upper by the true labels"),
                *(share(point.true_upper) for point in curve.points),
                "",
                rate(curve.truly_behind_at),
            )
        )
    if matched:
        rows.append(("  " + _d("recall"), *(share(point.recall) for point in curve.points), "", ""))
    return rows


def _short(name: str) -> str:
    return name if len(name) <= 40 else f"…{name[-39:]}"


def _first(found: Sensitivity, first: Sequence[Sequence[Resolve]]) -> Iterator[str]:
    if found.request.kinds:
        yield ""
    for route, curve in found.first.items() if found.request.kinds else ():
        if curve is None:
            yield _d("{route}: no label error adds {tolerance:g} to its risk").format(
                route=route, tolerance=found.request.tolerance
            )
        else:
            yield _d("{route}: {kind} breaks first, at {breaks_at:.0%}").format(
                route=route, kind=curve.kind, breaks_at=curve.breaks_at
            )
    for source, fields in zip(found.sources, first, strict=bool(first)):
        yield ""
        if not fields:
            yield _d("{name}: no candidate of {base_route} that counts is unresolved").format(
                name=source.name, base_route=found.request.routes.base_route
            )
            continue
        rows = [
            (
                _d("{name}: resolve first").format(name=source.name),
                _d("narrows risk by"),
                _d("candidates"),
                _d("ask about"),
            )
        ]
        for one in fields:
            limits = "" if one.verified else _d(" (limits)")
            asked = ", ".join(_short(ask.name) for ask in one.records[:3])
            asked += _d(" and {count} more").format(count=len(one.records) - 3) if len(one.records) > 3 else ""
            rows.append((one.field, f"{share(one.least)}–{share(one.most)}{limits}", f"{one.cells:,}", asked))
        yield from table(rows, words=True)


def sensitivity_text(found: Sensitivity, first: Sequence[Sequence[Resolve]] = ()) -> str:
    """The curves in tables, which label breaks each route first, and what to resolve first."""
    request = found.request
    lines = []
    if request.kinds:
        lines.append(
            _d("{seeds} seeds from {seed}, base {base_route}, broken where risk upper grows by {tolerance:g}").format(
                seeds=request.seeds,
                seed=request.routes.seed,
                base_route=request.routes.base_route,
                tolerance=request.tolerance,
            )
        )
    lines += _curves(found)
    lines += _first(found, first)
    return visible("\n".join(lines), newlines=True)
