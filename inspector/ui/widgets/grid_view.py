"""The drawing half of the table: columns placed in the room there is, and rows drawn when they are seen.

Nothing here reacts to keys; :class:`inspector.ui.widgets.grid.Grid` does and is what screens use.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from inspector.i18n import N_, _
from inspector.ui.veil import visible
from inspector.ui.widgets.cells import Cell, Column, GridSource, Piece, Placed, RowList, fit, pieces_of, place_columns

#: Names of styles that a Piece may carry; each is the component class ``grid--NAME``.
STYLES = ("yes", "no", "unknown", "dim", "strong", "changed", "edited", "good", "bad", "warn", "link")
GUTTER = 2
GAP = 1
NO_ROWS: RowList[str] = RowList((), str, list)
_KEPT_STRIPS = 500


def plain_text(cell: Cell) -> str:
    """The cell's own text, as it is in the data."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, Piece):
        return cell.text
    return "".join(piece.text for piece in cell)


class GridView(ScrollView, inherit_bindings=False):
    """Columns, rows, and where the cursor and the marks are; draws only what is in sight."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "grid--header",
        "grid--header-cursor",
        "grid--cursor",
        "grid--cursor-cell",
        "grid--marked",
        "grid--empty",
        *(f"grid--{name}" for name in STYLES),
    }
    DEFAULT_CSS = """
    GridView {
        height: 1fr;
        scrollbar-size-vertical: 1;
        scrollbar-size-horizontal: 1;
    }
    GridView > .grid--header { text-style: bold; color: $heading; background: $panel; }
    GridView > .grid--header-cursor { text-style: bold reverse; color: $heading; background: $panel; }
    GridView > .grid--cursor { background: $cursor-blurred; }
    GridView > .grid--cursor-cell { background: $cursor-blurred; }
    GridView:focus > .grid--cursor { background: $cursor; }
    GridView:focus > .grid--cursor-cell { background: $cursor-cell; text-style: bold underline; }
    GridView > .grid--marked { color: $mark; text-style: bold; }
    GridView > .grid--empty { color: $dim; text-style: italic; }
    GridView > .grid--yes { color: $trit-yes; }
    GridView > .grid--no { color: $trit-no; }
    GridView > .grid--unknown { color: $trit-unknown; }
    GridView > .grid--dim { color: $dim; }
    GridView > .grid--strong { text-style: bold; }
    GridView > .grid--changed { color: $changed; text-style: bold; }
    GridView > .grid--edited { color: $edited; }
    GridView > .grid--good { color: $good; }
    GridView > .grid--bad { color: $bad; text-style: bold; }
    GridView > .grid--warn { color: $warn; }
    GridView > .grid--link { color: $link; }
    """

    def __init__(
        self,
        columns: Sequence[Column] = (),
        source: GridSource | None = None,
        *,
        column_cursor: bool = False,
        show_header: bool = True,
        empty: str = N_("nothing here"),
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._columns = tuple(columns)
        self._source: GridSource = source if source is not None else NO_ROWS
        self.column_cursor = column_cursor
        self.show_header = show_header
        self.empty = empty
        #: Lines of a row: itself, and a blank one where the theme gives room.
        self._each = 1
        self._row = 0
        self._key: Hashable | None = None
        self._column = 0
        self._marks: dict[Hashable, None] = {}
        self._sort: tuple[str, bool] | None = None
        self._strips: dict[tuple[int, bool], Strip] = {}
        self._styles: dict[tuple[str, ...], Style] = {}
        self._columns_placed: tuple[Placed, ...] = ()
        self._take_key()

    def _take_key(self) -> None:
        """The row number put inside the table, and the key read that stands there."""
        count = len(self._source)
        self._row = max(0, min(self._row, count - 1))
        self._key = self._source.key(self._row) if count else None

    # What is shown

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns, frozen ones first."""
        return self._columns

    @property
    def source(self) -> GridSource:
        """The rows."""
        return self._source

    @property
    def row_count(self) -> int:
        """How many rows there are."""
        return len(self._source)

    def set_sort(self, column: str | None, *, reverse: bool = False) -> None:
        """Show ``▲`` or ``▼`` at a column's header; ordering the rows is the caller's."""
        self._sort = None if column is None else (column, reverse)
        self.refresh()

    def refresh_row(self, key: Hashable) -> None:
        """Ask for one row again and draw it, nothing else."""
        row = self._source.find(key)
        if row is not None:
            self._drop(row)
            self.refresh_line(self._line_of(row))

    def as_table(self) -> tuple[list[str], Iterator[list[str]]]:
        """Labels and all rows as plain text, for an export; the texts are the data's own, not made inert."""
        rows = ([plain_text(cell) for cell in self._source.cells(row)] for row in range(self.row_count))
        return [column.label for column in self._columns], rows

    # Geometry

    @property
    def _head(self) -> int:
        return 1 if self.show_header else 0

    def _line_of(self, row: int) -> int:
        """The line that a row stands on, counted from the top of the table."""
        return row * self._each + self._head

    def give_room(self) -> None:
        """Follow the theme: one line a row, or a blank one below each."""
        each = 2 if self.app.has_class("-roomy") else 1
        if each != self._each:
            self._each = each
            self._relayout()

    @property
    def _placed(self) -> tuple[Placed, ...]:
        return self._columns_placed

    def _place(self) -> None:
        """Place the columns in the room that will be left when the scroll bars stand as they will.

        Asking for the room beside the bars that stand now would be one layout late, and a bar would call the other up.
        """
        width, height = self.size
        lines = self.row_count * self._each + self._head
        bar = self.styles.scrollbar_size_vertical
        room = width - bar if lines > height else width
        self._columns_placed = place_columns(self._columns, max(1, room - GUTTER), GAP)
        if room == width and self._row_width > room and lines > height - self.styles.scrollbar_size_horizontal:
            self._columns_placed = place_columns(self._columns, max(1, room - bar - GUTTER), GAP)

    @property
    def _row_width(self) -> int:
        placed = self._columns_placed
        return (placed[-1].start + placed[-1].width if placed else 0) + GUTTER

    @property
    def _frozen_width(self) -> int:
        """Terminal cells, after the gutter, that do not scroll sideways, the gap after them included."""
        width = 0
        for column, placed in zip(self._columns, self._placed, strict=True):
            if not column.frozen:
                break
            width = placed.start + placed.width + GAP
        return width

    def _relayout(self) -> None:
        self._strips.clear()
        self._place()
        self.virtual_size = Size(self._row_width, self.row_count * self._each + self._head)
        self.refresh()

    def _drop(self, row: int) -> None:
        self._strips.pop((row, False), None)
        self._strips.pop((row, True), None)

    def notify_style_update(self) -> None:
        """Forget what was drawn in the styles of before."""
        super().notify_style_update()
        self._styles.clear()
        self._strips.clear()

    def _style(self, *names: str) -> Style:
        """The full style of the first component, the others laid over it; asked of the stylesheet once."""
        if names not in self._styles:
            style = self.get_component_rich_style(names[0]) if names[0] else self.rich_style
            for name in names[1:]:
                style += self.get_component_rich_style(name, partial=True, default=Style.null())
            self._styles[names] = style
        return self._styles[names]

    def render_line(self, y: int) -> Strip:
        """One line of the table; ``y`` counts from the top of the widget."""
        width = self.scrollable_content_region.width
        if y < self._head:
            return self._window(self._header_strip(), width, "grid--header")
        row, below = divmod(y - self._head + self.scroll_offset.y, self._each)
        if not self.row_count:
            text = f"  {visible(_(self.empty))}" if y == self._head + 1 else ""
            return Strip([Segment(text, self._style("grid--empty"))]).adjust_cell_length(width, self.rich_style)
        if row >= self.row_count or below:
            return Strip.blank(width, self.rich_style)
        here = row == self._row
        if (strip := self._strips.get((row, here))) is None or here:
            strip = self._row_strip(row, here)
            if len(self._strips) > _KEPT_STRIPS:
                self._strips.clear()
            self._strips[row, here] = strip
        return self._window(strip, width, "grid--cursor" if here else "")

    def _window(self, strip: Strip, width: int, base: str) -> Strip:
        """The part that is seen: gutter and frozen columns, then the rest from the sideways scroll on."""
        style = self._style(base)
        left = self.scroll_offset.x
        if not left:
            return strip.crop_extend(0, width, style)
        still = GUTTER + self._frozen_width
        rest = strip.crop_extend(still + left, still + left + max(0, width - still), style)
        return Strip.join([strip.crop(0, still), rest]).crop_extend(0, width, style)

    def _header_strip(self) -> Strip:
        segments = [Segment(" " * GUTTER, self._style("grid--header"))]
        for number, (column, placed) in enumerate(zip(self._columns, self._placed, strict=True)):
            label = visible(_(column.label))
            if self._sort is not None and self._sort[0] == column.key:
                label += "▼" if self._sort[1] else "▲"
            at = self.column_cursor and number == self._column and self.has_focus
            style = self._style("grid--header-cursor" if at else "grid--header")
            segments.extend(Segment(text, style) for text, _style in fit([Piece(label)], placed.width, column.align))
            segments.append(Segment(" " * GAP, self._style("grid--header")))
        return Strip(segments)

    def _row_strip(self, row: int, here: bool) -> Strip:
        base = "grid--cursor" if here else ""
        plain = self._style(base)
        marked = self._source.key(row) in self._marks
        cursor = "▸" if self.has_focus else "›"
        sign = "◉" if here and marked else cursor if here else "●" if marked else " "
        segments = [Segment(sign.ljust(GUTTER), self._style(base, "grid--marked") if marked else plain)]
        wide = getattr(self._source, "wide", None)
        if wide is not None and (pieces := wide(row)) is not None:
            room = max(1, self._row_width - GUTTER)
            for text, name in fit(pieces_of(pieces, self._columns[0]), room):
                segments.append(Segment(text, self._style(base, *(f"grid--{each}" for each in name.split()))))
            return Strip(segments)
        cells = self._source.cells(row)
        for number, (column, placed) in enumerate(zip(self._columns, self._placed, strict=True)):
            cell_base = "grid--cursor-cell" if here and self.column_cursor and number == self._column else base
            cell = cells[number] if number < len(cells) else ""
            for text, name in fit(pieces_of(cell, column), placed.width, column.align):
                names = (cell_base, *(f"grid--{each}" for each in name.split())) if name else (cell_base,)
                segments.append(Segment(text, self._style(*names)))
            segments.append(Segment(" " * GAP, plain))
        return Strip(segments)
