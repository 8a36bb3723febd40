"""Loading: the first paint comes before any data, then what, how many of how many, rate and time left (SCREENS, Start).

The work runs in a thread that touches no widget: it posts messages with the generation they belong to. A cancelled
load is left at once; what it still says later is of an old generation and only closed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import ProgressBar, Static

from inspector.addresses import short_name
from inspector.errors import Cancelled
from inspector.i18n import _
from inspector.ui.actions import bindings
from inspector.ui.messages import guarded
from inspector.ui.pace import Pace
from inspector.ui.screens.base import BaseScreen
from inspector.ui.veil import is_redacted
from inspector.ui.widgets.footer import KeyFooter
from inspector.ui.widgets.kept_rows import KeptPane
from inspector.ui.widgets.safe import plain

if TYPE_CHECKING:
    from inspector.inspection import Inspection
    from inspector.records import Progress
    from inspector.requests import OpenRequest
    from inspector.store.workspace import KeptRows

_EVERY = 0.1
#: A store of so many records or more is shown while it is loaded.
SHOWN_FROM = 20_000


def title_of(request: OpenRequest) -> str:
    """What is being opened, for people; a redacted session does not name the user's own."""
    if is_redacted() and request.demo is None:
        return _("a store")
    return request.demo or ", ".join(short_name(path) for path in request.sources)


class LoadingScreen(BaseScreen):
    """Opens a request and evaluates it, or evaluates what is open already; then tells the app."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("loading")
    HELP = (
        "The store is being read, and its texts encoded if the route needs it. Stop at any time: what is done is kept. "
        "The rows of a large store that is unchanged stand below meanwhile, as they were imported."
    )
    PANE = "Loading"
    DEFAULT_CSS = """
    LoadingScreen { align: center middle; }
    LoadingScreen #box {
        width: 80%;
        max-width: 76;
        height: auto;
        border: round $primary;
        border-title-color: $heading;
        padding: 1 2;
        background: $surface;
    }
    LoadingScreen Static { height: auto; }
    LoadingScreen #what { text-style: bold; margin-top: 1; }
    LoadingScreen ProgressBar { width: 100%; margin: 1 0; }
    LoadingScreen Bar { width: 1fr; }
    LoadingScreen Bar > .bar--bar { background: $cursor; }
    LoadingScreen #figures { color: $dim; }
    LoadingScreen.-browsing { align: center top; }
    LoadingScreen.-browsing #box { width: 100%; max-width: 100%; padding: 0 1; height: 5; }
    LoadingScreen.-browsing #what { margin-top: 0; }
    LoadingScreen.-browsing ProgressBar { margin: 0; }
    """

    class OfLoad(Message):
        """A message of the loading thread, with the generation it belongs to."""

        def __init__(self, generation: int) -> None:
            super().__init__()
            self.generation = generation

    class Moved(OfLoad):
        """Progress; a later report makes an earlier one void."""

        def __init__(self, generation: int, report: Progress) -> None:
            super().__init__(generation)
            self.report = report

        def can_replace(self, message: Message) -> bool:
            """Only the latest report is worth drawing."""
            return isinstance(message, LoadingScreen.Moved)

    class Opened(OfLoad):
        """The store is open; ``evaluated`` is False where the evaluation was cancelled."""

        def __init__(self, generation: int, inspection: Inspection, evaluated: bool) -> None:
            super().__init__(generation)
            self.inspection = inspection
            self.evaluated = evaluated

    class Failed(OfLoad):
        """The store could not be opened, or the load was cancelled."""

        def __init__(self, generation: int, error: Exception) -> None:
            super().__init__(generation)
            self.error = error

    class Kept(Message):
        """The source is unchanged: the workspace's rows can be read already."""

        def __init__(self, rows: KeptRows) -> None:
            super().__init__()
            self.rows = rows

    def __init__(
        self,
        request: OpenRequest,
        generation: int,
        inspection: Inspection | None = None,
        begin: Callable[[Inspection], None] | None = None,
    ) -> None:
        super().__init__()
        self.request = request
        self.generation = generation
        self.inspection = inspection
        self._begin_with = begin
        self._stop = threading.Event()
        self._pace = Pace()

    def compose(self) -> ComposeResult:
        """A box with what is going on."""
        with Vertical(id="box") as box:
            box.border_title = plain(_("Opening {title_of}").format(title_of=title_of(self.request)))
            yield Static(Content(_("starting …")), id="what")
            yield ProgressBar(total=None, show_eta=False, show_percentage=False)
            yield Static(Content(""), id="figures")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Begin once the screen has been painted; the clock goes on where the work reports nothing."""
        self.call_after_refresh(self._begin)
        self.set_interval(1.0, self._tick)

    def _tick(self) -> None:
        standing = self._pace.again()
        if standing is not None:
            self.query_one("#figures", Static).update(plain(standing.words()))

    def _begin(self) -> None:
        self._load()

    @work(thread=True, exit_on_error=False, group="load", description="load and evaluate")
    def _load(self) -> None:
        last = 0.0
        what = ""

        def progress(report: Progress) -> None:
            nonlocal last, what
            now = time.monotonic()
            if report.what != what or now - last >= _EVERY or report.done == report.total:
                last, what = now, report.what
                self.app.post_message(self.Moved(self.generation, report))

        inspection = self.inspection
        try:
            if inspection is None:
                from inspector.inspection import open_sources

                options = self.request.options
                inspection = open_sources(
                    self.request.sources, options, progress, self._stop.is_set, on_kept=self._tell_kept
                )
                if self._begin_with is not None:
                    self._begin_with(inspection)
            try:
                inspection.evaluate(progress, self._stop.is_set)
            except Cancelled:
                self.app.post_message(self.Opened(self.generation, inspection, evaluated=False))
            else:
                self.app.post_message(self.Opened(self.generation, inspection, evaluated=True))
        except Exception as error:  # told to the app, which shows it; the thread must not end the program
            if inspection is not None and inspection is not self.inspection:
                inspection.close()
            self.app.post_message(self.Failed(self.generation, error))

    def _tell_kept(self, rows: KeptRows) -> None:
        # A store that is loaded in a moment need not be shown twice.
        if len(rows) >= SHOWN_FROM:
            self.post_message(self.Kept(rows))

    @on(Kept)
    @guarded
    def _kept(self, event: Kept) -> None:
        """Show the workspace's rows while the rest is loaded."""
        event.stop()
        if not self._stop.is_set():
            self.add_class("-browsing")
            self.mount(KeptPane(event.rows), after=self.query_one("#box"))

    def moved(self, report: Progress) -> None:
        """Draw a report of progress."""
        standing = self._pace.take(report)
        self.query_one("#what", Static).update(plain(standing.what))
        self.query_one("#figures", Static).update(plain(standing.words()))
        bar = self.query_one(ProgressBar)
        bar.update(total=None if standing.share is None else 1.0, progress=standing.share or 0)

    def stop(self) -> None:
        """Ask the thread to stop where it can."""
        self._stop.set()

    def action_cancel(self) -> None:
        """Stop; the thread says so when it has come to a place where it can. A second time: do not wait for it."""
        if self._stop.is_set():
            self.post_message(self.Left())
            return
        self.stop()
        self.query_one("#what", Static).update(Content(_("stopping; what is done is kept … (again: do not wait)")))

    class Left(Message):
        """The user does not wait for the thread to stop."""
