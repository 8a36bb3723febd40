"""The tabs Trail, Prompt and Answer, the way to a proving memory, and stages that are being worked out (DESIGN 8)."""

from __future__ import annotations

from typing import Any

import pytest

from inspector import audited
from inspector.ui.widgets.cells import Piece
from inspector.ui.widgets.marked import Mark, excerpt, mark_text
from inspector.ui.widgets.signs import stage

TOML = 'exported_at = "2026-02-01T12:00:00Z"\n'
AT = {"created_at": "2026-01-01T00:00:00Z"}
#: ann's two, bob's one, one that says no owner; each with words of its own.
MEMORIES: list[dict[str, Any]] = [
    {"id": "own-tea", "text": "green tea every single morning at seven", "namespace": "ann", "status": "active", **AT},
    {"id": "own-cup", "text": "the blue cup stands on the upper shelf", "namespace": "ann", "status": "active", **AT},
    {
        "id": "bobs-tea",
        "text": "bob hides black tea behind the old piano",
        "namespace": "bob",
        "status": "active",
        **AT,
    },
    {"id": "lost-pot", "text": "a chipped pot without any owner at all", "status": "active", **AT},
]
ASK = {"principal": {"id": "ann", "namespaces": ["ann"]}, "intent": "current", "as_of": "2026-02-01T12:00:00Z"}


def told(id: str = "q1", **recorded: Any) -> dict[str, Any]:
    """A query of ann with a trace of four retrieved, three of them exposed, and an answer that tells bob's."""
    base: dict[str, Any] = {
        "events": [
            {
                "name": "search",
                "at": "2026-02-01T12:00:01Z",
                "filter": {"user": "ann"},
                "score_kind": "similarity",
                "retrieved": [{"id": "own-tea", "score": 0.9}, {"id": "bobs-tea", "score": 0.8}, {"id": "lost-pot"}],
            },
            {
                "name": "rerank",
                "kind": "rerank",
                "retrieved": [{"id": "own-tea"}, {"id": "gone-note"}],
                "dropped": [{"id": "lost-pot"}],
            },
        ],
        "exposed": ["own-tea", "bobs-tea"],
        "prompt": "\n".join(("Notes:", f"- {MEMORIES[0]['text']}", f"- {MEMORIES[2]['text']}", "which?")),
        "answer": "Well: bob hides black tea behind the old piano.",
    }
    return {"id": id, "text": "which tea is it", **ASK, "required": ["own-tea"], "recorded": {**base, **recorded}}


def plain(bench: Any, tab: str) -> str:
    """The whole of a tab as it stands."""
    shown = bench.screen.detail.tab(tab)
    return str(shown.copy_text())


async def to_tab(bench: Any, tab: str) -> None:
    bench.screen.detail.go_to(tab, focus=True)
    await bench.settle()


@pytest.mark.parametrize(
    ("text", "marks", "shown"),
    [
        ("abc def", [], "abc def"),
        ("abc def", [Mark(4, 7, "1")], "abc ⟦1 def⟧"),
        ("abc def", [Mark(0, 5, "1"), Mark(4, 7, "2")], "⟦1 abc ⟧⟦1,2 d⟧⟦2 ef⟧"),
        ("한지우 1203호", [Mark(4, 9, "1")], "한지우 ⟦1 1203호⟧"),
        ("a\x1b[31mb", [Mark(1, 3, "1")], "a⟦1 ␛[⟧31mb"),
        ("[red]x[/]", [Mark(0, 99, "1")], "[red]x[/]"),
    ],
)
def test_marked_text(text: str, marks: list[Mark], shown: str) -> None:
    assert mark_text(text, marks).plain == shown


def test_excerpt_keeps_what_is_around() -> None:
    text = "x" * 100 + " secret " + "y" * 100
    assert excerpt(text, [Mark(101, 107, "1")], 5).plain == "… xxxx ⟦1 secret⟧ yyyy …"
    assert excerpt("short", []).plain == "short"


async def test_prompt_beside_ours(bench: Any) -> None:
    async with bench(MEMORIES, [told()], toml=TOML) as made:
        await to_tab(made, "prompt")
        said = plain(made, "prompt")
        assert "of 3 retrieved: 1 with admit alone, 2 with unresolved" in said
        assert "✓ own-tea ◂ this one  matched exact, by id, line 2" in said
        assert "✗ bobs-tea  matched exact, by id, line 3; ours leaves it out: verdict exclude" in said
        assert "? lost-pot  not in the recorded prompt; ours leaves it out: verdict unresolved" in said
        assert "- ⟦1 green tea every single morning at seven⟧\n- ⟦2 bob hides black tea" in said
        # let through: the unresolved one comes in, and both counts stay; then order, then the budget.
        await made.press("right")
        assert made.inspection.let_through == "unresolved"
        assert "? lost-pot  not in the recorded prompt\n" in plain(made, "prompt")
        assert "lets admit and unresolved through" in made.says
        await made.press("down", "right", "down", "left")
        assert made.inspection.auditor.order == "oldest"
        assert made.inspection.auditor.budget == len(MEMORIES[0]["text"])
        assert "ours cuts it: the budget of 39 is spent" in plain(made, "prompt")
        await made.press("right")
        assert made.inspection.auditor.budget is None
        await made.press("enter")
        await made.write("40")
        await made.press("ctrl+s")
        assert "‹ 40 characters ›" in plain(made, "prompt")
        await made.press("backspace", "up", "backspace", "up", "backspace")
        auditor = made.inspection.auditor
        assert (auditor.budget, auditor.order, made.inspection.let_through) == (None, "rank", "admit")


async def test_answer_marks_both_texts(bench: Any) -> None:
    async with bench(MEMORIES, [told(), told("q2", answer=None)], toml=TOML) as made:
        await made.press("J")
        assert made.screen.mi == 2
        await to_tab(made, "answer")
        said = plain(made, "answer")
        assert "Well: ⟦1 bob hides black tea behind the old piano⟧." in said
        assert "✗ bobs-tea ◂ this one  ! 8 words in a row" in said
        assert said.endswith("\n⟦1 bob hides black tea behind the old piano⟧")
        assert "what the answer says in other words cannot be seen" in said
        await made.press("n")
        assert "no answer was recorded: disclosed is ? for every memory" in plain(made, "answer")


async def test_trail_has_every_event_and_the_proof(bench: Any) -> None:
    async with bench(MEMORIES, [told()], toml=TOML) as made:
        made.screen.candidate_pane.show_memory(3)
        await to_tab(made, "trail")
        said = plain(made, "trail")
        assert "rank 3, no score, match exact" in said
        assert 'at 2026-02-01T12:00:01Z, filter {"user": "ann"}, 3 returned' in said
        assert "given to it and dropped" in said
        assert "dropped by the last event that had it" in said
        assert "gone-note  named by rerank, place 2" in said
        assert "bobs-tea  verdict exclude, and it was exposed" in said
        # enter on the proof goes to the memory that proves it
        reader = made.screen.detail.tab("trail").reader
        place = next(item.key for item in reader.items if item.text.startswith("verification\tbobs-tea"))
        reader.go_to(place)
        await made.press("enter")
        assert made.screen.mi == 2


async def test_proof_that_no_event_returned(bench: Any) -> None:
    query = told(events=[{"name": "search", "filter": {"user": "ann"}, "retrieved": [{"id": "own-cup"}]}], exposed=[])
    query["recorded"] |= {"prompt": None, "answer": None}
    async with bench(MEMORIES, [query], toml=TOML) as made:
        assert made.screen.query_pane.row(0).stage == "candidate"
        await made.press("J")
        assert made.screen.mi == 0
        assert "stage candidate: own-tea, 1 of 1" in made.says
        seen = made.seen()
        assert "stage C candidate" in seen


async def test_stage_in_the_short_line_of_a_low_terminal(bench: Any) -> None:
    async with bench(MEMORIES, [told()], toml=TOML, size=(80, 24)) as made:
        # gone-note is named by the trace and not stored: the first stage
        assert "stage T trace, verification, disclosure: gone-note" in made.seen()


async def test_hostile_and_long_texts(bench: Any) -> None:
    nasty = "\x1b]2;owned\x07[@click=app.quit]go[/] \u202emoc.live " + "word" * 1_200 + " end of the long one here now"
    rows = [{**MEMORIES[0], "text": nasty}, *MEMORIES[1:]]
    prompt = f"Notes:\n{nasty}"
    async with bench(rows, [told(prompt=prompt, answer=f"It says {nasty}")], toml=TOML) as made:
        for tab in ("prompt", "answer", "trail"):
            await to_tab(made, tab)
            await made.press("end")
            raw = "".join(segment.text for strip in made.app.screen._compositor.render_strips() for segment in strip)
            assert not {"\x1b", "\u202e"}.intersection(raw)
        await to_tab(made, "answer")
        assert "⟦1 " in plain(made, "answer")


async def test_stages_of_before_are_never_told(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audited, "INLINE_AUDITS", 2)
    monkeypatch.setattr("inspector.ui.screens.inspect.INLINE_AUDITS", 2)
    monkeypatch.setattr("inspector.ui.screens.inspect_work._SETTLE_REST", 60.0)
    queries = [told(f"q{number}") for number in range(8)]
    async with bench(MEMORIES, queries, toml=TOML) as made:
        rows = made.screen.query_pane.list.rows
        assert {row.stage for row in rows} == {"trace"}
        await made.press("I")
        # The selected one is worked out at once, the others wait for the worker and say so.
        assert [stage(row)[0] for row in rows] == [Piece("T", "bad"), *[Piece("…", "dim")] * 7]
        assert "…" in made.seen()
        made.screen._settle()
        await made.until(lambda: all(row.stage is not None for row in rows))
        await made.press("H")
        assert [row.stage for row in rows] == ["trace", *[None] * 7]
