"""The survey of a store: where every record stands on the coverage map, and what it leaves out (DESIGN 7; SCREENS).

Columns of a byte a record, filled a block at a time and brought up to date record by record, so that a store of a
million is surveyed while one works in it. The counts are those of :func:`inspector.gate.coverage.coverage` (tested).
"""

from __future__ import annotations

import threading
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from inspector.gate.action import ACTION_FIELDS
from inspector.gate.coverage import Protection, standing_of
from inspector.records import MEMORY_FIELDS, Memory

Indices = npt.NDArray[np.int64]
PROTECTIONS = (Protection.NONE, Protection.RETRIEVAL_ONLY, Protection.GATE_RESCUES, Protection.FULL_CHAIN)
#: The marks that a record may carry on the map, in the order of their bits.
MARKS = ("declared but not enforced", "gate cannot fire", "sensitive with neither", "malformed governs")
#: What is counted for completeness, each with the fields of which one must have a value; in the order of their bits.
PARTS: Mapping[str, tuple[str, ...]] = {
    "owner": ("namespace", "namespaces"),
    "purposes": ("allowed_purposes",),
    "status": ("status",),
    "times": tuple(spec.name for spec in MEMORY_FIELDS.values() if spec.kind == "time"),
}
_READ = frozenset((*ACTION_FIELDS, "governs", "sensitivity"))
_UNSEEN = 255
_PART_FIELDS = tuple(PARTS.values())
_BLOCK = 2_048


@dataclass(frozen=True, slots=True)
class CellCounts:
    """One cell of the map: its records, and how many of them carry each mark."""

    protection: Protection
    records: int
    marks: Mapping[str, int]


class Survey:
    """Columns over ``memories``. Complete once :meth:`run` has said so; :meth:`update` follows edits.

    Counts are kept beside the columns, so that asking for them costs the same for any number of records.
    """

    def __init__(self, memories: Sequence[Memory]) -> None:
        self._memories = memories
        count = len(memories)
        self._lock = threading.Lock()
        self._cell = bytearray([_UNSEEN]) * count
        self._marks = bytearray(count)
        self._parts = bytearray(count)
        self._plane = array("i", bytes(4 * count))
        #: Names of the planes by number; 0 stands for none.
        self._planes: dict[str | None, int] = {None: 0}
        self._seen = 0
        self._in_cell = [0] * len(PROTECTIONS)
        self._cell_marks = [[0] * len(MARKS) for _ in PROTECTIONS]
        self._with_part = [0] * len(PARTS)
        self._in_plane = Counter[int]()
        self.done = 0
        self._epoch = 0

    @property
    def is_complete(self) -> bool:
        """Whether every record has been seen."""
        return self.done >= len(self._memories)

    def run(self, blocks: int = 1) -> bool:
        """Survey some more blocks of records; whether all have been seen."""
        epoch = self._epoch
        stop = min(self.done + blocks * _BLOCK, len(self._memories))
        for index in range(self.done, stop):
            self._see(index)
        if epoch == self._epoch:
            self.done = stop
        return self.is_complete

    def restart(self) -> None:
        """See every record anew, with the next :meth:`run`; what was counted stands until then."""
        self._epoch += 1
        self.done = 0

    def update(self, mis: Iterable[int]) -> None:
        """See records again: their fields changed. May be called while :meth:`run` goes on in a thread."""
        for index in mis:
            self._see(index)

    def _see(self, index: int) -> None:
        with self._lock:
            if self._cell[index] != _UNSEEN:
                self._count(index, -1)
            self._read(index)
            self._count(index, 1)

    def _read(self, index: int) -> None:
        memory = self._memories[index]
        cell = marks = parts = 0
        if memory.is_edited or not _READ.isdisjoint(memory.names):
            standing = standing_of(memory)
            cell = PROTECTIONS.index(standing.protection)
            flags = (
                standing.declared_not_enforced,
                standing.cannot_fire,
                standing.sensitive_with_neither,
                bool(standing.malformed),
            )
            marks = sum(1 << bit for bit, flag in enumerate(flags) if flag)
        for bit, fields in enumerate(_PART_FIELDS):
            for name in fields:
                if memory.value(name) is not None:
                    parts |= 1 << bit
                    break
        plane = memory.value("plane")
        named = plane if isinstance(plane, str) else None
        self._cell[index], self._marks[index], self._parts[index] = cell, marks, parts
        self._plane[index] = self._planes.setdefault(named, len(self._planes))

    def _count(self, index: int, sign: int) -> None:
        cell, marks, parts = self._cell[index], self._marks[index], self._parts[index]
        self._seen += sign
        self._in_cell[cell] += sign
        if marks:
            for bit in range(len(MARKS)):
                self._cell_marks[cell][bit] += sign * (marks >> bit & 1)
        for bit in range(len(_PART_FIELDS)):
            self._with_part[bit] += sign * (parts >> bit & 1)
        self._in_plane[self._plane[index]] += sign

    def cells(self) -> tuple[CellCounts, ...]:
        """The four cells in the order none, retrieval-time only, gate rescues, full chain; of what was seen so far."""
        return tuple(
            CellCounts(protection, self._in_cell[number], dict(zip(MARKS, self._cell_marks[number], strict=True)))
            for number, protection in enumerate(PROTECTIONS)
        )

    def marked_count(self, mark: str) -> int:
        """How many records carry a mark of :data:`MARKS`. Raises ValueError for no mark."""
        bit = MARKS.index(mark)
        return sum(counts[bit] for counts in self._cell_marks)

    def lacking_count(self, part: str) -> int:
        """How many of the records seen so far lack a part of :data:`PARTS`. Raises ValueError for no part."""
        return self._seen - self._with_part[list(PARTS).index(part)]

    def in_cell(self, protection: Protection) -> Indices:
        """The memories of a cell, in store order."""
        return _where(_column(self._cell) == PROTECTIONS.index(protection))

    def marked(self, mark: str, protection: Protection | None = None) -> Indices:
        """The memories that carry a mark of :data:`MARKS`, of one cell or of all. Raises ValueError for no mark."""
        found = (_column(self._marks) & (1 << MARKS.index(mark))) != 0
        if protection is not None:
            found &= _column(self._cell) == PROTECTIONS.index(protection)
        return _where(found)

    def lacking(self, part: str) -> Indices:
        """The memories seen so far that lack a part of :data:`PARTS`. Raises ValueError for no part."""
        found = (_column(self._parts) & (1 << list(PARTS).index(part))) == 0
        return _where(found & (_column(self._cell) != _UNSEEN))

    def completeness(self) -> dict[str, float]:
        """The share of the records seen so far that have each part; empty before any was seen."""
        if not self._seen:
            return {}
        return {name: count / self._seen for name, count in zip(PARTS, self._with_part, strict=True)}

    def planes(self) -> dict[str, int]:
        """How many of the records seen so far state each plane, by name; empty where none states one."""
        named = {name: self._in_plane[number] for name, number in list(self._planes.items()) if name is not None}
        return {name: count for name, count in sorted(named.items()) if count}


def _column(values: bytearray) -> npt.NDArray[np.uint8]:
    return np.frombuffer(values, np.uint8)


def _where(found: npt.NDArray[np.bool_]) -> Indices:
    return np.nonzero(found)[0].astype(np.int64)
