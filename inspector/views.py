"""What the screens and the command line are shown: immutable rows, figures and changes (SCREENS, DESIGN 10, 12).

Texts in here are the store's own and hostile: whoever shows them passes them through :func:`inspector.text.visible`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from inspector.compare.matched import Matched
from inspector.errors import InspectorError
from inspector.gate.evaluate import GateResult
from inspector.i18n import _
from inspector.records import FieldRead
from inspector.session_tag import SessionTag
from inspector.times import Instant
from inspector.trit import Trit

if TYPE_CHECKING:
    from inspector.mdl import Decision

#: Columns of a candidate that hold a trit, in the order of the screen.
TRIT_COLUMNS = ("scope", "policy", "lifecycle", "admissible", "usable", "relevance")
VERDICT_WORDS = {Trit.YES: "admit", Trit.NO: "exclude", Trit.UNKNOWN: "unresolved"}
VERDICT_SIGNS = {Trit.YES: "✓", Trit.NO: "✗", Trit.UNKNOWN: "?"}


@dataclass(frozen=True, slots=True)
class RouteChoice:
    """A route by name with its depth (``postfilter:500``) and the number k of candidates that it returns."""

    name: str
    k: int = 20
    depth: int | None = None

    @classmethod
    def parse(cls, text: str, k: int = 20) -> RouteChoice:
        """Read ``NAME`` or ``NAME:DEPTH``. Raises InspectorError for a bad depth."""
        name, colon, depth = text.partition(":")
        if not colon:
            return cls(name, k)
        if not depth.isdecimal() or int(depth) < 1:
            raise InspectorError(
                _("route {text!r}: {depth!r} is not a depth: a whole number of at least 1 is expected").format(
                    text=text, depth=depth
                )
            )
        return cls(name, k, int(depth))

    def __str__(self) -> str:
        return self.name if self.depth is None else f"{self.name}:{self.depth}"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One row of a query's candidates. ``rank`` counts from 1 and is 0 for a memory that was not retrieved.

    ``before`` gives, for the columns in ``changed``, the value before the edits that nobody has looked at yet.
    ``exposed`` and ``disclosed`` are None where they have not been worked out.
    """

    mi: int
    rank: int
    score: float | None
    path: str
    memory_id: str
    namespace: str
    text: str
    scope: Trit
    policy: Trit
    lifecycle: Trit
    relevance: Trit
    admissible: Trit
    usable: Trit
    stored: Trit
    retrieved: Trit
    exposed: Trit | None = None
    disclosed: Trit | None = None
    edited: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    before: Mapping[str, Trit] = field(default_factory=dict)
    mdl: Decision | None = None
    #: The decision before the edits that nobody has looked at yet; None where they did not move it.
    mdl_before: Decision | None = None
    gate: GateResult | None = None
    #: The gate's final action before the edits that nobody has looked at yet; "" where they did not move it.
    gate_before: str = ""
    #: Session × semantic tag, whatever the axes make of them.
    pair: SessionTag | None = None

    @property
    def verdict(self) -> str:
        """``admit``, ``exclude`` or ``unresolved``."""
        return VERDICT_WORDS[self.admissible]

    @property
    def verified(self) -> Trit:
        """Whether the verdict let it through: the admissible trit, under the name that the trail uses."""
        return self.admissible


@dataclass(frozen=True, slots=True)
class Figures:
    """A query's figures on the current route: matched recall (DESIGN 5), what the ranking cost, its pool's width."""

    matched: Matched
    similarities: int
    width: int

    @property
    def risk(self) -> tuple[float, float] | None:
        """The risk bounds on the matched prefix, or None where there is no prefix."""
        low, high = self.matched.risk_lower, self.matched.risk_upper
        return None if low is None or high is None else (low, high)


@dataclass(frozen=True, slots=True)
class QueryRow:
    """One row of the list of queries; the three counts are of its candidates' verdicts."""

    qi: int
    query_id: str
    text: str
    principal: str
    admit: int
    exclude: int
    unresolved: int
    figures: Figures
    edited: frozenset[str]
    changed: bool
    session_mismatch: bool
    unfiltered: bool
    #: The failure stage that names the query, and every stage that applies; None where it is not worked out yet.
    stage: str | None = None
    stages: tuple[str, ...] = ()
    #: Whether a trace recorded the retrieval or the prompt; else the audit is of what this route would have exposed.
    recorded: bool = False
    #: The ids of the memories that prove the first stage, or that leave it open.
    proof: tuple[str, ...] = ()
    #: Required evidence stood in the recent turns alone: long-term recall failed unseen.
    short_term: bool = False
    #: Why recall is degraded on a route that goes by semantic tags; "" where it is not.
    degraded: str = ""


@dataclass(frozen=True, slots=True)
class BundleLine:
    """What a query carries, each with its origin, and the route that answered it (SCREENS: the query bundle)."""

    principal: FieldRead
    session: FieldRead
    claimed_session: FieldRead
    tag: FieldRead
    purpose: FieldRead
    intent: FieldRead
    as_of: FieldRead
    as_of_instant: Instant | None
    route: RouteChoice


@dataclass(frozen=True, slots=True)
class Overall:
    """Totals over all queries: candidates by verdict, matched-recall means, queries that are not evaluable."""

    queries: int
    memories: int
    admit: int
    exclude: int
    unresolved: int
    recall: float | None
    feasible_share: float | None
    risk_lower: float | None
    risk_upper: float | None
    not_evaluable: int


@dataclass(frozen=True, slots=True)
class Flip:
    """A verdict that an edit changed, for one query and memory that was a candidate before and after."""

    qi: int
    mi: int
    before: Trit
    after: Trit


@dataclass(frozen=True, slots=True)
class Change:
    """What an edit moved across all queries, with the one line that says so (DESIGN 10).

    ``queries`` are those whose row, candidates or figures differ; ``memories`` those whose own fields or axes may.
    ``listing`` says that queries were asked or taken away: other queries may stand at other places.
    """

    sentence: str
    flips: tuple[Flip, ...]
    queries: frozenset[int]
    memories: frozenset[int]
    listing: bool = False


@dataclass(frozen=True, slots=True)
class Preview:
    """The axes and verdict that an edit would give for one query and memory; nothing is stored."""

    scope: Trit
    policy: Trit
    lifecycle: Trit
    admissible: Trit
    before: Trit


@dataclass(frozen=True, slots=True)
class EditEntry:
    """One line of the list of edits; ``active`` is False once it was undone or reverted."""

    seq: int
    when: str
    words: str
    active: bool


@dataclass(frozen=True, slots=True)
class Recent:
    """A workspace that was opened before; ``options`` say how its sources were read, as JSON values."""

    path: str
    sources: tuple[str, ...]
    name: str
    opened: str
    memories: int
    queries: int
    options: Mapping[str, Any] = field(default_factory=dict)
