"""The lessons, with how far each has been done (issue 9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from inspector.errors import InputError
from inspector.i18n import _
from inspector.lessons import Lesson, LessonRun, lessons, restart
from inspector.lessons.model import in_language
from inspector.ui.actions import bindings
from inspector.ui.screens.base import BaseScreen
from inspector.ui.widgets.cells import Cell, Column, Piece, RowList
from inspector.ui.widgets.footer import KeyFooter
from inspector.ui.widgets.grid import Grid
from inspector.ui.widgets.header import HeaderBar
from inspector.ui.widgets.safe import lines, say


def standing(lesson: Lesson) -> Piece:
    """How far a lesson has been done."""
    run = LessonRun(lesson)
    if run.is_finished:
        return Piece(_("✓ done"), "good")
    if run.done:
        return Piece(_("{count} of {count2} steps").format(count=len(run.done), count2=len(lesson.steps)), "changed")
    return Piece(_("{count} steps").format(count=len(lesson.steps)), "dim")


class LearnScreen(BaseScreen):
    """Lists the lessons. Posts :class:`Chosen`; the app opens the store that the lesson is done on."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("learn")
    PANE = "Learn"
    HELP = (
        "Each lesson opens a store and asks for something to be done in the program itself; it notices when that has "
        "happened. Enter begins a lesson or resumes it where it was left, with the edits made in it. Lessons of your "
        "own are .toml files in the folder that inspector locate lessons prints."
    )
    DEFAULT_CSS = """
    LearnScreen #intro { color: $dim; padding: 0 2; height: auto; margin: 1 0; }
    LearnScreen Grid { height: auto; max-height: 60%; max-width: 140; margin: 0 1; }
    LearnScreen #about { height: auto; padding: 0 2; margin: 1 0; max-width: 140; }
    """

    class Chosen(Message):
        """A lesson is to be begun or resumed; None: back to the choice of stores."""

        def __init__(self, lesson: Lesson | None) -> None:
            super().__init__()
            self.lesson = lesson

    class Listed(Message):
        """The lessons that the thread read, and what was wrong with the others."""

        def __init__(self, found: Sequence[Lesson], broken: Sequence[InputError]) -> None:
            super().__init__()
            self.found = found
            self.broken = broken

    def __init__(self, language: str, near: str = "") -> None:
        super().__init__()
        self._language = language
        self._near = near
        self._lessons: dict[str, Lesson] = {}

    def compose(self) -> ComposeResult:
        """The list, and what the lesson under the cursor is about."""
        yield HeaderBar()
        yield Static(
            Content(_("Short lessons, each done in the program itself. Enter begins or resumes one.")), id="intro"
        )
        yield Grid(
            [
                Column("number", "", 3, align="right"),
                Column("title", "", 30, flex=1, least=20),
                Column("standing", "", 14),
                Column("minutes", "", 6, align="right"),
                Column("store", "", 18, least=0),
            ],
            show_header=False,
            empty=_("reading the lessons …"),
            id="lessons",
        )
        yield Static(id="about")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Read the lessons once the screen has been painted."""
        self.query_one(Grid).focus()
        self._read()

    @work(thread=True, exclusive=True, exit_on_error=False, group="lessons")
    def _read(self) -> None:
        self.post_message(self.Listed(*lessons()))

    @on(Listed)
    def _listed(self, message: Listed) -> None:
        self._lessons = {lesson.key: lesson for lesson in message.found}
        grid = self.query_one(Grid)
        grid.set_source(RowList(message.found, lambda lesson: lesson.key, self._cells))
        keys = list(self._lessons)
        at = keys.index(self._near) if self._near in keys else 0
        if self._near in keys and LessonRun(message.found[at]).is_finished:
            at = min(at + 1, len(keys) - 1)  # the one just done leads to the next
        grid.move_cursor(at)
        if message.broken:
            say(self.app, "\n".join(map(str, message.broken)), title=_("Lessons not read"), severity="warning")

    def _cells(self, lesson: Lesson) -> list[Cell]:
        return [
            Piece(str(lesson.number or "·"), "dim"),
            Piece(in_language(lesson.title, self._language), "strong"),
            standing(lesson),
            Piece(_("{minutes} min").format(minutes=lesson.minutes), "dim"),
            Piece(lesson.store, "dim"),
        ]

    @on(Grid.RowHighlighted)
    def _about(self, message: Grid.RowHighlighted) -> None:
        lesson = self._lessons.get(str(message.key))
        words = "" if lesson is None else in_language(lesson.teaches, self._language)
        self.query_one("#about", Static).update(lines(words))

    @on(Grid.RowSelected)
    def _chosen(self, message: Grid.RowSelected) -> None:
        lesson = self._lessons[str(message.key)]
        if LessonRun(lesson).is_finished:
            restart(lesson)  # to resume one at its end would show the last words over a store where nothing was done
        self.post_message(self.Chosen(lesson))

    def action_restart(self) -> None:
        """Begin the lesson under the cursor anew."""
        lesson = self._lessons.get(str(self.query_one(Grid).cursor_key))
        if lesson is not None:
            restart(lesson)
            self.post_message(self.Chosen(lesson))

    def action_leave(self) -> None:
        """Back to the choice of stores."""
        self.post_message(self.Chosen(None))
