"""Sentences: an explanation in lines, what an edit moved, an edit in words (DESIGN 3, 10, 12).

What comes from the store is passed on as it is, except by :func:`why_text`, whose result is safe to print.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspector.records import AXES, presence_of
from inspector.text import visible
from inspector.trit import Trit
from inspector.views import Flip

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


def share(value: float | None) -> str:
    """A share as the screens write it: two decimals without the leading zero; "–" where there is none."""
    if value is None:
        return "–"
    text = f"{value:.2f}"
    return text[1:] if text.startswith("0.") else text


def change_sentence(flips: Sequence[Flip], recall_before: float | None, recall_after: float | None) -> str:
    """The one line that says what an edit moved across all queries (DESIGN 10)."""
    if flips:
        queries = len({flip.qi for flip in flips})
        moved = Counter(flip.after for flip in flips)
        moved.subtract(Counter(flip.before for flip in flips))
        words = {Trit.YES: "admitted", Trit.NO: "excluded", Trit.UNKNOWN: "unresolved"}
        net = ", ".join(f"{'+' if n > 0 else '−'}{abs(n)} {words[v]}" for v in words if (n := moved[v]))
        said = f"flips {_many(len(flips), 'verdict', 'verdicts')} in {_many(queries, 'query', 'queries')}"
        said += f": {net}" if net else ""
    else:
        said = "no verdict flips"
    if recall_before != recall_after:
        said += f"; recall {share(recall_before)} → {share(recall_after)}"
    return said


def _many(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"


def edit_words(kind: str, target: Sequence[str], field: str, old: Any, new: Any) -> str:
    """One edit in words: what it belongs to, the field, the value before and after."""
    if kind == "setting":
        owner = "setting"
    elif kind == "judgment":
        owner = f"judgment of memory {target[-1]} for query {target[0]}"
    else:
        owner = f"{kind} {target[-1]}"
    before, after = (show_value(presence_of(value).value, value) for value in (old, new))
    return f"{owner}: {field} {before} → {after}"
