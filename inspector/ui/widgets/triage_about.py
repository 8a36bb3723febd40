"""What is said of an incident beside the queue: question, stages with proof, memories, edits that mend it, texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from textual.content import Content

from inspector.audit.audit import NO_ANSWER, QueryAudit
from inspector.audit.case import Row
from inspector.audit.triage import Incident, Severity
from inspector.axes.flips import FlipSearch
from inspector.i18n import _, _d, ngettext
from inspector.records import show_namespace
from inspector.trit import Trit
from inspector.ui.veil import visible
from inspector.ui.widgets.answer_items import answer_marks, told_rows
from inspector.ui.widgets.audit_keys import PARAPHRASE, proof_items
from inspector.ui.widgets.cells import Piece
from inspector.ui.widgets.marked import excerpt
from inspector.ui.widgets.prompt_items import prompt_marks
from inspector.ui.widgets.reader import Item, blank
from inspector.ui.widgets.signs import content, verdict
from inspector.ui.widgets.triage_rows import SEVERITIES, age, stage_pieces, state_piece
from inspector.ui.widgets.why import heading
from inspector.views import VERDICT_SIGNS, VERDICT_WORDS

if TYPE_CHECKING:
    from inspector.inspection import Inspection

_LABEL = 12
#: Memories of an incident that are told of, and whose smallest edits are looked for.
PROVING = 4
#: Edits that are told of one memory and target.
_FIXES = 3
_TEXT = 240


@dataclass(frozen=True, slots=True)
class FixChoice:
    """The key of an item that applies the ``number``-th smallest edit that gives the memory this verdict."""

    mi: int
    target: Trit
    number: int


#: Smallest edits by memory and verdict; None while they are being looked for.
Fixes = Mapping[tuple[int, Trit], FlipSearch | None]


def proving(audit: QueryAudit) -> list[Row]:
    """The memories that prove a stage or leave one open, each once, the worst stage's first."""
    stages = audit.stages
    proofs = [*(proof for finding in stages.findings for proof in finding.proofs), *stages.open]
    mis = dict.fromkeys(proof.mi for proof in proofs if proof.mi is not None)
    rows = [audit.row(mi) for mi in mis]
    return [row for row in rows if row is not None]


def wanted_fixes(audit: QueryAudit) -> list[tuple[int, Trit]]:
    """The searches whose results are told: to admit what is excluded, to settle what is unresolved either way."""
    found = []
    for row in proving(audit)[:PROVING]:
        targets = {Trit.NO: (Trit.YES,), Trit.UNKNOWN: (Trit.YES, Trit.NO), Trit.YES: ()}[row.verdict]
        found += [(row.mi, target) for target in targets]
    return found


def incident_items(inspection: Inspection, one: Incident, audit: QueryAudit, fixes: Fixes, now: datetime) -> list[Item]:
    """Everything that is said of one incident."""
    return [
        *_head(inspection, one, now),
        blank(),
        *proof_items(audit, None),
        *_memories(inspection, one.qi, audit, fixes),
        *_short_term(audit),
        *_texts(audit),
        *_notes(audit),
    ]


def _fact(label: str, *pieces: Piece, copy: str | None = None) -> Item:
    return Item(content(pieces), content([Piece(f" {label}", "dim")]), _LABEL, copy=copy)


def _head(inspection: Inspection, one: Incident, now: datetime) -> Iterator[Item]:
    yield Item(content([Piece(visible(one.text, newlines=True), "strong")]), copy=one.text)
    words = {Severity.NONE: _("nothing failed")}.get(one.severity, one.severity.words)
    style = SEVERITIES[one.severity][1]
    yield _fact(_("incident"), *stage_pieces(one.stages), Piece(f" {visible(one.query_id)}  "), Piece(words, style))
    asked = [Piece(visible(one.principal))] if one.principal else [Piece(_("nobody knows who asks"), "unknown")]
    line = inspection.bundle_line(one.qi)
    instant = line.as_of_instant
    if one.at is not None:
        asked.append(
            Piece(
                _("  {text}, {age} ago").format(text=visible(one.at.text), age=age(one.at, now))
                if not one.at.naive
                else ""
            )
        )
    if instant is not None and (one.at is None or instant.us != one.at.us):
        asked.append(Piece(_("  as_of {text}").format(text=visible(instant.text)), "dim"))
    yield _fact(_("principal"), *asked)
    yield _fact(_("state"), state_piece(one), *([Piece(f"  » {visible(one.note)}", "edited")] if one.note else []))
    yield _fact(_("cause"), Piece(visible(one.cause.words)), copy=one.cause.words)


def _memories(inspection: Inspection, qi: int, audit: QueryAudit, fixes: Fixes) -> Iterator[Item]:
    rows = proving(audit)
    for row in rows[:PROVING]:
        yield blank()
        yield from _memory(inspection, qi, row, fixes)
    if len(rows) > PROVING:
        yield Item(
            content(
                [
                    Piece(
                        ngettext(
                            "and {count} more memory: i shows it in Inspect",
                            "and {count} more memories: i shows them in Inspect",
                            len(rows) - PROVING,
                        ).format(count=len(rows) - PROVING),
                        "dim",
                    )
                ]
            )
        )


def _memory(inspection: Inspection, qi: int, row: Row, fixes: Fixes) -> Iterator[Item]:
    memory = row.memory
    several = memory.value("namespaces")
    owner = show_namespace(several or memory.value("namespace"))
    yield Item(
        content(
            [
                Piece(_("memory "), "heading"),
                Piece(visible(row.id), "heading"),
                Piece("  "),
                verdict(row.verdict),
                Piece(_("  of {owner}").format(owner=visible(owner)), "")
                if owner
                else Piece(_("  no owner"), "unknown"),
            ]
        )
    )
    explained = inspection.explain(qi, row.mi)
    for axis in explained.decided_by if row.verdict != Trit.YES else ():
        result = getattr(explained, axis)
        yield _fact(f"{axis} {result.value.symbol}", Piece(visible(result.reason)))
    if row.verdict == Trit.YES:
        yield _fact(_("verdict"), Piece(_("all three axes are 1: the verdict is no part of the failure"), "dim"))
    text = memory.text if len(memory.text) <= _TEXT else f"{memory.text[:_TEXT]}…"
    yield Item(Content(visible(text, newlines=True)), content([Piece(_(" text"), "dim")]), _LABEL, copy=memory.text)
    for (mi, target), search in fixes.items():
        if mi == row.mi:
            yield from _fixes(mi, target, search)


def _fixes(mi: int, target: Trit, search: FlipSearch | None) -> Iterator[Item]:
    label = content([Piece(f" → {VERDICT_SIGNS[target]} {_(VERDICT_WORDS[target])}", "dim")])
    if search is None:
        yield Item(content([Piece(_("looking for the smallest edits …"), "dim")]), label, _LABEL)
        return
    if not search.flips:
        yield Item(content([Piece(visible(search.words), "dim")]), label, _LABEL)
    for number, flip in enumerate(search.flips[:_FIXES]):
        body = content([Piece(visible(flip.words), "link")])
        yield Item(body, label if not number else Content(""), _LABEL, FixChoice(mi, target, number), copy=flip.words)
    if len(search.flips) > _FIXES:
        yield Item(
            content([Piece(_("and {count} more: i, then Why").format(count=len(search.flips) - _FIXES), "dim")]),
            Content(""),
            _LABEL,
        )


def _short_term(audit: QueryAudit) -> Iterator[Item]:
    for one in audit.short_term:
        yield blank()
        words = _("answered from short-term context: {id}: {words}").format(
            id=visible(one.id), words=visible(one.words)
        )
        yield Item(content([Piece(words, "warn")]))


def _texts(audit: QueryAudit) -> Iterator[Item]:
    recorded = audit.recorded
    yield blank()
    if recorded.answer is None:
        yield Item(
            content([Piece("? ", "unknown"), Piece(_("no answer was recorded: disclosure is not judged"), "dim")])
        )
    else:
        rows = told_rows(audit)
        yield heading(_("answer") + (": " + _key(rows) if rows else _(": no memory's words are in it")))
        yield Item(excerpt(recorded.answer, answer_marks(audit)), copy=recorded.answer)
        yield Item(content([Piece(_(PARAPHRASE), "dim")]))
    if recorded.prompt is not None:
        yield blank()
        yield heading(_("prompt: what was exposed"))
        yield Item(excerpt(recorded.prompt, prompt_marks(audit)), copy=recorded.prompt)


def _key(rows: Sequence[Row]) -> str:
    return ", ".join(f"{number} {visible(row.id)}" for number, row in enumerate(rows, 1))


def _notes(audit: QueryAudit) -> Iterator[Item]:
    for note in audit.notes:
        if note != _d(NO_ANSWER):
            yield Item(content([Piece(visible(note), "warn")]), Content(_("note:")), 6)
