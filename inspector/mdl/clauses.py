"""A text as statements: what each says, of whom, and whether it denies it (DESIGN 6).

The parser reads word lists, no grammar. It cuts a text at punctuation and at the lexicon's joining words, counts
denials (two cancel), and leaves out what states nothing: questions that are not answered, conditions and what follows
from them, and quotations, unless the user is the one quoted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from inspector.mdl.lexicon import Lexicons
from inspector.mdl.scripts import shares
from inspector.mdl.words import Who, Word, WordBook

#: Texts longer than this are read up to here: a page of text is no memory to compare word by word.
LONGEST = 20_000
#: The language is told from the beginning of a text, up to here.
SAMPLE = 600

_TOKEN = re.compile(
    r"(?P<number>\d+(?:[.,:]\d+)*)"
    r"|(?P<word>[^\W\d_]+(?:['’][^\W\d_]+)*)"
    # An apostrophe opens a quotation before a word and closes one after it: "dogs' bowls" opens none.
    r"|(?P<open>[“«「『]|(?<!\w)'(?=\w))|(?P<close>[”»」』]|(?<=[\w.!?,])'(?!\w))|(?P<quote>\")"
    r"|(?P<ask>[?？])|(?P<end>[.!…。！\n])|(?P<cut>[,;:()\[\]{}、，；：|/]|(?<=\s)[-–—]+(?=\s)|—)"
)
_WORDS = frozenset(("word", "number"))


@dataclass(frozen=True, slots=True)
class Clause:
    """One statement. Words are stems; ``surfaces`` maps them to how they stand in the text.

    ``content`` are the words that say what it is about. ``sign`` is −1 where it denies, +1 else; ``focus`` are the
    words that its denials fall on; ``rest_sign`` counts only the denials that fall on no polarity word and no antonym.
    ``polar`` maps a polarity group to +1 or −1, denials counted. ``antonyms`` are its undenied words that have
    opposites. ``subject`` is None where no known subject is named. ``answered`` is set where a bare yes or no decided,
    ``alone`` where the text is this statement and nothing else.
    """

    text: str
    content: frozenset[str]
    sign: int
    focus: frozenset[str]
    rest_sign: int
    polar: Mapping[str, tuple[int, str]]
    antonyms: Mapping[str, frozenset[str]]
    subject: tuple[Who, str] | None
    surfaces: Mapping[str, str]
    negators: tuple[str, ...]
    answered: bool = False
    alone: bool = False

    @property
    def signature(self) -> tuple[object, ...]:
        """What the statement says, apart from spelling: two clauses with one signature say the same."""
        return (
            self.content,
            self.sign,
            self.focus,
            self.rest_sign,
            frozenset((group, value) for group, (value, _) in self.polar.items()),
            frozenset(self.antonyms),
            self.subject,
        )


def language_of(text: str, lexicons: Lexicons, books: Mapping[str, WordBook]) -> str | None:
    """The loaded language that the text is plainly written in, or None.

    See :mod:`inspector.mdl.scripts`; where several fit, the one with the most known words, then the first by name.
    """
    text = text[:SAMPLE]
    found = shares(text)
    best: tuple[float, str] | None = None
    for language, lexicon in lexicons.by_language.items():
        if sum(found.get(script, 0.0) for script in lexicon.scripts) < max(lexicon.script_share, 1e-9):
            continue
        known = 1.0
        if lexicon.marks_share > 0.0:
            words = [books[language].word(m.group()) for m in _TOKEN.finditer(text) if m.lastgroup == "word"]
            marks, foreign = sum(w.known for w in words), sum(w.foreign for w in words)
            if marks <= foreign or marks < lexicon.marks_share * len(words):
                continue
            known = marks / len(words)
        if best is None or known > best[0]:
            best = known, language
    return best[1] if best else None


def tokens_of(text: str) -> list[str]:
    """The words and numbers of a text, in order, as they are written."""
    return [m.group() for m in _TOKEN.finditer(text[:LONGEST]) if m.lastgroup in _WORDS]


def clauses_of(text: str, book: WordBook) -> tuple[Clause, ...]:
    """The statements of a text, in order; what states nothing is left out."""
    return _Parser(text[:LONGEST], book).parse()


class _Piece:
    """What stands between two marks: its words as they are read, and what becomes known of it later."""

    __slots__ = ("answered", "finite", "quoted", "span", "speech", "stated", "subject", "whole", "words")

    def __init__(self, start: int, quoted: bool) -> None:
        self.span = (start, start)
        self.words: list[tuple[Word, str]] = []
        self.quoted = quoted
        self.stated = True
        self.whole = self.finite = self.speech = False
        self.subject: tuple[Who, str] | None = None
        self.answered = 0


class _Parser:
    """Cuts one text into pieces and decides which of them state something."""

    def __init__(self, text: str, book: WordBook) -> None:
        self.text = text
        self.book = book
        self.lexicon = book.lexicon
        self.closed: list[_Piece] = []
        #: Where the sentence that is being read begins in ``closed``.
        self.sentence = 0
        self.outer = _Piece(0, quoted=False)
        self.now = self.outer
        self.conditional = False
        #: The piece that a bare yes or no would answer: a question just asked, or what stands before a colon.
        self.open_question: _Piece | None = None

    def parse(self) -> tuple[Clause, ...]:
        tokens = [(m.lastgroup, m.group(), m.start(), m.end()) for m in _TOKEN.finditer(self.text)]
        look_up, phrases = self.book.word, self.lexicon.phrases
        endings = self.lexicon.condition_endings + self.lexicon.split_endings
        words = [look_up(surface) if kind in _WORDS else None for kind, surface, _, _ in tokens]
        i, count = 0, len(tokens)
        while i < count:
            word = words[i]
            kind, surface, start, end = tokens[i]
            if word is None:
                self._mark(kind or "", surface, start, end)
                i += 1
                continue
            taken = 1
            if word.stem in phrases:
                found = self.book.phrase(words, i)
                if found is not None:
                    word, taken = found
                    end = tokens[i + taken - 1][3]
                    surface = self.text[start:end]
            i += taken
            if word.splits or word.hypothetical:
                self._close(start)
                self.conditional = self.conditional or word.hypothetical
            piece = self.now
            if not piece.words:
                piece.span = (start, end)
            piece.words.append((word, surface))
            if endings and surface.endswith(endings) and surface not in self.lexicon.morphology.keep:
                self._ending(surface, end, words[i] if i < count else None)
        self._end(len(self.text), asked=False, ended=True)
        return self._statements()

    def _ending(self, surface: str, end: int, after: Word | None) -> None:
        """A word whose ending joins statements closes one; a conditional ending makes a condition of it."""
        if surface.endswith(self.lexicon.split_endings):
            self._close(end)
        elif after is None or after.stem not in self.lexicon.lists["hypothetical.unless_next"]:
            self.conditional = True
            self._close(end)

    def _statements(self) -> tuple[Clause, ...]:
        alone = len(self.closed) == 1
        kept = [p for p in self.closed if p.stated and (alone or p.whole or p.finite)]
        return tuple(_clause(self.text[p.span[0] : p.span[1]].strip(), p, alone) for p in kept)

    def _mark(self, kind: str, mark: str, start: int, end: int) -> None:
        if kind in ("open", "close", "quote"):
            if kind == "quote" and not self.now.quoted and self.text[start - 1 : start].isdigit():
                return  # inches
            if not self.now.quoted and kind != "close":
                self.now = _Piece(end, quoted=True)
            elif self.now.quoted and kind != "open":
                self._close(start)
                self.now = self.outer
        elif kind == "cut":
            self._close(start)
            if mark in ":：" and not self.now.quoted and self.closed:
                self.open_question = self.closed[-1]
        elif kind == "end" and mark == "." and self._inside(end):
            return
        elif self.now.quoted and mark != "\n":
            # A quotation may hold sentences, but no paragraphs; the sentence around it goes on.
            self._close(start)
            if kind == "ask" and self.closed:
                self.closed[-1].stated = False
        else:
            self._end(start, asked=kind == "ask", ended=mark != "\n")

    def _inside(self, end: int) -> bool:
        """Whether a full stop stands inside an abbreviation or a name and ends nothing."""
        after = self.text[end : end + 1]
        if after.isascii() and after.isalnum():
            return True
        words = self.now.words
        return bool(words) and words[-1][1].casefold() in self.lexicon.lists["split.abbreviations"]

    def _end(self, at: int, asked: bool, ended: bool) -> None:
        """End a sentence: a question states nothing, a quotation only what the user is quoted as saying."""
        if self.now.quoted:
            self._close(at)
            self.now = self.outer
        self._close(at)
        sentence = self.closed[self.sentence :]
        if len(sentence) == 1 and ended:
            sentence[0].whole = True
        own = any(p.speech and p.subject is not None and p.subject[0] is Who.SELF for p in sentence if not p.quoted)
        for piece in sentence:
            if asked or (piece.quoted and not own):
                piece.stated = False
        if sentence:
            self.open_question = sentence[-1] if asked else None
        self.sentence = len(self.closed)
        self.conditional = False

    def _close(self, end: int) -> None:
        """Close the piece that is being read; a bare yes or no answers what stands before it instead."""
        piece = self.now
        if not piece.words:
            return
        self.now = _Piece(end, piece.quoted)
        if not piece.quoted:
            self.outer = self.now
        asked, self.open_question = self.open_question, None
        answer = next((word.answer for word, _ in piece.words if word.answer), 0)
        if answer and not any((w.content or w.polar or w.opposites) and not w.answer for w, _ in piece.words):
            if asked is not None:
                asked.answered, asked.stated, asked.whole = answer, True, True
            return
        piece.span = (piece.span[0], end)
        piece.stated = not self.conditional
        marks_needed = bool(self.lexicon.lists["statement.marks"])
        piece.finite = not marks_needed
        for word, _ in piece.words:
            if word.who is not None and not word.owner:
                piece.finite = True
                piece.subject = piece.subject or (word.who, word.stem)
            piece.finite = piece.finite or word.finite
            piece.speech = piece.speech or word.speech
        if piece.subject is None and not piece.quoted:
            before = (p.subject for p in self.closed[self.sentence :] if not p.quoted)
            piece.subject = next((subject for subject in before if subject is not None), None)
            # "The user is vegan and drinks tea": what is joined to a statement goes on with its subject.
            piece.finite = piece.finite or (piece.subject is not None and piece.words[0][0].splits)
        self.closed.append(piece)


def _clause(text: str, piece: _Piece, alone: bool) -> Clause:
    """Count the denials of one piece and what they fall on; a bare yes or no that answered it is counted last."""
    content: set[str] = set()
    focus: set[str] = set()
    surfaces: dict[str, str] = {}
    negators: list[str] = []
    polar: dict[str, tuple[int, str]] = {}
    antonyms: dict[str, frozenset[str]] = {}
    flips: dict[str, int] = {}
    #: One entry a denial: whether it fell on anything, and whether on a word of a polarity or an antonym.
    denials: list[list[bool]] = []
    waiting: list[list[bool]] = []
    open_ended: list[list[bool]] = []
    beside: list[bool] | None = None
    last: Word | None = None

    def deny(surface: str) -> list[bool]:
        negators.append(surface)
        denials.append([False, False])
        return denials[-1]

    def fall(word: Word, hits: list[list[bool]]) -> None:
        for hit in hits:
            hit[0] = True
            hit[1] = hit[1] or bool(word.polar or word.opposites)
            flips[word.stem] = flips.get(word.stem, 0) + 1
        if hits:
            focus.add(word.stem)

    words = piece.words
    for at, (word, surface) in enumerate(words):
        if word.negation is not None:
            if at + 1 < len(words) and words[at + 1][0].undenies:
                continue
            hit = deny(surface)
            if word.negation == "next":
                waiting.append(hit)
            elif word.negation == "adjacent":
                beside = hit
            elif word.negation == "rest":
                open_ended.append(hit)
            elif last is not None:
                fall(last, [hit])
            continue
        adjacent, beside = beside, None
        if not (word.content or word.polar or word.opposites):
            continue
        surfaces.setdefault(word.stem, surface)
        if word.denied:
            fall(word, [deny(surface)])
        fall(word, [*([adjacent] if adjacent else ()), *waiting, *open_ended])
        waiting = []
        last = word
        if word.content:
            content.add(word.stem)
        for group, side in word.polar:
            polar[group] = (side, word.stem)
        if word.opposites:
            antonyms[word.stem] = word.opposites
    falling = [hit for hit in denials if hit[0]]
    sign = -1 if len(falling) % 2 else 1
    answer = piece.answered or 1
    if answer < 0:
        focus = content | {stem for _, stem in polar.values()}
        antonyms = {}
    return Clause(
        text=text,
        content=frozenset(content),
        sign=sign * answer,
        focus=frozenset(focus),
        rest_sign=-1 if sum(not hit[1] for hit in falling) % 2 else 1,
        polar={g: (side * answer * (-1) ** flips.get(stem, 0), stem) for g, (side, stem) in polar.items()},
        antonyms={stem: opposites for stem, opposites in antonyms.items() if flips.get(stem, 0) % 2 == 0},
        subject=piece.subject,
        surfaces=surfaces,
        negators=tuple(negators) if falling else (),
        answered=bool(piece.answered),
        alone=alone,
    )
