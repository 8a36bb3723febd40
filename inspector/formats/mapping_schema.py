"""``mapping.toml`` read and checked; :mod:`inspector.formats.mapping` documents it and applies it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspector.errors import FieldError, InputError
from inspector.formats.base import at, clip, did_you_mean, name_of
from inspector.formats.collect import JUDGMENT_FIELDS
from inspector.formats.settings import check_keys, check_timezone, read_toml
from inspector.i18n import _
from inspector.records import MEMORY_FIELDS, QUERY_FIELDS, FieldSpec, check_field

PARTS = ("memories", "queries", "judgments")
UNITS = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
SPECS: dict[str, Mapping[str, FieldSpec]] = {
    "memories": MEMORY_FIELDS,
    "queries": QUERY_FIELDS,
    "judgments": {
        name: FieldSpec(name, "namespace" if name == "namespace" else "word", Any, "") for name in JUDGMENT_FIELDS
    },
}
_TOP = ("timezone", *PARTS)
_SECTION = ("file", "table", "records", "fields", "constants", "templates", "values", "units", "split")
_REQUIRED = {
    "memories": ("id", "text"),
    "queries": ("id", "text"),
    "judgments": ("query_id", "memory_id", "axis", "value"),
}
_HOLE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")

SourcePath = tuple[str, ...]
Target = tuple[str, ...]


@dataclass(frozen=True)
class Template:
    """Text with ``{source path}`` holes, or a list of such texts for a namespace of segments."""

    parts: tuple[str, ...]
    is_list: bool
    paths: tuple[SourcePath, ...]

    def fill(self, texts: Mapping[SourcePath, str]) -> str | list[str]:
        """The value with every hole filled."""
        made = [_HOLE.sub(lambda found: self._piece(found, texts), part) for part in self.parts]
        return made if self.is_list else made[0]

    @staticmethod
    def _piece(found: re.Match[str], texts: Mapping[SourcePath, str]) -> str:
        return found[0][0] if found[1] is None else texts[split_path(found[1])]


@dataclass(frozen=True)
class Section:
    """How one part's records are made. ``table`` names a table of a database, a schema before a dot in PostgreSQL.

    Targets are field names, or a field and one key inside it.
    """

    part: str
    file: Path | None = None
    table: str = ""
    records: SourcePath = ()
    fields: Mapping[Target, SourcePath] = field(default_factory=dict)
    constants: Mapping[Target, Any] = field(default_factory=dict)
    templates: Mapping[Target, Template] = field(default_factory=dict)
    values: Mapping[Target, Mapping[str, Any]] = field(default_factory=dict)
    units: Mapping[Target, int] = field(default_factory=dict)
    split: Mapping[Target, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Mapped:
    """A whole mapping: its file's name, the zone of the source's naive times, and a section for each part."""

    file: str
    timezone: str | None
    sections: Mapping[str, Section]


def split_path(text: str) -> SourcePath:
    """``a.b\\.c.0`` as its segments: a dot steps into an object or list, ``\\.`` is a dot in a key."""
    return tuple(part.replace("\0", ".") for part in text.replace("\\.", "\0").split("."))


def read_mapping(path: Path) -> Mapped:
    """Read and check a mapping. Raises InputError that names the file and the key."""
    return check_mapping(read_toml(path), path)


def check_mapping(table: Mapping[str, Any], path: Path) -> Mapped:
    """Check a mapping's table, as it stands at ``path`` or is to be written there. Raises InputError."""
    file = name_of(path)
    check_keys(table, _TOP, file)
    try:
        timezone = check_timezone(table["timezone"]) if "timezone" in table else None
        sections = {part: _section(part, table[part], path) for part in PARTS if part in table}
    except FieldError as error:
        raise at(error, file, None) from None
    if not sections:
        raise InputError.at(file, None, "", _("maps nothing"), "a section [memories], [queries] or [judgments]")
    return Mapped(file, timezone, sections)


def _table(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise FieldError(where, _("is not a table"), "a table")
    return value


def _text(value: Any, where: str, expected: str) -> str:
    if not isinstance(value, str) or not value:
        raise FieldError(where, _("{clip} is not a text").format(clip=clip(repr(value), 60)), expected)
    return value


def _section(part: str, table: Any, path: Path) -> Section:
    table = _table(table, part)
    for name in table:
        if name not in _SECTION:
            wrong = _("unknown key{did_you_mean}").format(did_you_mean=did_you_mean(name, _SECTION))
            raise FieldError(f"{part}.{clip(name)}", wrong, _("one of ") + ", ".join(_SECTION))

    def targets(name: str) -> dict[Target, tuple[Any, str]]:
        where = f"{part}.{name}"
        rows = _table(table.get(name, {}), where)
        return {
            _target(part, key, f"{where}.{clip(key)}"): (value, f"{where}.{clip(key)}")
            for key, value in _flat(rows, part).items()
        }

    file = None
    if "file" in table:
        file = path.parent / _text(table["file"], f"{part}.file", "a file's name")
    records = (
        split_path(_text(table["records"], f"{part}.records", _("a path to a list"))) if "records" in table else ()
    )
    table_name = _text(table["table"], f"{part}.table", "a table's name") if "table" in table else ""
    if table_name and records:
        raise FieldError(f"{part}.records", _("stands beside table"), _("one of the two: a row of a table is a record"))
    made = Section(
        part=part,
        file=file,
        table=table_name,
        records=records,
        fields={
            key: split_path(_text(value, where, _("a source path")))
            for key, (value, where) in targets("fields").items()
        },
        constants={key: _constant(part, key, value, where) for key, (value, where) in targets("constants").items()},
        templates={key: _template(value, where) for key, (value, where) in targets("templates").items()},
        values={key: _values(value, where) for key, (value, where) in targets("values").items()},
        units={key: _unit(value, where) for key, (value, where) in targets("units").items()},
        split={
            key: _text(value, where, _("the text between two items"))
            for key, (value, where) in targets("split").items()
        },
    )
    _check_targets(made)
    return made


def _flat(rows: Mapping[str, Any], part: str) -> dict[str, Any]:
    """``principal.id = …`` written without quotes is a table in TOML: take it for the target that it looks like.

    Only fields that hold an object are opened so, and only where no inner key is meant as a value map's entry.
    """
    flat: dict[str, Any] = {}
    for key, value in rows.items():
        spec = SPECS[part].get(key)
        if isinstance(value, dict) and spec is not None and spec.kind == "object":
            flat.update({f"{key}.{inner}": one for inner, one in value.items()})
        else:
            flat[key] = value
    return flat


def _target(part: str, key: str, where: str) -> Target:
    specs = SPECS[part]
    outer, _rest1, inner = key.partition(".")
    if outer not in specs:
        raise FieldError(
            where,
            _("no such field{did_you_mean}").format(did_you_mean=did_you_mean(outer, specs)),
            _("a field of {part}").format(part=part),
        )
    if inner and specs[outer].kind != "object":
        raise FieldError(
            where, _("{outer} is not an object").format(outer=outer), _("{outer} alone").format(outer=outer)
        )
    return (outer, inner) if inner else (outer,)


def _constant(part: str, key: Target, value: Any, where: str) -> Any:
    if hasattr(value, "isoformat"):  # a TOML date or date-time
        value = value.isoformat()
    if len(key) == 1 and part != "judgments":
        try:
            check_field(SPECS[part][key[0]], value)
        except FieldError as error:
            raise FieldError(where, error.wrong, error.expected) from None
    return value


def _template(value: Any, where: str) -> Template:
    parts = value if isinstance(value, list) else [value]
    if not parts:
        raise FieldError(where, _("is empty"), _("a text with {source path} in it, or a list of such texts"))
    texts = [_text(part, where, _("a text with {source path} in it, or a list of such texts")) for part in parts]
    paths: list[SourcePath] = []
    for text in texts:
        rest = _HOLE.sub("", text)
        if "{" in rest or "}" in rest:
            raise FieldError(where, _("a brace is not closed"), _("{source path}; {{ and }} for braces themselves"))
        holes = [found[1] for found in _HOLE.finditer(text) if found[1] is not None]
        paths.extend(split_path(_text(hole, where, _("a source path between the braces"))) for hole in holes)
    return Template(tuple(texts), isinstance(value, list), tuple(dict.fromkeys(paths)))


def _values(value: Any, where: str) -> Mapping[str, Any]:
    return _table(value, where)


def _unit(value: Any, where: str) -> int:
    if value not in UNITS:
        raise FieldError(
            where, _("{clip} is no unit of time").format(clip=clip(repr(value), 60)), _("one of ") + ", ".join(UNITS)
        )
    return UNITS[value]


def _check_targets(section: Section) -> None:
    """Each target is made in one way, the required ones are made, and the modifiers modify something."""
    part = section.part
    made: dict[Target, str] = {}
    for name, table in (("fields", section.fields), ("constants", section.constants), ("templates", section.templates)):
        for target in table:
            text = ".".join(target)
            if target in made:
                raise FieldError(
                    f"{part}.{name}.{text}",
                    _("stands in {made} too").format(made=made[target]),
                    _("one source for one field"),
                )
            made[target] = name
    for required in _REQUIRED[part]:
        if (required,) not in made:
            raise FieldError(f"{part}.fields.{required}", _("is missing"), _("the source path of this field"))
    for name, modifiers in (("values", section.values), ("units", section.units), ("split", section.split)):
        for target in modifiers:
            text = ".".join(target)
            if target not in section.fields:
                raise FieldError(
                    f"{part}.{name}.{text}",
                    _("there is no {part}.fields.{text}").format(part=part, text=text),
                    _("a field that is mapped"),
                )
            spec = SPECS[part][target[0]]
            if name == "units" and spec.kind != "time":
                raise FieldError(f"{part}.{name}.{text}", _("is not a time"), _("a field that holds a time"))
