"""The records: memory, query, judgment, and the bundle that holds them (DESIGN 2).

A record keeps its fields as the source wrote them. A key that is absent, null, empty or has a value are four
different things (:class:`Presence`); only a value can make a test 1 or 0. Edits lie over the source's fields and never
replace them.
"""

from __future__ import annotations

import enum
import functools
import json
import sys
from collections.abc import Callable, Iterable, KeysView, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, Self

from inspector.errors import Problem
from inspector.fields import ACTIONS as ACTIONS
from inspector.fields import ARCHIVED_WORDS as ARCHIVED_WORDS
from inspector.fields import BOUNDARY_STATES as BOUNDARY_STATES
from inspector.fields import CURRENT_WORDS as CURRENT_WORDS
from inspector.fields import FORGOTTEN_WORDS as FORGOTTEN_WORDS
from inspector.fields import INTENTS as INTENTS
from inspector.fields import MEMORY_FIELDS as MEMORY_FIELDS
from inspector.fields import PRINCIPAL_PARTS as PRINCIPAL_PARTS
from inspector.fields import QUERY_FIELDS as QUERY_FIELDS
from inspector.fields import STALE_WORDS as STALE_WORDS
from inspector.fields import STATUS_WORDS as STATUS_WORDS
from inspector.fields import SUPERSEDED_WORDS as SUPERSEDED_WORDS
from inspector.fields import FieldSpec as FieldSpec
from inspector.fields import Kind as Kind
from inspector.fields import Namespace as Namespace
from inspector.fields import Scalar as Scalar
from inspector.fields import check_field as check_field
from inspector.packing import Packer, Shape
from inspector.times import Instant, parse_time
from inspector.trit import Trit

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
            return _key_of(value)
    return ""


def _key_of(value: Any) -> str:
    return _key_of_text(value) if type(value) is str else sys.intern(_compact_json(value))


@functools.lru_cache(maxsize=65_536)
def _key_of_text(value: str) -> str:
    return sys.intern(_compact_json(value))


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


class Record:
    """Fields as the source wrote them, the edits that lie over them, and the place in the source.

    ``fields`` holds only keys that the source has; ``edits`` maps a field to its edited value, :data:`ABSENT` for a
    removed key. Only the overlay of edits writes ``edits``.
    """

    # A million records without an edit are 70 MiB smaller if the dict of edits is made when it is first asked for. Of
    # a packed record the shape knows the file, and the place in it is the line alone.
    __slots__ = ("_edits", "_place", "_shape", "_values")

    def __init__(self, fields: dict[str, Any], origin: Origin, edits: dict[str, Any] | None = None) -> None:
        self._values: Any = fields
        self._shape: Shape | None = None
        self._place: Origin | int | None = origin
        self._edits = edits

    def __repr__(self) -> str:
        return f"{type(self).__name__}({dict(self.fields)!r}, {self.origin!r}, {self._edits!r})"

    @property
    def fields(self) -> Mapping[str, Any]:
        """The source's fields, to read: of a packed record they are made anew, so look a single one up with
        :meth:`source`."""
        fields: dict[str, Any] = self._values if self._shape is None else self._shape.fields(self._values)
        return fields

    @property
    def names(self) -> KeysView[str]:
        """The keys that the source has, in its order."""
        names: dict[str, Any] = self._values if self._shape is None else self._shape.places
        return names.keys()

    @property
    def origin(self) -> Origin:
        """The place in the source."""
        place = self._place
        if isinstance(place, Origin):
            return place
        return Origin("" if self._shape is None else self._shape.file, place)

    def pack(self, packer: Packer) -> None:
        """Keep the same fields in less memory, with a packer that has packed the store's other records."""
        packed = None if self._shape is not None else packer.pack(self._values, self.origin.file)
        if packed is not None:
            self._place = self.origin.line
            self._shape, self._values = packed

    def rewrite(self, fields: dict[str, Any], origin: Origin | None = None) -> None:
        """Put other fields in the place of the source's: for a reader that learns more of a record it has read."""
        self._place, self._values, self._shape = origin or self.origin, fields, None

    def edited(self, edits: dict[str, Any]) -> Self:
        """Another record of the same source's fields with these edits over them."""
        made = type(self)(self._values, self.origin, edits)
        made._shape, made._place = self._shape, self._place
        return made

    def unedited(self) -> Self:
        """Another record of the same source's fields without an edit."""
        made = self.edited({})
        made._edits = None
        return made

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
        return str(self.source("id"))

    @property
    def text(self) -> str:
        """The text in force, edits included."""
        return str(self.get("text"))

    def source(self, name: str) -> Any:
        """The source's value, whatever lies over it, else :data:`ABSENT`."""
        shape = self._shape
        if shape is None:
            return self._values.get(name, ABSENT)
        place = shape.places.get(name)
        return ABSENT if place is None else shape.value(self._values, place)

    def get(self, name: str) -> Any:
        """The value in force: the edit where there is one, else the source's, else :data:`ABSENT`."""
        edits = self._edits
        if edits and name in edits:
            return edits[name]
        return self.source(name)

    def value(self, name: str) -> Any:
        """The value in force where it is a value, else None: for tests that only a value can decide."""
        value = self.get(name)
        return value if presence_of(value) is Presence.VALUE else None

    def effective(self) -> dict[str, Any]:
        """All fields in force, source order first; removed keys are left out."""
        merged = {**self.fields, **(self._edits or {})}
        return {name: value for name, value in merged.items() if value is not ABSENT}


class Memory(Record):
    """A stored memory; field names and types are :data:`MEMORY_FIELDS`."""

    __slots__ = ()

    @property
    def uid(self) -> Uid:
        """The memory's identity: that of the source, whatever was edited."""
        return Uid(self.owner_key, self.id)

    @property
    def owner_key(self) -> str:
        """The namespace of :attr:`uid`."""
        for name in ("namespace", "namespaces"):
            value = self.source(name)
            if presence_of(value) is Presence.VALUE:
                return _key_of(value)
        return ""


class Query(Record):
    """A question asked of the store; field names and types are :data:`QUERY_FIELDS`."""

    __slots__ = ()


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
