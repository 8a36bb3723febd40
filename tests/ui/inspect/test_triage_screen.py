"""The Triage screen: queue, states, notes, groups, the way to Inspect and back, reports (issue 5, SCREENS Triage)."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from inspector import audited
from inspector.inspection import OpenOptions, open_sources
from inspector.times import parse_time
from inspector.ui.screens.export import ExportDialog
from inspector.ui.screens.inspect import InspectScreen
from inspector.ui.screens.triage import TriageScreen
from inspector.ui.widgets.grid import Grid
from inspector.ui.widgets.triage_rows import TriageFilter, age, cycled

AT = {"created_at": "2026-01-01T00:00:00Z", "status": "active"}
TOML = 'exported_at = "2026-02-01T12:00:00Z"\n'
MEMORIES: list[dict[str, Any]] = [
    {"id": "own", "text": "green tea every single morning at seven", "namespace": "ann", **AT},
    {"id": "bobs", "text": "bob hides black tea behind the old piano", "namespace": "bob", **AT},
    {"id": "lost", "text": "a chipped pot without any owner at all", **AT},
]


def asked(id: str, exposed: list[str], answer: str | None = "I do not know.", **more: Any) -> dict[str, Any]:
    """A question of ann, answered from what was exposed."""
    events = [{"name": "search", "filter": {"user": "ann"}, "retrieved": [{"id": one} for one in exposed]}]
    recorded = {"events": events, "exposed": exposed, "answer": answer}
    return {
        "id": id,
        "text": f"question {id}",
        "principal": {"id": "ann", "namespaces": ["ann"]},
        "intent": "current",
        "as_of": "2026-02-01T12:00:00Z",
        "recorded": recorded,
        **more,
    }


#: fine: nothing failed; shown: bob's exposed; told: bob's exposed and told; missed: required and not retrieved;
#: open: ? whether the pot may be exposed.
QUERIES = [
    asked("fine", ["own"]),
    asked("shown", ["own", "bobs"]),
    asked("told", ["bobs"], "bob hides black tea behind the old piano"),
    asked("missed", [], required=["own"]),
    asked("open", ["lost"]),
]


class Hands:
    """The Triage screen, and what is seen on it."""

    def __init__(self, bench: Any, screen: TriageScreen) -> None:
        self.bench = bench
        self.screen = screen

    @property
    def ids(self) -> list[str]:
        """The incidents in the order of the screen."""
        rows = self.screen.pane.rows
        return [rows.get(identity).query_id for identity in rows.shown]

    @property
    def here(self) -> str:
        """The incident under the cursor."""
        one = self.screen.current
        return "" if one is None else one.query_id

    @property
    def about(self) -> str:
        """What is said of it."""
        return self.screen.about.plain()

    def state(self, id: str) -> str:
        """The state of an incident."""
        rows = self.screen.pane.rows
        return next(one.state for one in map(rows.get, rows.known) if one.query_id == id)


async def triage(bench: Any) -> Hands:
    """Press T and wait for the incidents."""
    await bench.press("T")
    screen = bench.app.screen
    assert isinstance(screen, TriageScreen)
    await bench.until(screen.is_up_to_date)
    await bench.settle()
    return Hands(bench, screen)


async def test_queue_and_incident(bench: Any) -> None:
    async with bench(MEMORIES, QUERIES, toml=TOML) as made:
        hands = await triage(made)
        assert hands.ids == ["told", "shown", "missed", "open", "fine"]
        seen = made.seen()
        assert "4 incidents: 4 open · nothing failed in 1 more" in seen
        assert "excluded and disclosed" in hands.about
        assert "bobs  verdict exclude, and it was exposed" in hands.about
        assert "namespace 'bob' is not among the principal's" in hands.about
        assert "⟦1 bob hides black tea behind the old piano⟧" in hands.about
        await made.until(lambda: "set namespace to" in hands.about)
        # n and p go on without leaving the pane that has the focus
        await made.press("D", "n")
        assert hands.here == "shown"
        assert hands.screen.about.has_focus
        await made.press("n", "n")
        assert "? open" in hands.about
        assert "→ ✗ exclude" in hands.about
        await made.press("p", "p", "p", "p")
        assert hands.here == "told"


async def test_states_notes_and_marks(bench: Any) -> None:
    async with bench(MEMORIES, QUERIES, toml=TOML) as made:
        hands = await triage(made)
        await made.press("space", "space", "c")
        assert [hands.state(id) for id in ("told", "shown", "missed")] == ["confirmed", "confirmed", "open"]
        await made.press("d")
        assert hands.state("missed") == "dismissed"
        assert hands.ids[2] == "missed", "a row keeps its place until it is ordered anew"
        await made.press("R")
        assert hands.ids == ["told", "shown", "open", "fine", "missed"]
        assert hands.here == "missed"
        await made.press("e")
        await made.write("같은 원인 [/red]")
        await made.press("enter")
        assert "» 같은 원인 [/red]" in made.seen()
        assert "» 같은 원인 [/red]" in hands.about
        await made.press("e")
        await made.write("!")
        await made.press("escape")
        one = hands.screen.current
        assert one is not None
        assert one.note == "같은 원인 [/red]"
        await made.press("r")
        assert hands.state("missed") == "open"


async def test_groups_and_filters(bench: Any) -> None:
    several = [*QUERIES, asked("again", ["bobs"], "none"), asked("[/x]", ["bobs"], "none")]
    async with bench(MEMORIES, several, toml=TOML) as made:
        hands = await triage(made)
        await made.press("b")
        assert "share: verification, scope 0: another namespace" in made.seen()
        await made.press("z")
        grid = hands.screen.pane.grid
        assert grid.row_count == len(hands.screen.pane.rows.causes)
        assert hands.screen.pane.group is not None
        members = hands.screen.pane.rows.members(hands.screen.pane.group)
        await made.press("c")
        assert sum(hands.state(id) == "confirmed" for id in ("told", "shown", "again", "[/x]")) == len(members)
        await made.press("n")
        assert hands.here, "a step unfolds the group that it goes into"
        await made.press("b", "v")
        assert hands.screen.pane.filter_text == "state:open"
        assert "confirmed" not in [hands.state(id) for id in hands.ids]
        await made.press("v", "v", "v", "v")
        assert hands.screen.pane.filter_text == ""
        await made.press("s")
        assert hands.ids == []
        await made.press("s")
        assert hands.ids == ["missed"]
        await made.press("escape", "V")
        assert hands.ids == ["told"]
        assert "a note; enter keeps it" not in made.seen()


async def test_inspect_and_back_and_fixed_by_edit(bench: Any) -> None:
    async with bench(MEMORIES, QUERIES, toml=TOML) as made:
        hands = await triage(made)
        await made.press("n", "i")
        inspect = made.app.screen
        assert isinstance(inspect, InspectScreen)
        assert (inspect.qi, inspect.mi) == (1, 1)
        made.inspection.edit("memory", [1], "namespace", "ann")
        await made.settle()
        hands = await triage(made)
        assert hands.here == "shown"
        assert hands.ids[:2] == ["told", "shown"], "the rows keep their places"
        assert hands.state("shown") == "fixed by edit"
        assert "fixed ✎" in made.seen()
        await made.press("u")
        await made.until(hands.screen.is_up_to_date)
        await made.settle()
        assert hands.state("shown") == "open"
        # the smallest edit applied from here mends it as well
        await made.until(lambda: hands.screen.first_fix() is not None)
        await made.press("f")
        await made.until(hands.screen.is_up_to_date)
        await made.settle()
        assert hands.state("shown") == "fixed by edit"
        await made.press("escape")
        assert isinstance(made.app.screen, InspectScreen)


async def test_what_an_edit_reaches_waits(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audited, "INLINE_AUDITS", 0)
    monkeypatch.setattr("inspector.ui.screens.triage_work._REST", 60.0)
    async with bench(MEMORIES, QUERIES, toml=TOML) as made:
        hands = await triage(made)
        made.inspection.set_setting("isolation", "session")
        await made.settle()
        rows = hands.screen.pane.rows
        waiting = [rows.cells(place)[0] for place in range(len(rows))]
        assert [cell.text for cell in waiting[1:]] == ["…"] * 4  # type: ignore[union-attr]
        hands.screen.work_out()
        await made.until(hands.screen.is_up_to_date)
        assert not any(rows.waiting(one) for one in map(rows.get, rows.known))


async def test_states_survive_another_import(tmp_path: Path, write_store: Any) -> None:
    from inspector.triage import Triage

    folder = write_store(MEMORIES, QUERIES, TOML)
    kept = OpenOptions(workspace=tmp_path / "kept.duckdb")
    with open_sources([folder], kept) as inspection:
        inspection.evaluate()
        queue = Triage(inspection, inspection.auditor).queue
        queue.set_state([one.identity for one in queue.incidents if one.query_id == "told"], "confirmed")
    write_store(MEMORIES, [asked("new", ["own"]), *QUERIES], TOML)
    with open_sources([folder], kept) as inspection:
        inspection.evaluate()
        found = Triage(inspection, inspection.auditor).queue.incidents
        assert {one.query_id for one in found if one.state == "confirmed"} == {"told"}


async def test_report_of_the_marked(bench: Any, tmp_path: Path) -> None:
    async with bench(MEMORIES, QUERIES, toml=TOML) as made:
        hands = await triage(made)
        await made.press("space", "space", "x")
        dialog = made.app.screen
        assert isinstance(dialog, ExportDialog)
        words = [choice.words for choice in dialog.offered]
        assert words[:4] == ["report as Markdown", "report as HTML", "report as JSON", "redacted report as Markdown"]
        assert dialog.offered[0].about.startswith("2 incidents: ")
        for number, name in ((2, "open.json"), (5, "redacted.json")):
            dialog.offered[number].write(tmp_path / name)  # type: ignore[misc]
            await made.until((tmp_path / name).exists)
            await made.until(lambda: not hands.screen.running("report"))
        held = json.loads((tmp_path / "open.json").read_text("utf-8"))
        assert [one["query"]["id"] for one in held["incidents"]] == ["told", "shown"]
        redacted = (tmp_path / "redacted.json").read_text("utf-8")
        assert "piano" not in redacted
        assert "bobs" not in redacted


async def test_an_export_never_takes_the_place_of_the_source(bench: Any) -> None:
    async with bench(MEMORIES, QUERIES, toml=TOML) as made:
        source = Path(made.inspection.workspace.sources[0]) / "memories.jsonl"
        before = source.read_bytes()
        await made.press("x")
        dialog = made.app.screen
        assert isinstance(dialog, ExportDialog)
        dialog.query_one(Grid).move_cursor(key="store as JSON lines")
        await made.pilot.pause()
        dialog.query_one(Input).value = str(source)
        dialog.query_one(Input).focus()
        await made.press("enter")
        await made.until(lambda: "never written" in made.seen())
        await made.press("escape")
        assert made.app.screen is dialog
        await made.press("enter")  # asked again, it is refused again
        await made.until(lambda: "never written" in made.seen())
        assert source.read_bytes() == before


async def test_escape_stops_the_work(bench: Any) -> None:
    async with bench(MEMORIES, QUERIES, toml=TOML) as made:
        with made.inspection.lock:
            await made.pilot.press("T")
            await made.pilot.pause()
            screen = made.app.screen
            assert isinstance(screen, TriageScreen)
            # the worker waits for the lock: the screen is painted already, and escape gives the work up
            await made.pilot.press("escape")
            await made.pilot.pause()
            assert "stopped: R works the rest out" in made.seen()
        await made.press("R")
        await made.until(screen.is_up_to_date)


async def test_every_bundled_incident_is_told(demo_bench: Any) -> None:
    async with demo_bench("incidents", size=(80, 24)) as made:
        hands = await triage(made)
        for _ in range(len(hands.ids)):
            assert hands.about
            raw = "".join(segment.text for strip in made.app.screen._compositor.render_strips() for segment in strip)
            assert "\x1b" not in raw
            await made.press("n")


@pytest.mark.parametrize(
    ("text", "facet", "then"),
    [
        ("", "state", "state:open"),
        ("tea state:open", "state", "tea state:confirmed"),
        ("state:fixed tea", "state", "tea"),
        ("severity:disclosed", "stage", "severity:disclosed stage:trace"),
    ],
)
def test_cycled_facets(text: str, facet: str, then: str) -> None:
    assert cycled(text, facet) == then


def test_filter_reads_unknown_pairs_as_words() -> None:
    found = TriageFilter.parse("state:conf stage:disc severity:loss a:b state:zzz")
    assert found.states == ("confirmed",)
    assert found.stages == ("disclosure",)
    assert found.words == ("a:b", "state:zzz")


@pytest.mark.parametrize(
    ("at", "words"),
    [
        ("2026-02-01T11:55:00Z", "5 min"),
        ("2026-02-01T02:00:00Z", "10 h"),
        ("2026-01-20T12:00:00Z", "12 d"),
        ("2026-02-01T13:00:00Z", "02-01"),
        ("2026-01-20T12:00:00", "01-20"),
    ],
)
def test_age(at: str, words: str) -> None:
    assert age(parse_time(at, "at", None), datetime(2026, 2, 1, 12, tzinfo=UTC)) == words
