"""Where the user's settings, keymap, themes and workspaces are (DESIGN 12: ``inspector locate``)."""

from __future__ import annotations

from pathlib import Path

import platformdirs

APP = "inspector"


def config_dir() -> Path:
    """The folder of the user's settings, keymap and themes; it need not exist."""
    return Path(platformdirs.user_config_dir(APP, appauthor=False))


def data_dir() -> Path:
    """The folder of the workspaces; it need not exist."""
    return Path(platformdirs.user_data_dir(APP, appauthor=False))


def lessons_dir() -> Path:
    """The folder of a learner's marks and of the workspaces that lessons are done in; it need not exist."""
    return data_dir() / "lessons"


def places() -> dict[str, Path]:
    """Every place that ``inspector locate`` names."""
    from inspector.resources import resource_dir

    return {
        "settings": config_dir() / "settings.toml",
        "keymap": config_dir() / "keymap.toml",
        "themes": config_dir() / "themes",
        "lessons": config_dir() / "lessons",
        "workspaces": data_dir() / "workspaces",
        "fixtures": resource_dir("fixtures"),
    }
