"""What the log of edits means: which edits are in force, kept up to date step by step (DESIGN 10).

The log is append-only. A row of action ``do`` sets a field; ``undo`` and ``redo`` name the group that they take back
or bring back; a row of action ``revert`` takes one earlier row out of force while it is itself in force, so that the
field shows the latest edit that is left. :class:`Ledger` keeps the state after each step; :func:`derive` works it out
from the rows alone, by another way, and is what the first must equal.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from inspector.records import Uid
from inspector.store.codec import decode_cell

Kind = Literal["memory", "query", "judgment", "setting", "ask"]
Action = Literal["do", "undo", "redo", "revert"]
Status = Literal["in force", "undone", "discarded", "reverted"]


class _Unedited(enum.Enum):
    UNEDITED = "unedited"

    def __repr__(self) -> str:
        return "UNEDITED"


#: In place of a value: no edit is in force, the source speaks.
UNEDITED = _Unedited.UNEDITED


class Key(NamedTuple):
    """What an edit is about: a field of a memory (target: its Uid), a query (its id alone), a judgment, a setting, or a
    whole query that was typed in (target: its id)."""

    kind: Kind
    target: tuple[str, ...]
    field: str


class Row(NamedTuple):
    """One row of the log. ``old``, ``new`` and ``base`` are JSON text, None for ABSENT.

    ``base`` is the source's value under the edits, as known when the edit was made. ``ref`` is the seq that a revert
    takes out, or the group that an undo or redo is about.
    """

    seq: int
    group: int
    made_at: str
    action: Action
    key: Key
    old: str | None
    new: str | None
    base: str | None
    ref: int | None


@dataclass(frozen=True, slots=True)
class Shift:
    """One field whose edited value a step changed; ``before`` and ``after`` are a value, ABSENT or UNEDITED."""

    key: Key
    before: Any
    after: Any

    @property
    def kind(self) -> Kind:
        """The kind of thing edited."""
        return self.key.kind

    @property
    def target(self) -> tuple[str, ...]:
        """Whose field it is: a Uid for a memory."""
        return self.key.target

    @property
    def field(self) -> str:
        """The field."""
        return self.key.field


def key_of(kind: Kind, target: Sequence[str], field: str) -> Key:
    """The key, with a memory's target as a Uid."""
    return Key(kind, Uid(*target) if kind == "memory" else tuple(target), field)


class Ledger:
    """The state of the log after the rows given so far. Not safe for several threads: the edit log holds a lock."""

    def __init__(self) -> None:
        self.rows: dict[int, Row] = {}
        self.groups: dict[int, list[int]] = {}
        self.done: list[int] = []
        self.undone: list[int] = []
        self.discarded: set[int] = set()
        self._active: set[int] = set()
        self._reverts: dict[int, list[int]] = {}
        self._chains: dict[Key, list[int]] = {}
        self._top: dict[Key, int] = {}
        self.last_seq = 0
        self.last_group = 0

    def in_force(self, seq: int) -> bool:
        """Whether the row counts: its group is not undone, and no row that counts reverts it."""
        pending, answers = [seq], {}
        while pending:
            at = pending[-1]
            if self.rows[at].group not in self._active:
                answers[pending.pop()] = False
                continue
            open_ones = [by for by in self._reverts.get(at, ()) if by not in answers]
            if open_ones:
                pending.extend(open_ones)
            else:
                answers[pending.pop()] = not any(answers[by] for by in self._reverts.get(at, ()))
        return answers[seq]

    def top(self, key: Key) -> Row | None:
        """The row whose value the field shows, or None where the source speaks."""
        seq = self._top.get(key)
        return None if seq is None else self.rows[seq]

    def value(self, key: Key) -> Any:
        """The edited value in force, ABSENT, or UNEDITED."""
        row = self.top(key)
        return UNEDITED if row is None else decode_cell(row.new)

    def tops(self) -> list[Row]:
        """The rows in force that fields show, in order of their making."""
        return [self.rows[seq] for seq in sorted(self._top.values())]

    def rows_in_force(self) -> list[Row]:
        """Every edit in force, those that a later one covers too."""
        return [row for row in self.rows.values() if row.action == "do" and self.in_force(row.seq)]

    def status(self, seq: int) -> Status:
        """What became of the row."""
        group = self.rows[seq].group
        if group in self.discarded:
            return "discarded"
        if group not in self._active:
            return "undone"
        return "in force" if self.in_force(seq) else "reverted"

    def apply(self, rows: Iterable[Row]) -> list[Shift]:
        """Take in the rows of one step, of one group, and say which fields show another value now."""
        step = list(rows)
        if not step:
            return []
        first = step[0]
        self.last_seq = max(self.last_seq, step[-1].seq)
        self.last_group = max(self.last_group, first.group)
        if first.action == "undo" or first.action == "redo":
            group = first.ref
            if group is None:
                raise ValueError("an undo or redo names its group")
            source, goal = (self.done, self.undone) if first.action == "undo" else (self.undone, self.done)
            if not source or source[-1] != group:
                raise ValueError(f"group {group} is not the next to {first.action}")
            goal.append(source.pop())
            self._active ^= {group}
            return self._settle(self._keys(self.groups[group]))
        self.discarded.update(self.undone)
        self.undone.clear()
        self.done.append(first.group)
        self._active.add(first.group)
        self.groups[first.group] = [row.seq for row in step]
        for row in step:
            self.rows[row.seq] = row
            if row.action == "revert":
                self._reverts.setdefault(self._referred(row), []).append(row.seq)
            else:
                self._chains.setdefault(row.key, []).append(row.seq)
        return self._settle(self._keys(self.groups[first.group]))

    def _referred(self, row: Row) -> int:
        if row.ref is None or row.ref not in self.rows:
            raise ValueError("a revert names an earlier edit")
        return row.ref

    def _keys(self, seqs: Iterable[int]) -> list[Key]:
        # A revert carries the key of the edit that it is about, however many reverts lie between.
        return list(dict.fromkeys(self.rows[seq].key for seq in seqs))

    def _settle(self, keys: Iterable[Key]) -> list[Shift]:
        shifts = []
        for key in keys:
            before = self._top.get(key)
            after = next((seq for seq in reversed(self._chains.get(key, ())) if self.in_force(seq)), None)
            if before == after:
                continue
            old_value = self.value(key)
            if after is None:
                del self._top[key]
            else:
                self._top[key] = after
            shifts.append(Shift(key, old_value, self.value(key)))
        return shifts


def derive(rows: Sequence[Row]) -> dict[Key, str | None]:
    """The edited values in force as JSON text (None: ABSENT), worked out from the whole log at once.

    First which groups stand, by walking the undos and redos; then, latest first, which rows are taken out by reverts
    that stand; then the last value of each field.
    """
    standing: dict[int, bool] = {}
    for row in rows:
        if row.action == "undo" or row.action == "redo":
            if row.ref is not None:
                standing[row.ref] = row.action == "redo"
        else:
            standing[row.group] = True
    taken_out: set[int] = set()
    for row in reversed(rows):
        if row.action == "revert" and standing[row.group] and row.seq not in taken_out and row.ref is not None:
            taken_out.add(row.ref)
    return {row.key: row.new for row in rows if row.action == "do" and standing[row.group] and row.seq not in taken_out}
