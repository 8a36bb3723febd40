"""The main screen: queries, the candidates of one, and the detail of one candidate (SCREENS Inspect)."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.timer import Timer

from inspector.audited import INLINE_AUDITS
from inspector.i18n import _
from inspector.text import counted
from inspector.ui.actions import bindings
from inspector.ui.messages import guarded
from inspector.ui.screens.inspect_compare import InspectCompare
from inspector.ui.screens.inspect_triage import InspectTriage
from inspector.ui.screens.reading import ReadingDialog
from inspector.ui.screens.whynot import WhyNotDialog
from inspector.ui.widgets.bundle_line import BundleBar
from inspector.ui.widgets.detail import Detail, Subject
from inspector.ui.widgets.footer import KeyFooter
from inspector.ui.widgets.gate_signs import decider
from inspector.ui.widgets.header import HeaderBar
from inspector.ui.widgets.panes import TablePane
from inspector.ui.widgets.safe import paragraphs
from inspector.ui.widgets.signs import bounds, share
from inspector.views import Candidate, Change

if TYPE_CHECKING:
    from inspector.inspection import Inspection

#: Columns of a terminal under which the screen has the class ``-narrow``: the app's second breakpoint.
_NARROW = 100
#: Routes whose candidates come by more than one path, or by one that is worth a look.
MANY_PATHS = frozenset(("session_tag", "dual_path", "threshold_router", "cluster_router"))
#: Seconds after an edit in which the totals of the header are not worked out again.
_HEADER_REST = 0.15


class InspectScreen(InspectCompare, InspectTriage):
    """Three regions beside each other, or below each other where the terminal is narrow.

    In a narrow terminal the region with the focus gets the room: the list of queries shrinks to its title while the
    candidates or the detail are used, and the detail gives way while a query is chosen.
    """

    BINDINGS: ClassVar[list[BindingType]] = bindings("inspect")
    PANE = "Inspect"
    HELP = (
        "Pick a query; its candidates show S, P and L, each 1, 0 or ?, and the verdict. Edit a memory or the query: "
        "the line below says what moved across all queries."
    )
    DEFAULT_CSS = """
    InspectScreen { layout: vertical; }
    InspectScreen #regions { height: 1fr; }
    InspectScreen #rest { height: 1fr; width: 1fr; }
    InspectScreen #middle { height: 1fr; width: 1fr; }
    InspectScreen.-wide #regions { layout: horizontal; }
    InspectScreen.-wide #queries { width: 23%; border-right: vkey $primary; }
    InspectScreen.-wide #rest { layout: horizontal; }
    InspectScreen.-wide #middle { width: 1fr; border-right: vkey $primary; }
    InspectScreen.-wide #detail { width: 40%; }
    InspectScreen.-medium #regions { layout: horizontal; }
    InspectScreen.-medium #queries { width: 30%; border-right: vkey $primary; }
    InspectScreen.-medium #detail { height: 1fr; }
    InspectScreen.-narrow #queries { height: 1; }
    InspectScreen.-narrow #detail { height: 37%; }
    InspectScreen.-narrow.-low.-lesson #detail { height: 30%; }
    InspectScreen.-narrow #queries.-roomy { height: 50%; }
    InspectScreen.-narrow #detail.-away { display: none; }
    InspectScreen.-narrow #bundle.-away { display: none; }
    InspectScreen.-narrow #middle.-small { height: 6; }
    InspectScreen.-narrow #detail.-roomy { height: 1fr; }
    """

    class StoreChanged(Message):
        """An edit, from wherever it was made, has moved something."""

        def __init__(self, change: Change) -> None:
            super().__init__()
            self.change = change

    def __init__(self, inspection: Inspection) -> None:
        super().__init__(inspection)
        self.header = HeaderBar(id="header")
        self.middle = Vertical(id="middle")
        self._asked: dict[int, list[int]] = {}
        self._unsubscribe: Callable[[], None] | None = None
        self._header_timer: Timer | None = None
        #: Whether any query names exact keys; None until it was asked for.
        self._has_keys: bool | None = None

    def compose(self) -> ComposeResult:
        """Header, the three regions, the line that says what moved, the keys."""
        yield self.header
        with Vertical(id="regions"):
            yield self.query_pane
            with Vertical(id="rest"):
                with self.middle:
                    yield self.bundle_bar
                    yield self.candidate_pane
                yield self.detail
        yield self.moved
        yield KeyFooter()

    def on_mount(self) -> None:
        """Show the store, and be told of every change to it."""
        # A loaded store is hundreds of thousands of objects that stay: a collection that walks them all would stop
        # the screen for a fifth of a second now and then.
        gc.freeze()
        self._unsubscribe = self.inspection.subscribe(self._tell_change)
        self.query_pane.fill(self.inspection.query_rows())
        self._show_header()
        self.show_query()
        if not self.inspection.queries:
            self.tell(
                _("{no_queries}: its text, who asks, intent, as_of").format(no_queries=self.query_pane.no_queries),
                "strong",
            )
        (self.candidate_pane.grid if self.qi is not None else self.query_pane.grid).focus()
        traced = sum(row.recorded for row in self.query_pane.list.rows)
        if traced:
            self.tell(
                _("{traced:,} with a recorded trace: T shows which stage failed in each, the worst first").format(
                    traced=traced
                )
            )

    def on_unmount(self) -> None:
        """Stop listening, and let the store be collected."""
        gc.unfreeze()
        if self._unsubscribe is not None:
            self._unsubscribe()

    def _tell_change(self, change: Change) -> None:
        self.post_message(self.StoreChanged(change))

    # What is selected

    @on(TablePane.Highlighted, "#queries")
    @guarded
    def _query_selected(self, event: TablePane.Highlighted) -> None:
        event.stop()
        if self.query_pane.qi != self.qi:
            self._leave_query()
            self.show_query()

    def _leave_query(self) -> None:
        """The changed cells of the query have been looked at."""
        if self.qi is not None:
            self.inspection.looked_at(self.qi)  # decisions may have moved where no verdict did
            if self.query_pane.row(self.qi).changed:
                self.query_pane.replace([self.inspection.query_row(self.qi)])

    def show_query(self, *, cursor: int | None = None) -> None:
        """Show candidates, bundle and figures of the selected query as they are now."""
        qi = self.qi = self.query_pane.qi
        if qi is None:
            self.bundle_bar.show(None, None, self.inspection.tau)
            self.candidate_pane.fill(None, ())
        else:
            line = replace(self.inspection.bundle_line(qi), route=self.route_in_force)
            rows = self._candidates(qi)
            if self.query_pane.row(qi).stage is None:  # this query's audit is made now, whatever waits
                self.query_pane.replace([self.inspection.query_row(qi)])
            self.bundle_bar.show(
                line,
                self.query_pane.row(qi),
                self.inspection.tau,
                self.inspection.gate.mode,
                decider(rows),
                self.decision_figures(qi),
            )
            self.candidate_pane.show_optional(self._optional_columns())
            self.candidate_pane.fill(qi, rows, cursor=cursor)
            self.read_texts(qi)
        self._show_detail()

    def _optional_columns(self) -> frozenset[str]:
        """Session × tag where the store has one of them, the path on routes that have several."""
        missing = self.inspection.account.missing
        columns = {"pair"} if not {"session_id", "semantic_tag"} <= set(missing) else set()
        if self._has_keys is None:
            self._has_keys = any(query.value("keys") for query in self.inspection.queries)
        if self._has_keys:
            columns.add("key")
        if self.route_in_force.name in MANY_PATHS:
            columns.add("path")
        return frozenset(columns)

    def _candidates(self, qi: int) -> list[Candidate]:
        """The retrieved ones, and after them those that were asked for by "why not" and "eligible missing"."""
        rows = self.inspection.candidates(qi)
        held = {row.mi for row in rows}
        return rows + [self.inspection.why_not(qi, mi) for mi in self._asked.get(qi, ()) if mi not in held]

    @on(TablePane.Highlighted, "#candidates")
    @guarded
    def _candidate_highlighted(self, event: TablePane.Highlighted) -> None:
        event.stop()
        self._show_detail()

    def _show_detail(self) -> None:
        current = self.candidate_pane.current
        subject = None if self.qi is None or current is None else Subject(self.inspection, self.qi, current)
        shown = self.detail.subject
        if subject is None or shown is None or (subject.qi, subject.candidate) != (shown.qi, shown.candidate):
            self.detail.show(subject)

    @on(TablePane.Opened, "#candidates")
    @guarded
    def _candidate_opened(self, event: TablePane.Opened) -> None:
        event.stop()
        if event.column == "text":
            self.action_full_text()
        elif event.column == "gate":
            self.detail.go_to("gate", focus=True)
        elif event.column in ("C", "alpha", "action"):
            self.detail.go_to("mdl", focus=True)
        else:
            self.detail.go_to(self.detail.active, focus=True)

    @on(BundleBar.Chosen)
    @guarded
    def _part_chosen(self, event: BundleBar.Chosen) -> None:
        event.stop()
        if event.key == "route":
            self.action_route()
        elif event.key == "gate":
            self.choose_gate_mode()
        else:
            self.edit_query(event.key)

    # What changes

    @on(StoreChanged)
    @guarded
    def _store_changed(self, event: StoreChanged) -> None:
        event.stop()
        self.changed(event.change)

    def changed(self, change: Change) -> None:
        """Show what an edit moved: the sentence, the rows of the queries it reached, and this query if it is one."""
        if change.listing:
            self._listed()
        if change.sentence:
            self.tell(self.words_before + change.sentence, "strong" if change.flips else "")
            self.words_before = ""
        self.why.store_changed()
        if change.memories:
            self.forget_events()
        self._has_keys = None
        queries = set(change.queries)
        if self.qi is not None and self.query_pane.row(self.qi).changed:
            queries.add(self.qi)  # its marks of before have been looked at
        waiting = self.inspection.unaudited()
        if len(waiting) <= INLINE_AUDITS:
            queries |= waiting
        else:
            self.query_pane.forget_stages(waiting)
        known = len(self.inspection.queries)
        self.query_pane.replace([self.inspection.query_row(qi) for qi in sorted(queries) if qi < known])
        shown = {row.mi for row in self.candidate_pane.list.rows}
        asked = self.qi in self._asked  # rows that no evaluation keeps up to date
        if self.qi is not None and (asked or self.qi in queries or not shown.isdisjoint(change.memories)):
            mi = self.mi
            self.show_query()
            # The candidate may be equal and yet its reasons or fields are not.
            if mi is not None and (asked or mi in change.memories or self.qi in change.queries):
                self.detail.show(self.detail.subject)
        if self._header_timer is None:
            self._header_timer = self.set_timer(_HEADER_REST, self._show_header)
        self.settle_soon()
        self.rank_soon()

    def _listed(self) -> None:
        """Queries were asked or taken away: show the list anew, the cursor on the same query if it is left."""
        shown = None if self.qi is None else self.query_pane.row(self.qi).query_id
        self._asked.clear()
        self.query_pane.fill(self.inspection.query_rows())
        place = next((qi for qi, query in enumerate(self.inspection.queries) if query.id == shown), None)
        if place is not None:
            self.query_pane.grid.move_cursor(key=place)
        self.show_query()

    def select_query(self, qi: int) -> None:
        """Select a query in the list; a filter that hides it is taken away."""
        self.query_pane.fill(self.inspection.query_rows())
        if qi not in self.query_pane.list.shown:
            self.query_pane.show_all()
        self.query_pane.grid.move_cursor(key=qi)
        self.show_query()

    def evaluated(self, words: str) -> None:
        """Other candidates: everything is shown anew, the cursor stays where it can."""
        mi = self.landing()
        self.encoding_ended()
        self.tell(words)
        self.why.store_changed()
        self.query_pane.fill(self.inspection.query_rows())
        self._show_header()
        self.show_query(cursor=mi)
        self.detail.show(self.detail.subject)

    def decisions_changed(self) -> None:
        """The decision layer decides by other constants: show the selected query by them."""
        self._show_header()
        self.show_query()
        self.detail.show(self.detail.subject)

    def _show_header(self) -> None:
        self._header_timer = None
        inspection, route = self.inspection, self.route_in_force
        total = inspection.overall()
        facts = [
            f"{counted(total.memories, 'memory', 'memories')}, {counted(total.queries, 'query', 'queries')}",
            f"{route} k {route.k}",
            f"✓ {total.admit:,} ✗ {total.exclude:,} ? {total.unresolved:,}",
        ]
        if total.recall is not None:
            facts.append(_("recall {share}").format(share=share(total.recall)))
        if total.feasible_share is not None:
            facts.append(_("feasible {share}").format(share=share(total.feasible_share)))
        if total.risk_lower is not None and total.risk_upper is not None:
            facts.append(_("risk {bounds}").format(bounds=bounds(total.risk_lower, total.risk_upper)))
        if total.not_evaluable:
            facts.append(_("{not_evaluable:,} not evaluable").format(not_evaluable=total.not_evaluable))
        facts.append(_("isolation {isolation}").format(isolation=inspection.settings.isolation))
        strict = (_("unknown intent: strict"),) if inspection.settings.unknown_intent == "strict" else ()
        self.header.show(inspection.name, facts, (*strict, *inspection.header()))

    # Going about

    def on_descendant_focus(self) -> None:
        """In a narrow terminal the region with the focus gets the room."""
        self._give_room()

    def on_resize(self) -> None:
        """The terminal may have become narrow, or wide."""
        self._give_room()

    def _give_room(self) -> None:
        # Classes of the regions and not of the screen, which would style every widget anew; none where all have room.
        narrow = self.app.size.width < _NARROW
        at_queries = narrow and self.query_pane.has_focus_within
        at_detail = narrow and self.detail.has_focus_within
        self.query_pane.set_class(at_queries, "-roomy")
        self.detail.set_class(at_queries, "-away")
        self.detail.set_class(at_detail, "-roomy")
        self.bundle_bar.set_class(at_detail, "-away")
        self.middle.set_class(at_detail, "-small")

    def action_to_queries(self) -> None:
        """To the queries."""
        self.query_pane.grid.focus()

    def action_to_candidates(self) -> None:
        """To the candidates."""
        self.candidate_pane.grid.focus()

    def action_to_detail(self) -> None:
        """To the detail."""
        self.detail.go_to(self.detail.active, focus=True)

    def action_next_query(self) -> None:
        """The next query."""
        self.query_pane.step(1)

    def action_previous_query(self) -> None:
        """The query before."""
        self.query_pane.step(-1)

    def action_next_tab(self) -> None:
        """The next tab of the detail."""
        self.detail.step(1)

    def action_previous_tab(self) -> None:
        """The tab before."""
        self.detail.step(-1)

    def action_sort(self) -> None:
        """Order the candidates by the column under the cursor."""
        self.candidate_pane.sort()

    def action_sort_reverse(self) -> None:
        """Turn the order of the candidates round."""
        self.candidate_pane.reverse()

    def action_verdict_filter(self) -> None:
        """Show the candidates of the next verdict."""
        self.candidate_pane.next_verdict()

    def action_full_text(self) -> None:
        """The memory's text in full; of the query where that is what the focus is on."""
        current = self.candidate_pane.current
        if self.qi is not None and (self.query_pane.has_focus_within or self.bundle_bar.has_focus):
            row = self.query_pane.row(self.qi)
            self.app.push_screen(
                ReadingDialog[None](_("Query {query_id}").format(query_id=row.query_id), paragraphs(row.text))
            )
        elif current is not None:
            self.app.push_screen(
                ReadingDialog[None](
                    _("Memory {memory_id}").format(memory_id=current.memory_id), paragraphs(current.text)
                )
            )

    def action_why_not(self) -> None:
        """Ask for any stored memory and show it against the query."""
        if self.qi is not None:
            self.app.push_screen(WhyNotDialog(self.inspection, self.qi), self._asked_for)

    def _asked_for(self, mi: int | None) -> None:
        if mi is not None:
            self.ask_for(mi)

    def ask_for(self, mi: int) -> None:
        """Show a memory against the selected query, retrieved or not."""
        if self.qi is not None:
            asked = self._asked.setdefault(self.qi, [])
            if mi not in asked:
                asked.append(mi)
            self.show_query(cursor=mi)
            self.candidate_pane.show_memory(mi)
            self.candidate_pane.grid.focus()

    def action_missing(self) -> None:
        """Show the memories that should have been retrieved and were not."""
        if self.qi is None:
            return
        missing = [row.mi for row in self.inspection.eligible_missing(self.qi)]
        if not missing:
            self.tell(_("no memory with verdict 1 and relevance 1 is missing from the candidates"))
            return
        asked = self._asked.setdefault(self.qi, [])
        asked += [mi for mi in missing if mi not in asked]
        self.show_query(cursor=missing[0])
        self.tell(
            _("{count} eligible and not retrieved: rows without a rank, below the others").format(count=len(missing))
        )

    def open_find(self) -> None:
        """``/`` where the focus is on nothing that can be searched: find among the candidates."""
        self.candidate_pane.open_find()

    def go_back(self) -> bool:
        """Escape cancels work, then takes added rows away."""
        if self.cancel_work():
            return True
        if self.qi is not None and self.qi in self._asked:
            del self._asked[self.qi]
            self.show_query()
            return True
        return False

    def copy_text(self) -> str | None:
        """What ``y`` copies where the focus is on nothing else: the line that says what moved."""
        return str(self.moved.content).strip() or None

    @property
    def detail_region(self) -> Detail:
        """The detail, for those who look from outside."""
        return self.detail
