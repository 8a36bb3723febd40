"""Jump: a letter over every pane that can have the focus; that letter goes there (SCREENS, Everywhere)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Static

from inspector.ui.actions import bindings

#: Letters under the fingers first.
LETTERS = "asdfghjklqwertyuiopzxcvbnm"


def targets(screen: Screen[Any]) -> dict[str, Widget]:
    """A letter for each widget that can have the focus and is seen, from the top left to the bottom right."""
    seen = [
        widget
        for widget in screen.focus_chain
        if widget.region.area and widget.region.overlaps(screen.region) and widget is not screen.focused
    ]
    seen.sort(key=lambda widget: (widget.region.y, widget.region.x))
    return dict(zip(LETTERS, seen, strict=False))


class JumpOverlay(ModalScreen[Widget | None], inherit_bindings=False):
    """Shows the letters; the result is the widget, None for any other key."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("jump")
    DEFAULT_CSS = """
    JumpOverlay { background: $background 40%; align: left top; }
    JumpOverlay .letter {
        position: absolute;
        width: 5;
        height: 1;
        background: $mark;
        color: $background;
        text-style: bold;
        text-align: center;
    }
    """

    def __init__(self, letters: Mapping[str, Widget]) -> None:
        super().__init__()
        self.letters = letters

    def compose(self) -> ComposeResult:
        """A label at the top left of each pane."""
        for letter, widget in self.letters.items():
            label = Static(Content(letter.upper()), classes="letter")
            label.styles.offset = (widget.region.x, widget.region.y)
            yield label

    def on_key(self, event: events.Key) -> None:
        """Go to the letter's pane; any other key closes."""
        event.stop()
        event.prevent_default()
        self.dismiss(self.letters.get(event.character or ""))

    def on_click(self) -> None:
        """A click closes."""
        self.dismiss(None)

    def action_close(self) -> None:
        """Close without going anywhere."""
        self.dismiss(None)
