"""Calibration: n_min, n_max and the thresholds from labelled rows, and how well they do (DESIGN 6).

The rows are split by a seed: the constants are fitted on one part and judged on both. Every figure that is a share
comes with its Wilson interval. Nothing here is random but the split.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from inspector.errors import FieldError, InputError
from inspector.i18n import _, _d
from inspector.mdl.decision import Action, actions_of
from inspector.mdl.encoder import Bounds, Floats, confidence, gated, norms_and_alphas
from inspector.mdl.labelled import Labelled
from inspector.mdl.params import ABLATIONS, Params, Switches

#: Fewer rows than this give a warning.
FEW_ROWS = 80
#: Share of the rows that is held out unless asked otherwise [ours].
HELD_OUT = 0.25
#: Below this M the share of abstentions is reported.
LOW_RELEVANCE = 0.4
_STEPS = 100
_Z = 1.959963984540054  # two-sided 95 %
_Codes = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How many of some rows are decided as the oracle decided, with the Wilson interval at 95 %; None of no rows."""

    right: int
    total: int
    share: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class AblationRow:
    """One ablation: agreement with the thresholds kept, and with thresholds fitted again; n_min, n_max always anew.

    ``note`` says why figures are missing, "" else.
    """

    name: str
    kept_fit: Agreement
    kept_held_out: Agreement
    refit_fit: Agreement
    refit_held_out: Agreement
    thresholds: tuple[float, float, float]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Fitted:
    """What a calibration fixes, and where from: enough to apply it, to store it and to tell what it is worth."""

    n_min: float
    n_max: float
    thresholds: tuple[float, float, float]
    dim: int
    sigma: float
    centres: tuple[float, ...] | None
    epsilon: float
    bias: float
    projector_seed: int
    switches: Switches
    source: str
    source_sha256: str
    rows: int
    held_out_rows: int
    seed: int
    bounds_given: bool
    agreement: Agreement
    agreement_held_out: Agreement

    def apply(self, params: Params, name: str) -> Params:
        """``params`` with these constants in force, named ``name``; pool, tiers and switches stay the user's."""
        return params.with_(
            n_min=self.n_min,
            n_max=self.n_max,
            thresholds=self.thresholds,
            dim=self.dim,
            sigma=self.sigma,
            centres=self.centres,
            epsilon=self.epsilon,
            bias=self.bias,
            projector_seed=self.projector_seed,
            fitted_switches=self.switches,
            calibration=name,
        )


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """A calibration and its account.

    ``confusion_fit`` and ``confusion_held_out`` count rows by oracle action (outer, from Opt-Out to Active) and
    decided action (inner). Over all rows: ``correlation`` is Pearson's r of C and α (None where one is constant);
    ``alpha_right`` and ``alpha_wrong`` are the mean α of right and of wrong decisions (None of none);
    ``abstained_low`` of ``low_rows`` rows with M < .4 are decided Opt-Out.
    """

    fitted: Fitted
    confusion_fit: tuple[tuple[int, ...], ...]
    confusion_held_out: tuple[tuple[int, ...], ...]
    correlation: float | None
    alpha_right: float | None
    alpha_wrong: float | None
    low_rows: int
    abstained_low: int
    ablations: tuple[AblationRow, ...]
    warnings: tuple[str, ...]

    def json(self) -> dict[str, Any]:
        """The report as plain JSON values; the axes of the confusion matrices are named."""
        return {**asdict(self), "actions": [action.word for action in Action]}


def wilson(right: int, total: int) -> Agreement:
    """A share with its Wilson score interval at 95 %."""
    if total == 0:
        return Agreement(0, 0, None, None, None)
    share, square = right / total, _Z * _Z
    centre = (share + square / (2 * total)) / (1 + square / total)
    half = _Z / (1 + square / total) * math.sqrt(share * (1 - share) / total + square / (4 * total * total))
    return Agreement(right, total, share, max(0.0, centre - half), min(1.0, centre + half))


def fit_thresholds(
    c_final: Floats, oracle: _Codes, near: tuple[float, float, float]
) -> tuple[tuple[float, float, float], int]:
    """θ0 < θ1 < θ2 on the grid 0, .01, …, 1 that agree with most oracle actions, and how many rows agree (DESIGN 6).

    Ties: the triple nearest to ``near`` (sum of distances in grid steps), then the smallest. So a threshold that the
    rows say nothing about stays where it is.

    The agreement is a sum of one term a threshold, f_k(θ_k) = rows labelled k below θ_k − rows labelled k+1 below
    θ_k, up to a constant: the rows are counted once into the grid's cells, and the best rising triple is found by
    running maxima, without trying triples.
    """
    grid = np.arange(_STEPS + 1) / _STEPS
    # Row c lies below θ = grid[i] exactly where grid[i] > c, that is i ≥ cell.
    cell = np.searchsorted(grid, np.round(c_final, 12), side="right")
    below = np.zeros((4, _STEPS + 1), np.int64)
    for action in Action:
        counts = np.bincount(cell[oracle == action], minlength=_STEPS + 2)
        below[action] = np.cumsum(counts)[: _STEPS + 1]
    gain = below[:3] - below[1:]
    wanted = np.clip(np.rint(np.asarray(near) * _STEPS), 0, _STEPS).astype(np.int64)
    distance = np.abs(np.arange(_STEPS + 1)[None, :] - wanted[:, None])
    # One row of agreement outweighs every distance: three thresholds are at most 300 steps away.
    score = gain * 1_000 - distance
    impossible = -(2**60)
    best = score[0].copy()
    steps: list[npt.NDArray[np.int64]] = []
    for k in (1, 2):
        running = np.maximum.accumulate(best)
        # The first place where the running maximum is reached is the smallest of equal thresholds.
        first = np.searchsorted(running, running, side="left")
        previous = np.concatenate(([0], first[:-1]))
        reachable = np.concatenate(([impossible], running[:-1]))
        steps.append(previous)
        best = np.where(reachable > impossible // 2, reachable + score[k], impossible)
    top = int(np.argmax(best))
    middle = int(steps[1][top])
    lowest = int(steps[0][middle])
    picked = (lowest, middle, top)
    right = int(sum(gain[k][i] for k, i in enumerate(picked)) + np.count_nonzero(oracle == Action.ACTIVE))
    return (float(grid[lowest]), float(grid[middle]), float(grid[top])), right


def split(count: int, held_out: float, seed: int) -> npt.NDArray[np.bool_]:
    """Which of ``count`` rows are held out: a seeded draw of the given share, rounded down. At least one row stays."""
    if not 0.0 <= held_out < 1.0:
        raise FieldError(
            "held_out", _("{held_out} is out of range").format(held_out=held_out), _("a share from 0 to less than 1")
        )
    chosen = np.zeros(count, np.bool_)
    chosen[np.random.default_rng(seed).permutation(count)[: int(count * held_out)]] = True
    return chosen


@dataclass(frozen=True, slots=True, eq=False)
class _Scored:
    """C, α and C_final of all rows under one set of switches, and the bounds they were scaled by."""

    C: Floats
    alpha: Floats
    C_final: Floats
    limits: Bounds


def _score(data: Labelled, params: Params, fit: npt.NDArray[np.bool_], given: tuple[float, float] | None) -> _Scored:
    norm, alpha = norms_and_alphas(data.M, data.R, data.A, params)
    if given is not None:
        limits = Bounds(*given, "given")
    else:
        limits = Bounds(float(norm[fit].min()), float(norm[fit].max()), "given")
    if not limits.n_min < limits.n_max:
        wrong = _("‖v_meta‖ is {n_min:.6g} in every fitted row").format(n_min=limits.n_min)
        raise InputError.at(data.file, None, "M, R, A", wrong, _("rows whose signals differ"))
    c = confidence(norm, limits)
    return _Scored(c, alpha, gated(c, alpha, params), limits)


def calibrate(
    data: Labelled,
    params: Params | None = None,
    *,
    seed: int = 0,
    held_out: float = HELD_OUT,
    n_bounds: tuple[float, float] | None = None,
) -> CalibrationReport:
    """Fit n_min, n_max and the thresholds to labelled rows (DESIGN 6).

    ``params`` gives the encoder's constants and the switches; its thresholds break ties. ``n_bounds`` fixes n_min and
    n_max, else they are the extremes of ‖v_meta‖ over the fitted rows. The same rows, seed and constants give the same
    report. Raises InputError where the rows cannot be told apart, FieldError for a bad share or bad bounds.
    """
    params = params or Params()
    if n_bounds is not None:
        params.with_(n_min=n_bounds[0], n_max=n_bounds[1])  # refuses bounds that do not fit
    out = split(len(data), held_out, seed)
    fit = ~out
    scored = _score(data, params, fit, n_bounds)
    thresholds, _ = fit_thresholds(scored.C_final[fit], data.oracle[fit], params.thresholds)
    decided = actions_of(scored.C_final, thresholds)
    hit = decided == data.oracle
    fitted = Fitted(
        n_min=scored.limits.n_min,
        n_max=scored.limits.n_max,
        thresholds=thresholds,
        dim=params.dim,
        sigma=params.sigma,
        centres=params.centres,
        epsilon=params.epsilon,
        bias=params.bias,
        projector_seed=params.projector_seed,
        switches=params.switches,
        source=Path(data.file).name,
        source_sha256=data.digest,
        rows=len(data),
        held_out_rows=int(out.sum()),
        seed=seed,
        bounds_given=n_bounds is not None,
        agreement=_agreement(hit, fit),
        agreement_held_out=_agreement(hit, out),
    )
    low = data.M < LOW_RELEVANCE
    return CalibrationReport(
        fitted=fitted,
        confusion_fit=_confusion(data.oracle[fit], decided[fit]),
        confusion_held_out=_confusion(data.oracle[out], decided[out]),
        correlation=_pearson(scored.C, scored.alpha),
        alpha_right=_mean(scored.alpha[hit]),
        alpha_wrong=_mean(scored.alpha[~hit]),
        low_rows=int(low.sum()),
        abstained_low=int(np.count_nonzero(low & (decided == Action.OPT_OUT))),
        ablations=tuple(_ablation(name, data, params, fit, thresholds, n_bounds) for name in ABLATIONS),
        warnings=_warnings(data, fit),
    )


def _ablation(
    name: str,
    data: Labelled,
    params: Params,
    fit: npt.NDArray[np.bool_],
    kept: tuple[float, float, float],
    n_bounds: tuple[float, float] | None,
) -> AblationRow:
    switches = ABLATIONS[name]
    # Given bounds belong to the switches they were given for; under others they are derived again.
    given = n_bounds if switches.for_norm() == params.switches.for_norm() else None
    try:
        scored = _score(data, params.with_(switches=switches, n_min=None, n_max=None), fit, given)
    except InputError as error:
        none = wilson(0, 0)
        return AblationRow(name, none, none, none, none, kept, error.problem.wrong)
    again, _ = fit_thresholds(scored.C_final[fit], data.oracle[fit], kept)
    with_kept = actions_of(scored.C_final, kept) == data.oracle
    with_again = actions_of(scored.C_final, again) == data.oracle
    return AblationRow(
        name,
        _agreement(with_kept, fit),
        _agreement(with_kept, ~fit),
        _agreement(with_again, fit),
        _agreement(with_again, ~fit),
        again,
    )


def _agreement(hit: npt.NDArray[np.bool_], part: npt.NDArray[np.bool_]) -> Agreement:
    return wilson(int(np.count_nonzero(hit & part)), int(np.count_nonzero(part)))


def _confusion(oracle: _Codes, decided: _Codes) -> tuple[tuple[int, ...], ...]:
    counts = np.bincount(oracle.astype(np.int64) * 4 + decided, minlength=16).reshape(4, 4)
    return tuple(tuple(int(n) for n in row) for row in counts)


def _pearson(x: Floats, y: Floats) -> float | None:
    dx, dy = x - x.mean(), y - y.mean()
    scale = math.sqrt(float(dx @ dx) * float(dy @ dy))
    return max(-1.0, min(1.0, float(dx @ dy) / scale)) if scale > 0.0 else None


def _mean(values: Floats) -> float | None:
    return float(values.mean()) if values.size else None


def _warnings(data: Labelled, fit: npt.NDArray[np.bool_]) -> tuple[str, ...]:
    found: list[str] = []
    if len(data) < FEW_ROWS:
        found.append(
            _d("{count} rows: fewer than {FEW_ROWS}, the thresholds may not hold elsewhere").format(
                count=len(data), FEW_ROWS=FEW_ROWS
            )
        )
    absent = [action.word for action in Action if not np.any(data.oracle[fit] == action)]
    if absent:
        found.append(
            _d("no fitted row is labelled {absent}: the thresholds beside it are not determined").format(
                absent=", ".join(absent)
            )
        )
    return tuple(found)
