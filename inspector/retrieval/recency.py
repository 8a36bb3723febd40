"""The time order of a pool, for global_recency (DESIGN 4)."""

from __future__ import annotations

import numpy as np

from inspector.retrieval.pool import BoolArray, FloatArray


def positions(created_us: FloatArray, allowed: BoolArray | None) -> FloatArray:
    """Each memory's position in the pool's time order, scaled to [0, 1]: the oldest 0, the newest 1, no date 0.

    The position is the number of different earlier times, so memories of one instant share it whatever their order
    in the store. A pool with a single instant has no order: 0 for all. Outside the pool the values mean nothing.
    """
    dated = np.isfinite(created_us)
    times = np.unique(created_us[dated if allowed is None else dated & allowed])
    place = np.zeros(len(created_us), dtype=np.float64)
    if len(times) > 1:
        place[dated] = np.minimum(np.searchsorted(times, created_us[dated]), len(times) - 1) / (len(times) - 1)
    return place
