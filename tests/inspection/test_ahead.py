"""Settings of a large store are worked out ahead of the change, the lock let go between blocks (DESIGN 3, 10)."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from inspector import ahead, core
from inspector.ahead import Block
from inspector.errors import FieldError
from inspector.evaluation import Evaluation
from inspector.inspection import Inspection, OpenOptions, demo_folder, open_sources
from inspector.rows import rows, summary


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[Inspection]:
    """A bundled store that counts as a large one, a block of two queries at a time."""
    monkeypatch.setattr(core, "INLINE_CELLS", 0)
    monkeypatch.setattr(ahead, "_LEAST", 2)
    monkeypatch.setattr(ahead, "BLOCK", 2)
    with open_sources([demo_folder("incidents")], OpenOptions(temporary=True, route="namespace_bm25")) as inspection:
        inspection.evaluate()
        yield inspection


def everything(inspection: Inspection) -> tuple[Any, Any]:
    made = summary(inspection)
    return list(rows(inspection)), {name: value for name, value in made.items() if name != "edits"}


def afresh(inspection: Inspection) -> tuple[Any, Any]:
    """All that is shown, after everything was evaluated anew."""
    inspection.engine = inspection._new_engine()
    inspection.evaluate()
    return everything(inspection)


def test_a_change_its_undo_and_redo_give_what_a_new_evaluation_gives(store: Inspection) -> None:
    before = everything(store)
    change = store.set_setting("isolation", "session")
    assert store.settings.isolation == "session"
    assert change.flips
    after = everything(store)
    assert after != before
    undone = store.undo()
    assert undone is not None
    assert len(undone.flips) == len(change.flips)
    assert everything(store) == before
    store.redo()
    assert everything(store) == after
    assert afresh(store) == after


def test_others_get_the_lock_between_blocks(store: Inspection, monkeypatch: pytest.MonkeyPatch) -> None:
    got: list[bool] = []

    def ask() -> None:
        got.append(store.lock.acquire(timeout=5))
        if got[-1]:
            store.lock.release()

    def rest(_: float) -> None:
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()

    monkeypatch.setattr(ahead, "time", SimpleNamespace(sleep=rest, monotonic=time.monotonic))
    store.set_setting("isolation", "session")
    assert len(got) > 2
    assert all(got)


def test_an_edit_that_comes_between_counts(store: Inspection, monkeypatch: pytest.MonkeyPatch) -> None:
    run, edited = Block.run, False

    def interrupted(self: Block, evaluation: Evaluation, done: int, total: int) -> int:
        nonlocal edited
        if not edited:
            edited = True
            store.edit("memory", [0], "status", "archived")
        return run(self, evaluation, done, total)

    monkeypatch.setattr(Block, "run", interrupted)
    store.set_setting("unknown_intent", "strict")
    assert edited
    assert (store.memories[0].value("status"), store.settings.unknown_intent) == ("archived", "strict")
    store.settle()
    shown = everything(store)
    assert afresh(store) == shown


def test_a_bad_setting_is_refused_before_anything_is_worked_out(
    store: Inspection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Block, "run", None)
    with pytest.raises(FieldError):
        store.set_setting("isolation", "moon")


def test_a_block_grows_while_it_is_quick_and_shrinks_where_others_wait() -> None:
    class Slow:
        def __init__(self) -> None:
            self.sizes: list[int] = []

        def run(self, start: int, stop: int) -> None:
            self.sizes.append(stop - start)

    quick: Any = Slow()
    block, done = Block(1e9), 0
    while done < 1_000:
        done = block.run(quick, done, 1_000)
    assert quick.sizes[:4] == [32, 64, 128, 256]
    assert max(quick.sizes) == 256
    held: Any = Slow()
    block = Block(1e-12)
    assert [block.run(held, 0, 1_000), block.run(held, 0, 1_000)] == [32, 32]
    alone: Any = Slow()
    assert Block(0).run(alone, 0, 1_000) == 256
