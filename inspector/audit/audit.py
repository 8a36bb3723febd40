"""The audit of one query: rows, trail, failure stages, contamination and loss, from records and verdicts (DESIGN 8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inspector.audit.assembly import Prompt, Slot, assemble
from inspector.audit.case import Case, Hit, Judged, Required, Retrieval, Row
from inspector.audit.corpus import Sought
from inspector.audit.disclosure import AnswerReader, Disclosure, Shown, Told
from inspector.audit.events import Event, Item, Recorded, block, read_recorded, text_of
from inspector.audit.exposure import Exposure, ExposureReader
from inspector.audit.figures import Contamination, Loss, contamination, loss
from inspector.audit.runs import cut
from inspector.audit.shortterm import ShortTerm, short_term
from inspector.audit.stages import Ground, Stages, stages
from inspector.audit.targets import find_whole, has_tokens
from inspector.audit.trail import Trail, trail
from inspector.i18n import N_, _d
from inspector.records import Query
from inspector.times import parse_time
from inspector.trit import Trit

#: Notes that the screens look for.
NOT_ITS_OWN = N_("prompt and answer of the trace belong to its own retrieval: what this route exposes is assembled")
NO_ANSWER = N_("no answer was recorded: disclosure is not judged")


@dataclass(frozen=True, slots=True)
class QueryAudit:
    """What the audit says of one query.

    ``rows`` hold the candidates in rank order, then every other memory that the trace, the required evidence, the
    prompt or the answer brings in. ``unknown`` are records that the trace names and the store does not have.
    ``prompt`` is what our verdicts would have put into the prompt, whatever was recorded; ``exposure_recorded`` says
    that the exposure of the rows is the trace's own. ``eligible_missing`` are memories with verdict 1 and relevance 1
    that were not retrieved. ``short_term`` is required evidence that only the recent turns held.
    """

    retrieval: Retrieval
    rows: tuple[Row, ...]
    required: tuple[Required, ...]
    recorded: Recorded
    unknown: tuple[tuple[str, Item], ...]
    prompt: Prompt
    exposure_recorded: bool
    stages: Stages
    contamination: Contamination
    loss: Loss
    eligible_missing: tuple[int, ...]
    short_term: tuple[ShortTerm, ...]
    told: tuple[Told, ...]
    notes: tuple[str, ...]

    def row(self, mi: int) -> Row | None:
        """The row of a memory; None where nothing brings it in."""
        return next((row for row in self.rows if row.mi == mi), None)

    def single(self, mi: int, case: Case) -> Row:
        """The row of a memory that nothing brings in, worked out from what the audit was made of."""
        return _Auditor(case).single(mi, self)

    def trail(self, mi: int, route: str, case: Case) -> Trail:
        """The trail of any stored memory, retrieved or not."""
        row = self.row(mi) or self.single(mi, case)
        answered = self.recorded.answer_at
        return trail(row, self.retrieval, route, case.as_of, answered.text if answered is not None else "")


def audit(case: Case) -> QueryAudit:
    """Audit one query. Pure: it reads records and verdicts, changes nothing, and repairs no trace."""
    return _Auditor(case).run()


def sought(query: Query) -> Sought:
    """What to look for in the whole store for a query: see :attr:`Case.suspects`."""
    traced = block(query)
    texts = [text for name in ("prompt", "answer") if (text := text_of(traced, name)) is not None]
    answer = text_of(traced, "answer")
    targets = [one for one in query.value("leak_targets") or () if isinstance(one, str)] if answer else []
    return Sought(tuple(texts), tuple(one for one in targets if find_whole(answer or "", one)))


class _Auditor:
    def __init__(self, case: Case) -> None:
        self.case = case
        # A trace's prompt and answer belong to the trace's own retrieval, not to a route that is run now beside it.
        own = self.own = case.retrieval != "simulated" or not block(case.query).get("events")
        among = [one.mi for one in case.retrieved]
        self.recorded = read_recorded(case.query, case.corpus, among, case.timezone)
        if not own:
            self.recorded = Recorded((), False, None, self.recorded.turns, self.recorded.turn_items, None, None, None)
        hit = {mi for event in self.recorded.events for item in event.items for mi in item.memories}
        self.exposure = ExposureReader(case.query, case.corpus, hit or among, recorded=own)
        self.prompt = self._assemble()
        turns = "\n".join(self.recorded.turns)
        shown = [text for text in (self.recorded.prompt, turns) if text]
        self.answer = AnswerReader(case.query, self.recorded.answer, shown)

    def _assemble(self) -> Prompt:
        case = self.case
        memories = case.corpus.memories
        slots = []
        for one in case.retrieved:
            created = memories[one.mi].value("created_at") if case.order != "rank" else None
            us = None if created is None else parse_time(created, "created_at", case.timezone).us
            slots.append(Slot(one.mi, one.rank, one.verdict, memories[one.mi].text, us))
        return assemble(slots, case.let_through, case.order, case.budget, case.measure)

    def run(self) -> QueryAudit:
        """Everything of the query."""
        judged = self._universe()
        hits = self._hits()
        exposures = {mi: self._exposure(one) for mi, one in judged.items()}
        suspects = self._suspects(judged)
        for one in suspects:
            exposures[one.mi] = self._exposure(one)
        self._explain(suspects, exposures)
        shown = self._shown({**judged, **{one.mi: one for one in suspects}}, exposures)
        common = self._common([one for one in suspects if exposures[one.mi].value == Trit.NO])
        rows = [self._row(one, hits, exposures[one.mi], shown, common) for one in judged.values()]
        for one in suspects:
            row = self._row(one, hits, exposures[one.mi], shown, common)
            if row.exposed != Trit.NO or row.disclosed != Trit.NO:
                rows.append(row)
        return self._finish(tuple(rows))

    def _universe(self) -> dict[int, Judged]:
        """The candidates, and what the trace or the required evidence names beside them, judged."""
        case = self.case
        found = {one.mi: one for one in case.retrieved}
        named: dict[int, None] = {}
        for event in self.recorded.events:
            for item in (*event.items, *event.dropped):
                named.update(dict.fromkeys(item.memories))
        named.update(dict.fromkeys(sorted(self.exposure.named())))
        for one in case.required:
            named.update(dict.fromkeys(one.memories))
        return found | {one.mi: one for one in self._judge([mi for mi in named if mi not in found])}

    def _judge(self, mis: Sequence[int]) -> Sequence[Judged]:
        return self.case.judge(mis) if mis else ()

    def _suspects(self, judged: dict[int, Judged]) -> Sequence[Judged]:
        """Memories that nothing names and whose text may stand in the prompt or the answer."""
        if self.recorded.prompt is None and self.recorded.answer is None:
            return ()
        found: Iterable[int] = self.case.suspects if self.case.suspects is not None else self._scan()
        return self._judge([mi for mi in found if mi not in judged])

    def _scan(self) -> list[int]:
        return self.case.corpus.scan({"": sought(self.case.query)})[""]

    def _hits(self) -> dict[int, list[Hit]]:
        hits: dict[int, list[Hit]] = {}
        for place, event in enumerate(self.recorded.events):
            for items, dropped in ((event.items, False), (event.dropped, True)):
                for item in items:
                    for mi in item.memories:
                        hits.setdefault(mi, []).append(Hit(event, item, dropped, place))
        return hits

    def _exposure(self, one: Judged) -> Exposure:
        memory = self.case.corpus.memories[one.mi]
        if self.exposure.recorded:
            return self.exposure.of(memory, one.verdict, self.case.let_through, one.mi)
        places = {line.mi: place for place, line in enumerate(self.prompt.lines)}
        if one.mi in places:
            found = self.exposure.of(memory, one.verdict, self.case.let_through)
            return Exposure(Trit.YES, "assembled", found.detail, places[one.mi])
        if not one.rank:
            return Exposure(Trit.NO, "assembled", _d("not retrieved, so not assembled"))
        if any(line.mi == one.mi for line in self.prompt.cut):
            budget = f"{self.prompt.budget:,} {self.prompt.measure}"
            return Exposure(
                Trit.NO,
                "assembled",
                _d("let through, and cut from the assembled prompt: budget {budget}").format(budget=budget),
            )
        return self.exposure.of(memory, one.verdict, self.case.let_through)

    def _explain(self, suspects: Sequence[Judged], exposures: dict[int, Exposure]) -> None:
        """What nothing names and shares with the prompt only what another memory says there was not exposed: a store
        of look-alikes would leave every one of them open."""
        memories = self.case.corpus.memories
        whole = [memories[mi] for mi, exposure in exposures.items() if exposure.value == Trit.YES]
        for one in suspects:
            found = exposures[one.mi]
            weak = found.value == Trit.UNKNOWN and found.kind == "weak"
            if weak and self.exposure.explained(memories[one.mi], whole):
                words = _d("what the prompt shares with it stands there in another memory")
                exposures[one.mi] = Exposure(Trit.NO, "none", words)

    def _shown(self, judged: dict[int, Judged], exposures: dict[int, Exposure]) -> list[Shown]:
        memories = self.case.corpus.memories
        return self.answer.in_order(
            (Shown(mi, memories[mi].text), judged[mi].verdict, exposure.position)
            for mi, exposure in exposures.items()
            if exposure.value == Trit.YES
        )

    def _common(self, suspects: Sequence[Judged]) -> dict[int, int]:
        """For each memory that was not exposed, how many other stored texts share its run with the answer."""
        memories = self.case.corpus.memories
        runs: dict[str, set[str]] = {}
        mine: dict[int, str] = {}
        for one in suspects:
            text = memories[one.mi].text
            shared = self.answer.raw(text)
            if shared:
                best = max(shared, key=lambda run: run.words)
                mine[one.mi] = cut(text).said(best)
                runs.setdefault(mine[one.mi], set()).add(text)
        return {mi: len(runs[run]) - 1 for mi, run in mine.items()}

    def _row(
        self,
        one: Judged,
        hits: dict[int, list[Hit]],
        exposure: Exposure,
        shown: Sequence[Shown],
        common: dict[int, int],
    ) -> Row:
        memory = self.case.corpus.memories[one.mi]
        found = tuple(hits.get(one.mi, ()))
        retrieved = Trit.of(bool(one.rank or found))
        if self.case.retrieval == "none" and not found:
            retrieved = Trit.UNKNOWN
        elif retrieved == Trit.YES and not one.rank and all(len(hit.item.memories) > 1 for hit in found):
            retrieved = Trit.UNKNOWN  # an id that several memories share, and nothing tells which was meant
        last_drop = max((hit.place for hit in found if hit.dropped), default=-1)
        last_seen = max((hit.place for hit in found if not hit.dropped), default=-1)
        told = self.answer.of(one.mi, memory, exposure.value, shown, common.get(one.mi, 0))
        return Row(one.mi, memory, one, retrieved, found, last_drop > last_seen, exposure, told)

    def single(self, mi: int, done: QueryAudit) -> Row:
        """The row of a memory that nothing brings in."""
        one = self.case.judge([mi])[0]
        shown = self._shown({row.mi: row.judged for row in done.rows}, {row.mi: row.exposure for row in done.rows})
        return self._row(one, self._hits(), self._exposure(one), shown, {})

    def _finish(self, rows: tuple[Row, ...]) -> QueryAudit:
        case = self.case
        unknown = [
            (event, item)
            for event in self.recorded.events
            for item in (*event.items, *event.dropped)
            if not item.memories
        ]
        ground = Ground(
            rows=rows,
            required=case.required,
            recorded=self.recorded,
            unknown_retrieved=unknown,
            unknown_exposed=self.exposure.unknown,
            let_through=case.let_through,
            exposure_recorded=self.exposure.recorded,
            retrieval_known=case.retrieval == "recorded",
            timezone=case.timezone,
        )
        held = {row.mi for row in rows if row.retrieved == Trit.YES}
        missed = [one for one in case.required if not held.intersection(one.memories)]
        return QueryAudit(
            retrieval=case.retrieval,
            rows=rows,
            required=case.required,
            recorded=self.recorded,
            unknown=(
                *((event.name, item) for event, item in unknown),
                *(("prompt", item) for item in self.exposure.unknown),
            ),
            prompt=self.prompt,
            exposure_recorded=self.exposure.recorded,
            stages=stages(ground),
            contamination=contamination(rows, len(self.exposure.unknown)),
            loss=loss(rows, case.required),
            eligible_missing=tuple(mi for mi in case.eligible if mi not in held),
            short_term=tuple(short_term(missed, case.corpus.memories, case.query, self.recorded)),
            told=tuple(one for one in self.answer.told if one.places),
            notes=tuple(self._notes(rows)),
        )

    def _notes(self, rows: Sequence[Row]) -> Iterable[str]:
        for event in self.recorded.events:
            if event.unfiltered:
                yield _d("{name}: unfiltered retrieval").format(name=event.name)
        if not self.own:
            yield _d(NOT_ITS_OWN)
        elif self.recorded.answer is None:
            yield _d(NO_ANSWER)
        for told in self.answer.told:
            if told.places and not any(find_whole(row.memory.text, told.target) for row in rows):
                yield _d("the answer holds the leak target {target!r}, and no memory in the trace holds it").format(
                    target=told.target
                )
        for target in self.answer.targets:
            if not has_tokens(target):
                yield _d("the leak target {target!r} holds no word and cannot be looked for").format(target=target)


__all__ = ["Case", "Disclosure", "Event", "Judged", "QueryAudit", "audit", "sought"]
