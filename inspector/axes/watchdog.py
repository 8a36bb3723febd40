"""A time limit for work in C that only another thread can stop."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType


class Watchdog:
    """``with watchdog: …`` calls ``interrupt`` once the block has run for ``limit`` seconds.

    One thread serves many short blocks: a thread for each would cost more than the work. It ends when nothing has run
    for a while, and the next block starts another.
    """

    def __init__(self, limit: float, interrupt: Callable[[], None]) -> None:
        self._limit = limit
        self._interrupt = interrupt
        self._lock = threading.Lock()
        self._deadline: float | None = None
        self._last = 0.0
        self._thread: threading.Thread | None = None

    def __enter__(self) -> None:
        with self._lock:
            self._last = time.monotonic()
            self._deadline = self._last + self._limit
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="policy time limit", daemon=True)
                self._thread.start()

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._deadline = None

    def _watch(self) -> None:
        while True:
            time.sleep(self._limit / 4)
            with self._lock:
                now = time.monotonic()
                if self._deadline is not None and now >= self._deadline:
                    self._deadline = None
                    # Inside the lock: the block cannot end meanwhile, so nothing else is interrupted.
                    self._interrupt()
                elif self._deadline is None and now - self._last > self._limit:
                    self._thread = None
                    return
