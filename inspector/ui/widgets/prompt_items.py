"""The *Prompt* tab as paragraphs: what was exposed beside what our verdicts would have put in (DESIGN 8, SCREENS)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from textual.content import Content

from inspector.audit.audit import QueryAudit
from inspector.audit.case import Row
from inspector.audit.exposure import cites, how, lets_through, place_in
from inspector.audit.figures import let_through_counts
from inspector.i18n import N_, _
from inspector.records import Query
from inspector.text import counted
from inspector.trit import Trit
from inspector.ui.veil import visible
from inspector.ui.widgets.audit_keys import MemoryChoice, memory_pieces
from inspector.ui.widgets.cells import Piece, padded
from inspector.ui.widgets.marked import Mark, mark_text
from inspector.ui.widgets.reader import Item, blank
from inspector.ui.widgets.signs import content
from inspector.ui.widgets.why import heading
from inspector.views import VERDICT_WORDS

_LABEL = 15
_TABLE = 18
#: What a prompt is measured in.
UNITS = (N_("characters"), N_("tokens"))


@dataclass(frozen=True, slots=True)
class Setting:
    """The key of an item that is turned: ``let_through``, ``order``, ``budget`` or ``measure``."""

    name: str


def prompt_items(audit: QueryAudit, query: Query, here: int | None) -> list[Item]:
    """Everything of the tab for one query; ``here`` is the memory that the detail is about."""
    return [*_settings(audit), blank(), *_table(audit, here), *_short_term(audit), *_texts(audit, query)]


def _setting(name: str, label: str, value: str, about: str) -> Item:
    body = content([Piece(f"‹ {value} ›", "strong"), Piece(f"  {about}", "dim")])
    return Item(body, content([Piece(f" {label}", "link")]), _LABEL, Setting(name), copy=f"{label}: {value}")


def _settings(audit: QueryAudit) -> Iterator[Item]:
    prompt = audit.prompt
    counts = let_through_counts(audit.rows)
    yield heading(_("the prompt that our verdicts would make"))
    retrieved = sum(row.judged.rank > 0 for row in audit.rows)
    both = _("of {retrieved} retrieved: {admit} with admit alone, {unresolved} with unresolved").format(
        retrieved=retrieved, admit=counts["admit"], unresolved=counts["unresolved"]
    )
    passing = "admit" if prompt.let_through == "admit" else _("admit and unresolved")
    yield _setting("let_through", _("let through"), passing, both)
    yield _setting("order", _("order"), prompt.order, _("rank, oldest or newest first"))
    limit = _("none") if prompt.budget is None else f"{prompt.budget:,} {_(prompt.measure.unit)}"
    yield _setting("budget", _("budget"), limit, _("← one memory fewer, → one more, enter types a number"))
    unit = str(prompt.measure)
    yield _setting(
        "measure", _("measured in"), unit, "" if prompt.measure.unit == "tokens" else _("→ tokens, where at hand")
    )
    size = f"{prompt.size:,} {_(prompt.measure.unit)}"
    many = counted(len(prompt.lines), "memory", "memories")
    cut = _("; {count} let through and cut").format(count=len(prompt.cut)) if prompt.cut else ""
    yield Item(content([Piece(f"{many}, {size}{cut}")]), Content(_("   gives")), _LABEL)


@dataclass(frozen=True, slots=True)
class _Line:
    row: Row
    recorded: int | None
    ours: int | None
    size: int | None
    cut: bool


def _lines(audit: QueryAudit) -> list[_Line]:
    """The memories of both prompts: the recorded ones in their order, then what ours has beside them."""
    sizes = {line.mi: line.size for line in (*audit.prompt.lines, *audit.prompt.cut)}
    ours = {line.mi: place + 1 for place, line in enumerate(audit.prompt.lines)}
    cut = {line.mi for line in audit.prompt.cut}
    shown = [row for row in audit.rows if audit.exposure_recorded and row.exposed != Trit.NO]
    shown.sort(key=lambda row: row.exposure.position)
    recorded = {row.mi: place + 1 for place, row in enumerate(shown)}
    rest = [row for row in audit.rows if row.mi not in recorded and (row.mi in sizes or row.judged.rank)]
    rest.sort(key=lambda row: (ours.get(row.mi, len(ours) + 1 + (row.mi not in cut)), row.judged.rank))
    return [
        _Line(row, recorded.get(row.mi), ours.get(row.mi), sizes.get(row.mi), row.mi in cut) for row in [*shown, *rest]
    ]


def _table(audit: QueryAudit, here: int | None) -> Iterator[Item]:
    if audit.exposure_recorded:
        yield heading(_("recorded prompt beside ours"))
    else:
        yield heading(_("no prompt was recorded: ours stands for it"))
    head = " " + padded(_("was"), 4, right=True) + padded(_("ours"), 5, right=True) + padded(_("size"), 7, right=True)
    yield Item(content([Piece(_("memory"), "dim")]), content([Piece(head, "dim")]), _TABLE)
    for line in _lines(audit):
        row = line.row
        was = "–" if line.recorded is None else f"{line.recorded}{'?' if row.exposed == Trit.UNKNOWN else ''}"
        size = "" if line.size is None else f"{line.size:,}"
        label = f" {was:>4}{line.ours or '–':>5}{size:>7}"
        differs = (line.recorded is not None) != (line.ours is not None) and audit.exposure_recorded
        pieces = [*memory_pieces(row, here), Piece("  " + "; ".join(_said(line, audit)), "warn" if differs else "dim")]
        yield Item(content(pieces), content([Piece(label)]), _TABLE, MemoryChoice(row.mi, "prompt"))
    for place, (event, item) in enumerate(audit.unknown):
        if event == "prompt":
            body = [
                Piece("! ", "bad"),
                Piece(visible(item.shown), "strong"),
                Piece(_("  recorded, and not stored"), "bad"),
            ]
            yield Item(content(body), content([Piece(f" {item.rank:>4}")]), _TABLE, copy=f"{place}: {item.shown}")


def _said(line: _Line, audit: QueryAudit) -> Iterator[str]:
    """How the record got into the recorded prompt, and why it is or is not in ours."""
    row, prompt = line.row, audit.prompt
    if line.recorded is not None:
        where = _where(row, audit)
        found = (
            f"{visible(row.exposure.detail)}"
            if row.exposed == Trit.UNKNOWN
            else _("matched {how}").format(how=how(row.exposure))
        )
        yield found + (f", {where}" if where else "")
    elif audit.exposure_recorded:
        yield _("not in the recorded prompt")
    if line.cut:
        yield _("ours cuts it: the budget of {budget:,} is spent").format(budget=prompt.budget)
    elif line.ours is None and not row.judged.rank:
        yield _("not retrieved, so not in ours")
    elif line.ours is None and not lets_through(row.verdict, prompt.let_through):
        yield _("ours leaves it out: verdict {VERDICT_WORDS}").format(VERDICT_WORDS=_(VERDICT_WORDS[row.verdict]))


def _places(row: Row, prompt: str) -> list[tuple[int, int]]:
    """Where a memory stands in the recorded prompt: its id, its text."""
    found = [cites(prompt, row.id)] if row.exposure.kind == "exact" else []
    found.append(place_in(prompt, row.memory.text))
    return [(one.start, one.end) for one in found if one is not None]


def _where(row: Row, audit: QueryAudit) -> str:
    prompt = audit.recorded.prompt
    places = _places(row, prompt) if prompt is not None else []
    return (
        _("line {count}").format(count=prompt.count(chr(10), 0, min(places)[0]) + 1)
        if prompt is not None and places
        else ""
    )


def prompt_marks(audit: QueryAudit) -> list[Mark]:
    """Where the exposed memories stand in the recorded prompt, tagged by their place in it."""
    prompt = audit.recorded.prompt
    if prompt is None:
        return []
    lines = [line for line in _lines(audit) if line.recorded is not None]
    return [Mark(start, end, str(line.recorded)) for line in lines for start, end in _places(line.row, prompt)]


def _short_term(audit: QueryAudit) -> Iterator[Item]:
    if not audit.short_term:
        return
    yield blank()
    yield heading(_("answered from short-term context"))
    yield Item(
        Content(_("Required evidence was not retrieved and stood in the recent turns: long-term recall failed unseen."))
    )
    for one in audit.short_term:
        body = [
            Piece(visible(one.id), "strong"),
            Piece(_("  {words} (match {kind})").format(words=visible(one.words), kind=one.kind)),
        ]
        yield Item(content(body), Content("   "), 4, MemoryChoice(one.mi, "short"))


def _texts(audit: QueryAudit, query: Query) -> Iterator[Item]:
    recorded = audit.recorded
    yield blank()
    if recorded.prompt is not None:
        yield heading(_("recorded prompt: ⟦n …⟧ is memory n of the column “was”"))
        yield Item(mark_text(recorded.prompt, prompt_marks(audit)), copy=recorded.prompt)
    elif audit.exposure_recorded:
        yield Item(
            content([Piece(_("the trace lists what was exposed; the prompt's own text was not recorded"), "dim")])
        )
    else:
        own = query.value("recorded") is not None
        words = _("the trace has neither a prompt nor a list of what was exposed") if own else _("nothing was recorded")
        yield Item(content([Piece(words, "dim")]))
    yield from _turns(recorded.turns)


def _turns(turns: Sequence[str]) -> Iterator[Item]:
    if turns:
        yield blank()
        yield heading(_("recent turns of the prompt"))
    for number, turn in enumerate(turns, 1):
        label = content([Piece(f" {number:>2}", "dim")])
        yield Item(mark_text(turn, ()), label, 4, copy=turn)
