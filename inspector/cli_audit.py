"""Commands of the audit: the triage queue, reports, and the check for CI (DESIGN 8, 12; issue 5)."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from inspector.cli_language import SpokenCommand
from inspector.cli_options import (
    FOLDER_OR_FILE,
    StderrProgress,
    export_store_options,
    opened,
    route_options,
    say,
    store_options,
    writing,
)
from inspector.errors import InspectorError
from inspector.i18n import _, _d, ngettext

if TYPE_CHECKING:
    from inspector.audit.triage import Queue
    from inspector.inspection import Inspection
    from inspector.triage_output import Listed

#: Forms of a report by the name of ``--as``, which is also the suffix that stands for it, and their own names.
_FORMS = {"md": "markdown", "html": "html", "json": "json"}
_STATES = {"open": "open", "confirmed": "confirmed", "dismissed": "dismissed", "fixed": "fixed by edit"}
_STAGES = ("trace", "candidate", "verification", "assembly", "disclosure", "undecided", "none")


@click.command(cls=SpokenCommand)
@click.argument("sources", nargs=-1, required=True, type=FOLDER_OR_FILE)
@click.option(
    "--query", "ids", multiple=True, metavar="ID", help="This incident (by its query's id); several may be given."
)
@click.option("--state", "states", multiple=True, type=click.Choice(list(_STATES)), help="Incidents in this state.")
@click.option("--stage", "stages", multiple=True, type=click.Choice(_STAGES), help="Incidents with this failure stage.")
@click.option("--cause", metavar="TEXT", help="Incidents whose suggested cause holds this text.")
@click.option("--all", "everything", is_flag=True, help="Those in which nothing failed as well.")
@click.option("--group", is_flag=True, help="By cause instead of by severity.")
@click.option(
    "--set-state",
    "new_state",
    type=click.Choice(list(_STATES)),
    help="Put the incidents that were chosen into this state.",
)
@click.option("--note", metavar="TEXT", help="Write this note on the incidents that were chosen; '' removes it.")
@click.option("--json", "as_json", is_flag=True, help="As a JSON object instead of text.")
@store_options
@route_options
def triage(
    sources: tuple[Path, ...],
    ids: tuple[str, ...],
    states: tuple[str, ...],
    stages: tuple[str, ...],
    cause: str | None,
    everything: bool,
    group: bool,
    new_state: str | None,
    note: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """List the incidents, the worst first: which stage failed, the memories that prove it, a suggested cause.

    States and notes are kept in the workspace, and stay with an incident when the same export is read again.
    """
    from inspector.triage import Triage
    from inspector.triage_output import advice, to_json, to_lines

    changes = new_state is not None or note is not None
    if changes and not (ids or states or stages or cause):
        raise click.UsageError(_("say which incidents: --query, --state, --stage or --cause"))
    if changes and given.get("temporary"):
        raise click.UsageError(_("a temporary workspace keeps no state and no note: leave out --temporary"))
    with opened(sources, given) as inspection:
        for id in ids:
            inspection.find_query(id)
        if not inspection.queries:
            say(_("the store has no queries: give --queries or --trace"))
        _tell_simulated(inspection)
        queue = Triage(inspection, inspection.auditor).queue
        listed = _listed(queue, ids, [_STATES[one] for one in states], stages, cause, everything)
        if changes:
            listed = _change(listed, new_state, note)
        if as_json:
            click.echo(json.dumps(to_json(inspection.name, listed, grouped=group), ensure_ascii=False, indent=1))
        else:
            for line in to_lines(listed, grouped=group):
                click.echo(line)
        for line in advice(inspection):
            say(line)


def _tell_simulated(inspection: Inspection) -> None:
    """Say of how many queries nothing was recorded: what failed there is what the route would have led to."""
    audits = [inspection.audit(qi) for qi in range(len(inspection.queries))]
    missing = sum(done.retrieval != "recorded" and not done.exposure_recorded for done in audits)
    if missing:
        said = _(
            "{missing:,} of {total:,} queries have no trace in use: their stages are what route {route} would lead to"
        )
        say(said.format(missing=missing, total=len(audits), route=inspection.route))


def _listed(
    queue: Queue,
    ids: Sequence[str],
    states: Sequence[str],
    stages: Sequence[str],
    cause: str | None,
    everything: bool,
) -> Listed:
    """The incidents that were asked for. Without a choice those in which nothing failed stay out, and are counted."""
    from inspector.audit.triage import Severity
    from inspector.triage_output import Listed

    wanted = (cause or "").casefold()
    found = [
        one
        for one in queue.where(states=states or None, stages=stages)  # type: ignore[arg-type]
        if (not ids or one.query_id in ids) and wanted in one.cause.words.casefold()
    ]
    calm = 0
    if not (everything or ids or stages):
        kept = [one for one in found if one.severity is not Severity.NONE or one.note or one.state != "open"]
        calm, found = len(found) - len(kept), kept
    words = ""
    if calm:
        more = _d("{calm:,} more in which nothing failed: --all lists them")
        words = (more if found else _d("{calm:,} in which nothing failed: --all lists them")).format(calm=calm)
    return Listed(queue, found, words)


def _change(listed: Listed, new_state: str | None, note: str | None) -> Listed:
    """Set states and notes of what is listed; on disk when this returns."""
    from inspector.triage_output import Listed

    if not listed.shown:
        raise InspectorError(_("no incident was chosen: nothing was changed"))
    queue, identities = listed.queue, [one.identity for one in listed.shown]
    if new_state is not None:
        queue.set_state(identities, _STATES[new_state])  # type: ignore[arg-type]
    if note is not None:
        for identity in identities:
            queue.set_note(identity, note)
    many = ngettext("{count} incident", "{count} incidents", len(identities)).format(count=f"{len(identities):,}")
    done = _STATES[new_state] if new_state is not None else _("note written") if note else _("note removed")
    say(f"{many}: {done}")
    return Listed(queue, [queue.get(identity) for identity in identities])


@click.command(cls=SpokenCommand)
@click.argument("sources", nargs=-1, required=True, type=FOLDER_OR_FILE)
@click.option("--query", "ids", multiple=True, metavar="ID", help="Report this query; several may be given.")
@click.option("--all", "everything", is_flag=True, help="Report every query.")
@click.option("--failed", is_flag=True, help="Report the queries that failed or are undecided; the default.")
@click.option(
    "--state", "states", multiple=True, type=click.Choice(list(_STATES)), help="Report incidents in this state."
)
@click.option(
    "--as",
    "form",
    type=click.Choice(list(_FORMS)),
    help="Markdown, one HTML file that loads nothing, or JSON; else as the suffix of --out says.",
)
@click.option("--out", type=FOLDER_OR_FILE, required=True, help="File to write; - is stdout.")
@click.option("--redact", is_flag=True, help="Tokens in place of every text and id, equal ones for equal strings.")
@export_store_options
@route_options
def report(
    sources: tuple[Path, ...],
    ids: tuple[str, ...],
    everything: bool,
    failed: bool,
    states: tuple[str, ...],
    form: str | None,
    out: Path,
    redact: bool,
    **given: Any,
) -> None:
    """Write the evidence of one incident or of several: what failed, axes with reasons, trail, spans, edits that fix.

    What remains unknown is said. A redacted report keeps verdicts and structure, and holds no text and no id.
    """
    from inspector.audit.report import FORMS
    from inspector.reporting import report as made
    from inspector.triage import Triage

    if (bool(ids), everything, failed, bool(states)).count(True) > 1:
        raise click.UsageError(_("give --query, --state, --all or --failed, not several of them"))
    form = form or out.suffix.lower().removeprefix(".")
    if form not in _FORMS:
        raise click.UsageError(_("the name {out} does not say which form: give --as md, html or json").format(out=out))
    with opened(sources, given, evaluate=False, outs=(out,)) as inspection:
        chosen = [inspection.find_query(id) for id in dict.fromkeys(ids)]  # before anything is encoded
        inspection.evaluate(StderrProgress())
        total = len(inspection.queries)
        if states:
            queue = Triage(inspection, inspection.auditor).queue
            chosen = [one.qi for one in queue.where(states=[_STATES[one] for one in states])]  # type: ignore[misc]
        elif not ids:
            chosen = [qi for qi in range(total) if everything or inspection.audit(qi).stages.first != "none"]
        told = made(inspection, inspection.auditor, chosen, redact=redact, on_progress=StderrProgress())
        with writing(out) as file:
            file.write(FORMS[_FORMS[form]](told))
        chosen_by_failure = _("{count:,} of {total:,} queries failed or are undecided")
        said = _("{count:,} of {total:,} queries reported") if ids or states or everything else chosen_by_failure
        say(said.format(count=len(chosen), total=total))


def _share(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    if value is not None and (math.isnan(value) or not 0 <= value <= 1):
        raise click.BadParameter(_("{value} is not a share from 0 to 1").format(value=value), ctx, param)
    return value


@click.command(cls=SpokenCommand)
@click.argument("sources", nargs=-1, required=True, type=FOLDER_OR_FILE)
@click.option("--baseline", type=FOLDER_OR_FILE, help="Accepted verdicts and failure stages: any drift falls short.")
@click.option("--write-baseline", "written", type=FOLDER_OR_FILE, help="Accept what is found, in this file.")
@click.option("--max-contamination", type=float, callback=_share, metavar="X", help="Upper bound of the mean, 0 to 1.")
@click.option("--max-loss", type=float, callback=_share, metavar="Y", help="Upper bound of the mean, 0 to 1.")
@click.option(
    "--fail-on",
    multiple=True,
    type=click.Choice(["unresolved", "stage"]),
    help="An unresolved verdict falls short, or any failure stage; may be given twice.",
)
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "junit"]), default="text", show_default=True, help="Output."
)
@click.option("--out", type=FOLDER_OR_FILE, default="-", show_default=True, help="Where it goes; - is stdout.")
@store_options
@route_options
def check(
    sources: tuple[Path, ...],
    baseline: Path | None,
    written: Path | None,
    max_contamination: float | None,
    max_loss: float | None,
    fail_on: tuple[str, ...],
    form: str,
    out: Path,
    **given: Any,
) -> None:
    """Check recorded answers in CI: exit 0 where all holds, 1 where something falls short, 2 for bad input.

    Where nothing in particular is asked for, no query may have a failure stage. Each reason is one line.
    """
    from inspector.audit import check as checking
    from inspector.audit.check_output import FORMS
    from inspector.reporting import reasons_of, snapshot

    wanted = checking.Wanted(
        baseline=None if baseline is None else checking.read_baseline(baseline),
        max_contamination=max_contamination,
        max_loss=max_loss,
        fail_on_unresolved="unresolved" in fail_on,
        fail_on_stage="stage" in fail_on,
    )
    with opened(sources, given, outs=(written, out)) as inspection:
        if not inspection.queries:
            raise InspectorError(_("the store has no queries: nothing can be checked: give --queries or --trace"))
        _tell_simulated(inspection)
        now = snapshot(inspection, inspection.auditor)
        result = checking.check(now, wanted, reasons_of(inspection))
        if written is not None:
            with writing(written) as file:
                file.write(checking.baseline_text(now))
            say(f"{written}: {_accepted(inspection)}")
            if wanted.nothing:
                return
        with writing(out) as file:
            file.write(FORMS[form](result))
        for name, limit in (("contamination", max_contamination), ("loss", max_loss)):
            if limit is not None and checking.mean(now["queries"], name) is None:
                say(_("--max-{name}: no query has this figure, so nothing can fall short of it").format(name=name))
    if not result.holds:
        raise click.exceptions.Exit(1)


def _accepted(inspection: Inspection) -> str:
    """What a new baseline accepts, in words: nobody should accept failures without being told."""
    firsts = [inspection.audit(qi).stages.first for qi in range(len(inspection.queries))]
    failed = sum(first not in ("none", "undecided") for first in firsts)
    undecided = firsts.count("undecided")
    return _("accepts {count:,} queries, {failed:,} that fail and {undecided:,} undecided among them").format(
        count=len(firsts), failed=failed, undecided=undecided
    )
