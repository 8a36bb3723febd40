"""policy.toml: its default and its rules, before any SQL is looked at (DESIGN 3, Policy)."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import Any, Literal

from inspector.errors import InputError
from inspector.i18n import _
from inspector.trit import Trit

_DEFAULTS = {"unknown": Trit.UNKNOWN, "allow": Trit.YES, "deny": Trit.NO}
_RULE_KEYS = {"id", "effect", "when", "note"}
_RULE_LINE = re.compile(r"\s*\[\[\s*[\"']?rules[\"']?\s*\]\]")
_AT_LINE = re.compile(r"\(at line (\d+)")


@dataclass(frozen=True, slots=True)
class RuleSource:
    """One rule as policy.toml states it; ``line`` is where it starts, None where that cannot be told."""

    id: str
    effect: Literal["allow", "deny"]
    when: str
    note: str
    line: int | None


@dataclass(frozen=True, slots=True)
class PolicyFile:
    """The rules and the default of a bundle; ``name`` is the file's name for messages."""

    name: str
    default: Trit
    rules: tuple[RuleSource, ...]


def read_policy(text: str, name: str) -> PolicyFile:
    """Read policy.toml. Raises InputError with file, line where known, and field; no key is passed over in silence."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _AT_LINE.search(str(error))
        at = int(found[1]) if found else text.count("\n") + 1  # else "at end of document"
        raise InputError.at(name, at, "", str(error), "TOML") from None
    for key in data:
        if key not in ("default", "rules"):
            raise InputError.at(name, None, key, _("is not known here"), _("default, and [[rules]]"))
    default = data.get("default", "unknown")
    if not isinstance(default, str) or default not in _DEFAULTS:
        raise InputError.at(
            name, None, "default", _("{default!r} is not known").format(default=default), _("unknown, allow or deny")
        )
    tables = data.get("rules", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise InputError.at(name, None, "rules", _("is not a list of tables"), _("[[rules]] with id, effect and when"))
    lines = [number for number, line in enumerate(text.splitlines(), start=1) if _RULE_LINE.match(line)]
    places: list[int | None] = list(lines) if len(lines) == len(tables) else [None] * len(tables)
    rules: list[RuleSource] = []
    for table, line in zip(tables, places, strict=True):
        rule = _read_rule(table, name, line, len(rules))
        if any(rule.id == other.id for other in rules):
            raise InputError.at(
                name, line, f"rules.{rule.id}", _("the id is used twice"), _("an id of its own for each rule")
            )
        rules.append(rule)
    return PolicyFile(name, _DEFAULTS[default], tuple(rules))


def _read_rule(table: dict[str, Any], name: str, line: int | None, place: int) -> RuleSource:
    rule_id = table.get("id")
    if not isinstance(rule_id, str) or not rule_id:
        raise InputError.at(
            name,
            line,
            f"rules[{place}].id",
            _("{rule_id!r} is no id").format(rule_id=rule_id),
            _("a text that names the rule"),
        )
    field = f"rules.{rule_id}"
    for key in table:
        if key not in _RULE_KEYS:
            raise InputError.at(name, line, f"{field}.{key}", _("is not known here"), _("id, effect, when, note"))
    effect = table.get("effect")
    if effect not in ("allow", "deny"):
        raise InputError.at(
            name, line, f"{field}.effect", _("{effect!r} is not known").format(effect=effect), _("allow or deny")
        )
    when, note = table.get("when"), table.get("note", "")
    if not isinstance(when, str) or not when.strip():
        raise InputError.at(
            name,
            line,
            f"{field}.when",
            _("{when!r} is no expression").format(when=when),
            _("one SQL boolean expression"),
        )
    if not isinstance(note, str):
        raise InputError.at(name, line, f"{field}.note", _("{note!r} is no text").format(note=note), "a text")
    return RuleSource(rule_id, effect, when, note, line)
