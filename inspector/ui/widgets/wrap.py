"""Wrapping of long texts by terminal cells, without losing a character (STYLE 4: one very long line must not hang).

Offsets, not strings, are kept: a text of a megabyte is cut in tens of milliseconds and its lines are made only when
they come into sight.
"""

from __future__ import annotations

import functools
import re

import numpy as np
import numpy.typing as npt
from rich.cells import cell_len

#: Where a line of text starts and ends, as offsets into the text; a line feed belongs to no line.
Line = tuple[int, int]
_EMOJI_STYLE = 0xFE0F


@functools.lru_cache(maxsize=64)
def _cutter(width: int) -> re.Pattern[str]:
    # What is left if it fits; else up to the last space that fits; else a cut inside the word.
    return re.compile(rf".{{1,{width}}}\Z|.{{0,{width - 1}}}[ \t]|.{{1,{width}}}", re.DOTALL)


@functools.lru_cache(maxsize=16_384)
def _char_cells(code: int) -> int:
    # The emoji style selector widens the sign before it: counted for itself, so that no line is ever too long.
    return 1 if code == _EMOJI_STYLE else cell_len(chr(code))


def _cells(text: str) -> npt.NDArray[np.int64]:
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    distinct, where = np.unique(codes, return_inverse=True)
    return np.array([_char_cells(int(code)) for code in distinct], dtype=np.int64)[where]


def _wrap_wide(text: str, start: int, width: int) -> list[Line]:
    ends = np.cumsum(_cells(text))
    spaces = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32) == 0x20
    last_space = np.maximum.accumulate(np.where(spaces, np.arange(len(text)), -1))
    lines: list[Line] = []
    at, used = 0, 0
    while at < len(text):
        stop = int(np.searchsorted(ends, used + width, side="right"))
        stop = max(stop, at + 1)
        if stop < len(text) and (space := int(last_space[stop - 1])) >= at:
            stop = space + 1
        lines.append((start + at, start + stop))
        at, used = stop, int(ends[stop - 1])
    return lines


def wrap_lines(text: str, width: int) -> list[Line]:
    """The lines that show the whole text in ``width`` cells: offsets that follow each other without a gap.

    Breaks after a space where there is one, inside a word where there is none; line feeds end a line and are left
    out. Every other character is in exactly one line. The text must already be inert.
    """
    width = max(2, width)
    lines: list[Line] = []
    start = 0
    for paragraph in text.split("\n"):
        if not paragraph:
            lines.append((start, start))
        elif paragraph.isascii():
            lines.extend((start + m.start(), start + m.end()) for m in _cutter(width).finditer(paragraph))
        else:
            lines.extend(_wrap_wide(paragraph, start, width))
        start += len(paragraph) + 1
    return lines
