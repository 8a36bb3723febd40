"""Every kind of bad input, with the whole line that the user sees; and what ``lenient`` makes of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from inspector.errors import InputError
from inspector.formats import FORMATS, LoadOptions, load

GOOD = b'{"id": "a", "text": "x"}\n'
TIME = "an ISO 8601 time such as 2026-03-01T09:30:00Z, a date, or epoch seconds"
READABLE = (
    "JSON Lines, JSON, CSV or Parquet of records with id and text, a store that `inspector formats` lists, or "
    "--mapping FILE for other fields"
)
MAPPED = f"{READABLE}; `inspector map m --out mapping.toml` proposes a mapping"


def message(path: Path, options: LoadOptions | None = None) -> str:
    """What the user reads, the folder of the test left out."""
    with pytest.raises(InputError) as caught:
        load([path], options)
    return str(caught.value).replace(f"{path.parent}/", "")


BAD_RECORDS = {
    "broken line": (
        b'{"id": "b", "text": \n',
        "m:2: broken JSON at column 20 (Expecting value): one JSON object on each line",
    ),
    "two values": (
        b'{"id": "b", "text": "x"} 1\n',
        "m:2: broken JSON at column 26 (Extra data): one JSON object on each line",
    ),
    "not an object": (b'["b", "x"]\n', "m:2: ['b', 'x'] is not an object: an object with at least id and text"),
    "missing id": (b'{"text": "x"}\n', "m:2: id: is missing: a text"),
    "missing text": (b'{"id": "b"}\n', "m:2: text: is missing: a text"),
    "empty id": (b'{"id": "", "text": "x"}\n', "m:2: id: the id is empty: a text that is unique in its namespace"),
    "id as number": (b'{"id": 7, "text": "x"}\n', "m:2: id: Expected str, got int: a text"),
    "null text": (b'{"id": "b", "text": null}\n', "m:2: text: Expected str, got null: a text"),
    "list for a word": (
        b'{"id": "b", "text": "x", "status": []}\n',
        "m:2: status: Expected str | null, got array: a text",
    ),
    "wrong item": (
        b'{"id": "b", "text": "x", "allowed_purposes": ["p", 3]}\n',
        "m:2: allowed_purposes[1]: Expected str, got int: a list of texts",
    ),
    "time": (b'{"id": "b", "text": "x", "created_at": "soon"}\n', f"m:2: created_at: 'soon' is not a time: {TIME}"),
    "bool as int": (
        b'{"id": "b", "text": "x", "verification_required": 1}\n',
        "m:2: verification_required: Expected bool | null, got int: true or false",
    ),
    "not UTF-8": (b'{"id": "b", "text": "\xff"}\n', "m:2: byte 0xff at byte 22 of the line is not UTF-8: UTF-8 text"),
    "lone surrogate": (
        b'{"id": "b", "text": "ab\\ud83d"}\n',
        r"m:2: text: holds a lone surrogate, \ud83d, at character 3: Unicode text",
    ),
    "lone surrogate in an inner key": (
        b'{"id": "b", "text": "x", "meta": {"\\udfff": 1}}\n',
        r"m:2: meta.\udfff: the key holds a lone surrogate: Unicode text",
    ),
    "deep nesting": (
        b'{"id": "b", "text": "x", "meta": {"a": ' + b"[" * 101 + b"]" * 101 + b"}}\n",
        "m:2: meta.a[0]: nested too deeply: at most 100 levels",
    ),
    "deeper than the stack": (
        b'{"id": "b", "text": "x", "meta": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n",
        "m:2: nested too deeply: at most 100 levels",
    ),
    "duplicate key": (
        b'{"id": "b", "text": "x", "text": "y"}\n',
        "m:2: text: the key stands twice in one object: each key once",
    ),
    "huge whole number": (
        b'{"id": "b", "text": "x", "n": ' + b"9" * 5000 + b"}\n",
        "m:2: a whole number of more than 4300 digits: a shorter number",
    ),
    "large count": (
        b'{"id": "b", "text": "x", "contradiction_count": 99999999999999999999}\n',
        "m:2: contradiction_count: the number is out of range: a whole number below 2^63",
    ),
    "NaN outside a vector": (
        b'{"id": "b", "text": "x", "contradiction_count": NaN}\n',
        "m:2: contradiction_count: nan is not a finite number: NaN only in embedding or score",
    ),
    "overflow to infinity": (
        b'{"id": "b", "text": "x", "meta": {"n": [1e999]}}\n',
        "m:2: meta.n[0]: inf is not a finite number: NaN only in embedding or score",
    ),
    "same id, other content": (
        b'{"id": "a", "text": "y", "status": "active"}\n',
        "m:2: id: memory 'a' stands already at m:1 with another status, text: one content for one id",
    ),
    "true is not 1": (
        b'{"id": "a", "text": "x", "contradiction_count": 0}\n',
        "m:2: id: memory 'a' stands already at m:1 with another contradiction_count: one content for one id",
    ),
}


@pytest.mark.parametrize("name", BAD_RECORDS)
def test_bad_record_is_named_or_skipped(tmp_path: Path, name: str) -> None:
    line, expected = BAD_RECORDS[name]
    path = tmp_path / "m"
    path.write_bytes(GOOD + line + b'{"id": "z", "text": "last"}\n')
    assert message(path) == expected
    bundle = load([path], LoadOptions(lenient=True))
    assert [memory.id for memory in bundle.memories] == ["a", "z"]
    assert [str(problem).replace(f"{tmp_path}/", "") for problem in bundle.skipped] == [expected]


BAD_QUERIES = {
    "intent": (
        '{"id": "q", "text": "x", "intent": "later"}',
        "q.jsonl:1: intent: 'later' is not known: one of current, history, unknown",
    ),
    "principal": (
        '{"id": "q", "text": "x", "principal": {"namespaces": "ana"}}',
        "q.jsonl:1: principal.namespaces: Expected array | null, got str: an object",
    ),
    "NaN in a score is allowed, elsewhere not": (
        '{"id": "q", "text": "x", "recorded": {"events": [{"retrieved": [{"id": "a", "score": NaN}]}], "n": NaN}}',
        "q.jsonl:1: recorded.n: nan is not a finite number: NaN only in embedding or score",
    ),
    "same id": (
        '{"id": "q", "text": "x"}\n{"id": "q", "text": "y"}',
        "q.jsonl:2: id: query 'q' stands already at q.jsonl:1 with another text: one content for one id",
    ),
}


@pytest.mark.parametrize("name", BAD_QUERIES)
def test_bad_query(tmp_path: Path, name: str) -> None:
    line, expected = BAD_QUERIES[name]
    (tmp_path / "m").write_bytes(GOOD)
    (tmp_path / "q.jsonl").write_text(line)
    assert message(tmp_path / "m", LoadOptions(queries=tmp_path / "q.jsonl")).replace(f"{tmp_path}/", "") == expected


TRIT = 'true, false, null, 1, 0, "1", "0" or "?"'
BAD_JUDGMENTS = {
    "unknown trit": (
        '{"query_id": "q", "memory_id": "a", "axis": "scope", "value": "true"}',
        f"j.jsonl:1: value: 'true' is not a trit: {TRIT}",
    ),
    "trit as float": (
        '{"query_id": "q", "memory_id": "a", "axis": "scope", "value": 1.0}',
        f"j.jsonl:1: value: 1.0 is not a trit: {TRIT}",
    ),
    "no value": ('{"query_id": "q", "memory_id": "a", "axis": "scope"}', f"j.jsonl:1: value: is missing: {TRIT}"),
    "axis": (
        '{"query_id": "q", "memory_id": "a", "axis": "taste", "value": 1}',
        "j.jsonl:1: axis: 'taste' is not an axis: one of scope, policy, lifecycle, relevance",
    ),
    "query_id": ('{"memory_id": "a", "axis": "scope", "value": 1}', "j.jsonl:1: query_id: is missing: a text"),
    "namespace": (
        '{"query_id": "q", "memory_id": "a", "namespace": 3, "axis": "scope", "value": 1}',
        "j.jsonl:1: namespace: Expected str | array | null, got int: a text or a list of texts",
    ),
}


@pytest.mark.parametrize("name", BAD_JUDGMENTS)
def test_bad_judgment(tmp_path: Path, name: str) -> None:
    line, expected = BAD_JUDGMENTS[name]
    (tmp_path / "m").write_bytes(GOOD)
    (tmp_path / "j.jsonl").write_text(line)
    assert message(tmp_path / "m", LoadOptions(judgments=tmp_path / "j.jsonl")) == expected


BAD_FILES = {
    "empty": (b"", "m: the file is empty: at least one record"),
    "blank": (b" \n\n", "m: the file is empty: at least one record"),
    "byte order mark alone": (b"\xef\xbb\xbf", "m: the file is empty: at least one record"),
    "empty list": (b"[]", "m: the file holds no records: at least one of memories"),
    "no memories in the object": (b'{"memories": []}', "m: the file holds no records: at least one of memories"),
    "memories is no list": (b'{"memories": {}}', "m:1: memories: is not a list: a list of objects"),
    "UTF-16": ('{"id": "a"}'.encode("utf-16"), "m: is UTF-16 text: the same text as UTF-8"),
    "UTF-16 without a mark": ('{"id": "a"}'.encode("utf-16-be"), "m: is UTF-16 text: the same text as UTF-8"),
    "binary": (b"\0" * 100, f"m: holds NUL bytes: it is no text: {READABLE}"),
    "Latin-1": (b"id,text\xe9", "m:1: byte 0xe9 at byte 8 of the line is not UTF-8: UTF-8 text"),
    "gzip": (b"\x1f\x8b\x08\x00", "m: is a gzip file: the file that is packed in it"),
    "cut SQLite": (
        b"SQLite format 3\x00",
        "m: broken SQLite file (file is not a database): a whole database, not encrypted",
    ),
    "prose": (b"Dear all, hello\nBye\n", f"m: not recognised (its fields: Dear all, hello): {MAPPED}"),
    "foreign fields": (b'{"uuid": 1, "body": "x"}\n', f"m: not recognised (its fields: body, uuid): {MAPPED}"),
    "cut Parquet": (b"PAR1" + b"\0" * 40, None),
    "broken array": (
        b'[{"id": "a", "text": "x"},\n {"id": ]',
        "m:2: broken JSON at column 9 (Expecting value): a complete JSON document",
    ),
    "cut array": (
        b'[\n{"id": "a", "text": "x"}\n',
        "m:3: broken JSON at column 1 (Expecting ',' or ']'): a complete JSON document",
    ),
    "text after the document": (
        b'[{"id": "a", "text": "x"}]\n!',
        "m:2: text after the end of the document: one JSON document",
    ),
    "bad byte in an array": (
        b'[\n{"id": "a", "text": "\xc3\xa9\xff"}]',
        "m:2: byte 0xff at byte 24 of the line is not UTF-8: UTF-8 text",
    ),
    "key twice": (
        b'{"memories": [{"id": "a", "text": "x"}],\n"memories": []}',
        "m:2: memories: the key stands twice in one object: each key once",
    ),
    "CSV with a column twice": (b"id,text,id\n", "m:1: id: two columns have this name: each name once"),
    "CSV with a column without a name": (b"id,text,\n", "m:1: column 3 has no name: a name for each column"),
    "CSV row too long": (b"id,text\na,x,y\n", "m:2: the row has 3 cells: 2 cells, as in the header"),
    "CSV quote not closed": (
        b'id,text\na,x\nb,"y\nz\n',
        "m:3: broken CSV (unexpected end of data): quoted cells that are closed",
    ),
    "CSV list that is not JSON": (
        b"id,text,allowed_purposes\na,x,p\n",
        'm:2: allowed_purposes: \'p\' is not JSON: JSON, such as ["a", "b"]',
    ),
    "CSV without rows": (b"id,text\n", "m: the file holds no records: at least one of memories"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_file(tmp_path: Path, name: str) -> None:
    content, expected = BAD_FILES[name]
    (tmp_path / "m").write_bytes(content)
    said = message(tmp_path / "m")
    if expected is None:  # the words in brackets are DuckDB's own
        assert said.startswith("m: broken Parquet (")
        assert said.endswith("): a complete Parquet file")
    else:
        assert said == expected


def test_missing_file_and_folder_without_memories(tmp_path: Path) -> None:
    assert message(tmp_path / "no") == "no: does not exist: a file or folder that can be read"
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "README.md").write_text("no store")
    assert message(folder) == (
        "folder: the folder holds no memories: memories.*, or a folder that `inspector formats` lists"
    )


def test_nothing_given() -> None:
    with pytest.raises(InputError, match=r"^SOURCE: nothing was given: a file or a folder$"):
        load([])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_permission_denied(tmp_path: Path) -> None:
    path = tmp_path / "m"
    path.write_bytes(GOOD)
    path.chmod(0)
    assert message(path) == "m: permission denied: a file or folder that you may read"


def test_permission_denied_as_the_system_says_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    path = tmp_path / "m"
    path.write_bytes(GOOD)
    monkeypatch.setattr(Path, "open", refuse)
    assert message(path) == "m: permission denied: a file or folder that you may read"


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "m")
    assert message(tmp_path / "m") == "m: is neither a file nor a folder: a file that can be read twice"


def test_two_files_for_one_part(tmp_path: Path) -> None:
    folder = tmp_path / "b"
    folder.mkdir()
    for name in ("memories.jsonl", "memories.csv"):
        (folder / name).write_bytes(GOOD)
    assert message(folder) == "b: two files could be the memories: memories.csv and memories.jsonl: one of them"


def test_unknown_format_names_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "m").write_bytes(GOOD)
    assert message(tmp_path / "m", LoadOptions(as_format="jsonll")) == (
        "--as jsonll: no such format; did you mean 'jsonl'?: one of " + ", ".join(one.name for one in FORMATS)
    )


def test_a_trace_that_is_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "m").write_bytes(GOOD)
    assert message(tmp_path / "m", LoadOptions(trace=Path("t.jsonl"))) == (
        "t.jsonl: does not exist: a file or folder that can be read"
    )


def test_line_of_50_mb_is_read_and_a_longer_one_refused(tmp_path: Path) -> None:
    path = tmp_path / "m"
    size = 50_000_000
    path.write_bytes(GOOD + b'{"id": "b", "text": "' + b"y" * size + b'"}\n')
    assert len(load([path]).memories[1].text) == size
    path.write_bytes(GOOD + b'{"id": "b", "text": "' + b"y" * size + b"\n")
    assert (
        message(path) == "m:2: broken JSON at column 21 (Unterminated string starting at): one JSON object on each line"
    )
    with path.open("wb") as file:
        file.write(GOOD)
        file.truncate(70 * 1024 * 1024)  # zeros that take no disk: one line of almost 70 MiB
        file.seek(0, os.SEEK_END)
        file.write(b'\n{"id": "c", "text": "x"}\n')
    assert message(path) == "m:2: the line is longer than 64 MiB: a shorter line"
    assert [memory.id for memory in load([path], LoadOptions(lenient=True)).memories] == ["a", "c"]


def test_messages_do_not_repeat_long_values(tmp_path: Path) -> None:
    path = tmp_path / "m"
    path.write_bytes(b'{"id": "a", "text": "x", "created_at": "' + b"9" * 100_000 + b'"}\n')
    assert len(message(path)) < 500


def test_lenient_with_nothing_left_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "m"
    path.write_bytes(b'{"id": 1, "text": "x"}\n{"id": 2, "text": "x"}\n')
    assert message(path, LoadOptions(lenient=True)) == (
        "m: no memory could be read: 2 skipped, the first at m:1: id: Expected str, got int: a text: "
        "at least one memory"
    )


def test_lenient_csv_passes_over_a_row_with_a_bad_byte_and_keeps_step(tmp_path: Path) -> None:
    path = tmp_path / "m"
    path.write_bytes(b'id,text\na,x\nb,"one\n\xff\ntwo"\nc,y\n')
    bundle = load([path], LoadOptions(lenient=True))
    assert [(memory.id, memory.text) for memory in bundle.memories] == [("a", "x"), ("c", "y")]
    assert [str(problem) for problem in bundle.skipped] == [
        f"{path}:4: byte 0xff at byte 1 of the line is not UTF-8: UTF-8 text"
    ]
