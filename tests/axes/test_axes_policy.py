"""Policy: may it be used for this (DESIGN 3). Values worked out by hand with the Kleene formula beside each table."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from inspector.axes.policy_file import read_policy
from inspector.errors import InputError
from inspector.records import ABSENT
from inspector.trit import Trit
from tests.axes.axes_records import engine, memory, query, why

N, U, Y = Trit.NO, Trit.UNKNOWN, Trit.YES
RULE_VALUE = {Y: "true", N: "false", U: "NULL"}


def rule(when: str, effect: str = "deny", id: str = "r", note: str = "") -> str:
    return f"[[rules]]\nid = '{id}'\neffect = '{effect}'\nnote = '{note}'\nwhen = '''{when}'''\n"


def value(when: str, stored: dict[str, Any] | None = None, asked: dict[str, Any] | None = None) -> Trit:
    """The value of one allow rule under a denying default: 1 and ? show as they are, and 0 as 0."""
    text = "default = 'deny'\n" + rule(when, "allow")
    return why(memory(**(stored or {})), query(**(asked or {})), policy=text).policy.value


@pytest.mark.parametrize(("default", "deny", "allow"), product(("unknown", "allow", "deny"), (N, U, Y), (N, U, Y)))
def test_formula(default: str, deny: Trit, allow: Trit) -> None:
    """policy = NOT(deny) AND OR(allow, default), each of the 27 cases from the connectives' own tables."""
    text = f"default = '{default}'\n" + rule(RULE_VALUE[deny], "deny", "d") + rule(RULE_VALUE[allow], "allow", "a")
    start = {"unknown": U, "allow": Y, "deny": N}[default]
    either = Y if Y in (start, allow) else U if U in (start, allow) else N
    expected = N if deny == Y or either == N else Y if (deny, either) == (N, Y) else U
    found = why(memory(), query(), policy=text).policy
    assert found.value == expected
    if deny == Y:
        assert found.rule == "deny d"


@pytest.mark.parametrize(
    ("allowed", "purpose", "expected"),
    [
        (["booking"], "booking", Y),
        (["booking", "care"], "care", Y),
        (["booking"], "marketing", N),
        # A memory that states no purposes is not restricted; the default (unknown) stays.
        (ABSENT, "booking", U),
        (None, "booking", U),
        ([], "booking", U),
        (["booking"], ABSENT, U),
        (["booking"], "", U),
        (ABSENT, ABSENT, U),
    ],
)
def test_built_in_purposes(allowed: Any, purpose: Any, expected: Trit) -> None:
    stored = {} if allowed is ABSENT else {"allowed_purposes": allowed}
    asked = {} if purpose is ABSENT else {"purpose": purpose}
    found = why(memory(**stored), query(**asked)).policy
    assert found.value == expected
    assert bool(found.missing) == (expected == U)


def test_unknown_purpose_of_a_restricted_memory_stays_open_under_an_allowing_default() -> None:
    assert why(memory(allowed_purposes=["booking"]), query(), policy="default = 'allow'").policy.value == U
    assert why(memory(), query(purpose="booking"), policy="default = 'allow'").policy.value == Y


def test_built_in_reason() -> None:
    found = why(memory(allowed_purposes=["booking", "care"]), query(purpose="ads")).policy
    assert found.rule == "deny allowed_purposes"
    assert found.reason == "purpose 'ads' is not among the allowed_purposes: 'booking', 'care'"
    assert {(read.owner, read.name) for read in found.reads} == {("memory", "allowed_purposes"), ("query", "purpose")}


def test_no_policy_is_unknown_and_says_what_is_missing() -> None:
    found = why(memory(), query()).policy
    assert found.value == U
    assert found.missing == ("allowed_purposes", "policy")
    assert found.reason == "no rule allows; the default is unknown"


@pytest.mark.parametrize(("assumed", "expected"), [("allow", Y), ("deny", N)])
def test_assumed_policy_takes_the_place_of_an_unknown_default(assumed: str, expected: Trit) -> None:
    found = why(memory(), query(), assumptions={"policy": assumed}).policy
    assert found.value == expected
    assert found.assumed
    assert "assumed" in found.reason
    # A default that the bundle states is not unknown, so nothing is assumed over it.
    stated = "deny" if assumed == "allow" else "allow"
    kept = why(memory(), query(), assumptions={"policy": assumed}, policy=f"default = '{stated}'").policy
    assert kept.value == (N if assumed == "allow" else Y)
    assert not kept.assumed


def test_only_a_reason_that_rests_on_an_assumption_says_so() -> None:
    """A deleted memory is forgotten whatever its status is taken as; an owner that is stated is not assumed."""
    assumptions = {"status": "current", "namespace": "b", "query.intent": "current"}
    asked = query(namespaces=["a"], as_of="2026-03-01T00:00:00Z", intent="current")
    gone = why(memory(namespace="a", deleted_at="2026-01-01T00:00:00Z"), asked, assumptions=assumptions)
    assert (gone.lifecycle.assumed, gone.scope.assumed, gone.policy.assumed) == (False, False, False)
    assert "assumed" not in gone.lifecycle.reason + gone.scope.reason + gone.policy.reason
    bare = why(memory(), query(namespaces=["a"], as_of="2026-03-01T00:00:00Z"), assumptions=assumptions)
    assert (bare.lifecycle.assumed, bare.scope.assumed) == (True, True)
    assert "status" in bare.lifecycle.reason
    assert "assumed" in bare.lifecycle.reason


def test_an_assumption_that_changes_nothing_is_not_named() -> None:
    found = why(memory(), query(), assumptions={"policy": "allow"}, policy=rule("true")).policy
    assert found.value == N
    assert not found.assumed


@pytest.mark.parametrize("missing", [{}, {"status": None}, {"status": ""}])
def test_absent_null_and_empty_reach_sql_as_null(missing: dict[str, Any]) -> None:
    assert value("m.status = 'active'", missing) == U
    assert value("m.status <> 'active'", missing) == U
    assert value("m.status IS NULL", missing) == Y
    assert value("length(coalesce(m.status, '')) = 0", missing) == Y


@pytest.mark.parametrize(
    ("when", "stored", "asked", "expected"),
    [
        ("m.sensitivity = 'high'", {"sensitivity": "high"}, {}, Y),
        ("m.sensitivity IN ('high', 'critical')", {"sensitivity": "low"}, {}, N),
        ("m.keys.user_id = q.principal.id", {"keys": {"user_id": "u1"}}, {"principal": {"id": "u1"}}, Y),
        ("m.keys['user_id'] = q.principal['id']", {"keys": {"user_id": "u1"}}, {"principal": {"id": "u2"}}, N),
        ("m.keys.user_id = q.principal.id", {"keys": {"user_id": "u1"}}, {}, U),
        ("m.keys.user_id = '7'", {"keys": {"user_id": 7}}, {}, Y),
        ("m.keys.user_id = 7", {"keys": {"user_id": 7}}, {}, Y),
        ("m.meta.a.b = 'x'", {"meta": {"a": {"b": "x"}}}, {}, Y),
        ("m.meta.tags[2] = 'y'", {"meta": {"tags": ["x", "y"]}}, {}, Y),
        ("m.meta.tags[3] = 'y'", {"meta": {"tags": ["x", "y"]}}, {}, U),
        ("m.meta.flag = true", {"meta": {"flag": True}}, {}, Y),
        ("m.meta->>'x' = '1'", {"meta": {"x": 1}}, {}, Y),
        ("list_contains(q.principal.roles, 'manager')", {}, {"principal": {"roles": ["guest"]}}, N),
        ("'manager' IN q.principal.roles", {}, {"principal": {"roles": ["manager"]}}, Y),
        ("list_contains(m.allowed_purposes, q.purpose)", {"allowed_purposes": ["a"]}, {"purpose": "a"}, Y),
        ("m.namespace = 'guest-7'", {"namespace": "guest-7"}, {}, Y),
        ('m.namespace = \'["t","u"]\'', {"namespace": ["t", "u"]}, {}, Y),
        ("m.verification_required", {"verification_required": True}, {}, Y),
        ("NOT m.verification_required", {"verification_required": False}, {}, Y),
        ("m.contradiction_count >= 2", {"contradiction_count": 2}, {}, Y),
        ("m.contradiction_count = 0", {"contradiction_count": 0}, {}, Y),
        ("list_contains(m.governs.action_types, 'write')", {"governs": {"action_types": ["write"]}}, {}, Y),
        ("m.created_at < q.as_of", {"created_at": "2026-01-01T00:00:00Z"}, {"as_of": "2026-01-02T00:00:00Z"}, Y),
        (
            "m.created_at < q.as_of - INTERVAL 30 DAY",
            {"created_at": "2026-01-01T00:00:00Z"},
            {"as_of": "2026-01-30T00:00:00Z"},
            N,
        ),
        ("m.created_at >= '2026-01-01'", {"created_at": "2026-01-01T00:00:00Z"}, {}, Y),
        ("m.created_at >= '2026-01-01'", {"created_at": "2026-01-01T08:00:00+09:00"}, {}, N),
        ("m.text LIKE '%secret%'", {"text": "a secret"}, {}, Y),
        ("m.text SIMILAR TO '.*a.*' AND m.id = 'm1'", {}, {}, N),
        ("CASE WHEN m.status = 'x' THEN true ELSE false END", {}, {}, N),
        # Numbers in text fields are compared as numbers, not rounded to integers or cut to one decimal.
        ("q.risk > 0.5", {}, {"risk": "0.45"}, N),
        ("q.risk >= 1", {}, {"risk": "0.85"}, N),
        ("q.risk > -1", {}, {"risk": -0.6}, Y),
        ("q.risk BETWEEN 0.8 AND 0.9", {}, {"risk": 0.85}, Y),
        ("q.risk IN (1, 2)", {}, {"risk": "0.6"}, N),
    ],
)
def test_expressions(when: str, stored: dict[str, Any], asked: dict[str, Any], expected: Trit) -> None:
    assert value(when, stored, asked) == expected


def test_default_as_of_is_what_a_rule_reads() -> None:
    text = "default = 'deny'\n" + rule("m.created_at = q.as_of", "allow")
    found = why(memory(created_at="2026-01-01T00:00:00Z"), query(), policy=text).policy
    assert found.value == Y
    assert any(read.name == "as_of" and read.origin == "latest time in the store" for read in found.reads)


def test_naive_times_are_null_until_the_zone_is_known() -> None:
    text = "default = 'deny'\n" + rule("m.created_at < '2026-06-01'", "allow")
    stored = memory(created_at="2026-01-01T00:00:00")
    found = why(stored, query(), policy=text).policy
    assert found.value == U
    assert "a time without a zone" in found.reason
    assert why(stored, query(), policy=text, timezone="Asia/Seoul").policy.value == Y


@pytest.mark.parametrize(
    "when",
    ["m.meta.x::INTEGER > 1", "m.meta.x > 1", "m.created_at > m.meta.x::TIMESTAMPTZ", "m.meta.x::DATE = '2026-01-01'"],
)
def test_an_error_on_a_pair_is_unknown_with_the_error_as_reason(when: str) -> None:
    text = "default = 'deny'\n" + rule(when, "allow")
    stored = [memory("m1", meta={"x": "word"}, created_at="2026-01-01T00:00:00Z"), memory("m2", meta={"x": "3"})]
    found = why(stored, query(), policy=text).policy
    assert found.value == U
    assert "rule r cannot be evaluated" in found.reason
    assert "word" in found.reason


def test_an_error_on_one_pair_leaves_the_others_alone() -> None:
    text = "default = 'deny'\n" + rule("m.meta.x::INTEGER > 1", "allow")
    stored = [memory(f"m{i}", meta={"x": x}) for i, x in enumerate(["3", "word", "1", None])]
    assert engine(stored, query(), policy=text).policy(range(4), [0] * 4).tolist() == [2, 1, 0, 1]


@pytest.mark.parametrize(
    ("when", "stored"),
    [
        ("m.sensitivity IS NULL", {}),
        ("coalesce(m.sensitivity, 'low') = 'low'", {}),
        ("CASE WHEN m.sensitivity = 'high' THEN false ELSE true END", {}),
        ("m.sensitivity IS DISTINCT FROM 'high'", {}),
        ("ifnull(m.sensitivity, 'low') = 'low'", {}),
        ("m.verification_required IS NOT TRUE", {}),
        ("concat(m.sensitivity, 'x') = 'x'", {}),
    ],
)
def test_a_rule_that_decides_on_absence_says_so(when: str, stored: dict[str, Any]) -> None:
    found = why(memory(**stored), query(), policy=rule(when)).policy
    assert found.value == N
    assert "decides on absence" in found.reason


def test_a_rule_that_could_decide_on_absence_but_did_not_is_silent() -> None:
    found = why(memory(sensitivity="low"), query(), policy=rule("coalesce(m.sensitivity, 'low') = 'low'")).policy
    assert found.value == N
    assert "absence" not in found.reason


def test_reason_names_rule_note_and_values() -> None:
    text = rule("m.sensitivity = 'high' AND q.purpose = 'ads'", id="no-ads", note="health data is not for ads")
    found = why(memory(sensitivity="high"), query(purpose="ads"), policy=text).policy
    assert found.rule == "deny no-ads"
    assert found.reason == "rule no-ads denies (sensitivity = 'high', purpose = 'ads'): health data is not for ads"
    assert [(read.owner, read.name, read.origin) for read in found.reads[:2]] == [
        ("memory", "sensitivity", "memories.jsonl:1"),
        ("query", "purpose", "queries.jsonl:1"),
    ]


def test_an_open_rule_names_its_missing_field() -> None:
    found = why(memory(), query(), policy="default='allow'\n" + rule("m.sensitivity = 'high'", id="s")).policy
    assert found.value == U
    assert found.missing == ("sensitivity",)
    assert found.rule == "deny s"
    assert "rule s is open: sensitivity without a value" in found.reason


def test_aios_551_policy_allows_what_scope_refuses() -> None:
    """The filter checked agent and sharing policy, never the user: S=0 with P=1, so the verdict is 0."""
    text = rule("m.meta.sharing_policy = 'shared' AND m.meta.owner_agent = q.meta.agent", "allow")
    stored = memory(namespace="user-1", meta={"sharing_policy": "shared", "owner_agent": "a1"}, status="active")
    found = why(stored, query(namespaces=["user-2"], meta={"agent": "a1"}), policy=text)
    assert (found.scope.value, found.policy.value, found.lifecycle.value, found.verdict) == (N, Y, Y, N)
    assert found.decided_by == ("scope",)


def test_pinchy_369_personal_note_in_a_group() -> None:
    text = rule("m.meta.personal AND q.meta.audience = 'group'")
    found = why(memory(meta={"personal": True}), query(meta={"audience": "group"}), policy=text)
    assert found.policy.value == N


def test_edits_are_read_again() -> None:
    stored, asked = [memory(sensitivity="high")], [query(purpose="ads")]
    built = engine(stored, asked, policy="default='allow'\n" + rule("m.sensitivity = 'high' AND q.purpose = 'ads'"))
    assert built.policy([0], [0]).tolist() == [0]
    stored[0].edits["sensitivity"] = "low"
    built.update_memories([0])
    assert built.policy([0], [0]).tolist() == [2]
    stored[0].edits["sensitivity"] = ABSENT
    built.update_memories([0])
    assert built.policy([0], [0]).tolist() == [1]
    asked[0].edits["purpose"] = "care"
    built.update_queries([0])
    assert built.policy([0], [0]).tolist() == [2]
    assert built.explain(0, 0).policy.value == Y


def test_a_whole_store_as_a_grid_equals_pair_by_pair() -> None:
    """Enough pairs for the bulk path, with values, NULLs, lists, times and a rule that fails on some of them."""
    stored = [
        memory(
            f"m{i}",
            sensitivity=["high", "low", None][i % 3],
            meta={"x": ["3", "word", "12", None][i % 4]},
            allowed_purposes=["a", "b"][: i % 3],
            created_at=f"2026-01-{1 + i % 28:02d}T00:00:00Z",
        )
        for i in range(300)
    ]
    asked = [
        query(f"q{i}", purpose=["a", "b", None][i % 3], as_of=f"2026-01-{1 + i % 28:02d}T12:00:00Z", risk=i / 30)
        for i in range(30)
    ]
    text = (
        rule("m.sensitivity = 'high' AND q.risk > 0.5", id="d")
        + rule("m.meta.x::INTEGER > 10", "allow", "x")
        + rule("m.created_at < q.as_of AND list_contains(m.allowed_purposes, q.purpose)", "allow", "t")
        + rule("q.risk < 0.1 AND m.id = 'm7'", id="one")
    )
    built = engine(stored, asked, policy=text)
    matrix = built.policy([list(range(300))], [[qi] for qi in range(30)])
    fresh = engine(stored, asked, policy=text)
    for qi in range(0, 30, 3):
        for mi in range(qi, 300, 17):
            assert matrix[qi, mi] == fresh.policy([mi], [qi])[0] == fresh.explain(mi, qi).policy.value
    assert set(matrix.ravel().tolist()) == {0, 1, 2}


def test_hostile_texts_pass_through_a_rule() -> None:
    odd = ["a\x00b", "\ud800", "'; DROP TABLE x; --", "x" * 100_000, "\u202e한국어", "$1", "{}"]
    stored = [memory(f"m{i}", semantic_tag=text, meta={"x": text, "n": float("nan")}) for i, text in enumerate(odd)]
    text = "default='deny'\n" + rule("length(m.semantic_tag) > 0 AND m.meta IS NOT NULL AND m.meta.x <> 'y'", "allow")
    assert engine(stored, query(), policy=text).policy(range(len(odd)), [0] * len(odd)).tolist() == [2] * len(odd)


@pytest.mark.parametrize(
    ("text", "line", "field", "wrong"),
    [
        ("default = 'maybe'", None, "default", "'maybe' is not known"),
        ("defalt = 'allow'", None, "defalt", "is not known here"),
        ("rules = 3", None, "rules", "is not a list"),
        ("default = 'allow'\n[[rules]]\neffect = 'deny'", 2, "rules[0].id", "None is no id"),
        ("[[rules]]\nid = 'a'\neffect = 'maybe'\nwhen = 'true'", 1, "rules.a.effect", "'maybe' is not known"),
        ("[[rules]]\nid = 'a'\neffect = 'deny'", 1, "rules.a.when", "None is no expression"),
        ("[[rules]]\nid = 'a'\neffect = 'deny'\nwhen = ' '", 1, "rules.a.when", "is no expression"),
        ("[[rules]]\nid = 'a'\neffect = 'deny'\nwhen = 'true'\nunless = 'x'", 1, "rules.a.unless", "is not known here"),
        (rule("true", id="a") + rule("false", id="a"), 6, "rules.a", "the id is used twice"),
        ("default = ", 1, "", ""),
    ],
)
def test_bad_policy_files_name_their_place(text: str, line: int | None, field: str, wrong: str) -> None:
    with pytest.raises(InputError) as caught:
        read_policy(text, "policy.toml")
    problem = caught.value.problem
    assert (problem.file, problem.line, problem.field) == ("policy.toml", line, field)
    assert wrong in problem.wrong


@pytest.mark.parametrize(
    ("name", "given", "wrong"),
    [
        ("policy", "maybe", "is not a policy"),
        ("statuss", "current", "cannot be assumed"),
        ("query.purposes", "x", "cannot be assumed"),
        ("id", "x", "cannot be assumed"),
        ("created_at", "yesterday", "is not a time"),
        ("query.intent", "later", "is not known"),
        ("contradiction_count", "many", "Expected"),
    ],
)
def test_assumptions_that_cannot_hold_are_refused(name: str, given: Any, wrong: str) -> None:
    with pytest.raises(InputError) as caught:
        engine(memory(), query(), assumptions={name: given})
    assert caught.value.problem.field == name
    assert wrong in caught.value.problem.wrong
