"""The choice of theme: moving through the list shows each at once (SCREENS, Everywhere)."""

from __future__ import annotations

from typing import ClassVar

from textual import getters, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from inspector.errors import InspectorError
from inspector.i18n import _
from inspector.ui.app import InspectorApp
from inspector.ui.config import write_setting
from inspector.ui.screens.base import Dialog
from inspector.ui.screens.help import SIGNS
from inspector.ui.widgets.cells import Column, Piece, RowList
from inspector.ui.widgets.grid import Grid
from inspector.ui.widgets.safe import plain, say


class ThemeDialog(Dialog[str]):
    """Lists the themes; enter keeps the one under the cursor for the next time too, escape brings the old one back."""

    BINDINGS: ClassVar[list[BindingType]] = []
    PANE = "Themes"
    HELP = "Your own themes are TOML files in the themes folder beside settings.toml; copy one of ours to begin with."
    DEFAULT_CSS = """
    ThemeDialog { align: right top; background: $background 0%; }
    ThemeDialog .dialog { width: 64; max-width: 100%; margin: 1 1; }
    ThemeDialog Grid { height: auto; max-height: 12; }
    ThemeDialog Static { height: auto; margin-top: 1; }
    ThemeDialog #theme-about { color: $dim; }
    """
    app = getters.app(InspectorApp)

    def __init__(self) -> None:
        super().__init__()
        self.before = self.app.theme

    def compose(self) -> ComposeResult:
        """The list and the signs in the theme's colours."""
        rows = RowList(
            sorted(self.app.available_themes.values(), key=lambda theme: (not theme.dark, theme.name)),
            lambda theme: theme.name,
            lambda theme: [
                Piece(theme.name, "strong"),
                _("dark") if theme.dark else _("light"),
            ],
        )
        with Vertical(classes="dialog") as box:
            box.border_title = Content(_("Theme: enter keeps it, esc brings the old one back"))
            yield Grid([Column("name", "theme", 22, least=16, flex=1), Column("dark", "", 6)], rows)
            yield Static(id="theme-about")
            yield Static(Content.assemble(*((f"{_(sign)}   ", style) for sign, style, _rest1 in SIGNS[:8])))

    def on_mount(self) -> None:
        """The cursor begins on the theme in force."""
        grid = self.query_one(Grid)
        grid.move_cursor(key=self.before)
        grid.focus()

    @on(Grid.RowHighlighted)
    def _preview(self, message: Grid.RowHighlighted) -> None:
        if message.key is not None and message.key == self.query_one(Grid).cursor_key:
            self.app.theme = str(message.key)
            self.query_one("#theme-about", Static).update(plain(_(self.app.theme_about.get(self.app.theme, ""))))
            # The screens beneath would keep blank lines in the old colours.
            self.call_after_refresh(self._repaint_all)

    def _repaint_all(self) -> None:
        for screen in self.app.screen_stack:
            screen.refresh(layout=True)

    @on(Grid.RowSelected)
    def _keep(self, message: Grid.RowSelected) -> None:
        self.app.theme = str(message.key)
        try:
            path = write_setting("theme", self.app.theme)
        except InspectorError as error:
            say(self.app, f"{error}", title=_("The theme is not kept for the next time"), severity="warning")
        else:
            say(self.app, _("theme {theme}, kept in {path}").format(theme=self.app.theme, path=path))
        self.dismiss(self.app.theme)

    def action_close(self) -> None:
        """Bring the old theme back."""
        self.app.theme = self.before
        self.dismiss(None)
