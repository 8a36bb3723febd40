"""JSON text into Python values, with the faults that a hostile file can hold named instead of passed on.

The standard library's scanner is used rather than msgspec's: it alone gives the column of a fault, keeps whole numbers
of any size, reads the NaN and Infinity that exporters write into vectors, and lets duplicate keys be seen.
"""

from __future__ import annotations

import json
import math
import re
import sys
from typing import Any, NamedTuple

from inspector.errors import FieldError, InputError
from inspector.formats.base import DEPTH_LIMIT, clip, not_utf8
from inspector.i18n import N_, _

#: What the standard library's scanner, and ours, say of broken JSON.
_SCANNER = (
    N_("Expecting value"),
    N_("Expecting ',' delimiter"),
    N_("Expecting ':' delimiter"),
    N_("Expecting property name enclosed in double quotes"),
    N_("Extra data"),
    N_("Unterminated string starting at"),
    N_("Invalid control character at"),
    N_("Invalid \\uXXXX escape"),
    N_("Illegal trailing comma before end of object"),
    N_("Illegal trailing comma before end of array"),
)

BOM = b"\xef\xbb\xbf"
#: Text in which a lone surrogate or an infinite number can hide; only then is the whole value walked.
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_HUGE_EXPONENT = re.compile(r"[0-9][eE]\+?[0-9]{3}")
_intern = sys.intern
_SURROGATE = re.compile("[\ud800-\udfff]")


class Decoded(NamedTuple):
    """A value, where its text ended, and whether :func:`check_tree` must be asked about it."""

    value: Any
    end: int
    suspect: bool


class DuplicateKeyError(ValueError):
    """One object names a key twice; which of the two values counts is anyone's guess."""


class JsonReader:
    """Decodes JSON values. Not for use by two threads at once: it remembers whether a value held NaN or Infinity."""

    def __init__(self) -> None:
        self._nonfinite = False
        self._decoder = json.JSONDecoder(object_pairs_hook=_object, parse_constant=self._constant)

    def _constant(self, text: str) -> float:
        self._nonfinite = True
        return float(text.replace("Infinity", "inf"))

    def decode(self, text: str, start: int = 0) -> Decoded:
        """The value that begins at ``start``; raises what the scanner raises (see :func:`json_fault`)."""
        self._nonfinite = False
        value, end = self._decoder.raw_decode(text, start)
        suspect = (
            self._nonfinite
            or (text.find("\\u", start, end) >= 0 and _ESCAPED_SURROGATE.search(text, start, end) is not None)
            or _HUGE_EXPONENT.search(text, start, end) is not None
            or text.count("[", start, end) + text.count("{", start, end) > DEPTH_LIMIT
        )
        return Decoded(value, end, suspect)

    def line(self, data: bytes, file: str, number: int) -> Decoded:
        """The one value on a line of JSON Lines. Raises InputError that names file and line."""
        if number == 1:
            data = data.removeprefix(BOM)
        text = decode_utf8(data, file, number).strip(" \t\r\n")
        try:
            decoded = self.decode(text)
            if decoded.end != len(text):
                rest = text[decoded.end :].lstrip()
                raise json.JSONDecodeError("Extra data", text, len(text) - len(rest))
        except (ValueError, RecursionError) as error:
            raise json_fault(error, file, number, _("one JSON object on each line")) from None
        return decoded


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # The scanner makes each key anew for each record; kept once, they are a tenth of a large store's memory.
    made = {_intern(name): value for name, value in pairs}
    if len(made) != len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise DuplicateKeyError(name)
            seen.add(name)
    return made


def decode_utf8(data: bytes, file: str, number: int) -> str:
    """A line's text; raises InputError that names the first byte that is not UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise not_utf8(file, number, data[error.start], error.start + 1) from None


def json_fault(error: Exception, file: str, line: int, expected: str, column: int | None = None) -> InputError:
    """The scanner's error as an InputError; ``column`` (from 1) where the text is a piece of a longer line."""
    if isinstance(error, RecursionError):
        return InputError.at(
            file, line, "", _("nested too deeply"), _("at most {DEPTH_LIMIT} levels").format(DEPTH_LIMIT=DEPTH_LIMIT)
        )
    if isinstance(error, DuplicateKeyError):
        return InputError.at(file, line, clip(str(error)), _("the key stands twice in one object"), _("each key once"))
    if isinstance(error, json.JSONDecodeError):
        where = error.colno if column is None else column
        return InputError.at(
            file, line, "", _("broken JSON at column {where} ({msg})").format(where=where, msg=_(error.msg)), expected
        )
    return InputError.at(file, line, "", _("a whole number of more than 4300 digits"), _("a shorter number"))


def check_tree(value: Any) -> None:
    """Refuse in a decoded record what cannot be stored or written again: lone surrogates, values nested too deeply,
    and NaN or Infinity outside a vector or a score. Raises FieldError with the dotted path."""
    stack: list[tuple[Any, tuple[str | int, ...]]] = [(value, ())]
    while stack:
        node, path = stack.pop()
        if len(path) > DEPTH_LIMIT:
            raise FieldError(
                dotted(path[:3]),
                _("nested too deeply"),
                _("at most {DEPTH_LIMIT} levels").format(DEPTH_LIMIT=DEPTH_LIMIT),
            )
        if isinstance(node, dict):
            for key in node:
                if _SURROGATE.search(key):
                    raise FieldError(dotted((*path, key)), _("the key holds a lone surrogate"), _("Unicode text"))
            stack.extend((child, (*path, key)) for key, child in reversed(node.items()))
        elif isinstance(node, list):
            stack.extend((node[i], (*path, i)) for i in range(len(node) - 1, -1, -1))
        elif isinstance(node, str):
            found = _SURROGATE.search(node)
            if found is not None:
                wrong = _("holds a lone surrogate, \\u{code:04x}, at character {at}").format(
                    code=ord(found[0]), at=found.start() + 1
                )
                raise FieldError(dotted(path), wrong, _("Unicode text"))
        elif isinstance(node, float) and not math.isfinite(node) and not _may_be_nonfinite(path):
            raise FieldError(
                dotted(path),
                _("{node!r} is not a finite number").format(node=node),
                _("NaN only in embedding or score"),
            )


def _may_be_nonfinite(path: tuple[str | int, ...]) -> bool:
    return path[:1] == ("embedding",) or (path[:1] == ("recorded",) and path[-1] == "score")


def dotted(path: tuple[str | int, ...]) -> str:
    """A path for messages: ``recorded.events[0].name``, surrogates escaped."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
