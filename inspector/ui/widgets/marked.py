"""Stretches of a long text marked by signs and underline, so that they are told without colour (SCREENS).

A marked stretch stands between ``⟦1`` and ``⟧``; the number names what it belongs to. The text itself stays what it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from textual.content import Content

from inspector.ui.veil import part_of, visible
from inspector.ui.widgets.signs import CONTENT_STYLES

OPEN, CLOSE = "⟦", "⟧"
#: Characters that an excerpt shows on each side of what is marked.
AROUND = 60


class Mark(NamedTuple):
    """A stretch of a text, characters of the original, and the tag that it carries."""

    start: int
    end: int
    tag: str


def _stretches(text: str, marks: Iterable[Mark]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The text in pieces, each with the tags that hold on it; marks may overlap and lie outside what there is."""
    held = [mark for mark in marks if 0 <= mark.start < mark.end <= len(text)]
    edges = sorted({0, len(text), *(mark.start for mark in held), *(mark.end for mark in held)})
    for start, end in pairwise(edges):
        tags = tuple(dict.fromkeys(mark.tag for mark in held if mark.start <= start and end <= mark.end))
        yield text[start:end], tags


def mark_text(text: str, marks: Iterable[Mark], style: str = "") -> Content:
    """The whole text as inert Content, the marks shown by signs and underline; line feeds stay."""
    parts: list[tuple[str, str]] = []
    sign, marked = CONTENT_STYLES["heading"], f"underline {CONTENT_STYLES['strong']}"
    for piece, tags in _stretches(text, marks):
        shown = visible(part_of(piece), newlines=True)
        if tags:
            parts += [(f"{OPEN}{','.join(tags)} ", sign), (shown, marked), (CLOSE, sign)]
        else:
            parts.append((shown, style))
    return Content.assemble(*parts)


def excerpt(text: str, marks: Sequence[Mark], around: int = AROUND) -> Content:
    """The marked stretches with a little of the text on each side, in its order; without marks its beginning."""
    held = sorted(mark for mark in marks if 0 <= mark.start < mark.end <= len(text))
    if not held:
        cut = 3 * around
        return mark_text(text[:cut] + ("…" if len(text) > cut else ""), ())
    windows: list[tuple[int, int]] = []
    for mark in held:
        start, end = max(0, mark.start - around), min(len(text), mark.end + around)
        if windows and start <= windows[-1][1]:
            windows[-1] = windows[-1][0], max(end, windows[-1][1])
        else:
            windows.append((start, end))
    parts: list[Content] = [Content("… " if windows[0][0] else "")]
    for place, (start, end) in enumerate(windows):
        within = [Mark(m.start - start, m.end - start, m.tag) for m in held if start <= m.start and m.end <= end]
        parts += [Content(" … ")] if place else []
        parts.append(mark_text(text[start:end], within))
    parts.append(Content(" …" if windows[-1][1] < len(text) else ""))
    return Content.assemble(*parts)
