"""`inspector compare` and `inspector sensitivity`: data on stdout, words on stderr, equal output every time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from inspector.cli import cli
from inspector.errors import InspectorError
from tests.conftest import ROOT

STORE = str(ROOT / "fixtures" / "history")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, [*arguments, "--temporary"], catch_exceptions=True)


def test_compare_json_is_data_alone_and_the_same_every_time() -> None:
    arguments = ("compare", STORE, "--routes", "global_dense,current_only,governed", "--json", "--by-query")
    first, second = run(*arguments), run(*arguments)
    assert first.exit_code == 0
    assert first.stdout == second.stdout
    found = json.loads(first.stdout)
    assert [route["route"] for route in found["routes"]] == ["global_dense", "current_only", "governed"]
    assert found["settings"]["base"] == "global_dense"
    figures = found["routes"][0]["figures"]
    assert figures["risk_upper"]["value"] == pytest.approx(
        figures["infeasibility_part"]["value"] + figures["conditional_part"]["value"], abs=2e-6
    )
    source = found["sources"][0]
    assert source["evaluable"] + source["not_evaluable"] == source["queries"]
    assert len(found["routes"][0]["by_source"][0]["queries"]) == source["queries"]


def test_the_lesson_of_the_history_store_can_be_read_off_a_comparison() -> None:
    # README of the store: on current_only the old plan is dropped before ranking, so plan-then misses its evidence;
    # what was forgotten stays forgotten, so the lifecycle filter drops the card.
    arguments = ("compare", STORE, "--routes", "current_only,namespace_lifecycle", "--json", "--by-query")
    found = json.loads(run(*arguments).stdout)
    recall = {
        (route["route"], query["query_id"]): query["recall"]
        for route in found["routes"]
        for query in route["by_source"][0]["queries"]
    }
    assert (recall["current_only", "plan-then"], recall["namespace_lifecycle", "plan-then"]) == (0, 1)
    assert (recall["current_only", "card"], recall["namespace_lifecycle", "card"]) == (1, 0)


def test_tables() -> None:
    found = run("compare", STORE, "--routes", "global_dense,governed", "--assume", "policy=allow")
    assert found.exit_code == 0
    for words in ("risk upper", "minus global_dense", "no gate", "verifier lens", "without the assumptions"):
        assert words in found.stdout


def test_sensitivity_both_ways() -> None:
    arguments = (
        "sensitivity",
        STORE,
        "--routes",
        "global_dense,governed",
        "--kinds",
        "lifecycle_false_stale",
        "--seeds",
        "2",
    )
    found = json.loads(run(*arguments, "--json").stdout)
    assert {curve["kind"] for curve in found["curves"]} == {"lifecycle_false_stale"}
    assert [point["rate"] for point in found["curves"][0]["points"]] == [0.0, 0.02, 0.05, 0.1, 0.2, 0.4]
    assert set(found["breaks_first"]) == {"global_dense", "governed"}
    text = run(*arguments)
    assert text.exit_code == 0
    assert "lifecycle_false_stale" in text.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("compare", STORE, "--routes", "nowhere"),
        ("compare", STORE, "--routes", ","),
        ("compare", STORE, "--routes", "governed", "--axes", "colour"),
        ("sensitivity", STORE, "--routes", "governed", "--kinds", "gremlins"),
        ("compare", STORE, "--routes", "governed", "--score", "meta.nothing"),
    ],
)
def test_bad_input_is_an_expected_failure(arguments: tuple[str, ...]) -> None:
    found = run(*arguments)
    assert isinstance(found.exception, InspectorError)
    assert found.stdout == ""


def test_hostile_names_are_inert(tmp_path: Path) -> None:
    folder = tmp_path / "bad\x1b[31mname"
    folder.mkdir()
    lines = {
        "memories": {"id": "m", "text": "t", "embedding": [1, 0]},
        "queries": {"id": "q", "text": "t", "required": ["m"], "embedding": [1, 0], "principal": {"namespaces": ["n"]}},
    }
    for name, record in lines.items():
        (folder / f"{name}.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    for command in ("compare", "sensitivity"):
        found = run(command, str(folder), "--routes", "global_dense")
        assert found.exit_code == 0, found.output
        assert "\x1b" not in found.output
