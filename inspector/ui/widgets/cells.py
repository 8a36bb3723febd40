"""Cells and columns of the one table, without Textual: what a cell holds and how wide it may be.

A cell is data. It is made inert by :func:`inspector.text.visible` and cut by terminal cells, never by characters, so
that Korean, Japanese and Chinese text keep the columns straight (STYLE 5b.6).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, Literal, NamedTuple, Protocol, TypeVar

from rich.cells import cell_len, set_cell_size

from inspector.ui.veil import visible

Align = Literal["left", "right", "center"]
ELLIPSIS = "…"
#: More characters than this of one cell are never looked at: a cell of a 1 MB line costs what a short one costs.
_LOOK_AT = 1_000


class Piece(NamedTuple):
    """Some text with the name of a style, one of :data:`inspector.ui.widgets.grid.STYLES` (or a subclass's own)."""

    text: str
    style: str = ""


class Ending(Piece):
    """A piece whose end tells it from others that begin alike: it is cut in its middle, not at its end."""

    __slots__ = ()


#: A plain text, a styled one, or several pieces in a row.
Cell = str | Piece | Sequence[Piece]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table; widths are terminal cells without the blank between columns.

    ``width`` is what the column wants, ``least`` what it can be shrunk to (default: ``width``), ``flex`` its share of
    the room that is left over. ``frozen`` columns come first and do not scroll sideways. ``style`` names the style of a
    plain cell by its text. The column cursor stops only where ``stop`` is true. ``help`` is the header's tooltip.
    """

    key: str
    label: str
    width: int
    least: int = 0
    flex: int = 0
    align: Align = "left"
    frozen: bool = False
    stop: bool = True
    style: Callable[[str], str] | None = None
    help: str = ""


def padded(text: str, cells: int, *, right: bool = False) -> str:
    """The text with blanks up to a width in terminal cells, at its left with ``right``; a wider one stays as it is."""
    blanks = " " * (cells - cell_len(text))
    return blanks + text if right else text + blanks


class GridSource(Protocol):
    """What a table shows: rows by number, asked for only when they are seen."""

    def __len__(self) -> int:
        """How many rows."""
        ...

    def key(self, row: int) -> Hashable:
        """The identity of a row, the same wherever the row stands."""
        ...

    def cells(self, row: int) -> Sequence[Cell]:
        """The row's cells, one for each column of the table, in their order."""
        ...

    def find(self, key: Hashable) -> int | None:
        """The row that has this key, or None."""
        ...


T = TypeVar("T")


class RowList(Generic[T]):
    """A :class:`GridSource` over a sequence in memory; the index of keys is built when it is first asked for."""

    def __init__(self, rows: Sequence[T], key: Callable[[T], Hashable], cells: Callable[[T], Sequence[Cell]]) -> None:
        self.rows = rows
        self._key = key
        self._cells = cells
        self._index: dict[Hashable, int] | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def key(self, row: int) -> Hashable:
        """The identity of a row."""
        return self._key(self.rows[row])

    def cells(self, row: int) -> Sequence[Cell]:
        """The row's cells."""
        return self._cells(self.rows[row])

    def find(self, key: Hashable) -> int | None:
        """The row that has this key, or None."""
        if self._index is None:
            self._index = {self._key(row): number for number, row in enumerate(self.rows)}
        return self._index.get(key)


def pieces_of(cell: Cell, column: Column) -> list[Piece]:
    """The cell as inert pieces, each with the name of its style."""
    if isinstance(cell, str):
        cell = Piece(cell, column.style(cell) if column.style else "")
    if isinstance(cell, Piece):
        cell = (cell,)
    pieces: list[Piece] = []
    left = _LOOK_AT
    for piece in cell:
        text, style = piece
        if left <= 0:
            pieces[-1] = Piece(pieces[-1].text + ELLIPSIS, pieces[-1].style)
            break
        shown = visible(text[:left])
        if len(text) > left:
            # More text than can be seen: the sign of the cut is kept even if all the rest had no width.
            shown += " " * _LOOK_AT
        pieces.append(type(piece)(shown, style))
        left -= len(text)
    return pieces


def fit(pieces: Sequence[Piece], width: int, align: Align = "left") -> list[Piece]:
    """The pieces cut or padded to exactly ``width`` terminal cells; ``…`` stands where something was cut."""
    if width <= 0:
        return []
    total = sum(cell_len(piece.text) for piece in pieces)
    if total <= width:
        left, right = _padding(width - total, align)
        padded = list(pieces)
        if left:
            padded.insert(0, Piece(" " * left))
        if right:
            padded.append(Piece(" " * right))
        return padded
    fitted: list[Piece] = []
    room = width - 1
    for piece in pieces:
        text, style = piece
        length = cell_len(text)
        if length <= room:
            fitted.append(Piece(text, style))
            room -= length
            continue
        if isinstance(piece, Ending):
            fitted.append(Piece(_without_middle(text, room), style))
            break
        cut = set_cell_size(text, room) if room else ""
        # A wide character that would be halved leaves a blank: the sign of the cut goes before it.
        kept = cut.rstrip(" ") if cut else ""
        fitted.append(Piece(kept + ELLIPSIS + " " * (room - cell_len(kept)), style))
        break
    return fitted


def _without_middle(text: str, room: int) -> str:
    """Both ends of a text, in ``room`` terminal cells and one more for the sign of the cut between them."""
    tail = ""
    for character in reversed(text):
        if cell_len(character + tail) > room // 2:
            break
        tail = character + tail
    head = set_cell_size(text, room - cell_len(tail)).rstrip(" ")
    return padded(head + ELLIPSIS + tail, room + 1)


def _padding(room: int, align: Align) -> tuple[int, int]:
    if align == "right":
        return room, 0
    if align == "center":
        return room // 2, room - room // 2
    return 0, room


class Placed(NamedTuple):
    """Where a column stands: its first terminal cell in the whole row, and its width."""

    start: int
    width: int


@lru_cache(maxsize=64)
def place_columns(columns: tuple[Column, ...], room: int, gap: int = 1) -> tuple[Placed, ...]:
    """Start and width of each column in ``room`` terminal cells: grown by flex, or shrunk, but never under ``least``.

    Where even the least widths do not fit, the row is wider than the room and scrolls sideways.
    """
    if not columns:
        return ()
    widths = [column.width for column in columns]
    spare = room - sum(widths) - gap * (len(columns) - 1)
    if spare > 0:
        _grow(widths, columns, spare)
    elif spare < 0:
        _shrink(widths, columns, -spare)
    placed, start = [], 0
    for width in widths:
        placed.append(Placed(start, width))
        start += width + gap
    return tuple(placed)


def _grow(widths: list[int], columns: Sequence[Column], spare: int) -> None:
    shares = sum(column.flex for column in columns)
    left = shares
    for number, column in enumerate(columns):
        if column.flex:
            more = spare * column.flex // left
            widths[number] += more
            spare -= more
            left -= column.flex


def _shrink(widths: list[int], columns: Sequence[Column], lack: int) -> None:
    can = [max(0, width - (column.least or column.width)) for width, column in zip(widths, columns, strict=True)]
    total = sum(can)
    lack = min(lack, total)
    for number, able in enumerate(can):
        if total:
            less = -(-lack * able // total)  # rounded up: what is left over is never more than the rest can give
            less = min(less, lack, able)
            widths[number] -= less
            lack -= less
            total -= able
