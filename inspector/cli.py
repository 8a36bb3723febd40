"""The command line (DESIGN 12). Stdout is data only; progress and words go to stderr; bad input exits with 2."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from inspector import __version__, cli_ask, cli_audit, cli_boundary, cli_learn, cli_map
from inspector.cli_language import SpokenGroup, language_option, speak
from inspector.cli_options import (
    FOLDER_OR_FILE,
    StderrProgress,
    comparison_options,
    comparison_request,
    decision_options,
    dump,
    export_store_options,
    listed_of,
    opened,
    options_of,
    room_options,
    route_options,
    run_ui,
    say,
    screen_option,
    store_options,
    tell_opened,
    writing,
)
from inspector.errors import InspectorError
from inspector.i18n import _, _d

if TYPE_CHECKING:
    from inspector.requests import Place
    from inspector.store.sqlpatch import Dialect


class _Group(SpokenGroup):
    """Without a command: the terminal UI with its chooser. Commands are listed in the order of a day's work."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click's own signature)
        """Commands in the order in which they are defined."""
        return list(self.commands)


@click.group(cls=_Group, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="inspector")
@language_option
@click.pass_context
def cli(ctx: click.Context) -> None:
    """See why an agent's answer came from the wrong memory, and what would have prevented it.

    Without a command: the terminal UI, with a choice of bundled stores and of your own.
    """
    if ctx.invoked_subcommand is None:
        run_ui(None)


@cli.command()
@click.argument("name", required=False)
@screen_option
@room_options
@route_options
@decision_options
def demo(name: str | None, place: Place, present: bool, redact: bool, **given: Any) -> None:
    """Open the bundled store NAME in the terminal UI; without NAME, choose one."""
    from inspector.requests import OpenRequest, demo_folder

    if name is None:
        run_ui(None, present=present, redact=redact)
        return
    request = OpenRequest((demo_folder(name),), options_of({**given, "temporary": True}), demo=name, place=place)
    run_ui(request, present=present, redact=redact)


cli.add_command(cli_learn.learn)
cli.add_command(cli_learn.serve)


@cli.command("open")
@click.argument("sources", nargs=-1, required=True, type=FOLDER_OR_FILE)
@screen_option
@store_options
@room_options
@route_options
@decision_options
def open_(sources: tuple[Path, ...], place: Place, present: bool, redact: bool, **given: Any) -> None:
    """Open your own store (files or bundle folders) in the terminal UI."""
    from inspector.requests import OpenRequest

    run_ui(OpenRequest(sources, options_of(given), place=place), present=present, redact=redact)


@cli.command()
@click.argument("sources", nargs=-1, required=True, type=FOLDER_OR_FILE)
@click.option(
    "--out", type=FOLDER_OR_FILE, required=True, help="Where the rows go, one JSON object a line; - is stdout."
)
@click.option("--summary", type=FOLDER_OR_FILE, help="Where the summary goes, as JSON.")
@store_options
@route_options
@decision_options
def evaluate(sources: tuple[Path, ...], out: Path, summary: Path | None, **given: Any) -> None:
    """Judge every query × candidate and write one JSON object for each, in rank order."""
    from inspector import rows

    with opened(sources, given, outs=(out, summary)) as inspection:
        if not inspection.queries:
            say(_("there are no queries: `inspector ask SOURCE --text …` asks one, --queries FILE reads some"))
        with writing(out) as file:
            for row in rows.rows(inspection):
                file.write(dump(row) + "\n")
        if summary is not None:
            with writing(summary) as file:
                file.write(json.dumps(rows.summary(inspection), ensure_ascii=False, indent=1, allow_nan=False) + "\n")


@cli.command()
@click.argument("sources", nargs=-1, required=True, type=FOLDER_OR_FILE)
@comparison_options
@click.option("--by-query", is_flag=True, help="Add every query's own figures to --json.")
@click.option("--score", "scores", multiple=True, metavar="FIELD", help="A score that claims to tell violations.")
@store_options
def compare(sources: tuple[Path, ...], as_json: bool, by_query: bool, scores: tuple[str, ...], **given: Any) -> None:
    """Compare routes at matched recall; each SOURCE is opened alone and counts the same."""
    from inspector import comparing

    request = comparison_request(given)
    found = comparing.compare_sources(
        sources, options_of(given), request, StderrProgress(), scores=scores, on_open=tell_opened
    )
    if as_json:
        click.echo(json.dumps(comparing.comparison_json(found, by_query=by_query), ensure_ascii=False, indent=1))
    else:
        click.echo(comparing.comparison_text(found))


@cli.command()
@click.argument("sources", nargs=-1, required=True, type=FOLDER_OR_FILE)
@comparison_options
@click.option(
    "--kinds",
    metavar="KINDS",
    help="Kinds of label errors, joined by commas; else all; none: only which ? to resolve first.",
)
@click.option("--seeds", type=click.IntRange(1), default=10, show_default=True, help="Seeds of each rate.")
@click.option(
    "--tolerance", type=click.FloatRange(0), default=0.05, show_default=True, help="Growth of risk that breaks a route."
)
@store_options
def sensitivity(
    sources: tuple[Path, ...], as_json: bool, kinds: str | None, seeds: int, tolerance: float, **given: Any
) -> None:
    """Corrupt and hide labels: what label errors cost each route, and which ? to resolve first."""
    from inspector import comparing

    request = comparing.SensitivityRequest(comparison_request(given), seeds=seeds, tolerance=tolerance)
    if kinds is not None:
        request = dataclasses.replace(request, kinds=() if kinds == "none" else listed_of(kinds))
    found, first = comparing.sensitivity_sources(
        sources, options_of(given), request, StderrProgress(), on_open=tell_opened
    )
    if as_json:
        click.echo(json.dumps(comparing.sensitivity_json(found, first), ensure_ascii=False, indent=1))
    else:
        click.echo(comparing.sensitivity_text(found, first))


@cli.command()
@click.argument("sources", nargs=-1, required=True, type=FOLDER_OR_FILE)
@click.option("--query", "query_id", required=True, metavar="ID", help="The query.")
@click.option("--memory", "memory_id", required=True, metavar="ID", help="The memory, retrieved or not.")
@click.option("--namespace", help="Its namespace, where several memories share the id.")
@click.option("--json", "as_json", is_flag=True, help="As a JSON object instead of text.")
@store_options
@route_options
@decision_options
def why(
    sources: tuple[Path, ...], query_id: str, memory_id: str, namespace: str | None, as_json: bool, **given: Any
) -> None:
    """Explain one pair: its axes, the fields they read, what would flip the verdict."""
    from inspector import rows
    from inspector.wording import why_text

    with opened(sources, given, evaluate=False) as inspection:
        qi, mi = inspection.find_pair(query_id, memory_id, namespace)  # before anything is encoded
        inspection.evaluate(StderrProgress())
        explained = rows.why(inspection, qi, mi)
        click.echo(json.dumps(explained, ensure_ascii=False, indent=1) if as_json else why_text(explained))


cli.add_command(cli_audit.triage)
cli.add_command(cli_audit.report)
cli.add_command(cli_audit.check)


@cli.command()
@click.argument("sources", nargs=-1, required=True, type=FOLDER_OR_FILE)
@click.option(
    "--as",
    "kind",
    type=click.Choice(["jsonl", "bundle", "edits", "sql", "authority-packet"]),
    default="jsonl",
    show_default=True,
    help="jsonl: the memories, edits applied; bundle: a whole folder; edits: JSON patch lines; sql: UPDATE statements;"
    " authority-packet: a packet for the execution gate's own evaluator.",
)
@click.option(
    "--edits", "edits_only", is_flag=True, help="The edits alone: as --as edits, or with --dialect as --as sql."
)
@click.option(
    "--dialect", type=click.Choice(["duckdb", "postgresql", "sqlite"]), help="Of the SQL; duckdb if not given."
)
@click.option("--table", default="memories", show_default=True, help="The table that the SQL is about.")
@click.option(
    "--out", type=FOLDER_OR_FILE, required=True, help="File to write (a new folder for a bundle); - is stdout."
)
@export_store_options
def export(
    sources: tuple[Path, ...],
    kind: str,
    edits_only: bool,
    dialect: Dialect | None,
    table: str,
    out: Path,
    **given: Any,
) -> None:
    """Write the store with its edits, or the edits alone. The source itself is never written."""
    if edits_only:
        if kind not in ("jsonl", "edits", "sql"):
            raise click.UsageError(_("--edits writes edits, not --as {kind}").format(kind=kind))
        kind = "sql" if dialect is not None or kind == "sql" else "edits"
    if kind == "bundle" and str(out) == "-":
        raise click.UsageError(_("a bundle is a folder and does not go to stdout: give its name as --out"))
    with opened(sources, given, evaluate=False, outs=(out,)) as inspection:
        if kind == "bundle":
            inspection.export_bundle(out)
            return
        with writing(out) as file:
            if kind == "jsonl":
                inspection.export_store(file)
            elif kind == "authority-packet":
                for note in inspection.export_packet(file):
                    say(note)
            elif kind == "edits":
                inspection.export_edits(file)
            else:
                left_out = inspection.export_edits(file, "sql", dialect or "duckdb", table)
                if left_out:
                    say(
                        _("{left_out:,} edits have no SQL statement: the script's comments name them").format(
                            left_out=left_out
                        )
                    )


@cli.command()
@click.argument("patch", type=FOLDER_OR_FILE)
@click.argument("sources", nargs=-1, required=True, type=FOLDER_OR_FILE)
@click.option("--out", type=FOLDER_OR_FILE, required=True, help="New .jsonl file (memories only) or new bundle folder.")
@click.option("--queries", type=FOLDER_OR_FILE, help="Read the queries from this file.")
@click.option("--judgments", type=FOLDER_OR_FILE, help="Read judgments (released or human labels).")
@click.option("--mapping", type=FOLDER_OR_FILE, help="How a foreign file's fields map to ours (mapping.toml).")
@click.option("--as", "as_format", metavar="FORMAT", help="Read SOURCE as this format (see inspector formats).")
@click.option("--lenient", is_flag=True, help="Leave out bad records of the source.")
def apply(patch: Path, sources: tuple[Path, ...], out: Path, **given: Any) -> None:
    """Apply PATCH (of export --edits) to SOURCE, writing the edited store anew; SOURCE itself is never written.

    Refused as a whole, with the reason, where the source does not have the old values, as when it is applied again.
    """
    from inspector.formats import LoadOptions
    from inspector.patching import apply_patch

    say(apply_patch(patch, sources, out, LoadOptions(**given), StderrProgress()).words)


@cli.command()
@click.argument("sources", nargs=-1, required=True, type=FOLDER_OR_FILE)
@click.option("--json", "as_json", is_flag=True, help="As a JSON object instead of text.")
@store_options
def coverage(sources: tuple[Path, ...], as_json: bool, **given: Any) -> None:
    """Map what the store's memories govern against what authorises them, and list the gaps."""
    from inspector.wording import coverage_text

    with opened(sources, given, evaluate=False) as inspection:
        covered = inspection.coverage().to_json(inspection.memories)
        click.echo(json.dumps(covered, ensure_ascii=False, indent=1) if as_json else coverage_text(covered))


@cli.command()
@click.argument("sources", nargs=-1, required=True, type=FOLDER_OR_FILE)
@click.option("--json", "as_json", is_flag=True, help="Every finding, as a JSON object, instead of text.")
@click.option("--encode", is_flag=True, help="Encode the texts, to look for near duplicates and contradictions.")
@store_options
def lint(sources: tuple[Path, ...], as_json: bool, encode: bool, **given: Any) -> None:
    """Report what is wrong with the store's records, and where: exit 1 where a finding is an error, else 0.

    Several sources are taken for exports of one store (rows and vectors, say) and compared by id.
    """
    from inspector.linting import lint_sources

    report = lint_sources(sources, options_of(given), StderrProgress(), encode=encode)
    click.echo(json.dumps(report.to_json(), ensure_ascii=False, indent=1) if as_json else report.text())
    if report.failed:
        raise click.exceptions.Exit(1)


cli.add_command(cli_ask.ask)
cli.add_command(cli_map.map_)
cli.add_command(cli_boundary.transition)
cli.add_command(cli_boundary.replay)


@cli.command()
@click.argument("file", type=FOLDER_OR_FILE)
@click.argument("sources", nargs=-1, type=FOLDER_OR_FILE)
@click.option("--out", type=FOLDER_OR_FILE, help="Where the calibration file goes; without it nothing is written.")
@click.option("--name", help="What the calibration is called; else the labelled file's name.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Draws the rows that are held out.")
@click.option("--held-out", type=float, default=0.25, show_default=True, help="Share of the rows that is held out.")
@click.option("--n-min", type=float, help="Fix ‖v_meta‖ where C is 0; else from the rows.")
@click.option("--n-max", type=float, help="Fix ‖v_meta‖ where C is 1; else from the rows.")
@click.option("--json", "as_json", is_flag=True, help="The account as a JSON object instead of text.")
@store_options
@route_options
@decision_options
def calibrate(
    file: Path,
    sources: tuple[Path, ...],
    out: Path | None,
    name: str | None,
    seed: int,
    held_out: float,
    n_min: float | None,
    n_max: float | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Fit the decision layer to FILE: rows of M, R, A and the action that was right (CSV, JSONL or Parquet).

    A row may give a query_id instead of M, R, A: it is looked up in the SOURCEs.
    """
    from inspector.calibrating import calibrate_with, report_text

    options = options_of(given)
    report = calibrate_with(
        file, sources, options, StderrProgress(), out, name=name, seed=seed, held_out=held_out, n_min=n_min, n_max=n_max
    )
    click.echo(json.dumps(report.json(), ensure_ascii=False, indent=1) if as_json else report_text(report))
    if out is None:
        say(_("nothing was written: --out FILE writes the calibration"))


@cli.command("packet-template")
def packet_template_() -> None:
    """Print a commented authority packet to start from."""
    from inspector.gate.packet import packet_template

    click.echo(packet_template())


@cli.command()
@click.option("--json", "as_json", is_flag=True, help="As JSON instead of text.")
def formats(as_json: bool) -> None:
    """List what can be read, how it is recognised, what each axis is read from, and what it cannot tell.

    Then the traces that --trace reads. The lines under each are its shortest example.
    """
    from inspector.formats import FORMATS
    from inspector.formats.traces import TRACE_FORMATS

    if as_json:
        listed = [
            {
                "name": f.name,
                "summary": f.summary,
                "recognised_by": f.recognised_by,
                "scope": f.scope,
                "policy": f.policy,
                "lifecycle": f.lifecycle,
                "loss": f.loss,
                "example": f.example,
                "given_as": "SOURCE" if f in FORMATS else "--trace",
            }
            for f in (*FORMATS, *TRACE_FORMATS)
        ]
        click.echo(json.dumps(listed, ensure_ascii=False, indent=1))
        return
    for f in (*FORMATS, *TRACE_FORMATS):
        given = "" if f in FORMATS else "  (--trace)"
        click.echo(f"{f.name}{given}\n  {_d(f.summary)}")
        click.echo(_d("  recognised by: {words}").format(words=_d(f.recognised_by)))
        for axis in ("scope", "policy", "lifecycle") if f in FORMATS else ():
            words = _d(getattr(f, axis)) if getattr(f, axis) else _d("nothing")
            click.echo(_d("  {axis} from: {words}").format(axis=axis, words=words))
        click.echo(_d("  cannot tell: {words}").format(words=_d(f.loss)))
        click.echo("".join(f"    {line}\n" for line in f.example.strip().splitlines()))


@cli.command()
@click.argument(
    "what", required=False, type=click.Choice(["settings", "keymap", "themes", "lessons", "workspaces", "fixtures"])
)
def locate(what: str | None) -> None:
    """Print where settings, keymap, themes, lessons and workspaces are."""
    from inspector.places import places

    for name, path in places().items():
        if what is None:
            click.echo(f"{name}: {path}")
        elif what == name:
            click.echo(path)


def _unread() -> int:
    """The reader of our output went away (a pager, head): not a fault, and nothing is left to tell it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 141


def main() -> None:
    """Run the command line; expected failures become one line on stderr and exit code 2."""
    speak()
    out = sys.stdout
    try:
        code = cli.main(prog_name="inspector", standalone_mode=False)
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except click.ClickException as error:
        said = _("error: {format_message}").format(format_message=" ".join(error.format_message().split()).rstrip("."))
        if isinstance(error, click.UsageError) and error.ctx is not None:
            said += _(": see {command_path} --help").format(command_path=error.ctx.command_path)
        say(said)
        code = 2
    except InspectorError as error:
        say(_("error: {error}").format(error=error))
        code = 2
    except (KeyboardInterrupt, click.Abort):
        say(_("interrupted: what was done before is kept in the workspace"))
        code = 130
    except BrokenPipeError:
        code = _unread()
    except SystemExit:
        # Where nobody reads any more click puts a quiet stdout in place and ends with 1: that a check falls short.
        if sys.stdout is out:
            raise
        code = _unread()
    sys.exit(code if isinstance(code, int) else 0)
