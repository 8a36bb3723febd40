"""mem0's exports, its history and OpenMemory's zip: every mapped field and every trap.

Samples follow mem0ai 2.2.1 (``MemoryItem``, ``SQLiteManager``) and OpenMemory's backup of mem0 1.0.11.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from inspector.errors import InputError
from inspector.formats import load
from inspector.records import ABSENT
from tests.formats.importing import axes, causes, database, imported, lines, write

ITEM: dict[str, Any] = {
    "id": "m1",
    "memory": "Ana lives in Porto.",
    "hash": "5f3c",
    "metadata": {"category": "home", "status": "odd"},
    "created_at": "2026-01-05T08:00:00-07:00",
    "updated_at": None,
    "user_id": "ana",
    "agent_id": "helper",
    "run_id": "r1",
    "actor_id": "ana-2",
    "role": "user",
}


def test_every_field(tmp_path: Path) -> None:
    bundle = imported(write(tmp_path / "all.json", {"results": [ITEM]}))
    assert bundle.format == "mem0"
    memory = bundle.memories[0]
    assert {name: value for name, value in memory.fields.items() if name != "loss"} == {
        "id": "m1",
        "text": "Ana lives in Porto.",
        "namespace": "ana",
        "session_id": "r1",
        "keys": {"user_id": "ana", "agent_id": "helper", "run_id": "r1"},
        "created_at": "2026-01-05T08:00:00-07:00",
        "updated_at": None,
        "meta": {"hash": "5f3c", "category": "home", "status": "odd", "actor_id": "ana-2", "role": "user"},
    }
    # its own metadata may be named as our fields are: it decides nothing
    assert memory.get("status") is ABSENT
    assert bundle.account.mapped["user_id"] == "namespace, keys.user_id"


ENVELOPES: dict[str, Any] = {
    "bare list": [ITEM],
    "results": {"results": [ITEM]},
    "results and relations": {"results": [ITEM], "relations": []},
    "a platform page": {"count": 1, "next": None, "previous": None, "results": [{**ITEM, "categories": ["home"]}]},
    "one item": ITEM,
}


@pytest.mark.parametrize("name", ENVELOPES)
@pytest.mark.parametrize("indent", [None, 1])
def test_every_envelope(tmp_path: Path, name: str, indent: int | None) -> None:
    path = tmp_path / "m.json"
    path.write_text(json.dumps(ENVELOPES[name], indent=indent))
    bundle = imported(path)
    assert (bundle.format, [memory.id for memory in bundle.memories], bundle.queries) == ("mem0", ["m1"], [])


def test_json_lines_and_rest(tmp_path: Path) -> None:
    nulls = {**ITEM, "id": "m2", "user_id": None, "agent_id": None, "run_id": None, "metadata": {}}
    bundle = imported(lines(tmp_path / "m.jsonl", ITEM, nulls))
    assert [memory.id for memory in bundle.memories] == ["m1", "m2"]
    # the self-hosted API writes its fixed keys as null: null is not absent, and neither is an owner
    assert bundle.memories[1].get("namespace") is None
    assert bundle.memories[1].get("loss")[0] == "namespace: user_id, agent_id, run_id is null in the source"
    absent = {key: value for key, value in ITEM.items() if not key.endswith("_id")}
    other = imported(write(tmp_path / "n.json", [{**absent, "id": "m3"}]))
    assert other.memories[0].get("namespace") is ABSENT
    assert axes(other, "m3", who=["ana"]) == "????"
    assert "names no user_id" in causes(other, "m3", "scope", who=["ana"])


@pytest.mark.parametrize(
    ("owner", "namespace"),
    [
        ({"user_id": "ana"}, "ana"),
        ({"agent_id": "bot", "run_id": "r"}, ["agent", "bot"]),
        ({"run_id": 7}, ["run", "7"]),
        ({"app_id": "shop"}, ["app", "shop"]),
        ({"user_id": ""}, ABSENT),
    ],
)
def test_owner_by_precedence(tmp_path: Path, owner: dict[str, Any], namespace: Any) -> None:
    item = {"id": "m", "memory": "x", **owner}
    assert imported(write(tmp_path / "m", [item])).memories[0].get("namespace") == namespace


# Lifecycle


def expiring(tmp_path: Path, value: Any) -> Any:
    item = {**ITEM, "created_at": "2026-01-05T08:00:00Z", "expiration_date": value}
    return imported(write(tmp_path / "m", [item]), assume={"status": "current"})


def test_expiration_date_is_the_last_visible_day(tmp_path: Path) -> None:
    bundle = expiring(tmp_path, "2026-03-01")
    assert bundle.memories[0].get("valid_to") == "2026-03-02T00:00:00+00:00"
    assert bundle.memories[0].get("meta")["expiration_date"] == "2026-03-01"
    asked = {"who": ["ana"], "purpose": "x"}
    assert axes(bundle, "m1", as_of="2026-03-01T23:59:59Z", **asked)[2] == "1"
    assert axes(bundle, "m1", as_of="2026-03-02T00:00:00Z", **asked)[2] == "0"
    assert axes(bundle, "m1", as_of="2026-03-02T00:00:00Z", **{**asked, "intent": "history"})[2] == "1"


@pytest.mark.parametrize("value", ["next week", 20260301, "9999-12-31"])
def test_an_expiry_that_cannot_be_read_leaves_the_state_unknown(tmp_path: Path, value: Any) -> None:
    bundle = imported(write(tmp_path / "m", [{**ITEM, "expiration_date": value}]))
    memory = bundle.memories[0]
    assert memory.get("valid_to") is ABSENT
    assert memory.get("meta")["expiration_date"] == value
    assert axes(bundle, "m1", who=["ana"])[2] == "?"
    assert "mem0 goes on showing the record" in " ".join(memory.get("loss"))


def test_without_a_status_the_state_is_unknown_and_says_why(tmp_path: Path) -> None:
    bundle = imported(write(tmp_path / "m", [ITEM]))
    assert axes(bundle, "m1", who=["ana"]) == "1???"
    assert "mem0 keeps no status" in causes(bundle, "m1", "lifecycle", who=["ana"])
    assert "mem0 keeps no purposes" in causes(bundle, "m1", "policy", who=["ana"])


def test_add_events(tmp_path: Path) -> None:
    rows = [
        {"id": "a", "memory": "x", "event": "ADD"},
        {"id": "b", "memory": "y", "event": "UPDATE", "previous_memory": "w"},
        {"id": "c", "memory": "z", "event": "DELETE"},
    ]
    memories = imported(write(tmp_path / "m", {"results": rows})).memories
    assert [memory.get("status") for memory in memories] == [ABSENT, ABSENT, "deleted"]
    assert memories[1].get("meta") == {"event": "UPDATE", "previous_memory": "w"}


# Searches


def test_a_search_is_a_query_with_what_it_recorded(tmp_path: Path) -> None:
    rows = [
        {**ITEM, "score": 0.7, "score_details": {"bm25": 1}},
        {**ITEM, "id": "m2", "score": float("nan")},
        {**ITEM, "id": "m3", "score": 0.1, "user_id": "bo"},
    ]
    relations = [{"source": "ana", "relationship": "lives in", "destination": "porto"}]
    path = write(tmp_path / "found.json", {"results": rows, "relations": relations})
    bundle = imported(path)
    assert [memory.id for memory in bundle.memories] == ["m1", "m2", "m3", "ana | lives in | porto"]
    query = bundle.queries[0]
    events = query.get("recorded")["events"]
    assert (query.id, query.text) == ("found/1", "")
    assert [event["name"] for event in events] == ["search", "graph"]
    # the direction of mem0's scores differs between its backends (#4453); the filter is not in the export
    assert (events[0]["score_kind"], events[0]["filter"]) == ("unknown", "not recorded in this export")
    assert events[0]["retrieved"][0] == {"id": "m1", "namespace": "ana", "score": 0.7, "score_details": {"bm25": 1}}
    assert str(events[0]["retrieved"][1]["score"]) == "nan"
    assert events[0]["retrieved"][2]["namespace"] == "bo"
    assert bundle.memories[3].get("plane") == "graph"
    assert f"{path}: the words of the search are not in the export" in bundle.notes
    assert "score" not in bundle.memories[0].get("meta")


def test_a_search_beside_the_store_repeats_its_records(tmp_path: Path) -> None:
    found = write(tmp_path / "found.json", {"results": [{**ITEM, "metadata": None, "score": 0.7}]})
    stored = write(tmp_path / "all.json", {"results": [ITEM]})
    for order in ([found, stored], [stored, found]):
        bundle = load(order)
        assert (len(bundle.memories), bundle.repeated, len(bundle.queries)) == (1, 1, 1)
        assert bundle.memories[0].get("meta")["category"] == "home"


def test_relations_of_a_list_name_their_target(tmp_path: Path) -> None:
    relations = [{"source": "ana", "relationship": "lives in", "target": "porto", "x": 1}]
    memory = imported(write(tmp_path / "m", {"results": [ITEM], "relations": relations})).memories[1]
    assert (memory.id, memory.text, memory.get("meta")) == ("ana | lives in | porto", "ana lives in porto", {"x": 1})
    assert memory.get("loss")[0].startswith("namespace: a relation names no owner")


@pytest.mark.parametrize(
    ("count", "following", "said"), [(20, None, "exactly 20"), (3, "https://x/?page=2", "a next-page mark, next")]
)
def test_looks_capped(tmp_path: Path, count: int, following: str | None, said: str) -> None:
    rows = [{**ITEM, "id": str(i)} for i in range(count)]
    path = write(tmp_path / "m", {"count": 47, "next": following, "previous": None, "results": rows})
    assert any("looks capped" in note and said in note for note in imported(path).notes)


# The history


def history(folder: Path, *events: tuple[Any, ...], extra: str = "") -> Path:
    script = (
        "CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT, "
        "created_at DATETIME, updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT);" + extra
    )
    path = database(folder / "history.db", script)
    import sqlite3

    connection = sqlite3.connect(path)
    for number, event in enumerate(events):
        connection.execute(
            "INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?, 0, NULL, 'user')", (f"h{number}", "m1", *event)
        )
    connection.commit()
    connection.close()
    return path


ADDED = (None, "Ana likes tea", "ADD", "2026-01-01T00:00:00+00:00", "2026-01-01T00:00:00+00:00")
CHANGED = ("Ana likes tea", "Ana likes coffee", "UPDATE", "2026-01-01T00:00:00+00:00", "2026-02-01T00:00:00+00:00")
DELETED = ("Ana likes coffee", None, "DELETE", "2026-01-01T00:00:00+00:00", "2026-03-01T00:00:00+00:00")


def test_history_gives_versions(tmp_path: Path) -> None:
    bundle = imported(history(tmp_path, ADDED, CHANGED, DELETED), assume={"status": "current"})
    assert [(memory.id, memory.text) for memory in bundle.memories] == [
        ("m1@1", "Ana likes tea"),
        ("m1", "Ana likes coffee"),
    ]
    old, new = bundle.memories
    assert old.get("superseded_by") == "m1"
    assert (new.get("valid_from"), new.get("deleted_at")) == ("2026-02-01T00:00:00+00:00", "2026-03-01T00:00:00+00:00")
    states = [
        (axes(bundle, "m1@1", as_of=day)[2], axes(bundle, "m1", as_of=day)[2])
        for day in ("2026-01-15T00:00:00Z", "2026-02-15T00:00:00Z", "2026-03-15T00:00:00Z")
    ]
    assert states == [("1", "0"), ("0", "1"), ("0", "0")]
    assert axes(bundle, "m1@1", as_of="2026-03-15T00:00:00Z", intent="history")[2] == "1"
    assert "history names no user" in causes(bundle, "m1", "scope", who=["ana"])


def test_history_every_field(tmp_path: Path) -> None:
    old, new = imported(history(tmp_path, ADDED, CHANGED)).memories
    loss = [
        "namespace: the history names no user; load it together with the memories",
        "policy: mem0 keeps no purposes and no access rules",
        "status: mem0 keeps no status and does not say what replaced what",
    ]
    assert old.fields == {
        "id": "m1@1",
        "text": "Ana likes tea",
        "created_at": "2026-01-01T00:00:00+00:00",
        "updated_at": "2026-01-01T00:00:00+00:00",
        "superseded_by": "m1",
        "meta": {"role": "user", "history_id": "h0"},
        "loss": loss,
    }
    assert new.fields == {
        "id": "m1",
        "text": "Ana likes coffee",
        "created_at": "2026-01-01T00:00:00+00:00",
        "updated_at": "2026-02-01T00:00:00+00:00",
        "valid_from": "2026-02-01T00:00:00+00:00",
        "meta": {"role": "user", "history_id": "h1"},
        "loss": loss,
    }


def test_a_deletion_without_a_time_and_a_lost_beginning(tmp_path: Path) -> None:
    bundle = imported(history(tmp_path, CHANGED, ("Ana likes coffee", None, "DELETE", None, None)))
    assert [memory.id for memory in bundle.memories] == ["m1@1", "m1"]
    newest = bundle.memories[1]
    assert (newest.get("status"), newest.get("deleted_at")) == ("deleted", ABSENT)
    assert newest.get("loss")[0] == "deleted_at: the DELETE event has no time"


def test_history_joins_the_memories_by_id(tmp_path: Path) -> None:
    past = history(tmp_path, ADDED, CHANGED, DELETED)
    stored = write(tmp_path / "all.json", {"results": [{**ITEM, "memory": "Ana likes coffee"}]})
    for order in ([past, stored], [stored, past]):
        bundle = load(order)
        assert [(memory.id, memory.get("namespace")) for memory in bundle.memories] == [("m1", "ana"), ("m1@1", "ana")]
        # deleted, and still to be found (#3695)
        assert bundle.memories[0].get("deleted_at") == "2026-03-01T00:00:00+00:00"
        assert axes(bundle, "m1", who=["ana"], as_of="2026-03-02T00:00:00Z")[2:] == "00"


def test_a_merge_of_unrelated_texts_is_named(tmp_path: Path) -> None:
    merged = ("Ana likes tea", "Bo owns seven boats", "UPDATE", None, "2026-02-01T00:00:00+00:00")
    extra = "CREATE TABLE messages (id TEXT, content TEXT); INSERT INTO messages VALUES ('x', 'hello');"
    notes = imported(history(tmp_path, ADDED, merged, extra=extra)).notes
    assert any("1 updates share no word with the text that they replaced: m1" in note for note in notes)
    assert any("1 messages of its short-term table are no memories" in note for note in notes)


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ((None, "x", "NOOP", None, None), "event: 'NOOP' is not known: one of ADD, UPDATE, DELETE"),
        ((None, None, "ADD", None, None), "new_memory: is missing: the text that the ADD stored"),
        ((None, b"\xff", "ADD", None, None), "new_memory: holds bytes that are not UTF-8 text: text or numbers"),
    ],
)
def test_a_bad_event(tmp_path: Path, event: tuple[Any, ...], expected: str) -> None:
    path = history(tmp_path, event)
    with pytest.raises(InputError) as caught:
        imported(path)
    assert str(caught.value) == f"{path} (history row 1): {expected}"


def test_a_history_of_another_version(tmp_path: Path) -> None:
    script = "CREATE TABLE history (id TEXT, memory_id TEXT, prev_value TEXT, new_value TEXT, event TEXT);"
    with pytest.raises(InputError, match="table history has no column created_at, new_memory, old_memory, updated_at"):
        imported(database(tmp_path / "history.db", script))


# OpenMemory


def backup(**changes: Any) -> dict[str, Any]:
    made: dict[str, Any] = {
        "user": {"id": "u-1", "user_id": "ana", "name": "Ana", "email": None, "metadata": {}},
        "apps": [
            {"id": "a-1", "owner_id": "u-1", "name": "cursor", "is_active": True},
            {"id": "a-2", "owner_id": "u-1", "name": "claude", "is_active": True},
            {"id": "a-3", "owner_id": "u-1", "name": "old", "is_active": False},
        ],
        "categories": [{"id": "c-1", "name": "home"}],
        "memories": [
            {
                "id": f"m{i}",
                "user_id": "u-1",
                "app_id": "a-1",
                "content": f"fact {i}",
                "metadata": {},
                "state": state,
                "created_at": "2026-01-05T08:00:00+00:00",
                "updated_at": "2026-01-05T08:00:00+00:00",
                "archived_at": None,
                "deleted_at": None,
                "category_ids": ["c-1"],
            }
            for i, state in enumerate(("active", "archived", "deleted", "paused"))
        ],
        "memory_categories": [],
        "status_history": [
            {"id": "h1", "memory_id": "m1", "old_state": "active", "new_state": "archived", "changed_at": "2026-02-01"}
        ],
        "access_controls": [],
        "export_meta": {"version": "1", "generated_at": "2026-03-01T00:00:00+00:00", "app_id_filter": None},
    }
    made["memories"][2]["deleted_at"] = "2026-02-10T00:00:00+00:00"
    return {**made, **changes}


def zipped(folder: Path, value: dict[str, Any]) -> Path:
    path = folder / "memories_export_ana.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("memories.json", json.dumps(value, indent=2))
        out.writestr("memories.jsonl.gz", b"\x1f\x8b")
    return path


def test_openmemory_zip_and_folder(tmp_path: Path) -> None:
    bundle = imported(zipped(tmp_path, backup()))
    memory = bundle.memories[0]
    assert bundle.format == "openmemory"
    assert (memory.get("namespace"), memory.get("keys"), memory.get("status")) == ("ana", {"app": "cursor"}, "active")
    assert memory.get("meta")["categories"] == ["home"]
    assert str(memory.origin).startswith(f"{tmp_path}/memories_export_ana.zip (memories.json):")
    assert bundle.settings.aliases == (("ana", "u-1"),)
    assert bundle.settings.exported_at is not None
    assert bundle.settings.exported_at.text == "2026-03-01T00:00:00+00:00"
    # both of the user's ids are the owner
    assert axes(bundle, "m0", who=["u-1"])[0] == axes(bundle, "m0", who=["ana"])[0] == "1"
    folder = tmp_path / "unpacked"
    folder.mkdir()
    write(folder / "memories.json", backup())
    (folder / "memories.jsonl.gz").write_bytes(b"\x1f\x8b")
    assert imported(folder).format == "openmemory"


def test_openmemory_every_field(tmp_path: Path) -> None:
    bundle = imported(zipped(tmp_path, backup()))
    archived, deleted = bundle.memories[1:3]
    assert {name: value for name, value in archived.fields.items() if name not in ("loss", "boundary_log")} == {
        "id": "m1",
        "text": "fact 1",
        "namespace": "ana",
        "keys": {"app": "cursor"},
        "created_at": "2026-01-05T08:00:00+00:00",
        "updated_at": "2026-01-05T08:00:00+00:00",
        "deleted_at": None,
        "status": "archived",
        "meta": {
            "app_id": "a-1",
            "metadata": {},
            "archived_at": None,
            "category_ids": ["c-1"],
            "categories": ["home"],
            "app_access": {"allowed": ["cursor", "a-1", "claude", "a-2"], "denied": ["old", "a-3"]},
        },
    }
    assert archived.get("boundary_log") == [{"state": "archived", "at": "2026-02-01", "cause": "status_history"}]
    assert (deleted.get("status"), deleted.get("deleted_at")) == ("deleted", "2026-02-10T00:00:00+00:00")
    assert archived.get("loss") == ["superseded_by: OpenMemory does not say what replaced what"]


@pytest.mark.parametrize("share", [0.2, 0.6, 0.95])
def test_openmemory_cut_zip(tmp_path: Path, share: float) -> None:
    path = zipped(tmp_path, backup())
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(InputError) as caught:
        imported(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(("memory", "states"), [("m0", "11"), ("m1", "10"), ("m2", "10"), ("m3", "??")])
def test_openmemory_states(tmp_path: Path, memory: str, states: str) -> None:
    """Before and after February: active, archived by its history, deleted, paused (hidden: no state that we know)."""
    bundle = imported(zipped(tmp_path, backup()))
    if memory in ("m1", "m2"):  # labels speak for the export: before it only the marks and times decide
        assert axes(bundle, memory, as_of="2026-02-20T00:00:00Z")[2] == states[1]
        assert axes(bundle, memory, as_of="2026-01-20T00:00:00Z")[2] == "?"
    else:
        assert axes(bundle, memory, as_of="2026-02-20T00:00:00Z")[2] == states[1]


def rule(app: str, memory: str | None, effect: str) -> dict[str, Any]:
    return {"subject_type": "app", "subject_id": app, "object_type": "memory", "object_id": memory, "effect": effect}


ACCESS: dict[str, tuple[list[dict[str, Any]], str]] = {
    # what the apps cursor, claude and old (not active) may read of m0 and m1
    "no rules": ([], "11 11 00"),
    "an allow list": ([rule("a-2", "m0", "allow")], "11 10 00"),
    "all denied": ([rule("a-2", None, "deny")], "11 00 00"),
    "all allowed": ([rule("a-2", None, "allow")], "11 11 00"),
    "allowed, one of them denied": ([rule("a-2", "m0", "allow"), rule("a-2", "m0", "deny")], "11 00 00"),
    # read plainly m1 stays open to it; OpenMemory's own code then shows it nothing at all: unknown
    "one denied": ([rule("a-2", "m0", "deny")], "11 0? 00"),
    # read plainly m0 is denied; OpenMemory's own code stops at the first rule for all
    "all allowed, one denied": ([rule("a-2", None, "allow"), rule("a-2", "m0", "deny")], "11 ?1 00"),
}


@pytest.mark.parametrize("name", ACCESS)
def test_openmemory_access_controls_are_the_policy(tmp_path: Path, name: str) -> None:
    rules, expected = ACCESS[name]
    bundle = imported(zipped(tmp_path, backup(access_controls=rules)))
    found = [
        "".join(axes(bundle, memory, who=["ana"], keys={"app": app})[1] for memory in ("m0", "m1"))
        for app in ("cursor", "a-2", "old")
    ]
    assert " ".join(found) == expected
    assert axes(bundle, "m0", who=["ana"])[1] == "?"  # which app asks is not known
    assert axes(bundle, "m0", who=["ana"], keys={"app": "stranger"})[1] == "?"
    disagree = any("disagree" in note for note in bundle.notes)
    assert disagree == ("?" in expected)


def test_openmemory_parts_and_odd_rows_are_said(tmp_path: Path) -> None:
    value = backup(access_controls=[{**rule("a-1", None, "deny"), "subject_type": "user"}])
    value["export_meta"]["from_date"] = "2026-01-01"
    value["status_history"].append({"memory_id": "m0", "new_state": "archived", "changed_at": "soon"})
    value["memories"][3]["archived_at"] = "2026-02-02T00:00:00Z"
    bundle = imported(write(tmp_path / "memories.json", value))
    notes = " ".join(bundle.notes)
    assert "holds a part of the store: export_meta.from_date is set" in notes
    assert "1 access_controls of other subjects than apps" in notes
    assert "1 rows of status_history" in notes
    assert bundle.memories[3].get("boundary_log") == [
        {"state": "archived", "at": "2026-02-02T00:00:00Z", "cause": "archived_at"}
    ]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (backup(export_meta={"version": "2"}), "is an export of version 2: version 1"),
        (backup(apps={}), "apps: is not a list: a list"),
    ],
)
def test_openmemory_of_another_version(tmp_path: Path, value: dict[str, Any], expected: str) -> None:
    with pytest.raises(InputError) as caught:
        imported(write(tmp_path / "memories.json", value))
    assert str(caught.value).endswith(expected)


def test_openmemory_broken_zip(tmp_path: Path) -> None:
    path = zipped(tmp_path, backup())
    data = bytearray(path.read_bytes())
    data[60:80] = bytes(20)
    path.write_bytes(data)
    with pytest.raises(InputError, match="broken zip"):
        imported(path)
