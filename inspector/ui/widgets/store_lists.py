"""The lists under the coverage map: records with a mark, and records that leave something out (SCREENS Store)."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from inspector.i18n import _
from inspector.survey import Survey
from inspector.ui.widgets.cells import Cell, Column, Piece, RowList
from inspector.ui.widgets.grid import Grid
from inspector.ui.widgets.store_select import LISTS, MEANINGS, Selection

_COLUMNS = (
    Column("name", "list", 26, 12, frozen=True),
    Column("count", "records", 9, 7, align="right"),
    Column("means", "", 20, 6, flex=1),
)


class MarkLists(Vertical):
    """One row a list; enter shows its records."""

    PANE = "Lists"
    HELP = "What keeps the map honest, and what the records leave out. Enter shows the records of a list."
    DEFAULT_CSS = f"""
    MarkLists {{ height: {len(LISTS) + 2}; padding: 0 1; }}
    MarkLists Grid {{ height: 1fr; }}
    """

    class Moved(Message):
        """Another list came under the cursor."""

        def __init__(self, selection: Selection) -> None:
            super().__init__()
            self.selection = selection

    class Chosen(Message):
        """The records of a list are asked for."""

        def __init__(self, selection: Selection) -> None:
            super().__init__()
            self.selection = selection

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.grid = Grid(_COLUMNS, id="list-grid")
        self._counts: dict[Selection, int] = {}

    def compose(self) -> ComposeResult:
        """The table."""
        yield self.grid

    def show(self, survey: Survey) -> None:
        """Show the counts as they are now."""
        self._counts = {each: each.count(survey) for each in LISTS}
        self.grid.set_source(RowList(LISTS, lambda row: row, self._cells))

    def _cells(self, row: Selection) -> Sequence[Cell]:
        count = self._counts.get(row, 0)
        return (
            Piece(row.words, "strong" if count else ""),
            Piece(f"{count:,}", "warn" if count else "dim"),
            Piece(_(MEANINGS[row.name]), "dim"),
        )

    @on(Grid.RowHighlighted)
    def _moved(self, event: Grid.RowHighlighted) -> None:
        event.stop()
        if isinstance(event.key, Selection) and self.grid.has_focus:
            self.post_message(self.Moved(event.key))

    def on_descendant_focus(self) -> None:
        """The list under the cursor is the one that is meant now."""
        key = self.grid.cursor_key
        if isinstance(key, Selection):
            self.post_message(self.Moved(key))

    @on(Grid.RowSelected)
    def _selected(self, event: Grid.RowSelected) -> None:
        event.stop()
        if isinstance(event.key, Selection):
            self.post_message(self.Chosen(event.key))
