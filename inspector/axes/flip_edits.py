"""The edits of one memory that could move its axes: which fields, which values (DESIGN 3, flips)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from inspector.axes.explain import Explainer
from inspector.axes.lifecycle import FIELDS as LIFECYCLE_FIELDS
from inspector.axes.policy_sql import Column
from inspector.axes.policy_values import sql_value
from inspector.errors import FieldError
from inspector.i18n import _d
from inspector.records import ABSENT, MEMORY_FIELDS, Memory, Query, check_field, show_namespace

#: Values taken from the store for one field, and the records looked at for them.
_FROM_STORE = 4
_LOOKED_AT = 2_000
_LITERALS = 8
#: One label of each class, for a store that uses none of that class.
_LABELS = ("active", "superseded", "stale", "archived", "deleted")


@dataclass(frozen=True, slots=True)
class Edit:
    """One field set to one value (ABSENT clears it), and the axes that read the field."""

    field: str
    value: Any
    axes: frozenset[str]

    @property
    def words(self) -> str:
        """The edit as an instruction."""
        if self.value is ABSENT:
            return _d("clear {field}").format(field=self.field)
        if self.field in ("namespace", "namespaces"):
            return _d("set {field} to '{show_namespace}'").format(
                field=self.field, show_namespace=show_namespace(self.value)
            )
        return _d("set {field} to {dumps}").format(field=self.field, dumps=json.dumps(self.value, ensure_ascii=False))


class EditSource:
    """Candidate edits for one memory and query, in a fixed order: natural ones first."""

    def __init__(self, explainer: Explainer, memories: Sequence[Memory], memory: Memory, query: Query) -> None:
        self._explainer = explainer
        self._memories = memories
        self._memory = memory
        self._query = query
        self._ground = explainer.ground
        self._columns = list(explainer.policy.memory_columns())

    def edits(self) -> list[Edit]:
        """All candidates; none repeats the value in force, and each is one that its field can hold."""
        found: dict[tuple[str, str], Edit] = {}
        for field, values in self._fields():
            axes = self._axes(field)
            for value in values if axes else ():
                if self._possible(field, value):
                    found.setdefault((field, repr(value)), Edit(field, value, axes))
        return list(found.values())

    def _axes(self, field: str) -> frozenset[str]:
        axes = set()
        isolation = self._explainer.scope.isolation
        if (field in ("namespace", "namespaces") and "namespace" in isolation) or (
            field == "session_id" and "session" in isolation
        ):
            axes.add("scope")
        if field in LIFECYCLE_FIELDS:
            axes.add("lifecycle")
        if field == "allowed_purposes" or any(column.field == field for column in self._columns):
            axes.add("policy")
        return frozenset(axes)

    def _possible(self, field: str, value: Any) -> bool:
        now = self._memory.get(field)
        if value is ABSENT:
            # Clearing what is missing already changes nothing that a test can see.
            return self._memory.value(field) is not None
        if value == now:
            return False
        try:
            check_field(MEMORY_FIELDS[field], value, self._ground.timezone)
        except FieldError:
            return False
        return True

    def _fields(self) -> Iterable[tuple[str, Iterable[Any]]]:
        memory, query = self._memory, self._query
        as_of = self._ground.as_of(query)
        now = [] if as_of is None else [as_of.iso()]
        yield "namespace", self._namespaces()
        yield "namespaces", self._several()
        session = self._ground.value(query, "session_id")
        yield "session_id", [*([] if session is None else [session]), ABSENT, *self._common("session_id")]
        for name in ("deleted_at", "superseded_by", "valid_to", "valid_from"):
            yield name, [ABSENT]
        used = [word for word in self._common("status") if isinstance(word, str)]
        yield "status", [*_LABELS[:1], *used, *_LABELS[1:], ABSENT]
        yield "boundary_state", ["active", "archived", "forgotten", "quarantined", ABSENT]
        yield "boundary_log", [ABSENT, *self._marks(now)]
        yield "allowed_purposes", self._purposes(memory)
        yield "deleted_at", now
        yield "valid_to", now
        yield "superseded_by", self._common("superseded_by")
        yield "status_at", [*now, ABSENT]
        yield "created_at", [*now, ABSENT]
        yield "valid_from", now
        for column in self._columns:
            yield column.field, self._column(column)

    def _namespaces(self) -> list[Any]:
        owners = self._explainer.scope.principal_owners(self._query)
        shared = list(self._ground.settings.shared_namespaces)
        return [*(owners.shown if owners is not None else ()), *shared, *self._common("namespace"), ABSENT]

    def _several(self) -> list[Any]:
        several = self._memory.value("namespaces")
        if several is None:
            return []
        owners = self._explainer.scope.principal_owners(self._query)
        asked = list(owners.shown) if owners is not None else []
        others = [namespace for namespace in several if namespace not in asked]
        return [*([*several, one] for one in asked), *([others] if others else []), ABSENT]

    def _marks(self, now: list[str]) -> list[Any]:
        log = self._memory.value("boundary_log")
        if log is None or not now:
            return []
        return [[*log, {"state": state, "at": now[0]}] for state in ("active", "archived", "forgotten", "quarantined")]

    def _purposes(self, memory: Memory) -> list[Any]:
        now = memory.value("allowed_purposes") or []
        purpose = self._ground.value(self._query, "purpose")
        found: list[Any] = []
        if purpose is not None:
            found.append([*now, purpose])
            rest = [word for word in now if word != purpose]
            found.append(rest or ABSENT)
        return [*found, ABSENT, *self._common("allowed_purposes")]

    def _common(self, field: str) -> list[Any]:
        """The store's most frequent values of a field, ties by their text."""
        counts: Counter[str] = Counter()
        for memory in islice(self._memories, _LOOKED_AT):
            value = memory.value(field)
            if value is not None:
                counts[json.dumps(value, sort_keys=True, default=str)] += 1
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        return [json.loads(text) for text, _ in ranked[:_FROM_STORE]]

    def _column(self, column: Column) -> list[Any]:
        """Values for a field that a rule reads: the rules' literals, what the query says, what the store holds."""
        texts = self._texts()
        spec = MEMORY_FIELDS[column.field]
        if len(column.path) > 1:
            return [value for text in texts if (value := self._inside(column, text)) is not None] + [ABSENT]
        if spec.kind == "bool":
            return [True, False, ABSENT]
        if spec.kind == "number":
            numbers = [float(text) for text in texts if _number(text)]
            return [*numbers, *(n + step for n in numbers for step in (1, -1)), ABSENT]
        if spec.kind == "list":
            now = self._memory.value(column.field) or []
            added = [[*now, text] for text in texts if text not in now]
            removed = [[word for word in now if word != text] or ABSENT for text in texts if text in now]
            return [*added, *removed, ABSENT, *self._common(column.field)]
        return [*texts, *self._common(column.field), ABSENT]

    def _texts(self) -> list[str]:
        policy = self._explainer.policy
        asked: list[str | None] = []
        for rule in policy.rules:
            for column in rule.compiled.columns:
                value = sql_value(self._ground, self._query, column) if column.owner == "q" else None
                asked.extend([value] if isinstance(value, str) else value if isinstance(value, tuple) else [])
        return list(dict.fromkeys([text for text in asked if text] + list(policy.literals()[:_LITERALS])))

    def _inside(self, column: Column, text: str) -> Any:
        """The whole object with one of its parts set, None where the path leads through a list or a text."""
        whole = self._memory.value(column.field)
        top: dict[str, Any] = dict(whole) if isinstance(whole, dict) else {}
        place = top
        for step in column.path[1:-1]:
            inner = place.get(str(step))
            if isinstance(step, int) or not isinstance(inner, dict | None):
                return None
            place[str(step)] = place = dict(inner or {})
        last = column.path[-1]
        if isinstance(last, int):
            return None
        place[last] = [text] if column.type == "VARCHAR[]" else text
        return top


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
