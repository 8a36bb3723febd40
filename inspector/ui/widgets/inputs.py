"""Text entry that no pasted or stored character can turn against the terminal (STYLE 5b.1).

Textual's own Input and TextArea send ESC and its like to the terminal as they are; here they are shown by pictures.
"""

from __future__ import annotations

from dataclasses import replace

from textual.widgets import Input, TextArea
from textual.widgets.text_area import Edit, EditResult

from inspector.text import visible
from inspector.ui.veil import is_hidden, is_redacted


def typed(text: str, *, newlines: bool = False) -> str:
    """What typing or pasting the text enters: tabs as blanks, line ends as line feeds, anything unsafe as its sign."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", "    ")
    return visible(text if newlines else text.replace("\n", " "), newlines=newlines)


class SafeInput(Input):
    """A line of text entry."""

    DEFAULT_CSS = """
    SafeInput {
        border: none;
        height: 1;
        padding: 0;
        background: $panel;
        &:focus { border: none; background: $cursor-cell; }
    }
    """

    def on_mount(self) -> None:
        """In a redacted session a name of the store is masked as soon as it stands there."""
        if is_redacted():
            self.watch(self, "value", self._mask)

    def _mask(self, value: str) -> None:
        self.password = is_hidden(value)

    def replace(self, text: str, start: int, end: int) -> None:
        """Put text in place of a part; every way of entering text comes through here."""
        super().replace(typed(text), start, end)


class SafeTextArea(TextArea):
    """A box of text entry with wrapped lines."""

    DEFAULT_CSS = """
    SafeTextArea {
        border: none;
        padding: 0;
        background: $panel;
        &:focus { border: none; background: $cursor-cell; }
    }
    """

    def edit(self, edit: Edit) -> EditResult:
        """Carry out an edit; every way of entering text comes through here."""
        return super().edit(replace(edit, text=typed(edit.text, newlines=True)))
