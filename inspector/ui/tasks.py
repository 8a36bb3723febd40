"""What editing a field of records needs, on whatever screen: the task, the fields to choose from, the preview.

Nothing here draws; the screens give what comes out to :class:`~inspector.ui.screens.edit_field.EditFieldDialog` and
:class:`~inspector.ui.widgets.editor.FieldEditor`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, Literal

from inspector.gate.evaluate import MEMORY_FIELDS_READ, QUERY_FIELDS_READ
from inspector.i18n import _
from inspector.records import MEMORY_FIELDS, QUERY_FIELDS, FieldSpec, Record
from inspector.ui.veil import visible
from inspector.ui.widgets.cells import Piece
from inspector.ui.widgets.editor import EditTask, FieldRow
from inspector.ui.widgets.signs import ARROW, trit, verdict
from inspector.views import Candidate

if TYPE_CHECKING:
    from inspector.inspection import Inspection

Kind = Literal["memory", "query"]
#: Words of the store that are offered while a field is typed, at the most, and how many records are asked for them.
_MOST_WORDS = 300
_MOST_ASKED = 100_000
#: Kinds of field for which the words in use are worth offering.
_OFFERED = ("word", "namespace", "list")
_NO_WORDS = ("superseded_by",)


def records_of(inspection: Inspection, kind: Kind, indices: Sequence[int]) -> list[Record]:
    """The records that are edited."""
    source: Sequence[Record] = inspection.memories if kind == "memory" else inspection.queries
    return [source[index] for index in indices]


def title_of(kind: Kind, records: Sequence[Record]) -> str:
    """The records in a few words."""
    if len(records) == 1:
        return (_("memory {id}") if kind == "memory" else _("query {id}")).format(id=records[0].id)
    return (
        _("{count:,} marked memories").format(count=len(records))
        if kind == "memory"
        else _("{count:,} queries").format(count=len(records))
    )


def make_task(
    inspection: Inspection,
    kind: Kind,
    indices: Sequence[int],
    field: str,
    preview: Callable[[Any], Sequence[Piece]],
) -> EditTask:
    """The task of editing a field of the records; ``preview`` says what a valid value would do."""
    spec = (MEMORY_FIELDS if kind == "memory" else QUERY_FIELDS)[field]
    records = records_of(inspection, kind, indices)
    values = [record.get(field) for record in records]
    differ = len({repr(value) for value in values})
    note = (
        _("{count:,} records hold {differ:,} different values; all will hold this one").format(
            count=len(records), differ=differ
        )
        if differ > 1
        else ""
    )
    return EditTask(
        spec=spec,
        title=_("{field} of {title_of}").format(field=field, title_of=title_of(kind, records)),
        value=values[0],
        original=records[0].source(field),
        words=words_in_use(inspection.memories if kind == "memory" else inspection.queries, spec),
        note=note,
        timezone=inspection.settings.timezone,
        preview=preview,
        context=(kind, tuple(indices)),
    )


def words_in_use(source: Sequence[Record], spec: FieldSpec) -> list[str]:
    """Words that the store holds in a field, the most frequent first; of a very large store some records are asked."""
    if spec.kind not in _OFFERED or spec.name in _NO_WORDS:
        return []
    counts: dict[str, int] = {}
    for record in source[:: max(1, len(source) // _MOST_ASKED)]:
        value = record.value(spec.name)
        for word in value if isinstance(value, list) and spec.kind == "list" else (value,):
            if isinstance(word, str):
                counts[word] = counts.get(word, 0) + 1
    return sorted(counts, key=lambda word: (-counts[word], word))[:_MOST_WORDS]


def field_rows(records: Sequence[Record], kind: Kind, near: Collection[str] = ()) -> list[FieldRow]:
    """The fields that can be chosen, those in ``near`` offered first."""
    specs = MEMORY_FIELDS if kind == "memory" else QUERY_FIELDS
    return [_field_row(records, spec, spec.name in near) for spec in specs.values() if spec.name != "id"]


def _field_row(records: Sequence[Record], spec: FieldSpec, near: bool) -> FieldRow:
    values = {repr(record.get(spec.name)) for record in records}
    mixed = _("{count:,} different values").format(count=len(values)) if len(values) > 1 else ""
    edited = any(spec.name in record.edits for record in records)
    return FieldRow(spec, records[0].get(spec.name), edited, mixed, near)


def verdict_preview(
    inspection: Inspection, kind: Kind, indices: Sequence[int], field: str, value: Any, qi: int, current: Candidate
) -> list[Piece]:
    """The axes and verdict that an edit would give for one pair. Raises FieldError for a value that is refused."""
    found = inspection.preview(kind, indices, field, value, qi, current.mi)
    pieces = [Piece(_("would give "), "dim")]
    for letter, before, after in (
        ("S", current.scope, found.scope),
        ("P", current.policy, found.policy),
        ("L", current.lifecycle, found.lifecycle),
    ):
        pieces.append(Piece(f"{letter} ", "dim"))
        if before is not after:
            pieces += [Piece(before.symbol, "dim"), Piece(ARROW, "changed")]
        pieces += [trit(after), Piece("  ")]
    if found.before is not found.admissible:
        pieces += [verdict(found.before), Piece(f" {ARROW} ", "changed")]
    pieces.append(verdict(found.admissible))
    if len(indices) > 1 or kind == "query":
        pieces.append(Piece(_("  for {memory_id}").format(memory_id=visible(current.memory_id)), "dim"))
    return pieces


def gate_preview(
    inspection: Inspection, kind: Kind, indices: Sequence[int], field: str, value: Any, qi: int | None, mi: int
) -> list[Piece]:
    """What an edit would move at the gate for one pair, on a line of its own; nothing for fields it does not read."""
    if field not in (MEMORY_FIELDS_READ if kind == "memory" else QUERY_FIELDS_READ):
        return []
    if kind == "memory" and mi not in indices:
        return []
    edits = {field: value}
    tried = inspection.gate_try(qi, mi, edits if kind == "memory" else None, edits if kind == "query" else None)
    if not tried.words:
        return []
    return [Piece(_("\ngate  "), "dim"), Piece(" · ".join(tried.words), "changed")]
