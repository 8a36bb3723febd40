"""Transitions by hand in the UI: which are offered, which refused and why, cause, query, undo (DESIGN 9; issue 7)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from inspector.boundaries import read_at
from inspector.errors import FieldError
from inspector.ui import veil
from inspector.ui.screens import transition
from inspector.ui.screens.store import StoreScreen
from inspector.ui.screens.transition import TransitionDialog
from inspector.ui.widgets.grid import Grid
from inspector.ui.widgets.inputs import SafeInput

OpenBench = Callable[..., AbstractAsyncContextManager[Any]]
MARKED: list[dict[str, Any]] = [
    {"id": "m1", "text": "tea", "namespace": "ann", "status": "active", "created_at": "2026-01-01"},
    {
        "id": "m2",
        "text": "tea",
        "namespace": "ann",
        "created_at": "2026-01-01",
        "boundary_log": [
            {"state": "forgotten", "at": "2026-01-10", "cause": "asked"},
            {"state": "quarantined", "at": "2026-01-20", "cause": "forged"},
        ],
    },
    {
        "id": "m3",
        "text": "tea [red]x[/red]",
        "namespace": "ann",
        "created_at": "2026-01-01",
        "boundary_log": [{"state": "archived", "at": "2026-01-10", "cause": "\x1b]0;x\x07"}],
    },
]
ASKS = {"principal": {"id": "ann", "namespaces": ["ann"]}, "intent": "current"}
QUERIES: list[dict[str, Any]] = [{"id": "q1", "text": "which tea", "as_of": "2026-02-01", **ASKS}]


def dialog(b: Any) -> TransitionDialog:
    shown = b.app.screen
    assert isinstance(shown, TransitionDialog)
    return shown


def logs(b: Any) -> list[Any]:
    return [memory.value("boundary_log") for memory in b.inspection.memories]


async def test_five_verbs_with_where_they_lead_or_why_not(bench: OpenBench) -> None:
    async with bench(MARKED, QUERIES) as b:
        mi = b.screen.mi
        assert b.inspection.memories[mi].id == "m1"
        await b.press("M")
        seen = b.seen()
        for words in ("active → archived", "active → forgotten", "active → quarantined", "it is already active"):
            assert words in seen, words
        assert "it is active, not quarantined: there is nothing to release" in seen
        assert "m1  active" in seen
        await b.press("escape")
        assert b.app.screen is b.screen
        assert logs(b)[0] is None


async def test_archive_with_cause_and_query_then_undo(bench: OpenBench) -> None:
    async with bench(MARKED, QUERIES) as b:
        assert b.verdicts()["m1"] == "admit"
        await b.press("M", "shift+tab", "shift+tab")
        assert b.app.focused.id == "line-cause"
        await b.write("the tea is over")
        await b.press("enter", "enter")
        assert b.app.screen is b.screen
        assert logs(b)[0] == [
            {"state": "archived", "at": "2026-02-01", "cause": "the tea is over", "query_id": "q1"},
        ]
        # The lifecycle axis reads the state at as_of: archived does not fit a current question.
        assert b.verdicts()["m1"] == "exclude"
        assert b.says.startswith("archived m1: flips 1 verdict in 1 query")
        await b.press("u")
        assert b.verdicts()["m1"] == "admit"
        assert logs(b)[0] is None


async def test_a_released_memory_that_was_forgotten_is_never_active(bench: OpenBench) -> None:
    async with bench(MARKED, QUERIES) as b:
        b.screen.candidate_pane.grid.move_cursor(key=1)
        await b.press("M")
        assert "quarantined → forgotten" in b.seen()
        assert "it can only be released, to forgotten, or forgotten" in b.seen()
        dialog(b).query_one(Grid).move_cursor(key="release")
        await b.press("enter")
        assert [mark["state"] for mark in logs(b)[1]] == ["forgotten", "quarantined", "forgotten"]
        assert b.verdicts()["m2"] == "exclude"


async def test_what_is_refused_is_said_and_not_done(bench: OpenBench) -> None:
    async with bench(MARKED, QUERIES) as b:
        await b.press("M")
        dialog(b).query_one(Grid).move_cursor(key="resume")
        await b.press("enter")
        assert isinstance(b.app.screen, TransitionDialog)
        assert "✗ resume: it is already active" in b.seen()
        assert not b.inspection.active_edits


async def test_time_and_query_are_checked_where_they_are_typed(bench: OpenBench) -> None:
    async with bench(MARKED, QUERIES) as b:
        await b.press("M")
        at = dialog(b).query_one("#line-at", SafeInput)
        at.value = "2025-12-01"
        await b.settle()
        assert "it was not stored before 2026-01-01T00:00:00: give a later time" in b.seen()
        at.value = "soon"
        await b.settle()
        assert "'soon' is not a time" in b.seen()
        at.value = "2026-02-01"
        dialog(b).query_one("#line-query", SafeInput).value = "nobody"
        await b.settle()
        assert "no query has the id 'nobody'" in b.seen()


async def test_marked_memories_move_together_or_not_at_all(bench: OpenBench) -> None:
    async with bench(MARKED, QUERIES) as b:
        await b.press("o")
        assert isinstance(b.app.screen, StoreScreen)
        await b.press("space", "down", "space", "M")
        # m1 is active and m3 archived (m2 lies between them): resume and archive do not fit both.
        assert "2 of 2: m1: it is active, not quarantined" in b.seen()
        assert "1 of 2: m3: it is already archived" in b.seen()
        assert "active → quarantined (1), archived → quarantined (1)" in b.seen()
        dialog(b).query_one(Grid).move_cursor(key="quarantine")
        await b.press("enter")
        assert [log[-1]["state"] for log in (logs(b)[0], logs(b)[2])] == ["quarantined", "quarantined"]
        assert "quarantined 2 memories: " in b.seen()
        await b.press("u")
        assert logs(b)[0] is None
        assert len(logs(b)[2]) == 1


async def test_a_lane_is_moved_where_it_is_seen(bench: OpenBench) -> None:
    tagged = [{**one, "session_id": "s", "semantic_tag": "t"} for one in MARKED[:1]]
    async with bench(tagged, [{**QUERIES[0], "session_id": "s", "semantic_tag": "t"}]) as b:
        await b.press("o", "4")
        screen = b.app.screen
        await b.until(lambda: screen.lanes.run is not None)
        screen.lanes.grid.move_cursor(key=0)
        await b.press("M", "enter")
        await b.until(lambda: "archived" in b.seen())
        # At the store's own time, after the query that would resume it.
        assert logs(b)[0] == [{"state": "archived", "at": "2026-02-01", "cause": "the task boundary moved away"}]


async def test_many_memories_are_tried_in_a_thread(bench: OpenBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transition, "_AT_ONCE", 0)
    async with bench(MARKED, QUERIES) as b:
        await b.press("M")
        await b.until(lambda: "active → archived" in b.seen())
        await b.press("enter")
        assert logs(b)[0][-1]["state"] == "archived"


def test_how_a_time_is_typed() -> None:
    assert read_at(" 1767225600 ", None) == 1767225600
    assert read_at("1767225600.5", None) == 1767225600.5
    assert read_at("20260101", None) == "20260101"  # a date, as ISO 8601 writes it without hyphens
    assert str(read_at("now", None)).endswith("Z")
    with pytest.raises(FieldError, match="no time is given"):
        read_at("  ", None)


async def test_where_a_mark_lies_after_the_query_a_time_that_fits_is_proposed(bench: OpenBench) -> None:
    """The question is of 5 January; m3's mark of the 10th stands after it: nothing can be added before that."""
    early = [{**QUERIES[0], "as_of": "2026-01-05"}]
    async with bench(MARKED[2:], early) as b:
        await b.press("M")
        assert dialog(b).query_one("#line-at", SafeInput).value == "2026-01-10"
        seen = " ".join(b.seen().split())
        assert "archived → active" in seen
        assert "after the query's as_of 2026-01-05T00:00:00" in seen
        dialog(b).query_one("#line-at", SafeInput).value = "2026-01-05"
        await b.settle()
        assert "the past is not rewritten, give that time or a later one" in dialog(b).copy_text()
    async with bench(MARKED[2:], QUERIES) as b:
        await b.press("M")
        assert dialog(b).query_one("#line-at", SafeInput).value == "2026-02-01"
        assert not dialog(b).query("#later")


async def test_a_hostile_id_of_the_query_stands_inert_in_its_line_and_is_still_meant(bench: OpenBench) -> None:
    hostile = "q1\x1b]0;x\x07\u202e[/foo]"
    async with bench(MARKED, [{**QUERIES[0], "id": hostile}], size=(200, 40)) as b:
        await b.press("M")
        line = dialog(b).query_one("#line-query", SafeInput).value
        assert line.startswith("q1")
        for seen in (line, b.seen()):
            assert not {"\x1b", "\x07", "\u202e"} & set(seen)
        await b.press("enter")
        assert b.app.screen is b.screen
        assert logs(b)[0][0]["query_id"] == hostile


async def test_a_redacted_id_of_the_query_is_a_token_in_its_line_and_is_still_meant(bench: OpenBench) -> None:
    secret = "call of Marguerite"
    try:
        async with bench(MARKED, [{**QUERIES[0], "id": secret}], size=(120, 40)) as b:
            veil.redact(on=True)
            veil.set_veil(lambda text: text.replace(secret, "⟨7⟩"))
            await b.press("M")
            line = dialog(b).query_one("#line-query", SafeInput).value
            assert line == "⟨7⟩"
            await b.press("enter")
            assert b.app.screen is b.screen
            assert logs(b)[0][0]["query_id"] == secret
    finally:
        veil.redact(on=False)


async def test_a_tiny_terminal_shows_what_the_focus_is_on(bench: OpenBench) -> None:
    async with bench(MARKED, QUERIES, size=(40, 10)) as b:
        await b.press("M")
        assert "archive" in b.seen()
        await b.press("tab")
        assert b.app.focused.id == "line-at"
        assert "2026-02-01" in b.seen()
        await b.press("escape", "x", "enter")
        assert b.app.focused.id == "file"
        assert ".md" in b.seen()
