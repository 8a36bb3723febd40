"""Disclosure on the leak targets of GateMem, with answers made by hand from each target.

Expected values follow from how the answer was made: what holds the target whole is told, what holds a piece of a
number is not, what quotes the question alone is not. The memory is a turn of the data that holds the target; targets
that no turn holds word for word (patterns, paraphrases) and those that the question says itself are told apart.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from inspector.audit.disclosure import AnswerReader, Disclosure, Shown
from inspector.audit.targets import find_whole
from inspector.formats import load
from inspector.records import Memory, Origin, Query
from inspector.text import contains_tokens, token_line
from inspector.trit import Trit
from tests.audit.audit_cases import query

pytestmark = pytest.mark.shared
WIDE = {ord(char): ord(char) + 0xFEE0 for char in map(chr, range(0x21, 0x7F))}


class Leak(NamedTuple):
    target: str
    asked: Query
    memory: Memory


@pytest.fixture(scope="module")
def leaks(shared: Path) -> list[Leak]:
    """One for each (checkpoint, target) whose question does not say the target: a stored turn that holds it."""
    found = list(_leaks(shared / "gatemem"))
    assert len(found) > 500
    return found


def _leaks(folder: Path) -> Iterator[Leak]:
    bundle = load([folder])
    turns: dict[str, list[tuple[str, Memory]]] = {}
    for memory in bundle.memories:
        turns.setdefault(str(memory.value("namespace")), []).append((token_line(memory.text), memory))
    for asked in bundle.queries:
        episode = asked.value("principal")["namespaces"][0]
        for target in asked.value("leak_targets") or ():
            if contains_tokens(token_line(asked.text), target):
                continue
            holding = next((memory for line, memory in turns[episode] if contains_tokens(line, target)), None)
            if holding is not None:
                yield Leak(target, asked, holding)


def told(leak: Leak, answer: str, question: str | None = None) -> Disclosure:
    asked = query(leak.asked.text if question is None else question, leak_targets=[leak.target])
    reader = AnswerReader(asked, answer)
    return reader.of(0, leak.memory, Trit.YES, reader.in_order([(Shown(0, leak.memory.text), Trit.NO, 0)]))


def check(leak: Leak, answer: str, shown: str) -> None:
    found = told(leak, answer)
    assert found.value == Trit.YES, (leak.target, answer)
    marked = [answer[span.answer.start : span.answer.end] for span in found.spans]
    assert shown in marked, (leak.target, answer, marked)
    for span in found.spans:
        assert span.memory is not None
        assert find_whole(leak.memory.text[span.memory.start : span.memory.end], leak.target)


def core(target: str) -> str:
    """The target without the punctuation around it, which no whole token holds."""
    return re.sub(r"^\W+|\W+$", "", target)


def test_literal(leaks: list[Leak]) -> None:
    for leak in leaks:
        check(leak, f"Xyzzy: {leak.target}, plugh.", core(leak.target))


def test_other_case(leaks: list[Leak]) -> None:
    for leak in leaks:
        shown = core(leak.target)
        check(leak, f"Xyzzy: {shown.upper()} plugh.", shown.upper())


def test_other_punctuation_and_a_line_break(leaks: list[Leak]) -> None:
    for leak in leaks:
        shown = core(leak.target).replace(" ", "  —\n")
        check(leak, f"(“{shown}”)", shown)


def test_full_width(leaks: list[Leak]) -> None:
    for leak in leaks:
        shown = core(leak.target).translate(WIDE)
        check(leak, f"xyzzy {shown} plugh", shown)


def test_a_longer_word_or_number_is_not_the_target(leaks: list[Leak]) -> None:
    tried = 0
    for leak in leaks:
        shown = core(leak.target)
        # A digit or a letter more at either end makes another word or another number of it.
        more = "7" if shown[-1].isdigit() else "x"
        first = "7" if shown[0].isdigit() else "x"
        for answer in (f"Xyzzy {shown}{more} plugh.", f"Xyzzy {first}{shown} plugh."):
            found = told(leak, answer)
            shared = any(span.by == "leak target" for span in found.spans)
            assert not shared, (leak.target, answer)
        tried += shown[-1].isdigit() or shown[0].isdigit()
        if shown[-1].isdigit():
            decimal = f"Xyzzy {shown}.5 plugh."
            assert not any(span.by == "leak target" for span in told(leak, decimal).spans), decimal
    assert tried > 50


def test_a_quote_of_the_question_only(shared: Path) -> None:
    """Every target that the question says, the question quoted whole and nothing else said: nothing is told."""
    tried = 0
    for domain in ("medical", "office"):
        text = (shared / "gatemem" / domain / "checkpoints.jsonl").read_text(encoding="utf-8")
        for line in text.splitlines():
            checkpoint = json.loads(line)
            question = checkpoint["query_text"]
            for target in checkpoint.get("leak_targets") or ():
                if not contains_tokens(token_line(question), target):
                    continue
                tried += 1
                holding = Memory({"id": "m", "text": f"Noted: {target}."}, Origin("made", 1))
                leak = Leak(target, query(question), holding)
                assert told(leak, f"You ask: “{question}” I may not say.").value == Trit.NO, target
                assert told(leak, f"Xyzzy, {target}.").value == Trit.UNKNOWN, target
    assert tried == 384
