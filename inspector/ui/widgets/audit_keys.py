"""What the tabs of the audit share: the memory that an item leads to, proofs as paragraphs (DESIGN 8)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from textual.content import Content
from textual.message import Message

from inspector.audit.audit import QueryAudit
from inspector.audit.case import Row
from inspector.audit.stages import Proof
from inspector.i18n import N_, _
from inspector.trit import Trit
from inspector.ui.veil import visible
from inspector.ui.widgets.cells import Piece
from inspector.ui.widgets.reader import Item
from inspector.ui.widgets.signs import STAGE_SIGNS, content, verdict
from inspector.ui.widgets.why import heading
from inspector.views import VERDICT_SIGNS

NOBODY = N_("no candidate under the cursor")
#: Said wherever a disclosure is judged by words.
PARAPHRASE = N_("judged by shared words: what the answer says in other words cannot be seen")


@dataclass(frozen=True, slots=True)
class MemoryChoice:
    """The key of an item that leads to a memory; ``place`` tells repeats apart."""

    mi: int
    place: str = ""


class MemoryWanted(Message):
    """A memory is to be shown against the query, retrieved or not."""

    def __init__(self, mi: int) -> None:
        super().__init__()
        self.mi = mi


def memory_pieces(row: Row, here: int | None) -> list[Piece]:
    """``✗ park-boat``, with a sign where it is the memory that the detail is about."""
    mark = [Piece(_(" ◂ this one"), "heading")] if row.mi == here else []
    return [
        Piece(f"{VERDICT_SIGNS[row.verdict]} ", verdict(row.verdict).style),
        Piece(visible(row.id), "strong"),
        *mark,
    ]


def proof_items(audit: QueryAudit, here: int | None) -> Iterator[Item]:
    """Every failure stage with its proofs, then what is open; choosing a proof leads to its memory."""
    yield heading(_("failure stage"))
    sign, style = STAGE_SIGNS[audit.stages.first]
    words = {"none": _("none: nothing failed"), "undecided": _("undecided: only ? remains")}
    if not audit.stages.findings:
        yield Item(content([Piece(f" {sign} ", style), Piece(words.get(audit.stages.first, ""), "strong")]))
    for finding in audit.stages.findings:
        sign, style = STAGE_SIGNS[finding.stage]
        yield Item(content([Piece(f" {sign} ", style), Piece(finding.stage, "strong")]))
        for number, proof in enumerate(finding.proofs):
            yield _proof(proof, f"{finding.stage}{number}", here)
    if audit.stages.open:
        yield Item(content([Piece(" ? ", "unknown"), Piece(_("open"), "strong")]))
        for number, proof in enumerate(audit.stages.open):
            yield _proof(proof, f"open{number}", here)


def _proof(proof: Proof, place: str, here: int | None) -> Item:
    said = proof.words if proof.value == Trit.YES else f"{proof.stage}: {proof.words}"
    mark = [Piece(_(" ◂ this one"), "heading")] if proof.mi is not None and proof.mi == here else []
    body = [Piece(visible(proof.id), "strong"), *mark, Piece(f"  {visible(said)}")]
    key = None if proof.mi is None else MemoryChoice(proof.mi, place)
    return Item(content(body), Content("   "), 4, key, copy=f"{proof.stage}\t{proof.id}\t{proof.words}")
