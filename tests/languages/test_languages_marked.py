"""No literal that the UI shows is left unmarked, and no marked one is missing from the catalogue: by the syntax tree.

Three checks, each on every file of ``inspector/ui``. A text that has the look of words (:data:`WORDS`) is marked
wherever it stands, unless it is no text for people (:data:`SILENT`, :data:`NAMES`). One single word is marked where it
is an argument that ends up on the screen (:data:`SHOWN`). Keys of rows and tabs are never marked: they are compared.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parents[2] / "inspector"
UI = SOURCES / "ui"
MARKS = {"_", "_d", "N_", "D_", "ngettext", "ngettext_d", "counted"}
#: What is extracted in another way: the registry of actions and settings, columns, ``PANE`` and ``HELP``.
REGISTERED = {"Action", "editor", "actions_of", "act", "move", "step", "type_in", "Setting", "Column"}
REGISTERED_NAMES = {"HELP", "PANE", "TITLE", "PLACES", "SIGNS"}
#: Calls whose texts are no words for people: selectors, names of threads, TCSS, attributes, errors of the programmer.
SILENT = {
    "query_one", "query", "run_worker", "work", "getattr", "startswith", "endswith", "removeprefix", "removesuffix",
    "replace", "split", "partition", "rpartition", "add_class", "remove_class", "set_class", "has_class", "compile",
    "TypeVar", "ValueError", "KeyError", "TypeError", "AssertionError", "RuntimeError", "cast", "isinstance",
}  # fmt: skip
SILENT_NAMES = {"CSS", "DEFAULT_CSS", "BINDINGS", "COMPONENT_CLASSES"}
#: Calls of which these arguments, by number, are shown as they are given.
SHOWN: dict[str, tuple[int, ...]] = {
    "Static": (0,), "Label": (0,), "Content": (0,), "plain": (0,), "lines": (0,), "Piece": (0,), "heading": (0,),
    "tell": (0,), "say": (1,), "toast": (0,), "AskDialog": (0, 1), "ReadingDialog": (0,), "LinesDialog": (0, 1),
    "LineDialog": (0, 1), "Choice": (0, 1), "_fact": (0,), "_line": (0,), "_labelled": (0,), "_heading": (0,),
    "_field": (0,), "_setting": (1,), "xlabel": (0,), "ylabel": (0,), "show_title": (0,), "FieldError": (1, 2),
    "InputError": (0,), "InspectorError": (0,), "ErrorRaised": (1,), "TabSpec": (1,), "styled": (0,),
}  # fmt: skip
SHOWN_KEYWORDS = {"placeholder", "title", "hint", "empty", "tooltip", "words"}
SHOWN_ATTRIBUTES = {"border_title", "border_subtitle", "placeholder", "tooltip", "hint"}
#: Classes that are keys of what is chosen: a translated key would match nothing in another language.
KEYS = {"FieldChoice", "MemoryChoice", "FlipChoice", "OfferChoice", "FixChoice", "Toggle", "Constant", "Selection"}
#: Two words or more, in letters: a sentence or a part of one, and no name of a field, a style or a file.
WORDS = re.compile(r"[A-Za-z][a-z]+[,:;]? [a-z]{2,}|[a-z]{2,}[,:;] [A-Za-z]")
WORD = re.compile(r"[A-Za-z]{2,}")
#: What reads the same in every language where it is shown, or is no text that is shown, each with the reason.
NAMES = {
    # names of products, formats and fields, as they stand in data
    "Inspector", "JSON", "JSONL", "Markdown", "HTML", "CSV", "SQL", "UTC", "MDL", "DESC", "AUC", "C_final", "governs",
    "namespace", "namespaces", "session_id", "expires_at", "decision", "postgresql://USER@HOST/DB", "NaN", "v_wm",
    "policy", "admit", "α", "C·(0.3 + 0.7·α)", "mdl null",
    # examples of a filter: its facets are typed as the data calls them
    "words · status:active · no:owner · has:governs · is:edited",
    # kinds of what a work reports, told by a local function that is called as the shown one is
    "progress", "passing", "part", "error", "result",
    # states, facets and styles of the code, compared and never shown
    "fixed by edit", "no vectors", "no answer was recorded", "belong to its own retrieval", "bold $heading",
}  # fmt: skip


@cache
def trees() -> dict[Path, ast.Module]:
    """The syntax tree of every file of the UI, read once."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(UI.rglob("*.py"))}


def name_of(call: ast.Call) -> str:
    """The name of what is called; of ``ReadingDialog[None](…)`` that of the class."""
    function = call.func.value if isinstance(call.func, ast.Subscript) else call.func
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


def targets(node: ast.AST) -> set[str]:
    """The names that an assignment binds."""
    found = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return {getattr(each, "id", getattr(each, "attr", "")) for each in found}


def texts(node: ast.AST, *, silent: bool = False) -> Iterator[tuple[str, int]]:
    """Every literal below a node that is not marked, with its line; f-strings with ``{}`` for what is put in.

    Docstrings, marked calls, what is registered and what is silent are left out.
    """
    if isinstance(node, ast.Call):
        name = name_of(node)
        if name in MARKS or name in REGISTERED or name in SILENT:
            yield from (found for each in node.args for found in texts(each, silent=True))
            return
    if isinstance(node, ast.Assign | ast.AnnAssign) and targets(node) & (REGISTERED_NAMES | SILENT_NAMES):
        return
    if isinstance(node, ast.Compare | ast.Subscript) or (isinstance(node, ast.Expr) and _is_text(node.value)):
        return
    if isinstance(node, ast.JoinedStr):
        words = "".join(str(each.value) if isinstance(each, ast.Constant) else "{}" for each in node.values)
        if not silent:
            yield words, node.lineno
        for each in node.values:
            if isinstance(each, ast.FormattedValue):
                yield from texts(each.value, silent=silent)
        return
    if _is_text(node) and not silent:
        yield str(getattr(node, "value", "")), getattr(node, "lineno", 0)
    children = node.values if isinstance(node, ast.Dict) else ast.iter_child_nodes(node)  # keys are looked up
    for child in children:
        yield from texts(child, silent=silent)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def parts(node: ast.expr) -> Iterator[str]:
    """The literal texts of an expression that is shown: branches of a choice, parts of a sum or of an f-string."""
    if isinstance(node, ast.IfExp):
        yield from (*parts(node.body), *parts(node.orelse))
    elif isinstance(node, ast.BinOp):
        yield from (*parts(node.left), *parts(node.right))
    elif isinstance(node, ast.JoinedStr):
        for each in node.values:
            yield from parts(each.value if isinstance(each, ast.FormattedValue) else each)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def shown(tree: ast.AST) -> Iterator[tuple[ast.expr, int]]:
    """The expressions that are shown as they are."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            places = SHOWN.get(name_of(node), ())
            yield from ((node.args[place], node.lineno) for place in places if place < len(node.args))
            if name_of(node) not in REGISTERED:
                yield from ((word.value, node.lineno) for word in node.keywords if word.arg in SHOWN_KEYWORDS)
        elif isinstance(node, ast.Assign) and targets(node) & SHOWN_ATTRIBUTES:
            yield node.value, node.lineno


def unmarked(tree: ast.AST) -> list[str]:
    """Sentences that are not marked wherever they stand, and single words that are shown and not marked."""
    found = {(line, text) for text, line in texts(tree) if WORDS.search(text) and text.strip() not in NAMES}
    for each, line in shown(tree):
        found |= {(line, text) for text in parts(each) if WORD.search(text) and text.strip(" :") not in NAMES}
    return [f"{line}: {text!r}" for line, text in sorted(found)]


def marked_keys(tree: ast.AST) -> list[str]:
    """Keys of what is chosen that are translated: they would match in one language only."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and name_of(node) in KEYS:
            inner = [each for argument in node.args for each in ast.walk(argument) if isinstance(each, ast.Call)]
            found += [f"{node.lineno}: {name_of(node)}" for each in inner if name_of(each) in MARKS]
    return found


@cache
def constants() -> frozenset[str]:
    """The constants whose whole value is one marked text: they are translated where they are shown.

    A name that another module gives to something else is left out.
    """
    marked: set[str] = set()
    others: set[str] = set()
    for tree in trees().values():
        for node in tree.body:
            value = getattr(node, "value", None)
            is_marked = isinstance(value, ast.Call) and name_of(value) == "N_"
            (marked if is_marked else others).update(targets(node))
    return frozenset(marked - others)


def untranslated(node: ast.AST, names: frozenset[str]) -> Iterator[str]:
    """Where such a constant is used as it is, and so shown in English."""
    if isinstance(node, ast.Call) and name_of(node) in MARKS:
        return
    if isinstance(node, ast.Assign | ast.AnnAssign) and targets(node) & REGISTERED_NAMES:
        return
    if isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Load):
        yield f"{node.lineno}: {node.id}"
    for child in ast.iter_child_nodes(node):
        yield from untranslated(child, names)


def test_constants_are_translated_where_they_are_shown() -> None:
    assert "LEGEND" in constants()
    assert list(untranslated(ast.parse("show(_(LEGEND), LEGEND)"), constants())) == ["1: LEGEND"]
    found = {path.name: list(untranslated(tree, constants())) for path, tree in trees().items()}
    assert {name: places for name, places in found.items() if places} == {}


@pytest.mark.parametrize("path", sorted(UI.rglob("*.py")), ids=lambda path: path.relative_to(UI).as_posix())
def test_what_is_shown_is_marked(path: Path) -> None:
    assert unmarked(trees()[path]) == []


def test_no_key_is_translated() -> None:
    found = {path.name: marked_keys(tree) for path, tree in trees().items()}
    assert {name: keys for name, keys in found.items() if keys} == {}


def test_the_check_sees_what_is_not_marked() -> None:
    for source, words in (
        ('Static("nothing")', ["nothing"]),
        (
            'say(app, f"{n} of these memories are gone")',
            ["{} of these memories are gone", " of these memories are gone"],
        ),
        ('pane.border_title = "all of them"', ["all of them"]),
        ('words = "once upon" if many else _("a time")', ["once upon"]),
        ('Piece(_("a {b}") if c else "broken")', ["broken"]),
    ):
        assert [each.partition(": ")[2].strip("'") for each in unmarked(ast.parse(source))] == sorted(words), source
    assert (
        unmarked(ast.parse('"""A docstring of words."""\nStatic(_("no such memory"))\nx = query_one("Grid of x")'))
        == []
    )
    assert marked_keys(ast.parse('FieldChoice(_("memory"), name)')) == ["1: FieldChoice"]
