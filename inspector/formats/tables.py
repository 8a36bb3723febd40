"""CSV and Parquet rows as raw records, streamed."""

from __future__ import annotations

import csv
import datetime as dt
import decimal
import re
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from inspector.errors import FieldError, InputError
from inspector.formats.base import LINE_LIMIT, Watch, at, clip, os_fault
from inspector.formats.cells import from_json
from inspector.formats.decode import BOM, decode_utf8
from inspector.formats.lines import Fault, read_lines
from inspector.i18n import _
from inspector.records import Origin

_BATCH = 1024
_GLOB = re.compile(r"[*?\[]")
_GROUPS = "SELECT DISTINCT row_group_id, row_group_num_rows FROM parquet_metadata(?) ORDER BY row_group_id"
_RANGE = (
    "SELECT * EXCLUDE (file_row_number) FROM read_parquet(?, hive_partitioning = false, file_row_number = true) "
    "WHERE file_row_number >= ? AND file_row_number < ?"
)
_ROWS = "SELECT * FROM read_parquet(?, hive_partitioning = false)"
_COLUMNS = f"DESCRIBE {_ROWS}"
DELIMITERS = (",", ";", "\t")


def split_header(line: str) -> tuple[list[str], str]:
    """The column names of a CSV header and the delimiter, the one of comma, semicolon and tab that gives most."""
    tried = [(next(csv.reader([line], delimiter=one), []), one) for one in DELIMITERS]
    names, delimiter = max(tried, key=lambda pair: len(pair[0]))
    return [name.strip() for name in names], delimiter


def read_csv(path: Path, name: str, watch: Watch, fault: Fault) -> Iterator[tuple[dict[str, str], Origin]]:
    """The rows of a CSV file as texts under their column names, empty cells left out.

    The header is the first line. A row's line is the one it starts on. Raises InputError for a broken header; a row
    with too many or too few cells goes to ``fault``.
    """
    csv.field_size_limit(LINE_LIMIT)
    last = bad = 0

    def bad_line(error: InputError) -> None:
        nonlocal bad
        fault(error)
        bad = error.problem.line or 0

    def texts() -> Iterator[str]:
        nonlocal last
        for number, data in read_lines(path, name, watch, bad_line, keep_blank=True):
            last = number
            data = data.removeprefix(BOM) if number == 1 else data
            try:
                yield decode_utf8(data, name, number)
            except InputError as error:
                bad_line(error)
                yield data.decode("utf-8", "replace")  # keeps the row's end in step; the row itself is passed over

    lines = texts()
    first = next((line for line in lines if not line.isspace()), "")
    columns, delimiter = split_header(first)
    _check_header(columns, name, last)
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        before = last
        try:
            row = next(rows, None)
        except csv.Error as error:
            raise InputError.at(
                name, before + 1, "", _("broken CSV ({error})").format(error=error), _("quoted cells that are closed")
            ) from None
        if row is None:
            return
        if not any(row) or bad > before:
            continue
        if len(row) != len(columns):
            wrong = _("the row has {count} cells").format(count=len(row))
            fault(
                InputError.at(
                    name, before + 1, "", wrong, _("{count} cells, as in the header").format(count=len(columns))
                )
            )
            continue
        yield {column: cell for column, cell in zip(columns, row, strict=True) if cell}, Origin(name, before + 1)


def _check_header(columns: list[str], name: str, line: int) -> None:
    seen: set[str] = set()
    for position, column in enumerate(columns, 1):
        if not column:
            raise InputError.at(
                name,
                line,
                "",
                _("column {position} has no name").format(position=position),
                _("a name for each column"),
            )
        if column in seen:
            raise InputError.at(name, line, clip(column), _("two columns have this name"), _("each name once"))
        seen.add(column)


def parquet_columns(path: Path, name: str) -> list[str]:
    """The column names of a Parquet file. Raises InputError where it is not one."""
    return [column for column, _ in _describe(path, name)[1]]


def read_parquet(path: Path, name: str, watch: Watch, fault: Fault) -> Iterator[tuple[dict[str, Any], Origin]]:
    """The rows of a Parquet file; NULL is null, times become ISO 8601 text, JSON columns are read as JSON.

    The place of a row is the file's name with ``(row N)``, N from 1.
    """
    watch.begin(name)
    connection, columns = _describe(path, name)
    import duckdb

    try:
        size = path.stat().st_size
        total, batches = _batches(connection, path, [column for column, _ in columns])
        number = 0
        for batch in batches:
            watch.advance(size * len(batch) // max(total, 1))
            for row in batch:
                number += 1
                origin = Origin(f"{name} (row {number})")
                try:
                    raw: dict[str, Any] = {}
                    for (column, kind), value in zip(columns, row, strict=True):
                        made = plain(value, column)
                        raw[column] = from_json(column, made) if kind == "JSON" and made is not None else made
                except FieldError as error:
                    fault(at(error, origin.file, None))
                    continue
                yield raw, origin
    except (duckdb.Error, OverflowError, ValueError) as error:
        raise _not_parquet(name, error) from None
    finally:
        connection.close()


def _batches(connection: Any, path: Path, columns: list[str]) -> tuple[int, Iterator[list[tuple[Any, ...]]]]:
    """The number of rows, and the rows in batches.

    DuckDB holds a whole result before it gives the first row; so one row group is asked for at a time.
    """
    literal = _literal(path)
    counts = [count for _, count in connection.execute(_GROUPS, [literal]).fetchall()]

    def read() -> Iterator[list[tuple[Any, ...]]]:
        start = 0
        for count in counts:
            connection.execute(_RANGE, [literal, start, start + count])
            start += count
            while batch := connection.fetchmany(_BATCH):
                yield batch

    def read_whole() -> Iterator[list[tuple[Any, ...]]]:
        connection.execute(_ROWS, [literal])
        while batch := connection.fetchmany(_BATCH):
            yield batch

    # a column of this name would hide the row numbers that the ranges go by
    return sum(counts), read_whole() if "file_row_number" in columns else read()


def _literal(path: Path) -> str:
    """The path as a DuckDB pattern that matches this one file, whatever characters its name holds."""
    return _GLOB.sub(lambda found: f"[{found[0]}]", str(path.absolute()))


def _describe(path: Path, name: str) -> tuple[Any, list[tuple[str, str]]]:
    import duckdb

    try:
        with path.open("rb"):
            pass
    except OSError as error:
        raise os_fault(error, name) from None
    connection = duckdb.connect(":memory:", config={"autoinstall_known_extensions": "false", "threads": "2"})
    try:
        connection.execute("SET TimeZone = 'UTC'")  # nothing may depend on the machine's zone
        described = connection.execute(_COLUMNS, [_literal(path)]).fetchall()
    except duckdb.Error as error:
        connection.close()
        raise _not_parquet(name, error) from None
    return connection, [(row[0], row[1]) for row in described]


def _not_parquet(name: str, error: Exception) -> InputError:
    words = clip(str(error).splitlines()[0])
    return InputError.at(
        name, None, "", _("broken Parquet ({words})").format(words=words), _("a complete Parquet file")
    )


def plain(value: Any, field: str) -> Any:
    """A value of DuckDB's as JSON knows it."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, list | tuple):
        return [plain(one, field) for one in value]
    if isinstance(value, Mapping):
        return {str(key): plain(one, field) for key, one in value.items()}
    if isinstance(value, dt.datetime | dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, uuid.UUID | dt.timedelta):
        return str(value)
    if isinstance(value, bytes | bytearray | memoryview):
        try:
            return bytes(value).decode("utf-8")
        except UnicodeDecodeError:
            raise FieldError(
                field, _("holds bytes that are not UTF-8"), _("text, numbers, lists or structures")
            ) from None
    raise FieldError(
        field,
        _("a {name__} cannot be read").format(name__=type(value).__name__),
        _("text, numbers, lists or structures"),
    )
