"""Small helpers over a DuckDB connection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb


def first(cursor: duckdb.DuckDBPyConnection, statement: str, values: Sequence[Any] = ()) -> tuple[Any, ...] | None:
    """The first row of the answer, or None. Fetches all: an unfinished answer blocks the connection's next work."""
    rows = cursor.execute(statement, list(values)).fetchall()
    return rows[0] if rows else None
