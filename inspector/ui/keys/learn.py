"""Keys of the Learn screen, and of a lesson while it runs."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.ui.keys.action import Action


def learn() -> Iterator[Action]:
    """The list of lessons, then what works on every screen while a lesson runs."""

    yield Action(
        "learn.restart",
        "R",
        "Learn: Start again",
        "begin the lesson anew; its marks and edits are forgotten",
        "restart",
        label="start again",
        footer=True,
    )
    yield Action(
        "learn.leave",
        "escape",
        "Learn: Back",
        "back to the choice of stores",
        "leave",
        label="back",
        footer=True,
        shadows=True,
        palette=False,
    )

    def step(verb: str, keys: str, name: str, help: str) -> Action:
        return Action(f"lesson.{verb}", keys, f"Lesson: {name}", help, f"lesson_{verb}")

    yield step(
        "next", "f8", "Next step", "the next step, once this one is done; after the last one the list of lessons"
    )
    yield step("back", "f7", "Step before", "the step before")
    yield step("answer", "f6", "Answer", "answer the question of the step")
    yield step("fold", "f9", "Fold", "fold the lesson to one line, and unfold it")
    yield step("leave", "X", "Leave", "leave the lesson; it can be resumed where it was left")
