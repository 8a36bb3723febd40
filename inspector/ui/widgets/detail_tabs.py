"""The tabs *Why* and *Record*, and the registry of all tabs (SCREENS Inspect). Later tabs join :data:`TABS`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.timer import Timer

from inspector.axes.flips import Flip, FlipSearch
from inspector.axes.states import ALL_STATES, table
from inspector.i18n import N_, _
from inspector.records import INTENTS, MEMORY_FIELDS, Settings
from inspector.trit import Trit
from inspector.ui.messages import guarded
from inspector.ui.widgets.audit_tabs import AnswerTab, PromptTab, TrailTab
from inspector.ui.widgets.detail import DetailTab, FieldChosen, Subject, TabSpec
from inspector.ui.widgets.editor import EditTask, FieldEditor
from inspector.ui.widgets.gate_tab import GateTab
from inspector.ui.widgets.mdl_tab import MdlTab
from inspector.ui.widgets.reader import Item, Reader
from inspector.ui.widgets.record import record_items
from inspector.ui.widgets.why import FieldChoice, FlipChoice, why_items

if TYPE_CHECKING:
    from inspector.inspection import Inspection

#: Seconds that a subject has to stay before its smallest flips are searched.
FLIPS_REST = 0.15
_NOBODY = N_("no candidate under the cursor")


class FlipChosen(Message):
    """An edit that flips the verdict is to be applied."""

    def __init__(self, qi: int, mi: int, flip: Flip) -> None:
        super().__init__()
        self.qi = qi
        self.mi = mi
        self.flip = flip


@dataclass(frozen=True, slots=True)
class FlipsFound:
    """The result of one search, for the pair and the state of the store that it was made for."""

    generation: int
    qi: int
    mi: int
    flips: dict[Trit, FlipSearch]


def lifecycle_table(settings: Settings) -> dict[tuple[str, str], Trit]:
    """The lifecycle table in force, by state and intent (DESIGN 3)."""
    return {
        (str(state.name).lower(), intent): table(state, intent, settings.unknown_intent)
        for state in ALL_STATES
        for intent in INTENTS
    }


class WhyTab(DetailTab):
    """The axes with their reasons; searches the smallest flips in a thread once the cursor has rested."""

    TITLE: ClassVar[str] = "Why"

    class Searched(Message):
        """A search for flips has ended."""

        def __init__(self, found: FlipsFound) -> None:
            super().__init__()
            self.found = found

    def __init__(self) -> None:
        super().__init__()
        self._subject: Subject | None = None
        self._flips: dict[Trit, FlipSearch | None] = {}
        self._cache: dict[tuple[int, int], dict[Trit, FlipSearch]] = {}
        self._generation = 0
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        """The reading pane."""
        yield Reader(id="why")

    @property
    def reader(self) -> Reader:
        """The reading pane."""
        return self.query_one(Reader)

    def store_changed(self) -> None:
        """Forget the flips that were found: an edit may have changed them."""
        self._generation += 1
        self._cache.clear()

    def show_subject(self, subject: Subject | None) -> None:
        """Explain the subject."""
        same = (
            subject is not None
            and self._subject is not None
            and (self._subject.qi, self._subject.mi) == (subject.qi, subject.mi)
        )
        self._subject = subject
        if self._timer is not None:
            self._timer.stop()
        if subject is None:
            self.reader.show([Item(Content(_(_NOBODY)))], keep=False)
            return
        targets = [target for target in (Trit.YES, Trit.NO) if target is not subject.candidate.admissible]
        known = self._cache.get((subject.qi, subject.mi))
        self._flips = {target: known.get(target) if known else None for target in targets}
        self._draw(keep=same)
        if known is None:
            self._timer = self.set_timer(FLIPS_REST, self._search)

    def _draw(self, *, keep: bool = True) -> None:
        subject = self._subject
        if subject is None:
            return
        explanation = subject.inspection.explain(subject.qi, subject.mi)
        items = why_items(explanation, subject.candidate, self._flips, lifecycle_table(subject.inspection.settings))
        self.reader.show(items, keep=keep)

    def _search(self) -> None:
        subject = self._subject
        if subject is None:
            return
        search = partial(
            self._search_now, subject.inspection, subject.qi, subject.mi, tuple(self._flips), self._generation
        )
        self.run_worker(
            search, group="flips", exclusive=True, thread=True, exit_on_error=False, description="smallest flips"
        )

    def _search_now(self, inspection: Inspection, qi: int, mi: int, targets: tuple[Trit, ...], generation: int) -> None:
        flips = {target: inspection.flips(qi, mi, target) for target in targets}
        self.post_message(self.Searched(FlipsFound(generation, qi, mi, flips)))

    @on(Searched)
    @guarded
    def _searched(self, event: Searched) -> None:
        event.stop()
        found = event.found
        if found.generation != self._generation:
            return
        if len(self._cache) > 500:
            self._cache.clear()
        self._cache[found.qi, found.mi] = found.flips
        subject = self._subject
        if subject is not None and (subject.qi, subject.mi) == (found.qi, found.mi):
            self._flips = dict(found.flips)
            self._draw()

    @on(Reader.Chosen)
    def _chosen(self, event: Reader.Chosen) -> None:
        event.stop()
        self.choose(event.key)

    def choose(self, key: object) -> None:
        """Edit the field, or apply the flip, that the item stands for."""
        subject = self._subject
        if isinstance(key, FieldChoice):
            self.post_message(FieldChosen(key.owner, key.name))
        elif isinstance(key, FlipChoice) and subject is not None:
            search = self._flips.get(key.target)
            if search is not None and key.number < len(search.flips):
                self.post_message(FlipChosen(subject.qi, subject.mi, search.flips[key.number]))

    def first_flip(self) -> FlipChosen | None:
        """The smallest edit that flips the verdict, as far as the search has come; the one under the cursor first."""
        subject = self._subject
        if subject is None:
            return None
        key = self.reader.key
        if isinstance(key, FlipChoice):
            search = self._flips.get(key.target)
            if search is not None and key.number < len(search.flips):
                return FlipChosen(subject.qi, subject.mi, search.flips[key.number])
        for search in self._flips.values():
            if search is not None and search.flips:
                return FlipChosen(subject.qi, subject.mi, search.flips[0])
        return None

    @property
    def searching(self) -> bool:
        """Whether the smallest flips are still being looked for."""
        return any(search is None for search in self._flips.values())

    def copy_text(self) -> str | None:
        """What ``y`` copies: the whole explanation as it stands."""
        return self.reader.plain() if self._subject is not None else None


class RecordTab(DetailTab):
    """Every field of the memory; the editor opens below the fields, in the tab."""

    TITLE: ClassVar[str] = "Record"
    DEFAULT_CSS = """
    RecordTab > FieldEditor { border-top: solid $primary; }
    RecordTab > Reader { min-height: 2; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._subject: Subject | None = None
        self._editor: FieldEditor | None = None

    def compose(self) -> ComposeResult:
        """The fields; the editor is made when it is first needed."""
        yield Reader(id="record")

    @property
    def reader(self) -> Reader:
        """The fields."""
        return self.query_one(Reader)

    def show_subject(self, subject: Subject | None) -> None:
        """Show the record; an open editor of another record is closed."""
        before = self._subject
        same = subject is not None and before is not None and before.mi == subject.mi
        self._subject = subject
        if not same:
            self.close_editor()
        if subject is None:
            self.reader.show([Item(Content(_(_NOBODY)))], keep=False)
            return
        record = subject.inspection.memories[subject.mi]
        self.reader.show(
            record_items(record, MEMORY_FIELDS, subject.inspection.history("memory", subject.mi)), keep=same
        )

    @property
    def field(self) -> str | None:
        """The field under the cursor."""
        key = self.reader.key
        return key.name if isinstance(key, FieldChoice) else None

    @on(Reader.Chosen)
    def _chosen(self, event: Reader.Chosen) -> None:
        event.stop()
        if isinstance(event.key, FieldChoice):
            self.post_message(FieldChosen(event.key.owner, event.key.name))

    def open_editor(self, task: EditTask) -> None:
        """Edit a field in place."""
        if self._editor is None:
            self._editor = FieldEditor(task)
            self.mount(self._editor)
        else:
            self._editor.display = True
            self._editor.open(task)

    def close_editor(self) -> bool:
        """Close the editor; False if none was open."""
        if self._editor is None or not self._editor.display:
            return False
        inside = self.has_focus_within
        self._editor.display = False
        if inside:
            self.reader.focus()
        return True

    @property
    def editor(self) -> FieldEditor | None:
        """The editor while it is open."""
        return self._editor if self._editor is not None and self._editor.display else None

    def go_back(self) -> bool:
        """Escape closes the editor first."""
        return self.close_editor()

    def copy_text(self) -> str | None:
        """What ``y`` copies: the value under the cursor as it is in the data."""
        for item in self.reader.items:
            if item.key is not None and item.key == self.reader.key:
                return item.text
        return None


TABS = (
    TabSpec("why", WhyTab),
    TabSpec("record", RecordTab),
    TabSpec("mdl", MdlTab),
    TabSpec("gate", GateTab),
    TabSpec("trail", TrailTab),
    TabSpec("prompt", PromptTab),
    TabSpec("answer", AnswerTab),
)
