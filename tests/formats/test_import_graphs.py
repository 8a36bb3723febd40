"""LangGraph's store with LangMem's values, Graphiti's and Zep's graphs.

Samples follow langgraph 1.2.24 with langgraph-checkpoint-sqlite 3.1.2 (``Item.dict``, ``SqliteStore``), graphiti-core
0.31.2 (``EntityEdge``, ``SearchResults``) and the server's and Zep's records as USERS C5 lists them.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from inspector.errors import InputError
from inspector.formats import load
from inspector.inspection import OpenOptions
from inspector.linting import lint_sources
from inspector.records import ABSENT
from tests.formats.importing import axes, causes, database, imported, lines, write

ITEM: dict[str, Any] = {
    "namespace": ["memories", "ana"],
    "key": "k1",
    "value": {"content": "Ana likes tea.", "importance": 3},
    "created_at": "2026-01-05T08:00:00+00:00",
    "updated_at": "2026-01-06T08:00:00+00:00",
}


def test_langgraph_items(tmp_path: Path) -> None:
    bundle = imported(write(tmp_path / "m", [ITEM]))
    assert bundle.format == "langgraph"
    assert {name: one for name, one in bundle.memories[0].fields.items() if name != "loss"} == {
        "id": "k1",
        "namespace": ["memories", "ana"],
        "created_at": "2026-01-05T08:00:00+00:00",
        "updated_at": "2026-01-06T08:00:00+00:00",
        "text": "Ana likes tea.",
        "meta": {"importance": 3},
    }
    assert axes(bundle, "k1", who=[["memories", "ana"]]) == "1???"
    assert "a new value under the same key replaces the old one" in causes(bundle, "k1", "lifecycle", who=["ana"])


def test_langgraph_keys_are_unique_in_their_namespace_only(tmp_path: Path) -> None:
    other = {**ITEM, "namespace": ["memories", "bo"], "value": {"content": "Bo likes rum."}}
    bundle = imported(lines(tmp_path / "m.jsonl", ITEM, other))
    assert [(memory.id, memory.get("namespace")) for memory in bundle.memories] == [
        ("k1", ["memories", "ana"]),
        ("k1", ["memories", "bo"]),
    ]


@pytest.mark.parametrize(
    ("value", "text", "meta"),
    [
        ({"kind": "Memory", "content": {"content": "Ana likes tea."}}, "Ana likes tea.", {"kind": "Memory"}),
        (
            {"kind": "Person", "content": {"name": "Ana", "age": 7}},
            '{"name":"Ana","age":7}',
            {"kind": "Person"},
        ),
        ({"content": ["a", 1]}, '["a",1]', ABSENT),
        ({"data": "Ana.", "key": 1}, "Ana.", {"key": 1}),
        ({"food": "tea"}, '{"food":"tea"}', ABSENT),
        ("just text", "just text", ABSENT),
        (None, "null", ABSENT),
    ],
)
def test_langgraph_values(tmp_path: Path, value: Any, text: str, meta: Any) -> None:
    memory = imported(write(tmp_path / "m", [{**ITEM, "value": value}])).memories[0]
    assert (memory.text, memory.get("meta")) == (text, meta)


def test_langgraph_a_template_that_was_never_filled_names_no_owner(tmp_path: Path) -> None:
    bundle = imported(write(tmp_path / "m", [{**ITEM, "namespace": ["memories", "{langgraph_user_id}"]}]))
    memory = bundle.memories[0]
    assert (memory.id, memory.get("namespace")) == ("memories/{langgraph_user_id}/k1", ABSENT)
    assert memory.get("meta")["namespace"] == ["memories", "{langgraph_user_id}"]
    assert axes(bundle, memory.id, who=[["memories", "ana"]])[0] == "?"
    assert "was never filled" in causes(bundle, memory.id, "scope", who=[["memories", "ana"]])


ROWS_CSV = """prefix,key,value,created_at,updated_at,expires_at,ttl_minutes
users.john-doe.memories,k1,"{""content"": ""Rosa""}",2026-01-05 08:00:00+00,2026-01-05 08:00:00+00,,
users.john_doe.memories,k1,"{""content"": ""Tomas""}",2026-01-05 08:00:00+00,2026-01-05 08:00:00+00,2026-02-01 00:00+00,
"""


def test_langgraph_rows_of_postgres(tmp_path: Path) -> None:
    path = tmp_path / "store.csv"
    path.write_text(ROWS_CSV)
    bundle = imported(path)
    first, second = bundle.memories
    assert (bundle.format, first.text, first.get("namespace")) == (
        "langgraph",
        "Rosa",
        ["users", "john-doe", "memories"],
    )
    # an empty cell of a column that the dump has is NULL
    assert (first.get("valid_to"), second.get("valid_to")) == (None, "2026-02-01 00:00+00")
    asker = {"who": [["users", "john_doe", "memories"]], "as_of": "2026-02-02T00:00:00Z"}
    engine_sees = [axes(imported(path, assume={"status": "current"}), "k1", **asker)]
    assert engine_sees[0][0] == "0"  # langchain-ai/langgraph#8300: segment 2 differs, and _ is no wildcard here
    # every other column is kept
    assert second.get("meta") == {"ttl_minutes": None}
    row = {"prefix": "a.b", "key": "k", "value": '{"content": "x"}', "created_at": None, "updated_at": None}
    js = {"namespace_path": "a:b.c", "key": "k", "value": {"content": "x"}, "created_at": 1767600000}
    memories = imported(write(tmp_path / "rows.json", {"rows": [row, js]})).memories
    assert [memory.get("namespace") for memory in memories] == [["a", "b"], ["a", "b.c"]]


def test_langgraph_a_search(tmp_path: Path) -> None:
    found = [{**ITEM, "score": 0.7}, {**ITEM, "key": "k2", "score": 0.2}]
    event = imported(write(tmp_path / "m", found)).queries[0].get("recorded")["events"][0]
    assert event["score_kind"] == "similarity"
    assert event["retrieved"][0] == {"id": "k1", "namespace": ["memories", "ana"], "score": 0.7}
    # a search without a query has no scores and ranks nothing
    assert imported(write(tmp_path / "m", [{**ITEM, "score": None}])).queries == []


STORE = """
CREATE TABLE store (prefix text NOT NULL, key text NOT NULL, value text NOT NULL,
  created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, updated_at TIMESTAMP, expires_at TIMESTAMP, ttl_minutes REAL);
CREATE TABLE store_vectors (prefix text, key text, field_name text, embedding BLOB);
INSERT INTO store VALUES ('memories.ana', 'k1', CAST('{"content": "Ana likes tea."}' AS BLOB),
  '2026-01-05 08:00:00', '2026-01-05 08:00:00', '2026-01-05 09:00:00.5+00:00', 60.0);
INSERT INTO store VALUES ('memories.bo', 'k1', '{"content": "Bo."}', '2026-01-05 08:00:00', '2026-01-05 08:00:00',
  NULL, NULL);
"""


def test_langgraph_sqlite(tmp_path: Path) -> None:
    one = struct.pack("<2f", 0.5, 1).hex()
    vectors = (
        f"INSERT INTO store_vectors VALUES ('memories.ana', 'k1', '$', x'{one}'), "
        f"('memories.bo', 'k1', 'a', x'{one}'), ('memories.bo', 'k1', 'b', x'{one}');"
    )
    bundle = imported(database(tmp_path / "store.db", STORE + vectors), assume={"status": "current"})
    first, second = bundle.memories
    assert (bundle.format, bundle.settings.timezone) == ("langgraph-sqlite", "UTC")
    assert (first.text, first.get("namespace"), first.get("embedding")) == (
        "Ana likes tea.",
        ["memories", "ana"],
        [0.5, 1.0],
    )
    assert second.get("embedding") is ABSENT
    assert "embedding: the item has several vectors, one for each field" in second.get("loss")
    # SQLite's clock is UTC and writes no zone: 08:30 is inside the hour that this item lives
    who = {"who": [["memories", "ana"]]}
    assert axes(bundle, "k1", as_of="2026-01-05T08:30:00Z", **who)[2] == "1"
    assert axes(bundle, "k1", as_of="2026-01-05T09:00:01Z", **who)[2] == "0"


def test_langgraph_a_vector_that_was_left_behind(tmp_path: Path) -> None:
    """langchain-ai/langgraph#8214: an overwriting with ``index=False`` keeps the vector of the text that is gone."""
    one = struct.pack("<2f", 0.5, 1).hex()
    script = STORE.replace("embedding BLOB)", "embedding BLOB, created_at TIMESTAMP, updated_at TIMESTAMP)")
    script += (
        f"INSERT INTO store_vectors VALUES ('memories.ana', 'k1', '$', x'{one}', NULL, '2026-01-05 07:59:59'), "
        f"('memories.bo', 'k1', '$', x'{one}', NULL, '2026-01-05 08:00:00');"
    )
    path = database(tmp_path / "store.db", script)
    bundle = imported(path)
    old, fresh = bundle.memories
    assert old.get("embedding") == fresh.get("embedding") == [0.5, 1.0]  # it is what a search still goes by
    assert old.get("loss")[0] == (
        "embedding: stored 2026-01-05 07:59:59, before the value of 2026-01-05 08:00:00: it may stand for a text that "
        "is gone"
    )
    assert not any(loss.startswith("embedding: ") for loss in fresh.get("loss"))
    assert any("1 vectors are older than the values that they stand for" in note for note in bundle.notes)


def test_langgraph_sqlite_of_another_version(tmp_path: Path) -> None:
    path = database(tmp_path / "m", "CREATE TABLE store (prefix text, key text, value text);")
    with pytest.raises(InputError, match="table store has no column created_at, updated_at"):
        imported(path)


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({**ITEM, "namespace": [1]}, "namespace: holds a label that is no text: a list of texts"),
        ({**ITEM, "namespace": 1}, "namespace: 1 is no namespace: a list of labels, or its text"),
        ({**ITEM, "key": {}}, "key: {} is no id: a text or a whole number"),
        ({**ITEM, "value": '{"a": '}, "value: '{\"a\": ' is not JSON: JSON"),
    ],
)
def test_langgraph_a_bad_item(tmp_path: Path, item: Any, expected: str) -> None:
    path = lines(tmp_path / "m", {**ITEM, "key": "k0"}, item)
    with pytest.raises(InputError) as caught:
        imported(path)
    assert str(caught.value) == f"{path}:2: {expected}"


# Graphiti

EDGE: dict[str, Any] = {
    "uuid": "e1",
    "group_id": "ana",
    "source_node_uuid": "n1",
    "target_node_uuid": "n2",
    "created_at": "2026-01-05T08:00:00Z",
    "name": "LIKES",
    "fact": "Ana likes tea",
    "fact_embedding": [0.5, 0.5],
    "episodes": ["p1"],
    "expired_at": None,
    "valid_at": "2026-01-01T00:00:00Z",
    "invalid_at": None,
    "reference_time": None,
    "attributes": {},
}


def test_graphiti_edge(tmp_path: Path) -> None:
    bundle = imported(write(tmp_path / "m", [EDGE]))
    assert bundle.format == "graphiti"
    assert {name: one for name, one in bundle.memories[0].fields.items() if name != "loss"} == {
        "id": "e1",
        "plane": "edges",
        "namespace": "ana",
        "created_at": "2026-01-05T08:00:00Z",
        "text": "Ana likes tea",
        "valid_from": "2026-01-01T00:00:00Z",
        "valid_to": None,
        "status": "active",
        "embedding": [0.5, 0.5],
        "meta": {
            "source_node_uuid": "n1",
            "target_node_uuid": "n2",
            "name": "LIKES",
            "episodes": ["p1"],
            "expired_at": None,
            "reference_time": None,
            "attributes": {},
        },
    }


@pytest.mark.parametrize(
    ("invalid", "expired", "before", "between", "after"),
    [
        # as_of 10 January, 10 February, 10 March; the fact holds from 1 January and was stored on 5 January
        (None, None, "1", "1", "1"),
        ("2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z", "1", "0", "0"),
        ("2026-03-01T00:00:00Z", "2026-02-01T00:00:00Z", "1", "0", "0"),
        (None, "2026-03-01T00:00:00Z", "1", "1", "0"),
        ("2027-01-01T00:00:00Z", None, "1", "1", "1"),  # a future end is still current
        ("soon", None, "?", "?", "?"),
    ],
)
def test_graphiti_ends(
    tmp_path: Path, invalid: str | None, expired: str | None, before: str, between: str, after: str
) -> None:
    bundle = imported(write(tmp_path / "m", [{**EDGE, "invalid_at": invalid, "expired_at": expired}]))
    days = ("2026-01-10T00:00:00Z", "2026-02-10T00:00:00Z", "2026-03-10T00:00:00Z")
    assert [axes(bundle, "e1", who=["ana"], as_of=day)[2] for day in days] == [before, between, after]
    if invalid != "soon":
        assert {axes(bundle, "e1", who=["ana"], as_of=day, intent="history")[2] for day in days} == {"1"}


@pytest.mark.parametrize(
    ("edge", "status_at"),
    [
        ({"invalid_at": "2026-02-01T00:00:00Z"}, "2026-01-05T08:00:00Z"),  # stored after it began
        ({"invalid_at": "2026-02-01T00:00:00Z", "valid_at": "2026-01-20T00:00:00Z"}, "2026-01-20T00:00:00Z"),
        ({"invalid_at": "2026-01-02T00:00:00Z"}, ABSENT),  # over when it was stored
        ({"invalid_at": "2026-02-01T00:00:00"}, ABSENT),  # a naive end beside aware starts: in doubt
        ({}, ABSENT),  # in force, as of the export
    ],
)
def test_graphiti_an_ended_fact_is_no_contradiction(tmp_path: Path, edge: dict[str, Any], status_at: Any) -> None:
    """Its label speaks for its start; else lint would find a fault in each of the ended facts, 41 % of a graph."""
    path = lines(tmp_path / "m", {**EDGE, **edge}, {**EDGE, "uuid": "e9", "created_at": "2026-04-01T00:00:00Z"})
    assert imported(path).memories[0].get("status_at") == status_at
    codes = lint_sources([path], OpenOptions(temporary=True)).counts()
    assert "status-against-times" not in codes or edge.get("invalid_at") == "2026-02-01T00:00:00"


def test_graphiti_absent_is_not_null(tmp_path: Path) -> None:
    """The MCP server's EdgeResult has no expired_at: nothing says that the fact is in force."""
    edge = {name: value for name, value in EDGE.items() if name != "expired_at"}
    bundle = imported(write(tmp_path / "m", [edge, {**edge, "uuid": "e2", "invalid_at": "2026-02-01T00:00:00Z"}]))
    assert bundle.memories[0].get("status") is ABSENT
    assert axes(bundle, "e1", who=["ana"], as_of="2026-03-01T00:00:00Z")[2] == "?"
    assert "expired_at is not in this export" in causes(bundle, "e1", "lifecycle", as_of="2026-03-01T00:00:00Z")
    assert axes(bundle, "e2", who=["ana"], as_of="2026-03-01T00:00:00Z")[2] == "0"


def test_graphiti_groups(tmp_path: Path) -> None:
    """The server's FactResult has no group_id; the default group is empty: neither names an owner."""
    fact = {name: value for name, value in EDGE.items() if name not in ("group_id", "fact_embedding")}
    bundle = imported(write(tmp_path / "facts.json", {"facts": [fact]}))
    assert (bundle.format, bundle.memories[0].get("namespace")) == ("graphiti", ABSENT)
    assert axes(bundle, "e1", who=["ana"])[0] == "?"
    assert "the record has no group_id" in causes(bundle, "e1", "scope", who=["ana"])
    bundle = imported(write(tmp_path / "m", [{**EDGE, "group_id": ""}]))
    assert bundle.memories[0].get("namespace") == ""
    assert axes(bundle, "e1", who=["ana"])[0] == "?"
    assert "Graphiti's default group" in causes(bundle, "e1", "scope", who=["ana"])


def test_graphiti_naive_times(tmp_path: Path) -> None:
    """Kuzu drops the zone (#920): in doubt within 14 hours of an aware instant, decided further off."""
    edge = {**EDGE, "created_at": "2026-01-01T00:00:00Z", "valid_at": "2026-01-10T12:00:00"}
    bundle = imported(write(tmp_path / "m", [edge]))
    at = [
        axes(bundle, "e1", who=["ana"], as_of=f"2026-01-{day}")[2]
        for day in ("09T00:00:00Z", "10T11:00:00Z", "11T03:00:00Z")
    ]
    assert at == ["0", "?", "1"]


def test_graphiti_search_results(tmp_path: Path) -> None:
    node = {
        "uuid": "n1",
        "group_id": "ana",
        "name": "Ana",
        "labels": ["Person"],
        "summary": "likes tea",
        "created_at": "2026-01-05T08:00:00Z",
        "attributes": {},
    }
    episode = {
        "uuid": "p1",
        "group_id": "ana",
        "name": "chat",
        "source": "message",
        "source_description": "app",
        "content": "I like tea",
        "valid_at": "2026-01-05T08:00:00Z",
        "created_at": "2026-01-05T08:00:00Z",
        "entity_edges": ["e1"],
    }
    value = {
        "edges": [EDGE, {**EDGE, "uuid": "e2"}],
        "edge_reranker_scores": [0.9, 0.1],
        "nodes": [node],
        "node_reranker_scores": [1.0, 2.0],
        "episodes": [episode],
        "episode_reranker_scores": [],
        "communities": [],
        "community_reranker_scores": [],
    }
    bundle = imported(write(tmp_path / "m.json", value))
    assert [(memory.id, memory.get("plane"), memory.text) for memory in bundle.memories] == [
        ("e1", "edges", "Ana likes tea"),
        ("e2", "edges", "Ana likes tea"),
        ("n1", "nodes", "Ana: likes tea"),
        ("p1", "episodes", "I like tea"),
    ]
    assert (bundle.memories[3].get("source"), bundle.memories[3].get("valid_from")) == (
        "message",
        "2026-01-05T08:00:00Z",
    )
    events = bundle.queries[0].get("recorded")["events"]
    assert [(event["name"], event["score_kind"]) for event in events] == [
        ("edges", "similarity"),
        ("nodes", "similarity"),
        ("episodes", "similarity"),
    ]
    assert [one["score"] for one in events[0]["retrieved"]] == [0.9, 0.1]
    assert events[1]["retrieved"][0]["score"] is None
    assert any("2 scores beside 1 nodes" in note for note in bundle.notes)


def test_graphiti_nodes_and_episodes_name_what_they_cannot_say(tmp_path: Path) -> None:
    node = {"uuid": "n1", "group_id": "ana", "name": "Ana", "summary": "likes tea", "name_embedding": [1.0, 0.0]}
    episode = {"uuid": "p1", "group_id": "ana", "content": "I like tea", "source": "message", "valid_at": "2026-01-05"}
    value = {
        "edges": [EDGE],
        "edge_reranker_scores": [],
        "nodes": [{**node, "labels": ["Person"]}],
        "episodes": [episode],
    }
    bundle = imported(write(tmp_path / "m", value))
    found = {memory.id: memory for memory in bundle.memories}
    assert found["n1"].fields == {
        "id": "n1",
        "plane": "nodes",
        "namespace": "ana",
        "text": "Ana: likes tea",
        "embedding": [1.0, 0.0],
        "meta": {"labels": ["Person"]},
        "loss": ["policy: the graph keeps no access rules", "status: a node's summary has no state and no end"],
    }
    assert (found["p1"].get("source"), found["p1"].get("valid_from")) == ("message", "2026-01-05")
    assert [axes(bundle, name, who=["ana"]) for name in ("e1", "n1", "p1")] == ["1?1?", "1???", "1???"]
    assert "no state and no end" in causes(bundle, "p1", "lifecycle", who=["ana"])


@pytest.mark.parametrize(
    ("more", "kind", "score"),
    [({"score": 1.0}, "unknown", 1.0), ({"score": 1.0, "relevance": 0.8}, "similarity", 0.8)],
)
def test_zep_edges(tmp_path: Path, more: dict[str, Any], kind: str, score: float) -> None:
    edge = {name: value for name, value in EDGE.items() if name not in ("group_id", "uuid", "fact_embedding")}
    bundle = imported(write(tmp_path / "m", {"edges": [{**edge, "uuid_": "z1", **more}], "nodes": None}))
    assert (bundle.memories[0].id, bundle.memories[0].get("namespace")) == ("z1", ABSENT)
    event = bundle.queries[0].get("recorded")["events"][0]
    assert (event["score_kind"], event["retrieved"]) == (kind, [{"id": "z1", "score": score}])


CYPHER = (
    "e.uuid,source_node_uuid,target_node_uuid,e.group_id,e.created_at,e.name,e.fact,e.episodes,e.expired_at,"
    """e.valid_at,e.invalid_at
e1,n1,n2,ana,2026-01-05T08:00:00.123456789Z[UTC],LIKES,"Ana likes tea, mostly","[""p1""]",,2026-01-01T00:00:00Z,NULL
e2,n1,n2,ana,2026-01-05T08:00:00Z,LIKES,\"""quoted""\",[],2026-02-02T00:00:00Z,,2026-02-01T00:00:00Z
"""
)


def test_graphiti_cypher_csv(tmp_path: Path) -> None:
    path = tmp_path / "edges.csv"
    path.write_text(CYPHER)
    bundle = imported(path)
    first, second = bundle.memories
    assert (bundle.format, first.text, first.get("status")) == ("graphiti", "Ana likes tea, mostly", "active")
    assert first.get("created_at") == "2026-01-05T08:00:00.123456789Z"
    assert (first.get("valid_to"), second.get("valid_to"), second.text) == (None, "2026-02-01T00:00:00Z", "quoted")
    assert str(second.origin) == f"{path}:3"


@pytest.mark.parametrize(
    ("text", "cut", "line"), [(CYPHER, '"Ana likes', 2), (ROWS_CSV, '"{""content"": ""Tom', 3)], ids=["cypher", "rows"]
)
def test_a_cut_csv_is_named(tmp_path: Path, text: str, cut: str, line: int) -> None:
    """In the middle of a quoted cell; a cut between two cells leaves cells empty, which nobody can see."""
    path = tmp_path / "m.csv"
    path.write_text(text[: text.index(cut) + len(cut)])
    with pytest.raises(InputError, match=rf"m\.csv:{line}: broken CSV"):
        imported(path)


def test_graphiti_names_what_may_have_ended_a_fact(tmp_path: Path) -> None:
    ended = {**EDGE, "invalid_at": "2026-02-01T00:00:00Z", "expired_at": "2026-02-01T09:00:00Z"}
    killer = {**EDGE, "uuid": "e2", "fact": "Ana likes coffee", "valid_at": "2026-02-01T01:00:00+01:00"}
    others = [
        {**killer, "uuid": "e3", "source_node_uuid": "n9"},
        {**killer, "uuid": "e4", "group_id": "bo"},
    ]
    memories = imported(lines(tmp_path / "m", ended, killer, *others)).memories
    assert memories[0].get("meta")["ended_at_the_start_of"] == ["e2"]
    assert all("ended_at_the_start_of" not in memory.get("meta") for memory in memories[1:])


@pytest.mark.parametrize(
    ("edge", "expected"),
    [
        ({**EDGE, "uuid": None}, "uuid: null is no id: a text or a whole number"),
        ({**EDGE, "fact": None}, "fact: is no text: the fact"),
        ({**EDGE, "group_id": 3}, ""),
    ],
)
def test_graphiti_a_bad_edge(tmp_path: Path, edge: Any, expected: str) -> None:
    path = lines(tmp_path / "m", {**EDGE, "uuid": "e0"}, edge)
    if not expected:  # an owner that is no text stays in meta
        assert imported(path).memories[1].get("meta")["group_id"] == 3
        return
    with pytest.raises(InputError) as caught:
        imported(path)
    assert str(caught.value) == f"{path}:2: {expected}"


def test_two_graphs_at_once(tmp_path: Path) -> None:
    first = write(tmp_path / "a", [EDGE])
    second = write(tmp_path / "b", {"edges": [{**EDGE, "fact_embedding": None, "score": 0.5}]})
    bundle = load([first, second])
    assert (len(bundle.memories), bundle.repeated, bundle.memories[0].get("embedding")) == (1, 1, [0.5, 0.5])


@pytest.mark.parametrize("indent", [None, 2])
def test_one_edge_alone(tmp_path: Path, indent: int | None) -> None:
    """Its list of episodes is not the document's list of records."""
    path = tmp_path / "m"
    path.write_text(json.dumps(EDGE, indent=indent))
    bundle = imported(path)
    assert [memory.id for memory in bundle.memories] == ["e1"]
    assert bundle.memories[0].get("meta")["episodes"] == ["p1"]
