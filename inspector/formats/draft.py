"""A foreign record on its way to ours: what is taken becomes a field, what is left is kept in ``meta``.

Nothing is dropped, and nothing is guessed in silence: a value that its field cannot hold stays in ``meta`` and ``loss``
names it, so that the ? that follows has its cause.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from inspector.errors import FieldError
from inspector.formats.base import DEPTH_LIMIT, at, clip
from inspector.formats.collect import Collector
from inspector.formats.decode import JsonReader
from inspector.formats.rows import Raw
from inspector.i18n import D_, _
from inspector.records import ABSENT
from inspector.times import parse_time

#: The filter of a search whose export does not hold it: an unknown filter is not a search without one.
NO_FILTER = D_("not recorded in this export")
_NO_TIME = D_("{field}: {key} is {value}, which is no time")
_NO_TEXT = D_("{field}: {key} is {value}, which is no text")
#: Longest value quoted in a ``loss``.
_QUOTE = 60
_SURROGATE = re.compile("[\ud800-\udfff]")


class Draft:
    """One memory being made. ``rest`` holds what was not yet taken and becomes ``meta``."""

    __slots__ = ("_loss", "_mapped", "_prefix", "fields", "rest")

    def __init__(self, raw: Any, mapped: dict[str, str], prefix: str = "") -> None:
        if not isinstance(raw, dict):
            raise FieldError("", _("{clip} is not an object").format(clip=clip(repr(raw), 40)), _("an object"))
        self.rest: dict[str, Any] = dict(raw)
        self.fields: dict[str, Any] = {}
        self._loss: list[str] = []
        self._mapped = mapped
        self._prefix = prefix

    def inside(self, inner: dict[str, Any], prefix: str) -> Draft:
        """The draft of the same memory over an object inside its record; fields and losses so far are kept."""
        made = Draft(inner, self._mapped, self._prefix + prefix)
        made.fields, made._loss = self.fields, self._loss
        return made

    def get(self, key: str) -> Any:
        """What the source has at a key that was not yet taken, else ABSENT."""
        return self.rest.get(key, ABSENT)

    def take(self, key: str, field: str = "") -> Any:
        """Take a key out of the record; ``field`` is named in the account of the load as what it went to."""
        value = self.rest.pop(key, ABSENT)
        if value is not ABSENT and field:
            self._mapped.setdefault(self._prefix + key, field)
        return value

    def put(self, field: str, value: Any) -> None:
        """Set a field; ABSENT sets nothing."""
        if value is not ABSENT:
            self.fields[field] = value

    def word(self, key: str, field: str) -> Any:
        """Move a text or a whole number to a field that holds a text; null is kept as null.

        Any other value stays in ``meta`` and is named in ``loss``. Returns the value moved, or ABSENT.
        """
        value = self.get(key)
        if value is None or isinstance(value, str):
            self.put(field, self.take(key, field))
        elif isinstance(value, int) and not isinstance(value, bool):
            self.take(key, field)
            self.put(field, str(value))
        elif value is not ABSENT:
            self.lose(_NO_TEXT.format(field=field, key=key, value=_quote(value)))
        return self.fields.get(field, ABSENT)

    def identity(self, key: str) -> str:
        """Move the record's id, a text or a whole number, to ``id``. Raises FieldError where it is neither."""
        value = self.get(key)
        word = as_word(value)
        if word is None:
            wrong = _("is missing") if value is ABSENT else _("{quote} is no id").format(quote=_quote(value))
            raise FieldError(key, wrong, _("a text or a whole number"))
        self.take(key, "id")
        self.put("id", word)
        return word

    def time(self, key: str, field: str) -> bool:
        """Move a readable time to a field; null and empty are kept as they are.

        One that cannot be read stays in ``meta`` and is named in ``loss``; then, and only then, the answer is False.
        """
        value = self.get(key)
        if value is ABSENT:
            return True
        if value is None or value == "":
            self.put(field, self.take(key, field))
            return True
        made = readable_time(value)
        if made is None:
            self.lose(_NO_TIME.format(field=field, key=key, value=_quote(value)))
            return False
        self.take(key, field)
        self.put(field, made)
        return True

    def vector(self, key: str, field: str = "embedding") -> None:
        """Move a vector, given as a list of numbers or as its JSON text; anything else stays in ``meta``."""
        value = self.get(key)
        if value is ABSENT:
            return
        made = vector(value)
        if value is None or made is not None:
            self.take(key, field)
            self.put(field, made)

    def lose(self, *words: str) -> None:
        """Say what the source could not tell: ``FIELD: why``."""
        self._loss.extend(words)

    def done(self, loss: list[str]) -> dict[str, Any]:
        """The record in our fields. ``loss`` is what every record of the format lacks; it is shared, not copied."""
        if self.rest:
            self.fields["meta"] = self.rest
        if loss or self._loss:
            self.fields["loss"] = [*self._loss, *loss] if self._loss else loss
        return self.fields


def _quote(value: Any) -> str:
    return clip(json.dumps(value, ensure_ascii=False, default=repr), _QUOTE, data=True)


def readable_time(value: Any) -> Any:
    """The value if it can be read as a time, else None.

    Text is tried as ISO 8601, and without the zone's name in brackets that some databases add to the offset.
    """
    for one in (value, value.partition("[")[0] if isinstance(value, str) else None):
        try:
            parse_time(one, "")
        except FieldError:
            continue
        return one
    return None


def vector(value: Any) -> list[float | None] | None:
    """A vector as a list of numbers, from a list or from its JSON text; None where it is neither."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = JsonReader().decode(value.strip()).value
        except (ValueError, RecursionError):
            return None
    if not isinstance(value, list) or not value:
        return None
    numbers = all(type(one) is float or one is None or (type(one) is int and abs(one) < 2**53) for one in value)
    return value if numbers else None


def is_vector(value: Any) -> bool:
    """Whether :func:`vector` reads it."""
    return vector(value) is not None


def finite(value: Any) -> Any:
    """A JSON value with NaN and Infinity, which JSON has no form for, as the texts ``NaN``, ``Infinity``.

    Raises FieldError where it is nested too deeply to be kept.
    """
    return _finite(value, 0)


def _finite(value: Any, depth: int) -> Any:
    if depth > DEPTH_LIMIT:
        raise FieldError("", _("nested too deeply"), _("at most {DEPTH_LIMIT} levels").format(DEPTH_LIMIT=DEPTH_LIMIT))
    if isinstance(value, float) and not math.isfinite(value):
        return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
    if isinstance(value, dict):
        return {name: _finite(one, depth + 1) for name, one in value.items()}
    if isinstance(value, list):
        return [_finite(one, depth + 1) for one in value]
    return value


Make = Callable[[Raw], Iterable[Mapping[str, Any]]]


def scored(raw: Raw) -> bool:
    """Whether a record is a search's: a view of a memory, that gives way to the stored record itself."""
    return isinstance(raw.value, dict) and "score" in raw.value


def whole(_: Raw) -> bool:
    """No record is a search's."""
    return False


def add_all(raws: Iterable[Raw], make: Make, collector: Collector, partial: Callable[[Raw], bool] = whole) -> int:
    """Make memories of raw records and collect them; a bad one goes to the collector's ``fault``. How many were seen.

    ``make`` gives any number of memories for one raw record and raises FieldError for a bad one; ``partial`` tells the
    records that are only views of memories (:meth:`Collector.memory`).
    """
    seen = 0
    for raw in raws:
        seen += 1
        try:
            for made in make(raw):
                if raw.suspect and isinstance(made.get("meta"), dict):
                    made = {**made, "meta": finite(made["meta"])}
                collector.memory(made, raw.origin, raw.suspect, partial=partial(raw))
        except FieldError as error:
            collector.fault(at(error, raw.origin.file, raw.origin.line))
    return seen


def score_of(value: Any) -> float | None:
    """A score as a number, NaN and infinities included; None where it is null or no number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if isinstance(value, float) or abs(value) < 2**63 else None


def text_of(value: Any) -> str:
    """A value as the text of a memory: a text as it is, anything else as compact JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def as_word(value: Any) -> str | None:
    """An id as text: a text, or a whole number; None for anything else, an empty text, and one that is no Unicode."""
    if isinstance(value, str):
        return value if value and (value.isascii() or _SURROGATE.search(value) is None) else None
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def listed(value: Any) -> Iterator[Any]:
    """The elements of a list, none of anything else."""
    if isinstance(value, list):
        yield from value


def hit(memory: Mapping[str, Any], score: float | None) -> dict[str, Any]:
    """A retrieved memory as an event lists it, with its namespace where it has one."""
    found = {"id": memory["id"], "score": score}
    return {**found, "namespace": memory["namespace"]} if memory.get("namespace") else found


def event(name: str, retrieved: Sequence[Mapping[str, Any]], kind: str, **more: Any) -> dict[str, Any]:
    """A retrieval event of a search whose own filter the export does not hold (:data:`NO_FILTER`)."""
    return {"name": name, "filter": NO_FILTER, "score_kind": kind, "retrieved": list(retrieved), **more}
