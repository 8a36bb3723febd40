"""Expressions that a policy rule may not be: each is refused, with file, rule and place, before anything runs."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from inspector.axes import policy_run
from inspector.axes.policy_file import RuleSource
from inspector.errors import InputError
from tests.axes.axes_records import engine, memory, query

ATTACKS = [
    # More than one expression, or more than an expression.
    "true; SELECT 1",
    "true; ATTACH 'x.db'",
    "1) OR (1",
    "true) FROM (SELECT 1",
    "true), (true",
    "true, true",
    "true FROM m",
    "true AS x",
    "true) UNION (SELECT true",
    "true WHERE 1 = 1",
    "true ORDER BY 1",
    "true LIMIT 1",
    "true -- and the rest\n) FROM (SELECT 1",
    "true /* unclosed",
    "",
    "SELECT true",
    "INSERT INTO x VALUES (1)",
    "COPY x TO 'f'",
    "PRAGMA database_list",
    "m.status := 'x'",
    # Queries inside.
    "(SELECT true)",
    "EXISTS (SELECT 1)",
    "m.id IN (SELECT 'm1')",
    "m.id = ANY (SELECT 'm1')",
    "(SELECT count(*) FROM read_csv('/etc/passwd')) > 0",
    "(WITH t AS (SELECT 1) SELECT true FROM t)",
    "(FROM duckdb_settings() SELECT count(*)) > 0",
    "ARRAY(SELECT 1) = [1]",
    # Files, settings, environment, state, clock, chance.
    "read_text('/etc/passwd') = 'x'",
    "m.id IN (read_csv_auto('x.csv'))",
    "getenv('HOME') = 'x'",
    "current_setting('threads') = '1'",
    "set_config('threads', '1') = '1'",
    "getvariable('x') = 1",
    "current_user = 'x'",
    "current_database() = 'memory'",
    "random() > 0.5",
    "gen_random_uuid() = 'x'",
    "now() > m.created_at",
    "current_date > m.created_at",
    "current_timestamp > m.created_at",
    "today() > m.created_at",
    "get_current_timestamp() > m.created_at",
    "age(m.created_at) > INTERVAL 1 DAY",
    "nextval('s') = 1",
    "txid_current() > 0",
    "version() = 'x'",
    "error('x')",
    "sleep_ms(1000) IS NULL",
    "query('SELECT 1')",
    "query_table('x')",
    "json_serialize_sql('SELECT 1') = 'x'",
    "json_execute_serialized_sql('x')",
    "pg_typeof(m.id) = 'x'",
    "in_search_path('a', 'b')",
    "write_log('x')",
    "system.main.lower(m.id) = 'x'",
    "main.lower(m.id) = 'x'",
    # Output out of proportion.
    "length(repeat('x', 1000000000)) > 0",
    "length(lpad('x', 1000000000, 'y')) > 0",
    "len(range(1000000000)) > 0",
    "len(generate_series(1, 1000000000)) > 0",
    "regexp_replace(m.text, '(.*)', '\\1\\1', 'g') = 'x'",
    # Other shapes.
    "m.*",
    "*",
    "COLUMNS(*)",
    "COLUMNS('a')",
    "count(*) > 0",
    "sum(1) > 0",
    "max(m.id) = 'x'",
    "row_number() OVER () > 0",
    "lag(m.id) OVER (ORDER BY m.id) = 'x'",
    "list_filter(m.loss, x -> true) = []",
    "list_transform(m.loss, lambda x: x) = []",
    "[x FOR x IN m.loss] = []",
    "m.status = ?",
    "m.status = $1",
    "m.status = $name",
    "#1",
    "DEFAULT",
    "m.status COLLATE NOCASE = 'x'",
    "{'a': true}.a",
    "lower(string := m.id) = 'x'",
    "unnest([true])",
    "GROUPING(m.id) = 0",
    "m.status::some_type = 'x'",
    "m.status::ENUM('a', 'b') = 'a'",
    "m.meta::STRUCT(a VARCHAR).a = 'x'",
    "CAST(m.id AS UNION(a INTEGER)) IS NULL",
    # Names that are no field.
    "status = 'active'",
    "x.status = 'active'",
    "c0 = 'x'",
    "m = 'x'",
    "m.unknown_field = 'x'",
    "m.status.part = 'x'",
    "q.status = 'x'",
    "m.embedding[1] > 0",
    "a.b.c.d = 1",
    "\"m.status\" = 'x'",
    # Not a truth value, or nothing that can be bound.
    "m.status",
    "1",
    "'true'",
    "lower(m.id)",
    "m.status > INTERVAL 1 DAY",
    "lower(m.id, m.id) = 'x'",
    # Too deep, too long.
    "(" * 300 + "true" + ")" * 300 + " AND " + "NOT " * 300 + "true",
    "NOT " * 100 + "true",
    " AND ".join(["m.id = 'x'"] * 400),
    "m.id = '" + "x" * 5_000 + "'",
]


def policy(when: str) -> str:
    quoted = when.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'default = "allow"\n\n[[rules]]\nid = "attack"\neffect = "allow"\nwhen = "{quoted}"\n'


@pytest.mark.parametrize("when", ATTACKS, ids=lambda when: when[:40])
def test_refused(when: str) -> None:
    with pytest.raises(InputError) as caught:
        engine(memory(), query(), policy=policy(when), policy_file="bundle/policy.toml")
    problem = caught.value.problem
    assert (problem.file, problem.line) == ("bundle/policy.toml", 3)
    assert problem.field.startswith("rules.attack")
    assert problem.wrong
    assert problem.expected
    assert "Traceback" not in str(problem)
    assert "\n" not in str(problem)


@pytest.mark.parametrize(
    ("when", "at"),
    [
        ("m.id = 'x' AND getenv('HOME') = 'x'", 16),
        ("m.text = '한국어' OR now() > m.created_at", 19),
        ("m.id = 'x' AND nothing = 1", 16),
        ("\n\n  m.id = 'x' AND m.nothing = 1", 20),
    ],
)
def test_position_counts_characters_of_the_expression(when: str, at: int) -> None:
    with pytest.raises(InputError) as caught:
        engine(memory(), query(), policy=policy(when))
    assert f"(at character {at} of when)" in caught.value.problem.wrong


@pytest.mark.parametrize(
    "when",
    [
        "m.id = '1) OR (1'",
        "m.id = 'true; SELECT 1'",
        "m.id = '--' -- a comment",
        "/* why */ m.id = '/*'",
        "m.id = $$it's$$ OR m.id = 'm1'",
        "\n\tm.id\n=\n'm1'\n",
        "m.id = 'now' OR m.id = '한국어'",
        "m.id = '\"' OR m.\"id\" = 'm1'",
        "M.ID = 'm1'",
    ],
)
def test_what_only_looks_hostile_is_an_expression(when: str) -> None:
    engine(memory(), query(), policy=policy(when)).policy([0], [0])


def test_what_runs_is_what_was_checked() -> None:
    """The text that runs is written anew from the tree: no comment, quote or bracket of the rule's is in it."""
    source = RuleSource("r", "allow", "m.id = 'a''b' /* x */ AND (m.keys['u;'] IS NULL) -- )", "", None)
    compiled = policy_run.sandbox().compile(source, "policy.toml")
    assert compiled.sql == "((c0 = 'a''b') AND (c1 IS NULL))"
    assert [column.name for column in compiled.columns] == ["id", "keys.u;"]
    assert compiled.literals == ("a'b",)


def test_the_connection_is_closed_to_the_outside(tmp_path: Path) -> None:
    """Even past the checker nothing is in reach: no file, no extension, no setting."""
    box = policy_run.sandbox()
    duckdb = box._duckdb
    (tmp_path / "secret.csv").write_text("a\n1\n")
    for sql in (
        f"SELECT * FROM read_csv('{tmp_path}/secret.csv')",
        f"SELECT * FROM '{tmp_path}/secret.csv'",
        f"COPY (SELECT 1) TO '{tmp_path}/out.csv'",
        f"ATTACH '{tmp_path}/x.db'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "SET threads = 8",
    ):
        with pytest.raises(duckdb.Error):
            box._connection.execute(sql)
    assert not (tmp_path / "out.csv").exists()


def test_a_rule_that_takes_too_long_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """levenshtein of two long texts is quadratic: the watchdog ends it, whatever the values of other pairs."""
    box = policy_run.Sandbox()
    monkeypatch.setattr(policy_run, "sandbox", lambda: box)
    monkeypatch.setattr("inspector.axes.policy.sandbox", lambda: box)
    monkeypatch.setattr(box._watchdog, "_limit", 0.2)
    text = "x" * 60_000
    built = engine(
        [memory("m1", text=text), memory("m2", text=text[::-1] + "y")],
        query(text="y" * 60_000),
        policy=policy("levenshtein(m.text || m.text, q.text || q.text) < 3"),
    )
    started = time.monotonic()
    with pytest.raises(InputError) as caught:
        built.policy([0, 1], [0, 0])
    assert "rules.attack" in str(caught.value)
    assert "takes longer" in str(caught.value)
    assert time.monotonic() - started < 60  # it did end; how soon is the machine's affair


def test_a_pattern_with_nested_repeats_is_harmless() -> None:
    built = engine(memory(text="a" * 5_000), query(), policy=policy("regexp_matches(m.text, '^(a+)+$')"))
    assert built.policy([0], [0]).tolist() == [2]
