"""The issue's golden test: ``evaluate`` against what the packets' own evaluator gave, for every scenario and packet."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector import rows
from inspector.inspection import OpenOptions, open_sources

NAMES = [
    "claim15_governance_stress_v0_1",
    "claim16_action_type_mismatch_v0_1",
    "claim17_authority_absent_boundary_v0_1",
    "claim17_resource_sensitivity_v0_1",
    "claim20_execution_gate_v0_1",
]


def test_every_packet_is_compared(shared: Path) -> None:
    found = {
        path.name.removesuffix(".expected.json") for path in (shared / "authority_packets").glob("*.expected.json")
    }
    assert found == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("lexical", "strategy"), [("text", "bm25_text"), ("metadata", "bm25_metadata_text")])
def test_selected_memory_and_gate_equal_the_sources_own(shared: Path, name: str, lexical: Any, strategy: str) -> None:
    folder = shared / "authority_packets"
    expected = json.loads((folder / f"{name}.expected.json").read_text("utf-8"))["strategies"][strategy]
    options = OpenOptions(temporary=True, route="namespace_bm25", lexical_text=lexical, k=1, gate="self_description")
    with open_sources([folder / f"{name}.json"], options) as inspection:
        inspection.evaluate()
        found = {row["query_id"]: row for row in rows.rows(inspection)}
        summary = rows.summary(inspection)["gate"]
    assert len(found) == len(expected) > 0
    for one in expected:
        row = found[one["scenario_id"]]
        gate = row["gate"]
        got = {
            "selected_memory_id": row["memory_id"],
            "pre_gate_action": gate["pre_action"],
            "gate_result": gate["result"],
            "action": gate["action"],
            "attribution_status": gate["attribution"],
            "action_authorized_by": gate["authorized_by"],
        }
        assert got == {key: one[key] for key in got}
        assert gate["decides"] is True
        # The source prints BM25 with the factor k1 + 1, as we do, rounded to six decimals.
        assert row["score"] == pytest.approx(one["selected_score"], abs=1e-6)
    for ours, theirs in (
        ("false_certainty", "false_certainty_error"),
        ("overblocking", "overblocking_error"),
        ("downgrade_misses", "downgrade_miss"),
    ):
        assert summary["with_gate"][ours] == sum(one[theirs] for one in expected)


def test_the_sources_own_experiment(shared: Path) -> None:
    """Without the gate three of three are false certainty, with it three of three are verify_first."""
    packet = shared / "authority_packets" / "claim20_execution_gate_v0_1.json"
    options = OpenOptions(temporary=True, route="namespace_bm25", k=1, gate="self_description")
    with open_sources([packet], options) as inspection:
        inspection.evaluate()
        summary = rows.summary(inspection)["gate"]
    assert summary["without_gate"]["false_certainty"] == 3
    assert summary["with_gate"]["false_certainty"] == 0
    assert summary["with_gate"]["actions"]["verify_first"] == 3
    assert summary["escalations"] == 3
