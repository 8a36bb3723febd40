"""A report's content, taken from a store under inspection (issue 5); :mod:`inspector.audit.report` writes it out."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from inspector.audit.audit import QueryAudit
from inspector.audit.case import Row
from inspector.audit.check import Reasons
from inspector.audit.events import Event, Item
from inspector.audit.figures import Bounds, contamination_by_path, let_through_counts
from inspector.audit.redact import Redactor
from inspector.audit.stages import proof_ids
from inspector.audit.trail import Trail
from inspector.auditing import Auditor
from inspector.axes.verdict import AxisResult
from inspector.errors import Cancelled
from inspector.evaluation import judge_pairs
from inspector.i18n import _, _d
from inspector.inspection import Inspection
from inspector.records import (
    ABSENT,
    AXES,
    FieldRead,
    Memory,
    OnProgress,
    Progress,
    Uid,
    namespace_key,
    show_namespace,
)
from inspector.trit import Trit
from inspector.views import VERDICT_WORDS

VERSION = 1


class Audits(Protocol):
    """Gives audits and trails: an Auditor whose lock is held, or an Inspection, which takes it for each."""

    def audit(self, qi: int) -> QueryAudit:
        """The audit of one query."""
        ...

    def trail(self, qi: int, mi: int) -> Trail:
        """The trail of any stored memory for a query."""
        ...


#: Edits that flip a verdict are looked for on at most this many memories of an incident: a search takes a while.
_FIXED = 6
#: Names of events that say nothing of whose they are.
_TOOLS = frozenset(("search", "retrieval", "retrieve", "retriever", "search_memory", "rerank", "reranker"))
_NUMBERED = re.compile(r"event \d+")


def report(
    inspection: Inspection,
    auditor: Audits,
    qis: Iterable[int],
    *,
    redact: bool = False,
    fixes: bool = True,
    on_progress: OnProgress | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> dict[str, Any]:
    """The report of some queries: a plain object, ready for JSON, Markdown or HTML.

    With ``redact`` every text and id in it is a token. ``fixes=False`` leaves out the search for the edits that flip.
    Raises Cancelled.
    """
    wanted = list(qis)
    incidents = []
    for done, qi in enumerate(wanted, 1):
        if cancelled():
            raise Cancelled(_("the report was cancelled"))
        incidents.append(_Incident(inspection, auditor, qi, fixes).made())
        if on_progress is not None:
            on_progress(Progress(_("reporting"), done, len(wanted), _("queries")))
    settings = inspection.settings
    made: dict[str, Any] = {
        "report": "inspector",
        "version": VERSION,
        "store": inspection.name,
        "format": inspection.format,
        "route": str(inspection.route),
        "top_k": inspection.route.k,
        "let_through": inspection.let_through,
        "isolation": settings.isolation,
        "unknown_intent": settings.unknown_intent,
        "assumptions": dict(sorted(settings.assumptions.items())),
        "header": list(inspection.header()),
        "edits": inspection.active_edits,
        "incidents": incidents,
    }
    if not redact:
        return {**made, "redacted": False}
    redactor = _redactor(inspection, auditor, wanted)
    return {**redactor.report(made), "redacted": True}


def snapshot(inspection: Inspection, auditor: Auditor) -> dict[str, Any]:
    """What the audit says of every query, for :mod:`inspector.audit.check`: stages with proof, verdicts, figures."""
    settings = inspection.settings
    return {
        "store": inspection.name,
        "route": str(inspection.route),
        "top_k": inspection.route.k,
        "let_through": inspection.let_through,
        "isolation": settings.isolation,
        "unknown_intent": settings.unknown_intent,
        "assumptions": dict(sorted(settings.assumptions.items())),
        "prompt": auditor.assembly,
        "queries": [_checked(inspection, qi, auditor.audit(qi)) for qi in range(len(inspection.queries))],
    }


def _checked(inspection: Inspection, qi: int, done: QueryAudit) -> dict[str, Any]:
    found = [(one.stage, one.ids, one.proofs) for one in done.stages.findings]
    found = found or [(done.stages.first, proof_ids(done.stages), done.stages.open)]
    stages = [
        {"stage": stage, "memories": list(ids), "why": [f"{proof.id}: {proof.words}" for proof in proofs]}
        for stage, ids, proofs in found
    ]
    mis = np.array([row.mi for row in done.rows], dtype=np.int64)
    cells = judge_pairs(inspection.engine, mis, np.full(len(mis), qi, dtype=np.int64)) if len(mis) else {}
    verdicts = [
        {
            "memory": row.id,
            "namespace": json.loads(row.memory.uid.namespace) if row.memory.uid.namespace else None,
            "verdict": VERDICT_WORDS[row.verdict],
            "scope": Trit(int(cells["scope"][place])).json,
            "policy": Trit(int(cells["policy"][place])).json,
            "lifecycle": Trit(int(cells["lifecycle"][place])).json,
        }
        for place, row in enumerate(done.rows)
    ]
    return {
        "id": inspection.queries[qi].id,
        "stages": stages,
        "verdicts": verdicts,
        "contamination": _bounds(done.contamination.contaminated),
        "loss": _bounds(done.loss.lost),
    }


def reasons_of(inspection: Inspection) -> Reasons:
    """Why the axes of a pair in a snapshot are as they are."""
    queries = {query.id: qi for qi, query in enumerate(inspection.queries)}
    memories = {memory.uid: mi for mi, memory in enumerate(inspection.memories)}

    def reasons(query: str, one: Mapping[str, Any]) -> Mapping[str, str]:
        uid = Uid(namespace_key({"namespace": one["namespace"]}), one["memory"])
        if query not in queries or uid not in memories:
            return {}
        explained = inspection.explain(queries[query], memories[uid])
        return {axis: getattr(explained, axis).reason for axis in AXES}

    return reasons


def _redactor(inspection: Inspection, auditor: Audits, qis: Sequence[int]) -> Redactor:
    redactor = Redactor(inspection.memories, inspection.queries)
    redactor.learn(inspection.name, "store")
    for words in _settings_words(inspection):
        redactor.learn(words, "word")
    for name in inspection.settings.aliases:
        for one in name:
            redactor.learn(one, "owner")
    for judgment in inspection.judgments():
        redactor.learn(judgment.source, "judge")
    for qi in qis:
        redactor.learn_record(inspection.queries[qi])
        done = auditor.audit(qi)
        for row in done.rows:
            redactor.learn_record(row.memory)
        for _why, item in done.unknown:
            redactor.learn(item.id, "memory")
        for event in done.recorded.events:
            # A tool's name may hold a store's: only what every tool is called stays.
            if event.name not in _TOOLS and not _NUMBERED.fullmatch(event.name):
                redactor.learn(event.name, "event")
    return redactor


def _settings_words(inspection: Inspection) -> Iterable[str]:
    """The user's own words in the settings: rules, their notes, shared namespaces, what is assumed."""
    try:
        rules = tomllib.loads(inspection.settings.policy).get("rules", [])
    except tomllib.TOMLDecodeError:
        rules = []
    for rule in rules if isinstance(rules, list) else ():
        if isinstance(rule, dict):
            yield from (str(rule[name]) for name in ("id", "note", "when") if rule.get(name))
    for shared in inspection.settings.shared_namespaces:
        yield from [shared] if isinstance(shared, str) else [str(part) for part in shared]
    yield inspection.settings.policy_file


class _Incident:
    """One query's part of a report."""

    def __init__(self, inspection: Inspection, auditor: Audits, qi: int, fixes: bool) -> None:
        self.inspection = inspection
        self.auditor = auditor
        self.qi = qi
        self.audit: QueryAudit = auditor.audit(qi)
        self.fixes = fixes

    def made(self) -> dict[str, Any]:
        """The incident as an object."""
        audit = self.audit
        stages = audit.stages
        eligible = self.inspection.missing_usable(self.qi)
        return {
            "query": self._query(),
            "stage": stages.first,
            "stages": list(stages.all),
            "proofs": [
                {"stage": proof.stage, "id": proof.id, "words": proof.words}
                for finding in stages.findings
                for proof in finding.proofs
            ],
            "open": [{"stage": proof.stage, "id": proof.id, "words": proof.words} for proof in stages.open],
            "figures": self._figures(),
            "events": [self._event(event) for event in audit.recorded.events],
            "not_stored": [{"event": event, "id": item.shown} for event, item in audit.unknown],
            "candidates": [self._candidate(row) for row in audit.rows],
            "eligible_missing": [self._named(self.inspection.memories[mi]) for mi in eligible],
            "short_term": [{"id": one.id, "match": one.kind, "words": one.words} for one in audit.short_term],
            "exposure": {
                "recorded": audit.exposure_recorded,
                "assembled": audit.prompt.words,
                "lines": [self.inspection.memories[line.mi].id for line in audit.prompt.lines],
                "cut": [self.inspection.memories[line.mi].id for line in audit.prompt.cut],
            },
            "prompt": audit.recorded.prompt,
            "answer": audit.recorded.answer,
            "unknown": self._unknown(),
            "notes": list(audit.notes),
        }

    def _query(self) -> dict[str, Any]:
        line = self.inspection.bundle_line(self.qi)
        query = self.inspection.queries[self.qi]
        fields = (
            line.principal,
            line.session,
            line.claimed_session,
            line.tag,
            line.purpose,
            line.intent,
            line.as_of,
        )
        return {
            "id": query.id,
            "text": query.text,
            "bundle": [_read(read) for read in fields],
            "required": list(query.value("required") or ()),
            "origin": str(query.origin),
        }

    def _figures(self) -> dict[str, Any]:
        audit = self.audit
        contaminated, lost = audit.contamination, audit.loss
        return {
            "contamination": _bounds(contaminated.contaminated),
            "inadmissible": _bounds(contaminated.inadmissible),
            "irrelevant": _bounds(contaminated.irrelevant),
            "exposed": contaminated.exposed,
            "by_path": [
                {"path": path, "contamination": _bounds(one.contaminated), "exposed": one.exposed}
                for path, one in contamination_by_path(audit.rows).items()
            ],
            "loss": _bounds(lost.lost),
            "required": lost.required,
            "let_through": let_through_counts(audit.rows),
        }

    def _event(self, event: Event) -> dict[str, Any]:
        return {
            "name": event.name,
            "kind": event.kind,
            "at": event.at.text if event.at is not None else None,
            "filter": None if event.filter is ABSENT else event.filter,
            "unfiltered": event.unfiltered,
            "score_kind": event.score_kind,
            "items": [_item(item) for item in event.items],
            "dropped": [_item(item) for item in event.dropped],
        }

    def _candidate(self, row: Row) -> dict[str, Any]:
        explained = self.inspection.explain(self.qi, row.mi)
        trail = self.auditor.trail(self.qi, row.mi)
        return {
            **self._named(row.memory),
            "text": row.memory.text,
            "origin": str(row.memory.origin),
            "rank": row.judged.rank or None,
            "score": None if row.judged.score is None else round(row.judged.score, 6) + 0.0,
            "path": row.judged.path,
            "verdict": VERDICT_WORDS[row.verdict],
            "scope": explained.scope.value.json,
            "policy": explained.policy.value.json,
            "lifecycle": explained.lifecycle.value.json,
            "relevance": row.judged.relevance.json,
            "usable": row.judged.usable.json,
            "decided_by": list(explained.decided_by),
            "axes": [{"axis": axis, **_axis(getattr(explained, axis))} for axis in AXES],
            "unread": [_read(read) for read in explained.unread],
            "trail": [
                {
                    "step": step.name,
                    "value": step.value.json,
                    "detail": step.detail,
                    "at": step.at,
                    "match": step.kind,
                    "broken": step.broken,
                }
                for step in trail.steps
            ],
            "breaks": [{"words": words} for words in trail.breaks],
            "spans": [
                {
                    "by": span.by,
                    "words": _d("{words:g} words").format(words=span.words),
                    "in_answer": list(span.answer),
                    "in_memory": None if span.memory is None else list(span.memory),
                }
                for span in row.disclosure.spans
            ],
            "fixes": self._fixes(row),
            "notes": list(explained.notes),
            "edited": sorted(row.memory.edits),
        }

    def _fixes(self, row: Row) -> list[dict[str, Any]]:
        """The smallest edits that move a proving memory's verdict: to 1, and where it is ? to 0 as well."""
        proving = dict.fromkeys(
            proof.mi
            for proofs in (*(finding.proofs for finding in self.audit.stages.findings), self.audit.stages.open)
            for proof in proofs
            if proof.mi is not None
        )
        if not self.fixes or row.verdict == Trit.YES or row.mi not in list(proving)[:_FIXED]:
            return []
        targets = (Trit.YES, Trit.NO) if row.verdict == Trit.UNKNOWN else (Trit.YES,)
        out = []
        for target in targets:
            search = self.inspection.flips(self.qi, row.mi, target)
            for flip in search.flips:
                edits = [
                    {"field": name, "value": None if v is ABSENT else v, "clear": v is ABSENT} for name, v in flip.edits
                ]
                out.append({"verdict": VERDICT_WORDS[target], "edits": edits, "words": flip.words})
            if not search.flips:
                out.append({"verdict": VERDICT_WORDS[target], "edits": [], "words": search.words})
        return out

    def _unknown(self) -> list[str]:
        """What remains unknown: what is open, and the missing fields behind each ? of the memories in question."""
        out = [f"{proof.id}: {proof.words}" for proof in self.audit.stages.open]
        for row in self.audit.rows:
            if row.verdict == Trit.UNKNOWN:
                explained = self.inspection.explain(self.qi, row.mi)
                for axis in AXES:
                    missing = getattr(explained, axis).missing
                    if missing:
                        out.append(
                            _d("{id}: {axis} is ? for lack of {missing}").format(
                                id=row.id, axis=axis, missing=", ".join(missing)
                            )
                        )
        if self.audit.recorded.answer is None:
            out.append(_d("whether anything was disclosed: no answer was recorded"))
        return out

    @staticmethod
    def _named(memory: Memory) -> dict[str, Any]:
        several = memory.value("namespaces")
        return {"id": memory.id, "namespace": show_namespace(several or memory.value("namespace"))}


def _bounds(bounds: Bounds | None) -> list[float] | None:
    return None if bounds is None else [round(bounds.low, 6), round(bounds.high, 6)]


def _item(item: Item) -> dict[str, Any]:
    return {
        "id": item.id,
        "namespace": item.namespace,
        "rank": item.rank,
        "score": item.score,
        "stored": bool(item.memories),
        "match": item.kind,
    }


def _read(read: FieldRead) -> dict[str, Any]:
    return {
        "of": read.owner,
        "field": read.name,
        "presence": read.presence.value,
        "value": None if read.value is ABSENT else read.value,
        "origin": read.origin,
    }


def _axis(result: AxisResult) -> dict[str, Any]:
    return {
        "value": result.value.json,
        "rule": result.rule,
        "reason": result.reason,
        "missing": list(result.missing),
        "assumed": result.assumed,
        "judged": result.judged,
        "reads": [_read(read) for read in result.reads],
    }
