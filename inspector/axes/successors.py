"""Which stored memory ``superseded_by`` means (DESIGN 3 rule 4)."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.axes.ground import Ground
from inspector.axes.lifecycle import Successor
from inspector.i18n import _d
from inspector.ids import ById
from inspector.records import Memory


class Successors:
    """Resolution of ``superseded_by`` by id: in the memory's own namespace first, else where the id is unique.

    A namespace here is that of the uid, which no edit changes, so an edited owner does not re-aim a link. One link is
    followed, never a chain: a cycle cannot loop.
    """

    def __init__(self, ground: Ground, memories: Sequence[Memory], by_id: ById) -> None:
        self.ground = ground
        self.memories = memories
        self.by_id = by_id
        self.naming: dict[str, set[int]] = {}
        self._named: dict[int, str] = {}

    def note(self, mi: int, name: str | None) -> None:
        """Remember which memory names which id as its successor, so that an edit of that one reaches this one."""
        before = self._named.pop(mi, None)
        if before is not None:
            self.naming[before].discard(mi)
        if name is not None:
            self._named[mi] = name
            self.naming.setdefault(name, set()).add(mi)

    def predecessors(self, mi: int) -> frozenset[int]:
        """The memories that name this one's id as their successor."""
        return frozenset(self.naming.get(self.memories[mi].id, ()))

    def of(self, memory: Memory) -> Successor | None:
        """The successor that a memory names, None where it names none."""
        name = self.ground.value(memory, "superseded_by")
        if name is None:
            return None
        name = str(name)
        places = self.by_id.get(name, ())
        near = [mi for mi in places if self.memories[mi].owner_key == memory.owner_key]
        if name == memory.id and near:
            # Its own id: no memory takes its own place.
            return Successor(name, None, _d("is the memory itself"))
        if near:
            return Successor(name, self.memories[near[0]])
        if not places:
            return Successor(name, None, _d("is not in the store"))
        if len(places) > 1:
            return Successor(name, None, _d("is in {count} other namespaces").format(count=len(places)))
        return Successor(name, self.memories[places[0]])
