"""The dialog that edits a field: choose the field where it is not given, type the value, see what it would do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Input

from inspector.errors import FieldError
from inspector.i18n import _
from inspector.text import fold
from inspector.ui.screens.base import Dialog
from inspector.ui.widgets.cells import Cell, Column, Piece, RowList
from inspector.ui.widgets.editor import EditTask, FieldEditor, FieldRow
from inspector.ui.widgets.grid import Grid
from inspector.ui.widgets.inputs import SafeInput
from inspector.ui.widgets.safe import plain
from inspector.ui.widgets.signs import EDITED
from inspector.ui.widgets.values import is_missing, show_value

_COLUMNS = (
    Column("field", "field", 22, 12),
    Column("value", "value", 24, 10, flex=2),
    Column("help", "meaning", 20, 0, flex=1),
)


def _cells(row: FieldRow) -> Sequence[Cell]:
    value = row.mixed or show_value(row.value)
    style = "warn" if row.mixed else "dim" if is_missing(row.value) else ""
    mark = [Piece(EDITED, "edited")] if row.edited else []
    return (
        [*mark, Piece(row.spec.name, "strong" if row.near else "")],
        Piece(value[:500], style),
        Piece(_(row.spec.help), "dim"),
    )


class EditFieldDialog(Dialog[bool]):
    """Edits one field of a record or of several; the result is True where something was stored.

    ``fields`` are offered, those that the axis under the cursor reads first; ``field`` skips the choice. ``make_task``
    gives the task of a field; ``save`` stores a value, or raises FieldError, which is shown in place.
    """

    BINDINGS: ClassVar[list[BindingType]] = []
    PANE = "Edit"
    HELP = (
        "Choose a field, then its value. Under the value stands what it would do to the verdict; nothing is stored "
        "before it is saved, and u undoes it. Suggested words are offered, never filled in: up and down take one."
    )
    DEFAULT_CSS = """
    EditFieldDialog .dialog { height: auto; max-height: 95%; }
    EditFieldDialog Grid { height: auto; max-height: 16; min-height: 3; }
    EditFieldDialog FieldEditor { display: none; }
    EditFieldDialog .dialog.-editing > FieldEditor { display: block; }
    EditFieldDialog .dialog.-editing > Grid { display: none; }
    EditFieldDialog .dialog.-editing > .find { display: none; }
    EditFieldDialog .find { margin: 0 0 1 0; }
    """

    def __init__(
        self,
        title: str,
        fields: Sequence[FieldRow],
        make_task: Callable[[str], EditTask],
        save: Callable[[str, Any], None],
        field: str | None = None,
    ) -> None:
        super().__init__()
        self.heading = title
        self._fields = list(fields)
        self._make_task = make_task
        self._save = save
        self._field = field

    def compose(self) -> ComposeResult:
        """A filter, the fields, and the editor in their place once a field is chosen."""
        with Vertical(classes="dialog") as box:
            box.border_title = plain(self.heading)
            yield SafeInput(placeholder=_("field name, or part of it"), classes="find")
            yield Grid(_COLUMNS, self._source(""), show_header=False, empty=_("no field is called so"))
            yield FieldEditor()

    def on_mount(self) -> None:
        """Start with the field, or with the choice of one."""
        if self._field is not None:
            self._edit(self._field)
        else:
            self.query_one(".find", SafeInput).focus()

    def _source(self, typed: str) -> RowList[FieldRow]:
        wanted = fold(typed)
        rows = [row for row in self._fields if wanted in row.spec.name or wanted in fold(_(row.spec.help))]
        rows.sort(key=lambda row: (not row.spec.name.startswith(wanted), not row.near))
        return RowList(rows, lambda row: row.spec.name, _cells)

    def _edit(self, field: str) -> None:
        box = self.query_one(".dialog")
        box.add_class("-editing")
        self.query_one(FieldEditor).open(self._make_task(field))

    @on(Input.Changed, ".find")
    def _find(self, event: Input.Changed) -> None:
        event.stop()
        self.query_one(Grid).set_source(self._source(event.value))
        self.query_one(Grid).move_cursor(0)

    @on(Input.Submitted, ".find")
    def _take_first(self, event: Input.Submitted) -> None:
        event.stop()
        key = self.query_one(Grid).cursor_key
        if isinstance(key, str):
            self._edit(key)

    def key_down(self) -> None:
        """From the filter to the fields."""
        if self.query_one(".find").has_focus:
            self.query_one(Grid).focus()

    @on(Grid.RowSelected)
    def _chosen(self, event: Grid.RowSelected) -> None:
        event.stop()
        self._edit(str(event.key))

    @on(FieldEditor.Saved)
    def _saved(self, event: FieldEditor.Saved) -> None:
        event.stop()
        try:
            self._save(event.task.spec.name, event.value)
        except FieldError as error:
            event.editor.refuse(error)
            return
        self.dismiss(True)

    @on(FieldEditor.Cancelled)
    def _cancelled(self, event: FieldEditor.Cancelled) -> None:
        event.stop()
        if self._field is not None:
            self.dismiss(None)
            return
        self.query_one(".dialog").remove_class("-editing")
        self.query_one(Grid).focus()
