"""The workspace: one DuckDB file with the imported records, vectors, the log of edits and kept results (DESIGN 9, 12).

Threads: every method may be called from any thread. Each call works on a connection of its own, taken from a pool, so
that an edit on one thread never waits for a load on another; the tables they write are different ones.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from inspector.confinement import check_write
from inspector.errors import InspectorError
from inspector.i18n import N_, _
from inspector.records import Bundle, Memory, OnProgress
from inspector.store import bundles, places, vectors
from inspector.store.bundles import SaveReport
from inspector.store.rows import first

if TYPE_CHECKING:
    import duckdb

#: Version of the tables below. A file of another version is refused, never changed.
SCHEMA = 1
_MARK = "inspector workspace"
_TABLES = (
    "CREATE TABLE meta (key VARCHAR, value VARCHAR)",
    "CREATE TABLE bundle (gen INTEGER, fingerprint VARCHAR, body VARCHAR, saved_at VARCHAR)",
    "CREATE TABLE memories (gen INTEGER, ord INTEGER, uid VARCHAR, fields VARCHAR, file VARCHAR, line INTEGER)",
    "CREATE TABLE queries (gen INTEGER, ord INTEGER, uid VARCHAR, fields VARCHAR, file VARCHAR, line INTEGER)",
    "CREATE TABLE judgments (gen INTEGER, ord INTEGER, body VARCHAR)",
    "CREATE TABLE vectors (hash VARCHAR, model VARCHAR, dim INTEGER, vector BLOB)",
    "CREATE TABLE edits (seq BIGINT, grp BIGINT, made_at VARCHAR, action VARCHAR, kind VARCHAR, target VARCHAR,"
    " field VARCHAR, old VARCHAR, new VARCHAR, base VARCHAR, ref BIGINT)",
    "CREATE TABLE results (kind VARCHAR, key VARCHAR, payload BLOB, kept_at VARCHAR)",
    "CREATE TABLE counters (name VARCHAR, value BIGINT)",
)
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    # The file comes from anywhere: nothing in it may reach the network or other files.
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "enable_external_access": False,
    # A checkpoint rewrites whole row groups and stalls commits for seconds while vectors come in; one at close is
    # enough, and a log of this size is replayed in under two seconds after a crash.
    "checkpoint_threshold": "1GB",
    # Not locked, since saving sets a limit of memory: external access cannot be turned on again in any case, and
    # nothing in the file can run a statement.
}
#: What DuckDB may hold while an import is saved. It would keep everything until the end, with each text twice.
_SAVE_MEMORY = "256MB"
_ADVICE = N_("move it away or give another file with --workspace")


class WorkspaceHeld(InspectorError):
    """The workspace is open elsewhere. ``pid`` is the process that holds it, None where the system does not say."""

    def __init__(self, path: Path, pid: int | None) -> None:
        if pid == os.getpid():
            who = _("is already open in this program: close it first")
        else:
            who = _("is in use by another process{value}: close it there").format(
                value="" if pid is None else _(" (pid {pid})").format(pid=pid)
            )
        super().__init__(
            _("the workspace {path} {who}, or work in a private temporary workspace").format(path=path, who=who)
        )
        self.path = path
        self.pid = pid


class Workspace:
    """One open workspace file. Use :meth:`open`, :meth:`for_sources` or :meth:`temporary`; close it when done."""

    def __init__(self, path: Path, connection: duckdb.DuckDBPyConnection, sources: Sequence[Path], private: bool):
        self.path = path
        self.sources = tuple(sources)
        self.is_temporary = private
        #: How the sources were read, as JSON values, for the list of recent workspaces.
        self.opened_with: Mapping[str, Any] = {}
        #: Says how many edits are in force, for the list of recent workspaces; set by the edit log.
        self.count_edits: Callable[[], int] = lambda: 0
        self._root = connection
        self._idle: list[duckdb.DuckDBPyConnection] = []
        self._lock = threading.Lock()
        self._bundle_lock = threading.Lock()
        self._vectors_lock = threading.Lock()
        self._results_lock = threading.Lock()
        self._closed = False
        self._shown: tuple[str, int, int] | None = None

    @classmethod
    def open(cls, path: Path, sources: Sequence[Path] = ()) -> Workspace:
        """Open the workspace file, making it where there is none.

        Raises WorkspaceHeld where it is open elsewhere, and InspectorError where it cannot be used: it lies in a
        source, is no workspace, is broken, or is of a newer version. The file is never removed or replaced.
        """
        path = Path(os.path.abspath(path.expanduser()))
        places.refuse_inside(path, sources)
        return cls._open(path, sources, private=False)

    @classmethod
    def for_sources(cls, sources: Sequence[Path], workspace: Path | None = None) -> Workspace:
        """Open the given workspace, else the one that belongs to these sources in the user's data folder."""
        if workspace is not None:
            return cls.open(workspace, sources)
        return cls._open(places.default_path(sources), sources, private=False)

    @classmethod
    def temporary(cls, sources: Sequence[Path] = ()) -> Workspace:
        """A private workspace that is removed when it is closed; those left by dead processes are removed now."""
        return cls._open(places.new_temporary_path(), sources, private=True)

    @classmethod
    def _open(cls, path: Path, sources: Sequence[Path], private: bool) -> Workspace:
        check_write(path)
        if not places.claim(path):
            raise WorkspaceHeld(path, os.getpid())
        try:
            connection = _begin(path) if private else _open_whole(path)
        except BaseException:
            places.release(path)
            raise
        return cls(path, connection, sources, private)

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Write everything into the one file and let go of it; a temporary workspace is removed. May be repeated."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            idle, self._idle = self._idle, []
        self._remember()
        for cursor in idle:
            cursor.close()
        if not self.is_temporary:
            # Refused while another thread still writes; DuckDB then does it when the last connection closes.
            with contextlib.suppress(Exception):
                self._root.execute("CHECKPOINT")
        self._root.close()
        places.release(self.path)
        if self.is_temporary:
            places.remove_database(self.path)

    @contextlib.contextmanager
    def cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection for the calling thread; each statement commits by itself.

        Raises InspectorError where the disk or memory gives out or the file is found broken.
        """
        import duckdb

        with self._lock:
            if self._closed:
                raise RuntimeError(_("the workspace {path} is closed").format(path=self.path))
            cursor = self._idle.pop() if self._idle else self._root.cursor()
        clean = False
        try:
            yield cursor
            clean = True
        except (duckdb.ProgrammingError, duckdb.DataError, duckdb.IntegrityError, duckdb.ResourceInUseException):
            raise  # a fault of ours
        except duckdb.Error as error:
            raise InspectorError(
                _("the workspace {path} could not be used: {first_line}").format(
                    path=self.path, first_line=_first_line(error)
                )
            ) from error
        finally:
            with self._lock:
                keep = clean and not self._closed  # after an exception an answer may be half fetched
                if keep:
                    self._idle.append(cursor)
            if not keep:
                cursor.close()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection inside a transaction: on disk at the end, or nothing of it after an exception."""
        with self.cursor() as cursor:
            cursor.begin()
            try:
                yield cursor
                cursor.commit()
            except BaseException:
                with contextlib.suppress(Exception):  # the transaction may already be gone
                    cursor.rollback()
                raise

    def fingerprint(self) -> str | None:
        """The fingerprint of the source as it was last imported, or None."""
        with self.cursor() as cursor:
            return bundles.fingerprint(cursor)

    def save_bundle(
        self,
        fingerprint: str,
        bundle: Bundle,
        on_progress: OnProgress | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> SaveReport:
        """Keep the bundle in place of the one before, in one transaction, and say what is new, changed and gone.

        Edits are kept: they belong to uids. Raises Cancelled, leaving what was there.
        """
        import duckdb

        def save() -> SaveReport:
            with self.transaction() as cursor:
                return bundles.save(cursor, fingerprint, bundle, _now(), on_progress, cancelled)

        with self._bundle_lock:
            try:
                with self._little_memory():
                    report = save()
            except InspectorError as error:
                if not isinstance(error.__cause__, duckdb.OutOfMemoryException | duckdb.TransactionException):
                    raise
                report = save()  # records too large for the limit: what memory there is
        self._shown = (bundle.name, len(bundle.memories), len(bundle.queries))
        self._remember()
        return report

    @contextlib.contextmanager
    def _little_memory(self) -> Iterator[None]:
        """Meanwhile DuckDB moves what it holds above :data:`_SAVE_MEMORY` to the disk."""
        import duckdb

        with self.cursor() as cursor, contextlib.suppress(duckdb.OutOfMemoryException):  # more is in use: leave it
            cursor.execute(f"SET memory_limit = '{_SAVE_MEMORY}'")
        try:
            yield
        finally:
            with self.cursor() as cursor:
                cursor.execute("RESET memory_limit")

    def load_bundle(self, fingerprint: str, on_progress: OnProgress | None = None) -> Bundle | None:
        """The bundle kept under this fingerprint, without edits; None if the source has changed or is not kept."""
        with self.transaction() as cursor:
            bundle = bundles.load(cursor, fingerprint, on_progress)
        if bundle is not None:
            self._shown = (bundle.name, len(bundle.memories), len(bundle.queries))
            self._remember()
        return bundle

    def kept_rows(self, fingerprint: str) -> KeptRows | None:
        """The memories of the bundle kept under this fingerprint, read as they are asked for; None as in load."""
        with self.cursor() as cursor:
            found = bundles.count_kept(cursor, fingerprint)
        return None if found is None else KeptRows(self, *found)

    def get_vectors(self, hashes: Sequence[str], model: str) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float32]]:
        """Which vectors are kept, (n,), and the vectors, (n, dim) float32 with zeros where none is kept.

        dim is 0 where none is found. Hashes may repeat.
        """
        with self.cursor() as cursor:
            return vectors.get(cursor, hashes, model)

    def put_vectors(self, hashes: Sequence[str], model: str, matrix: npt.NDArray[np.float32]) -> None:
        """Keep the vectors, (n, dim); those already kept stay. On disk when this returns.

        Raises ValueError for a matrix of another length, or another dim than the model's.
        """
        with self._vectors_lock, self.cursor() as cursor:
            vectors.put(cursor, hashes, model, matrix)

    def count_vectors(self, model: str) -> int:
        """How many vectors of the model are kept."""
        with self.cursor() as cursor:
            return vectors.count(cursor, model)

    def settle(self) -> None:
        """Move what was written into the main file now, so that closing need not: for a worker, after long writing.

        Nothing depends on it, and it is left for later where another thread is writing. Edits may wait for it.
        """
        import duckdb

        with self.cursor() as cursor, contextlib.suppress(duckdb.TransactionException):
            cursor.execute("CHECKPOINT")

    def put_result(self, kind: str, key: str, payload: bytes) -> None:
        """Keep a computed result under a kind and key, in place of an earlier one."""
        with self._results_lock, self.transaction() as cursor:
            cursor.execute("DELETE FROM results WHERE kind = ? AND key = ?", [kind, key])
            cursor.execute("INSERT INTO results VALUES (?, ?, ?, ?)", [kind, key, payload, _now()])

    def get_result(self, kind: str, key: str) -> bytes | None:
        """The result kept under the kind and key, or None."""
        with self.cursor() as cursor:
            found = first(cursor, "SELECT payload FROM results WHERE kind = ? AND key = ?", [kind, key])
        return None if found is None else bytes(found[0])

    def bump(self, name: str, by: int = 1) -> int:
        """Raise a counter, made at 0, and give its new value."""
        with self._results_lock, self.transaction() as cursor:
            found = first(cursor, "SELECT value FROM counters WHERE name = ?", [name])
            value = by + (0 if found is None else int(found[0]))
            cursor.execute("DELETE FROM counters WHERE name = ?", [name])
            cursor.execute("INSERT INTO counters VALUES (?, ?)", [name, value])
        return value

    def _remember(self) -> None:
        if self._shown is not None and not self.is_temporary:
            name, memories, queries = self._shown
            counts = memories, queries, self.count_edits()
            places.remember(places.Recent(self.path, self.sources, name, _now(), *counts, self.opened_with))


class KeptRows:
    """The memories that a workspace keeps, a few at a time: the first rows need not wait for the last (DESIGN 9)."""

    def __init__(self, workspace: Workspace, gen: int, count: int) -> None:
        self._workspace = workspace
        self._gen = gen
        self._count = count

    def __len__(self) -> int:
        return self._count

    def read(self, start: int, stop: int) -> list[Memory]:
        """The memories from ``start`` to ``stop`` as they were imported, without edits; milliseconds for a screenful.

        Raises InspectorError where the workspace cannot be read, RuntimeError once it is closed.
        """
        with self._workspace.cursor() as cursor:
            return bundles.window(cursor, self._gen, start, stop)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _first_line(error: Exception | str) -> str:
    return str(error).strip().partition("\n")[0]


def _begin(path: Path) -> duckdb.DuckDBPyConnection:
    """Make a private file, in a folder that is there, and stay in it: nobody opens it after a kill."""
    connection = _connect(path)
    try:
        _make_tables(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _open_whole(path: Path) -> duckdb.DuckDBPyConnection:
    """Open a file that others may open too, and make it first where there is none."""
    if not path.exists():
        _create(path)
    _check_header(path)
    connection = _connect(path)
    try:
        _check_schema(path, connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _make_tables(connection: duckdb.DuckDBPyConnection) -> None:
    connection.begin()
    for statement in _TABLES:
        connection.execute(statement)
    connection.execute("INSERT INTO meta VALUES ('mark', ?), ('schema', ?)", [_MARK, str(SCHEMA)])
    connection.commit()


def _create(path: Path) -> None:
    """Make the file under another name and give it its own when it is whole: a kill leaves no half-made workspace."""
    draft = places.draft_path(path)
    try:
        # For its owner alone: it holds what people told an agent.
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        places.sweep_drafts(path)
        connection = _connect(draft)
        try:
            _make_tables(connection)
        finally:
            connection.close()
        try:
            os.link(draft, path)
        except FileExistsError:
            pass  # another process made it meanwhile; its file is as good
        except OSError:  # no hard links here
            if not path.exists():
                os.rename(draft, path)
    except OSError as error:
        raise InspectorError(
            _("the workspace {path} cannot be made: {strerror}: give another place with --workspace").format(
                path=path, strerror=error.strerror
            )
        ) from None
    finally:
        places.remove_database(draft)


def _check_header(path: Path) -> None:
    """Look at the first bytes before DuckDB does: it would try to fetch a reader for files of other programs."""
    try:
        with path.open("rb") as file:
            head = file.read(12)
    except OSError as error:
        raise InspectorError(
            _("the workspace {path} cannot be read: {strerror}: {ADVICE}").format(
                path=path, strerror=error.strerror, ADVICE=_(_ADVICE)
            )
        ) from None
    if head[8:12] != b"DUCK":
        raise InspectorError(
            _("{path} is not a workspace (not a DuckDB file): it was left as it is; {ADVICE}").format(
                path=path, ADVICE=_(_ADVICE)
            )
        )


def _connect(path: Path) -> duckdb.DuckDBPyConnection:
    import duckdb

    try:
        return duckdb.connect(str(path), config=_CONFIG)
    except duckdb.Error as error:
        raise _explain(path, str(error)) from None


def _explain(path: Path, message: str) -> InspectorError:
    """What DuckDB's refusal to open the file means for the user."""
    lowered = message.replace(str(path), "").lower()
    if "could not set lock" in lowered or "conflicting lock" in lowered or "used by another process" in lowered:
        pid = re.search(r"\(PID (\d+)\)", message, re.IGNORECASE)
        return WorkspaceHeld(path, int(pid[1]) if pid else None)
    if "version number" in lowered or "storage version" in lowered or "newer version" in lowered:
        return InspectorError(
            _(
                "the workspace {path} was written by another version of DuckDB than this "
                "program's: it was left as it is; update the program, or {ADVICE}"
            ).format(path=path, ADVICE=_(_ADVICE))
        )
    return InspectorError(
        _("the workspace {path} cannot be opened ({first_line}): it was left as it is; {ADVICE}").format(
            path=path, first_line=_first_line(message), ADVICE=_(_ADVICE)
        )
    )


def _check_schema(path: Path, connection: duckdb.DuckDBPyConnection) -> None:
    import duckdb

    try:
        meta = dict(connection.execute("SELECT key, value FROM meta").fetchall())
    except duckdb.CatalogException:
        meta = {}
    except duckdb.Error as error:
        raise _explain(path, str(error)) from None
    if meta.get("mark") != _MARK:
        raise InspectorError(
            _("{path} is a DuckDB file but not a workspace of this program: it was left as it is; {ADVICE}").format(
                path=path, ADVICE=_(_ADVICE)
            )
        )
    if meta.get("schema") != str(SCHEMA):
        raise InspectorError(
            _(
                "the workspace {path} is of version {get}, this program reads version "
                "{SCHEMA}: it was left as it is; use the program that made it, or {ADVICE}"
            ).format(path=path, get=meta.get("schema"), SCHEMA=SCHEMA, ADVICE=_(_ADVICE))
        )
