"""The diagnostic routers on vectors in the plane, clusters worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from inspector.retrieval.routers import cluster_rule, clusters, threshold_rule
from inspector.retrieval.routes import Sources, rank
from inspector.retrieval.specs import Params
from inspector.retrieval.vectors import unit_vectors
from tests.retrieval.views import TableView, dense, ids, memory, query, trits


def plane(*degrees: float) -> list[list[float]]:
    return [[math.cos(math.radians(angle)), math.sin(math.radians(angle))] for angle in degrees]


def unit(*degrees: float) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return unit_vectors(np.array(plane(*degrees))).data.astype(np.float64)


def test_threshold_joins_the_nearest_centroid_or_makes_a_new_cluster() -> None:
    # arccos .8 is 36.9°. 0 makes cluster 0; 30 joins it (centroid 15); 90 is 75° from it: new; 60 joins 90's
    # (centroid 75); 45 is 30° from both, mirror images of each other: a tie, which the older one wins
    assert clusters(unit(0, 30, 90, 60, 45), threshold_rule(Params())).tolist() == [0, 0, 1, 1, 0]
    assert clusters(unit(0, 30, 52), threshold_rule(Params())).tolist() == [0, 0, 1]
    assert clusters(unit(0, 30, 51.8), threshold_rule(Params())).tolist() == [0, 0, 0]
    assert clusters(np.zeros((0, 2)), threshold_rule(Params())).tolist() == []


def test_cluster_router_weighs_size_against_similarity() -> None:
    rule = cluster_rule(Params())
    # a new cluster scores .4/.1 = 4; one old member at cosine .4 scores 0 + 4: it joins; at .39 it does not
    assert rule(np.array([0.4]), np.array([1.0])) == 0
    assert rule(np.array([0.39]), np.array([1.0])) == -1
    # at size 2 the prior .5·ln 2 = .3466 makes up for .034 of cosine
    assert rule(np.array([0.39]), np.array([2.0])) == 0
    assert rule(np.array([0.39, 0.42]), np.array([2.0, 1.0])) == 0
    assert rule(np.array([0.39, 0.43]), np.array([2.0, 1.0])) == 1
    assert rule(np.zeros(0), np.zeros(0)) == -1


def test_more_clusters_than_there_was_room_for() -> None:
    rows = unit_vectors(np.eye(40)).data.astype(np.float64)
    assert clusters(rows, threshold_rule(Params())).tolist() == list(range(40))


MEMORIES = [memory(name) for name in "abcdef"]
# in insertion order: f (no date), a, b, c, d; e has no usable vector
ANGLES = plane(0, 10, 90, 95, 0, 180)
ANGLES[4] = [0.0, 0.0]
TIMES = [1.0, 2.0, 3.0, 4.0, 5.0, math.nan]


def routed(angle: float, **tables: list[str]) -> tuple[list[str], str, int, int]:
    view = TableView(MEMORIES, [query("q")], {name: trits(rows) for name, rows in tables.items()}, TIMES)
    found = rank("threshold_router", view, Sources(dense(ANGLES, plane(angle))))
    return ids(view, found.memory[0]), found.path_name(0, 0), int(found.similarities[0]), int(found.width[0])


def test_a_query_goes_to_its_cluster_with_what_has_no_vector() -> None:
    # clusters: {f}, {a, b} at 5°, {c, d} at 92.5°; three centroids met, then three memories
    assert routed(85) == (["c", "d", "e"], "threshold_router: cluster", 3 + 3, 3)


def test_a_query_near_no_cluster_falls_back_to_the_namespace() -> None:
    names, path, similarities, width = routed(270)
    assert (path, similarities, width) == ("threshold_router: namespace", 3 + 6, 6)
    assert set(names) == set("abcdef")


def test_clusters_are_those_of_the_scope_and_the_instant() -> None:
    assert routed(85, scope=["111011"])[0] == ["c", "e"]
    assert routed(85, stored=["111001"])[0] == ["c"]
    # not a beginning of the insertion order: c is gone, d alone makes the cluster
    assert routed(85, stored=["110111"])[:3] == (["d", "e"], "threshold_router: cluster", 3 + 2)


@pytest.mark.parametrize("route", ["threshold_router", "cluster_router"])
def test_a_query_without_a_vector_ranks_its_namespace(route: str) -> None:
    view = TableView(MEMORIES, [query("q")], created_us=TIMES)
    found = rank(route, view, Sources(dense(ANGLES, [[0, 0]])))
    assert ids(view, found.memory[0]) == list("abcdef")
    assert found.path_name(0, 0) == f"{route}: namespace"
