"""Bring the Korean catalogue up to date: extract the messages, update inspector.po, compile inspector.mo.

Run it after a message was added or changed: ``python tests/tools/make_messages.py``; it lists what lacks a translation.
``inspector.po`` is then edited by hand, and the script run again. A test fails while the catalogue is out of date.

Messages come from four places: calls of ``_``, ``_d``, ``N_``, ``D_``, ``ngettext`` in the sources (Babel's extractor);
``PANE`` and ``HELP`` of the UI's panes and the labels and help of its columns (the syntax tree); the registries that
the program shows (actions, places, settings, signs, formats, routes, lint codes); and the help of the command line,
click's own words included.
"""

from __future__ import annotations

import ast
import importlib
import io
import pkgutil
import sys
from collections.abc import Iterator
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path

import click
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "inspector"
PO = SOURCES / "locale" / "ko" / "LC_MESSAGES" / "inspector.po"
MO = PO.with_suffix(".mo")
KEYWORDS: dict[str, tuple[int, int] | None] = {
    **dict.fromkeys(("_", "_d", "N_", "D_")),
    **dict.fromkeys(("ngettext", "ngettext_d"), (1, 2)),
}
#: Messages of click that its users meet; click looks them up in the domain that the program sets.
CLICKS = (
    "Usage:", "Options", "Commands", "Error: {message}", "Aborted!", "default: {default}", "required",
    "Show this message and exit.", "Show the version and exit.", "Missing command.", "Missing argument",
    "Missing option", "Missing parameter", "Invalid value: {message}", "Invalid value for {param_hint}: {message}",
    "No such option {name!r}.", "No such command {name!r}.", "Choose from:\n\t{choices}",
    "{value!r} is not a valid {number_type}.", "{value} is not in the range {range}.",
    "Option {name!r} does not take a value.", "Positional arguments",
)  # fmt: skip
CLICKS_PLURAL = (
    ("Option {name!r} requires an argument.", "Option {name!r} requires {nargs} arguments."),
    ("Got unexpected extra argument ({args})", "Got unexpected extra arguments ({args})"),
    ("{value!r} is not {choice}.", "{value!r} is not one of {choices}."),
    ("Did you mean {possibility}?", "(Possible options: {possibilities})"),
)
#: The day that the catalogue was begun: a date of each run would make two runs differ.
MADE = datetime(2026, 11, 30, tzinfo=UTC)
Message = str | tuple[str, str]


def calls() -> Iterator[tuple[str, Message]]:
    """Place and message of every marked call in the sources."""
    for file, _line, message, _comments, _context in extract_from_dir(
        str(SOURCES), method_map=[("**.py", "python")], keywords=KEYWORDS
    ):
        yield file, (message[0], message[1]) if isinstance(message, tuple) else message


def inside_texts() -> Iterator[tuple[str, Message]]:
    """Marked calls among the values of f-strings, which Babel sees from Python 3.12 on only."""
    for path in sorted(SOURCES.rglob("*.py")):
        place = path.relative_to(SOURCES).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        texts = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
        for node in (one for text in texts for one in ast.walk(text)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in KEYWORDS:
                words = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
                if words:
                    yield place, (words[0], words[1]) if KEYWORDS[node.func.id] else words[0]


def panes() -> Iterator[tuple[str, Message]]:
    """``PANE`` and ``HELP`` of the UI's classes, and labels and help of the columns that they make."""
    import inspector.ui

    for found in pkgutil.walk_packages(inspector.ui.__path__, "inspector.ui."):
        module = importlib.import_module(found.name)
        for each in vars(module).values():
            if isinstance(each, type) and each.__module__ == found.name:
                for name in ("PANE", "HELP", "TITLE"):
                    words = vars(each).get(name)
                    if isinstance(words, str) and words:
                        yield found.name.partition(".")[2].replace(".", "/") + ".py", " ".join(words.split())
    for path in sorted((SOURCES / "ui").rglob("*.py")):
        place = path.relative_to(SOURCES).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Column":
                shown = [*node.args[1:2], *(word.value for word in node.keywords if word.arg in ("label", "help"))]
                for each in shown:
                    yield from ((place, text) for text in _constants(each))


def counts() -> Iterator[tuple[str, Message]]:
    """Numbers with their noun: calls of :func:`inspector.text.counted`."""
    for path in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "counted"):
                continue
            nouns = [str(each.value) for each in node.args[1:] if isinstance(each, ast.Constant) and each.value]
            if nouns:
                many = nouns[1] if len(nouns) > 1 else f"{nouns[0]}s"
                yield path.relative_to(SOURCES).as_posix(), (f"{{count}} {nouns[0]}", f"{{count}} {many}")


def _constants(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.strip():
        yield " ".join(node.value.split())


def registries() -> Iterator[tuple[str, Message]]:
    """What the program shows out of its tables."""
    from inspector.compare.corruption import CORRUPTIONS
    from inspector.compare.figures import EXPOSURE_METRICS, METRICS
    from inspector.formats import FORMATS
    from inspector.formats.traces import TRACE_FORMATS
    from inspector.gate.coverage import Protection
    from inspector.lessons.conditions import KINDS
    from inspector.mdl.params import Params
    from inspector.records import AXES, MEMORY_FIELDS, QUERY_FIELDS
    from inspector.requests import demos
    from inspector.retrieval.specs import ROUTES
    from inspector.store.lint_codes import CODES
    from inspector.survey import MARKS, PARTS
    from inspector.ui.actions import ACTIONS, PLACES
    from inspector.ui.config import SETTINGS
    from inspector.ui.screens.help import SIGNS
    from inspector.ui.theming import load_themes
    from inspector.views import VERDICT_WORDS

    for action in ACTIONS:
        yield from (("ui/keys", text) for text in (action.name, action.help, action.label) if text)
    yield from (("ui/actions.py", title) for title, _around in PLACES.values())
    yield from (("ui/config.py", setting.help) for setting in SETTINGS)
    yield from (("views.py", word) for word in VERDICT_WORDS.values())
    yield from (("gate/coverage.py", cell.value) for cell in Protection)
    yield from (("records.py", spec.help) for spec in (*MEMORY_FIELDS.values(), *QUERY_FIELDS.values()))
    yield from (("retrieval/specs.py", route.summary) for route in ROUTES.values())
    yield from (
        ("formats", text)
        for each in (*FORMATS, *TRACE_FORMATS)
        for text in (each.summary, each.recognised_by, each.loss, each.scope, each.policy, each.lifecycle)
        if text
    )
    yield from (("compare/corruption.py", kind.words) for kind in CORRUPTIONS.values())
    yield from (("themes", about) for about in load_themes().about.values() if about)
    yield from (("mdl/params.py", spec.metadata["help"]) for spec in fields(Params))
    yield from (("store/lint_codes.py", text) for code in CODES.values() for text in (code.means, code.do))
    yield from (("axes", axis) for axis in (*AXES, "relevance"))
    yield from (("fixtures", demo.lesson) for demo in demos())
    yield from (("compare/figures.py", metric.words) for metric in (*METRICS.values(), *EXPOSURE_METRICS.values()))
    yield from (("survey.py", text) for text in (*MARKS, *PARTS))
    for kind in KINDS.values():
        helps = (kind.help, *(param.help for param in kind.params.values()))
        yield from (("lessons/conditions.py", text) for text in helps)
    yield from (("ui/screens/help.py", text) for sign, _style, meaning in SIGNS for text in (sign, meaning))


def command_line() -> Iterator[tuple[str, Message]]:
    """The help of every command and option, and click's own words."""
    from inspector.cli import cli

    def walk(command: click.Command) -> Iterator[tuple[str, Message]]:
        if command.help:
            yield "cli.py", command.help
        for param in command.params:
            words = getattr(param, "help", None)
            if words:
                yield "cli.py", words
        for each in getattr(command, "commands", {}).values():
            yield from walk(each)

    yield from walk(cli)
    yield from (("click", text) for text in (*CLICKS, *CLICKS_PLURAL))


def extracted() -> Catalog:
    """Every message of the program, without translations."""
    found: dict[Message, set[str]] = {}
    for source in (calls(), inside_texts(), panes(), counts(), registries(), command_line()):
        for place, message in source:
            found.setdefault(message, set()).add(place)
    catalog = Catalog(project="inspector", version="1", charset="utf-8", fuzzy=False, creation_date=MADE)
    order = sorted(found, key=lambda message: (min(found[message]), str(message)))
    for message in order:
        catalog.add(message, locations=[(place, 0) for place in sorted(found[message])])
    return catalog


def read() -> Catalog:
    """The Korean catalogue as it lies in the sources."""
    with PO.open("rb") as file:
        return read_po(file, locale="ko", domain="inspector")


def written(catalog: Catalog) -> bytes:
    """The text of a ``.po``."""
    out = io.BytesIO()
    write_po(out, catalog, width=120, sort_output=False, include_lineno=False, ignore_obsolete=True)
    return out.getvalue()


def compiled(catalog: Catalog) -> bytes:
    """The ``.mo`` of a catalogue; nothing fuzzy is in it."""
    out = io.BytesIO()
    write_mo(out, catalog)
    return out.getvalue()


def untranslated(catalog: Catalog) -> list[Message]:
    """Messages without a translation, or with one that is in doubt."""
    return [
        each.id  # type: ignore[misc]
        for each in catalog
        if each.id and (each.fuzzy or not (all(each.string) if isinstance(each.string, tuple) else each.string))
    ]


def main() -> None:
    """Update and compile; names what is left to translate."""
    catalog = read()
    catalog.update(extracted(), no_fuzzy_matching=True)
    PO.write_bytes(written(catalog))
    MO.write_bytes(compiled(catalog))
    left = untranslated(catalog)
    for message in left:
        print(f"no translation: {message!r}")
    sys.exit(1 if left else 0)


if __name__ == "__main__":
    main()
