"""What would close the gap: the short edits that would put authority or a gate behind a memory (DESIGN 7).

Every offer is tried on a copy of the record, and what it says that it changes is what was seen to change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from inspector.gate.action import Action
from inspector.gate.attribution import Attribution
from inspector.gate.coverage import Protection
from inspector.gate.evaluate import GateResult, evaluate_gate, with_edits
from inspector.gate.gate import DEFAULT_MODE, Mode, Result
from inspector.gate.governs import GOVERNS_KEYS, Governs, governs_of, make_governs, salvage
from inspector.gate.operation import OperationLexicon
from inspector.i18n import _d
from inspector.records import Memory, Origin, Query, Settings

#: Terms are taken over from the record, and at most this many: a person narrows them.
_MOST_TERMS = 8
_RESTRICTED = ["execute", "write"]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What an offer may move: the cell, its two marks, and the gate's answer for the query at hand."""

    cell: Protection
    declared_not_enforced: bool
    cannot_fire: bool
    pre_action: Action
    result: Result
    action: Action
    attribution: Attribution

    @property
    def closed(self) -> bool:
        """Whether nothing is left to close: the full chain, enforced, with a gate that can fire."""
        return self.cell is Protection.FULL_CHAIN and not self.declared_not_enforced and not self.cannot_fire


@dataclass(frozen=True, slots=True)
class Offer:
    """A short form: which fields it sets to what, before and after as evaluated, and that in words.

    ``edits`` map a memory field to its whole new value, ready for an edit. ``closes`` says that nothing is left open.
    """

    title: str
    edits: Mapping[str, Any]
    before: Snapshot
    after: Snapshot
    words: tuple[str, ...]

    @property
    def closes(self) -> bool:
        """Whether the record stands on the full chain with this alone."""
        return self.after.closed


class Tried(NamedTuple):
    """Before and after as evaluated, and what differs, a phrase each."""

    before: Snapshot
    after: Snapshot
    words: tuple[str, ...]


def offers(
    memory: Memory,
    query: Query | None = None,
    mode: Mode = DEFAULT_MODE,
    settings: Settings | None = None,
    lexicons: Sequence[OperationLexicon] | None = None,
) -> tuple[Offer, ...]:
    """The edits that would close or narrow a memory's gap, those that close it first; none where nothing is open.

    Without a query the gate is tried by self-description, which asks nothing of one. Only offers that were seen to
    change something are made.
    """
    asked = _NOBODY if query is None else query
    tried: Mode = "self_description" if query is None else mode
    before = snapshot(evaluate_gate(memory, asked, tried, settings, lexicons))
    if before.closed:
        return ()
    governs = governs_of(memory)
    made: list[Offer] = []
    for title, edits in _candidates(memory, governs, before):
        after = snapshot(evaluate_gate(with_edits(memory, edits), asked, tried, settings, lexicons))
        words = differences(before, after)
        if words:
            made.append(Offer(title, edits, before, after, words))
    return tuple(sorted(made, key=lambda offer: not offer.closes))


def try_edits(
    memory: Memory,
    edits: Mapping[str, Any],
    query: Query | None = None,
    mode: Mode = DEFAULT_MODE,
    settings: Settings | None = None,
    lexicons: Sequence[OperationLexicon] | None = None,
    asked_after: Query | None = None,
) -> Tried:
    """What edits that a person is filling in would move; nothing is stored.

    ``asked_after`` is the query as edits of its own would leave it; default: as it is.
    """
    asked = _NOBODY if query is None else query
    tried: Mode = "self_description" if query is None else mode
    before = snapshot(evaluate_gate(memory, asked, tried, settings, lexicons))
    following = asked if asked_after is None else asked_after
    after = snapshot(evaluate_gate(with_edits(memory, edits), following, tried, settings, lexicons))
    return Tried(before, after, differences(before, after))


def snapshot(result: GateResult) -> Snapshot:
    """What of a gate result an edit may move."""
    return Snapshot(
        result.coverage.protection,
        result.coverage.declared_not_enforced,
        result.coverage.cannot_fire,
        result.pre_action,
        result.result,
        result.action,
        result.attribution,
    )


def differences(before: Snapshot, after: Snapshot) -> tuple[str, ...]:
    """What differs between two snapshots, a phrase each, in the order of the screen."""
    said: list[str] = []
    for name, old, new in (
        (_d("protection"), _d(before.cell.value), _d(after.cell.value)),
        (_d("pre-gate action"), before.pre_action, after.pre_action),
        (_d("gate"), before.result, after.result),
        (_d("final action"), before.action, after.action),
        (_d("attribution"), before.attribution, after.attribution),
    ):
        if old != new:
            said.append(f"{name}: {old} → {new}")
    for name, was, now in (
        (_d("declared but not enforced"), before.declared_not_enforced, after.declared_not_enforced),
        (_d("gate cannot fire"), before.cannot_fire, after.cannot_fire),
    ):
        if was != now:
            said.append(_d("{name}: now so").format(name=name) if now else _d("{name}: no longer").format(name=name))
    return tuple(said)


#: The asker for a memory looked at on its own: a question without words.
_NOBODY = Query({"id": "-", "text": ""}, Origin("-"))


def _candidates(memory: Memory, governs: Governs, before: Snapshot) -> list[tuple[str, dict[str, Any]]]:
    declared = _governs_edit(memory, governs)
    # memory_type alone is no offer: it is an authority signal that no row enforces.
    signals: list[tuple[str, dict[str, Any]]] = []
    if not before.cell.authority or before.declared_not_enforced:
        signals = [
            (_d("require verification"), {"verification_required": True}),
            (_d("block by hint"), {"allowed_action_hint": "block"}),
            (_d("mark as unresolved"), {"epistemic_status": "unresolved"}),
        ]
    made: list[tuple[str, dict[str, Any]]] = []
    if declared is not None:
        made.append(declared)
        if signals:
            made.append(
                (
                    _d("{declared} and require verification").format(declared=declared[0]),
                    {**declared[1], **signals[0][1]},
                )
            )
    return made + signals


def _governs_edit(memory: Memory, governs: Governs) -> tuple[str, dict[str, Any]] | None:
    """The edit of governs that lets the gate fire; None where it can."""
    if governs.present and not governs.cannot_fire:
        return None
    if governs.malformed:
        block = salvage(memory.get("governs"))
        block["action_types"] = block["action_types"] or list(_RESTRICTED)
        return _d("repair the governs block"), {"governs": block}
    if governs.present:
        kept = dict(memory.get("governs"))
        kept["action_types"] = [*governs.action_types, *_RESTRICTED]
        return _d("add execute and write to governs"), {"governs": kept}
    excluded = [term.text for term in governs.excluded_terms]
    block = make_governs(list(_RESTRICTED), _terms_of(memory), excluded_terms=excluded)
    return _d("add a governs block"), {"governs": {key: block[key] for key in GOVERNS_KEYS}}


def _terms_of(memory: Memory) -> list[str]:
    """Terms to start from: the record's own retrieval terms, else none, which claims every question."""
    listed = memory.value("retrieval_terms")
    if not isinstance(listed, list | tuple):
        return []
    return [term for term in listed if isinstance(term, str) and term][:_MOST_TERMS]
