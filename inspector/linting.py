"""Lint of loaded stores and of several exports of one, with what the gate, the encoder and the lexicons read of them.

What `inspector lint` prints and the *Store* screen shows comes from here (DESIGN 11, 12).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from inspector import formats
from inspector.errors import InputError
from inspector.gate.coverage import is_sensitive, standing_of
from inspector.i18n import _d, told
from inspector.inspection import Inspection, OpenOptions, open_sources
from inspector.mdl import ConflictDetector, Judged, default_lexicons
from inspector.mdl.scripts import shares
from inspector.records import Memory, OnProgress, Query, Settings
from inspector.retrieval.models import BUNDLED
from inspector.retrieval.vectors import unit_vectors
from inspector.store.lint import CODES, SEVERITIES, Finding, Guard, Severity, Subject, lint_store
from inspector.store.lint_vectors import (
    ABOUT,
    MOST_PAIRS,
    Group,
    bad_vectors,
    common_length,
    conflicts,
    group_findings,
    near_duplicates,
    similar_pairs,
)
from inspector.store.planes import Difference, by_stated_plane, differences, plane_findings
from inspector.text import counted, visible
from inspector.views import RouteChoice

#: The script that the bundled encoder's training texts are written in.
_TRAINED = frozenset(("latin",))


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Nearness:
    """Groups of near duplicates and of contradictions, and what must be said of the search."""

    near: tuple[Group, ...] = ()
    against: tuple[Group, ...] = ()
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LintReport:
    """All findings in order, worst first. ``memories`` are those that a finding's ``index`` is about."""

    memories: Sequence[Memory]
    findings: tuple[Finding, ...]
    planes: tuple[Difference, ...] = ()
    nearness: Nearness = field(default_factory=Nearness)
    notes: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether there is a finding of severity error: exit code 1."""
        return any(one.severity == "error" for one in self.findings)

    def counts(self) -> dict[str, int]:
        """How many findings of each code that there is, in the order of the codes."""
        found = Counter(one.code for one in self.findings)
        return {code: found[code] for code in CODES if found[code]}

    def by_severity(self) -> dict[Severity, int]:
        """How many findings of each severity."""
        found = Counter(one.severity for one in self.findings)
        return {severity: found[severity] for severity in SEVERITIES}

    def of(self, index: int) -> tuple[Finding, ...]:
        """The findings about one memory."""
        return tuple(one for one in self.findings if one.index == index)

    def to_json(self) -> dict[str, Any]:
        """The object that ``inspector lint --json`` prints."""
        return {
            "memories": len(self.memories),
            "severities": self.by_severity(),
            "codes": self.counts(),
            "findings": [self._finding(one) for one in self.findings],
            "planes": [_plane(one) for one in self.planes],
            "notes": [told(note) for note in self.notes + self.nearness.notes],
        }

    def _finding(self, one: Finding) -> dict[str, Any]:
        named: dict[str, Any] = {"record": one.record or None}
        if one.index is not None:
            named = {"record": one.record, **_uid(self.memories[one.index])}
        return {
            "code": one.code,
            "severity": one.severity,
            "file": one.origin.file,
            "line": one.origin.line,
            **named,
            "field": one.field or None,
            "wrong": one.words,
            "do": one.do,
            "related": [_uid(self.memories[index]) for index in one.related],
            "related_total": max(one.related_total, len(one.related)),
        }

    def text(self, shown: int = 5) -> str:
        """The findings for people, code by code with their first places; safe to print."""
        return "\n".join(visible(line) for line in self._lines(shown))

    def _lines(self, shown: int) -> Iterator[str]:
        severities = self.by_severity()
        said = ", ".join(_many(severity, count) for severity, count in severities.items())
        yield f"{counted(len(self.memories), 'memory', 'memories')}: {said}"
        for plane in self.planes:
            yield _d("planes: {words}").format(words=plane.words)
        for note in self.notes + self.nearness.notes:
            yield _d("note: {note}").format(note=told(note))
        for code, count in sorted(self.counts().items(), key=lambda one: SEVERITIES.index(CODES[one[0]].severity)):
            yield ""
            yield f"{CODES[code].severity} {code}: {count:,}: {_d(CODES[code].means)}. {_d(CODES[code].do)}"
            listed = [one for one in self.findings if one.code == code]
            for one in listed[:shown]:
                yield "  " + ": ".join(part for part in (str(one.origin), one.record, one.words) if part)
            if count > shown:
                yield _d("  … {count:,} more (--json lists all)").format(count=count - shown)


def _many(severity: Severity, count: int) -> str:
    if severity == "error":
        return counted(count, "error")
    return counted(count, "warning") if severity == "warning" else counted(count, "info")


def _uid(memory: Memory) -> dict[str, Any]:
    namespace = memory.fields.get("namespace")
    return {"namespace": memory.fields.get("namespaces") if namespace is None else namespace, "id": memory.id}


def _plane(one: Difference) -> dict[str, Any]:
    return {
        "first": one.first,
        "second": one.second,
        "related": one.related,
        "both": one.both,
        "only_first": [_uid(memory) for memory in one.only_first],
        "only_second": [_uid(memory) for memory in one.only_second],
        "other_text": [_uid(memory) for memory, _ in one.other_text],
    }


def guards(memories: Sequence[Memory]) -> list[Guard]:
    """What the gate reads of each memory, for lint (DESIGN 7)."""
    found = []
    for memory in memories:
        standing = standing_of(memory)
        found.append(Guard(standing.protection.governs, standing.signals, is_sensitive(memory), standing.malformed))
    return found


def lint(
    inspection: Inspection,
    on_progress: OnProgress | None = None,
    cancelled: Callable[[], bool] = _never,
    *,
    encode: bool = False,
) -> LintReport:
    """Lint a loaded store with its edits. Near duplicates and contradictions are looked for where the store brings
    vectors or its texts are encoded already, or with ``encode``. May take long on a large store: for a worker.

    Raises Cancelled."""
    own = any(memory.value("embedding") is not None for memory in inspection.memories)
    trained = _TRAINED if not own and inspection.retriever.model == BUNDLED else frozenset[str]()
    subject = Subject(
        inspection.memories,
        inspection.queries,
        inspection.settings,
        inspection.skipped,
        inspection.notes,
        guards(inspection.memories),
        shares,
        trained,
    )
    found = lint_store(subject, on_progress, cancelled)
    vectors = own_vectors(inspection.memories, inspection.queries)
    if vectors is None and encode:
        inspection.retriever.prepare(RouteChoice("global_dense"), on_progress, cancelled)
    dense = inspection.retriever.sources.dense
    if vectors is None and dense is not None:  # encoded now, or for the route that is in force
        vectors = dense.memory.data, dense.memory.ok
    close = nearness(inspection.memories, inspection.settings, vectors, on_progress, cancelled)
    stated = [] if inspection.planes else _planes([(inspection.name, inspection.memories)], inspection.settings)
    planes = [*inspection.planes, *stated]
    return _report(inspection.memories, [*found, *close.findings], planes, close)


def _report(
    memories: Sequence[Memory],
    found: Sequence[Finding],
    planes: Sequence[Difference],
    close: Nearness,
    notes: Sequence[str] = (),
) -> LintReport:
    places = {str(memory.uid): index for index, memory in enumerate(memories)} if planes else {}
    about = (replace(one, index=places.get(one.record)) for one in plane_findings(planes))
    findings = sorted((*found, *about), key=lambda one: one.order)
    return LintReport(memories, tuple(findings), tuple(planes), close, tuple(notes))


def _planes(named: Sequence[tuple[str, Sequence[Memory]]], settings: Settings) -> list[Difference]:
    return differences([plane for name, memories in named for plane in by_stated_plane(memories, name)], settings)


def own_vectors(
    memories: Sequence[Memory], queries: Sequence[Query]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]] | None:
    """The vectors that the records bring, as unit rows, and which of them can be used; None where there is none."""
    size = common_length(memories, queries)
    if size is None:
        return None
    matrix = np.full((len(memories), size), np.nan)
    for index, memory in enumerate(memories):
        value = memory.value("embedding")
        if value is not None and len(value) == size:
            matrix[index] = np.array(value, dtype=np.float64)
    unit = unit_vectors(matrix)
    return unit.data, unit.ok


def nearness(
    memories: Sequence[Memory],
    settings: Settings,
    vectors: tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]] | None,
    on_progress: OnProgress | None = None,
    cancelled: Callable[[], bool] = _never,
) -> Nearness:
    """Near duplicates and contradictions among memories of one namespace, by vectors as :func:`own_vectors` gives."""
    if vectors is None:
        return Nearness(notes=(_d("no vectors: near duplicates and contradictions were not looked for"),))
    pairs = similar_pairs(*vectors, memories, ABOUT, on_progress, cancelled)
    detector = ConflictDetector(default_lexicons())
    unjudged: set[str] = set()

    def against(first: str, second: str) -> str:
        verdict = detector.judge(first, second)
        if verdict.value == Judged.NOT_JUDGED:
            unjudged.update((first, second))
        conflict = verdict.conflict
        if verdict.value != Judged.CONFLICT or conflict is None:
            return ""
        sides = _d(" against ").join(" ".join(side) or "–" for side in (conflict.left_words, conflict.right_words))
        return f"{conflict.rule}: {sides}"

    near = near_duplicates(pairs, memories)
    opposed, said = conflicts(pairs, memories, settings, against)
    notes = []
    if pairs.left:
        notes.append(
            _d("{left:,} less similar pairs beyond the first {MOST_PAIRS:,} were not looked at").format(
                left=pairs.left, MOST_PAIRS=MOST_PAIRS
            )
        )
    if unjudged:
        notes.append(
            _d("{count:,} texts are in no language that the lexicons know: contradictions not judged").format(
                count=len(unjudged)
            )
        )
    found = tuple(group_findings(near, opposed, said, memories, settings))
    return Nearness(tuple(near), tuple(opposed), found, tuple(notes))


def lint_sources(
    sources: Sequence[Path],
    options: OpenOptions | None = None,
    on_progress: OnProgress | None = None,
    cancelled: Callable[[], bool] = _never,
    *,
    encode: bool = False,
) -> LintReport:
    """Lint sources: one, with the edits of its workspace; or several, each an export of its own, and their planes.

    What cannot be read is a finding and stops nothing. Raises InputError where nothing can be read at all.
    """
    options = options or OpenOptions()
    if len(dict.fromkeys(sources)) > 1:
        return _lint_planes(sources, options, on_progress, cancelled)
    try:
        inspection = open_sources(sources, options, on_progress, cancelled)
    except InputError:
        inspection = open_sources(sources, replace(options, lenient=True), on_progress, cancelled)
    with inspection:
        return lint(inspection, on_progress, cancelled, encode=encode)


def _lint_planes(
    sources: Sequence[Path], options: OpenOptions, on_progress: OnProgress | None, cancelled: Callable[[], bool]
) -> LintReport:
    load_options = replace(options.load_options(), lenient=True)
    bundles = [formats.load([source], load_options, on_progress, cancelled) for source in dict.fromkeys(sources)]
    memories: dict[Any, Memory] = {}
    queries: dict[str, Query] = {}
    twins: list[Memory] = []
    for bundle in bundles:
        twins.extend(one for one in bundle.memories if memories.setdefault(one.uid, one) is not one)
        for query in bundle.queries:
            queries.setdefault(query.id, query)
    listed, asked = list(memories.values()), list(queries.values())
    settings = bundles[0].settings
    subject = Subject(
        listed,
        asked,
        settings,
        [problem for bundle in bundles for problem in bundle.skipped],
        [note for bundle in bundles for note in bundle.notes],
        guards(listed),
    )
    found = lint_store(subject, on_progress, cancelled)
    found += [replace(one, index=None) for one in bad_vectors(twins, asked) if one.index is not None]
    vectors = own_vectors(listed, asked)
    close = nearness(listed, settings, vectors, on_progress, cancelled)
    planes = _planes([(bundle.name, bundle.memories) for bundle in bundles], settings)
    notes = [_d("several exports: edits of a workspace are left out")]
    if vectors is None and own_vectors(twins, asked) is not None:
        notes.append(
            _d("the export that is given first has no vectors: near duplicates are looked for in that one alone")
        )
    return _report(listed, [*found, *close.findings], planes, close, notes)
