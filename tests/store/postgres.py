"""A real PostgreSQL server for a test: started on loopback in a folder of its own, stopped and removed at the end."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

_PROGRAMS = ("initdb", "pg_ctl", "psql")


@dataclass(frozen=True)
class Server:
    """Where the server listens, and how to talk to it."""

    psql: str
    port: int

    def run(self, sql: str, database: str = "postgres") -> str:
        """Run a script in one session and give what it prints, values only; raises with psql's words on any error."""
        command = [self.psql, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(self.port)]
        done = subprocess.run(
            [*command, "-U", "tester", "-d", database, "-f", "-"],
            input=sql,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            env={**os.environ, "PGCLIENTENCODING": "UTF8"},
        )
        if done.returncode:
            raise AssertionError(done.stderr)
        return done.stdout


def _programs() -> dict[str, str]:
    found: dict[str, str] = {}
    places = [*sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True), *Path("/usr/pgsql").glob("*/bin")]
    for name in _PROGRAMS:
        path = shutil.which(name) or next((str(one / name) for one in places if (one / name).is_file()), None)
        if path is None:
            pytest.skip(f"no PostgreSQL server is installed here ({name} was not found): its dialect was not executed")
        found[name] = path
    return found


def _user() -> dict[str, Any]:
    """A server never runs as root: as root we start it as another user."""
    if os.geteuid() != 0:
        return {}
    import pwd

    names = {entry.pw_name for entry in pwd.getpwall()}
    for name in ("postgres", "nobody"):
        if name in names:
            return {"user": name, "group": pwd.getpwnam(name).pw_gid}
    pytest.skip("PostgreSQL does not run as root, and there is no other user to run it as")


@contextmanager
def server() -> Iterator[Server]:
    """Start a server of its own and stop it; skips with a clear message where none is installed."""
    programs = _programs()
    user = _user()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder = Path(tempfile.mkdtemp(prefix="inspector-pg-"))
    try:
        if user:
            shutil.chown(folder, user["user"], user["group"])
        data = folder / "data"
        quick = "-c fsync=off -c shared_buffers=1MB -c max_connections=5 -c autovacuum=off"
        listen = f"-c listen_addresses=127.0.0.1 -c unix_socket_directories='' -p {port} {quick}"

        def run(*command: str) -> None:
            done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=folder, **user)
            if done.returncode:
                log = folder / "log"
                raise AssertionError(done.stdout + done.stderr + (log.read_text() if log.exists() else ""))

        run(programs["initdb"], "-D", str(data), "-U", "tester", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        run(programs["pg_ctl"], "-D", str(data), "-o", listen, "-l", str(folder / "log"), "-w", "start")
        try:
            yield Server(programs["psql"], port)
        finally:
            run(programs["pg_ctl"], "-D", str(data), "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
