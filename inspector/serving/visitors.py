"""One visitor: a folder of their own, a process in it, and what they upload; all gone when they leave (issue 9)."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import shutil
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

from inspector.i18n import _

#: Names of uploaded files: no path, no hidden file, no sign that a pattern or a terminal reads.
_NAME = re.compile(r"\w[\w .()-]{0,119}")
#: What a visitor's process sees of the server's environment: nothing that may be a secret.
_PASSED = ("PATH", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "SYSTEMROOT")
#: Seconds that a process is given to end by itself, then to end when it is asked by the system.
_PATIENCE = 3.0


class UploadRefused(Exception):
    """An upload that cannot be taken; the words are for the visitor."""


class Visitor(AppService):
    """A visitor's process. ``folder`` is made at the start and removed at the end, whatever lies in it."""

    def __init__(
        self,
        folder: Path,
        settings: Mapping[str, Any],
        *,
        write_bytes: Callable[[bytes], Awaitable[None]],
        write_str: Callable[[str], Awaitable[None]],
        close: Callable[[], Awaitable[None]],
        download_manager: DownloadManager,
    ) -> None:
        super().__init__(
            "inspector", write_bytes=write_bytes, write_str=write_str, close=close, download_manager=download_manager
        )
        self.folder = folder
        self._settings = settings
        self._ending = False

    @property
    def uploads(self) -> Path:
        """Where the visitor's own files go."""
        return self.folder / "files"

    @property
    def pid(self) -> int | None:
        """The process's id while it runs."""
        return None if self._process is None or self._process.returncode is not None else self._process.pid

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        self.folder.mkdir(mode=0o700)
        for name in ("config", "data", "cache", "state", "temporary", "files"):
            (self.folder / name).mkdir(mode=0o700)
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "inspector.serving.visitor",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=self._build_environment(width, height),
            cwd=self.uploads,
            start_new_session=True,
        )
        self._stdin = self._process.stdin
        return self._process

    def _build_environment(self, width: int = 80, height: int = 24) -> dict[str, str]:
        made = super()._build_environment(width, height)
        kept = {
            name: value for name, value in made.items() if name in _PASSED or name.startswith(("TEXTUAL_", "TERM_"))
        }
        root = str(Path(__file__).resolve().parents[2])
        folders = {f"XDG_{name.upper()}_HOME": str(self.folder / name) for name in ("config", "data", "cache", "state")}
        return {
            **kept,
            **folders,
            "COLUMNS": str(width),
            "ROWS": str(height),
            "HOME": str(self.folder),
            "TMPDIR": str(self.folder / "temporary"),
            "PYTHONPATH": os.pathsep.join(filter(None, [root, kept.get("PYTHONPATH", "")])),
            "PYTHONDONTWRITEBYTECODE": "1",
            "INSPECTOR_VISITOR": json.dumps({**self._settings, "folder": str(self.folder)}),
        }

    async def end(self) -> None:
        """End the process, in good order where it can, and remove the folder."""
        if self._ending:
            return
        self._ending = True
        process = self._process
        if process is not None and process.returncode is None:
            with contextlib.suppress(ConnectionError):
                await self.send_meta({"type": "quit"})
            for stop in (process.terminate, process.kill):
                try:
                    await asyncio.wait_for(process.wait(), _PATIENCE)
                    break
                except TimeoutError:
                    with contextlib.suppress(ProcessLookupError):
                        stop()
            await process.wait()
        if self._task is not None:
            with contextlib.suppress(TimeoutError, asyncio.CancelledError):
                await asyncio.wait_for(self._task, _PATIENCE)
            self._task = None
        await asyncio.to_thread(shutil.rmtree, self.folder, True)

    async def take(self, name: str, chunks: AsyncIterator[bytes], most: int) -> int:
        """Write an uploaded file, of at most ``most`` bytes with all others together; its size.

        Raises UploadRefused for a name that is none, and for too much.
        """
        if not _NAME.fullmatch(name) or name.endswith((" ", ".")):
            raise UploadRefused(_("a file name of letters, digits, blanks and . ( ) _ - is expected"))
        path = self.uploads / name
        held = sum(each.stat().st_size for each in self.uploads.iterdir() if each.is_file() and each != path)
        part = self.uploads / f".{name}.part"
        size = 0
        try:
            with part.open("wb") as file:
                async for chunk in chunks:
                    size += len(chunk)
                    if held + size > most:
                        raise UploadRefused(_("more than {most} MB of files").format(most=most // 1_000_000))
                    file.write(chunk)
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)
        return size
