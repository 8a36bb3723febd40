"""The planes of one store side by side: rows, vectors, an older export; differences by id (DESIGN 11).

A memory of one plane is the other's where the uids agree, or the ids alone where one of the two planes does not say
whose it is. Two exports with no id in common are taken for different stores, and nothing is compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from inspector.i18n import _d
from inspector.records import Memory, Settings
from inspector.store.lint_codes import Finding
from inspector.store.lint_store import descriptive, normalised
from inspector.times import Instant, at_or_before, parse_time
from inspector.trit import Trit


@dataclass(frozen=True, slots=True)
class Plane:
    """One export of the store: its name (the file's, or the plane that its records state) and its memories."""

    name: str
    memories: Sequence[Memory]


@dataclass(frozen=True, slots=True)
class Lost:
    """A memory that a later export has with fewer fields: the earlier one, the later one, the fields that went."""

    earlier: Memory
    later: Memory
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """Two planes compared: memories that only one has, pairs whose texts differ, pairs that an update made poorer."""

    first: str
    second: str
    only_first: tuple[Memory, ...]
    only_second: tuple[Memory, ...]
    both: int
    other_text: tuple[tuple[Memory, Memory], ...]
    lost: tuple[Lost, ...]

    @property
    def related(self) -> bool:
        """Whether any memory is in both: else they are two stores."""
        return self.both > 0

    @property
    def words(self) -> str:
        """The difference in one line."""
        if not self.related:
            return _d("{first} and {second} have no id in common: taken for two stores").format(
                first=self.first, second=self.second
            )
        return _d(
            "{both:,} memories in both {first} and {second}; only in {first}: {count:,}; "
            "only in {second}: {count2:,}; with another text: {count3:,}"
        ).format(
            both=self.both,
            first=self.first,
            second=self.second,
            count=len(self.only_first),
            count2=len(self.only_second),
            count3=len(self.other_text),
        )


def by_stated_plane(memories: Sequence[Memory], name: str) -> list[Plane]:
    """The planes that records state in ``plane``; those that state none belong to the plane called ``name``."""
    found: dict[str, list[Memory]] = {}
    for memory in memories:
        stated = memory.value("plane")
        found.setdefault(name if stated is None else str(stated), []).append(memory)
    return [Plane(*one) for one in found.items()]


def differences(planes: Sequence[Plane], settings: Settings) -> list[Difference]:
    """Every two planes compared, in order."""
    return [_difference(first, second, settings) for first, second in combinations(planes, 2)]


def _difference(first: Plane, second: Plane, settings: Settings) -> Difference:
    by_uid = {memory.uid: memory for memory in second.memories}
    by_id: dict[str, list[Memory]] = {}
    for memory in second.memories:
        by_id.setdefault(memory.id, []).append(memory)
    matched: set[int] = set()
    only_first: list[Memory] = []
    pairs: list[tuple[Memory, Memory]] = []
    for memory in first.memories:
        twin = by_uid.get(memory.uid)
        twins = [twin] if twin is not None else _by_id(memory, by_id.get(memory.id, []))
        if not twins:
            only_first.append(memory)
            continue
        matched.update(id(one) for one in twins)
        pairs.append((memory, twins[0]))
    other_text = tuple(pair for pair in pairs if normalised(pair[0].text) != normalised(pair[1].text))
    lost = [one for pair in pairs if (one := _lost(*pair, settings)) is not None]
    only_second = tuple(memory for memory in second.memories if id(memory) not in matched)
    return Difference(first.name, second.name, tuple(only_first), only_second, len(pairs), other_text, tuple(lost))


def _by_id(memory: Memory, candidates: Sequence[Memory]) -> list[Memory]:
    if not memory.uid.namespace:
        return list(candidates)
    return [one for one in candidates if not one.uid.namespace]


def _lost(one: Memory, other: Memory, settings: Settings) -> Lost | None:
    """The fields that an update dropped, where the two exports have the memory from before and from after one."""
    times = [_changed_at(memory, settings) for memory in (one, other)]
    first, second = times
    if first is None or second is None or first.us == second.us:
        return None
    order = at_or_before(first, second)
    if order == Trit.UNKNOWN:
        return None
    earlier, later = (one, other) if order == Trit.YES else (other, one)
    gone = tuple(sorted(descriptive(earlier) - descriptive(later)))
    return Lost(earlier, later, gone) if gone else None


def _changed_at(memory: Memory, settings: Settings) -> Instant | None:
    for name in ("updated_at", "created_at"):
        value = memory.value(name)
        if value is not None:
            return parse_time(value, name, settings.timezone)
    return None


def plane_findings(found: Sequence[Difference]) -> Iterator[Finding]:
    """The findings of lint on planes that belong to one store: ghosts, other texts, losses."""
    for one in found:
        if not one.related:
            continue
        for memory in one.only_first:
            yield Finding(
                "ghost",
                memory.origin,
                _d("in {first}, gone from {second}").format(first=one.first, second=one.second),
                str(memory.uid),
            )
        for memory in one.only_second:
            yield Finding(
                "ghost",
                memory.origin,
                _d("in {second}, gone from {first}").format(second=one.second, first=one.first),
                str(memory.uid),
            )
        for memory, other in one.other_text:
            words = _d("another text than in {second} at {origin}").format(second=one.second, origin=other.origin)
            yield Finding("plane-differs", memory.origin, words, str(memory.uid), None, "text")
        for lost in one.lost:
            words = _d("had {fields} at {origin}, before it was updated").format(
                fields=", ".join(lost.fields), origin=lost.earlier.origin
            )
            yield Finding("metadata-lost", lost.later.origin, words, str(lost.later.uid), None, lost.fields[0])
