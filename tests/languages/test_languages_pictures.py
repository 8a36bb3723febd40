"""Pictures of the main screens in Korean: the words are Korean and double width breaks no column.

Made anew with ``pytest tests/languages --snapshot-update``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import Screen

from inspector.i18n import set_language
from inspector.requests import OpenOptions, OpenRequest, demo_folder
from inspector.ui.app import InspectorApp
from inspector.ui.screens.chooser import ChooserScreen
from inspector.ui.screens.inspect import InspectScreen
from inspector.ui.screens.store import StoreScreen

Compare = Callable[..., bool]
SIZES = [(80, 24), (120, 40)]


@pytest.fixture(autouse=True)
def korean(monkeypatch: pytest.MonkeyPatch) -> None:
    """Korean, no motion, and no colour setting of the developer's."""
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    monkeypatch.delenv("NO_COLOR", raising=False)
    set_language("ko", data="ko")


def app_on(demo: str) -> InspectorApp:
    """The app that will open a bundled store on a lexical route: nothing is encoded."""
    folder = demo_folder(demo)
    return InspectorApp(OpenRequest((folder,), OpenOptions(temporary=True, route="global_bm25"), demo=demo))


async def shown(pilot: Pilot[Any], kind: type[Screen[Any]], true: Callable[[Any], bool] = lambda _screen: True) -> Any:
    """Wait until a screen of this kind is there and what it works out has come."""
    for _ in range(1_000):
        await pilot.pause(0.02)
        if isinstance(pilot.app.screen, kind) and true(pilot.app.screen):
            break
    await pilot.pause(0.3)
    assert isinstance(pilot.app.screen, kind)
    return pilot.app.screen


def lines(pilot: Pilot[Any]) -> list[str]:
    """What the terminal shows, line by line."""
    return ["".join(segment.text for segment in strip) for strip in pilot.app.screen._compositor.render_strips()]


def run_then(then: Callable[[Pilot[Any]], Awaitable[None]], *words: str) -> Callable[[Pilot[Any]], Awaitable[None]]:
    """Run, then see that these words are on the screen: a picture of English would pass as well as one of Korean."""

    async def run(pilot: Pilot[Any]) -> None:
        await then(pilot)
        text = "\n".join(lines(pilot))
        assert [word for word in words if word not in text] == []

    return run


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_start(snap_compare: Compare, size: tuple[int, int]) -> None:
    async def start(pilot: Pilot[Any]) -> None:
        await shown(pilot, ChooserScreen, lambda screen: bool(screen._demos))

    run = run_then(start, "내장 저장소", "도움말", "소유자를 채우기 전에는")
    assert snap_compare(InspectorApp(), terminal_size=size, run_before=run)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_inspect(snap_compare: Compare, size: tuple[int, int]) -> None:
    async def inspect(pilot: Pilot[Any]) -> None:
        await shown(pilot, InspectScreen)

    assert snap_compare(
        app_on("korean-hotel"), terminal_size=size, run_before=run_then(inspect, "질의", "후보", "✗ 제외")
    )


@pytest.mark.parametrize(
    ("tab", "word"),
    [
        ("why", "수명 주기 규칙 6"),
        ("record", "레코드에 없음"),
        ("mdl", "텍스트를 인코딩하지 않았습니다"),
        ("gate", "최종 동작"),
        ("trail", "실패 단계"),
        ("prompt", "우리 판정이 만들 프롬프트"),
        ("answer", "기록된 답"),
    ],
    ids=lambda each: each if each.isascii() else "ko",
)
def test_tabs(snap_compare: Compare, tab: str, word: str) -> None:
    async def to_tab(pilot: Pilot[Any]) -> None:
        screen = await shown(pilot, InspectScreen)
        screen.detail.go_to(tab, focus=True)
        await pilot.pause(0.6)

    assert snap_compare(app_on("incidents"), terminal_size=(120, 50), run_before=run_then(to_tab, word))


STORE_WORDS = {"1": "사슬", "2": "잘못된 동작을 아무것도 막지 못함", "3": "무엇이 잘못되었나", "4": "레인"}


@pytest.mark.parametrize("key", STORE_WORDS)
def test_store(snap_compare: Compare, key: str) -> None:
    async def store(pilot: Pilot[Any]) -> None:
        await shown(pilot, InspectScreen)
        await pilot.press("o")
        await shown(pilot, StoreScreen, lambda screen: screen.state.report is not None)
        await pilot.press(key)
        await pilot.pause(0.5)

    assert snap_compare(app_on("gate-gaps"), terminal_size=(120, 40), run_before=run_then(store, STORE_WORDS[key]))


def test_help(snap_compare: Compare) -> None:
    async def help_(pilot: Pilot[Any]) -> None:
        await shown(pilot, InspectScreen)
        await pilot.press("f1")
        await pilot.pause(0.4)

    run = run_then(help_, "도움말", "esc 닫기")
    assert snap_compare(app_on("korean-hotel"), terminal_size=(120, 40), run_before=run)


def test_compare(snap_compare: Compare) -> None:
    async def compare(pilot: Pilot[Any]) -> None:
        await shown(pilot, InspectScreen)
        await pilot.press("V")
        for _ in range(500):
            await pilot.pause(0.02)
            if "비교했습니다" in "\n".join(lines(pilot)):
                break
        await pilot.pause(0.5)

    run = run_then(compare, "재현율을 맞춘 경로들", "오염")
    assert snap_compare(app_on("incidents"), terminal_size=(120, 40), run_before=run)
