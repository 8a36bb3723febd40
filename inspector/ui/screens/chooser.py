"""The start: bundled stores with what each teaches, recent workspaces, the user's own files (SCREENS, Start).

First paint comes before anything is read: the lists are filled by a thread.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from inspector.confinement import confinement
from inspector.i18n import N_, _
from inspector.text import counted
from inspector.ui.actions import BY_ID, bindings, show_keys
from inspector.ui.screens.base import BaseScreen
from inspector.ui.veil import is_redacted
from inspector.ui.widgets.cells import Column, Piece, RowList
from inspector.ui.widgets.footer import KeyFooter
from inspector.ui.widgets.grid import Grid
from inspector.ui.widgets.header import HeaderBar
from inspector.ui.widgets.safe import plain, say

if TYPE_CHECKING:
    from inspector.requests import Demo
    from inspector.views import Recent

_WAYS = (
    ("files", N_("Open your own files …"), N_("a folder or files: JSONL, JSON, CSV, Parquet, and known formats")),
    ("database", N_("Open a database …"), N_("PostgreSQL by its address, read-only, through a mapping")),
    (
        "mapping",
        N_("Map an export …"),
        N_("one that no format knows: match its fields, and see its first records judged"),
    ),
    ("formats", N_("What can be read"), N_("formats, how each is recognised, and an example")),
    ("settings", "Settings", N_("theme, keys, route, and where these files are")),
)


class ChooserScreen(BaseScreen):
    """Lists what can be opened. Posts :class:`Chosen`; the app opens it."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("chooser")
    PANE = "Start"
    HELP = (
        "Choose a bundled store to learn from, a workspace that you opened before, or your own files. A bundled store "
        "is opened in a private workspace: whatever you edit in it is gone at the end, and the store is as it was."
    )
    DEFAULT_CSS = """
    ChooserScreen #intro { color: $dim; padding: 0 2; height: 2; }
    ChooserScreen Vertical { padding: 0 1; max-width: 140; }
    ChooserScreen Grid {
        height: auto;
        max-height: 40%;
        border-top: solid $panel;
        border-title-color: $heading;
        border-title-style: bold;
    }
    ChooserScreen Grid:focus { border-top: solid $primary; }
    ChooserScreen #demos { min-height: 3; max-height: 50%; }
    ChooserScreen #recent { min-height: 2; }
    ChooserScreen #about { color: $dim; height: auto; margin: 1 1 0 1; }
    """

    class Chosen(Message):
        """A bundled store by name, or a recent workspace; or, with neither, ``way`` names what was asked for."""

        def __init__(
            self, *, demo: str = "", recent: Recent | None = None, way: str = "", triage: bool = False
        ) -> None:
            super().__init__()
            self.triage = triage
            self.demo = demo
            self.recent = recent
            self.way = way

    class Listed(Message):
        """What the thread found."""

        def __init__(self, demos: Sequence[Demo], recents: Sequence[Recent]) -> None:
            super().__init__()
            self.demos = demos
            self.recents = recents

    def __init__(self) -> None:
        super().__init__()
        self._demos: Sequence[Demo] = ()
        self._recents: dict[Hashable, Recent] = {}
        self._was_read = False

    def compose(self) -> ComposeResult:
        """Header and room for the tables."""
        yield HeaderBar()
        yield Static(
            Content.from_markup(
                _(
                    "Why an answer came from the wrong memory, and what would have prevented it.\n"
                    "New here? [$link]$key[/] opens short lessons, each done in the program "
                    "itself."
                ),
                key=show_keys(BY_ID["chooser.learn"], getattr(self.app, "keys_changed", {})),
            ),
            id="intro",
        )
        yield Vertical(id="lists")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Fill the screen once it has been painted: the first paint waits for nothing."""
        self.call_after_refresh(self._fill)

    async def _fill(self) -> None:
        """Three short tables under each other."""
        demos = Grid(
            [
                Column("name", "", 16, least=12),
                Column("lesson", "", 30, flex=1),
                Column("language", "", 6, least=2, align="right"),
            ],
            show_header=False,
            empty=_("reading the bundled stores …"),
            id="demos",
        )
        demos.border_title = Content(_("Bundled stores: each teaches one thing"))

        recent = Grid(
            [
                Column("name", "", 16, least=12, flex=1),
                Column("counts", "", 33, least=24),
                Column("opened", "", 16, least=10),
                Column("path", "", 10, flex=3),
            ],
            show_header=False,
            empty=_("none yet: what you open is listed here"),
            id="recent",
        )
        recent.border_title = Content(_("Recent workspaces"))

        ways = Grid(
            [Column("name", "", 22, least=16), Column("what", "", 30, flex=1)],
            RowList(
                [way for way in _WAYS if way[0] != "database" or confinement() is None],
                lambda way: way[0],
                lambda way: [Piece(_(way[1]), "strong"), Piece(_(way[2]), "dim")],
            ),
            show_header=False,
            id="files",
        )
        ways.border_title = Content(_("Your own"))
        await self.query_one("#lists").mount(demos, recent, ways, Static(id="about"))
        demos.focus()
        self._read()

    def on_screen_resume(self) -> None:
        """What was opened meanwhile is recent now; the first time the paint comes first."""
        if self._was_read:
            self._read()

    @work(thread=True, exclusive=True, exit_on_error=False, group="lists")
    def _read(self) -> None:
        from inspector.requests import demos

        # The bundled stores first: the list of recent ones imports far more.
        self._was_read = True
        bundled = demos()
        self.post_message(self.Listed(bundled, ()))
        from inspector.inspection import recent

        # What was opened before says whose stores these are.
        self.post_message(self.Listed(bundled, () if is_redacted() else recent()))

    @on(Listed)
    def _listed(self, message: Listed) -> None:
        if message.demos != self._demos:
            self._demos = message.demos
            self.query_one("#demos", Grid).set_source(
                RowList(
                    message.demos,
                    lambda demo: demo.name,
                    lambda demo: [Piece(demo.name, "strong"), _(demo.lesson), Piece(demo.language, "dim")],
                )
            )
        self._recents = {one.path: one for one in message.recents}
        self.query_one("#recent", Grid).set_source(
            RowList(
                message.recents,
                lambda one: one.path,
                lambda one: [
                    Piece(one.name, "strong"),
                    f"{counted(one.memories, 'memory', 'memories')}, {counted(one.queries, 'query', 'queries')}",
                    Piece(one.opened[:16].replace("T", " "), "dim"),
                    Piece(", ".join("/".join(Path(source).parts[-2:]) for source in one.sources), "dim"),
                ],
            )
        )

    @on(Grid.RowHighlighted, "#demos")
    def _about(self, message: Grid.RowHighlighted) -> None:
        lesson = next((_(demo.lesson) for demo in self._demos if demo.name == message.key), "")
        self.query_one("#about", Static).update(plain(lesson))

    @on(Grid.RowSelected, "#demos")
    def _demo(self, message: Grid.RowSelected) -> None:
        self.post_message(self.Chosen(demo=str(message.key)))

    @on(Grid.RowSelected, "#recent")
    def _recent(self, message: Grid.RowSelected) -> None:
        self.post_message(self.Chosen(recent=self._recents[message.key]))

    @on(Grid.RowSelected, "#files")
    def _way(self, message: Grid.RowSelected) -> None:
        self.post_message(self.Chosen(way=str(message.key)))

    def action_triage(self) -> None:
        """Open what is under the cursor at its incidents."""
        key = self.focused.cursor_key if isinstance(self.focused, Grid) else None
        if key is not None and self.focused is self.query_one("#demos"):
            self.post_message(self.Chosen(demo=str(key), triage=True))
        elif key is not None and self.focused is self.query_one("#recent"):
            self.post_message(self.Chosen(recent=self._recents[key], triage=True))
        else:
            say(self.app, _("put the cursor on a bundled store or a recent workspace"))

    def action_show_part(self, part: str) -> None:
        """To a part of the screen, or what the part opens."""
        if part in ("demos", "recent"):
            self.query_one(f"#{part}").focus()
        else:
            self.post_message(self.Chosen(way=part))


def is_bundle(path: Path) -> bool:
    """Whether a folder looks like a bundle: it has memories or a bundle.toml (DESIGN 2)."""
    try:
        return path.is_dir() and ((path / "bundle.toml").is_file() or next(path.glob("memories.*"), None) is not None)
    except OSError:
        return False
