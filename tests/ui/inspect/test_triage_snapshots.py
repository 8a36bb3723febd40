"""Pictures of the Triage screen and of the tabs Prompt and Answer: sizes, light, without colour, Korean.

Made anew with ``pytest tests/ui --snapshot-update``.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from textual.pilot import Pilot

from inspector.requests import OpenOptions, OpenRequest, demo_folder
from inspector.ui.app import InspectorApp
from inspector.ui.screens import triage as triage_screen
from inspector.ui.screens.inspect import InspectScreen
from inspector.ui.screens.triage import TriageScreen

Compare = Callable[..., bool]


@pytest.fixture(autouse=True)
def fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No motion, no colour setting of the developer's, and one morning for all ages."""

    monkeypatch.setattr(triage_screen, "clock", lambda: datetime(2026, 5, 9, 6, 30, tzinfo=UTC))
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    monkeypatch.delenv("NO_COLOR", raising=False)


def app_on(look: str, monkeypatch: pytest.MonkeyPatch, *, place: Any = "triage") -> InspectorApp:
    """The app that will open the bundled incidents, dressed."""
    if look == "no-color":
        monkeypatch.setenv("NO_COLOR", "1")
    request = OpenRequest((demo_folder("incidents"),), OpenOptions(temporary=True), demo="incidents", place=place)
    app = InspectorApp(request)
    if look != "no-color":
        app.theme = look
    return app


def after(*keys: str, query: str = "", tab: str = "") -> Callable[[Pilot[Any]], Any]:
    """Until the incidents are worked out, or the candidates are there, then these keys."""

    async def run(pilot: Pilot[Any]) -> None:
        for _ in range(1_000):
            await pilot.pause(0.02)
            screen = pilot.app.screen
            if isinstance(screen, TriageScreen) and screen.is_up_to_date() and not screen.running("incidents"):
                break
            if isinstance(screen, InspectScreen) and query:
                break
        await pilot.pause(0.3)
        screen = pilot.app.screen
        if isinstance(screen, InspectScreen):
            screen.query_pane.grid.move_cursor(key=screen.inspection.find_query(query))
            await pilot.pause(0.1)
            screen.detail.go_to(tab, focus=True)
        for key in keys:
            await pilot.press(key)
            await pilot.pause(0.05)
        await pilot.pause(0.5)

    return run


@pytest.mark.parametrize(
    ("size", "look"),
    [
        ((80, 24), "inspector-dark"),
        ((120, 40), "inspector-light"),
        ((120, 40), "no-color"),
        ((200, 60), "inspector-dark"),
    ],
    ids=["80x24-dark", "120x40-light", "120x40-no-color", "200x60-dark"],
)
def test_triage(snap_compare: Compare, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int], look: str) -> None:
    assert snap_compare(app_on(look, monkeypatch), terminal_size=size, run_before=after("n", "n", "c", "n"))


def test_groups(snap_compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    app = app_on("inspector-dark", monkeypatch)
    assert snap_compare(app, terminal_size=(120, 40), run_before=after("b", "z", "down", "down", "enter"))


@pytest.mark.parametrize("look", ["inspector-dark", "no-color"])
@pytest.mark.parametrize(
    ("query", "tab"), [("room-number", "answer"), ("pool-hours", "prompt")], ids=["answer", "prompt"]
)
def test_tabs(snap_compare: Compare, monkeypatch: pytest.MonkeyPatch, query: str, tab: str, look: str) -> None:
    app = app_on(look, monkeypatch, place="inspect")
    assert snap_compare(app, terminal_size=(120, 40), run_before=after(query=query, tab=tab))
