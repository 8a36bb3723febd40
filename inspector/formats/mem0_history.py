"""mem0's history database: each memory's versions and deletion, told from its events.

Every ``ADD`` and ``UPDATE`` gives a version. The newest has the memory's own id, the earlier ones ``ID@1``, ``ID@2``…,
each superseded by the next from the time of its update on. A ``DELETE`` ends the newest version at the event's
``updated_at``; mem0 before 2.0 writes no time there, and the record is then labelled deleted without one.

Scope. The history names no user. Loaded together with the memories themselves (``get_all``, a vector store), versions
take the namespace of the memory of the same id, and a memory that is still stored although its last event is a
``DELETE`` gets that event's ``deleted_at``: deleted and still to be found.

An update whose texts share no word is named in the notes: such merges overwrite one fact by another.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from inspector.errors import FieldError
from inspector.formats import sqlite
from inspector.formats.base import Format, Watch, at, clip
from inspector.formats.collect import Collector
from inspector.formats.draft import readable_time
from inspector.formats.importer import Importer, Source, each, not_this
from inspector.formats.mem0 import LOSS
from inspector.formats.outline import Outline
from inspector.i18n import D_, _
from inspector.records import Memory, Origin
from inspector.text import words

_MERGES = D_("{count} updates share no word with the text that they replaced: {ids}")
_SHORT_TERM = D_("{name}: {count} messages of its short-term table are no memories")

_COLUMNS = {"id", "memory_id", "old_memory", "new_memory", "event", "created_at", "updated_at"}
_MARKS = {"memory_id", "event"}
_EVENTS = ("ADD", "UPDATE", "DELETE")
FORMAT = Format(
    name="mem0-history",
    summary="mem0's history.db: versions and deletions of its memories, best loaded with the memories themselves",
    recognised_by="an SQLite file with a table history of memory_id, old_memory, new_memory, event",
    example="CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT, "
    "created_at DATETIME, updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT);\n"
    "INSERT INTO history VALUES ('h1', 'm1', NULL, 'Ana lives in Porto.', 'ADD', '2026-01-05T08:00:00+00:00', NULL, "
    "0, NULL, NULL);",
    loss="no owner (only through the memory of the same id), no purposes or access rules; before 2.0 no time of a "
    "deletion",
    scope="the namespace of the memory with the same id, where that is loaded too",
    policy="",
    lifecycle="the order of ADD, UPDATE and DELETE events: superseded_by, valid_from, deleted_at",
)


def matches(outline: Outline) -> bool:
    """Whether the file has mem0's history table, of whatever version."""
    return outline.tables.get("history", frozenset()) >= _MARKS


def read(files: tuple[Path, ...], collector: Collector, watch: Watch) -> None:
    """Read history databases, after the memories that they belong to."""
    for source in each(files):
        _read(source, collector, watch)
    collector.mapped.update(
        {
            "history.memory_id": D_("id (ID@N for an earlier version)"),
            "history.new_memory": "text",
            "history.created_at": "created_at",
            "history.updated_at": "valid_from of an update, deleted_at of a DELETE",
            "history.event": "superseded_by, deleted_at, status",
        }
    )


def _read(source: Source, collector: Collector, watch: Watch) -> None:
    lacking = _COLUMNS - source.outline.tables["history"]
    if lacking:
        wrong = _("table history has no column {lacking}").format(lacking=", ".join(sorted(lacking)))
        raise not_this(source.name, wrong, _("the history.db of mem0 0.1 or later"))
    stored = {memory.id: memory for memory in collector.memories}
    merges: list[str] = []
    with sqlite.opened(source.path) as connection:
        events: dict[str, list[tuple[dict[str, Any], Origin]]] = {}
        for row, origin in sqlite.read_rows(connection, source.name, "history", watch, collector.fault, "rowid"):
            try:
                events.setdefault(_checked(row), []).append((row, origin))
            except FieldError as error:
                collector.fault(at(error, origin.file, None))
        messages = "messages" in sqlite.table_columns(connection)
        count = next(sqlite.rows(connection, "SELECT count(*) AS n FROM messages", watch))["n"] if messages else 0
    watch.advance(sqlite.size(source.path))
    for memory_id, happened in events.items():
        merges += [memory_id for row, _ in happened if _is_suspicious(row)]
        for made, origin in _versions(memory_id, happened, stored.get(memory_id)):
            collector.memory(made, origin, suspect=True)
    if merges:
        shown = clip(", ".join(dict.fromkeys(merges)), data=True)
        collector.notes.append(_MERGES.format(count=f"{len(merges):,}", ids=shown))
    if count:
        collector.notes.append(_SHORT_TERM.format(name=source.name, count=f"{count:,}"))


def _checked(row: dict[str, Any]) -> str:
    memory_id, kind = row["memory_id"], row["event"]
    if not isinstance(memory_id, str) or not memory_id:
        raise FieldError("memory_id", _("is missing"), _("the memory's id"))
    if kind not in _EVENTS:
        raise FieldError(
            "event", _("{clip} is not known").format(clip=clip(repr(kind), 40)), _("one of ") + ", ".join(_EVENTS)
        )
    for name in ("old_memory", "new_memory"):
        if row[name] is not None and not isinstance(row[name], str):
            raise FieldError(name, _("is no text"), _("a text or NULL"))
    if kind != "DELETE" and row["new_memory"] is None:
        raise FieldError("new_memory", _("is missing"), _("the text that the {kind} stored").format(kind=kind))
    return memory_id


def _is_suspicious(row: dict[str, Any]) -> bool:
    old, new = row["old_memory"], row["new_memory"]
    return row["event"] == "UPDATE" and bool(old) and bool(new) and not set(words(old)) & set(words(new))


def _versions(
    memory_id: str, happened: list[tuple[dict[str, Any], Origin]], stored: Memory | None
) -> Iterator[tuple[dict[str, Any], Origin]]:
    """The versions of one memory, oldest first; the newest is left out where the memory itself is stored."""
    made: list[tuple[dict[str, Any], Origin]] = []
    deleted: dict[str, Any] | None = None
    for row, origin in happened:
        if not made and row["event"] != "ADD" and row["old_memory"] is not None:
            made.append(({"text": row["old_memory"], "meta": {"history_id": row["id"]}}, origin))  # its ADD is gone
        if row["event"] == "DELETE":
            deleted = row
        else:
            made.append((_version(row), origin))
            deleted = None
    for i, (version, origin) in enumerate(made):
        is_last = i == len(made) - 1
        version["id"] = memory_id if is_last else f"{memory_id}@{i + 1}"
        version["loss"] = list(LOSS)
        if stored is not None and "namespace" in stored.names:
            version["namespace"] = stored.source("namespace")
        elif stored is None:
            version["loss"].insert(0, D_("namespace: the history names no user; load it together with the memories"))
        if not is_last:
            version["superseded_by"] = memory_id if i == len(made) - 2 else f"{memory_id}@{i + 2}"
        elif stored is not None:
            if deleted is not None:
                fields = dict(stored.fields)
                _end(fields, deleted)
                stored.rewrite(fields)
            continue
        elif deleted is not None:
            _end(version, deleted)
        yield version, origin


def _version(row: dict[str, Any]) -> dict[str, Any]:
    version: dict[str, Any] = {"text": row["new_memory"]}
    meta = {name: value for name, value in row.items() if name in ("actor_id", "role") and value is not None}
    meta["history_id"] = row["id"]
    for name, field in (("created_at", "created_at"), ("updated_at", "updated_at")):
        value = row[name]
        time = readable_time(value) if value is not None else None
        if time is not None:
            version[field] = time
        elif value is not None:
            meta[name] = value
    if row["event"] == "UPDATE" and "updated_at" in version:
        version["valid_from"] = version["updated_at"]
    version["meta"] = meta
    return version


def _end(fields: dict[str, Any], deleted: dict[str, Any]) -> None:
    """Mark a record as deleted by its DELETE event."""
    time = readable_time(deleted["updated_at"]) if deleted["updated_at"] is not None else None
    if time is not None:
        fields["deleted_at"] = time
        return
    fields["status"] = "deleted"
    fields["loss"] = [D_("deleted_at: the DELETE event has no time"), *fields.get("loss", [])]


IMPORTER = Importer(FORMAT, read, matches, late=True)
