"""Lint: for each code a record that has it, and one that nearly has it (DESIGN 11).

Each case is a whole small store; the finding expected, and its absence from the near case, follow from the words of
DESIGN 11 and of the code's meaning.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inspector.errors import InputError
from inspector.inspection import OpenOptions, open_sources
from inspector.linting import LintReport, guards, lint_sources, nearness, own_vectors
from inspector.linting import lint as lint_inspection
from inspector.mdl.scripts import shares
from inspector.records import Memory, Origin, Query, Settings, default_as_of
from inspector.store.lint import CODES, SEVERITIES, Finding, Subject, lint_store
from inspector.store.lint_vectors import MOST_RELATED, similar_pairs
from inspector.times import parse_time

Fields = dict[str, Any]
BASE: Fields = {"namespace": "n", "created_at": "2026-01-01T00:00:00Z"}
#: Codes that need more than records; their cases stand below.
ELSEWHERE = {"unreadable-record", "duplicate-id", "looks-capped", "near-duplicate", "conflict", "plane-differs"}


def memories(records: Sequence[Fields]) -> list[Memory]:
    return [
        Memory({"id": f"m{at}", "text": f"text number {at}", **BASE, **fields}, Origin("memories.jsonl", at))
        for at, fields in enumerate(records, 1)
    ]


def queries(records: Sequence[Fields]) -> list[Query]:
    return [
        Query({"id": f"q{at}", "text": f"question {at}", **fields}, Origin("queries.jsonl", at))
        for at, fields in enumerate(records, 1)
    ]


def linted(records: Sequence[Fields], asked: Sequence[Fields] = (), **settings: Any) -> list[Finding]:
    stored = memories(records)
    plain = Settings(**settings)
    plain = plain.with_(default_as_of=default_as_of(stored, plain.exported_at, plain.timezone))
    subject = Subject(stored, queries(asked), plain, (), (), guards(stored), shares, frozenset({"latin"}))
    return lint_store(subject)


def found(code: str, findings: Sequence[Finding]) -> list[str]:
    """The records that have the finding, by their ids."""
    return [one.record.rpartition("/")[2] for one in findings if one.code == code]


NO_OWNER: Fields = {"namespace": None}
EXPORTED = {"exported_at": parse_time("2026-06-01T00:00:00Z", "exported_at")}
FRESH: list[Fields] = [{"sensitivity": "low", "category": None, "meta": {"bucket": "b"}} for _ in range(5)]
UPDATED: Fields = {"updated_at": "2026-02-01T00:00:00Z"}

#: Code, store that has it, ids that have it, store that nearly has it, settings.
CASES: list[tuple[str, list[Fields], list[str], list[Fields], Fields]] = [
    # orphan: nothing of namespace, session, tag; empty is no value. Near: a tag alone places it.
    ("orphan", [NO_OWNER, {"namespace": ""}], ["m1", "m2"], [{"namespace": None, "semantic_tag": "t"}], {}),
    ("orphan", [{"namespace": [], "session_id": ""}], ["m1"], [{"namespace": None, "session_id": "s"}], {}),
    ("orphan", [NO_OWNER], ["m1"], [{"namespace": None, "namespaces": ["a", ["b"]]}], {}),
    # duplicate-text: NFKC, case and white space aside. Near: one letter more; the same text in another namespace.
    (
        "duplicate-text",
        [{"text": "Caf\u00e9  is OPEN"}, {"text": "cafe\u0301 is open\n"}],
        ["m2"],
        [{"text": "open"}, {"text": "opens"}, {"text": "OPEN", "namespace": "other"}],
        {},
    ),
    # dangling-successor. Near: the id is there in another namespace alone, which is where it is looked for next.
    (
        "dangling-successor",
        [{"superseded_by": "gone"}],
        ["m1"],
        [{"superseded_by": "m2"}, {"namespace": "other"}],
        {},
    ),
    (
        "dangling-successor",  # in two other namespaces: which one is not said
        [{"superseded_by": "x"}, {"id": "x", "namespace": "a"}, {"id": "x", "namespace": "b"}],
        ["m1"],
        [{"superseded_by": "x"}, {"id": "x", "namespace": "n"}, {"id": "x", "namespace": "b"}],
        {},
    ),
    # cyclic-successor. Near: a chain of three, and a fourth that leads into the ring without being of it.
    (
        "cyclic-successor",
        [{"superseded_by": "m2"}, {"superseded_by": "m3"}, {"superseded_by": "m1"}, {"superseded_by": "m1"}],
        ["m1", "m2", "m3"],
        [{"superseded_by": "m2"}, {"superseded_by": "m3"}, {}],
        {},
    ),
    ("cyclic-successor", [{"superseded_by": "m1"}], ["m1"], [{"superseded_by": "m2"}, {}], {}),
    # status-against-times: at the label's own time. Near: the end comes after the label was set.
    (
        "status-against-times",
        [{"status": "active", "status_at": "2026-03-01T00:00:00Z", "valid_to": "2026-02-01T00:00:00Z"}],
        ["m1"],
        [{"status": "active", "status_at": "2026-03-01T00:00:00Z", "valid_to": "2026-03-01T00:00:01Z"}],
        {},
    ),
    (
        "status-against-times",
        [{"status": "verified", "deleted_at": "2026-05-01T00:00:00Z"}],
        ["m1"],
        [{"status": "stale", "deleted_at": "2026-05-01T00:00:00Z"}, {"deleted_at": "2026-05-01T00:00:00Z"}],
        EXPORTED,
    ),
    (
        "status-against-times",
        [{"status": "current", "valid_from": "2026-07-01T00:00:00Z"}],
        ["m1"],
        [{"status": "current", "valid_from": "2026-06-01T00:00:00Z"}],
        EXPORTED,
    ),
    (
        "status-against-times",
        [{"status": "expired", "valid_to": "2026-07-01T00:00:00Z"}],
        ["m1"],
        [{"status": "stale", "valid_to": "2026-07-01T00:00:00Z"}],
        EXPORTED,
    ),
    (
        "status-against-times",
        [{"status": "erased", "deleted_at": "2026-07-01T00:00:00Z"}],
        ["m1"],
        [{"status": "erased"}],
        EXPORTED,
    ),
    (
        "status-against-times",
        [{"status": "active", "superseded_by": "m2"}, {"valid_from": "2026-05-01T00:00:00Z"}],
        ["m1"],
        [{"status": "superseded", "superseded_by": "m2"}, {"valid_from": "2026-05-01T00:00:00Z"}],
        EXPORTED,
    ),
    (
        "status-against-times",
        [{"updated_at": "2025-12-31T00:00:00Z"}],
        ["m1"],
        # Within 14 hours a time without a zone may be either side: nothing certain is said.
        [{"updated_at": "2026-01-01T00:00:00Z"}, {"updated_at": "2025-12-31T20:00:00"}],
        {},
    ),
    # naive-time. Near: with a zone, as epoch seconds, or in a store that declares its zone (below).
    (
        "naive-time",
        [{"valid_to": "2026-05-01"}, {"boundary_log": [{"state": "active", "at": "2026-01-02T00:00:00"}]}],
        ["m1", "m2"],
        [{"valid_to": "2026-05-01T00:00:00+09:00"}, {"valid_to": 1_780_000_000}],
        {},
    ),
    ("naive-time", [{"valid_to": "2026-05-01"}], ["m1"], [{"valid_to": ""}, {"valid_to": None}], {}),
    # valid-range. Near: one instant, written in two zones.
    (
        "valid-range",
        [{"valid_from": "2026-03-02T00:00:00Z", "valid_to": "2026-03-01T00:00:00Z"}],
        ["m1"],
        [{"valid_from": "2026-03-01T09:00:00+09:00", "valid_to": "2026-03-01T00:00:00Z"}],
        {},
    ),
    # vectors: the length is the commonest. Near: one number that is not zero; no vector at all.
    (
        "vector-zero",
        [{"embedding": [0.0, 0, -0.0]}, {"embedding": [1.0, 0.0, 0.0]}],
        ["m1"],
        [{"embedding": [0.0, 0.0, 1e-30]}, {"embedding": []}, {}],
        {},
    ),
    (
        "vector-not-finite",
        [{"embedding": [1.0, float("nan")]}, {"embedding": [None, 1.0]}, {"embedding": [float("inf"), 1.0]}],
        ["m1", "m2", "m3"],
        [{"embedding": [1e300, -1e300]}],
        {},
    ),
    (
        "vector-length",
        [{"embedding": [1.0]}, {"embedding": [1.0, 2.0]}, {"embedding": [2.0, 2.0]}],
        ["m1"],
        [{"embedding": [1.0, 2.0]}, {"embedding": [2.0, 2.0]}, {}],
        {},
    ),
    # characters, in any field. Near: tab, line ends and letters written from right to left are ordinary text.
    (
        "control-character",
        [{"text": "a\x1b[31m"}, {"meta": {"deep": ["\x00"]}}, {"keys": {"a\x85": "b"}}],
        ["m1", "m2", "m3"],
        [{"text": "a\tb\r\nc"}, {"text": "שלום"}, {"text": "👩\u200d🚀"}],
        {},
    ),
    (
        "bidi-character",
        [{"text": "safe\u202egnp.exe"}, {"source": "\u2066x\u2069"}],
        ["m1", "m2"],
        [{"text": "שלום hello"}, {"text": "a\u200bb"}],
        {},
    ),
    # governs and authority
    (
        "governs-without-authority",
        [{"governs": {"action_types": ["execute"]}}],
        ["m1"],
        [{"governs": {"action_types": ["execute"]}, "verification_required": True}, {"governs": {}}],
        {},
    ),
    (
        "authority-without-governs",
        [{"memory_type": "policy"}, {"contradiction_count": 2, "governs": {"action_types": []}}],
        ["m1", "m2"],
        [{"memory_type": "context"}, {"contradiction_count": 1}],
        {},
    ),
    (
        "malformed-governs",
        [{"governs": "write"}, {"governs": {"action_types": "write"}}],
        ["m1", "m2"],
        [{"governs": {"action_types": ["write"]}}, {"governs": {}}],
        {},
    ),
    (
        "sensitive-unguarded",
        [{"sensitivity": "high"}],
        ["m1"],
        [{"sensitivity": "high", "allowed_action_hint": "warn"}, {"sensitivity": "low"}, {"sensitivity": ""}],
        {},
    ),
    # words: matched whole
    (
        "unknown-status",
        [{"status": "synced"}, {"boundary_state": "Archived"}, {"boundary_log": [{"state": "paused"}]}],
        ["m1", "m2", "m3"],
        [{"status": "invalidated"}, {"boundary_state": "archived"}, {"status": ""}],
        {},
    ),
    (
        "unknown-action",
        [{"allowed_action_hint": "refuse"}],
        ["m1"],
        [{"allowed_action_hint": "verify_first"}, {"allowed_action_hint": ""}],
        {},
    ),
    # boundary
    (
        "unlawful-transition",
        [{"boundary_log": [{"state": "forgotten", "at": 1}, {"state": "active", "at": 2}]}],
        ["m1"],
        [{"boundary_log": [{"state": "forgotten", "at": 2}, {"state": "active", "at": 1}]}],
        {},
    ),
    (
        "missing-mark",
        [{}, {"boundary_state": "active"}, {"boundary_log": []}],
        ["m1", "m3"],
        [{}, {"boundary_state": ""}],  # a store that keeps no marks misses none
        {},
    ),
    # ghost: live, and merged into a live one. Near: retired after the merge; or the record it went into is gone.
    (
        "ghost",
        [{"meta": {"merged_from": ["m2", "m3"]}}, {}, {"meta": {"merged_into": "m1"}, "status": "active"}],
        ["m2", "m3"],
        [
            {"meta": {"merged_from": ["m2", "nowhere"]}},
            {"status": "superseded"},
            {"meta": {"merged_into": "m4"}},
            {"deleted_at": "2026-01-01T00:00:00Z"},
        ],
        {},
    ),
    # metadata-lost: five never updated ones have sensitivity and meta.bucket. Near: an update that kept both.
    (
        "metadata-lost",
        [*FRESH, UPDATED, {**UPDATED, "sensitivity": "low"}],
        ["m6", "m7"],
        [*FRESH, {**UPDATED, "sensitivity": "high", "meta": {"bucket": "c"}}, {"updated_at": BASE["created_at"]}],
        {},
    ),
    ("metadata-lost", [*FRESH, UPDATED], ["m6"], [*FRESH[:4], UPDATED], {}),  # four records make no rule
    # untrained-text: less than half of the letters. Near: a foreign word in a sentence; no letters at all.
    (
        "untrained-text",
        [{"text": "창가 자리"}, {"text": "বাংলা লেখা"}],
        ["m1", "m2"],
        [{"text": "the seat 창가 again"}, {"text": "12:30"}, {"text": "señora"}],
        {},
    ),
]


@pytest.mark.parametrize(("code", "has", "expected", "near", "settings"), CASES)
def test_each_code_has_a_record_and_a_near_one(
    code: str, has: list[Fields], expected: list[str], near: list[Fields], settings: Fields
) -> None:
    findings = linted(has, **settings)
    assert found(code, findings) == expected
    for one in findings:
        if one.code == code:
            assert one.index is not None
            assert (one.origin.file, one.origin.line) == ("memories.jsonl", one.index + 1)
            assert one.words
    assert found(code, linted(near, **settings)) == []


def test_every_code_is_tested() -> None:
    asked = {"missing-key", "same-as-answer"}
    assert {case[0] for case in CASES} | ELSEWHERE | asked == set(CODES)
    for code in CODES.values():
        assert code.severity in SEVERITIES
        assert code.do.endswith(".")
        assert code.do.count(". ") == 0  # one sentence
        assert code.name == code.name.lower()


def test_a_declared_zone_makes_no_time_naive() -> None:
    assert found("naive-time", linted([{"valid_to": "2026-05-01"}], timezone="Asia/Seoul")) == []


def test_missing_keys_by_what_queries_ask() -> None:
    stored: list[Fields] = [{"keys": {"task": "a"}}, {"keys": {"task": ""}}, {"keys": {"task": 0}}, {}]
    both: list[Fields] = [{"keys": {"task": "a", "user": "u"}}, {"keys": {"task": "b"}}, {"keys": {}}]
    findings = linted(stored, both)
    # Every query with keys asks by task, only one by user. 0 is a value, "" is not.
    assert found("missing-key", findings) == ["m2", "m4"]
    assert findings[0].words == "no value for task, which every query with keys asks by"
    # Without queries: more than half of the memories. Two of four are not.
    assert found("missing-key", linted(stored)) == []
    assert found("missing-key", linted(stored[:3])) == ["m2"]


def test_the_text_of_an_earlier_answer() -> None:
    answer = {"recorded": {"answer": "The  spare key is under the POT."}, "as_of": "2026-03-01T00:00:00Z"}
    text = "the spare key is under the pot."
    stored: list[Fields] = [
        {"text": text, "created_at": "2026-03-01T00:00:01Z"},
        {"text": text, "created_at": "2026-03-01T00:00:00Z", "namespace": "b"},  # there when it was asked
        {"text": text, "created_at": None, "namespace": "c"},
        {"text": f"{text} Tell no one.", "created_at": "2026-04-01T00:00:00Z"},
    ]
    findings = [one for one in linted(stored, [answer]) if one.code == "same-as-answer"]
    assert [(one.record, one.words) for one in findings] == [
        ("n/m1", "the text of the answer to query q1, stored after it"),
        ("c/m3", "the text of the answer to query q1, and no time tells which was first"),
    ]
    assert found("same-as-answer", linted([{"text": "Yes."}], [{"recorded": {"answer": "yes."}}])) == []


def test_queries_are_linted_too() -> None:
    asked: list[Fields] = [
        {"as_of": "2026-03-01T00:00:00", "expected_action": "refuse", "text": "a\u202e"},
        {"as_of": "2026-03-01T00:00:00Z", "expected_action": "block", "embedding": [1.0]},
        {"embedding": [0.0]},
    ]
    assert [(one.code, one.record, one.index) for one in linted([], asked)] == [
        ("vector-zero", "query q3", None),
        ("naive-time", "query q1", None),
        ("bidi-character", "query q1", None),
        ("unknown-action", "query q1", None),
    ]


# ---- what the import left out


def write(folder: Path, name: str, *records: Any) -> Path:
    file = folder / name
    lines = (one if isinstance(one, str) else json.dumps(one) for one in records)
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return file


def report(*sources: Path) -> LintReport:
    return lint_sources(sources, OpenOptions(temporary=True))


def test_what_cannot_be_read_is_a_finding(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        "memories.jsonl",
        {"id": "a", "text": "one", "namespace": "n"},
        {"id": "a", "text": "two", "namespace": "n"},
        {"id": "a", "text": "one", "namespace": "n"},
        {"id": "a", "text": "three", "namespace": "other"},
        "{broken",
        {"id": "b", "text": "x", "valid_to": "soon"},
    )
    found = report(file)
    place = str(file)
    assert [(one.code, one.severity, str(one.origin)) for one in found.findings if one.severity == "error"] == [
        ("unreadable-record", "error", f"{place}:5"),
        ("unreadable-record", "error", f"{place}:6"),
        ("duplicate-id", "error", f"{place}:2"),  # line 3 repeats line 1 and line 4 is another's: neither is a fault
    ]
    assert found.failed
    assert f"stands already at {place}:1 with another text" in found.findings[2].words
    with pytest.raises(InputError, match=r"bad.jsonl: "):
        report(write(tmp_path, "bad.jsonl", "{broken"))


def test_what_looks_capped(tmp_path: Path) -> None:
    listed = [{"id": f"m{n}", "text": f"text {n}", "namespace": "n"} for n in range(21)]
    (one,) = report(write(tmp_path, "twenty.jsonl", *listed[:20])).findings
    assert (one.code, str(one.origin)) == ("looks-capped", str(tmp_path / "twenty.jsonl"))
    assert one.words.endswith("holds exactly 20 memories, a common page size")
    assert report(write(tmp_path, "more.jsonl", *listed)).findings == ()
    page = tmp_path / "page.json"
    page.write_text(json.dumps({"memories": listed[:3], "next_cursor": "c"}), encoding="utf-8")
    assert [(one.code, str(one.origin)) for one in report(page).findings] == [("looks-capped", str(page))]


# ---- planes

ROWS: list[Fields] = [
    {"id": "a", "text": "one", "namespace": "n", "source": "chat", "updated_at": "2026-01-01T00:00:00Z"},
    {"id": "b", "text": "two", "namespace": "n"},
    {"id": "gone", "text": "three", "namespace": "n"},
]
VECTORS: list[Fields] = [
    {"id": "a", "text": "One", "embedding": [1.0, 0.0]},
    {"id": "b", "text": "two, as it was", "embedding": [0.0, 0.0]},
    {"id": "ghost", "text": "four", "embedding": [0.0, 1.0]},
]


def test_two_exports_of_one_store(tmp_path: Path) -> None:
    rows, vectors = write(tmp_path, "rows.jsonl", *ROWS), write(tmp_path, "vectors.jsonl", *VECTORS)
    found = report(rows, vectors)
    (one,) = found.planes
    assert (one.first, one.second, one.both) == ("rows.jsonl", "vectors.jsonl", 2)
    assert [memory.id for memory in one.only_first] == ["gone"]
    assert [memory.id for memory in one.only_second] == ["ghost"]
    listed = [
        (one.code, str(one.origin), one.words) for one in found.findings if one.code in ("ghost", "plane-differs")
    ]
    assert listed == [
        ("ghost", f"{rows}:3", "in rows.jsonl, gone from vectors.jsonl"),
        ("ghost", f"{vectors}:3", "in vectors.jsonl, gone from rows.jsonl"),
        ("plane-differs", f"{rows}:2", f"another text than in vectors.jsonl at {vectors}:2"),
    ]
    assert [str(one.origin) for one in found.findings if one.code == "vector-zero"] == [f"{vectors}:2"]
    # The same uids in both, with other fields: no fault of their ids, and both planes' vectors are looked at.
    twins = write(tmp_path, "twins.jsonl", *({**one, "namespace": "n"} for one in VECTORS))
    again = report(rows, twins)
    assert "duplicate-id" not in again.counts()
    assert again.counts()["ghost"] == 2
    assert [str(one.origin) for one in again.findings if one.code == "vector-zero"] == [f"{twins}:2"]


def test_exports_that_agree_or_have_nothing_in_common(tmp_path: Path) -> None:
    rows = write(tmp_path, "rows.jsonl", *ROWS)
    same = write(tmp_path, "same.jsonl", *reversed(ROWS))
    assert not {"ghost", "plane-differs", "duplicate-id"} & report(rows, same).counts().keys()
    other = write(tmp_path, "other.jsonl", {"id": "z", "text": "z", "namespace": "n"})
    found = report(rows, other)
    assert "ghost" not in found.counts()
    assert found.planes[0].words == "rows.jsonl and other.jsonl have no id in common: taken for two stores"
    # An id is unique in its namespace: another owner's is another memory.
    theirs = write(tmp_path, "theirs.jsonl", *({**one, "namespace": "m"} for one in ROWS))
    assert not report(rows, theirs).planes[0].related


def test_a_later_export_that_lost_fields(tmp_path: Path) -> None:
    rows = write(tmp_path, "rows.jsonl", *ROWS)
    later: Fields = {"id": "a", "text": "one", "namespace": "n", "updated_at": "2026-02-01T00:00:00Z"}
    newer = write(tmp_path, "newer.jsonl", later, *ROWS[1:])
    for order in ((rows, newer), (newer, rows)):
        (one,) = [one for one in report(*order).findings if one.code == "metadata-lost"]
        assert (str(one.origin), one.words) == (f"{newer}:1", f"had source at {rows}:1, before it was updated")
    kept = write(tmp_path, "kept.jsonl", {**later, "source": "chat"}, *ROWS[1:])
    assert "metadata-lost" not in report(rows, kept).counts()


def test_planes_that_records_state(tmp_path: Path) -> None:
    stated = [{**one, "plane": "rows"} for one in ROWS] + [{**one, "plane": "index"} for one in VECTORS]
    found = report(write(tmp_path, "store.jsonl", *stated))
    assert [(one.first, one.second) for one in found.planes] == [("rows", "index")]
    assert [one.record for one in found.findings if one.code == "ghost"] == ["n/gone", "ghost"]


# ---- groups by vectors

#: In the plane, by angle in degrees: cos 0→10 = .985, 10→20 = .985, 0→20 = .940, 0→50 = .643, 0→90 = 0.
ANGLES = {"a": 0, "b": 10, "c": 20, "d": 90, "e": 50}


def grouped(texts: dict[str, str], **fields: Any) -> tuple[list[Memory], Any]:
    records = [
        {
            "id": name,
            "text": text,
            "embedding": [float(np.cos(np.radians(ANGLES[name]))), float(np.sin(np.radians(ANGLES[name])))],
            **fields.get(name, {}),
        }
        for name, text in texts.items()
    ]
    stored = memories(records)
    return stored, nearness(stored, Settings(), own_vectors(stored, []))


def named(stored: Sequence[Memory], groups: Sequence[Any]) -> list[list[str]]:
    return [[stored[index].id for index in group.members] for group in groups]


def test_near_duplicates_hang_together_and_are_never_merged() -> None:
    texts = {"d": "no", "c": "tea at four", "b": "tea at 4", "a": "four o'clock tea"}
    stored, close = grouped(texts)
    assert named(stored, close.near) == [["a", "b", "c"]]  # a and c only through b
    (group,) = close.near
    assert (round(group.lowest, 3), round(group.highest, 3)) == (0.985, 0.985)
    assert [(one.code, one.record, len(one.related)) for one in close.findings] == [
        ("near-duplicate", f"n/{name}", 2) for name in "abc"
    ]
    _, apart = grouped(texts, b={"namespace": "other"})
    assert apart.near == ()  # a and c are at .940, and b is another's
    _, same = grouped({"a": "Tea", "b": "tea"})
    assert same.near == ()  # the very same text is duplicate-text


def test_a_large_group_is_not_named_in_full_by_each_of_its_members() -> None:
    """In a group of n that would be n² names: 1,203 equal vectors made 80 MB of JSON."""
    stored = memories([{"id": f"m{at:03}", "embedding": [1.0, 0.0]} for at in range(100)])
    close = nearness(stored, Settings(), own_vectors(stored, []))
    assert len(close.near[0].members) == len(close.findings) == 100
    assert {(len(one.related), one.related_total) for one in close.findings} == {(MOST_RELATED, 99)}
    # the members that follow it, then the first ones: every member is named by some other
    first, last = close.findings[0], close.findings[-1]
    assert [stored[at].id for at in first.related] == [f"m{at:03}" for at in range(1, MOST_RELATED + 1)]
    assert [stored[at].id for at in last.related] == [f"m{at:03}" for at in range(MOST_RELATED)]


def test_contradictions_of_live_memories() -> None:
    texts = {"a": "The door is open.", "e": "The door is not open.", "d": "The door is closed."}
    stored, close = grouped(texts, e={"valid_from": "2026-05-01T00:00:00Z"})
    assert named(stored, close.against) == [["a", "e"]]  # d is at a right angle to a, e to d at .766
    first, second = [one for one in close.findings if one.code == "conflict"]
    assert (first.record, second.record) == ("n/a", "n/e")
    assert first.words.startswith("negation: ")
    assert first.words.endswith("; newest is n/e")
    stored, close = grouped(texts, a={"status": "superseded"})
    assert close.against == ()
    _, close = grouped({"a": "문이 열려 있다.", "e": "문이 열려 있지 않다."})
    assert [one.code for one in close.findings] == ["conflict", "conflict"]  # by the Korean lexicon
    _, close = grouped({"a": "дверь открыта", "e": "дверь не открыта"})
    assert close.notes == ("2 texts are in no language that the lexicons know: contradictions not judged",)


def test_without_vectors_that_is_said() -> None:
    close = nearness(memories([{}]), Settings(), None)
    assert close.notes == ("no vectors: near duplicates and contradictions were not looked for",)


def test_pairs_do_not_depend_on_the_blocks() -> None:
    rng = np.random.default_rng(3)
    matrix = rng.standard_normal((2_300, 6)).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    stored = [
        Memory({"id": f"m{at:04}", "text": f"t{at}", "namespace": f"n{at % 2}"}, Origin("f", at)) for at in range(2_300)
    ]
    usable = np.ones(2_300, np.bool_)
    usable[7] = False
    pairs = similar_pairs(matrix, usable, stored, 0.97)
    cosine = matrix.astype(np.float64) @ matrix.astype(np.float64).T
    expected = {
        (i, j)
        for i, j in zip(*np.nonzero(np.triu(cosine >= 0.97, 1)), strict=True)
        if i % 2 == j % 2 and 7 not in (i, j)
    }
    got = set(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True))
    edge = {(i, j) for i, j in expected ^ got if abs(cosine[i, j] - 0.97) > 1e-5}
    assert not edge
    assert len(got) > 150
    assert (np.diff(pairs.cosine) <= 0).all()


# ---- the report


def test_the_report_is_ordered_and_complete(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        "memories.jsonl",
        {"id": "x\x1b", "text": "a", "valid_from": "2026-02-01T00:00:00Z", "valid_to": "2026-01-01T00:00:00Z"},
        {"id": "y", "text": "A", "superseded_by": "z"},
    )
    found = report(file)
    shown = found.to_json()
    assert shown["memories"] == 2
    assert shown["severities"] == {"error": 2, "warning": 4, "info": 0}
    assert shown["codes"] == {
        "orphan": 2,
        "duplicate-text": 1,
        "dangling-successor": 1,
        "valid-range": 1,
        "control-character": 1,
    }
    assert shown["findings"][0] == {
        "code": "dangling-successor",
        "severity": "error",
        "file": str(file),
        "line": 2,
        "record": "y",
        "namespace": None,
        "id": "y",
        "field": "superseded_by",
        "wrong": "superseded_by 'z' is not in the store",
        "do": CODES["dangling-successor"].do,
        "related": [],
        "related_total": 0,
    }
    duplicate = next(one for one in shown["findings"] if one["code"] == "duplicate-text")
    assert duplicate["related"] == [{"namespace": None, "id": "x\x1b"}]
    text = found.text()
    assert "\x1b" not in text
    assert text.splitlines()[0] == "2 memories: 2 errors, 4 warnings, 0 infos"
    assert "error dangling-successor: 1: superseded_by names no stored memory. Point" in text
    again = report(file)
    assert json.dumps(again.to_json()) == json.dumps(shown)


def test_lint_sees_edits(tmp_path: Path) -> None:
    file = write(tmp_path, "memories.jsonl", {"id": "a", "text": "one"}, {"id": "b", "text": "two"})
    with open_sources([file], OpenOptions(temporary=True)) as inspection:
        assert lint_inspection(inspection).counts() == {"orphan": 2}
        inspection.edit("memory", [0], "namespace", "n")
        inspection.edit("memory", [1], "status", "sleeping")
        found = lint_inspection(inspection)
        assert found.counts() == {"orphan": 1, "unknown-status": 1}
        assert [one.code for one in found.of(1)] == ["orphan", "unknown-status"]
        inspection.undo()
        assert lint_inspection(inspection).counts() == {"orphan": 1}
