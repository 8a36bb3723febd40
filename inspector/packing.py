"""Fields of very many records in little memory, given back exactly as they were (LIMITS, issue of large imports).

A store is mostly the same few keys again. Records with the same keys share one :class:`Shape`, which holds the keys,
and keep no more than their values in a tuple; those of ``meta`` stand behind the others. Values that come again are
kept once, lists of numbers as numbers, long texts in UTF-8 where that is shorter. Against dicts of Python objects this
halves a store of short records, and a store with vectors needs a quarter.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterable
from typing import Any

#: Texts up to this long may come again and are looked for among those seen before; so many of a field are remembered.
_SHORT = 64
_REMEMBERED = 1 << 16
#: Shapes of one store; records with other keys than those keep dicts. Lists of numbers from this long are packed.
_SHAPES = 4_096
_VECTOR = 16
_SHARED_LIST = 8
#: Every record has its own: nothing is looked for.
_OWN = frozenset(("id", "text"))
_META = "meta"


class Shape:
    """The keys of many records in their order, those of ``meta`` too, and the file that the records come from.

    ``places`` maps a field to its place in a record's values; -1 stands for ``meta`` where its values are the last of
    them, from ``start`` on.
    """

    __slots__ = ("file", "inner", "places", "start")

    def __init__(self, file: str, names: Iterable[str], inner: tuple[str, ...] | None) -> None:
        self.file = file
        self.inner = inner
        self.places: dict[str, int] = {}
        self.start = 0
        for name in names:
            is_last = name == _META and inner is not None
            self.places[name] = -1 if is_last else self.start
            self.start += not is_last

    def value(self, values: tuple[Any, ...], place: int) -> Any:
        """The value at a place of :attr:`places`, as it was given."""
        if place < 0:
            return dict(zip(self.inner or (), map(_unpacked, values[self.start :]), strict=True))
        return _unpacked(values[place])

    def fields(self, values: tuple[Any, ...]) -> dict[str, Any]:
        """All fields, in a dict of the caller's own."""
        return {name: self.value(values, place) for name, place in self.places.items()}


class Packer:
    """Packs the records of one load; what it remembers of them is bounded."""

    def __init__(self) -> None:
        self._shapes: dict[tuple[str, tuple[str, ...], tuple[str, ...] | None], Shape] = {}
        self._seen: dict[str, dict[Any, Any]] = {}

    def pack(self, fields: dict[str, Any], file: str) -> tuple[Shape, tuple[Any, ...]] | None:
        """A shape and the values, from which the shape makes the fields again; None where keys are ever new."""
        meta = fields.get(_META)
        inner = tuple(meta) if type(meta) is dict else None
        key = (file, tuple(fields), inner)
        shape = self._shapes.get(key)
        if shape is None:
            if len(self._shapes) >= _SHAPES:
                return None
            shape = self._shapes[key] = Shape(*key)
        values = [self._packed(name, value) for name, value in fields.items() if shape.places[name] >= 0]
        if inner:
            values += [self._packed(name, value) for name, value in meta.items()]  # type: ignore[union-attr]
        return shape, tuple(values)

    def _packed(self, name: str, value: Any) -> Any:
        kind = type(value)
        if kind is str:
            return _text(value) if len(value) > _SHORT else value if name in _OWN else self._shared(name, value, value)
        if kind is float:
            # Zero has two signs that are equal, and NaN is not equal to itself: those are left alone.
            return self._shared(name, value, value) if value and value == value else value
        if kind is list and value:
            if len(value) >= _VECTOR:
                return _numbers(value)
            if len(value) <= _SHARED_LIST and all(type(word) is str for word in value):
                # One list for all records that have these words: a record's values are never changed in place.
                return self._shared(name, tuple(value), value)
        return value

    def _shared(self, name: str, key: Any, value: Any) -> Any:
        """What stood in the field before and is equal. Keys of one type alone are equal only if they are the same."""
        seen = self._seen.get(name)
        if seen is None or len(seen) > _REMEMBERED:
            seen = self._seen[name] = {}
        return seen.setdefault(key, value)


class _Utf8(bytes):
    """A text as UTF-8."""

    __slots__ = ()


class _Numbers(array):  # type: ignore[type-arg]
    """A list of floats."""

    __slots__ = ()


class _Mixed:
    """A list of floats in which some numbers are written without a point, as JavaScript writes 1.0 and 0.0."""

    __slots__ = ("numbers", "whole")

    def __init__(self, value: list[Any], whole: list[int]) -> None:
        self.numbers = array("d", value)
        self.whole = array("I", whole)

    def unpacked(self) -> list[float | int]:
        """The list."""
        numbers: list[float | int] = self.numbers.tolist()
        for place in self.whole:
            numbers[place] = int(numbers[place])
        return numbers


_UNPACK: dict[type, Callable[[Any], Any]] = {
    _Utf8: lambda value: value.decode("utf-8"),
    _Numbers: lambda value: value.tolist(),
    _Mixed: _Mixed.unpacked,
}


def _unpacked(value: Any) -> Any:
    unpack = _UNPACK.get(type(value))
    return value if unpack is None else unpack(value)


def _text(value: str) -> Any:
    """A long text in UTF-8 where one sign makes Python keep two or four bytes for every character."""
    if value.isascii():
        return value
    try:
        encoded = value.encode("utf-8")
    except UnicodeEncodeError:  # a lone surrogate
        return value
    return _Utf8(encoded) if len(encoded) < sys.getsizeof(value) - sys.getsizeof("") else value


def _numbers(value: list[Any]) -> Any:
    """A list of numbers in eight bytes each; any other list as it is."""
    kinds = set(map(type, value))
    if kinds == {float}:
        return _Numbers("d", value)
    if kinds == {float, int}:
        whole = [place for place, number in enumerate(value) if type(number) is int]
        # A whole number that a float cannot hold must not change; where most are whole, their list is as small.
        if len(whole) * 2 < len(value) and all(abs(value[place]) <= 1 << 53 for place in whole):
            return _Mixed(value, whole)
    return value
