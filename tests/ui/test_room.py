"""What a presenter needs: a store without its own words on any screen, the keys that are pressed, rows with room."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from inspector.audit.redact import is_plain, strings
from inspector.inspection import Inspection, OpenOptions, OpenRequest, demo_folder, open_sources
from inspector.ui import veil
from inspector.ui.app import InspectorApp
from inspector.ui.screens.inspect import InspectScreen
from inspector.ui.widgets.pressed import PressedLine
from inspector.veiling import RUN, Veil

#: Screens and dialogs of a store, by the keys that lead there from Inspect and back again.
WAYS: tuple[tuple[str, ...], ...] = (
    (),
    ("Q",),
    ("C", "}"),
    ("}",),
    ("}",),
    ("}",),
    ("}",),
    ("}",),
    ("}", "t"),
    ("escape", "e"),
    ("escape", "escape", "w", "a"),
    ("escape", "f"),
    ("E",),
    ("escape", "x"),
    ("escape", "question_mark"),
    ("escape", "b"),
    ("C", "i"),
    ("n", "m"),
    ("y",),
    ("o",),
    ("2",),
    ("3",),
    ("4",),
    ("1", "down", "e"),
    ("escape", "escape", "escape", "escape", "V"),
    ("escape", "T"),
    ("down", "x"),
)


@pytest.fixture(autouse=True)
def open_again(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("textual.screen.UPDATE_PERIOD", 0.5)  # what is searched is rendered when it is searched
    yield
    veil.redact(on=False)


def seen(app: InspectorApp) -> str:
    """What stands on the terminal, blanks in a row as one."""
    lines = (strip.text for strip in app.screen._compositor.render_strips())
    return re.sub(r"\s+", " ", "\n".join(lines))


def originals(inspection: Inspection) -> set[str]:
    """What must not be seen: ids, owners, names, tags, purposes, and every run of words of a text."""
    found: set[str] = set()
    for record in (*inspection.memories, *inspection.queries):
        for text in (record.id, *(each for value in record.fields.values() for each in strings(value))):
            words = text.split()
            if len(words) > RUN:
                found.update(" ".join(words[at : at + RUN]) for at in range(len(words) - RUN + 1))
            elif len(text) > 2 and not is_plain(text) and not text.isdecimal():
                found.add(text)
    # Keys of objects that are the product's own, and words that its screens use themselves.
    return found - {"search", "desk", "system", "current", "summary", "high", "low", "action"}


@asynccontextmanager
async def shown(store: str, size: tuple[int, int] = (120, 40), **flags: Any) -> AsyncIterator[Pilot[int]]:
    request = OpenRequest((demo_folder(store),), OpenOptions(temporary=True))
    app = InspectorApp(request, **flags)
    async with app.run_test(size=size, notifications=True) as pilot:
        for _ in range(400):
            if isinstance(app.screen, InspectScreen):
                break
            await pilot.pause(0.03)
        await pilot.pause()
        yield pilot


def leaked(text: str, hidden: set[str]) -> list[str]:
    return sorted(each for each in hidden if re.search(rf"(?<!\w){re.escape(each)}(?!\w)", text))


@pytest.mark.parametrize(("store", "ways"), [("incidents", WAYS), ("korean-hotel", WAYS[:3])], ids=["en", "ko"])
async def test_no_screen_of_a_redacted_session_shows_the_stores_words(
    store: str, ways: tuple[tuple[str, ...], ...]
) -> None:
    async with shown(store, redact=True) as pilot:
        app = pilot.app
        assert isinstance(app, InspectorApp)
        assert app.inspection is not None
        hidden = originals(app.inspection)
        assert len(hidden) > 50
        for way in ways:
            await pilot.press(*way)
            await pilot.pause(0.06)
            text = seen(app)
            assert leaked(text, hidden) == [], (way, text)
            if way == ():
                assert "⟨m " in text
        if ways is WAYS:
            assert app.last_copied
            assert leaked(app.last_copied, hidden) == []


async def test_the_same_screens_show_them_where_nothing_is_redacted() -> None:
    """The search above can fail: without the flag it finds the words on the first screen."""
    async with shown("incidents") as pilot:
        app = pilot.app
        assert isinstance(app, InspectorApp)
        assert app.inspection is not None
        assert len(leaked(seen(app), originals(app.inspection))) > 5


async def test_a_value_that_is_hidden_is_not_shown_while_it_is_edited_and_kept_where_nothing_is_typed() -> None:
    async with shown("incidents", redact=True) as pilot:
        app = pilot.app
        assert isinstance(app, InspectorApp)
        await pilot.press("C", "e")
        await pilot.pause()
        find = app.screen.query_one(".find", Input)
        find.value = "text"
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        assert app.inspection is not None
        assert leaked(seen(app), originals(app.inspection)) == []
        await pilot.press("ctrl+s")
        await pilot.pause(0.1)
        assert app.inspection.memories[0].text == app.inspection.memories[0].fields["text"]


def store_of(tmp_path: Path, *rows: dict[str, Any]) -> Inspection:
    (tmp_path / "memories.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "queries.jsonl").write_text('{"id": "q1", "text": "Where does she live?"}\n')
    return open_sources((tmp_path,), OpenOptions(temporary=True, route="global_bm25"))


def test_tokens_are_stable_and_what_is_ours_stays(tmp_path: Path) -> None:
    row = {"id": "m1", "text": "Ms. Lind lives in Bergen by the old harbour", "namespace": "lind", "status": "active"}
    with store_of(tmp_path, row, {"id": "note", "text": 'said "no" twice'}) as store:
        hide = Veil(store)
        token = hide("m1")
        assert re.fullmatch(r"⟨m [0-9a-f]{8}⟩", token)
        assert hide("m1") == hide("m1: ")[: len(token)] == token
        assert hide("edit m1 and note") == f"edit {token} and {hide('note')}"
        assert hide("namespace 'lind' is not among them") == f"namespace '{hide('lind')}' is not among them"
        for ours in ("scope", "active", "1", "0.563", "2026-05-08T12:00:00Z", "✗ exclude", "", "  "):
            assert hide(ours) == ours
        # A text that is cut, wrapped or quoted in part is found by its words; so is one in JSON.
        for part in ("lives in Bergen by the o…", "… in Bergen by the old", 'she "lives in Bergen by" it'):
            assert "Bergen" not in hide(part)
        assert "twice" not in hide(r"said \"no\" twice")


def test_what_an_edit_puts_in_is_hidden_too(tmp_path: Path) -> None:
    with store_of(tmp_path, {"id": "m1", "text": "x y"}) as store:
        store.evaluate()
        hide = Veil(store)
        store.subscribe(hide.changed)
        assert hide("kim") == "kim"
        store.edit("memory", [0], "namespace", "kim")
        assert hide("kim").startswith("⟨")


async def test_pressed_keys_are_shown_with_what_they_do_and_hide_nothing() -> None:
    async with shown("anniversary", (80, 24), present=True) as pilot:
        app = pilot.app
        assert isinstance(app, InspectorApp)
        before = {type(each).__name__ for each in app.screen.query("*") if each.region.height}
        await pilot.press("n", "i", "down")
        await pilot.pause()
        text = seen(app)
        assert "keys n i ↓ one row down" in text
        assert "e edit" in text  # the footer is where it was
        assert before - {type(each).__name__ for each in app.screen.query("*") if each.region.height} == set()
        await pilot.press("o")  # on every screen
        await pilot.pause(0.1)
        assert "keys n i ↓ o" in seen(app)
        await pilot.press("ctrl+k")
        await pilot.pause()
        assert not app.screen.query(PressedLine)


async def test_a_roomy_theme_leaves_a_line_between_rows_and_the_mouse_finds_them() -> None:
    async with shown("anniversary", (100, 40)) as pilot:
        app = pilot.app
        assert isinstance(app, InspectorApp)
        assert isinstance(app.screen, InspectScreen)
        grid = app.screen.candidate_pane.grid

        def rows() -> list[int]:
            """The lines of the grid on which candidates stand."""
            lines = [strip.text for strip in app.screen._compositor.render_strips()]
            part = lines[grid.region.y + 1 : grid.region.bottom]
            return [at for at, line in enumerate(part) if re.search(r"0\.\d{3}", line)]

        assert rows()[:3] == [0, 1, 2]
        app.theme = "large-print"
        await pilot.pause(0.1)
        assert rows()[:3] == [0, 2, 4]
        await pilot.click(grid, offset=(12, 1 + 4))
        assert grid.cursor_row == 2
        for _ in range(6):
            await pilot.press("down")
        await pilot.pause()
        assert grid.cursor_row == 8
        assert any("▸" in strip.text for strip in app.screen._compositor.render_strips())
        app.theme = "inspector-dark"
        await pilot.pause(0.1)
        assert rows()[1] - rows()[0] == 1


def test_what_the_ui_shows_goes_through_the_veil() -> None:
    """Only what looks at a text without showing it may use the plain function."""
    looking = {"config", "export", "files", "inspect_ask", "values", "inputs", "editor", "ask_query", "inspect_dialogs"}
    looking |= {"transition"}
    plain = {
        path.stem
        for path in Path(veil.__file__).parent.rglob("*.py")
        if re.search(r"^from inspector\.text import .*\bvisible\b", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert plain - looking == set(), "import visible from inspector.ui.veil"
