"""What makes an app in a test cheap, without making it another app: the same screens, styles, messages and pictures.

- A style sheet that was parsed with these variables is not parsed again by the next app; Textual keeps what it parsed
  for one app only.
- Textual paints up to sixty times a second. A test waits for the Pilot, which paints whenever it has waited; between
  that, ten times a second are enough. Everything that is due is still laid out and painted before it is looked at.
- A rule is hashed by its identity, as Textual does it, without a call of Python: it happens a million times in a walk.
"""

from __future__ import annotations

from typing import Any

import pytest
from textual import screen
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

PAINTS = 10

_parsed: dict[frozenset[tuple[str, str]], dict[Any, Any]] = {}


def _share(sheet: Stylesheet) -> None:
    """Give the sheet what others have parsed with the same variables."""
    sheet._parse_cache = _parsed.setdefault(frozenset(sheet._variables.items()), {})  # type: ignore[assignment]


def make_cheap(patch: pytest.MonkeyPatch) -> None:
    """Do all of the above until ``patch`` is undone."""
    begin, set_variables = Stylesheet.__init__, Stylesheet.set_variables

    def beginning(self: Stylesheet, *, variables: dict[str, str] | None = None) -> None:
        begin(self, variables=variables)
        _share(self)

    def setting(self: Stylesheet, variables: dict[str, str]) -> None:
        self._parse_cache = {}  # type: ignore[assignment]  # the shared one is not Textual's to clear
        set_variables(self, variables)
        _share(self)

    patch.setattr(Stylesheet, "__init__", beginning)
    patch.setattr(Stylesheet, "set_variables", setting)
    patch.setattr(screen, "UPDATE_PERIOD", 1 / PAINTS)
    patch.setattr(RuleSet, "__hash__", object.__hash__)
