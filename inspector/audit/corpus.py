"""The store as the audit looks into it: records by id, content hash and text (DESIGN 8).

Matching goes by id, then content hash, then text, and always says which.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from inspector.audit.runs import SHORTEST_RUN, Gram, grams
from inspector.audit.tokens import run_words
from inspector.ids import IdIndex
from inspector.records import Memory, Presence, namespace_key, presence_of
from inspector.text import content_hash, token_line

#: How a record was matched: by id, by content hash, by text; "assembled" where nothing was recorded.
MatchKind = Literal["exact", "strong", "weak", "assembled", "none"]
BY = {"exact": "id", "strong": "content hash", "weak": "text"}
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Match:
    """The memories that an item of a trace can mean, and what says so. More than one: it cannot be told which."""

    memories: tuple[int, ...]
    kind: MatchKind


@dataclass(frozen=True, slots=True)
class Sought:
    """What is looked for in a whole store: texts in which a memory may stand, strings that a memory may hold."""

    texts: tuple[str, ...]
    targets: tuple[str, ...] = ()


@dataclass(slots=True)
class Corpus:
    """The memories of a store, with the indices that matching needs, each built when it is first asked for."""

    memories: Sequence[Memory]
    _ids: IdIndex | None = None
    _hashes: dict[str, list[int]] | None = None
    _texts: dict[str, list[int]] | None = None

    @property
    def by_id(self) -> IdIndex:
        """Indices of the memories of each bare id."""
        if self._ids is None:
            self._ids = IdIndex(self.memories)
        return self._ids

    def with_hash(self, digest: str) -> Sequence[int]:
        """Memories whose text has this hash: SHA-256 or MD5 in hex, with or without ``sha256:`` or ``md5:``."""
        if self._hashes is None:
            self._hashes = {}
            for mi, memory in enumerate(self.memories):
                for one in hashes(memory.text):
                    self._hashes.setdefault(one, []).append(mi)
        return self._hashes.get(digest.lower().rpartition(":")[2], ())

    def with_text(self, text: str) -> Sequence[int]:
        """Memories whose text has the same word tokens; none for a text without any."""
        line = token_line(text)
        if len(line) <= 2:
            return ()
        if self._texts is None:
            self._texts = {}
            for mi, memory in enumerate(self.memories):
                self._texts.setdefault(token_line(memory.text), []).append(mi)
        return self._texts.get(line, ())

    def text_changed(self) -> None:
        """An edit changed the text of a memory: the indices over texts are built again when next asked for."""
        self._hashes = self._texts = None

    def match(self, item: Mapping[str, Any], among: Iterable[int] = ()) -> Match:
        """The memory that an item of a trace means: ``id`` (with ``namespace``), ``content_hash``, ``text``.

        Where an id is not unique, the hash, the text, then ``among`` (memories already known to be meant) decide.
        """
        found: Sequence[int] = ()
        kind: MatchKind = "none"
        if isinstance(item.get("id"), str):
            found = self.by_id.get(item["id"], ())
            if presence_of(item.get("namespace")) is Presence.VALUE:
                found = [mi for mi in found if is_of(self.memories[mi], item["namespace"])]
            kind = "exact"
        by_hash = self.with_hash(item["content_hash"]) if isinstance(item.get("content_hash"), str) else ()
        if not found:
            found, kind = by_hash, "strong"
        by_text = self.with_text(item["text"]) if isinstance(item.get("text"), str) and len(found) != 1 else ()
        if not found:
            found, kind = by_text, "weak"
        for narrower in (by_hash, by_text, tuple(among)):
            if len(found) > 1:
                found = [mi for mi in found if mi in set(narrower)] or found
        return Match(tuple(found), kind) if found else Match((), "none")

    def scan(self, sought: Mapping[Key, Sought], mis: Iterable[int] | None = None) -> dict[Key, list[int]]:
        """For each key, the memories that may stand in its texts or hold one of its targets: a superset, found in one
        pass over the store (or over ``mis``), however many keys there are."""
        found: dict[Key, list[int]] = {key: [] for key in sought}
        if not any(one.texts or one.targets for one in sought.values()):
            return found
        seekers = _Seekers(sought)
        short: dict[tuple[str, ...], list[int]] = {}
        for mi in range(len(self.memories)) if mis is None else mis:
            words = run_words(self.memories[mi].text)
            if 0 < len(words) < SHORTEST_RUN:
                short.setdefault(tuple(words), []).append(mi)
            for key in seekers.of(words):
                found[key].append(mi)
        if short:
            for key, one in sought.items():
                found[key] = sorted({*found[key], *_short_in(one.texts, short)})
        return found


def _short_in(texts: Iterable[str], short: Mapping[tuple[str, ...], Sequence[int]]) -> Iterator[int]:
    """The memories of a few words that stand whole in one of the texts."""
    lengths = {len(words) for words in short}
    for text in texts:
        words = run_words(text)
        for length in lengths:
            for part in zip(*(words[at:] for at in range(length)), strict=False):
                yield from short.get(part, ())


class _Seekers:
    """Which keys a text is of interest to."""

    def __init__(self, sought: Mapping[Any, Sought]) -> None:
        self._grams: dict[Gram, list[Any]] = {}
        self._targets: dict[str, list[Any]] = {}
        for key, one in sought.items():
            for gram in {gram for text in one.texts for gram in grams(run_words(text))}:
                self._grams.setdefault(gram, []).append(key)
            for target in one.targets:
                first = next(iter(run_words(target)), "")
                if first:
                    self._targets.setdefault(first, []).append(key)

    def of(self, words: Sequence[str]) -> Iterable[Any]:
        """The keys that words of a memory may matter to."""
        keys: dict[Any, None] = {}
        for gram in grams(words):
            if gram in self._grams:
                keys.update(dict.fromkeys(self._grams[gram]))
        if self._targets:
            line = " ".join(words)
            for first, interested in self._targets.items():
                if first in line:
                    keys.update(dict.fromkeys(interested))
        return keys


def is_of(memory: Memory, namespace: Any) -> bool:
    """Whether the memory is the one that was stored under this namespace; one of several owners counts too."""
    owners = memory.source("namespaces")
    return memory.uid.namespace == namespace_key({"namespace": namespace}) or (
        isinstance(owners, list) and namespace in owners
    )


def hashes(text: str) -> tuple[str, str]:
    """SHA-256 and MD5 of a text, in hex: the hashes that stores and traces write beside a record."""
    data = text.encode("utf-8", "surrogatepass")
    return content_hash(text), hashlib.md5(data, usedforsecurity=False).hexdigest()
