"""The public data, counted. Expected figures: ../shared/data/README.md, or counted from the raw JSON here, without any
code of ours but the tokens of DESIGN 8 written out again."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from inspector.formats import load
from inspector.records import Bundle
from inspector.times import parse_time
from inspector.trit import Trit

pytestmark = pytest.mark.shared


@pytest.fixture(scope="module")
def rhelm(shared: Path) -> Bundle:
    return load([shared / "rhelm"])


@pytest.fixture(scope="module")
def gatemem(shared: Path) -> Bundle:
    return load([shared / "gatemem"])


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_rhelm_counts(rhelm: Bundle) -> None:
    assert (rhelm.format, len(rhelm.memories), len(rhelm.queries)) == ("rhelm", 8082, 862)
    assert (rhelm.repeated, rhelm.skipped, rhelm.judgments) == (0, [], [])
    assert len({memory.get("namespace") for memory in rhelm.memories}) == 7
    required = [query.get("required") for query in rhelm.queries]
    assert sum(not one for one in required) == 293  # not evaluable
    evidence = [query.get("meta")["supporting_evidence"] for query in rhelm.queries]
    assert sum(0 < len(need) < len(named) for need, named in zip(required, evidence, strict=True)) == 20  # mixed
    assert rhelm.notes[:2] == [
        "293 of 862 questions name no turn as evidence and are not evaluable",
        "20 questions rest on turns and on attachments; only the turns are required",
    ]


def test_rhelm_evidence_is_stored_and_two_turns_lie_after_as_of(rhelm: Bundle) -> None:
    stored = {memory.id: memory for memory in rhelm.memories}
    late = 0
    for query in rhelm.queries:
        (character,) = query.get("principal")["namespaces"]
        as_of = parse_time(query.get("as_of"), "as_of")
        assert as_of.naive
        for needed in query.get("required"):
            assert stored[needed].get("namespace") == character
            late += parse_time(stored[needed].get("created_at"), "created_at").us > as_of.us
    assert late == 2


def test_rhelm_states_neither_policy_nor_lifecycle(rhelm: Bundle) -> None:
    known = {name for memory in rhelm.memories for name in memory.fields}
    assert known == {"id", "text", "namespace", "created_at", "meta"}


def test_gatemem_counts(gatemem: Bundle, shared: Path) -> None:
    assert (gatemem.format, len(gatemem.memories), len(gatemem.queries)) == ("gatemem", 8394, 1126)
    assert sum(memory.value("loss") is not None for memory in gatemem.memories) == 206
    medical = load([shared / "gatemem" / "medical"])
    assert (len(medical.memories), len(medical.queries)) == (4294, 579)


def test_gatemem_as_of_divides_the_turns_where_the_source_does(gatemem: Bundle, shared: Path) -> None:
    created = {memory.id: parse_time(memory.get("created_at"), "created_at").us for memory in gatemem.memories}
    as_of = {query.id: parse_time(query.get("as_of"), "as_of").us for query in gatemem.queries}
    for domain in ("medical", "office"):
        turns = {
            episode["episode_id"]: [turn["turn_id"] for turn in episode["turns"]]
            for episode in lines(shared / "gatemem" / domain / "episodes.jsonl")
        }
        for checkpoint in lines(shared / "gatemem" / domain / "checkpoints.jsonl"):
            ids = turns[checkpoint["episode_id"]]
            last = ids.index(checkpoint["as_of_turn_id"])
            stored = [created[f"{checkpoint['episode_id']}/{one}"] <= as_of[checkpoint["checkpoint_id"]] for one in ids]
            assert stored == [position <= last for position in range(len(ids))]


def tokens(text: str) -> list[str]:
    """DESIGN 8: NFKC, casefold, word tokens."""
    return re.findall(r"\w+", unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()))


def holds(text: list[str], part: list[str]) -> bool:
    return any(text[i : i + len(part)] == part for i in range(len(text) - len(part) + 1)) if part else False


def test_gatemem_judgments_are_those_of_the_leak_targets(gatemem: Bundle, shared: Path) -> None:
    expected: set[tuple[str, str, str]] = set()
    episodes: dict[str, list[tuple[str, list[str]]]] = {}
    for memory in gatemem.memories:
        episodes.setdefault(memory.get("namespace"), []).append((memory.id, tokens(memory.text)))
    for checkpoint in lines(shared / "gatemem" / "office" / "checkpoints.jsonl"):
        axis = {"privacy": "policy", "safety": "lifecycle"}.get(checkpoint["query_type"])
        targets = [tokens(one) for one in checkpoint.get("leak_targets") or []]
        if axis is None or not targets:
            continue
        for memory_id, text in episodes[checkpoint["episode_id"]]:
            if any(holds(text, one) for one in targets):
                expected.add((checkpoint["checkpoint_id"], memory_id, axis))
    found = {
        (one.query_id, one.memory_id, one.axis)
        for one in gatemem.judgments
        if one.query_id.startswith("office_episode")
    }
    assert found == expected
    assert {one.value for one in gatemem.judgments} == {Trit.NO}
    purposes = {query.id: query.get("purpose") for query in gatemem.queries}
    assert Counter((purposes[one.query_id], one.axis) for one in gatemem.judgments).keys() == {
        ("privacy", "policy"),
        ("safety", "lifecycle"),
    }


def test_packets_have_the_ids_that_the_expected_files_name(shared: Path) -> None:
    folder = shared / "authority_packets"
    bundle = load([folder])
    stored = {(memory.get("namespace"), memory.id) for memory in bundle.memories}
    assert (len(bundle.memories), len(bundle.queries)) == (72, 24)
    assert len(stored) == 72
    named = 0
    for file in sorted(folder.glob("*.expected.json")):
        for scenario, memory_id in selected(json.loads(file.read_text(encoding="utf-8"))):
            assert (scenario, memory_id) in stored
            named += 1
    assert named > 100


def selected(node: Any) -> list[tuple[str, str]]:
    """Every pair of a scenario and the memory that the packets' own evaluator selected for it."""
    if isinstance(node, list):
        return [pair for one in node for pair in selected(one)]
    if not isinstance(node, dict):
        return []
    found = [pair for one in node.values() for pair in selected(one)]
    scenario, memory = node.get("scenario_id"), node.get("selected_memory_id")
    return [*found, (scenario, memory)] if isinstance(scenario, str) and isinstance(memory, str) else found
