"""The lessons at hand: the bundled ones, the learner's own, and the store that each is done on."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import os
from pathlib import Path

from inspector.errors import InputError, InspectorError
from inspector.i18n import _
from inspector.inspection import Inspection, open_sources
from inspector.lessons.conditions import Shown, holds, ids_of
from inspector.lessons.model import Lesson, in_language
from inspector.lessons.progress import forget
from inspector.lessons.reading import read_lesson
from inspector.lessons.run import LessonRun
from inspector.places import config_dir, lessons_dir
from inspector.requests import OpenOptions, OpenRequest, demo_folder, demos
from inspector.resources import resource_dir
from inspector.store.places import remove_database
from inspector.text import visible


def bundled_folder() -> Path:
    """Where the bundled lessons are."""
    return resource_dir("fixtures") / "lessons"


def own_folder() -> Path:
    """Where a learner or teacher may put lessons of their own; it need not exist."""
    return config_dir() / "lessons"


def lessons() -> tuple[list[Lesson], list[InputError]]:
    """The bundled lessons by number, then those of the user's own folder by name; with the files that are broken."""
    found: list[Lesson] = []
    broken: list[InputError] = []
    for folder in (bundled_folder(), own_folder()):
        for file in sorted(folder.glob("*.toml")) if folder.is_dir() else ():
            try:
                found.append(named(file))
            except InputError as error:
                broken.append(error)
    return found, broken


def named(file: Path) -> Lesson:
    """Read a lesson. One that is not bundled is known by its path, so that two teachers may both have a 01-start."""
    lesson = read_lesson(file)
    if file.resolve().parent == bundled_folder():
        return lesson
    digest = hashlib.blake2s(os.path.realpath(file).encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return dataclasses.replace(lesson, key=f"{lesson.key}-{digest}", number=0)


def find_lesson(wanted: str) -> Lesson:
    """A lesson by its number, its name or its file. Raises InspectorError where there is none, InputError for a bad
    file."""
    found, _rest1 = lessons()
    for lesson in found:
        if wanted in (str(lesson.number or ""), lesson.key, lesson.key.partition("-")[2]):
            return lesson
    if wanted.endswith(".toml") or os.sep in wanted or Path(wanted).is_file():
        return named(Path(wanted))
    names = ", ".join(str(lesson.number or lesson.key) for lesson in found)
    raise InspectorError(
        _("no lesson is called {wanted!r}: one of {names}, or a .toml file").format(wanted=wanted, names=names)
    )


def store_of(lesson: Lesson) -> Path:
    """The folder or file of a lesson's store. Raises InputError where there is none."""
    if lesson.store in {demo.name for demo in demos()}:
        return demo_folder(lesson.store)
    path = lesson.folder / Path(lesson.store).expanduser()
    if not path.exists():
        known = ", ".join(demo.name for demo in demos())
        raise InputError.at(
            str(lesson.file),
            None,
            "store",
            _("{store!r} is not found").format(store=lesson.store),
            _("a path, or {known}").format(known=known),
        )
    return path


def workspace_of(lesson: Lesson) -> Path:
    """The workspace that a lesson is done in, kept so that it can be resumed with its edits."""
    return lessons_dir() / f"{lesson.key}.duckdb"


def request_of(lesson: Lesson) -> OpenRequest:
    """What to open for a lesson. Raises InputError where its store is not found."""
    options = OpenOptions(workspace=workspace_of(lesson), **lesson.opened)
    return OpenRequest((store_of(lesson),), options, demo=lesson.store)


def restart(lesson: Lesson) -> None:
    """Forget how far the lesson was done, and its edits."""
    forget(lesson.key)
    with contextlib.suppress(OSError):
        remove_database(workspace_of(lesson))


def unknown_ids(lesson: Lesson, inspection: Inspection) -> list[InputError]:
    """The queries and memories that the lesson's checks name and its store lacks."""
    known = {
        "query": {query.id for query in inspection.queries},
        "memory": {memory.id for memory in inspection.memories},
    }
    found = []
    for number, step in enumerate(lesson.steps, 1):
        for condition in step.conditions:
            for kind, id in ids_of(condition):
                if id not in known[kind]:
                    where = f"step.{number}.check.{condition.kind}.{kind}"
                    expected = _("an id of the store {store}").format(store=lesson.store)
                    found.append(
                        InputError.at(
                            str(lesson.file),
                            condition.line,
                            where,
                            _("{id!r} is not in the store").format(id=id),
                            expected,
                        )
                    )
    return found


def check_lesson(file: Path) -> str:
    """Check a lesson file against the store that it names: one line that says that it can be done.

    Raises InputError for what is wrong in the file, an id that the store lacks, and a first step that is done before
    anything was done.
    """
    lesson = named(file)
    request = request_of(lesson)
    with open_sources(request.sources, dataclasses.replace(request.options, workspace=None, temporary=True)) as store:
        for fault in unknown_ids(lesson, store):
            raise fault
        store.evaluate()
        first = lesson.steps[0]
        if first.question is None and all(holds(one, store, Shown()) for one in first.conditions):
            where = first.conditions[0].line
            raise InputError.at(
                str(file), where, "step.1.check", _("holds from the start"), _("something to be done first")
            )
    questions = sum(step.question is not None for step in lesson.steps)
    return _("{file}: {count} steps, {questions} questions, on the store {store}: good").format(
        file=file, count=len(lesson.steps), questions=questions, store=lesson.store
    )


def listing(language: str) -> list[str]:
    """A line for each lesson: number or name, title, how far it was done, its store."""
    found, broken = lessons()
    lines = []
    for lesson in found:
        run = LessonRun(lesson)
        standing = f"{len(run.done)}/{len(lesson.steps)}"
        title = visible(in_language(lesson.title, language))
        lines.append("\t".join((str(lesson.number or lesson.key), title, standing, visible(lesson.store))))
    return [*lines, *(_("not read\t{error}").format(error=error) for error in broken)]
