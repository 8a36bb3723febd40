"""Foreign JSON Lines, JSON, CSV, Parquet, and tables of SQLite and PostgreSQL, read through ``mapping.toml``.

The file lies in a bundle folder, or is given with ``--mapping``. Everything in it is optional but the required fields
of a section (``id`` and ``text``; for judgments query_id, memory_id, axis, value)::

    timezone = "Asia/Seoul"              # the zone of the source's times that name none

    [memories]                           # likewise [queries] and [judgments]
    file = "export/points.json"          # beside this file; absent: memories.*, or the SOURCE given
    records = "result.points"            # where in a JSON document the list is; absent: the document is the list
    table = "memories"                   # of a database: which table; absent: the only one that an SQLite file has

    [memories.fields]                    # field = source path; a dot steps inwards, a number into a list,
    id = "point_id"                      # "\\\\." is a dot in a key
    text = "payload.content"
    created_at = "payload.created"
    "keys.user_id" = "payload.user"      # one key of a field that holds an object

    [memories.constants]                 # field = a value that every record gets
    source = "vector index"

    [memories.templates]                 # field = text with {source path} in it; a list makes a namespace of segments
    namespace = ["acme", "{payload.tenant}", "{payload.user}"]

    [memories.values.status]             # source value = field value; a value that is not listed stays as it is
    "1" = "active"
    "0" = "archived"

    [memories.units]                     # a time counted from 1970 in s, ms, us or ns
    created_at = "ms"

    [memories.split]                     # a text that holds several: what stands between two
    allowed_purposes = ";"

Source values keep their type, except that whole numbers become texts where a field holds texts, and a single text
becomes a list of one where a field holds a list (also ``principal.namespaces`` and ``principal.roles``). CSV cells are
read as :mod:`inspector.formats.cells` says. Where a template lacks one of its values (absent, null or empty) the field
is absent, and the memory's ``loss`` says why: no namespace is ever made of a missing part. Prefer a list of segments to
a text with a separator: ``a/b`` can come about in two ways, ``["a", "b"]`` in one.

In a database's rows a text that is JSON (an SQLite column of lists, say) is read as JSON where its field holds a list,
an object or a vector, and a path may step into it.

What is not mapped is kept in ``meta`` under its own name, even where that is a field's name: only the mapping decides
what a field means. A part without a section is read as canonical records.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from inspector.addresses import is_address
from inspector.errors import FieldError, InputError, Problem, Unrecognised
from inspector.formats import canonical, postgres, sqlite
from inspector.formats.base import Format, LoadOptions, Watch, at, clip, path_text
from inspector.formats.cells import from_json, from_text
from inspector.formats.collect import Collector
from inspector.formats.mapping_schema import (
    PARTS,
    SPECS,
    Mapped,
    Section,
    SourcePath,
    Target,
    Template,
    read_mapping,
)
from inspector.formats.outline import outline
from inspector.formats.recognise import Source
from inspector.formats.rows import Container, Raw, read_rows
from inspector.formats.sniff import sniff
from inspector.i18n import D_, _
from inspector.records import FieldSpec, Memory, Origin

_NOWHERE = D_("{file}: {where}: no record of {name} has {path}")
_LOST = D_("{field}: {path} is missing in the source")
_CONSTANT = D_("constant {value}")
_TEMPLATE = D_("template {value}")

FORMAT = Format(
    name="mapped",
    summary="any other JSON Lines, JSON, CSV, Parquet or SQLite table, through mapping.toml or --mapping FILE",
    recognised_by="a mapping that is given, or lies in the bundle folder",
    example='mapping.toml:\n[memories.fields]\nid = "uuid"\ntext = "payload.content"\nnamespace = "payload.user"',
    loss="what the mapping does not name is kept in meta and decides nothing",
    scope="what the mapping makes namespace of",
    policy="what it makes allowed_purposes of; rules of --policy",
    lifecycle="what it makes status, times and superseded_by of",
)
_LISTS = {("principal", "namespaces"), ("principal", "roles")}
_NUMERIC_WORDS = ("priority", "risk")
_NOTHING = object()
#: Formats whose SOURCE itself is what the mapping is applied to.
GIVEN = ("mapped", "postgresql")


def of_source(source: Source, options: LoadOptions) -> Mapped | None:
    """The mapping that applies to a source, or None where its records are read as they are."""
    if source.format not in ("bundle", *GIVEN):
        return None
    path = options.mapping or source.parts.get("mapping")
    if path is not None:
        return read_mapping(path)
    if source.format in GIVEN:
        name = postgres.shown(source.path)
        expected = _("--mapping FILE; `inspector map {name} --out mapping.toml` proposes one").format(
            name=shlex.quote(name)
        )
        raise Unrecognised.at(name, None, "", _("no mapping was given"), expected)
    return None


def with_files(source: Source, options: LoadOptions) -> Source:
    """The source with the files that its mapping names."""
    mapped = of_source(source, options)
    if mapped is None:
        return source
    parts = dict(source.parts)
    for part, section in mapped.sections.items():
        is_given = part == "memories" and source.format in GIVEN
        if section.file is not None and not is_given:
            if not section.file.exists():
                wrong = _("there is no {file}").format(file=section.file)
                raise InputError.at(
                    mapped.file, None, f"{part}.file", wrong, _("a file, named from this file's folder")
                )
            parts[part] = section.file
        elif part not in parts and (section.records or section.table) and "memories" in parts:
            parts[part] = parts["memories"]  # another list of the same document, another table of the same database
    if "memories" not in parts:
        raise InputError.at(mapped.file, None, "memories", _("names no file"), _("file = …, or memories.* beside it"))
    files = [*source.files, *(file for file in parts.values() if not is_address(file))]
    return replace(source, parts=parts, files=tuple(dict.fromkeys(files)))


def read(source: Source, mapped: Mapped, collector: Collector, watch: Watch) -> None:
    """Read every part of a source, those with a section through it."""
    for part in PARTS:
        path = source.parts.get(part)
        if path is None or part in collector.replaced:
            continue
        section = mapped.sections.get(part)
        if section is None and is_address(path):
            raise InputError.at(
                mapped.file, None, part, _("is missing"), _("a section [{part}] that names the table").format(part=part)
            )
        if section is None:
            canonical.read_part(path, part, sniff(path).container, collector, watch)
        else:
            _read_part(path, mapped.file, section, collector, watch)


def _read_part(path: Path, file: str, section: Section, collector: Collector, watch: Watch) -> None:
    name = postgres.shown(path)
    take: dict[str, Callable[[Any, Any, bool], None]] = {
        "memories": collector.memory,
        "queries": collector.query,
        "judgments": collector.judgment,
    }
    maker = _Maker(section, _container(path))
    before = len(collector.memories) + collector.repeated
    skipped = len(collector.skipped)
    seen = 0
    for raw in _rows(path, name, file, section, collector, watch):
        seen += 1
        try:
            record = maker.make(raw.value)
        except FieldError as error:
            collector.fault(at(error, raw.origin.file, raw.origin.line))
            continue
        take[section.part](record, raw.origin, raw.suspect)
    if not seen and len(collector.skipped) == skipped:
        raise InputError.at(
            name, None, "", _("the file holds no records"), _("at least one of {part}").format(part=section.part)
        )
    if section.part == "memories":
        canonical.note_page(name, len(collector.memories) + collector.repeated - before, collector)
    prefix = {"memories": "", "queries": "query.", "judgments": "judgment."}[section.part]
    for text, made in maker.mapped():
        collector.mapped[text] = ", ".join(one for one in (collector.mapped.get(text), prefix + made) if one)
    for target, source_path in section.fields.items():
        if not maker.found[source_path]:
            where = f"{section.part}.fields.{'.'.join(target)}"
            collector.notes.append(_NOWHERE.format(file=file, where=where, name=name, path=path_text(source_path)))


def _rows(path: Path, name: str, file: str, section: Section, collector: Collector, watch: Watch) -> Iterator[Raw]:
    """The raw records that the section's ``records`` path or ``table`` leads to."""
    container = _container(path)
    if container == "postgresql":
        if not section.table:
            raise InputError.at(file, None, f"{section.part}.table", _("is missing"), _("the table's name"))
        for row, origin in postgres.read_table(path, section.table, watch, collector.fault):
            yield Raw("", row, origin, True)
        return
    if container == "sqlite":
        yield from _table_rows(path, name, file, section, collector, watch)
        return
    if section.table:
        wrong = _("{name} is no database").format(name=name)
        raise InputError.at(file, None, f"{section.part}.table", wrong, _("records, for a list inside JSON"))
    where = f"{section.part}.records"
    if not section.records:
        for raw in read_rows(path, name, container, watch, collector.fault):
            if raw.whole:
                wrong = _("{name} is an object, not a list").format(name=name)
                raise InputError.at(file, None, where, wrong, _("the path to the list in it"))
            yield raw
        return
    if container in ("csv", "parquet"):
        wrong = _("{name} is {container}").format(name=name, container=container)
        raise InputError.at(file, None, where, wrong, _("no records path: every row is a record"))
    wanted = path_text(section.records)
    found = False
    for raw in read_rows(path, name, "json", watch, collector.fault, frozenset((section.records,))):
        if raw.section != wanted:
            continue
        found = True
        if raw.whole:
            wrong = _("{wanted} of {name} is not a list").format(wanted=wanted, name=name)
            raise InputError.at(file, None, where, wrong, _("the path to a list"))
        yield raw
    if not found:
        wrong = _("{name} has nothing, or an empty list, at {wanted}").format(name=name, wanted=wanted)
        raise InputError.at(file, None, where, wrong, _("the path to a list"))


def _container(path: Path) -> Container | Literal["sqlite", "postgresql"]:
    if is_address(path):
        return "postgresql"
    return "sqlite" if outline(path).holder == "sqlite" else sniff(path).container


def _table_rows(
    path: Path, name: str, file: str, section: Section, collector: Collector, watch: Watch
) -> Iterator[Raw]:
    where = f"{section.part}.table"
    if section.records:
        raise InputError.at(file, None, f"{section.part}.records", _("{name} is a database").format(name=name), "table")
    known = sqlite.tables(path)
    table = section.table
    if not table and len(known) != 1:
        raise InputError.at(
            file, None, where, _("is missing"), _("one of ") + (", ".join(map(clip, known)) or _("none"))
        )
    table = table or next(iter(known))
    if table not in known:
        wrong = _("{name} has no table {clip}").format(name=name, clip=clip(table, 60))
        raise InputError.at(file, None, where, wrong, _("one of ") + (", ".join(map(clip, known)) or _("none")))
    for row, origin in sqlite.read_table(path, name, table, watch, collector.fault):
        yield Raw("", row, origin, True)


def made_of(
    mapped: Mapped, rows: Iterable[Mapping[str, Any]], container: str, name: str, timezone: str | None = None
) -> list[Memory | Problem]:
    """The memories that a mapping makes of sample records, or what is wrong with a record, in their order.

    ``container`` is the form of the file that they are of: json, jsonl, csv, parquet, sqlite or postgresql.
    """
    maker = _Maker(mapped.sections["memories"], container)
    found: list[Memory | Problem] = []
    for number, row in enumerate(rows, 1):
        origin = Origin(name, number)
        collector = Collector(lenient=True, timezone=timezone or mapped.timezone)
        try:
            collector.memory(maker.make(row), origin, suspect=True)
        except FieldError as error:
            collector.fault(at(error, name, number))
        found.append(collector.skipped[0] if collector.skipped else collector.memories[0])
    return found


def lookup(value: Any, path: SourcePath) -> Any:
    """What stands at a path, or a private mark where nothing does."""
    for depth, part in enumerate(path):
        if depth == 1 and isinstance(value, str) and value.lstrip()[:1] in ("{", "["):  # a database's column of JSON
            try:
                value = from_json(part, value)
            except FieldError:
                return _NOTHING
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            return _NOTHING
    return value


def lookup_text(value: Any, path: SourcePath) -> tuple[Any, bool]:
    """What stands at a path, and whether anything does."""
    found = lookup(value, path)
    return (None, False) if found is _NOTHING else (found, True)


class _Maker:
    """Makes canonical records of foreign ones by one section."""

    def __init__(self, section: Section, container: str) -> None:
        self._section = section
        self._specs = SPECS[section.part]
        self._is_csv = container == "csv"
        self._is_table = container in ("sqlite", "postgresql")
        self.found: Counter[SourcePath] = Counter()
        templates = [path for template in section.templates.values() for path in template.paths]
        self._used = tuple(dict.fromkeys([*section.fields.values(), *templates]))

    def mapped(self) -> Iterator[tuple[str, str]]:
        """Source and target of every rule, in words for the account of the load."""
        for target, path in self._section.fields.items():
            yield path_text(path), ".".join(target)
        for target, value in self._section.constants.items():
            yield _CONSTANT.format(value=clip(repr(value), 60, data=True)), ".".join(target)
        for goal, template in self._section.templates.items():
            parts = [f'"{part}"' for part in template.parts]
            written = f"[{', '.join(parts)}]" if template.is_list else parts[0]
            yield _TEMPLATE.format(value=written), ".".join(goal)

    def make(self, raw: Any) -> dict[str, Any]:
        """The canonical record. Raises FieldError."""
        if not isinstance(raw, dict):
            raise FieldError("", _("{clip} is not an object").format(clip=clip(repr(raw), 40)), _("an object"))
        made: dict[str, Any] = {}
        for target, path in self._section.fields.items():
            value = lookup(raw, path)
            if value is not _NOTHING:
                self.found[path] += 1
                _put(made, target, self._convert(target, value))
        for target, value in self._section.constants.items():
            _put(made, target, value)
        loss: list[str] = []
        for target, template in self._section.templates.items():
            texts, lost = _texts(raw, template)
            if lost is None:
                filled = template.fill(texts)
                _put(made, target, [filled] if target in _LISTS else filled)
            else:
                loss.append(_LOST.format(field=".".join(target), path=path_text(lost)))
        if loss and self._section.part == "memories":
            made["loss"] = [*made.get("loss", []), *loss]
        if self._section.part != "judgments":
            rest = _without(raw, self._used)
            if rest:
                made["meta"] = {**rest, **made.get("meta", {})}
        return made

    def _convert(self, target: Target, value: Any) -> Any:
        section, spec = self._section, self._specs[target[0]]
        listed = section.values.get(target)
        if listed is not None:
            key = value if isinstance(value, str) else _word(value)
            if key in listed:
                return listed[key]
        if target in section.units:
            return _seconds(value, section.units[target], ".".join(target))
        if target in section.split and isinstance(value, str):
            return [part.strip() for part in value.split(section.split[target]) if part.strip()]
        if self._is_csv and len(target) == 1:
            is_single = spec.kind == "list" and not value.lstrip().startswith("[")
            return [value] if is_single else from_text(spec, value)
        if self._is_table and len(target) == 1 and isinstance(value, str) and _is_json(spec, value):
            value = from_json(".".join(target), value)
        return _as_texts(target, spec, value)


def _is_json(spec: FieldSpec, value: str) -> bool:
    """Whether a table's text is read as JSON: its field holds a list, an object or a vector, and it looks like one."""
    opens = value.lstrip()[:1]
    return (spec.kind in ("list", "object", "vector") and opens in ("[", "{")) or (
        spec.kind == "namespace" and opens == "["
    )


def _put(made: dict[str, Any], target: Target, value: Any) -> None:
    if len(target) == 1:
        made[target[0]] = value
    else:
        made.setdefault(target[0], {})[target[1]] = value


def _word(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)


def _texts(raw: dict[str, Any], template: Template) -> tuple[dict[SourcePath, str], SourcePath | None]:
    """The texts for a template's holes, or the first path that has none."""
    texts: dict[SourcePath, str] = {}
    for path in template.paths:
        value = lookup(raw, path)
        if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
            return texts, path
        texts[path] = str(value)
    return texts, None


def _seconds(value: Any, per_second: int, field: str) -> Any:
    if isinstance(value, str):
        try:
            value = int(value)
        except ValueError:
            raise FieldError(
                field, _("{clip} is not a count").format(clip=clip(repr(value), 60)), _("a whole number of the unit")
            ) from None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if isinstance(value, int) and value % per_second == 0:
        return value // per_second
    return value / per_second


def _as_texts(target: Target, spec: FieldSpec, value: Any) -> Any:
    """Whole numbers as texts where the field holds texts, single values as a list of one where it holds a list."""
    if spec.kind == "list" or target in _LISTS:
        many = value if isinstance(value, list) else [value] if isinstance(value, str | int) else value
        return [_number_text(one) for one in many] if isinstance(many, list) else many
    is_text = spec.kind in ("id", "text", "word", "namespace") and spec.name not in _NUMERIC_WORDS
    if len(target) == 1 and is_text and spec.name != "value":
        if spec.kind == "namespace" and isinstance(value, list):
            return [_number_text(one) for one in value]
        return _number_text(value)
    return value


def _number_text(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _without(raw: Mapping[str, Any], used: tuple[SourcePath, ...]) -> dict[str, Any]:
    """The record less what the mapping took; an object of which everything was taken goes with it."""
    rest = dict(raw)
    inner: dict[str, list[SourcePath]] = {}
    for path in used:
        if len(path) == 1:
            rest.pop(path[0], None)
        else:
            inner.setdefault(path[0], []).append(path[1:])
    for key, paths in inner.items():
        value = rest.get(key)
        if isinstance(value, dict):
            left = _without(value, tuple(paths))
            if left or not value:
                rest[key] = left
            else:
                del rest[key]
    return rest
