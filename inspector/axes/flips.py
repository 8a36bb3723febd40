"""The smallest sets of metadata edits that flip a verdict, each verified by evaluating it again (DESIGN 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from inspector.axes.explain import Explainer
from inspector.axes.flip_edits import Edit, EditSource
from inspector.axes.verdict import VERDICT_WORDS, verdict_of
from inspector.i18n import _d, ngettext_d
from inspector.records import AXES, Memory, Query
from inspector.trit import Trit, k_and

#: Sets shown, and of these how many over the same fields.
LIMIT = 8
_SAME_FIELDS = 2
#: What a search may spend: an axis by rules counts 1, policy more, since its rules run in DuckDB.
_BUDGET = 4_000
_COST = {"scope": 1, "policy": 4, "lifecycle": 1}


@dataclass(frozen=True, slots=True)
class Flip:
    """One set of edits, as (field, value) with ABSENT for a cleared field, and the same in words."""

    edits: tuple[tuple[str, Any], ...]
    words: str


@dataclass(frozen=True, slots=True)
class FlipSearch:
    """What a search found: the smallest verified sets, their size (0 where there is none), and how far it looked.

    ``tried`` counts the sets evaluated; ``capped`` says that the search stopped at its limit before all were tried.
    ``words`` says the outcome in a sentence.
    """

    target: Trit
    flips: tuple[Flip, ...]
    size: int
    tried: int
    capped: bool
    words: str


class _Search:
    """One search: the values of the axes now, after each single edit, and after pairs of edits."""

    def __init__(
        self, explainer: Explainer, memories: Sequence[Memory], mi: int, qi: int, query: Query, target: Trit
    ) -> None:
        self.explainer = explainer
        self.mi, self.qi, self.query = mi, qi, query
        self.memory = memories[mi]
        self.target = target
        self.left = _BUDGET
        self.tried = 0
        self.now: dict[str, Trit] = {axis: explainer.axis(axis, mi, self.memory, qi, query) for axis in AXES}
        self.judged = [axis for axis in AXES if explainer.judged.labels(axis, mi, qi)]
        movable = [axis for axis in AXES if axis not in self.judged]
        every = EditSource(explainer, memories, self.memory, query).edits()
        self.edits = [edit for edit in every if edit.axes & set(movable)]
        self._after: dict[tuple[int, str], Trit] = {}

    def _edited(self, edits: Sequence[Edit]) -> Memory:
        laid = {edit.field: edit.value for edit in edits}
        return self.memory.edited({**self.memory.edits, **laid})

    def _axis(self, axis: str, edits: Sequence[Edit]) -> Trit:
        self.left -= _COST[axis]
        return self.explainer.axis(axis, self.mi, self._edited(edits), self.qi, self.query)

    def after(self, place: int, axis: str) -> Trit:
        """One axis after one edit, evaluated once."""
        edit = self.edits[place]
        if axis not in edit.axes:
            return self.now[axis]
        key = place, axis
        if key not in self._after:
            self._after[key] = self._axis(axis, [edit])
        return self._after[key]

    def singles(self) -> Iterator[tuple[Edit, ...]]:
        """The single edits that give the target."""
        for place, edit in enumerate(self.edits):
            if self.left <= 0:
                return
            self.tried += 1
            if k_and(self.after(place, axis) for axis in AXES) == self.target:
                yield (edit,)

    def pairs(self) -> Iterator[tuple[Edit, ...]]:
        """The pairs of edits of two fields that give the target, cheap axes first and no axis evaluated in vain."""
        for first, second in combinations(range(len(self.edits)), 2):
            if self.left <= 0:
                return
            edits = self.edits[first], self.edits[second]
            if edits[0].field == edits[1].field:
                continue
            values = []
            both = []
            for axis in AXES:
                touched = [place for place in (first, second) if axis in self.edits[place].axes]
                if len(touched) == 2:
                    both.append(axis)
                else:
                    values.append(self.after(touched[0], axis) if touched else self.now[axis])
            known = k_and(values)
            if known < self.target or (known > self.target and not both):
                continue
            self.tried += 1
            if k_and([known, *(self._axis(axis, edits) for axis in both)]) == self.target:
                yield edits

    def verified(self, edits: Sequence[Edit]) -> bool:
        """Whether a full evaluation of the edited record gives the target."""
        found = self.explainer.explain(self.mi, self._edited(edits), self.qi, self.query)
        return found.verdict == self.target


def find_flips(
    explainer: Explainer, memories: Sequence[Memory], mi: int, qi: int, query: Query, target: Trit
) -> FlipSearch:
    """The smallest sets of edits of one memory that turn its verdict for one query into ``target`` (1 or 0).

    Values come from the query, the known words, the store, the rules' literals, and "absent". The order is fixed.
    """
    search = _Search(explainer, memories, mi, qi, query, target)
    word = VERDICT_WORDS[target]
    if verdict_of(*(search.now[axis] for axis in AXES)) == target:
        return FlipSearch(target, (), 0, 0, False, _d("the verdict is {word} already").format(word=word))
    for size, sets in ((1, search.singles()), (2, search.pairs())):
        flips = _collect(search, sets)
        if flips:
            capped = search.left <= 0
            words = ngettext_d("{size} edit to {word}", "{size} edits to {word}", size).format(size=size, word=word)
            return FlipSearch(target, flips, size, search.tried, capped, words)
    capped = search.left <= 0
    words = _d("no set of one or two edits gives {word}").format(word=word)
    if capped:
        words = _d("no set found among the first {tried} tried gives {word}; the search stopped at its limit").format(
            tried=search.tried, word=word
        )
    if search.judged:
        words += _d(" ({judged}: judged, no edit moves it)").format(judged=", ".join(search.judged))
    return FlipSearch(target, (), 0, search.tried, capped, words)


def _collect(search: _Search, sets: Iterator[tuple[Edit, ...]]) -> tuple[Flip, ...]:
    found: list[Flip] = []
    per_fields: Counter[tuple[str, ...]] = Counter()
    for edits in sets:
        fields = tuple(edit.field for edit in edits)
        if per_fields[fields] >= _SAME_FIELDS or not search.verified(edits):
            continue
        per_fields[fields] += 1
        words = _d(" and ").join(edit.words for edit in edits)
        found.append(Flip(tuple((edit.field, edit.value) for edit in edits), words))
        if len(found) == LIMIT:
            break
    return tuple(found)
