"""The encoder against DESIGN 6: its worked values, and its formulas written out again with plain loops."""

from __future__ import annotations

import math

import numpy as np
import pytest

from inspector.errors import FieldError
from inspector.mdl.encoder import CHUNK, bounds, encode, encode_many, encoder_for, norms_and_alphas
from inspector.mdl.params import ABLATIONS, PARAM_SPECS, Params, Switches, switches_of

DEFAULTS = Params()
#: DESIGN 6, "Worked values with these defaults" and "Known and kept visible".
WORKED = [
    ((0.9, 0.8, 0.5), (0.8356, 0.9606, 0.8125)),
    ((0.5, 0.5, 0.85), (0.5089, 0.9708, 0.4985)),
    ((0.3, 0.2, 0.2), (0.5751, 0.6964, 0.4529)),
    ((0.3, 0.2, 0.85), (0.2176, 0.9831, 0.2150)),
]


def plain(m: float, r: float, a: float, s: Switches, epsilon: float = 0.1) -> tuple[float, float]:
    """‖v_meta‖ and α, element by element, straight from DESIGN 6 and not from our code."""
    q, _ = np.linalg.qr(np.random.default_rng(0).standard_normal((16, 16)))
    columns = [range(5), range(5, 10), range(10, 16)]
    pi = [np.zeros((16, 16)) for _ in range(3)]
    for k in range(3):
        for i in range(16):
            for j in range(16):
                pi[k][i, j] = sum(q[i, c] * q[j, c] for c in columns[k])
        if s.identity_projectors:
            pi[k] = np.eye(16)
    signals = [m, r, 1.0 - a if s.risk_inversion else a]
    values = []
    for x in signals:
        bumps = [math.exp(-((x - i / 15) ** 2) / (2 * 0.2**2)) if s.value_encoding else 0.0 for i in range(16)]
        values.append(np.array([x + bump for bump in bumps]))
    gain = 0.5 + 0.5 * sum(values[2]) / 16 if s.risk and s.risk_modulation else 1.0
    total = np.zeros(16)
    for k in range(3):
        w = signals[k] * pi[k]
        for j in range(3):
            if j != k:
                w = w + epsilon * pi[j]
        if s.signals_on[k]:
            total = total + (gain if k == 0 else 1.0) * np.dot(w, values[k])
    meta = [math.tanh(x) for x in total]
    norm = math.sqrt(sum(x * x for x in meta))
    wm = math.sqrt(sum(x * x for x in values[0]))
    if norm == 0 or wm == 0:
        return norm, 0.0
    return norm, sum(x * y for x, y in zip(values[0], meta, strict=True)) / (norm * wm)


@pytest.mark.parametrize(("signals", "expected"), WORKED)
def test_worked_values_one_by_one(signals: tuple[float, float, float], expected: tuple[float, ...]) -> None:
    found = encode(*signals, DEFAULTS)
    assert (found.C, found.alpha, found.C_final) == pytest.approx(expected, abs=5e-5)


def test_worked_values_in_a_batch() -> None:
    m, r, a = np.array([signals for signals, _ in WORKED]).T
    found = encode_many(m, r, a, DEFAULTS)
    expected = np.array([values for _, values in WORKED])
    np.testing.assert_allclose(np.stack([found.C, found.alpha, found.C_final], axis=1), expected, atol=5e-5)


def test_bounds_of_the_grid() -> None:
    limits = bounds(DEFAULTS)
    assert limits.origin == "grid"
    assert (limits.n_min, limits.n_max) == pytest.approx((0.296641, 3.562989), abs=5e-7)


def test_very_high_relevance_lifts_confidence_even_at_high_risk() -> None:
    """The paper's own limit, kept visible: DESIGN 6 gives .7014."""
    assert encode(0.9, 0.8, 0.85, DEFAULTS).C_final == pytest.approx(0.7014, abs=5e-5)


def test_saturation() -> None:
    """DESIGN 6: at ε = 0, A = .01, R = .04, raising M from .98 to .99 lowers the norm."""
    params = DEFAULTS.with_(epsilon=0.0)
    assert encode(0.98, 0.04, 0.01, params).norm == pytest.approx(2.65045, abs=5e-6)
    assert encode(0.99, 0.04, 0.01, params).norm == pytest.approx(2.64825, abs=5e-6)
    norm, _ = norms_and_alphas([0.98, 0.99], 0.04, 0.01, params)
    assert norm == pytest.approx([2.65045, 2.64825], abs=5e-6)


@pytest.mark.parametrize("name", list(ABLATIONS))
def test_every_switch_follows_the_formulas(name: str) -> None:
    params = DEFAULTS.with_(switches=ABLATIONS[name])
    for signals in [(0.9, 0.8, 0.5), (0.0, 1.0, 0.3), (0.31, 0.07, 0.85), (0.0, 0.0, 1.0), (1.0, 1.0, 0.0)]:
        norm, alpha = plain(*signals, ABLATIONS[name])
        found = encode(*signals, params)
        assert found.norm == pytest.approx(norm, abs=1e-12)
        assert found.alpha == pytest.approx(alpha, abs=1e-12)
        limits = bounds(params)
        c = min(1.0, max(0.0, (norm - limits.n_min) / (limits.n_max - limits.n_min)))
        gate = 1.0 if name == "no-alpha-gate" else 0.3 + 0.7 * alpha
        assert found.C_final == pytest.approx(c * gate, abs=1e-12)


@pytest.mark.parametrize("name", list(ABLATIONS))
def test_bounds_are_derived_again_under_a_switch(name: str) -> None:
    """The extremes of the grid are among its corners and edges: every grid point lies between the bounds found."""
    switches = ABLATIONS[name]
    limits = bounds(DEFAULTS.with_(switches=switches))
    axis = [0.0, 0.3, 0.65, 1.0]
    norms = [plain(m, r, a, switches)[0] for m in axis for r in axis for a in axis]
    assert limits.n_min <= min(norms) + 1e-12
    assert limits.n_max >= max(norms) - 1e-12
    full = bounds(DEFAULTS)
    # Without the α gate the norm is the same; without the inversion 1 − A runs over the same grid.
    same = name in ("full", "no-alpha-gate", "no-risk-inversion")
    assert ((limits.n_min, limits.n_max) == pytest.approx((full.n_min, full.n_max), abs=1e-12)) is same


def test_given_bounds_hold_for_the_switches_they_were_fitted_for() -> None:
    given = DEFAULTS.with_(n_min=0.5, n_max=3.0)
    assert bounds(given)[:2] == (0.5, 3.0)
    ungated = given.with_(switches=Switches(alpha_gate=False))
    assert bounds(ungated)[:2] == (0.5, 3.0)  # ‖v_meta‖ does not depend on the gate
    without_r = given.with_(switches=Switches(reliability=False))
    assert bounds(without_r) == bounds(DEFAULTS.with_(switches=Switches(reliability=False)))


def test_intermediates_are_consistent() -> None:
    found = encode(0.6, 0.4, 0.5, DEFAULTS)
    assert found.s == pytest.approx([0.6, 0.4, 0.5])
    assert found.values.shape == found.terms.shape == (3, 16)
    # v(s) at the centre 9/15 = .6 has the full bump there.
    assert found.values[0, 9] == pytest.approx(1.6)
    assert found.terms.sum(axis=0) == pytest.approx(found.pre_activation)
    assert np.tanh(found.pre_activation) == pytest.approx(found.v_meta)
    assert found.energy.sum(axis=1) == pytest.approx((found.values**2).sum(axis=1))
    assert found.g_A == pytest.approx(0.5 + found.values[2].mean() / 2)


def test_a_removed_signal_has_no_term_and_leaves_alpha_its_reference() -> None:
    found = encode(0.6, 0.4, 0.5, DEFAULTS.with_(switches=Switches(relevance=False)))
    assert not found.terms[0].any()
    assert found.terms[1].any()
    assert -1.0 <= found.alpha <= 1.0
    assert found.alpha != 0.0


def test_alpha_is_zero_where_a_norm_is_zero() -> None:
    bare = DEFAULTS.with_(switches=Switches(value_encoding=False))
    assert encode(0.0, 0.0, 1.0, bare).alpha == 0.0
    assert encode_many(0.0, 0.0, 1.0, bare).alpha == 0.0


def test_batches_take_any_shape_and_any_length() -> None:
    rng = np.random.default_rng(5)
    m = rng.random((3 * CHUNK + 7,))
    many = encode_many(m, 0.4, 0.5, DEFAULTS)
    for i in (0, CHUNK - 1, CHUNK, 3 * CHUNK + 6):
        assert many.C_final[i] == pytest.approx(encode(float(m[i]), 0.4, 0.5, DEFAULTS).C_final, abs=1e-12)
    matrix = encode_many(m[:6].reshape(2, 3), np.array([[0.1], [0.9]]), 0.2, DEFAULTS)
    assert matrix.C.shape == (2, 3)
    assert matrix.C[1, 2] == pytest.approx(encode(float(m[5]), 0.9, 0.2, DEFAULTS).C, abs=1e-12)
    assert encode_many([], [], [], DEFAULTS).C.shape == (0,)


def test_a_missing_signal_is_missing_in_every_result() -> None:
    found = encode_many([0.5, np.nan], 0.5, 0.5, DEFAULTS)
    assert np.isnan([found.C[1], found.alpha[1], found.C_final[1]]).all()
    assert np.isfinite([found.C[0], found.alpha[0], found.C_final[0]]).all()


@pytest.mark.parametrize("bad", [-0.01, 1.01, math.inf])
def test_signals_out_of_range_are_refused(bad: float) -> None:
    with pytest.raises(FieldError, match="R"):
        encode_many([0.5], [bad], [0.5], DEFAULTS)
    with pytest.raises(FieldError, match="R"):
        encode(0.5, bad, 0.5, DEFAULTS)


def test_one_decision_refuses_what_is_no_number() -> None:
    with pytest.raises(FieldError, match="M"):
        encode(math.nan, 0.5, 0.5, DEFAULTS)


def test_other_constants_are_used() -> None:
    other = DEFAULTS.with_(dim=9, sigma=0.3, bias=0.2, projector_seed=4)
    assert encoder_for(other.encoder_key).blocks == (slice(0, 3), slice(3, 6), slice(6, 9))
    single, many = encode(0.5, 0.6, 0.7, other), encode_many(0.5, 0.6, 0.7, other)
    assert single.v_meta.shape == (9,)
    assert float(many.C_final) == pytest.approx(single.C_final, abs=1e-12)
    moved = DEFAULTS.with_(centres=tuple(i / 30 for i in range(16)))
    assert encode(0.9, 0.5, 0.5, moved).C_final != encode(0.9, 0.5, 0.5, DEFAULTS).C_final


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"thresholds": (0.5, 0.5, 0.6)}, "thresholds"),
        ({"sigma": 0.0}, "sigma"),
        ({"epsilon": math.nan}, "epsilon"),
        ({"n_min": 1.0}, "n_min"),
        ({"n_min": 2.0, "n_max": 1.0}, "n_max"),
        ({"tiers": (0.5, 0.2, 0.8)}, "tiers"),
        ({"centres": (0.1, 0.2)}, "centres"),
        ({"pool": "all"}, "pool"),
        ({"default_tier": "none"}, "default_tier"),
    ],
)
def test_constants_that_cannot_be_computed_with_are_refused(changes: dict[str, object], field: str) -> None:
    with pytest.raises(FieldError) as caught:
        DEFAULTS.with_(**changes)
    assert field in caught.value.field


def test_the_specs_say_what_is_ours() -> None:
    ours = {spec.name for spec in PARAM_SPECS if spec.ours}
    assert {"centres", "epsilon", "bias", "projector_seed", "thresholds", "n_min", "n_max"} <= ours
    assert not {"dim", "sigma", "tiers", "top_tier", "pool"} & ours
    assert all(spec.help for spec in PARAM_SPECS)


def test_ablations_by_name() -> None:
    assert switches_of([]) == Switches()
    both = switches_of(["M+A", "no-alpha-gate"])
    assert both.signals_on == (True, False, True)
    assert not both.alpha_gate
    assert both.words == "M+A, no-alpha-gate"
    assert Switches().words == "full"
    with pytest.raises(FieldError, match="no-such"):
        switches_of(["no-such"])
    with pytest.raises(FieldError, match="exclude each other"):
        switches_of(["M", "R"])
    with pytest.raises(FieldError, match="all three"):
        Switches(relevance=False, reliability=False, risk=False)
