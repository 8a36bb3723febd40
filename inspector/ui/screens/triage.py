"""The *Triage* screen: from a flagged incident to the stage that failed, with proof (SCREENS Triage)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.timer import Timer

from inspector.audit.triage import Incident, State
from inspector.i18n import _
from inspector.text import counted
from inspector.ui.actions import bindings
from inspector.ui.messages import guarded
from inspector.ui.screens.reading import ReadingDialog
from inspector.ui.screens.triage_base import TriageState
from inspector.ui.screens.triage_report import TriageReporting
from inspector.ui.widgets.answer_items import answer_marks
from inspector.ui.widgets.audit_keys import MemoryChoice
from inspector.ui.widgets.cells import Piece
from inspector.ui.widgets.footer import KeyFooter
from inspector.ui.widgets.header import HeaderBar
from inspector.ui.widgets.marked import mark_text
from inspector.ui.widgets.panes import TablePane
from inspector.ui.widgets.prompt_items import prompt_marks
from inspector.ui.widgets.reader import Item, Reader, blank
from inspector.ui.widgets.safe import lines
from inspector.ui.widgets.signs import content
from inspector.ui.widgets.triage_about import FixChoice, incident_items, proving
from inspector.ui.widgets.triage_pane import TriagePane
from inspector.ui.widgets.triage_rows import cycled
from inspector.ui.widgets.why import heading
from inspector.views import Change

if TYPE_CHECKING:
    from inspector.inspection import Inspection

#: Seconds that the cursor has to rest before the incident is told, so that a held key does not pile up work.
_REST = 0.03
#: Called with a query's index and a memory's to show them in Inspect.
Shower = Callable[[int, int | None], None]


def clock() -> datetime:
    """The time that ages are counted from."""
    return datetime.now(UTC)


class IncidentReader(Reader):
    """What is said of the incident under the cursor."""

    PANE = "Incident"
    HELP = (
        "Question, failure stages with the memories that prove them, why their verdicts are so, the smallest edits "
        "that mend them, what was exposed and told. Enter on a memory shows it in Inspect, on an edit applies it."
    )


class TriageScreen(TriageReporting):
    """The queue, and beside or below it what is said of the incident under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("triage")
    PANE = "Triage"
    HELP = (
        "Every query with its failure stage, the worst first. n and p go on, i shows the query and its proof in "
        "Inspect, T brings you back. c confirms, d dismisses, e writes a note: all kept in the workspace and found "
        "again when the same incident is imported anew. x exports the marked incidents as a report."
    )
    DEFAULT_CSS = """
    TriageScreen { layout: vertical; }
    TriageScreen #parts { height: 1fr; }
    TriageScreen #queue { height: 1fr; }
    TriageScreen #incident { height: 55%; border-top: solid $primary; }
    TriageScreen.-wide #parts { layout: horizontal; }
    TriageScreen.-wide #queue { width: 54%; }
    TriageScreen.-wide #incident { width: 46%; height: 1fr; border-top: none; border-left: vkey $primary; }
    """

    class StoreChanged(Message):
        """An edit has moved something."""

        def __init__(self, change: Change) -> None:
            super().__init__()
            self.change = change

    def __init__(self, inspection: Inspection, state: TriageState, show_in_inspect: Shower) -> None:
        super().__init__(inspection, state)
        self.about = IncidentReader(id="incident")
        self.header = HeaderBar(id="header")
        self._show_in_inspect = show_in_inspect
        self._unsubscribe: Callable[[], None] | None = None
        self._about_timer: Timer | None = None
        self._told: str | None = None

    def compose(self) -> ComposeResult:
        """Header, queue, incident, the line that says what was done, the keys."""
        yield self.header
        with Vertical(id="parts"):
            yield self.pane
            yield self.about
        yield self.moved
        yield KeyFooter()

    def on_mount(self) -> None:
        """Begin where the last visit ended; what has changed meanwhile is worked out in a thread."""
        self._unsubscribe = self.inspection.subscribe(self._tell_change)
        state = self.state
        state.rows.now = clock()
        if state.filter:
            with self.prevent(TriagePane.Narrowed):
                self.pane.set_filter(state.filter)
        if state.triage is not None:
            self.pane.show(cursor=state.cursor)
            self.pane.grid.set_marks(state.marks)
        self._show_header()
        self.pane.grid.focus()
        if not self.is_up_to_date():
            self.call_after_refresh(self.work_out)

    def on_unmount(self) -> None:
        """Remember where one was, and stop listening."""
        if self._unsubscribe is not None:
            self._unsubscribe()

    def remember(self) -> None:
        """Keep where one is for the next visit."""
        one = self.current
        self.state.cursor = None if one is None else one.identity
        self.state.marks = frozenset(str(mark) for mark in self.pane.grid.marks if isinstance(mark, str))
        self.state.filter = self.pane.filter_text

    def _show_header(self) -> None:
        inspection = self.inspection
        many = len(inspection.queries)
        traced = sum(bool(query.value("recorded") or {}) for query in inspection.queries)
        facts = [
            _("{queries}, {traced:,} with a recorded trace").format(
                queries=counted(many, "query", "queries"), traced=traced
            )
        ]
        facts.append(f"{inspection.route} k {inspection.route.k}")
        if traced == 0 and many:
            facts.append(_("no trace: judged is what this route would have exposed"))
        self.header.show(f"{inspection.name}: {_('triage')}", facts, inspection.header())

    # What changes

    def _tell_change(self, change: Change) -> None:
        self.post_message(self.StoreChanged(change))

    @on(StoreChanged)
    @guarded
    def _store_changed(self, event: StoreChanged) -> None:
        """Incidents that an edit reaches show ``…`` until they are worked out anew."""
        event.stop()
        if event.change.sentence:
            self.tell(event.change.sentence, "strong" if event.change.flips else "")
        self._show_header()
        self.pane.grid.refresh_rows()
        self.work_out_soon()

    # The incident under the cursor

    @on(TablePane.Highlighted)
    @guarded
    def _highlighted(self, event: TablePane.Highlighted) -> None:
        event.stop()
        if self._about_timer is not None:
            self._about_timer.stop()
        self._about_timer = self.set_timer(_REST, self.show_incident)

    @guarded
    def show_incident(self) -> None:
        """Show what is said of the incident under the cursor; of a group how many it is."""
        self._about_timer = None
        one = self.current
        if one is None:
            self._told = None
            self.about.show(self._no_incident(), keep=False)
            return
        audit = self.inspection.audit(one.qi)
        items = incident_items(self.inspection, one, audit, self.fixes_of(one, audit), self.state.rows.now)
        self.about.show(items, keep=self._told == one.identity)
        self._told = one.identity

    def _no_incident(self) -> list[Item]:
        group = self.pane.group
        if group is None:
            words = _("no incident under the cursor") if self.state.rows.queue is not None else _("one moment")
            return [Item(content([Piece(words, "dim")]))]
        members = self.pane.rows.members(group)
        folded = group.cause in self.pane.rows.folded
        many = counted(len(members), "incident")
        hint = (
            _("enter unfolds it; c and d put all of them into a state; x reports them")
            if folded
            else _("enter folds it; c and d put all of them into a state; x reports them")
        )
        return [
            Item(content([Piece(_("{many} with the suggested cause").format(many=many), "heading")])),
            Item(lines(self.pane.rows.get(members[0]).cause.words)),
            Item(content([Piece(hint, "dim")])),
        ]

    @on(Reader.Chosen, "#incident")
    @guarded
    def _about_chosen(self, event: Reader.Chosen) -> None:
        event.stop()
        if isinstance(event.key, FixChoice):
            self.action_fix()
        elif isinstance(event.key, MemoryChoice):
            self.show_in_inspect(event.key.mi)

    # Going about

    def show_in_inspect(self, mi: int | None = None) -> None:
        """Show the incident's query in Inspect, the cursor on a memory, or on the first that proves it."""
        one = self.current
        if one is None:
            return
        if mi is None:
            rows = proving(self.inspection.audit(one.qi))
            mi = rows[0].mi if rows else None
        self.remember()
        self._show_in_inspect(one.qi, mi)

    @on(TablePane.Opened)
    @guarded
    def _opened(self, event: TablePane.Opened) -> None:
        event.stop()
        self.show_in_inspect()

    def action_inspect(self) -> None:
        """The query in Inspect, the cursor on the memory that proves it."""
        key = self.about.key if self.about.has_focus else None
        self.show_in_inspect(key.mi if isinstance(key, MemoryChoice | FixChoice) else None)

    def action_step(self, direction: int) -> None:
        """The next or previous incident, past the lines of groups, without leaving the pane."""
        shown = self.pane.rows.shown
        one = self.current
        if one is None:
            group = self.pane.group
            members = self.pane.rows.members(group) if group is not None else ()
            at = shown.index(members[0]) + min(direction, 0) if members else 0
        else:
            at = shown.index(one.identity) + direction if one.identity in shown else 0
        if not 0 <= at < len(shown):
            self.tell(_("no more incidents") if direction > 0 else _("this is the first incident"))
        else:
            self.pane.go_to(shown[at])

    def action_state(self, state: str) -> None:
        """Put the marked incidents, else the one under the cursor, into a state."""
        self.set_state(cast("State", state))

    def action_note(self) -> None:
        """Write a note in place."""
        self.pane.open_note()

    @on(TriagePane.Noted)
    @guarded
    def _noted(self, event: TriagePane.Noted) -> None:
        event.stop()
        self.set_note(event.identity, event.note)

    @on(TriagePane.Narrowed)
    def _narrowed(self, event: TriagePane.Narrowed) -> None:
        event.stop()
        self.state.filter = event.text

    def action_group(self) -> None:
        """Grouped by cause, or one after the other."""
        one = self.current
        self.pane.rows.grouped = not self.pane.rows.grouped
        self.pane.order_anew()
        if one is not None:
            self.pane.go_to(one.identity)
        self.tell(
            _("grouped by suggested cause; enter folds a group, z all") if self.pane.rows.grouped else _("worst first")
        )

    def action_fold(self) -> None:
        """Fold every group, and unfold them."""
        if self.pane.rows.grouped:
            self.pane.fold()
        else:
            self.tell(_("there are no groups: b groups by cause"))

    def _cycle(self, facet: str) -> None:
        self.pane.set_filter(cycled(self.pane.filter_text, facet))

    def action_next_state(self) -> None:
        """Only the incidents of the next state."""
        self._cycle("state")

    def action_next_severity(self) -> None:
        """Only the incidents of the next severity."""
        self._cycle("severity")

    def action_next_stage(self) -> None:
        """Only the incidents with the next failure stage."""
        self._cycle("stage")

    def action_anew(self) -> None:
        """Bring the queue up to date and order it anew."""
        if self.is_up_to_date():
            if self.state.triage is not None:
                self.state.triage.refresh()
            self.pane.order_anew()
            self.tell(_("ordered anew"))
        else:
            self.state.rows.known = frozenset()  # so that it is arranged anew
            self.work_out()

    def action_fix(self) -> None:
        """Apply the smallest edit that mends a proving memory's verdict."""
        chosen = self.first_fix()
        if chosen is None:
            waits = self.running("fixes")
            self.tell(
                _("still looking for the smallest edits") if waits else _("no edit of one or two fields mends this")
            )
        else:
            self.apply(*chosen)

    def action_full_text(self) -> None:
        """Question, prompt and answer in full, with their marks."""
        one = self.current
        if one is not None:
            self.app.push_screen(
                ReadingDialog[None](_("Incident {query_id}").format(query_id=one.query_id), self._full(one))
            )

    def _full(self, one: Incident) -> list[Item]:
        audit = self.inspection.audit(one.qi)
        recorded = audit.recorded
        items = [heading(_("question")), Item(lines(one.text), copy=one.text)]
        if recorded.prompt is not None:
            items += [blank(), heading(_("prompt")), Item(mark_text(recorded.prompt, prompt_marks(audit)))]
        if recorded.answer is not None:
            items += [blank(), heading(_("answer")), Item(mark_text(recorded.answer, answer_marks(audit)))]
        return items

    def action_to_queue(self) -> None:
        """To the queue."""
        self.pane.grid.focus()

    def action_to_incident(self) -> None:
        """To what is said of the incident."""
        self.about.focus()

    def action_leave(self) -> None:
        """Back to Inspect, where it was."""
        self.remember()
        self.app.pop_screen()

    def open_find(self) -> None:
        """``/`` where the focus is on nothing that can be searched: filter the queue."""
        self.pane.open_find()

    def go_back(self) -> bool:
        """Escape stops work, then takes the filter away, then goes back to Inspect."""
        if self.give_up("report"):
            self.tell(_("stopped: no report was written"))
            return True
        if self.give_up("incidents"):
            self.pane.working(_("stopped: R works the rest out"))
            return True
        if self.pane.go_back():
            return True
        self.action_leave()
        return True
