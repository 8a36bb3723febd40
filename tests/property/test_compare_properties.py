"""What must hold of every comparison: hiding only widens, arrays equal one by one, order and blocks change nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.audit.figures import share_of_no
from inspector.compare.batch import Needs, matched_rows
from inspector.compare.contamination import exposure_values
from inspector.compare.corruption import digests, hide
from inspector.compare.figures import verdicts
from inspector.compare.matched import Matched, matched, overall
from inspector.comparing import run_source, running
from inspector.records import AXES
from inspector.trit import Trit, TritArray
from tests.compare import stores


@st.composite
def rankings(draw: st.DrawFn) -> tuple[npt.NDArray[np.int64], dict[str, TritArray], list[list[list[int]]]]:
    """Some queries' rankings, padded, their axes and relevance, and what they require: indices, several, or none."""
    rows, k = draw(st.integers(1, 5)), draw(st.integers(0, 6))
    memory = np.full((rows, k), -1, dtype=np.int64)
    for row in range(rows):
        found = draw(st.lists(st.integers(0, 7), max_size=k, unique=True))
        memory[row, : len(found)] = found
    cells = st.lists(st.integers(0, 2), min_size=rows * k, max_size=rows * k)
    trits = {axis: np.array(draw(cells), dtype=np.uint8).reshape(rows, k) for axis in (*AXES, "relevance", "exposed")}
    want = st.lists(st.integers(0, 9), max_size=2, unique=True)
    return memory, trits, [draw(st.lists(want, max_size=4)) for _ in range(rows)]


@given(store=rankings(), tau=st.sampled_from([0.0, 0.2, 0.5, 2 / 3, 0.8, 1.0]))
@settings(max_examples=200, deadline=None)
def test_arrays_equal_one_by_one(store: Any, tau: float) -> None:
    memory, trits, required = store
    admissible = verdicts(trits, AXES)
    found = matched_rows(memory, admissible, Needs.of(required), tau)
    singles: list[Matched] = []
    for row, wants in enumerate(required):
        one = matched(memory[row], wants, admissible[row], tau)
        singles.append(one)
        assert bool(found.evaluable[row]) == one.evaluable
        assert int(found.prefix[row]) == (-1 if one.prefix is None else one.prefix)
        for name in ("recall", "risk_lower", "risk_upper", "coverage", "known_violation_rate"):
            value = float(getattr(found, name)[row])
            assert value == pytest.approx(getattr(one, name)) if getattr(one, name) is not None else np.isnan(value)
    total = overall(singles, 1.5)
    if total.risk_upper is not None:
        upper = np.where(found.evaluable & ~found.feasible, 1.5, found.risk_upper)
        assert np.nanmean(upper) == pytest.approx(total.risk_upper)


@given(store=rankings(), axis=st.sampled_from([*AXES, "all"]), seed=st.integers(0, 3))
@settings(max_examples=200, deadline=None)
def test_hiding_widens_bounds_and_leaves_recall(store: Any, axis: str, seed: int) -> None:
    memory, trits, required = store
    needs = Needs.of(required)
    cells = digests((str(place),) for place in range(memory.size)).reshape(memory.shape)
    axes = AXES if axis == "all" else (axis,)
    before = matched_rows(memory, verdicts(trits, AXES), needs)
    for rate in (0.0, 0.02, 0.05, 0.1, 0.2, 0.4, 1.0):
        shown = hide(trits, memory >= 0, cells, axes, rate, seed)
        found = matched_rows(memory, verdicts(shown, AXES), needs)
        assert np.array_equal(found.recall, before.recall, equal_nan=True)
        assert np.array_equal(found.prefix, before.prefix)
        there = found.feasible
        assert (found.risk_lower[there] <= before.risk_lower[there]).all()
        assert (found.risk_upper[there] >= before.risk_upper[there]).all()
        before = found


@given(store=rankings())
@settings(max_examples=200, deadline=None)
def test_contamination_equals_that_of_the_audit(store: Any) -> None:
    """Two ways to the same bounds, written by different hands."""
    memory, trits, required = store
    admissible = verdicts(trits, AXES)
    values = exposure_values(memory, trits["exposed"], admissible, trits["relevance"], Needs.of(required))
    usable = np.minimum(admissible, trits["relevance"])
    for name, good in (("contamination", usable), ("inadmissible", admissible), ("irrelevant", trits["relevance"])):
        for row in range(len(memory)):
            held = np.flatnonzero(memory[row] >= 0).tolist()
            pairs = [(Trit(int(trits["exposed"][row, at])), Trit(int(good[row, at]))) for at in held]
            bounds = share_of_no(pairs)
            low, high = float(values[f"{name}_lower"][row]), float(values[f"{name}_upper"][row])
            if bounds is None:
                assert np.isnan(low)
                assert np.isnan(high)
            else:
                assert low == pytest.approx(bounds.low)
                assert high == pytest.approx(bounds.high)


@given(seed=st.integers(10_000, 20_000), data=st.data())
@settings(max_examples=12, deadline=None)
def test_runs_do_not_depend_on_blocks(seed: int, data: st.DataObject) -> None:
    request = stores.request(seed)
    whole = run_source(stores.inspection(seed), request)
    kept = running._BLOCK
    running._BLOCK = data.draw(st.integers(1, 2))
    try:
        parts = run_source(stores.inspection(seed), request)
    finally:
        running._BLOCK = kept
    for route, run in whole.runs.items():
        other = parts.runs[route]
        assert np.array_equal(run.memory, other.memory)
        assert np.array_equal(run.score, other.score, equal_nan=True)
        assert np.array_equal(run.similarities, other.similarities)
        names = [[one.paths[at] for at in row[row >= 0]] for one in (run, other) for row in one.path]
        assert names[: len(run.path)] == names[len(run.path) :]
        assert all(np.array_equal(run.trits[axis], other.trits[axis]) for axis in run.trits)
