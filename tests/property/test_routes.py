"""Routes on random small stores: against plain Python from the definitions, and against themselves reordered."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.retrieval import scoring
from inspector.retrieval.lexical import LexicalIndex
from inspector.retrieval.ranking import Ranking
from inspector.retrieval.routes import Sources, rank
from inspector.retrieval.scoring import Dense
from inspector.retrieval.specs import ROUTES
from inspector.retrieval.vectors import Vectors, unit_vectors
from tests.retrieval.views import TABLES, TableView, memory, owner, query

# Few different vectors, so that ties, exact duplicates and unusable rows are common.
VECTORS = [[1, 0, 0], [0, 1, 0], [1, 1, 0], [1, 2, 3], [-1, 0, 0], [0, 0, 0], [math.nan, 1, 1], [3, 1, 2]]
COMPUTED = sorted(set(ROUTES) - {"recorded"})
FILTERED = {
    "global_dense": (),
    "namespace_dense": ("scope",),
    "namespace_policy": ("scope", "policy"),
    "namespace_lifecycle": ("scope", "lifecycle"),
    "governed": ("scope", "policy", "lifecycle"),
}


class Store:
    """A random store with everything that any route needs."""

    def __init__(self, view: TableView, sources: Sources, k: int) -> None:
        self.view, self.sources, self.k = view, sources, k

    @property
    def dense(self) -> Dense:
        assert self.sources.dense is not None
        return self.sources.dense

    def permuted(self, order: list[int]) -> Store:
        kept = self.dense.memory
        memory_vectors = Vectors(kept.data[order], kept.ok[order])
        view = self.view.permuted(order)
        texts = [item.text for item in view.memories]
        return Store(view, Sources(Dense(memory_vectors, self.dense.query), LexicalIndex(texts)), self.k)


@st.composite
def stores(draw: st.DrawFn) -> Store:
    count, asked = draw(st.integers(1, 12)), draw(st.integers(1, 5))
    words = st.lists(st.sampled_from(["red", "blue", "old", "the"]), max_size=4).map(" ".join)
    keys = st.one_of(st.none(), st.dictionaries(st.sampled_from("uv"), st.integers(0, 1), max_size=2))
    spaces = st.one_of(st.none(), st.sampled_from(["n", "o"]))
    memories = [memory(f"{i:02}", text=draw(words), namespace=draw(spaces), keys=draw(keys)) for i in range(count)]
    names = [item.id for item in memories]
    queries = [
        query(
            f"q{i}",
            text=draw(words),
            keys=draw(keys),
            principal=owner(draw(st.sampled_from(["n", "o"]))),
            required=draw(st.lists(st.sampled_from(names), max_size=2, unique=True)),
        )
        for i in range(asked)
    ]
    cells = st.lists(st.integers(0, 2), min_size=count, max_size=count)
    rows = st.lists(cells, min_size=2, max_size=2)  # few different rows, so that queries share pools
    tables = {}
    for name in TABLES:
        kinds = draw(rows)
        tables[name] = np.array([kinds[draw(st.integers(0, 1))] for _ in range(asked)])
    times = draw(st.lists(st.sampled_from([math.nan, 1.0, 2.0, 3.0]), min_size=count, max_size=count))
    choose = st.sampled_from(VECTORS)
    dense = Dense(
        unit_vectors(np.array([draw(choose) for _ in range(count)], dtype=np.float64)),
        unit_vectors(np.array([draw(choose) for _ in range(asked)], dtype=np.float64)),
    )
    lexical = LexicalIndex(item.text for item in memories)
    return Store(TableView(memories, queries, tables, times), Sources(dense, lexical), draw(st.integers(1, 14)))


def rows_of(store: Store, ranking: Ranking) -> list[list[tuple[str, str, str]]]:
    """Every row as (uid, score, path), in order: what must not depend on the order of the input."""
    return [
        [
            (str(store.view.memories[mi].uid), repr(float(ranking.score[row, place])), ranking.path_name(row, place))
            for place, mi in enumerate(ranking.memory[row].tolist())
            if mi >= 0
        ]
        for row in range(len(ranking))
    ]


def similarity(store: Store, qi: int, mi: int) -> Fraction | None:
    """The dot product in rational numbers, None where it is ?."""
    dense = store.dense
    if not (dense.memory.ok[mi] and dense.query.ok[qi]):
        return None
    pairs = zip(dense.memory.data[mi].tolist(), dense.query.data[qi].tolist(), strict=True)
    return sum((Fraction(a) * Fraction(b) for a, b in pairs), Fraction())


def plain(store: Store, qi: int, keep: Callable[[int], bool]) -> list[int]:
    """The definition of a dense ranking, one candidate at a time."""
    candidates = [mi for mi in range(len(store.view.memories)) if store.view.tables["stored"][qi, mi] and keep(mi)]

    def place(mi: int) -> tuple[bool, int, object]:
        exact = similarity(store, qi, mi)
        # round() of a Fraction is exact and halves go to even, as in the product
        return exact is None, 0 if exact is None else -round(exact * 1_000_000), store.view.memories[mi].uid

    return sorted(candidates, key=place)


@pytest.fixture(params=["small", "large"], autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every property holds for both ways of scoring: float64 at once, and float32 first in blocks of few rows."""
    if request.param == "large":
        monkeypatch.setattr(scoring, "LARGE", 1)
        monkeypatch.setattr(scoring, "FLOAT32_CELLS", 20)


@given(store=stores())
@settings(max_examples=30, deadline=None)
def test_filtered_routes_equal_the_definition(store: Store) -> None:
    for route, axes in FILTERED.items():
        found = rank(route, store.view, store.sources, k=store.k)
        for qi in range(len(store.view.queries)):
            tables = [store.view.tables[axis][qi] for axis in axes]
            expected = plain(store, qi, lambda mi, tables=tables: all(table[mi] != 0 for table in tables))  # type: ignore[misc]
            assert found.found(qi).tolist() == expected[: store.k]
            assert found.width[qi] == found.similarities[qi] == len(expected)
            for place, mi in enumerate(expected[: store.k]):
                exact = similarity(store, qi, mi)
                score = float(found.score[qi, place])
                assert math.isnan(score) if exact is None else score == round(exact * 1_000_000) / 1_000_000


@given(store=stores(), depth=st.integers(1, 14))
@settings(max_examples=30, deadline=None)
def test_postfilter_never_refills(store: Store, depth: int) -> None:
    found = rank(f"postfilter:{depth}", store.view, store.sources, k=store.k)
    for qi in range(len(store.view.queries)):
        first = plain(store, qi, lambda _: True)[:depth]
        left = [mi for mi in first if store.view.tables["scope"][qi, mi] != 0]
        assert found.found(qi).tolist() == left[: store.k]
        assert found.width[qi] == len(left)


@given(store=stores())
@settings(max_examples=25, deadline=None)
def test_filters_never_drop_what_is_unknown(store: Store) -> None:
    """With a k as large as the store, whatever a route leaves out is known 0 (session_tag: not known 1)."""
    count = len(store.view.memories)
    tables = store.view.tables
    for route in ("namespace_dense", "namespace_bm25", "current_only", *FILTERED):
        found = rank(route, store.view, store.sources, k=count)
        for qi in range(len(store.view.queries)):
            for mi in set(range(count)) - set(found.found(qi).tolist()):
                old = route == "current_only" and tables["stale_or_superseded"][qi, mi] == 2
                axes = ("stored", *FILTERED.get(route, ("scope",)))
                assert old or any(tables[axis][qi, mi] == 0 for axis in axes)
    found = rank("session_tag", store.view, store.sources, k=count)
    for qi in range(len(store.view.queries)):
        sure = (tables["session_test"][qi] == 2) & (tables["tag_test"][qi] == 2) & (tables["stored"][qi] != 0)
        assert sorted(found.found(qi).tolist()) == np.flatnonzero(sure).tolist()


@given(store=stores(), data=st.data())
@settings(max_examples=25, deadline=None)
def test_input_order_and_the_choice_of_queries_change_no_bit(store: Store, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(store.view.memories))))
    other = store.permuted(list(order))
    chosen = data.draw(st.lists(st.integers(0, len(store.view.queries) - 1), unique=True))
    for route in COMPUTED:
        whole = rank(route, store.view, store.sources, k=store.k)
        rows = rows_of(store, whole)
        moved = rank(route, other.view, other.sources, k=store.k)
        assert rows_of(other, moved) == rows
        assert moved.similarities.tolist() == whole.similarities.tolist()
        assert moved.width.tolist() == whole.width.tolist()
        part = rank(route, store.view, store.sources, k=store.k, queries=np.array(chosen, dtype=np.int64))
        assert rows_of(store, part) == [rows[qi] for qi in chosen]
        whole.put(part)
        assert rows_of(store, whole) == rows


@given(store=stores())
@settings(max_examples=30, deadline=None)
def test_rankings_hold_only_stored_memories_once_and_best_first(store: Store) -> None:
    for route in COMPUTED:
        found = rank(route, store.view, store.sources, k=store.k)
        for qi in range(len(store.view.queries)):
            memories = found.found(qi).tolist()
            assert len(set(memories)) == len(memories) <= min(store.k, int(found.width[qi]))
            assert all(store.view.tables["stored"][qi, mi] != 0 for mi in memories)
            scores = found.score[qi, : len(memories)]
            known = scores[~np.isnan(scores)]
            assert np.isnan(scores[len(known) :]).all()
            assert (np.diff(known) <= 0).all()
