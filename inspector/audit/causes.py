"""The cause suggested for an incident, built from the fields that decided, so that many can share it (issue 5)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from inspector.audit.audit import QueryAudit
from inspector.audit.case import Row
from inspector.audit.stages import Proof
from inspector.i18n import _d, told
from inspector.records import FieldRead
from inspector.trit import Trit

#: The name of a lifecycle rule, as the axis has it.
_RULE = "lifecycle rule {rule}"
#: The fields that each lifecycle rule decides on (DESIGN 3); it reads those of the rules before it as well.
_LIFECYCLE: dict[int, frozenset[str]] = {
    1: frozenset(("deleted_at",)),
    2: frozenset(("boundary_state", "boundary_log")),
    3: frozenset(("created_at", "valid_from")),
    4: frozenset(("superseded_by",)),
    5: frozenset(("valid_to",)),
    6: frozenset(("status",)),
}


@dataclass(frozen=True, slots=True)
class Decided:
    """What decided a proving memory's verdict: an axis at the verdict's value, its rule, what it missed and read."""

    axis: str
    value: Trit
    rule: str
    missing: tuple[str, ...]
    reads: tuple[FieldRead, ...]


@dataclass(frozen=True, slots=True)
class Cause:
    """A suggested cause. Incidents of one ``key`` share it; ``words`` say it."""

    key: str
    words: str


def proof_of(audit: QueryAudit) -> Proof | None:
    """The proof that an incident is grouped by: the first of the worst, else the first that is open."""
    proofs = [proof for finding in audit.stages.findings for proof in finding.proofs]
    if not proofs:
        return audit.stages.open[0] if audit.stages.open else None
    told = {row.mi for row in audit.rows if row.verdict == Trit.NO and row.disclosed == Trit.YES}
    exposed = {row.mi for row in audit.rows if row.verdict == Trit.NO and row.exposed == Trit.YES}
    for worst in (told, exposed):
        found = next((proof for proof in proofs if proof.mi in worst), None)
        if found is not None:
            return found
    return proofs[0]


def cause_of(audit: QueryAudit, proof: Proof | None, decided: Sequence[Decided]) -> Cause:
    """The cause suggested for an incident, from the fields that decided its proof and how the memory got there."""
    if proof is None:
        return Cause("none", _d("nothing failed"))
    row = audit.row(proof.mi) if proof.mi is not None else None
    words = [proof.stage if proof.value == Trit.YES else _d("open: {stage}").format(stage=proof.stage)]
    if row is None:
        missing = proof.mi is None
        words.append(_d("the record is not stored") if missing else _d("the record is in no part of the trace"))
        return Cause("|".join(words), ", ".join(words))
    words.extend(_happened(proof, row))
    words.extend(_decided(one) for one in decided)
    words.extend(_source(row))
    return Cause("|".join(words), ", ".join(words))


def _happened(proof: Proof, row: Row) -> list[str]:
    """How the memory got into the prompt or missed it."""
    if proof.out_of_order:
        return [_d("events out of order")]
    if proof.stage == "candidate":
        return [_d("required, not retrieved")]
    if proof.stage == "assembly" and row.exposed == Trit.NO:
        return [_d("dropped by a reranker") if row.dropped else _d("cut by order or budget")]
    if proof.stage == "assembly":
        return [_d("exposed without being retrieved")]
    if proof.stage == "disclosure" and row.exposed == Trit.NO:
        return [_d("told without having been exposed")]
    if row.hits and all(hit.event.unfiltered for hit in row.hits):
        return [_d("unfiltered retrieval")]
    return []


def _decided(one: Decided) -> str:
    """An axis in words that many memories can share: what is missing, or which field says what, without any id."""
    if one.missing:
        lacking = ", ".join(_d("no {field}").format(field=name) for name in one.missing)
        return f"{one.axis} {one.value.symbol}: {lacking}"
    if one.axis == "scope":
        return f"scope {one.value.symbol}: {_owners(one.reads)}"
    fields = {_RULE.format(rule=rule): names for rule, names in _LIFECYCLE.items()}
    said = [
        f"{read.name} {_value(read.value)}" if _is_word(read) else read.name
        for read in one.reads
        if read.owner == "memory" and read.presence.value == "value" and read.name in fields.get(one.rule, {read.name})
    ]
    return f"{one.axis} {one.value.symbol}: {', '.join(said) or told(one.rule)}"


def _owners(reads: Sequence[FieldRead]) -> str:
    """How an owner differs: where lists of segments do, at which segment; else that it does."""
    memory = next((read.value for read in reads if read.owner == "memory" and read.name.startswith("namespace")), None)
    asked = next((read.value for read in reads if read.owner == "query"), None)
    if isinstance(memory, list) and isinstance(asked, list) and asked and isinstance(asked[0], list):
        same = max(_shared(memory, one) for one in asked if isinstance(one, list))
        return _d("another namespace from segment {number} on").format(number=same + 1)
    names = {read.name for read in reads if read.owner == "memory"}
    return _d("another session") if names == {"session_id"} else _d("another namespace")


def _shared(first: Sequence[Any], second: Sequence[Any]) -> int:
    count = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        count += 1
    return count


def _is_word(read: FieldRead) -> bool:
    """Whether a field's value can be shared by many: a label or a list of them, no time and no id."""
    return read.name in ("status", "boundary_state", "sensitivity", "allowed_purposes", "memory_type", "source")


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _source(row: Row) -> list[str]:
    source = row.memory.value("source")
    return [_d("from source {source}").format(source=source)] if isinstance(source, str) else []
