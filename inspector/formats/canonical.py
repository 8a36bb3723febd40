"""The canonical form: JSON Lines of the fields of DESIGN 2, read from any container and written back unchanged.

Reading: see :mod:`inspector.formats.cells` for CSV cells. A JSON document is an array of memories, or an object with
``memories`` and optionally ``queries`` and ``judgments``.

Writing: import, export, import again gives the same records. Keys that came to ``meta`` from outside leave it again;
``meta`` itself is written only for what could not stand at the top without being taken for a field. A file is written
beside its place and moved there when it is whole.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from inspector.confinement import check_write
from inspector.errors import FieldError, InputError, InspectorError
from inspector.formats.base import Watch, at, name_of
from inspector.formats.cells import from_text
from inspector.formats.collect import CAPPED_MARK, CAPPED_SIZE, Collector
from inspector.formats.rows import Container, Raw, read_rows
from inspector.i18n import _
from inspector.records import (
    ABSENT,
    MEMORY_FIELDS,
    QUERY_FIELDS,
    Bundle,
    FieldSpec,
    Judgment,
    Memory,
    Query,
    Record,
    Settings,
)
from inspector.times import Instant, parse_time

SECTIONS = frozenset(("memories", "queries", "judgments"))
_TABLES = ("bundle.toml", "policy.toml", "mapping.toml", "calibration.toml")
_LISTS = frozenset((name,) for name in SECTIONS)
_PAGE_SIZES = (10, 20, 100, 1000)
_PAGE_MARKS = ("next", "next_page", "next_cursor", "next_page_token", "has_more", "cursor", "continuation_token")
_JSON_KINDS = ("list", "object", "vector")
_JUDGMENT_SPECS = {"namespace": MEMORY_FIELDS["namespace"]}
_SPECS: dict[str, Mapping[str, FieldSpec]] = {
    "memories": MEMORY_FIELDS,
    "queries": QUERY_FIELDS,
    "judgments": _JUDGMENT_SPECS,
}


def read_part(
    path: Path, part: str, container: Container, collector: Collector, watch: Watch, only: bool = False
) -> None:
    """Read one file of canonical records as ``memories``, ``queries`` or ``judgments``; with ``only``, no other list
    that a JSON document holds beside it."""
    name = name_of(path)
    take: dict[str, Callable[[Any, Any, bool], None]] = {
        "memories": collector.memory,
        "queries": collector.query,
        "judgments": collector.judgment,
    }
    before = len(collector.memories) + collector.repeated
    first = len(collector.memories), len(collector.queries)
    skipped = len(collector.skipped)
    seen = 0
    for raw in read_rows(path, name, container, watch, collector.fault, _LISTS):
        section = raw.section or part
        if raw.whole:
            _whole(raw, name, collector)
            continue
        if only and section != part:
            continue
        seen += 1
        try:
            value = _typed(raw.value, _SPECS[section], container)
        except FieldError as error:
            collector.fault(at(error, raw.origin.file, raw.origin.line))
            continue
        take[section](value, raw.origin, raw.suspect)
    if not seen and len(collector.skipped) == skipped:
        raise InputError.at(
            name, None, "", _("the file holds no records"), _("at least one of {part}").format(part=part)
        )
    for prefix, records in (("", collector.memories[first[0] :]), ("query.", collector.queries[first[1] :])):
        names: dict[str, None] = {}
        for record in records:
            names.update(dict.fromkeys(record.names))
        collector.mapped.update({prefix + field: prefix + field for field in names if field != "meta"})
    note_page(name, len(collector.memories) + collector.repeated - before, collector)


def note_page(name: str, count: int, collector: Collector) -> None:
    """Say where a file's number of memories is a common page size: an export may have stopped at its first page."""
    if count in _PAGE_SIZES:
        collector.notes.append(CAPPED_SIZE.format(name=name, count=f"{count:,}"))


def _whole(raw: Raw, name: str, collector: Collector) -> None:
    if raw.section in SECTIONS:
        raise InputError.at(name, raw.origin.line, raw.section, _("is not a list"), _("a list of objects"))
    if raw.section in _PAGE_MARKS and raw.value not in (None, "", False):
        collector.notes.append(CAPPED_MARK.format(name=name, section=raw.section))


def _typed(value: Any, specs: Mapping[str, FieldSpec], container: Container) -> Any:
    """CSV cells as their fields' types; in Parquet only JSON texts in columns that hold lists or objects."""
    if container == "csv":
        return {name: from_text(specs[name], cell) if name in specs else cell for name, cell in value.items()}
    if container == "parquet":
        return {
            name: from_text(specs[name], cell)
            if isinstance(cell, str) and cell and name in specs and specs[name].kind in _JSON_KINDS
            else cell
            for name, cell in value.items()
        }
    return value


# Writing


def write_memories(memories: Iterable[Memory], fp: IO[str], *, edited: bool = True) -> None:
    """One JSON object a line; with ``edited`` the values in force, else those of the source."""
    _write_records(memories, fp, edited)


def write_queries(queries: Iterable[Query], fp: IO[str], *, edited: bool = True) -> None:
    """One JSON object a line; with ``edited`` the values in force, else those of the source."""
    _write_records(queries, fp, edited)


def write_judgments(judgments: Iterable[Judgment], fp: IO[str]) -> None:
    """One JSON object a line, the trit as 1, 0 or "?"."""
    for one in judgments:
        row: dict[str, Any] = {"query_id": one.query_id, "memory_id": one.memory_id}
        if one.namespace is not ABSENT:
            row["namespace"] = one.namespace
        row |= {"axis": one.axis, "value": one.value.json, "source": one.source}
        fp.write(json.dumps(row, ensure_ascii=False) + "\n")


def record_json(record: Record, *, edited: bool = True) -> dict[str, Any]:
    """The record as the object that is written for it, unknown keys at the top again."""
    fields = record.effective() if edited else dict(record.fields)
    specs = QUERY_FIELDS if isinstance(record, Query) else MEMORY_FIELDS
    meta = fields.get("meta")
    if not isinstance(meta, dict) or not meta:
        return fields
    inner = {name: value for name, value in meta.items() if name in specs}
    outer = {name: value for name, value in meta.items() if name not in specs}
    del fields["meta"]
    return {**fields, **outer, **({"meta": inner} if inner else {})}


def _write_records(records: Iterable[Record], fp: IO[str], edited: bool) -> None:
    for record in records:
        fp.write(json.dumps(record_json(record, edited=edited), ensure_ascii=False) + "\n")


@contextmanager
def atomic(path: Path) -> Iterator[IO[str]]:
    """A text file that takes its place only when it is whole and on the disk; otherwise nothing is left behind.

    What is no ordinary file, a pipe or a device, is written to as it is: another file must never take its place.
    """
    check_write(path)
    if path.exists() and not path.is_file():
        with path.open("w", encoding="utf-8", newline="\n") as fp:
            yield fp
        return
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with temporary.open("x", encoding="utf-8", newline="\n") as fp:
            yield fp
            fp.flush()
            os.fsync(fp.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def is_part(name: str) -> bool:
    """Whether a file of this name in a folder is read as a part of a bundle."""
    return name.split(".")[0] in SECTIONS or name in _TABLES


def write_bundle(bundle: Bundle, folder: Path, *, edited: bool = True, overwrite: bool = False) -> None:
    """Write memories.jsonl, queries.jsonl, judgments.jsonl, bundle.toml and policy.toml, those that hold anything.

    Raises InspectorError where the folder already holds a part of a bundle: a source is never written. With
    ``overwrite`` the files of the same names are replaced, but a part that this bundle lacks is still refused.
    """
    settings = settings_toml(bundle.settings)
    parts: dict[str, Callable[[IO[str]], object]] = {
        "memories.jsonl": lambda fp: write_memories(bundle.memories, fp, edited=edited)
    }
    if bundle.queries:
        parts["queries.jsonl"] = lambda fp: write_queries(bundle.queries, fp, edited=edited)
    if bundle.judgments:
        parts["judgments.jsonl"] = lambda fp: write_judgments(bundle.judgments, fp)
    if settings:
        parts["bundle.toml"] = lambda fp: fp.write(settings)
    if bundle.settings.policy:
        parts["policy.toml"] = lambda fp: fp.write(bundle.settings.policy)
    if bundle.settings.calibration:
        parts["calibration.toml"] = lambda fp: fp.write(bundle.settings.calibration)
    folder.mkdir(parents=True, exist_ok=True)
    for file in sorted(folder.iterdir()):
        if is_part(file.name) and not (overwrite and file.name in parts):
            raise InspectorError(
                _("{folder} already holds {name}: choose an empty folder").format(folder=folder, name=file.name)
            )
    for name, write in parts.items():
        with atomic(folder / name) as fp:
            write(fp)


def settings_toml(settings: Settings) -> str:
    """``bundle.toml`` of what differs from the defaults; "" where nothing does."""
    default = Settings()
    lines: list[str] = []
    if settings.exported_at is not None:
        lines.append(f"exported_at = {_time_toml(settings.exported_at, settings.timezone)}")
    for name in ("timezone", "isolation", "unknown_intent", "route", "lexical_text", "tokenizer"):
        value = getattr(settings, name)
        if value != getattr(default, name):
            lines.append(f"{name} = {toml_value(value)}")
    for name in ("shared_namespaces", "aliases"):
        value = getattr(settings, name)
        if value:
            lines.append(f"{name} = {toml_value(value)}")
    if settings.assumptions:
        lines += ["", "[assumptions]"]
        lines += [f"{toml_value(name)} = {toml_value(value)}" for name, value in settings.assumptions.items()]
    return "\n".join(lines) + "\n" if lines else ""


def _time_toml(instant: Instant, timezone: str | None) -> str:
    try:
        if parse_time(instant.text, "exported_at", timezone).us == instant.us:
            return toml_value(instant.text)
    except FieldError:
        pass
    return instant.text  # epoch seconds: the text is the number as Python writes it


def toml_value(value: Any) -> str:
    """A value of JSON's types as TOML; null has no form there and raises InspectorError."""
    if isinstance(value, bool):
        return "true" if value is True else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_value(one) for one in value) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{toml_value(name)} = {toml_value(one)}" for name, one in value.items()) + "}"
    raise InspectorError(_("{value!r} cannot be written as TOML").format(value=value))
