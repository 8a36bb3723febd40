"""Pictures of the Gate tab and of the Store screen: three sizes, dark, light, without colour, Korean.

Made anew with ``pytest tests/ui --snapshot-update``.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from inspector.ui.screens.store import StoreScreen

SIZES = [(80, 24), (120, 40), (200, 60)]
LOOKS = ["inspector-dark", "inspector-light", "no-color"]
Picture = Callable[..., bool]


def linted(screen: object) -> bool:
    """Whether the Store screen has its findings."""
    return not isinstance(screen, StoreScreen) or screen.state.report is not None


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_gate_tab(picture: Picture, size: tuple[int, int]) -> None:
    assert picture(
        "gate-gaps",
        size,
        *"nnnnn",
        then=lambda screen: screen.detail.go_to("gate", focus=True),
        route="global_bm25",
    )


@pytest.mark.parametrize("look", LOOKS)
def test_short_form(picture: Picture, look: str) -> None:
    assert picture("gate-gaps", (80, 24), "F", "tab", "tab", "x", look=look, settled=linted, route="global_bm25")


# Every size in one look, and every look in one size: a size and a look do not depend on each other.
@pytest.mark.parametrize(
    ("size", "look"),
    [*((size, "inspector-dark") for size in SIZES), *((SIZES[1], look) for look in LOOKS if look != "inspector-dark")],
    ids=lambda one: one if isinstance(one, str) else f"{one[0]}x{one[1]}",
)
def test_coverage(picture: Picture, size: tuple[int, int], look: str) -> None:
    assert picture("gate-gaps", size, "o", "2", "right", look=look, settled=linted, route="global_bm25")


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_records(picture: Picture, size: tuple[int, int]) -> None:
    assert picture("korean-hotel", size, "o", "down", look="inspector-light", settled=linted, route="global_bm25")


@pytest.mark.parametrize(("view", "name"), [("3", "gate-gaps"), ("4", "two-tasks")], ids=["findings", "lanes"])
def test_views(picture: Picture, view: str, name: str) -> None:
    assert picture(name, (120, 40), "o", view, "down", "down", settled=linted, route="global_bm25")
