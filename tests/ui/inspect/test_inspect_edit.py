"""Editing on the Inspect screen: fields, judgments, marks, bundle, rules, undo (DESIGN 10)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from inspector.records import ABSENT
from inspector.trit import Trit
from inspector.ui.screens.edit_field import EditFieldDialog
from inspector.ui.widgets.editor import FieldEditor
from inspector.ui.widgets.why import FlipChoice

OpenBench = Callable[..., AbstractAsyncContextManager[Any]]


async def at(b: Any, mi: int, column: str = "") -> None:
    """Put the cursor on a memory, and on a column."""
    b.screen.candidate_pane.show_memory(mi)
    if column:
        b.screen.candidate_pane.grid.move_cursor(column=column)
    await b.settle()


async def to_record_field(b: Any, name: str) -> None:
    """The Record tab, with the cursor on a field."""
    b.screen.detail.go_to("record", focus=True)
    await b.settle()
    reader = b.screen.record.reader
    key = next(item.key for item in reader.items if getattr(item.key, "name", "") == name)
    assert reader.go_to(key)
    await b.settle()


def says(b: Any) -> str:
    """What the open editor says below the value."""
    editor = b.app.screen.query_one(FieldEditor) if b.app.screen is not b.screen else b.screen.record.editor
    assert editor is not None
    return str(editor.query_one(".says").content)


async def test_edit_in_record_with_preview_and_undo(bench: OpenBench) -> None:
    async with bench() as b:
        await at(b, 3)  # m4: archived, so excluded
        await to_record_field(b, "status")
        await b.press("e")
        assert b.screen.record.editor is not None
        # "active" would make m4 current, and with scope and policy 1 the verdict admit.
        await b.press("ctrl+u")
        await b.write("active")
        assert "would give" in says(b)
        assert "0→1" in says(b)
        assert "✓ admit" in says(b)
        assert b.inspection.memories[3].get("status") == "archived"  # nothing is stored by a preview
        await b.press("enter")
        assert b.verdicts()["m4"] == "admit"
        assert b.screen.record.editor is None
        # Scope is 1 for q1 (ann's), 0 for q2 (bob's), ? for q3 (nobody's): exclude becomes admit, stays, unresolved.
        assert b.says.startswith("flips 2 verdicts in 2 queries: +1 admitted, −2 excluded, +1 unresolved")
        assert "0→1" in b.line(3)[6]
        assert "✗→✓ admit" in b.line(3)[7]
        text = b.screen.record.reader.plain()
        assert "was archived" in text
        assert "history of its edits" in text
        await b.press("C", "u")
        assert b.verdicts()["m4"] == "exclude"
        assert b.says.startswith("undone: ")
        await b.press("ctrl+r")
        assert b.verdicts()["m4"] == "admit"


async def test_invalid_value_is_refused_in_place(bench: OpenBench) -> None:
    async with bench() as b:
        await at(b, 0)
        await to_record_field(b, "valid_to")
        await b.press("e")
        await b.write("not a time")
        assert "✗" in says(b)
        assert "expected" in says(b)
        await b.press("enter")
        assert b.screen.record.editor is not None
        assert b.inspection.memories[0].get("valid_to") is ABSENT
        await b.press("escape")
        assert b.screen.record.editor is None
        assert b.inspection.edits() == []


async def test_time_steps_by_days(bench: OpenBench) -> None:
    async with bench() as b:
        await at(b, 0)
        await to_record_field(b, "created_at")
        await b.press("e", "up", "up", "down")
        assert "2025-12-31" in says(b)
        await b.press("enter")
        assert b.inspection.memories[0].get("created_at") == "2025-12-31"


async def test_absent_null_and_empty_are_three_keys(bench: OpenBench) -> None:
    async with bench() as b:
        await at(b, 0)
        await to_record_field(b, "namespace")
        for key, value in (("f2", ABSENT), ("f3", None), ("f4", "")):
            await b.press("e", key)
            assert "? unresolved" in says(b), key  # without an owner the scope is unknown
            await b.press("enter")
            assert b.inspection.memories[0].get("namespace") == value
            assert b.verdicts()["m1"] == "unresolved"
            await b.press("u")
            assert b.verdicts()["m1"] == "admit"


async def test_back_to_the_source(bench: OpenBench) -> None:
    async with bench() as b:
        b.inspection.edit("memory", [0], "status", "stale")
        await b.settle()
        await at(b, 0)
        await to_record_field(b, "status")
        await b.press("e")
        assert "the source has active" in says(b)
        await b.press("f5", "enter")
        assert b.inspection.memories[0].edits == {}
        b.inspection.edit("memory", [0], "status", "stale")
        await b.settle()
        await b.press("backspace")
        assert b.inspection.memories[0].edits == {}


async def test_known_words_are_offered_and_free_text_is_taken(bench: OpenBench) -> None:
    async with bench() as b:
        await at(b, 0)
        await to_record_field(b, "status")
        await b.press("e", "down")
        first = b.screen.record.editor.current()
        assert first == "current"  # "active" is chosen, "current" is the known word after it
        await b.press("ctrl+u")
        await b.press(*"odd")
        assert b.screen.record.editor.current() == "odd"
        await b.press("enter")
        assert b.inspection.memories[0].get("status") == "odd"
        assert b.verdicts()["m1"] == "unresolved"  # an unknown label says nothing of the state


async def test_picker_offers_what_the_axis_reads_first(bench: OpenBench) -> None:
    async with bench() as b:
        await at(b, 3, "lifecycle")
        await b.press("e")
        dialog = b.app.screen
        assert isinstance(dialog, EditFieldDialog)
        await b.write("stat")
        await b.press("enter")
        await b.press("ctrl+u")
        await b.write("current")
        assert "✓ admit" in says(b)
        await b.press("enter")
        assert b.app.screen is b.screen
        assert b.verdicts()["m4"] == "admit"


async def test_owner_column_edits_the_owner(bench: OpenBench) -> None:
    async with bench() as b:
        await at(b, 2, "owner")
        await b.press("e")
        await b.write("ann")
        await b.press("enter")
        assert b.inspection.memories[2].get("namespace") == "ann"
        assert b.verdicts()["m3"] == "admit"
        assert b.line(2)[2] == "✎ann"
        assert b.line(2)[1] == "✎m3"


async def test_marked_memories_are_edited_together(bench: OpenBench) -> None:
    async with bench() as b:
        b.screen.candidate_pane.grid.set_marks([1, 2])
        await at(b, 1, "owner")
        await b.press("e")
        assert "2 records hold 2 different values" in b.seen()
        await b.press("ctrl+a", "ctrl+k")
        await b.write("ann")
        await b.press("enter")
        assert b.verdicts()["m2"] == b.verdicts()["m3"] == "admit"
        await b.press("u")
        assert b.verdicts()["m2"] == "exclude"
        assert b.verdicts()["m3"] == "unresolved"


async def test_owner_that_is_taken_is_refused_in_the_dialog(bench: OpenBench) -> None:
    memories = [{"id": "m", "text": "tea", "namespace": "ann"}, {"id": "m", "text": "tea", "namespace": "bob"}]
    async with bench(memories) as b:
        await at(b, 1, "owner")
        await b.press("e", "ctrl+a", "ctrl+k")
        await b.write("ann")
        await b.press("enter")
        assert "another memory" in says(b)
        assert b.app.screen is not b.screen
        await b.press("escape")
        assert b.inspection.edits() == []


async def test_judgment_on_the_axis_under_the_cursor(bench: OpenBench) -> None:
    async with bench() as b:
        for key, verdict, sign in (("1", "admit", "1"), ("0", "exclude", "0"), ("full_stop", "unresolved", "?")):
            await at(b, 1, "scope")  # m2 belongs to bob
            await b.press(key)
            assert b.verdicts()["m2"] == verdict
            assert b.screen.why.reader.plain().count("judged") >= 1
            # Leave the query and come back: the old value is gone, the judgment's mark stays.
            await b.press("n", "p")
            assert b.line(1)[4] == f"{sign}✎"
        await at(b, 1, "scope")
        await b.press("minus")
        assert b.verdicts()["m2"] == "exclude"


async def test_judging_needs_an_axis(bench: OpenBench) -> None:
    async with bench() as b:
        await at(b, 1, "text")
        await b.press("1")
        assert b.inspection.edits() == []


async def test_flip_by_key_and_by_choosing(bench: OpenBench) -> None:
    async with bench() as b:
        await at(b, 2)  # no owner: the smallest edit gives it one
        await b.until(lambda: not b.screen.why.searching)
        await b.press("f")
        assert b.verdicts()["m3"] == "admit"
        await b.press("u")
        await b.until(lambda: not b.screen.why.searching)
        reader = b.screen.why.reader
        flip = next(i.key for i in reader.items if isinstance(i.key, FlipChoice) and i.key.target is Trit.NO)
        b.screen.detail.go_to("why", focus=True)
        reader.go_to(flip)
        await b.press("enter")
        assert b.verdicts()["m3"] == "exclude"


async def test_flip_when_the_tab_does_not_show_it(bench: OpenBench) -> None:
    async with bench() as b:
        await at(b, 0)
        b.screen.detail.go_to("trail")
        await b.settle()
        await b.press("f")
        assert b.verdicts()["m1"] == "exclude"


async def test_changes_stay_marked_until_looked_at(bench: OpenBench) -> None:
    async with bench() as b:
        # bob's tea becomes ann's: q1 (shown) and q2 change.
        b.inspection.edit("memory", [1], "namespace", "ann")
        await b.settle()
        assert b.screen.query_pane.row(0).changed
        assert b.screen.query_pane.row(1).changed
        assert b.line(1)[4] == "0→1"
        await b.press("n")
        assert not b.screen.query_pane.row(0).changed  # left, so looked at
        assert b.line(1)[4] == "1→0"
        await b.press("p")
        assert b.line(1)[4] == "1"


async def test_intent_cycles_and_verdicts_follow(bench: OpenBench) -> None:
    async with bench() as b:
        assert b.verdicts()["m4"] == "exclude"
        await b.press("i")  # history: archived fits
        assert b.verdicts()["m4"] == "admit"
        assert b.says.startswith("intent history: ")
        await b.press("i")  # unknown: archived is 0 for one and 1 for the other
        assert b.verdicts()["m4"] == "unresolved"
        await b.press("i")
        assert b.verdicts()["m4"] == "exclude"
        assert "✎" not in str(b.screen.bundle_bar.render())  # back at the source's value


async def test_as_of_is_scrubbed_along_the_events(bench: OpenBench) -> None:
    async with bench() as b:
        # Events: the four days of creation, and 2026-02-01. One step back is 2026-01-04.
        await b.press("left_square_bracket")
        assert b.inspection.queries[0].get("as_of") == "2026-01-04"
        assert "m4" in b.verdicts()
        await b.press("left_square_bracket")
        # On the 3rd m4 is not stored yet.
        assert set(b.verdicts()) == {"m1", "m2", "m3"}
        # That flips no verdict, and is no small thing either: one query has a candidate less.
        assert b.says.endswith("no verdict flips; candidates −1")
        await b.press("right_square_bracket")
        assert b.says.endswith("no verdict flips; candidates +1")
        assert "m4" in b.verdicts()
        await b.press("right_square_bracket", "right_square_bracket")
        assert b.says == "no later event in the store"


async def test_bundle_part_is_edited(bench: OpenBench) -> None:
    async with bench() as b:
        await b.press("b")
        assert b.screen.bundle_bar.has_focus
        assert b.screen.bundle_bar.key == "principal"
        await b.press("right")
        assert b.screen.bundle_bar.key == "purpose"
        await b.press("e")
        await b.write("care")
        await b.press("enter")
        assert b.inspection.queries[0].get("purpose") == "care"
        assert "✎" in str(b.screen.bundle_bar.render())
        await b.press("backspace")
        assert b.inspection.queries[0].edits == {}


async def test_principal_is_edited_as_json(bench: OpenBench) -> None:
    async with bench() as b:
        await at(b, 0)
        await b.press("b", "enter")
        editor = b.app.screen.query_one(FieldEditor)
        editor.query_one("SafeTextArea").text = '{"id": "bob", "namespaces": ["bob"]}'
        await b.settle()
        assert "✗ exclude" in says(b)
        await b.press("ctrl+s")
        assert b.verdicts() == {"m1": "exclude", "m2": "admit", "m3": "unresolved", "m4": "exclude"}


async def test_any_field_of_the_query(bench: OpenBench) -> None:
    async with bench() as b:
        await b.press("Q", "e")
        await b.write("requ")
        await b.press("enter")
        editor = b.app.screen.query_one(FieldEditor)
        editor.query_one("SafeTextArea").text = "m1\nm2"
        await b.press("ctrl+s")
        assert b.inspection.queries[0].get("required") == ["m1", "m2"]
        assert "(2 of 2)" in b.seen()


async def test_rules_are_cycled_and_typed(bench: OpenBench) -> None:
    async with bench() as b:
        await b.press("I")
        assert b.inspection.settings.isolation == "session"
        assert set(b.verdicts().values()) == {"unresolved", "exclude"}  # nothing has a session
        await b.press("u", "U")
        assert b.inspection.settings.unknown_intent == "strict"
        assert "unknown intent: strict" in b.seen() or b.screen.header.notices[0] == "unknown intent: strict"
        await b.press("A")
        await b.write("nonsense")
        await b.press("ctrl+s")
        assert "FIELD = VALUE is expected" in b.seen()
        await b.press("ctrl+u")
        await b.write("status = active")
        await b.press("ctrl+s")
        assert dict(b.inspection.settings.assumptions) == {"status": "active"}
        await b.press("L")
        await b.write("ann, bob")
        await b.press("ctrl+s")
        assert b.inspection.settings.aliases == (("ann", "bob"),)
        assert b.verdicts()["m2"] == "admit"


async def test_changes_made_elsewhere_are_shown(bench: OpenBench) -> None:
    async with bench() as b:
        await b.press("E")
        assert b.app.screen is not b.screen
        await b.press("escape")
        b.inspection.edit("memory", [2], "namespace", "ann")
        await b.settle()
        assert b.verdicts()["m3"] == "admit"
        b.inspection.revert_all()
        await b.settle()
        assert b.verdicts()["m3"] == "unresolved"
        assert b.says.startswith("reverted: ")


async def test_only_changed_rows_are_asked_for_again(bench: OpenBench, monkeypatch: pytest.MonkeyPatch) -> None:
    queries = [{"id": f"q{n}", "text": "tea", "principal": {"id": "ann", "namespaces": ["ann"]}} for n in range(40)]
    queries += [{"id": "last", "text": "milk", "principal": {"id": "bob", "namespaces": ["bob"]}}]
    async with bench(queries=queries) as b:
        asked: list[int] = []
        real = b.inspection.query_row

        def counting(qi: int) -> Any:
            asked.append(qi)
            return real(qi)

        monkeypatch.setattr(b.inspection, "query_row", counting)
        await at(b, 0, "scope")
        await b.press("0")  # a judgment is about one query
        assert set(asked) == {0}
