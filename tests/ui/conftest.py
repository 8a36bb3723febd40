"""Fixtures of the UI tests: stores that the test steers, and apps with nothing of the developer's in them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input, TextArea

import inspector.inspection as door
from inspector.errors import Cancelled
from inspector.inspection import OpenOptions, OpenRequest
from inspector.records import Progress
from inspector.ui.app import InspectorApp
from inspector.ui.screens.base import BaseScreen
from inspector.views import Change, EditEntry, RouteChoice
from tests.tools.cheap_screens import make_cheap


@pytest.fixture(scope="session", autouse=True)
def cheap_screens() -> Iterator[None]:
    """Apps that cost little to start."""
    with pytest.MonkeyPatch.context() as patch:
        make_cheap(patch)
        yield


@pytest.fixture(autouse=True)
def steady_cursor(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cursor of a field stays lit: a picture must not depend on the moment at which it is taken."""
    monkeypatch.setattr(Input, "_toggle_cursor", lambda _: None)
    monkeypatch.setattr(TextArea, "_toggle_cursor_blink_visible", lambda _: None)


class SteeredInspection:
    """Stands for an open store; the evaluation goes on as the test lets it."""

    def __init__(self) -> None:
        self.closed = False
        self.go = threading.Event()
        self.evaluating = threading.Event()
        self.route = RouteChoice("global_dense", 20)
        self.settings = type("Settings", (), {"route": None, "isolation": "namespace", "unknown_intent": "join"})()
        self.set: list[tuple[str, Any]] = []
        self.entries = [
            EditEntry(1, "2026-05-01T10:00:00Z", "m1: status: active → archived", True),
            EditEntry(2, "2026-05-01T10:01:00Z", "m2: namespace: absent → [/foo]", True),
        ]

    def refuse_source(self, path: Path) -> None:
        """Nothing lies on the disk that could be written over."""

    def evaluate(self, on_progress: Callable[[Progress], None], cancelled: Callable[[], bool]) -> None:
        on_progress(Progress("encode", 25, 100, "texts"))
        self.evaluating.set()
        while not self.go.wait(0.01):
            if cancelled():
                raise Cancelled("cancelled")
        on_progress(Progress("encode", 100, 100, "texts"))

    def set_route(self, route: RouteChoice) -> None:
        self.route = route

    def set_setting(self, name: str, value: Any) -> None:
        self.set.append((name, value))

    def edits(self) -> list[EditEntry]:
        return self.entries

    def revert(self, seq: int) -> Change:
        self.entries = [e if e.seq != seq else EditEntry(e.seq, e.when, e.words, False) for e in self.entries]
        return Change("flips 1 verdict in 1 query: +1 admitted", (), frozenset(), frozenset())

    def revert_all(self) -> Change:
        self.entries = [EditEntry(e.seq, e.when, e.words, False) for e in self.entries]
        return Change("flips 2 verdicts in 1 query: +2 admitted", (), frozenset(), frozenset())

    def export_edits(self, out: Any, form: str = "jsonl", *_: str) -> None:
        out.write(f"{form}\n")

    def export_store(self, out: Any) -> None:
        out.write('{"id":"m1"}\n')

    def export_bundle(self, folder: Path) -> None:
        folder.mkdir()

    def close(self) -> None:
        self.closed = True


class ShellApp(InspectorApp):
    """The app with a plain screen in place of the Inspect screen."""

    def show_inspection(self, inspection: Any) -> None:
        self.inspection = inspection
        self._loading = None
        self.switch_screen(BaseScreen(id="shown"))


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[SteeredInspection]:
    """What ``open_sources`` opens, whatever it is asked for."""
    inspection = SteeredInspection()
    monkeypatch.setattr(door, "open_sources", lambda *_args, **_kwargs: inspection)
    yield inspection
    inspection.go.set()


@pytest.fixture
def request_of(tmp_path: Path) -> OpenRequest:
    """A request for some folder."""
    return OpenRequest((tmp_path / "notes",), OpenOptions())


@pytest.fixture
def config_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's settings folder, and a current folder of the test's own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = tmp_path / "config" / "inspector"
    folder.mkdir(parents=True)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return folder


async def until(true: Callable[[], bool], seconds: float = 20.0) -> None:
    """Wait for something that a thread brings about."""
    for _ in range(int(seconds / 0.02)):
        if true():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("did not come about")


@pytest.fixture(name="until")
def until_fixture() -> Callable[..., Any]:
    """:func:`until`, for test modules, which cannot import each other."""
    return until


@pytest.fixture
def shell() -> type[ShellApp]:
    """The app class without the Inspect screen."""
    return ShellApp
