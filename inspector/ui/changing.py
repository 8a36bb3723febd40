"""Changes that may reach every candidate: at once in a small store, in a thread in a large one.

A setting judges and ranks the whole store anew, and so does taking one back: nothing of that is done on the thread that
draws the screen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from inspector.core import INLINE_CELLS
from inspector.i18n import _
from inspector.views import Change

if TYPE_CHECKING:
    from inspector.inspection import Inspection


class Place(Protocol):
    """The screen that a change is made from."""

    @property
    def inspection(self) -> Inspection:
        """The store."""
        ...

    def tell(self, words: str, style: str = "") -> None:
        """Say something in the screen's line."""
        ...

    def fail(self, error: Exception, title: str = "") -> None:
        """Show an error."""
        ...

    @property
    def run_worker(self) -> Any:
        """Runs a coroutine beside the screen, as Textual's."""
        ...


def change_store(place: Place, work: Callable[[], Change | None], nothing: str = "") -> None:
    """Run ``work``, which changes the whole store; ``nothing`` is said where it had nothing to change.

    What was changed is told to the subscribers of the store as after any edit.
    """
    inspection = place.inspection
    if len(inspection.memories) * len(inspection.queries) <= INLINE_CELLS:
        if work() is None and nothing:
            place.tell(nothing)
        return
    place.tell(_("judging the whole store anew …"))

    async def run() -> None:
        try:
            change = await asyncio.to_thread(work)
        except Exception as error:  # told to the screen, which shows it; the worker must not end the program
            place.fail(error, _("The change could not be made"))
            return
        if change is None:
            place.tell(nothing)

    place.run_worker(run(), group="change", exit_on_error=False)
