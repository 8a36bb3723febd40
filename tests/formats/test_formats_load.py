"""Reading every container, recognising it by content, presence, repeats, settings, overrides, progress."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.errors import Cancelled, FieldError, InputError
from inspector.formats import FORMATS, LoadOptions, fingerprint, load
from inspector.formats.collect import checked
from inspector.formats.sniff import sniff
from inspector.records import ABSENT, MEMORY_FIELDS, QUERY_FIELDS, Presence, Progress, check_field, presence_of
from inspector.trit import Trit

MEMORIES: list[dict[str, Any]] = [
    {"id": "a", "text": "x", "namespace": "ana", "created_at": "2026-01-01T00:00:00Z"},
    {"id": "b", "text": "y", "namespace": ["acme", "ana"], "allowed_purposes": ["booking"]},
]
QUERY: dict[str, Any] = {"id": "q", "text": "?", "principal": {"id": "ana", "namespaces": ["ana"]}}


def jsonl(*rows: dict[str, Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def bundle_folder(tmp_path: Path, **files: str) -> Path:
    folder = tmp_path / "store"
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_text(content, encoding="utf-8")
    return folder


# Containers, recognised whatever the name


def test_json_lines_under_any_name(tmp_path: Path) -> None:
    path = tmp_path / "export.csv"
    path.write_text("\ufeff" + jsonl(*MEMORIES), encoding="utf-8")
    bundle = load([path])
    assert (bundle.format, bundle.name) == ("jsonl", "export.csv")
    assert [memory.fields for memory in bundle.memories] == MEMORIES
    assert [str(memory.origin) for memory in bundle.memories] == [f"{path}:1", f"{path}:2"]
    assert [tuple(memory.uid) for memory in bundle.memories] == [('"ana"', "a"), ('["acme","ana"]', "b")]


def test_json_array_gives_the_line_of_each_element(tmp_path: Path) -> None:
    path = tmp_path / "m"
    path.write_text(json.dumps(MEMORIES, indent=1))
    bundle = load([path])
    assert bundle.format == "json"
    assert [memory.fields for memory in bundle.memories] == MEMORIES
    # "[" is line 1, the first object starts on line 2 and takes 6 lines (braces and four keys)
    assert [memory.origin.line for memory in bundle.memories] == [2, 8]


@pytest.mark.parametrize("indent", [None, 2])
def test_json_object_with_parts(tmp_path: Path, indent: int | None) -> None:
    judgment = {"query_id": "q", "memory_id": "a", "axis": "policy", "value": "?"}
    document = {"version": 3, "judgments": [judgment], "queries": [QUERY], "memories": MEMORIES}
    path = tmp_path / "m"
    path.write_text(json.dumps(document, indent=indent))
    bundle = load([path])
    assert bundle.format == "json"
    assert [memory.fields for memory in bundle.memories] == MEMORIES
    assert bundle.queries[0].fields == QUERY
    assert bundle.judgments[0].value is Trit.UNKNOWN
    assert bundle.judgments[0].namespace is ABSENT


def test_csv_cells_become_the_fields_types(tmp_path: Path) -> None:
    path = tmp_path / "m"
    path.write_text(
        "id;text;namespace;created_at;verification_required;contradiction_count;allowed_purposes;governs;colour;status\n"
        '7;"two\nlines";["acme", "ana"];1767225600;TRUE;2;["p"];{"any_terms": []};01;\n'
        "8;x;acme;20260101;false;;[];;;active\n"
    )
    bundle = load([path])
    first, second = (memory.fields for memory in bundle.memories)
    assert first == {
        "id": "7",
        "text": "two\nlines",
        "namespace": ["acme", "ana"],
        "created_at": 1767225600,
        "verification_required": True,
        "contradiction_count": 2,
        "allowed_purposes": ["p"],
        "governs": {"any_terms": []},
        "meta": {"colour": "01"},
    }
    assert second["created_at"] == "20260101"  # eight digits are a date, not seconds
    assert presence_of(second["allowed_purposes"]) is Presence.EMPTY
    assert second["verification_required"] is False
    assert [memory.origin.line for memory in bundle.memories] == [2, 4]


def test_parquet_keeps_types_and_null(tmp_path: Path) -> None:
    path = tmp_path / "odd [name]*.parquet"
    safe = tmp_path / "safe.parquet"
    duckdb.execute(
        "COPY (SELECT * FROM (VALUES "
        "('a', 'x', NULL, ['p', 'q'], TIMESTAMPTZ '2026-01-01 09:00:00+09', {'user_id': 'u', 'n': 3}, "
        "[1.0, 'nan'::DOUBLE], DATE '2026-01-02', 'blue', 2.50::DECIMAL(5,2)), "
        "('b', 'y', 'ana', [], NULL, NULL, NULL, NULL, NULL, NULL)) "
        f"t(id, text, namespace, allowed_purposes, created_at, keys, embedding, valid_from, colour, priority)) "
        f"TO '{safe}'"
    )
    safe.rename(path)
    (tmp_path / "odd n.parquet").write_bytes(b"not this one")
    bundle = load([path])
    first, second = (memory.fields for memory in bundle.memories)
    assert bundle.format == "parquet"
    assert first["created_at"] == "2026-01-01T00:00:00+00:00"
    assert first["valid_from"] == "2026-01-02"
    assert first["keys"] == {"user_id": "u", "n": 3}
    assert first["embedding"][0] == 1.0
    assert first["embedding"][1] != first["embedding"][1]
    assert first["priority"] == 2.5
    assert first["meta"] == {"colour": "blue"}
    assert presence_of(first["namespace"]) is Presence.NULL
    assert presence_of(second["allowed_purposes"]) is Presence.EMPTY
    assert str(bundle.memories[1].origin) == f"{path} (row 2)"


@pytest.mark.parametrize("column", ["n", "file_row_number"])
def test_parquet_of_several_row_groups(tmp_path: Path, column: str) -> None:
    path = tmp_path / "m"
    duckdb.execute(
        f"COPY (SELECT i::VARCHAR AS id, 'x' AS text, i AS {column} FROM range(5000) t(i)) "
        f"TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 2048)"
    )
    memories = load([path]).memories
    assert [memory.get("meta") for memory in memories] == [{column: i} for i in range(5000)]
    assert str(memories[4999].origin) == f"{path} (row 5000)"


def test_parquet_error_names_the_row(tmp_path: Path) -> None:
    path = tmp_path / "m"
    duckdb.execute(f"COPY (SELECT 'a' AS id, 'x' AS text, 'soon' AS created_at) TO '{path}' (FORMAT parquet)")
    with pytest.raises(InputError, match=r"m \(row 1\): created_at: 'soon' is not a time: "):
        load([path])


def test_parquet_does_not_depend_on_the_time_zone(tmp_path: Path) -> None:
    path = tmp_path / "m"
    duckdb.execute(
        "COPY (SELECT 'a' AS id, 'x' AS text, TIMESTAMPTZ '2026-01-01 00:00:00+00' AS created_at) "
        f"TO '{path}' (FORMAT parquet)"
    )
    code = (
        "from pathlib import Path; from inspector.formats import load; "
        f"print(load([Path({str(path)!r})]).memories[0].fields)"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "TZ": zone}, check=True, capture_output=True, text=True
        ).stdout
        for zone in ("Pacific/Kiritimati", "Pacific/Niue")
    }
    assert said == {"{'id': 'a', 'text': 'x', 'created_at': '2026-01-01T00:00:00+00:00'}\n"}


@pytest.mark.parametrize(
    ("content", "container", "kind"),
    [
        ('{"id": "a", "text": "x"}', "jsonl", "memories"),
        ('{"text": "' + "y" * 100_000 + '", "id": "a"}', "jsonl", "memories"),
        ('{"id": "a", "text": \n{"id": "b", "text": "x"}', "jsonl", "memories"),
        ('{\n"memories": [\n{"id": "a"', "json", "memories"),
        ('{"memories": [' + '{"id": "a", "text": "x"}, ' * 5000, "json", "memories"),
        ('[\n{"id": "a", "text": "x", "in": {"turns": 1}}]', "json", "memories"),
        ('{"id": "q", "text": "x", "principal": {}}', "jsonl", "queries"),
        ('{"id": "q", "text": "x", "principal": {}, "status": "active"}', "jsonl", "memories"),
        ('{"query_id": "q", "memory_id": "m", "axis": "scope", "value": 1}', "jsonl", "judgments"),
        ('{"schema": 1, "scenarios": []}', "json", "authority-packet"),
        ('{"episode_id": "e", "entities": {}, "turns": []}', "jsonl", "gatemem"),
        ('{"a": "\\"scenarios\\": {", "b": [1', "jsonl", "unknown"),
        ("id\ttext\nb\tx", "csv", "memories"),
    ],
)
def test_sniffing(tmp_path: Path, content: str, container: str, kind: str) -> None:
    path = tmp_path / "f"
    path.write_text(content)
    shape = sniff(path)
    assert (shape.container, shape.kind) == (container, kind)


def test_as_format_overrides(tmp_path: Path) -> None:
    path = tmp_path / "m"
    path.write_text(json.dumps({"scenarios": [], "memories": MEMORIES}))
    with pytest.raises(InputError, match="holds no memories"):
        load([path])
    assert len(load([path], LoadOptions(as_format="json")).memories) == 2


def test_one_record_with_the_key_of_a_document_is_a_record(tmp_path: Path) -> None:
    path = tmp_path / "m"
    path.write_text('{"memories": "of a song", "id": "a", "text": "x"}')
    assert load([path]).memories[0].fields["meta"] == {"memories": "of a song"}


# Records


def test_absent_null_empty_and_value_stay_apart(tmp_path: Path) -> None:
    path = tmp_path / "m"
    rows: list[dict[str, Any]] = [
        {"id": "1", "text": ""},
        *({"id": str(i), "text": "x", "status": v} for i, v in ((2, None), (3, ""), (4, "?"))),
    ]
    path.write_text(jsonl(*rows))
    found = [presence_of(memory.get("status")) for memory in load([path]).memories]
    assert found == [Presence.ABSENT, Presence.NULL, Presence.EMPTY, Presence.VALUE]


def test_unknown_keys_go_to_meta_beside_the_sources_own(tmp_path: Path) -> None:
    path = tmp_path / "m"
    row = {"id": "a", "text": "x", "as_of": 1, "same": 2, "other": 3, "meta": {"same": 2, "other": 4, "status": "old"}}
    path.write_text(jsonl(row))
    bundle = load([path])
    # `as_of` is a field of queries, unknown here; `same` agrees; `other` does not, so both are kept
    assert bundle.memories[0].fields["meta"] == {"same": 2, "other": 4, "status": "old", "as_of": 1, "field.other": 3}
    assert bundle.account.kept == {"as_of": 1, "field.other": 1, "other": 1, "same": 1, "status": 1}
    assert bundle.account.mapped == {"id": "id", "text": "text"}
    assert "status" in bundle.account.missing


def test_repeats_are_counted_and_one_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "m"
    nan = '{"id": "n", "text": "x", "embedding": [NaN, 1.0]}\n'
    judgment = '{"query_id": "q", "memory_id": "a", "axis": "scope", "value": 1, "source": "s"}\n'
    path.write_text(jsonl(*MEMORIES, MEMORIES[0]) + nan + nan)
    (tmp_path / "q").write_text(jsonl(QUERY, QUERY))
    (tmp_path / "j").write_text(judgment * 2 + judgment.replace("1", "0"))
    bundle = load([path, path], LoadOptions(queries=tmp_path / "q", judgments=tmp_path / "j"))
    assert (len(bundle.memories), len(bundle.queries), len(bundle.judgments)) == (3, 1, 2)  # disagreement is kept
    assert bundle.repeated == 4


def test_same_id_in_another_namespace_is_another_memory(tmp_path: Path) -> None:
    path = tmp_path / "m"
    path.write_text(jsonl(*({"id": "a", "text": name, "namespace": name} for name in ("ana", "bo"))))
    assert len(load([path]).memories) == 2


@given(
    st.sampled_from([*MEMORY_FIELDS.values(), *QUERY_FIELDS.values()]),
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**40), 2**40),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(max_size=5),
        st.sampled_from(["2026-01-01", "current", "history", "active"]),
        st.lists(st.one_of(st.text(max_size=3), st.none(), st.integers(0, 9)), max_size=2),
        st.dictionaries(st.sampled_from(["id", "namespaces", "roles", "x"]), st.text(max_size=3), max_size=2),
    ),
)
def test_the_short_way_of_checking_agrees_with_check_field(spec: Any, value: Any) -> None:
    try:
        check_field(spec, value)
        expected = True
    except FieldError:
        expected = False
    try:
        assert checked(spec, value, None) == value
        assert expected
    except FieldError:
        assert not expected


# Settings


def test_settings_are_read(tmp_path: Path) -> None:
    folder = bundle_folder(
        tmp_path,
        memories__jsonl=jsonl(*MEMORIES),
        policy__toml='default = "allow"\n',
        bundle__toml=(
            'exported_at = 2026-03-01T09:00:00\ntimezone = "Asia/Seoul"\nisolation = "namespace+session"\n'
            'shared_namespaces = ["public", ["acme", "wiki"]]\naliases = [["ana", "user-7"]]\n'
            'route = "namespace_dense"\n'
            'unknown_intent = "strict"\nlexical_text = "metadata"\ntokenizer = "packet"\n'
            '[assumptions]\nstatus = "current"\npolicy = "allow"\nquery.intent = "history"\n'
        ),
    )
    settings = load([folder], LoadOptions(assume={"status": "stale", "verification_required": "true"})).settings
    assert settings.exported_at is not None
    assert settings.exported_at.iso() == "2026-03-01T00:00:00Z"  # nine in the morning in Seoul
    assert settings.default_as_of == settings.exported_at
    assert settings.shared_namespaces == ("public", ["acme", "wiki"])
    assert settings.aliases == (("ana", "user-7"),)
    assert (settings.isolation, settings.route, settings.unknown_intent) == (
        "namespace+session",
        "namespace_dense",
        "strict",
    )
    assert (settings.lexical_text, settings.tokenizer) == ("metadata", "packet")
    assert settings.assumptions == {
        "status": "stale",
        "policy": "allow",
        "query.intent": "history",
        "verification_required": True,
    }
    assert settings.policy == 'default = "allow"\n'
    assert settings.policy_file == str(folder / "policy.toml")


BAD_SETTINGS = {
    "unknown key": ("isolaton = 1", "isolaton: unknown key; did you mean 'isolation'?: one of exported_at, timezone, "),
    "word": ('isolation = "tenant"', "isolation: 'tenant' is not known: one of namespace, session, namespace+session"),
    "zone": ('timezone = "Seoul"', "timezone: 'Seoul' is not a time zone: a name such as Asia/Seoul or UTC"),
    "time": ('exported_at = "then"', "exported_at: 'then' is not a time: an ISO 8601 time"),
    "aliases": ('aliases = [["ana"]]', "aliases[0]: ['ana'] is not a group: two or more ids of one owner"),
    "shared": ("shared_namespaces = [3]", "shared_namespaces[0]: 3 is not a namespace: text or list of texts"),
    "assumed field": (
        'assumptions = {statuss = "x"}',
        "assumptions.statuss: no such field; did you mean 'status'?: policy, FIELD or query.FIELD",
    ),
    "assumed policy": ('assumptions = {policy = "yes"}', "assumptions.policy: 'yes' is not known: allow or deny"),
    "assumed intent": (
        'assumptions = {"query.intent" = "now"}',
        "assumptions.query.intent: 'now' is not known: one of current, history, unknown",
    ),
}


@pytest.mark.parametrize("name", BAD_SETTINGS)
def test_bad_settings(tmp_path: Path, name: str) -> None:
    content, expected = BAD_SETTINGS[name]
    folder = bundle_folder(tmp_path, memories__jsonl=jsonl(*MEMORIES), bundle__toml=content)
    with pytest.raises(InputError) as caught:
        load([folder])
    assert str(caught.value).startswith(f"{folder}/bundle.toml: {expected}")


def test_broken_toml_is_named_with_its_line(tmp_path: Path) -> None:
    folder = bundle_folder(tmp_path, memories__jsonl=jsonl(*MEMORIES), bundle__toml='route = "a"\nisolation = \n')
    with pytest.raises(InputError, match=r"bundle\.toml:2: broken TOML \(Invalid value\): a TOML file$"):
        load([folder])


def test_default_as_of(tmp_path: Path) -> None:
    path = tmp_path / "m"
    path.write_text(jsonl(*MEMORIES))
    latest = load([path]).settings.default_as_of
    assert latest is not None
    assert latest.iso() == "2026-01-01T00:00:00Z"
    stated = load([path], LoadOptions(as_of="2026-02-01")).settings.default_as_of
    assert stated is not None
    assert stated.text == "2026-02-01"
    now = load([path], LoadOptions(as_of="now")).settings.default_as_of
    assert now is not None
    assert not now.naive
    with pytest.raises(InputError, match=r"^--as-of: 'soon' is not a time: .*, or now$"):
        load([path], LoadOptions(as_of="soon"))


def test_bad_assumption_of_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "m"
    path.write_text(jsonl(*MEMORIES))
    with pytest.raises(InputError, match=r"^--assume: query\.intnt: no such field; did you mean 'query\.intent'\?: "):
        load([path], LoadOptions(assume={"query.intnt": "current"}))


# Several sources, and files that replace


def test_several_sources_and_contradictions(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder, zone, row in ((one, "UTC", MEMORIES[0]), (two, "Asia/Seoul", MEMORIES[1])):
        folder.mkdir()
        (folder / "memories.jsonl").write_text(jsonl(row))
        (folder / "queries.jsonl").write_text(jsonl({**QUERY, "id": folder.name}))
        (folder / "bundle.toml").write_text(f'timezone = "{zone}"\naliases = [["{folder.name}", "x"]]\n')
    with pytest.raises(InputError) as caught:
        load([one, two])
    assert str(caught.value) == (
        f"{two}/bundle.toml: timezone: 'Asia/Seoul' contradicts {one}/bundle.toml: sources that agree"
    )
    (two / "bundle.toml").write_text('aliases = [["two", "x"]]\nexported_at = "2026-01-02T00:00Z"\n')
    bundle = load([one, two])
    assert (bundle.name, bundle.format) == ("one + two", "bundle")
    assert [query.id for query in bundle.queries] == ["one", "two"]
    assert bundle.settings.aliases == (("one", "x"), ("two", "x"))
    assert bundle.memories[1].origin.file == str(two / "memories.jsonl")


def test_files_of_ones_own_replace(tmp_path: Path) -> None:
    folder = bundle_folder(
        tmp_path,
        memories__jsonl=jsonl(*MEMORIES),
        queries__jsonl="not read",
        judgments__jsonl="not read",
        policy__toml="a",
    )
    document = {"memories": [{"id": "z", "text": "not taken"}], "queries": [QUERY]}
    (tmp_path / "q.json").write_text(json.dumps(document))
    (tmp_path / "j.csv").write_text("query_id,memory_id,axis,value\nq,a,scope,1\nq,zz,scope,?\n")
    (tmp_path / "p.toml").write_text("b")
    options = LoadOptions(queries=tmp_path / "q.json", judgments=tmp_path / "j.csv", policy=tmp_path / "p.toml")
    bundle = load([folder], options)
    assert [memory.id for memory in bundle.memories] == ["a", "b"]
    assert [query.id for query in bundle.queries] == ["q"]
    assert [judgment.value for judgment in bundle.judgments] == [Trit.YES, Trit.UNKNOWN]
    assert bundle.settings.policy == "b"
    assert bundle.notes == ["1 judgments name a memory that is not stored"]


def test_looks_capped(tmp_path: Path) -> None:
    path = tmp_path / "m"
    rows = [{"id": str(i), "text": "x"} for i in range(100)]
    path.write_text(jsonl(*rows))
    assert load([path]).notes == [f"looks capped: {path} holds exactly 100 memories, a common page size"]
    path.write_text(json.dumps({"next_page": "abc", "memories": rows[:99]}))
    assert load([path]).notes == [f"looks capped: {path} has a next-page mark, next_page"]


# Progress, cancelling, fingerprints, the list of formats


def test_progress_ends_at_the_total(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = itertools.count(0, 0.001)  # a millisecond passes at every look
    monkeypatch.setattr("inspector.formats.base.time.monotonic", lambda: next(clock))
    path = tmp_path / "m"
    path.write_text(jsonl(*({"id": str(i), "text": "x"} for i in range(5000))))
    seen: list[Progress] = []
    load([path], on_progress=seen.append)
    size = path.stat().st_size
    assert (seen[-1].done, seen[-1].total, seen[-1].unit) == (size, size, "bytes")
    assert seen[0].what == f"reading {path}"
    assert 40 <= len(seen) <= 53  # 5,000 lines are 5 seconds: ten reports a second, the first and the last


def test_cancelling(tmp_path: Path) -> None:
    path = tmp_path / "m"
    path.write_text(jsonl(*MEMORIES))
    with pytest.raises(Cancelled):
        load([path], cancelled=lambda: True)


def test_fingerprint_follows_content_and_options(tmp_path: Path) -> None:
    folder = bundle_folder(tmp_path, memories__jsonl=jsonl(*MEMORIES))
    first = fingerprint([folder])
    os.utime(folder / "memories.jsonl", (1, 1))
    assert fingerprint([folder]) == first
    assert fingerprint([folder], LoadOptions(lenient=True)) != first
    (folder / "queries.jsonl").write_text(jsonl(QUERY))
    second = fingerprint([folder])
    assert second != first
    (folder / "queries.jsonl").write_text(jsonl({**QUERY, "text": "!"}))
    assert fingerprint([folder]) != second


def test_reading_leaves_the_source_alone_and_the_collector_on(tmp_path: Path) -> None:
    import gc

    folder = bundle_folder(tmp_path, memories__jsonl=jsonl(*MEMORIES))
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    load([folder])
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    assert gc.isenabled()


@pytest.mark.parametrize("name", ["jsonl", "json", "csv", "rhelm", "gatemem", "authority-packet"])
def test_every_example_loads_as_its_format(tmp_path: Path, name: str) -> None:
    path = tmp_path / "example"
    path.write_text(next(one.example for one in FORMATS if one.name == name))
    bundle = load([path])
    assert bundle.format == name
    assert len(bundle.memories) == 1


def test_importing_is_cheap() -> None:
    code = "import sys, inspector.formats; print(*({'duckdb', 'numpy', 'textual', 'torch'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() in ("", "numpy")  # the trit's arrays need numpy


def test_numbers_of_a_vector_stay_what_they_are(tmp_path: Path) -> None:
    path = tmp_path / "m"
    line = '{"id": "%s", "text": "x", "embedding": [0.5, -0.5, 0.0, -0.0, 1, 1.0, NaN, null, 0.123456789012]}\n'
    path.write_text(line % "a" + line % "b")
    first, second = (memory.get("embedding") for memory in load([path]).memories)
    assert repr(first) == repr(second) == "[0.5, -0.5, 0.0, -0.0, 1, 1.0, nan, None, 0.123456789012]"
