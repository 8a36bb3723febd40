"""Pictures of the Inspect screen on bundled stores: three sizes, dark, light and without colour, Korean, hostile.

Made anew with ``pytest tests/ui --snapshot-update``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from inspector.requests import OpenOptions, OpenRequest, demo_folder
from inspector.ui.app import InspectorApp
from inspector.ui.screens.inspect import InspectScreen

SIZES = [(80, 24), (120, 40), (200, 60)]
LOOKS = ["inspector-dark", "inspector-light", "no-color"]
Compare = Callable[..., bool]


@pytest.fixture(autouse=True)
def fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No motion, and no colour setting of the developer's."""
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    monkeypatch.delenv("NO_COLOR", raising=False)


def app_on(folder: Path, look: str, monkeypatch: pytest.MonkeyPatch) -> InspectorApp:
    """The app that will open the store, dressed."""
    if look == "no-color":
        monkeypatch.setenv("NO_COLOR", "1")
    app = InspectorApp(OpenRequest((folder,), OpenOptions(temporary=True), demo=folder.name))
    if look != "no-color":
        app.theme = look
    return app


def after(*keys: str) -> Callable[[Pilot[Any]], Any]:
    """Until the candidates are there, then these keys."""

    async def run(pilot: Pilot[Any]) -> None:
        for _ in range(1_000):
            await pilot.pause(0.02)
            if isinstance(pilot.app.screen, InspectScreen):
                break
        await pilot.pause(0.2)
        for key in keys:
            await pilot.press(key)
            await pilot.pause(0.05)
        await pilot.pause(0.4)

    return run


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_inspect(snap_compare: Compare, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int], look: str) -> None:
    app = app_on(demo_folder("anniversary"), look, monkeypatch)
    assert snap_compare(app, terminal_size=size, run_before=after())


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_korean(snap_compare: Compare, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]) -> None:
    app = app_on(demo_folder("korean-hotel"), "inspector-dark", monkeypatch)
    assert snap_compare(app, terminal_size=size, run_before=after("right_curly_bracket"))


@pytest.mark.parametrize("store", ["empty", "no-queries", "long"])
def test_odd_stores(
    snap_compare: Compare, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory, store: str
) -> None:
    folder = tmp_path_factory.mktemp("odd") / store
    folder.mkdir()
    text = "A long note about tea. " * 220 if store == "long" else "tea"
    memories = [] if store == "empty" else [{"id": "m1", "text": text, "namespace": "ann"}]
    queries = [] if store != "long" else [{"id": "q1", "text": "tea", "principal": {"namespaces": ["ann"]}}]
    (folder / "data.json").write_text(json.dumps({"memories": memories, "queries": queries}), encoding="utf-8")
    monkeypatch.chdir(folder)  # a name without folders, so that no picture shows where the test ran
    app = InspectorApp(OpenRequest((Path("data.json"),), OpenOptions(temporary=True, route="global_bm25"), demo=store))
    app.theme = "inspector-light"
    assert snap_compare(app, terminal_size=(120, 40), run_before=after())
