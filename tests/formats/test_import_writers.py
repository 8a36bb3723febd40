"""Every importer against the writer itself: each project's own library makes a store, and we read what it wrote.

The libraries are the extra ``writers``; CI installs them and sets INSPECTOR_REQUIRE_WRITERS, so that none is skipped
there. What is expected follows from what was put in, never from what came out. OpenMemory's backup, Letta's server and
Zep Cloud have no light library: their samples are written by hand beside the other tests.
"""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.formats import load
from inspector.records import ABSENT, Bundle
from tests.formats.importing import axes, imported, write
from tests.store.postgres import server

pytestmark = pytest.mark.xdist_group("writers")


def writer(name: str) -> Any:
    """A library's module; the test is skipped where it is not installed, unless none may be."""
    if os.environ.get("INSPECTOR_REQUIRE_WRITERS"):
        return importlib.import_module(name)
    return pytest.importorskip(name, reason=f"{name} is not installed: pip install '.[writers]'")


def by_id(bundle: Bundle) -> dict[str, Any]:
    return {memory.id: memory for memory in bundle.memories}


def hits(bundle: Bundle) -> tuple[str, list[tuple[str, float]]]:
    """How the scores of the one recorded event count, and what it found."""
    (event,) = bundle.queries[0].get("recorded")["events"]
    return event["score_kind"], [(one["id"], round(one["score"], 4)) for one in event["retrieved"]]


# Chroma

DOCUMENTS = ["Ana lives in Porto.", "Bo lives in Faro.", "Cy moved away."]
METADATAS = [
    {"user_id": "ana", "n": 1, "share": 0.5, "ok": True},
    {"user_id": "bo", "status": "archived", "expires_at": "2027-01-01T00:00:00Z"},
    {"user_id": "cy"},
]
VECTORS = [[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]]


@pytest.fixture
def collection(tmp_path: Path) -> Iterator[Any]:
    chromadb = writer("chromadb")
    settings = chromadb.config.Settings(anonymized_telemetry=False)
    client = chromadb.PersistentClient(str(tmp_path / "chroma"), settings=settings)
    made = client.create_collection("notes", embedding_function=None)
    made.add(ids=["a", "b", "c"], documents=DOCUMENTS, metadatas=METADATAS, embeddings=VECTORS)
    yield made
    client.clear_system_cache()


def plain(found: Any) -> Any:
    """A result as JSON: its vectors are NumPy's."""
    return json.loads(json.dumps(dict(found), default=lambda one: one.tolist()))


def test_chroma_get(tmp_path: Path, collection: Any) -> None:
    found = collection.get(include=["documents", "metadatas", "embeddings"])
    bundle = imported(write(tmp_path / "get.json", plain(found)))
    assert bundle.format == "chroma"
    assert [memory.text for memory in bundle.memories] == DOCUMENTS
    assert [memory.get("namespace") for memory in bundle.memories] == ["ana", "bo", "cy"]
    first, second, third = bundle.memories
    assert first.get("meta") == {"n": 1, "share": 0.5, "ok": True}
    assert (second.get("status"), second.get("valid_to")) == ("archived", "2027-01-01T00:00:00Z")
    assert third.get("embedding") == pytest.approx([0.6, 0.8])
    # without documents the columns are null, and nothing is made up
    bare = plain(collection.get(include=["metadatas"]))
    assert bare["documents"] is None
    with pytest.raises(Exception, match="no record holds a text"):
        imported(write(tmp_path / "bare.json", bare))


def test_chroma_query(tmp_path: Path, collection: Any) -> None:
    found = collection.query(query_embeddings=[[1.0, 0.0]], n_results=2)
    bundle = imported(write(tmp_path / "query.json", plain(found)))
    # squared L2, Chroma's default: (1 - .6)² + .8² = .8 and 1 + 1 = 2
    assert hits(bundle) == ("distance", [("a", 0.0), ("c", 0.8)])


def test_chroma_file(tmp_path: Path, collection: Any) -> None:
    collection.update(ids=["a"], documents=["Ana lives in Braga."], embeddings=[[0.5, 0.5]])
    collection.delete(ids=["c"])
    bundle = imported(tmp_path / "chroma")
    assert bundle.format == "chroma-sqlite"
    found = by_id(bundle)
    assert (found["a"].text, found["a"].get("plane")) == ("Ana lives in Braga.", "notes")
    assert found["a"].get("meta") == {"n": 1, "share": 0.5, "ok": True}
    assert (found["a"].get("embedding"), found["b"].get("embedding")) == ([0.5, 0.5], [0.0, 1.0])
    # the write log still holds what was deleted; SQLite's clock gives the time, in UTC
    assert (found["c"].text, found["c"].get("plane")) == ("Cy moved away.", "embeddings_queue")
    assert axes(bundle, "c", who=["cy"], as_of="2099-01-01T00:00:00Z") == "1?00"


# Qdrant


@pytest.fixture
def points(tmp_path: Path) -> Iterator[Any]:
    qdrant = writer("qdrant_client")
    models = qdrant.models
    client = qdrant.QdrantClient(path=str(tmp_path / "qdrant"))
    client.create_collection("notes", vectors_config=models.VectorParams(size=2, distance=models.Distance.EUCLID))
    payloads = [
        {"page_content": "Ana lives in Porto.", "metadata": {"tenant_id": "acme", "user_id": "ana"}},
        {"text": "Bo lives in Faro.", "user_id": "bo", "deleted_at": "2026-02-01T00:00:00Z"},
    ]
    stored = [
        models.PointStruct(id=number, vector=vector, payload=payload)
        for number, (payload, vector) in enumerate(zip(payloads, ([1.0, 0.0], [0.0, 1.0]), strict=True), 1)
    ]
    client.upsert("notes", stored)
    yield client
    client.close()


def test_qdrant_scroll(tmp_path: Path, points: Any) -> None:
    records, following = points.scroll("notes", limit=1, with_vectors=True)
    page = [json.loads(record.model_dump_json()) for record in records]
    document = {"result": {"points": page, "next_page_offset": following}, "status": "ok", "time": 0.1}
    bundle = imported(write(tmp_path / "scroll.json", document))
    (first,) = bundle.memories
    assert (bundle.format, first.id, first.text, first.get("namespace")) == (
        "qdrant",
        "1",
        "Ana lives in Porto.",
        ["acme", "ana"],
    )
    assert first.get("embedding") == [1.0, 0.0]
    assert following == 2
    assert any("next-page mark" in note for note in bundle.notes)


def test_qdrant_query(tmp_path: Path, points: Any) -> None:
    found = points.query_points("notes", query=[1.0, 0.0], limit=10)
    bundle = imported(write(tmp_path / "query.json", json.loads(found.model_dump_json())))
    # Euclid: the nearest is 0 and the farther √2, which nothing in the response says
    assert hits(bundle) == ("unknown", [("1", 0.0), ("2", 1.4142)])
    assert axes(bundle, "2", who=["bo"], as_of="2026-03-01T00:00:00Z") == "1?00"


# LangGraph


def put(store: Any) -> None:
    store.put(("memories", "ana"), "k1", {"content": "Ana likes tea.", "importance": 3})
    store.put(("memories", "bo"), "k1", {"kind": "Memory", "content": {"content": "Bo likes rum."}})


def kept(bundle: Bundle) -> list[tuple[Any, str]]:
    return [(memory.get("namespace"), memory.text) for memory in bundle.memories]


STORED = [(["memories", "ana"], "Ana likes tea."), (["memories", "bo"], "Bo likes rum.")]


def test_langgraph_items(tmp_path: Path) -> None:
    store = writer("langgraph.store.memory").InMemoryStore()
    put(store)
    bundle = imported(write(tmp_path / "items.json", [one.dict() for one in store.search(("memories",))]))
    assert (bundle.format, kept(bundle)) == ("langgraph", STORED)
    assert {memory.id for memory in bundle.memories} == {"k1"}  # unique within its namespace only
    # no words were searched for: every score is null, and nothing was ranked
    assert bundle.queries == []
    assert bundle.memories[0].get("meta") == {"importance": 3}


def test_langgraph_search(tmp_path: Path) -> None:
    vectors = {"tea": [1.0, 0.0], "Ana likes tea.": [0.6, 0.8]}
    embed = lambda texts: [vectors.get(text, [0.0, 1.0]) for text in texts]  # noqa: E731
    index = {"dims": 2, "embed": embed, "fields": ["content"]}
    store = writer("langgraph.store.memory").InMemoryStore(index=index)
    store.put(("memories", "ana"), "k1", {"content": "Ana likes tea."})
    found = store.search(("memories",), query="tea")
    bundle = imported(write(tmp_path / "found.json", [one.dict() for one in found]))
    assert hits(bundle) == ("similarity", [("k1", 0.6)])  # the cosine


def test_langgraph_sqlite(tmp_path: Path) -> None:
    sqlite = writer("langgraph.store.sqlite")
    path = tmp_path / "store.db"
    with sqlite.SqliteStore.from_conn_string(str(path), ttl={"default_ttl": 60}) as store:
        store.setup()
        put(store)
        bundle = imported(path)
    assert (bundle.format, kept(bundle), bundle.settings.timezone) == ("langgraph-sqlite", STORED, "UTC")
    asked = {"who": [["memories", "ana"]], "as_of": "2099-01-01T00:00:00Z"}
    # an hour is all that it lives
    assert axes(bundle, "k1", **asked)[2] == "0"


def test_langgraph_rows_of_postgres(tmp_path: Path) -> None:
    postgres = writer("langgraph.store.postgres")
    with server() as started:
        with postgres.PostgresStore.from_conn_string(
            f"postgresql://tester@127.0.0.1:{started.port}/postgres", ttl={"default_ttl": 60}
        ) as store:
            store.setup()
            put(store)
        dumps = {
            "csv": started.run("COPY store TO STDOUT WITH (FORMAT csv, HEADER)"),
            "json": started.run("SELECT json_agg(store) FROM store"),
            "jsonl": started.run("SELECT row_to_json(store) FROM store"),
        }
    for ending, text in dumps.items():
        path = tmp_path / f"store.{ending}"
        path.write_text(text)
        bundle = imported(path)
        assert (bundle.format, kept(bundle)) == ("langgraph", STORED)
        # an hour is all that it lives; Postgres writes the zone
        asked = {"who": [["memories", "ana"]], "as_of": "2099-01-01T00:00:00Z"}
        assert axes(bundle, "k1", **asked)[2] == "0"
        assert bundle.settings.timezone is None


# LlamaIndex


def test_llamaindex(tmp_path: Path) -> None:
    schema = writer("llama_index.core.schema")
    docstore = writer("llama_index.core.storage.docstore").SimpleDocumentStore()
    document = schema.Document(id_="doc1", text="Whole.", metadata={"user_id": "ana"})
    source = {schema.NodeRelationship.SOURCE: document.as_related_node_info()}
    nodes = [
        schema.TextNode(
            id_=name,
            text=f"Part {name}.",
            metadata={"user_id": "ana", "created_at": "2026-01-05"},
            relationships=source,
            excluded_llm_metadata_keys=["user_id"],
        )
        for name in ("n1", "n2")
    ]
    docstore.add_documents(nodes)
    docstore.persist(str(tmp_path / "store" / "docstore.json"))
    bundle = imported(tmp_path / "store")
    found = by_id(bundle)
    assert (bundle.format, found["n1"].text, found["n1"].get("namespace")) == ("llamaindex", "Part n1.", "ana")
    assert (found["n1"].get("source"), found["n1"].get("created_at")) == ("doc1", "2026-01-05")
    assert found["n1"].get("meta")["excluded_llm_metadata_keys"] == ["user_id"]
    scored = [schema.NodeWithScore(node=nodes[0], score=0.5), schema.NodeWithScore(node=nodes[1])]
    bundle = imported(write(tmp_path / "nodes.json", [one.to_dict() for one in scored]))
    event = bundle.queries[0].get("recorded")["events"][0]
    assert [(one["id"], one["score"]) for one in event["retrieved"]] == [("n1", 0.5), ("n2", None)]


# mem0


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """mem0 with a local vector store, vectors of our own, and no language model: ``infer=False`` asks none."""
    monkeypatch.setenv("MEM0_TELEMETRY", "False")
    monkeypatch.setenv("MEM0_DIR", str(tmp_path / "mem0"))
    mem0 = writer("mem0")
    store = {"path": str(tmp_path / "q"), "on_disk": True, "embedding_model_dims": 2, "collection_name": "mem0"}
    model = {"provider": "openai", "config": {"api_key": "none"}}
    made = mem0.Memory.from_config(
        {
            "vector_store": {"provider": "qdrant", "config": store},
            "history_db_path": str(tmp_path / "history.db"),
            "embedder": model,
            "llm": model,
        }
    )
    vector = [0.6, 0.8]
    monkeypatch.setattr(made.embedding_model, "embed", lambda *_, **__: vector)
    monkeypatch.setattr(made.embedding_model, "embed_batch", lambda texts, *_, **__: [vector for _ in texts])
    yield made
    made.vector_store.client.close()
    made.close() if hasattr(made, "close") else None


def test_mem0(tmp_path: Path, memory: Any) -> None:
    owner = {"user_id": "ana", "agent_id": "helper", "run_id": "r1"}
    added = memory.add("Ana lives in Porto.", metadata={"category": "home"}, infer=False, **owner)
    gone = memory.add("Bo likes tea.", user_id="bo", infer=False)
    first, second = added["results"][0]["id"], gone["results"][0]["id"]
    memory.update(first, "Ana lives in Faro.")
    ana = {"user_id": "ana"}
    stored = write(tmp_path / "all.json", memory.get_all(filters=ana))
    bundle = imported(stored)
    (one,) = bundle.memories
    assert (bundle.format, one.id, one.text, one.get("namespace")) == ("mem0", first, "Ana lives in Faro.", "ana")
    assert (one.get("keys"), one.get("session_id"), one.get("meta")["category"]) == (owner, "r1", "home")
    assert axes(bundle, first, who=["ana"])[0] == "1"
    # what else mem0 gives for this memory is the same memory
    found = write(tmp_path / "found.json", memory.search("where?", filters=ana))
    assert load([stored, found]).memories[0].fields == one.fields
    event = imported(found).queries[0].get("recorded")["events"][0]
    assert [(hit["id"], hit["namespace"]) for hit in event["retrieved"]] == [(first, "ana")]
    assert imported(write(tmp_path / "one.json", memory.get(first))).memories[0].text == "Ana lives in Faro."
    answer = imported(write(tmp_path / "added.json", added)).memories[0]
    assert (answer.id, answer.text, answer.get("meta")["event"]) == (first, "Ana lives in Porto.", "ADD")
    # its payloads in Qdrant
    records, following = memory.vector_store.client.scroll("mem0", with_vectors=True)
    assert following is None
    points = [json.loads(record.model_dump_json()) for record in records]
    raw = by_id(imported(write(tmp_path / "points.json", points)))
    assert (raw[first].text, raw[first].get("namespace"), raw[second].get("namespace")) == (
        "Ana lives in Faro.",
        "ana",
        "bo",
    )
    assert raw[first].get("keys") == owner
    # its history: a version that was replaced, and a deletion
    memory.delete(second)
    past = load([stored, tmp_path / "history.db"], None)
    old = by_id(past)[f"{first}@1"]
    assert (old.text, old.get("superseded_by"), old.get("namespace")) == ("Ana lives in Porto.", first, "ana")
    late = {"as_of": "2099-01-01T00:00:00Z"}
    assert axes(past, f"{first}@1", who=["ana"], **late)[2] == "0"
    assert axes(past, second, who=["bo"], **late)[2:] == "00"


# Agno


def test_agno(tmp_path: Path) -> None:
    sqlite = writer("agno.db.sqlite")
    record = writer("agno.db.schemas.memory").UserMemory
    database = sqlite.SqliteDb(db_file=str(tmp_path / "agno.db"))
    database.upsert_user_memory(record(memory="Ana likes tea", memory_id="m1", topics=["food"], user_id="ana"))
    database.upsert_user_memory(record(memory="Team fact", memory_id="m2", team_id="crew", agent_id="bot"))
    bundle = imported(tmp_path / "agno.db")
    found = by_id(bundle)
    assert (bundle.format, found["m1"].text, found["m1"].get("namespace")) == ("agno", "Ana likes tea", "ana")
    assert found["m1"].get("meta")["topics"] == ["food"]
    assert isinstance(found["m1"].get("created_at"), int)
    printed = write(tmp_path / "printed.json", [one.to_dict() for one in database.get_user_memories(user_id="ana")])
    (shown,) = imported(printed).memories
    # to_dict prints local time without a zone, and leaves out what is null
    assert (shown.text, shown.get("namespace"), "+" in shown.get("created_at")) == ("Ana likes tea", "ana", False)
    assert "feedback" not in shown.get("meta")
    database.db_engine.dispose()


# Graphiti


def test_graphiti(tmp_path: Path) -> None:
    edges = writer("graphiti_core.edges")
    nodes = writer("graphiti_core.nodes")
    results = writer("graphiti_core.search.search_config").SearchResults
    times = {"created_at": "2026-01-05T00:00:00Z", "valid_at": "2026-01-01T00:00:00Z"}
    ends = {"invalid_at": "2026-02-01T00:00:00Z", "expired_at": "2026-02-01T09:00:00Z"}
    common = {"source_node_uuid": "n1", "target_node_uuid": "n2", "group_id": "ana", "name": "LIKES", **times}
    live = edges.EntityEdge(uuid="e1", fact="Ana likes tea", **common)
    ended = edges.EntityEdge(uuid="e2", fact="Ana likes rum", **common, **ends)
    unowned = edges.EntityEdge(uuid="e3", fact="Bo likes rum", **{**common, "group_id": ""})
    node = nodes.EntityNode(
        uuid="n1", name="Ana", group_id="ana", summary="likes tea", created_at="2026-01-05T00:00:00Z"
    )
    bundle = imported(
        write(tmp_path / "edges.json", [json.loads(one.model_dump_json()) for one in (live, ended, unowned)])
    )
    late = {"who": ["ana"], "as_of": "2026-03-01T00:00:00Z"}
    assert bundle.format == "graphiti"
    assert [axes(bundle, name, **late)[::2] for name in ("e1", "e2", "e3")] == ["11", "10", "?1"]
    found = results(edges=[live, ended], edge_reranker_scores=[0.9, 0.1], nodes=[node], node_reranker_scores=[0.3])
    bundle = imported(write(tmp_path / "found.json", json.loads(found.model_dump_json())))
    assert [(one.id, one.get("plane"), one.get("valid_to")) for one in bundle.memories] == [
        ("e1", "edges", None),
        ("e2", "edges", "2026-02-01T00:00:00Z"),
        ("n1", "nodes", ABSENT),
    ]
    events = bundle.queries[0].get("recorded")["events"]
    assert [[one["score"] for one in event["retrieved"]] for event in events] == [[0.9, 0.1], [0.3]]
