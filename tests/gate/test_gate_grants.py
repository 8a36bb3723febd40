"""Grants: every outcome by hand (DESIGN 7). as_of is 2026-06-03T12:00Z unless a case says otherwise."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.gate.evaluate import evaluate_gate
from inspector.gate.grants import GRANT_FIELDS, GrantOutcome, compare_grants
from inspector.records import Memory, Origin, Query, Settings
from inspector.times import parse_time
from inspector.trit import NO, UNKNOWN, YES, Trit

CALL = {
    "agent_id": "support.agent",
    "action_type": "execute",
    "target_resource": "vendor_wire",
    "recipient": "vendor:atlas",
    "scope": "invoice_payment",
    "amount": 12500,
}
NOW = "2026-06-03T12:00:00Z"
LATER, EARLIER = "2026-06-03T18:00:00Z", "2026-06-03T11:59:59Z"


def grant(grant_id: str = "g1", decision: Any = "allow", expires_at: Any = LATER, **changed: Any) -> dict[str, Any]:
    same = {name: CALL[name] for name in GRANT_FIELDS}
    return {"grant_id": grant_id, **same, "expires_at": expires_at, "decision": decision, **changed}


def held(grants: Any, as_of: str | None = NOW, call: Any = CALL) -> GrantOutcome:
    return compare_grants(call, grants, None if as_of is None else parse_time(as_of, "as_of"))


Case = tuple[Any, str, str | None, str]
CASES: dict[str, Case] = {
    "exact allow": ([grant()], "GATE_PASS", None, "exact grant g1: allow"),
    "exact block": ([grant(decision="block")], "GATE_FAIL", "block", "exact grant g1: block"),
    "exact other": ([grant(decision="verify_first")], "GATE_FAIL", "verify_first", "exact grant g1: verify_first"),
    "unknown decision": (
        [grant(decision="maybe")],
        "GATE_FAIL",
        "verify_first",
        "exact grant g1: verify_first (its decision is 'maybe')",
    ),
    "null decision": (
        [grant(decision=None)],
        "GATE_FAIL",
        "verify_first",
        "exact grant g1: verify_first (its decision is missing)",
    ),
    "expires at the very instant": ([grant(expires_at=NOW)], "GATE_PASS", None, "exact grant g1: allow"),
    "expired": ([grant(expires_at=EARLIER)], "GATE_FAIL", "verify_first", "exact but expired: g1"),
    "expired block is no block": (
        [grant(decision="block", expires_at=EARLIER)],
        "GATE_FAIL",
        "verify_first",
        "exact but expired: g1",
    ),
    "recipient differs": (
        [grant(recipient="vendor:other")],
        "GATE_FAIL",
        "verify_first",
        "same agent, action and resource: g1 differs in recipient",
    ),
    "scope differs": (
        [grant(scope="refunds")],
        "GATE_FAIL",
        "verify_first",
        "same agent, action and resource: g1 differs in scope",
    ),
    "recipient and scope differ": (
        [grant(recipient="x", scope="y")],
        "GATE_FAIL",
        "verify_first",
        "same agent, action and resource: g1 differs in recipient, scope",
    ),
    "agent differs": ([grant(agent_id="x")], "GATE_FAIL", "verify_first", "no grant matches the tool call"),
    "action differs": ([grant(action_type="read")], "GATE_FAIL", "verify_first", "no grant matches the tool call"),
    "resource differs": ([grant(target_resource="x")], "GATE_FAIL", "verify_first", "no grant matches the tool call"),
    "nothing": ([], "GATE_FAIL", "verify_first", "no grant is recorded"),
    "null": (None, "GATE_FAIL", "verify_first", "no grant is recorded"),
    "two, the first expired": (
        [grant("old", expires_at=EARLIER), grant("new")],
        "GATE_PASS",
        None,
        "exact grant new: allow",
    ),
    "two, expired before near": (
        [grant("near", scope="x"), grant("old", expires_at=EARLIER)],
        "GATE_FAIL",
        "verify_first",
        "exact but expired: old",
    ),
    # Ours: of several in force the strictest, whatever their order.
    "allow and block": ([grant("a"), grant("b", "block")], "GATE_FAIL", "block", "exact grant b: block"),
    "block and allow": ([grant("b", "block"), grant("a")], "GATE_FAIL", "block", "exact grant b: block"),
    # Exact is exact: no folding, no trimming, no number for its text.
    "case differs": (
        [grant(scope="Invoice_Payment")],
        "GATE_FAIL",
        "verify_first",
        "same agent, action and resource: g1 differs in scope",
    ),
    # A missing side is unknown and never authorises, even where both lack it.
    "recipient missing": (
        [{name: value for name, value in grant().items() if name != "recipient"}],
        "GATE_FAIL",
        "verify_first",
        "same agent, action and resource: g1 differs in recipient (missing)",
    ),
    "grants is no list": ({"g": 1}, "GATE_FAIL", "verify_first", "grants is an object, a list is expected"),
    "an entry is no object": (["allow", None], "GATE_FAIL", "verify_first", "no grant matches the tool call"),
}


@pytest.mark.parametrize("name", CASES)
def test_every_grant_outcome(name: str) -> None:
    grants, result, demands, reason = CASES[name]
    found = held(grants)
    assert (found.result, found.demands, found.reason) == (result, demands, reason)


@pytest.mark.parametrize("expires_at", [None, "", "soon", True, 1e400, ["2027-01-01"], {}])
def test_an_expiry_that_cannot_be_decided_takes_the_stricter_continuation(expires_at: Any) -> None:
    allow, block = held([grant(expires_at=expires_at)]), held([grant(decision="block", expires_at=expires_at)])
    assert (allow.result, allow.demands) == ("GATE_FAIL", "verify_first")
    assert allow.reason.startswith("exact grant g1, expiry unknown: ")
    assert (block.demands, block.reason) == ("block", "exact grant g1: block, expiry unknown")
    # Beside an allow that is certainly in force, a doubtful allow changes nothing and a doubtful block stands.
    assert held([grant(expires_at=expires_at), grant("sure")]).result == "GATE_PASS"
    assert held([grant("b", "block", expires_at), grant("sure")]).demands == "block"
    assert held([grant("v", "verify_first", expires_at), grant("sure")]).demands == "verify_first"


@pytest.mark.parametrize(
    ("expires_at", "as_of", "in_force"),
    [
        # Naive against aware: within 14 hours of as_of unknown, beyond it known.
        ("2026-06-03T13:00:00", NOW, UNKNOWN),
        ("2026-06-04T02:00:00", NOW, YES),
        ("2026-06-04T01:59:59", NOW, UNKNOWN),
        ("2026-06-02T21:59:59", NOW, NO),
        ("2026-06-03T13:00:00", "2026-06-03T12:00:00", YES),
        ("2026-06-03T11:00:00", "2026-06-03T12:00:00", NO),
        (1780487999, NOW, NO),  # 2026-06-03T11:59:59Z
        (1780488000, NOW, YES),
        (LATER, None, UNKNOWN),
    ],
)
def test_expiry(expires_at: Any, as_of: str | None, in_force: Trit) -> None:
    assert held([grant(expires_at=expires_at)], as_of).compared[0].in_force is in_force


def test_the_store_s_time_zone_decides_a_naive_expiry() -> None:
    # 20:59:59 in Seoul is 11:59:59 UTC, a second too early.
    found = compare_grants(CALL, [grant(expires_at="2026-06-03T20:59:59")], parse_time(NOW, "as_of"), "Asia/Seoul")
    assert found.reason == "exact but expired: g1"


def test_fields_are_compared_one_by_one_for_the_screen() -> None:
    found = held([grant("a", recipient="x"), grant("b"), "junk"])
    first, second, third = found.compared
    assert [(match.name, match.same) for match in first.fields] == [
        ("agent_id", YES),
        ("action_type", YES),
        ("target_resource", YES),
        ("recipient", NO),
        ("scope", YES),
    ]
    assert (first.exact, first.differing, first.decides) == (NO, ("recipient",), False)
    assert (second.exact, second.in_force, second.decides) == (YES, YES, True)
    assert (third.grant_id, third.exact, third.note) == ("grant 3", UNKNOWN, "grant 3 is 'junk', an object is expected")


@pytest.mark.parametrize(
    ("mine", "theirs", "same"), [(1, 1, YES), (1, "1", NO), (1, True, UNKNOWN), ([1], [1], UNKNOWN)]
)
def test_types_count(mine: Any, theirs: Any, same: Trit) -> None:
    found = held([grant(scope=theirs)], call={**CALL, "scope": mine})
    assert found.compared[0].fields[-1].same is same


def test_missing_on_both_sides_is_not_a_match() -> None:
    call = {name: value for name, value in CALL.items() if name != "recipient"}
    bare = {name: value for name, value in grant().items() if name != "recipient"}
    assert held([bare], call=call).result == "GATE_FAIL"


def ask(**fields: Any) -> Query:
    return Query({"id": "q", "text": "Go on.", "tool_call": CALL, "as_of": NOW, **fields}, Origin("here"))


def remember(**fields: Any) -> Memory:
    return Memory({"id": "m", "text": "t", **fields}, Origin("here"))


def test_the_final_action_is_the_stricter() -> None:
    allow, block = ask(grants=[grant()]), ask(grants=[grant(decision="block")])
    assert evaluate_gate(remember(allowed_action_hint="block"), allow, "grants").action == "block"
    assert evaluate_gate(remember(allowed_action_hint="block"), ask(), "grants").action == "block"
    assert evaluate_gate(remember(allowed_action_hint="warn"), ask(), "grants").action == "verify_first"
    assert evaluate_gate(remember(status="archived"), ask(), "grants").action == "verify_first"
    assert evaluate_gate(remember(), block, "grants").action == "block"
    passed = evaluate_gate(remember(), allow, "grants")
    assert (passed.result, passed.action) == ("GATE_PASS", "answer")


def test_layered_takes_grants_where_a_tool_call_is_recorded() -> None:
    governing = remember(governs={"action_types": ["execute"], "any_terms": ["nothing"]})
    with_call = evaluate_gate(governing, ask(grants=[grant()]))
    assert (with_call.applied, with_call.result, len(with_call.grants)) == ("grants", "GATE_PASS", 1)
    assert {"grants", "as_of"} <= {read.name for read in with_call.reads}
    without = evaluate_gate(governing, Query({"id": "q", "text": "Go on."}, Origin("here")))
    assert (without.applied, without.result, without.grants) == ("jurisdiction", "GATE_SKIP", ())
    # An empty tool call holds no operation: it is none.
    assert evaluate_gate(governing, ask(tool_call={})).applied == "jurisdiction"
    # One that is no object is recorded, and nothing can match it.
    odd = evaluate_gate(governing, ask(tool_call="execute", grants=[grant()]))
    assert (odd.applied, odd.result, odd.note) == (
        "grants",
        "GATE_FAIL",
        "tool_call is 'execute', an object is expected",
    )


def test_grants_mode_without_a_tool_call_skips() -> None:
    found = evaluate_gate(remember(), Query({"id": "q", "text": "Go on."}, Origin("here")), "grants")
    assert (found.result, found.action, found.note) == ("GATE_SKIP", "answer", "no tool call is recorded")


def test_malformed_governs_is_shown_and_grants_still_decide() -> None:
    found = evaluate_gate(remember(governs="execute"), ask(grants=[grant(scope="x")]), "grants")
    assert found.result == "GATE_FAIL"
    assert found.malformed == ("governs is a text ('execute'), an object is expected",)
    assert "malformed governs" in found.to_json()["note"]


def test_the_default_time_stands_in_for_a_missing_one() -> None:
    query = Query({"id": "q", "text": "Go on.", "tool_call": CALL, "grants": [grant()]}, Origin("here"))
    assert evaluate_gate(remember(), query).result == "GATE_FAIL"
    settings = Settings(default_as_of=parse_time(NOW, "as_of"))
    assert evaluate_gate(remember(), query, settings=settings).result == "GATE_PASS"
    assumed = Settings(assumptions={"query.as_of": NOW})
    assert evaluate_gate(remember(), query, settings=assumed).result == "GATE_PASS"
    # An as_of that is there and cannot be read is no invitation to take the default.
    unreadable = ask(grants=[grant()], as_of="soon")
    assert evaluate_gate(remember(), unreadable, settings=settings).result == "GATE_FAIL"
