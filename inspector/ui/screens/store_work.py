"""Long work on the *Store* screen in threads that touch no widget: survey, filter and order, lint, replay (SCREENS)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on

from inspector.errors import Cancelled
from inspector.i18n import _
from inspector.ui.messages import guarded
from inspector.ui.screens.store_base import StoreBase, StoreState
from inspector.ui.screens.working import Job
from inspector.ui.widgets.store_pane import StorePane
from inspector.ui.widgets.store_rows import Arrangement, Part, arrange

if TYPE_CHECKING:
    from inspector.inspection import Inspection
    from inspector.linting import LintReport

#: Up to this many records are surveyed, found and sorted at once; above, a thread does.
AT_ONCE = 3_000
#: Up to this many records are linted as soon as they are seen, and again after an edit; above, when it is asked for.
LINT_AT_ONCE = 3_000
#: Seconds of rest of a thread that others need the processor of.
_REST = 0.001
#: Seconds without an edit before a small store is linted again.
_LINT_REST = 0.4


class StoreWorking(StoreBase):
    """A later part of a work holds all of an earlier one: only the latest is shown."""

    EVERY: ClassVar[float] = 0.15

    def __init__(self, inspection: Inspection, state: StoreState, qi: int | None) -> None:
        super().__init__(inspection, state, qi)
        self._cursor: int | None = None
        self._edits_at_lint = 0

    def _in_steps(self, work: str, steps: Callable[[], Iterator[Any]]) -> None:
        """Go through steps in a thread; what they yield is shown now and then, and the last one always."""

        def do(job: Job) -> Any:
            step: Any = None
            for step in steps():
                if job.cancelled():
                    break  # nobody looks at it any more
                job.passing(step)
                time.sleep(_REST)
            return step

        self.start(work, do)

    def work_moved(self, work: str, words: str) -> None:  # noqa: ARG002
        """How far a lint has come stands above the findings."""
        report = self.state.report
        self.findings_pane.fill(None if report is None else report.findings, words)

    def work_parted(self, work: str, part: Any) -> None:
        """Show what there is so far."""
        if work == "survey":
            self.surveyed()
        else:
            self._arranged(part, False)

    def work_ended(self, work: str, result: Any) -> None:
        """Show what was worked out."""
        if work == "survey":
            self._surveyed()
        elif work == "arrange":
            self._arranged(result, True)
        elif work == "lint":
            self.state.take(result, stale=self.state.edits != self._edits_at_lint)
            self.linted()
        else:
            self.replayed(*result)

    def work_failed(self, work: str, error: Exception) -> None:  # noqa: ARG002
        """Say it in the dialog for errors."""
        if not isinstance(error, Cancelled):
            self.fail(error)

    # The survey

    def survey(self) -> None:
        """See every record that has not been seen, in a thread where there are many."""
        survey = self.state.survey
        if survey.is_complete:
            self.surveyed()
        elif len(self.inspection.memories) <= AT_ONCE:
            while not survey.run():
                pass
            self.surveyed()
        else:
            self._in_steps("survey", self._survey_steps)

    def _survey_steps(self) -> Iterator[int]:
        while not self.state.survey.run():
            yield self.state.survey.done

    def _surveyed(self) -> None:
        self.surveyed()
        if self.pane.selection is not None:
            self.rearrange()

    def surveyed(self) -> None:
        """Show what is known of the whole store."""
        raise NotImplementedError

    # Filter and order

    def rearrange(self, *, cursor: int | None = None) -> None:
        """Filter and order the table anew; a large one in a thread."""
        pane, state = self.pane, self.state
        selection = pane.selection
        findings = () if state.report is None else state.report.findings
        base = None if selection is None else selection.indices(state.survey, findings)
        ranks = state.lint_ranks(len(pane.memories)) if pane.column == "lint" else None
        asked = pane.arrangement(base, ranks)
        state.selection, state.filter = selection, pane.filter_text
        state.column, state.reverse = pane.column, pane.reverse_order
        self._cursor = cursor
        self.supersede("arrange")
        if (not asked.filter and asked.column is None) or len(pane.memories) <= AT_ONCE:
            for part in arrange(pane.memories, asked):
                last = part
            self._arranged(last, True)
        else:
            pane.working(_("finding …") if asked.filter else _("sorting …"))
            self._in_steps("arrange", partial(self._arrange_steps, asked))

    def _arrange_steps(self, asked: Arrangement) -> Iterator[Part]:
        rows = None
        for part in arrange(self.pane.memories, asked):
            rows = rows if part.rows is None else part.rows
            yield replace(part, rows=rows)

    def _arranged(self, part: Part, last: bool) -> None:
        if part.rows is not None:
            self.pane.show_rows(part.rows, cursor=self._cursor)
            if last:
                self._cursor = None
        self.pane.working(
            ""
            if last
            else _("{what} {done:,} of {total:,}  escape cancels").format(
                what=part.what, done=part.done, total=part.total
            )
        )

    @on(StorePane.Wanted)
    @guarded
    def _wanted(self, event: StorePane.Wanted) -> None:
        event.stop()
        self.rearrange()

    # Lint

    def lint(self) -> None:
        """Lint the whole store, in a thread."""
        self._edits_at_lint = self.state.edits
        self.findings_pane.fill(None if self.state.report is None else self.state.report.findings, _("linting …"))
        self.start("lint", self._lint_now)

    def _lint_now(self, job: Job) -> LintReport:
        from inspector.linting import lint

        return lint(self.inspection, job.progress, job.cancelled)

    def linted(self) -> None:
        """There are findings, or others than before."""
        raise NotImplementedError

    def lint_soon(self) -> None:
        """After an edit: lint a small store again once the edits rest; of a large one only say that it is stale."""
        if self.state.report is not None and len(self.inspection.memories) <= LINT_AT_ONCE:
            self.set_timer(_LINT_REST, self._lint_if_stale)

    def _lint_if_stale(self) -> None:
        if self.state.stale and not self.running("lint"):
            self.lint()

    # Replay

    def replay(self, session: str) -> None:
        """Replay a session, in a thread."""
        self.state.session = session
        self.start("replay", partial(self._replay_now, session))

    def _replay_now(self, session: str, _: Job) -> tuple[Any, Any]:
        from inspector.boundaries import replay_session, session_degraded

        run = replay_session(self.inspection, session)
        return run, session_degraded(self.inspection, run)

    def replayed(self, run: Any, degraded: Any) -> None:
        """Show a replay, and the degraded recall of the session's queries without tags."""
        raise NotImplementedError

    def cancel_work(self) -> bool:
        """Escape stops a search, a sort or a lint; False where none runs."""
        if self.give_up("arrange"):
            self.pane.working(_("stopped: not all records were looked at"))
            return True
        if self.give_up("lint"):
            report = self.state.report
            self.findings_pane.fill(None if report is None else report.findings, _("lint was stopped; R lints again"))
            return True
        return False
