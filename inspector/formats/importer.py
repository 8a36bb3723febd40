"""What an importer of another project's format is, and the ways in which they all read (DESIGN 13)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspector.errors import InputError
from inspector.formats.base import Format, Watch, clip, name_of
from inspector.formats.collect import CAPPED_MARK, Collector
from inspector.formats.lines import Fault, KeyPath
from inspector.formats.outline import EACH, Outline, outline
from inspector.formats.rows import Raw, read_rows
from inspector.i18n import D_, _
from inspector.records import Origin

_NO_WORDS = D_("{name}: the words of the search are not in the export")


@dataclass(frozen=True)
class Source:
    """One file that an importer reads: its path, the name that messages give it, and its outline."""

    path: Path
    name: str
    outline: Outline


#: Where a file of our own form has its memories.
_OUR_PLACES = ((), (EACH,), ("memories", EACH))


@dataclass(frozen=True)
class Importer:
    """A format of another project.

    ``matches`` recognises a file by its outline; ``folder`` gives the files of a folder of this format, none where it
    is something else. ``settings`` are what the format itself fixes (its time zone). ``late`` reads it after all other
    sources, for a format that adds to what they say. Records with our own ``id`` and ``text`` are ours, unless a
    format ``shares_keys``.
    """

    format: Format
    read: Callable[[tuple[Path, ...], Collector, Watch], None]
    matches: Callable[[Outline], bool] = lambda _: False
    folder: Callable[[Path], tuple[Path, ...]] = lambda _: ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    late: bool = False
    shares_keys: bool = False

    def find(self, path: Path) -> tuple[Path, ...]:
        """The files of this format at a path, none where it is something else."""
        if path.is_dir():
            return self.folder(path)
        found = outline(path)
        is_ours = not self.shares_keys and any({"id", "text"} <= found.at(*place) for place in _OUR_PLACES)
        return (path,) if not is_ours and self.matches(found) else ()


def each(files: tuple[Path, ...]) -> Iterator[Source]:
    """The files with their outlines."""
    for path in files:
        yield Source(path, name_of(path), outline(path))


def records(source: Source, watch: Watch, fault: Fault, lists: tuple[KeyPath, ...], mark: str) -> Iterator[Raw]:
    """The records of a JSON or JSON Lines file: every line, or the elements of the lists, or the one object that the
    document is, which is a record where it has the key ``mark``.

    Every other key of a document is given whole, with its name as ``section``.
    """
    if source.outline.holder == "csv":
        yield from read_rows(source.path, source.name, "csv", watch, fault)
        return
    if source.outline.holder == "jsonl":
        yield from read_rows(source.path, source.name, "jsonl", watch, fault)
        return
    single = mark in source.outline.at()
    parts: dict[str, Any] = {}
    last: Raw | None = None
    wanted = frozenset() if single else frozenset(lists)  # a key of the one record may be called as a list is
    for raw in read_rows(source.path, source.name, "json", watch, fault, wanted):
        if single and raw.whole:
            parts[raw.section] = raw.value
            last = raw if last is None else last._replace(suspect=last.suspect or raw.suspect)
        else:
            yield raw
    if last is not None:
        yield Raw("", parts, last.origin, last.suspect)


def whole_keys(source: Source, watch: Watch, fault: Fault) -> dict[str, Any]:
    """A JSON document that is one object, as a dict. Raises InputError where it is a list."""
    made: dict[str, Any] = {}
    for raw in read_rows(source.path, source.name, "json", watch, fault):
        if not raw.whole:
            raise InputError.at(source.name, raw.origin.line, "", _("is a list"), _("an object"))
        made[raw.section] = raw.value
    return made


def note_marks(raw: Raw, name: str, collector: Collector, marks: tuple[str, ...]) -> bool:
    """Say so where a document's key is a next-page mark with a value; whether it was one of the marks."""
    if not raw.whole or raw.section.split(".")[-1] not in marks:
        return False
    if raw.value not in (None, "", False):
        collector.notes.append(CAPPED_MARK.format(name=name, section=raw.section))
    return True


def add_search(source: Source, events: list[dict[str, Any]], collector: Collector) -> None:
    """Add a query for a file of search results: its words are not in the export, and it says so."""
    stem = clip(source.path.stem.encode("utf-8", "backslashreplace").decode(), 60, data=True)
    taken = {query.id for query in collector.queries}
    number = next(one for one in itertools.count(1) if f"{stem}/{one}" not in taken)
    query = {"id": f"{stem}/{number}", "text": "", "recorded": {"events": events}}
    collector.query(query, Origin(source.name), suspect=True)
    words = _NO_WORDS.format(name=source.name)
    if words not in collector.notes:
        collector.notes.append(words)


def not_this(name: str, what: str, expected: str) -> InputError:
    """The error for a file that is recognised and of a version or state that cannot be read."""
    return InputError.at(name, None, "", what, expected)
