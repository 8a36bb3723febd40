"""What the parts of the UI say to the app."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, cast

from textual.dom import DOMNode
from textual.message import Message


class CopyRequested(Message):
    """Text to be put on the clipboard; the app does it and says how. ``what`` names it in the toast."""

    def __init__(self, text: str, what: str = "") -> None:
        super().__init__()
        self.text = text
        self.what = what


class ErrorRaised(Message):
    """An error that the user has to see; the app shows the dialog."""

    def __init__(self, error: BaseException, title: str = "") -> None:
        super().__init__()
        self.error = error
        self.title = title


class ScreenSeen(Message):
    """Another full screen is seen now."""


P = ParamSpec("P")


def guarded(handler: Callable[P, None]) -> Callable[P, None]:
    """For a message handler that calls the core: what it raises is shown in a dialog and does not end the program.

    Goes under ``@on(…)``. Actions need it not: the app runs them guarded. The first argument is the widget.
    """

    @functools.wraps(handler)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            handler(*args, **kwargs)
        except Exception as error:  # the last place before Textual would end the program
            cast(DOMNode, args[0]).app.post_message(ErrorRaised(error))

    return run
