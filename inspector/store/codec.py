"""Values as JSON text that gives back exactly what went in (DESIGN 2).

Whatever a source's record holds comes out of the workspace equal: NaN in an embedding, integers of any size, lone
surrogates, NUL. Ordinary values take msgspec's fast path; the rest is written by the standard library, whose JSON has
words for them. The text is always valid UTF-8.
"""

from __future__ import annotations

import gc
import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from inspector.errors import InspectorError
from inspector.i18n import _
from inspector.records import ABSENT
from inspector.trit import Trit

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder()


def _has_odd_number(value: Any) -> bool:
    """Whether NaN or an infinity is somewhere inside: msgspec would write it as null."""
    kind = type(value)
    if kind is float:
        return not math.isfinite(value)
    if kind is dict:
        return any(map(_has_odd_number, value.values()))
    if kind is list or kind is tuple:
        if value and type(value[0]) is float:
            # A vector: its sum is finite only if every number is. (A sum that overflows takes the slow path too.)
            try:
                return not math.isfinite(sum(value))
            except TypeError:
                pass
        return any(map(_has_odd_number, value))
    return False


def encode(value: Any) -> str:
    """The value as JSON text; :func:`decode` gives it back. A Trit is written as files write it (1, 0 or "?").

    Raises InspectorError for a value that is nested too deep to be written.
    """
    if isinstance(value, Trit):
        value = value.json
    try:
        if not _has_odd_number(value):
            try:
                return _encoder.encode(value).decode()
            except (UnicodeEncodeError, OverflowError):
                pass
        return json.dumps(value, separators=(",", ":"))
    except RecursionError:
        raise InspectorError(_("a value is nested too deep to be kept in the workspace")) from None


def decode(text: str) -> Any:
    """The value that :func:`encode` wrote."""
    try:
        return _decoder.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return json.loads(text)


def encode_cell(value: Any) -> str | None:
    """As :func:`encode`, ABSENT being None (SQL's NULL), so that it differs from a JSON null."""
    return None if value is ABSENT else encode(value)


def decode_cell(cell: str | None) -> Any:
    """The value that :func:`encode_cell` wrote."""
    return ABSENT if cell is None else decode(cell)


@contextmanager
def no_collection() -> Iterator[None]:
    """Python's cycle collector held off while very many small objects are made: it halves the time of a load."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
