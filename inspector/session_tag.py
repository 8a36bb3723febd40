"""Session, semantic tag and exact key of one pair: the tests side by side, whatever the axes go by (DESIGN 9, BM).

A session id says whose container a memory is in, a tag what it is about; only both together say that it is needed now.
Where a store has no tags, its exact keys may say so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inspector.i18n import _d
from inspector.records import FieldRead, Memory, Presence, Query, read_field
from inspector.trit import Trit


@dataclass(frozen=True, slots=True)
class SessionTag:
    """The tests and what was read: the memory's value, then the query's; a claimed session proves nothing.

    ``key`` is whether the memory has every exact key that the query names, with the same value.
    """

    session: Trit
    tag: Trit
    key: Trit
    sessions: tuple[FieldRead, FieldRead]
    tags: tuple[FieldRead, FieldRead]
    keys: tuple[FieldRead, FieldRead]

    @property
    def both(self) -> Trit:
        """Session AND tag: what the route ``session_tag`` keeps is 1 alone."""
        return min(self.session, self.tag)

    @property
    def stated(self) -> bool:
        """Whether any side states a session or a tag."""
        return any(read.presence is Presence.VALUE for read in (*self.sessions, *self.tags))

    @property
    def words(self) -> str:
        """Both tests in words."""
        return _d("session: {session}; tag: {tag}").format(
            session=_words(self.session, self.sessions), tag=_words(self.tag, self.tags)
        )

    @property
    def key_words(self) -> str:
        """What the exact keys say; "" where the query names none."""
        wanted = _wanted(self.keys[1])
        held = _wanted(self.keys[0])
        said = (
            _d("{name} both {value!r}").format(name=name, value=value)
            if _same(held.get(name), value) is Trit.YES
            else _d("{name} {held!r} ≠ the query's {value!r}").format(name=name, held=held[name], value=value)
            if name in held
            else _d("{name}: the memory has none").format(name=name)
            for name, value in wanted.items()
        )
        return ", ".join(said)

    def json(self) -> dict[str, Any]:
        """The object of ``inspector why --json``."""
        return {
            "session": self.session.json,
            "tag": self.tag.json,
            "both": self.both.json,
            "words": self.words,
            "exact_key": self.key.json,
        }


def session_tag(memory: Memory, query: Query, assumptions: Mapping[str, Any]) -> SessionTag:
    """Both tests of a pair: either side missing → ?, equal → 1, different → 0."""
    sessions = (read_field(memory, "session_id", assumptions), read_field(query, "session_id", assumptions))
    tags = (read_field(memory, "semantic_tag", assumptions), read_field(query, "semantic_tag", assumptions))
    keys = (read_field(memory, "keys", assumptions), read_field(query, "keys", assumptions))
    return SessionTag(_test(*sessions), _test(*tags), _key_test(*keys), sessions, tags, keys)


def _wanted(read: FieldRead) -> dict[str, Any]:
    """The keys that have a value."""
    return {name: value for name, value in read.value.items() if value is not None} if _is_object(read) else {}


def _is_object(read: FieldRead) -> bool:
    return isinstance(read.value, dict)


def _same(held: Any, wanted: Any) -> Trit:
    """Equal and of one kind: 1 is not true, and "1" is not 1; ? where the memory has no such key."""
    return (
        Trit.UNKNOWN if held is None else Trit.of(held == wanted and isinstance(held, bool) == isinstance(wanted, bool))
    )


def _key_test(mine: FieldRead, theirs: FieldRead) -> Trit:
    wanted, held = _wanted(theirs), _wanted(mine)
    return min((_same(held.get(name), value) for name, value in wanted.items()), default=Trit.UNKNOWN)


def _test(mine: FieldRead, theirs: FieldRead) -> Trit:
    if mine.presence is not Presence.VALUE or theirs.presence is not Presence.VALUE:
        return Trit.UNKNOWN
    return Trit.of(mine.value == theirs.value)


def _words(value: Trit, reads: tuple[FieldRead, FieldRead]) -> str:
    mine, theirs = reads
    if value is Trit.YES:
        return _d("both '{value}'").format(value=mine.value)
    if value is Trit.NO:
        return _d("'{mine}' ≠ the query's '{theirs}'").format(mine=mine.value, theirs=theirs.value)
    if mine.presence is Presence.VALUE:
        return _d("the query has none")
    return _d("the memory has none") if theirs.presence is Presence.VALUE else _d("the memory and the query have none")
