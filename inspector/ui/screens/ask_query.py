"""A question typed in: its words, who asks, which state is meant and when (DESIGN 2; SCREENS Inspect)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, Static

from inspector.asked import asked_fields, check_asked, read_namespaces, write_namespaces
from inspector.errors import FieldError
from inspector.i18n import N_, _
from inspector.records import INTENTS, Namespace
from inspector.text import visible as inert
from inspector.ui.actions import bindings
from inspector.ui.screens.form import FormDialog
from inspector.ui.veil import visible
from inspector.ui.widgets.cells import Piece
from inspector.ui.widgets.inputs import SafeInput
from inspector.ui.widgets.signs import content

_KEYS = ("save", "previous", "next")
#: Each line: what it is called, the query's field, what to type.
LINES = (
    ("text", "text", N_("the question")),
    ("principal", "principal.id", N_("who asks; up and down: ids of the store")),
    ("owns", "principal.namespaces", N_('namespaces of the principal, as ana, ["acme", "ana"]')),
    ("intent", "intent", N_("current, history or unknown; up and down choose")),
    ("as_of", "as_of", N_("the instant it is about; empty: the store's own")),
    ("purpose", "purpose", N_("what the answer is for")),
    ("session", "session_id", N_("the authenticated session")),
    ("tag", "semantic_tag", N_("the task or topic")),
)


class AskQueryDialog(FormDialog[dict[str, Any]]):
    """Lines for a question; the result are the query's fields, without an id.

    ``owned`` gives the store's namespaces that name a principal, which are proposed as its own; ``known`` are words to
    go through with up and down, by line. What is left empty is unknown.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        binding for binding in bindings("editor", footer=False) if getattr(binding, "action", "") in _KEYS
    ]
    PANE = "Ask"
    HELP = (
        "A question of your own. Who asks decides scope: the namespaces that name the principal are proposed as its "
        "own. What is left empty is unknown, and stays a ?. The question is kept in the workspace; u takes it back."
    )
    DEFAULT_CSS = """
    AskQueryDialog Horizontal { height: 1; }
    AskQueryDialog .name { width: 11; }
    AskQueryDialog SafeInput { width: 1fr; }
    AskQueryDialog SafeInput.-suggested { color: $dim; text-style: italic; }
    AskQueryDialog .says { height: auto; min-height: 1; max-height: 6; margin: 1 0 0 0; }
    AskQueryDialog .hint { height: auto; color: $dim; }
    """

    def __init__(
        self,
        owned: Callable[[str], Sequence[Namespace]],
        known: Mapping[str, Sequence[str]],
        timezone: str | None,
        start: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        self._owned = owned
        self._known = {"intent": INTENTS, **known}
        self._timezone = timezone
        self._start = dict(start or {})
        #: What was proposed on the line of namespaces; another text there is the user's own.
        self._proposed = self._start.get("owns", "")

    def compose(self) -> ComposeResult:
        """The lines, what is wrong with them or follows from them, the keys."""
        with Vertical(classes="dialog") as box:
            box.border_title = Content(_("Ask"))
            for name, _rest1, hint in LINES:
                with Horizontal():
                    yield Static(Content(name), classes="name")
                    yield SafeInput(self._start.get(name, ""), placeholder=_(hint), id=f"line-{name}")
            yield Static("", classes="says")
            yield Static(Content(_("tab next line · enter or ctrl+s asks · esc closes")), classes="hint")

    def on_mount(self) -> None:
        """Begin to type."""
        self._input("text").focus()
        self._say()

    def _input(self, name: str) -> SafeInput:
        return self.query_one(f"#line-{name}", SafeInput)

    def fields(self) -> dict[str, Any]:
        """The query's fields as they stand. Raises FieldError."""
        typed = {name: self._input(name).value.strip() for name, _, _ in LINES}
        owns = read_namespaces(typed["owns"])
        others = {field: typed[name] for name, field, _ in LINES if "." not in field and name != "text"}
        made = asked_fields("new", typed["text"], typed["principal"], owns, **others)
        check_asked(made, self._timezone)
        del made["id"]
        return made

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        owns = self._input("owns")
        if event.input.id == "line-principal" and owns.value == self._proposed:
            principal = event.value.strip()
            self._proposed = write_namespaces(self._owned(principal)) if principal else ""
            owns.value = inert(self._proposed)
        self._say()

    def _say(self) -> None:
        says = self.query_one(".says", Static)
        principal = self._input("principal").value.strip()
        owns_line = self._input("owns")
        owns_line.set_class(bool(self._proposed) and owns_line.value == inert(self._proposed), "-suggested")
        try:
            made = self.fields()
        except FieldError as error:
            if error.field == "text":
                says.update(content([Piece(_("type the question"), "dim")]))
            else:
                says.update(content([Piece(f"✗ {error.field}: {visible(error.wrong)}", "bad")]))
            return
        owns = made.get("principal", {}).get("namespaces")
        if owns:
            words = _("scope: 1 in these namespaces and under them, 0 in others")
            if self._proposed and self._input("owns").value == inert(self._proposed):
                words = _("owns is suggested, of the store's namespaces; type over it. {words}").format(words=words)
        elif principal:
            words = _("no namespace of the store names this principal: scope will be ?")
        else:
            words = _("nobody asks: scope will be ?")
        says.update(content([Piece(words, "dim")]))

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_save()

    def action_save(self) -> None:
        """Ask, or say what is wrong with the lines."""
        try:
            made = self.fields()
        except FieldError as error:
            pieces = [Piece(f"✗ {error.field}: {visible(error.wrong)}", "bad"), Piece(f"  {visible(error.expected)}")]
            self.query_one(".says", Static).update(content(pieces))
            self.app.bell()
            return
        self.dismiss(made)

    def known_words(self, field: str) -> Sequence[str]:
        """The words that a field may hold, as far as they are known."""
        return self._known.get(field, ())
