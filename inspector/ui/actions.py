"""Every action of the UI as data: id, keys, name, what it does and where it applies (STYLE 5.5).

Bindings, footer, command palette, help screen, the README's key table and the validation of a user's keymap all derive
from :data:`ACTIONS`; a test fails where a widget binds a key that stands not here, or where an action here is bound by
no widget. A widget or screen binds what belongs to its place with ``BINDINGS = bindings("candidates")`` and implements
``action_…`` for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from textual.binding import Binding, BindingType
from textual.keys import format_key


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that a user can do.

    ``id`` names it in keymap.toml, its first segment is the place that binds it (:data:`PLACES`). ``keys`` are the
    default keys, comma separated, as Textual names them. ``name`` is "Group: Verb" for the palette, ``help`` one
    sentence for the help screen, ``label`` the one or two words of the footer. ``run`` is the Textual action. An action
    that ``shadows`` takes its key from an enclosing place on purpose, and gives it back where it is not enabled.
    """

    id: str
    keys: str
    name: str
    help: str
    run: str
    label: str = ""
    footer: bool = False
    priority: bool = False
    shadows: bool = False
    palette: bool = True

    @property
    def place(self) -> str:
        """The place that binds it, a key of :data:`PLACES`."""
        return self.id.partition(".")[0]

    def key_list(self) -> list[str]:
        """The default keys, one by one."""
        return [key for key in self.keys.split(",") if key]


#: Each place, its title in the help screen, and the places around it whose keys work in it too.
PLACES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "app": ("Everywhere", ()),
    "dialog": ("In a dialog", ()),
    "grid": ("In a table", ("app",)),
    "text": ("In a long text", ("app",)),
    "chooser": ("Start", ("app",)),
    "loading": ("While loading", ("app",)),
    "inspect": ("Inspect", ("app",)),
    "queries": ("Queries", ("grid", "inspect", "app")),
    "candidates": ("Candidates", ("grid", "inspect", "app")),
    "bundle": ("Query bundle", ("inspect", "app")),
    "detail": ("Detail", ("inspect", "app")),
    "why": ("Why", ("reader", "text", "detail", "inspect", "app")),
    "record": ("Record", ("reader", "text", "detail", "inspect", "app")),
    "mdl": ("MDL", ("reader", "text", "detail", "inspect", "app")),
    "reader": ("In a reading pane", ("text", "detail", "inspect", "app")),
    "editor": ("While editing a value", ("inspect", "dialog")),
    "files": ("Choice of files", ("grid", "dialog")),
    "store": ("Store", ("app",)),
    "records": ("Store's records", ("grid", "store", "app")),
    "about": ("Record in the store", ("reader", "text", "store", "app")),
    "map": ("Coverage map", ("store", "app")),
    "edits": ("List of edits", ("grid", "dialog")),
    "jump": ("Jump", ()),
    "settings": ("Settings", ("dialog",)),
}


def _grid() -> Iterator[Action]:
    def move(verb: str, keys: str, name: str, help: str) -> Action:
        return Action(f"grid.{verb}", keys, f"Table: {name}", help, verb, palette=False)

    yield move("cursor_up", "up,k", "Up", "one row up")
    yield move("cursor_down", "down,j", "Down", "one row down")
    yield move("cursor_left", "left,h", "Left", "one column to the left, or scroll left")
    yield move("cursor_right", "right,l", "Right", "one column to the right, or scroll right")
    yield move("page_up", "pageup,ctrl+b", "Page up", "one page up")
    yield move("page_down", "pagedown,ctrl+f", "Page down", "one page down")
    yield move("first", "home,g", "First row", "to the first row")
    yield move("last", "end,G", "Last row", "to the last row")
    yield move("select", "enter", "Choose", "choose the row")
    yield Action("grid.mark", "space", "Table: Mark", "mark the row, or take the mark away, and go on", "mark")
    yield Action("grid.mark_all", "ctrl+a", "Table: Mark all", "mark every row that is shown", "mark_all")
    yield Action("grid.unmark", "escape", "Table: Unmark", "take all marks away", "unmark", shadows=True)


def _text() -> Iterator[Action]:
    def move(verb: str, keys: str, help: str) -> Action:
        return Action(f"text.{verb}", keys, f"Text: {help.capitalize()}", help, verb, palette=False)

    yield move("line_up", "up,k", "one line up")
    yield move("line_down", "down,j", "one line down")
    yield move("page_up", "pageup,ctrl+b", "one page up")
    yield move("page_down", "pagedown,ctrl+f", "one page down")
    yield move("top", "home,g", "to the top")
    yield move("bottom", "end,G", "to the end")


def _everywhere() -> Iterator[Action]:
    yield Action(
        "app.help",
        "question_mark,f1",
        "Help: Show keys",
        "keys and signs of this screen",
        "show_help",
        label="help",
        footer=True,
    )
    yield Action(
        "app.palette",
        "ctrl+p",
        "Help: Find a command",
        "every command, with its key",
        "command_palette",
        label="commands",
        footer=True,
        priority=True,
        palette=False,
    )
    yield Action(
        "app.quit",
        "q,ctrl+q",
        "Inspector: Quit",
        "quit; everything done is kept already",
        "quit",
        label="quit",
        footer=True,
    )
    yield Action(
        "app.back", "escape", "Go: Back", "close, back out, or return to the pane before", "back", palette=False
    )
    yield Action("app.find", "slash", "Go: Find", "find in this pane", "find", label="find")
    yield Action(
        "app.jump", "semicolon", "Go: Jump", "letters over the panes; one letter goes there", "jump", label="jump"
    )
    yield Action("app.next_pane", "tab", "Go: Next pane", "to the next pane", "focus_next", palette=False)
    yield Action(
        "app.previous_pane", "shift+tab", "Go: Previous pane", "to the pane before", "focus_previous", palette=False
    )
    yield Action("app.maximize", "f10", "View: Maximise", "this pane on the whole screen, and back", "toggle_maximize")
    yield Action("app.theme", "ctrl+t", "View: Theme", "choose a theme and see it at once", "choose_theme")
    yield Action("app.copy", "y", "Copy: Copy", "copy what the cursor is on, or the marked rows", "copy", label="copy")
    yield Action(
        "app.copy_json", "Y", "Copy: As JSON", "copy the row or record as JSON, control characters escaped", "copy_json"
    )
    yield Action(
        "app.copy_selection",
        "ctrl+c",
        "Copy: Selection",
        "copy the text selected with the mouse",
        "copy_selection",
        palette=False,
    )
    yield Action(
        "app.export", "x", "Export: Export", "the table, the screen, the edits or the store as a file", "export"
    )
    yield Action("app.settings", "comma", "Inspector: Settings", "settings, and where the files are", "settings")
    yield Action("app.copy_to_file", "W", "Copy: To a file", "write what was copied last to a file", "copy_to_file")
    yield Action("app.notices", "exclamation_mark", "Help: Notices", "all notices of the header, in full", "notices")
    yield Action("app.open", "O", "Store: Open another", "back to the choice of stores", "open_another")


def _dialogs() -> Iterator[Action]:
    yield Action(
        "dialog.close",
        "escape",
        "Dialog: Close",
        "close without doing anything",
        "close",
        label="close",
        footer=True,
        palette=False,
    )
    yield Action("dialog.next_pane", "tab", "Dialog: Next", "to the next field", "app.focus_next", palette=False)
    yield Action(
        "dialog.previous_pane",
        "shift+tab",
        "Dialog: Previous",
        "to the field before",
        "app.focus_previous",
        palette=False,
    )
    yield Action("dialog.copy", "y,c", "Dialog: Copy", "copy the dialog's text", "copy", label="copy", palette=False)
    yield Action(
        "dialog.copy_selection",
        "ctrl+c",
        "Dialog: Copy selection",
        "copy the selected text",
        "app.copy_selection",
        palette=False,
    )
    yield Action("dialog.quit", "ctrl+q", "Dialog: Quit", "quit the program", "app.quit", palette=False)
    yield Action(
        "edits.revert",
        "delete,backspace",
        "Edits: Revert",
        "revert the edit under the cursor",
        "revert",
        label="revert",
        footer=True,
    )
    yield Action(
        "edits.revert_all",
        "R",
        "Edits: Revert all",
        "revert every edit; undo brings them back",
        "revert_all",
        label="revert all",
        footer=True,
    )
    yield Action(
        "edits.export", "x", "Edits: Export", "export the edits as a patch", "export", label="export", footer=True
    )
    yield Action("jump.close", "escape", "Jump: Close", "close without going anywhere", "close", palette=False)
    yield Action(
        "settings.change", "enter", "Settings: Change", "the next choice, or type one", "change", palette=False
    )
    yield Action(
        "settings.default",
        "delete,backspace",
        "Settings: Default",
        "back to the default",
        "default",
        label="default",
        footer=True,
        palette=False,
    )


def _start() -> Iterator[Action]:
    yield Action(
        "files.folder",
        "ctrl+o",
        "Files: Open folder",
        "open the folder that is shown",
        "open_folder",
        label="open folder",
        footer=True,
        palette=False,
    )
    yield Action(
        "files.type",
        "slash",
        "Files: Type a path",
        "to the line where a path is typed",
        "type_path",
        label="type path",
        footer=True,
        palette=False,
    )
    yield Action("chooser.demos", "b", "Start: Bundled stores", "to the bundled stores", "show_part('demos')")
    yield Action("chooser.recent", "r", "Start: Recent", "to the recent workspaces", "show_part('recent')")
    yield Action("chooser.files", "o", "Start: Open a file", "to the file picker", "show_part('files')")
    yield Action("chooser.formats", "f", "Start: Formats", "to the formats that can be read", "show_part('formats')")
    yield Action(
        "loading.cancel",
        "escape",
        "Load: Cancel",
        "stop; what is done is kept",
        "cancel",
        label="cancel",
        footer=True,
        shadows=True,
    )


def _inspect() -> Iterator[Action]:
    def act(verb: str, keys: str, name: str, help: str, label: str = "") -> Action:
        run = {
            "judge_yes": "judge('1')",
            "judge_no": "judge('0')",
            "judge_unknown": "judge('?')",
            "judge_clear": "judge('')",
        }
        return Action(f"inspect.{verb}", keys, name, help, run.get(verb, verb), label=label, footer=bool(label))

    yield act("edit", "e", "Edit: Edit", "edit the field under the cursor, of all marked memories", "edit")
    yield act("judge_yes", "1", "Judge: Set 1", "judge the axis under the cursor as 1", "judge")
    yield act("judge_no", "0", "Judge: Set 0", "judge the axis under the cursor as 0")
    yield act("judge_unknown", "full_stop", "Judge: Set ?", "judge the axis under the cursor as unknown")
    yield act("judge_clear", "minus", "Judge: Clear", "take the judgment away; the rule decides again")
    yield act("undo", "u", "Edit: Undo", "undo the last edit", "undo")
    yield act("redo", "ctrl+r", "Edit: Redo", "redo what was undone")
    yield act(
        "revert", "backspace,delete", "Edit: Revert field", "the field under the cursor back to the source's value"
    )
    yield act("edits", "E", "Edit: List edits", "the list of edits; revert one or all")
    yield act(
        "flip", "f", "Edit: Apply smallest", "apply the smallest edit that flips the verdict, or that closes the gap"
    )
    yield act("intent", "i", "Query: Cycle intent", "current, history, unknown; the verdicts follow")
    yield act(
        "as_of_earlier", "left_square_bracket,less_than_sign", "Query: Earlier", "as_of to the store's event before"
    )
    yield act(
        "as_of_later", "right_square_bracket,greater_than_sign", "Query: Later", "as_of to the store's next event"
    )
    yield act("bundle", "b", "Query: Edit bundle", "to the query bundle: principal, purpose, intent, as_of, …")
    yield act("isolation", "I", "Rule: Cycle isolation", "namespace, session, namespace+session")
    yield act("unknown_intent", "U", "Rule: Unknown intent", "join (as the table) or strict (as the source's code)")
    yield act("assumptions", "A", "Rule: Assumptions", "what a missing field is taken as")
    yield act("aliases", "L", "Rule: Aliases", "ids of one owner")
    yield act("to_queries", "Q", "Go: Queries", "to the list of queries")
    yield act("to_candidates", "C", "Go: Candidates", "to the candidates")
    yield act("to_detail", "D", "Go: Detail", "to the detail")
    yield act("next_query", "n", "Go: Next query", "the next query, without leaving the pane")
    yield act("previous_query", "p", "Go: Previous query", "the query before, without leaving the pane")
    yield act("next_tab", "right_curly_bracket", "Go: Next tab", "the next detail tab")
    yield act("previous_tab", "left_curly_bracket", "Go: Previous tab", "the detail tab before")
    yield act("gate_mode", "a", "Gate: Next mode", "self_description, jurisdiction, grants, layered; the whole store")
    yield act(
        "govern", "F", "Gate: Govern", "say what the memory governs and what authority it carries, in a short form"
    )
    yield act("pool", "P", "Decision: Next pool", "MDL over all that was retrieved, or over what no verdict excludes")
    yield act("calibrated", "K", "Decision: Calibrated", "decide by the calibration at hand, or without one")
    yield act("calibration", "B", "Decision: Load calibration", "load a calibration file; the workspace keeps it")
    yield act("encode", "N", "Decision: Encode", "encode the texts where the route needs no vectors, to decide by them")
    yield act("store", "o", "Go: Store", "the whole store: records, coverage map, findings, lanes", "store")
    yield act("route", "r", "Route: Choose", "retrieval route, depth and k", "route")
    yield act("why_not", "w", "Candidates: Why not", "show any stored memory against this query", "why not")
    yield act("missing", "m", "Candidates: Eligible missing", "memories that should have been retrieved and were not")
    yield act("sort", "s", "Candidates: Sort", "sort by the column under the cursor, then by the next")
    yield act("sort_reverse", "S", "Candidates: Reverse", "turn the order round")
    yield act("verdict_filter", "v", "Candidates: Filter verdict", "all, admit, exclude, unresolved in turn")
    yield act("full_text", "t", "Candidates: Full text", "the memory's text in full")


def _store() -> Iterator[Action]:
    def act(verb: str, keys: str, name: str, help: str, label: str = "", run: str = "") -> Action:
        return Action(f"store.{verb}", keys, name, help, run or verb, label=label, footer=bool(label))

    yield act("records", "1", "Store: Records", "every record of the store", "records", "view('records')")
    yield act("coverage", "2", "Store: Coverage", "the coverage map and its lists", "coverage", "view('coverage')")
    yield act("findings", "3", "Store: Findings", "the findings of lint", "findings", "view('findings')")
    yield act("lanes", "4", "Store: Lanes", "a session's boundary states over time", "lanes", "view('lanes')")
    yield act("next_view", "right_curly_bracket", "Store: Next view", "the next view", run="step_view(1)")
    yield act("previous_view", "left_curly_bracket", "Store: Previous view", "the view before", run="step_view(-1)")
    yield act("inspect", "w", "Store: Inspect", "the record in Inspect, against the query selected there", "why not")
    yield act("leave", "o", "Store: Back to Inspect", "back to the queries and candidates")
    yield act("edit", "e", "Store: Edit", "edit the field under the cursor, of all marked records", "edit")
    yield act("undo", "u", "Store: Undo", "undo the last edit")
    yield act("redo", "ctrl+r", "Store: Redo", "redo what was undone")
    yield act("revert", "backspace,delete", "Store: Revert field", "the field under the cursor back to the source's")
    yield act("edits", "E", "Store: List edits", "the list of edits; revert one or all")
    yield act("close_gap", "f", "Store: Close gap", "apply the shortest edit that closes the record's gap")
    yield act("govern", "F", "Store: Govern", "say what the record governs and what authority it carries")
    yield act("sort", "s", "Store: Sort", "sort by the column under the cursor; again for the store's own order")
    yield act("sort_reverse", "S", "Store: Reverse", "turn the order round")
    yield act("next_set", "v", "Store: Next cell or code", "records of the next cell, findings of the next code")
    yield act("full_text", "t", "Store: Full text", "the record's text in full")
    yield act("to_about", "D", "Store: Detail", "to the detail of the record")
    yield act("lint", "R", "Store: Lint", "lint the whole store, edits included")
    yield act("next_session", "n", "Store: Next session", "lanes of the next session", run="step_session(1)")
    yield act("previous_session", "p", "Store: Previous session", "lanes of the session before", run="step_session(-1)")
    yield act("keep_replay", "K", "Store: Keep replay", "make the marks of the replay edits")


def _panes() -> Iterator[Action]:
    def move(id: str, keys: str, name: str, help: str, run: str = "") -> Action:
        return Action(id, keys, name, help, run or id.partition(".")[2], palette=False)

    yield move("bundle.left", "left,h", "Bundle: Left", "to the part before")
    yield move("bundle.right", "right,l", "Bundle: Right", "to the next part")
    yield move("bundle.choose", "enter", "Bundle: Edit", "edit the part under the cursor")
    yield move("map.up", "up,k", "Map: Up", "to the row above")
    yield move("map.down", "down,j", "Map: Down", "to the row below, then to the lists")
    yield move("map.left", "left,h", "Map: Left", "to the column on the left")
    yield move("map.right", "right,l", "Map: Right", "to the column on the right")
    yield move("map.choose", "enter", "Map: Records", "show the records of the cell")
    yield move("mdl.less", "left,h", "MDL: Less", "the slider under the cursor a hundredth down")
    yield move("mdl.more", "right,l", "MDL: More", "the slider under the cursor a hundredth up")
    yield move("mdl.much_less", "shift+left", "MDL: Much less", "the slider under the cursor a tenth down")
    yield move("mdl.much_more", "shift+right", "MDL: Much more", "the slider under the cursor a tenth up")
    yield move("mdl.as_read", "z", "MDL: As read", "all sliders back to what was read")
    yield Action(
        "mdl.usual",
        "backspace,delete",
        "MDL: As usual",
        "the slider under the cursor back to what was read, the constant or switch to its default",
        "usual",
        shadows=True,
        palette=False,
    )
    yield move("reader.choose", "enter", "Detail: Choose", "edit the field, or apply the edit, under the cursor")

    def type_in(verb: str, keys: str, help: str) -> Action:
        return Action(f"editor.{verb}", keys, f"Value: {help.capitalize()}", help, verb, palette=False)

    yield Action(
        "editor.save",
        "ctrl+s",
        "Value: Save",
        "save; enter does too where the value has one line",
        "save",
        palette=False,
    )
    yield type_in("absent", "f2", "take the key away altogether")
    yield type_in("null", "f3", "set null")
    yield type_in("empty", "f4", "set the empty value of its kind")
    yield type_in("source", "f5", "back to the source's value")
    yield type_in("previous", "up", "the known word before, the day before, one less")
    yield type_in("next", "down", "the next known word, the next day, one more")
    yield Action(
        "editor.cancel", "escape", "Value: Cancel", "leave the value as it is", "cancel", shadows=True, palette=False
    )


#: The registry, in the order of the help screen.
ACTIONS: tuple[Action, ...] = (
    *_everywhere(),
    *_inspect(),
    *_store(),
    *_panes(),
    *_grid(),
    *_text(),
    *_start(),
    *_dialogs(),
)

BY_ID: Mapping[str, Action] = {action.id: action for action in ACTIONS}


def for_place(place: str) -> list[Action]:
    """The actions that ``place`` binds itself, in the registry's order."""
    return [action for action in ACTIONS if action.place == place]


def bindings(place: str, *, footer: bool = True) -> list[BindingType]:
    """The bindings of ``place`` for a widget's or screen's ``BINDINGS``; without ``footer`` none shows there.

    Raises KeyError for a place that :data:`PLACES` does not know.
    """
    PLACES[place]
    return [
        Binding(
            action.keys,
            action.run,
            action.label or action.name.partition(": ")[2],
            show=footer and action.footer,
            priority=action.priority,
            tooltip=action.help,
            id=action.id,
        )
        for action in for_place(place)
    ]


def keys_of(action: Action, keymap: Mapping[str, str]) -> list[str]:
    """The keys in force for an action, the user's where the keymap names it."""
    return [key.strip() for key in keymap.get(action.id, action.keys).split(",") if key.strip()]


def show_key(key: str) -> str:
    """A key as people read it: ``?`` for question_mark, ``ctrl+p``, ``shift+tab``."""
    *modifiers, last = key.split("+") if key != "+" else ["+"]
    return "+".join([*modifiers, format_key(last)])


def show_keys(action: Action, keymap: Mapping[str, str]) -> str:
    """All keys of an action, separated by a blank."""
    return " ".join(show_key(key) for key in keys_of(action, keymap))


def clashes(keymap: Mapping[str, str]) -> list[tuple[Action, Action, str]]:
    """Pairs of actions that one key would start in one place: the inner one, the outer one, the key."""
    found: dict[tuple[str, str, str], tuple[Action, Action, str]] = {}
    by_place: dict[str, list[Action]] = {}
    for action in ACTIONS:
        by_place.setdefault(action.place, []).append(replace(action, keys=",".join(keys_of(action, keymap))))
    for place, (_title, around) in PLACES.items():
        chain = [action for each in (place, *around) for action in by_place.get(each, ())]
        for at, inner in enumerate(chain):
            for outer in chain[at + 1 :]:
                if inner.shadows or outer.shadows:
                    continue
                for key in set(inner.key_list()) & set(outer.key_list()):
                    found[inner.id, outer.id, key] = (inner, outer, key)
    return [found[each] for each in sorted(found)]
