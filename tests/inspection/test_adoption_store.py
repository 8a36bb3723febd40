"""The bundled store of retrieval-as-adoption decides as its README says, calibrated and not, over both pools."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.calibrating import calibrate_file
from inspector.inspection import Inspection, OpenOptions, demo_folder, open_sources
from inspector.mdl import Action, Params, load_calibration
from inspector.wording import share

FOLDER = demo_folder("adoption")


def opened(**options: Any) -> Inspection:
    """The store, evaluated."""
    inspection = open_sources([FOLDER], OpenOptions(temporary=True, **options))
    inspection.evaluate()
    return inspection


def table() -> list[dict[str, str]]:
    """The README's table of decisions, the second that it holds."""
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    lines = text[text.index("| query | A |") :].partition("\n\n")[0].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip(cells[0], row, strict=True)) for row in cells[2:]]


@pytest.mark.parametrize(
    ("column", "options"),
    [
        ("uncalibrated", {"uncalibrated": True}),
        ("calibrated", {}),
        ("calibrated, pool not-excluded", {"pool": "not-excluded"}),
    ],
)
def test_the_readme_promises_these_decisions(column: str, options: dict[str, Any]) -> None:
    rows = table()
    assert len(rows) == 7
    with opened(**options) as inspection:
        for qi, row in enumerate(rows):
            decision = inspection.mdl(qi)
            assert decision is not None
            assert (inspection.queries[qi].id, decision.query.action.word) == (row["query"], row[column])
            if options.get("pool") is None:
                found = [share(x) for x in (decision.query.A, decision.query.M, decision.query.R)]
                assert found == [row["A"], row["M"], row["R"]]


def test_the_wrong_memory_is_the_most_relevant_and_the_top_tier_opts_out() -> None:
    with opened() as inspection:
        for query, wrong in (("burn", "butter-chat"), ("ibuprofen", "ibuprofen-chat")):
            qi, mi = inspection.find_pair(query, wrong)
            first = inspection.candidates(qi)[0]
            decision = inspection.mdl(qi)
            assert first.mi == mi
            assert decision is not None
            # Two right memories against one wrong: two of the three pairs conflict.
            assert decision.signals.R.conflict_rate == pytest.approx(2 / 3)
            assert inspection.params.top_tier <= decision.query.A
            assert decision.query.action is Action.OPT_OUT


def test_two_wrong_notes_that_agree_stand_in_the_corner() -> None:
    with opened() as inspection:
        qi, _ = inspection.find_pair("nosebleed", "nosebleed-uncle")
        decision = inspection.mdl(qi)
        assert decision is not None
        assert decision.query.corner
        marked = [row.memory_id for row in inspection.candidates(qi) if row.mdl is not None and row.mdl.corner]
        assert marked == ["nosebleed-neighbour", "nosebleed-uncle"]


def test_the_calibration_is_what_the_command_makes_of_the_labelled_file(tmp_path: Path) -> None:
    out = tmp_path / "calibration.toml"
    report = calibrate_file(FOLDER / "labelled.csv", out, Params(), name="adoption")
    assert out.read_bytes() == (FOLDER / "calibration.toml").read_bytes()
    assert report.fitted.rows >= 80
    assert not report.warnings
    # The README's figures.
    assert (report.fitted.agreement.right, report.fitted.agreement.total) == (67, 78)
    assert (report.fitted.agreement_held_out.right, report.fitted.agreement_held_out.total) == (21, 26)


def test_the_store_is_opened_by_its_own_calibration() -> None:
    with opened() as inspection:
        assert inspection.params.calibration == "adoption"
        assert inspection.calibration == load_calibration(FOLDER / "calibration.toml")
        assert "MDL calibrated: adoption" in inspection.header()
