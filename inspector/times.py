"""Instants: the original text kept beside the UTC instant, naive times kept apart (DESIGN 2).

No result depends on the machine's time zone: nothing here reads it.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from inspector.errors import FieldError
from inspector.i18n import N_, _
from inspector.trit import Trit

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
#: A naive time can stand for any instant within 14 hours of its reading as UTC, the widest civil offset.
NAIVE_SLACK_US = 14 * 3_600 * 1_000_000
EXPECTED = N_("an ISO 8601 time such as 2026-03-01T09:30:00Z, a date, or epoch seconds")


@dataclass(frozen=True, slots=True)
class Instant:
    """A moment: ``text`` as the source wrote it, ``us`` microseconds since 1970 in UTC.

    ``naive`` says that the source gave no zone and the store declares none; ``us`` then reads the text as if it were
    UTC and is exact only against other naive times of the store.
    """

    text: str
    us: int
    naive: bool

    def iso(self) -> str:
        """The instant as ISO 8601, ending in Z, or without a zone where none is known."""
        moment = (EPOCH + timedelta(microseconds=self.us)).replace(tzinfo=None)
        return moment.isoformat() + ("" if self.naive else "Z")


@functools.lru_cache(maxsize=65_536)
def _parse(value: str | int | float, timezone: str | None) -> Instant:
    if not isinstance(value, str):
        return Instant(repr(value), round(value * 1_000_000), naive=False)
    moment = datetime.fromisoformat(value.strip())
    if moment.tzinfo is None and timezone is not None:
        moment = moment.replace(tzinfo=ZoneInfo(timezone))
    naive = moment.tzinfo is None
    aware = moment.replace(tzinfo=UTC) if naive else moment
    return Instant(value, (aware - EPOCH) // timedelta(microseconds=1), naive)


def parse_time(value: object, field: str, timezone: str | None = None) -> Instant:
    """Read ISO 8601 text or epoch seconds as an :class:`Instant`; a naive text is read in ``timezone`` if given.

    Raises FieldError for anything else (a bool, an empty text, NaN, a date outside years 1 to 9999).
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise FieldError(field, _("{value!r} is not a time").format(value=value), EXPECTED)
    if isinstance(value, float) and not math.isfinite(value):
        raise FieldError(field, _("{value!r} is not a time").format(value=value), EXPECTED)
    try:
        instant = _parse(value, timezone)
        EPOCH + timedelta(microseconds=instant.us)  # outside years 1 to 9999 an instant cannot be shown
    except (ValueError, OverflowError):
        raise FieldError(field, _("{value!r} is not a time").format(value=value), EXPECTED) from None
    return instant


def at_or_before(first: Instant, second: Instant) -> Trit:
    """``first <= second`` as a trit: unknown where one is naive and a zone within ±14 h would change the outcome."""
    if first.naive == second.naive:
        return Trit.of(first.us <= second.us)
    if first.us + NAIVE_SLACK_US <= second.us:
        return Trit.YES
    if first.us - NAIVE_SLACK_US > second.us:
        return Trit.NO
    return Trit.UNKNOWN
