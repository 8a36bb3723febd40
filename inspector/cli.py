"""The command line (DESIGN 12). Stdout is data only; progress and words go to stderr; bad input exits with 2."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from inspector import __version__
from inspector.errors import InspectorError
from inspector.text import visible

if TYPE_CHECKING:
    from inspector.store.sqlpatch import Dialect

_FOLDER_OR_FILE = click.Path(path_type=Path)
_Command = Callable[..., Any]


class _Group(click.Group):
    """Without a command: the terminal UI with its chooser. Commands are listed in the order of a day's work."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click's own signature)
        """Commands in the order in which they are defined."""
        return list(self.commands)


def _say(words: str) -> None:
    click.echo(visible(words, newlines=True), err=True)


class _StderrProgress:
    """Progress on stderr: one rewritten line on a terminal, else a line at the start and every few seconds."""

    def __init__(self) -> None:
        self._what = ""
        self._started = self._told = 0.0
        self._live = sys.stderr.isatty()

    def __call__(self, report: Any) -> None:
        now = time.monotonic()
        fresh = report.what != self._what
        ended = report.total is not None and report.done >= report.total
        if fresh:
            self._what, self._started = report.what, now
        elif now - self._told < (0.1 if self._live else 5.0) and not ended:
            return
        self._told = now
        of = f"{report.done:,}" if report.total is None else f"{report.done:,} of {report.total:,}"
        rate = report.done / (now - self._started) if now > self._started else 0.0
        left = ""
        if rate and report.total is not None and not ended and now - self._started > 1:
            left = f", {rate:,.0f}/s, {(report.total - report.done) / rate:,.0f} s left"
        line = f"{report.what}: {of} {report.unit}{left}"
        if self._live:
            click.echo("\r\x1b[K" + visible(line), nl=ended, err=True)
        else:
            _say(line)


def _store_options(command: _Command, format_option: str = "--as") -> _Command:
    options = [
        click.option("--queries", type=_FOLDER_OR_FILE, help="Read the queries from this file."),
        click.option("--judgments", type=_FOLDER_OR_FILE, help="Read judgments (released or human labels)."),
        click.option("--policy", type=_FOLDER_OR_FILE, help="Policy rules (policy.toml)."),
        click.option("--mapping", type=_FOLDER_OR_FILE, help="How a foreign file's fields map to ours (mapping.toml)."),
        click.option(
            format_option, "as_format", metavar="FORMAT", help="Read SOURCE as this format (see inspector formats)."
        ),
        click.option("--workspace", type=_FOLDER_OR_FILE, help="Keep vectors and edits in this file."),
        click.option("--temporary", is_flag=True, help="Use a private workspace that is removed at the end."),
        click.option("--model", metavar="PATH_OR_NAME", help="Encoder to use instead of the bundled MiniLM."),
        click.option("--as-of", "as_of", metavar="TIME", help="Instant of queries that state none; 'now' is allowed."),
        click.option(
            "--assume", multiple=True, metavar="FIELD=VALUE", help="Take a missing field as this; said everywhere."
        ),
        click.option("--lenient", is_flag=True, help="Skip bad records, count them and list them."),
        click.option("--no-edits", is_flag=True, help="Leave out the edits that the workspace holds."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def _export_store_options(command: _Command) -> _Command:
    return _store_options(command, "--from")  # here --as says what is written


def _route_options(command: _Command) -> _Command:
    options = [
        click.option("--route", metavar="ROUTE", help="Retrieval route; postfilter:N takes a depth."),
        click.option("--top-k", "k", type=click.IntRange(1), default=20, show_default=True, help="Candidates a query."),
        click.option("--lexical-text", type=click.Choice(["text", "metadata"]), help="What a lexical route reads."),
        click.option("--tau", type=click.FloatRange(0, 1), default=0.8, show_default=True, help="Recall to match."),
        click.option(
            "--gate",
            type=click.Choice(["self_description", "jurisdiction", "grants", "layered"]),
            default="layered",
            show_default=True,
            help="How the execution gate rules.",
        ),
        click.option(
            "--lexicon",
            "lexicons",
            multiple=True,
            type=_FOLDER_OR_FILE,
            help="Word lists to use (operations, risk, negation …); may be given several times.",
        ),
        click.option(
            "--let-through",
            type=click.Choice(["admit", "unresolved"]),
            default="admit",
            show_default=True,
            help="Verdicts that go into an assembled prompt; unresolved adds those.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def _assumptions(pairs: tuple[str, ...]) -> dict[str, str]:
    out: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name or not value:
            raise click.BadParameter(f"{pair!r} is not FIELD=VALUE", param_hint="--assume")
        out[name] = value
    return out


def _options(given: dict[str, Any]) -> Any:
    """Take the store's and the route's options out of a command's arguments."""
    from inspector.requests import OpenOptions

    names = {"queries", "judgments", "policy", "mapping", "as_format", "workspace", "temporary", "model", "as_of"}
    names |= {"lenient", "no_edits", "route", "k", "lexical_text", "tau", "let_through", "gate", "lexicons"}
    values = {name: given.pop(name) for name in sorted(names & given.keys())}
    return OpenOptions(assume=_assumptions(given.pop("assume", ())), **values)


@contextlib.contextmanager
def _opened(sources: tuple[Path, ...], given: dict[str, Any], *, evaluate: bool = True) -> Iterator[Any]:
    from inspector.inspection import open_sources

    progress = _StderrProgress()
    with open_sources(sources, _options(given), progress) as inspection:
        for line in inspection.header():
            _say(line)
        for problem in inspection.skipped:
            _say(f"skipped: {problem}")
        if evaluate:
            inspection.evaluate(progress)
        yield inspection


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[IO[str]]:
    """Write a file whole or not at all; ``-`` is standard output."""
    if str(path) == "-":
        yield sys.stdout
        return
    partial = path.with_name(path.name + ".part")
    try:
        with partial.open("w", encoding="utf-8", newline="\n") as out:
            yield out
        os.replace(partial, path)
    except OSError as error:
        raise InspectorError(f"{path}: cannot be written: {error.strerror}") from None
    finally:
        with contextlib.suppress(OSError):
            partial.unlink()


@click.group(cls=_Group, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="inspector")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """See why an agent's answer came from the wrong memory, and what would have prevented it.

    Without a command: the terminal UI, with a choice of bundled stores and of your own.
    """
    if ctx.invoked_subcommand is None:
        _run_ui(None)


def _run_ui(request: Any) -> None:
    from inspector.ui.app import InspectorApp

    app = InspectorApp(request)
    app.run()
    if app.return_code:
        sys.exit(app.return_code)


@cli.command()
@click.argument("name", required=False)
@_route_options
def demo(name: str | None, **given: Any) -> None:
    """Open the bundled store NAME in the terminal UI; without NAME, choose one."""
    from inspector.requests import OpenRequest, demo_folder

    if name is None:
        _run_ui(None)
        return
    folder = demo_folder(name)
    _run_ui(OpenRequest((folder,), _options({**given, "temporary": True}), demo=name))


@cli.command("open")
@click.argument("sources", nargs=-1, required=True, type=_FOLDER_OR_FILE)
@_store_options
@_route_options
def open_(sources: tuple[Path, ...], **given: Any) -> None:
    """Open your own store (files or bundle folders) in the terminal UI."""
    from inspector.requests import OpenRequest

    _run_ui(OpenRequest(sources, _options(given)))


@cli.command()
@click.argument("sources", nargs=-1, required=True, type=_FOLDER_OR_FILE)
@click.option(
    "--out", type=_FOLDER_OR_FILE, required=True, help="Where the rows go, one JSON object a line; - is stdout."
)
@click.option("--summary", type=_FOLDER_OR_FILE, help="Where the summary goes, as JSON.")
@_store_options
@_route_options
def evaluate(sources: tuple[Path, ...], out: Path, summary: Path | None, **given: Any) -> None:
    """Judge every query × candidate and write one JSON object for each, in rank order."""
    from inspector import rows

    with _opened(sources, given) as inspection:
        with _writing(out) as file:
            for row in rows.rows(inspection):
                file.write(_dump(row) + "\n")
        if summary is not None:
            with _writing(summary) as file:
                file.write(json.dumps(rows.summary(inspection), ensure_ascii=False, indent=1, allow_nan=False) + "\n")


def _comparison_options(command: _Command) -> _Command:
    listed = "Names joined by commas."
    options = [
        click.option("--routes", required=True, metavar="ROUTES", help=f"Routes to compare. {listed}"),
        click.option("--top-k", "k", type=click.IntRange(1), default=20, show_default=True, help="Candidates a query."),
        click.option("--lexical-text", type=click.Choice(["text", "metadata"]), help="What a lexical route reads."),
        click.option("--tau", type=click.FloatRange(0, 1), default=0.8, show_default=True, help="Recall to match."),
        click.option("--axes", default="scope,policy,lifecycle", show_default=True, help=f"Axes that count. {listed}"),
        click.option(
            "--infeasibility-cost",
            "cost",
            type=click.FloatRange(0),
            default=1.0,
            show_default=True,
            help="Risk of a query that does not reach the recall.",
        ),
        click.option("--base", metavar="ROUTE", help="Take differences from this route; else from the first."),
        click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of every draw."),
        click.option("--json", "as_json", is_flag=True, help="As a JSON object instead of tables."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _comparison_request(given: dict[str, Any]) -> Any:
    from inspector.compare.comparison import Request

    return Request(
        routes=_listed(given.pop("routes")),
        k=given["k"],
        tau=given["tau"],
        axes=_listed(given.pop("axes")),
        cost=given.pop("cost"),
        base=given.pop("base"),
        seed=given.pop("seed"),
    )


def _tell_opened(inspection: Any) -> None:
    for line in inspection.header():
        _say(f"{inspection.name}: {line}")
    for problem in inspection.skipped:
        _say(f"skipped: {problem}")


@cli.command()
@click.argument("sources", nargs=-1, required=True, type=_FOLDER_OR_FILE)
@_comparison_options
@click.option("--by-query", is_flag=True, help="Add every query's own figures to --json.")
@click.option("--score", "scores", multiple=True, metavar="FIELD", help="A score that claims to tell violations.")
@_store_options
def compare(sources: tuple[Path, ...], as_json: bool, by_query: bool, scores: tuple[str, ...], **given: Any) -> None:
    """Compare routes at matched recall; each SOURCE is opened alone and counts the same."""
    from inspector import comparing

    request = _comparison_request(given)
    found = comparing.compare_sources(
        sources, _options(given), request, _StderrProgress(), scores=scores, on_open=_tell_opened
    )
    if as_json:
        click.echo(json.dumps(comparing.comparison_json(found, by_query=by_query), ensure_ascii=False, indent=1))
    else:
        click.echo(comparing.comparison_text(found))


@cli.command()
@click.argument("sources", nargs=-1, required=True, type=_FOLDER_OR_FILE)
@_comparison_options
@click.option("--kinds", metavar="KINDS", help="Kinds of label errors, joined by commas; else all.")
@click.option("--seeds", type=click.IntRange(1), default=10, show_default=True, help="Seeds of each rate.")
@click.option(
    "--tolerance", type=click.FloatRange(0), default=0.05, show_default=True, help="Growth of risk that breaks a route."
)
@_store_options
def sensitivity(
    sources: tuple[Path, ...], as_json: bool, kinds: str | None, seeds: int, tolerance: float, **given: Any
) -> None:
    """Corrupt and hide labels: what label errors cost each route, and which ? to resolve first."""
    from inspector import comparing

    request = comparing.SensitivityRequest(_comparison_request(given), seeds=seeds, tolerance=tolerance)
    if kinds is not None:
        request = dataclasses.replace(request, kinds=_listed(kinds))
    found, first = comparing.sensitivity_sources(
        sources, _options(given), request, _StderrProgress(), on_open=_tell_opened
    )
    if as_json:
        click.echo(json.dumps(comparing.sensitivity_json(found, first), ensure_ascii=False, indent=1))
    else:
        click.echo(comparing.sensitivity_text(found, first))


@cli.command()
@click.argument("sources", nargs=-1, required=True, type=_FOLDER_OR_FILE)
@click.option("--query", "query_id", required=True, metavar="ID", help="The query.")
@click.option("--memory", "memory_id", required=True, metavar="ID", help="The memory, retrieved or not.")
@click.option("--namespace", help="Its namespace, where several memories share the id.")
@click.option("--json", "as_json", is_flag=True, help="As a JSON object instead of text.")
@_store_options
@_route_options
def why(
    sources: tuple[Path, ...], query_id: str, memory_id: str, namespace: str | None, as_json: bool, **given: Any
) -> None:
    """Explain one pair: its axes, the fields they read, what would flip the verdict."""
    from inspector import rows
    from inspector.wording import why_text

    with _opened(sources, given) as inspection:
        qi, mi = inspection.find_pair(query_id, memory_id, namespace)
        explained = rows.why(inspection, qi, mi)
        click.echo(json.dumps(explained, ensure_ascii=False, indent=1) if as_json else why_text(explained))


@cli.command()
@click.argument("sources", nargs=-1, required=True, type=_FOLDER_OR_FILE)
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
    "--out", type=_FOLDER_OR_FILE, required=True, help="File to write (a new folder for a bundle); - is stdout."
)
@_export_store_options
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
            raise click.UsageError(f"--edits writes edits, not --as {kind}")
        kind = "sql" if dialect is not None or kind == "sql" else "edits"
    with _opened(sources, given, evaluate=False) as inspection:
        if kind == "bundle":
            inspection.export_bundle(out)
            return
        with _writing(out) as file:
            if kind == "jsonl":
                inspection.export_store(file)
            elif kind == "authority-packet":
                for note in inspection.export_packet(file):
                    _say(note)
            elif kind == "edits":
                inspection.export_edits(file)
            else:
                left_out = inspection.export_edits(file, "sql", dialect or "duckdb", table)
                if left_out:
                    _say(f"{left_out:,} edits have no SQL statement: the script's comments name them")


@cli.command()
@click.argument("patch", type=_FOLDER_OR_FILE)
@click.argument("sources", nargs=-1, required=True, type=_FOLDER_OR_FILE)
@click.option(
    "--out", type=_FOLDER_OR_FILE, required=True, help="New .jsonl file (memories only) or new bundle folder."
)
@click.option("--queries", type=_FOLDER_OR_FILE, help="Read the queries from this file.")
@click.option("--judgments", type=_FOLDER_OR_FILE, help="Read judgments (released or human labels).")
@click.option("--mapping", type=_FOLDER_OR_FILE, help="How a foreign file's fields map to ours (mapping.toml).")
@click.option("--as", "as_format", metavar="FORMAT", help="Read SOURCE as this format (see inspector formats).")
@click.option("--lenient", is_flag=True, help="Leave out bad records of the source.")
def apply(patch: Path, sources: tuple[Path, ...], out: Path, **given: Any) -> None:
    """Apply PATCH (of export --edits) to SOURCE, writing the edited store anew; SOURCE itself is never written.

    Refused as a whole, with the reason, where the source does not have the old values, as when it is applied again.
    """
    from inspector.formats import LoadOptions
    from inspector.patching import apply_patch

    _say(apply_patch(patch, sources, out, LoadOptions(**given), _StderrProgress()).words)


@cli.command()
@click.argument("sources", nargs=-1, required=True, type=_FOLDER_OR_FILE)
@click.option("--json", "as_json", is_flag=True, help="As a JSON object instead of text.")
@_store_options
def coverage(sources: tuple[Path, ...], as_json: bool, **given: Any) -> None:
    """Map what the store's memories govern against what authorises them, and list the gaps."""
    from inspector.wording import coverage_text

    with _opened(sources, given, evaluate=False) as inspection:
        covered = inspection.coverage().to_json(inspection.memories)
        click.echo(json.dumps(covered, ensure_ascii=False, indent=1) if as_json else coverage_text(covered))


@cli.command()
@click.argument("sources", nargs=-1, required=True, type=_FOLDER_OR_FILE)
@click.option("--json", "as_json", is_flag=True, help="Every finding, as a JSON object, instead of text.")
@click.option("--encode", is_flag=True, help="Encode the texts, to look for near duplicates and contradictions.")
@_store_options
def lint(sources: tuple[Path, ...], as_json: bool, encode: bool, **given: Any) -> None:
    """Report what is wrong with the store's records, and where: exit 1 where a finding is an error, else 0.

    Several sources are taken for exports of one store (rows and vectors, say) and compared by id.
    """
    from inspector.linting import lint_sources

    report = lint_sources(sources, _options(given), _StderrProgress(), encode=encode)
    click.echo(json.dumps(report.to_json(), ensure_ascii=False, indent=1) if as_json else report.text())
    if report.failed:
        raise click.exceptions.Exit(1)


@cli.command("packet-template")
def packet_template_() -> None:
    """Print a commented authority packet to start from."""
    from inspector.gate.packet import packet_template

    click.echo(packet_template())


@cli.command()
@click.option("--json", "as_json", is_flag=True, help="As JSON instead of text.")
def formats(as_json: bool) -> None:
    """List what can be read, how it is recognised, and what it cannot tell."""
    from inspector.formats import FORMATS

    if as_json:
        listed = [
            {
                "name": f.name,
                "summary": f.summary,
                "recognised_by": f.recognised_by,
                "loss": f.loss,
                "example": f.example,
            }
            for f in FORMATS
        ]
        click.echo(json.dumps(listed, ensure_ascii=False, indent=1))
        return
    for f in FORMATS:
        click.echo(f"{f.name}\n  {f.summary}\n  recognised by: {f.recognised_by}\n  cannot tell: {f.loss}")
        click.echo("".join(f"    {line}\n" for line in f.example.strip().splitlines()))


@cli.command()
@click.argument("what", required=False, type=click.Choice(["settings", "keymap", "themes", "workspaces", "fixtures"]))
def locate(what: str | None) -> None:
    """Print where settings, keymap, themes and workspaces are."""
    from inspector.places import places

    for name, path in places().items():
        if what is None:
            click.echo(f"{name}: {path}")
        elif what == name:
            click.echo(path)


def main() -> None:
    """Run the command line; expected failures become one line on stderr and exit code 2."""
    try:
        code = cli.main(prog_name="inspector", standalone_mode=False)
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except click.ClickException as error:
        _say(f"error: {error.format_message()}")
        if isinstance(error, click.UsageError) and error.ctx is not None:
            _say(f"try: {error.ctx.command_path} --help")
        code = 2
    except InspectorError as error:
        _say(f"error: {error}")
        code = 2
    except (KeyboardInterrupt, click.Abort):
        _say("interrupted: what was done before is kept in the workspace")
        code = 130
    except BrokenPipeError:
        # The reader of our output went away (a pager, head): not a fault, and nothing is left to tell it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 141
    sys.exit(code if isinstance(code, int) else 0)
