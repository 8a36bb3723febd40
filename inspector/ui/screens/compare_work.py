"""Long work on the *Compare* screen in threads that touch no widget; what is finished is shown and kept (SCREENS)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from textual import on
from textual.message import Message

from inspector.compare.comparison import Comparison, Request
from inspector.comparing import (
    Edited,
    Kept,
    KeptResolve,
    Sensitivity,
    SensitivityRequest,
    compare_opened,
    keep_again,
    keep_labels,
    keep_resolve,
    kept_comparison,
    kept_labels,
    kept_resolve,
    made_under,
    resolve_first,
    run_source,
    sensitivity,
    sensitivity_source,
    shown_again,
    stale_words,
)
from inspector.errors import Cancelled, InspectorError
from inspector.i18n import _
from inspector.records import OnProgress, Progress
from inspector.ui.messages import guarded
from inspector.ui.pace import Pace
from inspector.ui.screens.compare_base import CompareBase, CompareState

if TYPE_CHECKING:
    from inspector.inspection import Inspection

#: Seconds between two reports of how far a piece of work has come.
_EVERY = 0.1
#: Up to so many memories × queries the routes are compared as soon as the screen is seen first.
AT_ONCE = 20_000_000
#: Work that a user waits for: one at a time, stopped by escape.
RUNS = ("compare", "labels", "resolve")


@dataclass(frozen=True, slots=True)
class Fresh:
    """Why comparison, label errors and what to resolve first are not of the store as it stands; "" where they are."""

    stale: str
    labels: str
    resolve: str


@dataclass(frozen=True, slots=True)
class Found:
    """What the workspace had kept, and its figures."""

    kept: Kept | None
    comparison: Comparison | None
    labels: Sensitivity | None
    resolve: KeptResolve | None
    fresh: Fresh


Work = Callable[[OnProgress, Callable[[], bool], Callable[[Any], None]], Any]


class CompareWorking(CompareBase):
    """Each kind of work has a generation: what an older one says is passed over."""

    class Reported(Message):
        """How far a piece of work has come, a part of what it gives, or at last all of it, or why it gave nothing."""

        def __init__(self, work: str, generation: int, report: Any, *, last: bool = False) -> None:
            super().__init__()
            self.work = work
            self.generation = generation
            self.report = report
            self.last = last

        def can_replace(self, message: Message) -> bool:
            """A later report of progress makes an earlier one void; results are never passed over."""
            return (
                isinstance(message, CompareWorking.Reported)
                and message.work == self.work
                and isinstance(message.report, Progress)
                and isinstance(self.report, Progress)
            )

    def __init__(self, inspection: Inspection, state: CompareState) -> None:
        super().__init__(inspection, state)
        self._generations: dict[str, int] = {}
        self._stops: dict[str, threading.Event] = {}
        self._pace = Pace()

    @property
    def running(self) -> str:
        """The work that the user waits for, "" for none."""
        return next((work for work in RUNS if work in self._stops), "")

    def start(self, work: str, do: Work) -> None:
        """Do a work in a thread; the one of before of the same name is stopped."""
        self.stop(work)
        generation = self._generations[work] = self._generations.get(work, 0) + 1
        stop = self._stops[work] = threading.Event()
        self._pace = Pace()
        self.run_worker(
            partial(self._run, work, generation, stop, do),
            group=work,
            thread=True,
            exit_on_error=False,
            description=work,
        )

    def stop(self, work: str) -> bool:
        """Ask a work to stop; False if it is not running."""
        stop = self._stops.pop(work, None)
        if stop is not None:
            stop.set()
        return stop is not None

    def _run(self, work: str, generation: int, stop: threading.Event, do: Work) -> None:
        told, what = 0.0, ""

        def progress(report: Progress) -> None:
            nonlocal told, what
            now = time.monotonic()
            if report.what != what or now - told >= _EVERY or report.done == report.total:
                told, what = now, report.what
                self.post_message(self.Reported(work, generation, report))

        def part(result: Any) -> None:
            self.post_message(self.Reported(work, generation, result))

        try:
            result: Any = do(progress, stop.is_set, part)
        except Exception as error:  # told to the screen, which shows it; the thread must not end the program
            result = error
        self.post_message(self.Reported(work, generation, result, last=True))

    @on(Reported)
    @guarded
    def _reported(self, event: Reported) -> None:
        event.stop()
        if self._generations.get(event.work) != event.generation:
            return
        if event.last:
            self._stops.pop(event.work, None)
        report = event.report
        if isinstance(report, Progress):
            if event.work in self._stops:
                standing = self._pace.take(report)
                self.tell(_("{what}  {words}  escape cancels").format(what=standing.what, words=standing.words()))
        elif isinstance(report, Exception):
            self._ended_by(event.work, report)
        else:
            getattr(self, f"took_{event.work}")(report, event.last)

    def _ended_by(self, work: str, error: Exception) -> None:
        if isinstance(error, Edited):
            self.state.mark_edited()
            self.tell(_("{error}; what was finished is of before the edit").format(error=error), "warn")
            self.show_all()
        elif isinstance(error, Cancelled):
            self.stopped(work)
        else:
            self.tell("")
            titles = {"compare": _("The routes could not be compared"), "labels": _("Label errors could not be tried")}
            self.fail(error, titles.get(work, "This could not be worked out"))

    def stopped(self, work: str) -> None:
        """Say what is left of a work that was cancelled."""
        raise NotImplementedError

    def show_all(self) -> None:
        """Show everything anew."""
        raise NotImplementedError

    def on_unmount(self) -> None:
        """Work that nobody waits for is stopped; finished routes and curves are kept."""
        for work in list(self._stops):
            self.stop(work)

    def cancel_work(self) -> bool:
        """Escape stops what runs; False where nothing does."""
        work = self.running
        if not work:
            return False
        self._stops[work].set()
        self.tell(_("stopping; what is finished is kept …"))
        return True

    def refused(self) -> bool:
        """Say that something runs already; True if it does."""
        if self.running:
            self.tell(_("something is running: escape stops it and keeps what is finished"), "warn")
        return bool(self.running)

    # The works

    def load(self) -> None:
        """Take what the workspace has kept."""
        inspection = self.inspection

        def do(*_: Any) -> Found:
            kept, labels, resolve = kept_comparison(inspection), kept_labels(inspection), kept_resolve(inspection)
            comparison = None if kept is None else shown_again(inspection, kept)
            return Found(kept, comparison, labels, resolve, _fresh(inspection, kept, labels, resolve))

        self.start("load", do)

    def look(self) -> None:
        """Find out whether the figures are still those of the store: an edit may have been undone."""
        inspection, state = self.inspection, self.state
        kept, labels, resolve = state.kept, state.labels, state.resolve
        self.start("look", lambda *_: _fresh(inspection, kept, labels, resolve))

    def compare(self) -> None:
        """Run the routes of the request, or take what is kept of them."""
        inspection, request, scores = self.inspection, self.state.request, self.state.scores

        def do(progress: OnProgress, cancelled: Callable[[], bool], part: Callable[[Any], None]) -> Any:
            return compare_opened(inspection, request, progress, cancelled, scores=scores, on_result=part)

        self.tell(_("comparing …  escape cancels"))
        self.start("compare", do)

    def refigure(self, request: Request) -> None:
        """Other τ, axes, cost or base: figures anew of the rankings that are there."""
        inspection, kept = self.inspection, self.state.kept
        self.state.request = request
        if kept is None:
            return
        wanted = replace(kept, request=replace(request, routes=kept.request.routes))

        def do(*_: Any) -> tuple[Kept, Comparison]:
            comparison = shown_again(inspection, wanted)
            keep_again(inspection, wanted)
            return wanted, comparison

        self.start("figures", do)

    def run_labels(self) -> None:
        """Corrupt and hide labels."""
        inspection, state = self.inspection, self.state
        request = SensitivityRequest(state.request, seeds=state.seeds, tolerance=state.tolerance)

        def do(progress: OnProgress, cancelled: Callable[[], bool], part: Callable[[Any], None]) -> Sensitivity:
            def on_kind(curves: Any, kinds: tuple[str, ...]) -> None:
                keep_labels(inspection, replace(request, kinds=kinds), curves)
                part(sensitivity(replace(request, kinds=kinds), [curves]))

            return sensitivity(request, [sensitivity_source(inspection, request, progress, cancelled, on_kind=on_kind)])

        self.tell(_("label errors …  escape cancels"))
        self.start("labels", do)

    def run_resolve(self) -> None:
        """Work out which ? to resolve first, on the base route."""
        inspection, request = self.inspection, self.state.request
        route = request.base_route
        alone = replace(request, routes=(route,), base=route)

        def do(progress: OnProgress, cancelled: Callable[[], bool], _: Any) -> KeptResolve:
            found = resolve_first(inspection, alone, route, progress, cancelled, limit=50)
            settings = run_source(inspection, alone).runs[route].settings  # kept a moment ago
            return keep_resolve(inspection, request, route, found, settings)

        self.tell(_("which ? to resolve first …  escape cancels"))
        self.start("resolve", do)


def _fresh(inspection: Inspection, kept: Kept | None, labels: Sensitivity | None, resolve: KeptResolve | None) -> Fresh:
    """Why what is shown is not of the store as it stands."""

    def words(made: Mapping[str, Mapping[str, Any]], request: Request) -> str:
        try:
            return stale_words(inspection, made, request)
        except InspectorError as error:  # a route that this store cannot be asked about any more
            return str(error)

    return Fresh(
        "" if kept is None else words(made_under(kept.runs), kept.request),
        "" if labels is None else words(made_under(labels.sources[0]), labels.request.routes),
        "" if resolve is None else words({resolve.route: resolve.made_under}, resolve.request),
    )
