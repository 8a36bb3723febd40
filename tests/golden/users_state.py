"""Public reports of stale, deleted, lost and badly dated memories (see the test that reads them)."""

from __future__ import annotations

from tests.golden.users_shapes import ANA, ASSUMED, HISTORY, LATER, Report, edge, item, langgraph, mapped, point

STATE: list[Report] = [
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
    Report(
        "langchain-ai/langgraph#8214",
        {
            "store.db": "CREATE TABLE store (prefix text, key text, value text, created_at TIMESTAMP, updated_at "
            "TIMESTAMP); CREATE TABLE store_vectors (prefix text, key text, field_name text, embedding BLOB, "
            "created_at TIMESTAMP, updated_at TIMESTAMP); INSERT INTO store VALUES ('ana', 'k1', "
            "'{\"content\": \"new\"}', '2026-01-05 08:00:00', '2026-02-05 08:00:00'); "
            "INSERT INTO store_vectors VALUES ('ana', 'k1', '$', "
            "x'0000803f00000000', '2026-01-05 08:00:00', '2026-01-05 08:00:00');"
        },
        {"who": [["ana"]], "as_of": LATER},
        {"k1": "1???"},
        note="1 vectors are older than the values that they stand for",
        why="the new value was not indexed: the vector is of the text before it",
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
