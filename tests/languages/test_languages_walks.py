"""Pictures of every screen and dialog in Korean, taken on five walks: the words are Korean, and width breaks no column.

Made anew with ``pytest tests/languages --snapshot-update``.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from textual.command import CommandPalette
from textual.pilot import Pilot

from inspector.errors import FieldError
from inspector.requests import OpenOptions, OpenRequest, demo_folder
from inspector.times import parse_time
from inspector.ui.app import InspectorApp
from inspector.ui.screens import settings as settings_screen
from inspector.ui.screens import triage as triage_screen
from inspector.ui.screens.address import AddressDialog
from inspector.ui.screens.ask import AskDialog
from inspector.ui.screens.ask_query import AskQueryDialog
from inspector.ui.screens.chooser import ChooserScreen
from inspector.ui.screens.compare import CompareScreen
from inspector.ui.screens.compare_dialogs import CompareDialog
from inspector.ui.screens.edit_field import EditFieldDialog
from inspector.ui.screens.edits import EditsDialog
from inspector.ui.screens.error import ErrorDialog
from inspector.ui.screens.export import ExportDialog
from inspector.ui.screens.formats import FormatsDialog
from inspector.ui.screens.gate_form import GovernsDialog
from inspector.ui.screens.help import HelpDialog
from inspector.ui.screens.inspect import InspectScreen
from inspector.ui.screens.inspect_dialogs import RouteDialog
from inspector.ui.screens.jump import JumpOverlay
from inspector.ui.screens.learn import LearnScreen
from inspector.ui.screens.mapping import MappingScreen
from inspector.ui.screens.mapping_rule import RuleDialog
from inspector.ui.screens.settings import SettingsDialog
from inspector.ui.screens.store import StoreScreen
from inspector.ui.screens.themes import ThemeDialog
from inspector.ui.screens.transition import TransitionDialog
from inspector.ui.screens.triage import TriageScreen
from inspector.ui.screens.whynot import WhyNotDialog
from inspector.ui.widgets.grid import Grid

MORNING = datetime(2026, 5, 9, 6, 30, tzinfo=UTC)


@asynccontextmanager
async def running(app: InspectorApp) -> AsyncIterator[Pilot[Any]]:
    """The app at 120 columns."""
    async with app.run_test(size=(120, 40)) as pilot:
        yield pilot


def app_on(demo: str, route: str = "global_bm25") -> InspectorApp:
    """The app that will open a bundled store on a lexical route: nothing is encoded."""
    return InspectorApp(OpenRequest((demo_folder(demo),), OpenOptions(temporary=True, route=route), demo=demo))


def read_error() -> FieldError:
    """An error as a user meets it."""
    with pytest.raises(FieldError) as caught:
        parse_time("yesterday", "as_of")
    return caught.value


async def test_start(walk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with running(InspectorApp()) as pilot:
        await walk.until(pilot, ChooserScreen)
        await walk.take(pilot, "start", 120, 200, 80, words=("내장 저장소", "도움말", "소유자를 채우기 전에는"))
        for key, kind, name, word in (
            ("d", AddressDialog, "address", "데이터베이스 열기"),
            ("f", FormatsDialog, "formats", "형식"),
            ("ctrl+t", ThemeDialog, "themes", "테마"),
            ("L", LearnScreen, "learn", "레슨"),
        ):
            await pilot.press(key)
            await walk.until(pilot, kind)
            await walk.take(pilot, name, *((80, 120) if kind is LearnScreen else (80,)), words=(word,))
            if kind is not LearnScreen:
                await pilot.press("escape")
        await pilot.press("enter")
        await walk.until(pilot, InspectScreen)
        await walk.take(pilot, "lesson", 120, 80, words=("단계",))
        await pilot.press("f9")
        await walk.take(pilot, "lesson-folded", 80)


async def test_inspect(walk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # The settings show where they lie: not where the test ran.
    monkeypatch.setattr(settings_screen, "places", lambda: {"settings": Path("~/.config/inspector/settings.toml")})
    async with running(app_on("incidents")) as pilot:
        screen = await walk.until(pilot, InspectScreen)
        await walk.take(pilot, "inspect", 120, 200, 80, words=("질의", "후보", "✗ 제외"))
        await pilot.resize_terminal(120, 40)
        for tab, word in (
            ("why", "수명 주기 규칙 6"),
            ("record", "레코드에 없음"),
            ("mdl", "텍스트를 인코딩하지 않았습니다"),
            ("gate", "최종 동작"),
            ("trail", "실패 단계"),
            ("prompt", "우리 판정이 만들 프롬프트"),
            ("answer", "기록된 답"),
        ):
            screen.detail.go_to(tab, focus=True)
            await pilot.pause(0.1)
            await pilot.press("f10")
            await walk.take(pilot, f"tab-{tab}", 120, words=(word,))
            await pilot.press("f10")
        await pilot.press("C")
        for key, kind, name, word in (
            ("e", EditFieldDialog, "fields", "필드 이름"),
            ("plus", AskQueryDialog, "ask", "다음 줄"),
            ("w", WhyNotDialog, "why-not", "메모리"),
            ("r", RouteDialog, "route", "경로"),
            ("x", ExportDialog, "export", "내보내기"),
            ("comma", SettingsDialog, "settings", "설정"),
            ("f1", HelpDialog, "help", "도움말"),
        ):
            await pilot.press(key)
            await walk.until(pilot, kind)
            sizes = (80,) if kind in (WhyNotDialog, RouteDialog) else (120, 80)
            await walk.take(pilot, name, *sizes, words=(word,))
            if kind is EditFieldDialog:
                await pilot.press("s", "t", "a", "enter")
                await walk.take(pilot, "field", 80, 120, words=("저장",))
                await pilot.press("escape")
            await pilot.press("escape")
            await walk.until(pilot, InspectScreen)
        await pilot.press("i")  # what moved is said in the line below, and listed
        await walk.take(pilot, "moved", 120, words=("의도",))
        await pilot.press("E")
        await walk.until(pilot, EditsDialog)
        assert "intent" in "\n".join(await walk.rest(pilot))  # no picture: it has the time of the edit
        await pilot.press("escape", "semicolon")
        await walk.until(pilot, JumpOverlay)
        assert "후보" in "\n".join(await walk.rest(pilot))
        await pilot.press("escape", "ctrl+p")
        await walk.until(pilot, CommandPalette)
        await walk.take(pilot, "palette", 80, words=("편집",))
        await pilot.press("escape")
        assert isinstance(pilot.app, InspectorApp)
        pilot.app.show_error(read_error())
        await walk.until(pilot, ErrorDialog)
        await walk.take(pilot, "error", 80, words=("esc 닫기",))


async def test_triage_and_compare(walk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(triage_screen, "clock", lambda: MORNING)
    async with running(app_on("incidents")) as pilot:
        await walk.until(pilot, InspectScreen)
        await pilot.press("T")
        await walk.until(pilot, TriageScreen)
        await pilot.press("n", "c", "n")
        await walk.take(pilot, "triage", 120, 200, 80, words=("원인별",))
        await pilot.press("b", "z")
        await walk.take(pilot, "triage-causes", 80, 120)
        await pilot.press("T")
        await walk.until(pilot, InspectScreen)
        await pilot.press("V")
        await walk.until(pilot, CompareScreen)
        await walk.take(pilot, "compare", 120, 200, 80, words=("재현율을 맞춘 경로들", "오염"))
        for key, name, word in (
            ("2", "plots", "재현율을 맞춘 위험"),
            ("3", "labels", "무너짐"),
            ("4", "resolve", "먼저 해결할 것"),
            ("5", "lens", "검증기 렌즈"),
            ("1", "behind", "맞춘 접두"),
        ):
            await pilot.press(key)
            await walk.rest(pilot)
            if key in "34":
                await pilot.press("R")
            if key == "1":
                await pilot.press("enter")
            await walk.take(pilot, f"compare-{name}", 80, 120, words=(word,))
        await pilot.press("r")
        await walk.until(pilot, CompareDialog)
        await walk.take(pilot, "compare-settings", 80, 120)


async def test_store(walk: Any) -> None:
    async with running(app_on("gate-gaps")) as pilot:
        await walk.until(pilot, InspectScreen)
        await pilot.press("o")
        await walk.until(pilot, StoreScreen)
        words = {"1": "사슬", "2": "잘못된 동작을 아무것도 막지 못함", "3": "잘못된 것", "4": "레인"}
        for key, name in (("1", "records"), ("2", "map"), ("3", "findings"), ("4", "lanes")):
            await pilot.press(key)
            await walk.take(pilot, f"store-{name}", 120, 80, words=(words[key],))
            if key == "2":
                await walk.take(pilot, f"store-{name}", 200)
        await pilot.press("1", "F")
        await walk.until(pilot, GovernsDialog)
        await walk.take(pilot, "governs", 80, 120)


async def test_session(walk: Any) -> None:
    async with running(app_on("session-two-tasks", "dual_path")) as pilot:
        await walk.until(pilot, InspectScreen)
        await walk.take(pilot, "session", 120, 80)
        await pilot.press("M")
        await walk.until(pilot, TransitionDialog)
        await walk.take(pilot, "transition", 80, 120)
        await pilot.press("escape", "o", "4")
        await walk.until(pilot, StoreScreen)
        await walk.take(pilot, "lanes", 120, 80, words=("레인",))


FACTS = [
    {"ref": "f1", "body": "Ana lives in Porto now.", "owner": "ana", "org": "acme", "at": 1772600000},
    {"ref": "f2", "body": "보는 지금 리스본에 산다.", "owner": "bo", "org": "acme", "at": 1772500000},
    {"ref": "f3", "body": ["no text"], "owner": "[red]", "org": "acme"},
]


async def test_mapping(walk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seen: Callable[..., Any]) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("facts.json")
    path.write_text(json.dumps({"log": [{"x": 1}], "facts": FACTS}), encoding="utf-8")
    async with running(InspectorApp(OpenRequest((path,), OpenOptions(temporary=True)))) as pilot:
        await walk.until(pilot, MappingScreen)
        await walk.take(pilot, "mapping", 120, 80)
        grid = pilot.app.screen.query_one("#fields", Grid)
        for key, kind, name in (("@where", AskDialog, "mapping-where"), ("namespace", RuleDialog, "mapping-rule")):
            grid.move_cursor(key=key)
            await pilot.press("enter")
            await walk.until(pilot, kind)
            await walk.take(pilot, name, 80, 120)
            await pilot.press("escape")
