"""The mapping assistant's screen: what is proposed, what each key changes, what is tried and written."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static

from inspector.requests import OpenOptions, OpenRequest
from inspector.ui.app import InspectorApp
from inspector.ui.screens.ask import AskDialog
from inspector.ui.screens.chooser import ChooserScreen
from inspector.ui.screens.error import ErrorDialog
from inspector.ui.screens.inspect import InspectScreen
from inspector.ui.screens.mapping import MappingScreen
from inspector.ui.screens.mapping_ask import PlaceDialog
from inspector.ui.screens.mapping_rule import RuleDialog
from inspector.ui.screens.reading import ReadingDialog
from inspector.ui.widgets.grid import Grid

Until = Callable[..., Any]
FACTS = [
    {"ref": "f1", "body": "Ana lives in Porto now.", "owner": "ana", "org": "acme", "at": 1772600000},
    {"ref": "f2", "body": "보는 리스본에 산다 지금.", "owner": "bo", "org": "acme", "at": 1772500000},
    {"ref": "f3", "body": "[/foo] \x1b]2;x\x07 [@click=app.quit]x[/]", "owner": "ana", "org": "acme"},
    {"ref": "f4", "body": ["no text"], "owner": "[red]", "org": "acme"},
]


@pytest.fixture
def export(tmp_path: Path, config_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    path = tmp_path / "facts.json"
    path.write_text(json.dumps({"log": [{"x": 1}], "facts": FACTS}))
    return path


async def tried(pilot: Pilot[Any], until: Until) -> MappingScreen:
    """The screen once the first records were tried."""
    app = pilot.app
    await until(lambda: isinstance(app.screen, MappingScreen) and bool(app.screen.rows))
    await pilot.pause()
    assert isinstance(app.screen, MappingScreen)
    return app.screen


def axes(screen: MappingScreen) -> list[str]:
    names = ("scope", "policy", "lifecycle")
    return ["x" if row.problem else "".join(row.trits[name].symbol for name in names) for row in screen.rows]


def says(screen: MappingScreen) -> str:
    return str(screen.query_one("#says", Static).content)


def key_at(screen: MappingScreen, key: str) -> None:
    screen.query_one("#fields", Grid).move_cursor(key=key)


async def test_open_correct_write_and_inspect(export: Path, until: Until, tmp_path: Path) -> None:
    app = InspectorApp(OpenRequest((export,), OpenOptions(route="global_bm25", lenient=True)))
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await tried(pilot, until)
        assert "not recognised" in str(screen.query_one("#why", Static).content)
        assert screen.assistant is not None
        # a list is no text; the tenant stands before the owner; nobody says a state
        assert axes(screen) == ["1??", "0??", "1??", "x"]
        assert "1 of 4 records cannot be read this way" in says(screen)
        # the owner alone
        key_at(screen, "namespace")
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, RuleDialog))
        grid = app.screen.query_one(Grid)
        assert grid.marks == {"org", "owner"}
        await pilot.press("escape")  # takes the marks away
        assert not grid.marks
        grid.move_cursor(key="owner")
        await pilot.press("enter")
        await until(lambda: app.screen is screen and screen.assistant.rules["namespace"].paths == ("owner",))
        # a constant for the state: lifecycle follows
        key_at(screen, "status")
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, RuleDialog))
        line = app.screen.query_one("#line-constant", Input)
        line.focus()
        line.value = "active"
        await pilot.press("enter")
        await until(lambda: axes(screen) == ["1?1", "0?1", "1?1", "x"])
        await pilot.press("backspace")
        await until(lambda: axes(screen) == ["1??", "0??", "1??", "x"])
        # a record in full, and what is wrong with one; the screen stays inert
        screen.query_one("#tried", Grid).focus()
        await pilot.press("end", "enter")
        await until(lambda: isinstance(app.screen, ReadingDialog))
        assert isinstance(app.screen, ReadingDialog)
        assert "Cannot be read: text" in app.screen.copy_text()
        await pilot.press("escape", "ctrl+s")
        await until(lambda: isinstance(app.screen, PlaceDialog))
        assert app.screen.query_one(Input).value == str(tmp_path / "mapping.toml")
        (tmp_path / "mapping.toml").write_text("mine")
        await pilot.press("enter")
        await pilot.pause()
        assert (tmp_path / "mapping.toml").read_text() == "mine"
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, InspectScreen))
        assert app.inspection is not None
        assert [memory.id for memory in app.inspection.memories] == ["f1", "f2", "f3"]
        assert app.request is not None
        assert app.request.options.mapping == tmp_path / "mapping.toml"
        await pilot.pause()  # the app is not to end while the screen is still being made


async def test_what_is_lacking_is_said_and_nothing_is_written(export: Path, until: Until, tmp_path: Path) -> None:
    app = InspectorApp(OpenRequest((export,), OpenOptions()))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        screen = await tried(pilot, until)
        key_at(screen, "text")
        await pilot.press("delete")
        await until(lambda: "memories.fields.text: is missing" in says(screen))
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert app.screen is screen
        await pilot.press("P")
        await until(lambda: bool(screen.rows) and "text" in screen.assistant.rules)  # type: ignore[union-attr]
        # a unit that is none is refused in place
        key_at(screen, "created_at")
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, RuleDialog))
        dialog = app.screen
        dialog.query_one(Grid).move_cursor(key="at")
        dialog.query_one("#line-unit", Input).value = "weeks"
        await pilot.press("enter")
        await pilot.pause()
        assert app.screen is dialog
        assert "is no unit of time" in str(dialog.query_one(".says", Static).content)
        await pilot.press("escape", "escape")
        await until(lambda: isinstance(app.screen, ChooserScreen))
        assert not (tmp_path / "mapping.toml").exists()


async def test_another_list_another_table_and_a_zone(tmp_path: Path, export: Path, until: Until) -> None:
    path = tmp_path / "m.db"
    with sqlite3.connect(path) as base:
        base.execute("CREATE TABLE notes (id TEXT, body TEXT, made TEXT)")
        base.execute("CREATE TABLE wide (a, b, c, d, e)")
        base.execute("INSERT INTO notes VALUES ('n1', 'Ana lives in Porto.', '2026-01-05T08:00:00')")
        base.execute("INSERT INTO wide VALUES (1, 2, 3, 4, 5)")
    app = InspectorApp()
    async with app.run_test(size=(120, 40)) as pilot:
        app.map_source(OpenRequest((path,), OpenOptions()))
        await until(lambda: isinstance(app.screen, MappingScreen) and app.screen.assistant is not None)
        screen = app.screen
        assert isinstance(screen, MappingScreen)
        assert screen.assistant is not None
        assert screen.assistant.sample.table == "wide"
        key_at(screen, "@where")
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, AskDialog))
        await pilot.press("down", "enter")
        await until(lambda: screen.assistant is not None and screen.assistant.sample.table == "notes")
        await until(lambda: bool(screen.rows))
        key_at(screen, "@zone")
        await pilot.press("enter")
        await until(lambda: app.screen is not screen)
        for zone, expected in (("Mars", ""), ("Asia/Seoul", "Asia/Seoul")):
            app.screen.query_one(Input).value = zone
            await pilot.press("enter")
            await asyncio.sleep(0.05)
            assert screen.assistant.timezone == expected
        assert app.screen is screen


async def test_a_source_that_cannot_be_sampled(tmp_path: Path, export: Path, until: Until) -> None:
    path = tmp_path / "empty.json"
    path.write_text("[]")
    app = InspectorApp()
    async with app.run_test(size=(80, 24)) as pilot:
        app.map_source(OpenRequest((path,), OpenOptions()))
        await until(lambda: isinstance(app.screen, ErrorDialog))
        await pilot.press("escape")
        assert isinstance(app.screen, ChooserScreen)


@pytest.mark.parametrize(("size", "look"), [((80, 24), "inspector-dark"), ((120, 40), "inspector-light")])
def test_pictures(
    snap_compare: Any, export: Path, until: Until, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int], look: str
) -> None:
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    app = InspectorApp(OpenRequest((export,), OpenOptions()))
    app.theme = look

    async def shown(pilot: Pilot[Any]) -> None:
        await tried(pilot, until)

    assert snap_compare(app, terminal_size=size, run_before=shown)
