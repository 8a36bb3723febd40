"""The keys pressed last, in a line of their own above the footer, for those who watch over a projector (issue 9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.widgets import Static

from inspector.i18n import _
from inspector.ui.widgets.cells import Piece
from inspector.ui.widgets.signs import content


class PressedLine(Static):
    """Shows the last keys, the newest last, and what the newest one does here."""

    PANE: ClassVar[str] = "Keys"
    DEFAULT_CSS = """
    PressedLine {
        height: 1;
        width: 1fr;
        padding: 0 1;
        background: $cursor;
        text-wrap: nowrap;
        text-overflow: ellipsis;
    }
    """

    def show(self, keys: Sequence[str], words: str) -> None:
        """Show the keys as people read them, and the words for what the last of them does."""
        pieces = [Piece(_("keys "), "dim")]
        for number, key in enumerate(keys):
            newest = number == len(keys) - 1
            pieces += [Piece(f" {key} ", "changed" if newest else "dim")]
        if words:
            pieces.append(Piece(f"  {words}", "heading"))
        self.update(content(pieces))
