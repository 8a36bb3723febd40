"""How far a learner has come, in one small file of the data folder; a broken one costs the marks and nothing else."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path

import msgspec

from inspector.places import lessons_dir
from inspector.store.places import write_atomically


@dataclass(frozen=True, slots=True)
class Progress:
    """Of one lesson: the step that it was left at, and the ids of the steps that were done."""

    at: str = ""
    done: tuple[str, ...] = ()


class _Line(msgspec.Struct):
    at: str = ""
    done: list[str] = []


def _file() -> Path:
    return lessons_dir() / "progress.json"


def _read() -> dict[str, _Line]:
    try:
        return msgspec.json.decode(_file().read_bytes(), type=dict[str, _Line])
    except (OSError, ValueError, msgspec.MsgspecError):
        return {}


def progress_of(key: str) -> Progress:
    """How far a lesson was done; nothing of it where it was never begun."""
    line = _read().get(key, _Line())
    return Progress(line.at, tuple(line.done))


def keep(key: str, progress: Progress) -> None:
    """Write it down. Best effort: marks that cannot be written never stop a lesson."""
    lines = _read()
    lines[key] = _Line(progress.at, list(progress.done))
    with contextlib.suppress(OSError):
        _file().parent.mkdir(parents=True, exist_ok=True)
        write_atomically(_file(), msgspec.json.format(msgspec.json.encode(lines), indent=1))


def forget(key: str) -> None:
    """Take a lesson's marks away."""
    lines = _read()
    if lines.pop(key, None) is not None:
        with contextlib.suppress(OSError):
            write_atomically(_file(), msgspec.json.format(msgspec.json.encode(lines), indent=1))
