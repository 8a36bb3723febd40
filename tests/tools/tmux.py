"""A tmux server of a test's own, with one window in which the real program runs."""

from __future__ import annotations

import shlex
import subprocess
import time
from pathlib import Path


class Tmux:
    """One tmux server of its own with one window."""

    def __init__(self, home: Path) -> None:
        self.socket = str(home / "tmux")
        self.home = home

    def run(self, *args: str) -> str:
        done = subprocess.run(["tmux", "-S", self.socket, "-f", "/dev/null", *args], capture_output=True, check=True)
        return done.stdout.decode("utf-8", "replace")

    def start(self, *command: str) -> None:
        folders = [f"XDG_{name}_HOME={self.home / name}" for name in ("CONFIG", "DATA", "CACHE", "STATE")]
        env = ["env", *folders, "LC_ALL=C.UTF-8"]
        # A shell keeps the exit status: tmux sometimes has none for a program that ended with 0.
        kept = ["sh", "-c", f'"$@"; echo $? > {shlex.quote(str(self.home / "status"))}; sleep 60', "sh"]
        self.run("new-session", "-d", "-x", "120", "-y", "40", *kept, *env, *command)

    def screen(self) -> str:
        return self.run("capture-pane", "-p")

    def wait_for(self, wanted: str, seconds: float = 60) -> str:
        end = time.monotonic() + seconds
        while wanted not in (screen := self.screen()):
            assert time.monotonic() < end, f"{wanted!r} did not come; the screen was:\n{screen}"
            time.sleep(0.1)
        return screen

    def exit_status(self, seconds: float = 60) -> str:
        """The program's exit status once it has ended."""
        end = time.monotonic() + seconds
        status = self.home / "status"
        while not status.exists() or not (said := status.read_text().strip()):
            assert time.monotonic() < end, f"the program did not end; the screen was:\n{self.screen()}"
            time.sleep(0.1)
        return said

    def keys(self, *keys: str) -> None:
        for key in keys:
            self.run("send-keys", key)
            time.sleep(0.25)
