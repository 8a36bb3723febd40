"""Which language the command line speaks, and its help in that language (DESIGN 12).

``--lang`` before the command decides, else ``language`` in settings.toml, else the locale. Help, messages on stderr and
the terminal UI follow it. Data on stdout, the words inside it included, stays English unless ``--lang`` is given: a
script reads the same under every locale.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from inspector.i18n import LANGUAGES, _, language, locale_language, set_language, speak_to_libraries
from inspector.text import cells


def settings_language() -> str | None:
    """``language`` of the settings files, the current folder's last; what is wrong in them the UI says."""
    from inspector.places import config_dir

    found: str | None = None
    for folder in (config_dir(), Path.cwd() / ".inspector"):
        try:
            given = tomllib.loads((folder / "settings.toml").read_text(encoding="utf-8")).get("language")
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
            continue
        if given in LANGUAGES:
            found = given
    return found


def speak() -> None:
    """Before anything is said: the language of the settings, else of the locale, for all but data."""
    set_language(settings_language() or locale_language(), data=LANGUAGES[0])
    speak_to_libraries()


def speak_in_ui() -> None:
    """In the terminal UI everything is for people: words of data are in the language of messages too."""
    set_language(language(), data=language())


def take_language(_ctx: click.Context, _param: click.Parameter, value: str | None) -> str | None:
    """The callback of ``--lang``: asked for by name, so that data speaks it too."""
    if value is not None:
        set_language(value, data=value)
        speak_to_libraries()
    return value


def language_option(command: Any) -> Any:
    """``--lang``, read before every other option."""
    return click.option(
        "--lang",
        type=click.Choice(LANGUAGES),
        is_eager=True,
        expose_value=False,
        callback=take_language,
        help="Language of everything, data on stdout included; else the settings' or locale's, and data in English.",
    )(command)


#: Stands after every wide character while lines are broken: a letter, so that no word is broken at it.
_FILLER = "\u115f"


def _widened(text: str) -> str:
    """The text with as many characters as it takes cells of a terminal."""
    return text if text.isascii() else "".join(f"{char}{_FILLER}" if cells(char) == 2 else char for char in text)


class _CellFormatter(click.HelpFormatter):
    """Breaks lines and fills columns by the cells of a terminal, where click counts characters."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write the usage line."""
        super().write_usage(prog, args, _widened(f"{_('Usage:')} " if prefix is None else prefix))

    def write_text(self, text: str) -> None:
        """Write paragraphs."""
        super().write_text(_widened(text))

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Write a list of options or commands."""
        super().write_dl([(_widened(term), _widened(text)) for term, text in rows], col_max, col_spacing)

    def getvalue(self) -> str:
        """All that was written."""
        return super().getvalue().replace(_FILLER, "")


class _CellContext(click.Context):
    formatter_class = _CellFormatter


class _InLanguage(click.Command):
    """Help in the language that is spoken when it is asked for; English help is the message's id."""

    context_class = _CellContext

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help with every text translated."""
        spoken: list[Any] = [self, *self.get_params(ctx)]
        before = [getattr(each, "help", None) for each in spoken]
        try:
            for each, text in zip(spoken, before, strict=True):
                if text:
                    each.help = _(text)
            super().format_help(ctx, formatter)
        finally:
            for each, text in zip(spoken, before, strict=True):
                if text:
                    each.help = text

    def get_short_help_str(self, limit: int = 45) -> str:
        """The first sentence of the help, as the list of commands shows it."""
        before = self.help
        try:
            if before:
                self.help = _widened(_(before))
            return super().get_short_help_str(limit).replace(_FILLER, "")
        finally:
            self.help = before


class SpokenCommand(_InLanguage):
    """A command whose help is translated."""


class SpokenGroup(_InLanguage, click.Group):
    """A group whose help is translated, and that of its commands."""

    command_class = SpokenCommand
