"""Showing the program in a room: the keys that are pressed, and a store without its own words (issue 9)."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from textual import events
from textual.screen import Screen
from textual.widgets import Footer

from inspector.i18n import _
from inspector.ui import veil
from inspector.ui.actions import BY_ID, show_key
from inspector.ui.teaching import Teaching

if TYPE_CHECKING:
    from inspector.inspection import Inspection
    from inspector.ui.widgets.pressed import PressedLine

#: So many keys are shown; at 80 columns they leave room for the words.
_SHOWN = 6


class Presenting(Teaching):
    """The app's part for a presenter. ``presents`` is whether pressed keys are shown."""

    presents = False
    _pressed: deque[str]
    _noted: events.Key | None = None

    def begin_presenting(self, *, present: bool, redact: bool) -> None:
        """Take the flags of the command line."""
        self._pressed = deque(maxlen=_SHOWN)
        self.presents = present
        veil.redact(on=redact)

    def prepared(self, inspection: Inspection) -> None:
        """In the loading thread: what a redacted session has to know of the store before any of it is shown."""
        if veil.is_redacted():
            from inspector.veiling import veil_of

            veil.set_veil(veil_of(inspection))

    # Pressed keys

    async def on_event(self, event: events.Event) -> None:
        """Note a key before it does anything: what it does may be to leave the screen."""
        if self.presents and isinstance(event, events.Key) and event is not self._noted:
            self._noted = event  # what nothing handles comes back from the screen
            self._note(event)
        await super().on_event(event)

    def _note(self, event: events.Key) -> None:
        shown = event.character if event.is_printable and event.character not in (None, " ") else show_key(event.key)
        self._pressed.append(str(shown))
        self._show_pressed(self._words_of(event.key))

    def _words_of(self, key: str) -> str:
        """What a key does where the focus is now, as the help has it; nothing for a letter that is typed."""
        found = self.screen.active_bindings.get(key)
        action = BY_ID.get(found.binding.id or "") if found is not None else None
        return "" if action is None else _(action.help)

    @property
    def _base(self) -> Screen[Any] | None:
        return next((screen for screen in reversed(self.screen_stack) if not screen.is_modal), None)

    def _line(self) -> PressedLine | None:
        """The line on the topmost full screen; it is put there where it is missing and taken away where it is off."""
        from inspector.ui.widgets.pressed import PressedLine

        screen = self._base
        if screen is None or not screen.is_mounted:
            return None
        lines = screen.query(PressedLine)
        if not self.presents:
            lines.remove()
            return None
        if lines:
            return lines.first()
        footers = screen.query(Footer)
        made = PressedLine()
        screen.mount(made, before=footers.first() if footers else None)
        return made

    def _show_pressed(self, words: str = "") -> None:
        line = self._line()
        if line is not None:
            line.show(list(self._pressed), words)

    def seen_anew(self) -> None:
        """Another screen is seen: the line goes with it."""
        super().seen_anew()
        self._show_pressed()

    def action_present(self) -> None:
        """Show the keys that are pressed, or no longer."""
        self.presents = not self.presents
        self._show_pressed()
