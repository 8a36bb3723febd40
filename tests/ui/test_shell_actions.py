"""One registry: every key, help line, palette entry and footer derives from it, and nothing drifts."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from typing import Any

import pytest
from textual.binding import Binding
from textual.dom import DOMNode

import inspector.ui
from inspector.ui.actions import ACTIONS, BY_ID, PLACES, bindings, clashes, keys_of, show_key


def ui_classes() -> Iterator[type[DOMNode]]:
    """Every class of the UI that Textual could ask for bindings."""
    seen: set[type[Any]] = set()
    for module in pkgutil.walk_packages(inspector.ui.__path__, "inspector.ui."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, type) and issubclass(value, DOMNode) and value.__module__.startswith("inspector.ui"):
                seen.add(value)
    yield from sorted(seen, key=lambda each: (each.__module__, each.__qualname__))


CLASSES = list(ui_classes())


def own_bindings(kind: type[DOMNode]) -> list[Binding]:
    found = []
    for binding in kind.__dict__.get("BINDINGS", ()):
        assert isinstance(binding, Binding), f"{kind.__qualname__} binds a key without an id"
        found.append(binding)
    return found


def test_ids_are_unique_and_named_as_group_and_verb() -> None:
    assert len(BY_ID) == len(ACTIONS)
    for action in ACTIONS:
        assert re.fullmatch(r"[a-z]+\.[a-z_0-9]+", action.id), action.id
        assert action.place in PLACES, action.id
        assert re.fullmatch(r"[A-Z][A-Za-z ]*: \S.*", action.name), action.name
        # The palette of Textual parses help as markup.
        assert "[" not in action.help + action.name + action.label, action.id
        assert action.help, action.id


def test_no_key_starts_two_actions_in_one_place() -> None:
    assert [(one.id, other.id, key) for one, other, key in clashes({})] == []


def test_a_clash_is_found_across_places_that_are_active_together() -> None:
    found = {(one.id, other.id, key) for one, other, key in clashes({"inspect.edit": "q"})}
    assert ("inspect.edit", "app.quit", "q") in found


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__qualname__)
def test_every_binding_stands_in_the_registry(kind: type[DOMNode]) -> None:
    for binding in own_bindings(kind):
        assert binding.id is not None
        assert binding.id in BY_ID, f"{kind.__qualname__}: {binding.key} → {binding.action}"
        action = BY_ID[binding.id]
        assert (binding.key, binding.action, binding.tooltip) == (action.keys, action.run, action.help)


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__qualname__)
def test_every_bound_action_can_be_done_by_what_binds_it(kind: type[DOMNode]) -> None:
    from inspector.ui.app import InspectorApp

    for binding in own_bindings(kind):
        target: type[Any] = kind
        name = binding.action.partition("(")[0]
        if name.startswith("app."):
            target, name = InspectorApp, name[4:]
        assert callable(getattr(target, f"action_{name}", None)), f"{target.__qualname__} lacks action_{name}"


def test_every_action_of_the_registry_is_bound_by_something() -> None:
    bound = {binding.id for kind in CLASSES for binding in own_bindings(kind)}
    assert set(BY_ID) - bound == set()


def test_footer_is_short() -> None:
    # Posting's own roadmap: "contains too many bindings".
    for place in PLACES:
        assert sum(1 for action in ACTIONS if action.place == place and action.footer) <= 7, place


def test_bindings_of_an_unknown_place_are_refused() -> None:
    with pytest.raises(KeyError):
        bindings("nowhere")


def test_keys_in_force_and_as_people_read_them() -> None:
    assert keys_of(BY_ID["app.help"], {}) == ["question_mark", "f1"]
    assert keys_of(BY_ID["app.help"], {"app.help": "f2, f3"}) == ["f2", "f3"]
    assert [show_key(key) for key in ("question_mark", "ctrl+p", "G", "less_than_sign", "escape")] == [
        "?",
        "ctrl+p",
        "G",
        "<",
        "esc",
    ]
