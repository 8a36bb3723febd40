"""SQLite files of other projects, read and never written.

The file is opened read-only and immutable, so that nothing is created beside it. Where a write-ahead log stands beside
it, whose content an immutable reader would miss, both are copied to a private folder and read there.
"""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from inspector.errors import FieldError, InputError
from inspector.formats.base import LINE_LIMIT, Watch, at, clip, name_of, os_fault
from inspector.formats.lines import Fault
from inspector.i18n import _
from inspector.records import Origin

Row = dict[str, Any]
MAGIC = b"SQLite format 3\x00"
_BATCH = 512
#: Instructions of SQLite's machine between two looks at ``cancelled``.
_STEPS = 100_000
#: What a broken file is answered with; its own words in an error, or a column's name, may be no UTF-8 either.
_ERRORS = (sqlite3.Error, UnicodeDecodeError)


def files(path: Path) -> tuple[Path, ...]:
    """The database file, and its write-ahead log where it has one with content."""
    log = path.with_name(path.name + "-wal")
    try:
        return (path, log) if log.is_file() and log.stat().st_size > 0 else (path,)
    except OSError:
        return (path,)


@contextlib.contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that cannot write the file. Raises InputError where it is no database or is broken."""
    name = name_of(path)
    with contextlib.ExitStack() as stack:
        try:
            connection = stack.enter_context(contextlib.closing(_connect(path, stack)))
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except OSError as error:
            raise os_fault(error, name) from None
        except _ERRORS as error:
            raise _broken(name, error) from None
        try:
            yield connection
        except _ERRORS as error:
            raise _broken(name, error) from None


def _connect(path: Path, stack: contextlib.ExitStack) -> sqlite3.Connection:
    with path.open("rb"):
        pass
    parts = files(path)
    mode = "mode=ro&immutable=1"
    if len(parts) > 1:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="inspector-")))
        for part in parts:
            shutil.copyfile(part, folder / ("copy" + part.name.removeprefix(path.name)))
        path, mode = folder / "copy", "mode=rw"  # a log can be read only by one who may write; this is our own copy
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LINE_LIMIT)
    connection.execute("PRAGMA query_only = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.text_factory = _text
    return connection


def _text(data: bytes) -> str:
    """A text cell; bytes that are not UTF-8 become lone surrogates, which the record's check then names."""
    return data.decode("utf-8", "surrogateescape")


def _broken(name: str, error: Exception) -> InputError:
    return InputError.at(
        name,
        None,
        "",
        _("broken SQLite file ({clip})").format(clip=clip(str(error))),
        _("a whole database, not encrypted"),
    )


def tables(path: Path) -> Mapping[str, frozenset[str]]:
    """The columns of each ordinary table. Raises InputError where the file cannot be read."""
    with opened(path) as connection:
        return table_columns(connection)


def table_columns(connection: sqlite3.Connection) -> dict[str, frozenset[str]]:
    """The columns of each ordinary table, without views and virtual tables, which would run code of the file's."""
    listed = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
        "AND sql LIKE 'CREATE TABLE%' ORDER BY name"
    ).fetchall()
    found: dict[str, frozenset[str]] = {}
    for (table,) in listed:
        rows = connection.execute("SELECT name FROM pragma_table_info(?)", (table,)).fetchall()
        found[str(table)] = frozenset(str(column) for (column,) in rows)
    return found


def quoted(name: str) -> str:
    """A table's or column's name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def rows(connection: sqlite3.Connection, sql: str, watch: Watch, parameters: Sequence[Any] = ()) -> Iterator[Row]:
    """The rows of a statement under their column names. Bytes are left as bytes."""
    connection.set_progress_handler(lambda: watch.advance(0), _STEPS)
    cursor = connection.execute(sql, parameters)
    columns = [one[0] for one in cursor.description]
    while batch := cursor.fetchmany(_BATCH):
        watch.advance(0)
        for row in batch:
            yield dict(zip(columns, row, strict=True))


def read_table(path: Path, name: str, table: str, watch: Watch, fault: Fault) -> Iterator[tuple[Row, Origin]]:
    """Every row of one table: NULL is null, text in bytes becomes text, other bytes are a fault of that row.

    The place of a row is ``FILE (TABLE row N)``, N from 1. Raises InputError where the table is not there.
    """
    with opened(path) as connection:
        known = table_columns(connection)
        if table not in known:
            wrong = _("there is no table {clip}").format(clip=clip(table, 60))
            raise InputError.at(name, None, "", wrong, _("one of ") + (", ".join(map(clip, known)) or _("none")))
        yield from read_rows(connection, name, table, watch, fault)
    watch.advance(size(path))


def read_rows(
    connection: sqlite3.Connection, name: str, table: str, watch: Watch, fault: Fault, order: str = ""
) -> Iterator[tuple[Row, Origin]]:
    """As :func:`read_table` over an open connection; ``order`` is an SQL expression of ours."""
    watch.begin(name)
    sql = f"SELECT * FROM {quoted(table)}" + (f" ORDER BY {order}" if order else "")  # noqa: S608
    for number, row in enumerate(rows(connection, sql, watch), 1):
        origin = Origin(f"{name} ({table} row {number})")
        try:
            yield {column: plain(value, column) for column, value in row.items()}, origin
        except FieldError as error:
            fault(at(error, origin.file, None))


def size(path: Path) -> int:
    """Bytes of the file and its log, for progress."""
    try:
        return sum(part.stat().st_size for part in files(path))
    except OSError:
        return 0


def plain(value: Any, column: str) -> Any:
    """A cell as JSON knows it. Raises FieldError for bytes that are not UTF-8 text."""
    if not isinstance(value, bytes):
        return value
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        raise FieldError(column, _("holds bytes that are not UTF-8 text"), _("text or numbers")) from None
