"""The three axes, the verdict and relevance, with reasons (DESIGN 3)."""

from __future__ import annotations

from inspector.axes.engine import AxisEngine
from inspector.axes.flips import Flip, FlipSearch
from inspector.axes.scope import session_mismatch
from inspector.axes.verdict import VERDICT_WORDS, AxisResult, Explanation

__all__ = ["VERDICT_WORDS", "AxisEngine", "AxisResult", "Explanation", "Flip", "FlipSearch", "session_mismatch"]
