"""Field matches for an export that no importer knows: proposed by name and by the shape of the values.

:func:`sample` takes the first records out of a file, :func:`propose` matches their fields with ours, and
:func:`mapping_toml` writes the mapping. Nothing is decided here: every match says how sure it is and why, for a person
to confirm:

- ``sure``: the name is one that stores use for the field, and every value fits it;
- ``likely``: the name fits and most values do, or the name fits in part and every value does;
- ``guess``: the values alone look like it.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspector.addresses import is_address, safe_address
from inspector.errors import InputError
from inspector.formats import postgres, sqlite
from inspector.formats.base import Watch, name_of, path_text
from inspector.formats.canonical import toml_value
from inspector.formats.mapping_schema import split_path
from inspector.formats.match import Confidence, Proposal, propose
from inspector.formats.outline import EACH, Outline, outline
from inspector.formats.rows import Container, Raw, read_rows
from inspector.formats.sniff import sniff
from inspector.i18n import _

__all__ = ["Confidence", "Proposal", "Sample", "mapping_toml", "propose", "sample"]


@dataclass(frozen=True)
class Sample:
    """The first records of a source, and the form that they are in.

    ``records`` is the path to their list in a JSON document ("" where the document is the list, or has lines), and
    ``lists`` are the paths that it could be; ``table`` and ``tables`` are set for a database.
    """

    rows: tuple[Mapping[str, Any], ...]
    container: str
    records: str = ""
    lists: tuple[str, ...] = ()
    table: str = ""
    tables: tuple[str, ...] = ()


def sample(path: Path, limit: int = 200, table: str = "", records: str = "") -> Sample:
    """The first records of an unknown source: JSON, JSON Lines, CSV, Parquet, SQLite, or a PostgreSQL database.

    Of a JSON document the list at ``records`` is taken, else the one with the most fields; of a database ``table``,
    else the one with the most columns that holds a row. Raises InputError where no records can be found, the file is
    broken before ``limit`` of them, or the database cannot be reached.
    """
    if is_address(path):
        return _sample_live(path, limit, table)
    found, name = outline(path), name_of(path)
    watch = Watch(None, lambda: False, None)
    if found.holder == "sqlite":
        return _sample_table(path, name, found, watch, limit, table)
    container: Container = found.holder if found.holder in ("json", "jsonl") else sniff(path).container
    at_list: tuple[str, ...] = ()
    if container == "json" and not found.at(EACH):
        at_list = split_path(records) if records else _best_list(found)
        container = "json" if at_list else "jsonl"  # an object without a list is one record
    wanted_lists = frozenset((at_list,)) if at_list else frozenset()

    def raise_(error: InputError) -> None:
        raise error

    wanted = path_text(at_list)
    raws = read_rows(path, name, container, watch, raise_, wanted_lists)
    rows = tuple(itertools.islice((raw.value for raw in raws if _is_record(raw, wanted)), limit))
    if not rows:
        raise InputError.at(name, None, "", _("holds no records"), _("a list of objects"))
    lists = tuple(path_text(one) for one in _lists(found)) if container == "json" else ()
    return Sample(rows, container, wanted, lists)


def _is_record(raw: Raw, wanted: str) -> bool:
    return not raw.whole and raw.section == wanted and isinstance(raw.value, dict)


#: An SQLite file may have more empty tables than anyone waits for.
_TABLES_TRIED = 200


def _sample_table(path: Path, name: str, found: Outline, watch: Watch, limit: int, table: str) -> Sample:
    tables = tuple(sorted(found.tables, key=lambda one: (-len(found.tables[one]), one)))
    if not tables:
        raise InputError.at(name, None, "", _("has no tables"), _("a table of memories"))
    chosen = table or tables[0]
    taken: tuple[dict[str, Any], ...] = ()
    for one in (table,) if table else tables[:_TABLES_TRIED]:
        rows = sqlite.read_table(path, name, one, watch, lambda _: None)
        taken = tuple(row for row, _rest1 in itertools.islice(rows, limit))
        if taken:
            chosen = one
            break
    if not taken:
        raise InputError.at(
            name, None, "", _("the table {chosen} holds no rows").format(chosen=chosen), _("a table of memories")
        )
    return Sample(taken, "sqlite", table=chosen, tables=tables)


def _sample_live(path: Path, limit: int, table: str) -> Sample:
    tables = tuple(postgres.tables(path))
    if not tables and not table:
        raise InputError.at(safe_address(path), None, "", _("has no tables that may be read"), _("a table of memories"))
    chosen = table or tables[0]
    rows = tuple(postgres.first_rows(path, chosen, limit))
    if not rows:
        raise InputError.at(
            safe_address(path),
            None,
            "",
            _("the table {chosen} holds no rows").format(chosen=chosen),
            _("a table of memories"),
        )
    return Sample(rows, "postgresql", table=chosen, tables=tables)


def _lists(found: Outline) -> list[tuple[str, ...]]:
    """The paths of the lists of objects in a JSON document, those with the most keys first."""
    lists = [path for path in found.keys if len(path) > 1 and path[-1] == EACH and EACH not in path[:-1]]
    return [path[:-1] for path in sorted(lists, key=lambda path: (-len(found.keys[path]), len(path), path))]


def _best_list(found: Outline) -> tuple[str, ...]:
    """The path of the list whose objects have the most keys, the outermost of equals."""
    lists = [path for path in found.keys if path and path[-1] == EACH and EACH not in path[:-1]]
    best = max(lists, key=lambda path: (len(found.keys[path]), -len(path)), default=())
    return best[:-1]


def mapping_toml(
    proposals: Sequence[Proposal], *, records: str = "", table: str = "", timezone: str = "", file: str = ""
) -> str:
    """The text of a ``mapping.toml`` for the matches, each with its confidence and reason as a comment.

    ``file`` names the source for a mapping that lies beside it, so that the folder can be opened too.
    """
    lines = [f"timezone = {toml_value(timezone)}", ""] if timezone else []
    lines.append("[memories]")
    if file:
        lines.append(f"file = {toml_value(file)}")
    if records:
        lines.append(f"records = {toml_value(records)}")
    if table:
        lines.append(f"table = {toml_value(table)}")
    lines += ["", "[memories.fields]"]
    for one in proposals:
        if len(one.paths) == 1:
            comment = f"# {one.confidence}: {one.why}".translate(_ONE_LINE)
            lines += [comment, f"{toml_value(one.target)} = {toml_value(one.paths[0])}"]
    joined = [one for one in proposals if len(one.paths) > 1]
    if joined:
        lines += ["", "[memories.templates]"]
        for one in joined:
            holes = ["{" + path + "}" for path in one.paths]
            made: Any = holes if one.target == "namespace" else "/".join(holes)
            comment = f"# {one.confidence}: {one.why}".translate(_ONE_LINE)
            lines += [comment, f"{toml_value(one.target)} = {toml_value(made)}"]
    constants = [one for one in proposals if not one.paths]
    if constants:
        lines += ["", "[memories.constants]"]
        lines += [f"{toml_value(one.target)} = {toml_value(one.constant)}" for one in constants]
    units = {one.target: one.unit for one in proposals if one.unit}
    if units:
        lines += ["", "[memories.units]"]
        lines += [f"{toml_value(target)} = {toml_value(unit)}" for target, unit in units.items()]
    splits = {one.target: one.split for one in proposals if one.split}
    if splits:
        lines += ["", "[memories.split]"]
        lines += [f"{toml_value(target)} = {toml_value(between)}" for target, between in splits.items()]
    for one in proposals:
        if one.values:
            lines += ["", f"[memories.values.{toml_value(one.target)}]"]
            lines += [f"{toml_value(word)} = {toml_value(label)}" for word, label in one.values.items()]
    return "\n".join(lines) + "\n"


#: A comment ends at its line: control characters of a stranger's names must not end it.
_ONE_LINE = dict.fromkeys((*range(32), 127, 133, 8232, 8233), " ")
