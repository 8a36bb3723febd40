"""A, the risk of a query: a number it gives, its category, or the keyword lists of the lexicons (DESIGN 6)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from inspector.i18n import _d
from inspector.mdl.clauses import tokens_of
from inspector.mdl.lexicon import Lexicons
from inspector.mdl.params import TIERS, Params, Tier
from inspector.mdl.words import WordBook
from inspector.text import fold


@dataclass(frozen=True, slots=True)
class Risk:
    """A and where it is from.

    ``tier`` is None where the query gave a number. ``matched`` are the category or the keywords that decided, as the
    lexicon or the query spells them; ``source`` the files that say so. ``reason`` is one sentence for the screen.
    """

    A: float
    tier: Tier | None
    origin: Literal["number", "category", "keywords", "default"]
    matched: tuple[str, ...]
    source: str
    reason: str


class RiskAssessor:
    """Assesses queries by the lexicons given to it."""

    def __init__(self, lexicons: Lexicons) -> None:
        self.lexicons = lexicons
        self._books = [WordBook(lexicon) for lexicon in lexicons.by_language.values()]
        self._keywords = [self._stems(book) for book in self._books]

    @staticmethod
    def _stems(book: WordBook) -> list[tuple[Tier, str, tuple[str, ...]]]:
        """Keywords with their stems, the highest tier first."""
        return [
            (tier, keyword, tuple(book.word(word).stem for word in keyword.removeprefix("=").split()))
            for tier in reversed(TIERS)
            for keyword in book.lexicon.keywords[tier]
        ]

    def assess(self, value: Any, text: str, params: Params) -> Risk:
        """A of one query from its ``risk`` field (None where it has no value) and its text (DESIGN 6).

        A number from 0 to 1 is A itself; a text is looked up as a category. Otherwise the keyword lists decide, the
        highest tier that any of them names; where none matches it is the default tier, and the reason says so.
        """
        number = _number(value)
        if number is not None:
            return Risk(
                number, None, "number", (), "query", _d("the query gives its risk: {number:g}").format(number=number)
            )
        remark = ""
        if value is not None:
            entry = self.lexicons.categories.get(fold(value).strip()) if isinstance(value, str) else None
            if entry is not None:
                tier, source = entry
                reason = _d("category {value!r} is {tier} ({source})").format(value=value, tier=tier, source=source)
                return Risk(params.tier_value(tier), tier, "category", (str(value),), source, reason)
            remark = _d("risk {value!r} is no number from 0 to 1 and no known category; ").format(value=value)
        for tier in reversed(TIERS):
            matched, sources = self._matches(tier, text)
            if matched:
                reason = _d("{remark}{tier} by ").format(remark=remark, tier=tier) + ", ".join(
                    repr(word) for word in matched
                )
                return Risk(params.tier_value(tier), tier, "keywords", matched, ", ".join(sources), reason)
        tier = params.default_tier
        reason = _d("{remark}no keyword matches: taken as {tier} [ours]").format(remark=remark, tier=tier)
        return Risk(params.tier_value(tier), tier, "default", (), "", reason)

    def _matches(self, tier: Tier, text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        found: dict[str, None] = {}
        sources: dict[str, None] = {}
        for book, keywords in zip(self._books, self._keywords, strict=True):
            words = tokens_of(text)
            stems = [book.word(word).stem for word in words]
            folded = [fold(word) for word in words]
            for of, keyword, parts in keywords:
                if of == tier and _stands_in(keyword, parts, stems, folded, book.lexicon.keyword_prefix):
                    found[keyword] = None
                    sources.update(dict.fromkeys(book.lexicon.sources))
        return tuple(found), tuple(sources)


def _stands_in(keyword: str, parts: tuple[str, ...], stems: list[str], folded: list[str], prefix: bool) -> bool:
    """Whether a keyword stands in a text; one of two letters or more also begins a longer word where it may."""
    if keyword.startswith("="):
        return keyword[1:] in folded
    if len(parts) == 1:
        return parts[0] in stems or (prefix and len(keyword) > 1 and any(word.startswith(keyword) for word in folded))
    return any(tuple(stems[i : i + len(parts)]) == parts for i in range(len(stems) - len(parts) + 1))


def _number(value: Any) -> float | None:
    """A risk given as a number from 0 to 1, also as text; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and 0.0 <= number <= 1.0 else None
