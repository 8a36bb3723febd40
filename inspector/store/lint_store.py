"""Lint of records against each other: repeats, links, keys, merges, losses (DESIGN 11)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from inspector.i18n import _d
from inspector.ids import IdIndex
from inspector.records import (
    CURRENT_WORDS,
    STATUS_WORDS,
    Memory,
    Presence,
    Query,
    Settings,
    presence_of,
)
from inspector.store.lint_codes import Finding
from inspector.store.lint_records import label_moment
from inspector.store.timeline import Timeline
from inspector.text import fold, lexical_tokens
from inspector.times import at_or_before, parse_time
from inspector.trit import Trit

#: A field counts as one that such records have from this share of those never updated on, and from this many [ours].
COHORT_SHARE, COHORT_SIZE = 0.9, 5
#: An answer shorter than this many tokens says what anybody may say [ours].
ANSWER_TOKENS = 3
_ENDED = frozenset(STATUS_WORDS) - frozenset(CURRENT_WORDS)
#: Fields that an update may well change or leave out.
_NOT_LOST = frozenset(
    (
        *("id", "text", "namespace", "namespaces", "created_at", "updated_at", "valid_from", "valid_to", "deleted_at"),
        *("status", "status_at", "superseded_by", "boundary_state", "boundary_log", "contradiction_count"),
        *("embedding", "loss", "plane"),
    )
)


def normalised(text: str) -> str:
    """A text as repeats are compared: NFKC and case folded, runs of white space as one space."""
    return " ".join(fold(text).split())


def _found(memories: Sequence[Memory], index: int, code: str, words: str, field: str, *related: int) -> Finding:
    memory = memories[index]
    return Finding(code, memory.origin, words, str(memory.uid), index, field, related)


def duplicate_texts(memories: Sequence[Memory]) -> Iterator[Finding]:
    """Every memory whose normalised text another of its namespace, listed before it, already has."""
    first: dict[tuple[str, str], int] = {}
    for index, memory in enumerate(memories):
        text = normalised(memory.text)
        other = first.setdefault((memory.uid.namespace, text), index)
        if other != index:
            words = _d("the same text as {uid} at {origin}").format(
                uid=memories[other].uid, origin=memories[other].origin
            )
            yield _found(memories, index, "duplicate-text", words, "text", other)


class Links:
    """Resolves an id as ``superseded_by`` means it: in the own namespace first, else where the id is unique."""

    def __init__(self, memories: Sequence[Memory]) -> None:
        self.memories = memories
        self.by_id = IdIndex(memories)

    def of(self, index: int, name: str) -> tuple[int | None, str]:
        """The memory that an id means for the one at ``index``, or None and why there is none."""
        places = self.by_id.get(name)
        near = [one for one in places if self.memories[one].owner_key == self.memories[index].owner_key]
        if near:
            return near[0], ""
        if len(places) == 1:
            return places[0], ""
        return None, _d("is in {count} other namespaces").format(count=len(places)) if places else _d(
            "is not in the store"
        )


def successors(memories: Sequence[Memory], links: Links, settings: Settings) -> Iterator[Finding]:
    """Successors that are not there, that lead back in a circle, or that a current label does not know of."""
    names = {i: str(name) for i, memory in enumerate(memories) if (name := memory.value("superseded_by")) is not None}
    following: dict[int, int] = {}
    for index, name in names.items():
        goal, trouble = links.of(index, name)
        if goal is None:
            yield _found(
                memories,
                index,
                "dangling-successor",
                _d("superseded_by {name!r} {trouble}").format(name=name, trouble=trouble),
                "superseded_by",
            )
        else:
            following[index] = goal
    circles = _circles(following)
    for index, goal in following.items():
        if index in circles:
            round_trip = " → ".join(memories[one].id for one in (*circles[index], index))
            words = _d("superseded_by leads in a circle: {round_trip}").format(round_trip=round_trip)
            yield _found(memories, index, "cyclic-successor", words, "superseded_by", *circles[index])
            continue
        words = _current_though_replaced(memories[index], memories[goal], settings)
        if words:
            yield _found(memories, index, "status-against-times", words, "status", goal)


def _circles(following: Mapping[int, int]) -> dict[int, tuple[int, ...]]:
    """The members of each circle, each with the way from it round to its predecessor."""
    found: dict[int, tuple[int, ...]] = {}
    done: set[int] = set()
    for start in following:
        path: dict[int, int] = {}
        at: int | None = start
        while at is not None and at not in done and at not in path:
            path[at] = len(path)
            at = following.get(at)
        if at is not None and at in path:
            ring = list(path)[path[at] :]
            found.update({one: (*ring[i:], *ring[:i]) for i, one in enumerate(ring)})
        done.update(path)
    return found


def _current_though_replaced(memory: Memory, successor: Memory, settings: Settings) -> str:
    status, moment = memory.value("status"), label_moment(memory, settings)
    name = "valid_from" if successor.value("valid_from") is not None else "created_at"
    since = successor.value(name)
    if status not in CURRENT_WORDS or moment is None or since is None:
        return ""
    start = parse_time(since, name, settings.timezone)
    if at_or_before(start, moment) != Trit.YES:
        return ""
    return _d("status {status} at {iso}, and {uid}, which replaced it, was valid from {iso2}").format(
        status=status, iso=moment.iso(), uid=successor.uid, iso2=start.iso()
    )


def missing_keys(memories: Sequence[Memory], queries: Sequence[Query]) -> Iterator[Finding]:
    """Memories without a value for a key by which every query with keys asks, or that most memories have [ours]."""
    asked = [_held(query.value("keys")) for query in queries]
    asked = [names for names in asked if names]
    expected = set.intersection(*asked) if asked else set()
    held = [_held(memory.value("keys")) for memory in memories]
    counts = Counter(name for names in held for name in names)
    common = {name for name, count in counts.items() if 2 * count > len(memories)}
    for index, names in enumerate(held):
        missing = sorted((expected | common) - names)
        if missing:
            why = (
                _d("which every query with keys asks by")
                if expected.issuperset(missing)
                else _d("which most memories have")
            )
            yield _found(
                memories,
                index,
                "missing-key",
                _d("no value for {missing}, {why}").format(missing=", ".join(missing), why=why),
                "keys",
            )


def _held(keys: Any) -> set[str]:
    if not isinstance(keys, dict):
        return set()
    return {name for name, value in keys.items() if presence_of(value) is Presence.VALUE}


def is_live(memory: Memory, settings: Settings) -> bool:
    """Whether nothing retires the memory: no deletion, successor, ended label, or boundary state but active."""
    if memory.value("superseded_by") is not None or memory.value("deleted_at") is not None:
        return False
    if memory.value("status") in _ENDED:
        return False
    return Timeline(memory, settings).standing().state in ("active", None)


def merged_ghosts(memories: Sequence[Memory], links: Links, settings: Settings) -> Iterator[Finding]:
    """Memories that are listed as merged into a live record, and are live themselves."""
    said: set[tuple[int, int]] = set()
    for index, memory in enumerate(memories):
        meta = memory.value("meta")
        if not isinstance(meta, dict):
            continue
        pairs = [(name, True) for name in _ids(meta.get("merged_from"))]
        pairs += [(name, False) for name in _ids(meta.get("merged_into"))]
        for name, is_part in pairs:
            other, _rest1 = links.of(index, name)
            if other is None or other == index:
                continue
            part, whole = (other, index) if is_part else (index, other)
            if (part, whole) in said or not is_live(memories[part], settings) or not is_live(memories[whole], settings):
                continue
            said.add((part, whole))
            words = _d("listed as merged into {uid}, which is live, and live itself").format(uid=memories[whole].uid)
            yield _found(memories, part, "ghost", words, "", whole)


def _ids(value: Any) -> list[str]:
    listed = value if isinstance(value, list) else [value]
    found = [one.get("id") if isinstance(one, dict) else one for one in listed]
    return [one for one in found if isinstance(one, str) and one]


def lost_metadata(memories: Sequence[Memory], settings: Settings) -> Iterator[Finding]:
    """Updated memories without fields that nearly all of those never updated have: what the update dropped."""
    fresh: list[Memory] = []
    updated: list[int] = []
    for index, memory in enumerate(memories):
        changed = _was_updated(memory, settings)
        if changed is None:
            continue
        if changed:
            updated.append(index)
        else:
            fresh.append(memory)
    if len(fresh) < COHORT_SIZE or not updated:
        return
    counts = Counter(name for memory in fresh for name in descriptive(memory))
    usual = {name for name, count in counts.items() if count >= COHORT_SHARE * len(fresh)}
    for index in updated:
        lost = sorted(usual - descriptive(memories[index]))
        if lost:
            since = memories[index].value("updated_at")
            words = _d("updated at {since}, and without {lost}, which {count:,} never updated ones have").format(
                since=since, lost=", ".join(lost), count=len(fresh)
            )
            yield _found(memories, index, "metadata-lost", words, lost[0].partition(".")[0])


def _was_updated(memory: Memory, settings: Settings) -> bool | None:
    """Whether it was changed after it was stored; None where the times do not say."""
    created, updated = memory.value("created_at"), memory.value("updated_at")
    if updated is None:
        return False
    if created is None:
        return None
    first = parse_time(created, "created_at", settings.timezone)
    order = at_or_before(parse_time(updated, "updated_at", settings.timezone), first)
    return None if order == Trit.UNKNOWN else order == Trit.NO


def descriptive(memory: Memory) -> set[str]:
    """The fields with a value that an update has no reason to drop; those inside ``meta`` by their dotted names."""
    found = set()
    for name, value in memory.effective().items():
        if name == "meta" and isinstance(value, dict):
            found |= {f"meta.{key}" for key, inner in value.items() if presence_of(inner) is Presence.VALUE}
        elif name not in _NOT_LOST and presence_of(value) is Presence.VALUE:
            found.add(name)
    return found


def answers(memories: Sequence[Memory], queries: Iterable[Query], settings: Settings) -> Iterator[Finding]:
    """Memories that repeat a recorded answer and are not known to have been there before it."""
    given: dict[str, list[Query]] = {}
    for query in queries:
        recorded = query.value("recorded")
        answer = recorded.get("answer") if isinstance(recorded, dict) else None
        if isinstance(answer, str) and len(lexical_tokens(answer)) >= ANSWER_TOKENS:
            given.setdefault(normalised(answer), []).append(query)
    if not given:
        return
    for index, memory in enumerate(memories):
        for query in given.get(normalised(memory.text), ()):
            later = _stored_after(memory, query, settings)
            if later == Trit.NO:
                continue
            when = _d("stored after it") if later == Trit.YES else _d("and no time tells which was first")
            words = _d("the text of the answer to query {id}, {when}").format(id=query.id, when=when)
            yield _found(memories, index, "same-as-answer", words, "text")
            break


def _stored_after(memory: Memory, query: Query, settings: Settings) -> Trit:
    created, asked = memory.value("created_at"), query.value("as_of")
    if created is None or asked is None:
        return Trit.UNKNOWN
    stored = parse_time(created, "created_at", settings.timezone)
    before = at_or_before(stored, parse_time(asked, "as_of", settings.timezone))
    return Trit(2 - int(before))
