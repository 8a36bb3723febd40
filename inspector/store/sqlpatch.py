"""Edits as SQL UPDATE statements for the store they belong to (DESIGN 10).

Every value is data from a stranger's store: identifiers and literals are quoted so that none can end early, in any
setting of the server, and no character that acts on a terminal is written as itself.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TextIO, get_args

from inspector.errors import InspectorError
from inspector.i18n import N_, _
from inspector.records import ABSENT, Uid, namespace_key
from inspector.store.codec import decode, encode
from inspector.store.editlog import Effective
from inspector.store.patch import inert_json
from inspector.text import visible

Dialect = Literal["duckdb", "postgresql", "sqlite"]
DIALECTS: tuple[Dialect, ...] = get_args(Dialect)
#: The script's own table, temporary so that none of the store's can be meant.
COUNTS = "inspector_matched"
_NAMES: dict[Dialect, str] = {"duckdb": "DuckDB", "postgresql": "PostgreSQL", "sqlite": "SQLite"}


class _CannotSay(Exception):
    """A value for which the dialect has no literal; the file says it in English, ``words`` in the user's language."""

    def __init__(self, template: str, **values: Any) -> None:
        super().__init__(template.format(**values))
        self.words = _(template).format(**values)


@dataclass(frozen=True)
class SqlReport:
    """How many edits were written, how many not (each is named in a comment of the script)."""

    written: int
    left_out: int


def owner_column(uid: Uid) -> str:
    """The column that holds the namespace of a uid: ``namespaces`` where it is a list of lists, else ``namespace``."""
    value = decode(uid.namespace) if uid.namespace else None
    return "namespaces" if isinstance(value, list) and any(isinstance(part, list) for part in value) else "namespace"


def to_sql(
    fp: TextIO,
    edits: Iterable[Effective],
    dialect: Dialect = "duckdb",
    table: str = "memories",
    namespace_column: Callable[[Uid], str] = owner_column,
) -> SqlReport:
    """Write one UPDATE for each edited memory, in one transaction; it names the old values that it expects.

    The script ends with a SELECT of one row: how many memories it names, how many rows matched the expected old values
    (and so were changed), how many memories matched none. Which those are stands in the temporary table
    :data:`COUNTS`.

    ``table`` may have a schema before a dot. Absent and null are SQL's NULL, lists and objects are JSON. Edits of
    other things than memories, and values that the dialect cannot hold, are left out, each with a comment that says
    so. Raises InspectorError for an unknown dialect or a table name that cannot be quoted.
    """
    if dialect not in DIALECTS:
        raise InspectorError(
            _("{dialect!r} is not a known SQL dialect: one of {DIALECTS}").format(
                dialect=dialect, DIALECTS=", ".join(DIALECTS)
            )
        )
    try:
        name = ".".join(_identifier(part) for part in table.split("."))
    except _CannotSay as error:
        raise InspectorError(
            _("the table name {table!r} cannot be used: {error}").format(table=visible(table), error=error.words)
        ) from None
    by_memory: dict[Uid, list[Effective]] = {}
    others: list[Effective] = []
    for edit in edits:
        if edit.kind == "memory":
            by_memory.setdefault(Uid(*edit.target), []).append(edit)
        else:
            others.append(edit)
    fp.write(f"-- Edits of memories for {_NAMES[dialect]}. A row is changed only where it still has the old values.\n")
    fp.write("-- Lists and objects are JSON; a field that the source does not have is NULL.\n")
    fp.write(_PREPARE[dialect])
    fp.write("BEGIN TRANSACTION;\n")
    written = left_out = 0
    for uid, group in by_memory.items():
        try:
            _check_owner(uid, group, by_memory)
            fp.write(_update(name, uid, group, dialect, namespace_column(uid)) + "\n")
            written += len(group)
        except _CannotSay as error:
            left_out += len(group)
            fp.write(_comment(f"not written: memory {uid}: {error}"))
    fp.write("COMMIT;\n")
    for edit in others:
        left_out += 1
        fp.write(_comment(f"not written: {edit.kind} {' '.join(edit.target)}: {edit.field} is no field of a memory"))
    fp.write(_REPORT)
    return SqlReport(written, left_out)


_PREPARE: dict[Dialect, str] = {
    "duckdb": f"CREATE OR REPLACE TEMPORARY TABLE {COUNTS} (memory TEXT, rows_matched INTEGER);\n",
    "postgresql": f"DROP TABLE IF EXISTS pg_temp.{COUNTS};\n"
    f"CREATE TEMPORARY TABLE {COUNTS} (memory TEXT, rows_matched INTEGER);\n",
    "sqlite": f"DROP TABLE IF EXISTS temp.{COUNTS};\n"
    f"CREATE TEMPORARY TABLE {COUNTS} (memory TEXT, rows_matched INTEGER);\n",
}
_COUNTED = "coalesce(sum(rows_matched), 0) AS rows_matched"
_MISSED = "count(*) - count(nullif(rows_matched, 0)) AS memories_not_matched"
_REPORT = f"SELECT count(*) AS memories_named, {_COUNTED}, {_MISSED} FROM {COUNTS};\n"  # noqa: S608 - our own names


def _comment(text: str) -> str:
    # visible() leaves no line break of any kind, so that nothing can leave the comment.
    return f"-- {visible(text)}\n"


def _update(table: str, uid: Uid, group: list[Effective], dialect: Dialect, owner: str) -> str:
    sets = [f"{_identifier(edit.field)} = {_literal(edit.new, dialect)}" for edit in group]
    namespace = decode(uid.namespace) if uid.namespace else None
    tests = [_is(_identifier(owner), namespace, dialect), f'"id" = {_literal(uid.id, dialect)}']
    tests += [_is(_identifier(edit.field), edit.old, dialect) for edit in group]
    where = " AND ".join(tests)
    named = _text_literal(str(uid), dialect)
    # Counted before the change: afterwards nothing has the old values any more. Every part is quoted.
    count = f"INSERT INTO {COUNTS} SELECT {named}, count(*) FROM {table} WHERE {where};"  # noqa: S608
    change = f"UPDATE {table} SET {', '.join(sets)} WHERE {where};"  # noqa: S608
    return f"{count}\n{change}"


def _check_owner(uid: Uid, group: list[Effective], edited: Mapping[Uid, list[Effective]]) -> None:
    """Refuse to move a memory to where another edited one of its id still stands: a later UPDATE would take both."""
    moved = {edit.field: edit.new for edit in group if edit.field in ("namespace", "namespaces")}
    goal = Uid(namespace_key(moved), uid.id)
    if goal.namespace and goal != uid and goal in edited:
        raise _CannotSay(N_("another edited memory {id} comes from its new namespace: move that one first"), id=uid.id)


def _identifier(name: str) -> str:
    if not name or visible(name) != name:
        raise _CannotSay(N_("the name {name!r} cannot be a column"), name=visible(name))
    return '"' + name.replace('"', '""') + '"'


def _is(column: str, value: Any, dialect: Dialect) -> str:
    """A test that the column has the value, true for NULL against NULL."""
    if value is None or value is ABSENT:
        return f"{column} IS NULL"
    if isinstance(value, list | dict):
        return _is_json(column, value, dialect)
    same = "IS" if dialect == "sqlite" else "IS NOT DISTINCT FROM"
    return f"{column} {same} {_literal(value, dialect)}"


def _is_json(column: str, value: Any, dialect: Dialect) -> str:
    """A test that the column holds the list or object, however it is spelt. Never fails on a row that holds no JSON."""
    literal = _literal(value, dialect)
    if dialect == "duckdb":
        return f"json(TRY_CAST({column} AS JSON)) IS NOT DISTINCT FROM json({literal})"
    # The others keep escapes as they are spelt (and PostgreSQL in texts the spaces): the usual spellings are tried.
    spellings = dict.fromkeys((encode(value), json.dumps(value), json.dumps(value, ensure_ascii=False)))
    texts = [_text_literal(one, dialect) for one in spellings]
    if dialect == "sqlite":
        listed = ", ".join(f"json({text})" for text in texts)
        return f"CASE WHEN json_valid({column}) THEN json({column}) END IN ({listed})"
    # No cast of PostgreSQL's forgives what is no JSON: a typed column is compared as JSON, a text as a text.
    as_json = f"CAST({literal} AS jsonb)"
    return (
        f"(to_jsonb({column}) = {as_json} OR CAST({column} AS text) IN ({', '.join(texts)}, CAST({as_json} AS text)))"
    )


def _literal(value: Any, dialect: Dialect) -> str:
    if value is None or value is ABSENT:
        return "NULL"
    if isinstance(value, bool):
        return str(int(value)) if dialect == "sqlite" else str(value).upper()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if math.isfinite(value):
            return repr(value)
        if dialect == "sqlite":
            raise _CannotSay(N_("{value!r} has no literal in SQLite"), value=value)
        # Both read these words; repr gives nan, inf and -inf.
        word = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return f"CAST('{word}' AS {'DOUBLE' if dialect == 'duckdb' else 'DOUBLE PRECISION'})"
    if isinstance(value, str):
        return _text_literal(value, dialect)
    _check_json(value, dialect)
    text = _text_literal(inert_json(encode(value)), dialect)
    # DuckDB reads a plain text as a list by rules of its own, which are not JSON's.
    return f"CAST({text} AS JSON)" if dialect == "duckdb" else text


def _check_json(value: Any, dialect: Dialect) -> None:
    """Refuse what no JSON of the dialect can hold, rather than let the whole script fail on it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            _check_json(key, dialect)
            _check_json(inner, dialect)
    elif isinstance(value, list):
        for inner in value:
            _check_json(inner, dialect)
    elif isinstance(value, float) and not math.isfinite(value):
        raise _CannotSay(N_("a list or object holds {value!r}, which JSON cannot"), value=value)
    elif isinstance(value, str):
        if any("\ud800" <= char <= "\udfff" for char in value):
            raise _CannotSay(N_("a value holds a lone surrogate, which is no text"))
        if dialect == "postgresql" and "\0" in value:
            raise _CannotSay(N_("a value holds NUL, which PostgreSQL cannot store in a text"))


def _text_literal(text: str, dialect: Dialect) -> str:
    if visible(text.replace("\t", " "), newlines=True) == text.replace("\t", " "):
        quoted = text.replace("'", "''")
        if dialect == "postgresql" and "\\" in quoted:
            # Whether a backslash means itself in a plain literal is a setting of the server; in E'' it never does.
            return "E'" + quoted.replace("\\", "\\\\") + "'"
        return f"'{quoted}'"
    try:
        raw = text.encode()
    except UnicodeEncodeError:
        raise _CannotSay(N_("a value holds a lone surrogate, which is no text")) from None
    if dialect == "duckdb":
        return f"decode(unhex('{raw.hex()}'))"
    if dialect == "sqlite":
        return f"CAST(X'{raw.hex()}' AS TEXT)"
    if b"\0" in raw:
        raise _CannotSay(N_("a value holds NUL, which PostgreSQL cannot store in a text"))
    return f"convert_from(decode('{raw.hex()}', 'hex'), 'UTF8')"
