"""A session replayed: its queries in time, and a lane of boundary states for each memory (DESIGN 9; SCREENS Store)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from inspector.i18n import N_, _, ngettext
from inspector.store.degraded import Degraded
from inspector.store.replay import Lane, Replay, Tick
from inspector.store.timeline import Segment
from inspector.text import counted
from inspector.times import Instant
from inspector.ui.panes import Table
from inspector.ui.veil import visible
from inspector.ui.widgets.cells import Cell, Column, Piece, RowList, fit
from inspector.ui.widgets.panes import TablePane

#: The sign of each state and how it goes on; None is a state in doubt. A letter says it first, colour repeats it.
SIGNS: Mapping[str | None, tuple[str, str, str]] = {
    "active": ("A", "━", "yes"),
    "archived": ("R", "┄", "unknown"),
    "forgotten": ("F", "·", "no"),
    "quarantined": ("Q", "▒", "warn"),
    None: ("?", "?", "unknown"),
}
LEGEND = N_("A active  R archived  F forgotten  Q quarantined  ? in doubt  ▾ the task changes  ╵ a query")
_MOST_WIDE, _LEAST_WIDE = 8, 2
#: Rows above the lanes: the queries, and the tag that each switch enters.
_TICKS, _TAGS = "ticks", "tags"
Row = Lane | str


class LanesPane(TablePane):
    """One session at a time; the table's rows are its queries, the tags, and then the lanes."""

    PANE: ClassVar[str] = "Lanes"
    PLACEHOLDER: ClassVar[str] = N_("words in memory id or text")
    HELP = (
        f"{LEGEND}. "
        "A replay takes the session's queries in time order: where the tag changes, memories of the left tag are "
        "archived and those of the entered tag are active. It changes nothing until K makes its marks edits; n "
        "and p go to the next session and the one before. M moves the memory under the cursor, or all marked ones. "
        "Where a query has no tags to go by recall is degraded: the window of the session's last memories, the "
        "keywords and the sample for review stand below."
    )

    def __init__(self, *, id: str) -> None:
        super().__init__((), markable=True, column_cursor=False, empty="", id=id)
        self.run: Replay | None = None
        #: Degraded recall of the session's queries that have no tags to go by, by the query's index.
        self.degraded: Mapping[int, Degraded] = {}
        self._where = ""
        self._instants: list[Instant] = []
        self._wide = _LEAST_WIDE

    @property
    def lane(self) -> Lane | None:
        """The lane under the cursor."""
        key = self.grid.cursor_key
        return next((lane for lane in self.run.lanes if lane.index == key), None) if self.run is not None else None

    def chosen(self) -> list[int]:
        """The memories that an action is meant for: those of the marked lanes, else of the one under the cursor."""
        return [key for key in self.grid.chosen() if isinstance(key, int)]

    def say(self, words: str) -> None:
        """Show nothing but why there is nothing, or that it is being made."""
        self.run = None
        self.grid.empty = words
        self.grid.set_source(RowList[Row]((), self._key, self._cells))
        self.show_title([])
        self.post_message(self.Highlighted(self))

    def fill(self, run: Replay, place: str, degraded: Mapping[int, Degraded]) -> None:
        """Show a replay; ``place`` says which session of how many."""
        self.run, self._where, self.degraded = run, place, degraded
        self._instants = _events(run)
        self._arrange()

    def narrow(self, text: str) -> None:  # noqa: ARG002
        """Show the lanes that hold the words."""
        if self.run is not None:
            self._arrange()

    def _arrange(self) -> None:
        run = self.run
        if run is None:
            return
        words = self.filter_text.casefold().split()
        lanes = [lane for lane in run.lanes if all(word in _hay(lane) for word in words)]
        room = max(20, self.size.width - 34)
        self._wide = max(_LEAST_WIDE, min(_MOST_WIDE, room // max(1, len(self._instants))))
        self.grid.set_columns(
            (
                Column("memory", "memory", 16, 8, frozen=True),
                Column("now", "at the end", 11, 6),
                Column("lane", _span(self._instants), max(20, self._wide * len(self._instants)), flex=1),
            )
        )
        rows: list[Row] = [_TICKS, _TAGS, *lanes] if run.ticks or lanes else []
        self.grid.empty = _("no lane passes; escape shows all")
        self.grid.set_source(RowList(rows, self._key, self._cells), keep_marks=True)
        moved = len(run.logs)
        pieces = [
            Piece(visible(self._where)),
            Piece(f"  {counted(len(run.ticks), 'query', 'queries')}, {counted(len(run.lanes), 'memory', 'memories')}"),
        ]
        if len(lanes) != len(run.lanes):
            pieces.append(Piece(_("  showing {count:,}").format(count=len(lanes)), "changed"))
        switches = sum(tick.switches for tick in run.ticks)
        moves = ngettext("{switches} moves", "{switches} move", switches).format(
            switches=counted(switches, "switch", "switches")
        )
        pieces.append(Piece(f"  {moves} {counted(moved, 'memory', 'memories')}", "strong" if moved else "dim"))
        if self.degraded:
            pieces.append(
                Piece(
                    _("  degraded: {count:,} of {counted}").format(
                        count=len(self.degraded), counted=counted(len(run.ticks), "query", "queries")
                    ),
                    "warn",
                )
            )
        self.show_title(pieces)
        self.post_message(self.Highlighted(self))

    def on_resize(self) -> None:
        """Use the room there is."""
        self._arrange()

    def _key(self, row: Row) -> int | str:
        return row if isinstance(row, str) else row.index

    def _cells(self, row: Row) -> Sequence[Cell]:
        run = self.run
        if run is None:
            return ()
        if row == _TICKS:
            return (Piece(_("queries"), "dim"), "", self._ticks(run.ticks))
        if row == _TAGS:
            return (Piece(_("tag"), "dim"), "", self._tags(run.ticks))
        if isinstance(row, str):
            return ()
        last = row.segments[-1] if row.segments else None
        state = None if last is None else last.state
        return (row.memory.id, Piece(state or _("? in doubt"), SIGNS[state][2]), self._bar(row))

    def _ticks(self, ticks: Sequence[Tick]) -> list[Piece]:
        """A sign over each event at which a query was asked."""
        asked = {tick.at.us: tick.switches for tick in ticks}
        asked |= {tick.at.us: True for tick in ticks if tick.switches}
        signs = (" " if event.us not in asked else "▾" if asked[event.us] else "╵" for event in self._instants)
        return [Piece("".join(sign.ljust(self._wide) for sign in signs), "strong")]

    def _tags(self, ticks: Sequence[Tick]) -> list[Piece]:
        """The tag that each switch enters, as far as there is room before the next."""
        place = {event.us: number for number, event in enumerate(self._instants)}
        switches = [(place[tick.at.us], tick.entered or "") for tick in ticks if tick.switches]
        pieces: list[Piece] = []
        for number, (start, tag) in enumerate(switches):
            if not number:
                pieces.append(Piece(" " * start * self._wide))
            end = switches[number + 1][0] if number + 1 < len(switches) else len(self._instants)
            shown = fit([Piece(visible(tag))], max(0, (end - start) * self._wide - 1))
            pieces += [*(Piece(piece.text, "link") for piece in shown), Piece(" " if end > start else "")]
        return pieces

    def _bar(self, lane: Lane) -> list[Piece]:
        """The lane: at each event its state, with a letter where a stretch begins."""
        pieces: list[Piece] = []
        before: Segment | None = None
        for event in self._instants:
            now = lane.at(event)
            if now is None:
                pieces.append(Piece(" " * self._wide))
                continue
            letter, line, style = SIGNS[now.state]
            pieces.append(Piece((letter if now is not before else line) + line * (self._wide - 1), style))
            before = now
        return pieces

    def copy_text(self) -> str | None:
        """What ``y`` copies: the lane's stretches."""
        lane = self.lane
        if lane is None:
            return None
        return "\n".join(
            f"{lane.memory.id}\t{one.state or '?'}\t{when(one.start)}\t{one.cause}" for one in lane.segments
        )

    def export_tables(self) -> Sequence[Table]:
        """Every stretch of every lane."""
        run = self.run
        if run is None:
            return []
        columns = ("memory", "state", "from", "cause", "query", "source")
        rows = (
            (lane.memory.id, one.state or "?", when(one.start), one.cause, one.query_id or "", one.source)
            for lane in run.lanes
            for one in lane.segments
        )
        return [Table("lanes", columns, rows)]


def _hay(lane: Lane) -> str:
    return f"{lane.memory.id}\n{lane.memory.text}".casefold()


def when(instant: Instant | None) -> str:
    """An instant as it is written; "" where there is none."""
    return "" if instant is None else instant.iso()


def _events(run: Replay) -> list[Instant]:
    """The instants at which anything happens in the replay, in order."""
    found = {tick.at.us: tick.at for tick in run.ticks}
    for lane in run.lanes:
        for segment in lane.segments:
            if segment.start is not None:
                found.setdefault(segment.start.us, segment.start)
    return [found[us] for us in sorted(found)]


def _span(events: Sequence[Instant]) -> str:
    if not events:
        return _("no time is known")
    return _("{iso} → {iso2}, in order, not to scale").format(iso=events[0].iso(), iso2=events[-1].iso())
