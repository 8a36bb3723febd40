"""What an action is: id, keys, name, what it does (STYLE 5.5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from inspector.i18n import _


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that a user can do.

    ``id`` names it in keymap.toml, its first segment is the place that binds it (:data:`PLACES`). ``keys`` are the
    default keys, comma separated, as Textual names them. ``name`` is "Group: Verb" for the palette, ``help`` one
    sentence for the help screen, ``label`` the one or two words of the footer. ``run`` is the Textual action. An action
    that ``shadows`` takes its key from an enclosing place on purpose, and gives it back where it is not enabled.
    """

    id: str
    keys: str
    name: str
    help: str
    run: str
    label: str = ""
    footer: bool = False
    priority: bool = False
    shadows: bool = False
    palette: bool = True

    @property
    def place(self) -> str:
        """The place that binds it, a key of :data:`PLACES`."""
        return self.id.partition(".")[0]

    @property
    def name_shown(self) -> str:
        """The name in the user's language."""
        return _(self.name)

    @property
    def help_shown(self) -> str:
        """The help in the user's language."""
        return _(self.help)

    @property
    def label_shown(self) -> str:
        """The footer's words in the user's language; without any of its own the verb of the name."""
        return _(self.label) if self.label else self.name_shown.partition(": ")[2]

    def key_list(self) -> list[str]:
        """The default keys, one by one."""
        return [key for key in self.keys.split(",") if key]


class Makes(Protocol):
    """Makes an action of one place: its verb, keys, name and help; with a label it stands in the footer."""

    def __call__(self, verb: str, keys: str, name: str, help: str, label: str = "", run: str = "") -> Action:
        """The action; ``run`` is what it does where the verb does not say it."""
        ...


def actions_of(place: str, group: str = "", *, palette: bool = True) -> Makes:
    """What makes the actions of a place; ``group`` names them in the palette, else each name states its own."""

    def act(verb: str, keys: str, name: str, help: str, label: str = "", run: str = "") -> Action:
        name = f"{group}: {name}" if group else name
        footer = bool(label)
        return Action(f"{place}.{verb}", keys, name, help, run or verb, label=label, footer=footer, palette=palette)

    return act


def undo_and_redo(act: Makes, group: str = "", label: str = "") -> Iterator[Action]:
    """The two keys of every screen that edits."""
    prefix = f"{group}: " if group else ""
    yield act("undo", "u", f"{prefix}Undo", "undo the last edit", label)
    yield act("redo", "ctrl+r", f"{prefix}Redo", "redo what was undone")
