"""A table's cell, or a word of the command line, as the value that a field can hold.

- An empty cell is an absent key; CSV cannot tell null or an empty text from it.
- A cell of a list, object, vector or several-namespaces field is JSON; the namespace field is JSON where the cell
  begins with ``[``, else a text.
- ``true`` and ``false`` in any case are truth values in a truth-value field.
- ``contradiction_count``, ``priority`` and ``risk`` are numbers where the cell reads as a JSON number.
- A time of nine digits or more, or with a decimal point, is epoch seconds; anything else stays text.
"""

from __future__ import annotations

import json
import re
from typing import Any

from inspector.errors import FieldError
from inspector.formats.base import clip
from inspector.formats.decode import JsonReader, check_tree
from inspector.i18n import N_, _
from inspector.records import FieldSpec

_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,300})(?:\.\d{1,300})?(?:[eE][+-]?\d{1,2})?")
_EPOCH = re.compile(r"-?(?:\d{9,20}|\d{1,20}\.\d{1,20})")
_EXPECTED = {"list": N_('JSON, such as ["a", "b"]'), "vector": N_("JSON, such as [0.1, 0.2]")}


def from_text(spec: FieldSpec, cell: str) -> Any:
    """The value that a non-empty cell of this field stands for; the caller still checks it.

    Raises FieldError where the cell should be JSON and is not.
    """
    if (
        spec.kind in ("list", "object", "vector")
        or spec.name == "namespaces"
        or (spec.kind == "namespace" and cell.lstrip().startswith("["))
    ):
        return from_json(spec.name, cell, _EXPECTED.get(spec.kind, "JSON"))
    if spec.kind == "bool" and cell.strip().lower() in ("true", "false"):
        return cell.strip().lower() == "true"
    if spec.kind == "time" and _EPOCH.fullmatch(cell.strip()):
        return _number(cell.strip())
    if (spec.kind == "number" or spec.name in ("priority", "risk")) and _NUMBER.fullmatch(cell.strip()):
        return _number(cell.strip())
    return cell


def from_json(field: str, cell: str, expected: str = "JSON") -> Any:
    """The JSON value in a cell. Raises FieldError where it is broken or cannot be stored."""
    try:
        decoded = JsonReader().decode(cell.strip())
        if decoded.end != len(cell.strip()):
            raise json.JSONDecodeError("Extra data", cell, decoded.end)
    except (ValueError, RecursionError):
        raise FieldError(field, _("{clip} is not JSON").format(clip=clip(repr(cell), 60)), expected) from None
    if decoded.suspect:
        check_tree({field: decoded.value})
    return decoded.value


def _number(text: str) -> int | float:
    return float(text) if any(char in text for char in ".eE") else int(text)
