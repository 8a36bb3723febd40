"""Texts that would act on a terminal or on markup, very long ones, and wide ones: shown whole and inert (STYLE 5b)."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from inspector.text import visible
from inspector.ui.widgets.reader import Reader

OpenBench = Callable[..., AbstractAsyncContextManager[Any]]
NASTY = (
    "\x1b]2;owned\x1b\\ [/foo] [@click=app.quit]x[/] [red] list[int] [TODO] \x9b31m \u202edesrever\u202c "
    "zero\u200bwidth nul\x00 bell\x07 tab\there \\"
)
EVERYWHERE = ["id", "namespace", "status", "session_id", "semantic_tag", "superseded_by", "source"]


def inert(text: str) -> bool:
    """Whether nothing in the text could act on a terminal: no control, format or line separating character."""
    return not acting(text)


def acting(text: str) -> set[str]:
    """The characters of a text that could act on a terminal."""
    return {char for char in text if char != "\n" and unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp", "Cs")}


def nasty_store() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    memory: dict[str, Any] = {name: f"{name} {NASTY}" for name in EVERYWHERE}
    memory |= {"text": f"tea {NASTY}\nsecond line", "allowed_purposes": [NASTY], "keys": {NASTY: NASTY}, NASTY: NASTY}
    query: dict[str, Any] = {
        "id": f"q {NASTY}",
        "text": f"tea {NASTY}",
        "principal": {"id": NASTY, "namespaces": [NASTY], "roles": [NASTY]},
        "purpose": NASTY,
        "session_id": NASTY,
        "claimed_session_id": f"other {NASTY}",
        "semantic_tag": NASTY,
        "required": [NASTY],
    }
    return [memory], [query]


async def test_hostile_text_is_inert_on_every_tab_and_dialog(bench: OpenBench) -> None:
    async with bench(*nasty_store(), size=(80, 24)) as b:
        for keys in (
            (),
            ("right_curly_bracket",),
            ("right_curly_bracket",),
            ("right_curly_bracket", "b"),
            ("Q",),
            ("D",),
            ("t",),
            ("escape", "C", "t"),
            ("escape", "w"),
            ("escape", "e"),
            ("escape", "b", "e"),
            ("escape", "f", "E"),
        ):
            await b.press(*keys)
            assert b.app.is_running
            assert not acting(b.seen()), keys
        await b.press("escape")
        assert b.app.screen is b.screen
        assert "[/foo]" in b.seen()
        await b.pilot.resize_terminal(200, 60)
        for _ in range(3):
            await b.press("right_curly_bracket")
            assert not acting(b.seen())


async def test_hostile_text_is_inert_while_it_is_edited(bench: OpenBench) -> None:
    async with bench(*nasty_store()) as b:
        b.screen.detail.go_to("record", focus=True)
        await b.settle()
        reader = b.screen.record.reader
        for name in ("text", "status", "namespace", "allowed_purposes", "keys", "meta", "source"):
            key = next(item.key for item in reader.items if getattr(item.key, "name", "") == name)
            reader.go_to(key)
            await b.press("e")
            assert b.screen.record.editor is not None, name
            assert inert(b.seen()), name
            # Saving what was not touched is no edit: the form carries every character.
            await b.press("ctrl+s")
            assert b.inspection.memories[0].edits == {}, name


async def test_saved_unchanged_after_typing_keeps_every_character(bench: OpenBench) -> None:
    async with bench(*nasty_store()) as b:
        b.screen.detail.go_to("record", focus=True)
        await b.settle()
        reader = b.screen.record.reader
        reader.go_to(next(item.key for item in reader.items if getattr(item.key, "name", "") == "text"))
        before = b.inspection.memories[0].text
        await b.press("e", "end", "ctrl+end", "x", "backspace", "ctrl+s")
        assert b.inspection.memories[0].text == before


async def test_pasted_controls_become_signs(bench: OpenBench) -> None:
    async with bench() as b:
        await b.press("slash")
        line = b.app.focused
        line.insert_text_at_cursor("a\x1b[31mb\u202e\tc\r\nd")
        await b.settle()
        assert line.value == "a␛[31mb⟨U+202E⟩    c d"
        assert inert(b.seen())


def shown_by(reader: Reader) -> str:
    """What the pane's lines show, one after the other without the line ends that wrapping made."""
    lines = [reader._line_content(number).plain for number in range(reader.virtual_size.height)]
    return "".join(line.lstrip("▸›") if number == 0 else line for number, line in enumerate(lines))


LONG = {
    "words": "word " * 1_000,
    "one-word": "x" * 5_000,
    "korean": "기억은 열쇠가 아니다. " * 500,
    "japanese": "記憶の場所と、文脈。" * 500,
    "mixed": "mixed 한글 and 漢字 with emoji 👩‍👩‍👧 and é " * 120,
}


async def test_long_text_is_shown_whole(bench: OpenBench) -> None:
    memories = [{"id": name, "text": text} for name, text in LONG.items()]
    async with bench(memories, [{"id": "q", "text": "tea"}]) as b:
        b.screen.detail.go_to("record")
        for mi, text in enumerate(LONG.values()):
            b.screen.candidate_pane.show_memory(mi)
            await b.press("t")
            reader = b.app.screen.query_one(Reader)
            assert shown_by(reader) == visible(text)
            # No line is wider than the pane, counted in terminal cells.
            width = reader.scrollable_content_region.width
            assert all(reader._line_content(n).cell_length <= width for n in range(reader.virtual_size.height))
            await b.press("escape")
            assert visible(text) in b.screen.record.reader.plain()


async def test_a_megabyte_on_one_line(bench: OpenBench) -> None:
    text = "tea " + "\x1b[2J" + "y" * 1_000_000
    async with bench([{"id": "m1", "text": text}]) as b:
        assert "m1" in b.seen()
        await b.press("right_curly_bracket", "D", "end")
        assert inert(b.seen())
        assert visible(text) in b.screen.record.reader.plain()
        await b.press("C", "t")
        reader = b.app.screen.query_one(Reader)
        assert shown_by(reader) == visible(text)
        await b.press("end")
        assert inert(b.seen())
        await b.press("escape")
        b.screen.candidate_pane.grid.move_cursor(column="text")
        await b.press("e")
        assert "too long to be typed here" in b.seen()
        await b.press("escape")
        assert b.inspection.edits() == []


async def test_wide_characters_keep_the_columns_straight(bench: OpenBench) -> None:
    memories = [
        {"id": "짧은-기억", "text": "차 한 잔", "namespace": "김민지"},
        {"id": "m2", "text": "차", "namespace": "bob"},
    ]
    async with bench(
        memories, [{"id": "질문", "text": "차", "principal": {"id": "김민지", "namespaces": ["김민지"]}}]
    ) as b:
        grid = b.screen.candidate_pane.grid
        ends = {sum(s.cell_length for s in grid.render_line(y)) for y in range(1, 3)}
        assert len(ends) == 1  # every line is exactly as wide as the table
        assert "짧은-기억" in b.seen()
