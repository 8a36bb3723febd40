"""Langfuse exports: observations by the published schema's own classes, traces by its published field names."""

from __future__ import annotations

import contextlib
import csv
import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest
from langfuse.api.commons.types import ObservationV2

from inspector.errors import InputError
from inspector.formats import LoadOptions, load
from inspector.formats.traces import TRACE_FORMATS
from inspector.records import Bundle, Query
from inspector.text import content_hash

POOL = "The pool opens at seven every morning."
CODE = "The door code is 4711."
ASKED = "When does the pool open?"
MEMORIES = [{"id": "m-pool", "text": POOL}, {"id": "m-code", "text": CODE}]
SAID = [
    {"role": "system", "content": f"Known: {POOL}"},
    {"role": "user", "content": "Hello."},
    {"role": "assistant", "content": "Good morning!"},
    {"role": "user", "content": ASKED},
]


def at(second: int) -> dt.datetime:
    return dt.datetime(2026, 5, 2, 8, 0, second, tzinfo=dt.UTC)


def observation(id: str, type: str, name: str, first: int, last: int, **given: Any) -> ObservationV2:
    return ObservationV2(
        id=id,
        trace_id="trace-1",
        project_id="p",
        type=type,
        name=name,
        start_time=at(first),
        end_time=at(last),
        parent_observation_id=None if id == "o-root" else "o-root",
        user_id="ms-lind",
        session_id="session-9",
        **given,
    )


def observations() -> list[ObservationV2]:
    return [
        observation("o-root", "CHAIN", "chat", 0, 9, input={"question": ASKED}, output={"answer": "At seven."}),
        observation(
            "o-search",
            "RETRIEVER",
            "vector-store",
            1,
            2,
            input={"query": "pool hours", "filter": {"user_id": "ms-lind"}},
            output={"results": [{"id": "m-code", "distance": 0.1, "memory": CODE}, {"id": "m-pool", "distance": 0.2}]},
        ),
        observation(
            "o-rerank",
            "SPAN",
            "rerank",
            3,
            4,
            input=[{"id": "m-code", "score": 0.1}, {"id": "m-pool", "score": 0.2}],
            output=[{"id": "m-pool", "score": 0.99}],
        ),
        observation(
            "o-model",
            "GENERATION",
            "answer",
            5,
            8,
            input={"messages": SAID},
            output={"role": "assistant", "content": "At seven."},
            model="m",
        ),
    ]


def load_trace(folder: Path, text: str) -> Bundle:
    (folder / "memories.jsonl").write_text("".join(json.dumps(one) + "\n" for one in MEMORIES), encoding="utf-8")
    (folder / "trace").mkdir(exist_ok=True)
    path = folder / "trace" / "export"
    path.write_text(text, encoding="utf-8")
    return load([folder], LoadOptions(trace=path))


def only(bundle: Bundle) -> Query:
    assert len(bundle.queries) == 1
    return bundle.queries[0]


def lines() -> str:
    return "".join(one.model_dump_json(by_alias=True) + "\n" for one in observations())


def page() -> str:
    data = [json.loads(one.model_dump_json(by_alias=True)) for one in observations()]
    return json.dumps({"data": data, "meta": {"cursor": None}}, indent=1)


def array() -> str:
    return json.dumps([json.loads(one.model_dump_json(by_alias=True)) for one in reversed(observations())], indent=2)


def snake() -> str:
    return "".join(one.model_dump_json() + "\n" for one in observations())


@pytest.fixture
def table(tmp_path: Path) -> str:
    """The same observations as a CSV export: objects as JSON in their cells."""
    rows = [json.loads(one.model_dump_json(by_alias=True)) for one in observations()]
    names = [
        "id",
        "traceId",
        "type",
        "name",
        "startTime",
        "endTime",
        "input",
        "output",
        "parentObservationId",
        "userId",
    ]
    path = tmp_path / "table.csv"
    with path.open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow([*names, "sessionId"])
        for row in rows:
            cells = [row.get(name) for name in (*names, "sessionId")]
            writer.writerow([json.dumps(cell) if isinstance(cell, dict | list) else cell for cell in cells])
    return path.read_text(encoding="utf-8")


def check(query: Query) -> None:
    assert query.text == ASKED
    assert query.value("principal") == {"id": "ms-lind"}
    assert query.value("session_id") == "session-9"
    assert query.value("as_of") == "2026-05-02T08:00:00Z"
    recorded = query.value("recorded")
    search, rerank = recorded["events"]
    assert (search["name"], search["at"], search["query"]) == ("vector-store", "2026-05-02T08:00:01Z", "pool hours")
    assert (search["filter"], search["score_kind"]) == ({"user_id": "ms-lind"}, "distance")
    assert search["retrieved"] == [
        {"id": "m-code", "score": 0.1, "content_hash": content_hash(CODE), "text": CODE},
        {"id": "m-pool", "score": 0.2},
    ]
    assert rerank["kind"] == "rerank"
    assert [one["id"] for one in rerank["retrieved"]] == ["m-pool"]
    assert [one["id"] for one in rerank["dropped"]] == ["m-code"]
    assert recorded["prompt"].startswith(f"system: Known: {POOL}\nuser: Hello.")
    assert [turn["content"] for turn in recorded["recent_turns"]] == ["Hello.", "Good morning!"]
    assert recorded["answer"] == "At seven."
    assert (recorded["prompt_at"], recorded["answer_at"]) == ("2026-05-02T08:00:05Z", "2026-05-02T08:00:08Z")


@pytest.mark.parametrize("write", [lines, page, array, snake])
def test_observations_every_field_in_place(write: Any, tmp_path: Path) -> None:
    check(only(load_trace(tmp_path, write())))


def test_observations_from_a_table(table: str, tmp_path: Path) -> None:
    check(only(load_trace(tmp_path, table)))


def test_a_trace_with_its_observations(tmp_path: Path) -> None:
    inner = [json.loads(one.model_dump_json(by_alias=True)) for one in observations()[1:]]
    for one in inner:
        del one["traceId"], one["userId"], one["sessionId"], one["parentObservationId"]
    trace = {
        "id": "trace-1",
        "timestamp": "2026-05-02T08:00:00.000Z",
        "name": "chat",
        "input": {"question": ASKED},
        "output": "At seven.",
        "sessionId": "session-9",
        "release": None,
        "version": None,
        "userId": "ms-lind",
        "metadata": {"query_id": "q-7"},
        "tags": [],
        "public": False,
        "environment": "default",
        "observations": inner,
    }
    query = only(load_trace(tmp_path, json.dumps([trace])))
    check(query)
    assert query.id == "q-7"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"resourceSpans": [{"scopeSpans": [{"spans": [{"spanId": "a"}]}]}]}', "1: traceId: is missing: an id"),
        ('{"resourceSpans": {}}', "1: resourceSpans: is not a list: a list of objects"),
        ('{"resourceSpans": [\n', "1: broken JSON at column"),
        ('{"hello": 1}', "1: is no span and no trace (its fields: hello)"),
        ('\n{"id": "o", "type": "SPAN", "traceId": "t", "startTime": "noon"}', "2: startTime: 'noon' is not a time"),
        ('{"query_id": "nobody", "recorded": {}}', "1: query_id: 'nobody' is no query's id"),
        ("[1]", "1: 1 is not an object"),
    ],
)
def test_a_bad_trace_is_named_by_line_and_field(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(Exception, match="export:") as caught:
        load_trace(tmp_path, text)
    assert said in str(caught.value)


def test_a_lenient_load_lists_the_broken_line_and_reads_on(tmp_path: Path) -> None:
    text = '{"resourceSpans": [\n' + lines()
    (tmp_path / "memories.jsonl").write_text(json.dumps(MEMORIES[0]) + "\n", encoding="utf-8")
    (tmp_path / "trace").mkdir()
    path = tmp_path / "trace" / "export"
    path.write_text(text, encoding="utf-8")
    bundle = load([tmp_path], LoadOptions(trace=path, lenient=True))
    check(only(bundle))
    assert len(bundle.skipped) == 1
    assert bundle.skipped[0].line == 1


def test_hostile_depth_is_an_error_with_its_line(tmp_path: Path) -> None:
    deep = '{"id":"o","type":"SPAN","traceId":"t","startTime":1,"input":' + "[" * 3000 + "]" * 3000 + "}"
    with pytest.raises(Exception, match=r"export:1: .*nested too deeply"):
        load_trace(tmp_path, deep)
    # A text that is JSON again, nested deeply.
    text = json.dumps({"id": "o", "type": "RETRIEVER", "traceId": "t", "startTime": 1, "output": "[" * 900 + "]" * 900})
    load_trace(tmp_path, text)


@pytest.mark.parametrize("depth", [50, 300, 450, 700, 990])
def test_json_in_a_text_however_deep_is_read_or_named(depth: int, tmp_path: Path) -> None:
    text = '{"message":' * depth + "1" + "}" * depth
    attributes = {"openinference.span.kind": "LLM", "input.value": text, "llm.prompts.0": "x"}
    with contextlib.suppress(InputError):
        load_trace(tmp_path, json.dumps({"trace_id": "t", "span_id": "s", "attributes": attributes}))


@pytest.mark.parametrize("name", [one.name for one in TRACE_FORMATS])
def test_the_example_of_every_trace_format_loads(name: str, tmp_path: Path) -> None:
    example = next(one.example for one in TRACE_FORMATS if one.name == name)
    (tmp_path / "memories.jsonl").write_text('{"id": "m1", "text": "Ana lives in Porto."}\n', encoding="utf-8")
    (tmp_path / "queries.jsonl").write_text('{"id": "q1", "text": "Where does Ana live?"}\n', encoding="utf-8")
    (tmp_path / "trace").mkdir()
    path = tmp_path / "trace" / "export"
    path.write_text(example, encoding="utf-8")
    bundle = load([tmp_path], LoadOptions(trace=path))
    found = [query.value("recorded") for query in bundle.queries if query.value("recorded")]
    assert [event["retrieved"][0]["id"] for event in found[0]["events"]] == ["m1"]
