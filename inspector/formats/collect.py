"""Where the records of every format meet: checked field by field, unknown fields kept, repeats counted (DESIGN 2).

A key that no field is named after goes to ``meta``, beside what the source's own ``meta`` object holds; where both
name the same key with different values, the source's own stays and the other is kept as ``field.KEY``.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

from inspector.errors import ONE_CONTENT, FieldError, InputError, Problem
from inspector.formats.base import at, clip
from inspector.formats.decode import check_tree
from inspector.i18n import D_, _
from inspector.packing import Packer
from inspector.records import (
    ABSENT,
    MEMORY_FIELDS,
    QUERY_FIELDS,
    FieldAccount,
    FieldSpec,
    Judgment,
    Memory,
    Origin,
    Presence,
    Query,
    Record,
    Uid,
    check_field,
    presence_of,
)
from inspector.times import parse_time
from inspector.trit import parse_trit

#: Notes: what an import says, in English, in the workspace; people read it by :func:`inspector.i18n.told`.
CAPPED_SIZE = D_("looks capped: {name} holds exactly {count} memories, a common page size")
CAPPED_MARK = D_("looks capped: {name} has a next-page mark, {section}")
_NO_MEMORY = D_("{count} judgments name a memory that is not stored")
_NO_QUERY = D_("{count} judgments name a query that is not here")
_UNREAD = D_("keys of judgments that were not read: {keys}")

JUDGMENT_FIELDS = ("query_id", "memory_id", "namespace", "axis", "value", "source")
_JUDGED_AXES = ("scope", "policy", "lifecycle", "relevance")
_INT_LIMIT = 2**63
_NAMESPACE = FieldSpec("namespace", "namespace", MEMORY_FIELDS["namespace"].type, "")
#: Fields that the axes read (DESIGN 3), for the account of what a source does not say.
_READ_OF_MEMORY = (
    "namespace",
    "session_id",
    "semantic_tag",
    "status",
    "boundary_state",
    "created_at",
    "valid_from",
    "valid_to",
    "superseded_by",
    "deleted_at",
    "allowed_purposes",
)
_READ_OF_QUERY = ("principal.namespaces", "session_id", "semantic_tag", "purpose", "intent", "as_of", "required")


class Collector:
    """Takes raw records in, one by one, and holds what becomes the bundle.

    A bad record goes to :meth:`fault`: raised, or with ``lenient`` listed in ``skipped``. ``replaced`` names the kinds
    ("queries", "judgments") that a file of the user's own replaces: those of the sources are passed over. ``stated`` is
    what the sources' own content fixes as :class:`~inspector.records.Settings`, each with its file's name.
    """

    def __init__(self, lenient: bool, timezone: str | None, replaced: frozenset[str] = frozenset()) -> None:
        self.lenient = lenient
        self.timezone = timezone
        self.replaced = replaced
        self.memories: list[Memory] = []
        self.queries: list[Query] = []
        self.judgments: list[Judgment] = []
        self.skipped: list[Problem] = []
        self.repeated = 0
        self.notes: list[str] = []
        self.mapped: dict[str, str] = {}
        self.kept: Counter[str] = Counter()
        self.stated: list[tuple[str, dict[str, Any]]] = []
        # by namespace and then by id: a third smaller than one table of uids, which counts at a million records
        self._stored: dict[str, dict[str, Memory]] = {}
        self._partial: set[Uid] = set()
        self._packer = Packer()
        self._query_ids: dict[str, int] = {}
        self._judged: set[tuple[str, str, str, str, int, str]] = set()
        self._unread: Counter[str] = Counter()

    def fault(self, error: InputError) -> None:
        """Raise the error, or list it where the load is lenient."""
        if not self.lenient:
            raise error
        self.skipped.append(error.problem)

    def memory(
        self, raw: Any, origin: Origin, suspect: bool = False, where: str = "", *, partial: bool = False
    ) -> None:
        """Add one memory; ``suspect`` asks for the checks that only odd input needs (:func:`check_tree`), ``where`` is
        the path of the record inside its line, for messages.

        A ``partial`` record is a view of a memory, as a search returns it, perhaps without vector or metadata: beside
        the record itself with the same text it counts as repeated, whichever comes first.
        """
        fields = self._fields(raw, MEMORY_FIELDS, origin, suspect, where)
        if fields is None:
            return
        memory = Memory(fields, origin)
        stored = self._stored.setdefault(memory.owner_key, {})
        known = stored.get(memory.id)
        if known is None:
            stored[memory.id] = memory
            self.memories.append(memory)
            memory.pack(self._packer)
            if partial:
                self._partial.add(memory.uid)
        elif (partial or memory.uid in self._partial) and known.source("text") == fields["text"]:
            self.repeated += 1
            if not partial:  # the record itself takes its view's place
                known.rewrite(fields, origin)
                known.pack(self._packer)
                self._partial.discard(memory.uid)
        else:
            self._again(known, memory, _("memory {id!r}").format(id=str(memory.uid)))

    def query(self, raw: Any, origin: Origin, suspect: bool = False, where: str = "") -> None:
        """Add one query."""
        if "queries" in self.replaced:
            return
        fields = self._fields(raw, QUERY_FIELDS, origin, suspect, where)
        if fields is None:
            return
        query = Query(fields, origin)
        known = self._query_ids.get(query.id)
        if known is None:
            self._query_ids[query.id] = len(self.queries)
            self.queries.append(query)
        else:
            self._again(self.queries[known], query, _("query {id!r}").format(id=query.id))

    def judgment(self, raw: Any, origin: Origin, suspect: bool = False) -> None:
        """Add one judgment; a label said twice by one source is counted as repeated."""
        if "judgments" in self.replaced:
            return
        try:
            judgment = self._judgment(raw, origin, suspect)
        except FieldError as error:
            self.fault(at(error, origin.file, origin.line))
            return
        key = (
            judgment.query_id,
            judgment.memory_id,
            "" if judgment.namespace is ABSENT else json.dumps(judgment.namespace),
            judgment.axis,
            int(judgment.value),
            judgment.source,
        )
        if key in self._judged:
            self.repeated += 1
        else:
            self._judged.add(key)
            self.judgments.append(judgment)

    def _judgment(self, raw: Any, origin: Origin, suspect: bool) -> Judgment:
        _check_object(raw, suspect)
        for name in ("query_id", "memory_id", "axis"):
            value = raw.get(name)
            if not isinstance(value, str) or not value:
                wrong = _("is missing") if name not in raw else _("{value!r} is not a text").format(value=value)
                raise FieldError(name, wrong, _("a text"))
        axis = raw["axis"]
        if axis not in _JUDGED_AXES:
            raise FieldError(
                "axis", _("{axis!r} is not an axis").format(axis=axis), _("one of ") + ", ".join(_JUDGED_AXES)
            )
        if "value" not in raw:
            raise FieldError("value", _("is missing"), _('true, false, null, 1, 0, "1", "0" or "?"'))
        value = parse_trit(raw["value"], "value")
        namespace = raw.get("namespace", ABSENT)
        if namespace is None:
            namespace = ABSENT
        if namespace is not ABSENT:
            check_field(_NAMESPACE, namespace)
        source = raw.get("source")
        if source is not None and not isinstance(source, str):
            raise FieldError("source", _("{source!r} is not a text").format(source=source), _("who judged, as a text"))
        for name in raw:
            if name not in JUDGMENT_FIELDS:
                self._unread[name] += 1
        return Judgment(raw["query_id"], raw["memory_id"], namespace, axis, value, source or "unnamed", origin)

    def _again(self, first: Record, second: Record, what: str) -> None:
        if _same(first.fields, second.fields):
            self.repeated += 1
            return
        names = sorted(
            name for name in first.names | second.names if not _same(first.source(name), second.source(name))
        )
        wrong = _("{what} stands already at {place} with another {names}").format(
            what=clip(what), place=first.origin, names=", ".join(names)
        )
        self.fault(InputError.at(second.origin.file, second.origin.line, "id", wrong, ONE_CONTENT))

    def _fields(
        self, raw: Any, specs: Mapping[str, FieldSpec], origin: Origin, suspect: bool, where: str
    ) -> dict[str, Any] | None:
        """The checked fields of a raw record, or None where it was bad and the load is lenient."""
        try:
            _check_object(raw, suspect)
            fields: dict[str, Any] = {}
            unknown: dict[str, Any] = {}
            for name, value in raw.items():
                spec = specs.get(name)
                if spec is None:
                    unknown[name] = value
                else:
                    fields[spec.name] = checked(spec, value, self.timezone)
            for name in ("id", "text"):
                if name not in fields:
                    raise FieldError(name, _("is missing"), "a text")
        except FieldError as error:
            inner = FieldError(".".join(part for part in (where, error.field) if part), error.wrong, error.expected)
            self.fault(at(inner, origin.file, origin.line))
            return None
        if unknown:
            fields["meta"] = _merged(fields.get("meta"), unknown)
        if isinstance(fields.get("meta"), dict):
            self.kept.update(fields["meta"].keys())
        return fields

    def account(self) -> FieldAccount:
        """What became of the source's fields; canonical fields are mapped onto themselves."""
        missing = [name for name in _READ_OF_MEMORY if not self._any(self.memories, name)]
        if "namespace" in missing and self._any(self.memories, "namespaces"):
            missing.remove("namespace")
        if "boundary_state" in missing and self._any(self.memories, "boundary_log"):
            missing.remove("boundary_state")
        missing += [f"query.{name}" for name in _READ_OF_QUERY if self.queries and not self._any(self.queries, name)]
        return FieldAccount(mapped=dict(self.mapped), kept=dict(sorted(self.kept.items())), missing=tuple(missing))

    @staticmethod
    def _any(records: list[Any], name: str) -> bool:
        outer, _, inner = name.partition(".")
        for record in records:
            value = record.source(outer)
            if inner:
                value = value.get(inner) if isinstance(value, dict) else None
            if presence_of(value) is Presence.VALUE:
                return True
        return False

    def closing_notes(self) -> list[str]:
        """Notes that only the whole load can give: labels that name nothing, keys of judgments that were not read."""
        notes: list[str] = []
        stored = {memory.id for memory in self.memories} if self.judgments else set()
        lost = sum(judgment.memory_id not in stored for judgment in self.judgments)
        if lost:
            notes.append(_NO_MEMORY.format(count=f"{lost:,}"))
        lost = sum(judgment.query_id not in self._query_ids for judgment in self.judgments)
        if lost:
            notes.append(_NO_QUERY.format(count=f"{lost:,}"))
        if self._unread:
            notes.append(_UNREAD.format(keys=", ".join(sorted(self._unread))))
        return notes


def _check_object(raw: Any, suspect: bool) -> None:
    if not isinstance(raw, dict):
        raise FieldError(
            "", _("{clip} is not an object").format(clip=clip(repr(raw), 40)), _("an object with at least id and text")
        )
    if suspect:
        check_tree(raw)


def checked(spec: FieldSpec, value: Any, timezone: str | None) -> Any:
    """The value if the field can hold it, else FieldError.

    Accepts what :func:`inspector.records.check_field` accepts, and refuses a number that is not finite besides; plain
    texts and times, nearly every value there is, take a shorter way to the same answer.
    """
    if type(value) is str:
        if spec.kind == "text" or (value == "" and spec.kind in ("word", "time") and not spec.closed):
            return value
        if spec.kind == "time":
            parse_time(value, spec.name, timezone)
            return value
        if value and (spec.kind == "id" or (spec.kind == "word" and not spec.closed) or spec.name == "namespace"):
            return value
    elif type(value) is float and spec.kind in ("number", "word") and not math.isfinite(value):
        raise FieldError(spec.name, _("{value!r} is not a finite number").format(value=value), "a number")
    elif type(value) is int and spec.kind in ("number", "word") and abs(value) >= _INT_LIMIT:
        raise FieldError(spec.name, _("the number is out of range"), _("a whole number below 2^63"))
    check_field(spec, value, timezone)
    return value


def _merged(own: Any, unknown: dict[str, Any]) -> dict[str, Any]:
    merged = dict(own) if isinstance(own, dict) else {}
    for name, value in unknown.items():
        key = name
        while key in merged and not _same(merged[key], value):
            key = f"field.{key}"
        merged[key] = value
    return merged


def _same(first: Any, second: Any) -> bool:
    """Equality of JSON values that tells 1 from 1.0 and true, and takes NaN as equal to NaN."""
    if first is ABSENT or second is ABSENT:
        return first is second
    return json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)
