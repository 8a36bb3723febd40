"""Keys that mean the same everywhere: the application, tables, long texts, dialogs."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.ui.keys.action import Action, actions_of


def everywhere() -> Iterator[Action]:
    """What works in every place."""

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
    yield Action(
        "app.present", "ctrl+k", "View: Show keys", "show the keys that are pressed to those who watch", "present"
    )
    yield Action("app.open", "O", "Store: Open another", "back to the choice of stores", "open_another")


def grid() -> Iterator[Action]:
    """Moving and marking in any table."""

    move = actions_of("grid", "Table", palette=False)
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


def text() -> Iterator[Action]:
    """Reading any long text."""

    act = actions_of("text", "Text", palette=False)

    def move(verb: str, keys: str, help: str) -> Action:
        return act(verb, keys, help.capitalize(), help)

    yield move("line_up", "up,k", "one line up")
    yield move("line_down", "down,j", "one line down")
    yield move("page_up", "pageup,ctrl+b", "one page up")
    yield move("page_down", "pagedown,ctrl+f", "one page down")
    yield move("top", "home,g", "to the top")
    yield move("bottom", "end,G", "to the end")


def dialogs() -> Iterator[Action]:
    """Dialogs, the list of edits, jumping and settings."""

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
    yield Action(
        "dialog.help",
        "question_mark,f1",
        "Dialog: Help",
        "keys and help of this dialog; f1 where text is typed",
        "help",
        label="help",
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
