"""Evaluating beside the candidates in force: blocks that let others in, and changes of settings worked out ahead.

The lock of the core is held a block at a time, so that no key of the user waits for the whole.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from inspector.axes.engine import AxisEngine
from inspector.evaluation import Evaluation
from inspector.records import Settings

if TYPE_CHECKING:
    from inspector.core import Core
    from inspector.store.editlog import Key

#: Queries that are ranked and judged without letting go of the lock.
BLOCK = 256
#: Seconds for which the lock is held at a time where candidates are in force, that is where somebody may wait for it;
#: so many queries are done at the least, since each block has costs of its own; and the rest that others get it in.
HOLD = 0.05
_LEAST = 32
REST = 0.001


@dataclass(frozen=True, slots=True)
class Ahead:
    """What a change of settings would give, worked out before it is made; of the edits of one generation."""

    generation: int
    settings: Settings
    engine: AxisEngine
    evaluation: Evaluation

    def fits(self, core: Core) -> bool:
        """Whether this is what the edits of the core, which are laid, lead to."""
        return core.evaluation.route == self.evaluation.route and core.settings_in_force() == self.settings


class Block:
    """How many queries are ranked and judged at once: as many as take no longer than the lock may be held.

    With ``hold`` 0 there is nobody who waits, and a block is of :data:`BLOCK` queries.
    """

    def __init__(self, hold: float) -> None:
        self._hold = hold
        self._size = _LEAST if hold else BLOCK

    def run(self, evaluation: Evaluation, done: int, total: int) -> int:
        """Rank and judge the next block; how many are done then."""
        began = time.monotonic()
        stop = min(done + self._size, total)
        evaluation.run(done, stop)
        if self._hold:
            took = time.monotonic() - began
            factor = 2 if took < self._hold / 2 else 1 if took < self._hold else 0.5
            self._size = min(BLOCK, max(_LEAST, int(self._size * factor)))
        return stop


def worked_out(core: Core, changes: Mapping[Key, Any]) -> Ahead | None:
    """What a change of settings would give, beside what is in force; making it then puts it in place.

    None where it changes nothing, and where an edit came between.
    """
    with core.lock:
        generation, route = core.generation, core.route
        settings, judgments, queries = core.settings_in_force(changes), core.judgments(), list(core.queries)
    if settings == core.settings:
        return None
    try:
        engine = AxisEngine(core.memories, queries, judgments, settings, core.engine.by_id)
        with core.lock:
            ranker = core.retriever.ranker(route, engine, settings)
            evaluation = Evaluation(core.memories, queries, engine, route, ranker, core.tau)
        done, block = 0, Block(HOLD)
        while done < len(queries) and generation == core.generation:
            with core.lock:
                done = block.run(evaluation, done, len(queries))
            time.sleep(REST)
    except Exception:
        if generation != core.generation:  # records that were edited while they were read
            return None
        raise
    return Ahead(generation, settings, engine, evaluation) if generation == core.generation else None
