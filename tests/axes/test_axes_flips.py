"""The smallest edits that flip a verdict: found by hand for small stores, and each verified (DESIGN 3)."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.axes import AxisEngine, FlipSearch
from inspector.records import ABSENT, Memory, Query
from inspector.trit import Trit
from tests.axes.axes_records import edit, engine, judgment, memory, query

N, U, Y = Trit.NO, Trit.UNKNOWN, Trit.YES
AS_OF = "2026-03-01T00:00:00Z"
OPEN = {"policy": "allow"}


def check(built: AxisEngine, target: Trit, mi: int = 0, qi: int = 0) -> FlipSearch:
    """The search, after making every edit set for real and asking a fresh engine."""
    found = built.flips(mi, qi, target)
    for flip in found.flips:
        assert len(flip.edits) == found.size
        stored = [m.edited(dict(m.edits)) for m in built.memories]
        edit(stored[mi], dict(flip.edits))
        fresh = AxisEngine(stored, built.queries, [], built.settings)
        assert fresh.admissible([mi], [qi]).tolist() == [int(target)]
    assert built.flips(mi, qi, target) == found
    return found


def test_another_guests_memory_flips_by_its_namespace() -> None:
    built = engine(
        memory(namespace="guest-7", status="active"), query(namespaces=["guest-12"], as_of=AS_OF), assumptions=OPEN
    )
    found = check(built, Y)
    assert found.size == 1
    assert found.flips[0].edits == (("namespace", "guest-12"),)
    assert found.flips[0].words == "set namespace to 'guest-12'"
    assert found.words == "1 edit to admit"
    assert not found.capped


def test_a_deleted_memory_flips_by_clearing_the_deletion() -> None:
    built = engine(
        memory(namespace="a", status="active", deleted_at="2026-01-01T00:00:00Z"),
        query(namespaces=["a"], as_of=AS_OF),
        assumptions=OPEN,
    )
    found = check(built, Y)
    assert (("deleted_at", ABSENT),) in [flip.edits for flip in found.flips]
    assert "clear deleted_at" in [flip.words for flip in found.flips]


def test_two_faults_need_two_edits() -> None:
    built = engine(
        memory(namespace="b", status="active", valid_to="2026-01-01T00:00:00Z"),
        query(namespaces=["a"], as_of=AS_OF, intent="current"),
        assumptions=OPEN,
    )
    found = check(built, Y)
    assert found.size == 2
    assert {frozenset(field for field, _ in flip.edits) for flip in found.flips} >= {
        frozenset({"namespace", "valid_to"})
    }
    assert "set namespace to 'a' and clear valid_to" in [flip.words for flip in found.flips]


def test_three_faults_have_no_set_of_two_and_that_is_said() -> None:
    text = "[[rules]]\nid='r'\neffect='deny'\nwhen=\"m.sensitivity = 'high'\"\n"
    built = engine(
        memory(namespace="b", status="active", sensitivity="high", deleted_at="2026-01-01T00:00:00Z"),
        query(namespaces=["a"], as_of=AS_OF),
        policy="default='allow'\n" + text,
    )
    found = check(built, Y)
    assert (found.size, found.flips) == (0, ())
    assert found.words == "no set of one or two edits gives admit"
    assert found.tried > 0


def test_unknown_owner_flips_both_ways() -> None:
    built = engine(
        [memory("m1", status="active"), memory("m2", namespace="b"), memory("m3", namespace="a")],
        query(namespaces=["a"], as_of=AS_OF),
        assumptions=OPEN,
    )
    assert built.admissible([0], [0]).tolist() == [1]
    assert (("namespace", "a"),) in [flip.edits for flip in check(built, Y).flips]
    # "b" is the owner of another memory of the store.
    assert (("namespace", "b"),) in [flip.edits for flip in check(built, N).flips]


def test_to_exclude() -> None:
    built = engine(
        memory(namespace="a", status="active", allowed_purposes=["x"]),
        query(namespaces=["a"], as_of=AS_OF, purpose="x", intent="current"),
    )
    assert built.admissible([0], [0]).tolist() == [2]
    found = check(built, N)
    assert found.size == 1
    # Not "status": a label of another state without any time is unknown, so it would only open the verdict.
    assert {flip.edits[0] for flip in found.flips if flip.edits[0][1] is not ABSENT} == {
        ("deleted_at", AS_OF),
        ("valid_to", AS_OF),
    }


def test_purposes_are_added_and_removed() -> None:
    asked = query(namespaces=["a"], as_of=AS_OF, purpose="care")
    stored = memory(namespace="a", status="active", allowed_purposes=["booking"])
    found = check(engine(stored, asked), Y)
    assert found.flips[0].edits == (("allowed_purposes", ["booking", "care"]),)
    allowed = memory(namespace="a", status="active", allowed_purposes=["booking", "care"])
    out = check(engine(allowed, asked), N)
    assert (("allowed_purposes", ["booking"]),) in [flip.edits for flip in out.flips]


@pytest.mark.parametrize(
    ("when", "stored", "asked", "wanted"),
    [
        ("m.sensitivity = 'low'", {"sensitivity": "high"}, {}, ("sensitivity", "low")),
        ("m.keys.user_id = q.principal.id", {}, {}, ("keys", {"user_id": "asker"})),
        (
            "m.keys.user_id = q.principal.id",
            {"keys": {"user_id": "u1", "task": "t"}},
            {},
            ("keys", {"user_id": "asker", "task": "t"}),
        ),
        ("m.meta.audience = q.meta.audience", {"meta": {"x": 1}}, {"meta": {"audience": "one"}}, None),
        ("m.verification_required", {"verification_required": False}, {}, ("verification_required", True)),
        ("m.contradiction_count < 2", {"contradiction_count": 3}, {}, ("contradiction_count", 1.0)),
        ("list_contains(m.retrieval_terms, 'ok')", {"retrieval_terms": ["no"]}, {}, ("retrieval_terms", ["no", "ok"])),
    ],
)
def test_fields_that_a_rule_reads(
    when: str, stored: dict[str, Any], asked: dict[str, Any], wanted: tuple[str, Any] | None
) -> None:
    text = f"default='deny'\n[[rules]]\nid='r'\neffect='allow'\nwhen=\"{when}\"\n"
    built = engine(
        memory(namespace="a", status="active", **stored), query(namespaces=["a"], as_of=AS_OF, **asked), policy=text
    )
    found = check(built, Y)
    assert found.size == 1
    expected = wanted or ("meta", {"x": 1, "audience": "one"})
    assert (expected,) in [flip.edits for flip in found.flips]


def test_session_counts_only_where_it_isolates() -> None:
    stored = memory(namespace="a", session_id="s1", status="active")
    asked = query(namespaces=["a"], session_id="s2", as_of=AS_OF)
    found = check(engine(stored, asked, assumptions=OPEN, isolation="namespace+session"), Y)
    assert found.flips[0].edits == (("session_id", "s2"),)
    out = check(engine(stored, asked, assumptions=OPEN), N)
    assert "session_id" not in {field for flip in out.flips for field, _ in flip.edits}


def test_an_archived_task_is_resumed_by_a_mark() -> None:
    stored = memory(namespace="a", status="active", boundary_log=[{"state": "archived", "at": "2026-02-01T00:00:00Z"}])
    found = check(engine(stored, query(namespaces=["a"], as_of=AS_OF, intent="current"), assumptions=OPEN), Y)
    values = [flip.edits[0] for flip in found.flips]
    assert ("boundary_log", ABSENT) in values
    assert ("boundary_log", [*stored.fields["boundary_log"], {"state": "active", "at": AS_OF}]) in values


def test_several_owners_gain_or_lose_the_asker() -> None:
    stored = memory(namespaces=["b", "c"], status="active")
    asked = query(namespaces=["a"], as_of=AS_OF)
    found = check(engine(stored, asked, assumptions=OPEN), Y)
    assert (("namespaces", ["b", "c", "a"]),) in [flip.edits for flip in found.flips]
    mine = memory(namespaces=["b", "a"], status="active")
    out = check(engine(mine, asked, assumptions=OPEN), N)
    assert (("namespaces", ["b"]),) in [flip.edits for flip in out.flips]


def test_a_judged_axis_is_moved_by_no_edit() -> None:
    built = engine(
        memory(namespace="a", status="active"),
        query(namespaces=["a"], as_of=AS_OF),
        [judgment("policy", N)],
    )
    found = built.flips(0, 0, Y)
    assert found.size == 0
    assert found.words == "no set of one or two edits gives admit (policy: judged, no edit moves it)"


def test_nothing_to_do() -> None:
    built = engine(memory(namespace="b"), query(namespaces=["a"], as_of=AS_OF))
    found = built.flips(0, 0, N)
    assert (found.size, found.flips, found.words) == (0, (), "the verdict is exclude already")


def test_a_search_that_stops_at_its_limit_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.axes.flips._BUDGET", 3)
    built = engine(
        memory(namespace="b", status="active", valid_to="2026-01-01T00:00:00Z"),
        query(namespaces=["a"], as_of=AS_OF, intent="current"),
        assumptions=OPEN,
    )
    found = built.flips(0, 0, Y)
    assert found.capped
    assert "stopped at its limit" in found.words


def test_a_search_leaves_the_store_as_it_was() -> None:
    stored: list[Memory] = [memory(namespace="b", status="active")]
    asked: list[Query] = [query(namespaces=["a"], as_of=AS_OF)]
    built = engine(stored, asked, assumptions=OPEN)
    before = built.explain(0, 0)
    built.flips(0, 0, Y)
    assert not stored[0].edits
    assert built.explain(0, 0) == before
