"""Letta, LlamaIndex, Agno, and memory folders of Markdown files.

Samples follow letta 0.16.8's schemas (passages, both kinds of agent file), llama-index-core 0.14.25
(``SimpleDocumentStore``, ``NodeWithScore``), agno 3.1.10 (``SqliteDb``, ``UserMemory.to_dict``).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.errors import InputError
from inspector.formats import frontmatter
from inspector.records import ABSENT
from tests.formats.importing import axes, causes, database, imported, lines, write

PASSAGE: dict[str, Any] = {
    "id": "passage-1",
    "text": "Ana lives in Porto.",
    "organization_id": "org-1",
    "archive_id": "archive-1",
    "source_id": None,
    "file_id": None,
    "is_deleted": False,
    "created_at": "2026-01-05T08:00:00+00:00",
    "updated_at": "2026-02-01T00:00:00+00:00",
    "embedding": [0.5, 0.5, 0.0, 0.0],
    "embedding_config": {"embedding_dim": 2, "embedding_model": "x"},
    "metadata": {},
    "tags": ["home"],
}


def test_letta_passages(tmp_path: Path) -> None:
    bundle = imported(write(tmp_path / "m", [PASSAGE]))
    assert bundle.format == "letta"
    assert {name: one for name, one in bundle.memories[0].fields.items() if name != "loss"} == {
        "id": "passage-1",
        "text": "Ana lives in Porto.",
        "namespace": "archive-1",
        "keys": {"organization_id": "org-1"},
        "created_at": "2026-01-05T08:00:00+00:00",
        "updated_at": "2026-02-01T00:00:00+00:00",
        "status": "active",
        "embedding": [0.5, 0.5],  # padded to a fixed length; the configuration says that it has two
        "meta": {
            "source_id": None,
            "file_id": None,
            "embedding_config": {"embedding_dim": 2, "embedding_model": "x"},
            "metadata": {},
            "tags": ["home"],
        },
    }
    assert axes(bundle, "passage-1", who=["archive-1"]) == "1?1?"


def test_letta_deletion_and_owner(tmp_path: Path) -> None:
    deleted = {**PASSAGE, "id": "p2", "is_deleted": True}
    orphan = {**PASSAGE, "id": "p3", "archive_id": None}
    of_file = {**PASSAGE, "id": "p4", "archive_id": None, "source_id": "source-1", "is_deleted": None}
    older = {**PASSAGE, "id": "p5", "agent_id": "agent-1", "embedding": [0.5, 0.5, 0.1, 0.0]}
    bundle = imported(lines(tmp_path / "m", deleted, orphan, of_file, older))
    first, second, third, fourth = bundle.memories
    # is_deleted has no time of its own; the last change is the latest that it can be
    assert (first.get("status"), first.get("status_at")) == ("deleted", "2026-02-01T00:00:00+00:00")
    assert axes(bundle, "p2", who=["archive-1"], as_of="2026-02-02T00:00:00Z")[2] == "0"
    assert axes(bundle, "p2", who=["archive-1"], as_of="2026-01-20T00:00:00Z")[2] == "?"
    assert second.get("namespace") is ABSENT
    assert "a passage names no agent" in causes(bundle, "p3", "scope", who=["agent-1"])
    assert (third.get("namespace"), third.get("status")) == ("source-1", ABSENT)
    assert "status: is_deleted is not in this export" in third.get("loss")
    # what follows the configured length is not all zeros: no padding, kept whole
    assert (fourth.get("namespace"), fourth.get("embedding")) == ("agent-1", [0.5, 0.5, 0.1, 0.0])


FIRST_KIND: dict[str, Any] = {
    "agent_type": "memgpt_agent",
    "core_memory": [
        {
            "created_at": "2026-01-05T08:00:00+00:00",
            "description": None,
            "is_template": False,
            "label": "human",
            "limit": 5000,
            "metadata_": {},
            "template_name": None,
            "updated_at": "2026-01-06T08:00:00+00:00",
            "value": "Ana lives in Porto.",
        }
    ],
    "messages": [{"role": "user", "content": []}],
    "name": "helper",
    "version": "0.6.47",
}
SECOND_KIND: dict[str, Any] = {
    "agents": [
        {"id": "agent-0", "name": "helper", "block_ids": ["block-0", "block-1", "block-9"], "messages": [{}, {}]},
        {"id": "agent-1", "name": "other", "block_ids": ["block-1"], "messages": []},
    ],
    "groups": [],
    "blocks": [
        {"id": "block-0", "label": "human", "value": "Ana lives in Porto.", "limit": 5000, "read_only": False},
        {"id": "block-1", "label": "team", "value": "Shared.", "limit": 5000},
        {"id": "block-2", "label": "lost", "value": "Nobody's.", "limit": 5000},
    ],
    "files": [],
    "sources": [],
    "tools": [],
    "mcp_servers": [],
    "metadata": {"revision_id": "x"},
    "created_at": "2026-01-05T08:00:00+00:00",
}


@pytest.mark.parametrize("indent", [None, 2])
def test_letta_agent_file_of_the_first_kind(tmp_path: Path, indent: int | None) -> None:
    path = tmp_path / "helper.af"
    path.write_text(json.dumps(FIRST_KIND, indent=indent))
    bundle = imported(path)
    memory = bundle.memories[0]
    assert (bundle.format, memory.id, memory.text) == ("letta-af", "human", "Ana lives in Porto.")
    assert (memory.get("namespace"), memory.get("created_at")) == ("helper", "2026-01-05T08:00:00+00:00")
    assert memory.get("meta")["limit"] == 5000
    assert bundle.notes == [f"{path}: 1 messages are no memories"]


def test_letta_agent_file_of_the_second_kind(tmp_path: Path) -> None:
    bundle = imported(write(tmp_path / "m.af", SECOND_KIND))
    own, shared, lost = bundle.memories
    assert (bundle.format, own.get("namespace")) == ("letta-af", "agent-0")
    assert shared.get("namespaces") == ["agent-0", "agent-1"]
    assert (lost.get("namespace"), lost.get("loss")[0]) == (ABSENT, "namespace: no agent of the file holds this block")
    # an agent is known by its name too
    assert [axes(bundle, "block-1", who=[who])[0] for who in ("helper", "agent-1", "stranger")] == ["1", "1", "0"]
    assert axes(bundle, "block-0", who=["other"])[0] == "0"
    assert any("dangling: agents name blocks that the file does not hold: block-9" in note for note in bundle.notes)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"agents": [{"block_ids": []}], "x": 1}, "is an agent file of neither known kind: core_memory, or agents and"),
        ({**FIRST_KIND, "core_memory": {}}, "core_memory: is not a list: a list of blocks"),
        ({**FIRST_KIND, "core_memory": [{"label": "a"}]}, "core_memory[0].value: is missing: the block's text"),
        ({**SECOND_KIND, "blocks": [{"value": "x"}]}, "blocks[0].id: is missing or no text: the block's name"),
    ],
)
def test_letta_agent_file_that_cannot_be_read(tmp_path: Path, value: Any, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        imported(write(tmp_path / "m.af", value))
    assert expected in str(caught.value)


# LlamaIndex


def docstore(**nodes: Any) -> dict[str, Any]:
    return {
        "docstore/ref_doc_info": {"doc1": {"node_ids": ["n1", "gone"], "metadata": {}}},
        "docstore/data": {
            name: {"__data__": node, "__type__": "1"} if "id_" in node else node for name, node in nodes.items()
        },
        "docstore/metadata": {},
    }


NODE: dict[str, Any] = {
    "id_": "n1",
    "embedding": [0.1, 0.2],
    "metadata": {"user_id": "ana", "created_at": "2026-01-05", "file": "a.pdf"},
    "excluded_embed_metadata_keys": [],
    "excluded_llm_metadata_keys": ["file"],
    "relationships": {"1": {"node_id": "doc1", "node_type": "4", "metadata": {}, "hash": "x"}},
    "metadata_template": "{key}: {value}",
    "text": "Ana lives in Porto.",
    "mimetype": "text/plain",
    "class_name": "TextNode",
}


def test_llamaindex_docstore(tmp_path: Path) -> None:
    document = {"id_": "d2", "metadata": {}, "text_resource": {"text": "Whole."}, "class_name": "Document"}
    legacy = {"text": "Old.", "doc_id": "n3", "extra_info": {"user_id": "bo"}}
    image = {"id_": "n4", "metadata": {}, "image_resource": {"url": "x"}, "class_name": "ImageNode"}
    path = write(tmp_path / "docstore.json", docstore(n1=NODE, d2=document, n3=legacy, n4=image))
    bundle = imported(tmp_path)
    first, second, third, fourth = bundle.memories
    assert bundle.format == "llamaindex"
    assert {name: one for name, one in first.fields.items() if name not in ("loss", "meta")} == {
        "id": "n1",
        "text": "Ana lives in Porto.",
        "embedding": [0.1, 0.2],
        "source": "doc1",
        "namespace": "ana",
        "keys": {"user_id": "ana"},
        "created_at": "2026-01-05",
    }
    # a field that is kept from the model is stored all the same, and stays visible
    assert first.get("meta")["excluded_llm_metadata_keys"] == ["file"]
    assert first.get("meta")["file"] == "a.pdf"
    assert (second.text, third.id, third.get("namespace"), fourth.text) == ("Whole.", "n3", "bo", "")
    assert f"{path}: dangling: ref_doc_info names 1 nodes that are gone: gone" in bundle.notes


def test_llamaindex_names_what_it_cannot_say(tmp_path: Path) -> None:
    bundle = imported(write(tmp_path / "docstore.json", docstore(n1={**NODE, "metadata": {}})))
    assert bundle.memories[0].get("loss") == [
        "namespace: the metadata names no owner (user_id, tenant_id, namespace, …)",
        "policy: a document store keeps no access rules",
        "status: a document store keeps no status of a node",
    ]
    assert axes(bundle, "n1", who=["ana"]) == "????"
    assert "names no owner" in causes(bundle, "n1", "scope", who=["ana"])
    assert "keeps no access rules" in causes(bundle, "n1", "policy", who=["ana"])
    assert "keeps no status of a node" in causes(bundle, "n1", "lifecycle", who=["ana"])


def test_llamaindex_nodes_with_scores(tmp_path: Path) -> None:
    found = [{"node": NODE, "score": 0.5}, {"node": {**NODE, "id_": "n2"}, "score": None}]
    bundle = imported(write(tmp_path / "m", found))
    event = bundle.queries[0].get("recorded")["events"][0]
    assert (bundle.format, event["score_kind"]) == ("llamaindex", "unknown")
    assert [(one["id"], one["score"]) for one in event["retrieved"]] == [("n1", 0.5), ("n2", None)]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"docstore/metadata": {}}, "docstore/data: is missing: the store's nodes"),
        ({"docstore/data": []}, "docstore/data: is not an object: an object"),
        ({"docstore/data": {"a": {"__data__": "{"}}}, "__data__: '{' is not JSON: JSON"),
        ({"docstore/data": {"a": {"__data__": 3}}}, "3 is not an object: an object"),
    ],
)
def test_llamaindex_that_cannot_be_read(tmp_path: Path, value: Any, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        imported(write(tmp_path / "m", value))
    assert str(caught.value).endswith(expected)


# Agno

AGNO = """
CREATE TABLE my_memories (memory_id VARCHAR PRIMARY KEY, memory JSON NOT NULL, input VARCHAR, agent_id VARCHAR,
  team_id VARCHAR, user_id VARCHAR, topics JSON, feedback VARCHAR, created_at BIGINT NOT NULL, updated_at BIGINT);
CREATE TABLE agno_sessions (session_id VARCHAR, user_id VARCHAR, runs JSON);
INSERT INTO my_memories VALUES
  ('m1', '"Ana likes tea"', NULL, NULL, NULL, 'ana', '["food"]', NULL, 1767600000, 1767600001),
  ('m2', '{"memory": "Team fact", "topics": []}', NULL, 'bot', 'crew', NULL, 'null', NULL, 1767600000, NULL),
  ('m3', '"Nobody"', NULL, NULL, NULL, NULL, NULL, NULL, 1767600000, NULL);
"""


def test_agno_table(tmp_path: Path) -> None:
    bundle = imported(database(tmp_path / "agno.db", AGNO))
    first, second, third = bundle.memories
    assert bundle.format == "agno"
    assert (first.text, first.get("namespace"), first.get("created_at")) == ("Ana likes tea", "ana", 1767600000)
    assert first.get("meta")["topics"] == ["food"]
    assert (second.text, second.get("namespace")) == ("Team fact", ["team", "crew"])
    assert second.get("keys") == {"team_id": "crew", "agent_id": "bot"}
    assert third.get("namespace") is None
    assert axes(bundle, "m3", who=["ana"])[0] == "?"
    assert axes(bundle, "m1", who=["ana"]) == "1???"


def test_agno_every_field(tmp_path: Path) -> None:
    row = {
        "memory_id": "m1",
        "memory": "Ana likes tea",
        "input": "I like tea",
        "agent_id": "bot",
        "team_id": "crew",
        "user_id": "ana",
        "topics": ["food"],
        "feedback": "good",
        "created_at": 1767600000,
        "updated_at": 1767600001,
    }
    fields = imported(write(tmp_path / "m", [row])).memories[0].fields
    assert {name: value for name, value in fields.items() if name != "loss"} == {
        "id": "m1",
        "text": "Ana likes tea",
        "namespace": "ana",
        "keys": {"user_id": "ana", "team_id": "crew", "agent_id": "bot"},
        "created_at": 1767600000,
        "updated_at": 1767600001,
        "meta": {"input": "I like tea", "topics": ["food"], "feedback": "good"},
    }


def test_agno_to_dict_and_csv(tmp_path: Path) -> None:
    """``to_dict`` prints local time without a zone: it stays naive. A CSV dump has epoch seconds as text."""
    printed = {"memory_id": "m1", "memory": "x", "user_id": "ana", "created_at": "2026-01-05T08:00:00", "topics": []}
    memory = imported(write(tmp_path / "m", [printed])).memories[0]
    assert memory.get("created_at") == "2026-01-05T08:00:00"
    path = tmp_path / "m.csv"
    path.write_text('memory_id,memory,user_id,topics,created_at\nm1,"""Ana"" said it",ana,"[""food""]",1767600000\n')
    memory = imported(path).memories[0]
    assert (memory.get("created_at"), memory.get("meta")) == (1767600000, {"topics": ["food"]})
    assert memory.text == '"Ana" said it'


def test_agno_that_cannot_be_read(tmp_path: Path) -> None:
    script = AGNO.replace("created_at BIGINT NOT NULL, ", "").split("INSERT")[0]
    with pytest.raises(InputError, match="table my_memories has no column created_at"):
        imported(database(tmp_path / "a", script))
    with pytest.raises(InputError, match="its tables of memories are empty"):
        imported(database(tmp_path / "b", AGNO.split("INSERT")[0]))
    with pytest.raises(InputError, match="memory: is no text: the memory's text"):
        imported(write(tmp_path / "c", [{"memory_id": "m", "memory": 3, "user_id": "a"}]))


# Folders


def files(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        file = folder / name.replace("__", "/").replace("_md", ".md")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder


def test_letta_memory_folder(tmp_path: Path) -> None:
    head = "---\ndescription: who the user is\nread_only: false\nlimit: 5000\n---\nAna lives in Porto.\n"
    files(tmp_path / "agents" / "agent-1" / "memory", system__human_md=head, notes__a_md="A note.", system__e_md=" \n")
    for path in (tmp_path / "agents" / "agent-1" / "memory", tmp_path / "agents" / "agent-1"):
        bundle = imported(path)
        note, human = bundle.memories
        assert bundle.format == "letta-memory"
        assert (human.id, human.text, human.get("namespace")) == ("system/human.md", "Ana lives in Porto.", "agent-1")
        assert human.get("meta") == {"description": "who the user is", "read_only": False, "limit": 5000}
        assert note.id == "notes/a.md"
        assert any(note.endswith("e.md is empty") for note in bundle.notes)


def test_claude_memory_folders(tmp_path: Path) -> None:
    """Two projects started from one directory share a slug (#91738): a note may name its own project."""
    fact = "---\nname: port\ndescription: >\n  which port\n  is used\nmetadata:\n  type: project\n---\n\nPort 8080.\n"
    root = tmp_path / "projects"
    files(root / "-home-ana-work" / "memory", MEMORY_md="- [Port](port.md)\n", port_md=fact)
    files(root / "-home-ana-other" / "memory", MEMORY_md="- x\n", b_md="---\nproject: beta\n---\nBeta.\n")
    bundle = imported(tmp_path)
    assert bundle.format == "claude-memory"
    assert [(memory.id, memory.get("namespace")) for memory in bundle.memories] == [
        ("MEMORY.md", "-home-ana-other"),
        ("b.md", "beta"),
        ("MEMORY.md", "-home-ana-work"),
        ("port.md", "-home-ana-work"),
    ]
    meta = bundle.memories[3].get("meta")
    assert meta == {"name": "port", "description": "which port is used", "metadata": {"type": "project"}}
    assert bundle.memories[1].get("meta") == {"slug": "-home-ana-other"}
    assert axes(bundle, "port.md", who=["-home-ana-other"])[0] == "0"
    single = imported(root / "-home-ana-work")
    assert [memory.get("namespace") for memory in single.memories] == ["-home-ana-work", "-home-ana-work"]


def test_openai_memory_folder(tmp_path: Path) -> None:
    head = "updated_at: 2026-01-05T08:00:00Z\ncwd: /home/ana\n\n"
    raw = f"# Raw Memories\n\n## Thread `t1`\n{head}Ana.\n\n## Thread `t2`\n\nBo.\n"
    groups = (
        "Head.\n\n# Task Group: VPN\napplies_to: cwd=/home/ana; reuse_rule=x\n\nSteps.\n\n# Task Group: VPN\nMore.\n"
    )
    run = "thread_id: t1\nupdated_at: 2026-01-05T08:00:00Z\ncwd: /home/ana\n\nA run.\n"
    files(
        tmp_path / "memories",
        raw_memories_md=raw,
        MEMORY_md=groups,
        memory_summary_md="Summary.\n",
        rollout_summaries__r1_md=run,
        skills__x__SKILL_md="Not a memory.",
    )
    for path in (tmp_path, tmp_path / "memories"):
        bundle = imported(path)
        assert bundle.format == "openai-memory"
        found = {memory.id: (memory.get("namespace"), memory.get("session_id")) for memory in bundle.memories}
        assert found == {
            "MEMORY.md": (ABSENT, ABSENT),
            "MEMORY.md#VPN": ("/home/ana", ABSENT),
            "MEMORY.md#VPN-2": (ABSENT, ABSENT),
            "memory_summary.md": (ABSENT, ABSENT),
            "raw_memories.md#t1": ("/home/ana", "t1"),
            "raw_memories.md#t2": (ABSENT, "t2"),
            "rollout_summaries/r1.md": ("/home/ana", "t1"),
        }
        texts = {memory.id: memory.text for memory in bundle.memories}
        assert (texts["raw_memories.md#t1"], texts["rollout_summaries/r1.md"]) == ("Ana.", "A run.")


def test_folders_name_what_they_cannot_say(tmp_path: Path) -> None:
    """No owner where none is written, no state, no rules; times only where the head of a file has them."""
    run = "updated_at: 2026-01-05T08:00:00Z\n\nA run.\n"
    files(tmp_path / "memories", memory_summary_md="Summary.\n", rollout_summaries__r1_md=run)
    bundle = imported(tmp_path)
    summary, first = bundle.memories
    assert axes(bundle, summary.id, who=["ana"]) == "????"
    assert "names an owner" in causes(bundle, summary.id, "scope", who=["ana"])
    assert "history is in git and not read" in causes(bundle, summary.id, "lifecycle", who=["ana"])
    assert "keeps no purposes" in causes(bundle, summary.id, "policy", who=["ana"])
    assert (first.get("updated_at"), summary.get("updated_at")) == ("2026-01-05T08:00:00Z", ABSENT)


HEADS: list[tuple[str, dict[str, Any], str]] = [
    ("no head", {}, "no head"),
    ("---\na: 1\nno end", {}, "---\na: 1\nno end"),
    ("---\na: 'it''s'\nb: \"x\\n\"\nc: [p, 'q']\n---\ntext", {"a": "it's", "b": "x\n", "c": ["p", "q"]}, "text"),
    ("---\nd: 1.5\ne: ~\nf: # only a comment\n---\n", {"d": 1.5, "e": None, "f": None}, ""),
    ("---\na:\n  - x\n  - y\nb: |\n  one\n  two\n---\n", {"a": ["x", "y"], "b": "one\ntwo"}, ""),
    ("---\na: !!python/object:os.system ls\n---\nx", {"a": "!!python/object:os.system ls"}, "x"),
    ("---\nb: *anchor\n---\nx", {"b": "*anchor"}, "x"),
    ("---\r\na: b\r\n---\r\nx", {"a": "b"}, "x"),
    ("---\n" + "a" * 1000 + ": b\nodd line\n---\nx", {}, "x"),
]


@pytest.mark.parametrize(("text", "keys", "body"), HEADS)
def test_front_matter(text: str, keys: dict[str, Any], body: str) -> None:
    assert frontmatter.split(text) == (keys, body)


def test_a_file_that_is_no_text_is_named_or_skipped(tmp_path: Path) -> None:
    files(tmp_path / "memory", MEMORY_md="x")
    (tmp_path / "memory" / "bad.md").write_bytes(b"\xff")
    with pytest.raises(InputError, match=r"bad\.md:1: byte 0xff at byte 1 of the line is not UTF-8"):
        imported(tmp_path)
    assert len(imported(tmp_path, lenient=True).memories) == 1
