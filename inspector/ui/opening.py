"""Opening stores: the app's part that loads, cancels, retries and shows (SCREENS, Start).

Every load has a generation number. What a load of an older generation still says is ignored, and a store that it
opened is closed again: a thread cannot be stopped, only disregarded.
"""

from __future__ import annotations

import dataclasses
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual import on, work
from textual.app import App
from textual.screen import Screen

from inspector.errors import ONE_CONTENT, Cancelled, InputError, Unrecognised
from inspector.i18n import _
from inspector.ui.config import BY_NAME, Config
from inspector.ui.messages import ErrorRaised, guarded
from inspector.ui.screens.ask import AskDialog
from inspector.ui.screens.chooser import ChooserScreen
from inspector.ui.screens.loading import LoadingScreen, title_of
from inspector.ui.widgets.safe import say

if TYPE_CHECKING:
    from inspector.inspection import Inspection
    from inspector.requests import OpenRequest, Place

_LEXICAL = "namespace_bm25"


def begin_with(inspection: Inspection, request: OpenRequest, config: Config) -> None:
    """The user's own route, k, isolation and reading of unknown intents, where neither flag nor store says otherwise.

    The last two are edits, listed and undone like any other, and made only in a workspace that has none yet.
    """
    from inspector.views import RouteChoice

    route = config["route"] if request.options.route is None and inspection.settings.route is None else None
    k = config["k"] if "k" in config.given and request.options.k == BY_NAME["k"].default else inspection.route.k
    if route is not None or k != inspection.route.k:
        inspection.set_route(RouteChoice.parse(route or str(inspection.route), k))
    if not inspection.edits():
        for name in ("isolation", "unknown_intent"):
            if config[name] is not None and config[name] != getattr(inspection.settings, name):
                inspection.set_setting(name, config[name])


class Opening(App[int]):
    """The half of the app that opens stores."""

    inspection: Inspection | None
    request: OpenRequest | None
    config: Config

    _generation = 0
    _loading: LoadingScreen | None = None

    def first_screen(self, request: OpenRequest | None) -> Screen[Any]:
        """Loading where there is a request, else the choice."""
        return ChooserScreen() if request is None else self._new_loading(request)

    def _new_loading(self, request: OpenRequest, inspection: Inspection | None = None) -> LoadingScreen:
        self._generation += 1
        own = None if request.demo else partial(begin_with, request=request, config=self.config)

        def begin(opened: Inspection) -> None:
            self.prepared(opened)
            if own is not None:
                own(opened)

        self._loading = LoadingScreen(request, self._generation, inspection, begin)
        return self._loading

    def open_request(self, request: OpenRequest, inspection: Inspection | None = None) -> None:
        """Leave what is open and load this, or evaluate ``inspection``, which is loaded already."""
        self.stop_loading()
        if inspection is None:
            self.close_inspection()
        self.request = request
        self.switch_screen(self._new_loading(request, inspection))

    def evaluate_again(self) -> None:
        """Evaluate the open store again, with progress and cancel; for a route that may have to encode first."""
        if self.inspection is not None and self.request is not None:
            self.open_request(self.request, self.inspection)

    def prepared(self, inspection: Inspection) -> None:
        """In the loading thread, before anything of the store is shown."""

    def stop_loading(self) -> None:
        """Disregard the load that is running, if there is one."""
        if self._loading is not None:
            self._loading.stop()
            self._loading = None
        self._generation += 1

    def close_inspection(self) -> None:
        """Close what is open."""
        if self.inspection is not None:
            self.inspection.close()
            self.inspection = None

    def show_chooser(self) -> None:
        """Back to the choice of stores."""
        self.stop_loading()
        self.close_inspection()
        self.switch_screen(ChooserScreen())

    def show_lessons(self, near: str = "") -> None:
        """The list of lessons."""
        raise NotImplementedError

    def show_inspection(self, inspection: Inspection) -> None:
        """Show what was opened on the Inspect screen."""
        from inspector.ui.screens.inspect import InspectScreen

        self.inspection = inspection
        self._loading = None
        screen = InspectScreen(inspection)
        self.switch_screen(screen)
        if self.request is not None and self.request.place != "inspect":
            others = {"triage": screen.action_triage, "compare": screen.action_compare, "store": screen.action_store}
            screen.call_after_refresh(others[self.request.place])
            # Asked for once: opened again on another route it begins where every store does.
            self.request = dataclasses.replace(self.request, place="inspect")

    def action_open_another(self) -> None:
        """Back to the choice of stores."""
        if not isinstance(self.screen, ChooserScreen):
            self.show_chooser()

    # What the loading thread says

    @on(LoadingScreen.Moved)
    @guarded
    def _load_moved(self, message: LoadingScreen.Moved) -> None:
        if self._loading is not None and message.generation == self._loading.generation:
            self._loading.moved(message.report)

    @on(LoadingScreen.Opened)
    @guarded
    def _load_opened(self, message: LoadingScreen.Opened) -> None:
        if self._loading is None or message.generation != self._loading.generation:
            if message.inspection is not self.inspection:
                self._close_in_thread(message.inspection)
        elif message.evaluated:
            self.show_inspection(message.inspection)
        else:
            self.inspection = message.inspection
            self._ask_after_stop(message.inspection)

    @on(LoadingScreen.Failed)
    @guarded
    def _load_failed(self, message: LoadingScreen.Failed) -> None:
        if self._loading is None or message.generation != self._loading.generation:
            return
        error, request = message.error, self._loading.request
        pid = getattr(error, "pid", None)
        if isinstance(error, Unrecognised) and len(request.sources) == 1:
            self.map_source(
                request, _("{wrong}: say which of its fields is what, then open it").format(wrong=error.problem.wrong)
            )
            return
        self.show_chooser()
        if isinstance(error, Cancelled):
            say(self, _("stopped; what was done is kept"))
        elif hasattr(error, "pid"):
            self._ask_about_held(error, pid, request)
        elif isinstance(error, InputError) and not request.options.lenient and error.problem.line is not None:
            self._ask_about_bad_input(error, request)
        else:
            self.post_message(
                ErrorRaised(error, _("{title_of} could not be opened").format(title_of=title_of(request)))
            )

    @on(LoadingScreen.Left)
    @guarded
    def _load_left(self) -> None:
        self.show_chooser()

    @work(thread=True, exit_on_error=False, group="close")
    def _close_in_thread(self, inspection: Inspection) -> None:
        inspection.close()

    # Questions

    def _ask_after_stop(self, inspection: Inspection) -> None:
        answers = [
            ("again", _("Go on"), _("what was encoded is kept and not encoded again")),
            (
                "lexical",
                _("Open on a lexical route"),
                _("{LEXICAL} needs no vectors; another route can be chosen later").format(LEXICAL=_LEXICAL),
            ),
            ("back", _("Back to the start"), _("what was encoded is kept for the next time")),
        ]

        def answered(answer: str | None) -> None:
            request = self.request
            if request is not None and answer in ("again", "lexical"):
                if answer == "lexical":
                    from inspector.views import RouteChoice

                    inspection.set_route(RouteChoice(_LEXICAL, inspection.route.k))
                self.open_request(request, inspection)
            else:
                self.show_chooser()

        self.push_screen(AskDialog(_("Stopped"), _("Not every text is encoded yet."), answers), answered)

    def _ask_about_held(self, error: Exception, pid: int | None, request: OpenRequest) -> None:
        who = _("Another process") if pid is None else _("The process with the id {pid}").format(pid=pid)
        answers = [
            (
                "private",
                _("Use a private temporary workspace"),
                _("your edits are gone at the end; export them to keep them"),
            ),
            ("again", _("Try again"), _("after closing the other one")),
            ("back", "Back", _("open something else")),
        ]

        def answered(answer: str | None) -> None:
            if answer == "private":
                options = dataclasses.replace(request.options, temporary=True, workspace=None)
                self.open_request(dataclasses.replace(request, options=options))
            elif answer == "again":
                self.open_request(request)

        self.push_screen(
            AskDialog(
                _("The workspace is in use"), _("{who} holds it.\n{error}").format(who=who, error=error), answers
            ),
            answered,
        )

    def _ask_about_bad_input(self, error: InputError, request: OpenRequest) -> None:
        # One id with two contents in two files: most often two exports of one store.
        twice = len(request.sources) > 1 and error.problem.expected == _(ONE_CONTENT)
        planes = (
            "planes",
            _("Compare them as planes of one store"),
            _("by id; the first source's records are looked at"),
        )
        answers = [
            *([planes] if twice else []),
            ("lenient", _("Skip bad records"), _("each is counted and listed; nothing is skipped in silence")),
            ("back", "Back", _("mend the source first; it is never written by Inspector")),
        ]

        def answered(answer: str | None) -> None:
            if answer in ("lenient", "planes"):
                lenient, planes = answer == "lenient", answer == "planes"
                options = dataclasses.replace(request.options, lenient=lenient, planes=planes)
                self.open_request(dataclasses.replace(request, options=options))

        self.push_screen(
            AskDialog(
                _("{title_of} could not be read").format(title_of=title_of(request)),
                _("error: {error}").format(error=error),
                answers,
            ),
            answered,
        )

    # What was chosen at the start

    @on(ChooserScreen.Chosen)
    @guarded
    def _chosen(self, message: ChooserScreen.Chosen) -> None:
        from inspector.requests import OpenOptions, OpenRequest, demo_folder

        if message.demo:
            options = OpenOptions(temporary=True)
            place: Place = "triage" if message.triage else "inspect"
            self.open_request(OpenRequest((demo_folder(message.demo),), options, message.demo, place))
        elif message.recent is not None:
            options = OpenOptions.as_remembered(Path(message.recent.path), message.recent.options)
            sources = tuple(Path(source) for source in message.recent.sources)
            self.open_request(OpenRequest(sources, options, place="triage" if message.triage else "inspect"))
        elif message.way == "learn":
            self.show_lessons()
        elif message.way == "files":
            from inspector.ui.screens.files import FilesDialog

            self.push_screen(FilesDialog(), self._picked)
        elif message.way == "database":
            from inspector.ui.screens.address import AddressDialog

            self.push_screen(AddressDialog(), lambda request: self.open_request(request) if request else None)
        elif message.way == "mapping":
            from inspector.ui.screens.files import FilesDialog

            self.push_screen(FilesDialog(), self._to_map)
        elif message.way == "formats":
            from inspector.ui.screens.formats import FormatsDialog

            self.push_screen(FormatsDialog())
        elif message.way == "settings":
            from inspector.ui.screens.settings import SettingsDialog

            self.push_screen(SettingsDialog())

    def _to_map(self, paths: tuple[Path, ...] | None) -> None:
        if paths:
            from inspector.requests import OpenOptions, OpenRequest

            self.map_source(OpenRequest(paths[:1], OpenOptions()))

    def map_source(self, request: OpenRequest, why: str = "") -> None:
        """Leave what is open and match the fields of one source with ours."""
        from inspector.ui.screens.mapping import MappingScreen

        self.stop_loading()
        self.close_inspection()
        self.switch_screen(MappingScreen(request, why))

    def _picked(self, paths: tuple[Path, ...] | None) -> None:
        if paths:
            from inspector.requests import OpenOptions, OpenRequest

            self.open_request(OpenRequest(paths, OpenOptions()))
