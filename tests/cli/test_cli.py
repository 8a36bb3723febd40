"""The headless contract (DESIGN 12): output fields, exit codes, errors without tracebacks, determinism."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector import cli
from inspector.inspection import demo_folder

ROW = [
    *("query_id", "namespace", "memory_id", "rank", "score", "path", "relevance", "scope", "policy", "lifecycle"),
    *("admissible", "usable", "reasons", "mdl", "gate", "trail", "assembled"),
]
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    folder = tmp_path / "store"
    folder.mkdir()
    (folder / "memories.jsonl").write_text(
        '{"id":"a","text":"tea at four","namespace":"ann","status":"active","created_at":"2026-01-01T00:00:00"}\n'
        '{"id":"b","text":"tea at five","namespace":"bob","status":"stale",'
        '"status_at":"2025-12-01T00:00:00Z","x-extra":[1,{"y":null}]}\n',
        encoding="utf-8",
    )
    (folder / "queries.jsonl").write_text(
        '{"id":"q","text":"when is tea","principal":{"id":"p","namespaces":["ann"]},"intent":"current",'
        '"as_of":"2026-01-01T10:00:00+14:00","required":["a"]}\n',
        encoding="utf-8",
    )
    return folder


def test_evaluate_writes_the_contract(run: Run, store: Path, tmp_path: Path) -> None:
    out, summary = tmp_path / "r.jsonl", tmp_path / "s.json"
    code, stdout, stderr = run("evaluate", store, "--route", "global_bm25", "--out", out, "--summary", summary)
    assert (code, stdout) == (0, "")
    assert "judging" in stderr
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [row["rank"] for row in rows] == [1, 2]
    for row in rows:
        assert list(row) == ROW
        assert list(row["reasons"]) == ["scope", "policy", "lifecycle"]
        assert list(row["trail"]) == ["stored", "retrieved", "verified", "exposed", "disclosed"]
        for name in ("relevance", "scope", "policy", "lifecycle", "admissible", "usable"):
            assert row[name] in (0, 1, "?")
            assert not isinstance(row[name], bool)
    by_id = {row["memory_id"]: row for row in rows}
    # a: ann's own; no purpose and no rule say anything: policy ?; a naive time of 1 January within 14 h of as_of: ?
    assert [by_id["a"][axis] for axis in ("scope", "policy", "lifecycle", "admissible")] == [1, "?", "?", "?"]
    assert [by_id["b"][axis] for axis in ("scope", "policy", "lifecycle", "admissible")] == [0, "?", 0, 0]
    total = json.loads(summary.read_text("utf-8"))
    assert total["candidates"] == {"admit": 0, "exclude": 1, "unresolved": 1}
    needed = {"failure_stages", "recall", "feasible", "prefix", "violations", "admitted", "unresolved", "risk_lower"}
    needed |= {"risk_upper", "contamination", "loss", "similarities"}
    assert needed <= total["queries"][0].keys()


def test_stdout_holds_data_only(run: Run, store: Path) -> None:
    code, stdout, _ = run("evaluate", store, "--route", "global_bm25", "--out", "-")
    assert code == 0
    assert [json.loads(line)["memory_id"] for line in stdout.splitlines()]


def test_two_runs_are_equal_to_the_byte(run: Run, store: Path, tmp_path: Path) -> None:
    outs = []
    for name in ("one", "two"):
        run(
            "evaluate",
            store,
            "--route",
            "namespace_bm25",
            "--out",
            tmp_path / name,
            "--summary",
            tmp_path / f"{name}.s",
        )
        outs.append((tmp_path / name).read_bytes() + (tmp_path / f"{name}.s").read_bytes())
    assert outs[0] == outs[1]


def test_results_do_not_depend_on_the_machines_time_zone(store: Path, tmp_path: Path) -> None:
    outs = []
    for zone in ("Etc/GMT+11", "UTC", "Etc/GMT-14"):  # POSIX signs: these are UTC−11, UTC and UTC+14
        out = tmp_path / zone.replace("/", "_")
        command = [sys.executable, "-m", "inspector", "evaluate", str(store), "--route", "global_bm25", "--temporary"]
        subprocess.run([*command, "--out", str(out)], env={**os.environ, "TZ": zone}, check=True, capture_output=True)
        outs.append(out.read_bytes())
    assert outs[0] == outs[1] == outs[2]


def test_a_missing_store_is_one_line_and_exit_2(run: Run, tmp_path: Path) -> None:
    code, stdout, stderr = run("evaluate", tmp_path / "nowhere", "--out", "-")
    assert (code, stdout) == (2, "")
    assert stderr.startswith("error: ")
    assert "nowhere" in stderr


def test_a_broken_line_names_file_line_and_field(run: Run, store: Path) -> None:
    with (store / "memories.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"id":"c","text":"x","created_at":"yesterday"}\n')
    code, _, stderr = run("evaluate", store, "--route", "global_bm25", "--out", "-")
    assert code == 2
    errors = [line for line in stderr.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1
    assert "memories.jsonl:3: created_at: " in errors[0]


def test_lenient_skips_counts_and_lists(run: Run, store: Path, tmp_path: Path) -> None:
    with (store / "memories.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"id":"c","text":\n')
    summary = tmp_path / "s.json"
    args = ("--route", "global_bm25", "--out", "-", "--summary", summary, "--lenient")
    code, _, stderr = run("evaluate", store, *args)
    assert code == 0
    assert "1 record skipped" in stderr
    assert "memories.jsonl:3" in json.loads(summary.read_text("utf-8"))["skipped"][0]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["evaluate"], "Missing argument"),
        (["evaluate", "S", "--out", "-", "--route", "namespce_dense"], "namespace_dense"),
        (["evaluate", "S", "--out", "-", "--route", "postfilter:0"], "postfilter"),
        (["evaluate", "S", "--out", "-", "--assume", "status"], "FIELD=VALUE"),
        (["evaluate", "S", "--out", "-", "--top-k", "0"], "--top-k"),
        (["why", "S", "--query", "q", "--memory", "zz"], "zz"),
        (["why", "S", "--query", "zz", "--memory", "a"], "zz"),
        (["demo", "annivers"], "anniversary"),
        (["frobnicate"], "frobnicate"),
        (["export", "S", "--as", "xml", "--out", "-"], "xml"),
    ],
)
def test_usage_errors_exit_with_2(run: Run, store: Path, args: list[str], words: str) -> None:
    code, stdout, stderr = run(*[str(store) if arg == "S" else arg for arg in args])
    assert (code, stdout) == (2, "")
    assert words in stderr


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["evaluate"], "error: Missing argument 'SOURCES...': see inspector evaluate --help\n"),
        (["frobnicate"], "error: No such command 'frobnicate'. Did you mean 'locate'?: see inspector --help\n"),
        (
            ["export", "S", "--as", "xml", "--out", "-"],
            "error: Invalid value for '--as': 'xml' is not one of 'jsonl', 'bundle', 'edits', 'sql', "
            "'authority-packet': see inspector export --help\n",
        ),
    ],
)
def test_a_usage_error_is_one_line(run: Run, store: Path, args: list[str], said: str) -> None:
    assert run(*[str(store) if arg == "S" else arg for arg in args]) == (2, "", said)


def test_eligible_but_missing_memories_stand_in_the_summary(run: Run, tmp_path: Path) -> None:
    """m1 is ann's, current and required, and ranks behind m2 for k 1; m3 is required and bob's: not eligible."""
    folder = tmp_path / "teas"
    folder.mkdir()
    common = {"status": "active", "created_at": "2026-01-01T00:00:00Z"}
    memories = [
        {"id": "m1", "text": "a pot", "namespace": "ann"},
        {"id": "m2", "text": "green tea", "namespace": "ann"},
        {"id": "m3", "text": "a cup", "namespace": "bob"},
    ]
    query = {"id": "q1", "text": "green tea", "principal": {"id": "ann", "namespaces": ["ann"]}, "intent": "current"}
    query |= {"as_of": "2026-02-01T00:00:00Z", "required": ["m1", "m3"]}
    (folder / "memories.jsonl").write_text("".join(json.dumps(one | common) + "\n" for one in memories), "utf-8")
    (folder / "queries.jsonl").write_text(json.dumps(query) + "\n", "utf-8")
    (folder / "policy.toml").write_text('default = "allow"\n', "utf-8")
    summary = tmp_path / "s.json"
    args = ("--route", "global_bm25", "--top-k", 1, "--out", tmp_path / "r.jsonl", "--summary", summary)
    assert run("evaluate", folder, "--temporary", *args)[0] == 0
    (one,) = json.loads(summary.read_text("utf-8"))["queries"]
    assert one["eligible_missing"] == {"count": 1, "memories": [{"namespace": "ann", "memory_id": "m1"}]}


@pytest.mark.parametrize(
    ("command", "place"), [(("open", "S"), "store"), (("demo", "incidents"), "triage"), (("demo", "incidents"), "")]
)
def test_the_screen_that_is_shown_first_is_chosen(
    run: Run, store: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], place: str
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(cli, "run_ui", lambda request, **_: asked.append(request))
    words = [str(store) if word == "S" else word for word in command]
    assert run(*words, *(("--screen", place) if place else ()))[0] == 0
    assert [request.place for request in asked] == [place or "inspect"]


def test_why_explains_a_pair_retrieved_or_not(run: Run) -> None:
    folder = demo_folder("old-address")
    args = ("why", folder, "--query", "deliver-now", "--memory", "door-code", "--temporary")
    code, stdout, _ = run(*args, "--json")
    assert code == 0
    why = json.loads(stdout)
    assert (why["verdict"], why["lifecycle"]["value"], why["state"]) == ("exclude", 0, "forgotten")
    assert any(read["field"] == "deleted_at" for read in why["lifecycle"]["reads"])
    assert any("not deletion" in note for note in why["notes"])
    code, text, _ = run(*args)
    assert code == 0
    assert "exclude" in text
    assert "deleted_at" in text


def test_why_is_safe_to_print(run: Run, tmp_path: Path) -> None:
    store = tmp_path / "hostile.json"
    memory = {"id": "m\x1b[2J", "text": "\x1b]0;owned\x07", "namespace": "x\u202ey"}
    store.write_text(json.dumps({"memories": [memory], "queries": [{"id": "q", "text": "hi"}]}), encoding="utf-8")
    code, stdout, stderr = run("why", store, "--query", "q", "--memory", "m\x1b[2J", "--route", "global_bm25")
    assert code == 0
    for bad in ("\x1b", "\x07", "\u202e"):
        assert bad not in stdout + stderr


def test_export_import_export_is_the_identity(run: Run, store: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    assert run("export", store, "--out", first)[0] == 0
    assert run("export", first, "--out", second)[0] == 0
    assert first.read_bytes() == second.read_bytes()
    assert json.loads(first.read_text("utf-8").splitlines()[1])["x-extra"] == [1, {"y": None}]


def test_the_source_is_never_written(run: Run, store: Path, tmp_path: Path) -> None:
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in store.iterdir()}
    run("evaluate", store, "--route", "global_bm25", "--out", tmp_path / "r")
    run("export", store, "--as", "bundle", "--out", tmp_path / "copy")
    assert {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in store.iterdir()} == before


def test_formats_and_locate(run: Run) -> None:
    code, stdout, _ = run("formats", "--json")
    assert code == 0
    listed = json.loads(stdout)
    assert {"rhelm", "gatemem", "authority-packet"} <= {one["name"] for one in listed}
    assert all(one["summary"] and one["example"] for one in listed)
    assert run("formats")[1]
    code, stdout, _ = run("locate")
    assert [line.partition(":")[0] for line in stdout.splitlines()] == [
        *("settings", "keymap", "themes", "lessons", "workspaces", "fixtures")
    ]
    assert run("locate", "settings")[1].strip().endswith("settings.toml")


def test_assumptions_are_said_and_marked(run: Run, store: Path, tmp_path: Path) -> None:
    out = tmp_path / "r.jsonl"
    args = ("--route", "global_bm25", "--assume", "policy=allow", "--as-of", "2026-06-01T00:00:00Z", "--out", out)
    code, _, stderr = run("evaluate", store, *args)
    assert code == 0
    assert "assumed: policy=allow" in stderr
    rows = {row["memory_id"]: row for row in map(json.loads, out.read_text("utf-8").splitlines())}
    assert rows["a"]["policy"] == 1
    assert "assumed" in rows["a"]["reasons"]["policy"]


def test_a_changed_source_is_noticed_and_only_then(run: Run, store: Path, tmp_path: Path) -> None:
    args = ("evaluate", store, "--route", "global_bm25", "--out", tmp_path / "r")
    assert "has changed" not in run(*args)[2]
    assert "has changed" not in run(*args, "--assume", "policy=allow")[2]
    with (store / "memories.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"id":"c","text":"tea at six"}\n')
    assert "the source has changed: 1 new, 0 changed, 0 gone memories" in run(*args)[2]
    assert "has changed" not in run(*args)[2]


def test_a_device_is_written_to_and_never_replaced(run: Run, store: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) as reader:
        code, _, _ = run("evaluate", store, "--route", "global_bm25", "--out", pipe)
        assert reader.stdout is not None
        assert len(reader.stdout.read().splitlines()) == 2
    assert code == 0
    assert pipe.is_fifo()


@pytest.mark.encodes
@pytest.mark.parametrize("present", ["memories", "queries"])
def test_a_store_without_queries_or_without_memories_on_a_dense_route(run: Run, tmp_path: Path, present: str) -> None:
    store = tmp_path / "one-sided.json"
    sides = {"memories": [], "queries": [], present: [{"id": "x", "text": "tea"}]}
    store.write_text(json.dumps(sides), encoding="utf-8")
    code, stdout, stderr = run("evaluate", store, "--route", "global_dense", "--temporary", "--out", "-")
    # Without memories the source is refused in one line; without queries there is nothing to judge.
    assert (code, stdout) == ((0, "") if present == "memories" else (2, ""))
    assert present == "memories" or stderr.splitlines()[-1].startswith("error: ")


def test_a_reader_that_goes_away_is_no_failed_check() -> None:
    """As ``inspector formats | head`` where head has ended: 128 + SIGPIPE, as a shell has it, and not a word."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run([sys.executable, "-m", "inspector", "formats"], stdout=writing, stderr=subprocess.PIPE)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")
