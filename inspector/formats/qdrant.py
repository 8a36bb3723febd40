"""Qdrant: points as ``scroll``, ``retrieve``, ``query`` and ``search`` give them, by HTTP or from the Python client.

Accepted: ``{"result": {"points": […], "next_page_offset": …}}``, ``{"result": […]}``, ``{"points": […]}``, a bare list
of points and JSON Lines of points. A point is an object with ``id`` and ``payload``.

The payload decides. One of mem0's (``data`` with ``hash`` or ``user_id``) is read as :mod:`inspector.formats.mem0`
says; one of LangChain's (``page_content``, ``metadata``) by its metadata; any other by the names in
:mod:`inspector.formats.payloads`. A point without a text under one of those
names is kept with an empty one and counted; where all are, the file is refused and needs a mapping.

Vectors: a list of numbers is the embedding; of named vectors the only dense one; several, sparse and multi-vectors are
kept in ``meta.vectors``. Scores of a search become a recorded event. The response does not say the distance, and Euclid
and Manhattan count downwards: the direction is unknown. A ``next_page_offset`` means that the export is incomplete.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from inspector.errors import FieldError
from inspector.formats import payloads
from inspector.formats.base import Format, Watch
from inspector.formats.canonical import note_page
from inspector.formats.collect import Collector
from inspector.formats.draft import NO_FILTER, Draft, add_all, event, finite, hit, score_of, scored, vector
from inspector.formats.importer import Importer, Source, add_search, each, note_marks, records
from inspector.formats.outline import EACH, Outline
from inspector.formats.rows import Raw
from inspector.i18n import D_, _
from inspector.records import ABSENT

LOSS = [D_("policy: Qdrant keeps no access rules"), D_("status: Qdrant keeps no status of a point")]
FORMAT = Format(
    name="qdrant",
    summary="Qdrant: the JSON of scroll, retrieve, query or search, also with mem0's and LangChain's payloads",
    recognised_by="objects with id and payload, in a list, under result, result.points or points",
    example='{"result": {"points": [{"id": 1, "payload": {"text": "Ana lives in Porto.", "user_id": "ana"}, '
    '"vector": [0.1, 0.9]}], "next_page_offset": null}, "status": "ok", "time": 0.001}',
    loss="no owner, policy or state of its own: only what the payload says; of a search neither its words nor its "
    "filter, and not which distance was used",
    scope="payload: tenant_id and user_id (and their other names), else namespace, group_id, agent_id, run_id",
    policy="payload: allowed_purposes, sensitivity",
    lifecycle="payload: deleted_at, valid_from, valid_to or expires_at, status, superseded_by, created_at",
)
_LISTS = (("result", "points"), ("result",), ("points",))
_MARKS = ("next_page_offset",)


def matches(outline: Outline) -> bool:
    """Whether the records are points."""
    places = [(), (EACH,), ("result", "points", EACH), ("result", EACH), ("points", EACH)]
    return outline.holder in ("json", "jsonl") and any({"id", "payload"} <= outline.at(*place) for place in places)


def read(files: tuple[Path, ...], collector: Collector, watch: Watch) -> None:
    """Read Qdrant exports."""
    for source in each(files):
        _read(source, collector, watch)


def _read(source: Source, collector: Collector, watch: Watch) -> None:
    retrieved: list[dict[str, Any]] = []

    def make(raw: Raw) -> Iterator[dict[str, Any]]:
        draft = Draft(raw.value, collector.mapped)
        score = draft.take("score")
        if score is not ABSENT:
            draft.take("version")  # of the point in that search; a scroll does not give it
        made = _point(draft)
        if score is not ABSENT:
            retrieved.append(hit(made, score_of(score)))
        yield made

    raws = records(source, watch, collector.fault, _lists(source.outline), "payload")
    wanted = (raw for raw in raws if not note_marks(raw, source.name, collector, _MARKS) and not raw.whole)
    before, first = len(collector.memories) + collector.repeated, len(collector.memories)
    add_all(wanted, make, collector, partial=scored)
    payloads.note_textless(collector, first, source.name)
    note_page(source.name, len(collector.memories) + collector.repeated - before, collector)
    if retrieved:
        add_search(source, [event("query", retrieved, "unknown", metric=NO_FILTER)], collector)


def _lists(outline: Outline) -> tuple[tuple[str, ...], ...]:
    """The one list that this document has: ``result`` is either the list or the object around it."""
    if outline.at("result", EACH):
        return (("result",),)
    return (("result", "points"), ("points",))


def _point(draft: Draft) -> dict[str, Any]:
    draft.identity("id")
    for name in ("version", "shard_key", "order_value"):
        if draft.get(name) is None:
            draft.take(name)
    _vector(draft)
    payload = draft.take("payload", D_("text, namespace, … by name"))
    if not isinstance(payload, dict):
        raise FieldError(
            "payload", _("is null") if payload is None else _("is no object"), _("a payload with the text")
        )
    inner = draft.inside(_flat(payload), "payload.")
    inner.rest.update({name: value for name, value in draft.rest.items() if name not in inner.rest})
    return payloads.memory(inner, payload, LOSS)


def _vector(draft: Draft) -> None:
    for name in ("vector", "vectors"):
        value = draft.get(name)
        if value is ABSENT:
            continue
        if value is None or vector(value) is not None:
            draft.vector(name)
            return
        named = {k: v for k, v in value.items() if vector(v) is not None} if isinstance(value, dict) else {}
        if isinstance(value, dict) and len(value) == 1 and len(named) == 1:
            draft.take(name, "embedding")
            ((label, only),) = named.items()
            draft.put("embedding", only)
            draft.rest["vector_name"] = label
        else:
            draft.rest["vectors"] = finite(draft.take(name, "meta"))
            draft.lose(D_("embedding: the point has several vectors, or none that is one list of numbers"))


def _flat(payload: dict[str, Any]) -> dict[str, Any]:
    """LangChain's payload with its metadata beside the text, where no key would hide another."""
    inner = payload.get("metadata")
    if isinstance(inner, dict) and "page_content" in payload and not inner.keys() & payload.keys():
        return {**{key: value for key, value in payload.items() if key != "metadata"}, **inner}
    return dict(payload)


IMPORTER = Importer(FORMAT, read, matches)
