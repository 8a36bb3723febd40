"""Where workspaces stand: default places, temporary ones, the list of recent ones."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from inspector.errors import InspectorError
from inspector.records import ABSENT, Bundle, Memory, Origin, Settings, Uid
from inspector.store import Change, EditLog, Workspace, default_path, places, recent, workspaces_folder


def bundle(*ids: str) -> Bundle:
    memories = [Memory({"id": name, "text": f"text of {name}"}, Origin("memories.jsonl", 1)) for name in ids]
    return Bundle(memories, [], [], Settings(), "a store", "jsonl")


def test_a_temporary_workspace_is_removed(tmp_path: Path) -> None:
    workspace = Workspace.temporary()
    assert workspace.is_temporary
    assert workspace.path.is_file()
    workspace.put_vectors(["h"], "m", np.ones((1, 2), dtype=np.float32))
    folder = workspace.path.parent
    assert oct(folder.stat().st_mode)[-3:] == "700"
    workspace.close()
    workspace.close()
    assert list(folder.iterdir()) == []
    assert recent() == []


def test_temporary_workspaces_of_dead_processes_are_removed() -> None:
    gone = subprocess.Popen(["true"])
    gone.wait(timeout=20)
    folder = places.temporary_folder()
    folder.mkdir(parents=True)
    stale = [folder / f"{gone.pid}-ab.duckdb", folder / f"{gone.pid}-ab.duckdb.wal"]
    kept = [folder / f"{os.getppid()}-ab.duckdb", folder / "notes.duckdb", folder / f"{gone.pid}-ab.txt"]
    for file in stale + kept:
        file.write_bytes(b"x")
    Workspace.temporary().close()
    assert not any(file.exists() for file in stale)
    assert all(file.exists() for file in kept)


def test_the_default_place_belongs_to_the_sources(tmp_path: Path) -> None:
    one, two = tmp_path / "my störe [1]", tmp_path / "b.jsonl"
    path = default_path([one])
    assert path.parent == workspaces_folder()
    assert path.name.startswith("my-st-re-1-")
    assert path == default_path([tmp_path / "x" / ".." / one.name])
    assert default_path([one, two]) == default_path([two, one])
    assert len({default_path(sources) for sources in ([one], [two], [one, two])}) == 3
    assert len(default_path([tmp_path / ("x" * 200)]).name) < 70


def test_never_inside_a_source(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    file = source / "memories.jsonl"
    file.touch()
    (tmp_path / "elsewhere").symlink_to(source)
    for place in (source / "w.duckdb", source / "deep" / "w.duckdb", tmp_path / "elsewhere" / "w.duckdb"):
        with pytest.raises(InspectorError, match="never written"):
            Workspace.for_sources([source], place)
    with pytest.raises(InspectorError, match="never written"):
        Workspace.open(file, [file])
    assert [entry.name for entry in source.iterdir()] == ["memories.jsonl"]
    assert file.read_bytes() == b""
    Workspace.for_sources([file], source / "w.duckdb").close()  # beside a source file is the user's choice


def test_recent_workspaces_are_listed_without_opening_them(tmp_path: Path) -> None:
    assert recent() == []
    sources = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    for source in sources:
        with Workspace.for_sources([source]) as workspace:
            workspace.save_bundle("f", bundle("m1", "m2"))
            log = EditLog(workspace)
            for field in ("status", "source"):
                log.append([Change("memory", Uid("", "m1"), field, ABSENT, "x")])
            log.undo()
    listed = recent()
    assert [line.sources for line in listed] == [(sources[1],), (sources[0],)]
    assert (listed[0].name, listed[0].memories, listed[0].queries, listed[0].edits) == ("a store", 2, 0, 1)
    assert listed[0].path == default_path([sources[1]])
    # Opening the first again moves it up.
    with Workspace.for_sources([sources[0]]) as workspace:
        workspace.load_bundle("f")
    assert [line.sources for line in recent()] == [(sources[0],), (sources[1],)]


def test_a_broken_line_of_the_list_costs_only_itself(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        with Workspace.for_sources([tmp_path / name]) as workspace:
            workspace.save_bundle("f", bundle("m1"))
    default_path([tmp_path / "a"]).unlink()
    folder = places.data_folder() / "recent"
    (folder / "x.json").write_bytes(b'{"path": 3')
    (folder / "y.json").write_bytes(b"\xff\x00")
    (folder / "z.json").write_text(json.dumps({"path": "nul\0", "sources": [], "name": "n", "last_opened": ""}))
    (folder / "dir.json").mkdir()
    assert [line.sources for line in recent()] == [(tmp_path / "c",), (tmp_path / "b",)]


def test_what_a_killed_creation_left_is_removed(tmp_path: Path) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait(timeout=20)
    left = tmp_path / f".w.duckdb.{gone.pid}-1.new"
    other = tmp_path / f".v.duckdb.{gone.pid}-1.new"
    left.write_bytes(b"x")
    other.write_bytes(b"x")
    Workspace.open(tmp_path / "w.duckdb").close()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [other.name, "w.duckdb"]
