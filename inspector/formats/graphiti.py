"""Graphiti and Zep: edges (facts), nodes and episodes, as JSON, JSON Lines, search results or the CSV of a Cypher
query.

Accepted: Graphiti's ``EntityEdge``, ``EntityNode``, ``EpisodicNode`` and ``SearchResults``, its server's
``FactResult`` (under ``facts``), the MCP server's edges, Zep Cloud's edges, and CSV columns of these names (``e.uuid``
counts as ``uuid``). An edge is a memory of the plane ``edges``, its text the fact; nodes with a summary, episodes and
communities are memories of their own planes.

Scope: ``group_id``. The server's FactResult and Zep Cloud's records have none, and Graphiti's default group is the
empty text: both leave the scope unknown.

Lifecycle, by precedence. A fact holds from ``valid_at`` to ``invalid_at`` or ``expired_at``, whichever is earlier (a
future end is still current). Where both ends are in the record and null, Graphiti says that the fact is in force: the
label is active. Where one is set, the fact was in force from its start on: the label is active as of ``created_at`` or
``valid_at``, whichever is later, and missing where the end came no later. Where ``expired_at`` is not exported (the MCP
server's EdgeResult) nothing says so, and the label is missing. Which edge ended another is not recorded; an edge of the
same source node and group that became valid at that very instant is named in ``meta.ended_at_the_start_of``.

Scores of ``SearchResults`` come from a reranker, higher is better. Zep Cloud's ``score`` is an ordinal under rank
fusion, so that its direction is unknown, unless ``relevance`` says that a cross-encoder ranked: then that is the
similarity.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from inspector.errors import FieldError
from inspector.formats.base import Format, Watch
from inspector.formats.canonical import note_page
from inspector.formats.collect import Collector
from inspector.formats.draft import Draft, add_all, event, hit, readable_time, score_of, scored, vector
from inspector.formats.importer import Importer, Source, add_search, each, records
from inspector.formats.outline import EACH, Outline
from inspector.formats.rows import Raw
from inspector.i18n import D_, _
from inspector.records import ABSENT, Memory
from inspector.times import parse_time

_UNMATCHED = D_("{name}: {scores} scores beside {hits} {plane}: no score can be given to a record")
_NO_END = D_("status: {name} is not in this export, so that nothing says whether the fact is in force")
_BAD_END = D_("valid_to: {name} cannot be read as a time")

POLICY_LOSS = D_("policy: the graph keeps no access rules")
LOSS = {
    "edges": [POLICY_LOSS],
    "nodes": [POLICY_LOSS, D_("status: a node's summary has no state and no end")],
    "episodes": [POLICY_LOSS, D_("status: an episode has no state and no end")],
    "communities": [POLICY_LOSS, D_("status: a community's summary has no state and no end")],
}
FORMAT = Format(
    name="graphiti",
    summary="Graphiti and Zep: edges, nodes, episodes, search results as JSON; a Cypher query's CSV",
    recognised_by="objects with fact and source_node_uuid, alone, in a list, or under edges or facts",
    example='[{"uuid": "e1", "group_id": "ana", "source_node_uuid": "n1", "target_node_uuid": "n2", "name": '
    '"LIVES_IN", "fact": "Ana lives in Porto.", "episodes": ["p1"], "created_at": "2026-01-05T08:00:00Z", '
    '"valid_at": "2026-01-01T00:00:00Z", "invalid_at": null, "expired_at": null}]',
    loss="no access rules; no owner in the server's facts and in Zep Cloud's records; which edge ended another",
    scope="group_id ('' is no owner)",
    policy="",
    lifecycle="valid_at; the earlier of invalid_at and expired_at; active where both are exported (as of its start "
    "where one is set)",
)
_KINDS = ("edges", "facts", "nodes", "episodes", "communities")
_LISTS = tuple((kind,) for kind in _KINDS)
_EDGE = {"fact", "source_node_uuid"}
_SCORES = {"edge_reranker_scores": "edges", "node_reranker_scores": "nodes", "episode_reranker_scores": "episodes"}
_ENDS = ("invalid_at", "expired_at")


def matches(outline: Outline) -> bool:
    """Whether the records are edges, or the document is one of search results."""
    if outline.holder == "csv":
        return {_bare(column) for column in outline.columns} >= _EDGE
    if outline.holder not in ("json", "jsonl"):
        return False
    places = [(), (EACH,), ("edges", EACH), ("facts", EACH)]
    # the server's FactResult of older versions names no nodes
    older = {"uuid", "fact", "valid_at", "invalid_at"} <= outline.at("facts", EACH)
    return any(outline.at(*place) >= _EDGE for place in places) or older or "edge_reranker_scores" in outline.at()


def _bare(column: str) -> str:
    return column.rpartition(".")[2]


def read(files: tuple[Path, ...], collector: Collector, watch: Watch) -> None:
    """Read graphs."""
    first = len(collector.memories)
    for source in each(files):
        _read(source, collector, watch)
    _name_successors(collector.memories[first:])


def _read(source: Source, collector: Collector, watch: Watch) -> None:
    found: dict[str, list[dict[str, Any]]] = {}
    scores: dict[str, list[Any]] = {}
    kinds: set[str] = set()
    columns = {_bare(column): None for column in source.outline.columns}

    def make(raw: Raw) -> Iterator[dict[str, Any]]:
        value = raw.value
        if source.outline.holder == "csv":  # an empty cell of an exported column is a property that is not set: null
            value = {**columns, **{_bare(name): _cell(cell) for name, cell in value.items()}}
        plane = _plane(raw, value)
        draft = Draft(value, collector.mapped)
        score, relevance = draft.take("score"), draft.take("relevance")
        made = _MAKERS[plane](draft, plane)
        if score is not ABSENT or relevance is not ABSENT:
            is_relevance = isinstance(relevance, int | float)
            kinds.add("similarity" if is_relevance else "unknown")
            found.setdefault(plane, []).append(hit(made, score_of(relevance if is_relevance else score)))
        else:
            found.setdefault(plane, []).append(hit(made, None))
        yield made

    def wanted() -> Iterator[Raw]:
        for raw in records(source, watch, collector.fault, _LISTS, "fact"):
            if raw.whole and raw.section in _SCORES and isinstance(raw.value, list):
                scores[_SCORES[raw.section]] = raw.value
            elif not raw.whole:
                yield raw

    before = len(collector.memories) + collector.repeated
    add_all(wanted(), make, collector, partial=scored)
    note_page(source.name, len(collector.memories) + collector.repeated - before, collector)
    events = []
    if kinds:
        kind = "similarity" if kinds == {"similarity"} else "unknown"
        events = [
            event(plane, hits, kind) for plane, hits in found.items() if any(h["score"] is not None for h in hits)
        ]
    elif scores:
        events = [_ranked(plane, hits, scores.get(plane, []), source, collector) for plane, hits in found.items()]
    if events:
        add_search(source, events, collector)


def _ranked(
    plane: str, hits: list[dict[str, Any]], scores: list[Any], source: Source, collector: Collector
) -> dict[str, Any]:
    if len(scores) == len(hits):
        hits = [{**one, "score": score_of(score)} for one, score in zip(hits, scores, strict=True)]
    elif scores:
        told = {"name": source.name, "scores": f"{len(scores):,}", "hits": f"{len(hits):,}", "plane": plane}
        collector.notes.append(_UNMATCHED.format(**told))
    return event(plane, hits, "similarity")


def _plane(raw: Raw, value: Any) -> str:
    if raw.section in _KINDS:
        return "edges" if raw.section == "facts" else raw.section
    if isinstance(value, dict) and "fact" not in value:
        return "episodes" if "content" in value else "nodes"
    return "edges"


def _cell(cell: Any) -> Any:
    """A CSV cell: Cypher's shells write null as ``NULL`` or ``null`` and quote texts once more."""
    if not isinstance(cell, str) or cell.upper() == "NULL":
        return None
    return cell[1:-1] if len(cell) > 1 and cell[0] == cell[-1] == '"' else cell


def _identity(draft: Draft, plane: str) -> None:
    draft.identity("uuid_" if draft.get("uuid") is ABSENT and draft.get("uuid_") is not ABSENT else "uuid")
    draft.put("plane", plane)
    group = draft.get("group_id")
    if isinstance(group, str | None):
        draft.put("namespace", draft.take("group_id", "namespace"))
    if group == "":
        draft.lose(D_("namespace: group_id is empty, Graphiti's default group, which names no owner"))
    elif group is None:
        draft.lose(D_("namespace: group_id is null in the source"))
    elif group is ABSENT:
        draft.lose(D_("namespace: the record has no group_id"))
    elif not isinstance(group, str):
        draft.lose(D_("namespace: group_id is no text"))
    draft.time("created_at", "created_at")


def _edge(draft: Draft, plane: str) -> dict[str, Any]:
    _identity(draft, plane)
    fact = draft.get("fact")
    if not isinstance(fact, str):
        raise FieldError("fact", _("is missing") if fact is ABSENT else _("is no text"), _("the fact"))
    draft.put("text", draft.take("fact", "text"))
    draft.time("valid_at", "valid_from")
    _ends(draft)
    if vector(draft.get("fact_embedding")) is not None or draft.get("fact_embedding") is None:
        draft.vector("fact_embedding")
    return draft.done(LOSS["edges"])


def _ends(draft: Draft) -> None:
    """``valid_to`` as the earlier end; the other one stays in ``meta``. Active where both are there and null."""
    ends: dict[str, Any] = {}
    is_sure = True
    for name in _ENDS:
        value = draft.get(name)
        if value is ABSENT:
            is_sure = False
            draft.lose(_NO_END.format(name=name))
        elif value not in (None, ""):
            time = readable_time(value)
            if time is None:
                is_sure = False
                draft.lose(_BAD_END.format(name=name))
            else:
                ends[name] = time
    if ends:
        name = min(ends, key=lambda one: parse_time(ends[one], one).us)
        draft.take(name, "valid_to")
        draft.put("valid_to", ends[name])
    elif is_sure:
        draft.put("valid_to", draft.take("invalid_at", "valid_to"))
    if is_sure:
        _in_force(draft, ends)


def _in_force(draft: Draft, ends: dict[str, Any]) -> None:
    """The label of an edge whose ends are known: of an ended one as of its start, for it says nothing of today."""
    held = [one for one in map(draft.fields.get, ("created_at", "valid_from")) if one not in (None, "")]
    if ends and held:
        end = parse_time(draft.fields["valid_to"], "")
        if {parse_time(one, "").naive for one in held} == {end.naive}:  # else in doubt
            start = max(held, key=lambda one: parse_time(one, "").us)
            if end.us <= parse_time(start, "").us:
                return  # at no moment of its time in the store was it in force: the times alone decide
            draft.put("status_at", start)
    draft.put("status", "active")


def _node(draft: Draft, plane: str) -> dict[str, Any]:
    _identity(draft, plane)
    name, summary = draft.get("name"), draft.get("summary")
    parts = [one for one in (name, summary) if isinstance(one, str) and one]
    for key in ("name", "summary"):
        if isinstance(draft.get(key), str):
            draft.take(key, "text")
    draft.put("text", ": ".join(parts))
    draft.vector("name_embedding")
    return draft.done(LOSS[plane])


def _episode(draft: Draft, plane: str) -> dict[str, Any]:
    _identity(draft, plane)
    content = draft.get("content")
    if not isinstance(content, str):
        raise FieldError("content", _("is missing") if content is ABSENT else _("is no text"), _("the episode's text"))
    draft.put("text", draft.take("content", "text"))
    draft.time("valid_at", "valid_from")
    if isinstance(draft.get("source"), str):
        draft.put("source", draft.take("source", "source"))
    return draft.done(LOSS["episodes"])


def _name_successors(memories: list[Memory]) -> None:
    """Name beside an ended edge the edges of its source node that became valid at the instant of its end."""
    begun: dict[tuple[Any, ...], list[str]] = {}
    for memory in memories:
        begun.setdefault(_start(memory, "valid_from"), []).append(memory.id)
    for memory in memories:
        key = _start(memory, "valid_to")
        near = [one for one in begun.get(key, []) if one != memory.id] if key else []
        if near:
            meta = {**memory.source("meta"), "ended_at_the_start_of": near}
            memory.rewrite({**memory.fields, "meta": meta})


def _start(memory: Memory, field: str) -> tuple[Any, ...]:
    """Group, source node and instant of an edge's start or end; nothing where it lacks one of them."""
    time, meta = memory.source(field), memory.source("meta")
    node = meta.get("source_node_uuid") if isinstance(meta, dict) else None
    if time in (ABSENT, None, "") or not isinstance(node, str):
        return ()
    instant = parse_time(time, field)
    return memory.uid.namespace, node, instant.us, instant.naive


_MAKERS = {"edges": _edge, "nodes": _node, "episodes": _episode, "communities": _node}
IMPORTER = Importer(FORMAT, read, matches)
