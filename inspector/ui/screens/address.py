"""The address of a database, typed in, and the mapping that says which table and columns are read (SCREENS, Start)."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, Static

from inspector.addresses import EXPECTED, is_address, url_of
from inspector.errors import InputError
from inspector.i18n import _
from inspector.requests import OpenOptions, OpenRequest
from inspector.ui.screens.base import Dialog
from inspector.ui.screens.files import PathSuggester
from inspector.ui.widgets.inputs import SafeInput
from inspector.ui.widgets.safe import plain


class AddressDialog(Dialog[OpenRequest]):
    """Asks for an address and, if there is one, a mapping; the result is the request that opens it."""

    BINDINGS: ClassVar[list[BindingType]] = []
    PANE = "Database"
    HELP = (
        "Nothing is ever written to the database: one read-only transaction reads the tables that the mapping names. A "
        "password is taken from PGPASSWORD or ~/.pgpass and never from the address, which is kept with the workspace."
    )
    DEFAULT_CSS = """
    AddressDialog Horizontal { height: 1; margin: 1 0 0 0; }
    AddressDialog .name { width: 10; }
    AddressDialog SafeInput { width: 1fr; }
    AddressDialog .hint { height: auto; color: $dim; margin: 1 0; }
    AddressDialog #trouble { color: $bad; height: auto; }
    """

    def compose(self) -> ComposeResult:
        """Two lines and what is expected on them."""
        with Vertical(classes="dialog") as box:
            box.border_title = Content(_("Open a database"))
            with Horizontal():
                yield Static(Content(_("address")), classes="name")
                yield SafeInput(placeholder="postgresql://USER@HOST/DB", id="address")
            with Horizontal():
                yield Static(Content(_("mapping")), classes="name")
                yield SafeInput(
                    placeholder=_("mapping.toml; empty: propose one"), id="mapping", suggester=PathSuggester(Path.cwd())
                )
            yield Static(id="trouble")
            yield Static(
                Content(
                    _(
                        "Read-only. The password comes from PGPASSWORD or ~/.pgpass, never from the "
                        "address.\ntab next line · enter opens · esc closes"
                    )
                ),
                classes="hint",
            )

    def on_mount(self) -> None:
        """Begin to type."""
        self.query_one("#address", SafeInput).focus()

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        address = self.query_one("#address", SafeInput).value.strip()
        mapping = self.query_one("#mapping", SafeInput).value.strip()
        trouble = self.query_one("#trouble", Static)
        try:
            if not is_address(address):
                raise InputError.at(_("the address"), None, "", _("is no address of a database"), EXPECTED)
            url_of(Path(address))
            path = Path(mapping).expanduser().absolute() if mapping else None
            if path is not None and not path.is_file():
                raise InputError.at(str(path), None, "", _("is not a file"), _("a mapping.toml, or nothing"))
        except InputError as error:
            trouble.update(plain(str(error)))
            self.app.bell()
            return
        self.dismiss(OpenRequest((Path(address),), OpenOptions(mapping=path)))
