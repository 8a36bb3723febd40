"""The known fields of a memory and of a query: their types, their words, and the one check of a value (DESIGN 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from inspector.errors import FieldError
from inspector.i18n import N_, _
from inspector.times import parse_time

Scalar = str | int | float | bool | None
Namespace = str | list[str]
Kind = Literal["id", "text", "word", "time", "list", "number", "bool", "namespace", "object", "vector"]


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """One known field: its name, the kind of widget that edits it, the type its value must have, its known words.

    ``choices`` are the words that the design knows, offered by the editor; other words are allowed unless ``closed``.
    ``help`` says in a few words what the field means.
    """

    name: str
    kind: Kind
    type: Any
    help: str
    choices: tuple[str, ...] = ()
    closed: bool = False


CURRENT_WORDS = ("active", "current", "verified")
STALE_WORDS = ("stale", "expired", "deprecated")
ARCHIVED_WORDS = ("archived",)
SUPERSEDED_WORDS = ("superseded", "replaced", "invalidated")
FORGOTTEN_WORDS = ("deleted", "erased", "forgotten")
STATUS_WORDS = CURRENT_WORDS + STALE_WORDS + ARCHIVED_WORDS + SUPERSEDED_WORDS + FORGOTTEN_WORDS
BOUNDARY_STATES = ("active", "archived", "forgotten", "quarantined")
INTENTS = ("current", "history", "unknown")
#: Action words by rank (DESIGN 7).
ACTIONS = ("archive_only", "answer_context", "answer", "warn", "verify_first", "block")

_TIME = str | int | float | None
_WORDS = list[str] | None


def _specs(*specs: FieldSpec) -> dict[str, FieldSpec]:
    return {spec.name: spec for spec in specs}


MEMORY_FIELDS: dict[str, FieldSpec] = _specs(
    FieldSpec("id", "id", str, "id, unique in its namespace"),
    FieldSpec("text", "text", str, "what is remembered"),
    FieldSpec("namespace", "namespace", Namespace | None, "owner: a string or a list of segments"),
    FieldSpec("namespaces", "namespace", list[Namespace] | None, "several owners"),
    FieldSpec("session_id", "word", str | None, "session it was written in"),
    FieldSpec("semantic_tag", "word", str | None, "task or topic it belongs to"),
    FieldSpec("keys", "object", dict[str, Scalar] | None, "exact keys: user_id, task_id, …"),
    FieldSpec("status", "word", str | None, "the store's status label", STATUS_WORDS),
    FieldSpec("status_at", "time", _TIME, "when the status label was set"),
    FieldSpec("boundary_state", "word", str | None, "boundary state", BOUNDARY_STATES),
    FieldSpec("boundary_log", "object", list[dict[str, Any]] | None, "boundary marks: state, at, cause, query_id"),
    FieldSpec("created_at", "time", _TIME, "when it was stored"),
    FieldSpec("updated_at", "time", _TIME, "when it was last changed"),
    FieldSpec("valid_from", "time", _TIME, "from when it holds"),
    FieldSpec("valid_to", "time", _TIME, "until when it holds"),
    FieldSpec("superseded_by", "word", str | None, "id of the memory that replaced it"),
    FieldSpec("deleted_at", "time", _TIME, "when it was deleted"),
    FieldSpec("allowed_purposes", "list", _WORDS, "purposes it may be used for"),
    FieldSpec("sensitivity", "word", str | None, "how sensitive it is", ("low", "medium", "high", "critical")),
    FieldSpec("memory_type", "word", str | None, "kind of memory", ("context", "policy", "credential", "correction")),
    FieldSpec("verification_required", "bool", bool | None, "must be verified before use"),
    FieldSpec("allowed_action_hint", "word", str | None, "action its author allows", ACTIONS),
    FieldSpec("epistemic_status", "word", str | None, "how settled it is", ("settled", "unresolved", "contested")),
    FieldSpec("contradiction_count", "number", int | float | None, "contradictions known"),
    FieldSpec("priority", "word", str | int | float | None, "the store's priority"),
    FieldSpec("retrieval_terms", "list", _WORDS, "terms that should find it"),
    FieldSpec("governs", "object", Any, "operations it governs: any_terms, all_terms, excluded_terms, action_types"),
    FieldSpec("source", "word", str | None, "where it came from"),
    FieldSpec("plane", "word", str | None, "plane of the store: rows, vectors, …"),
    FieldSpec("embedding", "vector", list[float | None] | None, "its vector"),
    FieldSpec("loss", "list", _WORDS, "what the source could not say"),
    FieldSpec("meta", "object", dict[str, Any] | None, "fields that we do not know"),
)

#: Parts of a query's principal that can be read and assumed on their own.
PRINCIPAL_PARTS = ("principal.id", "principal.namespaces", "principal.roles")
QUERY_FIELDS: dict[str, FieldSpec] = _specs(
    FieldSpec("id", "id", str, "id"),
    FieldSpec("text", "text", str, "what was asked"),
    FieldSpec("principal", "object", dict[str, Any] | None, "who asks: id, namespaces, roles"),
    FieldSpec("session_id", "word", str | None, "authenticated session"),
    FieldSpec("claimed_session_id", "word", str | None, "session the client claimed"),
    FieldSpec("semantic_tag", "word", str | None, "task or topic of the question"),
    FieldSpec("purpose", "word", str | None, "what the answer is for"),
    FieldSpec("intent", "word", str | None, "current, history or unknown", INTENTS, closed=True),
    FieldSpec("as_of", "time", _TIME, "the instant the question is about"),
    FieldSpec("risk", "word", str | int | float | None, "risk: a number from 0 to 1, or a category"),
    FieldSpec("keys", "object", dict[str, Scalar] | None, "exact keys"),
    FieldSpec("required", "list", _WORDS, "ids of the evidence that it needs"),
    FieldSpec("expected_action", "word", str | None, "the right action"),
    FieldSpec("leak_targets", "list", _WORDS, "strings that must not be told"),
    FieldSpec("tool_call", "object", dict[str, Any] | None, "the operation that was requested"),
    FieldSpec("grants", "object", list[dict[str, Any]] | None, "grants that were in force"),
    FieldSpec("recorded", "object", dict[str, Any] | None, "what a trace recorded"),
    FieldSpec("embedding", "vector", list[float | None] | None, "its vector"),
    FieldSpec("meta", "object", dict[str, Any] | None, "fields that we do not know"),
)


class _Principal(msgspec.Struct, forbid_unknown_fields=False):
    id: str | None = None
    namespaces: list[Namespace] | None = None
    roles: list[str] | None = None


class _BoundaryMark(msgspec.Struct):
    state: str
    at: str | int | float | None = None
    cause: str | None = None
    query_id: str | None = None


class _Retrieved(msgspec.Struct):
    id: str
    namespace: Namespace | None = None
    score: float | None = None
    content_hash: str | None = None


class _Event(msgspec.Struct):
    retrieved: list[_Retrieved]
    name: str | None = None
    filter: Any = None
    score_kind: Literal["similarity", "distance", "unknown"] | None = None


class _Recorded(msgspec.Struct):
    events: list[_Event] | None = None
    exposed: list[str | dict[str, Any]] | None = None
    prompt: str | None = None
    recent_turns: list[Any] | str | None = None
    answer: str | None = None


_INNER: dict[str, Any] = {
    "principal": _Principal | None,
    "boundary_log": list[_BoundaryMark] | None,
    "recorded": _Recorded | None,
}
_WORDS_FOR_TYPES = {
    "id": N_("a text"),
    "text": N_("a text"),
    "word": N_("a text"),
    "time": N_("a time"),
    "list": N_("a list of texts"),
    "number": N_("a number"),
    "bool": N_("true or false"),
    "namespace": N_("a text or a list of texts"),
    "object": N_("an object"),
    "vector": N_("a list of numbers"),
}


def check_field(spec: FieldSpec, value: Any, timezone: str | None = None) -> None:
    """Refuse a value that the field cannot hold, with a FieldError that names what was expected.

    Used on import and on every edit, so that both accept the same. ``id`` and ``text`` must be texts; every other
    field may be null. Times must be readable (:func:`inspector.times.parse_time`), a closed word list is enforced.
    """
    try:
        msgspec.convert(value, spec.type)
        if spec.name in _INNER:
            msgspec.convert(value, _INNER[spec.name])
    except msgspec.ValidationError as error:
        raise FieldError(_dotted(spec.name, str(error)), _plain(str(error)), _WORDS_FOR_TYPES[spec.kind]) from None
    if spec.name == "id" and value == "":
        raise FieldError("id", _("the id is empty"), _("a text that is unique in its namespace"))
    if spec.kind == "time" and value not in (None, ""):
        parse_time(value, spec.name, timezone)
    if spec.name == "boundary_log" and value:
        for i, mark in enumerate(value):
            if mark.get("at") not in (None, ""):
                parse_time(mark["at"], f"boundary_log[{i}].at", timezone)
    if spec.closed and value not in (None, "") and value not in spec.choices:
        raise FieldError(
            spec.name, _("{value!r} is not known").format(value=value), _("one of ") + ", ".join(spec.choices)
        )


def _dotted(name: str, message: str) -> str:
    _, at, path = message.partition(" - at `$")
    return name + path.rstrip("`") if at else name


def _plain(message: str) -> str:
    return message.partition(" - at `$")[0].replace("`", "")
