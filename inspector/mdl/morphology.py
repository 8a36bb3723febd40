"""Words to stems by lists of suffixes, the same way for every language (DESIGN 6: no dictionary, no model).

A stem need not be a word: it only has to be the same for the forms of one word. Suffixes are compared in decomposed
Unicode, so that a Korean ending that joins the last syllable (the ㄴ of 마신다) comes off as well.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field

from inspector.errors import FieldError
from inspector.i18n import _

_FINALS = "ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"


def decompose(text: str) -> str:
    """Canonical decomposition; a Hangul letter standing alone becomes the final or vowel that it is in a syllable."""
    out = []
    for char in unicodedata.normalize("NFD", text):
        if char in _FINALS:
            out.append(chr(0x11A8 + _FINALS.index(char)))
        elif "ㅏ" <= char <= "ㅣ":
            out.append(chr(0x1161 + ord(char) - ord("ㅏ")))
        else:
            out.append(char)
    return "".join(out)


def rule_of(entry: str, place: str) -> tuple[str, str]:
    """An entry ``"ing"`` or ``"ies>y"`` as (decomposed ending, what takes its place).

    Raises FieldError where the ending is empty.
    """
    ending, _rest1, replacement = entry.partition(">")
    if not ending.strip():
        raise FieldError(
            place, _("{entry!r} has no ending").format(entry=entry), _('an ending such as "ing" or "ies>y"')
        )
    return decompose(ending), decompose(replacement)


@dataclass(frozen=True, slots=True)
class Morphology:
    """How one language's words are reduced; the fields are the keys of ``[morphology]`` in its lexicon.

    ``suffixes`` are (decomposed ending, replacement, letters that must remain), longest ending first.
    """

    suffixes: tuple[tuple[str, str, int], ...] = ()
    finals: tuple[tuple[str, str], ...] = ()
    passes: int = 1
    undouble: bool = False
    keep: frozenset[str] = frozenset()
    irregular: Mapping[str, str] = field(default_factory=dict)
    clitics: tuple[str, ...] = ()
    possessive: str = ""
    negative_prefixes: tuple[str, ...] = ()
    prefix_minimum: int = 3
    prefix_exceptions: tuple[str, ...] = ()

    def stem(self, word: str) -> str:
        """The stem of a folded word."""
        word = self.irregular.get(word, word)
        for _pass in range(self.passes):
            if word in self.keep:
                break
            shorter = self._finals(self._strip(word))
            if shorter == word:
                break
            word = shorter
        return word

    def without_prefix(self, word: str) -> str | None:
        """The folded word without the prefix that denies it, or None where it has none."""
        if word in self.keep or word.startswith(self.prefix_exceptions):
            return None
        for prefix in self.negative_prefixes:
            rest = word[len(prefix) :]
            if word.startswith(prefix) and len(rest) >= self.prefix_minimum:
                return rest
        return None

    def _strip(self, word: str) -> str:
        letters = unicodedata.normalize("NFD", word)
        for ending, replacement, minimum in self.suffixes:
            if letters.endswith(ending) and len(letters) > len(ending):
                rest = unicodedata.normalize("NFC", letters[: -len(ending)])
                if len(rest) >= minimum:
                    return unicodedata.normalize("NFC", letters[: -len(ending)] + replacement)
        return word

    def _finals(self, word: str) -> str:
        letters = unicodedata.normalize("NFD", word)
        for ending, replacement in self.finals:
            if letters.endswith(ending) and (replacement or len(word) > 3):
                letters = letters[: len(letters) - len(ending)] + replacement
                break
        word = unicodedata.normalize("NFC", letters)
        if self.undouble and len(word) > 3 and word[-1] == word[-2] and word[-1].isalpha():
            word = word[:-1]
        return word
