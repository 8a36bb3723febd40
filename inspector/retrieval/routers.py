"""RA's diagnostic routers: clusters made inside the namespace, a query sent to one of them (DESIGN 4, issue 6).

Memories join clusters in insertion order: by time of storing, those without a date first, ties by uid; so a store's
input order changes nothing, and the clusters as of an instant are those that the memories stored by then had made.
A query is sent where a memory like it would go; where that would be a new cluster, it falls back to the namespace
[ours]. Memories without a usable vector are in no cluster and stay in every pool: ? is not a reason to delete.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from inspector.retrieval.pool import FloatArray, IntArray, PoolView
from inspector.retrieval.pools import Pool, everything, groups, not_no, one_row
from inspector.retrieval.scoring import RESOLUTION, Dense
from inspector.retrieval.specs import Params
from inspector.retrieval.vectors import unit_vectors

#: Cosines to the clusters' centroids and the clusters' sizes → the cluster to join, or -1 for a new one.
Rule = Callable[[FloatArray, FloatArray], int]


def threshold_rule(params: Params) -> Rule:
    """Join the nearest centroid at a cosine of at least theta; of equally near ones the oldest cluster."""

    def rule(cosines: FloatArray, sizes: FloatArray) -> int:
        if not len(sizes):
            return -1
        levels = np.rint(cosines * RESOLUTION)
        nearest = int(np.argmax(levels))
        return nearest if levels[nearest] >= round(params.theta * RESOLUTION) else -1

    return rule


def cluster_rule(params: Params) -> Rule:
    """Join the cluster of the highest gamma·ln(size) + cosine/tau, unless a new one's tau_new/tau is higher."""

    def rule(cosines: FloatArray, sizes: FloatArray) -> int:
        if not len(sizes):
            return -1
        scores = params.gamma * np.log(sizes) + np.rint(cosines * RESOLUTION) / RESOLUTION / params.tau
        levels = np.rint(scores * RESOLUTION)
        best = int(np.argmax(levels))
        return best if levels[best] >= round(params.tau_new / params.tau * RESOLUTION) else -1

    return rule


def _centroids(sums: FloatArray) -> FloatArray:
    """Unit centroids on the grid of the vectors, so that cosines to them are exact."""
    return unit_vectors(sums).data.astype(np.float64)


def clusters(vectors: FloatArray, rule: Rule) -> IntArray:
    """The cluster of each vector (t, d), numbered from 0 in the order in which they were made.

    Sums of grid vectors are exact in float64, so centroids do not depend on the order of addition.
    """
    count, size = vectors.shape
    joined = np.zeros(count, dtype=np.int64)
    room = 16
    sums, centroids = np.zeros((room, size)), np.zeros((room, size))
    sizes = np.zeros(room)
    made = 0
    for place in range(count):
        chosen = rule(centroids[:made] @ vectors[place], sizes[:made])
        if chosen < 0:
            if made == room:
                room *= 2
                sums, centroids = np.resize(sums, (room, size)), np.resize(centroids, (room, size))
                sizes = np.resize(sizes, room)
            chosen, made = made, made + 1
            sums[chosen], sizes[chosen] = 0, 0
        sums[chosen] += vectors[place]
        sizes[chosen] += 1
        centroids[chosen] = _centroids(sums[chosen : chosen + 1])[0]
        joined[place] = chosen
    return joined


class Router:
    """Makes the clusters of namespaces and sends queries to them."""

    def __init__(self, view: PoolView, dense: Dense, rule: Rule) -> None:
        self._view = view
        self._dense = dense
        self._rule = rule

    def pools(self, q: IntArray) -> Iterator[tuple[Pool, bool, int]]:
        """For each query its pool, whether it is a cluster (else the namespace), and how many centroids it met."""
        view, dense = self._view, self._dense
        m_all = everything(view)
        for of_scope in groups(view.scope_class(q)):
            m = m_all[not_no(one_row(view.scope, m_all, int(q[of_scope[0]])))]
            # NaN, no date, sorts last in a plain sort: minus infinity puts it first
            times = np.where(np.isnan(view.created_us[m]), -math.inf, view.created_us[m])
            usable = m[np.lexsort((view.uid_rank[m], times))]
            usable = usable[dense.memory.ok[usable]]
            vectors = dense.memory.data[usable].astype(np.float64)
            joined = clusters(vectors, self._rule)
            for of_time in groups(view.stored_class(q[of_scope])):
                rows = of_scope[of_time]
                stored = not_no(one_row(view.stored, m, int(q[rows[0]])))
                there = np.isin(usable, m[stored])
                now = int(np.count_nonzero(there))
                # The clusters of a beginning are the beginning of the clusters
                label = joined[:now] if there[:now].all() else clusters(vectors[there], self._rule)
                made = int(label.max(initial=-1)) + 1
                sums = np.zeros((made, vectors.shape[1]))
                np.add.at(sums, label, vectors[there])
                sizes = np.bincount(label, minlength=made).astype(np.float64)
                centroids = _centroids(sums)
                members = usable[there]
                loose = m[stored & ~dense.memory.ok[m]]
                for row in rows.tolist():
                    qi = int(q[row])
                    chosen = -1
                    if dense.query.ok[qi]:
                        chosen = self._rule(centroids @ dense.query.data[qi].astype(np.float64), sizes)
                    pool = m[stored] if chosen < 0 else np.sort(np.concatenate((members[label == chosen], loose)))
                    yield Pool(np.array([row]), q[row : row + 1], pool), chosen >= 0, made
