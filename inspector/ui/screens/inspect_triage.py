"""The way from Inspect to Triage and back to the same place, and reports of the selected query (SCREENS Triage)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from inspector.i18n import _
from inspector.ui.panes import Report
from inspector.ui.screens.inspect_audit import InspectAudit

if TYPE_CHECKING:
    from inspector.ui.screens.triage_base import TriageState


class InspectTriage(InspectAudit):
    """Keeps the queue between two visits."""

    _triage_state: TriageState | None = None

    def action_triage(self) -> None:
        """The queue of incidents; one of them can be shown here."""
        # Imported late: the first paint need not wait for it.
        from inspector.ui.screens.triage import TriageScreen
        from inspector.ui.screens.triage_base import TriageState

        if self._triage_state is None:
            self._triage_state = TriageState()
        self.app.push_screen(TriageScreen(self.inspection, self._triage_state, self.show_incident))

    def show_incident(self, qi: int, mi: int | None = None) -> None:
        """Show a query, the cursor on a memory if one is given. What lies over this screen is closed first."""
        while self.app.screen is not self:
            self.app.pop_screen()
        self.query_pane.set_filter("")
        self.query_pane.grid.move_cursor(key=qi)
        self.show_query()
        if mi is not None:
            self.show_memory(mi)
        self.candidate_pane.grid.focus()
        self.tell(_("{id}: T goes back to Triage, to the same incident").format(id=self.inspection.queries[qi].id))

    def reports(self) -> Sequence[Report]:
        """A report of the selected query, in every form."""
        from inspector.ui.screens.triage_report import offered

        if self.qi is None:
            return []
        what = _("query {id}").format(id=self.inspection.queries[self.qi].id)
        return offered(what, what.replace(" ", "-"), partial(self._write_report, what, self.qi))

    def _write_report(self, what: str, qi: int, form: str, redact: bool, path: Path) -> None:
        from inspector.ui.app import InspectorApp
        from inspector.ui.screens.triage_report import make_report

        words = _("report of {what}{value}").format(what=what, value=_(", redacted,") if redact else "")
        app = self.app
        if isinstance(app, InspectorApp):
            app.write_export(words, partial(make_report, self.inspection, [qi], form, redact), path)
