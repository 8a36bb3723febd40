"""What one span says for the audit: a retrieval, a reranking, a model call, an operation on the store (USERS C9)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from inspector.formats.traces.documents import (
    find_documents,
    find_filter,
    item,
    message_text,
    messages,
    plain_text,
    question,
    score_kind,
)
from inspector.formats.traces.spans import Span, parsed
from inspector.records import ABSENT, Origin

PartKind = Literal["retrieval", "rerank", "model", "operation", "other"]
_SEARCHES = ("search_memory", "retrieve_memory", "recall_memory", "query_memory", "read_memory", "get_memory")


@dataclass(slots=True)
class Part:
    """One span of a trace, of whatever dialect, as far as the audit reads it.

    ``documents`` are the items that a retrieval or reranking returned, ``inputs`` what a reranker was given;
    ``nameless`` counts documents without id and text. ``messages`` are the prompt's, system messages included.
    """

    trace_id: str
    span_id: str
    parent_id: str | None
    name: str
    start: str | None
    end: str | None
    origin: Origin
    kind: PartKind = "other"
    documents: list[dict[str, Any]] = field(default_factory=list)
    inputs: list[dict[str, Any]] = field(default_factory=list)
    nameless: int = 0
    filter: Any = ABSENT
    score_kind: str = "unknown"
    asked: str = ""
    messages: list[dict[str, str]] = field(default_factory=list)
    prompt: str = ""
    answer: str = ""
    input: str = ""
    output: str = ""
    user: str | None = None
    session: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    operation: dict[str, Any] | None = None

    def take(self, raw: Any) -> list[dict[str, Any]]:
        """The documents of a list as items, those without id and text counted."""
        listed = parsed(raw)
        made = [item(one) for one in listed] if isinstance(listed, list) else []
        self.nameless += sum(one is None for one in made)
        return [one for one in made if one is not None]


def of_span(span: Span) -> Part:
    """Read a span by the attributes that it carries: OpenInference's, else OpenTelemetry GenAI's, else none."""
    part = Part(span.trace_id, span.span_id, span.parent_id, span.name, span.start, span.end, span.origin)
    attributes = span.attributes
    metadata = parsed(attributes.get("metadata"))
    part.metadata = metadata if isinstance(metadata, dict) else {}
    part.user = _text(_at(attributes, "user", "id")) or _text(_at(attributes, "enduser", "id"))
    part.session = _text(_at(attributes, "session", "id"))
    input_value, output_value = _at(attributes, "input", "value"), _at(attributes, "output", "value")
    part.input, part.output = question(input_value), plain_text(output_value)
    if _at(attributes, "openinference", "span", "kind") or "retrieval" in attributes or "llm" in attributes:
        _openinference(part, attributes, input_value, output_value)
    if "gen_ai" in attributes:
        _genai(part, attributes, attributes["gen_ai"])
    return part


def _openinference(part: Part, attributes: Mapping[str, Any], input_value: Any, output_value: Any) -> None:
    kind = str(_at(attributes, "openinference", "span", "kind") or "").upper()
    listed = _at(attributes, "retrieval", "documents")
    returned = _at(attributes, "reranker", "output_documents")
    given = _at(attributes, "reranker", "input_documents")
    if kind == "RERANKER" or returned is not None or given is not None:
        part.kind = "rerank"
        part.documents = part.take(_documents(returned))
        part.inputs = part.take(_documents(given))
        part.asked = _text(_at(attributes, "reranker", "query")) or part.input
    elif kind == "RETRIEVER" or listed is not None:
        part.kind = "retrieval"
        documents = _documents(listed) if listed is not None else find_documents(output_value) or []
        part.documents = part.take(documents)
        part.asked = part.input
        part.filter = find_filter(_without_messages(attributes), part.metadata, input_value)
        part.score_kind = score_kind(documents, *_said(part.metadata))
    elif kind == "LLM" or _at(attributes, "llm", "input_messages") is not None:
        part.kind = "model"
        part.messages = messages(_messages(_at(attributes, "llm", "input_messages"))) or messages(input_value)
        prompts = _at(attributes, "llm", "prompts")
        part.prompt = part.input if not part.messages else ""
        if not part.messages and isinstance(prompts, list):
            part.prompt = "\n".join(message_text(one.get("prompt", one)) for one in prompts if isinstance(one, dict))
        said = messages(_messages(_at(attributes, "llm", "output_messages")))
        part.answer = next((one["content"] for one in said if one["content"]), "") or part.output


def _documents(listed: Any) -> list[Any]:
    """OpenInference's documents, each under ``document``, as plain objects."""
    listed = parsed(listed)
    if isinstance(listed, dict):
        listed = list(listed.values())
    return [one.get("document", one) if isinstance(one, dict) else one for one in listed or () if one is not None]


def _messages(listed: Any) -> list[dict[str, Any]]:
    """OpenInference's messages, each under ``message``, with the parts under ``contents.N.message_content``."""
    listed = parsed(listed)
    out = []
    for one in listed if isinstance(listed, list) else ():
        inner = one.get("message", one) if isinstance(one, dict) else one
        if isinstance(inner, dict):
            content = inner.get("content") if inner.get("content") is not None else inner.get("contents")
            out.append({"role": inner.get("role"), "content": content})
    return out


def _genai(part: Part, attributes: Mapping[str, Any], genai: Mapping[str, Any]) -> None:
    operation = str(_at(genai, "operation", "name") or "")
    memory = parsed(genai.get("memory"))
    memory = memory if isinstance(memory, dict) else {}
    documents = _at(genai, "retrieval", "documents")
    part.session = part.session or _text(_at(genai, "conversation", "id"))
    if operation == "retrieval" or documents is not None:
        _genai_retrieval(part, attributes, documents, _text(_at(genai, "retrieval", "query", "text")))
        source = _text(_at(genai, "data_source", "id"))
        part.name = f"{part.name} ({source})" if source and source not in part.name else part.name
    elif operation in _SEARCHES or (memory.get("records") is not None and operation not in _writes(operation)):
        _genai_retrieval(part, attributes, memory.get("records"), _text(_at(memory, "query", "text")))
    elif "memory" in operation:
        part.kind = "operation"
        record = _at(memory, "record", "id")
        part.operation = {"operation": operation, "at": part.start}
        part.operation |= {"record_id": record} if record is not None else {}
        store = _at(memory, "store", "id")
        part.operation |= {"store_id": store} if store is not None else {}
    elif genai.get("input") or genai.get("output") or genai.get("prompt") or genai.get("completion"):
        part.kind = "model"
        system = message_text(parsed(genai.get("system_instructions")))
        listed = messages(_at(genai, "input", "messages")) or messages(genai.get("prompt"))
        part.messages = [*([{"role": "system", "content": system}] if system else []), *listed]
        if not listed and isinstance(genai.get("prompt"), str):
            part.prompt = genai["prompt"]
        said = messages(_at(genai, "output", "messages")) or messages(genai.get("completion"))
        part.answer = next((one["content"] for one in said if one["content"]), "")
        if not part.answer and isinstance(genai.get("completion"), str):
            part.answer = plain_text(genai["completion"])


def _writes(operation: str) -> tuple[str, ...]:
    """The operation itself where it writes: what it names was written, not retrieved."""
    return (operation,) if operation.startswith(("create", "update", "upsert", "delete", "add", "write")) else ()


def _genai_retrieval(part: Part, attributes: Mapping[str, Any], documents: Any, asked: str | None) -> None:
    part.kind = "retrieval"
    listed = parsed(documents)
    part.documents = part.take(listed)
    part.asked = asked or part.input
    part.filter = find_filter(_without_messages(attributes), part.metadata)
    part.score_kind = score_kind(listed if isinstance(listed, list) else [], *_said(part.metadata))


def _said(metadata: Mapping[str, Any]) -> list[Any]:
    """What metadata says of the scores' direction."""
    return [metadata.get(name) for name in ("score_kind", "score_type", "metric", "distance_metric", "metric_type")]


def _without_messages(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in attributes.items() if key not in ("llm", "input", "output", "metadata")}


def _at(value: Any, *path: str) -> Any:
    for name in path:
        value = parsed(value)
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    if isinstance(value, dict) and set(value) > {""} and not isinstance(value[""], dict):
        return value[""]
    return value


def _text(value: Any) -> str | None:
    if isinstance(value, str) and value:
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None
