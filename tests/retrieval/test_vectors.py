"""Unit vectors on their grid, and vectors that a store brings along."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from inspector.retrieval.vectors import Vectors, given_vectors, unit_vectors
from tests.retrieval.views import memory, query


def test_rows_become_unit_vectors() -> None:
    found = unit_vectors(np.array([[3.0, 4.0], [-5.0, 0.0]]))
    # 3-4-5 triangle; within half a step of the grid, 2^-27
    assert found.data.tolist() == [pytest.approx([0.6, 0.8], abs=1e-7), [-1.0, 0.0]]
    assert found.data.dtype == np.float32
    assert found.ok.all()
    assert found.problems == {}


@pytest.mark.parametrize("scale", [1e-320, 1e-160, 1.0, 1e160, 1e307])
def test_scale_does_not_matter_even_where_squares_overflow_or_vanish(scale: float) -> None:
    found = unit_vectors(np.array([[3.0 * scale, 4.0 * scale]]))
    assert found.ok.all()
    assert found.data[0].tolist() == pytest.approx([0.6, 0.8], abs=1e-3 if scale < 1e-300 else 1e-7)


def test_nan_infinite_and_zero_rows_are_kept_out_and_named() -> None:
    found = unit_vectors(np.array([[1.0, 0.0], [math.nan, 1.0], [0.0, 0.0], [math.inf, 0.0]]))
    assert found.ok.tolist() == [True, False, False, False]
    assert found.problems == {1: "holds NaN or infinity", 2: "is zero", 3: "holds NaN or infinity"}
    assert not found.data[1:].any()


def test_dot_products_on_the_grid_have_no_rounding_error() -> None:
    rows = unit_vectors(np.random.default_rng(5).standard_normal((40, 384))).data
    exact = sum((Fraction(float(a)) * Fraction(float(b)) for a, b in zip(rows[0], rows[1], strict=True)), Fraction())
    whole = rows.astype(np.float64) @ rows.astype(np.float64).T
    assert Fraction(float(whole[0, 1])) == exact
    assert float(np.dot(rows[0].astype(np.float64), rows[1].astype(np.float64))) == whole[0, 1]
    assert float(rows[0, ::-1].astype(np.float64) @ rows[1, ::-1].astype(np.float64)) == whole[0, 1]


def test_a_row_can_be_replaced() -> None:
    before = unit_vectors(np.array([[0.0, 0.0], [0.0, 1.0]]))
    after = before.with_row(0, np.array([2.0, 0.0], dtype=np.float32))
    assert (after.data.tolist(), after.ok.tolist(), after.problems) == ([[1.0, 0.0], [0.0, 1.0]], [True, True], {})
    again = after.with_row(1, np.array([0.0, 0.0], dtype=np.float32))
    assert again.problems == {1: "is zero"}


def test_given_vectors_are_used_where_lengths_agree() -> None:
    memories = [
        memory("fits", embedding=[1, 0]),
        memory("long", embedding=[1, 0, 0]),
        memory("none"),
        memory("null", embedding=[None, 1]),
        memory("zero", embedding=[0, 0]),
    ]
    queries = [query("a", embedding=[0, 2]), query("b", embedding=[1, 1]), query("c", embedding=[1]), query("d")]
    found = given_vectors(memories, queries)
    assert found is not None
    of_memories, of_queries = found
    assert of_memories.problems == {
        1: "has 3 numbers, expected 2",
        2: "has no vector",
        3: "holds NaN or infinity",
        4: "is zero",
    }
    assert of_queries.problems == {2: "has 1 numbers, expected 2", 3: "has no vector"}
    assert of_queries.data[0].tolist() == [0.0, 1.0]


@pytest.mark.parametrize(("of_memory", "of_query"), [([1, 0, 0], [1, 0]), ([1, 0], None), (None, [1, 0])])
def test_given_vectors_of_other_lengths_are_not_used(of_memory: object, of_query: object) -> None:
    assert given_vectors([memory("m", embedding=of_memory)], [query("q", embedding=of_query)]) is None


def test_an_empty_matrix_is_no_error() -> None:
    found = unit_vectors(np.zeros((0, 4)))
    assert isinstance(found, Vectors)
    assert (len(found), found.size) == (0, 4)
