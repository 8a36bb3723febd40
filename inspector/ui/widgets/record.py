"""The *Record* tab as paragraphs: every field with the original beside it, and the history of its edits (SCREENS)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from inspector.i18n import _, ngettext
from inspector.records import FieldSpec, Record
from inspector.ui.veil import visible
from inspector.ui.widgets.cells import Piece
from inspector.ui.widgets.reader import Item, blank
from inspector.ui.widgets.signs import EDITED, content
from inspector.ui.widgets.values import ABSENT_WORDS, is_missing, show_value
from inspector.ui.widgets.why import FieldChoice, heading, short_origin
from inspector.views import EditEntry

_NAME_WIDTH = 24
_VECTOR_SHOWN = 6


def record_items(
    record: Record, specs: Mapping[str, FieldSpec], history: Sequence[EditEntry], owner: str = "memory"
) -> list[Item]:
    """Every field of the record that it has, then every known one that it lacks, then the edits made to it."""
    present = [name for name in (*specs, *record.names, *record.edits) if _is_present(record, name)]
    ordered = list(dict.fromkeys([*(name for name in ("id", "text") if name in present), *_source_order(record)]))
    absent = [name for name in specs if name not in ordered]
    items = [
        Item(
            content([Piece(visible(short_origin(str(record.origin))), "dim")]),
            content([Piece(_("  source"), "dim")]),
            _NAME_WIDTH,
            copy=str(record.origin),
        )
    ]
    items += [_field(record, name, specs.get(name), owner) for name in ordered]
    if absent:
        items += [blank(), heading(_("not in the record"))]
        items += [_absent(name, specs[name], owner) for name in absent]
    if history:
        items += [blank(), heading(_("history of its edits")), *(_edit(entry) for entry in history)]
    return items


def _is_present(record: Record, name: str) -> bool:
    return name in record.names or name in record.edits


def _source_order(record: Record) -> list[str]:
    return [*record.names, *(name for name in record.edits if name not in record.names)]


def _field(record: Record, name: str, spec: FieldSpec | None, owner: str) -> Item:
    value = record.get(name)
    edited = name in record.edits
    show = _vector if spec is not None and spec.kind == "vector" else partial(show_value, newlines=True)
    pieces = [Piece(show(value), "dim" if is_missing(value) else "")]
    if edited:
        before = show(record.source(name))
        pieces += [Piece(_("\nwas "), "edited"), Piece(before, "dim")]
    if spec is None:
        pieces.append(Piece(_("   a field that we do not know"), "warn"))
    # The id is the record's identity and cannot be edited: the cursor passes over it.
    editable = spec is not None and name != "id"
    label = content(
        [Piece(f" {EDITED if edited else ' '}", "edited"), Piece(visible(name), "link" if editable else "")]
    )
    return Item(
        content(pieces),
        label,
        _NAME_WIDTH,
        FieldChoice(owner, name) if editable else None,
        copy=value if isinstance(value, str) else show_value(value),
    )


def _vector(value: Any) -> str:
    """A vector by its length and first numbers: nobody reads the rest, and copying gives all of it."""
    if not isinstance(value, list) or len(value) <= _VECTOR_SHOWN:
        return show_value(value)
    shown = show_value(value[:_VECTOR_SHOWN])[:-1]
    words = ngettext("{count} number: {value}, …]", "{count} numbers: {value}, …]", len(value))
    return words.format(count=len(value), value=shown)


def _absent(name: str, spec: FieldSpec, owner: str) -> Item:
    body = content([Piece(ABSENT_WORDS, "dim"), Piece(f"   {_(spec.help)}", "dim")])
    return Item(body, content([Piece(f"  {name}", "link")]), _NAME_WIDTH, FieldChoice(owner, name), copy="")


def _edit(entry: EditEntry) -> Item:
    words = visible(entry.words)
    return Item(
        content([Piece(words, "" if entry.active else "dim"), Piece("" if entry.active else _("   undone"), "dim")]),
        content([Piece(f"  {visible(entry.when)}", "dim")]),
        _NAME_WIDTH,
        copy=entry.words,
    )
