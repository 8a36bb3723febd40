"""Editing on the Inspect screen: fields, judgments, bundle, rules; undo and redo (DESIGN 10, SCREENS Inspect)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from inspector.errors import FieldError, InspectorError
from inspector.gate.evaluate import MEMORY_FIELDS_READ
from inspector.i18n import _
from inspector.records import (
    INTENTS,
    MEMORY_FIELDS,
    QUERY_FIELDS,
)
from inspector.times import Instant
from inspector.trit import Trit
from inspector.ui.changing import change_store
from inspector.ui.messages import guarded
from inspector.ui.screens.edit_field import EditFieldDialog
from inspector.ui.screens.inspect_base import InspectBase
from inspector.ui.screens.inspect_dialogs import LinesDialog
from inspector.ui.tasks import (
    Kind,
    field_rows,
    gate_preview,
    make_task,
    records_of,
    title_of,
    verdict_preview,
)
from inspector.ui.widgets.cells import Piece
from inspector.ui.widgets.detail import FieldChosen
from inspector.ui.widgets.detail_tabs import FlipChosen
from inspector.ui.widgets.editor import EditTask, FieldEditor
from inspector.ui.widgets.reader import Reader
from inspector.ui.widgets.values import read_typed, show_value
from inspector.ui.widgets.why import FieldChoice
from inspector.views import Change

if TYPE_CHECKING:
    from inspector.inspection import Inspection

#: Field of a candidates' column, for columns that show a field.
_COLUMN_FIELDS = {"owner": "namespace", "text": "text"}


class InspectEditing(InspectBase):
    """The actions that change something. Each asks the door, which tells what moved."""

    def __init__(self, inspection: Inspection) -> None:
        super().__init__(inspection)
        #: What stands before the next sentence of what moved.
        self.words_before = ""
        #: The store's instants, once they were asked for.
        self._events: list[Instant] | None = None

    # What is edited

    def _chosen_memories(self) -> list[int]:
        """The marked memories, else the one under the cursor."""
        return self.candidate_pane.chosen()

    def make_task(self, kind: Kind, indices: Sequence[int], field: str) -> EditTask:
        """The task of editing a field of the records, with what it would do to the pair under the cursor."""
        preview = partial(self._preview, kind, tuple(indices), field)
        return make_task(self.inspection, kind, indices, field, preview)

    def _preview(self, kind: Kind, indices: tuple[int, ...], field: str, value: Any) -> list[Piece]:
        current = self.candidate_pane.current
        if self.qi is None or current is None:
            return []
        return [
            *verdict_preview(self.inspection, kind, indices, field, value, self.qi, current),
            *gate_preview(self.inspection, kind, indices, field, value, self.qi, current.mi),
        ]

    # Fields

    def action_edit(self) -> None:
        """Edit the field under the cursor, of all marked memories; else choose a field first."""
        if self.query_pane.has_focus_within:
            self.edit_query("")
        elif self.bundle_bar.has_focus:
            self.bundle_bar.action_choose()
        elif self.detail.has_focus_within:
            self._edit_in_detail()
        else:
            column = self.candidate_pane.grid.cursor_column
            self.edit_memories(_COLUMN_FIELDS.get(column, ""), near=self._near(column))

    def _edit_in_detail(self) -> None:
        key = self._field_in_detail()
        if key is not None:
            self.on_field_chosen(FieldChosen(key.owner, key.name))
        else:
            self.edit_memories("")

    def _field_in_detail(self) -> FieldChoice | None:
        """The field under the cursor of the tab in sight, while the focus is there."""
        reader = getattr(self.detail.tab(self.detail.active), "reader", None)
        key = reader.key if isinstance(reader, Reader) and reader.has_focus else None
        return key if isinstance(key, FieldChoice) else None

    def _near(self, column: str) -> set[str]:
        """The fields that the axis under the cursor reads, which are offered first."""
        mi = self.mi
        if self.qi is None or mi is None:
            return set()
        explanation = self.inspection.explain(self.qi, mi)
        if column == "gate":
            return set(MEMORY_FIELDS_READ)
        axes = [column] if column in ("scope", "policy", "lifecycle", "relevance") else list(explanation.decided_by)
        near: set[str] = set()
        for axis in axes:
            result = getattr(explanation, axis)
            near |= {read.name for read in result.reads if read.owner == "memory"} | set(result.missing)
        return near

    @guarded
    def on_field_chosen(self, event: FieldChosen) -> None:
        """A field in the detail was chosen."""
        if event.owner == "query":
            self.edit_query(event.name)
        elif self.detail.active == "record" and self.record.has_focus_within:
            self.record.open_editor(self.make_task("memory", self._chosen_memories(), event.name))
        else:
            self.edit_memories(event.name)

    def edit_memories(self, field: str, near: set[str] | None = None) -> None:
        """Edit a field of the chosen memories in a dialog; "" lets the user choose it."""
        indices = self._chosen_memories()
        if indices:
            self._open_dialog("memory", indices, field, near or set())

    def edit_query(self, field: str) -> None:
        """Edit a field of the selected query in a dialog; "" lets the user choose it."""
        if self.qi is not None:
            self._open_dialog("query", [self.qi], field, set())

    def _open_dialog(self, kind: Kind, indices: Sequence[int], field: str, near: set[str]) -> None:
        records = records_of(self.inspection, kind, indices)
        self.app.push_screen(
            EditFieldDialog(
                _("Edit {title_of}").format(title_of=title_of(kind, records)),
                field_rows(records, kind, near),
                partial(self.make_task, kind, indices),
                partial(self._save, kind, indices),
                field or None,
            )
        )

    def _save(self, kind: Kind, indices: Sequence[int], field: str, value: Any) -> None:
        self.looked()
        self.inspection.edit(kind, indices, field, value)

    @guarded
    def on_field_editor_saved(self, event: FieldEditor.Saved) -> None:
        """The editor in the Record tab has a value."""
        event.stop()
        kind, indices = event.task.context
        try:
            self._save(kind, indices, event.task.spec.name, event.value)
        except FieldError as error:
            event.editor.refuse(error)
            return
        self.record.close_editor()

    def on_field_editor_cancelled(self, event: FieldEditor.Cancelled) -> None:
        """The editor in the Record tab is left."""
        event.stop()
        self.record.close_editor()

    def action_revert(self) -> None:
        """The field under the cursor back to the source's value, for each chosen memory."""
        key = self._field_in_detail()
        field = None if key is None else key.name
        if field is None and self.candidate_pane.has_focus_within:
            field = _COLUMN_FIELDS.get(self.candidate_pane.grid.cursor_column)
        if self.bundle_bar.has_focus and self.qi is not None:
            self._revert("query", [self.qi], self.bundle_bar.key)
        elif self.query_pane.has_focus_within and self.take_away():
            pass
        elif key is not None and key.owner == "query" and self.qi is not None:
            self._revert("query", [self.qi], key.name)
        elif field is not None:
            self._revert("memory", self._chosen_memories(), field)
        else:
            self.toast(_("put the cursor on a field that carries an edit; E lists all edits"))

    def _revert(self, kind: Kind, indices: Sequence[int], field: str) -> None:
        edited = [index for index in indices if field in records_of(self.inspection, kind, [index])[0].edits]
        if not edited:
            self.toast(_("{field} has no edit").format(field=field))
            return
        self.looked()
        for index in edited:
            record = records_of(self.inspection, kind, [index])[0]
            self.inspection.edit(kind, [index], field, record.source(field))

    # Judgments

    def action_judge(self, sign: str) -> None:
        """Judge the axis under the cursor: ``1``, ``0``, ``?``, or "" to take the judgment away."""
        if self.qi is None:
            return
        axis = self.candidate_pane.axis
        if self.detail.has_focus_within and self.detail.active == "why":
            key = self.why.reader.key
            axis = key.place if isinstance(key, FieldChoice) else None
        if axis not in ("scope", "policy", "lifecycle", "relevance"):
            self.toast(_("put the column cursor on S, P, L or R, with left and right, to judge that axis"))
            return
        value = {"1": Trit.YES, "0": Trit.NO, "?": Trit.UNKNOWN, "": None}[sign]
        indices = self._chosen_memories()
        if indices:
            self.looked()
            self.inspection.judge(self.qi, indices, axis, value)

    def action_flip(self) -> None:
        """Apply the smallest edit that flips the verdict: the one under the cursor, else the first."""
        current = self.candidate_pane.current
        if self.qi is None or current is None:
            return
        if self.detail.active == "gate":
            self.close_gap()
            return
        chosen = self.why.first_flip() if self.detail.active == "why" else None
        if chosen is None or (chosen.qi, chosen.mi) != (self.qi, current.mi):
            target = Trit.NO if current.admissible is Trit.YES else Trit.YES
            search = self.inspection.flips(self.qi, current.mi, target)
            if not search.flips:
                self.tell(search.words)
                return
            chosen = FlipChosen(self.qi, current.mi, search.flips[0])
        self.on_flip_chosen(chosen)

    @guarded
    def on_flip_chosen(self, event: FlipChosen) -> None:
        """Make the edits of a flip."""
        self.looked()
        try:
            self.inspection.apply_flip(event.mi, event.flip.edits)
        except FieldError as error:
            self.fail(error, _("The edit was refused"))

    def looked(self) -> None:
        """What an earlier edit changed in this query has been seen; the next edit is marked alone."""
        if self.qi is not None:
            self.inspection.looked_at(self.qi)

    def action_transition(self) -> None:
        """Move the boundary of the chosen memories: archive, resume, forget, quarantine, release."""
        from inspector.ui.screens.transition import TransitionDialog

        indices = self._chosen_memories()
        if not indices:
            self.tell(_("no memory under the cursor"))
            return

        def before(words: str) -> None:
            self.looked()
            self.words_before = words

        self.app.push_screen(TransitionDialog(self.inspection, indices, self.qi, before))

    # The bundle

    def action_bundle(self) -> None:
        """To the query bundle."""
        self.bundle_bar.focus()

    def action_intent(self) -> None:
        """The next intent: current, history, unknown."""
        if self.qi is None:
            return
        now = self.inspection.queries[self.qi].value("intent")
        following = INTENTS[(INTENTS.index(now) + 1) % len(INTENTS)] if now in INTENTS else INTENTS[0]
        self.words_before = _("intent {following}: ").format(following=following)
        self._edit_query_field("intent", following)

    def _edit_query_field(self, field: str, value: Any) -> None:
        if self.qi is None:
            return
        self.looked()
        try:
            self.inspection.edit("query", [self.qi], field, value)
        except FieldError as error:
            self.fail(error, _("The edit was refused"))

    def action_as_of_earlier(self) -> None:
        """``as_of`` to the store's event before."""
        self._scrub(-1)

    def action_as_of_later(self) -> None:
        """``as_of`` to the store's next event."""
        self._scrub(1)

    def _scrub(self, direction: int) -> None:
        if self.qi is None:
            return
        if self._events is None:
            self._events = self.inspection.events(self.qi)
        now = self.inspection.bundle_line(self.qi).as_of_instant
        if direction < 0:
            near = [event for event in self._events if now is None or event.us < now.us][-1:]
        else:
            near = [event for event in self._events if now is None or event.us > now.us][:1]
        if not near:
            self.tell(_("no earlier event in the store") if direction < 0 else _("no later event in the store"))
            return
        self.words_before = _("as_of {text}: ").format(text=near[0].text)
        self._edit_query_field("as_of", time_value(near[0]))

    def forget_events(self) -> None:
        """The store's times may have changed."""
        self._events = None

    # Rules

    def action_isolation(self) -> None:
        """The next isolation: namespace, session, both."""
        self._cycle("isolation", ("namespace", "session", "namespace+session"), self.inspection.settings.isolation)

    def action_unknown_intent(self) -> None:
        """An unknown intent as the join of both, or strictly as the source's code has it."""
        self._cycle("unknown_intent", ("join", "strict"), self.inspection.settings.unknown_intent)

    def _cycle(self, name: str, choices: Sequence[str], now: str) -> None:
        value = choices[(choices.index(now) + 1) % len(choices)]
        self.looked()
        self.words_before = f"{name} = {value}: "
        self._set(name, value)

    def action_assumptions(self) -> None:
        """Edit what missing fields are taken as."""
        lines = [f"{name} = {show_value(value)}" for name, value in self.inspection.settings.assumptions.items()]
        hint = _("One FIELD = VALUE a line, such as status = current, policy = allow, query.purpose = care.")
        self.app.push_screen(LinesDialog(_("Assumptions"), hint, lines, self._assume))

    def _assume(self, lines: list[str]) -> None:
        table = dict(assumption(line) for line in lines)
        self.looked()
        self._set("assumptions", table)

    def action_aliases(self) -> None:
        """Edit which ids mean one owner."""
        lines = [", ".join(group) for group in self.inspection.settings.aliases]
        hint = _("The ids of one owner on a line, with commas between them.")
        self.app.push_screen(LinesDialog(_("Aliases"), hint, lines, self._alias))

    def _alias(self, lines: list[str]) -> None:
        groups = [[one.strip() for one in line.split(",") if one.strip()] for line in lines]
        self.looked()
        self._set("aliases", [group for group in groups if group])

    def _set(self, name: str, value: Any) -> None:
        """Change a setting of the whole store. Raises InspectorError for a bad value before anything is changed."""
        self.inspection.check_setting(name, value)
        change_store(self, partial(self.inspection.set_setting, name, value))

    def close_gap(self) -> None:
        """Apply what would close the gap."""
        raise NotImplementedError

    def changed(self, change: Change) -> None:
        """What an edit moved has to be shown."""
        raise NotImplementedError


def assumption(line: str) -> tuple[str, Any]:
    """Read ``FIELD = VALUE``, the value as the field's kind has it. Raises InspectorError."""
    name, equals, value = (part.strip() for part in line.partition("="))
    spec = MEMORY_FIELDS.get(name) or (QUERY_FIELDS.get(name[6:]) if name.startswith("query.") else None)
    if not equals or not value or (spec is None and name != "policy"):
        raise InspectorError(
            _("{line!r}: FIELD = VALUE is expected, FIELD being a memory's field, query.FIELD or policy").format(
                line=line
            )
        )
    if spec is None:
        return name, value
    typed = "\n".join(value.split(",")) if spec.kind == "list" else value
    return name, read_typed(spec, typed, as_json=spec.kind == "object")


def time_value(instant: Instant) -> Any:
    """The value of a time field that gives this instant again: epoch seconds as a number, else the source's text."""
    try:
        return float(instant.text) if "." in instant.text else int(instant.text)
    except ValueError:
        return instant.text
