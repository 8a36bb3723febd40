"""A patch applied to a source, into a new file or folder (DESIGN 10, 12). A source is never written."""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from inspector import formats
from inspector.addresses import is_address
from inspector.asked import FIELD, check_asked
from inspector.core import JUDGED_BY
from inspector.errors import FieldError, InputError, InspectorError
from inspector.formats import canonical
from inspector.formats.base import name_of, read_text
from inspector.i18n import _
from inspector.overlay import check_edit, follow_owners, lay, with_setting
from inspector.records import (
    ABSENT,
    Bundle,
    Judgment,
    Memory,
    OnProgress,
    Origin,
    Query,
    Record,
    Settings,
    Uid,
    namespace_key,
)
from inspector.store.apply import Held, verify
from inspector.store.editlog import Effective
from inspector.store.patch import read_patch
from inspector.text import counted
from inspector.trit import parse_trit

_FILES = (".jsonl", ".ndjson")


@dataclass(frozen=True, slots=True)
class Applied:
    """What was applied: how many edits, and what was written where."""

    edits: int
    memories: int
    out: Path

    @property
    def words(self) -> str:
        """The line that says so."""
        return _("{counted} applied: {out} holds {counted2}").format(
            counted=counted(self.edits, "edit"), out=self.out, counted2=counted(self.memories, "memory", "memories")
        )


def apply_patch(
    patch: Path,
    sources: Sequence[Path],
    out: Path,
    options: formats.LoadOptions | None = None,
    on_progress: OnProgress | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Applied:
    """Read the patch and the sources, and write the edited store to ``out``, which must not exist.

    ``out`` is JSON Lines of the memories where its name ends in .jsonl, else a bundle folder. Raises InputError where
    the patch cannot be read, an old value differs from the source's, a new value is one that its field cannot take, or
    the patch is in the source already; InspectorError where ``out`` cannot be used. Nothing is written then.
    """
    _refuse_place(out, sources)
    file = name_of(patch)
    edits = read_patch(read_text(patch).split("\n"), file)  # not splitlines: JSON may hold U+2028
    if not edits:
        raise InputError.at(file, None, "", _("holds no patch line"), _("at least one"))
    bundle = formats.load(sources, options, on_progress, cancelled)
    edited = patched(bundle, edits, file)
    as_file = out.suffix.lower() in _FILES
    if as_file and (edited.queries or edited.judgments or canonical.settings_toml(edited.settings)):
        raise InspectorError(
            _("{out}: a file holds memories only, and the store has more: give a new folder as --out").format(out=out)
        )
    if as_file:
        with canonical.atomic(out) as fp:
            canonical.write_memories(edited.memories, fp)
    else:
        _write_folder(edited, out)
    return Applied(len(edits), len(edited.memories), out)


def _refuse_place(out: Path, sources: Sequence[Path]) -> None:
    goal = out.resolve()
    for source in sources:
        if is_address(source):
            continue
        own = source.resolve()
        if goal == own or own in goal.parents:
            raise InspectorError(
                _("{out}: lies in the source {source}, which is never written: give a place outside").format(
                    out=out, source=source
                )
            )
    if out.exists():
        raise InspectorError(_("{out}: is there already: give the name of a new file or folder").format(out=out))


def _write_folder(bundle: Bundle, out: Path) -> None:
    draft = out.with_name(f".{out.name}.{secrets.token_hex(4)}.part")
    try:
        canonical.write_bundle(bundle, draft)
        os.rename(draft, out)
    except OSError as error:
        raise InspectorError(
            _("{out}: cannot be written: {strerror}").format(out=out, strerror=error.strerror)
        ) from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def patched(bundle: Bundle, edits: Sequence[Effective], file: str) -> Bundle:
    """A copy of the bundle with the edits over its records, in its judgments and its settings.

    Raises InputError at the line of ``file`` that does not fit; the bundle given is left as it is.
    """
    memories = [memory.unedited() for memory in bundle.memories]
    queries = [query.unedited() for query in bundle.queries]
    by_uid = {memory.uid: memory for memory in memories}
    by_id = {query.id: query for query in queries}
    queries += _asked(edits, by_id, bundle.settings.timezone, file)
    own = {_cell(one): one for one in bundle.judgments if one.source == JUDGED_BY}
    moved = _moved(edits)

    def memory(uid: Uid) -> Memory | None:
        # Where a patch that gives a memory another owner is in the source already, the memory is found there.
        return by_uid.get(uid) or by_uid.get(moved.get(uid, uid))

    def record(edit: Effective) -> Record | None:
        return memory(Uid(*edit.target)) if edit.kind == "memory" else by_id.get(edit.target[0])

    def held(edit: Effective) -> Held | None:
        if edit.kind == "setting":
            return _held_setting(bundle.settings, edit.field)
        if edit.kind == "ask":
            there = next((one for one in bundle.queries if one.id == edit.target[0]), None)
            return Held(
                ABSENT if there is None else there.fields, _("the query {target}").format(target=edit.target[0])
            )
        if edit.kind == "judgment":
            query_id, namespace, memory_id = edit.target
            meant = memory(Uid(namespace, memory_id))
            if query_id not in by_id or meant is None:
                return None
            label = own.get((query_id, meant.uid.namespace, memory_id, edit.field))
            label = label or own.get((query_id, "", memory_id, edit.field))
            return Held(
                ABSENT if label is None else label.value.symbol,
                _("the judgment on {field}").format(field=edit.field),
                open=True,
            )
        found = record(edit)
        return None if found is None else Held(found.get(edit.field), str(found.origin))

    verify(edits, held, file)
    settings = bundle.settings
    labels: list[Judgment] = []
    for edit in edits:
        try:
            if edit.kind == "setting":
                settings = settings if edit.new is ABSENT else with_setting(settings, edit.field, edit.new)
            elif edit.kind == "judgment":
                labels += _label(edit)
            elif edit.kind == "ask":
                continue  # stands in the list already
            else:
                check_edit(edit.kind, edit.field, edit.new, settings.timezone)
                lay(cast("Record", record(edit)), edit.field, edit.new)
        except FieldError as error:
            raise InputError.at(file, edit.seq, error.field, error.wrong, error.expected) from None
    _check_owners(memories, edits, file)
    judged = {(*edit.target, edit.field) for edit in edits if edit.kind == "judgment" and edit.new is not ABSENT}
    kept = [one for one in bundle.judgments if not _covered(one, judged)]
    judgments = follow_owners(kept + labels, memories)
    return replace(bundle, memories=memories, queries=queries, judgments=judgments, settings=settings)


def _asked(edits: Sequence[Effective], by_id: dict[str, Query], timezone: str | None, file: str) -> list[Query]:
    """The typed queries of a patch that the source has not, put into ``by_id`` too: other lines may edit them."""
    made = []
    for edit in edits:
        if edit.kind != "ask" or edit.target[0] in by_id or edit.new is ABSENT:
            continue
        try:
            if not isinstance(edit.new, dict):
                raise FieldError("new", _("is no query"), _("an object with id and text"))
            check_asked(edit.new, timezone)
            if edit.new["id"] != edit.target[0] or edit.field != FIELD:
                raise FieldError(
                    "ask",
                    _("{target!r} is not the query's own id").format(target=edit.target[0]),
                    _("its id, and field {FIELD}").format(FIELD=FIELD),
                )
        except FieldError as error:
            raise InputError.at(file, edit.seq, error.field, error.wrong, error.expected) from None
        query = Query(dict(edit.new), Origin("patch", edit.seq))
        by_id[query.id] = query
        made.append(query)
    return made


def _moved(edits: Sequence[Effective]) -> dict[Uid, Uid]:
    """Where the patch puts the memories to which it gives another owner."""
    owners: dict[Uid, dict[str, Any]] = {}
    for edit in edits:
        if edit.kind == "memory" and edit.field in ("namespace", "namespaces"):
            owners.setdefault(Uid(*edit.target), {})[edit.field] = edit.new
    return {uid: Uid(namespace_key(fields), uid.id) for uid, fields in owners.items()}


def _cell(label: Judgment) -> tuple[str, str, str, str]:
    namespace = "" if label.namespace is ABSENT else namespace_key({"namespace": label.namespace})
    return label.query_id, namespace, label.memory_id, label.axis


def _covered(label: Judgment, judged: set[tuple[str, ...]]) -> bool:
    """Whether the user's own judgment stands in place of this one, as it does while the edit is in force."""
    return any(
        (query_id, memory_id, axis) == (label.query_id, label.memory_id, label.axis)
        for query_id, _, memory_id, axis in judged
    )


def _label(edit: Effective) -> list[Judgment]:
    if edit.field not in ("scope", "policy", "lifecycle", "relevance"):
        raise FieldError(edit.field, _("is not an axis"), _("one of scope, policy, lifecycle, relevance"))
    if edit.new is ABSENT:
        return []
    query_id, namespace, memory_id = edit.target
    owner = json.loads(namespace) if namespace else ABSENT
    value = parse_trit(edit.new, edit.field)
    return [Judgment(query_id, memory_id, owner, cast("Any", edit.field), value, JUDGED_BY, Origin("patch", edit.seq))]


def _held_setting(settings: Settings, name: str) -> Held | None:
    if name not in ("isolation", "unknown_intent", "aliases", "assumptions"):
        return None
    value = getattr(settings, name)
    if name == "aliases":
        value = [list(group) for group in value]
    return Held(dict(value) if name == "assumptions" else value, _("the setting {name}").format(name=name), open=True)


def _check_owners(memories: Sequence[Memory], edits: Sequence[Effective], file: str) -> None:
    """Refuse a patch that gives two memories one namespace and id (DESIGN 2)."""
    lines = {Uid(*edit.target): edit for edit in edits if edit.field in ("namespace", "namespaces")}
    if not lines:
        return
    taken: dict[tuple[str, str], Memory] = {}
    for memory in memories:
        key = (namespace_key(memory.effective()), memory.id)
        other = taken.setdefault(key, memory)
        if other is not memory:
            edit = lines.get(memory.uid) or lines[other.uid]
            wrong = _("another memory {id!r} is in that namespace").format(id=memory.id)
            raise InputError.at(file, edit.seq, edit.field, wrong, _("an id unique in it"))
