"""The *Answer* tab as paragraphs: the answer with disclosed spans marked, in both texts (DESIGN 8, SCREENS)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.content import Content

from inspector.audit.audit import NOT_ITS_OWN, QueryAudit
from inspector.audit.case import Row
from inspector.audit.disclosure import Told
from inspector.i18n import _, _d, ngettext
from inspector.trit import Trit
from inspector.ui.veil import visible
from inspector.ui.widgets.audit_keys import PARAPHRASE, MemoryChoice, memory_pieces
from inspector.ui.widgets.cells import Piece
from inspector.ui.widgets.marked import Mark, mark_text
from inspector.ui.widgets.reader import Item, blank
from inspector.ui.widgets.signs import content, trit
from inspector.ui.widgets.why import heading

_TARGET = "leak"


def told_rows(audit: QueryAudit) -> list[Row]:
    """The memories that are, or may be, in the answer, in the order of their first span."""
    rows = [row for row in audit.rows if row.disclosed != Trit.NO and row.disclosure.spans]
    return sorted(rows, key=lambda row: min(span.answer.start for span in row.disclosure.spans))


def answer_marks(audit: QueryAudit) -> list[Mark]:
    """The disclosed spans of the answer, tagged by the memory's number; leak targets that no memory explains beside."""
    rows = told_rows(audit)
    marks = [
        Mark(span.answer.start, span.answer.end, _tag(number, row))
        for number, row in enumerate(rows, 1)
        for span in row.disclosure.spans
    ]
    covered = [(mark.start, mark.end) for mark in marks]
    marks += [
        Mark(place.start, place.end, _TARGET)
        for told in audit.told
        for place in told.places
        if not any(start <= place.start and place.end <= end for start, end in covered)
    ]
    return marks


def _tag(number: int, row: Row) -> str:
    return f"{number}?" if row.disclosed == Trit.UNKNOWN else str(number)


def answer_items(audit: QueryAudit, row: Row | None) -> list[Item]:
    """Everything of the tab; ``row`` is the memory that the detail is about."""
    here = None if row is None else row.mi
    if audit.recorded.answer is None:
        words = _("no answer was recorded: disclosed is ? for every memory, neither 1 nor 0")
        items = [Item(content([Piece("? ", "unknown"), Piece(words)]))]
        if _d(NOT_ITS_OWN) in audit.notes:
            items.append(Item(content([Piece(_("the trace's answer belongs to the trace's own retrieval"), "dim")])))
        return [*items, *(_own(row, ()) if row is not None else ())]
    return [
        heading(_("recorded answer: ⟦n …⟧ is told of memory n")),
        Item(mark_text(audit.recorded.answer, answer_marks(audit)), copy=audit.recorded.answer),
        blank(),
        *_memories(audit, here),
        *_targets(audit.told),
        blank(),
        Item(content([Piece(_(PARAPHRASE), "dim")])),
        *(_own(row, told_rows(audit)) if row is not None else ()),
    ]


def _memories(audit: QueryAudit, here: int | None) -> Iterator[Item]:
    rows = told_rows(audit)
    yield heading(_("told of")) if rows else heading(_("no memory's words are in the answer"))
    for number, row in enumerate(rows, 1):
        wrong = row.verdict == Trit.NO or row.exposed == Trit.NO
        said = visible(row.disclosure.detail)
        if row.verdict == Trit.NO:
            said += _("; excluded, and told all the same")
        if row.exposed == Trit.NO:
            said += _("; not exposed, and told all the same")
        body = [*memory_pieces(row, here), Piece(f"  {'! ' if wrong else ''}{said}", "bad" if wrong else "")]
        label = content([Piece(f" {_tag(number, row):>2}", "heading")])
        yield Item(content(body), label, 5, MemoryChoice(row.mi, "told"))
    named = [row for row in audit.rows if row.disclosed == Trit.UNKNOWN and not row.disclosure.spans]
    for row in named:
        body = [*memory_pieces(row, here), Piece(f"  {visible(row.disclosure.detail)}")]
        yield Item(content(body), content([Piece("  ?", "unknown")]), 5, MemoryChoice(row.mi, "told"))


def _targets(told: Sequence[Told]) -> Iterator[Item]:
    if not told:
        return
    yield blank()
    yield heading(_("leak targets in the answer"))
    for one in told:
        count = len(one.places)
        words = ngettext("once", "{count} times", count).format(count=count)
        if one.asked:
            words += _(", and the question says it too") + ("" if one.open else _(": the answer only quotes it"))
        yield Item(
            content([Piece(visible(one.target), "strong"), Piece(f"  {words}")]), Content("   "), 4, copy=one.target
        )


def _own(row: Row, rows: Sequence[Row]) -> Iterator[Item]:
    """The text of the memory that the detail is about, with its spans."""
    number = next((place for place, one in enumerate(rows, 1) if one.mi == row.mi), None)
    yield blank()
    yield heading(_("memory {id}").format(id=visible(row.id)))
    pieces = [Piece(_("disclosed ")), trit(row.disclosed), Piece(f"  {visible(row.disclosure.detail)}", "dim")]
    yield Item(content(pieces))
    spans = [span.memory for span in row.disclosure.spans if span.memory is not None]
    tag = "" if number is None else _tag(number, row)
    yield Item(mark_text(row.memory.text, [Mark(place.start, place.end, tag) for place in spans]), copy=row.memory.text)
