"""BM25 against the formula written out, against the bm25s library, and against a published evaluation."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.records import Settings
from inspector.retrieval.lexical import LexicalIndex, metadata_text
from inspector.text import packet_tokens
from tests.retrieval.views import memory

WORDS = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), max_size=8)


def reference(documents: list[list[str]], words: list[str], factor: float = 2.5) -> list[float]:
    """The formula of DESIGN 4, one document and one word at a time."""
    number = len(documents)
    average = sum(len(document) for document in documents) / number
    scores = []
    for document in documents:
        counts, score = Counter(document), 0.0
        for word in words:
            tf, df = counts[word], sum(word in other for other in documents)
            if tf:
                idf = math.log(1 + (number - df + 0.5) / (df + 0.5))
                score += idf * factor * tf / (tf + 1.5 * (1 - 0.75 + 0.75 * len(document) / average))
        scores.append(score)
    return scores


def index_of(documents: list[list[str]]) -> LexicalIndex:
    return LexicalIndex((" ".join(document) for document in documents), str.split)


def test_worked_by_hand() -> None:
    # N 2, avgdl 2; "old": df 1, idf ln(1 + 1.5/1.5) = ln 2; tf 1, |d| 3:
    # ln 2 · 2.5 / (1 + 1.5·(0.25 + 0.75·1.5)) = ln 2 · 2.5/3.0625
    scores = index_of([["the", "old", "street"], ["street"]]).pool().scores(["old"])
    assert scores.tolist() == [pytest.approx(math.log(2) * 2.5 / 3.0625), 0.0]


@given(st.lists(WORDS, min_size=1, max_size=12), WORDS)
def test_equals_the_formula_and_bm25s(documents: list[list[str]], words: list[str]) -> None:
    found = index_of(documents).pool().scores(words)
    if not any(documents):
        assert not found.any()
        return
    assert found.tolist() == pytest.approx(reference(documents, words), abs=1e-12)
    library = bm25s.BM25(method="lucene", k1=1.5, b=0.75, dtype="float64")
    library.index(documents, show_progress=False)
    known = [word for word in words if word in library.vocab_dict]
    theirs = library.get_scores(known) if known else np.zeros(len(documents))
    assert found.tolist() == pytest.approx((theirs * 2.5).tolist(), abs=1e-9)


@given(st.lists(WORDS, min_size=1, max_size=10), WORDS, st.data())
def test_a_cut_pool_has_the_statistics_of_what_is_left(
    documents: list[list[str]], words: list[str], data: st.DataObject
) -> None:
    kept = data.draw(st.lists(st.integers(0, len(documents) - 1), min_size=1, unique=True).map(sorted))
    index = index_of(documents)
    allowed = np.zeros(len(documents), dtype=np.bool_)
    allowed[kept] = True
    left = [documents[place] for place in kept]
    wanted = pytest.approx(reference(left, words) if any(left) else [0.0] * len(left), abs=1e-12)
    assert index.pool().scores(words, allowed)[kept].tolist() == wanted
    assert index.pool(np.array(kept)).scores(words).tolist() == wanted


@given(st.lists(WORDS, min_size=1, max_size=8), WORDS, WORDS, st.data())
def test_a_replaced_text_scores_as_if_built_anew(
    documents: list[list[str]], text: list[str], words: list[str], data: st.DataObject
) -> None:
    index = index_of(documents)
    index.pool()
    place = data.draw(st.integers(0, len(documents) - 1))
    index.replace(place, " ".join(text))
    changed = [*documents[:place], text, *documents[place + 1 :]]
    assert index.pool().scores(words).tolist() == index_of(changed).pool().scores(words).tolist()


def test_an_empty_pool_scores_nothing() -> None:
    index = index_of([["a"], ["b"]])
    assert index.pool(np.zeros(0, dtype=np.int64)).scores(["a"]).tolist() == []
    assert index.pool().scores(["a"], np.zeros(2, dtype=np.bool_)).tolist() == [0.0, 0.0]


def test_metadata_text_joins_the_named_fields_and_skips_empty_ones() -> None:
    found = memory(
        "m1",
        text="the text",
        status="active",
        priority="",
        allowed_action_hint=None,
        retrieval_terms=["one", "", "two"],
        meta={"role": "target", "recency_rank": 2, "other": "not read"},
    )
    assert metadata_text(found) == "m1 target active 2 one two the text"


@pytest.mark.shared
def test_packets_get_the_scores_that_their_project_published(shared: Path) -> None:
    checked = 0
    for expected in sorted((shared / "authority_packets").glob("*.expected.json")):
        published = json.loads(expected.read_text())["strategies"]
        packet = json.loads(expected.with_name(expected.name.replace(".expected", "")).read_text())
        for strategy, lexical_text in (("bm25_text", "text"), ("bm25_metadata_text", "metadata")):
            settings = Settings(tokenizer="packet", lexical_text=lexical_text)  # type: ignore[arg-type]
            best = {row["scenario_id"]: row for row in published[strategy]}
            for scenario in packet["scenarios"]:
                seen: Counter[str] = Counter()
                store = []
                for item in scenario["memory_store"]:
                    role = item.get("role", "")
                    seen[role] += 1
                    name = item.get("id") or f"{scenario['id']}::{role}" + (f"_{seen[role]}" if seen[role] > 1 else "")
                    meta = {key: item[key] for key in ("role", "distractor_trap", "recency_rank") if key in item}
                    fields = {key: value for key, value in item.items() if key not in meta and key != "id"}
                    store.append(memory(name, meta=meta, **fields))
                scores = LexicalIndex.of(store, settings).pool().scores(packet_tokens(scenario["query"]))
                first = int(np.argmax(scores))
                row = best[scenario["id"]]
                assert store[first].id == row["selected_memory_id"]
                assert float(scores[first]) == pytest.approx(row["selected_score"], abs=1e-6)
                checked += 1
    assert checked == 48
