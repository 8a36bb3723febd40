"""The ground of the *Triage* screen: what outlives a visit, and its long work in threads (SCREENS Triage)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from textual import on
from textual.message import Message

from inspector.audit.triage import Incident
from inspector.errors import Cancelled
from inspector.i18n import _
from inspector.records import OnProgress, Progress
from inspector.triage import Triage
from inspector.ui.messages import ErrorRaised, guarded
from inspector.ui.pace import Pace
from inspector.ui.screens.base import BaseScreen
from inspector.ui.screens.inspect_base import MovedLine
from inspector.ui.veil import visible
from inspector.ui.widgets.cells import Piece
from inspector.ui.widgets.reader import Reader
from inspector.ui.widgets.safe import Severity, say
from inspector.ui.widgets.signs import content
from inspector.ui.widgets.triage_pane import TriagePane
from inspector.ui.widgets.triage_rows import QueueRows

if TYPE_CHECKING:
    from inspector.inspection import Inspection

#: Seconds between two reports of the same work.
_EVERY = 0.1
Work = Callable[[OnProgress, Callable[[], bool]], Any]


@dataclass
class TriageState:
    """What outlives a visit: the incidents, how they are arranged, and where one was.

    ``stamp`` is that of the store when the incidents were worked out last.
    """

    triage: Triage | None = None
    rows: QueueRows = field(default_factory=QueueRows)
    filter: str = ""
    cursor: str | None = None
    marks: frozenset[str] = frozenset()
    stamp: tuple[object, ...] = ()


class TriageBase(BaseScreen):
    """What the parts of the screen share, and work in threads that touch no widget."""

    class Reported(Message):
        """How far a piece of work has come, or what it gave; ``generation`` tells it from one that was given up."""

        def __init__(self, work: str, generation: int, report: Any, *, last: bool = False) -> None:
            super().__init__()
            self.work = work
            self.generation = generation
            self.report = report
            self.last = last

        def can_replace(self, message: Message) -> bool:
            """Only the latest report of a work counts."""
            return isinstance(message, TriageBase.Reported) and message.work == self.work and not message.last

    def __init__(self, inspection: Inspection, state: TriageState) -> None:
        super().__init__()
        self.inspection = inspection
        self.state = state
        state.rows.waiting = self._waits
        self.pane = TriagePane(state.rows, id="queue")
        self.about = Reader(id="incident")
        self.moved = MovedLine("", id="moved")
        self._generations: dict[str, int] = {}
        self._stops: dict[str, threading.Event] = {}
        self._paces: dict[str, Pace] = {}

    def _waits(self, one: Incident) -> bool:
        """Whether an incident is of before an edit that reaches it."""
        return self.state.triage is not None and not self.state.triage.follows(one)

    @property
    def current(self) -> Incident | None:
        """The incident under the cursor."""
        return self.pane.current

    def tell(self, words: str, style: str = "") -> None:
        """Say something in the line below."""
        self.moved.update(content([Piece(f" {visible(words)}", style)]), layout=False)

    def toast(self, words: str, severity: Severity = "information") -> None:
        """Say something that needs no place of its own."""
        say(self.app, words, severity=severity)

    def fail(self, error: Exception, title: str = "") -> None:
        """Show an error in the dialog for errors."""
        self.app.post_message(ErrorRaised(error, title))

    # Work in threads

    def running(self, work: str) -> bool:
        """Whether a work is running."""
        return work in self._stops

    def stop_work(self, work: str) -> bool:
        """Ask a work to stop; False if it is not running."""
        stop = self._stops.pop(work, None)
        if stop is None:
            return False
        self._generations[work] += 1
        stop.set()
        return True

    def start(self, work: str, run: Work) -> None:
        """Run a work in a thread; one of the same name that is still running is given up."""
        self.stop_work(work)
        generation = self._generations[work] = self._generations.get(work, 0) + 1
        stop = self._stops[work] = threading.Event()
        self._paces[work] = Pace()
        self.run_worker(
            partial(self._run, work, generation, stop, run),
            group=work,
            thread=True,
            exit_on_error=False,
            description=work,
        )

    def _run(self, work: str, generation: int, stop: threading.Event, run: Work) -> None:
        told = 0.0

        def progress(report: Progress) -> None:
            nonlocal told
            now = time.monotonic()
            if now - told >= _EVERY:
                told = now
                self.post_message(self.Reported(work, generation, report))

        try:
            report = run(progress, stop.is_set)
        except Cancelled:
            return
        except Exception as error:  # told to the screen, which shows it; the thread must not end the program
            report = error
        self.post_message(self.Reported(work, generation, report, last=True))

    @on(Reported)
    @guarded
    def _reported(self, event: Reported) -> None:
        event.stop()
        if self._generations.get(event.work) != event.generation:
            return
        if not event.last:
            standing = self._paces[event.work].take(event.report)
            self.work_moved(
                event.work, _("{what} {words}  escape cancels").format(what=standing.what, words=standing.words())
            )
            return
        self._stops.pop(event.work, None)
        if isinstance(event.report, Exception):
            self.work_failed(event.work, event.report)
        else:
            self.work_ended(event.work, event.report)

    def work_moved(self, work: str, words: str) -> None:
        """A work has come further."""
        raise NotImplementedError

    def work_ended(self, work: str, result: Any) -> None:
        """A work has given its result."""
        raise NotImplementedError

    def work_failed(self, work: str, error: Exception) -> None:
        """A work could not be done."""
        raise NotImplementedError

    def on_unmount(self) -> None:
        """Work that nobody waits for is stopped."""
        for work in list(self._stops):
            self.stop_work(work)
