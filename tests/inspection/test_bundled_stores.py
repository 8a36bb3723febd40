"""Every bundled store gives the verdicts that its README promises, on its own route, without any encoder."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from inspector.gate.gate import MODES
from inspector.inspection import Inspection, OpenOptions, demo_folder, demos, open_sources

NAMES = [demo.name for demo in demos()]


def promised(folder: Path) -> list[dict[str, str]]:
    """The rows of the README's table of expected verdicts, the first that it holds."""
    text = (folder / "README.md").read_text(encoding="utf-8")
    lines = text[text.index("\n|") + 1 :].partition("\n\n")[0].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip(cells[0], row, strict=True)) for row in cells[2:]]


def gate_columns(inspection: Inspection, qi: int, mi: int) -> dict[str, str]:
    """What a README may promise of the gate; a column named after a mode gives the action under it."""
    asked = inspection.gate.mode
    cell = inspection.gate.cell(qi, mi)
    columns: dict[str, str] = {
        "pre action": cell.pre_action,
        "gate": cell.result,
        "action": cell.action,
        "attribution": cell.attribution,
    }
    for mode in MODES:
        inspection.gate.mode = mode
        columns[mode] = inspection.gate.cell(qi, mi).action
    inspection.gate.mode = asked
    return columns


def test_the_index_lists_every_store_and_no_other() -> None:
    folders = {path.parent.name for path in demo_folder(NAMES[0]).parent.glob("*/bundle.toml")}
    assert set(NAMES) == folders
    assert len(NAMES) >= 5


@pytest.mark.parametrize("name", NAMES)
def test_the_readme_keeps_its_promises(name: str) -> None:
    folder = demo_folder(name)
    rows = promised(folder)
    assert len(rows) >= 4
    with open_sources([folder], OpenOptions(temporary=True)) as inspection:
        inspection.evaluate()
        for row in rows:
            qi, mi = inspection.find_pair(row["query"], row["memory"])
            candidate = inspection.why_not(qi, mi)
            found = {
                "query": row["query"],
                "memory": row["memory"],
                "scope": candidate.scope.symbol,
                "policy": candidate.policy.symbol,
                "lifecycle": candidate.lifecycle.symbol,
                "verdict": candidate.verdict,
                "usable": candidate.usable.symbol,
                **gate_columns(inspection, qi, mi),
            }
            assert {key: found[key] for key in row} == row
        assert not inspection.retriever.has_encoder
    assert "torch" not in sys.modules


@pytest.mark.parametrize("name", NAMES)
def test_the_readme_names_the_lesson(name: str) -> None:
    text = (demo_folder(name) / "README.md").read_text(encoding="utf-8")
    assert re.search(r"\*\*(Lesson|배울 점)\.\*\*", text)


def test_the_top_match_of_the_first_store_is_another_guests() -> None:
    with open_sources([demo_folder("anniversary")], OpenOptions(temporary=True)) as inspection:
        inspection.evaluate()
        first = inspection.candidates(0)[0]
        assert (first.memory_id, first.scope.symbol, first.verdict) == ("park-anniversary", "0", "exclude")
