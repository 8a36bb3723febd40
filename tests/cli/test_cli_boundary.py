"""`inspector transition` and `inspector replay` (DESIGN 9, 12)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.inspection import demo_folder

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def store() -> Path:
    return demo_folder("session-two-tasks")


def test_a_transition_is_kept_and_printed_as_a_patch(run: Run, store: Path, tmp_path: Path) -> None:
    code, out, err = run("transition", store, "--memory", "visa-fee", "--to", "archive", "--cause", "done with it")
    assert code == 0
    line = json.loads(out)
    mark = {"state": "archived", "at": "2026-04-21T18:00:00Z", "cause": "done with it"}  # the store's exported_at
    assert line == {
        "op": "set",
        "uid": {"namespace": "user-tariq", "id": "visa-fee"},
        "field": "boundary_log",
        "new": [mark],
    }
    assert "visa-fee: archived from 2026-04-21T18:00:00Z: done with it" in err
    patch = tmp_path / "patch.jsonl"
    patch.write_text(out, encoding="utf-8")
    edited = tmp_path / "edited"
    assert run("apply", patch, store, "--out", edited)[0] == 0
    kept = [json.loads(text) for text in (edited / "memories.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [one["boundary_log"] for one in kept if one["id"] == "visa-fee"] == [[mark]]
    # The workspace keeps it: the next transition follows it, and what does not follow is refused.
    code, out, err = run("transition", store, "--memory", "visa-fee", "--to", "archive")
    assert (code, out) == (2, "")
    assert "error: archive of memory user-tariq/visa-fee: it is already archived" in err
    code, out, _ = run("transition", store, "--memory", "visa-fee", "--to", "resume")
    assert [one["state"] for one in json.loads(out)["new"]] == ["archived", "active"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--memory", "visa-passport", "--to", "resume"), "forgotten stays forgotten"),
        (("--memory", "visa-fee", "--to", "release"), "it is active, not quarantined: there is nothing to release"),
        (("--memory", "nobody", "--to", "archive"), "no memory has the id 'nobody'"),
        (("--memory", "visa-fee", "--to", "archive", "--query", "nobody"), "no query has the id 'nobody'"),
        (("--memory", "visa-fee", "--to", "archive", "--at", "soon"), "'soon' is not a time"),
        (("--memory", "visa-fee", "--to", "archive", "--at", "2020-01-01"), "it was not stored before"),
        (("--memory", "visa-fee", "--to", "quarantine", "--cause", "missing boundary marks"), "a person confirms"),
        (
            ("--memory", "visa-fee", "--memory", "visa-passport", "--to", "archive"),
            "refused for 1 of 2, and so for all",
        ),
    ],
)
def test_what_is_refused_exits_with_2_and_keeps_nothing(
    run: Run, store: Path, args: tuple[str, ...], said: str
) -> None:
    code, out, err = run("transition", store, *args)
    assert (code, out) == (2, "")
    assert said in err
    assert run("export", store, "--edits", "--out", "-")[1] == ""


def test_a_temporary_workspace_leaves_the_patch_alone(run: Run, store: Path) -> None:
    code, out, _ = run("transition", store, "--memory", "visa-fee", "--to", "forget", "--temporary")
    assert (code, json.loads(out)["new"][0]["state"]) == (0, "forgotten")
    assert run("export", store, "--edits", "--out", "-")[1] == ""


def test_replay_tells_and_keeps_only_when_asked(run: Run, store: Path) -> None:
    code, out, _ = run("replay", store)
    assert code == 0
    assert "session s-52: 5 queries, 3 switches, 5 of 6 memories move" in out
    assert "refused: resume at 2026-04-21T15:00:00Z by query visa-pay: forgotten stays forgotten" in out
    assert run("export", store, "--edits", "--out", "-")[1] == ""
    code, out, _ = run("replay", store, "--session", "s-52", "--keep", "--json")
    told = json.loads(out)
    (session,) = told["sessions"]
    assert told["kept"] is True
    lanes = {lane["memory_id"]: [one["state"] for one in lane["states"]] for lane in session["lanes"]}
    assert lanes["visa-fee"] == ["active", "archived", "active"]
    assert len(run("export", store, "--edits", "--out", "-")[1].splitlines()) == 5
    code, _, err = run("replay", store, "--session", "s-99")
    assert code == 2
    assert "no query states the session 's-99' ('s-52')" in err


def test_a_bad_time_names_the_option(run: Run, store: Path) -> None:
    moved = ("transition", store, "--memory", "visa-fee", "--to", "archive", "--temporary", "--at")
    for at, wrong in (("noon", "'noon'"), ("", "no time is given")):
        code, out, err = run(*moved, at)
        assert (code, out) == (2, "")
        last = err.splitlines()[-1]
        assert last.startswith("error: --at: ")
        assert wrong in last
        assert " at: " not in last
