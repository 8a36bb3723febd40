"""What can be read: each format, how it is recognised, an example, and what it cannot say (SCREENS, Start)."""

from __future__ import annotations

from textual import work
from textual.content import Content
from textual.message import Message

from inspector.i18n import N_, _
from inspector.ui.screens.reading import ReadingDialog
from inspector.ui.widgets.reader import Item, Reader, blank
from inspector.ui.widgets.safe import lines, plain


class FormatsDialog(ReadingDialog[None]):
    """The formats, read by a thread: the readers behind them are not needed for the first paint."""

    PANE = "Formats"
    HELP = "A format is recognised from the content. On the command line --as NAME overrides it."

    class Listed(Message):
        """The formats as paragraphs."""

        def __init__(self, items: list[Item]) -> None:
            super().__init__()
            self.items = items

    def __init__(self) -> None:
        super().__init__(_("What can be read"), [Item(Content(_("reading …")))])

    def on_mount(self) -> None:
        """Ask for the list."""
        super().on_mount()
        self._read()

    @work(thread=True, exit_on_error=False)
    def _read(self) -> None:
        from inspector.formats import FORMATS
        from inspector.formats.traces import TRACE_FORMATS

        items: list[Item] = []
        for each in (*FORMATS, *TRACE_FORMATS):
            items.append(Item(Content.assemble((each.name, "bold $heading"), "  ", plain(_(each.summary)))))
            for label, words in (
                (N_("recognised"), each.recognised_by),
                (N_("scope"), each.scope),
                (N_("policy"), each.policy),
                (N_("lifecycle"), each.lifecycle),
                (N_("example"), each.example),
                (N_("loses"), each.loss),
            ):
                if words:
                    items.append(
                        Item(
                            lines(words if label == "example" else _(words)),
                            Content.styled(_(label), "$dim"),
                            indent=12,
                        )
                    )
            items.append(blank())
        self.post_message(self.Listed(items))

    def on_formats_dialog_listed(self, message: Listed) -> None:
        """Show them."""
        self.items = message.items
        self.query_one(Reader).show(message.items)
