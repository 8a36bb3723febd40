"""What went wrong with the user's input, said so that it can be mended (DESIGN 12).

Every expected failure is an :class:`InspectorError`; the command line prints it as one line and exits with 2, the
terminal UI shows it in a dialog. Anything else that escapes is a fault of ours and keeps its traceback.
"""

from __future__ import annotations

from dataclasses import dataclass

from inspector.i18n import N_, _


class InspectorError(Exception):
    """An expected failure whose text is meant for the user."""


@dataclass(frozen=True)
class Problem:
    """One fault in the user's input: where it is, what is wrong, what was expected.

    ``line`` counts from 1 and is None where a file has no lines (Parquet, a folder). ``field`` is the dotted path of
    the field inside the record, or "" where the whole record or file is meant.
    """

    file: str
    line: int | None
    field: str
    wrong: str
    expected: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        parts = [place, self.field, self.wrong, self.expected]
        return ": ".join(part for part in parts if part)


class InputError(InspectorError):
    """Bad input. Carries the :class:`Problem`, printed as ``error: FILE:LINE: FIELD: wrong: expected``."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem

    @classmethod
    def at(cls, file: str, line: int | None, field: str, wrong: str, expected: str) -> InputError:
        """Build the error from the parts of its :class:`Problem`."""
        return cls(Problem(file, line, field, _(wrong), _(expected)))


class Unrecognised(InputError):
    """Records that no format of ours is, or that a mapping must say how to read: one can be made."""


#: What is expected where one id stands with two contents.
ONE_CONTENT = N_("one content for one id")


class FieldError(InspectorError):
    """A value that a field cannot take: what is wrong and what was expected, with no place in a file.

    Importers turn it into an :class:`InputError` by adding the place; the editor shows it beside the field.
    """

    def __init__(self, field: str, wrong: str, expected: str) -> None:
        # Constants are marked where they stand and translated here; what is translated already stays as it is.
        wrong, expected = _(wrong), _(expected)
        super().__init__(f"{field}: {wrong}: {expected}")
        self.field = field
        self.wrong = wrong
        self.expected = expected


class Cancelled(InspectorError):
    """The user cancelled a long piece of work; what was done before is kept."""
