"""BM25 with the statistics of whatever pool a route ranks (DESIGN 4).

score(q, d) = Σ over q's tokens, repeats included, of idf · tf·(k1+1) / (tf + k1·(1 − b + b·|d|/avgdl)), with
k1 = 1.5, b = 0.75, idf = ln(1 + (N − df + ½)/(df + ½)). The factor k1+1 changes no ranking; it is there because the
published evaluations that we compare with print it.

N, df and avgdl are those of the candidates: the memories stored at the query's ``as_of``, or for a namespace route the
namespace's memories stored then. The library (bm25s) bakes the statistics into an index, so each such pool is indexed
as it is ranked; queries that share a pool share the index.
A candidate that shares no token with the query scores 0 and stays in the ranking, behind all others, by uid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from inspector.records import Memory, Presence, Settings, presence_of
from inspector.retrieval.pool import BoolArray, FloatArray, IntArray
from inspector.text import lexical_tokens, packet_tokens

K1, B = 1.5, 0.75
#: Indexed pools that are kept for the next queries.
KEPT_POOLS = 32
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


class LexicalIndex:
    """The memories' tokens as numbers. Build with :meth:`of`; :meth:`replace` follows an edit of one text.

    ``cut`` makes tokens of a text, a query's too.
    """

    def __init__(self, texts: Iterable[str], cut: Callable[[str], list[str]] = lexical_tokens) -> None:
        self.cut = cut
        self._vocabulary: dict[str, int] = {}
        self._tokens = [self._numbers(text) for text in texts]
        self._kept: dict[bytes, LexicalPool] = {}

    @classmethod
    def of(cls, memories: Iterable[Memory], settings: Settings) -> LexicalIndex:
        """The index of the memories under the settings' tokenizer and lexical text."""
        return cls((searched_text(memory, settings) for memory in memories), tokenizer(settings))

    def __len__(self) -> int:
        return len(self._tokens)

    def _numbers(self, text: str) -> npt.NDArray[np.int32]:
        vocabulary = self._vocabulary
        return np.array([vocabulary.setdefault(word, len(vocabulary)) for word in self.cut(text)], dtype=np.int32)

    def replace(self, mi: int, text: str) -> None:
        """Give memory ``mi`` another text."""
        self._tokens[mi] = self._numbers(text)
        self._kept.clear()

    def pool(self, m: IntArray | None = None) -> LexicalPool:
        """The index of some memories alone, in the order given; of all where ``m`` is None.

        The last few pools are kept, since queries of one pool often follow one another.
        """
        chosen = np.arange(len(self)) if m is None else np.asarray(m, dtype=np.int64)
        key = chosen.tobytes()
        found = self._kept.pop(key, None)
        if found is None:
            found = LexicalPool(self._vocabulary, [self._tokens[mi] for mi in chosen.tolist()])
        self._kept[key] = found
        while len(self._kept) > KEPT_POOLS:
            del self._kept[next(iter(self._kept))]
        return found


class LexicalPool:
    """A pool of memories, indexed by bm25s with the pool's own statistics, ready to be scored for any query."""

    def __init__(self, vocabulary: dict[str, int], documents: Sequence[npt.NDArray[np.int32]]) -> None:
        self._vocabulary = vocabulary
        self._documents = documents
        # A fresh numbering of the pool's own tokens: the library wants every number below the vocabulary's size.
        flat = np.concatenate([np.zeros(0, dtype=np.int32), *documents])
        self._own, numbers = np.unique(flat, return_inverse=True)
        self._library: Any = None
        self._parts: dict[bytes, LexicalPool] = {}
        if len(self._own):
            import bm25s  # 0.3 s: only where a lexical route ranks

            ends = np.cumsum([len(document) for document in documents])[:-1]
            corpus = [part.tolist() for part in np.split(numbers, ends)]
            self._library = bm25s.BM25(method="lucene", k1=K1, b=B, dtype="float64")
            names = {str(number): number for number in range(len(self._own))}
            self._library.index((corpus, names), show_progress=False, create_empty_token=False)

    def scores(self, words: Sequence[str], allowed: BoolArray | None = None) -> FloatArray:
        """BM25 of every document (M,) for the query's tokens; statistics are over ``allowed`` (M,), None all.

        Scores of documents outside ``allowed`` mean nothing.
        """
        if allowed is not None and not allowed.all():
            return self._part(allowed, words)
        if self._library is None:
            return np.zeros(len(self._documents), dtype=np.float64)
        # Sorted, so that the sum's order, and with it its last bit, does not depend on how a query is phrased.
        known = [number for word in sorted(words) if (number := self._vocabulary.get(word)) is not None]
        places = np.searchsorted(self._own, known)
        mine = [
            place
            for place, number in zip(places.tolist(), known, strict=True)
            if place < len(self._own) and self._own[place] == number
        ]
        if not mine:
            return np.zeros(len(self._documents), dtype=np.float64)
        scores: FloatArray = self._library.get_scores_from_ids(mine) * (K1 + 1)
        return scores

    def _part(self, allowed: BoolArray, words: Sequence[str]) -> FloatArray:
        key = np.packbits(allowed).tobytes()
        part = self._parts.get(key)
        if part is None:
            self._parts.clear()  # queries of one instant come together; one part at a time is kept
            places = np.flatnonzero(allowed).tolist()
            part = self._parts[key] = LexicalPool(self._vocabulary, [self._documents[place] for place in places])
        scores = np.zeros(len(self._documents), dtype=np.float64)
        scores[allowed] = part.scores(words)
        return scores
