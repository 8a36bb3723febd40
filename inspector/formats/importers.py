"""The importers of other projects' formats, in the order in which a source is tried."""

from __future__ import annotations

from inspector.formats import chroma, chroma_sqlite, mem0, mem0_history, openmemory, qdrant
from inspector.formats.importer import Importer

IMPORTERS: tuple[Importer, ...] = (
    openmemory.IMPORTER,
    mem0.IMPORTER,
    mem0_history.IMPORTER,
    qdrant.IMPORTER,
    chroma.IMPORTER,
    chroma_sqlite.IMPORTER,
)
BY_NAME: dict[str, Importer] = {one.format.name: one for one in IMPORTERS}
