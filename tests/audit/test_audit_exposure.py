"""Exposure: what a trace recorded, matched by id, content hash, text; else assembled."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from inspector.audit.assembly import CHARACTERS, Measure, Slot, assemble, tokenizer_measure
from inspector.audit.corpus import Corpus
from inspector.audit.exposure import ExposureReader, cites, place_in
from inspector.auditing import bundled_measure
from inspector.errors import InspectorError
from inspector.trit import Trit
from tests.audit.audit_cases import audited, by_id, memory, query

POOL = memory("m-pool", "The pool opens at seven every morning.")
TEA = memory("m-tea", "Tea, please.")
STORE = [POOL, TEA]


def read(recorded: dict[str, Any], question: str = "When can I swim?") -> ExposureReader:
    return ExposureReader(query(question, recorded=recorded), Corpus(STORE))


def said(reader: ExposureReader, index: int = 0) -> tuple[str, str]:
    found = reader.of(STORE[index], Trit.NO, "admit", index)
    return found.value.symbol, found.kind


def test_by_id_then_hash_then_text() -> None:
    sha = hashlib.sha256(POOL.text.encode()).hexdigest()
    md5 = hashlib.md5(POOL.text.encode()).hexdigest()
    assert said(read({"exposed": ["m-pool"]})) == ("1", "exact")
    assert said(read({"exposed": [{"id": "other", "content_hash": sha}]})) == ("1", "strong")
    assert said(read({"exposed": [{"content_hash": f"md5:{md5.upper()}"}]})) == ("1", "strong")
    assert said(read({"exposed": [{"text": "the pool OPENS at seven, every morning"}]})) == ("1", "weak")
    assert said(read({"prompt": "Known:\n- the pool opens\n at seven every morning!\nAnswer."})) == ("1", "weak")
    assert said(read({"exposed": ["m-tea"], "prompt": "Hello"})) == ("0", "none")


def test_an_empty_list_says_that_nothing_was_exposed_and_an_empty_prompt_says_nothing() -> None:
    assert said(read({"exposed": []})) == ("0", "none")
    assert not read({"prompt": ""}).recorded
    assert said(read({"prompt": "", "answer": "x"})) == ("0", "assembled")  # the verdict is 0


def test_the_prompt_s_place_is_in_the_original_text() -> None:
    prompt = "Ｋnown: the POOL opens\nat seven every morning."
    assert said(read({"prompt": prompt})) == ("1", "weak")
    place = place_in(prompt, POOL.text)
    assert place is not None
    assert prompt[place.start : place.end] == "the POOL opens\nat seven every morning"


def test_a_text_cut_short_is_in_doubt() -> None:
    assert said(read({"prompt": "Notes: The pool opens at seven every… "})) == ("?", "weak")
    # Four words of seven are no five in a row.
    assert said(read({"prompt": "Notes: The pool opens at… "})) == ("0", "none")
    # A list of ids is complete: then the part of a text is another's.
    assert said(read({"prompt": "The pool opens at seven every…", "exposed": ["m-tea"]})) == ("0", "none")


def test_few_words_and_the_question_s_own_words_are_in_doubt() -> None:
    assert said(read({"prompt": "user: tea please"}), 1) == ("?", "weak")
    asked = "Is it true: the pool opens at seven every morning?"
    assert said(read({"prompt": f"user: {asked}"}, asked)) == ("?", "weak")


def test_what_another_memory_in_the_prompt_says_too_is_no_exposure() -> None:
    """Look-alikes that nothing names: their words stand in the prompt, and only inside another's whole text."""
    spa = memory("m-spa", "The spa opens at seven every morning of May.")
    bar = memory("m-bar", "The bar opens at seven every morning.")
    store = [POOL, spa, bar]
    recorded = {"events": [{"retrieved": [{"id": "m-pool"}]}], "prompt": f"Notes: {POOL.text}", "answer": "At seven."}
    done = audited(store, query("When can I swim?", recorded=recorded), {"m-bar": 0})
    assert by_id(done) == {"m-pool": ("1", "1", "0")}
    assert done.stages.first == "none"
    # A piece of its own beside it, or the same words once more: then it may have been cut.
    for more in ("opens at seven every morning of May", "and opens at seven every morning"):
        recorded["prompt"] = f"Notes: {POOL.text} {more}"
        done = audited(store, query("When can I swim?", recorded=recorded), {"m-spa": 0})
        assert by_id(done)["m-spa"] == ("0", "?", "0")
    # Where the record that would explain it was not shown whole, nothing does.
    recorded["prompt"] = "Notes: opens at seven every morning"
    assert by_id(audited(store, query(recorded=recorded), {"m-spa": 0}))["m-spa"] == ("0", "?", "0")


def test_recent_turns_in_the_prompt_are_no_exposed_memory() -> None:
    turns = [{"role": "user", "content": POOL.text}]
    prompt = f"history:\nuser: {POOL.text}\n"
    assert said(read({"prompt": prompt, "recent_turns": turns})) == ("0", "none")
    # Once in the turns and once beside them: it was put there.
    assert said(read({"prompt": prompt + "memories:\n" + POOL.text, "recent_turns": turns})) == ("1", "weak")


def test_an_id_that_two_namespaces_share() -> None:
    store = [memory("m1", "One two three four.", namespace="a"), memory("m1", "Six seven eight.", namespace="b")]
    corpus = Corpus(store)

    def of(recorded: dict[str, Any], retrieved: tuple[int, ...] = ()) -> list[str]:
        reader = ExposureReader(query(recorded=recorded), corpus, retrieved)
        return [reader.of(one, Trit.YES, "admit", mi).value.symbol for mi, one in enumerate(store)]

    assert of({"exposed": ["m1"]}) == ["?", "?"]
    assert of({"exposed": ["m1"]}, (1,)) == ["0", "1"]
    assert of({"exposed": [{"id": "m1", "namespace": "a"}]}) == ["1", "0"]
    assert of({"exposed": [{"id": "m1", "text": "six seven eight"}]}) == ["0", "1"]


def test_records_that_are_not_stored_are_listed() -> None:
    reader = read({"exposed": ["m-pool", "ghost"]})
    assert [item.id for item in reader.unknown] == ["ghost"]


@pytest.mark.parametrize(
    ("text", "id", "found"),
    [
        ("see [doc:m-pool] there", "m-pool", True),
        ("[m1] the pool", "m1", True),
        ('{"id": "m1"}', "m1", True),
        ("<memory id='m1'>", "m1", True),
        ("m1 is a road", "m1", False),  # too short to be told from a word
        ("see m-pool-7.", "m-pool-7", True),
        ("see m-pool-70", "m-pool-7", False),
        ("see xm-pool-7", "m-pool-7", False),
        ("anniversary", "anniversary", False),
        ("memory: anniversary", "anniversary", True),
        ("[M1]", "m1", False),
    ],
)
def test_ids_in_texts(text: str, id: str, found: bool) -> None:
    assert (cites(text, id) is not None) is found


def test_an_id_in_the_prompt_is_exact() -> None:
    assert said(read({"prompt": "memories: [doc:m-pool] (hidden)"})) == ("1", "exact")
    assert read({"prompt": "memories: [doc:m-pool] (hidden)"}).named() == {0}


def slots() -> list[Slot]:
    return [
        Slot(0, 1, Trit.YES, "aaaa", 30),
        Slot(1, 2, Trit.NO, "bb", 10),
        Slot(2, 3, Trit.UNKNOWN, "cccccc", 20),
        Slot(3, 4, Trit.YES, "ddd", None),
        Slot(4, 5, Trit.YES, "e", 10),
    ]


def test_assembly_by_verdict_order_and_budget() -> None:
    def lines(**given: Any) -> tuple[list[int], list[int], int]:
        prompt = assemble(slots(), **given)
        return [line.mi for line in prompt.lines], [line.mi for line in prompt.cut], prompt.size

    assert lines() == ([0, 3, 4], [], 8)
    assert lines(let_through="unresolved") == ([0, 2, 3, 4], [], 14)
    assert lines(budget=7) == ([0, 3], [4], 7)
    assert lines(budget=6) == ([0], [3, 4], 4)  # d does not fit and ends it, though e would
    assert lines(budget=0) == ([], [0, 3, 4], 0)
    assert lines(order="oldest") == ([4, 0, 3], [], 8)
    assert lines(order="newest", budget=5) == ([0, 4], [3], 5)


def test_the_unit_and_both_counts_are_always_said() -> None:
    prompt = assemble(slots(), budget=7)
    assert (prompt.admitted, prompt.unresolved) == (3, 1)
    assert "7 characters (budget 7, 1 cut)" in prompt.words
    assert "3 with admit alone, 4 with unresolved let through" in prompt.words
    counted = assemble(slots(), measure=Measure("tokens", "T", lambda text: 1))
    assert "3 tokens of T (no budget)" in counted.words
    assert CHARACTERS.size("방은") == 2


def test_a_real_tokenizer_counts_where_one_is_at_hand(tmp_path: Path) -> None:
    measure = bundled_measure()
    assert str(measure) == "tokens of all-MiniLM-L6-v2"
    # WordPiece: one token a common word, the full stop its own; nothing is cut at the model's own limit.
    assert measure.size("the pool opens.") == 4
    assert measure.size("pool " * 2_000) == 2_000
    bad = tmp_path / "tokenizer.json"
    bad.write_text("{}", encoding="utf-8")
    with pytest.raises(InspectorError, match="is not a tokenizer"):
        tokenizer_measure(bad)
