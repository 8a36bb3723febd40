"""One way to read records from any container: JSON Lines, a JSON document, CSV, Parquet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

from inspector.errors import InputError
from inspector.formats.base import Watch, os_fault, path_text
from inspector.formats.decode import JsonReader
from inspector.formats.lines import Fault, KeyPath, read_document, read_lines
from inspector.formats.tables import read_csv, read_parquet
from inspector.i18n import _
from inspector.records import Origin

Container = Literal["jsonl", "json", "csv", "parquet"]
CONTAINERS: tuple[Container, ...] = ("jsonl", "json", "csv", "parquet")


class Raw(NamedTuple):
    """A record as its container holds it.

    ``section`` is the path of keys under which it stands in a JSON document's object (:func:`path_text`), else "".
    ``whole`` marks a value of such an object that is not one of the streamed lists. CSV gives texts only.
    """

    section: str
    value: Any
    origin: Origin
    suspect: bool
    whole: bool = False


def read_rows(
    path: Path, name: str, container: Container, watch: Watch, fault: Fault, lists: frozenset[KeyPath] = frozenset()
) -> Iterator[Raw]:
    """Stream the records of a file. Raises InputError where the file cannot be read or is empty."""
    check_not_empty(path, name)
    if container == "jsonl":
        reader = JsonReader()
        for number, data in read_lines(path, name, watch, fault):
            try:
                decoded = reader.line(data, name, number)
            except InputError as error:
                fault(error)
                continue
            yield Raw("", decoded.value, Origin(name, number), decoded.suspect)
    elif container == "json":
        for item in read_document(path, name, watch, lists):
            yield Raw(path_text(item.path), item.value, Origin(name, item.line), item.suspect, not item.element)
    elif container == "csv":
        for row, origin in read_csv(path, name, watch, fault):
            yield Raw("", row, origin, False)
    else:
        for cells, origin in read_parquet(path, name, watch, fault):
            yield Raw("", cells, origin, True)


def check_not_empty(path: Path, name: str) -> None:
    """Raise InputError for a file without a byte, or one that is missing or may not be read."""
    try:
        with path.open("rb") as file:
            if file.read(1):
                return
    except OSError as error:
        raise os_fault(error, name) from None
    raise InputError.at(name, None, "", _("the file is empty"), _("at least one record"))
