"""Pictures of the MDL tab: three sizes, dark, light and without colour; its plots; where mdl is null.

Made anew with ``pytest tests/ui --snapshot-update``.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from inspector.ui.widgets import mdl_plots

Picture = Callable[..., bool]
#: From the candidates to the tab.
TAB = ("D", "right_curly_bracket", "right_curly_bracket")


@pytest.fixture(autouse=True)
def plots_at_once() -> None:
    """What makes the plots is there when the tab is shown."""
    mdl_plots.load()


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
def test_mdl(picture: Picture, size: tuple[int, int], look: str) -> None:
    assert picture("adoption", size, *TAB, "down", "shift+left", look=look)


def test_plots_and_constants(picture: Picture) -> None:
    assert picture("adoption", (120, 40), *TAB, "f10", "pagedown", look="inspector-dark")


def test_null(picture: Picture) -> None:
    assert picture("korean-hotel", (80, 24), *TAB, look="inspector-light")
