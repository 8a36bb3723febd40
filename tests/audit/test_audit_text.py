"""Tokens with places, whole-token targets, shared runs. Places are counted by hand in the texts as written."""

from __future__ import annotations

import pytest

from inspector.audit.runs import Runs
from inspector.audit.targets import find_whole
from inspector.audit.tokens import run_tokens, run_words
from inspector.text import words


def found(text: str, target: str) -> list[str]:
    """What stands in the original text at each place of the target."""
    return [text[start:end] for start, end in find_whole(text, target)]


@pytest.mark.parametrize(
    ("text", "tokens", "shown"),
    [
        ("Room 12.", ["room", "12"], ["Room", "12"]),
        ("Room １２０３!", ["room", "1203"], ["Room", "１２０３"]),
        ("Straße", ["strasse"], ["Straße"]),
        ("cafe\u0301 x", ["café", "x"], ["cafe\u0301", "x"]),
        ("방은 1203호", ["방은", "1203호"], ["방은", "1203호"]),
        ("\u1112\u1161\u11ab글", ["한글"], ["\u1112\u1161\u11ab글"]),
        ("ﬁle", ["file"], ["ﬁle"]),
        ("pass\u00adword", ["password"], ["pass\u00adword"]),
        ("رقم ٤٧١١", ["رقم", "4711"], ["رقم", "٤٧١١"]),
        ("東京A", ["東", "京", "a"], ["東", "京", "A"]),
        ("", [], []),
        ("— …", [], []),
    ],
)
def test_tokens_know_their_place_in_the_original(text: str, tokens: list[str], shown: list[str]) -> None:
    cut = run_tokens(text)
    assert [token.text for token in cut] == tokens
    assert [text[token.start : token.end] for token in cut] == shown
    assert run_words(text) == tokens


def test_tokens_are_the_design_s_words_where_scripts_have_spaces() -> None:
    text = "Ms. Lind's door-code: ４７１１, für Straße und 방은 1203호에서"
    assert run_words(text) == words(text)


@pytest.mark.parametrize(
    ("text", "target", "expected"),
    [
        ("The code is 4711.", "4711", ["4711"]),
        ("The CODE is X", "code", ["CODE"]),
        ("a Cedar-Bridge,\n Recovery  HOUSE!", "Cedar Bridge Recovery House", ["Cedar-Bridge,\n Recovery  HOUSE"]),
        ("code ４７１１", "4711", ["４７１１"]),
        ("code 4711", "４７１１", ["4711"]),
        ("code 47112", "4711", []),
        ("code 14711", "4711", []),
        ("it is 1,200 now", "200", []),
        ("it is 1,200 now", "1,200", ["1,200"]),
        ("it is 1200 now", "1,200", ["1200"]),
        ("it is 1,200 now", "1200", ["1,200"]),
        ("it is 1,200,300 now", "200", []),
        ("it is 20.5 mg", "20", []),
        ("it is 20.5 mg", "5 mg", []),
        ("it is 20.5 mg", "20.5 mg", ["20.5 mg"]),
        ("at 8:10 AM", "10 AM", []),
        ("at 8:10 AM", "8:10 AM", ["8:10 AM"]),
        ("It was 20. 5 came", "20", ["20"]),
        ("rooms 12, 14", "12", ["12"]),
        ("rooms 12,14", "14", ["14"]),
        ("yes: 4711; and 4711", "4711", ["4711", "4711"]),
        ("Recov-\nery House", "Recovery House", ["Recov-\nery House"]),
        ("Cedar-\nBridge", "Cedar Bridge", ["Cedar-\nBridge"]),
        ("nothing", "!!", []),
        ("", "a", []),
    ],
)
def test_targets_as_whole_tokens(text: str, target: str, expected: list[str]) -> None:
    assert found(text, target) == expected


@pytest.mark.parametrize(
    ("text", "target", "expected"),
    [
        ("박서연 님은 1203호에 묵습니다", "1203호", ["1203호"]),
        ("비밀번호는 4711입니다", "4711", ["4711"]),
        ("VPN을 끄세요", "vpn", ["VPN"]),
        ("김민수는 왔다", "김민수", ["김민수"]),
        ("김민수님께서 오셨다", "김민수", ["김민수"]),
        ("김민수열 씨", "김민수", []),
        ("박김민수는", "김민수", []),
        ("서울역에서\n만나요", "서울역", ["서울역"]),
        ("경희대학교에서", "경희대", []),
        ("그의 秘密は鍵です", "秘密", ["秘密"]),
        ("パスワードは4711です", "パスワード", ["パスワード"]),
        ("パスワードは4711です", "パス", []),
        ("パスワードは4711です", "4711", ["4711"]),
    ],
)
def test_particles_do_not_hide_a_name_and_syllables_do_not_make_one(
    text: str, target: str, expected: list[str]
) -> None:
    assert found(text, target) == expected


def shared(first: str, second: str) -> list[str]:
    mine, other = run_tokens(first), run_tokens(second)
    runs = Runs([token.text for token in mine]).shared([token.text for token in other])
    for run in runs:
        said = [token.text for token in other[run.second : run.second + run.length]]
        assert said == [token.text for token in mine[run.first : run.first + run.length]]
    return [" ".join(token.text for token in other[run.second : run.second + run.length]) for run in runs]


def test_runs_of_five_words_and_not_of_four() -> None:
    assert shared("x one two three four y", "one two three four") == []
    assert shared("x one two three four five y", "a one two three four five") == ["one two three four five"]


def test_every_maximal_run_is_found() -> None:
    answer = "a b c d e f. Also p q r s t u."
    memory = "p q r s t u and a b c d e z"
    assert shared(answer, memory) == ["p q r s t u", "a b c d e"]


def test_runs_in_korean_and_in_scripts_without_spaces() -> None:
    korean = "박 부부는 5월 9일에 호텔에서 결혼 10주년을 기념한다"
    # Six tokens: 5월, 9일에, 호텔에서, 결혼, 10주년을 make five; 부부는 and 부부가 differ.
    assert shared("박 부부가 5월 9일에 호텔에서 결혼 10주년을 기념합니다", korean) == [
        "5월 9일에 호텔에서 결혼 10주년을"
    ]
    # Ten characters count as five words; nine do not.
    assert shared("私は毎朝七時に庭で水を飲む", "毎朝七時に庭で水を飲") == ["毎 朝 七 時 に 庭 で 水 を 飲"]
    assert shared("毎朝七時に庭で水", "毎朝七時に庭で水") == []


def test_repetition_is_no_trap() -> None:
    text = "a " * 20_000
    runs = Runs(run_words(text))
    assert [run.length for run in runs.shared(run_words(text))] == [20_000]
