"""Tables of a live PostgreSQL database, read and never written.

All that is sent is ``BEGIN READ ONLY``, ``SET LOCAL`` (a timeout for each statement and for locks, UTC, ISO dates),
``DECLARE`` of a cursor over ``SELECT * FROM`` one table, ``FETCH`` and ``COMMIT``; and where the tables must be named
to the user, one ``SELECT`` from the catalogue. The driver, psycopg, is an extra of this package, since few need it.

A SOURCE is ``postgresql://USER@HOST/DB``; the table and the columns come from a mapping. A password comes from
``~/.pgpass`` or ``PGPASSWORD``: an address with one in it is refused, since addresses are listed by the system and kept
with the workspace. Times keep the text that the server writes for them, JSON columns are objects, arrays and pgvector's
vectors are lists.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from inspector.addresses import is_address, safe_address, url_of
from inspector.confinement import check_network
from inspector.errors import FieldError, InputError
from inspector.formats.base import Format, Watch, at, clip, name_of, path_text
from inspector.formats.lines import Fault
from inspector.formats.mapping_schema import split_path
from inspector.formats.tables import plain
from inspector.i18n import N_, _
from inspector.records import Origin

FORMAT = Format(
    name="postgresql",
    summary="a table of a live PostgreSQL database, read-only, through a mapping: postgresql://USER@HOST/DB",
    recognised_by="a SOURCE that begins with postgresql:// (needs the extra postgres)",
    example='mapping.toml:\n[memories]\ntable = "public.memories"\n[memories.fields]\nid = "id"\ntext = "content"\n'
    'namespace = "user_id"\nembedding = "embedding"',
    loss="what the mapping does not name is kept in meta and decides nothing; rows have numbers, not lines",
    scope="what the mapping makes namespace of",
    policy="what it makes allowed_purposes of; rules of --policy",
    lifecycle="what it makes status, times and superseded_by of",
)
_BATCH = 500
#: So many tables are named where one is not there.
_NAMED = 12
_REACHED = N_("a server that can be reached; a password is taken from PGPASSWORD or ~/.pgpass")
_TABLES = """
SELECT n.nspname::text, c.relname::text, c.relnatts::int
FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname <> 'information_schema' AND left(n.nspname, 3) <> 'pg_'
  AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
ORDER BY 3 DESC, 1, 2
""".strip()
_SET = (
    "SET LOCAL statement_timeout = '60s'",
    "SET LOCAL lock_timeout = '5s'",
    "SET LOCAL idle_in_transaction_session_timeout = '10min'",
    "SET LOCAL TimeZone = 'UTC'",
    "SET LOCAL DateStyle = 'ISO, YMD'",
    "SET LOCAL IntervalStyle = 'iso_8601'",
    "SET LOCAL extra_float_digits = 1",
)
#: Types whose own text is kept: Python's have no infinity, and would lose digits and offsets.
_AS_TEXT = ("timestamptz", "timestamp", "date", "time", "timetz", "interval", "uuid")


def shown(path: Path) -> str:
    """A source's name for messages: of a database's address all but the password."""
    return safe_address(path) if is_address(path) else name_of(path)


def _quoted(table: str) -> str:
    return ".".join('"' + part.replace('"', '""') + '"' for part in split_path(table))


@contextmanager
def _transaction(path: Path, tables_named: bool = True) -> Iterator[Any]:
    """A connection inside a read-only transaction. Raises InputError where it cannot be had or fails; a table that is
    not there is answered with those that are, unless ``tables_named`` is False."""
    check_network()
    name, url = safe_address(path), url_of(path)
    try:
        import psycopg
        from psycopg.types.json import set_json_loads
        from psycopg.types.string import TextLoader
    except ImportError:
        wrong = _("reading a database needs psycopg, which is not installed")
        raise InputError.at(name, None, "", wrong, _('pip install "inspector-memory[postgres]"')) from None
    try:
        connection = psycopg.connect(
            url,
            autocommit=True,  # the statements that begin and end the transaction are ours alone
            prepare_threshold=None,
            connect_timeout=10,
            client_encoding="utf8",
            application_name="inspector",
        )
    except psycopg.Error as error:
        raise InputError.at(name, None, "", _words(error), _REACHED) from None
    try:
        with connection:
            set_json_loads(json.loads, connection)
            for kind in _AS_TEXT:
                connection.adapters.register_loader(kind, TextLoader)
            connection.execute("BEGIN READ ONLY")
            for statement in _SET:
                connection.execute(statement)
            yield connection
            connection.execute("COMMIT")
    except psycopg.Error as error:
        expected = _("a table that you may read")
        if tables_named and isinstance(error, psycopg.errors.UndefinedTable):
            listed = ", ".join(clip(one, 60) for one in list(tables(path))[:_NAMED])
            expected = _("one of {names}").format(names=listed) if listed else expected
        raise InputError.at(name, None, "", _words(error), expected) from None


def _words(error: Exception) -> str:
    """The server's refusal in one line, without the statement that it quotes."""
    text = " ".join(str(error).partition("\nLINE ")[0].split())
    return clip(text) or type(error).__name__


def tables(path: Path) -> dict[str, int]:
    """The tables and views that may be read, by name as ``mapping.toml`` writes it, with their numbers of columns.

    Those with the most columns come first. Raises InputError where the database cannot be reached."""
    with _transaction(path, tables_named=False) as connection:
        rows = connection.execute(_TABLES).fetchall()
    return {path_text((schema, table)): columns for schema, table, columns in rows}


def first_rows(path: Path, table: str, limit: int) -> list[dict[str, Any]]:
    """The first rows of a table in the server's order, under their column names; a row that cannot be read is left
    out. Raises InputError where the database cannot be reached or refuses."""
    made: list[dict[str, Any]] = []
    with _transaction(path) as connection:
        for columns, rows in _batches(connection, table, limit):
            for row in rows:
                with contextlib.suppress(FieldError):
                    made.append({column: plain(value, column) for column, value in zip(columns, row, strict=True)})
            break
    return made


def _batches(connection: Any, table: str, size: int = _BATCH) -> Iterator[tuple[list[str], list[tuple[Any, ...]]]]:
    """The rows of a table in batches, each with the column names."""
    connection.execute(f"DECLARE rows NO SCROLL CURSOR FOR SELECT * FROM {_quoted(table)}")  # noqa: S608
    while True:
        cursor = connection.execute(f"FETCH {size} FROM rows")
        rows = cursor.fetchall()
        if not rows:
            return
        yield [column.name for column in cursor.description], rows


def read_table(path: Path, table: str, watch: Watch, fault: Fault) -> Iterator[tuple[dict[str, Any], Origin]]:
    """Every row of a table under its column names; the place of a row is ``ADDRESS (TABLE row N)``, N from 1.

    Raises InputError where the database cannot be reached or refuses.
    """
    name = safe_address(path)
    number = 0
    with _transaction(path) as connection:
        for columns, rows in _batches(connection, table):
            watch.rows(name, number)
            for row in rows:
                number += 1
                origin = Origin(f"{name} ({clip(table, 60, data=True)} row {number})")
                try:
                    made = {column: plain(value, column) for column, value in zip(columns, row, strict=True)}
                except FieldError as error:
                    fault(at(error, origin.file, None))
                    continue
                yield made, origin


def fingerprint(path: Path, names: tuple[str, ...], watch: Watch) -> str:
    """SHA-256, in hex, of the tables' rows, whatever the order in which the server gives them."""
    name = safe_address(path)
    digest = hashlib.sha256()
    number = 0
    for table in names:
        total = 0
        with _transaction(path) as connection:
            for columns, rows in _batches(connection, table):
                watch.rows(name, number, _("comparing {what}"))
                number += len(rows)
                for row in rows:
                    text = json.dumps([columns, row], default=repr, sort_keys=True).encode("utf-8", "surrogatepass")
                    total += int.from_bytes(hashlib.sha256(text).digest(), "big")
        digest.update(f"{table}\0{total:x}\0".encode())
    return digest.hexdigest()
