"""A table of a list of rows with filter, copying and export: what every view of the *Compare* screen is made of."""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on

from inspector.i18n import N_, _
from inspector.text import fold
from inspector.ui.panes import Table
from inspector.ui.widgets.cells import Cell, Column, Piece, RowList
from inspector.ui.widgets.grid import Grid, plain_text
from inspector.ui.widgets.panes import TablePane


@dataclass(frozen=True, slots=True)
class Row:
    """A row: its identity, and its cells in the order of the columns."""

    key: Hashable
    cells: Sequence[Cell]

    @property
    def text(self) -> str:
        """The row as text, cells separated by tabs; the data's own text, not made inert."""
        return "\t".join(plain_text(cell) for cell in self.cells)


class ListPane(TablePane):
    """Rows in memory; each view has its own subclass, with title and help."""

    PLACEHOLDER: ClassVar[str] = N_("words that a row must hold")

    def __init__(
        self,
        columns: Sequence[Column],
        *,
        id: str,
        empty: str = N_("nothing here"),
        column_cursor: bool = False,
    ) -> None:
        super().__init__(columns, markable=False, column_cursor=column_cursor, empty=empty, id=id)
        self.rows: Sequence[Row] = ()
        self._said: Sequence[Piece] = ()
        self._empty = empty

    def fill(self, rows: Sequence[Row], said: Sequence[Piece] = (), *, empty: str | None = None) -> None:
        """Show rows; ``said`` stands beside the title. The cursor stays on its row where that is still there."""
        self.rows = rows
        self._said = said
        self._empty = self._empty if empty is None else empty
        self.narrow(self.filter_text)

    def say(self, said: Sequence[Piece]) -> None:
        """Other words beside the title."""
        self._said = said
        self._tell(self.grid.row_count)

    def narrow(self, text: str) -> None:
        """Show the rows that hold every word that was typed."""
        words = fold(text).split()
        shown = [row for row in self.rows if all(word in fold(row.text) for word in words)] if words else self.rows
        self.grid.empty = _("no row passes; escape shows all") if words else self._empty
        self.grid.set_source(RowList(shown, lambda row: row.key, lambda row: row.cells))
        self._tell(len(shown))

    def _tell(self, shown: int) -> None:
        narrowed = (
            [Piece(_("  showing {shown:,} of {count:,}").format(shown=shown, count=len(self.rows)), "changed")]
            if self.filter_text.strip()
            else []
        )
        self.show_title([*self._said, *narrowed])

    @property
    def key(self) -> Hashable | None:
        """The row under the cursor."""
        return self.grid.cursor_key

    @on(Grid.ColumnHighlighted)
    def _column_highlighted(self, event: Grid.ColumnHighlighted) -> None:
        event.stop()
        self.post_message(self.Highlighted(self))

    def _row(self) -> Row | None:
        return next((row for row in self.rows if row.key == self.key), None)

    def copy_text(self) -> str | None:
        """What ``y`` copies: the row under the cursor."""
        row = self._row()
        return None if row is None else row.text

    def copy_json(self) -> str | None:
        """What ``Y`` copies: the row with the columns' names."""
        row = self._row()
        if row is None:
            return None
        return json.dumps(
            {
                column.label or column.key: plain_text(cell)
                for column, cell in zip(self.grid.columns, row.cells, strict=False)
            }
        )

    def export_tables(self) -> Sequence[Table]:
        """The rows that are shown."""
        return [self.table(self.PANE)]
