"""The three signals of a query: relevance M, reliability R, risk A (DESIGN 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from inspector.i18n import _d
from inspector.mdl.conflict import Conflict, ConflictDetector
from inspector.mdl.encoder import Floats
from inspector.mdl.lexicon import Lexicons
from inspector.mdl.params import Params, Pool
from inspector.mdl.risk import Risk, RiskAssessor
from inspector.trit import Trit, TritArray

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ConflictingPair:
    """Two candidates that contradict each other: their places among the candidates, left < right, and why."""

    left: int
    right: int
    conflict: Conflict


@dataclass(frozen=True, slots=True)
class Reliability:
    """R and how it came about.

    ``judged`` is False where R is the neutral value for want of a judged pair: the screen says "not judged".
    ``relevant`` are the places of the relevant set among the candidates. ``mean_cosine`` is s̄ and
    ``conflict_rate`` φ, None where they are not defined. ``pairs`` and ``judged_pairs`` count pairs of the relevant
    set. ``reason`` is one sentence for the screen.
    """

    R: float
    judged: bool
    relevant: tuple[int, ...]
    mean_cosine: float | None
    conflict_rate: float | None
    pairs: int
    judged_pairs: int
    conflicts: tuple[ConflictingPair, ...]
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class QuerySignals:
    """The signals of one query over its candidates.

    ``M`` (n,) holds each candidate's own relevance, in the pool or not, NaN where its vector cannot be used;
    ``query_M`` is the pool's maximum; ``in_pool`` (n,) says which candidates R and ``query_M`` are taken over.
    """

    M: Floats
    query_M: float  # noqa: N815 - M is the signal's name
    R: Reliability
    A: Risk
    in_pool: Mask
    pool: Pool
    notes: tuple[str, ...] = ()


def relevance(cosines: npt.ArrayLike) -> Floats:
    """M = clip(cos(q, m), 0, 1), elementwise; NaN (no usable vector) stays NaN."""
    return np.clip(np.asarray(cosines, np.float64), 0.0, 1.0)


def pool_mask(pool: Pool, admissible: npt.ArrayLike) -> Mask:
    """Which retrieved candidates are in the pool: all, or those whose verdict is not a known 0; ? stays (DESIGN 6)."""
    trits: TritArray = np.asarray(admissible, np.uint8)
    if pool == "retrieved":
        return np.ones(trits.shape, np.bool_)
    return np.asarray(trits != Trit.NO)


def reliability(
    cosines: npt.ArrayLike,
    vectors: npt.ArrayLike,
    texts: Sequence[str],
    in_pool: Mask,
    params: Params,
    detector: ConflictDetector,
) -> Reliability:
    """R of a pool (DESIGN 6).

    ``cosines`` (n,) of the query to each candidate, NaN where there is none; ``vectors`` (n, d), of any length;
    ``texts`` n texts. R is the neutral value where fewer than two candidates are relevant, or no pair of them is
    judged; else clip(s̄·(1−φ)², 0, 1).
    """
    near = np.asarray(cosines, np.float64)
    # NaN compares as False: a candidate without a usable vector is never relevant.
    places = np.flatnonzero(in_pool & (near > params.similarity_floor))
    relevant = tuple(int(i) for i in places)
    count = len(relevant)
    neutral = params.neutral_reliability
    if count < 2:
        reason = _d("{count} of the pool above {similarity_floor:g}: fewer than two, R = {neutral:g}").format(
            count=count, similarity_floor=params.similarity_floor, neutral=neutral
        )
        return Reliability(neutral, True, relevant, None, None, 0, 0, (), reason)
    unit = np.asarray(vectors, np.float64)[places]
    unit = unit / np.linalg.norm(unit, axis=1, keepdims=True)
    upper = np.triu_indices(count, 1)
    mean_cosine = float((unit @ unit.T)[upper].mean())
    table = detector.table([texts[i] for i in relevant])
    pairs, judged = len(upper[0]), table.judged
    found = tuple(
        ConflictingPair(relevant[i], relevant[j], conflict) for (i, j), conflict in sorted(table.conflicts.items())
    )
    if judged == 0:
        reason = _d("not judged: no lexicon for any of the {pairs} pairs, R = {neutral:g} [ours]").format(
            pairs=pairs, neutral=neutral
        )
        return Reliability(neutral, False, relevant, mean_cosine, None, pairs, 0, (), reason)
    rate = len(found) / judged
    value = min(1.0, max(0.0, mean_cosine * (1.0 - rate) ** 2))
    reason = _d("{count} relevant, mean cosine {mean_cosine:.3f}, {count2} of {judged} judged pairs conflict").format(
        count=count, mean_cosine=mean_cosine, count2=len(found), judged=judged
    )
    if judged < pairs:
        reason += _d(", {pairs} not judged").format(pairs=pairs - judged)
    return Reliability(value, True, relevant, mean_cosine, rate, pairs, judged, found, reason)


class SignalReader:
    """Reads the signals of queries with one set of lexicons; remembers what it has read of texts."""

    def __init__(self, lexicons: Lexicons) -> None:
        self.lexicons = lexicons
        self.detector = ConflictDetector(lexicons)
        self.risks = RiskAssessor(lexicons)

    def read(
        self,
        *,
        cosines: npt.ArrayLike,
        vectors: npt.ArrayLike,
        texts: Sequence[str],
        admissible: npt.ArrayLike,
        query_text: str,
        risk: Any,
        params: Params,
    ) -> QuerySignals | None:
        """The signals of one query over its n retrieved candidates, or None where no candidate has a usable vector.

        ``cosines`` (n,) to the query, NaN where there is none; ``vectors`` (n, d); ``texts`` n texts; ``admissible``
        (n,) trits of the verdicts; ``risk`` the query's ``risk`` field where it has a value, else None. The pool is
        ``params.pool``. An empty pool has query_M = 0, and a note says so [ours].
        """
        m = relevance(cosines)
        if m.size == 0 or bool(np.isnan(m).all()):
            return None
        mask = pool_mask(params.pool, admissible)
        pooled = m[mask & ~np.isnan(m)]
        notes: list[str] = []
        if pooled.size == 0:
            notes.append(
                _d("no memory of the pool has a vector: M = 0") if mask.any() else _d("the pool is empty: M = 0")
            )
        missing = int(np.isnan(m).sum())
        if missing:
            notes.append(_d("{missing} without a usable vector: their M is ?").format(missing=missing))
        return QuerySignals(
            M=m,
            query_M=float(pooled.max()) if pooled.size else 0.0,
            R=reliability(cosines, vectors, texts, mask, params, self.detector),
            A=self.risks.assess(risk, query_text, params),
            in_pool=mask,
            pool=params.pool,
            notes=tuple(notes),
        )
