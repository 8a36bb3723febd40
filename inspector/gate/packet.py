"""Authority packets written for the source's own evaluator, and a template for outside authors (DESIGN 7, 12).

A packet is a list of scenarios, each a question with a memory store of its own. The evaluator ranks action words,
takes lists for lists and numbers for numbers, and fails on a null there; what it could not read is left out or
replaced by a stricter word, and every such change is in the export's ``notes``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from inspector.errors import FieldError
from inspector.gate.action import CAUTIOUS, action_word, readable_count, shorten
from inspector.gate.evaluate import instant_in_force
from inspector.gate.governs import governs_of
from inspector.i18n import _d
from inspector.records import ACTIONS, Memory, Query, Settings
from inspector.times import parse_time

SCHEMA_VERSION = "memory_store_v2_2"
_TEMPLATE = Path(__file__).with_name("packet_template.json")
#: Fields that a packet says in another place, or cannot say.
_PLACED = frozenset(("id", "text", "namespace", "namespaces", "meta", "embedding"))
_QUERY_PLACED = frozenset(
    ("id", "text", "expected_action", "principal", "tool_call", "grants", "as_of", "meta", "embedding", "recorded")
)
_RENAMED = {"sensitivity": "resource_sensitivity"}


@dataclass(frozen=True, slots=True)
class PacketExport:
    """A packet ready to be written, the queries that it leaves out with the reason, and what it changed or lost."""

    packet: dict[str, Any]
    left_out: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]

    def write(self, fp: TextIO) -> None:
        """Write the packet as indented JSON, a line feed at its end."""
        json.dump(self.packet, fp, ensure_ascii=False, indent=2)
        fp.write("\n")


def build_packet(
    queries: Sequence[Query],
    stores: Sequence[Sequence[Memory]],
    *,
    description: str = "",
    authored_by: str = "",
    settings: Settings | None = None,
) -> PacketExport:
    """A packet of the queries, each with its own store: ``stores[i]`` are the memories of ``queries[i]``.

    Values in force are written, edits included. A query without an expected action that has a rank, or without
    memories, or whose memories share an id, or whose tool call has no time or no readable grants, is left out: the
    evaluator could not score it. ``settings`` gives the time that stands for a missing ``as_of``. Raises ValueError
    where the lengths differ.
    """
    if len(queries) != len(stores):
        raise ValueError("one store a query is expected")
    chosen = Settings() if settings is None else settings
    scenarios: list[dict[str, Any]] = []
    left_out: list[tuple[str, str]] = []
    notes: list[str] = []
    for query, memories in zip(queries, stores, strict=True):
        fault = _fault(query, memories, chosen)
        if fault:
            left_out.append((query.id, fault))
        else:
            scenarios.append(_scenario(query, memories, chosen, notes))
    packet: dict[str, Any] = {"schema_version": SCHEMA_VERSION}
    if authored_by:
        packet["authored_by"] = authored_by
    packet["description"] = description
    packet["action_classes"] = list(reversed(ACTIONS))
    packet["scenarios"] = scenarios
    return PacketExport(packet, tuple(left_out), tuple(notes))


def stores_by_namespace(queries: Sequence[Query], memories: Iterable[Memory]) -> list[list[Memory]]:
    """For each query the memories of its principal's namespaces, in store order; all of them where it names none.

    Namespaces are compared whole, as packets do. A caller that knows more (a retrieved list) builds its own stores.
    """
    held: dict[str, list[Memory]] = {}
    every = list(memories)
    for memory in every:
        for owner in _namespaces(memory):
            held.setdefault(owner, []).append(memory)
    stores: list[list[Memory]] = []
    for query in queries:
        principal = query.value("principal")
        named = principal.get("namespaces") if isinstance(principal, Mapping) else None
        if not isinstance(named, list) or not named:
            stores.append(every)
            continue
        found = {id(memory): memory for owner in named for memory in held.get(_key(owner), [])}
        stores.append([memory for memory in every if id(memory) in found])
    return stores


def packet_template() -> str:
    """The template for outside authors: a small packet that the evaluator reads, its comments under ``_comment``.

    JSON has no comments, and both the evaluator and our reader pass over keys that they do not know.
    """
    return _TEMPLATE.read_text(encoding="utf-8")


def _namespaces(memory: Memory) -> list[str]:
    owners = [memory.value("namespace"), *(memory.value("namespaces") or [])]
    return list(dict.fromkeys(_key(owner) for owner in owners if owner is not None))


def _key(namespace: Any) -> str:
    return json.dumps(namespace, ensure_ascii=False)


def _fault(query: Query, memories: Sequence[Memory], settings: Settings) -> str:
    expected = query.value("expected_action")
    if action_word(expected) is None:
        return (
            _d("no expected_action")
            if expected is None
            else _d("expected_action {shorten} has no rank").format(shorten=shorten(expected))
        )
    if not memories:
        return _d("no memories")
    if len({memory.id for memory in memories}) < len(memories):
        return _d("two of its memories have the same id")
    if query.value("tool_call") is not None and instant_in_force(query, settings) is None:
        return _d("a tool call without an as_of that can be read")
    grants = query.value("grants")
    if grants is not None and not isinstance(grants, list):
        return _d("grants is {shorten}").format(shorten=shorten(grants))
    for number, grant in enumerate(grants or [], start=1):
        if not isinstance(grant, Mapping) or not grant.get("grant_id"):
            return _d("grant {number} has no grant_id").format(number=number)
        if _time_text(grant.get("expires_at"), settings) is None:
            return _d("grant {number} has no expires_at that can be read").format(number=number)
    return ""


def _scenario(query: Query, memories: Sequence[Memory], settings: Settings, notes: list[str]) -> dict[str, Any]:
    scenario: dict[str, Any] = {
        "id": query.id,
        "query": query.text,
        "expected_action": query.value("expected_action"),
    }
    call, grants = query.value("tool_call"), query.value("grants")
    if call is not None:
        scenario["tool_call"] = call
    if call is not None or grants is not None:
        scenario["external_grants"] = [
            {**grant, "expires_at": _time_text(grant["expires_at"], settings)} for grant in grants or []
        ]
    instant = instant_in_force(query, settings) if call is not None or query.value("as_of") is not None else None
    if instant is not None:
        stated = query.value("as_of")
        scenario["now"] = instant.iso() if stated is None else _time_text(stated, settings) or instant.iso()
    notes.extend(
        _d("query {id}: {name} is no part of a packet").format(id=query.id, name=name)
        for name in ("principal", "embedding", "recorded")
        if query.value(name) is not None and not (name == "principal" and _says_only(query, query.id))
    )
    scenario.update({name: value for name, value in query.effective().items() if name not in _QUERY_PLACED})
    _spread_meta(scenario, query.value("meta"))
    scenario["memory_store"] = [_memory(memory, query.id, notes) for memory in memories]
    return scenario


def _time_text(value: Any, settings: Settings) -> str | None:
    """A time as the evaluator can read it: the source's text where that is ISO 8601 and says all, else made so."""
    try:
        instant = parse_time(value, "time", settings.timezone)
        as_written = isinstance(value, str) and parse_time(value, "time").naive == instant.naive
    except FieldError:
        return None
    return value if as_written else instant.iso()


def _says_only(query: Query, scenario: str) -> bool:
    principal = query.value("principal")
    return isinstance(principal, Mapping) and list(principal.get("namespaces") or []) == [scenario]


def _memory(memory: Memory, scenario: str, notes: list[str]) -> dict[str, Any]:
    def note(what: str) -> None:
        notes.append(_d("memory {uid}: {what}").format(uid=memory.uid, what=what))

    item: dict[str, Any] = {"id": memory.id}
    for name, value in memory.effective().items():
        if name in _PLACED:
            continue
        if name == "governs" and governs_of(memory).malformed:
            note(_d("malformed governs is left out: {reason}").format(reason=governs_of(memory).reason))
        elif name == "allowed_action_hint" and action_word(value) is None:
            if value in (None, ""):
                note(_d("an allowed_action_hint without a value is left out"))
            else:
                note(
                    _d("allowed_action_hint {shorten} has no rank: written as {CAUTIOUS}").format(
                        shorten=shorten(value), CAUTIOUS=CAUTIOUS
                    )
                )
                item[name] = CAUTIOUS
        elif (name == "contradiction_count" and not readable_count(value)) or (
            name == "retrieval_terms" and not isinstance(value, list)
        ):
            note(_d("{name} {shorten} is left out").format(name=name, shorten=shorten(value)))
        else:
            item[_RENAMED.get(name, name)] = value
    if memory.value("embedding") is not None:
        note(_d("embedding is no part of a packet"))
    if any(owner != _key(scenario) for owner in _namespaces(memory)):
        note(_d("its namespace becomes the scenario's, {scenario}").format(scenario=scenario))
    _spread_meta(item, memory.value("meta"))
    item["text"] = memory.text
    return item


def _spread_meta(item: dict[str, Any], meta: Any) -> None:
    """Put the fields that we do not know back where the source had them; a field of ours is never overwritten."""
    if isinstance(meta, Mapping):
        for name, value in meta.items():
            item.setdefault(name, value)
