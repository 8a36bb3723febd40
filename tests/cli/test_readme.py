"""The README says what the program does: generated sections are current, and the tour's claims hold."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from inspector.inspection import OpenOptions, demo_folder, open_sources

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tests" / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_generated_sections_are_current() -> None:
    assert tool("make_readme").filled(README) == README, "run python tests/tools/make_readme.py"


def test_the_two_commands_are_the_first_two_shell_blocks() -> None:
    commands = tool("readme_command").commands(README)
    assert commands["open"].endswith("inspector")
    assert commands["test"].endswith("pytest")
    assert all("\n" not in command for command in commands.values())


def test_the_screenshot_is_there() -> None:
    (image,) = re.findall(r"!\[[^]]*\]\(([^)]+\.svg)\)", README)
    assert (ROOT / image).read_text(encoding="utf-8").startswith("<svg")


def test_the_tour_says_what_happens() -> None:
    with open_sources([demo_folder("anniversary")], OpenOptions(temporary=True)) as inspection:
        inspection.evaluate()
        best = inspection.candidates(0)[0]
        assert f"{best.score:.2f}"[1:] in README
        assert best.verdict == "exclude"
        reason = inspection.explain(0, best.mi).scope.reason
        assert reason in README.replace("\n   ", " ")


@pytest.mark.parametrize("term", ["/work", "helper", "session of"])
def test_no_word_of_the_workplace(term: str) -> None:
    assert term not in README
