"""The words of the program in the user's language, through the standard gettext machinery (DESIGN 12).

English is the source: a message is its own id. ``_`` and ``ngettext`` are for what a person reads: screens, help,
errors. ``_d`` and ``ngettext_d`` are for words that may also stand in data on stdout, such as the reason of an axis in
a row of ``inspector evaluate``: their language stays English until it is asked for with ``--lang``, so that no script
depends on a locale; in the terminal UI both speak the same language. ``N_`` only marks a constant, which is translated
where it is shown. ``D_`` marks a sentence that is itself data, such as a note that an import keeps in the workspace: it
is made in English, whoever makes it, and :func:`told` says it in the reader's language. Messages with values are whole
sentences with named places: ``_("{count} of {total}").format(...)``.

The catalogue lies in ``locale/``; ``python tests/tools/make_messages.py`` brings it up to date.
"""

from __future__ import annotations

import contextlib
import functools
import gettext as _gettext
import os
import re
import string
from collections.abc import Iterator
from pathlib import Path

#: The languages, the source's own first.
LANGUAGES = ("en", "ko")
DOMAIN = "inspector"
LOCALE_DIR = Path(__file__).with_name("locale")


class _Spoken:
    """What is spoken now: the language of messages and that of words in data, each with its catalogue."""

    def __init__(self) -> None:
        self.language = self.data = LANGUAGES[0]
        self.messages: _gettext.NullTranslations | None = None
        self.in_data: _gettext.NullTranslations | None = None


_spoken = _Spoken()


def _(message: str) -> str:
    """A message for people, in their language."""
    catalogue = _spoken.messages
    return message if catalogue is None or not message else catalogue.gettext(message)


def ngettext(one: str, many: str, count: int) -> str:
    """The message for ``count`` things; English has one form for 1 and one for the rest, Korean a single one."""
    catalogue = _spoken.messages
    return (one if count == 1 else many) if catalogue is None else catalogue.ngettext(one, many, count)


def _d(message: str) -> str:
    """Words that may stand in data on stdout: English unless another language was asked for by name."""
    catalogue = _spoken.in_data
    return message if catalogue is None or not message else catalogue.gettext(message)


def ngettext_d(one: str, many: str, count: int) -> str:
    """As :func:`ngettext`, for words that may stand in data."""
    catalogue = _spoken.in_data
    return (one if count == 1 else many) if catalogue is None else catalogue.ngettext(one, many, count)


def N_(message: str) -> str:  # noqa: N802  (the name that gettext's tools know)
    """Mark a constant for translation; it is translated where it is shown."""
    return message


#: Sentences of data: each template with what finds it again, the longest words first.
_told: list[tuple[int, re.Pattern[str], str]] = []


def D_(template: str) -> str:  # noqa: N802  (as N_)
    """Mark a sentence that is data; one with places is a constant of its module, so that it is known once imported.

    Places are names alone, such as ``{count}``: what fills them is text by then. Raises ValueError for another.
    """
    if "{" not in template:
        return template
    pattern, words = "", 0
    seen: set[str] = set()
    for text, name, spec, conversion in string.Formatter().parse(template):
        pattern, words = pattern + re.escape(text), words + len(text)
        if name is not None:
            if spec or conversion or not name:
                raise ValueError(f"{template!r}: a place of a sentence that is data is a name alone")
            pattern += f"(?P={name})" if name in seen else f"(?P<{name}>.*?)"
            seen.add(name)
    _told.append((words, re.compile(pattern, re.DOTALL), template))
    _told.sort(key=lambda one: -one[0])
    return template


def told(text: str) -> str:
    """A sentence of data in the language of words in data; what is none of ours stays as it is."""
    return text if _spoken.in_data is None else _told_in(_spoken.data, text)


@functools.lru_cache(maxsize=4_096)
def _told_in(_language: str, text: str) -> str:
    exact = _d(text)
    if exact != text:
        return exact
    for _words, pattern, template in _told:
        found = pattern.fullmatch(text)
        if found is not None:
            return _d(template).format(**found.groupdict())
    return text


def language() -> str:
    """The language of messages."""
    return _spoken.language


def data_language() -> str:
    """The language of words that stand in data."""
    return _spoken.data


def _catalogue(code: str) -> _gettext.NullTranslations | None:
    if code not in LANGUAGES:
        raise ValueError(f"{code!r} is none of {', '.join(LANGUAGES)}")
    return None if code == LANGUAGES[0] else _gettext.translation(DOMAIN, str(LOCALE_DIR), [code])


def set_language(code: str, *, data: str | None = None) -> None:
    """Speak ``code`` from now on; ``data`` is the language of words in data and stays as it was when None.

    Raises ValueError for a language that is not of :data:`LANGUAGES`.
    """
    messages = _catalogue(code)
    in_data = _spoken.in_data if data is None else _catalogue(data)
    _spoken.language, _spoken.messages = code, messages
    _spoken.data, _spoken.in_data = data or _spoken.data, in_data


@contextlib.contextmanager
def words_for_people() -> Iterator[None]:
    """Words of data in the language of messages meanwhile, as of a header that goes to stderr.

    The language is one for all threads: this is for the command line, where nothing else speaks at the time.
    """
    before = _spoken.data, _spoken.in_data
    _spoken.data, _spoken.in_data = _spoken.language, _spoken.messages
    try:
        yield
    finally:
        _spoken.data, _spoken.in_data = before


def locale_language() -> str:
    """The language of the user's locale, else English."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        code = os.environ.get(name, "").partition(".")[0].partition("_")[0]
        if code:
            return code if code in LANGUAGES else LANGUAGES[0]
    return LANGUAGES[0]


def speak_to_libraries() -> None:
    """Have libraries that use gettext's own domain, as click does, find their messages in our catalogue."""
    _gettext.bindtextdomain(DOMAIN, str(LOCALE_DIR))
    _gettext.textdomain(DOMAIN)
    os.environ["LANGUAGE"] = _spoken.language
