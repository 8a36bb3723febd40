"""The coverage map as a 2×2 with counts and protection level; a cell's records are one key away (DESIGN 7; SCREENS)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from inspector.gate.coverage import Protection
from inspector.i18n import N_, _, ngettext
from inspector.survey import MARKS, CellCounts
from inspector.ui.actions import bindings
from inspector.ui.widgets.cells import Piece, fit
from inspector.ui.widgets.signs import content

_LABEL = 9
_GAP = 1
#: Lines of a box, its two borders included.
_BOX = 6
#: The marks that every cell counts, so that the map stays honest.
_COUNTED = MARKS[:2]
#: Rows and columns of the map: governs absent and present, authority absent and present.
GRID: tuple[tuple[Protection, Protection], ...] = (
    (Protection.NONE, Protection.RETRIEVAL_ONLY),
    (Protection.GATE_RESCUES, Protection.FULL_CHAIN),
)
WORDS: Mapping[Protection, str] = {
    Protection.NONE: N_("nothing stops a wrong action"),
    Protection.RETRIEVAL_ONLY: N_("strict when retrieved; no gate"),
    Protection.GATE_RESCUES: N_("only the gate can stop it"),
    Protection.FULL_CHAIN: N_("declared and gated"),
}


class CoverageMapView(Widget, can_focus=True):
    """Four boxes; the arrow keys go from one to the other, enter shows the records of the one under the cursor."""

    PANE = "Coverage map"
    HELP = (
        "Governs says what a memory has jurisdiction over, authority says that its action is strict. With neither, "
        "nothing stops a wrong action. Declared but not enforced: it carries authority, yet row 7 of the action table "
        "decides. Gate cannot fire: governs states no action type, or read only. Enter shows a cell's records."
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings("map", footer=False)
    DEFAULT_CSS = f"CoverageMapView {{ height: {2 * _BOX + 1}; width: 1fr; padding: 0 1; }}"

    class Moved(Message):
        """The cursor came to another cell."""

        def __init__(self, protection: Protection) -> None:
            super().__init__()
            self.protection = protection

    class Chosen(Message):
        """The records of a cell are asked for."""

        def __init__(self, protection: Protection) -> None:
            super().__init__()
            self.protection = protection

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._counts: dict[Protection, CellCounts] = {}
        self._total = 0
        self._complete = True
        self._at = (0, 0)

    def show(self, counts: Sequence[CellCounts], *, complete: bool) -> None:
        """Show the counts; without ``complete`` they are of the records surveyed so far, and say so."""
        self._counts = {each.protection: each for each in counts}
        self._total = sum(each.records for each in counts)
        self._complete = complete
        self.refresh()

    @property
    def protection(self) -> Protection:
        """The cell under the cursor."""
        return GRID[self._at[0]][self._at[1]]

    def render(self) -> Content:
        """The map."""
        room = max(20, self.content_size.width)
        box = (room - _LABEL - _GAP) // 2
        heads = [*fit([Piece(_("authority absent"), "heading")], box), Piece(" " * _GAP)]
        lines = [[Piece(" " * _LABEL), *heads, *fit([Piece(_("authority present"), "heading")], box)]]
        for row, cells in enumerate(GRID):
            boxes = [self._box(cell, box, (row, column) == self._at) for column, cell in enumerate(cells)]
            for number in range(_BOX):
                label = ("governs", _("present") if row else _("absent"))[number - 1] if number in (1, 2) else ""
                line = [*fit([Piece(label, "heading")], _LABEL), *boxes[0][number], Piece(" " * _GAP)]
                lines.append([*line, *boxes[1][number]])
        return Content("\n").join(content(line) for line in lines)

    def _box(self, cell: Protection, width: int, here: bool) -> list[list[Piece]]:
        counts = self._counts.get(cell)
        records = 0 if counts is None else counts.records
        share = f"  {records / self._total:.0%}" if self._total else ""
        # The place of the cursor is told by the shape of the box, not by colour alone.
        top, side, bottom = (
            (("┏━┓", "┃", "┗━┛") if self.has_focus else ("╔═╗", "║", "╚═╝")) if here else ("╭─╮", "│", "╰─╯")
        )
        style = "changed" if here and self.has_focus else "dim"
        so_far = "" if self._complete else _("  so far")
        title = f" {_(cell.value)} "
        inner = width - 4
        body = [
            [
                Piece(
                    ngettext("{records:,} memory", "{records:,} memories", records).format(records=records), "strong"
                ),
                Piece(share + so_far, "dim"),
            ],
            [Piece(_(WORDS[cell]), "dim")],
        ]
        for mark in _COUNTED:
            number = 0 if counts is None else counts.marks[mark]
            body.append([Piece(f"{number:,} {_(mark)}", "warn" if number else "dim")])
        rest = max(0, width - 3 - cell_len(title))
        made = [
            [
                Piece(top[0] + top[1], style),
                *fit([Piece(title, "strong")], cell_len(title)),
                Piece(top[1] * rest + top[2], style),
            ]
        ]
        made += [[Piece(f"{side} ", style), *fit(line, inner), Piece(f" {side}", style)] for line in body]
        made.append([Piece(bottom[0] + bottom[1] * (width - 2) + bottom[2], style)])
        return made

    def _go(self, row: int, column: int) -> None:
        if (row, column) != self._at:
            self._at = (row, column)
            self.refresh()
            self.post_message(self.Moved(self.protection))

    def action_up(self) -> None:
        """To the row above."""
        self._go(0, self._at[1])

    def action_down(self) -> None:
        """To the row below; from the last one to what stands under the map."""
        if self._at[0] == 1:
            self.screen.focus_next()
        else:
            self._go(1, self._at[1])

    def action_left(self) -> None:
        """To the column on the left."""
        self._go(self._at[0], 0)

    def action_right(self) -> None:
        """To the column on the right."""
        self._go(self._at[0], 1)

    def action_choose(self) -> None:
        """Show the records of the cell."""
        self.post_message(self.Chosen(self.protection))

    def on_focus(self) -> None:
        """Show the cursor, and its cell's records."""
        self.refresh()
        self.post_message(self.Moved(self.protection))

    def on_blur(self) -> None:
        """Hide the cursor."""
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """A click goes to a cell, a second one shows its records."""
        offset = event.get_content_offset(self)
        if offset is None or offset.y < 1 or offset.x < _LABEL:
            return
        box = (self.content_size.width - _LABEL - _GAP) // 2
        place = (min(1, (offset.y - 1) // _BOX), min(1, (offset.x - _LABEL) // max(1, box + _GAP)))
        again = place == self._at and event.chain > 1
        self._go(*place)
        if again:
            self.action_choose()

    def copy_text(self) -> str:
        """What ``y`` copies: the map as numbers."""
        lines = []
        for row in GRID:
            for cell in row:
                counts = self._counts.get(cell)
                if counts is not None:
                    marks = ", ".join(f"{counts.marks[mark]} {mark}" for mark in _COUNTED)
                    lines.append(f"{cell.value}\t{counts.records}\t{marks}")
        return "\n".join(lines)
