"""What label errors cost (DESIGN 5, after RA): which labels a seed corrupts, and where a route breaks.

A corrupted label is a memory's: it is wrong for every query. Which memories are hit follows from their uids and the
seed, and the memories hit at one rate are among those hit at the next, so that a curve shows growth and not luck.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from inspector.compare.batch import BoolArray, FloatArray
from inspector.i18n import N_
from inspector.records import Uid
from inspector.trit import NO, UNKNOWN, YES, TritArray

RATES = (0.0, 0.02, 0.05, 0.10, 0.20, 0.40)
SEEDS = 10
#: A route breaks where its risk has grown by this much [ours].
TOLERANCE = 0.05


@dataclass(frozen=True, slots=True)
class Corruption:
    """One kind of label error: its name, the axis it falls on, and what it does in a few words.

    ``hides`` kinds hide known values of judged candidates and leave rankings alone; the others change a memory's
    label before filters, rankings and verdicts are worked out.
    """

    name: str
    axis: str
    words: str
    hides: bool = False


def _kinds(*kinds: Corruption) -> dict[str, Corruption]:
    return {kind.name: kind for kind in kinds}


_HIDDEN = {
    "scope": N_("known scope values are hidden"),
    "policy": N_("known policy values are hidden"),
    "lifecycle": N_("known lifecycle values are hidden"),
}
CORRUPTIONS = _kinds(
    Corruption("namespace_false_deny", "scope", N_("a memory's namespace is labelled as nobody's")),
    Corruption("namespace_missing", "scope", N_("a memory's namespace is lost")),
    Corruption("policy_false_deny", "policy", N_("an allowed memory is labelled as denied")),
    Corruption("lifecycle_false_stale", "lifecycle", N_("a current memory is labelled as stale")),
    *(Corruption(f"hidden_{axis}", axis, words, hides=True) for axis, words in _HIDDEN.items()),
    Corruption("hidden_all", "", N_("known values of every axis are hidden"), hides=True),
)


def _digest(*parts: str) -> int:
    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest())


def digests(names: Iterable[Sequence[str]]) -> npt.NDArray[np.uint64]:
    """A number for each name (a uid, or a query's id), spread evenly over 64 bits."""
    return np.array([_digest(*name) for name in names], dtype=np.uint64)


def uid_digests(uids: Iterable[Uid]) -> npt.NDArray[np.uint64]:
    """:func:`digests` of memories."""
    return digests((uid.namespace, uid.id) for uid in uids)


def mixed(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Every bit of a value made to depend on all its bits (the finaliser of SplitMix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def draw_order(names: npt.NDArray[np.uint64], kind: str, seed: int) -> npt.NDArray[np.intp]:
    """The order in which a seed's corruption of one kind hits the memories."""
    return np.argsort(mixed(names ^ np.uint64(_digest(kind, str(seed)))), kind="stable")


def hit(order: npt.NDArray[np.intp], rate: float) -> BoolArray:
    """The memories (N,) that are hit at a rate: the first round(rate × N) of the order."""
    out = np.zeros(len(order), dtype=np.bool_)
    out[order[: round(rate * len(order))]] = True
    return out


def denied(values: TritArray, struck: BoolArray) -> TritArray:
    """A false denial: 1 becomes 0 where ``struck``; what was 0 or ? stays."""
    return np.where(struck & (values == np.uint8(YES)), np.uint8(NO), values).astype(np.uint8)


def hide(
    trits: dict[str, TritArray],
    held: BoolArray,
    cells: npt.NDArray[np.uint64],
    axes: Sequence[str],
    rate: float,
    seed: int,
) -> dict[str, TritArray]:
    """The axes' values (Q, k) with round(rate × known) of the known ones of each axis in ``axes`` made unknown.

    ``cells`` (Q, k) are digests of the (query, memory) pairs. What is hidden at one rate is hidden at the next too.
    """
    out = dict(trits)
    for axis in axes:
        values = trits[axis]
        known = np.flatnonzero((held & (values != np.uint8(UNKNOWN))).ravel())
        order = np.argsort(mixed(cells.ravel()[known] ^ np.uint64(_digest("hidden", axis, str(seed)))), kind="stable")
        changed = values.copy()
        changed.ravel()[known[order[: round(rate * len(known))]]] = np.uint8(UNKNOWN)
        out[axis] = changed
    return out


@dataclass(frozen=True, slots=True)
class Point:
    """A curve at one rate: figures averaged over seeds, with the least and greatest upper risk of a seed.

    ``risk_lower`` and ``risk_upper`` are judged by the corrupted labels, as their owner would see them;
    ``true_lower`` and ``true_upper`` judge the same rankings by the labels before corruption. Infeasible queries
    count with their cost in all four. None where no query is evaluable. ``worse`` is how many queries have a higher
    upper risk than without corruption in some seed.

    ``lower`` and ``upper`` are what a curve is judged by: the risk at matched recall, or where no query is evaluable
    the bounds over whole rankings.
    """

    rate: float
    recall: float | None
    feasible: float | None
    risk_lower: float | None
    risk_upper: float | None
    true_lower: float | None
    true_upper: float | None
    ranking_lower: float | None
    ranking_upper: float | None
    least_upper: float | None
    greatest_upper: float | None
    worse: int

    @property
    def lower(self) -> float | None:
        """The lower bound that the curve shows."""
        return self.ranking_lower if self.risk_lower is None else self.risk_lower

    @property
    def upper(self) -> float | None:
        """The upper bound that the curve shows and breaks by."""
        return self.ranking_upper if self.risk_upper is None else self.risk_upper


@dataclass(frozen=True, slots=True)
class Curve:
    """A route under one kind of label error at growing rates.

    ``breaks_at`` is the first rate at which its upper risk has grown by the tolerance, ``behind_at`` the first at
    which its upper risk is above that of the base route under the same errors; None where it never is, or, for
    ``behind_at``, where it is the base itself. Wrong labels make the base look worse too, though it returns what it
    returned: ``truly_behind_at`` compares the same rankings by the labels before the errors; None for hidden labels,
    which change no ranking.
    """

    route: str
    kind: str
    points: tuple[Point, ...]
    breaks_at: float | None
    behind_at: float | None
    truly_behind_at: float | None = None

    @property
    def rise(self) -> float | None:
        """How much the upper risk grows from no corruption to the highest rate."""
        first, last = self.points[0].upper, self.points[-1].upper
        return None if first is None or last is None else last - first


def breaks_at(points: Sequence[Point], tolerance: float = TOLERANCE) -> float | None:
    """The first rate at which the upper risk is ``tolerance`` or more above that without corruption."""
    first = points[0].upper
    for point in points[1:]:
        if first is not None and point.upper is not None and point.upper - first >= tolerance - 1e-12:
            return point.rate
    return None


def behind_at(points: Sequence[Point], base: Sequence[Point], *, truly: bool = False) -> float | None:
    """The first rate at which a route's upper risk is above its base's under the same errors; ``truly``: by the labels
    before them."""
    for mine, theirs in zip(points, base, strict=True):
        upper, other = (mine.true_upper, theirs.true_upper) if truly else (mine.upper, theirs.upper)
        if upper is not None and other is not None and upper > other + 1e-12:
            return mine.rate
    return None


def first_to_break(curves: Sequence[Curve]) -> Curve | None:
    """Of one route's curves the one that breaks at the lowest rate, of these the one that has risen most there."""

    def risen(curve: Curve) -> float:
        at = next(point for point in curve.points if point.rate == curve.breaks_at)
        first = curve.points[0].upper
        return -((at.upper or 0.0) - (first or 0.0))

    broken = [curve for curve in curves if curve.breaks_at is not None]
    return min(broken, key=lambda curve: (curve.breaks_at, risen(curve), curve.kind), default=None)


def spread(values: FloatArray) -> tuple[float | None, float | None]:
    """Least and greatest of the finite values, None where there is none."""
    known = values[np.isfinite(values)]
    return (float(known.min()), float(known.max())) if len(known) else (None, None)
