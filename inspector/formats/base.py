"""What every format shares: the options of a load, its progress, and the faults that can stop it (DESIGN 2, 12)."""

from __future__ import annotations

import difflib
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspector.errors import Cancelled, FieldError, InputError
from inspector.i18n import N_, _
from inspector.records import OnProgress, Progress

#: A line, a cell or one element of a JSON array may not be longer: what is read at once must fit in memory.
LINE_LIMIT = 64 * 1024 * 1024
#: JSON nested deeper than this is refused: what we write must be readable by the tools that read us.
DEPTH_LIMIT = 100
#: Progress is reported and cancellation looked for no more often than this, in seconds.
REPORT_EVERY = 0.1
#: A value quoted in a message is cut after this many characters.
QUOTE_LIMIT = 200


@dataclass(frozen=True)
class LoadOptions:
    """How to read the sources; every field has the command line's flag of the same name (DESIGN 12).

    ``queries``, ``judgments`` and ``policy`` replace what the sources hold; ``mapping`` says how to read foreign
    fields. ``lenient`` skips bad records and lists them. ``assume`` is laid over the bundle's assumptions; ``as_of``
    is the default instant of queries that state none, the word "now" included. ``trace`` is a file of recorded traces
    (:mod:`inspector.formats.traces`).
    """

    as_format: str | None = None
    queries: Path | None = None
    judgments: Path | None = None
    policy: Path | None = None
    mapping: Path | None = None
    trace: Path | None = None
    lenient: bool = False
    assume: Mapping[str, Any] = field(default_factory=dict)
    as_of: str | None = None


@dataclass(frozen=True)
class Format:
    """One readable format, for ``inspector formats``: what it is, how its content is recognised, the shortest example
    that loads, and what a source of this format cannot say.

    ``scope``, ``policy`` and ``lifecycle`` name the source's fields that each axis is read from, by precedence; "" for
    none, and for traces."""

    name: str
    summary: str
    recognised_by: str
    example: str
    loss: str
    scope: str = ""
    policy: str = ""
    lifecycle: str = ""


class Watch:
    """Reports progress in bytes at most ten times a second and raises Cancelled where the user asked for it."""

    def __init__(self, on_progress: OnProgress | None, cancelled: Callable[[], bool], total: int | None) -> None:
        self._on_progress = on_progress
        self._cancelled = cancelled
        self._total = total
        self._what = ""
        self._done = 0
        self._next = 0.0

    def begin(self, what: str) -> None:
        """Name the file that is read from now on."""
        self._what = _("reading {what}").format(what=what)
        self.advance(0)

    def advance(self, size: int) -> None:
        """Count ``size`` more bytes as read."""
        self._done += size
        self._report(lambda: Progress(self._what, self._done, self._total, _("bytes")))

    def rows(self, name: str, done: int, doing: str = "") -> None:
        """Report the rows of a database read so far, of which the number is not known; ``doing`` has a place for what
        is read."""
        self._report(lambda: Progress((doing or _("reading {what}")).format(what=name), done, None, _("rows")))

    def _report(self, progress: Callable[[], Progress]) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + REPORT_EVERY
        if self._cancelled():
            raise Cancelled(_("reading was cancelled"))
        if self._on_progress is not None:
            self._on_progress(progress())

    def finish(self) -> None:
        """Report the end, whatever the time of the last report."""
        if self._what:  # a database has reported its rows itself
            self._next = 0.0
            self.advance(0)


_CUT = N_("{text}… ({left:,} more characters)")


def clip(text: str, limit: int = QUOTE_LIMIT, *, data: bool = False) -> str:
    """The text, cut where it is too long for a message, with the number of characters left out: in English in ``data``.

    Lone surrogates, which no output can encode, are escaped.
    """
    if not text.isascii():
        text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    if len(text) <= limit:
        return text
    return (_CUT if data else _(_CUT)).format(text=text[:limit], left=len(text) - limit)


def at(error: FieldError, file: str, line: int | None) -> InputError:
    """The field's error with its place in a file added."""
    return InputError.at(file, line, clip(error.field), clip(error.wrong), error.expected)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``; did you mean "x"?`` with the nearest known name, or nothing where none is near."""
    near = difflib.get_close_matches(name, list(known), n=1)
    return _("; did you mean {near!r}?").format(near=near[0]) if near else ""


def path_text(path: Sequence[str]) -> str:
    """A path of keys as messages and mapping.toml write it: joined by dots, a dot inside a key escaped."""
    return ".".join(part.replace(".", "\\.") for part in path)


def name_of(path: Path) -> str:
    """The path as text that can be stored and printed: bytes of a file name that are not UTF-8 are escaped."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def os_fault(error: OSError, file: str) -> InputError:
    """An operating system's refusal to open or read a file, in the words of every other input error."""
    if isinstance(error, FileNotFoundError):
        return InputError.at(file, None, "", _("does not exist"), _("a file or folder that can be read"))
    if isinstance(error, PermissionError):
        return InputError.at(file, None, "", _("permission denied"), _("a file or folder that you may read"))
    if isinstance(error, IsADirectoryError):
        return InputError.at(file, None, "", _("is a folder"), _("a file"))
    return InputError.at(file, None, "", clip(error.strerror or type(error).__name__), _("a file that can be read"))


def read_text(path: Path) -> str:
    """A small text file (settings, policy, mapping) as UTF-8, a leading byte order mark dropped.

    Raises InputError where it cannot be read, is not UTF-8 or is longer than :data:`LINE_LIMIT`.
    """
    try:
        with path.open("rb") as file:
            data = file.read(LINE_LIMIT + 1)
    except OSError as error:
        raise os_fault(error, name_of(path)) from None
    if len(data) > LINE_LIMIT:
        raise InputError.at(name_of(path), None, "", _("is longer than 64 MiB"), _("a short text file"))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise not_utf8(name_of(path), line, data[error.start], column) from None


def not_utf8(file: str, line: int, byte: int, column: int) -> InputError:
    """The error for a byte that is not UTF-8; ``column`` counts bytes of the line from 1."""
    return InputError.at(
        file,
        line,
        "",
        _("byte 0x{byte:02x} at byte {column} of the line is not UTF-8").format(byte=byte, column=column),
        _("UTF-8 text"),
    )
