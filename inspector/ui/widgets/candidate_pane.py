"""The region of candidates: the table, its order and filters, marks, and the candidate under the cursor (SCREENS)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import ClassVar

from textual import on

from inspector.i18n import N_, _
from inspector.trit import Trit
from inspector.ui.panes import Table
from inspector.ui.widgets.candidates import AXIS_COLUMNS, COLUMNS, OPTIONAL, CandidateList
from inspector.ui.widgets.cells import Piece
from inspector.ui.widgets.grid import Grid
from inspector.ui.widgets.panes import TablePane
from inspector.views import Candidate

#: Columns that a narrow table leaves out, with the width of the table under which it does.
_LEFT_OUT = {"relevance": 84}
#: Under this width the decision's numbers stand last, behind the text, and its action is told by its sign alone.
_TERSE = 100
_LAST = ("C", "alpha")


class CandidatePane(TablePane):
    """The candidates of the selected query; the cursor stays on the memory when the order changes."""

    PANE: ClassVar[str] = "Candidates"
    PLACEHOLDER: ClassVar[str] = N_("words in id, owner or text")
    HELP = (
        "S scope, P policy, L lifecycle, R relevance, U usable: 1 true, 0 false, ? unknown. 1, 0 and . judge the "
        "axis under the column cursor, - takes the judgment away. ✎ edited, old→new changed by an edit. Trail: S "
        "stored, R retrieved, V verified, E exposed, D disclosed; · did not happen, ! should not have. Gate: ◆ "
        "decides, ✓ pass, ✗ fail, ! warn, – skip, ↑ made stricter, then the final action; enter there shows why. "
        "S×T is session × semantic tag, K exact key, path what brought the memory: session_tag, exact_key, or the "
        "window, keyword and review of degraded recall. C, α and action are the decision layer's: ● Active ◑ Supp "
        "◔ Silent ○ Opt-Out, ◥ high risk and relevance. "
        "space marks: what you do is then done to all marked memories."
    )

    def __init__(self, *, id: str) -> None:
        super().__init__(COLUMNS, markable=True, column_cursor=True, empty=_("no candidates"), id=id)
        self.list = CandidateList()
        self._qi: int | None = None
        self._optional: frozenset[str] = frozenset()

    def show_optional(self, columns: frozenset[str]) -> None:
        """Show these of the columns that stand only where there is something to say in them."""
        if columns != self._optional:
            self._optional = columns
            self._choose_columns()

    def on_resize(self) -> None:
        """Leave out what does not fit."""
        self._choose_columns()

    def _choose_columns(self) -> None:
        width = self.size.width
        columns = [
            column
            for column in COLUMNS
            if width >= _LEFT_OUT.get(column.key, 0) and (column.key not in OPTIONAL or column.key in self._optional)
        ]
        if width < _TERSE:
            columns.sort(key=lambda column: column.key in _LAST)
            columns = [replace(one, label="act", width=3, least=3) if one.key == "action" else one for one in columns]
        if columns != list(self.grid.columns):
            self.list.columns = [column.key for column in columns]
            self.list.terse = width < _TERSE
            self.grid.set_columns(columns)

    @property
    def current(self) -> Candidate | None:
        """The candidate under the cursor."""
        key = self.grid.cursor_key
        return self.list.find(key) if isinstance(key, int) else None

    def chosen(self) -> list[int]:
        """The memories that an action is meant for: those marked, else the one under the cursor."""
        return [key for key in self.grid.chosen() if isinstance(key, int)]

    @property
    def axis(self) -> str | None:
        """The axis under the column cursor that a judgment can set."""
        column = self.grid.cursor_column
        return column if column in AXIS_COLUMNS else None

    def fill(self, qi: int | None, rows: Iterable[Candidate], *, cursor: int | None = None) -> None:
        """Take the candidates of a query, or those of the same query after an edit: then cursor and marks stay."""
        same = qi == self._qi
        self._qi = qi
        self.list.fill(rows)
        if not same and cursor is None and self.list.shown:
            cursor = self.list.shown[0].mi
        self._arranged(cursor=cursor, keep_marks=same)

    def show_memory(self, mi: int) -> None:
        """Put the cursor on a memory; a filter that hides it is taken away."""
        if self.grid.source.find(mi) is None and self.list.find(mi) is not None:
            self.list.verdict = None
            self.list.words = ""
            self.set_filter("")
            self.list.arrange()
        self._arranged(cursor=mi)

    def narrow(self, text: str) -> None:
        """Show the candidates that hold the words."""
        self.list.words = text
        self.list.arrange()
        self._arranged()

    def next_verdict(self) -> None:
        """Filter by the next verdict."""
        self.list.next_verdict()
        self._arranged()

    def sort(self, column: str | None = None) -> None:
        """Order by a column, default the one under the cursor."""
        self.list.sort_by(column or self.grid.cursor_column)
        self._arranged()

    def reverse(self) -> None:
        """Turn the order round."""
        self.list.reverse()
        self._arranged()

    def _arranged(self, *, cursor: int | None = None, keep_marks: bool = True) -> None:
        self.grid.empty = self._empty()
        self.grid.set_source(self.list.source(), cursor=cursor, keep_marks=keep_marks)
        order = self.list.order
        self.grid.set_sort(order[0] if order else None, reverse=order[1] if order else False)
        self.say_counts()

    def _empty(self) -> str:
        if self.list.rows:
            return _("no candidate passes the filter; v shows the next verdict, escape shows all")
        if self._qi is None:
            return _("no query selected")
        return _("this query has no candidates on this route; w asks about any memory, r chooses another route")

    def say_counts(self) -> None:
        """How many are shown of each verdict, and how many are marked."""
        pieces = self.list.counts() if self._qi is not None else []
        if marks := len(self.grid.marks):
            pieces.append(Piece(_("  ● {marks} marked").format(marks=marks), "strong"))
        self.show_title(pieces)

    def go_back(self) -> bool:
        """Escape takes the filters away, one after the other."""
        if super().go_back():
            return True
        if self.list.verdict is not None:
            self.list.verdict = None
            self.list.arrange()
            self._arranged()
            return True
        return False

    @on(Grid.HeaderClicked)
    def _header(self, event: Grid.HeaderClicked) -> None:
        event.stop()
        if self.list.order is not None and self.list.order[0] == event.column:
            self.reverse()
        else:
            self.sort(event.column)

    def copy_text(self) -> str | None:
        """What ``y`` copies: ids and texts of the chosen memories."""
        rows = [row for mi in self.chosen() if (row := self.list.find(mi)) is not None]
        return "\n".join(f"{row.memory_id}\t{row.text}" for row in rows) or None

    def copy_json(self) -> str | None:
        """What ``Y`` copies: the chosen rows."""
        rows = [row for mi in self.chosen() if (row := self.list.find(mi)) is not None]
        return "\n".join(json.dumps(_as_json(row)) for row in rows) or None

    def export_tables(self) -> Sequence[Table]:
        """The candidates that are shown."""
        return [self.table("candidates")]


def _as_json(row: Candidate) -> dict[str, object]:
    def trit(value: Trit) -> object:
        return value.json

    return {
        "memory_id": row.memory_id,
        "namespace": row.namespace,
        "rank": row.rank or None,
        "score": row.score,
        "path": row.path or None,
        "session_tag": None if row.pair is None else row.pair.json(),
        "scope": trit(row.scope),
        "policy": trit(row.policy),
        "lifecycle": trit(row.lifecycle),
        "admissible": trit(row.admissible),
        "relevance": trit(row.relevance),
        "usable": trit(row.usable),
        "mdl": None if row.mdl is None else dict(row.mdl.json()),
        "text": row.text,
    }
