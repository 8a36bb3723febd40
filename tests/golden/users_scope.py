"""Public reports of memories of the wrong owner, session or use (see the test that reads them)."""

from __future__ import annotations

from tests.golden.users_shapes import ANA, ASSUMED, Report, edge, item, langgraph, mapped

SCOPE: list[Report] = [
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
]
