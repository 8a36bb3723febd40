"""The one table of the product (STYLE 3, 5b): the Line API, rows by number, any number of them at the same cost.

- Rows are asked of a :class:`~inspector.ui.widgets.cells.GridSource` when they are seen, and only then.
- The cursor and the marks belong to a row's **key**: they stay on the memory when the order changes.
- Every cell goes through :func:`inspector.text.visible` and is drawn as segments: no markup is ever parsed.
- Signs, not only colours: ``▸`` cursor, ``●`` marked, ``◉`` both.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.geometry import Region
from textual.message import Message

from inspector.i18n import N_
from inspector.ui.actions import bindings
from inspector.ui.widgets.cells import Cell, Column, GridSource, Piece, RowList
from inspector.ui.widgets.grid_view import GAP, GUTTER, STYLES, GridView, plain_text

__all__ = ["STYLES", "Cell", "Column", "Grid", "GridSource", "Piece", "RowList", "plain_text"]
_NOTHING = object()


class Grid(GridView, can_focus=True):
    """A table over a GridSource.

    ``column_cursor`` gives the cursor a column too (keys left and right move it, ``Column.stop`` says where it stops);
    without it these keys scroll sideways. ``empty`` is shown where there are no rows: say there what to do.
    ``markable`` allows marks.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings("grid", footer=False)

    class GridMessage(Message):
        """A message of a grid; ``control`` is the grid, so that ``@on(Grid.RowSelected, "#queries")`` works."""

        def __init__(self, grid: Grid) -> None:
            super().__init__()
            self.grid = grid

        @property
        def control(self) -> Grid:
            """The grid that sent it."""
            return self.grid

    class RowHighlighted(GridMessage):
        """The cursor came to stand on another key (None: no rows), by a key, the mouse, or new data."""

        def __init__(self, grid: Grid, key: Hashable | None, row: int) -> None:
            super().__init__(grid)
            self.key = key
            self.row = row

        def can_replace(self, message: Message) -> bool:
            """A later highlight of the same grid makes an earlier one void, so that held keys do not pile up."""
            return isinstance(message, Grid.RowHighlighted) and message.grid is self.grid

    class RowSelected(GridMessage):
        """Enter, or a click on the row of the cursor; ``column`` is the key of the cursor's or clicked column."""

        def __init__(self, grid: Grid, key: Hashable, row: int, column: str) -> None:
            super().__init__(grid)
            self.key = key
            self.row = row
            self.column = column

    class ColumnHighlighted(GridMessage):
        """The column cursor came to stand on another column."""

        def __init__(self, grid: Grid, column: str) -> None:
            super().__init__(grid)
            self.column = column

    class HeaderClicked(GridMessage):
        """A click on a column's header; ``column`` is its key."""

        def __init__(self, grid: Grid, column: str) -> None:
            super().__init__(grid)
            self.column = column

    class MarksChanged(GridMessage):
        """The set of marked keys changed."""

        def __init__(self, grid: Grid, marks: frozenset[Hashable]) -> None:
            super().__init__(grid)
            self.marks = marks

    def __init__(
        self,
        columns: Sequence[Column] = (),
        source: GridSource | None = None,
        *,
        column_cursor: bool = False,
        markable: bool = False,
        show_header: bool = True,
        empty: str = N_("nothing here"),
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(
            columns,
            source,
            column_cursor=column_cursor,
            show_header=show_header,
            empty=empty,
            name=name,
            id=id,
            classes=classes,
        )
        self.markable = markable
        self._announced: object = _NOTHING

    # What is shown

    def set_columns(self, columns: Sequence[Column]) -> None:
        """Show other columns; the column cursor stays on its key where that is still there."""
        before = self.cursor_column
        self._columns = tuple(columns)
        keys = [column.key for column in self._columns]
        self._column = keys.index(before) if before in keys else 0
        self._relayout()

    def set_source(self, source: GridSource, *, cursor: Hashable | None = None, keep_marks: bool = False) -> None:
        """Show other rows, or the same in another order.

        The cursor goes to the key ``cursor`` if it is given and there, else stays on its key, else on its row number.
        Marks are kept only on request, and only those whose key is still there. RowHighlighted follows if the key under
        the cursor changed.
        """
        self._source = source
        row = None
        for key in (cursor, self._key):
            if row is None and key is not None:
                row = source.find(key)
        self._row = self._row if row is None else row
        if self._marks:
            kept = {key: None for key in self._marks if keep_marks and source.find(key) is not None}
            if len(kept) != len(self._marks):
                self._marks = kept
                self.post_message(self.MarksChanged(self, self.marks))
        self._take_key()
        self._relayout()
        self._announce()
        self.scroll_to_cursor()

    def refresh_rows(self) -> None:
        """Ask for every visible row again; the number of rows may have changed."""
        self._take_key()
        self._relayout()
        self._announce()

    # Cursor and marks

    @property
    def cursor_key(self) -> Hashable | None:
        """The key under the cursor, None without rows."""
        return self._key

    @property
    def cursor_row(self) -> int:
        """The number of the cursor's row."""
        return self._row

    @property
    def cursor_column(self) -> str:
        """The key of the cursor's column, "" without columns."""
        return self._columns[self._column].key if self._column < len(self._columns) else ""

    @property
    def marks(self) -> frozenset[Hashable]:
        """The keys of the marked rows."""
        return frozenset(self._marks)

    def chosen(self) -> list[Hashable]:
        """What an action is meant for: the marked keys in the order they were marked, else the one under the cursor."""
        if self._marks:
            return list(self._marks)
        return [] if self._key is None else [self._key]

    def move_cursor(self, row: int | None = None, *, key: Hashable | None = None, column: str | None = None) -> None:
        """Put the cursor on a row number or a key, and on a column's key; what is not there is left as it is."""
        if key is not None:
            row = self._source.find(key)
        if row is not None:
            self._go(row)
        keys = [each.key for each in self._columns]
        if column in keys:
            self._go_column(keys.index(column))

    def set_marks(self, keys: Collection[Hashable]) -> None:
        """Mark exactly these rows."""
        self._marks = dict.fromkeys(keys)
        self._strips.clear()
        self.refresh()
        self.refresh_bindings()
        self.post_message(self.MarksChanged(self, self.marks))

    def _announce(self) -> None:
        if self.is_running and self._announced != (self._key,):
            self._announced = (self._key,)
            self.post_message(self.RowHighlighted(self, self._key, self._row))

    def _go(self, row: int) -> None:
        row = max(0, min(row, self.row_count - 1))
        if row != self._row and self.row_count:
            before, self._row = self._row, row
            self._take_key()
            self.refresh_line(self._line_of(before))
            self.refresh_line(self._line_of(row))
            self._announce()
        self.scroll_to_cursor()

    def _go_column(self, number: int) -> None:
        if number != self._column:
            self._column = number
            self.refresh_line(self._line_of(self._row))
            self.refresh(Region(0, 0, self.size.width, self._head))
            self.post_message(self.ColumnHighlighted(self, self.cursor_column))
        self.scroll_to_cursor()

    def scroll_to_cursor(self) -> None:
        """Scroll so far that the cursor's row, and with a column cursor its column, are seen."""
        room = self.scrollable_content_region.size
        height = room.height - self._head
        if height <= 0:
            return
        top, left = self.scroll_offset.y, self.scroll_offset.x
        first = self._row * self._each
        if first < top:
            top = first
        elif first >= top + height:
            top = first - height + 1
        placed = self._placed
        if self.column_cursor and self._column < len(placed):
            start, width = placed[self._column]
            frozen = self._frozen_width
            if not self._columns[self._column].frozen:
                if start - frozen < left:
                    left = max(0, start - frozen)
                elif start + width + GUTTER > left + room.width:
                    left = min(start - frozen, start + width + GUTTER - room.width)
        if (left, top) != tuple(self.scroll_offset):
            self.scroll_to(left, top, animate=False, immediate=True)

    def on_mount(self) -> None:
        """Announce the first row under the cursor."""
        self.give_room()
        self._relayout()
        self._announce()

    def on_resize(self) -> None:
        """Place the columns anew."""
        self._relayout()
        self.scroll_to_cursor()

    # Keys and mouse

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Marks only where the table has them; escape takes them away, or is left to what is around."""
        if action in ("mark", "mark_all"):
            return self.markable
        if action == "unmark":
            return bool(self._marks)
        return True

    def action_cursor_up(self) -> None:
        """One row up."""
        self._go(self._row - 1)

    def action_cursor_down(self) -> None:
        """One row down."""
        self._go(self._row + 1)

    def action_page_up(self) -> None:
        """One page up."""
        self._go(self._row - self._page)

    def action_page_down(self) -> None:
        """One page down."""
        self._go(self._row + self._page)

    def action_first(self) -> None:
        """To the first row."""
        self._go(0)

    def action_last(self) -> None:
        """To the last row."""
        self._go(self.row_count - 1)

    @property
    def _page(self) -> int:
        return max(1, (self.scrollable_content_region.height - self._head) // self._each - 1)

    def _sideways(self, step: int) -> None:
        if not self.column_cursor:
            self.scroll_to(self.scroll_offset.x + 8 * step, animate=False, immediate=True)
            return
        number = self._column + step
        while 0 <= number < len(self._columns):
            if self._columns[number].stop:
                self._go_column(number)
                return
            number += step

    def action_cursor_left(self) -> None:
        """One column to the left, or scroll left."""
        self._sideways(-1)

    def action_cursor_right(self) -> None:
        """One column to the right, or scroll right."""
        self._sideways(1)

    def action_select(self) -> None:
        """Choose the row under the cursor."""
        if self._key is not None:
            self.post_message(self.RowSelected(self, self._key, self._row, self.cursor_column))

    def action_mark(self) -> None:
        """Mark the row or take its mark away, and go on to the next."""
        if self._key is None:
            return
        if self._key in self._marks:
            del self._marks[self._key]
        else:
            self._marks[self._key] = None
        self.set_marks(list(self._marks))
        self._go(self._row + 1)

    def action_mark_all(self) -> None:
        """Mark every row."""
        self.set_marks([self._source.key(row) for row in range(self.row_count)])

    def action_unmark(self) -> None:
        """Take all marks away."""
        self.set_marks(())

    def _column_at(self, x: int) -> int | None:
        left = x - GUTTER
        if left >= self._frozen_width:
            left += self.scroll_offset.x
        for number, (start, width) in enumerate(self._placed):
            if start <= left < start + width + GAP:
                return number
        return None

    def on_click(self, event: events.Click) -> None:
        """A header, the row under the cursor (chooses it), or another row (goes there)."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        event.stop()
        column = self._column_at(offset.x)
        if offset.y < self._head:
            if column is not None:
                self.post_message(self.HeaderClicked(self, self._columns[column].key))
            return
        row = (offset.y - self._head + self.scroll_offset.y) // self._each
        if row >= self.row_count:
            return
        again = row == self._row and event.chain > 1
        self._go(row)
        if column is not None and self._columns[column].stop:
            self._go_column(column)
        if again:
            self.action_select()
        elif self.markable and (event.ctrl or offset.x < GUTTER):
            self.action_mark()
