"""The audit over a loaded store: each query's audit made when it is asked for, kept until an edit reaches it.

Everything that the audit reads comes from the evaluation in force; the pure functions are in :mod:`inspector.audit`.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from inspector.audit.assembly import CHARACTERS, Measure, Order, Unit, tokenizer_measure
from inspector.audit.audit import QueryAudit, audit, sought
from inspector.audit.case import Case, Judged, Required, Retrieval, Row
from inspector.audit.corpus import Corpus, Sought
from inspector.audit.events import block
from inspector.audit.trail import Trail
from inspector.core import Core
from inspector.errors import InspectorError
from inspector.evaluation import judge_pairs
from inspector.i18n import _d
from inspector.retrieval.models import bundled_folder
from inspector.trit import Trit
from inspector.views import Change

#: By stored value: a lookup is several times as fast as asking the enumeration, and an audit asks often.
_TRITS = (Trit.NO, Trit.UNKNOWN, Trit.YES)


class Auditor:
    """Audits the queries of a store under inspection.

    ``order``, ``budget`` and ``measure`` shape the prompt that our verdicts would make; setting them with
    :meth:`assemble_as` counts from then on. Call from the thread that holds the store's lock.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._corpus = Corpus(core.memories)
        self._evaluation: object = None
        self._key: object = None
        self._audits: dict[int, QueryAudit] = {}
        #: The queries in whose audit a memory has stood.
        self._readers: dict[int, set[int]] = {}
        #: Memories that may stand in a query's recorded texts, what was looked for, and text edits at that time.
        self._suspects: dict[int, tuple[int, ...]] | None = None
        self._sought: dict[int, Sought] = {}
        self._texts: dict[int, str | None] = {}
        self.order: Order = "rank"
        self.budget: int | None = None
        self.measure: Measure = CHARACTERS

    def assemble_as(self, order: Order = "rank", budget: int | None = None, measure: Measure | None = None) -> None:
        """Set how prompts are assembled; the budget is in the measure's unit."""
        self.order, self.budget = order, budget
        self.measure = measure if measure is not None else self.measure
        self._audits.clear()

    @property
    def assembly(self) -> str:
        """How prompts are assembled, in words: order, and the budget with its unit."""
        limit = (
            _d("no budget")
            if self.budget is None
            else _d("budget {budget:,} {measure}").format(budget=self.budget, measure=self.measure)
        )
        return _d("in order of {order}, {limit}").format(order=self.order, limit=limit)

    @property
    def notice(self) -> str:
        """What headers must say of the assembly: "" where it is the default."""
        if self.order == "rank" and self.budget is None and self.measure is CHARACTERS:
            return ""
        measured = _d(", measured in {measure}").format(measure=self.measure) if self.budget is None else ""
        return _d("prompts assembled {assembly}{measured}").format(assembly=self.assembly, measured=measured)

    def changed(self, change: Change) -> None:
        """Forget the audits that a change of the store can reach. To be called for every :class:`Change`."""
        if change.listing:
            self._listed()
        reached = set(change.queries)
        for mi in change.memories:
            reached |= self._readers.get(mi, set())
        for qi in reached:
            self._audits.pop(qi, None)
        if self._suspects is None:
            return
        texts = [mi for mi in change.memories if self._text_edit(mi) != self._texts.get(mi)]
        if texts:
            self._texts_changed(texts)
        for qi in change.queries:
            if sought(self._core.queries[qi]) != self._sought.get(qi, Sought(())):
                self._look(qi)

    def _listed(self) -> None:
        """Queries were asked or taken away: those of the source, which stand first, keep what is known of them."""
        asked = self._core.asked
        own = len(self._core.queries) - len(asked)
        if self._core.has_evaluation:
            self._evaluation = self._core.evaluation
        self._audits = {qi: done for qi, done in self._audits.items() if qi < own}
        self._sought = {qi: wanted for qi, wanted in self._sought.items() if qi < own}
        if self._suspects is not None:
            self._suspects = {qi: near for qi, near in self._suspects.items() if qi < own}
            for qi in asked:
                self._look(qi)

    def _text_edit(self, mi: int) -> str | None:
        memory = self._core.memories[mi]
        found = memory.edits.get("text") if memory.is_edited else None
        return found if isinstance(found, str) else None

    def _texts_changed(self, mis: Sequence[int]) -> None:
        """Texts of memories were edited: what may stand in which prompt or answer is looked for again."""
        self._corpus.text_changed()
        self._texts.update({mi: self._text_edit(mi) for mi in mis})
        suspects = self._suspects or {}
        for qi, near in self._corpus.scan(self._sought, mis).items():
            kept = [mi for mi in suspects.get(qi, ()) if mi not in set(mis)]
            if near or len(kept) != len(suspects.get(qi, ())):
                suspects[qi] = tuple(sorted({*kept, *near}))
                self._audits.pop(qi, None)

    def _look(self, qi: int) -> None:
        """Look through the store for one query, whose prompt, answer or leak targets were edited."""
        wanted = self._sought[qi] = sought(self._core.queries[qi])
        if self._suspects is not None:
            self._suspects[qi] = tuple(self._corpus.scan({qi: wanted})[qi])

    def audit(self, qi: int) -> QueryAudit:
        """The audit of one query. Raises InspectorError before the first evaluation."""
        self._check()
        done = self._audits.get(qi)
        if done is None:
            done = self._audits[qi] = audit(self.case(qi))
            for row in done.rows:
                self._readers.setdefault(row.mi, set()).add(qi)
        return done

    def made(self, qi: int) -> QueryAudit | None:
        """The audit of a query if it is made and in force."""
        self._check()
        return self._audits.get(qi)

    def has(self, qi: int) -> bool:
        """Whether the audit of a query is made and in force."""
        self._check()
        return qi in self._audits

    @property
    def missing_count(self) -> int:
        """How many audits are not made."""
        self._check()
        return len(self._core.queries) - len(self._audits)

    def missing(self) -> list[int]:
        """The queries whose audit is not made, in their order."""
        self._check()
        total = len(self._core.queries)
        return [] if len(self._audits) == total else [qi for qi in range(total) if qi not in self._audits]

    def row(self, qi: int, mi: int) -> Row:
        """What the audit says of any stored memory for a query."""
        done = self.audit(qi)
        return done.row(mi) or done.single(mi, self.case(qi))

    def trail(self, qi: int, mi: int) -> Trail:
        """The trail of any stored memory for a query."""
        return self.audit(qi).trail(mi, str(self._core.evaluation.route), self.case(qi))

    def all(self) -> list[QueryAudit]:
        """The audits of every query, in their order."""
        # Audits are many small objects without cycles; every collection meanwhile would look at all of them again.
        was_on = gc.isenabled()
        gc.disable()
        try:
            return [self.audit(qi) for qi in range(len(self._core.queries))]
        finally:
            if was_on:
                gc.enable()

    def retrieval(self, qi: int) -> Retrieval:
        """Where the query's retrieved memories come from: see :data:`inspector.audit.case.Retrieval`."""
        if self._core.route.name != "recorded":
            return "simulated"
        return "recorded" if isinstance(block(self._core.queries[qi]).get("events"), list) else "none"

    def case(self, qi: int) -> Case:
        """What the audit of a query reads."""
        core = self._core
        evaluation = core.evaluation
        row = evaluation.memory[qi]
        held = row[row >= 0]
        trits = {name: evaluation.trits[name][qi] for name in ("admissible", "relevance", "usable")}
        stored = core.engine.stored(held, np.full(len(held), qi, dtype=np.int64)) if len(held) else held
        retrieved = tuple(
            Judged(
                mi=mi,
                rank=place + 1,
                score=_score(float(evaluation.score[qi, place])),
                path=evaluation.path[qi][place],
                stored=_TRITS[stored[place]],
                verdict=_TRITS[trits["admissible"][place]],
                relevance=_TRITS[trits["relevance"][place]],
                usable=_TRITS[trits["usable"][place]],
            )
            for place, mi in enumerate(held.tolist())
        )
        query = core.queries[qi]
        wanted = list(dict.fromkeys(query.value("required") or ()))
        return Case(
            query=query,
            corpus=self._corpus,
            retrieved=retrieved,
            required=tuple(Required(id, tuple(mis)) for id, mis in zip(wanted, evaluation.required(qi), strict=True)),
            judge=self._judge(qi),
            retrieval=self.retrieval(qi),
            as_of=core.engine.as_of(qi),
            suspects=self._near(qi),
            let_through=core.let_through,
            order=self.order,
            budget=self.budget,
            measure=self.measure,
            timezone=core.settings.timezone,
        )

    def with_eligible(self, qi: int, eligible: Sequence[int]) -> QueryAudit:
        """The audit with its eligible but missing memories; ``eligible`` are those usable for the query."""
        return audit(replace(self.case(qi), eligible=tuple(eligible)))

    def _judge(self, qi: int) -> Callable[[Sequence[int]], Sequence[Judged]]:
        def judge(mis: Sequence[int]) -> list[Judged]:
            memories = np.array(mis, dtype=np.int64)
            queries = np.full(len(mis), qi, dtype=np.int64)
            cells = judge_pairs(self._core.engine, memories, queries)
            stored = self._core.engine.stored(memories, queries)
            return [
                Judged(
                    mi=mi,
                    rank=0,
                    score=None,
                    path="",
                    stored=_TRITS[stored[place]],
                    verdict=_TRITS[cells["admissible"][place]],
                    relevance=_TRITS[cells["relevance"][place]],
                    usable=_TRITS[cells["usable"][place]],
                )
                for place, mi in enumerate(mis)
            ]

        return judge

    def _near(self, qi: int) -> tuple[int, ...]:
        """Memories whose text may stand in the query's recorded prompt or answer; all queries looked for at once."""
        if self._suspects is None:
            queries = enumerate(self._core.queries)
            self._sought = {place: one for place, query in queries if (one := sought(query)).texts}
            self._texts = {
                mi: text for mi in range(len(self._core.memories)) if (text := self._text_edit(mi)) is not None
            }
            self._suspects = {place: tuple(found) for place, found in self._corpus.scan(self._sought).items()}
        return self._suspects.get(qi, ())

    def _check(self) -> None:
        """Another evaluation, or another way of letting through: nothing that was kept holds."""
        core = self._core
        key = core.route, core.let_through, core.settings
        if core.evaluation is not self._evaluation or key != self._key:
            self._evaluation, self._key = core.evaluation, key
            self._audits.clear()
            self._readers.clear()


def bundled_measure() -> Measure:
    """Tokens of the bundled encoder's tokenizer where it is at hand, else characters, which the measure then says."""
    try:
        return tokenizer_measure(Path(bundled_folder()) / "tokenizer.json", "all-MiniLM-L6-v2")
    except (InspectorError, ImportError):
        return CHARACTERS


def measure_of(unit: Unit | None, budget: int | None) -> Measure:
    """What prompts are measured in: as asked for, else tokens for a budget and characters without one."""
    wanted = unit or ("characters" if budget is None else "tokens")
    return bundled_measure() if wanted == "tokens" else CHARACTERS


def _score(value: float) -> float | None:
    return None if value != value else value
