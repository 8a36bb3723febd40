"""The decision layer in signs: the four actions, the columns of the candidates, the query line (SCREENS; DESIGN 6)."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.i18n import _, ngettext
from inspector.mdl import Action, Decision, Params
from inspector.ui.widgets.cells import Piece
from inspector.ui.widgets.signs import ARROW, share
from inspector.views import Candidate
from inspector.weighing import Weighed

#: A disc that fills as the action rises, so that it is told without colour; with the style of its word.
ACTION_SIGNS = {
    Action.OPT_OUT: ("○", "warn"),
    Action.SILENT: ("◔", "dim"),
    Action.SUPP: ("◑", ""),
    Action.ACTIVE: ("●", "strong"),
}
#: High risk and high relevance together, where the source reports its own failures.
CORNER = "◥"
UNREAD = "…"


def action_sign(action: Action, style: str | None = None) -> Piece:
    """``◔``, in the action's style or another."""
    sign, own = ACTION_SIGNS[action]
    return Piece(sign, own if style is None else style)


def action_words(action: Action, style: str | None = None) -> Piece:
    """``◔ Silent``."""
    sign, own = ACTION_SIGNS[action]
    return Piece(f"{sign} {action.word}", own if style is None else style)


def moved(before: float | None, now: float) -> list[Piece]:
    """A value to two decimals; ``.08→.80`` where an edit moved it and nobody has looked yet."""
    if before is None or round(before, 2) == round(now, 2):
        return [Piece(_signed(now))]
    return [Piece(_signed(before), "dim"), Piece(ARROW, "changed"), Piece(_signed(now), "changed")]


def _signed(value: float) -> str:
    return share(value) if value >= 0 else f"−{share(-value)}"


def action_cell(row: Candidate, *, terse: bool = False) -> list[Piece]:
    """The action with its sign, and a mark in the corner; ``◔→● Active`` where an edit moved it.

    ``terse`` leaves the word out.
    """
    if row.mdl is None:
        return [Piece("–", "dim")]
    now = row.mdl.action
    corner = [Piece(CORNER, "bad")] if row.mdl.corner else []
    words = action_sign if terse else action_words
    if row.mdl_before is None or row.mdl_before.action is now:
        gap = [] if terse or not corner else [Piece(" ")]
        return [words(now), *gap, *corner]
    return [action_sign(row.mdl_before.action, "dim"), Piece(ARROW, "changed"), words(now, "changed"), *corner]


def value_cell(row: Candidate, name: str) -> list[Piece]:
    """C or α of a candidate: ``name`` is the attribute of its decision. A value that an edit moved is marked."""
    if row.mdl is None:
        return [Piece("–", "dim")]
    now, before = getattr(row.mdl, name), row.mdl_before
    changed = before is not None and round(getattr(before, name), 2) != round(now, 2)
    return [Piece(_signed(now), "changed" if changed else "")]


def decision_order(row: Candidate, name: str) -> tuple[bool, float]:
    """What a column of the decision is ordered by; candidates without one stand last."""
    return (True, 0.0) if row.mdl is None else (False, float(getattr(row.mdl, name)))


def standing(params: Params, *, moved_by_hand: bool) -> Piece:
    """Whether the decisions are calibrated, in words."""
    if not params.calibrated:
        return Piece(_("uncalibrated") + (_(", constants moved") if moved_by_hand else ""), "warn")
    return Piece(_("calibrated") + (_(", then moved") if moved_by_hand else ""), "warn" if moved_by_hand else "dim")


def query_figures(weighed: Weighed, params: Params, *, moved_by_hand: bool) -> list[list[Piece]]:
    """The query line: M R A → C α → action, what it rests on, and "uncalibrated" until a calibration is loaded."""
    head = Piece(_("MDL "), "dim")
    if not weighed.is_read:
        return [[head, Piece(_("reading the texts {UNREAD}").format(UNREAD=UNREAD), "dim")]]
    if weighed.decision is None:
        short = weighed.why_null.partition(":")[0]
        return [[head, Piece(_("null: {short}").format(short=short), "unknown")]]
    now, before = weighed.decision.query, weighed.query_before
    action = [head, *action_moved(before, now), *([Piece(f" {CORNER}", "bad")] if now.corner else [])]
    figures: list[Piece] = []
    for name in ("M", "R", "A", "C", "alpha"):
        label = {"M": "M ", "C": f" {ARROW} C ", "alpha": " α "}.get(name, f" {name} ")
        figures += [Piece(label, "dim"), *moved(None if before is None else getattr(before, name), getattr(now, name))]
    # The action is a part by itself: a narrow screen has room for it where it has none for its figures.
    said: list[list[Piece]] = [action, figures, [standing(params, moved_by_hand=moved_by_hand)]]
    if not weighed.decision.signals.R.judged:
        said.append([Piece(_("conflicts not judged"), "unknown")])
    elif count := len(weighed.decision.signals.R.conflicts):
        said.append(
            [
                Piece(
                    ngettext("{count} conflicting pair", "{count} conflicting pairs", count).format(count=count), "warn"
                )
            ]
        )
    if params.pool != "retrieved":
        said.append([Piece(_("pool {pool}").format(pool=params.pool), "dim")])
    if params.switches.words != "full":
        said.append([Piece(_("ablated: {words}").format(words=params.switches.words), "warn")])
    return said


def action_moved(before: Decision | None, now: Decision) -> Sequence[Piece]:
    """``◔ Silent → ● Active`` where an edit moved the action, else the action."""
    if before is None or before.action is now.action:
        return [action_words(now.action)]
    return [action_words(before.action, "dim"), Piece(f" {ARROW} ", "changed"), action_words(now.action, "changed")]
