"""Fixtures of the tests of languages: pictures taken while one running app is walked through.

A picture costs a render then, and not a start of the program.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pytest_textual_snapshot import SVGImageExtension  # type: ignore[import-untyped]
from syrupy.assertion import SnapshotAssertion
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input, TextArea

from inspector.i18n import set_language
from tests.tools.cheap_screens import make_cheap

#: Terminal sizes by the name that they have in a picture's name.
SIZES = {80: (80, 24), 120: (120, 40), 200: (200, 60)}


@pytest.fixture(scope="session", autouse=True)
def cheap_screens() -> Iterator[None]:
    """Apps that cost little to start."""
    with pytest.MonkeyPatch.context() as patch:
        make_cheap(patch)
        yield


def seen(pilot: Pilot[Any]) -> list[str]:
    """What the terminal shows, line by line."""
    return ["".join(segment.text for segment in strip) for strip in pilot.app.screen._compositor.render_strips()]


class Walk:
    """Takes pictures of a running app and compares each with the stored one; :meth:`end` names those that differ."""

    def __init__(self, snapshot: SnapshotAssertion) -> None:
        self._snapshot = snapshot.use_extension(SVGImageExtension)
        self._wrong: list[str] = []
        self.taken = 0

    async def rest(self, pilot: Pilot[Any]) -> list[str]:
        """Wait until the screen no longer changes and no worker runs; what it shows then."""
        before: list[str] = []
        still = 0
        for _ in range(300):
            await pilot.pause(0.03)
            now = seen(pilot)
            busy = any(worker.is_running for worker in pilot.app.workers)
            still = still + 1 if now == before and not busy else 0
            if still == 4:
                return now
            before = now
        return before

    async def until(self, pilot: Pilot[Any], kind: type[Screen[Any]]) -> Any:
        """Wait for a screen of this kind, and until it is at rest."""
        for _ in range(1_000):
            if isinstance(pilot.app.screen, kind):
                break
            await asyncio.sleep(0.02)
        await self.rest(pilot)
        assert isinstance(pilot.app.screen, kind), f"{type(pilot.app.screen).__name__}, not {kind.__name__}"
        return pilot.app.screen

    async def take(self, pilot: Pilot[Any], name: str, *widths: int, words: tuple[str, ...] = ()) -> None:
        """Take a picture at each width; ``words`` have to be seen on the first: English would make a picture too.

        The last size stays.
        """
        for at, width in enumerate(widths):
            if pilot.app.size != SIZES[width]:
                await pilot.resize_terminal(*SIZES[width])
            lines = await self.rest(pilot)
            text = "\n".join(lines)
            assert at or [word for word in words if word not in text] == [], f"{name}:\n{text}"
            full = f"{name}-{width}"
            self.taken += 1
            if not self._snapshot(name=full) == pilot.app.export_screenshot():  # noqa: SIM201  (syrupy defines ==)
                self._wrong.append(full)

    def end(self) -> None:
        """Fail where a picture differs from the stored one."""
        assert self.taken
        assert self._wrong == [], "differ; look at them after pytest tests/languages --snapshot-update"


@pytest.fixture
def walk(snapshot: SnapshotAssertion, monkeypatch: pytest.MonkeyPatch) -> Iterator[Walk]:
    """Pictures in Korean, without motion, a blinking cursor or a colour setting of the developer's."""
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(Input, "_toggle_cursor", lambda _: None)
    monkeypatch.setattr(TextArea, "_toggle_cursor_blink_visible", lambda _: None)
    set_language("ko", data="ko")
    made = Walk(snapshot)
    yield made
    made.end()


@pytest.fixture(name="seen")
def seen_fixture() -> Callable[[Pilot[Any]], list[str]]:
    """:func:`seen`, for test modules."""
    return seen
