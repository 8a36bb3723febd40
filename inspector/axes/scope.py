"""Scope: whose is the memory (DESIGN 3). The rules for one pair, with reasons."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.axes.ground import Ground
from inspector.axes.verdict import AxisResult
from inspector.i18n import D_, _d
from inspector.records import FieldRead, Memory, Presence, Query, presence_of, show_namespace
from inspector.trit import Trit, k_and

_BOTH = D_("namespace and session")

#: An owner: its segments, and whether it was written as a list (only a list covers what lies under it).
Owner = tuple[tuple[str, ...], bool]


@dataclass(frozen=True, slots=True)
class Owners:
    """The owners of one side, alias groups already folded; ``open`` where one of them has no value.

    ``shown`` keeps the namespaces as written, in the order of ``known``.
    """

    known: tuple[Owner, ...]
    open: bool
    shown: tuple[Any, ...] = ()

    @property
    def key(self) -> tuple[frozenset[Owner], bool]:
        """What two sides must share to be treated alike everywhere."""
        return frozenset(self.known), self.open


def alias_map(groups: Iterable[Sequence[str]]) -> dict[str, str]:
    """Each aliased id to one representative of its owner; groups that share an id are one owner."""
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while parent.setdefault(name, name) != name:
            name = parent[name]
        return name

    for group in groups:
        for name in group:
            # The smaller name leads, so that the order of the groups does not matter.
            first, second = sorted((root(group[0]), root(name)))
            parent[second] = first
    return {name: root(name) for name in parent}


def owner_of(namespace: Any, aliases: Mapping[str, str]) -> Owner | None:
    """A namespace (a string or a list of segments) as an owner; None where it is empty or no namespace."""
    if isinstance(namespace, str) and namespace:
        return (aliases.get(namespace, namespace),), False
    if isinstance(namespace, list | tuple) and namespace:
        return tuple(aliases.get(str(part), str(part)) for part in namespace), True
    return None


def owners_of(namespaces: Iterable[Any], aliases: Mapping[str, str]) -> Owners:
    """All owners of one side; an empty one among them leaves the side open."""
    known: list[Owner] = []
    shown: list[Any] = []
    is_open = False
    for namespace in namespaces:
        owner = owner_of(namespace, aliases)
        if owner is None:
            is_open = True
        else:
            known.append(owner)
            shown.append(namespace)
    return Owners(tuple(known), is_open, tuple(shown))


def covers(owner: Owner, other: Owner) -> bool:
    """Whether ``other`` lies in ``owner``: equal, or under it where the owner is a list (DESIGN 3).

    Segment by segment: ``["tenant","acme"]`` covers ``["tenant","acme","notes"]``, never ``["tenant","acme-corp"]``.
    A string matches whole; a string and a list of that one segment are the same owner.
    """
    mine, is_list = owner
    theirs = other[0]
    return theirs[: len(mine)] == mine if is_list else theirs == mine


class Scope:
    """The scope axis under one setting: isolation, shared namespaces and aliases."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.isolation = ground.settings.isolation
        self.aliases = alias_map(ground.settings.aliases)
        self.shared = owners_of(ground.settings.shared_namespaces, self.aliases).known

    def memory_owners(self, memory: Memory) -> Owners | None:
        """The memory's owners, from ``namespace`` and ``namespaces`` together; None where neither has a value."""
        raw: list[Any] = []
        own, several = memory.value("namespace"), memory.value("namespaces")
        if own is None and several is None:
            own = self.ground.value(memory, "namespace")
            several = None if own is not None else self.ground.value(memory, "namespaces")
        if own is not None:
            raw.append(own)
        if several is not None:
            raw.extend(several)
        owners = owners_of(raw, self.aliases)
        return owners if owners.known else None

    def principal_owners(self, query: Query) -> Owners | None:
        """The principal's namespaces as owners; None where they have no value."""
        namespaces = self.ground.principal_part(query, "namespaces")
        owners = owners_of(namespaces or (), self.aliases)
        return owners if owners.known else None

    def cover(self, memory: Owners | None, principal: Owners | None) -> Trit:
        """The namespace test on two sides: shared → 1; either side missing → ?; covered → 1; else 0 (DESIGN 3)."""
        if memory is None:
            return Trit.UNKNOWN
        if any(covers(shared, owner) for shared in self.shared for owner in memory.known):
            return Trit.YES
        if principal is None:
            return Trit.UNKNOWN
        if any(covers(mine, owner) for mine in principal.known for owner in memory.known):
            return Trit.YES
        return Trit.UNKNOWN if memory.open or principal.open else Trit.NO

    def explain(self, memory: Memory, query: Query) -> AxisResult:
        """Scope of one pair with its reason: the AND of the enabled tests."""
        tests = []
        if "namespace" in self.isolation:
            tests.append(self._namespace_test(memory, query))
        if "session" in self.isolation:
            tests.append(self._session_test(memory, query))
        value = k_and(test.value for test in tests)
        deciding = [test for test in tests if test.value == value]
        reads = tuple(read for test in tests for read in test.reads)
        assumed = any(test.assumed for test in deciding)
        return AxisResult(
            value,
            _BOTH if len(deciding) > 1 else deciding[0].rule,
            "; ".join(test.reason for test in deciding),
            reads,
            tuple(name for test in deciding for name in test.missing) if value == Trit.UNKNOWN else (),
            assumed,
        )

    def _namespace_test(self, memory: Memory, query: Query) -> AxisResult:
        ours, theirs = self.memory_owners(memory), self.principal_owners(query)
        value = self.cover(ours, theirs)
        reads = self._owner_reads(memory)
        principal = self.ground.read(query, "principal.namespaces")
        reason, missing = self._namespace_words(value, ours, theirs)
        # Of a shared memory nobody asks whose it is.
        used = reads if ours is not None and self._is_shared(ours) else (*reads, principal)
        assumed = not missing and any(read.origin == "assumption" for read in used)
        return AxisResult(value, "namespace", reason, used, missing, assumed)

    def _owner_reads(self, memory: Memory) -> tuple[FieldRead, ...]:
        reads = [self.ground.read(memory, name) for name in ("namespace", "namespaces")]
        if any(read.presence is Presence.VALUE and read.origin != "assumption" for read in reads):
            # One of the two names states the owner, so nothing was assumed about the other.
            reads = [read for read in reads if read.origin != "assumption"]
        present = [read for read in reads if read.presence is Presence.VALUE]
        return tuple(present[:1] if present and present[0].origin == "assumption" else present or reads[:1])

    def _is_shared(self, ours: Owners) -> bool:
        return any(covers(shared, owner) for shared in self.shared for owner in ours.known)

    def _namespace_words(self, value: Trit, ours: Owners | None, theirs: Owners | None) -> tuple[str, tuple[str, ...]]:
        if ours is None:
            missing = ("namespace",) if theirs is not None else ("namespace", "query.principal.namespaces")
            return _d("the memory names no namespace"), missing
        shown = " + ".join(f"'{show_namespace(namespace)}'" for namespace in ours.shown)
        for owner, written in zip(ours.known, ours.shown, strict=True):
            if any(covers(shared, owner) for shared in self.shared):
                return _d("namespace '{show_namespace}' is shared").format(show_namespace=show_namespace(written)), ()
        if theirs is None:
            return _d("the query names no namespaces of its principal"), ("query.principal.namespaces",)
        listed = ", ".join(f"'{show_namespace(namespace)}'" for namespace in theirs.shown) or _d("none known")
        for owner, written in zip(ours.known, ours.shown, strict=True):
            for mine, as_written in zip(theirs.known, theirs.shown, strict=True):
                if covers(mine, owner):
                    return self._match_words(written, as_written, owner, mine), ()
        if value == Trit.UNKNOWN:
            side = "namespaces" if ours.open else "query.principal.namespaces"
            return _d("namespace {shown} is not among the principal's: {listed}, but one of them has no value").format(
                shown=shown, listed=listed
            ), (side,)
        detail = _difference(ours, theirs)
        return _d("namespace {shown} is not among the principal's: {listed}{detail}").format(
            shown=shown, listed=listed, detail=detail
        ), ()

    def _match_words(self, written: Any, as_written: Any, owner: Owner, mine: Owner) -> str:
        shown = f"namespace '{show_namespace(written)}'"
        if show_namespace(written) == show_namespace(as_written):
            return _d("{shown} is the principal's").format(shown=shown)
        if owner[0] == mine[0]:
            return _d("{shown} is an alias of the principal's '{show_namespace}'").format(
                shown=shown, show_namespace=show_namespace(as_written)
            )
        return _d("{shown} lies under the principal's '{show_namespace}'").format(
            shown=shown, show_namespace=show_namespace(as_written)
        )

    def _session_test(self, memory: Memory, query: Query) -> AxisResult:
        mine, theirs = self.ground.read(memory, "session_id"), self.ground.read(query, "session_id")
        reads = [mine, theirs]
        claim = self.ground.read(query, "claimed_session_id")
        if claim.presence is Presence.VALUE:
            reads.append(claim)
        missing = [name for name, read in (("session_id", mine), ("query.session_id", theirs)) if not _has(read)]
        if missing:
            value = Trit.UNKNOWN
            reason = (
                _d("the memory and the query name no session")
                if len(missing) == 2
                else _d("the query names no session")
                if _has(mine)
                else _d("the memory names no session")
            )
            if not _has(theirs) and _has(claim):
                reason += _d("; the claimed session '{value}' is the client's word and proves nothing").format(
                    value=claim.value
                )
        elif mine.value == theirs.value:
            value, reason = Trit.YES, _d("session '{value}' is the query's").format(value=mine.value)
        else:
            value, reason = (
                Trit.NO,
                _d("session '{value}' is not the query's: '{value2}'").format(value=mine.value, value2=theirs.value),
            )
        assumed = not missing and any(read.origin == "assumption" for read in (mine, theirs))
        return AxisResult(value, "session", reason, tuple(reads), tuple(missing), assumed)

    def notes(self, memory: Memory, query: Query, value: Trit) -> list[str]:
        """Sentences beside the scope: a claim that differs from the session, a match that text search would make."""
        found = []
        claim, session = self.ground.value(query, "claimed_session_id"), self.ground.value(query, "session_id")
        if claim is not None and session is not None and claim != session:
            found.append(
                _d("the client claimed session '{claim}', the authenticated session is '{session}'").format(
                    claim=claim, session=session
                )
            )
        ours, theirs = self.memory_owners(memory), self.principal_owners(query)
        if value == Trit.NO and ours is not None and theirs is not None and self.cover(ours, theirs) == Trit.NO:
            pairs = [(a, b) for a in ours.shown for b in theirs.shown]
            if any(_text_match(a, b) for a, b in pairs):
                found.append(
                    _d("a search by text prefix would have matched the namespaces; compared whole they differ")
                )
        return found


def session_mismatch(query: Query) -> bool:
    """Whether the client claimed another session than the authenticated one (DESIGN 3)."""
    claim, session = query.value("claimed_session_id"), query.value("session_id")
    return claim is not None and session is not None and claim != session


def _has(read: FieldRead) -> bool:
    return presence_of(read.value) is Presence.VALUE


def _difference(ours: Owners, theirs: Owners) -> str:
    """Where two lists part, said for the one pair that there is."""
    if len(ours.known) != 1 or len(theirs.known) != 1:
        return ""
    (mine, mine_list), (other, other_list) = theirs.known[0], ours.known[0]
    if not (mine_list or other_list) or (len(mine) == 1 and len(other) == 1):
        return ""
    for place, (a, b) in enumerate(zip(other, mine, strict=False), start=1):
        if a != b:
            return _d(" (segment {place} differs: '{a}' is not '{b}')").format(place=place, a=a, b=b)
    if len(other) < len(mine):
        return _d(" (the memory's stands above it)")
    return _d(" (a text matches only whole, a list what lies under it)")


def _text_match(stored: Any, wanted: Any) -> bool:
    """Whether an SQL ``LIKE 'wanted%'`` on joined segments would have matched, wildcards unescaped."""

    def joined(namespace: Any) -> str:
        return ".".join(map(str, namespace)) if isinstance(namespace, list | tuple) else str(namespace)

    pattern = "".join({"_": ".", "%": ".*"}.get(char, re.escape(char)) for char in joined(wanted)[:200])
    if pattern.count(".*") > 3:  # a hostile namespace must not buy a slow match
        return False
    return re.match(pattern, joined(stored)[:400], re.DOTALL) is not None
