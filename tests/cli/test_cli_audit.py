"""`inspector triage`, `report`, `check`, the audit in `why` and `evaluate` (DESIGN 8, 12; issue 5)."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from junitparser import Failure, JUnitXml

from inspector.inspection import demo_folder

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """The bundled incidents, to be changed."""
    return Path(shutil.copytree(demo_folder("incidents"), tmp_path / "incidents"))


def change(store: Path, file: str, id: str, **fields: Any) -> None:
    path = store / file
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    (one,) = [record for record in records if record["id"] == id]
    one |= fields
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")


# check


def test_a_check_passes_against_its_own_baseline_and_tells_each_drift(run: Run, store: Path, tmp_path: Path) -> None:
    baseline, junit = tmp_path / "baseline.json", tmp_path / "junit.xml"
    code, out, err = run("check", store, "--write-baseline", baseline)
    assert (code, out) == (0, "")
    assert "accepts 17 queries, 14 that fail and 1 undecided among them" in err
    code, out, _ = run("check", store, "--baseline", baseline)
    assert (code, out.splitlines()[-1]) == (0, "holds")

    change(store, "memories.jsonl", "lind-card", deleted_at=None)
    code, out, _ = run("check", store, "--baseline", baseline)
    assert code == 1
    # The card was exposed and told; undeleted it is Ms. Lind's own, and current.
    assert out.splitlines()[:2] == [
        "deleted-card: stages verification, disclosure → none",
        "deleted-card × guest / lind / lind-card: exclude → admit (lifecycle 0 → 1): status active of "
        "2026-05-08T12:00:00Z: current for intent current",
    ]
    assert out.splitlines()[-1] == "falls short: 1 of 18 checks"
    assert f"inspector check store --baseline accepted.json\n{out}" in README

    code, out, _ = run("check", store, "--baseline", baseline, "--format", "junit", "--out", junit)
    assert (code, out) == (1, "")
    cases = [case for suite in JUnitXml.fromfile(str(junit)) for case in suite]
    failed = [case for case in cases if any(isinstance(one, Failure) for one in case.result)]
    assert [case.name for case in failed] == ["deleted-card"]
    assert "lifecycle 0 → 1" in failed[0].result[0].text

    code, out, _ = run("check", store, "--baseline", baseline, "--format", "json")
    assert code == 1
    assert [one["name"] for one in json.loads(out)["checks"] if not one["holds"]] == ["deleted-card"]
    # The drift accepted, it holds again.
    assert run("check", store, "--baseline", baseline, "--write-baseline", baseline)[0] == 1
    assert run("check", store, "--baseline", baseline)[0] == 0


def test_bad_input_of_a_check_exits_with_2(run: Run, store: Path, tmp_path: Path) -> None:
    baseline = tmp_path / "baseline.json"
    run("check", store, "--write-baseline", baseline)
    for args, said in (
        (("--baseline", tmp_path / "none.json"), "none.json: No such file"),
        (("--max-loss", "nan"), "nan is not a share from 0 to 1"),
        (("--max-contamination", "1.5"), "1.5 is not a share"),
        (("--out", tmp_path / "no" / "such" / "out.txt"), "cannot be written"),
        (("--trace", tmp_path / "none.jsonl"), "none.jsonl"),
    ):
        code, out, err = run("check", store, *args)
        assert (code, out) == (2, ""), args
        assert said in err, args
    baseline.write_text('{"inspector_baseline": 1,\n "queries": [', encoding="utf-8")
    code, out, err = run("check", store, "--baseline", baseline)
    assert (code, out) == (2, "")
    assert f"error: {baseline}:2: broken JSON at column" in err
    lines = (store / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    (store / "queries.jsonl").write_text("\n".join([*lines[:3], lines[3][:50], *lines[4:]]), encoding="utf-8")
    code, out, err = run("check", store)
    assert (code, out) == (2, "")
    assert f"error: {store / 'queries.jsonl'}:4: " in err
    (store / "queries.jsonl").unlink()
    code, out, err = run("check", store)
    assert (code, out) == (2, "")
    assert "nothing can be checked: give --queries or --trace" in err


def test_thresholds_and_what_fails_on_request(run: Run, store: Path) -> None:
    code, out, _ = run("check", store, "--max-contamination", "0.8", "--max-loss", "0.5")
    assert (code, out.splitlines()[-1]) == (0, "holds")
    code, out, _ = run("check", store, "--max-loss", "0.4")
    assert code == 1
    assert out.splitlines()[0] == "mean loss 0.5000 is over 0.4"
    code, out, _ = run("check", store, "--fail-on", "unresolved")
    assert (code, out.splitlines()[0]) == (1, "umbrella × umbrella: unresolved: the memory names no namespace")
    code, out, _ = run("check", store)
    assert (code, out.splitlines()[-1]) == (1, "falls short: 14 of 17 checks")
    assert "boot-note: assembly: house-bikes: exposed without being retrieved" in out
    code, out, _ = run("check", store, "--fail-on", "stage", "--max-loss", "1")
    assert (code, out.splitlines()[-1]) == (1, "falls short: 14 of 18 checks")
    records = [json.loads(line) for line in (store / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    calm = [{**one, "required": []} for one in records if one["id"] in ("boat-trip", "umbrella")]
    (store / "queries.jsonl").write_text("".join(json.dumps(one) + "\n" for one in calm), encoding="utf-8")
    code, _, err = run("check", store, "--max-loss", "0")
    assert code == 0
    assert "--max-loss: no query has this figure, so nothing can fall short of it" in err


# triage


def test_a_cause_is_the_same_in_every_language(store: Path) -> None:
    found = []
    for language in ("en", "ko"):  # processes of their own: the language of the data is set at the start
        command = [sys.executable, "-m", "inspector", "--lang", language, "triage", str(store), "--temporary", "--json"]
        done = subprocess.run(command, capture_output=True, check=True, encoding="utf-8")
        found.append({one["query_id"]: one["cause"] for one in json.loads(done.stdout)["incidents"]})
    assert found[0]["deleted-card"] == found[1]["deleted-card"] == "verification, lifecycle 0: deleted_at"


def test_the_queue_is_listed_worst_first_and_keeps_states_and_notes(run: Run, store: Path) -> None:
    code, out, _ = run("triage", store)
    assert code == 0
    assert out.startswith("15 incidents: 15 open\n\nexcluded and disclosed: 6\n  boat-trip ")
    assert "cause: verification, unfiltered retrieval, scope 0: another namespace from segment 2 on" in out
    assert "한지우 님은 어디에 묵으시나요?" in out
    assert "2 more in which nothing failed: --all lists them" in out
    assert "pool-hours" not in out
    assert "pool-hours" in run("triage", store, "--all")[1]

    code, out, err = run("triage", store, "--cause", "another namespace", "--set-state", "confirmed", "--note", "bug 7")
    assert code == 0
    assert "4 incidents: confirmed" in err
    assert out.count("note: bug 7") == 4
    assert run("triage", store, "--query", "umbrella", "--set-state", "dismissed")[0] == 0
    found = json.loads(run("triage", store, "--json")[1])
    assert found["states"] == {"open": 10, "confirmed": 4, "dismissed": 1, "fixed by edit": 0}
    assert found["nothing_failed"] == 2  # as many as stand in the text's last line: an answer that holds up is none
    by_id = {one["query_id"]: one for one in found["incidents"]}
    assert (by_id["boat-trip"]["state"], by_id["boat-trip"]["note"]) == ("confirmed", "bug 7")
    assert by_id["old-address"] == {
        "query_id": "old-address",
        "text": "Where will my parcel be sent?",
        "principal": "ms-lind",
        "at": "2026-05-08T12:00:00Z",
        "state": "open",
        "note": "",
        "severity": "excluded and disclosed",
        "failure_stages": ["verification", "assembly", "disclosure"],
        "proof": ["lind-address-old", "lind-address-new"],
        "cause": "verification, lifecycle 0: superseded_by",
    }
    assert found["incidents"][-1]["query_id"] == "umbrella"  # done with: last
    # The same export read again, with one more memory: states and notes stay.
    with (store / "memories.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"id": "new", "text": "A new note."}\n')
    confirmed = json.loads(run("triage", store, "--state", "confirmed", "--json")[1])
    assert {one["query_id"] for one in confirmed["incidents"]} == {"boat-trip", "room-number", "safe-code", "two-trips"}
    assert confirmed["not_shown"] == 13
    assert run("triage", store, "--query", "boat-trip", "--note", "")[1].count("note:") == 0


def test_without_a_trace_the_stages_are_said_to_be_the_route_s(run: Run, store: Path) -> None:
    assert "no trace" not in run("triage", store)[2]
    _, _, err = run("triage", store, "--route", "global_bm25")
    assert "17 of 17 queries have no trace in use: their stages are what route global_bm25 would lead to" in err


def test_the_queue_by_cause(run: Run, store: Path) -> None:
    code, out, _ = run("triage", store, "--group")
    assert code == 0
    assert "\n2 share: candidate, required, not retrieved\n  missed-ferry " in out
    groups = json.loads(run("triage", store, "--group", "--json")[1])["groups"]
    assert {"cause": "candidate, required, not retrieved", "queries": ["missed-ferry", "short-memory"]} in groups
    assert sum(len(one["queries"]) for one in groups) == 15
    assert "short-memory" not in run("triage", store, "--stage", "assembly")[1]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--set-state", "confirmed"), "say which incidents"),
        (("--note", "x", "--query", "boat-trip", "--temporary"), "a temporary workspace keeps no state"),
        (("--query", "nobody"), "no query has the id 'nobody'"),
        (("--set-state", "open", "--state", "dismissed"), "no incident was chosen: nothing was changed"),
    ],
)
def test_what_triage_refuses(run: Run, store: Path, args: tuple[str, ...], said: str) -> None:
    code, out, err = run("triage", store, *args)
    assert (code, out) == (2, "")
    assert said in err


# report


def test_a_report_of_one_or_many_in_three_forms(run: Run, store: Path, tmp_path: Path) -> None:
    page, text, data = (tmp_path / f"report.{suffix}" for suffix in ("html", "md", "json"))
    code, out, err = run("report", store, "--out", page)
    assert (code, out) == (0, "")
    assert "15 of 17 queries failed or are undecided" in err
    assert "<mark" in page.read_text(encoding="utf-8")
    assert run("report", store, "--query", "boat-trip", "--query", "umbrella", "--out", text)[0] == 0
    assert text.read_text(encoding="utf-8").startswith("# Audit of incidents: 2 incidents\n")
    assert run("report", store, "--all", "--out", data)[0] == 0
    assert len(json.loads(data.read_text(encoding="utf-8"))["incidents"]) == 17
    run("triage", store, "--stage", "candidate", "--set-state", "confirmed")
    code, out, err = run("report", store, "--state", "confirmed", "--as", "json", "--out", "-")
    assert code == 0
    assert "2 of 17 queries reported" in err
    assert [one["query"]["id"] for one in json.loads(out)["incidents"]] == ["missed-ferry", "short-memory"]
    code, out, _ = run("report", store, "--query", "boat-trip", "--as", "md", "--out", "-")
    assert code == 0
    assert out.startswith("# Audit of incidents: 1 incident\n")


def test_a_redacted_report_is_the_same_each_time_and_names_nothing(run: Run, store: Path, tmp_path: Path) -> None:
    first, again = tmp_path / "1.json", tmp_path / "2.json"
    for out in (first, again):
        assert run("report", store, "--all", "--redact", "--out", out)[0] == 0
    told = first.read_text(encoding="utf-8")
    assert told == again.read_text(encoding="utf-8")
    for file, names in (("memories.jsonl", ("id", "text")), ("queries.jsonl", ("id", "text"))):
        for line in (store / file).read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            for name in names:
                assert f'"{record[name]}"' not in told
                assert " " not in record[name] or record[name] not in told
    assert '"verdict": "exclude"' in told


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--out", "report.doc"), "the name report.doc does not say which form: give --as md, html or json"),
        (("--out", "-"), "the name - does not say which form"),
        (("--out", "r.md", "--query", "nobody"), "no query has the id 'nobody'"),
        (("--out", "r.md", "--all", "--failed"), "give --query, --state, --all or --failed, not several"),
    ],
)
def test_what_a_report_refuses(
    run: Run, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run("report", store, *args)
    assert (code, out) == (2, "")
    assert said in err
    assert not (tmp_path / "r.md").exists()


# why, evaluate


def test_why_shows_the_trail_its_breaks_and_the_stages_of_the_query(run: Run, store: Path) -> None:
    code, out, _ = run("why", store, "--query", "safe-code", "--memory", "park-code")
    assert code == 0
    lines = out.splitlines()
    assert lines[-7].endswith("memories.jsonl:9, at 2026-05-08T12:00:00Z")
    assert lines[-6:] == [
        "retrieved  0  in no event of the trace",
        "verified   0  verdict exclude",
        "exposed    0  neither id, content hash nor text is in what the trace recorded",
        "disclosed  1  the answer holds a leak target of this memory (match weak)  ← should not have happened",
        "break      disclosed without being exposed",
        "query      safe-code: disclosure (park-code)",
    ]
    _, out, _ = run("why", store, "--query", "pool-hours", "--memory", "house-pool")
    assert out.splitlines()[-1] == "query      pool-hours: no stage failed"
    assert "exposed    1  its text stands in the recorded prompt (weak, by text)" in out
    _, out, _ = run("why", store, "--query", "missed-ferry", "--memory", "house-ferry", "--json")
    told = json.loads(out)
    assert told["failure_stages"] == ["candidate"]
    assert told["proof"] == {"candidate": ["house-ferry"]}
    assert told["breaks"] == []


def summary_of(
    run: Run, store: Path, tmp_path: Path, *args: object
) -> tuple[dict[str, Any], list[dict[str, Any]], str]:
    rows, summary = tmp_path / "rows.jsonl", tmp_path / "summary.json"
    code, _, err = run("evaluate", store, "--out", rows, "--summary", summary, *args)
    assert code == 0
    lines = [json.loads(line) for line in rows.read_text(encoding="utf-8").splitlines()]
    return json.loads(summary.read_text(encoding="utf-8")), lines, err


def test_the_prompt_that_our_verdicts_would_make_stands_beside_the_one_that_was(
    run: Run, store: Path, tmp_path: Path
) -> None:
    found, rows, err = summary_of(run, store, tmp_path)
    assert "prompts assembled" not in err
    assert found["prompt"] == {"order": "rank", "budget": None, "measure": "characters"}
    by_id = {one["query_id"]: one["prompt"] for one in found["queries"]}
    assert by_id["boat-trip"]["recorded"] == ["park-boat", "house-ferry"]
    assert by_id["boat-trip"]["assembled"] == ["house-ferry"]
    assert by_id["boat-trip"]["size"] == len("The last ferry to the island leaves the pier at ten past eight.")
    assert {row["memory_id"]: row["assembled"] for row in rows if row["query_id"] == "boat-trip"} == {
        "park-boat": 0,
        "house-ferry": 1,
    }
    _, _, err = summary_of(run, store, tmp_path, "--prompt-order", "newest", "--prompt-budget", "70")
    assert "prompts assembled in order of newest, budget 70 tokens of all-MiniLM-L6-v2" in err
    found, rows, err = summary_of(
        run, store, tmp_path, "--prompt-order", "oldest", "--prompt-budget", "60", "--prompt-measure", "characters"
    )
    assert "prompts assembled in order of oldest, budget 60 characters" in err
    by_id = {one["query_id"]: one["prompt"] for one in found["queries"]}
    # Its 63 characters do not fit.
    assert by_id["boat-trip"] == {
        "recorded": ["park-boat", "house-ferry"],
        "assembled": [],
        "cut": ["house-ferry"],
        "size": 0,
    }
    # Another route assembles: what the trace exposed is not this route's.
    found, _, _ = summary_of(run, store, tmp_path, "--route", "global_bm25")
    assert {one["prompt"]["recorded"] is None for one in found["queries"] if one["retrieval"] == "simulated"} == {True}


def test_contamination_and_loss_by_path_where_there_are_several(run: Run, tmp_path: Path) -> None:
    """Two events bring a memory each: the own one, which is required, and another owner's."""
    store = tmp_path / "paths"
    store.mkdir()
    common = {"created_at": "2026-01-01T00:00:00Z", "status": "active", "allowed_purposes": ["help"]}
    memories = [
        {"id": "own", "text": "tea at four", "namespace": "ann"},
        {"id": "bob", "text": "gin", "namespace": "bob"},
    ]
    recorded = {
        "events": [
            {"name": "session", "filter": {"u": 1}, "retrieved": [{"id": "own", "score": 0.9}]},
            {"name": "keys", "filter": {"u": 1}, "retrieved": [{"id": "bob", "score": 0.8}]},
        ],
        "exposed": ["own", "bob"],
    }
    asked = {"id": "q", "text": "when is tea", "principal": {"namespaces": ["ann"]}, "purpose": "help"}
    asked |= {"intent": "current", "required": ["own"], "as_of": "2026-02-01T00:00:00Z"}
    (store / "memories.jsonl").write_text("".join(json.dumps(one | common) + "\n" for one in memories), "utf-8")
    (store / "queries.jsonl").write_text(json.dumps({**asked, "recorded": recorded}) + "\n", "utf-8")
    found, _, _ = summary_of(run, store, tmp_path)
    assert found["by_path"] == {
        "keys": {
            "queries": 1,
            "exposed": 1,
            "contamination": [1.0, 1.0],
            "inadmissible": [1.0, 1.0],
            "irrelevant": [0.0, 1.0],
            "loss": [1.0, 1.0],
        },
        "session": {
            "queries": 1,
            "exposed": 1,
            "contamination": [0.0, 0.0],
            "inadmissible": [0.0, 0.0],
            "irrelevant": [0.0, 0.0],
            "loss": [0.0, 0.0],
        },
    }
    assert found["contamination"] == [0.5, 0.5]
    assert found["loss"] == [0.0, 0.0]
