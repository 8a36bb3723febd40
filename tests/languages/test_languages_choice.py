"""Which language is spoken: --lang, the settings, the locale; data stays English unless it was asked for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from inspector import i18n, rows
from inspector.errors import FieldError, InspectorError
from inspector.inspection import OpenOptions, demo_folder, open_sources
from inspector.times import parse_time

ROOT = Path(__file__).resolve().parents[2]


def inspector(*args: str, lang: str = "", settings: Path | None = None) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "LC_ALL": lang, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
    if settings is not None:
        env["XDG_CONFIG_HOME"] = str(settings)
    command = [sys.executable, "-m", "inspector", *args]
    return subprocess.run(command, env=env, capture_output=True, text=True, encoding="utf-8", check=False)


def test_the_locale_chooses_the_language_of_help_and_errors() -> None:
    assert "사용법:" in inspector("locate", "--help", lang="ko_KR.UTF-8").stdout
    assert "Usage:" in inspector("locate", "--help", lang="de_DE.UTF-8").stdout
    wrong = inspector("--nonsense", lang="ko_KR.UTF-8")
    assert wrong.returncode == 2
    assert "옵션이 없습니다" in wrong.stderr


def test_lang_goes_before_the_locale_and_the_settings(tmp_path: Path) -> None:
    folder = tmp_path / "inspector"
    folder.mkdir()
    (folder / "settings.toml").write_text('language = "ko"\n', encoding="utf-8")
    assert "사용법:" in inspector("locate", "--help", lang="C", settings=tmp_path).stdout
    assert "Usage:" in inspector("--lang", "en", "locate", "--help", lang="ko_KR.UTF-8", settings=tmp_path).stdout


def test_words_in_data_have_a_language_of_their_own() -> None:
    i18n.set_language("ko", data="en")
    assert i18n._("Help") == "도움말"
    assert i18n._d("Help") == "Help"
    i18n.set_language("ko", data="ko")
    assert i18n._d("Help") == "도움말"


def test_what_is_not_in_the_catalogue_stays_as_it_is() -> None:
    i18n.set_language("ko", data="ko")
    assert i18n._("no such message") == "no such message"
    assert i18n._("") == ""
    assert i18n.ngettext("{n} thing", "{n} things", 1) == "{n} thing"
    i18n.set_language("en", data="en")
    assert i18n.ngettext("{n} thing", "{n} things", 2) == "{n} things"


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(ValueError, match="none of en, ko"):
        i18n.set_language("xx")
    assert i18n.language() == "en"


def rows_of(language: str, data: str) -> tuple[str, str]:
    """Rows and summary of a bundled store, as the command line writes them."""
    i18n.set_language(language, data=data)
    with open_sources((demo_folder("incidents"),), OpenOptions(temporary=True, route="global_bm25")) as inspection:
        inspection.evaluate()
        written = [json.dumps(row, ensure_ascii=False) for row in rows.rows(inspection)]
        return "\n".join(written), json.dumps(rows.summary(inspection), ensure_ascii=False)


def test_data_is_the_same_under_every_locale_and_korean_when_asked_for() -> None:
    english = rows_of("en", "en")
    assert rows_of("ko", "en") == english
    korean = rows_of("ko", "ko")
    assert "의도" in korean[0]
    # Only words differ: ids, values and numbers are data.
    kept = [[json.loads(line)[key] for key in ("memory_id", "admissible", "rank")] for line in korean[0].splitlines()]
    assert kept == [
        [json.loads(line)[key] for key in ("memory_id", "admissible", "rank")] for line in english[0].splitlines()
    ]


def test_an_error_is_said_in_the_language_of_messages() -> None:
    i18n.set_language("ko", data="en")
    with pytest.raises(InspectorError, match="다음 중 하나"):
        demo_folder("no-such-store")
    with pytest.raises(FieldError) as caught:
        parse_time("yesterday", "as_of")
    assert "시각이 아닙니다" in str(caught.value)


def test_what_goes_to_stderr_follows_the_locale_and_data_does_not() -> None:
    store = demo_folder("incidents")
    done = inspector(
        "triage", str(store), "--temporary", "--route", "recorded", "--query", "umbrella", lang="ko_KR.UTF-8"
    )
    assert "임시 작업 공간" in done.stderr
    assert "다음이 없어 정해지지 않음: namespace" in done.stderr
    assert "undecided: 1" in done.stdout
