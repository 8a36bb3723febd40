"""The *MDL* tab as paragraphs: sliders, ruler, plots, signals, conflicts, switches, constants (SCREENS; DESIGN 6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields

from textual.content import Content

from inspector.i18n import N_, _, _d
from inspector.mdl import (
    AUDIT_NOTE,
    PARAM_SPECS,
    Action,
    Calibration,
    Decision,
    Encoding,
    Params,
    QueryDecision,
    Switches,
)
from inspector.mdl.decision import actions_of, in_corner
from inspector.ui.veil import visible
from inspector.ui.widgets import mdl_plots
from inspector.ui.widgets.cells import Piece
from inspector.ui.widgets.mdl_constants import fixed, show_constant
from inspector.ui.widgets.mdl_signs import ACTION_SIGNS, CORNER, action_moved, action_words, moved, standing
from inspector.ui.widgets.reader import Item, blank
from inspector.ui.widgets.signs import ARROW, content, share
from inspector.weighing import NO_VECTORS

SIGNALS = ("M", "R", "A")
_NAMES = {"M": N_("M relevance"), "R": N_("R reliability"), "A": N_("A risk")}
#: Where the bars of the sliders begin, and the most cells that they have.
BAR_AT = 15
MOST_BAR = 51
_LABEL = 20
_SWITCH_WORDS = {
    "relevance": N_("M counts"),
    "reliability": N_("R counts"),
    "risk": N_("A counts"),
    "value_encoding": N_("value encoding"),
    "risk_inversion": N_("risk inversion, s_a = 1 − A"),
    "alpha_gate": N_("α gate, C·(0.3 + 0.7·α)"),
    "risk_modulation": N_("risk modulation g_A"),
    "identity_projectors": N_("identity projectors"),
}


@dataclass(frozen=True, slots=True)
class Slider:
    """Key of a slider's item."""

    signal: str


@dataclass(frozen=True, slots=True)
class Toggle:
    """Key of an item that enter turns: a switch by its name, ``of``, ``pool``, ``calibrated`` or ``encode``."""

    name: str


@dataclass(frozen=True, slots=True)
class Constant:
    """Key of a constant's item."""

    name: str


@dataclass(frozen=True, slots=True)
class Loading:
    """Key of the item that loads a calibration file."""


@dataclass(frozen=True, slots=True)
class View:
    """What the tab shows: a decision with its signals, and where the sliders stand.

    ``names`` are the ids of the query's candidates by place; ``of`` is "memory" or "query": whose M the sliders begin
    at. ``before`` is the decision before the edits that nobody has looked at yet.
    """

    decision: QueryDecision
    names: Sequence[str]
    of: str
    memory_id: str
    own: Decision | None
    before: Decision | None
    read: Mapping[str, float]
    at: Mapping[str, float]
    encoding: Encoding
    params: Params
    calibration: Calibration | None
    moved_by_hand: bool

    @property
    def slid(self) -> bool:
        """Whether a slider was moved from what was read."""
        return any(self.at[name] != self.read[name] for name in SIGNALS)

    @property
    def action(self) -> Action:
        """The action at the sliders' values."""
        return Action(int(actions_of(self.encoding.C_final, self.params.thresholds)))


def mdl_items(view: View, width: int, *, plots: bool) -> list[Item]:
    """Everything that the decision layer says of one candidate, as paragraphs of a pane ``width`` cells wide."""
    return [
        *_head(view),
        *_sliders(view, width),
        *_result(view),
        *_ruler(view, width),
        *_conflicts(view),
        *_signals(view),
        *_switches(view),
        *(_plots(view, width) if plots else [blank(), _line(Piece(_("drawing the plots …"), "dim"))]),
        *_constants(view),
        *_notes(view),
    ]


def null_items(why: str) -> list[Item]:
    """What stands in the tab where mdl is null, with the way to vectors where that is what is missing."""
    items = [_line(Piece(_("mdl null"), "unknown"), Piece(f"  {visible(why)}"))]
    if why.partition(":")[0] == _d(NO_VECTORS).partition(":")[0]:
        words = content([Piece(_("encode the texts for the decisions"), "link")])
        items.append(Item(words, indent=1, key=Toggle("encode")))
    return items


def _line(*pieces: Piece, indent: int = 0, key: object = None) -> Item:
    return Item(content(pieces), indent=indent, key=key)


def _heading(text: str, *more: Piece) -> list[Item]:
    return [blank(), _line(Piece(text, "heading"), *more)]


def _labelled(label: str, *pieces: Piece, key: object = None) -> Item:
    return Item(content(pieces), content([Piece(f" {label}", "dim")]), _LABEL, key)


def _head(view: View) -> Iterator[Item]:
    whose = view.own if view.of == "memory" and view.own is not None else view.decision.query
    marks = [Piece(_("  {CORNER} corner").format(CORNER=CORNER), "bad")] if whose.corner else []
    yield _line(
        *action_moved(view.before, whose),
        Piece(f"  {whose.action.meaning}"),
        *marks,
        Piece("  "),
        standing(view.params, moved_by_hand=view.moved_by_hand),
    )
    if view.of == "query":
        named = _("the query, M of the pool's best")
    elif view.own is None:
        named = _("{memory_id}, which has no usable vector: the query's M").format(memory_id=visible(view.memory_id))
    else:
        named = _("{memory_id}, its own M").format(memory_id=visible(view.memory_id))
    yield Item(content([Piece(named, "link")]), content([Piece(_(" decision of"), "dim")]), BAR_AT, Toggle("of"))


def bar_cells(width: int) -> int:
    """How many cells the bar of a slider has in a pane so wide."""
    return max(11, min(MOST_BAR, width - BAR_AT - 22))


def slider_bar(value: float, read: float, cells: int) -> str:
    """``├───┊──●───┤``: the value, and where it was read."""
    bar = ["─"] * cells
    bar[0], bar[-1] = "├", "┤"
    bar[round(read * (cells - 1))] = "┊"
    bar[round(value * (cells - 1))] = "●"
    return "".join(bar)


def _sliders(view: View, width: int) -> Iterator[Item]:
    cells = bar_cells(width)
    for name in SIGNALS:
        at, read = view.at[name], view.read[name]
        before = None if view.before is None or at != read else getattr(view.before, name)
        said = (
            Piece(_(" read {share}").format(share=share(read)), "changed") if at != read else Piece(_(" read"), "dim")
        )
        yield Item(
            content([Piece(slider_bar(at, read, cells), "strong"), Piece(" "), *moved(before, at), said]),
            content([Piece(f" {_(_NAMES[name])}", "link")]),
            BAR_AT,
            Slider(name),
            copy=_("{name} {at:.2f} (read {read:.2f})").format(name=name, at=at, read=read),
        )


def _result(view: View) -> Iterator[Item]:
    found, params = view.encoding, view.params
    before = None if view.slid else view.before
    values: list[Piece] = []
    for label, name in (("C ", "C"), ("  α ", "alpha"), (f"  {ARROW} C_final ", "C_final")):
        values += [Piece(label, "dim"), *moved(None if before is None else getattr(before, name), getattr(found, name))]
    if bool(in_corner(view.at["M"], view.at["A"], params)):
        corner = [Piece(f" {CORNER}", "bad")]
    else:
        corner = []
    yield Item(
        content([*values, Piece("  "), action_words(view.action), *corner]),
        content([Piece(_(" what if"), "changed") if view.slid else Piece(_(" as read"), "dim")]),
        BAR_AT,
    )
    gate = "C·(0.3 + 0.7·α)" if params.switches.alpha_gate else _("C, without the α gate")
    limits = found.bounds
    origin = _("over the grid") if limits.origin == "grid" else _("given")
    norms = _("‖v_meta‖ {norm:.3f} between n_min {n_min:.3f} and n_max {n_max:.3f} ({origin})").format(
        norm=found.norm, n_min=limits.n_min, n_max=limits.n_max, origin=origin
    )
    yield _line(
        Piece(_("C_final = {gate}; {norms}; g_A {g_A:.3f}").format(gate=gate, norms=norms, g_A=found.g_A), "dim"),
        indent=BAR_AT,
    )
    words = _("← → move a slider, shift by tenths; backspace: as read, z: all")
    yield _line(Piece(words, "dim"), indent=BAR_AT)


def ruler(c_final: float, thresholds: Sequence[float], cells: int) -> tuple[str, str, str]:
    """Three lines of ``cells``: the thresholds' values, the actions between them, and where C_final stands.

    The ruler goes from 0 to 1; what lies outside stands at its end.
    """

    def at(value: float) -> int:
        return round(min(1.0, max(0.0, value)) * (cells - 1))

    marks, line = [" "] * cells, ["─"] * cells
    line[0], line[-1] = "├", "┤"
    edges = [0, *(at(theta) for theta in thresholds), cells - 1]
    for theta in thresholds:
        text = share(theta)
        start = max(0, min(cells - len(text), at(theta) - len(text) // 2))
        marks[start : start + len(text)] = text
        line[at(theta)] = "┼"
    for action, left, right in zip(Action, edges[:-1], edges[1:], strict=True):
        room = right - left - 1
        word = action.word if room >= len(action.word) else ACTION_SIGNS[action][0]
        if room >= len(word):
            start = left + 1 + (room - len(word)) // 2
            line[start : start + len(word)] = word
    place = at(c_final)
    said = f"▲ {c_final:.2f}"
    pointer = " " * place + said if place + len(said) <= cells else f"{c_final:.2f} ▲".rjust(place + 1)
    return "".join(marks), "".join(line), pointer


def _ruler(view: View, width: int) -> Iterator[Item]:
    cells = max(30, min(71, width - BAR_AT - 2))
    marks, line, pointer = ruler(view.encoding.C_final, view.params.thresholds, cells)
    yield Item(Content(marks), content([Piece(_(" thresholds"), "dim")]), BAR_AT)
    yield Item(Content(line), indent=BAR_AT)
    yield Item(content([Piece(pointer, "strong")]), indent=BAR_AT)


def _plots(view: View, width: int) -> Iterator[Item]:
    formula = _("  v(s) = s·1 + Σ exp(−(s−c_i)²/2σ²)·e_i; v_meta = tanh(g_A W_wm v_wm + W_r v_r + W_a v_a + b)")
    yield from _heading(_("encoded values"), Piece(formula, "dim"))
    found, names = view.encoding, ("v_wm", "v_r", "v_a")
    drawn = [
        mdl_plots.bars(tuple(found.values[k].tolist()), 0, 2, f"{name}  s {found.s[k]:.2f}")
        for k, name in enumerate(names)
    ]
    title = _("v_meta  norm {norm:.2f}").format(norm=found.norm)
    drawn.append(mdl_plots.bars(tuple(found.v_meta.tolist()), -1, 1, title, mdl_plots.WIDTH + 1))
    for line in mdl_plots.side_by_side(drawn, width):
        yield Item(Content(line))
    parts = [" ".join(f"{part:.2f}" for part in row) for row in found.energy]
    energy = ", ".join(f"{name} {row}" for name, row in zip(names, parts, strict=True))
    yield _line(Piece(_("energy of each in the subspaces wm, r, a: {energy}").format(energy=energy), "dim"))


def _signals(view: View) -> Iterator[Item]:
    signals = view.decision.signals
    yield from _heading(_("where the signals come from"))
    best = [name for name, m in zip(view.names, signals.M.tolist(), strict=True) if m == signals.query_M]
    of_best = f" ({visible(best[0])})" if best else ""
    own = f"; {visible(view.memory_id)} {share(view.own.M)}" if view.own is not None else ""
    yield _labelled(
        "M",
        Piece(
            _("cos(query, memory), the pool's best {share}{of_best}{own}").format(
                share=share(signals.query_M), of_best=of_best, own=own
            )
        ),
    )
    yield _labelled("R", Piece(visible(signals.R.reason), "" if signals.R.judged else "unknown"))
    source = f"  {visible(signals.A.source)}" if signals.A.source and signals.A.origin == "keywords" else ""
    yield _labelled("A", Piece(visible(signals.A.reason)), Piece(source, "dim"))
    inside = int(signals.in_pool.sum())
    words = _("all retrieved") if signals.pool == "retrieved" else _("retrieved and not excluded")
    yield _labelled(
        _("pool"),
        Piece(signals.pool, "link"),
        Piece(_("  {words}: {inside} of {count}").format(words=words, inside=inside, count=len(view.names))),
        key=Toggle("pool"),
    )
    for note in signals.notes:
        yield _labelled(_("note"), Piece(visible(note), "warn"))


def _conflicts(view: View) -> Iterator[Item]:
    found = view.decision.signals.R
    count = len(found.conflicts)
    how_many = (
        _("{count} of {judged_pairs} judged").format(count=count, judged_pairs=found.judged_pairs)
        if found.judged
        else _("not judged")
    )
    yield from _heading(_("conflicting pairs"), Piece(f"  {how_many}", "dim"))
    for pair in found.conflicts:
        one = pair.conflict
        names = [visible(view.names[place]) for place in (pair.left, pair.right)]
        here = view.memory_id in (view.names[pair.left], view.names[pair.right])
        yield _line(
            Piece(f"{names[0]} ≠ {names[1]}", "strong" if here else ""),
            Piece(f"  {one.rule}", "warn"),
            Piece(_("  about {shared}").format(shared=visible(", ".join(one.shared))) if one.shared else "", "dim"),
            indent=1,
        )
        for name, words, text in zip(names, (one.left_words, one.right_words), (one.left, one.right), strict=True):
            said = content([Piece(visible(", ".join(words)), "bad"), Piece(f"  {visible(text)}")])
            yield Item(said, content([Piece(f"   {name}", "dim")]), _LABEL)
    if not count and found.judged:
        yield _line(Piece(_("none: no denial, polarity or antonym divides the relevant memories"), "dim"), indent=1)


def _switches(view: View) -> Iterator[Item]:
    yield from _heading(_("ablations"), Piece(_("  enter switches; n_min and n_max are derived again"), "dim"))
    for spec in fields(Switches):
        on, plain = getattr(view.params.switches, spec.name), getattr(Switches(), spec.name)
        yield Item(
            content([Piece(_(_SWITCH_WORDS[spec.name]), "" if on is plain else "changed")]),
            content([Piece(" [x]" if on else " [ ]", "strong" if on else "dim")]),
            5,
            Toggle(spec.name),
        )


def _constants(view: View) -> Iterator[Item]:
    yield from _heading(_("calibration and constants"), Piece(_("  enter changes one, backspace takes it back"), "dim"))
    key: object = None
    if view.calibration is None:
        words = [Piece(_("none loaded: the constants are the defaults"), "warn")]
    else:
        fitted, key = view.calibration.fitted, Toggle("calibrated")
        held = fitted.agreement_held_out
        agreed = (
            _(", agreement {share} of {total} held out").format(share=share(held.share), total=held.total)
            if held.share is not None
            else ""
        )
        state = _("in force") if view.params.calibrated else _("at hand, not in force")
        words = [
            Piece(visible(view.calibration.name), "link"),
            Piece(
                _("  {state}; {rows} rows of {source}{agreed}").format(
                    state=state, rows=fitted.rows, source=visible(fitted.source), agreed=agreed
                )
            ),
        ]
    yield _labelled(_("calibration"), *words, key=key)
    yield _labelled("", Piece(_("load a calibration file"), "link"), key=Loading())
    base = fixed(view.params, view.calibration)
    for spec in PARAM_SPECS:
        if spec.name == "pool":
            continue
        now, usual = show_constant(view.params, spec.name), show_constant(base, spec.name)
        pieces = [
            Piece(now, "" if now == usual else "changed"),
            Piece("" if now == usual else _(" was {usual}").format(usual=usual), "changed"),
        ]
        pieces += [Piece(_("  [ours]") if spec.ours else "", "warn"), Piece(f"  {_(spec.help)}", "dim")]
        label = content([Piece(f" {spec.name}", "link")])
        yield Item(content(pieces), label, _LABEL + 2, Constant(spec.name), copy=f"{spec.name} = {now}")


def _notes(view: View) -> Iterator[Item]:
    yield blank()
    yield _line(Piece(_(AUDIT_NOTE), "strong"))
    corner = _("{CORNER} A ≥ {share} and M ≥ {share2}").format(
        CORNER=CORNER, share=share(view.params.top_tier), share2=share(view.params.corner_relevance)
    )
    words = _("very high relevance lifts C even at high risk. The source reports its own failures here.")
    yield _line(Piece(f"{corner}: {words}", "dim"))
