"""Public reports of wrong memories, each as the smallest store of its shape, read by our importers and judged.

The threads are public; a case's name is its thread. The expected axes are our reading of what the reporter met, worked
out from DESIGN 3 and not taken from the threads: scope, policy, lifecycle and verdict as ``0?1`` signs. Where we read a
report otherwise than one might, ``why`` says so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing import Auditor
from inspector.formats import LoadOptions, load
from inspector.inspection import OpenOptions, open_sources
from inspector.linting import lint_sources
from inspector.records import ABSENT, Bundle, Isolation
from tests.formats.importing import axes, causes, database

ASSUMED = {"status": "current", "policy": "allow"}
ANA = {"who": ["ana"]}


@dataclass(frozen=True)
class Report:
    """A report: the store's files by name, who asks what, and what must come of it.

    ``files`` values are written as JSON, texts as they are; ``.db`` files are SQL scripts. ``axes`` are the expected
    signs by memory id, ``because`` words of the deciding reason, ``note`` words of the load's notes.
    """

    thread: str
    files: Mapping[str, Any]
    asked: Mapping[str, Any] = field(default_factory=dict)
    axes: Mapping[str, str] = field(default_factory=dict)
    because: tuple[str, str, str] | None = None
    note: str = ""
    assume: Mapping[str, Any] = field(default_factory=dict)
    mapping: str = ""
    policy: str = ""
    isolation: Isolation = "namespace"
    why: str = ""

    def written(self, folder: Path) -> tuple[Path, dict[str, Path]]:
        """The store's path (the one file, else the folder) and the paths of mapping and policy."""
        store = folder / "store"
        store.mkdir()
        for name, content in self.files.items():
            file = store / name
            file.parent.mkdir(parents=True, exist_ok=True)
            if name.endswith(".db"):
                database(file, content)
            else:
                file.write_text(content if isinstance(content, str) else json.dumps(content))
        beside: dict[str, Path] = {}
        for name, text in (("mapping", self.mapping), ("policy", self.policy)):
            if text:
                beside[name] = folder / f"{name}.toml"
                beside[name].write_text(text)
        single = store / next(iter(self.files))
        return (single if len(self.files) == 1 and single.parent == store else store), beside

    def loaded(self, folder: Path) -> Bundle:
        path, beside = self.written(folder)
        options = LoadOptions(assume=self.assume, mapping=beside.get("mapping"), policy=beside.get("policy"))
        bundle = load([path], options)
        bundle.settings = bundle.settings.with_(isolation=self.isolation)
        return bundle


def item(owner: Any, text: str = "fact", **more: Any) -> dict[str, Any]:
    """A memory of mem0's."""
    made = {"id": "m1", "memory": text, "hash": "5f", "created_at": "2026-01-05T08:00:00+00:00", **more}
    return made if owner is ABSENT else {**made, "user_id": owner}


def edge(**more: Any) -> dict[str, Any]:
    """An edge of Graphiti's."""
    made = {"uuid": "e1", "group_id": "ana", "source_node_uuid": "n1", "target_node_uuid": "n2", "name": "LIKES"}
    times = {"created_at": "2026-01-01T00:00:00Z", "valid_at": "2026-01-01T00:00:00Z"}
    return {**made, **times, "fact": "Ana likes tea", "invalid_at": None, "expired_at": None, **more}


def point(number: int, **payload: Any) -> dict[str, Any]:
    """A point of Qdrant's."""
    return {"id": number, "payload": {"text": f"fact {number}", **payload}}


def langgraph(*namespace: str, key: str = "k1", content: str = "fact") -> dict[str, Any]:
    """An item of LangGraph's store."""
    time = "2026-01-05T08:00:00+00:00"
    return {
        "namespace": list(namespace),
        "key": key,
        "value": {"content": content},
        "created_at": time,
        "updated_at": time,
    }


def mapped(**fields: str) -> str:
    """A mapping of plain fields."""
    return "[memories.fields]\n" + "".join(f'"{name}" = "{path}"\n' for name, path in fields.items())


HISTORY = (
    "CREATE TABLE history (id TEXT, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT, created_at DATETIME, "
    "updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT);"
)
LATER = "2026-06-01T00:00:00Z"
REPORTS: list[Report] = [
    # Scope
    Report(
        "langchain-ai/langgraph#8300",
        {
            "store.json": [
                {"prefix": "users.john-doe.memories", "key": "his", "value": {"content": "x"}},
                {"prefix": "users.john_doe.memories", "key": "own", "value": {"content": "y"}},
            ]
        },
        {"who": [["users", "john_doe", "memories"]]},
        {"his": "0110", "own": "1111"},
        ("his", "scope", "(segment 2 differs: 'john-doe' is not 'john_doe')"),
        assume=ASSUMED,
    ),
    Report(
        "langchain-ai/deepagentsjs#781",
        {"store.json": [langgraph("tenant", "acme-corp"), langgraph("tenant", "acme", "notes", key="k2")]},
        {"who": [["tenant", "acme"]]},
        {"k1": "0110", "k2": "1111"},
        assume=ASSUMED,
        why="that the sibling's entry is listed and cannot be read is the backend's; the scope is the listing's answer",
    ),
    Report(
        "CaviraOSS/LongMemory#97",
        {
            "rows.json": [
                {"n": "a", "content": "x", "user_id": "test-1"},
                {"n": "b", "content": "y", "user_id": "test-2"},
            ]
        },
        {"who": ["test-1"]},
        {"a": "1???", "b": "0??0"},
        mapping=mapped(id="n", text="content", namespace="user_id"),
    ),
    Report(
        "google/adk-python#1019",
        {
            "rows.json": [
                {"n": "bo", "t": "x", "display_name": "shop.bo.s1"},
                {"n": "ana", "t": "x", "display_name": "shop.ana.s9"},
                {"n": "odd", "t": "x", "display_name": ""},
            ]
        },
        {"who": [["shop", "ana"]]},
        {"bo": "0??0", "ana": "1???", "odd": "????"},
        mapping=mapped(id="n", text="t", namespace="display_name") + '[memories.split]\nnamespace = "."\n',
        why="the mapping splits the composite owner; an owner that is not there gives ?, one that cannot be split is "
        "compared whole",
    ),
    Report(
        "agno-agi/agno#2057 (memory of the user)",
        {"m.json": [{"memory_id": "m1", "memory": "x", "user_id": "ana", "topics": [], "created_at": 1767600000}]},
        {**ANA, "session_id": "s2"},
        {"m1": "1???"},
    ),
    Report(
        "agno-agi/agno#2057 (the scope level is not recorded)",
        {"m.json": [{"memory_id": "m1", "memory": "x", "user_id": "ana", "topics": [], "created_at": 1767600000}]},
        {**ANA, "session_id": "s2"},
        {"m1": "????"},
        ("m1", "scope", "the memory names no session"),
        isolation="namespace+session",
    ),
    Report(
        "agno-agi/agno#2570 (history of another session)",
        {"m.json": {"results": [item("ana", run_id="s1")]}},
        {**ANA, "session_id": "s2"},
        {"m1": "0??0"},
        isolation="namespace+session",
    ),
    Report(
        "MervinPraison/PraisonAI#4818",
        {"m.json": {"points": [{"id": 1, "payload": {"page_content": "x", "metadata": {"user_id": "bo"}}}]}},
        ANA,
        {"1": "0??0"},
    ),
    Report(
        "rohitg00/agentmemory#821 (no agent id asked with)",
        {"rows.json": [{"id": "a", "content": "x", "agentId": "one"}, {"id": "b", "content": "y"}]},
        {},
        {"a": "????", "b": "????"},
        ("a", "scope", "the query names no namespaces of its principal"),
        mapping=mapped(id="id", text="content", namespace="agentId"),
        why="no asker is no permission: every record is held, none admitted",
    ),
    Report(
        "agiresearch/AIOS#551",
        {
            "rows.json": [
                {"id": "a", "content": "x", "user_id": "bo", "owner_agent": "helper", "sharing_policy": "shared"}
            ]
        },
        {**ANA, "purpose": "chat"},
        {"a": "0110"},
        mapping=mapped(id="id", text="content", namespace="user_id"),
        policy="""[[rules]]\nid = "shared"\neffect = "allow"\nwhen = "m.meta.sharing_policy = 'shared'"\n""",
        assume={"status": "current"},
        why="the sharing policy allows, and it is somebody else's: the axes are apart",
    ),
    Report(
        "openclaw/openclaw#85389",
        {
            "rows.json": [
                {"id": "bo", "content": "x", "sender_id": "bo"},
                {"id": "old", "content": "y", "sender_id": None},
            ]
        },
        ANA,
        {"bo": "0??0", "old": "????"},
        mapping=mapped(id="id", text="content", namespace="sender_id"),
        why="a legacy row without a sender is held, not shown",
    ),
    Report(
        "heypinchy/pinchy#369",
        {"p/memory/MEMORY.md": "---\naudience: owner\n---\nAna is ill.\n"},
        {"who": ["p"], "purpose": "group chat"},
        {"MEMORY.md": "1010"},
        policy="""[[rules]]\nid = "owner-only"\neffect = "deny"\nwhen = "m.meta.audience = 'owner' AND q.purpose = """
        """'group chat'"\n""",
        assume=ASSUMED,
        why="that it was exposed without being retrieved is a stage: see the trace below",
    ),
    Report(
        "ag-ui-protocol/ag-ui#2253",
        {"rows.json": [{"id": "a", "content": "x", "root_scope": "/crew/research"}]},
        {"who": ["/crew/research"], "session_id": "thread-1"},
        {"a": "????"},
        ("a", "scope", "the memory names no session"),
        mapping=mapped(id="id", text="content", namespace="root_scope"),
        isolation="namespace+session",
    ),
    Report(
        "crewAIInc/crewAI#2584",
        {"rows.json": [{"id": "a", "content": "x"}]},
        ANA,
        {"a": "????"},
        mapping=mapped(id="id", text="content"),
    ),
    Report(
        "anthropics/claude-code#91738",
        {
            "projects/-home-ana-work/memory/MEMORY.md": "- notes\n",
            "projects/-home-ana-work/memory/a.md": "---\nproject: alpha\n---\nAlpha uses port 8080.\n",
            "projects/-home-ana-work/memory/b.md": "Some port is 9090.\n",
        },
        {"who": ["-home-ana-work", "beta"]},
        {"a.md": "0??0", "b.md": "1???"},
        why="a note that names its project is told apart; one that does not has only the directory, which both "
        "projects share: by its path it is in scope",
    ),
    Report(
        "anthropics/claude-code#83758 (one project, two directories)",
        {
            "projects/-old-place/memory/MEMORY.md": "- old\n",
            "projects/-new-place/memory/x.md": "New.\n",
        },
        {"who": ["-new-place"]},
        {"MEMORY.md": "0??0", "x.md": "1???"},
        why="two scopes of one project until an alias says that they are one",
    ),
    Report(
        "mem0ai/mem0#3773",
        {"m.json": {"results": [item("ana", agent_id="helper", run_id="r1")]}},
        ANA,
        {"m1": "1111"},
        assume=ASSUMED,
        why="eligible and not retrieved: see the trace below",
    ),
    Report(
        "langchain-ai/memory-template#15 (as it was read)",
        {"m.json": [langgraph("memories", "ana", "notes")]},
        {"who": [["ana"]]},
        {"k1": "0??0"},
        ("k1", "scope", "(segment 1 differs: 'memories' is not 'ana')"),
        why="read under (user,), written under (memories, user, function): as written they are two scopes",
    ),
    Report(
        "langchain-ai/memory-template#15 (as it was meant)",
        {"m.json": [langgraph("memories", "ana", "notes")]},
        {"who": [["memories", "ana"]]},
        {"k1": "1???"},
    ),
    Report("getzep/graphiti#1659", {"m.json": [edge()]}, ANA, {"e1": "1111"}, assume=ASSUMED),
    # Lifecycle
    Report(
        "getzep/graphiti#1804 (current)",
        {"m.json": [edge(invalid_at="2026-02-01T00:00:00Z", expired_at="2026-02-01T09:00:00Z")]},
        {**ANA, "as_of": LATER},
        {"e1": "1100"},
        assume={"policy": "allow"},
    ),
    Report(
        "getzep/graphiti#1804 (history)",
        {"m.json": [edge(invalid_at="2026-02-01T00:00:00Z", expired_at="2026-02-01T09:00:00Z")]},
        {**ANA, "as_of": LATER, "intent": "history"},
        {"e1": "1111"},
        assume={"policy": "allow"},
    ),
    Report(
        "getzep/graphiti#139",
        {"m.json": [edge(), edge(uuid="e2", fact="Ana likes coffee"), edge(uuid="e3", fact="Ana drinks no coffee")]},
        {**ANA, "as_of": LATER},
        {"e1": "1?1?", "e2": "1?1?", "e3": "1?1?"},
        why="nothing was ended, so that all are current; that they contradict each other is lint's to say",
    ),
    Report(
        "mem0ai/mem0#5193",
        {"m.json": [item("ana", "Ana likes coffee"), item("ana", "Ana likes tea", id="m2")]},
        {**ANA, "as_of": LATER},
        {"m1": "1???", "m2": "1???"},
        ("m1", "lifecycle", "does not say what replaced what"),
    ),
    Report(
        "mem0ai/mem0#4536",
        {
            "history.db": HISTORY
            + "INSERT INTO history VALUES ('h1','m1',NULL,'likes tea','ADD','2026-01-01T00:00:00Z',NULL,0,NULL,NULL);"
            "INSERT INTO history VALUES ('h2','m1','likes tea',NULL,'DELETE',NULL,'2026-02-01T00:00:00Z',1,NULL,NULL);"
        },
        {**ANA, "as_of": LATER},
        {"m1": "??00"},
        why="the contradicting text was never stored, so that nothing is the successor",
    ),
    Report(
        "mem0ai/mem0#1674",
        {
            "history.db": HISTORY
            + "INSERT INTO history VALUES ('h1','m1',NULL,'Ana likes tea','ADD','2026-01-01T00:00:00Z',NULL,0,"
            "NULL,NULL); INSERT INTO history VALUES ('h2','m1','Ana likes tea','Bo owns boats','UPDATE',NULL,"
            "'2026-02-01T00:00:00Z',0,NULL,NULL);"
        },
        {**ANA, "as_of": LATER},
        {"m1@1": "??00", "m1": "????"},
        note="1 updates share no word with the text that they replaced: m1",
    ),
    Report(
        "can1357/oh-my-pi#12258",
        {
            "facts.json": [
                {"fact_id": f"f{i}", "created": "2026-01-05", "object": f"use port {i}", "confidence": 0.7}
                for i in (1, 2)
            ]
        },
        {"as_of": LATER},
        {"f1": "????", "f2": "????"},
        mapping=mapped(id="fact_id", text="object", created_at="created"),
        why="equal confidences decide nothing, and we never let them",
    ),
    Report(
        "MCKRUZ/microsoft-agentic-harness#339",
        {"m.json": [langgraph("memories", "ana")]},
        {"who": [["memories", "ana"]], "intent": "history", "as_of": LATER},
        {"k1": "1???"},
        ("k1", "lifecycle", "replaces the old one without a trace"),
    ),
    Report(
        "mem0ai/mem0#4188 (the soft delete that was promised)",
        {
            "rows.json": [
                {"n": "r1", "t": "ana likes tea", "user": "ana", "valid": False, "at": "2026-02-01T00:00:00Z"},
                {"n": "r2", "t": "ana likes coffee", "user": "ana", "valid": True, "at": "2026-02-01T00:00:00Z"},
            ]
        },
        {**ANA, "as_of": LATER},
        {"r1": "1100", "r2": "1111"},
        mapping=mapped(id="n", text="t", namespace="user", status="valid", status_at="at")
        + '[memories.values.status]\ntrue = "active"\nfalse = "invalidated"\n',
        assume={"policy": "allow"},
    ),
    Report(
        "spectrayan/spector#507",
        {"rows.json": [{"id": n, "content": "x", "user": "ana", "flag": "contradicted"} for n in ("a", "b")]},
        ANA,
        {"a": "1???", "b": "1???"},
        ("a", "lifecycle", "'contradicted' is no label that we know"),
        mapping=mapped(id="id", text="content", namespace="user", status="flag"),
        why="a flag without a direction decides nothing for either side",
    ),
    Report(
        "mem0ai/mem0#5160",
        {"m.json": [item("ana", metadata={"category": "public"}), item("ana", id="m2", metadata=None)]},
        ANA,
        {"m1": "1111", "m2": "1?1?"},
        policy="""[[rules]]\nid = "public"\neffect = "allow"\nwhen = "m.meta.category = 'public'"\n""",
        assume={"status": "current"},
        why="the update that dropped the metadata took the permission's ground with it",
    ),
    # Deletes
    Report(
        "supermemoryai/supermemory#142",
        {"m.json": [point(1, user_id="ana", deleted_at="2026-02-01T00:00:00Z")]},
        {**ANA, "as_of": LATER},
        {"1": "1?00"},
    ),
    Report(
        "mem0ai/mem0#5066",
        {
            "rows.json": [
                {
                    "id": "a",
                    "memory": "x",
                    "user_id": "ana",
                    "mem_cube_id": "c",
                    "status": "activated",
                    "delete_time": "",
                }
            ]
        },
        {**ANA, "as_of": LATER},
        {"a": "1?1?"},
        mapping=mapped(id="id", text="memory", namespace="user_id", status="status", deleted_at="delete_time")
        + '[memories.values.status]\nactivated = "active"\n',
        why="no deletion was recorded: honestly current",
    ),
    Report(
        "mem0ai/mem0#3245",
        {
            "m.json": {
                "results": [item("ana")],
                "relations": [{"source": "ana", "relationship": "likes", "destination": "tea"}],
            }
        },
        {**ANA, "as_of": LATER},
        {"ana | likes | tea": "????"},
        ("ana | likes | tea", "scope", "nor the memory it was made of"),
        why="a relation does not name the memory it was made of: that this one is deleted cannot be read from it",
    ),
    Report(
        "letta-ai/letta#1917",
        {
            "agents.af": {
                "agents": [{"id": "agent-1", "name": "other", "block_ids": ["block-0"], "messages": []}],
                "blocks": [],
                "groups": [],
                "mcp_servers": [],
            }
        },
        note="block-0",
        why="the shared block is gone with the other agent: no memory is left, and the reference dangles",
    ),
    Report(
        "run-llama/llama_index#6152",
        {
            "docstore.json": {
                "docstore/data": {"n2": {"__data__": {"id_": "n2", "text": "x", "metadata": {}}, "__type__": "1"}},
                "docstore/ref_doc_info": {"d": {"node_ids": ["n1", "n2"], "metadata": {}}},
            }
        },
        note="dangling: ref_doc_info names 1 nodes that are gone: n1",
    ),
    # Scores, times, listing
    Report(
        "mem0ai/mem0#4402",
        {"m.json": [item("ana", created_at="2026-01-05T20:00:00-07:00")]},
        {**ANA, "as_of": "2026-01-06T02:59:59Z"},
        {"m1": "1100"},
        assume=ASSUMED,
        why="20:00 at -07:00 is 03:00 of the next day in UTC: a second before, it was not yet stored",
    ),
    Report(
        "getzep/graphiti#920",
        {"m.json": [edge(valid_at="2026-01-10T12:00:00")]},
        {**ANA, "as_of": "2026-01-10T11:00:00Z"},
        {"e1": "11??"},
        assume={"policy": "allow"},
    ),
    Report(
        "MemTensor/MemOS#2369",
        {"m.json": [item("ana", "On 2026-01-05 at 00:30 UTC Ana wrote this.", created_at="2026-01-05T09:30:00+09:00")]},
        {**ANA, "as_of": "2026-01-05T00:30:00Z"},
        {"m1": "1111"},
        assume=ASSUMED,
        why="we read the field, whose instant is right; a time in the text is text",
    ),
    Report(
        "mem0ai/mem0#6438",
        {"m.json": {"results": [item("ana", id=str(i)) for i in range(20)]}},
        ANA,
        {"0": "1???"},
        note="exactly 20 memories, a common page size",
    ),
    Report(
        "crewAIInc/crewAI#3391",
        {"m.json": [point(1, user_id="ana" * 200, note="n" * 5000, text="t" * 1_000_000)]},
        {"who": ["ana" * 200]},
        {"1": "1???"},
    ),
]


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.thread)
def test_the_record_of_the_report(tmp_path: Path, report: Report) -> None:
    if report.thread == "letta-ai/letta#1917":  # the only memory is gone: the load says that none is left
        with pytest.raises(Exception, match="holds no memories"):
            report.loaded(tmp_path)
        return
    bundle = report.loaded(tmp_path)
    assert {name: axes(bundle, name, **report.asked) for name in report.axes} == dict(report.axes)
    if report.because is not None:
        memory_id, axis, words = report.because
        assert words in causes(bundle, memory_id, axis, **report.asked)
    assert any(report.note in note for note in bundle.notes) or not report.note


# What was retrieved, exposed and told


@dataclass(frozen=True)
class Trace:
    """A report with a trace: the store, one query, the stages that it fails at, and the ids that prove the first."""

    thread: str
    store: Any
    query: Mapping[str, Any]
    stages: tuple[str, ...]
    proof: tuple[str, ...]
    missing: tuple[str, ...] = ()
    unfiltered: bool = False


def recorded(*retrieved: Any, exposed: list[str] | None = None, filter: Any = None, **more: Any) -> dict[str, Any]:
    hits = [one if isinstance(one, dict) else {"id": one} for one in retrieved]
    event: dict[str, Any] = {"name": "search", "score_kind": "unknown", "retrieved": hits}
    if filter is not None:
        event["filter"] = filter
    return {"events": [event], **({} if exposed is None else {"exposed": exposed}), **more}


TRACES: list[Trace] = [
    Trace(
        "mem0ai/mem0#3773",
        {"results": [item("ana", agent_id="helper")]},
        {"required": ["m1"], "recorded": recorded(filter={"agent_id": "helper"})},
        ("candidate",),
        ("m1",),
        missing=("m1",),
    ),
    Trace(
        "getzep/graphiti#1876",
        [edge()],
        {"required": ["e1"], "recorded": recorded(filter={"group_ids": ["ana"]})},
        ("candidate",),
        ("e1",),
        missing=("e1",),
    ),
    Trace(
        "chroma-core/chroma#5367",
        {"ids": ["a", "b"], "documents": ["x", "y"], "metadatas": [{"user_id": "ana"}, {"user_id": "ana"}]},
        {"required": ["a"], "recorded": recorded("b", filter={"where": {"user_id": "ana"}})},
        ("candidate",),
        ("a",),
        missing=("a",),
    ),
    Trace(
        "open-webui/open-webui#12880",
        [item("ana", id=str(i), text=f"fact {i}") for i in range(5)],
        {"required": ["0", "1", "2", "3", "4"], "recorded": recorded("0", filter={"user_id": "ana"})},
        ("candidate",),
        ("1", "2", "3", "4"),
        missing=("1", "2", "3", "4"),
    ),
    Trace(
        "run-llama/llama_index#17857",
        [point(1, user_id="ana"), point(2, user_id="bo")],
        {"required": ["1"], "recorded": recorded("2", "1", exposed=["2", "1"], filter={})},
        ("verification",),
        ("2",),
        unfiltered=True,
    ),
    Trace(
        "MervinPraison/PraisonAI#4818",
        [point(1, user_id="ana"), point(2, user_id="bo")],
        {"recorded": recorded("2", exposed=["2"])},
        ("verification",),
        ("2",),
        unfiltered=True,
    ),
    Trace(
        "heypinchy/pinchy#369",
        [point(1, user_id="ana"), point(2, user_id="bo", text="Ana is ill and stays at home this week")],
        {"recorded": recorded("1", exposed=["1", "2"], filter={"user_id": "ana"})},
        ("verification", "assembly"),
        ("2",),
    ),
    Trace(
        "mem0ai/mem0#3695",
        [point(1, user_id="ana", deleted_at="2026-02-01T00:00:00Z")],
        {"as_of": LATER, "recorded": recorded("1", exposed=["1"], filter={"user_id": "ana"})},
        ("verification",),
        ("1",),
    ),
    Trace(
        "mem0ai/mem0#4187",
        [point(1, user_id="ana")],
        {"intent": "history", "recorded": recorded("gone", "1", filter={"user_id": "ana"})},
        ("trace",),
        ("gone",),
    ),
]


@pytest.mark.parametrize("trace", TRACES, ids=lambda trace: trace.thread)
def test_the_stage_of_the_report(tmp_path: Path, trace: Trace) -> None:
    (tmp_path / "store.json").write_text(json.dumps(trace.store))
    query = {"id": "q", "text": "?", "intent": "current", "principal": {"namespaces": ["ana"]}, **trace.query}
    (tmp_path / "queries.jsonl").write_text(json.dumps(query))
    options = OpenOptions(temporary=True, queries=tmp_path / "queries.jsonl", assume=ASSUMED)
    with open_sources([tmp_path / "store.json"], options) as inspection:
        assert inspection.route.name == "recorded"
        inspection.evaluate()
        done = Auditor(inspection).audit(0)
        assert done.stages.all == trace.stages
        assert done.stages.findings[0].ids == trace.proof
        assert tuple(one.memory_id for one in inspection.eligible_missing(0)) == trace.missing
        assert done.recorded.events[0].unfiltered == trace.unfiltered


def test_scores_that_are_null_or_not_a_number_come_last(tmp_path: Path) -> None:
    """qdrant/qdrant#4654, run-llama/llama_index#23050: a vector of zeros gives no score, and led the ranking."""
    points = [{**point(i, user_id="ana"), "version": 1, "score": score} for i, score in enumerate((None, 0.2, 0.9))]
    path = tmp_path / "found.json"
    path.write_text(json.dumps({"points": points}).replace("null", "NaN"))
    with open_sources([path], OpenOptions(temporary=True)) as inspection:
        inspection.evaluate()
        # which way the scores go is not known (#4453), so that they stay as listed; the one without a score is last
        assert [one.memory_id for one in inspection.candidates(0)] == ["1", "2", "0"]
        assert inspection.queries[0].get("recorded")["events"][0]["score_kind"] == "unknown"


def test_distances_stay_distances(tmp_path: Path) -> None:
    """agiresearch/A-mem#23: a score that is an L2 distance; the nearest is the lowest."""
    path = tmp_path / "found.json"
    path.write_text(json.dumps({"ids": [["a", "b"]], "documents": [["x", "y"]], "distances": [[1.5, 0.5]]}))
    with open_sources([path], OpenOptions(temporary=True)) as inspection:
        inspection.evaluate()
        assert [(one.memory_id, one.score) for one in inspection.candidates(0)] == [("b", 0.5), ("a", 1.5)]


def test_an_owner_typed_in_decides_the_crew(tmp_path: Path) -> None:
    """ag-ui-protocol/ag-ui#2253: nothing names a thread; once edited in, the scope is 1 or 0."""
    bundle = next(one for one in REPORTS if one.thread.endswith("ag-ui#2253")).loaded(tmp_path)
    bundle.memories[0].edits["session_id"] = "thread-1"
    asked = {"who": ["/crew/research"]}
    assert axes(bundle, "a", session_id="thread-1", **asked)[0] == "1"
    assert axes(bundle, "a", session_id="thread-2", **asked)[0] == "0"


def test_a_fact_retired_by_mistake(tmp_path: Path) -> None:
    """getzep/graphiti#1728: an unrelated fact ended another; its id stands beside it, and clearing the end mends it."""
    ended = edge(fact="Ana lives in Porto", invalid_at="2026-02-01T00:00:00Z", expired_at="2026-02-01T00:00:05Z")
    killer = edge(uuid="e2", fact="Ana bought a bike", valid_at="2026-02-01T00:00:00Z")
    (tmp_path / "m.json").write_text(json.dumps([ended, killer]))
    bundle = load([tmp_path / "m.json"])
    assert bundle.memories[0].get("meta")["ended_at_the_start_of"] == ["e2"]
    assert axes(bundle, "e1", **ANA, as_of=LATER)[2] == "0"
    bundle.memories[0].edits["valid_to"] = ABSENT
    assert axes(bundle, "e1", **ANA, as_of=LATER)[2] == "1"


LINT: list[tuple[str, dict[str, Any], str]] = [
    ("crewAIInc/crewAI#2584", {"m.json": [{"id": "a", "memory": "x", "hash": "5"}]}, "orphan"),
    (
        "mem0ai/mem0#4573",
        {"m.json": [item("ana", "Ana likes tea", id=str(i)) for i in range(3)]},
        "duplicate-text",
    ),
    (
        "mem0ai/mem0#4212",
        {"m.json": [{**point(i, user_id="ana"), "vector": [0.5] * (3 if i else 4)} for i in range(3)]},
        "vector-length",
    ),
    (
        "deepset-ai/haystack#11628",
        {"m.json": [{**point(i, user_id="ana"), "vector": [0.0 if i else 0.5] * 3} for i in range(2)]},
        "vector-zero",
    ),
    (
        "mem0ai/mem0#5205",
        {
            "m.json": [
                {**point(1, user_id="ana", text="Ana resides in Porto"), "vector": [1.0, 0.0]},
                {**point(2, user_id="ana", text="Porto is where she has her home"), "vector": [0.98, 0.199]},
            ]
        },
        "near-duplicate",
    ),
    ("getzep/graphiti#893", {"m.json": [edge(valid_at="2026-01-01T00:00:00")]}, "naive-time"),
    ("mem0ai/mem0#3751", {"m.json": [item("ana", id=str(i)) for i in range(100)]}, "looks-capped"),
    (
        "microsoft/magentic-ui#452",
        {"rows.json": [item("ana", id="1")], "vectors.json": [point(1, user_id="ana"), point(2, user_id="ana")]},
        "ghost",
    ),
]


@pytest.mark.parametrize(("thread", "files", "code"), LINT, ids=[case[0] for case in LINT])
def test_what_lint_says_of_the_report(tmp_path: Path, thread: str, files: dict[str, Any], code: str) -> None:
    for name, content in files.items():
        (tmp_path / name).write_text(json.dumps(content))
    report = lint_sources([tmp_path / name for name in files], OpenOptions(temporary=True))
    assert code in {finding.code for finding in report.findings}
