"""The conflict detector: the labelled pairs, the rules by hand-made examples, and what it must never do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.mdl.conflict import ConflictDetector, Judged
from inspector.mdl.lexicon import default_lexicons

DATA = Path(__file__).parent / "data"
#: What the detector gets wrong, by id; a change of the detector or its words that moves this list must say so here.
KNOWN_FAILURES = {
    # needs to know that a layover is a stop; counts that differ are no rule of the detector
    "conflict_pairs.jsonl": {"en-22", "en-50", "ko-33"},
    # "quit smoking" and "a pack a day" say more on both sides; free/costs, covers/excludes, warm/cold are in no list;
    # an allergy is knowledge
    "conflict_pairs_heldout.jsonl": {
        "en-held-05",
        "en-held-06",
        "en-held-09",
        "en-held-13",
        "ko-held-08",
    },
}


@pytest.fixture(scope="module")
def detector() -> ConflictDetector:
    return ConflictDetector(default_lexicons())


def rows_of(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", list(KNOWN_FAILURES))
def test_labelled_pairs(name: str, detector: ConflictDetector) -> None:
    rows = rows_of(name)
    wrong = {row["id"] for row in rows if detector.judge(row["a"], row["b"]).value.words != row["label"]}
    assert wrong == KNOWN_FAILURES[name]


def test_precision_and_recall_of_the_hundred_pairs(detector: ConflictDetector) -> None:
    """The floor that the README states: 50 of 53 conflicts found, nothing flagged that is none."""
    rows = rows_of("conflict_pairs.jsonl")
    assert len(rows) == 100
    assert sum(row["language"] == "en" for row in rows) == 60
    assert sum(row["language"] == "ko" for row in rows) == 40
    flagged = [row for row in rows if detector.judge(row["a"], row["b"]).value is Judged.CONFLICT]
    right = sum(row["label"] == "conflict" for row in flagged)
    assert right / len(flagged) >= 1.0
    assert right / sum(row["label"] == "conflict" for row in rows) >= 50 / 53


@pytest.mark.parametrize("name", list(KNOWN_FAILURES))
def test_symmetric_and_never_with_itself(name: str, detector: ConflictDetector) -> None:
    for row in rows_of(name):
        there, back = detector.judge(row["a"], row["b"]), detector.judge(row["b"], row["a"])
        assert there.value is back.value
        assert (there.conflict.mirrored() if there.conflict else None) == back.conflict
        for text in (row["a"], row["b"], f"{row['a']} {row['b']}"):
            assert detector.judge(text, text).value is not Judged.CONFLICT


@pytest.mark.parametrize(
    ("a", "b", "rule", "left", "right"),
    [
        ("The user drinks coffee.", "The user does not drink coffee.", "negation", ("drinks",), ("not", "drink")),
        ("Dr. Chen approved the refund.", "Dr. Chen rejected the refund.", "polarity", ("approved",), ("rejected",)),
        ("Gluten allergy: yes", "Gluten allergy: no", "polarity", None, None),
        ("The door is open.", "The door is closed.", "antonym", ("open",), ("closed",)),
        ("사용자는 커피를 마신다.", "사용자는 커피를 마시지 않는다.", "negation", ("마신다",), ("않는다", "마시지")),
        ("문이 열려 있다.", "문이 닫혀 있다.", "antonym", ("열려",), ("닫혀",)),
    ],
)
def test_the_words_that_conflict_are_named(
    a: str, b: str, rule: str, left: tuple[str, ...] | None, right: tuple[str, ...] | None, detector: ConflictDetector
) -> None:
    found = detector.judge(a, b).conflict
    assert found is not None
    assert found.rule == rule
    if left is not None:
        assert (found.left_words, found.right_words) == (left, right)
    assert found.left in a
    assert found.right in b


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Ich trinke keinen Kaffee.", "Ich trinke Kaffee."),
        ("No me gusta el café.", "Me gusta el café."),
        ("コーヒーが好きです。", "コーヒーが嫌いです。"),
        ("我喜欢咖啡。", "我不喜欢咖啡。"),
        ("12345", "54321"),
        ("", ""),
        ("The user likes tea.", "사용자는 차를 싫어한다."),
    ],
)
def test_without_a_lexicon_nothing_is_judged(a: str, b: str, detector: ConflictDetector) -> None:
    verdict = detector.judge(a, b)
    assert verdict.value is Judged.NOT_JUDGED
    assert verdict.reason


@pytest.mark.parametrize(
    ("a", "b", "conflict"),
    [
        # "note" and "quite" are no negations, "stopped by" denies nothing, "not just" neither
        ("The user will note the address.", "The user's address is at the office.", False),
        ("The user stopped by the market.", "The user is by the market.", False),
        ("The user stopped drinking alcohol.", "The user drinks alcohol.", True),
        ("It is not just coffee that the user likes.", "The user likes coffee.", False),
        # "understandable" denies nothing, "unpaid" does
        ("It is understandable that the user is late.", "It is not understandable that the user is late.", True),
        ("The bill is unpaid.", "The bill is not paid.", False),
        # an owner is no subject
        ("The user's brother eats meat.", "The user does not eat meat.", False),
        # apostrophes and inches open no quotation
        ("The dogs' bowls are empty.", "The dogs' bowls are not empty.", True),
        ("The user is 5'10\" tall and drinks tea.", "The user does not drink tea.", True),
        # what the user is quoted as saying counts, what others say does not
        ("I said 'I never eat fish'.", "I eat fish.", True),
        ('Anna said "I never eat fish".', "Anna eats fish.", False),
        # headings and items of a list state nothing
        ("Notes\nfish, meat, no salt\nThe user is tall.", "The user buys salt.", False),
        # a full stop after an abbreviation ends nothing
        ("Dr. Kim is not available on Friday.", "Dr. Kim is available on Friday.", True),
    ],
)
def test_hand_made_cases(a: str, b: str, conflict: bool, detector: ConflictDetector) -> None:
    assert (detector.judge(a, b).value is Judged.CONFLICT) is conflict


def test_what_both_texts_say_is_no_conflict(detector: ConflictDetector) -> None:
    torn = "The user likes tea. The user does not like tea."
    assert detector.judge(torn, "The user likes tea!").value is Judged.NO_CONFLICT
    assert detector.judge(torn, torn + " ").value is Judged.NO_CONFLICT


def test_the_table_agrees_with_the_pairs(detector: ConflictDetector) -> None:
    texts = [row[side] for row in rows_of("conflict_pairs.jsonl")[::9] for side in ("a", "b")] + ["Bonjour", ""]
    table = detector.table(texts)
    for i, left in enumerate(texts):
        for j, right in enumerate(texts):
            if i == j:
                continue
            verdict = detector.judge(left, right)
            assert table.codes[i, j] == verdict.value
            if i < j:
                assert table.conflicts.get((i, j)) == verdict.conflict
    assert (table.codes == table.codes.T).all()
    judged = sum(1 for i in range(len(texts)) for j in range(i) if table.codes[i, j])
    assert table.judged == judged


def test_a_text_made_to_stall_it_does_not(detector: ConflictDetector) -> None:
    """Two texts of thousands of statements that all meet in one word: what is compared is bounded."""
    left = " ".join(f"Item {i} is not red." for i in range(900))
    right = " ".join(f"Item {i + 5000} is red." for i in range(900))
    assert detector.judge(left, right).value is Judged.NO_CONFLICT
    hostile = "\x1b]2;x\x07\u202e not \ud800 'a\" (((( " * 400
    assert detector.judge(hostile, "The user is not red.").value in (Judged.NO_CONFLICT, Judged.NOT_JUDGED)
