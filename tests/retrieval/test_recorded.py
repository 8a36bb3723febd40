"""Traces: read as recorded, oddities said, nothing crashes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from inspector.retrieval.ranking import Ranking
from inspector.retrieval.routes import Sources, rank
from inspector.text import content_hash
from tests.retrieval.views import TableView, ids, memory, query, trits

MEMORIES = [
    memory("a", namespace="n", text="first"),
    memory("b", namespace="n", text="second"),
    memory("c", namespaces=["n", "o"], text="third"),
    memory("a", namespace="o", text="fourth"),
]


def item(name: str, score: float | None = None, **more: Any) -> dict[str, Any]:
    return {"id": name, "score": score, **more}


def event(*items: dict[str, Any], kind: str | None = "similarity", **more: Any) -> dict[str, Any]:
    return {"retrieved": list(items), "score_kind": kind, "filter": {"user": 1}, **more}


def read(*events: dict[str, Any], k: int | None = None, **tables: list[str]) -> tuple[list[int], Ranking]:
    view = TableView(
        MEMORIES, [query("q", recorded={"events": list(events)})], {name: trits(rows) for name, rows in tables.items()}
    )
    found = rank("recorded", view, Sources(), k=k)
    return found.found(0).tolist(), found


def test_events_are_joined_in_order_and_named() -> None:
    memories, found = read(event(item("b", 0.4), name="vector"), event(item("c", 0.9), item("b", 0.8)))
    assert memories == [1, 2]
    assert found.score[0].tolist() == [0.4, 0.9]
    assert [found.path_name(0, place) for place in (0, 1)] == ["vector", "event 2"]
    assert (found.width.tolist(), found.similarities.tolist(), found.notes) == ([2], [0], {})


def test_events_of_one_name_are_told_apart() -> None:
    _, found = read(event(item("b"), name="search"), event(item("c"), name="search"))
    assert found.paths == ("search", "search (2)")


@pytest.mark.parametrize(("kind", "expected"), [("similarity", [1, 2]), ("distance", [2, 1])])
def test_the_score_kind_says_which_way_scores_go(kind: str, expected: list[int]) -> None:
    memories, found = read(event(item("c", 0.1), item("b", 0.7), kind=kind))
    assert memories == expected
    assert (0 in found.notes) == (kind == "similarity")


@pytest.mark.parametrize("kind", ["unknown", None])
def test_scores_of_unknown_direction_are_not_used(kind: str | None) -> None:
    memories, found = read(event(item("c", 0.1), item("b", 0.7), kind=kind))
    assert memories == [2, 1]
    assert found.notes[0] == ("event 1: it is not known whether a high score is good: ranked as listed",)


def test_missing_scores_come_last_and_are_said() -> None:
    memories, found = read(event(item("c", math.nan), item("b", None), item("a", 0.2, namespace="n")))
    assert memories == [0, 2, 1]
    assert found.notes[0] == ("event 1: 2 of 3 scores are missing or not a number: ranked last",)
    assert np.isnan(found.score[0, 1:]).all()


def test_constant_and_absent_scores_are_said() -> None:
    assert read(event(item("c", 0.5), item("b", 0.5)))[1].notes[0] == ("event 1: all scores are 0.5: ranked as listed",)
    assert read(event(item("c"), item("b")))[1].notes[0] == ("event 1: no scores: ranked as listed",)


def test_an_event_without_a_filter_is_marked() -> None:
    assert read({"retrieved": [item("b", 1.0)], "score_kind": "similarity"})[1].notes[0] == (
        "event 1: unfiltered retrieval",
    )


def test_ids_that_are_not_stored_are_reported() -> None:
    memories, found = read(event(item("gone", 0.9), item("b", 0.8), name="vector"))
    assert memories == [1]
    assert found.unknown_ids == {0: (("vector", "gone"),)}


def test_an_id_is_resolved_by_namespace_then_hash_then_scope() -> None:
    assert read(event(item("a", namespace="o")))[0] == [3]
    assert read(event(item("c", namespace="o")))[0] == [2]
    assert read(event(item("a", content_hash=content_hash("fourth"))))[0] == [3]
    assert read(event(item("renamed", content_hash=content_hash("second"))))[0] == [1]
    assert read(event(item("a")), scope=["0111"])[0] == [3]
    memories, found = read(event(item("a")))
    assert memories == [0]
    assert "event 1: 2 stored memories could be a: the first by uid is taken" in found.notes[0]
    assert read(event(item("a", namespace="elsewhere")))[1].unknown_ids == {0: (("event 1", "a"),)}


def test_the_trace_is_cut_only_where_a_k_is_asked_for() -> None:
    memories = [memory(f"{i:02}") for i in range(30)]
    trace = {"events": [event(*(item(f"{i:02}") for i in range(30)))]}
    view = TableView(memories, [query("q", recorded=trace), query("r")])
    assert rank("recorded", view, Sources()).memory.shape == (2, 30)
    cut = rank("recorded", view, Sources(), k=4)
    assert (cut.memory[0].tolist(), cut.width.tolist()) == ([0, 1, 2, 3], [30, 0])
    short = rank("recorded", view, Sources(), queries=np.array([1]))
    short.put(short)
    whole = rank("recorded", view, Sources())
    whole.put(short)
    assert ids(view, whole.memory[0]) == [f"{i:02}" for i in range(30)]


@pytest.mark.parametrize("recorded", [None, {}, {"events": None}, {"events": []}, {"events": [{}]}, {"events": ["x"]}])
def test_a_trace_without_hits_is_empty(recorded: Any) -> None:
    view = TableView(MEMORIES, [query("q", recorded=recorded)])
    assert rank("recorded", view, Sources()).memory.shape == (1, 0)
