"""Qdrant and Chroma: points, columns, the SQLite file, payloads of mem0 and LangChain.

Samples follow qdrant-client 1.20.0 (local mode) and chromadb 1.5.9 (a persistent client's file).
"""

from __future__ import annotations

import json
import sqlite3
import struct
from pathlib import Path
from typing import Any

import pytest

from inspector.errors import InputError
from inspector.formats import load
from inspector.records import ABSENT
from tests.formats.importing import axes, causes, database, imported, lines, write

POINT: dict[str, Any] = {
    "id": 7,
    "payload": {"text": "Ana lives in Porto.", "user_id": "ana", "created_at": "2026-01-05T08:00:00Z", "color": "red"},
    "vector": [0.6, 0.8],
    "shard_key": None,
    "order_value": None,
}


def scroll(*points: Any, following: Any = None) -> dict[str, Any]:
    return {"result": {"points": list(points), "next_page_offset": following}, "status": "ok", "time": 0.001}


# Qdrant


@pytest.mark.parametrize(
    "value",
    [scroll(POINT), {"result": [POINT], "status": "ok", "time": 0.1}, {"points": [POINT]}, [POINT]],
    ids=["scroll", "retrieve", "query of the client", "list"],
)
def test_qdrant_every_envelope_and_field(tmp_path: Path, value: Any) -> None:
    bundle = imported(write(tmp_path / "m", value))
    assert bundle.format == "qdrant"
    assert {name: one for name, one in bundle.memories[0].fields.items() if name != "loss"} == {
        "id": "7",
        "embedding": [0.6, 0.8],
        "text": "Ana lives in Porto.",
        "namespace": "ana",
        "keys": {"user_id": "ana"},
        "created_at": "2026-01-05T08:00:00Z",
        "meta": {"color": "red"},
    }
    assert bundle.account.mapped["payload.user_id"] == "namespace, keys.user_id"


def test_qdrant_payloads_of_mem0_and_langchain(tmp_path: Path) -> None:
    mem0 = {
        "data": "Ana lives in Porto.",
        "hash": "5f",
        "user_id": "ana",
        "run_id": "r",
        "expiration_date": "2026-03-01",
    }
    langchain = {"page_content": "Bo lives in Faro.", "metadata": {"tenant_id": "acme", "user_id": "bo", "id": "x"}}
    unlike = {"page_content": "Cy", "metadata": {"page_content": "hidden"}}
    points = [{"id": i, "payload": payload} for i, payload in enumerate((mem0, langchain, unlike))]
    first, second, third = imported(write(tmp_path / "m", scroll(*points))).memories
    assert (first.id, first.text, first.get("namespace"), first.get("session_id")) == (
        "0",
        "Ana lives in Porto.",
        "ana",
        "r",
    )
    assert first.get("valid_to") == "2026-03-02T00:00:00+00:00"
    assert (second.id, second.text, second.get("namespace")) == ("1", "Bo lives in Faro.", ["acme", "bo"])
    assert second.get("meta") == {"id": "x"}
    assert third.get("meta") == {"metadata": {"page_content": "hidden"}}


@pytest.mark.parametrize(
    ("payload", "namespace"),
    [
        ({"tenant": "acme"}, "acme"),
        ({"tenant_id": "acme", "owner": "bo"}, ["acme", "bo"]),
        ({"namespace": "n", "agent_id": "a"}, "n"),
        ({"agent_id": "a", "run_id": "r"}, ["agent", "a"]),
        ({"user_id": None}, None),
        ({"user_id": ""}, ABSENT),
        ({"user_id": ["ana"]}, ABSENT),
        ({}, ABSENT),
    ],
)
def test_owner_of_a_payload(tmp_path: Path, payload: dict[str, Any], namespace: Any) -> None:
    bundle = imported(write(tmp_path / "m", [{"id": 1, "payload": {"text": "x", **payload}}]))
    memory = bundle.memories[0]
    assert memory.get("namespace") == namespace
    has_cause = any(loss.startswith("namespace: ") for loss in memory.get("loss"))
    assert has_cause == (namespace in (None, ABSENT))


@pytest.mark.parametrize("key", ["session_id", "sessionId", "thread_id", "conversation_id", "run_id"])
def test_session_and_labels_of_a_payload(tmp_path: Path, key: str) -> None:
    payload = {"document": "x", "userId": "ana", "agent_id": "bot", "semantic_tag": "trip", "timestamp": "2026-01-05"}
    more = {"updatedAt": "2026-01-06", "valid_from": "2026-01-07", "invalid_at": "2026-01-08", "superseded_by": "b"}
    fields = imported(write(tmp_path / "m", [{"id": 1, "payload": {**payload, **more, key: "s1"}}])).memories[0].fields
    keys = {"userId": "ana", "agent_id": "bot", **({"run_id": "s1"} if key == "run_id" else {})}
    assert {name: value for name, value in fields.items() if name != "loss"} == {
        "id": "1",
        "text": "x",
        "namespace": "ana",
        "keys": keys,
        "session_id": "s1",
        "semantic_tag": "trip",
        "created_at": "2026-01-05",
        "updated_at": "2026-01-06",
        "valid_from": "2026-01-07",
        "valid_to": "2026-01-08",
        "superseded_by": "b",
    }


def test_lifecycle_of_a_payload(tmp_path: Path) -> None:
    payload = {
        "content": "x",
        "user_id": "ana",
        "createdAt": 1767600000,
        "valid_at": "2026-01-01",
        "expires_at": "2026-06-01T00:00:00Z",
        "deleted_at": "never",
        "status": "active",
        "sensitivity": 3,
        "allowed_purposes": ["billing"],
        "superseded_by": {"id": 1},
    }
    bundle = imported(write(tmp_path / "m", [{"id": "a-b", "payload": payload}]))
    memory = bundle.memories[0]
    assert {name: memory.get(name) for name in ("created_at", "valid_from", "valid_to", "status", "sensitivity")} == {
        "created_at": 1767600000,
        "valid_from": "2026-01-01",
        "valid_to": "2026-06-01T00:00:00Z",
        "status": "active",
        "sensitivity": "3",
    }
    assert memory.get("meta") == {"deleted_at": "never", "superseded_by": {"id": 1}}
    assert 'deleted_at: deleted_at is "never", which is no time' in memory.get("loss")
    asked = {"who": ["ana"], "purpose": "billing"}
    # a future end is still current
    assert axes(bundle, "a-b", as_of="2026-05-31T00:00:00Z", **asked) == "1111"
    assert axes(bundle, "a-b", as_of="2026-06-01T00:00:00Z", **asked) == "1100"
    assert axes(bundle, "a-b", who=["ana"], purpose="support", as_of="2026-05-31T00:00:00Z") == "1010"


@pytest.mark.parametrize(
    ("vector", "expected", "kept"),
    [
        (None, None, None),
        ({"dense": [1.0, 2.0]}, [1.0, 2.0], ("vector_name", "dense")),
        ({"a": [1.0], "b": [2.0]}, ABSENT, ("vectors", {"a": [1.0], "b": [2.0]})),
        ({"s": {"indices": [1], "values": [0.5]}}, ABSENT, ("vectors", {"s": {"indices": [1], "values": [0.5]}})),
        ([[1.0, 2.0], [3.0, 4.0]], ABSENT, ("vectors", [[1.0, 2.0], [3.0, 4.0]])),
    ],
)
def test_qdrant_vectors(tmp_path: Path, vector: Any, expected: Any, kept: Any) -> None:
    memory = imported(write(tmp_path / "m", [{**POINT, "vector": vector}])).memories[0]
    assert memory.get("embedding") == expected
    if kept is not None:
        assert memory.get("meta")[kept[0]] == kept[1]
    assert any("embedding: " in loss for loss in memory.get("loss")) == (expected is ABSENT)


def test_qdrant_scores_have_no_direction(tmp_path: Path) -> None:
    """With Euclid a nearer point has a lower score; the response does not say which distance it is."""
    scored = [{**POINT, "vector": None, "version": 3, "score": score, "id": i} for i, score in enumerate((1.0, None))]
    stored = [{**POINT, "id": i} for i in range(2)]
    bundle = load([write(tmp_path / "q.json", {"points": scored}), write(tmp_path / "s.json", scroll(*stored))])
    # the records themselves, with their vectors, stand for the search's views of them
    assert [memory.get("embedding") for memory in bundle.memories] == [[0.6, 0.8], [0.6, 0.8]]
    assert bundle.repeated == 2
    event = bundle.queries[0].get("recorded")["events"][0]
    assert (event["score_kind"], event["metric"]) == ("unknown", "not recorded in this export")
    assert event["retrieved"] == [
        {"id": "0", "score": 1.0, "namespace": "ana"},
        {"id": "1", "score": None, "namespace": "ana"},
    ]


def test_qdrant_vectors_of_several_lengths_and_nan_are_loaded(tmp_path: Path) -> None:
    path = tmp_path / "m"
    path.write_text('[{"id": 1, "payload": {"text": "a"}, "vector": [NaN, 1]}, '
                    '{"id": 2, "payload": {"text": "b", "x": Infinity}, "vector": [0, 0, 0]}]')  # fmt: skip
    first, second = imported(path).memories
    assert str(first.get("embedding")) == "[nan, 1]"
    assert second.get("embedding") == [0, 0, 0]
    assert second.get("meta") == {"x": "Infinity"}


def test_qdrant_says_that_pages_follow(tmp_path: Path) -> None:
    path = write(tmp_path / "m", scroll(*({**POINT, "id": i} for i in range(10)), following="8d"))
    notes = imported(path).notes
    assert f"looks capped: {path} has a next-page mark, result.next_page_offset" in notes
    assert f"looks capped: {path} holds exactly 10 memories, a common page size" in notes


def test_qdrant_a_payload_without_a_text(tmp_path: Path) -> None:
    odd = {"id": 2, "payload": {"gist": "Ana"}}
    bundle = imported(lines(tmp_path / "some", POINT, odd))
    assert (bundle.memories[1].text, bundle.memories[1].get("meta")) == ("", {"gist": "Ana"})
    assert any("1 records hold no text under a known name" in note for note in bundle.notes)
    with pytest.raises(InputError, match=r"no record holds a text under a known name \(kept: gist\).*--mapping"):
        imported(write(tmp_path / "all", [odd]))


@pytest.mark.parametrize(
    ("point", "expected"),
    [
        ({"id": 1, "payload": None}, "payload: is null: a payload with the text"),
        ({"id": 1, "payload": "x"}, "payload: is no object: a payload with the text"),
        ({"id": None, "payload": {}}, "id: null is no id: a text or a whole number"),
        ("x", "'x' is not an object: an object"),
    ],
)
def test_qdrant_a_bad_point(tmp_path: Path, point: Any, expected: str) -> None:
    path = write(tmp_path / "m", scroll(POINT, point))
    with pytest.raises(InputError) as caught:
        imported(path)
    assert str(caught.value) == f"{path}:1: {expected}"
    assert len(imported(path, lenient=True).memories) == 1


# Chroma's JSON


def get(**changes: Any) -> dict[str, Any]:
    return {
        "ids": ["a", "b"],
        "embeddings": [[1.0, 0.0], [0.0, 1.0]],
        "documents": ["Ana lives in Porto.", "Bo lives in Faro."],
        "uris": None,
        "included": ["documents", "metadatas", "embeddings"],
        "data": None,
        "metadatas": [{"user_id": "ana", "n": 1, "ok": True}, None],
        **changes,
    }


def test_chroma_columns(tmp_path: Path) -> None:
    bundle = imported(write(tmp_path / "m", get()))
    assert bundle.format == "chroma"
    first, second = bundle.memories
    assert {name: one for name, one in first.fields.items() if name != "loss"} == {
        "id": "a",
        "embedding": [1.0, 0.0],
        "text": "Ana lives in Porto.",
        "namespace": "ana",
        "keys": {"user_id": "ana"},
        "meta": {"n": 1, "ok": True},
    }
    assert (second.id, second.get("namespace"), second.get("meta")) == ("b", ABSENT, ABSENT)
    assert axes(bundle, "b", who=["bo"]) == "????"
    assert "names no owner" in causes(bundle, "b", "scope", who=["bo"])


def test_chroma_null_documents_and_mem0(tmp_path: Path) -> None:
    metadatas = [{"data": "Ana.", "hash": "5", "user_id": "ana"}, {"x": 1}]
    value = get(documents=[None, None], metadatas=metadatas, uris=["file:a", None], embeddings=None)
    first, second = imported(write(tmp_path / "m", value)).memories
    assert (first.text, first.get("namespace"), first.get("meta")) == ("Ana.", "ana", {"uri": "file:a", "hash": "5"})
    assert (second.text, second.get("loss")[0]) == ("", "text: the record holds none under a known name")


def test_chroma_a_query_records_distances(tmp_path: Path) -> None:
    value = {
        "ids": [["a", "b"], ["b"]],
        "embeddings": None,
        "documents": [["Ana.", "Bo."], ["Bo."]],
        "metadatas": [[{"user_id": "ana"}, {"user_id": "bo"}], [{"user_id": "bo"}]],
        "distances": [[0.1, None], [0.4]],
    }
    bundle = imported(write(tmp_path / "q.json", value))
    assert (len(bundle.memories), bundle.repeated) == (2, 1)
    assert [query.id for query in bundle.queries] == ["q/1", "q/2"]
    event = bundle.queries[0].get("recorded")["events"][0]
    assert (event["score_kind"], event["metric"]) == ("distance", "not recorded in this export")
    assert [one["score"] for one in event["retrieved"]] == [0.1, None]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (get(documents=["only one"]), "documents: has 1 entries beside 2 ids: columns of one length"),
        (get(metadatas={}), "metadatas: is not a list: a list or null"),
        (get(ids=["a", None]), "ids[1]: is no text: the record's id"),
        (get(documents=[1, "x"]), "documents[0]: is no text: a text or null"),
        ({"ids": [["a"]], "documents": ["a"]}, "documents[0]: is not a list: one list for each query"),
    ],
)
def test_chroma_columns_that_do_not_fit(tmp_path: Path, value: Any, expected: str) -> None:
    path = write(tmp_path / "m", value)
    with pytest.raises(InputError) as caught:
        imported(path)
    assert str(caught.value).removeprefix(str(path)).lstrip(":1 ") == expected


# Chroma's file

TABLES = """
CREATE TABLE tenants (id TEXT);
CREATE TABLE collections (id TEXT PRIMARY KEY, name TEXT, dimension INTEGER, database_id TEXT, config_json_str TEXT);
CREATE TABLE segments (id TEXT PRIMARY KEY, type TEXT, scope TEXT, collection TEXT);
CREATE TABLE embeddings (id INTEGER PRIMARY KEY, segment_id TEXT, embedding_id TEXT, seq_id BLOB,
  created_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, UNIQUE (segment_id, embedding_id));
CREATE TABLE embedding_metadata (id INTEGER, key TEXT, string_value TEXT, int_value INTEGER, float_value REAL,
  bool_value INTEGER, PRIMARY KEY (id, key));
CREATE TABLE embedding_metadata_array (id INTEGER, key TEXT, string_value TEXT, int_value INTEGER, float_value REAL,
  bool_value INTEGER);
CREATE TABLE embeddings_queue (seq_id INTEGER PRIMARY KEY, created_at TIMESTAMP, operation INTEGER, topic TEXT, id TEXT,
  vector BLOB, encoding TEXT, metadata TEXT);
INSERT INTO collections VALUES ('c1', 'notes', 2, 'd', '{}'), ('c2', 'other', 2, 'd', '{}');
INSERT INTO segments VALUES ('s1', 'urn:m', 'METADATA', 'c1'), ('v1', 'urn:v', 'VECTOR', 'c1'),
  ('s2', 'urn:m', 'METADATA', 'c2');
INSERT INTO embeddings VALUES (1, 's1', 'a', 1, '2026-01-05 08:00:00'), (2, 's1', 'b', 2, '2026-01-05 08:00:01'),
  (3, 's2', 'a', 3, '2026-01-05 08:00:02'), (9, 'lost', 'z', 4, '2026-01-05 08:00:03');
INSERT INTO embedding_metadata VALUES (1, 'chroma:document', 'Ana lives in Porto.', NULL, NULL, NULL),
  (1, 'user_id', 'ana', NULL, NULL, NULL), (1, 'n', NULL, 1, NULL, NULL), (1, 'x', NULL, NULL, 1.5, NULL),
  (1, 'ok', NULL, NULL, NULL, 0), (2, 'chroma:document', 'Bo.', NULL, NULL, NULL),
  (2, 'created_at', '2025-01-01T00:00:00Z', NULL, NULL, NULL), (3, 'chroma:document', 'Other.', NULL, NULL, NULL);
INSERT INTO embedding_metadata_array VALUES (1, 'tags', 'p', NULL, NULL, NULL), (1, 'tags', 'q', NULL, NULL, NULL);
"""
TOPIC = "persistent://default/default/c1"


def chroma_file(folder: Path, *log: tuple[Any, ...], script: str = TABLES) -> Path:
    path = database(folder / "chroma.sqlite3", script)
    connection = sqlite3.connect(path)
    connection.executemany("INSERT INTO embeddings_queue VALUES (?, ?, ?, ?, ?, ?, ?, ?)", log)
    connection.commit()
    connection.close()
    return path


def test_chroma_file(tmp_path: Path) -> None:
    was = '{"chroma:document": "Was here.", "user_id": "bo", "k": 1}'
    log = [
        (1, "2026-01-05 08:00:00", 0, TOPIC, "a", struct.pack("<2f", 0.5, 1), "FLOAT32", "{}"),
        (
            2,
            "2026-01-05 08:00:00",
            0,
            TOPIC,
            "gone",
            None,
            None,
            was,
        ),
        (3, "2026-01-05 08:30:00", 1, TOPIC, "gone", None, None, '{"k": null}'),
        (4, "2026-01-05 09:00:00", 3, TOPIC, "gone", None, None, "{}"),
        (5, "2026-01-05 09:00:00", 3, TOPIC, "unseen", None, None, None),
    ]
    path = chroma_file(tmp_path, *log)
    bundle = imported(tmp_path)
    assert (bundle.format, bundle.settings.timezone) == ("chroma-sqlite", "UTC")
    first, second, other, gone = bundle.memories
    assert {name: one for name, one in first.fields.items() if name != "loss"} == {
        "id": "notes/a",  # two collections have an "a"
        "embedding": [0.5, 1.0],
        "text": "Ana lives in Porto.",
        "namespace": "ana",
        "keys": {"user_id": "ana"},
        "meta": {"n": 1, "x": 1.5, "ok": False, "tags": ["p", "q"]},
        "plane": "notes",
        "created_at": "2026-01-05 08:00:00",
    }
    assert (second.id, second.get("created_at")) == ("b", "2025-01-01T00:00:00Z")
    assert "embedding: vectors lie in index files that are not read" in second.get("loss")
    assert (other.id, other.text) == ("other/a", "Other.")
    assert (gone.id, gone.text, gone.get("plane"), gone.get("meta")) == (
        "gone",
        "Was here.",
        "embeddings_queue",
        ABSENT,
    )
    assert gone.get("deleted_at") == "2026-01-05 09:00:00"
    assert axes(bundle, "gone", who=["bo"], as_of="2026-01-05T09:00:00Z")[2:] == "00"
    assert f"{path}: 1 records of no collection were not read" in bundle.notes
    assert f"{path}: 1 deleted records whose text the log lacks" in bundle.notes


def test_chroma_collections_of_one_name(tmp_path: Path) -> None:
    """Names are unique within a database only."""
    script = TABLES.replace("('c2', 'other', 2, 'd', '{}')", "('c2', 'notes', 2, 'e', '{}')")
    script += "CREATE TABLE databases (id TEXT, name TEXT, tenant_id TEXT);"
    script += "INSERT INTO databases VALUES ('d', 'main', 't'), ('e', 'spare', 't');"
    found = {memory.id: memory.get("plane") for memory in imported(chroma_file(tmp_path, script=script)).memories}
    assert found == {"main/notes/a": "main/notes", "b": "main/notes", "spare/notes/a": "spare/notes"}


def test_chroma_file_of_an_older_version(tmp_path: Path) -> None:
    script = TABLES.replace("created_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, ", "").split(
        "INSERT INTO embeddings "
    )
    path = database(tmp_path / "old.sqlite3", script[0])
    with pytest.raises(
        InputError, match=r"table embeddings has no column created_at: a chroma\.sqlite3 of Chroma 0\.4"
    ):
        imported(path)


def test_sqlite_files_are_never_written_and_their_log_is_read(tmp_path: Path) -> None:
    path = chroma_file(tmp_path)
    writer = sqlite3.connect(path)
    writer.execute("PRAGMA journal_mode = WAL")
    writer.execute("UPDATE embedding_metadata SET string_value = 'Ana moved.' WHERE id = 1 AND key = 'chroma:document'")
    writer.commit()  # stands in the log alone while the writer is open
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert "chroma.sqlite3-wal" in before
    assert imported(path).memories[0].text == "Ana moved."
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
    writer.close()


@pytest.mark.parametrize("size", [100, 5000])
def test_sqlite_broken(tmp_path: Path, size: int) -> None:
    path = chroma_file(tmp_path)
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(InputError, match="SQLite"):
        imported(path)


def test_sqlite_views_are_not_run(tmp_path: Path) -> None:
    script = TABLES.replace("CREATE TABLE segments", "CREATE TABLE segments_").replace(
        "INTO segments", "INTO segments_"
    )
    hostile = (
        "CREATE VIEW segments AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) "
        "SELECT n AS id, 'x' AS type, 'METADATA' AS scope, 'c1' AS collection FROM r;"
    )
    path = database(tmp_path / "m.sqlite3", script + hostile)
    with pytest.raises(InputError, match="SQLite"):
        imported(path)  # returns at once: a view is no table


def test_a_document_of_columns_longer_than_the_head_is_recognised(tmp_path: Path) -> None:
    ids = [f"record-{i:032}" for i in range(8000)]
    value = {"ids": ids, "documents": ["x"] * 8000, "metadatas": [None] * 8000}
    path = tmp_path / "m"
    path.write_text(json.dumps(value))
    assert path.stat().st_size > 1 << 18
    assert len(imported(path).memories) == 8000
