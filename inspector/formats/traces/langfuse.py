"""Langfuse exports: traces with their observations, and observations alone (USERS C9).

Field names are read in camelCase, as the API and the JSON exports write them, and in snake_case; cells of a CSV export
that hold JSON are read as it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from inspector.errors import FieldError
from inspector.formats.base import clip
from inspector.formats.traces.documents import (
    find_documents,
    find_filter,
    messages,
    plain_text,
    question,
    score_kind,
)
from inspector.formats.traces.parts import Part
from inspector.formats.traces.spans import moment, parsed
from inspector.i18n import _
from inspector.records import Origin

TYPES = frozenset(
    "SPAN EVENT GENERATION AGENT TOOL CHAIN RETRIEVER EVALUATOR EMBEDDING GUARDRAIL".split()  # noqa: SIM905
)
_SEARCH_WORDS = ("retriev", "search", "recall", "memory", "vector", "lookup")


def is_trace(value: Mapping[str, Any]) -> bool:
    """Whether an object is a trace: it lists observations, or has a trace's own fields."""
    if isinstance(parsed(value.get("observations")), list) and "id" in value:
        return True
    return (
        "id" in value and "timestamp" in value and not is_observation(value) and bool({"input", "output"} & set(value))
    )


def is_observation(value: Mapping[str, Any]) -> bool:
    """Whether an object is an observation: of a known type, with the id of its trace."""
    return str(value.get("type", "")).upper() in TYPES and _get(value, "traceId", "trace_id") is not None


def of_trace(value: Mapping[str, Any], origin: Origin) -> Iterator[Part]:
    """A trace as its root part, then its observations."""
    id = _id(value, "id")
    root = Part(id, f"trace:{id}", None, str(value.get("name") or ""), _time(value, "timestamp"), None, origin)
    _common(root, value)
    yield root
    observations = parsed(value.get("observations"))
    for place, one in enumerate(observations if isinstance(observations, list) else ()):
        if isinstance(one, str):
            continue  # the list of ids that the list endpoint gives instead
        if not isinstance(one, dict):
            raise FieldError(
                f"observations[{place}]",
                _("{clip} is not an object").format(clip=clip(repr(one), 40)),
                _("an observation"),
            )
        yield of_observation({"traceId": id, **one}, origin, root.span_id)


def of_observation(value: Mapping[str, Any], origin: Origin, root: str | None = None) -> Part:
    """One observation, by its type; a span named after a search whose output lists documents is a retrieval too."""
    part = Part(
        trace_id=_id(value, "traceId", "trace_id"),
        span_id=_id(value, "id"),
        parent_id=_get(value, "parentObservationId", "parent_observation_id") or root,
        name=str(value.get("name") or ""),
        start=_time(value, "startTime", "start_time"),
        end=_time(value, "endTime", "end_time"),
        origin=origin,
    )
    given, returned = _common(part, value)
    kind = str(value.get("type", "")).upper()
    name = part.name.lower()
    documents = find_documents(returned)
    if "rerank" in name and documents is not None:
        part.kind = "rerank"
        part.documents, part.inputs = part.take(documents), part.take(find_documents(given))
        part.asked = part.input
    elif kind == "RETRIEVER" or (
        kind in ("SPAN", "TOOL", "CHAIN") and documents is not None and any(word in name for word in _SEARCH_WORDS)
    ):
        part.kind = "retrieval"
        listed = documents if documents is not None else parsed(returned)
        part.documents = part.take(listed)
        part.asked = part.input
        part.filter = find_filter(given, part.metadata, value.get("modelParameters"))
        part.score_kind = score_kind(
            listed if isinstance(listed, list) else [],
            *(part.metadata.get(one) for one in ("score_kind", "metric", "distance_metric")),
        )
    elif kind == "GENERATION":
        part.kind = "model"
        part.messages = messages(given)
        part.prompt = "" if part.messages else part.input
        part.answer = part.output
    return part


def _common(part: Part, value: Mapping[str, Any]) -> tuple[Any, Any]:
    given, returned = parsed(value.get("input")), parsed(value.get("output"))
    part.input, part.output = question(given), plain_text(returned)
    metadata = parsed(value.get("metadata"))
    part.metadata = metadata if isinstance(metadata, dict) else {}
    part.user = _get(value, "userId", "user_id")
    part.session = _get(value, "sessionId", "session_id")
    return given, returned


def _get(value: Mapping[str, Any], *names: str) -> str | None:
    found = next((value[name] for name in names if value.get(name) not in (None, "")), None)
    return None if found is None else str(found)


def _id(value: Mapping[str, Any], *names: str) -> str:
    found = _get(value, *names)
    if found is None:
        raise FieldError(names[0], _("is missing"), _("an id"))
    return found


def _time(value: Mapping[str, Any], *names: str) -> str | None:
    try:
        return moment(_get(value, *names))
    except FieldError as error:
        raise FieldError(names[0], error.wrong, error.expected) from None
