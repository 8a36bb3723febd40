"""The rows of the triage queue: filter, order, groups, cells (SCREENS Triage). Nothing here draws."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import ClassVar

from inspector.audit.stages import STAGES
from inspector.audit.triage import STATES, Incident, Queue, Severity, State
from inspector.i18n import N_, _
from inspector.text import counted, fold
from inspector.times import Instant
from inspector.ui.widgets.cells import Cell, Column, Piece
from inspector.ui.widgets.signs import STAGE_SIGNS, WORKING

COLUMNS = (
    Column("stage", "", 4, 3, help="failure stages: T trace, C candidate, V verification, A assembly, D disclosure"),
    Column("severity", "severity", 9, help="the worst that happened to an excluded memory, or a loss"),
    Column("id", "incident", 14, 8, flex=2),
    Column("principal", "principal", 10, 5, flex=1),
    Column("age", "age", 6, help="since the trace says that it was answered, else since as_of"),
    Column("state", "state", 9, 5),
    Column("text", "note or question", 18, 6, flex=6),
)
#: A severity in one word, and its style; the pane beside says it in full.
SEVERITIES: Mapping[Severity, tuple[str, str]] = {
    Severity.TOLD: (N_("disclosed"), "bad"),
    Severity.EXPOSED: (N_("exposed"), "bad"),
    Severity.LOSS: (N_("loss"), "warn"),
    Severity.BROKEN: (N_("broken"), "warn"),
    Severity.UNDECIDED: (N_("undecided"), "unknown"),
    Severity.NONE: ("–", "dim"),
}
_STATE_STYLES: Mapping[State, str] = {
    "open": "strong",
    "confirmed": "warn",
    "dismissed": "dim",
    "fixed by edit": "good",
}
#: The states in words; in a filter they are typed as they are called in the data.
STATE_WORDS: Mapping[State, str] = {
    "open": N_("open"),
    "confirmed": N_("confirmed"),
    "dismissed": N_("dismissed"),
    "fixed by edit": N_("fixed by edit"),
}
_FACETS = ("state", "stage", "severity", "principal")
#: What the facets can be, by what their words begin with while they are typed.
_STATE_WORDS = {"open": "open", "confirmed": "confirmed", "dismissed": "dismissed", "fixed": "fixed by edit"}
_STAGE_WORDS = (*STAGES, "undecided", "none")
_SEVERITY_WORDS = {
    "disclosed": Severity.TOLD,
    "exposed": Severity.EXPOSED,
    "loss": Severity.LOSS,
    "broken": Severity.BROKEN,
    "undecided": Severity.UNDECIDED,
    "nothing": Severity.NONE,
}


@dataclass(frozen=True, slots=True)
class TriageFilter:
    """What the queue is narrowed to; an empty part narrows nothing. ``words`` are looked for in all that is text."""

    HELP: ClassVar[str] = N_("words  state:open|confirmed|dismissed|fixed  stage:NAME  severity:WORD  principal:ID")

    words: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()
    severities: tuple[Severity, ...] = ()
    principals: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> TriageFilter:
        """Read a typed filter; a pair whose facet or value is not known is read as plain words."""
        words: list[str] = []
        found: dict[str, list[str]] = {facet: [] for facet in _FACETS}
        known: dict[str, Iterable[str]] = {"state": _STATE_WORDS, "stage": _STAGE_WORDS, "severity": _SEVERITY_WORDS}
        for part in text.split():
            facet, colon, value = part.partition(":")
            facet, value = facet.casefold(), fold(value)
            if not colon or facet not in _FACETS:
                words.append(fold(part))
            elif facet == "principal":
                found[facet] += [value] if value else []
            else:
                word = next((word for word in known[facet] if value and word.startswith(value)), None)
                if word is not None:
                    found[facet].append(word)
                elif value:
                    words.append(fold(part))
        return cls(
            tuple(words),
            tuple(_STATE_WORDS[word] for word in found["state"]),
            tuple(found["stage"]),
            tuple(_SEVERITY_WORDS[word] for word in found["severity"]),
            tuple(found["principal"]),
        )

    def __bool__(self) -> bool:
        return any((self.words, self.states, self.stages, self.severities, self.principals))

    def takes(self, one: Incident) -> bool:
        """Whether the incident is shown."""
        if self.states and one.state not in self.states:
            return False
        if self.stages and not set(self.stages).intersection(one.stages):
            return False
        if self.severities and one.severity not in self.severities:
            return False
        if not all(part in fold(one.principal) for part in self.principals):
            return False
        if not self.words:
            return True
        hay = fold("\n".join((one.query_id, one.text, one.note, one.cause.words, one.principal, *one.proof)))
        return all(word in hay for word in self.words)


def cycled(text: str, facet: str) -> str:
    """The typed filter with the next value of a facet; none after the last."""
    words: dict[str, list[str]] = {
        "state": list(_STATE_WORDS),
        "stage": list(_STAGE_WORDS),
        "severity": list(_SEVERITY_WORDS),
    }
    known = words[facet]
    parts = text.split()
    here = next((part.partition(":")[2] for part in parts if part.startswith(f"{facet}:")), "")
    at = known.index(here) + 1 if here in known else 0
    kept = [part for part in parts if not part.startswith(f"{facet}:")]
    return " ".join([*kept, *([f"{facet}:{known[at]}"] if at < len(known) else [])])


@dataclass(frozen=True, slots=True)
class GroupKey:
    """The key of a group's line in the table."""

    cause: str


@dataclass
class QueueRows:
    """The queue as rows of a table (a :class:`inspector.ui.widgets.cells.GridSource`).

    Rows keep the places that :meth:`arrange` gave them until it is called again, whatever states and edits change in
    between; what they show is always what holds now. ``waiting`` says that an incident is being worked out anew.
    """

    queue: Queue | None = None
    filter: TriageFilter = field(default_factory=TriageFilter)
    grouped: bool = False
    folded: set[str] = field(default_factory=set)
    waiting: Callable[[Incident], bool] = lambda _: False
    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    #: The identities of all incidents when they were arranged.
    known: frozenset[str] = frozenset()
    _rows: list[GroupKey | str] = field(default_factory=list)
    _places: dict[GroupKey | str, int] = field(default_factory=dict)
    _groups: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    _shown: list[str] = field(default_factory=list)

    def arrange(self) -> None:
        """Filter, order and group anew."""
        queue = self.queue
        taken = [] if queue is None else [one for one in queue.incidents if self.filter.takes(one)]
        self.known = frozenset() if queue is None else frozenset(one.identity for one in queue.incidents)
        self._shown = [one.identity for one in taken]
        self._groups = {}
        if queue is not None and self.grouped:
            for group in queue.groups(taken):
                self._groups[group.cause.key] = group.words, tuple(one.identity for one in group.incidents)
            self._shown = [identity for _, members in self._groups.values() for identity in members]
        self.lay()

    def lay(self) -> None:
        """Lay the rows out: with groups, those that are folded show their line alone."""
        rows: list[GroupKey | str] = []
        if self.grouped:
            for cause, (_, members) in self._groups.items():
                rows.append(GroupKey(cause))
                rows.extend(() if cause in self.folded else members)
        else:
            rows.extend(self._shown)
        self._rows = rows
        self._places = {key: place for place, key in enumerate(rows)}

    @property
    def shown(self) -> Sequence[str]:
        """The identities of all incidents that the filter takes, in the order of the screen, folded or not."""
        return self._shown

    @property
    def causes(self) -> list[str]:
        """The causes of the groups, in their order."""
        return list(self._groups)

    def group_of(self, identity: str) -> str | None:
        """The cause that an incident is grouped under; None where there are no groups."""
        return next((cause for cause, (_, members) in self._groups.items() if identity in members), None)

    def members(self, key: GroupKey) -> tuple[str, ...]:
        """The incidents of a group."""
        return self._groups[key.cause][1]

    def get(self, identity: str) -> Incident:
        """An incident as it is now. Raises KeyError where there is none."""
        if self.queue is None:
            raise KeyError(identity)
        return self.queue.get(identity)

    # What a table asks

    def __len__(self) -> int:
        return len(self._rows)

    def key(self, row: int) -> GroupKey | str:
        """The identity of a row."""
        return self._rows[row]

    def find(self, key: object) -> int | None:
        """The row that has this key."""
        return self._places.get(key) if isinstance(key, GroupKey | str) else None

    def wide(self, row: int) -> Sequence[Piece] | None:
        """A group's line, which takes the whole width."""
        key = self._rows[row]
        if not isinstance(key, GroupKey):
            return None
        sign = "▸" if key.cause in self.folded else "▾"
        return [Piece(f"{sign} ", "dim"), Piece(self._groups[key.cause][0], "strong")]

    def cells(self, row: int) -> Sequence[Cell]:
        """The cells of an incident."""
        key = self._rows[row]
        if isinstance(key, GroupKey):
            return self.wide(row) or ()
        one = self.get(key)
        return incident_cells(one, self.now, waiting=self.waiting(one))


def stage_pieces(stages: Sequence[str]) -> list[Piece]:
    """The signs of all stages that apply, in their order."""
    signs = [STAGE_SIGNS.get(stage, ("?", "unknown")) for stage in stages]
    return [Piece(sign, style) for sign, style in signs]


def state_piece(one: Incident) -> Piece:
    """The state; nothing to decide where nothing failed and nobody has said anything."""
    if one.severity is Severity.NONE and one.state == "open":
        return Piece("–", "dim")
    words = _("fixed ✎") if one.state == "fixed by edit" else _(STATE_WORDS[one.state])
    return Piece(words, _STATE_STYLES[one.state])


def incident_cells(one: Incident, now: datetime, *, waiting: bool = False) -> Sequence[Cell]:
    """The cells of an incident's row, in the order of :data:`COLUMNS`; ``…`` for what is being worked out anew."""
    words, style = SEVERITIES[one.severity]
    said: list[Piece] = [Piece("» ", "edited"), Piece(one.note)] if one.note else [Piece(one.text)]
    return (
        Piece(WORKING, "dim") if waiting else stage_pieces(one.stages),
        Piece(WORKING, "dim") if waiting else Piece(_(words), style),
        one.query_id,
        one.principal or Piece("–", "dim"),
        Piece(age(one.at, now), "dim"),
        Piece(WORKING, "dim") if waiting and one.kept in ("open", "confirmed") else state_piece(one),
        said,
    )


def age(at: Instant | None, now: datetime) -> str:
    """How long ago: ``5 min``, ``3 h``, ``12 d``; the date where the time has no zone or is still to come."""
    if at is None:
        return "?"
    seconds = now.timestamp() - at.us / 1_000_000
    if at.naive or seconds < 0:
        return at.text[5:10]
    for words, length, most in (
        (_("{count} min"), 60, 3_600),
        (_("{count} h"), 3_600, 172_800),
        (_("{count} d"), 86_400, 86_400 * 1_000),
    ):
        if seconds < most:
            return words.format(count=int(seconds // length))
    return _("{count} y").format(count=int(seconds // (86_400 * 365)))


def count_words(incidents: Iterable[Incident]) -> str:
    """``14 incidents: 12 open, 2 confirmed · nothing failed in 3 more``."""
    failed: dict[State, int] = dict.fromkeys(STATES, 0)
    fine = 0
    for one in incidents:
        if one.severity is Severity.NONE and one.state == "open":
            fine += 1
        else:
            failed[one.state] += 1
    total = sum(failed.values())
    if not total:
        return _("nothing failed in {fine:,}").format(fine=fine)
    states = ", ".join(
        _("{count:,} {state}").format(count=count, state=_(STATE_WORDS[state]))
        for state, count in failed.items()
        if count
    )
    more = _(" · nothing failed in {fine:,} more").format(fine=fine) if fine else ""
    return f"{counted(total, 'incident')}: {states}{more}"
