"""The dialog that says what is compared and how: routes, k, recall, cost, axes, seeds, scores (SCREENS Compare)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, Static

from inspector.compare.comparison import Request
from inspector.comparing import check_request
from inspector.errors import InspectorError
from inspector.i18n import _, ngettext
from inspector.retrieval.specs import DEFAULT_DEPTH, ROUTES
from inspector.ui.screens.base import Dialog
from inspector.ui.screens.inspect_dialogs import route_cells
from inspector.ui.widgets.cells import Column, Piece, RowList
from inspector.ui.widgets.grid import Grid
from inspector.ui.widgets.inputs import SafeInput
from inspector.ui.widgets.safe import lines
from inspector.ui.widgets.signs import content

_MOST = 10_000
_FEW_SEEDS = 1_000


@dataclass(frozen=True, slots=True)
class Asked:
    """The request, imported scores for the verifier lens, seeds and tolerance of label errors."""

    request: Request
    scores: tuple[str, ...]
    seeds: int
    tolerance: float


def names_of(text: str) -> tuple[str, ...]:
    """The words that blanks or commas separate."""
    return tuple(text.replace(",", " ").split())


class MarkedGrid(Grid):
    """Marks are what the dialog is about: escape leaves the dialog and not them."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Escape is left to the dialog."""
        return False if action == "unmark" else super().check_action(action, parameters)


class CompareDialog(Dialog[Asked]):
    """Marks routes and takes numbers; what cannot be compared is refused in place. ``check`` refuses a route."""

    BINDINGS: ClassVar[list[BindingType]] = []
    PANE = "Routes and settings"
    HELP = (
        "space marks a route, in the order in which they will stand; enter takes it all. postfilter is compared at "
        "every depth that stands below. τ, cost, axes and base change figures alone: no route is run again for them."
    )
    DEFAULT_CSS = """
    CompareDialog MarkedGrid { height: auto; max-height: 13; }
    CompareDialog Horizontal { height: 1; }
    CompareDialog Horizontal > Static { width: auto; }
    CompareDialog SafeInput { width: 8; }
    CompareDialog .long { width: 1fr; }
    CompareDialog #first { margin: 1 0 0 0; }
    CompareDialog .says { height: auto; min-height: 1; }
    """

    def __init__(self, now: Asked, check: Callable[[str], object]) -> None:
        super().__init__()
        self._now = now
        self._check = check

    def compose(self) -> ComposeResult:
        """The routes, then the numbers."""
        request = self._now.request
        columns = (Column("name", "route", 20, 16), Column("needs", "needs", 14, 7), Column("does", "", 20, flex=1))
        depths = [route.partition(":")[2] for route in request.routes if route.startswith("postfilter")]
        with Vertical(classes="dialog") as box:
            box.border_title = _("Compare")
            source = RowList(list(ROUTES.values()), lambda route: route.name, route_cells)
            yield MarkedGrid(columns, source, markable=True)
            with Horizontal(id="first"):
                yield from self._field(_("candidates k  "), str(request.k), "k")
                yield from self._field(_("  recall τ  "), f"{request.tau:g}", "tau")
                yield from self._field(_("  infeasible costs  "), f"{request.cost:g}", "cost")
            with Horizontal():
                yield from self._field(
                    _("postfilter at  "), " ".join(depths) or str(DEFAULT_DEPTH), "depths", long=True
                )
                yield from self._field(_("  base  "), request.base_route, "base", long=True)
            with Horizontal():
                yield from self._field(_("axes  "), " ".join(request.axes), "axes", long=True)
                yield from self._field(_("  seed  "), str(request.seed), "seed")
            with Horizontal():
                yield from self._field(_("imported scores  "), " ".join(self._now.scores), "scores", long=True)
            with Horizontal():
                yield from self._field(_("label errors: seeds  "), str(self._now.seeds), "seeds")
                yield from self._field(_("  breaks at a growth of  "), f"{self._now.tolerance:g}", "tolerance")
            yield Static(Content(_("space marks a route, enter takes what is marked")), classes="says")

    def _field(self, words: str, value: str, id: str, *, long: bool = False) -> ComposeResult:
        yield Static(Content(words))
        yield SafeInput(value, id=id, classes="long" if long else None)

    def on_mount(self) -> None:
        """Mark the routes of now."""
        grid = self.query_one(MarkedGrid)
        grid.set_marks(list(dict.fromkeys(route.partition(":")[0] for route in self._now.request.routes)))
        grid.focus()

    @on(Grid.RowSelected)
    @on(Input.Submitted)
    def _take(self, event: Grid.RowSelected | Input.Submitted) -> None:
        event.stop()
        try:
            asked = self._asked()
            for route in asked.request.routes:
                self._check(route)
        except InspectorError as error:
            self.query_one(".says", Static).update(lines(f"✗ {error}", "bold $bad"))
            return
        self.dismiss(asked)

    def _asked(self) -> Asked:
        request = Request(
            routes=tuple(self._routes()),
            k=self._whole("k", 1, _MOST),
            tau=self._number("tau"),
            axes=names_of(self._text("axes")),
            cost=self._number("cost"),
            base=self._base(),
            seed=self._whole("seed", 0, 2**31),
        )
        seeds, tolerance = self._whole("seeds", 1, _FEW_SEEDS), self._number("tolerance")
        return Asked(check_request(request), names_of(self._text("scores")), seeds, tolerance)

    def _base(self) -> str | None:
        """The base that was typed; the one of before gives way to the first route where it is not marked any more."""
        base = self._text("base").strip()
        if base == self._now.request.base_route and base not in self._routes():
            return None
        return base or None

    def _routes(self) -> Sequence[str]:
        """The marked routes, postfilter once a depth; those of before first, in their order."""
        grid = self.query_one(MarkedGrid)
        marked = [str(name) for name in grid.chosen()] if grid.marks else []
        routes: list[str] = []
        for name in marked:
            depths = names_of(self._text("depths")) or (str(DEFAULT_DEPTH),)
            routes += [f"{name}:{depth}" for depth in depths] if name == "postfilter" else [name]
        return routes

    def _text(self, name: str) -> str:
        return self.query_one(f"#{name}", SafeInput).value

    def _whole(self, name: str, least: int, most: int) -> int:
        typed = self._text(name).strip()
        if not (typed.isascii() and typed.isdecimal() and len(typed) < 12 and least <= int(typed) <= most):
            raise InspectorError(
                _("{name}: {typed!r}: a whole number from {least} to {most:,} is expected").format(
                    name=name, typed=typed, least=least, most=most
                )
            )
        return int(typed)

    def _number(self, name: str) -> float:
        typed = self._text(name).strip()
        try:
            value = float(typed)
        except ValueError:
            value = math.nan
        if not (math.isfinite(value) and value >= 0):
            raise InspectorError(
                _("{name}: {typed!r}: a number of 0 or more is expected").format(name=name, typed=typed)
            )
        return value

    @on(Grid.MarksChanged)
    def _marked(self, event: Grid.MarksChanged) -> None:
        event.stop()
        count = len(event.marks)
        words = ngettext("{count} route marked", "{count} routes marked", count).format(count=count)
        said = self.query_one(".says", Static)
        said.update(content([Piece(_("{words}; enter takes them").format(words=words), "dim" if count else "warn")]))
