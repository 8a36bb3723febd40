"""Work that gets killed. Run as a script it is a nursery: it forks one child for each line it reads.

A forked child starts in milliseconds, where a fresh interpreter would need half a second for its imports. The child
appends ``done N`` to a file after each piece of work that was reported as done. A line reads
``MODE TAB WORKSPACE TAB LOG``; the nursery answers with the child's pid, and later ``gone`` when the child has ended.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb  # noqa: F401 - imported before forking; no connection is made in the nursery
import numpy as np
import numpy.typing as npt

from inspector.records import ABSENT, Bundle, Memory, Origin, Settings, Uid
from inspector.store import Change, EditLog, Workspace

BATCH = 16
DIM = 48
RECORDS = 100


def edits_of(step: int) -> list[Change]:
    """The edits that step makes: two fields in one group."""
    target = Uid('"ns"', f"m{step}")
    return [
        Change("memory", target, "status", "active", f"s{step}"),
        Change("memory", target, "sensitivity", 1, ABSENT),
    ]


def is_undo(step: int) -> bool:
    """Whether the step is an undo instead."""
    return step % 5 == 4


def bundle_of(version: int) -> Bundle:
    """The source as of a version: each record and its mark carry the version."""
    memories = [
        Memory(
            {
                "id": f"m{i}",
                "text": f"text {i} of {version}",
                "boundary_log": [{"state": "active", "cause": str(version)}],
            },
            Origin("memories.jsonl", i + 1),
        )
        for i in range(RECORDS + version)
    ]
    return Bundle(memories, [], [], Settings(), f"version {version}", "jsonl")


def hashes_of(step: int) -> list[str]:
    """The hashes of the step's batch of vectors."""
    return [f"{step}-{i}" for i in range(BATCH)]


def vectors_of(step: int) -> npt.NDArray[np.float32]:
    """The step's batch of vectors."""
    rows = np.arange(BATCH, dtype=np.float32)[:, None] / np.float32(BATCH)
    return np.ones((BATCH, DIM), dtype=np.float32) * np.float32(step) + rows


def _edit(workspace: Workspace, start: int) -> Iterator[int]:
    log = EditLog(workspace)
    step = start
    while True:
        if is_undo(step):
            log.undo()
        else:
            log.append(edits_of(step))
        yield step
        step += 1


def _import(workspace: Workspace, start: int) -> Iterator[int]:
    step = start
    while True:
        workspace.save_bundle(f"v{step}", bundle_of(step))
        yield step
        step += 1


def _encode(workspace: Workspace, start: int) -> Iterator[int]:
    step = start
    while True:
        workspace.put_vectors(hashes_of(step), "model", vectors_of(step))
        yield step
        step += 1


WORK: dict[str, Callable[[Workspace, int], Iterator[int]]] = {"edit": _edit, "import": _import, "encode": _encode}


def work(mode: str, path: Path, log: Path) -> None:
    """Work without end, closing and opening the workspace now and then so that a kill can hit those too."""
    done = 0
    shown = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    while True:
        with Workspace.open(path) as workspace:
            for step in WORK[mode](workspace, done):
                done = step + 1
                os.write(shown, f"done {done}\n".encode())
                if done % 5 == 0:
                    break


def main() -> None:
    """The nursery."""
    for line in sys.stdin:
        mode, path, log = line.rstrip("\n").split("\t")
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            try:
                work(mode, Path(path), Path(log))
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)
        print(pid, flush=True)
        _, status = os.waitpid(pid, 0)
        print("gone" if os.WIFSIGNALED(status) else "fell over", flush=True)


if __name__ == "__main__":
    main()
