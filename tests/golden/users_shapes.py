"""What a public report is made of: its store, who asks, and what must come of it; records of other projects' shapes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspector.formats import LoadOptions, load
from inspector.records import ABSENT, Bundle, Isolation
from tests.formats.importing import database

ASSUMED = {"status": "current", "policy": "allow"}
ANA = {"who": ["ana"]}
LATER = "2026-06-01T00:00:00Z"
HISTORY = (
    "CREATE TABLE history (id TEXT, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT, created_at DATETIME, "
    "updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT);"
)


@dataclass(frozen=True)
class Report:
    """A report: the store's files by name, who asks what, and what must come of it.

    ``files`` values are written as JSON, texts as they are; ``.db`` files are SQL scripts. ``axes`` are the expected
    signs by memory id, ``because`` words of the deciding reason, ``note`` words of the load's notes.
    """

    thread: str
    files: Mapping[str, Any]
    asked: Mapping[str, Any] = field(default_factory=dict)
    axes: Mapping[str, str] = field(default_factory=dict)
    because: tuple[str, str, str] | None = None
    note: str = ""
    assume: Mapping[str, Any] = field(default_factory=dict)
    mapping: str = ""
    policy: str = ""
    isolation: Isolation = "namespace"
    why: str = ""

    def written(self, folder: Path) -> tuple[Path, dict[str, Path]]:
        """The store's path (the one file, else the folder) and the paths of mapping and policy."""
        store = folder / "store"
        store.mkdir()
        for name, content in self.files.items():
            file = store / name
            file.parent.mkdir(parents=True, exist_ok=True)
            if name.endswith(".db"):
                database(file, content)
            else:
                file.write_text(content if isinstance(content, str) else json.dumps(content))
        beside: dict[str, Path] = {}
        for name, text in (("mapping", self.mapping), ("policy", self.policy)):
            if text:
                beside[name] = folder / f"{name}.toml"
                beside[name].write_text(text)
        single = store / next(iter(self.files))
        return (single if len(self.files) == 1 and single.parent == store else store), beside

    def loaded(self, folder: Path) -> Bundle:
        path, beside = self.written(folder)
        options = LoadOptions(assume=self.assume, mapping=beside.get("mapping"), policy=beside.get("policy"))
        bundle = load([path], options)
        bundle.settings = bundle.settings.with_(isolation=self.isolation)
        return bundle


def item(owner: Any, text: str = "fact", **more: Any) -> dict[str, Any]:
    """A memory of mem0's."""
    made = {"id": "m1", "memory": text, "hash": "5f", "created_at": "2026-01-05T08:00:00+00:00", **more}
    return made if owner is ABSENT else {**made, "user_id": owner}


def edge(**more: Any) -> dict[str, Any]:
    """An edge of Graphiti's."""
    made = {"uuid": "e1", "group_id": "ana", "source_node_uuid": "n1", "target_node_uuid": "n2", "name": "LIKES"}
    times = {"created_at": "2026-01-01T00:00:00Z", "valid_at": "2026-01-01T00:00:00Z"}
    return {**made, **times, "fact": "Ana likes tea", "invalid_at": None, "expired_at": None, **more}


def point(number: int, **payload: Any) -> dict[str, Any]:
    """A point of Qdrant's."""
    return {"id": number, "payload": {"text": f"fact {number}", **payload}}


def langgraph(*namespace: str, key: str = "k1", content: str = "fact") -> dict[str, Any]:
    """An item of LangGraph's store."""
    time = "2026-01-05T08:00:00+00:00"
    return {
        "namespace": list(namespace),
        "key": key,
        "value": {"content": content},
        "created_at": time,
        "updated_at": time,
    }


def mapped(**fields: str) -> str:
    """A mapping of plain fields."""
    return "[memories.fields]\n" + "".join(f'"{name}" = "{path}"\n' for name, path in fields.items())
