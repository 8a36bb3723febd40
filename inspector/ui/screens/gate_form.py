"""The short form: what a memory governs and what authority it carries, with what that would move (DESIGN 7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, Static

from inspector.errors import FieldError
from inspector.i18n import _
from inspector.records import Memory
from inspector.ui.actions import bindings
from inspector.ui.screens.form import FormDialog
from inspector.ui.veil import visible
from inspector.ui.widgets.cells import Piece
from inspector.ui.widgets.gate_form import HINTS, WORDS, GovernsForm
from inspector.ui.widgets.inputs import SafeInput
from inspector.ui.widgets.safe import plain
from inspector.ui.widgets.signs import content
from inspector.ui.widgets.values import show_value

if TYPE_CHECKING:
    from inspector.inspection import Inspection

_KEYS = ("save", "previous", "next")


class GovernsDialog(FormDialog[bool]):
    """Lines for governs and authority; the result is True where something was stored.

    ``preview`` gives what the edits would change, a phrase each; ``save`` stores them, or raises FieldError, which is
    shown in place.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding for binding in bindings("editor", footer=False) if getattr(binding, "action", "") in _KEYS
    ]
    PANE = "Govern"
    HELP = (
        "What the memory governs and what authority it carries, in a short form: lists of words with commas between "
        "them. Below stands what it would change at the gate."
    )
    DEFAULT_CSS = """
    GovernsDialog .dialog { height: auto; }
    GovernsDialog Horizontal { height: 1; }
    GovernsDialog .name { width: 25; }
    GovernsDialog SafeInput { width: 1fr; }
    GovernsDialog .part { text-style: bold; color: $heading; height: 1; }
    GovernsDialog .says { height: auto; min-height: 1; max-height: 8; }
    GovernsDialog .hint { height: auto; color: $dim; }
    """

    def __init__(
        self,
        memory: Memory,
        preview: Callable[[Mapping[str, Any]], Sequence[str]],
        save: Callable[[Mapping[str, Any]], None],
        timezone: str | None = None,
    ) -> None:
        super().__init__()
        self.form = GovernsForm.of(memory)
        self._preview = preview
        self._save = save
        self._timezone = timezone

    @classmethod
    def of(
        cls, inspection: Inspection, qi: int | None, mi: int, save: Callable[[Mapping[str, Any]], None]
    ) -> GovernsDialog:
        """The form of a memory of the store, previewed for a query."""
        return cls(
            inspection.memories[mi],
            lambda edits: inspection.gate_try(qi, mi, edits).words,
            save,
            inspection.settings.timezone,
        )

    def compose(self) -> ComposeResult:
        """The lines in two parts, what they would change, the keys."""
        with Vertical(classes="dialog") as box:
            box.border_title = plain(_("Governs and authority of {id}").format(id=self.form.memory.id))
            for number, name in enumerate(self.form.lines):
                if number in (0, 4):
                    yield Static(Content("governs" if number == 0 else _("authority")), classes="part")
                with Horizontal():
                    yield Static(Content(f"  {name}"), classes="name")
                    yield SafeInput(self.form.lines[name], placeholder=_(HINTS[name]), id=f"line-{name}")
            yield Static("", classes="says")
            yield Static(
                Content(_("tab next line · up and down known words · enter or ctrl+s saves · esc leaves all as it is")),
                classes="hint",
            )

    def on_mount(self) -> None:
        """Begin to type."""
        self.query_one("#line-action_types", SafeInput).focus()
        self._say()

    def typed(self) -> dict[str, str]:
        """What stands on each line."""
        return {name: self.query_one(f"#line-{name}", SafeInput).value for name in self.form.lines}

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self._say()

    def _say(self) -> None:
        try:
            edits = self.form.edits(self.typed(), self._timezone)
            words = self._preview(edits) if edits else ()
        except FieldError as error:
            self._refuse(error)
            return
        pieces = [Piece(_("the malformed block would be replaced by this\n"), "warn")] if self.form.repairs else []
        if not edits:
            pieces.append(Piece(_("nothing changed yet"), "dim"))
        else:
            sets = "; ".join(f"{name} = {show_value(value)}" for name, value in edits.items())
            pieces.append(Piece(_("sets {sets}").format(sets=sets[:400]), "dim"))
            pieces.append(Piece("\n" + "\n".join(map(visible, words)) if words else _("\nchanges nothing at the gate")))
        self.query_one(".says", Static).update(content(pieces))

    def _refuse(self, error: FieldError) -> None:
        pieces = [
            Piece(f"✗ {visible(error.wrong)}", "bad"),
            Piece(_("  expected: {expected}").format(expected=visible(error.expected))),
        ]
        self.query_one(".says", Static).update(content(pieces))

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_save()

    def action_save(self) -> None:
        """Store the edits, or say why they are refused."""
        try:
            edits = self.form.edits(self.typed(), self._timezone)
            if edits:
                self._save(edits)
        except FieldError as error:
            self._refuse(error)
            self.app.bell()
            return
        self.dismiss(bool(edits))

    def known_words(self, field: str) -> Sequence[str]:
        """The words that a field may hold, as far as they are known."""
        return WORDS.get(field, ())

    def copy_text(self) -> str:
        """What ``y`` copies: the lines as they stand."""
        return "\n".join(f"{name}: {value}" for name, value in self.typed().items())
