"""The commands for a room: lessons, and the program in a browser (issue 9)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from inspector.cli_language import SpokenCommand, language_option
from inspector.cli_options import FOLDER_OR_FILE, room_options, run_ui, say
from inspector.i18n import language


@click.command(cls=SpokenCommand)
@click.argument("lesson", required=False)
@click.option("--list", "listed", is_flag=True, help="Print the lessons and how far each was done, and open nothing.")
@click.option("--check", "checked", type=FOLDER_OR_FILE, help="Check a lesson file against its store; open nothing.")
@click.option("--restart", is_flag=True, help="Begin LESSON anew: its marks and edits are forgotten.")
@click.option("--present", is_flag=True, help="Show the keys that are pressed, for a room.")
@language_option
def learn(lesson: str | None, listed: bool, checked: Path | None, restart: bool, present: bool) -> None:
    """Open LESSON (its number, name or .toml file) in the terminal UI; without it, choose one.

    Each lesson asks for something to be done in the program itself, and notices when it was done.
    """
    from inspector import lessons

    if checked is not None:
        click.echo(lessons.check_lesson(checked))
    elif listed:
        for line in lessons.listing(language()):
            click.echo(line)
    elif lesson is None:
        run_ui(None, learn=True, present=present)
    else:
        found = lessons.find_lesson(lesson)
        if restart:
            lessons.restart(found)
        run_ui(None, learn=found, present=present)


@click.command(cls=SpokenCommand)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; others than this machine's are warned of.",
)
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True)
@click.option(
    "--visitors", type=click.IntRange(1, 500), default=30, show_default=True, help="At most so many at one time."
)
@click.option(
    "--learn", metavar="[N]", is_flag=False, flag_value="", help="Begin with lesson N, or with the list of lessons."
)
@click.option(
    "--font-size", type=click.IntRange(6, 72), default=16, show_default=True, help="Letters in the browser, in pixels."
)
@click.option(
    "--upload-mb",
    type=click.IntRange(0),
    default=50,
    show_default=True,
    help="Files that a visitor may bring; 0 for none.",
)
@click.option(
    "--encode", is_flag=True, help="Let visitors encode texts; takes a CPU and half a gigabyte for each who does."
)
@room_options
@language_option
def serve(host: str, port: int, visitors: int, font_size: int, upload_mb: int, **given: Any) -> None:
    """Serve the terminal UI in a browser: one process for each visitor, gone with all they did when they leave.

    Visitors see the bundled stores and the files that they drop on the page, and nothing else of this machine.
    """
    from inspector import lessons, serving

    if given["learn"]:
        lessons.find_lesson(given["learn"])
    settings = {**given, "language": language()}
    serving.serve(serving.ServeOptions(host, port, visitors, font_size, upload_mb, tuple(settings.items())), say)
