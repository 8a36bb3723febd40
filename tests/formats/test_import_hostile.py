"""Every importer: its example loads, a cut file is named, hostile content never crashes, sources stay as they are."""

from __future__ import annotations

import contextlib
import copy
import io
import itertools
import json
import math
import random
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from inspector.errors import InputError, InspectorError, Unrecognised
from inspector.formats import FORMATS, LoadOptions, fingerprint, load
from inspector.formats.canonical import settings_toml, write_bundle, write_memories, write_queries
from inspector.formats.importers import BY_NAME, IMPORTERS
from inspector.formats.outline import outline
from inspector.formats.propose import sample
from tests.formats.importing import database, example, imported

NAMES = [one.format.name for one in IMPORTERS]
DATABASES = [one.format.name for one in IMPORTERS if one.format.example.startswith("CREATE TABLE")]
JSON = [name for name in NAMES if next(one.example for one in FORMATS if one.name == name)[0] in "[{"]


@pytest.mark.parametrize("name", NAMES)
def test_every_example_is_recognised_and_loads(tmp_path: Path, name: str) -> None:
    bundle = imported(example(name, tmp_path))
    assert bundle.format == name
    assert len(bundle.memories) == 1
    assert "Ana" in bundle.memories[0].text
    # the cause of every ? that the format leads to is named
    assert bundle.memories[0].value("loss")
    assert bundle.account.mapped or name.endswith("memory")


@pytest.mark.parametrize("name", NAMES)
def test_what_an_importer_says_of_itself(name: str) -> None:
    shown = BY_NAME[name].format
    assert shown.scope
    assert shown.recognised_by
    assert shown.loss


@pytest.mark.parametrize("name", NAMES)
def test_named_by_hand_and_named_wrongly(tmp_path: Path, name: str) -> None:
    path = example(name, tmp_path)
    assert imported(path, as_format=name).format == name
    other = tmp_path / "other"
    other.write_text('{"id": "m", "text": "canonical"}\n')
    with pytest.raises(InputError, match=f"is not {name} data"):
        imported(other, as_format=name)


@pytest.mark.parametrize("name", JSON)
@pytest.mark.parametrize("share", [0.4, 0.75, 0.97])
def test_a_cut_document_is_named(tmp_path: Path, name: str, share: float) -> None:
    path = example(name, tmp_path)
    text = path.read_text()
    path.write_text(text[: int(len(text) * share)])
    with pytest.raises(InputError) as caught:
        imported(path, as_format=name)
    assert str(caught.value).startswith(str(path))
    with pytest.raises(InputError):
        imported(path)


@pytest.mark.parametrize("name", NAMES)
def test_export_and_import_again(tmp_path: Path, name: str) -> None:
    (tmp_path / "in").mkdir()
    first = imported(example(name, tmp_path / "in"))
    write_bundle(first, tmp_path / "out")
    second = imported(tmp_path / "out")
    assert [memory.fields for memory in second.memories] == [memory.fields for memory in first.memories]
    assert second.settings.aliases == first.settings.aliases
    assert second.settings.policy == first.settings.policy


@pytest.mark.parametrize("name", NAMES)
def test_the_source_is_left_alone_and_its_fingerprint_follows_it(tmp_path: Path, name: str) -> None:
    path = example(name, tmp_path)
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    before = {file: file.read_bytes() for file in files}
    first = fingerprint([path])
    load([path])
    load([path])
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == before
    assert fingerprint([path]) == first
    files[0].write_bytes(before[files[0]] + b" ")
    assert fingerprint([path]) != first


ODD: list[Any] = [
    None,
    True,
    -1,
    2**70,
    1e308,
    float("nan"),
    "",
    "\x1b[2J\u202e",
    "\udc80",
    "x" * 300,
    "2026-13-45T99:99",
    [],
    {},
    [None],
    [[[]]],
    {"a": {"b": None}},
    "{",
    "[1",
]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value, the outermost left out."""
    found = [path] if path else []
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in steps:
        found += places(inner, (*path, key))
    return found


def changed(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    made = copy.deepcopy(value)
    node = made
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = odd
    return made


@pytest.mark.parametrize("name", JSON)
def test_no_value_anywhere_crashes_an_importer(tmp_path: Path, name: str) -> None:
    """Each place of the example with each odd value: it loads, or an error of ours says what is wrong."""
    value = json.loads(next(one.example for one in FORMATS if one.name == name))
    path = tmp_path / "m"
    for place, odd in itertools.product(places(value), ODD):
        path.write_text(json.dumps(changed(value, place, odd)))
        for lenient in (False, True):
            try:
                bundle = load([path], LoadOptions(as_format=name, lenient=lenient))
            except InspectorError as error:
                str(error).encode()
                continue
            written = io.StringIO()
            write_memories(bundle.memories, written)
            write_queries(bundle.queries, written)
            (written.getvalue() + settings_toml(bundle.settings) + "".join(bundle.notes)).encode()


@pytest.mark.parametrize("name", JSON)
def test_marks_and_line_ends_of_other_systems(tmp_path: Path, name: str) -> None:
    """A byte order mark, and lines that end as Windows ends them, change nothing."""
    path = example(name, tmp_path)
    expected = [memory.fields for memory in imported(path).memories]
    document = json.dumps(json.loads(path.read_text()), indent=1)
    path.write_bytes(b"\xef\xbb\xbf" + document.replace("\n", "\r\n").encode())
    assert [memory.fields for memory in imported(path).memories] == expected


@pytest.mark.parametrize("name", DATABASES)
def test_no_cell_of_a_database_crashes_an_importer(tmp_path: Path, name: str) -> None:
    """Every cell of the example's rows with odd content of every type, and every column missing."""
    original = example(name, tmp_path).read_bytes()
    path = tmp_path / "changed.db"
    with contextlib.closing(sqlite3.connect(tmp_path / "example")) as connection:
        columns = connection.execute(
            "SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table'"
        ).fetchall()
    cells = [None, b"\xff\xfe", -1, math.inf, 2**62, "[", '{"a": 1}', "2026-13-01"]
    changes: list[tuple[str, tuple[Any, ...]]] = [
        (f"UPDATE {table} SET {column} = ?", (cell,)) for table, column in columns for cell in cells
    ]
    changes += [(f"ALTER TABLE {table} DROP COLUMN {column}", ()) for table, column in columns]
    changes += [(f"DELETE FROM {table}", ()) for table in {table for table, _ in columns}]
    for statement, values in changes:
        path.write_bytes(original)
        with contextlib.closing(sqlite3.connect(path)) as connection, contextlib.suppress(sqlite3.Error):
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute(statement, values)
            connection.commit()
        for lenient in (False, True):
            with contextlib.suppress(InspectorError):
                load([path], LoadOptions(lenient=lenient))


@pytest.mark.parametrize("name", DATABASES)
def test_no_byte_of_a_database_crashes_an_importer(tmp_path: Path, name: str) -> None:
    """A broken schema is quoted by SQLite in bytes that are no text, and columns are named by them."""
    original = example(name, tmp_path).read_bytes()
    path, chance = tmp_path / "broken.db", random.Random(8)
    schema = original.index(b"CREATE TABLE") - 200
    for _ in range(150):
        broken = bytearray(original)
        for _ in range(chance.choice((1, 3, 20))):
            broken[chance.randrange(schema, 4096)] = chance.randrange(256)
        path.write_bytes(broken)
        with contextlib.suppress(InspectorError):
            load([path])


@pytest.mark.parametrize("name", DATABASES)
def test_a_cut_database_is_called_broken(tmp_path: Path, name: str) -> None:
    path = example(name, tmp_path)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(InputError, match="broken SQLite file"):
        imported(path)


def test_a_database_of_no_known_kind_goes_to_the_mapping_assistant(tmp_path: Path) -> None:
    path = database(tmp_path / "own.db", "CREATE TABLE a_wide (a, b, c, d); CREATE TABLE notes (n, body, owner);")
    with pytest.raises(Unrecognised) as caught:
        imported(path)
    assert str(caught.value).startswith(f"{path}: is an SQLite database of no known kind (its tables: a_wide, notes): ")
    assert f"`inspector map {path} --out mapping.toml` proposes a mapping" in str(caught.value)
    spaced = tmp_path / "own store.json"
    spaced.write_text('{"uuid": 1, "body": "x"}')
    with pytest.raises(Unrecognised, match=rf"`inspector map '{spaced}' --out"):  # as a shell reads it
        imported(spaced)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO notes VALUES ('1', 'Ana lives in Porto.', 'ana')")
        connection.commit()
    assert sample(path).table == "notes"  # the widest table holds no row
    empty = database(tmp_path / "empty.db", "CREATE TABLE x (a); DROP TABLE x;")
    with pytest.raises(InputError, match=r"has no tables: a table of memories"):
        imported(empty)


EMPTY: dict[str, Any] = {
    "results": {"results": []},
    "results, relations": {"count": 0, "next": None, "results": [], "relations": []},
    "result.points": {"result": {"points": [], "next_page_offset": None}, "status": "ok"},
    "ids, documents, metadatas, distances": {
        "ids": [[]],
        "documents": [[]],
        "metadatas": [[]],
        "distances": [[]],
        "embeddings": None,
    },
    "facts": {"facts": []},
}


@pytest.mark.parametrize("lists", EMPTY)
def test_a_store_that_found_nothing_is_not_called_unknown(tmp_path: Path, lists: str) -> None:
    path = tmp_path / "m"
    path.write_text(json.dumps(EMPTY[lists]))
    with pytest.raises(InputError) as caught:
        imported(path)
    assert str(caught.value) == f"{path}: the file holds no records: {lists} is empty: at least one record"
    path.write_text(json.dumps({**EMPTY[lists], "rows": [{"n": 1}]}))
    with pytest.raises(Unrecognised):
        imported(path)


def test_nothing_of_ours_is_taken_for_anothers(tmp_path: Path) -> None:
    """Canonical records with the fields that importers look for stay canonical."""
    record = {
        "id": "m1",
        "text": "x",
        "namespace": "n",
        "memory": "a key of someone's own",
        "payload": {},
        "fact": "f",
        "source_node_uuid": "s",
        "key": "k",
        "value": 1,
    }
    path = tmp_path / "m.jsonl"
    path.write_text(json.dumps(record) + "\n")
    bundle = imported(path)
    assert (bundle.format, bundle.memories[0].text) == ("jsonl", "x")
    query = {"id": "q1", "text": "?", "principal": {"id": "a"}, "ids": ["a"]}
    path.write_text(json.dumps({"memories": [record], "queries": [query]}))
    assert imported(path).format == "json"
    folder = tmp_path / "bundle"
    folder.mkdir()
    (folder / "memories.jsonl").write_text(json.dumps(record) + "\n")
    (folder / "MEMORY.md").write_text("notes of the bundle's author")
    assert imported(folder).format == "bundle"


def test_deep_nesting_is_refused_and_its_paths_are_not_kept(tmp_path: Path) -> None:
    deep = tmp_path / "deep.json"
    deep.write_text('{"a":[' * 20_000, encoding="utf-8")
    assert max(len(path) for path in outline(deep).keys) <= 8
    with pytest.raises(InputError):
        load([deep])
