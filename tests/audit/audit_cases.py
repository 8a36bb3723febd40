"""Small audits for tests: a store and a query written in the test, verdicts given by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.audit.audit import QueryAudit, audit
from inspector.audit.case import Case, Judged, Required, Retrieval
from inspector.audit.corpus import Corpus
from inspector.records import Memory, Origin, Query
from inspector.times import parse_time
from inspector.trit import Trit

TRITS = {1: Trit.YES, 0: Trit.NO, "?": Trit.UNKNOWN}
Value = int | str


def memory(id: str, text: str, **fields: Any) -> Memory:
    return Memory({"id": id, "text": text, **fields}, Origin("memories.jsonl", 1))


def query(text: str = "What now?", **fields: Any) -> Query:
    return Query({"id": "q", "text": text, **fields}, Origin("queries.jsonl", 1))


def case(
    memories: Sequence[Memory],
    asked: Query,
    verdicts: Mapping[str, Value],
    retrieved: Sequence[str] | None = None,
    relevance: Mapping[str, Value] | None = None,
    stored: Mapping[str, Value] | None = None,
    **given: Any,
) -> Case:
    """A case: ``verdicts`` by memory id (1 where not given), ``retrieved`` ids by rank; None: as the events say."""
    corpus = Corpus(memories)
    recorded = asked.value("recorded") or {}
    if retrieved is None:
        listed = [item for event in recorded.get("events") or () for item in event["retrieved"]]
        retrieved = list(dict.fromkeys(item["id"] for item in listed if item["id"] in corpus.by_id))
    ranks = {id: place for place, id in enumerate(retrieved, 1)}
    wanted = asked.value("required") or ()

    def judge(mis: Sequence[int]) -> list[Judged]:
        out = []
        for mi in mis:
            id = memories[mi].id
            verdict = TRITS[verdicts.get(id, 1)]
            near = TRITS[(relevance or {}).get(id, 1 if id in wanted else "?")]
            kept = TRITS[(stored or {}).get(id, 1)]
            out.append(Judged(mi, ranks.get(id, 0), None, "", kept, verdict, near, Trit(min(verdict, near))))
        return out

    retrieval: Retrieval = "recorded" if "events" in recorded else "simulated"
    return Case(
        query=asked,
        corpus=corpus,
        retrieved=tuple(judge([corpus.by_id[id][0] for id in retrieved])),
        required=tuple(Required(id, tuple(corpus.by_id.get(id, ()))) for id in wanted),
        judge=judge,
        retrieval=given.pop("retrieval", retrieval),
        as_of=parse_time("2026-06-01T00:00:00Z", "as_of"),
        **given,
    )


def audited(*args: Any, **given: Any) -> QueryAudit:
    return audit(case(*args, **given))


def by_id(done: QueryAudit) -> dict[str, tuple[str, str, str]]:
    """(retrieved, exposed, disclosed) of every row, as symbols."""
    return {row.id: (row.retrieved.symbol, row.exposed.symbol, row.disclosed.symbol) for row in done.rows}


def proofs(done: QueryAudit) -> dict[str, tuple[str, ...]]:
    """The stages that apply, each with the ids that prove it."""
    return {finding.stage: finding.ids for finding in done.stages.findings}
