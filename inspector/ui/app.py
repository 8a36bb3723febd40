"""The application: what is open, which screen shows it, and the actions that work everywhere (SCREENS, Everywhere)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import App
from textual.binding import BindingType
from textual.screen import Screen

from inspector.ui.actions import bindings
from inspector.ui.messages import CopyRequested, OpenRequest
from inspector.ui.panes import Findable, GoesBack, around, json_to_copy, text_to_copy
from inspector.ui.screens.base import BaseScreen
from inspector.ui.theming import DEFAULT_THEME, load_themes, own_defaults

if TYPE_CHECKING:
    from inspector.inspection import Inspection


class InspectorApp(App[int], inherit_bindings=False):
    """Inspector's UI. With a request it loads and shows that store, without one it offers a choice.

    ``inspection`` is what is open, None before. Screens reach the app with ``getters.app(InspectorApp)``.
    """

    TITLE = "Inspector"
    CSS_PATH = Path(__file__).with_name("app.tcss")
    BINDINGS: ClassVar[list[BindingType]] = bindings("app")

    def __init__(self, request: OpenRequest | None = None) -> None:
        super().__init__()
        self.request = request
        self.inspection: Inspection | None = None
        loaded = load_themes()
        for theme in loaded.themes.values():
            self.register_theme(theme)
        self.theme = DEFAULT_THEME

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The product's own colours for themes that do not set them."""
        return own_defaults(self.current_theme.dark)

    def get_default_screen(self) -> Screen[Any]:
        """A plain screen under all others."""
        return BaseScreen(id="_default")

    def show_inspection(self, inspection: Inspection) -> None:
        """Show what was opened on the Inspect screen."""
        from inspector.ui.screens.inspect import InspectScreen

        self.inspection = inspection
        self.switch_screen(InspectScreen(inspection))

    async def action_back(self) -> None:
        """Close one thing; the nearest to the focus first."""
        for node in around(self.screen):
            if isinstance(node, GoesBack) and node.go_back():
                return

    def action_find(self) -> None:
        """Find in the pane that has the focus."""
        for node in around(self.screen):
            if isinstance(node, Findable):
                node.open_find()
                return

    def action_copy(self) -> None:
        """Copy what the cursor is on."""
        text = text_to_copy(self.screen)
        if text:
            self.post_message(CopyRequested(text))

    def action_copy_json(self) -> None:
        """Copy the row or record as JSON."""
        text = json_to_copy(self.screen)
        if text:
            self.post_message(CopyRequested(text))

    @on(CopyRequested)
    def _copy_requested(self, message: CopyRequested) -> None:
        self.copy_to_clipboard(message.text)
