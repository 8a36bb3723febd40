"""Text as data: shown inert, and cut into tokens the same way everywhere (DESIGN 4, 8; STYLE 5b.1).

:func:`visible` stands at every boundary where a store's text reaches a terminal, headless output included.
"""

from __future__ import annotations

import functools
import hashlib
import re
import unicodedata

from inspector.i18n import ngettext_d

_PICTURES = {code: chr(0x2400 + code) for code in range(0x20)} | {0x7F: "\u2421"}
_UNSAFE = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
_FILLERS = frozenset((0x034F, 0x115F, 0x1160, 0x3164, 0xFFA0))
_EMOJI_JOINER = "\u200d"
_CJK = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)
_WORD = re.compile(r"\w+")
_RUN = re.compile(f"[{_CJK}]+|[^{_CJK}]+")
_CJK_RUN = re.compile(f"[{_CJK}]")
_PACKET_WORD = re.compile(r"\b[a-z0-9]+\b")
#: Fast path: text made only of these needs no character replaced.
_PLAIN = re.compile(r"[ -~\n\u00a1-\u00ac\u00ae-\u02ff\uac00-\ud7a3\u4e00-\u9fff\u3040-\u30ff]*\Z")


def _is_emoji(char: str) -> bool:
    return unicodedata.category(char) == "So" or char == "\ufe0f" or 0x1F3FB <= ord(char) <= 0x1F3FF


def _inert(char: str, before: str, after: str, newlines: bool) -> str:
    if char == "\n" and newlines:
        return char
    code = ord(char)
    if code in _PICTURES:
        return _PICTURES[code]
    if char == _EMOJI_JOINER and before and after and _is_emoji(before) and _is_emoji(after):
        return char
    # Cc and Cf move or reorder, Cs cannot be encoded, Zl and Zp break lines, Co and Cn have no agreed width;
    # variation selectors and jamo fillers hide text or change its width.
    if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") or code in (
        0x034F,
        0x115F,
        0x1160,
        0x3164,
        0xFFA0,
    ):
        return f"\u27e8U+{code:04X}\u27e9"
    return char


def visible(text: str, *, newlines: bool = False) -> str:
    """The text with every character that could act on a terminal replaced by one that shows it.

    C0 controls become control pictures (``␛``), other controls, bidirectional and zero-width characters become
    ``⟨U+202E⟩``; a joiner inside an emoji stays. With ``newlines`` a line feed stays a line feed, for widgets that
    wrap; otherwise it becomes ``␊``. Nothing is dropped. The result is not protected against markup: hand it to a
    widget as Content or Text, never as a str that is parsed.
    """
    if _PLAIN.match(text) and (newlines or "\n" not in text):
        return text
    last = len(text) - 1
    return "".join(
        _inert(char, text[i - 1] if i else "", text[i + 1] if i < last else "", newlines) for i, char in enumerate(text)
    )


def cells(text: str) -> int:
    """How many cells of a terminal a line takes: wide and full-width characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(
        2 if unicodedata.east_asian_width(char) in "WF" else 0 if unicodedata.category(char) in ("Mn", "Me") else 1
        for char in text
    )


def padded(text: str, width: int, *, right: bool = False) -> str:
    """The text filled up with blanks to ``width`` cells, on its left where it stands to the ``right``."""
    blanks = " " * (width - cells(text))
    return blanks + text if right else text + blanks


def fold(text: str) -> str:
    """NFKC and case folding, the ground on which texts are compared (DESIGN 4, 8)."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def words(text: str) -> list[str]:
    """Unicode word tokens of the folded text, in order (DESIGN 8)."""
    return _WORD.findall(fold(text))


def counted(count: int, one: str, many: str | None = None) -> str:
    """A number with its noun: ``1 memory``, ``2 memories``; the plural takes an s where none is given."""
    single, several = f"{{count}} {one}", f"{{count}} {many or one + 's'}"
    words = ngettext_d(single, several, count)
    return words.format(count=f"{count:,}")


def lexical_tokens(text: str) -> list[str]:
    """Tokens of the lexical routes: folded Unicode words, runs of CJK as character bigrams (DESIGN 4).

    A single CJK character standing alone is a token of its own, so that one-character words can be found.
    """
    tokens: list[str] = []
    for word in words(text):
        for run in _RUN.findall(word):
            if _CJK_RUN.match(run) and len(run) > 1:
                tokens.extend(run[i : i + 2] for i in range(len(run) - 1))
            else:
                tokens.append(run)
    return tokens


def script_runs(word: str) -> list[str]:
    """A word token cut where CJK script begins or ends: ``vpn을`` is ``vpn`` and ``을``; no particle hides a name."""
    return _RUN.findall(word)


def has_cjk(text: str) -> bool:
    """Whether the text holds a character of a CJK script, Hangul and kana included."""
    return _CJK_RUN.search(text) is not None


def packet_tokens(text: str) -> list[str]:
    """Tokens of authority packets: ``[a-z0-9]+`` of the lower-cased text (DESIGN 4)."""
    return _PACKET_WORD.findall(text.lower())


@functools.lru_cache(maxsize=4_096)
def content_hash(text: str) -> str:
    """SHA-256 of the text's UTF-8 bytes, in hex: the key of its vector and the second way to match a record."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def token_line(text: str) -> str:
    """The word tokens of a text joined by single spaces, one at each end: the ground of :func:`contains_tokens`.

    Tokens hold word characters only, so that the joins cannot be mistaken for a part of one.
    """
    return f" {' '.join(words(text))} "


def contains_tokens(line: str, part: str) -> bool:
    """Whether a :func:`token_line` holds the tokens of ``part`` in order, as whole tokens (DESIGN 8).

    A part without a single word token is contained in nothing.
    """
    wanted = token_line(part)
    return len(wanted) > 2 and wanted in line
