"""The ground of the *Store* screen: what is open, what is kept between two visits, its parts (SCREENS Store)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from inspector.store.lint import SEVERITIES, Finding
from inspector.survey import Survey
from inspector.ui.screens.working import EditScreen
from inspector.ui.widgets.cells import Cell, Piece
from inspector.ui.widgets.reader import Reader
from inspector.ui.widgets.store_about import SEVERITY_SIGNS
from inspector.ui.widgets.store_findings import FindingsPane
from inspector.ui.widgets.store_lanes import LanesPane
from inspector.ui.widgets.store_map import CoverageMapView
from inspector.ui.widgets.store_pane import StorePane
from inspector.ui.widgets.store_select import Selection
from inspector.views import Change

if TYPE_CHECKING:
    from inspector.inspection import Inspection
    from inspector.linting import LintReport

#: An edit that touches more records than this has the survey begin again in its thread.
_MANY = 5_000


@dataclass
class StoreState:
    """What outlives a visit: the survey, the findings, and where one was.

    It follows every edit of the store, also while another screen is seen. ``stale`` says that an edit came after the
    lint, ``edits`` counts them.
    """

    survey: Survey
    report: LintReport | None = None
    stale: bool = False
    edits: int = 0
    view: str = "records"
    selection: Selection | None = None
    filter: str = ""
    column: str | None = None
    reverse: bool = False
    mi: int | None = None
    session: str = ""
    _by_memory: dict[int, list[Finding]] = field(default_factory=dict)

    @classmethod
    def of(cls, inspection: Inspection) -> StoreState:
        """The state of a first visit; from now on it follows the store's edits."""
        state = cls(Survey(inspection.memories))
        inspection.subscribe(state.follow)
        return state

    def follow(self, change: Change) -> None:
        """An edit: see its records again."""
        self.edits += 1
        self.stale = True
        if len(change.memories) > _MANY:
            self.survey.restart()
        else:
            self.survey.update(change.memories)

    def take(self, report: LintReport, *, stale: bool) -> None:
        """Findings of a lint; ``stale`` where an edit came meanwhile."""
        self.report, self.stale = report, stale
        self._by_memory = {}
        for one in report.findings:
            for index in {one.index, *one.related}:
                if index is not None:
                    self._by_memory.setdefault(index, []).append(one)

    def findings(self, mi: int) -> Sequence[Finding] | None:
        """The findings that are about a memory, None before the first lint."""
        return None if self.report is None else self._by_memory.get(mi, ())

    def lint_cell(self, mi: int) -> Cell:
        """``✗2``: the worst severity and how many; ``–`` none, ``?`` not linted."""
        found = self.findings(mi)
        if found is None:
            return Piece("?", "dim")
        if not found:
            return Piece("–", "dim")
        counts = Counter(one.severity for one in found)
        worst = next(severity for severity in SEVERITIES if counts[severity])
        sign, style = SEVERITY_SIGNS[worst]
        return Piece(f"{sign}{len(found)}", style)

    def lint_ranks(self, count: int) -> npt.NDArray[np.int64]:
        """A number a memory for ordering by findings: the worst severity first, then their number; −1 for none."""
        ranks = np.full(count, -1, np.int64)
        for mi, found in self._by_memory.items():
            worst = min(SEVERITIES.index(one.severity) for one in found)
            ranks[mi] = (len(SEVERITIES) - worst) * 1_000 + min(len(found), 999)
        return ranks


class StoreBase(EditScreen):
    """What the parts of the screen share. ``qi`` is the query that Inspect shows, None where there is none."""

    def __init__(self, inspection: Inspection, state: StoreState, qi: int | None) -> None:
        super().__init__(inspection)
        self.state = state
        self.qi = qi
        self.pane = StorePane(inspection.memories, state.lint_cell, id="records")
        self.about = Reader(id="about")
        self.map = CoverageMapView(id="map")
        self.findings_pane = FindingsPane(id="findings")
        self.lanes = LanesPane(id="lanes")

    @property
    def mi(self) -> int | None:
        """The record under the cursor of the table."""
        return self.pane.mi
