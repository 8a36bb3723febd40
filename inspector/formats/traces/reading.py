"""Reading a trace file and laying what it says at its queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspector.errors import FieldError, InputError
from inspector.formats.base import DEPTH_LIMIT, Watch, at, clip, name_of
from inspector.formats.collect import Collector
from inspector.formats.decode import check_tree
from inspector.formats.lines import Fault
from inspector.formats.rows import Raw
from inspector.formats.traces import langfuse
from inspector.formats.traces.build import TraceQuery, build
from inspector.formats.traces.parts import Part, of_span
from inspector.formats.traces.spans import Span, is_flat, parsed, read_flat, read_otlp
from inspector.formats.traces.stream import EXPECTED, read_values
from inspector.i18n import D_, _
from inspector.records import QUERY_FIELDS, Origin, Query, check_field
from inspector.text import words

#: Notes: how many traces were laid on which queries.
_BY_ID = D_("traces: {count} matched by id")
_BY_WORDS = D_("traces: {count} matched by the question's words")
_ALREADY = D_("traces: {count} of a query that has a recorded block already, left out")
_NO_CALL = D_("traces: {count} without a retrieval or a model call")
_OWN = D_("traces: {count} made a query of their own")
_NAMELESS = D_("traces: {count} documents without id and text were left out")

_OTLP = ("resourceSpans", "resource_spans", "resourceLogs", "resource_logs")
_WRAPPERS = ("data", "spans", "traces", "observations", "batch")


@dataclass(slots=True)
class _Found:
    """What a trace file holds: parts by trace, in the order of first appearance, and our own recorded blocks."""

    parts: dict[str, list[Part]] = field(default_factory=dict)
    blocks: list[tuple[Mapping[str, Any], Origin]] = field(default_factory=list)
    logs: list[Span] = field(default_factory=list)
    spans: dict[tuple[str, str], Span] = field(default_factory=dict)

    def add(self, part: Part) -> None:
        """Add one part to its trace."""
        self.parts.setdefault(part.trace_id, []).append(part)

    def close(self, fault: Fault) -> None:
        """Give the log records' attributes to their spans, and read all spans."""
        for log in self.logs:
            span = self.spans.get((log.trace_id, log.span_id))
            if span is not None:
                for key, value in log.attributes.items():
                    held = span.attributes.get(key)
                    if isinstance(held, dict) and isinstance(value, dict):
                        span.attributes[key] = _under(value, held)
                    else:
                        span.attributes.setdefault(key, value)
        for span in self.spans.values():
            try:
                self.add(of_span(span))
            except RecursionError:
                fault(_too_deep(span.origin))


def _under(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        held = merged.get(key)
        merged[key] = _under(held, value) if isinstance(held, dict) and isinstance(value, dict) else value
    return merged


def read(path: Path, collector: Collector, watch: Watch) -> None:
    """Read a trace file into the collector's queries, which must all have been read before.

    Raises InputError, or where the load is lenient lists it, for values that are no trace; says in notes how many
    traces found their query, made one, or said nothing of a retrieval or an answer.
    """
    found = _Found()
    for raw in read_values(path, watch, collector.fault):
        try:
            if raw.suspect:
                check_tree(raw.value)
            _take(raw, found)
        except FieldError as error:
            collector.fault(at(error, raw.origin.file, raw.origin.line))
        except RecursionError:
            collector.fault(_too_deep(raw.origin))
    found.close(collector.fault)
    _Attach(collector, name_of(path)).run(found)


def looks_like(path: Path) -> bool:
    """Whether a file that could not be read as a store begins with a span, an observation or a recorded block."""

    def fault(error: InputError) -> None:
        raise error

    try:
        raw = next(iter(read_values(path, Watch(None, lambda: False, None), fault)), None)
        one = None if raw is None else next(_unwrapped(raw.value), None)
    except (FieldError, InputError, RecursionError):
        return False
    if one is None:
        return False
    block = "query_id" in one and isinstance(one.get("recorded"), dict)
    spans = any(name in one for name in _OTLP) or is_flat(one)
    return block or spans or langfuse.is_observation(one) or langfuse.is_trace(one)


def _too_deep(origin: Origin) -> InputError:
    return InputError.at(
        origin.file,
        origin.line,
        "",
        _("nested too deeply"),
        _("at most {DEPTH_LIMIT} levels").format(DEPTH_LIMIT=DEPTH_LIMIT),
    )


def _take(raw: Raw, found: _Found) -> None:
    for value in _unwrapped(raw.value):
        if any(name in value for name in _OTLP):
            for span in read_otlp(value, raw.origin):
                if span.parent_id == "":  # a log record
                    found.logs.append(span)
                else:
                    found.spans[span.trace_id, span.span_id] = span
        elif isinstance(value.get("recorded"), dict):
            found.blocks.append((value, raw.origin))
        elif is_flat(value):
            span = read_flat(value, raw.origin)
            found.spans[span.trace_id, span.span_id] = span
        elif langfuse.is_observation(value):
            found.add(langfuse.of_observation(value, raw.origin))
        elif langfuse.is_trace(value):
            for part in langfuse.of_trace(value, raw.origin):
                found.add(part)
        else:
            keys = ", ".join(clip(str(key), 40) for key in sorted(value, key=str)[:8]) or _("none")
            raise FieldError("", _("is no span and no trace (its fields: {keys})").format(keys=keys), EXPECTED)


def _unwrapped(value: Any) -> Iterator[Mapping[str, Any]]:
    """The objects of a value: itself, or those of the list that an API's page wraps."""
    if isinstance(value, list):
        for one in value:
            yield from _unwrapped(one)
        return
    if not isinstance(value, dict):
        raise FieldError("", _("{clip} is not an object").format(clip=clip(repr(value), 40)), EXPECTED)
    known = any(name in value for name in (*_OTLP, "recorded")) or is_flat(value)
    if not known and not langfuse.is_observation(value) and "id" not in value:
        for name in _WRAPPERS:
            listed = parsed(value.get(name))
            if isinstance(listed, list):
                yield from _unwrapped(listed)
                return
    yield value


class _Attach:
    """Lays traces at queries, and counts how each was matched."""

    def __init__(self, collector: Collector, name: str) -> None:
        self._collector = collector
        self._name = name
        self._by_id = {query.id: query for query in collector.queries}
        self._by_words: dict[tuple[str, ...], list[Query]] = {}
        for query in collector.queries:
            self._by_words.setdefault(tuple(words(query.text)), []).append(query)
        self._how: Counter[str] = Counter()
        self._done: set[str] = set()

    def run(self, found: _Found) -> None:
        """Lay everything that was found."""
        nameless = 0
        for block, origin in found.blocks:
            self._own(block, origin)
        for trace_id, parts in found.parts.items():
            made = build(trace_id, parts)
            if made is None:
                self._how[_NO_CALL] += 1
                continue
            nameless += made.nameless
            self._lay(made)
        if not self._how:
            self._collector.fault(InputError.at(self._name, None, "", _("holds no trace"), EXPECTED))
            return
        self._collector.notes += [how.format(count=f"{count:,}") for how, count in self._how.items()]
        if nameless:
            self._collector.notes.append(_NAMELESS.format(count=f"{nameless:,}"))

    def _own(self, block: Mapping[str, Any], origin: Origin) -> None:
        wanted = block.get("query_id", block.get("id"))
        query = self._by_id.get(wanted) if isinstance(wanted, str) else None
        if query is None:
            wrong = (
                _("is missing") if wanted is None else _("{clip} is no query's id").format(clip=clip(repr(wanted), 60))
            )
            self._collector.fault(InputError.at(origin.file, origin.line, "query_id", wrong, _("the id of a query")))
            return
        self._record(query, block["recorded"], origin, _BY_ID)

    def _lay(self, trace: TraceQuery) -> None:
        query, how = self._query(trace)
        if query is None:
            fields = trace.fields(self._new_id(trace))
            before = len(self._collector.queries)
            self._collector.query(fields, trace.origin, suspect=True)
            if len(self._collector.queries) > before:
                self._how[_OWN] += 1
                self._by_id[fields["id"]] = self._collector.queries[-1]
            return
        if self._record(query, trace.recorded, trace.origin, how):
            # What the source says of the question stands; the trace says only what the source leaves out.
            for name, value in trace.fields(query.id).items():
                if name in ("principal", "session_id", "as_of") and name not in query.names:
                    query.rewrite({**query.fields, name: value})

    def _new_id(self, trace: TraceQuery) -> str:
        return trace.query_id if trace.query_id is not None and trace.query_id not in self._by_id else trace.trace_id

    def _query(self, trace: TraceQuery) -> tuple[Query | None, str]:
        for wanted in (trace.query_id, trace.trace_id):
            if wanted is not None and wanted in self._by_id:
                return self._by_id[wanted], _BY_ID
        same = [one for one in self._by_words.get(tuple(words(trace.text)), ()) if one.id not in self._done]
        if len(same) > 1 and trace.user is not None:
            same = [one for one in same if (one.value("principal") or {}).get("id") == trace.user] or same
        if len(same) > 1 and trace.session is not None:
            same = [one for one in same if one.value("session_id") == trace.session] or same
        return (same[0], _BY_WORDS) if len(same) == 1 and words(trace.text) else (None, "")

    def _record(self, query: Query, recorded: Any, origin: Origin, how: str) -> bool:
        try:
            check_tree({"recorded": recorded})
            check_field(QUERY_FIELDS["recorded"], recorded)
        except FieldError as error:
            self._collector.fault(at(error, origin.file, origin.line))
            return False
        if query.id in self._done or query.value("recorded") is not None:
            self._how[_ALREADY] += 1
            return False
        query.rewrite({**query.fields, "recorded": recorded})
        self._done.add(query.id)
        self._how[how] += 1
        return True
