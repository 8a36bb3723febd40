"""Lint of a whole store (DESIGN 11): every finding, worst first, the same whatever the machine.

Findings rest on what the records say. What needs another package's reading, governs and scripts, is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from inspector.errors import Cancelled, Problem
from inspector.i18n import D_, N_, _, _d, told
from inspector.records import Memory, OnProgress, Origin, Progress, Query, Settings
from inspector.store.boundary import propose_marks
from inspector.store.lint_codes import CODES, SEVERITIES, Code, Finding, Severity
from inspector.store.lint_records import Guard, lint_memory, lint_query, untrained
from inspector.store.lint_store import (
    Links,
    answers,
    duplicate_texts,
    lost_metadata,
    merged_ghosts,
    missing_keys,
    successors,
)
from inspector.store.lint_vectors import bad_vectors

__all__ = ["CODES", "SEVERITIES", "Code", "Finding", "Guard", "Severity", "Subject", "lint_store"]

#: How an import says that an id stands already with another content, and that an export looks capped.
TWO_CONTENTS = N_("one content for one id")
CAPPED = "looks capped: "
#: What may follow it.
NOTED = (
    D_("{name} has a next-page mark, {section}"),
    D_("{name} holds exactly {count} memories, a common page size"),
)
_BLOCK = 5_000


@dataclass(frozen=True, slots=True)
class Subject:
    """What is linted: records with their edits, what the import left out and noted, and what others read of them.

    ``guards`` has one entry a memory, or is None where nobody read governs. ``shares`` gives the share of a text's
    letters by script and ``scripts`` those that the model was trained for; without ``scripts`` no text is judged.
    """

    memories: Sequence[Memory]
    queries: Sequence[Query]
    settings: Settings
    skipped: Sequence[Problem] = ()
    notes: Sequence[str] = ()
    guards: Sequence[Guard] | None = None
    shares: Callable[[str], Mapping[str, float]] | None = None
    scripts: frozenset[str] = field(default_factory=frozenset)


def lint_store(
    subject: Subject,
    on_progress: OnProgress | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[Finding]:
    """All findings but those about planes and near memories, in order. Raises Cancelled."""
    memories, queries, settings = subject.memories, subject.queries, subject.settings
    found = [*_left_out(subject.skipped), *_capped(subject)]
    for start in range(0, len(memories), _BLOCK):
        if cancelled():
            raise Cancelled(_("lint was cancelled"))
        for index in range(start, min(start + _BLOCK, len(memories))):
            guard = None if subject.guards is None else subject.guards[index]
            found += lint_memory(index, memories[index], settings, guard)
        if on_progress is not None:
            on_progress(Progress(_("linting"), min(start + _BLOCK, len(memories)), len(memories), _("memories")))
    for query in queries:
        found += lint_query(query, settings)
    links = Links(memories)
    found += duplicate_texts(memories)
    found += successors(memories, links, settings)
    found += missing_keys(memories, queries)
    found += merged_ghosts(memories, links, settings)
    found += lost_metadata(memories, settings)
    found += answers(memories, queries, settings)
    found += bad_vectors(memories, queries)
    for one in propose_marks(memories, settings):
        words = _d("{words}: proposed for quarantine").format(words=one.words)
        found.append(Finding("missing-mark", one.memory.origin, words, str(one.memory.uid), one.index, "boundary_log"))
    if subject.shares is not None and subject.scripts:
        found += untrained(memories, subject.shares, subject.scripts)
    return sorted(found, key=lambda one: one.order)


def _left_out(skipped: Sequence[Problem]) -> Iterator[Finding]:
    for problem in skipped:
        twice = problem.field == "id" and problem.expected == _(TWO_CONTENTS)
        code = "duplicate-id" if twice else "unreadable-record"
        words = (
            problem.wrong
            if twice
            else _d("{wrong}: expected {expected}").format(wrong=problem.wrong, expected=problem.expected)
        )
        yield Finding(code, Origin(problem.file, problem.line), words, field=problem.field)


def _capped(subject: Subject) -> Iterator[Finding]:
    files = sorted({memory.origin.file for memory in subject.memories}, key=len, reverse=True)
    for note in subject.notes:
        if note.startswith(CAPPED):
            words = note.removeprefix(CAPPED)
            file = next((file for file in files if words.startswith(f"{file} ")), words.partition(" ")[0])
            yield Finding("looks-capped", Origin(file), told(words))
