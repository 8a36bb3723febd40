"""What all screens share: bindings with ids for moving between panes, the close key of dialogs, failed workers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, TypeVar

from textual.binding import ActiveBinding, BindingType
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.worker import Worker, WorkerState

from inspector.errors import Cancelled
from inspector.i18n import _, language
from inspector.ui.actions import BY_ID, bindings, show_keys
from inspector.ui.messages import CopyRequested, ErrorRaised, ScreenSeen
from inspector.ui.panes import text_to_copy

Result = TypeVar("Result")


def in_language(active: dict[str, ActiveBinding]) -> dict[str, ActiveBinding]:
    """The bindings with the footer's words and tooltips in the user's language.

    A class's bindings are made when its module is read, whatever is spoken then.
    """
    if language() == "en":
        return active
    shown = {}
    for key, (node, binding, enabled, tooltip) in active.items():
        action = BY_ID.get(binding.id or "")
        if action is not None:
            tooltip = action.help_shown
            binding = replace(binding, description=action.label_shown, tooltip=tooltip)
        shown[key] = ActiveBinding(node, binding, enabled, tooltip)
    return shown


def tell_failure(screen: Screen[Any], event: Worker.StateChanged) -> None:
    """Hand the error of a worker that failed to the app, unless it was cancelled."""
    error = event.worker.error
    if event.state is WorkerState.ERROR and error is not None and not isinstance(error, Cancelled):
        screen.app.post_message(ErrorRaised(error))


class BaseScreen(Screen[None], inherit_bindings=False):
    """A full screen. The keys that Textual binds on every screen are bound on the app instead, with ids."""

    BINDINGS: ClassVar[list[BindingType]] = []

    @property
    def active_bindings(self) -> dict[str, ActiveBinding]:
        """Textual's own, in the user's language."""
        return in_language(super().active_bindings)

    def on_screen_resume(self) -> None:
        """A running lesson is shown on the screen that is seen."""
        self.app.post_message(ScreenSeen())

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A worker started with ``exit_on_error=False`` that fails is shown as an error."""
        tell_failure(self, event)


class Dialog(ModalScreen[Result | None], inherit_bindings=False):
    """A dialog over a screen; escape closes it with None. Its box has the class ``dialog``."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("dialog")
    #: Whether the box names the key of the help.
    OFFERS_HELP: ClassVar[bool] = True
    DEFAULT_CSS = """
    Dialog { background: $background 70%; align: center middle; }
    Dialog .dialog {
        width: 94%;
        max-width: 104;
        height: auto;
        max-height: 92%;
        background: $surface;
        border: round $primary;
        border-title-color: $heading;
        border-title-style: bold;
        border-subtitle-color: $dim;
        padding: 0 1;
    }
    """

    @property
    def active_bindings(self) -> dict[str, ActiveBinding]:
        """Textual's own, in the user's language."""
        return in_language(super().active_bindings)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A worker started with ``exit_on_error=False`` that fails is shown as an error."""
        tell_failure(self, event)

    def on_mount(self) -> None:
        """Every dialog names the key of its help; where text is typed, ``?`` is typed too."""
        if self.OFFERS_HELP:
            keys = show_keys(BY_ID["dialog.help"], getattr(self.app, "keys_changed", {})).split()
            for box in self.query(".dialog"):
                box.border_subtitle = Content(_("{key} help").format(key=keys[-1]))

    def action_help(self) -> None:
        """The help of this dialog, over it."""
        from inspector.ui.screens.help import HelpDialog

        self.app.push_screen(HelpDialog(self, getattr(self.app, "keys_changed", {})))

    def action_close(self) -> None:
        """Close without a result."""
        self.dismiss(None)

    def action_copy(self) -> None:
        """Copy what the dialog offers."""
        text = text_to_copy(self)
        if text:
            self.app.post_message(CopyRequested(text))

    def go_back(self) -> bool:
        """Escape, where something in the dialog hands it on."""
        self.action_close()
        return True
