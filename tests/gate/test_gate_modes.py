"""Truth tables of the gate and of attribution, jurisdiction, operations, and who decides (DESIGN 7), by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.errors import InputError
from inspector.gate.attribution import attribution_of
from inspector.gate.decides import deciding
from inspector.gate.evaluate import GateEngine, evaluate_gate
from inspector.gate.gate import Mode, Result
from inspector.gate.operation import read_lexicon, requested_operation, with_lexicons
from inspector.gate.summary import summarise
from inspector.records import Memory, Origin, Query, Settings
from inspector.trit import NO, UNKNOWN, YES, Trit


def memory(**fields: Any) -> Memory:
    return Memory({"id": "m", "text": "t", **fields}, Origin("here"))


def query(text: str = "Pay invoice 4492", **fields: Any) -> Query:
    return Query({"id": "q", "text": text, **fields}, Origin("here"))


def governs(types: list[str], **terms: list[str]) -> dict[str, list[str]]:
    return {"any_terms": [], "all_terms": [], "excluded_terms": [], "action_types": types, **terms}


#: governs, hint, result, final action.
SELF: list[tuple[Any, str, Result, str]] = [
    (None, "answer", "GATE_SKIP", "answer"),
    (governs([], any_terms=["pay"]), "answer", "GATE_SKIP", "answer"),
    (governs([], any_terms=["pay"]), "block", "GATE_SKIP", "block"),
    (governs(["execute"]), "answer", "GATE_FAIL", "verify_first"),
    (governs(["write"]), "answer_context", "GATE_FAIL", "verify_first"),
    (governs(["read", "write"]), "answer", "GATE_FAIL", "verify_first"),
    (governs(["execute"]), "warn", "GATE_PASS", "warn"),
    (governs(["execute", "read"]), "block", "GATE_PASS", "block"),
    (governs(["execute"]), "archive_only", "GATE_PASS", "archive_only"),
    (governs(["read"]), "answer", "GATE_PASS", "answer"),
    (governs(["read"]), "answer_context", "GATE_PASS", "answer_context"),
    (governs(["read"]), "warn", "GATE_WARN", "warn"),
    (governs(["read"]), "verify_first", "GATE_WARN", "verify_first"),
    (governs(["read"]), "archive_only", "GATE_WARN", "archive_only"),
]


@pytest.mark.parametrize("mode", ["self_description", "jurisdiction", "layered"])
@pytest.mark.parametrize(("block", "hint", "result", "action"), SELF)
def test_every_row_of_self_description(mode: Mode, block: Any, hint: str, result: Result, action: str) -> None:
    fields = {} if block is None else {"governs": block}
    found = evaluate_gate(memory(allowed_action_hint=hint, **fields), query(), mode)
    assert (found.result, found.action, found.pre_action) == (result, action, hint)
    assert found.escalated is (result == "GATE_FAIL")


ATTRIBUTION: list[tuple[dict[str, Any], str, str | None, str]] = [
    ({"verification_required": True, "governs": governs(["execute"])}, "verify_first", "block", "GOVERNED"),
    ({"verification_required": True, "governs": governs(["execute"])}, "verify_first", None, "GOVERNED"),
    ({"verification_required": True}, "verify_first", "block", "AUTHORITY_ONLY"),
    ({"status": "archived"}, "archive_only", "answer", "AUTHORITY_ONLY"),
    # Malformed governs is not present: it governs nothing.
    ({"verification_required": True, "governs": "execute"}, "verify_first", "block", "AUTHORITY_ONLY"),
    # Excluded terms alone do not make governs present.
    (
        {"verification_required": True, "governs": governs([], excluded_terms=["x"])},
        "verify_first",
        "block",
        "AUTHORITY_ONLY",
    ),
    ({}, "answer", "warn", "UNATTRIBUTABLE"),
    ({}, "answer_context", "verify_first", "UNATTRIBUTABLE"),
    ({"governs": governs(["read"])}, "answer", "block", "UNATTRIBUTABLE"),
    ({}, "answer", "answer", "DEFAULT"),
    ({}, "answer", "archive_only", "DEFAULT"),
    ({"governs": governs(["execute"])}, "verify_first", "block", "DEFAULT"),
    ({}, "answer", None, "DEFAULT"),
    ({}, "answer", "refuse", "DEFAULT"),
]


@pytest.mark.parametrize(("fields", "final", "expected", "status"), ATTRIBUTION)
def test_every_row_of_attribution(fields: dict[str, Any], final: Any, expected: str | None, status: str) -> None:
    found, note = attribution_of(memory(**fields), final, expected)
    assert found == status
    unranked = expected in (None, "refuse") and "verification_required" not in fields
    assert note.startswith("cannot be UNATTRIBUTABLE: no expected action") is unranked


#: terms, text, inside.
JURISDICTION: list[tuple[dict[str, list[str]], str, bool]] = [
    ({}, "anything at all", True),
    ({"any_terms": ["invoice", "wire"]}, "Pay invoice 4492", True),
    ({"any_terms": ["invoices"]}, "Pay invoice 4492", False),  # whole tokens
    ({"any_terms": ["voice"]}, "Pay invoice 4492", False),
    ({"any_terms": ["INVOICE"]}, "pay Invoice", True),  # folded
    ({"any_terms": ["pay invoice"]}, "Pay   invoice 4492", True),
    ({"any_terms": ["pay 4492"]}, "Pay invoice 4492", False),  # consecutive words
    ({"any_terms": ["vendor_wire"]}, "the vendor wire", True),
    ({"all_terms": ["pay", "4492"]}, "Pay invoice 4492", True),
    ({"all_terms": ["pay", "wire"]}, "Pay invoice 4492", False),
    ({"any_terms": ["pay"], "all_terms": ["wire"]}, "Pay invoice 4492", False),
    ({"any_terms": ["pay"], "excluded_terms": ["invoice"]}, "Pay invoice 4492", False),
    ({"excluded_terms": ["invoice"]}, "Pay invoice 4492", False),
    ({"excluded_terms": ["wire"]}, "Pay invoice 4492", True),
    # A term without a word asks nothing and excludes nothing.
    ({"any_terms": ["--"], "all_terms": ["?"], "excluded_terms": ["!"]}, "hello", True),
    # Korean: particles follow the word, compounds hold it; Latin inside a Korean word is found whole.
    ({"any_terms": ["결제"]}, "카드결제를 취소해 줘", True),
    ({"any_terms": ["vpn"]}, "VPN을 알려 줘", True),
    ({"any_terms": ["vpn 비밀번호"]}, "VPN의 비밀번호가 뭐야?", True),
    ({"any_terms": ["vp"]}, "VPN을 알려 줘", False),
    ({"excluded_terms": ["합계"]}, "합계를 알려 줘", False),
    ({"excluded_terms": ["합계"]}, "비합계를 알려 줘", True),
    ({"any_terms": ["密码"]}, "数据库密码是什么", True),
]


@pytest.mark.parametrize(("terms", "text", "inside"), JURISDICTION)
def test_jurisdiction(terms: dict[str, list[str]], text: str, inside: bool) -> None:
    found = evaluate_gate(memory(governs=governs(["execute"], **terms)), query(text), "jurisdiction")
    assert found.result == ("GATE_FAIL" if inside else "GATE_SKIP")
    assert found.note.startswith("outside jurisdiction") is not inside
    assert found.action == ("verify_first" if inside else "answer")
    # Self-description does not ask: the noise that jurisdiction closes.
    assert (
        evaluate_gate(memory(governs=governs(["execute"], **terms)), query(text), "self_description").result
        == "GATE_FAIL"
    )


def test_the_tool_call_counts_as_asked() -> None:
    asked = query(
        "Go ahead.", tool_call={"action_type": "execute", "target_resource": "vendor_wire", "n": {"x": [4492]}}
    )
    for term, inside in (("wire", True), ("4492", True), ("target_resource", False)):
        found = evaluate_gate(memory(governs=governs(["execute"], any_terms=[term])), asked, "jurisdiction")
        assert found.result == ("GATE_FAIL" if inside else "GATE_SKIP"), term


@pytest.mark.parametrize(
    ("types", "asked", "result"),
    [
        (["execute"], "execute", "GATE_FAIL"),
        (["execute"], "read", "GATE_SKIP"),
        (["execute"], "write", "GATE_SKIP"),
        (["read"], "execute", "GATE_SKIP"),
        (["read", "execute"], "read", "GATE_FAIL"),
        # Whether an unknown word is among them is unknown, and unknown never skips.
        (["execute"], "Execute", "GATE_FAIL"),
        (["execute"], "delete", "GATE_FAIL"),
        (["execute"], None, "GATE_FAIL"),
        (["execute"], ["read"], "GATE_FAIL"),
    ],
)
def test_other_operations_skip_only_where_recorded_and_known(types: list[str], asked: Any, result: Result) -> None:
    found = evaluate_gate(memory(governs=governs(types)), query(tool_call={"action_type": asked}), "jurisdiction")
    assert found.result == result
    assert found.note.startswith("governs other operations") is (result == "GATE_SKIP")


def test_an_inferred_operation_is_shown_and_never_skips() -> None:
    found = evaluate_gate(memory(governs=governs(["execute"])), query("What is the password?"), "jurisdiction")
    assert (found.operation.name, found.operation.words, found.inferred) == ("read", ("what",), True)
    assert (found.result, found.action) == ("GATE_FAIL", "verify_first")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Can you process the payment for invoice 4492?", "execute"),
        ("What are the database credentials?", "read"),
        ("Mark the note as done", "write"),
        ("Show me the list and send it", "execute"),  # most at stake
        ("그 비밀번호 알려 줘", "read"),
        ("계약서를 수정해 줘", "write"),
        ("고객에게 메일을 보내 줘", "execute"),
        ("hmm", None),
    ],
)
def test_the_operation_is_inferred_from_the_words(text: str, name: str | None) -> None:
    found = requested_operation(query(text))
    assert (found.name, found.source) == (name, "none" if name is None else "query")


def test_a_recorded_operation_is_taken_as_it_is() -> None:
    found = requested_operation(query("What is it?", tool_call={"action_type": "write"}))
    assert (found.name, found.source, found.inferred) == ("write", "tool_call", False)
    odd = requested_operation(query("What is it?", tool_call={"action_type": "WRITE"}))
    assert (odd.name, odd.inferred, odd.note) == ("read", True, "the tool call has an unknown action_type ('WRITE')")
    assert requested_operation(query("x", tool_call=["write"])).note.startswith("tool_call is a list")


def test_a_user_s_lexicon_replaces_that_of_its_language(tmp_path: Path) -> None:
    english = tmp_path / "mine.toml"
    english.write_text('language = "en"\n[operations]\nexecute = ["zap"]\n[risk]\nhigh = ["x"]\n', encoding="utf-8")
    other = tmp_path / "risk.toml"
    other.write_text('language = "en"\n[risk]\nhigh = ["x"]\n', encoding="utf-8")
    chosen = with_lexicons([english, other])
    assert requested_operation(query("zap it"), chosen).name == "execute"
    assert requested_operation(query("send it"), chosen).name is None
    assert requested_operation(query("메일을 보내 줘"), chosen).name == "execute"
    assert read_lexicon(other) is None


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("= nonsense", ""),
        ("[operations]\nread = []\n", "language"),
        ('language = "en"\noperations = 1\n', "operations"),
        ('language = "en"\n[operations]\nfly = ["x"]\n', "operations.fly"),
        ('language = "en"\n[operations]\nread = "x"\n', "operations.read"),
        ('language = "en"\n[operations]\nread = [1]\n', "operations.read"),
        ('language = "en"\n[operations]\nread = ["--"]\n', "operations.read"),
        ('language = "en"\n[operations]\nread = ["x"]\nwrite = ["X"]\n', "operations.write"),
    ],
)
def test_a_faulty_lexicon_is_refused_with_its_place(tmp_path: Path, text: str, field: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_lexicon(path)
    assert (caught.value.problem.file, caught.value.problem.field) == (str(path), field)
    with pytest.raises(InputError):
        read_lexicon(tmp_path / "missing.toml")
    (tmp_path / "latin.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError):
        read_lexicon(tmp_path / "latin.toml")


@pytest.mark.parametrize(
    ("mode", "verdicts", "rule", "position"),
    [
        ("self_description", [NO, YES], "admit", 0),
        ("layered", [NO, UNKNOWN, YES], "admit", 2),
        ("layered", [NO, UNKNOWN, YES], "unresolved", 1),
        ("jurisdiction", [NO, NO], "unresolved", None),
        ("grants", [UNKNOWN], "admit", None),
        ("self_description", [], "admit", None),
    ],
)
def test_which_candidate_decides(mode: Mode, verdicts: list[Trit], rule: Any, position: int | None) -> None:
    assert deciding(mode, verdicts, rule) == position


def test_the_engine_marks_one_and_follows_edits() -> None:
    memories = [memory(governs=governs(["execute"])), memory(verification_required=True)]
    queries = [query(expected_action="verify_first")]
    engine = GateEngine(memories, queries, Settings())
    shown = engine.evaluate(0, [0, 1], [NO, YES])
    assert [(result.action, result.decides) for result in shown] == [("verify_first", False), ("verify_first", True)]
    assert shown[0] == evaluate_gate(memories[0], queries[0])

    memories[1].edits["verification_required"] = False
    engine.update_memories([1])
    after = engine.cell(0, 1)
    assert (after.action, after.attribution, after.authorizing.name) == (
        "answer",
        "UNATTRIBUTABLE",
        "allowed_action_hint",
    )
    queries[0].edits["expected_action"] = "answer"
    engine.update_queries([0])
    assert engine.cell(0, 1).attribution == "DEFAULT"
    with pytest.raises(ValueError, match="verdict"):
        engine.evaluate(0, [0], [])


def test_the_json_object_has_the_fields_of_the_contract() -> None:
    found = evaluate_gate(memory(governs=governs(["execute"])), query())
    assert found.to_json() == {
        "pre_action": "answer",
        "result": "GATE_FAIL",
        "action": "verify_first",
        "attribution": "DEFAULT",
        "authorized_by": "allowed_action_hint:answer",
        "note": "governs execute, and answer is permissive: escalated to verify_first; "
        "no allowed_action_hint: default answer; cannot be UNATTRIBUTABLE: no expected action",
        "decides": False,
    }
    assert [read.name for read in found.reads][-3:] == ["governs", "expected_action", "tool_call"]


def test_the_summary_counts_with_and_without_the_gate() -> None:
    def decided(hint: str, expected: str | None, block: Any = None) -> Any:
        fields = {} if block is None else {"governs": block}
        asked = query() if expected is None else query(expected_action=expected)
        return evaluate_gate(memory(allowed_action_hint=hint, **fields), asked, "self_description")

    summary = summarise(
        [
            decided("answer", "verify_first", governs(["execute"])),  # false certainty, escalated to what is expected
            decided("answer", "block", governs(["execute"])),  # false certainty, then a downgrade miss
            decided("answer", "answer", governs(["write"])),  # as expected, then overblocking
            decided("answer", "warn"),  # false certainty both times
            decided("warn", "block"),  # downgrade miss both times
            decided("answer", None),
            None,
        ]
    ).to_json()
    assert (summary["queries"], summary["undecided"], summary["not_compared"], summary["escalations"]) == (7, 1, 1, 3)
    assert summary["results"] == {"GATE_PASS": 0, "GATE_FAIL": 3, "GATE_WARN": 0, "GATE_SKIP": 3}
    assert summary["attributions"] == {"GOVERNED": 0, "AUTHORITY_ONLY": 0, "DEFAULT": 5, "UNATTRIBUTABLE": 1}
    without, with_gate = summary["without_gate"], summary["with_gate"]
    assert (without["as_expected"], without["false_certainty"]) == (1, 3)
    assert (without["downgrade_misses"], without["overblocking"]) == (1, 0)
    assert (with_gate["as_expected"], with_gate["false_certainty"]) == (1, 1)
    assert (with_gate["downgrade_misses"], with_gate["overblocking"]) == (2, 1)
    assert without["actions"]["answer"] == 5
    assert with_gate["actions"] == {
        "archive_only": 0,
        "answer_context": 0,
        "answer": 2,
        "warn": 1,
        "verify_first": 3,
        "block": 0,
    }
