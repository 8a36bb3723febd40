"""Disclosure's ground against plain Python: shared runs, places of tokens, whole-token targets."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from inspector.audit.corpus import Corpus, Sought
from inspector.audit.runs import Runs
from inspector.audit.targets import find_whole
from inspector.audit.tokens import folded, run_tokens, run_words
from inspector.records import Memory, Origin
from inspector.text import fold, words

WORDS = st.lists(st.sampled_from(["a", "b", "c", "1"]), max_size=40)
SPACED = st.text(st.characters(codec="utf-8", max_codepoint=0x24F), max_size=60)


def contains(whole: list[str], part: list[str]) -> bool:
    return any(whole[at : at + len(part)] == part for at in range(len(whole) - len(part) + 1))


@given(WORDS, WORDS)
def test_shared_runs_are_all_the_maximal_ones(first: list[str], second: list[str]) -> None:
    found = Runs(first).shared(second)
    places = {(run.second, run.length) for run in found}
    for run in found:
        said = second[run.second : run.second + run.length]
        assert first[run.first : run.first + run.length] == said
    expected = set()
    for start in range(len(second)):
        longest = max(
            (n for n in range(len(second) - start + 1) if contains(first, second[start : start + n])), default=0
        )
        if longest >= 5 and not (start and contains(first, second[start - 1 : start + longest])):
            expected.add((start, longest))
    assert places == expected


@given(st.text(max_size=60))
def test_places_cover_what_the_token_came_from(text: str) -> None:
    tokens = run_tokens(text)
    assert [token.text for token in tokens] == run_words(text)
    for token in tokens:
        assert 0 <= token.start < token.end <= len(text)
        # Folding the marked stretch alone gives the token back, but for letters that compose with their neighbours.
        assert token.text in folded(text[token.start : token.end]).text
    assert all(one.start <= other.start for one, other in pairwise(tokens))


@given(SPACED)
def test_folding_is_the_shared_one(text: str) -> None:
    unseen = text.replace("\u00ad", "")
    assert folded(text).text == fold(unseen)
    assert run_words(text) == words(unseen)


@given(WORDS, WORDS)
def test_targets_are_found_where_plain_words_are(text: list[str], target: list[str]) -> None:
    found = find_whole(" ".join(text), " ".join(target))
    assert bool(found) is (bool(target) and contains(text, target))


@given(st.lists(WORDS, max_size=12), WORDS)
def test_the_scan_of_a_store_misses_nothing(store: list[list[str]], answer: list[str]) -> None:
    memories = [Memory({"id": str(place), "text": " ".join(one)}, Origin("m", 1)) for place, one in enumerate(store)]
    found = Corpus(memories).scan({"q": Sought((" ".join(answer),))})["q"]
    runs = Runs(answer)
    for place, one in enumerate(store):
        if runs.shared(one) or (one and contains(answer, one)):
            assert place in found
