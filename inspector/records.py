"""The records: memory, query, judgment, and the bundle that holds them (DESIGN 2).

A record keeps its fields as the source wrote them. A key that is absent, null, empty or has a value are four
different things (:class:`Presence`); only a value can make a test 1 or 0. Edits lie over the source's fields and never
replace them.
"""

from __future__ import annotations

import enum
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import msgspec

from inspector.errors import FieldError, Problem
from inspector.i18n import N_, _
from inspector.times import Instant, parse_time
from inspector.trit import Trit

Scalar = str | int | float | bool | None
Namespace = str | list[str]
Axis = Literal["scope", "policy", "lifecycle"]
AXES: tuple[Axis, ...] = ("scope", "policy", "lifecycle")


class Presence(enum.Enum):
    """What a key holds: nothing at all, null, an empty value, or a value (DESIGN 2)."""

    ABSENT = "absent"
    NULL = "null"
    EMPTY = "empty"
    VALUE = "value"


class _Absent(enum.Enum):
    ABSENT = "absent"

    def __repr__(self) -> str:
        return "ABSENT"


#: The value of a key that is not there. Never stored in ``fields``; in ``edits`` it means "key removed".
ABSENT = _Absent.ABSENT


def presence_of(value: Any) -> Presence:
    """Which of the four a value is; ``""``, ``[]`` and ``{}`` are empty, ``0`` and ``False`` are values."""
    if value is ABSENT:
        return Presence.ABSENT
    if value is None:
        return Presence.NULL
    if isinstance(value, str | list | dict | tuple) and len(value) == 0:
        return Presence.EMPTY
    return Presence.VALUE


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a record stands in its source: the file's name as given and the line from 1, or None without lines."""

    file: str
    line: int | None = None

    def __str__(self) -> str:
        return self.file if self.line is None else f"{self.file}:{self.line}"


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


class Uid(NamedTuple):
    """A memory's identity: its namespace as canonical JSON text ("" where there is none) and its id (DESIGN 2).

    Sorts as the tie-break of every ranking. It is the identity at import: editing ``namespace`` does not change it.
    """

    namespace: str
    id: str

    def __str__(self) -> str:
        return f"{show_namespace_key(self.namespace)}/{self.id}" if self.namespace else self.id


#: One encoder for all: ``json.dumps`` with arguments builds a new one at every call.
_compact_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def namespace_key(fields: Mapping[str, Any]) -> str:
    """Canonical JSON text of the record's namespace, or else of its namespaces; "" where neither has a value."""
    for name in ("namespace", "namespaces"):
        value = fields.get(name)
        if presence_of(value) is Presence.VALUE:
            return sys.intern(_compact_json(value))
    return ""


def show_namespace(value: Any) -> str:
    """A namespace for people: a string as it is, a list's segments joined by " / ", several owners by " + "."""
    if isinstance(value, list):
        if any(isinstance(part, list) for part in value):
            return " + ".join(show_namespace(part) for part in value)
        return " / ".join(str(part) for part in value)
    return "" if value is None or value is ABSENT else str(value)


def show_namespace_key(key: str) -> str:
    """:func:`show_namespace` of a :attr:`Uid.namespace`."""
    return show_namespace(json.loads(key)) if key else ""


@dataclass(slots=True, eq=False)
class Record:
    """Fields as the source wrote them, the edits that lie over them, and the place in the source.

    ``fields`` holds only keys that the source has; ``edits`` maps a field to its edited value, :data:`ABSENT` for a
    removed key. Only the overlay of edits writes ``edits``.
    """

    fields: dict[str, Any]
    origin: Origin
    # Made when it is first asked for: a million records without an edit are 70 MiB smaller without it.
    _edits: dict[str, Any] | None = field(default=None, repr=False)

    @property
    def edits(self) -> dict[str, Any]:
        """The edits over the fields; to be changed in place."""
        if self._edits is None:
            self._edits = {}
        return self._edits

    @property
    def is_edited(self) -> bool:
        """Whether an edit lies over a field."""
        return bool(self._edits)

    @property
    def id(self) -> str:
        """The record's id; never edited."""
        return str(self.fields["id"])

    @property
    def text(self) -> str:
        """The text in force, edits included."""
        return str(self.get("text"))

    def get(self, name: str) -> Any:
        """The value in force: the edit where there is one, else the source's, else :data:`ABSENT`."""
        edits = self._edits
        if edits and name in edits:
            return edits[name]
        return self.fields.get(name, ABSENT)

    def value(self, name: str) -> Any:
        """The value in force where it is a value, else None: for tests that only a value can decide."""
        value = self.get(name)
        return value if presence_of(value) is Presence.VALUE else None

    def effective(self) -> dict[str, Any]:
        """All fields in force, source order first; removed keys are left out."""
        merged = {**self.fields, **(self._edits or {})}
        return {name: value for name, value in merged.items() if value is not ABSENT}


@dataclass(slots=True, eq=False)
class Memory(Record):
    """A stored memory; field names and types are :data:`MEMORY_FIELDS`."""

    uid: Uid = field(init=False)

    def __post_init__(self) -> None:
        self.uid = Uid(namespace_key(self.fields), self.id)


@dataclass(slots=True, eq=False)
class Query(Record):
    """A question asked of the store; field names and types are :data:`QUERY_FIELDS`."""


@dataclass(frozen=True, slots=True)
class Judgment:
    """A released or human label for one query and memory on one axis (DESIGN 2); ``namespace`` may be ABSENT."""

    query_id: str
    memory_id: str
    namespace: Any
    axis: Literal["scope", "policy", "lifecycle", "relevance"]
    value: Trit
    source: str
    origin: Origin


@dataclass(frozen=True, slots=True)
class FieldRead:
    """A field that a test read: whose it is, its name, what was there, and where the value came from.

    ``origin`` is the source's file and line, "edit", "judgment by …", "assumption" or "bundle.toml".
    """

    owner: Literal["memory", "query", "bundle"]
    name: str
    value: Any
    origin: str

    @property
    def presence(self) -> Presence:
        """Which of absent, null, empty and value was there."""
        return presence_of(self.value)


def read_field(record: Record, name: str, assumptions: Mapping[str, Any] | None = None) -> FieldRead:
    """The value in force with its origin. A missing value is taken as assumed where the user declared it (DESIGN 3).

    Assumptions on queries are keyed ``query.FIELD``, those on memories by the field's name.
    """
    owner: Literal["memory", "query"] = "query" if isinstance(record, Query) else "memory"
    value = record.get(name)
    key = f"query.{name}" if owner == "query" else name
    if assumptions and key in assumptions and presence_of(value) is not Presence.VALUE:
        return FieldRead(owner, name, assumptions[key], "assumption")
    return FieldRead(owner, name, value, "edit" if name in record.edits else str(record.origin))


Isolation = Literal["namespace", "session", "namespace+session"]


@dataclass(frozen=True, slots=True)
class Settings:
    """What a bundle or the user fixes for the whole evaluation (DESIGN 2, 3).

    ``aliases`` are groups of ids of one owner. ``exported_at`` is the default ``as_of`` and the time that undated
    labels speak for. ``assumptions`` map a field (or ``policy``, or ``query.FIELD``) to what a missing value is taken
    as. ``policy`` is the text of policy.toml, ``policy_file`` its name for messages; ``calibration`` is that of
    calibration.toml, of the decision layer.
    """

    timezone: str | None = None
    exported_at: Instant | None = None
    default_as_of: Instant | None = None
    isolation: Isolation = "namespace"
    unknown_intent: Literal["join", "strict"] = "join"
    shared_namespaces: tuple[Any, ...] = ()
    aliases: tuple[tuple[str, ...], ...] = ()
    assumptions: Mapping[str, Any] = field(default_factory=dict)
    policy: str = ""
    policy_file: str = "policy.toml"
    calibration: str = ""
    calibration_file: str = "calibration.toml"
    route: str | None = None
    lexical_text: Literal["text", "metadata"] = "text"
    tokenizer: Literal["unicode", "packet"] = "unicode"

    def with_(self, **changes: Any) -> Settings:
        """A copy with some of them changed."""
        return replace(self, **changes)


@dataclass(slots=True)
class FieldAccount:
    """What an import did with the source's fields, for the user to check (issue of mapping: mapped, meta, missing).

    Each is a count of records by field: ``mapped`` source path → field, ``kept`` in ``meta``, ``missing`` known
    fields that the axes read and that no record has a value for.
    """

    mapped: dict[str, str] = field(default_factory=dict)
    kept: dict[str, int] = field(default_factory=dict)
    missing: tuple[str, ...] = ()


@dataclass(slots=True)
class Bundle:
    """A loaded source: its records, settings, and an honest account of the load."""

    memories: list[Memory]
    queries: list[Query]
    judgments: list[Judgment]
    settings: Settings
    name: str
    format: str
    account: FieldAccount = field(default_factory=FieldAccount)
    skipped: list[Problem] = field(default_factory=list)
    repeated: int = 0
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Progress:
    """One report of a long piece of work: what, how many of how many (None where the total is unknown)."""

    what: str
    done: int
    total: int | None
    unit: str = "records"


OnProgress = Callable[[Progress], None]


def default_as_of(memories: Iterable[Memory], exported_at: Instant | None, timezone: str | None) -> Instant | None:
    """The ``as_of`` of a query that states none: ``exported_at``, else the latest time in the store (DESIGN 2)."""
    if exported_at is not None:
        return exported_at
    latest: Instant | None = None
    for memory in memories:
        for name in ("created_at", "updated_at", "status_at", "deleted_at"):
            value = memory.value(name)
            if value is not None:
                instant = parse_time(value, name, timezone)
                if latest is None or instant.us > latest.us:
                    latest = instant
    return latest


def resolve_ids(by_id: Mapping[str, Sequence[int]], wanted: Sequence[str], preferred: set[int]) -> list[int]:
    """Indices of the memories that bare ids mean: those in ``preferred`` where an id is not unique, else all of it.

    An id that is not stored gives nothing: the caller counts it as required and never retrieved.
    """
    found: list[int] = []
    for memory_id in wanted:
        indices = by_id.get(memory_id, ())
        near = [index for index in indices if index in preferred]
        found.extend(near if near and len(indices) > 1 else indices)
    return found
