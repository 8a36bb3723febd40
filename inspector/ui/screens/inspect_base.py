"""The ground of the Inspect screen: what is open, what is selected, and what its parts need of each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from inspector.ui.screens.working import EditScreen
from inspector.ui.widgets.bundle_line import BundleBar
from inspector.ui.widgets.candidate_pane import CandidatePane
from inspector.ui.widgets.detail import Detail
from inspector.ui.widgets.detail_tabs import TABS, RecordTab, WhyTab
from inspector.ui.widgets.query_pane import QueryPane

if TYPE_CHECKING:
    from inspector.inspection import Inspection


class InspectBase(EditScreen):
    """What editing, evaluating and showing share. ``busy`` is set while a route is evaluated in a thread: reading and
    editing go on meanwhile, on the candidates in force."""

    def __init__(self, inspection: Inspection) -> None:
        super().__init__(inspection)
        self.qi: int | None = None
        self.busy = False
        #: What the line below the regions says.
        self.said = ""
        self.query_pane = QueryPane(id="queries")
        self.bundle_bar = BundleBar(id="bundle")
        self.candidate_pane = CandidatePane(id="candidates")
        self.detail = Detail(TABS, id="detail")

    @property
    def why(self) -> WhyTab:
        """The Why tab."""
        return cast("WhyTab", self.detail.tab("why"))

    @property
    def record(self) -> RecordTab:
        """The Record tab."""
        return cast("RecordTab", self.detail.tab("record"))

    @property
    def mi(self) -> int | None:
        """The memory under the cursor of the candidates."""
        current = self.candidate_pane.current
        return None if current is None else current.mi

    def tell(self, words: str, style: str = "") -> None:
        """Say something in the line below the regions."""
        self.said = words
        super().tell(words, style)

    def show_query(self, *, cursor: int | None = None) -> None:
        """Show candidates, bundle and figures of the selected query as they are now."""
        raise NotImplementedError

    def take_away(self) -> bool:
        """Take the selected query away, if it was typed in."""
        raise NotImplementedError
