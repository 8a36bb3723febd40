"""Writing: edits in force or left out, whole files or none, no source overwritten."""

from __future__ import annotations

import io
import json
import os
import threading
from pathlib import Path

import pytest

from inspector.errors import InspectorError
from inspector.formats import load
from inspector.formats.canonical import atomic, write_bundle, write_memories, write_queries
from inspector.records import ABSENT, Bundle, Judgment, Memory, Origin, Query, Settings
from inspector.trit import Trit

HERE = Origin("here")


def make() -> Bundle:
    memory = Memory({"id": "a", "text": "x", "status": "active", "meta": {"colour": "blue", "status": "old"}}, HERE)
    memory.edits.update({"status": ABSENT, "text": "y", "sensitivity": None})
    query = Query({"id": "q", "text": "?"}, HERE)
    judgment = Judgment("q", "a", ABSENT, "policy", Trit.UNKNOWN, "raters", HERE)
    return Bundle(
        [memory], [query], [judgment], Settings(policy='default = "deny"\n', route="global_bm25"), "b", "bundle"
    )


def test_edits_are_in_force_unless_left_out() -> None:
    bundle = make()
    edited, source = io.StringIO(), io.StringIO()
    write_memories(bundle.memories, edited)
    write_memories(bundle.memories, source, edited=False)
    assert json.loads(edited.getvalue()) == {
        "id": "a",
        "text": "y",
        "sensitivity": None,
        "colour": "blue",
        "meta": {"status": "old"},  # at the top it would be taken for the field
    }
    assert json.loads(source.getvalue()) == {
        "id": "a",
        "text": "x",
        "status": "active",
        "colour": "blue",
        "meta": {"status": "old"},
    }
    assert bundle.memories[0].fields["meta"] == {"colour": "blue", "status": "old"}
    queries = io.StringIO()
    write_queries(bundle.queries, queries)
    assert queries.getvalue() == '{"id": "q", "text": "?"}\n'


def test_a_bundle_folder(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "store"
    write_bundle(make(), folder)
    assert sorted(file.name for file in folder.iterdir()) == [
        "bundle.toml",
        "judgments.jsonl",
        "memories.jsonl",
        "policy.toml",
        "queries.jsonl",
    ]
    assert (folder / "bundle.toml").read_text() == 'route = "global_bm25"\n'
    assert (folder / "judgments.jsonl").read_text() == (
        '{"query_id": "q", "memory_id": "a", "axis": "policy", "value": "?", "source": "raters"}\n'
    )
    again = load([folder])
    assert again.settings.policy == 'default = "deny"\n'
    assert again.memories[0].text == "y"


def test_a_folder_that_holds_a_bundle_is_refused(tmp_path: Path) -> None:
    (tmp_path / "memories.csv").write_text("id,text\n")
    with pytest.raises(InspectorError, match=r"already holds memories\.csv: choose an empty folder$"):
        write_bundle(make(), tmp_path, overwrite=True)
    (tmp_path / "memories.csv").unlink()
    write_bundle(make(), tmp_path)
    with pytest.raises(InspectorError, match=r"already holds bundle\.toml"):
        write_bundle(make(), tmp_path)
    write_bundle(make(), tmp_path, overwrite=True)


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("old")

    def write() -> None:
        with atomic(path) as fp:
            fp.write("new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["f"]


def test_mode_of_a_written_file_is_that_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    with atomic(tmp_path / "f") as fp:
        fp.write("x")
    assert (tmp_path / "f").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_pipe_is_written_to_and_never_replaced(tmp_path: Path) -> None:
    """Nor is a device, which root could replace by a file for everyone."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    with atomic(pipe) as fp:
        fp.write("x")
    reader.join()
    assert got == ["x"]
    assert pipe.is_fifo()
    assert [file.name for file in tmp_path.iterdir()] == ["pipe"]
