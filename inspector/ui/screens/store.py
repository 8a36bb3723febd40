"""The *Store* screen: the whole store, its coverage map, findings of lint, lanes of boundary states (SCREENS Store)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.timer import Timer
from textual.widgets import ContentSwitcher

from inspector.i18n import N_, _
from inspector.text import counted
from inspector.ui.actions import bindings
from inspector.ui.messages import guarded
from inspector.ui.screens.reading import ReadingDialog
from inspector.ui.screens.store_base import StoreState
from inspector.ui.screens.store_edit import StoreEditing
from inspector.ui.screens.store_views import StoreViews
from inspector.ui.screens.store_work import AT_ONCE, LINT_AT_ONCE
from inspector.ui.widgets.detail import TabBar
from inspector.ui.widgets.footer import KeyFooter
from inspector.ui.widgets.gate_items import FormChoice, OfferChoice
from inspector.ui.widgets.header import HeaderBar
from inspector.ui.widgets.panes import TablePane
from inspector.ui.widgets.reader import Item, Reader
from inspector.ui.widgets.safe import paragraphs, plain
from inspector.ui.widgets.store_about import about_items
from inspector.ui.widgets.store_pane import StorePane
from inspector.ui.widgets.store_select import CELLS, Selection
from inspector.ui.widgets.why import FieldChoice
from inspector.views import Change

if TYPE_CHECKING:
    from inspector.inspection import Inspection

VIEWS = (
    ("records", N_("1 Records")),
    ("coverage", N_("2 Coverage")),
    ("findings", N_("3 Findings")),
    ("lanes", N_("4 Lanes")),
)
#: Seconds that the cursor has to rest before the detail follows.
_REST = 0.03


class StoreScreen(StoreEditing, StoreViews):
    """Four views of one store; ``show_in_inspect`` is called with a memory that is asked about there."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("store")
    PANE = "Store"
    HELP = (
        "1 every record, 2 the coverage map, 3 the findings of lint, 4 a session's boundary states over time. Enter on "
        "a record shows it in Inspect against the query of before; e edits. Escape or o goes back to Inspect."
    )
    DEFAULT_CSS = """
    StoreScreen { layout: vertical; }
    StoreScreen #views { height: 1fr; }
    StoreScreen .view { height: 1fr; }
    StoreScreen #about { height: 40%; border-top: solid $primary; }
    StoreScreen #lane-about { height: 35%; border-top: solid $primary; }
    StoreScreen #advice { height: auto; max-height: 5; min-height: 2; padding: 0 1; border-top: solid $primary; }
    StoreScreen #cell-records { height: 1fr; border-top: solid $primary; }
    StoreScreen #view-coverage > Vertical { height: auto; }
    StoreScreen.-low #cell-records { display: none; }
    StoreScreen.-low #view-coverage > Vertical { height: 1fr; }
    StoreScreen.-low #lists { height: 1fr; }
    StoreScreen.-wide #view-records { layout: horizontal; }
    StoreScreen.-wide #about { width: 40%; height: 1fr; border-top: none; border-left: vkey $primary; }
    StoreScreen.-wide #view-records StorePane { width: 1fr; }
    StoreScreen.-wide #view-coverage { layout: horizontal; }
    StoreScreen.-wide #view-coverage > Vertical { width: 55%; height: 1fr; }
    StoreScreen.-wide #cell-records { display: block; height: 1fr; border-top: none; border-left: vkey $primary; }
    """

    class StoreChanged(Message):
        """An edit has moved something."""

        def __init__(self, change: Change) -> None:
            super().__init__()
            self.change = change

    def __init__(
        self,
        inspection: Inspection,
        state: StoreState,
        qi: int | None,
        show_in_inspect: Callable[[int], None] | None = None,
    ) -> None:
        super().__init__(inspection, state, qi)
        self.header = HeaderBar(id="header")
        self.tab_bar = TabBar()
        self._show_in_inspect = show_in_inspect
        self._unsubscribe: Callable[[], None] | None = None
        self._about_timer: Timer | None = None

    def compose(self) -> ComposeResult:
        """Header, titles of the views, the views behind each other, the line that says what moved, the keys."""
        yield self.header
        yield self.tab_bar
        with ContentSwitcher(initial=f"view-{self.state.view}", id="views"):
            with Vertical(id="view-records", classes="view"):
                yield self.pane
                yield self.about
            with Vertical(id="view-coverage", classes="view"):
                with Vertical():
                    yield self.map
                    yield self.lists
                yield self.cell_records
            with Vertical(id="view-findings", classes="view"):
                yield self.findings_pane
                yield self.advice
            with Horizontal(id="view-lanes", classes="view"), Vertical():
                yield self.lanes
                yield self.lane_about
        yield self.moved
        yield KeyFooter()

    def on_mount(self) -> None:
        """Begin where the last visit ended."""
        self._unsubscribe = self.inspection.subscribe(self._tell_change)
        pane, state = self.pane, self.state
        pane.selection, pane.column, pane.reverse_order = state.selection, state.column, state.reverse
        if state.filter:
            with self.prevent(StorePane.Wanted):
                pane.set_filter(state.filter)
        self.survey()
        self.rearrange(cursor=state.mi)
        if state.report is not None and not state.stale:
            self.linted()
        elif len(self.inspection.memories) <= LINT_AT_ONCE:
            self.lint()
        else:
            self.findings_pane.fill(
                None,
                _("R lints {memories}").format(memories=counted(len(self.inspection.memories), "memory", "memories")),
            )
        self.show_view(state.view)

    def on_unmount(self) -> None:
        """Remember where one was, and stop listening."""
        self.state.mi = self.mi
        if self._unsubscribe is not None:
            self._unsubscribe()

    def _tell_change(self, change: Change) -> None:
        self.post_message(self.StoreChanged(change))

    # Views

    def show_view(self, view: str) -> None:
        """Bring a view into sight and put the focus into it."""
        self.state.view = view
        self.query_one("#views", ContentSwitcher).current = f"view-{view}"
        self.tab_bar.show(VIEWS, view)
        first = {"records": self.pane.grid, "coverage": self.map, "findings": self.findings_pane.grid}
        first.get(view, self.lanes.grid).focus()
        if view == "lanes" and self.lanes.run is None:
            self.show_session(0)

    def action_view(self, view: str) -> None:
        """Go to a view."""
        self.show_view(view)

    def action_step_view(self, step: int) -> None:
        """To the next view or the one before, round and round."""
        names = [name for name, _ in VIEWS]
        self.show_view(names[(names.index(self.state.view) + step) % len(names)])

    @on(TabBar.Picked)
    def _tab_picked(self, event: TabBar.Picked) -> None:
        event.stop()
        self.show_view(event.tab)

    def records_in_hand(self) -> list[int]:
        """The records that the view in sight has chosen: marked, else under the cursor."""
        view = self.state.view
        if view == "lanes":
            return self.lanes.chosen()
        if view == "findings":
            finding = self.findings_pane.current
            about = () if finding is None else (finding.index, *finding.related)
            return [index for index in dict.fromkeys(about) if index is not None]
        if view == "coverage":
            key = self.cell_records.cursor_key if self.cell_records.has_focus else None
            return [key] if isinstance(key, int) else []
        return self.pane.chosen()

    # The record under the cursor

    @on(TablePane.Highlighted, "#records")
    @guarded
    def _record_highlighted(self, event: TablePane.Highlighted) -> None:
        event.stop()
        self._about_soon()

    def _about_soon(self) -> None:
        if self._about_timer is not None:
            self._about_timer.stop()
        self._about_timer = self.set_timer(_REST, self._show_about)

    @guarded
    def _show_about(self) -> None:
        self._about_timer = None
        mi = self.mi
        if mi is None:
            self.about.show([Item(plain(_("no record under the cursor")))], keep=False)
            return
        self.offers = self.inspection.gate_offers(None, mi)
        against = None
        if self.qi is not None:
            against = (self.inspection.queries[self.qi].id, self.inspection.why_not(self.qi, mi))
        history = self.inspection.history("memory", mi) if self.inspection.memories[mi].edits else ()
        items = about_items(self.inspection.memories[mi], self.state.findings(mi), self.offers, history, against)
        self.about.show(items, keep=self.state.mi == mi)
        self.state.mi = mi

    @on(Reader.Chosen, "#about")
    @guarded
    def _about_chosen(self, event: Reader.Chosen) -> None:
        event.stop()
        if isinstance(event.key, FieldChoice):
            self.edit(event.key.name)
        elif isinstance(event.key, FormChoice):
            self.action_govern()
        elif isinstance(event.key, OfferChoice):
            self.action_close_gap()

    # What changes

    @on(StoreChanged)
    @guarded
    def _store_changed(self, event: StoreChanged) -> None:
        event.stop()
        self.tell(self.words_before + event.change.sentence, "strong" if event.change.flips else "")
        self.words_before = ""
        self.survey()
        if len(self.inspection.memories) <= AT_ONCE and not self.pane.is_whole:
            self.rearrange()
        else:
            self.pane.grid.refresh_rows()
        self._about_soon()
        self.lint_soon()
        if self.state.report is not None and self.state.stale:
            self.findings_pane.fill(self.state.report.findings, _("of before the last edit; R lints again"))
        if self.lanes.run is not None:
            self.replay(self.lanes.run.session_id)

    def surveyed(self) -> None:
        """Show completeness and the map, as far as the survey has come."""
        survey, total = self.state.survey, len(self.inspection.memories)
        facts = [counted(total, "memory", "memories")]
        if not survey.is_complete:
            facts.append(_("surveyed {done:,}").format(done=survey.done))
        facts += [f"{_(part)} {share:.0%}" for part, share in survey.completeness().items()]
        if planes := survey.planes():
            facts.append(_("planes ") + ", ".join(f"{name} {count:,}" for name, count in planes.items()))
        if self.state.report is not None:
            counts = self.state.report.by_severity()
            facts.append(f"lint ✗ {counts['error']:,} ! {counts['warning']:,} i {counts['info']:,}")
        self.header.show(
            f"{self.inspection.name}: {_('store')}", facts, (*self.inspection.header(), *self._lint_notices())
        )
        self.map.show(survey.cells(), complete=survey.is_complete)
        self.lists.show(survey)
        if survey.is_complete or self.state.view == "coverage":
            self.show_chosen()

    def _lint_notices(self) -> list[str]:
        """What lint says beside its findings: planes that records state, what it could not look for."""
        report = self.state.report
        if report is None:
            return []
        planes = [
            _("planes: {words}").format(words=one.words) for one in report.planes if one not in self.inspection.planes
        ]
        return [*planes, *(_("lint: {note}").format(note=note) for note in (*report.notes, *report.nearness.notes))]

    def linted(self) -> None:
        """Show the findings, and their marks in the table."""
        report = self.state.report
        if report is None:
            return
        said = _("of before the last edit; R lints again") if self.state.stale else ""
        self.findings_pane.fill(report.findings, said)
        self.pane.grid.refresh_rows()
        if self.pane.column == "lint" or (self.pane.selection is not None and self.pane.selection.kind == "code"):
            self.rearrange()
        self.surveyed()
        self._about_soon()
        self.lint_soon()

    def show_records(self, selection: Selection | None, *, cursor: int | None = None) -> None:
        """The table, narrowed to a set of records."""
        with self.prevent(StorePane.Wanted):
            self.pane.set_filter("")
        self.pane.selection = selection
        self.rearrange(cursor=cursor)
        if cursor is None:
            self.pane.grid.move_cursor(0)
        self.show_view("records")

    # Going about

    @on(TablePane.Opened, "#records")
    @guarded
    def _record_opened(self, event: TablePane.Opened) -> None:
        event.stop()
        if event.column == "text":
            self.action_full_text()
        else:
            self.action_inspect()

    def action_inspect(self) -> None:
        """The record in Inspect, against the query that is selected there."""
        mi = self.mi
        if self.qi is None or self._show_in_inspect is None:
            self.tell(_("the store has no query to hold the record against"))
        elif mi is not None:
            self.app.pop_screen()
            self._show_in_inspect(mi)

    def action_full_text(self) -> None:
        """The record's text in full."""
        if self.mi is not None:
            memory = self.inspection.memories[self.mi]
            self.app.push_screen(ReadingDialog[None](_("Memory {id}").format(id=memory.id), paragraphs(memory.text)))

    def action_sort(self) -> None:
        """Order the records by the column under the cursor."""
        self.pane.sort()

    def action_sort_reverse(self) -> None:
        """Turn the order of the records round."""
        self.pane.reverse()

    def action_next_set(self) -> None:
        """Narrow the records to the next cell of the map, the findings to the next code."""
        if self.state.view == "findings":
            self.findings_pane.next_code()
        else:
            at = CELLS.index(self.pane.selection) if self.pane.selection in CELLS else 0
            self.show_records(CELLS[(at + 1) % len(CELLS)], cursor=self.mi)

    def action_to_about(self) -> None:
        """To the detail of the record."""
        self.show_view("records")
        self.about.focus()

    def action_compare(self) -> None:
        """Routes side by side at matched recall."""
        from inspector.ui.screens.inspect_compare import InspectCompare

        for screen in self.app.screen_stack:
            if isinstance(screen, InspectCompare):
                screen.action_compare()

    def action_triage(self) -> None:
        """The queue of incidents, in place of this screen."""
        from inspector.ui.screens.inspect_triage import InspectTriage

        below = next((screen for screen in self.app.screen_stack if isinstance(screen, InspectTriage)), None)
        if below is not None:
            self.app.pop_screen()
            below.action_triage()

    def action_leave(self) -> None:
        """Back to Inspect."""
        self.app.pop_screen()

    def open_find(self) -> None:
        """``/`` where the focus is on nothing that can be searched: find among the records."""
        self.show_view("records")
        self.pane.open_find()

    def go_back(self) -> bool:
        """Escape stops work, then takes filters away, then goes back to Inspect."""
        if self.cancel_work():
            return True
        if self.state.view == "records" and self.pane.go_back():
            return True
        self.action_leave()
        return True
