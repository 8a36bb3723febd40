"""Lint of vectors: those that cannot be used, and groups of memories that are near to each other (DESIGN 11).

The vectors of the groups are given by the caller; groups are shown side by side and never merged.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from inspector.errors import Cancelled
from inspector.i18n import _, _d
from inspector.records import Memory, OnProgress, Progress, Query, Record, Settings
from inspector.store.lint_codes import Finding
from inspector.store.lint_store import is_live, normalised
from inspector.times import parse_time

#: Cosine from which two memories are near duplicates, and from which they may speak of one thing [ours].
NEAR, ABOUT = 0.95, 0.6
#: So many of the most similar pairs of a store are looked at; the rest is said to be left.
MOST_PAIRS = 50_000
#: A finding of a group names so many of the other members; in a group of n, naming all would be n² names [ours].
MOST_RELATED = 25
_BLOCK = 1_024


def common_length(memories: Sequence[Record], queries: Sequence[Record] = ()) -> int | None:
    """The length that a store's vectors should have: the commonest of the queries', else of the memories'.

    Of equally common lengths the longest; None where there is no vector.
    """
    for records in (queries, memories):
        lengths = Counter(len(value) for record in records if (value := record.value("embedding")) is not None)
        if lengths:
            return max(lengths, key=lambda length: (lengths[length], length))
    return None


def bad_vectors(memories: Sequence[Memory], queries: Sequence[Query]) -> Iterator[Finding]:
    """Vectors that are zero, not finite, or of another length than the store's."""
    size = common_length(memories, queries)
    if size is None:
        return
    indexed: list[tuple[int | None, Record]] = [*enumerate(memories), *((None, query) for query in queries)]
    for index, record in indexed:
        vector = record.value("embedding")
        if vector is None:
            continue
        name = str(record.uid) if isinstance(record, Memory) else _d("query {id}").format(id=record.id)
        fault = _fault(vector, size)
        if fault is not None:
            yield Finding(fault[0], record.origin, fault[1], name, index, "embedding")


def _fault(vector: Sequence[float | None], size: int) -> tuple[str, str] | None:
    odd = next((place for place, one in enumerate(vector) if one is None or not math.isfinite(one)), None)
    if odd is not None:
        value = "null" if vector[odd] is None else repr(vector[odd])
        return "vector-not-finite", _d("number {odd} of {count:,} is {value}").format(
            odd=odd + 1, count=len(vector), value=value
        )
    if len(vector) != size:
        return "vector-length", _d("it has {count:,} numbers, the others {size:,}").format(count=len(vector), size=size)
    if not any(vector):
        return "vector-zero", _d("all {count:,} numbers are 0").format(count=len(vector))
    return None


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of memories of one namespace by cosine, the most similar first.

    ``first`` and ``second`` are indices, first < second; ``left`` counts pairs above the threshold that were more than
    :data:`MOST_PAIRS` and are not here.
    """

    first: npt.NDArray[np.int64]
    second: npt.NDArray[np.int64]
    cosine: npt.NDArray[np.float64]
    left: int


@dataclass(frozen=True, slots=True)
class Group:
    """Memories that hang together by pairs: indices in order of uids, the lowest and highest cosine of the pairs."""

    members: tuple[int, ...]
    lowest: float
    highest: float


def similar_pairs(
    matrix: npt.NDArray[np.float32],
    usable: npt.NDArray[np.bool_],
    memories: Sequence[Memory],
    threshold: float,
    on_progress: OnProgress | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Pairs:
    """All pairs of one namespace whose cosine is at least ``threshold``.

    ``matrix`` holds unit vectors, (n, d); rows that are not ``usable`` have none. Raises Cancelled.
    """
    owners: dict[str, list[int]] = {}
    for index, memory in enumerate(memories):
        if usable[index]:
            owners.setdefault(memory.uid.namespace, []).append(index)
    total, done, left = int(usable.sum()), 0, 0
    kept: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]] = (
        np.zeros(0, np.int64),
        np.zeros(0, np.int64),
        np.zeros(0),
    )
    for members in owners.values():
        places = np.array(members, np.int64)
        vectors = np.ascontiguousarray(matrix[places], dtype=np.float32)
        for start in range(0, len(places), _BLOCK):
            if cancelled():
                raise Cancelled(_("the search for near duplicates was cancelled"))
            cosines = vectors[start : start + _BLOCK] @ vectors[start:].T
            row, column = np.nonzero(cosines >= np.float32(threshold - 1e-6))
            later = column > row
            row, column = row[later], column[later]
            # Rounded as scores are, so that the same pairs are found on every machine.
            cosine = np.round(cosines[row, column].astype(np.float64), 6)
            high = cosine >= threshold
            kept, over = _strongest(
                (
                    np.concatenate((kept[0], places[start + row[high]])),
                    np.concatenate((kept[1], places[start + column[high]])),
                    np.concatenate((kept[2], cosine[high])),
                )
            )
            left += over
            done += min(_BLOCK, len(places) - start)
            if on_progress is not None:
                on_progress(Progress(_("looking for near duplicates"), done, total, _("memories")))
    return Pairs(*kept, left)


def _strongest(
    found: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]],
) -> tuple[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]], int]:
    """The most similar pairs, ties by index, and how many were cut off."""
    order = np.lexsort((found[1], found[0], -found[2]))[:MOST_PAIRS]
    over = len(found[2]) - len(order)
    return (found[0][order], found[1][order], found[2][order]), over


def groups(pairs: Pairs, memories: Sequence[Memory], keep: Callable[[int, int], bool]) -> list[Group]:
    """The groups that hang together by the pairs for which ``keep`` holds, in order of their first uid.

    Two members of a group may be less alike than its pairs: a group is a place to look, not one memory.
    """
    parent: dict[int, int] = {}

    def root(one: int) -> int:
        while parent.setdefault(one, one) != one:
            parent[one] = parent[parent[one]]
            one = parent[one]
        return one

    edges = []
    for first, second, cosine in zip(pairs.first.tolist(), pairs.second.tolist(), pairs.cosine.tolist(), strict=True):
        if keep(first, second):
            edges.append((first, second, cosine))
            parent[root(first)] = root(second)
    members: dict[int, set[int]] = {}
    cosines: dict[int, list[float]] = {}
    for first, second, cosine in edges:
        members.setdefault(root(first), set()).update((first, second))
        cosines.setdefault(root(first), []).append(cosine)
    found = [
        Group(tuple(sorted(group, key=lambda i: memories[i].uid)), min(cosines[at]), max(cosines[at]))
        for at, group in members.items()
    ]
    return sorted(found, key=lambda group: memories[group.members[0]].uid)


def near_duplicates(pairs: Pairs, memories: Sequence[Memory], threshold: float = NEAR) -> list[Group]:
    """Groups of near duplicates; pairs of the very same text are left to ``duplicate-text``."""
    texts = {i: normalised(memories[i].text) for i in {*pairs.first.tolist(), *pairs.second.tolist()}}
    chosen = pairs.cosine >= threshold
    near = Pairs(pairs.first[chosen], pairs.second[chosen], pairs.cosine[chosen], pairs.left)
    return groups(near, memories, lambda a, b: texts[a] != texts[b])


def conflicts(
    pairs: Pairs, memories: Sequence[Memory], settings: Settings, conflict: Callable[[str, str], str]
) -> tuple[list[Group], dict[tuple[int, int], str]]:
    """Groups of live memories that contradict each other, and the words for each pair.

    ``conflict`` gives the words for two texts, "" where they do not conflict or cannot be judged.
    """
    live = {i: is_live(memories[i], settings) for i in {*pairs.first.tolist(), *pairs.second.tolist()}}
    said: dict[tuple[int, int], str] = {}

    def against(first: int, second: int) -> bool:
        words = conflict(memories[first].text, memories[second].text) if live[first] and live[second] else ""
        if words:
            said[first, second] = words
        return bool(words)

    return groups(pairs, memories, against), said


def newest(group: Group, memories: Sequence[Memory], settings: Settings) -> int | None:
    """The member that holds from latest on, by ``valid_from`` or else ``created_at``; None where no time tells."""
    latest: list[tuple[int, int]] = []
    kinds = set()
    for index in group.members:
        value = memories[index].value("valid_from")
        value = memories[index].value("created_at") if value is None else value
        if value is None:
            return None
        time = parse_time(value, "valid_from", settings.timezone)
        kinds.add(time.naive)
        latest.append((time.us, index))
    latest.sort(key=lambda one: -one[0])
    if len(kinds) > 1 or latest[0][0] == latest[1][0]:
        return None
    return latest[0][1]


def group_findings(
    near: Sequence[Group],
    against: Sequence[Group],
    said: dict[tuple[int, int], str],
    memories: Sequence[Memory],
    settings: Settings,
) -> Iterator[Finding]:
    """One finding for each member of each group, naming the others: at most :data:`MOST_RELATED`, those that follow it
    in the group's order and, after the last, the first."""
    words_of: dict[int, str] = {}
    for pair, text in said.items():
        for index in pair:
            words_of.setdefault(index, text)
    for code, listed in (("near-duplicate", near), ("conflict", against)):
        for group in listed:
            last = newest(group, memories, settings)
            size = len(group.members)
            for place, index in enumerate(group.members):
                others = tuple(group.members[(place + step) % size] for step in range(1, min(size, MOST_RELATED + 1)))
                if code == "near-duplicate":
                    words = _d("cosine {lowest:.3f} to {highest:.3f} in a group of {count}").format(
                        lowest=group.lowest, highest=group.highest, count=len(group.members)
                    )
                else:
                    words = words_of[index]
                    words += "" if last is None else _d("; newest is {uid}").format(uid=memories[last].uid)
                memory = memories[index]
                yield Finding(code, memory.origin, words, str(memory.uid), index, "text", others, size - 1)
