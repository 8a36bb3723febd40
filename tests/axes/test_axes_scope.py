"""Scope: whose is it (DESIGN 3). Expected values by hand from DESIGN's sentences and the reports of USERS.md."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.axes import session_mismatch
from inspector.records import ABSENT
from inspector.trit import Trit
from tests.axes.axes_records import engine, memory, query, why

N, U, Y = Trit.NO, Trit.UNKNOWN, Trit.YES


@pytest.mark.parametrize(
    ("namespace", "principal", "expected"),
    [
        # Strings match whole.
        ("guest-12", ["guest-12"], Y),
        ("guest-7", ["guest-12"], N),
        ("guest-1", ["guest-12"], N),
        ("guest-12", ["guest-1"], N),
        ("Guest-12", ["guest-12"], N),
        ("guest-12", ["guest-1", "guest-12"], Y),
        # Lists match segment by segment, an owner's list covering what lies under it.
        (["tenant", "acme"], [["tenant", "acme"]], Y),
        (["tenant", "acme", "notes"], [["tenant", "acme"]], Y),
        (["tenant", "acme-corp"], [["tenant", "acme"]], N),
        (["tenant"], [["tenant", "acme"]], N),
        (["acme", "tenant"], [["tenant", "acme"]], N),
        # A string and a list of that one segment are the same owner; a string does not cover a longer list.
        (["guest-12"], ["guest-12"], Y),
        ("guest-12", [["guest-12"]], Y),
        (["guest-12", "notes"], ["guest-12"], N),
        (["guest-12", "notes"], [["guest-12"]], Y),
        # A joined text is not its segments.
        ("tenant/acme", [["tenant", "acme"]], N),
        # Either side missing: absent, null and empty alike, never a match of two nothings.
        (ABSENT, ["guest-12"], U),
        (None, ["guest-12"], U),
        ("", ["guest-12"], U),
        ([], ["guest-12"], U),
        ("guest-12", None, U),
        ("guest-12", [], U),
        ("", [""], U),
        ("guest-7", ["guest-12", ""], U),
        ("guest-12", ["guest-12", ""], Y),
    ],
)
def test_namespace(namespace: Any, principal: Any, expected: Trit) -> None:
    fields = {} if namespace is ABSENT else {"namespace": namespace}
    found = why(memory(**fields), query(namespaces=principal))
    assert found.scope.value == expected
    assert found.scope.rule == "namespace"
    assert bool(found.scope.missing) == (expected == U)


@pytest.mark.parametrize(
    ("namespaces", "expected"),
    [
        (["guest-7", "guest-12"], Y),
        (["guest-7", "guest-8"], N),
        ([["team", "a"], "guest-12"], Y),
        (["guest-7", ""], U),  # one owner cannot be told: it may be the asker
        (["guest-12", ""], Y),
    ],
)
def test_several_owners(namespaces: Any, expected: Trit) -> None:
    assert why(memory(namespaces=namespaces), query(namespaces=["guest-12"])).scope.value == expected


def test_namespace_and_namespaces_are_all_owners() -> None:
    found = why(memory(namespace="guest-7", namespaces=["guest-12"]), query(namespaces=["guest-12"]))
    assert found.scope.value == Y


def test_shared_namespaces_come_first() -> None:
    shared = ("lobby", ["hotel", "rules"])
    assert why(memory(namespace="lobby"), query(), shared_namespaces=shared).scope.value == Y
    found = why(memory(namespace=["hotel", "rules", "pool"]), query(namespaces=["x"]), shared_namespaces=shared)
    assert found.scope.value == Y
    assert found.scope.reason == "namespace 'hotel / rules / pool' is shared"
    assert why(memory(), query(namespaces=["x"]), shared_namespaces=shared).scope.value == U


def test_reason_names_both_sides_and_their_origin() -> None:
    found = why(memory(namespace="guest-7"), query(namespaces=["guest-12"])).scope
    assert found.reason == "namespace 'guest-7' is not among the principal's: 'guest-12'"
    assert [(read.owner, read.name, read.value, read.origin) for read in found.reads] == [
        ("memory", "namespace", "guest-7", "memories.jsonl:1"),
        ("query", "principal.namespaces", ["guest-12"], "queries.jsonl:1"),
    ]


def test_langgraph_8300_underscore_in_a_namespace() -> None:
    """A LIKE search let ``_`` match any character; compared by segments the second differs, and both are shown."""
    found = why(
        memory(namespace=["users", "john-doe", "memories"]), query(namespaces=[["users", "john_doe", "memories"]])
    )
    assert found.scope.value == N
    assert "segment 2 differs: 'john-doe' is not 'john_doe'" in found.scope.reason
    assert any("search by text prefix would have matched" in note for note in found.notes)


def test_a_text_prefix_of_another_tenant_is_noted() -> None:
    found = why(memory(namespace="guest-12"), query(namespaces=["guest-1"]))
    assert any("text prefix" in note for note in found.notes)
    assert not why(memory(namespace="guest-7"), query(namespaces=["guest-1"])).notes


def test_openclaw_85389_null_sender_is_open_and_another_sender_is_out() -> None:
    asked = query(namespaces=["sender-b"])
    assert why(memory(namespace=None), asked).verdict == U
    assert why(memory(namespace="sender-a"), asked).scope.value == N


def test_agentmemory_821_asker_without_id_admits_nothing() -> None:
    built = engine([memory("m1", namespace="a"), memory("m2")], query())
    assert built.scope([0, 1], [0, 0]).tolist() == [1, 1]


def test_memory_template_15_owner_covers_its_own_list() -> None:
    """Written under ("memories", user, fn), asked as (user,): the owner differs by our rule, and it is said where."""
    found = why(memory(namespace=["memories", "u1", "fn"]), query(namespaces=[["u1"]]))
    assert found.scope.value == N
    assert "segment 1 differs: 'memories' is not 'u1'" in found.scope.reason


def test_claude_code_91738_two_names_of_one_project_by_alias() -> None:
    asked = query(namespaces=["-home-ann-new"])
    assert why(memory(namespace="-home-ann-old"), asked).scope.value == N
    aliases = (("-home-ann-old", "-home-ann-new"),)
    found = why(memory(namespace="-home-ann-old"), asked, aliases=aliases).scope
    assert found.value == Y
    assert found.reason == "namespace '-home-ann-old' is an alias of the principal's '-home-ann-new'"


def test_aliases_join_groups_and_reach_into_segments() -> None:
    aliases = (("ann", "a.smith"), ("a.smith", "u-17"))
    assert why(memory(namespace="ann"), query(namespaces=["u-17"]), aliases=aliases).scope.value == Y
    stored = memory(namespace=["users", "ann", "notes"])
    assert why(stored, query(namespaces=[["users", "u-17"]]), aliases=aliases).scope.value == Y
    assert why(memory(namespace="bob"), query(namespaces=["u-17"]), aliases=aliases).scope.value == N


@pytest.mark.parametrize(
    ("mine", "theirs", "expected"),
    [("s1", "s1", Y), ("s1", "s2", N), (None, "s1", U), ("s1", None, U), ("", "", U), (None, None, U)],
)
def test_session_isolation(mine: str | None, theirs: str | None, expected: Trit) -> None:
    found = why(memory(namespace="a", session_id=mine), query(namespaces=["b"], session_id=theirs), isolation="session")
    assert found.scope.value == expected
    assert found.scope.rule == "session"


@pytest.mark.parametrize(
    ("namespace", "session", "expected"),
    [
        ("a", "s1", Y),
        ("b", "s1", N),
        ("a", "s2", N),
        ("b", "s2", N),
        (None, "s1", U),
        ("a", None, U),
        (None, "s2", N),
        ("b", None, N),
    ],
)
def test_both_tests_are_anded(namespace: str | None, session: str | None, expected: Trit) -> None:
    stored = memory(namespace=namespace, session_id=session)
    found = why(stored, query(namespaces=["a"], session_id="s1"), isolation="namespace+session")
    assert found.scope.value == expected


def test_agno_2057_session_matters_only_where_it_isolates() -> None:
    stored, asked = memory(namespace="u", session_id="s1"), query(namespaces=["u"], session_id="s2")
    assert why(stored, asked).scope.value == Y
    assert why(stored, asked, isolation="namespace+session").scope.value == N


def test_a_claimed_session_alone_is_no_proof() -> None:
    asked = query(namespaces=["a"], claimed_session_id="s1")
    found = why(memory(namespace="a", session_id="s1"), asked, isolation="namespace+session")
    assert found.scope.value == U
    assert "query.session_id" in found.scope.missing
    assert "the client's word" in found.scope.reason
    assert not session_mismatch(asked)


def test_a_claim_that_differs_is_reported_and_does_not_decide() -> None:
    asked = query(namespaces=["a"], session_id="s1", claimed_session_id="s2")
    found = why(memory(namespace="a", session_id="s1"), asked, isolation="session")
    assert found.scope.value == Y
    assert "the client claimed session 's2', the authenticated session is 's1'" in found.notes
    assert session_mismatch(asked)


def test_assumed_namespace_says_so() -> None:
    found = why(memory(), query(namespaces=["a"]), assumptions={"namespace": "a"}).scope
    assert found.value == Y
    assert found.assumed
    assert "assumed" in found.reason
    stated = why(memory(namespace="b"), query(namespaces=["a"]), assumptions={"namespace": "a"}).scope
    assert stated.value == N
    assert not stated.assumed


@pytest.mark.parametrize(
    ("taken", "namespace", "asker", "expected"),
    [
        ("{principal.id}", "ana", "ana", Y),
        ("{principal.id}", "bob", "ana", N),
        ("{principal.id}", "ana", None, U),  # nobody knows who asks, so nothing is named after them
        ("house", "house", None, Y),
        ([["users", "{principal.id}"], "house"], ["users", "ana", "notes"], "ana", Y),
        ([["users", "{principal.id}"], "house"], ["users", "anabel"], "ana", N),
        ([["users", "{principal.id}"], "house"], "house", None, Y),
        ("user-{principal.id}", "user-ana", "ana", Y),
    ],
)
def test_assumed_that_an_asker_owns_what_is_named_after_them(
    taken: Any, namespace: Any, asker: str | None, expected: Trit
) -> None:
    asked = query() if asker is None else query(principal={"id": asker})
    found = why(memory(namespace=namespace), asked, assumptions={"query.principal.namespaces": taken}).scope
    assert found.value == expected
    assert found.assumed is (expected != U)
    # What a query states is not assumed.
    stated = query(principal={"id": asker or "x", "namespaces": ["elsewhere"]})
    found = why(memory(namespace=namespace), stated, assumptions={"query.principal.namespaces": taken}).scope
    assert (found.value, found.assumed) == (N, False)


def test_a_loss_is_the_named_cause_of_a_question_mark() -> None:
    found = why(memory(loss=["no owner in the record"]), query(namespaces=["a"]))
    assert "the source could not say: 'no owner in the record'" in found.scope.reason
    assert "no owner" not in found.policy.reason


def test_hundreds_of_owners_are_resolved_by_look_up() -> None:
    """The bulk path fills a whole principal's row at once; it must agree with the test pair by pair."""
    stored = [memory(f"m{i}", namespace=["t", f"u{i}"] if i % 2 else f"u{i}") for i in range(200)]
    stored += [memory("open", namespaces=["x", ""]), memory("none"), memory("s", namespace="lobby")]
    asked = [query("q1", [["t", "u7"], "u8"]), query("q2", [["t"]]), query("q3"), query("q4", ["u3", ""])]
    built = engine(stored, asked, shared_namespaces=("lobby",))
    matrix = built.scope([list(range(len(stored)))], [[q] for q in range(4)])
    for qi in range(4):
        for mi in range(len(stored)):
            assert matrix[qi, mi] == built.explain(mi, qi).scope.value
    assert matrix[0].tolist().count(2) == 3  # u7, u8, lobby
    assert matrix[1].tolist().count(2) == 101  # the hundred lists under t, lobby
