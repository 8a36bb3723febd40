"""A dialog of lines to type in, some of which hold one of a few known words."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.ui.screens.base import Dialog, Result
from inspector.ui.widgets.inputs import SafeInput


class FormDialog(Dialog[Result]):
    """The keys up and down go through the known words of the line that has the focus; a line's id is ``line-FIELD``."""

    def known_words(self, field: str) -> Sequence[str]:
        """The words that a field may hold; none where anything may stand."""
        raise NotImplementedError

    def action_previous(self) -> None:
        """The known word before."""
        self._step(-1)

    def action_next(self) -> None:
        """The next known word."""
        self._step(1)

    def _step(self, direction: int) -> None:
        line = self.focused
        words = self.known_words((line.id or "").removeprefix("line-")) if isinstance(line, SafeInput) else ()
        if isinstance(line, SafeInput) and words:
            at = words.index(line.value) + direction if line.value in words else (0 if direction > 0 else -1)
            line.value = words[at % len(words)]
            line.cursor_position = len(line.value)
