"""Typed queries: asked, ranked as a fresh evaluation would, kept, edited, undone, taken away, exported (DESIGN 2)."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector import rows
from inspector.asked import owned_by, read_namespaces, write_namespaces
from inspector.errors import Cancelled, FieldError, InputError
from inspector.formats import LoadOptions, load
from inspector.inspection import Inspection, OpenOptions, open_sources
from inspector.patching import apply_patch
from inspector.records import Memory, Origin
from inspector.views import Change

MEMORIES: list[dict[str, Any]] = [
    {"id": "m1", "text": "tea at four", "namespace": "ann", "status": "active", "embedding": [1.0, 0.0]},
    {"id": "m2", "text": "tea at five", "namespace": "bob", "status": "active", "embedding": [0.6, 0.8]},
    {"id": "m3", "text": "tea at six", "namespace": ["users", "ann", "notes"], "status": "archived"},
]
QUERY: dict[str, Any] = {
    "id": "q1",
    "text": "four",
    "principal": {"namespaces": ["bob"]},
    "required": ["m1"],
}
ASKED: dict[str, Any] = {"text": "tea five", "principal": {"id": "ann", "namespaces": ["ann"]}, "intent": "current"}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "store"
    folder.mkdir()
    (folder / "memories.jsonl").write_text("".join(json.dumps(one) + "\n" for one in MEMORIES))
    (folder / "queries.jsonl").write_text(json.dumps(QUERY) + "\n")
    (folder / "policy.toml").write_text('default = "allow"\n')
    return folder


@pytest.fixture
def options(tmp_path: Path) -> OpenOptions:
    return OpenOptions(workspace=tmp_path / "w.duckdb", route="global_bm25")


@pytest.fixture
def opened(source: Path, options: OpenOptions) -> Iterator[Inspection]:
    with open_sources([source], options) as inspection:
        inspection.evaluate()
        yield inspection


def lines(inspection: Inspection) -> list[dict[str, Any]]:
    return list(rows.rows(inspection))


def fresh(inspection: Inspection) -> list[dict[str, Any]]:
    """The rows after everything was evaluated anew."""
    inspection.evaluate()
    return lines(inspection)


def test_an_asked_query_is_ranked_as_a_fresh_evaluation_ranks_it(opened: Inspection) -> None:
    told: list[Change] = []
    opened.subscribe(told.append)
    before = lines(opened)
    qi = opened.ask(ASKED)
    assert (qi, opened.queries[qi].id, opened.asked, opened.unranked) == (1, "ask-1", [1], {1})
    assert [(one.listing, one.sentence) for one in told] == [(True, "asked ask-1")]
    assert lines(opened) == before  # nothing is ranked yet, and the others stand
    opened.rank_asked()
    found = lines(opened)
    assert found[: len(before)] == before
    # by hand: "five" is only in m2, which is bob's: rank 1, scope 0; m1 is ann's: 1; m3 lies under users/ann: 0
    assert [(row["memory_id"], row["scope"]) for row in found if row["query_id"] == "ask-1"] == [
        ("m2", 0),
        ("m1", 1),
        ("m3", 0),
    ]
    assert not opened.unranked
    assert fresh(opened) == found


def test_undo_redo_and_take_away(opened: Inspection) -> None:
    before = lines(opened)
    opened.ask(ASKED)
    second = opened.ask({**ASKED, "text": "tea four"})
    opened.rank_asked()
    both = lines(opened)
    opened.edit("query", [second], "intent", "history")
    edited = lines(opened)
    assert edited != both
    change = opened.take_away(1)
    assert change.listing
    assert [query.id for query in opened.queries] == ["q1", "ask-2"]
    assert opened.queries[1].value("intent") == "history"  # its edit came along
    assert lines(opened) == [row for row in edited if row["query_id"] != "ask-1"] == fresh(opened)
    opened.undo()
    opened.rank_asked()
    assert {row["query_id"]: row["rank"] for row in lines(opened)} == {"q1": 3, "ask-1": 3, "ask-2": 3}
    opened.undo()  # the edit
    opened.undo()  # ask-2
    opened.undo()  # ask-1
    assert lines(opened) == before == fresh(opened)
    opened.redo()
    assert opened.unranked == {1}
    opened.rank_asked()
    assert [query.id for query in opened.queries] == ["q1", "ask-1"]
    opened.revert_all()
    assert lines(opened) == before
    with pytest.raises(FieldError, match="the source's own"):
        opened.take_away(0)


def test_it_survives_a_restart_and_leaves_with_the_store(source: Path, options: OpenOptions, tmp_path: Path) -> None:
    with open_sources([source], options) as inspection:
        inspection.ask({**ASKED, "as_of": "2026-01-01", "id": "mine"})
        inspection.edit("query", [1], "purpose", "care")
        inspection.ask({"text": "only now"}, keep=False)
        assert [query.id for query in inspection.queries] == ["q1", "mine", "ask-1"]
    with open_sources([source], options) as inspection:
        assert [query.id for query in inspection.queries] == ["q1", "mine"]
        assert "1 query asked here" in inspection.header()
        inspection.evaluate()
        assert len(lines(inspection)) == 6
        inspection.export_bundle(tmp_path / "out")
        patch = io.StringIO()
        inspection.export_edits(patch)
        sql = io.StringIO()
        assert inspection.export_edits(sql, "sql") == 2
    bundle = load([tmp_path / "out"], LoadOptions())
    assert bundle.queries[1].fields == {**ASKED, "id": "mine", "as_of": "2026-01-01", "purpose": "care"}
    with open_sources([source], OpenOptions(workspace=options.workspace, no_edits=True)) as inspection:
        assert [query.id for query in inspection.queries] == ["q1"]
    # the patch gives the same store by the other way, and is refused where it is in already
    (tmp_path / "p.jsonl").write_text(patch.getvalue())
    apply_patch(tmp_path / "p.jsonl", [source], tmp_path / "patched", LoadOptions())
    assert load([tmp_path / "patched"], LoadOptions()).queries[1].fields == bundle.queries[1].fields
    with pytest.raises(InputError, match="already"):
        apply_patch(tmp_path / "p.jsonl", [tmp_path / "patched"], tmp_path / "again", LoadOptions())


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"op":"set","ask":"a","field":"query","new":7}', "p.jsonl:1: new: is no query"),
        ('{"op":"set","ask":"a","field":"query","new":{"id":"a","text":""}}', "p.jsonl:1: text: is missing"),
        ('{"op":"set","ask":"a","field":"query","new":{"id":"b","text":"t"}}', "'a' is not the query's own id"),
        ('{"op":"set","ask":"a","field":"query","new":{"id":"a","text":"t","intent":"x"}}', "intent: 'x' is not known"),
        ('{"op":"set","ask":"q1","field":"query","new":{"id":"q1","text":"t"}}', "the query q1 holds"),
    ],
)
def test_a_patch_with_a_bad_query_is_refused(source: Path, tmp_path: Path, line: str, words: str) -> None:
    (tmp_path / "p.jsonl").write_text(line)
    with pytest.raises(InputError, match=words):
        apply_patch(tmp_path / "p.jsonl", [source], tmp_path / "out", LoadOptions())
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"text": " "}, "text: is missing"),
        ({"text": "t", "intent": "soon"}, "intent: 'soon' is not known"),
        ({"text": "t", "as_of": "noon"}, "as_of"),
        ({"text": "t", "id": "q1"}, "a query 'q1' is there already"),
        ({"text": "t", "colour": "red"}, "colour: is no field of a query"),
        ({"text": "t", "principal": {"namespaces": "ann"}}, "principal"),
    ],
)
def test_what_cannot_be_asked_changes_nothing(opened: Inspection, fields: dict[str, Any], words: str) -> None:
    with pytest.raises(FieldError, match=words):
        opened.ask(fields)
    assert [query.id for query in opened.queries] == ["q1"]
    assert not opened.edits()


def test_a_store_without_queries_is_encoded_for_the_first_question_only(tmp_path: Path) -> None:
    (tmp_path / "m.jsonl").write_text("".join(json.dumps(one) + "\n" for one in MEMORIES))
    with open_sources([tmp_path / "m.jsonl"], OpenOptions(temporary=True, route="global_bm25")) as inspection:
        inspection.evaluate()
        assert not inspection.retriever.has_encoder
        assert inspection.retriever.sources.lexical is None
        inspection.ask(ASKED)
        with pytest.raises(Cancelled):
            _cancelled(inspection)
        assert inspection.unranked == {0}
        inspection.rank_asked()
        assert [row["memory_id"] for row in rows.rows(inspection)] == ["m2", "m1", "m3"]


def _cancelled(inspection: Inspection) -> None:
    def stop(*_: Any) -> None:
        raise Cancelled("stopped")

    inspection.rank_asked(stop)


def test_vectors_of_another_model_are_never_compared(tmp_path: Path) -> None:
    """The store's queries bring vectors of two numbers, which our encoder does not make: similarity is ?."""
    memories = [{**one, "embedding": [1.0, float(place)]} for place, one in enumerate(MEMORIES)]
    (tmp_path / "m.json").write_text(
        json.dumps({"memories": memories, "queries": [{**QUERY, "embedding": [1.0, 0.0]}]})
    )
    with open_sources([tmp_path / "m.json"], OpenOptions(temporary=True, route="global_dense")) as inspection:
        inspection.evaluate()
        qi = inspection.ask(ASKED)
        inspection.rank_asked()
        assert [row.score for row in inspection.candidates(qi)] == [None, None, None]
        assert any("have no vector of the store's own model" in words for words in inspection.header())
        assert inspection.is_settled  # nothing waits for what can never be encoded
        assert inspection.candidates(0)[0].score == 1.0


def test_whose_namespaces_name_the_principal() -> None:
    def made(number: int, **fields: Any) -> Memory:
        return Memory({"id": str(number), "text": "t", **fields}, Origin("here"))

    memories = [
        made(1, namespace="ann"),
        made(2, namespace=["users", "ann", "notes"]),
        made(3, namespace=["users", "anne"]),
        made(4, namespaces=["bob", ["acme", "ann"]]),
        made(5),
        made(6, namespace=None),
    ]
    assert owned_by(memories, "ann") == [["acme", "ann"], "ann", ["users", "ann"]]
    assert owned_by(memories, "carl") == []


@pytest.mark.parametrize(
    ("text", "namespaces"),
    [
        ("", []),
        (" ann , bob ", ["ann", "bob"]),
        ('["acme", "ann"], bob', [["acme", "ann"], "bob"]),
        ('bob,["a,b"],["c"]', ["bob", ["a,b"], ["c"]]),
    ],
)
def test_namespaces_as_they_are_typed(text: str, namespaces: list[Any]) -> None:
    assert read_namespaces(text) == namespaces
    assert read_namespaces(write_namespaces(namespaces)) == namespaces


@pytest.mark.parametrize("text", ['["a"', "[1]", "[]", "ann, [["])
def test_namespaces_that_are_no_lists_of_texts(text: str) -> None:
    with pytest.raises(FieldError, match="is no list of texts"):
        read_namespaces(text)
