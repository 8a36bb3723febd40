"""The decision layer in the headless contract: the object of a row, of a query, of the summary (DESIGN 6, 12)."""

from __future__ import annotations

from typing import Any

from inspector.i18n import _d
from inspector.inspection import Inspection
from inspector.mdl import AUDIT_NOTE, Action, Decision, QueryDecision, action_counts, bounds


def decision_json(decision: Decision | None) -> Any:
    """The ``mdl`` object: M, R, A, C, alpha, C_final, action; null where there is no decision."""
    return None if decision is None else dict(decision.json())


def query_json(inspection: Inspection, qi: int, decision: QueryDecision | None) -> dict[str, Any] | None:
    """A query's decision with what its signals rest on; null where mdl is null."""
    if decision is None:
        return None
    signals = decision.signals
    names = [inspection.memories[mi].id for mi in inspection.weighed(qi).mis]
    reliability = signals.R
    return {
        "decision": decision_json(decision.query),
        "corner": decision.query.corner,
        "pool": signals.pool,
        "pool_size": int(signals.in_pool.sum()),
        "reliability": {
            "judged": reliability.judged,
            "reason": reliability.reason,
            "relevant": [names[place] for place in reliability.relevant],
            "mean_cosine": _number(reliability.mean_cosine),
            "conflict_rate": _number(reliability.conflict_rate),
            "pairs": reliability.pairs,
            "judged_pairs": reliability.judged_pairs,
        },
        "risk": {"tier": signals.A.tier, "origin": signals.A.origin, "reason": signals.A.reason},
        "conflicts": [
            {
                "memories": [names[pair.left], names[pair.right]],
                "rule": pair.conflict.rule,
                "words": [list(pair.conflict.left_words), list(pair.conflict.right_words)],
                "statements": [pair.conflict.left, pair.conflict.right],
                "shared": list(pair.conflict.shared),
            }
            for pair in reliability.conflicts
        ],
        "notes": list(signals.notes),
    }


def summary_json(inspection: Inspection) -> dict[str, Any]:
    """What the decisions of a store were made by, and how many queries take each action."""
    decisions = [inspection.mdl(qi) for qi in range(len(inspection.queries))]
    counts = action_counts(decisions)
    params, limits = inspection.params, bounds(inspection.params)
    calibration = inspection.calibration
    return {
        "calibrated": params.calibrated,
        "calibration": params.calibration,
        "calibration_rows": None if calibration is None or not params.calibrated else calibration.fitted.rows,
        "pool": params.pool,
        "switches": params.switches.words,
        "n_min": _number(limits.n_min),
        "n_max": _number(limits.n_max),
        "thresholds": list(params.thresholds),
        "actions": {action.word: counts[action] for action in reversed(Action)},
        "null": sum(decision is None for decision in decisions),
        "corner": sum(decision is not None and decision.query.corner for decision in decisions),
        "note": _d(AUDIT_NOTE),
    }


def _number(value: float | None) -> float | None:
    return None if value is None else round(value, 6) + 0.0
