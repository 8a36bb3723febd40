"""The importers of other projects' formats, in the order in which a source is tried."""

from __future__ import annotations

from inspector.formats import (
    agno,
    chroma,
    chroma_sqlite,
    folders,
    graphiti,
    langgraph,
    letta,
    llamaindex,
    mem0,
    mem0_history,
    openmemory,
    qdrant,
)
from inspector.formats.importer import Importer

IMPORTERS: tuple[Importer, ...] = (
    openmemory.IMPORTER,
    mem0.IMPORTER,
    mem0_history.IMPORTER,
    qdrant.IMPORTER,
    chroma.IMPORTER,
    chroma_sqlite.IMPORTER,
    langgraph.IMPORTER,
    langgraph.SQLITE_IMPORTER,
    graphiti.IMPORTER,
    letta.IMPORTER,
    letta.FILE_IMPORTER,
    llamaindex.IMPORTER,
    agno.IMPORTER,
    folders.OPENAI_IMPORTER,
    folders.LETTA_IMPORTER,
    folders.CLAUDE_IMPORTER,
)
BY_NAME: dict[str, Importer] = {one.format.name: one for one in IMPORTERS}
