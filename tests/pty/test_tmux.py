"""The real program in tmux: open, pick a query, edit, see the verdict change, undo, quit."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.inspection import demo_folder
from tests.tools.tmux import Tmux

pytestmark = [
    pytest.mark.pty,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed"),
]


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Tmux]:
    server = Tmux(tmp_path)
    yield server
    subprocess.run(["tmux", "-S", server.socket, "kill-server"], capture_output=True, check=False)


#: An export of a store that no format knows: its list, its names and its words are its own.
UNKNOWN = """{"exported": "2026-04-01", "facts": [
 {"factRef": "f1", "body": "Ana lives in Porto since March.", "who": {"customerId": "ana"}, "state": "Activated"},
 {"factRef": "f2", "body": "Ana lived in Lyon before.", "who": {"customerId": "ana"}, "state": "gone"},
 {"factRef": "f3", "body": "Bo likes tea in the morning.", "who": {"customerId": "bo"}, "state": "Activated"}
]}
"""


def test_from_an_unknown_export_to_the_first_verdict(tmux: Tmux, tmp_path: Path) -> None:
    """The assistant proposes, is corrected, writes mapping.toml; a question is asked: all in the terminal."""
    export = tmp_path / "facts.json"
    export.write_text(UNKNOWN)
    tmux.start(sys.executable, "-m", "inspector", "open", str(export))
    tmux.wait_for("not recognised (its fields: exported, facts)")
    screen = tmux.wait_for("ctrl+s writes mapping.toml")
    assert "who.customerId" in screen
    # the third record is another owner's: scope 0; "gone" is no word of ours: lifecycle ?
    assert [line.split()[3:6] for line in screen.splitlines() if " f3 " in line] == [["0", "?", "1"]]
    second = [line for line in screen.splitlines() if " f2 " in line]
    assert "1 ? ? ? unresolved" in second[0]
    tmux.keys("End", "Home", "Down", "Down", "Down", "Down", "Enter")  # list, id, text, namespace, status
    tmux.wait_for("status: where it comes from")
    tmux.keys("Tab")
    tmux.run("send-keys", "-l", "active")
    tmux.keys("Enter")
    tmux.wait_for('constant "active"')
    screen = tmux.wait_for("ctrl+s writes mapping.toml")
    assert "1 ? 1 ? unresolved" in next(line for line in screen.splitlines() if " f2 " in line)
    tmux.keys("C-s")
    tmux.wait_for("Write the mapping")
    tmux.keys("Enter")
    tmux.wait_for("no queries in this store: + asks one")
    assert '"status" = "active"' in (tmp_path / "mapping.toml").read_text()
    tmux.keys("r")
    tmux.wait_for("Retrieval route")
    tmux.keys("Home", "Down", "Down", "Enter")
    tmux.wait_for("global_bm25 k 20")
    tmux.keys("+")
    tmux.wait_for("who asks; up and down")
    tmux.run("send-keys", "-l", "where does Ana live")
    tmux.keys("Tab")
    tmux.run("send-keys", "-l", "ana")
    tmux.keys("Tab", "Tab", "Down", "Enter")
    tmux.wait_for("asked ask-1")
    tmux.wait_for("✓ 0 ✗ 1 ? 2")  # f3, below the others, is Bo's
    screen = tmux.wait_for("2 f1")  # the lowest row: those above it are painted
    assert "? unresolved" in row_of(screen, " f1 ")
    assert "? unresolved" in row_of(screen, " f2 ")
    tmux.keys("q")
    assert tmux.exit_status() == "0"
    assert export.read_text() == UNKNOWN


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
