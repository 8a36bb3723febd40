"""Verifier lens (DESIGN 5, after RA): can a score tell violations from admissible candidates by itself?

Asked of the similarity, and of any imported score that claims to. A verifier that must not reject required evidence
can use a score only if some threshold rejects violations and at most 1 % of that evidence; often none does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inspector.compare.batch import BoolArray, FloatArray
from inspector.i18n import _d
from inspector.trit import NO, YES, TritArray

#: The most required evidence that a threshold may reject (DESIGN 5).
MAX_FALSE_REJECTION = 0.01


@dataclass(frozen=True, slots=True)
class Threshold:
    """Reject what scores below ``value`` (above it where a high score claims a violation).

    ``rejected`` is the share of violations that it rejects, ``false_rejection`` the share of required evidence,
    ``admitted_rejected`` the share of all admitted candidates.
    """

    value: float
    rejected: float
    false_rejection: float
    admitted_rejected: float


@dataclass(frozen=True, slots=True)
class Lens:
    """What a score tells of verdicts. ``auc`` is the ROC-AUC of admitted over violations: .5 says nothing, 1 all.

    ``threshold`` is the best one, None where none rejects a violation within the limit, or where there is no required
    evidence or no violation with a score to judge by; ``words`` says which. Counts are of candidates; ``unresolved``
    ones and those without a score are left out of ``admitted``, ``violations`` and ``required``.
    """

    score: str
    high_is_violation: bool
    auc: float | None
    threshold: Threshold | None
    words: str
    admitted: int
    violations: int
    required: int
    unresolved: int
    unscored: int


def auc(higher: FloatArray, lower: FloatArray) -> float | None:
    """The chance that one of ``higher`` scores above one of ``lower``, ties counting half; None where one is empty."""
    if not len(higher) or not len(lower):
        return None
    ordered = np.sort(lower)
    below = np.searchsorted(ordered, higher, "left")
    at_most = np.searchsorted(ordered, higher, "right")
    return float((below + at_most).sum() / 2 / (len(higher) * len(lower)))


def best_threshold(
    violations: FloatArray, required: FloatArray, admitted: FloatArray, limit: float = MAX_FALSE_REJECTION
) -> Threshold | None:
    """The threshold that rejects most violations and at most ``limit`` of the required evidence, low scores rejected.

    Of equally good ones the lowest. None where every threshold within the limit rejects no violation.
    """
    if not len(violations) or not len(required):
        return None
    violations, required, admitted = np.sort(violations), np.sort(required), np.sort(admitted)
    # Only a threshold just above a violation can reject more than the one before it.
    values = np.nextafter(np.unique(violations), np.inf)
    rejected = np.searchsorted(violations, values, "left")
    false = np.searchsorted(required, values, "left")
    allowed = np.flatnonzero(false <= limit * len(required) + 1e-9)
    if not len(allowed):
        return None
    best = int(allowed[np.argmax(rejected[allowed])])
    lost = int(np.searchsorted(admitted, values[best], "left"))
    return Threshold(
        float(values[best]),
        float(rejected[best] / len(violations)),
        float(false[best] / len(required)),
        lost / len(admitted) if len(admitted) else 0.0,
    )


def lens(
    score: str,
    scores: FloatArray,
    verdicts: TritArray,
    required: BoolArray,
    *,
    high_is_violation: bool = False,
    limit: float = MAX_FALSE_REJECTION,
) -> Lens:
    """Look at candidates (N,) through one score; NaN is no score. ``required`` marks required evidence."""
    scored = np.isfinite(scores)
    sign = -1.0 if high_is_violation else 1.0
    signed = scores * sign
    good = signed[scored & (verdicts == np.uint8(YES))]
    bad = signed[scored & (verdicts == np.uint8(NO))]
    needed = signed[scored & required]
    found = best_threshold(bad, needed, good, limit)
    if not len(bad):
        words = _d("no known violation has a score")
    elif not len(needed):
        words = _d("no required evidence has a score: there is nothing that a threshold must not reject")
    elif found is None:
        words = _d(
            "no threshold exists: each that rejects a violation rejects over {limit:.0%} of the required evidence"
        ).format(limit=limit)
    else:
        above = _d(
            "rejecting scores above {sign:.6g} rejects {rejected:.1%} of the violations "
            "and {false_rejection:.1%} of the required evidence"
        )
        below = _d(
            "rejecting scores below {sign:.6g} rejects {rejected:.1%} of the violations "
            "and {false_rejection:.1%} of the required evidence"
        )
        words = (above if high_is_violation else below).format(
            sign=found.value * sign, rejected=found.rejected, false_rejection=found.false_rejection
        )
        found = Threshold(found.value * sign, found.rejected, found.false_rejection, found.admitted_rejected)
    known = verdicts != np.uint8(1)
    return Lens(
        score,
        high_is_violation,
        auc(good, bad),
        found,
        words,
        admitted=len(good),
        violations=len(bad),
        required=len(needed),
        unresolved=int(np.count_nonzero(~known)),
        unscored=int(np.count_nonzero(~scored & known)),
    )
