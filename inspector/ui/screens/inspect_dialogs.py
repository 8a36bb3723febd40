"""Small dialogs of the Inspect screen: the route, and settings that are typed as lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, Static

from inspector.errors import InspectorError
from inspector.i18n import _
from inspector.retrieval.specs import DEFAULT_DEPTH, ROUTES, RouteSpec
from inspector.text import visible as inert
from inspector.ui.actions import bindings
from inspector.ui.screens.base import Dialog
from inspector.ui.veil import is_hidden, visible
from inspector.ui.widgets.cells import Cell, Column, Piece, RowList
from inspector.ui.widgets.grid import Grid
from inspector.ui.widgets.inputs import SafeInput, SafeTextArea
from inspector.ui.widgets.safe import plain
from inspector.ui.widgets.signs import content
from inspector.views import RouteChoice

_MOST = 10_000


def route_cells(route: RouteSpec) -> Sequence[Cell]:
    """A route's row: name, what it needs, what it does."""
    needs = ", ".join(sorted(route.needs))
    return (Piece(route.name, "strong"), Piece(needs, "dim"), _(route.summary))


class RouteDialog(Dialog[RouteChoice]):
    """Chooses route, k and, for postfilter, depth. ``check`` refuses a route that the store cannot take."""

    BINDINGS: ClassVar[list[BindingType]] = []
    PANE = "Retrieval route"
    HELP = (
        "The route that retrieves, how many candidates it returns, and how deep a post-filter looks first. Enter takes "
        "the route under the cursor; tab goes to the numbers."
    )
    DEFAULT_CSS = """
    RouteDialog Grid { height: auto; max-height: 20; }
    RouteDialog Horizontal { height: 1; margin: 1 0 0 0; }
    RouteDialog Horizontal > Static { width: auto; }
    RouteDialog SafeInput { width: 10; }
    RouteDialog .says { height: auto; min-height: 1; }
    """

    def __init__(self, now: RouteChoice, check: Callable[[RouteChoice], None]) -> None:
        super().__init__()
        self._now = now
        self._check = check

    def compose(self) -> ComposeResult:
        """The routes, and the two numbers."""
        columns = (Column("name", "route", 20), Column("needs", "needs", 14, 7), Column("does", "", 20, flex=1))
        with Vertical(classes="dialog") as box:
            box.border_title = _("Retrieval route")
            yield Grid(columns, RowList(list(ROUTES.values()), lambda route: route.name, route_cells))
            with Horizontal():
                yield Static(Content(_("candidates k  ")))
                yield SafeInput(str(self._now.k), type="integer", id="k")
                yield Static(Content(_("   postfilter depth  ")))
                yield SafeInput(str(self._now.depth or DEFAULT_DEPTH), type="integer", id="depth")
            yield Static(Content(_("enter takes the route under the cursor")), classes="says")

    def on_mount(self) -> None:
        """Begin at the route in force."""
        self.query_one(Grid).move_cursor(key=self._now.name)
        self.query_one(Grid).focus()

    def on_resize(self) -> None:
        """The routes leave room for the numbers under them, on any terminal; the list scrolls."""
        self.query_one(Grid).styles.max_height = max(4, min(20, self.size.height * 92 // 100 - 7))

    @on(Grid.RowSelected)
    @on(Input.Submitted)
    def _take(self, event: Grid.RowSelected | Input.Submitted) -> None:
        event.stop()
        name = str(self.query_one(Grid).cursor_key)
        try:
            choice = RouteChoice(name, self._number("#k"), self._number("#depth") if name == "postfilter" else None)
            self._check(choice)
        except InspectorError as error:
            self.query_one(".says", Static).update(content([Piece(f"✗ {visible(str(error))}", "bad")]))
            return
        self.dismiss(choice)

    def _number(self, selector: str) -> int:
        typed = self.query_one(selector, SafeInput).value.strip()
        if not typed.isdecimal() or not 1 <= int(typed) <= _MOST:
            what = selector.removeprefix("#")
            raise InspectorError(
                _("{what}: {typed!r}: a whole number from 1 to {MOST:,} is expected").format(
                    what=what, typed=typed, MOST=_MOST
                )
            )
        return int(typed)


class LinesDialog(Dialog[bool]):
    """A setting typed as lines. ``save`` takes the lines that are not blank, or raises InspectorError."""

    BINDINGS: ClassVar[list[BindingType]] = [
        binding for binding in bindings("editor", footer=False) if getattr(binding, "action", "") == "save"
    ]
    PANE = "Lines"
    HELP = "One entry a line; what a line may hold stands above. Saving changes a setting of the whole store."
    DEFAULT_CSS = """
    LinesDialog SafeTextArea { height: 8; }
    LinesDialog .hint { height: auto; color: $dim; margin: 0 0 1 0; }
    LinesDialog .says { height: auto; min-height: 1; }
    """

    def __init__(self, title: str, hint: str, lines: Sequence[str], save: Callable[[list[str]], None]) -> None:
        super().__init__()
        if any(is_hidden(line) for line in lines):
            raise InspectorError(_("these lines hold names of the store: they are not shown in a redacted session"))
        self.heading = title
        self._hint = hint
        self._lines = lines
        self._save = save

    def compose(self) -> ComposeResult:
        """What to type, and where."""
        with Vertical(classes="dialog") as box:
            box.border_title = plain(self.heading)
            yield Static(Content(self._hint), classes="hint")
            yield SafeTextArea("\n".join(inert(line) for line in self._lines))
            yield Static(Content(_("ctrl+s saves, escape leaves it as it is")), classes="says")

    def on_mount(self) -> None:
        """Begin to type."""
        self.query_one(SafeTextArea).focus()

    def action_save(self) -> None:
        """Save, or say what is wrong with the lines."""
        typed = [line.strip() for line in self.query_one(SafeTextArea).text.split("\n") if line.strip()]
        try:
            self._save(typed)
        except InspectorError as error:
            self.query_one(".says", Static).update(content([Piece(f"✗ {visible(str(error))}", "bad")]))
            return
        self.dismiss(True)
