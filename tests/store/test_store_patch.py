"""Edits as they leave the program: JSON patch lines and SQL, with hostile names and values."""

from __future__ import annotations

import io
import json
import math
import sqlite3
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.errors import InputError, InspectorError
from inspector.records import ABSENT, Uid
from inspector.store import Change, Dialect, EditLog, Effective, Workspace, read_patch, to_jsonl, to_sql
from inspector.store.sqlpatch import _text_literal
from inspector.text import visible

HOSTILE = "'; DROP TABLE memories; -- \\' \" \x1b[31m \r\n \u202e \u2028 \0 한글 👩‍🚀"


def edit(
    field: str, old: Any, new: Any, target: tuple[str, ...] = Uid('"ns"', "m1"), kind: Any = "memory"
) -> Effective:
    return Effective(1, kind, target, field, old, new)


def jsonl(*edits: Effective) -> list[dict[str, Any]]:
    fp = io.StringIO()
    assert to_jsonl(fp, edits) == len(edits)
    return [json.loads(line) for line in fp.getvalue().splitlines()]


def sql(*edits: Effective, dialect: Dialect = "duckdb", table: str = "memories") -> str:
    fp = io.StringIO()
    to_sql(fp, edits, dialect, table)
    return fp.getvalue()


def statements(*edits: Effective, dialect: Dialect = "duckdb") -> list[str]:
    return [line for line in sql(*edits, dialect=dialect).splitlines() if line.startswith("UPDATE")]


def test_patch_lines() -> None:
    assert jsonl(
        edit("status", "active", "stale"),
        edit("status", ABSENT, None),
        edit("source", None, ABSENT, Uid('["t","a"]', "m2")),
        edit("meta", {}, {"a": [1, 2.5, True]}, Uid("", HOSTILE)),
        edit("as_of", ABSENT, 0, ("q1",), "query"),
        edit("scope", None, "?", ("q1", '"ns"', "m1"), "judgment"),
        edit("isolation", "namespace", "session", (), "setting"),
    ) == [
        {"op": "set", "uid": {"namespace": "ns", "id": "m1"}, "field": "status", "old": "active", "new": "stale"},
        {"op": "set", "uid": {"namespace": "ns", "id": "m1"}, "field": "status", "new": None},
        {"op": "remove", "uid": {"namespace": ["t", "a"], "id": "m2"}, "field": "source", "old": None},
        {
            "op": "set",
            "uid": {"namespace": None, "id": HOSTILE},
            "field": "meta",
            "old": {},
            "new": {"a": [1, 2.5, True]},
        },
        {"op": "set", "query": "q1", "field": "as_of", "new": 0},
        {
            "op": "set",
            "judgment": {"query_id": "q1", "namespace": "ns", "memory_id": "m1"},
            "field": "scope",
            "old": None,
            "new": "?",
        },
        {"op": "set", "setting": "isolation", "field": "isolation", "old": "namespace", "new": "session"},
    ]


def test_a_log_leaves_and_comes_back(tmp_path: Path) -> None:
    with Workspace.open(tmp_path / "w.duckdb") as workspace:
        log = EditLog(workspace)
        log.append([Change("memory", Uid('"n"', HOSTILE), "status", ABSENT, HOSTILE)])
        log.append([Change("memory", Uid("", "\ud800"), "embedding", [1.0], [math.inf, None])])
        log.append([Change("judgment", ("q", "", "m"), "policy", None, 1)])
        log.append([Change("setting", (), "isolation", "namespace", "session")])
        edits = log.effective()
    fp = io.StringIO()
    to_jsonl(fp, edits)
    assert visible(fp.getvalue(), newlines=True) == fp.getvalue()  # inert, yet nothing is lost
    read = read_patch(fp.getvalue().splitlines(keepends=True), "edits.jsonl")
    assert read == edits


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "p.jsonl:2: not JSON: one patch line"),
        ("[]", "p.jsonl:2: not an object: one patch line"),
        ('{"op": "add"}', "p.jsonl:2: op: 'add' is not known: set or remove"),
        ('{"op": "set", "query": "q", "field": "risk"}', "p.jsonl:2: new: missing: a value with set"),
        ('{"op": "remove", "query": "q", "field": "risk", "new": 1}', "p.jsonl:2: new: given with remove"),
        ('{"op": "set", "new": 1, "field": "x"}', "p.jsonl:2: uid: 0 of them given: one of uid, query"),
        ('{"op": "set", "new": 1, "field": "x", "query": "q", "setting": "s"}', "uid: 2 of them given"),
        ('{"op": "set", "new": 1, "field": "x", "uid": "m1"}', "p.jsonl:2: uid: not an object"),
        ('{"op": "set", "new": 1, "field": "x", "uid": {"id": 3}}', "p.jsonl:2: uid.id: 3 is not a text"),
        ('{"op": "set", "new": 1, "uid": {"id": "m"}}', "p.jsonl:2: field: missing: a text"),
        ('{"op": "set", "new": 1, "field": "scope", "judgment": {"memory_id": "m"}}', "judgment.query_id: missing"),
    ],
)
def test_what_is_no_patch_line_is_said(line: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_patch(["\n", line + "\n"], "p.jsonl")
    assert message in str(caught.value)


def test_one_statement_a_memory_names_what_it_expects() -> None:
    # Written out by hand from the three dialects' rules for quoting and for equality with NULL.
    edits = [edit("status", "active", "stale"), edit("valid_to", ABSENT, 5), edit("verification_required", True, None)]
    where = '"namespace" {0} \'ns\' AND "id" = \'m1\' AND "status" {0} \'active\' AND "valid_to" IS NULL AND '
    assert statements(*edits) == [
        'UPDATE "memories" SET "status" = \'stale\', "valid_to" = 5, "verification_required" = NULL WHERE '
        + where.format("IS NOT DISTINCT FROM")
        + '"verification_required" IS NOT DISTINCT FROM TRUE;'
    ]
    assert statements(*edits, dialect="postgresql") == statements(*edits)
    assert statements(*edits, dialect="sqlite") == [
        'UPDATE "memories" SET "status" = \'stale\', "valid_to" = 5, "verification_required" = NULL WHERE '
        + where.format("IS")
        + '"verification_required" IS 1;'
    ]


def test_lists_and_owners() -> None:
    purposes = edit("allowed_purposes", ["a"], ["it's"], Uid('["t","a"]', "m"))
    assert statements(purposes, dialect="postgresql") == [
        'UPDATE "memories" SET "allowed_purposes" = \'["it\'\'s"]\' WHERE '
        '(to_jsonb("namespace") = CAST(\'["t","a"]\' AS jsonb) OR CAST("namespace" AS text) IN '
        '(\'["t","a"]\', \'["t", "a"]\', CAST(CAST(\'["t","a"]\' AS jsonb) AS text))) AND "id" = \'m\' AND '
        '(to_jsonb("allowed_purposes") = CAST(\'["a"]\' AS jsonb) OR CAST("allowed_purposes" AS text) IN '
        "('[\"a\"]', CAST(CAST('[\"a\"]' AS jsonb) AS text)));"
    ]
    (several,) = statements(edit("status", "a", "b", Uid('[["t"],"u"]', "m")), dialect="sqlite")
    spellings = """json('[["t"],"u"]'), json('[["t"], "u"]')"""
    assert f'CASE WHEN json_valid("namespaces") THEN json("namespaces") END IN ({spellings})' in several
    (none,) = statements(edit("status", "a", "b", Uid("", "m")))
    assert '"namespace" IS NULL AND' in none


def test_postgresql_backslashes_and_nul() -> None:
    # E'' means the same whatever standard_conforming_strings is; quotes stay doubled inside it.
    (plain,) = statements(edit("status", "a", "x\\'; y"), dialect="postgresql")
    assert "\"status\" = E'x\\\\''; y'" in plain
    (control,) = statements(edit("status", "a", "\x1b"), dialect="postgresql")
    assert "\"status\" = convert_from(decode('1b', 'hex'), 'UTF8')" in control
    fp = io.StringIO()
    report = to_sql(fp, [edit("status", "a", "\0"), edit("status", "a", "b", Uid("", "ok"))], "postgresql")
    assert (report.written, report.left_out) == (1, 1)
    assert "-- not written: memory ns/m1: a value holds NUL" in fp.getvalue()


def test_what_has_no_place_in_sql_is_named_in_a_comment() -> None:
    fp = io.StringIO()
    edits = [
        edit("as_of", ABSENT, "x", ("q\n;DROP TABLE memories;--",), "query"),
        edit("status", "a", "\ud800"),
        edit("co\nl", "a", "b", Uid("", "m2\nDROP TABLE memories;")),
        edit("priority", math.nan, 1, Uid("", "m3")),
    ]
    report = to_sql(fp, edits, "sqlite")
    assert (report.written, report.left_out) == (0, 4)
    lines = fp.getvalue().splitlines()
    ours = ("BEGIN TRANSACTION;", "COMMIT;")
    assert all(line.startswith(("-- ", "DROP", "CREATE", "SELECT")) or line in ours for line in lines)
    assert not any("memories;" in line or "TABLE memories" in line for line in lines if not line.startswith("-- "))
    assert sum("not written" in line for line in lines) == 4


def test_unusable_tables_and_dialects() -> None:
    assert 'UPDATE "main"."my ""t""" SET' in sql(edit("status", "a", "b"), table='main.my "t"')
    for table in ("", "a.", "t\n"):
        with pytest.raises(InspectorError, match="table name"):
            sql(edit("status", "a", "b"), table=table)
    with pytest.raises(InspectorError, match="one of duckdb, postgresql, sqlite"):
        sql(edit("status", "a", "b"), dialect="mysql")  # type: ignore[arg-type]


ROWS = [
    # namespace, id, status, source, tags, count, wanted
    ("ns", "m1", "active", None, '["a"]', 1),
    ("ns", "m2", "active", None, '["a"]', 1),
    ("o'ns", HOSTILE, HOSTILE, HOSTILE, "[]", 1),
    (None, "m1", "active", "", None, None),
]
EDITS = [
    edit("status", "active", HOSTILE),
    edit("source", ABSENT, "new"),
    edit("tags", ["a"], ["a", HOSTILE]),
    edit("n", 1, 2.5),
    edit("status", "other", "never", Uid('"ns"', "m2")),  # the store has another value: not changed
    edit("status", HOSTILE, ABSENT, Uid('"o\'ns"', HOSTILE)),
    edit("source", HOSTILE, "\\", Uid('"o\'ns"', HOSTILE)),
    edit("tags", [], None, Uid('"o\'ns"', HOSTILE)),
    edit("source", "", "empty no more", Uid("", "m1")),
    edit("n", None, 7, Uid("", "m1")),
]
AFTER = [
    ("ns", "m1", HOSTILE, "new", ["a", HOSTILE], 2.5),
    ("ns", "m2", "active", None, ["a"], 1),
    ("o'ns", HOSTILE, None, "\\", None, 1),
    (None, "m1", "active", "empty no more", None, 7),
]


def test_the_statements_do_it_in_sqlite() -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("CREATE TABLE memories (namespace, id, status, source, tags, n)")
    connection.executemany("INSERT INTO memories VALUES (?, ?, ?, ?, ?, ?)", ROWS)
    connection.executescript(sql(*EDITS, dialect="sqlite"))
    rows = connection.execute("SELECT * FROM memories ORDER BY rowid").fetchall()
    connection.close()
    assert [(*row[:4], row[4] and json.loads(row[4]), row[5]) for row in rows] == AFTER


@pytest.mark.parametrize("tags", ["JSON", "VARCHAR[]", "VARCHAR"])
def test_the_statements_do_it_in_duckdb(tags: str) -> None:
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE memories (namespace VARCHAR, id VARCHAR, status VARCHAR, source VARCHAR,"
            f" tags {tags}, n DOUBLE)"
        )
        for row in ROWS:
            connection.execute("INSERT INTO memories VALUES (?, ?, ?, ?, ?, ?)", list(row))
        connection.execute(sql(*EDITS))
        # Not by rowid: DuckDB moves a row whose list changes.
        rows = connection.execute("SELECT * FROM memories ORDER BY namespace NULLS LAST, id").fetchall()
    assert [(*row[:4], json.loads(row[4]) if isinstance(row[4], str) else row[4], row[5]) for row in rows] == AFTER


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_is_one_literal(text: str) -> None:
    dialects: tuple[Dialect, ...] = ("duckdb", "sqlite")
    for dialect in dialects:
        literal = _text_literal(text, dialect)
        # Inert on a terminal, but for line feeds and tabs inside the quotes.
        assert visible(literal.replace("\t", " "), newlines=True) == literal.replace("\t", " ")
        if dialect == "sqlite":
            connection = sqlite3.connect(":memory:")
            assert connection.execute(f"SELECT {literal}").fetchall() == [(text,)]
            connection.close()
        else:
            assert _duckdb().execute(f"SELECT {literal}").fetchall() == [(text,)]


def _duckdb() -> duckdb.DuckDBPyConnection:
    return duckdb.default_connection()
