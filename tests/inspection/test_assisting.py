"""The mapping assistant without its screen: proposals changed, refused, tried on the first records, written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.assisting import Assistant, default_place
from inspector.errors import InputError, InspectorError, Unrecognised
from inspector.formats import LoadOptions, load

FACTS: list[dict[str, Any]] = [
    {"ref": "f1", "body": "Ana lives in Porto now.", "who": {"org": "acme", "cust": "ana"}, "at": 1772600000},
    {"ref": "f2", "body": "Bo lives in Lyon now.", "who": {"org": "acme", "cust": "bo"}, "at": 1772500000},
    {"ref": "f3", "body": "Ana likes tea a lot.", "who": {"org": "acme", "cust": "ana"}, "tags": "care|sales"},
    {"ref": "f4", "body": ["x"], "who": None},
]


@pytest.fixture
def export(tmp_path: Path) -> Path:
    path = tmp_path / "facts.json"
    path.write_text(json.dumps({"page": 1, "log": [{"x": 1}], "facts": FACTS}))
    return path


def shown(assistant: Assistant) -> list[str]:
    """The axes of each record tried, or the field that cannot be read."""
    return [
        row.problem.field
        if row.problem
        else "".join(row.trits[name].symbol for name in ("scope", "policy", "lifecycle", "admissible"))
        for row in assistant.preview()
    ]


def test_an_unknown_export_says_that_a_mapping_can_be_made(export: Path) -> None:
    with pytest.raises(Unrecognised, match=r"not recognised .*`inspector map .*facts\.json --out mapping\.toml`"):
        load([export], LoadOptions())


def test_the_first_records_follow_the_mapping(export: Path) -> None:
    assistant = Assistant.of(export)
    assert (assistant.sample.records, assistant.sample.lists) == ("facts", ("facts", "log"))
    assert assistant.targets()[:3] == ["id", "text", "namespace"]
    assert assistant.paths == ["ref", "body", "who", "who.org", "who.cust", "at", "tags"]
    assert assistant.examples("who.cust") == (["ana", "bo"], 3)
    assistant.clear("text")
    with pytest.raises(InputError, match=r"memories\.fields\.text: is missing"):
        assistant.preview()
    assistant.set_paths("text", ["body"])
    assistant.clear("namespace")
    # nobody's question, no policy, no state: all ?; the fourth record's text is a list
    assert shown(assistant) == ["????", "????", "????", "text"]
    assistant.set_paths("namespace", ["who.org", "who.cust"])
    # asked by the first owner, acme / ana; the fourth has no owner
    assert shown(assistant) == ["1???", "0??0", "1???", "text"]
    assert assistant.asker() == "a question of acme / ana"
    assistant.set_constant("status", "active")
    assert shown(assistant) == ["1?1?", "0?10", "1?1?", "text"]
    assistant.set_constant("status", "archived")  # a label without a time says nothing of now
    assert shown(assistant) == ["1???", "0??0", "1???", "text"]
    assistant.set_constant("status_at", "2020-01-01")
    assistant.set_paths("created_at", ["at"])
    assert shown(assistant) == ["1?00", "0?00", "1?00", "text"]
    assistant.set_paths("status", ["who.cust"], values={"ana": "active"})
    assert shown(assistant) == ["1?1?", "0??0", "1?1?", "text"]


def test_a_choice_that_cannot_be_is_refused_and_the_old_one_stays(export: Path) -> None:
    assistant = Assistant.of(export)
    assistant.set_paths("created_at", ["at"], unit="ms")
    before = assistant.toml()
    changes: list[Callable[[], None]] = [
        lambda: assistant.set_paths("created_at", ["at"], unit="weeks"),
        lambda: assistant.set_constant("allowed_purposes", 7),
        lambda: assistant.set_constant("created_at", "noon"),
        lambda: assistant.set_timezone("Mars"),
        lambda: assistant.set_paths("text", ["ref"], unit="ms"),
    ]
    for change in changes:
        with pytest.raises(InspectorError):
            change()
    assert assistant.toml() == before


def test_what_is_written_opens_the_store_as_it_was_tried(export: Path, tmp_path: Path) -> None:
    assistant = Assistant.of(export)
    assistant.set_paths("namespace", ["who.org", "who.cust"])
    assistant.set_paths("created_at", ["at"])
    assistant.set_paths("allowed_purposes", ["tags"], split="|")
    assistant.set_timezone("Asia/Seoul")
    assert default_place(export) == tmp_path / "mapping.toml"
    place = assistant.write(default_place(export))
    assert default_place(export) == tmp_path / "facts.mapping.toml"
    with pytest.raises(InspectorError, match="is there already"):
        assistant.write(place)
    with pytest.raises(InspectorError, match="is the source, which is never written"):
        assistant.write(export, replaces=True)
    bundle = load([export], LoadOptions(mapping=place, lenient=True))
    assert [memory.id for memory in bundle.memories] == ["f1", "f2", "f3"]
    assert bundle.memories[0].fields["namespace"] == ["acme", "ana"]
    assert bundle.memories[2].fields["allowed_purposes"] == ["care", "sales"]
    assert bundle.settings.timezone == "Asia/Seoul"
    tried = [dict(row.fields) for row in assistant.preview() if row.problem is None]
    assert tried == [memory.fields for memory in bundle.memories]
    # beside its source the mapping names it, so that the folder opens as well
    export.with_name("other.txt").write_text("x")
    folder = load([tmp_path], LoadOptions(lenient=True))
    assert [memory.id for memory in folder.memories] == ["f1", "f2", "f3"]


def test_another_list_of_the_document(export: Path) -> None:
    assistant = Assistant.of(export, records="log")
    assert (assistant.sample.records, len(assistant.sample.rows), assistant.paths) == ("log", 1, ["x"])


def test_names_that_would_write_toml_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "h.json"
    hostile = 'a"]\n[memories.constants]\ntext = "\u202e\x1b]2;x\x07.'
    path.write_text(json.dumps({"rows": [{"id": str(n), hostile: f"some words of {n}"} for n in range(3)]}))
    assistant = Assistant.of(path)
    assert [row.fields["text"] for row in assistant.preview()] == [f"some words of {n}" for n in range(3)]
    place = assistant.write(tmp_path / "m.toml")
    assert len(load([path], LoadOptions(mapping=place)).memories) == 3


def test_a_folder_that_cannot_be_written(export: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr("os.access", lambda *_: False)
    assert default_place(export) == tmp_path / "config" / "inspector" / "mappings" / "facts.mapping.toml"
    database = default_place(Path("postgresql://ana@h/db"))
    assert database == tmp_path / "config" / "inspector" / "mappings" / "db.mapping.toml"
