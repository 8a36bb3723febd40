"""What a widget or screen may offer to the keys that work everywhere; the nearest to the focus that offers it is used.

Each is a protocol: implement the method, nothing to inherit. ``HELP`` (plain text) and ``PANE`` (its title) are class
attributes that the help screen and the jump letters show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from textual.screen import Screen
from textual.widget import Widget


@runtime_checkable
class Copyable(Protocol):
    """Offers what ``y`` copies: the data's own text, or None where there is nothing."""

    def copy_text(self) -> str | None:
        """The text to copy."""
        ...


@runtime_checkable
class JsonCopyable(Protocol):
    """Offers what ``Y`` copies: JSON of the row or record."""

    def copy_json(self) -> str | None:
        """The JSON to copy."""
        ...


@runtime_checkable
class Findable(Protocol):
    """Can be searched; ``/`` calls it."""

    def open_find(self) -> None:
        """Put the focus where the user types what to find."""
        ...


@runtime_checkable
class GoesBack(Protocol):
    """Has something to close before escape leaves it."""

    def go_back(self) -> bool:
        """Close one thing; False if there was none, so that what is around is asked."""
        ...


@dataclass(frozen=True)
class Table:
    """A table to export: the name proposed for the file, the columns, and the rows (read once)."""

    name: str
    columns: Sequence[str]
    rows: Iterable[Sequence[object]]


@runtime_checkable
class Exportable(Protocol):
    """Offers tables to the export screen; the first is proposed."""

    def export_tables(self) -> Sequence[Table]:
        """The tables that can be exported."""
        ...


@dataclass(frozen=True)
class Report:
    """A report to export: its words, what has to be known of it, the proposed file name, and what writes it."""

    words: str
    about: str
    file: str
    write: Callable[[Path], None]


@runtime_checkable
class Reporting(Protocol):
    """Offers reports to the export screen."""

    def reports(self) -> Sequence[Report]:
        """The reports that can be written."""
        ...


def around(screen: Screen[Any]) -> Iterator[Widget]:
    """The focused widget, then what is around it, the screen last; only the screen where nothing has the focus."""
    node = screen.focused
    if node is None:
        yield screen
        return
    yield from (each for each in node.ancestors_with_self if isinstance(each, Widget))


def text_to_copy(screen: Screen[Any]) -> str | None:
    """What ``y`` copies now: of the nearest to the focus that has something to copy."""
    texts = (node.copy_text() for node in around(screen) if isinstance(node, Copyable))
    return next((text for text in texts if text), None)


def json_to_copy(screen: Screen[Any]) -> str | None:
    """What ``Y`` copies now."""
    texts = (node.copy_json() for node in around(screen) if isinstance(node, JsonCopyable))
    return next((text for text in texts if text), None)


def tables_to_export(screen: Screen[Any]) -> list[Table]:
    """The tables that the pane with the focus offers, then those of what is around it."""
    return [table for node in around(screen) if isinstance(node, Exportable) for table in node.export_tables()]


def reports_to_export(screen: Screen[Any]) -> list[Report]:
    """The reports that the pane with the focus offers, then those of what is around it."""
    return [report for node in around(screen) if isinstance(node, Reporting) for report in node.reports()]
