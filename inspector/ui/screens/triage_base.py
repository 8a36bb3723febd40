"""The ground of the *Triage* screen: what outlives a visit, and its parts (SCREENS Triage)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from inspector.audit.triage import Incident
from inspector.triage import Triage
from inspector.ui.screens.working import EditScreen
from inspector.ui.widgets.reader import Reader
from inspector.ui.widgets.triage_pane import TriagePane
from inspector.ui.widgets.triage_rows import QueueRows

if TYPE_CHECKING:
    from inspector.inspection import Inspection


@dataclass
class TriageState:
    """What outlives a visit: the incidents, how they are arranged, and where one was.

    ``stamp`` is that of the store when the incidents were worked out last.
    """

    triage: Triage | None = None
    rows: QueueRows = field(default_factory=QueueRows)
    filter: str = ""
    cursor: str | None = None
    marks: frozenset[str] = frozenset()
    stamp: tuple[object, ...] = ()


class TriageBase(EditScreen):
    """What the parts of the screen share."""

    def __init__(self, inspection: Inspection, state: TriageState) -> None:
        super().__init__(inspection)
        self.state = state
        state.rows.waiting = self._waits
        self.pane = TriagePane(state.rows, id="queue")
        self.about = Reader(id="incident")

    def _waits(self, one: Incident) -> bool:
        """Whether an incident is of before an edit that reaches it."""
        return self.state.triage is not None and not self.state.triage.follows(one)

    @property
    def current(self) -> Incident | None:
        """The incident under the cursor."""
        return self.pane.current
