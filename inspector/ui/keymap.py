"""The user's keys: ``keymap.toml``, checked against the registry of actions (STYLE 5.5, 6).

A line is ``ID = "keys"``, such as ``inspect.edit = "e,f2"`` or, in a table, ``[inspect]`` and ``edit = "e"``. Textual
takes unknown ids and two actions on one key without a word, so all of that is found here, named with file and key, and
the default stays.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textual.keys import KEY_NAME_REPLACEMENTS, Keys

from inspector.errors import InspectorError, Problem
from inspector.i18n import _
from inspector.ui.actions import BY_ID, clashes, show_key
from inspector.ui.config import nearest, read_toml

_MODIFIERS = ("ctrl", "shift", "alt", "super", "hyper", "meta")
_NAMED = frozenset(key.value for key in Keys) | {"space", "delete", "enter", "tab", "escape", "backspace"}


@dataclass(frozen=True)
class Keymap:
    """The keys that differ from the default, by action id, as Textual names keys; and what could not be used."""

    keys: Mapping[str, str]
    problems: tuple[Problem, ...]


def normal_key(key: str) -> str | None:
    """A key as Textual names it, ``question_mark`` for ``?``; None if there is no such key."""
    *modifiers, last = key.strip().split("+") if key.strip() != "+" else ["+"]
    if any(modifier not in _MODIFIERS for modifier in modifiers):
        return None
    if len(last) == 1:
        if not last.isalnum():
            try:
                name = unicodedata.name(last).lower().replace("-", "_").replace(" ", "_")
            except ValueError:
                return None
            last = KEY_NAME_REPLACEMENTS.get(name, name)
    elif last not in _NAMED and show_key(last) == last:
        return None
    return "+".join([*modifiers, last])


def _flat(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield before + name, value


def load_keymap(files: Iterable[Path]) -> Keymap:
    """Read keymap files, the later ones winning; never raises for what a user wrote."""
    keys: dict[str, str] = {}
    where: dict[str, Path] = {}
    problems: list[Problem] = []
    for path in files:
        try:
            entries = list(_flat(read_toml(path)))
        except InspectorError as error:
            problems.append(Problem(str(path), None, "", str(error), _('lines such as inspect.edit = "e"')))
            continue
        for name, value in entries:
            if name not in BY_ID:
                expected = nearest(name, BY_ID, _("an id that the help screen shows"))
                problems.append(Problem(str(path), None, name, _("unknown action"), expected))
                continue
            normal, bad = _keys(value)
            if bad is not None:
                problems.append(Problem(str(path), None, name, *bad))
            else:
                keys[name] = ",".join(normal)
                where[name] = path
    if keys:  # the default keys never clash, a test says so; the first paint need not wait for it
        _drop_clashes(keys, where, problems)
    return Keymap(keys, tuple(problems))


def _keys(value: Any) -> tuple[list[str], tuple[str, str] | None]:
    if not isinstance(value, str) or not value.strip():
        return [], (_("{value!r} is not a text").format(value=value), _('one or more keys, such as "e" or "f2,ctrl+e"'))
    normal = []
    # A comma alone is the key; among others it must be named, since commas separate.
    for key in [value] if value == "," else value.split(","):
        found = normal_key(key)
        if found is None:
            return [], (
                _("{key!r} is not a key").format(key=key.strip()),
                _('such as "e", "f2", "ctrl+e" or "question_mark"'),
            )
        normal.append(found)
    return normal, None


def _drop_clashes(keys: dict[str, str], where: Mapping[str, Path], problems: list[Problem]) -> None:
    # Taking one line away can put a default key back that meets another line: again until none is left.
    while found := [pair for pair in clashes(keys) if pair[0].id in keys or pair[1].id in keys]:
        one, other, key = found[0]
        own = one if one.id in keys else other
        against = other if own is one else one
        problems.append(
            Problem(
                str(where[own.id]),
                None,
                own.id,
                _("{show_key} is already {id}").format(show_key=show_key(key), id=against.id),
                _("a free key, or another key for that one too"),
            )
        )
        del keys[own.id]
