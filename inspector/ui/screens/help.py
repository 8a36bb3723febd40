"""Help for the screen that is seen: the pane with the focus, the keys that work here, the signs (SCREENS)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from textual.content import Content
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget

from inspector.i18n import _
from inspector.ui.actions import ACTIONS, PLACES, show_keys
from inspector.ui.keys.action import Action
from inspector.ui.palette import bound_ids
from inspector.ui.screens.reading import ReadingDialog
from inspector.ui.widgets.reader import Item, blank

#: The signs of the screens, with what they mean (SCREENS, Signs).
SIGNS: tuple[tuple[str, str, str], ...] = (
    ("1 0 ?", "$trit-yes", "an axis: true, false, unknown; ? never becomes 1 or 0 by itself"),
    ("✓ admit", "$good", "scope, policy and lifecycle are all 1"),
    ("✗ exclude", "$bad", "at least one of them is 0"),
    ("? unresolved", "$trit-unknown", "none is 0, at least one is ?"),
    (
        "SRVED",
        "$heading",
        "trail: stored, retrieved, verified, exposed, disclosed; a dot: it did not happen; ?: unknown",
    ),
    ("T C V A D", "$bad", "failure stage: trace, candidate, verification, assembly, disclosure; …: being worked out"),
    ("E! D!", "$bad", "exposed or disclosed although excluded"),
    ("⟦1 …⟧", "$heading", "a stretch of the prompt or answer that belongs to memory 1 of the list beside it"),
    ("0→1", "$changed", "changed by an edit and not yet looked at: before → after"),
    ("✎", "$edited", "a field with an edit over it"),
    ("[.33, .67]", "$heading", "a figure that rests on unknowns: lowest and highest possible"),
    ("◆✗↑", "$heading", "gate: ◆ this candidate decides; ✓ pass ✗ fail ! warn – skip; ↑ the action was made stricter"),
    ("A B C …", "$heading", "in Compare: the letter of a route, the same in its tables and plots"),
    ("A━━A ···", "$heading", "in a plot of Compare: lowest to highest, and around the highest its 95% interval"),
    ("⊘", "$warn", "a route that no real system could use: a control"),
    ("1×0 K", "$heading", "session × semantic tag, then exact key: each 1, 0 or ?, whatever the axes go by"),
    ("A R F Q ?", "$heading", "boundary state: active, archived, forgotten, quarantined, in doubt"),
    ("▸ ● ◉", "$mark", "row of the cursor, marked row, both"),
    ("∅ absent", "$dim", "the key is not there; ∅ null and empty are other things"),
    ("␛ ⟨U+202E⟩", "$dim", "a control or invisible character of the data, shown instead of acting"),
)


def places_here(screen: Screen[Any]) -> list[str]:
    """The places whose keys work on this screen: those of the focus first, the app's last."""
    focused = screen.focused
    nodes = list(focused.ancestors_with_self) if focused is not None else [screen, screen.app]
    nodes.extend(node for node in screen.query(Widget) if node not in nodes)
    ids: list[str] = []
    for node in nodes:
        ids.extend(sorted(bound_ids(node)))
    places = dict.fromkeys(each.partition(".")[0] for each in ids)
    if screen.is_modal:
        return [place for place in places if place not in ("app", "lesson") and place in PLACES]
    # The app binds the keys of a lesson too: they are shown while one runs.
    lesson = getattr(screen.app, "lesson_screen", None) is not None
    last = ["lesson", "app"] if lesson else ["app"]
    return [place for place in places if place not in ("app", "lesson") and place in PLACES] + last


def pane_help(screen: Screen[Any]) -> list[tuple[str, str]]:
    """Title and help of the pane with the focus, and of what is around it."""
    focused = screen.focused
    found: list[tuple[str, str]] = []
    for node in focused.ancestors_with_self if focused is not None else [screen]:
        words = node.__class__.__dict__.get("HELP") if isinstance(node, Widget) else None
        if words:
            found.append((_title(node), _(" ".join(str(words).split()))))
    return found


def _title(node: DOMNode) -> str:
    """``PANE``, else the class's name in words: ``InspectScreen`` is Inspect."""
    named = str(getattr(node, "PANE", ""))
    if named:
        return _(named)
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(node).__name__.removesuffix("Screen").removesuffix("Pane"))


class HelpDialog(ReadingDialog[None]):
    """The help of a screen or dialog; its own key closes it."""

    OFFERS_HELP = False

    DEFAULT_CSS = """
    HelpDialog .dialog { height: 90%; }
    HelpDialog Reader { height: 1fr; }
    """

    def __init__(self, screen: Screen[Any], keymap: Mapping[str, str]) -> None:
        items = [*self._panes(screen), *self._keys(screen, keymap), *self._signs()]
        super().__init__(_("Help"), items, _("esc closes · y copies · ids at the right are for keymap.toml"))

    def action_help(self) -> None:
        """The key that opened it closes it."""
        self.action_close()

    @staticmethod
    def _heading(words: str) -> list[Item]:
        return [blank(), Item(Content.styled(words, "bold $heading"))]

    def _panes(self, screen: Screen[Any]) -> Iterator[Item]:
        for title, words in pane_help(screen):
            yield Item(Content.styled(title, "bold $heading"))
            yield Item(Content(words))
            yield blank()

    def _keys(self, screen: Screen[Any], keymap: Mapping[str, str]) -> Iterator[Item]:
        for place in places_here(screen):
            actions = [action for action in ACTIONS if action.place == place]
            if actions:
                yield from self._heading(_(PLACES[place][0]))
                yield from (self._line(action, keymap) for action in actions)

    @staticmethod
    def _line(action: Action, keymap: Mapping[str, str]) -> Item:
        keys = show_keys(action, keymap)
        words = action.help_shown
        body = Content.assemble(words, "  ", (action.id, "$dim"))
        return Item(body, Content.styled(keys, "$link"), indent=16, copy=f"{keys}\t{words}\t{action.id}")

    def _signs(self) -> Iterator[Item]:
        yield from self._heading(_("Signs"))
        for sign, style, meaning in SIGNS:
            shown, words = _(sign), _(meaning)
            yield Item(Content(words), Content.styled(shown, style), indent=16, copy=f"{shown}\t{words}")
