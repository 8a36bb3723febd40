"""What the parts of the UI say to each other, and what the command line asks the UI to open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from textual.message import Message


@dataclass(frozen=True)
class OpenRequest:
    """What to open: a bundled store by name (``demo``), or the user's paths with the loader's options.

    ``options`` is what :func:`inspector.inspection.open_sources` takes. ``workspace`` is the workspace file, None for
    the one that belongs to the source; with ``private`` a temporary workspace is used and thrown away.
    """

    paths: tuple[Path, ...] = ()
    options: Any = None
    workspace: Path | None = None
    demo: str | None = None
    private: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """What is being opened, for people."""
        return self.demo if self.demo is not None else ", ".join(path.name or str(path) for path in self.paths)


class CopyRequested(Message):
    """Text to be put on the clipboard; the app does it and says how. ``what`` names it in the toast."""

    def __init__(self, text: str, what: str = "") -> None:
        super().__init__()
        self.text = text
        self.what = what


class ErrorRaised(Message):
    """An error that the user has to see; the app shows the dialog."""

    def __init__(self, error: BaseException, title: str = "") -> None:
        super().__init__()
        self.error = error
        self.title = title
