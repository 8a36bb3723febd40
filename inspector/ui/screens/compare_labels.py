"""Label errors, what to resolve first, verifier lens and agreement on the *Compare* screen (SCREENS Compare)."""

from __future__ import annotations

import numpy as np
from textual import on

from inspector.compare.comparison import Behind
from inspector.i18n import _
from inspector.records import Record
from inspector.trit import UNKNOWN
from inspector.ui.messages import guarded
from inspector.ui.screens.compare_views import CompareViews
from inspector.ui.widgets.cells import Piece
from inspector.ui.widgets.compare_lists import (
    CurveKey,
    Drill,
    agreement_rows,
    ask_rows,
    drill_to,
    first_items,
    label_columns,
    label_rows,
    lens_rows,
    resolve_rows,
)
from inspector.ui.widgets.compare_table import SHOWN
from inspector.ui.widgets.panes import TablePane
from inspector.ui.widgets.reader import Item, Reader
from inspector.ui.widgets.safe import plain


class CompareLabels(CompareViews):
    """What rests on labels: how much they may be wrong, which are missing, what would do without them."""

    # Label errors

    def show_labels(self) -> None:
        """The curves as a table, and which label breaks each route first."""
        found, shown = self.state.labels, self.state.shown
        if found is None or shown is None:
            self.labels_pane.fill((), [Piece(_("R runs: every route under every kind of error"), "dim")])
            self.first.show([Item(plain(_("not run yet")))], keep=False)
            return
        request = found.request
        columns = label_columns(request.rates)
        if [column.key for column in columns] != [column.key for column in self.labels_pane.grid.columns]:
            self.labels_pane.grid.set_columns(columns)
        said = [
            Piece(
                _("{seeds} seeds, broken at +{tolerance:g}, base {base_route}").format(
                    seeds=request.seeds, tolerance=request.tolerance, base_route=request.routes.base_route
                ),
                "dim",
            )
        ]
        if words := self.labels_words():
            said.append(Piece(f" · {words} (R)", "warn"))
        self.labels_pane.fill(label_rows(shown, found), said)
        self.first.show(first_items(found))

    def labels_words(self) -> str:
        """Why the curves are not those of the store and the settings as they stand."""
        found, request = self.state.labels, self.state.request
        if found is None:
            return ""
        made = found.request.routes
        if self.state.labels_stale:
            return _("of before: {labels_stale}").format(labels_stale=self.state.labels_stale)
        names = ("routes", "k", "tau", "axes", "cost", "base_route", "seed")
        moved = [name.partition("_")[0] for name in names if getattr(made, name) != getattr(request, name)]
        return _("made with other {moved}").format(moved=", ".join(moved)) if moved else ""

    @on(TablePane.Opened, "#compare-labels")
    @guarded
    def _curve_chosen(self, event: TablePane.Opened) -> None:
        event.stop()
        found = self.state.labels
        if found is None or not isinstance(event.key, CurveKey):
            return
        rates = [f"at {rate:g}" for rate in found.request.rates]  # the columns' keys, which no language changes
        at = rates.index(event.column) if event.column in rates else len(rates) - 1
        self.drill_labels(event.key.route, event.key.kind, at)

    @on(Reader.Chosen, "#compare-first")
    @guarded
    def _first_chosen(self, event: Reader.Chosen) -> None:
        event.stop()
        found = self.state.labels
        if found is not None and isinstance(event.key, CurveKey):
            curve = found.curve(event.key.route, event.key.kind)
            at = found.request.rates.index(curve.breaks_at) if curve.breaks_at is not None else -1
            self.drill_labels(event.key.route, event.key.kind, at)

    def drill_labels(self, route: str, kind: str, at: int) -> None:
        """The queries that are worse off under a kind of error at one rate."""
        found = self.state.labels
        if found is None:
            return
        rate = found.request.rates[min(at, len(found.request.rates) - 1)]
        words = _("worse off on {route} where {rate:.0%} are wrong: {replace}").format(
            route=route, rate=rate, replace=kind.replace("_", " ")
        )
        self.drill(Drill(words, route, found.behind(route, kind, rate), SHOWN["risk"]))

    # Resolve first

    def show_resolve(self) -> None:
        """The fields, and whom to ask."""
        resolve = self.state.resolve
        if resolve is None:
            self.resolve_pane.fill(
                (),
                [Piece(_("R works it out for {base_route}").format(base_route=self.state.request.base_route), "dim")],
            )
        else:
            said = [Piece(_("on {route}").format(route=resolve.route), "dim")]
            if words := self.resolve_words():
                said.append(Piece(f" · {words} (R)", "warn"))
            none = _("no candidate of {route} that counts is unresolved: nothing to resolve").format(
                route=resolve.route
            )
            self.resolve_pane.fill(resolve_rows(resolve.found), said, empty=none)
        self._show_ask()

    def resolve_words(self) -> str:
        """Why the fields are not those of the store and the settings as they stand."""
        resolve, request = self.state.resolve, self.state.request
        if resolve is None:
            return ""
        if self.state.resolve_stale:
            return _("of before: {resolve_stale}").format(resolve_stale=self.state.resolve_stale)
        if resolve.route != request.base_route:
            return _("the base is {base_route} now").format(base_route=request.base_route)
        names = [name for name in ("k", "tau", "axes") if getattr(resolve.request, name) != getattr(request, name)]
        return _("made with other {names}").format(names=", ".join(names)) if names else ""

    def _show_ask(self) -> None:
        resolve = self.state.resolve
        one = None if resolve is None else next((f for f in resolve.found if f.field == self.resolve_pane.key), None)
        if one is None:
            not_yet = _("R works out which ? to resolve first, and which records to ask about")
            self.ask_pane.fill((), empty=not_yet if resolve is None else _("no record to ask about"))
            return
        records: list[Record] = list(self.inspection.queries if one.owner == "query" else self.inspection.memories)
        texts = [records[ask.index].text for ask in one.records]
        none = _("the policy file or a setting of the store would say") if one.owner == "store" else None
        self.ask_pane.fill(
            ask_rows(one, texts), [Piece(_("who lacks {field}").format(field=one.field), "dim")], empty=none
        )

    @on(TablePane.Highlighted, "#compare-resolve")
    @guarded
    def _field_moved(self, event: TablePane.Highlighted) -> None:
        event.stop()
        self._show_ask()

    @on(TablePane.Opened, "#compare-resolve")
    def _field_chosen(self, event: TablePane.Opened) -> None:
        event.stop()
        self.ask_pane.grid.focus()

    @on(TablePane.Opened, "#compare-ask")
    @guarded
    def _record_chosen(self, event: TablePane.Opened) -> None:
        event.stop()
        resolve = self.state.resolve
        if resolve is None or not isinstance(event.key, tuple):
            return
        owner, index = event.key
        if owner == "query":
            self.go_to_inspect(index, resolve.route)
        elif (qi := self._where_open(resolve.route, index)) is None:
            self.tell(
                _("{route} is not among the routes compared now: R compares, b chooses the base").format(
                    route=resolve.route
                ),
                "warn",
            )
        else:
            self.go_to_inspect(qi, resolve.route, index)

    def _where_open(self, route: str, mi: int) -> int | None:
        """A query on which a memory is unresolved: in its matched prefix, else in its ranking; else one with it."""
        shown = self.state.shown
        if shown is None or route not in [result.route for result in shown.routes]:
            return None
        part, memory = shown.route(route).sources[0], shown.sources[0].runs[route].memory
        held = memory == mi
        unresolved = held & (part.admissible == np.uint8(UNKNOWN))
        inside = np.arange(memory.shape[1]) < part.matched.prefix[:, None]
        for cells in (unresolved & inside, unresolved, held):
            rows = np.flatnonzero(cells.any(axis=1))
            if len(rows):
                return int(rows[0])
        return None

    # Lens and agreement

    def show_lens(self) -> None:
        """What scores tell, and how far judges agree."""
        shown = self.state.shown
        self.lens_pane.fill(() if shown is None else lens_rows(shown))
        found = () if shown is None or not shown.agreement else shown.agreement[0]
        caution = [Piece(_("policy is read as consistency with declared fields"), "dim")] if found else []
        self.agreement_pane.fill(agreement_rows(found), caution)
        self._show_said()

    def _show_said(self) -> None:
        """The words of the rows under both cursors in full: a narrow table cuts them."""
        shown = self.state.shown
        lens_key, axis = self.lens_pane.key, self.agreement_pane.key
        items = []
        if shown is not None and isinstance(lens_key, tuple):
            route, place = lens_key
            lenses = shown.route(route).sources[0].lenses if route in [one.route for one in shown.routes] else ()
            items += [
                Item(plain(f"{lens.score}: {lens.words}"), plain(str(route)), 20) for lens in lenses[place : place + 1]
            ]
        found = shown.agreement[0] if shown is not None and shown.agreement else ()
        items += [Item(plain(one.words), plain(one.axis), 20) for one in found if one.axis == axis]
        self.said.show(items, keep=False)

    @on(TablePane.Highlighted, "#compare-lens")
    @on(TablePane.Highlighted, "#compare-agreement")
    @guarded
    def _lens_moved(self, event: TablePane.Highlighted) -> None:
        event.stop()
        self._show_said()

    @on(TablePane.Opened, "#compare-lens")
    @guarded
    def _lens_chosen(self, event: TablePane.Opened) -> None:
        event.stop()
        if self.state.shown is not None and isinstance(event.key, tuple):
            self.drill(drill_to(self.state.shown, str(event.key[0]), "ranking", self.state.rule_shown))

    @on(TablePane.Opened, "#compare-agreement")
    @guarded
    def _axis_chosen(self, event: TablePane.Opened) -> None:
        event.stop()
        shown = self.state.shown
        if shown is None or not shown.agreement:
            return
        found = next((one for one in shown.agreement[0] if one.axis == event.key), None)
        if found is None:
            return
        places = {query.id: qi for qi, query in enumerate(self.inspection.queries)}
        held = [unit for unit in found.disputed if unit.query_id in places]
        behind = tuple(Behind(0, places[unit.query_id], 0.0) for unit in held)
        notes = tuple(
            f"{unit.memory_id}: " + ", ".join(f"{source} {value.symbol}" for source, value in unit.said)
            for unit in held
        )
        self.drill(Drill(_("sources disagree on {axis}").format(axis=found.axis), None, behind, notes=notes))
