"""Which candidate decides: the one whose gate acts, while the gate is shown for every one (DESIGN 7, noise)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from inspector.gate.gate import Mode
from inspector.trit import Trit

LetThrough = Literal["admit", "unresolved"]


def let_through(verdict: Trit, rule: LetThrough = "admit") -> bool:
    """Whether a verdict is let through: 1 alone, or ? too where ``rule`` is "unresolved" (DESIGN 8)."""
    return verdict is Trit.YES or (rule == "unresolved" and verdict is Trit.UNKNOWN)


def deciding(mode: Mode, verdicts: Sequence[Trit], rule: LetThrough = "admit") -> int | None:
    """Position, from 0 in rank order, of the candidate that decides; None where none does.

    ``verdicts`` are the admissible trits of the retrieved candidates. In ``self_description`` rank 1 decides,
    whatever its verdict; in the other modes the first one let through.
    """
    if mode == "self_description":
        return 0 if verdicts else None
    return next((i for i, verdict in enumerate(verdicts) if let_through(Trit(verdict), rule)), None)
