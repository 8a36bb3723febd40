"""Recorded traces beside a store: they fill the ``recorded`` block of queries, or make queries (DESIGN 8, USERS C9).

Read are OpenInference and OpenTelemetry GenAI spans (OTLP/JSON lines or documents, the SDK's own JSON, flat
attributes), Langfuse exports (traces, observations; JSON, JSON Lines, CSV), and lines of our own: ``{"query_id": …,
"recorded": {…}}``. A trace belongs to the query whose id its metadata names or that the trace's own id is, else to the
one query with the same words (and asker, where several have them); else it makes a query of its own.
"""

from __future__ import annotations

from inspector.formats.base import Format
from inspector.formats.traces.reading import looks_like, read

__all__ = ["TRACE_FORMATS", "looks_like", "read"]

#: What ``--trace`` reads, in the words of ``inspector formats``.
TRACE_FORMATS: tuple[Format, ...] = (
    Format(
        name="openinference",
        summary="OpenInference spans: OTLP/JSON, the SDK's JSON, or flat attributes, one object after the other",
        recognised_by="resourceSpans, or a trace id with attributes that begin with openinference.",
        example='{"trace_id": "t1", "span_id": "s1", "name": "search", "start_time": "2026-05-02T08:00:01Z", '
        '"attributes": {"openinference.span.kind": "RETRIEVER", "retrieval.documents.0.document.id": "m1"}}',
        loss="whether a session was authenticated (session.id is taken as the query's session), whose namespaces the "
        "user is in, and the direction of scores unless metadata says so",
    ),
    Format(
        name="otel-genai",
        summary="OpenTelemetry GenAI spans: retrieval and memory operations, messages; in the same containers",
        recognised_by="attributes that begin with gen_ai.",
        example='{"trace_id": "t1", "span_id": "s1", "name": "search_memory", "start_time": "2026-05-02T08:00:01Z", '
        '"attributes": {"gen_ai.operation.name": "search_memory", "gen_ai.memory.records": '
        '"[{\\"id\\": \\"m1\\", \\"score\\": 0.7}]"}}',
        loss="the user, filters, and the direction of scores; ids of memory records are optional there: a record "
        "without one is matched by its content's hash",
    ),
    Format(
        name="langfuse",
        summary="Langfuse exports: traces with observations, or observations alone, as JSON, JSON Lines or CSV",
        recognised_by="a type such as RETRIEVER or GENERATION with traceId, or an id with observations",
        example='{"id": "o1", "traceId": "t1", "type": "RETRIEVER", "name": "search", '
        '"startTime": "2026-05-02T08:00:01Z", "input": "pool hours", "output": [{"id": "m1", "score": 0.7}]}',
        loss="as for openinference; what a retriever returned is free JSON: lists of objects with an id and a score "
        "or a text are taken for documents",
    ),
    Format(
        name="recorded",
        summary="our own recorded blocks beside a store, one object for each query",
        recognised_by="query_id and recorded",
        example='{"query_id": "q1", "recorded": {"events": [{"name": "search", "filter": {"user": "ana"}, "retrieved": '
        '[{"id": "m1", "score": 0.7}]}], "exposed": ["m1"], "answer": "In Porto."}}',
        loss="nothing",
    ),
)
