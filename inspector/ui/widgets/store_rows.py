"""The rows of the store browser: filter and order over any number of records, cells of those in sight (SCREENS Store).

Nothing here draws or starts threads. :func:`arrange` goes on in slices and hands out what it has, so that a worker can
stop it and the screen can show a part.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from inspector.gate.coverage import standing_of
from inspector.records import MEMORY_FIELDS, Memory, show_namespace
from inspector.text import fold
from inspector.ui.widgets.cells import Cell, Column, Piece
from inspector.ui.widgets.signs import EDITED
from inspector.ui.widgets.values import show_value

Indices = npt.NDArray[np.int64]
COLUMNS = (
    Column("id", "memory", 18, 9, flex=1, frozen=True, help="memory id; ✎ has edits"),
    Column("owner", "owner", 14, 7, flex=1, help="namespace or namespaces"),
    Column("status", "status", 11, 6),
    Column("type", "type", 10, 6, help="memory_type"),
    Column("chain", "chain", 5, help="G governs, A authority, · neither, ✗ malformed; ! a mark of the coverage map"),
    Column("lint", "lint", 5, 4, help="findings: ✗ error, ! warning, i info, and how many; – none, ? not linted"),
    Column("tag", "tag", 10, 5, help="semantic_tag"),
    Column("created", "created", 10, 6, help="created_at"),
    Column("text", "text", 16, 5, flex=6),
)
SLICE = 2_048
#: Distinct values up to this many are sorted in one go; more in runs that are merged, so that no thread is held up.
_RUN = 16_384
_TERM = re.compile(r'(\w+):("[^"]*"|\S+)')
#: Short names of fields in the filter line.
_SHORT = {"tag": "semantic_tag", "type": "memory_type", "owner": "namespace", "purposes": "allowed_purposes"}


@dataclass(frozen=True, slots=True)
class StoreFilter:
    """What the filter line asks: words in id, owner or text, and terms that must all hold.

    Terms are ``field:value``, ``has:field``, ``no:field`` and ``is:edited``. A word before a colon that is no field is
    looked for as it stands.
    """

    words: tuple[str, ...] = ()
    values: tuple[tuple[str, str], ...] = ()
    has: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    edited: bool = False

    @classmethod
    def parse(cls, text: str) -> StoreFilter:
        """Read the line; nothing that can be typed is an error."""
        words: list[str] = []
        values: list[tuple[str, str]] = []
        has: list[str] = []
        lacks: list[str] = []
        edited = False
        for part in re.findall(r'\w+:"[^"]*"|\S+', text):
            match = _TERM.fullmatch(part)
            name, value = (match[1], match[2].strip('"')) if match else ("", "")
            name = _SHORT.get(name, name)
            if name == "is" and value == "edited":
                edited = True
            elif name in ("has", "no") and _SHORT.get(value, value) in MEMORY_FIELDS:
                (has if name == "has" else lacks).append(_SHORT.get(value, value))
            elif name in MEMORY_FIELDS:
                values.append((name, fold(value)))
            else:
                words.append(fold(part))
        return cls(tuple(words), tuple(values), tuple(has), tuple(lacks), edited)

    def __bool__(self) -> bool:
        return self != StoreFilter()

    def takes(self, memory: Memory) -> bool:
        """Whether a record passes."""
        if self.edited and not memory.edits:
            return False
        if any(_value(memory, name) is None for name in self.has):
            return False
        if any(_value(memory, name) is not None for name in self.lacks):
            return False
        for name, wanted in self.values:
            value = _value(memory, name)
            if value is None or wanted not in fold(show_namespace(value) if "namespace" in name else show_value(value)):
                return False
        if not self.words:
            return True
        hay = fold(f"{memory.id}\n{owner_of(memory)}\n{memory.text}")
        return all(word in hay for word in self.words)


def _value(memory: Memory, name: str) -> Any:
    value = memory.value(name)
    return memory.value("namespaces") if value is None and name == "namespace" else value


def owner_of(memory: Memory) -> str:
    """The owner as it is shown."""
    return show_namespace(_value(memory, "namespace"))


def _word(name: str) -> Callable[[Memory], Any]:
    def read(memory: Memory) -> Any:
        value = memory.value(name)
        return None if value is None else value if isinstance(value, str) else show_value(value)

    return read


def _chain_order(memory: Memory) -> Any:
    standing = standing_of(memory)
    return (standing.protection.governs * 2 + standing.protection.authority, not standing.signals)


#: What a column is ordered by; None stands last in either order.
_ORDERS: Mapping[str, Callable[[Memory], Any]] = {
    "id": lambda memory: memory.id,
    "owner": lambda memory: owner_of(memory) or None,
    "status": _word("status"),
    "type": _word("memory_type"),
    "tag": _word("semantic_tag"),
    "created": _word("created_at"),
    "chain": _chain_order,
    "text": lambda memory: memory.text,
}


@dataclass(frozen=True)
class Arrangement:
    """What the table shows: the records of ``base`` (None: all) that pass the filter, in the order of a column.

    ``ranks`` gives the order of the column "lint", which the records do not know themselves: a number a memory.
    """

    filter: StoreFilter = field(default_factory=StoreFilter)
    base: Indices | None = None
    column: str | None = None
    reverse: bool = False
    ranks: npt.NDArray[np.int64] | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """What an arrangement has so far: the rows, and how far it has come; ``rows`` is None where there are none yet."""

    what: str
    done: int
    total: int
    rows: Indices | None


def arrange(memories: Sequence[Memory], asked: Arrangement) -> Iterator[Part]:
    """Go on in slices; the last part has all rows. A sorted arrangement shows no rows before it is complete."""
    base = np.arange(len(memories), dtype=np.int64) if asked.base is None else asked.base
    rows = base
    if asked.filter:
        found: list[Indices] = []
        for start in range(0, len(base), SLICE):
            block = base[start : start + SLICE]
            found.append(np.array([i for i in block.tolist() if asked.filter.takes(memories[i])], dtype=np.int64))
            done = min(start + SLICE, len(base))
            # Rows are handed out after 1, 2, 4, … slices: each time costs what all before have cost.
            shows = asked.column is None and len(found) & (len(found) - 1) == 0
            yield Part("finding", done, len(base), np.concatenate(found) if shows else None)
        rows = np.concatenate(found) if found else base
    if asked.column == "lint" and asked.ranks is not None:
        keys = asked.ranks[rows]
        yield Part("done", len(rows), len(rows), rows[_ordered(keys, asked.reverse)])
        return
    read = None if asked.column is None else _ORDERS.get(asked.column)
    if read is not None:
        values: list[Any] = []
        for start in range(0, len(rows), SLICE):
            values += [read(memories[i]) for i in rows[start : start + SLICE].tolist()]
            yield Part("sorting", min(start + SLICE, len(rows)), 2 * len(rows), None)
        keys = np.empty(0, np.int64)
        for step in _ranks(values):
            if isinstance(step, int):
                yield Part("sorting", len(rows) + step, 2 * len(rows), None)
            else:
                keys = step
        rows = rows[_ordered(keys, asked.reverse)]
    yield Part("done", len(rows), len(rows), rows)


def _ordered(keys: npt.NDArray[np.int64], reverse: bool) -> Indices:
    """Positions in order, ties as they stand, and −1 (missing) last in either order."""
    top = int(keys.max(initial=0)) + 1
    keys = np.where(keys < 0, top, (top - 1 - keys) if reverse else keys)
    return np.argsort(keys, kind="stable").astype(np.int64)


def _ranks(values: Sequence[Any]) -> Iterator[int | npt.NDArray[np.int64]]:
    """The rank of each value among the distinct ones, −1 for None; how many are merged meanwhile."""
    distinct = list({value for value in values if value is not None})
    runs = [sorted(distinct[start : start + _RUN]) for start in range(0, len(distinct), _RUN)]
    rank: dict[Any, int] = {}
    for value in heapq.merge(*runs) if len(runs) > 1 else (runs[0] if runs else ()):
        rank[value] = len(rank)
        if len(rank) % _RUN == 0:
            yield len(rank)
    rank[None] = -1
    yield np.fromiter((rank[value] for value in values), np.int64, len(values))


class StoreSource:
    """The rows of an arrangement for a table, keyed by the memory's index; cells are made when they are seen."""

    def __init__(self, rows: Indices, size: int, cells: Callable[[int], Sequence[Cell]]) -> None:
        self.rows = rows
        self._size = size
        self._cells = cells
        self._places: npt.NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def key(self, row: int) -> int:
        """The memory that stands on a row."""
        return int(self.rows[row])

    def cells(self, row: int) -> Sequence[Cell]:
        """The row's cells."""
        return self._cells(int(self.rows[row]))

    def find(self, key: object) -> int | None:
        """The row of a memory, None where it is not shown."""
        if not isinstance(key, int) or not 0 <= key < self._size:
            return None
        if self._places is None:
            self._places = np.full(self._size, -1, np.int64)
            self._places[self.rows] = np.arange(len(self.rows))
        place = int(self._places[key])
        return None if place < 0 else place


def memory_cells(memory: Memory, lint: Cell) -> Sequence[Cell]:
    """The cells of a record's row, in the order of :data:`COLUMNS`."""
    owner = owner_of(memory)
    edited = {"namespace", "namespaces"} & memory.edits.keys()
    return (
        [Piece(EDITED, "edited"), Piece(memory.id)] if memory.edits else memory.id,
        [*([Piece(EDITED, "edited")] if edited else []), Piece(owner) if owner else Piece("∅", "dim")],
        _field(memory, "status"),
        _field(memory, "memory_type"),
        chain_cell(memory),
        lint,
        _field(memory, "semantic_tag"),
        _field(memory, "created_at"),
        [Piece(EDITED, "edited"), Piece(memory.text)] if "text" in memory.edits else memory.text,
    )


def _field(memory: Memory, name: str) -> Cell:
    value = memory.value(name)
    mark = [Piece(EDITED, "edited")] if name in memory.edits else []
    if value is None:
        return [*mark, Piece("∅", "dim")]
    return [*mark, Piece(value if isinstance(value, str) else show_value(value))]


def chain_cell(memory: Memory) -> list[Piece]:
    """``GA``, ``G·``, ``·A`` or ``··``: governs and authority; ``✗`` malformed governs, ``!`` a mark of the map."""
    standing = standing_of(memory)
    cell = standing.protection
    if standing.malformed:
        pieces = [Piece("✗", "bad")]
    else:
        pieces = [Piece("G", "strong") if cell.governs else Piece("·", "dim")]
    pieces.append(Piece("A", "strong") if cell.authority else Piece("·", "dim"))
    if standing.declared_not_enforced or standing.cannot_fire or standing.sensitive_with_neither:
        pieces.append(Piece(" !", "warn"))
    return pieces
