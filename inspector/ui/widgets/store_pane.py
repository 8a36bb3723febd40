"""The table of the whole store: find, filter, sort; asks its screen to arrange the rows (SCREENS Store)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from textual import on
from textual.message import Message

from inspector.i18n import _
from inspector.records import Memory
from inspector.text import counted
from inspector.ui.panes import Table
from inspector.ui.widgets.cells import Cell, Piece
from inspector.ui.widgets.grid import Grid
from inspector.ui.widgets.panes import TablePane
from inspector.ui.widgets.store_rows import COLUMNS, Arrangement, StoreFilter, StoreSource, memory_cells
from inspector.ui.widgets.store_select import Selection
from inspector.ui.widgets.values import escaped_json

Indices = npt.NDArray[np.int64]


class StorePane(TablePane):
    """Every record of the store; only those in sight are read. The cursor stays on the memory when rows move."""

    PANE: ClassVar[str] = "Records"
    PLACEHOLDER: ClassVar[str] = "words · status:active · no:owner · has:governs · is:edited"
    HELP = (
        "Chain: G governs, A authority, · neither, ✗ malformed governs, ! a mark of the coverage map. Lint: ✗ error, ! "
        "warning, i info and how many. Filter with /: words in id, owner or text; field:value, has:field, no:field, "
        "is:edited. v narrows to the cells of the map in turn. space marks: an edit is made to all marked records."
    )

    class Wanted(Message):
        """Filter or order were changed: the rows are to be arranged anew."""

        def can_replace(self, message: Message) -> bool:
            """Only the latest counts."""
            return isinstance(message, StorePane.Wanted)

    def __init__(self, memories: Sequence[Memory], lint: Callable[[int], Cell], *, id: str) -> None:
        super().__init__(COLUMNS, markable=True, column_cursor=True, empty=_("no memories in this store"), id=id)
        self.memories = memories
        self._lint = lint
        self.selection: Selection | None = None
        self.column: str | None = None
        self.reverse_order = False
        self._working = ""

    @property
    def mi(self) -> int | None:
        """The record under the cursor."""
        key = self.grid.cursor_key
        return key if isinstance(key, int) else None

    def chosen(self) -> list[int]:
        """The records that an action is meant for: those marked, else the one under the cursor."""
        return [key for key in self.grid.chosen() if isinstance(key, int)]

    def arrangement(self, base: Indices | None, ranks: npt.NDArray[np.int64] | None) -> Arrangement:
        """What is to be shown, ``base`` being the records of the selection."""
        return Arrangement(StoreFilter.parse(self.filter_text), base, self.column, self.reverse_order, ranks)

    @property
    def is_whole(self) -> bool:
        """Whether the table shows the whole store in its own order."""
        return self.selection is None and self.column is None and not self.filter_text.strip()

    def show_rows(self, rows: Indices, *, cursor: int | None = None) -> None:
        """Show these rows; the cursor stays on its memory, or goes to ``cursor``."""
        self.grid.empty = (
            _("no record passes; escape shows all") if len(self.memories) else _("no memories in this store")
        )
        self.grid.set_source(StoreSource(rows, len(self.memories), self._cells), cursor=cursor, keep_marks=True)
        self.grid.set_sort(self.column, reverse=self.reverse_order)
        self.say_counts()

    def _cells(self, mi: int) -> Sequence[Cell]:
        return memory_cells(self.memories[mi], self._lint(mi))

    def working(self, words: str) -> None:
        """Say how far a search or sort has come; "" says that it is done."""
        self._working = words
        self.say_counts()

    def say_counts(self) -> None:
        """The line above the table: how many are shown of how many, and why."""
        shown, total = self.grid.row_count, len(self.memories)
        why = [self.selection.words] if self.selection is not None else []
        if text := self.filter_text.strip():
            why.append(f"“{text}”")
        if why:
            pieces = [
                Piece(
                    _("showing {shown:,} of {total:,}: {why}").format(shown=shown, total=total, why=", ".join(why)),
                    "changed",
                )
            ]
        else:
            pieces = [Piece(counted(total, "memory", "memories"))]
        if self._working:
            pieces.append(Piece(f"  {self._working}", "warn"))
        if marks := len(self.grid.marks):
            pieces.append(Piece(_("  ● {marks:,} marked").format(marks=marks), "strong"))
        self.show_title(pieces)

    def narrow(self, text: str) -> None:  # noqa: ARG002
        """The words of the filter line were changed."""
        self.post_message(self.Wanted())

    def select(self, selection: Selection | None) -> None:
        """Narrow to a set of records."""
        self.selection = selection
        self.post_message(self.Wanted())

    def sort(self, column: str | None = None) -> None:
        """Order by a column, default the one under the cursor; the same again goes back to the store's order."""
        wanted = column or self.grid.cursor_column
        self.column = None if wanted == self.column else wanted
        self.reverse_order = self.column == "lint"  # the worst first
        self.post_message(self.Wanted())

    def reverse(self) -> None:
        """Turn the order round."""
        if self.column is None:
            self.column = "id"
        self.reverse_order = not self.reverse_order
        self.post_message(self.Wanted())

    def go_back(self) -> bool:
        """Escape takes the filter away, then the selection."""
        if super().go_back():
            return True
        if self.selection is not None:
            self.select(None)
            return True
        return False

    @on(Grid.HeaderClicked)
    def _header(self, event: Grid.HeaderClicked) -> None:
        event.stop()
        if event.column == self.column:
            self.reverse()
        else:
            self.sort(event.column)

    def copy_text(self) -> str | None:
        """What ``y`` copies: ids and texts of the chosen records."""
        records = [self.memories[mi] for mi in self.chosen()]
        return "\n".join(f"{record.id}\t{record.text}" for record in records) or None

    def copy_json(self) -> str | None:
        """What ``Y`` copies: the chosen records, edits applied."""
        records = [self.memories[mi] for mi in self.chosen()]
        return "\n".join(escaped_json(record.effective()) for record in records) or None

    def export_tables(self) -> Sequence[Table]:
        """The records that are shown."""
        return [self.table("records")]
