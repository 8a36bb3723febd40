"""The command palette: every action that can be done here and now, with its key (STYLE 5.5)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from textual.binding import Binding
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget

from inspector.ui.actions import ACTIONS, show_keys
from inspector.ui.keys.action import Action


def bound_ids(node: DOMNode) -> set[str]:
    """The ids of the actions that a node's class binds."""
    found: set[str] = set()
    for each in type(node).__mro__:
        for binding in each.__dict__.get("BINDINGS", ()):
            if isinstance(binding, Binding) and binding.id:
                found.add(binding.id)
    return found


def available(screen: Screen[Any]) -> Iterator[tuple[Action, DOMNode]]:
    """Each action of the palette that something on this screen can do, and what does it.

    What has the focus comes first, then what is around it, then the other panes that are seen.
    """
    focused = screen.focused
    nodes: list[DOMNode] = list(focused.ancestors_with_self) if focused is not None else [screen, screen.app]
    nodes.extend(node for node in screen.query(Widget) if node not in nodes and node.display)
    binders = [(node, bound_ids(node)) for node in nodes]
    for action in ACTIONS:
        if not action.palette:
            continue
        name = action.run.partition("(")[0]
        for node, ids in binders:
            if action.id in ids and node.check_action(name, ()) is not False:
                yield action, node
                break


class ActionsProvider(Provider):
    """Offers the registry's actions; one of another pane takes the focus there first."""

    def _command(self, action: Action, node: DOMNode) -> Any:
        return partial(run_on, self.screen, action, node)

    def _keys(self, action: Action) -> str:
        return show_keys(action, getattr(self.app, "keys_changed", {}))

    async def discover(self) -> Hits:
        """All of them, in the registry's order."""
        for action, node in available(self.screen):
            yield DiscoveryHit(
                Content.assemble(action.name_shown, "  ", (self._keys(action), "$text-muted")),
                self._command(action, node),
                text=action.name_shown,
                help=action.help_shown,
            )

    async def search(self, query: str) -> Hits:
        """Those whose name or help is like what was typed."""
        matcher = self.matcher(query)
        for action, node in available(self.screen):
            name = action.name_shown
            score = max(matcher.match(name), matcher.match(f"{name} {action.help_shown}") * 0.8)
            if score > 0:
                yield Hit(
                    score,
                    Content.assemble(matcher.highlight(name), "  ", (self._keys(action), "$text-muted")),
                    self._command(action, node),
                    text=action.name_shown,
                    help=action.help_shown,
                )


async def run_on(screen: Screen[Any], action: Action, node: DOMNode) -> None:
    """Run an action on the node that binds it."""
    focused = screen.focused
    if isinstance(node, Widget) and node.can_focus and (focused is None or node not in focused.ancestors_with_self):
        node.focus()
    await screen.app.run_action(action.run, node)
