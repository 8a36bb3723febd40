"""Lint of single records: what each says by itself (DESIGN 11)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.i18n import _d
from inspector.records import (
    ACTIONS,
    BOUNDARY_STATES,
    CURRENT_WORDS,
    FORGOTTEN_WORDS,
    MEMORY_FIELDS,
    STATUS_WORDS,
    Memory,
    Query,
    Record,
    Settings,
)
from inspector.store.boundary import unlawful
from inspector.store.lint_codes import Finding
from inspector.store.timeline import log_of
from inspector.times import Instant, at_or_before, parse_time
from inspector.trit import Trit

_TIMES = tuple(name for name, spec in MEMORY_FIELDS.items() if spec.kind == "time")
#: C0 and C1 controls but for tab and line ends; and the marks, embeddings, overrides and isolates of Unicode's bidi.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_EITHER = re.compile(f"{_CONTROL.pattern[:-1]}{_BIDI.pattern[1:]}")
_STRINGS_AT_MOST = 10_000
_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Guard:
    """What the gate's reading says of one memory, handed in from above (DESIGN 7)."""

    governs: bool
    authority: tuple[str, ...]
    sensitive: bool
    faults: tuple[str, ...]


def lint_memory(index: int, memory: Memory, settings: Settings, guard: Guard | None) -> Iterator[Finding]:
    """The findings about one memory by itself. ``guard`` None: nothing is said about governs and authority."""

    def found(code: str, words: str, field: str = "") -> Finding:
        return Finding(code, memory.origin, words, str(memory.uid), index, field)

    if all(memory.value(name) is None for name in ("namespace", "namespaces", "session_id", "semantic_tag")):
        yield found("orphan", _d("it has no namespace, no session_id and no semantic_tag"), "namespace")
    for code, words, field in _times(memory, settings):
        yield found(code, words, field)
    yield from (found(code, words, field) for code, words, field in _characters(memory))
    yield from (found(code, words, field) for code, words, field in _words(memory))
    for mark, reason in unlawful(memory, settings):
        at = "" if mark.at is None else _d(" at {iso}").format(iso=mark.at.iso())
        yield found(
            "unlawful-transition",
            _d("mark '{word}'{at}: {reason}").format(word=mark.word, at=at, reason=reason),
            "boundary_log",
        )
    if guard is not None:
        yield from (found(code, words, "governs") for code, words in _guarded(memory, guard))


def lint_query(query: Query, settings: Settings) -> Iterator[Finding]:
    """The findings about one query: its time and its action word."""
    record = _d("query {id}").format(id=query.id)
    value = query.value("as_of")
    if value is not None and parse_time(value, "as_of", settings.timezone).naive:
        yield Finding(
            "naive-time", query.origin, _d("as_of {value!r} has no zone").format(value=value), record, None, "as_of"
        )
    action = query.value("expected_action")
    if action is not None and action not in ACTIONS:
        words = _d("expected_action {action!r} is none of {ACTIONS}").format(action=action, ACTIONS=", ".join(ACTIONS))
        yield Finding("unknown-action", query.origin, words, record, None, "expected_action")
    for code, words, field in _characters(query):
        yield Finding(code, query.origin, words, record, None, field)


def _times(memory: Memory, settings: Settings) -> Iterator[tuple[str, str, str]]:
    times: dict[str, Instant] = {}
    for name in _TIMES:
        value = memory.value(name)
        if value is not None:
            times[name] = parse_time(value, name, settings.timezone)
    naive = [name for name, time in times.items() if time.naive]
    for place, entry in enumerate(log_of(memory)):
        at = entry.get("at")
        if at is not None and at != "" and parse_time(at, "at", settings.timezone).naive:
            naive.append(f"boundary_log[{place}].at")
    if naive:
        yield "naive-time", _d("without a zone: {naive}").format(naive=", ".join(naive)), naive[0]
    start, end = times.get("valid_from"), times.get("valid_to")
    if start is not None and end is not None and at_or_before(start, end) == Trit.NO:
        yield (
            "valid-range",
            _d("valid_to {iso} is before valid_from {iso2}").format(iso=end.iso(), iso2=start.iso()),
            "valid_to",
        )
    created = times.get("created_at")
    for name in ("updated_at", "status_at", "deleted_at"):
        later = times.get(name)
        if created is not None and later is not None and at_or_before(created, later) == Trit.NO:
            words = _d("{name} {iso} is before created_at {iso2}").format(
                name=name, iso=later.iso(), iso2=created.iso()
            )
            yield "status-against-times", words, name
    yield from _label(memory, times, settings)


def _label(memory: Memory, times: dict[str, Instant], settings: Settings) -> Iterator[tuple[str, str, str]]:
    """The status label against the times, at the moment that it speaks for; only what is certain is said."""
    status = memory.value("status")
    moment = label_moment(memory, settings)
    if not isinstance(status, str) or moment is None:
        return
    said = _d("status {status} at {iso}").format(status=status, iso=moment.iso())

    def is_past(name: str) -> Trit:
        time = times.get(name)
        return Trit.UNKNOWN if time is None else at_or_before(time, moment)

    if status in CURRENT_WORDS:
        for name in ("deleted_at", "valid_to"):
            if is_past(name) == Trit.YES:
                yield (
                    "status-against-times",
                    _d("{said}, and {name} {iso} had passed").format(said=said, name=name, iso=times[name].iso()),
                    "status",
                )
        if is_past("valid_from") == Trit.NO:
            words = _d("{said}, and valid_from {iso} had not come").format(said=said, iso=times["valid_from"].iso())
            yield "status-against-times", words, "status"
    ends = "valid_to" if status == "expired" else "deleted_at" if status in FORGOTTEN_WORDS else ""
    if ends and is_past(ends) == Trit.NO:
        yield (
            "status-against-times",
            _d("{said}, and {ends} {iso} had not come").format(said=said, ends=ends, iso=times[ends].iso()),
            "status",
        )


def label_moment(memory: Memory, settings: Settings) -> Instant | None:
    """The moment that a status label speaks for: ``status_at``, else the export, else the latest time in the store."""
    stated = memory.value("status_at")
    if stated is not None:
        return parse_time(stated, "status_at", settings.timezone)
    return settings.exported_at or settings.default_as_of


def _strings(value: Any) -> Iterator[str]:
    rest, count = [value], 0
    while rest and count < _STRINGS_AT_MOST:
        one = rest.pop()
        count += 1
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            rest.extend(one.keys())
            rest.extend(one.values())
        elif isinstance(one, list | tuple):
            rest.extend(one)


def _characters(record: Record) -> Iterator[tuple[str, str, str]]:
    for name, value in record.effective().items():
        if name == "embedding":
            continue
        texts = [value] if isinstance(value, str) else _strings(value)
        hits = [text for text in texts if _EITHER.search(text)]
        for code, pattern in (("control-character", _CONTROL), ("bidi-character", _BIDI)):
            chars = sorted({char for text in hits for char in pattern.findall(text)})
            if chars:
                listed = ", ".join(f"U+{ord(char):04X}" for char in chars[:_SHOWN])
                more = _d(" and {count} more").format(count=len(chars) - _SHOWN) if len(chars) > _SHOWN else ""
                yield code, _d("{name} holds {listed}{more}").format(name=name, listed=listed, more=more), name


def _words(memory: Memory) -> Iterator[tuple[str, str, str]]:
    for name, known in (("status", STATUS_WORDS), ("boundary_state", BOUNDARY_STATES)):
        value = memory.value(name)
        if value is not None and value not in known:
            yield (
                "unknown-status",
                _d("{name} {value!r} is none of {known}").format(name=name, value=value, known=", ".join(known)),
                name,
            )
    marks = sorted({str(entry.get("state")) for entry in log_of(memory)} - set(BOUNDARY_STATES))
    if marks:
        words = _d("boundary_log has {map}: none of {BOUNDARY_STATES}").format(
            map=", ".join(map(repr, marks)), BOUNDARY_STATES=", ".join(BOUNDARY_STATES)
        )
        yield "unknown-status", words, "boundary_log"
    hint = memory.value("allowed_action_hint")
    if hint is not None and hint not in ACTIONS:
        words = _d("allowed_action_hint {hint!r} is none of {ACTIONS}").format(hint=hint, ACTIONS=", ".join(ACTIONS))
        yield "unknown-action", words, "allowed_action_hint"


def _guarded(memory: Memory, guard: Guard) -> Iterator[tuple[str, str]]:
    if guard.faults:
        yield "malformed-governs", "; ".join(guard.faults)
    elif guard.governs and not guard.authority:
        yield "governs-without-authority", _d("it governs, and no field gives it authority")
    if guard.authority and not guard.governs:
        yield (
            "authority-without-governs",
            _d("authority by {authority}, and governs is absent or empty").format(authority=", ".join(guard.authority)),
        )
    if guard.sensitive and not guard.governs and not guard.authority:
        words = _d("sensitivity {value!r}, and neither governs nor an authority signal").format(
            value=memory.value("sensitivity")
        )
        yield "sensitive-unguarded", words


def untrained(memories: Sequence[Memory], share: Any, scripts: frozenset[str]) -> Iterator[Finding]:
    """Texts of which less than half of the letters are in the scripts that the model was trained for.

    ``share`` gives the share of a text's letters by script. A language of the right script that the model does not
    know is not noticed: there is no language model here.
    """
    for index, memory in enumerate(memories):
        shares: dict[str, float] = share(memory.text)
        known = sum(part for script, part in shares.items() if script in scripts)
        if known < 0.5 and any(map(str.isalpha, memory.text)):
            words = _d("{known:.0%} of its letters are not {scripts}").format(
                known=1 - known, scripts=_d(" or ").join(sorted(scripts))
            )
            yield Finding("untrained-text", memory.origin, words, str(memory.uid), index, "text")
