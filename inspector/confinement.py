"""Keeping a process to the bundled stores and to one folder of its own, for strangers in a browser (issue 9).

A served session runs :func:`confine` before anything of it is shown; it cannot be taken back. From then on

- the places that open what a user names ask :func:`check_read` and :func:`check_write`, and say in words why not;
- beneath them an audit hook of the interpreter refuses every open, listing, renaming and removal outside, every other
  program and every connection, whatever code asks for it. Paths are resolved first, so that neither ``..`` nor a
  symbolic link leads out. DuckDB opens files past the hook: what it reads was opened through Python just before, what
  it writes is the workspace, which asks :func:`check_write`.
"""

from __future__ import annotations

import errno
import mimetypes
import os
import sys
import urllib.parse
import zoneinfo
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspector.errors import InspectorError
from inspector.i18n import N_, _

_OUTSIDE = N_("lies outside of what this session may open: bundled stores and your own uploads")
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_LISTS = ("os.listdir", "os.scandir", "glob.glob")
_CHANGES = ("os.mkdir", "os.rmdir", "os.remove", "os.truncate", "os.chmod", "os.chown", "os.utime", "os.rename")
_NEVER = (
    *("os.link", "os.symlink", "os.chdir", "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn"),
    *("os.spawn", "pty.spawn", "socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo"),
)
#: What may be started where encoding is allowed: our own worker and nothing else.
_WORKER = "inspector.retrieval.encode_worker"


@dataclass(frozen=True, slots=True)
class Confinement:
    """What a process may open: ``own``, its folder, read and written; ``bundled``, read. ``uploads`` lies in ``own``
    and holds what the user brought. ``encodes``: it may start the encoder's process."""

    own: Path
    uploads: Path
    bundled: tuple[Path, ...]
    encodes: bool = False


_confinement: Confinement | None = None
_interpreter: tuple[str, ...] = ()


def confinement() -> Confinement | None:
    """What this process is confined to, None where it is free."""
    return _confinement


def confine(own: Path, uploads: Path, bundled: Iterable[Path], *, encodes: bool = False) -> None:
    """Confine this process from now on. Raises InspectorError where it is confined already."""
    global _confinement, _interpreter
    if _confinement is not None:
        raise InspectorError(_("this process is confined already"))
    _interpreter = tuple(_with_end(each) for each in _interpreter_places())
    real = tuple(Path(os.path.realpath(folder)) for folder in bundled)
    _confinement = Confinement(Path(os.path.realpath(own)), Path(os.path.realpath(uploads)), real, encodes)
    sys.addaudithook(_hook)


def _interpreter_places() -> Iterable[str]:
    """Where the interpreter itself reads: modules, time zones, and the few files that its library looks at."""
    import sysconfig

    package = os.path.dirname(os.path.realpath(__file__))
    folders = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    folders += [each for each in sys.path if "site-packages" in each or each.endswith((".zip", "lib-dynload"))]
    folders += [package, *zoneinfo.TZPATH]
    # The last one is read by threadpoolctl, to find the libraries whose threads it counts.
    files = ["/dev/null", "/dev/urandom", "/etc/localtime", *mimetypes.knownfiles, f"/proc/{os.getpid()}/maps"]
    return dict.fromkeys(os.path.realpath(each) for each in [*folders, *files] if each)


def _with_end(path: str) -> str:
    return path if not os.path.isdir(path) else path.rstrip(os.sep) + os.sep


def _inside(path: str, folder: Path) -> bool:
    return path == str(folder) or path.startswith(str(folder) + os.sep)


def _real(path: Any) -> str:
    return os.path.realpath(os.fsdecode(path))


def check_read(path: Path | str) -> None:
    """Refuse a path that a user named and that may not be read. Raises InspectorError; nothing where not confined."""
    held = _confinement
    if held is not None:
        real = _real(path)
        if not any(_inside(real, folder) for folder in (held.own, *held.bundled)):
            raise InspectorError(f"{path}: {_(_OUTSIDE)}")


def check_write(path: Path | str) -> None:
    """Refuse a path that a user named and that may not be written. Raises InspectorError; nothing where not
    confined."""
    held = _confinement
    if held is not None and not _inside(_real(path), held.own):
        raise InspectorError(
            _("{path}: lies outside of your own folder {uploads}").format(path=path, uploads=held.uploads)
        )


def check_network() -> None:
    """Refuse a connection. Raises InspectorError; nothing where not confined."""
    if _confinement is not None:
        raise InspectorError(_("this session may not connect to anything: bundled stores and your own uploads only"))


def check_encoder() -> None:
    """Refuse to start the encoder where a session may not. Raises InspectorError; nothing where not confined."""
    if _confinement is not None and not _confinement.encodes:
        raise InspectorError(
            _(
                "texts are not encoded in this session: choose a lexical route such as namespace_bm25 (inspector serve "
                "--encode allows it)"
            )
        )


def _refuse(what: str) -> None:
    raise PermissionError(errno.EACCES, _(_OUTSIDE), what)


def _hook(event: str, args: tuple[Any, ...]) -> None:
    """The audit hook; called for every event of the interpreter, so that it must be quick for those of no concern."""
    held = _confinement
    if held is None:
        return
    if event == "open":
        path, mode, flags = args
        if isinstance(path, str | bytes | os.PathLike):
            writes = any(sign in mode for sign in "wxa+") if isinstance(mode, str) else bool((flags or 0) & _WRITES)
            _check(held, _real(path), writes=writes)
    elif event in _LISTS:
        if not isinstance(args[0], int):
            _check(held, _real(args[0] if args[0] is not None else "."), writes=False)
    elif event in _CHANGES:
        for path in args[: 2 if event == "os.rename" else 1]:
            if isinstance(path, str | bytes | os.PathLike):
                _check(held, _real(path), writes=True)
    elif event == "sqlite3.connect":
        name = os.fsdecode(args[0])
        if name != ":memory:":
            bare = urllib.parse.unquote(name.removeprefix("file:").partition("?")[0])
            _check(held, _real(bare), writes=False)
    elif event == "subprocess.Popen":
        executable, command = args[0], args[1]
        ours = held.encodes and executable == sys.executable and list(command[1:3]) == ["-m", _WORKER]
        if not ours:
            _refuse(str(executable))
    elif event in _NEVER:
        _refuse(event)


def _check(held: Confinement, real: str, *, writes: bool) -> None:
    if _inside(real, held.own):
        return
    if writes and real != "/dev/null":
        _refuse(real)
    if any(_inside(real, folder) for folder in held.bundled):
        return
    if not any(
        real == each or real.startswith(each) if each.endswith(os.sep) else real == each for each in _interpreter
    ):
        _refuse(real)
