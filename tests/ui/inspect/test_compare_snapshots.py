"""Pictures of the Compare screen: table, plots, label errors, queries; three sizes, dark, light, without colour.

Made anew with ``pytest tests/ui --snapshot-update``.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from inspector.ui.screens.compare import CompareScreen

Picture = Callable[..., bool]


def compared(screen: object) -> bool:
    """Whether nothing is worked out any more."""
    return not isinstance(screen, CompareScreen) or (screen.state.loaded and not screen.works)


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
def test_compare(picture: Picture, size: tuple[int, int], look: str, keys: tuple[str, ...]) -> None:
    assert picture("incidents", size, "V", *keys, look=look, settled=compared)
