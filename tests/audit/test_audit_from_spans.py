"""From spans to stages: a trace by the official exporter, laid at a store, audited, exported and audited again."""

from __future__ import annotations

import json
from pathlib import Path

from openinference.semconv.trace import SpanAttributes
from opentelemetry.exporter.otlp.json.file.trace_exporter import FileSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.trace import set_span_in_context

from inspector.auditing import Auditor
from inspector.formats import LoadOptions, load
from inspector.formats.canonical import write_bundle
from inspector.inspection import OpenOptions, open_sources

POOL = "The pool opens at seven in the morning and closes at nine in the evening."
BOAT = "Mr. and Mrs. Park celebrate their tenth anniversary with a surprise boat trip on Friday."
SPA = "The spa is closed on Mondays for the whole of May."


def write_spans(path: Path) -> None:
    """A retriever returns three records: by id, by content alone, and one that is not stored; a reranker drops one."""
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(FileSpanExporter(path)))
    tracer = provider.get_tracer("test")
    kind = SpanAttributes.OPENINFERENCE_SPAN_KIND
    start = 1_777_708_800_000_000_000  # 2026-05-02T08:00:00Z
    root = tracer.start_span("chat", start_time=start)
    root.set_attributes({kind: "CHAIN", SpanAttributes.INPUT_VALUE: "What is on this Friday?"})
    context = set_span_in_context(root)
    found = [
        ("park-boat", BOAT),
        ("", "the SPA is closed on Mondays, for the whole of May"),
        ("ghost", "Nobody knows."),
    ]
    attributes = {kind: "RETRIEVER", SpanAttributes.INPUT_VALUE: "friday"}
    for place, (id, content) in enumerate(found):
        prefix = f"retrieval.documents.{place}.document"
        attributes |= {f"{prefix}.id": id} if id else {}
        attributes[f"{prefix}.content"] = content
    for name, second, given in (
        ("search", 1, attributes),
        (
            "model",
            3,
            {
                kind: "LLM",
                "llm.input_messages.0.message.role": "system",
                "llm.input_messages.0.message.content": f"Notes:\n- {BOAT}\n- {POOL}",
                "llm.input_messages.1.message.role": "user",
                "llm.input_messages.1.message.content": "What is on this Friday?",
                "llm.output_messages.0.message.content": "The Parks have a surprise boat trip on Friday!",
            },
        ),
    ):
        span = tracer.start_span(name, context=context, start_time=start + second * 1_000_000_000)
        span.set_attributes(given)
        span.end(start + (second + 1) * 1_000_000_000)
    root.end(start + 9_000_000_000)
    provider.shutdown()


def test_a_trace_is_audited_and_survives_an_export(tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    memories = [
        {"id": "house-pool", "text": POOL, "namespace": "house"},
        {"id": "house-spa", "text": SPA, "namespace": "house"},
        {"id": "park-boat", "text": BOAT, "namespace": "park"},
    ]
    common = {"created_at": "2026-04-01T00:00:00Z", "status": "active", "allowed_purposes": ["concierge"]}
    (store / "memories.jsonl").write_text("".join(json.dumps(one | common) + "\n" for one in memories), "utf-8")
    asked = {
        "id": "friday",
        "text": "What is on this Friday?",
        "purpose": "concierge",
        "intent": "current",
        "principal": {"id": "ms-lind", "namespaces": ["lind", "house"]},
        "required": ["house-spa"],
    }
    (store / "queries.jsonl").write_text(json.dumps(asked) + "\n", "utf-8")
    spans = tmp_path / "spans.jsonl"
    write_spans(spans)
    bundle = load([store], LoadOptions(trace=spans))
    assert "traces: 1 matched by the question's words" in bundle.notes
    exported = tmp_path / "exported"
    write_bundle(bundle, exported)

    with open_sources([exported], OpenOptions(temporary=True)) as inspection:
        inspection.evaluate()
        assert str(inspection.route) == "recorded"
        done = Auditor(inspection).audit(0)
    rows = {row.id: row for row in done.rows}
    assert rows["park-boat"].kind == "exact"
    # Found by its words: the trace has no id, and its text differs in case and punctuation.
    assert (rows["house-spa"].kind, rows["house-spa"].retrieved.symbol) == ("weak", "1")
    assert rows["house-spa"].hits[0].item.id.startswith("content:")
    assert done.unknown[0][1].text == "Nobody knows."
    assert {one.stage: one.ids for one in done.stages.findings} == {
        "trace": ("ghost",),
        "verification": ("park-boat",),
        "assembly": ("house-spa", "house-pool"),
        "disclosure": ("park-boat",),
    }
    assert done.notes == ("search: unfiltered retrieval",)
