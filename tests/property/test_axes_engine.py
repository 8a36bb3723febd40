"""The vectorised axes equal the scalar rules, and an updated engine equals a fresh one, for random stores."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inspector.axes import AxisEngine
from inspector.records import ABSENT, Judgment, Memory, Origin, Query, Settings
from inspector.times import parse_time
from inspector.trit import Trit

TIMES = [
    "2026-01-01T00:00:00Z",
    "2026-01-10T12:00:00+09:00",
    "2026-01-10T12:00:00",
    "2026-01-11",
    "2026-01-10T20:00:00",
    1_768_046_400,
    "2026-02-01T00:00:00Z",
    "2026-03-01T00:00:00",
]
EMPTY: list[Any] = [None, ""]
NAMES = ["a", "b", "acme", ["a"], ["tenant", "acme"], ["tenant", "acme", "notes"], ["tenant", "acme-corp"], ["tenant"]]
time = st.sampled_from([*TIMES, *EMPTY])
namespace = st.sampled_from([*NAMES, *EMPTY])
names = st.lists(st.sampled_from([*NAMES, ""]), max_size=3)
word = st.sampled_from(["s1", "s2", *EMPTY])
label = st.sampled_from(["active", "current", "stale", "archived", "superseded", "deleted", "odd", *EMPTY])
boundary = st.sampled_from(["active", "archived", "forgotten", "quarantined", "odd", *EMPTY])
purposes = st.sampled_from([["booking"], ["booking", "care"], [], None])
IDS = ["m0", "m1", "m2", "m3", "gone"]
mark = st.builds(lambda state, at: {"state": state, "at": at}, boundary.filter(bool), time)

MEMORY_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "namespace": namespace,
    "namespaces": names,
    "session_id": word,
    "semantic_tag": word,
    "status": label,
    "status_at": time,
    "boundary_state": boundary,
    "boundary_log": st.lists(mark, max_size=4),
    "created_at": time,
    "valid_from": time,
    "valid_to": time,
    "deleted_at": time,
    "superseded_by": st.sampled_from([*IDS, *EMPTY]),
    "allowed_purposes": purposes,
    "sensitivity": st.sampled_from(["low", "high", *EMPTY]),
    "contradiction_count": st.sampled_from([0, 1, 2.5, None]),
    "keys": st.sampled_from([{"user_id": "u1"}, {"user_id": 7}, {}, None]),
    "meta": st.sampled_from([{"x": "12"}, {"x": "word"}, {"x": None}, {}]),
    "loss": st.sampled_from([[], ["no owner in the record"]]),
}
principal = st.builds(
    lambda who, spaces, roles: {"id": who, "namespaces": spaces, "roles": roles},
    st.sampled_from(["u1", "7", None]),
    st.one_of(st.none(), names),
    st.sampled_from([["manager"], [], None]),
)
QUERY_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "principal": principal,
    "session_id": word,
    "claimed_session_id": word,
    "semantic_tag": word,
    "purpose": st.sampled_from(["booking", "other", *EMPTY]),
    "intent": st.sampled_from(["current", "history", "unknown", None]),
    "as_of": time,
    "risk": st.sampled_from([0.2, "0.85", "high", None]),
    "required": st.lists(st.sampled_from(IDS), max_size=2),
}
RULES = """
[[rules]]
id = "sensitive"
effect = "deny"
when = "m.sensitivity = 'high' AND NOT list_contains(q.principal.roles, 'manager')"
[[rules]]
id = "own"
effect = "allow"
when = "m.keys.user_id = q.principal.id"
[[rules]]
id = "number"
effect = "allow"
when = "m.meta.x::INTEGER > 10 OR q.risk > 0.5"
[[rules]]
id = "absent"
effect = "deny"
when = "m.contradiction_count >= 2 OR m.namespace IS NULL AND q.as_of > m.created_at"
"""


def fields_of(known: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=known)


edits_of_memory = st.sampled_from(sorted(MEMORY_FIELDS)).flatmap(
    lambda name: st.tuples(st.just(name), st.one_of(st.just(ABSENT), MEMORY_FIELDS[name]))
)
edits_of_query = st.sampled_from(sorted(QUERY_FIELDS)).flatmap(
    lambda name: st.tuples(st.just(name), st.one_of(st.just(ABSENT), QUERY_FIELDS[name]))
)
judgments = st.lists(
    st.builds(
        Judgment,
        query_id=st.sampled_from(["q0", "q1", "none"]),
        memory_id=st.sampled_from(IDS),
        namespace=st.sampled_from([ABSENT, None, "a", ["tenant", "acme"]]),
        axis=st.sampled_from(["scope", "policy", "lifecycle", "relevance"]),
        value=st.sampled_from(list(Trit)),
        source=st.sampled_from(["x", "y"]),
        origin=st.just(Origin("judgments.jsonl", 1)),
    ),
    max_size=3,
)
exported = st.sampled_from([None, parse_time(TIMES[0], ""), parse_time(TIMES[2], ""), parse_time(TIMES[6], "")])
assumptions = st.fixed_dictionaries(
    {},
    optional={
        "policy": st.sampled_from(["allow", "deny"]),
        "status": st.sampled_from(["current", "stale"]),
        "namespace": st.sampled_from(["a", ["tenant", "acme"]]),
        "created_at": st.sampled_from(TIMES),
        "allowed_purposes": st.just("booking, care"),
        "query.purpose": st.just("booking"),
        "query.intent": st.sampled_from(["current", "history"]),
        "query.principal.namespaces": st.just(["a"]),
        "query.as_of": st.sampled_from(TIMES[:3]),
    },
)


@st.composite
def settings_of(draw: st.DrawFn) -> Settings:
    return Settings(
        timezone=draw(st.sampled_from([None, None, "Asia/Seoul"])),
        exported_at=draw(exported),
        isolation=draw(st.sampled_from(["namespace", "session", "namespace+session"])),
        unknown_intent=draw(st.sampled_from(["join", "strict"])),
        shared_namespaces=tuple(draw(st.sampled_from([[], ["b"], [["tenant", "acme-corp"]]]))),
        aliases=tuple(draw(st.sampled_from([[], [("a", "b")], [("acme", "a"), ("b", "acme")]]))),
        assumptions=draw(assumptions),
        policy='default = "'
        + draw(st.sampled_from(["unknown", "allow", "deny"]))
        + '"'
        + draw(st.sampled_from(["", RULES])),
    )


@st.composite
def stores(draw: st.DrawFn) -> tuple[list[Memory], list[Query], list[Judgment], Settings]:
    count = draw(st.integers(1, 4))
    memories = []
    for i in range(count):
        # Ids repeat now and then, as they may across namespaces.
        name = draw(st.sampled_from([f"m{i}", f"m{i}", f"m{i}", "m0"]))
        memories.append(Memory({"id": name, "text": name, **draw(fields_of(MEMORY_FIELDS))}, Origin("m.jsonl", i + 1)))
    queries = [
        Query({"id": f"q{i}", "text": "?", **draw(fields_of(QUERY_FIELDS))}, Origin("q.jsonl", i + 1)) for i in range(2)
    ]
    return memories, queries, draw(judgments), draw(settings_of())


def all_axes(engine: AxisEngine) -> dict[str, list[list[int]]]:
    m, q = np.arange(len(engine.memories))[None, :], np.arange(len(engine.queries))[:, None]
    wanted = ("scope", "policy", "lifecycle", "relevance", "admissible", "usable", "stored", "stale_or_superseded")
    return {name: getattr(engine, name)(m, q).tolist() for name in wanted}


def check_scalar(engine: AxisEngine) -> None:
    matrix = all_axes(engine)
    for qi in range(len(engine.queries)):
        for mi in range(len(engine.memories)):
            found = engine.explain(mi, qi)
            scalar = {
                "scope": found.scope.value,
                "policy": found.policy.value,
                "lifecycle": found.lifecycle.value,
                "relevance": found.relevance.value,
                "admissible": found.verdict,
                "usable": found.usable,
            }
            for name, value in scalar.items():
                assert matrix[name][qi][mi] == int(value), (name, mi, qi, found)
                assert getattr(engine, name)([mi], [qi]).tolist() == [int(value)]
            for axis in (found.scope, found.policy, found.lifecycle, found.relevance):
                assert axis.reason
                # A ? names what is missing, unless a rule failed on the values that it had; 1 and 0 miss nothing.
                failed = "cannot be evaluated" in axis.reason
                assert bool(axis.missing) == (axis.value == Trit.UNKNOWN) or axis.judged or failed, axis
                if axis.assumed:
                    assert "assumed" in axis.reason


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(stores())
def test_vectorised_equals_scalar(store: tuple[list[Memory], list[Query], list[Judgment], Settings]) -> None:
    check_scalar(AxisEngine(*store))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(stores(), st.data())
def test_updated_equals_fresh(
    store: tuple[list[Memory], list[Query], list[Judgment], Settings], data: st.DataObject
) -> None:
    memories, queries, labels, chosen = store
    engine = AxisEngine(memories, queries, labels, chosen)
    for _ in range(data.draw(st.integers(1, 4))):
        before = all_axes(engine)
        kind = data.draw(st.sampled_from(["memory", "query", "undo", "judgments"]))
        if kind == "query":
            qi = data.draw(st.integers(0, len(queries) - 1))
            name, value = data.draw(edits_of_query)
            queries[qi].edits[name] = value
            engine.update_queries([qi])
        elif kind == "judgments":
            labels = data.draw(judgments)
            engine.update_judgments(labels)
        else:
            mi = data.draw(st.integers(0, len(memories) - 1))
            if kind == "undo":
                memories[mi].edits.clear()
            else:
                name, value = data.draw(edits_of_memory)
                memories[mi].edits[name] = value
            touched = engine.update_memories([mi])
            after = all_axes(engine)
            for axis, rows in after.items():
                for qi, row in enumerate(rows):
                    moved = {i for i, value in enumerate(row) if value != before[axis][qi][i]}
                    assert moved <= touched
    assert all_axes(engine) == all_axes(AxisEngine(memories, queries, labels, chosen))
    check_scalar(engine)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(stores(), st.data())
def test_shapes_agree(store: tuple[list[Memory], list[Query], list[Judgment], Settings], data: st.DataObject) -> None:
    """Pairs, a matrix, one row, and repeats in any order all give the same trit for the same pair."""
    engine = AxisEngine(*store)
    matrix = all_axes(engine)
    count, asked = len(engine.memories), len(engine.queries)
    size = data.draw(st.sampled_from([0, 1, 5, 600]))
    picks = np.array([(i * 7 + 3) % count for i in range(size)], np.intp)
    rows = np.array([(i * 5 + 1) % asked for i in range(size)], np.intp)
    for name, values in matrix.items():
        whole = np.array(values, np.uint8)
        found = getattr(engine, name)(picks, rows)
        assert found.dtype == np.uint8
        assert found.tolist() == whole[rows, picks].tolist()
        some = np.array([[count - 1, 0]])
        assert (
            getattr(engine, name)(some, np.array([[0], [asked - 1]])).tolist()
            == whole[[0, asked - 1]][:, some[0]].tolist()
        )


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(stores(), st.sampled_from([Trit.YES, Trit.NO]))
def test_flips_flip(store: tuple[list[Memory], list[Query], list[Judgment], Settings], target: Trit) -> None:
    """Every set found gives the target in a fresh engine over the edited record, and none is given twice."""
    memories, queries, labels, chosen = store
    found = AxisEngine(memories, queries, labels, chosen).flips(0, 0, target)
    assert len({repr(flip.edits) for flip in found.flips}) == len(found.flips)
    for flip in found.flips:
        assert len({name for name, _ in flip.edits}) == len(flip.edits) == found.size
        edited = memories[0].edited({**memories[0].edits, **dict(flip.edits)})
        fresh = AxisEngine([edited, *memories[1:]], queries, labels, chosen)
        # The default as_of is fixed when a source is loaded, from its own times alone.
        assert fresh.as_of(0) == AxisEngine(memories, queries, labels, chosen).as_of(0)
        assert fresh.admissible([0], [0]).tolist() == [int(target)]
