"""No sentence below the UI, or of the command line, is left unmarked: every literal that reads like prose, found in the
syntax tree, is marked, is a message of the catalogue (registries and help are), or is listed here with the reason."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.mofile import read_mo

ROOT = Path(__file__).resolve().parents[2] / "inspector"
CATALOGUE = ROOT / "locale" / "ko" / "LC_MESSAGES" / "inspector.mo"
FILES = sorted(path for path in ROOT.rglob("*.py") if "ui" not in path.relative_to(ROOT).parts)
MARKS = {"_", "_d", "N_", "D_", "ngettext", "ngettext_d", "counted"}
#: Two words in a row, or, in a text with values, a word of three letters that stands alone.
PROSE = re.compile(r"(?<![\w./=$-])[A-Za-z]{2,}[,:;]? [(a-z][a-z]+(?![\w=])")
PROSE_AROUND_VALUES = re.compile(r"(?<![\w./=<\"'$-])[a-z]{3,}(?![\w=/<>\"'({\[.-]|:\{)")
#: Statements for a database, names of its types, HTML and XML, settings of TOML, and lists of names of fields.
CODE = re.compile(
    r"\b(SELECT|INSERT|UPDATE|DELETE|CREATE|FROM|WHERE|SET|PRAGMA|DESCRIBE|CAST|BEGIN|ORDER BY|IS NULL|AS|VARCHAR)\b"
    r"|</?\w|^\w+ = \{\}$|^[\w.]+(\{\})?(, [\w.]+(\{\})?)+$"
)
#: Calls whose texts are for a machine, and errors that say a programmer's fault: no user meets them.
FOR_MACHINES = {"compile", "execute", "_words", "_names", "split", "cast", "exception", "debug", "Thread", "search"}
FAULTS = {"ValueError", "TypeError", "RuntimeError", "AssertionError", "LookupError", "KeyError"}
#: Keywords whose text is data: the shortest example of a format.
DATA = {"example"}
#: What reads like prose and stays as it is, by the reason.
ALLOWED: dict[str, set[str]] = {
    # The library's words, which are looked for in what it says.
    "words of a library": {
        "Unterminated string",
        "could not set lock",
        "conflicting lock",
        "used by another process",
        "version number",
        "storage version",
        "newer version",
        " (at line ",
        "Extra data",
    },
    # States of the triage queue, ways of degraded recall, where labels are from, the places of records in a table, the
    # tokens of a redacted report, names of events and clusters, the beginning of a note that lint looks for.
    "values of data": {
        "fixed by edit",
        "degraded: window",
        "degraded: keyword",
        "degraded: review",
        "{} (row {})",
        "{} ({} row {})",
        "embeddings row {}",
        "{}text",
        "{}, {} characters⟩",
        "input of {}",
        "looks capped: ",
        "inspector workspace",
    },
    # A field's name, as data has it, with its value.
    "fields and values": {"scope {}: {}", "status {}", "namespace '{}'"},
    # Joined to one help text, which is in the catalogue as a whole; the counted thing is of the catalogue.
    "parts of messages": {
        "Ablation: {}.",
        "a signal is its plain value",
        "the risk counts as it is, not turned round",
        "the risk does not weigh the relevance",
        "every signal works on the whole space",
        "Routes to compare. {}",
        "Axes that count. {}",
        "Names joined by commas.",
        "; times without a zone are UTC",
        "{count} {}",
    },
}
#: How whole texts in another language begin: a style sheet, words of a report's data, rules of a policy, a header for
#: a browser, comments of files that are the same in every language.
OTHERS = (
    "\n:root{",
    "\nreport version",
    "\nrelevance none",
    'default = "unknown"',
    "default-src",
    "# Calibration of",
    "-- Edits of",
    "-- Lists and",
    "not written: ",
    "[right, total]",
    "postgresql://",
)


def _skipped(tree: ast.AST) -> set[ast.AST]:
    """What is no literal of its own: docstrings, parts of f-strings, what is marked, and what machines or we read."""
    out: set[ast.AST] = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            out.update(one.value for one in body if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
        if isinstance(node, ast.JoinedStr):
            out.update(node.values)
        elif isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            if name in MARKS | FOR_MACHINES | FAULTS:
                out.update(ast.walk(node))
            out.update(part for word in node.keywords if word.arg in DATA for part in ast.walk(word.value))
        elif isinstance(node, ast.Assert) or (
            isinstance(node, ast.Subscript) and getattr(node.value, "id", "") == "Literal"
        ):
            out.update(ast.walk(node))
    return out


def literals(source: str) -> Iterator[str]:
    """The texts of a module that are neither marked nor exempt; values in them are ``{}``."""
    tree = ast.parse(source)
    skipped = _skipped(tree)
    for node in ast.walk(tree):
        if node in skipped:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield "".join(str(one.value) if isinstance(one, ast.Constant) else "{}" for one in node.values)


def unmarked(source: str, known: frozenset[str] = frozenset()) -> list[str]:
    """The literals that read like prose and are not marked."""
    allowed = set().union(*ALLOWED.values())
    return [
        text
        for text in literals(source)
        if (PROSE_AROUND_VALUES if "{}" in text else PROSE).search(text)
        and not CODE.search(text)
        and text not in allowed
        and not text.startswith(OTHERS)
        and text not in known
        and " ".join(text.split()) not in known
    ]


@pytest.fixture(scope="module")
def known() -> frozenset[str]:
    """Every message of the catalogue: constants that are translated where they are shown, registries, help."""
    with CATALOGUE.open("rb") as file:
        found = read_mo(file)
    return frozenset(text for one in found for text in ([one.id] if isinstance(one.id, str) else one.id) if text)


def marked(source: str) -> Iterator[str]:
    """The texts of a module that are marked."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKS - {"counted"}:
            yield from (one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str))


def test_what_is_marked_is_in_the_catalogue(known: frozenset[str]) -> None:
    """Wherever it stands: not every version of Python lets Babel see the calls inside an f-string."""
    found = {text for path in sorted(ROOT.rglob("*.py")) for text in marked(path.read_text(encoding="utf-8")) if text}
    assert found - known == set()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_people_read_is_marked(path: Path, known: frozenset[str]) -> None:
    assert unmarked(path.read_text(encoding="utf-8"), known) == []


def test_the_check_sees_what_is_not_marked() -> None:
    assert unmarked('raise InputError.at(file, 1, "", "holds no records", "a list")') == ["holds no records"]
    assert unmarked('notes.append(f"{name}: {count:,} messages are no memories")') == [
        "{}: {} messages are no memories"
    ]
    assert unmarked('yield f"cause: {words}"') == ["cause: {}"]
    assert unmarked('click.echo("undecided" if one else "nothing failed")') == ["nothing failed"]


def test_the_check_passes_over_what_is_marked_or_for_machines() -> None:
    assert unmarked('say(_("nothing failed"))\nA = N_("not judged")\ncounted(2, "leak target")') == []
    assert unmarked('"""A module of ours."""\nre.compile("no such thing")\nraise ValueError(f"{x} is none")') == []
    assert unmarked('run("SELECT id FROM records")\nFormat(example="Ana lives in Porto.")') == []
    assert unmarked('say("a known message")', frozenset({"a known message"})) == []


def test_no_exemption_is_left_over() -> None:
    found = {text for path in FILES for text in literals(path.read_text(encoding="utf-8"))}
    assert {text for texts in ALLOWED.values() for text in texts} <= found
    assert [one for one in OTHERS if not any(text.startswith(one) for text in found)] == []
