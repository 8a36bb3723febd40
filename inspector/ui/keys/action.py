"""What an action is: id, keys, name, what it does (STYLE 5.5)."""

from __future__ import annotations

from dataclasses import dataclass

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
