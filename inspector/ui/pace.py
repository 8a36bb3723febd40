"""How fast long work goes and how long it will take, from its reports of progress."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from inspector.i18n import _

if TYPE_CHECKING:
    from inspector.records import Progress


#: Seconds of the past that the rate is taken from: texts are encoded shortest first, so the beginning says little.
_WINDOW = 8.0


@dataclass(frozen=True, slots=True)
class Standing:
    """Where work stands. ``rate`` is units a second, ``left`` and ``elapsed`` are seconds; None: not yet known."""

    what: str
    done: int
    total: int | None
    unit: str
    rate: float | None
    left: float | None
    elapsed: float

    @property
    def share(self) -> float | None:
        """From 0 to 1, None where the total is unknown."""
        return None if not self.total else min(1.0, self.done / self.total)

    def words(self) -> str:
        """``3,200 of 12,000 texts · 410/s · 21 s left``."""
        parts: list[str] = []
        if self.total is not None:
            done = show_size(self.done) if self.unit == "bytes" else f"{self.done:,}"
            parts.append(_("{done} of {amount}").format(done=done, amount=self._amount(self.total)))
        elif self.done:
            parts.append(self._amount(self.done))
        if self.rate is not None:
            rate = f"{self.rate:,.0f}" if self.rate >= 10 else f"{self.rate:.1f}"
            parts.append(f"{show_size(int(self.rate)) if self.unit == 'bytes' else rate}/s")
        if self.left is not None:
            parts.append(_("{show_seconds} left").format(show_seconds=show_seconds(self.left)))
        if len(parts) < 2 and self.elapsed >= 1:
            parts.append(_("{show_seconds} so far").format(show_seconds=show_seconds(self.elapsed)))
        return " · ".join(parts)

    def _amount(self, count: int) -> str:
        return show_size(count) if self.unit == "bytes" else f"{count:,} {_(self.unit)}"


def show_size(size: int | None) -> str:
    """``12 B``, ``3.4 kB``, ``56 MB``; nothing for folders."""
    if size is None:
        return ""
    amount = float(size)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            return f"{amount:.0f} {unit}" if unit == "B" or amount >= 10 else f"{amount:.1f} {unit}"
        amount /= 1000
    return ""


def show_seconds(seconds: float) -> str:
    """``8 s``, ``3 min 20 s``, ``1 h 05 min``."""
    whole = int(seconds + 0.5)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return _("{whole} min {whole2:02d} s").format(whole=whole // 60, whole2=whole % 60)
    return _("{whole} h {whole2:02d} min").format(whole=whole // 3600, whole2=whole % 3600 // 60)


class Pace:
    """Turns reports of progress into :class:`Standing`; a report of other work starts anew."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._what = ""
        self._past: deque[tuple[float, int]] = deque()
        self._began = clock()
        self._last: Progress | None = None

    def take(self, report: Progress) -> Standing:
        """Note the report and say where the work stands."""
        now = self._clock()
        if report.what != self._what or (self._past and report.done < self._past[-1][1]):
            self._what = report.what
            self._past.clear()
            self._began = now
        self._last = report
        self._past.append((now, report.done))
        while len(self._past) > 2 and now - self._past[0][0] > _WINDOW:
            self._past.popleft()
        began, at = self._past[0]
        rate = (report.done - at) / (now - began) if now - began >= 0.5 and report.done > at else None
        left = None
        if rate and report.total is not None and report.done <= report.total:
            left = (report.total - report.done) / rate
        return Standing(report.what, report.done, report.total, report.unit, rate, left, now - self._began)

    def again(self) -> Standing | None:
        """Where the work stands now, if nothing was reported since; None where nothing was reported at all."""
        return None if self._last is None else self.take(self._last)
