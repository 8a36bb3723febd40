"""Authority packets: scenarios for the execution gate, each with a store of its own.

The scenario's id is the namespace of its memories, the query's id, and the query's one namespace.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from inspector.errors import FieldError, InspectorError
from inspector.formats.base import Format, Watch, at, name_of
from inspector.formats.collect import Collector
from inspector.formats.decode import check_tree
from inspector.formats.rows import read_rows
from inspector.formats.sniff import sniff
from inspector.i18n import D_, _

FORMAT = Format(
    name="authority-packet",
    summary="a JSON file of scenarios, each with a query and a memory_store, or a folder of such files",
    recognised_by="a JSON object with scenarios; *.expected.json beside them are left alone",
    example='{"scenarios": [{"id": "pay", "query": "Can you pay invoice 7?", "expected_action": "verify_first", '
    '"memory_store": [{"role": "target", "text": "Invoices over 1000 need approval.", "status": "active"}]}]}',
    loss="no times, sessions or purposes, and no owner but the scenario; what a file says of itself "
    "(schema_version, description, action_classes) is not read",
    scope="the scenario",
    policy="rules of --policy over sensitivity, memory_type, …; what governs is the gate's to read",
    lifecycle="status, valid_from, valid_to, superseded_by as a record has them",
)
#: What the packets' own evaluation fixes for their lexical routes.
SETTINGS: dict[str, Any] = {"tokenizer": "packet", "lexical_text": "text"}
_RENAMED = {"resource_sensitivity": "sensitivity"}
_RENAMED_QUERY = {"query": "text", "external_grants": "grants", "now": "as_of"}


def find(path: Path) -> tuple[Path, ...]:
    """The packet files at a path; none where it is something else."""
    if path.is_file():
        return (path,) if sniff(path).kind == "authority-packet" else ()
    return tuple(
        file
        for file in sorted(path.glob("*.json"))
        if not file.name.endswith(".expected.json") and file.is_file() and _is_packet(file)
    )


def _is_packet(file: Path) -> bool:
    try:
        return sniff(file).kind == "authority-packet"
    except InspectorError:
        return False


def read(files: tuple[Path, ...], collector: Collector, watch: Watch) -> None:
    """Read the files that :func:`find` gave."""
    for file in files:
        name = name_of(file)
        for raw in read_rows(file, name, "json", watch, collector.fault, frozenset((("scenarios",),))):
            if raw.section != "scenarios":
                continue
            if raw.whole:
                error = FieldError("scenarios", _("is not a list"), _("a list of scenarios"))
                raise at(error, name, raw.origin.line)
            try:
                _check(raw.value)
                if raw.suspect:
                    check_tree(raw.value)
            except FieldError as error:
                collector.fault(at(error, name, raw.origin.line))
                continue
            scenario = raw.value
            for i, memory in enumerate(_memories(scenario)):
                collector.memory(memory, raw.origin, where=f"memory_store[{i}]")
            collector.query(_query(scenario), raw.origin)
    collector.mapped.update(
        {
            "scenarios.id": "namespace, query.id, query.principal.namespaces",
            "scenarios.query": "query.text",
            "scenarios.external_grants": "query.grants",
            "scenarios.now": "query.as_of",
            "memory_store.role": D_("id (where there is none)"),
            "memory_store.resource_sensitivity": "sensitivity",
        }
    )


def _check(scenario: Any) -> None:
    if not isinstance(scenario, dict):
        raise FieldError("", _("is not an object"), _("a scenario with id, query and memory_store"))
    for key in ("id", "query"):
        if not isinstance(scenario.get(key), str) or not scenario[key]:
            raise FieldError(key, _("is missing") if key not in scenario else _("is not a text"), "a text")
    store = scenario.get("memory_store")
    if not isinstance(store, list):
        raise FieldError(
            "memory_store", _("is missing") if store is None else _("is not a list"), _("a list of memories")
        )
    for i, memory in enumerate(store):
        where = f"memory_store[{i}]"
        if not isinstance(memory, dict):
            raise FieldError(where, _("is not an object"), _("a memory with role and text"))
        if "id" not in memory and not (isinstance(memory.get("role"), str) and memory["role"]):
            raise FieldError(f"{where}.id", _("is missing, and there is no role to name it by"), _("an id or a role"))


def _memories(scenario: dict[str, Any]) -> list[dict[str, Any]]:
    roles: Counter[str] = Counter()
    made: list[dict[str, Any]] = []
    for raw in scenario["memory_store"]:
        memory = {_RENAMED.get(key, key): value for key, value in raw.items()}
        if "id" not in memory:
            role = memory["role"]
            roles[role] += 1
            suffix = f"_{roles[role]}" if roles[role] > 1 else ""
            memory = {"id": f"{scenario['id']}::{role}{suffix}", **memory}
        made.append({**memory, "namespace": scenario["id"]})
    return made


def _query(scenario: dict[str, Any]) -> dict[str, Any]:
    made = {_RENAMED_QUERY.get(key, key): value for key, value in scenario.items() if key != "memory_store"}
    return {**made, "principal": {"namespaces": [scenario["id"]]}}
