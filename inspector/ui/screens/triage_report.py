"""Reports of incidents, made in a thread and written beside and moved into place (issue 5, SCREENS Triage)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from inspector.errors import Cancelled, InspectorError
from inspector.i18n import N_, _
from inspector.records import OnProgress
from inspector.ui.config import write_atomically
from inspector.ui.panes import Report
from inspector.ui.screens.triage_work import TriageWorking
from inspector.ui.screens.working import Job
from inspector.ui.veil import is_redacted

if TYPE_CHECKING:
    from inspector.inspection import Inspection

#: The forms of a report: the name of the writer, how it is called, the suffix of its file.
FORMS = (("markdown", "Markdown", "md"), ("html", "HTML", "html"), ("json", "JSON", "json"))
_OPEN = N_("texts and ids as they are: mind who reads it")
_REDACTED = N_("texts and ids replaced by stable tokens; verdicts and structure stay")


def offered(what: str, file: str, write: Callable[[str, bool, Path], None]) -> list[Report]:
    """Every form of a report, open and redacted; ``write`` takes the form, whether to redact, and the file."""
    found = []
    for redact, about in ((False, _(_OPEN)), (True, _(_REDACTED))):
        if is_redacted() and not redact:  # a redacted session gives nothing out that it does not show
            continue
        for form, words, suffix in FORMS:
            name = f"{file}-redacted.{suffix}" if redact else f"{file}.{suffix}"
            said = (_("redacted report as {words}") if redact else _("report as {words}")).format(words=words)
            found.append(Report(said, f"{what}: {about}", name, partial(write, form, redact)))
    return found


def make_report(
    inspection: Inspection,
    qis: Sequence[int],
    form: str,
    redact: bool,
    progress: OnProgress | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> str:
    """The text of a report. Raises Cancelled, and InspectorError where the store is edited meanwhile."""
    from inspector.audit.report import FORMS as WRITERS
    from inspector.reporting import report

    stamp = inspection.stamp
    made = report(inspection, inspection, qis, redact=redact, on_progress=progress, cancelled=cancelled)
    if inspection.stamp != stamp:
        raise InspectorError(_("the store was edited while the report was being made: make it again"))
    return WRITERS[form](made)


class TriageReporting(TriageWorking):
    """Offers reports of the chosen incidents to the export dialog."""

    def reports(self) -> Sequence[Report]:
        """A report of the marked incidents, else of the one under the cursor, in every form."""
        chosen = [self.pane.rows.get(identity) for identity in self.pane.chosen()]
        if not chosen:
            return []
        one = len(chosen) == 1
        what = (
            _("incident {query_id}").format(query_id=chosen[0].query_id)
            if one
            else _("{count:,} incidents").format(count=len(chosen))
        )
        file = f"incident-{chosen[0].query_id}" if one else "incidents"
        return offered(what, file, partial(self.write_report, what, [incident.qi for incident in chosen]))

    def write_report(self, what: str, qis: Sequence[int], form: str, redact: bool, path: Path) -> None:
        """Make a report in a thread and write it; escape stops it and leaves no file."""
        self.tell(_("reporting {what} …  escape cancels").format(what=what))
        self.start("report", partial(_write, self.inspection, what, qis, form, redact, path))


def _write(
    inspection: Inspection,
    what: str,
    qis: Sequence[int],
    form: str,
    redact: bool,
    path: Path,
    job: Job,
) -> str:
    text = make_report(inspection, qis, form, redact, job.progress, job.cancelled)
    if job.cancelled():
        raise Cancelled(_("the report was cancelled"))
    write_atomically(path, text)
    return _("report of {what}{value} written to {path}").format(
        what=what, value=_(", redacted,") if redact else "", path=path
    )
