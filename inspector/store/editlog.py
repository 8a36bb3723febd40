"""The log of edits: on disk before an edit is shown, undone and redone without limit (DESIGN 10)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import numpy as np

from inspector.errors import InspectorError
from inspector.i18n import _
from inspector.store.codec import decode, decode_cell, encode, encode_cell
from inspector.store.ledger import UNEDITED, Action, Key, Kind, Ledger, Row, Shift, Status, derive, key_of
from inspector.store.workspace import Workspace

_COLUMNS = "seq, grp, made_at, action, kind, target, field, old, new, base, ref"
#: A step of up to this many rows is one statement with parameters, quicker than a registered table.
_FEW = 20


@dataclass(frozen=True, slots=True)
class Change:
    """One field to edit. ``old`` is the value in force before, ``new`` the one after; ABSENT is no key at all.

    ``target`` is a memory's Uid, ``(query id,)``, ``(query id, namespace key, memory id)`` for a judgment on the axis
    ``field``, ``()`` for the setting ``field``, or ``(query id,)`` for a typed query, whose ``new`` are all its fields.
    """

    kind: Kind
    target: Sequence[str]
    field: str
    old: Any
    new: Any


@dataclass(frozen=True, slots=True)
class Step:
    """What an edit, undo, redo or revert did: its group of edits, and the fields whose edited value changed."""

    action: Action
    group: int
    shifts: tuple[Shift, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the list of edits: a field edited or an edit reverted, and what became of it.

    ``group`` is shared by edits made together, ``ref`` is the seq of the edit that a revert is about.
    """

    seq: int
    group: int
    made_at: str
    action: Action
    kind: Kind
    target: tuple[str, ...]
    field: str
    old: Any
    new: Any
    ref: int | None
    status: Status

    @property
    def active(self) -> bool:
        """Whether it is in force."""
        return self.status == "in force"


@dataclass(frozen=True, slots=True)
class Effective:
    """One field with an edit in force: the source's value as known when it was first edited, and the value now."""

    seq: int
    kind: Kind
    target: tuple[str, ...]
    field: str
    old: Any
    new: Any


def _utc_now() -> datetime:
    return datetime.now(UTC)


class EditLog:
    """The workspace's log of edits and the overlay that follows from it.

    Every change is committed before the call returns. Any thread may call; calls take turns. Only one log a workspace.
    """

    def __init__(self, workspace: Workspace, clock: Callable[[], datetime] = _utc_now) -> None:
        """Read the log from the workspace. ``clock`` gives the time in UTC."""
        self._workspace = workspace
        self._clock = clock
        self._lock = threading.RLock()
        self._ledger = Ledger()
        for step in _steps(self._read()):
            self._ledger.apply(step)
        workspace.count_edits = self.__len__

    def __len__(self) -> int:
        """How many fields have an edit in force."""
        with self._lock:
            return len(self._ledger.tops())

    def append(self, changes: Iterable[Change]) -> Step:
        """Make the edits, as one group that is undone as one. What had been undone can no longer be redone."""
        with self._lock:
            pending = [(key_of(change.kind, change.target, change.field), change) for change in changes]
            if not pending:
                return Step("do", self._ledger.last_group, ())
            group, made_at = self._ledger.last_group + 1, self._now()
            rows: list[Row] = []
            bases: dict[Key, str | None] = {}
            for seq, (key, change) in enumerate(pending, self._ledger.last_seq + 1):
                old = encode_cell(change.old)
                if key not in bases:
                    top = self._ledger.top(key)
                    bases[key] = old if top is None else top.base
                rows.append(Row(seq, group, made_at, "do", key, old, encode_cell(change.new), bases[key], None))
            return self._commit(rows)

    def undo(self) -> Step | None:
        """Take back the latest group that stands; None where there is none."""
        with self._lock:
            return self._mark("undo", self._ledger.done)

    def redo(self) -> Step | None:
        """Bring back the group undone last; None where there is none, as after a new edit."""
        with self._lock:
            return self._mark("redo", self._ledger.undone)

    def settings_of(self, action: Literal["undo", "redo"]) -> dict[Key, Any]:
        """The settings that the next undo or redo changes, with the values that they have then."""
        with self._lock:
            stack = self._ledger.done if action == "undo" else self._ledger.undone
            rows = [self._ledger.rows[seq] for seq in self._ledger.groups[stack[-1]]] if stack else []
            return {
                row.key: decode_cell(row.old if action == "undo" else row.new)
                for row in rows
                if row.key.kind == "setting"
            }

    @property
    def can_undo(self) -> bool:
        """Whether there is something to undo."""
        return bool(self._ledger.done)

    @property
    def can_redo(self) -> bool:
        """Whether there is something to redo."""
        return bool(self._ledger.undone)

    def revert(self, seqs: int | Iterable[int]) -> Step:
        """Take single edits out, whatever was edited since, as a new group that can be undone.

        Each field then shows the latest edit left on it, or the source's value: a newer edit of the same field stays.
        Raises InspectorError for an edit that is not in force.
        """
        with self._lock:
            wanted = [seqs] if isinstance(seqs, int) else list(dict.fromkeys(seqs))
            for seq in wanted:
                if seq not in self._ledger.rows:
                    raise InspectorError(_("there is no edit {seq}").format(seq=seq))
                status = self._ledger.status(seq)
                if status != "in force":
                    raise InspectorError(
                        _("edit {seq} cannot be reverted: it is already {status}").format(seq=seq, status=status)
                    )
            return self._revert(wanted)

    def revert_group(self, group: int) -> Step:
        """Take out every edit of the group that is in force."""
        with self._lock:
            seqs = self._ledger.groups.get(group)
            if seqs is None:
                raise InspectorError(_("there is no group of edits {group}").format(group=group))
            return self._revert([seq for seq in seqs if self._ledger.in_force(seq)])

    def revert_all(self) -> Step:
        """Take out every edit in force, as one group that can be undone."""
        with self._lock:
            return self._revert([row.seq for row in self._ledger.rows_in_force()])

    def overlay(self) -> dict[Key, Any]:
        """The edited values in force by key; ABSENT where the key is removed. Kept up to date, not worked out."""
        with self._lock:
            return {row.key: decode_cell(row.new) for row in self._ledger.tops()}

    def state(self) -> dict[Key, Any]:
        """The same as :meth:`overlay`, worked out from the log on disk from scratch."""
        with self._lock:
            return {key: decode_cell(cell) for key, cell in derive(self._read()).items()}

    def entries(self) -> list[Entry]:
        """Every edit and revert ever made, the first one first, with what became of it."""
        with self._lock:
            return [self._entry(row) for row in self._ledger.rows.values()]

    def effective(self) -> list[Effective]:
        """The fields with an edit in force that differs from the source's value, in order of the edits' making."""
        with self._lock:
            return [
                Effective(row.seq, *row.key, decode_cell(row.base), decode_cell(row.new))
                for row in self._ledger.tops()
                if row.base != row.new
            ]

    def waiting(self, is_there: Callable[[Kind, tuple[str, ...]], bool]) -> list[Effective]:
        """The edits in force whose record the source no longer has: kept, and in force again when it comes back."""
        return [edit for edit in self.effective() if not is_there(edit.kind, edit.target)]

    def _mark(self, action: Action, stack: Sequence[int]) -> Step | None:
        if not stack:
            return None
        group, ledger = stack[-1], self._ledger
        nothing = key_of("setting", (), "")
        row = Row(ledger.last_seq + 1, ledger.last_group + 1, self._now(), action, nothing, None, None, None, group)
        step = self._commit([row])
        return Step(action, group, step.shifts)

    def _revert(self, seqs: Sequence[int]) -> Step:
        ledger = self._ledger
        if not seqs:
            return Step("revert", ledger.last_group, ())
        group, made_at = ledger.last_group + 1, self._now()
        rows = []
        for seq, ref in enumerate(seqs, ledger.last_seq + 1):
            # For the list: a revert reads as an edit from the value that goes to the one that went before it.
            row = ledger.rows[ref]
            rows.append(Row(seq, group, made_at, "revert", row.key, row.new, row.old, row.base, ref))
        return self._commit(rows)

    def _commit(self, rows: list[Row]) -> Step:
        self._write(rows)
        shifts = self._ledger.apply(rows)
        return Step(rows[0].action, rows[0].group, tuple(shifts))

    def _entry(self, row: Row) -> Entry:
        old, new = decode_cell(row.old), decode_cell(row.new)
        status = self._ledger.status(row.seq)
        return Entry(row.seq, row.group, row.made_at, row.action, *row.key, old, new, row.ref, status)

    def _now(self) -> str:
        return self._clock().astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")

    def _read(self) -> list[Row]:
        with self._workspace.cursor() as cursor:
            found = cursor.execute(f"SELECT {_COLUMNS} FROM edits ORDER BY seq").fetchall()  # noqa: S608
        rows = []
        for seq, group, made_at, action, kind, target, field, old, new, base, ref in found:
            key = key_of(kind, decode(target), decode(field))
            rows.append(Row(seq, group, made_at, action, key, old, new, base, ref))
        return rows

    def _write(self, rows: Sequence[Row]) -> None:
        # One INSERT in either case: it commits by itself, whole or not at all.
        flat = [_flat(row) for row in rows]
        with self._workspace.cursor() as cursor:
            if len(flat) <= _FEW:
                places = ", ".join(["(" + ", ".join("?" * 11) + ")"] * len(flat))
                values = [value for row in flat for value in row]
                cursor.execute(f"INSERT INTO edits ({_COLUMNS}) VALUES {places}", values)  # noqa: S608
                return
            columns = {}
            for i, name in enumerate(_COLUMNS.split(", ")):
                column = np.empty(len(flat), dtype=np.object_)
                column[:] = [row[i] for row in flat]
                columns[name] = column
            cursor.register("incoming", columns)
            try:
                cursor.execute(f"INSERT INTO edits ({_COLUMNS}) SELECT {_COLUMNS} FROM incoming")  # noqa: S608
            finally:
                cursor.unregister("incoming")


def _flat(row: Row) -> tuple[int | str | None, ...]:
    kind, target, field = row.key
    head = (row.seq, row.group, row.made_at, row.action, kind, encode(list(target)), encode(field))
    return (*head, row.old, row.new, row.base, row.ref)


def _steps(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows cut into the steps that wrote them."""
    steps: list[list[Row]] = []
    for row in rows:
        if steps and steps[-1][-1].group == row.group:
            steps[-1].append(row)
        else:
            steps.append([row])
    return steps


__all__ = ["UNEDITED", "Change", "EditLog", "Effective", "Entry", "Key", "Shift", "Step"]
