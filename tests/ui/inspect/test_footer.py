"""The line of keys is made anew when it says something else, and only then."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from textual.widgets._footer import FooterKey

from inspector.ui.widgets.footer import KeyFooter

OpenBench = Callable[..., AbstractAsyncContextManager[Any]]


def labels(b: Any) -> list[FooterKey]:
    return list(b.app.screen.query_one(KeyFooter).query(FooterKey))


def shown(b: Any) -> list[tuple[str, str, bool]]:
    """What the footer says, and whether it can be pressed."""
    return [(label.key_display, label.description, not label._disabled) for label in labels(b)]


def possible(b: Any) -> list[tuple[str, str, bool]]:
    """What Textual's own footer would say: the first of the keys for each action that is to be shown."""
    by_action: dict[str, tuple[str, str, bool]] = {}
    for _, binding, enabled, _ in b.app.screen.active_bindings.values():
        if binding.show:
            by_action.setdefault(binding.action, (b.app.get_key_display(binding), binding.description, enabled))
    return list(by_action.values())


async def test_labels_are_kept_and_follow_what_works_here(bench: OpenBench) -> None:
    async with bench() as b:
        before, said = labels(b), shown(b)
        assert said == possible(b) != []
        await b.press("down")
        assert labels(b) == before
        changed = False
        for key in ("tab", "tab", "slash", "escape", "question_mark", "escape"):
            await b.press(key)
            if b.app.screen.query(KeyFooter):
                assert shown(b) == possible(b), key
                changed |= shown(b) != said
                assert (labels(b) == before) == (shown(b) == said and not changed), key
        assert changed
        b.app.set_keymap({"app.help": "f5"})
        b.screen.refresh_bindings()
        await b.settle()
        assert shown(b) == possible(b)
        assert "f5" in {key for key, _, _ in shown(b)} | {label.key for label in labels(b)}
