"""From SOURCE arguments to a :class:`~inspector.records.Bundle`."""

from __future__ import annotations

import gc
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from inspector.addresses import is_address
from inspector.confinement import check_network, check_read
from inspector.errors import FieldError, InputError, InspectorError
from inspector.formats import canonical, gatemem, mapping, packets, postgres, rhelm, traces
from inspector.formats.base import LoadOptions, Watch, at, name_of, os_fault, read_text
from inspector.formats.collect import Collector
from inspector.formats.importers import BY_NAME
from inspector.formats.mapping_schema import Mapped
from inspector.formats.recognise import Source, recognise
from inspector.formats.registry import FORMATS
from inspector.formats.rows import CONTAINERS
from inspector.formats.settings import check_assumptions, merge_settings, read_settings
from inspector.formats.sniff import sniff
from inspector.i18n import _
from inspector.records import Bundle, OnProgress, Settings, default_as_of
from inspector.times import parse_time

_READERS: dict[str, Callable[[tuple[Path, ...], Collector, Watch], None]] = {
    "rhelm": rhelm.read,
    "gatemem": gatemem.read,
    "authority-packet": packets.read,
}
_NOW = "now"


def never() -> bool:
    """The default of ``cancelled``."""
    return False


def load(
    paths: Sequence[Path],
    options: LoadOptions | None = None,
    on_progress: OnProgress | None = None,
    cancelled: Callable[[], bool] = never,
) -> Bundle:
    """Read one or more sources into one bundle (DESIGN 2, 12).

    ``on_progress`` is called in the caller's thread at most ten times a second, in bytes of all files. Raises
    InputError for anything wrong with the input, Cancelled where ``cancelled`` answers true.
    """
    options = options or LoadOptions()
    if not paths:
        raise InputError.at("SOURCE", None, "", _("nothing was given"), _("a file or a folder"))
    with _no_trace(paths, options):
        return _load(paths, options, on_progress, cancelled)


@contextmanager
def _no_trace(paths: Sequence[Path], options: LoadOptions) -> Iterator[None]:
    """Where reading fails, a SOURCE that is a trace is called so: spans go beside a store."""
    try:
        yield
    except InputError:
        for path in paths:
            if options.as_format is None and not is_address(path) and path.is_file() and traces.looks_like(path):
                expected = _("the store of memories as SOURCE, and --trace {name_of}").format(name_of=name_of(path))
                raise InputError.at(name_of(path), None, "", _("holds traces and no memories"), expected) from None
        raise


def _load(
    paths: Sequence[Path],
    options: LoadOptions,
    on_progress: OnProgress | None,
    cancelled: Callable[[], bool],
) -> Bundle:
    sources = _sources(paths, options)
    files = _all_files(sources, options)
    sizes = [_size(file) for file in files]
    live = any(is_address(source.path) for source in sources)
    watch = Watch(on_progress, cancelled, None if live else sum(sizes))
    maps = {source.path: mapping.of_source(source, options) for source in sources}
    notes: list[str] = []
    settings = _settings(sources, options, maps, notes)
    replaced = {name for name in ("queries", "judgments") if getattr(options, name) is not None}
    collector = Collector(options.lenient, settings.timezone, frozenset(replaced))
    with _without_collection():
        for source in sorted(sources, key=_is_late):
            _read(source, options, maps[source.path], collector, watch)
        _read_replacements(options, collector, watch)
        if options.trace is not None:
            traces.read(options.trace, collector, watch)
    watch.finish()
    _check_any(paths, collector)
    if collector.stated:
        settings = _settings(sources, options, maps, [], collector)
    settings = settings.with_(default_as_of=_default_as_of(collector, settings, options))
    return Bundle(
        memories=collector.memories,
        queries=collector.queries,
        judgments=collector.judgments,
        settings=settings,
        name=" + ".join(_name(source.path) for source in sources),
        format=" + ".join(dict.fromkeys(source.format for source in sources)),
        account=collector.account(),
        skipped=collector.skipped,
        repeated=collector.repeated,
        notes=notes + collector.notes + collector.closing_notes(),
    )


def fingerprint(
    paths: Sequence[Path],
    options: LoadOptions | None = None,
    on_progress: OnProgress | None = None,
    cancelled: Callable[[], bool] = never,
) -> str:
    """SHA-256, in hex, of everything that a load of these sources depends on: the files' content, their names, and the
    options. Reads the files, and the tables of a database, once and keeps none of them; raises InputError where one
    cannot be read, Cancelled where ``cancelled`` answers true while a table is read."""
    options = options or LoadOptions()
    with _no_trace(paths, options):
        sources = _sources(paths, options)
    digest = hashlib.sha256()
    said = {
        "sources": [[postgres.shown(source.path), source.format] for source in sources],
        "replaced": [
            str(one) for one in (options.queries, options.judgments, options.policy, options.mapping, options.trace)
        ],
        "options": [options.as_format, options.lenient, options.as_of, dict(options.assume)],
    }
    digest.update(json.dumps(said, sort_keys=True, default=str).encode())
    for file in _all_files(sources, options):
        try:
            with file.open("rb") as opened:
                content = hashlib.file_digest(opened, "sha256").hexdigest()
        except OSError as error:
            raise os_fault(error, name_of(file)) from None
        digest.update(f"\0{file}\0{content}".encode("utf-8", "surrogateescape"))
    for source in sources:
        if is_address(source.path):
            mapped = mapping.of_source(source, options)
            tables = [section.table for section in mapped.sections.values()] if mapped is not None else []
            watch = Watch(on_progress, cancelled, None)
            digest.update(postgres.fingerprint(source.path, tuple(filter(None, tables)), watch).encode())
    return digest.hexdigest()


def source_holding(path: Path, paths: Sequence[Path], options: LoadOptions | None = None) -> Path | None:
    """The file or folder of a loaded store that writing ``path`` would change; None where it would change none.

    That is a file that was read; a source's folder itself; and in it, beside them, a name that is a bundle's part.
    """
    options = options or LoadOptions()
    local = [source for source in paths if not is_address(source)]
    try:
        files = _all_files(_sources(paths, options), options)
    except InspectorError:  # gone or changed since it was opened: what was named is still known
        files = []
    goal = path.resolve()
    for one in (*local, *files):
        if goal == one.resolve():
            return one
    for folder in local:
        if goal.parent == folder.resolve() and canonical.is_part(path.name):
            return folder
    return None


@contextmanager
def _without_collection() -> Iterator[None]:
    """No cyclic garbage collection meanwhile: a load makes millions of objects and no cycles, and every collection
    would look at all of them again (a quarter of the time at 183,000 records)."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _sources(paths: Sequence[Path], options: LoadOptions) -> list[Source]:
    given = (options.queries, options.judgments, options.policy, options.mapping, options.trace)
    for path in (*paths, *(file for file in given if file is not None)):
        if is_address(path):
            check_network()
        else:
            check_read(path)
    known = tuple(one.name for one in FORMATS)
    mapped = options.mapping is not None
    sources = [recognise(path, options.as_format, known, mapped) for path in dict.fromkeys(paths)]
    return [mapping.with_files(source, options) for source in sources]


def _all_files(sources: list[Source], options: LoadOptions) -> list[Path]:
    given = (options.queries, options.judgments, options.policy, options.mapping, options.trace)
    files = [file for source in sources for file in source.files]
    listed = list(dict.fromkeys([*files, *(file for file in given if file is not None)]))
    for file in listed:  # a folder that may be read can hold a link to a file that may not
        check_read(file)
    return listed


def _size(file: Path) -> int:
    try:
        size = file.stat().st_size
        if not file.is_file():
            raise InputError.at(name_of(file), None, "", _("is not an ordinary file"), "a file")
        return size
    except OSError as error:
        raise os_fault(error, name_of(file)) from None


def _name(path: Path) -> str:
    return postgres.shown(path) if is_address(path) else path.name or path.resolve().name or name_of(path)


def _settings(
    sources: list[Source],
    options: LoadOptions,
    maps: Mapping[Path, Mapped | None],
    notes: list[str],
    read: Collector | None = None,
) -> Settings:
    """What files of settings, the formats and, after reading, the sources' own content fix for the evaluation."""
    stated: list[tuple[str, dict[str, Any]]] = [] if read is None else list(read.stated)
    policies: list[tuple[Path, str]] = []
    calibrations: list[tuple[Path, str]] = []
    for source in sources:
        if source.format == "authority-packet":
            stated.append((name_of(source.path), dict(packets.SETTINGS)))
        if source.format in BY_NAME and BY_NAME[source.format].settings:
            stated.append((name_of(source.path), dict(BY_NAME[source.format].settings)))
        if "settings" in source.parts:
            stated.append((name_of(source.parts["settings"]), read_settings(source.parts["settings"])))
        mapped = maps[source.path]
        if mapped is not None and mapped.timezone is not None:
            stated.append((mapped.file, {"timezone": mapped.timezone}))
        if "policy" in source.parts and options.policy is None:
            policies.append((source.parts["policy"], read_text(source.parts["policy"])))
        if "calibration" in source.parts:
            calibrations.append((source.parts["calibration"], read_text(source.parts["calibration"])))
    settings = merge_settings(stated, notes)
    if options.policy is not None:
        policies = [(options.policy, read_text(options.policy))]
    _check_one(policies, _("one policy: name it with --policy"))
    _check_one(calibrations, _("one calibration in all sources"))
    if calibrations:
        settings = settings.with_(calibration=calibrations[0][1], calibration_file=name_of(calibrations[0][0]))
    if policies:
        settings = settings.with_(policy=policies[0][1], policy_file=name_of(policies[0][0]))
    try:
        assumed = check_assumptions(options.assume, parse=True)
    except FieldError as error:
        raise at(_as_flag(error), "--assume", None) from None
    return settings.with_(assumptions={**settings.assumptions, **assumed})


def _check_one(texts: Sequence[tuple[Path, str]], expected: str) -> None:
    for file, text in texts[1:]:
        if text != texts[0][1]:
            raise InputError.at(name_of(file), None, "", _("differs from {texts}").format(texts=texts[0][0]), expected)


def _as_flag(error: FieldError) -> FieldError:
    """The error as the command line's user knows the field: without the name of bundle.toml's table."""
    return FieldError(error.field.removeprefix("assumptions."), error.wrong, error.expected)


def _read(source: Source, options: LoadOptions, mapped: Mapped | None, collector: Collector, watch: Watch) -> None:
    if mapped is not None:
        mapping.read(source, mapped, collector, watch)
        return
    if source.format in BY_NAME:
        # an SQLite file's log is read with the file
        files = tuple(file for file in source.files if not file.name.endswith("-wal"))
        BY_NAME[source.format].read(files, collector, watch)
        return
    if source.format in _READERS:
        _READERS[source.format](source.files, collector, watch)
        return
    for part in ("memories", "queries", "judgments"):
        path = source.parts.get(part)
        if path is None or part in collector.replaced:
            continue
        forced = options.as_format
        container = next((one for one in CONTAINERS if one == forced), None) or sniff(path).container
        canonical.read_part(path, part, container, collector, watch)


def _is_late(source: Source) -> bool:
    return source.format in BY_NAME and BY_NAME[source.format].late


def _read_replacements(options: LoadOptions, collector: Collector, watch: Watch) -> None:
    collector.replaced = frozenset()
    for part, path in (("queries", options.queries), ("judgments", options.judgments)):
        if path is not None:
            canonical.read_part(path, part, sniff(path).container, collector, watch, only=True)


def _check_any(paths: Sequence[Path], collector: Collector) -> None:
    if collector.memories:
        return
    name = ", ".join(postgres.shown(path) for path in paths)
    if collector.skipped:
        wrong = _("no memory could be read: {count:,} skipped, the first at {first}").format(
            count=len(collector.skipped), first=collector.skipped[0]
        )
        raise InputError.at(name, None, "", wrong, _("at least one memory"))
    raise InputError.at(name, None, "", _("holds no memories"), _("at least one memory"))


def _default_as_of(collector: Collector, settings: Settings, options: LoadOptions) -> Any:
    if options.as_of is None:
        return default_as_of(collector.memories, settings.exported_at, settings.timezone)
    text = datetime.now(UTC).isoformat() if options.as_of == _NOW else options.as_of
    try:
        return parse_time(text, "--as-of", settings.timezone)
    except FieldError as error:
        raise InputError.at(
            "--as-of", None, "", error.wrong, _("{expected}, or now").format(expected=error.expected)
        ) from None
