"""From signals to the four actions (DESIGN 6).

Rows use their own M and the query's R and A. All queries and candidates of an evaluation are decided in one pass.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from inspector.i18n import _d
from inspector.mdl.encoder import Floats, encode_many
from inspector.mdl.params import Params
from inspector.mdl.signals import Mask, QuerySignals


class Action(enum.IntEnum):
    """What to do with a memory, by rising C_final; the readings are ours (DESIGN 6)."""

    OPT_OUT = 0
    SILENT = 1
    SUPP = 2
    ACTIVE = 3

    @property
    def word(self) -> str:
        """The action's name: Opt-Out, Silent, Supp or Active."""
        return ("Opt-Out", "Silent", "Supp", "Active")[int(self)]

    @property
    def meaning(self) -> str:
        """What the action asks for [ours]."""
        return (
            "abstain",
            _d("answer without memory"),
            _d("supporting context only"),
            _d("use it as evidence"),
        )[int(self)]

    @classmethod
    def of(cls, word: str) -> Action | None:
        """The action that a word names, without case and with any of ``-``, ``_`` or space; None for other words."""
        plain = word.strip().casefold().replace("_", "-").replace(" ", "-")
        return {"opt-out": cls.OPT_OUT, "optout": cls.OPT_OUT, "silent": cls.SILENT, "supp": cls.SUPP}.get(
            plain, cls.ACTIVE if plain == "active" else None
        )


class MdlJson(TypedDict):
    """The ``mdl`` object of a row of ``evaluate`` (DESIGN 12)."""

    M: float
    R: float
    A: float
    C: float
    alpha: float
    C_final: float
    action: str


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision. ``corner`` flags high risk with high relevance, where the paper reports its own failures."""

    M: float
    R: float
    A: float
    C: float
    alpha: float
    C_final: float
    action: Action
    corner: bool

    def json(self) -> MdlJson:
        """The row's ``mdl`` object; numbers to six decimals, the same on every machine."""
        return {
            "M": round(self.M, 6),
            "R": round(self.R, 6),
            "A": round(self.A, 6),
            "C": round(self.C, 6),
            "alpha": round(self.alpha, 6),
            "C_final": round(self.C_final, 6),
            "action": self.action.word,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """Many decisions: float64 arrays of one length, ``action`` uint8 codes of :class:`Action`, ``corner`` flags.

    Where M is NaN (no usable vector) C, alpha and C_final are NaN, and the decision is None.
    """

    M: Floats
    R: Floats
    A: Floats
    C: Floats
    alpha: Floats
    C_final: Floats
    action: npt.NDArray[np.uint8]
    corner: Mask

    def __len__(self) -> int:
        return int(self.M.size)

    def __getitem__(self, i: int) -> Decision | None:
        if np.isnan(self.C_final[i]):
            return None
        m, r, a, c, alpha, final = (float(x[i]) for x in (self.M, self.R, self.A, self.C, self.alpha, self.C_final))
        return Decision(m, r, a, c, alpha, final, Action(int(self.action[i])), bool(self.corner[i]))

    def __iter__(self) -> Iterator[Decision | None]:
        return (self[i] for i in range(len(self)))

    def part(self, start: int, stop: int) -> Decisions:
        """The decisions from ``start`` up to ``stop``; views, no copies."""
        cut = slice(start, stop)
        arrays = (self.M, self.R, self.A, self.C, self.alpha, self.C_final)
        m, r, a, c, alpha, final = (x[cut] for x in arrays)
        return Decisions(m, r, a, c, alpha, final, self.action[cut], self.corner[cut])


def actions_of(c_final: npt.ArrayLike, thresholds: Sequence[float]) -> npt.NDArray[np.uint8]:
    """Codes of :class:`Action`: the number of thresholds that C_final reaches (DESIGN 6).

    C_final is rounded to 12 decimals first, so that a decision does not hang on the last bit, which depends on how
    many decisions were computed together. NaN gives Opt-Out; callers leave such rows out.
    """
    value = np.round(np.asarray(c_final, np.float64), 12)
    reached = sum((value >= threshold).astype(np.uint8) for threshold in thresholds)
    return np.asarray(reached, np.uint8)


def in_corner(m: npt.ArrayLike, a: npt.ArrayLike, params: Params) -> Mask:
    """High risk and high relevance: A in the top tier and M ≥ .70. Rounded like the thresholds are."""
    risky = np.round(np.asarray(a, np.float64), 12) >= params.top_tier
    return np.asarray(risky & (np.round(np.asarray(m, np.float64), 12) >= params.corner_relevance))


def decide(m: npt.ArrayLike, r: npt.ArrayLike, a: npt.ArrayLike, params: Params) -> Decisions:
    """Decisions for signals of broadcastable shapes, as flat arrays. Raises FieldError for a signal outside [0, 1]."""
    broad = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in (m, r, a)))
    flat_m, flat_r, flat_a = (np.ravel(x) for x in broad)
    encoded = encode_many(flat_m, flat_r, flat_a, params)
    action = actions_of(encoded.C_final, params.thresholds)
    corner = in_corner(flat_m, flat_a, params)
    return Decisions(flat_m, flat_r, flat_a, encoded.C, encoded.alpha, encoded.C_final, action, corner)


@dataclass(frozen=True, slots=True, eq=False)
class QueryDecision:
    """The decisions of one query: for the query itself (its M is the pool's maximum) and for each candidate."""

    signals: QuerySignals
    query: Decision
    rows: Decisions


def decide_queries(signals: Sequence[QuerySignals | None], params: Params) -> list[QueryDecision | None]:
    """Decide all queries and all their candidates in one pass; None stays None (no vectors: mdl is null).

    Moving a slider or a switch calls this again with other ``params``; the signals stay.
    """
    present = [s for s in signals if s is not None]
    if not present:
        return [None] * len(signals)
    # Each query takes one place for itself and one for each candidate.
    sizes = [1 + s.M.size for s in present]
    m = np.concatenate([np.concatenate(([s.query_M], s.M)) for s in present])
    r = np.repeat([s.R.R for s in present], sizes)
    a = np.repeat([s.A.A for s in present], sizes)
    decided = decide(m, r, a, params)
    out: list[QueryDecision | None] = []
    start = 0
    for s in signals:
        if s is None:
            out.append(None)
            continue
        query = decided[start]
        assert query is not None, "a query's own M is never NaN"  # noqa: S101 - read() sees to it
        stop = start + 1 + s.M.size
        out.append(QueryDecision(s, query, decided.part(start + 1, stop)))
        start = stop
    return out


def action_counts(decisions: Sequence[QueryDecision | None]) -> dict[Action, int]:
    """How many queries take each action; queries without vectors are not counted."""
    counts = dict.fromkeys(reversed(Action), 0)
    for decision in decisions:
        if decision is not None:
            counts[decision.query.action] += 1
    return counts
