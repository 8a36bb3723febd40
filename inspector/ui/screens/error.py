"""Errors as a dialog: what is wrong, in full, scrollable and copied with one key (SCREENS, Everywhere)."""

from __future__ import annotations

import traceback

from textual.content import Content

from inspector.errors import InspectorError
from inspector.i18n import N_, _
from inspector.ui.screens.reading import ReadingDialog
from inspector.ui.widgets.reader import Item, blank
from inspector.ui.widgets.safe import lines, paragraphs

_ADVICE = N_(
    "This is a fault of Inspector, not of your data. What was shown as done is "
    "kept: every edit is on disk before it is shown. You can go on, or quit "
    "(ctrl+q) and start again; a report with the text below helps to mend it."
)


class ErrorDialog(ReadingDialog[None]):
    """Shows an error. Of an expected one only the words; of any other the advice and the traceback too."""

    DEFAULT_CSS = """
    ErrorDialog .dialog { border: round $bad; }
    """

    def __init__(self, error: BaseException, title: str = "") -> None:
        self.error = error
        if self.expected:
            items = paragraphs(str(error))
        else:
            words = lines(f"{type(error).__name__}: {error}")
            items = [Item(Content(_(_ADVICE))), blank(), Item(words), blank(), *paragraphs(self.copy_text())]
        super().__init__(title or (_("Error") if self.expected else _("Something unexpected happened")), items)

    @property
    def expected(self) -> bool:
        """Whether the error is one that the user can do something about."""
        return isinstance(self.error, InspectorError)

    def copy_text(self) -> str:
        """The error in one line as the command line prints it, or its traceback."""
        if self.expected:
            return _("error: {error}").format(error=self.error)
        return "".join(traceback.format_exception(self.error))
