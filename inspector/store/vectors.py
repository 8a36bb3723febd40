"""Vectors kept by content hash and model, one row of float32 bytes each (DESIGN 4).

A row a vector, and bytes rather than an array type, is what DuckDB writes and hands to NumPy fastest without Arrow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from inspector.store.rows import first

if TYPE_CHECKING:
    import duckdb

_BATCH = 8_192
_FLOAT = np.dtype("<f4")


def get(
    cursor: duckdb.DuckDBPyConnection, hashes: Sequence[str], model: str
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float32]]:
    """See :meth:`inspector.store.workspace.Workspace.get_vectors`."""
    wanted = len(hashes)
    found = np.zeros(wanted, dtype=np.bool_)
    matrix = np.zeros((wanted, 0), dtype=np.float32)
    if not wanted:
        return found, matrix
    cursor.register("wanted", {"hash": _objects(hashes), "place": np.arange(wanted, dtype=np.int64)})
    try:
        rows = cursor.execute(
            "SELECT place, dim, vector FROM wanted JOIN vectors ON vectors.hash = wanted.hash AND vectors.model = ?",
            [model],
        )
        # In batches, so that the vectors are never held twice.
        while batch := rows.fetchmany(_BATCH):
            if not matrix.shape[1]:
                matrix = np.zeros((wanted, int(batch[0][1])), dtype=np.float32)
            at = np.array([row[0] for row in batch], dtype=np.int64)
            matrix[at] = np.frombuffer(b"".join([row[2] for row in batch]), dtype=_FLOAT).reshape(len(batch), -1)
            found[at] = True
    finally:
        cursor.unregister("wanted")
    return found, matrix


def put(cursor: duckdb.DuckDBPyConnection, hashes: Sequence[str], model: str, matrix: npt.NDArray[np.float32]) -> None:
    """See :meth:`inspector.store.workspace.Workspace.put_vectors`."""
    if matrix.ndim != 2 or len(hashes) != len(matrix):
        raise ValueError(f"{len(hashes)} hashes for a matrix of shape {matrix.shape}")
    if not len(hashes):
        return
    dim = int(matrix.shape[1])
    kept = first(cursor, "SELECT dim FROM vectors WHERE model = ? LIMIT 1", [model])
    if kept is not None and kept[0] != dim:
        raise ValueError(f"vectors of {dim} numbers for {model}, whose kept vectors have {kept[0]}")
    # The first of equal hashes is kept: they stand for equal texts.
    places = {content: place for place, content in reversed(list(enumerate(hashes)))}
    exact = np.ascontiguousarray(matrix, dtype=_FLOAT)
    rows = [exact[place].tobytes() for place in places.values()]
    cursor.register("incoming", {"hash": _objects(list(places)), "vector": _objects(rows)})
    try:
        cursor.execute(
            "INSERT INTO vectors SELECT hash, $1, $2, vector FROM incoming WHERE NOT EXISTS"
            " (SELECT 1 FROM vectors kept WHERE kept.hash = incoming.hash AND kept.model = $1)",
            [model, dim],
        )
    finally:
        cursor.unregister("incoming")


def count(cursor: duckdb.DuckDBPyConnection, model: str) -> int:
    """How many vectors of the model are kept."""
    row = first(cursor, "SELECT count(*) FROM vectors WHERE model = ?", [model])
    return 0 if row is None else int(row[0])


def _objects(values: Sequence[object]) -> npt.NDArray[np.object_]:
    # Filled by slice: np.array would turn equally long bytes or texts into something else.
    column = np.empty(len(values), dtype=np.object_)
    column[:] = values
    return column
