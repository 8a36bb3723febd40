"""Explanations of single pairs: each axis by the scalar rules, judgments over it, what stands beside (DESIGN 3)."""

from __future__ import annotations

import re
from dataclasses import replace

from inspector.axes.ground import Ground
from inspector.axes.judgments import Judged
from inspector.axes.lifecycle import NOT_DELETION, Lifecycle
from inspector.axes.policy import Policy
from inspector.axes.relevance import explain_relevance
from inspector.axes.scope import Scope
from inspector.axes.states import State, names
from inspector.axes.successors import Successors
from inspector.axes.verdict import AxisResult, Explanation, decided_by, verdict_of
from inspector.i18n import _d, told
from inspector.records import FieldRead, Memory, Presence, Query, Record, presence_of
from inspector.trit import Trit, k_and

#: Fields that no axis could read: identity, content, vectors, and what other parts of the program are about.
_NOT_METADATA = frozenset({"id", "text", "embedding", "loss", "recorded", "required"})
#: Words of a ``loss`` entry that speak of an axis, beside the names of its fields.
_LOSS_WORDS = {
    "scope": ("owner", "user", "tenant", "namespace", "session"),
    "policy": ("policy", "purpose", "audience", "consent", "permission"),
    "lifecycle": ("status", "state", "expiry", "expires", "valid", "deleted", "superseded", "time"),
}
_WORD = re.compile(r"[a-z_]+")


class Explainer:
    """The scalar reference path. Works on records given to it, so that an edit can be tried without being made."""

    def __init__(
        self,
        ground: Ground,
        scope: Scope,
        policy: Policy,
        lifecycle: Lifecycle,
        successors: Successors,
        judged: Judged,
    ) -> None:
        self.ground = ground
        self.scope = scope
        self.policy = policy
        self.lifecycle = lifecycle
        self.successors = successors
        self.judged = judged

    def axis(self, axis: str, mi: int, memory: Memory, qi: int, query: Query) -> Trit:
        """One axis's value, judgments included, without the words."""
        judged = self.judged.over[axis].get(mi, qi)
        if judged is not None:
            return judged
        if axis == "scope":
            return self.scope.explain(memory, query).value
        if axis == "policy":
            return self.policy.value(memory, query)
        return self.lifecycle.explain(memory, query, self.successors.of(memory))[0].value

    def explain(self, mi: int, memory: Memory, qi: int, query: Query) -> Explanation:
        """All axes of one pair with reasons."""
        life, mask = self.lifecycle.explain(memory, query, self.successors.of(memory))
        by_rule = {
            "scope": self.scope.explain(memory, query),
            "policy": self.policy.explain(memory, query),
            "lifecycle": life,
            "relevance": explain_relevance(self.ground, memory, query, self.judged.required.get(mi, qi) is not None),
        }
        result = {
            axis: self.judged.over_rule(axis, mi, qi, self._worded(axis, rule, memory))
            for axis, rule in by_rule.items()
        }
        values = result["scope"].value, result["policy"].value, result["lifecycle"].value
        verdict = verdict_of(*values)
        notes = self.scope.notes(memory, query, by_rule["scope"].value)
        if result["lifecycle"].value == Trit.NO and mask & State.FORGOTTEN and not result["lifecycle"].judged:
            notes.append(_d(NOT_DELETION))
        return Explanation(
            result["scope"],
            result["policy"],
            result["lifecycle"],
            verdict,
            decided_by(*values),
            result["relevance"],
            k_and((result["relevance"].value, verdict)),
            self._unread(memory, query, result),
            names(mask),
            (names(mask), self.ground.intent(query)),
            tuple(notes),
        )

    def _worded(self, axis: str, result: AxisResult, memory: Memory) -> AxisResult:
        """The result with "assumed" in its reason where it rests on one, and the named loss behind a ?."""
        reason = result.reason
        said = "assumed" in reason or _d("assumed") in reason
        if result.assumed and not said:
            rests = [read.name for read in result.reads if read.origin == "assumption"]
            reason += _d(" (assumed: {rests})").format(rests=", ".join(rests))
        if result.value == Trit.UNKNOWN:
            causes = [
                f"'{told(entry)}'" for entry in memory.value("loss") or () if _speaks_of(entry, axis, result.missing)
            ]
            if causes:
                reason += _d("; the source could not say: {causes}").format(causes=", ".join(causes))
        return result if reason == result.reason else replace(result, reason=reason)

    def _unread(self, memory: Memory, query: Query, results: dict[str, AxisResult]) -> tuple[FieldRead, ...]:
        read = {(r.owner, r.name) for result in results.values() for r in result.reads}
        tops = {(owner, name.partition(".")[0]) for owner, name in read}
        found: list[FieldRead] = []
        records: tuple[Record, ...] = (memory, query)
        for record in records:
            for name in record.effective():
                field = self.ground.read(record, name)
                if field.presence is not Presence.VALUE or name in _NOT_METADATA:
                    continue
                if name == "as_of" and record is query:
                    continue
                if isinstance(field.value, dict) and name in ("meta", "keys", "principal", "tool_call"):
                    found.extend(
                        FieldRead(field.owner, f"{name}.{key}", value, field.origin)
                        for key, value in field.value.items()
                        if presence_of(value) is Presence.VALUE
                        and (field.owner, f"{name}.{key}") not in read
                        and (field.owner, name) not in read
                    )
                elif (field.owner, name) not in tops:
                    found.append(field)
        return tuple(found)


def _speaks_of(entry: str, axis: str, missing: tuple[str, ...]) -> bool:
    """Whether a loss entry names a missing field, or speaks of the axis in its own words."""
    said = set(_WORD.findall(entry.lower()))
    named = {name.removeprefix("query.").partition(".")[0] for name in missing}
    return bool(said & named) or bool(said & set(_LOSS_WORDS.get(axis, ())))
