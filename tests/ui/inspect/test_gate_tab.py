"""The gate on the Inspect screen: column, query line, mode, tab, live edits, offers and the short form (issue 4)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from inspector.ui.screens.ask import AskDialog
from inspector.ui.screens.edit_field import EditFieldDialog
from inspector.ui.screens.gate_form import GovernsDialog
from inspector.ui.widgets.gate_items import OfferChoice
from inspector.ui.widgets.why import FieldChoice

OpenBench = Callable[..., AbstractAsyncContextManager[Any]]
EXECUTE = {"any_terms": ["invoice"], "all_terms": [], "excluded_terms": [], "action_types": ["execute"]}


def memory(memory_id: str, text: str, **fields: Any) -> dict[str, Any]:
    own = {"namespace": "ann", "status": "active", "created_at": "2026-01-01"}
    return {"id": memory_id, "text": text, **own, **fields}


#: All share the word "pay". m1 governs execute over invoices without authority; m2 must be verified; m3 is another's;
#: m4 is sensitive, and its governs is malformed.
MEMORIES = [
    memory("m1", "pay pay pay invoices on friday", governs=EXECUTE),
    memory("m2", "pay by transfer", verification_required=True),
    memory("m3", "pay in cash", namespace="bob"),
    memory("m4", "pay late fees", governs="execute", sensitivity="high"),
]
ASKS = {"principal": {"id": "ann", "namespaces": ["ann"]}, "intent": "current", "as_of": "2026-02-01"}
QUERIES: list[dict[str, Any]] = [
    {"id": "q1", "text": "pay the invoice", "expected_action": "verify_first", "required": ["m1"], **ASKS},
    {"id": "q2", "text": "when do we pay", "expected_action": "answer", "required": ["m1"], **ASKS},
]


def gate_cell(b: Any, mi: int) -> str:
    keys = [column.key for column in b.screen.candidate_pane.grid.columns]
    found: str = b.line(mi)[keys.index("gate")]
    return found


async def to_gate(b: Any) -> str:
    """Go into the Gate tab; its text."""
    b.screen.detail.go_to("gate", focus=True)
    await b.settle()
    text: str = b.screen.gate.reader.plain()
    return text


async def test_column_says_result_action_and_who_decides(bench: OpenBench) -> None:
    async with bench(MEMORIES, QUERIES) as b:
        # By hand: m1 governs execute and would answer: GATE_FAIL, verify_first; it ranks first and is admitted, so it
        # decides. m2 has no governs: GATE_SKIP, and its own action is verify_first. m4's governs is malformed: skipped.
        assert gate_cell(b, 0) == "◆✗↑verify_first"
        assert gate_cell(b, 1) == " – verify_first"
        assert gate_cell(b, 3) == " – answer"


async def test_query_line_says_mode_actions_and_attribution(bench: OpenBench) -> None:
    async with bench(MEMORIES, QUERIES) as b:
        text = b.screen.bundle_bar.copy_text()
        assert "gate layered" in text
        assert "gate answer → verify_first ✗ GATE_FAIL" in text
        # Row 7 decides, and the final action is not permissive: DEFAULT.
        assert "DEFAULT" in text
        assert "◆ m1 (layered: jurisdiction)" in text
        assert "action as expected" in text


async def test_mode_key_goes_round_for_the_whole_store(bench: OpenBench) -> None:
    async with bench(MEMORIES, QUERIES) as b:
        await b.press("n")  # q2 asks nothing of invoices: outside m1's jurisdiction
        assert gate_cell(b, 0) == "◆– answer"
        await b.press("a")
        assert b.inspection.gate.mode == "self_description"
        assert gate_cell(b, 0) == "◆✗↑verify_first"
        # q1 is verify_first in both modes, q2 moves from answer to verify_first.
        assert "the final action is another one in 1 of 2 queries" in b.says
        for mode in ("jurisdiction", "grants", "layered"):
            await b.press("a")
            assert b.inspection.gate.mode == mode
        assert gate_cell(b, 0) == "◆– answer"


async def test_mode_is_chosen_at_the_bundle(bench: OpenBench) -> None:
    async with bench(MEMORIES, QUERIES) as b:
        await b.press("b")
        b.screen.bundle_bar.go_to("gate")
        await b.press("enter")
        assert isinstance(b.app.screen, AskDialog)
        assert "layered  (now)" in b.seen()
        await b.press("enter")  # the first of the list
        assert b.inspection.gate.mode == "self_description"


async def test_sort_puts_the_strictest_first(bench: OpenBench) -> None:
    async with bench(MEMORIES, QUERIES) as b:
        b.screen.candidate_pane.sort("gate")
        actions = [row.gate.action for row in b.screen.candidate_pane.list.shown]
        assert actions == ["verify_first", "verify_first", "answer", "answer"]


async def test_enter_on_the_column_shows_the_tab(bench: OpenBench) -> None:
    async with bench(MEMORIES, QUERIES) as b:
        b.screen.candidate_pane.grid.move_cursor(column="gate")
        await b.press("enter")
        assert b.screen.detail.active == "gate"
        assert b.screen.gate.reader.has_focus


async def test_tab_names_what_authorised_the_action(bench: OpenBench) -> None:
    async with bench(MEMORIES, QUERIES) as b:
        text = await to_gate(b)
        for words in (
            "✗ GATE_FAIL  answer → verify_first  ◆ decides",
            "by row 7",
            "allowed_action_hint:answer",
            "no allowed_action_hint: default answer",
            "↑ made stricter by the gate",
            # The expectation is risky and the pre-gate action permissive.
            "as expected; without the gate false certainty",
            "execute  inferred from “pay”: shown, and never skips the gate",
            "gate rescues  governs present × authority absent",
            "▸ 7 else → the hint, default answer",
            "any_terms       invoice",
        ):
            assert words in text, words


async def test_rows_after_the_deciding_one_are_not_reached(bench: OpenBench) -> None:
    async with bench(MEMORIES, QUERIES) as b:
        b.screen.candidate_pane.show_memory(1)
        await b.settle()
        text = await to_gate(b)
        assert "by row 4" in text
        lines = text.split("\n")
        assert any(line.startswith(" ▸ 4") and "applied" in line for line in lines)
        assert any(line.startswith("   5") and "not reached" in line for line in lines)
        assert "another candidate decides this query" in text


async def test_malformed_governs_is_named_and_skips(bench: OpenBench) -> None:
    async with bench(MEMORIES, QUERIES) as b:
        b.screen.candidate_pane.show_memory(3)
        await b.settle()
        text = await to_gate(b)
        assert "– GATE_SKIP" in text
        assert "✗ governs is a text ('execute'), an object is expected" in text
        assert "repair the governs block" in text
        assert "sensitive, with neither governs nor authority" in text


CALL = {
    "agent_id": "a",
    "action_type": "execute",
    "target_resource": "invoice/1",
    "recipient": "shop",
    "scope": "single",
}


def grant(grant_id: str, **changes: Any) -> dict[str, Any]:
    return {"grant_id": grant_id, **CALL, "expires_at": "2026-03-01", "decision": "allow", **changes}


async def test_grants_are_compared_field_by_field(bench: OpenBench) -> None:
    grants = [grant("old", expires_at="2026-01-15"), grant("other", recipient="bank"), grant("good")]
    query = {**QUERIES[0], "tool_call": CALL, "grants": grants, "expected_action": "answer"}
    async with bench(MEMORIES, [query]) as b:
        # By hand: "old" is exact and expired at 2026-02-01, "other" differs in recipient, "good" is exact and in force.
        assert gate_cell(b, 0) == "◆✓ answer"
        text = await to_gate(b)
        assert "old  allow  exact, expired" in text
        assert "other  allow  differs, in force" in text
        assert "≠ call shop  grant bank" in text
        assert "good  allow  exact, in force  ◆ decides" in text
        assert "execute  recorded in the tool call" in text
        assert "layered: grants" in text


async def test_an_edit_in_the_tab_moves_action_and_marks_it(bench: OpenBench) -> None:
    async with bench(MEMORIES, QUERIES) as b:
        await to_gate(b)
        assert b.screen.gate.reader.go_to(FieldChoice("memory", "allowed_action_hint", "row 3"))
        await b.press("e")
        assert isinstance(b.app.screen, EditFieldDialog)
        await b.write("block")
        # What the value would do is said before it is stored.
        assert "pre-gate action: answer → block" in b.seen()
        assert b.inspection.memories[0].value("allowed_action_hint") is None
        await b.press("enter")
        assert b.inspection.memories[0].value("allowed_action_hint") == "block"
        assert gate_cell(b, 0) == "◆✓ verify_first→block"
        assert "moves 2 gate actions" in b.says  # in both queries
        assert "by row 3" in b.screen.gate.reader.plain()
        await b.press("u")
        # Back where it was: one edit after the other is marked alone, and this one moved block to verify_first.
        assert gate_cell(b, 0) == "◆✗ block→verify_first"


async def test_a_field_of_the_query_is_edited_in_the_tab(bench: OpenBench) -> None:
    async with bench(MEMORIES, QUERIES) as b:
        await to_gate(b)
        assert b.screen.gate.reader.go_to(FieldChoice("query", "expected_action", "expected"))
        await b.press("enter", "ctrl+u")
        await b.write("answer")
        await b.press("enter")
        assert b.inspection.queries[0].value("expected_action") == "answer"
        assert "overblocking" in b.screen.gate.reader.plain()
        await b.press("backspace")
        assert b.inspection.queries[0].value("expected_action") == "verify_first"


async def test_offers_are_applied_as_one_step(bench: OpenBench) -> None:
    async with bench(MEMORIES, QUERIES) as b:
        b.screen.candidate_pane.show_memory(3)
        await b.settle()
        await to_gate(b)
        first = b.screen.gate.offers[0]
        assert first.closes  # repair the block and require verification
        assert set(first.edits) == {"governs", "verification_required"}
        await b.press("f")
        stored = b.inspection.memories[3]
        assert stored.value("verification_required") is True
        assert stored.value("governs")["action_types"] == ["execute", "write"]
        assert "full chain" in b.screen.gate.reader.plain()
        assert "nothing is open" in b.screen.gate.reader.plain()
        await b.press("f")
        assert "nothing is open" in b.says
        await b.press("u")
        assert not b.inspection.memories[3].edits


async def test_enter_applies_the_offer_under_the_cursor(bench: OpenBench) -> None:
    async with bench(MEMORIES, QUERIES) as b:
        await to_gate(b)
        titles = [offer.title for offer in b.screen.gate.offers]
        at = titles.index("mark as unresolved")
        assert b.screen.gate.reader.go_to(OfferChoice(at))
        await b.press("enter")
        assert b.inspection.memories[0].value("epistemic_status") == "unresolved"


async def test_short_form_previews_refuses_saves_and_undoes(bench: OpenBench) -> None:
    async with bench(MEMORIES, QUERIES) as b:
        b.screen.candidate_pane.show_memory(1)
        await b.settle()
        await b.press("F")
        assert isinstance(b.app.screen, GovernsDialog)
        assert "nothing changed yet" in b.seen()
        await b.write("execute, fly")
        assert "'fly' is no known operation" in b.seen()
        await b.press("enter")
        assert isinstance(b.app.screen, GovernsDialog)  # refused in place
        assert not b.inspection.memories[1].edits
        await b.press("ctrl+u")
        await b.write("execute")
        await b.press("tab")
        await b.write('invoice, "late, fees"')
        assert "protection: retrieval-time only → full chain" in b.seen()
        await b.press("ctrl+s")
        assert b.inspection.memories[1].value("governs") == {
            "any_terms": ["invoice", "late, fees"],
            "all_terms": [],
            "excluded_terms": [],
            "action_types": ["execute"],
        }
        await b.press("u")
        assert not b.inspection.memories[1].edits


async def test_short_form_sets_authority_by_known_words(bench: OpenBench) -> None:
    async with bench(MEMORIES, QUERIES) as b:
        await b.press("F", "tab", "tab", "tab", "tab", "down")
        assert b.app.screen.typed()["verification_required"] == "true"
        await b.press("enter")
        assert b.inspection.memories[0].value("verification_required") is True
        assert b.inspection.memories[0].value("governs") == EXECUTE  # left as it was


async def test_escape_leaves_all_as_it_is(bench: OpenBench) -> None:
    async with bench(MEMORIES, QUERIES) as b:
        await b.press("F")
        await b.write("write")
        await b.press("escape")
        assert b.app.screen is b.screen
        assert not b.inspection.memories[0].edits


HOSTILE = "\x1b]2;x\x07[/foo][@click=app.quit]\u202e"


async def test_hostile_values_stay_inert(bench: OpenBench) -> None:
    governs = {"any_terms": [HOSTILE], "action_types": ["execute"], HOSTILE: 1}
    memories = [memory("m1", "pay", governs=governs, allowed_action_hint=HOSTILE, memory_type=HOSTILE)]
    query = {**QUERIES[0], "tool_call": {**CALL, "agent_id": HOSTILE}, "grants": [grant(HOSTILE, scope=HOSTILE)]}
    async with bench(memories, [query]) as b:
        await to_gate(b)
        plain = b.screen.gate.reader.plain()
        for sign in ("\x1b", "\x07", "\u202e"):
            assert sign not in b.seen()
            assert sign not in plain
        assert "[/foo][@click=app.quit]" in plain
        await b.press("F")
        assert "\x1b" not in b.seen()
        assert "␛" in b.seen()


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_tab_and_form_fit_every_size(bench: OpenBench, size: tuple[int, int]) -> None:
    async with bench(MEMORIES, QUERIES, size=size) as b:
        await to_gate(b)
        assert "✗ GATE_FAIL" in b.seen()
        assert "pre-gate action" in b.seen()
        await b.press("F")
        assert "action_types" in b.seen()
        assert "status" in b.seen()
        assert "nothing changed yet" in b.seen()


async def test_no_queries(bench: OpenBench) -> None:
    async with bench(MEMORIES, []) as b:
        b.screen.detail.go_to("gate", focus=True)
        await b.press("f", "F", "a")
        assert b.app.screen is b.screen
        assert "no candidate under the cursor" in b.screen.gate.reader.plain()
