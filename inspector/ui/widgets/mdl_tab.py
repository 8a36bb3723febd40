"""The *MDL* tab of the detail: whether to trust what came back, each number movable and explained (DESIGN 6)."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message

from inspector.errors import FieldError
from inspector.i18n import N_, _
from inspector.mdl import Encoding, Params, Switches, encode
from inspector.ui.actions import bindings
from inspector.ui.messages import guarded
from inspector.ui.widgets import mdl_plots
from inspector.ui.widgets.detail import DetailTab, Subject
from inspector.ui.widgets.mdl_constants import usual
from inspector.ui.widgets.mdl_items import (
    BAR_AT,
    SIGNALS,
    Constant,
    Loading,
    Slider,
    Toggle,
    View,
    bar_cells,
    mdl_items,
    null_items,
)
from inspector.ui.widgets.reader import Item, Reader
from inspector.ui.widgets.safe import say

_NOBODY = N_("no candidate under the cursor")
_READING = N_("reading the texts …")
_STEP, _BIG_STEP = 0.01, 0.10


class ConstantsChosen(Message):
    """Other constants are to be put in force, for the whole store."""

    def __init__(self, params: Params) -> None:
        super().__init__()
        self.params = params


class ConstantWanted(Message):
    """A constant is to be typed."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


class DecisionWanted(Message):
    """Something else about the decisions is to be done: ``pool``, ``calibrated``, ``calibration`` or ``encode``."""

    def __init__(self, what: str) -> None:
        super().__init__()
        self.what = what


class MdlReader(Reader):
    """The reading pane, with sliders that the mouse can hold."""

    class Slid(Message):
        """The mouse put a slider at a value."""

        def __init__(self, signal: str, value: float) -> None:
            super().__init__()
            self.signal = signal
            self.value = value

        def can_replace(self, message: Message) -> bool:
            """Only the latest place of the mouse counts."""
            return isinstance(message, MdlReader.Slid) and message.signal == self.signal

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._held: Slider | None = None

    @property
    def room(self) -> int:
        """The width that items are made for."""
        return self.scrollable_content_region.width or self.size.width or 80

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of the slider under the mouse."""
        number = event.y + self.scroll_offset.y
        if not 0 <= number < len(self._lines):
            return
        key = self._items[self._lines[number][0]].key
        if isinstance(key, Slider) and 0 <= event.x - BAR_AT < bar_cells(self.room):
            self._held = key
            self.capture_mouse()
            self._slide(event.x)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Move the slider that is held."""
        if self._held is not None:
            self._slide(event.x)

    def on_mouse_up(self) -> None:
        """Let go of it."""
        if self._held is not None:
            self._held = None
            self.release_mouse()

    def _slide(self, x: int) -> None:
        if self._held is not None:
            place = min(1.0, max(0.0, (x - BAR_AT) / (bar_cells(self.room) - 1)))
            self.go_to(self._held)
            self.post_message(self.Slid(self._held.signal, round(place, 2)))


class MdlTab(DetailTab):
    """Sliders, switches and constants answer at once: what a slider asks is computed here and moves nothing."""

    TITLE: ClassVar[str] = "MDL"
    BINDINGS: ClassVar[list[BindingType]] = bindings("mdl", footer=False)

    def __init__(self) -> None:
        super().__init__()
        self._subject: Subject | None = None
        self._view: View | None = None
        self._of = "memory"
        self._at: dict[str, float] = {}
        self._read: dict[str, float] = {}

    def compose(self) -> ComposeResult:
        """The reading pane."""
        yield MdlReader(id="mdl")

    @property
    def reader(self) -> MdlReader:
        """The reading pane."""
        return self.query_one(MdlReader)

    @property
    def view(self) -> View | None:
        """What is shown, None where there is no decision."""
        return self._view

    def on_resize(self) -> None:
        """Sliders, ruler and plots are made for the width."""
        self._draw()

    def show_subject(self, subject: Subject | None) -> None:
        """Show the decision of the subject; sliders go to what was read, unless that is what it was."""
        before, self._subject = self._subject, subject
        same = subject is not None and before is not None and (before.qi, before.mi) == (subject.qi, subject.mi)
        self._view = None
        if subject is None:
            self.reader.show([Item(Content(_(_NOBODY)))], keep=False)
            return
        weighed = subject.inspection.weighed(subject.qi)
        if weighed.decision is None:
            self.reader.show(
                null_items(weighed.why_null) if weighed.is_read else [Item(Content(_(_READING)))], keep=same
            )
            return
        if not mdl_plots.is_loaded():
            self.run_worker(self._load_plots, group="plots", exclusive=True, thread=True, exit_on_error=False)
        own, query = subject.candidate.mdl, weighed.decision.query
        start = own if self._of == "memory" and own is not None else query
        read = {name: float(getattr(start, name)) for name in SIGNALS}
        if not same or read != self._read or not self._at:
            self._at = dict(read)
        self._read = read
        inspection = subject.inspection
        self._view = View(
            decision=weighed.decision,
            names=[inspection.memories[mi].id for mi in weighed.mis],
            of=self._of,
            memory_id=subject.candidate.memory_id,
            own=own,
            before=subject.candidate.mdl_before if start is own else weighed.query_before,
            read=read,
            at=dict(self._at),
            encoding=self._encoded(inspection.params),
            params=inspection.params,
            calibration=inspection.calibration,
            moved_by_hand=inspection.is_moved,
        )
        self._draw(keep=same)

    def _load_plots(self) -> None:
        mdl_plots.load()
        self.app.call_from_thread(self._draw)

    @guarded
    def _draw(self, *, keep: bool = True) -> None:
        if self._view is not None and self.is_mounted:
            items = mdl_items(self._view, self.reader.room, plots=mdl_plots.is_loaded())
            self.reader.show(items, keep=keep)

    # Sliders

    def slide(self, signal: str, value: float) -> None:
        """Put a slider at a value; nothing but this tab moves."""
        if self._view is not None:
            self._at[signal] = min(1.0, max(0.0, value))
            self._encode_again(self._view)

    def _encoded(self, params: Params) -> Encoding:
        return encode(self._at["M"], self._at["R"], self._at["A"], params)

    def _encode_again(self, view: View) -> None:
        self._view = replace(view, at=dict(self._at), encoding=self._encoded(view.params))
        self._draw()

    @on(MdlReader.Slid)
    def _slid(self, event: MdlReader.Slid) -> None:
        event.stop()
        self.slide(event.signal, event.value)

    def _step(self, step: float) -> None:
        key = self.reader.key
        if isinstance(key, Slider) and self._view is not None:
            self.slide(key.signal, round(self._at[key.signal] + step, 2))
        elif isinstance(key, Toggle) and key.name != "encode":
            self.choose(key)

    def action_less(self) -> None:
        """The slider under the cursor a hundredth down; a choice turned."""
        self._step(-_STEP)

    def action_more(self) -> None:
        """A hundredth up; a choice turned."""
        self._step(_STEP)

    def action_much_less(self) -> None:
        """A tenth down."""
        self._step(-_BIG_STEP)

    def action_much_more(self) -> None:
        """A tenth up."""
        self._step(_BIG_STEP)

    def action_as_read(self) -> None:
        """All sliders back to what was read."""
        if self._view is not None:
            self._at = dict(self._read)
            self._encode_again(self._view)

    def action_usual(self) -> None:
        """What is under the cursor back to what was read, or to the constant or switch as it was."""
        key, view = self.reader.key, self._view
        if view is None:
            return
        if isinstance(key, Slider):
            self.slide(key.signal, self._read[key.signal])
        elif isinstance(key, Constant):
            self.post_message(ConstantsChosen(usual(view.params, view.calibration, key.name)))
        elif isinstance(key, Toggle) and hasattr(view.params.switches, key.name):
            self._switch(view.params, key.name, on=getattr(Switches(), key.name))

    # Choices

    @on(Reader.Chosen)
    @guarded
    def _chosen(self, event: Reader.Chosen) -> None:
        event.stop()
        self.choose(event.key)

    def choose(self, key: object) -> None:
        """Turn what can be turned; ask for what has to be typed."""
        view = self._view
        if isinstance(key, Loading):
            self.post_message(DecisionWanted("calibration"))
        elif isinstance(key, Constant):
            self.post_message(ConstantWanted(key.name))
        elif isinstance(key, Toggle) and key.name == "of":
            self._of = "query" if self._of == "memory" else "memory"
            self._at = {}
            self.show_subject(self._subject)
        elif isinstance(key, Toggle) and key.name in ("pool", "calibrated", "encode"):
            self.post_message(DecisionWanted(key.name))
        elif isinstance(key, Toggle) and view is not None:
            self._switch(view.params, key.name, on=not getattr(view.params.switches, key.name))

    def _switch(self, params: Params, name: str, *, on: bool) -> None:
        """Turn one switch; refused with the reason where no signal would be left."""
        try:
            switches = replace(params.switches, **{name: on})
        except FieldError as error:
            say(self.app, str(error), severity="warning")
            return
        self.post_message(ConstantsChosen(params.with_(switches=switches)))

    def copy_text(self) -> str | None:
        """What ``y`` copies: the whole tab as it stands."""
        return self.reader.plain() if self._subject is not None else None
