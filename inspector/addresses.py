"""A SOURCE that is the address of a database, not a path: how it is told, compared, and shown without its password.

Light to import: the start, the list of recent workspaces and the readers all ask.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

from inspector.errors import InputError
from inspector.i18n import N_, _

_SCHEME = re.compile(r"postgres(?:ql)?:/")
#: Keys of an address whose value is nobody's business.
_SECRET = re.compile(r"password|secret", re.IGNORECASE)
EXPECTED = N_("postgresql://USER@HOST/DB, or postgresql:///DB?host=FOLDER for a local socket")


def is_address(source: Path | str) -> bool:
    """Whether a SOURCE is the address of a database. A Path has folded the address's slashes."""
    return _SCHEME.match(str(source)) is not None


def _rest(source: Path | str) -> str:
    return _SCHEME.sub("", str(source), count=1).lstrip("/")


def url_of(source: Path) -> str:
    """The address as it was written. Raises InputError where it holds a password, or where the folded slashes leave
    open what was meant."""
    rest = _rest(source)
    place, _rest1, query = rest.partition("?")
    options = parse_qsl(query, keep_blank_values=True)
    if ":" in place.rpartition("@")[0] or any(_SECRET.search(key) for key, _rest3 in options):
        wrong, expected = _("the address holds a password"), _("the address without it, and PGPASSWORD or ~/.pgpass")
        raise InputError.at(safe_address(source), None, "", wrong, expected)
    if "/" in place:
        return f"postgresql://{rest}"
    if any(key == "host" for key, _rest2 in options):
        return f"postgresql:///{rest}"
    raise InputError.at(safe_address(source), None, "", _("names no host, or no database"), EXPECTED)


def safe_address(source: Path | str) -> str:
    """The address without its password, for messages and for what is kept on disk."""
    parts = urlsplit(f"postgresql://{_rest(source)}")
    who, at_sign, where = parts.netloc.rpartition("@")
    user = who.partition(":")[0]
    kept = [one for one in parts.query.split("&") if one and not _SECRET.search(unquote(one.partition("=")[0]))]
    return urlunsplit(("postgresql", f"{user}{at_sign}{where}", parts.path, "&".join(kept), ""))


def absolute(source: Path | str) -> str:
    """A path made absolute; an address as it is, without its password."""
    return safe_address(source) if is_address(source) else os.path.abspath(source)


def real(source: Path | str) -> str:
    """What tells two SOURCEs apart: the real path of a file or folder, or the address."""
    return safe_address(source) if is_address(source) else os.path.realpath(source)


def short_name(source: Path | str) -> str:
    """A source in few characters, for titles: the last part of a path, or the whole address."""
    return safe_address(source) if is_address(source) else Path(source).name or str(source)
