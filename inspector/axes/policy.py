"""Policy: may the memory be used for this (DESIGN 3).

policy = NOT(OR of denies) AND OR(allows…, default), strong Kleene, over the bundle's rules and the built-in one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from inspector.axes.columns import Index
from inspector.axes.ground import Ground
from inspector.axes.policy_file import PolicyFile, read_policy
from inspector.axes.policy_rules import Rule
from inspector.axes.policy_run import sandbox
from inspector.axes.policy_sql import Column
from inspector.axes.policy_values import sql_value
from inspector.axes.purposes import Purposes
from inspector.axes.verdict import AxisResult
from inspector.i18n import _d
from inspector.records import FieldRead, Memory, Presence, Query, Record
from inspector.trit import Trit, TritArray, k_and, k_not, k_or


@dataclass(frozen=True, slots=True)
class _Vote:
    """One rule's say on one pair, with its words."""

    value: Trit
    effect: str
    id: str
    words: str
    reads: tuple[FieldRead, ...]
    missing: tuple[str, ...]


class Policy:
    """The policy axis of a bundle. Raises InputError for a policy.toml that cannot be read or whose rule is refused."""

    def __init__(self, ground: Ground, memories: Sequence[Memory], queries: Sequence[Query]) -> None:
        self.ground = ground
        settings = ground.settings
        self.file: PolicyFile = read_policy(settings.policy, settings.policy_file)
        assumed = ground.assumptions.get("policy")
        self.assumed_default = self.file.default == Trit.UNKNOWN and assumed is not None
        self.default = Trit.of(assumed == "allow") if self.assumed_default else self.file.default
        self.purposes = Purposes(ground, memories, queries)
        self.rules: list[Rule] = []
        if self.file.rules:
            self._compile(memories, queries)

    def _compile(self, memories: Sequence[Memory], queries: Sequence[Query]) -> None:
        closed = sandbox()

        @cache
        def column(wanted: Column) -> list[Any]:
            records: Sequence[Record] = memories if wanted.owner == "m" else queries
            return [sql_value(self.ground, record, wanted) for record in records]

        for source in self.file.rules:
            compiled = closed.compile(source, self.file.name)
            rule = Rule(source, self.file.name, compiled, closed, self.ground)
            rule.load(memories, queries, column)
            self.rules.append(rule)

    def update_memory(self, mi: int, memory: Memory) -> None:
        """Read an edited memory again."""
        self.purposes.update_memory(mi, memory)
        for rule in self.rules:
            rule.update_memory(mi, memory)

    def update_query(self, qi: int, query: Query) -> None:
        """Read an edited query again."""
        self.purposes.update_query(qi, query)
        for rule in self.rules:
            rule.update_query(qi, query)

    def memory_columns(self) -> Iterator[Column]:
        """The memory's columns that some rule reads, without repeats."""
        seen = {column: None for rule in self.rules for column in rule.compiled.columns if column.owner == "m"}
        return iter(seen)

    def literals(self) -> tuple[str, ...]:
        """The constants of all rules, in order: values that an edit may try."""
        return tuple(dict.fromkeys(text for rule in self.rules for text in rule.compiled.literals))

    def values(self, m: Index, q: Index) -> TritArray:
        """Policy at pairs, shape of m and q broadcast together."""
        shape = np.broadcast_shapes(m.shape, q.shape)
        allow = np.full(shape, int(self.default), np.uint8)
        deny: TritArray | None = None
        built_in = self.purposes.values(m, q)
        if built_in is not None:
            np.maximum(allow, built_in[0], out=allow)
            deny = np.broadcast_to(built_in[1], shape)
        for rule in self.rules:
            value = rule.values(m, q)
            if rule.source.effect == "allow":
                np.maximum(allow, value, out=allow)
            else:
                deny = value if deny is None else np.maximum(deny, value)
        return allow if deny is None else np.minimum(allow, np.uint8(2) - deny)

    def value(self, memory: Memory, query: Query) -> Trit:
        """Policy of one pair without words."""
        allow, deny, _ = self.purposes.explain(memory, query)
        allows, denies = [allow, self.default], [deny]
        for rule in self.rules:
            (allows if rule.source.effect == "allow" else denies).append(rule.value(memory, query))
        return k_and((k_not(k_or(denies)), k_or(allows)))

    def explain(self, memory: Memory, query: Query) -> AxisResult:
        """Policy of one pair with its reason: the ids of the rules that decided and what they read."""
        built_allow, built_deny, built = self.purposes.explain(memory, query)
        votes = [self._vote(rule, memory, query) for rule in self.rules]
        votes += [
            _Vote(built_allow, "allow", built.rule, built.reason, built.reads, built.missing),
            _Vote(built_deny, "deny", built.rule, built.reason, built.reads, built.missing),
        ]
        deny = k_or(vote.value for vote in votes if vote.effect == "deny")
        allow = k_or([self.default, *(vote.value for vote in votes if vote.effect == "allow")])
        value = k_and((k_not(deny), allow))
        rule, words, deciding = self._deciding(value, deny, allow, votes)
        reads = tuple({(r.owner, r.name): r for vote in votes for r in vote.reads}.values())
        rests = {r.origin for vote in deciding for r in vote.reads if r.presence is Presence.VALUE}
        by_default = rule == "default" or (not deciding and self.assumed_default)
        assumed = "assumption" in rests or (by_default and self.assumed_default) or self._default_needed(value, votes)
        missing: list[str] = []
        if value == Trit.UNKNOWN:
            for vote in deciding:
                missing.extend(vote.missing)
            if not deciding:
                missing.extend((*built.missing, "policy"))
        return AxisResult(value, rule, words, reads, tuple(dict.fromkeys(missing)), assumed)

    def _default_needed(self, value: Trit, votes: list[_Vote]) -> bool:
        """Whether the value would be another without the assumed default."""
        if not self.assumed_default:
            return False
        deny = k_or(vote.value for vote in votes if vote.effect == "deny")
        allow = k_or([self.file.default, *(vote.value for vote in votes if vote.effect == "allow")])
        return k_and((k_not(deny), allow)) != value

    def _deciding(self, value: Trit, deny: Trit, allow: Trit, votes: list[_Vote]) -> tuple[str, str, list[_Vote]]:
        """The rules whose value made the axis's, as one name and one sentence."""
        default = {Trit.YES: "allow", Trit.NO: "deny", Trit.UNKNOWN: "unknown"}[self.default]
        default_words = _d("the default is {default}").format(default=default) + (
            _d(", assumed") if self.assumed_default else ""
        )
        if value == Trit.NO and deny == Trit.YES:
            deciding = [vote for vote in votes if vote.effect == "deny" and vote.value == Trit.YES]
        elif value == Trit.UNKNOWN and deny == Trit.UNKNOWN:
            deciding = [vote for vote in votes if vote.effect == "deny" and vote.value == Trit.UNKNOWN]
            if allow == Trit.UNKNOWN:
                deciding += [vote for vote in votes if vote.effect == "allow" and vote.value == Trit.UNKNOWN]
        else:
            deciding = [vote for vote in votes if vote.effect == "allow" and vote.value == value != Trit.NO]
        # The built-in rule speaks twice, for allow and for deny, in the same words.
        names = ", ".join(dict.fromkeys(f"{vote.effect} {vote.id}" for vote in deciding))
        words = "; ".join(dict.fromkeys(vote.words for vote in deciding))
        if deciding:
            if value == Trit.UNKNOWN and allow == Trit.UNKNOWN and self.default == Trit.UNKNOWN:
                words += f"; {default_words}"
            return names, words, deciding
        stated = (
            _d("no rule allows; {default_words}").format(default_words=default_words)
            if votes and self.default != Trit.YES
            else default_words
        )
        return "default", stated, []

    def _vote(self, rule: Rule, memory: Memory, query: Query) -> _Vote:
        value = rule.value(memory, query)
        source = rule.source
        reads = tuple(self._column_read(column, memory, query) for column in rule.compiled.columns)
        empty = rule.null_columns(memory, query)
        missing: tuple[str, ...] = ()
        if value == Trit.UNKNOWN:
            fault = rule.fault(memory, query)
            missing = tuple(column.name for column in empty)
            if fault is not None:
                words = _d("rule {id} cannot be evaluated: {fault}").format(id=source.id, fault=fault)
            else:
                naive = [c.name for c in empty if self._column_read(c, memory, query).presence is Presence.VALUE]
                words = _d("rule {id} is open: ").format(id=source.id) + (
                    ", ".join(missing) or _d("its expression gives NULL")
                )
                words += _d(" without a value") if missing else ""
                if naive:
                    words += _d(" ({naive}: not readable as the rule needs it, or a time without a zone)").format(
                        naive=", ".join(naive)
                    )
        else:
            says = _d("rule {id} allows") if source.effect == "allow" else _d("rule {id} denies")
            words = (
                says.format(id=source.id) if value == Trit.YES else _d("rule {id} does not apply").format(id=source.id)
            )
            shown = ", ".join(
                f"{read.name} = {_short(read.value)}" for read in reads if read.presence is Presence.VALUE
            )
            words += f" ({shown})" if shown else ""
            absent = [column.name for column in empty if column in rule.compiled.absence]
            if absent:
                words = _d("{words}; decides on absence of {fields}").format(words=words, fields=", ".join(absent))
        if source.note and value != Trit.NO:
            words += f": {source.note}"
        return _Vote(value, source.effect, source.id, words, reads, missing)

    def _column_read(self, column: Column, memory: Memory, query: Query) -> FieldRead:
        record: Record = memory if column.owner == "m" else query
        if column.owner == "q" and column.path == ("as_of",):
            return self.ground.as_of_read(query)
        if column.owner == "q" and column.path[0] == "principal" and len(column.path) > 1:
            return self.ground.read(query, f"principal.{column.path[1]}")
        whole = self.ground.read(record, column.field)
        value = whole.value
        for step in column.path[1:]:
            if isinstance(step, str):
                value = value.get(step) if isinstance(value, dict) else None
            else:
                value = value[step - 1] if isinstance(value, list) and 0 < step <= len(value) else None
        name = ".".join(map(str, column.path))
        return whole if len(column.path) == 1 else FieldRead(whole.owner, name, value, whole.origin)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
