"""Long work on the *Store* screen in threads that touch no widget: survey, filter and order, lint, replay (SCREENS)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from textual import on
from textual.message import Message

from inspector.errors import Cancelled
from inspector.i18n import _
from inspector.records import Progress
from inspector.ui.messages import guarded
from inspector.ui.pace import Pace
from inspector.ui.screens.store_base import StoreBase, StoreState
from inspector.ui.widgets.store_pane import StorePane
from inspector.ui.widgets.store_rows import Arrangement, Part, arrange

if TYPE_CHECKING:
    from inspector.inspection import Inspection

#: Up to this many records are surveyed, found and sorted at once; above, a thread does.
AT_ONCE = 3_000
#: Up to this many records are linted as soon as they are seen, and again after an edit; above, when it is asked for.
LINT_AT_ONCE = 3_000
#: Seconds between two reports of the same work, and of rest of a thread that others need the processor of.
_EVERY = 0.15
_REST = 0.001
#: Seconds without an edit before a small store is linted again.
_LINT_REST = 0.4


class StoreWorking(StoreBase):
    """Each kind of work has a generation: what an older one says is passed over."""

    class Reported(Message):
        """How far a piece of work has come, or what it gave. A later report of the same work makes an earlier void."""

        def __init__(self, work: str, generation: int, report: Any, *, last: bool = False) -> None:
            super().__init__()
            self.work = work
            self.generation = generation
            self.report = report
            self.last = last

        def can_replace(self, message: Message) -> bool:
            """Only the latest counts; the last is never passed over by another work's."""
            return isinstance(message, StoreWorking.Reported) and message.work == self.work and not message.last

    def __init__(self, inspection: Inspection, state: StoreState, qi: int | None) -> None:
        super().__init__(inspection, state, qi)
        self._generations: dict[str, int] = {}
        self._stops: dict[str, threading.Event] = {}
        self._cursor: int | None = None
        self._lint_pace = Pace()
        self._edits_at_lint = 0

    def _begin(self, work: str) -> tuple[int, threading.Event]:
        """A new generation of a work; the one of before is stopped."""
        self.stop(work)
        generation = self._generations[work] = self._generations.get(work, 0) + 1
        stop = self._stops[work] = threading.Event()
        return generation, stop

    def stop(self, work: str) -> bool:
        """Ask a work to stop; False if it is not running."""
        stop = self._stops.pop(work, None)
        if stop is None:
            return False
        stop.set()
        return True

    def running(self, work: str) -> bool:
        """Whether a work is running."""
        return work in self._stops

    def _in_thread(self, work: str, steps: Callable[[threading.Event], Iterator[Any]]) -> None:
        """Go through steps in a thread; what they yield is reported now and then, and the last one always."""
        generation, stop = self._begin(work)
        self.run_worker(
            partial(self._run, work, generation, stop, steps),
            group=work,
            thread=True,
            exit_on_error=False,
            description=work,
        )

    def _run(
        self, work: str, generation: int, stop: threading.Event, steps: Callable[[threading.Event], Iterator[Any]]
    ) -> None:
        told = time.monotonic()
        report: Any = None
        try:
            for report in steps(stop):
                if stop.is_set():
                    return
                now = time.monotonic()
                if now - told >= _EVERY:
                    told = now
                    self.post_message(self.Reported(work, generation, report))
                time.sleep(_REST)
        except Cancelled:
            return
        except Exception as error:  # told to the screen, which shows it; the thread must not end the program
            report = error
        if not stop.is_set():
            self.post_message(self.Reported(work, generation, report, last=True))

    @on(Reported)
    @guarded
    def _reported(self, event: Reported) -> None:
        event.stop()
        if self._generations.get(event.work) != event.generation:
            return
        if event.last:
            self._stops.pop(event.work, None)
        if isinstance(event.report, Exception):
            self.fail(event.report)
            return
        handler = {
            "survey": self._surveyed,
            "arrange": self._arranged,
            "lint": self._linted,
            "replay": self._replayed,
        }[event.work]
        handler(event.report, event.last)

    def on_unmount(self) -> None:
        """Work that nobody waits for is stopped."""
        for work in list(self._stops):
            self.stop(work)

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
            self._in_thread("survey", self._survey_steps)

    def _survey_steps(self, _: threading.Event) -> Iterator[int]:
        while not self.state.survey.run():
            yield self.state.survey.done

    def _surveyed(self, _: object, last: bool) -> None:
        self.surveyed()
        if last and self.pane.selection is not None:
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
        self.stop("arrange")
        if (not asked.filter and asked.column is None) or len(pane.memories) <= AT_ONCE:
            for part in arrange(pane.memories, asked):
                last = part
            self._generations["arrange"] = self._generations.get("arrange", 0) + 1
            self._arranged(last, True)
        else:
            pane.working(_("finding …") if asked.filter else _("sorting …"))
            self._in_thread("arrange", partial(self._arrange_steps, asked))

    def _arrange_steps(self, asked: Arrangement, _: threading.Event) -> Iterator[Part]:
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
        self._lint_pace = Pace()
        self._edits_at_lint = self.state.edits
        self.findings_pane.fill(None if self.state.report is None else self.state.report.findings, _("linting …"))
        self._in_thread("lint", self._lint_steps)

    def _lint_steps(self, stop: threading.Event) -> Iterator[Any]:
        from inspector.linting import lint

        told = time.monotonic()
        generation = self._generations["lint"]

        def progress(report: Progress) -> None:
            nonlocal told
            now = time.monotonic()
            if now - told >= _EVERY:
                told = now
                self.post_message(self.Reported("lint", generation, report))

        yield lint(self.inspection, progress, stop.is_set)

    def _linted(self, report: Any, last: bool) -> None:
        if isinstance(report, Progress):
            self.findings_pane.fill(
                None if self.state.report is None else self.state.report.findings,
                _("{words}  escape cancels").format(words=self._lint_pace.take(report).words()),
            )
        elif last:
            self.state.take(report, stale=self.state.edits != self._edits_at_lint)
            self.linted()

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
        self._in_thread("replay", partial(self._replay_steps, session))

    def _replay_steps(self, session: str, _: threading.Event) -> Iterator[Any]:
        from inspector.boundaries import replay_session, session_degraded

        run = replay_session(self.inspection, session)
        yield run, session_degraded(self.inspection, run)

    def _replayed(self, found: Any, last: bool) -> None:
        if last:
            self.replayed(*found)

    def replayed(self, run: Any, degraded: Any) -> None:
        """Show a replay, and the degraded recall of the session's queries without tags."""
        raise NotImplementedError

    def cancel_work(self) -> bool:
        """Escape stops a search, a sort or a lint; False where none runs."""
        if self.stop("arrange"):
            self.pane.working(_("stopped: not all records were looked at"))
            return True
        if self.stop("lint"):
            report = self.state.report
            self.findings_pane.fill(None if report is None else report.findings, _("lint was stopped; R lints again"))
            return True
        return False
