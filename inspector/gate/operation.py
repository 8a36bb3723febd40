"""The requested operation: from the tool call where one is recorded, else inferred from the query's words (DESIGN 7).

An inferred operation is shown as inferred and never makes the gate skip: a question that reads like a read can still
disclose what an execute-memory governs.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from inspector.errors import InputError
from inspector.gate.action import shorten
from inspector.gate.governs import OPERATIONS
from inspector.gate.terms import Ground, Term
from inspector.i18n import _, _d
from inspector.records import Query

_FOLDER = Path(__file__).parent / "lexicons"


@dataclass(frozen=True, slots=True)
class OperationLexicon:
    """Operation words of one language: for each of read, write, execute, the terms that ask for it."""

    language: str
    source: str
    terms: Mapping[str, tuple[Term, ...]]


@dataclass(frozen=True, slots=True)
class Operation:
    """The operation that a query asks for. ``name`` is None where nothing says so.

    ``source`` is "tool_call" for a recorded one, "query" for an inferred one (``words`` are then the terms that led
    to it), else "none". ``note`` says what could not be read.
    """

    name: str | None
    source: Literal["tool_call", "query", "none"]
    words: tuple[str, ...] = ()
    note: str = ""

    @property
    def inferred(self) -> bool:
        """Whether it is only inferred from the query's words."""
        return self.source == "query"


def read_lexicon(path: Path) -> OperationLexicon | None:
    """Read the ``[operations]`` table of a TOML lexicon; None for a lexicon that has none, of another kind then.

    The file states ``language`` and, under ``operations``, lists of terms for any of ``read, write, execute``; other
    tables are left to whoever they are for. Raises InputError for anything that is not that.
    """
    file = str(path)
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError.at(
            file, None, "", _("cannot be read ({strerror})").format(strerror=error.strerror), _("a TOML lexicon")
        ) from None
    except UnicodeDecodeError:
        raise InputError.at(file, None, "", _("is not UTF-8"), _("a TOML lexicon in UTF-8")) from None
    except tomllib.TOMLDecodeError as error:
        raise InputError.at(
            file, None, "", _("is not TOML: {error}").format(error=error), _("a TOML lexicon")
        ) from None
    if "operations" not in data:
        return None
    language = data.get("language")
    if not isinstance(language, str) or not language:
        raise InputError.at(file, None, "language", _("is missing or no text"), _('a language code such as "en"'))
    table = data["operations"]
    if not isinstance(table, dict) or not table:
        raise InputError.at(file, None, "operations", _("is no table of lists"), _("lists for read, write, execute"))
    return OperationLexicon(language, file, _terms(file, table))


def _terms(file: str, table: Mapping[str, Any]) -> dict[str, tuple[Term, ...]]:
    owner: dict[tuple[str, ...], str] = {}
    terms: dict[str, tuple[Term, ...]] = {}
    for name, listed in table.items():
        field = f"operations.{name}"
        if name not in OPERATIONS:
            raise InputError.at(file, None, field, _("is no known operation"), _("one of ") + ", ".join(OPERATIONS))
        if not isinstance(listed, list) or not all(isinstance(item, str) for item in listed):
            raise InputError.at(file, None, field, _("is no list of texts"), _("a list of words or phrases"))
        read: list[Term] = []
        for item in listed:
            term = Term.of(item)
            if not term.words:
                raise InputError.at(
                    file, None, field, _("{item!r} holds no word").format(item=item), _("words or phrases")
                )
            if owner.setdefault(term.words, name) != name:
                wrong = _("{item!r} stands under {owner} too").format(item=item, owner=owner[term.words])
                raise InputError.at(file, None, field, wrong, _("each word under one operation"))
            read.append(term)
        terms[name] = tuple(read)
    return terms


@functools.cache
def bundled_lexicons() -> tuple[OperationLexicon, ...]:
    """The lexicons that ship: English and Korean."""
    found = (read_lexicon(path) for path in sorted(_FOLDER.glob("*.toml")))
    return tuple(lexicon for lexicon in found if lexicon is not None)


def with_lexicons(paths: Iterable[Path]) -> tuple[OperationLexicon, ...]:
    """The bundled lexicons with the user's: one of a bundled language takes its place, others come beside it.

    Files without an ``[operations]`` table are passed over. Raises InputError for a faulty one.
    """
    chosen = {lexicon.language: lexicon for lexicon in bundled_lexicons()}
    for path in paths:
        lexicon = read_lexicon(path)
        if lexicon is not None:
            chosen[lexicon.language] = lexicon
    return tuple(chosen.values())


def infer_operation(ground: Ground, lexicons: Sequence[OperationLexicon]) -> Operation:
    """The operation that the query's words ask for; of several the one with most at stake (execute, write, read)."""
    for name in reversed(OPERATIONS):
        hits = tuple(term.text for lexicon in lexicons for term in lexicon.terms.get(name, ()) if ground.holds(term))
        if hits:
            return Operation(name, "query", hits)
    return Operation(None, "none")


def requested_operation(query: Query, lexicons: Sequence[OperationLexicon] | None = None) -> Operation:
    """The operation that a query requests: its tool call's ``action_type``, else inferred from its text.

    A tool call whose action type is missing or no known word leaves it to inference, and the note says so.
    """
    known = bundled_lexicons() if lexicons is None else lexicons
    call = query.value("tool_call")
    note = ""
    if isinstance(call, Mapping):
        kind = call.get("action_type")
        if isinstance(kind, str) and kind in OPERATIONS:
            return Operation(kind, "tool_call")
        what = (
            _d("has no action_type")
            if kind is None
            else _d("has an unknown action_type ({shorten})").format(shorten=shorten(kind))
        )
        note = _d("the tool call {what}").format(what=what)
    elif call is not None:
        note = _d("tool_call is {shorten}, an object is expected").format(shorten=shorten(call))
    found = infer_operation(Ground([query.text]), known)
    return Operation(found.name, found.source, found.words, note)
