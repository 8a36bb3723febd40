"""Long work in threads, as every screen of an open store does it (inspector.ui.screens.working)."""

from __future__ import annotations

from inspector.records import Progress
from inspector.ui.screens.working import Kind, WorkScreen


def report(work: str, kind: Kind, report: object = None) -> WorkScreen.Reported:
    return WorkScreen.Reported(work, 1, report, kind)


def test_a_later_report_replaces_only_what_it_makes_void() -> None:
    here = report("lint", "progress", Progress("lint", 1, 2))
    assert here.can_replace(report("lint", "progress", Progress("lint", 2, 2)))
    assert not here.can_replace(report("arrange", "progress", Progress("lint", 2, 2)))  # another work's
    assert not here.can_replace(report("lint", "result"))  # the end of it is another matter
    assert report("arrange", "passing").can_replace(report("arrange", "passing"))
    for kind in ("part", "result", "error"):  # what a work gives is never passed over
        for later in ("progress", "passing", "part", "result", "error"):
            assert not report("lint", kind).can_replace(report("lint", later)), (kind, later)
