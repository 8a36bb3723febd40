"""Strong Kleene algebra against a table of three values written out by hand (DESIGN 1)."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.axes.verdict import VERDICT_WORDS, decided_by, fold, verdict_of
from inspector.trit import Trit, k_and, k_join, k_not, k_or

N, U, Y = Trit.NO, Trit.UNKNOWN, Trit.YES
TRITS = (N, U, Y)
# Kleene 1952, §64: the strong connectives, row by row; not derived from min and max.
AND = {(Y, Y): Y, (Y, N): N, (Y, U): U, (N, Y): N, (N, N): N, (N, U): N, (U, Y): U, (U, N): N, (U, U): U}
OR = {(Y, Y): Y, (Y, N): Y, (Y, U): Y, (N, Y): Y, (N, N): N, (N, U): U, (U, Y): Y, (U, N): U, (U, U): U}
NOT = {Y: N, N: Y, U: U}

trits = st.sampled_from(TRITS)


@pytest.mark.parametrize(("a", "b"), product(TRITS, TRITS))
def test_connectives_are_the_table(a: Trit, b: Trit) -> None:
    assert k_and((a, b)) is AND[a, b]
    assert k_or((a, b)) is OR[a, b]
    assert k_not(a) is NOT[a]


@given(st.lists(trits))
def test_any_number_folds_pair_by_pair(values: list[Trit]) -> None:
    both, either = Y, N
    for value in values:
        both, either = AND[both, value], OR[either, value]
    assert k_and(values) is both
    assert k_or(values) is either


@given(st.lists(trits), st.lists(trits))
def test_de_morgan(first: list[Trit], second: list[Trit]) -> None:
    values = first + second
    assert k_not(k_and(values)) is k_or([k_not(value) for value in values])


@given(st.lists(trits, min_size=1, max_size=6))
def test_knowing_more_never_turns_a_known_value(values: list[Trit]) -> None:
    """Whatever stands for each ?, the result is the known one: what makes ? safe to leave standing."""
    worlds = [[N, Y] if value == U else [value] for value in values]
    outcomes = {k_and(world) for world in product(*worlds)}
    if k_and(values) != U:
        assert outcomes == {k_and(values)}


@given(st.lists(trits))
def test_join_is_what_all_worlds_share(values: list[Trit]) -> None:
    same = bool(values) and all(value == values[0] for value in values)
    assert k_join(values) is (values[0] if same else U)


@pytest.mark.parametrize(("scope", "policy", "lifecycle"), product(TRITS, repeat=3))
def test_verdict_is_the_fold_of_all_27_mixes(scope: Trit, policy: Trit, lifecycle: Trit) -> None:
    expected = AND[AND[scope, policy], lifecycle]
    assert verdict_of(scope, policy, lifecycle) is expected
    arrays = [np.array([int(value)], np.uint8) for value in (scope, policy, lifecycle)]
    assert fold(*arrays).tolist() == [int(expected)]
    assert fold(*arrays).dtype == np.uint8
    named = dict(zip(("scope", "policy", "lifecycle"), (scope, policy, lifecycle), strict=True))
    deciding = decided_by(scope, policy, lifecycle)
    assert deciding == tuple(axis for axis in named if named[axis] == expected)
    assert deciding
    assert VERDICT_WORDS[expected] == {Y: "admit", N: "exclude", U: "unresolved"}[expected]


def test_a_trit_is_never_read_as_a_truth_value() -> None:
    with pytest.raises(TypeError, match="no truth value"):
        bool(U)
