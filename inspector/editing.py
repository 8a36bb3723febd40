"""The editing side of a store under inspection (DESIGN 10)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from inspector.asked import ASKED, FIELD, ask_key, check_asked, new_id, owned_by
from inspector.core import Core, locked
from inspector.errors import FieldError
from inspector.evaluation import judge_pairs
from inspector.i18n import _
from inspector.overlay import Kind, check_edit, check_owner, lay, same, with_setting
from inspector.records import ABSENT, Memory, Namespace, Record
from inspector.store import editlog
from inspector.store.editlog import UNEDITED
from inspector.store.ledger import key_of
from inspector.trit import Trit
from inspector.views import Change, EditEntry, Preview
from inspector.wording import edit_words


class Editing(Core):
    """Every edit is refused whole or on disk before it is in force; each tells what it moved."""

    def _record(self, kind: Kind, index: int) -> Record:
        return self.memories[index] if kind == "memory" else self.queries[index]

    def _edit(self, kind: Kind, index: int, field: str, value: Any) -> editlog.Change:
        record = self._record(kind, index)
        target = record.uid if isinstance(record, Memory) else (record.id,)
        return editlog.Change(kind, target, field, record.get(field), value)

    def _check(self, kind: Kind, indices: Sequence[int], field: str, value: Any) -> None:
        check_edit(kind, field, value, self.settings.timezone)
        if kind == "memory" and field in ("namespace", "namespaces"):
            check_owner(self.memories, self._ids, indices, field, value)

    @locked
    def edit(self, kind: Kind, indices: Sequence[int], field: str, value: Any) -> Change:
        """Set (or with ABSENT remove) one field of the records; on disk before it counts. Raises FieldError."""
        self._check(kind, indices, field, value)
        edits = [
            self._edit(kind, index, field, value)
            for index in indices
            if not same(self._record(kind, index).get(field), value)
        ]
        return self._commit(edits)

    @locked
    def edit_each(self, kind: Kind, edits: Sequence[tuple[int, str, Any]]) -> Change:
        """Set fields of several records, each to a value of its own, as one step that one undo takes back.

        Raises FieldError for the first value that its field cannot take; then nothing is edited.
        """
        for index, field, value in edits:
            self._check(kind, [index], field, value)
        changes = [
            self._edit(kind, index, field, value)
            for index, field, value in edits
            if not same(self._record(kind, index).get(field), value)
        ]
        return self._commit(changes)

    @locked
    def apply_flip(self, mi: int, edits: Sequence[tuple[str, Any]]) -> Change:
        """Make the edits of one flip of :meth:`flips` together, so that one undo takes them back."""
        for name, value in edits:
            self._check("memory", [mi], name, value)
        return self._commit([self._edit("memory", mi, name, value) for name, value in edits])

    @locked
    def judge(self, qi: int, indices: Sequence[int], axis: str, value: Trit | None) -> Change:
        """Set your judgment of the memories on an axis for this query; None takes it back (DESIGN 2, 3)."""
        new = ABSENT if value is None else value.symbol
        edits = []
        for mi in indices:
            target = (self.queries[qi].id, *self.memories[mi].uid)
            old = self._overlay.get(key_of("judgment", target, axis), ABSENT)
            if not same(old, new):
                edits.append(editlog.Change("judgment", target, axis, old, new))
        return self._commit(edits)

    def owned_by(self, principal: str) -> list[Namespace]:
        """The store's namespaces that name this principal: what is proposed as its own (:mod:`inspector.asked`)."""
        return owned_by(self.memories, principal)

    @locked
    def ask(self, fields: Mapping[str, Any], *, keep: bool = True) -> int:
        """Add a typed query; its index. :meth:`rank_asked` or :meth:`evaluate` ranks it.

        ``fields`` are a query's, without ``id`` one is made. It is on disk before it counts, unless ``keep`` is False:
        then it is there until the store is closed. Raises FieldError for a field that cannot be.
        """
        made = {"id": new_id(self._qi), **fields}
        check_asked(made, self.settings.timezone)
        if made["id"] in self._qi:
            raise FieldError(
                "id", _("a query {id!r} is there already").format(id=made["id"]), _("an id that no query has")
            )
        if keep:
            self._commit([editlog.Change("ask", (made["id"],), FIELD, ABSENT, made)])
        else:
            self._apply([editlog.Shift(ask_key(made["id"]), UNEDITED, made)], "")
        return self._qi[made["id"]]

    @locked
    def take_away(self, qi: int) -> Change:
        """Take a typed query away again, as an edit that can be undone. Raises FieldError for one of the source's."""
        query = self.queries[qi]
        if query.origin is not ASKED:
            raise FieldError(
                "query", _("{id!r} is the source's own").format(id=query.id), _("a query that was asked here")
            )
        return self._commit([editlog.Change("ask", (query.id,), FIELD, dict(query.fields), ABSENT)])

    def check_setting(self, name: str, value: Any) -> None:
        """Raises InspectorError where :meth:`set_setting` would refuse the value."""
        with_setting(self.settings, name, value)

    def set_setting(self, name: str, value: Any) -> Change:
        """Change ``isolation``, ``unknown_intent``, ``aliases`` or ``assumptions`` for the whole store, undoably."""
        self.check_setting(name, value)  # refuses a bad value before anything is stored
        key = key_of("setting", (), name)
        self.work_ahead({key: value})
        with self.lock:
            return self._commit([editlog.Change("setting", (), name, self._overlay.get(key, ABSENT), value)])

    @locked
    def preview(self, kind: Kind, indices: Sequence[int], field: str, value: Any, qi: int, mi: int) -> Preview:
        """The verdict that an edit would give for one pair; nothing is stored. Raises FieldError."""
        self._check(kind, indices, field, value)
        pair = np.array([mi]), np.array([qi])
        before = Trit(int(judge_pairs(self.engine, *pair)["admissible"][0]))
        saved = {index: dict(self._record(kind, index).edits) for index in indices}
        try:
            for index in indices:
                lay(self._record(kind, index), field, value)
            self._update_engine(kind, indices)
            cells = judge_pairs(self.engine, *pair)
        finally:
            for index, edits in saved.items():
                record = self._record(kind, index)
                record.edits.clear()
                record.edits.update(edits)
            self._update_engine(kind, indices)
        scope, policy, lifecycle, verdict = (
            Trit(int(cells[name][0])) for name in ("scope", "policy", "lifecycle", "admissible")
        )
        return Preview(scope, policy, lifecycle, verdict, before)

    def _update_engine(self, kind: Kind, indices: Sequence[int]) -> frozenset[int]:
        if kind == "memory":
            return self.engine.update_memories(list(indices))
        self.engine.update_queries(list(indices))
        return frozenset()

    def undo(self) -> Change | None:
        """Take the last edit back; None where there is none."""
        self.work_ahead(self.log.settings_of("undo"))
        with self.lock:
            step = self.log.undo()
            return self._apply(step.shifts, _("undone: ")) if step else None

    def redo(self) -> Change | None:
        """Make the last undone edit again; None where there is none."""
        self.work_ahead(self.log.settings_of("redo"))
        with self.lock:
            step = self.log.redo()
            return self._apply(step.shifts, _("redone: ")) if step else None

    @locked
    def revert(self, seq: int) -> Change:
        """Take one edit back, whenever it was made, as a new edit."""
        return self._apply(self.log.revert(seq).shifts, _("reverted: "))

    @locked
    def revert_all(self) -> Change:
        """Take every edit back, as a new edit."""
        return self._apply(self.log.revert_all().shifts, _("reverted: "))

    def edits(self) -> list[EditEntry]:
        """The list of edits, oldest first."""
        return [_listed(entry) for entry in self.log.entries()]

    def history(self, kind: Kind, index: int) -> list[EditEntry]:
        """The edits of one record, oldest first."""
        target = self._edit(kind, index, "id", None).target
        return [_listed(entry) for entry in self.log.entries() if (entry.kind, entry.target) == (kind, tuple(target))]

    @locked
    def looked_at(self, qi: int) -> None:
        """The user has seen this query's changed cells: take their marks away."""
        self._marks.pop(qi, None)
        self._decided_before.pop(qi, None)
        self._gate_marks.pop(qi, None)

    def subscribe(self, callback: Callable[[Change], None]) -> Callable[[], None]:
        """Call ``callback`` after every change, in the thread that made it; returns how to stop."""
        self._subscribers.append(callback)

        def stop() -> None:
            if callback in self._subscribers:
                self._subscribers.remove(callback)

        return stop

    def _commit(self, edits: list[editlog.Change]) -> Change:
        if not edits:
            return Change(_("nothing changed: that is the value already"), (), frozenset(), frozenset())
        return self._apply(self.log.append(edits).shifts, "")


def _listed(entry: editlog.Entry) -> EditEntry:
    words = edit_words(entry.kind, entry.target, entry.field, entry.old, entry.new)
    return EditEntry(entry.seq, entry.made_at, words + ("" if entry.active else f" ({entry.status})"), entry.active)
