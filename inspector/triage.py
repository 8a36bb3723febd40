"""The triage queue of a store under inspection (issue 5); the model is :mod:`inspector.audit.triage`."""

from __future__ import annotations

import time
from collections.abc import Callable

from inspector.audit.audit import QueryAudit
from inspector.audit.causes import Decided, cause_of, proof_of
from inspector.audit.stages import Proof
from inspector.audit.triage import Incident, Queue, identity_of, recorded_at, severity_of
from inspector.auditing import Auditor
from inspector.errors import Cancelled, FieldError
from inspector.i18n import _
from inspector.inspection import Inspection
from inspector.records import OnProgress, Progress
from inspector.times import Instant, parse_time
from inspector.trit import Trit

#: Seconds for which the lock is held at a time, and for which others then may take it.
HOLD, REST = 0.008, 0.001


class Triage:
    """Every query as an incident, and the queue of them with the states and notes that the workspace keeps.

    An incident is made once for each audit: after an edit only those are made anew that it reached.
    """

    def __init__(
        self,
        inspection: Inspection,
        auditor: Auditor,
        on_progress: OnProgress | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        self._inspection = inspection
        self._auditor = auditor
        self._made: dict[int, tuple[QueryAudit, Incident]] = {}
        found = self.incidents(on_progress, cancelled)
        self.queue = Queue(found, inspection.workspace, edited=inspection.active_edits > 0)

    def refresh(self) -> None:
        """Bring the queue up to date after edits."""
        self.take(self.incidents())

    def take(self, incidents: list[Incident]) -> None:
        """Bring the queue up to date with incidents that :meth:`incidents` has made."""
        self.queue.refresh(incidents, edited=self._inspection.active_edits > 0)

    def follows(self, one: Incident) -> bool:
        """Whether an incident is of the audit in force; if not, it is of before an edit that reaches it."""
        kept = self._made.get(one.qi)
        return kept is not None and kept[1].identity == one.identity and self._auditor.made(one.qi) is kept[0]

    def incidents(
        self, on_progress: OnProgress | None = None, cancelled: Callable[[], bool] = lambda: False
    ) -> list[Incident]:
        """Every query as an incident, audited under the edits in force. Raises Cancelled.

        The lock is held a short while at a time, so that a screen can read and edit meanwhile; what an edit reaches is
        made again.
        """
        waiting: list[int] = []
        while True:
            if cancelled():
                raise Cancelled(_("working out the incidents was cancelled"))
            with self._inspection.lock:
                until = time.monotonic() + HOLD
                total = len(self._inspection.queries)
                waiting = [qi for qi in waiting if qi < total]
                while waiting and time.monotonic() < until:
                    qi = waiting.pop()
                    audited = self._auditor.audit(qi)
                    self._made[qi] = audited, self._incident(qi, audited)
                if not waiting:
                    # The first time, and where an edit came meanwhile: what is not of the audits in force.
                    waiting = [qi for qi in reversed(range(total)) if not self._is_made(qi)]
                    if not waiting:
                        return [self._made[qi][1] for qi in range(total)]
            if on_progress is not None:
                on_progress(Progress(_("working out the incidents"), total - len(waiting), total, _("queries")))
            time.sleep(REST)

    def _is_made(self, qi: int) -> bool:
        kept = self._made.get(qi)
        return kept is not None and self._auditor.made(qi) is kept[0]

    def _incident(self, qi: int, done: QueryAudit) -> Incident:
        query = self._inspection.queries[qi]
        proof = proof_of(done)
        named = [proof.id for finding in done.stages.findings for proof in finding.proofs]
        principal = query.value("principal") or {}
        return Incident(
            identity=identity_of(query),
            qi=qi,
            query_id=query.id,
            text=query.text,
            principal=str(principal.get("id") or ""),
            stages=done.stages.all,
            severity=severity_of(done),
            proof=tuple(dict.fromkeys(named or [one.id for one in done.stages.open])),
            cause=cause_of(done, proof, self._decided(qi, done, proof)),
            at=self._at(qi),
        )

    def _decided(self, qi: int, done: QueryAudit, proof: Proof | None) -> list[Decided]:
        """The axes that decided the proving memory's verdict; none where it was admitted, or is not stored."""
        row = done.row(proof.mi) if proof is not None and proof.mi is not None else None
        if row is None or row.verdict == Trit.YES:
            return []
        explained = self._inspection.explain(qi, row.mi)
        out = []
        for axis in explained.decided_by:
            result = getattr(explained, axis)
            out.append(Decided(axis, result.value, result.rule, result.missing, result.reads))
        return out

    def _at(self, qi: int) -> Instant | None:
        """When the incident happened: as the trace says, else the query's ``as_of``."""
        engine = self._inspection.engine
        try:
            value = recorded_at(self._inspection.queries[qi])
            return parse_time(value, "at", self._inspection.settings.timezone) if value else engine.as_of(qi)
        except FieldError:
            return engine.as_of(qi)
