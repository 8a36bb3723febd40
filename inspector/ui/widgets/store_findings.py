"""The findings of lint as a table: code, severity, place, what is wrong, what to do (DESIGN 11; SCREENS Store)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

from inspector.i18n import N_, _
from inspector.store.lint import CODES, SEVERITIES, Finding
from inspector.text import fold
from inspector.ui.panes import Table
from inspector.ui.veil import visible
from inspector.ui.widgets.cells import Cell, Column, Piece, RowList
from inspector.ui.widgets.panes import TablePane
from inspector.ui.widgets.store_about import SEVERITY_SIGNS
from inspector.ui.widgets.why import short_origin

COLUMNS = (
    Column("severity", "", 1),
    Column("code", "code", 20, 11, frozen=True),
    Column("record", "record", 16, 8, flex=1),
    Column("place", "place", 18, 8, flex=1, help="file and line"),
    Column("words", "what is wrong", 24, 12, flex=5),
    Column("do", "what to do", 24, 8, flex=4),
)


def finding_cells(finding: Finding) -> Sequence[Cell]:
    """The cells of a finding's row, in the order of :data:`COLUMNS`."""
    sign, style = SEVERITY_SIGNS[finding.severity]
    return (
        Piece(sign, style),
        Piece(finding.code, style),
        finding.record or Piece("–", "dim"),
        Piece(short_origin(str(finding.origin)), "dim"),
        finding.words,
        Piece(finding.do, "dim"),
    )


class FindingsPane(TablePane):
    """Every finding, the worst first."""

    PANE: ClassVar[str] = "Findings"
    PLACEHOLDER: ClassVar[str] = N_("words in code, record or what is wrong")
    HELP = (
        "✗ error, ! warning, i info. Enter shows all records of the finding's code, the cursor on its own; v narrows "
        "to one code after the other, R lints again."
    )

    def __init__(self, *, id: str) -> None:
        super().__init__(COLUMNS, markable=False, column_cursor=False, empty=_("not linted yet"), id=id)
        self._findings: Sequence[Finding] | None = None
        self._shown: list[Finding] = []
        self.code: str | None = None
        self._said = ""

    @property
    def current(self) -> Finding | None:
        """The finding under the cursor."""
        row = self.grid.cursor_row
        return self._shown[row] if row < len(self._shown) else None

    def fill(self, findings: Sequence[Finding] | None, said: str = "") -> None:
        """Take the findings of a lint, or None while there is none; ``said`` stands in the title."""
        self._findings = findings
        self._said = said
        if self.code is not None and not any(one.code == self.code for one in findings or ()):
            self.code = None
        self.narrow(self.filter_text)

    def narrow(self, text: str) -> None:
        """Show the findings that hold the words."""
        words = [fold(word) for word in text.split()]
        rows = [one for one in self._findings or () if self.code is None or one.code == self.code]
        if words:
            rows = [one for one in rows if _holds(one, words)]
        self._shown = rows
        if self._findings is None:
            self.grid.empty = self._said or _("not linted yet")
        else:
            self.grid.empty = (
                _("no finding passes; escape shows all") if self._findings else _("lint finds nothing to say")
            )
        self.grid.set_source(RowList(rows, lambda one: one.order, finding_cells))
        self.say_counts()
        self.post_message(self.Highlighted(self))

    def say_counts(self) -> None:
        """How many of each severity, and what they are narrowed to."""
        if self._findings is None:
            self.show_title([Piece(self._said, "dim")])
            return
        counts = Counter(one.severity for one in self._findings)
        pieces = [Piece(f"{len(self._findings):,}")]
        for severity in SEVERITIES:
            sign, style = SEVERITY_SIGNS[severity]
            pieces.append(Piece(f"  {sign} {counts[severity]:,}", style if counts[severity] else "dim"))
        if self.code is not None:
            pieces.append(Piece(f"  {self.code}: {_(CODES[self.code].means)}", "changed"))
        if len(self._shown) != len(self._findings):
            pieces.append(Piece(_("  showing {count:,}").format(count=len(self._shown)), "changed"))
        if self._said:
            pieces.append(Piece(f"  {visible(self._said)}", "warn"))
        self.show_title(pieces)

    def next_code(self) -> None:
        """Narrow to the next code that has findings; after the last one all are shown."""
        codes: list[str | None] = [None, *dict.fromkeys(one.code for one in self._findings or ())]
        at = codes.index(self.code) if self.code in codes else 0
        self.code = codes[(at + 1) % len(codes)]
        self.narrow(self.filter_text)

    def go_back(self) -> bool:
        """Escape takes the filter away, then the code."""
        if super().go_back():
            return True
        if self.code is not None:
            self.code = None
            self.narrow(self.filter_text)
            return True
        return False

    def copy_text(self) -> str | None:
        """What ``y`` copies: the finding as a line."""
        one = self.current
        return None if one is None else f"{one.origin}: {one.record}: {one.code}: {one.words}: {one.do}"

    def copy_json(self) -> str | None:
        """What ``Y`` copies: the finding as an object."""
        one = self.current
        if one is None:
            return None
        place = {"file": one.origin.file, "line": one.origin.line}
        return json.dumps(
            {
                "code": one.code,
                "severity": one.severity,
                **place,
                "record": one.record,
                "wrong": one.words,
                "do": one.do,
            }
        )

    def export_tables(self) -> Sequence[Table]:
        """The findings that are shown."""
        return [self.table("findings")]


def _holds(finding: Finding, words: Sequence[str]) -> bool:
    hay = fold(f"{finding.code}\n{finding.severity}\n{finding.record}\n{finding.words}\n{finding.origin}")
    return all(word in hay for word in words)
