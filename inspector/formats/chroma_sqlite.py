"""Chroma's own file, ``chroma.sqlite3``, read without writing it.

A record is a row of ``embeddings`` with its rows of ``embedding_metadata``, the document under ``chroma:document``.
The write log ``embeddings_queue`` gives the vectors, which else lie in index files that are not read, and deletions: a
record whose last operation is a delete and whose document the log still holds becomes a memory with ``deleted_at``,
of the plane ``embeddings_queue``. Chroma purges the log, so that older deletions cannot be told.

Ids are unique within a collection: where two collections share an id, both get ``COLLECTION/ID``. The collection is
the plane; one whose name another database has too is ``DATABASE/COLLECTION``. Scope, policy and lifecycle come from
the metadata as for :mod:`inspector.formats.chroma`; without a ``created_at`` in it, the row's own, written by SQLite's
clock in UTC, is ``created_at``.
"""

from __future__ import annotations

import sqlite3
import struct
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from inspector.errors import FieldError
from inspector.formats import chroma, payloads, sqlite
from inspector.formats.base import Format, Watch, at
from inspector.formats.cells import from_json
from inspector.formats.collect import Collector
from inspector.formats.importer import Importer, Source, each, not_this
from inspector.formats.outline import Outline
from inspector.i18n import D_, _
from inspector.records import Origin

_NO_TEXT = D_("{name}: {count} deleted records whose text the log lacks")
_ORPHANS = D_("{name}: {count} records of no collection were not read")

FORMAT = Format(
    name="chroma-sqlite",
    summary="Chroma's chroma.sqlite3, or the folder that it lies in; opened read-only",
    recognised_by="an SQLite file with tables collections, segments, embeddings and embedding_metadata",
    example="CREATE TABLE collections (id TEXT, name TEXT, dimension INTEGER, database_id TEXT);\n"
    "CREATE TABLE segments (id TEXT, type TEXT, scope TEXT, collection TEXT);\n"
    "CREATE TABLE embeddings (id INTEGER PRIMARY KEY, segment_id TEXT, embedding_id TEXT, seq_id, created_at);\n"
    "CREATE TABLE embedding_metadata (id INTEGER, key TEXT, string_value TEXT, int_value INTEGER, float_value REAL, "
    "bool_value INTEGER);\n"
    "INSERT INTO collections VALUES ('c', 'notes', 2, 'd');\n"
    "INSERT INTO segments VALUES ('s', 'urn:chroma:segment/metadata/sqlite', 'METADATA', 'c');\n"
    "INSERT INTO embeddings VALUES (1, 's', 'm1', 1, '2026-01-05 08:00:00');\n"
    "INSERT INTO embedding_metadata VALUES (1, 'chroma:document', 'Ana lives in Porto.', NULL, NULL, NULL);",
    loss="no owner, policy or state of its own: only what the metadata says; vectors and deletions only as far as the "
    "write log holds them",
    scope=chroma.FORMAT.scope,
    policy=chroma.FORMAT.policy,
    lifecycle="the log's deletes; metadata: deleted_at, valid_to or expires_at, status, superseded_by, created_at; "
    "else the row's created_at, in UTC",
)
_TABLES = {
    "collections": {"id", "name"},
    "segments": {"id", "scope", "collection"},
    "embeddings": {"id", "segment_id", "embedding_id", "created_at"},
    "embedding_metadata": {"id", "key", "string_value", "int_value", "float_value"},
}
_QUEUE = {"seq_id", "created_at", "operation", "topic", "id", "vector", "encoding", "metadata"}
_DELETE = 3
_DOCUMENT = "chroma:document"
_FILE = "chroma.sqlite3"
_ORDERS = {"FLOAT32": "f", "INT32": "i"}


def matches(outline: Outline) -> bool:
    """Whether the file has Chroma's tables, whatever their columns."""
    return outline.tables.keys() >= _TABLES.keys()


def folder(path: Path) -> tuple[Path, ...]:
    """Chroma's file in its folder."""
    file = path / _FILE
    return (file,) if file.is_file() else ()


def read(files: tuple[Path, ...], collector: Collector, watch: Watch) -> None:
    """Read Chroma's files."""
    for source in each(files):
        watch.begin(source.name)
        for table, columns in _TABLES.items():
            lacking = columns - source.outline.tables.get(table, frozenset())
            if lacking:
                wrong = _("table {table} has no column {column}").format(table=table, column=", ".join(sorted(lacking)))
                raise not_this(source.name, wrong, _("a chroma.sqlite3 of Chroma 0.4 or later"))
        with sqlite.opened(source.path) as connection:
            _File(connection, source, collector, watch).read()
        watch.advance(sqlite.size(source.path))
    collector.mapped.update({"embeddings.embedding_id": "id", f"embedding_metadata {_DOCUMENT}": "text"})


class _File:
    """One open file."""

    def __init__(self, connection: sqlite3.Connection, source: Source, collector: Collector, watch: Watch) -> None:
        self.connection, self.source, self.collector, self.watch = connection, source, collector, watch
        self.tables = source.outline.tables
        self.collections = self._names()
        self.log = self._log() if self.tables.get("embeddings_queue", frozenset()) >= _QUEUE else {}
        self.counts: Counter[str] = Counter()

    def read(self) -> None:
        """Read every collection's records, then what the log says was deleted."""
        first = len(self.collector.memories)
        stored = list(
            self._rows(
                "SELECT e.id, e.embedding_id, e.created_at, s.collection FROM embeddings e "
                "JOIN segments s ON s.id = e.segment_id ORDER BY e.id"
            )
        )
        keys = {(row["collection"], row["embedding_id"]) for row in stored}
        gone = {key: entry for key, entry in self.log.items() if entry.deleted is not None and key not in keys}
        self.counts.update(str(memory_id) for _, memory_id in [*keys, *gone])
        metadata = self._metadata()
        held = next(metadata, None)
        for row in stored:
            while held is not None and held[0] < row["id"]:
                held = next(metadata, None)
            found = held[1] if held is not None and held[0] == row["id"] else {}
            key = (row["collection"], row["embedding_id"])
            vector = self.log[key].vector if key in self.log else None
            self._add(key, found, row["created_at"], vector, f"embeddings row {row['id']}")
        payloads.note_textless(self.collector, first, self.source.name)
        lost = sum(not self._add_deleted(key, entry) for key, entry in gone.items())
        if lost:
            self.collector.notes.append(_NO_TEXT.format(name=self.source.name, count=f"{lost:,}"))
        sql = "SELECT count(*) AS n FROM embeddings WHERE segment_id NOT IN (SELECT id FROM segments)"
        orphans = next(self._rows(sql))["n"]
        if orphans:
            self.collector.notes.append(_ORPHANS.format(name=self.source.name, count=f"{orphans:,}"))

    def _names(self) -> dict[Any, Any]:
        """The name of each collection by its id; with its database's, where two databases have one of this name."""
        is_split = "database_id" in self.tables["collections"]
        rows = list(self._rows(f"SELECT id, name, {'database_id' if is_split else 'NULL'} AS base FROM collections"))  # noqa: S608
        bases: dict[Any, Any] = {}
        if self.tables.get("databases", frozenset()) >= {"id", "name"}:
            bases = {row["id"]: row["name"] for row in self._rows("SELECT id, name FROM databases")}
        count = Counter(row["name"] for row in rows)
        return {
            row["id"]: row["name"] if count[row["name"]] < 2 else f"{bases.get(row['base'], row['base'])}/{row['name']}"
            for row in rows
        }

    def _rows(self, sql: str) -> Iterator[dict[str, Any]]:
        return sqlite.rows(self.connection, sql, self.watch)

    def _metadata(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The metadata of each record, by its row's id, in order of the ids."""
        boolean = ", bool_value" if "bool_value" in self.tables["embedding_metadata"] else ""
        columns = f"id, key, string_value, int_value, float_value{boolean}"
        sql = f"SELECT {columns}, 0 AS many FROM embedding_metadata"  # noqa: S608
        if self.tables.get("embedding_metadata_array", frozenset()) >= {"id", "key", "string_value", "int_value"}:
            sql += f" UNION ALL SELECT {columns}, 1 AS many FROM embedding_metadata_array"  # noqa: S608
        at_id: int | None = None
        found: dict[str, Any] = {}
        for row in self._rows(sql + " ORDER BY id"):
            if not isinstance(row["id"], int) or not isinstance(row["key"], str):
                continue
            if row["id"] != at_id:
                if at_id is not None:
                    yield at_id, found
                at_id, found = row["id"], {}
            if row["many"]:
                found.setdefault(row["key"], []).append(_value(row))
            else:
                found[row["key"]] = _value(row)
        if at_id is not None:
            yield at_id, found

    def _log(self) -> dict[tuple[str, str], _Entry]:
        """What the write log says last of each record; topics end in the collection's id."""
        made: dict[tuple[str, str], _Entry] = {}
        columns = "created_at, operation, topic, id, vector, encoding, metadata"
        for row in self._rows(f"SELECT {columns} FROM embeddings_queue ORDER BY seq_id"):  # noqa: S608
            key = (str(row["topic"]).rpartition("/")[2], str(row["id"]))
            entry = made.setdefault(key, _Entry())
            if row["operation"] == _DELETE:
                entry.deleted = row["created_at"]
                continue
            entry.deleted = None
            entry.created = entry.created or row["created_at"]
            if isinstance(row["vector"], bytes):
                entry.vector = _vector(row["vector"], row["encoding"])
            if isinstance(row["metadata"], str | bytes):
                entry.update(row["metadata"])
        return made

    def _add(self, key: tuple[Any, Any], metadata: dict[str, Any], created: Any, vector: Any, where: str) -> None:
        self._record(key, metadata, created, vector, where, {})

    def _add_deleted(self, key: tuple[str, str], entry: _Entry) -> bool:
        """Add a record that the log says was deleted; False where the log lacks its text."""
        if not isinstance(entry.metadata.get(_DOCUMENT), str):
            return False
        more = {"deleted_at": entry.deleted, "plane": "embeddings_queue"}
        self._record(key, entry.metadata, entry.created, entry.vector, f"embeddings_queue, {key[1]}", more)
        return True

    def _record(
        self,
        key: tuple[Any, Any],
        metadata: dict[str, Any],
        created: Any,
        vector: Any,
        where: str,
        more: dict[str, Any],
    ) -> None:
        collection, memory_id = key
        name = self.collections.get(collection)
        origin = Origin(f"{self.source.name} ({where})")
        try:
            plain = {field: sqlite.plain(value, field) for field, value in metadata.items() if field != _DOCUMENT}
            document = sqlite.plain(metadata.get(_DOCUMENT), _DOCUMENT)
            made = chroma.record(memory_id, document, plain, vector, self.collector, "")
        except FieldError as error:
            self.collector.fault(at(error, origin.file, None))
            return
        if self.counts[str(memory_id)] > 1:
            made["id"] = f"{name or collection}/{memory_id}"
        if name is not None:
            made["plane"] = str(name)
        if "created_at" not in made and isinstance(created, str):
            made["created_at"] = created
        if vector is None:
            made["loss"] = [*made["loss"], D_("embedding: vectors lie in index files that are not read")]
        self.collector.memory({**made, **more}, origin, suspect=True)


class _Entry:
    """What the log holds of one record: its last vector, its metadata, when it was made and deleted."""

    def __init__(self) -> None:
        self.vector: list[float] | None = None
        self.metadata: dict[str, Any] = {}
        self.created: Any = None
        self.deleted: Any = None

    def update(self, text: str | bytes) -> None:
        """Lay an operation's metadata over what there is; a null takes a key away."""
        try:
            found = from_json("metadata", text.decode("utf-8") if isinstance(text, bytes) else text)
        except (FieldError, UnicodeDecodeError):
            return
        if isinstance(found, dict):
            merged = {**self.metadata, **found}
            self.metadata = {name: value for name, value in merged.items() if value is not None}


def _value(row: dict[str, Any]) -> Any:
    """The one of the four columns that holds the value; a truth value is an integer in SQLite."""
    for column in ("string_value", "int_value", "float_value"):
        if row[column] is not None:
            return row[column]
    flag = row.get("bool_value")
    return None if flag is None else bool(flag)


def _vector(data: bytes, encoding: Any) -> list[float] | None:
    kind = _ORDERS.get(str(encoding))
    if kind is None or not data or len(data) % 4:
        return None
    return [float(one) for one in struct.unpack(f"<{len(data) // 4}{kind}", data)]


IMPORTER = Importer(FORMAT, read, matches, folder, settings={"timezone": "UTC"})
