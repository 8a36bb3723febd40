"""Writing tables as CSV, JSON lines or Markdown, without Textual. The data's own text goes out, nothing is dropped."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from typing import IO

from inspector.text import visible

FORMS = ("csv", "json", "md")
_MARKDOWN = str.maketrans(
    {"\\": "\\\\", "|": "\\|", "<": "&lt;", "&": "&amp;", "`": "\\`", "*": "\\*", "_": "\\_", "[": "\\["}
)


def write_table(form: str, columns: Sequence[str], rows: Iterable[Sequence[object]], out: IO[str]) -> int:
    """Write a table in one of :data:`FORMS`; returns how many rows. JSON is one object a line."""
    count = 0
    if form == "csv":
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(columns)
        for row in rows:
            writer.writerow(row)
            count += 1
    elif form == "json":
        for row in rows:
            out.write(json.dumps(dict(zip(columns, row, strict=False)), ensure_ascii=False, default=str) + "\n")
            count += 1
    elif form == "md":
        out.write(_markdown_line(columns) + _markdown_line(["---"] * len(columns), raw=True))
        for row in rows:
            out.write(_markdown_line(row))
            count += 1
    else:
        raise ValueError(form)
    return count


def _markdown_line(cells: Iterable[object], *, raw: bool = False) -> str:
    # Markdown is read by people and rendered by programs: inert as on the screen, and no sign of the text acts.
    shown = (str(cell) if raw else visible(str(cell)).translate(_MARKDOWN) for cell in cells)
    return "| " + " | ".join(shown) + " |\n"


def table_text(form: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """:func:`write_table` as a text."""
    out = io.StringIO(newline="")
    write_table(form, columns, rows, out)
    return out.getvalue()
