"""The detail of one candidate: tabs from a registry, of which only the one in sight is brought up to date (SCREENS)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import ContentSwitcher

from inspector.i18n import _
from inspector.ui.messages import guarded
from inspector.ui.widgets.signs import CONTENT_STYLES
from inspector.views import Candidate

if TYPE_CHECKING:
    from inspector.inspection import Inspection

#: Seconds that the cursor has to rest before the detail follows, so that a held key does not pile up work.
REST = 0.03


@dataclass(frozen=True, slots=True)
class Subject:
    """What the detail is about: one candidate of one query."""

    inspection: Inspection
    qi: int
    candidate: Candidate

    @property
    def mi(self) -> int:
        """Index of the memory."""
        return self.candidate.mi


class FieldChosen(Message):
    """A field shown in a tab is to be edited; ``owner`` is "memory" or "query"."""

    def __init__(self, owner: str, name: str) -> None:
        super().__init__()
        self.owner = owner
        self.name = name


class DetailTab(Vertical):
    """One tab. It is asked to show a subject only while it is in sight; None means that there is no candidate."""

    TITLE: ClassVar[str] = ""

    def show_subject(self, subject: Subject | None) -> None:
        """Show a subject, or the same one after a change."""
        raise NotImplementedError

    def focus_first(self) -> None:
        """Take the focus: the first widget in the tab that can."""
        for widget in self.query("*"):
            if widget.focusable:
                widget.focus()
                return


@dataclass(frozen=True, slots=True)
class TabSpec:
    """An entry of the registry of tabs: its id, and what makes it."""

    id: str
    make: Callable[[], DetailTab]


class TabBar(Widget):
    """The titles of the tabs in one line; the one in sight stands in brackets, so that it is told without colour."""

    DEFAULT_CSS = """
    TabBar { height: 1; width: 1fr; background: $panel; }
    TabBar.-here { background: $cursor-blurred; }
    """

    class Picked(Message):
        """A title was clicked."""

        def __init__(self, tab: str) -> None:
            super().__init__()
            self.tab = tab

    def __init__(self) -> None:
        super().__init__()
        self._titles: list[tuple[str, str]] = []
        self._active = ""

    def show(self, titles: Sequence[tuple[str, str]], active: str) -> None:
        """Show ids with titles, one of them in sight."""
        self._titles, self._active = list(titles), active
        self.refresh()

    def render(self) -> Content:
        """The line."""
        parts: list[tuple[str, str]] = []
        for tab, marked in self._titles:
            title = _(marked)
            here = tab == self._active
            parts.append((f"[{title}]" if here else f" {title} ", CONTENT_STYLES["heading" if here else "dim"]))
        return Content.assemble(*parts)

    def on_click(self, event: events.Click) -> None:
        """Go to the tab whose title was clicked."""
        offset = event.get_content_offset(self)
        used = 0
        for tab, title in self._titles:
            used += cell_len(_(title)) + 2
            if offset is not None and offset.x < used:
                self.post_message(self.Picked(tab))
                return


class Detail(Vertical):
    """Tabs about the candidate under the cursor."""

    PANE = "Detail"
    HELP = (
        "Why: the axes and what they read; enter edits a field or applies the smallest edit under the cursor. "
        "Record: every field; enter edits it. MDL: whether to trust what came back; left and right move the sliders, "
        "enter turns a switch or types a constant, z goes back to what was read. Gate: what authorised the action, and "
        "what would close the gap; enter edits a field or applies an offer, f the first offer, F opens the short form. "
        "Trail: stored, retrieved, verified, exposed, disclosed, each event of the trace, and what proves the failure "
        "stage. Prompt: what was exposed beside what our verdicts would have put in; left and right turn its settings. "
        "Answer: what of which memory was told, marked ⟦n …⟧ in both texts. Enter on a memory in these goes to it."
    )
    DEFAULT_CSS = """
    Detail { height: 1fr; }
    Detail > ContentSwitcher { height: 1fr; }
    Detail DetailTab { height: 1fr; }
    """

    class TabShown(Message):
        """Another tab came into sight."""

        def __init__(self, tab: str) -> None:
            super().__init__()
            self.tab = tab

    def __init__(self, tabs: Sequence[TabSpec], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._specs = list(tabs)
        self._tabs: dict[str, DetailTab] = {}
        self._subject: Subject | None = None
        self._stale: set[str] = set()
        self._timer: Timer | None = None
        self.active = self._specs[0].id

    def compose(self) -> ComposeResult:
        """The titles, and the tabs behind each other."""
        yield TabBar()
        with ContentSwitcher(initial=f"tab-{self.active}"):
            for spec in self._specs:
                tab = spec.make()
                tab.id = f"tab-{spec.id}"
                self._tabs[spec.id] = tab
                yield tab

    def on_mount(self) -> None:
        """Show the titles."""
        self._show_titles()

    def on_descendant_focus(self) -> None:
        """The titles say that keys come here."""
        self.query(TabBar).add_class("-here")

    def on_descendant_blur(self) -> None:
        """And that they no longer do."""
        self.query(TabBar).set_class(self.has_focus_within, "-here")

    @property
    def subject(self) -> Subject | None:
        """What the detail is about."""
        return self._subject

    def tab(self, tab: str) -> DetailTab:
        """A tab by its id."""
        return self._tabs[tab]

    def show(self, subject: Subject | None, *, at_once: bool = False) -> None:
        """Show another subject, or the same after a change, once the cursor rests."""
        self._subject = subject
        self._stale = {spec.id for spec in self._specs}
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if at_once:
            self._update()
        else:
            self._timer = self.set_timer(REST, self._update)

    @guarded
    def _update(self) -> None:
        self._timer = None
        if self.active in self._stale and self.is_mounted:
            self._stale.discard(self.active)
            self._tabs[self.active].show_subject(self._subject)

    def go_to(self, tab: str, *, focus: bool = False) -> None:
        """Bring a tab into sight."""
        if tab not in self._tabs:
            return
        inside = self.has_focus_within
        self.active = tab
        self.query_one(ContentSwitcher).current = f"tab-{tab}"
        self._show_titles()
        self._update()
        if focus or inside:
            self._tabs[tab].focus_first()
        self.post_message(self.TabShown(tab))

    def step(self, direction: int) -> None:
        """To the next or previous tab, round and round."""
        ids = [spec.id for spec in self._specs]
        self.go_to(ids[(ids.index(self.active) + direction) % len(ids)])

    def _show_titles(self) -> None:
        titles = [(spec.id, self._tabs[spec.id].TITLE) for spec in self._specs]
        for bar in self.query(TabBar):  # none where the program is left while the screen is still being made
            bar.show(titles, self.active)

    def on_tab_bar_picked(self, event: TabBar.Picked) -> None:
        """A click on a title."""
        event.stop()
        self.go_to(event.tab, focus=True)
