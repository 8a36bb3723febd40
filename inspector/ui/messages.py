"""What the parts of the UI say to the app."""

from __future__ import annotations

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
