"""Real traces through the command line: files by the official exporters, from `--trace` to verdicts and reports."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.formats.traces import TRACE_FORMATS
from tests.formats.test_trace_langfuse import page
from tests.formats.test_trace_spans import ASKED, CODE, POOL, SPA, columns, genai, otlp

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """The notes that the traces name; who asks, for what and with which evidence, stands in the query."""
    folder = tmp_path / "store"
    folder.mkdir()
    common = {"status": "active", "created_at": "2026-04-01T00:00:00Z", "allowed_purposes": ["concierge"]}
    memories = [
        {"id": "m-pool", "text": POOL, "namespace": "house"},
        {"id": "m-spa", "text": SPA, "namespace": "house"},
        {"id": "m-code", "text": CODE, "namespace": "park"},
    ]
    asked = {"id": "pool", "text": ASKED, "principal": {"id": "ms-lind", "namespaces": ["lind", "house"]}}
    asked |= {"purpose": "concierge", "intent": "current", "required": ["m-pool"]}
    (folder / "memories.jsonl").write_text("".join(json.dumps(one | common) + "\n" for one in memories), "utf-8")
    (folder / "queries.jsonl").write_text(json.dumps(asked) + "\n", encoding="utf-8")
    return folder


def langfuse(path: Path) -> None:
    path.write_text(page(), encoding="utf-8")


#: For each file: the stages, their proof, and (rank, verdict, retrieved, exposed) of every candidate by id. The model's
#: prompt holds the pool's text; the door code is another guest's: the first search found it, a reranker dropped it.
EXPECTED: list[tuple[str, Callable[[Path], None], dict[str, list[str]], dict[str, tuple[Any, ...]]]] = [
    ("otlp.jsonl", otlp, {"trace": ["lind/ghost"]}, {"m-code": (1, 0, 1, 0), "m-pool": (2, 1, 1, 1)}),
    ("frame.jsonl", columns, {"trace": ["lind/ghost"]}, {"m-code": (1, 0, 1, 0), "m-pool": (2, 1, 1, 1)}),
    (
        "genai.jsonl",
        lambda path: otlp(path, genai),
        {"none": []},
        {"m-spa": (1, 1, 1, 0), "m-pool": (2, 1, 1, 1), "m-code": (3, 0, 1, 0)},
    ),
    ("langfuse.json", langfuse, {"none": []}, {"m-code": (1, 0, 1, 0), "m-pool": (2, 1, 1, 1)}),
]


@pytest.mark.parametrize(("name", "write", "proof", "rows"), EXPECTED, ids=[one[0] for one in EXPECTED])
def test_a_trace_goes_through_every_command(
    run: Run,
    store: Path,
    tmp_path: Path,
    name: str,
    write: Callable[[Path], None],
    proof: dict[str, list[str]],
    rows: dict[str, tuple[Any, ...]],
) -> None:
    trace, out, summary = tmp_path / name, tmp_path / "rows.jsonl", tmp_path / "summary.json"
    write(trace)
    code, _, err = run("evaluate", store, "--trace", trace, "--out", out, "--summary", summary)
    assert code == 0
    assert "traces: 1 matched by the question's words" in err
    found = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    told = {
        one["memory_id"]: (one["rank"], one["admissible"], one["trail"]["retrieved"], one["trail"]["exposed"])
        for one in found
    }
    assert told == rows
    (query,) = json.loads(summary.read_text(encoding="utf-8"))["queries"]
    assert query["query_id"] == "pool"
    assert query["proof"] == proof
    assert query["loss"] == [0.0, 0.0]
    assert query["prompt"]["recorded"][0] == "m-pool"

    fails = "none" not in proof
    code, words, _ = run("check", store, "--trace", trace)
    assert code == (1 if fails else 0)
    assert words.splitlines()[-1] == ("falls short: 1 of 1 checks" if fails else "holds")
    assert run("check", store, "--trace", trace, "--write-baseline", tmp_path / "b.json")[0] == 0
    assert run("check", store, "--trace", trace, "--baseline", tmp_path / "b.json")[0] == 0

    code, _, _ = run("report", store, "--trace", trace, "--all", "--out", tmp_path / "report.json")
    assert code == 0
    (incident,) = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["incidents"]
    assert incident["answer"] == "At seven."
    assert [one["id"] for one in incident["candidates"]][: len(rows)] == list(rows)
    code, words, _ = run("why", store, "--trace", trace, "--query", "pool", "--memory", "m-code")
    assert code == 0
    assert "decided by scope" in words


@pytest.mark.parametrize("command", ["evaluate", "check", "report", "triage", "why"])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"resourceSpans": [\n', ":1: broken JSON at column"),
        ('{"resourceSpans": [{"scopeSpans": [{"spans": [{"spanId": "a"}]}]}]}', ":1: traceId: is missing: an id"),
        ('\n{"id": "o", "type": "SPAN", "traceId": "t", "startTime": "noon"}', ":2: startTime: 'noon' is not a time"),
        ('{"query_id": "nobody", "recorded": {}}', ":1: query_id: 'nobody' is no query's id"),
        ("{}", ":1: is no span and no trace"),
    ],
)
def test_a_bad_trace_is_named_by_file_line_and_field(
    run: Run, store: Path, tmp_path: Path, command: str, text: str, said: str
) -> None:
    trace = tmp_path / "trace.jsonl"
    trace.write_text(text, encoding="utf-8")
    more: dict[str, tuple[object, ...]] = {
        "evaluate": ("--out", "-"),
        "report": ("--out", "-", "--as", "md"),
        "why": ("--query", "pool", "--memory", "m-pool"),
    }
    code, out, err = run(command, store, "--trace", trace, *more.get(command, ()))
    assert (code, out) == (2, "")
    assert f"error: {trace}{said}" in err


@pytest.mark.parametrize("write", [otlp, columns, langfuse], ids=["otlp", "frame", "langfuse"])
def test_a_trace_in_the_place_of_the_store_is_called_so(
    run: Run, store: Path, tmp_path: Path, write: Callable[[Path], None]
) -> None:
    trace = tmp_path / "spans.json"
    write(trace)
    for args in (("triage", trace), ("check", trace, store), ("evaluate", trace, "--out", "-")):
        code, out, err = run(*args)
        assert (code, out) == (2, "")
        assert f"error: {trace}: holds traces and no memories: the store of memories as SOURCE, and --trace" in err


def test_what_a_trace_does_not_say_can_be_declared(run: Run, store: Path, tmp_path: Path) -> None:
    """A trace alone: its asker is known by id, and nothing says what they own or what for they ask."""
    trace = tmp_path / "trace.json"
    langfuse(trace)
    (store / "queries.jsonl").unlink()
    memories = [json.loads(line) for line in (store / "memories.jsonl").read_text(encoding="utf-8").splitlines()]
    for one in memories:
        one["namespace"] = "ms-lind" if one["id"] == "m-pool" else one["namespace"]
        del one["allowed_purposes"], one["status"]
    (store / "memories.jsonl").write_text("".join(json.dumps(one) + "\n" for one in memories), encoding="utf-8")
    code, out, err = run("triage", store, "--trace", trace)
    assert code == 0
    assert "undecided: 1\n  trace-1 " in out
    (line,) = [line for line in err.splitlines() if line.startswith("undecided for lack of: ")]
    assert {"query.principal.namespaces", "policy", "status"} <= set(line.partition(": ")[2].split(", "))
    assert "--assume 'query.principal.namespaces={principal.id}'" in err
    taken = ("policy=allow", "status=current", "query.intent=current", "query.principal.namespaces={principal.id}")
    assumed = [part for one in taken for part in ("--assume", one)]
    code, out, err = run("triage", store, "--trace", trace, *assumed, "--all")
    assert "nothing failed: 1\n  trace-1 " in out
    assert "assumed: policy=allow, query.intent=current, query.principal.namespaces={principal.id}" in err
    assert "undecided for lack of" not in err
    code, out, _ = run("why", store, "--trace", trace, *assumed, "--query", "trace-1", "--memory", "m-pool")
    scope = next(line for line in out.splitlines() if line.startswith("scope "))
    assert scope.startswith("scope      1  ")
    assert "assumed: principal.namespaces" in scope
    code, out, err = run("triage", store, "--trace", trace, "--assume", "query.principal.namespaces=[1]")
    assert (code, out) == (2, "")
    assert "error: --assume: query.principal.namespaces: " in err


def test_formats_lists_what_a_trace_may_be(run: Run) -> None:
    listed = json.loads(run("formats", "--json")[1])
    assert [one["name"] for one in listed if one["given_as"] == "--trace"] == [one.name for one in TRACE_FORMATS]
    words = run("formats")[1]
    assert "\nlangfuse  (--trace)\n" in words
    assert "\nbundle\n" in f"\n{words}"
