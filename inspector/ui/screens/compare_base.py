"""The ground of the *Compare* screen: what outlives a visit, and what its parts share (SCREENS Compare)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from inspector.compare.comparison import Comparison, Request
from inspector.compare.corruption import SEEDS, TOLERANCE
from inspector.comparing import Kept, KeptResolve, Sensitivity, check_request
from inspector.i18n import N_, _
from inspector.ui.screens.working import WorkScreen
from inspector.ui.widgets.compare_lists import Drill
from inspector.ui.widgets.compare_table import default_rule
from inspector.views import Change

if TYPE_CHECKING:
    from inspector.inspection import Inspection

EDITED = N_("the store was edited since")


def first_request(inspection: Inspection) -> Request:
    """What is compared where nobody has chosen yet: routes that need nothing that is not there already."""
    traced = any((query.value("recorded") or {}).get("events") for query in inspection.queries)
    if inspection.retriever.has_vectors:
        routes = ["global_dense", "namespace_dense", "postfilter:500", "governed"]
    else:
        routes = ["global_bm25", "namespace_bm25"]
    if traced:
        routes = ["recorded", *routes]
    return check_request(Request(tuple(routes), k=inspection.route.k, tau=inspection.tau))


@dataclass
class CompareState:
    """What outlives a visit. It follows every edit of the store, also while another screen is seen.

    ``comparison`` may be of fewer routes than ``request`` asks for; ``stale``, ``labels_stale`` and ``resolve_stale``
    say in words why the figures are not those of the store as it stands, "" where they are.
    """

    request: Request
    scores: tuple[str, ...] = ()
    kept: Kept | None = None
    comparison: Comparison | None = None
    stale: str = ""
    labels: Sensitivity | None = None
    labels_stale: str = ""
    resolve: KeptResolve | None = None
    resolve_stale: str = ""
    seeds: int = SEEDS
    tolerance: float = TOLERANCE
    loaded: bool = False
    view: str = "routes"
    rule: str = ""
    kind: str = ""
    plot: str = "risk"
    bare: bool = False
    drill: Drill | None = None
    drilled_from: str = "routes"

    @classmethod
    def of(cls, inspection: Inspection) -> CompareState:
        """The state of a first visit; from now on it follows the store's edits."""
        state = cls(first_request(inspection))
        inspection.subscribe(state.follow)
        return state

    def follow(self, _: Change) -> None:
        """An edit of the store."""
        self.mark_edited()

    def mark_edited(self) -> None:
        """Everything that was worked out is of before."""
        self.stale = self.labels_stale = self.resolve_stale = _(EDITED)

    @property
    def shown(self) -> Comparison | None:
        """The comparison in sight: with the assumptions, or without them where that was asked for."""
        found = self.comparison
        return found.without if found is not None and self.bare and found.without is not None else found

    @property
    def rule_shown(self) -> str:
        """The way of letting through that contamination and loss are shown for."""
        if self.shown is None:
            return self.rule or "retrieved"
        held = {rule for result in self.shown.routes for rule in result.exposures}
        return self.rule if self.rule in held else default_rule(self.shown)

    @property
    def kind_shown(self) -> str:
        """The kind of label error that is plotted; "" before any was run."""
        if self.labels is None:
            return ""
        kinds = self.labels.request.kinds
        breaking = next((curve.kind for curve in self.labels.first.values() if curve is not None), kinds[0])
        return self.kind if self.kind in kinds else breaking


class CompareBase(WorkScreen):
    """What the parts of the screen share."""

    def __init__(self, inspection: Inspection, state: CompareState) -> None:
        super().__init__(inspection)
        self.state = state
