"""A boundary transition by hand: the five verbs for the chosen memories, with cause, time and query (DESIGN 9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from inspector import boundaries
from inspector.boundaries import Trial, read_at
from inspector.errors import FieldError, InspectorError
from inspector.i18n import N_, _, told
from inspector.text import visible as inert
from inspector.times import at_or_before, parse_time
from inspector.trit import Trit
from inspector.ui.messages import guarded
from inspector.ui.screens.base import Dialog
from inspector.ui.veil import visible
from inspector.ui.widgets.cells import Cell, Column, Piece, RowList
from inspector.ui.widgets.grid import Grid
from inspector.ui.widgets.inputs import SafeInput
from inspector.ui.widgets.safe import plain
from inspector.ui.widgets.signs import content

if TYPE_CHECKING:
    from inspector.inspection import Inspection

_HINTS = {
    "at": N_("when: 2026-03-01T09:30:00Z, a date, epoch seconds, now"),
    "cause": N_("why; empty: the transition's own words"),
    "query": N_("the id of the query that led to it, if one did"),
}
#: The standing of at most so many memories is named one by one.
_MOST = 3
#: Up to this many memories the verbs are tried at once; above, in a thread.
_AT_ONCE = 500
Request = tuple[str | int | float, str | None, str | None]


class TransitionDialog(Dialog[bool]):
    """Chooses a verb and makes the transition; the result is True where one was made.

    ``before`` is called with words such as ``archived m1: `` before the change is told. All memories are moved or none.
    """

    PANE = "Boundary state"
    HELP = (
        "Each row is a transition, with where it leads at the time above, or why it is refused. Enter makes it, for "
        "all chosen memories or for none; u undoes it. A mark is added at the end of boundary_log: the past is not "
        "rewritten."
    )
    BINDINGS: ClassVar[list[BindingType]] = []
    DEFAULT_CSS = """
    TransitionDialog .dialog { overflow-y: auto; }
    TransitionDialog Horizontal { height: 1; }
    TransitionDialog .name { width: 8; color: $dim; }
    TransitionDialog SafeInput { width: 1fr; }
    TransitionDialog #standing { height: auto; max-height: 4; margin: 0 0 1 0; }
    TransitionDialog #later { height: auto; color: $warn; }
    TransitionDialog Grid { height: 5; margin: 1 0 0 0; }
    TransitionDialog .says { height: auto; min-height: 2; max-height: 6; }
    TransitionDialog .hint { height: auto; color: $dim; }
    """

    class Tried(Message):
        """The verbs were tried in a thread."""

        def __init__(self, generation: int, trials: Sequence[Trial]) -> None:
            super().__init__()
            self.generation = generation
            self.trials = trials

    def __init__(
        self, inspection: Inspection, mis: Sequence[int], qi: int | None, before: Callable[[str], None]
    ) -> None:
        super().__init__()
        self.inspection = inspection
        self.mis = list(mis)
        self.qi = qi
        self._before = before
        self._trials: dict[str, Trial] = {}
        self._fault = ""
        self._why_later = ""
        self._generation = 0

    def compose(self) -> ComposeResult:
        """What they are now, when and why, the five verbs, what the one under the cursor does."""
        at = self._first_time()
        query = "" if self.qi is None else visible(self.inspection.queries[self.qi].id)
        start = {"at": "" if at is None else str(at), "cause": "", "query": query}
        many = len(self.mis)
        what = self.inspection.memories[self.mis[0]].id if many == 1 else _("{many:,} memories").format(many=many)
        with Vertical(classes="dialog") as box:
            box.border_title = plain(_("Boundary state of {what}").format(what=what))
            yield Static("", id="standing")
            if self._why_later:
                yield Static(plain(self._why_later), id="later")
            for name in _HINTS:
                with Horizontal():
                    yield Static(Content(name), classes="name")
                    yield SafeInput(start[name], placeholder=_(_HINTS[name]), id=f"line-{name}")
            columns = (Column("verb", "", 11), Column("leads", "", 30, flex=1))
            yield Grid(columns, RowList[str]((), str, lambda _: ()), show_header=False)
            yield Static("", classes="says")
            hint = _("enter makes it · tab to when, why and which query · esc leaves all as it is")
            yield Static(Content(hint), classes="hint")

    def _first_time(self) -> str | int | float | None:
        """The time that is proposed: the usual one, or the last mark's where that lies later: nothing fits before."""
        at, last = boundaries.default_at(self.inspection, self.qi), boundaries.latest_mark(self.inspection, self.mis)
        if at is None or last is None:
            return at
        usual = parse_time(at, "at", self.inspection.settings.timezone)
        if at_or_before(last, usual) == Trit.YES:
            return at
        words = (
            _("a mark stands at {last}, after the query's as_of {usual}: what is added then moves no verdict of it")
            if self.qi is not None
            else _("a mark stands at {last}, after the store's own time {usual}: none can be added before it")
        )
        self._why_later = words.format(last=last.iso(), usual=usual.iso())
        return read_at(last.text, self.inspection.settings.timezone)

    def on_mount(self) -> None:
        """Begin at the verbs, the first that is allowed under the cursor."""
        self.query_one(Grid).focus()
        self._try()

    def _typed(self, name: str) -> str:
        return self.query_one(f"#line-{name}", SafeInput).value.strip()

    def _request(self) -> Request:
        """Time, cause and query as typed. Raises FieldError."""
        at = read_at(self._typed("at"), self.inspection.settings.timezone)
        typed = self._typed("query")
        # A redacted id stands in the line as its token
        query = next(
            (
                one.id
                for one in self.inspection.queries
                if typed in (one.id, inert(one.id).strip(), visible(one.id).strip())
            ),
            None,
        )
        if typed and query is None:
            raise FieldError(
                "query",
                _("no query has the id {query!r}").format(query=typed),
                _("an id of this store's queries, or nothing"),
            )
        return at, self._typed("cause") or None, query if typed else None

    def _try(self) -> None:
        """Work out where each verb leads as things are typed now."""
        self._generation += 1
        try:
            request = self._request()
        except FieldError as error:
            self._fault = _("{field}: {wrong}: expected {expected}").format(
                field=error.field, wrong=error.wrong, expected=error.expected
            )
            self._show(())
            return
        self._fault = ""
        if len(self.mis) <= _AT_ONCE:
            self._show(self._trials_of(request))
        else:
            self.query_one(".says", Static).update(
                content([Piece(_("looking at {count:,} memories …").format(count=len(self.mis)), "dim")])
            )
            self.run_worker(
                partial(self._try_in_thread, self._generation, request),
                group="try",
                thread=True,
                exit_on_error=False,
                description="try the transitions",
            )

    def _trials_of(self, request: Request) -> Sequence[Trial]:
        at, cause, query = request
        return boundaries.trials(self.inspection, self.mis, at, cause=cause, query_id=query)

    def _try_in_thread(self, generation: int, request: Request) -> None:
        self.post_message(self.Tried(generation, self._trials_of(request)))

    @on(Tried)
    @guarded
    def _tried(self, event: Tried) -> None:
        event.stop()
        if event.generation == self._generation:
            self._show(event.trials)

    def _show(self, trials: Sequence[Trial]) -> None:
        first = not self._trials
        self._trials = {one.verb: one for one in trials}
        allowed = next((one.verb for one in trials if one.allowed), None) if first else None
        grid = self.query_one(Grid)
        grid.empty = _("no transition without a time")
        grid.set_source(RowList([one.verb for one in trials], str, self._cells), cursor=allowed)
        self._stand()
        self._say()

    def _cells(self, verb: str) -> Sequence[Cell]:
        trial = self._trials[verb]
        if trial.allowed:
            return (Piece(verb, "strong"), Piece(trial.brief, "yes"))
        return (Piece(verb, "dim"), Piece(f"✗ {trial.brief}", "dim"))

    def _stand(self) -> None:
        """What the memories are at the time."""
        zone = self.inspection.settings.timezone
        try:
            instant = parse_time(read_at(self._typed("at"), zone), "at", zone)
        except FieldError:
            instant = None
        lines = []
        for mi in self.mis[:_MOST]:
            now = boundaries.standing_of(self.inspection, mi, instant)
            state = now.state or _("in doubt: ") + _(" or ").join(now.possible)
            lines.append([Piece(visible(self.inspection.memories[mi].id), "heading"), Piece(f"  {state}", "strong")])
            lines[-1].append(Piece(f"  {visible(now.words)}", "dim"))
        if len(self.mis) > _MOST:
            lines.append([Piece(_("and {count:,} more").format(count=len(self.mis) - _MOST), "dim")])
        pieces = [piece for number, line in enumerate(lines) for piece in ([Piece("\n")] if number else []) + line]
        self.query_one("#standing", Static).update(content(pieces))

    def _say(self) -> None:
        says = self.query_one(".says", Static)
        if self._fault:
            says.update(content([Piece(f"✗ {visible(self._fault)}", "bad")]))
            return
        trial = self._trials.get(str(self.query_one(Grid).cursor_key))
        if trial is None:
            return
        if not trial.allowed:
            says.update(content([Piece(f"✗ {trial.verb}: {visible(trial.words)}", "bad")]))
            return
        mark = trial.moves[0].mark
        said = _("adds the mark {state} at {at}, cause: {cause}").format(
            state=mark["state"], at=mark["at"], cause=told(mark["cause"])
        )
        says.update(content([Piece(visible(said))]))

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self._try()

    @on(Grid.RowHighlighted)
    def _moved(self, event: Grid.RowHighlighted) -> None:
        event.stop()
        self._say()

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self.query_one(Grid).focus()

    @on(Grid.RowSelected)
    def _chosen(self, event: Grid.RowSelected) -> None:
        event.stop()
        trial = self._trials.get(str(event.key))
        if trial is None or not trial.allowed:
            self._say()
            self.app.bell()
            return
        try:
            at, cause, query = self._request()
            self._before(boundaries.done_words(self.inspection, self.mis, trial.verb))
            boundaries.move(self.inspection, self.mis, trial.verb, at, cause=cause, query_id=query)
        except InspectorError as error:
            self._before("")
            self.query_one(".says", Static).update(content([Piece(f"✗ {visible(str(error))}", "bad")]))
            self.app.bell()
            return
        self.dismiss(True)

    def copy_text(self) -> str:
        """What ``y`` copies: the verbs with where they lead."""
        return "\n".join(f"{verb}\t{trial.words}" for verb, trial in self._trials.items())
