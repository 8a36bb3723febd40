"""The parts of the shell that need no screen: pace, clipboard, exports, header, files."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from inspector.errors import InspectorError
from inspector.records import Progress
from inspector.text import visible
from inspector.ui.clipboard import OSC52_MOST_BYTES, copy_text, is_remote, write_copy
from inspector.ui.export import table_text
from inspector.ui.pace import Pace, show_seconds, show_size
from inspector.ui.screens.files import PathSuggester, list_folder, split_typed
from inspector.ui.widgets.header import fit_notices

# Pace


def test_rate_and_time_left() -> None:
    now = [0.0]
    pace = Pace(lambda: now[0])
    first = pace.take(Progress("encode", 0, 1_000, "texts"))
    assert (first.rate, first.left, first.share) == (None, None, 0.0)
    now[0] = 2.0
    # 100 in 2 s: 50 a second, 900 left take 18 s.
    standing = pace.take(Progress("encode", 100, 1_000, "texts"))
    assert (standing.rate, standing.left, standing.share) == (50.0, 18.0, 0.1)
    assert standing.words() == "100 of 1,000 texts · 50/s · 18 s left"


def test_the_rate_is_of_the_last_seconds() -> None:
    now = [0.0]
    pace = Pace(lambda: now[0])
    for second in range(40):
        now[0] = float(second)
        # Short texts first: 100 a second for 20 s, then 10 a second.
        done = 100 * second if second <= 20 else 2_000 + 10 * (second - 20)
        standing = pace.take(Progress("encode", done, 3_000, "texts"))
    assert standing.rate == pytest.approx(10.0)


def test_other_work_starts_anew_and_an_unknown_total_has_no_end() -> None:
    now = [0.0]
    pace = Pace(lambda: now[0])
    pace.take(Progress("read", 10, None, "records"))
    now[0] = 1.0
    standing = pace.take(Progress("read", 30, None, "records"))
    assert standing.words() == "30 records · 20/s"
    now[0] = 1.5
    assert pace.take(Progress("encode", 0, 9, "texts")).rate is None


def test_where_nothing_is_counted_the_clock_goes_on() -> None:
    now = [0.0]
    pace = Pace(lambda: now[0])
    assert pace.again() is None
    assert pace.take(Progress("load the model", 0, None, "model")).words() == ""
    now[0] = 7.0
    standing = pace.again()
    assert standing is not None
    assert standing.words() == "7 s so far"


def test_bytes_are_shown_as_sizes() -> None:
    now = [0.0]
    pace = Pace(lambda: now[0])
    pace.take(Progress("read", 0, 18_539_805, "bytes"))
    now[0] = 1.0
    assert (
        pace.take(Progress("read", 3_000_000, 18_539_805, "bytes")).words() == "3.0 MB of 19 MB · 3.0 MB/s · 5 s left"
    )


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "0 s"), (59.4, "59 s"), (59.6, "1 min 00 s"), (200, "3 min 20 s"), (3_900, "1 h 05 min")],
)
def test_seconds_in_words(seconds: float, words: str) -> None:
    assert show_seconds(seconds) == words


# Clipboard


def no_tool(text: str) -> None:
    raise InspectorError("no clipboard tool")


def test_the_system_s_tool_comes_first() -> None:
    tool: list[str] = []
    terminal: list[str] = []
    done = copy_text("abc", terminal.append, tool=tool.append, remote=False)
    assert (tool, terminal, done.how, done.sure) == (["abc"], [], "tool", True)
    assert "3 characters" in done.sentence


def test_without_a_tool_the_terminal_and_the_sentence_says_what_if_not() -> None:
    terminal: list[str] = []
    done = copy_text("a\x1b", terminal.append, tool=no_tool, remote=False, what="row")
    assert (terminal, done.how, done.sure) == (["a\x1b"], "terminal", False)
    assert "OSC 52" in done.sentence
    assert "row" in done.sentence


def test_over_ssh_the_tool_would_fill_the_wrong_clipboard() -> None:
    tool: list[str] = []
    terminal: list[str] = []
    assert copy_text("x", terminal.append, tool=tool.append, remote=True).how == "terminal"
    assert (tool, terminal) == ([], ["x"])
    assert is_remote({"SSH_TTY": "/dev/pts/1"})
    assert not is_remote({})


@pytest.mark.parametrize(("length", "how"), [(OSC52_MOST_BYTES // 4 * 3, "terminal"), (OSC52_MOST_BYTES, "nothing")])
def test_what_a_terminal_would_drop_is_offered_as_a_file(length: int, how: str) -> None:
    terminal: list[str] = []
    done = copy_text("x" * length, terminal.append, tool=no_tool, remote=False)
    assert done.how == how
    assert bool(terminal) == (how == "terminal")
    assert "W" in done.sentence


def test_a_copy_is_written_to_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    done = write_copy("한국어 \ud800")
    assert done.how == "file"
    path = Path(done.sentence.removeprefix("written to "))
    assert path.read_bytes() == "한국어 \ud800".encode("utf-8", "surrogatepass")


# Exports

ROWS = [["m1", 'said "a, b"\nc', "1"], ["m|2", "[x](y) <b> \x1b[31m \u202e", "?"]]


def test_csv_reads_back_as_the_same() -> None:
    text = table_text("csv", ["id", "text", "S"], ROWS)
    assert list(csv.reader(io.StringIO(text, newline=""))) == [["id", "text", "S"], *ROWS]


def test_json_lines_read_back_as_the_same() -> None:
    text = table_text("json", ["id", "text", "S"], ROWS)
    assert [list(json.loads(line).values()) for line in text.splitlines()] == ROWS


def test_markdown_is_inert_and_keeps_its_columns() -> None:
    lines = table_text("md", ["id", "text", "S"], ROWS).split("\n")
    assert lines[1] == "| --- | --- | --- |"
    assert lines[3] == r"| m\|2 | \[x](y) &lt;b> ␛\[31m ⟨U+202E⟩ | ? |"
    assert len(lines) == 5


# Header

NOTICES = ["assumed: status=current", "3 records skipped", "temporary workspace"]


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (80, "⚠ assumed: status=current · 3 records skipped · temporary workspace"),
        (60, "⚠ assumed: status=current · 3 records skipped · +1 more: !"),
        (40, "⚠ assumed: status=current · +2 more: !"),
        (24, "⚠ assumed: s… +2 more: !"),
    ],
)
def test_notices_that_do_not_fit_are_counted(width: int, expected: str) -> None:
    assert fit_notices(NOTICES, width) == expected


@given(st.lists(st.text(max_size=30), min_size=1, max_size=5), st.integers(16, 100))
def test_notices_never_wrap_and_are_inert(notices: list[str], width: int) -> None:
    shown = fit_notices(notices, width)
    assert cell_len(shown) <= width
    assert shown == visible(shown)


# Files


def test_a_folder_s_entries(tmp_path: Path) -> None:
    (tmp_path / "bundle").mkdir()
    (tmp_path / "bundle" / "memories.jsonl").touch()
    (tmp_path / "Zfolder").mkdir()
    (tmp_path / "b.jsonl").write_text("{}", encoding="utf-8")
    (tmp_path / "a.txt").touch()
    (tmp_path / ".hidden").touch()
    kinds = [(entry.name, entry.kind) for entry in list_folder(tmp_path)]
    assert kinds == [
        ("..", "up"),
        ("bundle", "bundle"),
        ("Zfolder", "folder"),
        ("a.txt", "file"),
        ("b.jsonl", "readable"),
    ]
    assert [entry.name for entry in list_folder(tmp_path, "B")] == ["bundle", "b.jsonl"]
    assert [entry.name for entry in list_folder(tmp_path, ".h")] == [".hidden"]


async def test_completion_never_proposes_a_name_that_is_not_inert(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "no\x1b]2;x").touch()
    suggester = PathSuggester(tmp_path)
    assert await suggester.get_suggestion("su") == "sub/"
    assert await suggester.get_suggestion("no") is None
    assert await suggester.get_suggestion("absent/x") is None
    assert await suggester.get_suggestion("x\x00y/z") is None


def test_typed_paths(tmp_path: Path) -> None:
    assert split_typed("a/b/c", tmp_path) == (tmp_path / "a" / "b", "c")
    assert split_typed("c", tmp_path) == (tmp_path, "c")
    assert split_typed("/x/", tmp_path) == (Path("/x"), "")
    assert split_typed("~/y", tmp_path) == (Path(os.path.expanduser("~")), "y")


@pytest.mark.parametrize(("size", "words"), [(None, ""), (12, "12 B"), (3_400, "3.4 kB"), (56_000_000, "56 MB")])
def test_sizes(size: int | None, words: str) -> None:
    assert show_size(size) == words
