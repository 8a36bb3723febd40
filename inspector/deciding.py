"""The decision layer over a loaded store: signals read once for each candidate list, decisions under any constants.

Reading signals parses texts and may take long where they are long, so it is cut in three: :meth:`Deciding.ask` takes
what it reads of the store, :func:`Deciding.read` reads that without looking at the store again, and
:meth:`Deciding.keep` keeps it until the candidates, their verdicts, a vector or a text change (DESIGN 6).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from inspector.mdl import (
    Calibration,
    Decision,
    Lexicons,
    Params,
    QueryDecision,
    QuerySignals,
    SignalReader,
    decide,
    decide_queries,
    default_lexicons,
)
from inspector.records import Memory, Query
from inspector.trit import Trit

if TYPE_CHECKING:
    from inspector.retriever import Retriever

#: The constants that signals depend on; moving any other keeps what was read.
_SIGNAL_FIELDS = ("pool", "similarity_floor", "neutral_reliability", "tiers", "default_tier", "top_tier")
#: Characters of texts that were not read before, and of texts in all, up to which reading takes no worker: some 15 ms.
QUICK_NEW = 16_000
QUICK_ALL = 64_000
_REMEMBERED = 2_000
_Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """What one query's signals are read from, taken from the store as it stands."""

    qi: int
    mis: tuple[int, ...]
    key: _Key
    cosines: npt.NDArray[np.float64]
    vectors: npt.NDArray[np.float32]
    texts: tuple[str, ...]
    admissible: tuple[int, ...]
    query_text: str
    risk: Any
    params: Params


@dataclass(frozen=True, slots=True, eq=False)
class Decided:
    """A query's decision beside the memories that its rows are about, in their order; None where mdl is null."""

    mis: tuple[int, ...]
    decision: QueryDecision | None

    def row(self, mi: int) -> Decision | None:
        """The decision of one candidate; None where mdl is null, it has no vector, or is no candidate."""
        if self.decision is None or mi not in self.mis:
            return None
        return self.decision.rows[self.mis.index(mi)]


class Deciding:
    """Decides queries and candidates; ``params`` may be replaced at any time. Not locked: the core sees to that."""

    def __init__(
        self,
        memories: Sequence[Memory],
        queries: Sequence[Query],
        retriever: Retriever,
        lexicons: Lexicons | None = None,
        params: Params | None = None,
    ) -> None:
        self._memories = memories
        self._queries = queries
        self._retriever = retriever
        self._lexicons = lexicons
        self._reader: SignalReader | None = None
        self.params = params or Params()
        #: The calibration at hand, in force or not.
        self.calibration: Calibration | None = None
        self._signals: dict[int, tuple[_Key, QuerySignals | None]] = {}
        self._decided: dict[int, tuple[_Key, Params, Decided]] = {}
        self._seen: dict[str, None] = {}

    @property
    def reader(self) -> SignalReader:
        """What reads signals, made when it is first needed."""
        if self._reader is None:
            self._reader = SignalReader(self._lexicons or default_lexicons())
        return self._reader

    def put_in_force(self, calibration: Calibration) -> None:
        """Decide by a calibration. Raises FieldError for constants that the layer cannot compute with."""
        self.params = calibration.apply(self.params)
        self.calibration = calibration

    def take_out(self) -> None:
        """Decide by the uncalibrated constants again; pool, tiers and switches stay."""
        plain = Params()
        names = ("n_min", "n_max", "thresholds", "dim", "sigma", "centres", "epsilon", "bias", "projector_seed")
        self.params = self.params.with_(
            **{name: getattr(plain, name) for name in names}, fitted_switches=plain.fitted_switches, calibration=None
        )

    def ask(self, qi: int, mis: Sequence[int], verdicts: Sequence[Trit]) -> Question | None:
        """What the query's signals are to be read from; None where there are no vectors or no candidates."""
        key = self._key(qi, mis, verdicts)
        similar = self._retriever.similarities(qi, mis) if len(mis) else None
        if similar is None:
            return None
        query = self._queries[qi]
        return Question(
            qi=qi,
            mis=tuple(mis),
            key=key,
            cosines=similar[0],
            vectors=similar[1],
            texts=tuple(self._memories[mi].text for mi in mis),
            admissible=tuple(int(verdict) for verdict in verdicts),
            query_text=query.text,
            risk=query.value("risk"),
            params=self.params,
        )

    def read(self, question: Question) -> QuerySignals | None:
        """M, R and A; None where no vector is usable. May take long; reads nothing but the question."""
        return self.reader.read(
            cosines=question.cosines,
            vectors=question.vectors,
            texts=question.texts,
            admissible=question.admissible,
            query_text=question.query_text,
            risk=question.risk,
            params=question.params,
        )

    def keep(self, question: Question, signals: QuerySignals | None) -> None:
        """Keep what was read; asked again after a change, it no longer counts."""
        self._signals[question.qi] = (question.key, signals)
        for text in question.texts:
            self._seen.pop(text, None)
            self._seen[text] = None
        while len(self._seen) > _REMEMBERED:
            del self._seen[next(iter(self._seen))]

    def is_quick(self, mis: Sequence[int]) -> bool:
        """Whether the candidates' texts are read within a frame: short ones, or mostly read before."""
        texts = [self._memories[mi].text for mi in mis]
        new = sum(len(text) for text in texts if text not in self._seen)
        return new <= QUICK_NEW and sum(map(len, texts)) <= QUICK_ALL

    def known(self, qi: int, mis: Sequence[int], verdicts: Sequence[Trit]) -> Decided | None:
        """The decision where the signals have been read, else None."""
        key = self._key(qi, mis, verdicts)
        kept = self._signals.get(qi)
        if kept is None or kept[0] != key:
            return None
        made = self._decided.get(qi)
        if made is not None and made[0] == key and made[1] is self.params:
            return made[2]
        decided = Decided(tuple(mis), decide_queries([kept[1]], self.params)[0])
        self._decided[qi] = (key, self.params, decided)
        return decided

    def relisted(self, place: Mapping[int, int]) -> None:
        """The queries stand at other places: ``place`` gives the new place for each old one that is left."""
        self._signals = {place[qi]: kept for qi, kept in self._signals.items() if qi in place}
        self._decided = {place[qi]: made for qi, made in self._decided.items() if qi in place}

    def latest(self) -> Mapping[int, Decided]:
        """The decisions last made by the constants in force, by query."""
        return {qi: decided for qi, (_, params, decided) in self._decided.items() if params is self.params}

    def outsider(self, qi: int, mi: int, decision: QueryDecision) -> Decision | None:
        """The decision of a memory that is no candidate: its own M, the query's R and A; None without a vector."""
        similar = self._retriever.similarities(qi, [mi])
        if similar is None:
            return None
        m = np.clip(similar[0], 0.0, 1.0)
        return decide(m, decision.signals.R.R, decision.signals.A.A, self.params)[0]

    def _key(self, qi: int, mis: Sequence[int], verdicts: Sequence[Trit]) -> _Key:
        query = self._queries[qi]
        return (
            tuple(mis),
            tuple(self._memories[mi].text for mi in mis if "text" in self._memories[mi].edits),
            tuple(verdicts) if self.params.pool == "not-excluded" else (),
            query.text,
            repr(query.value("risk")),
            tuple(getattr(self.params, name) for name in _SIGNAL_FIELDS),
            self._retriever.vectors_generation,
        )
