"""The coverage map of a store: governs present or absent × authority present or absent (DESIGN 7).

It speaks of what the records say; assumptions that a user declared do not fill a cell.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.gate.action import PreAction, authority_signals, pre_action
from inspector.gate.governs import Governs, governs_of
from inspector.records import Memory, Uid

#: Values of ``sensitivity`` that say a record is not sensitive; any other stated value says it is [ours].
NOT_SENSITIVE = frozenset(("low", "none", "public", "ordinary_fact"))


class Protection(enum.Enum):
    """A cell of the coverage map, by the protection that it gives."""

    NONE = "none"
    RETRIEVAL_ONLY = "retrieval-time only"
    GATE_RESCUES = "gate rescues"
    FULL_CHAIN = "full chain"

    @property
    def governs(self) -> bool:
        """Whether governs is present in the cell."""
        return self in (Protection.GATE_RESCUES, Protection.FULL_CHAIN)

    @property
    def authority(self) -> bool:
        """Whether an authority signal is present in the cell."""
        return self in (Protection.RETRIEVAL_ONLY, Protection.FULL_CHAIN)


def protection(governs_present: bool, authority_present: bool) -> Protection:
    """The cell of the map for the two answers."""
    if governs_present:
        return Protection.FULL_CHAIN if authority_present else Protection.GATE_RESCUES
    return Protection.RETRIEVAL_ONLY if authority_present else Protection.NONE


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one record stands on the map, and the two marks that keep its cell honest.

    ``declared_not_enforced``: it carries authority, yet row 7 decides its action. ``cannot_fire``: it carries governs
    without action types, or read only. ``sensitive_with_neither``: stated sensitive, in the cell "none".
    """

    protection: Protection
    signals: tuple[str, ...]
    declared_not_enforced: bool
    cannot_fire: bool
    sensitive_with_neither: bool
    malformed: tuple[str, ...]


def standing_of(memory: Memory, governs: Governs | None = None, pre: PreAction | None = None) -> Standing:
    """Where a memory stands; ``governs`` and the action without assumptions may be given where they have been read."""
    block = governs_of(memory) if governs is None else governs
    signals = authority_signals(memory)
    cell = protection(block.present, bool(signals))
    return Standing(
        cell,
        signals,
        bool(signals) and (pre_action(memory) if pre is None else pre).row == 7,
        block.cannot_fire,
        cell is Protection.NONE and is_sensitive(memory),
        block.faults,
    )


def is_sensitive(memory: Memory) -> bool:
    """Whether a record is stated to be sensitive: any ``sensitivity`` but one that says it is not [ours]."""
    value = memory.value("sensitivity")
    return value is not None and not (isinstance(value, str) and value.strip().lower() in NOT_SENSITIVE)


@dataclass(frozen=True, slots=True)
class CellRecords:
    """One cell: the indices of its memories, and of those that carry each of the two marks, in store order."""

    protection: Protection
    memories: tuple[int, ...]
    declared_not_enforced: tuple[int, ...]
    cannot_fire: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CoverageMap:
    """The map of a store. ``cells`` holds the four in the order none, retrieval-time only, gate rescues, full chain.

    ``malformed`` pairs an index with why its governs cannot be read; such a record counts as governs absent.
    """

    cells: tuple[CellRecords, CellRecords, CellRecords, CellRecords]
    sensitive_with_neither: tuple[int, ...]
    malformed: tuple[tuple[int, str], ...]

    def cell(self, protection: Protection) -> CellRecords:
        """The cell by its name."""
        return next(cell for cell in self.cells if cell.protection is protection)

    @property
    def total(self) -> int:
        """How many records the map holds."""
        return sum(len(cell.memories) for cell in self.cells)

    def to_json(self, memories: Sequence[Memory]) -> dict[str, Any]:
        """The map as ``inspector coverage --json`` prints it; ``memories`` are those that it was made from."""

        def ids(indices: Iterable[int]) -> list[dict[str, Any]]:
            return [uid_json(memories[index].uid) for index in indices]

        return {
            "memories": self.total,
            "cells": [
                {
                    "protection": cell.protection.value,
                    "governs": cell.protection.governs,
                    "authority": cell.protection.authority,
                    "count": len(cell.memories),
                    "declared_but_not_enforced": ids(cell.declared_not_enforced),
                    "gate_cannot_fire": ids(cell.cannot_fire),
                    "memories": ids(cell.memories),
                }
                for cell in self.cells
            ],
            "sensitive_with_neither": ids(self.sensitive_with_neither),
            "malformed_governs": [
                {**uid_json(memories[index].uid), "reason": reason} for index, reason in self.malformed
            ],
        }


def uid_json(uid: Uid) -> dict[str, Any]:
    """A uid as JSON output writes it: the namespace as the source has it, null where there is none, and the id."""
    return {"namespace": json.loads(uid.namespace) if uid.namespace else None, "id": uid.id}


def coverage(memories: Iterable[Memory]) -> CoverageMap:
    """The coverage map of a store; indices count the memories as given."""
    held: dict[Protection, list[int]] = {cell: [] for cell in Protection}
    unenforced: dict[Protection, list[int]] = {cell: [] for cell in Protection}
    silent: dict[Protection, list[int]] = {cell: [] for cell in Protection}
    bare: list[int] = []
    malformed: list[tuple[int, str]] = []
    for index, memory in enumerate(memories):
        standing = standing_of(memory)
        held[standing.protection].append(index)
        if standing.declared_not_enforced:
            unenforced[standing.protection].append(index)
        if standing.cannot_fire:
            silent[standing.protection].append(index)
        if standing.sensitive_with_neither:
            bare.append(index)
        if standing.malformed:
            malformed.append((index, "; ".join(standing.malformed)))

    def records(cell: Protection) -> CellRecords:
        return CellRecords(cell, tuple(held[cell]), tuple(unenforced[cell]), tuple(silent[cell]))

    cells = (
        records(Protection.NONE),
        records(Protection.RETRIEVAL_ONLY),
        records(Protection.GATE_RESCUES),
        records(Protection.FULL_CHAIN),
    )
    return CoverageMap(cells, tuple(bare), tuple(malformed))
