"""What one route returned on one source, judged on every axis: the ground of all figures, kept as bytes.

A run knows nothing of τ, of the axes that count or of the infeasibility cost, so that these can be changed and the
figures made anew without ranking again.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from inspector.compare.batch import BoolArray, FloatArray, IntArray, Needs
from inspector.trit import TritArray

#: The values that are kept of every candidate.
RUN_AXES = ("scope", "policy", "lifecycle", "relevance")
#: What a route's score means: a similarity, a recorded distance, another score of which more is better, or not known.
ScoreKind = Literal["similarity", "distance", "score", "unknown"]
_SCORE_KINDS: tuple[ScoreKind, ...] = ("similarity", "distance", "score", "unknown")


@dataclass(frozen=True, slots=True, eq=False)
class RouteRun:
    """Rankings of all queries of a source on one route, (Q, k), padded at the end: memory -1, score NaN, path -1.

    ``trits`` holds one array for each of :data:`RUN_AXES`. ``exposed`` holds what a trace recorded of each candidate
    and is None where no trace tells. ``settings`` are those that made the run.
    """

    route: str
    memory: npt.NDArray[np.int32]
    score: FloatArray
    score_kind: ScoreKind
    path: npt.NDArray[np.int16]
    paths: tuple[str, ...]
    similarities: IntArray
    width: IntArray
    trits: Mapping[str, TritArray]
    exposed: TritArray | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def held(self) -> BoolArray:
        """Which cells hold a candidate."""
        cells: BoolArray = self.memory >= 0
        return cells

    def to_bytes(self) -> bytes:
        """The run as an archive of arrays."""
        head = {
            "route": self.route,
            "score_kind": self.score_kind,
            "paths": list(self.paths),
            "settings": dict(self.settings),
        }
        arrays: dict[str, npt.NDArray[Any]] = {
            "head": np.frombuffer(json.dumps(head, sort_keys=True).encode(), dtype=np.uint8),
            "memory": self.memory,
            "score": self.score,
            "path": self.path,
            "similarities": self.similarities,
            "width": self.width,
            **{f"trit_{axis}": self.trits[axis] for axis in RUN_AXES},
        }
        if self.exposed is not None:
            arrays["exposed"] = self.exposed
        out = io.BytesIO()
        np.savez_compressed(out, allow_pickle=False, **arrays)
        return out.getvalue()

    @classmethod
    def from_bytes(cls, payload: bytes, queries: int, memories: int) -> RouteRun | None:
        """Read :meth:`to_bytes` again; None where it is no run of so many queries and memories (a damaged file)."""
        try:
            with np.load(io.BytesIO(payload), allow_pickle=False) as kept:
                arrays = {name: kept[name] for name in kept.files}
            head = json.loads(arrays["head"].tobytes())
            run = cls(
                route=str(head["route"]),
                memory=arrays["memory"].astype(np.int32, casting="same_kind"),
                score=arrays["score"].astype(np.float64, casting="same_kind"),
                score_kind=head["score_kind"],
                path=arrays["path"].astype(np.int16, casting="same_kind"),
                paths=tuple(map(str, head["paths"])),
                similarities=arrays["similarities"].astype(np.int64, casting="same_kind"),
                width=arrays["width"].astype(np.int64, casting="same_kind"),
                trits={axis: arrays[f"trit_{axis}"].astype(np.uint8, casting="same_kind") for axis in RUN_AXES},
                exposed=arrays.get("exposed"),
                settings=dict(head["settings"]),
            )
        except (ValueError, KeyError, TypeError, OSError, EOFError, zipfile.BadZipFile):
            return None
        return run if _is_whole(run, queries, memories) else None


def _is_whole(run: RouteRun, queries: int, memories: int) -> bool:
    """Whether shapes and ranges are those of a run: the workspace is a file that anyone may have written."""
    if run.memory.ndim != 2 or len(run.memory) != queries or run.score_kind not in _SCORE_KINDS:
        return False
    trits: list[npt.NDArray[Any]] = [*run.trits.values(), *([] if run.exposed is None else [run.exposed])]
    cells: list[npt.NDArray[Any]] = [run.score, run.path, *trits]
    return (
        all(array.shape == run.memory.shape for array in cells)
        and run.similarities.shape == run.width.shape == (queries,)
        and bool((run.memory >= -1).all() and (run.memory < memories).all())
        and bool((run.path >= -1).all() and (run.path < len(run.paths)).all())
        and all(array.dtype == np.uint8 and bool((array <= 2).all()) for array in trits)
    )


@dataclass(frozen=True, slots=True, eq=False)
class SourceRuns:
    """One source with what its routes returned. ``group`` (Q,) are codes into ``groups``, the principals' namespaces.

    ``imported`` are scores of memories (N,), NaN where there is none, for the verifier lens.
    """

    name: str
    format: str
    memories: int
    query_ids: tuple[str, ...]
    needs: Needs
    group: IntArray
    groups: tuple[str, ...]
    runs: Mapping[str, RouteRun]
    notes: tuple[str, ...] = ()
    imported: Mapping[str, FloatArray] = field(default_factory=dict)

    @property
    def queries(self) -> int:
        """How many queries the source has."""
        return len(self.query_ids)

    @property
    def not_evaluable(self) -> tuple[int, ...]:
        """The queries (indices) that require no evidence: left out of every mean over evaluable queries."""
        return tuple(np.flatnonzero(self.needs.counts == 0).tolist())
