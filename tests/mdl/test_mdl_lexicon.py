"""Lexicon files: shipped ones load, users' files add or replace, and a bad one is named with file and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.errors import InputError
from inspector.mdl.conflict import ConflictDetector, Judged
from inspector.mdl.lexicon import default_lexicons, load_lexicons, shipped
from inspector.mdl.morphology import decompose
from inspector.mdl.params import Params
from inspector.mdl.risk import RiskAssessor


def write(folder: Path, text: str, name: str = "mine.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_english_and_korean_ship() -> None:
    assert [path.name for path in shipped()] == ["en.toml", "ko.toml"]
    assert set(default_lexicons().by_language) == {"en", "ko"}


@pytest.mark.parametrize(
    ("language", "forms"),
    [
        ("en", ["drink", "drinks", "drinking", "drank", "drunk"]),
        ("en", ["stop", "stops", "stopped", "stopping"]),
        ("en", ["allergy", "allergies", "allergic"]),
        ("en", ["smoke", "smokes", "smoked", "smoking"]),
        ("ko", ["마신다", "마셔요", "마십니다", "마셨다", "마시지", "마시는"]),
        ("ko", ["좋아해요", "좋아한다", "좋아합니다", "좋아했다"]),
        ("ko", ["커피", "커피를", "커피가", "커피는", "커피에서"]),
        ("ko", ["채식주의자", "채식주의자가", "채식주의자입니다", "채식주의자이다", "채식주의자예요"]),
        ("ko", ["승인되었습니다", "승인했다", "승인"]),
    ],
)
def test_the_forms_of_a_word_have_one_stem(language: str, forms: list[str]) -> None:
    morphology = default_lexicons().by_language[language].morphology
    assert len({morphology.stem(form) for form in forms}) == 1


def test_a_lone_korean_letter_joins_a_syllable() -> None:
    assert decompose("마신다").endswith(decompose("ㄴ다"))
    assert not decompose("마시다").endswith(decompose("ㄴ다"))


def test_a_file_adds_to_its_language(tmp_path: Path) -> None:
    mine = write(
        tmp_path,
        'language = "en"\n[antonyms]\npairs = [["sedan", "truck"]]\n[risk]\nhigh = ["pump"]\n'
        '[risk.categories]\nplant = "high"\n[[polarity]]\nname = "liking"\nyes = ["dig"]\nno = []\n',
    )
    lexicons = load_lexicons([mine])
    detector = ConflictDetector(lexicons)
    assert detector.judge("The car is a sedan.", "The car is a truck.").value is Judged.CONFLICT
    assert detector.judge("The user digs opera.", "The user hates opera.").value is Judged.CONFLICT
    assert detector.judge("The door is open.", "The door is closed.").value is Judged.CONFLICT
    risks = RiskAssessor(lexicons)
    assert risks.assess(None, "restart the pump", Params()).A == 0.85
    by_category = risks.assess("Plant", "x", Params())
    assert (by_category.A, by_category.source) == (0.85, str(mine))
    assert lexicons.digest != default_lexicons().digest


def test_a_file_replaces_its_language(tmp_path: Path) -> None:
    mine = write(
        tmp_path,
        'language = "en"\nmode = "replace"\n[detect]\nscripts = ["latin"]\n[negation]\nnext = ["=not"]\n'
        '[words]\nstop = ["is", "the"]\n',
    )
    detector = ConflictDetector(load_lexicons([mine]))
    assert detector.judge("the door is red", "the door is not red").value is Judged.CONFLICT
    assert detector.judge("the door is open", "the door is closed").value is Judged.NO_CONFLICT


def test_a_file_brings_a_language(tmp_path: Path) -> None:
    mine = write(
        tmp_path,
        'language = "ru"\nname = "Русский"\n[detect]\nscripts = ["cyrillic"]\n[negation]\nnext = ["=не"]\n',
    )
    detector = ConflictDetector(load_lexicons([mine]))
    assert detector.judge("Анна пьёт кофе.", "Анна не пьёт кофе.").value is Judged.CONFLICT
    assert detector.judge("Анна пьёт кофе.", "Anna drinks coffee.").value is Judged.NOT_JUDGED


@pytest.mark.parametrize(
    ("text", "line", "field", "wrong"),
    [
        ('language = "en"\n[negation\n', 2, "", "Expected"),
        ("[negation]\nnext = []\n", None, "language", "missing"),
        ('language = "en"\n[negaton]\nnext = []\n', None, "negaton", "not known"),
        ('language = "en"\n[negation]\nnxt = []\n', None, "negation.nxt", "not known"),
        ('language = "en"\n[negation]\nnext = "not"\n', None, "negation.next", "does not fit"),
        ('language = "en"\n[negation]\nnext = ["not", ""]\n', None, "negation.next", "does not fit"),
        ('language = "en"\n[antonyms]\npairs = [["a"]]\n', None, "antonyms.pairs", "does not fit"),
        ('language = "en"\n[antonyms]\npairs = [["Up", "up"]]\n', None, "antonyms.pairs", "does not fit"),
        ('language = "en"\n[[polarity]]\nname = "x"\nyes = []\n', None, "polarity[0].no", "missing"),
        ('language = "en"\npolarity = 3\n', None, "polarity", "no list"),
        ('language = "en"\n[risk.categories]\na = "top"\n', None, "risk.categories", "does not fit"),
        ('language = "en"\n[detect]\nscripts = ["klingon"]\n', None, "detect.scripts", "does not fit"),
        ('language = "en"\n[detect]\nscript_share = 2\n', None, "detect.script_share", "does not fit"),
        ('language = "en"\n[morphology]\npasses = true\n', None, "morphology.passes", "does not fit"),
        ('language = "en"\n[morphology.suffixes]\ntwo = ["s"]\n', None, "morphology.suffixes", "does not fit"),
        ('language = "en"\nmode = "merge"\n', None, "mode", "does not fit"),
        ('language = "en"\nschema = 9\n', None, "schema", "not known"),
        ('language = "tlh"\n[negation]\nnext = ["x"]\n', None, "detect.scripts", "no file says"),
    ],
)
def test_a_bad_file_is_named_with_its_key(tmp_path: Path, text: str, line: int | None, field: str, wrong: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(InputError) as caught:
        load_lexicons([path])
    problem = caught.value.problem
    assert (problem.file, problem.line, problem.field) == (str(path), line, field)
    assert wrong in problem.wrong
    assert problem.expected


def test_a_misspelt_key_gets_a_suggestion(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"negation\?"):
        load_lexicons([write(tmp_path, 'language = "en"\n[negaton]\n')])


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.toml"):
        load_lexicons([tmp_path / "none.toml"])
    bad = tmp_path / "bad.toml"
    bad.write_bytes(b'language = "en"\n\xff\n')
    with pytest.raises(InputError) as caught:
        load_lexicons([bad])
    assert caught.value.problem.line == 2
