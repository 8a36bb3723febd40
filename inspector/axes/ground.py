"""What every axis stands on: settings, assumptions, and the one way to read a field (DESIGN 2, 3)."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from inspector.errors import FieldError, InputError
from inspector.i18n import _, _d
from inspector.records import (
    ABSENT,
    INTENTS,
    MEMORY_FIELDS,
    PRINCIPAL_PARTS,
    QUERY_FIELDS,
    FieldRead,
    FieldSpec,
    Memory,
    Presence,
    Query,
    Record,
    Settings,
    check_field,
    default_as_of,
    presence_of,
    read_field,
)
from inspector.times import Instant, parse_time

#: Stands for the asker's id in an assumption about the asker's namespaces: who asks owns what is named after them.
ASKER = "{principal.id}"
_YES_WORDS = {"true": True, "false": False, "1": True, "0": False}


def _typed(spec: FieldSpec, value: Any) -> Any:
    """An assumption as given on a command line (a text) in the type that its field has."""
    if not isinstance(value, str):
        return value
    if spec.kind == "list" or spec.name == "namespaces":
        return [part.strip() for part in value.split(",") if part.strip()]
    if spec.kind == "bool":
        return _YES_WORDS.get(value.lower(), value)
    if spec.kind == "number":
        try:
            return float(value)
        except ValueError:
            return value
    return value


def checked_assumptions(settings: Settings) -> dict[str, Any]:
    """The assumptions, each in its field's type; ``policy`` is kept as ``allow`` or ``deny``.

    Raises InputError for a name that is no field, or a value that its field cannot hold: an assumption that silently
    does nothing would make every figure a lie.
    """
    found: dict[str, Any] = {}
    for name, value in settings.assumptions.items():
        if name == "policy":
            if value not in ("allow", "deny"):
                raise InputError.at(
                    "assumptions", None, name, _("{value!r} is not a policy").format(value=value), _("allow or deny")
                )
            found[name] = value
            continue
        bare = name.removeprefix("query.")
        if bare != name and bare in PRINCIPAL_PARTS:
            found[name] = _principal_part(name, bare, value)
            continue
        spec = (QUERY_FIELDS if bare != name else MEMORY_FIELDS).get(bare)
        if spec is None or spec.kind in ("id", "text"):
            raise InputError.at(
                "assumptions",
                None,
                name,
                _("cannot be assumed"),
                _("policy, FIELD of a memory, or query.FIELD"),
            )
        typed = _typed(spec, value)
        try:
            check_field(spec, typed, settings.timezone)
        except FieldError as error:
            raise InputError.at("assumptions", None, name, error.wrong, error.expected) from None
        found[name] = typed
    return found


def _principal_part(name: str, bare: str, value: Any) -> Any:
    typed = [value] if isinstance(value, str) and bare != "principal.id" else value
    try:
        check_field(QUERY_FIELDS["principal"], {bare.partition(".")[2]: typed})
    except FieldError as error:
        raise InputError.at("assumptions", None, name, error.wrong, error.expected) from None
    return typed


def _named_after(namespaces: Any, asker: Any) -> list[Any]:
    """Assumed namespaces with the asker's id filled in; those that name an asker whom nobody knows are left out."""
    found = []
    for one in namespaces:
        parts = one if isinstance(one, list) else [one]
        if not any(ASKER in part for part in parts):
            found.append(one)
        elif isinstance(asker, str):
            filled = [part.replace(ASKER, asker) for part in parts]
            found.append(filled if isinstance(one, list) else filled[0])
    return found


def _source_only(memories: Sequence[Memory]) -> list[Memory]:
    """The memories without their edits: an edited time must not move the ``as_of`` of every query."""
    return [m.unedited() if m.is_edited else m for m in memories]


class Ground:
    """Settings in force and the reading of fields: value, presence and origin, assumptions included.

    ``as_of`` of a query that states none is ``settings.default_as_of``, else what the source's times give
    (:func:`inspector.records.default_as_of`); it is fixed here and no edit of a memory moves it.
    """

    def __init__(self, settings: Settings, memories: Sequence[Memory]) -> None:
        self.settings = settings
        self.timezone = settings.timezone
        self.assumptions: Mapping[str, Any] = checked_assumptions(settings)
        self.default_as_of = settings.default_as_of or default_as_of(
            _source_only(memories), settings.exported_at, settings.timezone
        )

    def value(self, record: Record, name: str) -> Any:
        """The value in force, assumptions included; None unless it is a value. Fast: no origin is made."""
        # Not record.edits where there is none: asking for it makes one, in every record of the store.
        edited = record.is_edited and name in record.edits
        value = record.edits[name] if edited else record.source(name)
        # Truthy first, for speed: what is falsy and yet a value is 0 or False. (Records hold no trits.)
        if value and value is not ABSENT:
            return value
        if isinstance(value, int | float):
            return value
        if not self.assumptions:
            return None
        value = self.assumptions.get(f"query.{name}" if isinstance(record, Query) else name)
        return value if presence_of(value) is Presence.VALUE else None

    def without_assumptions(self) -> Ground:
        """The same ground with nothing assumed: what an assumption is compared with."""
        plain = copy.copy(self)
        plain.assumptions = {}
        return plain

    def present(self, memories: Sequence[Memory]) -> frozenset[str]:
        """The fields that some memory has, or that are assumed: the others need not be looked for."""
        found: set[str] = set(self.assumptions)
        for memory in memories:
            found.update(memory.names)
            if memory.is_edited:
                found.update(memory.edits)
        return frozenset(found)

    def read(self, record: Record, name: str) -> FieldRead:
        """The field with its origin. ``principal.PART`` reads inside a query's principal."""
        if not name.startswith("principal."):
            return read_field(record, name, self.assumptions)
        whole = read_field(record, "principal", self.assumptions)
        part = name.partition(".")[2]
        value = whole.value.get(part, ABSENT) if isinstance(whole.value, dict) else ABSENT
        if presence_of(value) is not Presence.VALUE:
            assumed = self._assumed_part(record, part)
            if presence_of(assumed) is Presence.VALUE:
                return FieldRead("query", name, assumed, "assumption")
        return FieldRead("query", name, value, whole.origin)

    def principal_part(self, query: Query, part: str) -> Any:
        """A value inside the query's principal, None unless it is a value."""
        principal = self.value(query, "principal")
        value = principal.get(part) if isinstance(principal, dict) else None
        if presence_of(value) is not Presence.VALUE:
            value = self._assumed_part(query, part)
        return value if presence_of(value) is Presence.VALUE else None

    def _assumed_part(self, query: Record, part: str) -> Any:
        """What a part of the principal is taken as; None where nothing is assumed of it."""
        value = self.assumptions.get(f"query.principal.{part}")
        if part != "namespaces" or not isinstance(value, list) or not isinstance(query, Query):
            return value
        return _named_after(value, self.principal_part(query, "id"))

    def instant(self, record: Record, name: str) -> Instant | None:
        """A time field as an instant, None unless it has a value."""
        value = self.value(record, name)
        return None if value is None else parse_time(value, name, self.timezone)

    def as_of(self, query: Query) -> Instant | None:
        """The instant that the query is about: its own, else the default; None where the store has no time at all."""
        own = self.instant(query, "as_of")
        return self.default_as_of if own is None else own

    def as_of_read(self, query: Query) -> FieldRead:
        """The ``as_of`` in force with its origin; where the query states none, the origin says what took its place."""
        own = self.read(query, "as_of")
        if own.presence is Presence.VALUE or self.default_as_of is None:
            return own
        if self.default_as_of == self.settings.exported_at:
            origin = _d("exported_at of the store")
        elif self.settings.default_as_of is not None:
            origin = _d("the store's default as_of")
        else:
            origin = _d("latest time in the store")
        return FieldRead("bundle", "as_of", self.default_as_of.text, origin)

    def intent(self, query: Query) -> str:
        """``current``, ``history`` or ``unknown``; a missing intent is unknown (DESIGN 3)."""
        value = self.value(query, "intent")
        return value if value in INTENTS else "unknown"
