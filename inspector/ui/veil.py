"""What the UI shows of data: inert, and in a redacted session with the store's own strings replaced (issue 9).

Everything of a store that reaches the terminal goes through :func:`visible`; the tests search whole screens for what
must not be there. Where a text is only looked at and not shown, :func:`inspector.text.visible` is meant.
"""

from __future__ import annotations

from collections.abc import Callable

from inspector import text as _text
from inspector.i18n import ngettext

_veil: Callable[[str], str] | None = None
_redacted = False


def redact(*, on: bool) -> None:
    """Begin or end a redacted session; what is known of the store's strings is forgotten."""
    global _redacted, _veil
    _redacted, _veil = on, None


def is_redacted() -> bool:
    """Whether the session is redacted."""
    return _redacted


def set_veil(veil: Callable[[str], str] | None) -> None:
    """Take the veil of the store that is open now."""
    global _veil
    _veil = veil


def veiled(text: str) -> str:
    """The text with the store's strings replaced, where the session is redacted."""
    return text if _veil is None or not _redacted else _veil(text)


def is_hidden(text: str) -> bool:
    """Whether the session hides some of the text."""
    return veiled(text) != text


def part_of(text: str) -> str:
    """A part of a store's text, of which the session may hide every word: then how long it is."""
    if not _redacted or not any(char.isalnum() for char in text):
        return text
    return ngettext("⟨{count:,} character⟩", "⟨{count:,} characters⟩", len(text)).format(count=len(text))


def visible(text: str, *, newlines: bool = False) -> str:
    """The text as it may be shown: see :func:`inspector.text.visible`; redacted where the session is."""
    return _text.visible(veiled(text), newlines=newlines)
