"""The file picker: a path with completion, and the folder's entries under it (SCREENS, Start).

Names of files are data like any other: they are shown inert, and completion never proposes one that would not be.
"""

from __future__ import annotations

import os
from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.suggester import Suggester
from textual.widgets import Input, Static

from inspector.addresses import is_address
from inspector.confinement import check_read
from inspector.errors import InspectorError
from inspector.i18n import _
from inspector.text import visible
from inspector.ui.actions import bindings
from inspector.ui.pace import show_size
from inspector.ui.screens.base import Dialog
from inspector.ui.screens.chooser import is_bundle
from inspector.ui.widgets.cells import Cell, Column, Piece, RowList
from inspector.ui.widgets.footer import KeyFooter
from inspector.ui.widgets.grid import Grid
from inspector.ui.widgets.safe import plain

_READABLE = (".jsonl", ".json", ".ndjson", ".csv", ".tsv", ".parquet")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the folder: ``..``, a folder, a bundle folder, or a file."""

    path: Path
    name: str
    kind: str
    size: int | None

    def cells(self) -> list[Cell]:
        """Name, kind, size."""
        strong = "strong" if self.kind in ("bundle", "readable") else "dim" if self.kind == "file" else "link"
        words = {
            "bundle": _("a bundle: enter opens it"),
            "folder": "",
            "readable": _("can be read"),
            "file": "",
            "up": "",
        }
        slash = "/" if self.kind in ("folder", "bundle") else ""
        return [Piece(self.name + slash, strong), Piece(words[self.kind], "dim"), show_size(self.size)]


def list_folder(folder: Path, begins: str = "") -> list[Entry]:
    """The folder's entries whose names begin so: the way up, folders, files; hidden ones only when asked for.

    Raises OSError where the folder cannot be read, InspectorError where it may not be.
    """
    check_read(folder)
    entries: list[Entry] = []
    with os.scandir(folder) as found:
        for each in found:
            if not each.name.casefold().startswith(begins.casefold()):
                continue
            if each.name.startswith(".") and not begins.startswith("."):
                continue
            path = Path(each.path)
            try:
                if each.is_dir():
                    entries.append(Entry(path, each.name, "bundle" if is_bundle(path) else "folder", None))
                else:
                    kind = "readable" if path.suffix.lower() in _READABLE else "file"
                    entries.append(Entry(path, each.name, kind, each.stat().st_size))
            except OSError:
                entries.append(Entry(path, each.name, "file", None))
    entries.sort(key=lambda entry: (entry.kind in ("readable", "file"), entry.name.casefold(), entry.name))
    if folder.parent != folder and not begins:
        entries.insert(0, Entry(folder.parent, "..", "up", None))
    return entries


def split_typed(typed: str, cwd: Path) -> tuple[Path, str]:
    """The folder that a typed path is in, and the beginning of a name in it."""
    path = os.path.expanduser(typed)
    head, tail = os.path.split(path)
    return (cwd / head if head else cwd), tail


class PathSuggester(Suggester):
    """Completes the typed path to the first entry that begins so."""

    def __init__(self, cwd: Path) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self.cwd = cwd

    async def get_suggestion(self, value: str) -> str | None:
        """The whole path, completed."""
        folder, begins = split_typed(value, self.cwd)
        if not begins:
            return None
        try:
            entries = list_folder(folder, begins)
        except (OSError, ValueError, InspectorError):
            return None
        for entry in entries:
            # The input shows its text as it is: a name that is not inert is only ever opened from the table.
            if entry.name.startswith(begins) and visible(entry.name) == entry.name:
                slash = "/" if entry.kind in ("folder", "bundle") else ""
                return value + entry.name[len(begins) :] + slash
        return None


class FilesDialog(Dialog[tuple[Path, ...]]):
    """Picks files or a folder; the result is their paths. Space marks several files."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("files")
    PANE = "Files"
    HELP = (
        "Type a path (right arrow takes the completion) or walk through the folders. Enter opens a file, a bundle or "
        "goes into a folder; space marks several files, which are then opened together; ctrl+o opens the folder itself."
    )
    DEFAULT_CSS = """
    FilesDialog .dialog { height: 90%; }
    FilesDialog #where { color: $dim; height: 1; }
    FilesDialog #trouble { color: $bad; height: auto; }
    """

    def __init__(self, folder: Path | None = None) -> None:
        super().__init__()
        self.folder = (folder or Path.cwd()).absolute()
        self._entries: dict[Hashable, Entry] = {}

    def compose(self) -> ComposeResult:
        """The path above, the entries below."""
        with Vertical(classes="dialog") as box:
            box.border_title = Content(_("Open a folder or files"))
            yield Input(placeholder=_("path: type, → completes, enter opens"), suggester=PathSuggester(self.folder))
            yield Static(id="where")
            yield Static(id="trouble")
            yield Grid(
                [
                    Column("name", "name", 30, least=12, flex=1),
                    Column("kind", "", 24, least=12),
                    Column("size", "size", 8, align="right"),
                ],
                markable=True,
                empty=_("nothing here begins so"),
            )
        yield KeyFooter()

    def on_mount(self) -> None:
        """Show the folder; the focus is on its entries."""
        self._show(self.folder)
        self.query_one(Grid).focus()

    def _show(self, folder: Path, begins: str = "") -> None:
        try:
            entries = list_folder(folder, begins)
        except InspectorError as error:
            self._trouble(str(error))
            return
        except (OSError, ValueError) as error:
            self._trouble(f"{folder}: {getattr(error, 'strerror', None) or error}")
            return
        self.folder = folder
        self._trouble("")
        self._entries = {entry.path: entry for entry in entries}
        self.query_one("#where", Static).update(plain(str(folder)))
        self.query_one(Grid).set_source(RowList(entries, lambda entry: entry.path, Entry.cells), keep_marks=True)

    def _trouble(self, words: str) -> None:
        line = self.query_one("#trouble", Static)
        line.update(plain(words))
        line.display = bool(words)

    @on(Input.Changed)
    def _typed(self, message: Input.Changed) -> None:
        if message.value and not is_address(message.value):
            folder, begins = split_typed(message.value, Path.cwd())
            self._show(Path(os.path.normpath(folder)), begins)

    @on(Input.Submitted)
    def _entered(self, message: Input.Submitted) -> None:
        if not message.value:
            return
        if is_address(message.value):
            self.dismiss((Path(message.value.strip()),))
            return
        path = Path(os.path.normpath(Path.cwd() / os.path.expanduser(message.value)))
        try:
            check_read(path)  # before it is looked at: whether a file exists is told to nobody who may not read it
        except InspectorError as error:
            self._trouble(str(error))
            return
        if path.is_dir() and not is_bundle(path):
            self._show(path)
            self.query_one(Grid).focus()
        elif path.exists():
            self.dismiss((path,))
        else:
            self._trouble(_("{path}: no such file or folder").format(path=path))

    @on(Grid.RowSelected)
    def _selected(self, message: Grid.RowSelected) -> None:
        marks = self.query_one(Grid).marks
        if marks:
            self.dismiss(tuple(path for path in self._entries if path in marks and isinstance(path, Path)))
            return
        entry = self._entries[message.key]
        if entry.kind in ("folder", "up"):
            came_from = self.folder
            self._show(entry.path)
            grid = self.query_one(Grid)
            if entry.kind == "up":
                grid.move_cursor(key=came_from)
            else:
                grid.move_cursor(0)
        else:
            self.dismiss((entry.path,))

    def action_open_folder(self) -> None:
        """Open the folder that is shown, as it is."""
        self.dismiss((self.folder,))

    def action_type_path(self) -> None:
        """Put the cursor where a path is typed."""
        self.query_one(Input).focus()
