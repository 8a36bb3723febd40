"""BM25 with the statistics of whatever pool a route ranks (DESIGN 4).

score(q, d) = Σ over q's tokens, repeats included, of idf · tf·(k1+1) / (tf + k1·(1 − b + b·|d|/avgdl)), with
k1 = 1.5, b = 0.75, idf = ln(1 + (N − df + ½)/(df + ½)). The factor k1+1 changes no ranking; it is there because the
published evaluations that we compare with print it.

N, df and avgdl are those of the candidates: the memories stored at the query's ``as_of``, or for a namespace route the
namespace's memories stored then. Libraries that bake the statistics into the index would need one index for each
namespace and instant; here the counts are indexed once and the statistics of a pool are taken as it is ranked.
A candidate that shares no token with the query scores 0 and stays in the ranking, behind all others, by uid.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from inspector.records import Memory, Presence, Settings, presence_of
from inspector.retrieval.pool import BoolArray, FloatArray, IntArray
from inspector.text import lexical_tokens, packet_tokens

K1, B = 1.5, 0.75
#: The fields whose values make a packet's "metadata text", in order; those we do not know are read from ``meta``.
METADATA_FIELDS = (
    "id",
    "role",
    "distractor_trap",
    "memory_type",
    "status",
    "priority",
    "epistemic_status",
    "allowed_action_hint",
    "recency_rank",
    "retrieval_terms",
    "text",
)


def metadata_text(memory: Memory) -> str:
    """The text that ``--lexical-text metadata`` searches: the metadata's values and the text, joined by spaces."""
    meta = memory.value("meta") or {}
    parts: list[str] = []
    for name in METADATA_FIELDS:
        value: Any = memory.get(name)
        if presence_of(value) is Presence.ABSENT:
            value = meta.get(name)
        several = value if isinstance(value, list) else [value]
        parts.extend(str(part) for part in several if presence_of(part) is Presence.VALUE)
    return " ".join(parts)


def tokenizer(settings: Settings) -> Callable[[str], list[str]]:
    """The tokens of a text under these settings: folded Unicode words, or packets' ``[a-z0-9]+``."""
    return packet_tokens if settings.tokenizer == "packet" else lexical_tokens


def searched_text(memory: Memory, settings: Settings) -> str:
    """The text that a lexical route reads of a memory."""
    return metadata_text(memory) if settings.lexical_text == "metadata" else memory.text


class _Counts:
    """Token counts of some documents by token: for token t, ``docs[ends[t]:ends[t+1]]`` and how often it is there."""

    def __init__(self, ends: IntArray, docs: IntArray, counts: FloatArray, lengths: FloatArray) -> None:
        self.ends = ends
        self.docs = docs
        self.counts = counts
        self.lengths = lengths


class LexicalIndex:
    """Token counts of all memories. Build with :meth:`of`; :meth:`replace` follows an edit of one text.

    ``cut`` makes tokens of a text, a query's too.
    """

    def __init__(self, texts: Iterable[str], cut: Callable[[str], list[str]] = lexical_tokens) -> None:
        self.cut = cut
        self._vocabulary: dict[str, int] = {}
        counted = [self._count(text) for text in texts]
        none = np.zeros(0, dtype=np.int32)
        #: The tokens of document i, and how often each is there, stand from starts[i] to starts[i + 1].
        self._starts = np.zeros(len(counted) + 1, dtype=np.int64)
        np.cumsum([len(ids) for ids, _ in counted], out=self._starts[1:])
        self._ids = np.concatenate([none, *(ids for ids, _ in counted)])
        self._tf = np.concatenate([none, *(tf for _, tf in counted)])
        self._whole: _Counts | None = None

    @classmethod
    def of(cls, memories: Iterable[Memory], settings: Settings) -> LexicalIndex:
        """The index of the memories under the settings' tokenizer and lexical text."""
        return cls((searched_text(memory, settings) for memory in memories), tokenizer(settings))

    def __len__(self) -> int:
        return len(self._starts) - 1

    def _count(self, text: str) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        counts = Counter(self.cut(text))
        ids = [self._vocabulary.setdefault(word, len(self._vocabulary)) for word in counts]
        return np.array(ids, dtype=np.int32), np.array(list(counts.values()), dtype=np.int32)

    def replace(self, mi: int, text: str) -> None:
        """Give memory ``mi`` another text."""
        ids, tf = self._count(text)
        start, end = self._starts[mi], self._starts[mi + 1]
        self._ids = np.concatenate((self._ids[:start], ids, self._ids[end:]))
        self._tf = np.concatenate((self._tf[:start], tf, self._tf[end:]))
        self._starts[mi + 1 :] += len(ids) - (end - start)
        self._whole = None

    def pool(self, m: IntArray | None = None) -> LexicalPool:
        """The index of some memories alone, in the order given; of all where ``m`` is None or holds them all."""
        whole = m is None or (len(m) == len(self) and bool((m == np.arange(len(m))).all()))
        if whole and self._whole is not None:
            return LexicalPool(self._vocabulary, self._whole)
        chosen = np.arange(len(self)) if m is None else m
        sizes = self._starts[chosen + 1] - self._starts[chosen]
        docs = np.repeat(np.arange(len(chosen)), sizes)
        ends = np.cumsum(sizes)
        places = np.arange(len(docs)) + np.repeat(self._starts[chosen] - (ends - sizes), sizes)
        ids, tf = self._ids[places], self._tf[places].astype(np.float64)
        order = np.argsort(ids, kind="stable")
        by_token = np.zeros(len(self._vocabulary) + 1, dtype=np.int64)
        np.cumsum(np.bincount(ids, minlength=len(self._vocabulary)), out=by_token[1:])
        lengths = np.bincount(docs, weights=tf, minlength=len(chosen)).astype(np.float64)
        counts = _Counts(by_token, docs[order], tf[order], lengths)
        if whole:
            self._whole = counts
        return LexicalPool(self._vocabulary, counts)


class LexicalPool:
    """A pool of memories, ready to be scored for any query, or a part of it with its own statistics."""

    def __init__(self, vocabulary: dict[str, int], counts: _Counts) -> None:
        self._vocabulary = vocabulary
        self._counts = counts

    def scores(self, words: Sequence[str], allowed: BoolArray | None = None) -> FloatArray:
        """BM25 of every document (M,) for the query's tokens; statistics are over ``allowed`` (M,), None all.

        Scores of documents outside ``allowed`` mean nothing.
        """
        counts = self._counts
        size = len(counts.lengths)
        scores = np.zeros(size, dtype=np.float64)
        number = size if allowed is None else int(np.count_nonzero(allowed))
        if number == 0:
            return scores
        total = float(counts.lengths.sum() if allowed is None else counts.lengths[allowed].sum())
        average = total / number
        # Sorted, so that the sum's order, and with it its last bit, does not depend on how a query is phrased.
        for word, times in sorted(Counter(words).items()):
            token = self._vocabulary.get(word)
            if token is None or token + 1 >= len(counts.ends):
                continue
            part = slice(counts.ends[token], counts.ends[token + 1])
            docs, tf = counts.docs[part], counts.counts[part]
            found = len(docs) if allowed is None else int(np.count_nonzero(allowed[docs]))
            if found == 0:
                continue
            idf = math.log(1 + (number - found + 0.5) / (found + 0.5))
            spread = K1 * (1 - B + B * counts.lengths[docs] / average)
            scores[docs] += times * idf * (tf * (K1 + 1)) / (tf + spread)
        return scores
