"""The gate for a query and a memory, with everything that it read; and an engine that reads each record once.

:func:`evaluate_gate` is the plain path; :class:`GateEngine` gives the same results over a whole store (tested) and is
told which records an edit touched.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.errors import FieldError
from inspector.gate.action import ACTION_FIELDS, Action, Outcome, PreAction, outcome_of, pre_action
from inspector.gate.attribution import Attribution, attribute
from inspector.gate.coverage import Protection, Standing, standing_of
from inspector.gate.decides import LetThrough, deciding
from inspector.gate.gate import DEFAULT_MODE, Mode, Result, by_grants, by_jurisdiction, by_self_description, rule_on
from inspector.gate.governs import Governs, governs_of
from inspector.gate.grants import GrantComparison, GrantOutcome, compare_grants
from inspector.gate.operation import Operation, OperationLexicon, bundled_lexicons, requested_operation
from inspector.gate.terms import Ground, texts_in
from inspector.i18n import _d
from inspector.records import FieldRead, Memory, Query, Settings, read_field
from inspector.times import Instant, parse_time
from inspector.trit import Trit


@dataclass(frozen=True, slots=True)
class GateResult:
    """What the gate says of one query and memory (DESIGN 7), with the fields it comes from.

    ``mode`` is the mode asked for, ``applied`` the one that ran (never "layered"). ``authorizing`` is the field that
    authorised the pre-gate action. ``note`` is the gate's reason, ``action_notes`` what was odd about the memory's own
    fields, ``attribution_note`` why an attribution could not be worse. ``operation`` may be inferred, and says so.
    ``coverage`` is where the memory stands on the coverage map. ``grants`` are compared field by field, () outside
    grants mode. ``malformed`` holds the faults of the governs block. ``decides`` marks the candidate that acts.
    ``pre_outcome`` and ``outcome`` hold the two actions against the expected one. Texts are the store's own and
    hostile: pass them through :func:`inspector.text.visible`.
    """

    mode: Mode
    applied: Mode
    pre_action: Action
    row: int
    authorized_by: str
    authorizing: FieldRead
    result: Result
    note: str
    action: Action
    action_notes: tuple[str, ...]
    attribution: Attribution
    attribution_note: str
    operation: Operation
    coverage: Standing
    grants: tuple[GrantComparison, ...]
    malformed: tuple[str, ...]
    reads: tuple[FieldRead, ...]
    expected_action: Any
    pre_outcome: Outcome
    outcome: Outcome
    decides: bool = False

    @property
    def inferred(self) -> bool:
        """Whether the operation is only inferred from the query's words."""
        return self.operation.inferred

    @property
    def escalated(self) -> bool:
        """Whether the gate made the action stricter."""
        return self.action != self.pre_action

    @property
    def coverage_cell(self) -> Protection:
        """The memory's cell of the coverage map."""
        return self.coverage.protection

    def to_json(self) -> dict[str, Any]:
        """The ``gate`` object of a row of ``inspector evaluate`` (DESIGN 12)."""
        return {
            "pre_action": self.pre_action,
            "result": self.result,
            "action": self.action,
            "attribution": self.attribution,
            "authorized_by": self.authorized_by,
            "note": "; ".join(note for note in (self.note, *self.action_notes, self.attribution_note) if note),
            "decides": self.decides,
        }


@dataclass(frozen=True, slots=True)
class MemorySide:
    """All that the gate takes from a memory, read once."""

    pre: PreAction
    governs: Governs
    standing: Standing
    reads: tuple[FieldRead, ...]
    notes: tuple[str, ...]

    @property
    def authorizing(self) -> FieldRead:
        """The field that authorised the pre-gate action."""
        return next(read for read in self.reads if read.name == self.pre.field)


@dataclass(frozen=True, slots=True)
class QuerySide:
    """All that the gate takes from a query, read once. ``granted`` is None where no tool call is recorded."""

    expected: Any
    operation: Operation
    ground: Ground
    granted: GrantOutcome | None
    reads: tuple[FieldRead, ...]
    grant_reads: tuple[FieldRead, ...]


def read_memory(memory: Memory, settings: Settings) -> MemorySide:
    """Read a memory for the gate. Never raises, whatever its fields hold."""
    pre = pre_action(memory, settings.assumptions)
    governs = governs_of(memory)
    reads = tuple(read_field(memory, name, settings.assumptions) for name in pre.looked_at)
    notes = pre.notes + tuple(_d("governs ignores {what}").format(what=what) for what in governs.ignored)
    standing = standing_of(memory, governs, None if settings.assumptions else pre)
    return MemorySide(pre, governs, standing, (*reads, read_field(memory, "governs")), notes)


def instant_in_force(query: Query, settings: Settings) -> Instant | None:
    """The ``as_of`` that grants are held against: the query's own, else an assumed one, else the bundle's default.

    None where there is none, or where it cannot be read.
    """
    read = read_field(query, "as_of", settings.assumptions)
    if read.presence.value != "value":
        return settings.default_as_of or settings.exported_at
    try:
        return parse_time(read.value, "as_of", settings.timezone)
    except FieldError:
        return None


def read_query(query: Query, settings: Settings, lexicons: Sequence[OperationLexicon] | None = None) -> QuerySide:
    """Read a query for the gate. Never raises, whatever its fields hold."""
    call = query.value("tool_call")
    granted = None
    if call is not None:
        # An empty value is told apart from an absent one on the screen; neither holds a grant.
        granted = compare_grants(call, query.value("grants"), instant_in_force(query, settings), settings.timezone)
    return QuerySide(
        query.value("expected_action"),
        requested_operation(query, bundled_lexicons() if lexicons is None else lexicons),
        Ground([query.text, *texts_in(call)]),
        granted,
        (read_field(query, "expected_action"), read_field(query, "tool_call")),
        (read_field(query, "grants"), read_field(query, "as_of", settings.assumptions)),
    )


def join(memory: MemorySide, query: QuerySide, mode: Mode = DEFAULT_MODE, *, decides: bool = False) -> GateResult:
    """The gate for a memory and a query that have been read."""
    pre = memory.pre
    applied = rule_on(mode, query.granted is not None)
    compared: tuple[GrantComparison, ...] = ()
    reads = memory.reads + query.reads
    notes = memory.notes
    if applied == "grants":
        ruling = by_grants(pre.action, query.granted)
        if query.granted is not None:
            compared, reads = query.granted.compared, reads + query.grant_reads
        if memory.governs.malformed:
            # Grants do not read governs, and must not skip for it; the fault is shown all the same.
            notes = (*notes, _d("malformed governs: {reason}").format(reason=memory.governs.reason))
    elif applied == "jurisdiction":
        ruling = by_jurisdiction(pre.action, memory.governs, query.ground, query.operation)
    else:
        ruling = by_self_description(pre.action, memory.governs)
    attribution, attribution_note = attribute(pre.row, memory.governs.present, ruling.action, query.expected)
    return GateResult(
        mode,
        applied,
        pre.action,
        pre.row,
        pre.authorized_by,
        memory.authorizing,
        ruling.result,
        ruling.note,
        ruling.action,
        notes,
        attribution,
        attribution_note,
        query.operation,
        memory.standing,
        compared,
        memory.governs.faults,
        reads,
        query.expected,
        outcome_of(pre.action, query.expected),
        outcome_of(ruling.action, query.expected),
        decides,
    )


def evaluate_gate(
    memory: Memory,
    query: Query,
    mode: Mode = DEFAULT_MODE,
    settings: Settings | None = None,
    lexicons: Sequence[OperationLexicon] | None = None,
) -> GateResult:
    """The gate for one memory and one query, read afresh (DESIGN 7). Never raises, whatever the records hold.

    ``settings`` gives the store's time zone, the default ``as_of`` and the declared assumptions; ``lexicons`` replace
    the bundled operation words. Which candidate decides is a matter of the ranking: see :meth:`GateEngine.evaluate`.
    """
    chosen = Settings() if settings is None else settings
    return join(read_memory(memory, chosen), read_query(query, chosen, lexicons), mode)


class GateEngine:
    """The gate over a store: each record is read at its first use, and again after it was edited.

    ``mode`` may be changed at any time; it costs nothing. With new settings or lexicons build a new engine.
    """

    def __init__(
        self,
        memories: Sequence[Memory],
        queries: Sequence[Query],
        settings: Settings,
        mode: Mode = DEFAULT_MODE,
        lexicons: Sequence[OperationLexicon] | None = None,
    ) -> None:
        self.memories = memories
        self.queries = queries
        self.settings = settings
        self.mode: Mode = mode
        self._lexicons = bundled_lexicons() if lexicons is None else tuple(lexicons)
        self._memory_sides: dict[int, MemorySide] = {}
        self._query_sides: dict[int, QuerySide] = {}

    def update_memories(self, mis: Iterable[int]) -> None:
        """Forget what was read of these memories: their fields changed."""
        for mi in mis:
            self._memory_sides.pop(mi, None)

    def update_queries(self, qis: Iterable[int]) -> None:
        """Forget what was read of these queries: their fields changed."""
        for qi in qis:
            self._query_sides.pop(qi, None)

    def cell(self, qi: int, mi: int, *, decides: bool = False) -> GateResult:
        """The gate for one query and memory, by index, retrieved or not."""
        return join(self._memory(mi), self._query(qi), self.mode, decides=decides)

    def evaluate(
        self, qi: int, mis: Sequence[int], verdicts: Sequence[Trit], rule: LetThrough = "admit"
    ) -> list[GateResult]:
        """The gate for every candidate of a query in rank order, one of them marked as the one that decides.

        ``mis`` are the retrieved memories in rank order, ``verdicts`` their admissible trits, ``rule`` which verdicts
        are let through. None is marked where none is let through. Raises ValueError where the lengths differ.
        """
        if len(mis) != len(verdicts):
            raise ValueError("one verdict a candidate is expected")
        chosen = deciding(self.mode, verdicts, rule)
        return [self.cell(qi, int(mi), decides=i == chosen) for i, mi in enumerate(mis)]

    def decision(
        self, qi: int, mis: Sequence[int], verdicts: Sequence[Trit], rule: LetThrough = "admit"
    ) -> GateResult | None:
        """Only the result that decides, for summaries over many queries; None where none does."""
        chosen = deciding(self.mode, verdicts, rule)
        return None if chosen is None else self.cell(qi, int(mis[chosen]), decides=True)

    def _memory(self, mi: int) -> MemorySide:
        side = self._memory_sides.get(mi)
        if side is None:
            side = self._memory_sides[mi] = read_memory(self.memories[mi], self.settings)
        return side

    def _query(self, qi: int) -> QuerySide:
        side = self._query_sides.get(qi)
        if side is None:
            side = self._query_sides[qi] = read_query(self.queries[qi], self.settings, self._lexicons)
        return side


#: Every field of either record whose edit can move a gate result, for whoever refreshes after an edit.
MEMORY_FIELDS_READ: frozenset[str] = frozenset((*ACTION_FIELDS, "governs", "sensitivity"))
QUERY_FIELDS_READ: frozenset[str] = frozenset(("text", "expected_action", "tool_call", "grants", "as_of"))


def with_edits(memory: Memory, edits: Mapping[str, Any]) -> Memory:
    """A copy of a memory with further edits over it; the memory itself is left alone."""
    return memory.edited({**memory.edits, **edits})
