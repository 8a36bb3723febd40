"""Terms matched against a query and a tool call, word by word, in any script (DESIGN 7, jurisdiction).

Words are :func:`inspector.text.words` of the text, with underscores taken as spaces so that ``vendor_wire`` in a tool
call holds the words of ``vendor wire``. A term of several words must stand as consecutive words of one text. Matching
is whole-token, except in scripts that write no spaces or attach particles [ours]:

- a term's word without CJK characters equals the text's word, or its part between CJK runs (``vpn`` in ``vpn을``);
- one with CJK characters is found inside the text's word (``결제`` in ``카드결제를``), which errs towards "inside the
  jurisdiction", so that the gate still speaks;
- an excluded term takes the memory out of its jurisdiction, so there a Hangul word must begin the text's word:
  ``합계`` excludes ``합계를`` and not ``비합계``.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from inspector.text import has_cjk, script_runs, words

_HANGUL = re.compile("[\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff]+")


def term_words(text: str) -> tuple[str, ...]:
    """The folded words of a term or text, underscores taken as spaces."""
    return tuple(words(text.replace("_", " ")))


@dataclass(frozen=True, slots=True)
class Term:
    """A term as its author wrote it, and its folded words; a term without any word matches nothing."""

    text: str
    words: tuple[str, ...]
    #: The one word of a term that can be looked up without a scan: one word, no CJK; else "".
    plain: str

    @staticmethod
    def of(text: str) -> Term:
        """Fold a term once, so that every query only compares; stores say the same terms over and over."""
        return _term(text)


@functools.lru_cache(maxsize=8_192)
def _term(text: str) -> Term:
    split = term_words(text)
    return Term(text, split, split[0] if len(split) == 1 and not has_cjk(split[0]) else "")


class Ground:
    """What terms are matched against: the words of one or more texts, kept apart so that no phrase spans two."""

    __slots__ = ("_pieces", "texts")

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = tuple(split for split in (term_words(text) for text in texts) if split)
        self._pieces = frozenset(piece for text in self.texts for word in text for piece in (word, *script_runs(word)))

    def holds(self, term: Term) -> bool:
        """Whether the term stands in one of the texts."""
        return self._find(term, excluding=False)

    def excludes(self, term: Term) -> bool:
        """Whether the term, read as an excluded term, stands in one of the texts."""
        return self._find(term, excluding=True)

    def _find(self, term: Term, *, excluding: bool) -> bool:
        if term.plain:
            return term.plain in self._pieces
        wanted = term.words
        if not wanted:
            return False
        span = len(wanted)
        return any(
            all(_same(part, text[at + i], excluding) for i, part in enumerate(wanted))
            for text in self.texts
            for at in range(len(text) - span + 1)
        )


def _same(part: str, word: str, excluding: bool) -> bool:
    if part == word:
        return True
    if not has_cjk(part):
        return part in script_runs(word)
    if excluding and _HANGUL.fullmatch(part):
        return word.startswith(part) or any(run.startswith(part) for run in script_runs(word))
    return part in word


def texts_in(value: Any, limit: int = 1_000) -> list[str]:
    """The texts and numbers inside a JSON value, as texts, in order; at most ``limit`` of them, keys left out."""
    found: list[str] = []
    rest: list[Any] = [value]
    while rest and len(found) < limit:
        item = rest.pop()
        if isinstance(item, str):
            found.append(item)
        elif isinstance(item, dict):
            rest.extend(reversed(list(item.values())))
        elif isinstance(item, list | tuple):
            rest.extend(reversed(item))
        elif isinstance(item, int | float) and not isinstance(item, bool):
            found.append(str(item))
    return found
