"""What a route must know about the store, supplied by the caller: the axes' values as trits, never the rules.

The routes stay ignorant of how an axis decides, so that a correction, a judgment or an edit reaches every route.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from inspector.records import Memory, Query
from inspector.retrieval.exact_keys import ExactKeys
from inspector.trit import TritArray

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]


class PoolView(Protocol):
    """The store as the routes see it. ``m`` and ``q`` are integer arrays of memory and query indices that broadcast.

    Every test returns trits of any shape that broadcasts to that of ``m`` and ``q`` together, so that a test which
    is the same for all may answer with one cell.
    """

    @property
    def memories(self) -> Sequence[Memory]:
        """All memories; their place is their index."""

    @property
    def queries(self) -> Sequence[Query]:
        """All queries; their place is their index."""

    @property
    def uid_rank(self) -> IntArray:
        """The place of each memory in the order of uids, 0 to n-1, all different: the tie-break of every ranking."""

    @property
    def created_us(self) -> FloatArray:
        """When each memory was stored, in microseconds since 1970; NaN where there is no date."""

    def stored(self, m: IntArray, q: IntArray) -> TritArray:
        """Whether the memory is in the store at the query's ``as_of``."""

    def scope(self, m: IntArray, q: IntArray) -> TritArray:
        """The scope axis, judgments included."""

    def policy(self, m: IntArray, q: IntArray) -> TritArray:
        """The policy axis, judgments included."""

    def lifecycle(self, m: IntArray, q: IntArray) -> TritArray:
        """The lifecycle axis, judgments included."""

    def stale_or_superseded(self, m: IntArray, q: IntArray) -> TritArray:
        """Whether the memory is stale or superseded at ``as_of``, whatever the intent."""

    def session_test(self, m: IntArray, q: IntArray) -> TritArray:
        """Whether the memory is of the query's authenticated session."""

    def tag_test(self, m: IntArray, q: IntArray) -> TritArray:
        """Whether memory and query have the same semantic tag."""

    def scope_class(self, q: IntArray) -> IntArray:
        """A label for each query; queries of one label have the same scope for every memory."""

    def stored_class(self, q: IntArray) -> IntArray:
        """A label for each query; queries of one label have the same memories stored at their ``as_of``."""

    def exact_keys(self) -> ExactKeys:
        """The memories by their exact keys."""

    def required(self, qi: int) -> Sequence[int]:
        """Indices of the stored memories that the query's ``required`` names."""

    def without_tags(self, qi: int) -> Mapping[int, str]:
        """What is left of recall where no semantic tag can be had: memories, each with the path that brought it."""
