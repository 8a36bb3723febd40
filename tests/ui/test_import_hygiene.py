"""What is imported when: nothing heavy before the first paint, nothing of Textual below the UI (STYLE 1, 5)."""

from __future__ import annotations

import json
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import inspector

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("torch", "sentence_transformers", "transformers", "bm25s", "duckdb", "plotext", "scipy", "sklearn")

FIRST_PAINT = """
import asyncio, json, sys
from inspector.ui.app import InspectorApp
from inspector.ui.screens.chooser import ChooserScreen

class Watched(ChooserScreen):
    def _read(self):
        print(json.dumps(sorted(sys.modules)))
        self.app.exit()

import inspector.ui.opening
inspector.ui.opening.ChooserScreen = Watched

async def main():
    app = InspectorApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause(0.2)

asyncio.run(main())
"""

AFTER_LOADING = """
import asyncio, json, sys
from inspector.ui.app import InspectorApp

async def main():
    app = InspectorApp()
    async with app.run_test(size=(80, 24)) as pilot:
        for _ in range(400):
            await pilot.pause(0.05)
            if app.screen.query("#demos") and app.screen.query_one("#demos").row_count:
                break
        print(json.dumps(sorted(sys.modules)))

asyncio.run(main())
"""


def modules_of(code: str) -> set[str]:
    """The modules that a fresh interpreter has after running the code; its last line prints them."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=120,
        env={**os.environ, "TEXTUAL_ANIMATIONS": "none"},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    return set(json.loads(done.stdout.strip().splitlines()[-1]))


def test_the_first_paint_waits_for_nothing_heavy() -> None:
    assert modules_of(FIRST_PAINT).isdisjoint(HEAVY)


def test_the_start_never_imports_the_model() -> None:
    assert modules_of(AFTER_LOADING).isdisjoint(HEAVY[:3])


def test_nothing_below_the_ui_imports_textual_or_rich() -> None:
    below = [
        module.name
        for module in pkgutil.walk_packages(inspector.__path__, "inspector.")
        if not module.name.startswith(("inspector.ui", "inspector.serving")) and not module.name.endswith("__main__")
    ]
    code = "import importlib, json, sys\n"
    code += "".join(f"importlib.import_module({name!r})\n" for name in below)
    code += "print(json.dumps(sorted(sys.modules)))\n"
    assert modules_of(code).isdisjoint({"textual", "rich", "torch", "sentence_transformers", "transformers"})


@pytest.mark.parametrize("module", ["inspector.ui.config", "inspector.ui.pace", "inspector.ui.export"])
def test_parts_that_need_no_screen_import_no_textual(module: str) -> None:
    assert "textual" not in modules_of(f"import {module}, json, sys\nprint(json.dumps(sorted(sys.modules)))")
