"""Every message of the program has a Korean translation that says the same things, and the compiled file is current."""

from __future__ import annotations

import ast
import importlib.util
import re
import string
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from babel.messages.catalog import Catalog
from rich.cells import cell_len

ROOT = Path(__file__).resolve().parents[2]


def _tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_messages", ROOT / "tests" / "tools" / "make_messages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_messages"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """The script that makes the catalogue."""
    return _tool()


@pytest.fixture(scope="module")
def korean(tool: ModuleType) -> Catalog:
    """The catalogue as it lies in the sources."""
    found = tool.read()
    assert isinstance(found, Catalog)
    return found


@pytest.fixture(scope="module")
def extracted(tool: ModuleType) -> Catalog:
    """The messages that the program has now."""
    found = tool.extracted()
    assert isinstance(found, Catalog)
    return found


def places(texts: str | Iterable[str]) -> set[str]:
    """The named places of a message, format and conversion included."""
    found = set()
    for text in [texts] if isinstance(texts, str) else texts:
        for _words, name, spec, conversion in string.Formatter().parse(text):
            if name is not None:
                found.add(f"{name}!{conversion}:{spec}")
        found.update(re.findall(r"%\(\w+\)s", text))
    return found


def test_every_message_has_a_translation(korean: Catalog, extracted: Catalog) -> None:
    missing = []
    for message in extracted:
        if message.id:
            found = korean.get(message.id)
            if found is None or not found.string or not all(found.string) or found.fuzzy:
                missing.append(message.id)
    assert not missing, f"run python tests/tools/make_messages.py and translate: {missing}"


def test_no_translation_is_left_over(korean: Catalog, extracted: Catalog) -> None:
    left = [message.id for message in korean if message.id and extracted.get(message.id) is None]
    assert not left, f"run python tests/tools/make_messages.py: {left}"


def test_places_are_the_same_in_both_languages(korean: Catalog) -> None:
    wrong = []
    for message in korean:
        if not message.id:
            continue
        # Korean has one form for every count: it has the places of the English plural.
        source = message.id if isinstance(message.id, str) else message.id[-1]
        if _has_places(source) and places(source) != places(
            str(message.string[0] if isinstance(message.string, tuple) else message.string)
        ):
            wrong.append((source, message.string))
    assert not wrong


def _has_places(source: str) -> bool:
    """Whether a message is a format; one that is not may hold braces of its own, such as an example of JSON."""
    try:
        return bool(places(source))
    except ValueError:
        return False


def _ends(text: str) -> tuple[int, int]:
    return len(text) - len(text.lstrip(" ")), len(text) - len(text.rstrip(" "))


def test_blanks_at_the_ends_are_the_same(korean: Catalog) -> None:
    wrong = [m.id for m in korean if isinstance(m.id, str) and m.id and _ends(m.id) != _ends(str(m.string))]
    assert not wrong


def test_the_compiled_catalogue_is_current(tool: ModuleType, korean: Catalog) -> None:
    assert tool.MO.read_bytes() == tool.compiled(korean), "run python tests/tools/make_messages.py"


def test_an_action_keeps_its_group_and_verb(korean: Catalog) -> None:
    from inspector.ui.actions import ACTIONS

    for action in ACTIONS:
        found = korean.get(action.name)
        assert found is not None
        assert str(found.string).count(": ") == 1, action.name


def columns() -> Iterator[tuple[str, str, int]]:
    """Label and width of every column of every table, with the file: of one that shrinks, the least that it has."""
    for path in sorted((ROOT / "inspector" / "ui").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Column":
                found = [each.value for each in node.args[1:4] if isinstance(each, ast.Constant)]
                widths = [each for each in found[1:] if isinstance(each, int)]
                if widths and isinstance(found[0], str) and found[0]:
                    yield path.name, found[0], widths[-1] or widths[0]


def test_headers_of_columns_fit_them_as_in_english(korean: Catalog) -> None:
    wide = []
    for place, label, room in columns():
        found = korean.get(label)
        if found is not None and cell_len(str(found.string)) > max(room, cell_len(label)):
            wide.append((place, label, found.string, room))
    assert wide == []


def test_every_help_has_a_title_to_translate() -> None:
    untitled = []
    for path in sorted((ROOT / "inspector" / "ui").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and any(getattr(base, "id", "") != "" for base in node.bases):
                bound = {name for each in node.body for name in _bound(each)}
                if "HELP" in bound and "PANE" not in bound:
                    untitled.append(f"{path.name}: {node.name}")
    assert untitled == []


def _bound(node: ast.stmt) -> set[str]:
    found = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return {str(getattr(each, "id", "")) for each in found}


def test_every_command_speaks_the_language() -> None:
    from inspector.cli import cli
    from inspector.cli_language import SpokenCommand

    assert [name for name, each in cli.commands.items() if not isinstance(each, SpokenCommand)] == []
