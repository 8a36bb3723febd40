"""A loaded store under inspection: judged candidates, edits and their effect at once, exports (DESIGN 13)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import IO, Literal, Self, TextIO, cast

from inspector.core import locked
from inspector.editing import Editing
from inspector.errors import InspectorError
from inspector.formats import LoadOptions, canonical, source_holding
from inspector.gate.packet import build_packet, stores_by_namespace
from inspector.i18n import _, _d
from inspector.overlay import follow_owners, with_setting
from inspector.records import ABSENT
from inspector.showing import Showing
from inspector.store.patch import to_jsonl
from inspector.store.sqlpatch import Dialect, to_sql


class Inspection(Showing, Editing):
    """The one door to a loaded store; made by :func:`inspector.inspection.open_sources`."""

    #: How the sources were read, where it was not by the defaults.
    read_as: LoadOptions | None = None

    def refuse_source(self, path: Path) -> None:
        """Raise InspectorError where writing this file would change what was loaded: a source is never written."""
        source = source_holding(path, self.workspace.sources, self.read_as)
        if source is not None:
            raise InspectorError(
                _("{out}: lies in the source {source}, which is never written: give a place outside").format(
                    out=path, source=source
                )
            )

    def export_edits(
        self,
        out: IO[str],
        form: Literal["jsonl", "sql"] = "jsonl",
        dialect: Dialect = "duckdb",
        table: str = "memories",
    ) -> int:
        """Write the edits in force as JSON patch lines or SQL UPDATE statements, each naming the old value.

        Gives how many were left out: SQL has statements for memories alone (a comment names each that has none).
        """
        if form == "jsonl":
            to_jsonl(cast("TextIO", out), self.log.effective())
            return 0
        return to_sql(cast("TextIO", out), self.log.effective(), dialect, table).left_out

    @locked
    def export_store(self, out: IO[str]) -> None:
        """Write every memory with its edits applied, one JSON object a line."""
        canonical.write_memories(self.memories, out)

    @locked
    def export_packet(self, out: IO[str]) -> list[str]:
        """Write an authority packet of all queries, edits applied; what it left out or changed, a line each."""
        stores = stores_by_namespace(self.queries, self.memories)
        packet = build_packet(self.queries, stores, settings=self.settings)
        packet.write(cast("TextIO", out))
        return [
            _d("left out: query {query}: {reason}").format(query=query, reason=reason)
            for query, reason in packet.left_out
        ] + list(packet.notes)

    @locked
    def export_bundle(self, folder: Path) -> None:
        """Write the whole store with its edits applied as a bundle folder, your judgments and settings included."""
        self.refuse_source(folder)
        settings = self.bundle.settings
        for key, value in self._overlay.items():
            if key.kind == "setting" and value is not ABSENT:
                settings = with_setting(settings, key.field, value)
        labels = follow_owners(self._judgments(), self.memories)
        canonical.write_bundle(replace(self.bundle, judgments=labels, settings=settings), folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the encoder and close the workspace; nothing waits to be saved."""
        self.retriever.close()
        self.workspace.close()
