"""A question with a few answers, as a dialog; the answers are rows, chosen by key or mouse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from inspector.i18n import _
from inspector.ui.screens.base import Dialog
from inspector.ui.widgets.cells import Column, Piece, RowList
from inspector.ui.widgets.grid import Grid
from inspector.ui.widgets.safe import lines, plain


class AskDialog(Dialog[str]):
    """Asks; the result is the key of the answer, None where the dialog was closed.

    ``answers`` are (key, words, what it leads to).
    """

    BINDINGS: ClassVar[list[BindingType]] = []
    PANE = "Question"
    HELP = "A question with a few answers; the line below the answers says what the one under the cursor leads to."
    DEFAULT_CSS = """
    AskDialog .question { height: auto; margin: 1 0; }
    AskDialog Grid { height: auto; max-height: 12; }
    AskDialog #leads { color: $dim; height: auto; margin: 1 2; }
    AskDialog .hint { color: $dim; height: auto; }
    """

    def __init__(self, title: str, question: str, answers: Sequence[tuple[str, str, str]]) -> None:
        super().__init__()
        self.heading = title
        self.question = question
        self.answers = answers

    def copy_text(self) -> str:
        """The question."""
        return self.question

    def compose(self) -> ComposeResult:
        """The question and the answers under it."""
        widest = max(len(words) for _, words, _ in self.answers)
        columns = [Column("words", "", widest, flex=1)]
        rows = RowList(self.answers, lambda row: row[0], lambda row: [Piece(row[1], "strong")])
        with Vertical(classes="dialog") as box:
            box.border_title = plain(self.heading)
            yield Static(lines(self.question), classes="question")
            yield Grid(columns, rows, show_header=False)
            yield Static(id="leads")
            yield Static(Content(_("up and down choose · enter answers · esc closes")), classes="hint")

    @on(Grid.RowHighlighted)
    def _leads(self, message: Grid.RowHighlighted) -> None:
        leads = next((leads for key, _, leads in self.answers if key == message.key), "")
        self.query_one("#leads", Static).update(lines(leads))

    @on(Grid.RowSelected)
    def _answered(self, message: Grid.RowSelected) -> None:
        self.dismiss(str(message.key))
