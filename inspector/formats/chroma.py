"""Chroma: the JSON of ``collection.get()`` and ``collection.query()``.

Both are columnar: lists side by side, one entry a record; of a query each list holds one list a query. Lists of
different lengths are refused, since nobody can say which entries belong together. Where the document is null, the text
is looked for in the metadata; a record without any is kept with an empty one, and counted in the notes.

Scope, policy and lifecycle come from the metadata, by the names in :mod:`inspector.formats.payloads`; mem0's metadata
is read as mem0's. ``distances`` become one recorded event a query, as distances: lower is better. The metric is a
setting of the collection and not in the export. Ids are unique within a collection only.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from inspector.errors import FieldError, InputError
from inspector.formats import payloads
from inspector.formats.base import Format, Watch, at
from inspector.formats.canonical import note_page
from inspector.formats.collect import Collector
from inspector.formats.draft import NO_FILTER, Draft, event, finite, hit, score_of
from inspector.formats.importer import Importer, Source, add_search, each
from inspector.formats.outline import EACH, Outline
from inspector.formats.rows import read_rows
from inspector.i18n import D_, _
from inspector.records import Origin

LOSS = [D_("policy: Chroma keeps no access rules"), D_("status: Chroma keeps no status of a record")]
FORMAT = Format(
    name="chroma",
    summary="Chroma: the JSON of collection.get() or collection.query()",
    recognised_by="an object whose ids is a list of texts, or of lists of texts, beside documents or metadatas",
    example='{"ids": ["m1"], "embeddings": null, "documents": ["Ana lives in Porto."], "metadatas": [{"user_id": '
    '"ana"}], "uris": null, "data": null, "included": ["documents", "metadatas"]}',
    loss="no owner, policy or state of its own: only what the metadata says; of a query neither its words nor its "
    "filter, and not which metric its distances are in",
    scope="metadata: tenant_id and user_id (and their other names), else namespace, group_id, agent_id, run_id",
    policy="metadata: allowed_purposes, sensitivity",
    lifecycle="metadata: deleted_at, valid_from, valid_to or expires_at, status, superseded_by, created_at",
)
_COLUMNS = ("ids", "documents", "metadatas", "embeddings", "distances", "uris", "data")
_MEASURED = ("documents", "metadatas", "embeddings", "distances", "uris")


def matches(outline: Outline) -> bool:
    """Whether the document is columnar as Chroma's."""
    ids = outline.scalars & {("ids", EACH), ("ids", EACH, EACH)}
    return outline.holder == "json" and "ids" in outline.at() and bool(ids) and not outline.at("ids", EACH)


def read(files: tuple[Path, ...], collector: Collector, watch: Watch) -> None:
    """Read Chroma exports."""
    for source in each(files):
        _read(source, collector, watch)
    collector.mapped.update({"ids": "id", "documents": "text", "embeddings": "embedding"})


def _read(source: Source, collector: Collector, watch: Watch) -> None:
    columns: dict[str, list[Any]] = {}
    lines: list[int | None] = []
    lists = frozenset((name,) for name in _COLUMNS)
    for raw in read_rows(source.path, source.name, "json", watch, collector.fault, lists):
        if raw.whole:
            if raw.section in _COLUMNS and raw.value is not None:
                raise InputError.at(source.name, raw.origin.line, raw.section, _("is not a list"), _("a list or null"))
            continue
        if raw.section not in _COLUMNS:
            raise InputError.at(source.name, raw.origin.line, "", _("is a list"), _("an object of columns"))
        columns.setdefault(raw.section, []).append(raw.value)
        if raw.section == "ids":
            lines.append(raw.origin.line)
    ids = columns.get("ids", [])
    nested = any(isinstance(one, list) for one in ids)
    before, first = len(collector.memories) + collector.repeated, len(collector.memories)
    if nested:
        for i, group in enumerate(ids):
            inner = {name: _inner(values, i, source.name, name) for name, values in columns.items()}
            _query(source, inner, Origin(source.name, lines[i]), collector, len(group) if group else 0)
    else:
        _check(columns, source.name)
        for i in range(len(ids)):
            _add(columns, i, Origin(source.name, lines[i]), collector, partial=False)
    payloads.note_textless(collector, first, source.name)
    note_page(source.name, len(collector.memories) + collector.repeated - before, collector)


def _inner(values: list[Any], i: int, name: str, column: str) -> list[Any]:
    """One query's part of a nested column. Raises InputError where it is not there."""
    if i < len(values) and values[i] is None:
        return []
    if i >= len(values) or not isinstance(values[i], list):
        raise InputError.at(name, None, f"{column}[{i}]", _("is not a list"), _("one list for each query"))
    return values[i]  # type: ignore[no-any-return]


def _check(columns: dict[str, list[Any]], name: str, where: str = "") -> None:
    """Raise InputError where the columns are not of one length."""
    count = len(columns.get("ids", []))
    for column in _MEASURED:
        values = columns.get(column)
        if values and len(values) != count:
            wrong = _("has {entries:,} entries beside {count:,} ids").format(entries=len(values), count=count)
            raise InputError.at(name, None, column + where, wrong, _("columns of one length"))


def _query(source: Source, columns: dict[str, list[Any]], origin: Origin, collector: Collector, count: int) -> None:
    _check(columns, source.name)
    found = []
    for i in range(count):
        made = _add(columns, i, origin, collector, partial=True)
        if made is not None:
            distances = columns.get("distances")
            found.append(hit(made, score_of(distances[i]) if distances else None))
    kind = "distance" if columns.get("distances") else "unknown"
    add_search(source, [event("query", found, kind, metric=NO_FILTER)], collector)


def _add(
    columns: dict[str, list[Any]], i: int, origin: Origin, collector: Collector, *, partial: bool
) -> dict[str, Any] | None:
    try:
        made = next(_made(columns, i, collector))
    except FieldError as error:
        collector.fault(at(error, origin.file, origin.line))
        return None
    collector.memory(made, origin, suspect=True, partial=partial)
    return made


def _made(columns: dict[str, list[Any]], i: int, collector: Collector) -> Iterator[dict[str, Any]]:
    def cell(name: str) -> Any:
        values = columns.get(name)
        return values[i] if values else None

    metadata = cell("metadatas")
    if metadata is not None and not isinstance(metadata, dict):
        raise FieldError(f"metadatas[{i}]", _("is no object"), _("an object or null"))
    yield record(columns["ids"][i], cell("documents"), metadata, cell("embeddings"), collector, f"[{i}]", cell("uris"))


def record(
    memory_id: Any,
    document: Any,
    metadata: dict[str, Any] | None,
    embedding: Any,
    collector: Collector,
    where: str,
    uri: Any = None,
) -> dict[str, Any]:
    """A memory of a record's parts. Raises FieldError where it has no id or no text."""
    if not isinstance(memory_id, str) or not memory_id:
        raise FieldError(f"ids{where}", _("is no text"), _("the record's id"))
    draft = Draft(finite(metadata or {}), collector.mapped, "metadata.")
    draft.put("id", memory_id)
    if embedding is not None:
        draft.put("embedding", embedding)
    if uri is not None:
        draft.rest["uri"] = uri
    if document is None:
        return payloads.memory(draft, metadata or {}, LOSS)
    if not isinstance(document, str):
        raise FieldError(f"documents{where}", _("is no text"), _("a text or null"))
    draft.put("text", document)
    return payloads.described(draft, LOSS)


IMPORTER = Importer(FORMAT, read, matches)
