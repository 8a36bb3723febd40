"""OpenMemory's export: a zip with memories.json, or that file alone.

Scope. The owner is the export's user: ``user.user_id``, the name that people know, is the namespace, and the inner
``user.id`` that records carry is declared an alias of it. The writing app is kept as ``keys.app``.

Policy. ``access_controls`` say which app may read which memory. Read plainly: an app without rules reads all, one that
is not active reads nothing; a denial of one memory beats an allowance of it, either beats a rule for all memories, and
allowances of single memories leave the others out. OpenMemory's own evaluation differs in places (the first rule for
all memories decides alone; denials without an allowance deny everything): where the two disagree the app stands in
neither list, the policy is unknown, and a note counts it. The outcome for every app of the export is kept as
``meta.app_access``, and two policy rules compare it with the query's ``keys.app``.

Lifecycle, by precedence: ``deleted_at``; ``status_history`` and ``archived_at`` as boundary marks; ``state`` as the
status label (``paused``, which OpenMemory hides, is no label that we know and leaves the state unknown).
``export_meta.generated_at`` is the store's ``exported_at``.
"""

from __future__ import annotations

import lzma
import shutil
import tempfile
import zipfile
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

from inspector.errors import FieldError, InputError
from inspector.formats.base import Format, Watch, at, clip
from inspector.formats.collect import Collector
from inspector.formats.draft import Draft, as_word, listed, readable_time
from inspector.formats.importer import Importer, Source, each, not_this
from inspector.formats.outline import Outline, outline
from inspector.formats.rows import Raw, read_rows
from inspector.i18n import D_, _
from inspector.records import ABSENT
from inspector.times import parse_time

_NO_STATE = D_("{name}: {count} rows of status_history without memory, state or time: not decided")
_OTHERS = D_("{name}: {count} access_controls of other subjects than apps: not decided")
_DISAGREE = D_(
    "{name}: {count} pairs of app and memory on which the rules and OpenMemory's own code disagree: not decided"
)
_PART = D_("{name} holds a part of the store: export_meta.{key} is set")

MEMBER = "memories.json"
#: A zip may not unpack to more: a small file must not fill the disk.
UNPACKED_LIMIT = 4 * 1024**3
LOSS = [D_("superseded_by: OpenMemory does not say what replaced what")]
#: What a broken zip, or one that is encrypted or packed in a way that is not known here, is answered with.
_ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    KeyError,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
)
_LISTS = (
    ("memories",),
    ("apps",),
    ("categories",),
    ("memory_categories",),
    ("status_history",),
    ("access_controls",),
)
_STATES = {"deleted": "forgotten"}
POLICY = """\
default = "unknown"

[[rules]]
id = "app-may-read"
effect = "allow"
when = "json_contains(m.meta.app_access.allowed, '\\"' || q.keys.app || '\\"')"
note = "the export's access_controls let this app read this memory"

[[rules]]
id = "app-may-not-read"
effect = "deny"
when = "json_contains(m.meta.app_access.denied, '\\"' || q.keys.app || '\\"')"
note = "the export's access_controls keep this memory from this app"
"""
FORMAT = Format(
    name="openmemory",
    summary="OpenMemory's export zip, or the memories.json in it",
    recognised_by="a zip with memories.json, or a JSON object with user, apps, memories and export_meta",
    example='{"user": {"id": "u-1", "user_id": "ana"}, "apps": [{"id": "a-1", "name": "cursor", "is_active": true}], '
    '"memories": [{"id": "m1", "user_id": "u-1", "app_id": "a-1", "content": "Ana lives in Porto.", "state": '
    '"active", "created_at": "2026-01-05T08:00:00+00:00", "deleted_at": null}], "access_controls": [], '
    '"export_meta": {"version": "1", "generated_at": "2026-03-01T00:00:00+00:00"}}',
    loss="no supersession, no sessions; which app asks stands in no export: give queries keys.app",
    scope="user.user_id, with user.id as its alias",
    policy="access_controls and apps.is_active, against the query's keys.app",
    lifecycle="deleted_at, status_history and archived_at, state; export_meta.generated_at as exported_at",
)


def matches(found: Outline) -> bool:
    """Whether this is the zip, or its main file."""
    if found.holder == "zip":
        return MEMBER in found.members
    top = found.at()
    is_export = {"user", "apps"} <= top and {"user_id", "id"} <= found.at("user")
    return found.holder == "json" and (is_export or {"memories", "export_meta"} <= top)


def folder(path: Path) -> tuple[Path, ...]:
    """The main file of an unpacked export."""
    file = path / MEMBER
    return (file,) if file.is_file() and matches(outline(file)) else ()


def read(files: tuple[Path, ...], collector: Collector, watch: Watch) -> None:
    """Read OpenMemory exports."""
    for source in each(files):
        if source.outline.holder != "zip":
            _Export(source.path, source.name, collector, watch).read()
            continue
        with tempfile.TemporaryDirectory(prefix="inspector-") as private:
            inner = _unpacked(source, Path(private), watch)
            _Export(inner, f"{source.name} ({MEMBER})", collector, watch).read()


def _unpacked(source: Source, folder: Path, watch: Watch) -> Path:
    target = folder / MEMBER
    watch.begin(source.name)
    try:
        with zipfile.ZipFile(source.path) as opened:
            if opened.getinfo(MEMBER).file_size > UNPACKED_LIMIT:
                raise not_this(
                    source.name, _("{MEMBER} unpacks to more than 4 GiB").format(MEMBER=MEMBER), _("a smaller export")
                )
            with opened.open(MEMBER) as packed, target.open("wb") as out:
                shutil.copyfileobj(packed, out, 1 << 20)  # ends with an error where it holds more than it says
    except _ZIP_ERRORS as error:
        raise not_this(
            source.name,
            _("broken zip ({clip})").format(clip=clip(str(error))),
            _("a whole zip with {MEMBER}").format(MEMBER=MEMBER),
        ) from None
    return target


class _Export:
    """One export: its tables are read into memory but for the memories' texts, then joined."""

    def __init__(self, path: Path, name: str, collector: Collector, watch: Watch) -> None:
        self.path, self.name, self.collector, self.watch = path, name, collector, watch
        self.user: dict[str, Any] = {}
        self.meta: dict[str, Any] = {}
        self.tables: dict[str, list[Raw]] = {one[0]: [] for one in _LISTS}
        self.other: Counter[str] = Counter()

    def read(self) -> None:
        """Read the document, then make the memories."""
        for raw in read_rows(self.path, self.name, "json", self.watch, self.collector.fault, frozenset(_LISTS)):
            if raw.section in self.tables and not raw.whole:
                self._row(raw)
            elif raw.section == "user" and isinstance(raw.value, dict):
                self.user = raw.value
            elif raw.section == "export_meta" and isinstance(raw.value, dict):
                self.meta = raw.value
            elif raw.section in self.tables and raw.value is not None:
                raise InputError.at(self.name, raw.origin.line, raw.section, _("is not a list"), "a list")
        self._check_version()
        access = _Access(
            [one.value for one in self.tables["apps"]], [one.value for one in self.tables["access_controls"]]
        )
        history = self._history()
        names = {one.value.get("id"): one.value.get("name") for one in self.tables["categories"]}
        for raw in self.tables["memories"]:
            try:
                made = self._memory(raw.value, access, history, names)
            except FieldError as error:
                self.collector.fault(at(error, self.name, raw.origin.line))
                continue
            self.collector.memory(made, raw.origin, suspect=True)
        self._settle(access)

    def _row(self, raw: Raw) -> None:
        if isinstance(raw.value, dict):
            self.tables[raw.section].append(raw)
        else:
            error = FieldError(raw.section, _("is not an object"), _("an object"))
            self.collector.fault(at(error, self.name, raw.origin.line))

    def _check_version(self) -> None:
        version = self.meta.get("version", "1")
        if str(version) != "1":
            raise not_this(
                self.name, _("is an export of version {clip}").format(clip=clip(str(version), 20)), "version 1"
            )

    def _history(self) -> dict[str, list[dict[str, Any]]]:
        made: dict[str, list[dict[str, Any]]] = {}
        for raw in self.tables["status_history"]:
            row = raw.value
            state, time = row.get("new_state"), readable_time(row.get("changed_at"))
            if isinstance(state, str) and time is not None and isinstance(row.get("memory_id"), str):
                mark = {"state": _STATES.get(state, state), "at": time, "cause": "status_history"}
                made.setdefault(row["memory_id"], []).append(mark)
            else:
                self.other[_NO_STATE] += 1
        return made

    def _memory(
        self, raw: Any, access: _Access, history: dict[str, list[dict[str, Any]]], categories: dict[Any, Any]
    ) -> dict[str, Any]:
        draft = Draft(raw, self.collector.mapped)
        memory_id = draft.identity("id")
        content = draft.take("content", "text")
        if not isinstance(content, str):
            raise FieldError(
                "content", _("is missing") if content is ABSENT else _("is no text"), _("the memory's text")
            )
        draft.put("text", content)
        self._owner(draft)
        app = access.names.get(as_word(draft.get("app_id")) or "")
        if app is not None:
            draft.put("keys", {"app": app})
        for name in ("created_at", "updated_at", "deleted_at"):
            draft.time(name, name)
        self._state(draft, history.get(memory_id, []))
        tags = [categories[one] for one in listed(draft.get("category_ids")) if isinstance(categories.get(one), str)]
        if tags:
            draft.rest["categories"] = tags
        if access.apps:
            draft.rest["app_access"] = access.of(memory_id)
        return draft.done(LOSS)

    def _owner(self, draft: Draft) -> None:
        inner = as_word(draft.get("user_id"))
        shown = as_word(self.user.get("user_id"))
        if inner is None:
            draft.lose(D_("namespace: the memory names no user_id"))
        elif shown is not None and inner == as_word(self.user.get("id")):
            draft.take("user_id", D_("namespace (as user.user_id)"))
            draft.put("namespace", shown)
        else:
            draft.take("user_id", "namespace")
            draft.put("namespace", inner)

    def _state(self, draft: Draft, marks: list[dict[str, Any]]) -> None:
        archived = draft.get("archived_at")
        time = readable_time(archived) if isinstance(archived, str | int | float) else None
        if time is not None and not any(mark["state"] == "archived" for mark in marks):
            marks = [*marks, {"state": "archived", "at": time, "cause": "archived_at"}]
        if marks:
            draft.put("boundary_log", sorted(marks, key=lambda mark: parse_time(mark["at"], "at").us))
        draft.word("state", "status")

    def _settle(self, access: _Access) -> None:
        """Hand over what the export fixes for the evaluation, and say what it leaves open."""
        stated: dict[str, Any] = {}
        inner, shown = as_word(self.user.get("id")), as_word(self.user.get("user_id"))
        if inner is not None and shown is not None and inner != shown:
            stated["aliases"] = ((shown, inner),)
        generated = readable_time(self.meta.get("generated_at"))
        if generated is not None:
            stated["exported_at"] = parse_time(generated, "generated_at")
        if access.apps:
            stated["policy"], stated["policy_file"] = POLICY, f"{self.name}: access_controls"
        self.collector.stated.append((self.name, stated))
        if access.unread:
            self.other[_OTHERS] += access.unread
        if access.open:
            self.other[_DISAGREE] += access.open
        for key in ("app_id_filter", "from_date", "to_date"):
            if self.meta.get(key) not in (None, ""):
                self.collector.notes.append(_PART.format(name=self.name, key=key))
        self.collector.notes += [what.format(name=self.name, count=f"{count:,}") for what, count in self.other.items()]


class _Rules:
    """The rules of one app: the memories allowed and denied, and the effects of its rules for all, in their order."""

    def __init__(self) -> None:
        self.one: dict[bool, set[str]] = {True: set(), False: set()}
        self.all: list[bool] = []

    def plain(self, memory_id: str) -> bool | None:
        """What the rules say, read plainly; None where they contradict each other."""
        for effect in (False, True):
            if memory_id in self.one[effect]:
                return effect
        if self.all:
            return self.all[0] if len(set(self.all)) == 1 else None
        return not self.one[True]

    def evaluated(self, memory_id: str) -> bool:
        """What OpenMemory's own code makes of them."""
        if self.all:
            return self.all[0]
        return memory_id in self.one[True] - self.one[False]


class _Access:
    """Which app may read which memory."""

    def __init__(self, apps: list[dict[str, Any]], rules: list[dict[str, Any]]) -> None:
        self.apps = {one["id"]: one for one in apps if isinstance(one.get("id"), str)}
        self.names = {key: app["name"] for key, app in self.apps.items() if isinstance(app.get("name"), str)}
        self.unread = self.open = 0
        self._rules: dict[str, _Rules] = {}
        for rule in rules:
            self._take(rule)

    def _take(self, rule: dict[str, Any]) -> None:
        app, memory, effect = rule.get("subject_id"), rule.get("object_id"), rule.get("effect")
        known = rule.get("subject_type") == "app" and rule.get("object_type") == "memory"
        if not known or not isinstance(app, str) or effect not in ("allow", "deny"):
            self.unread += 1
            return
        rules = self._rules.setdefault(app, _Rules())
        if memory is None:
            rules.all.append(effect == "allow")
        else:
            rules.one[effect == "allow"].add(str(memory))

    def _may(self, app: str, memory_id: str) -> bool | None:
        if self.apps[app].get("is_active") is False:
            return False
        rules = self._rules.get(app)
        if rules is None:
            return True
        plain = rules.plain(memory_id)
        return plain if plain == rules.evaluated(memory_id) else None

    def of(self, memory_id: str) -> dict[str, list[str]]:
        """The apps, by name and id, that may and may not read a memory; one that is in neither is open."""
        made: dict[str, list[str]] = {"allowed": [], "denied": []}
        for app in self.apps:
            may = self._may(app, memory_id)
            if may is None:
                self.open += 1
            else:
                called = [self.names[app], app] if app in self.names else [app]
                made["allowed" if may is True else "denied"] += dict.fromkeys(called)
        return made


IMPORTER = Importer(FORMAT, read, matches, folder)
