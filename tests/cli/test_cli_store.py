"""`inspector lint`, `inspector apply` and `inspector export --edits` (DESIGN 10, 11, 12)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.inspection import OpenOptions, open_sources

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    file = tmp_path / "memories.jsonl"
    file.write_text(
        '{"id":"a","text":"tea","namespace":"ann","status":"active"}\n{"id":"b","text":"cake","namespace":"bob"}\n',
        encoding="utf-8",
    )
    return file


def test_no_output_takes_the_place_of_a_source(run: Run, store: Path) -> None:
    before = store.read_bytes()
    folder = store.parent
    judged = store.with_name("judgments.csv")
    for source, out in ((store, store), (folder, store), (folder, judged)):
        for command in (("export",), ("evaluate",)):
            code, _, err = run(*command, source, "--out", out)
            assert (code, "which is never written: give a place outside" in err) == (2, True)
    assert run("export", folder, "--as", "bundle", "--out", folder)[0] == 2
    assert (store.read_bytes(), judged.exists()) == (before, False)
    assert run("export", folder, "--out", folder / "edited.jsonl")[0] == 0  # beside the source, and no part of it


def test_a_bundle_does_not_go_to_stdout(run: Run, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(store.parent)
    code, _, err = run("export", store, "--as", "bundle", "--out", "-")
    assert (code, "a bundle is a folder" in err, Path("-").exists()) == (2, True, False)


def test_lint_exit_codes(run: Run, store: Path) -> None:
    assert run("lint", store)[:2] == (
        0,
        "2 memories: 0 errors, 0 warnings, 0 infos\n"
        "note: no vectors: near duplicates and contradictions were not looked for\n",
    )
    with store.open("a", encoding="utf-8") as fp:
        fp.write('{"id":"c","text":"tea","namespace":"ann"}\n')
    code, out, _ = run("lint", store)
    assert code == 0  # a warning is no error
    assert "warning duplicate-text: 1: the same text again in one namespace." in out
    assert f"{store}:3: ann/c: the same text as ann/a at {store}:1" in out
    with store.open("a", encoding="utf-8") as fp:
        fp.write('{"id":"a","text":"another","namespace":"ann"}\n')
    code, out, _ = run("lint", store, "--json")
    assert code == 1
    assert json.loads(out)["codes"] == {"duplicate-id": 1, "duplicate-text": 1}
    code, out, err = run("lint", store.parent / "nowhere.jsonl")
    assert (code, out) == (2, "")
    assert "does not exist" in err


def test_lint_keeps_data_and_words_apart(run: Run, store: Path) -> None:
    first = run("lint", store, "--json")
    assert json.loads(first[1])["memories"] == 2
    assert run("lint", store, "--json")[1] == first[1]


def test_lint_of_two_exports(run: Run, store: Path, tmp_path: Path) -> None:
    index = tmp_path / "index.jsonl"
    index.write_text('{"id":"a","text":"tea"}\n{"id":"old","text":"pie"}\n', encoding="utf-8")
    code, out, _ = run("lint", store, index)
    assert code == 1
    assert "planes: 1 memories in both memories.jsonl and index.jsonl; only in memories.jsonl: 1;" in out
    assert "in index.jsonl, gone from memories.jsonl" in out


def edited(store: Path) -> None:
    with open_sources([store], OpenOptions()) as inspection:
        inspection.edit("memory", [0], "status", "stale")
        inspection.edit("memory", [1], "semantic_tag", "it's")


def test_edits_leave_and_are_applied_once(run: Run, store: Path, tmp_path: Path) -> None:
    edited(store)
    patch, new = tmp_path / "edits.jsonl", tmp_path / "new.jsonl"
    assert run("export", store, "--edits", "--out", patch)[0] == 0
    assert [json.loads(line)["field"] for line in patch.read_text(encoding="utf-8").splitlines()] == [
        "status",
        "semantic_tag",
    ]
    before = store.read_bytes()
    code, out, err = run("apply", patch, store, "--out", new)
    assert (code, out) == (0, "")
    assert f"2 edits applied: {new} holds 2 memories" in err
    assert store.read_bytes() == before
    whole = tmp_path / "whole.jsonl"
    assert run("export", store, "--as", "jsonl", "--out", whole)[0] == 0
    assert new.read_bytes() == whole.read_bytes()
    code, _, err = run("apply", patch, new, "--out", tmp_path / "again.jsonl")
    assert code == 2
    assert f"error: {patch}: the patch is already in the source: all 2 fields hold its new values" in err
    code, _, err = run("apply", patch, store, "--out", store)
    assert code == 2
    assert "which is never written" in err


def test_edits_as_sql(run: Run, store: Path, tmp_path: Path) -> None:
    edited(store)
    script = tmp_path / "edits.sql"
    code, _, _ = run("export", store, "--edits", "--dialect", "sqlite", "--table", "notes", "--out", script)
    assert code == 0
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("CREATE TABLE notes (namespace, id, status, semantic_tag)")
    connection.execute("INSERT INTO notes VALUES ('ann', 'a', 'active', NULL), ('bob', 'b', NULL, 'changed since')")
    text = script.read_text(encoding="utf-8")
    connection.executescript(text)
    # Two memories named, one row had the old values, one memory matched none.
    assert connection.execute(text.splitlines()[-1]).fetchone() == (2, 1, 1)
    rows = connection.execute("SELECT * FROM notes").fetchall()
    connection.close()
    assert rows == [("ann", "a", "stale", None), ("bob", "b", None, "changed since")]
    assert run("export", store, "--edits", "--as", "bundle", "--out", tmp_path / "x")[0] == 2


def test_what_sql_cannot_say_is_said(run: Run, store: Path, tmp_path: Path) -> None:
    with open_sources([store], OpenOptions()) as inspection:
        inspection.set_setting("isolation", "session")
    code, out, err = run("export", store, "--edits", "--dialect", "postgresql", "--out", "-")
    assert code == 0
    assert "1 edits have no SQL statement: the script's comments name them" in err
    assert out.splitlines()[-1].startswith("SELECT count(*)")
