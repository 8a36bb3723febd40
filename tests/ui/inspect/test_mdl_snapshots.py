"""Pictures of the MDL tab: three sizes, dark, light and without colour; its plots; where mdl is null.

Made anew with ``pytest tests/ui --snapshot-update``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from inspector.requests import OpenOptions, OpenRequest, demo_folder
from inspector.ui.app import InspectorApp
from inspector.ui.screens.inspect import InspectScreen
from inspector.ui.widgets import mdl_plots

Compare = Callable[..., bool]


@pytest.fixture(autouse=True)
def fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No motion, no colour setting of the developer's, and plots at once."""
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    monkeypatch.delenv("NO_COLOR", raising=False)
    mdl_plots.load()


def app_on(name: str, look: str, monkeypatch: pytest.MonkeyPatch) -> InspectorApp:
    """The app that will open the bundled store, dressed."""
    if look == "no-color":
        monkeypatch.setenv("NO_COLOR", "1")
    folder = demo_folder(name)
    app = InspectorApp(OpenRequest((folder,), OpenOptions(temporary=True), demo=name))
    if look != "no-color":
        app.theme = look
    return app


def at_tab(*keys: str) -> Callable[[Pilot[Any]], Any]:
    """Until the candidates are there, then to the tab, then these keys."""

    async def run(pilot: Pilot[Any]) -> None:
        for _ in range(1_000):
            await pilot.pause(0.02)
            if isinstance(pilot.app.screen, InspectScreen):
                break
        await pilot.pause(0.2)
        for key in ("D", "right_curly_bracket", "right_curly_bracket", *keys):
            await pilot.press(key)
            await pilot.pause(0.05)
        await pilot.pause(0.4)

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
def test_mdl(snap_compare: Compare, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int], look: str) -> None:
    app = app_on("adoption", look, monkeypatch)
    assert snap_compare(app, terminal_size=size, run_before=at_tab("down", "shift+left"))


def test_plots_and_constants(snap_compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    app = app_on("adoption", "inspector-dark", monkeypatch)
    assert snap_compare(app, terminal_size=(120, 40), run_before=at_tab("f10", "pagedown"))


def test_null(snap_compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    app = app_on("korean-hotel", "inspector-light", monkeypatch)
    assert snap_compare(app, terminal_size=(80, 24), run_before=at_tab())
