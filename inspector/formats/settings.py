"""``bundle.toml``: what a bundle fixes for every evaluation of it (DESIGN 2)."""

from __future__ import annotations

import datetime as dt
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args
from zoneinfo import ZoneInfo

from inspector.errors import FieldError, InputError
from inspector.formats.base import at, clip, did_you_mean, name_of, read_text
from inspector.formats.cells import from_json, from_text
from inspector.i18n import D_, _
from inspector.records import MEMORY_FIELDS, PRINCIPAL_PARTS, QUERY_FIELDS, Isolation, Settings, check_field
from inspector.times import parse_time

_DIFFERENT_TIMES = D_("the sources were exported at different times: {time} is used for all")

KEYS = (
    "exported_at",
    "timezone",
    "isolation",
    "shared_namespaces",
    "aliases",
    "route",
    "lexical_text",
    "tokenizer",
    "assumptions",
    "unknown_intent",
)
_WORDS: dict[str, tuple[str, ...]] = {
    "isolation": get_args(Isolation),
    "lexical_text": ("text", "metadata"),
    "tokenizer": ("unicode", "packet"),
    "unknown_intent": ("join", "strict"),
}
_POLICY_WORDS = ("allow", "deny")


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file as a table. Raises InputError that names the line of a syntax error."""
    try:
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        found = re.search(r" \(at line (\d+), column (\d+)\)$", str(error))
        line = int(found[1]) if found else None
        words = str(error)[: found.start()] if found else str(error)
        raise InputError.at(
            name_of(path), line, "", _("broken TOML ({clip})").format(clip=clip(words)), _("a TOML file")
        ) from None
    except (ValueError, RecursionError):
        raise InputError.at(
            name_of(path), None, "", _("holds a number too long or tables too deep to read"), _("a TOML file")
        ) from None


def check_keys(table: Mapping[str, Any], known: tuple[str, ...], file: str, prefix: str = "") -> None:
    """Raise InputError for a key that is not known, naming file, key and the nearest known name."""
    for name in table:
        if name not in known:
            wrong = _("unknown key{did_you_mean}").format(did_you_mean=did_you_mean(name, known))
            raise InputError.at(file, None, prefix + clip(name), wrong, _("one of ") + ", ".join(known))


def read_settings(path: Path) -> dict[str, Any]:
    """The checked contents of ``bundle.toml`` as arguments of :class:`Settings`, only those that it states.

    Raises InputError that names file and key.
    """
    table = read_toml(path)
    check_keys(table, KEYS, name_of(path))
    try:
        return {name: _setting(name, value, table.get("timezone")) for name, value in table.items()}
    except FieldError as error:
        raise at(error, name_of(path), None) from None


def _setting(name: str, value: Any, timezone: Any) -> Any:
    if name == "timezone":
        return check_timezone(value)
    if name == "exported_at":
        if isinstance(value, dt.date):  # a TOML date or date-time
            value = value.isoformat()
        return parse_time(value, name, check_timezone(timezone) if timezone is not None else None)
    if name in _WORDS:
        if value not in _WORDS[name]:
            raise FieldError(
                name, _("{clip} is not known").format(clip=clip(repr(value))), _("one of ") + ", ".join(_WORDS[name])
            )
        return value
    if name == "route":
        if not isinstance(value, str) or not value:
            raise FieldError(
                name,
                _("{clip} is not a route").format(clip=clip(repr(value))),
                _("a route's name such as global_dense"),
            )
        return value
    if name == "shared_namespaces":
        return tuple(_namespaces(value))
    if name == "aliases":
        return tuple(_aliases(value))
    return check_assumptions(value)


def check_timezone(value: Any, field: str = "timezone") -> str:
    """The name of a time zone that is known. Raises FieldError for anything else."""
    try:
        if isinstance(value, str) and value:
            ZoneInfo(value)
            return value
    except (ValueError, OSError, LookupError):
        pass
    raise FieldError(
        field, _("{clip} is not a time zone").format(clip=clip(repr(value))), _("a name such as Asia/Seoul or UTC")
    )


def _namespaces(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise FieldError(
            "shared_namespaces", _("{clip} is not a list").format(clip=clip(repr(value))), _("a list of namespaces")
        )
    for i, one in enumerate(value):
        if not _texts(one) and not (isinstance(one, str) and one):
            raise FieldError(
                f"shared_namespaces[{i}]",
                _("{clip} is not a namespace").format(clip=clip(repr(one))),
                _("text or list of texts"),
            )
    return value


def _aliases(value: Any) -> list[tuple[str, ...]]:
    if not isinstance(value, list):
        raise FieldError(
            "aliases",
            _("{clip} is not a list").format(clip=clip(repr(value))),
            _('groups of ids such as [["anna", "user-7"]]'),
        )
    for i, group in enumerate(value):
        if not _texts(group) or len(group) < 2:
            raise FieldError(
                f"aliases[{i}]",
                _("{clip} is not a group").format(clip=clip(repr(group))),
                _("two or more ids of one owner"),
            )
    return [tuple(group) for group in value]


def _texts(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 0 and all(isinstance(one, str) and one for one in value)


def check_assumptions(value: Any, parse: bool = False) -> dict[str, Any]:
    """Checked assumptions: FIELD of memories, ``query.FIELD``, or ``policy`` (allow or deny).

    ``parse`` reads texts as the field's type, as the command line gives them. Raises FieldError.
    """
    if not isinstance(value, Mapping):
        raise FieldError(
            "assumptions", _("{clip} is not a table").format(clip=clip(repr(value))), _("a table of FIELD = VALUE")
        )
    known = ["policy", *_assumable(MEMORY_FIELDS), *(f"query.{name}" for name in _assumable(QUERY_FIELDS))]
    known += [f"query.{part}" for part in PRINCIPAL_PARTS]
    flat: dict[str, Any] = {}
    for name, taken in value.items():
        if name == "query" and isinstance(taken, Mapping):  # `query.intent = …` in TOML is a table
            flat.update({f"query.{inner}": one for inner, one in taken.items()})
        else:
            flat[name] = taken
    made: dict[str, Any] = {}
    for name, taken in flat.items():
        where = f"assumptions.{name}"
        if name not in known:
            raise FieldError(
                clip(where),
                _("no such field{did_you_mean}").format(did_you_mean=did_you_mean(name, known)),
                _("policy, FIELD or query.FIELD"),
            )
        if name == "policy":
            if taken not in _POLICY_WORDS:
                raise FieldError(where, _("{clip} is not known").format(clip=clip(repr(taken))), _("allow or deny"))
            made[name] = taken
            continue
        bare = name.removeprefix("query.")
        if bare in PRINCIPAL_PARTS:
            made[name] = _principal_part(where, bare, taken, parse)
            continue
        spec = QUERY_FIELDS[bare] if name.startswith("query.") else MEMORY_FIELDS[name]
        if isinstance(taken, dt.date):
            taken = taken.isoformat()
        try:
            if parse and isinstance(taken, str):
                taken = from_text(spec, taken)
            check_field(spec, taken)
        except FieldError as error:
            raise FieldError(where + error.field.removeprefix(spec.name), error.wrong, error.expected) from None
        made[name] = taken
    return made


def _principal_part(where: str, bare: str, taken: Any, parse: bool) -> Any:
    """A part of the principal as it is assumed: one text, or a list such as the field holds."""
    part = bare.partition(".")[2]
    if parse and isinstance(taken, str) and part != "id" and taken.lstrip().startswith("["):
        taken = from_json(where, taken, _("a JSON list"))
    try:
        check_field(QUERY_FIELDS["principal"], {part: [taken] if isinstance(taken, str) and part != "id" else taken})
    except FieldError as error:
        raise FieldError(where, error.wrong, error.expected) from None
    return taken


def _assumable(specs: Mapping[str, Any]) -> list[str]:
    return [name for name in specs if name not in ("id", "text", "meta", "loss", "embedding", "recorded")]


def merge_settings(stated: list[tuple[str, dict[str, Any]]], notes: list[str]) -> Settings:
    """One :class:`Settings` of what several sources state, each given with its file's name.

    Lists are joined. The latest ``exported_at`` counts, and a note says so. Sources that contradict each other raise
    InputError that names both files.
    """
    made: dict[str, Any] = {}
    said: dict[str, str] = {}
    for file, table in stated:
        for name, value in table.items():
            if name not in made:
                made[name], said[name] = value, file
            elif name in ("shared_namespaces", "aliases"):
                made[name] += tuple(one for one in value if one not in made[name])
            elif name == "assumptions":
                for field, taken in value.items():
                    if made[name].setdefault(field, taken) != taken:
                        raise _contradiction(file, f"assumptions.{field}", taken, said[name])
            elif name == "exported_at":
                if value.us != made[name].us:
                    made[name] = max(made[name], value, key=lambda instant: instant.us)
                    notes.append(_DIFFERENT_TIMES.format(time=made[name].text))
            elif made[name] != value:
                raise _contradiction(file, name, value, said[name])
    return Settings(**made)


def _contradiction(file: str, field: str, value: Any, other: str) -> InputError:
    return InputError.at(
        file,
        None,
        field,
        _("{clip} contradicts {other}").format(clip=clip(repr(value)), other=other),
        _("sources that agree"),
    )
