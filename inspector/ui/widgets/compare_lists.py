"""Lists of the *Compare* screen: label errors, what to resolve first, lens, agreement, queries behind a figure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from inspector.compare.agreement import Agreement
from inspector.compare.comparison import Behind, Comparison, path_exposures
from inspector.compare.corruption import CORRUPTIONS, Curve
from inspector.compare.figures import EXPOSURE_METRICS, METRICS, Values
from inspector.comparing.resolving import Ask, Resolve
from inspector.comparing.sensitive import Sensitivity
from inspector.i18n import _
from inspector.records import Query
from inspector.ui.widgets.cells import Cell, Column, Piece
from inspector.ui.widgets.compare_pane import ListPane, Row
from inspector.ui.widgets.compare_table import NONE, RULES, SHOWN, FigureKey, Shown, letter
from inspector.ui.widgets.reader import Item
from inspector.ui.widgets.signs import bounds, content, share

_COUNTS = frozenset({"prefix", "violations", "admitted", "unresolved", "similarities", "width", "exposed"})


# Label errors


@dataclass(frozen=True, slots=True)
class CurveKey:
    """A row of the table of label errors."""

    route: str
    kind: str


class LabelsPane(ListPane):
    """A row for each route under each kind of label error, a column for each share of wrong labels."""

    PANE: ClassVar[str] = "Label errors"
    HELP = (
        "The upper risk at matched recall where that share of labels is wrong or hidden, averaged over seeds. A route "
        "breaks where it has grown by the tolerance, and falls behind where it is above the base's under the same "
        "errors; in truth, where it is above it by the labels before the errors. Wrong labels change filters, rankings "
        "and verdicts; hidden values leave the ranking alone and may only widen. Enter on a share shows the queries "
        "that are worse off there. R runs, escape stops and keeps what is finished."
    )

    def __init__(self, *, id: str) -> None:
        super().__init__(
            (), id=id, column_cursor=True, empty=_("R corrupts and hides labels and shows what that costs")
        )


def label_columns(rates: Sequence[float]) -> list[Column]:
    """Route, kind of error, then a column a rate, then where the route breaks and falls behind."""
    return [
        Column("letter", "", 1, frozen=True, stop=False),
        Column("route", "route", 18, 10, frozen=True),
        Column("kind", "label error", 22, 12),
        *(Column(f"at {rate:g}", f"{rate:.0%}", 5, align="right") for rate in rates),
        Column("breaks", "breaks", 7, 6, align="right"),
        Column("behind", "behind", 7, 6, align="right"),
        Column("truly", "in truth", 8, 8, align="right"),
        Column("bounds", _("at {rate:.0%}").format(rate=rates[-1]) if rates else "", 12, align="right"),
    ]


def label_rows(comparison: Comparison, found: Sensitivity) -> list[Row]:
    """The curves, those of one kind below each other; a kind for which there is no label says so."""
    rows = []
    known = {result.route for result in comparison.routes}
    for kind in found.request.kinds:
        for curve in found.curves:
            if curve.kind == kind:
                mark = letter(comparison, curve.route) if curve.route in known else "·"
                cells = list(_curve_cells(mark, curve, untouched=kind in found.untouched))
                rows.append(Row(CurveKey(curve.route, kind), cells))
    return rows


def _rate(value: float | None, none: str) -> Cell:
    return Piece(none, "dim") if value is None else Piece(f"{value:.0%}", "warn")


def _curve_cells(mark: str, curve: Curve, *, untouched: bool) -> Iterator[Cell]:
    yield Piece(mark, "strong")
    yield curve.route
    yield Piece(curve.kind.replace("_", " "), "dim" if untouched else "")
    for point in curve.points:
        broken = curve.breaks_at is not None and point.rate >= curve.breaks_at
        yield NONE if point.upper is None else Piece(share(point.upper), "bad" if broken else "")
    yield Piece(_("no label"), "dim") if untouched else _rate(curve.breaks_at, _("never"))
    yield _rate(curve.behind_at, "–")
    yield _rate(curve.truly_behind_at, "–")
    last = curve.points[-1]
    yield NONE if last.lower is None or last.upper is None else bounds(last.lower, last.upper)


def first_items(found: Sensitivity) -> list[Item]:
    """For each route the label that breaks it first."""
    items = []
    for route, curve in found.first.items():
        if curve is None:
            said = [
                Piece(
                    _("no label error adds {tolerance:g} to its upper risk").format(tolerance=found.request.tolerance),
                    "dim",
                )
            ]
            items.append(Item(content(said), content([Piece(route)]), 20))
            continue
        at = next(point for point in curve.points if point.rate == curve.breaks_at)
        first = curve.points[0].upper or 0.0
        pieces = [
            Piece(
                _("{replace} breaks first, at {breaks_at:.0%}").format(
                    replace=curve.kind.replace("_", " "), breaks_at=curve.breaks_at
                ),
                "strong",
            ),
            Piece(
                _("  {words}: upper risk {share} → {share2}").format(
                    words=_(CORRUPTIONS[curve.kind].words), share=share(first), share2=share(at.upper or 0.0)
                )
            ),
        ]
        items.append(Item(content(pieces), content([Piece(route)]), 20, CurveKey(route, curve.kind)))
    return items


# Which ? to resolve first


class ResolvePane(ListPane):
    """A row a field that is missing behind unresolved candidates."""

    PANE: ClassVar[str] = "Resolve first"
    HELP = (
        "Fields that are missing behind unresolved candidates, ranked by how much the risk interval would narrow if "
        "they were known: at least and at most, every value tried on the same candidates. Below, the records to ask "
        "about, those on which most hangs first; enter shows one in Inspect. R works it out for the base route."
    )
    COLUMNS = (
        Column("field", "field", 26, 12, frozen=True, flex=1),
        Column("of", "of", 7),
        Column("least", "narrows least", 13, 6, align="right"),
        Column("most", "most", 6, align="right"),
        Column("cells", "candidates", 10, align="right"),
        Column("how", "", 30, 10, flex=2),
    )

    def __init__(self, *, id: str) -> None:
        super().__init__(self.COLUMNS, id=id, empty=_("R works out which ? to resolve first"))


class AskPane(ListPane):
    """The records to ask about."""

    PANE: ClassVar[str] = "Ask about"
    HELP = (
        "The records that lack the field, those on which most of the interval hangs first. Enter shows one in Inspect."
    )
    COLUMNS = (
        Column("record", "record", 30, 12, frozen=True, flex=2),
        Column("share", "of the interval", 15, 8, align="right"),
        Column("text", "text", 20, 8, flex=5),
    )

    def __init__(self, *, id: str) -> None:
        super().__init__(self.COLUMNS, id=id, empty=_("no record to ask about"))


def resolve_rows(found: Sequence[Resolve]) -> list[Row]:
    """The fields, the best first."""
    rows = []
    for one in found:
        how = _("each value tried") if one.verified else _("limits: values cannot be tried")
        cells = (
            Piece(one.field, "strong"),
            one.owner,
            f"{one.least:.3f}",
            f"{one.most:.3f}",
            f"{one.cells:,}",
            Piece(how, "dim"),
        )
        rows.append(Row(one.field, cells))
    return rows


def ask_rows(found: Resolve, texts: Sequence[str]) -> list[Row]:
    """The records of a field, with their texts."""

    def cells(ask: Ask, text: str) -> Sequence[Cell]:
        return (ask.name, f"{ask.share:.4f}", text)

    return [Row((found.owner, ask.index), cells(ask, text)) for ask, text in zip(found.records, texts, strict=True)]


# Verifier lens and agreement


class LensPane(ListPane):
    """A row for each score that may tell violations from the text alone."""

    PANE: ClassVar[str] = "Verifier lens"
    HELP = (
        "Can a score tell violations from admitted candidates by itself? AUC .5 says nothing, 1 all. The best "
        "threshold may reject at most 1 % of the required evidence; often none does. Imported scores are named in r. "
        "Enter shows the queries with violations."
    )
    COLUMNS = (
        Column("letter", "", 1, frozen=True, stop=False),
        Column("route", "route", 18, 10, frozen=True),
        Column("score", "score", 12, 8),
        Column("auc", "AUC", 5, align="right"),
        Column("violations", "violations", 10, align="right"),
        Column("admitted", "admitted", 8, align="right"),
        Column("required", "required", 8, align="right"),
        Column("unresolved", "? left out", 10, align="right"),
        Column("words", "best threshold", 30, 16, flex=1),
    )

    def __init__(self, *, id: str) -> None:
        super().__init__(self.COLUMNS, id=id, empty=_("nothing is compared yet"))


class AgreementPane(ListPane):
    """A row for each axis that two sources judged."""

    PANE: ClassVar[str] = "Agreement of judgments"
    HELP = (
        "Krippendorff's alpha of the sources that judged the same pair: 1 full agreement, 0 chance. From .8 reliable, "
        "from .667 good enough for tentative conclusions. The policy axis is read as consistency with declared fields, "
        "not as what people hold to be allowed. Enter shows the queries on which the sources disagree."
    )
    COLUMNS = (
        Column("axis", "axis", 10, frozen=True),
        Column("alpha", "alpha", 6, align="right"),
        Column("units", "pairs", 7, align="right"),
        Column("values", "judgments", 9, align="right"),
        Column("disputed", "disputed", 8, align="right"),
        Column("sources", "sources", 18, 8, flex=1),
        Column("words", "", 30, 12, flex=2),
    )

    def __init__(self, *, id: str) -> None:
        super().__init__(self.COLUMNS, id=id, empty=_("no axis was judged by two sources: nothing to agree on"))


def lens_rows(comparison: Comparison) -> list[Row]:
    """The lenses of every route."""
    rows = []
    for result in comparison.routes:
        for place, lens in enumerate(result.sources[0].lenses):
            cells = (
                Piece(letter(comparison, result.route), "strong"),
                result.route,
                lens.score,
                NONE if lens.auc is None else share(lens.auc),
                f"{lens.violations:,}",
                f"{lens.admitted:,}",
                f"{lens.required:,}",
                f"{lens.unresolved:,}",
                lens.words,
            )
            rows.append(Row((result.route, place), cells))
    return rows


def agreement_rows(found: Sequence[Agreement]) -> list[Row]:
    """The axes."""
    return [
        Row(
            one.axis,
            (
                Piece(one.axis, "strong"),
                NONE if one.alpha is None else f"{one.alpha:.3f}",
                f"{one.units:,}",
                f"{one.values:,}",
                f"{len(one.disputed):,}",
                ", ".join(one.sources),
                Piece(one.words, "warn" if one.axis == "policy" else ""),
            ),
        )
        for one in found
    ]


# The queries behind a figure


@dataclass(frozen=True, slots=True)
class Drill:
    """A figure, the queries behind it in order, and a note beside each (may be empty).

    ``shown`` is the figure, None where the list is not of one; ``route`` the route that it is of, None for none.
    """

    words: str
    route: str | None
    behind: tuple[Behind, ...]
    shown: Shown | None = None
    rule: str = ""
    notes: tuple[str, ...] = ()
    path: str = ""


class QueriesPane(ListPane):
    """A row for each query behind the figure that was chosen last."""

    PANE: ClassVar[str] = "Queries behind"
    HELP = (
        "The queries that a figure is a mean over, the worst first. Enter shows one in Inspect with the route of the "
        "figure put in force there; w shows it on the route that is in force in Inspect now. Escape goes back to the "
        "figure."
    )
    COLUMNS = (
        Column("query", "query", 26, 12, frozen=True, flex=2),
        Column("value", "figure", 12, 10, align="right"),
        Column("base", "base", 12, 10, align="right"),
        Column("recall", "recall", 6, align="right"),
        Column("prefix", "matched prefix", 22, 14),
        Column("note", "", 30, 12, flex=2),
        Column("asks", "asks", 12, 6, flex=1),
        Column("text", "text", 16, 8, flex=5),
    )

    def __init__(self, *, id: str) -> None:
        super().__init__(self.COLUMNS, id=id, empty=_("no query is behind this figure"))


def drill_columns(drill: Drill) -> list[Column]:
    """The columns that have something to say for a drill."""
    left_out = {"note"} if not drill.notes else set()
    if drill.shown is None:
        left_out |= {"value", "base"}
    if drill.route is None:
        left_out |= {"recall", "prefix"}
    return [column for column in QueriesPane.COLUMNS if column.key not in left_out]


def drill_to(comparison: Comparison, route: str, column: str, rule: str, path: str = "") -> Drill:
    """The queries behind a column of a route, or of one of its paths."""
    shown = SHOWN.get(column, SHOWN["risk"])
    if path and not shown.exposure:
        shown = SHOWN["contamination"]
    exposure = rule if shown.exposure else None
    name = shown.metric.replace("_", " ")
    where = _("{route} by {path}").format(route=route, path=path) if path else route
    said = f", {_(RULES[rule])}" if shown.exposure else ""
    if path:
        return Drill(
            _("{name} of {where}{said}").format(name=name, where=where, said=said),
            route,
            comparison.path_behind(route, path, shown.metric, rule),
            shown,
            rule,
            path=path,
        )
    result = comparison.route(route)
    base = comparison.request.base_route
    if shown.delta and route != base and base in [each.route for each in comparison.routes]:
        mine = result.sources[0].values[shown.metric]
        theirs = comparison.route(base).sources[0].values[shown.metric]
        moved = np.nan_to_num(mine - theirs)
        sign = METRICS[shown.metric].better or -1
        found = sorted(np.flatnonzero(moved != 0).tolist(), key=lambda qi: (sign * moved[qi], qi))
        behind = tuple(Behind(0, qi, float(mine[qi])) for qi in found)
        return Drill(
            _("{name} of {where} other than that of {base}").format(name=name, where=where, base=base),
            route,
            behind,
            shown,
            rule,
        )
    return Drill(
        _("{name} of {where}{said}").format(name=name, where=where, said=said),
        route,
        result.behind(shown.metric, exposure),
        shown,
        rule,
    )


def drill_figure(comparison: Comparison, key: FigureKey) -> Drill:
    """The queries behind any figure of a route."""
    lower = key.metric.replace("_upper", "_lower") if key.metric.endswith("_upper") else ""
    shown = Shown(key.metric, lower, exposure=bool(key.rule))
    said = f", {_(RULES[key.rule])}" if key.rule else ""
    behind = comparison.route(key.route).behind(key.metric, key.rule or None)
    return Drill(
        _("{replace} of {route}{said}").format(replace=key.metric.replace("_", " "), route=key.route, said=said),
        key.route,
        behind,
        shown,
        key.rule,
    )


def query_rows(comparison: Comparison, queries: Sequence[Query], drill: Drill) -> list[Row]:
    """The rows of the queries behind a figure."""
    source = comparison.sources[0]
    route = drill.route if drill.route in [result.route for result in comparison.routes] else None
    rows, columns = [], drill_columns(drill)
    mine = _values_of(comparison, route, drill)
    theirs = _values_of(comparison, comparison.request.base_route, drill)
    for place, one in enumerate(drill.behind):
        query = queries[one.qi]
        cells: dict[str, Cell] = {
            "query": Piece(query.id, "strong"),
            "value": _figure_cell(mine, drill, one.qi),
            "base": _figure_cell(theirs, drill, one.qi),
            "recall": _recall(comparison, route, one.qi),
            "prefix": list(_prefix(comparison, route, one.qi)),
            "note": drill.notes[place] if place < len(drill.notes) else "",
            "asks": _group_words(source.groups[source.group[one.qi]]),
            "text": query.text,
        }
        rows.append(Row((one.qi, place), [cells[column.key] for column in columns]))
    return rows


def _group_words(group: str) -> Cell:
    """The principal's namespaces as people write them."""
    if not group:
        return Piece(_("nobody known"), "dim")
    held = json.loads(group)
    return ", ".join(each if isinstance(each, str) else "/".join(map(str, each)) for each in held)


def _values_of(comparison: Comparison, route: str | None, drill: Drill) -> Values | None:
    """Every query's values on a route, those that the drill's figure is one of; None where the route has none."""
    known = {result.route: result for result in comparison.routes}
    if drill.shown is None or route is None or route not in known or (drill.path and route != drill.route):
        return None
    part = known[route].sources[0]
    if drill.path:
        source = comparison.sources[0]
        return path_exposures(source, source.runs[route], part, drill.path, drill.rule)
    return part.exposures.get(drill.rule, {}) if drill.shown.exposure else part.values


def _figure_cell(values: Values | None, drill: Drill, qi: int) -> Cell:
    shown = drill.shown
    if shown is None or values is None:
        return ""
    if shown.metric not in values or not np.isfinite(values[shown.metric][qi]):
        return NONE
    value = float(values[shown.metric][qi])
    if shown.lower:
        return bounds(float(values[shown.lower][qi]), value)
    return f"{value:,.0f}" if shown.metric in _COUNTS else share(value)


def _recall(comparison: Comparison, route: str | None, qi: int) -> Cell:
    if route is None:
        return ""
    value = float(comparison.route(route).sources[0].values["recall"][qi])
    return NONE if value != value else share(value)


def _prefix(comparison: Comparison, route: str | None, qi: int) -> Iterator[Piece]:
    if route is None:
        return
    matched = comparison.route(route).sources[0].matched
    if not matched.evaluable[qi]:
        yield Piece(_("not evaluable"), "dim")
    elif not matched.feasible[qi]:
        hits, needed = int(matched.hits[qi]), int(matched.required[qi])
        yield Piece(_("infeasible: {hits} of {needed}").format(hits=hits, needed=needed), "bad")
    else:
        yield Piece(f"{int(matched.prefix[qi])}: ")
        yield Piece(f"✓{int(matched.admitted[qi])} ", "good")
        yield Piece(f"✗{int(matched.violations[qi])} ", "no" if matched.violations[qi] else "dim")
        yield Piece(f"?{int(matched.unresolved[qi])}", "unknown")


def words_of(metric: str) -> str:
    """What a figure says."""
    return (METRICS | EXPOSURE_METRICS)[metric].words
