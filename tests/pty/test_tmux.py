"""The real program in tmux: open, pick a query, edit, see the verdict change, undo, quit."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.inspection import demo_folder

pytestmark = [
    pytest.mark.pty,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed"),
]


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
        self.run("new-session", "-d", "-x", "120", "-y", "40", *env, *command)
        self.run("set", "remain-on-exit", "on")

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
        while (state := self.run("display-message", "-p", "#{pane_dead} #{pane_dead_status}").split())[0] != "1":
            assert time.monotonic() < end, f"the program did not end; the screen was:\n{self.screen()}"
            time.sleep(0.1)
        return state[1]

    def keys(self, *keys: str) -> None:
        for key in keys:
            self.run("send-keys", key)
            time.sleep(0.25)


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Tmux]:
    server = Tmux(tmp_path)
    yield server
    subprocess.run(["tmux", "-S", server.socket, "kill-server"], capture_output=True, check=False)


def row_of(screen: str, memory: str) -> str:
    return next(line for line in screen.splitlines() if memory in line and "SR" in line)


def test_open_pick_edit_verdict_changes_undo_quit(tmux: Tmux, tmp_path: Path) -> None:
    store = tmp_path / "store"
    shutil.copytree(demo_folder("anniversary"), store)
    before = {path.name: path.read_bytes() for path in store.iterdir()}
    tmux.start(sys.executable, "-m", "inspector", "open", str(store))
    tmux.wait_for("Candidates")
    assert "✗ exclude" in row_of(tmux.wait_for("park-ann"), "park-ann")
    # pick the second query and come back
    tmux.keys("n")
    tmux.wait_for("What did we want")
    tmux.wait_for("owns guest-park")
    tmux.keys("p")
    tmux.wait_for("owns guest-lind")
    # e opens the choice of fields, the first is the one that decides; type another owner
    tmux.keys("C", "Home", "e")
    tmux.wait_for("field name, or part of it")
    tmux.keys("Enter")
    tmux.wait_for("namespace of memory park-anniversary")
    tmux.keys("End", "C-u")
    tmux.run("send-keys", "-l", "guest-lind")
    tmux.wait_for("would give S 0→1")
    tmux.keys("C-s")
    tmux.wait_for("flips")
    assert "admit" in row_of(tmux.screen(), "park-ann")
    tmux.keys("u")
    tmux.wait_for("undone")
    tmux.keys("Q", "C")  # a changed cell shows old→new until it has been looked at
    assert "exclude" in row_of(tmux.screen(), "park-ann")
    tmux.keys("q")
    assert tmux.exit_status() == "0"
    assert {path.name: path.read_bytes() for path in store.iterdir()} == before
