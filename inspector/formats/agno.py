"""Agno: its table of user memories, in an SQLite file or dumped as JSON or CSV, and what ``to_dict`` prints.

Scope: ``user_id`` is the namespace; without it ``["team", team_id]``, else ``["agent", agent_id]``. All are kept under
``keys``. A memory names no session: a memory of the user holds in all of them.

Lifecycle: ``created_at`` and ``updated_at`` alone, epoch seconds in the table; ``to_dict`` prints local time without a
zone, which stays naive. Agno keeps no status, and an update overwrites.

``memory`` is a text, or JSON that holds one (the column is JSON, and older releases stored an object). ``topics`` and
``feedback`` stay in ``meta``. Other tables of the file (sessions, runs) are no memories.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from inspector.errors import FieldError, InputError
from inspector.formats import sqlite
from inspector.formats.base import Format, Watch
from inspector.formats.canonical import note_page
from inspector.formats.cells import from_json
from inspector.formats.collect import Collector
from inspector.formats.draft import Draft, add_all, as_word, finite, text_of
from inspector.formats.importer import Importer, Source, each, records
from inspector.formats.outline import EACH, Outline
from inspector.formats.rows import Raw
from inspector.i18n import D_, _
from inspector.records import ABSENT

LOSS = [
    D_("policy: Agno keeps no purposes and no access rules"),
    D_("status: Agno keeps no status; an update overwrites what was there"),
]
FORMAT = Format(
    name="agno",
    summary="Agno: its table of user memories as an SQLite file, JSON or CSV; UserMemory.to_dict as JSON",
    recognised_by="records or a table with memory_id, memory and user_id or topics",
    example='[{"memory_id": "m1", "memory": "Ana lives in Porto.", "topics": ["home"], "user_id": "ana", '
    '"created_at": 1767600000, "updated_at": 1767600000}]',
    loss="no purposes or access rules, no status, no session, no earlier versions",
    scope="user_id, else team_id, agent_id",
    policy="",
    lifecycle="created_at, updated_at (epoch seconds; naive local time from to_dict)",
)
_OWNERS = (("user_id", ""), ("team_id", "team"), ("agent_id", "agent"))
_MARKS = {"memory_id", "memory"}
_LISTS = (("memories",), ("data",))


def _is_memory(keys: frozenset[str]) -> bool:
    return keys >= _MARKS and bool(keys & {"user_id", "topics", "team_id", "agent_id"})


def matches(outline: Outline) -> bool:
    """Whether the records, or a table's rows, are user memories."""
    if outline.holder == "csv":
        return _is_memory(frozenset(outline.columns))
    places = [(), (EACH,), ("memories", EACH), ("data", EACH)]
    is_json = outline.holder in ("json", "jsonl") and any(_is_memory(outline.at(*place)) for place in places)
    return is_json or any(map(_is_memory, outline.tables.values()))


def read(files: tuple[Path, ...], collector: Collector, watch: Watch) -> None:
    """Read Agno's memories."""
    for source in each(files):
        before = len(collector.memories) + collector.repeated
        add_all(_raws(source, collector, watch), lambda raw: _memory(raw, collector), collector)
        note_page(source.name, len(collector.memories) + collector.repeated - before, collector)


def _raws(source: Source, collector: Collector, watch: Watch) -> Iterator[Raw]:
    if source.outline.holder != "sqlite":
        raws = records(source, watch, collector.fault, _LISTS, "memory_id")
        yield from (raw for raw in raws if not raw.whole)
        return
    with sqlite.opened(source.path) as connection:
        found = 0
        for table, columns in source.outline.tables.items():
            if not _is_memory(columns):
                continue
            if "created_at" not in columns:
                wrong = _("table {table} has no column {column}").format(table=table, column="created_at")
                raise InputError.at(source.name, None, "", wrong, _("Agno's table of user memories"))
            for row, origin in sqlite.read_rows(connection, source.name, table, watch, collector.fault, "memory_id"):
                found += 1
                yield Raw("", row, origin, True)
        if not found:
            raise InputError.at(source.name, None, "", _("its tables of memories are empty"), _("at least one memory"))
    watch.advance(sqlite.size(source.path))


def _memory(raw: Raw, collector: Collector) -> Iterator[dict[str, Any]]:
    draft = Draft(raw.value, collector.mapped)
    draft.identity("memory_id")
    draft.put("text", _text(draft.take("memory", "text")))
    keys: dict[str, Any] = {}
    for key, kind in _OWNERS:
        value = as_word(draft.get(key))
        if value is None:
            continue
        if not keys:
            draft.put("namespace", [kind, value] if kind else value)
        keys[key] = value
        draft.take(key, f"namespace, keys.{key}" if len(keys) == 1 else f"keys.{key}")
    if keys:
        draft.put("keys", keys)
    else:
        draft.lose(D_("namespace: user_id, team_id and agent_id are missing or null"))
        if draft.get("user_id") is None:
            draft.put("namespace", draft.take("user_id", "namespace"))
    for name in ("created_at", "updated_at"):
        _seconds(draft, name)
    _topics(draft)
    yield draft.done(LOSS)


def _text(value: Any) -> str:
    if isinstance(value, str):
        if value.lstrip()[:1] not in ('"', "{"):
            return value
        try:
            value = from_json("memory", value)
        except FieldError:
            return str(value)
    if isinstance(value, dict):
        inner = next((value[key] for key in ("memory", "content", "text") if isinstance(value.get(key), str)), None)
        return inner if inner is not None else text_of(finite(value))
    if not isinstance(value, str):
        raise FieldError("memory", _("is missing") if value is ABSENT else _("is no text"), _("the memory's text"))
    return value


def _seconds(draft: Draft, name: str) -> None:
    """Epoch seconds, which a CSV holds as text."""
    value = draft.get(name)
    if isinstance(value, str) and value.isdecimal() and len(value) >= 9:
        draft.take(name, name)
        draft.put(name, int(value))
    else:
        draft.time(name, name)


def _topics(draft: Draft) -> None:
    value = draft.get("topics")
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "n"):
        try:
            draft.rest["topics"] = from_json("topics", value)
        except FieldError:
            return


IMPORTER = Importer(FORMAT, read, matches)
