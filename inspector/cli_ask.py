"""The command that asks a typed question of a store (DESIGN 2, 12)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from inspector.cli_language import SpokenCommand
from inspector.cli_options import (
    FOLDER_OR_FILE,
    StderrProgress,
    decision_options,
    dump,
    opened,
    route_options,
    say,
    store_options,
    writing,
)
from inspector.errors import FieldError, InputError
from inspector.i18n import _


@click.command(cls=SpokenCommand)
@click.argument("sources", nargs=-1, required=True, type=FOLDER_OR_FILE)
@click.option("--text", required=True, help="The question.")
@click.option("--principal", metavar="ID", help="Who asks.")
@click.option(
    "--owns",
    multiple=True,
    metavar="NAMESPACE",
    help="A namespace of the principal's, or a JSON list of segments; else those of the store that name the principal.",
)
@click.option("--intent", type=click.Choice(["current", "history", "unknown"]), help="Which state is asked for.")
@click.option("--purpose", help="What the answer is for.")
@click.option("--session", help="The authenticated session.")
@click.option("--tag", help="The semantic tag: the task or topic.")
@click.option("--id", "query_id", help="The query's id; else ask-1, ask-2, …")
@click.option("--keep", is_flag=True, help="Keep the query in the workspace, as the terminal UI does.")
@click.option(
    "--out",
    type=FOLDER_OR_FILE,
    default=Path("-"),
    help="Where the rows go, one JSON object a line; stdout if not given.",
)
@store_options
@route_options
@decision_options
def ask(
    sources: tuple[Path, ...],
    text: str,
    principal: str | None,
    owns: tuple[str, ...],
    intent: str | None,
    purpose: str | None,
    session: str | None,
    tag: str | None,
    query_id: str | None,
    keep: bool,
    out: Path,
    **given: Any,
) -> None:
    """Ask a question of a store and judge its candidates: rows as of evaluate, for this query alone.

    --as-of is the instant that the question is about. What is left out is unknown: without --principal every
    candidate's scope is ?.
    """
    from inspector import rows
    from inspector.asked import asked_fields, read_namespaces
    from inspector.records import show_namespace

    try:
        typed = [made for one in owns for made in (read_namespaces(one) if one.lstrip().startswith("[") else [one])]
    except FieldError as error:
        raise InputError.at("--owns", None, "", error.wrong, error.expected) from None
    as_of = given["as_of"]
    with opened(sources, given, evaluate=False, outs=(out,)) as inspection:
        named = typed or (inspection.owned_by(principal) if principal else [])
        if principal and not typed:
            listed = ", ".join(repr(show_namespace(one)) for one in named)
            say(
                _("{principal} owns {listed}, the namespaces that name it; --owns says otherwise").format(
                    principal=principal, listed=listed
                )
                if named
                else _(
                    "no namespace of the store names {principal}: scope is ?; --owns NAMESPACE says what it owns"
                ).format(principal=principal)
            )
        others = {"intent": intent, "as_of": _instant(as_of), "purpose": purpose}
        others |= {"session_id": session, "semantic_tag": tag}
        fields = asked_fields(query_id or "", text, principal or "", named, **others)
        if not query_id:
            del fields["id"]
        try:
            qi = inspection.ask(fields, keep=keep)
        except FieldError as error:
            raise InputError.at("ask", None, error.field, error.wrong, error.expected) from None
        inspection.rank_asked(StderrProgress())
        with writing(out) as file:
            for row in rows.rows(inspection, [qi]):
                file.write(dump(row) + "\n")


def _instant(as_of: str | None) -> str | None:
    """The question's own instant; "now" is the moment of the command, as everywhere."""
    from datetime import UTC, datetime

    return datetime.now(UTC).isoformat(timespec="seconds") if as_of == "now" else as_of
