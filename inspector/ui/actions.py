"""Every action of the UI as data: id, keys, name, what it does and where it applies (STYLE 5.5).

Bindings, footer, command palette, help screen, the README's key table and the validation of a user's keymap all derive
from :data:`ACTIONS`; a test fails where a widget binds a key that stands not here, or where an action here is bound by
no widget. A widget or screen binds what belongs to its place with ``BINDINGS = bindings("candidates")`` and implements
``action_…`` for each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from textual.binding import Binding, BindingType
from textual.keys import format_key

from inspector.ui.keys import common, compare, inspect, learn, mapping, start, store, triage
from inspector.ui.keys.action import Action

#: Each place, its title in the help screen, and the places around it whose keys work in it too.
PLACES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "app": ("Everywhere", ("lesson",)),
    "lesson": ("While a lesson runs", ()),
    "dialog": ("In a dialog", ()),
    "grid": ("In a table", ("app",)),
    "text": ("In a long text", ("app",)),
    "chooser": ("Start", ("app",)),
    "learn": ("Learn", ("grid", "app")),
    "loading": ("While loading", ("app",)),
    "inspect": ("Inspect", ("app",)),
    "queries": ("Queries", ("grid", "inspect", "app")),
    "candidates": ("Candidates", ("grid", "inspect", "app")),
    "bundle": ("Query bundle", ("inspect", "app")),
    "detail": ("Detail", ("inspect", "app")),
    "why": ("Why", ("reader", "text", "detail", "inspect", "app")),
    "record": ("Record", ("reader", "text", "detail", "inspect", "app")),
    "mdl": ("MDL", ("reader", "text", "detail", "inspect", "app")),
    "prompt": ("Prompt", ("reader", "text", "detail", "inspect", "app")),
    "reader": ("In a reading pane", ("text", "detail", "inspect", "app")),
    "editor": ("While editing a value", ("inspect", "dialog")),
    "mapping": ("Mapping assistant", ("grid", "app")),
    "files": ("Choice of files", ("grid", "dialog")),
    "store": ("Store", ("app",)),
    "records": ("Store's records", ("grid", "store", "app")),
    "about": ("Record in the store", ("reader", "text", "store", "app")),
    "map": ("Coverage map", ("store", "app")),
    "compare": ("Compare", ("app",)),
    "compared": ("Tables of Compare", ("grid", "compare", "app")),
    "figure": ("Figure in Compare", ("reader", "text", "compare", "app")),
    "plot": ("Plot", ("compare", "app")),
    "triage": ("Triage", ("app",)),
    "queue": ("Triage's queue", ("grid", "triage", "app")),
    "incident": ("Triage's incident", ("reader", "text", "triage", "app")),
    "edits": ("List of edits", ("grid", "dialog")),
    "jump": ("Jump", ()),
    "settings": ("Settings", ("dialog",)),
}

#: The registry, in the order of the help screen.
ACTIONS: tuple[Action, ...] = (
    *common.everywhere(),
    *inspect.inspect(),
    *store.store(),
    *triage.triage(),
    *compare.compare(),
    *compare.plots(),
    *inspect.panes(),
    *common.grid(),
    *common.text(),
    *start.start(),
    *mapping.mapping(),
    *learn.learn(),
    *common.dialogs(),
)

BY_ID: Mapping[str, Action] = {action.id: action for action in ACTIONS}


def for_place(place: str) -> list[Action]:
    """The actions that ``place`` binds itself, in the registry's order."""
    return [action for action in ACTIONS if action.place == place]


def bindings(place: str, *, footer: bool = True) -> list[BindingType]:
    """The bindings of ``place`` for a widget's or screen's ``BINDINGS``; without ``footer`` none shows there.

    Raises KeyError for a place that :data:`PLACES` does not know.
    """
    PLACES[place]
    return [
        Binding(
            action.keys,
            action.run,
            action.label or action.name.partition(": ")[2],
            show=footer and action.footer,
            priority=action.priority,
            tooltip=action.help,
            id=action.id,
        )
        for action in for_place(place)
    ]


def keys_of(action: Action, keymap: Mapping[str, str]) -> list[str]:
    """The keys in force for an action, the user's where the keymap names it."""
    return [key.strip() for key in keymap.get(action.id, action.keys).split(",") if key.strip()]


def show_key(key: str) -> str:
    """A key as people read it: ``?`` for question_mark, ``ctrl+p``, ``shift+tab``."""
    *modifiers, last = key.split("+") if key != "+" else ["+"]
    return "+".join([*modifiers, format_key(last)])


def show_keys(action: Action, keymap: Mapping[str, str]) -> str:
    """All keys of an action, separated by a blank."""
    return " ".join(show_key(key) for key in keys_of(action, keymap))


def clashes(keymap: Mapping[str, str]) -> list[tuple[Action, Action, str]]:
    """Pairs of actions that one key would start in one place: the inner one, the outer one, the key."""
    found: dict[tuple[str, str, str], tuple[Action, Action, str]] = {}
    by_place: dict[str, list[Action]] = {}
    for action in ACTIONS:
        by_place.setdefault(action.place, []).append(replace(action, keys=",".join(keys_of(action, keymap))))
    for place, (_title, around) in PLACES.items():
        # The keys of a running lesson are the app's: they work wherever the app's do.
        beyond = PLACES["app"][1] if "app" in around else ()
        chain = [action for each in (place, *around, *beyond) for action in by_place.get(each, ())]
        for at, inner in enumerate(chain):
            for outer in chain[at + 1 :]:
                if inner.shadows or outer.shadows:
                    continue
                for key in set(inner.key_list()) & set(outer.key_list()):
                    found[inner.id, outer.id, key] = (inner, outer, key)
    return [found[each] for each in sorted(found)]
