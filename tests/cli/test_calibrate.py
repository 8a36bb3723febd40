"""``inspector calibrate``, and the decision layer's flags: what is printed, written, refused (DESIGN 6, 12)."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from inspector.cli import cli
from inspector.errors import InputError
from inspector.inspection import demo_folder
from inspector.mdl import Params, decide, load_calibration, save_calibration

STORE = str(demo_folder("adoption"))


def run(*args: object) -> Result:
    """Run the command; faults of ours are raised."""
    return CliRunner().invoke(cli, [str(arg) for arg in args], catch_exceptions=False)


def synthetic(path: Path, count: int, params: Params) -> Path:
    """Rows whose actions were made with known constants."""
    m, r, a = np.random.default_rng(1).random((3, count))
    made = decide(m, r, a, params)
    lines = [f"{m[i]},{r[i]},{a[i]},{one.action.word}" for i, one in enumerate(made) if one is not None]
    path.write_text("M,R,A,action\n" + "\n".join(lines) + "\n", "utf-8")
    return path


def test_known_thresholds_are_recovered_and_written(tmp_path: Path) -> None:
    made_with = Params(n_min=0.3, n_max=3.5, thresholds=(0.31, 0.52, 0.74))
    rows, out = synthetic(tmp_path / "rows.csv", 2_000, made_with), tmp_path / "cal.toml"
    done = run("calibrate", rows, "--out", out, "--n-min", 0.3, "--n-max", 3.5, "--json")
    report = json.loads(done.stdout)
    fitted = load_calibration(out).fitted
    for found, known in zip(fitted.thresholds, made_with.thresholds, strict=True):
        assert found == pytest.approx(known, abs=0.01 + 1e-9)  # within one step of the grid
    assert (fitted.n_min, fitted.n_max, fitted.bounds_given) == (0.3, 3.5, True)
    assert report["fitted"]["thresholds"] == list(fitted.thresholds)
    assert report["actions"] == ["Opt-Out", "Silent", "Supp", "Active"]
    assert load_calibration(out).name == "rows"


def test_the_same_seed_gives_the_same_file_and_text(tmp_path: Path) -> None:
    rows = synthetic(tmp_path / "rows.csv", 200, Params())
    outs = [tmp_path / f"{n}.toml" for n in range(3)]
    texts = [
        run("calibrate", rows, "--out", out, "--seed", seed).stdout for out, seed in zip(outs, (5, 5, 6), strict=True)
    ]
    assert outs[0].read_bytes() == outs[1].read_bytes() != outs[2].read_bytes()
    assert texts[0] == texts[1] != texts[2]
    assert "150 fitted, 50 held out (seed 5)" in texts[0]
    # No path of the machine stands in the file.
    assert str(tmp_path) not in outs[0].read_text("utf-8")


def test_the_account_in_words() -> None:
    done = run("calibrate", Path(STORE) / "labelled.csv")
    for words in (
        "104 rows of labelled.csv: 78 fitted, 26 held out (seed 0)",
        "agreement: fitted 67 of 78 = .86 [.76, .92]; held out 21 of 26 = .81",
        "oracle (fitted)",
        "r(C, α)",
        "not independent (the paper: r = .902)",
        "mean α of right decisions",
        "rows with M < 0.4",
        "identity-projectors",
    ):
        assert words in done.stdout
    assert "warning" not in done.stdout
    assert "nothing was written" in done.stderr


def test_few_rows_are_warned_of(tmp_path: Path) -> None:
    rows = synthetic(tmp_path / "rows.csv", 79, Params())
    assert "warning: 79 rows: fewer than 80" in run("calibrate", rows).stdout


def test_query_ids_are_looked_up_in_the_source(tmp_path: Path) -> None:
    labels = [("burn", "Opt-Out"), ("penicillin", "Active"), ("bicycles", "Supp"), ("basil", "Active")]
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(json.dumps({"query_id": q, "action": a}) + "\n" for q, a in labels), "utf-8")
    out = tmp_path / "cal.toml"
    run("calibrate", rows, STORE, "--temporary", "--out", out, "--held-out", 0, "--name", "by hand")
    made = load_calibration(out)
    assert (made.name, made.fitted.rows) == ("by hand", 4)
    # The pool counts: without the excluded timetable `bicycles` is relevant by .78 and reliable by .89.
    other = tmp_path / "other.toml"
    run("calibrate", rows, STORE, "--temporary", "--out", other, "--held-out", 0, "--pool", "not-excluded")
    assert load_calibration(other).fitted.n_max != made.fitted.n_max


@pytest.mark.parametrize(
    ("content", "where", "what"),
    [
        ("M,R,A,action\n.5,.5,.5,Active\n.5,1.5,.5,Supp\n", "rows.csv:3: R", "a number from 0 to 1"),
        ("M,R,A,action\n.5,.5,.5,Maybe\n", "rows.csv:2: action", "one of Active, Supp, Silent, Opt-Out"),
        ("query_id,action\nburn,Active\n", "rows.csv:2: query_id", "a source of queries"),
    ],
)
def test_bad_rows_are_named(tmp_path: Path, content: str, where: str, what: str) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text(content, "utf-8")
    with pytest.raises(InputError) as caught:
        run("calibrate", rows, "--out", tmp_path / "cal.toml")
    assert where in str(caught.value)
    assert what in str(caught.value)
    assert not (tmp_path / "cal.toml").exists()


@pytest.mark.parametrize("flags", [("--n-min", 0.5), ("--n-min", 3, "--n-max", 1), ("--held-out", 1.5)])
def test_bad_flags_are_refused(tmp_path: Path, flags: tuple[Any, ...]) -> None:
    rows = synthetic(tmp_path / "rows.csv", 100, Params())
    with pytest.raises(InputError, match="--"):
        run("calibrate", rows, *flags)


def actions(tmp_path: Path, *flags: object) -> tuple[dict[str, Any], dict[str, Any]]:
    """Action of each query, and the summary's mdl, of ``evaluate`` with these flags."""
    told = tmp_path / "s.json"
    run("evaluate", STORE, "--temporary", "--out", tmp_path / "r.jsonl", "--summary", told, *flags)
    summary = json.loads(told.read_text("utf-8"))
    return {query["query_id"]: query["mdl"]["action"] for query in summary["queries"]}, summary["mdl"]


def test_evaluate_decides_by_the_flags(tmp_path: Path) -> None:
    found, mdl = actions(tmp_path)
    assert (found["burn"], mdl["calibration"], mdl["calibration_rows"]) == ("Opt-Out", "adoption", 104)
    found, mdl = actions(tmp_path, "--calibration", "none")
    assert (found["burn"], mdl["calibration"]) == ("Silent", None)
    found, mdl = actions(tmp_path, "--pool", "not-excluded")
    assert (found["bicycles"], mdl["pool"]) == ("Active", "not-excluded")
    _, mdl = actions(tmp_path, "--signals", "M+R", "--no-alpha-gate", "--identity-projectors")
    assert mdl["switches"] == "M+R, no-alpha-gate, identity-projectors"
    for name in ("no-value-encoding", "no-risk-inversion", "no-risk-modulation"):
        assert actions(tmp_path, f"--{name}")[1]["switches"] == name


def test_evaluate_by_a_calibration_file_and_without_one(tmp_path: Path) -> None:
    source, kept = str(demo_folder("anniversary")), tmp_path / "kept.duckdb"
    out = ("--out", tmp_path / "r.jsonl", "--workspace", kept)
    done = run("evaluate", source, *out, "--calibration", Path(STORE) / "calibration.toml")
    assert "MDL calibrated: adoption" in done.stderr
    assert "MDL calibrated: adoption" in run("evaluate", source, *out).stderr  # the workspace keeps it
    assert "MDL calibrated" not in run("evaluate", source, *out, "--calibration", "none").stderr
    assert "MDL calibrated" not in run("evaluate", source, *out).stderr
    with pytest.raises(InputError, match=r"bundle\.toml"):
        run("evaluate", source, *out, "--calibration", Path(source) / "bundle.toml")


def test_a_calibration_written_to_a_pipe_does_not_replace_it(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    calibration = load_calibration(demo_folder("adoption") / "calibration.toml")
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) as reader:
        save_calibration(calibration, pipe)
        assert reader.stdout is not None
        assert reader.stdout.read().decode() == calibration.to_toml()
    assert pipe.is_fifo()
