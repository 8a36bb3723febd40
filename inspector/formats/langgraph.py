"""LangGraph's store: items as JSON, rows of its Postgres table dumped as JSON or CSV, and its SQLite file.

An item's identity is its namespace and key together. The namespace is a list of labels, kept as one; a row's
``prefix`` is the same joined by dots (labels hold none), in JavaScript's store ``namespace_path`` joined by colons. A
template that was never filled (``{langgraph_user_id}``) names no owner: the namespace is left out, and ``loss`` says
why.

Text is what LangMem writes, ``value.content``, else a text under a usual name, else the whole value as JSON. LangMem's
``kind`` and every other key of the value are kept in ``meta``.

Lifecycle: ``expires_at`` ends a record; ``created_at`` and ``updated_at``. The store overwrites an item of the same
key: earlier versions are gone, and no status is kept. SQLite's times are written in UTC without a zone; a vector that
is older than its value was left behind by an overwriting that was not indexed, and the notes and its ``loss`` say so.

``score`` is a similarity in all of LangGraph's stores; an item of a search without a query has none.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from pathlib import Path
from sqlite3 import Connection
from typing import Any

from inspector.errors import FieldError
from inspector.formats import payloads, sqlite
from inspector.formats.base import Format, Watch, clip
from inspector.formats.canonical import note_page
from inspector.formats.cells import from_json
from inspector.formats.collect import Collector
from inspector.formats.draft import Draft, add_all, event, finite, hit, readable_time, score_of, scored, text_of
from inspector.formats.importer import Importer, Source, add_search, each, not_this, records
from inspector.formats.outline import EACH, Outline
from inspector.formats.rows import Raw
from inspector.i18n import D_, _
from inspector.records import ABSENT
from inspector.times import parse_time

_MISSING = D_("namespace: {key} is missing in the source")
_EMPTY = D_("namespace: {key} is empty in the source")
_OLD_VECTORS = D_(
    "{name}: {count} vectors are older than the values that they stand for: a search matches a text that is gone"
)
_OLD_VECTOR = D_("embedding: stored {stored}, before the value of {changed}: it may stand for a text that is gone")
_NEVER_FILLED = D_("namespace: {name} was never filled, so that it names no owner")

LOSS = [
    D_("policy: LangGraph's store keeps no access rules"),
    D_(
        "status: LangGraph's store keeps no status; a new value under the same key replaces the old one without a trace"
    ),
]
FORMAT = Format(
    name="langgraph",
    summary="LangGraph's store: items or search items as JSON, or rows of its Postgres table as JSON or CSV",
    recognised_by="objects with namespace, key and value, or rows with prefix (or namespace_path), key and value",
    example='[{"namespace": ["memories", "ana"], "key": "m1", "value": {"content": "Ana lives in Porto."}, '
    '"created_at": "2026-01-05T08:00:00+00:00", "updated_at": "2026-01-05T08:00:00+00:00"}]',
    loss="no access rules, no status, no earlier values of a key; of a search neither its words nor its filter",
    scope="namespace (prefix, namespace_path), segment by segment",
    policy="",
    lifecycle="expires_at; created_at, updated_at",
)
SQLITE = Format(
    name="langgraph-sqlite",
    summary="the SQLite file of LangGraph's store; opened read-only",
    recognised_by="an SQLite file with a table store of prefix, key and value",
    example="CREATE TABLE store (prefix text, key text, value text, created_at TIMESTAMP, updated_at TIMESTAMP);\n"
    """INSERT INTO store VALUES ('memories.ana', 'm1', '{"content": "Ana lives in Porto."}', """
    "'2026-01-05 08:00:00', '2026-01-05 08:00:00');",
    loss=FORMAT.loss,
    scope="prefix, segment by segment",
    policy="",
    lifecycle=FORMAT.lifecycle + "; times without a zone are UTC",
)
_ITEM = {"namespace", "key", "value"}
_ROWS = ({"prefix", "key", "value"}, {"namespace_path", "key", "value"})
_PLACES = [(), (EACH,), ("items", EACH), ("results", EACH), ("rows", EACH)]
_LISTS = (("items",), ("results",), ("rows",))
_TEMPLATE = re.compile(r"\{[^{}]*\}")
_COLUMNS = {"prefix", "key", "value", "created_at", "updated_at"}


def matches(outline: Outline) -> bool:
    """Whether the records are items or rows of the store."""
    if outline.holder == "csv":
        return any(row <= set(outline.columns) for row in _ROWS)
    keys = [outline.at(*place) for place in _PLACES]
    return outline.holder in ("json", "jsonl") and any(one <= found for found in keys for one in (_ITEM, *_ROWS))


def read(files: tuple[Path, ...], collector: Collector, watch: Watch) -> None:
    """Read items and dumped rows."""
    for source in each(files):
        _read(source, collector, watch)


def _read(source: Source, collector: Collector, watch: Watch) -> None:
    retrieved: list[dict[str, Any]] = []
    is_csv = source.outline.holder == "csv"

    def make(raw: Raw) -> Iterator[dict[str, Any]]:
        value = {**dict.fromkeys(source.outline.columns), **raw.value} if is_csv else raw.value
        draft = Draft(value, collector.mapped)
        score = draft.take("score")
        made = item(draft)
        if score is not ABSENT and score is not None:
            retrieved.append(hit(made, score_of(score)))
        yield made

    raws = records(source, watch, collector.fault, _LISTS, "value")
    before = len(collector.memories) + collector.repeated
    add_all((raw for raw in raws if not raw.whole), make, collector, partial=scored)
    note_page(source.name, len(collector.memories) + collector.repeated - before, collector)
    if retrieved:
        add_search(source, [event("search", retrieved, "similarity")], collector)


def item(draft: Draft) -> dict[str, Any]:
    """A memory of an item or a row. Raises FieldError."""
    draft.identity("key")
    _namespace(draft)
    for name in ("created_at", "updated_at"):
        draft.time(name, name)
    draft.time("expires_at", "valid_to")
    value = draft.take("value", D_("text, and the rest in meta"))
    if isinstance(value, str):
        value = finite(from_json("value", value)) if value.lstrip()[:1] in ("{", "[", '"') else value
    _text(draft, value)
    return draft.done(LOSS)


def _namespace(draft: Draft) -> None:
    key = next((one for one in ("namespace", "prefix", "namespace_path") if draft.get(one) is not ABSENT), "namespace")
    given = draft.get(key)
    if isinstance(given, str) and given:
        labels: list[Any] = given.split(":" if key == "namespace_path" else ".")
    elif isinstance(given, list):
        labels = given
    elif given in (None, "", ABSENT):
        draft.put("namespace", draft.take(key, "namespace"))
        draft.lose((_MISSING if given is ABSENT else _EMPTY).format(key=key))
        return
    else:
        raise FieldError(
            key, _("{clip} is no namespace").format(clip=clip(repr(given), 40)), _("a list of labels, or its text")
        )
    if not all(isinstance(label, str) for label in labels):
        raise FieldError(key, _("holds a label that is no text"), _("a list of texts"))
    open_ = [label for label in labels if _TEMPLATE.search(label)]
    if open_:
        draft.lose(_NEVER_FILLED.format(name=open_[0]))
        draft.fields["id"] = "/".join([*labels, draft.fields["id"]])  # keys are unique within a namespace only
        return
    draft.take(key, "namespace")
    draft.put("namespace", labels)


def _text(draft: Draft, value: Any) -> None:
    if not isinstance(value, dict):
        draft.put("text", text_of(value))
        return
    inner = draft.inside(value, "value.")
    content = inner.get("content")
    if isinstance(content, dict):  # LangMem's schema: {"kind": …, "content": {…}}
        texts = [one for one in content.values() if isinstance(one, str)]
        inner.take("content", "text")
        draft.put("text", texts[0] if len(content) == 1 and texts else text_of(finite(content)))
    elif content is not ABSENT and not isinstance(content, str):
        inner.take("content", "text")
        draft.put("text", text_of(finite(content)))
    elif not payloads.text(inner):
        draft.put("text", text_of(finite(value)))
        return
    for name, one in inner.rest.items():
        draft.rest[name if name not in draft.rest else f"value.{name}"] = one


# The SQLite file


def matches_sqlite(outline: Outline) -> bool:
    """Whether the file has the store's table."""
    return {"prefix", "key", "value"} <= outline.tables.get("store", frozenset())


def read_sqlite(files: tuple[Path, ...], collector: Collector, watch: Watch) -> None:
    """Read the store's SQLite files."""
    for source in each(files):
        lacking = _COLUMNS - source.outline.tables["store"]
        if lacking:
            wrong = _("table store has no column {lacking}").format(lacking=", ".join(sorted(lacking)))
            raise not_this(source.name, wrong, _("the file of LangGraph's SQLite store"))
        with sqlite.opened(source.path) as connection:
            vectors = _vectors(connection, source, watch)
            rows = sqlite.read_rows(connection, source.name, "store", watch, collector.fault, "prefix, key")
            found = (Raw("", row, origin, True) for row, origin in rows)
            old: list[str] = []

            def make(raw: Raw, vectors: _Vectors = vectors, old: list[str] = old) -> Iterator[dict[str, Any]]:
                changed = raw.value["updated_at"]
                made = item(Draft(raw.value, collector.mapped))
                _embed(made, vectors.get((raw.value["prefix"], raw.value["key"]), []), changed, old)
                yield made

            add_all(found, make, collector)
            if old:
                collector.notes.append(_OLD_VECTORS.format(name=source.name, count=f"{len(old):,}"))
        watch.advance(sqlite.size(source.path))


#: The vectors of each item, by prefix and key, each with the time at which it was stored.
_Vectors = dict[tuple[Any, Any], list[tuple[list[float] | None, Any]]]


def _vectors(connection: Connection, source: Source, watch: Watch) -> _Vectors:
    found: _Vectors = {}
    columns = source.outline.tables.get("store_vectors", frozenset())
    if {"prefix", "key", "embedding"} <= columns:
        time = "updated_at" if "updated_at" in columns else "NULL AS updated_at"
        for row in sqlite.rows(connection, f"SELECT prefix, key, embedding, {time} FROM store_vectors", watch):  # noqa: S608
            found.setdefault((row["prefix"], row["key"]), []).append((_vector(row["embedding"]), row["updated_at"]))
    return found


def _embed(made: dict[str, Any], held: list[tuple[list[float] | None, Any]], changed: Any, old: list[str]) -> None:
    """Give an item its vector; one that an overwriting with ``index=False`` left behind (#8214) is told by its time."""
    if len(held) == 1 and held[0][0] is not None:
        made["embedding"], stored = held[0]
        if _is_before(stored, changed):
            made["loss"] = [_OLD_VECTOR.format(stored=stored, changed=changed), *made["loss"]]
            old.append(made["id"])
    elif held:
        made["loss"] = [*made["loss"], D_("embedding: the item has several vectors, one for each field")]


def _is_before(first: Any, second: Any) -> bool:
    """Whether one of the table's times is before another; False where one is missing or cannot be read."""
    times = [readable_time(one) for one in (first, second)]
    if any(one in (None, "") for one in times):
        return False
    earlier, later = (parse_time(one, "", "UTC") for one in times)
    return earlier.us < later.us


def _vector(data: Any) -> list[float] | None:
    if not isinstance(data, bytes) or not data or len(data) % 4:
        return None
    return list(struct.unpack(f"<{len(data) // 4}f", data))


IMPORTER = Importer(FORMAT, read, matches)
SQLITE_IMPORTER = Importer(SQLITE, read_sqlite, matches_sqlite, settings={"timezone": "UTC"})
