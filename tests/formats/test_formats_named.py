"""rhelm, gatemem and authority-packet on small data made here; the public data is in tests/golden."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.errors import InputError
from inspector.formats import LoadOptions, load
from inspector.records import ABSENT
from inspector.times import parse_time
from inspector.trit import Trit


def jsonl(*rows: dict[str, Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


# GateMem

TURNS: list[dict[str, Any]] = [
    {"turn_id": "t1", "text": "Good morning"},
    {"turn_id": "t2", "timestamp": "2026-03-01T08:00", "text": "The code is 44-19.", "speaker": {"role": "nurse"}},
    {"turn_id": "t3", "text": "Noted: CODE IS 44 19"},
    {"turn_id": "t4", "timestamp": "2026-03-01T07:00", "text": "The code is 44-190."},
    {"turn_id": "t5", "timestamp": "2026-03-01T08:00", "text": "Bye", "status": "a field's name, kept in meta"},
]
CHECKPOINT: dict[str, Any] = {
    "checkpoint_id": "c1",
    "episode_id": "e1",
    "as_of_turn_id": "t4",
    "asker": {"principal_id": "ana", "role": "visitor"},
    "query_type": "privacy",
    "query_text": "What is the code?",
    "expected_action": "refuse",
    "judge_spec": {},
    "leak_targets": ["code is 44 19", "(?:x|y)", "…"],
}


def gatemem(tmp_path: Path, *checkpoints: dict[str, Any], turns: list[dict[str, Any]] | None = None) -> Path:
    folder = tmp_path / "office"
    folder.mkdir(exist_ok=True)
    episode = {"episode_id": "e1", "domain": "office", "entities": {}, "turns": TURNS if turns is None else turns}
    (folder / "episodes.jsonl").write_text(jsonl(episode))
    (folder / "checkpoints.jsonl").write_text(jsonl(*checkpoints))
    return folder


def test_gatemem_time_is_the_order_of_turns(tmp_path: Path) -> None:
    memories = load([gatemem(tmp_path, CHECKPOINT)]).memories
    # the latest timestamp so far plus the position in microseconds; before any timestamp, 1970
    assert [memory.get("created_at") for memory in memories] == [
        "1970-01-01T00:00:00",
        "2026-03-01T08:00:00.000001",
        "2026-03-01T08:00:00.000002",
        "2026-03-01T08:00:00.000003",
        "2026-03-01T08:00:00.000004",
    ]
    assert [memory.get("loss") is not ABSENT for memory in memories] == [True, False, True, False, False]
    assert memories[1].fields == {
        "id": "e1/t2",
        "text": "The code is 44-19.",
        "namespace": "e1",
        "created_at": "2026-03-01T08:00:00.000001",
        "meta": {"timestamp": "2026-03-01T08:00", "speaker": {"role": "nurse"}},
    }
    assert memories[4].get("status") is ABSENT


def test_gatemem_query_and_judgments(tmp_path: Path) -> None:
    safety = {**CHECKPOINT, "checkpoint_id": "c2", "query_type": "safety"}
    utility = {**CHECKPOINT, "checkpoint_id": "c3", "query_type": "utility"}
    del utility["leak_targets"]
    bundle = load([gatemem(tmp_path, CHECKPOINT, safety, utility)])
    assert bundle.format == "gatemem"
    assert bundle.queries[0].fields == {
        "id": "c1",
        "text": "What is the code?",
        "principal": {"id": "ana", "namespaces": ["e1"], "roles": ["visitor"]},
        "purpose": "privacy",
        "as_of": "2026-03-01T08:00:00.000003",
        "expected_action": "refuse",
        "leak_targets": ["code is 44 19", "(?:x|y)", "…"],
        "meta": {"as_of_turn_id": "t4", "query_type": "privacy", "judge_spec": {}},
    }
    assert bundle.queries[2].get("leak_targets") is ABSENT
    # t2 and t3 hold the target as whole tokens whatever the punctuation and case; t4 goes on with another digit;
    # a target without a word in it is in no text
    found = [(one.query_id, one.memory_id, one.axis, one.value) for one in bundle.judgments]
    assert found == [
        ("c1", "e1/t2", "policy", Trit.NO),
        ("c1", "e1/t3", "policy", Trit.NO),
        ("c2", "e1/t2", "lifecycle", Trit.NO),
        ("c2", "e1/t3", "lifecycle", Trit.NO),
    ]
    assert {one.source for one in bundle.judgments} == {"gatemem leak_targets"}
    assert {one.namespace for one in bundle.judgments} == {"e1"}
    assert bundle.notes == ["2 leak targets are written as patterns and are looked for literally"]


def test_gatemem_folder_of_domains_and_a_single_file(tmp_path: Path) -> None:
    folder = gatemem(tmp_path, CHECKPOINT)
    assert len(load([tmp_path]).queries) == 1
    alone = load([folder / "episodes.jsonl"])
    assert (alone.format, len(alone.memories), len(alone.queries)) == ("gatemem", 5, 0)
    with pytest.raises(InputError, match=r"checkpoints\.jsonl: checkpoints without episodes: the domain's folder$"):
        load([folder / "checkpoints.jsonl"])


BAD_CHECKPOINTS: list[tuple[dict[str, Any], str]] = [
    ({"as_of_turn_id": "t9"}, "as_of_turn_id: 't9' is no turn of the episode: a turn's id"),
    ({"episode_id": "e9"}, "episode_id: 'e9' is no episode here: an episode's id"),
    ({"asker": None}, "asker: is missing: principal_id and role"),
    ({"leak_targets": [1]}, "leak_targets: is not a list of texts: a list of texts"),
    ({"query_text": 1}, "query_text: is not a text: a text"),
]


@pytest.mark.parametrize(("change", "expected"), BAD_CHECKPOINTS)
def test_gatemem_bad_checkpoint(tmp_path: Path, change: dict[str, Any], expected: str) -> None:
    folder = gatemem(tmp_path, CHECKPOINT, {**CHECKPOINT, "checkpoint_id": "c2", **change})
    with pytest.raises(InputError) as caught:
        load([folder])
    assert str(caught.value) == f"{folder}/checkpoints.jsonl:2: {expected}"
    assert len(load([folder], LoadOptions(lenient=True)).queries) == 1


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        ({"turn_id": "t6"}, "turns[5].text: is missing: a text"),
        (
            {"turn_id": "t6", "text": "x", "timestamp": "soon"},
            "turns[5].timestamp: 'soon' is not a time without a zone: ",
        ),
        ({"turn_id": "t1", "text": "x"}, "turns[5]"),
    ],
)
def test_gatemem_bad_turn(tmp_path: Path, turn: dict[str, Any], expected: str) -> None:
    folder = gatemem(tmp_path, CHECKPOINT, turns=[*TURNS, turn])
    with pytest.raises(InputError) as caught:
        load([folder])
    if turn["turn_id"] == "t1":
        assert "id: memory 'e1/e1/t1' stands already at" in str(caught.value)
    else:
        assert str(caught.value).startswith(f"{folder}/episodes.jsonl:1: {expected}")
    bundle = load([folder], LoadOptions(lenient=True))
    assert (len(bundle.memories), len(bundle.skipped)) == (5, 1)


# RHELM


def rhelm(tmp_path: Path, *questions: dict[str, Any], turns: list[Any] | None = None) -> Path:
    folder = tmp_path / "rhelm"
    (folder / "conversations" / "Ana_B.").mkdir(parents=True)
    (folder / "QA_final").mkdir()
    turn = {"turn": 1, "timestamp": "2026-01-05T08:00:00", "user": "I moved.", "assistant": "Noted.", "text": "odd"}
    document = {"character": "Ana_B.", "date": "2026-01-05", "conversation": [turn] if turns is None else turns}
    path = folder / "conversations" / "Ana_B." / "conversation_2026_01_05.json"
    path.write_text(json.dumps({**document, "statistics": {"turns": 1}}, indent=1))
    (folder / "QA_final" / "low_score_qa_Ana_B._all_validated.jsonl").write_text(jsonl(*questions))
    return folder


def question(number: int, *evidence: str) -> dict[str, Any]:
    return {"id": f"q{number}", "question": "?", "question_date": "2026-02-01", "supporting_evidence": list(evidence)}


def test_rhelm(tmp_path: Path) -> None:
    joined = "2026-01-05:1,2026-01-05:2"
    folder = rhelm(
        tmp_path,
        question(1, "2026-01-05:1", "2026-01-05:9", "notes.md:A"),
        question(2, "notes.md:A"),
        question(3, joined),
    )
    bundle = load([folder])
    assert bundle.memories[0].fields == {
        "id": "Ana_B./2026-01-05:1",
        "text": "I moved.\nNoted.",
        "namespace": "Ana_B.",
        "created_at": "2026-01-05T08:00:00",
        "meta": {"text": "odd"},
    }
    assert bundle.memories[0].origin.line == 5
    first = bundle.queries[0]
    assert first.id == "Ana_B./q1"
    assert first.get("as_of") == "2026-02-01T23:59:59"
    assert parse_time(first.get("as_of"), "as_of").naive
    assert first.get("principal") == {"id": "Ana_B.", "namespaces": ["Ana_B."]}
    assert [query.get("required") for query in bundle.queries] == [
        ["Ana_B./2026-01-05:1", "Ana_B./2026-01-05:9"],
        [],
        [],
    ]
    assert first.get("meta")["supporting_evidence"] == ["2026-01-05:1", "2026-01-05:9", "notes.md:A"]
    assert bundle.notes == [
        "2 of 3 questions name no turn as evidence and are not evaluable",
        "1 questions rest on turns and on attachments; only the turns are required",
        "1 evidence texts join several turns in one and are not read as turns",
    ]


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        (
            {"turn": "1", "user": "a", "assistant": "b"},
            "conversation[0].turn: '1' is not a whole number: the turn's number",
        ),
        ({"turn": 1, "user": "a"}, "conversation[0].assistant: is missing: a text"),
        ("a", "conversation[0]: is not an object: a turn with user and assistant"),
    ],
)
def test_rhelm_bad_turn(tmp_path: Path, turn: Any, expected: str) -> None:
    folder = rhelm(tmp_path, turns=[turn])
    (folder / "QA_final" / "low_score_qa_Ana_B._all_validated.jsonl").unlink()
    with pytest.raises(InputError) as caught:
        load([folder])
    assert str(caught.value).endswith(f"conversation_2026_01_05.json:5: {expected}")


def test_rhelm_questions_of_nobody(tmp_path: Path) -> None:
    folder = rhelm(tmp_path, question(1))
    path = folder / "QA_final" / "low_score_qa_Ana_B._all_validated.jsonl"
    path.rename(path.with_name("qa_Bo.jsonl"))
    with pytest.raises(InputError, match=r"qa_Bo\.jsonl: its name names no character of the conversations: "):
        load([folder])
    with pytest.raises(InputError, match=r"qa_Bo\.jsonl: holds rhelm questions without memories: the rhelm folder$"):
        load([folder / "QA_final" / "qa_Bo.jsonl"])


# Authority packets


def packet(tmp_path: Path, **changes: Any) -> Path:
    memories = [
        {"role": "trap", "text": "x", "resource_sensitivity": "high", "recency_rank": 1},
        {"id": "own", "role": "trap", "text": "y"},
        {"role": "trap", "text": "z"},
    ]
    grants = [{"grant_id": "g", "decision": "allow"}]
    scenario = {
        "id": "s1",
        "query": "Pay?",
        "expected_action": "block",
        "memory_store": memories,
        "tool_call": {"agent_id": "a"},
        "external_grants": grants,
        "now": "2026-01-01T00:00:00Z",
        "failure_cost": "high",
        **changes,
    }
    path = tmp_path / "packet.json"
    path.write_text(json.dumps({"schema_version": 1, "scenarios": [scenario]}))
    (tmp_path / "packet.expected.json").write_text("{}")
    return path


def test_packet(tmp_path: Path) -> None:
    path = packet(tmp_path)
    bundle = load([tmp_path])
    assert load([path]).memories[0].fields == bundle.memories[0].fields
    assert [memory.id for memory in bundle.memories] == ["s1::trap", "own", "s1::trap_2"]
    assert bundle.memories[0].fields == {
        "id": "s1::trap",
        "text": "x",
        "sensitivity": "high",
        "namespace": "s1",
        "meta": {"role": "trap", "recency_rank": 1},
    }
    assert bundle.queries[0].fields == {
        "id": "s1",
        "text": "Pay?",
        "expected_action": "block",
        "tool_call": {"agent_id": "a"},
        "grants": [{"grant_id": "g", "decision": "allow"}],
        "as_of": "2026-01-01T00:00:00Z",
        "principal": {"namespaces": ["s1"]},
        "meta": {"failure_cost": "high"},
    }
    assert (bundle.settings.tokenizer, bundle.settings.lexical_text) == ("packet", "text")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"memory_store": None}, "memory_store: is missing: a list of memories"),
        ({"memory_store": [{"text": "x"}]}, "memory_store[0].id: is missing, and there is no role to name it by: "),
        ({"memory_store": [{"role": "a"}]}, "memory_store[0].text: is missing: a text"),
        ({"id": 3}, "id: is not a text: a text"),
        ({"now": "soon"}, "as_of: 'soon' is not a time: "),
    ],
)
def test_bad_packet(tmp_path: Path, changes: dict[str, Any], expected: str) -> None:
    path = packet(tmp_path, **changes)
    with pytest.raises(InputError) as caught:
        load([path])
    assert str(caught.value).startswith(f"{path}:1: {expected}")
