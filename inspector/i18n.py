"""The words of the program in the user's language, through the standard gettext machinery (DESIGN 12).

English is the source: a message is its own id. ``_`` and ``ngettext`` are for what a person reads: screens, help,
errors. ``_d`` and ``ngettext_d`` are for words that may also stand in data on stdout, such as the reason of an axis in
a row of ``inspector evaluate``: their language stays English until it is asked for with ``--lang``, so that no script
depends on a locale; in the terminal UI both speak the same language. ``N_`` only marks a constant, which is translated
where it is shown. Messages with values are whole sentences with named places: ``_("{count} of {total}").format(...)``.

The catalogue lies in ``locale/``; ``python tests/tools/make_messages.py`` brings it up to date.
"""

from __future__ import annotations

import gettext as _gettext
import os
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
