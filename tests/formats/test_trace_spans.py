"""Span files made by the OpenTelemetry SDK's own exporters with the OpenInference and GenAI names from their packages.

One conversation: a chain asks, a retriever finds three notes with a filter, a reranker drops one, a model answers. What
must come out is written by hand beside what goes in.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openinference.semconv.trace import (
    DocumentAttributes,
    MessageAttributes,
    OpenInferenceSpanKindValues,
    RerankerAttributes,
    SpanAttributes,
)
from opentelemetry.exporter.otlp.json.file.trace_exporter import FileSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor, SpanExporter
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as gen_ai
from opentelemetry.trace import Tracer

from inspector.formats import LoadOptions, load
from inspector.records import Bundle, Query
from inspector.text import content_hash

POOL = "The pool opens at seven every morning."
SPA = "The spa is closed on Mondays."
CODE = "The door code is 4711."
MEMORIES = [{"id": "m-pool", "text": POOL}, {"id": "m-spa", "text": SPA}, {"id": "m-code", "text": CODE}]
ASKED = "When does the pool open?"
#: Fixed instants, in nanoseconds: 2026-05-02T08:00:00Z and the seconds after it.
START = 1_777_708_800_000_000_000
SECOND = 1_000_000_000


def spans(tracer: Tracer, make: Callable[[Callable[..., None]], None]) -> None:
    """Children of one root span that runs from second 0 to 9; each child is given its seconds."""
    root = tracer.start_span("chat", start_time=START)
    from opentelemetry import trace

    context = trace.set_span_in_context(root)

    def child(name: str, first: int, last: int, attributes: dict[str, Any]) -> None:
        span = tracer.start_span(name, context=context, start_time=START + first * SECOND)
        span.set_attributes(attributes)
        span.end(START + last * SECOND)

    make(child)
    root.set_attributes(
        {
            SpanAttributes.OPENINFERENCE_SPAN_KIND: OpenInferenceSpanKindValues.CHAIN.value,
            SpanAttributes.INPUT_VALUE: ASKED,
            SpanAttributes.OUTPUT_VALUE: "At seven.",
            SpanAttributes.SESSION_ID: "session-9",
            SpanAttributes.USER_ID: "ms-lind",
        }
    )
    root.end(START + 9 * SECOND)


def documents(prefix: str, listed: list[tuple[str, str, float]]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for place, (id, content, score) in enumerate(listed):
        at = f"{prefix}.{place}"
        out[f"{at}.{DocumentAttributes.DOCUMENT_ID}"] = id
        out[f"{at}.{DocumentAttributes.DOCUMENT_CONTENT}"] = content
        out[f"{at}.{DocumentAttributes.DOCUMENT_SCORE}"] = score
        out[f"{at}.{DocumentAttributes.DOCUMENT_METADATA}"] = json.dumps({"namespace": "lind", "page": place})
    return out


def openinference(child: Callable[..., None]) -> None:
    found = [("m-code", CODE, 0.9), ("m-pool", POOL, 0.8), ("ghost", "A ghost.", 0.1)]
    kinds = OpenInferenceSpanKindValues
    child(
        "search",
        1,
        2,
        {
            SpanAttributes.OPENINFERENCE_SPAN_KIND: kinds.RETRIEVER.value,
            SpanAttributes.INPUT_VALUE: "pool hours",
            SpanAttributes.METADATA: json.dumps({"filter": {"user_id": "ms-lind"}, "metric": "cosine_similarity"}),
            **documents(SpanAttributes.RETRIEVAL_DOCUMENTS, found),
        },
    )
    child(
        "rerank",
        3,
        4,
        {
            SpanAttributes.OPENINFERENCE_SPAN_KIND: kinds.RERANKER.value,
            RerankerAttributes.RERANKER_QUERY: "pool hours",
            RerankerAttributes.RERANKER_TOP_K: 2,
            **documents(RerankerAttributes.RERANKER_INPUT_DOCUMENTS, found),
            **documents(
                RerankerAttributes.RERANKER_OUTPUT_DOCUMENTS, [("m-pool", POOL, 0.99), ("ghost", "A ghost.", 0.2)]
            ),
        },
    )
    said = [
        ("system", f"Known: {POOL}"),
        ("user", "Hello."),
        ("assistant", "Good morning!"),
        ("user", ASKED),
    ]
    attributes: dict[str, Any] = {SpanAttributes.OPENINFERENCE_SPAN_KIND: kinds.LLM.value}
    for place, (role, content) in enumerate(said):
        at = f"{SpanAttributes.LLM_INPUT_MESSAGES}.{place}"
        attributes[f"{at}.{MessageAttributes.MESSAGE_ROLE}"] = role
        attributes[f"{at}.{MessageAttributes.MESSAGE_CONTENT}"] = content
    answer = f"{SpanAttributes.LLM_OUTPUT_MESSAGES}.0"
    attributes[f"{answer}.{MessageAttributes.MESSAGE_ROLE}"] = "assistant"
    attributes[f"{answer}.{MessageAttributes.MESSAGE_CONTENT}"] = "At seven."
    child("model", 5, 8, attributes)
    # A model call that only chose a tool does not make the answer.
    child("plan", 0, 1, {SpanAttributes.OPENINFERENCE_SPAN_KIND: kinds.LLM.value, SpanAttributes.INPUT_VALUE: "plan"})


def export(exporter: SpanExporter, make: Callable[[Callable[..., None]], None]) -> None:
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    spans(provider.get_tracer("test"), make)
    provider.shutdown()


def otlp(path: Path, make: Callable[[Callable[..., None]], None] = openinference) -> None:
    """OTLP/JSON lines, by the official file exporter."""
    export(FileSpanExporter(path), make)


def console(path: Path, make: Callable[[Callable[..., None]], None] = openinference) -> None:
    """Flat attributes, by the SDK's console exporter: indented objects, one after the other."""
    out = io.StringIO()
    export(ConsoleSpanExporter(out=out), make)
    path.write_text(out.getvalue(), encoding="utf-8")


def flat_lines(path: Path, make: Callable[[Callable[..., None]], None] = openinference) -> None:
    """Flat attributes on lines, from the same spans."""
    out = io.StringIO()
    export(ConsoleSpanExporter(out=out, formatter=lambda span: span.to_json(indent=None) + "\n"), make)
    path.write_text(out.getvalue(), encoding="utf-8")


def columns(path: Path) -> None:
    """One flat object a span with attributes.NAME columns and epoch milliseconds, as data frames are written."""
    flat_lines(path)
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        span = json.loads(line)
        row = {"name": span["name"], "parent_id": span["parent_id"] and span["parent_id"].removeprefix("0x")}
        row |= {f"context.{key}": span["context"][key].removeprefix("0x") for key in ("trace_id", "span_id")}
        second = int(span["start_time"][17:19])
        row |= {"start_time": START // 1_000_000 + second * 1000, "end_time": span["end_time"]}
        row |= {f"attributes.{key}": value for key, value in span["attributes"].items()}
        rows.append(row)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def loaded(folder: Path, queries: list[dict[str, Any]] | None = None, **given: Any) -> Bundle:
    (folder / "memories.jsonl").write_text("".join(json.dumps(one) + "\n" for one in MEMORIES), encoding="utf-8")
    for query in queries or ():
        with (folder / "queries.jsonl").open("a", encoding="utf-8") as out:
            out.write(json.dumps(query) + "\n")
    (folder / "trace").mkdir(exist_ok=True)
    return load([folder], LoadOptions(trace=folder / "trace" / "spans.jsonl", **given))


def only(bundle: Bundle) -> Query:
    assert len(bundle.queries) == 1
    return bundle.queries[0]


@pytest.mark.parametrize("write", [otlp, console, flat_lines, columns])
def test_openinference_every_field_in_place(write: Callable[[Path], None], tmp_path: Path) -> None:
    (tmp_path / "trace").mkdir()
    write(tmp_path / "trace" / "spans.jsonl")
    query = only(loaded(tmp_path))
    assert query.text == ASKED
    assert query.value("principal") == {"id": "ms-lind"}
    assert query.value("session_id") == "session-9"
    assert query.value("as_of") == "2026-05-02T08:00:00Z"
    recorded = query.value("recorded")
    search, rerank = recorded["events"]
    assert (search["name"], search["at"], search["query"]) == ("search", "2026-05-02T08:00:01Z", "pool hours")
    assert (search["filter"], search["score_kind"]) == ({"user_id": "ms-lind"}, "similarity")
    assert [(one["id"], one["score"], one["namespace"]) for one in search["retrieved"]] == [
        ("m-code", 0.9, "lind"),
        ("m-pool", 0.8, "lind"),
        ("ghost", 0.1, "lind"),
    ]
    assert search["retrieved"][1]["text"] == POOL
    assert search["retrieved"][1]["content_hash"] == content_hash(POOL)
    assert search["retrieved"][1]["metadata"] == {"namespace": "lind", "page": 1}
    assert (rerank["name"], rerank["kind"], rerank["at"]) == ("rerank", "rerank", "2026-05-02T08:00:03Z")
    assert [one["id"] for one in rerank["retrieved"]] == ["m-pool", "ghost"]
    assert [one["id"] for one in rerank["dropped"]] == ["m-code"]
    assert recorded["prompt"] == f"system: Known: {POOL}\nuser: Hello.\nassistant: Good morning!\nuser: {ASKED}"
    assert recorded["recent_turns"] == [
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "content": "Good morning!"},
    ]
    assert recorded["answer"] == "At seven."
    assert (recorded["prompt_at"], recorded["answer_at"]) == ("2026-05-02T08:00:05Z", "2026-05-02T08:00:08Z")


def genai(child: Callable[..., None]) -> None:
    child(
        "retrieval notes",
        1,
        2,
        {
            gen_ai.GEN_AI_OPERATION_NAME: "retrieval",
            gen_ai.GEN_AI_RETRIEVAL_QUERY_TEXT: "pool hours",
            gen_ai.GEN_AI_DATA_SOURCE_ID: "kb",
            gen_ai.GEN_AI_RETRIEVAL_DOCUMENTS: json.dumps([{"id": "m-spa", "score": 0.5}]),
        },
    )
    child(
        "search_memory",
        2,
        3,
        {
            gen_ai.GEN_AI_OPERATION_NAME: "search_memory",
            "gen_ai.memory.store.id": "store-1",
            "gen_ai.memory.query.text": "pool",
            # The id is optional: then the content's hash names the record.
            "gen_ai.memory.records": json.dumps(
                [{"content": POOL, "score": 0.7}, {"content": {"text": CODE}, "id": "m-code", "metadata": {"a": 1}}]
            ),
        },
    )
    child(
        "delete_memory",
        3,
        3,
        {gen_ai.GEN_AI_OPERATION_NAME: "delete_memory", "gen_ai.memory.record.id": "m-old"},
    )
    child(
        "chat gpt",
        4,
        5,
        {
            gen_ai.GEN_AI_OPERATION_NAME: "chat",
            gen_ai.GEN_AI_CONVERSATION_ID: "conversation-3",
            gen_ai.GEN_AI_SYSTEM_INSTRUCTIONS: json.dumps([{"type": "text", "content": f"Known: {POOL}"}]),
            gen_ai.GEN_AI_INPUT_MESSAGES: json.dumps(
                [
                    {"role": "user", "parts": [{"type": "text", "content": "Hi."}]},
                    {"role": "user", "parts": [{"type": "text", "content": ASKED}]},
                ]
            ),
            gen_ai.GEN_AI_OUTPUT_MESSAGES: json.dumps(
                [{"role": "assistant", "parts": [{"type": "text", "content": "At seven."}], "finish_reason": "stop"}]
            ),
        },
    )


@pytest.mark.parametrize("write", [otlp, console])
def test_genai_every_field_in_place(write: Callable[..., None], tmp_path: Path) -> None:
    (tmp_path / "trace").mkdir()
    write(tmp_path / "trace" / "spans.jsonl", genai)
    recorded = only(loaded(tmp_path)).value("recorded")
    notes, memory = recorded["events"]
    assert (notes["name"], notes["query"]) == ("retrieval notes (kb)", "pool hours")
    assert notes["retrieved"] == [{"id": "m-spa", "score": 0.5}]
    assert "filter" not in notes
    assert (memory["name"], memory["query"], memory["score_kind"]) == ("search_memory", "pool", "unknown")
    assert memory["retrieved"] == [
        {"id": f"content:{content_hash(POOL)[:12]}", "score": 0.7, "content_hash": content_hash(POOL), "text": POOL},
        {"id": "m-code", "content_hash": content_hash(CODE), "text": CODE, "metadata": {"a": 1}},
    ]
    assert recorded["operations"] == [
        {"operation": "delete_memory", "at": "2026-05-02T08:00:03Z", "record_id": "m-old"}
    ]
    assert recorded["prompt"] == f"system: Known: {POOL}\nuser: Hi.\nuser: {ASKED}"
    assert recorded["answer"] == "At seven."


def test_a_trace_finds_its_query_by_its_words_and_leaves_the_query_s_own_fields(tmp_path: Path) -> None:
    (tmp_path / "trace").mkdir()
    otlp(tmp_path / "trace" / "spans.jsonl")
    own = {"id": "q1", "text": "when does THE pool open", "required": ["m-pool"], "session_id": "mine"}
    bundle = loaded(tmp_path, [own, {"id": "q2", "text": "Another."}])
    first, second = bundle.queries
    assert first.value("recorded")["answer"] == "At seven."
    assert (first.value("session_id"), first.value("principal")) == ("mine", {"id": "ms-lind"})
    assert second.value("recorded") is None
    assert "traces: 1 matched by the question's words" in bundle.notes


def test_two_queries_with_one_text_are_told_apart_by_who_asks(tmp_path: Path) -> None:
    (tmp_path / "trace").mkdir()
    otlp(tmp_path / "trace" / "spans.jsonl")
    bundle = loaded(
        tmp_path,
        [
            {"id": "q1", "text": ASKED, "principal": {"id": "mrs-park"}},
            {"id": "q2", "text": ASKED, "principal": {"id": "ms-lind"}},
        ],
    )
    assert [query.value("recorded") is not None for query in bundle.queries] == [False, True]


def test_a_second_trace_of_the_same_question_is_a_query_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "trace").mkdir()
    path = tmp_path / "trace" / "spans.jsonl"
    otlp(path)
    first = path.read_text(encoding="utf-8")
    otlp(path)
    path.write_text(first + path.read_text(encoding="utf-8"), encoding="utf-8")
    bundle = loaded(tmp_path, [{"id": "q1", "text": ASKED}])
    assert [query.id == "q1" for query in bundle.queries] == [True, False]
    assert all(query.value("recorded") for query in bundle.queries)


def test_our_own_blocks(tmp_path: Path) -> None:
    (tmp_path / "trace").mkdir()
    block = {"query_id": "q1", "recorded": {"events": [], "answer": "x"}}
    (tmp_path / "trace" / "spans.jsonl").write_text(json.dumps(block) + "\n", encoding="utf-8")
    assert only(loaded(tmp_path, [{"id": "q1", "text": ASKED}])).value("recorded") == {"events": [], "answer": "x"}
