"""A text to read, as a dialog: scrollable, copied with one key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from inspector.i18n import N_, _
from inspector.ui.screens.base import Dialog
from inspector.ui.widgets.reader import Item, Reader
from inspector.ui.widgets.safe import plain

Result = TypeVar("Result")


class ReadingDialog(Dialog[Result]):
    """Shows paragraphs under a title."""

    DEFAULT_CSS = """
    ReadingDialog .dialog { height: auto; }
    ReadingDialog Reader { height: auto; max-height: 100%; min-height: 1; margin: 1 0; }
    ReadingDialog .hint { color: $dim; height: auto; dock: bottom; }
    """

    def __init__(self, title: str, items: Sequence[Item], hint: str = N_("esc closes · y copies")) -> None:
        super().__init__()
        self.heading = title
        self.items = items
        self.hint = _(hint)

    def copy_text(self) -> str:
        """The whole text."""
        return "\n".join(item.text for item in self.items)

    def compose(self) -> ComposeResult:
        """The text in a box, and how to close it."""
        with Vertical(classes="dialog") as box:
            box.border_title = plain(self.heading)
            yield Reader()
            yield Static(Content(self.hint), classes="hint")

    def on_mount(self) -> None:
        """Fill the text in; the focus is on it, so that keys scroll."""
        reader = self.query_one(Reader)
        reader.show(self.items)
        reader.focus()
