"""Finding a marked string in a text as whole tokens (DESIGN 8): leak targets and a memory's own marked spans.

Whole tokens in spite of case, width, punctuation and line ends; and never a part of a number: ``200`` is not in
``1,200`` or ``200.5``. In Korean a particle may follow the last token: ``1203호`` is in ``1203호에서``.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from inspector.audit.tokens import Pieces, Token, pieces

_ENDINGS = """
은 는 이 가 을 를 의 에 에서 에게 에게서 한테 한테서 께 께서 와 과 랑 이랑 하고 도 만 뿐 로 으로 로서 으로서 로써 으로써
까지 부터 조차 마저 처럼 같이 보다 마다 라고 이라고 라는 이라는 라 이라 다 이다 입니다 이에요 예요 이고 이며 인데 이지만
였다 이었다 였습니다 이었습니다 나 이나 든지 야 이야 요 에는 에도 에만 에서는 에서도 에게는 에게도 으로는 로는 과는 와는
까지는 부터는 께서는 이지요 이죠 인지 인가요
"""
#: A Korean noun's particles and copula, after a plural or an honorific [ours].
_PARTICLE = re.compile("(?:들|님|씨)?(?:" + "|".join(sorted(_ENDINGS.split(), key=len, reverse=True)) + ")?")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_IN_NUMBER = frozenset("0123456789,.:")
_GROUPED = re.compile(r"(?<![0-9])[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])")
#: Numbers that more than one token make: groups of three, decimals, versions, times of day.
_NUMBER = re.compile(r"(?<![0-9])(?:[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?(?![0-9])|[0-9]+(?:[.:][0-9]+)+)")
_BROKEN = re.compile(r"\w*[^\W\d_][-\u2010][ \t]*\r?\n\s*[^\W\d_]\w*")


class Place(NamedTuple):
    """Where something stands in a text: characters of the original, ``start`` included, ``end`` not."""

    start: int
    end: int


def find_whole(text: str, target: str) -> list[Place]:
    """Every place of ``target`` in ``text`` as whole tokens; none where the target holds no word character."""
    places: dict[Place, None] = {}
    for cut in (pieces, _joined):
        places.update(dict.fromkeys(_found(cut(text), [token.text for token in cut(target).tokens])))
    return sorted(places)


def has_tokens(target: str) -> bool:
    """Whether a target can be looked for at all."""
    return bool(pieces(target).tokens)


def _found(within: Pieces, wanted: Sequence[str]) -> Iterator[Place]:
    if not wanted:
        return
    tokens = within.tokens
    length = len(wanted)
    alone = length == 1 and len(wanted[0]) == 1  # one syllable with a particle is any word that begins so
    for at in range(len(tokens) - length + 1):
        if length > 1 and tokens[at].text != wanted[0]:
            continue
        if any(tokens[at + i].text != wanted[i] for i in range(1, length - 1)):
            continue
        last = tokens[at + length - 1]
        if last.text != wanted[-1] and (alone or not _with_particle(last.text, wanted[-1])):
            continue
        if _part_of_number(within, at, at + length - 1):
            continue
        extra = len(last.text) - len(wanted[-1])
        yield Place(tokens[at].start, _trimmed(last, extra))


def _trimmed(token: Token, extra: int) -> int:
    """The token's end without its particle, where every folded character is one of the original."""
    plain = token.end - token.start == len(token.text)
    return token.end - extra if plain else token.end


def _with_particle(token: str, wanted: str) -> bool:
    """Whether a Korean token is the wanted one with nothing but a particle after it."""
    return (
        len(token) > len(wanted)
        and token.startswith(wanted)
        and _HANGUL.match(wanted[-1]) is not None
        and _PARTICLE.fullmatch(token, len(wanted)) is not None
    )


def _part_of_number(within: Pieces, first: int, last: int) -> bool:
    """Whether a match cuts a number in two: ``20`` in ``20.5``, ``10`` in ``8:10``, ``200`` in ``1,200``."""
    start, end = within.places[first][0], within.places[last][1]
    return any(
        low < end and start < high and (low < start or end < high) for low, high in _numbers(within.folded, start, end)
    )


def _numbers(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The numbers with separators that a part of the text may lie in."""
    while start > 0 and text[start - 1] in _IN_NUMBER:
        start -= 1
    while end < len(text) and text[end] in _IN_NUMBER:
        end += 1
    for found in _NUMBER.finditer(text, start, end):
        yield found.span()


@functools.lru_cache(maxsize=1_024)
def _joined(text: str) -> Pieces:
    """The pieces with ``1,200`` as one number and a word that a hyphen breaks at a line's end as one word."""
    source = pieces(text)
    whole = source.folded
    spans = [found.span() for found in _GROUPED.finditer(whole)]
    spans += [found.span() for found in _BROKEN.finditer(whole)]
    if not spans:
        return source
    spans.sort()
    tokens: list[Token] = []
    places: list[tuple[int, int]] = []
    at = 0
    for token, place in zip(source.tokens, source.places, strict=True):
        while at < len(spans) and spans[at][1] <= place[0]:
            at += 1
        inside = at < len(spans) and spans[at][0] < place[0] < spans[at][1]
        if inside and tokens and places[-1][1] > spans[at][0]:
            before = tokens.pop()
            tokens.append(Token(before.text + token.text, before.start, token.end))
            places.append((places.pop()[0], place[1]))
        else:
            tokens.append(token)
            places.append(place)
    return Pieces(whole, tuple(tokens), tuple(places))
