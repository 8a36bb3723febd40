"""A reading pane: styled paragraphs and long texts, wrapped lazily, some of them selectable (Why, Record, Trail).

A Line-API widget: only the lines in sight are rendered, so that a memory of a megabyte costs what a short one costs.
Paragraphs are Content, never markup; texts in them must have gone through :func:`inspector.text.visible`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.binding import BindingType
from textual.content import Content, Span
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.style import Style

from inspector.ui.actions import bindings
from inspector.ui.widgets.wrap import Line, wrap_lines


@dataclass(frozen=True, slots=True)
class Item:
    """One paragraph: a label in its own column (may be empty), the body beside it, and a key if it can be chosen.

    ``indent`` is the width of the label column, or how far the body hangs. ``copy`` is what copying gives, the
    original text where the body shows an inert form of it.
    """

    body: Content
    label: Content = field(default_factory=Content.empty)
    indent: int = 0
    key: Hashable | None = None
    copy: str | None = None

    @property
    def text(self) -> str:
        """What copying the paragraph gives."""
        return self.copy if self.copy is not None else self.shown

    @property
    def shown(self) -> str:
        """The paragraph as it stands on the screen, before it is wrapped."""
        label = self.label.plain
        gap = " " * max(1 if label else 0, self.indent - cell_len(label))
        return f"{label}{gap}{self.body.plain}" if label or self.indent else self.body.plain


def blank() -> Item:
    """An empty line between paragraphs."""
    return Item(Content(""))


class Reader(ScrollView, can_focus=True):
    """Shows items; up and down go to the next item that can be chosen, or scroll where none is in sight."""

    DEFAULT_CSS = """
    Reader {
        height: 1fr;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-size-vertical: 1;
    }
    Reader > .reader--cursor { background: $cursor-blurred; }
    Reader:focus > .reader--cursor { background: $cursor; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"reader--cursor"}
    ALLOW_SELECT = True
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("text", footer=False), *bindings("reader", footer=False)]

    #: Index of the item under the cursor, -1 where none can be chosen.
    cursor: reactive[int] = reactive(-1, repaint=False)

    class Moved(Message):
        """The cursor came to another item."""

        def __init__(self, reader: Reader, key: Hashable | None) -> None:
            super().__init__()
            self.reader = reader
            self.key = key

        @property
        def control(self) -> Reader:
            """The reader that the cursor moved in."""
            return self.reader

    class Chosen(Message):
        """Enter or a second click on the item under the cursor."""

        def __init__(self, reader: Reader, key: Hashable) -> None:
            super().__init__()
            self.reader = reader
            self.key = key

        @property
        def control(self) -> Reader:
            """The reader that the item is in."""
            return self.reader

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._items: list[Item] = []
        self._lines: list[tuple[int, Line, bool]] = []
        self._first: list[int] = []
        self._width = 0

    @property
    def items(self) -> Sequence[Item]:
        """The items that are shown."""
        return self._items

    @property
    def key(self) -> Hashable | None:
        """The key of the item under the cursor, if there is one."""
        return self._items[self.cursor].key if 0 <= self.cursor < len(self._items) else None

    def show(self, items: Sequence[Item], *, keep: bool = True) -> None:
        """Show other items. With ``keep`` the cursor stays on the item of the same key and the view where it was."""
        key = self.key if keep else None
        self._items = list(items)
        self._wrap()
        found = next((i for i, item in enumerate(self._items) if key is not None and item.key == key), None)
        if found is None:
            found = next((i for i, item in enumerate(self._items) if item.key is not None), -1)
        self.set_reactive(Reader.cursor, found)
        if not keep:
            self.scroll_to(0, 0, animate=False, immediate=True)
        self.refresh()

    def go_to(self, key: Hashable) -> bool:
        """Put the cursor on the item with that key; False where there is none."""
        for index, item in enumerate(self._items):
            if item.key == key:
                self.cursor = index
                self._into_view(index)
                return True
        return False

    def plain(self) -> str:
        """Everything that is shown, as plain text."""
        return "\n".join(item.shown for item in self._items)

    def _wrap(self) -> None:
        self._width = self.scrollable_content_region.width or self.size.width
        width = max(4, self._width)
        self._lines = []
        self._first = []
        for index, item in enumerate(self._items):
            self._first.append(len(self._lines))
            indent = self._indent(item)
            lines = wrap_lines(item.body.plain, width - indent)
            self._lines.extend((index, line, number == 0) for number, line in enumerate(lines))
        self.virtual_size = Size(self._width, len(self._lines))

    def _indent(self, item: Item) -> int:
        # On a narrow pane a deep label column would leave the body no room.
        return min(item.indent, max(0, self._width // 2))

    def on_resize(self) -> None:
        """Wrap again where the width differs."""
        width = self.scrollable_content_region.width or self.size.width
        if width != self._width:
            self._wrap()
            self.refresh()

    def on_focus(self) -> None:
        """The cursor's sign says that keys come here."""
        self.refresh()

    def on_blur(self) -> None:
        """And that they no longer do."""
        self.refresh()

    def notify_style_update(self) -> None:
        """Draw again in the new theme's colours."""
        super().notify_style_update()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One line of the pane."""
        number = y + self.scroll_offset.y
        width = self.size.width
        if not 0 <= number < len(self._lines):
            return Strip.blank(width, self.rich_style)
        content = self._line_content(number)
        style = self.visual_style
        index, _, first = self._lines[number]
        if index == self.cursor:
            style = style + self.get_visual_style("reader--cursor", partial=True)
            if first and content.plain.startswith(" "):
                # The place of the cursor is told by a sign too, as in tables.
                content = Content("▸" if self.has_focus else "›") + content[1:]
        if (selection := self.text_selection) is not None and (span := selection.get_span(number)) is not None:
            start, end = span
            marked = Style.from_styles(self.screen.get_component_styles("screen--selection"))
            content = content.stylize(marked, start, len(content.plain) if end == -1 else end)
        segments = [
            Segment(text, (style + own).rich_style)
            for text, own in content.render(style, end="", parse_style=self._get_style)
            if text
        ]
        strip = Strip(segments).adjust_cell_length(width, style.rich_style)
        return strip.apply_offsets(0, number)

    def _line_content(self, number: int) -> Content:
        index, (start, end), first = self._lines[number]
        item = self._items[index]
        indent = self._indent(item)
        body = item.body
        spans = [
            Span(max(span.start, start) - start, min(span.end, end) - start, span.style)
            for span in body.spans
            if span.start < end and span.end > start
        ]
        text = Content(body.plain[start:end], spans)
        if not indent and not item.label:
            return text
        head = item.label if first else Content("")
        return Content.assemble(head.truncate(max(0, indent - 1), ellipsis=True, pad=True), " " * min(1, indent), text)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text that the mouse selected, as it stands on the screen."""
        text = "\n".join(self._line_content(number).plain for number in range(len(self._lines)))
        return selection.extract(text), "\n"

    def watch_cursor(self, old: int, new: int) -> None:
        """Redraw both items and say where the cursor is."""
        for index in (old, new):
            if 0 <= index < len(self._first):
                last = self._first[index + 1] if index + 1 < len(self._first) else len(self._lines)
                self.refresh_lines(self._first[index], last - self._first[index])
        if old != new:
            self.post_message(self.Moved(self, self.key))

    def _into_view(self, index: int) -> None:
        top = self._first[index]
        height = (self._first[index + 1] if index + 1 < len(self._first) else len(self._lines)) - top
        view = self.scrollable_content_region.height
        if top < self.scroll_offset.y:
            self.scroll_to(y=top, animate=False, immediate=True)
        elif top + min(height, view) > self.scroll_offset.y + view:
            self.scroll_to(y=top + min(height, view) - view, animate=False, immediate=True)

    def action_line_up(self) -> None:
        """To the item above if it is near, else one line up."""
        self._step(-1)

    def action_line_down(self) -> None:
        """To the item below if it is near, else one line down."""
        self._step(1)

    def _step(self, direction: int) -> None:
        view = self.scrollable_content_region.height
        top = self.scroll_offset.y
        index = self.cursor + direction
        while 0 <= index < len(self._items) and self._items[index].key is None:
            index += direction
        near = 0 <= index < len(self._items) and top - view <= self._first[index] <= top + view
        if near and self._reaches_end(direction):
            self.cursor = index
            self._into_view(index)
        else:
            self.scroll_to(y=top + direction, animate=False, immediate=True)

    def _reaches_end(self, direction: int) -> bool:
        """Whether the item under the cursor has been read to its end in that direction; a long one scrolls first."""
        if not 0 <= self.cursor < len(self._items):
            return True
        top = self.scroll_offset.y
        first = self._first[self.cursor]
        after = self._first[self.cursor + 1] if self.cursor + 1 < len(self._first) else len(self._lines)
        view = self.scrollable_content_region.height
        if after <= top or first >= top + view:
            return True
        return after <= top + view if direction > 0 else first >= top

    def action_page_up(self) -> None:
        """One page up, the cursor too."""
        self._page(-1)

    def action_page_down(self) -> None:
        """One page down, the cursor too."""
        self._page(1)

    def _page(self, direction: int) -> None:
        view = max(1, self.scrollable_content_region.height - 1)
        self.scroll_to(y=self.scroll_offset.y + direction * view, animate=False, immediate=True)
        self._cursor_into_sight(direction)

    def _cursor_into_sight(self, direction: int) -> None:
        view = self.scrollable_content_region.height
        top = min(max(0, self.scroll_offset.y), max(0, len(self._lines) - view))
        inside = [
            i for i, item in enumerate(self._items) if item.key is not None and top <= self._first[i] < top + view
        ]
        if inside and self.cursor not in inside:
            self.cursor = inside[0] if direction > 0 else inside[-1]

    def action_top(self) -> None:
        """To the first line."""
        self._edge(0, 0)

    def action_bottom(self) -> None:
        """To the last line."""
        self._edge(len(self._lines), -1)

    def _edge(self, line: int, which: int) -> None:
        self.scroll_to(y=line, animate=False, immediate=True)
        keyed = [index for index, item in enumerate(self._items) if item.key is not None]
        if keyed:
            self.cursor = keyed[which]

    def action_choose(self) -> None:
        """Say that the item under the cursor was chosen."""
        if self.key is not None:
            self.post_message(self.Chosen(self, self.key))

    def on_click(self, event: events.Click) -> None:
        """A click puts the cursor on the item, a second one chooses it."""
        number = event.y + self.scroll_offset.y
        if not 0 <= number < len(self._lines):
            return
        index = self._lines[number][0]
        if self._items[index].key is None:
            return
        if index == self.cursor and event.chain >= 2:
            self.action_choose()
        self.cursor = index
