"""Import, export and import again give the same records, settings and bytes, whatever the records hold (DESIGN 2)."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.formats import load
from inspector.formats.canonical import write_bundle
from inspector.records import ABSENT, Bundle, Record

HOSTILE = [
    "",
    "\x00",
    "\x1b[2J",
    "\u202eabc",
    "\u2028",
    "\r\n",
    "\ufeff",
    "[/foo]",
    '"\\',
    "🙂",
    "e\u0301",
    "\x7f",
    "null",
]
TEXT = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=8))
WORD = st.one_of(st.none(), TEXT)
NUMBER = st.one_of(st.integers(-(2**70), 2**70), st.floats(allow_nan=False, allow_infinity=False))
TIME = st.one_of(
    st.none(),
    st.just(""),
    st.sampled_from(["2026-01-01", "2026-01-01T10:00", "2026-01-01T10:00:00.5+09:00", 0, 1e9, -3.5]),
)
JSON_VALUE = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBER, TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXT, inner, max_size=3)),
    max_leaves=6,
)
NAMESPACE = st.one_of(st.none(), TEXT, st.lists(TEXT, max_size=3))
#: Names that collide with fields of this kind, of the other kind, with documents, and with our own way out.
ODD_KEYS = st.one_of(
    st.sampled_from(["x", "field.x", "field.field.x", "status", "as_of", "meta", "memories", "scenarios", "a.b", ""]),
    TEXT,
)
META = st.one_of(st.none(), st.dictionaries(ODD_KEYS, JSON_VALUE, max_size=4))
VECTOR = st.one_of(st.none(), st.lists(st.one_of(st.none(), st.floats()), max_size=4))
WORDS = st.one_of(st.none(), st.lists(TEXT, max_size=3))
KEYS = st.one_of(st.none(), st.dictionaries(TEXT, st.one_of(st.none(), st.booleans(), NUMBER, TEXT), max_size=3))

MEMORY_OPTIONAL: dict[str, st.SearchStrategy[Any]] = {
    "namespace": NAMESPACE,
    "namespaces": st.one_of(st.none(), st.lists(st.one_of(TEXT, st.lists(TEXT, max_size=2)), max_size=2)),
    "session_id": WORD,
    "keys": KEYS,
    "status": WORD,
    "boundary_log": st.one_of(st.none(), st.lists(st.fixed_dictionaries({"state": TEXT, "at": TIME}), max_size=2)),
    "created_at": TIME,
    "deleted_at": TIME,
    "allowed_purposes": WORDS,
    "verification_required": st.one_of(st.none(), st.booleans()),
    "contradiction_count": st.one_of(st.none(), st.integers(-5, 2**62), st.floats(-9, 9)),
    "priority": st.one_of(WORD, st.integers(0, 9)),
    "governs": JSON_VALUE,
    "embedding": VECTOR,
    "loss": WORDS,
    "meta": META,
}
EVENT = st.fixed_dictionaries(
    {"retrieved": st.lists(st.fixed_dictionaries({"id": TEXT, "score": st.one_of(st.none(), st.floats())}), max_size=2)}
)
QUERY_OPTIONAL: dict[str, st.SearchStrategy[Any]] = {
    "principal": st.one_of(
        st.none(),
        st.fixed_dictionaries({}, optional={"id": WORD, "namespaces": st.lists(TEXT, max_size=2), "x": JSON_VALUE}),
    ),
    "claimed_session_id": WORD,
    "intent": st.sampled_from([None, "", "current", "history", "unknown"]),
    "as_of": TIME,
    "required": WORDS,
    "risk": st.one_of(WORD, st.floats(0, 1)),
    "grants": st.one_of(st.none(), st.lists(st.dictionaries(TEXT, JSON_VALUE, max_size=2), max_size=2)),
    "recorded": st.one_of(st.none(), st.fixed_dictionaries({"events": st.lists(EVENT, max_size=2)})),
    "embedding": VECTOR,
    "meta": META,
}


def rows(optional: dict[str, st.SearchStrategy[Any]], least: int) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Records with ids of their own; unknown keys may stand anywhere, fields absent, null, empty or valued."""
    known = st.fixed_dictionaries({"id": TEXT.filter(bool), "text": TEXT}, optional=optional)
    other = st.dictionaries(ODD_KEYS.filter(lambda key: key not in ("meta", "status", "as_of")), JSON_VALUE, max_size=3)
    whole = st.builds(lambda fields, odd: {**odd, **fields}, known, other)
    return st.lists(whole, min_size=least, max_size=3, unique_by=lambda row: row["id"])


JUDGMENTS = st.lists(
    st.fixed_dictionaries(
        {
            "query_id": TEXT.filter(bool),
            "memory_id": TEXT.filter(bool),
            "axis": st.sampled_from(["scope", "policy", "lifecycle", "relevance"]),
            "value": st.sampled_from([True, False, None, 1, 0, "1", "0", "?"]),
        },
        optional={"namespace": NAMESPACE, "source": TEXT},
    ),
    max_size=3,
)
LINE = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs", "Cf"]), min_size=1, max_size=6)
TOML = st.fixed_dictionaries(
    {},
    optional={
        "exported_at": st.sampled_from(
            ['"2026-01-01T10:00"', "2026-01-01", "1767225600", "1767225600.25", '"20260101"']
        ),
        "timezone": st.sampled_from(['"Asia/Seoul"', '"UTC"']),
        "isolation": st.just('"namespace+session"'),
        "route": LINE.map(lambda text: json.dumps(text, ensure_ascii=False)),
        "aliases": st.lists(LINE, min_size=2, max_size=2).map(lambda one: json.dumps([one], ensure_ascii=False)),
        "shared_namespaces": st.lists(LINE, max_size=2).map(
            lambda one: json.dumps([*one, ["a", "b"]], ensure_ascii=False)
        ),
        "assumptions": LINE.map(
            lambda text: (
                f'{{status = {json.dumps(text, ensure_ascii=False)}, policy = "allow", verification_required = true, '
                'query.intent = "history", allowed_purposes = ["a"]}'
            )
        ),
    },
)


def same(first: list[Any], second: list[Any]) -> None:
    """The fields of both, key for key; through JSON text, so that 1 is not true, 1.0 is not 1, and NaN is NaN."""
    texts = [[json.dumps(record.fields, sort_keys=True) for record in records] for records in (first, second)]
    assert texts[0] == texts[1]
    if first and isinstance(first[0], Record):
        assert [type(record) for record in first] == [type(record) for record in second]


def dump(path: Path, records: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def labels(bundle: Bundle) -> list[Any]:
    return [(one.query_id, one.memory_id, one.namespace, one.axis, one.value, one.source) for one in bundle.judgments]


@settings(max_examples=80, deadline=None)
@given(rows(MEMORY_OPTIONAL, 1), rows(QUERY_OPTIONAL, 0), JUDGMENTS, TOML)
def test_import_export_import_is_the_identity(
    memories: list[dict[str, Any]], queries: list[dict[str, Any]], judgments: list[dict[str, Any]], toml: dict[str, str]
) -> None:
    with tempfile.TemporaryDirectory() as name:
        source, first, second = (Path(name) / part for part in ("source", "first", "second"))
        source.mkdir()
        dump(source / "memories.jsonl", memories)
        for part, records in (("queries", queries), ("judgments", judgments)):
            if records:
                dump(source / f"{part}.jsonl", records)
        (source / "bundle.toml").write_text(
            "".join(f"{key} = {value}\n" for key, value in toml.items()), encoding="utf-8"
        )
        before = load([source])
        write_bundle(before, first)
        after = load([first])
        same(before.memories, after.memories)
        same(before.queries, after.queries)
        assert labels(before) == labels(after)
        assert before.settings == after.settings.with_(policy_file=before.settings.policy_file)
        assert before.account.kept == after.account.kept
        write_bundle(after, second)
        exported = [{file.name: file.read_bytes() for file in folder.iterdir()} for folder in (first, second)]
        assert exported[0] == exported[1]


@settings(max_examples=40, deadline=None)
@given(rows(MEMORY_OPTIONAL, 1))
def test_every_key_of_the_source_is_kept_with_its_value(memories: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "m"
        dump(path, memories)
        for row, memory in zip(memories, load([path]).memories, strict=True):
            meta = memory.value("meta") or {}
            for key, value in row.items():
                if key == "meta":
                    assert all(json.dumps(meta[inner]) == json.dumps(one) for inner, one in (value or {}).items())
                else:
                    found = memory.get(key) if memory.get(key) is not ABSENT else meta[key]
                    candidates = [found, *(one for inner, one in meta.items() if inner.endswith(f"field.{key}"))]
                    assert json.dumps(value) in [json.dumps(one) for one in candidates]
