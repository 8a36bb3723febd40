"""One query under audit: what goes in, and what every part of the audit says of one memory (DESIGN 8)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from inspector.audit.assembly import CHARACTERS, Measure, Order
from inspector.audit.corpus import Corpus, MatchKind
from inspector.audit.disclosure import Disclosure
from inspector.audit.events import Event, Item
from inspector.audit.exposure import Exposure, LetThrough
from inspector.records import Memory, Query
from inspector.times import Instant
from inspector.trit import Trit

#: Where the retrieved memories come from: the trace's events, a route that was run now, or nowhere: the route is
#: ``recorded`` and the trace has no events for this query.
Retrieval = Literal["recorded", "simulated", "none"]


@dataclass(frozen=True, slots=True)
class Judged:
    """One memory judged for the query. ``rank`` counts from 1 and is 0 where it was not retrieved."""

    mi: int
    rank: int
    score: float | None
    path: str
    stored: Trit
    verdict: Trit
    relevance: Trit
    usable: Trit


@dataclass(frozen=True, slots=True)
class Required:
    """One id of required evidence and the memories it means; none where it is not stored."""

    id: str
    memories: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """Everything that the audit of one query reads.

    ``retrieved`` are the candidates in rank order; ``judge`` judges other memories. ``eligible`` are the memories with
    verdict 1 and relevance 1, retrieved or not. ``suspects`` are memories that may stand in the recorded prompt or
    answer (:meth:`inspector.audit.corpus.Corpus.scan`); None looks through the whole store.
    """

    query: Query
    corpus: Corpus
    retrieved: tuple[Judged, ...]
    required: tuple[Required, ...]
    judge: Callable[[Sequence[int]], Sequence[Judged]]
    retrieval: Retrieval
    as_of: Instant | None = None
    eligible: tuple[int, ...] = ()
    suspects: tuple[int, ...] | None = None
    let_through: LetThrough = "admit"
    order: Order = "rank"
    budget: int | None = None
    measure: Measure = CHARACTERS
    timezone: str | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """One appearance of a memory in an event: its rank and score there, how it was matched, whether it was dropped,
    and the event's place among the events."""

    event: Event
    item: Item
    dropped: bool
    place: int


@dataclass(frozen=True, slots=True)
class Row:
    """One memory of a query's audit. ``retrieved`` is ? where no retrieval was recorded.

    ``dropped`` says that a reranker was given it and did not return it.
    """

    mi: int
    memory: Memory
    judged: Judged
    retrieved: Trit
    hits: tuple[Hit, ...]
    dropped: bool
    exposure: Exposure
    disclosure: Disclosure

    @property
    def id(self) -> str:
        """The memory's id as proofs name it."""
        return self.memory.id

    @property
    def verdict(self) -> Trit:
        """The verdict."""
        return self.judged.verdict

    @property
    def exposed(self) -> Trit:
        """Whether it was in the prompt."""
        return self.exposure.value

    @property
    def disclosed(self) -> Trit:
        """Whether it was told in the answer."""
        return self.disclosure.value

    @property
    def kind(self) -> MatchKind | None:
        """How the trace's retrieval was matched to the memory; None where no event named it."""
        return self.hits[0].item.kind if self.hits else None
