"""From the spans of one trace to the ``recorded`` block of a query (DESIGN 2, 8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.formats.traces.parts import Part
from inspector.records import ABSENT, Origin

_TURNS = ("user", "human", "assistant", "ai", "model")
_ASKERS = ("user", "human")
_NAMES = ("query_id", "inspector.query_id", "queryId")


@dataclass(slots=True)
class TraceQuery:
    """What one trace says of a question: the id that it names for it (None where it names none), and the fields."""

    trace_id: str
    query_id: str | None
    text: str
    user: str | None
    session: str | None
    namespaces: list[Any] | None
    at: str | None
    recorded: dict[str, Any]
    origin: Origin
    nameless: int

    def fields(self, id: str) -> dict[str, Any]:
        """The fields of a query that the trace alone makes."""
        principal: dict[str, Any] = {} if self.user is None else {"id": self.user}
        if self.namespaces is not None:
            principal["namespaces"] = self.namespaces
        return {
            "id": id,
            "text": self.text,
            **({"principal": principal} if principal else {}),
            **({"session_id": self.session} if self.session is not None else {}),
            **({"as_of": self.at} if self.at is not None else {}),
            "recorded": self.recorded,
            "trace_id": self.trace_id,
        }


def build(trace_id: str, parts: Sequence[Part]) -> TraceQuery | None:
    """The query of one trace; None where no span retrieved anything and none called a model.

    Events stand in the order of their start. The prompt and the answer are those of the last model call that answered
    anything; what was asked is the input of the outermost span, else the retrieval's query, else the last message of
    the user.
    """
    ordered = sorted(parts, key=lambda part: (part.start is None, part.start or ""))
    retrievals = [part for part in ordered if part.kind in ("retrieval", "rerank")]
    model = _model(ordered)
    if model is None and not retrievals:
        return None
    recorded: dict[str, Any] = {"events": list(_events(retrievals))}
    if model is not None:
        recorded |= _prompt(model)
    operations = [part.operation for part in ordered if part.operation is not None]
    if operations:
        recorded["operations"] = operations
    root = _root(ordered)
    answer = (model.answer if model is not None else "") or (root.output if root.kind == "other" else "")
    if answer:
        recorded["answer"] = answer
        ended = model.end if model is not None else root.end
        recorded |= {"answer_at": ended} if ended is not None else {}
    return TraceQuery(
        trace_id=trace_id,
        query_id=next(
            (str(part.metadata[name]) for part in ordered for name in _NAMES if part.metadata.get(name)), None
        ),
        text=_asked(root, retrievals, model),
        user=_first(part.user for part in ordered),
        session=_first(part.session for part in ordered),
        namespaces=_namespaces(ordered),
        at=root.start or next((part.start for part in ordered if part.start is not None), None),
        recorded=recorded,
        origin=root.origin,
        nameless=sum(part.nameless for part in ordered),
    )


def _root(ordered: Sequence[Part]) -> Part:
    ids = {part.span_id for part in ordered}
    return next((part for part in ordered if part.parent_id is None or part.parent_id not in ids), ordered[0])


def _model(ordered: Sequence[Part]) -> Part | None:
    """The model call that gave the answer: of those that answered anything, the one that ended last."""
    calls = [part for part in ordered if part.kind == "model"]
    answered = [part for part in calls if part.answer] or calls
    return max(answered, key=lambda part: part.end or part.start or "", default=None)


def _events(retrievals: Sequence[Part]) -> Iterable[dict[str, Any]]:
    seen: set[str] = set()
    for part in retrievals:
        if part.kind == "rerank":
            yield from _reranked(part, seen)
        else:
            yield _event(part, part.name or "retrieval", part.documents)
        seen.update(_key(one) for one in (*part.documents, *part.inputs))


def _event(part: Part, name: str, items: list[dict[str, Any]]) -> dict[str, Any]:
    event: dict[str, Any] = {"name": name}
    if part.start is not None:
        event["at"] = part.start
    if part.filter is not ABSENT:
        event["filter"] = part.filter
    event["score_kind"] = part.score_kind
    if part.asked:
        event["query"] = part.asked
    event["retrieved"] = items
    return event


def _reranked(part: Part, seen: set[str]) -> Iterable[dict[str, Any]]:
    """A reranking: what it dropped stands beside what it returned; inputs that no retrieval brought come before it."""
    name = part.name or "rerank"
    strangers = [one for one in part.inputs if _key(one) not in seen]
    if strangers:
        yield {**_event(part, f"input of {name}", strangers), "kind": "rerank"}
    kept = {_key(one) for one in part.documents}
    event = {**_event(part, name, part.documents), "kind": "rerank"}
    dropped = [one for one in part.inputs if _key(one) not in kept]
    if dropped:
        event["dropped"] = dropped
    yield event


def _key(item: dict[str, Any]) -> str:
    return str(item["id"])


def _prompt(model: Part) -> dict[str, Any]:
    """The prompt as one text, and its turns before the question: no system messages, tools' results or the question."""
    recorded: dict[str, Any] = {}
    prompt = "\n".join(f"{one['role']}: {one['content']}" for one in model.messages) or model.prompt
    if prompt:
        recorded["prompt"] = prompt
        if model.start is not None:
            recorded["prompt_at"] = model.start
    last = max((place for place, one in enumerate(model.messages) if one["role"] in _ASKERS), default=-1)
    turns = [one for one in model.messages[: max(last, 0)] if one["role"] in _TURNS]
    if turns:
        recorded["recent_turns"] = turns
    return recorded


def _asked(root: Part, retrievals: Sequence[Part], model: Part | None) -> str:
    found = root.input if root.kind != "model" else ""
    found = found or next((part.asked for part in retrievals if part.asked), "")
    if not found and model is not None:
        found = next((one["content"] for one in reversed(model.messages) if one["role"] in _ASKERS), "")
    return found or (model.input or model.prompt if model is not None else "")


def _namespaces(ordered: Sequence[Part]) -> list[Any] | None:
    """The asker's namespaces, where metadata states them."""
    for part in ordered:
        value = part.metadata.get("namespaces")
        if isinstance(value, list) and value:
            return value
        if isinstance(value, str) and value:
            return [value]
    return None


def _first(values: Iterable[str | None]) -> str | None:
    return next((value for value in values if value is not None), None)
