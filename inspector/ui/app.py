"""The application: what is open, which screen shows it, and the actions that work everywhere (SCREENS, Everywhere)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on, work
from textual.app import App, SystemCommand
from textual.binding import BindingType
from textual.screen import Screen

from inspector.errors import InspectorError, Problem
from inspector.i18n import _, language
from inspector.ui.actions import BY_ID, bindings, show_keys
from inspector.ui.clipboard import copy_file, copy_text, write_copy
from inspector.ui.config import Config, load_config, write_atomically
from inspector.ui.keymap import load_keymap
from inspector.ui.messages import CopyRequested, ErrorRaised
from inspector.ui.palette import ActionsProvider
from inspector.ui.panes import Findable, GoesBack, around, json_to_copy, text_to_copy
from inspector.ui.presenting import Presenting
from inspector.ui.screens.base import BaseScreen
from inspector.ui.theming import DEFAULT_THEME, load_themes, own_defaults
from inspector.ui.veil import veiled
from inspector.ui.widgets.grid_view import GridView
from inspector.ui.widgets.header import HeaderBar
from inspector.ui.widgets.safe import lines, say

if TYPE_CHECKING:
    from inspector.inspection import Inspection
    from inspector.lessons import Lesson
    from inspector.requests import OpenRequest

#: Seconds of a thread's turn on the interpreter.
TURN = 0.0005


class InspectorApp(Presenting, App[int], inherit_bindings=False):
    """Inspector's UI. With a request it loads and shows that store, without one it offers a choice.

    ``inspection`` is what is open, None before. ``config`` is what the user set; ``config_folder`` is the folder given
    with a flag. ``learn`` begins with a lesson, or with the list of lessons (True).
    ``present`` shows the keys that are pressed, ``redact`` replaces the store's own texts and ids by tokens.
    Screens reach the app with ``getters.app(InspectorApp)``.
    """

    TITLE = "Inspector"
    CSS_PATH = Path(__file__).with_name("app.tcss")
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("app"), *bindings("lesson")]
    COMMANDS = {ActionsProvider}
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-medium"), (160, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (36, "-tall")]

    def __init__(
        self,
        request: OpenRequest | None = None,
        config_folder: Path | None = None,
        *,
        learn: Lesson | bool = False,
        present: bool = False,
        redact: bool = False,
    ) -> None:
        super().__init__()
        self.begin_presenting(present=present, redact=redact)
        self.language = language()
        self._learn = learn
        self.request = request
        self.inspection: Inspection | None = None
        self.faults = 0
        self.last_copied = ""
        self.config: Config = load_config(config_folder)
        self.keys_changed: dict[str, str] = {}
        self._problems: list[Problem] = list(self.config.problems)
        self._take_themes()
        self._take_keymap()
        if not self.config["animation"]:
            self.animation_level = "none"

    # Settings, themes and keys

    def _take_themes(self) -> None:
        loaded = load_themes(self.config.theme_folders)
        self._problems.extend(loaded.problems)
        self.theme_about = loaded.about
        self._roomy = loaded.roomy
        for name in list(self.available_themes):
            if name not in loaded.themes:
                self.unregister_theme(name)
        for theme in loaded.themes.values():
            self.register_theme(theme)
        wanted = self.config["theme"]
        if wanted not in loaded.themes:
            where = self.config.given.get("theme", "")
            self._problems.append(
                Problem(
                    where, None, "theme", _("{wanted!r} is not a theme").format(wanted=wanted), ", ".join(loaded.themes)
                )
            )
            wanted = DEFAULT_THEME
        self.theme = wanted
        self._give_rows_room(wanted)

    def _give_rows_room(self, theme: str) -> None:
        """A theme for a projector has a blank line between the rows of tables."""
        self.set_class(theme in self._roomy, "-roomy")
        for screen in self.screen_stack if self.is_running else ():
            for grid in screen.query(GridView):
                grid.give_room()

    def _take_keymap(self) -> None:
        keymap = load_keymap(self.config.keymap_files)
        self._problems.extend(keymap.problems)
        self.keys_changed = dict(keymap.keys)
        self.set_keymap(self.keys_changed)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The product's own colours for themes that do not set them."""
        return own_defaults(self.current_theme.dark)

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:  # noqa: ARG002
        """None of Textual's own: the palette lists the registry of actions."""
        return ()

    def _tell_problems(self) -> None:
        """One toast for everything in the user's files that could not be used."""
        if self._problems:
            listed = "\n".join(str(problem) for problem in self._problems[:4])
            more = _("\nand {count} more").format(count=len(self._problems) - 4) if len(self._problems) > 4 else ""
            say(self, f"{listed}{more}", title=_("Not used, the default is"), severity="warning")
        if self.config.local:
            say(self, "\n".join(map(str, self.config.local)), title=_("Used from the current folder"))

    def watch_app_focus(self, focus: bool) -> None:
        """The footer takes no bindings while the terminal is without focus, as it is at first in a browser."""
        if focus and self.screen_stack:
            self.screen.refresh_bindings()

    # Start and end

    def get_default_screen(self) -> Screen[Any]:
        """An empty screen under all others: Textual can only replace a screen that was pushed."""
        return BaseScreen()

    def on_mount(self) -> None:
        """The first screen; what was wrong with the user's files is said after the first paint."""
        self.theme_changed_signal.subscribe(self, lambda theme: self._give_rows_room(theme.name))
        # Threads that load, survey and judge share one interpreter with the screen: short turns, so that a key waits
        # for one of them no longer than it takes to see.
        sys.setswitchinterval(TURN)
        if self._learn is True:
            self.push_screen(self.lessons_screen())
        else:
            if self._learn is not False:
                self.request = self.begin_lesson(self._learn)
            self.push_screen(self.first_screen(self.request))
        self.call_after_refresh(self._tell_problems)

    def on_unmount(self) -> None:
        """Stop what is running and close the store; everything shown as done is on disk already."""
        self.stop_loading()
        self.close_inspection()

    async def action_quit(self) -> None:
        """Quit, with an exit code other than 0 where something unexpected happened."""
        self.exit(return_code=1 if self.faults else 0)

    # Errors

    def show_error(self, error: BaseException, title: str = "") -> None:
        """Show an error in a dialog; one that is no InspectorError makes the exit code 1."""
        from inspector.ui.screens.error import ErrorDialog

        if not isinstance(error, InspectorError):
            self.faults += 1
        self.push_screen(ErrorDialog(error, title))

    async def run_action(self, action: Any, default_namespace: Any = None, namespaces: Any = None) -> bool:
        """Run an action of any widget; what it raises is shown in a dialog and does not end the program."""
        try:
            return await super().run_action(action, default_namespace, namespaces)
        except Exception as error:  # the last place before Textual would end the program
            self.show_error(error)
            return True

    @on(ErrorRaised)
    def _error_raised(self, message: ErrorRaised) -> None:
        self.show_error(message.error, message.title)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """An action that nothing on this screen answers to is not offered."""
        if action == "find":
            return any(isinstance(node, Findable) for node in around(self.screen))
        if action == "edits":
            return self.inspection is not None
        return super().check_action(action, parameters)

    # Actions that work everywhere

    async def action_back(self) -> None:
        """Close one thing; the nearest to the focus first."""
        for node in around(self.screen):
            if isinstance(node, GoesBack) and node.go_back():
                return
        if self.inspection is not None and not self.screen.is_modal:
            key = show_keys(BY_ID["app.open"], self.keys_changed)
            say(self, _("nothing to close here; {key} goes back to the choice of stores").format(key=key))

    def action_find(self) -> None:
        """Find in the pane that has the focus."""
        for node in around(self.screen):
            if isinstance(node, Findable):
                node.open_find()
                return
        say(self, _("nothing to find in this pane"))

    def action_toggle_maximize(self) -> None:
        """The focused pane on the whole screen, and back."""
        screen = self.screen
        if screen.maximized is not None:
            screen.minimize()
        elif screen.focused is not None:
            screen.maximize(screen.focused)

    def action_show_help(self) -> None:
        """Keys and signs of this screen."""
        from inspector.ui.screens.help import HelpDialog

        self.push_screen(HelpDialog(self.screen, self.keys_changed))

    def action_jump(self) -> None:
        """Letters over the panes."""
        from inspector.ui.screens.jump import JumpOverlay, targets

        found = targets(self.screen)
        if found:
            self.push_screen(JumpOverlay(found), lambda widget: widget.focus() if widget is not None else None)

    def action_choose_theme(self) -> None:
        """Choose a theme and see it at once."""
        from inspector.ui.screens.themes import ThemeDialog

        self.push_screen(ThemeDialog())

    def action_settings(self) -> None:
        """Settings, and where the files are."""
        from inspector.ui.screens.settings import SettingsDialog

        self.push_screen(SettingsDialog())

    def action_export(self) -> None:
        """Export what is seen."""
        from inspector.ui.screens.export import ExportDialog

        self.push_screen(ExportDialog.of(self, self.screen))

    def action_edits(self) -> None:
        """The list of edits."""
        from inspector.ui.screens.edits import EditsDialog

        if self.inspection is not None:
            self.push_screen(EditsDialog(self.inspection))

    def action_notices(self) -> None:
        """All notices of the header, in full."""
        from inspector.ui.screens.reading import ReadingDialog
        from inspector.ui.widgets.reader import Item

        notices = [
            Item(lines(f"· {notice}"), copy=notice) for bar in self.screen.query(HeaderBar) for notice in bar.notices
        ]
        self.push_screen(ReadingDialog[None](_("Notices"), notices or [Item(lines(_("no notices")))]))

    # Copying

    def action_copy(self) -> None:
        """Copy what the cursor is on."""
        self._copy(text_to_copy(self.screen))

    def action_copy_json(self) -> None:
        """Copy the row or record as JSON."""
        self._copy(json_to_copy(self.screen), "JSON")

    def action_copy_selection(self) -> None:
        """Copy the text selected with the mouse; without one, say how to quit."""
        text = self.screen.get_selected_text()
        if text:
            self._copy(text, _("selection"))
        else:
            say(self, _("nothing is selected; q quits"))

    def action_copy_to_file(self) -> None:
        """Write what was copied last to a file."""
        if not self.last_copied:
            say(self, _("nothing was copied yet: y copies what the cursor is on"))
            return
        say(self, write_copy(self.last_copied).sentence)
        self._hand_over(copy_file())

    def _copy(self, text: str | None, what: str = "") -> None:
        if text:
            text = veiled(text)
            self.post_message(CopyRequested(text, what))
        else:
            say(self, _("nothing here to copy"))

    @on(CopyRequested)
    def _copy_requested(self, message: CopyRequested) -> None:
        self.last_copied = message.text
        self._copy_in_thread(message.text, message.what)

    @work(thread=True, exit_on_error=False, group="copy")
    def _copy_in_thread(self, text: str, what: str) -> None:
        # The system's tool is another program and may take its time, or hang with a display that does not answer.
        done = copy_text(text, lambda each: self.call_from_thread(self.copy_to_clipboard, each), what=what)
        say(self, done.sentence, severity="information" if done.sure else "warning")

    # Exporting

    @work(thread=True, exit_on_error=False, group="export")
    def write_export(self, words: str, make: Callable[[], str | None], path: Path) -> None:
        """Make a text and write it to a file in a thread, and say that it is done or why not.

        ``make`` gives None where it has written what is to be written itself.
        """
        try:
            text = make()
            if text is not None:
                write_atomically(path, text)
        except InspectorError as error:
            say(self, str(error), title=_("Not exported"), severity="error")
        except Exception as error:  # a thread's error has no dialog of its own
            self.post_message(ErrorRaised(error, _("Not exported")))
        else:
            say(self, _("{words} written to {path}").format(words=words, path=path))
            self.call_from_thread(self._hand_over, path)

    def _hand_over(self, path: Path) -> None:
        """In a browser a written file lies on the server's machine: give it to the browser as a download."""
        if self.is_web and path.is_file():
            self.deliver_binary(path, save_filename=path.name)
