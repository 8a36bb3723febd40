"""Lifecycle states, the table of states and intents, and what each label says (DESIGN 3, Lifecycle)."""

from __future__ import annotations

import enum
from functools import cache
from typing import Literal

import numpy as np

from inspector.records import (
    ARCHIVED_WORDS,
    CURRENT_WORDS,
    FORGOTTEN_WORDS,
    INTENTS,
    STALE_WORDS,
    SUPERSEDED_WORDS,
)
from inspector.trit import Trit, TritArray, k_join


class State(enum.IntFlag):
    """The eight states. A set of states that are possible is their bitwise OR; it fits one byte."""

    CURRENT = 1
    STALE = 2
    SUPERSEDED = 4
    ARCHIVED = 8
    FORGOTTEN = 16
    QUARANTINED = 32
    FUTURE = 64
    UNKNOWN = 128


ALL_STATES: tuple[State, ...] = tuple(State)
#: State of each status label; any other label, and a missing one, is unknown.
LABEL_STATE: dict[str, State] = {
    **dict.fromkeys(CURRENT_WORDS, State.CURRENT),
    **dict.fromkeys(STALE_WORDS, State.STALE),
    **dict.fromkeys(ARCHIVED_WORDS, State.ARCHIVED),
    **dict.fromkeys(SUPERSEDED_WORDS, State.SUPERSEDED),
    **dict.fromkeys(FORGOTTEN_WORDS, State.FORGOTTEN),
}
#: Boundary states that decide; ``active``, and a word that is none of the four, leaves it to the later tests.
BOUNDARY_STATE: dict[str, State] = {
    "archived": State.ARCHIVED,
    "forgotten": State.FORGOTTEN,
    "quarantined": State.QUARANTINED,
}
_OVER = State.STALE | State.SUPERSEDED


def table(state: State, intent: str, unknown_intent: Literal["join", "strict"]) -> Trit:
    """One cell of DESIGN's table. An unknown intent is the join of both; ``strict`` gives ? for current × unknown."""
    if state == State.UNKNOWN:
        return Trit.UNKNOWN
    if intent == "unknown":
        if unknown_intent == "strict" and state == State.CURRENT:
            return Trit.UNKNOWN
        return k_join((table(state, "current", unknown_intent), table(state, "history", unknown_intent)))
    if state == State.CURRENT:
        return Trit.YES
    if state in (State.STALE, State.SUPERSEDED, State.ARCHIVED):
        return Trit.YES if intent == "history" else Trit.NO
    return Trit.NO


def members(mask: int) -> list[State]:
    """The states of a set, in the table's order."""
    return [state for state in ALL_STATES if mask & state]


def names(mask: int) -> str:
    """A set of possible states for people: ``superseded or current``."""
    return " or ".join(str(state.name).lower() for state in members(mask))


def value_of(mask: int, intent: str, unknown_intent: Literal["join", "strict"]) -> Trit:
    """The lifecycle value of a set of possible states: what all of them agree on, else ?."""
    return k_join(table(state, intent, unknown_intent) for state in members(mask))


@cache
def value_table(unknown_intent: Literal["join", "strict"]) -> TritArray:
    """:func:`value_of` for every set of states (row, 256) and intent (column, order of INTENTS); read-only."""
    rows = [[int(value_of(mask, intent, unknown_intent)) for intent in INTENTS] for mask in range(256)]
    return _kept(np.array(rows, np.uint8))


def over_of(mask: int) -> Trit:
    """Whether a set of possible states is stale or superseded: all → 1, none → 0, some or unknown → ?."""
    if mask & ~_OVER == 0:
        return Trit.YES
    return Trit.UNKNOWN if mask & (_OVER | State.UNKNOWN) else Trit.NO


@cache
def over_table() -> TritArray:
    """:func:`over_of` for every set of states; read-only."""
    return _kept(np.array([int(over_of(mask)) for mask in range(256)], np.uint8))


def current_of(mask: int) -> Trit:
    """Whether a set of possible states is current: all → 1, none → 0, some or unknown → ?."""
    if mask == State.CURRENT:
        return Trit.YES
    return Trit.UNKNOWN if mask & (State.CURRENT | State.UNKNOWN) else Trit.NO


@cache
def current_table() -> TritArray:
    """:func:`current_of` for every set of states; read-only."""
    return _kept(np.array([int(current_of(mask)) for mask in range(256)], np.uint8))


def _kept(table: TritArray) -> TritArray:
    """A table that every engine shares, and none can change."""
    table.flags.writeable = False
    return table
