"""Lexicons: the words that the conflict detector and the risk tiers go by, as TOML files (DESIGN 6).

English and Korean ship in ``lexicons/``; a user's file adds to the lexicon of its language, takes its place
(``mode = "replace"``), or brings a new language. Every list is explained in ``lexicons/en.toml``. A bad file is refused
with file and key; nothing of it is used.
"""

from __future__ import annotations

import difflib
import functools
import hashlib
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspector.errors import FieldError, InputError
from inspector.i18n import N_, _
from inspector.mdl.morphology import Morphology, rule_of
from inspector.mdl.params import TIERS, Tier
from inspector.mdl.scripts import SCRIPTS
from inspector.text import fold

SCHEMA = 1
_FOLDER = Path(__file__).parent / "lexicons"

#: section → key → what it holds; "" are the keys outside sections. Kinds are checked by :func:`_check`.
_LAYOUT: dict[str, dict[str, str]] = {
    "": {"schema": "int", "language": "text", "name": "text", "mode": "mode"},
    "detect": {
        "scripts": "scripts",
        "script_share": "share",
        "marks_share": "share",
        "marks": "words",
        "foreign": "words",
        "letters": "text",
    },
    "split": {"words": "words", "endings": "words", "abbreviations": "words"},
    "statement": {"marks": "words"},
    "words": {"stop": "words", "speech": "words"},
    "subjects": {"self": "words", "third": "words", "people": "words"},
    "hypothetical": {"words": "words", "endings": "words", "unless_next": "words"},
    "negation": {
        "next": "words",
        "adjacent": "words",
        "rest": "words",
        "previous": "words",
        "unless_next": "words",
        "yes": "words",
        "no": "words",
    },
    "antonyms": {"pairs": "pairs"},
    "morphology": {
        "passes": "int",
        "undouble": "bool",
        "finals": "rules",
        "clitics": "words",
        "possessive": "text",
        "negative_prefixes": "words",
        "prefix_minimum": "int",
        "prefix_exceptions": "words",
        "keep": "words",
        "suffixes": "suffixes",
        "irregular": "table",
    },
    "risk": {"prefix": "bool", "high": "words", "medium": "words", "low": "words", "categories": "tiers"},
}
#: A file may hold the execution gate's words too; with nothing but these keys it holds nothing else.
_NOT_OURS = frozenset(("operations", "language", "name", "schema"))
_EXPECTED = {
    "int": N_("a whole number from 1"),
    "text": "a text",
    "bool": N_("true or false"),
    "share": N_("a number from 0 to 1"),
    "mode": '"add" or "replace"',
    "words": N_("a list of texts that are not empty"),
    "rules": N_('a list of endings such as "ing" or "ies>y"'),
    "pairs": N_("a list of pairs of two different texts"),
    "scripts": N_("a list of ") + ", ".join(sorted(SCRIPTS)),
    "suffixes": N_("lists of endings, keyed by how many letters must remain"),
    "table": N_("texts by text"),
    "tiers": N_("low, medium or high by category"),
}
_GROUP = {"name": "text", "yes": "words", "no": "words"}


@dataclass(frozen=True, slots=True)
class Group:
    """One yes/no polarity: the stems of either side."""

    name: str
    yes: frozenset[str]
    no: frozenset[str]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """One language's lexicon, its words reduced to stems (or kept whole, with a leading "="), ready to look up.

    ``lists`` maps ``"section.key"`` to stems; ``antonyms`` maps a stem to the stems that exclude it, both ways;
    ``phrases`` maps a first stem to the phrases that begin with it, longest first, whose joined form stands in the
    lists like a word. ``sources`` are the files it was made of, in order.
    """

    language: str
    name: str
    sources: tuple[str, ...]
    scripts: tuple[str, ...]
    script_share: float
    marks_share: float
    letters: frozenset[str]
    lists: Mapping[str, frozenset[str]]
    groups: tuple[Group, ...]
    antonyms: Mapping[str, frozenset[str]]
    phrases: Mapping[str, tuple[tuple[str, ...], ...]]
    morphology: Morphology
    condition_endings: tuple[str, ...]
    split_endings: tuple[str, ...]
    keywords: Mapping[Tier, tuple[str, ...]]
    keyword_prefix: bool


@dataclass(frozen=True, slots=True)
class Lexicons:
    """The lexicons in force, by language, and the risk categories of all of them.

    ``categories`` maps a folded category to its tier and the file that said so; a later file wins. ``digest`` changes
    with any word: caches are keyed by it.
    """

    by_language: Mapping[str, Lexicon]
    categories: Mapping[str, tuple[Tier, str]]
    digest: str


def shipped() -> tuple[Path, ...]:
    """The files that ship with the program, in the order they are read."""
    return tuple(sorted(_FOLDER.glob("*.toml")))


@functools.lru_cache(maxsize=1)
def default_lexicons() -> Lexicons:
    """The shipped lexicons, read once."""
    return load_lexicons()


def load_lexicons(paths: Sequence[Path | str] = (), *, with_shipped: bool = True) -> Lexicons:
    """The shipped lexicons with the user's files laid over them, in order (DESIGN 6).

    Raises InputError, naming file and key, for a file that cannot be read, is no TOML, has an unknown key or a value
    of the wrong kind, or brings a language without saying its scripts.
    """
    files = []
    for path in (*(shipped() if with_shipped else ()), *(Path(p) for p in paths)):
        shown = path.name if path.parent == _FOLDER else str(path)
        try:
            files.append((shown, path.read_bytes()))
        except OSError as error:
            raise InputError.at(shown, None, "", error.strerror or _("cannot be read"), _("a lexicon file")) from None
    return _built(tuple(files))


@functools.lru_cache(maxsize=4)
def _built(files: tuple[tuple[str, bytes], ...]) -> Lexicons:
    """The lexicons of files with these names and contents; to make them is most of what opening a small store costs."""
    layers: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    digest = hashlib.sha256()
    categories: dict[str, tuple[Tier, str]] = {}
    for shown, content in files:
        data = _read(shown, content)
        if "operations" in data and not data.keys() - _NOT_OURS:
            continue  # a file of operation words alone, for the execution gate
        digest.update(hashlib.sha256(content).digest())
        language = data["language"]
        if data.get("mode", "add") == "replace":
            layers[language] = []
        layers.setdefault(language, []).append((shown, data))
        for category, tier in data.get("risk", {}).get("categories", {}).items():
            categories[fold(category).strip()] = (tier, shown)
    built = {language: _compile(language, parts) for language, parts in sorted(layers.items())}
    return Lexicons(built, categories, digest.hexdigest())


def _read(shown: str, content: bytes) -> dict[str, Any]:
    try:
        data = tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise InputError.at(shown, line, "", _("the file is not UTF-8"), _("a TOML file in UTF-8")) from None
    except tomllib.TOMLDecodeError as error:
        words, _rest1, place = str(error).partition(" (at line ")
        number = place.partition(",")[0]
        raise InputError.at(shown, int(number) if number.isdigit() else None, "", words, _("a TOML file")) from None
    try:
        _check_file(data)
    except FieldError as error:
        raise InputError.at(shown, None, error.field, error.wrong, error.expected) from None
    return data


def _check_file(data: dict[str, Any]) -> None:
    for key, value in data.items():
        if key == "operations":
            continue
        if key == "polarity":
            if not isinstance(value, list):
                raise FieldError(key, _("is no list of groups"), _("[[polarity]] with name, yes and no"))
            for i, group in enumerate(value):
                _check_table(group, _GROUP, f"polarity[{i}]", required=True)
        elif key in _LAYOUT and key:
            _check_table(value, _LAYOUT[key], key)
        else:
            _check_table({key: value}, _LAYOUT[""], "")
    if data.get("schema", SCHEMA) != SCHEMA:
        raise FieldError("schema", _("{schema} is not known").format(schema=data["schema"]), f"{SCHEMA}")
    if not data.get("language"):
        raise FieldError("language", _("is missing"), _('the language that the file is for, such as "en"'))


def _check_table(table: Any, layout: Mapping[str, str], place: str, required: bool = False) -> None:
    if not isinstance(table, dict):
        raise FieldError(place, _("is no table"), _("keys ") + ", ".join(layout))
    for key, value in table.items():
        name = f"{place}.{key}" if place else key
        if key not in layout:
            known = [*layout, *(_LAYOUT if not place else ()), *(("polarity", "operations") if not place else ())]
            near = difflib.get_close_matches(key, [k for k in known if k], 1)
            raise FieldError(name, _("is not known"), f"{near[0]}?" if near else _("one of ") + ", ".join(layout))
        if not _is(layout[key], value):
            raise FieldError(name, _("{short} does not fit").format(short=_short(value)), _EXPECTED[layout[key]])
    for key in layout if required else ():
        if key not in table:
            raise FieldError(f"{place}.{key}", _("is missing"), _EXPECTED[layout[key]])


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _is_words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(v, str) and v.strip(" =") for v in value)


def _is(kind: str, value: Any) -> bool:
    """Whether a value is of a kind of :data:`_EXPECTED`."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    match kind:
        case "int":
            return number and isinstance(value, int) and value >= 1
        case "text":
            return isinstance(value, str)
        case "bool":
            return isinstance(value, bool)
        case "share":
            return number and 0 <= value <= 1
        case "mode":
            return value in ("add", "replace")
        case "words":
            return _is_words(value)
        case "rules":
            return _is_words(value) and all(v.partition(">")[0].strip() for v in value)
        case "scripts":
            return _is_words(value) and all(v in SCRIPTS for v in value)
        case "pairs":
            return isinstance(value, list) and all(
                _is_words(v) and len(v) == 2 and fold(v[0]) != fold(v[1]) for v in value
            )
        case "suffixes":
            return isinstance(value, dict) and all(k.isdecimal() and _is("rules", v) for k, v in value.items())
        case "table":
            return isinstance(value, dict) and all(isinstance(v, str) and v for v in value.values())
        case _:
            return isinstance(value, dict) and all(isinstance(v, str) and v in TIERS for v in value.values())


def _merged(parts: Iterable[tuple[str, dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    """The layers of one language as one file: lists are joined, tables updated, single values replaced."""
    merged: dict[str, dict[str, Any]] = {section: {} for section in _LAYOUT}
    for _name, data in parts:
        for section, layout in _LAYOUT.items():
            source = data.get(section, {}) if section else {k: v for k, v in data.items() if k in layout}
            for key, value in source.items():
                kind, old = layout[key], merged[section].get(key)
                if old is None:
                    merged[section][key] = value
                elif kind in ("words", "rules", "pairs", "scripts"):
                    merged[section][key] = [*old, *value]
                elif kind in ("table", "tiers"):
                    merged[section][key] = {**old, **value}
                elif kind == "suffixes":
                    merged[section][key] = {k: [*old.get(k, ()), *value.get(k, ())] for k in {**old, **value}}
                else:
                    merged[section][key] = value
    return merged


def _compile(language: str, parts: Sequence[tuple[str, dict[str, Any]]]) -> Lexicon:
    merged = _merged(parts)
    scripts = tuple(merged["detect"].get("scripts", ()))
    if not scripts:
        wrong = _("no file says which scripts {language!r} is written in").format(language=language)
        raise InputError.at(parts[0][0], None, "detect.scripts", wrong, _EXPECTED["scripts"])
    morphology = _morphology(merged["morphology"])
    phrases: dict[str, set[tuple[str, ...]]] = {}

    def stem(entry: str) -> str:
        """An entry's form in the lists; phrases are noted on the way."""
        exact = entry.startswith("=")
        words = fold(entry.removeprefix("=")).split()
        stems = tuple(words if exact else (morphology.stem(word) for word in words))
        if len(stems) > 1:
            phrases.setdefault(stems[0], set()).add(stems)
        return ("=" if exact and len(stems) == 1 else "") + " ".join(stems)

    groups: dict[str, tuple[set[str], set[str]]] = {}
    for _rest2, data in parts:
        for group in data.get("polarity", ()):
            yes, no = groups.setdefault(group["name"], (set(), set()))
            yes.update(map(stem, group["yes"]))
            no.update(map(stem, group["no"]))
    lists = {
        f"{section}.{key}": frozenset(map(stem, merged[section].get(key, ())))
        for section in ("detect", "split", "statement", "words", "subjects", "hypothetical", "negation")
        for key, kind in _LAYOUT[section].items()
        if kind == "words"
    }
    # Abbreviations and foreign words are met as they are spelt, before any stem is taken.
    for section, key in (("split", "abbreviations"), ("detect", "foreign")):
        lists[f"{section}.{key}"] = frozenset(map(fold, merged[section].get(key, ())))
    antonyms: dict[str, set[str]] = {}
    for left, right in merged["antonyms"].get("pairs", ()):
        antonyms.setdefault(stem(left), set()).add(stem(right))
        antonyms.setdefault(stem(right), set()).add(stem(left))
    risk = merged["risk"]
    return Lexicon(
        language=language,
        name=merged[""].get("name", language),
        sources=tuple(shown for shown, _rest3 in parts),
        scripts=scripts,
        script_share=float(merged["detect"].get("script_share", 0.9)),
        marks_share=float(merged["detect"].get("marks_share", 0.0)),
        letters=frozenset(merged["detect"].get("letters", "")),
        lists=lists,
        groups=tuple(Group(name, frozenset(yes), frozenset(no)) for name, (yes, no) in groups.items()),
        antonyms={word: frozenset(opposites) for word, opposites in antonyms.items()},
        phrases={first: tuple(sorted(found, key=lambda p: (-len(p), p))) for first, found in phrases.items()},
        morphology=morphology,
        condition_endings=tuple(merged["hypothetical"].get("endings", ())),
        split_endings=tuple(merged["split"].get("endings", ())),
        keywords={tier: tuple(dict.fromkeys(map(fold, risk.get(tier, ())))) for tier in TIERS},
        keyword_prefix=bool(risk.get("prefix", False)),
    )


def _morphology(section: Mapping[str, Any]) -> Morphology:
    suffixes = [
        (*rule_of(entry, f"morphology.suffixes.{minimum}"), int(minimum))
        for minimum, entries in section.get("suffixes", {}).items()
        for entry in entries
    ]
    return Morphology(
        suffixes=tuple(sorted(set(suffixes), key=lambda rule: (-len(rule[0]), rule))),
        finals=tuple(rule_of(entry, "morphology.finals") for entry in section.get("finals", ())),
        passes=section.get("passes", 1),
        undouble=section.get("undouble", False),
        keep=frozenset(map(fold, section.get("keep", ()))),
        irregular={fold(word): fold(plain) for word, plain in section.get("irregular", {}).items()},
        clitics=tuple(map(fold, section.get("clitics", ()))),
        possessive=fold(section.get("possessive", "")),
        negative_prefixes=tuple(map(fold, section.get("negative_prefixes", ()))),
        prefix_minimum=section.get("prefix_minimum", 3),
        prefix_exceptions=tuple(map(fold, section.get("prefix_exceptions", ()))),
    )
