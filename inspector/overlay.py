"""Edits over records: what an edit may be, how it lies over a record, which settings can be edited (DESIGN 10)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal

from inspector.errors import FieldError
from inspector.i18n import _
from inspector.ids import ById
from inspector.records import (
    ABSENT,
    MEMORY_FIELDS,
    QUERY_FIELDS,
    Judgment,
    Memory,
    Record,
    Settings,
    Uid,
    check_field,
    namespace_key,
)
from inspector.store.editlog import UNEDITED

Kind = Literal["memory", "query"]


def lay(record: Record, field: str, value: Any) -> None:
    """Lay an edited value over a record's field; the source's own value, or UNEDITED, takes the edit away."""
    if value is UNEDITED or same(record.source(field), value):
        record.edits.pop(field, None)
    else:
        record.edits[field] = value


def same(first: Any, second: Any) -> bool:
    """Equal in kind and value: 1 is not True, and absent is not null."""
    return type(first) is type(second) and bool(first == second)


def check_edit(kind: Kind, field: str, value: Any, timezone: str | None) -> None:
    """Refuse an edit that the field cannot take. Raises FieldError with what was expected."""
    spec = (MEMORY_FIELDS if kind == "memory" else QUERY_FIELDS).get(field)
    if spec is None:
        raise FieldError(field, _("is not a field that can be edited"), _("a known field"))
    if field == "id":
        raise FieldError("id", _("an id is never edited"), _("another field"))
    if value is ABSENT:
        if field == "text":
            raise FieldError("text", _("the text cannot be removed"), "a text")
        return
    check_field(spec, value, timezone)


def check_owner(memories: Sequence[Memory], by_id: ById, indices: Sequence[int], field: str, value: Any) -> None:
    """Refuse a namespace in which another memory of the same id already is (DESIGN 2). Raises FieldError."""
    moved = set(indices)
    taken = {
        (namespace_key(memories[other].effective()), memories[other].id)
        for mi in indices
        for other in by_id.get(memories[mi].id, ())
        if other not in moved
    }
    for mi in indices:
        fields = memories[mi].effective() | {field: value}
        if value is ABSENT:
            del fields[field]
        key = (namespace_key(fields), memories[mi].id)
        if key in taken:
            raise FieldError(
                field,
                _("another memory {id!r} is in that namespace").format(id=memories[mi].id),
                _("an id unique in it"),
            )
        taken.add(key)


def follow_owners(judgments: Iterable[Judgment], memories: Iterable[Memory]) -> list[Judgment]:
    """The judgments as they must be written beside edited memories: a label names the owner that its memory has now.

    An owner that a judgment's file has no form for (several) is left out, so that the label goes by the id alone.
    """
    moved = {
        memory.uid: namespace_key(memory.effective())
        for memory in memories
        if memory.is_edited and not memory.edits.keys().isdisjoint(("namespace", "namespaces"))
    }
    found = []
    for label in judgments:
        key = "" if label.namespace is ABSENT else namespace_key({"namespace": label.namespace})
        now = moved.get(Uid(key, label.memory_id), key)
        owner = json.loads(now) if now else ABSENT
        if isinstance(owner, list) and any(isinstance(part, list) for part in owner):
            owner = ABSENT
        found.append(label if owner == label.namespace else replace(label, namespace=owner))
    return found


def with_setting(settings: Settings, name: str, value: Any) -> Settings:
    """The settings with an edited one. Raises FieldError for a name or value that cannot be set."""
    choices = {"isolation": ("namespace", "session", "namespace+session"), "unknown_intent": ("join", "strict")}
    if name in choices:
        if value not in choices[name]:
            raise FieldError(
                name, _("{value!r} is not known").format(value=value), _("one of ") + ", ".join(choices[name])
            )
        return settings.with_(**{name: value})
    if name == "aliases":
        if not isinstance(value, list) or not all(
            isinstance(group, list) and all(isinstance(one, str) for one in group) for group in value
        ):
            raise FieldError(
                name, _("{value!r} is not a list of groups").format(value=value), _("lists of ids that mean one owner")
            )
        return settings.with_(aliases=tuple(tuple(group) for group in value))
    if name == "assumptions":
        if not isinstance(value, dict):
            raise FieldError(name, _("{value!r} is not a table").format(value=value), _("FIELD = VALUE pairs"))
        return settings.with_(assumptions=dict(value))
    raise FieldError(
        name, _("is not a setting that can be edited"), _("isolation, unknown_intent, aliases, assumptions")
    )
