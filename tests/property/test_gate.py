"""What must hold of the gate for any records (issue: execution gate, done 5, and what the modes promise)."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from inspector.gate.action import AUTHORITY_HINTS, AUTHORITY_TYPES, PERMISSIVE, RANK, pre_action
from inspector.gate.attribution import attribution_of
from inspector.gate.coverage import coverage
from inspector.gate.evaluate import GateEngine, evaluate_gate, with_edits
from inspector.gate.gaps import offers
from inspector.gate.gate import MODES
from inspector.gate.governs import parse_governs
from inspector.gate.grants import GRANT_FIELDS, compare_grants
from inspector.records import ABSENT, ACTIONS, Memory, Origin, Query, Settings
from inspector.times import parse_time
from inspector.trit import Trit

LETTERS = st.text("ab_é결\x1b\u202e", max_size=6)


def run(examples: int) -> settings:
    """No time limits: the machine may be busy."""
    return settings(max_examples=examples, deadline=None, suppress_health_check=[HealthCheck.too_slow])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | LETTERS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(LETTERS, inner, max_size=3),
    max_leaves=6,
)
WORDS = st.sampled_from(["pay", "wire", "vpn", "결제", "합계", "pay invoice"])
TERMS = st.lists(WORDS, max_size=2)
GOOD_GOVERNS = st.fixed_dictionaries(
    {},
    optional={
        "any_terms": TERMS,
        "all_terms": TERMS,
        "excluded_terms": TERMS,
        "action_types": st.lists(st.sampled_from(["read", "write", "execute"]), max_size=3),
    },
)
ODD_GOVERNS = JSON | st.fixed_dictionaries(
    {}, optional={"any_terms": JSON, "action_types": JSON | st.lists(JSON, max_size=2), "excluded_terms": JSON}
)
HINTS = st.sampled_from([*ACTIONS, "refuse", "", None])
GOOD_FIELDS = {
    "status": st.sampled_from(["active", "current", "superseded", "archived", "", None]),
    "memory_type": st.sampled_from(["fact", "policy", "credential", "correction", None]),
    "allowed_action_hint": HINTS,
    "verification_required": st.booleans() | st.none(),
    "epistemic_status": st.sampled_from(["settled", "unresolved", "contested", None]),
    "contradiction_count": st.integers(0, 4) | st.none(),
    "sensitivity": st.sampled_from(["low", "high", None]),
}
ODD_FIELDS = {name: good | JSON for name, good in GOOD_FIELDS.items()}
TEXTS = st.sampled_from(["Pay the invoice", "What is the VPN password?", "카드결제를 취소해 줘", "합계를 알려 줘", ""])
CALL = dict.fromkeys(GRANT_FIELDS, "x")
GRANT = st.fixed_dictionaries(
    {name: st.sampled_from(["x", "x", "x", "y"]) for name in GRANT_FIELDS},
    optional={
        "grant_id": st.text(max_size=3),
        "decision": st.sampled_from(["allow", "block", "verify_first", "other", None]),
        "expires_at": st.sampled_from(
            ["2026-01-01T00:00:00Z", "2026-01-03T00:00:00Z", "2026-01-02T01:00:00", "soon", None]
        ),
    },
)
GRANTS = st.lists(GRANT, max_size=4)
AS_OF = "2026-01-02T00:00:00Z"


def memories(fields: dict[str, st.SearchStrategy[Any]], governs: st.SearchStrategy[Any]) -> st.SearchStrategy[Memory]:
    return st.fixed_dictionaries({}, optional={**fields, "governs": governs}).map(
        lambda drawn: Memory({"id": "m", "text": "t", **drawn}, Origin("here"))
    )


def queries(call: st.SearchStrategy[Any], grants: st.SearchStrategy[Any]) -> st.SearchStrategy[Query]:
    optional = {"expected_action": HINTS, "tool_call": call, "grants": grants, "as_of": st.just(AS_OF)}
    return st.builds(
        lambda text, drawn: Query({"id": "q", "text": text, **drawn}, Origin("here")),
        TEXTS,
        st.fixed_dictionaries({}, optional=optional),
    )


GOOD_CALL = st.fixed_dictionaries({name: st.sampled_from(["x", "x", "y", "read", "execute"]) for name in GRANT_FIELDS})
MEMORIES = memories(GOOD_FIELDS, GOOD_GOVERNS | ODD_GOVERNS)
QUERIES = queries(GOOD_CALL, GRANTS)
MODE = st.sampled_from(MODES)
RAISED = st.one_of(
    st.just({"verification_required": True}),
    st.sampled_from(AUTHORITY_TYPES).map(lambda word: {"memory_type": word}),
    st.sampled_from(AUTHORITY_HINTS).map(lambda word: {"allowed_action_hint": word}),
    st.sampled_from(["unresolved", "contested"]).map(lambda word: {"epistemic_status": word}),
    st.integers(2, 9).map(lambda count: {"contradiction_count": count}),
)


@given(MEMORIES, QUERIES, MODE, RAISED)
@run(400)
def test_raising_an_authority_signal_never_makes_the_final_action_permissive(
    memory: Memory, query: Query, mode: Any, raised: dict[str, Any]
) -> None:
    # A correction that becomes a policy has lost a signal, not gained one: only a field without one can be raised.
    assume(all(memory.value(name) not in (*AUTHORITY_TYPES, *AUTHORITY_HINTS) for name in raised))
    before = evaluate_gate(memory, query, mode).action
    after = evaluate_gate(with_edits(memory, raised), query, mode).action
    assert before in PERMISSIVE or after not in PERMISSIVE


@given(MEMORIES, QUERIES, MODE)
@run(400)
def test_removing_governs_never_turns_a_skip_into_a_pass(memory: Memory, query: Query, mode: Any) -> None:
    before = evaluate_gate(memory, query, mode).result
    after = evaluate_gate(with_edits(memory, {"governs": ABSENT}), query, mode).result
    assert not (before == "GATE_SKIP" and after == "GATE_PASS")


@given(memories(ODD_FIELDS, ODD_GOVERNS), queries(GOOD_CALL | JSON, GRANTS | JSON), MODE)
@run(400)
def test_the_gate_never_raises_and_never_lowers_a_rank(memory: Memory, query: Query, mode: Any) -> None:
    found = evaluate_gate(memory, query, mode)
    assert RANK[found.action] >= RANK[found.pre_action]
    assert found.escalated == (RANK[found.action] > RANK[found.pre_action])
    if found.malformed:
        assert found.attribution != "GOVERNED"
        if found.applied != "grants":
            assert found.result == "GATE_SKIP"
            assert "malformed governs" in found.note
    if found.attribution == "UNATTRIBUTABLE":
        assert found.action in PERMISSIVE
    found.to_json()


@given(MEMORIES, QUERIES, QUERIES, MODE, MODE)
@run(400)
def test_attribution_is_a_function_of_final_action_record_and_expectation(
    memory: Memory, query: Query, other: Query, mode: Any, other_mode: Any
) -> None:
    found = evaluate_gate(memory, query, mode)
    assert (found.attribution, found.attribution_note) == attribution_of(
        memory, found.action, query.value("expected_action")
    )
    other.edits["expected_action"] = query.get("expected_action")
    again = evaluate_gate(memory, other, other_mode)
    if again.action == found.action:
        assert again.attribution == found.attribution


@given(st.lists(MEMORIES, min_size=1, max_size=4), st.lists(QUERIES, min_size=1, max_size=3), MODE, RAISED)
@run(150)
def test_the_engine_gives_what_the_plain_path_gives_before_and_after_an_edit(
    store: list[Memory], asked: list[Query], mode: Any, raised: dict[str, Any]
) -> None:
    engine = GateEngine(store, asked, Settings(), mode)

    def check() -> None:
        for qi, query in enumerate(asked):
            for mi, memory in enumerate(store):
                assert engine.cell(qi, mi) == evaluate_gate(memory, query, mode)

    check()
    store[0].edits.update(raised)
    asked[0].edits["text"] = "Send the wire"
    engine.update_memories([0])
    engine.update_queries([0])
    check()


@given(GRANTS, st.randoms(use_true_random=False))
@run(400)
def test_the_order_of_grants_means_nothing_and_only_an_exact_allow_passes(grants: list[Any], random: Any) -> None:
    as_of = parse_time(AS_OF, "as_of")
    found = compare_grants(CALL, grants, as_of)
    shuffled = list(grants)
    random.shuffle(shuffled)
    again = compare_grants(CALL, shuffled, as_of)
    assert (again.result, again.demands) == (found.result, found.demands)
    exact = [grant for grant in found.compared if grant.exact is Trit.YES and grant.in_force is not Trit.NO]
    if found.result == "GATE_PASS":
        assert {grant.decision for grant in exact} == {"allow"}
        assert any(grant.in_force is Trit.YES for grant in exact)
    if any(grant.decision == "block" for grant in exact):
        assert found.demands == "block"


@given(st.lists(memories(ODD_FIELDS, ODD_GOVERNS), max_size=6))
@run(150)
def test_every_record_stands_in_one_cell(store: list[Memory]) -> None:
    found = coverage(store)
    everyone = sorted(index for cell in found.cells for index in cell.memories)
    assert everyone == list(range(len(store)))
    for cell in found.cells:
        assert set(cell.declared_not_enforced) <= set(cell.memories)
        assert set(cell.cannot_fire) <= set(cell.memories)
        assert cell.protection.authority or not cell.declared_not_enforced
        assert cell.protection.governs or not cell.cannot_fire
        for index in cell.declared_not_enforced:
            assert pre_action(store[index]).row == 7
    for index, _ in found.malformed:
        assert parse_governs(store[index].get("governs")).malformed


@given(memories(ODD_FIELDS, ODD_GOVERNS), QUERIES, MODE)
@run(200)
def test_an_offer_changes_what_it_says_and_nothing_else(memory: Memory, query: Query, mode: Any) -> None:
    kept = dict(memory.edits)
    for offer in offers(memory, query, mode):
        assert offer.words
        after = evaluate_gate(with_edits(memory, offer.edits), query, mode)
        assert (after.action, after.result, after.attribution) == (
            offer.after.action,
            offer.after.result,
            offer.after.attribution,
        )
        assert offer.before.action in PERMISSIVE or offer.after.action not in PERMISSIVE
        if "governs" in offer.edits:
            assert not parse_governs(offer.edits["governs"]).malformed
    assert memory.edits == kept
