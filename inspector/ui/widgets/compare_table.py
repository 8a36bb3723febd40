"""The table of routes side by side, and what is said of the figure under the cursor (DESIGN 5; SCREENS Compare)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len, set_cell_size

from inspector.compare.comparison import Comparison, RouteResult
from inspector.compare.figures import EXPOSURE_METRICS, METRICS
from inspector.compare.intervals import MAX_SIGN_GROUPS, Delta, Figure
from inspector.i18n import N_, _
from inspector.retrieval.specs import parse_route
from inspector.text import counted
from inspector.ui.panes import Table
from inspector.ui.widgets.cells import Cell, Column, Piece
from inspector.ui.widgets.compare_pane import ListPane, Row
from inspector.ui.widgets.reader import Item, blank
from inspector.ui.widgets.signs import bounds, content, share

#: The ways of letting candidates into a prompt, and the words for them.
RULES = {
    "recorded": N_("as the trace recorded"),
    "retrieved": N_("everything retrieved, no gate"),
    "unresolved": N_("admit and unresolved let through"),
    "admit": N_("admit let through"),
}
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
NONE = Piece("–", "dim")
NOT_DEPLOYABLE = "⊘"


@dataclass(frozen=True, slots=True)
class Shown:
    """A column: the figure that it leads to, and whether the figure depends on what is let through."""

    metric: str
    lower: str = ""
    exposure: bool = False
    delta: bool = False


#: What the columns show, by key.
SHOWN: Mapping[str, Shown] = {
    "recall": Shown("recall"),
    "feasible": Shown("feasible"),
    "risk": Shown("risk_upper", "risk_lower"),
    "interval": Shown("risk_upper"),
    "delta": Shown("risk_upper", delta=True),
    "p": Shown("risk_upper", delta=True),
    "infeasible": Shown("infeasibility_part"),
    "conditional": Shown("conditional_part"),
    "contamination": Shown("contamination_upper", "contamination_lower", exposure=True),
    "inadmissible": Shown("inadmissible_upper", "inadmissible_lower", exposure=True),
    "irrelevant": Shown("irrelevant_upper", "irrelevant_lower", exposure=True),
    "loss": Shown("loss_upper", "loss_lower", exposure=True),
    "prefix": Shown("prefix"),
    "coverage": Shown("coverage"),
    "rate": Shown("known_violation_rate"),
    "any": Shown("any_violation"),
    "ranking": Shown("ranking_upper", "ranking_lower"),
    "delta_recall": Shown("recall", delta=True),
    "p_recall": Shown("recall", delta=True),
    "similarities": Shown("similarities"),
    "width": Shown("width"),
}
COLUMNS = (
    Column("letter", "", 1, frozen=True, stop=False),
    Column("route", "route", 21, 21, frozen=True),
    Column("recall", "recall", 6, align="right"),
    Column("feasible", "feasible", 8, align="right"),
    Column("risk", "risk", 12, align="right"),
    Column("interval", "95%", 9, align="right"),
    Column("delta", "Δ risk", 6, align="right"),
    Column("p", "p", 5, align="right"),
    Column("infeasible", "infeasible", 10, align="right"),
    Column("conditional", "conditional", 11, align="right"),
    Column("contamination", "contamination", 13, align="right"),
    Column("loss", "loss", 12, align="right"),
    Column("prefix", "prefix", 6, align="right"),
    Column("coverage", "known", 6, align="right"),
    Column("rate", "violating", 9, align="right"),
    Column("any", "any", 4, align="right"),
    Column("ranking", "over all k", 12, align="right"),
    Column("inadmissible", "inadmissible", 12, align="right"),
    Column("irrelevant", "irrelevant", 12, align="right"),
    Column("delta_recall", "Δ recall", 8, align="right"),
    Column("p_recall", "p", 5, align="right"),
    Column("similarities", "similarities", 12, align="right"),
    Column("width", "width", 8, align="right"),
)


@dataclass(frozen=True, slots=True)
class PathKey:
    """A row below its route: one of the paths that the route takes."""

    route: str
    path: str


@dataclass(frozen=True, slots=True)
class FigureKey:
    """A figure of a route; ``rule`` is the way of letting through that it depends on, "" for none."""

    route: str
    metric: str
    rule: str


class RoutesPane(ListPane):
    """A row a route, below it a row for each path where it takes several."""

    PANE: ClassVar[str] = "Routes at matched recall"
    HELP = (
        "Each ranking is read only as far as it takes to reach the recall; risk is the share of that prefix that is "
        "excluded (low) or not known to be admitted (high). A query that never gets there counts with its cost: "
        "infeasible and conditional are the two parts of the upper risk. 95% is the bootstrap interval of the upper "
        "risk over groups, Δ the difference from the base with its exact sign-flip p. Contamination and loss follow "
        "from what is let through: v changes that. ⊘ marks a route that no real system could use. Enter shows the "
        "queries behind the figure under the cursor."
    )

    def __init__(self, *, id: str) -> None:
        super().__init__(COLUMNS, id=id, column_cursor=True, empty=_("nothing is compared yet: R compares"))


def letter(comparison: Comparison, route: str) -> str:
    """The letter that stands for a route in tables and plots."""
    place = [result.route for result in comparison.routes].index(route)
    return LETTERS[place] if place < len(LETTERS) else "+"


def default_rule(comparison: Comparison) -> str:
    """The way of letting through that is shown first: as recorded where a trace tells, else with no gate."""
    held = {rule for result in comparison.routes for rule in result.exposures}
    return "recorded" if "recorded" in held else "retrieved"


def _value(figure: Figure | None) -> Cell:
    return NONE if figure is None or figure.value is None else share(figure.value)


def _pair(low: Figure | None, high: Figure | None) -> Cell:
    if low is None or high is None or low.value is None or high.value is None:
        return NONE
    return bounds(low.value, high.value)


def _interval(figure: Figure) -> Cell:
    return NONE if figure.low is None or figure.high is None else f"{share(figure.low)}–{share(figure.high)}"


def _signed(value: float | None) -> Cell:
    if value is None:
        return NONE
    if abs(value) < 0.005:
        return Piece("0" if value == 0 else f"{'+' if value > 0 else '−'}<.01", "dim" if value == 0 else "")
    return f"{'+' if value > 0 else '−'}{share(abs(value))}"


def _p(delta: Delta | None) -> Cell:
    if delta is None or delta.p is None:
        return NONE
    return "<.001" if delta.p < 0.001 else f"{delta.p:.3f}".removeprefix("0")


def _count(figure: Figure) -> Cell:
    return NONE if figure.value is None else f"{figure.value:,.1f}" if figure.value < 1000 else f"{figure.value:,.0f}"


def route_rows(comparison: Comparison, rule: str) -> list[Row]:
    """A row for each route, with a row for each path of those that take several."""
    rows = []
    for result in comparison.routes:
        rows.append(Row(result.route, _route_cells(comparison, result, rule)))
        if len(result.paths) > 1:
            rows += [
                Row(
                    PathKey(result.route, path.path),
                    _path_cells(_("by {path}").format(path=path.path), path.exposures.get(rule, {})),
                )
                for path in result.paths
            ]
    return rows


def _route_cells(comparison: Comparison, result: RouteResult, rule: str) -> Sequence[Cell]:
    of, exposed = result.figures, result.exposures.get(rule, {})
    base = result.route == comparison.request.base_route
    name = [Piece(result.route, "strong")]
    if not parse_route(result.route).deployable:
        name.append(Piece(f" {NOT_DEPLOYABLE}", "warn"))
    risk, recall = result.deltas.get("risk_upper"), result.deltas.get("recall")
    cells: dict[str, Cell] = {
        "letter": Piece(letter(comparison, result.route), "strong"),
        "route": name,
        "recall": _value(of["recall"]),
        "feasible": _value(of["feasible"]),
        "risk": _pair(of["risk_lower"], of["risk_upper"]),
        "interval": _interval(of["risk_upper"]),
        "delta": Piece(_("base"), "dim") if base else _signed(None if risk is None else risk.value),
        "p": _p(risk),
        "infeasible": _value(of["infeasibility_part"]),
        "conditional": _value(of["conditional_part"]),
        "prefix": _count(of["prefix"]),
        "coverage": _value(of["coverage"]),
        "rate": _value(of["known_violation_rate"]),
        "any": _value(of["any_violation"]),
        "ranking": _pair(of["ranking_lower"], of["ranking_upper"]),
        "delta_recall": Piece(_("base"), "dim") if base else _signed(None if recall is None else recall.value),
        "p_recall": _p(recall),
        "similarities": _count(of["similarities"]),
        "width": _count(of["width"]),
        **_exposure_cells(exposed),
    }
    return [cells[column.key] for column in COLUMNS]


def _path_cells(name: str, exposed: Mapping[str, Figure]) -> Sequence[Cell]:
    cells: dict[str, Cell] = {"route": Piece(f" {name}", "dim"), **_exposure_cells(exposed)}
    return [cells.get(column.key, "") for column in COLUMNS]


def _exposure_cells(exposed: Mapping[str, Figure]) -> dict[str, Cell]:
    return {
        key: _pair(exposed.get(shown.lower), exposed.get(shown.metric))
        for key, shown in SHOWN.items()
        if shown.exposure
    }


def title_pieces(comparison: Comparison, rule: str) -> list[Piece]:
    """What stands beside the table's title."""
    source = comparison.sources[0]
    evaluable = source.queries - len(source.not_evaluable)
    pieces = [
        Piece(
            _("{evaluable:,} of {queries} evaluable").format(
                evaluable=evaluable, queries=counted(source.queries, "query", "queries")
            ),
            "dim",
        )
    ]
    if source.not_evaluable:
        pieces.append(Piece(_(" ({count:,} not: N)").format(count=len(source.not_evaluable)), "warn"))
    if len(source.groups) < 2:
        pieces.append(Piece(_(" · one group: no intervals"), "warn"))
    pieces.append(Piece(_(" · prompt: {RULES} (v)").format(RULES=_(RULES[rule])), "dim"))
    return pieces


def figure_table(comparison: Comparison) -> Table:
    """Every figure of every route in full, for an export: six decimals, intervals, differences from the base."""
    labels = ["route", "figure", _("let through"), "path", "value", "low", "high", "queries", "delta", "p"]
    rows: list[list[str]] = []
    for result in comparison.routes:
        for name, figure in result.figures.items():
            delta = result.deltas.get(name)
            moved = ["", ""] if delta is None else [_full(delta.value), _full(delta.p)]
            rows.append([result.route, name, "", "", *_in_full(figure), *moved])
        exposed = [("", result.exposures), *((path.path, path.exposures) for path in result.paths)]
        for path, rules in exposed if len(result.paths) > 1 else exposed[:1]:
            rows += [
                [result.route, name, rule, path, *_in_full(figure), "", ""]
                for rule, figures in rules.items()
                for name, figure in figures.items()
            ]
    return Table(_("all figures"), labels, rows)


def _full(value: float | None) -> str:
    return "" if value is None else f"{value:.6f}"


def _in_full(figure: Figure) -> list[str]:
    return [_full(figure.value), _full(figure.low), _full(figure.high), str(figure.queries)]


# What is said of one figure


def figure_items(comparison: Comparison, key: object, column: str, rule: str) -> list[Item]:
    """The figure under the cursor in words: what it is, its value, interval, difference, and over how many queries."""
    if isinstance(key, PathKey):
        return list(_path_items(comparison, key, column, rule))
    if not isinstance(key, str) or key not in [result.route for result in comparison.routes]:
        return [Item(content([Piece(_("no route under the cursor"), "dim")]))]
    result = comparison.route(key)
    spec = parse_route(key)
    items = [
        Item(
            content(
                [
                    Piece(f"{letter(comparison, key)} {key}", "heading"),
                    Piece(f"  {_(spec.summary)}" + ("" if spec.deployable else _(" · not deployable")), "dim"),
                ]
            )
        )
    ]
    shown = SHOWN.get(column, SHOWN["risk"])
    items += _figure_lines(comparison, result, shown, rule)
    if column in ("risk", "route", "interval", "infeasible", "conditional"):
        items += _parts(result)
    return [*items, blank(), *_readout(comparison, result, rule)]


def _readout(comparison: Comparison, result: RouteResult, rule: str) -> Iterator[Item]:
    """Every figure of the route, each leading to its queries."""
    title = _("all figures of {letter}").format(letter=letter(comparison, result.route))
    yield Item(content([Piece(title, "heading"), Piece(_("  enter shows the queries behind one"), "dim")]))
    for metric in METRICS.values():
        yield _readout_item(result, metric.name, result.figures[metric.name], _(metric.words), "")
    figures = result.exposures.get(rule)
    if figures is not None:
        yield Item(content([Piece(_("prompt: {RULES}").format(RULES=_(RULES[rule])), "heading")]))
        for metric in EXPOSURE_METRICS.values():
            yield _readout_item(result, metric.name, figures[metric.name], _(metric.words), rule)


def _readout_item(result: RouteResult, name: str, figure: Figure, words: str, rule: str) -> Item:
    if figure.value is None:
        pieces = [Piece("–        ", "dim")]
    else:
        value = f"{figure.value:,.3f}" if figure.value < 1000 else f"{figure.value:,.0f}"
        pieces = [Piece(f"{value:<9}", "strong")]
    around = "" if figure.low is None or figure.high is None else f"{figure.low:,.3f}–{figure.high:,.3f}"
    pieces += [
        Piece(f"{around:<14}"),
        Piece(_("over {queries:,}  {words}").format(queries=figure.queries, words=words), "dim"),
    ]
    key = FigureKey(result.route, name, rule)
    return Item(content(pieces), content([Piece(f"  {name.replace('_', ' ')}")]), 24, key)


def _words(shown: Shown) -> str:
    return _((EXPOSURE_METRICS if shown.exposure else METRICS)[shown.metric].words)


def _figure_lines(comparison: Comparison, result: RouteResult, shown: Shown, rule: str) -> Iterator[Item]:
    figures = result.exposures.get(rule, {}) if shown.exposure else result.figures
    figure = figures.get(shown.metric)
    said = f", {_(RULES[rule])}" if shown.exposure else ""
    yield Item(content([Piece(f"{_words(shown)}{said}")]), content([Piece(shown.metric.replace("_", " "))]), 18)
    if figure is None or figure.value is None:
        yield Item(content([Piece(_("no query has this figure"), "warn")]), indent=18)
        return
    low = figures.get(shown.lower) if shown.lower else None
    value = f"{figure.value:,.4g}" if low is None or low.value is None else bounds(low.value, figure.value)
    pieces = [
        Piece(value, "strong"),
        Piece(_("  over {queries}").format(queries=counted(figure.queries, "query", "queries"))),
    ]
    if figure.low is not None and figure.high is not None:
        level = f"{comparison.request.level:.0%}"
        end = _(" of the upper end") if low is not None else ""
        groups = len(comparison.sources[0].groups)
        pieces.append(
            Piece(
                _("; {level} interval{end} {low:.3f} to {high:.3f} over {groups:,} groups").format(
                    level=level, end=end, low=figure.low, high=figure.high, groups=groups
                )
            )
        )
    yield Item(content(pieces), indent=18)
    delta = result.deltas.get(shown.metric)
    if delta is not None and delta.value is not None:
        yield from _delta_lines(comparison, delta)
    yield Item(content([Piece(_("enter shows the queries behind it"), "dim")]), indent=18)


def _delta_lines(comparison: Comparison, delta: Delta) -> Iterator[Item]:
    around = (
        ""
        if delta.low is None or delta.high is None
        else _(" ({low:+.3f} to {high:+.3f})").format(low=delta.low, high=delta.high)
    )
    groups = len(comparison.sources[0].groups)
    if delta.p is None:
        p = _("no exact p: {groups:,} groups, more than {MAX_SIGN_GROUPS}").format(
            groups=groups, MAX_SIGN_GROUPS=MAX_SIGN_GROUPS
        )
    else:
        p = _("exact sign-flip p {p:.4f} over {groups:,} groups").format(p=delta.p, groups=groups)
    counts = _("more in {more:,} queries, less in {less:,}, the same in {same:,}").format(
        more=delta.more, less=delta.less, same=delta.same
    )
    yield Item(
        content([Piece(f"{delta.value:+.3f}{around}", "strong"), Piece(f"; {p}; {counts}")]),
        content([Piece(_cut(_("minus {base_route}").format(base_route=comparison.request.base_route), 17))]),
        18,
    )


def _cut(words: str, width: int) -> str:
    """Words in so many cells, with a sign where some are left out."""
    return words if cell_len(words) <= width else set_cell_size(words, width - 1) + "…"


def _parts(result: RouteResult) -> Iterator[Item]:
    of = result.figures
    upper, missed, rest = of["risk_upper"].value, of["infeasibility_part"].value, of["conditional_part"].value
    if upper is not None and missed is not None and rest is not None:
        yield blank()
        yield Item(
            content(
                [
                    Piece(
                        _("{upper:.3f} = {missed:.3f} infeasible + {rest:.3f} conditional").format(
                            upper=upper, missed=missed, rest=rest
                        )
                    )
                ]
            ),
            content([Piece(_("penalised upper"))]),
            18,
        )


def _path_items(comparison: Comparison, key: PathKey, column: str, rule: str) -> Iterator[Item]:
    path = next(path for path in comparison.route(key.route).paths if path.path == key.path)
    yield Item(
        content(
            [
                Piece(_("{route} by {path}").format(route=key.route, path=key.path), "heading"),
                Piece(
                    _("  served {queries} with {candidates}").format(
                        queries=counted(path.queries, "query", "queries"),
                        candidates=counted(path.candidates, "candidate"),
                    ),
                    "dim",
                ),
            ]
        )
    )
    shown = SHOWN.get(column, SHOWN["contamination"])
    shown = shown if shown.exposure else SHOWN["contamination"]
    figures = path.exposures.get(rule, {})
    low, high = figures.get(shown.lower), figures.get(shown.metric)
    name = content([Piece(shown.metric.replace("_", " "))])
    yield Item(content([Piece(f"{_words(shown)}, {_(RULES[rule])}")]), name, 18)
    if low is not None and high is not None and low.value is not None and high.value is not None:
        yield Item(
            content(
                [
                    Piece(bounds(low.value, high.value), "strong"),
                    Piece(_("  over {queries}").format(queries=counted(high.queries, "query", "queries"))),
                ]
            ),
            indent=18,
        )
