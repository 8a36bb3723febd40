"""The audit of a store under inspection: trails, failure stages, contamination and loss, after every edit (DESIGN 8).

An audit is made when it is asked for. Where an edit reaches many queries at once, :meth:`Audited.settle` makes theirs
in a worker, and until then their stage is not known: it is never told from before the edit.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from inspector.audit.audit import QueryAudit
from inspector.audit.case import Row
from inspector.audit.trail import Trail
from inspector.auditing import Auditor
from inspector.core import locked
from inspector.errors import Cancelled
from inspector.records import OnProgress, Progress
from inspector.views import Change
from inspector.weighing import Weighing

#: Up to this many audits are made at once where a row is asked for; above, a worker makes them.
INLINE_AUDITS = 32
#: Audits that are made without letting go of the lock.
_BLOCK = 32


class Audited(Weighing):
    """The part of an inspection that :mod:`inspector.audit` answers."""

    @cached_property
    def auditor(self) -> Auditor:
        """The audits in force. To be used under :attr:`lock`."""
        return Auditor(self)

    def _tell(self, change: Change) -> Change:
        self.auditor.changed(change)
        return super()._tell(change)

    def evaluate(self, on_progress: OnProgress | None = None, cancelled: Callable[[], bool] = lambda: False) -> None:
        """Encode what the route needs, rank, judge and audit everything. Raises Cancelled; what was encoded is kept.

        A cancelled audit leaves the candidates in force, and the stages of the rest to :meth:`settle`.
        """
        super().evaluate(on_progress, cancelled)
        self._audit_rest(on_progress, cancelled)

    @property
    def is_settled(self) -> bool:
        """Whether every ranking, vector and audit follows the edits; if not, run :meth:`settle` in a worker."""
        return self.is_ranked and (self._evaluation is None or not self.auditor.missing())

    def settle(
        self, on_progress: OnProgress | None = None, cancelled: Callable[[], bool] = lambda: False
    ) -> Change | None:
        """Encode edited texts, rank anew what waits for it, and audit what was not yet; None where nothing changed.

        For a worker: it may take seconds. Raises Cancelled; what is not done goes on waiting.
        """
        change = super().settle(on_progress, cancelled)
        audited = self._audit_rest(on_progress, cancelled) if self._evaluation is not None else frozenset[int]()
        if not audited:
            return change
        with self.lock:
            # Nothing moved in the store: rows whose stage is known now are to be shown with it.
            told = Change("", (), audited, frozenset())
            for callback in list(self._subscribers):
                callback(told)
        return change or told

    def _audit_rest(self, on_progress: OnProgress | None, cancelled: Callable[[], bool]) -> frozenset[int]:
        """Make the audits that are missing, the lock held a block at a time; the queries whose audit was made."""
        made: set[int] = set()
        while True:
            if cancelled():
                raise Cancelled("the audit was cancelled")
            with self.lock:
                missing = self.auditor.missing()
                for qi in missing[:_BLOCK]:
                    self.auditor.audit(qi)
                    made.add(qi)
            if on_progress is not None and missing:
                total = len(made) + len(missing[_BLOCK:])
                on_progress(Progress("auditing", len(made), total, "queries"))
            if len(missing) <= _BLOCK:
                return frozenset(made)

    @locked
    def audit(self, qi: int) -> QueryAudit:
        """The audit of one query: rows, stages with their proof, prompt, contamination and loss (DESIGN 8)."""
        return self.auditor.audit(qi)

    @locked
    def audit_at_hand(self, qi: int) -> QueryAudit | None:
        """The audit of a query if it is made, or if few are missing; None where :meth:`settle` is to make it."""
        if self.auditor.has(qi) or len(self.auditor.missing()) <= INLINE_AUDITS:
            return self.auditor.audit(qi)
        return None

    @locked
    def audit_row(self, qi: int, mi: int) -> Row:
        """What the audit says of any stored memory for a query, retrieved or not."""
        return self.auditor.row(qi, mi)

    @locked
    def trail(self, qi: int, mi: int) -> Trail:
        """The steps of any stored memory from stored to disclosed, each with how it is known (DESIGN 8)."""
        return self.auditor.trail(qi, mi)
