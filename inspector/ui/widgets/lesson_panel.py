"""The lesson that runs, in a few lines above the footer of every screen: step, what to do, whether it is done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from rich.cells import cell_len
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from inspector.i18n import _
from inspector.lessons import LessonRun
from inspector.lessons.model import in_language
from inspector.ui.actions import BY_ID, show_keys
from inspector.ui.veil import visible
from inspector.ui.widgets.cells import Piece, fit
from inspector.ui.widgets.safe import lines
from inspector.ui.widgets.signs import content

#: Terminal cells that a title keeps where the keys leave less.
_TITLE = 9


class LessonPanel(VerticalScroll, can_focus=False):
    """Shows the step of a run. It takes no focus: the learner's keys go to the screen that the lesson is about."""

    PANE: ClassVar[str] = "Lesson"
    SCOPED_CSS = False  # the class -low is the screen's
    DEFAULT_CSS = """
    LessonPanel {
        height: auto;
        max-height: 8;
        width: 1fr;
        padding: 0 1;
        background: $surface;
        border-top: solid $primary;
        scrollbar-size-vertical: 1;
    }
    .-low LessonPanel { border-top: none; background: $panel; max-height: 6; }
    .-low.-lesson HeaderBar { max-height: 1; }
    LessonPanel.-folded > #lesson-words { display: none; }
    LessonPanel Static { width: 1fr; height: auto; }
    LessonPanel > #lesson-head { text-wrap: nowrap; text-overflow: ellipsis; height: 1; }
    """

    def __init__(self, run: LessonRun, keys: Mapping[str, str], language: str) -> None:
        super().__init__()
        self.run = run
        self._keys = keys
        self._language = language
        self._head = Static(id="lesson-head")
        self._words = Static(id="lesson-words")

    def on_mount(self) -> None:
        """Show the step."""
        self.mount(self._head, self._words)
        self.show()

    def key(self, verb: str) -> str:
        """The key in force for an action of the lesson."""
        return show_keys(BY_ID[f"lesson.{verb}"], self._keys)

    def show(self, fault: str = "", hint: str = "") -> None:
        """Show the run as it is now; ``fault`` says why the check cannot be made, "" where it can; ``hint`` answers
        what the learner just tried.
        """
        run, step = self.run, self.run.step
        self._head.update(content(self._heading()))
        if fault:
            words = lines(fault, "$warn")
        elif run.is_done:
            words = Content.assemble(("✓ ", "bold $good"), lines(in_language(step.shown, self._language)))
        else:
            words = Content.assemble(("▸ ", "bold $heading"), lines(in_language(step.do, self._language)))
            if step.question is not None:
                question = in_language(step.question.words, self._language)
                words = Content.assemble(
                    words, " ", lines(question, "bold"), (_("  {key} answers").format(key=self.key("answer")), "$link")
                )
        if hint:
            words = Content.assemble(words, "\n", ("! ", "bold $warn"), lines(hint, "$warn"))
        self._words.update(words)
        self.scroll_home(animate=False)

    def on_resize(self) -> None:
        """The title is cut to what the keys leave of the line."""
        self._head.update(content(self._heading()))

    def _heading(self) -> list[Piece]:
        run = self.run
        number = f"{run.lesson.number} " if run.lesson.number else ""
        last = run.at == len(run.lesson.steps) - 1
        pieces = [
            Piece(_("  step {at} of {count}  ").format(at=run.at + 1, count=len(run.lesson.steps)), "dim"),
            Piece(_("✓ done"), "good") if run.is_done else Piece(_("☐ open"), "warn"),
        ]
        if run.is_done:
            pieces.append(Piece(f"  {self.key('next')} {_('ends the lesson') if last else _('next')}", "link"))
        for verb, words in (("back", _("back")), ("fold", _("fold")), ("leave", _("leave"))):
            if verb == "back" and run.at == 0:
                continue
            pieces.append(Piece(f"  {self.key(verb)} {words}", "dim"))
        title = Piece(visible(number + in_language(run.lesson.title, self._language)), "heading")
        # A long title is cut, never the keys: they are the way on and out. Some of it is kept on any terminal.
        room = self.size.width - sum(cell_len(piece.text) for piece in pieces)
        cut = [title] if cell_len(title.text) <= room or not self.size.width else fit([title], max(room, _TITLE))
        return [*cut, *pieces]
