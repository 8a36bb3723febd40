"""The Inspect screen on a small store: what is shown, how one moves through it, at which sizes (SCREENS Inspect)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from inspector.ui.widgets.detail_tabs import TABS

OpenBench = Callable[..., AbstractAsyncContextManager[Any]]


async def test_shows_query_candidates_and_reasons(bench: OpenBench) -> None:
    async with bench() as b:
        # By hand: q1 is ann's, so m1 is 1 1 1, m2 is another's, m3 has no owner, m4 is archived and the intent current.
        assert b.verdicts() == {"m1": "admit", "m2": "exclude", "m3": "unresolved", "m4": "exclude"}
        seen = b.seen()
        for words in (
            "✓ admit",
            "✗ exclude",
            "? unresolved",
            "which tea",
            "principal ann",
            "intent current",
            "recall 1",
        ):
            assert words in seen
        # The default as_of of the row is the query's own, and the bundle line says so without an origin.
        assert "as_of 2026-02-01" in seen


async def test_the_text_of_the_candidate_stands_above_its_verdict_in_one_line(bench: OpenBench) -> None:
    long = "tea [b]green[/b] \x1b[2J " + "leaf " * 1000
    memories = [{"id": "m1", "text": long}, {"id": "m2", "text": "차 한 잔"}, {"id": "m3", "text": "  "}]
    async with bench(memories, [{"id": "q1", "text": "which tea"}], size=(80, 24)) as b:
        lines = b.seen().splitlines()
        (at,) = [place for place, line in enumerate(lines) if "“tea [b]green[/b] " in line]
        assert lines[at].rstrip().endswith("…")
        assert "? unresolved" in lines[at + 1]
        assert "\x1b" not in b.seen()
        shown = {b.screen.candidate_pane.current.memory_id: "“tea" in b.seen()}
        for _ in range(2):
            await b.press("down")
            await b.settle()
            shown[b.screen.candidate_pane.current.memory_id] = "“차 한 잔”" in b.seen()
            assert b.seen().count("“") == (b.screen.candidate_pane.current.memory_id != "m3")
        assert shown == {"m1": True, "m2": True, "m3": False}


async def test_axis_signs_are_characters(bench: OpenBench) -> None:
    async with bench() as b:
        rows = {row.memory_id: b.line(row.mi) for row in b.screen.candidate_pane.list.rows}
        # Cells 4 to 6 are S, P, L.
        assert rows["m1"][4:7] == ["1", "1", "1"]
        assert rows["m2"][4:7] == ["0", "1", "1"]
        assert rows["m3"][4:7] == ["?", "1", "1"]
        assert rows["m4"][4:7] == ["1", "1", "0"]


async def test_next_query_from_any_pane(bench: OpenBench) -> None:
    async with bench() as b:
        await b.press("n")
        assert b.screen.qi == 1
        assert b.verdicts()["m2"] == "admit"
        assert b.screen.candidate_pane.grid.has_focus
        await b.press("p")
        assert b.screen.qi == 0


async def test_query_without_principal_is_all_unresolved(bench: OpenBench) -> None:
    async with bench() as b:
        await b.press("n", "n")
        verdicts = b.verdicts()
        assert set(verdicts.values()) == {"unresolved", "exclude"}  # m4 is archived whoever asks
        assert "not evaluable: no required evidence" in b.seen()


async def test_filter_counts_do_not_lie(bench: OpenBench) -> None:
    async with bench() as b:
        await b.press("Q", "slash")
        await b.write("bob")
        assert "showing 1 of 3" in b.seen()
        assert b.screen.qi == 1
        await b.press("escape")
        assert "3 queries" in b.seen()


async def test_filter_by_principal_and_verdict(bench: OpenBench) -> None:
    async with bench() as b:
        await b.press("Q", "slash")
        await b.write("principal:ann")
        assert b.screen.query_pane.list.shown == [0]
        await b.press("escape", "slash")
        await b.write("verdict:admit")
        assert b.screen.query_pane.list.shown == [0, 1]
        await b.press("escape", "slash")
        await b.write("nosuchword")
        assert "showing 0 of 3" in b.seen()
        assert b.screen.qi is None
        assert "no query selected" in b.seen()
        await b.press("escape")
        assert b.screen.qi is not None


async def test_verdict_filter_and_sort_keep_the_memory(bench: OpenBench) -> None:
    async with bench() as b:
        pane = b.screen.candidate_pane
        pane.show_memory(3)
        await b.settle()
        await b.press("S")  # rank from the last
        assert pane.current is not None
        assert pane.current.memory_id == "m4"
        ranks = [row.rank for row in pane.list.shown]
        assert ranks == sorted(ranks, reverse=True)
        await b.press("v", "v")  # exclude
        assert {row.verdict for row in pane.list.shown} == {"exclude"}
        assert pane.current.memory_id == "m4"
        assert "showing 2 of 4: exclude" in b.seen()
        await b.press("escape")
        assert len(pane.list.shown) == 4


async def test_sort_by_column_under_cursor(bench: OpenBench) -> None:
    async with bench() as b:
        grid = b.screen.candidate_pane.grid
        grid.move_cursor(column="scope")
        await b.press("s")
        assert [row.scope.symbol for row in b.screen.candidate_pane.list.shown] == ["1", "1", "?", "0"]
        await b.press("S")
        assert [row.scope.symbol for row in b.screen.candidate_pane.list.shown] == ["0", "?", "1", "1"]
        await b.press("s")
        assert b.screen.candidate_pane.list.order is None


async def test_why_names_missing_field_and_flips(bench: OpenBench) -> None:
    async with bench() as b:
        b.screen.candidate_pane.show_memory(2)
        await b.settle()
        await b.until(lambda: not b.screen.why.searching)
        text = b.screen.why.reader.plain()
        assert "? unresolved" in text
        assert "missing" in text
        assert "namespace" in text
        assert "smallest edits that flip the verdict" in text
        assert "→ ✓ admit" in text
        assert "[1]" in text  # the cell of the lifecycle table that applied


async def test_tabs_step_round(bench: OpenBench) -> None:
    async with bench() as b:
        ids = [spec.id for spec in TABS]
        assert ids[:2] == ["why", "record"]
        assert b.screen.detail.active == "why"
        for following in (*ids[1:], "why"):
            await b.press("right_curly_bracket")
            assert b.screen.detail.active == following
        await b.press("left_curly_bracket")
        assert b.screen.detail.active == ids[-1]
        b.screen.detail.go_to("trail")
        await b.settle()
        assert "retrieved" in b.seen()


async def test_record_tells_absent_null_and_empty_apart(bench: OpenBench) -> None:
    memories: list[dict[str, Any]] = [
        {"id": "m1", "text": "tea", "status": None, "semantic_tag": "", "allowed_purposes": [], "odd": 1}
    ]
    async with bench(memories) as b:
        await b.press("right_curly_bracket")
        text = b.screen.record.reader.plain()
        lines = {line.split()[0]: line for line in text.splitlines() if line.split()}
        assert "∅ null" in lines["status"]
        assert '"" empty' in lines["semantic_tag"]
        assert "[] empty" in lines["allowed_purposes"]
        assert "∅ absent" in lines["namespace"]
        assert '{"odd": 1}' in lines["meta"]


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_everything_important_has_room(bench: OpenBench, size: tuple[int, int]) -> None:
    async with bench(size=size) as b:
        seen = b.seen()
        for words in ("Queries", "Candidates", "[Why]", "which tea", "✓ admit", "m4", "recall 1", "? unresolved"):
            assert words in seen, (size, words)
        # The regions are beside each other or below each other, never on top of each other.
        regions = [b.screen.query_pane, b.screen.bundle_bar, b.screen.candidate_pane, b.screen.detail]
        for number, one in enumerate(regions):
            assert one.region.area > 0
            for other in regions[number + 1 :]:
                assert not one.region.overlaps(other.region)


async def test_wide_has_three_columns(bench: OpenBench) -> None:
    async with bench(size=(200, 60)) as b:
        queries, middle, detail = b.screen.query_pane.region, b.screen.candidate_pane.region, b.screen.detail.region
        assert queries.right <= middle.x
        assert middle.right <= detail.x


async def test_narrow_gives_room_to_the_region_with_the_focus(bench: OpenBench) -> None:
    async with bench(size=(80, 24)) as b:
        assert b.screen.query_pane.size.height == 1
        await b.press("Q")
        assert b.screen.query_pane.size.height > 5
        assert "tea for nobody" in b.seen()
        assert b.screen.detail.region.height == 0
        await b.press("D")
        assert b.screen.detail.size.height > 10
        assert b.screen.query_pane.size.height == 1
        await b.press("C")
        assert b.screen.candidate_pane.grid.has_focus


async def test_title_says_where_the_keys_go(bench: OpenBench) -> None:
    async with bench() as b:

        def here() -> list[bool]:
            titles = [*b.screen.query("TitleLine"), b.screen.query_one("TabBar")]
            return [title.has_class("-here") for title in titles]

        assert here() == [False, True, False]
        await b.press("Q")
        assert here() == [True, False, False]
        await b.press("D")
        assert here() == [False, False, True]


async def test_enter_goes_to_the_detail_and_to_the_text(bench: OpenBench) -> None:
    async with bench() as b:
        await b.press("enter")
        assert b.screen.detail.has_focus_within
        b.screen.candidate_pane.show_memory(0)
        await b.press("C", "t")
        assert "tea green every morning" in b.seen()
        assert b.app.screen is not b.screen
        await b.press("escape")
        assert b.app.screen is b.screen


async def test_mouse_picks_and_tabs(bench: OpenBench) -> None:
    async with bench() as b:
        await b.pilot.click(b.screen.query_pane.grid, offset=(8, 2))
        await b.settle()
        assert b.screen.qi == 1
        await b.pilot.click("TabBar", offset=(8, 0))
        await b.settle()
        assert b.screen.detail.active == "record"


async def test_copy_gives_the_data(bench: OpenBench) -> None:
    async with bench() as b:
        b.screen.candidate_pane.show_memory(0)
        assert b.screen.candidate_pane.copy_text() == "m1\ttea green every morning"
        assert b.screen.query_pane.copy_text() == "q1\twhich tea"
        assert "which tea" in (b.screen.bundle_bar.copy_text() or "")
        tables = b.screen.candidate_pane.export_tables()
        assert {row[1] for row in tables[0].rows} == {"m1", "m2", "m3", "m4"}


async def test_empty_store_and_no_queries(bench: OpenBench) -> None:
    async with bench([{"id": "m1", "text": "alone"}], []) as b:
        seen = b.seen()
        assert "no queries in this store" in seen
        assert "no query selected" in seen
        assert "no candidate under the cursor" in seen
        await b.press("e", "1", "f", "i", "u", "left_square_bracket", "w", "m", "v", "s")
        assert b.app.screen is b.screen


async def test_query_without_candidates_says_what_to_do(bench: OpenBench) -> None:
    queries = [{"id": "q1", "text": "zebra", "as_of": "2025-01-01"}]  # nothing is stored yet at that time
    async with bench(queries=queries) as b:
        assert "this query has no candidates on this route" in b.seen()
