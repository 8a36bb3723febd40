"""A plot that can be gone about in: routes by up and down, prefixes or rates by left and right, enter drills."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from inspector.i18n import _
from inspector.ui.actions import bindings
from inspector.ui.panes import Table
from inspector.ui.veil import visible
from inspector.ui.widgets.cells import ELLIPSIS
from inspector.ui.widgets.compare_plots import LEAST_HEIGHT, LEAST_WIDTH, PLOTS, Drawn, Series

#: Styles of the routes in turn: they only repeat the letters.
_PALETTE = ("$trit-yes", "$trit-no", "$changed", "$edited", "$warn", "$trit-unknown", "$heading")
Draw = Callable[[int, int], Drawn]
#: The words for a route's point: (series, place along x) → text.
Said = Callable[[Series, int], str]


class PlotView(Widget, can_focus=True):
    """One plot with its legend. ``show`` gives it something to draw; it draws again whenever its size changes."""

    PANE = "Plot"
    HELP = (
        "Every route is the letter that it has in the table. Up and down choose a route, left and right a prefix or a "
        "rate, enter shows the queries behind that point, y copies the plot as text. n and p go to the other plots, v "
        "to another way of letting through or another kind of label error."
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings("plot", footer=False)
    DEFAULT_CSS = """
    PlotView { height: 1fr; width: 1fr; border: round $dim; border-title-color: $heading; padding: 0 1; }
    PlotView:focus { border: round $primary; border-title-style: bold; }
    """

    class Chosen(Message):
        """The queries behind a point are asked for; ``at`` is the place along x."""

        def __init__(self, plot: str, route: str, at: int) -> None:
            super().__init__()
            self.plot = plot
            self.route = route
            self.at = at

    def __init__(self, plot: str) -> None:
        super().__init__(id=f"plot-{plot}")
        self.plot = plot
        self._title = _(PLOTS[plot])
        self._draw: Draw | None = None
        self._said: Said = lambda one, _: one.said
        self._series: Sequence[Series] = ()
        self._steps = False
        self._why = ""
        self._route = 0
        self._at = 0
        self._drawn: Drawn | None = None

    def show(self, title: str, series: Sequence[Series], draw: Draw, said: Said | None = None) -> None:
        """Show series. ``said`` gives the words of a point and makes left and right move along x."""
        self._title, self._series, self._draw, self._why = title, series, draw, ""
        self._steps = said is not None
        self._said = said or (lambda one, _: one.said)
        self._route = min(self._route, max(0, len(series) - 1))
        longest = max((len(one.x) for one in series), default=1)
        self._at = min(self._at, longest - 1) if self._at else longest - 1
        self._again()

    def say(self, why: str) -> None:
        """Show no plot and say why."""
        self._draw, self._series, self._why = None, (), why
        self._again()

    def _again(self) -> None:
        self._drawn = None
        self.border_title = Content(visible(self._title))
        self.border_subtitle = Content(
            _("{index} of {count}, n next").format(index=list(PLOTS).index(self.plot) + 1, count=len(PLOTS))
        )
        self.refresh()

    @property
    def route(self) -> str | None:
        """The route under the cursor."""
        return self._series[self._route].route if self._series else None

    def on_resize(self) -> None:
        """The plot is made for the room that there is."""
        self._again()

    def on_focus(self) -> None:
        """The cursor is told by a sign."""
        self.refresh()

    def on_blur(self) -> None:
        """And by another where keys do not come here."""
        self.refresh()

    def drawn(self, width: int, height: int) -> Drawn | None:
        """The plot for so much room; None where there is too little, or nothing to draw."""
        if self._draw is None or width < LEAST_WIDTH or height < LEAST_HEIGHT:
            return None
        return self._draw(width, height)

    def _legend_room(self, height: int) -> int:
        """Lines of legend that leave the plot its room."""
        return max(1, min(len(self._series), height - LEAST_HEIGHT - 2))

    def render(self) -> Content:
        """The plot, then the legend, as many lines of it as there is room for."""
        width, height = self.content_size.width, self.content_size.height
        if self._draw is None:
            return Content.styled(self._why, "$dim")
        if self._drawn is None:
            self._drawn = self.drawn(width, height - self._legend_room(height))
        drawn = self._drawn
        if drawn is None:
            return Content.styled(
                _("too little room for a plot: {LEAST_WIDTH} × {LEAST_HEIGHT} at least").format(
                    LEAST_WIDTH=LEAST_WIDTH, LEAST_HEIGHT=LEAST_HEIGHT + 4
                ),
                "$dim",
            )
        styles = {one.letter: _PALETTE[place % len(_PALETTE)] for place, one in enumerate(self._series)}
        lines = [_coloured(line, start, styles) for line, start in zip(drawn.lines, drawn.canvas, strict=True)]
        return Content("\n").join([*lines, *self._legend(drawn, width, max(1, height - len(lines)), styles)])

    def _legend(self, drawn: Drawn, width: int, room: int, styles: dict[str, str]) -> list[Content]:
        rows = []
        for place, (mark, said) in enumerate(drawn.legend):
            here = place == self._route
            sign = ("▸" if self.has_focus else "›") if here else " "
            words = f"{self._series[place].route}  {self._said(self._series[place], self._at)}" if here else said
            text = _cut(visible(words), width - 4)
            bold = "bold" if here else ""
            rows.append(Content.assemble((f"{sign} ", bold), (mark, f"bold {styles[mark]}"), (f" {text}", bold)))
        if len(rows) <= room:
            return rows
        first = max(0, min(self._route - room // 2, len(rows) - room))
        return rows[first : first + room]

    # Going about

    def action_up(self) -> None:
        """To the route before."""
        self._go(self._route - 1)

    def action_down(self) -> None:
        """To the next route."""
        self._go(self._route + 1)

    def _go(self, route: int) -> None:
        self._route = max(0, min(route, len(self._series) - 1))
        self.refresh()

    def action_left(self) -> None:
        """To a lesser prefix or rate."""
        self._step(-1)

    def action_right(self) -> None:
        """To a greater one."""
        self._step(1)

    def _step(self, step: int) -> None:
        if self._steps and self._series:
            last = max(0, len(self._series[self._route].x) - 1)
            self._at = max(0, min(self._at + step, last))
            self.refresh()

    def action_choose(self) -> None:
        """The queries behind the point under the cursor."""
        if self._series:
            self.post_message(self.Chosen(self.plot, self._series[self._route].route, self._at))

    def on_click(self, event: events.Click) -> None:
        """A click on a line of the legend goes there, a second one drills."""
        if self._drawn is None:
            return
        offset = event.get_content_offset(self)
        place = -1 if offset is None else offset.y - len(self._drawn.lines)
        if 0 <= place < len(self._series):
            again = place == self._route and event.chain > 1
            self._go(place)
            if again:
                self.action_choose()

    # Copying

    def copy_text(self) -> str | None:
        """What ``y`` copies: the plot with its legend, as it stands."""
        width, height = self.content_size.width, self.content_size.height
        drawn = self._drawn or self.drawn(width, height - self._legend_room(height))
        return None if drawn is None else f"{self._title}\n{drawn.text}"

    def export_tables(self) -> Sequence[Table]:
        """The points of the plot."""
        points = [
            [one.letter, one.route, f"{x:.6g}", f"{y:.6g}" if place < len(one.y) else ""]
            for one in self._series
            for place, (x, y) in enumerate(zip(one.x, one.y or [0.0] * len(one.x), strict=False))
        ]
        return [Table(self._title, ["letter", "route", "x", "y"], points)] if self._series else []


def _cut(text: str, width: int) -> str:
    """As much of the text as fits, cut by terminal cells."""
    if cell_len(text) <= width:
        return text
    while text and cell_len(text) >= width:
        text = text[:-1]
    return text + ELLIPSIS


def _coloured(line: str, start: int, styles: dict[str, str]) -> Content:
    """A line of the plot with the letters of its canvas in their routes' styles."""
    if start < 0:
        return Content.styled(line, "$dim")
    parts: list[tuple[str, str]] = [(line[:start], "$dim")]
    for char in line[start:]:
        style = f"bold {styles[char]}" if char in styles else "$dim" if char in "·━│" else ""
        if parts and parts[-1][1] == style:
            parts[-1] = (parts[-1][0] + char, style)
        else:
            parts.append((char, style))
    return Content.assemble(*parts)
