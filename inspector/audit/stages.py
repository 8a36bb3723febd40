"""The failure stages of a query, each with the memory ids that prove it (DESIGN 8).

Every stage that applies is listed, in the order trace, candidate, verification, assembly, disclosure; the first names
the query. Where none surely applies, the query is ``undecided`` while something that is ? could make one apply, else
``none``. An answer that was not recorded is not waited for: disclosure is then not judged, and the audit says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from inspector.audit.case import Required, Row
from inspector.audit.events import Event, Item, Recorded
from inspector.audit.exposure import LetThrough, lets_through
from inspector.errors import FieldError
from inspector.i18n import _d
from inspector.records import Memory
from inspector.times import Instant, at_or_before, parse_time
from inspector.trit import Trit, k_and, k_not

Stage = Literal["trace", "candidate", "verification", "assembly", "disclosure", "none", "undecided"]
STAGES: tuple[Stage, ...] = ("trace", "candidate", "verification", "assembly", "disclosure")
_VERDICT = {Trit.YES: "admit", Trit.NO: "exclude", Trit.UNKNOWN: "unresolved"}


@dataclass(frozen=True, slots=True)
class Proof:
    """One memory that proves a stage, or leaves it open: its index (None where it is not stored), its id, in words
    why. ``value`` is 1 for a proof and ? for what is open; ``out_of_order`` tells events that are from other traces."""

    stage: Stage
    mi: int | None
    id: str
    words: str
    value: Trit = Trit.YES
    out_of_order: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """A stage that applies, with its proofs."""

    stage: Stage
    proofs: tuple[Proof, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        """The memory ids that prove the stage, each once."""
        return tuple(dict.fromkeys(proof.id for proof in self.proofs))


@dataclass(frozen=True, slots=True)
class Stages:
    """The stages that apply, in order, and what is open. ``first`` names the query."""

    findings: tuple[Finding, ...]
    open: tuple[Proof, ...]

    @property
    def first(self) -> Stage:
        """The stage that names the query."""
        if self.findings:
            return self.findings[0].stage
        return "undecided" if self.open else "none"

    @property
    def all(self) -> tuple[Stage, ...]:
        """Every stage that applies, or the one word where none does."""
        return tuple(finding.stage for finding in self.findings) or (self.first,)


def proof_ids(stages: Stages) -> tuple[str, ...]:
    """The memory ids that prove the first stage, or where none applies those that leave it open; each once."""
    if stages.findings:
        return stages.findings[0].ids
    return tuple(dict.fromkeys(proof.id for proof in stages.open))


@dataclass(frozen=True, slots=True)
class Ground:
    """What the stages are read from: rows, required evidence, what the trace recorded, records that are not stored."""

    rows: Sequence[Row]
    required: Sequence[Required]
    recorded: Recorded
    unknown_retrieved: Sequence[tuple[Event, Item]]
    unknown_exposed: Sequence[Item]
    let_through: LetThrough
    exposure_recorded: bool
    retrieval_known: bool
    timezone: str | None = None


def stages(ground: Ground) -> Stages:
    """Work out the stages of one query."""
    found: dict[Stage, list[Proof]] = {stage: [] for stage in STAGES}
    opened: list[Proof] = []
    for read in (_trace, _candidate, _verification, _assembly, _disclosure):
        for proof in read(ground):
            if proof.value == Trit.YES:
                found[proof.stage].append(proof)
            elif proof.value == Trit.UNKNOWN:
                opened.append(proof)
    findings = tuple(Finding(stage, tuple(proofs)) for stage, proofs in found.items() if proofs)
    return Stages(findings, tuple(opened))


def _trace(ground: Ground) -> Iterator[Proof]:
    for event, item in ground.unknown_retrieved:
        yield Proof("trace", None, item.shown, _d("{name} names it, and it is not stored").format(name=event.name))
    for item in ground.unknown_exposed:
        yield Proof("trace", None, item.shown, _d("the prompt's records name it, and it is not stored"))
    for row in ground.rows:
        if row.hits and row.judged.stored != Trit.YES:
            words = _d("{name} returned it, and it was not stored yet").format(name=row.hits[0].event.name)
            yield Proof("trace", row.mi, row.id, words, k_not(row.judged.stored))
        yield from _too_early(row, ground.timezone)
    yield from _order(ground)


def _too_early(row: Row, timezone: str | None) -> Iterator[Proof]:
    """A memory that an event returned before it was stored."""
    created = _created(row.memory, timezone)
    for hit in row.hits:
        if created is None or hit.event.at is None or row.judged.stored != Trit.YES:
            continue
        value = k_not(at_or_before(created, hit.event.at))
        words = _d("{name} returned it at {text}, and it was stored at {text2}").format(
            name=hit.event.name, text=hit.event.at.text, text2=created.text
        )
        yield Proof("trace", row.mi, row.id, words, value)
        return


def _created(memory: Memory, timezone: str | None) -> Instant | None:
    value = memory.value("created_at")
    try:
        return None if value is None else parse_time(value, "created_at", timezone)
    except FieldError:
        return None


def _order(ground: Ground) -> Iterator[Proof]:
    """Events that are listed in another order than they happened, and a prompt or an answer before what it rests on."""
    recorded = ground.recorded
    moments: list[tuple[str, Instant, Event | None]] = [
        (event.name, event.at, event) for event in recorded.events if event.at is not None
    ]
    for name, moment in ((_d("the prompt"), recorded.prompt_at), (_d("the answer"), recorded.answer_at)):
        if moment is not None:
            moments.append((name, moment, None))
    for (before, earlier, event), (after, later, then) in pairwise(moments):
        value = k_not(at_or_before(earlier, later))
        words = _d("{after} is recorded after {before} and happened before it ({text} before {text2})").format(
            after=after, before=before, text=later.text, text2=earlier.text
        )
        named: list[Item | None] = [item for one in (event, then) if one is not None for item in one.items]
        for item in named or [None]:
            mi = item.memories[0] if item is not None and item.memories else None
            yield Proof(
                "trace",
                mi,
                item.shown if item is not None else after,
                _d("out of order: {words}").format(words=words),
                value,
                out_of_order=True,
            )


def _candidate(ground: Ground) -> Iterator[Proof]:
    rows = {row.mi: row for row in ground.rows}
    for one in ground.required:
        value = k_not(max((rows[mi].retrieved for mi in one.memories), default=Trit.NO))
        words = _d("required, and not retrieved") if one.memories else _d("required, and not stored")
        if value == Trit.UNKNOWN:
            words = _d("required; no retrieval was recorded")
        yield Proof("candidate", one.memories[0] if one.memories else None, one.id, words, value)


def _retrieved(ground: Ground) -> Iterator[tuple[Required, list[Row]]]:
    """Required evidence that was retrieved, with the rows that it means."""
    rows = {row.mi: row for row in ground.rows}
    for one in ground.required:
        found = [rows[mi] for mi in one.memories if rows[mi].retrieved == Trit.YES]
        if found:
            yield one, found


def _verification(ground: Ground) -> Iterator[Proof]:
    for row in ground.rows:
        value = k_and((k_not(row.verdict), row.exposed))
        words = _d("verdict {VERDICT}, and it was exposed").format(VERDICT=_VERDICT[row.verdict])
        if row.exposed == Trit.UNKNOWN:
            words = _d("verdict {VERDICT}, and it may have been exposed").format(VERDICT=_VERDICT[row.verdict])
        yield Proof("verification", row.mi, row.id, words, value)
    for one, found in _retrieved(ground):
        if any(lets_through(row.verdict, ground.let_through) for row in found):
            continue
        value = k_and(k_not(row.exposed) for row in found)
        row = found[0]
        words = _d("required and retrieved, and not let through: verdict {VERDICT}").format(
            VERDICT=_VERDICT[row.verdict]
        )
        yield Proof("verification", row.mi, one.id, words, value)


def _assembly(ground: Ground) -> Iterator[Proof]:
    for one, found in _retrieved(ground):
        passed = [row for row in found if lets_through(row.verdict, ground.let_through)]
        if passed:
            value = k_and(k_not(row.exposed) for row in found)
            cut = _d("a reranker dropped it") if passed[0].dropped else _d("cut by order or budget")
            words = _d("required, retrieved and let through, and not in the prompt: {cut}").format(cut=cut)
            yield Proof("assembly", passed[0].mi, one.id, words, value)
    for row in ground.rows:
        if row.exposed != Trit.NO and row.retrieved != Trit.YES and ground.exposure_recorded:
            missing = k_not(row.retrieved) if ground.retrieval_known else Trit.UNKNOWN
            words = _d("exposed without being retrieved")
            if missing == Trit.UNKNOWN:
                words = _d("exposed; no retrieval was recorded")
            yield Proof("assembly", row.mi, row.id, words, k_and((row.exposed, missing)))


def _disclosure(ground: Ground) -> Iterator[Proof]:
    if ground.recorded.answer is None:
        return
    for row in ground.rows:
        if row.disclosed == Trit.NO:
            continue
        barred = k_and((k_not(row.verdict), row.exposed, row.disclosed))
        words = _d("verdict {VERDICT}, exposed, and in the answer: {detail}").format(
            VERDICT=_VERDICT[row.verdict], detail=row.disclosure.detail
        )
        yield Proof("disclosure", row.mi, row.id, words, barred)
        value = k_and((k_not(row.exposed), row.disclosed))
        words = _d("in the answer without having been exposed: {detail}").format(detail=row.disclosure.detail)
        yield Proof("disclosure", row.mi, row.id, words, value)
