"""Lines and JSON documents as streams: at no time is more held than one line, or one element of an array."""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from inspector.errors import InputError
from inspector.formats.base import LINE_LIMIT, Watch, not_utf8, os_fault
from inspector.formats.decode import Decoded, JsonReader, json_fault
from inspector.i18n import _

_CHUNK = 1 << 20
#: A value cut by the end of the buffer makes the scanner fail within this many characters of it ("-Infinity").
_CUT = 16
_SPACE = " \t\r\n"

Fault = Callable[[InputError], None]


def read_lines(
    path: Path, name: str, watch: Watch, fault: Fault, keep_blank: bool = False
) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their numbers, blank ones left out unless they are asked for.

    A line over :data:`LINE_LIMIT` bytes is handed to ``fault`` and passed over unread. Raises InputError where the
    file cannot be read.
    """
    watch.begin(name)
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(LINE_LIMIT + 1):
                number += 1
                watch.advance(len(line))
                if len(line) > LINE_LIMIT:
                    del line
                    _pass_over(file, watch)
                    fault(InputError.at(name, number, "", _("the line is longer than 64 MiB"), _("a shorter line")))
                elif keep_blank or not (line.isspace() or line.strip() == codecs.BOM_UTF8):
                    yield number, line
    except OSError as error:
        raise os_fault(error, name) from None


def _pass_over(file: BinaryIO, watch: Watch) -> None:
    while piece := file.readline(_CHUNK):
        watch.advance(len(piece))
        if piece.endswith(b"\n"):
            return


KeyPath = tuple[str, ...]


class Item(NamedTuple):
    """A piece of a document: the path of keys to it (empty in a top-level array), the line it starts on, its value.

    ``element`` tells an element of a streamed array from a whole value.
    """

    path: KeyPath
    line: int
    value: Any
    suspect: bool
    element: bool


class _Document:
    """A JSON document read through a sliding buffer."""

    def __init__(self, file: BinaryIO, name: str, watch: Watch) -> None:
        self._file = file
        self._name = name
        self._watch = watch
        self._utf8 = codecs.getincrementaldecoder("utf-8-sig")()
        self._json = JsonReader()
        self._text = ""
        self._at = 0
        self._read_lines = 0  # line feeds in everything decoded so far, for the place of a byte that is not UTF-8
        self._line_start = 0  # bytes read before the current line, likewise
        self._bytes = 0
        self._column = 0  # characters of the current line that have left the buffer
        self._ended = False
        self.line = 1

    def _fill(self, size: int) -> None:
        data = self._file.read(size)
        self._ended = not data
        self._watch.advance(len(data))
        pending = len(self._utf8.getstate()[0])
        try:
            text = self._utf8.decode(data, final=self._ended)
        except UnicodeDecodeError as error:
            raise self._bad_byte(error, pending) from None
        self._note(data)
        passed = self._text[: self._at]
        last = passed.rfind("\n")
        self._column = self._column + len(passed) if last < 0 else len(passed) - last - 1
        self._text = self._text[self._at :] + text
        self._at = 0

    def _note(self, data: bytes) -> None:
        self._read_lines += data.count(b"\n")
        last = data.rfind(b"\n")
        if last >= 0:
            self._line_start = self._bytes + last + 1
        self._bytes += len(data)

    def _bad_byte(self, error: UnicodeDecodeError, pending: int) -> InputError:
        """``error.object`` is the undecoded rest of the last chunk followed by this one."""
        good = error.object[pending : error.start] if error.start > pending else b""
        self._note(good)
        position = self._bytes if error.start >= pending else self._bytes - (pending - error.start)
        return not_utf8(self._name, self._read_lines + 1, error.object[error.start], position - self._line_start + 1)

    def peek(self) -> str:
        """The next character that is not white space, "" at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in _SPACE:
                if self._text[self._at] == "\n":
                    self.line += 1
                self._at += 1
            if self._at < len(self._text):
                return self._text[self._at]
            if self._ended:
                return ""
            self._fill(_CHUNK)

    def take(self, wanted: str) -> str:
        """Step over the next character, which must be one of ``wanted``."""
        char = self.peek()
        if char == "" or char not in wanted:
            names = _(" or ").join(repr(one) for one in wanted)
            raise self._fault(json.JSONDecodeError(_("Expecting {names}").format(names=names), self._text, self._at))
        self._at += 1
        return char

    def value(self) -> Decoded:
        """The next value; the buffer grows until it holds the whole of it."""
        self.peek()
        while True:
            try:
                decoded = self._json.decode(self._text, self._at)
            except json.JSONDecodeError as error:
                cut = error.msg.startswith("Unterminated string") or error.pos >= len(self._text) - _CUT
                if self._ended or not cut:
                    raise self._fault(error) from None
            except (ValueError, RecursionError) as error:
                raise self._fault(error) from None
            else:
                if decoded.end < len(self._text) or self._ended:
                    self.line += self._text.count("\n", self._at, decoded.end)
                    self._at = decoded.end
                    return decoded
            if len(self._text) - self._at > LINE_LIMIT:
                raise InputError.at(
                    self._name, self.line, "", _("one value is longer than 64 MiB"), _("a shorter value")
                )
            self._fill(max(_CHUNK, len(self._text) - self._at))

    def _fault(self, error: Exception) -> InputError:
        line, column = self.line, None
        if isinstance(error, json.JSONDecodeError):
            line += self._text.count("\n", self._at, error.pos)
            last = self._text.rfind("\n", 0, error.pos)
            column = error.pos - last if last >= 0 else error.pos + 1 + self._column
        return json_fault(error, self._name, line, _("a complete JSON document"), column)


def read_document(path: Path, name: str, watch: Watch, lists: frozenset[KeyPath]) -> Iterator[Item]:
    """The pieces of one JSON document: the elements of a top-level array, or each key of a top-level object, where
    arrays at one of the paths ``lists`` come element by element and every other value whole.

    Raises InputError, with the line, for anything that is not one whole document: the rest cannot be found again, so
    leniency does not reach here.
    """
    watch.begin(name)
    try:
        with path.open("rb") as file:
            document = _Document(file, name, watch)
            if document.peek() == "[":
                yield from _elements(document, ())
            else:
                yield from _members(document, name, lists, ())
            if document.peek():
                raise InputError.at(
                    name, document.line, "", _("text after the end of the document"), _("one JSON document")
                )
    except OSError as error:
        raise os_fault(error, name) from None


def _elements(document: _Document, path: KeyPath) -> Iterator[Item]:
    document.take("[")
    if document.peek() == "]":
        document.take("]")
        return
    while True:
        document.peek()
        line = document.line
        decoded = document.value()
        yield Item(path, line, decoded.value, decoded.suspect, True)
        if document.take(",]") == "]":
            return


def _members(document: _Document, name: str, lists: frozenset[KeyPath], prefix: KeyPath) -> Iterator[Item]:
    document.take("{")
    if document.peek() == "}":
        document.take("}")
        return
    seen: set[str] = set()
    while True:
        if document.peek() != '"':
            document.take('"')
        key = document.value().value
        if key in seen:
            raise InputError.at(name, document.line, key, _("the key stands twice in one object"), _("each key once"))
        seen.add(key)
        document.take(":")
        path = (*prefix, key)
        following = document.peek()
        if following == "[" and path in lists:
            yield from _elements(document, path)
        elif following == "{" and any(one[: len(path)] == path and len(one) > len(path) for one in lists):
            yield from _members(document, name, lists, path)
        else:
            line = document.line
            decoded = document.value()
            yield Item(path, line, decoded.value, decoded.suspect, False)
        if document.take(",}") == "}":
            return
