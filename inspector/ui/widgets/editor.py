"""The editor of one field: what fits its kind, checked and previewed while the value is typed (SCREENS Record).

It knows records' fields and nothing of the store: the owner gives the task with its preview, and does the saving.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Button, Input, OptionList, Static, TextArea
from textual.widgets.input import Selection
from textual.widgets.option_list import Option

from inspector.errors import FieldError
from inspector.i18n import N_, _
from inspector.records import ABSENT, FieldSpec
from inspector.text import fold, visible
from inspector.times import EPOCH, parse_time
from inspector.ui.actions import BY_ID, bindings, show_keys
from inspector.ui.veil import is_hidden
from inspector.ui.veil import visible as seen
from inspector.ui.widgets.cells import Piece
from inspector.ui.widgets.inputs import SafeInput, SafeTextArea
from inspector.ui.widgets.signs import content
from inspector.ui.widgets.values import Form, editor_form, empty_value, read_typed, show_value

#: A text longer than this is not put into a box for typing, which would be slow; its missing kinds can still be set.
LONGEST = 200_000
_MOST_WORDS = 200
_NOT_SET = object()
#: What the buttons do, by the verb of their action.
VERBS = {
    "save": N_("save"),
    "absent": N_("absent"),
    "null": N_("null"),
    "empty": N_("empty"),
    "source": N_("source"),
    "cancel": N_("cancel"),
}


@dataclass(frozen=True)
class EditTask:
    """What is edited: a field of one record or of several.

    ``value`` is the value in force (of the first record where they differ), ``original`` the source's. ``words`` are
    offered, known words first. ``preview`` says what a valid value would do; it raises FieldError for one that the
    store refuses, and stores nothing.
    """

    spec: FieldSpec
    title: str
    value: Any
    original: Any
    words: Sequence[str] = ()
    note: str = ""
    timezone: str | None = None
    preview: Callable[[Any], Sequence[Piece]] = field(default=lambda _: ())
    context: Any = None


@dataclass(frozen=True, slots=True)
class FieldRow:
    """A field that can be chosen: its value in force, and in words where several records differ."""

    spec: FieldSpec
    value: Any
    edited: bool
    mixed: str = ""
    near: bool = False


class FieldEditor(Vertical):
    """Edits a field; says Saved with a checked value, or Cancelled."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("editor", footer=False)
    DEFAULT_CSS = """
    FieldEditor {
        height: auto;
        max-height: 100%;
        background: $surface;
        & > .title { height: auto; text-style: bold; color: $heading; }
        & > .offers { height: 1; color: $dim; padding: 0 0 0 2; }
        & > OptionList { height: auto; max-height: 5; border: none; background: $surface; }
        & > OptionList.-textual-compact { padding: 0 0 0 4; }
        & > OptionList > .option-list--option { color: $dim; }
        & > SafeTextArea { height: auto; min-height: 3; max-height: 9; }
        & > .says { height: auto; min-height: 1; max-height: 6; }
        & > .buttons { height: auto; }
        & > .buttons > Button { margin: 0 1 0 0; min-width: 4; }
    }
    """

    class Saved(Message):
        """A valid value to be stored; ABSENT takes the key away."""

        def __init__(self, editor: FieldEditor, task: EditTask, value: Any) -> None:
            super().__init__()
            self.editor = editor
            self.task = task
            self.value = value

    class Cancelled(Message):
        """Nothing is to be stored."""

        def __init__(self, editor: FieldEditor, task: EditTask) -> None:
            super().__init__()
            self.editor = editor
            self.task = task

    def __init__(self, task: EditTask | None = None) -> None:
        super().__init__()
        self.editing = task
        self._form = Form("", False, False)
        self._chosen: Any = _NOT_SET
        self._start = ""
        self._words: list[str] = []
        self._stepping = False

    def compose(self) -> ComposeResult:
        """Title, the two ways of typing, the offered words, what the value would do, the buttons."""
        yield Static("", classes="title")
        yield SafeInput(select_on_focus=False)
        yield SafeTextArea(highlight_cursor_line=False)
        yield Static(Content(_("suggested, not typed: up and down take one")), classes="offers")
        yield OptionList(markup=False, compact=True)
        yield Static("", classes="says")
        with Horizontal(classes="buttons"):
            for verb in VERBS:
                label = f"{_(VERBS[verb])} {show_keys(BY_ID[f'editor.{verb}'], {})}"
                yield Button(Content(label), id=f"do-{verb}", compact=True)

    def on_mount(self) -> None:
        """Start, where it was made for a task."""
        if self.editing is not None:
            self.open(self.editing)

    def open(self, task: EditTask) -> None:
        """Start on a task and take the focus."""
        self.editing = task
        self._form = editor_form(task.spec, task.value)
        too_long = len(self._form.text) > LONGEST
        hidden = is_hidden(self._form.text)
        self._chosen = task.value if too_long or hidden else _NOT_SET
        self._start = "" if too_long or hidden else self._form.text
        title = [Piece(seen(task.title), "heading"), Piece(f"  {_(task.spec.help)}", "dim")]
        if self._form.json:
            title.append(Piece(_("  as JSON"), "warn"))
        if task.note:
            title.append(Piece(f"\n{seen(task.note)}", "warn"))
        self.query_one(".title", Static).update(content(title))
        line, box = self.query_one(SafeInput), self.query_one(SafeTextArea)
        line.display = not self._form.multiline
        box.display = self._form.multiline
        with self.prevent(Input.Changed, TextArea.Changed):
            line.value = "" if self._form.multiline else self._start
            line.cursor_position = len(line.value)
            line.placeholder = _("type a value")
            box.load_text(self._start if self._form.multiline else "")
        for verb in ("absent", "null", "empty", "source"):
            self.query_one(f"#do-{verb}", Button).display = self._offers(verb)
        self._offer_words("")
        self._point_at(self._start)
        if self._words and task.spec.kind not in ("time", "number"):
            # Another word is meant to take the place of this one, not to be written behind it.
            line.selection = Selection(0, len(line.value))
        (box if self._form.multiline else line).focus()
        self._say()
        if hidden:
            self._says([Piece(_("the value is redacted: what you type takes its place"), "warn")])
        if too_long:
            self._says(
                [
                    Piece(
                        _("too long to be typed here ({count:,} characters)").format(count=len(self._form.text)), "warn"
                    )
                ]
            )

    def _offers(self, verb: str) -> bool:
        task = self.editing
        if task is None:
            return False
        if verb == "source":
            return task.value != task.original or type(task.value) is not type(task.original)
        if verb == "empty":
            return empty_value(task.spec) is not ABSENT
        return task.spec.kind not in ("id", "text")

    # Offered words

    def _offer_words(self, typed: str) -> None:
        task = self.editing
        words = list(dict.fromkeys([*task.spec.choices, *task.words])) if task else []
        if task and task.spec.kind == "bool":
            words = ["true", "false"]
        wanted = fold(typed)
        matching = [word for word in words if wanted in fold(word)] or words
        matching = [word for word in matching if visible(word) == word][:_MOST_WORDS]
        options = self.query_one(OptionList)
        options.display = bool(matching) and not self._form.json
        self.query_one(".offers").display = options.display
        if matching != self._words or options.option_count != len(matching):
            self._words = matching
            options.set_options([Option(Content(seen(word))) for word in matching])
        self._point_at(typed)

    def _point_at(self, typed: str) -> None:
        """Highlight the offered word that is typed, none where it is no offered word."""
        self.query_one(OptionList).highlighted = self._words.index(typed) if typed in self._words else None

    def action_previous(self) -> None:
        """The word, day or number before."""
        self._step(-1)

    def action_next(self) -> None:
        """The next word, day or number."""
        self._step(1)

    def _step(self, direction: int) -> None:
        task = self.editing
        if task is None or self._form.multiline:
            return
        line = self.query_one(SafeInput)
        if task.spec.kind in ("time", "number"):
            stepped = self._stepped(task, line.value, direction)
        elif self._words and not self._form.json:
            at = self.query_one(OptionList).highlighted
            start = -1 if direction > 0 else 0
            stepped = self._words[((start if at is None else at) + direction) % len(self._words)]
        else:
            return
        self._stepping = True
        line.value = stepped
        line.cursor_position = len(stepped)

    def _stepped(self, task: EditTask, text: str, direction: int) -> str:
        try:
            value = read_typed(task.spec, text, as_json=self._form.json, timezone=task.timezone)
            if task.spec.kind == "number":
                return str(value + direction)
            instant = parse_time(value, task.spec.name, task.timezone)
            if not isinstance(value, str):
                return str(value + direction * 86_400)
            moved = (EPOCH + timedelta(microseconds=instant.us) + timedelta(days=direction)).replace(tzinfo=None)
        except (FieldError, OverflowError):
            return text
        short = len(text.strip()) == 10
        return moved.date().isoformat() if short else moved.isoformat() + ("" if instant.naive else "Z")

    # What was typed

    def current(self) -> Any:
        """The value that saving would store. Raises FieldError where what was typed is none."""
        task = self.editing
        if task is None:
            return ABSENT
        if self._chosen is not _NOT_SET:
            return self._chosen
        typed = self.query_one(SafeTextArea).text if self._form.multiline else self.query_one(SafeInput).value
        if typed == self._start:
            return task.value
        return read_typed(task.spec, typed, as_json=self._form.json, timezone=task.timezone)

    @on(Input.Changed)
    def _line_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._chosen = _NOT_SET
        if self._stepping:
            self._stepping = False
            self._point_at(event.value)
        else:
            self._offer_words(event.value)
        self._say()

    @on(TextArea.Changed)
    def _box_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self._chosen = _NOT_SET
        self._say()

    def _say(self) -> None:
        """What the value is, and what it would do; or why it is none."""
        task = self.editing
        if task is None:
            return
        try:
            value = self.current()
            pieces = [Piece(f"= {show_value(value)[:200]}", "dim")]
            if task.spec.kind == "time" and isinstance(value, str | int | float) and value != "":
                instant = parse_time(value, task.spec.name, task.timezone)
                zone = _("no zone known") if instant.naive else "UTC"
                pieces.append(Piece(f"  {instant.iso()}  {zone}", "dim"))
            if self._offers("source"):
                pieces.append(
                    Piece(_("  the source has {original}").format(original=show_value(task.original)[:80]), "edited")
                )
            preview = list(task.preview(value))
        except FieldError as error:
            self._says(
                [
                    Piece(f"✗ {seen(error.wrong)}", "bad"),
                    Piece(_("  expected: {expected}").format(expected=seen(error.expected))),
                ]
            )
            return
        if preview:
            pieces += [Piece("\n"), *preview]
        self._says(pieces)

    def _says(self, pieces: Sequence[Piece]) -> None:
        self.query_one(".says", Static).update(content(pieces))

    def refuse(self, error: FieldError) -> None:
        """Show in place why the store did not take the value."""
        self._says([Piece(f"✗ {seen(str(error))}", "bad")])
        self.app.bell()

    # Saving

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_save()

    @on(OptionList.OptionSelected)
    def _word_chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._stepping = True
        line = self.query_one(SafeInput)
        line.value = self._words[event.option_index]
        line.focus()

    def action_save(self) -> None:
        """Offer the value for saving; one that is none stays, with its reason."""
        if self.editing is None:
            return
        try:
            value = self.current()
        except FieldError:
            self._say()
            self.app.bell()
            return
        self.post_message(self.Saved(self, self.editing, value))

    def action_cancel(self) -> None:
        """Leave the value as it is."""
        if self.editing is not None:
            self.post_message(self.Cancelled(self, self.editing))

    def _choose(self, value: Any) -> None:
        self._chosen = value
        self._say()

    def action_absent(self) -> None:
        """Choose that the key is not there."""
        if self._offers("absent"):
            self._choose(ABSENT)

    def action_null(self) -> None:
        """Choose null."""
        if self._offers("null"):
            self._choose(None)

    def action_empty(self) -> None:
        """Choose the empty value."""
        if self.editing is not None and self._offers("empty"):
            self._choose(empty_value(self.editing.spec))

    def action_source(self) -> None:
        """Choose the source's value."""
        if self.editing is not None and self._offers("source"):
            self._choose(self.editing.original)

    @on(Button.Pressed)
    async def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        await self.run_action((event.button.id or "").removeprefix("do-"))
