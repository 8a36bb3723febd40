"""Whether a patch fits a source: every old value that it names is there, or nothing is made of it (DESIGN 10)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.errors import InputError
from inspector.i18n import _
from inspector.records import ABSENT
from inspector.store.editlog import Effective
from inspector.text import visible

_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Held:
    """What a source holds in place of an edit: the value (ABSENT without the key) and where it stands, in words.

    ``open`` says that an edit without an old value fits whatever is there: the edit log starts from nothing for
    judgments and settings, and does not name what the source says.
    """

    value: Any
    where: str
    open: bool = False


def equal(first: Any, second: Any) -> bool:
    """Equality of JSON values by kind and value: 1 is neither 1.0 nor true, absent is not null, NaN is NaN."""
    if first is ABSENT or second is ABSENT:
        return first is second
    return json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)


def verify(edits: Sequence[Effective], held: Callable[[Effective], Held | None], file: str) -> None:
    """Check every edit of a patch against the source; ``held`` gives None for what the source does not have.

    Raises InputError, at the patch's line, where a record is not there, a field is named twice, or an old value
    differs; and says so where the patch is in the source already. ``seq`` of an edit is its line.
    """
    seen: dict[tuple[str, tuple[str, ...], str], int] = {}
    faults: list[tuple[Effective, str, str]] = []
    already = 0
    for edit in edits:
        key = (edit.kind, tuple(edit.target), edit.field)
        if key in seen:
            wrong = _("line {seen} is about the same field").format(seen=seen[key])
            raise InputError.at(file, edit.seq, edit.field, wrong, _("one line for each field"))
        seen[key] = edit.seq
        found = held(edit)
        if found is None:
            faults.append(
                (edit, _("{name} is not in the source").format(name=_name(edit)), _("a patch of this source"))
            )
            continue
        already += equal(found.value, edit.new)
        if equal(found.value, edit.old) or (found.open and edit.old is ABSENT and not equal(found.value, edit.new)):
            continue
        wrong = _("{where} holds {show}, and the patch expects {show2}").format(
            where=found.where, show=_show(found.value), show2=_show(edit.old)
        )
        faults.append((edit, wrong, _("the old value, so that nobody's change is overwritten")))
    if not faults:
        return
    if already == len(edits):
        wrong = _("the patch is already in the source: all {count:,} fields hold its new values").format(
            count=len(edits)
        )
        raise InputError.at(file, None, "", wrong, _("a source to which it has not been applied"))
    edit, wrong, expected = faults[0]
    if len(faults) > 1:
        wrong += _(" ({count:,} of {count2:,} lines do not fit, this is the first)").format(
            count=len(faults), count2=len(edits)
        )
    if already:
        wrong += _("; {already:,} fields hold the new values already").format(already=already)
    raise InputError.at(file, edit.seq, edit.field, wrong, expected)


def _name(edit: Effective) -> str:
    if edit.kind == "setting":
        return _("setting {field}").format(field=edit.field)
    return f"{_(edit.kind)} {edit.target if edit.kind == 'memory' else ' '.join(edit.target)}"


def _show(value: Any) -> str:
    if value is ABSENT:
        return _("no such key")
    text = visible(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
