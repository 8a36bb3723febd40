"""The app's part that runs lessons: opens their store, shows the panel, looks whether a step was done (issue 9)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from textual import on
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Footer

from inspector.errors import InspectorError
from inspector.i18n import _
from inspector.ui.messages import ErrorRaised, ScreenSeen, guarded
from inspector.ui.opening import Opening
from inspector.ui.screens.ask import AskDialog
from inspector.ui.screens.loading import LoadingScreen

if TYPE_CHECKING:
    from inspector.inspection import Inspection
    from inspector.lessons import Lesson, LessonRun, Shown
    from inspector.requests import OpenRequest
    from inspector.ui.screens.learn import LearnScreen
    from inspector.ui.widgets.lesson_panel import LessonPanel

#: Seconds between two looks at what the screen shows; the check is made only where that has changed.
_EVERY = 0.15
#: Seconds after which the check is made again though nothing seems to have changed: a thread may have read texts.
_ANYWAY = 1.5


def shown_by(screen: Screen[Any]) -> Shown:
    """What a screen shows, as far as lessons ask for it; screens say it by attributes that they have anyway."""
    from inspector.lessons import Shown
    from inspector.ui.screens.inspect_base import InspectBase

    name = type(screen).__name__.removesuffix("Screen").lower()
    if not isinstance(screen, InspectBase):
        compared: tuple[str, ...] = ()
        if name == "compare":
            from inspector.ui.screens.compare_base import CompareBase

            found = screen.state.comparison if isinstance(screen, CompareBase) else None
            compared = () if found is None else tuple(result.route for result in found.routes)
        view = ""
        if name == "store":
            from inspector.ui.screens.store import StoreScreen

            view = screen.state.view if isinstance(screen, StoreScreen) else ""
        return Shown(screen=name, tab=view, compared=compared)
    queries, memories = screen.inspection.queries, screen.inspection.memories
    return Shown(
        screen=name,
        query="" if screen.qi is None else queries[screen.qi].id,
        memory="" if screen.mi is None else memories[screen.mi].id,
        tab=screen.detail.active,
    )


class Teaching(Opening):
    """The half of the app that runs lessons. ``language`` is that of the lessons' words."""

    keys_changed: dict[str, str]
    language: str
    lesson: LessonRun | None = None
    _folded = False
    #: What was last said in the panel, and at which step.
    _hint: tuple[tuple[object, int, bool], str] = ((None, 0, False), "")
    _looker: Timer | None = None
    _looked: tuple[object, float] = (None, 0.0)

    # Beginning and leaving

    def show_lessons(self, near: str = "") -> None:
        """The list of lessons; what is open is closed."""
        self.lesson = None
        self.stop_loading()
        self.close_inspection()
        self.switch_screen(self.lessons_screen(near))

    def lessons_screen(self, near: str = "") -> LearnScreen:
        """A new list of lessons, with the cursor on one."""
        from inspector.ui.screens.learn import LearnScreen

        return LearnScreen(self.language, near)

    def show_chooser(self) -> None:
        """Back to the choice of stores; a lesson is left."""
        self.lesson = None
        super().show_chooser()

    def begin_lesson(self, lesson: Lesson) -> OpenRequest:
        """Make a lesson the one that runs; the request that opens its store. Raises InputError."""
        from inspector.lessons import LessonRun, request_of

        request = request_of(lesson)
        self.lesson = LessonRun(lesson)
        self._folded = False
        self._looked = (None, 0.0)
        if self._looker is None:
            self._looker = self.set_interval(_EVERY, self._look)
        return request

    # Imported late: the first paint need not wait for the lessons. The message's handler is named for it instead.
    @guarded
    def on_learn_screen_chosen(self, message: LearnScreen.Chosen) -> None:
        """A lesson was chosen in the list."""
        if message.lesson is None:
            self.show_chooser()
        else:
            self.open_request(self.begin_lesson(message.lesson))

    def show_inspection(self, inspection: Inspection) -> None:
        """A lesson that names what its store lacks cannot be done: that is said, not left to be found out."""
        if self.lesson is not None:
            from inspector.lessons import unknown_ids

            for fault in unknown_ids(self.lesson.lesson, inspection)[:1]:
                self.post_message(ErrorRaised(fault, _("This lesson cannot be done as it is written")))
        super().show_inspection(inspection)

    # The panel

    @property
    def lesson_screen(self) -> Screen[Any] | None:
        """The topmost full screen, where it is one that the lesson is done on."""
        if self.lesson is None or self.inspection is None:
            return None
        for screen in reversed(self.screen_stack):
            if not screen.is_modal:
                on_store = getattr(screen, "inspection", None) is self.inspection
                return screen if on_store and not isinstance(screen, LoadingScreen) else None
        return None

    def panel(self) -> LessonPanel | None:
        """The panel on the screen that is seen; it is put there where it is missing."""
        from inspector.ui.widgets.lesson_panel import LessonPanel

        screen = self.lesson_screen
        if screen is None or self.lesson is None or not screen.is_mounted:
            return None
        for found in screen.query(LessonPanel):
            if found.run is self.lesson:
                return found
            found.remove()
        made = LessonPanel(self.lesson, self.keys_changed, self.language)
        made.set_class(self._folded, "-folded")
        screen.add_class("-lesson")
        footers = screen.query(Footer)
        screen.mount(made, before=footers.first() if footers else None)
        return made

    @on(ScreenSeen)
    def _screen_seen(self) -> None:
        self.seen_anew()

    def seen_anew(self) -> None:
        """Another full screen is seen: the lesson goes with it."""
        self._show_panel()

    def _show_panel(self, fault: str = "") -> None:
        panel = self.panel()
        if panel is not None and panel.is_mounted:
            at, words = self._hint
            panel.show(fault, words if at == self._here() else "")
            panel.set_class(self._folded, "-folded")

    def _here(self) -> tuple[object, int, bool]:
        """What a hint belongs to: the run, its step, and whether that is done."""
        run = self.lesson
        return (None, 0, False) if run is None else (run, run.at, run.is_done)

    def _say_in_panel(self, words: str) -> None:
        """Answer what the learner tried in the panel itself: a notice would cover the step it speaks of, and outlast
        it. It stands until the step is done or left, or is answered anew.
        """
        self._hint = (self._here(), words)
        self._folded = False
        self._show_panel()

    # Looking

    def _look(self) -> None:
        """Look whether the step has been done, where anything that it may ask for has changed."""
        screen, inspection, run = self.lesson_screen, self.inspection, self.lesson
        if screen is None or inspection is None or run is None or run.is_done:
            return
        shown, now = shown_by(screen), time.monotonic()
        stamp = (shown, run.at, run.answered, inspection.stamp)
        if stamp == self._looked[0] and now - self._looked[1] < _ANYWAY:
            return
        self._looked = (stamp, now)
        try:
            done = run.look(inspection, shown)
        except InspectorError as error:
            self._show_panel(str(error))
            return
        if done:
            self._show_panel()

    # Actions; they are offered only while a lesson runs

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The lesson's actions are offered while one runs, answering where there is a question."""
        if action.startswith("lesson_"):
            if self.lesson_screen is None or self.lesson is None:
                return False
            return action != "lesson_answer" or (self.lesson.step.question is not None and not self.lesson.is_done)
        return super().check_action(action, parameters)

    def action_lesson_next(self) -> None:
        """The next step; after the last one the list of lessons."""
        run = self.lesson
        if run is None:
            return
        if not run.is_done:
            self._say_in_panel(_("this step is open: do what stands above"))
        elif not run.go(1):
            self.show_lessons(run.lesson.key)
        else:
            self._show_panel()

    def action_lesson_back(self) -> None:
        """The step before."""
        if self.lesson is not None and self.lesson.go(-1):
            self._show_panel()

    def action_lesson_fold(self) -> None:
        """Fold the panel to its first line, and unfold it."""
        self._folded = not self._folded
        self._show_panel()

    def action_lesson_leave(self) -> None:
        """Leave the lesson; it can be resumed where it was left."""
        if self.lesson is not None:
            self.show_lessons(self.lesson.lesson.key)

    def action_lesson_answer(self) -> None:
        """Answer the question of the step."""
        from inspector.lessons.model import in_language

        run = self.lesson
        if run is None or run.step.question is None:
            return
        question = run.step.question
        answers = [
            (str(number), in_language(choice.words, self.language), "")
            for number, choice in enumerate(question.choices)
        ]

        def answered(key: str | None) -> None:
            if key is None or self.lesson is not run or run.step.question is not question:
                return
            if not run.answer(int(key)):
                because = in_language(question.choices[int(key)].because, self.language)
                self._say_in_panel(_("Not quite: {because}").format(because=because))
            self._look()
            if run.answered and not run.is_done:
                # Silence would read as a wrong answer: what is still missing is the rest of the step.
                self._say_in_panel(_("The answer is right; do the rest of the step too"))

        self.push_screen(AskDialog(_("Question"), in_language(question.words, self.language), answers), answered)
