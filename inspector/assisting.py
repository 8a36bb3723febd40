"""The mapping assistant without its screen: what is proposed for an unknown export, changed by a person, tried on the
first records, and written as ``mapping.toml`` (:mod:`inspector.formats.mapping`).
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from inspector.addresses import is_address, short_name
from inspector.axes.engine import AxisEngine
from inspector.errors import InputError, InspectorError, Problem
from inspector.evaluation import judge_pairs
from inspector.formats.mapping import lookup_text, made_of
from inspector.formats.mapping_schema import UNITS, Mapped, check_mapping, split_path
from inspector.formats.propose import Proposal, Sample, mapping_toml, propose, sample
from inspector.formats.settings import check_timezone
from inspector.i18n import _, _d
from inspector.places import config_dir
from inspector.records import MEMORY_FIELDS, Memory, Origin, Query, Settings, default_as_of, show_namespace
from inspector.trit import Trit

__all__ = ["UNITS", "Assistant", "Previewed", "Proposal", "default_place"]

#: So many records are tried.
PREVIEW = 10
#: Values of a source path that are shown as examples.
_EXAMPLES = 3
#: Fields that are ours to fill: a mapping need not offer them.
_OURS = ("loss", "meta", "boundary_log")


@dataclass(frozen=True, slots=True)
class Previewed:
    """One sample record through the mapping: its axes for a question of the first owner, or what is wrong with it.

    ``fields`` are the record in our fields; ``reasons`` are the axes' own, by name.
    """

    number: int
    fields: Mapping[str, Any]
    trits: Mapping[str, Trit]
    reasons: Mapping[str, str]
    problem: Problem | None = None


class Assistant:
    """A mapping in the making. :meth:`of` reads the source and may take long; the rest is quick, but for
    :meth:`preview`, which evaluates."""

    def __init__(self, source: Path, taken: Sample) -> None:
        self.source = source
        self.sample = taken
        self.timezone = ""
        self.rules: dict[str, Proposal] = {one.target: one for one in propose(taken.rows)}

    @classmethod
    def of(cls, source: Path, table: str = "", records: str = "") -> Assistant:
        """Sample the source and propose. Raises InputError where no records can be found in it."""
        return cls(source, sample(source, table=table, records=records))

    @property
    def name(self) -> str:
        """The source in few characters."""
        return short_name(self.source)

    @property
    def is_database(self) -> bool:
        """Whether records are rows of a table."""
        return self.sample.container in ("sqlite", "postgresql")

    @cached_property
    def paths(self) -> list[str]:
        """Every source path of the sample records, in the order in which they are met."""
        found: dict[str, None] = {}

        def walk(node: Mapping[str, Any], before: str) -> None:
            for key, value in node.items():
                path = before + str(key).replace(".", "\\.")
                found.setdefault(path)
                if isinstance(value, dict):
                    walk(value, path + ".")

        for row in self.sample.rows:
            walk(row, "")
        return list(found)

    def examples(self, path: str) -> tuple[list[Any], int]:
        """The first different values at a source path, and how many of the sample records have it."""
        found: dict[str, Any] = {}
        held = 0
        for row in self.sample.rows:
            value, there = lookup_text(row, split_path(path))
            held += there
            if there and len(found) < _EXAMPLES and value not in (None, "", [], {}):
                found.setdefault(repr(value), value)
        return list(found.values()), held

    def targets(self) -> list[str]:
        """The fields that can be mapped: the mapped ones in their order, then the others."""
        known = [name for name in MEMORY_FIELDS if name not in _OURS]
        first = [name for name in ("id", "text", "namespace") if name in known]
        mapped = [name for name in known if name in self.rules and name not in first]
        return [*first, *mapped, *(name for name in known if name not in first and name not in mapped)]

    def set_paths(
        self,
        target: str,
        paths: Sequence[str],
        unit: str = "",
        split: str = "",
        values: Mapping[str, str] | None = None,
    ) -> None:
        """Read a field from source paths: one, or several for a namespace of segments. Raises InputError."""
        old = self.rules.get(target)
        self._try(replace(_chosen(target), paths=tuple(paths), unit=unit, split=split, values=dict(values or {})), old)

    def set_constant(self, target: str, value: Any) -> None:
        """Give every record one value of a field. Raises InputError for a value that the field cannot hold."""
        self._try(replace(_chosen(target), constant=value), self.rules.get(target))

    def clear(self, target: str) -> None:
        """Leave a field out."""
        self.rules.pop(target, None)

    def set_timezone(self, name: str) -> None:
        """Read naive times in this zone; "" leaves them naive. Raises FieldError for no zone."""
        self.timezone = check_timezone(name) or "" if name else ""

    def _try(self, rule: Proposal, old: Proposal | None) -> None:
        self.rules[rule.target] = rule
        try:
            self.mapped(others={"id": "x", "text": "x"})
        except InspectorError:
            if old is None:
                del self.rules[rule.target]
            else:
                self.rules[rule.target] = old
            raise

    def toml(self, beside: bool = False, others: Mapping[str, str] | None = None) -> str:
        """The text of mapping.toml; ``beside`` names the source's file in it. ``others`` stand in for missing rules."""
        rules = [self.rules[target] for target in self.targets() if target in self.rules]
        made = {rule.target for rule in rules}
        rules += [replace(_chosen(name), constant=value) for name, value in (others or {}).items() if name not in made]
        return mapping_toml(
            rules,
            records=self.sample.records,
            table=self.sample.table if self.is_database else "",
            timezone=self.timezone,
            file=self.source.name if beside and not is_address(self.source) else "",
        )

    def mapped(self, others: Mapping[str, str] | None = None) -> Mapped:
        """The mapping as it stands, checked. Raises InputError that names the key, as for a missing id or text."""
        return check_mapping(tomllib.loads(self.toml(others=others)), Path("mapping.toml"))

    def preview(self) -> list[Previewed]:
        """The first records through the mapping, judged for a question of the first owner. Raises InputError where the
        mapping is not complete."""
        made = made_of(self.mapped(), self.sample.rows[:PREVIEW], self.sample.container, self.name)
        memories = [one for one in made if isinstance(one, Memory)]
        rows = iter(_judged(memories, self.timezone or None))
        return [
            replace(next(rows), number=number)
            if isinstance(one, Memory)
            else Previewed(number, {}, {}, {}, problem=one)
            for number, one in enumerate(made, 1)
        ]

    def asker(self) -> str:
        """Whose question :meth:`preview` judges for, in words."""
        try:
            made = made_of(self.mapped(), self.sample.rows[:PREVIEW], self.sample.container, self.name)
        except InputError:
            return ""
        owner = _owner([one for one in made if isinstance(one, Memory)])
        return (
            _d("nobody's question")
            if owner is None
            else _d("a question of {owner}").format(owner=show_namespace(owner))
        )

    def write(self, path: Path, *, replaces: bool = False) -> Path:
        """Write mapping.toml; the folder is made. Raises InputError where the mapping is not complete, InspectorError
        where it cannot be written, or is there already and ``replaces`` is False."""
        self.mapped()
        beside = not is_address(self.source) and path.parent.resolve() == self.source.parent.resolve()
        if path.exists() and not replaces:
            raise InspectorError(_("{path}: is there already: give another name").format(path=path))
        if not is_address(self.source) and path.resolve() == self.source.resolve():
            raise InspectorError(
                _("{path}: is the source, which is never written: give another name").format(path=path)
            )
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            partial = path.with_name(f".{path.name}.part")
            partial.write_text(self.toml(beside), encoding="utf-8", newline="\n")
            os.replace(partial, path)
        except OSError as error:
            raise InspectorError(
                _("{path}: cannot be written: {strerror}").format(path=path, strerror=error.strerror)
            ) from None
        return path


def _chosen(target: str) -> Proposal:
    return Proposal(target, (), "chosen", _d("by hand"))


def _owner(memories: Iterable[Memory]) -> Any:
    return next((owner for memory in memories if (owner := memory.value("namespace")) is not None), None)


def _judged(memories: Sequence[Memory], timezone: str | None) -> list[Previewed]:
    if not memories:
        return []
    owner = _owner(memories)
    fields: dict[str, Any] = {"id": "preview", "text": "", "intent": "current"}
    if owner is not None:
        fields["principal"] = {"namespaces": [owner]}
    settings = Settings(timezone=timezone)
    settings = settings.with_(default_as_of=default_as_of(memories, None, timezone))
    engine = AxisEngine(memories, [Query(fields, Origin("preview"))], [], settings)
    index = np.arange(len(memories), dtype=np.int64)
    cells = judge_pairs(engine, index, np.zeros(len(memories), dtype=np.int64))
    names = ("scope", "policy", "lifecycle", "admissible")
    found = []
    for mi, memory in enumerate(memories):
        explained = engine.explain(mi, 0)
        reasons = {axis: getattr(explained, axis).reason for axis in names[:3]}
        found.append(Previewed(mi, memory.fields, {name: Trit(int(cells[name][mi])) for name in names}, reasons))
    return found


def default_place(source: Path) -> Path:
    """Where the mapping is proposed to go: beside the source where that folder can be written, else among the user's
    own mappings; a name that is not taken."""
    stem = re.sub(r"[^\w.-]+", "-", Path(short_name(source)).stem).strip("-.") or "source"
    folder = config_dir() / "mappings"
    names = [f"{stem}.mapping.toml", *(f"{stem}-{number}.mapping.toml" for number in range(2, 1000))]
    if not is_address(source) and os.access(source.resolve().parent, os.W_OK):
        folder = source.resolve().parent
        names.insert(0, "mapping.toml")
    return next((folder / name for name in names if not (folder / name).exists()), folder / names[-1])
