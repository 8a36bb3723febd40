"""The list of queries: filter by text, verdict, principal and stage, with counts that never lie (SCREENS Inspect)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from inspector.i18n import N_, _
from inspector.text import counted, fold
from inspector.ui.widgets.cells import Cell, Column, Piece, RowList
from inspector.ui.widgets.signs import EDITED, stage
from inspector.views import QueryRow

COLUMNS = (
    Column("stage", "", 3, help="failure stage, or what is known: ✓ clean, ✗ violation, ? unresolved, ! infeasible"),
    Column("id", "query", 9, 5, flex=1),
    Column("text", "text", 12, 8, flex=6),
    Column("admit", "✓", 3, 2, align="right", help="candidates admitted"),
    Column("exclude", "✗", 3, 2, align="right", help="candidates excluded"),
    Column("unresolved", "?", 3, 2, align="right", help="candidates unresolved"),
)
_FACETS = ("verdict", "principal", "stage", "is")
_VERDICTS: dict[str, Callable[[QueryRow], bool]] = {
    "admit": lambda row: row.admit > 0,
    "exclude": lambda row: row.exclude > 0,
    "unresolved": lambda row: row.unresolved > 0,
}
_VERDICT_SIGNS = {"✓": "admit", "✗": "exclude", "?": "unresolved"}
_FLAGS: dict[str, Callable[[QueryRow], bool]] = {
    "edited": lambda row: bool(row.edited),
    "changed": lambda row: row.changed,
    "unfiltered": lambda row: row.unfiltered,
    "mismatch": lambda row: row.session_mismatch,
    "evaluable": lambda row: row.figures.matched.evaluable,
    "infeasible": lambda row: row.figures.matched.feasible is False,
}


@dataclass(frozen=True, slots=True)
class QueryFilter:
    """What the list is narrowed to; an empty part narrows nothing.

    ``words`` must all occur in id or text, ``principals`` in the principal's id, ``stages`` in the stage's words;
    of ``verdicts`` one candidate at least must have each; ``flags`` are properties of the row.
    """

    HELP: ClassVar[str] = N_("words  verdict:admit|exclude|unresolved  principal:ID  stage:NAME  is:edited|changed|…")

    words: tuple[str, ...] = ()
    verdicts: tuple[str, ...] = ()
    principals: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> QueryFilter:
        """Read a typed filter: words and ``facet:value`` pairs; a facet's value may be cut short while typing.

        A pair with an unknown facet, or a verdict or flag that no known word begins with, is read as plain words, so
        that a text with a colon in it can be found.
        """
        found: dict[str, list[str]] = {"words": [], **{facet: [] for facet in _FACETS}}
        for part in text.split():
            facet, colon, value = part.partition(":")
            facet = facet.casefold()
            if not colon or facet not in _FACETS:
                found["words"].append(fold(part))
            elif facet in ("verdict", "is"):
                known = _VERDICTS if facet == "verdict" else _FLAGS
                value = _VERDICT_SIGNS.get(value, value.casefold())
                matching = next((word for word in known if value and word.startswith(value)), None)
                if matching:
                    found[facet].append(matching)
                elif value:
                    found["words"].append(fold(part))
            elif value:
                found[facet].append(fold(value))
        return cls(
            tuple(found["words"]),
            tuple(found["verdict"]),
            tuple(found["principal"]),
            tuple(found["stage"]),
            tuple(found["is"]),
        )

    def __bool__(self) -> bool:
        return any((self.words, self.verdicts, self.principals, self.stages, self.flags))

    @property
    def moves_with_edits(self) -> bool:
        """Whether an edit can move a query into or out of what is shown."""
        return any((self.verdicts, self.principals, self.stages, self.flags, self.words))

    def takes(self, row: QueryRow) -> bool:
        """Whether the row is shown."""
        if self.words:
            hay = fold(f"{row.query_id}\n{row.text}")
            if not all(word in hay for word in self.words):
                return False
        if self.principals:
            principal = fold(row.principal)
            if not all(part in principal for part in self.principals):
                return False
        if self.stages:
            words = fold(stage(row)[1])
            if not all(part in words for part in self.stages):
                return False
        return all(_VERDICTS[word](row) for word in self.verdicts) and all(_FLAGS[word](row) for word in self.flags)


def query_cells(row: QueryRow) -> Sequence[Cell]:
    """The cells of a query's row, in the order of :data:`COLUMNS`."""
    sign, _ = stage(row)
    marks = [sign]
    if row.changed:
        marks.append(Piece("→", "changed"))
    if row.edited:
        marks.append(Piece(EDITED, "edited"))
    elif row.unfiltered or row.session_mismatch:
        marks.append(Piece("!", "warn"))
    return (
        marks,
        row.query_id,
        row.text,
        Piece(str(row.admit), "yes" if row.admit else "dim"),
        Piece(str(row.exclude), "no" if row.exclude else "dim"),
        Piece(str(row.unresolved), "unknown" if row.unresolved else "dim"),
    )


class QueryList:
    """The rows of all queries and which of them are shown; rows are replaced one by one after an edit."""

    def __init__(self, rows: Iterable[QueryRow]) -> None:
        self.rows: list[QueryRow] = list(rows)
        self.filter = QueryFilter()
        self.shown: list[int] = list(range(len(self.rows)))

    def narrow(self, filter: QueryFilter) -> None:
        """Show only what the filter takes."""
        self.filter = filter
        self.shown = [row.qi for row in self.rows if not filter or filter.takes(row)]

    def replace(self, rows: Iterable[QueryRow], keep: int | None) -> bool:
        """Put new rows in place; the query ``keep`` stays shown. True where the set of shown queries changed."""
        changed = []
        for row in rows:
            self.rows[row.qi] = row
            changed.append(row.qi)
        if not self.filter or not changed:
            return False
        shown = set(self.shown)
        before = len(shown), sum(qi in shown for qi in changed)
        for qi in changed:
            if self.filter.takes(self.rows[qi]) or qi == keep:
                shown.add(qi)
            else:
                shown.discard(qi)
        if (len(shown), sum(qi in shown for qi in changed)) == before and shown == set(self.shown):
            return False
        self.shown = sorted(shown)
        return True

    def forget_stages(self, qis: Iterable[int]) -> bool:
        """The stages of some queries are worked out anew: what was known of them holds no more. False where none was
        known."""
        known = [qi for qi in qis if self.rows[qi].stage is not None]
        for qi in known:
            self.rows[qi] = replace(self.rows[qi], stage=None, stages=(), proof=(), short_term=False)
        return bool(known)

    def source(self) -> RowList[int]:
        """The shown queries as rows of a table, keyed by their index."""
        return RowList(self.shown, lambda qi: qi, lambda qi: query_cells(self.rows[qi]))

    def counts(self) -> str:
        """``569 queries``, or ``showing 12 of 569``."""
        total = len(self.rows)
        if not self.filter:
            return counted(total, "query", "queries")
        return _("showing {count:,} of {total:,}").format(count=len(self.shown), total=total)
