"""The audit of a store under inspection: trails, failure stages, contamination and loss, after every edit (DESIGN 8).

An audit is made when it is asked for. Where an edit reaches many queries at once, :meth:`Audited.settle` makes theirs
in a worker, and until then their stage is not known: it is never told from before the edit.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cached_property
from typing import Literal

from inspector.audit.assembly import Measure, Order
from inspector.audit.audit import QueryAudit
from inspector.audit.case import Row
from inspector.audit.exposure import LetThrough
from inspector.audit.trail import Trail
from inspector.auditing import Auditor
from inspector.core import locked
from inspector.errors import Cancelled
from inspector.i18n import _
from inspector.records import OnProgress, Progress
from inspector.views import Change
from inspector.weighing import Weighing

#: Up to this many audits are made at once where a row is asked for; above, a worker makes them.
INLINE_AUDITS = 32
#: Seconds for which audits are made without letting go of the lock, and for which others then may take it: a screen
#: that waits for it would else wait for many blocks, since a lock that is taken again at once goes to nobody else.
_HOLD, _REST = 0.008, 0.001
#: So many queries are told of at a time once their audits are made.
_TOLD = 64


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
    def stamp(self) -> tuple[object, ...]:
        """Something that differs as soon as anything that can be asked of the store may have changed."""
        auditor = self.auditor
        return (*super().stamp, auditor.order, auditor.budget, auditor.measure)

    @property
    def is_settled(self) -> bool:
        """Whether every ranking, vector and audit follows the edits; if not, run :meth:`settle` in a worker."""
        return self.is_ranked and (self._evaluation is None or not self.auditor.missing_count)

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
        # Nothing moved in the store: rows whose stage is known now are to be shown with it, some at a time, so that no
        # screen is held up by many.
        told = Change("", (), audited, frozenset())
        ordered = sorted(audited)
        for start in range(0, len(ordered), _TOLD):
            with self.lock:
                for callback in list(self._subscribers):
                    callback(Change("", (), frozenset(ordered[start : start + _TOLD]), frozenset()))
            time.sleep(_REST)
        return change or told

    def _audit_rest(self, on_progress: OnProgress | None, cancelled: Callable[[], bool]) -> frozenset[int]:
        """Make the audits that are missing, the lock held a block at a time; the queries whose audit was made."""
        made: set[int] = set()
        while True:
            if cancelled():
                raise Cancelled(_("the audit was cancelled"))
            with self.lock:
                until = time.monotonic() + _HOLD
                missing = self.auditor.missing()
                done = 0
                for qi in missing:
                    if done and time.monotonic() >= until:
                        break
                    self.auditor.audit(qi)
                    done += 1
            made.update(missing[:done])
            if on_progress is not None and missing:
                total = len(made) + len(missing) - done
                on_progress(Progress(_("auditing"), len(made), total, _("queries")))
            if len(missing) == done:
                return frozenset(made)
            time.sleep(_REST)

    @locked
    def audit(self, qi: int) -> QueryAudit:
        """The audit of one query: rows, stages with their proof, prompt, contamination and loss (DESIGN 8)."""
        return self.auditor.audit(qi)

    @locked
    def audit_at_hand(self, qi: int) -> QueryAudit | None:
        """The audit of a query if it is made, or if few are missing; None where :meth:`settle` is to make it."""
        if self.auditor.has(qi) or self.auditor.missing_count <= INLINE_AUDITS:
            return self.auditor.audit(qi)
        return None

    @locked
    def unaudited(self) -> frozenset[int]:
        """The queries whose audit is not made: nothing that was told of their stage holds any more.

        Up to :data:`INLINE_AUDITS` are made as soon as they are asked for; more wait for :meth:`settle`.
        """
        return frozenset(self.auditor.missing())

    @locked
    def assemble_as(
        self,
        *,
        let_through: LetThrough | None = None,
        order: Order | None = None,
        budget: int | Literal["keep"] | None = "keep",
        measure: Measure | None = None,
    ) -> None:
        """Change how the prompt of our verdicts is assembled, for every query; what is not given stays (DESIGN 8).

        ``budget`` None takes the budget away. Every audit is made anew: :meth:`settle` is to be run in a worker.
        """
        auditor = self.auditor
        if let_through is not None:
            self.let_through = let_through
        auditor.assemble_as(order or auditor.order, auditor.budget if budget == "keep" else budget, measure)
        told = Change("", (), frozenset(), frozenset())
        for callback in list(self._subscribers):
            callback(told)

    @locked
    def audit_row(self, qi: int, mi: int) -> Row:
        """What the audit says of any stored memory for a query, retrieved or not."""
        return self.auditor.row(qi, mi)

    @locked
    def trail(self, qi: int, mi: int) -> Trail:
        """The steps of any stored memory from stored to disclosed, each with how it is known (DESIGN 8)."""
        return self.auditor.trail(qi, mi)
