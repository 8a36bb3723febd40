"""Contamination and loss of a query: always two figures, as bounds (DESIGN 5, BM)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inspector.audit.case import Required, Row
from inspector.audit.exposure import LetThrough
from inspector.trit import Trit


@dataclass(frozen=True, slots=True)
class Bounds:
    """A share between the least and the most that the unknowns allow."""

    low: float
    high: float

    @property
    def known(self) -> bool:
        """Whether both ends are one."""
        return self.low == self.high


@dataclass(frozen=True, slots=True)
class Contamination:
    """Of what was exposed, the share that was not usable, and its two causes, which can overlap; counts beside them.

    ``contaminated``, ``inadmissible`` and ``irrelevant`` are None where nothing was exposed. ``exposed`` counts what
    surely was, ``maybe_exposed`` what may have been.
    """

    contaminated: Bounds | None
    inadmissible: Bounds | None
    irrelevant: Bounds | None
    exposed: int
    maybe_exposed: int


@dataclass(frozen=True, slots=True)
class Loss:
    """Of the required evidence, the share that was not exposed; None where nothing is required."""

    lost: Bounds | None
    required: int


def share_of_no(pairs: Iterable[tuple[Trit, Trit]]) -> Bounds | None:
    """Bounds of the share of value 0 among what was exposed, given (exposed, value) pairs; None if nothing was.

    Unknown values count as 0 in the upper end and not in the lower; what may or may not have been exposed is counted
    where that makes the end more extreme.
    """
    sure = {Trit.NO: 0, Trit.UNKNOWN: 0, Trit.YES: 0}
    maybe = dict(sure)
    for exposed, value in pairs:
        if exposed == Trit.YES:
            sure[value] += 1
        elif exposed == Trit.UNKNOWN:
            maybe[value] += 1
    certain = sum(sure.values())
    if certain + sum(maybe.values()) == 0:
        return None
    diluting = maybe[Trit.YES] + maybe[Trit.UNKNOWN]
    fouling = maybe[Trit.NO] + maybe[Trit.UNKNOWN]
    low = sure[Trit.NO] / (certain + diluting) if certain + diluting else 1.0
    high = (sure[Trit.NO] + sure[Trit.UNKNOWN] + fouling) / (certain + fouling) if certain + fouling else 0.0
    return Bounds(low, high)


def contamination(rows: Sequence[Row], not_stored: int = 0) -> Contamination:
    """The contamination of a query's prompt; ``not_stored`` counts exposed records that the store does not have: they
    were exposed, and nothing is known of them."""
    strangers = [(Trit.YES, Trit.UNKNOWN)] * not_stored
    return Contamination(
        contaminated=share_of_no([*((row.exposed, row.judged.usable) for row in rows), *strangers]),
        inadmissible=share_of_no([*((row.exposed, row.verdict) for row in rows), *strangers]),
        irrelevant=share_of_no([*((row.exposed, row.judged.relevance) for row in rows), *strangers]),
        exposed=sum(row.exposed == Trit.YES for row in rows) + not_stored,
        maybe_exposed=sum(row.exposed == Trit.UNKNOWN for row in rows),
    )


def contamination_by_path(rows: Sequence[Row]) -> dict[str, Contamination]:
    """Contamination of what each retrieval path (or event) brought; "" is what none brought."""
    paths = dict.fromkeys(row.judged.path for row in rows if row.exposed != Trit.NO)
    return {path: contamination([row for row in rows if row.judged.path == path]) for path in paths}


def loss(rows: Sequence[Row], required: Sequence[Required]) -> Loss:
    """The loss of a query; an id that means several memories is exposed if one of them is."""
    by_mi = {row.mi: row for row in rows}
    exposed = [max((by_mi[mi].exposed for mi in one.memories if mi in by_mi), default=Trit.NO) for one in required]
    if not exposed:
        return Loss(None, 0)
    lost = sum(value == Trit.NO for value in exposed)
    unsure = sum(value == Trit.UNKNOWN for value in exposed)
    return Loss(Bounds(lost / len(exposed), (lost + unsure) / len(exposed)), len(exposed))


def by_path(rows: Sequence[Row], required: Sequence[Required]) -> dict[str, tuple[Contamination, Loss]]:
    """Contamination and loss of each path that retrieved something, as if only what it brought had been exposed.

    The loss of one path is the required evidence that it did not bring into the prompt, whatever the others did.
    """
    paths = dict.fromkeys(row.judged.path for row in rows if row.judged.rank)
    out = {}
    for path in paths:
        alone = [row for row in rows if row.judged.rank and row.judged.path == path]
        out[path] = contamination(alone), loss(alone, required)
    return out


def let_through_counts(rows: Sequence[Row]) -> dict[LetThrough, int]:
    """How many retrieved memories each choice of let-through passes (DESIGN 8: both counts are always shown)."""
    retrieved = [row for row in rows if row.judged.rank]
    admitted = sum(row.verdict == Trit.YES for row in retrieved)
    unresolved = sum(row.verdict == Trit.UNKNOWN for row in retrieved)
    return {"admit": admitted, "unresolved": admitted + unresolved}
