"""Queries that are typed in: what one holds, whose the principal is, and how they stand among the source's (DESIGN 2).

An asked query lives in the workspace's log of edits as one entry (kind ``ask``, its fields as the value), so that it
survives a restart, is listed, undone and reverted like an edit, and leaves with the edits and with the store.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from inspector.errors import FieldError
from inspector.i18n import _
from inspector.records import ABSENT, QUERY_FIELDS, Memory, Namespace, Origin, Query, check_field
from inspector.store.ledger import Key, key_of

#: Where an asked query comes from. Compared by identity: a source's file may have any name.
ASKED = Origin("asked")
#: The field of the log's entry that holds the whole query.
FIELD = "query"
_MAX = 100_000


def ask_key(query_id: str) -> Key:
    """The key of the asked query in the log and the overlay."""
    return key_of("ask", (query_id,), FIELD)


def new_id(taken: Iterable[str]) -> str:
    """``ask-1``, or the first number after it that no query has."""
    known = set(taken)
    return next(name for number in range(1, _MAX) if (name := f"ask-{number}") not in known)


def check_asked(fields: Mapping[str, Any], timezone: str | None) -> None:
    """Refuse a query that cannot be asked. Raises FieldError that names the field and what was expected."""
    for name, value in fields.items():
        spec = QUERY_FIELDS.get(name)
        if spec is None:
            raise FieldError(
                name, _("is no field of a query"), _("one of {names}").format(names=", ".join(QUERY_FIELDS))
            )
        check_field(spec, value, timezone)
    if not isinstance(fields.get("id"), str):
        raise FieldError("id", _("is missing"), _("a text that no other query has"))
    if not str(fields.get("text") or "").strip():
        raise FieldError("text", _("is missing"), _("the words of the question"))


def owned_by(memories: Iterable[Memory], principal: str) -> list[Namespace]:
    """The store's namespaces that name the principal: those that are its id, and lists with it as a segment, cut after
    it. A proposal for who owns what, which the user sees and may change; none where no namespace names it."""
    found: dict[str, Namespace] = {}
    for memory in memories:
        several = memory.value("namespaces")
        for namespace in [memory.value("namespace"), *(several if isinstance(several, list) else ())]:
            if namespace == principal:
                found[principal] = principal
            elif isinstance(namespace, list) and principal in namespace:
                cut = namespace[: namespace.index(principal) + 1]
                found["\0".join(map(str, cut))] = cut
    return [found[name] for name in sorted(found)]


def read_namespaces(text: str, field: str = "principal.namespaces") -> list[Namespace]:
    """Namespaces as they are typed: names with commas between them, a JSON list for one of several segments.

    Raises FieldError for a list that is not closed or holds anything but texts.
    """
    found: list[Namespace] = []
    rest = text.strip()
    while rest:
        if rest[0] == "[":
            try:
                made, end = json.JSONDecoder().raw_decode(rest)
            except ValueError:
                made, end = None, len(rest)
            if not isinstance(made, list) or not made or not all(isinstance(part, str) for part in made):
                raise FieldError(
                    field,
                    _("{text} is no list of texts").format(text=rest[:end]),
                    _('a name, or ["SEGMENT", "SEGMENT"]'),
                )
            found.append(made)
            rest = rest[end:].lstrip().removeprefix(",").lstrip()
        else:
            name, _comma, rest = rest.partition(",")
            rest = rest.lstrip()
            if name.strip():
                found.append(name.strip())
    return found


def write_namespaces(namespaces: Iterable[Namespace]) -> str:
    """The text that :func:`read_namespaces` reads. A single name is written as a list where it holds a comma."""
    return ", ".join(
        one if isinstance(one, str) and "," not in one and not one.startswith("[") else _list(one) for one in namespaces
    )


def _list(namespace: Namespace) -> str:
    parts = [namespace] if isinstance(namespace, str) else namespace
    return json.dumps(parts, ensure_ascii=False)


def asked_fields(
    query_id: str,
    text: str,
    principal: str = "",
    owns: Sequence[Namespace] | None = None,
    **others: str | None,
) -> dict[str, Any]:
    """The fields of a typed query; what was left empty is absent, so that it is unknown and not a value."""
    fields: dict[str, Any] = {"id": query_id, "text": text}
    who: dict[str, Any] = {}
    if principal:
        who["id"] = principal
    if owns:
        who["namespaces"] = list(owns)
    if who:
        fields["principal"] = who
    return {**fields, **{name: value for name, value in others.items() if value}}


def relist(queries: list[Query], overlay: Mapping[Key, Any]) -> npt.NDArray[np.int64]:
    """Bring a list of queries, in place, to the source's own and after them the asked ones that the overlay has.

    One whose id the source has too stays out. Gives, for each query of the list, its place before, -1 for a new one.
    """
    before = {id(query): place for place, query in enumerate(queries)}
    kept = [query for query in queries if query.origin is not ASKED]
    asked = {query.id: query for query in queries if query.origin is ASKED}
    taken = {query.id for query in kept}
    for key, fields in overlay.items():
        if key.kind == "ask" and fields is not ABSENT and key.target[0] not in taken:
            query = asked.get(key.target[0])
            kept.append(query if query is not None and query.fields == fields else Query(dict(fields), ASKED))
    queries[:] = kept
    return np.array([before.get(id(query), -1) for query in queries], dtype=np.int64)
