"""Which memories a route ranks for which queries: pools, cut by known 0 only, ? stays (DESIGN 4)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from inspector.retrieval.pool import BoolArray, IntArray, PoolView
from inspector.retrieval.scoring import block_cells
from inspector.trit import NO, YES, TritArray

#: A test of memories against queries; True keeps the memory.
Keep = Callable[[IntArray, IntArray], BoolArray]


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Queries that rank the same memories: ``rows`` their places in the ranking, ``q`` their indices, ``m`` memories.

    ``allowed`` (1 or len(q), len(m)) cuts single memories for single queries, None where none is cut.
    """

    rows: IntArray
    q: IntArray
    m: IntArray
    allowed: BoolArray | None = None

    def widths(self) -> IntArray:
        """How many memories each query ranks."""
        if self.allowed is None:
            return np.full(len(self.q), len(self.m), dtype=np.int64)
        return np.broadcast_to(np.count_nonzero(self.allowed, axis=1), len(self.q)).astype(np.int64)

    def row(self, place: int) -> BoolArray | None:
        """The cut of one query, None where it ranks the whole pool."""
        return None if self.allowed is None else self.allowed[place if len(self.allowed) > 1 else 0]


def not_no(values: TritArray) -> BoolArray:
    """Keep what is not known 0."""
    kept: BoolArray = values != np.uint8(NO)
    return kept


def only_yes(values: TritArray) -> BoolArray:
    """Keep what is known 1."""
    kept: BoolArray = values == np.uint8(YES)
    return kept


def groups(labels: IntArray) -> Iterator[IntArray]:
    """Places of equal labels, in the order in which the labels first come."""
    if not len(labels):
        return
    order = np.argsort(labels, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)
    yield from sorted(parts, key=lambda part: int(part[0]))


def everything(view: PoolView) -> IntArray:
    """Indices of all memories."""
    return np.arange(len(view.memories), dtype=np.int64)


def one_row(test: Callable[[IntArray, IntArray], TritArray], m: IntArray, qi: int) -> TritArray:
    """A test of many memories against one query, shape (len(m),)."""
    row: TritArray = np.broadcast_to(test(m[None, :], np.array([[qi]], dtype=np.int64)), (1, len(m)))[0]
    return row


def _cut(keep: BoolArray) -> BoolArray | None:
    """The cut that ``keep`` (anything that broadcasts to (B, M)) makes, None where it cuts nothing."""
    return None if bool(keep.all()) else keep


def whole_store(view: PoolView, q: IntArray, cells: int | None = None) -> Iterator[Pool]:
    """The memories stored at as_of, for queries of one ``as_of`` together, in blocks of at most ``cells`` cells."""
    m = everything(view)
    step = max(1, (cells or block_cells(len(m))) // max(1, len(m)))
    for members in groups(view.stored_class(q)):
        keep = not_no(one_row(view.stored, m, int(q[members[0]])))
        allowed = _cut(keep[None, :])
        for start in range(0, len(members), step):
            rows = members[start : start + step]
            yield Pool(rows, q[rows], m, allowed)


def namespaces(view: PoolView, q: IntArray, filters: tuple[Keep, ...] = ()) -> Iterator[Pool]:
    """Memories stored at as_of whose scope is not known 0, and that pass the filters.

    Queries of one scope share a pool, so that only the namespace's own vectors are multiplied.
    """
    m_all = everything(view)
    for members in groups(view.scope_class(q)):
        m = np.flatnonzero(not_no(one_row(view.scope, m_all, int(q[members[0]]))))
        step = max(1, block_cells(len(m)) // max(1, len(m)))
        for start in range(0, len(members), step):
            rows = members[start : start + step]
            across, down = m[None, :], q[rows][:, None]
            keep = np.atleast_2d(not_no(view.stored(across, down)))
            for test in filters:
                keep = keep & test(across, down)
            yield Pool(rows, q[rows], m, _cut(np.broadcast_to(keep, (len(keep), len(m)))))


def session_and_tag(view: PoolView, q: IntArray) -> Iterator[Pool]:
    """Memories whose session and semantic tag are both known to be the query's, stored at as_of; one query a pool."""
    m = everything(view)
    for row, qi in enumerate(q.tolist()):
        keep = only_yes(one_row(view.session_test, m, qi)) & only_yes(one_row(view.tag_test, m, qi))
        found = m[keep]
        found = found[not_no(one_row(view.stored, found, qi))]
        yield Pool(np.array([row]), q[row : row + 1], found)


def _digest(*parts: str) -> int:
    return int.from_bytes(hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).digest())


def _mixed(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Bits of each value spread over all its bits (the finaliser of SplitMix64), so that sums become draws."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


class Draw:
    """A seeded order of all memories for each principal, fixed by uids: no input order and no other draw moves it."""

    def __init__(self, view: PoolView, seed: int) -> None:
        self._view = view
        self._seed = str(seed)
        names = (_digest(self._seed, memory.uid.namespace, memory.id) for memory in view.memories)
        self._names = np.fromiter(names, dtype=np.uint64, count=len(view.memories))

    def order(self, qi: int) -> IntArray:
        """All memories in the order in which the query's principal draws them."""
        principal = self._view.queries[qi].value("principal")
        owner = principal.get("namespaces") if isinstance(principal, dict) else None
        salt = np.uint64(_digest(self._seed, json.dumps(owner, sort_keys=True, ensure_ascii=False)))
        return np.lexsort((self._view.uid_rank, _mixed(self._names ^ salt))).astype(np.int64)


def random_partition(view: PoolView, q: IntArray, seed: int, with_required: bool = False) -> Iterator[Pool]:
    """A seeded draw from the memories stored at as_of, as many as the namespace pool has.

    Queries of one principal share the draw. ``with_required`` puts the query's stored required evidence in first
    (gold_oracle), drawn memories make up the rest of the same size.
    """
    draw = Draw(view, seed)
    m = everything(view)
    for of_scope in groups(view.scope_class(q)):
        first = int(q[of_scope[0]])
        scope = not_no(one_row(view.scope, m, first))
        orders: dict[str, IntArray] = {}
        for of_time in groups(view.stored_class(q[of_scope])):
            rows = of_scope[of_time]
            stored = not_no(one_row(view.stored, m, int(q[rows[0]])))
            size = int(np.count_nonzero(scope & stored))
            by_owner: dict[str, list[int]] = {}
            for row in rows.tolist():
                by_owner.setdefault(repr(view.queries[int(q[row])].value("principal")), []).append(row)
            for owner, owned in by_owner.items():
                if owner not in orders:
                    orders[owner] = draw.order(int(q[owned[0]]))
                drawn = orders[owner][stored[orders[owner]]]
                if not with_required:
                    yield Pool(np.array(owned), q[owned], np.sort(drawn[:size]))
                    continue
                for row in owned:
                    needed = np.unique(np.array(view.required(int(q[row])), dtype=np.int64))
                    needed = needed[stored[needed]]
                    others = drawn[: size + len(needed)]
                    others = others[~np.isin(others, needed)][: max(0, size - len(needed))]
                    yield Pool(np.array([row]), q[row : row + 1], np.sort(np.concatenate((needed, others))))
