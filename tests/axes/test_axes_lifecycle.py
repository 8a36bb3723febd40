"""Lifecycle: state at ``as_of`` and the table (DESIGN 3). Every expected state is read off DESIGN's numbered rules."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.axes.states import State, over_of, table, value_of
from inspector.trit import Trit
from tests.axes.axes_records import engine, instant, memory, query, why

N, U, Y = Trit.NO, Trit.UNKNOWN, Trit.YES
T0, T1, T2, T3 = "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z", "2026-04-01T00:00:00Z"
AS_OF = T2


def state(as_of: Any = AS_OF, intent: str = "current", **fields: Any) -> str:
    return why(memory(**fields), query(as_of=as_of, intent=intent)).state


# DESIGN's table, cell by cell: state, then the value for current, history, unknown.
TABLE = [
    ("CURRENT", Y, Y, Y),
    ("STALE", N, Y, U),
    ("SUPERSEDED", N, Y, U),
    ("ARCHIVED", N, Y, U),
    ("FORGOTTEN", N, N, N),
    ("QUARANTINED", N, N, N),
    ("FUTURE", N, N, N),
    ("UNKNOWN", U, U, U),
]


@pytest.mark.parametrize(("name", "current", "history", "unknown"), TABLE)
def test_table(name: str, current: Trit, history: Trit, unknown: Trit) -> None:
    for mode in ("join", "strict"):
        assert table(State[name], "current", mode) == current
        assert table(State[name], "history", mode) == history
    assert table(State[name], "unknown", "join") == unknown
    # RA's own code answers ? for current × unknown, and the same elsewhere.
    assert table(State[name], "unknown", "strict") == (U if name == "CURRENT" else unknown)


@pytest.mark.parametrize(
    ("mask", "intent", "expected"),
    [
        (State.CURRENT | State.SUPERSEDED, "history", Y),
        (State.CURRENT | State.SUPERSEDED, "current", U),
        (State.STALE | State.FORGOTTEN, "current", N),
        (State.STALE | State.FORGOTTEN, "history", U),
        (State.FUTURE | State.QUARANTINED, "unknown", N),
        (State.CURRENT | State.UNKNOWN, "history", U),
    ],
)
def test_a_set_of_states_is_their_join(mask: int, intent: str, expected: Trit) -> None:
    assert value_of(mask, intent, "join") == expected


def test_over_reads_the_state_whatever_the_intent() -> None:
    assert over_of(State.STALE) == over_of(State.SUPERSEDED) == over_of(State.STALE | State.SUPERSEDED) == Y
    assert over_of(State.CURRENT | State.FUTURE) == over_of(State.ARCHIVED) == N
    assert over_of(State.CURRENT | State.STALE) == over_of(State.UNKNOWN) == U


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        # 1. deleted_at ≤ as_of; equal is reached; a later deletion leaves the record what it was.
        ({"deleted_at": T1, "status": "active"}, "forgotten"),
        ({"deleted_at": AS_OF, "status": "active"}, "forgotten"),
        ({"deleted_at": T3, "status": "active"}, "current"),
        ({"deleted_at": None, "status": "active"}, "current"),
        ({"deleted_at": "", "status": "active"}, "current"),
        # 3. created or valid from later than as_of; equal is not later.
        ({"created_at": T3, "status": "active"}, "future"),
        ({"created_at": AS_OF, "status": "active"}, "current"),
        ({"valid_from": T3, "created_at": T0, "status": "active"}, "future"),
        ({"valid_from": T1, "created_at": T0, "status": "active"}, "current"),
        # 5. valid_to ≤ as_of; a future end is still current.
        ({"valid_to": T1, "status": "active"}, "stale"),
        ({"valid_to": AS_OF, "status": "active"}, "stale"),
        ({"valid_to": T3, "status": "active"}, "current"),
        # 6. The label.
        *[({"status": word}, "current") for word in ("active", "current", "verified")],
        *[({"status": word, "status_at": T1}, "stale") for word in ("stale", "expired", "deprecated")],
        ({"status": "archived", "status_at": T1}, "archived"),
        *[({"status": word, "status_at": T1}, "superseded") for word in ("superseded", "replaced", "invalidated")],
        *[({"status": word, "status_at": T1}, "forgotten") for word in ("deleted", "erased", "forgotten")],
        ({}, "unknown"),
        ({"status": "Active!"}, "unknown"),
        ({"status": "odd", "status_at": T1}, "unknown"),
        # First that applies.
        ({"deleted_at": T1, "created_at": T3, "valid_to": T1, "status": "archived"}, "forgotten"),
        ({"boundary_log": [{"state": "archived", "at": T0}], "created_at": T3, "status": "active"}, "archived"),
        ({"created_at": T3, "valid_to": T1, "status": "stale", "status_at": T1}, "future"),
        ({"valid_to": T1, "status": "superseded", "status_at": T1}, "stale"),
        ({"deleted_at": T1, "boundary_log": [{"state": "quarantined", "at": T0}]}, "forgotten"),
    ],
)
def test_state(fields: dict[str, Any], expected: str) -> None:
    assert state(**fields) == expected


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        ([("archived", T1)], "archived"),
        ([("forgotten", T1)], "forgotten"),
        ([("quarantined", T1)], "quarantined"),
        ([("active", T1)], "current"),
        ([("archived", AS_OF)], "archived"),
        ([("archived", T3)], "current"),  # not yet archived at as_of
        ([("archived", T0), ("active", T1)], "current"),
        ([("active", T1), ("archived", T0)], "current"),  # by time, not by place
        ([("archived", T0), ("active", T1), ("archived", T3)], "current"),
        ([("active", T1), ("quarantined", T1)], "quarantined"),  # one instant: the one listed later
        ([("archived", None)], "current or archived"),  # no time: may or may not hold by then
        ([("archived", None), ("forgotten", T1)], "archived or forgotten"),
        ([("odd", T1)], "current"),
    ],
)
def test_boundary_log(log: list[tuple[str, str | None]], expected: str) -> None:
    marks = [{"state": word, "at": at} for word, at in log]
    assert state(boundary_log=marks, boundary_state="forgotten", status="active") == expected


@pytest.mark.parametrize(
    ("fields", "exported", "expected"),
    [
        # A bare boundary state speaks like a label: for status_at, else exported_at.
        ({"boundary_state": "archived", "status_at": T1}, None, "archived"),
        ({"boundary_state": "quarantined"}, T1, "quarantined"),
        ({"boundary_state": "active"}, T1, "current"),
        ({"boundary_state": "odd"}, T1, "current"),
        # It speaks for later than as_of, or for no time: it cannot be decided, both continuations stay.
        ({"boundary_state": "archived", "status_at": T3, "created_at": T0}, None, "current or archived"),
        ({"boundary_state": "forgotten"}, None, "current or forgotten"),
    ],
)
def test_bare_boundary_state(fields: dict[str, Any], exported: str | None, expected: str) -> None:
    when = None if exported is None else instant(exported)
    found = why(memory(status="active", **fields), query(as_of=AS_OF), exported_at=when)
    assert found.state == expected


@pytest.mark.parametrize(
    ("status", "status_at", "exported", "created", "expected"),
    [
        # The label speaks for status_at, else exported_at.
        ("superseded", T1, None, None, "superseded"),
        ("superseded", None, T1, None, "superseded"),
        ("superseded", AS_OF, None, None, "superseded"),
        ("superseded", T1, T3, None, "superseded"),  # its own time goes before the export's
        # For an earlier as_of, current still holds of what was created by then.
        ("active", T3, None, T1, "current"),
        ("active", T3, None, None, "unknown"),
        ("active", None, T3, T1, "current"),
        # Another label says nothing of the time before it, and nothing without any time.
        ("superseded", T3, None, T1, "unknown"),
        ("superseded", None, None, T1, "unknown"),
        ("deleted", None, None, None, "unknown"),
        ("active", None, None, None, "current"),
    ],
)
def test_time_of_a_label(
    status: str, status_at: str | None, exported: str | None, created: str | None, expected: str
) -> None:
    fields: dict[str, Any] = {"status": status, "status_at": status_at, "created_at": created}
    when = None if exported is None else instant(exported)
    assert why(memory(**fields), query(as_of=AS_OF), exported_at=when).state == expected


@pytest.mark.parametrize(
    ("successor", "expected"),
    [
        ({"valid_from": T1}, "superseded"),
        ({"valid_from": AS_OF}, "superseded"),
        ({"valid_from": T3, "created_at": T0}, "current"),  # valid_from goes before created_at
        ({"created_at": T1}, "superseded"),
        ({"created_at": T3}, "current"),
        ({}, "current or superseded"),  # no time: undecided
        ({"valid_from": "2026-03-01T05:00:00"}, "current or superseded"),  # naive, within 14 h of as_of
        ({"valid_from": "2026-02-01T05:00:00"}, "superseded"),  # naive, no zone changes the outcome
    ],
)
def test_successor(successor: dict[str, Any], expected: str) -> None:
    stored = [memory("m1", status="active", superseded_by="m2"), memory("m2", **successor)]
    assert why(stored, query(as_of=AS_OF)).state == expected


def test_successor_not_in_the_store_is_undecided() -> None:
    found = why(memory(status="active", superseded_by="gone"), query(as_of=AS_OF, intent="current"))
    assert found.state == "current or superseded"
    assert found.lifecycle.value == U
    assert found.lifecycle.missing == ("superseded_by",)
    assert "superseded_by 'gone' is not in the store" in found.lifecycle.reason
    # Both continuations fit a question about history.
    assert why(memory(status="active", superseded_by="gone"), query(as_of=AS_OF, intent="history")).lifecycle.value == Y


def test_an_undecided_successor_of_what_is_stale_anyway_decides() -> None:
    found = why(memory(valid_to=T1, superseded_by="gone"), query(as_of=AS_OF, intent="current"))
    assert found.state == "stale or superseded"
    assert found.lifecycle.value == N


def test_successor_in_the_own_namespace_goes_first() -> None:
    stored = [
        memory("m1", namespace="a", status="active", superseded_by="new"),
        memory("new", namespace="b", valid_from=T3),
        memory("new", namespace="a", valid_from=T1),
    ]
    assert why(stored, query(as_of=AS_OF)).state == "superseded"


def test_successor_elsewhere_must_be_unique() -> None:
    first = memory("m1", namespace="a", status="active", superseded_by="new")
    one = [first, memory("new", namespace="b", valid_from=T1)]
    assert why(one, query(as_of=AS_OF)).state == "superseded"
    two = [*one, memory("new", namespace="c", valid_from=T1)]
    found = why(two, query(as_of=AS_OF))
    assert found.state == "current or superseded"
    assert "is in 2 other namespaces" in found.lifecycle.reason


def test_self_and_cycles_do_not_loop() -> None:
    alone = why(memory(status="active", superseded_by="m1", created_at=T0), query(as_of=AS_OF))
    assert alone.state == "current or superseded"
    ring = [memory("m1", superseded_by="m2", created_at=T0), memory("m2", superseded_by="m1", created_at=T1)]
    built = engine(ring, query(as_of=AS_OF))
    assert [built.explain(mi, 0).state for mi in (0, 1)] == ["superseded", "superseded"]


def test_an_edited_successor_reaches_its_predecessor() -> None:
    stored = [memory("m1", status="active", superseded_by="m2"), memory("m2", valid_from=T1), memory("m3")]
    built = engine(stored, query(as_of=AS_OF, intent="current"))
    assert built.lifecycle([0], [0]).tolist() == [0]
    stored[1].edits["valid_from"] = T3
    assert built.update_memories([1]) == {0, 1}
    assert built.lifecycle([0], [0]).tolist() == [2]
    assert built.update_memories([2]) == {2}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        # as_of is 2026-03-01T00:00Z; a naive time stands for any instant within 14 h of its reading as UTC.
        ({"deleted_at": "2026-03-01T13:00:00"}, "current or forgotten"),
        ({"deleted_at": "2026-02-28T11:00:00"}, "current or forgotten"),
        ({"deleted_at": "2026-02-28T10:00:00"}, "forgotten"),  # 14 h before: UTC-14 at worst, exactly as_of
        ({"deleted_at": "2026-03-01T14:01:00"}, "current"),
        ({"created_at": "2026-03-01T01:00:00"}, "current or future"),
        ({"valid_to": "2026-03-01"}, "current or stale"),
    ],
)
def test_naive_time_against_an_aware_as_of(fields: dict[str, Any], expected: str) -> None:
    assert state(status="active", **fields) == expected


def test_two_naive_times_compare_directly() -> None:
    assert state(as_of="2026-03-01T00:00:00", status="active", deleted_at="2026-03-01T00:00:01") == "current"
    assert state(as_of="2026-03-01T00:00:00", status="active", deleted_at="2026-03-01T00:00:00") == "forgotten"


def test_a_declared_zone_settles_naive_times() -> None:
    # 09:00 in Seoul is 00:00 UTC: exactly as_of, so the end is reached.
    stored, asked = memory(status="active", valid_to="2026-03-01T09:00:00"), query(as_of=AS_OF)
    assert why(stored, asked).state == "current or stale"
    assert why(stored, asked, timezone="Asia/Seoul").state == "stale"
    assert why(stored, asked, timezone="UTC").state == "current"


def test_doubt_names_what_would_settle_it() -> None:
    found = why(memory(status="active", valid_to="2026-03-01"), query(as_of=AS_OF, intent="current")).lifecycle
    assert found.value == U
    assert found.missing == ("timezone",)
    assert found.rule == "lifecycle, both continuations"


def test_without_any_as_of_times_are_unknown() -> None:
    """The store has no time that could stand in; a time that it does have (valid_to) cannot be compared."""
    found = why(memory(status="active", valid_to=T1), query(intent="current"))
    assert found.state == "current or stale"
    assert found.lifecycle.missing == ("query.as_of",)
    assert why(memory(status="active"), query(intent="current")).lifecycle.value == Y


def test_default_as_of_is_the_export_else_the_latest_time() -> None:
    stored = [memory("m1", status="active", valid_to=T2), memory("m2", created_at=T1)]
    found = why(stored, query(intent="current"))
    assert found.state == "current"
    reads = {read.name: read for read in found.lifecycle.reads}
    assert (reads["as_of"].owner, reads["as_of"].value, reads["as_of"].origin) == (
        "bundle",
        T1,
        "latest time in the store",
    )
    later = why(stored, query(intent="current"), exported_at=instant(T3))
    assert later.state == "stale"
    assert {read.name: read.origin for read in later.lifecycle.reads}["as_of"] == "exported_at of the store"


def test_an_edited_time_does_not_move_the_default_as_of() -> None:
    stored = [memory("m1", created_at=T1)]
    built = engine(stored, query())
    stored[0].edits["updated_at"] = T3
    built.update_memories([0])
    assert built.as_of(0) == engine(stored, query()).as_of(0) == instant(T1)


def test_unknown_intent_join_and_strict() -> None:
    stored = memory(status="active")
    assert why(stored, query(as_of=AS_OF)).lifecycle.value == Y
    strict = why(stored, query(as_of=AS_OF), unknown_intent="strict").lifecycle
    assert strict.value == U
    assert "strict" in strict.reason
    assert strict.missing == ("query.intent",)
    assert why(stored, query(as_of=AS_OF, intent="history"), unknown_intent="strict").lifecycle.value == Y


def test_graphiti_1804_invalidated_edge_fits_history_only() -> None:
    fields = {"created_at": T0, "valid_from": T0, "valid_to": T1, "status": "active"}
    assert why(memory(**fields), query(as_of=AS_OF, intent="current")).lifecycle.value == N
    assert why(memory(**fields), query(as_of=AS_OF, intent="history")).lifecycle.value == Y
    found = why(memory(**fields), query(as_of=AS_OF))
    assert found.table_cell == ("stale", "unknown")
    assert found.lifecycle.value == U
    assert found.lifecycle.missing == ("query.intent",)


def test_graphiti_1728_clearing_the_end_brings_the_fact_back() -> None:
    stored = [memory(status="active", valid_to=T1)]
    built = engine(stored, query(as_of=AS_OF, intent="current"))
    assert built.lifecycle([0], [0]).tolist() == [0]
    stored[0].edits["valid_to"] = None
    built.update_memories([0])
    assert built.lifecycle([0], [0]).tolist() == [2]
    assert any(read.origin == "edit" for read in built.explain(0, 0).lifecycle.reads) is False  # null is no value read


def test_mem0_5193_undated_pair_without_labels_is_open() -> None:
    stored = [memory("m1", created_at=T0), memory("m2", created_at=T1)]
    built = engine(stored, query(as_of=AS_OF, intent="current"))
    assert built.lifecycle([0, 1], [0, 0]).tolist() == [1, 1]
    assert built.explain(0, 0).lifecycle.missing == ("status",)


@pytest.mark.parametrize(
    "fields",
    [
        {"deleted_at": T1},
        {"status": "erased", "status_at": T1},
        {"boundary_log": [{"state": "forgotten", "at": T1}]},
    ],
)
def test_a_zero_from_a_deletion_says_that_hiding_is_not_deletion(fields: dict[str, Any]) -> None:
    found = why(memory(**fields), query(as_of=AS_OF))
    assert found.lifecycle.value == N
    assert any("hiding at retrieval is not deletion" in note for note in found.notes)


def test_other_zeros_do_not_speak_of_deletion() -> None:
    assert not why(memory(valid_to=T1), query(as_of=AS_OF, intent="current")).notes


@pytest.mark.parametrize(
    ("created", "expected"),
    [(None, Y), (T1, Y), (AS_OF, Y), (T3, N), ("2026-03-01T03:00:00", U), ("2026-02-20T03:00:00", Y)],
)
def test_stored(created: str | None, expected: Trit) -> None:
    built = engine(memory(created_at=created), query(as_of=AS_OF))
    assert built.stored([0], [0]).tolist() == [int(expected)]


def test_stale_or_superseded_ignores_the_intent() -> None:
    stored = [
        memory("m1", valid_to=T1),
        memory("m2", status="active"),
        memory("m3"),
        memory("m4", deleted_at=T1),
        memory("m5", status="active", superseded_by="gone"),
    ]
    built = engine(stored, [query("q1", as_of=AS_OF, intent="history"), query("q2", as_of=AS_OF, intent="current")])
    for qi in (0, 1):
        assert built.stale_or_superseded(range(5), [qi] * 5).tolist() == [2, 0, 1, 0, 1]


def test_reason_shows_both_instants_and_the_cell() -> None:
    found = why(memory(deleted_at=T1, status="active"), query(as_of=AS_OF, intent="history"))
    assert found.lifecycle.reason == (
        "deleted_at 2026-02-01T00:00:00Z is not after as_of 2026-03-01T00:00:00Z: forgotten for intent history"
    )
    assert found.lifecycle.rule == "lifecycle rule 1"
    assert found.table_cell == ("forgotten", "history")
    # The rule list that was used: every field of it with a value is among the reads.
    assert {read.name for read in found.lifecycle.reads} == {"deleted_at", "status", "as_of", "intent"}


def test_assumed_status_says_so() -> None:
    found = why(memory(), query(as_of=AS_OF, intent="current"), assumptions={"status": "current"}).lifecycle
    assert found.value == Y
    assert found.assumed
    assert "assumed" in found.reason
