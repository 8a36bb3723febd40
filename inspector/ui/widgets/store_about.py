"""What the *Store* screen shows of one record: where it stands, its findings, its fields, what would close its gap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.gate.coverage import Standing, standing_of
from inspector.gate.gaps import Offer
from inspector.i18n import _
from inspector.records import MEMORY_FIELDS, Memory
from inspector.store.lint import Finding
from inspector.ui.veil import visible
from inspector.ui.widgets.cells import Piece
from inspector.ui.widgets.gate_items import FormChoice, closing_items
from inspector.ui.widgets.reader import Item, blank
from inspector.ui.widgets.record import record_items
from inspector.ui.widgets.signs import content, verdict
from inspector.ui.widgets.why import heading
from inspector.views import Candidate, EditEntry

_WIDTH = 12
SEVERITY_SIGNS = {"error": ("✗", "bad"), "warning": ("!", "warn"), "info": ("i", "dim")}
_MOST_FINDINGS = 40


def about_items(
    memory: Memory,
    findings: Sequence[Finding] | None,
    offers: Sequence[Offer],
    history: Sequence[EditEntry],
    against: tuple[str, Candidate] | None,
) -> list[Item]:
    """Everything about one record; ``findings`` is None before lint has run, ``against`` a query's id and its row."""
    return [
        *_against(against),
        *_standing(standing_of(memory)),
        *_findings(findings),
        *closing_items(None, offers),
        Item(
            content(
                [Piece(_("say what it governs and what authority it carries, in a short form")), Piece("  F", "dim")]
            ),
            content([Piece("  ")]),
            3,
            FormChoice(),
        ),
        blank(),
        heading(_("record")),
        *record_items(memory, MEMORY_FIELDS, history),
    ]


def _against(against: tuple[str, Candidate] | None) -> Iterator[Item]:
    if against is None:
        return
    query_id, row = against
    where = _("rank {rank}").format(rank=row.rank) if row.rank else _("not retrieved")
    pieces = [
        Piece(_("against {query_id}  ").format(query_id=visible(query_id)), "dim"),
        verdict(row.admissible),
        Piece(f"  {where}"),
    ]
    yield Item(content([*pieces, Piece(_("  w shows it there"), "dim")]))


def _standing(standing: Standing) -> Iterator[Item]:
    cell = standing.protection
    sides = _("governs {value} × authority {value2}").format(
        value=_("present") if cell.governs else _("absent"),
        value2=_("present") if cell.authority else _("absent"),
    )
    yield Item(
        content([Piece(_(cell.value), "strong"), Piece(f"  {sides}", "dim")]), content([Piece(_("coverage"))]), _WIDTH
    )
    if standing.signals:
        said = ", ".join(visible(signal) for signal in standing.signals)
        yield Item(content([Piece(said)]), content([Piece(_("authority"))]), _WIDTH)
    for fault in standing.malformed:
        yield Item(
            content([Piece(_("✗ malformed governs: {fault}").format(fault=visible(fault)), "bad")]),
            content([Piece(" ")]),
            _WIDTH,
        )
    for marked, words in (
        (standing.declared_not_enforced, _("declared but not enforced")),
        (standing.cannot_fire, _("gate cannot fire")),
        (standing.sensitive_with_neither, _("sensitive, with neither governs nor authority")),
    ):
        if marked:
            yield Item(content([Piece(f"! {words}", "warn")]), content([Piece(" ")]), _WIDTH)


def _findings(findings: Sequence[Finding] | None) -> Iterator[Item]:
    yield blank()
    yield heading(_("findings"))
    if findings is None:
        yield Item(content([Piece(_("not linted yet"), "dim")]), content([Piece("  ")]), 3)
        return
    if not findings:
        yield Item(content([Piece(_("none"), "dim")]), content([Piece("  ")]), 3)
    for finding in findings[:_MOST_FINDINGS]:
        sign, style = SEVERITY_SIGNS[finding.severity]
        body = [Piece(finding.code, style), Piece(f"  {visible(finding.words)}"), Piece(f"\n{finding.do}", "dim")]
        yield Item(content(body), content([Piece(f" {sign}", style)]), 4)
    if len(findings) > _MOST_FINDINGS:
        more = _("and {count:,} more").format(count=len(findings) - _MOST_FINDINGS)
        yield Item(content([Piece(more, "dim")]), content([Piece("  ")]), 3)
