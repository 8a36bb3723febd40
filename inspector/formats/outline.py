"""What a file of another project holds: its containers and keys, told from its content, never from its name.

:mod:`inspector.formats.sniff` tells our own forms; this looks further in, to the keys of the records inside an
envelope, the tables of an SQLite file and the members of a zip.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal

from inspector.errors import InputError
from inspector.formats import sqlite
from inspector.formats.base import LINE_LIMIT, name_of, os_fault
from inspector.formats.decode import BOM
from inspector.formats.tables import split_header

Holder = Literal["json", "jsonl", "csv", "sqlite", "zip", "other"]
Path_ = tuple[str, ...]
#: The step from an array to its elements.
EACH = "[]"
_HEAD = 1 << 18
_DEPTH = 8
_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)


@dataclass(frozen=True)
class Outline:
    """How a file is built.

    ``keys`` gives for each path of keys, :data:`EACH` standing for an array's elements, the keys of the objects found
    there in the first 256 KiB; ``scalars`` the paths at which texts or numbers stand. Of JSON Lines only the first
    line's object is looked at. ``tables`` are the columns of an SQLite file's tables, ``columns`` those of a CSV file,
    ``members`` the names in a zip.
    """

    holder: Holder
    keys: Mapping[Path_, frozenset[str]] = field(default_factory=dict)
    scalars: frozenset[Path_] = frozenset()
    tables: Mapping[str, frozenset[str]] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    members: frozenset[str] = frozenset()

    def at(self, *path: str) -> frozenset[str]:
        """The keys of the objects at a path; none where there is no object."""
        return self.keys.get(path, frozenset())

    def first(self, paths: Iterable[Path_]) -> tuple[Path_, frozenset[str]] | None:
        """The first of the paths at which objects stand, with their keys."""
        return next(((path, self.keys[path]) for path in paths if self.keys.get(path)), None)


def outline(path: Path) -> Outline:
    """The outline of a file. Never fails on content; raises InputError only where the file cannot be read."""
    try:
        stat = path.stat()
        return _outline(path, stat.st_size, stat.st_mtime_ns)
    except OSError as error:
        raise os_fault(error, name_of(path)) from None


@lru_cache(maxsize=64)
def _outline(path: Path, size: int, changed: int) -> Outline:  # noqa: ARG001  (the key of the cache)
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if head.startswith(sqlite.MAGIC):
        try:
            return Outline("sqlite", tables=sqlite.tables(path))
        except InputError:
            return Outline("sqlite")
    if head.startswith(b"PK\x03\x04"):
        return Outline("zip", members=_members(path))
    text = head.removeprefix(BOM).decode("utf-8", "ignore").lstrip()
    if not text:
        return Outline("other")
    if text[0] in "{[":
        return _json(path, text, len(head) < _HEAD)
    columns, _ = split_header(text.splitlines()[0])
    if "\0" in text[:1000] or len(columns) < 2:
        return Outline("other")
    return Outline("csv", columns=tuple(columns))


def _members(path: Path) -> frozenset[str]:
    try:
        with zipfile.ZipFile(path) as opened:
            return frozenset(opened.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return frozenset()


def _json(path: Path, text: str, whole: bool) -> Outline:
    lines = text[0] == "{" and _is_lines(path, text, whole)
    scan = _Scan(only_first=lines)
    scan.run(text)
    keys = {at: frozenset(found) for at, found in scan.keys.items()}
    return Outline("jsonl" if lines else "json", keys, frozenset(scan.scalars))


def _is_lines(path: Path, text: str, whole: bool) -> bool:
    """Whether the text, which begins an object, is JSON Lines: its first line ends, not in the middle of a list
    or an object, and the next starts an object.

    An object alone on one line reads the same as a document, so that it need not be told apart.
    """
    newline = text.find("\n")
    if newline < 0:
        return not whole and _line_follows(path)
    following = text[newline:].lstrip()
    return following.startswith("{") and text[:newline].rstrip()[-1:] not in ("[", "{", ",", ":")


def _line_follows(path: Path) -> bool:
    """Whether after a first line longer than the head another line starts an object."""
    with path.open("rb") as file:
        if not file.readline(LINE_LIMIT).endswith(b"\n"):
            return False
        return file.read(4096).lstrip().startswith(b"{")


class _Scan:
    """Collects keys by path from text that may be cut or broken."""

    def __init__(self, only_first: bool) -> None:
        self.keys: dict[Path_, set[str]] = {}
        self.scalars: set[Path_] = set()
        self._only_first = only_first

    def run(self, text: str) -> None:
        stack: list[tuple[str, Path_]] = []
        key = last = ""
        for found in _PIECE.finditer(text):
            piece = found[0]
            if piece in "{[":
                here = self._here(stack, key)
                stack.append((piece, here))
                if piece == "{" and len(here) <= _DEPTH:
                    self.keys.setdefault(here, set())
            elif piece in "}]":
                if stack:
                    stack.pop()
                if not stack and self._only_first:
                    return
            elif piece == ":" and last.startswith('"') and stack and stack[-1][0] == "{":
                key = _text(last)
                here = stack[-1][1]
                if len(here) <= _DEPTH:
                    self.keys[here].add(key)
            elif stack and last in (":", "[", ",") and piece not in ",:" and (stack[-1][0] == "[" or last == ":"):
                here = self._here(stack, key)
                if len(here) <= _DEPTH and piece != "null":
                    self.scalars.add(here)
            last = piece

    @staticmethod
    def _here(stack: list[tuple[str, Path_]], key: str) -> Path_:
        if not stack:
            return ()
        kind, path = stack[-1]
        if len(path) > _DEPTH:  # nothing is kept below: a path as long as the nesting would take its square in time
            return path
        return (*path, EACH) if kind == "[" else (*path, key)


def _text(piece: str) -> str:
    try:
        made = json.loads(piece)
    except ValueError:
        return piece[:200]
    return made if isinstance(made, str) else ""
