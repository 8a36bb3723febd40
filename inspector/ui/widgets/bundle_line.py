"""The query bundle and the query's figures, above the candidates (SCREENS Inspect). Each part can be edited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget

from inspector.gate.gate import Mode
from inspector.i18n import _
from inspector.records import ABSENT, FieldRead, Presence, show_namespace
from inspector.ui.actions import bindings
from inspector.ui.veil import visible
from inspector.ui.widgets.cells import Piece, fit
from inspector.ui.widgets.gate_signs import gate_figures
from inspector.ui.widgets.signs import EDITED, bounds, content, has_stage, share, stage
from inspector.ui.widgets.values import show_value
from inspector.views import BundleLine, Candidate, Figures, QueryRow

_GAP = 2
_MOST = 60
#: Lines of a terminal under which the bar is short, and how many lines of parts it then shows.
_LOW = 32
_SHORT_LINES = 2
_SHORT_FIGURES = 2
#: From so many lines on a short bar has room for one more line of figures.
_LESS_LOW = 28

#: Ids of proving memories that the line of figures names.
_PROOF_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the bundle: the field that it edits ("route" is the route with its k), its label and value."""

    key: str
    label: str
    value: Sequence[Piece]

    @property
    def pieces(self) -> list[Piece]:
        """Label and value in a row."""
        return [Piece(f"{self.label} ", "dim"), *self.value]

    @property
    def cells(self) -> int:
        """The width in terminal cells."""
        return sum(cell_len(piece.text) for piece in self.pieces)


def _short(text: str) -> str:
    return text if len(text) <= _MOST else f"{text[: _MOST - 1]}…"


def _value(read: FieldRead, shown: str | None = None) -> list[Piece]:
    """A field's value, with a word beside it where the source did not say it."""
    has = read.presence is Presence.VALUE
    pieces = [Piece(EDITED, "edited")] if read.origin == "edit" else []
    pieces.append(Piece(_short(show_value(read.value) if shown is None else shown), "" if has else "unknown"))
    if read.origin == "assumption":
        pieces.append(Piece(_(" assumed"), "warn"))
    return pieces


def _principal(read: FieldRead) -> str | None:
    """Who asks, for people: the id, and what it owns where that differs; JSON where it is no such object."""
    value = read.value
    if not isinstance(value, dict) or not value:
        return None
    owner = value.get("id", ABSENT)
    spaces = value.get("namespaces")
    roles = value.get("roles")
    text = show_value(owner)
    if isinstance(spaces, list) and spaces and spaces != [owner]:
        text += _(" owns ") + visible(", ".join(show_namespace(space) for space in spaces))
    if not spaces:
        text += _(" no namespace")
    if isinstance(roles, list) and roles:
        text += _(" as ") + visible(", ".join(str(role) for role in roles))
    return text


def bundle_parts(line: BundleLine, gate: str = "") -> list[Part]:
    """The parts of the bundle, in the order of the screen; ``gate`` is the gate's mode."""
    instant = line.as_of_instant
    as_of = _value(line.as_of, None if instant is None else visible(instant.text))
    if instant is not None and line.as_of.origin not in ("edit", "assumption"):
        origin = "" if ":" in line.as_of.origin else f" {visible(line.as_of.origin)}"
        as_of.append(Piece(origin + (_(" no zone") if instant.naive else ""), "dim"))
    session = _value(line.session)
    parts = [
        Part("principal", "principal", _value(line.principal, _principal(line.principal))),
        Part("purpose", "purpose", _value(line.purpose)),
        Part("intent", "intent", _value(line.intent)),
        Part("as_of", "as_of", as_of),
        Part("session_id", "session", session),
    ]
    if line.claimed_session.presence is not Presence.ABSENT:
        parts.append(Part("claimed_session_id", "claimed", _value(line.claimed_session)))
    parts += [
        Part("semantic_tag", "tag", _value(line.tag)),
        Part("route", "route", [Piece(str(line.route)), Piece(" k ", "dim"), Piece(str(line.route.k))]),
        *([Part("gate", "gate", [Piece(gate)])] if gate else []),
        Part("", "", [Piece("…", "link")]),
    ]
    return parts


def figure_parts(row: QueryRow, tau: float, actions: Sequence[list[Piece]] = ()) -> list[list[Piece]]:
    """The query's figures and what has to be said of it, in words where there is no figure.

    ``actions`` is what the gate and the decision layer say.
    """
    figures: Figures = row.figures
    found = figures.matched
    sign, words = stage(row)
    parts: list[list[Piece]] = []
    # A failure stage comes first: a narrow screen has room for few lines of figures.
    if row.stage is None:
        parts.append([Piece(_("stage "), "dim"), sign, Piece(f" {words}", "dim")])
    elif has_stage(row):
        parts.append([Piece(_("stage "), "dim"), sign, Piece(f" {words}", "strong"), *_proof(row)])
    if row.short_term:
        parts.append([Piece(_("! answered from short-term context"), "warn")])
    if not found.evaluable or found.recall is None:
        parts.append([Piece(_("not evaluable: no required evidence"), "unknown")])
    else:
        parts.append([Piece(_("recall "), "dim"), Piece(share(found.recall), "strong")])
        parts[-1].append(Piece(_(" ({hits} of {required})").format(hits=found.hits, required=found.required), "dim"))
    if found.evaluable and found.recall is not None:
        if found.feasible is True and found.prefix is not None:
            parts.append([Piece(_("prefix "), "dim"), Piece(f"{found.prefix}", "strong")])
            if figures.risk is not None:
                counts = f" ✗ {found.violations} ? {found.unresolved} ✓ {found.admitted}"
                parts.append([Piece(_("risk "), "dim"), Piece(bounds(*figures.risk), "strong"), Piece(counts, "dim")])
        else:
            parts.append(
                [
                    Piece(_("infeasible at τ {share}").format(share=share(tau)), "bad"),
                    Piece(_("  no risk bounds"), "dim"),
                ]
            )
    parts += actions
    if row.stage is not None and not has_stage(row) and found.evaluable and found.feasible is True:
        parts.append([sign, Piece(f" {words}")])
    if row.session_mismatch:
        parts.append([Piece(_("! the claimed session is not the authenticated one"), "warn")])
    if row.degraded:
        parts.append([Piece(_("! degraded: {degraded}").format(degraded=visible(row.degraded)), "warn")])
    if row.unfiltered:
        parts.append([Piece(_("! unfiltered retrieval"), "warn")])
    parts.append([Piece(_("pool "), "dim"), Piece(f"{figures.width:,}")])
    parts.append([Piece(_("similarities "), "dim"), Piece(f"{figures.similarities:,}")])
    return parts


def _proof(row: QueryRow) -> list[Piece]:
    """The ids that prove the first stage, or leave it open; many are counted."""
    if not row.proof:
        return []
    shown = ", ".join(visible(one) for one in row.proof[:_PROOF_SHOWN])
    more = f" +{len(row.proof) - _PROOF_SHOWN}" if len(row.proof) > _PROOF_SHOWN else ""
    return [Piece(": ", "dim"), Piece(shown), Piece(more, "dim")]


def flow(parts: Sequence[Sequence[Piece]], width: int) -> list[list[int]]:
    """Which parts stand on which line, so that none is split; one wider than a line has a line of its own."""
    lines: list[list[int]] = []
    used = 0
    for number, part in enumerate(parts):
        cells = sum(cell_len(piece.text) for piece in part)
        if lines and used + _GAP + cells <= width:
            lines[-1].append(number)
            used += _GAP + cells
        else:
            lines.append([number])
            used = cells
    return lines


class BundleBar(Widget, can_focus=True):
    """Query text, bundle and figures; left and right go through the parts of the bundle, enter edits one."""

    PANE = "Query bundle"
    HELP = "Who asks, for what, when, and by which route. Every part can be edited: the verdicts follow at once."
    BINDINGS: ClassVar[list[BindingType]] = bindings("bundle", footer=False)
    DEFAULT_CSS = """
    BundleBar { height: auto; padding: 0 1; background: $background; }
    BundleBar:focus { background: $surface; }
    """

    class Chosen(Message):
        """A part of the bundle is to be edited; "" stands for any other field of the query."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._title: list[Piece] = []
        self._text = ""
        self._parts: list[Part] = []
        self._figures: list[list[Piece]] = []
        self._short_figures: list[list[Piece]] = []
        self._at = 0
        self._placed: list[tuple[int, int, int, int]] = []

    def show(
        self,
        line: BundleLine | None,
        row: QueryRow | None,
        tau: float,
        mode: Mode | None = None,
        decides: Candidate | None = None,
        mdl: Sequence[list[Piece]] = (),
    ) -> None:
        """Show a query's bundle and figures, or that there is no query.

        ``mode`` is the gate's, ``decides`` the candidate that acts; ``mdl`` says what the decision layer does.
        """
        before = self._lines(self._room)
        if line is None or row is None:
            self._title, self._text, self._parts, self._figures = [Piece(_("no query selected"), "dim")], "", [], []
            self._short_figures = []
        else:
            mark = [Piece(f" {EDITED}", "edited")] if row.edited else []
            self._title = [stage(row)[0], Piece(f" {visible(row.query_id)}", "heading"), *mark, Piece("  ")]
            self._text = visible(row.text)
            gate = [] if mode is None else gate_figures(mode, decides)
            self._parts = bundle_parts(line, mode or "")
            self._figures = figure_parts(row, tau, [*mdl, *gate])
            # Where there is no room for both, the final actions (the gate's with its attribution, the decision
            # layer's) go before the figures that they follow from.
            self._short_figures = figure_parts(row, tau, [*gate[:2], *mdl[:1], *gate[2:], *mdl[1:]])
        self._at = min(self._at, max(0, len(self._parts) - 1))
        self.refresh(layout=len(self._lines(self._room)) != len(before))

    @property
    def key(self) -> str:
        """The part under the cursor."""
        return self._parts[self._at].key if self._parts else ""

    @property
    def parts(self) -> Sequence[Part]:
        """The parts that are shown."""
        return self._parts

    @property
    def short(self) -> bool:
        """In a low terminal the bar shows what fits in five lines; all of it while it has the focus."""
        return self.app.size.height < _LOW and not self.has_focus

    @property
    def _room(self) -> int:
        return max(10, self.content_size.width or self.size.width or 80)

    def _lines(self, width: int) -> list[list[Piece]]:
        """What is drawn, line by line; remembers where each part stands for the mouse."""
        self._placed = []
        lines = [fit([*self._title, Piece(self._text)], width)]
        for numbers in flow([part.pieces for part in self._parts], width):
            if self.short and len(lines) > _SHORT_LINES:
                break
            line: list[Piece] = []
            used = 0
            for number in numbers:
                if line:
                    line.append(Piece(" " * _GAP))
                    used += _GAP
                part = self._parts[number]
                self._placed.append((number, len(lines), used, used + part.cells))
                line.extend(part.pieces)
                used += part.cells
            lines.append(line)
        shown = self._short_figures if self.short else self._figures
        most = _SHORT_FIGURES + (self.app.size.height >= _LESS_LOW) if self.short else None
        for numbers in flow(shown, width)[:most]:
            figures: list[Piece] = []
            for number in numbers:
                figures += [Piece(" " * _GAP)] if figures else []
                figures += shown[number]
            lines.append(figures)
        return lines

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """As many lines as the parts need."""
        return len(self._lines(max(10, width)))

    def render(self) -> Content:
        """The lines, the part under the cursor reversed while the bar has the focus."""
        lines = [content(line) for line in self._lines(self._room)]
        if self.has_focus:
            for number, y, start, end in self._placed:
                if number == self._at:
                    text = lines[y].plain
                    lines[y] = lines[y].stylize("reverse", _offset(text, start), _offset(text, end))
        return Content("\n").join(lines)

    def action_left(self) -> None:
        """To the part before."""
        self._go(-1)

    def action_right(self) -> None:
        """To the next part."""
        self._go(1)

    def _go(self, step: int) -> None:
        if self._parts:
            self._at = (self._at + step) % len(self._parts)
            self.refresh()

    def go_to(self, key: str) -> None:
        """Put the cursor on a part."""
        self._at = next((number for number, part in enumerate(self._parts) if part.key == key), self._at)
        self.refresh()

    def action_choose(self) -> None:
        """Edit the part under the cursor."""
        if self._parts:
            self.post_message(self.Chosen(self.key))

    def on_click(self, event: events.Click) -> None:
        """A click goes to a part, a second one edits it."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        for number, y, start, end in self._placed:
            if y == offset.y and start <= offset.x < end:
                again = number == self._at and event.chain > 1
                self._at = number
                self.refresh()
                if again:
                    self.action_choose()
                return

    def on_focus(self) -> None:
        """Show the cursor, and everything."""
        self.refresh(layout=True)

    def on_blur(self) -> None:
        """Hide the cursor."""
        self.refresh(layout=True)

    def copy_text(self) -> str | None:
        """What ``y`` copies: the bundle and figures as they stand."""
        return "\n".join("".join(piece.text for piece in line).rstrip() for line in self._lines(self._room)) or None


def _offset(text: str, cells: int) -> int:
    """The offset of the character that begins ``cells`` terminal cells into the text."""
    used = 0
    for number, char in enumerate(text):
        if used >= cells:
            return number
        used += cell_len(char)
    return len(text)
