"""Field matches proposed for exports that no importer knows, and tables read through a mapping."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from inspector.errors import InputError
from inspector.formats import LoadOptions, load
from inspector.formats.propose import Proposal, mapping_toml, propose, sample
from tests.formats.importing import database, lines, write


def rows(count: int = 12) -> list[dict[str, Any]]:
    return [
        {
            "recordKey": f"r{i}",
            "body": f"Ana lives in Porto number {i}.",
            "meta": {"customerId": ["ana", "bo"][i % 2], "orgId": "acme"},
            "createdTs": 1767600000000 + i,
            "expires": "2026-12-31T00:00:00Z",
            "state": ["Activated", "odd"][i % 2],
            "vec": [0.1, 0.2, 0.3, 0.4],
            "flags": {"x": True},
            "note.of.mine": None,
        }
        for i in range(count)
    ]


def by_target(proposals: tuple[Proposal, ...]) -> dict[str, tuple[tuple[str, ...], str]]:
    return {one.target: (one.paths, one.confidence) for one in proposals}


def test_by_name_and_by_shape() -> None:
    proposals = propose(rows())
    assert [one.target for one in proposals][:3] == ["id", "text", "namespace"]
    assert by_target(proposals) == {
        "id": (("recordKey",), "likely"),
        "text": (("body",), "sure"),
        "namespace": (("meta.orgId", "meta.customerId"), "likely"),
        "embedding": (("vec",), "sure"),
        "status": (("state",), "sure"),
        "created_at": (("createdTs",), "likely"),
        "valid_to": (("expires",), "sure"),
    }
    found = {one.target: one for one in proposals}
    assert found["created_at"].unit == "ms"
    assert found["status"].values == {"Activated": "active"}
    assert "no label that we know: odd" in found["status"].why


def test_values_alone_are_a_guess() -> None:
    odd = [{"a": f"x{i}", "b": f"some words number {i}", "c": "2026-01-05T08:00:00Z", "d": [1.0] * 8} for i in range(5)]
    assert by_target(propose(odd)) == {
        "id": (("a",), "guess"),
        "text": (("b",), "guess"),
        "created_at": (("c",), "guess"),
        "embedding": (("d",), "guess"),
    }


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (["2026-01-05", "soon"], "likely"),  # half of the values fit
        (["soon", "late"], None),
        ([1767600000, 1767600000000], "guess"),  # two units
        ([3, 4], None),
    ],
)
def test_a_name_whose_values_do_not_fit(value: list[Any], expected: str | None) -> None:
    made = by_target(propose([{"id": str(i), "created_at": one} for i, one in enumerate(value)]))
    assert made.get("created_at", (None, None))[1] == expected


def test_from_a_document_to_the_first_load(tmp_path: Path) -> None:
    path = write(tmp_path / "u.json", {"status": "ok", "payload": {"rows": rows(), "page": {"n": 1}}})
    found = sample(path, limit=5)
    assert (found.records, len(found.rows)) == ("payload.rows", 5)
    mapping = tmp_path / "mapping.toml"
    mapping.write_text(mapping_toml(propose(found.rows), records=found.records, timezone="UTC"))
    bundle = load([path], LoadOptions(mapping=mapping))
    memory = bundle.memories[0]
    assert (memory.id, memory.text, memory.get("namespace")) == ("r0", "Ana lives in Porto number 0.", ["acme", "ana"])
    assert (memory.get("created_at"), memory.get("status")) == (1767600000, "active")
    assert bundle.settings.timezone == "UTC"


def test_samples_of_every_container(tmp_path: Path) -> None:
    assert len(sample(lines(tmp_path / "a", *rows())).rows) == 12
    assert len(sample(write(tmp_path / "b", rows())).rows) == 12
    (tmp_path / "c").write_text("key,body\nk1,some text\n")
    assert sample(tmp_path / "c").rows == ({"key": "k1", "body": "some text"},)
    assert sample(write(tmp_path / "d", {"key": "k1", "body": "one record alone"})).rows[0]["key"] == "k1"
    with pytest.raises(InputError, match="holds no records"):
        sample(write(tmp_path / "e", [1, 2]))


TABLES = """
CREATE TABLE notes (note_id INTEGER PRIMARY KEY, body TEXT, owner TEXT, extra TEXT, emb TEXT, tags TEXT, done INTEGER);
CREATE TABLE log (a TEXT);
INSERT INTO notes VALUES
  (1, 'Ana lives in Porto now.', 'ana', '{"state": "active", "k": 1}', '[0.5, 1]', '["a","b"]', 1),
  (2, 'Bo lives in Faro now.', NULL, 'not json', NULL, 'single', 0);
"""
MAPPING = """
[memories]
table = "notes"
[memories.fields]
id = "note_id"
text = "body"
namespace = "owner"
status = "extra.state"
embedding = "emb"
allowed_purposes = "tags"
verification_required = "done"
[memories.values.verification_required]
"1" = true
"0" = false
"""


def test_a_table_of_sqlite_through_a_mapping(tmp_path: Path) -> None:
    path = database(tmp_path / "my.db", TABLES)
    mapping = tmp_path / "mapping.toml"
    mapping.write_text(MAPPING)
    bundle = load([path], LoadOptions(mapping=mapping))
    first, second = bundle.memories
    assert first.fields == {
        "id": "1",
        "text": "Ana lives in Porto now.",
        "namespace": "ana",
        "status": "active",
        "embedding": [0.5, 1],
        "allowed_purposes": ["a", "b"],
        "verification_required": True,
        "meta": {"extra": '{"state": "active", "k": 1}'},
    }
    assert (second.get("namespace"), second.get("allowed_purposes")) == (None, ["single"])
    assert str(second.origin) == f"{path} (notes row 2)"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (('table = "notes"\n', ""), "memories.table: is missing: one of log, notes"),
        (('"notes"', '"nots"'), "memories.table: FILE has no table nots: one of log, notes"),
        (('table = "notes"', 'records = "x"'), "memories.records: FILE is a database: table"),
        (('table = "notes"', 'table = "notes"\nrecords = "x"'), "memories.records: stands beside table"),
    ],
)
def test_a_table_that_cannot_be_found(tmp_path: Path, change: tuple[str, str], expected: str) -> None:
    path = database(tmp_path / "my.db", TABLES)
    mapping = tmp_path / "mapping.toml"
    mapping.write_text(MAPPING.replace(*change))
    with pytest.raises(InputError) as caught:
        load([path], LoadOptions(mapping=mapping))
    assert expected.replace("FILE", str(path)) in str(caught.value)


def test_a_table_asked_of_a_file_without_tables(tmp_path: Path) -> None:
    path = lines(tmp_path / "m.jsonl", {"note_id": 1, "body": "x"})
    mapping = tmp_path / "mapping.toml"
    mapping.write_text(MAPPING)
    with pytest.raises(InputError, match=r"memories\.table: .*m\.jsonl is no database"):
        load([path], LoadOptions(mapping=mapping))


def test_samples_of_a_database(tmp_path: Path) -> None:
    path = database(tmp_path / "my.db", TABLES)
    found = sample(path)
    assert (found.table, found.tables, len(found.rows)) == ("notes", ("notes", "log"), 2)
    text = mapping_toml(propose(found.rows), table=found.table)
    assert tomllib.loads(text)["memories"]["table"] == "notes"
    mapping = tmp_path / "mapping.toml"
    mapping.write_text(text)
    assert len(load([path], LoadOptions(mapping=mapping)).memories) == 2
    with pytest.raises(InputError, match="there is no table nope: one of log, notes"):
        sample(path, table="nope")


def test_hostile_names_stay_in_their_line() -> None:
    """A stranger's key must not end a comment or a string of the mapping, and a brace must not open a hole."""
    odd = {
        'id\n[queries]\nx = "': "a",
        "text": "some words here",
        "{user_id}": "ana",
        "tenant_id\u2028": "acme",
        "memory\x00\\": "y",
    }
    proposals = propose([odd, {**odd, "text": "other words here"}])
    table = tomllib.loads(mapping_toml(proposals, records='x"]\n[queries]'))
    assert set(table) == {"memories"}
    assert table["memories"]["records"] == 'x"]\n[queries]'
    assert set(table["memories"]["fields"].values()) <= set(odd)


def test_the_comments_of_a_mapping_say_how_sure_it_is() -> None:
    text = mapping_toml(propose(rows()))
    assert '# sure: named body, and every value fits; 12 of 12 records have it\n"text" = "body"' in text
    assert json.loads(json.dumps(tomllib.loads(text)))["memories"]["units"] == {"created_at": "ms"}
