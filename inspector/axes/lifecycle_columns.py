"""Lifecycle over whole columns: the set of possible states of each pair as one byte, rule after rule."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from inspector.axes.boundary import Mark, marks_of, possible_marks
from inspector.axes.columns import Codebook, Index, Pick, picked
from inspector.axes.ground import Ground
from inspector.axes.lifecycle import FIELDS
from inspector.axes.states import BOUNDARY_STATE, LABEL_STATE, State, current_table, over_table, value_table
from inspector.axes.successors import Successors
from inspector.records import INTENTS, Memory, Query
from inspector.times import NAIVE_SLACK_US, Instant
from inspector.trit import TritArray

Micros = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
_NEVER = 1 << 62
_ALWAYS = -_NEVER
#: The time columns, and what an absent one counts as: a time whose test never holds.
_ABSENT = {"deleted": _NEVER, "created": _ALWAYS, "from": _ALWAYS, "successor": _NEVER, "to": _NEVER, "label": _ALWAYS}
_TIME_FIELDS = (("deleted", "deleted_at"), ("created", "created_at"), ("from", "valid_from"), ("to", "valid_to"))
_FIELDS = frozenset(FIELDS)


class _Times:
    """One time of every memory: microseconds, whether naive, whether there is one, whether it cannot be decided.

    Until the first memory has one, a single cell stands for all: most stores have two or three of the six.
    """

    def __init__(self, count: int, absent: int) -> None:
        self.absent = absent
        self.us: Micros = np.broadcast_to(np.array(absent, np.int64), count)
        self.naive: Flags = np.broadcast_to(np.array(False), count)
        self.present: Flags = self.naive
        self.used = False

    def set(self, place: int, instant: Instant | None) -> None:
        """Set one memory's time."""
        if instant is None and not self.present[place]:
            return
        if not self.used:
            self.us, self.naive, self.present = self.us.copy(), self.naive.copy(), self.present.copy()
        self.us[place] = self.absent if instant is None else instant.us
        self.naive[place] = instant is not None and instant.naive
        self.present[place] = instant is not None
        self.used |= instant is not None


class LifecycleColumns:
    """The lifecycle axis at arrays of pairs, equal to :meth:`Lifecycle.explain` pair by pair."""

    def __init__(
        self, ground: Ground, successors: Successors, memories: Sequence[Memory], queries: Sequence[Query]
    ) -> None:
        self.ground = ground
        self.successors = successors
        count = len(memories)
        self._time = {name: _Times(count, absent) for name, absent in _ABSENT.items()}
        self._undecided: Flags = np.zeros(count, np.bool_)
        self._label: TritArray = np.full(count, State.UNKNOWN, np.uint8)
        self._early: TritArray = np.full(count, State.UNKNOWN, np.uint8)
        self._bare: TritArray = np.zeros(count, np.uint8)
        self._labelled: Flags = np.zeros(count, np.bool_)
        self._log_of: npt.NDArray[np.int32] = np.zeros(count, np.int32)
        #: Distinct logs, code 0 being none: memories of one session and tag share theirs.
        self._logs: Codebook[tuple[Mark, ...]] = Codebook()
        self._logs.code(())
        self._log_cells: dict[tuple[int, int], int] = {}
        self._as_of = _Times(len(queries), 0)
        self._as_of_book: Codebook[tuple[int, bool] | None] = Codebook()
        self._as_of_code: npt.NDArray[np.int32] = np.zeros(len(queries), np.int32)
        self._intent: npt.NDArray[np.intp] = np.zeros(len(queries), np.intp)
        #: Whether naive and aware times meet, or a query has no as_of: then every comparison takes the long way.
        self._mixed = False
        self._kinds: set[bool] = set()
        present = ground.present(memories)
        for mi, memory in enumerate(memories):
            self._read(mi, memory, present)
        for qi, query in enumerate(queries):
            self.update_query(qi, query)
        self._values = value_table(ground.settings.unknown_intent)
        self._over = over_table()

    def _set(self, times: _Times, place: int, instant: Instant | None) -> None:
        times.set(place, instant)
        if instant is not None and instant.naive not in self._kinds:
            self._kinds.add(instant.naive)
            self._mixed |= len(self._kinds) > 1

    def update_memory(self, mi: int, memory: Memory) -> None:
        """Read an edited memory again, and what its successor says."""
        self._read(mi, memory, _FIELDS)

    def _read(self, mi: int, memory: Memory, names: frozenset[str]) -> None:
        """Read the named fields of a memory; the others must have no value in any, as when the columns are new."""
        ground = self.ground
        for name, field in _TIME_FIELDS:
            if field in names:
                self._set(self._time[name], mi, ground.instant(memory, field))
        label_time = ground.settings.exported_at
        if "status_at" in names:
            label_time = ground.instant(memory, "status_at") or label_time
        if label_time is not None or "status_at" in names:
            self._set(self._time["label"], mi, label_time)
            self._labelled[mi] = label_time is not None
        if "status" in names:
            word = ground.value(memory, "status")
            state = LABEL_STATE.get(word, State.UNKNOWN) if isinstance(word, str) else State.UNKNOWN
            current = state == State.CURRENT
            self._label[mi] = state if current or label_time is not None else State.UNKNOWN
            self._early[mi] = State.CURRENT if current and self._time["created"].present[mi] else State.UNKNOWN
        if "boundary_log" in names or "boundary_state" in names:
            self._read_boundary(mi, memory)
        if "superseded_by" in names:
            self.update_successor(mi, memory)

    def _read_boundary(self, mi: int, memory: Memory) -> None:
        log = self.ground.value(memory, "boundary_log")
        if log is not None:
            self._log_of[mi] = self._logs.code(tuple(marks_of(log, self.ground.timezone)))
            self._bare[mi] = 0
            return
        self._log_of[mi] = 0
        word = self.ground.value(memory, "boundary_state")
        self._bare[mi] = BOUNDARY_STATE.get(word, 0) if isinstance(word, str) else 0

    def update_successor(self, mi: int, memory: Memory) -> None:
        """Resolve one memory's successor again: after an edit of either."""
        successor = self.successors.of(memory)
        self.successors.note(mi, None if successor is None else successor.id)
        since: Instant | None = None
        if successor is not None and successor.memory is not None:
            since = self.ground.instant(successor.memory, "valid_from")
            since = since or self.ground.instant(successor.memory, "created_at")
        self._set(self._time["successor"], mi, since)
        self._undecided[mi] = successor is not None and since is None

    def update_query(self, qi: int, query: Query) -> None:
        """Read an edited query again."""
        as_of = self.ground.as_of(query)
        self._set(self._as_of, qi, as_of)
        self._mixed |= as_of is None
        self._as_of_code[qi] = self._as_of_book.code(None if as_of is None else (as_of.us, as_of.naive))
        self._intent[qi] = INTENTS.index(self.ground.intent(query))

    def _by(self, name: str, m: Pick, q: Index) -> TritArray:
        """Whether each memory's time is at or before the query's as_of: a trit for each pair."""
        times, as_of = self._time[name], self._as_of
        if not self._mixed:
            return (times.us[m] <= as_of.us[q]).view(np.uint8) * np.uint8(2)
        first, second = times.us[m], as_of.us[q]
        slack = np.where(times.naive[m] == as_of.naive[q], 0, NAIVE_SLACK_US)
        found = np.where(
            first + slack <= second, np.uint8(2), np.where(first - slack > second, np.uint8(0), np.uint8(1))
        )
        return np.where(times.present[m] & ~as_of.present[q], np.uint8(1), self._decided(found, times, m))

    def _decided(self, found: TritArray, times: _Times, m: Pick) -> TritArray:
        """An absent time decides as its column says, whatever the query's zone."""
        return np.where(times.present[m], found, np.uint8(0 if times.absent > 0 else 2))

    def states(self, m: Index, q: Index) -> TritArray:
        """The set of states that are possible at ``as_of``, a bit for each :class:`State`, at each pair."""
        shape = np.broadcast_shapes(m.shape, q.shape)
        mask = np.zeros(shape, np.uint8)
        reach = np.ones(shape, np.bool_)
        p = picked(m, len(self._label))

        def test(value: TritArray, state: int) -> None:
            nonlocal reach, mask
            mask |= (reach & (value > 0)).view(np.uint8) * np.uint8(state)
            reach &= value < 2

        if self._time["deleted"].used:
            test(self._by("deleted", p, q), State.FORGOTTEN)
        self._test_boundary(p, q, mask, reach)
        if self._time["created"].used or self._time["from"].used:
            test(np.uint8(2) - np.minimum(self._by("created", p, q), self._by("from", p, q)), State.FUTURE)
        undecided = self._undecided[p]
        if self._time["successor"].used or undecided.any():
            test(np.where(undecided, np.uint8(1), self._by("successor", p, q)), State.SUPERSEDED)
        if self._time["to"].used:
            test(self._by("to", p, q), State.STALE)
        return mask | np.where(reach, self._labels(p, q), np.uint8(0))

    def _labels(self, m: Pick, q: Index) -> TritArray:
        label, early = self._label[m], self._early[m]
        if not self._time["label"].used:
            return label
        holds = self._by("label", m, q)
        return np.where(holds == 2, label, np.where(holds == 0, early, label | early))

    def _test_boundary(self, m: Pick, q: Index, mask: TritArray, reach: Flags) -> None:
        """Rule 2, in place: first the bare states, which speak like labels, then the logs."""
        bare = self._bare[m]
        if bare.any():
            value = np.where(self._labelled[m], np.maximum(self._by("label", m, q), np.uint8(1)), np.uint8(1))
            mask |= np.where(reach, bare, np.uint8(0))
            reach &= (bare == 0) | (value < 2)
        logs = self._log_of[m]
        if not logs.any():
            return
        cells = np.nonzero(np.broadcast_to(logs, mask.shape))
        span = len(self._as_of_book)
        keys = np.broadcast_to(logs, mask.shape)[cells].astype(np.int64) * span
        keys += np.broadcast_to(self._as_of_code[q], mask.shape)[cells]
        distinct, back = np.unique(keys, return_inverse=True)
        found = np.array([self._log_cell(*divmod(key, span)) for key in distinct.tolist()], np.uint16)[back]
        here = reach[cells]
        mask[cells] |= np.where(here, (found & 0xFF).astype(np.uint8), np.uint8(0))
        reach[cells] = here & (found >= 256)

    def _log_cell(self, log: int, as_of_code: int) -> int:
        """The states that a log leaves possible at an as_of, plus 256 where the later tests may still speak."""
        cell = self._log_cells.get((log, as_of_code))
        if cell is None:
            key = self._as_of_book.keys[as_of_code]
            as_of = None if key is None else Instant("", *key)
            cell = 0
            for mark in possible_marks(self._logs.keys[log], as_of):
                cell |= mark.bit if mark is not None and mark.bit else 256
            self._log_cells[log, as_of_code] = cell
        return cell

    def values(self, m: Index, q: Index) -> TritArray:
        """Lifecycle at pairs: the table's value of the possible states for the query's intent."""
        return self._values[self.states(m, q), self._intent[q]]

    def stale_or_superseded(self, m: Index, q: Index) -> TritArray:
        """Whether the state is stale or superseded, whatever the intent; ? where some possible states are."""
        return self._over[self.states(m, q)]

    def current(self, m: Index, q: Index) -> TritArray:
        """Whether the state is current, whatever the intent; ? where one possible state is, or it is unknown."""
        return current_table()[self.states(m, q)]

    def stored(self, m: Index, q: Index) -> TritArray:
        """Whether the memory was in the store at ``as_of``: created by then, or undated, which is in the store."""
        found = self._by("created", picked(m, len(self._label)), q)
        return np.broadcast_to(found, np.broadcast_shapes(m.shape, q.shape)).copy()
