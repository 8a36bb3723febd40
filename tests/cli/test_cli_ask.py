"""``inspector ask``, and the first verdict on a mem0 export: one command and no configuration (DESIGN 12)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector import cli

Run = Callable[..., tuple[int, list[dict[str, object]], str]]

#: get_all's envelope, one record a line, as mem0's ``MemoryItem`` writes them.
MEM0 = """{"results": [
 {"id": "m1", "memory": "Ana lives in Porto.", "hash": "a1", "metadata": null, "score": null,
  "created_at": "2026-01-02T10:00:00-07:00", "updated_at": null, "user_id": "ana"},
 {"id": "m2", "memory": "Bo lives in Lyon.", "hash": "a2", "metadata": null, "score": null,
  "created_at": "2026-02-02T10:00:00-07:00", "updated_at": null, "user_id": "bo"}
]}
"""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    for name in ("DATA", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))

    def call(*args: object) -> tuple[int, list[dict[str, object]], str]:
        monkeypatch.setattr(sys, "argv", ["inspector", *map(str, args)])
        with pytest.raises(SystemExit) as stop:
            cli.main()
        out, err = capsys.readouterr()
        return int(stop.value.code or 0), [json.loads(line) for line in out.splitlines()], err

    return call


@pytest.fixture
def export(tmp_path: Path) -> Path:
    path = tmp_path / "export.json"
    path.write_text(MEM0)
    return path


@pytest.mark.encodes
def test_the_first_verdict_on_a_mem0_export_takes_one_command(export: Path, tmp_path: Path) -> None:
    """The installed program, an empty home, the bundled encoder: nothing is configured."""
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(Path(__file__).parents[2])}
    words = ["ask", str(export), "--text", "Where does Ana live?", "--principal", "ana"]
    done = subprocess.run(
        [sys.executable, "-m", "inspector", *words], capture_output=True, text=True, timeout=120, env=env, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["memory_id"], row["scope"], row["admissible"]) for row in rows] == [("m1", 1, "?"), ("m2", 0, 0)]
    assert "ana owns 'ana', the namespaces that name it" in done.stderr


def test_what_is_asked_is_what_is_judged(run: Run, export: Path) -> None:
    bm25 = ("--route", "global_bm25", "--text", "lives in Lyon")
    code, rows, err = run("ask", export, *bm25, "--principal", "ana", "--as-of", "2026-01-15", "--intent", "current")
    assert (code, [row["query_id"] for row in rows]) == (0, ["ask-1"])  # at that time Bo's was not yet stored
    code, rows, err = run("ask", export, *bm25)
    assert [(row["memory_id"], row["scope"]) for row in rows] == [("m2", "?"), ("m1", "?")]
    code, rows, err = run("ask", export, *bm25, "--principal", "carl")
    assert "no namespace of the store names carl: scope is ?" in err
    assert {str(row["scope"]) for row in rows} == {"?"}
    code, rows, err = run("ask", export, *bm25, "--principal", "carl", "--owns", "bo", "--owns", '["ana"]')
    assert {str(row["scope"]) for row in rows} == {"1"}


def test_it_is_kept_only_when_told(run: Run, export: Path) -> None:
    ask = ("ask", export, "--route", "global_bm25", "--text", "lives in Lyon")
    assert run(*ask)[0] == 0
    code, rows, err = run("evaluate", export, "--route", "global_bm25", "--out", "-")
    assert (code, rows) == (0, [])
    assert "there are no queries: `inspector ask SOURCE --text …` asks one, --queries FILE reads some" in err
    assert run(*ask, "--keep", "--id", "mine")[0] == 0
    code, rows, err = run("evaluate", export, "--route", "global_bm25", "--out", "-")
    assert {row["query_id"] for row in rows} == {"mine"}
    code, rows, err = run(*ask, "--keep", "--id", "mine")
    assert code == 2
    assert "error: ask: id: a query 'mine' is there already" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--text", " "), "error: ask: text: is missing: the words of the question"),
        (("--text", "t", "--as-of", "noon"), "as"),
        (("--text", "t", "--owns", "["), "error: --owns: [ is no list of texts"),
        ((), "Missing option '--text'"),
    ],
)
def test_what_cannot_be_asked(run: Run, export: Path, words: tuple[str, ...], said: str) -> None:
    code, rows, err = run("ask", export, "--route", "global_bm25", *words)
    assert (code, rows) == (2, [])
    assert said in err
