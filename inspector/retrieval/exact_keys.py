"""Memories by their exact keys, for dual_path (DESIGN 4, 9): looked up, not searched for once a query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from inspector.records import Memory

IntArray = npt.NDArray[np.int64]


class ExactKeys:
    """Which memories hold a value under a key; a key is indexed when it is first asked for."""

    def __init__(self, memories: Sequence[Memory]) -> None:
        self._memories = memories
        self._by_name: dict[str, dict[Any, IntArray]] = {}

    def find(self, wanted: Mapping[str, object]) -> IntArray:
        """Ascending indices of the memories that hold every key of ``wanted``, at least one, with the same value.

        The same is equal and of one kind: 1 is not true, and "1" is not 1.
        """
        nothing = np.zeros(0, dtype=np.int64)
        held = sorted((self._of(name).get(_sort_of(value), nothing) for name, value in wanted.items()), key=len)
        found = held[0] if held else nothing
        for more in held[1:]:  # the rarest key first: what is left of it is looked up in the longer ones
            at = np.minimum(np.searchsorted(more, found), max(0, len(more) - 1))
            found = found[more[at] == found] if len(found) else found
        return found

    def _of(self, name: str) -> dict[Any, IntArray]:
        if name not in self._by_name:
            places: dict[Any, list[int]] = {}
            for mi, memory in enumerate(self._memories):
                keys = memory.value("keys")
                if isinstance(keys, dict) and keys.get(name) is not None:
                    places.setdefault(_sort_of(keys[name]), []).append(mi)
            self._by_name[name] = {value: np.array(held, dtype=np.int64) for value, held in places.items()}
        return self._by_name[name]


def _sort_of(value: object) -> Any:
    """Equal for values that are the same, and hashable."""
    return isinstance(value, bool), _frozen(value)


def _frozen(value: object) -> Any:
    if isinstance(value, dict):
        return "object", frozenset((name, _frozen(part)) for name, part in value.items())
    return ("list", tuple(map(_frozen, value))) if isinstance(value, list) else value
