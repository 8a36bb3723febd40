"""What the gate says, as signs and pieces: the cell of the candidates' list and the query line (SCREENS Inspect).

A result is a character first: ``✓`` pass, ``✗`` fail, ``!`` warn, ``–`` skip. ``◆`` marks the candidate that decides,
``↑`` an action that the gate made stricter.
"""

from __future__ import annotations

from collections.abc import Iterable

from inspector.gate.action import RANK, Outcome
from inspector.gate.evaluate import GateResult
from inspector.gate.gate import MODES, RESULTS, Mode
from inspector.i18n import N_, _
from inspector.ui.veil import visible
from inspector.ui.widgets.cells import Piece
from inspector.ui.widgets.signs import ARROW
from inspector.views import Candidate

DECIDES = "◆"
STRICTER = "↑"
RESULT_SIGNS = {
    "GATE_PASS": ("✓", "good"),
    "GATE_FAIL": ("✗", "bad"),
    "GATE_WARN": ("!", "warn"),
    "GATE_SKIP": ("–", "dim"),
}
OUTCOME_STYLES = {
    Outcome.AS_EXPECTED: "good",
    Outcome.FALSE_CERTAINTY: "bad",
    Outcome.DOWNGRADE_MISS: "bad",
    Outcome.OVERBLOCKING: "warn",
    Outcome.NOT_COMPARED: "dim",
}
#: What each mode asks, for the choice of one.
MODE_WORDS: dict[Mode, tuple[str, str]] = {
    "self_description": (
        N_("what the memory says of itself"),
        N_(
            "Only the memory's own action types are read, whatever was asked: this "
            "reproduces the source's figures, and a wrongly retrieved memory escalates "
            "what it does not govern."
        ),
    ),
    "jurisdiction": (
        N_("what the memory governs, matched against the question"),
        N_("any, all and excluded terms are matched against the query and the tool call; outside them the gate skips."),
    ),
    "grants": (
        N_("the tool call, held against the grants in force"),
        N_("agent, action type, resource, recipient and scope must be the same, and the grant must not have expired."),
    ),
    "layered": (
        N_("grants where a tool call is recorded, else jurisdiction"),
        N_("The default: the proof is asked for where there is something to prove."),
    ),
}


def next_mode(mode: Mode) -> Mode:
    """The mode after this one, round and round."""
    return MODES[(MODES.index(mode) + 1) % len(MODES)]


def result_sign(gate: GateResult) -> Piece:
    """The one character of a result."""
    return Piece(*RESULT_SIGNS[gate.result])


def result_words(gate: GateResult) -> Piece:
    """``✗ GATE_FAIL``."""
    sign, style = RESULT_SIGNS[gate.result]
    return Piece(f"{sign} {gate.result}", style)


def gate_cell(row: Candidate) -> list[Piece]:
    """``◆✗↑verify_first``: who decides, the result, whether the gate made it stricter, the final action.

    Where an edit moved the action and nobody has looked yet the old one stands before it.
    """
    gate = row.gate
    if gate is None:
        return [Piece("–", "dim")]
    pieces = [Piece(DECIDES if gate.decides else " ", "strong"), result_sign(gate)]
    if row.gate_before and row.gate_before != gate.action:
        return [*pieces, Piece(" "), Piece(row.gate_before, "dim"), Piece(f"{ARROW}{gate.action}", "changed")]
    raised = gate.escalated
    return [*pieces, Piece(STRICTER if raised else " ", "changed"), Piece(gate.action, "strong" if raised else "")]


def gate_order(row: Candidate) -> tuple[bool, tuple[int, int]]:
    """What the column is ordered by: the final action's rank, then the result."""
    gate = row.gate
    return (True, (0, 0)) if gate is None else (False, (RANK[gate.action], -RESULTS.index(gate.result)))


def decider(rows: Iterable[Candidate]) -> Candidate | None:
    """The candidate that decides, where one does."""
    return next((row for row in rows if row.gate is not None and row.gate.decides), None)


def gate_figures(mode: Mode, row: Candidate | None) -> list[list[Piece]]:
    """The query line: mode, what the deciding candidate's action becomes, the result, attribution, and who decides."""
    head = [Piece(_("gate "), "dim")]
    gate = None if row is None else row.gate
    if row is None or gate is None:
        return [[*head, Piece(_("no candidate decides"), "unknown"), Piece(f" ({mode})", "dim")]]
    action = [Piece(gate.pre_action), Piece(f" {ARROW} ", "dim"), Piece(gate.action, "strong")]
    if row.gate_before and row.gate_before != gate.action:
        action += [Piece(_(" was "), "dim"), Piece(row.gate_before, "changed")]
    ruled = mode if gate.applied == mode else f"{mode}: {gate.applied}"
    parts = [
        [*head, *action, Piece(" "), result_words(gate)],
        [Piece(gate.attribution, "bad" if gate.attribution == "UNATTRIBUTABLE" else "")],
        [Piece(f"{DECIDES} ", "strong"), Piece(visible(row.memory_id)), Piece(f" ({ruled})", "dim")],
    ]
    if gate.outcome is not Outcome.NOT_COMPARED:
        parts.append([Piece(_("action "), "dim"), Piece(gate.outcome.value, OUTCOME_STYLES[gate.outcome])])
    return parts
