"""No literal that the UI shows is left unmarked: the arguments that end up on the screen, found in the syntax tree."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

UI = Path(__file__).resolve().parents[2] / "inspector" / "ui"
#: Functions and classes of which the first argument is shown as it is given.
SHOWN = {"Static", "Label", "plain", "lines", "Piece", "tell", "heading", "AskDialog", "ReadingDialog", "Item"}
#: Keywords whose value is shown as it is given, whatever is called.
KEYWORDS = {"placeholder", "title", "hint"}
ATTRIBUTES = {"border_title", "border_subtitle", "placeholder", "tooltip"}
#: What reads the same in every language: names of fields, routes, formats and products, and words of the data.
SAME = {"Inspector", "JSON", "gate", "policy", "governs", "operation", "coverage", "attribution"}
#: Two words at least, in small letters: a sentence or a part of one, and no name of a field or file.
SENTENCE = re.compile(r"(?<![\w.])[a-z]{2,}[,:;]? [a-z]{2,}")


def shown(tree: ast.AST) -> Iterator[ast.expr]:
    """The expressions that are shown."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            if name in SHOWN:
                yield from node.args[:1]
            elif name == "say":
                yield from node.args[1:2]
            yield from (word.value for word in node.keywords if word.arg in KEYWORDS)
        elif isinstance(node, ast.Assign) and any(getattr(each, "attr", "") in ATTRIBUTES for each in node.targets):
            yield node.value


def parts_of(node: ast.expr) -> Iterator[ast.expr]:
    """The branches of a choice and the parts of a sum, else the expression itself."""
    if isinstance(node, ast.IfExp):
        yield from (*parts_of(node.body), *parts_of(node.orelse))
    elif isinstance(node, ast.BinOp):
        yield from (*parts_of(node.left), *parts_of(node.right))
    elif isinstance(node, ast.JoinedStr):
        yield node
        for each in node.values:
            if isinstance(each, ast.FormattedValue):
                yield from parts_of(each.value)
    else:
        yield node


def text_of(node: ast.expr) -> str:
    """The literal words of an expression, where it is a text or one with values in it."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(each.value) if isinstance(each, ast.Constant) else "{}" for each in node.values)
    return ""


def unmarked(source: str) -> list[str]:
    """The sentences that are shown and not marked."""
    found = [text_of(part) for each in shown(ast.parse(source)) for part in parts_of(each)]
    return [text for text in found if SENTENCE.search(text) and text not in SAME]


@pytest.mark.parametrize("path", sorted(UI.rglob("*.py")), ids=lambda path: path.relative_to(UI).as_posix())
def test_what_is_shown_is_marked(path: Path) -> None:
    assert unmarked(path.read_text(encoding="utf-8")) == []


def test_the_check_sees_what_is_not_marked() -> None:
    assert unmarked('Static("no such memory")') == ["no such memory"]
    assert unmarked('say(app, f"{n} of these memories are gone")') == ["{} of these memories are gone"]
    assert unmarked('pane.border_title = "all of them"') == ["all of them"]
    assert unmarked('Static(_("no such memory"))') == []
