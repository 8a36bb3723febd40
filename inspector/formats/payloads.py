"""Metadata that applications hang on their records, in any vector store: whose it is and how long it holds.

A vector store prescribes no owner and no state. What applications write is taken by name, the first that has a value:

- owner: a tenant (``tenant_id``, ``tenant``, ``org_id``, ``organization_id``) and a user (``user_id``, ``userId``,
  ``owner_id``, ``owner``). Both give a namespace of two segments, one gives that one; without either, ``namespace``,
  ``group_id``, ``agent_id`` (as ``["agent", …]``), ``run_id`` (as ``["run", …]``).
- session: ``session_id``, ``sessionId``, ``thread_id``, ``conversation_id``, ``run_id``.
- times: ``created_at``, ``createdAt``, ``timestamp`` → ``created_at``; ``updated_at``, ``updatedAt`` →
  ``updated_at``; ``valid_from``, ``valid_at``; ``valid_to``, ``expires_at``, ``invalid_at`` → ``valid_to``;
  ``deleted_at``.
- ``status``, ``superseded_by``, ``sensitivity``, ``semantic_tag``, ``allowed_purposes`` under their own names.

A value that its field cannot hold stays in ``meta`` and is named in ``loss``.
"""

from __future__ import annotations

from typing import Any

from inspector.errors import InputError
from inspector.formats import mem0
from inspector.formats.base import clip
from inspector.formats.collect import Collector
from inspector.formats.draft import Draft, as_word
from inspector.i18n import D_, _
from inspector.records import ABSENT, Presence, presence_of

_TEXTLESS = D_("{name}: {count} records hold no text under a known name")
_NO_TEXT = D_("namespace: {name} holds no text in the source")
_NOT_GIVEN = D_("namespace: {name} is {presence} in the source")

TENANTS = ("tenant_id", "tenant", "org_id", "organization_id")
USERS = ("user_id", "userId", "owner_id", "owner")
_SINGLE = ("namespace", "group_id")
_KINDED = (("agent_id", "agent"), ("team_id", "team"), ("run_id", "run"))
_SESSIONS = ("session_id", "sessionId", "thread_id", "conversation_id", "run_id")
_TIMES = (
    ("created_at", ("created_at", "createdAt", "timestamp")),
    ("updated_at", ("updated_at", "updatedAt")),
    ("valid_from", ("valid_from", "valid_at")),
    ("valid_to", ("valid_to", "expires_at", "invalid_at")),
    ("deleted_at", ("deleted_at",)),
)
_WORDS = ("status", "superseded_by", "sensitivity", "semantic_tag")
#: Names under which applications store the text, in the order in which they are tried.
TEXTS = ("text", "content", "document", "memory", "data", "page_content", "chunk", "body", "fact")


def memory(draft: Draft, payload: dict[str, Any], loss: list[str]) -> dict[str, Any]:
    """A memory of a payload with its text, the id already taken; one of mem0's is read as mem0's."""
    if isinstance(payload.get("data"), str) and payload.keys() & {"hash", "user_id", "agent_id", "run_id"}:
        draft.rest.pop("id", None)
        return mem0.item(draft, "data")
    if not text(draft):
        draft.put("text", "")
        draft.lose(D_("text: the record holds none under a known name"))
    return described(draft, loss)


def note_textless(collector: Collector, first: int, name: str) -> None:
    """Say how many of the memories from the ``first`` on have no text.

    Raises InputError where none has one: the text then stands under a name that we do not know.
    """
    added = collector.memories[first:]
    empty = sum(memory.source("text") == "" for memory in added)
    if empty and empty == len(added):
        names = clip(", ".join(sorted(collector.kept)), 100) or _("nothing")
        wrong = _("no record holds a text under a known name (kept: {names})").format(names=names)
        expected = _("one of {names}; or a mapping with --mapping").format(names=", ".join(TEXTS))
        raise InputError.at(name, None, "", wrong, expected)
    if empty:
        collector.notes.append(_TEXTLESS.format(name=name, count=f"{empty:,}"))


def described(draft: Draft, loss: list[str]) -> dict[str, Any]:
    """A memory whose id and text are taken, with owner, session, times and labels from its metadata."""
    owner(draft)
    lifecycle(draft)
    return draft.done(loss)


def owner(draft: Draft) -> None:
    """Take the owner: ``namespace``, and every id that takes part in it under ``keys``."""
    tenant, user = _first(draft, TENANTS), _first(draft, USERS)
    keys: dict[str, Any] = {}
    if tenant is not None or user is not None:
        parts = []
        for found in (tenant, user):
            if found is not None:
                parts.append(found[1])
                keys[found[0]] = found[1]
                draft.take(found[0], f"namespace, keys.{found[0]}")
        draft.put("namespace", parts[0] if len(parts) == 1 else parts)
    else:
        _other_owner(draft, keys)
    for name in ("agent_id", "run_id"):
        value = as_word(draft.get(name))
        if value is not None:
            keys[name] = value
            if name == "agent_id":  # a run is also the session, which is taken later
                draft.take(name, f"keys.{name}")
    if keys:
        draft.put("keys", keys)


def _other_owner(draft: Draft, keys: dict[str, Any]) -> None:
    single = _first(draft, _SINGLE)
    if single is not None:
        draft.take(single[0], "namespace")
        draft.put("namespace", single[1])
        return
    for key, kind in _KINDED:
        value = as_word(draft.get(key))
        if value is not None:
            draft.put("namespace", [kind, value])
            keys[key] = value
            return
    tried = [key for key in (*TENANTS, *USERS, *_SINGLE) if draft.get(key) is not ABSENT]
    if tried:
        state = presence_of(draft.get(tried[0]))
        if state is Presence.VALUE:
            draft.lose(_NO_TEXT.format(name=tried[0]))
        else:
            draft.lose(_NOT_GIVEN.format(name=tried[0], presence=state.value))
        if draft.get(tried[0]) is None:
            draft.put("namespace", draft.take(tried[0], "namespace"))
    else:
        draft.lose(D_("namespace: the metadata names no owner (user_id, tenant_id, namespace, …)"))


def lifecycle(draft: Draft) -> None:
    """Take session, times and labels."""
    session = _first(draft, _SESSIONS)
    if session is not None:
        draft.take(session[0], "session_id")
        draft.put("session_id", session[1])
    for field, names in _TIMES:
        name = next((one for one in names if draft.get(one) is not ABSENT), None)
        if name is not None:
            draft.time(name, field)
    for name in _WORDS:
        draft.word(name, name)
    purposes = draft.get("allowed_purposes")
    if isinstance(purposes, list) and all(isinstance(one, str) for one in purposes):
        draft.put("allowed_purposes", draft.take("allowed_purposes", "allowed_purposes"))


def text(draft: Draft) -> bool:
    """Take the text from the first name that holds one; False where none does."""
    for name in TEXTS:
        if isinstance(draft.get(name), str):
            draft.put("text", draft.take(name, "text"))
            return True
    return False


def _first(draft: Draft, names: tuple[str, ...]) -> tuple[str, str] | None:
    for name in names:
        value = as_word(draft.get(name))
        if value is not None:
            return name, value
    return None
