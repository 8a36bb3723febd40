"""``inspector map``: a proposed mapping on stdout or in a file, and what is wrong in words (DESIGN 12)."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]
FACTS = """[{"ref": "f1", "body": "Ana lives in Porto.", "owner": "ana"},
 {"ref": "f2", "body": "Bo lives in Lyon.", "owner": "bo"}, {"ref": "f3", "body": "Bo drinks tea.", "owner": "bo"}]"""


def test_propose_write_and_open(run: Run, tmp_path: Path) -> None:
    export, mapping = tmp_path / "facts.json", tmp_path / "m.toml"
    export.write_text(FACTS)
    code, out, err = run("lint", export)
    assert code == 2
    assert f"`inspector map {export} --out mapping.toml` proposes a mapping" in err
    code, out, err = run("map", export)
    assert code == 0
    assert tomllib.loads(out)["memories"]["fields"] == {"id": "ref", "text": "body", "namespace": "owner"}
    assert "3 of the first 3 records can be read through it" in err
    code, out, err = run("map", export, "--out", mapping, "--timezone", "UTC")
    assert (code, out) == (0, "")
    assert f"inspector open {export} --mapping {mapping}" in err
    assert tomllib.loads(mapping.read_text())["timezone"] == "UTC"
    before = mapping.read_text()
    assert run("map", export, "--out", mapping)[0] == 2
    assert mapping.read_text() == before
    code, out, err = run("ask", export, "--mapping", mapping, "--route", "global_bm25", "--text", "Porto")
    assert (code, len(out.splitlines())) == (0, 3)


@pytest.mark.parametrize(
    ("content", "words", "code", "said"),
    [
        ('[{"a": 1}, {"a": 2}]', (), 0, "the mapping is not complete: memories.fields.text is missing"),
        ('[{"a": 1}, {"a": 2}]', ("--out", "m.toml"), 2, "memories.fields.text: is missing"),
        (FACTS, ("--timezone", "Mars"), 2, "error: --timezone: 'Mars' is not a time zone"),
        (FACTS, ("--out", "-"), 2, "without --out the mapping goes to stdout"),
        ("", (), 2, "error: "),
        ("[]", (), 2, "holds no records"),
    ],
)
def test_what_cannot_be_proposed(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    content: str,
    words: tuple[str, ...],
    code: int,
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    export = tmp_path / "facts.json"
    export.write_text(content)
    got, _, err = run("map", export, *words)
    assert got == code
    assert said in err
    assert not (tmp_path / "m.toml").exists()
