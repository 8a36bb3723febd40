"""A tool call held against the grants in force (DESIGN 7, grants mode).

A grant matches exactly where agent, action type, resource, recipient and scope all have a value on both sides and are
the same, in type too. A missing side is unknown and never authorises. Where a grant's expiry cannot be decided (no
``expires_at``, a naive time in doubt, no ``as_of``), the strictest outcome over both continuations stands [ours]; so
does the strictest decision where several grants in force match exactly [ours], so that their order means nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from inspector.errors import FieldError
from inspector.gate.action import CAUTIOUS, Action, shorten
from inspector.i18n import _d
from inspector.records import ABSENT, Presence, presence_of
from inspector.times import Instant, at_or_before, parse_time
from inspector.trit import NO, UNKNOWN, YES, Trit, k_and

GRANT_FIELDS = ("agent_id", "action_type", "target_resource", "recipient", "scope")
_NEAR_FIELDS = GRANT_FIELDS[:3]
Decision = Literal["allow", "verify_first", "block"]
#: How every decision but allow and block is read.
CAUTIOUS_DECISION: Decision = "verify_first"
_STRICTNESS: Mapping[str, int] = {"allow": 0, "verify_first": 1, "block": 2}


@dataclass(frozen=True, slots=True)
class FieldMatch:
    """One of the five fields, as the tool call and the grant have it (ABSENT where the key is missing)."""

    name: str
    call: Any
    grant: Any
    same: Trit


@dataclass(frozen=True, slots=True)
class GrantComparison:
    """One grant against the tool call, field by field, for the screen.

    ``exact`` is the Kleene AND of the five; ``in_force`` is ``expires_at ≥ as_of``. ``decision`` is how the grant's
    word is read, ``stated`` the word itself. ``decides`` marks the grants that the outcome rests on.
    """

    grant_id: str
    fields: tuple[FieldMatch, ...]
    exact: Trit
    expires_at: Any
    in_force: Trit
    decision: Decision
    stated: Any
    note: str = ""
    decides: bool = False

    @property
    def differing(self) -> tuple[str, ...]:
        """Names of the fields that differ or cannot be compared."""
        return tuple(match.name for match in self.fields if match.same is not YES)


@dataclass(frozen=True, slots=True)
class GrantOutcome:
    """What the grants say: GATE_PASS or GATE_FAIL, the action they demand (None for a pass), and the reason."""

    result: Literal["GATE_PASS", "GATE_FAIL"]
    demands: Action | None
    reason: str
    compared: tuple[GrantComparison, ...]


def compare_grants(tool_call: Any, grants: Any, as_of: Instant | None, timezone: str | None = None) -> GrantOutcome:
    """Hold a recorded tool call against the query's grants (DESIGN 7). Never raises, whatever either holds.

    ``grants`` may be missing, no list, or hold what is no object; none of that authorises anything. ``timezone`` is
    the store's, for grants whose expiry is naive.
    """
    if not isinstance(tool_call, Mapping):
        return GrantOutcome(
            "GATE_FAIL",
            CAUTIOUS,
            _d("tool_call is {shorten}, an object is expected").format(shorten=shorten(tool_call)),
            (),
        )
    entries = list(grants) if isinstance(grants, list | tuple) else []
    compared = tuple(_compare(tool_call, grant, i, as_of, timezone) for i, grant in enumerate(entries, start=1))
    exact = [grant for grant in compared if grant.exact is YES]
    possible = [grant for grant in exact if grant.in_force is not NO]
    if not possible:
        if grants is not None and not isinstance(grants, list | tuple):
            reason = _d("grants is {shorten}, a list is expected").format(shorten=shorten(grants))
        else:
            reason = _no_match(compared, exact, bool(entries))
        return GrantOutcome("GATE_FAIL", CAUTIOUS, reason, compared)
    certain = [grant for grant in possible if grant.in_force is YES]
    decision = max((grant.decision for grant in possible), key=_STRICTNESS.__getitem__)
    if not certain and decision == "allow":
        # Without the grant in doubt nothing would match: the stricter of the two continuations.
        ids = _ids(possible)
        why = "; ".join(dict.fromkeys(grant.note for grant in possible if grant.note))
        return GrantOutcome(
            "GATE_FAIL", CAUTIOUS, _d("exact grant {ids}, expiry unknown: {why}").format(ids=ids, why=why), compared
        )
    deciding = [grant for grant in possible if grant.decision == decision]
    chosen = {id(grant) for grant in deciding}
    marked = tuple(replace(grant, decides=True) if id(grant) in chosen else grant for grant in compared)
    doubt = "" if any(grant.in_force is YES for grant in deciding) else _d(", expiry unknown")
    reason = _d("exact grant {ids}: {decision}{doubt}").format(ids=_ids(deciding), decision=decision, doubt=doubt)
    if decision == "allow":
        return GrantOutcome("GATE_PASS", None, reason, marked)
    if decision == "block":
        return GrantOutcome("GATE_FAIL", "block", reason, marked)
    stated = deciding[0].stated
    if stated != CAUTIOUS:
        reason += _d(" (its decision is {shorten})").format(
            shorten="missing" if stated in (ABSENT, None) else shorten(stated)
        )
    return GrantOutcome("GATE_FAIL", CAUTIOUS, reason, marked)


def _no_match(compared: tuple[GrantComparison, ...], exact: list[GrantComparison], any_grants: bool) -> str:
    if exact:
        return _d("exact but expired: {ids}").format(ids=_ids(exact))
    near = [
        grant
        for grant in compared
        if all(match.same is YES for match in grant.fields if match.name in _NEAR_FIELDS) and grant.fields
    ]
    if near:
        listed = "; ".join(
            _d("{grant_id} differs in {differences}").format(grant_id=grant.grant_id, differences=_differences(grant))
            for grant in near[:5]
        )
        more = _d("; {count} more").format(count=len(near) - 5) if len(near) > 5 else ""
        return _d("same agent, action and resource: {listed}{more}").format(listed=listed, more=more)
    return _d("no grant matches the tool call") if any_grants else _d("no grant is recorded")


def _differences(grant: GrantComparison) -> str:
    return ", ".join(
        match.name if match.same is NO else _d("{name} (missing)").format(name=match.name)
        for match in grant.fields
        if match.same is not YES
    )


def _ids(grants: list[GrantComparison]) -> str:
    shown = ", ".join(grant.grant_id for grant in grants[:5])
    return shown if len(grants) <= 5 else _d("{shown} and {count} more").format(shown=shown, count=len(grants) - 5)


def _compare(
    call: Mapping[str, Any], grant: Any, number: int, as_of: Instant | None, timezone: str | None
) -> GrantComparison:
    if not isinstance(grant, Mapping):
        note = _d("grant {number} is {shorten}, an object is expected").format(number=number, shorten=shorten(grant))
        return GrantComparison(
            _d("grant {number}").format(number=number), (), UNKNOWN, ABSENT, UNKNOWN, CAUTIOUS_DECISION, ABSENT, note
        )
    fields = tuple(
        FieldMatch(name, call.get(name, ABSENT), grant.get(name, ABSENT), _same(call.get(name), grant.get(name)))
        for name in GRANT_FIELDS
    )
    expires_at, stated = grant.get("expires_at", ABSENT), grant.get("decision", ABSENT)
    in_force, note = _in_force(expires_at, as_of, timezone)
    decision: Decision = CAUTIOUS_DECISION
    if stated == "allow":
        decision = "allow"
    elif stated == "block":
        decision = "block"
    named = grant.get("grant_id")
    grant_id = named if isinstance(named, str) and named else _d("grant {number}").format(number=number)
    exact = k_and(match.same for match in fields)
    return GrantComparison(grant_id, fields, exact, expires_at, in_force, decision, stated, note)


def _same(call: Any, grant: Any) -> Trit:
    if not _comparable(call) or not _comparable(grant):
        return UNKNOWN
    return Trit.of(type(call) is type(grant) and call == grant)


def _comparable(value: Any) -> bool:
    if presence_of(value) is not Presence.VALUE or isinstance(value, bool):
        return False
    return isinstance(value, str | int | float)


def _in_force(expires_at: Any, as_of: Instant | None, timezone: str | None) -> tuple[Trit, str]:
    if presence_of(expires_at) is not Presence.VALUE:
        return UNKNOWN, _d("the grant states no expires_at")
    try:
        end = parse_time(expires_at, "expires_at", timezone)
    except FieldError:
        return UNKNOWN, _d("expires_at {shorten} is no time").format(shorten=shorten(expires_at))
    if as_of is None:
        return UNKNOWN, _d("the query has no as_of")
    known = at_or_before(as_of, end)
    return known, _d("a naive time could be either side of as_of") if known is UNKNOWN else ""
