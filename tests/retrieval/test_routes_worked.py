"""Every route on stores small enough to work out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from inspector.errors import Cancelled, InspectorError
from inspector.records import Progress, Settings
from inspector.retrieval.exact_keys import ExactKeys
from inspector.retrieval.lexical import LexicalIndex
from inspector.retrieval.routes import Sources, rank
from inspector.retrieval.specs import ROUTES, Params, parse_route
from tests.retrieval.views import TableView, dense, ids, memory, owner, query, trits

# Unit vectors at the angles of the 3-4-5 triangle: similarities to (1, 0) are 1, .8, .6, 0, and ? for the zero vector.
ROWS = [[1, 0], [4, 3], [3, 4], [0, 1], [0, 0]]
NAMES = ["a", "b", "c", "d", "e"]


def view_of(**tables: list[str]) -> TableView:
    memories = [memory(name, namespace="n") for name in NAMES]
    return TableView(memories, [query("q", principal=owner("n"))], {name: trits(rows) for name, rows in tables.items()})


SOURCES = Sources(dense(ROWS, [[1, 0]]))


def ranked(route: str, view: TableView, sources: Sources = SOURCES, **more: object) -> list[str]:
    return ids(view, rank(route, view, sources, **more).memory[0])  # type: ignore[arg-type]


def test_global_dense_ranks_by_similarity_and_unknown_last() -> None:
    found = rank("global_dense", view_of(), SOURCES)
    assert found.score[0, :4].tolist() == [1.0, 0.8, 0.6, 0.0]
    assert math.isnan(found.score[0, 4])
    assert found.memory[0].tolist() == [0, 1, 2, 3, 4]  # k is 20: no longer than the store
    assert (found.similarities.tolist(), found.width.tolist()) == ([5], [5])
    assert found.path_name(0, 0) == "global_dense"
    assert found.found(0).tolist() == [0, 1, 2, 3, 4]


def test_ties_go_by_uid_namespace_first() -> None:
    memories = [memory("a", namespace="z"), memory("b", namespace="a"), memory("c"), memory("a", namespace="a")]
    view = TableView(memories, [query("q")])
    assert rank("global_dense", view, Sources(dense([[2, 0]] * 4, [[1, 0]]))).found(0).tolist() == [2, 3, 1, 0]


def test_what_is_known_not_to_be_stored_is_no_candidate() -> None:
    view = view_of(stored=["0?110"])
    found = rank("global_dense", view, SOURCES)
    assert ids(view, found.memory[0]) == ["b", "c", "d"]
    assert (found.similarities.tolist(), found.width.tolist()) == ([3], [3])


@pytest.mark.parametrize(
    ("route", "tables", "expected"),
    [
        ("namespace_dense", {"scope": ["0?101"]}, ["b", "c", "e"]),
        ("current_only", {"scope": ["01111"], "stale_or_superseded": ["01?00"]}, ["c", "d", "e"]),
        ("namespace_policy", {"scope": ["01111"], "policy": ["10?11"]}, ["c", "d", "e"]),
        ("namespace_lifecycle", {"scope": ["01111"], "lifecycle": ["110?1"]}, ["b", "d", "e"]),
        ("governed", {"scope": ["11110"], "policy": ["01??1"], "lifecycle": ["1?0?1"]}, ["b", "d"]),
        ("session_tag", {"session_test": ["11?11"], "tag_test": ["1011?"]}, ["a", "d"]),
    ],
)
def test_filters_cut_known_values_only(route: str, tables: dict[str, list[str]], expected: list[str]) -> None:
    view = view_of(**tables)
    found = rank(route, view, SOURCES)
    assert ids(view, found.memory[0]) == expected
    assert found.width.tolist() == found.similarities.tolist() == [len(expected)]


def test_the_pool_is_cut_before_it_is_ranked() -> None:
    assert ranked("governed", view_of(policy=["00111"]), k=2) == ["c", "d"]


@pytest.mark.parametrize(
    "route", ["global_dense", "namespace_dense", "global_bm25", "postfilter:999999999", "dual_path"]
)
def test_a_k_beyond_the_store_takes_no_more_room_than_the_store(route: str) -> None:
    view = view_of(scope=["11011"])
    lexical = LexicalIndex.of(view.memories, Settings())
    found = rank(route, view, Sources(SOURCES.dense, lexical), k=10**9)
    assert found.memory.shape == (1, 5)


def test_postfilter_deletes_and_does_not_refill() -> None:
    view = view_of(scope=["1011?"])
    found = rank("postfilter:2", view, SOURCES, k=2)
    assert ids(view, found.memory[0]) == ["a"]
    assert (found.similarities.tolist(), found.width.tolist(), found.route) == ([5], [1], "postfilter:2")
    assert ranked("postfilter:3", view, k=2) == ["a", "c"]
    assert ranked("postfilter", view, k=2) == ["a", "c"]
    assert ranked("postfilter:5", view) == ["a", "c", "d", "e"]


def test_recency_adds_a_tenth_of_the_position_in_time() -> None:
    # b and c are the newest: position 1; a has no date: 0; d is the oldest dated: 0.
    memories = [memory(name) for name in NAMES]
    view = TableView(memories, [query("q")], created_us=[math.nan, 9, 9, 5, 7])
    found = rank("global_recency", view, SOURCES)
    assert ids(view, found.memory[0]) == ["a", "b", "c", "d", "e"]
    assert found.score[0, :4].tolist() == [1.0, 0.9, 0.7, 0.0]
    # what is not yet stored takes no place in the order: with c and b gone, e is the newest, at 1
    later = TableView(memories, [query("q")], {"stored": trits(["10011"])}, [math.nan, 9, 9, 5, 7])
    other = Sources(dense([[1, 0], [1, 0], [1, 0], [0, 1], [0, 1]], [[1, 0]]))
    assert rank("global_recency", later, other).score[0, :3].tolist() == [1.0, 0.1, 0.0]


TEXTS = ["guest room", "guest guest", "street", "old street", "nothing"]


def words_view(**tables: list[str]) -> tuple[TableView, Sources]:
    memories = [memory(name, text=text) for name, text in zip(NAMES, TEXTS, strict=True)]
    view = TableView(memories, [query("q", text="Guest!")], {name: trits(rows) for name, rows in tables.items()})
    return view, Sources(dense(ROWS, [[1, 0]]), LexicalIndex(TEXTS))


def test_global_bm25_keeps_what_matches_nothing_at_zero() -> None:
    view, sources = words_view()
    found = rank("global_bm25", view, sources)
    # N 5, df 2, avgdl 8/5; idf ln(1 + 3.5/2.5) = ln 2.4. b: tf 2, |d| 2: 2·2.5/(2 + 1.5·(.25 + .75·1.25)) = 5/3.78125;
    # a: tf 1, |d| 2: 2.5/(1 + 1.78125)
    assert found.score[0, :5].tolist() == [
        round(math.log(2.4) * 5 / 3.78125, 6),
        round(math.log(2.4) * 2.5 / 2.78125, 6),
        0.0,
        0.0,
        0.0,
    ]
    assert ids(view, found.memory[0]) == ["b", "a", "c", "d", "e"]
    assert (found.similarities.tolist(), found.width.tolist()) == ([0], [5])


@pytest.mark.parametrize(("route", "table"), [("namespace_bm25", "scope"), ("global_bm25", "stored")])
def test_bm25_statistics_are_those_of_the_candidates(route: str, table: str) -> None:
    view, sources = words_view(**{table: ["101?0"]})
    found = rank(route, view, sources)
    # left: a, c, d; N 3, df 1, avgdl 5/3, idf ln(1 + 2.5/1.5); a: tf 1, |d| 2, 2/avgdl = 1.2
    expected = math.log(1 + 2.5 / 1.5) * 2.5 / (1 + 1.5 * (0.25 + 0.75 * 1.2))
    assert found.score[0, :3].tolist() == [round(expected, 6), 0.0, 0.0]
    assert ids(view, found.memory[0]) == ["a", "c", "d"]


def test_hybrid_adds_reciprocal_ranks_of_what_either_side_found() -> None:
    view, sources = words_view()
    found = rank("global_hybrid", view, sources)
    # similarity: a 1, b 2, c 3, d 4, e ?; words: b 1, a 2, others unmatched and without a rank
    both, first = 1 / 61 + 1 / 62, [1 / 63, 1 / 64, 0.0]
    assert ids(view, found.memory[0]) == ["a", "b", "c", "d", "e"]
    assert found.score[0, :5].tolist() == [round(score, 6) for score in (both, both, *first)]


KEYS: list[dict[str, object]] = [{"u": 1}, {"u": 1, "t": 2}, {"t": 2}, {"u": "1"}, {"u": True}]
KEYED = [memory(name, keys=keys) for name, keys in zip(NAMES, KEYS, strict=True)]


def dual(keys: dict[str, object] | None, *rows: str, **tables: list[str]) -> tuple[list[str], set[str], int]:
    given = {"session_test": list(rows), **tables}
    view = TableView(KEYED, [query("q", keys=keys)], {name: trits(table) for name, table in given.items()})
    found = rank("dual_path", view, SOURCES)
    names = ids(view, found.memory[0])
    return names, {found.path_name(0, place) for place in range(len(names))}, int(found.similarities[0])


def test_dual_path_stays_with_the_session_where_that_finds_enough() -> None:
    assert dual({"u": 1}, "00110") == (["c", "d"], {"session_tag"}, 2)


@pytest.mark.parametrize(
    ("rows", "tables", "met"),
    [
        ("00010", {}, 1 + 2),  # best similarity 0 is under .35
        ("00001", {}, 1 + 2),  # an unknown similarity is not enough
        ("00000", {}, 0 + 2),  # nothing found
        ("00110", {"policy": ["11001"]}, 2 + 2),  # found, and every verdict is 0
    ],
)
def test_dual_path_falls_back_to_exact_keys(rows: str, tables: dict[str, list[str]], met: int) -> None:
    # u must be the number 1: neither "1" nor true
    assert dual({"u": 1}, rows, **tables) == (["a", "b"], {"exact_key"}, met)


def test_dual_path_needs_every_key_and_an_unknown_verdict_is_left() -> None:
    assert dual({"u": 1, "t": 2}, "00000")[0] == ["b"]
    assert dual(None, "00000")[0] == []
    assert dual({"u": None}, "00000")[0] == []
    assert dual({"u": 1}, "00110", policy=["110?1"])[1] == {"session_tag"}
    assert dual({"u": 1}, "00000", stored=["01111"])[0] == ["b"]


def test_exact_keys_may_be_lists_and_objects() -> None:
    held: list[object] = [[1, 2], [2, 1], {"a": [1]}, {"a": [1], "b": None}, "1, 2"]
    index = ExactKeys([memory(name, keys={"x": value}) for name, value in zip(NAMES, held, strict=True)])
    assert [index.find({"x": value}).tolist() for value in held] == [[0], [1], [2], [3], [4]]
    assert index.find({"x": float("nan")}).tolist() == index.find({"y": 1}).tolist() == index.find({}).tolist() == []


def test_a_query_without_a_usable_vector_knows_no_similarity_and_says_so() -> None:
    view = view_of()
    found = rank("global_dense", view, Sources(dense(ROWS, [[0, 0]])))
    assert ids(view, found.memory[0]) == NAMES
    assert np.isnan(found.score).all()
    assert found.notes == {0: ("similarity unknown: the query's vector is zero",)}


@pytest.mark.parametrize("route", ["random_partition", "gold_oracle"])
def test_draws_have_the_namespaces_size_and_are_seeded(route: str) -> None:
    count = 60
    memories = [memory(f"{i:02}", namespace="n" if i < 12 else "other") for i in range(count)]
    queries = [query(f"q{i}", principal=owner("n"), required=["03", "40", "absent"]) for i in range(2)]
    scope = np.zeros((2, count), dtype=np.uint8)
    scope[:, :12] = 2
    stored = np.full((2, count), 2, dtype=np.uint8)
    stored[1, 40:] = 0
    view = TableView(memories, queries, {"scope": scope, "stored": stored})
    rng = np.random.default_rng(3)
    sources = Sources(dense(rng.standard_normal((count, 4)).tolist(), rng.standard_normal((2, 4)).tolist()))
    draws = [rank(route, view, sources, k=60, params=Params(seed=seed)) for seed in (0, 0, 1)]
    found = [set(ids(view, row)) for row in draws[0].memory]
    assert draws[0].memory.tolist() == draws[1].memory.tolist()
    assert set(ids(view, draws[2].memory[0])) != found[0]
    assert [len(names) for names in found] == draws[0].width.tolist() == [12, 12]
    assert not any(name >= "40" for name in found[1])
    assert found[0] != {f"{i:02}" for i in range(12)}
    if route == "gold_oracle":
        assert {"03", "40"} <= found[0]
        assert "03" in found[1]  # 40 is not stored yet
    assert ROUTES[route].deployable == (route != "gold_oracle")


def test_an_oracle_with_more_evidence_than_the_namespace_holds_keeps_all_of_it() -> None:
    memories = [memory(name) for name in NAMES]
    view = TableView(memories, [query("q", required=["a", "b", "c"])], {"scope": trits(["00001"])})
    assert ranked("gold_oracle", view) == ["a", "b", "c"]


@pytest.mark.parametrize("route", sorted(ROUTES))
def test_no_queries_no_memories_and_an_empty_pool_are_no_errors(route: str) -> None:
    sources = Sources(dense(ROWS, [[1, 0]]), LexicalIndex(NAMES))
    nothing = rank(route, TableView([], [query("q")]), Sources(dense([[0, 0]], [[1, 0]]), LexicalIndex([])))
    assert (nothing.memory == -1).all()
    assert rank(route, TableView([memory(name) for name in NAMES], []), sources).memory.shape[0] == 0
    empty = view_of(stored=["00000"], scope=["00000"], session_test=["00000"])
    found = rank(route, empty, sources)
    assert (found.memory == -1).all()
    assert np.isnan(found.score).all()
    assert found.width.tolist() == [0]


def test_routes_are_read_as_written() -> None:
    assert str(parse_route(" postfilter:30 ")) == "postfilter:30"
    assert str(parse_route("postfilter")) == "postfilter:500"
    assert parse_route("global_hybrid").needs == {"vectors", "words"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("globl_dense", "did you mean global_dense?"),
        ("", "expected one of global_dense,"),
        ("postfilter:0", "depth N of 1 or more"),
        ("postfilter:", "depth N of 1 or more"),
        ("postfilter:²", "depth N of 1 or more"),
        ("global_dense:5", "takes no depth"),
    ],
)
def test_a_bad_route_is_refused(text: str, message: str) -> None:
    with pytest.raises(InspectorError, match=message.replace("?", r"\?")):
        parse_route(text)


def test_what_is_missing_or_wrong_is_said() -> None:
    view = view_of()
    with pytest.raises(InspectorError, match="route global_dense needs vectors"):
        rank("global_dense", view, Sources())
    with pytest.raises(InspectorError, match="route global_bm25 needs a lexical index"):
        rank("global_bm25", view, SOURCES)
    with pytest.raises(InspectorError, match="k is 0"):
        rank("global_dense", view, SOURCES, k=0)


def test_progress_is_reported_and_a_cancel_obeyed() -> None:
    seen: list[Progress] = []
    view = TableView([memory(name) for name in NAMES], [query("q1"), query("q2")])
    sources = Sources(dense(ROWS, [[1, 0], [0, 1]]))
    rank("session_tag", view, sources, on_progress=seen.append)
    assert seen == [Progress("ranking by session_tag", done, 2, "queries") for done in (1, 2)]
    with pytest.raises(Cancelled):
        rank("session_tag", view, sources, cancelled=lambda: True)


def test_rows_of_a_few_queries_replace_those_of_the_whole() -> None:
    view = TableView([memory(name) for name in NAMES], [query("q1"), query("q2")])
    before = rank("global_dense", view, Sources(dense(ROWS, [[1, 0], [0, 0]])))
    sources = Sources(dense(ROWS, [[1, 0], [0, 1]]))
    before.put(rank("global_dense", view, sources, queries=np.array([1])))
    after = rank("global_dense", view, sources)
    assert before.memory.tolist() == after.memory.tolist()
    assert np.array_equal(before.score, after.score, equal_nan=True)
    assert before.notes == after.notes == {}
