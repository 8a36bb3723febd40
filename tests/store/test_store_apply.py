"""Patches go round: random edits → patch → apply → import gives the edited store, in every form (DESIGN 10).

The edited store is what the records say with the edits over them; the databases are sqlite3, DuckDB and, where one is
installed, a real PostgreSQL server, each filled and read without the product's SQL.
"""

from __future__ import annotations

import io
import json
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inspector import formats
from inspector.errors import InputError, InspectorError
from inspector.inspection import Inspection, OpenOptions, open_sources
from inspector.patching import apply_patch
from inspector.records import ABSENT, Memory, Origin, presence_of
from inspector.store import DIALECTS, Dialect, Effective, to_jsonl, to_sql
from inspector.store.sqlpatch import COUNTS
from inspector.trit import Trit
from tests.store.postgres import Server, server

QUICK = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
#: Texts that are hard on quoting, on terminals and on JSON. PostgreSQL has no NUL in a text: that case is apart.
TEXTS = st.one_of(
    st.sampled_from(
        ["it's", '"', "\\", "\\'; --", "$$", ":name", "a\nb\t", "\x1b[31m", "\u202e", "\u2028", "한글 👩‍🚀", "e\u0301"]
    ),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12),
).filter(lambda text: not text.startswith("["))
NUMBERS = st.one_of(st.integers(-1000, 1000), st.integers(-4000, 4000).map(lambda n: n / 4 + 0.125))
LISTS = st.lists(TEXTS, max_size=3)
OBJECTS = st.dictionaries(TEXTS, st.one_of(TEXTS, NUMBERS, st.booleans(), st.none(), LISTS), max_size=3)
#: Each field with its values and its type in DuckDB; PostgreSQL's and SQLite's follow.
FIELDS: dict[str, tuple[st.SearchStrategy[Any], str]] = {
    "text": (TEXTS, "VARCHAR"),
    "session_id": (st.one_of(TEXTS, st.just("")), "VARCHAR"),
    "status": (TEXTS, "VARCHAR"),
    "created_at": (st.sampled_from(["2026-01-01", "2026-02-01T00:00:00Z", "2026-03-01T10:00:00+02:00"]), "VARCHAR"),
    "verification_required": (st.booleans(), "BOOLEAN"),
    "contradiction_count": (NUMBERS, "DOUBLE"),
    "allowed_purposes": (LISTS, "JSON"),
    "keys": (st.dictionaries(TEXTS, st.one_of(TEXTS, st.integers(-5, 5), st.booleans()), max_size=2), "JSON"),
    "governs": (st.one_of(OBJECTS, LISTS), "JSON"),
}
OWNERS = ["n", "it's", "[", None, ["t", "acme"], ["t", "acme", "notes"]]
COLUMNS = ["namespace", "id", *FIELDS]


@st.composite
def edited_store(draw: st.DrawFn) -> list[Memory]:
    """Memories with edits over them; some share an id in other namespaces."""
    memories = []
    for number, owner in enumerate(draw(st.lists(st.sampled_from(OWNERS), min_size=1, max_size=4, unique_by=repr))):
        names = draw(st.sets(st.sampled_from(sorted(FIELDS.keys() - {"text"}))))
        fields: dict[str, Any] = {"id": draw(st.sampled_from(["m", f"m{number}", "it's"]))}
        if owner is not None:
            fields["namespace"] = owner
        fields |= {name: draw(FIELDS[name][0]) for name in ["text", *sorted(names)]}
        memory = Memory(fields, Origin("memories.jsonl", number + 1))
        for name in draw(st.sets(st.sampled_from(sorted(FIELDS)), max_size=4)):
            old = fields.get(name, ABSENT)
            removable = old is not ABSENT and name != "text"
            new = draw(st.one_of(FIELDS[name][0], st.just(ABSENT)) if removable else FIELDS[name][0])
            if json.dumps(new, default=str) != json.dumps(old, default=str):
                memory.edits[name] = new
        memories.append(memory)
    return memories


def effective(memories: Sequence[Memory]) -> list[Effective]:
    return [
        Effective(1, "memory", memory.uid, name, memory.fields.get(name, ABSENT), new)
        for memory in memories
        for name, new in memory.edits.items()
    ]


def stored(memories: Sequence[Memory]) -> dict[str, dict[str, Any]]:
    """The store in force, absent and null alike left out, as SQL knows one NULL."""
    return {
        repr(memory.uid): {name: value for name, value in memory.effective().items() if value is not None}
        for memory in memories
    }


def imported(records: Sequence[dict[str, Any]], folder: Path) -> dict[str, dict[str, Any]]:
    file = folder / "imported.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return stored(formats.load([file]).memories)


def script(memories: Sequence[Memory], dialect: Dialect) -> str:
    fp = io.StringIO()
    report = to_sql(fp, effective(memories), dialect)
    assert report.left_out == 0
    assert fp.getvalue().splitlines()[-1].startswith("SELECT count(*) AS memories_named")
    return fp.getvalue()


def cell(name: str, value: Any) -> Any:
    """What a text column or a JSON column holds: lists and objects as text, spaced as PostgreSQL would not."""
    if value is None or value is ABSENT:
        return None
    return json.dumps(value) if isinstance(value, list | dict) or FIELDS.get(name, ("", ""))[1] == "JSON" else value


def record(row: dict[str, Any]) -> dict[str, Any]:
    """A row read back as a record."""
    found = {name: value for name, value in row.items() if value is not None}
    for name, value in found.items():
        holds_json = FIELDS.get(name, ("", ""))[1] == "JSON" or (name == "namespace" and value[:2] == '["')
        if holds_json and isinstance(value, str):
            found[name] = json.loads(value)
        elif FIELDS.get(name, ("", ""))[1] == "BOOLEAN":
            found[name] = bool(value)
    return found


def check(memories: Sequence[Memory], rows: list[dict[str, Any]], counts: Sequence[Any], folder: Path) -> None:
    first, again = counts
    named = sum(bool(memory.edits) for memory in memories)
    assert first == (named, named, 0)  # every row that the patch names had the old values
    assert again == (named, 0, named)  # and none has them a second time
    assert imported([record(row) for row in rows], folder) == stored(memories)


@QUICK
@given(edited_store())
def test_round_trip_in_sqlite(tmp_path: Path, memories: list[Memory]) -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute(f"CREATE TABLE memories ({', '.join(COLUMNS)})")
    for memory in memories:
        values = [cell(name, memory.fields.get(name)) for name in COLUMNS]
        connection.execute(f"INSERT INTO memories VALUES ({', '.join('?' * len(COLUMNS))})", values)
    counts = []
    for _ in range(2):
        text = script(memories, "sqlite")
        connection.executescript(text)
        counts.append(connection.execute(text.splitlines()[-1]).fetchone())
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in connection.execute("SELECT * FROM memories")]
    connection.close()
    check(memories, rows, counts, tmp_path)


@QUICK
@given(edited_store())
def test_round_trip_in_duckdb(tmp_path: Path, memories: list[Memory]) -> None:
    types = {name: FIELDS[name][1] if name in FIELDS else "VARCHAR" for name in COLUMNS}
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE memories ({', '.join(f'{name} {kind}' for name, kind in types.items())})")
        for memory in memories:
            values = [cell(name, memory.fields.get(name)) for name in COLUMNS]
            connection.execute(f"INSERT INTO memories VALUES ({', '.join('?' * len(COLUMNS))})", values)
        counts = [connection.execute(script(memories, "duckdb")).fetchone() for _ in range(2)]
        found = connection.execute("SELECT * FROM memories").fetchall()
    check(memories, [dict(zip(COLUMNS, row, strict=True)) for row in found], counts, tmp_path)


@pytest.fixture(scope="module")
def postgres() -> Iterator[Server]:
    with server() as started:
        yield started


def quoted(value: Any) -> str:
    """JSON text as a literal of PostgreSQL, whatever its settings."""
    return "E'" + json.dumps(value).replace("\\", "\\\\").replace("'", "''") + "'"


@pytest.mark.parametrize("json_type", ["jsonb", "json", "text"])
@QUICK
@given(memories=edited_store())
def test_round_trip_in_postgresql(postgres: Server, tmp_path: Path, json_type: str, memories: list[Memory]) -> None:
    names = {"VARCHAR": "text", "DOUBLE": "double precision", "BOOLEAN": "boolean", "JSON": json_type}
    types = {name: names[FIELDS[name][1]] if name in FIELDS else "text" for name in COLUMNS}
    rows = [{name: memory.fields.get(name) for name in COLUMNS} for memory in memories]
    text = script(memories, "postgresql")
    out = postgres.run(
        "DROP TABLE IF EXISTS memories;\n"
        f"CREATE TABLE memories ({', '.join(f'{name} {kind}' for name, kind in types.items())});\n"
        f"INSERT INTO memories SELECT * FROM jsonb_populate_recordset(NULL::memories, {quoted(rows)}::jsonb);\n"
        # The second time in the same session: its temporary table is there already.
        + text
        + text
        + "SELECT coalesce(json_agg(m), '[]') FROM memories m;\n"
    )
    first, second, listed = out.split("\n", 2)
    counts = [tuple(int(number) for number in line.split("|")) for line in (first, second)]
    check(memories, json.loads(listed), counts, tmp_path)


def test_postgresql_where_some_rows_hold_no_json(postgres: Server) -> None:
    # One column of texts, some of them lists: nothing may fail on the rows that are no JSON.
    edits = [
        Effective(1, "memory", Memory({"id": "m", "text": "", "namespace": ["t", "a"]}, Origin("f", 1)).uid, *change)
        for change in (("status", "a", "b"), ("source", ABSENT, "\x1b 'x' \\"))
    ]
    fp = io.StringIO()
    to_sql(fp, edits, "postgresql", "pg_temp.store")
    out = postgres.run(
        "CREATE TEMPORARY TABLE store (namespace text, id text, status text, source text);\n"
        "INSERT INTO store VALUES ('[draft', 'm', 'a', NULL), (NULL, 'm', 'a', NULL);\n"
        "INSERT INTO store VALUES ('[\"t\", \"a\"]', 'm', 'a', NULL);\n"
        + fp.getvalue()
        + "SELECT status, encode(convert_to(source, 'UTF8'), 'hex') FROM store ORDER BY namespace NULLS LAST;\n"
        + f"SELECT memory FROM {COUNTS};\n"
    )
    assert out.splitlines() == ["1|1|0", "b|" + b"\x1b 'x' \\".hex(), "a|", "a|", "t / a/m"] or (
        out.splitlines() == ["1|1|0", "a|", "b|" + b"\x1b 'x' \\".hex(), "a|", "t / a/m"]
    )


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_swap_of_owners_is_not_written(dialect: Dialect) -> None:
    # a/m → b and b/m → a: after the first UPDATE the second would take both rows.
    one, other = (Memory({"id": "m", "text": "", "namespace": owner}, Origin("f", 1)) for owner in "ab")
    edits = [
        Effective(1, "memory", one.uid, "namespace", "a", "b"),
        Effective(2, "memory", other.uid, "namespace", "b", "a"),
    ]
    fp = io.StringIO()
    assert to_sql(fp, edits, dialect).left_out == 2
    assert "another edited memory m comes from its new namespace" in fp.getvalue()


def test_what_no_json_can_hold_is_left_out() -> None:
    fp = io.StringIO()
    uid = Memory({"id": "m", "text": ""}, Origin("f", 1)).uid
    edits = [Effective(1, "memory", uid, "embedding", ABSENT, [float("nan")])]
    for dialect in DIALECTS:
        assert to_sql(fp, edits, dialect).left_out == 1
    assert to_sql(fp, [Effective(1, "memory", uid, "keys", {}, {"a": "\0"})], "postgresql").left_out == 1
    assert fp.getvalue().count("a list or object holds nan, which JSON cannot") == 3


# ---- patch lines and apply

#: Beyond SQL: null, empty and removed are three things; unknown keys of the source stay where they were.
VALUES: dict[str, list[Any]] = {
    "text": ["new text", "\0\u202e'\"\\", ""],
    "status": ["archived", None, "", ABSENT],
    "session_id": ["s1", None, "", ABSENT],
    "valid_to": ["2026-05-01", 1_777_000_000, 1.5, None, "", ABSENT],
    "keys": [{"a": 1, "b": True, "c": None, "d": 1.0}, {}, None, ABSENT],
    "allowed_purposes": [["x", "y"], [], None, ABSENT],
    "embedding": [[0.25, -1.0, None], [], ABSENT],
    "meta": [{"own": [1, {"deep": None}], "id": "not the id"}, {}, None, ABSENT],
    "contradiction_count": [0, 2.5, None, ABSENT],
    "namespace": ["elsewhere", ["t", "x"], None, ABSENT],
}
SOURCE: list[dict[str, Any]] = [
    {"id": "m1", "text": "one", "namespace": "n", "status": "active", "keys": {"a": "1"}, "colour": "red"},
    {"id": "m2", "text": "two", "namespace": ["t", "a"], "valid_to": None, "allowed_purposes": []},
    {"id": "m3", "text": "three", "meta": {"own": 1}, "embedding": [1.0, 0.5, 0.25], "contradiction_count": 1},
]
QUERIES: list[dict[str, Any]] = [
    {"id": "q1", "text": "one?", "purpose": "assistant", "required": ["m1"]},
    {"id": "q2", "text": "two?"},
]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "store"
    folder.mkdir()
    (folder / "memories.jsonl").write_text("".join(json.dumps(one) + "\n" for one in SOURCE), encoding="utf-8")
    (folder / "queries.jsonl").write_text("".join(json.dumps(one) + "\n" for one in QUERIES), encoding="utf-8")
    (folder / "bundle.toml").write_text('exported_at = "2026-05-01T00:00:00Z"\ntimezone = "UTC"\n', encoding="utf-8")
    return folder


def exact(bundle: Any) -> str:
    """Everything that a store says, by kind and value."""
    memories = [[repr(memory.uid), memory.effective()] for memory in bundle.memories]
    queries = [query.effective() for query in bundle.queries]
    labels = [[one.query_id, one.memory_id, one.axis, one.value.json, one.source] for one in bundle.judgments]
    return json.dumps([memories, queries, labels, formats.canonical.settings_toml(bundle.settings)], sort_keys=True)


def exported(inspection: Inspection, file: Path) -> Path:
    with file.open("w", encoding="utf-8") as fp:
        inspection.export_edits(fp)
    return file


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    changes=st.lists(
        st.tuples(st.integers(0, 2), st.sampled_from(sorted(VALUES)), st.integers(0, 9)), min_size=1, max_size=8
    )
)
def test_round_trip_of_patch_lines(source: Path, tmp_path: Path, changes: list[tuple[int, str, int]]) -> None:
    folder = Path(tempfile.mkdtemp(dir=tmp_path))
    with open_sources([source], OpenOptions(temporary=True)) as inspection:
        for mi, field, choice in changes:
            inspection.edit("memory", [mi], field, VALUES[field][choice % len(VALUES[field])])
        inspection.edit("query", [1], "purpose", "audit")
        inspection.edit("query", [0], "required", ABSENT)
        inspection.judge(0, [0, 1], "policy", Trit.NO)
        inspection.set_setting("isolation", "session")
        patch = exported(inspection, folder / "patch.jsonl")
        inspection.export_bundle(folder / "whole")
        memories = [one.effective() for one in inspection.memories]
        queries = [one.effective() for one in inspection.queries]
    out = folder / "new"
    apply_patch(patch, [source], out)
    # Every record is what it was with the edits over it, keys that we do not know included …
    found = formats.load([out])
    expected = []
    for fields in memories:
        names = {name: value for name, value in fields.items() if name != "meta"}
        # … except that an empty or null meta has no place in a file whose unknown keys stand at the top.
        if presence_of(fields.get("meta", ABSENT)).value == "value":
            names["meta"] = fields["meta"]
        expected.append(names)
    assert [
        {name: value for name, value in one.fields.items() if name != "meta" or value} for one in found.memories
    ] == expected
    assert [one.fields for one in found.queries] == queries
    assert found.settings.isolation == "session"
    # … and it is the same store as the one exported whole.
    assert exact(found) == exact(formats.load([folder / "whole"]))
    with pytest.raises(InputError, match="the patch is already in the source: all"):
        apply_patch(patch, [out], folder / "twice")
    assert not (folder / "twice").exists()


def lines(folder: Path, *edits: dict[str, Any]) -> Path:
    file = folder / "p.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in edits), encoding="utf-8")
    return file


def line(field: str, old: Any, new: Any, id: str = "m1", namespace: Any = "n") -> dict[str, Any]:
    found = {"op": "set", "uid": {"namespace": namespace, "id": id}, "field": field, "new": new}
    return found if old is ABSENT else {**found, "old": old}


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        (
            [line("status", "stale", "archived")],
            'p.jsonl:1: status: {store}/memories.jsonl:1 holds "active", and the patch expects "stale": the old value',
        ),
        ([line("status", ABSENT, "archived")], 'holds "active", and the patch expects no such key'),
        ([line("valid_to", ABSENT, "2026-01-01", "m2", ["t", "a"])], "holds null, and the patch expects no such key"),
        ([line("keys", {"a": 1}, {})], 'holds {{"a": "1"}}, and the patch expects {{"a": 1}}'),
        ([line("contradiction_count", True, 2, "m3", None)], "holds 1, and the patch expects true"),
        ([line("contradiction_count", 1.0, 2, "m3", None)], "holds 1, and the patch expects 1.0"),
        ([line("status", "active", "stale", "m9")], "memory n/m9 is not in the source"),
        ([{"op": "set", "query": "q9", "field": "risk", "new": 1}], "query q9 is not in the source"),
        ([line("status", "active", 3)], "p.jsonl:1: status: Expected `str"),
        ([line("id", "m1", "m7")], "p.jsonl:1: id: an id is never edited"),
        ([line("colour", ABSENT, "blue")], "p.jsonl:1: colour: is not a field that can be edited"),
        (
            [line("status", "active", "stale"), line("status", "active", "archived")],
            "p.jsonl:2: status: line 1 is about the same field",
        ),
        (
            [line("status", "active", "stale"), line("text", "one", "1"), line("text", "2", "3", "m3", None)],
            "p.jsonl:3: text: ",
        ),
        ([{"op": "set", "setting": "k", "field": "k", "new": 3}], "setting k is not in the source"),
        ([{"op": "set", "setting": "isolation", "field": "isolation", "new": "x"}], "isolation: 'x' is not known"),
        ([], "p.jsonl: holds no patch line"),
    ],
)
def test_what_does_not_fit_is_refused_whole(
    source: Path, tmp_path: Path, edits: list[dict[str, Any]], message: str
) -> None:
    before = {path.name: path.read_bytes() for path in source.iterdir()}
    with pytest.raises(InputError) as refused:
        apply_patch(lines(tmp_path, *edits), [source], tmp_path / "new")
    wanted = message.format(store=source) if "{" in message else message
    assert wanted.replace("Expected `str", "Expected ") in str(refused.value).replace("`str", "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.jsonl", "store"]
    assert {path.name: path.read_bytes() for path in source.iterdir()} == before


def test_a_patch_half_applied_says_how_far(source: Path, tmp_path: Path) -> None:
    patch = lines(tmp_path, line("status", "active", "stale"), line("text", "one", "1"), line("keys", {}, {"b": 2}))
    half = lines(tmp_path / "store", line("status", "active", "stale")).rename(tmp_path / "half.jsonl")
    apply_patch(half, [source], tmp_path / "new")
    with pytest.raises(InputError) as refused:
        apply_patch(patch, [tmp_path / "new"], tmp_path / "newer")
    assert "(2 of 3 lines do not fit, this is the first); 1 fields hold the new values already" in str(refused.value)


def test_two_memories_are_never_given_one_identity(source: Path, tmp_path: Path) -> None:
    with (source / "memories.jsonl").open("a", encoding="utf-8") as fp:
        fp.write('{"id": "m1", "text": "another", "namespace": "other"}\n')
    with pytest.raises(InputError, match=r"p.jsonl:1: namespace: another memory 'm1' is in that namespace"):
        apply_patch(lines(tmp_path, line("namespace", "n", "other")), [source], tmp_path / "new")
    swap = [line("namespace", "n", "other"), line("namespace", "other", "n", namespace="other")]
    apply_patch(lines(tmp_path, *swap), [source], tmp_path / "new")  # both at once: no clash
    assert [repr(one.uid) for one in formats.load([tmp_path / "new"]).memories][::3] == [
        "Uid(namespace='\"other\"', id='m1')",
        "Uid(namespace='\"n\"', id='m1')",
    ]


def test_the_source_is_never_written(source: Path, tmp_path: Path) -> None:
    patch = lines(tmp_path, line("status", "active", "stale"))
    for out, message in (
        (source, "lies in the source"),
        (source / "new.jsonl", "lies in the source"),
        (source / ".." / "store" / "deep" / "new", "lies in the source"),
        (patch, "is there already"),
        (tmp_path / "new.jsonl", "a file holds memories only"),
    ):
        with pytest.raises(InspectorError, match=message):
            apply_patch(patch, [source], out)
    link = tmp_path / "link"
    link.symlink_to(source)
    with pytest.raises(InspectorError, match="lies in the source"):
        apply_patch(patch, [source], link / "new")


def test_a_file_of_memories_gives_a_file(source: Path, tmp_path: Path) -> None:
    alone = source / "memories.jsonl"
    applied = apply_patch(lines(tmp_path, line("status", "active", "stale")), [alone], tmp_path / "new.jsonl")
    assert applied.words == f"1 edit applied: {tmp_path / 'new.jsonl'} holds 3 memories"
    first = json.loads((tmp_path / "new.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert first == {**SOURCE[0], "status": "stale"}
    patch = lines(tmp_path, {"op": "set", "query": "q1", "field": "risk", "new": 1})
    with pytest.raises(InputError, match="query q1 is not in the source"):
        apply_patch(patch, [alone], tmp_path / "newer.jsonl")


def test_lines_are_cut_at_line_feeds_alone(source: Path, tmp_path: Path) -> None:
    patch = tmp_path / "p.jsonl"
    patch.write_text(json.dumps(line("text", "one", "a\u2028b"), ensure_ascii=False) + "\r\n\r\n", encoding="utf-8")
    apply_patch(patch, [source], tmp_path / "new")
    assert formats.load([tmp_path / "new"]).memories[0].text == "a\u2028b"


def test_the_patch_writer_and_the_reader_agree(tmp_path: Path) -> None:
    fp = io.StringIO()
    assert to_jsonl(fp, [Effective(1, "setting", (), "isolation", "namespace", "session")]) == 1
    assert json.loads(fp.getvalue())["setting"] == "isolation"
