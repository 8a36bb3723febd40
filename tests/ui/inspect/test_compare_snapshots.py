"""Pictures of the Compare screen: table, plots, label errors, queries; three sizes, dark, light, without colour.

Made anew with ``pytest tests/ui --snapshot-update``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from inspector.requests import OpenOptions, OpenRequest, demo_folder
from inspector.ui.app import InspectorApp
from inspector.ui.screens.compare import CompareScreen
from inspector.ui.screens.inspect import InspectScreen

Snap = Callable[..., bool]


@pytest.fixture(autouse=True)
def fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No motion, and no colour setting of the developer's."""
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    monkeypatch.delenv("NO_COLOR", raising=False)


def after(*keys: str) -> Callable[[Pilot[Any]], Any]:
    """Until the routes are compared; then these keys, each until nothing is worked out any more."""

    async def done(pilot: Pilot[Any]) -> None:
        for _ in range(1_000):
            await pilot.pause(0.02)
            screen = pilot.app.screen
            if not isinstance(screen, CompareScreen) or (screen.state.loaded and not screen.works):
                break
        await pilot.pause(0.1)

    async def run(pilot: Pilot[Any]) -> None:
        for _ in range(1_000):
            await pilot.pause(0.02)
            if isinstance(pilot.app.screen, InspectScreen):
                break
        await pilot.pause(0.2)
        for key in ("V", *keys):
            await pilot.press(key)
            await done(pilot)
        await pilot.pause(0.3)

    return run


@pytest.mark.parametrize(
    ("size", "look", "keys"),
    [
        ((80, 24), "inspector-dark", ("right", "right", "down")),
        ((200, 60), "inspector-dark", ("right", "right", "right", "right")),
        ((120, 40), "inspector-light", ("2", "n", "down")),
        ((120, 40), "no-color", ("2", "n", "down")),
        ((80, 24), "inspector-dark", ("2", "down")),
        ((120, 40), "inspector-dark", ("3", "R", "down")),
        ((120, 40), "inspector-dark", ("down", "right", "right", "enter", "down")),
        ((80, 24), "no-color", ("r",)),
    ],
    ids=["table-80", "table-200", "plots-light", "plots-no-color", "plot-80", "labels", "queries", "settings-80"],
)
def test_compare(
    snap_compare: Snap, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int], look: str, keys: tuple[str, ...]
) -> None:
    if look == "no-color":
        monkeypatch.setenv("NO_COLOR", "1")
    app = InspectorApp(OpenRequest((demo_folder("incidents"),), OpenOptions(temporary=True), demo="incidents"))
    if look != "no-color":
        app.theme = look
    assert snap_compare(app, terminal_size=size, run_before=after(*keys))
