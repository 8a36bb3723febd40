"""The user's settings: ``settings.toml`` found, checked, and written back (STYLE 5.8).

Looked for in the user's folder, then in ``.inspector/`` of the current folder, then in the folder given with a flag;
what comes later wins, key by key. A bad file or key never stops the program: it is named with file and key and the
default is used.
"""

from __future__ import annotations

import difflib
import os
import tempfile
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspector.confinement import check_write
from inspector.errors import InspectorError, Problem
from inspector.i18n import LANGUAGES, _
from inspector.places import config_dir
from inspector.text import visible

LOCAL_FOLDER = ".inspector"
SETTINGS_FILE = "settings.toml"
KEYMAP_FILE = "keymap.toml"
THEMES_FOLDER = "themes"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its name, default, what it means, and what it may be (``choices``, or a range of whole numbers).

    A default of None means: not set, the store or the command line decides.
    """

    name: str
    kind: type
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    least: int = 0
    most: int = 0


SETTINGS: tuple[Setting, ...] = (
    Setting("theme", str, "inspector-dark", "the colour theme; ctrl+t shows them all"),
    Setting("keymap", str, "", "a keymap file to use instead of keymap.toml beside this file"),
    Setting("route", str, None, "the retrieval route to begin with, where the store names none"),
    Setting("k", int, 20, "how many candidates a route returns", least=1, most=10_000),
    Setting(
        "isolation",
        str,
        None,
        "the scope test to begin with, where the store names none",
        ("namespace", "session", "namespace+session"),
    ),
    Setting("unknown_intent", str, None, "join as the table says, or strict as the source's code", ("join", "strict")),
    Setting("language", str, None, "of screens, help and messages; else the locale's; from the next start", LANGUAGES),
    Setting("animation", bool, True, "smooth scrolling of texts"),
)
BY_NAME: Mapping[str, Setting] = {setting.name: setting for setting in SETTINGS}


@dataclass(frozen=True)
class Config:
    """What the user set. ``values`` has every setting, defaults included; ``given`` those that a file sets.

    ``folders`` are those that were looked into, the least important first; ``problems`` what could not be used.
    """

    values: Mapping[str, Any]
    given: Mapping[str, str]
    folders: tuple[Path, ...]
    keymap_files: tuple[Path, ...]
    theme_folders: tuple[Path, ...]
    problems: tuple[Problem, ...] = field(default=())

    @property
    def local(self) -> tuple[Path, ...]:
        """The files of the current folder that are in force: it may be a stranger's, so the user is told."""
        files = {Path(file) for file in self.given.values()} | set(self.keymap_files)
        used = [file for file in sorted(files) if LOCAL_FOLDER in file.parts[-2:]]
        return (*used, *(folder for folder in self.theme_folders if folder.parent.name == LOCAL_FOLDER))

    def __getitem__(self, name: str) -> Any:
        """A setting's value."""
        return self.values[name]


def nearest(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """``did you mean X?`` for a misspelt word, else ``otherwise``."""
    close = difflib.get_close_matches(word, list(known), n=1)
    return _("did you mean {close}?").format(close=close[0]) if close else otherwise


def config_folders(flag: Path | None = None, cwd: Path | None = None) -> tuple[Path, ...]:
    """The folders that are looked into, the least important first."""
    folders = [config_dir(), (cwd or Path.cwd()) / LOCAL_FOLDER]
    if flag is not None:
        folders.append(flag)
    return tuple(folders)


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file's content. Raises InspectorError, with the place, where it cannot be read."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InspectorError(_("cannot be read: {strerror}").format(strerror=error.strerror or error)) from None
    except UnicodeDecodeError:
        raise InspectorError(_("is not UTF-8")) from None
    except tomllib.TOMLDecodeError as error:
        raise InspectorError(_("is not TOML: {error}").format(error=error)) from None


def _wrong(setting: Setting, value: Any) -> tuple[str, str] | None:
    """What is wrong with a value and what is expected, None if it may stand."""
    if setting.kind is bool and not isinstance(value, bool):
        return _("{value!r} is not a truth value").format(value=value), _("true or false")
    if setting.kind is int and (isinstance(value, bool) or not isinstance(value, int)):
        return _("{value!r} is not a whole number").format(value=value), _("a number from {least} to {most}").format(
            least=setting.least, most=setting.most
        )
    if setting.kind is str and not isinstance(value, str):
        return _("{value!r} is not a text").format(value=value), _("a text in quotes")
    if setting.kind is str and visible(value) != value:
        return _("{value!r} has characters that do not show").format(value=value), _("plain text")
    if setting.choices and value not in setting.choices:
        return _("{value!r} is not known").format(value=value), nearest(str(value), setting.choices) or _(
            "one of {choices}"
        ).format(choices=", ".join(setting.choices))
    if setting.most and not setting.least <= value <= setting.most:
        return _("{value} is out of range").format(value=value), _("a number from {least} to {most}").format(
            least=setting.least, most=setting.most
        )
    return None


def load_config(flag: Path | None = None, cwd: Path | None = None) -> Config:
    """Read every settings file there is; never raises for what a user wrote."""
    values: dict[str, Any] = {setting.name: setting.default for setting in SETTINGS}
    given: dict[str, str] = {}
    problems: list[Problem] = []
    folders = config_folders(flag, cwd)
    keymaps = [path for folder in folders if (path := folder / KEYMAP_FILE).is_file()]
    for folder in folders:
        path = folder / SETTINGS_FILE
        if not path.is_file():
            continue
        try:
            data = read_toml(path)
        except InspectorError as error:
            problems.append(Problem(str(path), None, "", str(error), _("settings such as k = 20")))
            continue
        for name, value in data.items():
            setting = BY_NAME.get(name)
            if setting is None:
                known = nearest(name, BY_NAME, _("one of {BY_NAME}").format(BY_NAME=", ".join(BY_NAME)))
                problems.append(Problem(str(path), None, name, _("unknown setting"), known))
            elif (wrong := _wrong(setting, value)) is not None:
                problems.append(Problem(str(path), None, name, *wrong))
            else:
                values[name] = value
                given[name] = str(path)
                if name == "keymap" and value:
                    keymaps = [(folder / value).expanduser()]
    themes = tuple(folder / THEMES_FOLDER for folder in folders if (folder / THEMES_FOLDER).is_dir())
    return Config(values, given, folders, tuple(keymaps), themes, tuple(problems))


def write_setting(name: str, value: Any, path: Path | None = None) -> Path:
    """Set one value in the user's settings file, comments and the other lines kept; returns the file.

    Written beside it and moved into place, so that no crash leaves half a file. Raises InspectorError where the value
    cannot stand or the file cannot be read or written.
    """
    path = path or config_dir() / SETTINGS_FILE
    wrong = _wrong(BY_NAME[name], value)
    if wrong is not None:
        raise InspectorError(f"{name}: {wrong[0]}: {wrong[1]}")
    lines: list[str] = []
    if path.is_file():
        try:
            read_toml(path)
        except InspectorError as error:
            raise InspectorError(
                _("{path}: {error}: mend it first, it was left as it is").format(path=path, error=error)
            ) from None
        lines = path.read_text(encoding="utf-8").splitlines()
    line = f"{name} = {_toml(value)}"
    for number, old in enumerate(lines):
        if old.partition("=")[0].strip() == name:
            lines[number] = line
            break
    else:
        lines.insert(0, line)
    write_atomically(path, "\n".join(lines) + "\n")
    return path


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'


def write_atomically(path: Path, text: str) -> None:
    """Write a text file beside its place, then move it there. Raises InspectorError where that cannot be done."""
    check_write(path)
    name = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", errors="surrogatepass", dir=path.parent, prefix=f".{path.name}.", delete=False
        ) as fp:
            name = fp.name
            fp.write(text)
        os.replace(name, path)
    except OSError as error:
        if name:
            Path(name).unlink(missing_ok=True)
        raise InspectorError(
            _("{path}: cannot be written: {strerror}").format(path=path, strerror=error.strerror or error)
        ) from None
