"""LlamaIndex: a document store (docstore.json), or nodes with scores from a retriever.

A node is a memory: its text, its metadata read by the names in :mod:`inspector.formats.payloads`, its vector where it
was kept. The source document is ``source``. ``excluded_llm_metadata_keys``, relationships and the rest stay in
``meta``: a field named there is stored and never shown to the model. Nodes of stores before 0.6, without ``__data__``
and with ``extra_info``, are read too. Node ids that ``ref_doc_info`` names and the store no longer holds are named in
the notes.

Scores depend on the vector store behind the retriever, so that their direction is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from inspector.errors import FieldError, InputError
from inspector.formats import payloads
from inspector.formats.base import Format, Watch, clip
from inspector.formats.canonical import note_page
from inspector.formats.cells import from_json
from inspector.formats.collect import Collector
from inspector.formats.draft import Draft, add_all, as_word, event, hit, listed, score_of
from inspector.formats.importer import Importer, Source, add_search, each, records
from inspector.formats.outline import EACH, Outline
from inspector.formats.rows import Raw, read_rows
from inspector.i18n import D_, _
from inspector.records import ABSENT

_DANGLING = D_("{name}: dangling: ref_doc_info names {count} nodes that are gone: {nodes}")

LOSS = [D_("policy: a document store keeps no access rules"), D_("status: a document store keeps no status of a node")]
FORMAT = Format(
    name="llamaindex",
    summary="LlamaIndex: docstore.json, the folder that it was persisted to, or a list of nodes with scores",
    recognised_by="a JSON object whose keys begin with docstore/, or objects with node and score",
    example='{"docstore/metadata": {"n1": {"doc_hash": "5f3c"}}, "docstore/data": {"n1": {"__data__": {"id_": "n1", '
    '"text": "Ana lives in Porto.", "metadata": {"user_id": "ana"}, "relationships": {}, "class_name": "TextNode"}, '
    '"__type__": "1"}}}',
    loss="no owner, policy, state or times of its own: only what the metadata says",
    scope="metadata: tenant_id and user_id (and their other names), else namespace, group_id, agent_id, run_id",
    policy="metadata: allowed_purposes, sensitivity",
    lifecycle="metadata: deleted_at, valid_from, valid_to or expires_at, status, superseded_by, created_at",
)
_DATA, _REFS = "docstore/data", "docstore/ref_doc_info"
_FILE = "docstore.json"


def matches(outline: Outline) -> bool:
    """Whether this is a document store, or nodes with scores."""
    if outline.holder not in ("json", "jsonl"):
        return False
    is_store = any(key.startswith("docstore/") for key in outline.at())
    nodes = [(outline.at(*place), outline.at(*place, "node")) for place in [(), (EACH,)]]
    return is_store or any("node" in top and node & {"id_", "class_name"} for top, node in nodes)


def folder(path: Path) -> tuple[Path, ...]:
    """The document store in the folder that it was persisted to."""
    file = path / _FILE
    return (file,) if file.is_file() else ()


def read(files: tuple[Path, ...], collector: Collector, watch: Watch) -> None:
    """Read document stores and lists of nodes."""
    for source in each(files):
        first = len(collector.memories)
        before = first + collector.repeated
        if any(key.startswith("docstore/") for key in source.outline.at()):
            _store(source, collector, watch)
        else:
            _nodes(source, collector, watch)
        payloads.note_textless(collector, first, source.name)
        note_page(source.name, len(collector.memories) + collector.repeated - before, collector)


def _store(source: Source, collector: Collector, watch: Watch) -> None:
    held: dict[str, Any] = {}
    for raw in read_rows(source.path, source.name, "json", watch, collector.fault):
        if raw.section in (_DATA, _REFS):
            if not isinstance(raw.value, dict):
                raise InputError.at(source.name, raw.origin.line, raw.section, _("is not an object"), _("an object"))
            held[raw.section] = raw
    if _DATA not in held:
        raise InputError.at(source.name, None, _DATA, _("is missing"), _("the store's nodes"))
    data: Raw = held[_DATA]
    raws = (Raw(node_id, node, data.origin, data.suspect) for node_id, node in data.value.items())
    add_all(raws, lambda raw: _stored(raw, collector), collector)
    references = held[_REFS].value if _REFS in held else {}
    lost: list[str] = []
    for info in references.values():
        if isinstance(info, dict):
            for node_id in [*listed(info.get("node_ids")), *listed(info.get("doc_ids"))]:
                if isinstance(node_id, str) and node_id not in data.value:
                    lost.append(node_id)  # noqa: PERF401
    if lost:
        shown = clip(", ".join(lost[:5]), data=True)
        collector.notes.append(_DANGLING.format(name=source.name, count=f"{len(lost):,}", nodes=shown))


def _stored(raw: Raw, collector: Collector) -> Iterator[dict[str, Any]]:
    node = raw.value
    if isinstance(node, dict) and "__data__" in node:
        node = node["__data__"]
    if isinstance(node, str):
        node = from_json("__data__", node)
    yield _node(Draft(node, collector.mapped), raw.section)


def _node(draft: Draft, node_id: str) -> dict[str, Any]:
    for name in ("id_", "doc_id", "node_id"):
        if draft.get(name) is not ABSENT:
            node_id = as_word(draft.take(name, "id")) or node_id
            break
    if not node_id:
        raise FieldError("id_", _("is missing or no text"), _("the node's id"))
    draft.put("id", node_id)
    _text(draft)
    draft.vector("embedding")
    _source(draft)
    for name in ("metadata", "extra_info"):
        inner = draft.get(name)
        if isinstance(inner, dict):
            draft.take(name, D_("namespace, … by name"))
            described = draft.inside(inner, f"{name}.")
            payloads.owner(described)
            payloads.lifecycle(described)
            for key, value in described.rest.items():
                draft.rest[key if key not in draft.rest else f"metadata.{key}"] = value
            break
    return draft.done(LOSS)


def _text(draft: Draft) -> None:
    resource = draft.get("text_resource")
    if isinstance(draft.get("text"), str):
        draft.put("text", draft.take("text", "text"))
    elif isinstance(resource, dict) and isinstance(resource.get("text"), str):
        draft.take("text_resource", "text")
        draft.put("text", resource["text"])
    else:
        draft.put("text", "")
        draft.lose(D_("text: the node holds none"))


def _source(draft: Draft) -> None:
    relations = draft.get("relationships")
    parent = relations.get("1") if isinstance(relations, dict) else None
    if isinstance(parent, dict) and as_word(parent.get("node_id")) is not None:
        draft.put("source", as_word(parent["node_id"]))


def _nodes(source: Source, collector: Collector, watch: Watch) -> None:
    retrieved: list[dict[str, Any]] = []

    def make(raw: Raw) -> Iterator[dict[str, Any]]:
        outer = Draft(raw.value, collector.mapped)
        made = _node(Draft(outer.get("node"), collector.mapped, "node."), "")
        retrieved.append(hit(made, score_of(outer.get("score"))))
        yield made

    raws = records(source, watch, collector.fault, (), "node")
    add_all((raw for raw in raws if not raw.whole), make, collector, partial=lambda _: True)
    add_search(source, [event("retriever", retrieved, "unknown")], collector)


IMPORTER = Importer(FORMAT, read, matches, folder)
