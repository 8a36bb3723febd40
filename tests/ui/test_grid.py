"""The one table: any number of rows at the same cost, a cursor that stays on its key, hostile cells inert."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.app import ComposeResult
from textual.message import Message
from textual.screen import Screen

from inspector.text import visible
from inspector.ui.app import InspectorApp
from inspector.ui.screens.base import BaseScreen
from inspector.ui.widgets.cells import Cell, Column, Ending, Piece, RowList, fit, pieces_of, place_columns
from inspector.ui.widgets.grid import Grid

PLAIN = Column("c", "c", 10)


class Million:
    """A million rows that count how often they are asked for."""

    def __init__(self, count: int = 1_000_000) -> None:
        self.count = count
        self.asked: list[int] = []

    def __len__(self) -> int:
        return self.count

    def key(self, row: int) -> Hashable:
        return f"m{row}"

    def find(self, key: Hashable) -> int | None:
        row = int(str(key)[1:])
        return row if row < self.count else None

    def cells(self, row: int) -> Sequence[Cell]:
        self.asked.append(row)
        return [f"m{row}", Piece("1", "yes"), "text " * 20]


COLUMNS = (
    Column("id", "id", 8, frozen=True),
    Column("scope", "S", 1),
    Column("text", "text", 60, least=20, flex=1),
)


class Holder(BaseScreen):
    def __init__(self, grid: Grid) -> None:
        super().__init__()
        self.grid = grid

    def compose(self) -> ComposeResult:
        yield self.grid


class GridApp(InspectorApp):
    """The app's themes and keys around one table."""

    def __init__(self, grid: Grid) -> None:
        super().__init__()
        self.grid = grid

    def first_screen(self, request: Any) -> Screen[Any]:
        return Holder(self.grid)


def listed(*names: str) -> RowList[str]:
    return RowList(names, str, lambda name: [name, "1", f"text of {name}"])


def told(seen: Sequence[Message], kind: type[Any] = Grid.GridMessage) -> list[Any]:
    """The grid's messages, each once: the hook sees a message at every node that it bubbles to."""
    return list({id(message): message for message in seen if isinstance(message, kind)}.values())


# Columns and cells, without a screen


def widths(columns: Sequence[Column], room: int) -> list[int]:
    return [placed.width for placed in place_columns(tuple(columns), room)]


def test_room_left_over_is_shared_by_flex() -> None:
    # 30 − (4+4+4) − 2 gaps = 16, shared 1 : 3.
    columns = [Column("a", "", 4), Column("b", "", 4, flex=1), Column("c", "", 4, flex=3)]
    assert widths(columns, 30) == [4, 8, 16]


def test_columns_shrink_no_further_than_their_least_and_then_the_row_is_wider_than_the_room() -> None:
    columns = [Column("a", "", 10, least=4), Column("b", "", 10), Column("c", "", 10, least=7)]
    # 32 wanted. In 28, 4 are lacking, of 9 that could be given, the first share rounded up: 6·4/9 → 3, then 1.
    assert widths(columns, 28) == [7, 10, 9]
    assert widths(columns, 10) == [4, 10, 7]
    placed = place_columns(tuple(columns), 10)
    assert placed[-1].start + placed[-1].width == 23


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("abc", 5, "abc  "),
        ("abcdef", 5, "abcd…"),
        ("한국어", 6, "한국어"),
        ("한국어", 5, "한국…"),  # 4 cells and the sign
        ("한국어", 4, "한… "),  # the second syllable would be halved
        ("한국어", 1, "…"),
        ("abc", 0, ""),
    ],
)
def test_text_is_cut_by_terminal_cells(text: str, width: int, expected: str) -> None:
    assert "".join(piece.text for piece in fit([Piece(text)], width)) == expected


def test_alignment() -> None:
    assert "".join(p.text for p in fit([Piece("7")], 3, "right")) == "  7"
    assert "".join(p.text for p in fit([Piece("7")], 4, "center")) == " 7  "


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("address-2023", 10, "addre…2023"),
        ("address-2023", 12, "address-2023"),
        ("address-2023", 2, "a…"),
        ("address-2023", 1, "…"),
        ("주소-이천이십삼", 8, "주소-…삼"),
    ],
)
def test_what_differs_at_its_end_is_cut_in_its_middle(text: str, width: int, expected: str) -> None:
    assert "".join(piece.text for piece in fit(pieces_of(Ending(text), PLAIN), width)) == expected


@given(st.lists(st.text(max_size=40), max_size=4), st.integers(0, 60))
def test_a_fitted_cell_is_as_wide_as_its_column_and_inert(texts: list[str], width: int) -> None:
    pieces = fit(pieces_of([Piece(text) for text in texts], PLAIN), width)
    shown = "".join(piece.text for piece in pieces)
    assert cell_len(shown) == width
    assert shown == visible(shown)


def test_a_cell_of_a_megabyte_costs_what_a_short_one_costs() -> None:
    (piece,) = pieces_of("x" * 1_000_000, PLAIN)
    assert len(piece.text) < 3_000
    assert "".join(p.text for p in fit([piece], 10)) == "x" * 9 + "…"


def test_what_is_cut_off_unseen_still_shows_the_sign() -> None:
    # A thousand characters without width, then more: the rest must not vanish without a trace.
    (piece,) = pieces_of("e" + "\u0301" * 2_000, PLAIN)
    assert "…" in "".join(p.text for p in fit([piece], 5))


def test_a_column_names_the_style_of_plain_cells() -> None:
    column = Column("s", "S", 1, style=lambda text: "yes" if text == "1" else "no")
    assert pieces_of("1", column) == [Piece("1", "yes")]
    assert pieces_of(Piece("0", "dim"), column) == [Piece("0", "dim")]


# On a screen


async def test_a_million_rows_cost_what_is_seen() -> None:
    source = Million()
    grid = Grid(COLUMNS, source)
    async with GridApp(grid).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert set(source.asked) == set(range(23))
        source.asked.clear()
        await pilot.press("down")
        # The row left and the row come to; nothing else is drawn again.
        assert set(source.asked) <= {0, 1}
        assert len(source.asked) <= 4
        source.asked.clear()
        await pilot.press("end")
        assert grid.cursor_key == "m999999"
        assert set(source.asked) <= set(range(999_977, 1_000_000))
        await pilot.press("g")
        assert grid.cursor_row == 0


@pytest.mark.parametrize(
    ("keys", "row"),
    [
        (("j", "j", "k"), 1),
        (("down", "down", "up"), 1),
        (("pagedown",), 22),
        (("G",), 99),
        (("end", "pageup"), 77),
        (("G", "g"), 0),
        (("up",), 0),
    ],
)
async def test_keys_move_the_cursor(keys: tuple[str, ...], row: int) -> None:
    grid = Grid(COLUMNS, Million(100))
    async with GridApp(grid).run_test(size=(80, 24)) as pilot:
        await pilot.press(*keys)
        assert grid.cursor_row == row
        top = grid.scroll_offset.y
        assert top <= row < top + 23


async def test_the_cursor_stays_on_the_key_when_the_order_changes() -> None:
    seen: list[Message] = []
    grid = Grid(COLUMNS, listed("a", "b", "c"))
    async with GridApp(grid).run_test(message_hook=seen.append) as pilot:
        await pilot.press("down")
        assert grid.cursor_key == "b"
        await pilot.pause()
        seen.clear()
        grid.set_source(listed("c", "a", "b"))
        await pilot.pause()
        assert (grid.cursor_key, grid.cursor_row) == ("b", 2)
        assert not told(seen, Grid.RowHighlighted)
        grid.set_source(listed("x", "y", "z"))
        await pilot.pause()
        (message,) = told(seen, Grid.RowHighlighted)
        assert (message.key, message.row) == ("z", 2)
        grid.set_source(listed("q", "z"), cursor="q")
        assert grid.cursor_row == 0


async def test_messages_carry_keys() -> None:
    seen: list[Message] = []
    grid = Grid(COLUMNS, listed("a", "b"), column_cursor=True)
    async with GridApp(grid).run_test(message_hook=seen.append) as pilot:
        await pilot.press("down", "right", "enter")
        await pilot.pause()
    messages = told(seen)
    assert [(type(m).__name__, getattr(m, "key", None), getattr(m, "column", None)) for m in messages] == [
        ("RowHighlighted", "a", None),
        ("RowHighlighted", "b", None),
        ("ColumnHighlighted", None, "scope"),
        ("RowSelected", "b", "scope"),
    ]
    assert all(message.control is grid for message in messages)


async def test_without_rows_the_empty_text_says_what_to_do() -> None:
    seen: list[Message] = []
    grid = Grid(COLUMNS, empty="nothing: press r")
    async with GridApp(grid).run_test(message_hook=seen.append) as pilot:
        await pilot.press("down", "enter", "space")
        assert grid.cursor_key is None
        assert "nothing: press r" in "".join(grid.render_line(y).text for y in range(4))
        assert not told(seen, Grid.RowSelected)


async def test_marks_belong_to_keys_and_escape_takes_them_away() -> None:
    grid = Grid(COLUMNS, listed("a", "b", "c"), markable=True)
    async with GridApp(grid).run_test() as pilot:
        assert grid.chosen() == ["a"]
        await pilot.press("space", "down", "space")
        assert grid.marks == {"a", "c"}
        assert grid.chosen() == ["a", "c"]
        assert grid.render_line(1).text.startswith("●")
        grid.set_source(listed("c", "b"), keep_marks=True)
        assert grid.marks == {"c"}
        await pilot.press("ctrl+a")
        assert grid.marks == {"b", "c"}
        await pilot.press("escape")
        assert grid.marks == frozenset()
        assert grid.check_action("unmark", ()) is False


async def test_one_row_is_refreshed_alone() -> None:
    source = Million(100)
    grid = Grid(COLUMNS, source)
    async with GridApp(grid).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        source.asked.clear()
        grid.refresh_row("m5")
        await pilot.pause()
        assert set(source.asked) == {5}
        source.asked.clear()
        grid.refresh_row("m77")  # out of sight
        await pilot.pause()
        assert set(source.asked) <= {77}


async def test_too_narrow_it_scrolls_sideways_and_frozen_columns_stay() -> None:
    grid = Grid(COLUMNS, Million(10), column_cursor=True)
    async with GridApp(grid).run_test(size=(24, 8)) as pilot:
        await pilot.press("l", "l")
        assert grid.cursor_column == "text"
        assert grid.scroll_offset.x > 0
        line = grid.render_line(1).text
        assert line.startswith("▸ m0")
        assert "text" in line
        await pilot.press("h", "h")
        assert grid.cursor_column == "id"


async def test_no_scroll_bar_calls_up_the_other() -> None:
    grid = Grid(COLUMNS, Million(3))
    async with GridApp(grid).run_test(size=(80, 24)) as pilot:
        for count in (1_000, 3, 23, 24):
            grid.set_source(Million(count))
            await pilot.pause()
            assert grid.show_horizontal_scrollbar is False
            assert grid.virtual_size.width == grid.scrollable_content_region.width


async def test_the_mouse_moves_chooses_marks_and_sorts() -> None:
    seen: list[Message] = []
    grid = Grid(COLUMNS, listed("a", "b", "c"), markable=True)
    async with GridApp(grid).run_test(message_hook=seen.append) as pilot:
        await pilot.click(grid, offset=(4, 3))
        assert grid.cursor_key == "c"
        await pilot.double_click(grid, offset=(4, 2))
        await pilot.click(grid, offset=(0, 1))
        assert grid.marks == {"a"}
        await pilot.click(grid, offset=(11, 0))
        await pilot.pause()
    assert [m.key for m in told(seen, Grid.RowSelected)] == ["b"]
    assert [m.column for m in told(seen, Grid.HeaderClicked)] == ["scope"]


async def test_sort_sign_and_columns() -> None:
    grid = Grid(COLUMNS, listed("a"), column_cursor=True)
    async with GridApp(grid).run_test() as pilot:
        grid.set_sort("id", reverse=True)
        await pilot.pause()
        assert "id▼" in grid.render_line(0).text
        await pilot.press("right")
        grid.set_columns([COLUMNS[1], COLUMNS[2]])
        assert grid.cursor_column == "scope"


HOSTILE = [
    "[/foo]",
    "[@click=app.quit]x[/]",
    "[red]list[int]",
    "trailing \\",
    "\x1b]2;title\x1b\\",
    "\x1b]52;c;aGk=\x07",
    "\u202eright to left",
    "zero\u200bwidth",
    "nul\x00",
    "\r\n\t",
]


@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_cells_are_shown_inert_and_whole(text: str) -> None:
    grid = Grid([Column("t", text, 40, flex=1)], RowList([text], str, lambda each: [Piece(each, "yes")]), empty=text)
    async with GridApp(grid).run_test(size=(80, 6)) as pilot:
        await pilot.pause()
        strip = grid.render_line(1)
        assert visible(text) in strip.text
        assert all(segment.style is None or not segment.style.meta for segment in strip)
        for y in (0, 1):
            assert not any(ord(char) < 32 or char in "\u202e\u200b" for char in grid.render_line(y).text)


async def test_as_table_gives_the_data_itself() -> None:
    grid = Grid(COLUMNS, RowList(["a\x1b"], str, lambda each: [each, [Piece("0"), Piece("→1", "changed")], "t"]))
    names, rows = grid.as_table()
    assert names == ["id", "S", "text"]
    assert list(rows) == [["a\x1b", "0→1", "t"]]
