"""Causes that this program itself gives to boundary marks (DESIGN 9).

They are data, hence in English; :func:`inspector.i18n.told` says them in the reader's language.
"""

from __future__ import annotations

from inspector.i18n import D_

#: The cause that only a person's confirmation may give: see :func:`inspector.store.boundary.propose_marks`.
MISSING_MARKS = D_("missing boundary marks")
CONFIRMED = D_("missing boundary marks, confirmed by {by}")
AS_STATED = D_("as boundary_state said")
#: Causes of the table of transitions.
MOVED_AWAY = D_("the task boundary moved away")
RESUMED = D_("the task was resumed")
REQUESTED = D_("retention or deletion request")
CONTAMINATION = D_("contamination")
RELEASED = D_("released by a reviewer")
#: Causes of the marks that replay makes.
LEFT = D_("the task boundary moved away: the session left tag '{tag}'")
ENTERED = D_("the task was resumed: the session entered tag '{tag}'")
#: What stands for a cause in a lane.
STORED = D_("stored")
NO_CAUSE = D_("no cause given")
NOT_COMPARABLE = D_("marks without a time that can be compared")
