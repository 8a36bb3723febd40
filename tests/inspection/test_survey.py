"""The survey of a store against the coverage map of the same records, whole, in blocks, and after edits."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector import survey as surveying
from inspector.gate.coverage import Protection, coverage
from inspector.records import ABSENT, Memory, Origin
from inspector.survey import MARKS, PROTECTIONS, Survey


def memory(number: int, fields: dict[str, Any]) -> Memory:
    return Memory({"id": f"m{number}", "text": "t", **fields}, Origin("here"))


BLOCKS: list[Any] = [None, "execute", {"action_types": ["read"]}, {"any_terms": ["a"]}, {"action_types": ["execute"]}]
FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "governs": st.sampled_from(BLOCKS),
        "verification_required": st.sampled_from([True, False, None, "yes"]),
        "memory_type": st.sampled_from(["policy", "context", ""]),
        "status": st.sampled_from(["active", "archived", None]),
        "sensitivity": st.sampled_from(["high", "low", None]),
        "namespace": st.sampled_from(["ann", "", None, ["a", "b"]]),
        "namespaces": st.sampled_from([["ann"], []]),
        "allowed_purposes": st.sampled_from([["care"], [], None]),
        "created_at": st.sampled_from(["2026-01-01", None]),
        "plane": st.sampled_from(["rows", "vectors", None]),
    },
)


def whole(memories: list[Memory]) -> Survey:
    survey = Survey(memories)
    while not survey.run():
        pass
    return survey


def same_as_map(survey: Survey, memories: list[Memory]) -> None:
    """Every count and list of the survey is that of the map, which looks at the records one by one."""
    covered = coverage(memories)
    for counted, cell in zip(survey.cells(), covered.cells, strict=True):
        assert counted.protection is cell.protection
        assert counted.records == len(cell.memories)
        assert survey.in_cell(cell.protection).tolist() == list(cell.memories)
        assert survey.marked(MARKS[0], cell.protection).tolist() == list(cell.declared_not_enforced)
        assert survey.marked(MARKS[1], cell.protection).tolist() == list(cell.cannot_fire)
    assert survey.marked("sensitive with neither").tolist() == list(covered.sensitive_with_neither)
    assert survey.marked("malformed governs").tolist() == [index for index, _ in covered.malformed]


@given(st.lists(FIELDS, max_size=12), st.lists(st.tuples(st.integers(0, 11), FIELDS), max_size=4))
def test_survey_is_the_map_before_and_after_edits(
    rows: list[dict[str, Any]], changes: list[tuple[int, dict[str, Any]]]
) -> None:
    memories = [memory(number, fields) for number, fields in enumerate(rows)]
    survey = whole(memories)
    same_as_map(survey, memories)
    for number, fields in changes:
        if number < len(memories):
            memories[number].edits.update(fields or {"governs": ABSENT})
            survey.update([number])
    same_as_map(survey, memories)


def test_completeness_and_planes_by_hand() -> None:
    memories = [
        memory(0, {"namespace": "ann", "allowed_purposes": ["care"], "status": "active", "created_at": 0}),
        memory(1, {"namespaces": ["ann"], "allowed_purposes": [], "plane": "rows"}),
        memory(2, {"namespace": "", "valid_to": "2026-01-01", "plane": "rows"}),
        memory(3, {"plane": "vectors", "status": None}),
    ]
    survey = whole(memories)
    # Owner: 0 and 1 (an empty namespace is none). Purposes and status: 0 alone. Times: 0 (the second 0 is a time), 2.
    assert survey.completeness() == {"owner": 0.5, "purposes": 0.25, "status": 0.25, "times": 0.5}
    assert survey.lacking("owner").tolist() == [2, 3]
    assert survey.lacking("times").tolist() == [1, 3]
    assert survey.planes() == {"rows": 2, "vectors": 1}
    memories[3].edits["plane"] = "rows"
    survey.update([3])
    assert survey.planes() == {"rows": 3}


def test_an_empty_store() -> None:
    survey = Survey([])
    assert survey.run()
    assert survey.completeness() == {}
    assert [counts.records for counts in survey.cells()] == [0, 0, 0, 0]


def test_block_by_block_says_how_far_it_has_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surveying, "_BLOCK", 2)
    memories = [memory(number, {"verification_required": True}) for number in range(5)]
    survey = Survey(memories)
    assert not survey.run()
    assert survey.done == 2
    assert survey.in_cell(Protection.RETRIEVAL_ONLY).tolist() == [0, 1]
    assert sum(counts.records for counts in survey.cells()) == 2
    assert survey.lacking("owner").tolist() == [0, 1]  # what has not been seen is not said to lack anything
    while not survey.run():
        pass
    assert survey.in_cell(Protection.RETRIEVAL_ONLY).tolist() == [0, 1, 2, 3, 4]
    memories[0].edits["verification_required"] = ABSENT
    survey.restart()
    assert not survey.is_complete
    while not survey.run():
        pass
    assert survey.in_cell(PROTECTIONS[0]).tolist() == [0]
