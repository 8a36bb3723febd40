"""Reading a lesson file: TOML, checked in full, every fault named with file, line and field (issue 9)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inspector.errors import FieldError, InputError
from inspector.i18n import _
from inspector.lessons.conditions import KINDS, check_value
from inspector.lessons.model import LANGUAGES, Choice, Condition, Lesson, Question, Step, Words
from inspector.text import visible

_NUMBER = re.compile(r"(\d+)-")
_TOP = ("store", "minutes", "title", "teaches", "open", "step")
_STEP = ("id", "do", "shown", "check", "question")
#: What a lesson may say of how its store is opened, with the kind of the value.
_OPEN: Mapping[str, type] = {"route": str, "k": int, "tau": float, "gate": str, "pool": str}


class _Places:
    """Lines of a TOML file by the path of a key, as far as the file is laid out with a table a header.

    ``tomllib`` tells no lines. Headers and keys are found by reading the lines; what stands in a text of several lines
    is passed over.
    """

    def __init__(self, text: str) -> None:
        self._lines: dict[str, int] = {}
        counts: dict[str, int] = {}
        table, inside = "", ""
        for number, line in enumerate(text.splitlines(), 1):
            if inside:
                inside = "" if line.count(inside) % 2 else inside
                continue
            bare = line.strip()
            if header := re.match(r"(\[\[?)\s*([\w.\"-]+)\s*\]", bare):
                table = self._numbered(header[2].replace('"', ""), header[1] == "[[", counts)
                self._lines.setdefault(table, number)
            elif key := re.match(r"([\w.\"-]+)\s*=", bare):
                whole = key[1].replace('"', "")
                parts = whole.split(".")
                for count in range(1, len(parts) + 1):
                    self._lines.setdefault(".".join(filter(None, [table, *parts[:count]])), number)
            inside = next((mark for mark in ('"""', "'''") if bare.count(mark) % 2), "")

    @staticmethod
    def _numbered(name: str, again: bool, counts: dict[str, int]) -> str:
        """``step.question.choice`` as ``step.2.question.choice.1``: the table that it belongs to is the last."""
        made = ""
        parts = name.split(".")
        for at, part in enumerate(parts):
            made = f"{made}.{part}" if made else part
            if again and at == len(parts) - 1:
                counts[made] = counts.get(made, 0) + 1
            if made in counts:
                made = f"{made}.{counts[made]}"
        return made

    def line(self, path: str) -> int | None:
        """The line of a key, else of what it stands in."""
        while path:
            if path in self._lines:
                return self._lines[path]
            path = path.rpartition(".")[0]
        return None


class _Reader:
    def __init__(self, file: Path, text: str) -> None:
        self.file = file
        self.places = _Places(text)

    def fail(self, path: str, wrong: str, expected: str) -> InputError:
        return InputError.at(str(self.file), self.places.line(path), path, visible(wrong), visible(expected))

    def table(self, data: Any, path: str, known: Sequence[str]) -> Mapping[str, Any]:
        if not isinstance(data, dict):
            raise self.fail(
                path,
                _("{data!r} is not a table").format(data=data),
                _("a table with {known}").format(known=", ".join(known)),
            )
        for name in data:
            if name not in known:
                raise self.fail(
                    f"{path}.{name}".strip("."), _("unknown key"), _("one of {known}").format(known=", ".join(known))
                )
        return data

    def words(self, data: Mapping[str, Any], name: str, path: str) -> Words:
        """A text in the languages that it is given in; a text alone is English."""
        where = f"{path}.{name}".strip(".")
        if name not in data:
            raise self.fail(
                where, _("is missing"), _("a text in {LANGUAGES}").format(LANGUAGES=_(" or ").join(LANGUAGES))
            )
        value = data[name]
        return self.in_languages({LANGUAGES[0]: value} if isinstance(value, str) else value, where)

    def in_languages(self, value: Any, where: str, others: Sequence[str] = ()) -> Words:
        made: dict[str, str] = {}
        for language, text in self.table(value, where, (*LANGUAGES, *others)).items():
            if language in others:
                continue
            if not isinstance(text, str) or not text.strip():
                raise self.fail(
                    f"{where}.{language}", _("{text!r} is not a text").format(text=text), _("words for the learner")
                )
            # Lines of a paragraph are joined: a file is wrapped for its reader, the screen wraps anew.
            made[language] = "\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip()))
        if not made:
            raise self.fail(
                where, _("has no text"), _("a text in {LANGUAGES}").format(LANGUAGES=_(" or ").join(LANGUAGES))
            )
        return made

    def number(self, data: Mapping[str, Any], name: str, default: int) -> int:
        value = data.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise self.fail(name, _("{value!r} is not a whole number").format(value=value), _("a number of at least 1"))
        return value

    def opened(self, data: Any) -> Mapping[str, Any]:
        made = dict(self.table(data, "open", tuple(_OPEN)))
        for name, value in made.items():
            kind = _OPEN[name]
            good = isinstance(value, (int, float) if kind is float else kind) and not isinstance(value, bool)
            if not good:
                raise self.fail(
                    f"open.{name}",
                    _("{value!r} is not understood").format(value=value),
                    _("a value as --{name} takes it").format(name=name),
                )
        return made

    def lesson(self, data: Mapping[str, Any]) -> Lesson:
        self.table(data, "", _TOP)
        store = data.get("store")
        if not isinstance(store, str) or not store:
            raise self.fail("store", _("is missing"), _("a bundled store's name, or a path beside this file"))
        steps = data.get("step")
        if not isinstance(steps, list) or not steps:
            raise self.fail("step", _("is missing"), _("at least one [[step]]"))
        made = tuple(self.step(one, number) for number, one in enumerate(steps, 1))
        for number, step in enumerate(made, 1):
            if any(step.id == other.id for other in made[: number - 1]):
                raise self.fail(
                    f"step.{number}.id",
                    _("{id!r} is given twice").format(id=step.id),
                    _("an id that no other step has"),
                )
        named = _NUMBER.match(self.file.name)
        return Lesson(
            key=self.file.stem,
            file=self.file,
            number=int(named[1]) if named else 0,
            title=self.words(data, "title", ""),
            teaches=self.words(data, "teaches", ""),
            minutes=self.number(data, "minutes", 5),
            store=store,
            folder=self.file.parent,
            opened=self.opened(data.get("open", {})),
            steps=made,
        )

    def step(self, data: Any, number: int) -> Step:
        path = f"step.{number}"
        self.table(data, path, _STEP)
        id = data.get("id", str(number))
        if not isinstance(id, str) or not id:
            raise self.fail(f"{path}.id", _("{id!r} is not a text").format(id=id), _("a short name of the step"))
        if "check" not in data and "question" not in data:
            raise self.fail(path, _("nothing checks this step"), _("a check, or a question"))
        if data.get("check") == {}:
            raise self.fail(f"{path}.check", _("asks for nothing"), _("one of {KINDS}").format(KINDS=", ".join(KINDS)))
        question = self.question(data["question"], f"{path}.question") if "question" in data else None
        return Step(
            id=id,
            do=self.words(data, "do", path),
            shown=self.words(data, "shown", path),
            conditions=self.conditions(data.get("check", {}), f"{path}.check"),
            question=question,
            line=self.places.line(path),
        )

    def conditions(self, data: Any, path: str) -> tuple[Condition, ...]:
        made = []
        for kind, given in self.table(data, path, tuple(KINDS)).items():
            where = f"{path}.{kind}"
            several = given if isinstance(given, list) else [given]
            if not several:
                raise self.fail(where, _("is empty"), _("a table, or a list of tables"))
            made += [self.condition(kind, one, where) for one in several]
        return tuple(made)

    def condition(self, kind: str, given: Any, path: str) -> Condition:
        spec = KINDS[kind]
        table = self.table(given, path, tuple(spec.params))
        made: dict[str, Any] = {}
        for name, param in spec.params.items():
            if name not in table:
                if param.required:
                    raise self.fail(f"{path}.{name}", _("is missing"), param.help)
                continue
            try:
                made[name] = check_value(name, param, table[name])
            except FieldError as error:
                raise self.fail(f"{path}.{name}", error.wrong, error.expected) from None
        if spec.one_of and not any(name in made for name in spec.one_of):
            raise self.fail(path, _("asks for nothing"), _("one of {one_of}").format(one_of=", ".join(spec.one_of)))
        if kind == "field" and ("memory" in made) == ("query" in made):
            raise self.fail(path, _("is of no record, or of two"), _("either memory or query"))
        return Condition(kind, made, self.places.line(path))

    def question(self, data: Any, path: str) -> Question:
        self.table(data, path, (*LANGUAGES, "choice"))
        listed = data.get("choice")
        if not isinstance(listed, list) or len(listed) < 2:
            raise self.fail(path, _("has fewer than two choices"), _("two or more [[step.question.choice]]"))
        choices = tuple(self.choice(one, f"{path}.choice.{number}") for number, one in enumerate(listed, 1))
        if all(one.right for one in choices) or not any(one.right for one in choices):
            raise self.fail(path, _("every choice is right, or none"), _("right = true at some of the choices"))
        return Question(self.in_languages(data, path, ("choice",)), choices)

    def choice(self, data: Any, path: str) -> Choice:
        self.table(data, path, (*LANGUAGES, "right", "because"))
        right = data.get("right", False)
        if not isinstance(right, bool):
            raise self.fail(
                f"{path}.right", _("{right!r} is not a truth value").format(right=right), _("true or false")
            )
        because = self.words(data, "because", path) if "because" in data else {}
        if not right and not because:
            raise self.fail(f"{path}.because", _("is missing"), _("why this choice is wrong, for who chose it"))
        return Choice(self.in_languages(data, path, ("right", "because")), right, because)


def read_lesson(file: Path) -> Lesson:
    """Read and check a lesson file. Raises InputError with file, line and field."""
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError.at(
            str(file),
            None,
            "",
            _("cannot be read: {strerror}").format(strerror=error.strerror or error),
            _("a TOML file"),
        ) from None
    except UnicodeDecodeError:
        raise InputError.at(str(file), None, "", _("is not UTF-8"), _("a TOML file in UTF-8")) from None
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"at line (\d+)", str(error))
        line = int(found[1]) if found else None
        raise InputError.at(
            str(file),
            line,
            "",
            _("is not TOML: {error}").format(error=error),
            _("a lesson as fixtures/lessons has them"),
        ) from None
    return _Reader(file, text).lesson(data)
