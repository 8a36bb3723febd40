"""Recall where no semantic tag can be had: paths of dual_path, what the header and the summary say (DESIGN 9; issue 7).

The store is written for the tests; what each query must get is worked out by hand from DESIGN 9.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector import boundaries, rows
from inspector.inspection import Inspection, OpenOptions, open_sources
from inspector.retriever import degraded_words
from inspector.session_tag import session_tag
from inspector.trit import Trit
from inspector.views import RouteChoice

VECTOR = [1.0, 0.0]


def memory(memory_id: str, text: str, hour: int, **fields: Any) -> dict[str, Any]:
    own = {"namespace": "ann", "session_id": "s", "created_at": f"2026-03-01T{hour:02}:00:00Z"}
    return {"id": memory_id, "text": text, "embedding": [1.0, hour / 100], **own, **fields}


def query(query_id: str, text: str, **fields: Any) -> dict[str, Any]:
    own = {"principal": {"id": "ann", "namespaces": ["ann"]}, "as_of": "2026-03-01T20:00:00Z", "session_id": "s"}
    return {"id": query_id, "text": text, "embedding": VECTOR, **own, **fields}


#: 24 untagged memories of one session, an hour or less apart; three of them speak of the harbour.
MEMORIES = [
    *(memory(f"m{number:02}", f"note of the day, number {number}", 1 + number // 2) for number in range(21)),
    memory("h1", "the harbour opens at six", 12),
    memory("h2", "harbour fees are due", 13, keys={"boat": "7"}),
    memory("h0", "harbour map", 0),  # the oldest: outside the window
    memory("later", "harbour news", 21),  # not stored yet at as_of
    memory("else", "harbour of another session", 12, session_id="t"),
]
QUERIES = [
    query("kept", "when does the harbour open", required=["h1"]),
    query("none", "zebra", semantic_tag="sea"),
    query("keyed", "harbour fees", keys={"boat": "7"}, required=["h2"]),
    query("claimed", "harbour", session_id=None, claimed_session_id="s"),
]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Inspection]:
    for name, listed in (("memories", MEMORIES), ("queries", QUERIES)):
        lines = "".join(json.dumps(one) + "\n" for one in listed)
        (tmp_path / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    (tmp_path / "bundle.toml").write_text('route = "dual_path"\n', encoding="utf-8")
    with open_sources([tmp_path], OpenOptions(temporary=True, k=50)) as inspection:
        inspection.evaluate()
        yield inspection


def paths(inspection: Inspection) -> dict[str, dict[str, str]]:
    return {
        one.id: {row.memory_id: row.path for row in inspection.candidates(qi)}
        for qi, one in enumerate(inspection.queries)
    }


def test_window_keyword_and_review_are_paths_of_the_hits(opened: Inspection) -> None:
    found = paths(opened)
    # h1 and h2 share the keyword in the window of 20; a tenth of two, rounded up, is one for review.
    assert found["kept"].keys() == {"h1", "h2"}
    assert sorted(found["kept"].values()) == ["degraded: keyword", "degraded: review"]
    # No keyword: the window as it is, the last twenty stored at as_of.
    assert len(found["none"]) == 20
    assert set(found["none"].values()) == {"degraded: window"}
    assert {"h0", "later", "else"}.isdisjoint(found["none"])
    # An exact key is better than a window; without an authenticated session there is none.
    assert found["keyed"] == {"h2": "exact_key"}
    assert found["claimed"] == {}


def test_the_header_says_degraded_and_why(opened: Inspection) -> None:
    (said,) = [line for line in opened.header() if line.startswith("degraded")]
    assert said.startswith("degraded: 4 of 4 queries: the query has no semantic tag (2)")
    assert "no memory of the session has a semantic tag (1)" in said
    assert "the query has no authenticated session (1)" in said
    assert [row.degraded for row in opened.query_rows()] == [
        "the query has no semantic tag",
        "no memory of the session has a semantic tag",
        "the query has no semantic tag",
        "the query has no authenticated session",
    ]
    opened.set_route(RouteChoice("global_dense"))
    opened.evaluate()
    assert not [line for line in opened.header() if "degraded" in line]
    assert not any(row.degraded for row in opened.query_rows())


def test_tags_end_it_and_undo_brings_it_back(opened: Inspection) -> None:
    mis = [mi for mi, one in enumerate(opened.memories) if one.id in ("h1", "m00")]
    opened.edit("memory", mis, "semantic_tag", "sea")
    # Its session has tags now: session × tag finds the two, near enough to the question.
    assert paths(opened)["none"] == {"h1": "session_tag", "m00": "session_tag"}
    assert opened.query_rows()[1].degraded == ""
    opened.undo()
    assert set(paths(opened)["none"].values()) == {"degraded: window"}


def test_figures_by_path_in_the_summary(opened: Inspection) -> None:
    told = rows.summary(opened)
    assert told["degraded"] == degraded_words(opened.retriever.degraded, 4)
    assert [one["degraded"] is not None for one in told["queries"]] == [True] * 4
    # Each query took one path, which is not the route itself: told by path all the same.
    assert told["queries"][1]["by_path"].keys() == {"degraded: window"}
    assert told["by_path"].keys() == {"degraded: keyword", "degraded: review", "degraded: window", "exact_key"}


def test_the_session_view_has_the_same(opened: Inspection) -> None:
    run = boundaries.replay_session(opened, "s")
    found = boundaries.session_degraded(opened, run)
    by_id = {opened.queries[qi].id: one for qi, one in found.items()}
    assert by_id.keys() == {"kept", "none", "keyed"}
    kept = by_id["kept"]
    ids = {opened.memories[mi].id: path for mi, path in kept.found.items()}
    assert ids == paths(opened)["kept"]
    assert {opened.memories[mi].id: words for mi, words in kept.shared.items()} == {
        "h1": ("harbour",),
        "h2": ("harbour",),
    }


def test_three_tests_of_a_pair(opened: Inspection) -> None:
    index = {one.id: mi for mi, one in enumerate(opened.memories)}
    keyed = opened.queries[2]
    pair = session_tag(opened.memories[index["h2"]], keyed, {})
    assert (pair.session, pair.tag, pair.both, pair.key) == (Trit.YES, Trit.UNKNOWN, Trit.UNKNOWN, Trit.YES)
    assert pair.words == "session: both 's'; tag: the memory and the query have none"
    assert pair.key_words == "boat both '7'"
    other = session_tag(opened.memories[index["else"]], keyed, {})
    assert (other.session, other.both, other.key) == (Trit.NO, Trit.NO, Trit.UNKNOWN)
    assert other.words.startswith("session: 't' ≠ the query's 's'")
    assert other.key_words == "boat: the memory has none"
    # A claim alone is no session; what is assumed counts as said.
    assert session_tag(opened.memories[index["h2"]], opened.queries[3], {}).session == Trit.UNKNOWN
    assumed = session_tag(opened.memories[index["h2"]], opened.queries[1], {"semantic_tag": "sea"})
    assert assumed.tag == Trit.YES


@pytest.mark.parametrize(("held", "expected"), [("7", Trit.YES), (7, Trit.NO), (True, Trit.NO), (None, Trit.UNKNOWN)])
def test_an_exact_key_is_equal_and_of_one_kind(opened: Inspection, held: Any, expected: Trit) -> None:
    mi = next(mi for mi, one in enumerate(opened.memories) if one.id == "h2")
    opened.edit("memory", [mi], "keys", {"boat": held})
    assert session_tag(opened.memories[mi], opened.queries[2], {}).key == expected
