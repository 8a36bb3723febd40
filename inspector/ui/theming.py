"""Colour themes as TOML files: ours in ``themes/``, the user's beside their settings (STYLE 5.7).

A theme file has ``name``, ``dark``, ``roomy`` (a blank line between rows) and two tables: ``[colors]``, Textual's base
colours, and ``[variables]``, the product's own (:data:`OWN_VARIABLES`) and any of Textual's.
Every colour is parsed here, before a theme is registered: Textual would accept a bad one and end the program later. A
bad file is named and left out; the others are used.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textual.color import Color, ColorParseError
from textual.theme import Theme

from inspector.errors import InputError, InspectorError, Problem
from inspector.i18n import _
from inspector.resources import resource_dir
from inspector.ui.config import nearest, read_toml

DEFAULT_THEME = "inspector-dark"

#: The product's own variables, for a dark and a light background: what a theme leaves out is taken from here.
OWN_VARIABLES: Mapping[str, tuple[str, str]] = {
    "trit-yes": ("#6cb6ff", "#0b4f99"),
    "trit-no": ("#ff9d3d", "#953b00"),
    "trit-unknown": ("#b0b8c2", "#4f5660"),
    "changed": ("#ffe066", "#6b4e00"),
    "edited": ("#e3a6ff", "#7a2aa8"),
    "mark": ("#ffd75f", "#6f4400"),
    "good": ("#6cb6ff", "#0b4f99"),
    "bad": ("#ff9d3d", "#953b00"),
    "warn": ("#ffcf70", "#6f4400"),
    "dim": ("#9aa4b0", "#525a64"),
    "heading": ("#eef2f6", "#10151b"),
    "link": ("#8ab8ff", "#0b4a99"),
    "cursor": ("#253a56", "#c9dff8"),
    "cursor-cell": ("#0d1c33", "#ffffff"),
    "cursor-blurred": ("#262d37", "#dde3ea"),
}
#: Foregrounds that must be readable on every one of BACKGROUNDS; a test holds our themes to it.
FOREGROUNDS = tuple(name for name in OWN_VARIABLES if not name.startswith("cursor"))
BACKGROUNDS = ("background", "surface", "panel", "cursor", "cursor-cell", "cursor-blurred")
_BASE = (
    "primary",
    "secondary",
    "warning",
    "error",
    "success",
    "accent",
    "foreground",
    "background",
    "surface",
    "panel",
    "boost",
)
_TOP = ("name", "dark", "colors", "variables", "about", "roomy")
_NOT_COLOURS = ("-style", "-weight")


@dataclass(frozen=True)
class Themes:
    """The themes that could be read, by name, a sentence about each, and what was wrong with the others."""

    themes: Mapping[str, Theme]
    about: Mapping[str, str]
    #: Names of those with a blank line between the rows of tables.
    roomy: frozenset[str]
    problems: tuple[Problem, ...]


def own_defaults(dark: bool) -> dict[str, str]:
    """The product's own variables for a theme that does not set them."""
    return {name: pair[0 if dark else 1] for name, pair in OWN_VARIABLES.items()}


def read_theme(path: Path) -> Theme:
    """Read one theme file. Raises InputError naming file and key where anything in it cannot be used."""

    def bad(key: str, wrong: str, expected: str) -> InputError:
        return InputError.at(str(path), None, key, wrong, expected)

    try:
        data = read_toml(path)
    except InspectorError as error:
        raise bad("", str(error), _("a TOML file")) from None
    for key in data:
        if key not in _TOP:
            raise bad(key, _("unknown key"), nearest(key, _TOP) or _("one of {TOP}").format(TOP=", ".join(_TOP)))
    name = data.get("name")
    if not isinstance(name, str) or not re.fullmatch(r"[\w-]+", name):
        raise bad("name", _("missing or not a name"), _("the theme's name: letters, digits, - and _"))
    dark = data.get("dark", True)
    if not isinstance(dark, bool):
        raise bad("dark", _("{dark!r} is not a truth value").format(dark=dark), _("true or false"))
    roomy = data.get("roomy", False)
    if not isinstance(roomy, bool):
        raise bad("roomy", _("{dark!r} is not a truth value").format(dark=roomy), _("true or false"))
    colors = _table(data, "colors", bad)
    variables = _table(data, "variables", bad)
    for key, value in colors.items():
        if key not in _BASE:
            raise bad(
                f"colors.{key}",
                _("unknown colour"),
                nearest(key, _BASE) or _("one of {BASE}").format(BASE=", ".join(_BASE)),
            )
        _check_colour(f"colors.{key}", value, bad)
    if "primary" not in colors:
        raise bad("colors.primary", "missing", _('a colour, such as "#3b82f6"'))
    base: dict[str, Any] = dict(colors)
    theme = Theme(name=name, dark=dark, variables=variables, **base)
    known = {**theme.to_color_system().generate(), **OWN_VARIABLES}
    for key, value in variables.items():
        if key not in known:
            raise bad(f"variables.{key}", _("unknown variable"), nearest(key, known) or _("a variable of this program"))
        if not key.endswith(_NOT_COLOURS):
            _check_colour(f"variables.{key}", value, bad)
    return theme


def _table(data: Mapping[str, Any], key: str, bad: Any) -> dict[str, str]:
    table = data.get(key, {})
    if not isinstance(table, dict) or not all(isinstance(value, str) for value in table.values()):
        raise bad(key, _("not a table of texts"), _('[{key}] with lines such as primary = "#3b82f6"').format(key=key))
    return dict(table)


def _check_colour(key: str, value: str, bad: Any) -> None:
    try:
        Color.parse(value)
    except ColorParseError:
        raise bad(
            key, _("{value!r} is not a colour").format(value=value), _('such as "#3b82f6" or "rgb(59,130,246)"')
        ) from None


def load_themes(user_folders: Iterable[Path] = ()) -> Themes:
    """Our themes and the user's; a user's theme of the same name takes the place of ours."""
    themes: dict[str, Theme] = {}
    about: dict[str, str] = {}
    roomy: set[str] = set()
    problems: list[Problem] = []
    for folder in (resource_dir("themes"), *user_folders):
        for path in sorted(folder.glob("*.toml")):
            try:
                theme = read_theme(path)
                data = read_toml(path)
                about[theme.name] = str(data.get("about", ""))
                (roomy.add if data.get("roomy") else roomy.discard)(theme.name)
            except InputError as error:
                problems.append(error.problem)
            else:
                themes[theme.name] = theme
    return Themes(themes, about, frozenset(roomy), tuple(problems))
