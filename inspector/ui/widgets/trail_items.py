"""The *Trail* tab as paragraphs: five steps, every retrieval event, where the chain breaks, the proof (DESIGN 8)."""

from __future__ import annotations

from collections.abc import Iterator

from textual.content import Content

from inspector.audit.audit import QueryAudit
from inspector.audit.case import Hit, Row
from inspector.audit.events import Event
from inspector.audit.trail import Step, Trail, filter_words, score_words
from inspector.i18n import _, ngettext
from inspector.ui.veil import visible
from inspector.ui.widgets.audit_keys import proof_items
from inspector.ui.widgets.cells import Piece
from inspector.ui.widgets.reader import Item, blank
from inspector.ui.widgets.signs import content, trit
from inspector.ui.widgets.why import heading, short_origin

_LABEL = 18
_MATCHES = ("exact", "strong", "weak")


def trail_items(trail: Trail, row: Row, audit: QueryAudit) -> list[Item]:
    """The steps of one memory with the events of the query's trace, then the failure stage's proof."""
    return list(_items(trail, row, audit))


def _items(trail: Trail, row: Row, audit: QueryAudit) -> Iterator[Item]:
    for step in trail.steps:
        yield _step(step, row, audit)
        if step.name == "retrieved":
            yield from (_event(place, event, row) for place, event in enumerate(audit.recorded.events))
    for words in trail.breaks:
        yield Item(content([Piece(_("! broken: {words}").format(words=words), "bad")]), copy=words)
    yield blank()
    yield from proof_items(audit, row.mi)
    yield from _unknown(audit)
    if audit.notes:
        yield blank()
        for note in audit.notes:
            yield Item(content([Piece(visible(note), "warn")]), Content(_("note:")), 6)


def _step(step: Step, row: Row, audit: QueryAudit) -> Item:
    letter = step.name[:1].upper()
    origin = str(row.memory.origin)
    detail = step.detail.replace(origin, short_origin(origin), 1)
    if step.name == "retrieved" and row.hits:
        # Each event has a line of its own below.
        returned = [hit for hit in row.hits if not hit.dropped]
        detail = (
            _("dropped by the last event that had it")
            if row.dropped
            else ngettext(
                "in {returned} of {count} recorded event",
                "in {returned} of {count} recorded events",
                len(audit.recorded.events),
            ).format(returned=len(returned), count=len(audit.recorded.events))
        )
    body = [Piece(visible(detail, newlines=True))]
    known = [_("at {at}").format(at=visible(step.at))] if step.at else []
    known += (
        [_("match {kind}").format(kind=step.kind)] if step.kind in _MATCHES and f"({step.kind}" not in detail else []
    )
    if known:
        body.append(Piece("\n" + ", ".join(known), "dim"))
    if step.broken:
        body.append(Piece(_("\n! {name}, and should not have been").format(name=step.name), "bad"))
    label = content([Piece(f" {letter} ", "strong"), Piece(step.name.ljust(11)), trit(step.value)])
    return Item(content(body), label, _LABEL, copy=f"{step.name}: {step.value.symbol}: {step.detail}")


def _event(place: int, event: Event, row: Row) -> Item:
    """One retrieval event: what it did with this memory, when, and how it was restricted."""
    hits = [hit for hit in row.hits if hit.place == place]
    did = [_hit(hit) for hit in hits] or [_("did not return it")]
    about = [_("at {text}").format(text=visible(event.at.text))] if event.at is not None else [_("no time recorded")]
    about.append(visible(filter_words(event)))
    about.append(
        _("{count} returned").format(count=len(event.items))
        + (_(", {count} dropped").format(count=len(event.dropped)) if event.dropped else "")
    )
    warn = event.unfiltered
    body = [Piece("; ".join(did), "" if hits else "dim"), Piece("\n" + ", ".join(about), "warn" if warn else "dim")]
    label = content([Piece("   └ ", "dim"), Piece(visible(event.name))])
    return Item(content(body), label, _LABEL, copy=f"{event.name}: {'; '.join(did)}")


def _hit(hit: Hit) -> str:
    means = len(hit.item.memories)
    said = _(" (its id is that of {means} stored memories)").format(means=means) if means > 1 else ""
    score = _("no score") if hit.item.score is None else f"{score_words(hit.event)} {hit.item.score:g}"
    if hit.dropped:
        return _("given to it and dropped, {score}, match {kind}{said}").format(
            score=score, kind=hit.item.kind, said=said
        )
    return _("rank {rank}, {score}, match {kind}{said}").format(
        rank=hit.item.rank, score=score, kind=hit.item.kind, said=said
    )


def _unknown(audit: QueryAudit) -> Iterator[Item]:
    if not audit.unknown:
        return
    yield blank()
    yield heading(_("named in the trace, not stored"))
    for where, item in audit.unknown:
        body = [
            Piece(visible(item.shown), "strong"),
            Piece(_("  named by {where}, place {rank}").format(where=visible(where), rank=item.rank)),
        ]
        yield Item(content(body), Content("   "), 4, copy=item.shown)
