"""Export of what is seen: tables, the screen, the edits, the store; written beside and moved into place (SCREENS)."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import getters, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, Static

from inspector.confinement import check_write
from inspector.i18n import N_, _
from inspector.ui.app import InspectorApp
from inspector.ui.export import table_text
from inspector.ui.messages import guarded
from inspector.ui.panes import reports_to_export, tables_to_export
from inspector.ui.screens.base import Dialog
from inspector.ui.veil import is_hidden, is_redacted, veiled
from inspector.ui.widgets.cells import Column, Piece, RowList
from inspector.ui.widgets.grid import Grid
from inspector.ui.widgets.inputs import SafeInput
from inspector.ui.widgets.safe import plain, say

if TYPE_CHECKING:
    from inspector.inspection import Inspection

#: The dialects of the SQL, by the database's name.
SQL_DIALECTS = {"PostgreSQL": "postgresql", "SQLite": "sqlite", "DuckDB": "duckdb"}
#: The table that SQL is about, until another is named.
_TABLE = "memories"
_FORM_WORDS = {"csv": "CSV", "json": N_("JSON lines"), "md": "Markdown"}


@dataclass(frozen=True)
class Choice:
    """One thing that can be exported: its words, the proposed file name, and what makes the text.

    ``write`` writes it itself, in a thread of its own; ``folder`` writes a folder; ``of_table`` makes the text for the
    table of a database that the user names.
    """

    words: str
    about: str
    file: str
    make: Callable[[], str] = str
    write: Callable[[Path], None] | None = None
    folder: Callable[[Path], None] | None = None
    of_table: Callable[[str], str] | None = None


def file_name(name: str) -> str:
    """A name as a file's: words of letters and digits, so that no id of the data steers a terminal or a path."""
    return re.sub(r"[^\w.-]+", "-", name).strip(".-") or "table"


def choices(app: InspectorApp, screen: Screen[Any], inspection: Inspection | None) -> list[Choice]:
    """What can be exported from a screen."""
    found: list[Choice] = [
        Choice(one.words, one.about, file_name(one.file), write=one.write) for one in reports_to_export(screen)
    ]
    for table in tables_to_export(screen):
        for form, words in _FORM_WORDS.items():

            def make(table: Any = table, form: str = form) -> str:
                rows = ([veiled(str(cell)) for cell in row] for row in table.rows) if is_redacted() else table.rows
                return table_text(form, table.columns, rows)

            found.append(
                Choice(
                    _("{name} as {words}").format(name=_(table.name), words=_(words)),
                    _("the rows as they are shown now"),
                    f"{file_name(table.name)}.{form}",
                    make,
                )
            )
    picture = app.export_screenshot(title="Inspector")
    found.append(Choice(_("screen as SVG"), _("the screen as a picture"), "screen.svg", lambda: picture))
    if inspection is not None and not is_redacted():  # edits and store are the store's own words

        def edits(form: Any, *dialect: Any) -> str:
            out = io.StringIO()
            inspection.export_edits(out, form, *dialect)
            return out.getvalue()

        def store() -> str:
            out = io.StringIO()
            inspection.export_store(out)
            return out.getvalue()

        found.append(
            Choice(
                _("edits as JSON lines"), _("a patch; inspector apply reads it"), "edits.jsonl", lambda: edits("jsonl")
            )
        )
        for name, dialect in SQL_DIALECTS.items():

            def statements(table: str, dialect: str = dialect) -> str:
                return edits("sql", dialect, table)

            words = _("edits as SQL for {name}").format(name=name)
            about = _("UPDATE statements that name the old values, to review and run")
            found.append(Choice(words, about, f"edits-{dialect}.sql", of_table=statements))
        found.append(Choice(_("store as JSON lines"), _("every memory, edits applied"), "memories.jsonl", store))
        bundle = _("a new folder: memories, queries, judgments, policy and settings, edits applied")
        found.append(Choice(_("store as a bundle"), bundle, "bundle", folder=inspection.export_bundle))

        def packet() -> str:
            out = io.StringIO()
            notes = inspection.export_packet(out)
            if notes:
                say(app, "; ".join(notes), title=_("Authority packet"), severity="warning")
            return out.getvalue()

        about = _("for the execution gate's own evaluator")
        found.append(Choice(_("store as an authority packet"), about, "packet.json", packet))
    return found


class ExportDialog(Dialog[None]):
    """Choose what, then where. A file that exists is replaced only after asking again."""

    app = getters.app(InspectorApp)
    BINDINGS: ClassVar[list[BindingType]] = []
    PANE = "Export"
    HELP = (
        "Enter on a line goes on to the file's name; enter there writes it. SQL names a table of your database: tab "
        "goes on to it."
    )
    DEFAULT_CSS = """
    ExportDialog .dialog { overflow-y: auto; }
    ExportDialog Grid { height: auto; max-height: 16; }
    ExportDialog #of-table { display: none; height: 1; }
    ExportDialog.-sql #of-table { display: block; }
    ExportDialog #of-table Static { width: 7; color: $dim; }
    ExportDialog #of-table SafeInput { width: 1fr; }
    ExportDialog #trouble { color: $warn; height: auto; }
    """

    def __init__(self, offered: Sequence[Choice]) -> None:
        super().__init__()
        self.offered = offered
        self._confirmed: Path | None = None

    @classmethod
    def of(cls, app: InspectorApp, screen: Screen[Any]) -> ExportDialog:
        """The dialog for what a screen shows."""
        return cls(choices(app, screen, app.inspection))

    def compose(self) -> ComposeResult:
        """What, and where to."""
        rows = RowList(
            self.offered, lambda each: each.words, lambda each: [Piece(each.words, "strong"), Piece(each.about, "dim")]
        )
        with Vertical(classes="dialog") as box:
            box.border_title = Content(_("Export"))
            yield Grid([Column("words", "", 30, least=20), Column("about", "", 20, flex=1)], rows, show_header=False)
            yield Input(placeholder=_("file"), id="file")
            with Horizontal(id="of-table"):
                yield Static(Content(_("table")))
                yield SafeInput(_TABLE, placeholder=_TABLE, id="table")
            yield Static(id="trouble")

    @property
    def _choice(self) -> Choice:
        key: Hashable = self.query_one(Grid).cursor_key
        return next(each for each in self.offered if each.words == key)

    @on(Grid.RowHighlighted)
    def _propose(self) -> None:
        if self.offered:
            file = self._choice.file
            self.query_one("#file", Input).value = f"export{Path(file).suffix}" if is_hidden(file) else file
            self.set_class(self._choice.of_table is not None, "-sql")
            self._confirmed = None

    @on(Grid.RowSelected)
    def _to_name(self) -> None:
        self.query_one("#file", Input).focus()
        self.query_one("#trouble", Static).update(Content(_("enter writes this file, escape leaves")))

    @on(Input.Submitted, "#table")
    def _table_named(self) -> None:
        self.query_one("#file", Input).focus()

    @on(Input.Submitted, "#file")
    @guarded
    def _write(self, message: Input.Submitted) -> None:
        if not message.value.strip():
            return
        path = Path(message.value).expanduser()
        path = path if path.is_absolute() else Path.cwd() / path
        check_write(path)  # before it is looked at
        if self.app.inspection is not None:
            self.app.inspection.refuse_source(path)
        if path.exists() and self._confirmed != path:
            self._confirmed = path
            self.query_one("#trouble", Static).update(
                plain(_("{path} exists: enter again replaces it").format(path=path))
            )
            return
        choice, table = self._choice, self.query_one("#table", Input).value.strip() or _TABLE
        self.dismiss(None)
        # Another writes: a worker of this dialog would end with it.
        if choice.write is not None:
            choice.write(path)
        elif choice.folder is not None:
            self.app.write_export(choice.words, partial(choice.folder, path), path)
        elif choice.of_table is not None:
            self.app.write_export(choice.words, partial(choice.of_table, table), path)
        else:
            self.app.write_export(choice.words, choice.make, path)
