"""The incidents of the *Triage* screen, their states, and what mends them (SCREENS Triage)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from inspector.audit.audit import QueryAudit
from inspector.audit.triage import Incident, State
from inspector.axes.flips import Flip, FlipSearch
from inspector.errors import Cancelled, FieldError
from inspector.i18n import _
from inspector.text import counted
from inspector.triage import Triage
from inspector.trit import Trit
from inspector.ui.screens.triage_base import TriageBase, TriageState
from inspector.ui.screens.working import Job
from inspector.ui.widgets.triage_about import FixChoice, wanted_fixes
from inspector.ui.widgets.triage_rows import STATE_WORDS

if TYPE_CHECKING:
    from inspector.inspection import Inspection

#: Seconds without an edit, or without a step, before something is worked out.
_REST = 0.15
Searches = dict[tuple[int, Trit], FlipSearch | None]


class TriageWorking(TriageBase):
    """Works incidents and smallest edits out in threads; sets states and notes, which are on disk at once."""

    def __init__(self, inspection: Inspection, state: TriageState) -> None:
        super().__init__(inspection, state)
        self._fixes: Searches = {}
        self._fixes_of: tuple[object, ...] = ()

    # Incidents

    def work_out(self) -> None:
        """Bring the incidents up to date with the store, in a thread."""
        self.pane.working(_("working out the incidents …  escape cancels"))
        self.start("incidents", partial(_incidents, self.inspection, self.state.triage))

    def is_up_to_date(self) -> bool:
        """Whether the incidents are those of the store as it is now."""
        return (
            self.state.triage is not None and self.state.stamp == self.inspection.stamp and self.inspection.is_settled
        )

    def work_moved(self, work: str, words: str) -> None:
        """Progress of the incidents stands in the title, of a report in the line below."""
        if work == "incidents":
            self.pane.working(words)
        else:
            self.tell(words)

    def work_ended(self, work: str, result: Any) -> None:
        """Show what was worked out."""
        if work == "incidents":
            self._incidents_made(*result)
        elif work == "fixes":
            self._fixes_found(*result)
        else:
            self.tell(result, "strong")

    def work_failed(self, work: str, error: Exception) -> None:
        """Say it in the dialog for errors."""
        if isinstance(error, Cancelled):
            return
        if work == "incidents":
            self.pane.working("")
        self.fail(error, _("The report was not written") if work == "report" else "")

    def _incidents_made(self, triage: Triage, incidents: list[Incident] | None, stamp: tuple[object, ...]) -> None:
        state = self.state
        first = state.triage is None
        state.triage, state.stamp = triage, stamp
        if incidents is not None:
            triage.take(incidents)
        state.rows.queue = triage.queue
        known = frozenset(one.identity for one in triage.queue.incidents)
        self.pane.working("")
        if first or known != state.rows.known:
            self.pane.order_anew(cursor=state.cursor)
        else:
            self.pane.show()
        self.show_incident()
        if not self.is_up_to_date():
            self.work_out_soon()

    def work_out_soon(self) -> None:
        """After an edit: work the incidents out once the edits rest."""
        self.set_timer(_REST, self._work_out_if_old)

    def _work_out_if_old(self) -> None:
        if not self.is_up_to_date() and not self.running("incidents"):
            self.work_out()

    def show_incident(self) -> None:
        """Show what is said of the incident under the cursor."""
        raise NotImplementedError

    # The smallest edits that mend

    def fixes_of(self, one: Incident, audit: QueryAudit) -> Searches:
        """What is known of the smallest edits of an incident; None for those that are being looked for."""
        of = (one.identity, self.inspection.stamp)
        if of != self._fixes_of:
            self._fixes_of = of
            self._fixes = dict.fromkeys(wanted_fixes(audit))
            self.give_up("fixes")
        if any(found is None for found in self._fixes.values()) and not self.running("fixes"):
            self.start("fixes", partial(_search, self.inspection, one.qi, of, list(self._fixes)))
        return self._fixes

    def _fixes_found(self, of: tuple[object, ...], found: Searches) -> None:
        if of == self._fixes_of:
            self._fixes = found
            self.show_incident()

    def first_fix(self) -> tuple[int, Flip] | None:
        """The edit under the cursor, else the first that was found."""
        key = self.about.key
        if isinstance(key, FixChoice):
            search = self._fixes.get((key.mi, key.target))
            if search is not None and key.number < len(search.flips):
                return key.mi, search.flips[key.number]
        for (mi, _target), search in self._fixes.items():
            if search is not None and search.flips:
                return mi, search.flips[0]
        return None

    def apply(self, mi: int, flip: Flip) -> None:
        """Make the edits of one flip, as one step."""
        try:
            self.inspection.apply_flip(mi, flip.edits)
        except FieldError as error:
            self.fail(error, _("The edit was refused"))

    # States and notes

    def set_state(self, state: State) -> None:
        """Put the chosen incidents into a state."""
        chosen = self.pane.chosen()
        queue = self.state.rows.queue
        if queue is None or not chosen:
            return
        with self.inspection.lock:
            queue.set_state(chosen, state)
        self.pane.grid.set_marks(())
        self.pane.show()
        self.show_incident()
        fixed = sum(queue.get(one).state == "fixed by edit" for one in chosen)
        many = counted(len(chosen), "incident")
        more = (
            _("; {fixed:,} of them read fixed by edit, as long as the edit is in force").format(fixed=fixed)
            if fixed
            else ""
        )
        self.tell(_("{many}: {state}{more}").format(many=many, state=_(STATE_WORDS[state]), more=more), "strong")

    def set_note(self, identity: str, note: str) -> None:
        """Keep a note."""
        queue = self.state.rows.queue
        if queue is None or queue.get(identity).note == note:
            return
        with self.inspection.lock:
            queue.set_note(identity, note)
        self.pane.grid.refresh_rows()
        self.show_incident()
        self.tell(_("the note is kept") if note else _("the note is taken away"))


def _incidents(
    inspection: Inspection, triage: Triage | None, job: Job
) -> tuple[Triage, list[Incident] | None, tuple[object, ...]]:
    """Settle the store, then work out its incidents; the stamp is that of the store before."""
    inspection.settle(job.progress, job.cancelled)
    stamp = inspection.stamp
    if triage is None:
        return Triage(inspection, inspection.auditor, job.progress, job.cancelled), None, stamp
    return triage, triage.incidents(job.progress, job.cancelled), stamp


def _search(
    inspection: Inspection,
    qi: int,
    of: tuple[object, ...],
    wanted: list[tuple[int, Trit]],
    job: Job,
) -> tuple[tuple[object, ...], Searches]:
    """Look for the smallest edits of an incident's memories; a step to another incident stops it."""
    found: Searches = {}
    for mi, target in wanted:
        if job.cancelled():
            raise Cancelled(_("another incident is shown"))
        found[mi, target] = inspection.flips(qi, mi, target)
    return of, found
