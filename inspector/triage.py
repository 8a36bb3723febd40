"""The triage queue of a store under inspection (issue 5); the model is :mod:`inspector.audit.triage`."""

from __future__ import annotations

from inspector.audit.audit import QueryAudit
from inspector.audit.causes import Decided, cause_of, proof_of
from inspector.audit.stages import Proof
from inspector.audit.triage import Incident, Queue, identity_of, recorded_at, severity_of
from inspector.auditing import Auditor
from inspector.errors import FieldError
from inspector.inspection import Inspection
from inspector.times import Instant, parse_time
from inspector.trit import Trit


class Triage:
    """Every query as an incident, and the queue of them with the states and notes that the workspace keeps.

    An incident is made once for each audit: after an edit only those are made anew that it reached.
    """

    def __init__(self, inspection: Inspection, auditor: Auditor) -> None:
        self._inspection = inspection
        self._auditor = auditor
        self._made: dict[int, tuple[QueryAudit, Incident]] = {}
        self.queue = Queue(self.incidents(), inspection.workspace, edited=inspection.active_edits > 0)

    def refresh(self) -> None:
        """Bring the queue up to date after edits."""
        self.queue.refresh(self.incidents(), edited=self._inspection.active_edits > 0)

    def incidents(self) -> list[Incident]:
        """Every query as an incident, audited under the edits in force."""
        out = []
        for qi, done in enumerate(self._auditor.all()):
            kept = self._made.get(qi)
            if kept is None or kept[0] is not done:
                kept = self._made[qi] = done, self._incident(qi, done)
            out.append(kept[1])
        return out

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
