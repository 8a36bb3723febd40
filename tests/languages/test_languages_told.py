"""Sentences that are data are made in English and read in the reader's language; help keeps to the terminal's width."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from inspector import i18n
from inspector.cli import cli
from inspector.formats.collect import CAPPED_SIZE
from inspector.i18n import D_, told
from inspector.inspection import OpenOptions, demo_folder, open_sources
from inspector.records import AXES
from inspector.store import causes
from inspector.text import cells, padded
from inspector.triage import Triage

RECORDS = '{"id": "m1", "text": "Ana lives in Porto.", "namespace": "ana"}\n{"id": "m2"}\n'


def test_a_sentence_of_data_is_told_in_the_language_of_data() -> None:
    note = CAPPED_SIZE.format(name="memories.jsonl", count="1,000")
    assert told(note) == note
    i18n.set_language("ko", data="en")
    assert told(note) == note
    i18n.set_language("ko", data="ko")
    assert told(note) == "잘린 듯함: memories.jsonl의 메모리가 흔한 페이지 크기인 정확히 1,000개임"
    assert told("what somebody else wrote") == "what somebody else wrote"


def test_the_longest_words_decide_which_sentence_it_is() -> None:
    i18n.set_language("ko", data="ko")
    assert told(causes.MOVED_AWAY) == "작업 경계가 떠남"
    assert told(causes.LEFT.format(tag="여행 {x}")) == "작업 경계가 떠남: 세션이 태그 '여행 {x}'에서 나감"


def test_a_place_with_a_format_is_refused() -> None:
    with pytest.raises(ValueError, match="a name alone"):
        D_("{count:,} of them")


def test_what_was_skipped_is_told_in_the_language_of_whoever_opens_it(tmp_path: Path) -> None:
    source = tmp_path / "store.jsonl"
    source.write_text(RECORDS, encoding="utf-8")
    options = OpenOptions(workspace=tmp_path / "w.duckdb", lenient=True)

    def wrong() -> str:
        with open_sources((source,), options) as inspection:
            return inspection.skipped[0].wrong

    assert wrong() == "is missing"
    i18n.set_language("ko", data="ko")
    assert wrong() == "없습니다"
    i18n.set_language("en", data="en")
    assert wrong() == "is missing"


def test_notes_are_kept_in_english_whoever_imports(tmp_path: Path) -> None:
    source = tmp_path / "store.jsonl"
    source.write_text("".join(f'{{"id": "m{n}", "text": "fact {n}"}}\n' for n in range(100)), encoding="utf-8")
    options = OpenOptions(workspace=tmp_path / "w.duckdb")
    i18n.set_language("ko", data="ko")
    with open_sources((source,), options) as inspection:
        assert inspection.notes == [CAPPED_SIZE.format(name=str(source), count="100")]
        assert any("흔한 페이지 크기" in line for line in inspection.header())


@pytest.mark.parametrize("command", sorted(cli.commands))
def test_korean_help_keeps_to_eighty_cells_and_breaks_at_blanks(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    out = CliRunner().invoke(cli, ["--lang", "ko", command, "--help"]).output
    assert "사용법:" in out
    assert [line for line in out.splitlines() if cells(line) > 80] == []
    assert "\u115f" not in out


def test_wide_characters_take_two_cells() -> None:
    assert [cells(text) for text in ("a", "가", "e\u0301", "→")] == [1, 2, 1, 1]
    assert (padded("가", 4), padded("가", 4, right=True)) == ("가  ", "  가")


def test_what_is_read_and_decided_is_the_same_in_every_language() -> None:
    """No branch hangs on the words of a reason: fields read, rules, states and causes' groups are the same."""

    def found(language: str) -> object:
        i18n.set_language(language, data=language)
        options = OpenOptions(temporary=True, route="global_bm25")
        with open_sources((demo_folder("incidents"),), options) as inspection:
            inspection.evaluate()
            rows = []
            for qi in range(len(inspection.queries)):
                for mi in range(len(inspection.memories)):
                    explained = inspection.explain(qi, mi)
                    axes = [getattr(explained, axis) for axis in (*AXES, "relevance")]
                    rows.append([(one.value, one.rule, one.missing, [read.name for read in one.reads]) for one in axes])
            groups = Triage(inspection, inspection.auditor).queue.groups()
            return rows, [[one.query_id for one in group.incidents] for group in groups]

    assert found("ko") == found("en")
