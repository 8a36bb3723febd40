"""Every bundled lesson, done by the keys that it asks for; and each of its steps, open while it is skipped."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot
from textual.widgets import Input, Static, TextArea
from textual.widgets._toast import Toast

from inspector.lessons import Lesson, LessonRun, find_lesson, lessons
from inspector.lessons.progress import Progress, keep, progress_of
from inspector.ui.app import InspectorApp
from inspector.ui.screens.chooser import ChooserScreen
from inspector.ui.screens.inspect import InspectScreen
from inspector.ui.screens.learn import LearnScreen
from inspector.ui.screens.store import StoreScreen
from inspector.ui.widgets.grid import Grid

BUNDLED = lessons()[0]


@pytest.fixture(autouse=True)
def paint_seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody looks at these screens: painting them at every change would be half of the work."""
    monkeypatch.setattr("textual.screen.UPDATE_PERIOD", 0.5)


@dataclass
class Learner:
    """The real app with a lesson, and the hands of one who does it."""

    app: InspectorApp
    pilot: Pilot[int]

    @property
    def run(self) -> LessonRun:
        assert self.app.lesson is not None
        return self.app.lesson

    @property
    def screen(self) -> InspectScreen:
        return next(each for each in self.app.screen_stack if isinstance(each, InspectScreen))

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
        await self.pilot.pause()

    async def write(self, text: str) -> None:
        """Type into the line that has the focus, whatever it holds."""
        line = self.app.focused
        assert isinstance(line, Input | TextArea)
        if isinstance(line, Input):
            line.value = text
        else:
            line.text = text
        await self.pilot.pause()

    async def until(self, true: Callable[[], bool], what: str = "") -> None:
        for _ in range(400):
            if true():
                return
            await self.pilot.pause(0.03)
        raise AssertionError(f"did not come about: {what}")

    async def to_memory(self, id: str) -> None:
        """Put the cursor on a candidate, as the arrow keys or the mouse do."""
        inspection = self.app.inspection
        assert inspection is not None
        grid = self.screen.candidate_pane.grid
        grid.move_cursor(key=next(key for key, memory in enumerate(inspection.memories) if memory.id == id))
        await self.until(lambda: self.screen.mi is not None and inspection.memories[self.screen.mi].id == id, id)

    async def to_query(self, id: str) -> None:
        """Put the cursor on a query."""
        inspection = self.app.inspection
        assert inspection is not None
        wanted = next(key for key, query in enumerate(inspection.queries) if query.id == id)
        self.screen.query_pane.grid.move_cursor(key=wanted)
        await self.until(lambda: self.screen.qi == wanted, id)

    async def route(self, name: str, depth: str = "") -> None:
        """Choose a route in its dialog."""
        await self.press("r")
        dialog = self.app.screen
        if depth:
            dialog.query_one("#depth", Input).value = depth
        dialog.query_one(Grid).move_cursor(key=name)
        await self.press("enter")
        await self.until(lambda: not self.screen.busy and self.app.screen is self.screen, f"route {name}")

    async def edit(self, field: str, value: str) -> None:
        """Edit a field of the memory under the cursor: e, the field's name, enter, the value, enter."""
        await self.press("e")
        if self.app.screen.query(".find"):
            await self.write(field)
            await self.press("enter")
        await self.write(value)
        await self.press("ctrl+s")
        await self.until(lambda: self.app.screen is self.screen, f"{field} edited")

    async def answer(self, right: bool = True) -> None:
        """Answer the step's question."""
        question = self.run.step.question
        assert question is not None
        number = next(at for at, choice in enumerate(question.choices) if choice.right is right)
        await self.press("f6", *["down"] * number, "enter")

    async def look(self) -> bool:
        """Whether the step is done once the screen is at rest; the program looks by itself."""
        await self.pilot.pause()
        self.app._looked = (None, 0.0)
        self.app._look()
        return self.run.is_done


Do = Callable[[Learner], Awaitable[Any]]


def many(*acts: Do) -> Do:
    async def do(learner: Learner) -> None:
        for act in acts:
            await act(learner)

    return do


def keys(*pressed: str) -> Do:
    return lambda learner: learner.press(*pressed)


def memory(id: str) -> Do:
    return lambda learner: learner.to_memory(id)


def query(id: str) -> Do:
    return lambda learner: learner.to_query(id)


def route(name: str, depth: str = "") -> Do:
    return lambda learner: learner.route(name, depth)


def edit(field: str, value: str) -> Do:
    return lambda learner: learner.edit(field, value)


def answer(learner: Learner) -> Awaitable[None]:
    return learner.answer()


#: What a learner does in each step of each bundled lesson.
DONE: dict[str, dict[str, Do]] = {
    "01-relevant": {
        "ranked": memory("lind-birthday"),
        "whose": many(memory("park-anniversary"), answer),
        "filtered": route("namespace_dense"),
        "pair": many(route("global_dense"), query("park-dinner")),
    },
    "02-three-axes": {
        "unknown": memory("penicillin"),
        "meaning": answer,
        "owner": edit("namespace", "patient-lee"),
        "zero": many(query("knee"), memory("penicillin")),
        "known": many(
            query("allergies"),
            memory("penicillin"),
            edit("status", "active"),
            edit("allowed_purposes", "care"),
        ),
        "undone": keys("u", "u", "u"),
    },
    "03-intent": {
        "history": keys("i"),
        "unsaid": keys("i"),
        "deleted": many(route("current_only"), query("plan-then")),
        "cure": answer,
        "forgotten": many(route("global_dense"), query("card"), memory("card-forgotten")),
    },
    "04-time": {
        "back": keys(*"[[[[["),
        "forward": keys("]"),
        "label": many(keys(*"]]]"), memory("imported-note"), edit("status", "active")),
        "deleted": many(query("door"), memory("door-code"), answer),
    },
    "05-matched-recall": {
        "nothing": route("session_tag"),
        "safest": answer,
        "keys": many(route("dual_path"), query("pin-lyon")),
        "prefix": many(route("namespace_dense"), answer),
    },
    "06-filters": {
        "prefix": answer,
        "after": route("postfilter", "5"),
        "before": route("namespace_dense"),
        "deeper": many(route("postfilter", "6"), answer),
        "compare": keys("V"),
    },
    "07-adoption": {
        "signals": many(keys("}", "}"), answer),
        "uncalibrated": keys("K"),
        "pool": many(keys("K"), query("bicycles"), keys("P")),
        "limit": many(query("nosebleed"), answer),
    },
    "08-gate": {
        "none": many(query("key"), keys("}", "}", "}"), answer),
        "map": keys("o", "2"),
        "rescue": many(keys("o"), query("pay-refund"), answer),
        "close": many(query("key"), keys("f")),
    },
    "09-trail": {
        "trail": many(query("boat-trip"), keys("}", "}", "}", "}"), answer),
        "lucky": many(query("short-memory"), answer),
        "unknown": many(query("umbrella"), keys("f")),
        "triage": many(keys("T"), answer),
    },
    "10-session": {
        "both": many(query("offsite-cost"), memory("visa-fee"), answer),
        "tag": many(keys("I", "I"), route("session_tag")),
        "loss": query("photos-where"),
        "key": route("dual_path"),
        "two": answer,
    },
}


@asynccontextmanager
async def learning(lesson: Lesson, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Learner]:
    """The app on a lesson, its store loaded."""
    app = InspectorApp(learn=lesson)
    async with app.run_test(size=size) as pilot:
        learner = Learner(app, pilot)
        await learner.until(lambda: isinstance(app.screen, InspectScreen), "the store")
        await pilot.pause()
        yield learner


def test_every_bundled_lesson_is_done_here() -> None:
    assert {lesson.key: [step.id for step in lesson.steps] for lesson in BUNDLED} == {
        key: list(steps) for key, steps in DONE.items()
    }


@pytest.mark.parametrize("lesson", BUNDLED, ids=lambda lesson: lesson.key)
async def test_a_lesson_is_completed_and_no_step_is_done_by_skipping_it(lesson: Lesson) -> None:
    """Each step is open before it is done, for as long as one waits, and done after it."""
    async with learning(lesson) as learner:
        for number, step in enumerate(lesson.steps):
            assert learner.run.step is step
            assert not await learner.look(), f"{step.id} was done by skipping it"
            learner.app.action_lesson_next()
            assert learner.run.at == number, f"{step.id} could be passed over"
            await DONE[lesson.key][step.id](learner)
            await learner.until(lambda: learner.run.is_done, f"{lesson.key}: {step.id}")
            await learner.press("f8")
        await learner.until(lambda: isinstance(learner.app.screen, LearnScreen), "the list")
        assert progress_of(lesson.key).done == tuple(step.id for step in lesson.steps)


async def test_a_wrong_answer_is_answered_in_the_panel_until_the_right_one_is_given() -> None:
    """No notice lies over the step that it speaks of, and none is left over the words of a step that is done."""
    async with learning(find_lesson("3")) as learner:

        def words() -> str:
            panel = learner.app.panel()
            return "" if panel is None else str(panel.query_one("#lesson-words", Static).content)

        await learner.press("f9", "f8")
        await learner.until(lambda: "this step is open" in words(), "the open step said")
        assert not learner.app.panel().has_class("-folded")  # type: ignore[union-attr]
        for act in list(DONE["03-intent"].values())[:3]:
            await act(learner)
            await learner.until(lambda: learner.run.is_done, "a step before")
            await learner.press("f8")
        assert learner.run.step.id == "cure"
        await learner.answer(right=False)
        await learner.until(lambda: "Not quite: plan-then" in words(), "why it is wrong")
        assert not learner.app.screen.query(Toast)
        await learner.answer()
        await learner.until(lambda: learner.run.is_done, "the right answer")
        await learner.until(lambda: words().startswith("✓ Keep") and "Not quite" not in words(), "nothing of it left")


async def test_a_right_answer_is_answered_where_the_rest_of_the_step_is_not_done() -> None:
    """The step asks for a cursor as well: silence would read as a wrong answer."""
    async with learning(find_lesson("10")) as learner:
        panel = learner.app.panel()
        assert panel is not None
        words = panel.query_one("#lesson-words", Static)
        await learner.to_query("offsite-cost")
        await learner.answer()
        await learner.until(lambda: "The answer is right; do the rest" in str(words.content), "what is missing")
        assert not learner.run.is_done
        await learner.to_memory("visa-fee")
        await learner.until(lambda: learner.run.is_done, "the rest of it")
        await learner.until(lambda: "The answer is right" not in str(words.content), "nothing of it left")


async def test_the_map_is_not_seen_where_another_view_of_the_store_is() -> None:
    async with learning(find_lesson("8")) as learner:
        await DONE["08-gate"]["none"](learner)
        await learner.until(lambda: learner.run.is_done, "the first step")
        await learner.press("f8", "o")
        await learner.until(lambda: isinstance(learner.app.screen, StoreScreen), "the store")
        assert not await learner.look()
        await learner.press("2")
        await learner.until(lambda: learner.run.is_done, "the map")


async def test_a_long_title_leaves_the_keys_in_sight() -> None:
    async with learning(find_lesson("8")) as learner:
        await DONE["08-gate"]["none"](learner)
        await learner.until(lambda: learner.run.is_done, "the first step")
        panel = learner.app.panel()
        assert panel is not None
        head = panel.query_one("#lesson-head", Static)
        await learner.until(lambda: str(head.content).endswith("X leave"), "the keys")
        assert cell_len(str(head.content)) <= panel.size.width
        assert str(head.content).startswith("8 What authorised")


async def test_a_lesson_is_left_and_resumed_with_its_edits_and_begun_anew() -> None:
    lesson = find_lesson("3")
    async with learning(lesson) as learner:
        await learner.press("i")
        await learner.until(lambda: learner.run.is_done, "the first step")
        await learner.press("f8", "f9")
        assert learner.app.panel() is not None
        assert learner.app.panel().has_class("-folded")  # type: ignore[union-attr]
        await learner.press("X")
        await learner.until(lambda: isinstance(learner.app.screen, LearnScreen), "the list")
        assert learner.app.inspection is None
        await learner.until(lambda: learner.app.screen.query_one(Grid).row_count > 0, "the lessons")
        await learner.press("enter")
        await learner.until(lambda: isinstance(learner.app.screen, InspectScreen), "the store again")
        await learner.until(lambda: learner.screen.detail.subject is not None, "its candidates")
        assert learner.app.inspection is not None
        assert learner.app.inspection.queries[0].value("intent") == "history"
        assert learner.run.step.id == "unsaid"
        await learner.press("X")
        await learner.until(lambda: isinstance(learner.app.screen, LearnScreen), "the list")
        await learner.until(lambda: learner.app.screen.query_one(Grid).row_count > 0, "the lessons")
        await learner.press("R")
        await learner.until(lambda: isinstance(learner.app.screen, InspectScreen), "the store anew")
        await learner.until(lambda: learner.screen.detail.subject is not None, "its candidates")
        assert learner.app.inspection is not None
        assert learner.app.inspection.queries[0].value("intent") == "current"
        assert (learner.run.step.id, learner.run.done) == ("history", set())
        # Another store ends the lesson: no panel, and its keys do nothing.
        await learner.press("O")
        await learner.until(lambda: isinstance(learner.app.screen, ChooserScreen), "the choice")
        assert learner.app.lesson is None
        await learner.press("f8", "X")


async def test_a_finished_lesson_is_begun_anew() -> None:
    lesson = find_lesson("3")
    keep(lesson.key, Progress("forgotten", tuple(step.id for step in lesson.steps)))
    assert LessonRun(lesson).is_finished
    app = InspectorApp()
    async with app.run_test(size=(80, 24)) as pilot:
        learner = Learner(app, pilot)
        app.show_lessons("03-intent")
        await learner.until(lambda: bool(app.screen.query("LearnScreen #lessons")), "the list")
        await learner.until(lambda: app.screen.query_one(Grid).row_count > 0, "the lessons")
        app.screen.query_one(Grid).move_cursor(key=lesson.key)
        await learner.press("enter")
        await learner.until(lambda: isinstance(app.screen, InspectScreen), "the store")
        assert learner.run.step.id == "history"
        assert not learner.run.is_done
        await pilot.pause()
