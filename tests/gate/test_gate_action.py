"""Rows 1 to 7 of the pre-gate action, and how an action stands to the expected one (DESIGN 7).

Expected values are read off the numbered rows by hand; fields of later rows are set too, so that order is tested.
"""

from __future__ import annotations

from typing import Any

import pytest

from inspector.gate.action import Outcome, authority_signals, outcome_of, pre_action, stricter
from inspector.records import Memory, Origin


def memory(**fields: Any) -> Memory:
    return Memory({"id": "m", "text": "t", **fields}, Origin("here"))


ROWS: list[tuple[dict[str, Any], int, str, str]] = [
    ({"status": "superseded", "allowed_action_hint": "block"}, 1, "archive_only", "status:superseded"),
    ({"status": "archived", "verification_required": True}, 1, "archive_only", "status:archived"),
    # Row 2: the hint only where it is block or warn.
    ({"memory_type": "correction", "status": "active"}, 2, "block", "memory_type:correction"),
    (
        {"memory_type": "correction", "status": "active", "allowed_action_hint": "warn"},
        2,
        "warn",
        "memory_type:correction",
    ),
    (
        {"memory_type": "correction", "status": "active", "allowed_action_hint": "answer"},
        2,
        "block",
        "memory_type:correction",
    ),
    # A correction that is not active is no row 2: "current" is another word.
    (
        {"memory_type": "correction", "status": "current", "allowed_action_hint": "answer"},
        7,
        "answer",
        "allowed_action_hint:answer",
    ),
    ({"allowed_action_hint": "block", "verification_required": True}, 3, "block", "allowed_action_hint:block"),
    (
        {"verification_required": True, "epistemic_status": "contested"},
        4,
        "verify_first",
        "verification_required:true",
    ),
    ({"epistemic_status": "unresolved", "contradiction_count": 5}, 5, "warn", "epistemic_status:unresolved"),
    ({"epistemic_status": "contested"}, 5, "warn", "epistemic_status:contested"),
    ({"contradiction_count": 2, "allowed_action_hint": "answer"}, 6, "verify_first", "contradiction_count:>=2"),
    ({"contradiction_count": 1, "allowed_action_hint": "answer"}, 7, "answer", "allowed_action_hint:answer"),
    ({"allowed_action_hint": "answer_context"}, 7, "answer_context", "allowed_action_hint:answer_context"),
    ({"allowed_action_hint": "warn"}, 7, "warn", "allowed_action_hint:warn"),
    ({"verification_required": False, "epistemic_status": "settled"}, 7, "answer", "allowed_action_hint:answer"),
    ({}, 7, "answer", "allowed_action_hint:answer"),
]


@pytest.mark.parametrize(("fields", "row", "action", "authorized_by"), ROWS)
def test_the_first_row_that_applies_decides(fields: dict[str, Any], row: int, action: str, authorized_by: str) -> None:
    found = pre_action(memory(**fields))
    assert (found.row, found.action, found.authorized_by) == (row, action, authorized_by)
    assert authorized_by.startswith(found.field)


@pytest.mark.parametrize("hint", [None, "", "ABSENT"])
def test_a_missing_hint_is_answer_and_says_so(hint: str | None) -> None:
    fields = {} if hint == "ABSENT" else {"allowed_action_hint": hint}
    found = pre_action(memory(**fields))
    assert (found.action, found.authorized_by) == ("answer", "allowed_action_hint:answer")
    assert found.notes == ("no allowed_action_hint: default answer",)


@pytest.mark.parametrize("hint", ["allow", "Answer", "answer ", "refuse", 3, True, ["answer"], {"answer": 1}])
def test_an_unknown_hint_is_never_permissive(hint: Any) -> None:
    found = pre_action(memory(allowed_action_hint=hint))
    assert (found.row, found.action) == (7, "verify_first")
    assert "no known action word" in found.notes[0]


@pytest.mark.parametrize(
    ("name", "value", "action"),
    [
        ("verification_required", "yes", "verify_first"),
        ("verification_required", 0, "verify_first"),
        ("verification_required", [False], "verify_first"),
        ("epistemic_status", ["contested"], "warn"),
        ("epistemic_status", 1, "warn"),
        ("contradiction_count", "3", "verify_first"),
        ("contradiction_count", True, "verify_first"),
        ("contradiction_count", float("nan"), "verify_first"),
        ("contradiction_count", 10**400, "verify_first"),
    ],
)
def test_a_signal_that_cannot_be_read_takes_its_strict_reading(name: str, value: Any, action: str) -> None:
    found = pre_action(memory(**{name: value, "allowed_action_hint": "answer"}))
    assert found.action == action
    assert found.field == name
    assert len(authority_signals(memory(**{name: value}))) == 1


@pytest.mark.parametrize("name", ["verification_required", "epistemic_status", "contradiction_count", "status"])
@pytest.mark.parametrize("value", [None, ""])
def test_null_and_empty_decide_nothing(name: str, value: Any) -> None:
    assert pre_action(memory(**{name: value})).action == "answer"
    assert authority_signals(memory(**{name: value})) == ()


def test_a_wrong_typed_status_is_noted_and_not_read() -> None:
    found = pre_action(memory(status=["archived"], memory_type={"a": 1}))
    assert found.action == "answer"
    assert found.notes[:2] == (
        "status is no text (a list): no rule reads it",
        "memory_type is no text (an object): no rule reads it",
    )


def test_an_assumed_field_decides_and_says_that_it_is_assumed() -> None:
    found = pre_action(memory(), {"verification_required": True})
    assert (found.action, found.notes) == ("verify_first", ("verification_required is assumed",))
    # A value in the record is not assumed over.
    assert pre_action(memory(verification_required=False), {"verification_required": True}).action == "answer"
    correction = pre_action(memory(memory_type="correction"), {"status": "active"})
    assert (correction.action, correction.notes) == ("block", ("status is assumed",))


def test_an_edit_lies_over_the_source() -> None:
    record = memory(allowed_action_hint="answer")
    record.edits["verification_required"] = True
    assert pre_action(record).action == "verify_first"


SIGNALS: list[tuple[dict[str, Any], str]] = [
    ({"verification_required": True}, "verification_required:true"),
    ({"memory_type": "policy"}, "memory_type:policy"),
    ({"memory_type": "credential"}, "memory_type:credential"),
    ({"memory_type": "correction"}, "memory_type:correction"),
    ({"allowed_action_hint": "block"}, "allowed_action_hint:block"),
    ({"allowed_action_hint": "verify_first"}, "allowed_action_hint:verify_first"),
    ({"allowed_action_hint": "warn"}, "allowed_action_hint:warn"),
    ({"epistemic_status": "unresolved"}, "epistemic_status:unresolved"),
    ({"epistemic_status": "contested"}, "epistemic_status:contested"),
    ({"contradiction_count": 2}, "contradiction_count:>=2"),
]


@pytest.mark.parametrize(("fields", "signal"), SIGNALS)
def test_each_authority_signal_counts(fields: dict[str, Any], signal: str) -> None:
    assert authority_signals(memory(**fields)) == (signal,)


@pytest.mark.parametrize(
    "fields",
    [
        {"verification_required": False},
        {"memory_type": "fact"},
        {"allowed_action_hint": "answer"},
        {"allowed_action_hint": "unheard"},
        {"epistemic_status": "settled"},
        {"contradiction_count": 1},
        {"status": "archived", "priority": "critical"},
    ],
)
def test_what_is_no_authority_signal(fields: dict[str, Any]) -> None:
    assert authority_signals(memory(**fields)) == ()


#: Action by expected action, worked out from the ranks: F false certainty, D downgrade miss, O overblocking, = equal.
#: Rows: archive_only, answer_context, answer, warn, verify_first, block; columns (expected) the same.
TABLE = ["=DDDDD", "O=DFFF", "OO=FFF", "OOO=DD", "OOOO=D", "OOOOO="]
WORDS = ["archive_only", "answer_context", "answer", "warn", "verify_first", "block"]
SIGNS = {
    "=": Outcome.AS_EXPECTED,
    "D": Outcome.DOWNGRADE_MISS,
    "F": Outcome.FALSE_CERTAINTY,
    "O": Outcome.OVERBLOCKING,
}


@pytest.mark.parametrize("action", WORDS)
@pytest.mark.parametrize("expected", WORDS)
def test_every_pair_of_actions(action: Any, expected: str) -> None:
    assert outcome_of(action, expected) is SIGNS[TABLE[WORDS.index(action)][WORDS.index(expected)]]
    higher = max(action, expected, key=WORDS.index)
    assert stricter(action, expected) == higher  # type: ignore[arg-type]


@pytest.mark.parametrize("expected", [None, "refuse", "", 4, ["block"]])
def test_an_expectation_without_a_rank_is_not_compared(expected: Any) -> None:
    assert outcome_of("answer", expected) is Outcome.NOT_COMPARED
