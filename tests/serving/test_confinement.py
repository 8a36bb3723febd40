"""A confined process tries to get out by every door that takes a path, and by the interpreter beneath them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.confinement import check_encoder, check_network, check_read, check_write, confinement

ROOT = Path(__file__).resolve().parents[2]

ATTEMPTS = """
import json, os, socket, sqlite3, subprocess, sys
from pathlib import Path

own, secret, other = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
files = own / "files"
from inspector.confinement import confine
from inspector.resources import resource_dir
import inspector.ui.app, inspector.ui.screens.export, inspector.ui.screens.files  # the program is loaded already
confine(own, files, [resource_dir("fixtures"), resource_dir("themes")])

from inspector.inspection import OpenOptions, open_sources
from inspector.formats import canonical
from inspector.mdl import load_calibration
from inspector.requests import demo_folder
from inspector.retrieval.embedder import _Worker
from inspector.store.workspace import Workspace
from inspector.ui.config import write_atomically
from inspector.ui.screens.files import list_folder

def opened(path, **more):
    options = OpenOptions(temporary=True, route="global_bm25", **more)
    with open_sources((Path(path),), options) as store:
        store.evaluate()
        return store.memories[0].text

def wrote(path):
    write_atomically(Path(path), "x")
    return Path(path).read_text()

def atomic(path):
    with canonical.atomic(Path(path)) as file:
        file.write("x")
    return "written"

attempts = {
    "store: absolute": lambda: opened(secret),
    "store: dot dot": lambda: opened(files / ".." / ".." / secret.name),
    "store: another's upload": lambda: opened(other / "files" / "mine.jsonl"),
    "store: another's workspace": lambda: opened(other / "data" / "w.duckdb"),
    "store: a link to a file": lambda: opened(files / "link.jsonl"),
    "store: a link in a bundle": lambda: opened(files / "bundle"),
    "store: through a linked folder": lambda: opened(files / "folder" / secret.name),
    "store: /proc": lambda: opened("/proc/self/environ"),
    "store: queries elsewhere": lambda: opened(files / "mine.jsonl", queries=secret),
    "store: policy elsewhere": lambda: opened(files / "mine.jsonl", policy=secret),
    "store: mapping elsewhere": lambda: opened(files / "mine.jsonl", mapping=secret),
    "store: a database": lambda: opened("postgresql://localhost/x"),
    "workspace: elsewhere": lambda: Workspace.open(other / "data" / "w.duckdb"),
    "workspace: by dot dot": lambda: Workspace.open(own / ".." / "w.duckdb"),
    "calibration: elsewhere": lambda: load_calibration(secret),
    "picker: the root": lambda: list_folder(Path("/")),
    "picker: up": lambda: list_folder(own / ".."),
    "picker: a linked folder": lambda: list_folder(files / "folder"),
    "picker: another's files": lambda: list_folder(other / "files"),
    "export: absolute": lambda: wrote(secret.with_name("out.txt")),
    "export: dot dot": lambda: wrote(files / ".." / ".." / "out.txt"),
    "export: over a link": lambda: atomic(files / "link.jsonl"),
    "export: into a bundled store": lambda: wrote(demo_folder("history") / "x.txt"),
    "export: into another's folder": lambda: atomic(other / "files" / "x.txt"),
    "python: open": lambda: open(secret).read(),
    "python: open bytes": lambda: open(os.fsencode(secret)).read(),
    "python: os.open": lambda: os.open(secret, os.O_RDONLY),
    "python: append": lambda: open(secret, "a"),
    "python: listdir": lambda: os.listdir(secret.parent),
    "python: remove": lambda: os.remove(secret),
    "python: rename": lambda: os.rename(files / "mine.jsonl", secret.with_name("gone")),
    "python: symlink": lambda: os.symlink(secret, files / "new"),
    "python: link": lambda: os.link(secret, files / "new"),
    "python: chdir": lambda: os.chdir("/"),
    "python: sqlite": lambda: sqlite3.connect(secret.with_name("s.db")),
    "python: sqlite uri": lambda: sqlite3.connect(f"file:{secret.with_name('s.db')}?mode=rw", uri=True),
    "python: a program": lambda: subprocess.run(["cat", str(secret)], check=True),
    "python: a shell": lambda: os.system("true"),
    "python: a connection": lambda: socket.create_connection(("127.0.0.1", 9)),
    "python: the encoder": lambda: _Worker(type("Model", (), {"load": "x", "sha256": None})()),
    "again": lambda: confine(Path("/"), Path("/"), [Path("/")]),
}
allowed = {
    "a bundled store": lambda: opened(demo_folder("history")),
    "my own upload": lambda: opened(files / "mine.jsonl"),
    "an upload by a relative path": lambda: opened("mine.jsonl"),
    "an export": lambda: wrote(files / "out.txt"),
    "the picker": lambda: [entry.name for entry in list_folder(files)],
}
said = {}
for name, attempt in {**attempts, **allowed}.items():
    try:
        said[name] = ["done", repr(attempt())]
    except Exception as error:
        said[name] = [type(error).__name__, str(error)]
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What came of each attempt: ("done", value), or the error's kind and words."""
    base = tmp_path_factory.mktemp("served")
    own, other = base / "own", base / "other"
    secret = base / "secret.jsonl"
    row = '{"id": "m", "text": "SECRET"}\n'
    secret.write_text(row)
    for folder in (own, other):
        for name in ("config", "data", "cache", "state", "files"):
            (folder / name).mkdir(parents=True)
    (other / "files" / "mine.jsonl").write_text(row)
    (other / "data" / "w.duckdb").write_text("SECRET")
    files = own / "files"
    (files / "mine.jsonl").write_text('{"id": "m", "text": "mine"}\n')
    (files / "link.jsonl").symlink_to(secret)
    (files / "folder").symlink_to(base)
    (files / "bundle").mkdir()
    (files / "bundle" / "queries.jsonl").write_text('{"id": "q", "text": "q"}\n')
    (files / "bundle" / "memories.jsonl").symlink_to(secret)
    folders = {f"XDG_{name.upper()}_HOME": str(own / name) for name in ("config", "data", "cache", "state")}
    done = subprocess.run(
        [sys.executable, "-c", ATTEMPTS, str(own), str(secret), str(other)],
        capture_output=True,
        text=True,
        cwd=files,
        env={**os.environ, **folders, "PYTHONPATH": str(ROOT), "TMPDIR": str(own)},
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert secret.read_text() == row
    assert not (base / "out.txt").exists()
    assert not (base / "w.duckdb").exists()
    assert sorted(path.name for path in (other / "files").iterdir()) == ["mine.jsonl"]
    found: dict[str, list[str]] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_nothing_outside_is_opened_listed_written_or_started(said: dict[str, list[str]]) -> None:
    inside = {"a bundled store", "my own upload", "an upload by a relative path", "an export", "the picker"}
    got_out = {name: what for name, what in said.items() if what[0] == "done" and name not in inside}
    assert got_out == {}
    assert "SECRET" not in json.dumps(said)


def test_each_refusal_is_said_in_words_of_ours(said: dict[str, list[str]]) -> None:
    for name, (kind, words) in said.items():
        if name.startswith(("store:", "workspace:", "calibration:", "picker:", "export:")):
            assert kind in ("InspectorError", "InputError"), (name, kind, words)
            assert "lies outside of" in words or "may not connect" in words, (name, words)


def test_what_is_the_visitors_own_works(said: dict[str, list[str]]) -> None:
    assert said["my own upload"] == ["done", "'mine'"]
    assert said["an upload by a relative path"] == ["done", "'mine'"]
    assert said["an export"] == ["done", "'x'"]
    assert said["a bundled store"][0] == "done"
    assert "mine.jsonl" in said["the picker"][1]


def test_a_process_that_is_not_confined_is_not_kept_from_anything() -> None:
    assert confinement() is None
    check_read("/etc/passwd")
    check_write("/etc/passwd")
    check_network()
    check_encoder()
