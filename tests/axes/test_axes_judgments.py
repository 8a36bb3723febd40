"""Judgments over rules, relevance, the verdict and what stands beside it (DESIGN 2, 3)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inspector.axes.judgments import Judged
from inspector.records import ABSENT, Judgment, Origin
from inspector.trit import Trit
from tests.axes.axes_records import engine, judgment, memory, query, why

N, U, Y = Trit.NO, Trit.UNKNOWN, Trit.YES


def label(axis: Any, value: Trit, source: str = "reviewer", namespace: Any = ABSENT, of: str = "m1") -> Judgment:
    return Judgment("q1", of, namespace, axis, value, source, Origin("judgments.jsonl", 3))


@pytest.mark.parametrize("axis", ["scope", "policy", "lifecycle", "relevance"])
@pytest.mark.parametrize("value", [N, U, Y])
def test_a_judgment_beats_the_rule_on_its_axis(axis: str, value: Trit) -> None:
    stored = memory(namespace="b", status="active", semantic_tag="t", allowed_purposes=["x"])
    asked = query(namespaces=["a"], semantic_tag="t", purpose="x")
    ruled = why(stored, asked)
    found = why(stored, asked, [label(axis, value)])
    for name in ("scope", "policy", "lifecycle", "relevance"):
        result = getattr(found, name)
        if name == axis:
            assert result.value == value
            assert result.judged
            assert result.rule == "judgment"
            was = getattr(ruled, name).value.symbol
            assert result.reason == f"judgment: 'reviewer' says {value.symbol}; the rule gave {was}"
            assert result.reads[0].origin == "judgment by reviewer"
        else:
            assert result == getattr(ruled, name)


def test_judgments_that_disagree_give_unknown_and_both_are_named() -> None:
    found = why(memory(), query(), [label("policy", Y, "ann"), label("policy", N, "bob")]).policy
    assert found.value == U
    assert "'ann' says 1 and 'bob' says 0, which disagree" in found.reason
    agree = why(memory(), query(), [label("policy", N, "ann"), label("policy", N, "bob")]).policy
    assert agree.value == N
    assert "disagree" not in agree.reason
    # A label of ? beside one of 1 is a disagreement too.
    assert why(memory(), query(), [label("policy", Y, "ann"), label("policy", U, "bob")]).policy.value == U


@pytest.mark.parametrize(
    ("namespace", "expected"),
    [
        ("a", [0, 2]),
        ("b", [2, 0]),
        (["t", "u"], [2, 2]),
        ("c", [2, 2]),
        (ABSENT, [0, 2]),  # the asker's own, where the id stands in several namespaces
        (None, [0, 2]),
    ],
)
def test_a_judgment_names_its_memory_by_id_and_namespace(namespace: Any, expected: list[int]) -> None:
    stored = [memory("m1", namespace="a", status="active"), memory("m1", namespace="b", status="active")]
    built = engine(stored, query(namespaces=["a"]), [label("lifecycle", N, namespace=namespace)])
    assert built.lifecycle([0, 1], [0, 0]).tolist() == expected


def test_a_bare_judgment_of_an_id_in_foreign_namespaces_speaks_of_all() -> None:
    stored = [memory("m1", namespace="a"), memory("m1", namespace="b")]
    built = engine(stored, query(namespaces=["z"]), [label("lifecycle", N)])
    assert built.lifecycle([0, 1], [0, 0]).tolist() == [0, 0]


def test_a_judgment_may_name_one_of_several_owners_or_a_list() -> None:
    several = memory("m1", namespaces=["a", "b"])
    assert why(several, query(), [label("policy", N, namespace="b")]).policy.value == N
    assert why(several, query(), [label("policy", N, namespace=["a", "b"])]).policy.value == N
    assert why(several, query(), [label("policy", N, namespace="c")]).policy.value == U
    segments = memory("m1", namespace=["t", "u"])
    assert why(segments, query(), [label("policy", N, namespace=["t", "u"])]).policy.value == N
    assert why(segments, query(), [label("policy", N, namespace="t")]).policy.value == U


def test_judgments_can_be_replaced() -> None:
    built = engine(memory(status="active"), query(), [label("lifecycle", N)])
    assert built.lifecycle([0], [0]).tolist() == [0]
    built.update_judgments([label("policy", Y)])
    assert built.lifecycle([0], [0]).tolist() == [2]
    assert built.policy([0], [0]).tolist() == [2]
    built.update_judgments([])
    assert built.policy([0], [0]).tolist() == [1]


def test_judgments_of_unknown_queries_and_memories_do_nothing() -> None:
    built = engine(memory(), query(), [label("policy", Y, of="gone"), judgment("policy", Y, query_id="other")])
    assert built.policy([0], [0]).tolist() == [1]


def test_overrides_in_a_matrix_in_pairs_and_one_by_one() -> None:
    """A judged diagonal, read as a matrix, as many pairs, as few, and with memories in another order."""
    size = 40
    stored = [memory(f"m{i}", status="active") for i in range(size)]
    asked = [query(f"q{i}") for i in range(size)]
    labels = [judgment("lifecycle", N, query_id=f"q{i}", memory_id=f"m{i}") for i in range(size)]
    built = engine(stored, asked, labels)
    matrix = built.lifecycle(np.arange(size)[None, :], np.arange(size)[:, None])
    expected = np.full((size, size), 2) - 2 * np.eye(size, dtype=int)
    assert matrix.tolist() == expected.tolist()
    every = np.indices((size, size)).reshape(2, -1)
    assert built.lifecycle(every[1], every[0]).tolist() == expected.ravel().tolist()
    assert built.lifecycle([3, 4], [3, 3]).tolist() == [0, 2]
    turned = np.arange(size)[::-1]
    assert built.lifecycle(turned[None, :], np.array([[5]])).tolist() == [expected[5][turned].tolist()]


@pytest.mark.parametrize(
    ("mine", "theirs", "expected"),
    [("t", "t", Y), ("t", "u", N), (None, "t", U), ("t", "", U), (None, None, U)],
)
def test_semantic_tag(mine: str | None, theirs: str | None, expected: Trit) -> None:
    found = why(memory(semantic_tag=mine), query(semantic_tag=theirs)).relevance
    assert found.value == expected
    assert bool(found.missing) == (expected == U)


def test_required_goes_before_the_tag_and_says_nothing_of_others() -> None:
    stored = [memory("m1", semantic_tag="a"), memory("m2"), memory("m3", semantic_tag="b")]
    built = engine(stored, query(required=["m1"], semantic_tag="b"))
    assert built.relevance([0, 1, 2], [0, 0, 0]).tolist() == [2, 1, 2]
    assert built.required(0) == (0,)


def test_required_id_in_several_namespaces_means_the_askers() -> None:
    stored = [memory("e", namespace="a"), memory("e", namespace="b"), memory("f", namespace="b")]
    built = engine(stored, [query("q1", ["a"], required=["e", "f", "gone"]), query("q2", required=["e"])])
    assert built.required(0) == (0, 2)
    assert built.required(1) == (0, 1)


def test_usable_is_relevance_and_verdict_and_relevance_moves_no_verdict() -> None:
    stored = memory(namespace="a", status="active", allowed_purposes=["x"], semantic_tag="t")
    asked: dict[str, Any] = {"namespaces": ["a"], "purpose": "x"}
    for tag, relevance in (("t", Y), ("u", N), (None, U)):
        found = why(stored, query(**asked, semantic_tag=tag))
        assert (found.relevance.value, found.verdict, found.usable) == (relevance, Y, relevance)
    out = why(stored, query(namespaces=["b"], purpose="x", semantic_tag="t"))
    assert (out.relevance.value, out.verdict, out.usable) == (Y, N, N)


def test_all_axes_are_explained_and_the_deciding_ones_named() -> None:
    found = why(memory(namespace="b", deleted_at="2026-01-01T00:00:00Z"), query(namespaces=["a"]))
    assert found.verdict == N
    assert found.decided_by == ("scope", "lifecycle")
    assert found.policy.value == U
    assert found.policy.reason
    admitted = why(memory(namespace="a", status="active"), query(namespaces=["a"]), assumptions={"policy": "allow"})
    assert admitted.verdict == Y
    assert admitted.decided_by == ("scope", "policy", "lifecycle")


def test_present_fields_that_no_rule_read_are_listed() -> None:
    stored = memory(
        namespace="a", sensitivity="high", keys={"task_id": "t1"}, meta={"color": "red", "none": None}, source=""
    )
    found = why(stored, query(namespaces=["a"], risk=0.3, meta={"channel": "chat"}))
    assert {(read.owner, read.name) for read in found.unread} == {
        ("memory", "sensitivity"),
        ("memory", "keys.task_id"),
        ("memory", "meta.color"),
        ("query", "principal.id"),
        ("query", "risk"),
        ("query", "meta.channel"),
    }
    text = "[[rules]]\nid='r'\neffect='deny'\nwhen=\"m.meta.color = 'red' AND q.risk > 0.5\""
    read = why(stored, query(namespaces=["a"], risk=0.3, meta={"channel": "chat"}), policy=text)
    assert {(field.owner, field.name) for field in read.unread} == {
        ("memory", "sensitivity"),
        ("memory", "keys.task_id"),
        ("query", "principal.id"),
        ("query", "meta.channel"),
    }


def test_edits_are_named_as_origin() -> None:
    stored = memory(namespace="b")
    stored.edits["namespace"] = "a"
    found = why(stored, query(namespaces=["a"])).scope
    assert found.value == Y
    assert found.reads[0].origin == "edit"


def test_a_preview_explains_records_that_are_not_stored() -> None:
    stored = [memory(namespace="b")]
    built = engine(stored, query(namespaces=["a"]))
    tried = memory(namespace="a")
    assert built.explain_as(0, tried, 0, built.queries[0]).scope.value == Y
    assert built.explain(0, 0).scope.value == N


def test_an_empty_store_and_no_pairs() -> None:
    built = engine([], [query()])
    assert built.admissible([], []).shape == (0,)
    assert built.admissible(np.zeros((1, 0), int), [[0]]).shape == (1, 0)
    assert engine([memory()], []).admissible([[0]], np.zeros((0, 1), int)).shape == (0, 1)


def test_only_queries_whose_judgments_changed_are_matched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = [judgment("policy", Y, query_id="q2")]
    built = engine(memory(), [query("q1"), query("q2"), query("q3")], kept)
    matched: list[int] = []
    update = Judged.update_query

    def counted(self: Judged, qi: int) -> None:
        matched.append(qi)
        update(self, qi)

    monkeypatch.setattr(Judged, "update_query", counted)
    built.update_judgments([*kept, judgment("policy", N, query_id="q1")])
    assert matched == [0]
    assert built.policy([0, 0, 0], [0, 1, 2]).tolist() == [0, 2, 1]
    built.update_judgments(kept)
    assert matched == [0, 0]
    assert built.policy([0, 0, 0], [0, 1, 2]).tolist() == [1, 2, 1]
