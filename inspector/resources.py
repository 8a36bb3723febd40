"""Where the bundled stores and themes are: inside an installed wheel, or beside the package in a checkout."""

from __future__ import annotations

from pathlib import Path

from inspector.errors import InspectorError
from inspector.i18n import _


def resource_dir(name: str) -> Path:
    """The folder ``fixtures`` or ``themes``. Raises InspectorError where the installation lacks it."""
    package = Path(__file__).resolve().parent
    for folder in (package / "_data" / name, package.parent / name):
        if folder.is_dir():
            return folder
    raise InspectorError(_("this installation lacks its {name} folder: install inspector again").format(name=name))
