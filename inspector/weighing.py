"""The decision layer of a store under inspection: decisions, the constants in force, calibration (DESIGN 6).

Decisions follow every edit. Where the texts are short or were read before they are at hand at once; else
:meth:`Weighing.mdl` reads them, which is for a worker.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from inspector.core import Core, locked
from inspector.deciding import Decided, Question
from inspector.i18n import N_, _d
from inspector.mdl import (
    Calibration,
    Decision,
    Params,
    QueryDecision,
    load_calibration,
    read_calibration,
)
from inspector.trit import Trit

#: Why there is no decision, where encoding the texts would give one.
NO_VECTORS = N_("no vectors: the route {name} needs none, and the texts were not encoded")

#: Under which the workspace keeps the calibration that was given last.
_KEPT = ("calibration", "mdl")


@dataclass(frozen=True, slots=True, eq=False)
class Weighed:
    """What is known of a query's decision.

    ``is_read`` is False where texts have to be read first: call :meth:`Weighing.mdl`. ``decision`` is None where mdl is
    null, and ``why_null`` says why. ``before`` is the decision before the edits that nobody has looked at yet, None
    where they moved nothing. Rows stand in the order of ``mis``.
    """

    is_read: bool
    mis: tuple[int, ...]
    decision: QueryDecision | None
    before: Decided | None
    why_null: str = ""

    @property
    def query_before(self) -> Decision | None:
        """The query's own decision before the edits, where they moved it."""
        return None if self.before is None or self.before.decision is None else self.before.decision.query


def differs(before: Decision | None, now: Decision | None) -> bool:
    """Whether two decisions differ in what the screens show of them: the action, or R, A, C and α to two decimals."""
    if before is None or now is None:
        return before is not now
    shown = [(d.action, *(round(x, 2) for x in (d.M, d.R, d.A, d.C, d.alpha, d.C_final))) for d in (before, now)]
    return shown[0] != shown[1]


class Weighing(Core):
    """Whether to trust what came back: the part of an inspection that :mod:`inspector.mdl` answers."""

    @property
    def params(self) -> Params:
        """The constants in force; :meth:`decide_by` replaces them."""
        return self.deciding.params

    @locked
    def decide_by(self, params: Params) -> None:
        """Put other constants in force: pool, switches, thresholds, … Signals that do not depend on them stay read."""
        if params != self.deciding.params:
            self.deciding.params = params
            self._decided_before.clear()

    @property
    def calibration(self) -> Calibration | None:
        """The calibration at hand, in force or not."""
        return self.deciding.calibration

    @property
    def is_moved(self) -> bool:
        """Whether a constant that the calibration, or without one the design, fixes was changed by hand."""
        now, kept = self.params, Params(pool=self.params.pool, switches=self.params.switches)
        if now.calibrated and self.calibration is not None:
            kept = self.calibration.apply(kept)
        return now != kept

    @locked
    def calibrate_by(self, path: Path) -> None:
        """Decide by a calibration file; the workspace keeps it. Raises InputError that names file and key."""
        self._calibrate(load_calibration(path))

    def _calibrate(self, calibration: Calibration) -> None:
        self.deciding.put_in_force(calibration)
        self._decided_before.clear()
        self.workspace.put_result(*_KEPT, calibration.to_toml().encode())

    def start_calibrated(self, path: Path | None, *, uncalibrated: bool) -> None:
        """Take the calibration that is given, else the workspace's own, else the store's. Raises InputError.

        ``uncalibrated``: by none, and the workspace forgets its own.
        """
        if path is not None:
            self.calibrate_by(path)
            return
        kept = self.workspace.get_result(*_KEPT)
        if uncalibrated and kept:
            self.workspace.put_result(*_KEPT, b"")
        text, file = (kept.decode(), _d("the workspace")) if kept else (self._source_settings.calibration, "")
        if not text:
            return
        self.deciding.put_in_force(read_calibration(text, file or self._source_settings.calibration_file))
        if uncalibrated:
            self.deciding.take_out()

    @locked
    def set_calibrated(self, on: bool) -> None:
        """Decide by the calibration at hand, or by the uncalibrated constants; the workspace keeps what it has."""
        self._decided_before.clear()
        if on and self.calibration is not None:
            self.deciding.put_in_force(self.calibration)
        elif not on:
            self.deciding.take_out()

    def _decision_notices(self) -> list[str]:
        """What headers must say of the decision layer: what it is calibrated by, and what was moved from there."""
        words = (
            [_d("MDL calibrated: {calibration}").format(calibration=self.params.calibration)]
            if self.params.calibrated
            else []
        )
        if self.is_moved:
            words.append(_d("MDL constants moved by hand"))
        if self.params.switches.words != "full":
            words.append(_d("MDL ablated: {words}").format(words=self.params.switches.words))
        if self.params.pool != "retrieved":
            words.append(_d("MDL pool {pool}").format(pool=self.params.pool))
        return words

    def _held(self, qi: int) -> tuple[list[int], list[Trit]]:
        """A query's candidates and their verdicts."""
        evaluation = self.evaluation
        held = [mi for mi in evaluation.memory[qi].tolist() if mi >= 0]
        return held, [Trit(value) for value in evaluation.trits["admissible"][qi, : len(held)].tolist()]

    def mdl(self, qi: int) -> QueryDecision | None:
        """The decision of a query and of each of its candidates in rank order; None where mdl is null.

        Reads the texts where that has not been done, outside the lock: for a worker.
        """
        with self.lock:
            held, verdicts = self._held(qi)
            known = self.deciding.known(qi, held, verdicts)
            question = None if known is not None else self.deciding.ask(qi, held, verdicts)
        if known is not None:
            return known.decision
        if question is None:
            return None
        signals = self.deciding.read(question)
        with self.lock:
            self.deciding.keep(question, signals)
            held, verdicts = self._held(qi)
            known = self.deciding.known(qi, held, verdicts)
        # An edit meanwhile makes another question of it, which is asked anew.
        return self.mdl(qi) if known is None else known.decision

    @locked
    def weighed(self, qi: int) -> Weighed:
        """What is known of a query's decision now, texts that are read within a frame included."""
        return self._weighed(qi, *self._held(qi))

    def _weighed(self, qi: int, held: Sequence[int], verdicts: Sequence[Trit]) -> Weighed:
        known = self.deciding.known(qi, held, verdicts)
        before = self._decided_before.get(qi)
        if known is None and self.deciding.is_quick(held):
            question = self.deciding.ask(qi, held, verdicts)
            if question is None:
                return Weighed(True, tuple(held), None, None, self._why_null(held))
            known = self._read_now(question, held, verdicts)
        if known is None:
            return Weighed(False, tuple(held), None, before)
        if before is not None and not self._moved(before, known):
            before = None
        return Weighed(True, tuple(held), known.decision, before, self._why_null(held))

    def _read_now(self, question: Question, held: Sequence[int], verdicts: Sequence[Trit]) -> Decided | None:
        self.deciding.keep(question, self.deciding.read(question))
        return self.deciding.known(question.qi, held, verdicts)

    @staticmethod
    def _moved(before: Decided, now: Decided) -> bool:
        if before.decision is None or now.decision is None:
            return before.decision is not now.decision
        if differs(before.decision.query, now.decision.query):
            return True
        return any(mi in before.mis and differs(before.row(mi), now.row(mi)) for mi in now.mis)

    def _why_null(self, held: Sequence[int]) -> str:
        if not held:
            return _d("no candidates")
        if not self.retriever.has_vectors:
            return _d(NO_VECTORS).format(name=self.route.name)
        return _d("no candidate has a usable vector")

    def _decisions(
        self, qi: int, held: Sequence[int], verdicts: Sequence[Trit]
    ) -> Iterator[tuple[Decision | None, Decision | None]]:
        """For each candidate its decision, None where it is not known, and the one before the edits if it differs."""
        weighed = self._weighed(qi, held, verdicts)
        for position, mi in enumerate(held):
            now = None if weighed.decision is None else weighed.decision.rows[position]
            before = None if weighed.before is None else weighed.before.row(mi)
            yield now, before if before is not None and differs(before, now) else None

    def _outsider(self, qi: int, mi: int) -> Decision | None:
        """The decision of a memory that is no candidate, as far as its query's is known."""
        if self._evaluation is None:
            return None
        decision = self._weighed(qi, *self._held(qi)).decision
        return None if decision is None else self.deciding.outsider(qi, mi, decision)
