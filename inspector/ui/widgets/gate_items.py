"""The *Gate* tab as paragraphs: what authorised the action, what the gate made of it, what would close the gap.

Every field that the answer rests on can be chosen and edited (DESIGN 7, SCREENS Inspect).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.gate.action import Outcome
from inspector.gate.evaluate import GateResult
from inspector.gate.gaps import Offer
from inspector.gate.governs import GOVERNS_KEYS, Governs, governs_of
from inspector.gate.grants import GrantComparison
from inspector.gate.operation import Operation
from inspector.i18n import N_, _, ngettext
from inspector.records import Memory, Presence
from inspector.trit import Trit
from inspector.ui.veil import visible
from inspector.ui.widgets.cells import Piece
from inspector.ui.widgets.gate_signs import DECIDES, OUTCOME_STYLES, STRICTER, result_words
from inspector.ui.widgets.reader import Item, blank
from inspector.ui.widgets.signs import ARROW, EDITED, content
from inspector.ui.widgets.values import is_missing, show_value
from inspector.ui.widgets.why import FieldChoice, field_item, heading, short_origin
from inspector.views import Candidate

_WIDTH = 18
#: Grants beyond this many are counted and not listed: the record shows them all.
_MOST_GRANTS = 50
#: The rows of the action table (DESIGN 7), each with the field that it turns on.
ROWS: tuple[tuple[str, str], ...] = (
    ("status", N_("status is superseded or archived → archive_only")),
    ("memory_type", N_("memory_type is correction, status active → the hint if block or warn, else block")),
    ("allowed_action_hint", N_("allowed_action_hint is block → block")),
    ("verification_required", "verification_required → verify_first"),
    ("epistemic_status", N_("epistemic_status is unresolved or contested → warn")),
    ("contradiction_count", N_("contradiction_count is 2 or more → verify_first")),
    ("allowed_action_hint", N_("else → the hint, default answer")),
)
_SAME = {Trit.YES: ("=", "good"), Trit.NO: ("≠", "bad"), Trit.UNKNOWN: ("?", "unknown")}


@dataclass(frozen=True, slots=True)
class OfferChoice:
    """The key of an item that applies the ``number``-th offer."""

    number: int


@dataclass(frozen=True, slots=True)
class FormChoice:
    """The key of the item that opens the short form."""


def gate_items(candidate: Candidate, gate: GateResult, memory: Memory, offers: Sequence[Offer]) -> list[Item]:
    """Everything that the gate says of one pair."""
    governs = governs_of(memory)
    return [
        *_head(candidate, gate),
        *_answer(gate),
        *_table(gate, memory),
        *_grants(gate),
        *_governs(governs, memory),
        *closing_items(gate, offers),
        *_reads(gate),
    ]


def _line(label: str, *pieces: Piece, key: object = None, style: str = "") -> Item:
    return Item(content(pieces), content([Piece(f"  {label}", style or ("link" if key else ""))]), _WIDTH, key)


def _head(candidate: Candidate, gate: GateResult) -> Iterator[Item]:
    pieces = [result_words(gate), Piece(f"  {gate.pre_action} {ARROW} "), Piece(gate.action, "strong")]
    if candidate.gate_before and candidate.gate_before != gate.action:
        pieces.append(Piece(_("  was {gate_before}").format(gate_before=candidate.gate_before), "changed"))
    if gate.decides:
        pieces.append(Piece(_("  {DECIDES} decides").format(DECIDES=DECIDES), "strong"))
    yield Item(content(pieces))
    yield Item(content([Piece(visible(gate.note))]), content([Piece("  ")]), 3)
    if not gate.decides:
        words = _("another candidate decides this query") if candidate.rank else _("not retrieved: it decides nothing")
        yield Item(content([Piece(words, "dim")]), content([Piece("  ")]), 3)


def _answer(gate: GateResult) -> Iterator[Item]:
    yield blank()
    read = gate.authorizing
    origin = {"edit": _("edited here"), "assumption": "assumed"}.get(read.origin, visible(short_origin(read.origin)))
    yield _line(
        _("pre-gate action"), Piece(gate.pre_action, "strong"), Piece(_("  by row {row}").format(row=gate.row), "dim")
    )
    yield _line(
        _("authorised by"),
        Piece(visible(gate.authorized_by)),
        Piece("" if read.presence is Presence.VALUE else f"  {show_value(read.value)}", "unknown"),
        Piece(f"   {origin}", "edited" if read.origin == "edit" else "warn" if read.origin == "assumption" else "dim"),
        key=FieldChoice("memory", read.name, "authorised"),
    )
    for note in gate.action_notes:
        yield _line("", Piece(visible(note), "warn"))
    ruled = gate.mode if gate.applied == gate.mode else f"{gate.mode}: {gate.applied}"
    yield _line(_("gate"), result_words(gate), Piece(f"  {ruled}", "dim"))
    made = (
        [Piece(_("  {STRICTER} made stricter by the gate").format(STRICTER=STRICTER), "changed")]
        if gate.escalated
        else []
    )
    yield _line(_("final action"), Piece(gate.action, "strong"), *made)
    bad = gate.attribution == "UNATTRIBUTABLE"
    noted = [Piece(f"  {visible(gate.attribution_note)}", "dim")] if gate.attribution_note else []
    yield _line(_("attribution"), Piece(gate.attribution, "bad" if bad else "strong"), *noted)
    yield _line(_("expected action"), *_expected(gate), key=FieldChoice("query", "expected_action", "expected"))
    yield _line(_("operation"), *_operation(gate.operation), key=FieldChoice("query", "tool_call", "operation"))
    cell = gate.coverage_cell
    sides = _("governs {value} × authority {value2}").format(
        value=_("present") if cell.governs else _("absent"),
        value2=_("present") if cell.authority else _("absent"),
    )
    yield _line(_("coverage"), Piece(_(cell.value), "strong"), Piece(f"  {sides}", "dim"))
    for signal in gate.coverage.signals:
        yield _line("", Piece(_("authority signal "), "dim"), Piece(visible(signal)))
    for marked, words in (
        (gate.coverage.declared_not_enforced, _("declared but not enforced: it carries authority, yet row 7 decides")),
        (gate.coverage.cannot_fire, _("gate cannot fire: governs states no action type that it could escalate")),
        (gate.coverage.sensitive_with_neither, _("sensitive, with neither governs nor authority")),
    ):
        if marked:
            yield _line("", Piece(f"! {words}", "warn"))


def _expected(gate: GateResult) -> list[Piece]:
    shown = show_value(gate.expected_action) if gate.expected_action is not None else _("none")
    pieces = [Piece(shown, "unknown" if gate.expected_action is None else "strong")]
    if gate.outcome is Outcome.NOT_COMPARED:
        return [*pieces, Piece(_("  nothing to compare the action with"), "dim")]
    pieces += [Piece("  "), Piece(gate.outcome.value, OUTCOME_STYLES[gate.outcome])]
    if gate.pre_outcome is not gate.outcome:
        pieces += [Piece(_("; without the gate "), "dim")]
        pieces += [Piece(gate.pre_outcome.value, OUTCOME_STYLES[gate.pre_outcome])]
    return pieces


def _operation(operation: Operation) -> list[Piece]:
    note = [Piece(f"  {visible(operation.note)}", "warn")] if operation.note else []
    if operation.name is None:
        return [Piece(_("none"), "unknown"), Piece(_("  no word of the query asks for one"), "dim"), *note]
    if not operation.inferred:
        return [Piece(operation.name, "strong"), Piece(_("  recorded in the tool call"), "dim"), *note]
    words = ", ".join(visible(word) for word in operation.words)
    said = _("  inferred from “{words}”: shown, and never skips the gate").format(words=words)
    return [Piece(operation.name, "strong"), Piece(said, "dim"), *note]


def _table(gate: GateResult, memory: Memory) -> Iterator[Item]:
    yield blank()
    yield heading(_("action table: the first row that applies"))
    for number, (name, marked) in enumerate(ROWS, start=1):
        words = _(marked)
        here, reached = number == gate.row, number <= gate.row
        value = memory.get(name)
        sign = "▸" if here else " "
        edited = [Piece(f"  {EDITED}", "edited")] if name in memory.edits else []
        said = [Piece(f"   {show_value(value)[:80]}", "dim" if is_missing(value) or not reached else "")]
        body = [Piece(words, "strong" if here else "" if reached else "dim"), *said, *edited]
        if here:
            body.append(Piece(_("   applied"), "strong"))
        elif not reached:
            body.append(Piece(_("   not reached"), "dim"))
        yield Item(
            content(body),
            content([Piece(f" {sign} {number}", "strong" if here else "dim")]),
            5,
            FieldChoice("memory", name, f"row {number}"),
        )


def _grants(gate: GateResult) -> Iterator[Item]:
    if gate.applied != "grants":
        return
    yield blank()
    yield heading(_("the tool call, held against each grant"))
    if not gate.grants:
        said = _("no grant is recorded") if gate.operation.source == "tool_call" else visible(gate.note)
        yield _line("", Piece(said, "warn"), key=FieldChoice("query", "grants", "grants"))
    for number, grant in enumerate(gate.grants[:_MOST_GRANTS]):
        yield from _grant(number, grant)
    if len(gate.grants) > _MOST_GRANTS:
        yield _line(
            "",
            Piece(
                ngettext(
                    "and {count:,} more grant", "and {count:,} more grants", len(gate.grants) - _MOST_GRANTS
                ).format(count=len(gate.grants) - _MOST_GRANTS),
                "dim",
            ),
        )


def _grant(number: int, grant: GrantComparison) -> Iterator[Item]:
    exact = {Trit.YES: _("exact"), Trit.NO: _("differs"), Trit.UNKNOWN: _("cannot be compared")}[grant.exact]
    force = {Trit.YES: _("in force"), Trit.NO: _("expired"), Trit.UNKNOWN: _("expiry unknown")}[grant.in_force]
    usable = grant.exact is Trit.YES and grant.in_force is Trit.YES
    pieces = [
        Piece(visible(grant.grant_id), "strong"),
        Piece(f"  {grant.decision}  "),
        Piece(f"{exact}, {force}", "good" if usable else "unknown"),
    ]
    if grant.decides:
        pieces.append(Piece(_("  {DECIDES} decides").format(DECIDES=DECIDES), "strong"))
    yield Item(
        content(pieces),
        content([Piece("  ")]),
        3,
        FieldChoice("query", "grants", f"grant {number}"),
    )
    for match in grant.fields:
        sign, style = _SAME[match.same]
        body = [Piece(f"{sign} ", style)]
        if match.same is Trit.YES:
            body.append(Piece(show_value(match.call)))
        else:
            body += [Piece(_("call "), "dim"), Piece(show_value(match.call))]
            body += [Piece(_("  grant "), "dim"), Piece(show_value(match.grant), style)]
        yield Item(content(body), content([Piece(f"    {match.name}")]), _WIDTH + 4)
    if grant.fields:
        sign, style = _SAME[grant.in_force]
        sign = {"=": "✓", "≠": "✗"}.get(sign, sign)
        body = [Piece(f"{sign} ", style), Piece(show_value(grant.expires_at)), Piece(f"  {force}", style)]
        yield Item(content(body), content([Piece("    expires_at")]), _WIDTH + 4)
        if show_value(grant.stated) != grant.decision:
            said = [
                Piece("  "),
                Piece(show_value(grant.stated)),
                Piece(_("  read as {decision}").format(decision=grant.decision), "warn"),
            ]
            yield Item(content(said), content([Piece("    decision")]), _WIDTH + 4)
    if grant.note:
        yield Item(content([Piece(visible(grant.note), "warn")]), content([Piece("    ")]), 5)


def _governs(governs: Governs, memory: Memory) -> Iterator[Item]:
    yield blank()
    state = {"absent": _("absent"), "empty": _("empty"), "malformed": _("malformed"), "read": _("as read")}[
        governs.state
    ]
    mark = [Piece(_("  {EDITED} edited here").format(EDITED=EDITED), "edited")] if "governs" in memory.edits else []
    yield Item(
        content([Piece(_("governs  "), "heading"), Piece(state, "bad" if governs.malformed else "dim"), *mark]),
    )
    value = memory.get("governs")
    if governs.malformed:
        for fault in governs.faults:
            yield _line("", Piece(f"✗ {visible(fault)}", "bad"))
        yield _line(_("as written"), Piece(show_value(value)[:500]), key=FieldChoice("memory", "governs", "written"))
        yield _line("", Piece(_("it governs nothing: the gate is skipped, and never passes it as authorised"), "dim"))
    elif governs.state == "read":
        for name in GOVERNS_KEYS:
            listed = _listed(value, name)
            shown = ", ".join(visible(str(word)) for word in listed)
            yield _line(
                name, Piece(shown or "–", "" if shown else "dim"), key=FieldChoice("memory", "governs", f"list {name}")
            )
    yield Item(
        content([Piece(_("say what it governs and what authority it carries, in a short form")), Piece("  F", "dim")]),
        content([Piece("  ")]),
        3,
        FormChoice(),
    )


def _listed(value: Any, name: str) -> Sequence[Any]:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, list) else ()


def closing_items(gate: GateResult | None, offers: Sequence[Offer]) -> Iterator[Item]:
    """What would close the gap: the offers, each with what it was seen to change."""
    yield blank()
    yield heading(_("what would close the gap"))
    if not offers:
        said = _("nothing is open: full chain, enforced, and the gate can fire")
        yield Item(content([Piece(said, "dim")]), content([Piece("  ")]), 3)
        return
    for number, offer in enumerate(offers):
        pieces = [Piece(visible(offer.title), "strong")]
        if offer.closes:
            pieces.append(Piece(_("  ✓ closes it"), "good"))
        pieces += [Piece(f"\n{visible(words)}", "dim") for words in offer.words]
        yield Item(content(pieces), content([Piece("   ")]), 4, OfferChoice(number), copy=offer.title)
    how = _("enter applies the one under the cursor, f the first; u undoes")
    yield Item(content([Piece(how, "dim")]), content([Piece("  ")]), 2)
    if gate is None:
        yield Item(content([Piece(_("tried by self-description: no query asks"), "dim")]), content([Piece("  ")]), 2)


def _reads(gate: GateResult) -> Iterator[Item]:
    yield blank()
    yield heading(_("fields read"))
    for read in gate.reads:
        yield field_item(read, "gate")
