"""*Why not*: any stored memory, found by id or text, to be shown against the query though it was not retrieved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Input, Static

from inspector.i18n import _
from inspector.records import show_namespace
from inspector.ui.screens.base import Dialog
from inspector.ui.widgets.cells import Cell, Column, Piece, RowList
from inspector.ui.widgets.grid import Grid
from inspector.ui.widgets.inputs import SafeInput
from inspector.ui.widgets.safe import plain

if TYPE_CHECKING:
    from inspector.inspection import Inspection

#: The most matches that are listed.
LIMIT = 200
#: Seconds without a key before the store is searched.
_REST = 0.12
_COLUMNS = (
    Column("id", "memory", 16, 8, flex=1),
    Column("owner", "owner", 14, 6, flex=1),
    Column("status", "status", 11, 6),
    Column("text", "text", 20, 10, flex=5),
)


class WhyNotDialog(Dialog[int]):
    """Finds a memory; the result is its index."""

    BINDINGS: ClassVar[list[BindingType]] = []
    PANE = "Why not"
    HELP = (
        "Any stored memory against this query, whether or not it was retrieved. Type a part of its id or text; down "
        "goes to the matches, enter shows the one under the cursor among the candidates, without a rank."
    )
    DEFAULT_CSS = """
    WhyNotDialog .dialog { width: 90%; max-width: 140; height: 80%; }
    WhyNotDialog .counts { height: 1; color: $dim; }
    """

    def __init__(self, inspection: Inspection, qi: int) -> None:
        super().__init__()
        self._inspection = inspection
        self._qi = qi
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        """What to find, how many were found, and which."""
        with Vertical(classes="dialog") as box:
            box.border_title = plain(
                _("Why not? Any memory against {id}").format(id=self._inspection.queries[self._qi].id)
            )
            yield SafeInput(placeholder=_("part of an id or of the text"))
            yield Static("", classes="counts")
            yield Grid(_COLUMNS, empty=_("no memory has this in its id or text"))

    def on_mount(self) -> None:
        """Begin with the whole store, as far as it is listed."""
        self._search()
        self.query_one(SafeInput).focus()

    def _cells(self, mi: int) -> Sequence[Cell]:
        memory = self._inspection.memories[mi]
        owner = memory.value("namespaces") if memory.value("namespace") is None else memory.value("namespace")
        status = memory.value("status")
        return (
            memory.id,
            show_namespace(owner) or Piece("∅", "dim"),
            Piece("∅", "dim") if status is None else str(status),
            memory.text,
        )

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_REST, self._search)

    def _search(self) -> None:
        self._timer = None
        text = self.query_one(SafeInput).value.strip()
        found = self._inspection.find_memories(text, LIMIT)
        total = len(self._inspection.memories)
        words = _("{count:,} of {total:,} memories").format(count=len(found), total=total)
        if len(found) >= LIMIT < total:
            words = _("the first {count:,} that match, of {total:,} memories: type more to narrow").format(
                count=len(found), total=total
            )
        self.query_one(".counts", Static).update(Content(words))
        grid = self.query_one(Grid)
        grid.set_source(RowList(found, lambda mi: mi, self._cells))
        grid.move_cursor(0)

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        if self._timer is not None:
            self._timer.stop()
            self._search()
        self._take(self.query_one(Grid).cursor_key)

    def key_down(self) -> None:
        """From the words to the matches."""
        if self.query_one(SafeInput).has_focus:
            self.query_one(Grid).focus()

    @on(Grid.RowSelected)
    def _chosen(self, event: Grid.RowSelected) -> None:
        event.stop()
        self._take(event.key)

    def _take(self, key: object) -> None:
        if isinstance(key, int):
            self.dismiss(key)
