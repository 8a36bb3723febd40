"""Writing samples of other projects' formats, and judging what came of them."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from inspector.axes import AxisEngine
from inspector.formats import FORMATS, LoadOptions, load
from inspector.records import Bundle, Origin, Query
from inspector.trit import Trit


def write(path: Path, value: Any) -> Path:
    """A JSON document."""
    path.write_text(json.dumps(value))
    return path


def lines(path: Path, *values: Any) -> Path:
    """JSON Lines."""
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path


def database(path: Path, script: str) -> Path:
    """An SQLite file made by a script."""
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.commit()
    connection.close()
    return path


def example(name: str, folder: Path) -> Path:
    """The example that ``inspector formats`` shows, as the file or folder that it stands for."""
    text = next(one.example for one in FORMATS if one.name == name)
    if text.startswith("CREATE TABLE"):
        return database(folder / "example", text)
    head, newline, rest = text.partition("\n")
    if newline and head.endswith(".md:"):
        file = folder / head.removesuffix(":")
        file.parent.mkdir(parents=True)
        file.write_text(rest)
        return file.parents[1] if name == "letta-memory" else folder
    (folder / "example").write_text(text)
    return folder / "example"


def imported(path: Path, **options: Any) -> Bundle:
    """The bundle that a source gives."""
    return load([path], LoadOptions(**options))


def axes(bundle: Bundle, memory_id: str, **query: Any) -> str:
    """Scope, policy, lifecycle and verdict of one memory for one query, as ``0?1`` signs.

    ``who`` is the principal's namespaces; every other keyword is a field of the query.
    """
    fields: dict[str, Any] = {"id": "q", "text": "?", "intent": "current", **query}
    if "who" in fields:
        fields["principal"] = {"namespaces": fields.pop("who")}
    asked = Query(fields, Origin("test"))
    index = next(i for i, memory in enumerate(bundle.memories) if memory.id == memory_id)
    found = AxisEngine(bundle.memories, [asked], [], bundle.settings).explain(index, 0)
    values = (found.scope.value, found.policy.value, found.lifecycle.value, found.verdict)
    return "".join(Trit(value).symbol for value in values)


def causes(bundle: Bundle, memory_id: str, axis: str, **query: Any) -> str:
    """The reason of one axis in words."""
    fields: dict[str, Any] = {"id": "q", "text": "?", "intent": "current", **query}
    if "who" in fields:
        fields["principal"] = {"namespaces": fields.pop("who")}
    index = next(i for i, memory in enumerate(bundle.memories) if memory.id == memory_id)
    engine = AxisEngine(bundle.memories, [Query(fields, Origin("test"))], [], bundle.settings)
    return str(getattr(engine.explain(index, 0), axis).reason)
