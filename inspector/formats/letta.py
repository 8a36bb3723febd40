"""Letta: archival passages as JSON, and agent files (.af) of both kinds, whose memory is the agents' blocks.

Scope. A passage names no agent: its owner is ``archive_id``, else ``source_id`` (a folder of files), in releases that
have it ``agent_id`` first. Which agents share an archive stands in a table of its own that is not exported;
``organization_id`` is kept under ``keys``. A block's owners are the agents of the file that hold it; of an agent file
of version 1 the one agent, by its name. A block that no agent holds has no owner.

Lifecycle. ``is_deleted`` true labels a passage deleted as of its ``updated_at`` (the last change, so that it was
deleted by then); false labels it active. Blocks have neither state nor times of their own in version 2.

Vectors of passages are padded with zeros to one length; the padding is cut where ``embedding_config`` gives the
length. Messages are no memories. Archival passages are in neither kind of agent file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from inspector.errors import FieldError, InputError
from inspector.formats.base import Format, Watch, at
from inspector.formats.canonical import note_page
from inspector.formats.collect import Collector
from inspector.formats.draft import Draft, add_all, as_word, finite, listed, vector
from inspector.formats.importer import Importer, Source, each, not_this, records, whole_keys
from inspector.formats.outline import EACH, Outline
from inspector.formats.rows import Raw
from inspector.i18n import D_, _
from inspector.records import ABSENT, Origin

_MESSAGES = D_("{name}: {count} messages are no memories")
_DANGLING = D_("{name}: dangling: agents name blocks that the file does not hold: {blocks}")

POLICY_LOSS = D_("policy: Letta keeps no purposes and no access rules")
PASSAGE_LOSS = [POLICY_LOSS, D_("superseded_by: Letta does not say what replaced a passage")]
BLOCK_LOSS = [POLICY_LOSS, D_("status: a block has no state; its earlier values are not in an agent file")]
PASSAGES = Format(
    name="letta",
    summary="Letta: archival passages as JSON",
    recognised_by="objects with id and text beside archive_id, embedding_config, organization_id or is_deleted",
    example='[{"id": "passage-1", "text": "Ana lives in Porto.", "organization_id": "org-1", "archive_id": "ar-1", '
    '"source_id": null, "is_deleted": false, "created_at": "2026-01-05T08:00:00+00:00", "embedding": null, '
    '"embedding_config": null, "metadata": {}, "tags": []}]',
    loss="no agent (only the archive), no access rules, no supersession, no time of a deletion but the last change",
    scope="agent_id where a release has it, else archive_id, else source_id",
    policy="",
    lifecycle="is_deleted (true: deleted as of updated_at, false: active); created_at, updated_at",
)
AGENT_FILE = Format(
    name="letta-af",
    summary="Letta: an agent file (.af) of version 1 or 2; its memory blocks",
    recognised_by="a JSON object with agent_type and core_memory, or with agents and blocks",
    example='{"agents": [{"id": "agent-0", "name": "helper", "block_ids": ["block-0"], "messages": []}], "groups": [], '
    '"blocks": [{"id": "block-0", "label": "human", "value": "Ana lives in Porto.", "limit": 5000}], "files": [], '
    '"sources": [], "tools": [], "mcp_servers": [], "metadata": {}, "created_at": "2026-01-05T08:00:00+00:00"}',
    loss="no archival passages, no access rules, no state of a block, no earlier values",
    scope="the agents whose block_ids name the block; in version 1 the agent's name",
    policy="",
    lifecycle="created_at and updated_at of a block (version 1)",
)
_MARKS = {"archive_id", "embedding_config", "organization_id", "is_deleted", "source_id", "file_id", "agent_id"}
_V1 = {"agent_type", "core_memory"}


def matches(outline: Outline) -> bool:
    """Whether the records are passages."""
    places = [(), (EACH,), ("passages", EACH)]
    found = [outline.at(*place) for place in places]
    is_letta = any({"id", "text"} <= keys and len(keys & _MARKS) >= 2 for keys in found)
    return outline.holder in ("json", "jsonl") and is_letta


def read(files: tuple[Path, ...], collector: Collector, watch: Watch) -> None:
    """Read passages."""
    for source in each(files):
        raws = records(source, watch, collector.fault, (("passages",),), "text")
        before = len(collector.memories) + collector.repeated
        add_all((raw for raw in raws if not raw.whole), lambda raw: _passage(raw, collector), collector)
        note_page(source.name, len(collector.memories) + collector.repeated - before, collector)


def _passage(raw: Raw, collector: Collector) -> Iterator[dict[str, Any]]:
    draft = Draft(raw.value, collector.mapped)
    draft.identity("id")
    text = draft.take("text", "text")
    if not isinstance(text, str):
        raise FieldError("text", _("is missing") if text is ABSENT else _("is no text"), _("the passage's text"))
    draft.put("text", text)
    owner = next((key for key in ("agent_id", "archive_id", "source_id") if as_word(draft.get(key))), None)
    if owner is not None:
        draft.put("namespace", as_word(draft.take(owner, "namespace")))
    else:
        draft.lose(D_("namespace: neither archive_id nor source_id names an owner, and a passage names no agent"))
    organization = as_word(draft.get("organization_id"))
    if organization is not None:
        draft.take("organization_id", "keys.organization_id")
        draft.put("keys", {"organization_id": organization})
    draft.time("created_at", "created_at")
    draft.time("updated_at", "updated_at")
    _deletion(draft)
    _embedding(draft)
    yield draft.done(PASSAGE_LOSS)


def _deletion(draft: Draft) -> None:
    value = draft.get("is_deleted")
    if value is True or value is False:
        draft.take("is_deleted", "status")
        draft.put("status", "deleted" if value is True else "active")
        changed = draft.fields.get("updated_at")
        if value is True and changed not in (None, ""):
            draft.put("status_at", changed)
    else:
        draft.lose(D_("status: is_deleted is not in this export"))


def _embedding(draft: Draft) -> None:
    """The vector without its padding, where its configuration gives the true length and only zeros follow."""
    config = draft.get("embedding_config")
    length = config.get("embedding_dim") if isinstance(config, dict) else None
    found = vector(draft.get("embedding"))
    is_padded = isinstance(length, int) and found is not None and 0 < length < len(found)
    if found is not None and is_padded and not any(found[length:]):
        draft.take("embedding", D_("embedding, without its padding"))
        draft.put("embedding", found[:length])
    else:
        draft.vector("embedding")


# Agent files


def matches_file(outline: Outline) -> bool:
    """Whether the document is an agent file of either kind."""
    top = outline.at()
    agents = outline.at("agents", EACH)
    is_second = "agents" in top and bool(agents & {"block_ids", "in_context_message_ids", "tool_ids"})
    return outline.holder == "json" and (top >= _V1 or is_second or {"agents", "blocks", "mcp_servers"} <= top)


def read_file(files: tuple[Path, ...], collector: Collector, watch: Watch) -> None:
    """Read agent files."""
    for source in each(files):
        found = whole_keys(source, watch, collector.fault)
        if "core_memory" in found:
            _first_kind(source, found, collector)
        elif "agents" in found and "blocks" in found:
            _second_kind(source, found, collector)
        else:
            raise not_this(
                source.name, _("is an agent file of neither known kind"), _("core_memory, or agents and blocks")
            )


def _blocks(source: Source, found: Mapping[str, Any], key: str) -> Iterator[tuple[str, Any]]:
    if not isinstance(found[key], list):
        raise InputError.at(source.name, None, key, _("is not a list"), _("a list of blocks"))
    for i, block in enumerate(found[key]):
        yield f"{key}[{i}]", block


def _block(draft: Draft, id_key: str) -> None:
    memory_id = as_word(draft.get(id_key))
    if memory_id is None:
        raise FieldError(id_key, _("is missing or no text"), _("the block's name"))
    draft.put("id", memory_id)
    if id_key == "id":
        draft.take("id", "id")
    value = draft.take("value", "text")
    if not isinstance(value, str):
        raise FieldError("value", _("is missing") if value is ABSENT else _("is no text"), _("the block's text"))
    draft.put("text", value)
    draft.time("created_at", "created_at")
    draft.time("updated_at", "updated_at")


def _first_kind(source: Source, found: Mapping[str, Any], collector: Collector) -> None:
    name = as_word(found.get("name"))
    for where, block in _blocks(source, found, "core_memory"):
        try:
            draft = Draft(block, collector.mapped)
            _block(draft, "label")
            draft.put("namespace", ABSENT if name is None else name)
            if name is None:
                draft.lose(D_("namespace: the agent has no name in its file"))
            made = draft.done(BLOCK_LOSS)
        except FieldError as error:
            collector.fault(_placed(error, where, source))
            continue
        collector.memory({**made, "meta": finite(made.get("meta", {}))}, Origin(source.name), True, where)
    messages = sum(1 for _message in listed(found.get("messages")))
    collector.notes.append(_MESSAGES.format(name=source.name, count=f"{messages:,}"))


def _second_kind(source: Source, found: Mapping[str, Any], collector: Collector) -> None:
    holders: dict[str, list[str]] = {}
    names: dict[str, list[str]] = {}
    messages = 0
    for agent in listed(found["agents"]):
        agent_id = as_word(agent.get("id")) if isinstance(agent, dict) else None
        if agent_id is None:
            continue
        for block_id in listed(agent.get("block_ids")):
            word = as_word(block_id)
            if word is not None:
                holders.setdefault(word, []).append(agent_id)
        if as_word(agent.get("name")) is not None:
            names.setdefault(agent["name"], []).append(agent_id)
        messages += sum(1 for _ in listed(agent.get("messages")))
    known: set[str] = set()
    for where, block in _blocks(source, found, "blocks"):
        try:
            draft = Draft(block, collector.mapped)
            _block(draft, "id")
            known.add(draft.fields["id"])
            owners = holders.get(draft.fields["id"], [])
            if len(owners) == 1:
                draft.put("namespace", owners[0])
            elif owners:
                draft.put("namespaces", owners)
            else:
                draft.lose(D_("namespace: no agent of the file holds this block"))
            made = draft.done(BLOCK_LOSS)
        except FieldError as error:
            collector.fault(_placed(error, where, source))
            continue
        collector.memory({**made, "meta": finite(made.get("meta", {}))}, Origin(source.name), True, where)
    dangling = sorted(holders.keys() - known)
    if dangling:
        collector.notes.append(_DANGLING.format(name=source.name, blocks=", ".join(dangling[:5])))
    collector.notes.append(_MESSAGES.format(name=source.name, count=f"{messages:,}"))
    aliases = tuple((name, ids[0]) for name, ids in names.items() if len(ids) == 1 and name != ids[0])
    if aliases:
        collector.stated.append((source.name, {"aliases": aliases}))


def _placed(error: FieldError, where: str, source: Source) -> InputError:
    field = ".".join(part for part in (where, error.field) if part)
    return at(FieldError(field, error.wrong, error.expected), source.name, None)


IMPORTER = Importer(PASSAGES, read, matches, shares_keys=True)
FILE_IMPORTER = Importer(AGENT_FILE, read_file, matches_file)
