"""The views of the *Store* screen beside the records: coverage map, findings, lanes (SCREENS Store)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from textual import on
from textual.widgets import Static

from inspector.i18n import _
from inspector.store.degraded import Degraded
from inspector.store.replay import Replay, sessions
from inspector.ui.messages import guarded
from inspector.ui.screens.store_base import StoreState
from inspector.ui.screens.store_work import StoreWorking
from inspector.ui.widgets.cells import Column, Piece
from inspector.ui.widgets.grid import Grid
from inspector.ui.widgets.lane_items import lane_items
from inspector.ui.widgets.panes import TablePane
from inspector.ui.widgets.reader import Reader
from inspector.ui.widgets.signs import content
from inspector.ui.widgets.store_lists import MarkLists
from inspector.ui.widgets.store_map import CoverageMapView
from inspector.ui.widgets.store_rows import StoreSource, memory_cells
from inspector.ui.widgets.store_select import CELLS, Selection
from inspector.ui.widgets.why import short_origin

if TYPE_CHECKING:
    from inspector.inspection import Inspection

_PREVIEW = (
    Column("id", "memory", 18, 9, flex=1, frozen=True),
    Column("owner", "owner", 14, 7, flex=1),
    Column("chain", "chain", 5),
    Column("text", "text", 16, 5, flex=6),
)
_PREVIEW_CELLS = (0, 1, 4, 8)


class StoreViews(StoreWorking):
    """Each view leads to the records that it is about, in the table."""

    def __init__(self, inspection: Inspection, state: StoreState, qi: int | None) -> None:
        super().__init__(inspection, state, qi)
        self.lists = MarkLists(id="lists")
        self.cell_records = Grid(_PREVIEW, empty=_("no records here"), id="cell-records")
        self.advice = Static("", id="advice")
        self.lane_about = Reader(id="lane-about")
        self._chosen = CELLS[1]
        self._sessions: list[str] | None = None

    def show_records(self, selection: Selection | None, *, cursor: int | None = None) -> None:
        """The table, narrowed to a set of records."""
        raise NotImplementedError

    def show_view(self, view: str) -> None:
        """Bring a view into sight and put the focus into it."""
        raise NotImplementedError

    # The map and its lists

    @on(CoverageMapView.Moved)
    @guarded
    def _cell_moved(self, event: CoverageMapView.Moved) -> None:
        event.stop()
        self._chosen = Selection("cell", event.protection.value)
        self.show_chosen()

    @on(MarkLists.Moved)
    @guarded
    def _list_moved(self, event: MarkLists.Moved) -> None:
        event.stop()
        self._chosen = event.selection
        self.show_chosen()

    def show_chosen(self) -> None:
        """The records of the cell or list under the cursor, beside or below the map."""
        rows = np.empty(0, np.int64)
        if self._chosen is not None:
            rows = self._chosen.indices(self.state.survey, ())
        memories = self.inspection.memories

        def cells(mi: int) -> list[Any]:
            made = memory_cells(memories[mi], "")
            return [made[number] for number in _PREVIEW_CELLS]

        self.cell_records.set_source(StoreSource(rows, len(memories), cells))

    @on(CoverageMapView.Chosen)
    @guarded
    def _cell_chosen(self, event: CoverageMapView.Chosen) -> None:
        event.stop()
        self.show_records(Selection("cell", event.protection.value))

    @on(MarkLists.Chosen)
    @guarded
    def _list_chosen(self, event: MarkLists.Chosen) -> None:
        event.stop()
        self.show_records(event.selection)

    @on(Grid.RowSelected, "#cell-records")
    @guarded
    def _cell_record_chosen(self, event: Grid.RowSelected) -> None:
        event.stop()
        if self._chosen is not None and isinstance(event.key, int):
            self.show_records(self._chosen, cursor=event.key)

    # Findings

    @on(TablePane.Highlighted, "#findings")
    @guarded
    def _finding_highlighted(self, event: TablePane.Highlighted) -> None:
        event.stop()
        finding = self.findings_pane.current
        if finding is None:
            self.advice.update("")
            return
        place = f"{short_origin(str(finding.origin))}  {finding.record}" + (
            _("  field {field}").format(field=finding.field) if finding.field else ""
        )
        pieces = [Piece(finding.words, "strong"), Piece(f"\n{place}", "dim"), Piece(f"\n{finding.do}")]
        self.advice.update(content(pieces))

    @on(TablePane.Opened, "#findings")
    @guarded
    def _finding_opened(self, event: TablePane.Opened) -> None:
        event.stop()
        finding = self.findings_pane.current
        if finding is None:
            return
        found = (finding.index, *finding.related)
        if all(index is None for index in found):
            self.tell(
                _("this finding is about no memory that was read: a query, a file, or a record that was left out")
            )
            return
        self.show_records(Selection("code", finding.code), cursor=next(i for i in found if i is not None))

    def action_lint(self) -> None:
        """Lint the whole store, edits included."""
        self.lint()

    # Lanes

    def show_session(self, step: int) -> None:
        """Replay the session that lies so many steps from the one of before."""
        if self._sessions is None:
            self._sessions = list(sessions(self.inspection.queries))
        if not self._sessions:
            self.lanes.say(_("no query states an authenticated session_id: nothing can be replayed"))
            return
        at = self._sessions.index(self.state.session) if self.state.session in self._sessions else 0
        self.lanes.say(_("replaying …"))
        self.replay(self._sessions[(at + step) % len(self._sessions)])

    def replayed(self, run: Replay, degraded: Mapping[int, Degraded]) -> None:
        """Show a replay, and the degraded recall of the session's queries without tags."""
        held = self._sessions or [run.session_id]
        self.lanes.fill(
            run,
            _("session {session_id}, {index} of {count:,}").format(
                session_id=run.session_id, index=held.index(run.session_id) + 1, count=len(held)
            ),
            degraded,
        )

    @on(TablePane.Highlighted, "#lanes")
    @guarded
    def _lane_highlighted(self, event: TablePane.Highlighted) -> None:
        event.stop()
        self.lane_about.show(lane_items(self.lanes.run, self.lanes.lane, self.lanes.degraded), keep=False)

    @on(TablePane.Opened, "#lanes")
    @guarded
    def _lane_opened(self, event: TablePane.Opened) -> None:
        event.stop()
        if isinstance(event.key, int):
            self.show_records(None, cursor=event.key)

    def action_step_session(self, step: int) -> None:
        """The next session, or the one before."""
        self.show_view("lanes")
        self.show_session(step)

    def action_keep_replay(self) -> None:
        """Make the marks of the replay edits, as one step."""
        from inspector.boundaries import keep_replay

        run = self.lanes.run
        if run is None or not run.logs:
            self.tell(_("no replay has moved anything: 4 shows the lanes of a session"))
            return
        keep_replay(self.inspection, run)
