"""Word tokens of a text with their places in the original, the ground of disclosure (DESIGN 8).

A text is folded as :func:`inspector.text.fold` does (NFKC, casefold), without characters that are never seen, and with
every decimal digit as 0 to 9. Offsets count characters of the original text, so that a span can be marked in it.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from typing import NamedTuple

from inspector.text import fold

#: Soft hyphen, joiners, byte order mark, variation selectors: they hide inside words and are never seen.
_UNSEEN = re.compile("[\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]")
_WORD = re.compile(r"\w+")
_FOREIGN_DIGIT = re.compile(r"(?![0-9])\d")
#: Scripts that are written without spaces: one character says about half of what an English word says.
_UNSPACED = "\u3005-\u3007\u3040-\u309f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KATAKANA = "\u30a0-\u30ff"
_HANGUL = "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"
_RUN_PART = re.compile(f"[{_UNSPACED}]|[{_KATAKANA}]+|[^{_UNSPACED}{_KATAKANA}]+")
_PIECE = re.compile(f"[{_UNSPACED}]|[{_KATAKANA}]+|[{_HANGUL}]+|[^{_UNSPACED}{_KATAKANA}{_HANGUL}]+")
_HAS_UNSPACED = re.compile(f"[{_UNSPACED}{_KATAKANA}]")
_HAS_CUT = re.compile(f"[{_UNSPACED}{_KATAKANA}{_HANGUL}]")
#: What an unspaced character counts towards the five words of a run [ours].
UNSPACED_WEIGHT = 0.5


class Token(NamedTuple):
    """A folded token and its place in the original text, ``start`` included, ``end`` not."""

    text: str
    start: int
    end: int


class Folded(NamedTuple):
    """A folded text; ``starts`` and ``ends`` give for each of its characters the original's place, None where the
    places are the same."""

    text: str
    starts: list[int] | None
    ends: list[int] | None

    def token(self, start: int, end: int) -> Token:
        """The token at a place of the folded text."""
        if self.starts is None or self.ends is None:
            return Token(self.text[start:end], start, end)
        return Token(self.text[start:end], self.starts[start], self.ends[end - 1])


def _plain(text: str) -> str:
    """Folded, without unseen characters, decimal digits of every script as 0 to 9."""
    folded = fold(_UNSEEN.sub("", text))
    return folded if folded.isascii() else _FOREIGN_DIGIT.sub(_digit, folded)


def _digit(found: re.Match[str]) -> str:
    return str(unicodedata.decimal(found[0]))


@functools.lru_cache(maxsize=8_192)
def _char(char: str) -> str:
    return _plain(char)


def _joins(char: str) -> bool:
    """Whether normalisation may compose the character with the one before it."""
    code = ord(char)
    return (
        unicodedata.combining(char) != 0
        or unicodedata.category(char)[0] == "M"
        or 0x1160 <= code <= 0x11FF
        or 0xD7B0 <= code <= 0xD7FF
        or 0xFF9E <= code <= 0xFFDC
    )


def folded(text: str) -> Folded:
    """Fold a text and keep where each folded character came from."""
    if text.isascii():
        return Folded(text.casefold(), None, None)
    whole = _plain(text)
    single = [_char(char) for char in text]
    if len(whole) == len(text) and all(len(one) == 1 for one in single) and "".join(single) == whole:
        return Folded(whole, None, None)
    for pieces in (_by_letter(text), _by_gap(text)):
        found = _mapped(text, pieces)
        if found.text == whole:
            return found
    # Nothing composes across white space, so that cutting there cannot differ; kept as a last resort all the same.
    return _mapped(text, [(0, len(text))])


def _by_letter(text: str) -> list[tuple[int, int]]:
    """The text cut before every character that cannot compose with the one before."""
    cuts = [i for i, char in enumerate(text) if i == 0 or not _joins(char)]
    return list(zip(cuts, [*cuts[1:], len(text)], strict=True))


def _by_gap(text: str) -> list[tuple[int, int]]:
    return [found.span() for found in re.finditer(r"\S+|\s+", text)]


def _mapped(text: str, pieces: list[tuple[int, int]]) -> Folded:
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end in pieces:
        piece = _plain(text[start:end])
        out.append(piece)
        starts.extend([start] * len(piece))
        ends.extend([end] * len(piece))
    return Folded("".join(out), starts, ends)


def _cut(text: Folded, parts: re.Pattern[str], needs: re.Pattern[str]) -> list[Token]:
    whole = text.text
    cut = needs.search(whole) is not None
    tokens: list[Token] = []
    for word in _WORD.finditer(whole):
        start, end = word.span()
        if not cut:
            tokens.append(text.token(start, end))
            continue
        tokens.extend(text.token(*part.span()) for part in parts.finditer(whole, start, end))
    return tokens


@functools.lru_cache(maxsize=512)
def run_tokens(text: str) -> tuple[Token, ...]:
    """The tokens that shared runs are counted in: word tokens; in scripts without spaces, characters."""
    return tuple(_cut(folded(text), _RUN_PART, _HAS_UNSPACED))


def run_words(text: str) -> list[str]:
    """The texts of :func:`run_tokens`, without places: for looking through a whole store."""
    whole = _plain(text)
    found = _WORD.findall(whole)
    if _HAS_UNSPACED.search(whole) is None:
        return found
    return [part for word in found for part in _RUN_PART.findall(word)]


def weight(token: str) -> float:
    """How many words a token counts as: 1, or half for one character of a script without spaces [ours]."""
    return UNSPACED_WEIGHT if len(token) == 1 and _is_unspaced(token) else 1.0


@functools.lru_cache(maxsize=8_192)
def _is_unspaced(char: str) -> bool:
    return re.match(f"[{_UNSPACED}]", char) is not None


class Pieces(NamedTuple):
    """A text for the search of whole tokens: the folded text and its words cut where Hangul, kana or Han begin or end.

    ``ends`` gives for each piece its place in the folded text, to look at what stands around it.
    """

    folded: str
    tokens: tuple[Token, ...]
    places: tuple[tuple[int, int], ...]


@functools.lru_cache(maxsize=512)
def pieces(text: str) -> Pieces:
    """The pieces of a text: words, cut at borders of script so that no particle hides a name."""
    source = folded(text)
    whole = source.text
    cut = _HAS_CUT.search(whole) is not None
    places: list[tuple[int, int]] = []
    for word in _WORD.finditer(whole):
        if cut:
            places.extend(part.span() for part in _PIECE.finditer(whole, *word.span()))
        else:
            places.append(word.span())
    return Pieces(whole, tuple(source.token(*place) for place in places), tuple(places))
