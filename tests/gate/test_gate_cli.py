"""The gate on the command line: packets out and in again, the coverage map as JSON, malformed governs counted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.inspection import demo_folder

Run = Callable[..., tuple[int, str, str]]
NAMES = [
    "claim15_governance_stress_v0_1",
    "claim16_action_type_mismatch_v0_1",
    "claim17_authority_absent_boundary_v0_1",
    "claim17_resource_sensitivity_v0_1",
    "claim20_execution_gate_v0_1",
]


def evaluated(run: Run, packet: Path, lexical: str, out: Path) -> list[dict[str, Any]]:
    """What the gate says of a packet's scenarios, without the ids of memories."""
    given = ("--route", "namespace_bm25", "--lexical-text", lexical, "--top-k", 1, "--gate", "self_description")
    code, _, _ = run("evaluate", packet, *given, "--out", out)
    assert code == 0
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    return [{name: row[name] for name in ("query_id", "rank", "score", "relevance", "gate")} for row in rows]


@pytest.mark.shared
@pytest.mark.parametrize("name", NAMES)
def test_every_public_packet_goes_round(run: Run, shared: Path, tmp_path: Path, name: str) -> None:
    source = shared / "authority_packets" / f"{name}.json"
    exported = tmp_path / "packet.json"
    code, stdout, stderr = run("export", source, "--as", "authority-packet", "--out", exported)
    assert (code, stdout) == (0, "")
    assert "left out" not in stderr
    read, written = (json.loads(path.read_text(encoding="utf-8"))["scenarios"] for path in (source, exported))
    for scenario in written:
        for item in scenario["memory_store"]:
            del item["id"]  # the source derives the same one from the role
    assert written == read
    for lexical in ("text", "metadata"):
        before = evaluated(run, source, lexical, tmp_path / "before.jsonl")
        assert before
        assert evaluated(run, exported, lexical, tmp_path / "after.jsonl") == before
    # Out of the packet that came out of ours comes the same, to the byte.
    again = tmp_path / "again.json"
    run("export", exported, "--as", "authority-packet", "--out", again)
    assert again.read_bytes() == exported.read_bytes()


def test_coverage_as_json(run: Run) -> None:
    code, stdout, _ = run("coverage", demo_folder("gate-gaps"), "--json")
    assert code == 0
    found = json.loads(stdout)
    # By hand, from the store's README: refund-rule governs alone, deploy-freeze has authority alone, delete-accounts
    # both; backup-key, the two about hours and limits, and the malformed price-change have neither.
    cells = {cell["protection"]: [one["id"] for one in cell["memories"]] for cell in found["cells"]}
    assert cells == {
        "none": ["backup-key", "price-change", "opening-hours", "old-refund-limit"],
        "retrieval-time only": ["deploy-freeze"],
        "gate rescues": ["refund-rule"],
        "full chain": ["delete-accounts"],
    }
    assert [one["id"] for one in found["sensitive_with_neither"]] == ["backup-key"]
    assert [(one["id"], one["reason"]) for one in found["malformed_governs"]] == [
        ("price-change", "governs is a text ('write'), an object is expected")
    ]
    assert {(cell["governs"], cell["authority"]) for cell in found["cells"]} == {
        (False, False),
        (False, True),
        (True, False),
        (True, True),
    }


def test_coverage_for_people(run: Run) -> None:
    code, stdout, _ = run("coverage", demo_folder("gate-gaps"))
    assert code == 0
    for words in ("4 (none)", "1 (retrieval-time only)", "1 (gate rescues)", "1 (full chain)", "backup-key"):
        assert words in stdout


MALFORMED: list[Any] = ["execute", {"action_types": ["fly"]}, {"action_types": [["execute"]]}, None]


def test_malformed_governs_is_shown_counted_and_never_passes(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "store"
    folder.mkdir()
    own = {"namespace": "ann", "status": "active", "created_at": "2026-01-01T00:00:00Z"}
    memories = [{"id": f"m{n}", "text": f"pay {n}", "governs": value, **own} for n, value in enumerate(MALFORMED)]
    query = {
        "id": "q",
        "text": "pay",
        "principal": {"id": "ann", "namespaces": ["ann"]},
        "as_of": "2026-02-01T00:00:00Z",
    }
    (folder / "memories.jsonl").write_text("".join(json.dumps(one) + "\n" for one in memories), encoding="utf-8")
    (folder / "queries.jsonl").write_text(json.dumps(query) + "\n", encoding="utf-8")
    (folder / "policy.toml").write_text('default = "allow"\n', encoding="utf-8")
    out = tmp_path / "rows.jsonl"
    for mode in ("self_description", "jurisdiction", "layered"):
        assert run("evaluate", folder, "--route", "global_bm25", "--gate", mode, "--out", out)[0] == 0
        gates = [json.loads(line)["gate"] for line in out.read_text(encoding="utf-8").splitlines()]
        assert [gate["result"] for gate in gates] == ["GATE_SKIP"] * len(MALFORMED)
        assert all(gate["note"].startswith("malformed governs: ") for gate in gates)
        assert not any(gate["attribution"] == "GOVERNED" for gate in gates)
    code, stdout, _ = run("lint", folder, "--json")
    assert code == 1  # an error
    assert json.loads(stdout)["codes"]["malformed-governs"] == len(MALFORMED)
    code, stdout, _ = run("coverage", folder, "--json")
    assert len(json.loads(stdout)["malformed_governs"]) == len(MALFORMED)


def test_the_two_modes_on_the_bundled_noise(run: Run, tmp_path: Path) -> None:
    # The store's README: next-holiday wrongly brings up payroll-run, which self-description alone escalates.
    acted = {}
    for mode in ("self_description", "jurisdiction"):
        out = tmp_path / f"{mode}.jsonl"
        assert run("evaluate", demo_folder("gate-noise"), "--gate", mode, "--out", out)[0] == 0
        rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
        acted[mode] = {
            row["query_id"]: (row["memory_id"], row["gate"]["action"]) for row in rows if row["gate"]["decides"]
        }
    assert acted["self_description"]["next-holiday"] == ("payroll-run", "verify_first")
    assert acted["jurisdiction"]["next-holiday"] == ("payroll-run", "answer")
    assert acted["jurisdiction"]["release-payroll"] == ("payroll-run", "verify_first")
