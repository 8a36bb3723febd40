"""The check for CI: it passes against its own baseline, drift is told one line each, outputs are what they claim."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from junitparser import Failure, JUnitXml

from inspector.audit.check import CheckResult, Wanted, baseline_text, check, drifts, read_baseline
from inspector.audit.check_output import to_json, to_junit, to_text
from inspector.auditing import Auditor
from inspector.errors import InputError
from inspector.inspection import OpenOptions, demo_folder, open_sources
from inspector.reporting import reasons_of, snapshot


def checked(folder: Path, wanted: Wanted) -> CheckResult:
    with open_sources([folder], OpenOptions(temporary=True)) as inspection:
        inspection.evaluate()
        return check(snapshot(inspection, Auditor(inspection)), wanted, reasons_of(inspection))


def taken(folder: Path) -> dict[str, Any]:
    with open_sources([folder], OpenOptions(temporary=True)) as inspection:
        inspection.evaluate()
        return snapshot(inspection, Auditor(inspection))


@pytest.fixture(scope="module")
def incidents(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return taken(demo_folder("incidents"))


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(demo_folder("incidents"), tmp_path / "incidents"))


def edit(folder: Path, memory_id: str, **fields: Any) -> None:
    path = folder / "memories.jsonl"
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for record in records:
        if record["id"] == memory_id:
            record |= fields
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records), encoding="utf-8")


def test_it_holds_against_its_own_baseline(incidents: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    path.write_text(baseline_text(incidents), encoding="utf-8")
    result = check(incidents, Wanted(baseline=read_baseline(path)))
    assert result.holds
    assert result.lines == []
    assert len(path.read_text(encoding="utf-8").splitlines()) == len(incidents["queries"]) + 2


def test_one_field_changed_is_told_in_one_line_a_drift(incidents: dict[str, Any], copy: Path) -> None:
    accepted = json.loads(baseline_text(incidents))
    edit(copy, "house-ferry", status="archived")
    result = checked(copy, Wanted(baseline=accepted))
    assert not result.holds
    # The ferry was exposed in two traces and required in a third, where it was not retrieved.
    assert result.lines == [
        "missed-ferry × house / house-ferry: admit → exclude (lifecycle 1 → 0): status archived of "
        "2026-05-08T12:00:00Z: archived for intent current",
        "boat-trip: verification: proof park-boat → park-boat, house-ferry",
        "boat-trip × house / house-ferry: admit → exclude (lifecycle 1 → 0): status archived of "
        "2026-05-08T12:00:00Z: archived for intent current",
        "bikes-cut: stages assembly → verification (house-ferry), assembly (house-bikes)",
        "bikes-cut × house / house-ferry: admit → exclude (lifecycle 1 → 0): status archived of "
        "2026-05-08T12:00:00Z: archived for intent current",
    ]
    assert all("\n" not in line for line in result.lines)


def test_queries_that_come_and_go(incidents: dict[str, Any]) -> None:
    fewer = {**incidents, "queries": [one for one in incidents["queries"] if one["id"] != "umbrella"]}
    assert [str(one) for one in drifts(incidents, fewer)] == [
        "umbrella: was accepted, and is not checked any more: no such query"
    ]
    assert [str(one) for one in drifts(fewer, incidents)] == [
        "umbrella: is new, and nothing was accepted for it: undecided"
    ]
    calm = {**incidents, "queries": [one for one in incidents["queries"] if one["id"] != "pool-hours"]}
    assert drifts(calm, incidents) == []


def test_another_way_of_judging_is_a_drift_of_its_own(incidents: dict[str, Any]) -> None:
    found = drifts(incidents, {**incidents, "let_through": "unresolved"})
    assert [str(one) for one in found] == ["settings: let_through: admit → unresolved"]


def test_with_nothing_asked_for_no_stage_may_fail(incidents: dict[str, Any]) -> None:
    result = check(incidents, Wanted())
    assert not result.holds
    assert "boat-trip: verification: park-boat: verdict exclude, and it was exposed" in result.lines
    assert any(line.startswith("safe-code: disclosure: park-code: ") for line in result.lines)
    # none twice and undecided once do not fail; the two stages of one query are two lines of one part.
    assert sum(not part.holds for part in result.parts) == len(incidents["queries"]) - 3


def test_thresholds_hold_by_the_upper_bound() -> None:
    def now(*bounds: list[float] | None) -> dict[str, Any]:
        queries = [{"id": f"q{n}", "contamination": one, "loss": None} for n, one in enumerate(bounds)]
        return {"store": "s", "queries": queries}

    half = now([0.0, 0.5], [0.5, 0.5], None)
    assert check(half, Wanted(max_contamination=0.5)).holds
    short = check(half, Wanted(max_contamination=0.4))
    assert short.lines == [
        "mean contamination [0.2500, 0.5000] is over 0.4 (what is unknown could bring it over)",
        "q0: contamination [0.0000, 0.5000]",
        "q1: contamination 0.5000",
    ]
    assert "mean contamination [0.2500, 0.5000] is over 0.1" in check(half, Wanted(max_contamination=0.1)).lines
    assert check(half, Wanted(max_loss=0.0)).holds  # nothing is required: not evaluable
    assert check(half, Wanted(max_loss=0.0)).said == (
        "mean contamination: [0.2500, 0.5000]",
        "mean loss: not evaluable",
    )


def test_unresolved_may_be_asked_to_fail() -> None:
    result = checked(demo_folder("incidents"), Wanted(fail_on_unresolved=True))
    assert result.lines == ["umbrella × umbrella: unresolved: the memory names no namespace"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{\n  oops", "b.json:2: broken JSON at column 3"),
        ("[]", "b.json: inspector_baseline: is no baseline"),
        ("{}", "b.json: inspector_baseline: is of version None"),
        ('{"inspector_baseline": 1}', "b.json: queries: is not a list"),
        (
            '{"inspector_baseline": 1, "queries": [{"id": "q", "stages": [1]}]}',
            "b.json: queries[0]: has no good stages",
        ),
    ],
)
def test_a_broken_baseline_is_named(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "b.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_baseline(path)
    assert said in str(caught.value)
    with pytest.raises(InputError, match="No such file"):
        read_baseline(tmp_path / "none.json")


def outcome(incidents: dict[str, Any]) -> CheckResult:
    hostile = json.loads(json.dumps(incidents))
    hostile["queries"][5]["id"] = "a<b>&\"'\x1b]0;x\x07\u202e\ufffe]]>"
    return check(hostile, Wanted(baseline=incidents, max_loss=0.9))


def test_junit_is_read_by_a_junit_parser(incidents: dict[str, Any], tmp_path: Path) -> None:
    result = outcome(incidents)
    path = tmp_path / "junit.xml"
    path.write_text(to_junit(result), encoding="utf-8")
    suites = list(JUnitXml.fromfile(str(path)))
    cases = [case for suite in suites for case in suite]
    assert [suite.name for suite in suites] == ["baseline", "threshold"]
    assert len(cases) == len(result.parts)
    failed = [case for case in cases if any(isinstance(one, Failure) for one in case.result)]
    assert len(failed) == sum(not part.holds for part in result.parts) == 2
    assert failed[0].result[0].message.endswith("nothing was accepted for it: verification, disclosure")
    assert failed[1].result[0].message == "boat-trip: was accepted, and is not checked any more: no such query"
    assert sum(suite.failures for suite in suites) == 2


def test_text_and_json(incidents: dict[str, Any]) -> None:
    result = outcome(incidents)
    text = to_text(result)
    assert "\x1b" not in text
    assert text.splitlines()[-1] == f"falls short: 2 of {len(result.parts)} checks"
    said = json.loads(to_json(result))
    assert said["holds"] is False
    assert sum(not one["holds"] for one in said["checks"]) == 2
    assert to_text(check(incidents, Wanted(baseline=incidents))).splitlines()[-1] == "holds"
