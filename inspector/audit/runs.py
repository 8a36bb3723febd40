"""Shared runs: the longest stretches of words that two texts have in common (DESIGN 8).

A suffix automaton of one text is walked with the words of the other, so that the work grows with their lengths and not
with their product, whatever a hostile text repeats.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from inspector.audit.tokens import Token, run_tokens, run_words, weight

#: Fewer shared words than this are no sign of anything (DESIGN 8).
SHORTEST_RUN = 5
Gram = tuple[str, str, str, str, str]


class Run(NamedTuple):
    """A maximal shared run: where it starts in the two sequences of tokens, its length in tokens, its words' weight."""

    first: int
    second: int
    length: int
    words: float


def grams(words: Sequence[str]) -> Iterator[Gram]:
    """Every five neighbouring tokens: two texts without a common one share no run that counts."""
    return zip(words, words[1:], words[2:], words[3:], words[4:], strict=False)


@dataclass(frozen=True, slots=True)
class Cut:
    """A text cut for comparing: its words, these in one line between spaces, and its grams."""

    text: str
    words: tuple[str, ...]
    line: str
    grams: frozenset[Gram]

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The words with their places, worked out only where something was found."""
        return run_tokens(self.text)

    def said(self, run: Run) -> str:
        """The words of a run of which this is the second text, between spaces."""
        return f" {' '.join(self.words[run.second : run.second + run.length])} "


@functools.lru_cache(maxsize=2_048)
def cut(text: str) -> Cut:
    """Cut a text; the latest are kept, since one memory stands in many prompts."""
    words = tuple(run_words(text))
    return Cut(text, words, f" {' '.join(words)} ", frozenset(grams(words)))


class Runs:
    """The runs that other texts share with one text, given as its tokens."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words
        self._grams = frozenset(grams(words))
        self._built = False
        self._next: list[dict[str, int]] = []
        self._link: list[int] = []
        self._length: list[int] = []
        self._ends: list[int] = []

    def shared(self, other: Sequence[str]) -> list[Run]:
        """The maximal runs of at least five words that the other text shares, in its order.

        ``first`` of a run is its earliest place in this text, ``second`` its place in the other.
        """
        return [] if self._grams.isdisjoint(grams(other)) else self._walk(other)

    def shared_with(self, other: Cut) -> list[Run]:
        """:meth:`shared` for a text that was cut already."""
        return [] if self._grams.isdisjoint(other.grams) else self._walk(other.words)

    def _walk(self, other: Sequence[str]) -> list[Run]:
        self._build()
        found: list[Run] = []
        state = length = 0
        for at, word in enumerate(other):
            before, reached = state, length
            while state and word not in self._next[state]:
                state = self._link[state]
                length = self._length[state]
            after = self._next[state].get(word)
            if after is None:
                state, length = 0, 0
            else:
                state, length = after, length + 1
            if length <= reached:
                self._keep(found, before, reached, at, other)
        self._keep(found, state, length, len(other), other)
        return found

    def _keep(self, found: list[Run], state: int, length: int, end: int, other: Sequence[str]) -> None:
        if length < SHORTEST_RUN:
            return
        words = sum(map(weight, other[end - length : end]))
        if words >= SHORTEST_RUN:
            found.append(Run(self._ends[state] - length + 1, end - length, length, words))

    def _build(self) -> None:
        if self._built:
            return
        self._built = True
        self._next, self._link, self._length, self._ends = [{}], [-1], [0], [-1]
        last = 0
        for at, word in enumerate(self.words):
            last = self._extend(word, at, last)

    def _new(self, following: dict[str, int], link: int, length: int, end: int) -> int:
        self._next.append(following)
        self._link.append(link)
        self._length.append(length)
        self._ends.append(end)
        return len(self._next) - 1

    def _extend(self, word: str, at: int, last: int) -> int:
        current = self._new({}, 0, self._length[last] + 1, at)
        state = last
        while state != -1 and word not in self._next[state]:
            self._next[state][word] = current
            state = self._link[state]
        if state == -1:
            return current
        target = self._next[state][word]
        if self._length[state] + 1 == self._length[target]:
            self._link[current] = target
            return current
        clone = self._new(dict(self._next[target]), self._link[target], self._length[state] + 1, self._ends[target])
        while state != -1 and self._next[state].get(word) == target:
            self._next[state][word] = clone
            state = self._link[state]
        self._link[target] = self._link[current] = clone
        return current
