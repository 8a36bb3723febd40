"""A region with a title line, a line to type a filter into, and a table: base of Queries and Candidates."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from inspector.i18n import _
from inspector.ui.panes import Table
from inspector.ui.widgets.cells import Column, Piece
from inspector.ui.widgets.grid import Grid
from inspector.ui.widgets.inputs import SafeInput
from inspector.ui.widgets.signs import content


class TitleLine(Static):
    """One line that names a region; a click on it goes there."""

    DEFAULT_CSS = "TitleLine { height: 1; width: 1fr; text-wrap: nowrap; text-overflow: ellipsis; background: $panel; }"

    def on_click(self) -> None:
        """Go to the region."""
        if isinstance(self.parent, TablePane):
            self.parent.grid.focus()


class TablePane(Vertical):
    """Title, filter line and table. The filter line shows while it is used or filters."""

    PANE: ClassVar[str] = ""
    PLACEHOLDER: ClassVar[str] = "filter"
    DEFAULT_CSS = """
    TablePane > SafeInput { display: none; }
    TablePane.-filtering > SafeInput { display: block; }
    TablePane > TitleLine.-here { text-style: bold; color: $heading; background: $cursor-blurred; }
    """

    class Highlighted(Message):
        """Another row came under the cursor, or none."""

        def __init__(self, pane: TablePane) -> None:
            super().__init__()
            self.pane = pane

        @property
        def control(self) -> TablePane:
            """The pane, for the selector of a handler."""
            return self.pane

        def can_replace(self, message: Message) -> bool:
            """Only the latest counts."""
            return isinstance(message, TablePane.Highlighted) and message.pane is self.pane

    class Opened(Message):
        """Enter on a row; ``column`` is the column of the cursor."""

        def __init__(self, pane: TablePane, key: Hashable, column: str) -> None:
            super().__init__()
            self.pane = pane
            self.key = key
            self.column = column

        @property
        def control(self) -> TablePane:
            """The pane, for the selector of a handler."""
            return self.pane

    def __init__(self, columns: Sequence[Column], *, markable: bool, column_cursor: bool, empty: str, id: str) -> None:
        super().__init__(id=id)
        self.grid = Grid(
            columns, markable=markable, column_cursor=column_cursor, empty=empty, id=f"{id}-grid", classes="pane-grid"
        )
        self._input = SafeInput(placeholder=_(self.PLACEHOLDER), id=f"{id}-filter")
        self._title = TitleLine(Content(self.PANE))

    def compose(self) -> ComposeResult:
        """Title, filter line, table."""
        yield self._title
        yield self._input
        yield self.grid

    def show_title(self, pieces: Iterable[Piece]) -> None:
        """Show what stands beside the region's name."""
        # A line of fixed height: its words never move anything else, so nothing is laid out anew.
        self._title.update(content([Piece(f" {_(self.PANE)}  "), *pieces]), layout=False)

    def on_descendant_focus(self) -> None:
        """The title says that keys come here."""
        self._title.add_class("-here")

    def on_descendant_blur(self) -> None:
        """And that they no longer do."""
        self._title.set_class(self.has_focus_within, "-here")

    @property
    def filter_text(self) -> str:
        """What is typed into the filter line."""
        return self._input.value

    def narrow(self, text: str) -> None:
        """Filter by what was typed; each pane says how."""
        raise NotImplementedError

    def open_find(self) -> None:
        """``/``: type a filter."""
        self.add_class("-filtering")
        self._input.focus()

    def set_filter(self, text: str) -> None:
        """Filter as if the text had been typed."""
        self.set_class(bool(text), "-filtering")
        self._input.value = text

    def go_back(self) -> bool:
        """Escape leaves the filter line, and takes the filter away."""
        if not self.has_class("-filtering"):
            return False
        if self._input.has_focus:
            self.grid.focus()
        self.remove_class("-filtering")
        if self._input.value:
            self._input.value = ""
        return True

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.narrow(event.value)

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self.grid.focus()
        self.set_class(bool(event.value), "-filtering")

    @on(Grid.RowHighlighted)
    def _highlighted(self, event: Grid.RowHighlighted) -> None:
        event.stop()
        self.post_message(self.Highlighted(self))

    @on(Grid.RowSelected)
    def _selected(self, event: Grid.RowSelected) -> None:
        event.stop()
        self.open_row(event.key, event.column)

    def open_row(self, key: Hashable, column: str) -> None:
        """Enter on a row."""
        self.post_message(self.Opened(self, key, column))

    @on(Grid.MarksChanged)
    def _marked(self, event: Grid.MarksChanged) -> None:
        event.stop()
        self.say_counts()

    def say_counts(self) -> None:
        """Say in the title how many rows there are, and how many are marked; each pane says how."""

    def table(self, name: str) -> Table:
        """What is shown, as a table to export."""
        labels, rows = self.grid.as_table()
        return Table(name, labels, rows)
