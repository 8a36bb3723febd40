"""Foreign fields through mapping.toml: what is made, what is kept, what is missing, and bad mappings named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.errors import InputError
from inspector.formats import LoadOptions, load

MAPPING = """
timezone = "Asia/Seoul"

[memories]
file = "points.json"
records = "result.points"

[memories.fields]
id = "point"
text = "payload.content"
created_at = "payload.made"
status = "payload.state"
allowed_purposes = "payload.uses"
"keys.user_id" = "payload.user"
verification_required = "flags.0"

[memories.constants]
source = "vector index"

[memories.templates]
namespace = ["acme", "{payload.tenant}", "user-{payload.user}"]

[memories.values.status]
1 = "active"
0 = "archived"

[memories.units]
created_at = "ms"

[memories.split]
allowed_purposes = ";"

[queries]
file = "asked.csv"

[queries.fields]
id = "no"
text = "question"
as_of = "when"
required = "needs"
"principal.id" = "who"

[queries.templates]
"principal.namespaces" = ["acme", "{tenant}", "user-{who}"]
"""

POINTS = {
    "result": {
        "took": 3,
        "points": [
            {
                "point": 17,
                "flags": [True],
                "payload": {
                    "content": "x",
                    "made": 1767225600500,
                    "state": 1,
                    "uses": "booking; support",
                    "user": 7,
                    "tenant": "north",
                    "colour": "blue",
                },
                "status": "not ours",
            },
            {"point": "b", "payload": {"content": "y", "state": "gone", "user": 8, "tenant": None}},
        ],
    }
}


def write(tmp_path: Path, mapping: str = MAPPING, points: Any = POINTS) -> Path:
    folder = tmp_path / "store"
    folder.mkdir(exist_ok=True)
    (folder / "mapping.toml").write_text(mapping)
    (folder / "points.json").write_text(json.dumps(points, indent=1))
    (folder / "asked.csv").write_text(
        "no,question,when,needs,who,tenant,note\n1,Where?,2026-01-02T00:00,17,7,north,hm\n"
    )
    return folder


def test_a_mapped_bundle(tmp_path: Path) -> None:
    folder = write(tmp_path)
    bundle = load([folder])
    assert bundle.memories[0].fields == {
        "id": "17",
        "text": "x",
        "created_at": 1767225600.5,
        "status": "active",
        "allowed_purposes": ["booking", "support"],
        "keys": {"user_id": 7},
        "verification_required": True,
        "source": "vector index",
        "namespace": ["acme", "north", "user-7"],
        "meta": {"payload": {"colour": "blue"}, "flags": [True], "status": "not ours"},
    }
    # the second has no tenant: no namespace is made of a part that is missing, and the loss says why
    assert bundle.memories[1].fields == {
        "id": "b",
        "text": "y",
        "status": "gone",
        "keys": {"user_id": 8},
        "source": "vector index",
        "loss": ["namespace: payload.tenant is missing in the source"],
    }
    assert bundle.queries[0].fields == {
        "id": "1",
        "text": "Where?",
        "as_of": "2026-01-02T00:00",
        "required": ["17"],
        "principal": {"id": "7", "namespaces": [["acme", "north", "user-7"]]},
        "meta": {"note": "hm"},
    }
    assert bundle.settings.timezone == "Asia/Seoul"


def test_the_account(tmp_path: Path) -> None:
    account = load([write(tmp_path)]).account
    assert account.mapped["payload.content"] == "text"
    assert account.mapped["payload.user"] == "keys.user_id"
    assert account.mapped['template ["acme", "{payload.tenant}", "user-{payload.user}"]'] == "namespace"
    assert account.mapped["constant 'vector index'"] == "source"
    assert account.mapped["needs"] == "query.required"
    assert account.kept == {"flags": 1, "note": 1, "payload": 1, "status": 1}
    assert account.missing == (
        "session_id",
        "semantic_tag",
        "boundary_state",
        "valid_from",
        "valid_to",
        "superseded_by",
        "deleted_at",
        "query.session_id",
        "query.semantic_tag",
        "query.purpose",
        "query.intent",
    )


def test_a_path_that_no_record_has_is_said(tmp_path: Path) -> None:
    folder = write(tmp_path, MAPPING.replace('"payload.state"', '"payload.stat"'))
    assert load([folder]).notes == [
        f"{folder}/mapping.toml: memories.fields.status: no record of {folder}/points.json has payload.stat"
    ]


def test_a_single_file_with_a_mapping_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_text('{"u": "1", "body": "x", "a.b": "ana"}\n{"u": "1", "body": "x", "a.b": "ana"}\n')
    mapping = tmp_path / "m.toml"
    mapping.write_text('[memories.fields]\nid = "u"\ntext = "body"\nnamespace = "a\\\\.b"\n')
    bundle = load([path], LoadOptions(mapping=mapping))
    assert bundle.format == "mapped"
    assert [memory.fields for memory in bundle.memories] == [{"id": "1", "text": "x", "namespace": "ana"}]
    assert bundle.repeated == 1


def test_two_lists_of_one_document(tmp_path: Path) -> None:
    path = tmp_path / "all.json"
    path.write_text('{"notes": [{"k": 1, "v": "x"}],\n "asked": [{"k": 2, "v": "?"}]}')
    mapping = tmp_path / "m.toml"
    fields = 'fields = {id = "k", text = "v"}\n'
    mapping.write_text(f'[memories]\nrecords = "notes"\n{fields}[queries]\nrecords = "asked"\n{fields}')
    bundle = load([path], LoadOptions(mapping=mapping))
    assert [memory.fields for memory in bundle.memories] == [{"id": "1", "text": "x"}]
    assert [(query.fields, query.origin.line) for query in bundle.queries] == [({"id": "2", "text": "?"}, 2)]


def test_judgments_through_a_mapping(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    folder.mkdir()
    (folder / "memories.jsonl").write_text('{"id": "a", "text": "x"}\n')
    (folder / "judgments.csv").write_text("q,m,verdict\nq1,a,yes\nq1,a,unsure\n")
    (folder / "mapping.toml").write_text(
        '[judgments.fields]\nquery_id = "q"\nmemory_id = "m"\nvalue = "verdict"\n'
        '[judgments.constants]\naxis = "policy"\nsource = "raters"\n'
        '[judgments.values.value]\nyes = 1\nunsure = "?"\n'
    )
    bundle = load([folder])
    assert [(one.axis, one.value.json, one.source) for one in bundle.judgments] == [
        ("policy", 1, "raters"),
        ("policy", "?", "raters"),
    ]


def test_csv_cells_through_a_mapping(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('k,v,uses,more\n1,x,"[""p"", ""q""]",\n2,y,p,z\n')
    mapping = tmp_path / "m.toml"
    mapping.write_text('[memories.fields]\nid = "k"\ntext = "v"\nallowed_purposes = "uses"\nsession_id = "more"\n')
    bundle = load([path], LoadOptions(mapping=mapping))
    assert [memory.fields for memory in bundle.memories] == [
        {"id": "1", "text": "x", "allowed_purposes": ["p", "q"]},
        {"id": "2", "text": "y", "allowed_purposes": ["p"], "session_id": "z"},
    ]


def test_a_bad_value_is_named_at_its_record(tmp_path: Path) -> None:
    folder = write(tmp_path, MAPPING.replace('created_at = "ms"', 'created_at = "ns"').replace("1 = ", "2 = "))
    points = json.loads(json.dumps(POINTS))
    points["result"]["points"][1]["payload"]["state"] = []
    (folder / "points.json").write_text(json.dumps(points, indent=1))
    # indented by one: the braces and "took" take 3 lines, "points": [ the 4th, the first point lines 5 to 20
    with pytest.raises(InputError, match=r"points\.json:21: status: Expected str \| null, got array: a text$"):
        load([folder])


HEAD = '[memories.fields]\nid = "k"\ntext = "v"\n'
BAD = {
    "unknown section": (
        "[memory]\nx = 1",
        "memory: unknown key; did you mean 'memories'?: one of timezone, memories, ",
    ),
    "unknown key": (HEAD + "[memories.field]\n", "memories.field: unknown key; did you mean 'fields'?: one of file, "),
    "nothing": ('timezone = "UTC"', "maps nothing: a section [memories], [queries] or [judgments]"),
    "unknown field": (
        HEAD + 'statsu = "x"',
        "memories.fields.statsu: no such field; did you mean 'status'?: a field of",
    ),
    "path": (HEAD + "status = 3", "memories.fields.status: 3 is not a text: a source path"),
    "no text": ('[memories.fields]\nid = "k"', "memories.fields.text: is missing: the source path of this field"),
    "inner key": (HEAD + '"status.x" = "s"', "memories.fields.status.x: status is not an object: status alone"),
    "zone": ('timezone = "Moon"\n' + HEAD, "timezone: 'Moon' is not a time zone: a name such as Asia/Seoul or UTC"),
    "constant": (
        HEAD + "[memories.constants]\nverification_required = 1",
        "memories.constants.verification_required: Expected bool | null, got int: true or false",
    ),
    "twice": (
        HEAD + '[memories.constants]\ntext = "x"',
        "memories.constants.text: stands in fields too: one source for one field",
    ),
    "brace": (
        HEAD + '[memories.templates]\nnamespace = "a/{b"',
        "memories.templates.namespace: a brace is not closed: {source path}; {{ and }} for braces themselves",
    ),
    "unit": (
        HEAD + 'created_at = "t"\n[memories.units]\ncreated_at = "min"',
        "memories.units.created_at: 'min' is no unit",
    ),
    "unit of a word": (
        HEAD + 'status = "t"\n[memories.units]\nstatus = "ms"',
        "memories.units.status: is not a time: ",
    ),
    "values of nothing": (
        HEAD + "[memories.values.status]\na = 1",
        "memories.values.status: there is no memories.fields.status: a field that is mapped",
    ),
    "no file": ('[memories]\nfile = "no.json"\nfields = {id = "k", text = "v"}', "memories.file: there is no "),
    "records": (
        '[memories]\nfile = "points.json"\nrecords = "points"\nfields = {id = "k", text = "v"}',
        "memories.records: ",
    ),
    "records is no list": (
        '[memories]\nfile = "points.json"\nrecords = "result"\nfields = {id = "k", text = "v"}',
        "memories.records: result of ",
    ),
    "object without records": (
        '[memories]\nfile = "points.json"\nfields = {id = "k", text = "v"}',
        "memories.records: ",
    ),
    "records of a table": (
        '[memories]\nfile = "asked.csv"\nrecords = "x"\nfields = {id = "k", text = "v"}',
        "memories.records: ",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_mapping_is_named_with_file_and_key(tmp_path: Path, name: str) -> None:
    mapping, expected = BAD[name]
    folder = write(tmp_path, mapping)
    if "file =" not in mapping:
        (folder / "memories.jsonl").write_text('{"k": "a", "v": "x"}\n')
    with pytest.raises(InputError) as caught:
        load([folder])
    assert str(caught.value).startswith(f"{folder}/mapping.toml: {expected}")


def test_mapped_without_a_mapping(tmp_path: Path) -> None:
    path = tmp_path / "m"
    path.write_text('{"k": 1}\n')
    with pytest.raises(
        InputError,
        match=r"m: no mapping was given: --mapping FILE; `inspector map .*m --out mapping\.toml` proposes one$",
    ):
        load([path], LoadOptions(as_format="mapped"))
