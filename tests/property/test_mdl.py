"""What must hold of the Memory Decision Layer for all inputs (DESIGN 6, "Must hold as property tests")."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from inspector.mdl.calibration import calibrate, fit_thresholds
from inspector.mdl.conflict import ConflictDetector, Judged
from inspector.mdl.decision import Action, actions_of, decide
from inspector.mdl.encoder import bounds, encode, encode_many
from inspector.mdl.labelled import labelled
from inspector.mdl.lexicon import default_lexicons
from inspector.mdl.params import ABLATIONS, Params
from inspector.mdl.risk import RiskAssessor

PARAMS = Params()
DETECTOR = ConflictDetector(default_lexicons())
RISKS = RiskAssessor(default_lexicons())

unit = st.floats(0.0, 1.0)
triples = st.tuples(unit, unit, unit)
switches = st.sampled_from(list(ABLATIONS.values()))


@given(triples, switches)
def test_energy_is_conserved(signals: tuple[float, float, float], switch: object) -> None:
    """Σ_k ‖Π_k v‖² = ‖v‖², wherever the projectors split the space."""
    params = PARAMS.with_(switches=switch)
    assume(not params.switches.identity_projectors)
    found = encode(*signals, params)
    np.testing.assert_allclose(found.energy.sum(axis=1), (found.values**2).sum(axis=1), rtol=1e-12, atol=1e-12)


@given(triples, switches)
def test_everything_is_finite_and_in_range(signals: tuple[float, float, float], switch: object) -> None:
    found = encode(*signals, PARAMS.with_(switches=switch))
    for part in (found.values, found.energy, found.terms, found.pre_activation, found.v_meta):
        assert np.isfinite(part).all()
    assert -1.0 <= found.alpha <= 1.0
    assert 0.0 <= found.C <= 1.0
    assert -0.4 - 1e-12 <= found.C_final <= 1.0
    assert 0.5 <= found.g_A <= 1.5


@given(st.lists(triples, min_size=1, max_size=40), switches)
def test_a_batch_equals_one_by_one(rows: list[tuple[float, float, float]], switch: object) -> None:
    params = PARAMS.with_(switches=switch)
    m, r, a = np.array(rows).T
    many = encode_many(m, r, a, params)
    for i, signals in enumerate(rows):
        one = encode(*signals, params)
        found = (many.C[i], many.alpha[i], many.C_final[i], many.norm[i])
        # α at a vanishing norm is decided by rounding: there the norms agree, and that is all that is asked.
        if one.norm > 1e-9:
            np.testing.assert_allclose(found, (one.C, one.alpha, one.C_final, one.norm), rtol=0, atol=1e-12)
        else:
            assert abs(many.norm[i] - one.norm) <= 1e-12


small = st.floats(0.0, 0.4)


@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(small, small, small, st.floats(0.0, 0.2), st.sampled_from(range(3)))
def test_confidence_rises_with_a_signal_in_the_near_linear_region(
    s_m: float, s_r: float, s_a: float, step: float, which: int
) -> None:
    """C is non-decreasing in s_wm, s_r and s_a = 1 − A while every pre-activation stays under .5 in size."""
    before = [s_m, s_r, s_a]
    after = list(before)
    after[which] += step
    low, high = (encode(s[0], s[1], 1.0 - s[2], PARAMS) for s in (before, after))
    assume(max(abs(low.pre_activation).max(), abs(high.pre_activation).max()) < 0.5)
    assert high.C >= low.C - 1e-12


def test_the_saturation_case() -> None:
    """Outside the near-linear region it need not rise: DESIGN's case, and it does lie outside."""
    params = PARAMS.with_(epsilon=0.0)
    low, high = encode(0.98, 0.04, 0.01, params), encode(0.99, 0.04, 0.01, params)
    assert round(low.norm, 5) == 2.65045
    assert round(high.norm, 5) == 2.64825
    assert abs(low.pre_activation).max() > 0.5


@given(triples)
def test_an_action_never_falls_as_c_final_rises(signals: tuple[float, float, float]) -> None:
    found = sorted(float(x) for x in encode_many(signals, 0.5, 0.5, PARAMS).C_final)
    codes = actions_of(found, PARAMS.thresholds)
    assert all(x <= y for x, y in pairwise(codes.tolist()))


WORDS = [
    *(
        "the user",
        "Anna",
        "she",
        "I",
        "my brother",
        "likes",
        "hates",
        "drinks",
        "coffee",
        "tea",
        "is",
        "open",
        "closed",
    ),
    *("not", "never", "no", "without", "doesn't", "unhappy", "happy", "yes", "and", "but", "if", "2", "10 mg", "said"),
    *(
        "사용자는",
        "커피를",
        "안",
        "마신다",
        "마시지",
        "않는다",
        "없다",
        "있다",
        "좋아한다",
        "싫어한다",
        "아니다",
        "만약",
        "면",
    ),
]
MARKS = [" ", " ", " ", " ", ". ", ", ", "? ", ": ", "\n", ' "', '" ', " '", "“", "”"]
sentences = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(MARKS)), max_size=14).map(
    lambda parts: "".join(word + mark for word, mark in parts)
)
texts = st.one_of(sentences, st.text(max_size=60))


@given(texts, texts)
def test_a_conflict_is_symmetric(a: str, b: str) -> None:
    there, back = DETECTOR.judge(a, b), DETECTOR.judge(b, a)
    assert there.value is back.value
    assert (there.conflict.mirrored() if there.conflict else None) == back.conflict
    table = DETECTOR.table([a, b])
    assert table.codes[0, 1] == table.codes[1, 0] == there.value
    assert table.conflicts.get((0, 1)) == there.conflict


@given(texts)
def test_a_text_never_conflicts_with_itself(text: str) -> None:
    assert DETECTOR.judge(text, text).value is not Judged.CONFLICT
    assert DETECTOR.judge(text, text + " ").value is not Judged.CONFLICT


@given(st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)), texts)
def test_risk_is_always_a_number_with_a_reason(value: object, text: str) -> None:
    found = RISKS.assess(value, text, PARAMS)
    assert 0.0 <= found.A <= 1.0
    assert found.reason


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(5, 90), min_size=3, max_size=3, unique=True), st.integers(0, 2**31))
def test_calibration_recovers_thresholds(steps: list[int], seed: int) -> None:
    first, second, third = (step / 100 for step in sorted(steps))
    m, r, a = np.random.default_rng(seed).random((3, 2_000))
    oracle = decide(m, r, a, PARAMS.with_(thresholds=(first, second, third))).action
    limits = bounds(PARAMS)
    report = calibrate(labelled(m, r, a, oracle), seed=seed, n_bounds=(limits.n_min, limits.n_max))
    # Where an action has no row, the threshold beside it is not determined: compare what is.
    present = np.bincount(oracle, minlength=4) >= 4
    for k, wanted in enumerate((first, second, third)):
        if present[k] and present[k + 1]:
            assert abs(report.fitted.thresholds[k] - wanted) <= 0.01 + 1e-12


@settings(max_examples=10, deadline=None)
@given(
    st.lists(st.tuples(st.floats(-0.2, 1.2), st.integers(0, 3)), min_size=1, max_size=12),
    st.tuples(st.integers(0, 98), st.integers(0, 98), st.integers(0, 98)),
)
def test_the_grid_search_finds_what_trying_every_triple_finds(
    rows: list[tuple[float, int]], steps: tuple[int, int, int]
) -> None:
    near = (steps[0] / 100, steps[1] / 100, steps[2] / 100)
    c, oracle = np.array([c for c, _ in rows]), np.array([k for _, k in rows], np.uint8)
    found, right = fit_thresholds(c, oracle, near)
    reached = np.round(c, 12)[:, None] >= np.arange(101) / 100
    best: tuple[int, int, tuple[int, int, int]] | None = None
    for i in range(99):
        for j in range(i + 1, 100):
            decided = reached[:, i].astype(int) + reached[:, j]
            agree = ((decided[:, None] + reached[:, j + 1 :]) == oracle[:, None]).sum(axis=0)
            distance = abs(i - steps[0]) + abs(j - steps[1]) + np.abs(np.arange(j + 1, 101) - steps[2])
            k = int(np.lexsort((distance, -agree))[0])
            entry = (-int(agree[k]), int(distance[k]), (i, j, j + 1 + k))
            best = entry if best is None or entry < best else best
    assert best is not None
    assert right == -best[0]
    assert found == tuple(i / 100 for i in best[2])


def test_actions_are_ordered() -> None:
    assert list(Action) == sorted(Action)
