"""The JSON values of a trace file, one by one: JSON Lines, objects printed over several lines, or one array.

Exporters write spans line by line, or each as an indented object after the other; both are read with no more held than
one object.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from inspector.errors import InputError
from inspector.formats.base import LINE_LIMIT, Watch, name_of, os_fault
from inspector.formats.decode import BOM, JsonReader, decode_utf8, json_fault
from inspector.formats.lines import Fault, read_lines
from inspector.formats.rows import Raw, check_not_empty, read_rows
from inspector.i18n import N_, _
from inspector.records import Origin

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
EXPECTED = N_("spans as OTLP/JSON or with flat attributes, or a Langfuse export of traces or observations")


def read_values(path: Path, watch: Watch, fault: Fault) -> Iterator[Raw]:
    """Every JSON value of the file with the line on which it starts; CSV gives each row as an object of texts.

    A broken value goes to ``fault``; reading goes on with the next one that starts a line.
    """
    name = name_of(path)
    check_not_empty(path, name)
    first = _first_char(path, name)
    if first == "[":
        yield from read_rows(path, name, "json", watch, fault)
    elif first == "{":
        yield from _objects(path, name, watch, fault)
    else:
        yield from read_rows(path, name, "csv", watch, fault)


def _first_char(path: Path, name: str) -> str:
    try:
        with path.open("rb") as file:
            head = file.read(4_096).removeprefix(BOM).lstrip()
    except OSError as error:
        raise os_fault(error, name) from None
    return head[:1].decode("latin-1")


def _objects(path: Path, name: str, watch: Watch, fault: Fault) -> Iterator[Raw]:
    reader = JsonReader()
    held: list[str] = []
    start = depth = size = 0

    def whole() -> Raw | None:
        text = "".join(held).strip(" \t\r\n")
        held.clear()
        try:
            decoded = reader.decode(text)
            if decoded.end != len(text):
                raise json.JSONDecodeError("Extra data", text, decoded.end)
        except (ValueError, RecursionError) as error:
            line, column = start, None
            if isinstance(error, json.JSONDecodeError):
                line, column = start + error.lineno - 1, error.colno
            fault(json_fault(error, name, line, _("one complete JSON object after the other"), column))
            return None
        return Raw("", decoded.value, Origin(name, start), decoded.suspect)

    for number, data in read_lines(path, name, watch, fault):
        try:
            line = decode_utf8(data.removeprefix(BOM) if number == 1 else data, name, number)
        except InputError as error:
            fault(error)
            continue
        if held and line.startswith("{"):  # the object before never closed: only its own text is lost
            found = whole()
            if found is not None:
                yield found
        if not held:
            start, depth, size = number, 0, 0
        held.append(line)
        size += len(line)
        if size > LINE_LIMIT:
            raise InputError.at(name, start, "", _("one value is longer than 64 MiB"), _("a shorter value"))
        bare = _STRING.sub("", line)
        depth += bare.count("{") + bare.count("[") - bare.count("}") - bare.count("]")
        if depth <= 0:
            found = whole()
            if found is not None:
                yield found
    if held:
        found = whole()
        if found is not None:
            yield found
