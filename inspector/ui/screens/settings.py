"""Settings: each with its value and where it comes from, changed in place; and where the user's files are."""

from __future__ import annotations

from typing import Any, ClassVar

from textual import getters, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from inspector.errors import InspectorError
from inspector.i18n import _
from inspector.places import places
from inspector.ui.actions import bindings
from inspector.ui.app import InspectorApp
from inspector.ui.config import BY_NAME, SETTINGS, Setting, load_config, write_setting
from inspector.ui.screens.base import Dialog
from inspector.ui.widgets.cells import Cell, Column, Piece, RowList
from inspector.ui.widgets.footer import KeyFooter
from inspector.ui.widgets.grid import Grid
from inspector.ui.widgets.safe import plain, say


class SettingsDialog(Dialog[None]):
    """Lists the settings. Enter changes one: the next of its choices, or a value typed below."""

    app = getters.app(InspectorApp)
    BINDINGS: ClassVar[list[BindingType]] = bindings("settings")
    PANE = "Settings"
    HELP = (
        "A change is written to your settings.toml at once. Route, k, isolation and intent hold from the next load on."
    )
    DEFAULT_CSS = """
    SettingsDialog Grid { height: auto; max-height: 50%; }
    SettingsDialog Input { display: none; }
    SettingsDialog #about { height: auto; margin: 1 0 0 0; }
    SettingsDialog #places { color: $dim; height: auto; margin: 1 0 0 0; }
    """

    def compose(self) -> ComposeResult:
        """The settings, a line to type in, the places."""
        with Vertical(classes="dialog") as box:
            box.border_title = Content(_("Settings"))
            yield Grid(
                [
                    Column("name", "setting", 15),
                    Column("value", "value", 18, least=16),
                    Column("help", "", 30, flex=1),
                ]
            )
            yield Static(id="about")
            yield Input()
            yield Static(id="places")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Fill the table in."""
        lines = [f"{name:11} {path}" for name, path in places().items()]
        self.query_one("#places", Static).update(Content("\n").join(plain(line) for line in lines))
        self._fill()
        self.query_one(Grid).focus()

    def copy_text(self) -> str:
        """Settings as they would stand in the file."""
        return "\n".join(f"{setting.name} = {self.app.config[setting.name]!r}" for setting in SETTINGS)

    def _fill(self) -> None:
        config = self.app.config

        def cells(setting: Setting) -> list[Cell]:
            value = config[setting.name]
            shown = Piece(_("not set"), "dim") if value in (None, "") else Piece(_words(value), "strong")
            return [setting.name, shown, Piece(_(setting.help), "dim")]

        self.query_one(Grid).set_source(RowList(SETTINGS, lambda setting: setting.name, cells))

    @on(Grid.RowHighlighted)
    def _about(self, message: Grid.RowHighlighted) -> None:
        setting = BY_NAME.get(str(message.key))
        if setting is not None:
            where = self.app.config.given.get(setting.name) or _("the default")
            self.query_one("#about", Static).update(
                plain(_("{help} · from {where}").format(help=_(setting.help), where=where))
            )

    @property
    def _chosen(self) -> Setting:
        return BY_NAME[str(self.query_one(Grid).cursor_key)]

    @on(Grid.RowSelected)
    def _selected(self) -> None:
        self.action_change()

    def action_change(self) -> None:
        """The next choice, or ask for a value."""
        setting = self._chosen
        if setting.name == "theme":
            self.app.action_choose_theme()
            return
        value = self.app.config[setting.name]
        choices: tuple[Any, ...] = (False, True) if setting.kind is bool else setting.choices
        if choices:
            self._write(setting, choices[(choices.index(value) + 1) % len(choices)] if value in choices else choices[0])
            return
        line = self.query_one(Input)
        line.display = True
        line.placeholder = f"{setting.name}: {_(setting.help)}"
        line.value = "" if value is None else str(value)
        line.focus()

    def action_default(self) -> None:
        """Back to the default."""
        setting = self._chosen
        self._write(setting, "" if setting.default is None else setting.default)

    @on(Input.Submitted)
    def _typed(self, message: Input.Submitted) -> None:
        setting = self._chosen
        value: Any = message.value
        if setting.kind is int and value.strip().isdecimal():
            value = int(value)
        if self._write(setting, value):
            message.input.display = False
            self.query_one(Grid).focus()

    def _write(self, setting: Setting, value: Any) -> bool:
        try:
            path = write_setting(setting.name, value)
        except InspectorError as error:
            say(self.app, str(error), severity="error")
            return False
        self.app.config = load_config()
        self._fill()
        say(
            self.app, _("{name} = {words}, written to {path}").format(name=setting.name, words=_words(value), path=path)
        )
        return True

    def go_back(self) -> bool:
        """Close the line that is typed in, else the dialog."""
        line = self.query_one(Input)
        if line.display:
            line.display = False
            self.query_one(Grid).focus()
        else:
            self.dismiss(None)
        return True

    def action_close(self) -> None:
        """As escape."""
        self.go_back()


def _words(value: Any) -> str:
    return (_("on") if value else _("off")) if isinstance(value, bool) else str(value)
