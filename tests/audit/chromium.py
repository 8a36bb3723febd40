"""A headless Chromium for tests, driven over its debugging pipe: JSON messages that end with a zero byte."""

from __future__ import annotations

import fcntl
import json
import os
import select
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome", "chromium-headless-shell")
#: Seconds to wait for an answer; a loaded machine starts a browser slowly.
_PATIENCE = 30.0


def find_chromium() -> str:
    """The program, or a skip that says what is missing."""
    found = os.environ.get("INSPECTOR_CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        words = "no Chromium is installed: the HTML report was not opened in a browser (INSPECTOR_CHROMIUM names one)"
        if os.environ.get("INSPECTOR_REQUIRE_CHROMIUM"):
            pytest.fail(words)
        pytest.skip(words)
    return found


class Browser:
    """One page of a running browser. ``events`` are the messages that answered nothing."""

    def __init__(self, to: int, back: int) -> None:
        self._to, self._back = to, back
        self._number = 0
        self._buffer = b""
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command and wait for its result."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return dict(answer["result"])
            self.events.append(answer)

    def _next(self) -> dict[str, Any]:
        until = time.monotonic() + _PATIENCE
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._back], [], [], max(0.0, until - time.monotonic()))
            read = os.read(self._back, 1 << 16) if ready else b""
            assert read, "the browser does not answer"
            self._buffer += read
        message, _, self._buffer = self._buffer.partition(b"\0")
        return dict(json.loads(message))

    def open(self, url: str) -> list[dict[str, Any]]:
        """Load a page whole; the messages on the way."""
        self.events = []
        self.call("Page.navigate", url=url)
        while not any(one["method"] == "Page.loadEventFired" for one in self.events):
            self.events.append(self._next())
        self.evaluate("new Promise(done => setTimeout(done, 200))")  # what scripts and lazy images would still ask for
        return self.events

    def evaluate(self, expression: str) -> Any:
        """The value of an expression in the page, as JSON."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """A browser with a profile of its own in ``folder``; it ends with the block."""
    program = find_chromium()
    their_in, to = os.pipe()
    back, their_out = os.pipe()
    command = [
        program,
        *("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"),
        *("--disable-background-networking", "--disable-component-update", "--disable-extensions", "--disable-sync"),
        *("--remote-debugging-pipe", f"--user-data-dir={folder}"),
    ]
    # The browser reads commands from descriptor 3 and answers on 4; none of ours is inherited.
    actions = [
        (os.POSIX_SPAWN_DUP2, _above(their_in), 3),
        (os.POSIX_SPAWN_DUP2, _above(their_out), 4),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    pid = os.posix_spawn(program, command, os.environ, file_actions=actions)
    for _, end, *_ in actions[:2]:
        os.close(int(end))
    try:
        yield Browser(to, back)
    finally:
        os.close(to)
        os.close(back)
        os.kill(pid, signal.SIGTERM)
        os.waitpid(pid, 0)


def _above(end: int) -> int:
    """The pipe's end under a number that 3 and 4 do not overwrite."""
    moved = fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(end)
    return moved
