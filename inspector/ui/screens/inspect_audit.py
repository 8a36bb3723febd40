"""The audit on the Inspect screen: how prompts are assembled, and the way to the memories that prove a stage."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.message import Message

from inspector.audit.assembly import CHARACTERS, ORDERS, Measure, Prompt
from inspector.errors import InspectorError
from inspector.i18n import _
from inspector.ui.messages import guarded
from inspector.ui.screens.inspect_dialogs import LinesDialog
from inspector.ui.screens.inspect_mdl import InspectMdl
from inspector.ui.widgets.audit_keys import MemoryWanted
from inspector.ui.widgets.audit_tabs import PromptUsual, PromptWanted

if TYPE_CHECKING:
    from inspector.audit.exposure import LetThrough

_PASSING: tuple[LetThrough, ...] = ("admit", "unresolved")


class InspectAudit(InspectMdl):
    """What the assembly of prompts, which counts for the whole store, and the proofs need of the screen."""

    class MeasureFound(Message):
        """The tokenizer was looked for: tokens where it is at hand, else characters."""

        def __init__(self, measure: Measure) -> None:
            super().__init__()
            self.measure = measure

    # Memories that prove something

    @guarded
    def on_memory_wanted(self, event: MemoryWanted) -> None:
        """Go to a memory that a tab names."""
        event.stop()
        self.show_memory(event.mi)

    def show_memory(self, mi: int) -> None:
        """Put the cursor of the candidates on a memory; one that is not among them is shown below them."""
        if self.qi is None:
            return
        if any(row.mi == mi for row in self.candidate_pane.list.rows):
            self.candidate_pane.show_memory(mi)
        else:
            focused = self.focused
            self.ask_for(mi)
            if focused is not None:
                focused.focus()

    def proving(self) -> list[int]:
        """The memories that prove the selected query's stages, then those that leave one open, each once."""
        if self.qi is None:
            return []
        stages = self.inspection.audit(self.qi).stages
        proofs = [*(proof for finding in stages.findings for proof in finding.proofs), *stages.open]
        return list(dict.fromkeys(proof.mi for proof in proofs if proof.mi is not None))

    def action_proof(self) -> None:
        """To the next memory that proves the failure stage, round and round."""
        if self.qi is None:
            return
        found = self.proving()
        first = self.inspection.audit(self.qi).stages.first
        if not found:
            self.tell(_("stage {first}: no stored memory proves it; the Trail tab says more").format(first=first))
            return
        at = found.index(self.mi) + 1 if self.mi in found else 0
        mi = found[at % len(found)]
        self.show_memory(mi)
        which = _("{at} of {count}").format(at=at % len(found) + 1, count=len(found))
        self.tell(
            _("stage {first}: {id}, {which} that prove it or leave it open").format(
                first=first, id=self.inspection.memories[mi].id, which=which
            )
        )

    # How prompts are assembled

    def action_let_through(self) -> None:
        """Let unresolved verdicts through too, or admit alone."""
        now = self.inspection.let_through
        self._assemble(partial(self.inspection.assemble_as, let_through=_PASSING[1 - _PASSING.index(now)]))

    @guarded
    def on_prompt_wanted(self, event: PromptWanted) -> None:
        """The Prompt tab turns one of its settings."""
        event.stop()
        auditor = self.inspection.auditor
        step = event.step or 1
        if event.name == "let_through":
            self.action_let_through()
        elif event.name == "order":
            self._assemble(
                partial(self.inspection.assemble_as, order=ORDERS[(ORDERS.index(auditor.order) + step) % len(ORDERS)])
            )
        elif event.name == "budget" and event.step is None:
            self._type_budget()
        elif event.name == "budget" and self.qi is not None:
            self._assemble(
                partial(self.inspection.assemble_as, budget=stepped(self.inspection.audit(self.qi).prompt, step))
            )
        elif event.name == "measure":
            self._turn_measure()

    @guarded
    def on_prompt_usual(self, event: PromptUsual) -> None:
        """One setting back to its default."""
        event.stop()
        if event.name == "measure":
            self._measured(CHARACTERS)
        else:
            assemble = self.inspection.assemble_as
            defaults: dict[str, Callable[[], None]] = {
                "let_through": partial(assemble, let_through="admit"),
                "order": partial(assemble, order="rank"),
                "budget": partial(assemble, budget=None),
            }
            self._assemble(defaults[event.name])

    def _type_budget(self) -> None:
        auditor = self.inspection.auditor
        unit = auditor.measure.unit
        now = [] if auditor.budget is None else [str(auditor.budget)]
        hint = _("How many {unit} an assembled prompt may have. Nothing: no budget.").format(unit=unit)
        self.app.push_screen(LinesDialog(_("Budget of the prompt"), hint, now, self._typed_budget))

    def _typed_budget(self, lines: list[str]) -> None:
        typed = "".join(lines).replace(",", "").replace(" ", "")
        if typed and not typed.isdecimal():
            raise InspectorError(
                _("{typed!r}: a whole number is expected, or nothing for no budget").format(typed=typed)
            )
        self._assemble(partial(self.inspection.assemble_as, budget=int(typed) if typed else None))

    def _turn_measure(self) -> None:
        """To tokens, whose tokenizer a worker reads, or back to characters."""
        if self.inspection.auditor.measure.unit == "tokens":
            self._measured(CHARACTERS)
            return
        self.tell(_("reading the tokenizer …"))
        self.run_worker(
            self._find_measure,
            group="measure",
            exclusive=True,
            thread=True,
            exit_on_error=False,
            description="tokenizer",
        )

    def _find_measure(self) -> None:
        from inspector.auditing import bundled_measure

        self.post_message(self.MeasureFound(bundled_measure()))

    @on(MeasureFound)
    @guarded
    def _measure_found(self, event: MeasureFound) -> None:
        event.stop()
        self._measured(event.measure)
        if event.measure.unit == "characters":
            self.tell(_("no tokenizer is at hand: sizes stay in characters"))

    def _measured(self, measure: Measure) -> None:
        """Another unit: a budget in the old one would mean something else, so it is taken away."""
        had = self.inspection.auditor.budget is not None
        self._assemble(partial(self.inspection.assemble_as, measure=measure, budget=None))
        if had:
            self.tell(_("{said}; the budget was in the other unit and is taken away").format(said=self.said))

    def _assemble(self, assemble: Callable[[], None]) -> None:
        before = self._stage_here()
        assemble()
        auditor = self.inspection.auditor
        limit = (
            _("no budget")
            if auditor.budget is None
            else _("budget {budget:,} {unit}").format(budget=auditor.budget, unit=auditor.measure.unit)
        )
        passing = "admit" if self.inspection.let_through == "admit" else _("admit and unresolved")
        after = self._stage_here()
        if self.qi is not None:
            self.query_pane.replace([self.inspection.query_row(self.qi)])
            self.show_query(cursor=self.mi)
            self.detail.show(self.detail.subject)
        moved = _(": stage {before} → {after}").format(before=before, after=after) if before != after else ""
        self.tell(
            _("our prompt lets {passing} through, in order of {order}, {limit}{moved}").format(
                passing=passing, order=auditor.order, limit=limit, moved=moved
            ),
            "strong",
        )

    def _stage_here(self) -> str:
        return "" if self.qi is None else self.inspection.audit(self.qi).stages.first


def stepped(prompt: Prompt, step: int) -> int | None:
    """The budget that takes one memory more (1) or fewer (-1) into the prompt; None where all fit."""
    sizes = [line.size for line in (*prompt.lines, *prompt.cut)]
    if not sizes:
        return None
    count = min(len(sizes), max(0, len(prompt.lines) + step))
    return None if count >= len(sizes) and step > 0 else sum(sizes[:count])
