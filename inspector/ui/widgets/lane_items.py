"""What stands under the lanes: a lane's stretches, what was refused, the paths of degraded recall (DESIGN 9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inspector.store.degraded import Degraded
from inspector.store.replay import Lane, Replay
from inspector.text import counted
from inspector.ui.veil import visible
from inspector.ui.widgets.cells import Piece
from inspector.ui.widgets.reader import Item, blank
from inspector.ui.widgets.signs import content
from inspector.ui.widgets.store_lanes import LEGEND, SIGNS, when
from inspector.ui.widgets.why import heading

#: Of so many queries degraded recall is told one by one.
_MOST = 20


def lane_items(run: Replay | None, lane: Lane | None, degraded: Mapping[int, Degraded]) -> list[Item]:
    """What the view says under the lanes: the stretches of the one under the cursor, what was refused, how degraded
    recall treats it, the notes."""
    return list(_lane_items(run, lane, degraded))


def _lane_items(run: Replay | None, lane: Lane | None, degraded: Mapping[int, Degraded]) -> Iterator[Item]:
    if run is None:
        return
    if lane is not None:
        tag = lane.memory.value("semantic_tag")
        yield Item(
            content([Piece(visible(lane.memory.id), "heading"), Piece(f"  tag {visible(str(tag or '∅'))}", "dim")])
        )
        for one in lane.segments:
            letter, _, style = SIGNS[one.state]
            by = f"  by query {visible(one.query_id)}" if one.query_id else ""
            start = visible(when(one.start)) or "no time"
            body = [
                Piece(one.state or "in doubt", style),
                Piece(f"  from {start}"),
                Piece(f"  {visible(one.cause)}{by}", "dim"),
            ]
            yield Item(content(body), content([Piece(f" {letter}", style)]), 4)
        for kept in lane.kept:
            said = f"{kept.verb} at {kept.at.iso()} by query {kept.query_id} was refused: {kept.reason}"
            yield Item(content([Piece(visible(said), "warn")]), content([Piece(" ✗", "warn")]), 4)
        yield from _paths(run, lane, degraded)
        yield blank()
    else:
        yield heading("legend")
        yield Item(content([Piece(LEGEND, "dim")]))
        yield from _degraded(run, degraded)
    for note in run.notes:
        yield Item(content([Piece(visible(note), "warn")]), content([Piece("note:")]), 6)
    if run.logs:
        many = counted(len(run.logs), "memory", "memories")
        how = f"K makes the marks of {many} edits, which the lifecycle axis then reads; u undoes"
        yield Item(content([Piece(how, "dim")]))


def _degraded(run: Replay, degraded: Mapping[int, Degraded]) -> Iterator[Item]:
    """Each query without tags: why, how large the window is, what the keywords keep, how much of it is for review."""
    if not degraded:
        return
    yield blank()
    yield heading("degraded recall, where there are no tags to go by")
    ids = {tick.index: tick.query_id for tick in run.ticks}
    for qi, one in list(degraded.items())[:_MOST]:
        said = f"window {len(one.window):,}, keyword {len(one.kept):,}, for review {len(one.review):,}"
        body = [Piece(visible(ids[qi]), "heading"), Piece(f"  {said}"), Piece(f"  {visible(one.why)}", "dim")]
        yield Item(content(body))
        yield from (Item(content([Piece(visible(note), "dim")]), content([Piece("  ")]), 4) for note in one.notes)
    if len(degraded) > _MOST:
        yield Item(content([Piece(f"and {len(degraded) - _MOST:,} more queries", "dim")]))


def _paths(run: Replay, lane: Lane, degraded: Mapping[int, Degraded]) -> Iterator[Item]:
    """By which path degraded recall brings the memory to each query without tags."""
    ids = {tick.index: tick.query_id for tick in run.ticks}
    for qi, one in list(degraded.items())[:_MOST]:
        path = one.found.get(lane.index)
        if path is None:
            inside = "in the window, shares no keyword" if lane.index in one.window else "not in the window"
            body = [Piece(f"degraded: {inside}", "dim")]
        else:
            words = ", ".join(one.shared.get(lane.index, ()))
            body = [Piece(path, "warn"), Piece(f"  shares {visible(words)}" if words else "  no keyword tells", "dim")]
        body.append(Piece(f"  for query {visible(ids[qi])}", "dim"))
        yield Item(content(body), content([Piece(" ~", "warn")]), 4)
