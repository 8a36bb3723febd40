"""The workspace: what goes in comes out, who may open it, and that nothing of the user's is ever destroyed."""

from __future__ import annotations

import math
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from inspector.errors import Cancelled, InspectorError, Problem
from inspector.records import (
    ABSENT,
    Bundle,
    FieldAccount,
    Judgment,
    Memory,
    Origin,
    Progress,
    Query,
    Settings,
    Uid,
)
from inspector.store import (
    Change,
    Difference,
    EditLog,
    Workspace,
    WorkspaceHeld,
    bundles,
)
from inspector.store.workspace import _explain
from inspector.times import Instant
from inspector.trit import Trit


def memory(memory_id: str, line: int | None = 1, **fields: Any) -> Memory:
    return Memory({"id": memory_id, "text": f"text of {memory_id}", **fields}, Origin("memories.jsonl", line))


def bundle(*memories: Memory, queries: tuple[Query, ...] = ()) -> Bundle:
    return Bundle(list(memories), list(queries), [], Settings(), "a store", "jsonl")


HOSTILE = "\x1b]0;x\x07 [/foo] \u202e\u200b \0 \ud800 '; DROP TABLE memories; --"


def rich_bundle() -> Bundle:
    memories = [
        memory("m1", 3, namespace="alice", status=None, keys={}, allowed_purposes=[], meta={"": None, "n": 2**70}),
        memory("m2", None, namespace=["t", "a"], embedding=[0.5, math.nan, None], source=""),
        memory(HOSTILE, namespaces=[["a"], "b"], boundary_log=[{"state": "active", "at": 0, "cause": HOSTILE}]),
        memory("m1", 9, namespace=HOSTILE, priority=1.0, verification_required=False),
    ]
    memories[2].rewrite(dict(memories[2].fields), Origin("caf\udce9.jsonl", 7))
    queries = [Query({"id": "q1", "text": HOSTILE, "recorded": {"events": []}}, Origin("queries.jsonl", 1))]
    judgments = [
        Judgment("q1", "m1", "alice", "scope", Trit.YES, "human", Origin("judgments.csv", 2)),
        Judgment("q1", "m1", ABSENT, "policy", Trit.UNKNOWN, HOSTILE, Origin("judgments.csv", 3)),
        Judgment("q1", "m1", None, "relevance", Trit.NO, "", Origin("x.parquet", None)),
    ]
    settings = Settings(
        timezone="Asia/Seoul",
        exported_at=Instant("2026-03-01", 1_772_323_200_000_000, naive=True),
        isolation="namespace+session",
        unknown_intent="strict",
        shared_namespaces=("house", ["t", "all"]),
        aliases=(("a", "b"), ("c", "d", "e")),
        assumptions={"status": "current", "query.intent": None},
        policy="default = 'deny'\n",
        route="postfilter:500",
        lexical_text="metadata",
    )
    account = FieldAccount({"body": "text"}, {"colour": 3}, ("status",))
    skipped = [Problem("memories.jsonl", 4, "id", "missing", "a text"), Problem("b", None, "", HOSTILE, "")]
    return Bundle(memories, queries, judgments, settings, "näme", "jsonl", account, skipped, 2, [HOSTILE, "note"])


def test_a_bundle_comes_back_exactly(tmp_path: Path) -> None:
    saved = rich_bundle()
    path = tmp_path / "w.duckdb"
    with Workspace.open(path) as workspace:
        workspace.save_bundle("f1", saved)
    with Workspace.open(path) as workspace:
        loaded = workspace.load_bundle("f1")
    assert loaded is not None
    # NaN differs from itself, so the fields are compared as they print: types and order of keys show too.
    assert [repr(record.fields) for record in loaded.memories] == [repr(record.fields) for record in saved.memories]
    assert [repr(record.fields) for record in loaded.queries] == [repr(record.fields) for record in saved.queries]
    assert [record.uid for record in loaded.memories] == [record.uid for record in saved.memories]
    assert [record.origin for record in loaded.memories] == [record.origin for record in saved.memories]
    assert loaded.judgments == saved.judgments
    assert loaded.judgments[1].namespace is ABSENT
    assert loaded.settings == saved.settings
    assert loaded.account == saved.account
    assert (loaded.name, loaded.format, loaded.repeated) == ("näme", "jsonl", 2)
    assert loaded.skipped == saved.skipped
    assert loaded.notes == saved.notes


def test_long_records_are_stored_a_few_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "_BATCH_TEXT", 100)
    rows: list[int] = []
    append = bundles._append

    def counted(cursor: Any, statement: str, gen: int, columns: dict[str, Any]) -> None:
        rows.append(len(columns["ord"]))
        append(cursor, statement, gen, columns)
        # No text is held beside the table: the transaction keeps the arrays until its end.
        assert all(text is None for text in columns["fields"])

    monkeypatch.setattr(bundles, "_append", counted)
    texts = ["a" * 40, "b" * 40, "c" * 500, "d", "e", "f" * 90, "g"]
    saved = bundle(*(memory(f"m{place}", place, text=text) for place, text in enumerate(texts)))
    with Workspace.open(tmp_path / "w.duckdb") as workspace:
        workspace.save_bundle("f1", saved)
        loaded = workspace.load_bundle("f1")
    assert rows == [2, 1, 3, 1]
    assert loaded is not None
    assert [one.text for one in loaded.memories] == texts
    assert [one.origin.line for one in loaded.memories] == list(range(7))


def test_an_empty_workspace_has_no_bundle(tmp_path: Path) -> None:
    with Workspace.open(tmp_path / "w.duckdb") as workspace:
        assert workspace.fingerprint() is None
        assert workspace.load_bundle("f1") is None
        report = workspace.save_bundle("f1", bundle())
        assert report.first
        assert report.memories == Difference(0, 0, 0, 0)
        loaded = workspace.load_bundle("f1")
        assert loaded is not None
        assert loaded.memories == []


def test_importing_again_finds_nothing_new_and_a_change_is_counted(tmp_path: Path) -> None:
    query = Query({"id": "q1", "text": "?"}, Origin("q", 1))
    with Workspace.open(tmp_path / "w.duckdb") as workspace:
        first = workspace.save_bundle("f1", bundle(memory("m1"), memory("m2"), memory("m3"), queries=(query,)))
        assert (first.first, first.memories, first.queries) == (True, Difference(3, 0, 0, 0), Difference(1, 0, 0, 0))
        again = workspace.save_bundle("f1", bundle(memory("m1"), memory("m2"), memory("m3"), queries=(query,)))
        assert (again.first, again.memories, again.queries) == (False, Difference(0, 0, 0, 3), Difference(0, 0, 0, 1))
        # m1 as it was, on another line; m2 has a status now; m3 is gone; m1 of another namespace is another memory.
        changed = bundle(memory("m1", 5), memory("m2", status="stale"), memory("m1", namespace="n"), memory("m4"))
        report = workspace.save_bundle("f2", changed)
        assert report.memories == Difference(new=2, changed=1, gone=1, same=1)
        assert str(report.memories) == "2 new, 1 changed, 1 gone"
        assert report.queries == Difference(0, 0, 1, 0)
        assert workspace.load_bundle("f1") is None
        loaded = workspace.load_bundle("f2")
        assert loaded is not None
        assert [record.fields for record in loaded.memories] == [record.fields for record in changed.memories]


def test_edits_stay_with_their_uid_when_the_source_changes(tmp_path: Path) -> None:
    path = tmp_path / "w.duckdb"
    with Workspace.open(path) as workspace:
        workspace.save_bundle("f1", bundle(memory("m1"), memory("m2")))
        log = EditLog(workspace)
        log.append([Change("memory", Uid("", "m1"), "status", ABSENT, "stale")])
        log.append([Change("memory", Uid("", "m2"), "status", ABSENT, "stale")])
        workspace.save_bundle("f2", bundle(memory("m2"), memory("m3")))
        there = {Uid("", "m2"), Uid("", "m3")}
        waiting = log.waiting(lambda _, target: target in there)
        assert [(edit.target, edit.new) for edit in waiting] == [(Uid("", "m1"), "stale")]
        assert len(log.overlay()) == 2


def test_progress_and_cancelling(tmp_path: Path) -> None:
    reports: list[Progress] = []
    with Workspace.open(tmp_path / "w.duckdb") as workspace:
        workspace.save_bundle("f1", bundle(memory("m1"), memory("m2")), reports.append)
        assert reports[-1].done == reports[-1].total == 2
        with pytest.raises(Cancelled):
            workspace.save_bundle("f2", bundle(memory("m9")), cancelled=lambda: True)
        assert workspace.fingerprint() == "f1"
        kept = workspace.load_bundle("f1", reports.append)
        assert kept is not None
        assert [record.id for record in kept.memories] == ["m1", "m2"]
        assert reports[-1] == Progress("opening", 2, 2)


def test_a_failed_save_leaves_what_was_there(tmp_path: Path) -> None:
    broken = memory("m2")
    broken.rewrite({**broken.fields, "meta": object()})  # nothing that a file could hold
    with Workspace.open(tmp_path / "w.duckdb") as workspace:
        workspace.save_bundle("f1", bundle(memory("m1")))
        with pytest.raises(TypeError):
            workspace.save_bundle("f2", bundle(memory("m1"), broken))
        assert workspace.fingerprint() == "f1"
        assert workspace.load_bundle("f1") is not None


# Who may open it


def hold(path: Path) -> subprocess.Popen[str]:
    """Another process that holds the workspace until its input ends."""
    code = (
        "import sys; from pathlib import Path; from inspector.store import Workspace\n"
        "w = Workspace.open(Path(sys.argv[1])); print('held', flush=True); sys.stdin.read(); w.close()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_workspace_that_another_process_holds(tmp_path: Path) -> None:
    path = tmp_path / "a lock and a version number.duckdb"
    with hold(path) as other:
        with pytest.raises(WorkspaceHeld) as caught:
            Workspace.open(path)
        assert caught.value.pid == other.pid
        assert f"(pid {other.pid})" in str(caught.value)
        with Workspace.temporary() as private:
            private.save_bundle("f1", bundle(memory("m1")))
        assert other.stdin is not None
        other.stdin.close()
        other.wait(timeout=20)
    Workspace.open(path).close()


def test_a_workspace_that_this_process_has_open(tmp_path: Path) -> None:
    path = tmp_path / "w.duckdb"
    with Workspace.open(path):
        link = tmp_path / "link.duckdb"
        link.symlink_to(path)
        for name in (path, link):
            with pytest.raises(WorkspaceHeld, match="already open in this program") as caught:
                Workspace.open(name)
            assert caught.value.pid == os.getpid()
        # The refusal has not loosened the hold on the file: another process is still kept out.
        code = "import sys, duckdb; duckdb.connect(sys.argv[1])"
        other = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False)
        assert "lock" in other.stderr
    Workspace.open(path).close()


# Files that are not ours, broken, of another time


def test_files_that_are_no_workspace_are_refused_and_kept(tmp_path: Path) -> None:
    def text(path: Path) -> None:
        path.write_text("id,text\n" * 2_000)

    def empty(path: Path) -> None:
        path.touch()

    def sqlite(path: Path) -> None:
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE memories (id)")
        connection.commit()
        connection.close()

    def other_duckdb(path: Path) -> None:
        with duckdb.connect(str(path)) as connection:
            connection.execute("CREATE TABLE memories (id VARCHAR)")

    def cut_short(path: Path) -> None:
        Workspace.open(path).close()
        path.write_bytes(path.read_bytes()[:5_000])

    def flipped(path: Path) -> None:
        Workspace.open(path).close()
        whole = bytearray(path.read_bytes())
        whole[20] ^= 0xFF
        path.write_bytes(whole)

    def later_schema(path: Path) -> None:
        Workspace.open(path).close()
        with duckdb.connect(str(path)) as connection:
            connection.execute("UPDATE meta SET value = '99' WHERE key = 'schema'")

    cases: list[tuple[Callable[[Path], None], str]] = [
        (text, "not a DuckDB file"),
        (empty, "not a DuckDB file"),
        (sqlite, "not a DuckDB file"),
        (other_duckdb, "not a workspace of this program"),
        (cut_short, "cannot be opened"),
        (flipped, "cannot be opened"),
        (later_schema, "is of version 99, this program reads version 1"),
    ]
    for make, words in cases:
        path = tmp_path / f"{make.__name__}.duckdb"
        make(path)
        before = path.read_bytes()
        with pytest.raises(InspectorError, match=words) as caught:
            Workspace.open(path)
        assert "--workspace" in str(caught.value)
        assert str(path) in str(caught.value)
        assert path.read_bytes() == before
        with pytest.raises(InspectorError, match=words):  # the failed attempt does not count as open
            Workspace.open(path)


def test_a_file_that_is_found_broken_later_is_said_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "w.duckdb"
    with Workspace.open(path) as workspace:
        workspace.save_bundle("f", bundle(*(memory(f"m{i}", body=f"{i * 7919}" * 9) for i in range(5_000))))
    whole = path.read_bytes()
    later = 0
    for place in range(12_288 + 100, len(whole), len(whole) // 12):
        broken = bytearray(whole)
        broken[place] ^= 0x55
        path.write_bytes(broken)
        try:
            with Workspace.open(path) as workspace:
                workspace.load_bundle("f")
        except InspectorError as error:
            later += "could not be used: Corrupt" in str(error)
        assert path.read_bytes() == broken
    assert later


def test_settling_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "w.duckdb"
    with Workspace.open(path) as workspace:
        workspace.put_vectors(["a"], "m", np.ones((1, 2), dtype=np.float32))
        workspace.settle()
        with workspace.transaction() as cursor:
            cursor.execute("INSERT INTO counters VALUES ('c', 1)")
            workspace.settle()
        assert workspace.get_vectors(["a"], "m")[0].all()
    with Workspace.open(path) as workspace:
        assert workspace.bump("c", 0) == 1


def test_a_folder_and_a_place_that_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(InspectorError, match="cannot be read"):
        Workspace.open(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(InspectorError, match="cannot be made"):
        Workspace.open(tmp_path / "file" / "w.duckdb")


@pytest.mark.parametrize(
    ("message", "words"),
    [
        # As DuckDB words it for files of a later release.
        (
            "IO Error: Trying to read a database file with version number 99, but we can only read versions between "
            "64 and 67.\nThe database file was created with a newer version of DuckDB.",
            "another version of DuckDB",
        ),
        ("IO Error: Could not set lock on file: Conflicting lock is held in python (PID 4711).", r"\(pid 4711\)"),
        ("IO Error: Could not set lock on file: Resource temporarily unavailable", "another process: close"),
        ("Error: Corrupt database file\ndetails", r"\(Error: Corrupt database file\)"),
    ],
)
def test_what_the_database_says_is_explained(message: str, words: str) -> None:
    with pytest.raises(InspectorError, match=words):
        raise _explain(Path("/lock/version number.duckdb"), message)


# Vectors, results, threads


def test_vectors_by_hash_and_model(tmp_path: Path) -> None:
    matrix = np.array([[1, 0], [0, 1], [math.nan, -0.0]], dtype=np.float32)
    path = tmp_path / "w.duckdb"
    with Workspace.open(path) as workspace:
        found, none = workspace.get_vectors(["a", "b"], "model")
        assert (found.tolist(), none.shape, none.dtype.name) == ([False, False], (2, 0), "float32")
        assert workspace.get_vectors([], "model")[1].shape == (0, 0)
        workspace.put_vectors(["a", "b", "c"], "model", matrix)
        workspace.put_vectors([], "model", np.zeros((0, 2), dtype=np.float32))
        workspace.put_vectors(["a"], "other", np.ones((1, 3), dtype=np.float32))
    with Workspace.open(path) as workspace:
        found, got = workspace.get_vectors(["c", "x", "a", "c"], "model")
        assert found.tolist() == [True, False, True, True]
        assert got.tobytes() == np.stack([matrix[2], [0, 0], matrix[0], matrix[2]]).astype(np.float32).tobytes()
        assert workspace.get_vectors(["a"], "other")[1].tolist() == [[1, 1, 1]]
        assert workspace.get_vectors(["a"], "third")[0].tolist() == [False]


def test_vectors_that_are_kept_stay(tmp_path: Path) -> None:
    with Workspace.open(tmp_path / "w.duckdb") as workspace:
        workspace.put_vectors(["a", "a"], "m", np.array([[1, 1], [2, 2]], dtype=np.float32))
        workspace.put_vectors(["a", "b"], "m", np.array([[3, 3], [4, 4]], dtype=np.float32))
        assert workspace.get_vectors(["a", "b"], "m")[1].tolist() == [[1, 1], [4, 4]]
        assert workspace.count_vectors("m") == 2
        with pytest.raises(ValueError, match="3 numbers for m, whose kept vectors have 2"):
            workspace.put_vectors(["c"], "m", np.ones((1, 3), dtype=np.float32))
        with pytest.raises(ValueError, match="2 hashes"):
            workspace.put_vectors(["c", "d"], "m", np.ones((1, 2), dtype=np.float32))
        # A slice that is not contiguous, in double precision, is stored as what it says.
        workspace.put_vectors(["e"], "m", np.arange(8, dtype=np.float64).reshape(2, 4)[:1, ::2])  # type: ignore[arg-type]
        assert workspace.get_vectors(["e"], "m")[1].tolist() == [[0, 2]]


def test_results_and_counters(tmp_path: Path) -> None:
    path = tmp_path / "w.duckdb"
    with Workspace.open(path) as workspace:
        assert workspace.get_result("compare", "k") is None
        workspace.put_result("compare", "k", b"\0one")
        workspace.put_result("compare", "k", b"two\xff")
        workspace.put_result("other", "k", b"")
        assert [workspace.bump("opened"), workspace.bump("opened", 4)] == [1, 5]
    with Workspace.open(path) as workspace:
        assert workspace.get_result("compare", "k") == b"two\xff"
        assert workspace.get_result("other", "k") == b""
        assert workspace.bump("opened", 0) == 5


def test_threads_work_side_by_side(tmp_path: Path) -> None:
    path = tmp_path / "w.duckdb"
    failures: list[BaseException] = []

    def guarded(work: Callable[[], None]) -> Callable[[], None]:
        def run() -> None:
            try:
                work()
            except BaseException as error:
                failures.append(error)

        return run

    with Workspace.open(path) as workspace:
        log = EditLog(workspace)

        def edit() -> None:
            for i in range(30):
                log.append([Change("memory", Uid("", f"{threading.get_ident()}-{i}"), "status", ABSENT, i)])

        def encode() -> None:
            for i in range(30):
                workspace.put_vectors([f"h{i}"], "m", np.full((1, 8), i, dtype=np.float32))
                workspace.get_vectors(["h0", f"h{i}"], "m")

        def store() -> None:
            for i in range(5):
                workspace.save_bundle(f"f{i}", bundle(*(memory(f"m{j}") for j in range(200 + i))))

        threads = [threading.Thread(target=guarded(work)) for work in (edit, edit, encode, encode, store)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)
        assert failures == []
        assert len(log.overlay()) == 60
        assert log.state() == log.overlay()
        assert [entry.seq for entry in log.entries()] == list(range(1, 61))
    with Workspace.open(path) as workspace:
        assert len(EditLog(workspace)) == 60
        assert workspace.count_vectors("m") == 30
        assert workspace.load_bundle("f4") is not None
    with pytest.raises(RuntimeError, match="closed"):
        workspace.fingerprint()


def test_importing_the_package_imports_no_database() -> None:
    code = "import sys, inspector.store as s; s.recent(); print([m for m in sys.modules if 'duckdb' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
