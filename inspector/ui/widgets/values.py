"""Field values as people read and type them: absent, null, empty and value told apart (DESIGN 2, SCREENS Record).

Nothing here draws; the widgets do. What :func:`editor_form` gives, :func:`read_typed` reads back as the same value.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

from inspector.errors import FieldError
from inspector.i18n import _
from inspector.records import ABSENT, FieldSpec, Presence, check_field, presence_of
from inspector.text import visible
from inspector.ui.veil import visible as seen

#: How the three kinds of missing value are shown (STYLE 3: a null is never blank).
ABSENT_WORDS = "∅ absent"
NULL_WORDS = "∅ null"
_TRUE, _FALSE = "true", "false"
#: Kinds whose editor has several lines.
MULTILINE = frozenset(("text", "list", "object", "vector"))


def is_missing(value: Any) -> bool:
    """Whether the value can make no test 1 or 0: absent, null or empty."""
    return presence_of(value) is not Presence.VALUE


def show_value(value: Any, *, newlines: bool = False) -> str:
    """The value for the screen, inert: missing kinds in words, texts as they are, everything else as JSON.

    With ``newlines`` a text keeps its line feeds, for widgets that wrap. A text that reads like another kind of value
    (``"1"``, ``"null"``) stands in quotes, so that a text and a number are never mistaken for each other.
    """
    presence = presence_of(value)
    if presence is Presence.ABSENT:
        return ABSENT_WORDS
    if presence is Presence.NULL:
        return NULL_WORDS
    if presence is Presence.EMPTY:
        return _("{to_json} empty").format(to_json=to_json(value))
    if isinstance(value, str):
        return seen(f'"{value}"' if _reads_as_other(value) else value, newlines=newlines)
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return seen("[" + ", ".join(f'"{part}"' if _needs_quotes(part) else part for part in value) + "]")
    return seen(to_json(value))


def to_json(value: Any, *, indent: int | None = None) -> str:
    """JSON text that keeps every character readable; tuples are lists, NaN stays ``NaN`` as the source wrote it."""
    return json.dumps(value, ensure_ascii=False, indent=indent, default=list)


def _reads_as_other(text: str) -> bool:
    if text != text.strip() or text.startswith(("∅", '"', "[", "{")):
        return True
    if text in (_TRUE, _FALSE, "null"):
        return True
    try:
        float(text)
    except ValueError:
        return False
    return True


def _needs_quotes(part: str) -> bool:
    return part == "" or part != part.strip() or any(sign in part for sign in ',"[]{}\n')


def _takes_numbers(spec: FieldSpec) -> bool:
    return spec.kind == "word" and not isinstance(spec.type, type) and float in getattr(spec.type, "__args__", ())


@dataclass(frozen=True, slots=True)
class Form:
    """How a value is typed: the text that an editor starts with, whether it is JSON, whether it has several lines."""

    text: str
    json: bool
    multiline: bool


def editor_form(spec: FieldSpec, value: Any) -> Form:
    """The form in which the value is edited; :func:`read_typed` reads it back as the same value.

    Lists stand one item a line, words and times as they are. Objects, owners of several segments, and anything that
    the plain form could not carry (a control character, a line feed inside an item, a number where a text could
    stand) are JSON, whose escapes are inert on a terminal.
    """
    several = spec.kind in MULTILINE or spec.name == "namespaces"
    if value is ABSENT or value is None:
        return Form("", spec.kind in ("object", "vector"), several)
    plain = _plain_form(spec, value)
    if plain is not None and visible(plain, newlines=several) == plain:
        return Form(plain, False, several)
    return Form(escaped_json(value, indent=2 if several and spec.kind != "vector" else None), True, several)


def _plain_form(spec: FieldSpec, value: Any) -> str | None:
    """The value without JSON, or None where that would not read back as the same value."""
    if spec.kind in ("object", "vector"):
        return None
    if isinstance(value, str):
        if spec.kind == "namespace":
            return None if spec.name == "namespaces" else value
        if spec.kind == "time" or _takes_numbers(spec):
            return None if _reads_as_other(value) and not _basic_date(value) else value
        return value
    if isinstance(value, list):
        one_a_line = all(isinstance(part, str) and part and part == part.strip() and "\n" not in part for part in value)
        takes_list = spec.kind == "list" or spec.name == "namespaces"
        return "\n".join(value) if one_a_line and takes_list else None
    if spec.kind == "time" and _basic_date(to_json(value)):
        return None  # seconds whose digits would be read as a date
    return to_json(value)


def escaped_json(value: Any, *, indent: int | None = None) -> str:
    """JSON in which every character that could act on a terminal is an escape; other text stays readable."""
    return "".join(_escape(char) for char in to_json(value, indent=indent))


def _escape(char: str) -> str:
    if char == "\n" or visible(char) == char:
        return char
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def empty_value(spec: FieldSpec) -> Any:
    """The empty value of the field's kind; ABSENT where it has none (numbers, truth values, ids)."""
    if spec.kind in ("number", "bool", "id"):
        return ABSENT
    if spec.kind in ("list", "vector") or spec.name in ("namespaces", "boundary_log", "grants"):
        return []
    return {} if spec.kind == "object" else ""


def _basic_date(text: str) -> bool:
    """ISO's short form of a date, ``20260301``: digits that are no seconds."""
    return text.isdecimal() and len(text) == 8


def read_typed(spec: FieldSpec, text: str, *, as_json: bool = False, timezone: str | None = None) -> Any:
    """The value that the typed text means for this field, checked as an import would check it.

    Raises FieldError with what was expected. An empty text is the empty value of its kind (``""``, ``[]``), except
    for times, numbers, truth values and objects, which have none: absent and null have keys of their own.
    """
    value = _json(spec, text) if as_json else _READERS.get(spec.kind, _word)(spec, text)
    check_field(spec, value, timezone)
    return value


def _word(spec: FieldSpec, text: str) -> Any:
    if _takes_numbers(spec):
        try:
            return _number(spec, text)
        except FieldError:
            return text
    return text


def _time(spec: FieldSpec, text: str) -> Any:
    text = text.strip()
    if not text:
        raise FieldError(spec.name, _("nothing was typed"), _("a time; absent and null have keys of their own"))
    try:
        number = float(text)
    except ValueError:
        return text
    if _basic_date(text):
        return text
    if not math.isfinite(number):
        raise FieldError(spec.name, _("{text!r} is not a time").format(text=text), _("a time that exists"))
    return int(text) if text.lstrip("+-").isdecimal() else number


def _number(spec: FieldSpec, text: str) -> Any:
    text = text.strip()
    try:
        number = float(text)
    except ValueError:
        raise FieldError(
            spec.name, _("{text!r} is not a number").format(text=text), _("a number such as 2 or 0.5")
        ) from None
    if not math.isfinite(number):
        raise FieldError(
            spec.name, _("{text!r} is not a finite number").format(text=text), _("a number such as 2 or 0.5")
        )
    return int(text) if text.lstrip("+-").isdecimal() else number


def _bool(spec: FieldSpec, text: str) -> Any:
    word = text.strip().casefold()
    if word not in (_TRUE, _FALSE):
        raise FieldError(spec.name, _("{text!r} is not a truth value").format(text=text), _("true or false"))
    return word == _TRUE


def _list(_: FieldSpec, text: str) -> Any:
    return [line.strip() for line in text.split("\n") if line.strip()]


def _namespace(spec: FieldSpec, text: str) -> Any:
    if spec.name == "namespaces":
        return [line.strip() for line in text.split("\n") if line.strip()]
    return text


def _json(spec: FieldSpec, text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        where = _("line {lineno}, column {colno}").format(lineno=error.lineno, colno=error.colno)
        raise FieldError(
            spec.name,
            _("not JSON at {where}: {msg}").format(where=where, msg=error.msg),
            _("JSON such as ") + _example(spec),
        ) from None
    except RecursionError:
        raise FieldError(spec.name, _("nested too deeply"), _("JSON such as ") + _example(spec)) from None


def _example(spec: FieldSpec) -> str:
    return {
        "governs": '{"any_terms": ["refund"], "action_types": ["write"]}',
        "keys": '{"user_id": "ann"}',
        "boundary_log": '[{"state": "archived", "at": "2026-03-01"}]',
        "principal": '{"id": "ann", "namespaces": ["ann"]}',
        "embedding": "[0.1, 0.2]",
        "namespace": '["tenant", "acme"]',
    }.get(spec.name, '["one", "two"]' if spec.kind == "list" else "{}")


_READERS = {
    "time": _time,
    "number": _number,
    "bool": _bool,
    "list": _list,
    "namespace": _namespace,
    "object": _json,
    "vector": _json,
}
