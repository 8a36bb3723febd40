"""The command that proposes a mapping for an export that no format knows (DESIGN 12)."""

from __future__ import annotations

from pathlib import Path

import click

from inspector.addresses import safe_address
from inspector.cli_language import SpokenCommand
from inspector.cli_options import FOLDER_OR_FILE, say
from inspector.errors import InputError, InspectorError
from inspector.i18n import _
from inspector.text import visible


@click.command("map", cls=SpokenCommand)
@click.argument("source", type=FOLDER_OR_FILE)
@click.option("--out", type=FOLDER_OR_FILE, help="Write the mapping here; a file that is there is never replaced.")
@click.option("--table", default="", help="Of a database: the table; else the one with the most columns.")
@click.option("--records", default="", metavar="PATH", help="Of a JSON document: where the list of memories is.")
@click.option("--timezone", default="", help="The zone of times that name none.")
def map_(source: Path, out: Path | None, table: str, records: str, timezone: str) -> None:
    """Propose a mapping.toml for SOURCE, an export or database that no format knows, by its fields' names and values.

    Each match says how sure it is and why. The first ten records are read through it, and what is wrong is said. In the
    terminal UI the mapping assistant does the same with a person's choices.
    """
    from inspector.assisting import Assistant
    from inspector.errors import FieldError

    assistant = Assistant.of(source, table, records)
    try:
        assistant.set_timezone(timezone)
    except FieldError as error:
        raise InputError.at("--timezone", None, "", error.wrong, error.expected) from None
    if out is None:
        click.echo(visible(assistant.toml(), newlines=True), nl=False)
    try:
        rows = assistant.preview()
    except InputError as error:
        if out is not None:
            raise
        say(
            _("the mapping is not complete: {field} {wrong}: {expected}").format(
                field=error.problem.field, wrong=error.problem.wrong, expected=error.problem.expected
            )
        )
        return
    bad = [row.problem for row in rows if row.problem is not None]
    said = _("{count} of the first {count2} records can be read through it").format(
        count=len(rows) - len(bad), count2=len(rows)
    )
    say(said + (_("; the first that cannot: {bad}").format(bad=bad[0]) if bad else ""))
    if out is not None:
        if str(out) == "-":
            raise InspectorError(_("--out: a file is expected; without --out the mapping goes to stdout"))
        assistant.write(out)
        name = safe_address(source) if str(source).startswith("postgres") else source
        say(_("written to {out}: inspector open {name} --mapping {out}").format(out=out, name=name))
