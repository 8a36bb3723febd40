"""Edits as they leave the program: JSON patch lines and SQL UPDATE statements (DESIGN 10).

A patch line is an object: ``op`` is "set" or "remove"; one of ``uid`` {namespace, id}, ``query``, ``judgment``
{query_id, namespace, memory_id} and ``setting`` says whose field it is; ``field``; ``old``, left out where the source
has no such key; ``new``, left out with "remove". ``ask`` in their place is the id of a whole query that was typed in,
with the field ``query`` and its fields as ``new``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from inspector.errors import FieldError, InputError
from inspector.i18n import _
from inspector.records import ABSENT, Uid
from inspector.store.codec import decode, encode
from inspector.store.editlog import Effective
from inspector.store.ledger import Kind, key_of
from inspector.text import visible

_TARGETS = ("uid", "query", "judgment", "setting", "ask")


def _namespace(key: str) -> Any:
    return decode(key) if key else None


def _namespace_key(value: Any) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def patch_line(edit: Effective) -> dict[str, Any]:
    """The edit as the object of one patch line."""
    line: dict[str, Any] = {"op": "remove" if edit.new is ABSENT else "set"}
    if edit.kind == "memory":
        line["uid"] = {"namespace": _namespace(edit.target[0]), "id": edit.target[1]}
    elif edit.kind == "query":
        line["query"] = edit.target[0]
    elif edit.kind == "judgment":
        query_id, namespace, memory_id = edit.target
        line["judgment"] = {"query_id": query_id, "namespace": _namespace(namespace), "memory_id": memory_id}
    elif edit.kind == "ask":
        line["ask"] = edit.target[0]
    else:
        line["setting"] = edit.field
    line["field"] = edit.field
    if edit.old is not ABSENT:
        line["old"] = edit.old
    if edit.new is not ABSENT:
        line["new"] = edit.new
    return line


def to_jsonl(fp: TextIO, edits: Iterable[Effective]) -> int:
    """Write one patch line for each edit and say how many.

    The text is UTF-8 whatever the values hold; a character that could act on a terminal is written as a JSON escape.
    """
    count = 0
    for edit in edits:
        fp.write(inert_json(encode(patch_line(edit))) + "\n")
        count += 1
    return count


def inert_json(text: str) -> str:
    """JSON text in which each character that could act on a terminal is a JSON escape."""
    if visible(text) == text:
        return text
    return "".join(char if visible(char) == char else json.dumps(char)[1:-1] for char in text)


def read_patch(lines: Iterable[str], file: str) -> list[Effective]:
    """Read patch lines; empty lines are passed over. The edits' ``seq`` is their line.

    Raises InputError, with ``file`` and the line, for anything that is not a patch line.
    """
    edits = []
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            edits.append(_read(text, number))
        except FieldError as error:
            raise InputError.at(file, number, error.field, error.wrong, error.expected) from None
    return edits


def _read(text: str, number: int) -> Effective:
    try:
        line = decode(text)
    except (ValueError, RecursionError):
        raise FieldError("", _("not JSON"), _("one patch line, a JSON object")) from None
    if not isinstance(line, dict):
        raise FieldError("", _("not an object"), _("one patch line, a JSON object"))
    op = line.get("op")
    if op not in ("set", "remove"):
        raise FieldError("op", _("{op!r} is not known").format(op=op), _("set or remove"))
    if (op == "set") != ("new" in line):
        raise FieldError(
            "new", "missing" if op == "set" else _("given with remove"), _("a value with set, none with remove")
        )
    named = [name for name in _TARGETS if name in line]
    if len(named) != 1:
        raise FieldError("uid", _("{count} of them given").format(count=len(named)), _("one of ") + ", ".join(_TARGETS))
    kind, target = _target(named[0], line[named[0]])
    field = _text(line.get("field"), "field")
    key = key_of(kind, target, field)
    return Effective(number, key.kind, key.target, key.field, line.get("old", ABSENT), line.get("new", ABSENT))


def _target(name: str, value: Any) -> tuple[Kind, Sequence[str]]:
    if name == "query":
        return "query", (_text(value, "query"),)
    if name == "ask":
        return "ask", (_text(value, "ask"),)
    if name == "setting":
        _text(value, "setting")
        return "setting", ()
    if not isinstance(value, dict):
        raise FieldError(name, _("not an object"), _("an object with namespace and the ids"))
    namespace = _namespace_key(value.get("namespace"))
    if name == "uid":
        return "memory", Uid(namespace, _text(value.get("id"), "uid.id"))
    query_id = _text(value.get("query_id"), "judgment.query_id")
    return "judgment", (query_id, namespace, _text(value.get("memory_id"), "judgment.memory_id"))


def _text(value: Any, field: str) -> str:
    if not isinstance(value, str):
        raise FieldError(
            field, "missing" if value is None else _("{value!r} is not a text").format(value=value), "a text"
        )
    return value
