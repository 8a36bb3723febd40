"""Which memories an id means, in a store of any size: twelve bytes for each memory."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from inspector.records import Memory, Uid


class ById(Protocol):
    """Gives the places of the memories with a bare id; a dict of lists does too."""

    def get(self, key: str, default: Sequence[int], /) -> Sequence[int]:
        """The places in ascending order, ``default`` where no memory has the id."""


class IdIndex:
    """The places of memories by id, and by id and namespace. Neither is ever edited, so it holds for good.

    Hashes of the ids, sorted, and the place of each: a dict of a million ids would take ten times the memory. Equal
    hashes of different ids are told apart by the ids themselves.
    """

    def __init__(self, memories: Sequence[Memory]) -> None:
        self._memories = memories
        hashes = np.fromiter((hash(memory.id) for memory in memories), np.int64, len(memories))
        self._places = np.argsort(hashes, kind="stable").astype(np.int32)
        self._hashes = hashes[self._places]

    def get(self, key: str, default: Sequence[int] = (), /) -> Sequence[int]:
        """The places of the memories with this id, in ascending order; ``default`` where there is none."""
        wanted = hash(key)
        start = int(self._hashes.searchsorted(wanted))
        found: list[int] = []
        for at in range(start, len(self._hashes)):
            if self._hashes[at] != wanted:
                break
            place = int(self._places[at])
            if self._memories[place].id == key:
                found.append(place)
        return found or default

    def among(self, keys: Collection[str]) -> set[str]:
        """Those of the keys that are ids of memories: for very many keys, of which few are."""
        hashes = np.fromiter(map(hash, keys), np.int64, len(keys))
        if not len(self._hashes):
            return set()
        at = np.minimum(self._hashes.searchsorted(hashes), len(self._hashes) - 1)
        near = (self._hashes[at] == hashes).tolist()
        return {key for key, may in zip(keys, near, strict=True) if may and key in self}

    def __contains__(self, key: str) -> bool:
        return bool(self.get(key))

    def __getitem__(self, key: str) -> Sequence[int]:
        found = self.get(key)
        if not found:
            raise KeyError(key)
        return found

    def place(self, uid: tuple[str, ...]) -> int | None:
        """The place of the memory with this :class:`~inspector.records.Uid`, None where there is none."""
        if len(uid) != len(Uid._fields):
            return None
        namespace, memory_id = uid
        return next((mi for mi in self.get(memory_id) if self._memories[mi].owner_key == namespace), None)


def uid_ranks(memories: Sequence[Memory]) -> npt.NDArray[np.int64]:
    """The place of each memory in the order of uids, (n,): owner by owner, so that no uid need be made and kept."""
    codes: dict[str, int] = {}
    owner = np.fromiter(
        (codes.setdefault(memory.owner_key, len(codes)) for memory in memories), np.int32, len(memories)
    )
    place = np.empty(len(codes), np.int32)
    for rank, key in enumerate(sorted(codes)):
        place[codes[key]] = rank
    owner = place[owner]
    order = np.argsort(owner, kind="stable")
    counts = np.bincount(owner, minlength=len(codes))
    ends = np.cumsum(counts)
    for code in np.flatnonzero(counts > 1).tolist():
        part = order[ends[code] - counts[code] : ends[code]]
        ids = [memories[mi].id for mi in part.tolist()]
        part[:] = part[sorted(range(len(ids)), key=ids.__getitem__)]
    ranks = np.empty(len(memories), np.int64)
    ranks[order] = np.arange(len(memories))
    return ranks


def resolve_ids(by_id: ById, wanted: Sequence[str], preferred: set[int]) -> list[int]:
    """Indices of the memories that bare ids mean: those in ``preferred`` where an id is not unique, else all of it.

    An id that is not stored gives nothing: the caller counts it as required and never retrieved.
    """
    found: list[int] = []
    for memory_id in wanted:
        indices = by_id.get(memory_id, ())
        near = [index for index in indices if index in preferred]
        found.extend(near if near and len(indices) > 1 else indices)
    return found
