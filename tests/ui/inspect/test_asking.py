"""Questions typed in on the Inspect screen: the dialog, the worker, undo, cancel, a store without queries."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from inspector.errors import Cancelled
from inspector.records import Progress
from inspector.ui.screens.ask_query import AskQueryDialog
from inspector.ui.widgets.inputs import SafeInput

OpenBench = Callable[..., Any]


def line(bench: Any, name: str) -> SafeInput:
    found = bench.app.screen.query_one(f"#line-{name}", SafeInput)
    assert isinstance(found, SafeInput)
    return found


def seen_queries(bench: Any) -> list[str]:
    return [row.query_id for row in bench.screen.query_pane.list.rows]


async def test_a_store_without_queries_leads_to_the_question(bench: OpenBench) -> None:
    async with bench(queries=[], size=(80, 24)) as made:
        assert "no queries in this store: + asks one" in made.seen()
        await made.press("plus")
        assert isinstance(made.app.screen, AskQueryDialog)
        await made.write("which tea")
        await made.press("tab")
        await made.write("ann")
        assert line(made, "owns").value == "ann"  # the store's namespace that names her
        await made.press("tab", "tab", "down")
        assert line(made, "intent").value == "current"
        await made.press("enter")
        await made.until(lambda: not made.screen.busy and bool(made.screen.candidate_pane.list.rows))
        # m1 is hers and current; m2 is bob's; m3 says no owner; m4 is archived
        assert made.verdicts() == {"m1": "admit", "m2": "exclude", "m3": "unresolved", "m4": "exclude"}
        assert made.says == "asked ask-1: which tea"
        await made.press("u")
        assert seen_queries(made) == []
        assert "no queries in this store" in made.seen()
        await made.press("ctrl+r")
        await made.until(lambda: not made.screen.busy and bool(made.screen.candidate_pane.list.rows))
        assert seen_queries(made) == ["ask-1"]


async def test_the_next_question_is_asked_by_the_same_and_taken_away_by_key(bench: OpenBench) -> None:
    async with bench() as made:
        await made.press("n", "plus")
        assert (line(made, "principal").value, line(made, "owns").value) == ("bob", "bob")
        await made.write("black or white")
        await made.press("ctrl+s")
        await made.until(lambda: not made.screen.busy and len(seen_queries(made)) == 4)
        await made.until(lambda: made.screen.qi == 3)
        assert made.verdicts()["m2"] == "admit"
        await made.press("Q", "home", "backspace")
        assert len(seen_queries(made)) == 4  # the source's own stays
        await made.press("end", "backspace")
        assert seen_queries(made) == ["q1", "q2", "q3"]
        assert made.screen.qi in (0, 2)


async def test_words_that_are_the_users_own_are_not_proposed_over(bench: OpenBench) -> None:
    async with bench(queries=[]) as made:
        await made.press("plus", "tab")
        await made.write("an")
        assert line(made, "owns").value == ""
        assert "type the question" in made.seen()
        await made.write("n")
        assert line(made, "owns").value == "ann"
        await made.press("tab")
        await made.write(", bob")
        await made.press("shift+tab")
        await made.write("x")
        assert line(made, "owns").value == "ann, bob"
        await made.press("tab")
        await made.write(", [")
        line(made, "text").value = "\x1b]2;x\x07[/foo]"
        await made.settle()
        assert "is no list of texts" in made.seen()
        await made.press("enter")
        assert isinstance(made.app.screen, AskQueryDialog)
        line(made, "owns").value = ""
        await made.press("enter")
        await made.until(lambda: not made.screen.busy and seen_queries(made) == ["ask-1"])
        assert "\x1b" not in made.seen()


async def test_a_cancelled_question_is_taken_back(bench: OpenBench, monkeypatch: pytest.MonkeyPatch) -> None:
    async with bench(queries=[]) as made:
        begun = threading.Event()

        def slow(on_progress: Any, cancelled: Callable[[], bool]) -> None:
            on_progress(Progress("encoding memories", 1, 4, "texts"))
            begun.set()
            while not cancelled():
                threading.Event().wait(0.01)
            raise Cancelled("stopped")

        monkeypatch.setattr(made.inspection, "rank_asked", slow)
        await made.press("plus")
        await made.write("which tea")
        await made.press("enter")
        await made.until(begun.is_set)
        await made.until(lambda: "encoding memories" in made.says)
        await made.press("escape")
        await made.until(lambda: not made.screen.busy)
        await made.settle()
        assert seen_queries(made) == []
        assert not made.inspection.unranked
        assert "took ask-1 away" in made.says
