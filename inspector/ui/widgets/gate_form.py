"""The short form of governs and authority: lines for people, and the edits that they mean (DESIGN 7).

Nothing here draws. A line that was left as it was makes no edit, so that opening the form changes nothing.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspector.errors import FieldError
from inspector.gate.governs import GOVERNS_KEYS, OPERATIONS, governs_of, make_governs, salvage
from inspector.i18n import N_, _
from inspector.records import ABSENT, ACTIONS, MEMORY_FIELDS, Memory, Presence, presence_of
from inspector.ui.veil import visible
from inspector.ui.widgets.values import editor_form, read_typed

#: The fields of authority that the form offers, in its order.
AUTHORITY_LINES = ("verification_required", "allowed_action_hint", "epistemic_status", "memory_type", "status")
#: Each line with the words that it may hold.
HINTS: Mapping[str, str] = {
    "action_types": ", ".join(OPERATIONS),
    "any_terms": N_("one of these must be asked about; none: any question"),
    "all_terms": N_("all of these must be asked about"),
    "excluded_terms": N_("any of these takes it out"),
    "verification_required": N_("true or false"),
    "allowed_action_hint": ", ".join(ACTIONS),
    "epistemic_status": N_("settled, unresolved, contested"),
    "memory_type": N_("context, policy, credential, correction"),
    "status": N_("active, superseded, archived, …"),
}
#: The words that up and down go through, for lines that hold one word.
WORDS: Mapping[str, Sequence[str]] = {
    "verification_required": ("true", "false"),
    **{name: MEMORY_FIELDS[name].choices for name in AUTHORITY_LINES[1:]},
}


def join_terms(terms: Sequence[str]) -> str:
    """Terms on one line with commas between; a term that holds a comma or a quote stands in quotes."""
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow(terms)
    return out.getvalue().replace(",", ", ") if not any("," in term for term in terms) else out.getvalue()


def split_terms(line: str) -> list[str]:
    """The terms of a line, blanks around them taken away, empty ones left out. Raises FieldError for a bad quote."""
    try:
        rows = list(csv.reader([line], skipinitialspace=True, strict=True))
    except csv.Error:
        raise FieldError("governs", _("a quote is not closed"), _("terms with commas between")) from None
    return [term.strip() for row in rows for term in row if term.strip()]


@dataclass(frozen=True)
class GovernsForm:
    """The form of one memory as it opens. ``lines`` are the texts by name; ``repairs`` says that governs is malformed.

    A malformed block opens as what it plainly says, and saving it is the repair.
    """

    memory: Memory
    lines: Mapping[str, str]
    repairs: bool

    @classmethod
    def of(cls, memory: Memory) -> GovernsForm:
        """The form filled with what the memory says."""
        governs = governs_of(memory)
        value = memory.get("governs")
        if governs.malformed:
            lists = salvage(value)
        else:
            lists = {key: list(value.get(key, ())) if isinstance(value, Mapping) else [] for key in GOVERNS_KEYS}
        lines = {key: join_terms(lists[key]) for key in ("action_types", *GOVERNS_KEYS[:3])}
        for name in AUTHORITY_LINES:
            held = memory.get(name)
            missing = presence_of(held) is not Presence.VALUE
            lines[name] = "" if missing else editor_form(MEMORY_FIELDS[name], held).text
        # A line for typing sends what it holds to the terminal: hostile characters are shown by their signs.
        return cls(memory, {name: visible(line) for name, line in lines.items()}, governs.malformed)

    def edits(self, typed: Mapping[str, str], timezone: str | None = None) -> dict[str, Any]:
        """The edits that the typed lines mean, each field with its whole new value. Raises FieldError, names the line.

        A blanked line takes its field away.
        """
        found: dict[str, Any] = {}
        changed = [key for key in GOVERNS_KEYS if typed[key] != self.lines[key]]
        if changed or (self.repairs and any(typed[key].strip() for key in GOVERNS_KEYS)):
            found["governs"] = self._governs(typed)
        for name in AUTHORITY_LINES:
            if typed[name] != self.lines[name]:
                blanked = not typed[name].strip()
                found[name] = (
                    ABSENT if blanked else read_typed(MEMORY_FIELDS[name], typed[name].strip(), timezone=timezone)
                )
        return found

    def _governs(self, typed: Mapping[str, str]) -> Any:
        now = self.memory.get("governs")
        kept = dict(now) if isinstance(now, Mapping) and not self.repairs else {}
        lists = {key: self._list(key, typed[key], kept) for key in GOVERNS_KEYS}
        if not any(lists.values()) and not set(kept) - set(GOVERNS_KEYS):
            return ABSENT
        made = make_governs(
            lists["action_types"], lists["any_terms"], lists["all_terms"], excluded_terms=lists["excluded_terms"]
        )
        # Keys that the gate does not know are the author's: they stay.
        return {**kept, **made}

    def _list(self, key: str, line: str, kept: Mapping[str, Any]) -> list[str]:
        if line == self.lines[key] and isinstance(kept.get(key), list):
            return list(kept[key])
        return split_terms(line)
