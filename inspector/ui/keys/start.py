"""Keys of the start: the chooser, loading, the choice of files."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.ui.keys.action import Action


def start() -> Iterator[Action]:
    """The chooser, loading and the choice of files."""

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
    yield Action(
        "chooser.learn",
        "L",
        "Start: Learn",
        "short lessons, done in the program itself",
        "show_part('learn')",
        label="learn",
        footer=True,
    )
    yield Action(
        "chooser.triage",
        "T",
        "Start: Triage",
        "open the store or workspace under the cursor at its incidents",
        "triage",
    )
    yield Action("chooser.demos", "b", "Start: Bundled stores", "to the bundled stores", "show_part('demos')")
    yield Action("chooser.recent", "r", "Start: Recent", "to the recent workspaces", "show_part('recent')")
    yield Action(
        "chooser.files",
        "o",
        "Start: Open a file",
        "to the file picker",
        "show_part('files')",
        label="open your own files",
        footer=True,
    )
    yield Action(
        "chooser.database", "d", "Start: Open a database", "to the address of a database", "show_part('database')"
    )
    yield Action(
        "chooser.mapping",
        "m",
        "Start: Map an export",
        "an export that no format knows: match its fields",
        "show_part('mapping')",
    )
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
