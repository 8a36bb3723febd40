"""What the screens of an open store share: the line below that says things, and long work in threads (SCREENS)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from textual import on
from textual.message import Message
from textual.widgets import Static

from inspector.i18n import _
from inspector.records import OnProgress, Progress
from inspector.ui.changing import change_store
from inspector.ui.messages import ErrorRaised, guarded
from inspector.ui.pace import Pace
from inspector.ui.screens.base import BaseScreen
from inspector.ui.veil import visible
from inspector.ui.widgets.cells import Piece
from inspector.ui.widgets.safe import Severity, say
from inspector.ui.widgets.signs import content

if TYPE_CHECKING:
    from inspector.inspection import Inspection

#: ``passing``: a part that the next one makes void; ``part``: one that is never passed over; the last two end a work.
Kind = Literal["progress", "passing", "part", "result", "error"]


class MovedLine(Static):
    """The one line that says what the last edit moved, or how far long work has come."""

    DEFAULT_CSS = "MovedLine { height: 1; text-wrap: nowrap; text-overflow: ellipsis; background: $panel; }"


@dataclass(frozen=True, slots=True)
class Job:
    """What a work has in hand in its thread: where to tell how far it is and what it has, and whether to stop.

    ``progress`` and ``passing`` are told now and then only, ``part`` always.
    """

    progress: OnProgress
    passing: Callable[[Any], None]
    part: Callable[[Any], None]
    cancelled: Callable[[], bool]


#: Done in a thread; touches no widget. What it returns is its result.
Work = Callable[[Job], Any]


class WorkScreen(BaseScreen):
    """Works have names; a work that begins gives the one of its name up, and what an older one says is passed over.

    A screen says with ``work_moved``, ``work_parted``, ``work_ended`` and ``work_failed`` what becomes of the reports.
    """

    #: Seconds between two reports of how far a work has come.
    EVERY: ClassVar[float] = 0.1

    class Reported(Message):
        """How far a work has come, a part of what it gives, what it gave at last, or why it gave nothing."""

        def __init__(self, work: str, generation: int, report: Any, kind: Kind) -> None:
            super().__init__()
            self.work = work
            self.generation = generation
            self.report = report
            self.kind = kind

        def can_replace(self, message: Message) -> bool:
            """A later report of progress makes an earlier one void; what a work gives is never passed over."""
            return (
                isinstance(message, WorkScreen.Reported)
                and message.work == self.work
                and self.kind == message.kind
                and self.kind in ("progress", "passing")
            )

    def __init__(self, inspection: Inspection) -> None:
        super().__init__()
        self.inspection = inspection
        self.moved = MovedLine("", id="moved")
        self._generations: dict[str, int] = {}
        self._stops: dict[str, threading.Event] = {}
        self._paces: dict[str, Pace] = {}

    # What is said

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

    @property
    def works(self) -> tuple[str, ...]:
        """The names of the works that are going on."""
        return tuple(self._stops)

    def running(self, work: str) -> bool:
        """Whether a work is going on."""
        return work in self._stops

    def supersede(self, work: str) -> int:
        """Give a work up and begin a new generation of it, which is returned: done at once, or in a thread."""
        self.give_up(work)
        generation = self._generations[work] = self._generations.get(work, 0) + 1
        return generation

    def start(self, work: str, do: Work) -> None:
        """Do a work in a thread; one of the same name that is going on is given up."""
        generation = self.supersede(work)
        stop = self._stops[work] = threading.Event()
        self._paces[work] = Pace()
        self.run_worker(
            partial(self._run, work, generation, stop, do),
            group=work,
            thread=True,
            exit_on_error=False,
            description=work,
        )

    def give_up(self, work: str) -> bool:
        """Stop a work and pass over whatever it still says; False if it is not going on."""
        stop = self._stops.pop(work, None)
        if stop is None:
            return False
        self._generations[work] += 1
        stop.set()
        return True

    def ask_to_stop(self, work: str) -> bool:
        """Ask a work to stop; that it did is told to ``work_failed``. False if it is not going on."""
        stop = self._stops.get(work)
        if stop is None:
            return False
        stop.set()
        return True

    def _run(self, work: str, generation: int, stop: threading.Event, do: Work) -> None:
        told, passed, what = 0.0, time.monotonic(), ""

        def say(report: Any, kind: Kind) -> None:
            self.post_message(self.Reported(work, generation, report, kind))

        def progress(report: Progress) -> None:
            nonlocal told, what
            now = time.monotonic()
            if report.what != what or now - told >= self.EVERY or report.done == report.total:
                told, what = now, report.what
                say(report, "progress")

        def passing(report: Any) -> None:
            nonlocal passed
            now = time.monotonic()
            if now - passed >= self.EVERY:
                passed = now
                say(report, "passing")

        try:
            result = do(Job(progress, passing, lambda report: say(report, "part"), stop.is_set))
        except Exception as error:  # told to the screen, which shows it; the thread must not end the program
            say(error, "error")
        else:
            say(result, "result")

    @on(Reported)
    @guarded
    def _reported(self, event: Reported) -> None:
        event.stop()
        work, report = event.work, event.report
        if self._generations.get(work) != event.generation:
            return
        if event.kind == "progress":
            if not self._stops[work].is_set():  # the line says that it is stopping
                standing = self._paces[work].take(report)
                words = standing.words()
                self.work_moved(work, _("{what} {words}  escape cancels").format(what=standing.what, words=words))
        elif event.kind in ("passing", "part"):
            self.work_parted(work, report)
        else:
            del self._stops[work]
            if event.kind == "error":
                self.work_failed(work, report)
            else:
                self.work_ended(work, report)

    def work_moved(self, work: str, words: str) -> None:  # noqa: ARG002
        """A work has come further: said in the line below."""
        self.tell(words)

    def work_parted(self, work: str, part: Any) -> None:
        """A work has given a part of its result."""
        raise NotImplementedError

    def work_ended(self, work: str, result: Any) -> None:
        """A work has given its result."""
        raise NotImplementedError

    def work_failed(self, work: str, error: Exception) -> None:
        """A work could not be done, or was stopped (:class:`~inspector.errors.Cancelled`)."""
        raise NotImplementedError

    def on_unmount(self) -> None:
        """Work that nobody waits for is given up; what it has kept is kept."""
        for work in self.works:
            self.give_up(work)


class EditScreen(WorkScreen):
    """A screen from which the store is edited: undo, redo, and the list of edits."""

    def looked(self) -> None:
        """What an earlier edit changed in sight has been seen; the next one is marked alone."""

    def action_undo(self) -> None:
        """Undo the last edit."""
        self.looked()
        change_store(self, self.inspection.undo, _("nothing to undo"))

    def action_redo(self) -> None:
        """Redo what was undone."""
        self.looked()
        change_store(self, self.inspection.redo, _("nothing to redo"))

    async def action_edits(self) -> None:
        """The list of edits."""
        await self.app.run_action("edits")
