"""The rows of a store that is still being loaded, read from its workspace as they are seen (SCREENS Store)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, ClassVar

from inspector.errors import InspectorError
from inspector.i18n import _
from inspector.text import counted
from inspector.ui.widgets.cells import Cell, Column, Piece
from inspector.ui.widgets.panes import TablePane

if TYPE_CHECKING:
    from inspector.records import Memory
    from inspector.store.workspace import KeptRows

_COLUMNS = (
    Column("id", "memory", 18, 9, flex=1, frozen=True),
    Column("owner", "owner", 14, 7, flex=1),
    Column("status", "status", 11, 6),
    Column("created", "created", 10, 6),
    Column("text", "text", 16, 5, flex=6),
)
#: Rows that are read together, and how many such blocks are remembered.
_BLOCK, _KEEP = 128, 64


class KeptSource:
    """The kept rows as a table's source; a row's key is its place."""

    def __init__(self, rows: KeptRows) -> None:
        self._rows = rows
        self._blocks: OrderedDict[int, Sequence[Memory]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._rows)

    def key(self, row: int) -> int:
        """The row itself: nothing is sorted or filtered here."""
        return row

    def find(self, key: Hashable) -> int | None:
        """The row of a key."""
        return key if isinstance(key, int) and 0 <= key < len(self) else None

    def cells(self, row: int) -> Sequence[Cell]:
        """The row's cells; blank once the workspace is closed, when another screen is about to come."""
        memory = self._memory(row)
        if memory is None:
            return [""] * len(_COLUMNS)
        owner = memory.value("namespaces") or memory.value("namespace")
        fields = (owner, memory.value("status"), memory.value("created_at"))
        return (memory.id, *(Piece("∅", "dim") if value is None else str(value) for value in fields), memory.text)

    def _memory(self, row: int) -> Memory | None:
        number = row // _BLOCK
        block = self._blocks.get(number)
        if block is None:
            try:
                block = self._rows.read(number * _BLOCK, (number + 1) * _BLOCK)
            except (InspectorError, RuntimeError):
                return None
            self._blocks[number] = block
            if len(self._blocks) > _KEEP:
                self._blocks.popitem(last=False)
        return block[row % _BLOCK] if row % _BLOCK < len(block) else None


class KeptPane(TablePane):
    """The table of a store that is not loaded yet: to read and page through, nothing else."""

    PANE: ClassVar[str] = "Records"
    HELP = "The store's records as they were imported; edits, verdicts, find and sort come when all of it is loaded."

    def __init__(self, rows: KeptRows) -> None:
        super().__init__(_COLUMNS, markable=False, column_cursor=False, empty=_("no memories in this store"), id="kept")
        self._count = len(rows)
        self._source = KeptSource(rows)

    def on_mount(self) -> None:
        """Show the first rows."""
        self.grid.set_source(self._source)
        self.grid.focus()
        words = _("{counted}  as imported, while the rest is loaded").format(
            counted=counted(self._count, "memory", "memories")
        )
        self.show_title([Piece(words, "dim")])

    def narrow(self, text: str) -> None:
        """Nothing is searched before the store is loaded."""

    def open_find(self) -> None:
        """Say that it is too early."""
        self.show_title([Piece(_("find and sort come when the store is loaded"), "warn")])
