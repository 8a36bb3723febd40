"""What a lexicon says about one word, looked up once and remembered (DESIGN 6)."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from inspector.mdl.lexicon import Lexicon
from inspector.text import fold

Negation = Literal["next", "adjacent", "rest", "previous"]
_REMEMBERED = 50_000


class Who(enum.Enum):
    """Whose statement it is: the user's own, another's by a pronoun, or a named relation's."""

    SELF = "self"
    THIRD = "third"
    PEOPLE = "people"


@dataclass(frozen=True, slots=True)
class Word:
    """A word or phrase and its roles in one lexicon.

    ``stem`` is what is compared. ``denied`` says that a prefix denies it ("unpaid"). ``content`` is False for words
    that two statements may differ in: stop words, negations and polarity words. ``known`` counts towards the language,
    ``foreign`` against it.
    """

    stem: str
    content: bool
    negation: Negation | None = None
    polar: tuple[tuple[str, int], ...] = ()
    opposites: frozenset[str] = frozenset()
    answer: int = 0
    who: Who | None = None
    owner: bool = False
    denied: bool = False
    speech: bool = False
    finite: bool = False
    undenies: bool = False
    splits: bool = False
    hypothetical: bool = False
    known: bool = False
    foreign: bool = False


class WordBook:
    """Looks words up in one lexicon and remembers them. Reading is safe from several threads."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self._words: dict[str, Word] = {}

    def word(self, surface: str) -> Word:
        """A word as it stands in a text."""
        found = self._words.get(surface)
        if found is None:
            if len(self._words) >= _REMEMBERED:
                self._words = {}
            found = self._words[surface] = self._look_up(fold(surface).replace("’", "'"))
        return found

    def phrase(self, words: Sequence[Word | None], start: int) -> tuple[Word, int] | None:
        """The longest phrase of the lexicon that begins at ``start``, and its length; None where there is none.

        ``words`` holds None where a mark stands: no phrase goes across one.
        """
        first = words[start]
        for stems in self.lexicon.phrases.get(first.stem, ()) if first else ():
            run = words[start : start + len(stems)]
            if len(run) == len(stems) and all(w and w.stem == stem for w, stem in zip(run, stems, strict=True)):
                joined = " ".join(stems)
                found = self._words.get(joined)
                if found is None:
                    found = self._words[joined] = self._roles(joined, joined)
                last = run[-1]
                return (replace(found, owner=True) if last and last.owner else found), len(stems)
        return None

    def _look_up(self, word: str) -> Word:
        morphology = self.lexicon.morphology
        bare, clitic = word, ""
        for ending in morphology.clitics:
            if word.endswith(ending) and len(word) > len(ending):
                bare, clitic = word[: -len(ending)], ending
                break
        found = self._roles(bare, morphology.stem(bare))
        letters = self.lexicon.letters
        if letters and not all(char in letters or char in "'0123456789" for char in word):
            found = replace(found, foreign=True)
        if clitic and clitic == morphology.possessive and found.who is not Who.THIRD:
            # "the user's brother" is not the user: an owner is no subject.
            return replace(found, owner=True)
        if not found.known:
            rest = morphology.without_prefix(bare)
            if rest is not None:
                return replace(self._roles(rest, morphology.stem(rest)), denied=True)
        return found

    def _roles(self, word: str, stem: str) -> Word:
        lexicon = self.lexicon

        def listed(key: str) -> bool:
            words = lexicon.lists[key]
            return stem in words or "=" + word in words

        negation: Negation | None = None
        kinds: tuple[Negation, ...] = ("next", "adjacent", "rest", "previous")
        for kind in kinds:
            if listed(f"negation.{kind}"):
                negation = kind
                break
        polar = tuple(
            (group.name, side)
            for group in lexicon.groups
            for side, words in ((1, group.yes), (-1, group.no))
            if stem in words or "=" + word in words
        )
        who = next((who for who in Who if listed(f"subjects.{who.value}")), None)
        opposites = lexicon.antonyms.get(stem, frozenset())
        answer = 1 if listed("negation.yes") else -1 if listed("negation.no") else 0
        stop = listed("words.stop")
        flags = (listed("words.speech"), listed("split.words"), listed("hypothetical.words"))
        light = negation is not None or bool(polar) or stop or who in (Who.SELF, Who.THIRD) or flags[1] or flags[2]
        known = light or bool(opposites) or bool(answer) or who is not None or flags[0] or listed("detect.marks")
        return Word(
            stem=stem,
            content=not light,
            negation=negation,
            polar=() if negation else polar,
            opposites=frozenset() if negation else opposites,
            answer=answer,
            who=who,
            speech=flags[0],
            finite=listed("statement.marks"),
            undenies=listed("negation.unless_next"),
            splits=flags[1],
            hypothetical=flags[2],
            known=known,
            foreign=word in lexicon.lists["detect.foreign"],
        )
