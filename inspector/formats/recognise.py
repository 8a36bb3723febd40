"""Which format a SOURCE is, and which files it is made of."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from inspector.addresses import is_address, safe_address, url_of
from inspector.errors import InputError, Unrecognised
from inspector.formats import gatemem, packets, postgres, rhelm, sqlite
from inspector.formats.base import clip, did_you_mean, name_of, os_fault
from inspector.formats.importer import Importer
from inspector.formats.importers import BY_NAME, IMPORTERS
from inspector.formats.outline import outline
from inspector.formats.rows import CONTAINERS
from inspector.formats.sniff import READABLE, sniff
from inspector.i18n import _

#: A file of empty lists is no longer than this.
_SMALL = 1 << 16
PARTS = ("memories", "queries", "judgments")
_SETTINGS = {
    "bundle.toml": "settings",
    "policy.toml": "policy",
    "mapping.toml": "mapping",
    "calibration.toml": "calibration",
}
#: Files that make a folder a bundle of ours; a calibration may lie beside anything.
_MARKS = ("bundle.toml", "policy.toml", "mapping.toml")
_FINDERS: dict[str, Callable[[Path], tuple[Path, ...]]] = {
    "rhelm": rhelm.find,
    "gatemem": gatemem.find,
    "authority-packet": packets.find,
}


@dataclass(frozen=True)
class Source:
    """One SOURCE argument: its format, every file that will be read, and for a bundle which file is which part.

    The parts are memories, queries, judgments, settings, policy, mapping, calibration; a single file is the part that
    it holds.
    """

    path: Path
    format: str
    files: tuple[Path, ...]
    parts: Mapping[str, Path] = field(default_factory=dict)


def recognise(path: Path, as_format: str | None, known: tuple[str, ...], mapped: bool) -> Source:
    """The source at a path, recognised from its content, or read as the format that the user names.

    ``mapped`` says that a mapping will be applied, so that fields need not be canonical. Raises InputError where
    nothing that can be read is there.
    """
    if as_format is not None and as_format not in known:
        wrong = _("no such format{did_you_mean}").format(did_you_mean=did_you_mean(as_format, known))
        raise InputError.at("--as " + clip(as_format), None, "", wrong, _("one of ") + ", ".join(known))
    if is_address(path):
        url_of(path)  # one with a password is refused before anything else looks at it
        if as_format not in (None, postgres.FORMAT.name):
            raise InputError.at(
                safe_address(path), None, "", _("is a database, not {as_format}").format(as_format=as_format), "no --as"
            )
        return Source(path, postgres.FORMAT.name, (), {"memories": path})
    try:
        is_folder = path.stat() is not None and path.is_dir()
        if is_folder:
            next(path.iterdir(), None)  # a folder that may not be read says so here
    except OSError as error:
        raise os_fault(error, name_of(path)) from None
    if is_folder:
        return _folder(path, as_format, mapped)
    if not path.is_file():
        raise InputError.at(
            name_of(path), None, "", _("is neither a file nor a folder"), _("a file that can be read twice")
        )
    return _file(path, as_format, mapped)


def _folder(path: Path, as_format: str | None, mapped: bool) -> Source:
    if as_format in CONTAINERS or as_format == "mapped":
        wrong = _("is a folder, and {as_format} is a file").format(as_format=as_format)
        raise InputError.at(name_of(path), None, "", wrong, _("a file, or --as bundle"))
    found = _imported(path, as_format)
    if found is not None and (as_format is not None or not mapped):
        return found
    if as_format in (None, "bundle"):
        parts = _bundle_parts(path)
        if "memories" in parts or "mapping" in parts:
            return Source(path, "bundle", tuple(parts.values()), parts)
    for name, find in _FINDERS.items():
        if as_format in (None, name):
            files = find(path)
            if files:
                return Source(path, name, files)
    if mapped and as_format in (None, "bundle"):
        return Source(path, "bundle", tuple(_bundle_parts(path).values()), _bundle_parts(path))
    expected = _("memories.*, or a folder that `inspector formats` lists")
    raise InputError.at(name_of(path), None, "", _("the folder holds no memories"), expected)


def _imported(path: Path, as_format: str | None) -> Source | None:
    """The source as a format of another project: the one that the user names, else the first that recognises it."""
    tried: tuple[Importer, ...] = IMPORTERS if as_format is None else ()
    if as_format in BY_NAME:
        tried = (BY_NAME[as_format],)
    elif path.is_dir() and _is_bundle(path):
        return None
    for importer in tried:
        files = importer.find(path)
        if files:
            return Source(path, importer.format.name, tuple(part for file in files for part in sqlite.files(file)))
    if as_format in BY_NAME:
        wrong, what = _("is not {as_format} data").format(as_format=as_format), BY_NAME[as_format].format.recognised_by
        raise InputError.at(name_of(path), None, "", wrong, what)
    return None


def _is_bundle(folder: Path) -> bool:
    """Whether a folder is a bundle of ours, whatever else lies in it."""
    named = (folder / name for name in (*_MARKS, "memories.jsonl", "memories.csv", "memories.parquet"))
    return any(one.exists() for one in named)


def _bundle_parts(folder: Path) -> dict[str, Path]:
    parts: dict[str, Path] = {}
    for file in sorted(folder.iterdir()):
        part = _SETTINGS.get(file.name) or (file.name.split(".")[0] if file.suffix not in ("", ".toml", ".md") else "")
        if not file.is_file() or (part not in PARTS and part not in _SETTINGS.values()):
            continue
        if part in parts:
            wrong = _("two files could be the {part}: {name} and {name2}").format(
                part=part, name=parts[part].name, name2=file.name
            )
            raise InputError.at(name_of(folder), None, "", wrong, _("one of them"))
        parts[part] = file
    return parts


def _file(path: Path, as_format: str | None, mapped: bool) -> Source:
    if as_format == postgres.FORMAT.name:
        raise InputError.at(name_of(path), None, "", _("is a file, and not a database"), "postgresql://USER@HOST/DB")
    if as_format == "bundle":
        raise InputError.at(
            name_of(path), None, "", _("is a file, and a bundle is a folder"), _("a folder with memories.*")
        )
    if as_format in _FINDERS:
        files = _FINDERS[as_format](path)
        if not files:
            raise InputError.at(
                name_of(path),
                None,
                "",
                _("is not {as_format} data").format(as_format=as_format),
                _("a file of {as_format}").format(as_format=as_format),
            )
        return Source(path, as_format, files)
    if mapped or as_format == "mapped":
        if outline(path).holder != "sqlite":
            sniff(path)  # says what cannot be read at all
        return Source(path, "mapped", sqlite.files(path), {"memories": path})
    found = _imported(path, as_format)
    if found is not None:
        return found
    if outline(path).holder == "sqlite":
        raise _unknown_database(path)
    shape = sniff(path)
    kind = shape.kind
    if as_format is None and kind in _FINDERS:
        return Source(path, kind, _FINDERS[kind](path))
    if kind == "rhelm-questions":
        raise InputError.at(name_of(path), None, "", _("holds rhelm questions without memories"), _("the rhelm folder"))
    if kind in PARTS:
        return Source(path, as_format or shape.container, (path,), {kind: path})
    if as_format is not None:
        return Source(path, as_format, (path,), {"memories": path})
    if shape.container == "json" and not shape.keys:
        raise InputError.at(name_of(path), None, "", _("the file holds no records"), _("at least one of memories"))
    empty = _empty_lists(path)
    if empty:
        wrong = _("the file holds no records: {lists} is empty").format(lists=", ".join(clip(one, 40) for one in empty))
        raise InputError.at(name_of(path), None, "", wrong, _("at least one record"))
    fields = ", ".join(sorted(clip(key, 40) for key in shape.keys)[:8]) or _("none")
    raise _unrecognised(path, _("not recognised (its fields: {fields})").format(fields=fields))


def _empty_lists(path: Path) -> list[str]:
    """The lists of a small JSON object, where it has some, all are empty, and nothing else in it could be records: the
    answer of a store that found nothing."""
    if path.stat().st_size > _SMALL:
        return []
    try:
        document = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return []
    if not isinstance(document, dict):
        return []
    nested = [
        (f"{name}.{key}", one)
        for name, inner in document.items()
        if isinstance(inner, dict)
        for key, one in inner.items()
    ]
    lists = [(name, one) for name, one in [*document.items(), *nested] if isinstance(one, list)]
    return [name for name, _one in lists] if all(not one or one == [[]] for _, one in lists) else []


def _unrecognised(path: Path, wrong: str) -> InputError:
    expected = _("{READABLE}; `inspector map {name_of} --out mapping.toml` proposes a mapping").format(
        READABLE=_(READABLE), name_of=shlex.quote(name_of(path))
    )
    return Unrecognised.at(name_of(path), None, "", wrong, expected)


def _unknown_database(path: Path) -> InputError:
    """The error for an SQLite file that no format knows. Raises InputError where it is broken."""
    tables = sqlite.tables(path)
    if not tables:
        return InputError.at(name_of(path), None, "", _("has no tables"), _("a table of memories"))
    shown = ", ".join(clip(table, 40) for table in list(tables)[:8])
    return _unrecognised(path, _("is an SQLite database of no known kind (its tables: {shown})").format(shown=shown))
