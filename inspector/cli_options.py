"""What commands share: options of a store, a route and a comparison, progress on stderr, files written whole."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import click

from inspector.cli_language import speak_in_ui
from inspector.errors import InspectorError
from inspector.i18n import _, words_for_people
from inspector.text import visible

FOLDER_OR_FILE = click.Path(path_type=Path)
Command = Callable[..., Any]
#: Flags of the decision layer's ablations, by the names of ``inspector.mdl.ABLATIONS``.
_SWITCHES = {
    "no-value-encoding": "a signal is its plain value",
    "no-risk-inversion": "the risk counts as it is, not turned round",
    "no-alpha-gate": "C_final is C",
    "no-risk-modulation": "the risk does not weigh the relevance",
    "identity-projectors": "every signal works on the whole space",
}


def say(words: str) -> None:
    """One line for people, on stderr, made inert."""
    click.echo(visible(words, newlines=True), err=True)


class StderrProgress:
    """Progress on stderr: one rewritten line on a terminal, else a line at the start and every few seconds."""

    def __init__(self) -> None:
        self._what = ""
        self._started = self._told = 0.0
        self._live = sys.stderr.isatty()

    def __call__(self, report: Any) -> None:
        """Tell one report of a :class:`inspector.records.Progress`."""
        now = time.monotonic()
        fresh = report.what != self._what
        ended = report.total is not None and report.done >= report.total
        if fresh:
            self._what, self._started = report.what, now
        elif now - self._told < (0.1 if self._live else 5.0) and not ended:
            return
        self._told = now
        told = _("{what}: {done:,} {unit}") if report.total is None else _("{what}: {done:,} of {total:,} {unit}")
        rate = report.done / (now - self._started) if now > self._started else 0.0
        left = ""
        if rate and report.total is not None and not ended and now - self._started > 1:
            left = _(", {rate:,.0f}/s, {seconds:,.0f} s left").format(
                rate=rate, seconds=(report.total - report.done) / rate
            )
        line = told.format(what=report.what, done=report.done, total=report.total, unit=report.unit) + left
        if self._live:
            click.echo("\r\x1b[K" + visible(line), nl=ended, err=True)
        else:
            say(line)


def store_options(command: Command, format_option: str = "--as") -> Command:
    """How a store is read."""
    options = [
        click.option("--queries", type=FOLDER_OR_FILE, help="Read the queries from this file."),
        click.option("--judgments", type=FOLDER_OR_FILE, help="Read judgments (released or human labels)."),
        click.option("--policy", type=FOLDER_OR_FILE, help="Policy rules (policy.toml)."),
        click.option(
            "--trace",
            type=FOLDER_OR_FILE,
            help="Read recorded retrievals, prompts and answers (see inspector formats).",
        ),
        click.option("--mapping", type=FOLDER_OR_FILE, help="How a foreign file's fields map to ours (mapping.toml)."),
        click.option(
            format_option, "as_format", metavar="FORMAT", help="Read SOURCE as this format (see inspector formats)."
        ),
        click.option("--workspace", type=FOLDER_OR_FILE, help="Keep vectors and edits in this file."),
        click.option("--temporary", is_flag=True, help="Use a private workspace that is removed at the end."),
        click.option("--model", metavar="PATH_OR_NAME", help="Encoder to use instead of the bundled MiniLM."),
        click.option("--as-of", "as_of", metavar="TIME", help="Instant of queries that state none; 'now' is allowed."),
        click.option(
            "--assume",
            multiple=True,
            metavar="FIELD=VALUE",
            help="Take a missing field as this (policy, FIELD, query.FIELD); said everywhere.",
        ),
        click.option("--lenient", is_flag=True, help="Skip bad records, count them and list them."),
        click.option("--planes", is_flag=True, help="Take the sources for exports of one store; compare them by id."),
        click.option("--no-edits", is_flag=True, help="Leave out the edits that the workspace holds."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def export_store_options(command: Command) -> Command:
    """How a store is read, where ``--as`` says what is written."""
    return store_options(command, "--from")


def screen_option(command: Command) -> Command:
    """Which screen of the terminal UI is shown first."""
    return click.option(
        "--screen",
        "place",
        type=click.Choice(["inspect", "triage", "compare", "store"]),
        default="inspect",
        show_default=True,
        help="The screen that is shown first.",
    )(command)


def room_options(command: Command) -> Command:
    """How the terminal UI is shown to a room."""
    command = click.option(
        "--redact", is_flag=True, help="Show tokens in place of the store's own texts, ids and names, in every pane."
    )(command)
    return click.option("--present", is_flag=True, help="Show the keys that are pressed, for a room.")(command)


def route_options(command: Command) -> Command:
    """On which route and by which rules it is evaluated."""
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
            type=FOLDER_OR_FILE,
            help="Word lists to use (operations, risk, negation …); may be given several times.",
        ),
        click.option(
            "--let-through",
            type=click.Choice(["admit", "unresolved"]),
            default="admit",
            show_default=True,
            help="Verdicts that go into an assembled prompt; unresolved adds those.",
        ),
        click.option(
            "--prompt-order",
            type=click.Choice(["rank", "oldest", "newest"]),
            default="rank",
            show_default=True,
            help="Order of an assembled prompt.",
        ),
        click.option(
            "--prompt-budget", type=click.IntRange(0), metavar="N", help="Cut an assembled prompt at this size."
        ),
        click.option(
            "--prompt-measure",
            type=click.Choice(["tokens", "characters"]),
            help="Unit of sizes and budget; else tokens for a budget and characters without one.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def decision_options(command: Command) -> Command:
    """By which constants the decision layer decides, over which pool."""
    options = [
        click.option(
            "--pool",
            type=click.Choice(["retrieved", "not-excluded"]),
            default="retrieved",
            show_default=True,
            help="Memories that M and R are taken over: all retrieved, or those that no verdict excludes.",
        ),
        click.option("--calibration", metavar="FILE", help="Decide by this calibration; the word none: by none."),
        click.option("--encode", is_flag=True, help="Encode for the decisions where the route needs no vectors."),
        click.option(
            "--signals",
            type=click.Choice(["M+R+A", "M+R", "M+A", "R+A", "M", "R", "A"]),
            default="M+R+A",
            help="Ablation: decide by these signals alone.",
        ),
        *(click.option(f"--{name}", is_flag=True, help=f"Ablation: {words}.") for name, words in _SWITCHES.items()),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def _assumptions(pairs: tuple[str, ...]) -> dict[str, str]:
    out: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name or not value:
            raise click.BadParameter(_("{pair!r} is not FIELD=VALUE").format(pair=pair), param_hint="--assume")
        out[name] = value
    return out


def options_of(given: dict[str, Any]) -> Any:
    """Take the store's and the route's options out of a command's arguments, as OpenOptions."""
    from inspector.requests import OpenOptions

    names = {
        "queries",
        "judgments",
        "policy",
        "mapping",
        "trace",
        "as_format",
        "workspace",
        "temporary",
        "model",
        "as_of",
    }
    names |= {"lenient", "no_edits", "route", "k", "lexical_text", "tau", "let_through", "gate", "lexicons"}
    names |= {"pool", "encode", "planes", "prompt_order", "prompt_budget", "prompt_measure"}
    values = {name: given.pop(name) for name in sorted(names & given.keys())}
    switched = [name for name in _SWITCHES if given.pop(name.replace("-", "_"), False)]
    signals = given.pop("signals", "M+R+A")
    values["ablate"] = tuple(switched if signals == "M+R+A" else [signals, *switched])
    calibration = given.pop("calibration", None)
    if calibration == "none":
        values["uncalibrated"] = True
    elif calibration is not None:
        values["calibration"] = Path(calibration)
    return OpenOptions(assume=_assumptions(given.pop("assume", ())), **values)


@contextlib.contextmanager
def opened(
    sources: tuple[Path, ...], given: dict[str, Any], *, evaluate: bool = True, outs: Sequence[Path | None] = ()
) -> Iterator[Any]:
    """The opened store, evaluated unless told otherwise; what its header says goes to stderr.

    ``outs`` are the files that will be written: none may be a source's, which is said before anything is worked out.
    """
    from inspector.inspection import open_sources

    progress = StderrProgress()
    with open_sources(sources, options_of(given), progress) as inspection:
        for out in outs:
            if out is not None and str(out) != "-":
                inspection.refuse_source(out)
        with words_for_people():
            told = inspection.header()
        for line in told:
            say(line)
        for problem in inspection.skipped:
            say(_("skipped: {problem}").format(problem=problem))
        if evaluate:
            inspection.evaluate(progress)
            with words_for_people():
                since = inspection.header()
            for line in since:
                if line not in told:
                    say(line)
        yield inspection


def dump(value: Any) -> str:
    """One JSON line."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


@contextlib.contextmanager
def writing(path: Path) -> Iterator[IO[str]]:
    """Write a file whole or not at all; ``-`` is standard output."""
    if str(path) == "-":
        yield sys.stdout
        return
    if path.exists() and not path.is_file():  # a device or a pipe is written to, never replaced
        with path.open("w", encoding="utf-8", newline="\n") as out:
            yield out
        return
    partial = path.with_name(path.name + ".part")
    try:
        with partial.open("w", encoding="utf-8", newline="\n") as out:
            yield out
        os.replace(partial, path)
    except OSError as error:
        raise InspectorError(
            _("{path}: cannot be written: {strerror}").format(path=path, strerror=error.strerror)
        ) from None
    finally:
        with contextlib.suppress(OSError):
            partial.unlink()


def comparison_options(command: Command) -> Command:
    """Which routes are compared, and how."""
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


def listed_of(text: str) -> tuple[str, ...]:
    """The names that commas separate."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def comparison_request(given: dict[str, Any]) -> Any:
    """Take the comparison's options out of a command's arguments."""
    from inspector.compare.comparison import Request

    return Request(
        routes=listed_of(given.pop("routes")),
        k=given["k"],
        tau=given["tau"],
        axes=listed_of(given.pop("axes")),
        cost=given.pop("cost"),
        base=given.pop("base"),
        seed=given.pop("seed"),
    )


def tell_opened(inspection: Any) -> None:
    """What the header of one of several stores says, on stderr."""
    with words_for_people():
        told = inspection.header()
    for line in told:
        say(f"{inspection.name}: {line}")
    for problem in inspection.skipped:
        say(_("skipped: {problem}").format(problem=problem))


def run_ui(request: Any, **more: Any) -> None:
    """Run the terminal UI on a request, None for a choice; ends the program where something unexpected happened."""
    speak_in_ui()
    from inspector.ui.app import InspectorApp

    app = InspectorApp(request, **more)
    app.run()
    if app.return_code:
        sys.exit(app.return_code)
