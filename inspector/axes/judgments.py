"""Judgments: released or human labels that stand in the rules' place on one axis (DESIGN 2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspector.axes.overrides import Overrides
from inspector.axes.scope import Scope, covers, owners_of
from inspector.axes.verdict import AxisResult
from inspector.i18n import _d
from inspector.ids import ById, resolve_ids
from inspector.records import FieldRead, Judgment, Memory, Presence, Query, presence_of
from inspector.trit import Trit, k_join

JUDGED_AXES = ("scope", "policy", "lifecycle", "relevance")


class Judged:
    """The judgments in force, matched to pairs of records.

    A judgment that names a namespace speaks of the memory with that owner. One that does not speaks of every memory
    with its id; where several have it, of those in the asker's namespaces, if any. Namespaces are those of the uid.
    """

    def __init__(self, scope: Scope, memories: Sequence[Memory], queries: Sequence[Query], by_id: ById) -> None:
        self._scope = scope
        self._memories = memories
        self._queries = queries
        self._by_id = by_id
        self._by_query: dict[str, list[Judgment]] = {}
        self._loaded = False
        self._found: dict[tuple[str, int], dict[int, list[Judgment]]] = {}
        self.over = {axis: Overrides(len(memories)) for axis in JUDGED_AXES}
        self.required = Overrides(len(memories))

    def load(self, judgments: Sequence[Judgment]) -> None:
        """Replace all judgments; those of queries that keep theirs are not matched again."""
        before, self._by_query = self._by_query, {}
        for judgment in judgments:
            self._by_query.setdefault(judgment.query_id, []).append(judgment)
        for qi, query in enumerate(self._queries):
            if not self._loaded or before.get(query.id) != self._by_query.get(query.id):
                self.update_query(qi)
        self._loaded = True

    def update_query(self, qi: int) -> None:
        """Match one query's judgments and required ids again: after an edit of its principal or ``required``."""
        query = self._queries[qi]
        found: dict[str, dict[int, list[Judgment]]] = {}
        for judgment in self._by_query.get(query.id, ()):
            for mi in self._meant(judgment, query):
                found.setdefault(judgment.axis, {}).setdefault(mi, []).append(judgment)
        for axis in JUDGED_AXES:
            of_axis = found.get(axis, {})
            self._found[axis, qi] = of_axis
            values = {mi: k_join(judgment.value for judgment in labels) for mi, labels in of_axis.items()}
            self.over[axis].set_row(qi, values)
        wanted = self._scope.ground.value(query, "required") or ()
        meant = resolve_ids(self._by_id, wanted, self._near(query, wanted)) if wanted else []
        self.required.set_row(qi, dict.fromkeys(meant, Trit.YES))

    def _near(self, query: Query, wanted: Sequence[str]) -> set[int]:
        """Of the memories that several records' ids may mean, those in the asker's namespaces."""
        owners = self._scope.principal_owners(query)
        if owners is None:
            return set()
        near = set()
        for name in wanted:
            places = self._by_id.get(name, ())
            for mi in places if len(places) > 1 else ():
                mine = owners_of(_namespaces(self._memories[mi]), self._scope.aliases).known
                if any(covers(own, other) for own in owners.known for other in mine):
                    near.add(mi)
        return near

    def _meant(self, judgment: Judgment, query: Query) -> list[int]:
        places = self._by_id.get(judgment.memory_id, ())
        if presence_of(judgment.namespace) is not Presence.VALUE:
            if len(places) < 2:
                return list(places)
            return resolve_ids(self._by_id, [judgment.memory_id], self._near(query, [judgment.memory_id]))
        return [mi for mi in places if self._owned(mi, judgment.namespace)]

    def _owned(self, mi: int, namespace: Any) -> bool:
        """Whether a judgment's namespace is the memory's, one of its owners, or all of them as listed."""
        owners = _namespaces(self._memories[mi])
        return namespace in owners or namespace == owners

    def labels(self, axis: str, mi: int, qi: int) -> Sequence[Judgment]:
        """The judgments on one pair and axis."""
        return self._found.get((axis, qi), {}).get(mi, ())

    def over_rule(self, axis: str, mi: int, qi: int, rule: AxisResult) -> AxisResult:
        """The axis with its judgments in the rule's place, which the reason then names beside what the rule gave."""
        labels = self.labels(axis, mi, qi)
        if not labels:
            return rule
        value = k_join(label.value for label in labels)
        said = _d(" and ").join(
            _d("'{source}' says {symbol}").format(source=label.source, symbol=label.value.symbol) for label in labels
        )
        agree = len({label.value for label in labels}) == 1
        reason = (
            _d("judgment: {said}").format(said=said)
            + ("" if agree else _d(", which disagree"))
            + _d("; the rule gave {symbol}").format(symbol=rule.value.symbol)
        )
        name = f"judgment.{axis}"
        said_by = [
            FieldRead("query", name, label.value.json, _d("judgment by {source}").format(source=label.source))
            for label in labels
        ]
        return AxisResult(
            value,
            "judgment",
            reason,
            (*said_by, *rule.reads),
            () if agree else (_d("one judgment"),),
            judged=True,
        )


def _namespaces(memory: Memory) -> list[Any]:
    """The owners that the source states, edits aside: those that the uid is made of."""
    own, several = memory.source("namespace"), memory.source("namespaces")
    if presence_of(own) is Presence.VALUE:
        return [own]
    return list(several) if isinstance(several, list) else []
