"""The execution gate in its four modes (DESIGN 7).

The final action is the stricter of the pre-gate action and what the gate demands: no mode lowers a rank.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from inspector.gate.action import CAUTIOUS, PERMISSIVE, Action, stricter
from inspector.gate.governs import OPERATIONS, Governs
from inspector.gate.grants import GrantOutcome
from inspector.gate.operation import Operation
from inspector.gate.terms import Ground, Term
from inspector.i18n import _d

Mode = Literal["self_description", "jurisdiction", "grants", "layered"]
MODES: tuple[Mode, ...] = ("self_description", "jurisdiction", "grants", "layered")
DEFAULT_MODE: Mode = "layered"
Result = Literal["GATE_PASS", "GATE_FAIL", "GATE_WARN", "GATE_SKIP"]
RESULTS: tuple[Result, ...] = ("GATE_PASS", "GATE_FAIL", "GATE_WARN", "GATE_SKIP")


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the gate says of one action: the result, the final action, the reason."""

    result: Result
    action: Action
    note: str


def rule_on(mode: Mode, calls: bool) -> Mode:
    """The mode that applies: ``layered`` is grants where a tool call is recorded, else jurisdiction."""
    if mode != "layered":
        return mode
    return "grants" if calls else "jurisdiction"


def by_self_description(pre: Action, governs: Governs) -> Ruling:
    """The gate on the memory's own word for what it governs, whatever was asked."""
    if governs.malformed:
        return Ruling("GATE_SKIP", pre, _d("malformed governs: {reason}").format(reason=governs.reason))
    if not governs.present:
        return Ruling("GATE_SKIP", pre, _d("no governs"))
    if not governs.action_types:
        return Ruling("GATE_SKIP", pre, _d("governs states no action_types"))
    types = ", ".join(governs.action_types)
    if governs.restricted:
        if pre in PERMISSIVE:
            final = stricter(pre, CAUTIOUS)
            return Ruling(
                "GATE_FAIL",
                final,
                _d("governs {types}, and {pre} is permissive: escalated to {final}").format(
                    types=types, pre=pre, final=final
                ),
            )
        return Ruling("GATE_PASS", pre, _d("governs {types}, and {pre} is not permissive").format(types=types, pre=pre))
    if pre not in PERMISSIVE:
        return Ruling("GATE_WARN", pre, _d("governs read only, and {pre} is not permissive").format(pre=pre))
    return Ruling("GATE_PASS", pre, _d("governs read only, and {pre} is permissive").format(pre=pre))


def by_jurisdiction(pre: Action, governs: Governs, ground: Ground, operation: Operation) -> Ruling:
    """Self-description inside the memory's jurisdiction; GATE_SKIP outside it and for other operations.

    ``ground`` holds the words of the query and its tool call. Only an operation that a tool call records can make the
    gate skip, and only a known one: whether an unknown word is among the action types is unknown [ours].
    """
    ruling = by_self_description(pre, governs)
    if ruling.result == "GATE_SKIP":
        return ruling
    outside = outside_jurisdiction(governs, ground)
    if outside:
        return Ruling("GATE_SKIP", pre, _d("outside jurisdiction: {outside}").format(outside=outside))
    if operation.source == "tool_call" and operation.name in OPERATIONS and operation.name not in governs.action_types:
        types = ", ".join(governs.action_types)
        return Ruling(
            "GATE_SKIP",
            pre,
            _d("governs other operations: {types}, and the tool call is {name}").format(
                types=types, name=operation.name
            ),
        )
    return ruling


def by_grants(pre: Action, outcome: GrantOutcome | None) -> Ruling:
    """The gate on the grants alone; the memory's own word is not read. ``outcome`` is None without a tool call."""
    if outcome is None:
        return Ruling("GATE_SKIP", pre, _d("no tool call is recorded"))
    if outcome.demands is None:
        return Ruling(outcome.result, pre, outcome.reason)
    return Ruling(outcome.result, stricter(pre, outcome.demands), outcome.reason)


def outside_jurisdiction(governs: Governs, ground: Ground) -> str:
    """Why the query and tool call lie outside what a governs block claims, "" where they lie inside.

    An excluded term takes them out; every all-term and one of the any-terms must be there; an empty list asks nothing.
    """
    for term in governs.excluded_terms:
        if ground.excludes(term):
            return _d("excluded term {quoted}").format(quoted=_quoted(term))
    missing = [term for term in governs.all_terms if not ground.holds(term)]
    if missing:
        return _d("all_terms lacks ") + ", ".join(_quoted(term) for term in missing[:5])
    if governs.any_terms and not any(ground.holds(term) for term in governs.any_terms):
        return _d("none of any_terms")
    return ""


def _quoted(term: Term) -> str:
    return f'"{term.text[:60]}"'
