"""Do two texts contradict each other? Lexical, with reasons, and silent where no lexicon fits (DESIGN 6).

Two statements conflict if they speak of the same thing and
- one is denied and the other is not (*negation*),
- they answer yes and no, or take opposite sides of a polarity (*polarity*), or
- a pair of antonyms splits across them (*antonym*).
"The same thing" is read strictly [ours]: every content word of the one stands in the other, at least one is shared, and
the subjects do not exclude each other. The detector knows no synonyms, no arithmetic and nothing about the world.
"""

from __future__ import annotations

import enum
import functools
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from inspector.i18n import N_, _d
from inspector.mdl.clauses import Clause, clauses_of, language_of
from inspector.mdl.lexicon import Lexicons
from inspector.mdl.words import Who, WordBook

Rule = Literal["negation", "polarity", "antonym"]
_RULES: tuple[Rule, ...] = ("negation", "polarity", "antonym")
_REMEMBERED = 2_048
#: Statements compared between two texts before the rest is left alone.
MOST_PAIRS = 2_000


class Judged(enum.IntEnum):
    """What the detector says of a pair: compare it, its truth value means nothing."""

    NOT_JUDGED = 0
    NO_CONFLICT = 1
    CONFLICT = 2

    @property
    def words(self) -> str:
        """The value in words."""
        return (N_("not judged"), N_("no conflict"), N_("conflict"))[int(self)]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Why a pair conflicts: the rule, the words of either side as they stand, the two statements, what they share.

    Texts are the store's: they go through ``visible`` before they reach a screen.
    """

    rule: Rule
    left_words: tuple[str, ...]
    right_words: tuple[str, ...]
    left: str
    right: str
    shared: tuple[str, ...]

    def mirrored(self) -> Conflict:
        """The same, seen from the other side."""
        return Conflict(self.rule, self.right_words, self.left_words, self.right, self.left, self.shared)


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """The verdict on one pair and why it is none, where it is none."""

    value: Judged
    conflict: Conflict | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Parsed:
    """A text as the detector sees it: its language (None: no lexicon) and its statements, indexed by what they claim.

    ``claims`` maps keys that another text may oppose to the statements that make them, ``counters`` the keys that
    would oppose this one: two texts can only conflict where the counters of one meet the claims of the other.
    """

    text: str
    language: str | None
    clauses: tuple[Clause, ...]
    claims: dict[str, tuple[int, ...]]
    counters: dict[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class PairTable:
    """Every pair of some texts: ``codes`` (n, n) of :class:`Judged`, symmetric; ``conflicts`` by (i, j), i < j.

    The diagonal is NO_CONFLICT where the text is judged at all, else NOT_JUDGED.
    """

    codes: npt.NDArray[np.uint8]
    conflicts: dict[tuple[int, int], Conflict]

    @property
    def judged(self) -> int:
        """How many of the pairs i < j are judged."""
        return int(np.count_nonzero(np.triu(self.codes, 1)))


class ConflictDetector:
    """Judges pairs of texts by the lexicons given to it; what it has read of a text is remembered."""

    def __init__(self, lexicons: Lexicons) -> None:
        self.lexicons = lexicons
        self._books = {language: WordBook(lexicon) for language, lexicon in lexicons.by_language.items()}
        self.parse = functools.lru_cache(maxsize=_REMEMBERED)(self._parse)

    def book(self, language: str) -> WordBook:
        """The words of one loaded language."""
        return self._books[language]

    def judge(self, left: str, right: str) -> PairVerdict:
        """The verdict on two texts. Symmetric: swapping them mirrors it. A text never conflicts with itself."""
        a, b = self.parse(left), self.parse(right)
        if a.language is None or b.language is None:
            return PairVerdict(Judged.NOT_JUDGED, None, _d("no lexicon for the language of one of the texts"))
        if a.language != b.language:
            return PairVerdict(
                Judged.NOT_JUDGED,
                None,
                _d("the languages differ: {language}, {language2}").format(language=a.language, language2=b.language),
            )
        found = _conflict(a, b)
        return PairVerdict(Judged.CONFLICT if found else Judged.NO_CONFLICT, found)

    def table(self, texts: Sequence[str]) -> PairTable:
        """The verdicts on all pairs of some texts."""
        parsed = [self.parse(text) for text in texts]
        names = sorted(self._books)
        language = np.array([-1 if p.language is None else names.index(p.language) for p in parsed], dtype=np.int64)
        same = (language[:, None] == language[None, :]) & (language[:, None] >= 0)
        codes = same.astype(np.uint8)
        conflicts: dict[tuple[int, int], Conflict] = {}
        # Only texts that deny or oppose anything can start a conflict; most do not.
        for i, a in enumerate(parsed):
            counters, claims = a.counters.keys(), a.claims.keys()
            for j in range(i + 1, len(parsed)):
                b = parsed[j]
                if counters.isdisjoint(b.claims.keys()) and claims.isdisjoint(b.counters.keys()):
                    continue
                found = _conflict(a, b)
                if found is not None:
                    conflicts[i, j] = found
                    codes[i, j] = codes[j, i] = Judged.CONFLICT
        return PairTable(codes, conflicts)

    def _parse(self, text: str) -> Parsed:
        language = language_of(text, self.lexicons, self._books)
        clauses = () if language is None else clauses_of(text, self._books[language])
        return Parsed(text, language, clauses, _index(clauses, language, _claims), _index(clauses, language, _counters))


def _index(
    clauses: Sequence[Clause], language: str | None, keys: Callable[[Clause, str], Iterable[str]]
) -> dict[str, tuple[int, ...]]:
    """Key → the clauses that have it. Keys are interned: texts of one store share most of them."""
    found: dict[str, list[int]] = {}
    for i, clause in enumerate(clauses):
        for key in keys(clause, language or ""):
            found.setdefault(sys.intern(key), []).append(i)
    return {key: tuple(places) for key, places in found.items()}


def _claims(clause: Clause, language: str) -> Iterable[str]:
    """Keys of what the clause claims; the language is part of a key, so that two languages never meet."""
    if clause.sign > 0:
        for stem in (*clause.content, *(stem for _, stem in clause.polar.values())):
            yield f"{language}+{stem}"
    for group, (value, _) in clause.polar.items():
        yield f"{language}~{group}{value:+d}"
    for stem in clause.antonyms:
        yield f"{language}={stem}"


def _counters(clause: Clause, language: str) -> Iterable[str]:
    """Keys of the claims that the clause opposes."""
    if clause.sign < 0:
        for stem in clause.focus:
            yield f"{language}+{stem}"
    for group, (value, _) in clause.polar.items():
        yield f"{language}~{group}{-value:+d}"
    for opposites in clause.antonyms.values():
        for stem in opposites:
            yield f"{language}={stem}"


def _conflict(a: Parsed, b: Parsed) -> Conflict | None:
    """The first conflict by rule, then by place in the text that sorts first, so that order does not matter."""
    if a.text > b.text:
        found = _conflict(b, a)
        return found.mirrored() if found else None
    pairs = _opposed(a.claims, b.counters) | _opposed(a.counters, b.claims)
    best: tuple[int, Conflict] | None = None
    for i, j in sorted(pairs):
        left, right = a.clauses[i], b.clauses[j]
        found = _oppose(left, right)
        if found is None or (best is not None and _RULES.index(found.rule) >= best[0]):
            continue
        # What one text says and the other says too is no conflict between them, whatever else they say.
        if any(c.signature == right.signature for c in a.clauses) or any(
            c.signature == left.signature for c in b.clauses
        ):
            continue
        best = _RULES.index(found.rule), found
    return best[1] if best else None


def _opposed(left: Mapping[str, tuple[int, ...]], right: Mapping[str, tuple[int, ...]]) -> set[tuple[int, int]]:
    """Pairs of statements that meet in a key; at most :data:`MOST_PAIRS`, so that no text can stall the detector."""
    pairs: set[tuple[int, int]] = set()
    for key in sorted(left.keys() & right.keys()):
        for i in left[key]:
            if len(pairs) >= MOST_PAIRS:
                return pairs
            pairs.update((i, j) for j in right[key][:MOST_PAIRS])
    return pairs


def _oppose(left: Clause, right: Clause) -> Conflict | None:
    """Whether two statements oppose each other, by the first rule that says so."""
    if not _one_subject(left, right):
        return None
    shared = left.content & right.content
    if left.sign != right.sign and _about_the_same(left, right, left.content, right.content, 0):
        denied, other = (left, right) if left.sign < 0 else (right, left)
        there = other.content | {stem for _, stem in other.polar.values()}
        hit = sorted(denied.focus & there)
        if hit:
            rule: Rule = "polarity" if left.answered or right.answered else "negation"
            return _found(rule, left, right, hit, hit, shared)
    if left.rest_sign != right.rest_sign:
        return None
    for group in sorted(left.polar.keys() & right.polar.keys()):
        (mine, my_word), (theirs, their_word) = left.polar[group], right.polar[group]
        if mine != theirs and _about_the_same(left, right, left.content, right.content, 1):
            return _found("polarity", left, right, [my_word], [their_word], shared)
    for mine_stem in sorted(left.antonyms):
        for theirs_stem in sorted(left.antonyms[mine_stem] & right.antonyms.keys()):
            if mine_stem in right.surfaces or theirs_stem in left.surfaces:
                continue
            if _about_the_same(left, right, left.content - {mine_stem}, right.content - {theirs_stem}, 1):
                return _found("antonym", left, right, [mine_stem], [theirs_stem], shared)
    return None


def _about_the_same(left: Clause, right: Clause, mine: frozenset[str], theirs: frozenset[str], charged: int) -> bool:
    """Every content word of the one stands in the other, and what they share is enough to know it by.

    Two words are enough, ``charged`` opposed ones (a polarity, an antonym) counted. One is, where neither says more
    than two, and either both name one subject or both statements are all that their texts say. None is, beside an
    opposed one, where both name one subject ("he is single").
    """
    if not (mine <= theirs or theirs <= mine):
        return False
    least, most = sorted((len(mine), len(theirs)))
    if least >= 2:
        return True
    named = left.subject is not None and left.subject == right.subject
    if least == 1:
        return most <= 2 and (charged > 0 or named or (left.alone and right.alone))
    return most == 0 and named


def _one_subject(left: Clause, right: Clause) -> bool:
    """Whether the two may speak of one subject: the user is nobody else, and two relations or pronouns are two."""
    if left.subject is None or right.subject is None or left.subject == right.subject:
        return True
    mine, theirs = left.subject[0], right.subject[0]
    if mine is Who.SELF and theirs is Who.SELF:
        return True
    return Who.SELF not in (mine, theirs) and mine is not theirs


def _found(
    rule: Rule, left: Clause, right: Clause, mine: Sequence[str], theirs: Sequence[str], shared: frozenset[str]
) -> Conflict:
    def words(clause: Clause, stems: Sequence[str]) -> tuple[str, ...]:
        return (*clause.negators, *(clause.surfaces.get(stem, stem) for stem in stems))

    named = tuple(sorted(left.surfaces.get(stem, stem) for stem in shared))
    return Conflict(rule, words(left, mine), words(right, theirs), left.text, right.text, named)
