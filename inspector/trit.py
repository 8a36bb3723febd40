"""Trits and strong Kleene logic (DESIGN 1).

A trit is stored as an unsigned byte, 0 for false, 1 for unknown, 2 for true, so that AND is ``min``, OR is ``max``
and NOT is ``2 - x``, and whole matrices fold with NumPy. In files and on the screen the three are ``0``, ``?``, ``1``.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Any, Literal, NoReturn

import numpy as np
import numpy.typing as npt

from inspector.errors import FieldError
from inspector.i18n import _

TritArray = npt.NDArray[np.uint8]
#: A trit as it stands in JSON output: 1, 0 or "?".
TritJson = Literal[0, 1, "?"]


class Trit(enum.IntEnum):
    """One value of three-valued logic. Has no truth value: ``if trit`` is a programming error and raises."""

    NO = 0
    UNKNOWN = 1
    YES = 2

    def __bool__(self) -> NoReturn:
        raise TypeError("a trit has no truth value: compare it with Trit.YES, Trit.NO or Trit.UNKNOWN")

    @property
    def symbol(self) -> str:
        """The character that stands for the value on the screen: ``0``, ``?`` or ``1``."""
        return "0?1"[int(self)]

    @property
    def json(self) -> TritJson:
        """The value as it stands in JSON output: 1, 0 or "?"."""
        return _JSON[int(self)]

    @classmethod
    def of(cls, known: bool | None) -> Trit:
        """The trit of a Python truth value, None being unknown."""
        if known is None:
            return cls.UNKNOWN
        return cls.YES if known is True else cls.NO


_JSON: tuple[TritJson, TritJson, TritJson] = (0, "?", 1)
NO, UNKNOWN, YES = Trit.NO, Trit.UNKNOWN, Trit.YES


def k_and(values: Iterable[Trit]) -> Trit:
    """Strong Kleene AND of any number of trits; of none it is 1."""
    return Trit(min(values, default=Trit.YES))


def k_or(values: Iterable[Trit]) -> Trit:
    """Strong Kleene OR of any number of trits; of none it is 0."""
    return Trit(max(values, default=Trit.NO))


def k_not(value: Trit) -> Trit:
    """Strong Kleene NOT."""
    return Trit(2 - int(value))


def k_join(values: Iterable[Trit]) -> Trit:
    """The join over possible worlds: the value that all share, else unknown (DESIGN 3). Of none it is unknown."""
    seen = set(values)
    return seen.pop() if len(seen) == 1 else Trit.UNKNOWN


def parse_trit(value: Any, field: str) -> Trit:
    """Read a trit as files write it: true, false, null, 1, 0, "1", "0" or "?" (DESIGN 1).

    Raises FieldError for anything else, 1.0, "true" and "" included: nothing becomes a trit by truthiness.
    """
    if value is None:
        return Trit.UNKNOWN
    if isinstance(value, bool):
        return Trit.YES if value is True else Trit.NO
    if isinstance(value, int) and value in (0, 1):
        return Trit.YES if value == 1 else Trit.NO
    if isinstance(value, str) and value in ("0", "1", "?"):
        return {"0": Trit.NO, "1": Trit.YES, "?": Trit.UNKNOWN}[value]
    raise FieldError(
        field, _("{value!r} is not a trit").format(value=value), _('true, false, null, 1, 0, "1", "0" or "?"')
    )
