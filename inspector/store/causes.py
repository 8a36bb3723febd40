"""Causes that this program itself gives to boundary marks: data, hence in English, and translated where people read
them (DESIGN 9)."""

from __future__ import annotations

from inspector.i18n import N_, _d

#: The cause that only a person's confirmation may give: see :func:`inspector.store.boundary.propose_marks`.
MISSING_MARKS = N_("missing boundary marks")
CONFIRMED = N_("missing boundary marks, confirmed by {by}")
AS_STATED = N_("as boundary_state said")
#: Causes of the table of transitions.
MOVED_AWAY = N_("the task boundary moved away")
RESUMED = N_("the task was resumed")
REQUESTED = N_("retention or deletion request")
CONTAMINATION = N_("contamination")
RELEASED = N_("released by a reviewer")
#: Causes of the marks that replay makes.
LEFT = N_("the task boundary moved away: the session left tag '{tag}'")
ENTERED = N_("the task was resumed: the session entered tag '{tag}'")
#: What stands for a cause in a lane.
STORED = N_("stored")
NO_CAUSE = N_("no cause given")
NOT_COMPARABLE = N_("marks without a time that can be compared")
_WITH_A_PLACE = {CONFIRMED: "by", LEFT: "tag", ENTERED: "tag"}


def cause_words(cause: str) -> str:
    """A mark's cause for people: what this program wrote in their language, what others wrote as it stands."""
    for template, place in _WITH_A_PLACE.items():
        before, _place, after = template.partition(f"{{{place}}}")
        if len(cause) >= len(before) + len(after) and cause.startswith(before) and cause.endswith(after):
            return _d(template).format(**{place: cause[len(before) : len(cause) - len(after)]})
    return _d(cause)
