"""What the axes say of one query and memory, and the verdict folded from them (DESIGN 3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inspector.records import AXES, FieldRead
from inspector.trit import Trit, TritArray, k_and

#: The words of a verdict by trit (DESIGN 3).
VERDICT_WORDS = {Trit.YES: "admit", Trit.NO: "exclude", Trit.UNKNOWN: "unresolved"}


@dataclass(frozen=True, slots=True)
class AxisResult:
    """One axis of one pair: its trit, the rule that decided, why in a sentence, and what it rests on.

    ``missing`` names the fields whose absence made a ?, query fields as ``query.FIELD``; it is empty beside 1 and 0.
    ``assumed`` says that a value read here is an assumption, ``judged`` that a judgment took the rules' place.
    """

    value: Trit
    rule: str
    reason: str
    reads: tuple[FieldRead, ...] = ()
    missing: tuple[str, ...] = ()
    assumed: bool = False
    judged: bool = False


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything the axes say of one pair, for the *Why* tab and ``inspector why`` (DESIGN 3).

    ``decided_by`` are the axes at the verdict's value where that is 0 or ?, all three where it is 1. ``unread`` are
    fields with a value that no rule read. ``state`` is the lifecycle state by name ("stale or current" where it is
    open), ``table_cell`` that state and the intent. ``notes`` are sentences that stand beside the verdict.
    """

    scope: AxisResult
    policy: AxisResult
    lifecycle: AxisResult
    verdict: Trit
    decided_by: tuple[str, ...]
    relevance: AxisResult
    usable: Trit
    unread: tuple[FieldRead, ...]
    state: str
    table_cell: tuple[str, str]
    notes: tuple[str, ...]


def verdict_of(scope: Trit, policy: Trit, lifecycle: Trit) -> Trit:
    """admissible = scope AND policy AND lifecycle, strong Kleene (DESIGN 3)."""
    return k_and((scope, policy, lifecycle))


def decided_by(scope: Trit, policy: Trit, lifecycle: Trit) -> tuple[str, ...]:
    """The axes whose value is the verdict's: those a change must move before the verdict can move."""
    verdict = verdict_of(scope, policy, lifecycle)
    return tuple(axis for axis, value in zip(AXES, (scope, policy, lifecycle), strict=True) if value == verdict)


def fold(*axes: TritArray) -> TritArray:
    """Strong Kleene AND of whole trit arrays of one shape: their elementwise minimum (DESIGN 1)."""
    out = axes[0]
    for axis in axes[1:]:
        out = np.minimum(out, axis)
    return out
