"""Lessons: data files with steps that the learner does in the program itself, each with a check (issue 9).

A lesson is a TOML file (:mod:`reading`), its checks are pure functions of a store under inspection and of what the
screen shows (:mod:`conditions`), and how far a learner has come is kept (:mod:`progress`).
"""

from inspector.lessons.conditions import Shown
from inspector.lessons.library import check_lesson, find_lesson, lessons, listing, request_of, restart, unknown_ids
from inspector.lessons.model import Lesson, Question, Step, Words
from inspector.lessons.reading import read_lesson
from inspector.lessons.run import LessonRun

__all__ = [
    "Lesson",
    "LessonRun",
    "Question",
    "Shown",
    "Step",
    "Words",
    "check_lesson",
    "find_lesson",
    "lessons",
    "listing",
    "read_lesson",
    "request_of",
    "restart",
    "unknown_ids",
]
