"""Pictures of the Triage screen and of the tabs Prompt and Answer: sizes, light, without colour, Korean.

Made anew with ``pytest tests/ui --snapshot-update``.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from inspector.ui.screens import triage as triage_screen
from inspector.ui.screens.inspect import InspectScreen
from inspector.ui.screens.triage import TriageScreen

Picture = Callable[..., bool]


@pytest.fixture(autouse=True)
def fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    """One morning for all ages."""
    monkeypatch.setattr(triage_screen, "clock", lambda: datetime(2026, 5, 9, 6, 30, tzinfo=UTC))


def worked_out(screen: object) -> bool:
    """Whether the incidents are there."""
    return isinstance(screen, TriageScreen) and screen.is_up_to_date() and not screen.running("incidents")


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
def test_triage(picture: Picture, size: tuple[int, int], look: str) -> None:
    assert picture("incidents", size, "n", "n", "c", "n", look=look, place="triage", ready=worked_out)


def test_groups(picture: Picture) -> None:
    keys = ("b", "z", "down", "down", "enter")
    assert picture("incidents", (120, 40), *keys, place="triage", ready=worked_out)


@pytest.mark.parametrize("look", ["inspector-dark", "no-color"])
@pytest.mark.parametrize(
    ("query", "tab"), [("room-number", "answer"), ("pool-hours", "prompt")], ids=["answer", "prompt"]
)
def test_tabs(picture: Picture, query: str, tab: str, look: str) -> None:
    def to_tab(screen: InspectScreen) -> None:
        screen.query_pane.grid.move_cursor(key=screen.inspection.find_query(query))
        screen.detail.go_to(tab, focus=True)

    assert picture("incidents", (120, 40), look=look, then=to_tab)
