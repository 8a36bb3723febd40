"""Long work on the Inspect screen: another route, and vectors for edited texts, in a thread that can be cancelled."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from textual.timer import Timer

from inspector.errors import Cancelled, InspectorError
from inspector.i18n import _
from inspector.records import OnProgress
from inspector.ui.screens.inspect_base import InspectBase
from inspector.ui.screens.inspect_dialogs import RouteDialog
from inspector.views import RouteChoice

if TYPE_CHECKING:
    from inspector.inspection import Inspection

#: Long work: takes where to report progress, and what says that it is to stop.
Work = Callable[[OnProgress, Callable[[], bool]], object]

#: Seconds without an edit before edited texts are encoded.
_SETTLE_REST = 0.4


class InspectWorking(InspectBase):
    """Two works: ``evaluate``, which a user waits for and sees the progress of, and ``settle`` after edits."""

    def __init__(self, inspection: Inspection) -> None:
        super().__init__(inspection)
        self._route_before: RouteChoice | None = None
        self._settle_timer: Timer | None = None
        self._when_ended: Callable[[Exception | None], str] | None = None

    @property
    def route_in_force(self) -> RouteChoice:
        """The route that the candidates on the screen come from, also while another is evaluated."""
        return self._route_before if self.busy and self._route_before is not None else self.inspection.route

    def action_route(self) -> None:
        """Choose route, depth and k."""
        if self.busy:
            self.toast(_("wait until the route is evaluated, or cancel it with escape"), "warning")
        else:
            self.app.push_screen(RouteDialog(self.inspection.route, self._check_route), self._route_chosen)

    def _check_route(self, choice: RouteChoice) -> None:
        self.inspection.retriever.check(choice)

    def _route_chosen(self, choice: RouteChoice | None) -> None:
        if choice is not None and choice != self.inspection.route:
            self.start_route(choice)

    def start_route(self, choice: RouteChoice) -> None:
        """Evaluate on another route; the one of before comes back if that fails or is cancelled."""
        self._route_before = self.inspection.route
        try:
            self.inspection.set_route(choice)
        except InspectorError as error:
            self.fail(error, _("This route cannot be used"))
            return
        self.start_evaluation(_("evaluating {choice}").format(choice=choice))

    def start_evaluation(self, words: str) -> None:
        """Encode what is missing and evaluate, in a thread."""
        self.start_work(words, self.inspection.evaluate, None)

    def start_work(self, words: str, work: Work, ended: Callable[[Exception | None], str] | None) -> None:
        """Do work in a thread, with progress and cancel; then show everything anew.

        ``ended`` is told how it ended and gives the words to say; without it the work was the route's evaluation.
        """
        self._when_ended = ended
        self.busy = True
        self.tell(_("{words} …  escape cancels").format(words=words))
        self.start("evaluate", lambda job: work(job.progress, job.cancelled))

    def work_ended(self, work: str, result: Any) -> None:  # noqa: ARG002
        """The core holds what was worked out: show it anew."""
        if work == "evaluate":
            self._work_ended(None)
        else:
            self.settle_soon()

    def work_failed(self, work: str, error: Exception) -> None:
        """Say why, and show what is in force."""
        if work == "evaluate":
            self._work_ended(error)
        elif not isinstance(error, Cancelled):
            self.toast(_("the edits could not be worked through: {error}").format(error=error), "warning")

    def _work_ended(self, error: Exception | None) -> None:
        self.busy = False
        self.settle_soon()
        if self._when_ended is not None:
            self.evaluated(self._when_ended(error))
            if error is not None and not isinstance(error, Cancelled):
                self.fail(error, _("The question could not be ranked"))
            return
        if error is None:
            self._route_before = None
            self.evaluated(
                _("evaluated on {route}, k {k}").format(route=self.inspection.route, k=self.inspection.route.k)
            )
            return
        if self._route_before is not None:
            self.inspection.set_route(self._route_before)
            self._route_before = None
        if isinstance(error, Cancelled):
            self.evaluated(
                _("cancelled; still on {route}, what was encoded is kept").format(route=self.inspection.route)
            )
        else:
            self.evaluated(_("still on {route}").format(route=self.inspection.route))
            self.fail(error, _("The route could not be evaluated"))

    def cancel_work(self) -> bool:
        """Ask the work to stop; False if there is none."""
        if not self.ask_to_stop("evaluate"):
            return False
        self.tell(_("stopping; what is done is kept …"))
        return True

    # Edited texts

    def settle_soon(self) -> None:
        """After an edit: encode edited texts, rank and audit anew what waits for it, once the edits rest."""
        if self._settle_timer is not None:
            self._settle_timer.stop()
            self._settle_timer = None
        if not self.inspection.is_settled:
            self._settle_timer = self.set_timer(_SETTLE_REST, self._settle)

    def _settle(self) -> None:
        self._settle_timer = None
        if not self.running("settle") and not self.busy:
            self.tell(_("{said}  …  working through the edits").format(said=self.said))
            self.start("settle", lambda job: self.inspection.settle(cancelled=job.cancelled))

    def evaluated(self, words: str) -> None:
        """The candidates of all queries may be others now."""
        raise NotImplementedError
