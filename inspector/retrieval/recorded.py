"""The ranking that a trace recorded (DESIGN 2, 4, 8): read as it is, with everything odd about it said."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from inspector.i18n import _d
from inspector.ids import IdIndex
from inspector.records import Memory, Presence, Query, namespace_key, presence_of
from inspector.retrieval.pool import PoolView
from inspector.retrieval.pools import not_no, one_row
from inspector.text import content_hash, token_line


@dataclass(slots=True)
class Hit:
    """One memory that the trace retrieved: index, score as recorded (NaN where there is none), the event's name."""

    mi: int
    score: float
    event: str


@dataclass(slots=True)
class Trace:
    """One query's retrieval as recorded: hits in rank order, ids that are not stored, and remarks."""

    hits: list[Hit] = field(default_factory=list)
    unknown: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def _score(item: Mapping[str, Any]) -> float:
    value = item.get("score")
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan


def _names(events: Sequence[Mapping[str, Any]]) -> list[str]:
    """A name for each event: its own, numbered from the second time it comes; else its number."""
    seen: dict[str, int] = {}
    names = []
    for number, event in enumerate(events, 1):
        name = event.get("name") or _d("event {number}").format(number=number)
        seen[name] = seen.get(name, 0) + 1
        names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return names


def ranked(event: Mapping[str, Any], name: str, notes: list[str]) -> list[Mapping[str, Any]]:
    """The event's items in rank order: by score where its direction is known, else as the trace lists them.

    NaN and null scores come last. Scores that are all equal rank nothing. What could not be used is added to
    ``notes``.
    """
    items = [item for item in event.get("retrieved") or [] if isinstance(item, dict)]
    scores = [_score(item) for item in items]
    known = [score for score in scores if math.isfinite(score)]
    missing = len(scores) - len(known)
    kind = event.get("score_kind")
    if event.get("kind") != "rerank" and presence_of(event.get("filter")) is not Presence.VALUE:
        notes.append(_d("{name}: unfiltered retrieval").format(name=name))
    if missing and known:
        notes.append(
            _d("{name}: {missing} of {count} scores are missing or not a number: ranked last").format(
                name=name, missing=missing, count=len(scores)
            )
        )
    elif missing:
        notes.append(_d("{name}: no scores: ranked as listed").format(name=name))
    if len(known) > 1 and len(set(known)) == 1:
        notes.append(_d("{name}: all scores are {known:g}: ranked as listed").format(name=name, known=known[0]))
    if known and kind not in ("similarity", "distance"):
        notes.append(_d("{name}: it is not known whether a high score is good: ranked as listed").format(name=name))
        return sorted(items, key=lambda item: not math.isfinite(_score(item)))
    sign = 1.0 if kind == "distance" else -1.0
    places = range(len(items))
    order = sorted(places, key=lambda place: (not math.isfinite(scores[place]), _worth(scores[place], sign)))
    if [place for place in order if math.isfinite(scores[place])] != [p for p in places if math.isfinite(scores[p])]:
        notes.append(_d("{name}: listed in another order than its scores: ranked by score").format(name=name))
    return [items[place] for place in order]


def _worth(score: float, sign: float) -> float:
    return sign * score if math.isfinite(score) else 0.0


class TraceReader:
    """Reads the recorded rankings of queries against the memories of the store."""

    def __init__(self, view: PoolView) -> None:
        self._view = view
        self._by_id = IdIndex(view.memories)
        self._hashes: dict[str, list[int]] | None = None
        self._lines: dict[str, list[int]] | None = None

    def read(self, qi: int) -> Trace:
        """The ranking of one query: the union of its events in order, each memory where it first comes."""
        query: Query = self._view.queries[qi]
        recorded = query.value("recorded")
        listed = recorded.get("events") if isinstance(recorded, dict) else None
        events = [event for event in listed or [] if isinstance(event, dict)]
        trace = Trace()
        seen: set[int] = set()
        for event, name in zip(events, _names(events), strict=True):
            for item in ranked(event, name, trace.notes):
                mi = self._resolve(item, qi, name, trace)
                if mi is not None and mi not in seen:
                    seen.add(mi)
                    trace.hits.append(Hit(mi, _score(item), name))
        return trace

    def _resolve(self, item: Mapping[str, Any], qi: int, event: str, trace: Trace) -> int | None:
        """The memory that an item means: by id and namespace, then content hash, then text; scope tells twins apart."""
        memories = self._view.memories
        wanted = str(item.get("id"))
        found = list(self._by_id.get(wanted))
        if presence_of(item.get("namespace")) is Presence.VALUE:
            found = [mi for mi in found if _is_of(memories[mi], item["namespace"])]
        if len(found) != 1 and isinstance(item.get("content_hash"), str):
            by_hash = self._with_hash(item["content_hash"])
            found = [mi for mi in found if mi in by_hash] or ([] if found else list(by_hash)) or found
        if not found and isinstance(item.get("text"), str):
            found = self._with_text(item["text"])
        if len(found) > 1:
            indices = np.array(found, dtype=np.int64)
            found = indices[not_no(one_row(self._view.scope, indices, qi))].tolist() or found
        if not found:
            trace.unknown.append((event, wanted))
            return None
        if len(found) > 1:
            trace.notes.append(
                _d("{event}: {count} stored memories could be {wanted}: the first by uid is taken").format(
                    event=event, count=len(found), wanted=wanted
                )
            )
        return min(found, key=lambda mi: int(self._view.uid_rank[mi]))

    def _with_hash(self, digest: str) -> list[int]:
        if self._hashes is None:
            self._hashes = {}
            for mi, memory in enumerate(self._view.memories):
                self._hashes.setdefault(content_hash(memory.text), []).append(mi)
        return self._hashes.get(digest.lower().removeprefix("sha256:"), [])

    def _with_text(self, text: str) -> list[int]:
        """Memories of the same word tokens: stores and traces differ in white space and punctuation."""
        line = token_line(text)
        if self._lines is None:
            self._lines = {}
            for mi, memory in enumerate(self._view.memories):
                self._lines.setdefault(token_line(memory.text), []).append(mi)
        return self._lines.get(line, []) if len(line) > 2 else []


def _is_of(memory: Memory, namespace: Any) -> bool:
    """Whether the memory is the one that was stored under this namespace; one of several owners counts too."""
    owners = memory.source("namespaces")
    return memory.uid.namespace == namespace_key({"namespace": namespace}) or (
        isinstance(owners, list) and namespace in owners
    )
