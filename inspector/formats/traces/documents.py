"""Documents, messages, filters and questions, found in what spans carry as free JSON (USERS C9)."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from inspector.formats.traces.spans import parsed
from inspector.records import ABSENT
from inspector.text import content_hash

_IDS = ("id", "uuid", "memory_id", "record_id", "document_id", "doc_id", "key", "_id", "node_id", "id_", "point_id")
_TEXTS = ("text", "content", "memory", "page_content", "pageContent", "document", "fact", "body", "data", "value")
_SCORES = ("score", "relevance_score", "similarity", "relevance", "_score")
_HASHES = ("content_hash", "hash", "sha256", "md5")
_INNER = ("document", "node", "payload", "record", "memory")
_FILTERS = ("filter", "filters", "where", "metadata_filter", "metadata_filters", "query_filter", "filter_expression")
_QUESTIONS = ("question", "query", "input", "text", "message", "content", "prompt", "user_input", "search_query")
_DEPTH = 5


def item(raw: Any) -> dict[str, Any] | None:
    """One retrieved document as an item of ``recorded``; None where it has neither an id nor a text.

    A document without an id is named by its content's hash, by which it is then matched.
    """
    if isinstance(raw, str):
        raw = {"text": raw}
    if not isinstance(raw, dict):
        return None
    metadata = parsed(raw.get("metadata"))
    metadata = metadata if isinstance(metadata, dict) else {}
    inner = [raw, *(one for name in _INNER if isinstance(one := parsed(raw.get(name)), dict)), metadata]
    id = next((one for place in inner if (one := _id(place)) is not None), None)
    text = next((one for place in inner[:-1] if (one := _text(place)) is not None), None)
    if id is None and text is None:
        return None
    made: dict[str, Any] = {"id": id if id is not None else f"content:{content_hash(text or '')[:12]}"}
    namespace = next((place["namespace"] for place in inner if _is_namespace(place.get("namespace"))), None)
    if namespace is not None:
        made["namespace"] = namespace
    score = next((one for place in inner if (one := _score(place)) is not ABSENT), ABSENT)
    if score is not ABSENT:
        made["score"] = score
    digest = next((place[name] for place in inner for name in _HASHES if isinstance(place.get(name), str)), None)
    if text is not None or digest is not None:
        made["content_hash"] = digest if digest is not None and text is None else content_hash(text or "")
    if text is not None:
        made["text"] = text
    if metadata:
        made["metadata"] = metadata
    return made


def _id(place: Mapping[str, Any]) -> str | None:
    for name in _IDS:
        value = place.get(name)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return None


def _text(place: Mapping[str, Any]) -> str | None:
    for name in _TEXTS:
        value = place.get(name)
        if isinstance(value, str) and value:
            return value
    for name in ("content", "value", "data"):
        value = place.get(name)
        if isinstance(value, dict | list) and value:
            inner = _text(value) if isinstance(value, dict) else None
            return inner if inner is not None else json.dumps(value, ensure_ascii=False, default=str)
    return None


def _is_namespace(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(isinstance(part, str) for part in value)
    return isinstance(value, str) and value != ""


def _score(place: Mapping[str, Any]) -> Any:
    """The score as recorded, None for null, NaN for NaN; ABSENT where there is none."""
    for name in (*_SCORES, "distance"):
        if name in place:
            value = place[name]
            if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
                return value if value is None or not math.isinf(value) else None
            if isinstance(value, str) and value.lower() == "nan":
                return math.nan
    return ABSENT


def score_kind(documents: Sequence[Any], *said: Any) -> str:
    """``distance`` or ``similarity`` where the documents' own key or a metric's name says so, else ``unknown``.

    The word cosine alone decides nothing: stores write both the similarity and the distance under it.
    """
    raw = [one for one in documents if isinstance(one, dict)]
    if raw and all("distance" in one and "score" not in one for one in raw):
        return "distance"
    if raw and all("similarity" in one and "score" not in one for one in raw):
        return "similarity"
    for value in said:
        word = str(value).lower() if isinstance(value, str) else ""
        if "distance" in word or word in ("l2", "euclid", "euclidean", "manhattan", "l1"):
            return "distance"
        if "similarity" in word or word in ("dot", "ip", "inner_product"):
            return "similarity"
    return "unknown"


def find_documents(value: Any, depth: int = 0) -> list[Any] | None:
    """The first list of objects in free JSON that look like retrieved documents: an id, and a score or a text."""
    value = parsed(value)
    if depth > _DEPTH:
        return None
    if isinstance(value, list):
        if value and all(_is_document(one) for one in value):
            return value
        inner: Iterable[Any] = value
    elif isinstance(value, dict):
        inner = value.values()
    else:
        return None
    return next((found for one in inner if (found := find_documents(one, depth + 1)) is not None), None)


def _is_document(raw: Any) -> bool:
    if not isinstance(raw, dict) or "role" in raw:
        return False
    made = item(raw)
    if made is None:
        return False
    named = not made["id"].startswith("content:")
    return (named and ("score" in made or "text" in made)) or ("text" in made and "score" in made)


def find_filter(*places: Any) -> Any:
    """The first filter that attributes, metadata or an input name; ABSENT where none does."""
    for place in places:
        found = _filter(parsed(place), 0)
        if found is not ABSENT:
            return found
    return ABSENT


def _filter(value: Any, depth: int) -> Any:
    if not isinstance(value, dict) or depth > 3:
        return ABSENT
    for name in _FILTERS:
        if name in value:
            return parsed(value[name])
    for key, inner in value.items():
        if key in ("documents", "input_messages", "output_messages", "messages", "records"):
            continue
        found = _filter(parsed(inner), depth + 1)
        if found is not ABSENT:
            return found
    return ABSENT


def messages(value: Any) -> list[dict[str, str]]:
    """Chat messages as role and text, from any of the shapes that spans carry; [] where there are none."""
    value = parsed(value)
    if isinstance(value, dict):
        for name in ("messages", "message", "choices", "history"):
            if name in value:
                found = messages(value[name] if isinstance(value[name], list) else [value[name]])
                if found:
                    return found
        value = [value] if "role" in value or "content" in value else []
    out = []
    for one in value if isinstance(value, list) else ():
        one = one.get("message", one) if isinstance(one, dict) else one
        if not isinstance(one, dict):
            continue
        text = message_text(one)
        if text or "role" in one:
            out.append({"role": str(one.get("role") or ""), "content": text})
    return out


def message_text(value: Any) -> str:
    """The text of a message: its content, or its text parts joined by line feeds."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(text for one in value if (text := message_text(one)))
    if isinstance(value, dict):
        for name in ("content", "text", "parts", "contents", "message_content"):
            if value.get(name) is not None:
                return message_text(value[name])
    return ""


def question(value: Any) -> str:
    """What was asked, from a span's input: a text, a question under a usual name, or the last message of a user."""
    value = parsed(value)
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        for name in _QUESTIONS:
            found = value.get(name)
            if isinstance(found, str) and found:
                return found
    said = [one["content"] for one in messages(value) if one["role"] in ("user", "human") and one["content"]]
    if said:
        return said[-1]
    if isinstance(value, dict):
        return next((text for one in value.values() if isinstance(one, dict | list) and (text := question(one))), "")
    return ""


def plain_text(value: Any) -> str:
    """The text of a span's output: a text, an answer under a usual name, or the first message that says something."""
    value = parsed(value)
    if isinstance(value, str):
        return value
    for one in messages(value):
        if one["content"]:
            return one["content"]
    if isinstance(value, dict):
        for name in ("answer", "output", "response", "result", "completion", "text", "generated_text", "content"):
            if value.get(name):
                return plain_text(value[name])
    return ""
