"""Attribution: what stands behind the final action (DESIGN 7).

A function of the final action, the record and the expected action alone: no gate mode, no query text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from inspector.gate.action import PERMISSIVE, RISKY, Action, action_word, pre_action, shorten
from inspector.gate.governs import governs_of
from inspector.i18n import N_, _d
from inspector.records import Memory

Attribution = Literal["GOVERNED", "AUTHORITY_ONLY", "DEFAULT", "UNATTRIBUTABLE"]
ATTRIBUTIONS: tuple[Attribution, ...] = ("GOVERNED", "AUTHORITY_ONLY", "DEFAULT", "UNATTRIBUTABLE")
NO_EXPECTATION = N_("cannot be UNATTRIBUTABLE: no expected action")


def attribute(row: int, governs_present: bool, final: Action, expected: Any) -> tuple[Attribution, str]:
    """Attribution and note from the deciding row (1 to 7), whether governs is present, and the two actions.

    ``expected`` may be None or a word without a rank; neither makes a row-7 action UNATTRIBUTABLE, and the note says
    which of the two it was.
    """
    if row < 7:
        return ("GOVERNED" if governs_present else "AUTHORITY_ONLY"), ""
    wanted = action_word(expected)
    if wanted is None:
        if expected is None:
            return "DEFAULT", _d(NO_EXPECTATION)
        return "DEFAULT", _d("cannot be UNATTRIBUTABLE: no expected action that has a rank ({expected})").format(
            expected=shorten(expected)
        )
    if final in PERMISSIVE and wanted in RISKY:
        return "UNATTRIBUTABLE", ""
    return "DEFAULT", ""


def attribution_of(
    memory: Memory, final: Action, expected: Any, assumptions: Mapping[str, Any] | None = None
) -> tuple[Attribution, str]:
    """:func:`attribute` read from the record itself."""
    return attribute(pre_action(memory, assumptions).row, governs_of(memory).present, final, expected)
