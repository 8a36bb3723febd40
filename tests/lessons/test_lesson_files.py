"""Lesson files: what is read, what is refused and where, and what the bundled ones must have."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.cells import cell_len

from inspector.errors import InputError, InspectorError
from inspector.lessons import LessonRun, Shown, check_lesson, find_lesson, lessons, listing, read_lesson, restart
from inspector.lessons.model import LANGUAGES, Words, in_language, locale_language
from inspector.lessons.progress import progress_of
from inspector.requests import demos

GOOD = '''store = "anniversary"
minutes = 3

[title]
en = "A title"

[teaches]
en = "One line."

[[step]]
do.en = """
Two lines
of one paragraph.
"""
check.selected = { memory = "lind-birthday" }
shown.en = "This."

[[step]]
id = "asked"
do.en = "Think."
question.en = "Which?"
shown.en = "That."

[[step.question.choice]]
en = "this one"
right = true

[[step.question.choice]]
en = "the other"
because.en = "Not so."
'''


def written(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "mine.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_lesson_is_read(tmp_path: Path) -> None:
    lesson = read_lesson(written(tmp_path, GOOD))
    assert (lesson.key, lesson.store, lesson.minutes, lesson.number) == ("mine", "anniversary", 3, 0)
    one, two = lesson.steps
    assert (one.id, two.id) == ("1", "asked")
    assert one.do["en"] == "Two lines of one paragraph."
    assert [(c.kind, dict(c.given), c.line) for c in one.conditions] == [("selected", {"memory": "lind-birthday"}, 15)]
    assert two.question is not None
    assert [choice.right for choice in two.question.choices] == [True, False]


@pytest.mark.parametrize(
    ("old", "new", "line", "field", "wrong"),
    [
        ('store = "anniversary"', "", None, "store", "missing"),
        ("minutes = 3", "minutes = 0", 2, "minutes", "not a whole number"),
        ("minutes = 3", "minuts = 3", 2, "minuts", "unknown key"),
        ('[title]\nen = "A title"', '[title]\nfr = "Un titre"', 5, "title.fr", "unknown key"),
        ('[title]\nen = "A title"', '[title]\nen = " "', 5, "title.en", "not a text"),
        ("[[step]]\ndo.en", "[[step]]\nid = 4\ndo.en", 11, "step.1.id", "not a text"),
        ('shown.en = "This."', "", 10, "step.1.shown", "missing"),
        ('{ memory = "lind-birthday" }', "{}", 15, "step.1.check.selected", "asks for nothing"),
        ('{ memory = "lind-birthday" }', "[]", 15, "step.1.check.selected", "empty"),
        ('{ memory = "lind-birthday" }', '{ memry = "x" }', 15, "step.1.check.selected.memry", "unknown key"),
        (
            'check.selected = { memory = "lind-birthday" }',
            "check.chosen = {}",
            15,
            "step.1.check.chosen",
            "unknown key",
        ),
        ('check.selected = { memory = "lind-birthday" }', "check = {}", 15, "step.1.check", "asks for nothing"),
        ('check.selected = { memory = "lind-birthday" }', "", 10, "step.1", "nothing checks"),
        ("right = true", 'because.en = "No."', 21, "step.2.question", "every choice is right, or none"),
        ("right = true", 'right = "yes"', 26, "step.2.question.choice.1.right", "not a truth value"),
        ('because.en = "Not so."', "", 28, "step.2.question.choice.2.because", "missing"),
        ('id = "asked"', 'id = "1"', 19, "step.2.id", "given twice"),
        ("minutes = 3", "minutes = ", 2, "", "not TOML"),
    ],
)
def test_a_fault_is_named_with_file_line_and_field(
    tmp_path: Path, old: str, new: str, line: int | None, field: str, wrong: str
) -> None:
    assert old in GOOD
    file = written(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        read_lesson(file)
    problem = caught.value.problem
    assert (problem.file, problem.line, problem.field) == (str(file), line, field)
    assert wrong in problem.wrong


@pytest.mark.parametrize(
    ("check", "field", "wrong"),
    [
        ('check.axis = { query = "q", memory = "m", axis = "scope", is = 2 }', "axis.is", "not a trit"),
        ('check.axis = { query = "q", memory = "m", axis = "colour", is = "?" }', "axis.axis", "not known"),
        ('check.verdict = { query = "q", is = "admit" }', "verdict.memory", "missing"),
        ('check.as_of = { query = "q", before = "soon" }', "as_of.before", ""),
        ("check.edits = { is = true }", "edits.is", "not a whole number"),
        ('check.compared = { routes = "global_dense" }', "compared.routes", "not a list"),
        ('check.field = { memory = "m", query = "q", name = "status", is = "x" }', "field", "of no record, or of two"),
        ('check.field = { memory = "m", name = "status" }', "field", "asks for nothing"),
        ("check.selected = { memory = 4 }", "selected.memory", "not a text"),
    ],
)
def test_a_condition_that_cannot_be_understood_is_refused(tmp_path: Path, check: str, field: str, wrong: str) -> None:
    file = written(tmp_path, GOOD.replace('check.selected = { memory = "lind-birthday" }', check, 1))
    with pytest.raises(InputError) as caught:
        read_lesson(file)
    assert caught.value.problem.line == 15
    assert caught.value.problem.field == f"step.1.check.{field}"
    assert wrong in caught.value.problem.wrong


def test_checking_a_lesson_opens_its_store(tmp_path: Path) -> None:
    assert "2 steps, 1 questions" in check_lesson(written(tmp_path, GOOD))
    for old, new, wrong in (
        ("lind-birthday", "lind-birthdy", "is not in the store"),
        ("lind-birthday", "park-anniversary", None),
        ('"anniversary"', '"nowhere"', "is not found"),
        ('check.selected = { memory = "lind-birthday" }', "check.edits = { is = 0 }", "holds from the start"),
    ):
        file = written(tmp_path, GOOD.replace(old, new, 1))
        if wrong is None:
            check_lesson(file)
            continue
        with pytest.raises(InputError, match=wrong):
            check_lesson(file)


def test_a_store_beside_the_lesson_is_found(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "memories.jsonl").write_text('{"id": "lind-birthday", "text": "x"}\n')
    (tmp_path / "store" / "queries.jsonl").write_text('{"id": "q", "text": "x"}\n')
    (tmp_path / "store" / "bundle.toml").write_text('route = "global_bm25"\n')
    assert "on the store store" in check_lesson(written(tmp_path, GOOD.replace('"anniversary"', '"store"')))


def test_lessons_are_found_by_number_name_and_file(tmp_path: Path) -> None:
    assert find_lesson("1").key == find_lesson("relevant").key == find_lesson("01-relevant").key == "01-relevant"
    file = written(tmp_path, GOOD)
    own = find_lesson(str(file))
    assert own.key.startswith("mine-")
    with pytest.raises(InspectorError, match="no lesson is called '99'"):
        find_lesson("99")


def test_own_lessons_are_listed_and_broken_ones_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    folder = tmp_path / "inspector" / "lessons"
    folder.mkdir(parents=True)
    (folder / "good.toml").write_text(GOOD)
    (folder / "bad.toml").write_text(GOOD.replace("minutes = 3", "minutes = 0"))
    found, broken = lessons()
    assert found[-1].file.name == "good.toml"
    assert [error.problem.line for error in broken] == [2]
    assert listing("en")[-1].startswith(f"not read\t{folder / 'bad.toml'}:2: minutes: ")


def test_progress_is_kept_and_taken_away(tmp_path: Path) -> None:
    lesson = find_lesson(str(written(tmp_path, GOOD)))
    run = LessonRun(lesson)
    assert not run.go(1)  # an open step is not passed over
    run.done.add("1")
    assert run.go(1)
    assert not run.answer(1)
    assert run.answer(0)
    resumed = LessonRun(lesson)
    assert (resumed.at, resumed.done, resumed.answered) == (1, {"1"}, False)
    restart(lesson)
    assert (LessonRun(lesson).at, LessonRun(lesson).done) == (0, set())


def test_a_broken_file_of_progress_costs_the_marks_alone(tmp_path: Path) -> None:
    lesson = find_lesson(str(written(tmp_path, GOOD)))
    run = LessonRun(lesson)
    run.done.add("1")
    assert run.go(1)
    from inspector.places import lessons_dir

    (lessons_dir() / "progress.json").write_text("{")
    assert progress_of(lesson.key).done == ()


def words_of(key: str) -> list[tuple[str, Words]]:
    """Every text of a bundled lesson, with its name."""
    lesson = find_lesson(key)
    found = [("title", lesson.title), ("teaches", lesson.teaches)]
    for step in lesson.steps:
        found += [(f"{step.id}.do", step.do), (f"{step.id}.shown", step.shown)]
        if step.question is not None:
            found.append((f"{step.id}.question", step.question.words))
            for choice in step.question.choices:
                found.append((f"{step.id}.choice", choice.words))
                found += [] if choice.right else [(f"{step.id}.because", choice.because)]
    return found


@pytest.mark.parametrize("key", [lesson.key for lesson in lessons()[0]])
def test_bundled_lessons_are_short_enough_and_in_both_languages(key: str) -> None:
    lesson = find_lesson(key)
    assert lesson.store in {demo.name for demo in demos()}
    for name, words in words_of(key):
        assert set(words) == set(LANGUAGES), name
        for language in LANGUAGES:
            # Four lines of a terminal with 80 columns, a question included: nothing that matters is scrolled away.
            room = 150 if name.endswith("question") else 300
            assert cell_len(words[language]) <= room, (name, language, cell_len(words[language]))
    for step in lesson.steps:
        if step.question is not None:
            both = cell_len(step.do["en"]) + cell_len(step.question.words["en"])
            assert both <= 300, step.id


def test_the_language_is_that_of_the_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    assert locale_language() == "en"
    monkeypatch.setenv("LANG", "ko_KR.UTF-8")
    assert locale_language() == "ko"
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert locale_language() == "en"
    assert in_language({"ko": "한국어"}, "en") == "한국어"


def test_what_the_screen_shows_is_compared_whole() -> None:
    assert Shown(screen="inspect", query="q") != Shown(screen="inspect", query="q2")
