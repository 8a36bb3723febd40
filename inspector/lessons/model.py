"""What a lesson is: words in one or more languages, steps, and the conditions that say that a step was done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspector.i18n import LANGUAGES as LANGUAGES
from inspector.i18n import locale_language as locale_language

#: A text in each language that the file gives it in.
Words = Mapping[str, str]


def in_language(words: Words, language: str) -> str:
    """The text in a language, else in the first that there is."""
    return words.get(language) or next((words[each] for each in LANGUAGES if each in words), "")


@dataclass(frozen=True, slots=True)
class Condition:
    """One thing that has to hold: a kind of :data:`inspector.lessons.conditions.KINDS` with its parameters."""

    kind: str
    given: Mapping[str, Any]
    line: int | None


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer to a question; ``because`` is told to who chose it and was wrong."""

    words: Words
    right: bool
    because: Words


@dataclass(frozen=True, slots=True)
class Question:
    """A question that the learner answers by choosing; one choice at least is right, one at least is not."""

    words: Words
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what to do, the conditions that all have to hold, a question that may stand beside or instead of
    them, and what was just shown. ``id`` names it in the learner's progress."""

    id: str
    do: Words
    shown: Words
    conditions: tuple[Condition, ...]
    question: Question | None
    line: int | None


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson. ``key`` names it in the learner's progress; ``store`` is a bundled store's name or a path.

    ``opened`` are the ``OpenOptions`` that the file sets: route, k, tau, gate, pool.
    """

    key: str
    file: Path
    number: int
    title: Words
    teaches: Words
    minutes: int
    store: str
    folder: Path
    opened: Mapping[str, Any]
    steps: tuple[Step, ...]
