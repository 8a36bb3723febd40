"""A lesson while it is done: the step, what has been done, and whether the step's check holds now."""

from __future__ import annotations

from inspector.inspection import Inspection
from inspector.lessons.conditions import Shown, holds
from inspector.lessons.model import Lesson, Step
from inspector.lessons.progress import Progress, keep, progress_of


class LessonRun:
    """Goes through a lesson's steps; every mark is kept at once, so that the lesson can be left anywhere.

    A step that was done stays done, whatever the learner does next.
    """

    def __init__(self, lesson: Lesson) -> None:
        self.lesson = lesson
        kept = progress_of(lesson.key)
        ids = [step.id for step in lesson.steps]
        self.done: set[str] = set(kept.done) & set(ids)
        self.at = ids.index(kept.at) if kept.at in ids else 0
        #: Whether the question of the step in sight was answered rightly.
        self.answered = False

    @property
    def step(self) -> Step:
        """The step in sight."""
        return self.lesson.steps[self.at]

    @property
    def is_done(self) -> bool:
        """Whether the step in sight was done."""
        return self.step.id in self.done

    @property
    def is_finished(self) -> bool:
        """Whether every step was done."""
        return len(self.done) == len(self.lesson.steps)

    def look(self, inspection: Inspection, shown: Shown) -> bool:
        """Look whether the step has been done; True at the moment when it is."""
        step = self.step
        if self.is_done or (step.question is not None and not self.answered):
            return False
        if not all(holds(condition, inspection, shown) for condition in step.conditions):
            return False
        self.done.add(step.id)
        self._keep()
        return True

    def answer(self, number: int) -> bool:
        """Answer the step's question with a choice; whether it is right."""
        question = self.step.question
        self.answered = question is not None and question.choices[number].right
        return self.answered

    def go(self, by: int) -> bool:
        """To another step; False where there is none. The next one is open once this one is done."""
        to = self.at + by
        if not 0 <= to < len(self.lesson.steps) or (by > 0 and not self.is_done):
            return False
        self.at = to
        self.answered = False
        self._keep()
        return True

    def _keep(self) -> None:
        order = [step.id for step in self.lesson.steps if step.id in self.done]
        keep(self.lesson.key, Progress(self.step.id, tuple(order)))
