"""Plots of a comparison by plotext, as lines of plain characters (SCREENS Compare).

Every route is a letter, the one that it has in the table: a plot reads the same without colour, and is copied as text.
plotext's state is global and it takes a while to import: :func:`load` imports it in a worker, plots are made on the
UI's thread.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.compare.comparison import Comparison
from inspector.compare.corruption import CORRUPTIONS
from inspector.comparing.sensitive import Sensitivity
from inspector.i18n import N_, _
from inspector.ui.widgets.compare_table import LETTERS, RULES
from inspector.ui.widgets.signs import bounds, share

#: The plots, in their order: id and title.
PLOTS: Mapping[str, str] = {
    "risk": N_("Risk at matched recall"),
    "recall": N_("Recall against prefix length"),
    "contamination": N_("Contamination against loss"),
    "labels": N_("Upper risk under label errors"),
}
#: Less room than this shows no plot but says so.
LEAST_WIDTH, LEAST_HEIGHT = 30, 8
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_FRAME = re.compile("[│┤├]")


@dataclass(frozen=True, slots=True)
class Series:
    """A route's points: its letter, its name, and what the legend says of it. ``same_as`` is the letter of an earlier
    series with the same points, which it would hide."""

    letter: str
    route: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    said: str
    same_as: str = ""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A plot as lines, where in each line its canvas begins (-1: none), and the legend: a letter and words a route."""

    lines: tuple[str, ...]
    canvas: tuple[int, ...]
    legend: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        """What copying gives."""
        return "\n".join([*(line.rstrip() for line in self.lines), *(f"{mark} {said}" for mark, said in self.legend)])


def title(plot: str, rule: str = "", kind: str = "", comparison: Comparison | None = None) -> str:
    """A plot's title: with the way of letting through or the kind of label error that it shows.

    Of risk it says where nothing is required: the bounds are then no risk at matched recall.
    """
    if (
        plot == "risk"
        and comparison is not None
        and all(one.figures["recall"].value is None for one in comparison.routes)
    ):
        return _("no query is evaluable: nothing is required; bounds are over all candidates")
    said = {"contamination": _(RULES.get(rule, "")), "labels": _(CORRUPTIONS[kind].words) if kind else ""}.get(plot, "")
    return f"{_(PLOTS[plot])}: {said}" if said else _(PLOTS[plot])


def is_loaded() -> bool:
    """Whether plots can be made without a pause."""
    return "textual_plotext" in sys.modules and "plotext" in sys.modules


def load() -> None:
    """Import what makes the plots: for a worker."""
    import textual_plotext  # noqa: F401  (the import is what it is for)


def _plot(width: int, height: int) -> Any:
    from textual_plotext.plot import Plot

    plot = Plot()
    plot.theme("clear")
    plot.plotsize(width, height)
    return plot


def _built(plot: Any, width: int, legend: Sequence[tuple[str, str]]) -> Drawn:
    lines = tuple(line.rstrip().ljust(width) for line in _COLOURS.sub("", plot.build()).rstrip("\n").split("\n"))
    places = []
    for line in lines:
        frame = _FRAME.search(line)
        places.append(-1 if frame is None else frame.end())
    return Drawn(lines, tuple(places), tuple(legend))


def _marked(series: Sequence[Series]) -> list[Series]:
    """The series, those that lie on an earlier one told."""
    seen: dict[tuple[tuple[float, ...], tuple[float, ...]], str] = {}
    out = []
    for one in series:
        first = seen.setdefault((one.x, one.y), one.letter) if one.x else one.letter
        out.append(one if first == one.letter else Series(one.letter, one.route, one.x, one.y, one.said, first))
    return out


def _legend(series: Sequence[Series]) -> list[tuple[str, str]]:
    return [
        (
            one.letter,
            f"{one.route}  {one.said}"
            + (_("  (lies on {same_as})").format(same_as=one.same_as) if one.same_as else ""),
        )
        for one in series
    ]


def _lettered(comparison: Comparison) -> list[tuple[str, str]]:
    """Letter and name of every route."""
    return [
        (LETTERS[place] if place < len(LETTERS) else "+", result.route)
        for place, result in enumerate(comparison.routes)
    ]


# Risk interval by route


def risk_series(comparison: Comparison) -> list[Series]:
    """Lower and upper risk of each route; over all candidates where no query is evaluable."""
    out = []
    for (mark, route), result in zip(_lettered(comparison), comparison.routes, strict=True):
        names = ("risk_lower", "risk_upper")
        if result.figures["recall"].value is None:
            names = ("ranking_lower", "ranking_upper")
        low, high = (result.figures[name].value for name in names)
        if low is None or high is None:
            out.append(Series(mark, route, (), (), _("no figure")))
            continue
        figure = result.figures[names[1]]
        around = (
            ""
            if figure.low is None or figure.high is None
            else _("  95% of high {low:.2f}–{high:.2f}").format(low=figure.low, high=figure.high)
        )
        out.append(Series(mark, route, (low, high), (), f"{bounds(low, high)}{around}"))
    return out


def draw_risk(comparison: Comparison, width: int, height: int) -> Drawn:
    """A row a route: its letter at both ends of the risk interval, ``·`` over the bootstrap interval of the upper."""
    series = risk_series(comparison)
    rows = len(series)
    room = max(rows, (height - 3) // rows * rows) if rows else 1
    plot = _plot(width, room + 3)
    top = max([1.0, *(max(one.x) for one in series if one.x)])
    plot.xlim(0, top)
    plot.ylim(0, rows)
    figures = [
        result.figures["ranking_upper" if result.figures["recall"].value is None else "risk_upper"]
        for result in comparison.routes
    ]
    for place, (one, figure) in enumerate(zip(series, figures, strict=True)):
        y = rows - place - 0.5
        if not one.x:
            continue
        if figure.low is not None and figure.high is not None and figure.high > figure.low:
            plot.plot([figure.low, figure.high], [y, y], marker="·")
        if one.x[1] > one.x[0]:
            plot.plot(list(one.x), [y, y], marker="━")
        plot.scatter(list(dict.fromkeys(one.x)), [y] * len(set(one.x)), marker=one.letter)
    plot.yticks([rows - place - 0.5 for place in range(rows)], [one.letter for one in series])
    return _built(plot, width, _legend(series))


# Recall against prefix length


def recall_series(comparison: Comparison) -> list[Series]:
    """Mean recall after 0, 1, …, k candidates."""
    return _marked(
        [
            Series(
                mark,
                result.route,
                tuple(float(n) for n in range(len(result.recall_at))),
                result.recall_at,
                _("recall {share} after {count}").format(
                    share=share(result.recall_at[-1]), count=len(result.recall_at) - 1
                )
                if result.recall_at
                else _("no query is evaluable"),
            )
            for (mark, _rest1), result in zip(_lettered(comparison), comparison.routes, strict=True)
        ]
    )


def draw_recall(comparison: Comparison, width: int, height: int) -> Drawn:
    """A curve a route, and the recall to match as a dotted line."""
    series = recall_series(comparison)
    plot = _plot(width, height)
    deepest = max((one.x[-1] for one in series if one.x), default=1)
    plot.xlim(0, deepest)
    plot.ylim(0, 1)
    plot.plot([0, deepest], [comparison.request.tau] * 2, marker="·")
    for one in reversed(series):  # the first route on top
        if one.x:
            plot.plot(list(one.x), list(one.y), marker=one.letter)
    plot.yticks([0, 0.25, 0.5, 0.75, 1], ["0", ".25", ".5", ".75", "1"])
    plot.xlabel(_("candidates read · dotted: recall to match {tau:g}").format(tau=comparison.request.tau))
    return _built(plot, width, _legend(series))


# Contamination against loss


def contamination_series(comparison: Comparison, rule: str) -> list[Series]:
    """Each route as two points, loss against contamination at their lowest and highest."""
    out = []
    for (mark, route), result in zip(_lettered(comparison), comparison.routes, strict=True):
        of = result.exposures.get(rule, {})
        values = [
            of[name].value if name in of else None
            for name in ("loss_lower", "loss_upper", "contamination_lower", "contamination_upper")
        ]
        if any(value is None for value in values):
            out.append(Series(mark, route, (), (), _("no figure")))
            continue
        least, most, low, high = (float(value or 0.0) for value in values)
        said = _("contamination {bounds}  loss {bounds2}").format(bounds=bounds(low, high), bounds2=bounds(least, most))
        out.append(Series(mark, route, (least, most), (low, high), said))
    return _marked(out)


def draw_contamination(comparison: Comparison, rule: str, width: int, height: int) -> Drawn:
    """Loss to the right, contamination upwards: a line from the lowest to the highest of each route; best is the
    corner below left."""
    series = contamination_series(comparison, rule)
    plot = _plot(width, height)
    plot.xlim(0, 1)
    plot.ylim(0, 1)
    for one in reversed(series):
        if one.x:
            if one.x[0] != one.x[1] or one.y[0] != one.y[1]:
                plot.plot(list(one.x), list(one.y), marker="·")
            plot.scatter(list(one.x), list(one.y), marker=one.letter)
    plot.yticks([0, 0.25, 0.5, 0.75, 1], ["0", ".25", ".5", ".75", "1"])
    plot.xlabel(_("loss"))
    return _built(plot, width, _legend(series))


# Label errors


def label_series(comparison: Comparison, found: Sensitivity, kind: str) -> list[Series]:
    """The upper risk of each route at every rate."""
    out = []
    for mark, route in _lettered(comparison):
        curve = next((one for one in found.curves if (one.route, one.kind) == (route, kind)), None)
        points = [] if curve is None else [(point.rate, point.upper) for point in curve.points]
        known = [(rate, float(upper)) for rate, upper in points if upper is not None]
        if curve is None or not known:
            out.append(Series(mark, route, (), (), _("not run") if curve is None else _("no figure")))
            continue
        broken = (
            _("does not break")
            if curve.breaks_at is None
            else _("breaks at {breaks_at:.0%}").format(breaks_at=curve.breaks_at)
        )
        behind = (
            ""
            if curve.behind_at is None
            else _(", behind the base at {behind_at:.0%}").format(behind_at=curve.behind_at)
        )
        if curve.truly_behind_at is not None and curve.truly_behind_at != curve.behind_at:
            behind += _(", by the true labels at {behind_at:.0%}").format(behind_at=curve.truly_behind_at)
        x, y = zip(*known, strict=True)
        out.append(
            Series(
                mark,
                route,
                tuple(100 * rate for rate in x),
                y,
                _("{share} to {share2}, {broken}{behind}").format(
                    share=share(y[0]), share2=share(y[-1]), broken=broken, behind=behind
                ),
            )
        )
    return _marked(out)


def draw_labels(comparison: Comparison, found: Sensitivity, kind: str, width: int, height: int) -> Drawn:
    """A curve a route over the share of labels that are wrong."""
    series = label_series(comparison, found, kind)
    plot = _plot(width, height)
    top = max([1.0, *(max(one.y) for one in series if one.y)])
    plot.xlim(0, 100 * max(found.request.rates))
    plot.ylim(0, top)
    for one in reversed(series):
        if one.x:
            plot.plot(list(one.x), list(one.y), marker=one.letter)
    plot.xticks([100 * rate for rate in found.request.rates], [f"{100 * rate:.0f}" for rate in found.request.rates])
    plot.xlabel(_("% of labels"))
    return _built(plot, width, _legend(series))
