"""The gate against the answers of the authority packets' own evaluator (issue: execution gate, done 1 and 2).

The packets are read here with json alone; which memory a route selects is another test's matter, so the selected one
is taken from the expected file. A memory without an id is named as data/README.md says.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from inspector.gate.action import Outcome
from inspector.gate.evaluate import GateEngine, GateResult, evaluate_gate
from inspector.gate.summary import summarise
from inspector.records import Memory, Origin, Query, Settings
from inspector.trit import Trit

PACKETS = (
    "claim15_governance_stress_v0_1",
    "claim16_action_type_mismatch_v0_1",
    "claim17_authority_absent_boundary_v0_1",
    "claim17_resource_sensitivity_v0_1",
    "claim20_execution_gate_v0_1",
)
Scenario = tuple[Query, list[Memory]]


def read(shared: Path, name: str) -> Any:
    return json.loads((shared / "authority_packets" / f"{name}.json").read_text(encoding="utf-8"))


def scenarios(shared: Path, name: str) -> dict[str, Scenario]:
    found: dict[str, Scenario] = {}
    for item in read(shared, name)["scenarios"]:
        query = Query(
            {"id": item["id"], "text": item["query"], "expected_action": item["expected_action"]}, Origin(name)
        )
        roles: Counter[str] = Counter()
        store: list[Memory] = []
        for stored in item["memory_store"]:
            roles[stored["role"]] += 1
            suffix = stored["role"] if roles[stored["role"]] == 1 else f"{stored['role']}_{roles[stored['role']]}"
            fields = {"id": f"{item['id']}::{suffix}", "namespace": item["id"], **stored}
            store.append(Memory(fields, Origin(name)))
        found[item["id"]] = query, store
    return found


def result_for(query: Query, store: list[Memory], selected: str) -> GateResult:
    memory = next(memory for memory in store if memory.id == selected)
    return evaluate_gate(memory, query, "self_description")


@pytest.mark.shared
@pytest.mark.parametrize("name", PACKETS)
def test_every_strategy_s_selected_memory_gets_the_source_s_answer(shared: Path, name: str) -> None:
    known = scenarios(shared, name)
    expected = read(shared, f"{name}.expected")["strategies"]
    assert {"bm25_text", "bm25_metadata_text"} <= set(expected)
    for strategy, rows in expected.items():
        assert {row["scenario_id"] for row in rows} == set(known)
        for row in rows:
            query, store = known[row["scenario_id"]]
            got = result_for(query, store, row["selected_memory_id"])
            answer = {
                "pre_gate_action": got.pre_action,
                "gate_result": got.result,
                "action": got.action,
                "attribution_status": got.attribution,
                "action_authorized_by": got.authorized_by,
                "false_certainty_error": got.outcome is Outcome.FALSE_CERTAINTY,
                "overblocking_error": got.outcome is Outcome.OVERBLOCKING,
                "downgrade_miss": got.outcome is Outcome.DOWNGRADE_MISS,
            }
            assert answer == {key: row[key] for key in answer}, (strategy, row["scenario_id"])


@pytest.mark.shared
@pytest.mark.parametrize("strategy", ["bm25_text", "bm25_metadata_text"])
def test_the_gate_rescues_three_of_three_where_authority_is_missing(shared: Path, strategy: str) -> None:
    known = scenarios(shared, "claim20_execution_gate_v0_1")
    rows = read(shared, "claim20_execution_gate_v0_1.expected")["strategies"][strategy]
    queries = [known[row["scenario_id"]][0] for row in rows]
    memories = [memory for row in rows for memory in known[row["scenario_id"]][1]]
    engine = GateEngine(memories, queries, Settings(), "self_description")
    ids = [memory.id for memory in memories]
    decided = [
        engine.decision(qi, [ids.index(row["selected_memory_id"])], [Trit.UNKNOWN]) for qi, row in enumerate(rows)
    ]

    summary = summarise(decided)

    assert summary.queries == 3
    assert summary.without_gate.false_certainty == 3
    assert summary.with_gate.false_certainty == 0
    assert summary.with_gate.actions["verify_first"] == summary.with_gate.as_expected == summary.escalations == 3
    assert summary.results["GATE_FAIL"] == 3
    assert [result.action for result in decided if result is not None] == ["verify_first"] * 3
