"""The real program in a pseudo terminal: keys in, the screen and every byte that reached the terminal out."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import pexpect
import pyte

KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "tab": "\t",
    "backspace": "\x7f",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "pagedown": "\x1b[6~",
    "ctrl+r": "\x12",
    "ctrl+s": "\x13",
    "ctrl+p": "\x10",
    "ctrl+q": "\x11",
}


class Terminal:
    """Runs ``inspector ARGS`` (or another Python ``program``) at a size.

    ``raw`` are all bytes that it has written; :meth:`text` is the screen.
    """

    def __init__(
        self,
        args: Sequence[str],
        home: Path,
        size: tuple[int, int] = (120, 40),
        env: Mapping[str, str] | None = None,
        program: Sequence[str] = ("-m", "inspector"),
    ) -> None:
        columns, rows = size
        folders = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "DATA", "CACHE", "STATE")}
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.raw = bytearray()
        self.child = pexpect.spawn(
            sys.executable,
            [*program, *args],
            dimensions=(rows, columns),
            env={**os.environ, **folders, "TERM": "xterm-256color", "COLORTERM": "truecolor", **(env or {})},
            timeout=30,
        )
        self.child.delaybeforesend = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.child.close(force=True)

    def read(self, seconds: float = 0.02) -> bool:
        """Take in what has come within the time; False once the program has ended and all was read."""
        try:
            data = self.child.read_nonblocking(1 << 20, timeout=seconds)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.raw += data
        # pyte knows no private modes with a query; they draw nothing.
        self._stream.feed(re.sub(rb"\x1b\[\?\d+\$p|\x1b\[[<>=][\d;]*[a-zA-Z]", b"", data))
        return True

    def text(self) -> str:
        """The screen as lines."""
        return "\n".join(self.screen.display)

    def wait_for(self, wanted: str, seconds: float = 60.0) -> None:
        """Read until the screen holds the text. Raises AssertionError, showing the screen, where it never does."""
        end = time.monotonic() + seconds
        while wanted not in self.text():
            if time.monotonic() > end or not self.read(0.05):
                raise AssertionError(f"{wanted!r} did not come; the screen was:\n{self.text()}")

    def settle(self, quiet: float = 0.25, seconds: float = 20.0) -> None:
        """Read until nothing has come for a while."""
        end = time.monotonic() + seconds
        last = time.monotonic()
        while time.monotonic() - last < quiet and time.monotonic() < end:
            before = len(self.raw)
            if not self.read(0.05):
                return
            if len(self.raw) != before:
                last = time.monotonic()

    def press(self, *keys: str) -> None:
        """Type the keys, each once the screen is quiet; a name of :data:`KEYS` or the characters themselves."""
        for key in keys:
            self.child.send(KEYS.get(key, key))
            self.settle()

    def ended(self, seconds: float = 15.0) -> int | None:
        """The exit code once the program has ended by itself; None where it has not in that time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if not self.read(0.05):
                if self.child.isalive():
                    self.child.wait()
                self.child.close()
                return int(self.child.exitstatus) if self.child.exitstatus is not None else None
        return None
