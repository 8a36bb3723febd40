"""Fields as the SQL values that policy rules read (DESIGN 3, Policy). Absent, null and empty all become NULL."""

from __future__ import annotations

import json
import math
from typing import Any

from inspector.axes.ground import Ground
from inspector.axes.policy_sql import Column
from inspector.records import Presence, Record, presence_of
from inspector.times import parse_time

#: A value ready for DuckDB, hashable so that equal tuples are evaluated once.
SqlValue = str | float | bool | int | tuple[str | None, ...] | None


def text_of(value: Any) -> str | None:
    """A value as the text that a rule compares: texts as they are, numbers and truth values as in JSON.

    Lone surrogates, which DuckDB cannot hold, become U+FFFD.
    """
    if presence_of(value) is not Presence.VALUE:
        return None
    text = value if isinstance(value, str) else _json(value)
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except ValueError:  # NaN and infinities are no JSON: inside an object they are null
        return json.dumps(_finite(value), ensure_ascii=False, separators=(",", ":"))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _list_of(value: Any) -> tuple[str | None, ...] | None:
    if not isinstance(value, list | tuple) or not value:
        return None
    return tuple(text_of(part) for part in value)


def _inside(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        if isinstance(step, str):
            value = value.get(step) if isinstance(value, dict) else None
        else:
            value = value[step - 1] if isinstance(value, list) and 0 < step <= len(value) else None
    return value


def raw_value(ground: Ground, record: Record, column: Column) -> Any:
    """The field's value as the record holds it, the ``as_of`` of a query being the one in force."""
    if column.owner == "q" and len(column.path) > 1 and column.path[0] == "principal":
        return _inside(ground.principal_part(record, str(column.path[1])), column.path[2:])  # type: ignore[arg-type]
    value = ground.value(record, column.field)
    return _inside(value, column.path[1:]) if len(column.path) > 1 else value


def sql_value(ground: Ground, record: Record, column: Column) -> SqlValue:
    """The value that a rule reads at a column; None is SQL's NULL.

    A time is UTC microseconds. A naive time, in a store that declares no time zone, is NULL: against a rule's own
    literal it is in doubt. A list in a text column, such as a namespace of segments, is its JSON text.
    """
    if column.owner == "q" and column.path == ("as_of",):
        instant = ground.as_of(record)  # type: ignore[arg-type]
        return None if instant is None or instant.naive else instant.us
    value = raw_value(ground, record, column)
    if presence_of(value) is not Presence.VALUE:
        return None
    if column.type == "TIMESTAMPTZ":
        instant = parse_time(value, column.field, ground.timezone)
        return None if instant.naive else instant.us
    if column.type == "VARCHAR[]":
        return _list_of(value)
    if column.type == "DOUBLE":
        return float(value)
    if column.type == "BOOLEAN":
        return bool(value) if isinstance(value, bool) else None
    if column.type == "JSON":
        return text_of(_json(value))
    return text_of(value)
