"""The *Compare* screen: routes side by side at matched recall, plots, label errors, what to resolve first (SCREENS)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.timer import Timer
from textual.widgets import ContentSwitcher

from inspector.compare.comparison import Comparison
from inspector.comparing import KeptResolve, Sensitivity, check_request, kept_comparison
from inspector.errors import InspectorError
from inspector.i18n import _, ngettext
from inspector.records import AXES
from inspector.text import counted
from inspector.ui.actions import bindings
from inspector.ui.messages import guarded
from inspector.ui.panes import Table
from inspector.ui.screens.compare_base import CompareState
from inspector.ui.screens.compare_dialogs import Asked, CompareDialog
from inspector.ui.screens.compare_labels import CompareLabels
from inspector.ui.screens.compare_views import VIEWS
from inspector.ui.screens.compare_work import AT_ONCE, Found, Fresh
from inspector.ui.widgets.compare_table import PathKey, figure_table
from inspector.ui.widgets.detail import TabBar
from inspector.ui.widgets.footer import KeyFooter
from inspector.ui.widgets.header import HeaderBar

if TYPE_CHECKING:
    from inspector.comparing import Kept
    from inspector.inspection import Inspection
    from inspector.views import Change

#: Seconds without an edit before it is found out whether the figures are still those of the store.
_REST = 0.3
#: Called with a query, the route to put in force (None: the one that is) with its k, and a memory to go to.
Shows = Callable[[int, str | None, int, int | None], None]


class CompareScreen(CompareLabels):
    """Six views of one comparison; ``show_in_inspect`` is called with a query that is to be seen there."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("compare")
    PANE = "Compare"
    HELP = (
        "Routes side by side at matched recall: a route that returns nothing wins nothing. 1 the table, 2 plots, 3 "
        "what label errors cost, 4 which ? to resolve first, 5 verifier lens and agreement, 6 the queries behind the "
        "figure chosen last. Enter on any figure shows its queries, enter on a query shows it in Inspect on that "
        "route. R runs, escape stops and keeps the finished routes; what was compared last is shown again, and says so "
        "where the store was edited since. τ, cost, axes and base change the figures at once."
    )
    DEFAULT_CSS = """
    CompareScreen { layout: vertical; }
    CompareScreen #views { height: 1fr; }
    CompareScreen .view { height: 1fr; }
    CompareScreen #compare-about { height: 9; border-top: solid $primary; padding: 0 1; }
    CompareScreen #compare-first { height: 7; border-top: solid $primary; padding: 0 1; }
    CompareScreen #compare-ask { height: 50%; border-top: solid $primary; }
    CompareScreen #compare-said { height: 5; border-top: solid $primary; padding: 0 1; }
    CompareScreen #compare-agreement { height: 35%; border-top: solid $primary; }
    CompareScreen.-low #compare-about { height: 7; }
    CompareScreen.-low #compare-first { height: 5; }
    CompareScreen #view-plots { layout: grid; grid-size: 1 1; }
    CompareScreen #view-plots .-other { display: none; }
    CompareScreen.-tall.-medium #view-plots, CompareScreen.-tall.-wide #view-plots { grid-size: 2 2; }
    CompareScreen.-tall.-medium #view-plots .-other, CompareScreen.-tall.-wide #view-plots .-other { display: block; }
    CompareScreen.-tall #compare-about { height: 60%; }
    """

    class StoreChanged(Message):
        """An edit has moved something."""

        def can_replace(self, message: Message) -> bool:
            """One is as good as many."""
            return isinstance(message, CompareScreen.StoreChanged)

    def __init__(self, inspection: Inspection, state: CompareState, show_in_inspect: Shows | None = None) -> None:
        super().__init__(inspection, state)
        self.header = HeaderBar(id="header")
        self._show_in_inspect = show_in_inspect
        self._unsubscribe: Callable[[], None] | None = None
        self._look_timer: Timer | None = None

    def compose(self) -> ComposeResult:
        """Header, titles of the views, the views behind each other, the line that says how far work is, the keys."""
        yield self.header
        yield self.tab_bar
        with ContentSwitcher(initial=f"view-{self.state.view}", id="views"):
            with Vertical(id="view-routes", classes="view"):
                yield self.routes_pane
                yield self.about
            yield self.plot_box
            with Vertical(id="view-labels", classes="view"):
                yield self.labels_pane
                yield self.first
            with Vertical(id="view-resolve", classes="view"):
                yield self.resolve_pane
                yield self.ask_pane
            with Vertical(id="view-lens", classes="view"):
                yield self.lens_pane
                yield self.said
                yield self.agreement_pane
            with Vertical(id="view-queries", classes="view"):
                yield self.queries_pane
        yield self.moved
        yield KeyFooter()

    def on_mount(self) -> None:
        """Show what is known; take what the workspace has kept, or compare where that takes no time."""
        self._unsubscribe = self.inspection.subscribe(self._tell_change)
        self.show_all()
        self.show_view(self.state.view)
        if not self.state.loaded:
            self.tell(_("looking for what was compared before …"))
            self.load()
        else:
            self.look()

    def on_unmount(self) -> None:
        """Stop listening."""
        if self._unsubscribe is not None:
            self._unsubscribe()

    def _tell_change(self, _: Change) -> None:
        self.post_message(self.StoreChanged())

    @on(StoreChanged)
    @guarded
    def _store_changed(self, event: StoreChanged) -> None:
        event.stop()
        self._say_stale()
        if self._look_timer is not None:
            self._look_timer.stop()
        self._look_timer = self.set_timer(_REST, self.look)

    def _say_stale(self) -> None:
        self.show_header()
        self.show_labels()
        self.show_resolve()

    # What work gives

    def took_load(self, found: Found, _last: bool) -> None:
        """What the workspace had kept."""
        state = self.state
        state.loaded = True
        if found.kept is not None:
            state.kept, state.request, state.scores = found.kept, found.kept.request, found.kept.scores
            state.comparison = found.comparison
        state.labels, state.resolve = found.labels, found.resolve
        if found.labels is not None:
            state.seeds, state.tolerance = found.labels.request.seeds, found.labels.request.tolerance
        self.took_look(found.fresh, True)
        self.show_all()
        if found.kept is not None:
            self.tell(_("compared at {made_at}, as the workspace kept it").format(made_at=found.kept.made_at))
        elif not self.inspection.queries:
            self.tell(_("there are no queries: nothing to compare"), "warn")
        elif len(self.inspection.memories) * len(self.inspection.queries) <= AT_ONCE:
            self.compare()
        else:
            self.tell(_("R compares {routes}; r chooses others").format(routes=", ".join(state.request.routes)))

    def took_look(self, fresh: Fresh, _: bool) -> None:
        """Whether what is shown is of the store as it stands."""
        state = self.state
        state.stale, state.labels_stale, state.resolve_stale = fresh.stale, fresh.labels, fresh.resolve
        self._say_stale()

    def took_compare(self, comparison: Comparison, last: bool) -> None:
        """The routes that are finished so far."""
        state = self.state
        state.comparison, state.stale = comparison, ""
        state.kept = self._kept_of(comparison)
        self.show_header()
        self.show_routes()
        if state.view == "plots" and not last:
            self.show_plots()
        if last:
            self.show_all()
            self.tell(
                ngettext(
                    "compared {count:,} route; kept in the workspace",
                    "compared {count:,} routes; kept in the workspace",
                    len(comparison.routes),
                ).format(count=len(comparison.routes))
            )

    def _kept_of(self, comparison: Comparison) -> Kept:
        """What the thread has kept, as it stands in this comparison."""
        from datetime import UTC, datetime

        from inspector.comparing import Kept

        without = None if comparison.without is None else comparison.without.sources[0]
        at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return Kept(self.state.request, self.state.scores, comparison.sources[0], without, at, comparison.assumed)

    def took_figures(self, found: tuple[Kept, Comparison], _: bool) -> None:
        """Figures by another τ, axes, cost or base."""
        self.state.kept, self.state.comparison = found
        self.show_all()

    def took_labels(self, found: Sensitivity, last: bool) -> None:
        """The kinds of label error that are finished so far."""
        self.state.labels, self.state.labels_stale = found, ""
        self.show_labels()
        if last:
            self.show_plots()
            self.tell(
                _("{curves} of {seeds}; kept in the workspace").format(
                    curves=counted(len(found.curves), "curve"), seeds=counted(found.request.seeds, "seed")
                )
            )

    def took_resolve(self, found: KeptResolve, _last: bool) -> None:
        """Which ? to resolve first."""
        self.state.resolve, self.state.resolve_stale = found, ""
        self.show_resolve()
        count = len(found.found)
        words = ngettext(
            "{count} field behind the unresolved candidates of {route}",
            "{count} fields behind the unresolved candidates of {route}",
            count,
        )
        self.tell(words.format(count=count, route=found.route))

    def stopped(self, work: str) -> None:
        """Say what is left of a work that was cancelled."""
        if work == "compare":
            state = self.state
            kept = kept_comparison(self.inspection)
            done = 0 if kept is None or kept.request != state.request else len(kept.runs.runs)
            rest = "" if done == len(state.request.routes) else _("; R runs the rest")
            self.tell(
                _("stopped: {done} of {count} routes are finished and kept{rest}").format(
                    done=done, count=len(state.request.routes), rest=rest
                ),
                "warn",
            )
            self.show_routes()
        elif work == "labels":
            done = 0 if self.state.labels is None else len(self.state.labels.request.kinds)
            self.tell(
                ngettext(
                    "stopped: {done} kind of error is shown, finished curves are kept; R runs the rest",
                    "stopped: {done} kinds of error are shown, finished curves are kept; R runs the rest",
                    done,
                ).format(done=done),
                "warn",
            )
        else:
            self.tell(_("stopped"), "warn")

    # What stands above

    def show_header(self) -> None:
        """What is compared, and what must be said of it."""
        state, request = self.state, self.state.request
        left_out = [axis for axis in AXES if axis not in request.axes]
        facts = [
            f"k {request.k}",
            f"τ {request.tau:g}",
            _("cost {cost:g}").format(cost=request.cost),
            _("without {left_out}").format(left_out=", ".join(left_out)) if left_out else _("all axes"),
            _("base {base_route}").format(base_route=request.base_route),
        ]
        if state.scores:
            facts.append(_("scores {scores}").format(scores=", ".join(state.scores)))
        notices = []
        if state.comparison is not None and state.stale:
            notices.append(_("the figures are of before: {stale}; R compares again").format(stale=state.stale))
        if state.bare and state.comparison is not None and state.comparison.without is not None:
            notices.append(_("figures WITHOUT the assumptions (A)"))
        self.header.show(f"{self.inspection.name}: {_('compare')}", facts, (*notices, *self.inspection.header()))

    # Views

    def action_view(self, view: str) -> None:
        """Go to a view."""
        self.show_view(view)

    def action_step_view(self, step: int) -> None:
        """To the next view or the one before, round and round."""
        names = [name for name, _words in VIEWS]
        self.show_view(names[(names.index(self.state.view) + step) % len(names)])

    @on(TabBar.Picked)
    def _tab_picked(self, event: TabBar.Picked) -> None:
        event.stop()
        self.show_view(event.tab)

    # What is compared

    def action_run(self) -> None:
        """Run what the view shows."""
        if self.refused():
            return
        if not self.inspection.queries:
            self.tell(_("there are no queries: nothing to compare"), "warn")
        elif self.state.view == "labels" or (self.state.view == "plots" and self.plots["labels"].has_focus):
            self.run_labels()
        elif self.state.view == "resolve":
            self.run_resolve()
        else:
            self.compare()

    def action_settings(self) -> None:
        """Choose routes, k, recall, cost, axes, seeds, scores."""
        if self.refused():
            return
        state = self.state
        now = Asked(state.request, state.scores, state.seeds, state.tolerance)
        self.app.push_screen(CompareDialog(now, self._check_route), self._asked)

    def _check_route(self, route: str) -> None:
        from inspector.views import RouteChoice

        self.inspection.retriever.check(RouteChoice.parse(route))

    def _asked(self, asked: Asked | None) -> None:
        if asked is None:
            return
        state = self.state
        state.seeds, state.tolerance = asked.seeds, asked.tolerance
        before, state.scores = (state.request, state.scores), asked.scores
        figures_only = replace(
            before[0],
            tau=asked.request.tau,
            axes=asked.request.axes,
            cost=asked.request.cost,
            base=asked.request.base,
        )
        if (figures_only, before[1]) == (asked.request, asked.scores) and state.kept is not None:
            self.refigure(asked.request)
        else:
            state.request = asked.request
            self.show_header()
            self.compare()

    def _other(self, **changes: Any) -> None:
        """Change what figures alone depend on."""
        if self.refused():
            return
        try:
            request = check_request(replace(self.state.request, **changes))
        except InspectorError as error:
            self.tell(str(error), "warn")
            return
        self.refigure(request)
        self.show_header()

    def action_base(self) -> None:
        """Take differences from the route under the cursor."""
        key = self.routes_pane.key
        if self.state.view == "plots":
            key = next((view.route for view in self.plots.values() if view.has_focus), None)
        route = key.route if isinstance(key, PathKey) else key
        if isinstance(route, str):
            self._other(base=route)

    def action_tau(self, step: int) -> None:
        """Match more or less recall."""
        self._other(tau=round(min(1.0, max(0.0, self.state.request.tau + 0.05 * step)), 2))

    def action_axis(self, axis: str) -> None:
        """Leave an axis out of the verdict, or take it in again."""
        axes = self.state.request.axes
        self._other(axes=tuple(each for each in AXES if (each in axes) != (each == axis)))

    def action_assumptions(self) -> None:
        """The figures without the assumptions, and with them again."""
        found = self.state.comparison
        if found is None or found.without is None:
            none = not self.inspection.settings.assumptions
            self.tell(_("nothing is assumed") if none else _("R compares without the assumptions too"), "warn")
            return
        self.state.bare = not self.state.bare
        self.show_all()

    def action_variant(self) -> None:
        """Another way of letting through; on label errors another kind."""
        state = self.state
        at_labels = state.view == "labels" or (state.view == "plots" and state.plot == "labels")
        if at_labels and state.labels is not None:
            kinds = state.labels.request.kinds
            state.kind = kinds[(kinds.index(state.kind_shown) + 1) % len(kinds)]
            self.show_plots()
            if state.view == "labels":
                self.tell(_("plotted: {replace}").format(replace=state.kind.replace("_", " ")))
        elif state.shown is not None:
            rules = list(dict.fromkeys(rule for result in state.shown.routes for rule in result.exposures))
            state.rule = rules[(rules.index(state.rule_shown) + 1) % len(rules)]
            self.show_routes()
            self.show_plots()

    # Going about

    def go_to_inspect(self, qi: int, route: str | None, mi: int | None = None) -> None:
        """Show a query in Inspect, on a route that is put in force there, or on the one that is."""
        if self._show_in_inspect is None:
            self.tell(_("Inspect is not open"), "warn")
        elif not self.refused():
            self._show_in_inspect(qi, route, self.state.request.k, mi)

    def action_to_about(self) -> None:
        """To what is said of the figure under the cursor."""
        if self.state.view == "labels":
            self.first.focus()
        else:
            self.show_view("routes")
            self.about.focus()

    def action_leave(self) -> None:
        """Back to where Compare was opened."""
        self.app.pop_screen()

    def open_find(self) -> None:
        """``/`` where the focus is on nothing that can be searched: find among the queries."""
        self.show_view("queries")
        self.queries_pane.open_find()

    def go_back(self) -> bool:
        """Escape stops work, then goes back to the figure, then leaves."""
        if self.cancel_work():
            return True
        if self.state.view == "queries" and self.state.drill is not None:
            self.show_view(self.state.drilled_from)
            return True
        self.action_leave()
        return True

    def export_tables(self) -> Sequence[Table]:
        """Every figure in full, whatever view is in sight."""
        return [] if self.state.shown is None else [figure_table(self.state.shown)]

    def copy_text(self) -> str | None:
        """What ``y`` copies where the focus is on nothing else: the line below."""
        return str(self.moved.content).strip() or None
