"""Sets of records that the *Store* screen can be narrowed to: a cell of the map, a mark, a lack, a finding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from inspector.gate.coverage import Protection
from inspector.i18n import N_, _
from inspector.store.lint import Finding
from inspector.survey import MARKS, PARTS, PROTECTIONS, Survey

Indices = npt.NDArray[np.int64]
#: What each list under the map means.
MEANINGS = {
    "declared but not enforced": N_("authority, yet row 7 of the action table decides"),
    "gate cannot fire": N_("governs without an action type that could escalate"),
    "sensitive with neither": N_("stated sensitive, neither governs nor authority"),
    "malformed governs": N_("cannot be read: it governs nothing"),
    "owner": N_("neither namespace nor namespaces"),
    "purposes": N_("no allowed_purposes: the purpose test answers ?"),
    "status": N_("no status label"),
    "times": N_("no time of any kind"),
}


@dataclass(frozen=True, slots=True)
class Selection:
    """One such set, by name, so that it can be made again after an edit."""

    kind: Literal["cell", "mark", "lacks", "code"]
    name: str

    @property
    def words(self) -> str:
        """The set in words."""
        return {
            "cell": _("coverage: {name}").format(name=_(self.name)),
            "mark": _(self.name),
            "lacks": _("no {name}").format(name=_(self.name)),
        }.get(self.kind, self.name)

    def count(self, survey: Survey) -> int:
        """How many records a list under the map has, of those surveyed so far."""
        return survey.marked_count(self.name) if self.kind == "mark" else survey.lacking_count(self.name)

    def indices(self, survey: Survey, findings: Sequence[Finding]) -> Indices:
        """The records of the set as they are now, in store order."""
        if self.kind == "cell":
            return survey.in_cell(Protection(self.name))
        if self.kind == "mark":
            return survey.marked(self.name)
        if self.kind == "lacks":
            return survey.lacking(self.name)
        found = {index for one in findings if one.code == self.name for index in (one.index, *one.related)}
        return np.array(sorted(index for index in found if index is not None), dtype=np.int64)


#: The cells in turn, for a key that narrows the table to the next.
CELLS: tuple[Selection | None, ...] = (None, *(Selection("cell", each.value) for each in PROTECTIONS))
#: The lists under the map: the marks, then what the records leave out.
LISTS: tuple[Selection, ...] = (
    *(Selection("mark", mark) for mark in MARKS),
    *(Selection("lacks", part) for part in PARTS),
)
