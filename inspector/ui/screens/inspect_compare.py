"""The way from Inspect to Compare, and from a query there back to Inspect (SCREENS Compare)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.i18n import _
from inspector.ui.screens.inspect_mdl import InspectMdl
from inspector.views import RouteChoice

if TYPE_CHECKING:
    from inspector.ui.screens.compare_base import CompareState


class InspectCompare(InspectMdl):
    """Keeps what was compared between two visits."""

    _compare_state: CompareState | None = None
    _land_on: int | None = None

    def action_compare(self) -> None:
        """Routes side by side; a query of them can be shown here."""
        # Imported late: the first paint need not wait for it.
        from inspector.ui.screens.compare import CompareScreen
        from inspector.ui.screens.compare_base import CompareState

        if self._compare_state is None:
            self._compare_state = CompareState.of(self.inspection)
        self.app.push_screen(CompareScreen(self.inspection, self._compare_state, self.show_compared))

    def landing(self) -> int | None:
        """The memory that the cursor goes to after an evaluation: the one that a figure led to, else where it is."""
        mi, self._land_on = self._land_on, None
        return self.mi if mi is None else mi

    def show_compared(self, qi: int, route: str | None, k: int, mi: int | None = None) -> None:
        """Show a query, the cursor on a memory if one is given, on a route that is put in force; None: on the one that
        is.

        What lies over this screen is closed first.
        """
        while self.app.screen is not self:
            self.app.pop_screen()
        self.query_pane.set_filter("")
        self.query_pane.grid.move_cursor(key=qi)
        self.show_query(cursor=mi)
        if mi is not None:
            self.candidate_pane.show_memory(mi)
        self.candidate_pane.grid.focus()
        query_id = self.inspection.queries[qi].id
        here = self.route_in_force
        if route is None:
            self.tell(
                _("{query_id} on {here}, k {k}: the route in force here").format(query_id=query_id, here=here, k=here.k)
            )
            return
        choice = RouteChoice.parse(route, k)
        if choice == here:
            self.tell(_("{query_id} on {choice}, k {k}: as compared").format(query_id=query_id, choice=choice, k=k))
        elif self.busy:
            self.toast(
                _("still evaluating: {query_id} is shown on {here}").format(query_id=query_id, here=here), "warning"
            )
        else:
            self._land_on = mi
            self.start_route(choice)
            self.tell(
                _("{query_id}: putting {choice}, k {k}, in force, as compared …  escape cancels").format(
                    query_id=query_id, choice=choice, k=k
                )
            )
