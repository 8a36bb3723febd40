"""The signs of the screens: trits, verdicts, trail, presence and edit marks (SCREENS "Signs").

A character says it first, a colour only repeats it: every sign reads the same without colour. Signs are made of
:class:`~inspector.ui.widgets.cells.Piece`, which tables draw, and :func:`content` turns into Content for other widgets.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from textual.content import Content

from inspector.i18n import _
from inspector.session_tag import SessionTag
from inspector.trit import Trit
from inspector.ui.veil import visible
from inspector.ui.widgets.cells import Piece
from inspector.views import VERDICT_SIGNS, VERDICT_WORDS, Candidate, QueryRow

EDITED = "✎"
ARROW = "→"
NOT_HAPPENED = "·"
#: What is being worked out: never what it was before.
WORKING = "…"
#: Style names of tables as styles of Content; theme variables, so that they follow the theme.
CONTENT_STYLES = {
    "": "",
    "yes": "$trit-yes",
    "no": "$trit-no",
    "unknown": "$trit-unknown",
    "dim": "$dim",
    "strong": "bold",
    "changed": "bold $changed",
    "edited": "$edited",
    "good": "$good",
    "bad": "bold $bad",
    "warn": "$warn",
    "link": "$link",
    "heading": "bold $heading",
}
TRIT_STYLES = {Trit.YES: "yes", Trit.NO: "no", Trit.UNKNOWN: "unknown"}
#: Sign of a query's failure stage, or, while no stage is known, of what its figures say; with the words for it.
STAGE_SIGNS = {
    "trace": ("T", "bad"),
    "candidate": ("C", "bad"),
    "verification": ("V", "bad"),
    "assembly": ("A", "bad"),
    "disclosure": ("D", "bad"),
    "none": ("✓", "good"),
    "undecided": ("?", "unknown"),
}


def content(pieces: Iterable[Piece]) -> Content:
    """The pieces as Content, made inert; only line feeds stay what they are."""
    return Content.assemble(*((visible(text, newlines=True), CONTENT_STYLES[style]) for text, style in pieces if text))


def trit(value: Trit) -> Piece:
    """``1``, ``0`` or ``?``."""
    return Piece(value.symbol, TRIT_STYLES[value])


def trit_cell(value: Trit, before: Trit | None = None, *, edited: bool = False) -> list[Piece]:
    """A trit; ``old→new`` where an edit changed it and nobody has looked yet; with a mark where it was judged here."""
    if before is not None and before is not value:
        return [Piece(before.symbol, "dim"), Piece(ARROW, "changed"), Piece(value.symbol, "changed")]
    return [trit(value), Piece(EDITED, "edited")] if edited else [trit(value)]


def verdict(value: Trit) -> Piece:
    """``✓ admit``, ``✗ exclude`` or ``? unresolved``."""
    return Piece(f"{VERDICT_SIGNS[value]} {_(VERDICT_WORDS[value])}", TRIT_STYLES[value])


def verdict_cell(value: Trit, before: Trit | None = None) -> list[Piece]:
    """The verdict; ``✗→✓ admit`` where an edit changed it and nobody has looked yet."""
    if before is not None and before is not value:
        return [
            Piece(VERDICT_SIGNS[before], "dim"),
            Piece(ARROW, "changed"),
            Piece(f"{VERDICT_SIGNS[value]} {_(VERDICT_WORDS[value])}", "changed"),
        ]
    return [verdict(value)]


def pair_cell(pair: SessionTag | None) -> list[Piece]:
    """``1×0``: session, then semantic tag."""
    if pair is None:
        return [Piece("–", "dim")]
    return [trit(pair.session), Piece("×", "dim"), trit(pair.tag)]


def trail_cell(candidate: Candidate) -> list[Piece]:
    """The letters of the trail, as far as they have been worked out: a letter happened, ``·`` did not, ``?`` unknown.

    A step that should not have happened (an excluded memory exposed or disclosed) stands before a ``!``.
    """
    steps = (
        ("S", candidate.stored),
        ("R", candidate.retrieved),
        ("V", candidate.verified),
        ("E", candidate.exposed),
        ("D", candidate.disclosed),
    )
    excluded = candidate.admissible is Trit.NO
    pieces = []
    for letter, value in steps:
        if value is None:
            continue
        if value is Trit.YES:
            wrong = excluded and letter in "ED"
            pieces.append(Piece(f"{letter}!" if wrong else letter, "bad" if wrong else "strong"))
        else:
            pieces.append(Piece(NOT_HAPPENED, "dim") if value is Trit.NO else Piece("?", "unknown"))
    return pieces


def has_stage(row: QueryRow) -> bool:
    """Whether the row's sign is its failure stage: one that applies, or any word of a recorded trace."""
    return row.stage is not None and (row.recorded or row.stage not in ("none", "undecided"))


def stage(row: QueryRow) -> tuple[Piece, str]:
    """The sign that a query's row begins with, and the words for it.

    The failure stage, ``…`` while it is being worked out; where nothing was recorded and nothing fails in the prompt
    that the verdicts would make, what the ranking does: whether it reaches the target recall, and what stands in the
    prefix that does.
    """
    if row.stage is None:
        return Piece(WORKING, "dim"), _("the stage is being worked out")
    if has_stage(row):
        sign, style = STAGE_SIGNS.get(row.stage or "", ("?", "unknown"))
        return Piece(sign, style), ", ".join(row.stages)
    found = row.figures.matched
    if not found.evaluable:
        return Piece("–", "dim"), _("not evaluable: no required evidence")
    if found.feasible is not True:
        return Piece("!", "bad"), _("infeasible: the ranking misses required evidence")
    if found.violations:
        return Piece("✗", "no"), _("an excluded memory ranks before the evidence is complete")
    if found.unresolved:
        return Piece("?", "unknown"), _("an unresolved memory ranks before the evidence is complete")
    return Piece("✓", "good"), _("the evidence is reached through admitted memories alone")


def share(value: float) -> str:
    """A share to two decimals, without the nought before the point: ``.53``. Only 0 and 1 themselves read 0 and 1."""
    text = f"{value:.2f}"
    if text == "1.00":
        return "1" if value == 1 else ">.99"
    if text == "0.00":
        return "0" if value == 0 else "<.01"
    return text.removeprefix("0")


def bounds(low: float, high: float) -> str:
    """A figure that may rest on unknowns, always as a pair: ``[.50, .75]``."""
    return f"[{share(low)}, {share(high)}]"


def score(value: float | None) -> str:
    """A score to three decimals; a missing or impossible one said in words."""
    if value is None:
        return "–"
    if value != value:
        return "NaN"
    return f"{value:.3f}"


def join(parts: Sequence[Sequence[Piece]], separator: str = " · ") -> list[Piece]:
    """The parts in a row with a separator between those that are not empty."""
    row: list[Piece] = []
    for part in parts:
        if not part:
            continue
        if row:
            row.append(Piece(separator, "dim"))
        row.extend(part)
    return row
