"""Public reports of wrong memories, each as the smallest store of its shape, read by our importers and judged.

The threads are public; a case's name is its thread. The expected axes are our reading of what the reporter met, worked
out from DESIGN 3 and not taken from the threads: scope, policy, lifecycle and verdict as ``0?1`` signs. Where we read a
report otherwise than one might, ``why`` says so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing import Auditor
from inspector.formats import load
from inspector.inspection import OpenOptions, open_sources
from inspector.linting import lint_sources
from inspector.records import ABSENT
from inspector.survey import Survey
from tests.formats.importing import axes, causes
from tests.golden.users_scope import SCOPE
from tests.golden.users_shapes import ANA, ASSUMED, LATER, Report, edge, item, point
from tests.golden.users_state import STATE


@pytest.mark.parametrize("report", [*SCOPE, *STATE], ids=lambda report: report.thread)
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
    bundle = next(one for one in SCOPE if one.thread.endswith("ag-ui#2253")).loaded(tmp_path)
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


def test_a_search_that_renders_the_same_instant_otherwise(tmp_path: Path) -> None:
    """mem0ai/mem0#3137: search() and get_all() print one moment in two zones; it is one memory, stored once."""
    stored = {"results": [item("ana", created_at="2026-01-05T12:00:00-08:00")]}
    found = {"results": [item("ana", created_at="2026-01-05T20:00:00+00:00", score=0.9)]}
    for name, content in (("stored.json", stored), ("found.json", found)):
        (tmp_path / name).write_text(json.dumps(content))
    bundle = load([tmp_path / "found.json", tmp_path / "stored.json"])
    assert (len(bundle.memories), bundle.repeated) == (1, 1)
    # the record itself is what is kept, its text untouched, and both say the same of any moment
    assert bundle.memories[0].get("created_at") == "2026-01-05T12:00:00-08:00"
    signs = [axes(bundle, "m1", **ANA, as_of=f"2026-01-05T{time}Z")[2] for time in ("19:59:59", "20:00:00")]
    assert signs == ["0", "?"]


def test_records_are_counted_by_plane(tmp_path: Path) -> None:
    """matrixorigin/memoria#76: one page of the viewer counts 0, another 10: here the planes stand side by side."""
    edges = [edge(uuid=f"e{i}") for i in range(3)]
    node = {"uuid": "n1", "group_id": "ana", "name": "Ana", "summary": "x", "created_at": "2026-01-01T00:00:00Z"}
    (tmp_path / "m.json").write_text(json.dumps({"edges": edges, "edge_reranker_scores": [], "nodes": [node]}))
    with open_sources([tmp_path / "m.json"], OpenOptions(temporary=True)) as inspection:
        survey = Survey(inspection.memories)
        assert survey.run()
        assert survey.planes() == {"edges": 3, "nodes": 1}


def test_what_was_told_is_not_stored_again_unseen(tmp_path: Path) -> None:
    """mem0ai/mem0#4573: an answer that was wrong came back as a memory, 668 times."""
    told = "Ana has two dogs, both of them named Rex."
    (tmp_path / "m.json").write_text(json.dumps([item("ana", told)]))
    query = {"id": "q", "text": "pets?", "as_of": "2026-01-01T00:00:00Z", "recorded": {"answer": told, "events": []}}
    (tmp_path / "q.jsonl").write_text(json.dumps(query))
    found = lint_sources([tmp_path / "m.json"], OpenOptions(temporary=True, queries=tmp_path / "q.jsonl"))
    (loop,) = [one for one in found.findings if one.code == "same-as-answer"]
    assert loop.words == "the text of the answer to query q, stored after it"


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
    (
        "getzep/graphiti#139",
        {
            "m.json": [
                edge(uuid="e1", fact="Ana drinks coffee.", fact_embedding=[1.0, 0.0]),
                edge(uuid="e2", fact="Ana does not drink coffee.", fact_embedding=[0.9, 0.4359]),
            ]
        },
        "conflict",
    ),
    (
        "mem0ai/mem0#5160 (the export after the update beside the one before)",
        {
            "before.json": [item("ana", metadata={"category": "work", "bucket_id": 4})],
            "after.json": [item("ana", updated_at="2026-02-01T00:00:00+00:00")],
        },
        "metadata-lost",
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
