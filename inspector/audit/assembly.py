"""The prompt that our verdicts would make: a read-only proxy of the memory part of a prompt (DESIGN 8).

Verdicts that are let through, in an order, within a budget. Sizes are tokens of a real tokenizer where one is at hand,
else characters, and the unit is always said.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from inspector.audit.exposure import LetThrough, lets_through
from inspector.errors import InspectorError
from inspector.i18n import _, _d
from inspector.text import counted
from inspector.trit import Trit

Order = Literal["rank", "oldest", "newest"]
ORDERS: tuple[Order, ...] = ("rank", "oldest", "newest")
Unit = Literal["tokens", "characters"]
UNITS: tuple[Unit, ...] = ("tokens", "characters")


@dataclass(frozen=True, slots=True)
class Measure:
    """How the size of a text is counted: ``unit`` is "tokens" or "characters", ``by`` names the tokenizer."""

    unit: Unit
    by: str
    size: Callable[[str], int]

    def __str__(self) -> str:
        return _d("characters") if self.unit == "characters" else _d("tokens of {by}").format(by=self.by)


#: The measure where no tokenizer is at hand.
CHARACTERS = Measure("characters", "", len)


def tokenizer_measure(file: Path, name: str | None = None) -> Measure:
    """Count with the tokenizer in a ``tokenizer.json``, special tokens left out.

    Raises InspectorError where the file cannot be read as one.
    """
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(file))
        tokenizer.no_truncation()
        tokenizer.no_padding()
    except Exception as error:  # the library raises bare Exception
        raise InspectorError(_("{file}: is not a tokenizer: {error}").format(file=file, error=error)) from None

    # The same memory stands in many prompts.
    @functools.lru_cache(maxsize=65_536)
    def size(text: str) -> int:
        return len(tokenizer.encode(text, add_special_tokens=False).ids)

    return Measure("tokens", name or file.parent.name, size)


@dataclass(frozen=True, slots=True)
class Slot:
    """One memory that may go into the prompt: what order and budget need of it. ``created_us`` is None undated."""

    mi: int
    rank: int
    verdict: Trit
    text: str
    created_us: int | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """One memory in the assembled prompt, or the one that was cut from it, with its size in the measure's unit."""

    mi: int
    size: int


@dataclass(frozen=True, slots=True)
class Prompt:
    """An assembled prompt: lines in order, those cut by the budget, sizes, and both counts of what is let through.

    ``admitted`` and ``unresolved`` count the candidates with these verdicts, whichever are let through.
    """

    lines: tuple[Line, ...]
    cut: tuple[Line, ...]
    size: int
    budget: int | None
    measure: Measure
    order: Order
    let_through: LetThrough
    admitted: int
    unresolved: int

    @property
    def words(self) -> str:
        """The prompt in a sentence, both counts and the unit included."""
        unresolved = _d("{admitted} with unresolved let through").format(admitted=self.admitted + self.unresolved)
        counts = _d("{admitted} with admit alone, {unresolved}").format(admitted=self.admitted, unresolved=unresolved)
        limit = _d("no budget") if self.budget is None else _d("budget {budget:,}").format(budget=self.budget)
        cut = _d(", {count} cut").format(count=len(self.cut)) if self.cut else ""
        size = f"{self.size:,} {self.measure} ({limit}{cut})"
        many = counted(len(self.lines), "memory", "memories")
        return _d("{many}, {size}, in order of {order}; let through: {counts}").format(
            many=many, size=size, order=self.order, counts=counts
        )


def assemble(
    slots: Sequence[Slot],
    let_through: LetThrough = "admit",
    order: Order = "rank",
    budget: int | None = None,
    measure: Measure = CHARACTERS,
) -> Prompt:
    """Put the candidates that the verdicts let through into a prompt, in ``order``, until the budget is spent.

    The first memory that does not fit ends the prompt, as a real assembler's cut does. By age, undated memories come
    last; ties go by rank.
    """
    passing = [slot for slot in slots if lets_through(slot.verdict, let_through)]
    sign = -1 if order == "newest" else 1
    passing.sort(
        key=lambda slot: (
            (0, 0, slot.rank)
            if order == "rank"
            else (slot.created_us is None, sign * (slot.created_us or 0), slot.rank)
        )
    )
    lines = [Line(slot.mi, measure.size(slot.text)) for slot in passing]
    kept, spent = len(lines), 0
    for place, line in enumerate(lines):
        if budget is not None and spent + line.size > budget:
            kept = place
            break
        spent += line.size
    return Prompt(
        lines=tuple(lines[:kept]),
        cut=tuple(lines[kept:]),
        size=spent,
        budget=budget,
        measure=measure,
        order=order,
        let_through=let_through,
        admitted=sum(slot.verdict == Trit.YES for slot in slots),
        unresolved=sum(slot.verdict == Trit.UNKNOWN for slot in slots),
    )
