"""What the gate did over many queries, beside what would have been done without it (DESIGN 7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from inspector.gate.action import Action, Outcome
from inspector.gate.attribution import ATTRIBUTIONS
from inspector.gate.evaluate import GateResult
from inspector.gate.gate import RESULTS
from inspector.records import ACTIONS


@dataclass(frozen=True, slots=True)
class ActionFigures:
    """Actions taken and how they stand to the expected ones; ``actions`` counts every action word, zeros included."""

    actions: dict[str, int]
    as_expected: int
    false_certainty: int
    downgrade_misses: int
    overblocking: int

    def to_json(self) -> dict[str, Any]:
        """The figures under their names."""
        return {
            "actions": self.actions,
            "as_expected": self.as_expected,
            "false_certainty": self.false_certainty,
            "downgrade_misses": self.downgrade_misses,
            "overblocking": self.overblocking,
        }


@dataclass(frozen=True, slots=True)
class GateSummary:
    """Counts over queries, one deciding result each.

    ``queries`` were asked, ``undecided`` of them had no candidate that decides, ``not_compared`` of the decided ones
    have no expected action with a rank and so count in no error. ``escalations`` are actions that the gate raised.
    """

    queries: int
    undecided: int
    not_compared: int
    escalations: int
    results: dict[str, int]
    attributions: dict[str, int]
    without_gate: ActionFigures
    with_gate: ActionFigures

    def to_json(self) -> dict[str, Any]:
        """The summary as ``inspector evaluate --summary`` writes it."""
        return {
            "queries": self.queries,
            "undecided": self.undecided,
            "not_compared": self.not_compared,
            "escalations": self.escalations,
            "results": self.results,
            "attributions": self.attributions,
            "without_gate": self.without_gate.to_json(),
            "with_gate": self.with_gate.to_json(),
        }


def summarise(decided: Iterable[GateResult | None]) -> GateSummary:
    """Sum up the deciding result of each query, None for a query where no candidate decides.

    The expected action is the one in each result; for results of :class:`~inspector.gate.evaluate.GateEngine` that is
    the query's own.
    """
    every = list(decided)
    results = [result for result in every if result is not None]
    named = Counter(result.result for result in results)
    attributed = Counter(result.attribution for result in results)
    return GateSummary(
        queries=len(every),
        undecided=len(every) - len(results),
        not_compared=sum(result.outcome is Outcome.NOT_COMPARED for result in results),
        escalations=sum(result.escalated for result in results),
        results={name: named[name] for name in RESULTS},
        attributions={name: attributed[name] for name in ATTRIBUTIONS},
        without_gate=_figures((result.pre_action, result.pre_outcome) for result in results),
        with_gate=_figures((result.action, result.outcome) for result in results),
    )


def _figures(taken: Iterable[tuple[Action, Outcome]]) -> ActionFigures:
    pairs = list(taken)
    actions: Counter[str] = Counter(action for action, _ in pairs)
    outcomes = Counter(outcome for _, outcome in pairs)
    return ActionFigures(
        {word: actions[word] for word in ACTIONS},
        outcomes[Outcome.AS_EXPECTED],
        outcomes[Outcome.FALSE_CERTAINTY],
        outcomes[Outcome.DOWNGRADE_MISS],
        outcomes[Outcome.OVERBLOCKING],
    )
