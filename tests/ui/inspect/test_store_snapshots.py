"""Pictures of the Gate tab and of the Store screen: three sizes, dark, light, without colour, Korean.

Made anew with ``pytest tests/ui --snapshot-update``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from inspector.requests import OpenOptions, OpenRequest, demo_folder
from inspector.ui.app import InspectorApp
from inspector.ui.screens.inspect import InspectScreen
from inspector.ui.screens.store import StoreScreen

SIZES = [(80, 24), (120, 40), (200, 60)]
LOOKS = ["inspector-dark", "inspector-light", "no-color"]
Compare = Callable[..., bool]


@pytest.fixture(autouse=True)
def fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No motion, and no colour setting of the developer's."""
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    monkeypatch.delenv("NO_COLOR", raising=False)


def app_on(source: Path, look: str, monkeypatch: pytest.MonkeyPatch) -> InspectorApp:
    """The app that will open the store, dressed."""
    if look == "no-color":
        monkeypatch.setenv("NO_COLOR", "1")
    options = OpenOptions(temporary=True, route="global_bm25")
    app = InspectorApp(OpenRequest((source,), options, demo=source.name))
    if look != "no-color":
        app.theme = look
    return app


def after(*keys: str) -> Callable[[Pilot[Any]], Any]:
    """Until the candidates are there and, on the Store screen, the findings; then these keys."""

    async def run(pilot: Pilot[Any]) -> None:
        for _ in range(1_000):
            await pilot.pause(0.02)
            if isinstance(pilot.app.screen, InspectScreen):
                break
        await pilot.pause(0.2)
        for key in keys:
            await pilot.press(key)
            await pilot.pause(0.05)
            screen = pilot.app.screen
            for _ in range(500):
                if not isinstance(screen, StoreScreen) or screen.state.report is not None:
                    break
                await pilot.pause(0.02)
        await pilot.pause(0.4)

    return run


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_gate_tab(snap_compare: Compare, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]) -> None:
    app = app_on(demo_folder("gate-gaps"), "inspector-dark", monkeypatch)

    async def to_gate(pilot: Pilot[Any]) -> None:
        await after("n", "n", "n", "n", "n")(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, InspectScreen)
        screen.detail.go_to("gate", focus=True)
        await pilot.pause(0.3)

    assert snap_compare(app, terminal_size=size, run_before=to_gate)


@pytest.mark.parametrize("look", LOOKS)
def test_short_form(snap_compare: Compare, monkeypatch: pytest.MonkeyPatch, look: str) -> None:
    app = app_on(demo_folder("gate-gaps"), look, monkeypatch)
    assert snap_compare(app, terminal_size=(80, 24), run_before=after("F", "tab", "tab", "x"))


# Every size in one look, and every look in one size: a size and a look do not depend on each other.
@pytest.mark.parametrize(
    ("size", "look"),
    [*((size, "inspector-dark") for size in SIZES), *((SIZES[1], look) for look in LOOKS if look != "inspector-dark")],
    ids=lambda one: one if isinstance(one, str) else f"{one[0]}x{one[1]}",
)
def test_coverage(snap_compare: Compare, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int], look: str) -> None:
    app = app_on(demo_folder("gate-gaps"), look, monkeypatch)
    assert snap_compare(app, terminal_size=size, run_before=after("o", "2", "right"))


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_records(snap_compare: Compare, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]) -> None:
    app = app_on(demo_folder("korean-hotel"), "inspector-light", monkeypatch)
    assert snap_compare(app, terminal_size=size, run_before=after("o", "down"))


@pytest.mark.parametrize(("view", "name"), [("3", "gate-gaps"), ("4", "two-tasks")], ids=["findings", "lanes"])
def test_views(snap_compare: Compare, monkeypatch: pytest.MonkeyPatch, view: str, name: str) -> None:
    app = app_on(demo_folder(name), "inspector-dark", monkeypatch)
    assert snap_compare(app, terminal_size=(120, 40), run_before=after("o", view, "down", "down"))
