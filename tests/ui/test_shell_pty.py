"""Hostile text on the shell's own surfaces, judged by the bytes that reach a real terminal (STYLE 5b.1)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

pexpect = pytest.importorskip("pexpect")

HOSTILE = (
    "[/foo] [@click=app.quit]x[/] A\x1b]2;OWNED\x1b\\B \x1b]52;c;T1dORUQ=\x07 \x1b[2J \u202e \u200b \x00 \x9b31m END"
)
PROGRAM = """
import sys
from pathlib import Path
from textual.app import ComposeResult
from inspector.errors import InspectorError
from inspector.ui.app import InspectorApp
from inspector.ui.screens.ask import AskDialog
from inspector.ui.screens.base import BaseScreen
from inspector.ui.screens.files import FilesDialog
from inspector.ui.widgets.cells import Column, RowList
from inspector.ui.widgets.grid import Grid
from inspector.ui.widgets.header import HeaderBar
from inspector.ui.widgets.safe import say
HOSTILE = {hostile!r}
class Surfaces(BaseScreen):
    def compose(self) -> ComposeResult:
        yield HeaderBar()
        yield Grid([Column("t", HOSTILE, 100, flex=1)], RowList([HOSTILE], str, lambda row: [row]), empty=HOSTILE)
    def on_mount(self) -> None:
        self.query_one(HeaderBar).show(HOSTILE, [HOSTILE], [HOSTILE])
        self.query_one(Grid).border_title = None
        say(self.app, HOSTILE, title=HOSTILE)
        what = sys.argv[1]
        if what == "error":
            self.app.show_error(InspectorError(HOSTILE), HOSTILE)
        elif what == "fault":
            self.app.show_error(RuntimeError(HOSTILE), HOSTILE)
        elif what == "ask":
            self.app.push_screen(AskDialog(HOSTILE, HOSTILE, [("a", HOSTILE, HOSTILE)]))
        elif what == "files":
            self.app.push_screen(FilesDialog(Path(sys.argv[2])))
class Shown(InspectorApp):
    def first_screen(self, request):
        return Surfaces()
Shown().run()
"""


@pytest.mark.pty
@pytest.mark.parametrize("surface", ["table", "error", "fault", "ask", "files"])
def test_what_reaches_the_terminal_is_inert_and_whole(surface: str, tmp_path: Path) -> None:
    (tmp_path / "no[foo]\x1b]2;OWNED\x1b\\ END").touch()
    child = pexpect.spawn(
        sys.executable,
        ["-c", PROGRAM.format(hostile=HOSTILE), surface, str(tmp_path)],
        dimensions=(30, 200),
        env={**os.environ, "TERM": "xterm-256color", "TEXTUAL_ANIMATIONS": "none"},
        timeout=30,
        cwd=Path(__file__).resolve().parents[2],
    )
    try:
        child.expect_exact("␛]2;OWNED".encode())
        seen = child.before + child.after
        child.send("\x11")
        child.expect(pexpect.EOF)
        seen += child.before
    finally:
        child.close(force=True)
    assert b"\x1b]2;OWNED" not in seen
    assert b"\x1b]52;c;T1dORUQ=" not in seen
    assert b"\x1b[2J \xe2" not in seen
    for bad in ("\u202e", "\u200b", "\x9b"):
        assert bad.encode() not in seen
    assert b"\x00" not in seen
    assert b"[/foo]" in seen or b"no[foo]" in seen
    assert "␛]2;OWNED␛\\".encode() in seen
    if surface != "files":
        assert b"[@click=app.quit]x[/]" in seen
        assert "⟨U+202E⟩".encode() in seen
        assert "⟨U+009B⟩31m".encode() in seen
