"""What stands under the lanes: a lane's stretches, what was refused, the paths of degraded recall (DESIGN 9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inspector.i18n import _, ngettext
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
            content(
                [
                    Piece(visible(lane.memory.id), "heading"),
                    Piece(_("  tag {tag}").format(tag=visible(str(tag or "∅"))), "dim"),
                ]
            )
        )
        for one in lane.segments:
            letter, _rest1, style = SIGNS[one.state]
            by = _("  by query {query_id}").format(query_id=visible(one.query_id)) if one.query_id else ""
            start = visible(when(one.start)) or _("no time")
            body = [
                Piece(one.state or _("in doubt"), style),
                Piece(_("  from {start}").format(start=start)),
                Piece(f"  {visible(one.words)}{by}", "dim"),
            ]
            yield Item(content(body), content([Piece(f" {letter}", style)]), 4)
        for kept in lane.kept:
            said = _("{verb} at {iso} by query {query_id} was refused: {reason}").format(
                verb=kept.verb, iso=kept.at.iso(), query_id=kept.query_id, reason=kept.reason
            )
            yield Item(content([Piece(visible(said), "warn")]), content([Piece(" ✗", "warn")]), 4)
        yield from _paths(run, lane, degraded)
        yield blank()
    else:
        yield heading(_("legend"))
        yield Item(content([Piece(_(LEGEND), "dim")]))
        yield from _degraded(run, degraded)
    for note in run.notes:
        yield Item(content([Piece(visible(note), "warn")]), content([Piece(_("note:"))]), 6)
    if run.logs:
        many = counted(len(run.logs), "memory", "memories")
        how = _("K makes the marks of {many} edits, which the lifecycle axis then reads; u undoes").format(many=many)
        yield Item(content([Piece(how, "dim")]))


def _degraded(run: Replay, degraded: Mapping[int, Degraded]) -> Iterator[Item]:
    """Each query without tags: why, how large the window is, what the keywords keep, how much of it is for review."""
    if not degraded:
        return
    yield blank()
    yield heading(_("degraded recall, where there are no tags to go by"))
    ids = {tick.index: tick.query_id for tick in run.ticks}
    for qi, one in list(degraded.items())[:_MOST]:
        said = _("window {count:,}, keyword {count2:,}, for review {count3:,}").format(
            count=len(one.window), count2=len(one.kept), count3=len(one.review)
        )
        body = [Piece(visible(ids[qi]), "heading"), Piece(f"  {said}"), Piece(f"  {visible(one.why)}", "dim")]
        yield Item(content(body))
        yield from (Item(content([Piece(visible(note), "dim")]), content([Piece("  ")]), 4) for note in one.notes)
    if len(degraded) > _MOST:
        yield Item(
            content(
                [
                    Piece(
                        ngettext(
                            "and {count:,} more query", "and {count:,} more queries", len(degraded) - _MOST
                        ).format(count=len(degraded) - _MOST),
                        "dim",
                    )
                ]
            )
        )


def _paths(run: Replay, lane: Lane, degraded: Mapping[int, Degraded]) -> Iterator[Item]:
    """By which path degraded recall brings the memory to each query without tags."""
    ids = {tick.index: tick.query_id for tick in run.ticks}
    for qi, one in list(degraded.items())[:_MOST]:
        path = one.found.get(lane.index)
        if path is None:
            inside = _("in the window, shares no keyword") if lane.index in one.window else _("not in the window")
            body = [Piece(_("degraded: {inside}").format(inside=inside), "dim")]
        else:
            words = ", ".join(one.shared.get(lane.index, ()))
            body = [
                Piece(path, "warn"),
                Piece(_("  shares {words}").format(words=visible(words)) if words else _("  no keyword tells"), "dim"),
            ]
        body.append(Piece(_("  for query {ids}").format(ids=visible(ids[qi])), "dim"))
        yield Item(content(body), content([Piece(" ~", "warn")]), 4)
