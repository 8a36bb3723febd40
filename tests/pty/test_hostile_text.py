"""Text from a store is inert and whole on a real terminal, in every place that shows it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.tools.terminal import Terminal

pytestmark = pytest.mark.pty

TITLE, CLIPBOARD = "\x1b]2;OWNED\x1b\\", "\x1b]52;c;T1dORUQ=\x07"
EVIL = (
    f"{TITLE}{CLIPBOARD}\x1b[2J\x1b[31mred\x1b[5;5H\x9b2J \x07\x08\x00NUL [/foo] [red]x[/red] [TODO] list[int] "
    "[@click=app.quit]click me[/] \u202eevil\u2066\u200b\u200f\ufeff\u2028\x85 tail\\"
)
#: What Textual itself sends: colours and cursor (CSI), modes, and nothing that carries text.
CSI = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]")
HARMLESS = re.compile(rb"\x1b(?:\]22;[a-z-]*\x07|[78=>cM]|\([B0]|P\+q[0-9a-fA-F;]*\x1b\\|_G[^\x1b]*\x1b\\)")
FINALS = set(b"mHJKABCDEFGhlntqucpXrsSTsdPLM@")


def check_bytes(raw: bytes) -> None:
    """Every escape is one of the program's own, and no control, bidirectional or zero-width character came through."""
    for match in CSI.finditer(raw):
        assert match[0][-1] in FINALS, match[0]
    rest = HARMLESS.sub(b"", CSI.sub(b"", raw))
    assert b"\x1b" not in rest, rest[max(0, rest.find(b"\x1b") - 40) : rest.find(b"\x1b") + 40]
    assert not set(rest) & (set(range(0x20)) - set(b"\r\n\t")), sorted(set(rest) & set(range(0x20)))
    assert b"\x7f" not in rest
    decoded = rest.decode("utf-8", "replace")
    assert not set(decoded) & set("\u202e\u2066\u200b\u200f\ufeff\u2028\x85\x9b")
    # Erasing the whole screen is what Textual does at start and end, never in between with our colour after it.
    assert b"\x1b[2J\x1b[31m" not in raw


@pytest.fixture
def store(tmp_path: Path) -> Path:
    folder = tmp_path / "store"
    folder.mkdir()
    whole = {
        "id": f"m1{EVIL}",
        "text": f"start {EVIL} end",
        "namespace": f"ann{EVIL}",
        "status": f"strange{EVIL}",
        "session_id": EVIL,
        "semantic_tag": EVIL,
        "allowed_purposes": [EVIL],
        "governs": EVIL,
        "loss": [EVIL],
        f"key{EVIL}": {EVIL: [EVIL]},
    }
    long = {"id": "m2", "text": "begin " + "x" * 1_000_000 + " finish", "namespace": "ann"}
    lines = {"id": "m3", "text": "\n".join(f"line {i} of the note" for i in range(1, 201)), "namespace": "ann"}
    query = {
        "id": f"q1{EVIL}",
        "text": f"ask {EVIL}",
        "principal": {"id": EVIL, "namespaces": [f"ann{EVIL}"]},
        "purpose": EVIL,
        "session_id": EVIL,
        "claimed_session_id": f"{EVIL}2",
        "semantic_tag": EVIL,
        "as_of": "2026-01-01T00:00:00Z",
    }
    for name, records in (("memories", [whole, long, lines]), ("queries", [query])):
        text = "".join(json.dumps(record) + "\n" for record in records)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    (folder / "bundle.toml").write_text('exported_at = "2026-01-01T00:00:00Z"\nroute = "global_bm25"\n', "utf-8")
    return folder


@pytest.mark.parametrize("size", [(80, 24), (160, 50)])
def test_nothing_of_a_memory_reaches_the_terminal_raw(store: Path, tmp_path: Path, size: tuple[int, int]) -> None:
    with Terminal(["open", str(store)], tmp_path, size) as terminal:
        terminal.wait_for("Candidates")
        terminal.settle()
        # Every pane, tab and dialog that shows a record: detail tabs, record, full text, why not, editor, list of
        # edits, jump, help, notices, export, bundle line.
        terminal.press("C", "}", "}", "}", "}", "{", "{")
        terminal.press("t", "end", "escape")
        terminal.press("w", "x", "escape", "escape")
        terminal.press("C", "e", "escape", "escape", "escape")
        terminal.press("C", "right", "right", "right", "right", "1", "E", "escape", "u")
        terminal.press(";", "escape", "?", "escape", "!", "escape", "x", "escape", "b", "enter", "escape", "escape")
        terminal.press("ctrl+p", "escape", "Q")
        text = terminal.text()
        raw = bytes(terminal.raw)
        assert "[/foo]" in text or "q1␛]2;OWNED" in text
        terminal.press("q")
        assert terminal.ended() == 0
    check_bytes(raw)
    assert "␛]2;OWNED".encode() in CSI.sub(b"", raw)


def test_a_long_text_is_shown_to_its_end(store: Path, tmp_path: Path) -> None:
    with Terminal(["open", str(store)], tmp_path) as terminal:
        terminal.wait_for("Candidates")
        terminal.settle()
        terminal.press("C")
        for row in range(3):
            terminal.press("t")
            terminal.wait_for(["start", "line 1 ", "begin"][row])
            terminal.press("end")
            terminal.wait_for(["tail\\ end", "line 200 of", "finish"][row])
            terminal.press("escape", "down")
        check_bytes(bytes(terminal.raw))


def test_markup_in_a_memory_is_no_button(store: Path, tmp_path: Path) -> None:
    """Clicking all over the text of ``[@click=app.quit]`` does not quit."""
    with Terminal(["open", str(store)], tmp_path, (160, 50)) as terminal:
        terminal.wait_for("Candidates")
        terminal.press("C", "t")
        terminal.wait_for("click me")
        for y, line in enumerate(terminal.screen.display, 1):
            for x in range(1, len(line), 7):
                if "click" in line:
                    terminal.child.send(f"\x1b[<0;{x};{y}M\x1b[<0;{x};{y}m")
        terminal.settle()
        assert terminal.child.isalive()
        terminal.wait_for("click me")
