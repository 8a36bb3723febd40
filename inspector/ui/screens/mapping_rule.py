"""Where one field of a mapping comes from: source paths, or a constant; how a time is counted, how a list is cut."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, Static

from inspector.assisting import UNITS, Assistant
from inspector.errors import FieldError, InspectorError
from inspector.i18n import _
from inspector.records import MEMORY_FIELDS
from inspector.ui.actions import bindings
from inspector.ui.screens.form import FormDialog
from inspector.ui.veil import visible
from inspector.ui.widgets.cells import Column, Piece, RowList
from inspector.ui.widgets.grid import Grid
from inspector.ui.widgets.inputs import SafeInput
from inspector.ui.widgets.safe import plain
from inspector.ui.widgets.signs import content
from inspector.ui.widgets.values import read_typed

#: The row that leaves the field out.
NOTHING = "@nothing"
_KEYS = ("previous", "next")


def example_words(values: list[Any]) -> str:
    """Example values in one line."""
    return ", ".join(one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in values)


class RuleDialog(FormDialog[bool]):
    """Chooses the source of one field; the result is True where the mapping was changed.

    Enter takes the path under the cursor, or the marked ones together: as the segments of a namespace, joined with a
    stroke in another field. Enter on a line below takes what is typed there.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding for binding in bindings("editor", footer=False) if getattr(binding, "action", "") in _KEYS
    ]
    PANE = "Field"
    HELP = (
        "Enter takes the source path under the cursor; space marks several, which together make a namespace of "
        "segments. Or type a constant that every record gets. Times that count from 1970 need their unit."
    )
    DEFAULT_CSS = """
    RuleDialog .dialog { height: 90%; }
    RuleDialog Grid { height: 1fr; }
    RuleDialog Horizontal { height: 1; }
    RuleDialog .name { width: 11; }
    RuleDialog SafeInput { width: 1fr; }
    RuleDialog .about { color: $dim; height: auto; }
    RuleDialog .says { height: auto; min-height: 1; }
    RuleDialog .hint { height: auto; color: $dim; }
    """

    def __init__(self, assistant: Assistant, target: str) -> None:
        super().__init__()
        self.assistant = assistant
        self.target = target
        self._spec = MEMORY_FIELDS[target]

    def compose(self) -> ComposeResult:
        """The paths with examples, the lines below, the keys."""
        rule = self.assistant.rules.get(self.target)
        columns = (
            Column("path", "source path", 22, 12, flex=1),
            Column("held", "", 13),
            Column("as", "values", 20, flex=2),
        )
        with Vertical(classes="dialog") as box:
            box.border_title = plain(_("{target}: where it comes from").format(target=self.target))
            yield Static(plain(_(self._spec.help)), classes="about")
            yield Grid(columns, RowList(self._choices(), lambda row: row[0], lambda row: row[1:]), markable=True)
            for name, text, hint in self._lines():
                with Horizontal():
                    yield Static(Content(name), classes="name")
                    yield SafeInput(text, placeholder=hint, id=f"line-{name}")
            yield Static(plain(rule.why) if rule is not None else "", classes="says")
            yield Static(
                Content(_("enter takes · space marks several · tab to the lines below · esc leaves it")), classes="hint"
            )

    def _choices(self) -> list[tuple[str, str | Piece, Piece, str]]:
        total = len(self.assistant.sample.rows)
        rows: list[tuple[str, str | Piece, Piece, str]] = [(NOTHING, Piece(_("nothing"), "dim"), Piece(""), "")]
        for path in self.assistant.paths:
            values, held = self.assistant.examples(path)
            rows.append(
                (path, path, Piece(_("{held} of {total}").format(held=held, total=total), "dim"), example_words(values))
            )
        return rows

    def _lines(self) -> list[tuple[str, str, str]]:
        rule = self.assistant.rules.get(self.target)
        constant = "" if rule is None or rule.paths or rule.constant is None else _shown(rule.constant)
        found = [("constant", constant, _("a value that every record gets"))]
        if self._spec.kind == "time":
            unit = "" if rule is None else rule.unit
            found.append(("unit", unit, _("of a number since 1970: s, ms, us, ns; up and down choose")))
        if self._spec.kind == "list":
            found.append(("split", "" if rule is None else rule.split, _("what stands between the items of a text")))
        if self.target in ("status", "boundary_state"):
            words = {} if rule is None else rule.values
            listed = "; ".join(f"{word} = {label}" for word, label in words.items())
            found.append(("words", visible(listed), _("the source's words for ours: live = active; gone = deleted")))
        return found

    def on_mount(self) -> None:
        """Begin at the rule in force."""
        rule = self.assistant.rules.get(self.target)
        grid = self.query_one(Grid)
        if rule is not None and rule.paths:
            if len(rule.paths) > 1:
                grid.set_marks(rule.paths)
            grid.move_cursor(key=rule.paths[0])
        grid.focus()

    def _typed(self, name: str) -> str:
        found = self.query(f"#line-{name}")
        return found.first(SafeInput).value.strip() if found else ""

    @on(Grid.RowSelected)
    def _take_path(self, event: Grid.RowSelected) -> None:
        event.stop()
        self._take_paths()

    def _take_paths(self) -> None:
        grid = self.query_one(Grid)
        if grid.cursor_key == NOTHING and not grid.marks:
            self.assistant.clear(self.target)
            self.dismiss(True)
            return
        paths = [str(key) for key in grid.chosen() if key != NOTHING]
        try:
            values = _words(self._typed("words"))
            self.assistant.set_paths(self.target, paths, self._typed("unit"), self._typed("split"), values)
        except InspectorError as error:
            self._refuse(error)
            return
        self.dismiss(True)

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        if event.input.id != "line-constant":
            self._take_paths()
            return
        text = self._typed("constant")
        try:
            if not text:
                raise FieldError("constant", _("nothing was typed"), _("a value, or a source path above"))
            as_json = self._spec.kind in ("object", "vector") or text[:1] in ("[", "{")
            if self._spec.kind == "list" and not as_json:
                text = text.replace(",", "\n")
            self.assistant.set_constant(self.target, read_typed(self._spec, text, as_json=as_json))
        except InspectorError as error:
            self._refuse(error)
            return
        self.dismiss(True)

    def _refuse(self, error: InspectorError) -> None:
        self.query_one(".says", Static).update(content([Piece(f"✗ {visible(str(error))}", "bad")]))
        self.app.bell()

    def known_words(self, field: str) -> Sequence[str]:
        """The units of a time."""
        return ("", *UNITS) if field == "unit" else ()


def _shown(value: Any) -> str:
    return visible(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _words(text: str) -> dict[str, str]:
    """``live = active; gone = deleted`` as pairs. Raises FieldError."""
    found: dict[str, str] = {}
    for part in filter(None, (one.strip() for one in text.split(";"))):
        word, equals, label = (one.strip() for one in part.partition("="))
        if not equals or not word or not label:
            raise FieldError("words", _("{part!r} is no pair").format(part=part), _("WORD = OURS; WORD = OURS"))
        found[word] = label
    return found
