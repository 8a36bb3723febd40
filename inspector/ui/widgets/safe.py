"""Data into widgets without harm: inert text as Content, never markup (STYLE 5b, 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from textual.app import App
from textual.content import Content

from inspector.ui.veil import visible

if TYPE_CHECKING:
    from inspector.ui.widgets.reader import Item

Severity = Literal["information", "warning", "error"]


def plain(text: str, style: str = "") -> Content:
    """One line of data as Content: controls shown as signs, nothing parsed."""
    return Content.styled(visible(text), style) if style else Content(visible(text))


def lines(text: str, style: str = "") -> Content:
    """Data of several lines as Content; only line feeds stay what they are."""
    shown = visible(text, newlines=True)
    return Content.styled(shown, style) if style else Content(shown)


def paragraphs(text: str) -> list[Item]:
    """Data of several lines as items of a reading pane."""
    # Imported late: the reading pane wraps with NumPy, which the first paint need not wait for.
    from inspector.ui.widgets.reader import Item

    return [Item(lines(text), copy=text)]


def say(app: App[Any], message: str, *, title: str = "", severity: Severity = "information") -> None:
    """A toast whose words may hold data: shown as they are, whatever brackets or controls are in them."""
    app.notify(visible(message, newlines=True), title=visible(title), severity=severity, markup=False)
