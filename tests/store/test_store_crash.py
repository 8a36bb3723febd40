"""Killing the program at random points of an edit, an import and an encoding loses nothing shown as done."""

from __future__ import annotations

import importlib.util
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from inspector.records import ABSENT, Uid
from inspector.store import Difference, EditLog, Key, Workspace

#: Kills of each kind of work.
RUNS = int(os.environ.get("INSPECTOR_CRASH_RUNS", "50"))
#: A kill comes after a drawn number of pieces of work up to this, so that machines of any speed test the same.
MOST = 8
#: And then within this many seconds: opening takes some 40 ms, a piece of work 1 to 15 ms.
SPREAD = 0.02
OPENING = 0.06
CHILD = Path(__file__).with_name("crash_child.py")

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")


def _load_child() -> ModuleType:
    spec = importlib.util.spec_from_file_location("crash_child", CHILD)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


child = _load_child()


class Nursery:
    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(CHILD)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def _answer(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def run_and_kill(self, mode: str, path: Path, log: Path, pieces: int, after: float) -> int:
        """Let a child report some pieces of work, kill it a moment later, give the number of its last report."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{mode}\t{path}\t{log}\n")
        self.process.stdin.flush()
        pid = int(self._answer())
        patience = time.monotonic() + 60
        while _reported(log) < pieces and time.monotonic() < patience:
            time.sleep(0.001)
        time.sleep(after)
        os.kill(pid, signal.SIGKILL)
        assert self._answer() == "gone"
        return _reported(log)


def _reported(log: Path) -> int:
    lines = log.read_text().splitlines() if log.exists() else []
    return int(lines[-1].split()[1]) if lines else 0


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    made = Nursery()
    yield made
    assert made.process.stdin is not None
    made.process.stdin.close()
    made.process.wait(timeout=20)


def _kills(nursery: Nursery, mode: str, folder: Path) -> Iterator[tuple[Path, int]]:
    draw = random.Random(mode)
    made = folder / "made.duckdb"
    Workspace.open(made).close()
    for run in range(RUNS):
        path, log = folder / f"{run}.duckdb", folder / f"{run}.log"
        pieces = draw.randint(0, MOST)
        if pieces:  # only a kill before the first piece of work can hit the making of the file
            shutil.copyfile(made, path)
        done = nursery.run_and_kill(mode, path, log, pieces, draw.uniform(0, SPREAD if pieces else OPENING))
        assert done >= pieces
        if path.exists():
            yield path, done
        else:
            assert done == 0


def _expected(steps: int) -> dict[Key, object]:
    """The overlay after some steps of the child's edits, from the meaning of undo alone."""
    stack: list[int] = []
    for step in range(steps):
        if child.is_undo(step):
            stack.pop()
        else:
            stack.append(step)
    overlay: dict[Key, object] = {}
    for step in stack:
        overlay[Key("memory", Uid('"ns"', f"m{step}"), "status")] = f"s{step}"
        overlay[Key("memory", Uid('"ns"', f"m{step}"), "sensitivity")] = ABSENT
    return overlay


def test_killed_edits_keep_what_was_done(nursery: Nursery, tmp_path: Path) -> None:
    for path, done in _kills(nursery, "edit", tmp_path):
        with Workspace.open(path) as workspace:
            log = EditLog(workspace)
            overlay = log.overlay()
            # The step that was under way is there whole or not at all.
            assert overlay in (_expected(done), _expected(done + 1))
            assert log.state() == overlay
            log.append(child.edits_of(10_000))
            assert len(log.overlay()) == len(overlay) + 2


def test_killed_import_leaves_the_last_one_whole(nursery: Nursery, tmp_path: Path) -> None:
    for path, done in _kills(nursery, "import", tmp_path):
        with Workspace.open(path) as workspace:
            fingerprint = workspace.fingerprint()
            if fingerprint is None:
                assert done == 0
                continue
            version = int(fingerprint.removeprefix("v"))
            assert version in (done - 1, done)
            bundle = workspace.load_bundle(fingerprint)
            assert bundle is not None
            wanted = child.bundle_of(version)
            assert [memory.fields for memory in bundle.memories] == [memory.fields for memory in wanted.memories]
            # Nothing of an unfinished import is left to be mixed into the next: one more record, all others changed.
            report = workspace.save_bundle("next", child.bundle_of(version + 1))
            assert report.memories == Difference(new=1, changed=len(wanted.memories), gone=0, same=0)
            following = workspace.load_bundle("next")
            assert following is not None
            assert len(following.memories) == len(wanted.memories) + 1


def test_killed_encoding_keeps_what_was_stored(nursery: Nursery, tmp_path: Path) -> None:
    for path, done in _kills(nursery, "encode", tmp_path):
        with Workspace.open(path) as workspace:
            hashes = [key for step in range(done) for key in child.hashes_of(step)]
            found, matrix = workspace.get_vectors(hashes, "model")
            assert found.all()
            if done:
                assert np.array_equal(matrix, np.concatenate([child.vectors_of(step) for step in range(done)]))
            under_way, _ = workspace.get_vectors(child.hashes_of(done), "model")
            assert under_way.all() or not under_way.any()
