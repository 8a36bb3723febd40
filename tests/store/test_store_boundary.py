"""The table of DESIGN 9, transition by transition: what is allowed, what is refused and why, what the log then says.

Expected states were written down from the table by hand; the lifecycle of the result is asked of the axis engine.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inspector.axes.engine import AxisEngine
from inspector.errors import FieldError
from inspector.records import MEMORY_FIELDS as FIELDS
from inspector.records import Memory, Origin, Query, Settings, check_field
from inspector.store import Change, EditLog, Workspace
from inspector.store.boundary import (
    TRANSITIONS,
    VERBS,
    Refused,
    confirm,
    moves,
    options,
    propose_marks,
    standing,
    transition,
    unlawful,
)
from inspector.store.causes import MISSING_MARKS
from inspector.times import parse_time

DAYS = [f"2026-03-0{day}T09:00:00Z" for day in range(1, 10)]
ZONED = Settings()


def memory(**fields: Any) -> Memory:
    return Memory({"id": "m", "text": "a text", "namespace": "n", **fields}, Origin("memories.jsonl", 1))


def log(*states: str) -> list[dict[str, Any]]:
    """Marks of these states on days one after the other, from the first."""
    return [{"state": state, "at": DAYS[day], "cause": "c"} for day, state in enumerate(states)]


def lifecycle(one: Memory, as_of: str, intent: str = "current", settings: Settings = ZONED) -> str:
    query = Query({"id": "q", "text": "?", "intent": intent, "as_of": as_of}, Origin("queries.jsonl", 1))
    engine = AxisEngine([one], [query], [], settings)
    return "0?1"[int(engine.lifecycle(np.array([0]), np.array([0]))[0])]


#: From state, verb → to state, or the words of the refusal. All twenty pairs, the quarantine from each of its sources.
TABLE: list[tuple[tuple[str, ...], str, str | None, str]] = [
    (("active",), "archive", "archived", ""),
    (("active",), "resume", None, "already active"),
    (("active",), "forget", "forgotten", ""),
    (("active",), "quarantine", "quarantined", ""),
    (("active",), "release", None, "it is active, not quarantined"),
    (("archived",), "archive", None, "already archived"),
    (("archived",), "resume", "active", ""),
    (("archived",), "forget", "forgotten", ""),
    (("archived",), "quarantine", "quarantined", ""),
    (("archived",), "release", None, "it is archived, not quarantined"),
    (("forgotten",), "archive", None, "forgotten stays forgotten"),
    (("forgotten",), "resume", None, "forgotten stays forgotten"),
    (("forgotten",), "forget", None, "already forgotten"),
    (("forgotten",), "quarantine", "quarantined", ""),
    (("forgotten",), "release", None, "it is forgotten, not quarantined"),
    (("active", "quarantined"), "archive", None, "only be released, to active, or forgotten"),
    (("active", "quarantined"), "resume", None, "only be released, to active, or forgotten"),
    (("active", "quarantined"), "forget", "forgotten", ""),
    (("active", "quarantined"), "quarantine", None, "already quarantined"),
    (("active", "quarantined"), "release", "active", ""),
    (("archived", "quarantined"), "release", "archived", ""),
    (("archived", "quarantined"), "resume", None, "only be released, to archived, or forgotten"),
    (("archived", "quarantined"), "forget", "forgotten", ""),
    (("forgotten", "quarantined"), "release", "forgotten", ""),
    (("forgotten", "quarantined"), "resume", None, "only be released, to forgotten, or forgotten"),
    (("quarantined",), "release", "active", ""),  # a memory starts as active
]


@pytest.mark.parametrize(("states", "verb", "target", "reason"), TABLE)
def test_every_transition_allowed_and_refused(
    states: tuple[str, ...], verb: Any, target: str | None, reason: str
) -> None:
    one = memory(created_at=DAYS[0], boundary_log=log(*states))
    (option,) = [option for option in options(one, parse_time(DAYS[7], "at"), ZONED) if option.verb == verb]
    assert option.target == target
    assert reason in option.reason
    if target is None:
        with pytest.raises(Refused, match=verb) as refused:
            transition(one, verb, DAYS[7], ZONED)
        assert refused.value.reason == option.reason
        return
    move = transition(one, verb, DAYS[7], ZONED, cause="by hand", query_id="q1")
    assert (move.before, move.after) == (states[-1], target)
    assert move.log == [*log(*states), {"state": target, "at": DAYS[7], "cause": "by hand", "query_id": "q1"}]
    check_field(FIELDS["boundary_log"], move.log)
    assert one.fields["boundary_log"] == log(*states)  # the source is left alone


def test_the_table_has_every_pair_and_no_other() -> None:
    tested = {(states[-1], verb) for states, verb, _, _ in TABLE}
    assert tested == {(state, verb) for state in ("active", "archived", "forgotten", "quarantined") for verb in VERBS}
    allowed = {(states[-1], verb) for states, verb, target, _ in TABLE if target is not None}
    assert allowed == {(rule.source, rule.verb) for rule in TRANSITIONS}


def test_a_transition_keeps_time_cause_and_query() -> None:
    move = transition(memory(), "archive", DAYS[1], ZONED, query_id="q9")
    assert move.mark == {
        "state": "archived",
        "at": DAYS[1],
        "cause": "the task boundary moved away",
        "query_id": "q9",
    }
    assert transition(memory(), "forget", 1772000000, ZONED).mark["at"] == 1772000000
    assert "query_id" not in transition(memory(), "forget", DAYS[1], ZONED).mark
    with pytest.raises(FieldError, match="at: 'soon' is not a time"):
        transition(memory(), "forget", "soon", ZONED)
    with pytest.raises(Refused, match="is no transition: one of archive"):
        transition(memory(), "delete", DAYS[1], ZONED)  # type: ignore[arg-type]


def test_the_lifecycle_axis_reads_the_state_at_as_of() -> None:
    one = memory(created_at=DAYS[0], status="active")
    one.edits["boundary_log"] = transition(one, "archive", DAYS[2], ZONED).log
    one.edits["boundary_log"] = transition(one, "resume", DAYS[4], ZONED).log
    one.edits["boundary_log"] = transition(one, "quarantine", DAYS[6], ZONED).log
    # current before the first mark, archived, current again, quarantined; archived fits history, quarantined nothing
    assert [lifecycle(one, DAYS[day]) for day in (1, 2, 3, 4, 5, 6, 7)] == ["1", "0", "0", "1", "1", "0", "0"]
    assert [lifecycle(one, DAYS[day], "history") for day in (1, 3, 5, 7)] == ["1", "1", "1", "0"]
    found = [standing(one, parse_time(DAYS[day], "at"), ZONED).state for day in (1, 3, 5, 7)]
    assert found == ["active", "archived", "active", "quarantined"]


@pytest.mark.parametrize(
    "fields",
    [
        {"boundary_log": log("forgotten", "quarantined")},
        {"boundary_log": log("forgotten", "active", "quarantined")},  # a source's log that brought it back
        {"boundary_log": log("quarantined"), "deleted_at": DAYS[0]},
        {"boundary_log": log("quarantined"), "status": "erased", "status_at": DAYS[0]},
        {"boundary_log": log("quarantined"), "status": "erased"},
        {"boundary_log": log("quarantined"), "boundary_state": "forgotten"},
        {"boundary_log": log("active", "quarantined", "quarantined"), "deleted_at": DAYS[1]},
        {"boundary_state": "quarantined", "status_at": DAYS[1], "deleted_at": DAYS[0]},
    ],
)
def test_released_from_quarantine_the_forgotten_stay_forgotten(fields: dict[str, Any]) -> None:
    one = memory(**{"created_at": DAYS[0], "status": "active", **fields})
    move = transition(one, "release", DAYS[7], ZONED)
    assert move.after == "forgotten"
    one.edits["boundary_log"] = move.log
    assert lifecycle(one, DAYS[8]) == lifecycle(one, DAYS[8], "history") == "0"
    assert standing(one, parse_time(DAYS[8], "at"), ZONED).state == "forgotten"
    for verb in ("archive", "resume", "release"):
        with pytest.raises(Refused):
            transition(one, verb, DAYS[8], ZONED)


def test_what_is_deleted_outside_the_log_is_forgotten_from_then_on() -> None:
    one = memory(created_at=DAYS[0], deleted_at=DAYS[4], boundary_log=log("active", "archived"))
    assert transition(one, "resume", DAYS[3], ZONED).after == "active"
    with pytest.raises(Refused, match="forgotten stays forgotten"):
        transition(one, "resume", DAYS[4], ZONED)
    # Within 14 hours of a time without a zone it may be deleted: it is not brought back.
    doubtful = memory(deleted_at="2026-03-05T15:00:00", boundary_log=log("archived"))
    with pytest.raises(Refused, match="forgotten stays forgotten"):
        transition(doubtful, "resume", DAYS[4], ZONED)
    assert transition(doubtful, "resume", DAYS[3], ZONED).after == "active"


def test_the_past_is_not_rewritten() -> None:
    one = memory(created_at=DAYS[2], boundary_log=[{"state": "archived", "at": DAYS[4]}])
    with pytest.raises(Refused, match="has a mark at 2026-03-05T09:00:00Z: the past is not rewritten, give that time"):
        transition(one, "resume", DAYS[3], ZONED)
    assert transition(one, "resume", DAYS[4], ZONED).after == "active"  # one instant: listed later is later
    with pytest.raises(Refused, match="was not stored before 2026-03-03T09:00:00Z"):
        transition(memory(created_at=DAYS[2]), "archive", DAYS[1], ZONED)
    assert transition(memory(created_at=DAYS[2]), "archive", DAYS[2], ZONED).after == "archived"


def test_marks_that_cannot_be_compared_are_refused() -> None:
    undated = memory(boundary_log=[{"state": "archived"}])
    with pytest.raises(Refused, match="its mark 'archived' has no time, so that none can follow it"):
        transition(undated, "resume", DAYS[4], ZONED)
    naive = memory(boundary_log=[{"state": "archived", "at": "2026-03-05T02:00:00"}])
    with pytest.raises(Refused, match="may lie before its mark at 2026-03-05T02:00:00: state the time zone"):
        transition(naive, "resume", DAYS[4], ZONED)
    assert transition(naive, "resume", DAYS[5], ZONED).after == "active"
    assert transition(naive, "resume", DAYS[4], Settings(timezone="UTC")).after == "active"


def test_a_bare_state_becomes_the_first_mark() -> None:
    one = memory(created_at=DAYS[0], boundary_state="archived", status_at=DAYS[2], status="active")
    before = [lifecycle(one, day) for day in (DAYS[2], DAYS[3])]
    move = transition(one, "resume", DAYS[4], ZONED)
    assert move.log[0] == {"state": "archived", "at": DAYS[2], "cause": "as boundary_state said"}
    assert (move.log[1]["state"], len(move.log)) == ("active", 2)
    one.edits["boundary_log"] = move.log
    assert [lifecycle(one, day) for day in (DAYS[2], DAYS[3])] == before == ["0", "0"]
    assert lifecycle(one, DAYS[4]) == "1"
    with pytest.raises(Refused, match="speaks for 2026-03-03T09:00:00Z: give a later time"):
        transition(memory(boundary_state="archived", status_at=DAYS[2]), "resume", DAYS[1], ZONED)
    with pytest.raises(Refused, match="has no time, so that no mark can follow it: set status_at"):
        transition(memory(boundary_state="archived"), "resume", DAYS[4], ZONED)
    exported = Settings(exported_at=parse_time(DAYS[3], "exported_at"))
    assert transition(memory(boundary_state="archived"), "resume", DAYS[4], exported).log[0]["at"].startswith(DAYS[3])
    assert len(transition(memory(boundary_state="active"), "archive", DAYS[4], ZONED).log) == 1


def test_a_bare_quarantine_names_no_state_to_go_back_to() -> None:
    one = memory(boundary_state="quarantined", status_at=DAYS[1])
    with pytest.raises(Refused, match="nothing says which state it came from"):
        transition(one, "release", DAYS[4], ZONED)
    assert transition(one, "forget", DAYS[4], ZONED).after == "forgotten"


def test_a_selection_says_which_were_refused() -> None:
    several = [memory(), memory(id="gone", deleted_at=DAYS[0]), memory(id="put", boundary_log=log("archived"))]
    allowed, refused = moves(several, "archive", DAYS[5], ZONED, cause="moved on")
    assert [move.memory.id for move in allowed] == ["m"]
    assert [(error.memory.id, error.reason) for error in refused] == [
        ("gone", "forgotten stays forgotten"),
        ("put", "it is already archived"),
    ]
    assert str(refused[0]) == "archive of memory n/gone: forgotten stays forgotten"


def test_missing_marks_are_only_a_proposal() -> None:
    kept = memory(id="kept", boundary_log=log("active"))
    bare = memory(id="bare")
    gone = memory(id="gone", deleted_at=DAYS[1])
    labelled = memory(id="labelled", boundary_state="archived")
    assert propose_marks([bare, gone], ZONED) == []  # this store keeps no marks at all
    (proposal,) = propose_marks([kept, bare, gone, labelled], ZONED)
    assert (proposal.index, proposal.memory.id) == (1, "bare")
    with pytest.raises(Refused, match="only a proposal of lint, which a person confirms"):
        transition(bare, "quarantine", DAYS[3], ZONED, cause="Missing boundary marks")
    move = confirm(proposal, DAYS[3], ZONED, by="kim")
    assert (move.after, move.mark["cause"]) == ("quarantined", f"{MISSING_MARKS}, confirmed by kim")


def test_what_a_recorded_log_did_against_the_table() -> None:
    assert unlawful(memory(boundary_log=log("active", "archived", "archived", "active", "forgotten")), ZONED) == []
    assert unlawful(memory(boundary_log=log("archived", "quarantined", "archived", "active")), ZONED) == []
    ((mark, words),) = unlawful(memory(boundary_log=log("archived", "quarantined", "active")), ZONED)
    assert (mark.word, words) == ("active", "quarantined → active is not allowed, only archived or forgotten")
    ((_, words),) = unlawful(memory(boundary_log=log("forgotten", "active")), ZONED)
    assert words == "forgotten → active is not allowed, only quarantined"
    # Listed the wrong way round, but lawful in time
    backwards = list(reversed(log("archived", "forgotten")))
    assert unlawful(memory(boundary_log=backwards), ZONED) == []
    assert unlawful(memory(boundary_log=[{"state": "forgotten"}, {"state": "active"}]), ZONED) == []  # no order known


def test_in_doubt_the_possible_states_are_named() -> None:
    one = memory(boundary_log=[{"state": "archived", "at": "2026-03-05T02:00:00"}, {"state": "active", "at": DAYS[4]}])
    found = standing(one, None, ZONED)
    assert (found.state, found.possible) == (None, ("active", "archived"))
    option = next(option for option in options(one, None, ZONED) if option.verb == "forget")
    assert (option.target, option.reason) == (
        None,
        "its state is in doubt (active or archived: marks without a time that can be compared)",
    )


def test_transitions_are_edits_with_undo(tmp_path: Path) -> None:
    one = memory(created_at=DAYS[0], status="active")
    with Workspace.open(tmp_path / "w.duckdb") as workspace:
        edits = EditLog(workspace)
        for verb, day in (("archive", 2), ("quarantine", 3), ("release", 4)):
            move = transition(one, verb, DAYS[day], ZONED)  # type: ignore[arg-type]
            edits.append([Change("memory", one.uid, "boundary_log", one.get("boundary_log"), move.log)])
            one.edits["boundary_log"] = move.log
        assert [mark["state"] for mark in one.edits["boundary_log"]] == ["archived", "quarantined", "archived"]
        step = edits.undo()
        assert step is not None
        one.edits["boundary_log"] = step.shifts[0].after
        assert standing(one, None, ZONED).state == "quarantined"
        redone = edits.redo()
        assert redone is not None
        assert [mark["state"] for mark in redone.shifts[0].after] == ["archived", "quarantined", "archived"]
