"""Pictures of boundary states: the dialog of transitions, a session's lanes without tags, session × tag and paths."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from textual.pilot import Pilot

from inspector.inspection import OpenOptions, OpenRequest, demo_folder
from inspector.ui.app import InspectorApp
from inspector.ui.screens.inspect import InspectScreen
from inspector.ui.screens.store import StoreScreen


def shown(*keys: str) -> Callable[[Pilot[int]], Awaitable[None]]:
    async def run(pilot: Pilot[int]) -> None:
        for _ in range(500):
            if isinstance(pilot.app.screen, InspectScreen):
                break
            await pilot.pause(0.02)
        await pilot.pause(0.4)
        for key in keys:
            await pilot.press(key)
            await pilot.pause(0.1)
            screen = pilot.app.screen
            if isinstance(screen, StoreScreen) and screen.state.view == "lanes":
                for _ in range(200):
                    if screen.lanes.run is not None and screen.state.report is not None:
                        break
                    await pilot.pause(0.02)
        await pilot.pause(0.6)

    return run


def app(store: str, route: str | None = None) -> InspectorApp:
    made = InspectorApp(OpenRequest((demo_folder(store),), OpenOptions(temporary=True, route=route), demo=store))
    made.theme = "inspector-light"
    return made


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
def test_transitions(snap_compare: Callable[..., bool], size: tuple[int, int]) -> None:
    assert snap_compare(app("session-two-tasks"), terminal_size=size, run_before=shown("M"))


def test_lanes_of_a_session_without_tags(snap_compare: Callable[..., bool]) -> None:
    assert snap_compare(app("session-fixed-path"), terminal_size=(120, 40), run_before=shown("o", "4"))


@pytest.mark.parametrize("store", ["session-resent", "session-fixed-path"])
def test_session_tag_key_and_path(snap_compare: Callable[..., bool], store: str) -> None:
    assert snap_compare(app(store, "dual_path"), terminal_size=(160, 40), run_before=shown())
