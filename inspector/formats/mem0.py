"""mem0: what ``get_all``, ``search``, ``get`` and ``add`` return, in every envelope of versions 0.1 to 2.

Accepted: a bare list, ``{"results": […]}`` with or without ``relations`` of a graph store, the platform's pages
(``count``, ``next``, ``previous``, ``results``), one item alone, and JSON Lines of items.

Scope. ``user_id`` is the namespace; without it ``["agent", agent_id]``, else ``["run", run_id]``, else
``["app", app_id]``. All four are kept under ``keys``, and ``run_id`` is the session too. A null owner is kept as null.

Lifecycle, by precedence. An item of ``add`` that says ``DELETE`` is labelled deleted. ``expiration_date`` is the last
day (UTC) on which the record is visible, so that it ends at the next midnight; one that is no date is kept in ``meta``
and leaves the state unknown, while mem0 itself goes on showing the record. mem0 records neither a status nor what
replaced what: without ``--assume status=current`` a record's state is unknown, and says so.

Scores of a search become a query with one recorded event. Their direction differs between vector stores (#4453), so
that it is unknown; the query's own words and filter are not in the export. ``relations`` become records of the plane
``graph`` without an owner.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from inspector.errors import FieldError
from inspector.formats.base import Format, Watch
from inspector.formats.canonical import note_page
from inspector.formats.collect import Collector
from inspector.formats.draft import Draft, add_all, as_word, event, finite, hit, score_of, scored
from inspector.formats.importer import Importer, Source, add_search, each, note_marks, records
from inspector.formats.outline import EACH, Outline
from inspector.formats.rows import Raw
from inspector.i18n import D_, _
from inspector.records import ABSENT

_NULL = D_("namespace: {names} is null in the source")
_NO_ID = D_("namespace: {names} holds no id in the source")
_NO_DATE = D_("valid_to: expiration_date {date} is no date; mem0 goes on showing the record")

LOSS = [
    D_("policy: mem0 keeps no purposes and no access rules"),
    D_("status: mem0 keeps no status and does not say what replaced what"),
]
FORMAT = Format(
    name="mem0",
    summary="mem0: the JSON of get_all, search, get or add, with any envelope",
    recognised_by="objects with id and memory, alone, in a list, or under results",
    example='{"results": [{"id": "m1", "memory": "Ana lives in Porto.", "hash": "5f3c", "created_at": '
    '"2026-01-05T08:00:00+00:00", "updated_at": null, "user_id": "ana", "expiration_date": "2026-12-31"}]}',
    loss="no purposes or access rules, no status, no supersession; of a search neither its words nor its filter, and "
    "not whether a high score is good",
    scope="user_id, else agent_id, run_id, app_id",
    policy="",
    lifecycle="expiration_date (visible on that day), created_at, an add's DELETE event",
)
_LISTS = (("results",), ("relations",), ("memories",))
_MARKS = ("next", "next_page", "page_token")
_OWNERS = (("user_id", ""), ("agent_id", "agent"), ("run_id", "run"), ("app_id", "app"))


def matches(outline: Outline) -> bool:
    """Whether the records have mem0's id and memory."""
    found = outline.first([(), (EACH,), ("results", EACH), ("memories", EACH)])
    if found is None or outline.holder not in ("json", "jsonl"):
        return False
    keys = outline.at("results", EACH) or outline.at("memories", EACH) or found[1]
    return {"id", "memory"} <= keys and not keys & {"text", "namespace", "key", "mem_cube_id"}


def read(files: tuple[Path, ...], collector: Collector, watch: Watch) -> None:
    """Read mem0 exports."""
    for source in each(files):
        _read(source, collector, watch)


def _read(source: Source, collector: Collector, watch: Watch) -> None:
    retrieved: list[dict[str, Any]] = []
    related: list[dict[str, Any]] = []

    def make(raw: Raw) -> Iterator[dict[str, Any]]:
        if raw.section == "relations":
            made = _relation(raw.value)
            related.append({"id": made["id"]})
            yield made
            return
        draft = Draft(raw.value, collector.mapped)
        score, details = draft.take("score"), draft.take("score_details")
        made = item(draft, "memory")
        if score is not ABSENT and score is not None:
            found = hit(made, score_of(score))
            retrieved.append(found if details is ABSENT else {**found, "score_details": finite(details)})
        yield made

    raws = records(source, watch, collector.fault, _LISTS, "memory")
    wanted = (raw for raw in raws if not note_marks(raw, source.name, collector, _MARKS) and not raw.whole)
    before = len(collector.memories) + collector.repeated
    add_all(wanted, make, collector, partial=scored)
    note_page(source.name, len(collector.memories) + collector.repeated - before, collector)
    if retrieved:
        events = [event("search", retrieved, "unknown")]
        if related:
            events.append(event("graph", related, "unknown"))
        add_search(source, events, collector)


def item(draft: Draft, text: str) -> dict[str, Any]:
    """A memory of an item, or of a payload in a vector store, whose text is under the key ``text``."""
    if "id" not in draft.fields:  # of a payload in a vector store it is taken already
        draft.identity("id")
    if not isinstance(draft.get(text), str):
        raise FieldError(
            text, _("is missing") if draft.get(text) is ABSENT else _("is no text"), _("the memory's text")
        )
    draft.put("text", draft.take(text, "text"))
    _owner(draft)
    draft.time("created_at", "created_at")
    draft.time("updated_at", "updated_at")
    _expiry(draft)
    if draft.get("event") == "DELETE":
        draft.put("status", "deleted")
        draft.take("event", "status")
    _inner(draft)
    return draft.done(LOSS)


def _owner(draft: Draft) -> None:
    keys: dict[str, Any] = {}
    namespace: Any = ABSENT
    held = [key for key, _ in _OWNERS if draft.get(key) is not ABSENT]
    for key, kind in _OWNERS:
        value = as_word(draft.get(key))
        if value is None:
            continue
        is_owner = namespace is ABSENT
        draft.take(key, f"namespace, keys.{key}" if is_owner else f"keys.{key}")
        keys[key] = value
        if is_owner:
            namespace = [kind, value] if kind else value
    draft.put("namespace", namespace)
    if "run_id" in keys:
        draft.put("session_id", keys["run_id"])
    if keys:
        draft.put("keys", keys)
    elif held:
        null = draft.get(held[0]) is None
        draft.lose((_NULL if null else _NO_ID).format(names=", ".join(held)))
        if null:
            draft.put("namespace", draft.take(held[0], "namespace"))
    else:
        draft.lose(D_("namespace: the item names no user_id, agent_id, run_id or app_id"))


def _expiry(draft: Draft) -> None:
    """``expiration_date`` as the instant at which the record's last visible day (UTC) is over; the date is kept."""
    value = draft.get("expiration_date")
    if value is ABSENT or value is None or value == "":
        return
    try:
        last = dt.date.fromisoformat(value if isinstance(value, str) else "")
        over = last + dt.timedelta(days=1)
    except (ValueError, OverflowError):
        draft.lose(_NO_DATE.format(date=repr(str(value)[:40])))
        return
    draft.put("valid_to", f"{over.isoformat()}T00:00:00+00:00")


def _inner(draft: Draft) -> None:
    """An item's ``metadata`` beside what is left of the item, where no key would hide another."""
    inner = draft.get("metadata")
    if isinstance(inner, dict) and inner and not inner.keys() & draft.rest.keys():
        draft.take("metadata", "meta")
        draft.rest.update(inner)


def _relation(value: Any) -> dict[str, Any]:
    """A relation of the graph store: a search says ``destination`` where a list says ``target``."""
    if not isinstance(value, dict):
        raise FieldError("relations", _("is not an object"), _("source, relationship and target"))
    target = value.get("target", value.get("destination"))
    given = (value.get("source"), value.get("relationship"), target)
    parts = [part for part in given if isinstance(part, str)]
    if len(parts) < len(given):
        raise FieldError("relations", _("lacks a part"), _("source, relationship and target or destination"))
    rest = {k: v for k, v in value.items() if k not in ("source", "relationship", "target", "destination")}
    made: dict[str, Any] = {
        "id": " | ".join(parts),
        "text": " ".join(parts),
        "plane": "graph",
        "loss": [D_("namespace: a relation names no owner, nor the memory it was made of"), *LOSS],
    }
    if rest:
        made["meta"] = rest
    return made


IMPORTER = Importer(FORMAT, read, matches)
