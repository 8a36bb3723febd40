"""Long work on the *Compare* screen in threads that touch no widget; what is finished is shown and kept (SCREENS)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

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
from inspector.ui.screens.compare_base import CompareBase
from inspector.ui.screens.working import Job

if TYPE_CHECKING:
    from inspector.inspection import Inspection

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


class CompareWorking(CompareBase):
    """What is finished is shown while the rest goes on, and kept by the workspace."""

    @property
    def waited_for(self) -> str:
        """The work that the user waits for, "" for none."""
        return next((work for work in RUNS if self.running(work)), "")

    def work_parted(self, work: str, part: Any) -> None:
        """Show a part: the routes or the kinds of error that are finished."""
        getattr(self, f"took_{work}")(part, False)

    def work_ended(self, work: str, result: Any) -> None:
        """Show what was worked out."""
        getattr(self, f"took_{work}")(result, True)

    def work_failed(self, work: str, error: Exception) -> None:
        """Say what is left of it."""
        if isinstance(error, Edited):
            self.state.mark_edited()
            self.tell(_("{error}; what was finished is of before the edit").format(error=error), "warn")
            self.show_all()
        elif isinstance(error, Cancelled):
            self.stopped(work)
        else:
            self.tell("")
            titles = {"compare": _("The routes could not be compared"), "labels": _("Label errors could not be tried")}
            self.fail(error, titles.get(work, _("This could not be worked out")))

    def stopped(self, work: str) -> None:
        """Say what is left of a work that was cancelled."""
        raise NotImplementedError

    def show_all(self) -> None:
        """Show everything anew."""
        raise NotImplementedError

    def cancel_work(self) -> bool:
        """Escape stops what runs; False where nothing does."""
        if not self.ask_to_stop(self.waited_for):
            return False
        self.tell(_("stopping; what is finished is kept …"))
        return True

    def refused(self) -> bool:
        """Say that something runs already; True if it does."""
        if self.waited_for:
            self.tell(_("something is running: escape stops it and keeps what is finished"), "warn")
        return bool(self.waited_for)

    # The works

    def load(self) -> None:
        """Take what the workspace has kept."""
        inspection = self.inspection

        def do(_: Job) -> Found:
            kept, labels, resolve = kept_comparison(inspection), kept_labels(inspection), kept_resolve(inspection)
            comparison = None if kept is None else shown_again(inspection, kept)
            return Found(kept, comparison, labels, resolve, _fresh(inspection, kept, labels, resolve))

        self.start("load", do)

    def look(self) -> None:
        """Find out whether the figures are still those of the store: an edit may have been undone."""
        inspection, state = self.inspection, self.state
        kept, labels, resolve = state.kept, state.labels, state.resolve
        self.start("look", lambda _: _fresh(inspection, kept, labels, resolve))

    def compare(self) -> None:
        """Run the routes of the request, or take what is kept of them."""
        inspection, request, scores = self.inspection, self.state.request, self.state.scores

        def do(job: Job) -> Comparison:
            return compare_opened(inspection, request, job.progress, job.cancelled, scores=scores, on_result=job.part)

        self.tell(_("comparing …  escape cancels"))
        self.start("compare", do)

    def refigure(self, request: Request) -> None:
        """Other τ, axes, cost or base: figures anew of the rankings that are there."""
        inspection, kept = self.inspection, self.state.kept
        self.state.request = request
        if kept is None:
            return
        wanted = replace(kept, request=replace(request, routes=kept.request.routes))

        def do(_: Job) -> tuple[Kept, Comparison]:
            comparison = shown_again(inspection, wanted)
            keep_again(inspection, wanted)
            return wanted, comparison

        self.start("figures", do)

    def run_labels(self) -> None:
        """Corrupt and hide labels."""
        inspection, state = self.inspection, self.state
        request = SensitivityRequest(state.request, seeds=state.seeds, tolerance=state.tolerance)

        def do(job: Job) -> Sensitivity:
            def on_kind(curves: Any, kinds: tuple[str, ...]) -> None:
                keep_labels(inspection, replace(request, kinds=kinds), curves)
                job.part(sensitivity(replace(request, kinds=kinds), [curves]))

            curves = sensitivity_source(inspection, request, job.progress, job.cancelled, on_kind=on_kind)
            return sensitivity(request, [curves])

        self.tell(_("label errors …  escape cancels"))
        self.start("labels", do)

    def run_resolve(self) -> None:
        """Work out which ? to resolve first, on the base route."""
        inspection, request = self.inspection, self.state.request
        route = request.base_route
        alone = replace(request, routes=(route,), base=route)

        def do(job: Job) -> KeptResolve:
            found = resolve_first(inspection, alone, route, job.progress, job.cancelled, limit=50)
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
