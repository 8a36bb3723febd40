"""An explanation as text for a terminal: the same object that ``why --json`` prints, in lines (DESIGN 3, 12)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from inspector.records import AXES
from inspector.text import visible

_SIGNS = {"admit": "✓", "exclude": "✗", "unresolved": "?"}


def show_value(presence: str, value: Any) -> str:
    """A field's value for people: absent, null and empty are told apart, texts stand in quotes."""
    if presence in ("absent", "null"):
        return f"∅ {presence}"
    shown = json.dumps(value, ensure_ascii=False)
    if presence == "empty":
        return f"{shown} (empty)"
    return shown if len(shown) <= 200 else f"{shown[:199]}…"


def _read(read: Mapping[str, Any]) -> str:
    return f"{read['of']}.{read['field']} = {show_value(read['presence'], read['value'])}  ({read['origin']})"


def _axis(name: str, axis: Mapping[str, Any]) -> Iterator[str]:
    marks = "".join(f" [{mark}]" for mark in ("assumed", "judged") if axis[mark])
    yield f"{name:<10} {axis['value']}  {axis['reason']}{marks}"
    for read in axis["reads"]:
        yield f"             {_read(read)}"
    if axis["missing"]:
        yield f"             missing: {', '.join(axis['missing'])}"


def _lines(why: Mapping[str, Any]) -> Iterator[str]:
    verdict = why["verdict"]
    yield f"{_SIGNS[verdict]} {verdict}: memory {why['memory_id']} for query {why['query_id']}  ({why['origin']})"
    rank = f"rank {why['rank']}, score {why['score']}" if why["rank"] else "not retrieved"
    yield f"{rank} on route {why['route']}"
    if why["decided_by"]:
        yield f"decided by {', '.join(why['decided_by'])}"
    yield ""
    for name in (*AXES, "relevance"):
        yield from _axis(name, why[name])
    yield f"usable     {why['usable']}"
    state, intent = why["table_cell"]
    yield f"state {state} × intent {intent}"
    for note in why["notes"]:
        yield f"note: {note}"
    if why["unread"]:
        yield ""
        yield "present, read by no rule:"
        for read in why["unread"]:
            yield f"  {_read(read)}"
    for target, search in why["flips"].items():
        yield ""
        yield f"smallest edits that make the verdict {target}:"
        for flip in search["sets"]:
            yield f"  {flip['words']}"
        if search["note"]:
            yield f"  {search['note']}"
    yield ""
    for step in why["trail"]:
        value = "–" if step["value"] is None else step["value"]
        yield f"{step['step']:<10} {value}  {step['detail']}"


def why_text(why: Mapping[str, Any]) -> str:
    """The lines of one explanation, safe to print; ``why`` is the object of :func:`inspector.rows.why`."""
    return "\n".join(visible(line) for line in _lines(why))
