"""Malformed governs, the coverage map, and what would close a gap (DESIGN 7), worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.errors import FieldError
from inspector.gate.coverage import Protection, coverage, standing_of
from inspector.gate.evaluate import evaluate_gate
from inspector.gate.gaps import offers, try_edits
from inspector.gate.governs import make_governs, parse_governs
from inspector.records import ABSENT, Memory, Origin, Query


def memory(memory_id: str = "m", **fields: Any) -> Memory:
    return Memory({"id": memory_id, "text": "t", **fields}, Origin("here"))


QUERY = Query({"id": "q", "text": "Pay invoice 4492", "expected_action": "verify_first"}, Origin("here"))

DEEP: list[Any] = []
for _ in range(5_000):
    DEEP = [DEEP]

MALFORMED: list[tuple[Any, str]] = [
    (None, "governs is null, an object is expected"),
    ("execute", "governs is a text ('execute'), an object is expected"),
    (["execute"], "governs is a list, an object is expected"),
    ([], "governs is a list, an object is expected"),
    (7, "governs is a number (7), an object is expected"),
    (True, "governs is true, an object is expected"),
    ({"action_types": "execute"}, "action_types is a text ('execute'), a list of texts is expected"),
    ({"action_types": None}, "action_types is null, a list of texts is expected"),
    ({"action_types": {"execute": True}}, "action_types is an object, a list of texts is expected"),
    ({"action_types": [["execute"]]}, "action_types holds a list, texts are expected"),
    ({"action_types": [None]}, "action_types holds null, texts are expected"),
    ({"action_types": ["fly"]}, "action_types: 'fly' is no known operation, one of read, write, execute is expected"),
    (
        {"action_types": ["execute", "Write"]},
        "action_types: 'Write' is no known operation, one of read, write, execute is expected",
    ),
    ({"action_types": ["execute"], "any_terms": "pay"}, "any_terms is a text ('pay'), a list of texts is expected"),
    ({"action_types": ["execute"], "all_terms": [4492]}, "all_terms holds a number (4492), texts are expected"),
    ({"action_types": ["execute"], "excluded_terms": [DEEP]}, "excluded_terms holds a list, texts are expected"),
    (DEEP, "governs is a list, an object is expected"),
]


@pytest.mark.parametrize(("value", "fault"), MALFORMED)
@pytest.mark.parametrize("mode", ["self_description", "jurisdiction", "layered"])
@pytest.mark.parametrize("hint", ["answer", "block"])
def test_malformed_governs_skips_with_its_fault(value: Any, fault: str, mode: Any, hint: str) -> None:
    found = evaluate_gate(memory(governs=value, allowed_action_hint=hint), QUERY, mode)
    assert (found.result, found.action) == ("GATE_SKIP", hint)
    assert found.malformed == (fault,)
    assert found.note == f"malformed governs: {fault}"
    assert found.attribution in ("UNATTRIBUTABLE", "AUTHORITY_ONLY")  # never GOVERNED
    assert found.coverage_cell.governs is False


def test_every_fault_is_named() -> None:
    found = parse_governs({"any_terms": "pay", "action_types": ["fly", "swim"]})
    assert [fault.partition(" ")[0] for fault in found.faults] == ["any_terms", "action_types:", "action_types:"]


@pytest.mark.parametrize("value", [ABSENT, {}, {"action_types": []}, {"excluded_terms": ["x"]}, {"other": 1}])
def test_absent_and_empty_are_not_malformed_and_not_present(value: Any) -> None:
    found = parse_governs(value)
    assert (found.malformed, found.present) == (False, False)


@pytest.mark.parametrize("value", [{"any_terms": ["x"]}, {"all_terms": ["x"]}, {"action_types": ["read"]}])
def test_any_of_the_three_lists_makes_governs_present(value: Any) -> None:
    assert parse_governs(value).present


def test_unknown_keys_and_wordless_terms_are_said_and_not_read() -> None:
    found = evaluate_gate(memory(governs={"action_types": ["execute"], "any_terms": ["--"], "owner": 1}), QUERY)
    assert found.result == "GATE_FAIL"
    assert "governs ignores key 'owner'" in found.action_notes
    assert "governs ignores any_terms: '--' holds no word" in found.action_notes


BLOCK = {"any_terms": ["pay"], "action_types": ["execute"]}
STORE = [
    memory("none"),
    memory("none-sensitive", sensitivity="high"),
    memory("none-low", sensitivity="low"),
    memory("none-pii", sensitivity="pii"),
    memory("authority", verification_required=True),
    memory("policy", memory_type="policy", sensitivity="high"),  # authority, yet row 7 decides
    memory("governs", governs=BLOCK, sensitivity="high"),
    memory("governs-read", governs={"action_types": ["read"]}),
    memory("governs-terms", governs={"any_terms": ["pay"]}),
    memory("both", governs=BLOCK, verification_required=True),
    memory("both-hint", governs={"action_types": ["read"]}, allowed_action_hint="warn"),
    memory("malformed", governs="execute", verification_required=True),
    memory("null", governs=None),
]


def test_the_four_cells_and_the_two_counts() -> None:
    found = coverage(STORE)
    names = [stored.id for stored in STORE]

    def ids(indices: tuple[int, ...]) -> list[str]:
        return [names[index] for index in indices]

    assert [cell.protection.value for cell in found.cells] == [
        "none",
        "retrieval-time only",
        "gate rescues",
        "full chain",
    ]
    none, retrieval, rescues, full = found.cells
    assert ids(none.memories) == ["none", "none-sensitive", "none-low", "none-pii", "null"]
    assert ids(retrieval.memories) == ["authority", "policy", "malformed"]
    assert ids(retrieval.declared_not_enforced) == ["policy"]
    assert ids(rescues.memories) == ["governs", "governs-read", "governs-terms"]
    assert ids(rescues.cannot_fire) == ["governs-read", "governs-terms"]
    assert ids(full.memories) == ["both", "both-hint"]
    assert ids(full.declared_not_enforced) == ["both-hint"]
    assert ids(full.cannot_fire) == ["both-hint"]
    assert (
        none.declared_not_enforced == none.cannot_fire == retrieval.cannot_fire == rescues.declared_not_enforced == ()
    )
    assert ids(found.sensitive_with_neither) == ["none-sensitive", "none-pii"]
    assert [names[index] for index, _ in found.malformed] == ["malformed", "null"]
    assert found.total == len(STORE)
    assert found.cell(Protection.FULL_CHAIN) is full


def test_the_map_as_json() -> None:
    store = [memory("a", namespace=["t", "u"], memory_type="policy"), memory("b", governs=3, sensitivity="high")]
    found = coverage(store).to_json(store)
    assert found["memories"] == 2
    assert found["cells"][1] == {
        "protection": "retrieval-time only",
        "governs": False,
        "authority": True,
        "count": 1,
        "declared_but_not_enforced": [{"namespace": ["t", "u"], "id": "a"}],
        "gate_cannot_fire": [],
        "memories": [{"namespace": ["t", "u"], "id": "a"}],
    }
    assert found["sensitive_with_neither"] == [{"namespace": None, "id": "b"}]
    assert found["malformed_governs"] == [
        {"namespace": None, "id": "b", "reason": "governs is a number (3), an object is expected"}
    ]


def test_a_bare_memory_is_offered_governs_and_authority() -> None:
    bare = memory(retrieval_terms=["pay", "invoice"])
    made = {offer.title: offer for offer in offers(bare, QUERY)}
    assert next(iter(made)) == "add a governs block and require verification"
    both = made["add a governs block and require verification"]
    assert both.closes
    assert both.edits == {
        "governs": {
            "any_terms": ["pay", "invoice"],
            "all_terms": [],
            "excluded_terms": [],
            "action_types": ["execute", "write"],
        },
        "verification_required": True,
    }
    assert both.words == (
        "protection: none → full chain",
        "pre-gate action: answer → verify_first",
        "gate: GATE_SKIP → GATE_PASS",
        "final action: answer → verify_first",
        "attribution: UNATTRIBUTABLE → GOVERNED",
    )
    governs = made["add a governs block"]
    assert not governs.closes
    assert governs.words == (
        "protection: none → gate rescues",
        "gate: GATE_SKIP → GATE_FAIL",
        "final action: answer → verify_first",
        "attribution: UNATTRIBUTABLE → DEFAULT",
    )
    assert made["block by hint"].words[-1] == "attribution: UNATTRIBUTABLE → AUTHORITY_ONLY"
    assert bare.edits == {}


def test_a_block_that_cannot_fire_or_be_read_is_offered_a_mend() -> None:
    terms = {"any_terms": ["pay"], "note": "kept"}
    mended = next(offer for offer in offers(memory(governs=terms)) if offer.title.startswith("add execute"))
    assert mended.edits["governs"] == {**terms, "action_types": ["execute", "write"]}
    assert "gate cannot fire: no longer" in mended.words
    broken = {"any_terms": "pay", "action_types": [["Execute"], "fly"]}
    repaired = next(offer for offer in offers(memory(governs=broken)) if offer.title == "repair the governs block")
    assert repaired.edits["governs"] == {
        "any_terms": ["pay"],
        "all_terms": [],
        "excluded_terms": [],
        "action_types": ["execute"],
    }


def test_nothing_is_offered_where_nothing_is_open() -> None:
    assert offers(memory(governs=BLOCK, verification_required=True)) == ()
    declared = memory(governs=BLOCK, memory_type="policy")
    assert standing_of(declared).declared_not_enforced
    assert [offer.title for offer in offers(declared) if offer.closes] == [
        "require verification",
        "block by hint",
        "mark as unresolved",
    ]


def test_a_form_being_filled_in_is_tried_and_checked() -> None:
    block = make_governs(["execute"], ["pay"])
    before, after, words = try_edits(memory(), {"governs": block}, QUERY)
    assert (before.action, after.action) == ("answer", "verify_first")
    assert words[0] == "protection: none → gate rescues"
    with pytest.raises(FieldError, match="fly"):
        make_governs(["fly"])
