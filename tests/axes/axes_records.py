"""Records for the tests of the axes, in as few words as possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.axes import AxisEngine, Explanation
from inspector.records import Judgment, Memory, Origin, Query, Settings
from inspector.times import Instant, parse_time
from inspector.trit import Trit


def memory(id: str = "m1", **fields: Any) -> Memory:
    return Memory({"id": id, "text": f"text of {id}", **fields}, Origin("memories.jsonl", 1))


def query(id: str = "q1", namespaces: Sequence[Any] | None = None, **fields: Any) -> Query:
    principal = {} if namespaces is None else {"principal": {"id": "asker", "namespaces": list(namespaces)}}
    return Query({"id": id, "text": f"text of {id}", **principal, **fields}, Origin("queries.jsonl", 1))


def judgment(axis: Any, value: Trit, source: str = "reviewer", **fields: Any) -> Judgment:
    given = {"query_id": "q1", "memory_id": "m1", "namespace": None, **fields}
    return Judgment(axis=axis, value=value, source=source, origin=Origin("judgments.jsonl", 1), **given)


def instant(text: str) -> Instant:
    return parse_time(text, "time")


def engine(
    memories: Sequence[Memory] | Memory,
    queries: Sequence[Query] | Query,
    judgments: Sequence[Judgment] = (),
    settings: Settings | None = None,
    **changes: Any,
) -> AxisEngine:
    stored = [memories] if isinstance(memories, Memory) else memories
    asked = [queries] if isinstance(queries, Query) else queries
    return AxisEngine(stored, asked, list(judgments), (settings or Settings()).with_(**changes))


def why(
    memories: Sequence[Memory] | Memory, one: Query, judgments: Sequence[Judgment] = (), **changes: Any
) -> Explanation:
    """The explanation of the first memory, after checking that the vectorised values say the same."""
    built = engine(memories, one, judgments, **changes)
    found = built.explain(0, 0)
    for axis in ("scope", "policy", "lifecycle", "relevance"):
        assert getattr(built, axis)([0], [0]).tolist() == [int(getattr(found, axis).value)], axis
    assert built.admissible([0], [0]).tolist() == [int(found.verdict)]
    assert built.usable([0], [0]).tolist() == [int(found.usable)]
    return found


def edit(record: Memory | Query, edits: Mapping[str, Any]) -> None:
    record.edits.update(edits)
