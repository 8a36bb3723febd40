"""Commands for boundary states: transitions by hand and replay, as edits of the workspace (DESIGN 9, 12)."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from inspector.cli_language import SpokenCommand
from inspector.cli_options import FOLDER_OR_FILE, opened, say, store_options
from inspector.errors import FieldError, InspectorError
from inspector.i18n import _, _d, ngettext_d, told, words_for_people
from inspector.text import counted, visible

if TYPE_CHECKING:
    from inspector.inspection import Inspection
    from inspector.store.boundary import Verb
    from inspector.store.replay import Replay


@click.command(cls=SpokenCommand)
@click.argument("sources", nargs=-1, required=True, type=FOLDER_OR_FILE)
@click.option("--memory", "ids", multiple=True, required=True, metavar="ID", help="The memory; several may be given.")
@click.option("--namespace", help="Its namespace, where several memories share the id.")
@click.option(
    "--to",
    "verb",
    required=True,
    type=click.Choice(["archive", "resume", "forget", "quarantine", "release"]),
    help="The transition.",
)
@click.option("--cause", metavar="TEXT", help="Why; else the transition's own words.")
@click.option("--at", metavar="TIME", help="When; 'now' is allowed. Else the query's as_of, else the store's.")
@click.option("--query", "query_id", metavar="ID", help="The query that led to it.")
@store_options
def transition(
    sources: tuple[Path, ...],
    ids: tuple[str, ...],
    namespace: str | None,
    verb: Verb,
    cause: str | None,
    at: str | None,
    query_id: str | None,
    **given: Any,
) -> None:
    """Move the boundary state of memories by hand, as one edit that the workspace keeps.

    Stdout has the edits as JSON patch lines, for inspector apply; with --temporary that is all that remains. What the
    table of transitions does not allow is refused with the reason, exit 2: all memories are moved or none.
    """
    from inspector import boundaries
    from inspector.store.patch import to_jsonl

    with opened(sources, given, evaluate=False) as inspection:
        mis = list(dict.fromkeys(inspection.find_memory(one, namespace) for one in ids))
        qi = None if query_id is None else inspection.find_query(query_id)
        when = _time(inspection, qi, at)
        boundaries.move(inspection, mis, verb, when, cause=cause, query_id=query_id)
        moved = {inspection.memories[mi].uid for mi in mis}
        edits = [
            one
            for one in inspection.log.effective()
            if one.kind == "memory" and one.field == "boundary_log" and one.target in moved
        ]
        to_jsonl(sys.stdout, edits)
        for mi in mis:
            last = inspection.memories[mi].value("boundary_log")[-1]
            with words_for_people():
                why = told(last["cause"])
            say(
                _("{uid}: {state} from {start}: {cause}").format(
                    uid=inspection.memories[mi].uid,
                    state=last["state"],
                    start=last["at"],
                    cause=why,
                )
            )


def _time(inspection: Inspection, qi: int | None, at: str | None) -> str | int | float:
    """The time of a transition. Raises InspectorError that names the option."""
    from inspector import boundaries

    when = boundaries.default_at(inspection, qi) if at is None else at
    if when is None:
        raise InspectorError(_("--at: the store states no time: give one, or 'now'"))
    try:
        return boundaries.read_at(when, inspection.settings.timezone)
    except FieldError as error:
        raise InspectorError(f"--at: {error.wrong}: {error.expected}") from None


@click.command(cls=SpokenCommand)
@click.argument("sources", nargs=-1, required=True, type=FOLDER_OR_FILE)
@click.option("--session", metavar="ID", help="The session; else every session that a query states.")
@click.option("--keep", is_flag=True, help="Make the marks of the replay edits, which the workspace keeps.")
@click.option("--json", "as_json", is_flag=True, help="As a JSON object instead of text.")
@store_options
def replay(sources: tuple[Path, ...], session: str | None, keep: bool, as_json: bool, **given: Any) -> None:
    """Replay a session's queries in time order: which memories its changes of task archive and resume.

    Nothing changes without --keep; with it each session is one edit, which undo takes back.
    """
    from inspector import boundaries

    with opened(sources, given, evaluate=False) as inspection:
        known = boundaries.session_counts(inspection)
        if session is not None and session not in known:
            listed = ", ".join(repr(one) for one in list(known)[:5]) or _("none is stated")
            raise InspectorError(
                _("--session: no query states the session {session!r} ({listed})").format(
                    session=session, listed=listed
                )
            )
        runs = [boundaries.replay_session(inspection, one) for one in (known if session is None else [session])]
        if keep:
            for run in runs:
                boundaries.keep_replay(inspection, run)
                say(
                    _("{session_id}: the marks of {counted} are edits now").format(
                        session_id=run.session_id, counted=counted(len(run.logs), "memory", "memories")
                    )
                )
        if as_json:
            told = {"sessions": [_run_json(run) for run in runs], "kept": keep}
            click.echo(json.dumps(told, ensure_ascii=False, indent=1))
            return
        if not runs:
            say(_("no query states an authenticated session_id: nothing can be replayed"))
        for run in runs:
            for line in _run_lines(run):
                click.echo(visible(line))


def _run_json(run: Replay) -> dict[str, Any]:
    return {
        "session_id": run.session_id,
        "queries": [
            {"query_id": one.query_id, "at": one.at.iso(), "tag": one.tag, "left": one.left, "entered": one.entered}
            for one in run.ticks
        ],
        "lanes": [
            {
                "namespace": lane.memory.fields.get("namespace"),
                "memory_id": lane.memory.id,
                "states": [
                    {
                        "state": one.state,
                        "from": None if one.start is None else one.start.iso(),
                        "cause": one.cause,
                        "query_id": one.query_id,
                        "source": one.source,
                    }
                    for one in lane.segments
                ],
                "refused": [
                    {"query_id": one.query_id, "at": one.at.iso(), "transition": one.verb, "reason": one.reason}
                    for one in lane.kept
                ],
            }
            for lane in run.lanes
        ],
        "moved": len(run.logs),
        "notes": list(run.notes),
    }


def _run_lines(run: Replay) -> Iterator[str]:
    switches = sum(tick.switches for tick in run.ticks)
    moves = ngettext_d("{moved:,} of {memories} moves", "{moved:,} of {memories} move", len(run.logs))
    yield _d("session {id}: {queries}, {switches}, {moves}").format(
        id=run.session_id,
        queries=counted(len(run.ticks), "query", "queries"),
        switches=counted(switches, "switch", "switches"),
        moves=moves.format(moved=len(run.logs), memories=counted(len(run.lanes), "memory", "memories")),
    )
    for note in run.notes:
        yield "  " + _d("note: {note}").format(note=note)
    for tick in run.ticks:
        moved = _d("enters {entered}, leaves {left}") if tick.left else _d("enters {entered}")
        moved = "  " + moved.format(entered=tick.entered, left=tick.left) if tick.switches else ""
        yield f"  {tick.at.iso()}  " + _d("query {id}").format(id=tick.query_id) + moved
    for lane in run.lanes:
        yield f"  {lane.memory.uid}"
        for one in lane.segments:
            start = _d("no time") if one.start is None else one.start.iso()
            by = _d(" (query {id})").format(id=one.query_id) if one.query_id else ""
            yield "    " + _d("{state} from {start}: {cause}{by}").format(
                state=one.state or _d("? in doubt"), start=start, cause=one.words, by=by
            )
        for kept in lane.kept:
            yield "    " + _d("refused: {verb} at {at} by query {id}: {reason}").format(
                verb=kept.verb, at=kept.at.iso(), id=kept.query_id, reason=kept.reason
            )
