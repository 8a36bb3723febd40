"""The candidates of one query: rows, order and filter; the table that shows them is a Grid (SCREENS Inspect)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from inspector.i18n import _, ngettext
from inspector.text import fold
from inspector.trit import Trit
from inspector.ui.veil import visible
from inspector.ui.widgets.cells import Cell, Column, Ending, Piece, RowList
from inspector.ui.widgets.gate_signs import gate_cell, gate_order
from inspector.ui.widgets.mdl_signs import action_cell, decision_order, value_cell
from inspector.ui.widgets.signs import EDITED, pair_cell, score, trail_cell, trit, trit_cell, verdict_cell
from inspector.views import VERDICT_SIGNS, VERDICT_WORDS, Candidate

#: What the paths of degraded recall begin with.
DEGRADED = "degraded: "
#: Columns that stand only where the store or the route has something to say in them.
OPTIONAL = frozenset(("pair", "key", "path"))
#: Columns whose trit a judgment can set, with the judgment's axis.
AXIS_COLUMNS = ("scope", "policy", "lifecycle", "relevance")
COLUMNS = (
    Column("rank", "#", 3, 2, align="right", frozen=True, help="rank; – was not retrieved"),
    Column("id", "memory", 16, 10, flex=1, frozen=True, help="memory id; ✎ has edits"),
    Column("owner", "owner", 12, 7, flex=1, help="namespace or namespaces"),
    Column("score", "score", 6, align="right"),
    Column("path", "path", 11, help="the path that brought it: session_tag, exact_key, degraded: window …"),
    Column("scope", "S", 3, help="scope: whose is it"),
    Column("policy", "P", 3, help="policy: may it be used for this"),
    Column("lifecycle", "L", 3, help="lifecycle: does its state fit the intent"),
    Column("pair", "S×T", 3, help="session × semantic tag: each 1, 0 or ?, whatever the scope axis goes by"),
    Column("key", "K", 1, help="exact key: whether it has every key that the query names"),
    Column("verdict", "verdict", 14, 12, help="scope AND policy AND lifecycle"),
    Column("relevance", "R", 3, help="relevance: judgment, required evidence, semantic tag"),
    Column("usable", "U", 3, help="usable: relevance AND admissible"),
    Column("C", "C", 4, align="right", help="MDL confidence C, of the memory's own M with the query's R and A"),
    Column("alpha", "α", 4, align="right", help="MDL alignment α of the relevance with the whole"),
    Column("action", "action", 11, 9, help="MDL: ● Active ◑ Supp ◔ Silent ○ Opt-Out; ◥ high risk and high relevance"),
    Column("gate", "gate", 16, 9, help="gate: ◆ decides; ✓ pass ✗ fail ! warn – skip; ↑ made stricter; final action"),
    Column("trail", "trail", 5, 5, help="Stored Retrieved Verified Exposed Disclosed"),
    Column("text", "text", 12, 3, flex=8),
)
_ALL = tuple(column.key for column in COLUMNS)
#: Characters of an id that are seen even in its narrowest column, with the mark of an edit and the sign of the cut.
_SEEN = COLUMNS[1].least - 2
VERDICT_FILTERS: tuple[Trit | None, ...] = (None, Trit.YES, Trit.NO, Trit.UNKNOWN)


def candidate_cells(
    row: Candidate, columns: Sequence[str] = _ALL, *, terse: bool = False, alike: bool = False
) -> Sequence[Cell]:
    """The cells of a candidate's row for the ``columns``, in their order; ``terse`` ones leave words to their sign.

    ``alike`` says that another id beside this one begins with the same characters: its end must be seen.
    """
    before = row.before
    shown_id = Ending(row.memory_id) if alike else Piece(row.memory_id)

    def axis(name: str, value: Trit) -> list[Piece]:
        return trit_cell(value, before.get(name), edited=name in row.edited)

    cells: tuple[Cell, ...] = (
        str(row.rank) if row.rank else "–",
        # Judgments belong to the pair and stand at their axes; the mark here says that the memory itself has edits.
        [Piece(EDITED, "edited"), shown_id] if row.edited.difference(AXIS_COLUMNS) else shown_id,
        _owner(row),
        Piece(score(row.score), "dim" if row.score is None or math.isnan(row.score) else ""),
        _path(row.path),
        axis("scope", row.scope),
        axis("policy", row.policy),
        axis("lifecycle", row.lifecycle),
        pair_cell(row.pair),
        Piece("–", "dim") if row.pair is None else trit(row.pair.key),
        verdict_cell(row.admissible, before.get("admissible")),
        axis("relevance", row.relevance),
        axis("usable", row.usable),
        value_cell(row, "C"),
        value_cell(row, "alpha"),
        action_cell(row, terse=terse),
        gate_cell(row),
        trail_cell(row),
        [Piece(EDITED, "edited"), Piece(row.text)] if "text" in row.edited else row.text,
    )
    if columns is _ALL:
        return cells
    by_key = dict(zip(_ALL, cells, strict=True))
    return [by_key[key] for key in columns]


def _path(path: str) -> Cell:
    """``keyword`` for ``degraded: keyword``, marked: the table has little room, the trail says it in full."""
    word = path.removeprefix(DEGRADED)
    return Piece(word, "warn") if word != path else Piece(path or "–", "dim")


def _owner(row: Candidate) -> Cell:
    edited = {"namespace", "namespaces"} & row.edited
    shown = Piece(row.namespace) if row.namespace else Piece("∅", "dim")
    return [Piece(EDITED, "edited"), shown] if edited else shown


def _number(value: float | None) -> tuple[bool, float]:
    return (True, 0.0) if value is None or math.isnan(value) else (False, value)


#: What a column is ordered by: whether the value is missing (those stand last in either order), and the value.
_ORDERS: dict[str, Callable[[Candidate], tuple[bool, Any]]] = {
    "rank": lambda row: (row.rank == 0, row.rank),
    "id": lambda row: (False, row.memory_id),
    "owner": lambda row: (not row.namespace, row.namespace),
    "score": lambda row: _number(row.score),
    "scope": lambda row: (False, int(row.scope)),
    "policy": lambda row: (False, int(row.policy)),
    "lifecycle": lambda row: (False, int(row.lifecycle)),
    "pair": lambda row: (row.pair is None, row.pair is not None and (int(row.pair.both), int(row.pair.session))),
    "key": lambda row: (row.pair is None, row.pair is not None and int(row.pair.key)),
    "verdict": lambda row: (False, int(row.admissible)),
    "relevance": lambda row: (False, int(row.relevance)),
    "usable": lambda row: (False, int(row.usable)),
    "path": lambda row: (not row.path, row.path),
    "C": lambda row: decision_order(row, "C"),
    "alpha": lambda row: decision_order(row, "alpha"),
    "action": lambda row: decision_order(row, "C_final"),
    "gate": gate_order,
    "trail": lambda row: (False, "".join(piece.text for piece in trail_cell(row))),
    "text": lambda row: (False, row.text),
}


class CandidateList:
    """The candidates of the selected query, in the chosen order and through the filter.

    Rows that were asked for by "why not" stand after the retrieved ones, rank 0.
    """

    def __init__(self) -> None:
        self.rows: list[Candidate] = []
        self.shown: list[Candidate] = []
        self.orders: list[tuple[str, bool]] = []
        self.verdict: Trit | None = None
        self.words = ""
        #: Keys of the columns that the table shows, in their order, and whether there is little room for them.
        self.columns: Sequence[str] = _ALL
        self.terse = False
        #: Beginnings that several ids have: cut at their ends, these would read the same.
        self._shared: frozenset[str] = frozenset()

    def fill(self, rows: Iterable[Candidate]) -> None:
        """Take the rows of a query, or its rows after an edit."""
        self.rows = list(rows)
        heads = Counter(row.memory_id[:_SEEN] for row in self.rows)
        self._shared = frozenset(head for head, count in heads.items() if count > 1)
        self.arrange()

    def arrange(self) -> None:
        """Filter and order anew."""
        words = [fold(word) for word in self.words.split()]
        rows = [row for row in self.rows if self.verdict is None or row.admissible is self.verdict]
        if words:
            rows = [row for row in rows if _holds(row, words)]
        # The last chosen column is the first key: sorting is stable, so the earlier ones break its ties.
        for column, reverse in self.orders:
            order = _ORDERS[column]
            present = sorted((row for row in rows if not order(row)[0]), key=lambda row: order(row)[1], reverse=reverse)
            rows = present + [row for row in rows if order(row)[0]]
        self.shown = rows

    @property
    def order(self) -> tuple[str, bool] | None:
        """The column that orders first and whether downwards; None for rank order."""
        return self.orders[-1] if self.orders else None

    def sort_by(self, column: str) -> None:
        """Order by the column, the order of before breaking ties; the same column again goes back to rank order."""
        if column not in _ORDERS:
            return
        if self.order is not None and self.order[0] == column:
            self.orders = []
        else:
            self.orders = [each for each in self.orders if each[0] != column]
            # Scores, truth and the strictest action read best from the top.
            down = column in ("score", *AXIS_COLUMNS, "verdict", "usable", "C", "alpha", "action", "gate")
            self.orders.append((column, down))
        self.arrange()

    def reverse(self) -> None:
        """Turn the order round; rank order becomes rank from the last."""
        if self.orders:
            column, down = self.orders[-1]
            self.orders[-1] = (column, not down)
        else:
            self.orders = [("rank", True)]
        self.arrange()

    def next_verdict(self) -> None:
        """Filter by the next verdict: all, admit, exclude, unresolved."""
        at = VERDICT_FILTERS.index(self.verdict)
        self.verdict = VERDICT_FILTERS[(at + 1) % len(VERDICT_FILTERS)]
        self.arrange()

    def source(self) -> RowList[Candidate]:
        """The shown candidates as rows of a table, keyed by the memory."""
        return RowList(self.shown, lambda row: row.mi, self._cells)

    def _cells(self, row: Candidate) -> Sequence[Cell]:
        return candidate_cells(row, self.columns, terse=self.terse, alike=row.memory_id[:_SEEN] in self._shared)

    def find(self, mi: int | None) -> Candidate | None:
        """The row of a memory, shown or not."""
        return next((row for row in self.rows if row.mi == mi), None)

    def counts(self) -> list[Piece]:
        """``20 candidates: ✓ 3 ✗ 5 ? 12``, and what the filter leaves of them."""
        retrieved = [row for row in self.rows if row.rank]
        pieces = [
            Piece(ngettext("{count} candidate", "{count} candidates", len(retrieved)).format(count=len(retrieved)))
        ]
        for value, style in ((Trit.YES, "yes"), (Trit.NO, "no"), (Trit.UNKNOWN, "unknown")):
            number = sum(row.admissible is value for row in retrieved)
            pieces.append(Piece(f"  {VERDICT_SIGNS[value]} {number}", style if number else "dim"))
        if extra := len(self.rows) - len(retrieved):
            pieces.append(Piece(_("  + {extra} not retrieved").format(extra=extra), "warn"))
        if self.verdict is not None or self.words:
            what = [_(VERDICT_WORDS[self.verdict])] if self.verdict is not None else []
            what += [f"“{visible(self.words)}”"] if self.words else []
            pieces.append(
                Piece(
                    _("  showing {count} of {count2}: {what}").format(
                        count=len(self.shown), count2=len(self.rows), what=", ".join(what)
                    ),
                    "changed",
                )
            )
        return pieces


def _holds(row: Candidate, words: Sequence[str]) -> bool:
    hay = fold(f"{row.memory_id}\n{row.namespace}\n{row.text}")
    return all(word in hay for word in words)
