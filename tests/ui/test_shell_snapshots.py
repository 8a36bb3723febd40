"""Pictures of the shell at three sizes, in dark, light and without colour; made anew with ``--snapshot-update``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

import inspector.inspection as door
import inspector.requests as asked
from inspector.errors import InputError
from inspector.requests import Demo
from inspector.ui.app import InspectorApp
from inspector.ui.screens.loading import LoadingScreen
from inspector.ui.widgets.grid import Grid
from inspector.views import Recent

SIZES = [(80, 24), (120, 40), (200, 60)]
LOOKS = ["inspector-dark", "inspector-light", "no-color"]
DEMOS = [
    Demo("anniversary", "The best match belongs to another guest: relevant is not usable", "", "en"),
    Demo("korean", "호텔: 가장 비슷한 기억이 다른 손님의 것일 때, 그리고 그 다음에 일어나는 일", "", "ko"),
    Demo("hostile", "[/foo] [@click=app.quit]x[/] \x1b]2;x\x07 \u202e", "", "en"),
]
RECENT = [Recent("/w/1", ("/data/rhelm",), "rhelm", "2026-05-01T10:00:00Z", 8_082, 862)]
Compare = Callable[..., bool]


@pytest.fixture(autouse=True)
def fixed(monkeypatch: pytest.MonkeyPatch, config_home: Path) -> None:
    """The same lists, folders and motion on every machine."""
    monkeypatch.setattr(asked, "demos", lambda: DEMOS)
    monkeypatch.setattr(door, "recent", lambda: RECENT)
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    monkeypatch.delenv("NO_COLOR", raising=False)


def dressed(look: str, monkeypatch: pytest.MonkeyPatch) -> InspectorApp:
    """The app in a theme, or in the default one without colour."""
    if look == "no-color":
        monkeypatch.setenv("NO_COLOR", "1")
        return InspectorApp()
    app = InspectorApp()
    app.theme = look
    return app


async def filled(pilot: Pilot[Any]) -> None:
    """Until the thread has filled the lists."""
    for _ in range(500):
        await pilot.pause(0.02)
        if pilot.app.screen.query("#demos") and pilot.app.screen.query_one("#demos", Grid).row_count == len(DEMOS):
            break
    await pilot.pause()


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_start(snap_compare: Compare, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int], look: str) -> None:
    assert snap_compare(dressed(look, monkeypatch), terminal_size=size, run_before=filled)


@pytest.mark.parametrize("look", LOOKS)
def test_error(snap_compare: Compare, monkeypatch: pytest.MonkeyPatch, look: str) -> None:
    app = dressed(look, monkeypatch)

    async def fail(pilot: Pilot[Any]) -> None:
        await filled(pilot)
        app.show_error(
            InputError.at("m.jsonl", 7, "status", f"{DEMOS[2].lesson!s} is not known", "a word such as active")
        )
        await pilot.pause()

    assert snap_compare(app, terminal_size=(80, 24), run_before=fail)


@pytest.mark.parametrize("keys", [("question_mark",), ("ctrl+t",), ("semicolon",)], ids=["help", "themes", "jump"])
def test_overlays(snap_compare: Compare, monkeypatch: pytest.MonkeyPatch, keys: tuple[str, ...]) -> None:
    async def press(pilot: Pilot[Any]) -> None:
        await filled(pilot)
        await pilot.press(*keys)
        await pilot.pause()

    assert snap_compare(dressed("inspector-dark", monkeypatch), terminal_size=(80, 24), run_before=press)


def test_loading(
    snap_compare: Compare, store: Any, shell: type[InspectorApp], tmp_path: Path, until: Callable[..., Any]
) -> None:
    app = shell(door.OpenRequest((tmp_path / "notes",), door.OpenOptions()))

    async def begun(pilot: Pilot[Any]) -> None:
        await until(store.evaluating.is_set)
        await until(lambda: isinstance(app.screen, LoadingScreen))
        await pilot.pause(0.3)

    try:
        assert snap_compare(app, terminal_size=(80, 24), run_before=begun)
    finally:
        store.go.set()
