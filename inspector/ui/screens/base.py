"""What all screens share: bindings with ids for moving between panes, and the close key of dialogs."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual.binding import BindingType
from textual.screen import ModalScreen, Screen

from inspector.ui.actions import bindings
from inspector.ui.messages import CopyRequested
from inspector.ui.panes import text_to_copy

Result = TypeVar("Result")


class BaseScreen(Screen[None], inherit_bindings=False):
    """A full screen. The keys that Textual binds on every screen are bound on the app instead, with ids."""

    BINDINGS: ClassVar[list[BindingType]] = []


class Dialog(ModalScreen[Result | None], inherit_bindings=False):
    """A dialog over a screen; escape closes it with None. Its box has the class ``dialog``."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("dialog")

    def action_close(self) -> None:
        """Close without a result."""
        self.dismiss(None)

    def action_copy(self) -> None:
        """Copy what the dialog offers."""
        text = text_to_copy(self)
        if text:
            self.app.post_message(CopyRequested(text))
