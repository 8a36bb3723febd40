"""Values come out of the workspace as they went in."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.errors import InspectorError
from inspector.records import ABSENT
from inspector.store.codec import decode, decode_cell, encode, encode_cell
from inspector.trit import Trit

TEXTS = st.text(st.characters(exclude_categories=[]))  # lone surrogates too
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner) | st.lists(st.floats()),
)


def same(first: Any, second: Any) -> bool:
    """Equal, with equal types (1, 1.0 and True differ), order of keys and sign of zero; NaN equals NaN."""
    if type(first) is not type(second):
        return False
    if isinstance(first, float):
        return math.isnan(first) if math.isnan(second) else first == second and str(first) == str(second)
    if isinstance(first, list):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, dict):
        return list(first) == list(second) and all(same(first[key], second[key]) for key in first)
    return bool(first == second)


@given(JSON)
def test_whatever_a_source_holds_comes_back(value: Any) -> None:
    text = encode(value)
    text.encode()  # never a lone surrogate: DuckDB takes UTF-8 only
    assert same(decode(text), value)


@pytest.mark.parametrize(
    "value",
    [
        [1.0, math.nan, None],
        [math.inf, -math.inf],
        [1e308, 1e308],  # finite, though the sum is not
        {"embedding": [0.5, math.nan], "valid_to": None},
        [1.0, "not a number", {"deep": [math.nan]}],
    ],
)
def test_odd_numbers_in_vectors(value: Any) -> None:
    assert same(decode(encode(value)), value)


def test_absent_is_not_null() -> None:
    assert encode_cell(ABSENT) is None
    assert encode_cell(None) == "null"
    assert decode_cell(None) is ABSENT
    assert decode_cell("null") is None


def test_a_trit_is_written_as_files_write_it() -> None:
    # As an integer YES would be 2, which no file may hold.
    assert [encode(trit) for trit in (Trit.YES, Trit.NO, Trit.UNKNOWN)] == ["1", "0", '"?"']


def test_too_deep_is_said() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(InspectorError, match="too deep"):
        encode(deep)
