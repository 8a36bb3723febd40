"""What the screens show of a store under inspection: rows, figures, explanations, the trail (SCREENS; DESIGN 3, 8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from inspector.audit.case import Row
from inspector.audit.stages import proof_ids
from inspector.audited import Audited
from inspector.axes.flips import FlipSearch
from inspector.axes.verdict import Explanation
from inspector.compare.matched import overall
from inspector.core import locked
from inspector.errors import InspectorError, Problem
from inspector.evaluation import judge_pairs
from inspector.gate.coverage import CoverageMap, coverage
from inspector.gate.evaluate import GateResult
from inspector.gate.gaps import Offer, Tried, offers, try_edits
from inspector.i18n import _, _d, told
from inspector.mdl import Decision
from inspector.records import (
    ABSENT,
    AXES,
    FieldAccount,
    Memory,
    Presence,
    Query,
    presence_of,
    read_field,
    show_namespace,
)
from inspector.session_tag import session_tag
from inspector.store.ledger import key_of
from inspector.text import counted, fold
from inspector.times import Instant, parse_time
from inspector.trit import Trit
from inspector.views import (
    TRIT_COLUMNS,
    BundleLine,
    Candidate,
    Figures,
    Overall,
    QueryRow,
)

_EVENT_FIELDS = ("created_at", "updated_at", "status_at", "valid_from", "valid_to", "deleted_at")


class Showing(Audited):
    """The reading side of :class:`inspector.live.Inspection`."""

    @property
    def name(self) -> str:
        """The store's name: the bundle's folder or the file."""
        return self.bundle.name

    @property
    def format(self) -> str:
        """The format that it was read as."""
        return self.bundle.format

    @property
    def skipped(self) -> list[Problem]:
        """Records that a lenient import left out, each a Problem."""
        return self.bundle.skipped

    @property
    def repeated(self) -> int:
        """Records that stood in the source more than once with the same content; one was kept."""
        return self.bundle.repeated

    @property
    def account(self) -> FieldAccount:
        """What the import did with the source's fields."""
        return self.bundle.account

    @property
    def notes(self) -> list[str]:
        """What the import has to say: capped exports, evidence left out, …"""
        return self.bundle.notes

    @property
    def model(self) -> str:
        """The encoder's name."""
        return self.retriever.model

    @property
    def active_edits(self) -> int:
        """How many field values differ from the source by edits."""
        return len(self._overlay)

    def header(self) -> tuple[str, ...]:
        """What must stand in the header of every screen and report (DESIGN 3; SCREENS)."""
        words = [_d("planes: {words}").format(words=one.words) for one in self.planes]
        if self.settings.assumptions:
            taken = ", ".join(f"{name}={value}" for name, value in sorted(self.settings.assumptions.items()))
            words.append(_d("assumed: {taken}").format(taken=taken))
        if self.skipped:
            words.append(_d("{counted} skipped").format(counted=counted(len(self.skipped), "record")))
        if self.workspace.is_temporary:
            words.append(_d("temporary workspace"))
        if self.source_changed:
            words.append(self.source_changed)
        if self.waiting:
            words.append(
                _d("{counted} waiting for records that are gone").format(counted=counted(self.waiting, "edit"))
            )
        if self.asked:
            words.append(_d("{counted} asked here").format(counted=counted(len(self.asked), "query", "queries")))
        if self.active_edits:
            words.append(_d("{counted} in force").format(counted=counted(self.active_edits, "edit")))
        if self.auditor.notice:
            words.append(self.auditor.notice)
        words.extend(self._decision_notices())
        words.extend(map(told, self.notes))
        words.extend(self.retriever.notices(self.route))
        return tuple(words)

    def _judged_here(self, qi: int, memory: Memory) -> frozenset[str]:
        """The axes on which the user has judged this pair."""
        target = (self.queries[qi].id, *memory.uid)
        keys = {axis: key_of("judgment", target, axis) for axis in (*AXES, "relevance")}
        return frozenset(axis for axis, key in keys.items() if self._overlay.get(key, ABSENT) is not ABSENT)

    def _candidate(
        self,
        qi: int,
        mi: int,
        rank: int,
        score: float | None,
        path: str,
        trits: Mapping[str, Trit],
        seen: Row | None,
        gate: GateResult,
        mdl: tuple[Decision | None, Decision | None],
    ) -> Candidate:
        memory = self.memories[mi]
        before = self._marks.get(qi, {}).get(mi, {})
        owner = memory.value("namespace")
        return Candidate(
            mi=mi,
            rank=rank,
            score=score,
            path=path,
            memory_id=memory.id,
            namespace=show_namespace(memory.value("namespaces") if owner is None else owner),
            text=memory.text,
            **trits,
            stored=Trit(int(self.engine.stored(np.array([mi]), np.array([qi]))[0])),
            retrieved=Trit.of(rank > 0) if seen is None else seen.retrieved,
            exposed=None if seen is None else seen.exposed,
            disclosed=None if seen is None else seen.disclosed,
            edited=frozenset(memory.edits) | self._judged_here(qi, memory),
            changed=frozenset(before),
            before=before,
            mdl=mdl[0],
            mdl_before=mdl[1],
            gate=gate,
            gate_before=self._gate_marks.get(qi, {}).get(mi, ""),
            pair=session_tag(memory, self.queries[qi], self.settings.assumptions),
        )

    @locked
    def candidates(self, qi: int) -> list[Candidate]:
        """The query's candidates in rank order."""
        evaluation = self.evaluation
        out = []
        held, verdicts = self._held(qi)
        gates = self.gate.evaluate(qi, held, verdicts, self.let_through)
        decisions = self._decisions(qi, held, verdicts)
        seen = {row.mi: row for row in self.auditor.audit(qi).rows}
        for position, (mi, gate, mdl) in enumerate(zip(held, gates, decisions, strict=True)):
            score = float(evaluation.score[qi, position])
            trits = {name: Trit(int(evaluation.trits[name][qi, position])) for name in TRIT_COLUMNS}
            path = evaluation.path[qi][position]
            known = None if score != score else score
            out.append(self._candidate(qi, mi, position + 1, known, path, trits, seen[mi], gate, mdl))
        return out

    @locked
    def why_not(self, qi: int, mi: int) -> Candidate:
        """Any stored memory against the query: its row where it is a candidate, else one of rank 0 (DESIGN 3)."""
        for candidate in self.candidates(qi) if self._evaluation is not None else ():
            if candidate.mi == mi:
                return candidate
        cells = judge_pairs(self.engine, np.array([mi]), np.array([qi]))
        trits = {name: Trit(int(cells[name][0])) for name in TRIT_COLUMNS}
        score = self.retriever.score(qi, mi) if self.retriever.ranks_by_cosine(self.route) else None
        mdl = self._outsider(qi, mi), None
        seen = self.auditor.row(qi, mi) if self._evaluation is not None else None
        return self._candidate(qi, mi, 0, score, "", trits, seen, self.gate.cell(qi, mi), mdl)

    @locked
    def eligible_missing(self, qi: int) -> list[Candidate]:
        """Memories with verdict 1 and relevance 1 that were not retrieved (DESIGN 8)."""
        held = set(self.evaluation.memory[qi].tolist())
        return [self.why_not(qi, mi) for mi in self.usable(qi) if mi not in held]

    @locked
    def usable(self, qi: int) -> list[int]:
        """The stored memories with verdict 1 and relevance 1 for the query, retrieved or not, in the store's order."""
        query = np.array([qi], dtype=np.int64)
        relevant = self.engine.relevance(np.arange(len(self.memories), dtype=np.int64), query) == Trit.YES
        memories = np.nonzero(relevant)[0]  # few: what is required, judged relevant, or of the query's tag
        return memories[self.engine.admissible(memories, query) == Trit.YES].tolist() if len(memories) else []

    @locked
    def missing_usable(self, qi: int) -> list[int]:
        """Of :meth:`usable` those that neither the route nor an event of the trace retrieved (DESIGN 8)."""
        held = {row.mi for row in self.audit(qi).rows if row.retrieved == Trit.YES}
        return [mi for mi in self.usable(qi) if mi not in held]

    @locked
    def query_row(self, qi: int) -> QueryRow:
        """The query's line in the list of queries."""
        query = self.queries[qi]
        admit, exclude, unresolved = self.evaluation.verdict_counts(qi)
        principal = query.value("principal") or {}
        claimed, session = query.value("claimed_session_id"), query.value("session_id")
        recorded = query.value("recorded") or {}
        events = recorded.get("events") or ()
        done = self.audit_at_hand(qi)
        return QueryRow(
            qi=qi,
            query_id=query.id,
            text=query.text,
            principal=str(principal.get("id") or ""),
            admit=admit,
            exclude=exclude,
            unresolved=unresolved,
            figures=self.figures(qi),
            edited=frozenset(query.edits),
            changed=bool(self._marks.get(qi) or self._gate_marks.get(qi)),
            session_mismatch=claimed is not None and session is not None and claimed != session,
            degraded=self.retriever.degraded.get(qi, ""),
            unfiltered=any(presence_of(event.get("filter", ABSENT)) is not Presence.VALUE for event in events),
            stage=None if done is None else done.stages.first,
            stages=() if done is None else done.stages.all,
            recorded=done is not None and (done.exposure_recorded or done.retrieval == "recorded"),
            proof=() if done is None else proof_ids(done.stages),
            short_term=done is not None and bool(done.short_term),
        )

    def query_rows(self) -> list[QueryRow]:
        """Every query's line, in the source's order."""
        return [self.query_row(qi) for qi in range(len(self.queries))]

    def figures(self, qi: int) -> Figures:
        """The query's matched-recall figures on the current route."""
        evaluation = self.evaluation
        return Figures(evaluation.matched[qi], int(evaluation.similarities[qi]), int(evaluation.width[qi]))

    @locked
    def overall(self) -> Overall:
        """Totals over all queries."""
        admit, exclude, unresolved = self.evaluation.verdict_counts()
        means = overall(self.evaluation.matched)
        return Overall(
            queries=len(self.queries),
            memories=len(self.memories),
            admit=admit,
            exclude=exclude,
            unresolved=unresolved,
            recall=means.recall,
            feasible_share=means.feasible_share,
            risk_lower=means.risk_lower,
            risk_upper=means.risk_upper,
            not_evaluable=means.not_evaluable,
        )

    @locked
    def gate_decision(self, qi: int) -> GateResult | None:
        """The gate's result for the candidate that decides this query; None where none does (DESIGN 7)."""
        held, verdicts = self._held(qi)
        return self.gate.decision(qi, held, verdicts, self.let_through)

    @locked
    def coverage(self) -> CoverageMap:
        """The coverage map of the whole store, edits included (DESIGN 7)."""
        return coverage(self.memories)

    @locked
    def gate_offers(self, qi: int | None, mi: int) -> tuple[Offer, ...]:
        """What would close the gap in this memory's governs or authority, each checked (DESIGN 7).

        Without a query the memory is looked at on its own, by self-description.
        """
        return offers(self.memories[mi], self._asker(qi), self.gate.mode, self.settings, self._operation_words)

    def _asker(self, qi: int | None) -> Query | None:
        return None if qi is None else self.queries[qi]

    @locked
    def gate_try(
        self,
        qi: int | None,
        mi: int,
        memory_edits: Mapping[str, Any] | None = None,
        query_edits: Mapping[str, Any] | None = None,
    ) -> Tried:
        """What edits that are being typed would move at the gate for one pair; nothing is stored (DESIGN 7, 10).

        Without a query the gate is tried by self-description, which asks nothing of one.
        """
        asked = self._asker(qi)
        edited = None if asked is None else asked.edited({**asked.edits, **(query_edits or {})})
        return try_edits(
            self.memories[mi],
            memory_edits or {},
            asked,
            self.gate.mode,
            self.settings,
            self._operation_words,
            asked_after=edited,
        )

    @locked
    def bundle_line(self, qi: int) -> BundleLine:
        """What the query carries, each part with its origin."""
        query = self.queries[qi]
        taken = self.settings.assumptions
        names = ("principal", "session_id", "claimed_session_id", "semantic_tag", "purpose", "intent")
        principal, session, claimed, tag, purpose, intent = (read_field(query, name, taken) for name in names)
        return BundleLine(
            principal=principal,
            session=session,
            claimed_session=claimed,
            tag=tag,
            purpose=purpose,
            intent=intent,
            as_of=self.engine.as_of_read(qi),
            as_of_instant=self.engine.as_of(qi),
            route=self.route,
        )

    @locked
    def explain(self, qi: int, mi: int) -> Explanation:
        """All three axes with reasons, for any stored memory against the query."""
        return self.engine.explain(mi, qi)

    @locked
    def flips(self, qi: int, mi: int, target: Trit) -> FlipSearch:
        """The smallest sets of edits that make the verdict ``target`` (DESIGN 3)."""
        return self.engine.flips(mi, qi, target)

    @locked
    def find_memories(self, text: str, limit: int = 200) -> list[int]:
        """Memories whose id or text holds ``text``, letter case and width aside; id matches come first."""
        wanted = fold(text)
        ids = [mi for mi, memory in enumerate(self.memories) if wanted in fold(memory.id)]
        found = dict.fromkeys(ids[:limit])
        for mi, memory in enumerate(self.memories):
            if len(found) >= limit:
                break
            if mi not in found and wanted in fold(memory.text):
                found[mi] = None
        return list(found)

    def find_pair(self, query_id: str, memory_id: str, namespace: str | None = None) -> tuple[int, int]:
        """The indices of a query and a memory by their ids. Raises InspectorError where they do not name just one."""
        return self.find_query(query_id), self.find_memory(memory_id, namespace)

    def find_query(self, query_id: str) -> int:
        """The index of a query by its id. Raises InspectorError where there is none."""
        qi = self._qi.get(query_id)
        if qi is None:
            raise InspectorError(_("--query: no query has the id {query_id!r}").format(query_id=query_id))
        return qi

    def find_memory(self, memory_id: str, namespace: str | None = None) -> int:
        """The index of a memory by its id. Raises InspectorError where id and namespace do not name just one."""
        found = [mi for mi, memory in enumerate(self.memories) if memory.id == memory_id]
        if namespace is not None:
            found = [mi for mi in found if show_namespace(self.memories[mi].value("namespace")) == namespace]
        if not found:
            raise InspectorError(_("--memory: no memory has the id {memory_id!r}").format(memory_id=memory_id))
        if len(found) > 1:
            owners = ", ".join(repr(show_namespace(self.memories[mi].value("namespace"))) for mi in found[:5])
            raise InspectorError(
                _("--memory: {count} memories have the id {memory_id!r}: add --namespace ({owners})").format(
                    count=len(found), memory_id=memory_id, owners=owners
                )
            )
        return found[0]

    @locked
    def events(self, qi: int) -> list[Instant]:
        """The instants at which something in the store changes, in order: what ``as_of`` can be scrubbed along."""
        zone = self.settings.timezone
        found: dict[int, Instant] = {}
        for memory in self.memories:
            times = [memory.value(name) for name in _EVENT_FIELDS]
            times += [mark.get("at") for mark in memory.value("boundary_log") or ()]
            for value in times:
                if value is not None and value != "":
                    instant = parse_time(value, "", zone)
                    found.setdefault(instant.us, instant)
        for own in (self.engine.as_of(qi), self.settings.exported_at):
            if own is not None:
                found.setdefault(own.us, own)
        return [found[us] for us in sorted(found)]
