"""The region of queries: the list, its filter, and which query is selected (SCREENS Inspect)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from inspector.i18n import _
from inspector.ui.actions import BY_ID, show_keys
from inspector.ui.panes import Table
from inspector.ui.widgets.cells import Piece
from inspector.ui.widgets.panes import TablePane
from inspector.ui.widgets.queries import COLUMNS, QueryFilter, QueryList
from inspector.views import QueryRow

#: More changed rows than this are drawn by drawing what is in sight.
_MANY = 60


class QueryPane(TablePane):
    """Every query; the one under the cursor is what the rest of the screen shows."""

    PANE: ClassVar[str] = "Queries"
    PLACEHOLDER: ClassVar[str] = QueryFilter.HELP
    HELP = (
        "Signs: ✓ the evidence is reached through admitted memories, ✗ an excluded one ranks before, ? an unresolved "
        "one, ! the ranking misses evidence, – not evaluable. Where a trace was recorded, or the prompt would be "
        "wrong, the failure stage: T trace, C candidate, V verification, A assembly, D disclosure; … being worked out. "
        "→ changed by an edit, ✎ edited, a ! after the sign: retrieved without a filter, or the claimed session is not "
        "the authenticated one. "
        f"Filter with /: {QueryFilter.HELP}"
    )

    def __init__(self, *, id: str) -> None:
        super().__init__(COLUMNS, markable=False, column_cursor=False, empty=_("no queries in this store"), id=id)
        self.list = QueryList(())

    @property
    def qi(self) -> int | None:
        """The selected query."""
        key = self.grid.cursor_key
        return key if isinstance(key, int) else None

    def fill(self, rows: Iterable[QueryRow]) -> None:
        """Take the rows of all queries."""
        self.list = QueryList(rows)
        self.narrow(self.filter_text)

    def row(self, qi: int) -> QueryRow:
        """A query's row."""
        return self.list.rows[qi]

    @property
    def no_queries(self) -> str:
        """What to say, and to do, where the store holds no queries."""
        changed: Mapping[str, str] = getattr(self.app, "keys_changed", {})
        key = show_keys(BY_ID["inspect.ask"], changed)
        return _("no queries in this store: {key} asks one").format(key=key) if key else _("no queries in this store")

    def show_all(self) -> None:
        """Take the filter away."""
        self.set_filter("")
        self.narrow("")

    def narrow(self, text: str) -> None:
        """Show the queries that the filter takes."""
        self.list.narrow(QueryFilter.parse(text))
        self.grid.empty = _("no query matches the filter; escape shows all") if text else self.no_queries
        self.grid.set_source(self.list.source())
        self.say_counts()

    def replace(self, rows: Sequence[QueryRow]) -> None:
        """Rows after an edit; only these are drawn anew."""
        if self.list.replace(rows, self.qi):
            self.grid.set_source(self.list.source())
        elif len(rows) > _MANY:
            self.grid.refresh_rows()
        else:
            for row in rows:
                self.grid.refresh_row(row.qi)
        if self.list.filter:
            self.say_counts()

    def forget_stages(self, qis: Iterable[int]) -> None:
        """Show ``…`` for queries whose stage is being worked out."""
        if self.list.forget_stages(qis):
            self.grid.refresh_rows()

    def say_counts(self) -> None:
        """How many there are, and how many the filter takes."""
        self.show_title([Piece(self.list.counts(), "changed" if self.list.filter else "dim")])

    def step(self, direction: int) -> None:
        """To the next or previous query, wherever the focus is."""
        self.grid.move_cursor(self.grid.cursor_row + direction)

    def copy_text(self) -> str | None:
        """What ``y`` copies: id and text of the query."""
        return None if self.qi is None else f"{self.row(self.qi).query_id}\t{self.row(self.qi).text}"

    def copy_json(self) -> str | None:
        """What ``Y`` copies: the row."""
        if self.qi is None:
            return None
        row = self.row(self.qi)
        return json.dumps({"query_id": row.query_id, "text": row.text, "principal": row.principal})

    def export_tables(self) -> Sequence[Table]:
        """The queries that are shown."""
        return [self.table("queries")]
