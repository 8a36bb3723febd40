"""Routes and plots of the *Compare* screen, and the way from a figure to its queries (SCREENS Compare)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from textual import on
from textual.containers import Container
from textual.widgets import ContentSwitcher

from inspector.compare.comparison import Behind, Comparison
from inspector.i18n import N_, _, told
from inspector.trit import NO, UNKNOWN
from inspector.ui.messages import guarded
from inspector.ui.screens.compare_base import CompareState
from inspector.ui.screens.compare_work import CompareWorking
from inspector.ui.widgets import compare_plots as plots
from inspector.ui.widgets.cells import Piece
from inspector.ui.widgets.compare_lists import (
    AgreementPane,
    AskPane,
    Drill,
    LabelsPane,
    LensPane,
    QueriesPane,
    ResolvePane,
    drill_columns,
    drill_figure,
    drill_to,
    query_rows,
)
from inspector.ui.widgets.compare_plot_view import PlotView
from inspector.ui.widgets.compare_table import (
    SHOWN,
    FigureKey,
    PathKey,
    RoutesPane,
    figure_items,
    route_rows,
    title_pieces,
)
from inspector.ui.widgets.detail import TabBar
from inspector.ui.widgets.panes import TablePane
from inspector.ui.widgets.reader import Item, Reader
from inspector.ui.widgets.safe import plain
from inspector.ui.widgets.signs import share

if TYPE_CHECKING:
    from inspector.inspection import Inspection

VIEWS = (
    ("routes", N_("1 Routes")),
    ("plots", N_("2 Plots")),
    ("labels", N_("3 Label errors")),
    ("resolve", N_("4 Resolve first")),
    ("lens", N_("5 Lens")),
    ("queries", N_("6 Queries")),
)


class CompareViews(CompareWorking):
    """Each view leads to the queries behind what it shows."""

    def __init__(self, inspection: Inspection, state: CompareState) -> None:
        super().__init__(inspection, state)
        self.tab_bar = TabBar()
        self.routes_pane = RoutesPane(id="compare-routes")
        self.about = Reader(id="compare-about")
        self.plots = {name: PlotView(name) for name in plots.PLOTS}
        self.plot_box = Container(*self.plots.values(), id="view-plots", classes="view")
        self.labels_pane = LabelsPane(id="compare-labels")
        self.first = Reader(id="compare-first")
        self.resolve_pane = ResolvePane(id="compare-resolve")
        self.ask_pane = AskPane(id="compare-ask")
        self.lens_pane = LensPane(id="compare-lens")
        self.said = Reader(id="compare-said")
        self.agreement_pane = AgreementPane(id="compare-agreement")
        self.queries_pane = QueriesPane(id="compare-queries")

    def show_labels(self) -> None:
        """The curves as a table, and which label breaks each route first."""
        raise NotImplementedError

    def show_resolve(self) -> None:
        """The fields to resolve first, and whom to ask."""
        raise NotImplementedError

    def show_lens(self) -> None:
        """What scores tell, and how far judges agree."""
        raise NotImplementedError

    def drill_labels(self, route: str, kind: str, at: int) -> None:
        """The queries that are worse off under a kind of error at one rate."""
        raise NotImplementedError

    def go_to_inspect(self, qi: int, route: str | None, mi: int | None = None) -> None:
        """Show a query in Inspect, on a route that is put in force there, or on the one that is."""
        raise NotImplementedError

    # Views

    def show_view(self, view: str) -> None:
        """Bring a view into sight and put the focus into it."""
        self.state.view = view
        self.query_one("#views", ContentSwitcher).current = f"view-{view}"
        self.tab_bar.show([(name, _(words)) for name, words in VIEWS], view)
        panes = {
            "routes": self.routes_pane,
            "labels": self.labels_pane,
            "resolve": self.resolve_pane,
            "lens": self.lens_pane,
            "queries": self.queries_pane,
        }
        if view == "plots":
            self.show_plots()
            self.focus_plot(self.state.plot)
        else:
            panes[view].grid.focus()

    def show_all(self) -> None:
        """Show everything anew."""
        self.show_header()
        self.show_routes()
        self.show_plots()
        self.show_labels()
        self.show_resolve()
        self.show_lens()
        self.show_drill()

    def show_header(self) -> None:
        """What is compared, and what must be said of it."""
        raise NotImplementedError

    def show_routes(self) -> None:
        """The table of routes."""
        shown, state = self.state.shown, self.state
        if shown is None:
            empty = _("no queries in this store: nothing to compare") if not self.inspection.queries else None
            self.routes_pane.fill((), [Piece(_("R compares, r chooses"), "dim")], empty=empty)
        else:
            said = title_pieces(shown, state.rule_shown)
            missing = [route for route in state.request.routes if route not in [r.route for r in shown.routes]]
            if missing and not self.waited_for:
                said.append(Piece(_(" · not finished: {missing} (R)").format(missing=", ".join(missing)), "warn"))
            self.routes_pane.fill(route_rows(shown, state.rule_shown), said)
        self._show_about()

    def _show_about(self) -> None:
        shown = self.state.shown
        if shown is None:
            self.about.show(
                [Item(plain(_("R compares the routes that stand in the header; r chooses others")))], keep=False
            )
            return
        grid = self.routes_pane.grid
        items = figure_items(shown, grid.cursor_key, grid.cursor_column, self.state.rule_shown)
        source = shown.sources[0]
        items += [Item(plain(f"· {told(note)}", "$dim")) for note in source.notes if "returned nothing" in note]
        self.about.show(items, keep=False)

    @on(TablePane.Highlighted, "#compare-routes")
    @guarded
    def _route_moved(self, event: TablePane.Highlighted) -> None:
        event.stop()
        self._show_about()

    @on(TablePane.Opened, "#compare-routes")
    @guarded
    def _route_chosen(self, event: TablePane.Opened) -> None:
        event.stop()
        shown, key = self.state.shown, event.key
        if shown is None:
            return
        column = event.column if event.column in SHOWN else "risk"
        if isinstance(key, PathKey):
            self.drill(drill_to(shown, key.route, column, self.state.rule_shown, key.path))
        elif isinstance(key, str):
            if column == "risk" and shown.route(key).figures["recall"].value is None:
                column = "ranking"
            self.drill(drill_to(shown, key, column, self.state.rule_shown))

    @on(Reader.Chosen, "#compare-about")
    @guarded
    def _figure_chosen(self, event: Reader.Chosen) -> None:
        event.stop()
        if self.state.shown is not None and isinstance(event.key, FigureKey):
            self.drill(drill_figure(self.state.shown, event.key))

    # Plots

    def load_plots(self) -> None:
        """Import what makes the plots."""
        self.start("plots", lambda _: plots.load())

    def took_plots(self, *_: object) -> None:
        """Plots can be made."""
        self.show_plots()

    def show_plots(self) -> None:
        """All plots, as far as there is something to plot."""
        shown, state = self.state.shown, self.state
        if state.view == "plots" and not plots.is_loaded() and not self.running("plots"):
            self.load_plots()
        if shown is None or not plots.is_loaded():
            words = _("R compares the routes") if shown is None else "…"
            for view in self.plots.values():
                view.say(words)
            return
        rule = state.rule_shown
        told = plots.title("risk", comparison=shown)
        self.plots["risk"].show(told, plots.risk_series(shown), partial(plots.draw_risk, shown))
        self.plots["recall"].show(
            plots.title("recall"),
            plots.recall_series(shown),
            partial(plots.draw_recall, shown),
            lambda one, at: (
                _("recall {share} after {min}").format(
                    share=share(one.y[min(at, len(one.y) - 1)]), min=min(at, len(one.y) - 1)
                )
                if one.y
                else one.said
            ),
        )
        self.plots["contamination"].show(
            plots.title("contamination", rule),
            plots.contamination_series(shown, rule),
            partial(plots.draw_contamination, shown, rule),
        )
        found, kind = state.labels, state.kind_shown
        if found is None:
            self.plots["labels"].say(_("R in 3 Label errors runs them"))
            return
        self.plots["labels"].show(
            plots.title("labels", kind=kind),
            plots.label_series(shown, found, kind),
            partial(plots.draw_labels, shown, found, kind),
            lambda one, at: (
                _("upper risk {share} at {x:.0f} % · {said}").format(
                    share=share(one.y[min(at, len(one.y) - 1)]), x=one.x[min(at, len(one.x) - 1)], said=one.said
                )
                if one.y
                else one.said
            ),
        )

    def focus_plot(self, plot: str) -> None:
        """Go to a plot; where there is no room for all it is the one that is seen."""
        self.state.plot = plot
        for name, view in self.plots.items():
            view.set_class(name != plot, "-other")
        self.plots[plot].focus()

    def action_step_plot(self, step: int) -> None:
        """To the next plot or the one before."""
        names = list(self.plots)
        here = next((name for name, view in self.plots.items() if view.has_focus), self.state.plot)
        if self.state.view != "plots":
            self.show_view("plots")
        self.focus_plot(names[(names.index(here) + step) % len(names)])

    @on(PlotView.Chosen)
    @guarded
    def _point_chosen(self, event: PlotView.Chosen) -> None:
        event.stop()
        shown, state = self.state.shown, self.state
        if shown is None:
            return
        if event.plot == "labels" and state.labels is not None:
            self.drill_labels(event.route, state.kind_shown, event.at)
        elif event.plot == "recall":
            self.drill(self._at_prefix(shown, event.route, event.at))
        else:
            column = "contamination" if event.plot == "contamination" else "risk"
            if column == "risk" and shown.route(event.route).figures["recall"].value is None:
                column = "ranking"
            self.drill(drill_to(shown, event.route, column, state.rule_shown))

    @staticmethod
    def _at_prefix(shown: Comparison, route: str, at: int) -> Drill:
        """The queries with their recall after so many candidates, the least first."""
        source, part = shown.sources[0], shown.route(route).sources[0]
        counts = source.needs.counts
        within = (part.matched.ranks > 0) & (part.matched.ranks <= at)
        hits = np.bincount(source.needs.row[within], minlength=len(counts))
        found = [Behind(0, qi, float(hits[qi] / counts[qi])) for qi in np.flatnonzero(counts).tolist()]
        found.sort(key=lambda one: (one.value, one.qi))
        notes = tuple(
            _("{hits} of {counts} after {at}").format(hits=hits[one.qi], counts=counts[one.qi], at=at) for one in found
        )
        return Drill(
            _("recall of {route} after {at} candidates").format(route=route, at=at),
            route,
            tuple(found),
            SHOWN["recall"],
            notes=notes,
        )

    # The queries behind a figure

    def drill(self, drill: Drill) -> None:
        """Show the queries behind a figure."""
        if self.state.view != "queries":
            self.state.drilled_from = self.state.view
        self.state.drill = drill
        self.queries_pane.set_filter("")
        self.show_drill()
        self.queries_pane.grid.move_cursor(0)
        self.show_view("queries")

    def show_drill(self) -> None:
        """The queries of the figure chosen last."""
        drill, shown = self.state.drill, self.state.shown
        if drill is None or shown is None:
            self.queries_pane.fill((), empty=_("enter on a figure shows the queries behind it"))
            return
        columns = drill_columns(drill)
        if columns != list(self.queries_pane.grid.columns):
            self.queries_pane.grid.set_columns(columns)
        rows = query_rows(shown, self.inspection.queries, drill)
        self.queries_pane.fill(
            rows, [Piece(f"{len(rows):,}: {drill.words}", "changed")], empty=_("no query is behind this")
        )

    def action_not_evaluable(self) -> None:
        """The queries that require nothing and are left out."""
        shown = self.state.shown
        if shown is None:
            self.tell(_("nothing is compared yet: R compares"), "warn")
            return
        behind = tuple(Behind(0, qi, 0.0) for qi in shown.sources[0].not_evaluable)
        self.drill(
            Drill(_("not evaluable: no evidence is required"), shown.request.base_route, behind, SHOWN["ranking"])
        )

    @on(TablePane.Opened, "#compare-queries")
    @guarded
    def _query_chosen(self, event: TablePane.Opened) -> None:
        event.stop()
        if isinstance(event.key, tuple):
            route = None if self.state.drill is None else self.state.drill.route
            qi = int(event.key[0])
            self.go_to_inspect(qi, route, self._first_in_doubt(qi, route))

    def _first_in_doubt(self, qi: int, route: str | None) -> int | None:
        """The first excluded candidate of a query's matched prefix, else the first unresolved one; None for none.

        Where there is no matched prefix the whole ranking is looked at.
        """
        shown = self.state.shown
        if shown is None or route not in [result.route for result in shown.routes]:
            return None
        part, memory = shown.route(str(route)).sources[0], shown.sources[0].runs[str(route)].memory[qi]
        depth = int(part.matched.prefix[qi])
        held = (memory >= 0) & (np.arange(len(memory)) < (depth if depth >= 0 else len(memory)))
        for value in (NO, UNKNOWN):
            places = np.flatnonzero(held & (part.admissible[qi] == np.uint8(value)))
            if len(places):
                return int(memory[places[0]])
        return None

    def action_inspect(self) -> None:
        """The query in Inspect, on the route that is in force there."""
        key = self.queries_pane.key
        if self.state.view == "queries" and isinstance(key, tuple):
            self.go_to_inspect(int(key[0]), None)
        else:
            self.tell(_("enter on a figure shows its queries; w takes the one under the cursor to Inspect"), "warn")
