"""Pictures of the Learn screen and of a lesson on the real screens, narrow, in both languages and without colour."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from textual.pilot import Pilot

from inspector.i18n import set_language
from inspector.lessons import find_lesson
from inspector.ui.app import InspectorApp
from inspector.ui.screens.inspect import InspectScreen
from inspector.ui.screens.learn import LearnScreen
from inspector.ui.widgets.grid import Grid
from inspector.ui.widgets.lesson_panel import LessonPanel


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    yield
    set_language("en", data="en")


async def settled(pilot: Pilot[int]) -> None:
    for _ in range(300):
        screen = pilot.app.screen
        shown = isinstance(screen, InspectScreen) and screen.detail.subject is not None and screen.query(LessonPanel)
        if shown or (isinstance(screen, LearnScreen) and screen.query_one(Grid).row_count):
            break
        await pilot.pause(0.03)
    await pilot.pause(0.3)


@pytest.mark.parametrize("language", ["en", "ko"])
def test_learn(snap_compare, language: str) -> None:  # type: ignore[no-untyped-def]
    set_language(language, data=language)
    assert snap_compare(InspectorApp(learn=True), terminal_size=(80, 24), run_before=settled)


@pytest.mark.parametrize(("number", "language"), [("3", "en"), ("8", "ko")])
def test_lesson(snap_compare, number: str, language: str, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    set_language(language, data=language)
    if language == "en":
        monkeypatch.setenv("NO_COLOR", "1")
    assert snap_compare(InspectorApp(learn=find_lesson(number)), terminal_size=(80, 24), run_before=settled)
