"""Pictures of the Inspect screen on bundled stores: three sizes, dark, light and without colour, Korean, hostile.

Made anew with ``pytest tests/ui --snapshot-update``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

SIZES = [(80, 24), (120, 40), (200, 60)]
LOOKS = ["inspector-dark", "inspector-light", "no-color"]
Picture = Callable[..., bool]


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_inspect(picture: Picture, size: tuple[int, int], look: str) -> None:
    assert picture("anniversary", size, look=look)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_korean(picture: Picture, size: tuple[int, int]) -> None:
    assert picture("korean-hotel", size, "right_curly_bracket")


@pytest.mark.parametrize("store", ["empty", "no-queries", "long"])
def test_odd_stores(
    picture: Picture, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory, store: str
) -> None:
    folder = tmp_path_factory.mktemp("odd") / store
    folder.mkdir()
    text = "A long note about tea. " * 220 if store == "long" else "tea"
    memories = [] if store == "empty" else [{"id": "m1", "text": text, "namespace": "ann"}]
    queries = [] if store != "long" else [{"id": "q1", "text": "tea", "principal": {"namespaces": ["ann"]}}]
    (folder / "data.json").write_text(json.dumps({"memories": memories, "queries": queries}), encoding="utf-8")
    monkeypatch.chdir(folder)  # a name without folders, so that no picture shows where the test ran
    assert picture(Path("data.json"), (120, 40), look="inspector-light", demo=store, route="global_bm25")
