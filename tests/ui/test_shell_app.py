"""The shell as a user drives it: start, loading and stopping, dialogs, help, palette, themes, copying, exports."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.app import ComposeResult
from textual.content import Content
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input, OptionList, Static

import inspector.inspection as door
import inspector.ui.app as app_module
import inspector.ui.config as config_module
from inspector.errors import FieldError, InputError, InspectorError
from inspector.inspection import OpenOptions, OpenRequest
from inspector.ui.actions import ACTIONS
from inspector.ui.app import InspectorApp
from inspector.ui.clipboard import Copied
from inspector.ui.messages import CopyRequested
from inspector.ui.palette import available
from inspector.ui.panes import Table
from inspector.ui.screens.ask import AskDialog
from inspector.ui.screens.base import BaseScreen
from inspector.ui.screens.chooser import ChooserScreen
from inspector.ui.screens.edits import EditsDialog
from inspector.ui.screens.error import ErrorDialog
from inspector.ui.screens.export import ExportDialog
from inspector.ui.screens.files import FilesDialog
from inspector.ui.screens.formats import FormatsDialog
from inspector.ui.screens.help import HelpDialog
from inspector.ui.screens.jump import JumpOverlay
from inspector.ui.screens.loading import LoadingScreen
from inspector.ui.screens.reading import ReadingDialog
from inspector.ui.screens.settings import SettingsDialog
from inspector.ui.screens.themes import ThemeDialog
from inspector.ui.theming import DEFAULT_THEME
from inspector.ui.widgets.cells import Column, RowList
from inspector.ui.widgets.grid import Grid
from inspector.ui.widgets.header import HeaderBar
from inspector.ui.widgets.reader import Reader
from inspector.views import RouteChoice

Until = Callable[..., Any]
_TEXT = re.compile(r'<text[^>]* x="([\d.]+)"[^>]*line-(\d+)\)"[^>]*>([^<]*)</text>')
HOSTILE = "[/foo] [@click=app.quit]x[/] \x1b]2;x\x07 \u202e"


def toasts(app: InspectorApp) -> str:
    """What the toasts say, as plain text."""
    said = []
    for toast in app.screen.query("Toast"):
        content = toast.render()
        said.append(content.plain if isinstance(content, Content) else str(content))
    return "\n".join(said)


def shown(app: InspectorApp) -> str:
    """What the screen shows, line by line, taken from its picture."""
    lines: dict[int, list[tuple[float, str]]] = {}
    for x, line, text in _TEXT.findall(app.export_screenshot()):
        lines.setdefault(int(line), []).append((float(x), html.unescape(text).replace("\xa0", " ").rstrip("\n")))
    out = []
    for number in range(max(lines) + 1):
        row = ""
        for x, text in sorted(lines.get(number, ())):
            row = row.ljust(round(x / 12.2)) + text
        out.append(row)
    return "\n".join(out)


async def on_screen(pilot: Pilot[Any], until: Until, kind: type[Screen[Any]]) -> None:
    await until(lambda: isinstance(pilot.app.screen, kind))
    await pilot.pause()


# Start


async def test_without_a_request_the_start_lists_bundled_stores(config_home: Path, until: Until) -> None:
    app = InspectorApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await on_screen(pilot, until, ChooserScreen)
        demos = app.screen.query_one("#demos", Grid)
        await until(lambda: demos.row_count)
        names = demos.as_table()[1]
        assert [row[0] for row in names] == [demo.name for demo in door.demos()]
        assert demos.has_focus
        await pilot.press("down")
        await pilot.pause()
        about = app.screen.query_one("#about", Static).render()
        assert door.demos()[1].lesson in str(about)


async def test_a_bundled_store_is_opened_in_a_private_workspace(
    config_home: Path, until: Until, shell: type[InspectorApp], store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def opens(*args: Any, **_: Any) -> Any:
        asked.append(args)
        return store

    monkeypatch.setattr(door, "open_sources", opens)
    store.go.set()
    app = shell()
    async with app.run_test() as pilot:
        await on_screen(pilot, until, ChooserScreen)
        await until(lambda: app.screen.query_one("#demos", Grid).row_count)
        await pilot.press("enter")
        await until(lambda: app.inspection is store)
        (args,) = asked
        assert args[0] == (door.demo_folder(door.demos()[0].name),)
        assert args[1].temporary
    assert store.closed


async def test_the_user_s_files_are_picked_and_opened(
    config_home: Path, until: Until, shell: type[InspectorApp], store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path.cwd() / "sub"
    folder.mkdir()
    for name in ("one.jsonl", "two.jsonl", "z[foo]\x1b.jsonl"):
        (folder / name).write_text("{}", encoding="utf-8")
    asked: list[Any] = []

    def opens(*args: Any, **_: Any) -> Any:
        asked.append(args)
        return store

    monkeypatch.setattr(door, "open_sources", opens)
    store.go.set()
    app = shell()
    async with app.run_test() as pilot:
        await on_screen(pilot, until, ChooserScreen)
        await pilot.press("o")
        await on_screen(pilot, until, FilesDialog)
        await pilot.press("down", "enter")  # into sub, past ".."
        grid = app.screen.query_one(Grid)
        assert [row[0] for row in grid.as_table()[1]][1:] == ["one.jsonl", "two.jsonl", "z[foo]\x1b.jsonl"]
        assert "z[foo]␛.jsonl" in shown(app)
        await pilot.press("down", "space", "space", "enter")
        await until(lambda: asked)
        assert asked[0][0] == (folder / "one.jsonl", folder / "two.jsonl")


async def test_a_path_is_typed_with_completion(config_home: Path, until: Until, shell: type[InspectorApp]) -> None:
    (Path.cwd() / "bundle").mkdir()
    (Path.cwd() / "bundle" / "memories.jsonl").touch()
    app = shell()
    async with app.run_test() as pilot:
        await on_screen(pilot, until, ChooserScreen)
        picked: list[Any] = []
        app.push_screen(FilesDialog(), picked.append)
        await on_screen(pilot, until, FilesDialog)
        await pilot.press("slash", *"absent", "enter")
        await until(lambda: "no such file" in shown(app))
        app.screen.query_one(Input).value = ""
        await pilot.press(*"bun")
        await pilot.pause(0.1)
        await pilot.press("right", "enter")
        await until(lambda: picked)
        assert picked == [(Path.cwd() / "bundle",)]


async def test_the_formats_are_listed(config_home: Path, until: Until) -> None:
    from inspector.formats import FORMATS

    app = InspectorApp()
    async with app.run_test(size=(120, 40)) as pilot:
        await on_screen(pilot, until, ChooserScreen)
        await pilot.press("f")
        await on_screen(pilot, until, FormatsDialog)
        reader = app.screen.query_one(Reader)
        await until(lambda: FORMATS[-1].name in reader.plain())


# Loading


async def test_loading_says_what_and_how_many_and_then_shows_the_store(
    config_home: Path, until: Until, shell: type[InspectorApp], store: Any, request_of: OpenRequest
) -> None:
    app = shell(request_of)
    async with app.run_test(size=(80, 24)) as pilot:
        await on_screen(pilot, until, LoadingScreen)
        await until(lambda: "25 of 100 texts" in shown(app))
        assert "encode" in shown(app)
        assert "notes" in shown(app)
        store.go.set()
        await until(lambda: app.inspection is store)
        assert not store.closed
        await pilot.press("q")
    assert store.closed
    assert app.return_code == 0


async def test_stopping_keeps_what_is_done_and_asks_how_to_go_on(
    config_home: Path, until: Until, shell: type[InspectorApp], store: Any, request_of: OpenRequest
) -> None:
    app = shell(request_of)
    async with app.run_test() as pilot:
        await until(store.evaluating.is_set)
        await pilot.press("escape")
        await on_screen(pilot, until, AskDialog)
        store.evaluating.clear()
        await pilot.press("down", "enter")  # a lexical route
        await until(store.evaluating.is_set)
        assert str(store.route) == "namespace_bm25"
        store.go.set()
        await until(lambda: app.inspection is store)
        assert not store.closed


async def test_stopping_and_going_back_closes_the_store(
    config_home: Path, until: Until, shell: type[InspectorApp], store: Any, request_of: OpenRequest
) -> None:
    app = shell(request_of)
    async with app.run_test() as pilot:
        await until(store.evaluating.is_set)
        await pilot.press("escape")
        await on_screen(pilot, until, AskDialog)
        await pilot.press("escape")
        await on_screen(pilot, until, ChooserScreen)
        assert store.closed
        assert app.inspection is None


async def test_what_an_older_load_says_is_ignored_and_its_store_closed(
    config_home: Path, until: Until, shell: type[InspectorApp], store: Any, request_of: OpenRequest
) -> None:
    app = shell(request_of)
    async with app.run_test() as pilot:
        await until(store.evaluating.is_set)
        assert isinstance(app.screen, LoadingScreen)
        stale = app.screen.generation
        store.evaluate = lambda *_: None  # a thread that does not hear that it should stop
        app.show_chooser()
        await on_screen(pilot, until, ChooserScreen)
        app.post_message(LoadingScreen.Opened(stale, store, evaluated=True))
        app.post_message(LoadingScreen.Failed(stale, InspectorError("late")))
        await until(lambda: store.closed)
        await pilot.pause()
        assert isinstance(app.screen, ChooserScreen)
        assert app.inspection is None


class Held(InspectorError):
    pid = 4711


async def test_a_held_workspace_names_the_pid_and_offers_a_private_one(
    config_home: Path,
    until: Until,
    shell: type[InspectorApp],
    store: Any,
    request_of: OpenRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store.go.set()

    def opens(_sources: Any, options: OpenOptions, *_rest: Any, **_: Any) -> Any:
        if not options.temporary:
            raise Held("the workspace x is in use by another process (pid 4711)")
        return store

    monkeypatch.setattr(door, "open_sources", opens)
    app = shell(request_of)
    async with app.run_test() as pilot:
        await on_screen(pilot, until, AskDialog)
        assert "4711" in shown(app)
        await pilot.press("enter")
        await until(lambda: app.inspection is store)


async def test_bad_input_is_shown_and_skipping_offered(
    config_home: Path,
    until: Until,
    shell: type[InspectorApp],
    store: Any,
    request_of: OpenRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store.go.set()

    def opens(_sources: Any, options: OpenOptions, *_rest: Any, **_: Any) -> Any:
        if not options.lenient:
            raise InputError.at("m.jsonl", 7, "status", f"{HOSTILE!s} is not a word", "a text")
        return store

    monkeypatch.setattr(door, "open_sources", opens)
    app = shell(request_of)
    async with app.run_test(size=(120, 30)) as pilot:
        await on_screen(pilot, until, AskDialog)
        assert "error: m.jsonl:7: status: [/foo] [@click=app.quit]x[/] ␛]2;x␇ ⟨U+202E⟩" in shown(app)
        await pilot.press("enter")
        await until(lambda: app.inspection is store)


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (InspectorError(f"no such file: {HOSTILE}"), 0, "no such file: [/foo]"),
        (RuntimeError(f"surprise {HOSTILE}"), 1, "This is a fault of Inspector"),
    ],
)
async def test_an_error_is_a_dialog_and_an_unexpected_one_makes_the_exit_code_1(
    config_home: Path,
    until: Until,
    shell: type[InspectorApp],
    request_of: OpenRequest,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    code: int,
    words: str,
) -> None:
    def opens(*_: Any, **_kept: Any) -> Any:
        raise error

    monkeypatch.setattr(door, "open_sources", opens)
    app = shell(request_of)
    async with app.run_test(size=(120, 40)) as pilot:
        await on_screen(pilot, until, ErrorDialog)
        assert words in shown(app)
        assert ("Traceback" in shown(app)) == bool(code)
        copied: list[str] = []

        def copy(text: str, *_args: Any, **_named: Any) -> Copied:
            copied.append(text)
            return Copied("tool", "copied", True)

        monkeypatch.setattr(app_module, "copy_text", copy)
        await pilot.press("y")
        await until(lambda: copied)
        assert str(error) in copied[0]
        await pilot.press("escape")
        await on_screen(pilot, until, ChooserScreen)
        await pilot.press("q")
    assert app.return_code == code


async def test_an_action_that_fails_shows_a_dialog_and_the_program_goes_on(
    config_home: Path, until: Until, shell: type[InspectorApp]
) -> None:
    class Failing(shell):  # type: ignore[misc,valid-type]
        def action_settings(self) -> None:
            raise FieldError("status", "[/foo] is not known", "a word")

        def action_export(self) -> None:
            raise ZeroDivisionError

    app = Failing()
    async with app.run_test() as pilot:
        await on_screen(pilot, until, ChooserScreen)
        await pilot.press("comma")
        await on_screen(pilot, until, ErrorDialog)
        assert app.faults == 0
        await pilot.press("escape", "x")
        await on_screen(pilot, until, ErrorDialog)
        assert app.faults == 1


async def test_the_user_s_own_route_and_k_are_used_unless_a_flag_says_otherwise(
    config_home: Path, until: Until, shell: type[InspectorApp], store: Any, request_of: OpenRequest
) -> None:
    (config_home / "settings.toml").write_text(
        'route = "global_bm25"\nk = 7\nunknown_intent = "strict"\n', encoding="utf-8"
    )
    store.entries = []
    store.go.set()
    app = shell(request_of)
    async with app.run_test():
        await until(lambda: app.inspection is store)
    assert (str(store.route), store.route.k) == ("global_bm25", 7)
    assert store.set == [("unknown_intent", "strict")]
    other = shell(OpenRequest(request_of.sources, OpenOptions(route="recorded", k=3)))
    store.route = RouteChoice("recorded", 3)
    async with other.run_test():
        await until(lambda: other.inspection is store)
    assert (str(store.route), store.route.k) == ("recorded", 3)


# What works everywhere


class Panes(BaseScreen):
    """A screen with a header, two tables and everything that the keys of everywhere ask for."""

    PANE = "Panes"
    HELP = "Help of the whole screen."

    class Left(Grid):
        PANE = "Left"
        HELP = "Help of the left table."

        def copy_text(self) -> str:
            return f"left {self.cursor_key}"

        def copy_json(self) -> str:
            return json.dumps({"key": self.cursor_key})

        def open_find(self) -> None:
            self.screen.query_one("#right").focus()

        def export_tables(self) -> list[Table]:
            columns, rows = self.as_table()
            return [Table("candidates", columns, rows)]

    def compose(self) -> ComposeResult:
        rows = RowList(["a", HOSTILE], str, lambda row: [row])
        yield HeaderBar()
        yield self.Left([Column("t", "t", 20, flex=1)], rows, id="left")
        yield Grid([Column("t", "t", 20)], rows, id="right")

    def on_mount(self) -> None:
        self.query_one(HeaderBar).show(f"store {HOSTILE}", ["2 memories"], [f"assumed: {HOSTILE}", "temporary"])
        self.query_one("#left").focus()


@pytest.fixture
def panes(shell: type[InspectorApp], config_home: Path) -> InspectorApp:
    class PanesApp(shell):  # type: ignore[misc,valid-type]
        def first_screen(self, request: Any) -> Screen[Any]:
            return Panes()

    app = PanesApp()
    assert isinstance(app, InspectorApp)
    return app


async def test_help_is_of_this_screen(panes: InspectorApp, until: Until) -> None:
    async with panes.run_test(size=(120, 60)) as pilot:
        await pilot.press("question_mark")
        await on_screen(pilot, until, HelpDialog)
        text = panes.screen.query_one(Reader).plain()
        assert text.index("Help of the left table") < text.index("Help of the whole screen")
        assert "In a table" in text
        assert "candidates" not in text.lower()
        for action in ACTIONS:
            assert (action.id in text) == (action.place in ("grid", "app")), action.id
        assert "unresolved" in text
        await pilot.press("escape")
        assert isinstance(panes.screen, Panes)


async def test_help_and_palette_show_the_keys_in_force(
    shell: type[InspectorApp], config_home: Path, until: Until
) -> None:
    (config_home / "keymap.toml").write_text('app.help = "f3"\n', encoding="utf-8")
    app = shell()
    async with app.run_test(size=(120, 60)) as pilot:
        await on_screen(pilot, until, ChooserScreen)
        await pilot.press("question_mark")
        assert isinstance(app.screen, ChooserScreen)
        await pilot.press("f3")
        await on_screen(pilot, until, HelpDialog)
        line = next(line for line in app.screen.query_one(Reader).plain().splitlines() if "app.help" in line)
        assert line.startswith("f3")


async def test_the_palette_lists_what_can_be_done_here_with_its_key(panes: InspectorApp, until: Until) -> None:
    async with panes.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        offered = {action.id for action, _ in available(panes.screen)}
        assert {"app.theme", "app.settings", "app.find"} <= offered
        assert not any(each.startswith("inspect.") for each in offered)
        assert "grid.mark" not in offered  # this table has no marks
        await pilot.press("ctrl+p")
        await until(lambda: type(panes.screen).__name__ == "CommandPalette")
        await pilot.press(*"theme")
        options = panes.screen.query_one(OptionList)

        def listed() -> bool:
            found = [options.get_option_at_index(i) for i in range(options.option_count)]
            return any("View: Theme" in str(o.prompt) and "ctrl+t" in str(o.prompt) for o in found)

        await until(listed)
        await pilot.press("enter")
        await on_screen(pilot, until, ThemeDialog)


async def test_jump_letters_go_to_panes(panes: InspectorApp, until: Until) -> None:
    async with panes.run_test(size=(80, 24)) as pilot:
        await pilot.press("semicolon")
        await on_screen(pilot, until, JumpOverlay)
        assert isinstance(panes.screen, JumpOverlay)
        assert [widget.id for widget in panes.screen.letters.values()] == ["right"]
        await pilot.press("a")
        await until(lambda: panes.screen.focused is not None and panes.screen.focused.id == "right")
        await pilot.press("semicolon", "escape")
        await pilot.pause()
        assert isinstance(panes.screen, Panes)


async def test_themes_are_seen_at_once_kept_on_enter_and_brought_back_on_escape(
    panes: InspectorApp, until: Until, config_home: Path
) -> None:
    async with panes.run_test(size=(100, 30)) as pilot:
        await pilot.press("ctrl+t")
        await on_screen(pilot, until, ThemeDialog)
        assert panes.theme == DEFAULT_THEME
        await pilot.press("down")
        await until(lambda: panes.theme != DEFAULT_THEME)
        await pilot.press("escape")
        assert panes.theme == DEFAULT_THEME
        assert not (config_home / "settings.toml").exists()
        await pilot.press("ctrl+t")
        await on_screen(pilot, until, ThemeDialog)
        await pilot.press("down", "enter")
        await pilot.pause()
        kept = panes.theme
        assert kept != DEFAULT_THEME
    assert config_module.load_config()["theme"] == kept


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("settings.toml", 'theme = "nope"\n', "'nope' is not a theme"),
        ("settings.toml", "colour = 1\n", "unknown setting"),
        ("keymap.toml", 'app.hepl = "f2"\n', "did you mean app.help?"),
        ("themes/x.toml", 'name = "x"\n[colors]\nprimary = "[red]"\n', "'[red]' is not a colour"),
    ],
)
async def test_a_bad_file_of_the_user_s_is_one_toast_and_the_default(
    config_home: Path, until: Until, shell: type[InspectorApp], file: str, text: str, said: str
) -> None:
    path = config_home / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    app = shell()
    async with app.run_test(size=(120, 40), notifications=True):
        await until(lambda: said in toasts(app))
        assert str(path) in toasts(app)
        assert len(app.screen.query("Toast")) == 1
        assert app.theme == DEFAULT_THEME


async def test_a_theme_of_the_user_s_is_used(config_home: Path, shell: type[InspectorApp]) -> None:
    (config_home / "themes").mkdir()
    (config_home / "themes" / "mine.toml").write_text(
        'name = "mine"\n[colors]\nprimary = "#336699"\n', encoding="utf-8"
    )
    (config_home / "settings.toml").write_text('theme = "mine"\n', encoding="utf-8")
    app = shell()
    async with app.run_test():
        assert app.theme == "mine"
        assert "trit-yes" in app.get_css_variables()


async def test_copying_says_how(panes: InspectorApp, until: Until, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[tuple[str, str]] = []

    def copy(text: str, _terminal: Any, *, what: str = "") -> Copied:
        taken.append((text, what))
        return Copied("terminal", f"sent to [the] terminal {HOSTILE}", False)

    monkeypatch.setattr(app_module, "copy_text", copy)
    async with panes.run_test(size=(120, 30), notifications=True) as pilot:
        await pilot.press("y")
        await until(lambda: "sent to [the] terminal [/foo]" in toasts(panes))
        await pilot.press("down", "Y")
        await until(lambda: len(taken) == 2)
        assert taken == [("left a", ""), (json.dumps({"key": HOSTILE}), "JSON")]
        panes.post_message(CopyRequested("third"))
        await until(lambda: len(taken) == 3)
        await pilot.press("W")
        await until(lambda: "written to" in toasts(panes))
        await pilot.press("tab", "y")
        await until(lambda: "nothing here to copy" in toasts(panes))


async def test_find_is_offered_where_there_is_something_to_find(panes: InspectorApp) -> None:
    async with panes.run_test() as pilot:
        await pilot.press("slash")
        assert panes.screen.focused is not None
        assert panes.screen.focused.id == "right"
        assert panes.check_action("find", ()) is False


async def test_f10_and_escape(panes: InspectorApp) -> None:
    async with panes.run_test() as pilot:
        await pilot.press("f10")
        assert panes.screen.maximized is panes.screen.query_one("#left")
        await pilot.press("f10")
        assert panes.screen.maximized is None
        await pilot.press("f10", "escape")
        assert panes.screen.maximized is None


async def test_the_header_is_inert_never_wraps_and_shows_all_notices_on_request(
    panes: InspectorApp, until: Until
) -> None:
    async with panes.run_test(size=(60, 20)) as pilot:
        await pilot.pause()
        first, second = shown(panes).splitlines()[:2]
        assert "store [/foo] [@click=app.quit]x[/] ␛]2;x" in first
        assert "2 memories" in first
        assert "assumed: [/foo]" in second
        assert "+1 more" in second
        await pilot.press("exclamation_mark")
        await on_screen(pilot, until, ReadingDialog)
        text = panes.screen.query_one(Reader).plain()
        assert "temporary" in text
        assert "␛]2;x␇ ⟨U+202E⟩" in text


async def test_a_table_is_exported_and_an_existing_file_replaced_only_on_a_second_enter(
    panes: InspectorApp, until: Until
) -> None:
    async with panes.run_test(size=(100, 40), notifications=True) as pilot:
        await pilot.press("x")
        await on_screen(pilot, until, ExportDialog)
        await pilot.press("enter")
        line = panes.screen.query_one(Input)
        assert (line.value, line.has_focus) == ("candidates.csv", True)
        await pilot.press("enter")
        await until(lambda: "candidates as CSV written to" in toasts(panes))
        target = Path.cwd() / "candidates.csv"
        assert target.read_bytes().decode() == f"t\na\n{HOSTILE}\n"
        target.write_text("mine", encoding="utf-8")
        await pilot.press("x", "enter", "enter")
        assert "enter again replaces it" in shown(panes)
        assert target.read_text(encoding="utf-8") == "mine"
        await pilot.press("enter")
        await until(lambda: target.read_text(encoding="utf-8") != "mine")


async def test_the_screen_is_exported_as_it_was_before_the_dialog(panes: InspectorApp, until: Until) -> None:
    async with panes.run_test(size=(100, 40)) as pilot:
        await pilot.press("x")
        await on_screen(pilot, until, ExportDialog)
        grid = panes.screen.query_one(Grid)
        grid.move_cursor(key="screen as SVG")
        await pilot.pause()
        await pilot.press("enter", "enter")
        target = Path.cwd() / "screen.svg"
        await until(target.exists)
        svg = target.read_text(encoding="utf-8")
        assert "memories" in svg
        assert "Export" not in svg
        assert "\x1b" not in svg


async def test_edits_are_listed_reverted_and_exported(panes: InspectorApp, until: Until, store: Any) -> None:
    panes.inspection = store
    async with panes.run_test(size=(100, 40), notifications=True) as pilot:
        await pilot.pause()
        panes.action_edits()
        await on_screen(pilot, until, EditsDialog)
        assert "m2: namespace: absent → [/foo]" in shown(panes)
        await pilot.press("delete")
        assert not store.entries[1].active
        await until(lambda: "flips 1 verdict in 1 query" in toasts(panes))
        await pilot.press("R")
        assert not any(entry.active for entry in store.entries)
        await pilot.press("x")
        await on_screen(pilot, until, ExportDialog)
        panes.screen.query_one(Grid).move_cursor(key="edits as SQL for SQLite")
        await pilot.pause()
        await pilot.press("enter", "enter")
        await until((Path.cwd() / "edits-sqlite.sql").exists)
        assert (Path.cwd() / "edits-sqlite.sql").read_text(encoding="utf-8") == "sql\n"


async def test_settings_are_changed_in_place_and_written(panes: InspectorApp, until: Until, config_home: Path) -> None:
    async with panes.run_test(size=(100, 40), notifications=True) as pilot:
        await pilot.press("comma")
        await on_screen(pilot, until, SettingsDialog)
        grid = panes.screen.query_one(Grid)
        grid.move_cursor(key="unknown_intent")
        await pilot.press("enter", "enter")
        assert config_module.load_config()["unknown_intent"] == "strict"
        grid.move_cursor(key="k")
        await pilot.press("enter")
        line = panes.screen.query_one(Input)
        line.value = "0"
        await pilot.press("enter")
        await until(lambda: "from 1 to 10000" in toasts(panes))
        line.value = "9"
        await pilot.press("enter")
        assert config_module.load_config()["k"] == 9
        await pilot.press("delete")
        assert config_module.load_config()["k"] == 20
        assert str(config_home / "settings.toml") in str(panes.screen.query_one("#places", Static).render())
        await pilot.press("escape")
        assert isinstance(panes.screen, Panes)
