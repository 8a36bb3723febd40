"""Calibration: thresholds found again, honest figures, bad rows named, files that survive."""

from __future__ import annotations

import dataclasses
import json
import math
import tomllib
from pathlib import Path

import duckdb
import numpy as np
import pytest

from inspector.errors import FieldError, InputError
from inspector.mdl.calibration import calibrate, fit_thresholds, split, wilson
from inspector.mdl.calibration_file import Calibration, load_calibration, parse_calibration, save_calibration
from inspector.mdl.decision import Action, decide
from inspector.mdl.encoder import bounds, norms_and_alphas
from inspector.mdl.labelled import Labelled, labelled, read_labelled
from inspector.mdl.params import ABLATIONS, Params, Switches

PARAMS = Params()
GRID = bounds(PARAMS)


def synthetic(thresholds: tuple[float, float, float], count: int = 2_000, seed: int = 1) -> Labelled:
    """Rows decided by known thresholds, with the uncalibrated n_min and n_max."""
    m, r, a = np.random.default_rng(seed).random((3, count))
    return labelled(m, r, a, decide(m, r, a, PARAMS.with_(thresholds=thresholds)).action)


@pytest.mark.parametrize("thresholds", [(0.3, 0.5, 0.7), (0.12, 0.38, 0.55), (0.4, 0.41, 0.8)])
def test_known_thresholds_are_recovered_within_one_step(thresholds: tuple[float, float, float]) -> None:
    report = calibrate(synthetic(thresholds), seed=7, n_bounds=(GRID.n_min, GRID.n_max))
    assert np.abs(np.array(report.fitted.thresholds) - thresholds).max() <= 0.01 + 1e-12
    assert report.fitted.agreement.share is not None
    assert report.fitted.agreement.share > 0.99
    assert (report.fitted.n_min, report.fitted.n_max) == (GRID.n_min, GRID.n_max)


def test_a_report_depends_on_rows_and_seed_alone() -> None:
    data = synthetic((0.3, 0.5, 0.7), 300)
    assert calibrate(data, seed=3) == calibrate(data, seed=3)
    assert calibrate(data, seed=3) != calibrate(data, seed=4)
    assert json.dumps(calibrate(data, seed=3).json(), sort_keys=True)


def test_bounds_come_from_the_fitted_rows() -> None:
    data = synthetic((0.3, 0.5, 0.7), 200)
    report = calibrate(data, seed=2)
    fit = ~split(200, 0.25, 2)
    norm, _ = norms_and_alphas(data.M[fit], data.R[fit], data.A[fit], PARAMS)
    assert (report.fitted.n_min, report.fitted.n_max) == (norm.min(), norm.max())
    assert report.fitted.held_out_rows == 50


def test_the_figures_of_a_report_are_those_of_its_rows() -> None:
    """Every figure worked out again from the decisions that the fitted constants give."""
    rng = np.random.default_rng(11)
    data = synthetic((0.3, 0.5, 0.7), 400, seed=11)
    noisy = np.where(rng.random(400) < 0.2, rng.integers(0, 4, 400), data.oracle)
    data = labelled(data.M, data.R, data.A, noisy)
    report = calibrate(data, seed=5)
    params = report.fitted.apply(PARAMS, "x")
    found = decide(data.M, data.R, data.A, params)
    hit = found.action == data.oracle
    out = split(400, 0.25, 5)
    assert report.fitted.agreement.right == hit[~out].sum()
    assert report.fitted.agreement_held_out.right == hit[out].sum()
    assert sum(map(sum, report.confusion_fit)) == 300
    assert sum(map(sum, report.confusion_held_out)) == 100
    assert sum(report.confusion_fit[i][i] for i in range(4)) == hit[~out].sum()
    assert report.confusion_fit[3][0] == ((data.oracle == 3) & (found.action == 0) & ~out).sum()
    assert report.correlation == pytest.approx(np.corrcoef(found.C, found.alpha)[0, 1])
    assert report.alpha_right == pytest.approx(found.alpha[hit].mean())
    assert report.alpha_wrong == pytest.approx(found.alpha[~hit].mean())
    low = data.M < 0.4
    assert report.low_rows == low.sum()
    assert report.abstained_low == (found.action[low] == Action.OPT_OUT).sum()


def test_the_ablation_table_has_every_ablation() -> None:
    report = calibrate(synthetic((0.3, 0.5, 0.7), 400), seed=1)
    assert [row.name for row in report.ablations] == list(ABLATIONS)
    full = report.ablations[0]
    assert full.kept_fit == full.refit_fit == report.fitted.agreement
    assert all(row.refit_fit.right >= row.kept_fit.right for row in report.ablations)
    single = {row.name: row.refit_fit.right for row in report.ablations}
    assert max(single["M"], single["R"], single["A"]) < single["full"]


def test_an_ablation_that_cannot_tell_the_rows_apart_says_so() -> None:
    m = np.linspace(0, 1, 40)
    report = calibrate(labelled(m, m, np.full(40, 0.2), (m * 3.99).astype(int)), held_out=0.0)
    row = {row.name: row for row in report.ablations}["A"]
    assert row.kept_fit.share is None
    assert "in every fitted row" in row.note


def test_rows_without_a_difference_are_refused() -> None:
    with pytest.raises(InputError, match="whose signals differ"):
        calibrate(labelled([0.5] * 9, [0.5] * 9, [0.5] * 9, [1] * 9))


def test_warnings() -> None:
    few = calibrate(synthetic((0.3, 0.5, 0.7), 79))
    assert any("fewer than 80" in warning for warning in few.warnings)
    enough = calibrate(synthetic((0.3, 0.5, 0.7), 80))
    assert not any("fewer than 80" in warning for warning in enough.warnings)
    m = np.linspace(0, 1, 100)
    one_sided = calibrate(labelled(m, m, m[::-1], np.where(m > 0.5, 3, 1)), held_out=0)
    assert any("Opt-Out, Supp" in warning for warning in one_sided.warnings)


def test_a_threshold_without_evidence_stays() -> None:
    """All rows are Active at C_final .8: θ1, θ0 keep their places, and so does θ2, which is right already."""
    thresholds, right = fit_thresholds(np.full(5, 0.8), np.full(5, 3, np.uint8), (0.25, 0.45, 0.65))
    assert (thresholds, right) == ((0.25, 0.45, 0.65), 5)


def test_a_threshold_moves_no_further_than_it_must() -> None:
    """Active rows at .5 need θ2 ≤ .50: the nearest is .50. θ0 < θ1 < θ2 keep theirs at .25 and .45."""
    thresholds, right = fit_thresholds(np.full(4, 0.5), np.full(4, 3, np.uint8), (0.25, 0.45, 0.65))
    assert (thresholds, right) == ((0.25, 0.45, 0.5), 4)


def test_wilson_interval() -> None:
    """Newcombe (1998), table I, method 3 (score without correction): 81/263 → .2553 to .3662; 0/20 → 0 to .1611."""
    found = wilson(81, 263)
    assert (found.low, found.high) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    none = wilson(0, 20)
    assert (none.low, none.high) == pytest.approx((0.0, 0.1611), abs=5e-5)
    assert wilson(0, 0).share is None


def test_split_is_seeded_and_rounds_down() -> None:
    assert split(10, 0.25, 1).sum() == 2
    assert (split(10, 0.25, 1) == split(10, 0.25, 1)).all()
    assert split(10, 0.0, 1).sum() == 0
    with pytest.raises(FieldError):
        split(10, 1.0, 1)


ROWS = [(0.9, 0.8, 0.5, "Active"), (0.3, 0.2, 0.85, "Opt-Out"), (0.5, 0.5, 0.85, "supp"), (0.1, 0.2, 0.3, "SILENT")]


def write_rows(path: Path) -> Path:
    if path.suffix == ".csv":
        lines = ["M,R,A,action,note", *(f"{m},{r},{a},{word},x" for m, r, a, word in ROWS)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8-sig")
    elif path.suffix == ".jsonl":
        lines = [json.dumps({"m": m, "r": r, "a": a, "oracle_action": word}) for m, r, a, word in ROWS]
        path.write_text("\n\n".join(lines) + "\n", encoding="utf-8")
    else:
        with duckdb.connect(":memory:") as connection:
            values = ", ".join(f"({m}, {r}, {a}, '{word}')" for m, r, a, word in ROWS)
            connection.execute(f"CREATE TABLE t AS SELECT * FROM (VALUES {values}) v(M, R, A, action)")
            connection.execute(f"COPY t TO '{path}' (FORMAT parquet)")
    return path


@pytest.mark.parametrize("name", ["rows.csv", "rows.jsonl", "rows.parquet"])
def test_rows_are_read_alike_from_every_kind_of_file(tmp_path: Path, name: str) -> None:
    found = read_labelled(write_rows(tmp_path / name))
    assert found.M.tolist() == [0.9, 0.3, 0.5, 0.1]
    assert found.R.tolist() == [0.8, 0.2, 0.5, 0.2]
    assert found.A.tolist() == [0.5, 0.85, 0.85, 0.3]
    assert found.oracle.tolist() == [3, 0, 2, 1]
    assert len(found.digest) == 64


def test_query_ids_are_looked_up(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("query_id,action\nq1,Active\nq2,Silent\n", encoding="utf-8")
    signals = {"q1": (0.9, 0.8, 0.5), "q2": (0.1, 0.2, 0.3)}
    assert read_labelled(path, signals.__getitem__).M.tolist() == [0.9, 0.1]
    with pytest.raises(InputError, match=r"rows\.csv:2: query_id: an id needs a source"):
        read_labelled(path)
    with pytest.raises(InputError, match=r"rows\.csv:3: query_id: 'q2' is no query"):
        read_labelled(path, {"q1": (0.9, 0.8, 0.5)}.__getitem__)
    with pytest.raises(InputError, match="'q1' has no vectors"):
        read_labelled(path, lambda _: None)


@pytest.mark.parametrize(
    ("name", "text", "line", "field", "wrong"),
    [
        ("a.csv", "M,R,A,action\n.1,.2,.3,Active\n.1,x,.3,Active\n", 3, "R", "'x' does not fit"),
        ("a.csv", "M,R,A,action\n.1,.2,1.5,Active\n", 2, "A", "'1.5' does not fit"),
        ("a.csv", "M,R,A,action\nnan,.2,.5,Active\n", 2, "M", "'nan' does not fit"),
        ("a.csv", "M,R,A,action\n.1,,.5,Active\n", 2, "R", "missing"),
        ("a.csv", "M,R,A,action\n.1,.2,.5,Perhaps\n", 2, "action", "'Perhaps' is no action"),
        ("a.csv", "M,R,A,action\n.1,.2,.5,\n", 2, "action", "missing"),
        ("a.csv", "M,R,A,action\n.1,.2,.5\n", 2, "", "3 values for 4 columns"),
        ("a.csv", 'M,R,A,action,note\n.1,.2,.5,Active,"two\nlines"\n.1,.2,9,Active,x\n', 4, "A", "'9' does not fit"),
        ("a.csv", "M,R,A\n.1,.2,.5\n", 1, "action", "no such column"),
        ("a.csv", "M,R,action\n.1,.2,Active\n", 1, "M, R, A", "no such columns"),
        ("a.csv", "M,m,R,A,action\n.1,.1,.2,.5,Active\n", 1, "m", "twice"),
        ("a.csv", "", 1, "action", "no such column"),
        ("a.csv", "M,R,A,action\n", None, "", "no rows"),
        ("a.jsonl", '{"M": 0.1, "R": 0.2, "A": 0.3, "action": "Active"}\n{"M": 0.1\n', 2, "", "delimiter"),
        ("a.jsonl", "[1]\n", 1, "", "no object"),
        ("a.jsonl", '{"M": true, "R": 0.2, "A": 0.3, "action": "Active"}\n', 1, "M", "True does not fit"),
        ("a.jsonl", '{"M": NaN, "R": 0.2, "A": 0.3, "action": "Active"}\n', 1, "M", "nan does not fit"),
        ("a.jsonl", '{"M": 0.1, "R": null, "A": 0.3, "action": "Active"}\n', 1, "R", "missing"),
        ("a.jsonl", '{"M": 0.1, "R": 0.1, "A": 0.3, "action": 1}\n', 1, "action", "1 is no action"),
        ("a.txt", "x", None, "", "'.txt' is not known"),
        ("a.parquet", "no parquet", None, "", ""),
    ],
)
def test_a_bad_row_is_named_with_file_line_and_column(
    tmp_path: Path, name: str, text: str, line: int | None, field: str, wrong: str
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_labelled(path)
    problem = caught.value.problem
    assert (problem.file, problem.line, problem.field) == (str(path), line, field)
    assert wrong in problem.wrong
    assert problem.expected


def test_a_bad_row_of_a_parquet_file_has_a_number(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    with duckdb.connect(":memory:") as connection:
        connection.execute(
            f"COPY (SELECT * FROM (VALUES (0.1, 0.2, 0.3, 'Active'), (0.1, 7.0, 0.3, 'Active')) v(M, R, A, action)) "
            f"TO '{path}' (FORMAT parquet)"
        )
    with pytest.raises(InputError) as caught:
        read_labelled(path)
    assert caught.value.problem.field == "row 2, R"


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.csv"):
        read_labelled(tmp_path / "none.csv")


def example() -> Calibration:
    params = PARAMS.with_(centres=tuple(i / 20 for i in range(16)), switches=Switches(reliability=False))
    return Calibration('say "hi"\\ \x7f é', calibrate(synthetic((0.3, 0.5, 0.7), 120), params, seed=9).fitted)


def test_a_calibration_file_is_the_same_after_reading(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    save_calibration(example(), path)
    assert load_calibration(path) == example()
    assert [p.name for p in tmp_path.iterdir()] == ["c.toml"]
    assert tomllib.loads(path.read_text(encoding="utf-8"))["made_from"]["rows"] == 120
    assert example().to_toml() == example().to_toml()


def test_a_calibration_in_force() -> None:
    calibration = example()
    params = calibration.apply(PARAMS.with_(pool="not-excluded", switches=Switches(reliability=False)))
    assert params.calibrated
    assert params.calibration == calibration.name
    assert params.pool == "not-excluded"
    assert params.thresholds == calibration.fitted.thresholds
    assert bounds(params)[:2] == (calibration.fitted.n_min, calibration.fitted.n_max)
    assert bounds(params.with_(switches=Switches())).origin == "grid"
    assert not PARAMS.calibrated


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ('kind = "mdl-calibration"', 'kind = "other"', "kind"),
        ("schema = 1", "schema = 2", "schema"),
        ("[encoder]", "[encode]", "encoder"),
        ("alpha_gate = true", "", "switches.alpha_gate"),
        ("alpha_gate = true", "alpha_gate = 1", "switches.alpha_gate"),
        ("sigma = 0.2", 'sigma = "wide"', "encoder.sigma"),
        ("sigma = 0.2", "sigma = -0.2", "sigma"),
        ("sigma = 0.2", "sigma = inf", "encoder.sigma"),
        ("dim = 16", "dim = 2.5", "encoder.dim"),
        ("rows = 120", "", "made_from.rows"),
    ],
)
def test_a_bad_calibration_file_is_named_with_its_key(tmp_path: Path, old: str, new: str, field: str) -> None:
    text = example().to_toml()
    assert text.count(f"{old}\n") == 1
    path = tmp_path / "c.toml"
    path.write_text(text.replace(f"{old}\n", f"{new}\n"), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_calibration(path)
    assert (caught.value.problem.file, caught.value.problem.field) == (str(path), field)


def test_thresholds_of_a_file_must_rise() -> None:
    calibration = example()
    bad = dataclasses.replace(calibration.fitted, thresholds=(0.5, 0.4, 0.6))
    with pytest.raises(FieldError, match="thresholds"):
        parse_calibration(Calibration("x", bad).to_toml())


def test_calibration_files_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.toml"):
        load_calibration(tmp_path / "none.toml")
    with pytest.raises(InputError, match="no"):
        save_calibration(example(), tmp_path / "no" / "c.toml")
    broken = tmp_path / "c.toml"
    broken.write_text("kind = \n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_calibration(broken)
    assert caught.value.problem.line == 1


def test_an_old_file_survives_a_failed_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "c.toml"
    save_calibration(example(), path)
    before = path.read_bytes()

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("inspector.mdl.calibration_file.os.replace", fail)
    with pytest.raises(InputError, match="No space left"):
        save_calibration(Calibration("other", example().fitted), path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["c.toml"]


def test_given_bounds_must_fit() -> None:
    with pytest.raises(FieldError, match="n_max"):
        calibrate(synthetic((0.3, 0.5, 0.7), 100), n_bounds=(2.0, 1.0))
    with pytest.raises(FieldError):
        calibrate(synthetic((0.3, 0.5, 0.7), 100), n_bounds=(0.0, math.nan))
