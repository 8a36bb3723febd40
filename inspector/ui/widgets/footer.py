"""The line of keys at the bottom: whole keys as far as they fit, made anew only when it says something else."""

from __future__ import annotations

from typing import Any, NamedTuple

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.reactive import reactive
from textual.screen import Screen
from textual.widgets import Footer
from textual.widgets._footer import FooterKey

#: The actions whose keys are never left out where the terminal is narrow: help, every command, the way out.
KEPT = frozenset({"show_help", "command_palette", "quit", "close"})
#: Blanks around a key and its words.
_AROUND = 3


class Said(NamedTuple):
    """One key of the footer, as it is shown."""

    key: str
    shown: str
    label: str
    action: str
    enabled: bool
    tooltip: str

    @property
    def is_kept(self) -> bool:
        """Whether it is shown at any width."""
        return self.action.rpartition(".")[2] in KEPT

    @property
    def cells(self) -> int:
        """Its width."""
        return cell_len(self.shown) + cell_len(self.label) + _AROUND


class KeyLabel(FooterKey, inherit_css=True):
    """A key and what it does. It begins as it stays: Textual's begins compact, and is styled again for not being so."""

    compact = reactive(False)


class KeyFooter(Footer):
    """Textual's footer without groups, palette and compact form.

    Textual takes all keys away and mounts new ones whenever the focus moves or an action may have become possible. That
    is most of what a key press costs, and what is shown is nearly always the same: then nothing is done.
    """

    def __init__(self) -> None:
        super().__init__(show_command_palette=False)
        self._said: list[Said] | None = None

    def _says(self) -> list[Said]:
        """The keys that work here; of several keys for one action the first."""
        found: dict[str, Said] = {}
        for _node, binding, enabled, tooltip in self.screen.active_bindings.values():
            if binding.show and binding.action not in found:
                shown = self.app.get_key_display(binding)
                found[binding.action] = Said(binding.key, shown, binding.description, binding.action, enabled, tooltip)
        return self._fitting(list(found.values()))

    def _fitting(self, found: list[Said]) -> list[Said]:
        """The keys that fit: the last ones before those of :data:`KEPT` give way first; the help names them all."""
        room = self.app.size.width - sum(said.cells for said in found if said.is_kept)
        shown = []
        for said in found:
            if not said.is_kept:
                room -= said.cells
            if said.is_kept or room >= 0:
                shown.append(said)
        return shown

    def on_resize(self) -> None:
        """Another width has room for other keys."""
        if self._bindings_ready:
            self.call_after_refresh(self._say)

    def compose(self) -> ComposeResult:
        """A label for each key."""
        self._said = self._says() if self._bindings_ready else None
        for said in self._said or ():
            yield KeyLabel(
                said.key, said.shown, said.label, said.action, disabled=not said.enabled, tooltip=said.tooltip
            )

    def bindings_changed(self, screen: Screen[Any]) -> None:
        """What works here may have changed."""
        self._bindings_ready = True
        if screen.app.app_focus and self.is_attached and screen is self.screen:
            self.call_after_refresh(self._say)

    async def _say(self) -> None:
        if self.is_attached and self._said != self._says():
            await self.recompose()
