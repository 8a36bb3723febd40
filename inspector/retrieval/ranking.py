"""What a route returns: for each query the ranked memories with score and path, and what the ranking cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from inspector.retrieval.pool import FloatArray, IntArray

_T = TypeVar("_T")


@dataclass(slots=True, eq=False)
class Ranking:
    """Rankings of some queries, one row each, in the order of ``queries``.

    ``memory``: int64 (Q, k), memory indices in rank order, -1 where the ranking is shorter. ``score``: float64 (Q, k)
    rounded to 1e-6, NaN where there is no memory or its similarity is ?. ``path``: int16 (Q, k) into ``paths``, -1
    where there is no memory. ``similarities``: int64 (Q,), the dot products that the route by its definition computes
    (none for a purely lexical or a recorded one). ``width``: int64 (Q,), how many candidates were ranked before the
    cut at k. ``notes`` are remarks for people on single queries, by query index; ``unknown_ids`` the ids, with the
    name of the event, that a trace retrieved and the store does not hold.
    """

    route: str
    queries: IntArray
    memory: IntArray
    score: FloatArray
    path: npt.NDArray[np.int16]
    paths: tuple[str, ...]
    similarities: IntArray
    width: IntArray
    notes: dict[int, tuple[str, ...]] = field(default_factory=dict)
    unknown_ids: dict[int, tuple[tuple[str, str], ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.queries)

    def path_name(self, row: int, place: int) -> str:
        """The path of one hit, "" where there is none."""
        index = int(self.path[row, place])
        return self.paths[index] if index >= 0 else ""

    def found(self, row: int) -> IntArray:
        """The memories of one row in rank order, without padding."""
        memories: IntArray = self.memory[row]
        return memories[memories >= 0]

    def put(self, other: Ranking) -> None:
        """Replace the rows of ``other``'s queries, all of them in this ranking, by its rows. Both are of one route.

        Where the depths differ (a recorded ranking is as long as its longest trace), this one widens if need be.
        """
        self._widen(other.memory.shape[1])
        rows = {int(qi): row for row, qi in enumerate(self.queries)}
        at = np.array([rows[int(qi)] for qi in other.queries], dtype=np.int64)
        names = {name: index for index, name in enumerate(dict.fromkeys((*self.paths, *other.paths)))}
        moved = np.array([*(names[name] for name in other.paths), -1], dtype=np.int16)
        self.paths = tuple(names)
        depth = other.memory.shape[1]
        self.memory[at], self.score[at], self.path[at] = -1, np.nan, -1
        self.memory[at, :depth], self.score[at, :depth] = other.memory, other.score
        self.path[at, :depth] = moved[other.path]
        self.similarities[at], self.width[at] = other.similarities, other.width
        for qi in other.queries.tolist():
            _renew(self.notes, other.notes, qi)
            _renew(self.unknown_ids, other.unknown_ids, qi)

    def _widen(self, depth: int) -> None:
        more = ((0, 0), (0, depth - self.memory.shape[1]))
        if more[1][1] > 0:
            self.memory = np.pad(self.memory, more, constant_values=-1)
            self.score = np.pad(self.score, more, constant_values=np.nan)
            self.path = np.pad(self.path, more, constant_values=-1)


def _renew(mine: dict[int, _T], theirs: Mapping[int, _T], qi: int) -> None:
    mine.pop(qi, None)
    if qi in theirs:
        mine[qi] = theirs[qi]


def empty_ranking(route: str, queries: Sequence[int] | IntArray, k: int) -> Ranking:
    """A ranking with nothing in it yet."""
    index = np.asarray(queries, dtype=np.int64)
    shape = (len(index), k)
    return Ranking(
        route=route,
        queries=index,
        memory=np.full(shape, -1, dtype=np.int64),
        score=np.full(shape, np.nan),
        path=np.full(shape, -1, dtype=np.int16),
        paths=(),
        similarities=np.zeros(len(index), dtype=np.int64),
        width=np.zeros(len(index), dtype=np.int64),
    )
