"""The line at the top: what is open, how much of it, and the notices that must be seen on every screen (DESIGN 3)."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from inspector.i18n import _
from inspector.ui.veil import is_redacted, visible
from inspector.ui.widgets.cells import Piece, fit


class HeaderBar(Widget):
    """One line, or two where there are notices; never wraps: what does not fit is counted and one key away."""

    COMPONENT_CLASSES = {"header--name", "header--facts", "header--notice"}
    DEFAULT_CSS = """
    HeaderBar { height: 1; dock: top; background: $panel; }
    HeaderBar > .header--name { color: $heading; text-style: bold; background: $panel; }
    HeaderBar > .header--facts { color: $dim; background: $panel; }
    HeaderBar > .header--notice { color: $warn; background: $panel; }
    """

    name_shown: reactive[str] = reactive("Inspector")
    facts: reactive[tuple[str, ...]] = reactive(())
    notices: reactive[tuple[str, ...]] = reactive(())

    def show(self, name: str, facts: Sequence[str] = (), notices: Sequence[str] = ()) -> None:
        """Show a store's name, facts such as ``12 memories``, and notices such as ``assumed: status=current``."""
        self.name_shown = name
        self.facts = tuple(facts)
        self.notices = (_("redacted"), *notices) if is_redacted() else tuple(notices)

    def watch_notices(self, notices: tuple[str, ...]) -> None:
        """A second line only where it is needed."""
        self.styles.height = 2 if notices else 1

    def render_line(self, y: int) -> Strip:
        """The name and the facts, then the notices."""
        width = self.size.width
        if y == 0:
            pieces = self._first_line(width)
        elif y == 1 and self.notices:
            pieces = [Piece(" "), Piece(fit_notices(self.notices, width - 1), "notice")]
        else:
            pieces = []
        style = {name: self.get_component_rich_style(f"header--{name}") for name in ("name", "facts", "notice")}
        segments = [Segment(text, style.get(name, style["facts"])) for text, name in fit(pieces, width)]
        return Strip(segments)

    def _first_line(self, width: int) -> list[Piece]:
        name = Piece(f" {visible(self.name_shown)}", "name")
        facts = visible(" · ".join(self.facts))
        room = width - cell_len(facts) - 3
        if cell_len(name.text) > max(room, width // 3):
            # A long name gives way first, then the facts.
            name = Piece("".join(piece.text for piece in fit([name], max(room, width // 3))), "name")
        return [name, Piece("   " if facts else "", "facts"), Piece(facts, "facts")]

    def on_click(self, event: events.Click) -> None:
        """A click on the notices shows them all."""
        if event.y == 1:
            self.app.simulate_key("exclamation_mark")


def fit_notices(notices: Sequence[str], width: int) -> str:
    """As many whole notices as fit, then how many more there are and the key that shows them."""
    shown = [visible(notice) for notice in notices]
    for count in range(len(shown), 0, -1):
        rest = len(shown) - count
        text = "⚠ " + " · ".join(shown[:count]) + (_(" · +{rest} more: !").format(rest=rest) if rest else "")
        if cell_len(text) <= width:
            return text
    tail = _(" +{count} more: !").format(count=len(shown) - 1) if len(shown) > 1 else " !"
    head = "".join(piece.text for piece in fit([Piece("⚠ " + shown[0])], max(2, width - cell_len(tail))))
    return head + tail
