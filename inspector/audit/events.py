"""What a trace recorded of one query: retrieval events, exposed records, prompt, turns, answer (DESIGN 2, 8).

Beside the fields of DESIGN 2 an event may carry ``at`` (when it happened), ``kind`` (``retrieval`` or ``rerank``),
``dropped`` (what a reranker was given and did not return) and, for each retrieved item, ``text``; the recorded block
may carry ``prompt_at`` and ``answer_at``. Importers of traces write them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.audit.corpus import Corpus, MatchKind
from inspector.errors import FieldError
from inspector.i18n import _d
from inspector.records import ABSENT, Presence, Query, presence_of, show_namespace
from inspector.times import Instant, parse_time


@dataclass(frozen=True, slots=True)
class Item:
    """One record that a trace names. ``memories`` are those that it can mean: none where it is not stored, several
    where it cannot be told which. ``rank`` counts from 1 as the trace lists them; ``score`` is None where it is none.
    """

    id: str
    namespace: str
    rank: int
    score: float | None
    memories: tuple[int, ...]
    kind: MatchKind
    text: str | None = None

    @property
    def shown(self) -> str:
        """The item's id with its namespace where it has one."""
        return f"{self.namespace}/{self.id}" if self.namespace else self.id


@dataclass(frozen=True, slots=True)
class Event:
    """One retrieval event: what it returned, what it dropped, its filter as recorded (ABSENT where there is none)."""

    name: str
    kind: str
    at: Instant | None
    filter: Any
    score_kind: str
    items: tuple[Item, ...]
    dropped: tuple[Item, ...]

    @property
    def unfiltered(self) -> bool:
        """A retrieval that no filter restricted; a reranker only orders what it is given."""
        return self.kind != "rerank" and presence_of(self.filter) is not Presence.VALUE


@dataclass(frozen=True, slots=True)
class Recorded:
    """Everything that a trace recorded of one query, read against the store."""

    events: tuple[Event, ...]
    has_events: bool
    prompt: str | None
    turns: tuple[str, ...]
    turn_items: tuple[Item, ...]
    answer: str | None
    prompt_at: Instant | None
    answer_at: Instant | None


def block(query: Query) -> Mapping[str, Any]:
    """The query's recorded block, empty where there is none."""
    recorded = query.value("recorded")
    return recorded if isinstance(recorded, dict) else {}


def text_of(recorded: Mapping[str, Any], name: str) -> str | None:
    """A text of the block; None where it is absent, null or empty: only a value says something."""
    value = recorded.get(name)
    return value if isinstance(value, str) and value else None


def read_recorded(query: Query, corpus: Corpus, among: Collection[int] = (), timezone: str | None = None) -> Recorded:
    """Read the query's recorded block; ``among`` are memories already known to have been retrieved."""
    recorded = block(query)
    listed = recorded.get("events")
    events = [event for event in listed if isinstance(event, dict)] if isinstance(listed, list) else []
    turns = list(_turns(recorded.get("recent_turns")))
    return Recorded(
        events=tuple(
            _event(event, name, corpus, among, timezone) for event, name in zip(events, _names(events), strict=True)
        ),
        has_events=isinstance(listed, list),
        prompt=text_of(recorded, "prompt"),
        turns=tuple(text for text, _ in turns if text),
        turn_items=tuple(_items([turn for _, turn in turns if "id" in turn], corpus, among)),
        answer=text_of(recorded, "answer"),
        prompt_at=_time(recorded.get("prompt_at"), timezone),
        answer_at=_time(recorded.get("answer_at"), timezone),
    )


def _names(events: Sequence[Mapping[str, Any]]) -> list[str]:
    """A name for each event: its own, numbered from the second time it comes; else its number."""
    seen: dict[str, int] = {}
    names = []
    for number, event in enumerate(events, 1):
        given = event.get("name")
        name = given if isinstance(given, str) and given else _d("event {number}").format(number=number)
        seen[name] = seen.get(name, 0) + 1
        names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return names


def _event(event: Mapping[str, Any], name: str, corpus: Corpus, among: Collection[int], timezone: str | None) -> Event:
    score_kind = event.get("score_kind")
    return Event(
        name=name,
        kind="rerank" if event.get("kind") == "rerank" else "retrieval",
        at=_time(event.get("at"), timezone),
        filter=event.get("filter", ABSENT),
        score_kind=score_kind if score_kind in ("similarity", "distance") else "unknown",
        items=tuple(_items(event.get("retrieved"), corpus, among)),
        dropped=tuple(_items(event.get("dropped"), corpus, among)),
    )


def _items(listed: Any, corpus: Corpus, among: Collection[int]) -> Iterator[Item]:
    rank = 0
    for one in listed if isinstance(listed, list) else ():
        item = {"id": one} if isinstance(one, str) else one
        if not isinstance(item, dict):
            continue
        rank += 1
        match = corpus.match(item, among)
        text = item.get("text")
        yield Item(
            id=str(item.get("id", "")),
            namespace=show_namespace(item.get("namespace")),
            rank=rank,
            score=_score(item.get("score")),
            memories=match.memories,
            kind=match.kind,
            text=text if isinstance(text, str) else None,
        )


def _score(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _time(value: Any, timezone: str | None) -> Instant | None:
    if value is None or value == "":
        return None
    try:
        return parse_time(value, "at", timezone)
    except FieldError:
        return None  # the trace's own time is no field that can be refused here; without it no order is claimed


def _turns(value: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The texts of recent turns, as strings, as messages with ``content`` or ``text``, or as messages of parts."""
    if isinstance(value, str):
        yield value, {}
        return
    for turn in value if isinstance(value, list) else ():
        if isinstance(turn, str):
            yield turn, {}
        elif isinstance(turn, dict):
            yield message_text(turn), turn


def message_text(message: Mapping[str, Any]) -> str:
    """The text of one chat message: its ``content`` or ``text``, or those of its parts joined by line feeds."""
    for name in ("content", "text", "parts", "user", "assistant"):
        value = message.get(name)
        if isinstance(value, str):
            both = message.get("assistant")
            return f"{value}\n{both}" if name == "user" and isinstance(both, str) else value
        if isinstance(value, list):
            parts = [
                part if isinstance(part, str) else message_text(part) for part in value if isinstance(part, str | dict)
            ]
            return "\n".join(part for part in parts if part)
    return ""
