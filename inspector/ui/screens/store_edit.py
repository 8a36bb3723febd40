"""Editing on the *Store* screen: a field of the marked records, offers, the short form, undo (DESIGN 7, 10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from inspector.errors import FieldError
from inspector.gate.gaps import Offer
from inspector.i18n import _
from inspector.ui.screens.edit_field import EditFieldDialog
from inspector.ui.screens.gate_form import GovernsDialog
from inspector.ui.screens.store_base import StoreBase
from inspector.ui.tasks import field_rows, gate_preview, make_task, records_of, title_of, verdict_preview
from inspector.ui.widgets.cells import Piece
from inspector.ui.widgets.editor import EditTask
from inspector.ui.widgets.gate_items import OfferChoice
from inspector.ui.widgets.why import FieldChoice

#: The field of a column, for columns that show one.
_COLUMN_FIELDS = {
    "owner": "namespace",
    "status": "status",
    "type": "memory_type",
    "chain": "governs",
    "tag": "semantic_tag",
    "created": "created_at",
    "text": "text",
}


class StoreEditing(StoreBase):
    """The actions that change something. Each asks the door, which tells what moved."""

    #: What would close the gap of the record under the cursor, as the detail lists it.
    offers: Sequence[Offer] = ()
    #: What stands before the next sentence of what moved.
    words_before: str = ""

    def action_edit(self) -> None:
        """Edit the field under the cursor, of all marked records; else choose a field first."""
        key = self.about.key if self.about.has_focus else None
        if isinstance(key, FieldChoice):
            self.edit(key.name)
        else:
            self.edit(_COLUMN_FIELDS.get(self.pane.grid.cursor_column, "") if self.pane.grid.has_focus else "")

    def edit(self, field: str) -> None:
        """Edit a field of the chosen records in a dialog; "" lets the user choose it."""
        indices = self.pane.chosen()
        if not indices:
            return
        records = records_of(self.inspection, "memory", indices)
        self.app.push_screen(
            EditFieldDialog(
                _("Edit {title_of}").format(title_of=title_of("memory", records)),
                field_rows(records, "memory"),
                partial(self._make_task, indices),
                partial(self._save, indices),
                field or None,
            )
        )

    def _make_task(self, indices: Sequence[int], field: str) -> EditTask:
        return make_task(self.inspection, "memory", indices, field, partial(self._preview, tuple(indices), field))

    def _preview(self, indices: Sequence[int], field: str, value: Any) -> list[Piece]:
        mi = self.mi
        if mi is None:
            return []
        pieces: list[Piece] = []
        if self.qi is not None:
            current = self.inspection.why_not(self.qi, mi)
            pieces += verdict_preview(self.inspection, "memory", indices, field, value, self.qi, current)
            pieces.append(Piece(_("  against {id}").format(id=self.inspection.queries[self.qi].id), "dim"))
        return pieces + gate_preview(self.inspection, "memory", indices, field, value, self.qi, mi)

    def _save(self, indices: Sequence[int], field: str, value: Any) -> None:
        self.inspection.edit("memory", indices, field, value)

    def action_revert(self) -> None:
        """The field under the cursor back to the source's value, for each chosen record."""
        key = self.about.key if self.about.has_focus else None
        field = key.name if isinstance(key, FieldChoice) else None
        if field is None and self.pane.grid.has_focus:
            field = _COLUMN_FIELDS.get(self.pane.grid.cursor_column)
        memories = self.inspection.memories
        edited = [mi for mi in self.pane.chosen() if field in memories[mi].edits]
        if field is None or not edited:
            self.toast(_("put the cursor on a field that carries an edit; E lists all edits"))
            return
        self.inspection.edit_each("memory", [(mi, field, memories[mi].source(field)) for mi in edited])

    def records_in_hand(self) -> list[int]:
        """The records that the view in sight has chosen: marked, else under the cursor."""
        raise NotImplementedError

    def action_transition(self) -> None:
        """Move the boundary of the chosen records: archive, resume, forget, quarantine, release."""
        from inspector.ui.screens.transition import TransitionDialog

        indices = self.records_in_hand()
        if not indices:
            self.tell(_("no record under the cursor"))
            return

        def before(words: str) -> None:
            self.words_before = words

        self.app.push_screen(TransitionDialog(self.inspection, indices, None, before))

    def action_close_gap(self) -> None:
        """Apply the offer under the cursor, else the first."""
        key = self.about.key if self.about.has_focus else None
        number = key.number if isinstance(key, OfferChoice) else 0
        if self.mi is None:
            return
        offers = self.inspection.gate_offers(None, self.mi)
        if number >= len(offers):
            self.tell(_("nothing is open: full chain, enforced, and the gate can fire"))
            return
        self._store(self.mi, offers[number].edits)

    def action_govern(self) -> None:
        """The short form for the record under the cursor."""
        mi = self.mi
        if mi is not None:
            self.app.push_screen(GovernsDialog.of(self.inspection, self.qi, mi, partial(self._store, mi)))

    def _store(self, mi: int, edits: Mapping[str, Any]) -> None:
        try:
            self.inspection.apply_flip(mi, list(edits.items()))
        except FieldError as error:
            self.fail(error, _("The edit was refused"))
