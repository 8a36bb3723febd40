"""Where workspaces stand on disk, which of them this process has open, and the list of recent ones (DESIGN 12).

The list is one small JSON file a workspace, written atomically, so that it can be read without opening any database,
two processes never write the same file, and a broken one costs only its own line.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import platformdirs

from inspector import addresses
from inspector.errors import InspectorError
from inspector.i18n import _
from inspector.places import data_dir

SUFFIX = ".duckdb"


def data_folder() -> Path:
    """The user's data folder of this program."""
    return data_dir()


def workspaces_folder() -> Path:
    """Where workspaces are kept that were not given a place."""
    return data_folder() / "workspaces"


def temporary_folder() -> Path:
    """Where private temporary workspaces are kept while they are open."""
    return Path(platformdirs.user_cache_dir("inspector", appauthor=False)) / "temporary"


def default_path(sources: Sequence[Path]) -> Path:
    """The workspace of these sources: a readable stem and a hash of their absolute paths or addresses, whatever
    their order."""
    real = sorted(addresses.real(source) for source in sources)
    digest = hashlib.blake2s("\0".join(real).encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    stem = re.sub(r"[^\w.-]+", "-", Path(real[0]).stem, flags=re.ASCII).strip("-.")[:40] if real else ""
    return workspaces_folder() / f"{stem or 'store'}-{digest}{SUFFIX}"


def refuse_inside(path: Path, sources: Sequence[Path]) -> None:
    """Refuse a workspace that is a source or lies in a source's folder: a source is never written (DESIGN 9)."""
    place = Path(os.path.realpath(path))
    for source in sources:
        if addresses.is_address(source):
            continue
        real = Path(os.path.realpath(source))
        if place == real or (real.is_dir() and place.is_relative_to(real)):
            raise InspectorError(
                _(
                    "{path}: the workspace would lie in the source {source}, which is never "
                    "written: give another place with --workspace"
                ).format(path=path, source=source)
            )


_open: set[str] = set()
_open_lock = threading.Lock()


def claim(path: Path) -> bool:
    """Mark the file as open in this process; False if it already is.

    While it is marked nothing may open and close the file besides DuckDB: on POSIX systems closing any descriptor of
    a file drops the process's locks on it.
    """
    key = os.path.realpath(path)
    with _open_lock:
        if key in _open:
            return False
        _open.add(key)
        return True


def release(path: Path) -> None:
    """Undo :func:`claim`."""
    with _open_lock:
        _open.discard(os.path.realpath(path))


def files_of(path: Path) -> tuple[Path, ...]:
    """The database file and those that DuckDB may keep beside it."""
    return path, path.with_name(path.name + ".wal"), path.with_name(path.name + ".wal.recovery")


def remove_database(path: Path) -> None:
    """Remove a private database and what stands beside it; what cannot be removed is left for the next sweep."""
    for file in files_of(path):
        with contextlib.suppress(OSError):
            file.unlink(missing_ok=True)


def new_temporary_path() -> Path:
    """A fresh path for a private workspace that names its process; the leavings of dead processes are removed."""
    folder = temporary_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError:
        folder = Path(tempfile.mkdtemp(prefix="inspector-"))
    sweep(folder)
    return folder / f"{os.getpid()}-{secrets.token_hex(4)}{SUFFIX}"


def sweep(folder: Path) -> None:
    """Remove temporary workspaces whose process is gone and that nothing holds."""
    for file in folder.glob(f"*{SUFFIX}*"):
        pid, dash, _ = file.name.partition("-")
        if dash and pid.isdecimal() and not _is_alive(int(pid)) and not _is_locked(file):
            with contextlib.suppress(OSError):
                file.unlink(missing_ok=True)


def draft_path(path: Path) -> Path:
    """Where this thread makes the workspace before it gets its name."""
    return path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.new")


def sweep_drafts(path: Path) -> None:
    """Remove what processes that are gone left of making this workspace."""
    start = f".{path.name}."
    for name in os.listdir(path.parent):
        pid = name.removeprefix(start).partition("-")[0]
        if name.startswith(start) and ".new" in name and pid.isdecimal() and not _is_alive(int(pid)):
            with contextlib.suppress(OSError):
                path.with_name(name).unlink(missing_ok=True)


def _is_alive(pid: int) -> bool:
    if os.name != "posix":  # Signal 0 would end a process elsewhere; there an open file cannot be removed anyway.
        return pid == os.getpid()
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OverflowError, OSError):
        return True
    return True


def _is_locked(file: Path) -> bool:
    """Whether another process holds the file. Guards against process ids that mean nothing here (containers)."""
    if os.name != "posix":
        return False
    import fcntl

    try:
        with file.open("rb+") as handle:
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return file.exists()
    return False


@dataclass(frozen=True)
class Recent:
    """One line of the list of recent workspaces; counts are those of its last use, times ISO 8601 in UTC.

    ``options`` say how the sources were read, as JSON values.
    """

    path: Path
    sources: tuple[Path, ...]
    name: str
    last_opened: str
    memories: int
    queries: int
    edits: int
    options: Mapping[str, Any] = field(default_factory=dict)


class _Line(msgspec.Struct):
    path: str
    sources: list[str]
    name: str
    last_opened: str
    memories: int
    queries: int
    edits: int
    options: dict[str, Any] = {}  # lines of before know none


def _recent_folder() -> Path:
    return data_folder() / "recent"


def remember(recent: Recent) -> None:
    """Write the workspace's line. Best effort: a list that cannot be written never stops the work."""
    path = os.path.realpath(recent.path)
    line = _Line(
        _plain(path),
        [_plain(addresses.absolute(source)) for source in recent.sources],
        _plain(recent.name),
        recent.last_opened,
        recent.memories,
        recent.queries,
        recent.edits,
        {name: _plain(value) if isinstance(value, str) else value for name, value in recent.options.items()},
    )
    key = hashlib.blake2s(path.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
    folder = _recent_folder()
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / f"{key}.json", msgspec.json.encode(line))


def _plain(text: str) -> str:
    # Names that are not UTF-8 reach Python as lone surrogates, which JSON cannot carry; shown, not opened, from here.
    return text.encode("utf-8", "replace").decode()


def write_atomically(path: Path, data: bytes) -> None:
    """Write the file whole or not at all."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".new")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def recent() -> list[Recent]:
    """The workspaces used before that still exist, the latest first; unreadable lines are passed over."""
    found = list(_read_lines())
    return sorted(found, key=lambda line: (line.last_opened, str(line.path)), reverse=True)


def _read_lines() -> Iterator[Recent]:
    for file in sorted(_recent_folder().glob("*.json")):
        try:
            line = msgspec.json.decode(file.read_bytes(), type=_Line)
            path = Path(line.path)
            if path.is_file():
                sources = tuple(Path(source) for source in line.sources)
                counts = line.memories, line.queries, line.edits
                yield Recent(path, sources, line.name, line.last_opened, *counts, line.options)
        except (OSError, ValueError, msgspec.MsgspecError):
            continue
