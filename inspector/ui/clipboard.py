"""Copying that says what it did: the system's own tool, else the terminal (OSC 52), else a file (STYLE 5b.7).

Over ssh the system's tool would fill the clipboard of the wrong machine, so the terminal comes first there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from inspector.confinement import confinement
from inspector.errors import InspectorError
from inspector.i18n import _, ngettext
from inspector.places import data_dir
from inspector.ui.config import write_atomically

#: Terminals drop an OSC 52 sequence that is longer; xterm's limit is the lowest in wide use.
OSC52_MOST_BYTES = 74_994


@dataclass(frozen=True, slots=True)
class Copied:
    """How a text was copied: ``tool``, ``terminal``, ``file`` or ``nothing``, and the sentence that says so."""

    how: str
    sentence: str
    sure: bool


def copy_with_tool(text: str) -> None:
    """Copy with the system's own tool. Raises InspectorError where there is none or it fails."""
    import pyperclip

    try:
        pyperclip.copy(text)
    except Exception as error:  # pyperclip raises its own, OSError and, on Windows, ctypes errors
        raise InspectorError(_("no clipboard tool: {name__}").format(name__=type(error).__name__)) from None


def is_remote(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the terminal is on another machine than the program."""
    return confinement() is not None or bool(environ.get("SSH_CONNECTION") or environ.get("SSH_TTY"))


def copy_file() -> Path:
    """The file that a copied text goes to where nothing else works."""
    return data_dir() / "copied.txt"


def copy_text(
    text: str,
    to_terminal: Callable[[str], None],
    *,
    what: str = "",
    tool: Callable[[str], None] = copy_with_tool,
    remote: bool | None = None,
) -> Copied:
    """Copy ``text`` by the best way there is and say which; ``to_terminal`` writes the OSC 52 sequence."""
    size = ngettext("{what} ({count:,} character)", "{what} ({count:,} characters)", len(text))
    size = size.format(what=what or _("text"), count=len(text))
    if not (is_remote() if remote is None else remote):
        try:
            tool(text)
        except InspectorError:
            pass
        else:
            return Copied("tool", _("copied {size} with the system's clipboard tool").format(size=size), True)
    # base64 makes four bytes of three
    if (len(text.encode("utf-8", "surrogatepass")) + 2) // 3 * 4 <= OSC52_MOST_BYTES:
        to_terminal(text)
        return Copied(
            "terminal",
            _("sent {size} to the terminal's clipboard (OSC 52); if it does not arrive: W").format(size=size),
            False,
        )
    return Copied(
        "nothing", _("{size} is too long for the terminal's clipboard: W writes it to a file").format(size=size), False
    )


def write_copy(text: str) -> Copied:
    """Write the text to :func:`copy_file`. Raises InspectorError where that cannot be done."""
    path = copy_file()
    write_atomically(path, text)
    return Copied("file", _("written to {path}").format(path=path), True)
