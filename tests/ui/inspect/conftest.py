"""A small store written for the tests of the Inspect screen, opened as a user would open it, and the real app on it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input, TextArea

from inspector.inspection import Inspection, OpenOptions, demo_folder, open_sources
from inspector.requests import OpenRequest
from inspector.ui.app import InspectorApp
from inspector.ui.screens.inspect import InspectScreen

Rows = Iterable[Mapping[str, Any]]
#: Policy answers 1 for everything, so that scope and lifecycle decide.
POLICY = 'default = "allow"\n'
TOML = 'route = "global_bm25"\nexported_at = "2026-02-01"\n'
#: Two owners. In a query of ann: m1 is hers and current (1 1 1), m2 is bob's (0 1 1), m3 says no owner (? 1 1), m4 is
#: hers and archived (1 1 0). All share the word "tea", so that the lexical route finds all of them.
MEMORIES: list[dict[str, Any]] = [
    {"id": "m1", "text": "tea green every morning", "namespace": "ann", "status": "active", "created_at": "2026-01-01"},
    {"id": "m2", "text": "tea black with milk", "namespace": "bob", "status": "active", "created_at": "2026-01-02"},
    {"id": "m3", "text": "tea pot is chipped", "status": "active", "created_at": "2026-01-03"},
    {"id": "m4", "text": "tea white once a year", "namespace": "ann", "status": "archived", "created_at": "2026-01-04"},
]
QUERIES: list[dict[str, Any]] = [
    {
        "id": "q1",
        "text": "which tea",
        "principal": {"id": "ann", "namespaces": ["ann"]},
        "intent": "current",
        "as_of": "2026-02-01",
        "required": ["m1"],
    },
    {
        "id": "q2",
        "text": "tea for bob",
        "principal": {"id": "bob", "namespaces": ["bob"]},
        "intent": "current",
        "as_of": "2026-02-01",
        "required": ["m2"],
    },
    {"id": "q3", "text": "tea for nobody", "intent": "current", "as_of": "2026-02-01"},
]


@pytest.fixture(autouse=True)
def plain_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """No motion, and no colour setting of the developer's."""
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    monkeypatch.delenv("NO_COLOR", raising=False)


@dataclass
class Bench:
    """The app with the Inspect screen shown, and hands to work it."""

    app: InspectorApp
    screen: InspectScreen
    inspection: Inspection
    pilot: Pilot[int]

    async def press(self, *keys: str) -> None:
        """Press keys, and let everything that follows happen."""
        for key in keys:
            await self.pilot.press(key)
        await self.settle()

    async def write(self, text: str) -> None:
        """Enter a text where the focus is, as a paste does; keys one by one take the Pilot too long."""
        line = self.app.focused
        assert isinstance(line, Input | TextArea)
        if isinstance(line, Input):
            line.insert_text_at_cursor(text)
        else:
            line.insert(text)
        await self.settle()

    async def settle(self) -> None:
        """Let messages be handled and rested timers run."""
        await self.pilot.pause()
        await asyncio.sleep(0.05)
        await self.pilot.pause()

    async def until(self, true: Callable[[], bool], seconds: float = 10.0) -> None:
        """Wait for something that a thread brings about."""
        for _ in range(int(seconds / 0.02)):
            if true():
                return
            await self.pilot.pause(0.02)
        raise AssertionError("did not come about")

    def seen(self) -> str:
        """What stands on the terminal."""
        return "\n".join(strip.text.rstrip() for strip in self.app.screen._compositor.render_strips())

    def line(self, key: int) -> list[str]:
        """The plain cells of a candidate, by its memory's index."""
        grid = self.screen.candidate_pane.grid
        row = grid.source.find(key)
        assert row is not None
        cells = grid.source.cells(row)
        return [
            "".join(piece.text for piece in cell) if not isinstance(cell, str) else cell for cell in map(_pieces, cells)
        ]

    def verdicts(self) -> dict[str, str]:
        """Memory id → verdict of the candidates."""
        return {row.memory_id: row.verdict for row in self.screen.candidate_pane.list.rows}

    @property
    def says(self) -> str:
        """The line that says what moved."""
        return str(self.screen.moved.content).strip()


def _pieces(cell: Any) -> Any:
    if isinstance(cell, str):
        return cell
    return [cell] if hasattr(cell, "style") else list(cell)


@pytest.fixture
def write_store(tmp_path: Path) -> Callable[..., Path]:
    """Writes a bundle folder and gives its path."""

    def write(memories: Rows = MEMORIES, queries: Rows = QUERIES, toml: str = TOML, policy: str = POLICY) -> Path:
        folder = tmp_path / "teas"
        folder.mkdir(exist_ok=True)
        for name, rows in (("memories", memories), ("queries", queries)):
            lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            if lines:
                (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
        (folder / "bundle.toml").write_text(toml, encoding="utf-8")
        (folder / "policy.toml").write_text(policy, encoding="utf-8")
        return folder

    return write


@pytest.fixture
def open_store(write_store: Callable[..., Path]) -> Iterator[Callable[..., Inspection]]:
    """Opens and evaluates a store in a temporary workspace; closed at the end."""
    opened: list[Inspection] = []

    def opening(*args: Any, **kwargs: Any) -> Inspection:
        inspection = open_sources([write_store(*args, **kwargs)], OpenOptions(temporary=True))
        inspection.evaluate()
        opened.append(inspection)
        return inspection

    yield opening
    for inspection in opened:
        inspection.close()


OpenBench = Callable[..., AbstractAsyncContextManager[Bench]]


class OpenedApp(InspectorApp):
    """The app as it is when a store was opened; the choice of stores is not shown before."""

    def __init__(self, inspection: Inspection) -> None:
        super().__init__()
        self.inspection = inspection

    def first_screen(self, request: OpenRequest | None) -> Screen[Any]:
        """The Inspect screen at once."""
        assert self.inspection is not None
        return InspectScreen(self.inspection)


@asynccontextmanager
async def _worked(inspection: Inspection, size: tuple[int, int]) -> AsyncIterator[Bench]:
    app = OpenedApp(inspection)
    async with app.run_test(size=size) as pilot:
        screen = app.screen
        assert isinstance(screen, InspectScreen)
        made = Bench(app, screen, inspection, pilot)
        await made.settle()
        yield made
        app.inspection = None  # closed by its own fixture


@pytest.fixture
def bench(open_store: Callable[..., Inspection]) -> OpenBench:
    """The Inspect screen on a store of the test's."""

    @asynccontextmanager
    async def opening(*args: Any, size: tuple[int, int] = (120, 40), **kwargs: Any) -> AsyncIterator[Bench]:
        async with _worked(open_store(*args, **kwargs), size) as made:
            yield made

    return opening


@pytest.fixture
def demo_bench() -> OpenBench:
    """The Inspect screen on a bundled store, opened with options of the test's."""

    @asynccontextmanager
    async def opening(name: str, size: tuple[int, int] = (120, 40), **options: Any) -> AsyncIterator[Bench]:
        inspection = open_sources([demo_folder(name)], OpenOptions(temporary=True, **options))
        inspection.evaluate()
        try:
            async with _worked(inspection, size) as made:
                yield made
        finally:
            inspection.close()

    return opening


def _inspecting(screen: Any) -> bool:
    return isinstance(screen, InspectScreen)


async def _until(pilot: Pilot[Any], true: Callable[[Any], bool]) -> None:
    for _ in range(1_000):
        await pilot.pause(0.02)
        if true(pilot.app.screen):
            return


@pytest.fixture
def picture(snap_compare: Callable[..., bool], monkeypatch: pytest.MonkeyPatch) -> Callable[..., bool]:
    """Whether a screen looks as on its picture: a bundled store, or a file, is opened and dressed, and keys pressed.

    The first key is pressed when the screen is ``ready`` for it, each after it when the screen is ``settled``.
    """

    def taken(
        store: str | Path,
        size: tuple[int, int],
        *keys: str,
        look: str = "inspector-dark",
        place: Any = "inspect",
        demo: str = "",
        ready: Callable[[Any], bool] = _inspecting,
        settled: Callable[[Any], bool] = lambda _: True,
        then: Callable[[Any], None] | None = None,
        **options: Any,
    ) -> bool:
        if look == "no-color":
            monkeypatch.setenv("NO_COLOR", "1")
        source = demo_folder(store) if isinstance(store, str) else store
        app = InspectorApp(
            OpenRequest((source,), OpenOptions(temporary=True, **options), demo=demo or source.name, place=place)
        )
        if look != "no-color":
            app.theme = look

        async def run(pilot: Pilot[Any]) -> None:
            await _until(pilot, ready)
            await pilot.pause(0.2)
            for key in keys:
                await pilot.press(key)
                await pilot.pause(0.05)
                await _until(pilot, settled)
            if then is not None:
                then(pilot.app.screen)
            await pilot.pause(0.4)

        return snap_compare(app, terminal_size=size, run_before=run)

    return taken
