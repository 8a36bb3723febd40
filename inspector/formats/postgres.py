"""Tables of a live PostgreSQL database, read and never written.

All that is sent is ``BEGIN READ ONLY``, ``SET LOCAL`` (a timeout for each statement and for locks, UTC, ISO dates),
``DECLARE`` of a cursor over ``SELECT * FROM`` one table, ``FETCH`` and ``COMMIT``. The driver, psycopg, is an extra of
this package, since few need it.

A SOURCE is ``postgresql://USER@HOST/DB``; the table and the columns come from a mapping. A password comes from
``~/.pgpass`` or ``PGPASSWORD``: an address with one in it is refused, since addresses are listed by the system and kept
with the workspace. Times keep the text that
the server writes for them, JSON columns are objects, arrays and pgvector's vectors are lists.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit, urlunsplit

from inspector.errors import FieldError, InputError
from inspector.formats.base import Format, Watch, at, clip, name_of
from inspector.formats.lines import Fault
from inspector.formats.mapping_schema import split_path
from inspector.formats.tables import plain
from inspector.records import Origin

FORMAT = Format(
    name="postgresql",
    summary="a table of a live PostgreSQL database, read-only, through a mapping: postgresql://USER@HOST/DB",
    recognised_by="a SOURCE that begins with postgresql:// (needs the extra postgres)",
    example='mapping.toml:\n[memories]\ntable = "public.memories"\n[memories.fields]\nid = "id"\ntext = "content"\n'
    'namespace = "user_id"\nembedding = "embedding"',
    loss="what the mapping does not name is kept in meta and decides nothing; rows have numbers, not lines",
)
_SCHEME = re.compile(r"postgres(?:ql)?:/")
_BATCH = 500
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
_EXPECTED = "postgresql://USER@HOST/DB, or postgresql:///DB?host=FOLDER for a local socket"


def is_url(path: Path) -> bool:
    """Whether a SOURCE is the address of a database. A Path has folded the address's slashes."""
    return _SCHEME.match(str(path)) is not None


def url_of(path: Path) -> str:
    """The address as it was written. Raises InputError where the folded slashes leave open what was meant."""
    rest = _SCHEME.sub("", str(path)).lstrip("/")
    place, _, query = rest.partition("?")
    if ":" in place.rpartition("@")[0] or "password" in parse_qs(query.lower()):
        wrong, expected = "the address holds a password", "the address without it, and PGPASSWORD or ~/.pgpass"
        raise InputError.at(safe_name(path), None, "", wrong, expected)
    if "/" in place:
        return f"postgresql://{rest}"
    if "host" in parse_qs(query):
        return f"postgresql:///{rest}"
    raise InputError.at(safe_name(path), None, "", "names no host, or no database", _EXPECTED)


def safe_name(path: Path) -> str:
    """The address without its password, for messages and places on disk."""
    rest = _SCHEME.sub("", str(path)).lstrip("/")
    parts = urlsplit(f"postgresql://{rest}")
    who, at_sign, where = parts.netloc.rpartition("@")
    user = who.partition(":")[0]
    query = "&".join(one for one in parts.query.split("&") if one and not one.lower().startswith("password="))
    return urlunsplit(("postgresql", f"{user}{at_sign}{where}", parts.path, query, ""))


def shown(path: Path) -> str:
    """A source's name for messages: of a database's address all but the password."""
    return safe_name(path) if is_url(path) else name_of(path)


def _quoted(table: str) -> str:
    return ".".join('"' + part.replace('"', '""') + '"' for part in split_path(table))


@contextmanager
def _transaction(path: Path) -> Iterator[Any]:
    """A connection inside a read-only transaction. Raises InputError where it cannot be had or fails."""
    name, url = safe_name(path), url_of(path)
    try:
        import psycopg
        from psycopg.types.json import set_json_loads
        from psycopg.types.string import TextLoader
    except ImportError:
        wrong = "reading a database needs psycopg, which is not installed"
        raise InputError.at(name, None, "", wrong, 'pip install "inspector-memory[postgres]"') from None
    try:
        with psycopg.connect(
            url,
            autocommit=True,  # the statements that begin and end the transaction are ours alone
            prepare_threshold=None,
            connect_timeout=10,
            client_encoding="utf8",
            application_name="inspector",
        ) as connection:
            set_json_loads(json.loads, connection)
            for kind in _AS_TEXT:
                connection.adapters.register_loader(kind, TextLoader)
            connection.execute("BEGIN READ ONLY")
            for statement in _SET:
                connection.execute(statement)
            yield connection
            connection.execute("COMMIT")
    except psycopg.Error as error:
        words = clip(" ".join(str(error).split())) or type(error).__name__
        raise InputError.at(name, None, "", words, "a database and a table that you may read") from None


def _batches(connection: Any, table: str) -> Iterator[tuple[list[str], list[tuple[Any, ...]]]]:
    """The rows of a table in batches, each with the column names."""
    connection.execute(f"DECLARE rows NO SCROLL CURSOR FOR SELECT * FROM {_quoted(table)}")  # noqa: S608
    while True:
        cursor = connection.execute(f"FETCH {_BATCH} FROM rows")
        rows = cursor.fetchall()
        if not rows:
            return
        yield [column.name for column in cursor.description], rows


def read_table(path: Path, table: str, watch: Watch, fault: Fault) -> Iterator[tuple[dict[str, Any], Origin]]:
    """Every row of a table under its column names; the place of a row is ``ADDRESS (TABLE row N)``, N from 1.

    Raises InputError where the database cannot be reached or refuses.
    """
    name = safe_name(path)
    number = 0
    with _transaction(path) as connection:
        for columns, rows in _batches(connection, table):
            watch.begin(f"{name}: {number:,} rows")
            for row in rows:
                number += 1
                origin = Origin(f"{name} ({clip(table, 60)} row {number})")
                try:
                    made = {column: plain(value, column) for column, value in zip(columns, row, strict=True)}
                except FieldError as error:
                    fault(at(error, origin.file, None))
                    continue
                yield made, origin


def fingerprint(path: Path, tables: tuple[str, ...]) -> str:
    """SHA-256, in hex, of the tables' rows, whatever the order in which the server gives them."""
    digest = hashlib.sha256()
    for table in tables:
        total = 0
        with _transaction(path) as connection:
            for columns, rows in _batches(connection, table):
                for row in rows:
                    text = json.dumps([columns, row], default=repr, sort_keys=True).encode("utf-8", "surrogatepass")
                    total += int.from_bytes(hashlib.sha256(text).digest(), "big")
        digest.update(f"{table}\0{total:x}\0".encode())
    return digest.hexdigest()
