"""Recorded traces beside a store: they fill the ``recorded`` block of queries, or make queries (DESIGN 8, USERS C9).

Read are OpenInference and OpenTelemetry GenAI spans (OTLP/JSON lines or documents, the SDK's own JSON, flat
attributes), Langfuse exports (traces, observations; JSON, JSON Lines, CSV), and lines of our own: ``{"query_id": …,
"recorded": {…}}``. A trace belongs to the query whose id its metadata names or that the trace's own id is, else to the
one query with the same words (and asker, where several have them); else it makes a query of its own.
"""

from __future__ import annotations

from inspector.formats.traces.reading import read

__all__ = ["read"]
