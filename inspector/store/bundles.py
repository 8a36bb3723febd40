"""A bundle into the workspace and out again, exactly (DESIGN 2).

Records are rows of JSON text, one generation a save: the new generation is written, compared with the one before, and
the old one removed, all in the caller's transaction. A record's boundary marks are part of its row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from inspector.errors import Cancelled, Problem
from inspector.i18n import LANGUAGES, _, _d, language
from inspector.packing import Packer
from inspector.records import (
    ABSENT,
    Bundle,
    FieldAccount,
    Judgment,
    Memory,
    OnProgress,
    Origin,
    Progress,
    Query,
    Record,
    Settings,
)
from inspector.store.codec import decode, encode, no_collection
from inspector.store.rows import first
from inspector.trit import Trit

if TYPE_CHECKING:
    import duckdb

#: Rows of one statement, and characters of their text after which it is sent with fewer.
_BATCH = 10_000
_BATCH_TEXT = 8 << 20
#: Rows that are read first, before it is known how long their texts are.
_FIRST = 256
_NO_LINE = -1
_R = TypeVar("_R", bound=Record)
_Columns = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Difference:
    """How many records of one kind a save found new, changed, gone and the same as before."""

    new: int
    changed: int
    gone: int
    same: int

    def __str__(self) -> str:
        return _d("{new} new, {changed} changed, {gone} gone").format(
            new=self.new, changed=self.changed, gone=self.gone
        )


@dataclass(frozen=True)
class SaveReport:
    """What a save found against the import before; ``first`` where there was none."""

    first: bool
    memories: Difference
    queries: Difference


class _Body(msgspec.Struct):
    """The part of a bundle that is not rows."""

    name: str
    format: str
    settings: dict[str, Any]
    account: dict[str, Any]
    skipped: list[dict[str, Any]]
    repeated: int
    notes: list[str]
    #: The language that ``skipped`` is in.
    language: str = LANGUAGES[0]


def fingerprint(cursor: duckdb.DuckDBPyConnection) -> str | None:
    """The fingerprint under which a bundle is kept, or None."""
    row = first(cursor, "SELECT fingerprint FROM bundle ORDER BY gen DESC LIMIT 1")
    return None if row is None else str(row[0])


def save(
    cursor: duckdb.DuckDBPyConnection,
    new_fingerprint: str,
    bundle: Bundle,
    now: str,
    on_progress: OnProgress | None,
    cancelled: Callable[[], bool],
) -> SaveReport:
    """Write the bundle as the next generation, compare, drop the one before. Runs in the caller's transaction."""
    row = first(cursor, "SELECT max(gen) FROM bundle")
    old = 0 if row is None or row[0] is None else int(row[0])
    gen = old + 1
    total = len(bundle.memories) + len(bundle.queries)
    done = 0
    for table, records in (("memories", bundle.memories), ("queries", bundle.queries)):
        for start in range(0, len(records), _BATCH):
            if cancelled():
                raise Cancelled(_("the import was cancelled: the workspace is as it was"))
            batch = records[start : start + _BATCH]
            _insert(cursor, table, gen, start, batch)
            done += len(batch)
            if on_progress is not None:
                on_progress(Progress(_("storing"), done, total, _("records")))
    _insert_judgments(cursor, gen, bundle.judgments)
    body = _Body(
        bundle.name,
        bundle.format,
        msgspec.to_builtins(bundle.settings),
        msgspec.to_builtins(bundle.account),
        [msgspec.to_builtins(problem) for problem in bundle.skipped],
        bundle.repeated,
        bundle.notes,
        language(),
    )
    cursor.execute("INSERT INTO bundle VALUES (?, ?, ?, ?)", [gen, new_fingerprint, encode(_plain(body)), now])
    if old:
        report = SaveReport(False, _compare(cursor, "memories", gen), _compare(cursor, "queries", gen))
    else:  # nothing to compare with; the join would hold every record once more in memory
        first_of = (Difference(len(records), 0, 0, 0) for records in (bundle.memories, bundle.queries))
        report = SaveReport(True, *first_of)
    if old:
        for table in ("memories", "queries", "judgments", "bundle"):
            cursor.execute(f"DELETE FROM {table} WHERE gen < ?", [gen])  # noqa: S608 - our own names
    return report


def _plain(body: _Body) -> dict[str, Any]:
    return {name: getattr(body, name) for name in body.__struct_fields__}


def uid_text(record: Record) -> str:
    """The record's identity as text: JSON of the uid's parts, or of the query's id."""
    return encode(list(record.uid) if isinstance(record, Memory) else [record.id])


def _insert(cursor: duckdb.DuckDBPyConnection, table: str, gen: int, start: int, records: Sequence[Record]) -> None:
    """Insert records as rows from place ``start`` on; where their texts are long, a few with each statement."""
    statement = f"INSERT INTO {table} SELECT ?, ord, uid, fields, file, line FROM incoming"  # noqa: S608 - our own names
    files: dict[str, str] = {}
    rows: list[tuple[str, str, str, int]] = []
    held = 0
    for place, record in enumerate(records, start + 1):
        origin = record.origin
        file = files.get(origin.file)
        if file is None:
            file = files[origin.file] = encode(origin.file)
        fields = encode(record.fields)
        rows.append((uid_text(record), fields, file, _NO_LINE if origin.line is None else origin.line))
        held += len(fields)
        if held >= _BATCH_TEXT or place == start + len(records):
            _append(cursor, statement, gen, _columns(place - len(rows), rows))
            rows, held = [], 0


def _columns(start: int, rows: Sequence[tuple[str, str, str, int]]) -> _Columns:
    columns: _Columns = {"ord": np.arange(start, start + len(rows), dtype=np.int32)}
    for name, texts in zip(("uid", "fields", "file"), list(zip(*rows, strict=True))[:3], strict=True):
        columns[name] = np.empty(len(rows), dtype=np.object_)
        columns[name][:] = texts
    columns["line"] = np.array([line for *_, line in rows], dtype=np.int32)
    return columns


def _insert_judgments(cursor: duckdb.DuckDBPyConnection, gen: int, judgments: Sequence[Judgment]) -> None:
    for start in range(0, len(judgments), _BATCH):
        batch = judgments[start : start + _BATCH]
        bodies = np.empty(len(batch), dtype=np.object_)
        for i, label in enumerate(batch):
            namespace = [] if label.namespace is ABSENT else [label.namespace]
            origin = [label.origin.file, label.origin.line]
            bodies[i] = encode(
                [label.query_id, label.memory_id, namespace, label.axis, label.value.json, label.source, *origin]
            )
        columns: _Columns = {"ord": np.arange(start, start + len(batch), dtype=np.int32), "body": bodies}
        _append(cursor, "INSERT INTO judgments SELECT ?, ord, body FROM incoming", gen, columns)


def _append(cursor: duckdb.DuckDBPyConnection, statement: str, gen: int, columns: _Columns) -> None:
    # Columns of NumPy objects are by far the quickest way in: 183,000 records in under a second, against minutes
    # with one statement a row.
    cursor.register("incoming", columns)
    try:
        cursor.execute(statement, [gen])
    finally:
        cursor.unregister("incoming")
        # The transaction keeps the arrays until its end, and with them every record's text once more: half a gigabyte
        # at a million records. The texts are in the table now.
        for column in columns.values():
            if column.dtype == np.object_:
                column.fill(None)


def _compare(cursor: duckdb.DuckDBPyConnection, table: str, gen: int) -> Difference:
    # By digest: the join would hold the fields of every record of one side in memory.
    row = first(
        cursor,
        f"""
        WITH new AS (SELECT uid, md5_number(fields) AS fields FROM {table} WHERE gen = $1),
             old AS (SELECT uid, md5_number(fields) AS fields FROM {table} WHERE gen < $1)
        SELECT count(*) FILTER (WHERE old.uid IS NULL),
               count(*) FILTER (WHERE old.fields <> new.fields),
               count(*) FILTER (WHERE new.uid IS NULL),
               count(*) FILTER (WHERE old.fields = new.fields)
        FROM new FULL JOIN old ON old.uid = new.uid
        """,  # noqa: S608 - our own names
        [gen],
    )
    if row is None:
        raise AssertionError("an aggregate gives one row")
    return Difference(*map(int, row))


def count_kept(cursor: duckdb.DuckDBPyConnection, wanted_fingerprint: str) -> tuple[int, int] | None:
    """The generation of the kept bundle and how many memories it has, None where its fingerprint is another."""
    row = first(cursor, "SELECT gen, fingerprint FROM bundle ORDER BY gen DESC LIMIT 1")
    if row is None or row[1] != wanted_fingerprint:
        return None
    counted = first(cursor, "SELECT count(*) FROM memories WHERE gen = ?", [row[0]])
    return int(row[0]), 0 if counted is None else int(counted[0])


def window(cursor: duckdb.DuckDBPyConnection, gen: int, start: int, stop: int) -> list[Memory]:
    """Some memories of a kept bundle by their place, without the rest: what a table shows while all are loaded."""
    return [
        Memory(decode(fields), Origin(decode(file), None if line == _NO_LINE else line))
        for fields, file, line in _window(cursor, "memories", gen, start, stop)
    ]


def load(cursor: duckdb.DuckDBPyConnection, wanted_fingerprint: str, on_progress: OnProgress | None) -> Bundle | None:
    """The kept bundle if its fingerprint is the wanted one.

    None too where an older release wrote it differently, or what was left out was told in another language.
    """
    row = first(cursor, "SELECT gen, fingerprint, body FROM bundle ORDER BY gen DESC LIMIT 1")
    if row is None or row[1] != wanted_fingerprint:
        return None
    gen = int(row[0])
    try:
        body = msgspec.convert(decode(row[2]), _Body)
        settings = msgspec.convert(body.settings, Settings)
        account = msgspec.convert(body.account, FieldAccount)
        skipped = msgspec.convert(body.skipped, list[Problem])
    except msgspec.ValidationError:
        return None
    if skipped and body.language != language():
        return None  # read again, so that what was left out is told in the language of whoever asks
    counted = first(
        cursor,
        "SELECT (SELECT count(*) FROM memories WHERE gen = $1) + (SELECT count(*) FROM queries WHERE gen = $1)",
        [gen],
    )
    total = 0 if counted is None else int(counted[0])
    with no_collection():
        packer = Packer()
        memories: list[Memory] = []
        for memory in _records(cursor, "memories", gen, Memory, 0, total, on_progress):
            memory.pack(packer)
            memories.append(memory)
        queries = list(_records(cursor, "queries", gen, Query, len(memories), total, on_progress))
        judgments = list(_judgments(cursor, gen))
    return Bundle(
        memories, queries, judgments, settings, body.name, body.format, account, skipped, body.repeated, body.notes
    )


def _records(
    cursor: duckdb.DuckDBPyConnection,
    table: str,
    gen: int,
    make: Callable[[dict[str, Any], Origin], _R],
    done: int,
    total: int,
    on_progress: OnProgress | None,
) -> Iterator[_R]:
    """All records of a table in their order, some megabytes of text at a time: a result is held whole."""
    files: dict[str, str] = {}
    start, size = 0, _FIRST
    while rows := _window(cursor, table, gen, start, start + size):
        for fields, file, line in rows:
            name = files.get(file)
            if name is None:
                name = files[file] = decode(file)
            yield make(decode(fields), Origin(name, None if line == _NO_LINE else line))
        start += len(rows)
        held = sum(len(row[0]) for row in rows)
        size = max(1, min(_BATCH, len(rows) * _BATCH_TEXT // max(1, held)))
        if on_progress is not None:
            on_progress(Progress(_("opening"), done + start, total, _("records")))


def _window(
    cursor: duckdb.DuckDBPyConnection, table: str, gen: int, start: int, stop: int
) -> list[tuple[str, str, int]]:
    return cursor.execute(
        f"SELECT fields, file, line FROM {table} WHERE gen = ? AND ord >= ? AND ord < ? ORDER BY ord",  # noqa: S608
        [gen, start, stop],
    ).fetchall()


def _judgments(cursor: duckdb.DuckDBPyConnection, gen: int) -> Iterator[Judgment]:
    by_json = {trit.json: trit for trit in Trit}
    rows = cursor.execute("SELECT body FROM judgments WHERE gen = ? ORDER BY ord", [gen])
    while batch := rows.fetchmany(_BATCH):
        for (body,) in batch:
            query_id, memory_id, namespace, axis, value, source, file, line = decode(body)
            known = namespace[0] if namespace else ABSENT
            yield Judgment(query_id, memory_id, known, axis, by_json[value], source, Origin(file, line))
