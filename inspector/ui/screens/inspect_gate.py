"""The gate on the Inspect screen: its mode, the offers that close a gap, the short form (DESIGN 7)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from inspector.errors import FieldError
from inspector.gate.gate import MODES, Mode
from inspector.i18n import _
from inspector.text import counted
from inspector.ui.messages import guarded
from inspector.ui.screens.ask import AskDialog
from inspector.ui.screens.gate_form import GovernsDialog
from inspector.ui.screens.inspect_edit import InspectEditing
from inspector.ui.widgets.gate_signs import MODE_WORDS, next_mode
from inspector.ui.widgets.gate_tab import FormWanted, GateTab, OfferChosen

if TYPE_CHECKING:
    from inspector.ui.screens.store_base import StoreState

#: With more queries than this a change of mode is not summed up over all of them.
_MOST_COUNTED = 5_000


class InspectGate(InspectEditing):
    """The actions of the gate; the mode counts for the whole store."""

    #: The *Store* screen's survey and place, once it was seen.
    _store_state: StoreState | None = None

    @property
    def gate(self) -> GateTab:
        """The Gate tab."""
        return cast("GateTab", self.detail.tab("gate"))

    def action_gate_mode(self) -> None:
        """The next mode: self_description, jurisdiction, grants, layered."""
        self.set_gate_mode(next_mode(self.inspection.gate.mode))

    def choose_gate_mode(self) -> None:
        """Choose the mode from a list that says what each asks."""
        now = self.inspection.gate.mode
        answers = [(mode, f"{mode}{_('  (now)') if mode == now else ''}: {_(MODE_WORDS[mode][0])}") for mode in MODES]
        listed = [(mode, words, _(MODE_WORDS[mode][1])) for mode, words in answers]
        self.app.push_screen(
            AskDialog(_("Gate mode"), _("What does the gate ask, in the whole store?"), listed), self._mode
        )

    def _mode(self, mode: str | None) -> None:
        if mode is not None:
            self.set_gate_mode(cast("Mode", mode))

    def set_gate_mode(self, mode: Mode) -> None:
        """Put a mode in force for every query, and say how many decisions it moves."""
        before = self._decided()
        self.inspection.gate.mode = mode
        after = self._decided()
        words = _("gate {mode}: {MODE_WORDS}").format(mode=mode, MODE_WORDS=_(MODE_WORDS[mode][0]))
        if before:
            moved = sum(one != other for one, other in zip(before, after, strict=True))
            words += _("; the final action is another one in {moved:,} of {queries}").format(
                moved=moved, queries=counted(len(before), "query", "queries")
            )
        self.tell(words, "strong")
        self.show_query()
        self.detail.show(self.detail.subject)

    def _decided(self) -> list[str]:
        if len(self.inspection.queries) > _MOST_COUNTED:
            return []
        decided = (self.inspection.gate_decision(qi) for qi in range(len(self.inspection.queries)))
        return ["" if one is None else one.action for one in decided]

    def action_store(self) -> None:
        """The whole store; a record of it can be asked about against the selected query."""
        # Imported late: the first paint need not wait for it.
        from inspector.ui.screens.store import StoreScreen
        from inspector.ui.screens.store_base import StoreState

        if self._store_state is None:
            self._store_state = StoreState.of(self.inspection)
        self.app.push_screen(StoreScreen(self.inspection, self._store_state, self.qi, self.ask_for))

    def ask_for(self, mi: int) -> None:
        """Show a memory against the selected query, retrieved or not."""
        raise NotImplementedError

    def action_govern(self) -> None:
        """The short form for the memory under the cursor."""
        if self.mi is not None:
            self.open_form(self.mi)

    @guarded
    def on_form_wanted(self, event: FormWanted) -> None:
        """The Gate tab asks for the short form."""
        event.stop()
        self.open_form(event.mi)

    def open_form(self, mi: int) -> None:
        """Open the short form of a memory, with what it would move for the selected query."""
        self.app.push_screen(GovernsDialog.of(self.inspection, self.qi, mi, partial(self._store, mi)))

    def _store(self, mi: int, edits: Mapping[str, Any]) -> None:
        self.looked()
        self.inspection.apply_flip(mi, list(edits.items()))

    @guarded
    def on_offer_chosen(self, event: OfferChosen) -> None:
        """Make the edits of an offer, as one step."""
        event.stop()
        try:
            self._store(event.mi, event.offer.edits)
        except FieldError as error:
            self.fail(error, _("The edit was refused"))

    def close_gap(self) -> None:
        """Apply the offer under the cursor, else the first."""
        chosen = self.gate.first_offer()
        if chosen is None:
            self.tell(_("nothing is open: full chain, enforced, and the gate can fire"))
        else:
            self.on_offer_chosen(chosen)
