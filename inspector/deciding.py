"""The decision layer over a loaded store: signals read once for each candidate list, decisions under any constants.

Reading signals parses texts and may take tens of milliseconds for long ones, so screens ask for it in a worker; what
was read is kept until the candidates, their verdicts or a text change (DESIGN 6).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from inspector.mdl import (
    Calibration,
    Decision,
    Lexicons,
    Params,
    QueryDecision,
    QuerySignals,
    SignalReader,
    decide_queries,
    load_calibration,
)
from inspector.records import Memory, Query
from inspector.retriever import Retriever
from inspector.trit import Trit

#: The constants that signals depend on; moving any other keeps what was read.
_SIGNAL_FIELDS = ("pool", "similarity_floor", "neutral_reliability", "tiers", "default_tier", "top_tier")


class Deciding:
    """Decides queries and candidates; ``params`` may be replaced at any time."""

    def __init__(
        self,
        memories: Sequence[Memory],
        queries: Sequence[Query],
        retriever: Retriever,
        lexicons: Lexicons,
        params: Params | None = None,
    ) -> None:
        self._memories = memories
        self._queries = queries
        self._retriever = retriever
        self.lexicons = lexicons
        self.params = params or Params()
        self.calibration: Calibration | None = None
        self._reader = SignalReader(lexicons)
        self._signals: dict[int, tuple[Any, QuerySignals | None]] = {}

    def calibrate_from(self, path: Path) -> None:
        """Put a calibration file in force. Raises InputError that names file and key."""
        self.calibration = load_calibration(path)
        self.params = self.calibration.apply(self.params)

    def _key(self, qi: int, mis: Sequence[int], verdicts: Sequence[Trit]) -> Any:
        query = self._queries[qi]
        return (
            tuple(mis),
            tuple(self._memories[mi].text for mi in mis if "text" in self._memories[mi].edits),
            tuple(verdicts) if self.params.pool == "not-excluded" else (),
            query.text,
            str(query.value("risk")),
            tuple(getattr(self.params, name) for name in _SIGNAL_FIELDS),
            self._retriever.vectors_generation,
        )

    def signals(self, qi: int, mis: Sequence[int], verdicts: Sequence[Trit]) -> QuerySignals | None:
        """M, R and A of the query over its candidates; None where no vectors are loaded or none is usable."""
        key = self._key(qi, mis, verdicts)
        kept = self._signals.get(qi)
        if kept is not None and kept[0] == key:
            return kept[1]
        similar = self._retriever.similarities(qi, mis)
        found = None
        if similar is not None:
            query = self._queries[qi]
            found = self._reader.read(
                cosines=similar[0],
                vectors=similar[1],
                texts=[self._memories[mi].text for mi in mis],
                admissible=[int(verdict) for verdict in verdicts],
                query_text=query.text,
                risk=query.value("risk"),
                params=self.params,
            )
        self._signals[qi] = (key, found)
        return found

    def is_read(self, qi: int, mis: Sequence[int], verdicts: Sequence[Trit]) -> bool:
        """Whether the signals are at hand, so that :meth:`decide` answers within a frame."""
        kept = self._signals.get(qi)
        return kept is not None and kept[0] == self._key(qi, mis, verdicts)

    def decide(self, qi: int, mis: Sequence[int], verdicts: Sequence[Trit]) -> QueryDecision | None:
        """The decision of the query and of each candidate; None where mdl is null."""
        return decide_queries([self.signals(qi, mis, verdicts)], self.params)[0]

    def row(self, decision: QueryDecision | None, place: int) -> Decision | None:
        """The decision of the candidate at ``place``; None where mdl is null or the candidate has no vector."""
        return None if decision is None else decision.rows[place]
