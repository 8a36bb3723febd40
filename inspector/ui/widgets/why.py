"""The *Why* tab: three axes with what they read, the smallest edits, the lifecycle table (DESIGN 3, SCREENS)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual.content import Content

from inspector.axes.flips import FlipSearch
from inspector.axes.verdict import AxisResult, Explanation
from inspector.i18n import _, told
from inspector.records import AXES, INTENTS, MEMORY_FIELDS, QUERY_FIELDS, FieldRead
from inspector.trit import Trit
from inspector.ui.veil import visible
from inspector.ui.widgets.cells import Piece, fit, padded
from inspector.ui.widgets.reader import Item, blank
from inspector.ui.widgets.signs import EDITED, TRIT_STYLES, content, trit, verdict
from inspector.ui.widgets.values import is_missing, show_value
from inspector.views import VERDICT_SIGNS, VERDICT_WORDS, Candidate

#: Key of an item: a field that can be edited, or a flip that can be applied (target and its number in the search).
FieldKey = tuple[str, str, str]
_NAME_WIDTH = 20
_MOST_UNREAD = 40
#: Cells of the memory's text: one line of the narrowest detail.
_TEXT = 60
#: Characters that are looked at for it: a text may have millions.
_LOOK_AT = 1_000
#: Width of a column of the lifecycle table: with its first column it fits a detail of 60.
_CELL = 8
Flips = Mapping[Trit, FlipSearch | None]


@dataclass(frozen=True, slots=True)
class FlipChoice:
    """The key of an item that applies the ``number``-th smallest edit to make the verdict ``target``."""

    target: Trit
    number: int


@dataclass(frozen=True, slots=True)
class FieldChoice:
    """The key of an item that shows a field; choosing it edits the field. ``place`` tells repeats apart."""

    owner: str
    name: str
    place: str = ""


def why_items(
    explanation: Explanation,
    candidate: Candidate,
    flips: Flips,
    table: Mapping[tuple[str, str], Trit],
) -> list[Item]:
    """Everything the axes say of one pair, as paragraphs.

    ``flips`` has a search for each target, None while it is still running. ``table`` is the lifecycle table in force,
    by state and intent.
    """
    return [
        *_text(candidate),
        *_head(explanation, candidate),
        *(item for name in AXES for item in _axis(name, getattr(explanation, name), name in explanation.decided_by)),
        *_axis("relevance", explanation.relevance, False),
        *_flips(flips),
        *_table(explanation, table),
        *_unread(explanation.unread),
        *_notes(explanation.notes),
    ]


def _line(*pieces: Piece, indent: int = 0, key: object = None) -> Item:
    return Item(content(pieces), indent=indent, key=key)


def heading(text: str) -> Item:
    """A line that begins a part."""
    return _line(Piece(text, "heading"))


def _text(candidate: Candidate) -> Iterator[Item]:
    """The text's beginning: a narrow table has no room for it, and many ids do not say which memory it is."""
    if text := " ".join(visible(candidate.text[:_LOOK_AT]).split()):
        piece = Piece(f"“{text}”", "dim")
        yield Item(content(fit([piece], _TEXT) if cell_len(piece.text) > _TEXT else [piece]))


def _head(explanation: Explanation, candidate: Candidate) -> Iterator[Item]:
    decided = _(" and ").join(_(axis) for axis in explanation.decided_by)
    pieces = [verdict(explanation.verdict)]
    before = candidate.before.get("admissible")
    if before is not None:
        pieces.append(
            Piece(
                _("  was {VERDICT_SIGNS} {VERDICT_WORDS}").format(
                    VERDICT_SIGNS=VERDICT_SIGNS[before], VERDICT_WORDS=_(VERDICT_WORDS[before])
                ),
                "changed",
            )
        )
    if explanation.verdict is Trit.YES:
        pieces.append(Piece(_("  all three axes are 1"), "dim"))
    elif decided:
        pieces.append(Piece(_("  decided by {decided}").format(decided=decided)))
    yield _line(*pieces)
    yield _line(
        Piece(_("usable "), "dim"),
        trit(explanation.usable),
        Piece(_("  = relevance "), "dim"),
        trit(explanation.relevance.value),
        Piece(_(" AND admissible "), "dim"),
        trit(explanation.verdict),
    )
    pair = candidate.pair
    if pair is not None and pair.stated:
        tests = [Piece(_("session "), "dim"), trit(pair.session), Piece(_(" × tag "), "dim"), trit(pair.tag)]
        tests += [Piece(" = ", "dim"), trit(pair.both), Piece(f"  {visible(pair.words)}", "dim")]
        yield _line(*tests)
        if pair.key_words:
            yield _line(Piece(_("exact key "), "dim"), trit(pair.key), Piece(f"  {visible(pair.key_words)}", "dim"))


def _axis(name: str, axis: AxisResult, decides: bool) -> Iterator[Item]:
    if name != AXES[0]:  # the verdict's line stands right above the first axis: low terminals show few lines
        yield blank()
    marks = []
    if axis.judged:
        marks.append(Piece(_("  judged"), "edited"))
    if axis.assumed:
        marks.append(Piece(_("  assumed"), "warn"))
    if decides and axis.value is not Trit.YES:
        marks.append(Piece(_("  ◂ decides"), "strong"))
    yield _line(
        Piece(f"{_(name)} ", "heading"),
        Piece(axis.value.symbol, TRIT_STYLES[axis.value]),
        Piece(f"  {visible(told(axis.rule))}", "dim"),
        *marks,
    )
    yield Item(Content(visible(axis.reason)), Content("  "), 3)
    for read in axis.reads:
        yield field_item(read, name)
    if axis.missing:
        missing = ", ".join(visible(field) for field in axis.missing)
        yield Item(content([Piece(missing, "unknown")]), content([Piece(_("  missing"), "warn")]), _NAME_WIDTH)


def field_item(read: FieldRead, place: str) -> Item:
    """One field that was read: its name, its value and where the value came from."""
    name = read.name if read.owner == "memory" else f"{read.owner} {read.name}"
    mark = EDITED if read.origin == "edit" else " "
    shown = show_value(read.value)
    style = "dim" if is_missing(read.value) else ""
    origin_style = {"edit": "edited", "assumption": "warn"}.get(read.origin, "dim")
    origin = {"edit": _("edited here"), "assumption": "assumed"}.get(read.origin, visible(short_origin(read.origin)))
    field = re.split(r"[.\[]", read.name, maxsplit=1)[0]
    known = MEMORY_FIELDS if read.owner == "memory" else QUERY_FIELDS if read.owner == "query" else {}
    key = FieldChoice(read.owner, field, place) if field in known and field != "id" else None
    return Item(
        content([Piece(shown, style), Piece(f"   {origin}", origin_style)]),
        content([Piece(f" {mark}", "edited"), Piece(visible(name), "link" if key else "")]),
        max(_NAME_WIDTH, cell_len(name) + 4),
        key,
        copy=f"{name}: {shown} ({read.origin})",
    )


def short_origin(origin: str) -> str:
    """A source's place without its folders: ``memories.jsonl:12``."""
    return origin.replace("\\", "/").rpartition("/")[2]


def _flips(flips: Flips) -> Iterator[Item]:
    if not flips:
        return
    yield blank()
    yield heading(_("smallest edits that flip the verdict"))
    for target, search in flips.items():
        label = content([Piece(" → "), verdict(target)])
        if search is None:
            yield Item(content([Piece(_("searching …"), "dim")]), label, _NAME_WIDTH)
            continue
        yield Item(content([Piece(visible(search.words), "dim")]), label, _NAME_WIDTH)
        for number, flip in enumerate(search.flips):
            yield Item(
                content([Piece(visible(flip.words))]), Content(""), 4, FlipChoice(target, number), copy=flip.words
            )
    if any(search is not None and search.flips for search in flips.values()):
        yield _line(Piece(_("   enter applies the one under the cursor, f the first"), "dim"))


def _table(explanation: Explanation, table: Mapping[tuple[str, str], Trit]) -> Iterator[Item]:
    """The lifecycle table: states that share a line stand together, the cell that applied in brackets."""
    yield blank()
    state, intent = explanation.table_cell
    yield _line(
        Piece(_("lifecycle "), "heading"),
        Piece(_("state {state} × intent {intent}").format(state=state, intent=intent)),
    )
    grouped: dict[tuple[Trit, ...], list[str]] = {}
    for each in dict.fromkeys(key[0] for key in table):
        grouped.setdefault(tuple(table[each, word] for word in INTENTS), []).append(each)
    names = {values: ", ".join(states) for values, states in grouped.items()}
    width = max((cell_len(name) for name in (*names.values(), _("state"))), default=0) + 1
    yield _line(Piece("  " + padded(_("state"), width) + "".join(word.center(_CELL) for word in INTENTS), "dim"))
    open_states = state.split(" or ")
    for values, states in grouped.items():
        here = [each for each in states if each in open_states]
        row = [Piece("▸ " if here else "  ", "strong"), Piece(padded(names[values], width), "strong" if here else "")]
        for word, value in zip(INTENTS, values, strict=True):
            applied = here and word == intent
            style = TRIT_STYLES[value]
            row.append(Piece(f"[{value.symbol}]".center(_CELL) if applied else value.symbol.center(_CELL), style))
        yield _line(*row)


def _unread(unread: Sequence[FieldRead]) -> Iterator[Item]:
    if not unread:
        return
    yield blank()
    yield heading(_("present, read by no rule"))
    for read in unread[:_MOST_UNREAD]:
        yield field_item(read, "unread")
    if len(unread) > _MOST_UNREAD:
        yield _line(Piece(_("  and {count} more: see Record").format(count=len(unread) - _MOST_UNREAD), "dim"))


def _notes(notes: Sequence[str]) -> Iterator[Item]:
    if not notes:
        return
    yield blank()
    for note in notes:
        yield Item(content([Piece(visible(note), "warn")]), Content(_("note:")), 6)
