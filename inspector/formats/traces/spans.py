"""Spans of any dialect as one shape: ids, times, and attributes nested by their dotted names (USERS C9).

Read are OTLP/JSON (resourceSpans, and the log records that belong to spans), the OpenTelemetry SDK's own JSON, and
flat spans whose attributes stand under ``attributes`` or as ``attributes.NAME`` columns.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from inspector.errors import FieldError
from inspector.formats.base import clip
from inspector.i18n import _
from inspector.records import Origin
from inspector.times import EPOCH, parse_time

_SECOND, _MILLI, _MICRO = 100_000_000_000, 100_000_000_000_000, 100_000_000_000_000_000


@dataclass(slots=True)
class Span:
    """One span. ``start`` and ``end`` are ISO 8601 in UTC, None where the span has no such time."""

    trace_id: str
    span_id: str
    parent_id: str | None
    name: str
    start: str | None
    end: str | None
    attributes: dict[str, Any]
    origin: Origin
    resource: dict[str, Any] = field(default_factory=dict)


def nest(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes under dotted names as nested objects; objects whose keys are all numbers become lists in order.

    A value that stands where others are nested under it is kept under the key "".
    """
    root: dict[str, Any] = {}
    for name, value in flat.items():
        place = root
        *path, last = str(name).split(".")
        for part in path[:50]:
            inner = place.get(part)
            if not isinstance(inner, dict):
                place[part] = inner = {} if inner is None else {"": inner}
            place = inner
        value = _nested(value)
        if isinstance(place.get(last), dict):
            if isinstance(value, dict):
                place[last].update(value)
            else:
                place[last][""] = value
        else:
            place[last] = value
    listed = _listed(root)
    return listed if isinstance(listed, dict) else {"": listed}


def _nested(value: Any) -> Any:
    if isinstance(value, dict):
        return nest(value) if any("." in str(key) for key in value) else {k: _nested(v) for k, v in value.items()}
    return [_nested(one) for one in value] if isinstance(value, list) else value


def _listed(value: Any) -> Any:
    if isinstance(value, dict):
        inner = {key: _listed(one) for key, one in value.items()}
        if inner and all(key.isdecimal() for key in inner):
            return [inner[key] for key in sorted(inner, key=lambda key: (len(key), key))]
        return inner
    return value


def parsed(value: Any) -> Any:
    """A text that is a JSON object or list as what it says; anything else as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def moment(value: Any) -> str | None:
    """A time as ISO 8601 in UTC: from text, or epoch seconds, milli-, micro- or nanoseconds by their size.

    Raises FieldError for what is no time.
    """
    if value is None or value == "":
        return None
    if isinstance(value, str) and value.strip().isdecimal():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise FieldError(
            "time", _("{clip} is not a time").format(clip=clip(repr(value), 40)), _("ISO 8601 or epoch time")
        )
    if isinstance(value, str):
        instant = parse_time(value, "time", "UTC")  # spans are written in UTC where they name no zone
        return instant.iso()
    us = _microseconds(value)
    try:
        at = EPOCH + timedelta(microseconds=us)
    except OverflowError:
        raise FieldError(
            "time", _("{value!r} is not a time").format(value=value), _("ISO 8601 or epoch time")
        ) from None
    return datetime.fromtimestamp(0, UTC).replace(tzinfo=None).isoformat() + "Z" if us == 0 else _iso(at)


def _microseconds(value: int | float) -> int:
    size = abs(value)
    if size < _SECOND:
        return round(value * 1_000_000)
    if size < _MILLI:
        return round(value * 1_000)
    return round(value) if size < _MICRO else int(value) // 1_000


def _iso(at: datetime) -> str:
    return at.replace(tzinfo=None).isoformat() + "Z"


def read_otlp(value: Mapping[str, Any], origin: Origin) -> Iterator[Span]:
    """The spans of one OTLP/JSON object, and its log records as attributes of the spans that they name."""
    for group in _each(value, "resourceSpans", "resource_spans"):
        resource = _attributes(group.get("resource"))
        for scope in _each(group, "scopeSpans", "scope_spans", "instrumentationLibrarySpans"):
            for span in _each(scope, "spans"):
                yield _otlp_span(span, resource, origin)
    for group in _each(value, "resourceLogs", "resource_logs"):
        for scope in _each(group, "scopeLogs", "scope_logs"):
            for record in _each(scope, "logRecords", "log_records"):
                if _get(record, "spanId", "span_id"):
                    yield Span(
                        _hex(_get(record, "traceId", "trace_id"), 32),
                        _hex(_get(record, "spanId", "span_id"), 16),
                        "",
                        "",
                        None,
                        None,
                        nest(_key_values(record.get("attributes"))),
                        origin,
                    )


def _otlp_span(span: Mapping[str, Any], resource: dict[str, Any], origin: Origin) -> Span:
    flat = _key_values(span.get("attributes"))
    for event in _each(span, "events"):
        for key, value in _key_values(event.get("attributes")).items():
            flat.setdefault(key, value)
    return Span(
        trace_id=_hex(_required(span, "traceId", "trace_id"), 32),
        span_id=_hex(_required(span, "spanId", "span_id"), 16),
        parent_id=_hex(_get(span, "parentSpanId", "parent_span_id"), 16) or None,
        name=str(span.get("name") or ""),
        start=_time(span, "startTimeUnixNano", "start_time_unix_nano"),
        end=_time(span, "endTimeUnixNano", "end_time_unix_nano"),
        attributes=nest(flat),
        origin=origin,
        resource=resource,
    )


def is_flat(value: Mapping[str, Any]) -> bool:
    """Whether an object is a span with flat attributes, the SDK's own JSON included."""
    has_trace = _trace_id(value) is not None
    return has_trace and (
        isinstance(value.get("attributes"), dict | str)
        or any(str(key).startswith(("attributes.", "openinference.", "gen_ai.")) for key in value)
    )


def read_flat(value: Mapping[str, Any], origin: Origin) -> Span:
    """One flat span: attributes under ``attributes``, or as columns ``attributes.NAME`` or ``NAME``."""
    attributes = parsed(value.get("attributes"))
    flat: dict[str, Any] = dict(attributes) if isinstance(attributes, dict) else {}
    for key, one in value.items():
        if key.startswith("attributes."):
            flat.setdefault(key.removeprefix("attributes."), parsed(one) if isinstance(one, str) else one)
        elif key.startswith(("openinference.", "gen_ai.")):
            flat.setdefault(key, one)
    events = parsed(value.get("events"))
    for event in events if isinstance(events, list) else ():
        inner = event.get("attributes") if isinstance(event, dict) else None
        for key, one in inner.items() if isinstance(inner, dict) else ():
            flat.setdefault(key, one)
    if isinstance(value.get("span_kind"), str):
        flat.setdefault("openinference.span.kind", value["span_kind"])
    context = value.get("context")
    span_id = _get(value, "span_id", "spanId", "context.span_id") or (
        context.get("span_id") if isinstance(context, dict) else None
    )
    if not span_id:
        raise FieldError("span_id", _("is missing"), _("the span's id"))
    resource = value.get("resource")
    return Span(
        trace_id=_bare(_trace_id(value)),
        span_id=_bare(span_id),
        parent_id=_bare(_get(value, "parent_id", "parentId", "parent_span_id", "parentSpanId")) or None,
        name=str(value.get("name") or ""),
        start=_time(value, "start_time", "startTime", "startTimeUnixNano"),
        end=_time(value, "end_time", "endTime", "endTimeUnixNano"),
        attributes=nest(flat),
        origin=origin,
        resource=nest(resource["attributes"])
        if isinstance(resource, dict) and isinstance(resource.get("attributes"), dict)
        else {},
    )


def _trace_id(value: Mapping[str, Any]) -> str | None:
    context = value.get("context")
    found = _get(value, "trace_id", "traceId", "context.trace_id")
    found = found or (context.get("trace_id") if isinstance(context, dict) else None)
    return found if isinstance(found, str) and found else None


def _bare(value: Any) -> str:
    return str(value or "").removeprefix("0x")


def _get(value: Mapping[str, Any], *names: str) -> Any:
    return next((value[name] for name in names if value.get(name) is not None), None)


def _required(value: Mapping[str, Any], *names: str) -> Any:
    found = _get(value, *names)
    if not isinstance(found, str) or not found:
        raise FieldError(
            names[0],
            _("is missing") if found is None else _("{clip} is no id").format(clip=clip(repr(found), 40)),
            _("an id"),
        )
    return found


def _time(value: Mapping[str, Any], *names: str) -> str | None:
    try:
        return moment(_get(value, *names))
    except FieldError as error:
        raise FieldError(names[0], error.wrong, error.expected) from None


def _each(value: Mapping[str, Any], *names: str) -> Iterator[Mapping[str, Any]]:
    found = _get(value, *names)
    if found is None:
        return
    if not isinstance(found, list):
        raise FieldError(names[0], _("is not a list"), _("a list of objects"))
    for one in found:
        if not isinstance(one, dict):
            raise FieldError(names[0], _("{clip} is not an object").format(clip=clip(repr(one), 40)), _("an object"))
        yield one


def _hex(value: Any, length: int) -> str:
    """An id as lower-case hex; protobuf's JSON writes the bytes as base64."""
    text = str(value or "")
    if len(text) == length or not text:
        return text.lower()
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return text
    return data.hex() if len(data) * 2 == length else text


def _attributes(value: Any) -> dict[str, Any]:
    return nest(_key_values(value.get("attributes"))) if isinstance(value, dict) else {}


def _key_values(listed: Any) -> dict[str, Any]:
    """OTLP's list of keys and typed values; a plain object is taken as it is."""
    if isinstance(listed, dict):
        return dict(listed)
    out: dict[str, Any] = {}
    for pair in listed if isinstance(listed, list) else ():
        if isinstance(pair, dict) and isinstance(pair.get("key"), str):
            out[pair["key"]] = any_value(pair.get("value"))
    return out


def any_value(value: Any) -> Any:
    """The value of OTLP's AnyValue; integers stand as texts, doubles may stand as ``NaN`` or ``Infinity``."""
    if not isinstance(value, dict):
        return value
    for kind, one in value.items():
        name = kind.replace("_", "").lower()
        if name == "intvalue":
            return int(one) if isinstance(one, str) and one.lstrip("-").isdecimal() else one
        if name == "doublevalue":
            return float(one) if one in ("NaN", "Infinity", "-Infinity") else one
        if name in ("stringvalue", "boolvalue", "bytesvalue"):
            return one
        if name == "arrayvalue":
            listed = one.get("values") if isinstance(one, dict) else one
            return [any_value(inner) for inner in listed or ()]
        if name == "kvlistvalue":
            return _key_values(one.get("values") if isinstance(one, dict) else one)
    return None
