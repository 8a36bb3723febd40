"""Authority packets as written: the shape that the source's evaluator reads, and what is said of the rest."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from inspector.gate.evaluate import evaluate_gate
from inspector.gate.packet import build_packet, packet_template, stores_by_namespace
from inspector.records import ACTIONS, Memory, Origin, Query, Settings
from inspector.times import parse_time


def memory(memory_id: str, **fields: Any) -> Memory:
    return Memory({"id": memory_id, "text": "t", **fields}, Origin("here"))


def query(query_id: str = "s1", **fields: Any) -> Query:
    return Query({"id": query_id, "text": "Pay it", "expected_action": "block", **fields}, Origin("here"))


def readable(packet: dict[str, Any]) -> None:
    """What the evaluator takes for granted of a packet, checked key by key."""
    for scenario in packet["scenarios"]:
        assert isinstance(scenario["id"], str)
        assert isinstance(scenario["query"], str)
        assert scenario["expected_action"] in ACTIONS
        assert scenario["memory_store"]
        ids = [item["id"] for item in scenario["memory_store"] if "id" in item]
        assert len(ids) == len(set(ids))
        if "tool_call" in scenario:
            assert isinstance(scenario["now"], str)
            for grant in scenario["external_grants"]:
                assert {"grant_id", "expires_at"} <= set(grant)
                assert isinstance(grant["expires_at"], str)
        for item in scenario["memory_store"]:
            assert isinstance(item["text"], str)
            assert item.get("allowed_action_hint", "answer") in ACTIONS
            assert isinstance(item.get("retrieval_terms", []), list)
            assert isinstance(item.get("contradiction_count", 0), int | float)
            governs = item.get("governs", {})
            assert all(isinstance(term, str) for terms in governs.values() for term in terms)


def test_a_packet_has_the_source_s_names_and_shape() -> None:
    asked = query(
        principal={"namespaces": ["s1"]},
        tool_call={"agent_id": "a"},
        grants=[{"grant_id": "g", "expires_at": 1780488000, "decision": "allow"}],
        as_of="2026-06-03T21:00:00+09:00",
        meta={"failure_cost": "high", "id": "not this"},
    )
    stored = memory(
        "s1::target",
        namespace="s1",
        sensitivity="credential",
        status="active",
        retrieval_terms=["pay"],
        governs={"action_types": ["execute"]},
        meta={"role": "target", "recency_rank": 2},
    )
    stored.edits["verification_required"] = True
    export = build_packet([asked], [[stored]], description="d", authored_by="me")
    assert export.packet == {
        "schema_version": "memory_store_v2_2",
        "authored_by": "me",
        "description": "d",
        "action_classes": ["block", "verify_first", "warn", "answer", "answer_context", "archive_only"],
        "scenarios": [
            {
                "id": "s1",
                "query": "Pay it",
                "expected_action": "block",
                "tool_call": {"agent_id": "a"},
                # 1780488000 is 2026-06-03T12:00:00Z; the evaluator reads texts only.
                "external_grants": [{"grant_id": "g", "expires_at": "2026-06-03T12:00:00Z", "decision": "allow"}],
                "now": "2026-06-03T21:00:00+09:00",
                "failure_cost": "high",
                "memory_store": [
                    {
                        "id": "s1::target",
                        "resource_sensitivity": "credential",
                        "status": "active",
                        "retrieval_terms": ["pay"],
                        "governs": {"action_types": ["execute"]},
                        "verification_required": True,
                        "role": "target",
                        "recency_rank": 2,
                        "text": "t",
                    }
                ],
            }
        ],
    }
    assert (export.left_out, export.notes) == ((), ())
    readable(export.packet)
    out = io.StringIO()
    export.write(out)
    assert json.loads(out.getvalue()) == export.packet


def test_what_the_evaluator_could_not_read_is_left_out_or_stricter_and_said() -> None:
    odd = memory(
        "m",
        namespace="elsewhere",
        allowed_action_hint="refuse",
        contradiction_count=None,
        retrieval_terms=None,
        governs="execute",
        embedding=[1.0],
    )
    blank = memory("n", allowed_action_hint=None)
    export = build_packet([query(recorded={"answer": "x"}, principal={"id": "p"})], [[odd, blank]])
    readable(export.packet)
    assert export.packet["scenarios"][0]["memory_store"] == [
        {"id": "m", "allowed_action_hint": "verify_first", "text": "t"},
        {"id": "n", "text": "t"},
    ]
    assert sorted(export.notes) == [
        "memory elsewhere/m: allowed_action_hint 'refuse' has no rank: written as verify_first",
        "memory elsewhere/m: contradiction_count None is left out",
        "memory elsewhere/m: embedding is no part of a packet",
        "memory elsewhere/m: its namespace becomes the scenario's, s1",
        "memory elsewhere/m: malformed governs is left out: governs is a text ('execute'), an object is expected",
        "memory elsewhere/m: retrieval_terms None is left out",
        "memory n: an allowed_action_hint without a value is left out",
        "query s1: principal is no part of a packet",
        "query s1: recorded is no part of a packet",
    ]
    # The written records give the same gate as the records themselves.
    for record, item in zip([odd, blank], export.packet["scenarios"][0]["memory_store"], strict=True):
        again = evaluate_gate(Memory(item, Origin("packet")), query(), "self_description")
        first = evaluate_gate(record, query(), "self_description")
        assert (again.action, again.result, again.attribution) == (first.action, first.result, first.attribution)


@pytest.mark.parametrize(
    ("fields", "memories", "why"),
    [
        ({"expected_action": None}, ["m"], "no expected_action"),
        ({"expected_action": "refuse"}, ["m"], "expected_action 'refuse' has no rank"),
        ({}, [], "no memories"),
        ({}, ["m", "m"], "two of its memories have the same id"),
        ({"tool_call": {"agent_id": "a"}}, ["m"], "a tool call without an as_of that can be read"),
        ({"grants": {"g": 1}}, ["m"], "grants is an object"),
        ({"grants": [{"expires_at": "2026-01-01"}]}, ["m"], "grant 1 has no grant_id"),
        ({"grants": [{"grant_id": "g", "expires_at": "soon"}]}, ["m"], "grant 1 has no expires_at that can be read"),
    ],
)
def test_a_query_that_cannot_be_scored_is_left_out(fields: dict[str, Any], memories: list[str], why: str) -> None:
    export = build_packet([query(**fields)], [[memory(name) for name in memories]])
    assert export.packet["scenarios"] == []
    assert export.left_out == (("s1", why),)


def test_the_store_s_time_stands_for_a_missing_one_and_zones_are_resolved() -> None:
    settings = Settings(timezone="Asia/Seoul", default_as_of=parse_time("2026-06-03T12:00:00Z", "x"))
    bare = build_packet([query(tool_call={"agent_id": "a"})], [[memory("m")]], settings=settings)
    assert bare.packet["scenarios"][0]["now"] == "2026-06-03T12:00:00Z"
    assert bare.packet["scenarios"][0]["external_grants"] == []
    # A naive time means Seoul here and UTC to the evaluator: 21:00 in Seoul is 12:00 UTC.
    naive = build_packet([query(as_of="2026-06-03T21:00:00")], [[memory("m")]], settings=settings)
    assert naive.packet["scenarios"][0]["now"] == "2026-06-03T12:00:00Z"


def test_stores_follow_the_principal_s_namespaces() -> None:
    stored = [memory("a", namespace="x"), memory("b", namespaces=["y", ["x", "z"]]), memory("c")]
    asked = [
        query(principal={"namespaces": ["x"]}),
        query(principal={"namespaces": [["x", "z"], "x"]}),
        query(),
    ]
    assert [[record.id for record in store] for store in stores_by_namespace(asked, stored)] == [
        ["a"],
        ["a", "b"],
        ["a", "b", "c"],
    ]
    with pytest.raises(ValueError, match="store"):
        build_packet(asked, [])


def test_the_template_is_a_packet_that_can_be_read_and_judged() -> None:
    packet = json.loads(packet_template())
    readable(packet)
    assert "_comment" in packet
    scenario = packet["scenarios"][0]
    asked = Query(
        {
            "id": scenario["id"],
            "text": scenario["query"],
            "expected_action": scenario["expected_action"],
            "tool_call": scenario["tool_call"],
            "grants": scenario["external_grants"],
            "as_of": scenario["now"],
        },
        Origin("template"),
    )
    target, tempting = (Memory({"id": item["role"], **item}, Origin("template")) for item in scenario["memory_store"])
    found = evaluate_gate(target, asked)
    assert (found.note, found.action) == (
        "same agent, action and resource: g-day-opening differs in scope",
        "verify_first",
    )
    assert evaluate_gate(tempting, asked, "self_description").attribution == "UNATTRIBUTABLE"


@pytest.mark.shared
@pytest.mark.parametrize("name", ["claim15_governance_stress_v0_1", "claim20_execution_gate_v0_1"])
def test_a_public_packet_comes_out_as_it_went_in(shared: Path, name: str) -> None:
    source = json.loads((shared / "authority_packets" / f"{name}.json").read_text(encoding="utf-8"))
    known = {"memory_type", "status", "priority", "epistemic_status", "verification_required", "contradiction_count"}
    known |= {"allowed_action_hint", "retrieval_terms", "governs", "text"}
    queries, stores = [], []
    for scenario in source["scenarios"]:
        rest = {key: value for key, value in scenario.items() if key not in ("id", "query", "memory_store")}
        expected = rest.pop("expected_action")
        queries.append(
            Query(
                {"id": scenario["id"], "text": scenario["query"], "expected_action": expected, "meta": rest},
                Origin(name),
            )
        )
        stores.append(
            [
                Memory(
                    {
                        "id": f"{scenario['id']}::{item['role']}",
                        "namespace": scenario["id"],
                        **{key: value for key, value in item.items() if key in known},
                        "meta": {key: value for key, value in item.items() if key not in known},
                    },
                    Origin(name),
                )
                for item in scenario["memory_store"]
            ]
        )
    export = build_packet(queries, stores)
    readable(export.packet)
    assert (export.left_out, export.notes) == ((), ())
    for written, read in zip(export.packet["scenarios"], source["scenarios"], strict=True):
        for item in written["memory_store"]:
            del item["id"]  # written out; the source derives the same one from the role
        assert written == read
