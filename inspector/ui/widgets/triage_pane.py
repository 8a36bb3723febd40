"""The queue of the Triage screen: a table with groups, a filter, and a line in which a note is written (SCREENS)."""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.message import Message
from textual.widgets import Input, Static

from inspector.audit.triage import Incident
from inspector.i18n import _
from inspector.ui.panes import Table
from inspector.ui.veil import visible
from inspector.ui.widgets.cells import Piece
from inspector.ui.widgets.inputs import SafeInput
from inspector.ui.widgets.panes import TablePane
from inspector.ui.widgets.signs import content
from inspector.ui.widgets.triage_rows import COLUMNS, GroupKey, QueueRows, TriageFilter, count_words


class TriagePane(TablePane):
    """The incidents; the one under the cursor is told beside."""

    PANE: ClassVar[str] = "Triage"
    PLACEHOLDER: ClassVar[str] = TriageFilter.HELP
    HELP = (
        "The worst first: T C V A D are the failure stages, ✓ nothing failed, ? undecided, … being worked out anew. "
        "Enter shows the query in Inspect, or folds the group under the cursor. Mark with space, then c confirms and d "
        f"dismisses all marked. Rows keep their places until R orders anew. Filter with /: {TriageFilter.HELP}"
    )
    DEFAULT_CSS = """
    TriagePane > #note-line { display: none; height: 1; background: $panel; }
    TriagePane > #triage-note { display: none; }
    TriagePane.-noting > #note-line { display: block; }
    TriagePane.-noting > #triage-note { display: block; }
    """

    class Noted(Message):
        """A note was written."""

        def __init__(self, identity: str, note: str) -> None:
            super().__init__()
            self.identity = identity
            self.note = note

    class Narrowed(Message):
        """Another filter was typed."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, rows: QueueRows, *, id: str) -> None:
        super().__init__(COLUMNS, markable=True, column_cursor=False, empty=_("working out the incidents …"), id=id)
        self.rows = rows
        self._said = ""
        self._noted: str | None = None
        self._note = SafeInput(placeholder=_("a note; enter keeps it, escape leaves it as it was"), id="triage-note")

    def compose(self) -> ComposeResult:
        """Title, filter line, table, and the line for a note below."""
        yield from super().compose()
        yield Static(id="note-line")
        yield self._note

    # What is shown

    def show(self, *, cursor: str | None = None) -> None:
        """Show the rows as they are arranged; marks stay."""
        queue = self.rows.queue
        if queue is not None:
            filtered = bool(self.rows.filter)
            self.grid.empty = (
                _("no incident matches the filter; escape shows all") if filtered else _("no query in this store")
            )
        self.grid.set_source(self.rows, cursor=cursor, keep_marks=True)
        self.say_counts()

    def order_anew(self, *, cursor: str | None = None) -> None:
        """Filter, order and group anew, then show."""
        self.rows.arrange()
        self.show(cursor=cursor)

    def working(self, words: str) -> None:
        """Say what is being worked out, "" where nothing is."""
        self._said = words
        if self.rows.queue is None:
            self.grid.empty = words or _("stopped: R works the incidents out")
            self.grid.refresh_rows()
        self.say_counts()

    def say_counts(self) -> None:
        """How many there are, and in which states."""
        queue = self.rows.queue
        pieces = [Piece(self._said, "changed")] if self._said else []
        if queue is not None:
            words = count_words(queue.incidents)
            shown, total = len(self.rows.shown), len(queue.incidents)
            if self.rows.filter:
                words = _("showing {shown:,} of {total:,} · {words}").format(shown=shown, total=total, words=words)
            pieces = [
                Piece(words, "changed" if self.rows.filter else "dim"),
                *([Piece(" · "), *pieces] if pieces else []),
            ]
        if marks := len(self.grid.marks):
            pieces.append(Piece(_(" · {marks:,} marked").format(marks=marks), "strong"))
        self.show_title(pieces)

    @property
    def current(self) -> Incident | None:
        """The incident under the cursor; None on the line of a group."""
        key = self.grid.cursor_key
        return self.rows.get(key) if isinstance(key, str) else None

    @property
    def group(self) -> GroupKey | None:
        """The group whose line is under the cursor."""
        key = self.grid.cursor_key
        return key if isinstance(key, GroupKey) else None

    def chosen(self) -> list[str]:
        """What an action is meant for: the marked incidents, else the one under the cursor, of a group's line all."""
        found: dict[str, None] = {}
        for key in self.grid.chosen():
            if isinstance(key, GroupKey):
                found.update(dict.fromkeys(self.rows.members(key)))
            else:
                found[str(key)] = None
        return list(found)

    # Groups

    def fold(self, cause: str | None = None) -> None:
        """Fold a group, or unfold it; without one all of them, unless all are folded."""
        rows = self.rows
        causes = rows.causes if cause is None else [cause]
        if all(one in rows.folded for one in causes):
            rows.folded.difference_update(causes)
        else:
            rows.folded.update(causes)
        here = self.grid.cursor_key
        group = rows.group_of(here) if isinstance(here, str) else None
        rows.lay()
        self.show()
        if group is not None and group in rows.folded:
            self.grid.move_cursor(key=GroupKey(group))

    def go_to(self, identity: str) -> None:
        """Put the cursor on an incident; a folded group is unfolded for it."""
        group = self.rows.group_of(identity) if self.rows.grouped else None
        if group is not None and group in self.rows.folded:
            self.rows.folded.discard(group)
            self.rows.lay()
            self.show()
        self.grid.move_cursor(key=identity)

    # Notes

    def open_note(self) -> None:
        """Write a note on the incident under the cursor, in the line below the table."""
        one = self.current
        if one is None:
            return
        self._noted = one.identity
        self.query_one("#note-line", Static).update(
            content([Piece(_(" note on ")), Piece(visible(one.query_id), "strong")]), layout=False
        )
        self._note.value = one.note
        self.add_class("-noting")
        self._note.focus()

    def close_note(self) -> bool:
        """Leave the note as it was; False where none is being written."""
        if self._noted is None:
            return False
        self._noted = None
        self.remove_class("-noting")
        self.grid.focus()
        return True

    @on(Input.Submitted, "#triage-note")
    def _note_written(self, event: Input.Submitted) -> None:
        event.stop()
        event.prevent_default()
        identity = self._noted
        self.close_note()
        if identity is not None:
            self.post_message(self.Noted(identity, event.value.strip()))

    @on(Input.Changed, "#triage-note")
    def _note_typed(self, event: Input.Changed) -> None:
        event.stop()
        event.prevent_default()

    # Filter, cursor

    def narrow(self, text: str) -> None:
        """Show the incidents that the filter takes."""
        self.rows.filter = TriageFilter.parse(text)
        self.order_anew()
        self.post_message(self.Narrowed(text))

    def go_back(self) -> bool:
        """Escape leaves the note, then the filter."""
        return self.close_note() or super().go_back()

    def open_row(self, key: Hashable, column: str) -> None:
        """Enter folds a group; an incident is asked for."""
        if isinstance(key, GroupKey):
            self.fold(key.cause)
        else:
            super().open_row(key, column)

    def _copied(self) -> list[Incident]:
        return [self.rows.get(identity) for identity in self.chosen()]

    def copy_text(self) -> str | None:
        """What ``y`` copies: a line for each chosen incident."""
        lines = [
            "\t".join((one.query_id, one.severity.words, ", ".join(one.stages), one.state, one.text, one.note))
            for one in self._copied()
        ]
        return "\n".join(lines) or None

    def copy_json(self) -> str | None:
        """What ``Y`` copies: the chosen incidents, a JSON object a line."""
        lines = []
        for one in self._copied():
            made = {"query_id": one.query_id, "text": one.text, "principal": one.principal, "stages": one.stages}
            made |= {"severity": one.severity.words, "proof": one.proof, "cause": one.cause.words}
            lines.append(json.dumps({**made, "state": one.state, "note": one.note}))
        return "\n".join(lines) or None

    def export_tables(self) -> Sequence[Table]:
        """The incidents of the queue as they are shown."""
        incidents = [self.rows.get(identity) for identity in self.rows.shown]
        columns = ("incident", "severity", "stages", "principal", "at", "state", "note", "question", "proof", "cause")
        lines = [
            (
                one.query_id,
                one.severity.words,
                ", ".join(one.stages),
                one.principal,
                "" if one.at is None else one.at.text,
                one.state,
                one.note,
                one.text,
                ", ".join(one.proof),
                one.cause.words,
            )
            for one in incidents
        ]
        return [Table("incidents", columns, lines)]
