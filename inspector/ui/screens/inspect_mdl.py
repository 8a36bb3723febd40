"""The decision layer on the Inspect screen: pool, calibration, constants, and texts read in a worker (DESIGN 6)."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from textual import on
from textual.message import Message

from inspector.errors import InspectorError
from inspector.i18n import _
from inspector.mdl import POOLS, Params
from inspector.ui.messages import guarded
from inspector.ui.screens.inspect_ask import InspectAsking
from inspector.ui.screens.inspect_dialogs import LinesDialog
from inspector.ui.screens.inspect_gate import InspectGate
from inspector.ui.widgets.cells import Piece
from inspector.ui.widgets.mdl_constants import DERIVED, hint, read_constant, show_constant
from inspector.ui.widgets.mdl_signs import query_figures
from inspector.ui.widgets.mdl_tab import ConstantsChosen, ConstantWanted, DecisionWanted, MdlTab

if TYPE_CHECKING:
    from inspector.inspection import Inspection


class InspectMdl(InspectGate, InspectAsking):
    """The actions of the decision layer; constants count for the whole store."""

    class TextsRead(Message):
        """The texts of a query were read: its decision is at hand, or the error that kept it from being made."""

        def __init__(self, qi: int, error: Exception | None) -> None:
            super().__init__()
            self.qi = qi
            self.error = error

    @property
    def mdl(self) -> MdlTab:
        """The MDL tab."""
        return cast("MdlTab", self.detail.tab("mdl"))

    def decision_figures(self, qi: int) -> list[list[Piece]]:
        """What the query line says of the decision."""
        inspection = self.inspection
        return query_figures(inspection.weighed(qi), inspection.params, moved_by_hand=inspection.is_moved)

    def read_texts(self, qi: int) -> None:
        """Read a query's texts in a worker where that takes longer than a frame; the screen follows."""
        if not self.inspection.weighed(qi).is_read:
            self.run_worker(
                partial(self._read_texts, self.inspection, qi),
                group="mdl",
                exclusive=True,
                thread=True,
                exit_on_error=False,
                description="read the texts",
            )

    def _read_texts(self, inspection: Inspection, qi: int) -> None:
        error: Exception | None = None
        try:
            inspection.mdl(qi)
        except Exception as caught:  # told to the screen, which shows it; the thread must not end the program
            error = caught
        self.post_message(self.TextsRead(qi, error))

    @on(TextsRead)
    @guarded
    def _texts_read(self, event: TextsRead) -> None:
        event.stop()
        if event.error is not None:
            self.fail(event.error, _("The decision could not be made"))
        elif event.qi == self.qi and self.inspection.weighed(event.qi).is_read:
            self.show_query(cursor=self.mi)
            self.detail.show(self.detail.subject)

    # Constants

    @guarded
    def on_constants_chosen(self, event: ConstantsChosen) -> None:
        """Put other constants in force."""
        event.stop()
        self.decide_by(event.params, _("decided by {words} MDL").format(words=event.params.switches.words))

    def decide_by(self, params: Params, words: str) -> None:
        """Decide by other constants, in all queries, and say what that moves here."""
        before = self._here()
        self.inspection.decide_by(params)
        self._decided_anew(words, before)

    def _here(self) -> str:
        """The action of the selected query, "" where there is none or it is not known."""
        decision = None if self.qi is None else self.inspection.weighed(self.qi).decision
        return "" if decision is None else decision.query.action.word

    def _decided_anew(self, words: str, before: str) -> None:
        after = self._here()
        moved = f": {before} → {after}" if before and after and before != after else ""
        self.tell(words + moved, "strong")
        self.decisions_changed()

    @guarded
    def on_constant_wanted(self, event: ConstantWanted) -> None:
        """Type a constant."""
        event.stop()
        now = show_constant(self.inspection.params, event.name)
        lines = [] if now == DERIVED.get(event.name) else [now]
        self.app.push_screen(LinesDialog(event.name, hint(event.name), lines, partial(self._typed, event.name)))

    def _typed(self, name: str, lines: list[str]) -> None:
        self.decide_by(
            read_constant(self.inspection.params, name, " ".join(lines)), _("{name} changed").format(name=name)
        )

    # Pool, calibration, vectors

    @guarded
    def on_decision_wanted(self, event: DecisionWanted) -> None:
        """The MDL tab asks for a choice."""
        event.stop()
        actions = {
            "pool": self.action_pool,
            "calibrated": self.action_calibrated,
            "calibration": self.action_calibration,
            "encode": self.action_encode,
        }
        actions[event.what]()

    def action_pool(self) -> None:
        """The other pool: all retrieved, or those that no verdict excludes."""
        params = self.inspection.params
        pool = POOLS[(POOLS.index(params.pool) + 1) % len(POOLS)]
        self.decide_by(params.with_(pool=pool), _("MDL pool {pool}").format(pool=pool))

    def action_calibrated(self) -> None:
        """Decide by the calibration at hand, or by the uncalibrated constants."""
        if self.inspection.calibration is None:
            self.tell(_("no calibration is loaded: inspector calibrate makes one of a labelled file"))
            return
        before = self._here()
        on = not self.inspection.params.calibrated
        self.inspection.set_calibrated(on)
        name = self.inspection.calibration.name
        self._decided_anew(_("calibrated by {name}").format(name=name) if on else _("uncalibrated"), before)

    def action_calibration(self) -> None:
        """Load a calibration file."""
        words = _("The path of a calibration file that inspector calibrate wrote. The workspace keeps it.")
        self.app.push_screen(LinesDialog(_("Calibration"), words, [], self._load))

    def _load(self, lines: list[str]) -> None:
        if len(lines) != 1:
            raise InspectorError(_("the path of one file is expected"))
        before = self._here()
        self.inspection.calibrate_by(Path(lines[0]).expanduser())
        self._decided_anew(
            _("calibrated by {calibration}").format(calibration=self.inspection.params.calibration), before
        )

    def action_encode(self) -> None:
        """Encode the texts for the decisions, where the route needs no vectors."""
        self.inspection.encode_for_decisions = True
        self.start_evaluation(_("encoding for the decisions"))

    def encoding_ended(self) -> None:
        """Where the encoding was cancelled, another route does not begin it again."""
        self.inspection.encode_for_decisions &= self.inspection.retriever.has_vectors

    def decisions_changed(self) -> None:
        """Show the selected query by other decisions."""
        raise NotImplementedError
