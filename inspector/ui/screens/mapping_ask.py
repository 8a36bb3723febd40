"""Two small questions of the mapping assistant: a line to type, and where mapping.toml goes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from inspector.errors import InspectorError
from inspector.i18n import _
from inspector.ui.screens.base import Dialog
from inspector.ui.screens.files import PathSuggester
from inspector.ui.veil import visible
from inspector.ui.widgets.cells import Piece
from inspector.ui.widgets.inputs import SafeInput
from inspector.ui.widgets.safe import plain
from inspector.ui.widgets.signs import content


class LineDialog(Dialog[bool]):
    """One line; ``save`` takes it or raises InspectorError, which is shown in place."""

    BINDINGS: ClassVar[list[BindingType]] = []
    DEFAULT_CSS = """
    LineDialog .hint { height: auto; color: $dim; margin: 0 0 1 0; }
    LineDialog .says { height: auto; min-height: 1; }
    """

    def __init__(self, title: str, hint: str, text: str, save: Callable[[str], None]) -> None:
        super().__init__()
        self.heading = title
        self._hint = hint
        self._text = text
        self._save = save

    def compose(self) -> ComposeResult:
        """What to type, and where."""
        with Vertical(classes="dialog") as box:
            box.border_title = plain(self.heading)
            yield Static(Content(self._hint), classes="hint")
            yield SafeInput(visible(self._text))
            yield Static(Content(_("enter takes it, escape leaves it as it is")), classes="says")

    def on_mount(self) -> None:
        """Begin to type."""
        self.query_one(SafeInput).focus()

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        try:
            self._save(event.value.strip())
        except InspectorError as error:
            self.query_one(".says", Static).update(content([Piece(f"✗ {visible(str(error))}", "bad")]))
            return
        self.dismiss(True)


class PlaceDialog(Dialog[Path]):
    """Where a file is written; one that exists is replaced only after asking again. The result is its path."""

    BINDINGS: ClassVar[list[BindingType]] = []
    PANE = "Where"
    HELP = "Enter writes the file. One that is there already is replaced only after enter was pressed again."
    DEFAULT_CSS = """
    PlaceDialog .hint { height: auto; color: $dim; margin: 0 0 1 0; }
    PlaceDialog .says { height: auto; min-height: 1; }
    """

    def __init__(self, place: Path, write: Callable[[Path, bool], None]) -> None:
        super().__init__()
        self._place = place
        self._write = write
        self._confirmed: Path | None = None

    def compose(self) -> ComposeResult:
        """The place, and what happens."""
        with Vertical(classes="dialog") as box:
            box.border_title = Content(_("Write the mapping"))
            yield Static(Content(_("The mapping is written here, then the store is opened with it.")), classes="hint")
            yield SafeInput(visible(str(self._place)), suggester=PathSuggester(Path.cwd()))
            yield Static(Content(_("enter writes, escape goes back")), classes="says")

    def on_mount(self) -> None:
        """Begin to type."""
        self.query_one(SafeInput).focus()

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        typed = event.value.strip()
        if not typed:
            return
        # A name that cannot be shown as it is, is the proposed one.
        path = self._place if typed == visible(str(self._place)) else Path(typed).expanduser().absolute()
        says = self.query_one(".says", Static)
        if path.exists() and self._confirmed != path:
            self._confirmed = path
            says.update(
                content(
                    [
                        Piece(
                            _("{path} is there already: enter again replaces it").format(path=visible(str(path))),
                            "warn",
                        )
                    ]
                )
            )
            return
        try:
            self._write(path, self._confirmed == path)
        except InspectorError as error:
            says.update(content([Piece(f"✗ {visible(str(error))}", "bad")]))
            return
        self.dismiss(path)
