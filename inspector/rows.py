"""The headless contract: rows and summary of ``evaluate``, the object of ``why`` (DESIGN 12).

The screens export through the same functions, so that a script and a screen can never differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspector.audit.audit import QueryAudit
from inspector.audit.check import mean
from inspector.audit.figures import Bounds, by_path, let_through_counts
from inspector.audit.stages import proof_ids
from inspector.axes.verdict import AxisResult, Explanation
from inspector.gate.evaluate import GateResult
from inspector.gate.grants import GrantComparison
from inspector.gate.summary import summarise
from inspector.i18n import told
from inspector.inspection import Inspection
from inspector.records import ABSENT, AXES, FieldRead, Memory
from inspector.retriever import degraded_words
from inspector.rows_mdl import decision_json, query_json, summary_json
from inspector.trit import Trit
from inspector.views import Candidate, Figures, QueryRow

#: Of the memories that are eligible and missing so many are named a query; a store of one tag may have thousands.
_MISSING_NAMED = 100


def _number(value: float | None) -> float | None:
    """A score or share as it is printed: six decimals, so that output is equal on every machine; NaN is null."""
    return None if value is None or value != value else round(value, 6) + 0.0


def _trit(value: Trit | None) -> Any:
    return None if value is None else value.json


def row(inspection: Inspection, qi: int, candidate: Candidate) -> dict[str, Any]:
    """One object of rows.jsonl, its keys in the order of DESIGN 12; ``mdl`` is null where there are no vectors.

    ``assembled`` says whether the memory would be in the prompt that our verdicts make (1, or 0 where they hold it back
    or the budget cuts it), whatever the trace says of the prompt that was.
    """
    explanation = inspection.explain(qi, candidate.mi)
    assembled = int(any(line.mi == candidate.mi for line in inspection.audit(qi).prompt.lines))
    memory = inspection.memories[candidate.mi]
    return {
        "query_id": inspection.queries[qi].id,
        "namespace": _owner(memory),
        "memory_id": candidate.memory_id,
        "rank": candidate.rank,
        "score": _number(candidate.score),
        "path": candidate.path,
        "relevance": candidate.relevance.json,
        "scope": candidate.scope.json,
        "policy": candidate.policy.json,
        "lifecycle": candidate.lifecycle.json,
        "admissible": candidate.admissible.json,
        "usable": candidate.usable.json,
        "reasons": {axis: getattr(explanation, axis).reason for axis in AXES},
        "mdl": decision_json(candidate.mdl),
        "gate": None if candidate.gate is None else candidate.gate.to_json(),
        "trail": {
            "stored": candidate.stored.json,
            "retrieved": candidate.retrieved.json,
            "verified": candidate.verified.json,
            "exposed": _trit(candidate.exposed),
            "disclosed": _trit(candidate.disclosed),
        },
        "assembled": assembled,
    }


def rows(inspection: Inspection, queries: Sequence[int] | None = None) -> Iterator[dict[str, Any]]:
    """Every query × candidate, of all queries in their order or of these, candidates in rank order."""
    for qi in range(len(inspection.queries)) if queries is None else queries:
        inspection.mdl(qi)  # long texts are read here, so that the candidates carry their decisions
        for candidate in inspection.candidates(qi):
            yield row(inspection, qi, candidate)


def _figures(figures: Figures) -> dict[str, Any]:
    matched = figures.matched
    return {
        "evaluable": matched.evaluable,
        "required": matched.required,
        "recall": _number(matched.recall),
        "feasible": matched.feasible,
        "prefix": matched.prefix,
        "violations": matched.violations,
        "admitted": matched.admitted,
        "unresolved": matched.unresolved,
        "risk_lower": _number(matched.risk_lower),
        "risk_upper": _number(matched.risk_upper),
        "similarities": figures.similarities,
        "width": figures.width,
    }


def _query_row(inspection: Inspection, row: QueryRow) -> dict[str, Any]:
    decision = inspection.mdl(row.qi)
    return {
        "query_id": row.query_id,
        "candidates": row.admit + row.exclude + row.unresolved,
        "admit": row.admit,
        "exclude": row.exclude,
        "undecided": row.unresolved,
        **_figures(row.figures),
        "mdl": decision_json(decision.query if decision is not None else None),
        **_audited(inspection, row.qi),
        "eligible_missing": _missing(inspection, row.qi),
        "degraded": inspection.retriever.degraded.get(row.qi),
    }


def _owner(memory: Memory) -> Any:
    """The memory's namespace, or all of several."""
    namespace = memory.get("namespace")
    several = namespace is ABSENT and memory.value("namespaces")
    return memory.get("namespaces") if several else _json(namespace)


def _missing(inspection: Inspection, qi: int) -> dict[str, Any]:
    """Memories with verdict 1 and relevance 1 that were not retrieved: how many, and the first of them (DESIGN 8)."""
    found = inspection.missing_usable(qi)
    memories = [inspection.memories[mi] for mi in found[:_MISSING_NAMED]]
    named = [{"namespace": _owner(one), "memory_id": one.id} for one in memories]
    return {"count": len(found), "memories": named}


def _audited(inspection: Inspection, qi: int) -> dict[str, Any]:
    """What the audit says of a query: stages with their proof, contamination and loss as bounds (DESIGN 5, 8)."""
    done = inspection.audit(qi)
    contaminated = done.contamination
    paths = by_path(done.rows, done.required)
    return {
        **_stages(done),
        "retrieval": done.retrieval,
        "exposure": "recorded" if done.exposure_recorded else "assembled",
        "exposed": contaminated.exposed,
        "let_through": let_through_counts(done.rows),
        "contamination": _bounds(contaminated.contaminated),
        "inadmissible": _bounds(contaminated.inadmissible),
        "irrelevant": _bounds(contaminated.irrelevant),
        "loss": _bounds(done.loss.lost),
        "by_path": {
            path: {
                "exposed": one.exposed,
                "contamination": _bounds(one.contaminated),
                "inadmissible": _bounds(one.inadmissible),
                "irrelevant": _bounds(one.irrelevant),
                "loss": _bounds(lost.lost),
            }
            for path, (one, lost) in paths.items()
        }
        # One path alone is told where it is not the route itself: dual_path takes one of several a query.
        if len(paths) > 1 or str(inspection.route) not in paths
        else {},
        "prompt": _prompt(inspection, done),
        "not_stored": [item.shown for _, item in done.unknown],
        "short_term": [one.id for one in done.short_term],
        "audit_notes": list(done.notes),
    }


def _stages(done: QueryAudit) -> dict[str, Any]:
    """The failure stages of a query, and for each the ids that prove it, or that leave it open."""
    proof = {finding.stage: list(finding.ids) for finding in done.stages.findings}
    return {
        "failure_stages": list(done.stages.all),
        "proof": proof or {done.stages.first: list(proof_ids(done.stages))},
    }


def _prompt(inspection: Inspection, done: QueryAudit) -> dict[str, Any]:
    """The prompt that our verdicts would have made, beside the memories that were in the recorded one (else null)."""
    exposed = [row.id for row in done.rows if row.exposed == Trit.YES]
    exposed += [item.shown for event, item in done.unknown if event == "prompt"]
    return {
        "recorded": exposed if done.exposure_recorded else None,
        "assembled": [inspection.memories[line.mi].id for line in done.prompt.lines],
        "cut": [inspection.memories[line.mi].id for line in done.prompt.cut],
        "size": done.prompt.size,
    }


def _bounds(found: Bounds | None) -> list[float] | None:
    """A figure's bounds [low, high]; null where there is none."""
    return None if found is None else [round(found.low, 6) + 0.0, round(found.high, 6) + 0.0]


def _path_means(queries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The figures of each path over the queries that it served, where a query has several; {} where none has."""
    paths = sorted({path for query in queries for path in query["by_path"]})
    out = {}
    for path in paths:
        served = [query["by_path"][path] for query in queries if path in query["by_path"]]
        names = ("contamination", "inadmissible", "irrelevant", "loss")
        out[path] = {
            "queries": len(served),
            "exposed": sum(one["exposed"] for one in served),
            **{name: _mean(served, name) for name in names},
        }
    return out


def _mean(queries: Sequence[Mapping[str, Any]], name: str) -> list[float] | None:
    found = mean(queries, name)
    return None if found is None else [round(end, 6) + 0.0 for end in found]


def summary(inspection: Inspection) -> dict[str, Any]:
    """The summary of ``evaluate``: the settings that made it, totals, and the figures of each query."""
    overall = inspection.overall()
    queries = [_query_row(inspection, query_row) for query_row in inspection.query_rows()]
    settings = inspection.settings
    return {
        "source": inspection.name,
        "format": inspection.format,
        "route": str(inspection.route),
        "top_k": inspection.route.k,
        "tau": inspection.tau,
        "lexical_text": settings.lexical_text,
        "isolation": settings.isolation,
        "unknown_intent": settings.unknown_intent,
        "assumptions": dict(sorted(settings.assumptions.items())),
        "model": inspection.model,
        "edits": inspection.active_edits,
        "memories": overall.memories,
        "repeated": inspection.repeated,
        "skipped": [str(problem) for problem in inspection.skipped],
        "notes": [told(note) for note in inspection.notes],
        "candidates": {"admit": overall.admit, "exclude": overall.exclude, "unresolved": overall.unresolved},
        "gate_mode": inspection.gate.mode,
        "gate": summarise(inspection.gate_decision(qi) for qi in range(len(inspection.queries))).to_json(),
        "mdl": summary_json(inspection),
        "evaluable": overall.queries - overall.not_evaluable,
        "not_evaluable": overall.not_evaluable,
        "recall": _number(overall.recall),
        "feasible_share": _number(overall.feasible_share),
        "risk_lower": _number(overall.risk_lower),
        "risk_upper": _number(overall.risk_upper),
        "let_through": inspection.let_through,
        "contamination": _mean(queries, "contamination"),
        "loss": _mean(queries, "loss"),
        "by_path": _path_means(queries),
        "prompt": {
            "order": inspection.auditor.order,
            "budget": inspection.auditor.budget,
            "measure": str(inspection.auditor.measure),
        },
        "failure_stages": dict(sorted(Counter(stage for one in queries for stage in one["failure_stages"]).items())),
        "degraded": degraded_words(inspection.retriever.degraded, len(queries))
        if inspection.retriever.degraded
        else None,
        "queries": queries,
    }


def _json(value: Any) -> Any:
    return None if value is ABSENT else value


def _read(read: FieldRead) -> dict[str, Any]:
    return {
        "of": read.owner,
        "field": read.name,
        "presence": read.presence.value,
        "value": _json(read.value),
        "origin": read.origin,
    }


def _axis(result: AxisResult) -> dict[str, Any]:
    return {
        "value": result.value.json,
        "rule": result.rule,
        "reason": result.reason,
        "reads": [_read(read) for read in result.reads],
        "missing": list(result.missing),
        "assumed": result.assumed,
        "judged": result.judged,
    }


def _grant(grant: GrantComparison) -> dict[str, Any]:
    return {
        "grant_id": grant.grant_id,
        "fields": {match.name: match.same.json for match in grant.fields},
        "exact": grant.exact.json,
        "in_force": grant.in_force.json,
        "decision": grant.decision,
        "decides": grant.decides,
        "note": grant.note,
    }


def _gate(gate: GateResult) -> dict[str, Any]:
    """The gate in full, for one pair: what a row holds, and all that it rests on."""
    return {
        **gate.to_json(),
        "mode": gate.mode,
        "applied": gate.applied,
        "operation": {
            "name": gate.operation.name,
            "source": gate.operation.source,
            "words": list(gate.operation.words),
            "inferred": gate.inferred,
        },
        "coverage": gate.coverage_cell.value,
        "malformed": list(gate.malformed),
        "grants": [_grant(grant) for grant in gate.grants],
        "reads": [_read(read) for read in gate.reads],
    }


def why(inspection: Inspection, qi: int, mi: int) -> dict[str, Any]:
    """The explanation of one pair, retrieved or not, as an object (DESIGN 3, 12)."""
    decision = inspection.mdl(qi)
    candidate = inspection.why_not(qi, mi)
    explanation: Explanation = inspection.explain(qi, mi)
    memory = inspection.memories[mi]
    trail = inspection.trail(qi, mi)
    flips = {}
    for target in (Trit.YES, Trit.NO):
        if explanation.verdict != target:
            search = inspection.flips(qi, mi, target)
            flips[str(target.json)] = {
                "sets": [
                    {"edits": [{"field": f, "value": _json(v)} for f, v in flip.edits], "words": flip.words}
                    for flip in search.flips
                ],
                "note": search.words,
            }
    return {
        "query_id": inspection.queries[qi].id,
        "namespace": _json(memory.get("namespace")),
        "memory_id": memory.id,
        "origin": str(memory.origin),
        "rank": candidate.rank or None,
        "score": _number(candidate.score),
        "route": str(inspection.route),
        "path": candidate.path or None,
        "verdict": candidate.verdict,
        "admissible": candidate.admissible.json,
        "decided_by": list(explanation.decided_by),
        "scope": _axis(explanation.scope),
        "policy": _axis(explanation.policy),
        "lifecycle": _axis(explanation.lifecycle),
        "state": explanation.state,
        "table_cell": list(explanation.table_cell),
        "relevance": _axis(explanation.relevance),
        "usable": candidate.usable.json,
        "session_tag": None if candidate.pair is None else candidate.pair.json(),
        "unread": [_read(read) for read in explanation.unread],
        "flips": flips,
        "mdl": decision_json(candidate.mdl),
        "mdl_query": query_json(inspection, qi, decision),
        "gate": None if candidate.gate is None else _gate(candidate.gate),
        "trail": [
            {
                "step": step.name,
                "value": step.value.json,
                "detail": step.detail,
                "at": step.at or None,
                "match": step.kind,
                "broken": step.broken,
            }
            for step in trail.steps
        ],
        "breaks": list(trail.breaks),
        **_stages(inspection.audit(qi)),
        "notes": list(explanation.notes),
    }
