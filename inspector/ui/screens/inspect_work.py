"""Long work on the Inspect screen: another route, and vectors for edited texts, in a thread that can be cancelled."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.message import Message
from textual.timer import Timer

from inspector.errors import Cancelled, InspectorError
from inspector.i18n import _
from inspector.records import OnProgress, Progress
from inspector.ui.messages import guarded
from inspector.ui.pace import Pace
from inspector.ui.screens.inspect_base import InspectBase
from inspector.ui.screens.inspect_dialogs import RouteDialog
from inspector.views import RouteChoice

if TYPE_CHECKING:
    from inspector.inspection import Inspection

#: Long work: takes where to report progress, and what says that it is to stop.
Work = Callable[[OnProgress, Callable[[], bool]], object]

#: Seconds between two reports of the same work.
_EVERY = 0.1
#: Seconds without an edit before edited texts are encoded.
_SETTLE_REST = 0.4


class InspectWorking(InspectBase):
    """Evaluates in a thread that touches no widget. Every message carries the generation of its work."""

    class Moved(Message):
        """How far the work has come; a later report makes an earlier one void."""

        def __init__(self, generation: int, report: Progress) -> None:
            super().__init__()
            self.generation = generation
            self.report = report

        def can_replace(self, message: Message) -> bool:
            """Only the latest report is worth drawing."""
            return isinstance(message, InspectWorking.Moved)

    class Ended(Message):
        """The work has ended; ``error`` is None where it was completed."""

        def __init__(self, generation: int, error: Exception | None) -> None:
            super().__init__()
            self.generation = generation
            self.error = error

    class Settled(Message):
        """Edited texts were encoded, or could not be."""

        def __init__(self, error: Exception | None) -> None:
            super().__init__()
            self.error = error

    def __init__(self, inspection: Inspection) -> None:
        super().__init__(inspection)
        self._generation = 0
        self._stop = threading.Event()
        self._pace = Pace()
        self._route_before: RouteChoice | None = None
        self._settling = False
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
        self._generation += 1
        self._stop = threading.Event()
        self._pace = Pace()
        self.busy = True
        self.tell(_("{words} …  escape cancels").format(words=words))
        self.run_worker(
            partial(self._work, self._generation, self._stop, work),
            group="evaluate",
            thread=True,
            exit_on_error=False,
            description=words,
        )

    def _work(self, generation: int, stop: threading.Event, work: Work) -> None:
        last, what = 0.0, ""

        def progress(report: Progress) -> None:
            nonlocal last, what
            now = time.monotonic()
            if report.what != what or now - last >= _EVERY or report.done == report.total:
                last, what = now, report.what
                self.post_message(self.Moved(generation, report))

        error: Exception | None = None
        try:
            work(progress, stop.is_set)
        except Exception as caught:  # told to the screen, which shows it; the thread must not end the program
            error = caught
        self.post_message(self.Ended(generation, error))

    @on(Moved)
    def _work_moved(self, event: Moved) -> None:
        event.stop()
        if self.busy and event.generation == self._generation:
            standing = self._pace.take(event.report)
            self.tell(_("{what} {words}  escape cancels").format(what=standing.what, words=standing.words()))

    @on(Ended)
    @guarded
    def _work_ended(self, event: Ended) -> None:
        event.stop()
        if event.generation != self._generation:
            return
        self.busy = False
        self.settle_soon()
        if self._when_ended is not None:
            self.evaluated(self._when_ended(event.error))
            if event.error is not None and not isinstance(event.error, Cancelled):
                self.fail(event.error, _("The question could not be ranked"))
            return
        if event.error is None:
            self._route_before = None
            self.evaluated(
                _("evaluated on {route}, k {k}").format(route=self.inspection.route, k=self.inspection.route.k)
            )
            return
        if self._route_before is not None:
            self.inspection.set_route(self._route_before)
            self._route_before = None
        if isinstance(event.error, Cancelled):
            self.evaluated(
                _("cancelled; still on {route}, what was encoded is kept").format(route=self.inspection.route)
            )
        else:
            self.evaluated(_("still on {route}").format(route=self.inspection.route))
            self.fail(event.error, _("The route could not be evaluated"))

    def cancel_work(self) -> bool:
        """Ask the work to stop; False if there is none."""
        if not self.busy:
            return False
        self._stop.set()
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
        if not self._settling and not self.busy:
            self._settling = True
            self.tell(_("{said}  …  working through the edits").format(said=self.said))
            self.run_worker(
                partial(self._settle_now, self._stop),
                group="settle",
                thread=True,
                exit_on_error=False,
                description="work through the edits",
            )

    def _settle_now(self, stop: threading.Event) -> None:
        error: Exception | None = None
        try:
            self.inspection.settle(cancelled=stop.is_set)
        except Exception as caught:  # told to the screen; the header goes on saying which texts wait
            error = caught
        self.post_message(self.Settled(error))

    @on(Settled)
    @guarded
    def _settled(self, event: Settled) -> None:
        event.stop()
        self._settling = False
        if event.error is None:
            self.settle_soon()
        elif not isinstance(event.error, Cancelled):
            self.toast(_("the edits could not be worked through: {error}").format(error=event.error), "warning")

    def evaluated(self, words: str) -> None:
        """The candidates of all queries may be others now."""
        raise NotImplementedError

    def on_unmount(self) -> None:
        """Work that nobody waits for is stopped."""
        self._stop.set()
