"""The *Gate* tab of the detail: what authorised the action, whether it was enough, and what would close the gap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message

from inspector.gate.gaps import Offer
from inspector.i18n import N_, _
from inspector.ui.widgets.detail import DetailTab, FieldChosen, Subject
from inspector.ui.widgets.gate_items import FormChoice, OfferChoice, gate_items
from inspector.ui.widgets.reader import Item, Reader
from inspector.ui.widgets.why import FieldChoice

_NOBODY = N_("no candidate under the cursor")


class OfferChosen(Message):
    """An offer that closes a gap is to be applied to a memory."""

    def __init__(self, mi: int, offer: Offer) -> None:
        super().__init__()
        self.mi = mi
        self.offer = offer


class FormWanted(Message):
    """The short form of governs and authority is to be opened for a memory."""

    def __init__(self, mi: int) -> None:
        super().__init__()
        self.mi = mi


class GateTab(DetailTab):
    """The gate for the candidate, with the offers that close its gap."""

    TITLE: ClassVar[str] = "Gate"

    def __init__(self) -> None:
        super().__init__()
        self._subject: Subject | None = None
        self.offers: Sequence[Offer] = ()

    def compose(self) -> ComposeResult:
        """The reading pane."""
        yield Reader(id="gate")

    @property
    def reader(self) -> Reader:
        """The reading pane."""
        return self.query_one(Reader)

    def show_subject(self, subject: Subject | None) -> None:
        """Show the gate's answer for the subject."""
        before, self._subject = self._subject, subject
        same = subject is not None and before is not None and (before.qi, before.mi) == (subject.qi, subject.mi)
        gate = None if subject is None else subject.candidate.gate
        if subject is None or gate is None:
            self.offers = ()
            self.reader.show([Item(Content(_(_NOBODY)))], keep=False)
            return
        self.offers = subject.inspection.gate_offers(subject.qi, subject.mi)
        memory = subject.inspection.memories[subject.mi]
        self.reader.show(gate_items(subject.candidate, gate, memory, self.offers), keep=same)

    @on(Reader.Chosen)
    def _chosen(self, event: Reader.Chosen) -> None:
        event.stop()
        if self._subject is None:
            return
        if isinstance(event.key, FieldChoice):
            self.post_message(FieldChosen(event.key.owner, event.key.name))
        elif isinstance(event.key, FormChoice):
            self.post_message(FormWanted(self._subject.mi))
        elif isinstance(event.key, OfferChoice) and event.key.number < len(self.offers):
            self.post_message(OfferChosen(self._subject.mi, self.offers[event.key.number]))

    def first_offer(self) -> OfferChosen | None:
        """The offer under the cursor, else the first; None where nothing is open."""
        if self._subject is None or not self.offers:
            return None
        key = self.reader.key
        number = key.number if isinstance(key, OfferChoice) and key.number < len(self.offers) else 0
        return OfferChosen(self._subject.mi, self.offers[number])

    def copy_text(self) -> str | None:
        """What ``y`` copies: the whole answer as it stands."""
        return self.reader.plain() if self._subject is not None else None
