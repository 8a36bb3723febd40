"""The list of edits: revert one, revert all, export (DESIGN 10)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import getters
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content

from inspector.i18n import _
from inspector.ui.actions import bindings
from inspector.ui.app import InspectorApp
from inspector.ui.screens.base import Dialog
from inspector.ui.widgets.cells import Cell, Column, Piece, RowList
from inspector.ui.widgets.footer import KeyFooter
from inspector.ui.widgets.grid import Grid
from inspector.ui.widgets.safe import say

if TYPE_CHECKING:
    from inspector.inspection import Inspection
    from inspector.views import Change, EditEntry


class EditsDialog(Dialog[None]):
    """Lists the edits, the latest first. Screens hear of a revert as of any other change."""

    app = getters.app(InspectorApp)
    BINDINGS: ClassVar[list[BindingType]] = bindings("edits")
    PANE = "Edits"
    HELP = "Reverting is an edit like any other: undo (u) brings back what was reverted. The source is never written."
    DEFAULT_CSS = """
    EditsDialog .dialog { width: 90%; max-width: 140; height: 80%; }
    """

    def __init__(self, inspection: Inspection) -> None:
        super().__init__()
        self.inspection = inspection
        self._entries: list[EditEntry] = []

    def compose(self) -> ComposeResult:
        """One table."""
        with Vertical(classes="dialog") as box:
            box.border_title = Content(_("Edits, the latest first"))
            yield Grid(
                [
                    Column("when", "when (UTC)", 19, least=11),
                    Column("active", "", 10),
                    Column("words", "edit", 30, flex=1),
                ],
                empty=_("no edits yet: e on a field, or 1 0 . on an axis"),
            )
        yield KeyFooter()

    def on_mount(self) -> None:
        """Fill the table in."""
        self._fill()
        self.query_one(Grid).focus()

    def copy_text(self) -> str:
        """The list as lines."""
        return "\n".join(f"{entry.when}\t{entry.words}" for entry in self._entries)

    def _fill(self) -> None:
        self._entries = self.inspection.edits()[::-1]

        def cells(entry: EditEntry) -> list[Cell]:
            style = "" if entry.active else "dim"
            state = Piece(_("in force"), "edited") if entry.active else Piece(_("undone"), "dim")
            return [Piece(entry.when[:19].replace("T", " "), "dim"), state, Piece(entry.words, style)]

        self.query_one(Grid).set_source(RowList(self._entries, lambda entry: entry.seq, cells))

    def _done(self, change: Change) -> None:
        self._fill()
        say(self.app, change.sentence)

    def action_revert(self) -> None:
        """Revert the edit under the cursor."""
        seq = self.query_one(Grid).cursor_key
        if isinstance(seq, int):
            self._done(self.inspection.revert(seq))

    def action_revert_all(self) -> None:
        """Revert every edit."""
        if any(entry.active for entry in self._entries):
            self._done(self.inspection.revert_all())

    def action_export(self) -> None:
        """Export the edits."""
        from inspector.ui.screens.export import ExportDialog

        self.app.push_screen(ExportDialog.of(self.app, self))
